# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns HalFence: payloads of several semaphores as one.

@cython.no_gc
cdef class HalFence:
    """Payloads of semaphores that are waited for, or signalled, as one.

    Parameters
    ----------
    capacity
        How many semaphores it has room for.
    """

    def __cinit__(self, capacity=None):
        cdef iree_host_size_t count
        if is_factory(capacity):
            return
        if capacity is None:
            raise TypeError("HalFence needs a capacity")
        count = index_of(capacity)
        check_status(iree_hal_fence_create(count, iree_allocator_system(), &self._handle))

    @staticmethod
    def create_at(HalSemaphore sem not None, value):
        """Make a fence of one semaphore.

        Parameters
        ----------
        sem
            The semaphore.
        value
            Its payload.
        """
        cdef iree_hal_fence_t* handle = NULL
        cdef uint64_t payload = index_of(value)
        check_status(iree_hal_fence_create_at(sem._handle, payload, iree_allocator_system(), &handle))
        return hal_fence_from_handle(handle)

    @staticmethod
    def join(fences):
        """Make one fence of several.

        Parameters
        ----------
        fences
            The fences.
        """
        cdef iree_hal_fence_t* handle = NULL
        cdef iree_hal_fence_t** handles
        cdef Py_ssize_t i
        items = list(fences)
        for item in items:
            if not isinstance(item, HalFence):
                raise _type_error(f"fences holds {_an(_type_name(item))}, not a HalFence")
        handles = <iree_hal_fence_t**>PyMem_Malloc((len(items) + 1) * sizeof(void*))
        if handles == NULL:
            raise MemoryError()
        try:
            for i in range(len(items)):
                handles[i] = (<HalFence>items[i])._handle
            check_status(iree_hal_fence_join(len(items), handles, iree_allocator_system(), &handle))
            if handle == NULL:
                check_status(iree_hal_fence_create(0, iree_allocator_system(), &handle))
        finally:
            PyMem_Free(handles)
        return hal_fence_from_handle(handle)

    @cython.critical_section
    def insert(self, HalSemaphore sem not None, value):
        """Add a semaphore. One that is there keeps the greater payload.

        Parameters
        ----------
        sem
            The semaphore.
        value
            Its payload.
        """
        cdef uint64_t payload = index_of(value)
        check_status(iree_hal_fence_insert(self._handle, sem._handle, payload))

    def extend(self, HalFence from_fence not None):
        """Add the semaphores of another fence.

        Parameters
        ----------
        from_fence
            The other fence.
        """
        with cython.critical_section(self, from_fence):
            check_status(iree_hal_fence_extend(self._handle, from_fence._handle))

    def signal(self):
        """Signal every semaphore to its payload."""
        cdef iree_status_t status
        with nogil:
            status = iree_hal_fence_signal(self._handle)
        check_status(status)

    def fail(self, message):
        """Fail every semaphore.

        Parameters
        ----------
        message
            What those who wait are told.
        """
        cdef iree_status_t failure = unknown_status(message)
        with nogil:
            iree_hal_fence_fail(self._handle, failure)

    def query(self):
        """Tell whether all payloads are reached.

        Raises
        ------
        StatusError
            If a semaphore has failed.
        """
        cdef iree_status_t status
        with nogil:
            status = iree_hal_fence_query(self._handle)
        if status != NULL and iree_status_code(status) == IREE_STATUS_DEFERRED:
            iree_status_ignore(status)
            return False
        check_status(status)
        return True

    def wait(self, timeout=None, deadline=None):
        """Wait until all payloads are reached. Signals such as Ctrl-C are answered.

        Parameters
        ----------
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
            If a semaphore fails; the message begins with ``synchronous fence failure`` when it had
            failed already.
        """
        return wait_for(
            iree_hal_fence_semaphore_list(self._handle),
            IREE_HAL_WAIT_MODE_ALL,
            deadline_of(timeout, deadline),
            "fence",
        )

    @property
    def timepoint_count(self):
        """How many semaphores there are."""
        return int(iree_hal_fence_timepoint_count(self._handle))

    @property
    def ref(self):
        """A reference to the fence."""
        return vm_ref_retain(self._handle, _fence_type)

    @property
    def __iree_vm_ref__(self):
        """A reference to the fence."""
        return self.ref

    @staticmethod
    def __iree_vm_type__():
        """Return the number of the type in references."""
        return int(_fence_type)

    @staticmethod
    def __iree_vm_cast__(ref):
        """Return the fence that a reference refers to, or None."""
        cdef void* handle = ref_object_retain(ref, _fence_type)
        if handle == NULL:
            return None
        return hal_fence_from_handle(<iree_hal_fence_t*>handle)

    def __dealloc__(self):
        if self._handle != NULL:
            with nogil:
                iree_hal_fence_release(self._handle)

    def __eq__(self, other):
        return isinstance(other, HalFence) and self._handle == (<HalFence>other)._handle

    def __hash__(self):
        return hash(<uintptr_t>self._handle)

    def __repr__(self):
        return f"<HalFence of {self.timepoint_count}>"


cdef HalFence hal_fence_from_handle(iree_hal_fence_t* handle):
    cdef HalFence result = <HalFence>new_object(HalFence)
    result._handle = handle
    return result
