# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns asdevicearray, and how an ndarray becomes a buffer view.

def asdevicearray(
    device,
    a,
    dtype=None,
    *,
    implicit_host_transfer=False,
    memory_type=None,
    allowed_usage=None,
    element_type=None,
):
    """Return an array-like as a DeviceArray: a copy in the device's memory.

    Parameters
    ----------
    device
        The device.
    a
        What ``numpy.asarray`` takes. A DeviceArray is returned as it is unless `dtype` is given.
    dtype
        The dtype to convert to.
    implicit_host_transfer
        Whether the result may be used as an ndarray, without ``to_host()``.
    memory_type
        A `MemoryType`, by default DEVICE_LOCAL.
    allowed_usage
        A `BufferUsage`, by default DEFAULT.
    element_type
        A `HalElementType` of the same width as the dtype; by default the one that fits it.

    Raises
    ------
    ValueError
        If no element type fits the dtype.
    """
    cdef iree_hal_element_type_t c_element_type
    cdef iree_hal_memory_type_t c_memory_type = IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL
    cdef iree_hal_buffer_usage_t usage = IREE_HAL_BUFFER_USAGE_DEFAULT
    cdef DeviceArray result
    if not isinstance(device, HalDevice):
        raise _type_error(f"device is a HalDevice, not {_type_name(device)}")
    if isinstance(a, DeviceArray):
        if dtype is None:
            return a
        a = (<DeviceArray>a)._host_array(False)
    start_numpy()
    try:
        array = _np.asarray(a, dtype=dtype, order="C")
    except ValueError as error:
        if hasattr(a, "__array__"):
            raise
        raise _value_error(f"asdevicearray: the given {_type_name(a)} is no array: {array_problem(error)}") from error
    check_byte_order("asdevicearray", array)
    c_element_type = element_type_of_dtype(array.dtype)
    if element_type is not None:
        if (int(element_type) & 0xFF) != array.dtype.itemsize * 8:
            raise _value_error(f"element type {int(element_type):#x} is not as wide as dtype {_clip(str(array.dtype), 80)}")
        c_element_type = int(element_type)
    if c_element_type == 0:
        raise _value_error(f"arrays of dtype {_quote(str(array.dtype), 60)} have no element type on devices; convert them first")
    if memory_type is not None:
        c_memory_type = int(memory_type)
    if allowed_usage is not None:
        usage = int(allowed_usage)
    result = device_array_from(
        upload_array(device, array, c_element_type, c_memory_type, usage), device, array.dtype
    )
    result._is_implicit = bool(implicit_host_transfer)
    return result


# What NumPy found wrong with a list.
cdef str array_problem(object error):
    text = _one_line(error, 100).partition(": ")[2]
    return "its rows differ in length" if "inhomogeneous" in text else text


cdef int check_byte_order(str subject, object array) except -1:
    if not PyArray_ISNOTSWAPPED(<PyArrayObject*>array):
        raise _type_error(
            f"{subject}: dtype {array.dtype.str!r} is not in this machine's byte order; "
            f"use array.astype({array.dtype.newbyteorder('=').str!r})"
        )
    return 0


# A view over a copy of `array`, which is in C order.
cdef iree_hal_buffer_view_t* upload_array(
    HalDevice device,
    object array,
    iree_hal_element_type_t element_type,
    iree_hal_memory_type_t memory_type,
    iree_hal_buffer_usage_t usage,
) except NULL:
    cdef PyArrayObject* source = <PyArrayObject*>array
    cdef iree_device_size_t size = PyArray_NBYTES(source)
    cdef iree_hal_buffer_t* buffer = allocate_bytes(
        iree_hal_device_allocator(device._handle), memory_type, usage, size
    )
    try:
        write_buffer(device, buffer, PyArray_DATA(source), size)
        return view_like_array(buffer, source, element_type)
    finally:
        iree_hal_buffer_release(buffer)


# A view of `buffer` with the array's shape.
cdef iree_hal_buffer_view_t* view_like_array(
    iree_hal_buffer_t* buffer, PyArrayObject* array, iree_hal_element_type_t element_type
) except NULL:
    cdef iree_hal_buffer_view_t* view = NULL
    check_status(
        iree_hal_buffer_view_create(
            buffer,
            <iree_host_size_t>PyArray_NDIM(array),
            # Both are 64 bits wide, and NumPy's are never negative.
            <const iree_hal_dim_t*>PyArray_DIMS(array),
            element_type,
            IREE_HAL_ENCODING_TYPE_DENSE_ROW_MAJOR,
            iree_allocator_system(),
            &view,
        )
    )
    return view
