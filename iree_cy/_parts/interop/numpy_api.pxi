# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the use of NumPy's C API, which starts when the first array crosses.

# Declared here and not cimported: `cimport numpy` imports NumPy when the extension is imported.
cdef extern from "numpy/arrayobject.h":
    ctypedef struct PyArrayObject:
        pass
    ctypedef struct PyArray_Descr:
        int type_num
        char byteorder
        char kind
    int c_import_array "_import_array"() except -1
    bint PyArray_Check(object value)
    bint PyArray_CheckScalar(object value)
    void* PyArray_DATA(PyArrayObject* array) nogil
    int PyArray_NDIM(PyArrayObject* array) nogil
    Py_ssize_t* PyArray_DIMS(PyArrayObject* array) nogil
    Py_ssize_t PyArray_NBYTES(PyArrayObject* array) nogil
    int PyArray_TYPE(PyArrayObject* array) nogil
    int PyArray_FLAGS(PyArrayObject* array) nogil
    PyArray_Descr* PyArray_DESCR(PyArrayObject* array) nogil
    bint PyArray_ISNOTSWAPPED(PyArrayObject* array) nogil
    object PyArray_New(
        void* subtype, int nd, Py_ssize_t* dims, int type_num, Py_ssize_t* strides, void* data, int itemsize, int flags, object obj
    )
    object PyArray_SimpleNewFromData(int nd, Py_ssize_t* dims, int type_num, void* data)
    object PyArray_SimpleNew(int nd, Py_ssize_t* dims, int type_num)
    int PyArray_SetBaseObject(PyArrayObject* array, object base) except -1
    void PyArray_CLEARFLAGS(PyArrayObject* array, int flags)
    object PyArray_FROM_OF(object value, int requirements)
    int NPY_ARRAY_C_CONTIGUOUS
    int NPY_ARRAY_ALIGNED
    int NPY_ARRAY_WRITEABLE
    int NPY_ARRAY_NOTSWAPPED
    int NPY_MAXDIMS
    int NPY_BOOL
    int NPY_INT8
    int NPY_INT16
    int NPY_INT32
    int NPY_INT64
    int NPY_UINT8
    int NPY_UINT16
    int NPY_UINT32
    int NPY_UINT64
    int NPY_LONG
    int NPY_ULONG
    int NPY_LONGLONG
    int NPY_ULONGLONG
    int NPY_FLOAT16
    int NPY_FLOAT32
    int NPY_FLOAT64
    int NPY_COMPLEX64
    int NPY_COMPLEX128


cdef bint _numpy_started = False
# The module, once started.
cdef object _np = None


cdef int start_numpy() except -1:
    global _np
    if load_flag(&_numpy_started):
        return 0
    with _fork.FirstUse():
        import numpy

    # Of threads that come here at once one writes; the others may be reading already.
    with cython.critical_section(numpy):
        if not load_flag(&_numpy_started):
            c_import_array()
            _np = numpy
            raise_flag(&_numpy_started)
    return 0
