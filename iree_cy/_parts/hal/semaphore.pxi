# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns HalSemaphore: a timeline that orders work.

@cython.no_gc
cdef class HalSemaphore:
    """A timeline: a payload that only grows, which work waits for and signals."""

    def __cinit__(self, mark=None, *args, **kwargs):
        if not is_factory(mark):
            refuse_constructor("HalSemaphore", "HalDevice.create_semaphore()")

    def query(self):
        """Return the payload.

        Raises
        ------
        StatusError
            The failure of a semaphore that has failed.
        """
        cdef uint64_t value = 0
        cdef iree_status_t status
        with nogil:
            status = iree_hal_semaphore_query(self._handle, &value)
        check_status(status)
        return int(value)

    def signal(self, new_value):
        """Advance the payload. Work that waited for it is done by this thread where a device has none.

        Parameters
        ----------
        new_value
            The payload, which must be greater than the present one.

        Raises
        ------
        ValueError
            If it is not.
        """
        cdef uint64_t value = index_of(new_value)
        cdef iree_status_t status
        with nogil:
            status = iree_hal_semaphore_signal(self._handle, value)
        check_status(status)

    def fail(self, message):
        """Fail the semaphore, and all that waits for it now and later.

        Parameters
        ----------
        message
            What those who wait are told.
        """
        cdef iree_status_t failure = unknown_status(message)
        with nogil:
            iree_hal_semaphore_fail(self._handle, failure)

    def wait(self, payload, timeout=None, deadline=None):
        """Wait until the payload is reached. Signals such as Ctrl-C are answered.

        Parameters
        ----------
        payload
            What to wait for.
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
            If the semaphore fails; the message begins with ``synchronous semaphore failure`` when
            it had failed already.
        """
        cdef uint64_t value = index_of(payload)
        cdef iree_hal_semaphore_list_t one
        one.count = 1
        one.semaphores = &self._handle
        one.payload_values = &value
        return wait_for(one, IREE_HAL_WAIT_MODE_ALL, deadline_of(timeout, deadline), "semaphore")

    def __dealloc__(self):
        if self._handle != NULL:
            with nogil:
                iree_hal_semaphore_release(self._handle)

    def __eq__(self, other):
        return isinstance(other, HalSemaphore) and self._handle == (<HalSemaphore>other)._handle

    def __hash__(self):
        return hash(<uintptr_t>self._handle)

    def __repr__(self):
        return f"<HalSemaphore at {<uintptr_t>self._handle:#x}>"


cdef HalSemaphore hal_semaphore_from_handle(iree_hal_semaphore_t* handle, HalDevice device):
    cdef HalSemaphore result = <HalSemaphore>new_object(HalSemaphore)
    result._handle = handle
    result._device = device
    return result


# Whatever the text is, what waits has to learn of the failure.
cdef iree_status_t unknown_status(object message) except? NULL:
    cdef str text = str(message).encode("utf-8", "backslashreplace").decode("utf-8")
    return iree_status_allocate(IREE_STATUS_UNKNOWN, NULL, 0, view_of(text))


# Waits in slices, with signals answered in between. False of a look, a wait of no time, that is in vain.
cdef bint wait_for(
    iree_hal_semaphore_list_t semaphores, iree_hal_wait_mode_t mode, iree_time_t limit, str noun
) except -1:
    # The first look does not wait, so that a failure that is there is told from one that comes.
    cdef iree_time_t slice_end = 0
    cdef iree_status_t status
    while True:
        with nogil:
            status = iree_hal_semaphore_list_wait(semaphores, mode, iree_make_deadline(slice_end), 0)
        if status == NULL:
            return True
        if iree_status_code(status) != IREE_STATUS_DEADLINE_EXCEEDED:
            raise_wait_failure(status, noun, slice_end == 0)
        if limit <= 0 or (slice_end == limit and iree_time_now() >= limit):
            if limit > 0:
                raise_status(status)
            iree_status_ignore(status)
            return False
        iree_status_ignore(status)
        check_signals()
        slice_end = min(limit, iree_time_now() + POLL_INTERVAL_NS)


# Takes `status`.
cdef int raise_wait_failure(iree_status_t status, str noun, bint is_synchronous) except -1:
    error = exception_of_status(status)
    kind = "synchronous" if is_synchronous else "asynchronous"
    raise _make_error(
        int(error.code), f"{kind} {noun} failure: {error.message}", error.annotations, error.location
    ) from None
