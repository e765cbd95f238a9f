# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns VmRef: a reference to an object of any type.

@cython.no_gc
cdef class VmRef:
    """A reference to an object of the VM or HAL. `deref` gives the object itself."""

    def __cinit__(self, mark=None, *args, **kwargs):
        if not is_factory(mark):
            refuse_constructor("VmRef", "the 'ref' of an object, or get_as_ref() of a list")

    def deref(self, clazz, bint optional=False):
        """Return the object as one of a class.

        Parameters
        ----------
        clazz
            Class of the object: `HalBufferView`, `HalBuffer`, `HalFence`, `VmVariantList` ...
        optional
            Return None for another class instead of raising.

        Raises
        ------
        TypeError
            If it is of another class.
        """
        cast = getattr(clazz, "__iree_vm_cast__", None)
        if cast is None:
            raise _type_error(f"{_quote(clazz)} is no class of objects that references refer to")
        value = cast(self)
        if value is None and not optional:
            raise _type_error(f"the reference is to a {ref_type_text(self._ref.type)}, not a {_clip(clazz.__name__, 40)}")
        return value

    def isinstance(self, ref_type):
        """Tell whether the object is of a class."""
        type_of = getattr(ref_type, "__iree_vm_type__", None)
        if type_of is None:
            raise _type_error(f"{_quote(ref_type)} is no class of objects that references refer to")
        return self._ref.ptr != NULL and <uintptr_t>self._ref.type == <uintptr_t>int(type_of())

    @property
    def __iree_vm_ref__(self):
        """The reference itself, so that it can be passed where objects can."""
        return self

    def __dealloc__(self):
        iree_vm_ref_release(&self._ref)

    def __eq__(self, other):
        if not isinstance(other, VmRef):
            return False
        return self._ref.ptr == (<VmRef>other)._ref.ptr

    def __hash__(self):
        return hash(<uintptr_t>self._ref.ptr)

    def __repr__(self):
        if self._ref.ptr == NULL:
            return "<VmRef NULL>"
        return f"<VmRef {ref_type_text(self._ref.type)} at {<uintptr_t>self._ref.ptr:#x}>"


cdef str ref_type_text(iree_vm_ref_type_t type):
    return text_of(iree_vm_ref_type_name(type))


# Takes over `ref`, which becomes null.
cdef VmRef vm_ref_from(iree_vm_ref_t* ref):
    cdef VmRef result = <VmRef>new_object(VmRef)
    result._ref = ref[0]
    ref[0] = iree_vm_ref_null()
    return result


# A reference of its own to an object that the caller keeps.
cdef VmRef vm_ref_retain(void* object_, iree_vm_ref_type_t type):
    cdef iree_vm_ref_t ref
    ref.ptr = object_
    ref.type = type
    iree_vm_ref_retain_inplace(&ref)
    return vm_ref_from(&ref)


# The object of `ref` with a reference of its own when it is of `type`, else NULL.
cdef void* ref_object_retain(VmRef ref, iree_vm_ref_type_t type) except? NULL:
    if ref is None:
        raise TypeError("a VmRef is needed, not None")
    if ref._ref.ptr == NULL or ref._ref.type != type:
        return NULL
    iree_vm_ref_retain_inplace(&ref._ref)
    return ref._ref.ptr


# The reference behind anything that has one.
cdef VmRef as_vm_ref(object value):
    if isinstance(value, VmRef):
        return <VmRef>value
    ref = getattr(value, "__iree_vm_ref__", None)
    if not isinstance(ref, VmRef):
        raise _type_error(f"{_an(_type_name(value))} cannot be passed as a reference")
    return <VmRef>ref
