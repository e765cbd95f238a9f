# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns _AsyncCall: a call that one thread begins, another carries out, and the first may cancel.

cdef extern from *:
    uint32_t atomic_exchange "__atomic_exchange_n"(uint32_t* target, uint32_t value, int order) noexcept nogil
    const int ATOMIC_ACQ_REL "__ATOMIC_ACQ_REL"


# What is copied while the event loop waits, which takes about 0.2 ms. The rest is copied by the thread that makes the call.
cdef iree_device_size_t COPY_AT_ONCE_LIMIT = 1 << 20


# Arguments are packed when it is made. Exactly one of `run` and `drop` has an effect. With `is_queued` the thread of
# `run` only submits, and `key` completes in the queue when the results are there or have failed; else `run` returns
# them.
@cython.final
@cython.no_gc_clear
cdef class _AsyncCall:
    cdef VmContext _context
    cdef HalDevice _device
    cdef VmFunction _function
    cdef _FunctionPlan _plan
    # Some are borrowed by the packed arguments.
    cdef tuple _args
    # Arguments that are copied when the call is made, where they are large.
    cdef list _deferred
    cdef HalFence _wait
    cdef HalFence _signal
    cdef Call _call
    cdef iree_time_t _deadline
    # Atomic: whether somebody has decided what becomes of it.
    cdef uint32_t _is_decided
    cdef iree_cy_completion_t* _completion
    # Whether the results are taken.
    cdef bint _is_over
    # Of the function, for messages.
    cdef readonly str name
    cdef readonly bint is_queued
    cdef object __weakref__

    def __cinit__(self, FunctionInvoker invoker not None, tuple args, dict kwargs, timeout, HalFence wait):
        # Without references that lead nowhere until it is packed.
        memset(&self._call, 0, sizeof(self._call))
        self._deadline = deadline_in(timeout)
        self._context = invoker._context
        self._device = invoker._device
        self._function = invoker._fenced_function
        self._plan = invoker._fenced_plan
        self.name = invoker._plan.name
        self._wait = wait
        try:
            self._args = invoker._arrange(args, kwargs)
            open_call(self._plan, &self._call)
            self._call.may_share = False
            self._deferred = []
            self._call.deferred = <PyObject*>self._deferred
            # A copy into memory that only the device sees is an operation of the device.
            self._call.copy_budget = COPY_AT_ONCE_LIMIT if self._device._uses_host_memory else 0
            pack_call(self._context, self._plan, self._device, self._args, &self._call)
        except (TypeError, ValueError) as error:
            present_error(error)
            raise
        self.is_queued = self._plan.has_fences and self._device._has_queue
        if self._plan.has_fences:
            self._signal = pack_fences(self._plan, self._device, wait if self.is_queued else None, &self._call)
        iree_hal_call_scope_initialize(interrupt_ask, &self._call.base, self._deadline, &self._call.base.scope)
        check_status(iree_hal_call_scope_share(&self._call.base.scope))

    @property
    def is_limited(self):
        """Whether there is a limit of time."""
        return self._deadline != IREE_TIME_INFINITE_FUTURE

    def announce(self, _CompletionQueue queue not None, key):
        """Say where the end of a queued call is told."""
        check_status(iree_cy_completion_create(queue._handle, key, &self._completion))

    def run(self):
        """Make the call."""
        cdef iree_status_t status
        cdef bint is_queued = self.is_queued
        if atomic_exchange(&self._is_decided, 1, ATOMIC_ACQ_REL) != 0:
            return None
        pack_deferred(self._plan, self._device, &self._call)
        with nogil:
            iree_hal_call_scope_enter(&self._call.base.scope)
            # It may have waited for a thread for too long.
            status = iree_hal_call_scope_poll(NULL)
            if status == NULL:
                status = make_call(
                    self._context,
                    self._function,
                    self._plan,
                    &self._call,
                    NULL if is_queued or self._wait is None else self._wait._handle,
                    NULL if is_queued or self._signal is None else self._signal._handle,
                    self._deadline,
                )
            iree_hal_call_scope_leave(&self._call.base.scope)
        # What was submitted holds what it needs.
        try:
            release_held(&self._call)
        finally:
            self._args = None
            check_status(status)
        if not is_queued:
            return self.results()
        # From here on the event loop may end the call at any time.
        with nogil:
            self._tell()
        return None

    # Nothing may fail silently: what cannot be waited for has completed with that.
    cdef void _tell(self) noexcept nogil:
        cdef iree_cy_completion_t* completion = self._completion
        cdef iree_status_t status
        self._completion = NULL
        status = iree_hal_semaphore_list_notify(
            iree_hal_fence_semaphore_list(self._signal._handle),
            iree_cy_completion_complete,
            completion,
            iree_allocator_system(),
        )
        if status != NULL:
            iree_cy_completion_complete(completion, status)

    def results(self):
        """Take what the function returned."""
        self._is_over = True
        return unpack_results(
            self._plan,
            self._device,
            self._call.results,
            self._call.has_exposed or load_flag(&self._context._has_exposed),
        )

    def drop(self):
        """Return whether the call had not begun. It never will, and holds its arguments no more."""
        if atomic_exchange(&self._is_decided, 1, ATOMIC_ACQ_REL) != 0:
            return False
        self._is_over = True
        close_call(self._plan, &self._call)
        self._args = None
        self._deferred = None
        return True

    def cancel(self, is_late=False):
        """Stop the call, which has begun: because of its limit of time, or for any other reason."""
        self._stop(is_late)

    cdef void _stop(self, bint is_late) noexcept:
        cdef iree_status_t status
        cdef iree_status_code_t code = IREE_STATUS_DEADLINE_EXCEEDED if is_late else IREE_STATUS_CANCELLED
        cdef const char* message = "the call has not ended within its time" if is_late else "the call was cancelled"
        with nogil:
            status = iree_status_allocate(code, NULL, 0, iree_make_cstring_view(message))
            iree_hal_call_scope_cancel(&self._call.base.scope, iree_status_clone(status))
            if self._signal is not None:
                iree_hal_fence_fail(self._signal._handle, status)
            else:
                iree_status_ignore(status)

    def expect_idle(self, _CompletionQueue queue not None, key):
        """Complete `key` when nothing runs any more of what the call has submitted. Once, after `run`."""
        cdef iree_cy_completion_t* completion = NULL
        check_status(iree_cy_completion_create(queue._handle, key, &completion))
        with nogil:
            iree_hal_call_scope_notify_idle(&self._call.base.scope, iree_cy_completion_succeed, completion)

    def __dealloc__(self):
        iree_cy_completion_free(self._completion)
        if self._plan is None:
            return
        if not self._is_over:
            # Nobody can get at its results any more.
            self._stop(False)
        iree_hal_call_scope_deinitialize(&self._call.base.scope)
        close_call(self._plan, &self._call)
