// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the tests of calling conventions and native modules.

#include "iree_cy/vm/api.h"
#include "tests/support/ctest.h"

//===----------------------------------------------------------------------===//
// Calling conventions
//===----------------------------------------------------------------------===//

static void expect_fragments(const char* cconv, const char* arguments,
                             const char* results) {
  iree_vm_function_signature_t signature = {iree_make_cstring_view(cconv)};
  iree_string_view_t actual_arguments, actual_results;
  EXPECT_OK(iree_vm_function_call_get_cconv_fragments(
      &signature, &actual_arguments, &actual_results));
  EXPECT_EQ_SV(actual_arguments, iree_make_cstring_view(arguments));
  EXPECT_EQ_SV(actual_results, iree_make_cstring_view(results));
}

CTEST(conventions_are_split_into_arguments_and_results) {
  expect_fragments("", "", "");
  expect_fragments("0", "", "");
  expect_fragments("0v", "", "");
  expect_fragments("0v_v", "", "");
  expect_fragments("0_", "", "");
  expect_fragments("0ri", "ri", "");
  expect_fragments("0v_ir", "", "ir");
  expect_fragments("0iCiIfFrD_rr", "iCiIfFrD", "rr");
}

CTEST(what_is_no_convention_is_refused) {
  const char* malformed[] = {"0x",    "0Ci", "0CD",      "0D",  "0CCiDD",
                             "0i_i_", "0vi", "0i_CrD_r", "0 i", "0i_v_"};
  iree_string_view_t arguments, results;
  for (int i = 0; i < 10; ++i) {
    iree_vm_function_signature_t signature = {
        iree_make_cstring_view(malformed[i])};
    EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                  iree_vm_function_call_get_cconv_fragments(
                      &signature, &arguments, &results));
  }
  iree_vm_function_signature_t version_1 = {IREE_SV("1i_i")};
  EXPECT_STATUS(IREE_STATUS_UNIMPLEMENTED,
                iree_vm_function_call_get_cconv_fragments(
                    &version_1, &arguments, &results));
}

CTEST(storage_sizes_follow_the_letters) {
  iree_host_size_t size = 0;
  EXPECT_OK(iree_vm_function_call_compute_cconv_fragment_size(IREE_SV("iIfFr"),
                                                              0, NULL, &size));
  EXPECT_EQ_I64(size, 4 + 8 + 4 + 8 + 16);
  const uint16_t segments[] = {0xFFFF, 3, 0xFFFF};
  EXPECT_OK(iree_vm_function_call_compute_cconv_fragment_size(IREE_SV("rCrID"
                                                                      "i"),
                                                              3, segments,
                                                              &size));
  EXPECT_EQ_I64(size, 16 + 4 + 3 * (16 + 8) + 4);
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_vm_function_call_compute_cconv_fragment_size(
                    IREE_SV("rCrD"), 1, segments, &size));
  EXPECT_OK(iree_vm_function_call_compute_cconv_fragment_size(IREE_SV("v"), 0,
                                                              NULL, &size));
  EXPECT_EQ_I64(size, 0);
}

static void check_storage(iree_status_code_t code, const char* fragment,
                          const void* data, iree_host_size_t length) {
  EXPECT_STATUS(code, iree_cy_vm_cconv_check_storage(
                          iree_make_cstring_view(fragment),
                          iree_make_const_byte_span(data, length)));
}

CTEST(storage_must_hold_exactly_what_the_convention_says) {
  int32_t words[8] = {2, 10, 20, 30, 40, 50, 60, 70};
  check_storage(IREE_STATUS_OK, "ii", words, 8);
  check_storage(IREE_STATUS_INVALID_ARGUMENT, "ii", words, 4);
  check_storage(IREE_STATUS_INVALID_ARGUMENT, "ii", words, 12);
  check_storage(IREE_STATUS_OK, "CiD", words, 12);
  check_storage(IREE_STATUS_OK, "CiIDi", words, 32);
  check_storage(IREE_STATUS_INVALID_ARGUMENT, "CiD", words, 8);
  check_storage(IREE_STATUS_INVALID_ARGUMENT, "CiD", words, 2);
  words[0] = INT32_MAX;
  check_storage(IREE_STATUS_INVALID_ARGUMENT, "CiD", words, 32);
  words[0] = -1;
  check_storage(IREE_STATUS_INVALID_ARGUMENT, "CiD", words, 32);
  check_storage(IREE_STATUS_OK, "v", NULL, 0);
  check_storage(IREE_STATUS_INVALID_ARGUMENT, "CrD", NULL, 0);
}

CTEST(releasing_storage_finds_every_reference) {
  iree_vm_buffer_t* buffer = NULL;
  REQUIRE_OK(iree_vm_buffer_create(0, 1, 0, iree_allocator_system(), &buffer));
  uint8_t data[4 + 16 + 4 + 2 * 24] = {0};
  uint8_t* cursor = data;
  iree_cy_vm_write_i32(&cursor, 7);
  iree_cy_vm_write_ref(&cursor, iree_vm_buffer_retain_ref(buffer));
  iree_cy_vm_write_i32(&cursor, 2);
  for (int i = 0; i < 2; ++i) {
    iree_cy_vm_write_i64(&cursor, i);
    iree_cy_vm_write_ref(&cursor, iree_vm_buffer_retain_ref(buffer));
  }
  EXPECT_EQ_I64(buffer->ref_count, 4);
  iree_cy_vm_cconv_release_refs(IREE_SV("irCIrD"),
                                iree_make_byte_span(data, sizeof(data)));
  EXPECT_EQ_I64(buffer->ref_count, 1);
  iree_vm_buffer_release(buffer);
}

CTEST(equal_conventions_may_be_written_differently) {
  EXPECT(iree_cy_vm_cconv_equal(IREE_SV("0v_v"), IREE_SV("0")));
  EXPECT(iree_cy_vm_cconv_equal(IREE_SV("0ri_v"), IREE_SV("0ri")));
  EXPECT(!iree_cy_vm_cconv_equal(IREE_SV("0ri"), IREE_SV("0rI")));
  EXPECT(!iree_cy_vm_cconv_equal(IREE_SV("0i_i"), IREE_SV("0ii")));
}

//===----------------------------------------------------------------------===//
// Native modules
//===----------------------------------------------------------------------===//

static iree_status_t nothing(iree_vm_stack_t* stack, void* module, void* state,
                             iree_byte_span_t arguments,
                             iree_byte_span_t results) {
  (void)stack, (void)module, (void)state, (void)arguments, (void)results;
  return iree_ok_status();
}

static const iree_string_pair_t function_attrs[] = {
    {IREE_SVL("iree.abi"), IREE_SVL("{}")}};
static const iree_string_pair_t module_attrs[] = {
    {IREE_SVL("first"), IREE_SVL("1")}, {IREE_SVL("second"), IREE_SVL("2")}};

// Releases |module_interface|'s module, noting that it did.
static int module_destroy_count = 0;
static void module_destroy(void* self) {
  EXPECT(self == &module_destroy_count);
  ++module_destroy_count;
}

static iree_status_t make_module(
    const iree_vm_native_export_descriptor_t* exports, iree_host_size_t count,
    iree_vm_module_t** out_module) {
  static iree_vm_native_module_descriptor_t descriptor;
  memset(&descriptor, 0, sizeof(descriptor));
  descriptor.name = IREE_SV("test");
  descriptor.version = 3;
  descriptor.attr_count = 2;
  descriptor.attrs = module_attrs;
  descriptor.exports = exports;
  descriptor.export_count = count;
  iree_vm_instance_t* instance = NULL;
  IREE_RETURN_IF_ERROR(iree_vm_instance_create(
      IREE_VM_TYPE_CAPACITY_DEFAULT, iree_allocator_system(), &instance));
  iree_vm_module_t interface;
  memset(&interface, 0, sizeof(interface));
  interface.self = &module_destroy_count;
  interface.destroy = module_destroy;
  iree_status_t status = iree_vm_native_module_create(
      &interface, &descriptor, instance, iree_allocator_system(), out_module);
  iree_vm_instance_release(instance);
  return status;
}

static void expect_nothing_alive(void) {
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_VM_MODULE), 0);
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_VM_INSTANCE), 0);
}

// The exports are found by name whatever their order is.
static void check_reflection(const iree_vm_native_export_descriptor_t* exports,
                             iree_host_size_t count) {
  module_destroy_count = 0;
  iree_vm_module_t* module = NULL;
  REQUIRE_OK(make_module(exports, count, &module));
  EXPECT_EQ_SV(iree_vm_module_name(module), IREE_SV("test"));
  EXPECT_EQ_I64(iree_vm_module_signature(module).version, 3);
  EXPECT_EQ_I64(iree_vm_module_signature(module).export_function_count, count);
  EXPECT_EQ_SV(iree_vm_module_lookup_attr_by_name(module, IREE_SV("second")),
               IREE_SV("2"));
  EXPECT_EQ_SV(iree_vm_module_lookup_attr_by_name(module, IREE_SV("third")),
               IREE_SV(""));
  for (iree_host_size_t i = 0; i < count; ++i) {
    iree_vm_function_t function;
    EXPECT_OK(iree_vm_module_lookup_function_by_name(
        module, IREE_VM_FUNCTION_LINKAGE_EXPORT, exports[i].local_name,
        &function));
    EXPECT_EQ_I64(function.ordinal, i);
    EXPECT(function.module == module);
    EXPECT_EQ_SV(iree_vm_function_name(&function), exports[i].local_name);
    EXPECT_EQ_SV(iree_vm_function_signature(&function).calling_convention,
                 exports[i].calling_convention);
    EXPECT_EQ_SV(
        iree_vm_function_lookup_attr_by_name(&function, IREE_SV("iree.abi")),
        exports[i].attr_count ? IREE_SV("{}") : IREE_SV(""));
  }
  iree_vm_function_t function;
  EXPECT_STATUS(
      IREE_STATUS_NOT_FOUND,
      iree_vm_module_lookup_function_by_name(
          module, IREE_VM_FUNCTION_LINKAGE_EXPORT, IREE_SV("zzz"), &function));
  EXPECT(iree_vm_function_is_null(function));
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                iree_vm_module_lookup_function_by_ordinal(
                    module, IREE_VM_FUNCTION_LINKAGE_EXPORT, count, &function));
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                iree_vm_module_lookup_function_by_ordinal(
                    module, IREE_VM_FUNCTION_LINKAGE_IMPORT, 0, &function));
  iree_vm_module_release(module);
  EXPECT_EQ_I64(module_destroy_count, 1);
  expect_nothing_alive();
}

CTEST(a_native_module_shows_what_its_table_says) {
  const iree_vm_native_export_descriptor_t sorted[] = {
      {IREE_SVL("alpha"), IREE_SVL("0v_v"), nothing, 1, function_attrs},
      {IREE_SVL("alpha.beta"), IREE_SVL("0ri_I"), nothing, 0, NULL},
      {IREE_SVL("gamma"), IREE_SVL("0CrD_r"), nothing, 0, NULL},
  };
  check_reflection(sorted, 3);
  const iree_vm_native_export_descriptor_t unsorted[] = {sorted[2], sorted[0],
                                                         sorted[1]};
  check_reflection(unsorted, 3);
  check_reflection(NULL, 0);
}

CTEST(a_broken_table_is_refused_and_self_stays_the_callers) {
  module_destroy_count = 0;
  iree_vm_module_t* module = NULL;
  const iree_vm_native_export_descriptor_t malformed[] = {
      {IREE_SVL("a"), IREE_SVL("0x"), nothing, 0, NULL}};
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                make_module(malformed, 1, &module));
  const iree_vm_native_export_descriptor_t no_function[] = {
      {IREE_SVL("a"), IREE_SVL("0v"), NULL, 0, NULL}};
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                make_module(no_function, 1, &module));
  const iree_vm_native_export_descriptor_t twice[] = {
      {IREE_SVL("a"), IREE_SVL("0v"), nothing, 0, NULL},
      {IREE_SVL("a"), IREE_SVL("0v"), nothing, 0, NULL}};
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT, make_module(twice, 2, &module));
  EXPECT(module == NULL);
  EXPECT_EQ_I64(module_destroy_count, 0);
  expect_nothing_alive();
}

CTEST_MAIN()
