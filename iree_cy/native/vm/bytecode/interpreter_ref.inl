// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the bodies of instructions on references, on globals that are references
// and on lists; a part of the function in interpreter.c.

op_GlobalLoadRef : FAIL_IF_ERROR(iree_vm_ref_retain_or_move_checked(
                       IS_MOVE(6), &state->global_refs[U32(2)],
                       iree_vm_bytecode_ref_type(module, U32(4)), REF(6)));
NEXT(7);
op_GlobalStoreRef
    : FAIL_IF_ERROR(iree_vm_ref_retain_or_move_checked(
          IS_MOVE(6), REF(6), iree_vm_bytecode_ref_type(module, U32(4)),
          &state->global_refs[U32(2)]));
NEXT(7);
op_GlobalLoadIndirectRef : {
  const uint32_t ordinal = (uint32_t)I32(2);
  if (IREE_UNLIKELY(ordinal >= state->global_ref_count)) {
    FAIL(iree_vm_bytecode_global_error(ordinal, state->global_ref_count));
  }
  FAIL_IF_ERROR(iree_vm_ref_retain_or_move_checked(
      IS_MOVE(5), &state->global_refs[ordinal],
      iree_vm_bytecode_ref_type(module, U32(3)), REF(5)));
  NEXT(6);
}
op_GlobalStoreIndirectRef : {
  const uint32_t ordinal = (uint32_t)I32(2);
  if (IREE_UNLIKELY(ordinal >= state->global_ref_count)) {
    FAIL(iree_vm_bytecode_global_error(ordinal, state->global_ref_count));
  }
  FAIL_IF_ERROR(iree_vm_ref_retain_or_move_checked(
      IS_MOVE(5), REF(5), iree_vm_bytecode_ref_type(module, U32(3)),
      &state->global_refs[ordinal]));
  NEXT(6);
}

op_ConstRefZero : iree_vm_ref_release(REF(2));
NEXT(3);
op_ConstRefRodata : {
  const uint32_t ordinal = U32(2);
  iree_vm_buffer_t* buffer =
      __atomic_load_n(&state->rodata[ordinal], __ATOMIC_ACQUIRE);
  if (IREE_LIKELY(buffer)) {
    iree_vm_ref_wrap_retain(buffer, buffer_type, REF(4));
  } else {
    FAIL_IF_ERROR(iree_vm_bytecode_constant(module, state, ordinal, REF(4)));
  }
  NEXT(5);
}
op_DiscardRefs : {
  const uint32_t count = ip[2];
  for (uint32_t i = 0; i < count; ++i) iree_vm_ref_release(REF(3 + i));
  NEXT(3 + count);
}
op_AssignRef : iree_vm_ref_retain_or_move(IS_MOVE(2), REF(2), REF(3));
NEXT(4);
op_CastAnyRef : FAIL_IF_ERROR(iree_vm_ref_retain_or_move_checked(
                    IS_MOVE(2), REF(2),
                    iree_vm_bytecode_ref_type(module, U32(3)), REF(5)));
NEXT(6);

op_SelectRef : FAIL_IF_ERROR(iree_vm_bytecode_select_ref(
                   refs, ip + 5, 2, I32(2) ? ip[5] : ip[6],
                   iree_vm_bytecode_ref_type(module, U32(3)), ip[7]));
NEXT(8);
op_SwitchRef : {
  // The default stands in front of the count, the others behind it.
  const uint32_t index = (uint32_t)I32(2);
  const uint32_t count = ip[6];
  const uint16_t selected = index < count ? ip[7 + index] : ip[5];
  const uint16_t result = ip[7 + count];
  FAIL_IF_ERROR(iree_vm_bytecode_select_ref(
      refs, ip + 7, count, selected, iree_vm_bytecode_ref_type(module, U32(3)),
      result));
  if (IS_MOVE(5) && REF(5) != &refs[result & IREE_VM_BYTECODE_REF_MASK]) {
    iree_vm_ref_release(REF(5));
  }
  NEXT(8 + count);
}

op_CmpEQRef : SET_I32(4, iree_vm_ref_equal(REF(2), REF(3)) ? 1 : 0);
NEXT(5);
op_CmpNERef : SET_I32(4, iree_vm_ref_equal(REF(2), REF(3)) ? 0 : 1);
NEXT(5);
op_CmpNZRef : SET_I32(3, REF(2)->ptr ? 1 : 0);
NEXT(4);

op_ListAlloc : {
  iree_vm_list_t* list = NULL;
  const uint32_t capacity = (uint32_t)I32(4);
  FAIL_IF_ERROR(iree_vm_list_create(module->types[U32(2)], capacity,
                                    stack->program_allocator, &list));
  iree_vm_ref_wrap_assign(list, iree_vm_list_type(), REF(5));
  fuel -= capacity;
  NEXT(6);
}
op_ListReserve : {
  iree_vm_list_t* list = NULL;
  FAIL_IF_ERROR(iree_vm_list_check_deref(*REF(2), &list));
  FAIL_IF_ERROR(iree_vm_list_reserve(list, (uint32_t)I32(3)));
  NEXT(4);
}
op_ListSize : {
  iree_vm_list_t* list = NULL;
  FAIL_IF_ERROR(iree_vm_list_check_deref(*REF(2), &list));
  SET_I32(3, (int32_t)(uint32_t)iree_vm_list_size(list));
  NEXT(4);
}
op_ListResize : {
  iree_vm_list_t* list = NULL;
  FAIL_IF_ERROR(iree_vm_list_check_deref(*REF(2), &list));
  const uint32_t size = (uint32_t)I32(3);
  const iree_host_size_t old_size = iree_vm_list_size(list);
  FAIL_IF_ERROR(iree_vm_list_resize(list, size));
  fuel -= (int64_t)(size > old_size ? size - old_size : old_size - size);
  NEXT(4);
}

#define LIST_OPS(T, field, set)                                               \
  op_ListGet##T : {                                                           \
    iree_vm_list_t* list = NULL;                                              \
    iree_vm_value_t value;                                                    \
    FAIL_IF_ERROR(iree_vm_list_check_deref(*REF(2), &list));                  \
    FAIL_IF_ERROR(iree_vm_list_get_value_as(list, (uint32_t)I32(3),           \
                                            IREE_VM_VALUE_TYPE_##T, &value)); \
    set(4, value.field);                                                      \
    NEXT(5);                                                                  \
  }                                                                           \
  op_ListSet##T : {                                                           \
    iree_vm_list_t* list = NULL;                                              \
    FAIL_IF_ERROR(iree_vm_list_check_deref(*REF(2), &list));                  \
    const iree_vm_value_t value = iree_vm_value_make_##field(T(4));           \
    FAIL_IF_ERROR(iree_vm_list_set_value(list, (uint32_t)I32(3), &value));    \
    NEXT(5);                                                                  \
  }
LIST_OPS(I32, i32, SET_I32)
LIST_OPS(I64, i64, SET_I64)
LIST_OPS(F32, f32, SET_F32)
LIST_OPS(F64, f64, SET_F64)
#undef LIST_OPS

op_ListGetRef : {
  iree_vm_list_t* list = NULL;
  FAIL_IF_ERROR(iree_vm_list_check_deref(*REF(2), &list));
  FAIL_IF_ERROR(iree_vm_bytecode_list_get_ref(
      list, (uint32_t)I32(3), module->types[U32(4)], IS_MOVE(6), REF(6)));
  NEXT(7);
}
op_ListSetRef : {
  iree_vm_list_t* list = NULL;
  FAIL_IF_ERROR(iree_vm_list_check_deref(*REF(2), &list));
  FAIL_IF_ERROR(iree_vm_bytecode_list_set_ref(list, (uint32_t)I32(3),
                                              IS_MOVE(4), REF(4), &fuel));
  NEXT(5);
}
