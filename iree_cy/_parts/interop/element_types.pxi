# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the relation between element types and NumPy's dtypes.

cdef enum:
    ELEMENT_BOOL_8 = 0x13000008
    ELEMENT_SINT_8 = 0x11000008
    ELEMENT_SINT_16 = 0x11000010
    ELEMENT_SINT_32 = 0x11000020
    ELEMENT_SINT_64 = 0x11000040
    ELEMENT_INT_8 = 0x10000008
    ELEMENT_INT_16 = 0x10000010
    ELEMENT_INT_32 = 0x10000020
    ELEMENT_INT_64 = 0x10000040
    ELEMENT_UINT_8 = 0x12000008
    ELEMENT_UINT_16 = 0x12000010
    ELEMENT_UINT_32 = 0x12000020
    ELEMENT_UINT_64 = 0x12000040
    ELEMENT_FLOAT_16 = 0x21000010
    ELEMENT_FLOAT_32 = 0x21000020
    ELEMENT_FLOAT_64 = 0x21000040
    ELEMENT_COMPLEX_64 = 0x23000040
    ELEMENT_COMPLEX_128 = 0x23000080


# NumPy's number of the dtype, or -1 for what it has none for.
cdef int numpy_type_of(iree_hal_element_type_t element_type) noexcept:
    if element_type == ELEMENT_FLOAT_32:
        return NPY_FLOAT32
    if element_type == ELEMENT_FLOAT_64:
        return NPY_FLOAT64
    if element_type == ELEMENT_SINT_32 or element_type == ELEMENT_INT_32:
        return NPY_INT32
    if element_type == ELEMENT_SINT_64 or element_type == ELEMENT_INT_64:
        return NPY_INT64
    if element_type == ELEMENT_SINT_8 or element_type == ELEMENT_INT_8:
        return NPY_INT8
    if element_type == ELEMENT_SINT_16 or element_type == ELEMENT_INT_16:
        return NPY_INT16
    if element_type == ELEMENT_UINT_8:
        return NPY_UINT8
    if element_type == ELEMENT_UINT_16:
        return NPY_UINT16
    if element_type == ELEMENT_UINT_32:
        return NPY_UINT32
    if element_type == ELEMENT_UINT_64:
        return NPY_UINT64
    if element_type == ELEMENT_BOOL_8:
        return NPY_BOOL
    if element_type == ELEMENT_FLOAT_16:
        return NPY_FLOAT16
    if element_type == ELEMENT_COMPLEX_64:
        return NPY_COMPLEX64
    if element_type == ELEMENT_COMPLEX_128:
        return NPY_COMPLEX128
    return -1


# The element type that fits a NumPy type number, or 0.
cdef iree_hal_element_type_t element_type_of(int type_num) noexcept:
    if type_num == NPY_FLOAT32:
        return ELEMENT_FLOAT_32
    if type_num == NPY_FLOAT64:
        return ELEMENT_FLOAT_64
    if type_num == NPY_INT32:
        return ELEMENT_SINT_32
    if type_num == NPY_INT64 or type_num == NPY_LONG or type_num == NPY_LONGLONG:
        return ELEMENT_SINT_64
    if type_num == NPY_INT8:
        return ELEMENT_SINT_8
    if type_num == NPY_INT16:
        return ELEMENT_SINT_16
    if type_num == NPY_UINT8:
        return ELEMENT_UINT_8
    if type_num == NPY_UINT16:
        return ELEMENT_UINT_16
    if type_num == NPY_UINT32:
        return ELEMENT_UINT_32
    if type_num == NPY_UINT64 or type_num == NPY_ULONG or type_num == NPY_ULONGLONG:
        return ELEMENT_UINT_64
    if type_num == NPY_BOOL:
        return ELEMENT_BOOL_8
    if type_num == NPY_FLOAT16:
        return ELEMENT_FLOAT_16
    if type_num == NPY_COMPLEX64:
        return ELEMENT_COMPLEX_64
    if type_num == NPY_COMPLEX128:
        return ELEMENT_COMPLEX_128
    return 0


# Element types of the dtypes of ml_dtypes, by name.
_EXTENSION_ELEMENT_TYPES = {
    "bfloat16": _HalElementType.BFLOAT_16,
    "float8_e4m3fn": _HalElementType.FLOAT_8_E4M3_FN,
    "float8_e4m3fnuz": _HalElementType.FLOAT_8_E4M3_FNUZ,
    "float8_e5m2": _HalElementType.FLOAT_8_E5M2,
    "float8_e5m2fnuz": _HalElementType.FLOAT_8_E5M2_FNUZ,
    "float8_e8m0fnu": _HalElementType.FLOAT_8_E8M0_FNU,
}


# The element type that fits a dtype of any kind, or 0.
cdef iree_hal_element_type_t element_type_of_dtype(object dtype) except? 0xFFFFFFFF:
    cdef int type_num = dtype.num
    if type_num < 256:
        return element_type_of(type_num)
    return <iree_hal_element_type_t><int>int(_EXTENSION_ELEMENT_TYPES.get(dtype.name, 0))


# The dtype of an element type.
cdef object dtype_of(iree_hal_element_type_t element_type):
    start_numpy()
    return _HalElementType.map_to_dtype(int(element_type))


cdef inline bint is_integer_like(iree_hal_element_type_t element_type) noexcept:
    return (element_type >> 28) == 1


# Whether elements of one type may be seen as another: equal, or of one width and opaque, or integers of one
# width, for programs have no signs in their types. Truth values are no integers.
cdef inline bint elements_fit(iree_hal_element_type_t given, iree_hal_element_type_t wanted) noexcept:
    if given == wanted:
        return True
    if (given & 0xFF) != (wanted & 0xFF) or given == ELEMENT_BOOL_8 or wanted == ELEMENT_BOOL_8:
        return False
    return (given >> 24) == 0 or (is_integer_like(given) and is_integer_like(wanted))


cdef str element_type_name(iree_hal_element_type_t element_type):
    cdef char[32] buffer
    iree_hal_format_element_type(element_type, sizeof(buffer), buffer)
    return buffer.decode("utf-8", "replace")
