# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the way of references, lists, tuples and dicts into a call.

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
    # There may be anything in it.
    call.has_exposed = True
    held = &call.held[call.held_count]
    if ref is None:
        held.ref = iree_vm_ref_null()
    else:
        held.ref = ref._ref
        iree_vm_ref_retain_inplace(&held.ref)
    held.in_place = NULL
    held.array = NULL
    call.held_count += 1
    out_ref[0] = held.ref
    return 0


# The reference to any object; None for None.
cdef VmRef reference_of(HalDevice device, str subject, object value):
    cdef DeviceArray device_array
    cdef VmRef ref
    cdef iree_hal_element_type_t element_type
    if value is None:
        return None
    if isinstance(value, DeviceArray):
        device_array = value
        # Held first and looked at afterwards: see DeviceArray._base_of_view.
        ref = vm_ref_retain(device_array._view, _buffer_view_type)
        if not device_array._has_writable_view():
            return ref
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
            raise _type_error(f"{subject}: no element type fits dtype {_clip(str(array.dtype), 60)}")
        return hal_buffer_view_from_handle(
            upload_array(
                device, array, element_type, IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL, IREE_HAL_BUFFER_USAGE_DEFAULT
            ),
            device,
        ).ref
    raise _type_error(f"{subject}: {_an(_type_name(value))} cannot be passed as a reference")


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
            raise _value_error(f"{subject}: expected a dict with {count} values. got: {_quote(value)}")
        parts = []
        for key, item in declared.items:
            if key not in value:
                raise _value_error(f"{subject}: could not get item {key!r} from: {_quote(value)}")
            parts.append((repr(key), item, value[key]))
    else:
        if isinstance(value, (str, bytes, dict)) or not hasattr(value, "__len__") or len(value) != count:
            raise _value_error(f"{subject}: expected a sequence with {count} values. got: {_quote(value)}")
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
            raise _type_error(f"{subject} wants {declared.describe()}, and was given {_clip(str(value.dtype), 60)}")
    target.push_ref(reference_of(device, subject, value))
    return 0
