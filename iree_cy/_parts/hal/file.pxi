# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns HalFile: bytes that queues read from and write to.

@cython.no_gc
cdef class HalFile:
    """A file over host memory, for `HalDevice.queue_read` and `HalDevice.queue_write`.

    Parameters
    ----------
    contents
        A contiguous object with Python's buffer protocol, which is kept: an array, an `mmap.mmap`.
    writable
        Whether it may be written to; then ``contents`` has to be writable too.
    """

    def __cinit__(self, contents, bint writable=False):
        cdef _KeptBuffer kept = _KeptBuffer()
        cdef iree_hal_memory_access_t access = IREE_HAL_MEMORY_ACCESS_READ
        cdef iree_hal_buffer_release_callback_t callback
        cdef iree_status_t status
        PyObject_GetBuffer(contents, &kept.view, PyBUF_C_CONTIGUOUS | (PyBUF_WRITABLE if writable else 0))
        kept.is_held = True
        if writable:
            access |= IREE_HAL_MEMORY_ACCESS_WRITE
        callback.fn = release_kept
        callback.user_data = <void*>kept
        Py_INCREF(kept)
        status = iree_hal_memory_file_wrap(
            access, iree_make_byte_span(kept.view.buf, kept.view.len), callback, iree_allocator_system(), &self._handle
        )
        if status != NULL:
            Py_DECREF(kept)
        check_status(status)

    def __len__(self):
        return int(iree_hal_file_length(self._handle))

    @property
    def is_writable(self):
        """Whether it may be written to."""
        return (iree_hal_file_allowed_access(self._handle) & IREE_HAL_MEMORY_ACCESS_WRITE) != 0

    def __dealloc__(self):
        if self._handle != NULL:
            with nogil:
                iree_hal_file_release(self._handle)

    def __repr__(self):
        return f"<HalFile of {iree_hal_file_length(self._handle)} bytes>"
