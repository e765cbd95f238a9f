# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns HalDevice: where work is submitted to.

# Semaphores with payloads, as the C API takes them, and what keeps them alive.
cdef class _SemaphoreList:
    cdef iree_hal_semaphore_list_t c_list
    cdef bint owns_arrays
    cdef object kept

    def __dealloc__(self):
        if self.owns_arrays:
            PyMem_Free(self.c_list.semaphores)
            PyMem_Free(self.c_list.payload_values)


cdef _SemaphoreList semaphore_list_of(str name, object value):
    cdef _SemaphoreList result = _SemaphoreList()
    cdef Py_ssize_t i
    cdef HalSemaphore semaphore
    if value is None:
        return result
    if isinstance(value, HalFence):
        result.kept = value
        result.c_list = iree_hal_fence_semaphore_list((<HalFence>value)._handle)
        return result
    items = list(value)
    for item in items:
        if not isinstance(item, tuple) or len(item) != 2 or not isinstance(item[0], HalSemaphore):
            raise _type_error(f"{name} is a HalFence or a list of (HalSemaphore, int), and holds {_quote(item)}")
    result.kept = items
    result.owns_arrays = True
    result.c_list.semaphores = <iree_hal_semaphore_t**>PyMem_Malloc((len(items) + 1) * sizeof(void*))
    result.c_list.payload_values = <uint64_t*>PyMem_Malloc((len(items) + 1) * sizeof(uint64_t))
    if result.c_list.semaphores == NULL or result.c_list.payload_values == NULL:
        raise MemoryError()
    for i in range(len(items)):
        semaphore = items[i][0]
        result.c_list.semaphores[i] = semaphore._handle
        result.c_list.payload_values[i] = index_of(items[i][1])
    result.c_list.count = len(items)
    return result


@cython.no_gc
cdef class HalDevice:
    """A device: it has memory, and work is submitted to its queues. `get_device` gives one.

    Every ``queue_*`` takes ``wait_semaphores``, what must be reached before the work begins, and
    ``signal_semaphores``, what is reached when it is done: a `HalFence`, or a list of
    ``(HalSemaphore, payload)``. None of them waits.
    """

    def __cinit__(self, mark=None, *args, **kwargs):
        if not is_factory(mark):
            refuse_constructor("HalDevice", "iree_cy.get_device() or HalDriver.create_device()")

    @property
    def allocator(self):
        """The allocator of the device's memory."""
        cdef HalAllocator result = <HalAllocator>new_object(HalAllocator)
        result._handle = iree_hal_device_allocator(self._handle)
        iree_hal_allocator_retain(result._handle)
        result._device = self
        return result

    @property
    def driver(self):
        """The driver that made the device."""
        return self._driver

    @property
    def name(self):
        """The name of its driver."""
        return text_of(iree_hal_device_id(self._handle))

    def create_semaphore(self, initial_value):
        """Create a semaphore.

        Parameters
        ----------
        initial_value
            Its payload.
        """
        cdef iree_hal_semaphore_t* handle = NULL
        cdef uint64_t value = index_of(initial_value)
        cdef iree_status_t status
        with nogil:
            status = iree_hal_semaphore_create(
                self._handle, IREE_HAL_QUEUE_AFFINITY_ANY, value, IREE_HAL_SEMAPHORE_FLAG_DEFAULT, &handle
            )
        check_status(status)
        return hal_semaphore_from_handle(handle, self)

    def queue_alloca(self, allocation_size, wait_semaphores, signal_semaphores):
        """Allocate a buffer that may be used by work that waits for the signals.

        Parameters
        ----------
        allocation_size
            Bytes.
        wait_semaphores, signal_semaphores
            See the class.
        """
        cdef _SemaphoreList waits = semaphore_list_of("wait_semaphores", wait_semaphores)
        cdef _SemaphoreList signals = semaphore_list_of("signal_semaphores", signal_semaphores)
        cdef iree_device_size_t size = index_of(allocation_size)
        cdef iree_hal_buffer_params_t params
        cdef iree_hal_buffer_t* handle = NULL
        cdef iree_status_t status
        memset(&params, 0, sizeof(params))
        params.type = IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL
        params.usage = IREE_HAL_BUFFER_USAGE_DEFAULT
        with nogil:
            status = iree_hal_device_queue_alloca(
                self._handle, IREE_HAL_QUEUE_AFFINITY_ANY, waits.c_list, signals.c_list, params, size, 0, &handle
            )
        check_status(status)
        return hal_buffer_from_handle(handle, self)

    def queue_dealloca(self, HalBuffer buffer not None, wait_semaphores, signal_semaphores):
        """Give a buffer's memory back once the waits are reached.

        Parameters
        ----------
        buffer
            A buffer, usually from `queue_alloca`.
        wait_semaphores, signal_semaphores
            See the class.
        """
        cdef _SemaphoreList waits = semaphore_list_of("wait_semaphores", wait_semaphores)
        cdef _SemaphoreList signals = semaphore_list_of("signal_semaphores", signal_semaphores)
        cdef iree_status_t status
        with nogil:
            status = iree_hal_device_queue_dealloca(
                self._handle, IREE_HAL_QUEUE_AFFINITY_ANY, waits.c_list, signals.c_list, buffer._handle, 0
            )
        check_status(status)

    def queue_copy(
        self,
        HalBuffer source_buffer not None,
        HalBuffer target_buffer not None,
        wait_semaphores,
        signal_semaphores,
        *,
        source_offset=0,
        target_offset=0,
        length=None,
    ):
        """Copy bytes from one buffer to another.

        Parameters
        ----------
        source_buffer, target_buffer
            The buffers.
        wait_semaphores, signal_semaphores
            See the class.
        source_offset, target_offset
            Where to begin, in bytes.
        length
            Bytes; by default what the source has from there on.

        Raises
        ------
        ValueError
            If the range lies outside of a buffer.
        """
        cdef _SemaphoreList waits = semaphore_list_of("wait_semaphores", wait_semaphores)
        cdef _SemaphoreList signals = semaphore_list_of("signal_semaphores", signal_semaphores)
        cdef iree_device_size_t c_source_offset = index_of(source_offset)
        cdef iree_device_size_t c_target_offset = index_of(target_offset)
        cdef iree_device_size_t c_length
        cdef iree_status_t status
        c_length = copy_length(source_buffer, target_buffer, c_source_offset, c_target_offset, length)
        with nogil:
            status = iree_hal_device_queue_copy(
                self._handle,
                IREE_HAL_QUEUE_AFFINITY_ANY,
                waits.c_list,
                signals.c_list,
                source_buffer._handle,
                c_source_offset,
                target_buffer._handle,
                c_target_offset,
                c_length,
                0,
            )
        check_status(status)

    def queue_fill(
        self, HalBuffer target_buffer not None, pattern, wait_semaphores, signal_semaphores, *, offset=0, length=None
    ):
        """Fill a range of a buffer with a pattern.

        Parameters
        ----------
        target_buffer
            The buffer.
        pattern
            A bytes-like object of 1, 2 or 4 bytes, such as a NumPy scalar.
        wait_semaphores, signal_semaphores
            See the class.
        offset
            Where to begin, in bytes.
        length
            Bytes; by default to the end.
        """
        cdef _SemaphoreList waits = semaphore_list_of("wait_semaphores", wait_semaphores)
        cdef _SemaphoreList signals = semaphore_list_of("signal_semaphores", signal_semaphores)
        cdef iree_device_size_t c_offset = index_of(offset)
        cdef iree_device_size_t c_length = IREE_HAL_WHOLE_BUFFER if length is None else index_of(length)
        cdef bytes data = bytes(memoryview(pattern).cast("B"))
        cdef const char* c_data = data
        cdef iree_host_size_t size = len(data)
        cdef iree_status_t status
        with nogil:
            status = iree_hal_device_queue_fill(
                self._handle,
                IREE_HAL_QUEUE_AFFINITY_ANY,
                waits.c_list,
                signals.c_list,
                target_buffer._handle,
                c_offset,
                c_length,
                c_data,
                size,
                0,
            )
        check_status(status)

    def queue_update(
        self, source, HalBuffer target_buffer not None, wait_semaphores, signal_semaphores, *, target_offset=0
    ):
        """Write host memory into a buffer. It is taken before this returns.

        Parameters
        ----------
        source
            A bytes-like object.
        target_buffer
            The buffer.
        wait_semaphores, signal_semaphores
            See the class.
        target_offset
            Where to begin, in bytes.
        """
        cdef _SemaphoreList waits = semaphore_list_of("wait_semaphores", wait_semaphores)
        cdef _SemaphoreList signals = semaphore_list_of("signal_semaphores", signal_semaphores)
        cdef iree_device_size_t c_offset = index_of(target_offset)
        cdef Py_buffer view
        cdef iree_status_t status
        PyObject_GetBuffer(source, &view, PyBUF_SIMPLE)
        try:
            with nogil:
                status = iree_hal_device_queue_update(
                    self._handle,
                    IREE_HAL_QUEUE_AFFINITY_ANY,
                    waits.c_list,
                    signals.c_list,
                    view.buf,
                    0,
                    target_buffer._handle,
                    c_offset,
                    <iree_device_size_t>view.len,
                    0,
                )
            check_status(status)
        finally:
            PyBuffer_Release(&view)

    def queue_read(
        self,
        HalFile source_file not None,
        HalBuffer target_buffer not None,
        wait_semaphores,
        signal_semaphores,
        *,
        source_offset=0,
        target_offset=0,
        length=None,
    ):
        """Read bytes of a file into a buffer.

        Parameters
        ----------
        source_file
            The file.
        target_buffer
            The buffer.
        wait_semaphores, signal_semaphores
            See the class.
        source_offset, target_offset
            Where to begin in each, in bytes.
        length
            Bytes; by default to the end of the buffer.

        Raises
        ------
        IndexError
            If the range lies outside of the file or the buffer.
        """
        cdef _SemaphoreList waits = semaphore_list_of("wait_semaphores", wait_semaphores)
        cdef _SemaphoreList signals = semaphore_list_of("signal_semaphores", signal_semaphores)
        cdef uint64_t c_source_offset = index_of(source_offset)
        cdef iree_device_size_t c_target_offset = index_of(target_offset)
        cdef iree_device_size_t c_length = length_to_end(target_buffer, c_target_offset, length)
        cdef iree_status_t status
        with nogil:
            status = iree_hal_device_queue_read(
                self._handle,
                IREE_HAL_QUEUE_AFFINITY_ANY,
                waits.c_list,
                signals.c_list,
                source_file._handle,
                c_source_offset,
                target_buffer._handle,
                c_target_offset,
                c_length,
                0,
            )
        check_status(status)

    def queue_write(
        self,
        HalBuffer source_buffer not None,
        HalFile target_file not None,
        wait_semaphores,
        signal_semaphores,
        *,
        source_offset=0,
        target_offset=0,
        length=None,
    ):
        """Write bytes of a buffer into a file.

        Parameters
        ----------
        source_buffer
            The buffer.
        target_file
            The file, which has to be writable.
        wait_semaphores, signal_semaphores
            See the class.
        source_offset, target_offset
            Where to begin in each, in bytes.
        length
            Bytes; by default to the end of the buffer.

        Raises
        ------
        IndexError
            If the range lies outside of the buffer or the file.
        """
        cdef _SemaphoreList waits = semaphore_list_of("wait_semaphores", wait_semaphores)
        cdef _SemaphoreList signals = semaphore_list_of("signal_semaphores", signal_semaphores)
        cdef iree_device_size_t c_source_offset = index_of(source_offset)
        cdef uint64_t c_target_offset = index_of(target_offset)
        cdef iree_device_size_t c_length = length_to_end(source_buffer, c_source_offset, length)
        cdef iree_status_t status
        with nogil:
            status = iree_hal_device_queue_write(
                self._handle,
                IREE_HAL_QUEUE_AFFINITY_ANY,
                waits.c_list,
                signals.c_list,
                source_buffer._handle,
                c_source_offset,
                target_file._handle,
                c_target_offset,
                c_length,
                0,
            )
        check_status(status)

    def queue_execute(self, HalCommandBuffer command_buffer not None, wait_semaphores, signal_semaphores):
        """Execute a command buffer that has ended.

        Parameters
        ----------
        command_buffer
            The command buffer.
        wait_semaphores, signal_semaphores
            See the class.
        """
        cdef _SemaphoreList waits = semaphore_list_of("wait_semaphores", wait_semaphores)
        cdef _SemaphoreList signals = semaphore_list_of("signal_semaphores", signal_semaphores)
        cdef iree_hal_buffer_binding_table_t table
        cdef iree_status_t status
        memset(&table, 0, sizeof(table))
        with nogil:
            status = iree_hal_device_queue_execute(
                self._handle,
                IREE_HAL_QUEUE_AFFINITY_ANY,
                waits.c_list,
                signals.c_list,
                command_buffer._handle,
                table,
                0,
            )
        check_status(status)

    def queue_barrier(self, wait_semaphores, signal_semaphores):
        """Reach the signals once the waits are reached.

        Parameters
        ----------
        wait_semaphores, signal_semaphores
            See the class.
        """
        cdef _SemaphoreList waits = semaphore_list_of("wait_semaphores", wait_semaphores)
        cdef _SemaphoreList signals = semaphore_list_of("signal_semaphores", signal_semaphores)
        cdef iree_status_t status
        with nogil:
            status = iree_hal_device_queue_barrier(
                self._handle, IREE_HAL_QUEUE_AFFINITY_ANY, waits.c_list, signals.c_list, 0
            )
        check_status(status)

    def wait_semaphores(self, semaphores, wait_mode="all", timeout=None, deadline=None):
        """Wait until all of several payloads are reached, or any. Signals such as Ctrl-C are answered.

        Parameters
        ----------
        semaphores
            A `HalFence`, or a list of ``(HalSemaphore, payload)``, of this device or of others.
        wait_mode
            ``"all"`` or ``"any"``.
        timeout
            Nanoseconds from now; 0 only looks.
        deadline
            Nanoseconds of the monotonic clock; 0 only looks.

        Returns
        -------
        bool
            True; False of a look at what is not reached.

        Raises
        ------
        DeadlineExceeded
            If the time passes first, which is a `TimeoutError`. Everything stays usable.
        StatusError
            If a semaphore fails.
        """
        cdef _SemaphoreList waits = semaphore_list_of("semaphores", semaphores)
        if wait_mode not in ("all", "any"):
            raise _value_error(f"wait_mode is 'all' or 'any', not {_quote(wait_mode, 40)}")
        return wait_for(
            waits.c_list,
            IREE_HAL_WAIT_MODE_ALL if wait_mode == "all" else IREE_HAL_WAIT_MODE_ANY,
            deadline_of(timeout, deadline),
            "semaphore",
        )

    def queue_flush(self):
        """Submit what the device may have batched."""
        cdef iree_status_t status
        with nogil:
            status = iree_hal_device_queue_flush(self._handle, IREE_HAL_QUEUE_AFFINITY_ANY)
        check_status(status)

    def trim(self):
        """Give back memory that is cached and unused."""
        cdef iree_status_t status
        with nogil:
            status = iree_hal_device_trim(self._handle)
        check_status(status)

    def query_i64(self, str category not None, str key not None):
        """Return what the device answers to a question of a compiled program, or None.

        Parameters
        ----------
        category, key
            Such as ``"hal.executable.format"`` and ``"embedded-elf-x86_64"``.
        """
        cdef int64_t value = 0
        cdef iree_string_view_t c_category = view_of(category)
        cdef iree_string_view_t c_key = view_of(key)
        cdef iree_status_t status
        with nogil:
            status = iree_hal_device_query_i64(self._handle, c_category, c_key, &value)
        if status != NULL and iree_status_code(status) == IREE_STATUS_NOT_FOUND:
            iree_status_ignore(status)
            return None
        check_status(status)
        return int(value)

    def create_dlpack_capsule(self, HalBufferView buffer_view not None, device_type_code, device_id):
        """Return a DLPack capsule of a buffer view's memory.

        Parameters
        ----------
        buffer_view
            The buffer view.
        device_type_code, device_id
            What DLPack calls the device: ``1, 0`` is host memory.
        """
        return dlpack_capsule_of(self, buffer_view, device_type_code, device_id)

    def from_dlpack_capsule(self, capsule):
        """Return a buffer view over the memory of a DLPack capsule, which it takes.

        Raises
        ------
        ValueError
            If the memory cannot be used in place.
        """
        return buffer_view_of_dlpack(self, capsule)

    def _replace_allocators(self, specs):
        """Put allocators around the device's own, innermost first."""
        cdef iree_hal_allocator_t* inner = iree_hal_device_allocator(self._handle)
        cdef iree_hal_allocator_t* outer = NULL
        cdef iree_device_size_t max_bytes
        iree_hal_allocator_retain(inner)
        try:
            for spec in specs:
                kind, _, argument = spec.partition(":")
                if kind == "caching":
                    max_bytes = parse_cache_size(spec, argument)
                    check_status(iree_hal_allocator_create_caching(inner, max_bytes, iree_allocator_system(), &outer))
                elif kind == "debug":
                    check_status(iree_hal_allocator_create_debug(inner, iree_allocator_system(), &outer))
                else:
                    raise _make_error(<int>IREE_STATUS_INVALID_ARGUMENT, f"no allocator {_quote(spec)}")
                iree_hal_allocator_release(inner)
                inner = outer
            iree_hal_device_replace_allocator(self._handle, inner)
        finally:
            iree_hal_allocator_release(inner)

    def __dealloc__(self):
        if self._handle != NULL:
            with nogil:
                iree_hal_device_release(self._handle)

    def __repr__(self):
        return f"<HalDevice {self.name!r}>"


# iree.runtime's allocator specs have "caching:pool=bytes,..."; one number bounds all of ours.
cdef iree_device_size_t parse_cache_size(str spec, str argument) except? 0:
    if not argument:
        return 0
    total = 0
    for part in argument.split(","):
        _, _, size = part.rpartition("=")
        if size in ("*", ""):
            return 0
        try:
            total += int(size, 0)
        except ValueError:
            raise _make_error(
                <int>IREE_STATUS_INVALID_ARGUMENT, f"allocator {spec!r} has no size; write caching or caching:BYTES"
            ) from None
    return total


cdef HalDevice hal_device_from_handle(iree_hal_device_t* handle):
    return hal_device_with_driver(handle, None)


cdef HalDevice hal_device_with_driver(iree_hal_device_t* handle, HalDriver driver):
    cdef iree_hal_device_capabilities_t capabilities
    cdef iree_status_t status
    cdef HalDevice device = <HalDevice>new_object(HalDevice)
    device._handle = handle
    device._driver = driver
    memset(&capabilities, 0, sizeof(capabilities))
    capabilities.size = sizeof(capabilities)
    status = iree_hal_device_query_capabilities(handle, &capabilities)
    if status == NULL:
        device._uses_host_memory = (capabilities.flags & IREE_HAL_DEVICE_CAPABILITY_HOST_ZERO_COPY_OK) != 0
        device._has_queue = (capabilities.flags & IREE_CY_HAL_DEVICE_CAPABILITY_ASYNC_QUEUE) != 0
    else:
        iree_status_ignore(status)
    return device


# Of an offset behind the end the core says so.
cdef iree_device_size_t length_to_end(HalBuffer buffer, iree_device_size_t offset, object length) except? 0:
    cdef iree_device_size_t available = iree_hal_buffer_byte_length(buffer._handle)
    if length is not None:
        return index_of(length)
    return available - offset if offset <= available else 0


cdef iree_device_size_t copy_length(
    HalBuffer source, HalBuffer target, iree_device_size_t source_offset, iree_device_size_t target_offset, object length
) except? 0:
    cdef iree_device_size_t available = iree_hal_buffer_byte_length(source._handle)
    cdef iree_device_size_t room = iree_hal_buffer_byte_length(target._handle)
    if source_offset > available or target_offset > room:
        raise _value_error(f"offsets {source_offset} and {target_offset} lie outside of {available} and {room} bytes")
    wanted = available - source_offset if length is None else length
    if wanted > available - source_offset or wanted > room - target_offset:
        raise _value_error(
            f"length must be less than or equal to what source and target have: {wanted} bytes asked, "
            f"{available - source_offset} and {room - target_offset} there"
        )
    return wanted


# Waits until `semaphore` reaches `value`, answering signals.
cdef int wait_for_semaphore(iree_hal_semaphore_t* semaphore, uint64_t value) except -1:
    cdef iree_status_t status
    while True:
        with nogil:
            status = iree_hal_semaphore_wait(semaphore, value, iree_make_timeout_ns(POLL_INTERVAL_NS), 0)
        if status == NULL:
            return 0
        if iree_status_code(status) != IREE_STATUS_DEADLINE_EXCEEDED:
            return raise_status(status)
        iree_status_ignore(status)
        check_signals()


cdef int check_signals() except -1:
    return c_check_signals()
