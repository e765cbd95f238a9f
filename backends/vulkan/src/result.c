// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the way from Vulkan's results to statuses.

#include "result.h"

const char* vulkan_result_name(VkResult result) {
#define VULKAN_CASE(name) \
  case name:              \
    return #name;
  switch (result) {
    VULKAN_CASE(VK_SUCCESS)
    VULKAN_CASE(VK_NOT_READY)
    VULKAN_CASE(VK_TIMEOUT)
    VULKAN_CASE(VK_EVENT_SET)
    VULKAN_CASE(VK_EVENT_RESET)
    VULKAN_CASE(VK_INCOMPLETE)
    VULKAN_CASE(VK_ERROR_OUT_OF_HOST_MEMORY)
    VULKAN_CASE(VK_ERROR_OUT_OF_DEVICE_MEMORY)
    VULKAN_CASE(VK_ERROR_INITIALIZATION_FAILED)
    VULKAN_CASE(VK_ERROR_DEVICE_LOST)
    VULKAN_CASE(VK_ERROR_MEMORY_MAP_FAILED)
    VULKAN_CASE(VK_ERROR_LAYER_NOT_PRESENT)
    VULKAN_CASE(VK_ERROR_EXTENSION_NOT_PRESENT)
    VULKAN_CASE(VK_ERROR_FEATURE_NOT_PRESENT)
    VULKAN_CASE(VK_ERROR_INCOMPATIBLE_DRIVER)
    VULKAN_CASE(VK_ERROR_TOO_MANY_OBJECTS)
    VULKAN_CASE(VK_ERROR_FORMAT_NOT_SUPPORTED)
    VULKAN_CASE(VK_ERROR_FRAGMENTED_POOL)
    VULKAN_CASE(VK_ERROR_UNKNOWN)
    VULKAN_CASE(VK_ERROR_OUT_OF_POOL_MEMORY)
    VULKAN_CASE(VK_ERROR_INVALID_EXTERNAL_HANDLE)
    VULKAN_CASE(VK_ERROR_FRAGMENTATION)
    VULKAN_CASE(VK_ERROR_INVALID_OPAQUE_CAPTURE_ADDRESS)
    VULKAN_CASE(VK_PIPELINE_COMPILE_REQUIRED)
    case VK_RESULT_MAX_ENUM:
      break;
  }
#undef VULKAN_CASE
  return "VkResult";
}

iree_status_t vulkan_result_status(VkResult result, const char* call) {
  iree_status_code_t code = IREE_STATUS_INTERNAL;
  switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_TOO_MANY_OBJECTS:
    case VK_ERROR_FRAGMENTED_POOL:
    case VK_ERROR_OUT_OF_POOL_MEMORY:
    case VK_ERROR_FRAGMENTATION:
    case VK_ERROR_MEMORY_MAP_FAILED:
      code = IREE_STATUS_RESOURCE_EXHAUSTED;
      break;
    case VK_ERROR_DEVICE_LOST:
      return iree_make_status(
          IREE_STATUS_UNAVAILABLE,
          "the device was lost (VK_ERROR_DEVICE_LOST, told by %s); make it "
          "again",
          call);
    case VK_ERROR_LAYER_NOT_PRESENT:
    case VK_ERROR_EXTENSION_NOT_PRESENT:
    case VK_ERROR_FEATURE_NOT_PRESENT:
    case VK_ERROR_INCOMPATIBLE_DRIVER:
    case VK_ERROR_FORMAT_NOT_SUPPORTED:
      code = IREE_STATUS_FAILED_PRECONDITION;
      break;
    default:
      if (result >= 0) return iree_ok_status();
      break;
  }
  return iree_make_status(code, "%s failed with %s (%d)", call,
                          vulkan_result_name(result), (int)result);
}
