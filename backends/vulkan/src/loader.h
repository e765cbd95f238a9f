// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the system's Vulkan loader: where it is found, and its entry points.

#ifndef IREE_CY_VULKAN_LOADER_H_
#define IREE_CY_VULKAN_LOADER_H_

#include "iree_cy/plugin.h"
//
#include "vulkan_functions.h"

#define VULKAN_LOADER_VARIABLE "IREE_HAL_VULKAN_LIBVULKAN_PATH"
#define VULKAN_LOADER_NAME "libvulkan.so.1"

// Opens what VULKAN_LOADER_VARIABLE names now, else VULKAN_LOADER_NAME as the
// system finds it. It stays mapped to the end of the process. Any thread.
// UNAVAILABLE when there is none.
iree_status_t vulkan_loader_open(vulkan_global_table_t* out_table);

#endif  // IREE_CY_VULKAN_LOADER_H_
