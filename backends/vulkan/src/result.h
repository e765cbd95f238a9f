// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the way from Vulkan's results to statuses.

#ifndef IREE_CY_VULKAN_RESULT_H_
#define IREE_CY_VULKAN_RESULT_H_

#include "iree_cy/plugin.h"
//
#include "vulkan_api.h"

// "VK_ERROR_DEVICE_LOST"; a number's text is "VkResult" for one not known here.
const char* vulkan_result_name(VkResult result);

// OK for success and for codes that are no errors (VK_NOT_READY, VK_TIMEOUT,
// VK_INCOMPLETE); else a status that names |call| ("vkCreateBuffer") and the
// result. Memory and handles that ran out are RESOURCE_EXHAUSTED, a lost device
// is UNAVAILABLE, what the device cannot do is FAILED_PRECONDITION.
iree_status_t vulkan_result_status(VkResult result, const char* call);

#endif  // IREE_CY_VULKAN_RESULT_H_
