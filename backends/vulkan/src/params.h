// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the parameters of a device.

#ifndef IREE_CY_VULKAN_PARAMS_H_
#define IREE_CY_VULKAN_PARAMS_H_

#include "iree_cy/plugin.h"

// Each bit of an affinity is a queue.
#define VULKAN_MAX_QUEUE_COUNT 16

typedef enum vulkan_memory_preference_e {
  // The device's own memory; of it, what the host sees too, where that is all.
  VULKAN_MEMORY_AUTO = 0,
  // The device's own memory that the host does not see, where there is such.
  VULKAN_MEMORY_DEVICE = 1,
  // Memory that the host sees.
  VULKAN_MEMORY_HOST = 2,
} vulkan_memory_preference_t;

typedef struct vulkan_device_params_t {
  // Position in the list of devices; -1: not given.
  int32_t index;
  // -1: the driver's choice.
  int32_t queue_family;
  // 0: as many as the family has, up to 4.
  uint32_t queue_count;
  vulkan_memory_preference_t memory;
  // Treats all memory but the driver's staging as if the host could not see it.
  bool staging;
  bool validation;
  bool debug_names;
  bool robust_access;
} vulkan_device_params_t;

iree_status_t vulkan_device_params_parse(iree_string_view_t driver_name,
                                         iree_host_size_t param_count,
                                         const iree_string_pair_t* params,
                                         vulkan_device_params_t* out_params);

#endif  // IREE_CY_VULKAN_PARAMS_H_
