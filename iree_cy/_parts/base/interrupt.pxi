# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the answer to signals, such as Ctrl-C, while C computes or waits.

# How long a wait without the GIL lasts before signals are looked at again.
cdef int64_t POLL_INTERVAL_NS = 20_000_000


# What an invocation asks now and then. `user_data` is the time of the last look.
cdef iree_status_t interrupt_poll(void* user_data) noexcept nogil:
    cdef iree_time_t* last = <iree_time_t*>user_data
    cdef iree_time_t now = iree_time_now()
    if now - last[0] < POLL_INTERVAL_NS:
        return iree_ok_status()
    last[0] = now
    return interrupt_ask()


cdef iree_status_t interrupt_ask() noexcept nogil:
    # Only Python's main thread runs handlers; in others this is a look at one word.
    with gil:
        if c_check_signals() == 0:
            return iree_ok_status()
        # The exception stays set in this thread; raise_status finds it there.
        return iree_status_allocate(IREE_STATUS_CANCELLED, NULL, 0, iree_make_cstring_view("interrupted by a signal"))


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
