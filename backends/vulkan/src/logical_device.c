// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the logical device: a VkDevice with its instance, entry points and
// queues.

#include "logical_device.h"

#include "device_features.h"
#include "fork_lock.h"
#include "result.h"

#define VULKAN_DEFAULT_QUEUE_COUNT 4

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

// A family that computes and does no graphics shares its hardware with nobody.
static iree_status_t vulkan_choose_queue_family(
    const vulkan_physical_device_t* physical, int32_t wanted,
    uint32_t* out_family) {
  uint32_t chosen = UINT32_MAX;
  for (uint32_t i = 0; i < physical->queue_family_count; ++i) {
    const VkQueueFlags flags = physical->queue_families[i].queueFlags;
    if (!(flags & VK_QUEUE_COMPUTE_BIT)) continue;
    if (wanted >= 0 && (uint32_t)wanted != i) continue;
    const bool is_first = chosen == UINT32_MAX;
    const bool is_better =
        !is_first && !(flags & VK_QUEUE_GRAPHICS_BIT) &&
        (physical->queue_families[chosen].queueFlags & VK_QUEUE_GRAPHICS_BIT);
    if (is_first || is_better) chosen = i;
  }
  *out_family = chosen;
  if (chosen != UINT32_MAX) return iree_ok_status();
  return iree_make_status(
      IREE_STATUS_INVALID_ARGUMENT,
      "parameter 'queue_family' is %" PRId32 "; '%.60s' has %" PRIu32
      " families, and that one is %s",
      wanted, physical->properties.deviceName, physical->queue_family_count,
      (uint32_t)wanted < physical->queue_family_count ? "none that computes"
                                                      : "not among them");
}

static iree_status_t vulkan_choose_queue_count(
    const vulkan_physical_device_t* physical, uint32_t family, uint32_t wanted,
    uint32_t* out_count) {
  const uint32_t available = physical->queue_families[family].queueCount;
  *out_count = wanted
                   ? wanted
                   : iree_min(available, (uint32_t)VULKAN_DEFAULT_QUEUE_COUNT);
  if (*out_count > 0 && *out_count <= available) return iree_ok_status();
  return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                          "parameter 'queues' is %" PRIu32 "; family %" PRIu32
                          " of '%.60s' has %" PRIu32,
                          wanted, family, physical->properties.deviceName,
                          available);
}

static iree_status_t vulkan_find_device(
    const uint8_t uuid[VK_UUID_SIZE], uint32_t copy,
    const vulkan_instance_t* instance, iree_allocator_t host_allocator,
    vulkan_physical_device_t* out_physical) {
  uint32_t count = 0;
  vulkan_physical_device_t* devices = NULL;
  IREE_RETURN_IF_ERROR(vulkan_physical_devices_query(instance, host_allocator,
                                                     &count, &devices));
  iree_status_t status = iree_make_status(
      IREE_STATUS_UNAVAILABLE,
      "the Vulkan device that was listed is not there any more");
  for (uint32_t i = 0; i < count; ++i) {
    if (!iree_status_is_ok(status) && devices[i].copy == copy &&
        memcmp(devices[i].v11.deviceUUID, uuid, VK_UUID_SIZE) == 0) {
      *out_physical = devices[i];
      status = iree_status_ignore(status);
    }
  }
  iree_allocator_free(host_allocator, devices);
  return status;
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

static iree_status_t vulkan_logical_device_load(
    vulkan_logical_device_t* logical) {
  const char* missing = NULL;
#define VULKAN_LOAD(name, result, parameters)                              \
  logical->vk.name = (PFN_vk##name)logical->instance.vk.GetDeviceProcAddr( \
      logical->handle, "vk" #name);
#define VULKAN_LOAD_REQUIRED(name, result, parameters) \
  VULKAN_LOAD(name, result, parameters)                \
  if (!logical->vk.name) missing = "vk" #name;
  VULKAN_DEVICE_FUNCTIONS(VULKAN_LOAD_REQUIRED)
  VULKAN_DEVICE_EXTENSION_FUNCTIONS(VULKAN_LOAD)
#undef VULKAN_LOAD_REQUIRED
#undef VULKAN_LOAD
  if (!missing) return iree_ok_status();
  return iree_make_status(IREE_STATUS_UNAVAILABLE,
                          "the driver of '%.60s' gives no %s",
                          logical->physical.properties.deviceName, missing);
}

static VkResult vulkan_logical_device_make(vulkan_logical_device_t* logical) {
  const char* extensions[8];
  uint32_t extension_count = 0;
#define VULKAN_ENABLE(member, name)         \
  if (logical->enabled.extensions.member) { \
    extensions[extension_count++] = name;   \
  }
  VULKAN_EXTENSIONS(VULKAN_ENABLE)
#undef VULKAN_ENABLE
  VkPhysicalDeviceFeatures2 features;
  vulkan_features_chain(&logical->enabled, &features);
  float priorities[VULKAN_MAX_QUEUE_COUNT];
  for (uint32_t i = 0; i < logical->queue_count; ++i) priorities[i] = 1.0f;
  const VkDeviceQueueCreateInfo queues = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
      .queueFamilyIndex = logical->queue_family,
      .queueCount = logical->queue_count,
      .pQueuePriorities = priorities,
  };
  const VkDeviceCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
      .pNext = &features,
      .queueCreateInfoCount = 1,
      .pQueueCreateInfos = &queues,
      .enabledExtensionCount = extension_count,
      .ppEnabledExtensionNames = extensions,
  };
  vulkan_fork_lock_acquire();
  const VkResult result = logical->instance.vk.CreateDevice(
      logical->physical.handle, &info, NULL, &logical->handle);
  vulkan_fork_lock_release();
  if (result != VK_SUCCESS) logical->handle = NULL;
  return result;
}

static iree_status_t vulkan_logical_device_open(
    const uint8_t uuid[VK_UUID_SIZE], uint32_t copy,
    vulkan_logical_device_t* logical) {
  const vulkan_device_params_t* params = &logical->params;
  vulkan_physical_device_t* physical = &logical->physical;
  const vulkan_instance_options_t options = {params->validation,
                                             params->debug_names};
  IREE_RETURN_IF_ERROR(vulkan_instance_initialize(
      &options, logical->host_allocator, &logical->instance));
  IREE_RETURN_IF_ERROR(vulkan_find_device(uuid, copy, &logical->instance,
                                          logical->host_allocator, physical));
  IREE_RETURN_IF_ERROR(vulkan_physical_device_check_features(physical));
  vulkan_physical_device_select_features(physical, params->robust_access,
                                         &logical->enabled);
  IREE_RETURN_IF_ERROR(vulkan_choose_queue_family(
      physical, params->queue_family, &logical->queue_family));
  IREE_RETURN_IF_ERROR(
      vulkan_choose_queue_count(physical, logical->queue_family,
                                params->queue_count, &logical->queue_count));
  IREE_RETURN_IF_ERROR(vulkan_result_status(vulkan_logical_device_make(logical),
                                            "vkCreateDevice"));
  IREE_RETURN_IF_ERROR(vulkan_logical_device_load(logical));
  for (uint32_t i = 0; i < logical->queue_count; ++i) {
    logical->vk.GetDeviceQueue(logical->handle, logical->queue_family, i,
                               &logical->queues[i].handle);
    vulkan_logical_device_name(logical, VK_OBJECT_TYPE_QUEUE,
                               (uint64_t)(uintptr_t)logical->queues[i].handle,
                               "iree_cy queue");
  }
  return iree_ok_status();
}

static void vulkan_logical_device_destroy(vulkan_logical_device_t* logical) {
  // The threads of a parent are not there in its child, and what they held is
  // held for ever.
  if (!vulkan_logical_device_is_stale(logical)) {
    vulkan_fork_lock_acquire();
    if (logical->handle && logical->vk.DestroyDevice) {
      // Only a device that is lost has anything to say.
      (void)logical->vk.DeviceWaitIdle(logical->handle);
      logical->vk.DestroyDevice(logical->handle, NULL);
    }
    vulkan_instance_deinitialize(&logical->instance);
    vulkan_fork_lock_release();
    for (uint32_t i = 0; i < VULKAN_MAX_QUEUE_COUNT; ++i) {
      pthread_mutex_destroy(&logical->queues[i].lock);
    }
  }
  iree_allocator_free(logical->host_allocator, logical);
}

iree_status_t vulkan_logical_device_create(
    const uint8_t uuid[VK_UUID_SIZE], uint32_t copy,
    const vulkan_device_params_t* params, iree_allocator_t host_allocator,
    vulkan_logical_device_t** out_logical) {
  *out_logical = NULL;
  vulkan_logical_device_t* logical = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(host_allocator, sizeof(*logical),
                                             (void**)&logical));
  logical->ref_count = 1;
  logical->fork_generation = iree_cy_fork_generation();
  logical->host_allocator = host_allocator;
  logical->params = *params;
  for (uint32_t i = 0; i < VULKAN_MAX_QUEUE_COUNT; ++i) {
    pthread_mutex_init(&logical->queues[i].lock, NULL);
  }
  iree_status_t status = vulkan_logical_device_open(uuid, copy, logical);
  if (iree_status_is_ok(status)) {
    *out_logical = logical;
  } else {
    vulkan_logical_device_destroy(logical);
  }
  return status;
}

void vulkan_logical_device_retain(vulkan_logical_device_t* logical) {
  iree_atomic_ref_count_inc(&logical->ref_count);
}

void vulkan_logical_device_release(vulkan_logical_device_t* logical) {
  if (logical && iree_atomic_ref_count_dec(&logical->ref_count) == 1) {
    vulkan_logical_device_destroy(logical);
  }
}

iree_status_t vulkan_logical_device_check_fork(
    const vulkan_logical_device_t* logical) {
  if (!vulkan_logical_device_is_stale(logical)) return iree_ok_status();
  return iree_make_status(
      IREE_STATUS_FAILED_PRECONDITION,
      "the Vulkan device '%.60s' was made before this process was forked and "
      "works in its parent only; make another one here",
      logical->physical.properties.deviceName);
}

void vulkan_logical_device_name(const vulkan_logical_device_t* logical,
                                VkObjectType type, uint64_t handle,
                                const char* name) {
  if (!logical->params.debug_names) return;
  const VkDebugUtilsObjectNameInfoEXT info = {
      .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
      .objectType = type,
      .objectHandle = handle,
      .pObjectName = name,
  };
  // A name that cannot be given is no loss.
  (void)logical->instance.vk.SetDebugUtilsObjectNameEXT(logical->handle, &info);
}
