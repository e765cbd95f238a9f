# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns MappedMemory: a buffer that the host sees.

@cython.no_gc
cdef class MappedMemory:
    """A buffer mapped into host memory. It has Python's buffer protocol, as bytes.

    The mapping lasts as long as this object, and arrays made of it keep it.
    """

    def __cinit__(self, mark=None, *args, **kwargs):
        if not is_factory(mark):
            refuse_constructor("MappedMemory", "HalBuffer.map()")

    def asarray(self, shape, numpy_dtype_descr):
        """Return a NumPy array over the begin of the memory.

        Parameters
        ----------
        shape
            Dimensions.
        numpy_dtype_descr
            The dtype.

        Raises
        ------
        ValueError
            If the memory is too small.
        """
        import numpy as np

        dtype = np.dtype(numpy_dtype_descr)
        sizes = tuple(int(size) for size in shape)
        count = 1
        for size in sizes:
            count *= size
        if count * dtype.itemsize > self._length:
            raise _value_error(
                f"an array of {_quote(sizes)} {_clip(str(dtype), 40)} takes {_quote(count * dtype.itemsize, 40)} bytes, and {self._length} are mapped"
            )
        return np.frombuffer(self, np.uint8, count * dtype.itemsize).view(dtype).reshape(sizes)

    def __len__(self):
        return self._length

    def __getbuffer__(self, Py_buffer* buffer, int flags):
        PyBuffer_FillInfo(buffer, self, self._mapping.contents.data, self._length, not self._writable, flags)

    def __dealloc__(self):
        if self._buffer is not None:
            iree_status_ignore(iree_hal_buffer_unmap_range(&self._mapping))

    def __repr__(self):
        return f"<MappedMemory {self._length} bytes at {<uintptr_t>self._mapping.contents.data:#x}>"


cdef MappedMemory map_buffer(HalBuffer buffer):
    cdef iree_hal_memory_access_t access = iree_hal_buffer_allowed_access(buffer._handle)
    cdef iree_status_t status
    access &= IREE_HAL_MEMORY_ACCESS_READ | IREE_HAL_MEMORY_ACCESS_WRITE
    cdef MappedMemory result = <MappedMemory>new_object(MappedMemory)
    with nogil:
        status = iree_hal_buffer_map_range(
            buffer._handle, IREE_HAL_MAPPING_MODE_SCOPED, access, 0, IREE_HAL_WHOLE_BUFFER, &result._mapping
        )
    check_status(status)
    result._buffer = buffer
    result._writable = (access & IREE_HAL_MEMORY_ACCESS_WRITE) != 0
    result._length = <Py_ssize_t>result._mapping.contents.data_length
    return result
