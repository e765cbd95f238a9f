// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns a Vulkan instance: its entry points, layers, and what it has to say.

#ifndef IREE_CY_VULKAN_INSTANCE_H_
#define IREE_CY_VULKAN_INSTANCE_H_

#include "iree_cy/plugin.h"
//
#include "vulkan_functions.h"

typedef struct vulkan_instance_options_t {
  // VK_LAYER_KHRONOS_validation, whose warnings and errors go to the log.
  bool validation;
  // Names of objects, where the loader has VK_EXT_debug_utils.
  bool debug_names;
} vulkan_instance_options_t;

typedef struct vulkan_instance_t {
  VkInstance handle;
  vulkan_instance_table_t vk;
  VkDebugUtilsMessengerEXT messenger;
  bool has_debug_utils;
} vulkan_instance_t;

// Opens the loader and makes an instance. The four things that can be missing
// are told apart: the loader, any manifest, a manifest in order; that there is
// a device, vulkan_physical_devices_query tells. Nothing is kept of a failure,
// so that the next try sees what was put right.
iree_status_t vulkan_instance_initialize(
    const vulkan_instance_options_t* options, iree_allocator_t host_allocator,
    vulkan_instance_t* out_instance);
void vulkan_instance_deinitialize(vulkan_instance_t* instance);

#endif  // IREE_CY_VULKAN_INSTANCE_H_
