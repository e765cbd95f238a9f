# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns VmInstance.

cdef class VmInstance:
    """The types that programs may refer to. Programs that exchange objects share one.

    It knows the types of the VM and of the HAL.
    """

    def __cinit__(self):
        check_status(
            iree_vm_instance_create(IREE_VM_TYPE_CAPACITY_DEFAULT, iree_allocator_system(), &self._handle)
        )
        check_status(iree_hal_module_register_all_types(self._handle))

    def __dealloc__(self):
        if self._handle != NULL:
            iree_vm_instance_release(self._handle)

    def __repr__(self):
        return f"<VmInstance at {<uintptr_t>self._handle:#x}>"


# For what needs types and no instance of the user's: they are the same in all.
cdef VmInstance _types_instance = VmInstance()


cdef iree_vm_ref_type_t lookup_type(const char* name) except 0:
    cdef iree_vm_ref_type_t type = iree_vm_instance_lookup_type(_types_instance._handle, iree_make_cstring_view(name))
    if type == IREE_VM_REF_TYPE_NULL:
        raise _runtime_error(f"the type {name.decode()} is not registered")
    return type


# Types that every call meets, looked up once.
cdef iree_vm_ref_type_t _buffer_view_type = lookup_type(b"hal.buffer_view")
cdef iree_vm_ref_type_t _buffer_type = lookup_type(b"hal.buffer")
cdef iree_vm_ref_type_t _fence_type = lookup_type(b"hal.fence")
cdef iree_vm_ref_type_t _command_buffer_type = lookup_type(b"hal.command_buffer")
cdef iree_vm_ref_type_t _list_type = iree_vm_list_type()
cdef iree_vm_ref_type_t _vm_buffer_type = iree_vm_buffer_type()
