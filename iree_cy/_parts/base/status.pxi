# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the one way from a C status to a Python exception.

# Exceptions that Python code raised below C, by thread, until the status that stands for them
# comes back up: (message, exception).
cdef dict _raised_below = {}

cdef extern from "Python.h":
    unsigned long PyThread_get_thread_ident() nogil


cdef int check_status(iree_status_t status) except -1 nogil:
    if status == NULL:
        return 0
    with gil:
        return raise_status(status)


# Takes `status`, which is not OK.
cdef int raise_status(iree_status_t status) except -1:
    cdef object original
    if PyErr_Occurred() != NULL:
        # A signal handler raised while C was waiting; the status only carried the news.
        iree_status_ignore(status)
        return -1
    error = exception_of_status(status)
    original = take_raised_below(error.message)
    if original is None:
        raise error
    if not isinstance(original, Exception):
        # KeyboardInterrupt and SystemExit are nobody's errors to translate.
        raise original
    raise error from original


# Takes `status`, which is not OK.
cdef object exception_of_status(iree_status_t status):
    cdef iree_status_code_t code = iree_status_code(status)
    cdef const char* file = NULL
    cdef uint32_t line = 0
    cdef iree_host_size_t i
    message = text_of(iree_status_message(status))
    annotations = [text_of(iree_status_annotation(status, i)) for i in range(iree_status_annotation_count(status))]
    iree_status_source_location(status, &file, &line)
    location = f"{file.decode('utf-8', 'replace')}:{line}" if file != NULL else None
    iree_status_ignore(status)
    return _make_error(<int>code, message, annotations, location)


# Makes the status for an exception that is to cross C, and keeps the exception for its return.
cdef iree_status_t status_of_exception(object error) noexcept:
    cdef int code = IREE_STATUS_UNKNOWN
    cdef Py_ssize_t size = 0
    cdef const char* data
    try:
        if isinstance(error, _StatusError):
            code = int(error.code) or IREE_STATUS_UNKNOWN
        detail = str(error)
        name = type(error).__name__
        message = f"{name}: {detail}" if detail else name
        _raised_below[PyThread_get_thread_ident()] = (message, error)
        data = PyUnicode_AsUTF8AndSize(message, &size)
        return iree_status_allocate(
            <iree_status_code_t>code, NULL, 0, iree_make_string_view(data, <iree_host_size_t>size)
        )
    except BaseException:
        # An exception that cannot even be described.
        return iree_status_allocate(IREE_STATUS_UNKNOWN, NULL, 0, iree_make_cstring_view("a Python exception"))


cdef object take_raised_below(str message):
    if not _raised_below:
        return None
    kept = _raised_below.pop(PyThread_get_thread_ident(), None)
    if kept is None:
        return None
    # Another failure may have come after one that nobody fetched.
    return kept[1] if kept[0] == message else None
