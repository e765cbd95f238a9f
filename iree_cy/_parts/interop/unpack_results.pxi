# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the way of results out of a call.

# With `has_exposed` the memory of a result may be that of a buffer that Python can write to.
cdef object unpack_results(_FunctionPlan plan, HalDevice device, uint8_t* results, bint has_exposed):
    cdef uint8_t* cursor = results
    cdef tuple values
    cdef int i
    if plan.result_count == 1 and plan.signature.container is None:
        return unpack_result(plan, 0, device, &cursor, has_exposed)
    if plan.result_count == 0 and plan.signature.container is None:
        return None
    items = []
    for i in range(plan.result_count):
        items.append(unpack_result(plan, i, device, &cursor, has_exposed))
    container = plan.signature.container
    if container is None:
        return tuple(items)
    return assemble(container, items)


# A list, tuple or dict, as declared, of its items.
cdef object assemble(object declared, list items):
    if declared.kind == "dict":
        return dict(zip([key for key, _ in declared.items], items))
    return tuple(items) if declared.kind == "tuple" else items


cdef object unpack_result(
    _FunctionPlan plan, int index, HalDevice device, uint8_t** cursor, bint has_exposed
):
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
            return result_array(
                <iree_hal_buffer_view_t*>ref.ptr, device, override_of(plan, index, ref.ptr), has_exposed
            )
        return object_of_reference(device, plan.result_values[index], vm_ref_from(&ref), has_exposed)
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


# Takes `view`. A result in memory that somebody lent (imported, and returned by the program) is copied, for its owner
# may write there; with `has_exposed`, one in memory that is not its alone.
cdef DeviceArray result_array(iree_hal_buffer_view_t* view, HalDevice device, object dtype, bint has_exposed):
    cdef DeviceArray result = device_array_from(view, device, dtype)
    if not iree_cy_heap_buffer_is_lent(iree_hal_buffer_view_buffer(view)) and (
        not has_exposed or result._is_alone()
    ):
        return result
    return device_array_from(own_copy(result), device, dtype)


# A view of a copy of an array's contents, of the same shape and element type.
cdef iree_hal_buffer_view_t* own_copy(DeviceArray array) except NULL:
    cdef iree_hal_buffer_view_t* view = array._view
    cdef iree_hal_buffer_t* source = iree_hal_buffer_view_buffer(view)
    cdef iree_device_size_t length = iree_hal_buffer_byte_length(source)
    cdef iree_hal_buffer_view_t* result = NULL
    cdef void* data = iree_hal_heap_buffer_data(source)
    cdef void* staging = NULL
    cdef iree_hal_buffer_t* target = allocate_bytes(
        iree_hal_device_allocator(array._owner._handle),
        IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL,
        IREE_HAL_BUFFER_USAGE_DEFAULT,
        length,
    )
    try:
        if data == NULL and length != 0:
            staging = c_malloc(length)
            if staging == NULL:
                raise MemoryError()
            read_buffer(array._owner, source, staging, length)
            data = staging
        write_buffer(array._owner, target, data, length)
        check_status(
            iree_hal_buffer_view_create(
                target,
                iree_hal_buffer_view_shape_rank(view),
                iree_hal_buffer_view_shape_dims(view),
                iree_hal_buffer_view_element_type(view),
                iree_hal_buffer_view_encoding_type(view),
                iree_allocator_system(),
                &result,
            )
        )
    finally:
        c_free(staging)
        iree_hal_buffer_release(target)
    return result


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
cdef object object_of_reference(HalDevice device, object declared, VmRef ref, bint has_exposed):
    cdef VmVariantList items
    cdef Py_ssize_t i
    if ref._ref.ptr == NULL:
        return None
    if ref._ref.type == _buffer_view_type:
        iree_vm_ref_retain_inplace(&ref._ref)
        return result_array(<iree_hal_buffer_view_t*>ref._ref.ptr, device, None, has_exposed)
    if ref._ref.type != _list_type or declared is None or not declared.items:
        return ref
    items = ref.deref(VmVariantList)
    if declared.kind == "homogeneous":
        parts = [declared.items[0][1]] * len(items)
    else:
        parts = [item for _, item in declared.items]
        if len(parts) != len(items):
            raise _value_error(f"the program declares {len(parts)} results in a list, and returned {len(items)}")
    values = []
    for i in range(len(items)):
        value = items.get_variant(i)
        if isinstance(value, VmRef):
            value = object_of_reference(device, parts[i], value, has_exposed)
        elif parts[i].kind == "scalar" and isinstance(value, int):
            value = narrow_number(parts[i].type, value)
        values.append(value)
    return assemble(declared, values)
