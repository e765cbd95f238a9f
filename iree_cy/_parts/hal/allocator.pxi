# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns HalAllocator, and how bytes get into buffers.

@cython.no_gc
cdef class HalAllocator:
    """What a device's memory is allocated from: ``device.allocator``."""

    def __cinit__(self, mark=None, *args, **kwargs):
        if not is_factory(mark):
            refuse_constructor("HalAllocator", "HalDevice.allocator")

    def allocate_buffer(self, memory_type, allowed_usage, allocation_size):
        """Allocate a buffer. Its contents are undefined.

        Parameters
        ----------
        memory_type
            A `MemoryType`.
        allowed_usage
            A `BufferUsage`.
        allocation_size
            Bytes.

        Raises
        ------
        MemoryError
            If there is no memory.
        """
        return hal_buffer_from_handle(
            allocate_bytes(self._handle, int(memory_type), int(allowed_usage), index_of(allocation_size)), self._device
        )

    def allocate_buffer_copy(self, memory_type, allowed_usage, device, buffer, element_type=None):
        """Allocate a buffer with a copy of host memory.

        Parameters
        ----------
        memory_type, allowed_usage
            As for `allocate_buffer`.
        device
            The device, which makes the copy where the host cannot.
        buffer
            An object with Python's buffer protocol, such as a NumPy array, in C order.
        element_type
            A `HalElementType`: makes the result a view with the object's shape.

        Returns
        -------
        HalBuffer or HalBufferView
        """
        return buffer_copy(self, int(memory_type), int(allowed_usage), device, buffer, element_type)

    def allocate_host_staging_buffer_copy(self, device, initial_contents):
        """Allocate a host-local buffer that devices can read, with a copy of host memory.

        Parameters
        ----------
        device
            The device.
        initial_contents
            An object with Python's buffer protocol, in C order.
        """
        return buffer_copy(
            self,
            IREE_HAL_MEMORY_TYPE_HOST_LOCAL | IREE_HAL_MEMORY_TYPE_DEVICE_VISIBLE,
            IREE_HAL_BUFFER_USAGE_TRANSFER | IREE_HAL_BUFFER_USAGE_MAPPING,
            device,
            initial_contents,
            None,
        )

    def import_host_allocation(self, buffer_obj, memory_type, allowed_usage):
        """Make a buffer of host memory, without a copy. What either writes the other sees.

        Parameters
        ----------
        buffer_obj
            A writable object with Python's buffer protocol, in C order; it is kept. Devices on the
            host take memory that begins at a multiple of 64 bytes.
        memory_type, allowed_usage
            As for `allocate_buffer`.

        Raises
        ------
        StatusError
            If the device cannot use this memory.
        """
        cdef _KeptBuffer kept = _KeptBuffer()
        cdef iree_hal_buffer_params_t params
        cdef iree_hal_buffer_t* handle = NULL
        PyObject_GetBuffer(buffer_obj, &kept.view, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE)
        kept.is_held = True
        memset(&params, 0, sizeof(params))
        params.type = int(memory_type)
        params.usage = int(allowed_usage)
        params.access = IREE_HAL_MEMORY_ACCESS_ALL | MEMORY_ACCESS_UNALIGNED
        check_status(import_host_memory(self._handle, params, kept.view.buf, kept.view.len, <void*>kept, &handle))
        return hal_buffer_from_handle(handle, self._device)

    def query_buffer_compatibility(self, memory_type, allowed_usage, intended_usage, allocation_size):
        """Return what can be done with buffers of some parameters: bits of `BufferCompatibility`.

        Parameters
        ----------
        memory_type, allowed_usage
            As for `allocate_buffer`.
        intended_usage
            What the buffer is for, a `BufferUsage`.
        allocation_size
            Bytes.
        """
        cdef iree_hal_buffer_params_t params
        cdef iree_device_size_t size = index_of(allocation_size)
        memset(&params, 0, sizeof(params))
        params.type = int(memory_type)
        params.usage = int(allowed_usage) & int(intended_usage)
        return int(iree_hal_allocator_query_buffer_compatibility(self._handle, params, size, NULL, NULL))

    def trim(self):
        """Give back memory that is cached and unused."""
        cdef iree_status_t status
        with nogil:
            status = iree_hal_allocator_trim(self._handle)
        check_status(status)

    @property
    def has_statistics(self):
        """Whether allocations are counted. They are."""
        return True

    @property
    def statistics(self):
        """Bytes allocated and freed since the allocator was made, and their peaks: a dict."""
        cdef iree_hal_allocator_statistics_t statistics
        memset(&statistics, 0, sizeof(statistics))
        statistics.size = sizeof(statistics)
        iree_hal_allocator_query_statistics(self._handle, &statistics)
        return {
            "host_bytes_peak": int(statistics.host_bytes_peak),
            "host_bytes_allocated": int(statistics.host_bytes_allocated),
            "host_bytes_freed": int(statistics.host_bytes_freed),
            "device_bytes_peak": int(statistics.device_bytes_peak),
            "device_bytes_allocated": int(statistics.device_bytes_allocated),
            "device_bytes_freed": int(statistics.device_bytes_freed),
        }

    @property
    def formatted_statistics(self):
        """The statistics as two lines of text."""
        values = self.statistics
        lines = []
        for label, key in (("HOST_LOCAL", "host"), ("DEVICE_LOCAL", "device")):
            peak, allocated, freed = (values[f"{key}_bytes_{name}"] for name in ("peak", "allocated", "freed"))
            lines.append(
                f"{label:>12}: {peak:>12}B peak / {allocated:>12}B allocated / {freed:>12}B freed / "
                f"{allocated - freed:>12}B live\n"
            )
        return "".join(lines)

    def __dealloc__(self):
        if self._handle != NULL:
            with nogil:
                iree_hal_allocator_release(self._handle)

    def __repr__(self):
        return f"<HalAllocator of {self._device!r}>"


cdef extern from "iree_cy/import.h":
    const iree_hal_memory_access_t MEMORY_ACCESS_UNALIGNED "IREE_HAL_MEMORY_ACCESS_UNALIGNED"


# A Python buffer that C uses; it goes when C drops its one reference.
cdef class _KeptBuffer:
    cdef Py_buffer view
    cdef bint is_held

    def __dealloc__(self):
        if self.is_held:
            PyBuffer_Release(&self.view)


# What C calls when it no longer uses host memory that `user_data` owns.
cdef void release_kept(void* user_data, iree_hal_buffer_t* buffer) noexcept nogil:
    drop_reference(user_data)


# Makes a buffer over `data`, owned by the Python object `keeper`, of which the buffer takes a
# reference of its own.
cdef iree_status_t import_host_memory(
    iree_hal_allocator_t* allocator,
    iree_hal_buffer_params_t params,
    void* data,
    iree_device_size_t size,
    void* keeper,
    iree_hal_buffer_t** out_buffer,
) noexcept:
    cdef iree_hal_external_buffer_t external
    cdef iree_hal_buffer_release_callback_t callback
    cdef iree_status_t status
    memset(&external, 0, sizeof(external))
    external.type = IREE_HAL_EXTERNAL_BUFFER_TYPE_HOST_ALLOCATION
    external.size = size
    external.handle = <uint64_t><uintptr_t>data
    callback.fn = release_kept
    callback.user_data = keeper
    Py_INCREF(<object>keeper)
    status = iree_hal_allocator_import_buffer(allocator, params, &external, callback, out_buffer)
    if status != NULL:
        Py_DECREF(<object>keeper)
    return status


cdef iree_hal_buffer_t* allocate_bytes(
    iree_hal_allocator_t* allocator,
    iree_hal_memory_type_t memory_type,
    iree_hal_buffer_usage_t usage,
    iree_device_size_t size,
) except NULL:
    cdef iree_hal_buffer_params_t params
    cdef iree_hal_buffer_t* handle = NULL
    cdef iree_status_t status
    memset(&params, 0, sizeof(params))
    params.type = memory_type
    params.usage = usage
    with nogil:
        status = iree_hal_allocator_allocate_buffer(allocator, params, size, &handle)
    check_status(status)
    return handle


cdef object buffer_copy(
    HalAllocator allocator,
    iree_hal_memory_type_t memory_type,
    iree_hal_buffer_usage_t usage,
    object device,
    object source,
    object element_type,
):
    cdef Py_buffer view
    cdef iree_hal_buffer_t* handle
    cdef HalBuffer buffer
    if not isinstance(device, HalDevice):
        raise _type_error(f"device is a HalDevice, not {_type_name(device)}")
    source = buffer_exporter(source)
    PyObject_GetBuffer(source, &view, PyBUF_C_CONTIGUOUS)
    try:
        handle = allocate_bytes(allocator._handle, memory_type, usage, view.len)
        buffer = hal_buffer_from_handle(handle, device)
        write_buffer(<HalDevice>device, handle, view.buf, view.len)
        if element_type is None:
            return buffer
        shape = tuple(view.shape[i] for i in range(view.ndim))
        return HalBufferView(buffer, shape, element_type)
    finally:
        PyBuffer_Release(&view)


# An object with a buffer that says what `source` holds: NumPy arrays of ml_dtypes export none, so
# that their bytes are seen as integers.
cdef object buffer_exporter(object source):
    dtype = getattr(source, "dtype", None)
    if dtype is None or getattr(dtype, "kind", None) != "V" or not hasattr(source, "view"):
        return source
    return source.view(f"u{dtype.itemsize}")


# Writes to the begin of `buffer`, on return done.
cdef int write_buffer(
    HalDevice device, iree_hal_buffer_t* buffer, const void* data, iree_device_size_t size
) except -1:
    cdef void* target = iree_hal_heap_buffer_data(buffer)
    cdef iree_hal_semaphore_t* semaphore = NULL
    cdef iree_hal_semaphore_list_t waits, signals
    cdef uint64_t payload = 1
    cdef iree_status_t status
    if size == 0:
        return 0
    if target != NULL:
        if size < NOGIL_COPY_BYTES:
            memcpy(target, data, size)
        else:
            with nogil:
                memcpy(target, data, size)
        return 0
    if is_mappable(buffer):
        with nogil:
            status = iree_hal_buffer_map_write(buffer, 0, data, size)
        return check_status(status)
    if device is None:
        raise ValueError("the buffer's memory is not visible to the host, and its device is not known")
    memset(&waits, 0, sizeof(waits))
    check_status(
        iree_hal_semaphore_create(
            device._handle, IREE_HAL_QUEUE_AFFINITY_ANY, 0, IREE_HAL_SEMAPHORE_FLAG_DEFAULT, &semaphore
        )
    )
    try:
        signals.count = 1
        signals.semaphores = &semaphore
        signals.payload_values = &payload
        with nogil:
            status = iree_hal_device_queue_update(
                device._handle, IREE_HAL_QUEUE_AFFINITY_ANY, waits, signals, data, 0, buffer, 0, size, 0
            )
        check_status(status)
        return wait_for_semaphore(semaphore, payload)
    finally:
        iree_hal_semaphore_release(semaphore)


# Reads all of `buffer` into host memory, on return done.
cdef int read_buffer(
    HalDevice device, iree_hal_buffer_t* buffer, void* target, iree_device_size_t size
) except -1:
    cdef void* source = iree_hal_heap_buffer_data(buffer)
    cdef iree_hal_semaphore_t* semaphore = NULL
    cdef iree_hal_buffer_t* staging = NULL
    cdef iree_hal_semaphore_list_t waits, signals
    cdef uint64_t payload = 1
    cdef iree_status_t status
    if size == 0:
        return 0
    if source != NULL:
        if size < NOGIL_COPY_BYTES:
            memcpy(target, source, size)
        else:
            with nogil:
                memcpy(target, source, size)
        return 0
    if is_mappable(buffer):
        with nogil:
            status = iree_hal_buffer_map_read(buffer, 0, target, size)
        return check_status(status)
    if device is None:
        raise ValueError("the buffer's memory is not visible to the host, and its device is not known")
    memset(&waits, 0, sizeof(waits))
    try:
        check_status(
            iree_hal_semaphore_create(
                device._handle, IREE_HAL_QUEUE_AFFINITY_ANY, 0, IREE_HAL_SEMAPHORE_FLAG_DEFAULT, &semaphore
            )
        )
        staging = allocate_bytes(
            iree_hal_device_allocator(device._handle),
            IREE_HAL_MEMORY_TYPE_HOST_LOCAL | IREE_HAL_MEMORY_TYPE_DEVICE_VISIBLE,
            IREE_HAL_BUFFER_USAGE_TRANSFER_TARGET | IREE_HAL_BUFFER_USAGE_MAPPING,
            size,
        )
        signals.count = 1
        signals.semaphores = &semaphore
        signals.payload_values = &payload
        with nogil:
            status = iree_hal_device_queue_copy(
                device._handle, IREE_HAL_QUEUE_AFFINITY_ANY, waits, signals, buffer, 0, staging, 0, size, 0
            )
        check_status(status)
        wait_for_semaphore(semaphore, payload)
        with nogil:
            status = iree_hal_buffer_map_read(staging, 0, target, size)
        return check_status(status)
    finally:
        iree_hal_buffer_release(staging)
        iree_hal_semaphore_release(semaphore)


# Below this, handing the GIL over costs more than the copy.
cdef iree_device_size_t NOGIL_COPY_BYTES = 32768


cdef bint is_mappable(iree_hal_buffer_t* buffer) noexcept:
    return (
        iree_hal_buffer_memory_type(buffer) & IREE_HAL_MEMORY_TYPE_HOST_VISIBLE
        and iree_hal_buffer_allowed_usage(buffer) & IREE_HAL_BUFFER_USAGE_MAPPING_SCOPED
    )
