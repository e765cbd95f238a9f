// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the tests of lists.

#include "iree_cy/vm/api.h"
#include "tests/support/ctest.h"

static iree_vm_list_t* make_list(iree_vm_type_def_t type) {
  iree_vm_list_t* list = NULL;
  EXPECT_OK(iree_vm_list_create(type, 0, iree_allocator_system(), &list));
  return list;
}
static iree_vm_list_t* make_variant_list(void) {
  return make_list(iree_vm_make_undefined_type_def());
}
static iree_vm_list_t* make_value_list(iree_vm_value_type_t type) {
  return make_list(iree_vm_make_value_type_def(type));
}
static iree_vm_ref_t make_buffer_ref(void) {
  iree_vm_buffer_t* buffer = NULL;
  EXPECT_OK(iree_vm_buffer_create(IREE_VM_BUFFER_ACCESS_MUTABLE, 4, 0,
                                  iree_allocator_system(), &buffer));
  return iree_vm_buffer_move_ref(buffer);
}
static void push_i32(iree_vm_list_t* list, int32_t number) {
  iree_vm_value_t value = iree_vm_value_make_i32(number);
  EXPECT_OK(iree_vm_list_push_value(list, &value));
}
static int64_t get_i64(iree_vm_list_t* list, iree_host_size_t i) {
  iree_vm_value_t value;
  EXPECT_OK(iree_vm_list_get_value_as(list, i, IREE_VM_VALUE_TYPE_I64, &value));
  return value.i64;
}
static void expect_nothing_alive(void) {
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_VM_LIST), 0);
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_VM_BUFFER), 0);
}

CTEST(a_typed_list_converts_what_it_stores) {
  iree_vm_list_t* list = make_value_list(IREE_VM_VALUE_TYPE_I8);
  for (int32_t i = 0; i < 100; ++i) push_i32(list, i * 3);
  EXPECT_EQ_I64(iree_vm_list_size(list), 100);
  EXPECT_EQ_I64(get_i64(list, 42), 126);
  EXPECT_EQ_I64(get_i64(list, 99), 297 - 256);
  iree_vm_ref_t ref = make_buffer_ref();
  EXPECT_STATUS(IREE_STATUS_FAILED_PRECONDITION,
                iree_vm_list_push_ref_retain(list, &ref));
  EXPECT_EQ_I64(iree_vm_list_size(list), 100);
  iree_vm_ref_release(&ref);
  iree_vm_list_release(list);
  expect_nothing_alive();
}

CTEST(an_index_outside_is_an_error) {
  iree_vm_list_t* list = make_variant_list();
  push_i32(list, 1);
  iree_vm_value_t value = iree_vm_value_make_i32(2);
  iree_vm_ref_t ref = iree_vm_ref_null();
  iree_vm_variant_t variant = iree_vm_variant_empty();
  const iree_host_size_t indices[] = {1, (iree_host_size_t)-1,
                                      (iree_host_size_t)INT64_MIN};
  for (int i = 0; i < 3; ++i) {
    EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                  iree_vm_list_get_value(list, indices[i], &value));
    EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                  iree_vm_list_set_value(list, indices[i], &value));
    EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                  iree_vm_list_get_ref_retain(list, indices[i], &ref));
    EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                  iree_vm_list_set_ref_retain(list, indices[i], &ref));
    EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                  iree_vm_list_get_variant_retain(list, indices[i], &variant));
    EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                  iree_vm_list_set_variant_move(list, indices[i], &variant));
    EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                  iree_vm_list_copy(list, indices[i], list, 0, 1));
    EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                  iree_vm_list_copy(list, 0, list, 0,
                                    indices[i] + 1 ? indices[i] + 1 : 2));
    EXPECT(iree_vm_list_get_ref_deref(list, indices[i],
                                      iree_vm_buffer_type()) == NULL);
  }
  iree_vm_list_release(list);
}

CTEST(a_size_that_memory_cannot_hold_is_an_error) {
  iree_vm_list_t* list = make_variant_list();
  push_i32(list, 5);
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                iree_vm_list_resize(list, IREE_HOST_SIZE_MAX));
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                iree_vm_list_reserve(list, IREE_HOST_SIZE_MAX / 24 + 2));
  EXPECT_EQ_I64(iree_vm_list_size(list), 1);
  EXPECT_EQ_I64(get_i64(list, 0), 5);
  iree_vm_list_t* other = NULL;
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                iree_vm_list_create(
                    iree_vm_make_value_type_def(IREE_VM_VALUE_TYPE_I64),
                    IREE_HOST_SIZE_MAX / 2, iree_allocator_system(), &other));
  EXPECT(other == NULL);
  iree_vm_list_release(list);
  expect_nothing_alive();
}

CTEST(references_are_retained_moved_and_released) {
  iree_vm_list_t* list =
      make_list(iree_vm_make_ref_type_def(iree_vm_buffer_type()));
  iree_vm_ref_t ref = make_buffer_ref();
  iree_vm_buffer_t* buffer = iree_vm_buffer_deref(ref);
  EXPECT_OK(iree_vm_list_push_ref_retain(list, &ref));
  EXPECT_EQ_I64(buffer->ref_count, 2);
  EXPECT_OK(iree_vm_list_push_ref_move(list, &ref));
  EXPECT(iree_vm_ref_is_null(&ref));
  EXPECT_EQ_I64(buffer->ref_count, 2);
  EXPECT(iree_vm_list_get_ref_deref(list, 1, iree_vm_buffer_type()) == buffer);
  EXPECT(iree_vm_list_get_ref_deref(list, 1, iree_vm_list_type()) == NULL);
  EXPECT_OK(iree_vm_list_get_ref_retain(list, 0, &ref));
  EXPECT_EQ_I64(buffer->ref_count, 3);
  EXPECT_OK(iree_vm_list_get_ref_move(list, 0, &ref));
  EXPECT_EQ_I64(buffer->ref_count, 2);
  // Of another type: it stays where it was.
  iree_vm_ref_t other = iree_vm_list_retain_ref(list);
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_vm_list_set_ref_move(list, 0, &other));
  EXPECT(iree_vm_list_isa(other));
  iree_vm_ref_release(&other);
  EXPECT_OK(iree_vm_list_resize(list, 1));
  EXPECT_EQ_I64(buffer->ref_count, 1);
  iree_vm_ref_release(&ref);
  iree_vm_list_release(list);
  expect_nothing_alive();
}

CTEST(a_variant_list_holds_anything) {
  iree_vm_list_t* list = make_variant_list();
  EXPECT_OK(iree_vm_list_resize(list, 3));
  iree_vm_ref_t ref = iree_vm_ref_null();
  iree_vm_value_t value;
  // An empty element is a null reference, and no value.
  EXPECT_OK(iree_vm_list_get_ref_retain(list, 0, &ref));
  EXPECT(iree_vm_ref_is_null(&ref));
  EXPECT_STATUS(IREE_STATUS_FAILED_PRECONDITION,
                iree_vm_list_get_value(list, 0, &value));
  value = iree_vm_value_make_f64(1.5);
  EXPECT_OK(iree_vm_list_set_value(list, 0, &value));
  EXPECT_STATUS(IREE_STATUS_FAILED_PRECONDITION,
                iree_vm_list_get_ref_retain(list, 0, &ref));
  ref = make_buffer_ref();
  EXPECT_OK(iree_vm_list_set_ref_move(list, 1, &ref));
  // A value over a reference, a reference over a value.
  EXPECT_OK(iree_vm_list_set_value(list, 1, &value));
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_VM_BUFFER), 0);
  ref = make_buffer_ref();
  EXPECT_OK(iree_vm_list_set_ref_move(list, 0, &ref));
  iree_vm_variant_t variant;
  EXPECT_OK(iree_vm_list_get_variant_retain(list, 0, &variant));
  EXPECT(iree_vm_variant_is_ref(variant));
  EXPECT_OK(iree_vm_list_push_variant_move(list, &variant));
  EXPECT(iree_vm_variant_is_empty(variant));
  EXPECT_OK(iree_vm_list_get_variant_move(list, 0, &variant));
  iree_vm_variant_reset(&variant);
  EXPECT_OK(iree_vm_list_get_ref_retain(list, 0, &ref));
  EXPECT(iree_vm_ref_is_null(&ref));
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_VM_BUFFER), 1);
  iree_vm_list_release(list);
  expect_nothing_alive();
}

CTEST(copies_overlap_and_convert) {
  iree_vm_list_t* list = make_variant_list();
  for (int32_t i = 0; i < 6; ++i) push_i32(list, i);
  EXPECT_OK(iree_vm_list_copy(list, 0, list, 2, 4));
  const int64_t forward[] = {0, 1, 0, 1, 2, 3};
  for (int i = 0; i < 6; ++i) EXPECT_EQ_I64(get_i64(list, i), forward[i]);
  EXPECT_OK(iree_vm_list_copy(list, 1, list, 0, 5));
  const int64_t backward[] = {1, 0, 1, 2, 3, 3};
  for (int i = 0; i < 6; ++i) EXPECT_EQ_I64(get_i64(list, i), backward[i]);
  iree_vm_list_t* typed = make_value_list(IREE_VM_VALUE_TYPE_I16);
  EXPECT_OK(iree_vm_list_resize(typed, 6));
  EXPECT_OK(iree_vm_list_copy(list, 0, typed, 0, 6));
  EXPECT_EQ_I64(get_i64(typed, 4), 3);
  iree_vm_list_t* refs =
      make_list(iree_vm_make_ref_type_def(IREE_VM_REF_TYPE_ANY));
  EXPECT_OK(iree_vm_list_resize(refs, 6));
  EXPECT_STATUS(IREE_STATUS_FAILED_PRECONDITION,
                iree_vm_list_copy(list, 0, refs, 0, 1));
  iree_vm_list_release(refs);
  iree_vm_list_release(typed);
  iree_vm_list_release(list);
  expect_nothing_alive();
}

CTEST(a_clone_shares_objects_but_not_elements) {
  iree_vm_list_t* list = make_variant_list();
  push_i32(list, 1);
  iree_vm_ref_t ref = make_buffer_ref();
  iree_vm_buffer_t* buffer = iree_vm_buffer_deref(ref);
  EXPECT_OK(iree_vm_list_push_ref_move(list, &ref));
  iree_vm_list_t* clone = NULL;
  REQUIRE_OK(iree_vm_list_clone(list, iree_allocator_system(), &clone));
  EXPECT_EQ_I64(buffer->ref_count, 2);
  push_i32(clone, 9);
  EXPECT_EQ_I64(iree_vm_list_size(list), 2);
  iree_vm_list_swap_storage(list, clone);
  EXPECT_EQ_I64(iree_vm_list_size(list), 3);
  iree_vm_list_clear(list);
  EXPECT_EQ_I64(buffer->ref_count, 1);
  iree_vm_list_release(clone);
  iree_vm_list_release(list);
  expect_nothing_alive();
}

CTEST(popping_the_front_moves_the_rest_up) {
  iree_vm_list_t* list =
      make_list(iree_vm_make_ref_type_def(IREE_VM_REF_TYPE_ANY));
  iree_vm_ref_t out = iree_vm_ref_null();
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                iree_vm_list_pop_front_ref_move(list, &out));
  iree_vm_ref_t refs[3];
  for (int i = 0; i < 3; ++i) {
    refs[i] = make_buffer_ref();
    EXPECT_OK(iree_vm_list_push_ref_retain(list, &refs[i]));
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_OK(iree_vm_list_pop_front_ref_move(list, &out));
    EXPECT(iree_vm_ref_equal(&out, &refs[i]));
    iree_vm_ref_release(&refs[i]);
  }
  EXPECT_EQ_I64(iree_vm_list_size(list), 0);
  iree_vm_ref_release(&out);
  iree_vm_list_release(list);
  expect_nothing_alive();
}

CTEST(lists_nested_a_million_deep_are_freed_without_recursion) {
  iree_vm_ref_t outer = iree_vm_ref_null();
  for (int i = 0; i < 1000000; ++i) {
    iree_vm_list_t* list = make_variant_list();
    EXPECT_OK(iree_vm_list_push_ref_move(list, &outer));
    outer = iree_vm_list_move_ref(list);
  }
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_VM_LIST),
                1000000);
  iree_vm_ref_release(&outer);
  expect_nothing_alive();
}

CTEST_MAIN()
