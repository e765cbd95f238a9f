# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns HalBuffer.

@cython.no_gc
cdef class HalBuffer:
    """A range of memory that a device can use. Allocators and queues make it."""

    def __cinit__(self, mark=None, *args, **kwargs):
        if not is_factory(mark):
            refuse_constructor("HalBuffer", "HalAllocator.allocate_buffer()")

    def allowed_usage(self):
        """Return what it may be used for: bits of `BufferUsage`."""
        return int(iree_hal_buffer_allowed_usage(self._handle))

    def allowed_access(self):
        """Return how it may be accessed: bits of `MemoryAccess`."""
        return int(iree_hal_buffer_allowed_access(self._handle))

    def memory_type(self):
        """Return where its memory is: bits of `MemoryType`."""
        return int(iree_hal_buffer_memory_type(self._handle))

    def byte_length(self):
        """Return its length in bytes."""
        return int(iree_hal_buffer_byte_length(self._handle))

    def byte_offset(self):
        """Return where it begins in the allocation that it is a part of, in bytes."""
        return int(iree_hal_buffer_byte_offset(self._handle))

    def create_view(self, shape, element_type):
        """Return a view of the buffer.

        Parameters
        ----------
        shape
            Dimensions.
        element_type
            A `HalElementType`.
        """
        return HalBufferView(self, shape, element_type)

    def subspan(self, byte_offset, byte_length=None):
        """Return a part of the buffer, which shares its memory.

        Parameters
        ----------
        byte_offset
            Where it begins.
        byte_length
            Its length; by default to the end.
        """
        cdef iree_device_size_t offset = index_of(byte_offset)
        cdef iree_device_size_t length = IREE_HAL_WHOLE_BUFFER if byte_length is None else index_of(byte_length)
        cdef iree_hal_buffer_t* handle = NULL
        check_status(iree_hal_buffer_subspan(self._handle, offset, length, iree_allocator_system(), &handle))
        return hal_buffer_from_handle(handle, self._device)

    def fill_zero(self, byte_offset, byte_length):
        """Write zeros to a range, now, from the host.

        Parameters
        ----------
        byte_offset, byte_length
            The range.
        """
        cdef iree_device_size_t offset = index_of(byte_offset)
        cdef iree_device_size_t length = index_of(byte_length)
        cdef uint8_t zero = 0
        cdef iree_status_t status
        with nogil:
            status = iree_hal_buffer_map_fill(self._handle, offset, length, &zero, 1)
        check_status(status)

    def map(self):
        """Map the buffer for the host.

        Raises
        ------
        StatusError
            If the host cannot see its memory.
        """
        return map_buffer(self)

    @property
    def ref(self):
        """A reference to the buffer."""
        return vm_ref_retain(self._handle, _buffer_type)

    @property
    def __iree_vm_ref__(self):
        """A reference to the buffer."""
        return self.ref

    @staticmethod
    def __iree_vm_type__():
        """Return the number of the type in references."""
        return int(_buffer_type)

    @staticmethod
    def __iree_vm_cast__(ref):
        """Return the buffer that a reference refers to, or None."""
        cdef void* handle = ref_object_retain(ref, _buffer_type)
        if handle == NULL:
            return None
        return hal_buffer_from_handle(<iree_hal_buffer_t*>handle, None)

    def __dealloc__(self):
        if self._handle != NULL:
            # May give memory back to a device, or to the system.
            with nogil:
                iree_hal_buffer_release(self._handle)

    def __eq__(self, other):
        return isinstance(other, HalBuffer) and self._handle == (<HalBuffer>other)._handle

    def __hash__(self):
        return hash(<uintptr_t>self._handle)

    def __repr__(self):
        return f"<HalBuffer {buffer_text(self._handle)}>"


cdef HalBuffer hal_buffer_from_handle(iree_hal_buffer_t* handle, HalDevice device):
    cdef HalBuffer result = <HalBuffer>new_object(HalBuffer)
    result._handle = handle
    result._device = device
    return result


cdef str buffer_text(iree_hal_buffer_t* handle):
    cdef char[256] memory_type
    cdef char[256] access
    cdef char[512] usage
    iree_hal_memory_type_format(iree_hal_buffer_memory_type(handle), sizeof(memory_type), memory_type)
    iree_hal_memory_access_format(iree_hal_buffer_allowed_access(handle), sizeof(access), access)
    iree_hal_buffer_usage_format(iree_hal_buffer_allowed_usage(handle), sizeof(usage), usage)
    return (
        f"{iree_hal_buffer_byte_length(handle)} bytes (at offset {iree_hal_buffer_byte_offset(handle)} into "
        f"{iree_hal_buffer_allocation_size(handle)}), memory_type={memory_type.decode()}, "
        f"allowed_access={access.decode()}, allowed_usage={usage.decode()}"
    )
