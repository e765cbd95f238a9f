# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the answer to signals, such as Ctrl-C, while C computes or waits, and the limits of time.

cdef extern from "iree_cy/native/hal/call_scope.h" nogil:
    ctypedef iree_status_t (*iree_hal_call_interrupt_fn_t)(void* user_data) noexcept nogil
    ctypedef struct iree_hal_call_scope_t:
        pass
    void iree_hal_call_scope_initialize(
        iree_hal_call_interrupt_fn_t interrupt,
        void* user_data,
        iree_time_t deadline_ns,
        iree_hal_call_scope_t* out_scope,
    )
    iree_status_t iree_hal_call_scope_share(iree_hal_call_scope_t* scope)
    void iree_hal_call_scope_deinitialize(iree_hal_call_scope_t* scope)
    void iree_hal_call_scope_enter(iree_hal_call_scope_t* scope)
    void iree_hal_call_scope_leave(iree_hal_call_scope_t* scope)
    iree_status_t iree_hal_call_scope_poll(void* user_data) noexcept
    void iree_hal_call_scope_cancel(iree_hal_call_scope_t* scope, iree_status_t status)
    bint iree_hal_call_scope_is_idle(iree_hal_call_scope_t* scope)
    iree_status_t iree_hal_call_scope_finish(iree_hal_call_scope_t* scope, iree_status_t status)
    iree_status_t iree_hal_call_scope_end(void* scope, iree_status_t status) noexcept
    iree_status_t iree_hal_call_scope_wait_fence(iree_hal_fence_t* fence)
    void iree_hal_call_scope_notify_idle(
        iree_hal_call_scope_t* scope, void (*callback)(void*) noexcept nogil, void* user_data
    )


# How long a wait without the GIL lasts before signals are looked at again.
cdef int64_t POLL_INTERVAL_NS = 20_000_000


cdef unsigned long _main_thread = 0


def _note_main_thread():
    """Note the thread that handlers of signals run in: this one in a forked child."""
    global _main_thread
    _main_thread = PyThread_get_thread_ident()


# A call from Python, and the exception that ends it when a signal's handler raises one.
cdef struct CallScope:
    iree_hal_call_scope_t scope
    PyObject* exception


# What a call asks now and then, through its scope.
cdef iree_status_t interrupt_ask(void* user_data) noexcept nogil:
    cdef CallScope* call = <CallScope*>user_data
    # Handlers run in the main thread only.
    if PyThread_get_thread_ident() != _main_thread:
        return check_ending()
    if not gate_is_open():
        return iree_ok_status()
    call_python(interrupt_look, call)
    if call.exception == NULL:
        return iree_ok_status()
    return iree_status_allocate(IREE_STATUS_CANCELLED, NULL, 0, iree_make_cstring_view("interrupted by a signal"))


cdef void interrupt_look(void* user_data) noexcept:
    cdef CallScope* call = <CallScope*>user_data
    try:
        check_signals()
    except BaseException as error:
        if call.exception == NULL:
            Py_INCREF(error)
            call.exception = <PyObject*>error


# In the thread that makes the call.
cdef inline void begin_call(CallScope* call, iree_time_t deadline) noexcept nogil:
    call.exception = NULL
    iree_hal_call_scope_initialize(interrupt_ask, call, deadline, &call.scope)
    iree_hal_call_scope_enter(&call.scope)


cdef inline void end_call_scope(CallScope* call) noexcept nogil:
    iree_hal_call_scope_leave(&call.scope)
    iree_hal_call_scope_deinitialize(&call.scope)


# Takes `status`, how the call ended. An interruption counts also where the program made nothing of it.
cdef int check_call(CallScope* call, iree_status_t status) except -1:
    cdef object error
    if call.exception != NULL:
        iree_status_ignore(status)
        error = <object>call.exception
        Py_DECREF(error)
        call.exception = NULL
        raise error
    return check_status(status)


# The deadline of a call from a number of seconds; None for no limit.
cdef iree_time_t deadline_in(object seconds) except? -1:
    cdef double value
    if seconds is None:
        return IREE_TIME_INFINITE_FUTURE
    if isinstance(seconds, (str, bytes)) or not hasattr(seconds, "__float__"):
        raise _type_error(f"timeout is a number of seconds or None, not {_type_name(seconds)}")
    value = float(seconds)
    if value != value:
        raise _value_error("timeout is a number of seconds, not NaN")
    if value >= 9e9:
        return IREE_TIME_INFINITE_FUTURE
    return iree_time_now() + <int64_t>(max(value, 0.0) * 1e9)


# The deadline of a wait from iree.runtime's two parameters: nanoseconds from now, or nanoseconds
# of the monotonic clock. Neither waits for ever.
cdef iree_time_t deadline_of(object timeout, object deadline) except? -1:
    if timeout is not None and deadline is not None:
        raise ValueError("a wait takes 'timeout' or 'deadline', not both")
    if timeout is not None:
        return iree_timeout_as_deadline_ns(iree_make_timeout_ns(nanoseconds("timeout", timeout)))
    if deadline is not None:
        return nanoseconds("deadline", deadline)
    return IREE_TIME_INFINITE_FUTURE


cdef int64_t nanoseconds(str name, object value) except? -1:
    value = value.__index__() if hasattr(value, "__index__") else value
    if not isinstance(value, int):
        raise _type_error(f"{name} is an int of nanoseconds, not {_type_name(value)}")
    # More than the clock can count is for ever, less is past.
    return max(-INT64_MAX, min(INT64_MAX, value))

