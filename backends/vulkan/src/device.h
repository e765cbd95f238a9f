// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the HAL device over a logical device.

#ifndef IREE_CY_VULKAN_DEVICE_H_
#define IREE_CY_VULKAN_DEVICE_H_

#include "execution.h"

typedef struct vulkan_device_t {
  iree_hal_device_t base;
  vulkan_logical_device_t* logical;
  // What the device was made with; another may have taken its place.
  iree_hal_allocator_t* allocator;
  vulkan_executor_t executor;
} vulkan_device_t;

// The HAL device over |logical|, which it keeps.
iree_status_t vulkan_device_create(iree_string_view_t driver_name,
                                   vulkan_logical_device_t* logical,
                                   iree_allocator_t host_allocator,
                                   iree_hal_device_t** out_device);
iree_status_t vulkan_device_register(iree_string_view_t owner);

#endif  // IREE_CY_VULKAN_DEVICE_H_
