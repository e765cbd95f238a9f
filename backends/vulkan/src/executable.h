// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns executables: pipelines made of what the compiler wrote, and the cache
// that makes them.

#ifndef IREE_CY_VULKAN_EXECUTABLE_H_
#define IREE_CY_VULKAN_EXECUTABLE_H_

#include "logical_device.h"

// A function as dispatches need it.
typedef struct vulkan_function_t {
  VkPipeline pipeline;
  VkPipelineLayout layout;
  char* name;
  uint32_t workgroup_size[3];
  uint32_t constant_count;
  uint32_t constant_offset;
  uint32_t binding_count;
  // Whether buffers are given by address, in a table whose own address is a
  // push constant, and where that lies.
  bool uses_addresses;
  uint32_t root_offset;
  // Else the types of the descriptors, in the order of the HAL's bindings, and
  // their numbers in the set.
  uint32_t* binding_numbers;
  VkDescriptorType* binding_types;
} vulkan_function_t;

// Function |function| of |executable|. INVALID_ARGUMENT, naming both sides, for
// one that was not made for |logical|.
iree_status_t vulkan_executable_lookup(const vulkan_logical_device_t* logical,
                                       iree_hal_executable_t* executable,
                                       iree_hal_executable_function_t function,
                                       const vulkan_function_t** out_function);

// Whether a device loads executables of |format|.
bool vulkan_executable_format_is_supported(
    const vulkan_logical_device_t* logical, iree_string_view_t format);

// Keeps |logical|.
iree_status_t vulkan_executable_cache_create(
    vulkan_logical_device_t* logical, iree_allocator_t host_allocator,
    iree_hal_executable_cache_t** out_executable_cache);

// Registers the vtables. Inside the plugin query.
iree_status_t vulkan_executable_register(iree_string_view_t owner);

#endif  // IREE_CY_VULKAN_EXECUTABLE_H_
