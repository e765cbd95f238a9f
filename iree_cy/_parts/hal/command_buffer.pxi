# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns HalCommandBuffer: recorded work.

@cython.no_gc
cdef class HalCommandBuffer:
    """Work that is recorded once and executed by `HalDevice.queue_execute`, often if need be.

    Parameters
    ----------
    device
        The device.
    binding_capacity
        Slots of the binding table that the recording may refer to.
    begin
        Begin recording at once.
    """

    def __cinit__(self, device=None, binding_capacity=0, bint begin=True):
        cdef iree_hal_device_t* device_handle
        cdef iree_host_size_t capacity
        cdef iree_status_t status
        if is_factory(device):
            return
        if not isinstance(device, HalDevice):
            raise _type_error(f"HalCommandBuffer needs a HalDevice, not {_type_name(device)}")
        capacity = index_of(binding_capacity)
        device_handle = (<HalDevice>device)._handle
        with nogil:
            status = iree_hal_command_buffer_create(
                device_handle,
                IREE_HAL_COMMAND_BUFFER_MODE_DEFAULT,
                IREE_HAL_COMMAND_CATEGORY_ANY,
                IREE_HAL_QUEUE_AFFINITY_ANY,
                capacity,
                &self._handle,
            )
        check_status(status)
        self._device = device
        if begin:
            check_status(iree_hal_command_buffer_begin(self._handle))

    # Recording is for one thread at a time: it is done with the GIL, or where there is none with a lock, and waits for
    # nothing.

    def begin(self):
        """Begin recording.

        Raises
        ------
        StatusError
            If it has begun already.
        """
        cdef iree_status_t status
        with cython.critical_section(self):
            status = iree_hal_command_buffer_begin(self._handle)
        check_status(status)

    def end(self):
        """End recording.

        Raises
        ------
        StatusError
            If it has not begun or has ended.
        """
        cdef iree_status_t status
        with cython.critical_section(self):
            status = iree_hal_command_buffer_end(self._handle)
        check_status(status)

    def copy(
        self,
        HalBuffer source_buffer not None,
        HalBuffer target_buffer not None,
        source_offset=0,
        target_offset=0,
        length=None,
        bint end=False,
    ):
        """Record a copy of bytes.

        Parameters
        ----------
        source_buffer, target_buffer
            The buffers, which are kept.
        source_offset, target_offset
            Where to begin, in bytes.
        length
            Bytes; by default what the source has from there on.
        end
            End recording afterwards.
        """
        cdef iree_device_size_t c_source_offset = index_of(source_offset)
        cdef iree_device_size_t c_target_offset = index_of(target_offset)
        cdef iree_device_size_t c_length
        cdef iree_status_t status
        c_length = copy_length(source_buffer, target_buffer, c_source_offset, c_target_offset, length)
        with cython.critical_section(self):
            status = iree_hal_command_buffer_copy_buffer(
                self._handle,
                iree_hal_make_buffer_ref(source_buffer._handle, c_source_offset, c_length),
                iree_hal_make_buffer_ref(target_buffer._handle, c_target_offset, c_length),
                0,
            )
        check_status(status)
        if end:
            self.end()

    def fill(self, HalBuffer target_buffer not None, pattern, target_offset=0, length=None, bint end=False):
        """Record filling with a pattern.

        Parameters
        ----------
        target_buffer
            The buffer, which is kept.
        pattern
            A bytes-like object of 1, 2 or 4 bytes, such as a NumPy scalar.
        target_offset
            Where to begin, in bytes.
        length
            Bytes; by default to the end.
        end
            End recording afterwards.
        """
        cdef iree_device_size_t c_offset = index_of(target_offset)
        cdef iree_device_size_t c_length = IREE_HAL_WHOLE_BUFFER if length is None else index_of(length)
        cdef bytes data = bytes(memoryview(pattern).cast("B"))
        cdef const char* c_data = data
        cdef iree_host_size_t size = len(data)
        cdef iree_status_t status
        with cython.critical_section(self):
            status = iree_hal_command_buffer_fill_buffer(
                self._handle, iree_hal_make_buffer_ref(target_buffer._handle, c_offset, c_length), c_data, size, 0
            )
        check_status(status)
        if end:
            self.end()

    @property
    def ref(self):
        """A reference to the command buffer."""
        return vm_ref_retain(self._handle, _command_buffer_type)

    @property
    def __iree_vm_ref__(self):
        """A reference to the command buffer."""
        return self.ref

    @staticmethod
    def __iree_vm_type__():
        """Return the number of the type in references."""
        return int(_command_buffer_type)

    @staticmethod
    def __iree_vm_cast__(ref):
        """Return the command buffer that a reference refers to, or None."""
        cdef void* handle = ref_object_retain(ref, _command_buffer_type)
        if handle == NULL:
            return None
        cdef HalCommandBuffer result = <HalCommandBuffer>new_object(HalCommandBuffer)
        result._handle = <iree_hal_command_buffer_t*>handle
        return result

    def __dealloc__(self):
        if self._handle != NULL:
            with nogil:
                iree_hal_command_buffer_release(self._handle)

    def __eq__(self, other):
        return isinstance(other, HalCommandBuffer) and self._handle == (<HalCommandBuffer>other)._handle

    def __hash__(self):
        return hash(<uintptr_t>self._handle)

    def __repr__(self):
        return f"<HalCommandBuffer at {<uintptr_t>self._handle:#x}>"
