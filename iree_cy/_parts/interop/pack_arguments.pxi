# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the way of numbers and arrays into a call: checked, converted, copied or used in place.

cdef int raise_count(_FunctionPlan plan, Py_ssize_t given) except -1:
    raise _value_error(
        f"{plan.name}() takes {_counted(plan.argument_count, 'argument')} "
        f"({_clip(plan.describe_arguments(), 90)}), and was given {given}"
    )


# Puts keyword arguments where they belong.
cdef tuple arrange_arguments(_FunctionPlan plan, tuple args, dict kwargs):
    if not plan.signature.is_declared:
        raise _value_error(f"{plan.name}() takes arguments by position only: its program does not name them")
    if len(args) > plan.argument_count:
        raise_count(plan, len(args) + len(kwargs))
    absent = object()
    values = list(args) + [absent] * (plan.argument_count - len(args))
    for name, value in kwargs.items():
        index = plan.index_by_keyword.get(name)
        if index is None:
            known = _listing(plan.index_by_keyword, 60)
            raise _value_error(f"{plan.name}() has no argument named {_quote(name, 40)}; there are: {known}")
        if values[index] is not absent:
            raise _value_error(f"{plan.name}() was given argument {_quote(name, 40)} twice")
        values[index] = value
    for index, value in enumerate(values):
        if value is absent:
            raise _value_error(
                f"{plan.name}() was given no value for argument "
                f"{plan.argument_values[index].name!r}"
            )
    return tuple(values)


cdef int pack_arguments(_FunctionPlan plan, HalDevice device, tuple args, Call* call) except -1:
    cdef uint8_t* cursor = call.arguments
    cdef ValuePlan* value_plan
    cdef iree_vm_ref_t ref
    cdef int32_t i32
    cdef int64_t i64
    cdef float f32
    cdef double f64
    cdef int i
    for i in range(plan.argument_count):
        value_plan = &plan.arguments[i]
        value = args[i]
        if value_plan.letter == c"r":
            if value_plan.kind == KIND_TENSOR:
                pack_tensor(plan, i, device, value, call, &ref)
            else:
                pack_reference(plan, i, device, value, call, &ref)
            memcpy(cursor, &ref, sizeof(ref))
            cursor += sizeof(ref)
        elif value_plan.letter == c"i":
            i32 = <int32_t>integer_argument(plan, i, value)
            memcpy(cursor, &i32, sizeof(i32))
            cursor += sizeof(i32)
        elif value_plan.letter == c"I":
            i64 = integer_argument(plan, i, value)
            memcpy(cursor, &i64, sizeof(i64))
            cursor += sizeof(i64)
        elif value_plan.letter == c"f":
            f32 = <float>float_argument(plan, i, value)
            memcpy(cursor, &f32, sizeof(f32))
            cursor += sizeof(f32)
        else:
            f64 = float_argument(plan, i, value)
            memcpy(cursor, &f64, sizeof(f64))
            cursor += sizeof(f64)
    return 0


# The two fences that a function of the coarse-fences model takes last: what it waits for (None for nothing), and
# what it signals, which is returned. Both are borrowed by the call.
cdef HalFence pack_fences(_FunctionPlan plan, HalDevice device, HalFence wait, Call* call):
    cdef HalSemaphore semaphore = device.create_semaphore(0)
    cdef HalFence fence = HalFence.create_at(semaphore, 1)
    cdef iree_vm_ref_t[2] refs
    refs[0] = iree_vm_ref_null()
    if wait is not None:
        refs[0].ptr = wait._handle
        refs[0].type = _fence_type
    refs[1].ptr = fence._handle
    refs[1].type = _fence_type
    memcpy(call.arguments + plan.arguments_size - sizeof(refs), refs, sizeof(refs))
    return fence


cdef int64_t integer_argument(_FunctionPlan plan, int index, object value) except? -1:
    cdef ValuePlan* value_plan = &plan.arguments[index]
    cdef long long plain
    cdef int overflow = 0
    cdef object low, high
    if PyLong_Check(value) and value_plan.high != 0:
        # The usual.
        plain = PyLong_AsLongLongAndOverflow(value, &overflow)
        if overflow == 0 and value_plan.low <= plain <= value_plan.high:
            return plain
    wanted = plan.argument_values[index].type
    if wanted == "f16":
        return half_bits(exact_float(plan.subject(index), wanted, value))
    if wanted == "bf16":
        return bfloat_bits(exact_float(plan.subject(index), wanted, value))
    low, high = _INTEGER_RANGES[wanted]
    number = exact_int(plan.subject(index), wanted, value, low, high)
    if value_plan.letter == c"i":
        return <int32_t><uint32_t>(number & 0xFFFFFFFF)
    return <int64_t><uint64_t>(number & 0xFFFFFFFFFFFFFFFF)


cdef double float_argument(_FunctionPlan plan, int index, object value) except? -1:
    cdef double number
    cdef bint is_narrow = plan.arguments[index].kind == KIND_F32
    if PyFloat_Check(value):
        # The usual. What would become infinite is looked at again.
        number = PyFloat_AS_DOUBLE(value)
        if not is_narrow or -FLT_MAX <= number <= FLT_MAX or number - number != 0:
            return number
    return exact_float(plan.subject(index), plan.argument_values[index].type, value)


# Makes the reference for a tensor. It is held by the call, or borrowed from `value`.
cdef int pack_tensor(
    _FunctionPlan plan, int index, HalDevice device, object value, Call* call, iree_vm_ref_t* out_ref
) except -1:
    cdef ValuePlan* value_plan = &plan.arguments[index]
    cdef DeviceArray device_array
    cdef iree_hal_buffer_view_t* view
    if type(value) is DeviceArray:
        device_array = <DeviceArray>value
        view = device_array._view
        check_view(plan, index, view)
        call.has_exposed |= load_flag(&device_array._is_exposed)
        # Counted first and looked at afterwards: see DeviceArray._base_of_view.
        add_shared(&device_array._call_count, 1)
        if device_array._has_writable_view() or (value_plan.is_taken and device_array._must_not_change()):
            add_shared(&device_array._call_count, -1)
            # Whoever has a view may write to it, or read what the program writes.
            value = device_array._host_array(False)
            hold_copy(index, device, value, iree_hal_buffer_view_element_type(view), call)
            out_ref[0] = call.held[call.held_count - 1].ref
            return 0
        hold_array_of_call(call, device_array)
        out_ref.ptr = view
        out_ref.type = _buffer_view_type
        return 0
    if not load_flag(&_numpy_started):
        start_numpy()
    if PyArray_Check(value):
        pack_array(plan, index, device, value, call)
        out_ref[0] = call.held[call.held_count - 1].ref
        return 0
    return pack_other_tensor(plan, index, device, value, call, out_ref)


# What is neither a DeviceArray nor an ndarray.
cdef int pack_other_tensor(
    _FunctionPlan plan, int index, HalDevice device, object value, Call* call, iree_vm_ref_t* out_ref
) except -1:
    cdef VmRef ref
    if isinstance(value, HalBufferView):
        check_view(plan, index, (<HalBufferView>value)._handle)
        call.has_exposed = True
        out_ref.ptr = (<HalBufferView>value)._handle
        out_ref.type = _buffer_view_type
        return 0
    if isinstance(value, VmRef):
        ref = value
        if ref._ref.ptr == NULL or ref._ref.type != _buffer_view_type:
            raise _type_error(f"{plan.subject(index)} wants {plan.argument_values[index].describe()}, and was given {_quote(value)}")
        check_view(plan, index, <iree_hal_buffer_view_t*>ref._ref.ptr)
        call.has_exposed = True
        out_ref[0] = ref._ref
        return 0
    pack_array(plan, index, device, array_of_value(plan, index, value), call)
    out_ref[0] = call.held[call.held_count - 1].ref
    return 0


# Checks type and shape of a view.
cdef int check_view(_FunctionPlan plan, int index, iree_hal_buffer_view_t* view) except -1:
    cdef ValuePlan* value_plan = &plan.arguments[index]
    cdef iree_hal_element_type_t element_type = iree_hal_buffer_view_element_type(view)
    cdef const iree_hal_dim_t* dims = iree_hal_buffer_view_shape_dims(view)
    cdef int rank = <int>iree_hal_buffer_view_shape_rank(view)
    cdef int i
    if element_type != value_plan.element_type and not elements_fit(element_type, value_plan.element_type):
        raise_dtype(plan, index, element_type_name(element_type))
    if value_plan.rank >= 0:
        if rank != value_plan.rank:
            raise_shape(plan, index, view_shape(view))
        for i in range(rank):
            if value_plan.shape[i] >= 0 and value_plan.shape[i] != <int64_t>dims[i]:
                raise_shape(plan, index, view_shape(view))
    return 0


cdef int raise_dtype(_FunctionPlan plan, int index, object given) except -1:
    raise _type_error(
        f"{plan.subject(index)} wants {plan.argument_values[index].describe()}, and was given elements of type {_clip(str(given), 60)}"
    )


cdef int raise_shape(_FunctionPlan plan, int index, object given) except -1:
    wanted = plan.argument_values[index]
    given = tuple(given)
    if len(given) != len(wanted.shape):
        raise _value_error(
            f"{plan.subject(index)} wants {wanted.describe()} of rank {len(wanted.shape)}, and was given rank "
            f"{len(given)}, shape {_quote(given, 50)}"
        )
    raise _value_error(f"{plan.subject(index)} wants {wanted.describe()}, and was given shape {_quote(given, 50)}")


# Makes a view of an ndarray that fits; the call holds it.
cdef int pack_array(_FunctionPlan plan, int index, HalDevice device, object array, Call* call) except -1:
    cdef ValuePlan* value_plan = &plan.arguments[index]
    cdef PyArrayObject* source = <PyArrayObject*>array
    cdef iree_hal_element_type_t element_type
    cdef Py_ssize_t* dims = PyArray_DIMS(source)
    cdef int type_num = PyArray_TYPE(source)
    cdef int required = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED
    cdef int i
    element_type = element_type_of(type_num)
    if element_type == 0:
        element_type = element_type_of_dtype(array.dtype)
    if element_type != value_plan.element_type:
        if not elements_fit(element_type, value_plan.element_type):
            raise_dtype(plan, index, array.dtype)
    if not PyArray_ISNOTSWAPPED(source):
        check_byte_order(plan.subject(index), array)
    if value_plan.rank >= 0:
        if PyArray_NDIM(source) != value_plan.rank:
            raise_shape(plan, index, array.shape)
        for i in range(value_plan.rank):
            if value_plan.shape[i] >= 0 and value_plan.shape[i] != dims[i]:
                raise_shape(plan, index, array.shape)
    if (PyArray_FLAGS(source) & required) != required:
        if call.deferred != NULL and PyArray_NBYTES(source) > call.copy_budget:
            # Its copy, which puts it in order, is put off.
            return hold_copy(index, device, array, element_type, call)
        array = _np.require(array, requirements=["C", "A"])
    return hold_array(index, device, array, element_type, call.may_share and not value_plan.is_taken, call)


# Makes a view of an ndarray in C order: in place when that is allowed and worth it.
cdef int hold_array(
    int index, HalDevice device, object array, iree_hal_element_type_t element_type, bint may_share, Call* call
) except -1:
    cdef PyArrayObject* source = <PyArrayObject*>array
    cdef iree_device_size_t size = PyArray_NBYTES(source)
    cdef iree_hal_buffer_view_t* view
    cdef iree_hal_buffer_t* buffer
    if (
        may_share
        and size > COPY_LIMIT
        and device._uses_host_memory
        and <uintptr_t>PyArray_DATA(source) % DATA_ALIGNMENT == 0
    ):
        buffer = share_array(device, array, size)
        if buffer != NULL:
            try:
                view = view_like_array(buffer, source, element_type)
            except BaseException:
                iree_hal_buffer_release(buffer)
                raise
            hold_view(call, view, buffer)
            return 0
    return hold_copy(index, device, array, element_type, call)


# Makes a view of a copy of an ndarray, in C order if it is copied now: now or, with a null reference until then, when the call begins.
cdef int hold_copy(
    int index, HalDevice device, object array, iree_hal_element_type_t element_type, Call* call
) except -1:
    cdef iree_device_size_t size
    if call.deferred != NULL:
        size = PyArray_NBYTES(<PyArrayObject*>array)
        if size > call.copy_budget:
            (<list>call.deferred).append((index, call.held_count, array, element_type))
            hold_view(call, NULL, NULL)
            return 0
        call.copy_budget -= size
    hold_view(call, copy_of_array(device, array, element_type), NULL)
    return 0


cdef inline iree_hal_buffer_view_t* copy_of_array(
    HalDevice device, object array, iree_hal_element_type_t element_type
) except NULL:
    return upload_array(
        device, array, element_type, IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL, IREE_HAL_BUFFER_USAGE_DEFAULT
    )


# Makes the copies that were put off.
cdef int pack_deferred(_FunctionPlan plan, HalDevice device, Call* call) except -1:
    cdef list deferred = <list>call.deferred
    cdef iree_vm_ref_t* ref
    cdef uint8_t* cursor
    cdef int index, held, i
    for index, held, array, element_type in deferred:
        ref = &call.held[held].ref
        ref.ptr = copy_of_array(device, _np.require(array, requirements=["C", "A"]), element_type)
        cursor = call.arguments
        for i in range(index):
            cursor += <iree_host_size_t>_SIZES_BY_LETTER[plan.arguments[i].letter]
        memcpy(cursor, ref, sizeof(ref[0]))
    # The arrays are the caller's again.
    deferred.clear()
    return 0


# A buffer over an array's own memory, read-only; NULL when the device cannot use it.
cdef iree_hal_buffer_t* share_array(HalDevice device, object array, iree_device_size_t size) except? NULL:
    cdef iree_hal_buffer_params_t params
    cdef iree_hal_buffer_t* buffer = NULL
    cdef iree_status_t status
    memset(&params, 0, sizeof(params))
    params.type = IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL
    params.usage = IREE_HAL_BUFFER_USAGE_DEFAULT
    params.access = IREE_HAL_MEMORY_ACCESS_READ
    status = import_host_memory(
        iree_hal_device_allocator(device._handle),
        params,
        PyArray_DATA(<PyArrayObject*>array),
        size,
        <void*>array,
        &buffer,
    )
    if status != NULL:
        iree_status_ignore(status)
        return NULL
    # One that could not be detached afterwards is of no use.
    if buffer.allocated_buffer != buffer or iree_hal_heap_buffer_data(buffer) == NULL:
        iree_hal_buffer_release(buffer)
        return NULL
    return buffer


# Takes both.
cdef inline void hold_view(Call* call, iree_hal_buffer_view_t* view, iree_hal_buffer_t* in_place) noexcept:
    cdef HeldArgument* held = &call.held[call.held_count]
    held.ref.ptr = view
    held.ref.type = _buffer_view_type
    held.in_place = in_place
    held.array = NULL
    call.held_count += 1


# Of an array whose view is passed as it is, and which the call is counted in.
cdef inline void hold_array_of_call(Call* call, DeviceArray array) noexcept:
    cdef HeldArgument* held = &call.held[call.held_count]
    held.ref = iree_vm_ref_null()
    held.in_place = NULL
    held.array = <PyObject*>array
    call.held_count += 1


# An ndarray of the wanted dtype for what is none: numbers, lists of numbers, arrays of others.
cdef object array_of_value(_FunctionPlan plan, int index, object value):
    wanted = plan.argument_values[index].describe()
    if value is None or isinstance(value, (str, bytes, dict)):
        raise _type_error(f"{plan.subject(index)} wants {wanted}, and was given {_type_name(value)}")
    try:
        if hasattr(value, "__dlpack__") and not hasattr(value, "__array__"):
            array = _np.from_dlpack(value)
        else:
            array = _np.asarray(value)
    except ValueError as error:
        if hasattr(value, "__array__"):
            raise
        raise _value_error(f"{plan.subject(index)} wants {wanted}, and the given {_type_name(value)} is no array: {array_problem(error)}") from error
    if not isinstance(value, (int, float, complex, list, tuple)) or hasattr(value, "dtype"):
        # It has a dtype of its own, which has to fit.
        return array
    return exact_array(plan, index, array)


# `array`, made of Python numbers, in the wanted dtype.
cdef object exact_array(_FunctionPlan plan, int index, object array):
    wanted = plan.argument_values[index].describe()
    target = dtype_of(plan.arguments[index].element_type)
    if array.dtype == target:
        return array
    if array.size == 0:
        return array.astype(target)
    if array.dtype.kind == "O":
        # NumPy has no type of its own for what is wider than 64 bits.
        for item in array.ravel():
            if isinstance(item, int) and item.bit_length() > 64:
                raise _value_error(f"{plan.subject(index)} wants {wanted}, which cannot hold {_quote(item, 40)}")
    if array.dtype.kind not in "biufc" or (array.dtype.kind == "c" and target.kind != "c"):
        raise _type_error(f"{plan.subject(index)} wants {wanted}, and was given values of type {array.dtype}")
    with _np.errstate(all="ignore"):
        result = array.astype(target)
        # The real part, for NumPy warns where it has to drop the other one.
        back = (result.real if array.dtype.kind != "c" else result).astype(array.dtype)
        # Floats are rounded to the wanted width, and must not become infinite by it.
        is_rounding = array.dtype.kind in "fc" and target.kind in "fcV"
        same = _np.isfinite(back) == _np.isfinite(array) if is_rounding else back == array
    if not _np.all(same):
        first = array[~same].ravel()[0] if array.ndim else array[()]
        raise _value_error(f"{plan.subject(index)} wants {wanted}, which cannot hold {_quote(first.item(), 40)} exactly")
    return result
