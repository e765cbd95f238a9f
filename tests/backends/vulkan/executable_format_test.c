// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the tests of executables that need no compiler: formats, headers, and
// what a device has.

#include "tests/backends/vulkan/executable_sources.h"
#include "tests/support/ctest.h"

static void expect_message(const char* text, iree_status_code_t code,
                           iree_status_t status) {
  char message[1024] = {0};
  iree_status_format(status, sizeof(message), message);
  if (!strstr(message, text)) {
    ctest_fail(__FILE__, __LINE__, "'%s' does not say '%s'", message, text);
  }
  EXPECT_STATUS(code, status);
}

//===-- formats and headers -------------------------------------------------===

CTEST(knows_two_formats) {
  EXPECT_EQ_I64(vulkan_executable_format_parse(IREE_SV("vulkan-spirv-fb")),
                VULKAN_EXECUTABLE_FORMAT_DESCRIPTORS);
  EXPECT_EQ_I64(vulkan_executable_format_parse(IREE_SV("vulkan-spirv-bda-v1")),
                VULKAN_EXECUTABLE_FORMAT_ADDRESSES);
  EXPECT_EQ_I64(vulkan_executable_format_parse(IREE_SV("vulkan-spirv-fb-ptr")),
                VULKAN_EXECUTABLE_FORMAT_UNKNOWN);
  EXPECT_EQ_I64(vulkan_executable_format_parse(IREE_SV("unknown")),
                VULKAN_EXECUTABLE_FORMAT_UNKNOWN);
  EXPECT_EQ_I64(vulkan_executable_format_parse(iree_string_view_empty()),
                VULKAN_EXECUTABLE_FORMAT_UNKNOWN);
}

static iree_status_t read_bytes(iree_string_view_t format, const void* data,
                                size_t length) {
  const iree_hal_executable_params_t params = {
      .size = sizeof(params),
      .executable_format = format,
      .executable_data = iree_make_const_byte_span(data, length),
  };
  vulkan_executable_def_t def;
  iree_status_t status =
      vulkan_executable_def_read(&params, iree_allocator_system(), &def);
  if (iree_status_is_ok(status)) vulkan_executable_def_deinitialize(&def);
  return status;
}

CTEST(refuses_other_headers) {
  const iree_string_view_t format = IREE_SV("vulkan-spirv-fb");
  struct {
    char identifier[4];
    uint32_t version;
    uint64_t size;
    uint64_t reserved[6];
    uint8_t contents[16];
  } file = {.identifier = "VKE1", .size = sizeof(file.contents)};
  static_assert(sizeof(file) == 80, "a header of 64 bytes and the contents");
  expect_message("do not run here", IREE_STATUS_NOT_FOUND,
                 read_bytes(IREE_SV("cuda-nvptx-fb"), &file, sizeof(file)));
  expect_message("63 bytes that do not begin with 'VKE1'",
                 IREE_STATUS_INVALID_ARGUMENT, read_bytes(format, &file, 63));
  file.size = 17;
  expect_message(
      "is cut short: it says that it has 17 bytes of contents, of "
      "which 16 are there",
      IREE_STATUS_INVALID_ARGUMENT, read_bytes(format, &file, sizeof(file)));
  file.size = UINT64_MAX;
  expect_message("is cut short", IREE_STATUS_INVALID_ARGUMENT,
                 read_bytes(format, &file, sizeof(file)));
  file.size = 16;
  expect_message("its root reaches outside of its 16 bytes",
                 IREE_STATUS_INVALID_ARGUMENT,
                 read_bytes(format, &file, sizeof(file)));
  vulkan_executable_format_t inferred;
  iree_host_size_t size = 1;
  expect_message(
      "reaches outside", IREE_STATUS_INVALID_ARGUMENT,
      vulkan_executable_infer_format(
          iree_make_const_byte_span(&file, sizeof(file)), &inferred, &size));
  EXPECT_EQ_I64(size, 0);
  file.version = 1;
  expect_message("has version 1; this driver reads version 0",
                 IREE_STATUS_INCOMPATIBLE,
                 read_bytes(format, &file, sizeof(file)));
  file.identifier[3] = '2';
  expect_message("80 bytes that do not begin with 'VKE1'",
                 IREE_STATUS_INVALID_ARGUMENT,
                 read_bytes(format, &file, sizeof(file)));
}

//===-- devices -------------------------------------------------------------===

// An executable with one export that needs a little of everything, and a device
// that has just that.
typedef struct pair_t {
  uint32_t sets[2];
  vulkan_spirv_module_t module;
  vulkan_spirv_entry_point_t entry_point;
  vulkan_pipeline_layout_def_t layout;
  vulkan_pipeline_def_t pipeline;
  vulkan_executable_def_t def;
  vulkan_device_limits_t limits;
} pair_t;

static void make_pair(pair_t* pair) {
  *pair = (pair_t){
      .module.needs.features = UINT64_C(1) << VULKAN_FEATURE_shaderInt64,
      .entry_point = {.workgroup_size = {8, 4, 2},
                      .workgroup_memory_size = 1000},
      .layout = {.set_count = 2,
                 .push_constant_size = 128,
                 .descriptor_count = 5,
                 .storage_buffer_count = 3,
                 .uniform_buffer_count = 2},
      .pipeline = {.name = IREE_SV("add"), .subgroup_size = 32},
      .limits = {.available.features = UINT64_C(1)
                                       << VULKAN_FEATURE_shaderInt64,
                 .max_workgroup_size = {8, 4, 2},
                 .max_workgroup_invocations = 64,
                 .max_workgroup_memory_size = 1000,
                 .max_push_constant_size = 128,
                 .max_bound_sets = 2,
                 .max_storage_buffers = 3,
                 .max_uniform_buffers = 2,
                 .min_subgroup_size = 32,
                 .max_subgroup_size = 32},
  };
  pair->layout.sets = pair->sets;
  pair->pipeline.entry_point = &pair->entry_point;
  pair->def = (vulkan_executable_def_t){
      .pipeline_layout_count = 1,
      .module_count = 1,
      .pipeline_count = 1,
      .pipeline_layouts = &pair->layout,
      .modules = &pair->module,
      .pipelines = &pair->pipeline,
  };
}

static void expect_refusal(const pair_t* pair, const char* text) {
  expect_message(text, IREE_STATUS_UNAVAILABLE,
                 vulkan_executable_def_check_device(&pair->def, &pair->limits));
}

CTEST(takes_a_device_that_has_just_enough) {
  pair_t pair;
  make_pair(&pair);
  EXPECT_OK(vulkan_executable_def_check_device(&pair.def, &pair.limits));
  pair.pipeline.subgroup_size = 0;
  pair.limits.min_subgroup_size = pair.limits.max_subgroup_size = 0;
  EXPECT_OK(vulkan_executable_def_check_device(&pair.def, &pair.limits));
}

CTEST(names_each_limit_in_the_way) {
  pair_t pair;
  make_pair(&pair);
  struct {
    uint32_t* limit;
    const char* text;
  } const cases[] = {
      {&pair.limits.max_workgroup_size[0],
       "export 'add' needs workgroups with a width of 8, the device has at "
       "most 7"},
      {&pair.limits.max_workgroup_size[1], "a height of 4"},
      {&pair.limits.max_workgroup_size[2], "a depth of 2"},
      {&pair.limits.max_workgroup_invocations, "a number of invocations of 64"},
      {&pair.limits.max_workgroup_memory_size, "a number of bytes of 1000"},
      {&pair.limits.max_push_constant_size, "a number of bytes of 128"},
      {&pair.limits.max_bound_sets, "a number of descriptor sets of 2"},
      {&pair.limits.max_storage_buffers, "a number of storage buffers of 3"},
      {&pair.limits.max_uniform_buffers, "a number of uniform buffers of 2"},
      {&pair.limits.max_subgroup_size, "subgroups of 32"},
  };
  for (size_t i = 0; i < IREE_ARRAYSIZE(cases); ++i) {
    --*cases[i].limit;
    expect_refusal(&pair, cases[i].text);
    ++*cases[i].limit;
  }
  ++pair.limits.min_subgroup_size;
  expect_refusal(&pair, "needs subgroups of 32, the device has those of 33");
  --pair.limits.min_subgroup_size;
  EXPECT_OK(vulkan_executable_def_check_device(&pair.def, &pair.limits));
}

// Three sizes whose product is 0 in 64 bits.
CTEST(counts_invocations_beyond_64_bits) {
  pair_t pair;
  make_pair(&pair);
  for (int i = 0; i < 3; ++i) {
    pair.entry_point.workgroup_size[i] = 0x80000000;
    pair.limits.max_workgroup_size[i] = 0x80000000;
  }
  expect_refusal(&pair, "a number of invocations of 18446744073709551615");
}

CTEST(names_features_as_many_as_fit) {
  pair_t pair;
  make_pair(&pair);
  pair.limits.available.features = 0;
  expect_refusal(&pair,
                 "export 'add' needs shaderInt64, which the device lacks");
  pair.module.needs.features |= UINT64_C(1) << VULKAN_FEATURE_shaderFloat64;
  expect_refusal(&pair, "needs shaderFloat64, shaderInt64, which");
  // All there are still make one line.
  pair.module.needs.features = (UINT64_C(1) << VULKAN_FEATURE_COUNT) - 1;
  pair.module.needs.extensions = 1;
  char name[100];
  memset(name, 'x', sizeof(name));
  pair.pipeline.name = iree_make_string_view(name, sizeof(name));
  iree_status_t status =
      vulkan_executable_def_check_device(&pair.def, &pair.limits);
  EXPECT(iree_status_message(status).size < 200);
  expect_message("more, which the device lacks", IREE_STATUS_UNAVAILABLE,
                 status);
}

CTEST_MAIN()
