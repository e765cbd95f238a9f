# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns VmBuffer: bytes that programs read and write by offset.

@cython.no_gc
cdef class VmBuffer:
    """A byte buffer of the VM (``vm.buffer``). It has Python's buffer protocol.

    Parameters
    ----------
    length
        Bytes.
    alignment
        A power of two, or 0 for the usual.
    mutable
        Whether programs and Python may write to it.
    """

    def __cinit__(self, length=None, alignment=0, bint mutable=True):
        cdef iree_vm_buffer_access_t access = IREE_VM_BUFFER_ACCESS_ORIGIN_HOST
        cdef iree_host_size_t byte_length, byte_alignment
        cdef iree_status_t status
        if is_factory(length):
            return
        if length is None:
            raise TypeError("VmBuffer needs a length")
        byte_length = index_of(length)
        byte_alignment = index_of(alignment)
        if byte_alignment & (byte_alignment - 1):
            raise _value_error(f"an alignment is a power of two, not {alignment}")
        if mutable:
            access |= IREE_VM_BUFFER_ACCESS_MUTABLE
        with nogil:
            status = iree_vm_buffer_create(
                access, byte_length, byte_alignment, iree_allocator_system(), &self._handle
            )
        check_status(status)

    @property
    def ref(self):
        """A reference to the buffer."""
        return vm_ref_retain(self._handle, _vm_buffer_type)

    @property
    def __iree_vm_ref__(self):
        """A reference to the buffer."""
        return self.ref

    @staticmethod
    def __iree_vm_type__():
        """Return the number of the type in references."""
        return int(_vm_buffer_type)

    @staticmethod
    def __iree_vm_cast__(ref):
        """Return the buffer that a reference refers to, or None."""
        cdef void* handle = ref_object_retain(ref, _vm_buffer_type)
        if handle == NULL:
            return None
        cdef VmBuffer result = <VmBuffer>new_object(VmBuffer)
        result._handle = <iree_vm_buffer_t*>handle
        return result

    def __len__(self):
        return <Py_ssize_t>self._handle.data.data_length

    def __getbuffer__(self, Py_buffer* buffer, int flags):
        cdef bint read_only = not (self._handle.access & IREE_VM_BUFFER_ACCESS_MUTABLE)
        PyBuffer_FillInfo(
            buffer, self, self._handle.data.data, <Py_ssize_t>self._handle.data.data_length, read_only, flags
        )

    def __dealloc__(self):
        if self._handle != NULL:
            iree_vm_buffer_release(self._handle)

    def __eq__(self, other):
        return isinstance(other, VmBuffer) and self._handle == (<VmBuffer>other)._handle

    def __hash__(self):
        return hash(<uintptr_t>self._handle)

    def __repr__(self):
        return f"<VmBuffer size {self._handle.data.data_length} at {<uintptr_t>self._handle.data.data:#x}>"
