# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns what happens to calls from C into Python when the interpreter ends.

# Set once, after the last Python code has run.
cdef bint _gate_closed = False


cdef void close_gate() noexcept:
    global _gate_closed
    _gate_closed = True


# Whether C code on any thread may still take the GIL.
cdef inline bint gate_is_open() noexcept nogil:
    return not _gate_closed and Py_IsInitialized() != 0


# Drops a reference that C code kept; nothing at all when the interpreter is gone.
cdef void drop_reference(void* reference) noexcept nogil:
    if reference == NULL or not gate_is_open():
        return
    with gil:
        Py_DECREF(<object>reference)
