# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns VmVariantList: what goes into and comes out of a call at the lowest level.

@cython.no_gc
cdef class VmVariantList:
    """A list of numbers and references (``vm.list``).

    Parameters
    ----------
    capacity
        How many elements there is room for; it grows.
    """

    def __cinit__(self, capacity=None):
        cdef iree_host_size_t count
        if is_factory(capacity):
            return
        if capacity is None:
            raise TypeError("VmVariantList needs a capacity")
        count = index_of(capacity)
        check_status(
            iree_vm_list_create(iree_vm_make_undefined_type_def(), count, iree_allocator_system(), &self._handle)
        )

    @cython.critical_section
    def push_float(self, double value):
        """Append a floating-point number (f64)."""
        cdef iree_vm_value_t c_value = iree_vm_value_make_f64(value)
        check_status(iree_vm_list_push_value(self._handle, &c_value))

    @cython.critical_section
    def push_int(self, value):
        """Append an integer (i64).

        Raises
        ------
        OverflowError
            If it does not fit.
        """
        cdef iree_vm_value_t c_value
        number = whole_number(value)
        if not INT64_MIN_VALUE <= number <= INT64_MAX:
            raise OverflowError(f"{_quote(number, 40)} does not fit into i64")
        c_value = iree_vm_value_make_i64(<int64_t>number)
        check_status(iree_vm_list_push_value(self._handle, &c_value))

    @cython.critical_section
    def push_list(self, VmVariantList value not None):
        """Append a list, which is shared and not copied."""
        cdef VmRef ref = value.ref
        check_status(iree_vm_list_push_ref_retain(self._handle, &ref._ref))

    @cython.critical_section
    def push_ref(self, ref):
        """Append a reference to an object: a `VmRef`, `HalBufferView`, `HalBuffer`, `HalFence` ..."""
        cdef VmRef vm_ref = as_vm_ref(ref)
        check_status(iree_vm_list_push_ref_retain(self._handle, &vm_ref._ref))

    def get_as_list(self, index):
        """Return the list at an index.

        Raises
        ------
        IndexError
            If there is no such element.
        TypeError
            If it is no list.
        ValueError
            If it is a number.
        """
        return self.get_as_ref(index).deref(VmVariantList)

    def get_as_object(self, index, clazz=None):
        """Return the object at an index.

        Parameters
        ----------
        index
            The index.
        clazz
            Its class; by default the one that fits.

        Raises
        ------
        IndexError
            If there is no such element.
        TypeError
            If it is of another class.
        ValueError
            If it is a number.
        """
        ref = self.get_as_ref(index)
        if clazz is not None:
            return ref.deref(clazz)
        for known in (HalBufferView, HalBuffer, VmVariantList, VmBuffer, HalFence, HalCommandBuffer):
            value = known.__iree_vm_cast__(ref)
            if value is not None:
                return value
        return ref

    @cython.critical_section
    def get_as_ref(self, index):
        """Return the reference at an index.

        Raises
        ------
        IndexError
            If there is no such element.
        ValueError
            If it is a number.
        """
        cdef iree_vm_variant_t variant = iree_vm_variant_empty()
        check_status(iree_vm_list_get_variant_assign(self._handle, list_index(self, index), &variant))
        if iree_vm_variant_is_value(variant):
            raise _value_error(f"element {index} of the list is a number, not a reference")
        iree_vm_ref_retain_inplace(&variant.ref)
        return vm_ref_from(&variant.ref)

    @cython.critical_section
    def get_variant(self, index):
        """Return the element at an index: an int, a float, a `VmRef`, or None when it is empty.

        Raises
        ------
        IndexError
            If there is no such element.
        """
        cdef iree_vm_variant_t variant = iree_vm_variant_empty()
        check_status(iree_vm_list_get_variant_assign(self._handle, list_index(self, index), &variant))
        if iree_vm_variant_is_value(variant):
            return number_of_variant(&variant)
        if not iree_vm_variant_is_ref(variant) or variant.ref.ptr == NULL:
            return None
        iree_vm_ref_retain_inplace(&variant.ref)
        return vm_ref_from(&variant.ref)

    def get_serialized_trace_value(self, index):
        """Return the element at an index as a dict of plain values, with its ``"type"``.

        Raises
        ------
        ValueError
            If lists in it are nested more than 100 deep, as one that holds itself is.
        """
        return trace_value(self, index, 0)

    @property
    def size(self):
        """How many elements there are."""
        return len(self)

    @property
    def ref(self):
        """A reference to the list."""
        return vm_ref_retain(self._handle, _list_type)

    @property
    def __iree_vm_ref__(self):
        """A reference to the list."""
        return self.ref

    @staticmethod
    def __iree_vm_type__():
        """Return the number of the type in references."""
        return int(_list_type)

    @staticmethod
    def __iree_vm_cast__(ref):
        """Return the list that a reference refers to, or None."""
        cdef void* handle = ref_object_retain(ref, _list_type)
        if handle == NULL:
            return None
        return vm_list_from_handle(<iree_vm_list_t*>handle)

    def __len__(self):
        cdef Py_ssize_t size
        with cython.critical_section(self):
            size = <Py_ssize_t>iree_vm_list_size(self._handle)
        return size

    def __dealloc__(self):
        if self._handle != NULL:
            iree_vm_list_release(self._handle)

    def __eq__(self, other):
        return isinstance(other, VmVariantList) and self._handle == (<VmVariantList>other)._handle

    def __hash__(self):
        return hash(<uintptr_t>self._handle)

    def __repr__(self):
        return f"<VmVariantList({len(self)}): [{list_text(self, 0)}]>"


# Takes over a reference to `handle`.
cdef VmVariantList vm_list_from_handle(iree_vm_list_t* handle):
    cdef VmVariantList result = <VmVariantList>new_object(VmVariantList)
    result._handle = handle
    return result


cdef iree_host_size_t list_index(VmVariantList items, object index) except? 0:
    cdef Py_ssize_t size = <Py_ssize_t>iree_vm_list_size(items._handle)
    value = whole_number(index)
    if not 0 <= value < size:
        raise _make_error(<int>IREE_STATUS_OUT_OF_RANGE, f"no element {_quote(value, 40)} in a list of {size}")
    return <iree_host_size_t>value


cdef object number_of_variant(iree_vm_variant_t* variant):
    cdef iree_vm_value_type_t type = iree_vm_type_def_as_value(variant.type)
    if type == IREE_VM_VALUE_TYPE_I8:
        return <int>variant.i8
    if type == IREE_VM_VALUE_TYPE_I16:
        return <int>variant.i16
    if type == IREE_VM_VALUE_TYPE_I32:
        return variant.i32
    if type == IREE_VM_VALUE_TYPE_I64:
        return variant.i64
    if type == IREE_VM_VALUE_TYPE_F32:
        return <double>variant.f32
    return variant.f64


# Lists may hold themselves.
_MAX_LIST_DEPTH = 4


cdef str list_text(VmVariantList items, int depth):
    return ", ".join([element_text(items.get_variant(i), depth) for i in range(len(items))])


cdef str element_text(object value, int depth):
    cdef VmRef ref
    if value is None:
        return "None"
    if isinstance(value, float):
        return f"{value:.6f}"
    if isinstance(value, int):
        return str(value)
    ref = value
    if ref._ref.type == _list_type:
        return f"List[{list_text(ref.deref(VmVariantList), depth + 1)}]" if depth < _MAX_LIST_DEPTH else "List[...]"
    if ref._ref.type == _buffer_view_type:
        view = ref.deref(HalBufferView)
        return f"HalBufferView({'x'.join(map(str, view.shape))}:0x{int(view.element_type):08x})"
    if ref._ref.type == _buffer_type:
        return f"HalBuffer({ref.deref(HalBuffer).byte_length()})"
    if ref._ref.type == _fence_type:
        return f"fence({ref.deref(HalFence).timepoint_count})"
    return f"{ref_type_text(ref._ref.type)}({<uintptr_t>ref._ref.ptr:#x})"


# What get_serialized_trace_value returns; `depth` counts the lists around it.
cdef object trace_value(VmVariantList values, object index, int depth):
    cdef VmRef ref
    cdef VmVariantList items
    if depth > 100:
        raise ValueError("lists nested more than 100 deep cannot be written out; one may hold itself")
    value = values.get_variant(index)
    if value is None:
        return {"type": "null"}
    if isinstance(value, int):
        return {"type": "value", "i64": value}
    if isinstance(value, float):
        return {"type": "value", "f64": value}
    ref = value
    if ref._ref.type == _list_type:
        items = ref.deref(VmVariantList)
        return {"type": "vm.list", "items": [trace_value(items, i, depth + 1) for i in range(len(items))]}
    if ref._ref.type == _buffer_view_type:
        view = ref.deref(HalBufferView)
        return {
            "type": "hal.buffer_view",
            "shape": list(view.shape),
            "element_type": int(view.element_type),
            "contents": bytes(memoryview(view.map())[: view.byte_length]),
        }
    return {"type": ref_type_text(ref._ref.type)}
