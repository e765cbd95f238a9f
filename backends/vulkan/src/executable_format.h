// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns reading the executables that the compiler writes for Vulkan, and the
// names of their formats.

#ifndef IREE_CY_VULKAN_EXECUTABLE_FORMAT_H_
#define IREE_CY_VULKAN_EXECUTABLE_FORMAT_H_

#include "spirv.h"

//===-- formats -------------------------------------------------------------===

typedef enum vulkan_executable_format_e {
  VULKAN_EXECUTABLE_FORMAT_UNKNOWN,
  // "vulkan-spirv-fb": buffers are given by descriptors.
  VULKAN_EXECUTABLE_FORMAT_DESCRIPTORS,
  // "vulkan-spirv-bda-v1": by addresses in a table, whose own address is a push
  // constant. Needs bufferDeviceAddress and shaderInt64.
  VULKAN_EXECUTABLE_FORMAT_ADDRESSES,
} vulkan_executable_format_t;

// UNKNOWN for a name that is none of these. ("vulkan-spirv-fb-ptr", which the
// compiler still names, is not: its shaders take a table of addresses from set
// 3, which no layout in the file has.)
vulkan_executable_format_t vulkan_executable_format_parse(
    iree_string_view_t name);
iree_string_view_t vulkan_executable_format_name(
    vulkan_executable_format_t format);

// The format of |data| as its contents say, and how many bytes it has.
iree_status_t vulkan_executable_infer_format(
    iree_const_byte_span_t data, vulkan_executable_format_t* out_format,
    iree_host_size_t* out_size);

//===-- executables ---------------------------------------------------------===

// The descriptor for one HAL binding; types are VkDescriptorType.
typedef struct vulkan_binding_def_t {
  uint32_t binding;
  uint32_t descriptor_type;
  uint32_t descriptor_count;
} vulkan_binding_def_t;

// By ascending binding, each once.
typedef struct vulkan_set_layout_def_t {
  uint32_t binding_count;
  const vulkan_binding_def_t* bindings;
} vulkan_set_layout_def_t;

typedef struct vulkan_pipeline_layout_def_t {
  uint32_t set_count;
  // Indices into set_layouts.
  const uint32_t* sets;
  // Bytes from 0, a multiple of 4; all of them visible to compute shaders.
  uint32_t push_constant_size;
  // Descriptors in all sets: HAL binding b is the b-th of them, counted by set,
  // binding and element.
  uint32_t descriptor_count;
  uint32_t storage_buffer_count;
  uint32_t uniform_buffer_count;
} vulkan_pipeline_layout_def_t;

// What a shader asks of the address of a binding.
typedef struct vulkan_address_def_t {
  uint32_t minimum_alignment;
  uint64_t minimum_length;
} vulkan_address_def_t;

typedef struct vulkan_source_location_t {
  // The stage of compilation; empty for the location to be shown.
  iree_string_view_t stage;
  iree_string_view_t file;
  int32_t line;
} vulkan_source_location_t;

// An exported function.
typedef struct vulkan_pipeline_def_t {
  // The entry point; a NUL follows.
  iree_string_view_t name;
  // Indices into modules and pipeline_layouts.
  uint32_t module;
  uint32_t layout;
  // 0: any.
  uint32_t subgroup_size;
  // As a dispatch gives them.
  uint32_t constant_count;
  uint32_t binding_count;
  // Where the constants lie among the push constants.
  uint32_t constant_offset;
  // ADDRESSES: where the root lies, 32 bytes: u64 address of the table of
  // bindings (u64 addresses), and 24 bytes of 0.
  uint32_t root_offset;
  // ADDRESSES: binding_count of them, or NULL.
  const vulkan_address_def_t* addresses;
  // What the shader is and uses. Checked: the layout has its bindings, of their
  // type, and its push constants.
  const vulkan_spirv_entry_point_t* entry_point;
  // The first is the one to be shown.
  uint32_t location_count;
  const vulkan_source_location_t* locations;
} vulkan_pipeline_def_t;

typedef struct vulkan_source_file_t {
  iree_string_view_t path;
  iree_const_byte_span_t content;
} vulkan_source_file_t;

// Borrows the data: names, locations, source files, and words of modules that
// lie aligned.
typedef struct vulkan_executable_def_t {
  iree_allocator_t host_allocator;
  vulkan_executable_format_t format;
  uint32_t set_layout_count;
  uint32_t pipeline_layout_count;
  uint32_t module_count;
  uint32_t pipeline_count;
  uint32_t source_file_count;
  const vulkan_set_layout_def_t* set_layouts;
  const vulkan_pipeline_layout_def_t* pipeline_layouts;
  const vulkan_spirv_module_t* modules;
  const vulkan_pipeline_def_t* pipelines;
  const vulkan_source_file_t* source_files;
  // Whose the arrays are.
  struct vulkan_executable_block_t* blocks;
} vulkan_executable_def_t;

// Reads an executable of the format named |params->executable_format|, with
// its constants as values of specialization constants. Every count, index and
// offset is checked, the SPIR-V as vulkan_spirv_module_read does. An error says
// in a sentence what is wrong with which export.
iree_status_t vulkan_executable_def_read(
    const iree_hal_executable_params_t* params, iree_allocator_t host_allocator,
    vulkan_executable_def_t* out_def);
void vulkan_executable_def_deinitialize(vulkan_executable_def_t* def);

//===-- what a device has ---------------------------------------------------===

// VkPhysicalDeviceLimits and what belongs to it.
typedef struct vulkan_device_limits_t {
  vulkan_spirv_needs_t available;
  uint32_t max_workgroup_size[3];
  uint32_t max_workgroup_invocations;
  uint32_t max_workgroup_memory_size;
  uint32_t max_push_constant_size;
  uint32_t max_bound_sets;
  uint32_t max_storage_buffers;
  uint32_t max_uniform_buffers;
  // 0 in both: sizes of subgroups cannot be asked for.
  uint32_t min_subgroup_size;
  uint32_t max_subgroup_size;
} vulkan_device_limits_t;

// Whether the device can run all pipelines. UNAVAILABLE names the first export
// that it cannot, and the features, extensions or limit in the way.
iree_status_t vulkan_executable_def_check_device(
    const vulkan_executable_def_t* def, const vulkan_device_limits_t* limits);

#endif  // IREE_CY_VULKAN_EXECUTABLE_FORMAT_H_
