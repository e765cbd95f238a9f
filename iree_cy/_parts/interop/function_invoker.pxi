# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns FunctionInvoker: the path of a call from Python values to the program and back.

# Up to this many bytes an input is copied: using it in place costs about as much, for its buffer has to
# be looked at after the call. Measured with benchmarks/.
cdef iree_device_size_t COPY_LIMIT = 16384
# What compiled code expects of the memory of its buffers.
cdef uintptr_t DATA_ALIGNMENT = 64

cdef enum:
    # Calls that need no more than this take no memory of the heap.
    SMALL_CALL_WORDS = 128


cdef extern from "iree_cy/native/hal/heap_buffer.h" nogil:
    iree_status_t iree_cy_heap_buffer_detach(iree_hal_buffer_t* buffer)


# What the call holds of one argument until it is over.
cdef struct HeldArgument:
    iree_vm_ref_t ref
    # The buffer when it is memory of the caller's, used in place.
    iree_hal_buffer_t* in_place


# A call under way.
cdef struct Call:
    uint8_t* arguments
    uint8_t* results
    HeldArgument* held
    int held_count
    # Room for what is small, aligned as the structs in it want.
    uint64_t[SMALL_CALL_WORDS] small


@cython.final
cdef class FunctionInvoker:
    """A function of a program, to be called from Python.

    Arrays are passed as ndarrays, as anything that ``numpy.asarray`` takes, or as `DeviceArray`;
    they are checked against what the function declares. Numbers are converted exactly. Results are
    `DeviceArray` and Python numbers: None, one, or a tuple.

    Parameters
    ----------
    vm_context
        The context.
    device
        The device on which arguments are put.
    vm_function
        The function.
    """

    cdef VmContext _context
    cdef HalDevice _device
    cdef VmFunction _function
    cdef _FunctionPlan _plan
    cdef dict __dict__

    def __cinit__(self, VmContext vm_context not None, HalDevice device not None, VmFunction vm_function not None):
        self._context = vm_context
        self._device = device
        self._function = vm_function
        self._plan = _FunctionPlan(vm_function)
        start_ref_types()
        self.__name__ = vm_function.name

    @property
    def vm_function(self):
        """The function."""
        return self._function

    def __call__(self, *args, **kwargs):
        if kwargs:
            args = arrange_arguments(self._plan, args, kwargs)
        elif len(args) != self._plan.argument_count:
            raise_count(self._plan, len(args))
        return self._call(args)

    def __repr__(self):
        return repr(self._function)

    cdef object _call(self, tuple args):
        cdef _FunctionPlan plan = self._plan
        cdef Call call
        cdef iree_host_size_t size = (
            plan.arguments_size + plan.results_size + plan.argument_count * sizeof(HeldArgument)
        )
        cdef uint8_t* memory = <uint8_t*>call.small
        cdef HalFence signal_fence = None
        cdef iree_cy_vm_call_options_t options = iree_cy_vm_call_options_default()
        cdef iree_time_t last_look = 0
        cdef iree_status_t status
        cdef bint is_called = False
        if size > sizeof(call.small):
            memory = <uint8_t*>PyMem_Malloc(size)
            if memory == NULL:
                raise MemoryError()
        # The structs first: they want alignment.
        call.held = <HeldArgument*>memory
        call.held_count = 0
        call.arguments = memory + plan.argument_count * sizeof(HeldArgument)
        call.results = call.arguments + plan.arguments_size
        try:
            pack_arguments(plan, self._device, args, &call)
            if plan.has_fences:
                signal_fence = pack_fences(plan, self._device, &call)
            options.interrupt = interrupt_poll
            options.interrupt_user_data = &last_look
            is_called = True
            with nogil:
                status = iree_cy_vm_context_call(
                    self._context._handle,
                    self._function._function,
                    &options,
                    iree_make_byte_span(call.arguments, plan.arguments_size),
                    iree_make_byte_span(call.results, plan.results_size),
                )
            check_status(status)
            if signal_fence is not None:
                signal_fence.wait()
            # What the caller may change must not be seen through a result.
            release_held(&call)
            return unpack_results(plan, self._device, call.results)
        finally:
            if is_called:
                iree_cy_vm_cconv_release_refs(
                    iree_make_string_view(plan.result_letters, plan.result_count),
                    iree_make_byte_span(call.results, plan.results_size),
                )
            if call.held_count != 0:
                release_held(&call)
            if memory != <uint8_t*>call.small:
                PyMem_Free(memory)


# Gives up the arguments. One that was used in place and is still held gets memory of its own.
cdef int release_held(Call* call) except -1:
    cdef HeldArgument* held
    cdef iree_status_t status = NULL
    cdef iree_status_t failure
    while call.held_count > 0:
        call.held_count -= 1
        held = &call.held[call.held_count]
        iree_vm_ref_release(&held.ref)
        if held.in_place == NULL:
            continue
        if held.in_place.resource.ref_count != 1:
            with nogil:
                failure = iree_cy_heap_buffer_detach(held.in_place)
            status = iree_status_join(status, failure)
        iree_hal_buffer_release(held.in_place)
    return check_status(status)


# Arguments


cdef int raise_count(_FunctionPlan plan, Py_ssize_t given) except -1:
    raise ValueError(
        f"mismatched call arity: {plan.name}() takes {plan.argument_count} arguments "
        f"({plan.describe_arguments()}), and was given {given}"
    )


# Puts keyword arguments where they belong.
cdef tuple arrange_arguments(_FunctionPlan plan, tuple args, dict kwargs):
    if not plan.signature.is_declared:
        raise ValueError(f"kwargs not supported for {plan.name}(): nothing is known of its arguments but their number")
    if len(args) > plan.argument_count:
        raise_count(plan, len(args) + len(kwargs))
    absent = object()
    values = list(args) + [absent] * (plan.argument_count - len(args))
    for name, value in kwargs.items():
        index = plan.index_by_keyword.get(name)
        if index is None:
            known = ", ".join(plan.index_by_keyword) or "none"
            raise ValueError(f"{plan.name}(): specified kwarg '{name}' is unknown; there are: {known}")
        if values[index] is not absent:
            raise ValueError(f"mismatched call arity: {plan.name}() was given argument {name!r} twice")
        values[index] = value
    for index, value in enumerate(values):
        if value is absent:
            raise ValueError(
                f"mismatched call arity: {plan.name}() was given no value for argument "
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


# The two fences that a function of the coarse-fences model takes last: nothing to wait for, and what
# is waited for before the call returns.
cdef HalFence pack_fences(_FunctionPlan plan, HalDevice device, Call* call):
    cdef HalSemaphore semaphore = device.create_semaphore(0)
    cdef HalFence fence = HalFence.create_at(semaphore, 1)
    cdef iree_vm_ref_t[2] refs
    refs[0] = iree_vm_ref_null()
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
    bits = high.bit_length() + (low < 0)
    dtype = getattr(value, "dtype", None)
    if dtype is not None and getattr(dtype, "kind", "") == "u" and wanted[0] == "i" and dtype.itemsize * 8 == bits:
        # The program's integers have no sign: an unsigned one of the same width is the same bits.
        low, high = 0, (1 << bits) - 1
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
        if device_array._writable_count != 0 or (value_plan.is_taken and device_array._view_count != 0):
            # Whoever has a view may write to it, or read what the program writes.
            value = device_array._host_array(False)
            view = upload_array(
                device,
                value,
                iree_hal_buffer_view_element_type(device_array._view),
                IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL,
                IREE_HAL_BUFFER_USAGE_DEFAULT,
            )
            hold_view(call, view, NULL)
        out_ref.ptr = view
        out_ref.type = _buffer_view_type
        return 0
    if not _numpy_started:
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
        out_ref.ptr = (<HalBufferView>value)._handle
        out_ref.type = _buffer_view_type
        return 0
    if isinstance(value, VmRef):
        ref = value
        if ref._ref.ptr == NULL or ref._ref.type != _buffer_view_type:
            raise TypeError(f"{plan.subject(index)} wants {plan.argument_values[index].describe()}, and was given {value!r}")
        check_view(plan, index, <iree_hal_buffer_view_t*>ref._ref.ptr)
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
    raise TypeError(
        f"{plan.subject(index)} wants {plan.argument_values[index].describe()}, and was given elements of type {given}"
    )


cdef int raise_shape(_FunctionPlan plan, int index, object given) except -1:
    wanted = plan.argument_values[index]
    given = tuple(given)
    if len(given) != len(wanted.shape):
        raise ValueError(
            f"{plan.subject(index)} wants {wanted.describe()} of rank {len(wanted.shape)}, and was given rank "
            f"{len(given)}, shape {given}"
        )
    raise ValueError(f"{plan.subject(index)} wants {wanted.describe()}, and was given shape {given}")


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
        if element_type == 0 or not elements_fit(element_type, value_plan.element_type):
            raise_dtype(plan, index, array.dtype)
        if value_plan.element_type == ELEMENT_BOOL_8:
            array = array.astype(bool)
            source = <PyArrayObject*>array
            dims = PyArray_DIMS(source)
            element_type = ELEMENT_BOOL_8
    if not PyArray_ISNOTSWAPPED(source):
        check_byte_order(plan.subject(index), array)
    if value_plan.rank >= 0:
        if PyArray_NDIM(source) != value_plan.rank:
            raise_shape(plan, index, array.shape)
        for i in range(value_plan.rank):
            if value_plan.shape[i] >= 0 and value_plan.shape[i] != dims[i]:
                raise_shape(plan, index, array.shape)
    if (PyArray_FLAGS(source) & required) != required:
        array = _np.require(array, requirements=["C", "A"])
        source = <PyArrayObject*>array
    return hold_array(device, array, element_type, not value_plan.is_taken, call)


# Makes a view of an ndarray in C order: in place when that is allowed and worth it.
cdef int hold_array(
    HalDevice device, object array, iree_hal_element_type_t element_type, bint may_share, Call* call
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
    view = upload_array(
        device, array, element_type, IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL, IREE_HAL_BUFFER_USAGE_DEFAULT
    )
    hold_view(call, view, NULL)
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
    call.held_count += 1


# An ndarray of the wanted dtype for what is none: numbers, lists of numbers, arrays of others.
cdef object array_of_value(_FunctionPlan plan, int index, object value):
    wanted = plan.argument_values[index].describe()
    if value is None or isinstance(value, (str, bytes, dict)):
        raise TypeError(f"{plan.subject(index)} wants {wanted}, and was given {type(value).__name__}")
    try:
        if hasattr(value, "__dlpack__") and not hasattr(value, "__array__"):
            array = _np.from_dlpack(value)
        else:
            array = _np.asarray(value)
    except ValueError as error:
        if hasattr(value, "__array__"):
            raise
        raise ValueError(f"{plan.subject(index)} wants {wanted}, and the given {type(value).__name__} is no array: {error}") from None
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
    if array.dtype.kind not in "biufc" or (array.dtype.kind == "c" and target.kind != "c"):
        raise TypeError(f"{plan.subject(index)} wants {wanted}, and was given values of type {array.dtype}")
    with _np.errstate(all="ignore"):
        result = array.astype(target)
        back = result.astype(array.dtype)
        # Floats are rounded to the wanted width, and must not become infinite by it.
        is_rounding = array.dtype.kind in "fc" and target.kind in "fcV"
        same = _np.isfinite(back) == _np.isfinite(array) if is_rounding else back == array
    if not _np.all(same):
        first = array[~same].ravel()[0] if array.ndim else array[()]
        raise ValueError(f"{plan.subject(index)} wants {wanted}, which cannot hold {first!r} exactly")
    return result


# Makes the reference for an argument of which nothing but that is known, or for a list, tuple or dict.
cdef int pack_reference(
    _FunctionPlan plan, int index, HalDevice device, object value, Call* call, iree_vm_ref_t* out_ref
) except -1:
    cdef VmRef ref
    cdef HeldArgument* held
    subject = plan.subject(index)
    if plan.arguments[index].kind == KIND_CONTAINER:
        ref = list_of_value(device, subject, plan.argument_values[index], value).ref
    else:
        ref = reference_of(device, subject, value)
    held = &call.held[call.held_count]
    if ref is None:
        held.ref = iree_vm_ref_null()
    else:
        held.ref = ref._ref
        iree_vm_ref_retain_inplace(&held.ref)
    held.in_place = NULL
    call.held_count += 1
    out_ref[0] = held.ref
    return 0


# The reference to any object; None for None.
cdef VmRef reference_of(HalDevice device, str subject, object value):
    cdef DeviceArray device_array
    cdef iree_hal_element_type_t element_type
    if value is None:
        return None
    if isinstance(value, DeviceArray):
        device_array = value
        if device_array._writable_count == 0:
            return vm_ref_retain(device_array._view, _buffer_view_type)
        value = device_array._host_array(False)
    if isinstance(value, VmRef) or hasattr(value, "__iree_vm_ref__"):
        return as_vm_ref(value)
    if isinstance(value, (list, tuple)):
        return list_of_items(device, subject, value).ref
    if isinstance(value, dict):
        # Without a declaration the keys are only an order.
        return list_of_items(device, subject, [value[key] for key in sorted(value)]).ref
    if hasattr(value, "__array__"):
        start_numpy()
        array = _np.asarray(value, order="C")
        check_byte_order(subject, array)
        element_type = element_type_of_dtype(array.dtype)
        if element_type == 0:
            raise TypeError(f"{subject}: no element type fits dtype {array.dtype}")
        return hal_buffer_view_from_handle(
            upload_array(
                device, array, element_type, IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL, IREE_HAL_BUFFER_USAGE_DEFAULT
            ),
            device,
        ).ref
    raise TypeError(f"{subject}: a {type(value).__name__} cannot be passed as a reference")


cdef VmVariantList list_of_items(HalDevice device, str subject, object values):
    result = VmVariantList(len(values))
    for i, value in enumerate(values):
        if isinstance(value, bool):
            result.push_int(int(value))
        elif isinstance(value, int):
            result.push_int(value)
        elif isinstance(value, float):
            result.push_float(value)
        else:
            result.push_ref(reference_of(device, f"{subject}[{i}]", value))
    return result


# The VM's list for a declared list, tuple or dict.
cdef VmVariantList list_of_value(HalDevice device, str subject, object declared, object value):
    kind = declared.kind
    count = len(declared.items)
    if kind == "homogeneous":
        items = list(value)
        parts = [(str(i), declared.items[0][1], item) for i, item in enumerate(items)]
    elif kind == "dict":
        if not hasattr(value, "keys") or len(value) != count:
            raise ValueError(f"{subject}: expected a dict with {count} values. got: {value!r}")
        parts = []
        for key, item in declared.items:
            if key not in value:
                raise ValueError(f"{subject}: could not get item {key!r} from: {value!r}")
            parts.append((repr(key), item, value[key]))
    else:
        if isinstance(value, (str, bytes, dict)) or not hasattr(value, "__len__") or len(value) != count:
            raise ValueError(f"{subject}: expected a sequence with {count} values. got: {value!r}")
        parts = [(key, item, element) for (key, item), element in zip(declared.items, value)]
    result = VmVariantList(len(parts))
    for key, item, element in parts:
        push_declared(result, device, f"{subject}[{key}]", item, element)
    return result


cdef int push_declared(VmVariantList target, HalDevice device, str subject, object declared, object value) except -1:
    cdef iree_vm_value_t c_value
    cdef VmVariantList inner
    if declared.kind in ("list", "tuple", "dict", "homogeneous"):
        inner = list_of_value(device, subject, declared, value)
        target.push_list(inner)
        return 0
    if declared.kind == "scalar":
        wanted = declared.type
        if wanted == "f32":
            c_value = iree_vm_value_make_f32(<float>exact_float(subject, wanted, value))
        elif wanted == "f64":
            c_value = iree_vm_value_make_f64(exact_float(subject, wanted, value))
        elif wanted == "f16":
            c_value = iree_vm_value_make_i32(half_bits(exact_float(subject, wanted, value)))
        elif wanted == "bf16":
            c_value = iree_vm_value_make_i32(bfloat_bits(exact_float(subject, wanted, value)))
        else:
            low, high = _INTEGER_RANGES[wanted]
            number = exact_int(subject, wanted, value, low, high)
            if high >= 1 << 32:
                c_value = iree_vm_value_make_i64(<int64_t><uint64_t>(number & 0xFFFFFFFFFFFFFFFF))
            else:
                c_value = iree_vm_value_make_i32(<int32_t><uint32_t>(number & 0xFFFFFFFF))
        check_status(iree_vm_list_push_value(target._handle, &c_value))
        return 0
    if declared.kind == "tensor" and not isinstance(value, (DeviceArray, HalBufferView, VmRef)):
        start_numpy()
        value = _np.asarray(value)
        wanted_dtype = dtype_of(declared.element_type)
        if value.dtype != wanted_dtype:
            raise TypeError(f"{subject} wants {declared.describe()}, and was given {value.dtype}")
    target.push_ref(reference_of(device, subject, value))
    return 0


# Results


cdef object unpack_results(_FunctionPlan plan, HalDevice device, uint8_t* results):
    cdef uint8_t* cursor = results
    cdef tuple values
    cdef int i
    if plan.result_count == 1 and plan.signature.container is None:
        return unpack_result(plan, 0, device, &cursor)
    if plan.result_count == 0 and plan.signature.container is None:
        return None
    items = []
    for i in range(plan.result_count):
        items.append(unpack_result(plan, i, device, &cursor))
    container = plan.signature.container
    if container is None:
        return tuple(items)
    return assemble(container, items)


# A list, tuple or dict, as declared, of its items.
cdef object assemble(object declared, list items):
    if declared.kind == "dict":
        return dict(zip([key for key, _ in declared.items], items))
    return tuple(items) if declared.kind == "tuple" else items


cdef object unpack_result(_FunctionPlan plan, int index, HalDevice device, uint8_t** cursor):
    cdef ValuePlan* value_plan = &plan.results[index]
    cdef iree_vm_ref_t ref
    cdef int32_t i32
    cdef int64_t i64
    cdef float f32
    cdef double f64
    if value_plan.letter == c"r":
        memcpy(&ref, cursor[0], sizeof(ref))
        # Taken: what is left there is released.
        memset(cursor[0], 0, sizeof(ref))
        cursor[0] += sizeof(ref)
        if ref.type == _buffer_view_type and ref.ptr != NULL and value_plan.kind != KIND_CONTAINER:
            return device_array_from(<iree_hal_buffer_view_t*>ref.ptr, device, override_of(plan, index, ref.ptr))
        return object_of_reference(device, plan.result_values[index], vm_ref_from(&ref))
    if value_plan.letter == c"i":
        memcpy(&i32, cursor[0], sizeof(i32))
        cursor[0] += sizeof(i32)
        return i32 if value_plan.kind == KIND_I32 else narrow_number(plan.result_values[index].type, i32)
    if value_plan.letter == c"I":
        memcpy(&i64, cursor[0], sizeof(i64))
        cursor[0] += sizeof(i64)
        return i64 if value_plan.kind == KIND_I64 else narrow_number(plan.result_values[index].type, i64)
    if value_plan.letter == c"f":
        memcpy(&f32, cursor[0], sizeof(f32))
        cursor[0] += sizeof(f32)
        return <double>f32
    memcpy(&f64, cursor[0], sizeof(f64))
    cursor[0] += sizeof(f64)
    return f64


# The dtype to give to a result where the view's elements are stored as something else.
cdef object override_of(_FunctionPlan plan, int index, void* view):
    if plan.result_dtypes[index] is None:
        return None
    if iree_hal_buffer_view_element_type(<iree_hal_buffer_view_t*>view) == ELEMENT_BOOL_8:
        return None
    start_numpy()
    return _np.dtype(plan.result_dtypes[index])


# A number of a type that an i32 or i64 carries.
cdef object narrow_number(str type_name, int64_t value):
    if type_name == "i1":
        return (value & 1) != 0
    if type_name == "f16":
        return half_value(<uint16_t>(value & 0xFFFF))
    if type_name == "bf16":
        return bfloat_value(<uint16_t>(value & 0xFFFF))
    if type_name in ("i8", "si8"):
        return <int><int8_t>(value & 0xFF)
    if type_name in ("i16", "si16"):
        return <int><int16_t>(value & 0xFFFF)
    if type_name == "ui8":
        return value & 0xFF
    if type_name == "ui16":
        return value & 0xFFFF
    if type_name == "ui32":
        return <uint32_t>(value & 0xFFFFFFFF)
    if type_name == "ui64":
        return <uint64_t>value
    return value


# The Python object for a reference that is no array on its own.
cdef object object_of_reference(HalDevice device, object declared, VmRef ref):
    cdef VmVariantList items
    cdef Py_ssize_t i
    if ref._ref.ptr == NULL:
        return None
    if ref._ref.type == _buffer_view_type:
        iree_vm_ref_retain_inplace(&ref._ref)
        return device_array_from(<iree_hal_buffer_view_t*>ref._ref.ptr, device, None)
    if ref._ref.type != _list_type or declared is None or not declared.items:
        return ref
    items = ref.deref(VmVariantList)
    if declared.kind == "homogeneous":
        parts = [declared.items[0][1]] * len(items)
    else:
        parts = [item for _, item in declared.items]
        if len(parts) != len(items):
            raise ValueError(f"mismatched return arity: {len(items)} vs {len(parts)}")
    values = []
    for i in range(len(items)):
        value = items.get_variant(i)
        if isinstance(value, VmRef):
            value = object_of_reference(device, parts[i], value)
        elif parts[i].kind == "scalar" and isinstance(value, int):
            value = narrow_number(parts[i].type, value)
        values.append(value)
    return assemble(declared, values)
