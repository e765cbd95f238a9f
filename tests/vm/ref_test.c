// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the tests of references, values, the instance and type look-up.

#include <math.h>

#include "iree_cy/vm/api.h"
#include "tests/support/ctest.h"

// An object with its counter at offset 8, as resources have it.
typedef struct counted_t {
  uint64_t padding;
  iree_atomic_ref_count_t ref_count;
  int* destroy_count;
} counted_t;

static void counted_destroy(void* ptr) {
  ++*((counted_t*)ptr)->destroy_count;
  free(ptr);
}

static const iree_vm_ref_type_descriptor_t counted_descriptor = {
    .destroy = counted_destroy,
    .type_name = {"test.counted", 12},
    .offsetof_counter = offsetof(counted_t, ref_count),
};
static iree_vm_ref_type_t counted_type(void) {
  return iree_vm_make_ref_type(&counted_descriptor);
}
IREE_VM_DECLARE_TYPE_ADAPTERS(counted, counted_t)

static counted_t* counted_create(int* destroy_count) {
  counted_t* object = (counted_t*)calloc(1, sizeof(*object));
  object->ref_count = 1;
  object->destroy_count = destroy_count;
  return object;
}

CTEST(a_reference_counts_at_its_offset) {
  int destroyed = 0;
  counted_t* object = counted_create(&destroyed);
  iree_vm_ref_t a = counted_move_ref(object);
  iree_vm_ref_t b = iree_vm_ref_null();
  iree_vm_ref_retain(&a, &b);
  EXPECT_EQ_I64(object->ref_count, 2);
  EXPECT(iree_vm_ref_equal(&a, &b));
  iree_vm_ref_release(&a);
  EXPECT(iree_vm_ref_is_null(&a));
  EXPECT_EQ_I64(destroyed, 0);
  iree_vm_ref_move(&b, &a);
  EXPECT(iree_vm_ref_is_null(&b));
  iree_vm_ref_release(&a);
  EXPECT_EQ_I64(destroyed, 1);
}

CTEST(retain_and_move_onto_itself_change_nothing) {
  int destroyed = 0;
  iree_vm_ref_t ref = counted_move_ref(counted_create(&destroyed));
  iree_vm_ref_retain(&ref, &ref);
  EXPECT_EQ_I64(counted_deref(ref)->ref_count, 1);
  iree_vm_ref_move(&ref, &ref);
  EXPECT_EQ_I64(destroyed, 0);
  EXPECT(!iree_vm_ref_is_null(&ref));
  iree_vm_ref_release(&ref);
  EXPECT_EQ_I64(destroyed, 1);
}

CTEST(overwriting_a_reference_releases_the_old_one) {
  int destroyed = 0;
  iree_vm_ref_t a = counted_move_ref(counted_create(&destroyed));
  iree_vm_ref_t b = counted_move_ref(counted_create(&destroyed));
  iree_vm_ref_retain(&b, &a);
  EXPECT_EQ_I64(destroyed, 1);
  iree_vm_ref_release(&a);
  iree_vm_ref_release(&b);
  EXPECT_EQ_I64(destroyed, 2);
}

CTEST(a_reference_of_another_type_is_refused_by_name) {
  int destroyed = 0;
  iree_vm_ref_t ref = counted_move_ref(counted_create(&destroyed));
  iree_vm_buffer_t* buffer = NULL;
  iree_status_t status = iree_vm_buffer_check_deref(ref, &buffer);
  EXPECT_EQ_SV(iree_status_message(status),
               IREE_SV("a reference to vm.buffer is wanted, this one is "
                       "test.counted"));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT, status);
  EXPECT(buffer == NULL);
  EXPECT(iree_vm_buffer_deref(ref) == NULL);
  EXPECT_OK(iree_vm_buffer_check_deref_or_null(iree_vm_ref_null(), &buffer));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_vm_buffer_check_deref(iree_vm_ref_null(), &buffer));
  iree_vm_ref_t target = iree_vm_ref_null();
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_vm_ref_retain_or_move_checked(
                    true, &ref, iree_vm_list_type(), &target));
  EXPECT(!iree_vm_ref_is_null(&ref));
  EXPECT_OK(iree_vm_ref_retain_or_move_checked(true, &ref, IREE_VM_REF_TYPE_ANY,
                                               &target));
  iree_vm_ref_release(&target);
  EXPECT_EQ_I64(destroyed, 1);
}

static int resource_destroy_count = 0;
static void resource_destroy(void* resource) {
  ++resource_destroy_count;
  free(resource);
}

CTEST(a_resource_is_destroyed_once_and_leaves_the_live_count) {
  static const iree_cy_resource_vtable_t vtable = {
      .header = {.size = sizeof(vtable), .kind = IREE_CY_OBJECT_KIND_EVENT},
      .destroy = resource_destroy,
  };
  static const iree_vm_ref_type_descriptor_t descriptor = {
      .destroy = iree_cy_vm_resource_destroy,
      .type_name = {"test.resource", 13},
      .offsetof_counter = offsetof(iree_hal_resource_t, ref_count),
  };
  int64_t live = iree_cy_live_object_count(IREE_CY_OBJECT_KIND_EVENT);
  iree_hal_resource_t* resource =
      (iree_hal_resource_t*)calloc(1, sizeof(*resource));
  iree_hal_resource_initialize(&vtable, resource);
  iree_vm_ref_t ref = iree_vm_ref_null();
  iree_vm_ref_wrap_assign(resource, iree_vm_make_ref_type(&descriptor), &ref);
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_EVENT), live + 1);
  resource_destroy_count = 0;
  iree_vm_ref_release(&ref);
  EXPECT_EQ_I64(resource_destroy_count, 1);
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_EVENT), live);
}

CTEST(an_instance_knows_its_types_by_name) {
  iree_vm_instance_t* instance = NULL;
  REQUIRE_OK(iree_vm_instance_create(3, iree_allocator_system(), &instance));
  EXPECT_EQ_I64(iree_vm_instance_lookup_type(instance, IREE_SV("vm.list")),
                iree_vm_list_type());
  EXPECT_EQ_I64(iree_vm_instance_lookup_type(instance, IREE_SV("vm.buffer")),
                iree_vm_buffer_type());
  EXPECT_EQ_I64(iree_vm_instance_lookup_type(instance, IREE_SV("vm.none")), 0);
  iree_vm_ref_type_t type = 0;
  EXPECT_OK(
      iree_vm_instance_register_type(instance, &counted_descriptor, &type));
  EXPECT_OK(
      iree_vm_instance_register_type(instance, &counted_descriptor, &type));
  EXPECT_EQ_I64(type, counted_type());
  EXPECT_EQ_SV(iree_vm_ref_type_name(type), IREE_SV("test.counted"));
  static const iree_vm_ref_type_descriptor_t same_name = {
      .destroy = counted_destroy, .type_name = {"test.counted", 12}};
  EXPECT_STATUS(IREE_STATUS_ALREADY_EXISTS,
                iree_vm_instance_register_type(instance, &same_name, &type));
  static const iree_vm_ref_type_descriptor_t fourth = {
      .destroy = counted_destroy, .type_name = {"test.fourth", 11}};
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                iree_vm_instance_register_type(instance, &fourth, &type));
  static const iree_vm_ref_type_descriptor_t far_counter = {
      .destroy = counted_destroy,
      .type_name = {"test.far", 8},
      .offsetof_counter = 32};
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_vm_instance_register_type(instance, &far_counter, &type));
  iree_vm_instance_release(instance);
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_VM_INSTANCE), 0);
}

static iree_vm_value_t converted(iree_vm_value_t value,
                                 iree_vm_value_type_t type) {
  iree_vm_value_t result;
  EXPECT_OK(iree_cy_vm_value_convert(&value, type, &result));
  EXPECT_EQ_I64(result.type, type);
  return result;
}

CTEST(values_convert_as_in_c_and_saturate_from_floats) {
  EXPECT_EQ_I64(
      converted(iree_vm_value_make_i32(300), IREE_VM_VALUE_TYPE_I8).i8, 44);
  EXPECT_EQ_I64(
      converted(iree_vm_value_make_i8(-1), IREE_VM_VALUE_TYPE_I64).i64, -1);
  EXPECT_EQ_I64(converted(iree_vm_value_make_i64(INT64_C(0x123456789)),
                          IREE_VM_VALUE_TYPE_I32)
                    .i32,
                0x23456789);
  EXPECT_EQ_F64(
      converted(iree_vm_value_make_i32(7), IREE_VM_VALUE_TYPE_F32).f32, 7.0);
  EXPECT_EQ_F64(
      converted(iree_vm_value_make_f32(0.5f), IREE_VM_VALUE_TYPE_F64).f64, 0.5);
  EXPECT_EQ_I64(
      converted(iree_vm_value_make_f64(-2.9), IREE_VM_VALUE_TYPE_I32).i32, -2);
  EXPECT_EQ_I64(
      converted(iree_vm_value_make_f64(1e30), IREE_VM_VALUE_TYPE_I64).i64,
      INT64_MAX);
  EXPECT_EQ_I64(
      converted(iree_vm_value_make_f64(-1e30), IREE_VM_VALUE_TYPE_I32).i32,
      INT32_MIN);
  EXPECT_EQ_I64(
      converted(iree_vm_value_make_f32(1000.f), IREE_VM_VALUE_TYPE_I8).i8, 127);
  EXPECT_EQ_I64(
      converted(iree_vm_value_make_f64(NAN), IREE_VM_VALUE_TYPE_I64).i64, 0);
  iree_vm_value_t none = iree_vm_value_make_none();
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_cy_vm_value_convert(&none, IREE_VM_VALUE_TYPE_I32, &none));
}

CTEST(a_type_definition_is_a_value_a_reference_or_either) {
  iree_vm_type_def_t value =
      iree_vm_make_value_type_def(IREE_VM_VALUE_TYPE_F64);
  EXPECT(iree_vm_type_def_is_value(value) && !iree_vm_type_def_is_ref(value));
  EXPECT_EQ_I64(iree_vm_type_def_as_value(value), IREE_VM_VALUE_TYPE_F64);
  // The tag of the counter's offset does not make it a value.
  iree_vm_type_def_t ref = iree_vm_make_ref_type_def(counted_type());
  EXPECT(!iree_vm_type_def_is_value(ref) && iree_vm_type_def_is_ref(ref));
  EXPECT_EQ_I64(iree_vm_type_def_as_ref(ref), counted_type());
  iree_vm_type_def_t any = iree_vm_make_ref_type_def(IREE_VM_REF_TYPE_ANY);
  EXPECT(iree_vm_type_def_is_ref(any));
  EXPECT(iree_vm_type_def_is_variant(iree_vm_make_undefined_type_def()));
}

CTEST_MAIN()
