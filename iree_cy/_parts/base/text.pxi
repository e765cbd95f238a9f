# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the passage of text and numbers from Python to C.

cdef inline str text_of(iree_string_view_t view):
    if view.size == 0:
        return ""
    return PyUnicode_DecodeUTF8(view.data, <Py_ssize_t>view.size, "replace")


# Borrowed from `text`.
cdef inline iree_string_view_t view_of(str text) except *:
    cdef Py_ssize_t size = 0
    cdef const char* data = PyUnicode_AsUTF8AndSize(text, &size)
    return iree_make_string_view(data, <iree_host_size_t>size)


# An int of Python's, or what has one, as C takes sizes: Cython's own conversion would cut floats.
cdef uint64_t index_of(object value) except? 0xFFFFFFFFFFFFFFFE:
    number = whole_number(value)
    if not 0 <= number <= 0xFFFFFFFFFFFFFFFF:
        raise OverflowError(f"{_quote(number, 40)} is no size, offset or value: those are from 0 to 2**64 - 1")
    return <uint64_t>number


cdef object whole_number(object value):
    if not hasattr(value, "__index__"):
        raise _type_error(f"an int is needed, not {_type_name(value)}")
    return PyNumber_Index(value)
