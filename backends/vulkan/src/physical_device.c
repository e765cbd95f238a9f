// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what a physical device is and has, as it was asked once.

#include "physical_device.h"

#include <stdio.h>

#include "device_features.h"
#include "fork_lock.h"
#include "manifest.h"
#include "result.h"

//===----------------------------------------------------------------------===//
// Asking one device
//===----------------------------------------------------------------------===//

static iree_status_t vulkan_query_extensions(const vulkan_instance_t* instance,
                                             VkPhysicalDevice handle,
                                             iree_allocator_t host_allocator,
                                             vulkan_extensions_t* out_has) {
  uint32_t count = 0;
  VkExtensionProperties* extensions = NULL;
  VkResult result = instance->vk.EnumerateDeviceExtensionProperties(
      handle, NULL, &count, NULL);
  if (result == VK_SUCCESS) {
    IREE_RETURN_IF_ERROR(iree_allocator_malloc_array(
        host_allocator, count, sizeof(*extensions), (void**)&extensions));
    result = instance->vk.EnumerateDeviceExtensionProperties(
        handle, NULL, &count, extensions);
  }
  if (result < 0) count = 0;
  for (uint32_t i = 0; i < count; ++i) {
#define VULKAN_FIND(member, name)                       \
  if (strcmp(extensions[i].extensionName, name) == 0) { \
    out_has->member = true;                             \
  }
    VULKAN_EXTENSIONS(VULKAN_FIND)
#undef VULKAN_FIND
  }
  iree_allocator_free(host_allocator, extensions);
  return vulkan_result_status(result, "vkEnumerateDeviceExtensionProperties");
}

// Puts |link| behind |*tail|.
static void vulkan_chain(VkBaseOutStructure** tail, void* link) {
  (*tail)->pNext = (VkBaseOutStructure*)link;
  *tail = (VkBaseOutStructure*)link;
  (*tail)->pNext = NULL;
}

static void vulkan_query_properties(const vulkan_instance_t* instance,
                                    vulkan_physical_device_t* device) {
  const vulkan_extensions_t* has = &device->features.extensions;
  VkPhysicalDeviceProperties2 properties = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  device->v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
  device->v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
  device->v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES;
  device->external_memory_host.sType =
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT;
  device->push_descriptor.sType =
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PUSH_DESCRIPTOR_PROPERTIES_KHR;
  device->pci.sType =
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT;
  device->robustness2.sType =
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_PROPERTIES_EXT;
  VkBaseOutStructure* tail = (VkBaseOutStructure*)&properties;
  vulkan_chain(&tail, &device->v11);
  vulkan_chain(&tail, &device->v12);
  vulkan_chain(&tail, &device->v13);
  if (has->external_memory_host) {
    vulkan_chain(&tail, &device->external_memory_host);
  }
  if (has->push_descriptor) vulkan_chain(&tail, &device->push_descriptor);
  if (has->pci_bus_info) vulkan_chain(&tail, &device->pci);
  if (has->robustness2) vulkan_chain(&tail, &device->robustness2);
  instance->vk.GetPhysicalDeviceProperties2(device->handle, &properties);
  device->properties = properties.properties;
  // What a driver writes there need not end within.
  device->properties.deviceName[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE - 1] = 0;
  device->v12.driverName[VK_MAX_DRIVER_NAME_SIZE - 1] = 0;
  device->v12.driverInfo[VK_MAX_DRIVER_INFO_SIZE - 1] = 0;
}

void vulkan_features_chain(vulkan_features_t* features,
                           VkPhysicalDeviceFeatures2* out_head) {
  memset(out_head, 0, sizeof(*out_head));
  out_head->sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  out_head->features = features->core;
  features->v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
  features->v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  features->v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
  features->robustness2.sType =
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT;
  VkBaseOutStructure* tail = (VkBaseOutStructure*)out_head;
  vulkan_chain(&tail, &features->v11);
  vulkan_chain(&tail, &features->v12);
  vulkan_chain(&tail, &features->v13);
  if (features->extensions.robustness2) {
    vulkan_chain(&tail, &features->robustness2);
  }
}

static iree_status_t vulkan_query_device(const vulkan_instance_t* instance,
                                         VkPhysicalDevice handle,
                                         iree_allocator_t host_allocator,
                                         vulkan_physical_device_t* device) {
  device->handle = handle;
  IREE_RETURN_IF_ERROR(vulkan_query_extensions(instance, handle, host_allocator,
                                               &device->features.extensions));
  vulkan_query_properties(instance, device);
  VkPhysicalDeviceFeatures2 features;
  vulkan_features_chain(&device->features, &features);
  instance->vk.GetPhysicalDeviceFeatures2(handle, &features);
  device->features.core = features.features;
  VkPhysicalDeviceMemoryProperties2 memory = {
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2};
  instance->vk.GetPhysicalDeviceMemoryProperties2(handle, &memory);
  device->memory = memory.memoryProperties;
  device->queue_family_count = VULKAN_MAX_QUEUE_FAMILY_COUNT;
  instance->vk.GetPhysicalDeviceQueueFamilyProperties(
      handle, &device->queue_family_count, device->queue_families);
  return iree_ok_status();
}

static bool vulkan_can_compute(const vulkan_physical_device_t* device) {
  for (uint32_t i = 0; i < device->queue_family_count; ++i) {
    if (device->queue_families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) {
      return true;
    }
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Asking for all
//===----------------------------------------------------------------------===//

static void vulkan_name_path(const vulkan_physical_device_t* others,
                             uint32_t other_count,
                             vulkan_physical_device_t* device) {
  const uint8_t* uuid = device->v11.deviceUUID;
  for (uint32_t i = 0; i < other_count; ++i) {
    device->copy += memcmp(others[i].v11.deviceUUID, uuid, VK_UUID_SIZE) == 0;
  }
  char* text = device->path;
  memcpy(text, "GPU-", 4);
  text += 4;
  for (uint32_t i = 0; i < VK_UUID_SIZE; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) *text++ = '-';
    *text++ = "0123456789abcdef"[uuid[i] >> 4];
    *text++ = "0123456789abcdef"[uuid[i] & 15];
  }
  *text = 0;
  if (device->copy > 0) {
    (void)snprintf(text, 12, "-%" PRIu32, device->copy + 1);
  }
}

static iree_status_t vulkan_no_device(uint32_t raw_count,
                                      const VkPhysicalDeviceProperties* seen) {
  const char* value = NULL;
  const char* variable = vulkan_manifests_variable(&value);
  if (raw_count > 0) {
    return iree_make_status(
        IREE_STATUS_UNAVAILABLE,
        "there is no Vulkan device of use: '%.40s' has Vulkan %" PRIu32
        ".%" PRIu32 "; needed is 1.3 and a queue that computes",
        seen->deviceName, VK_API_VERSION_MAJOR(seen->apiVersion),
        VK_API_VERSION_MINOR(seen->apiVersion));
  }
  if (!variable) {
    return iree_make_status(
        IREE_STATUS_UNAVAILABLE,
        "there is no Vulkan device: the drivers that are installed show none");
  }
  return vulkan_annotate_path(
      iree_make_status(IREE_STATUS_UNAVAILABLE,
                       "there is no Vulkan device: the drivers of %s ('%s%s') "
                       "show none",
                       variable, VULKAN_PATH_ARG(value)),
      value);
}

static iree_status_t vulkan_query_usable(const vulkan_instance_t* instance,
                                         uint32_t raw_count,
                                         const VkPhysicalDevice* handles,
                                         iree_allocator_t host_allocator,
                                         uint32_t* out_count,
                                         vulkan_physical_device_t* devices) {
  VkPhysicalDeviceProperties seen;
  memset(&seen, 0, sizeof(seen));
  uint32_t count = 0;
  for (uint32_t i = 0; i < raw_count; ++i) {
    VkPhysicalDeviceProperties properties;
    instance->vk.GetPhysicalDeviceProperties(handles[i], &properties);
    if (i == 0) seen = properties;
    if (properties.apiVersion < VK_API_VERSION_1_3) continue;
    vulkan_physical_device_t* device = &devices[count];
    memset(device, 0, sizeof(*device));
    IREE_RETURN_IF_ERROR(
        vulkan_query_device(instance, handles[i], host_allocator, device));
    if (!vulkan_can_compute(device)) continue;
    vulkan_name_path(devices, count, device);
    ++count;
  }
  if (count == 0) return vulkan_no_device(raw_count, &seen);
  *out_count = count;
  return iree_ok_status();
}

static iree_status_t vulkan_query_locked(
    const vulkan_instance_t* instance, iree_allocator_t host_allocator,
    uint32_t* out_count, vulkan_physical_device_t** out_devices) {
  *out_count = 0;
  *out_devices = NULL;
  VkPhysicalDevice handles[64];
  uint32_t raw_count = IREE_ARRAYSIZE(handles);
  const VkResult result = instance->vk.EnumeratePhysicalDevices(
      instance->handle, &raw_count, handles);
  // What a loader says whose drivers show nothing.
  if (result == VK_ERROR_INITIALIZATION_FAILED) raw_count = 0;
  if (result < 0 && result != VK_ERROR_INITIALIZATION_FAILED) {
    return vulkan_result_status(result, "vkEnumeratePhysicalDevices");
  }
  vulkan_physical_device_t* devices = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc_array(host_allocator, iree_max(raw_count, 1u),
                                  sizeof(*devices), (void**)&devices));
  iree_status_t status = vulkan_query_usable(
      instance, raw_count, handles, host_allocator, out_count, devices);
  if (iree_status_is_ok(status)) {
    *out_devices = devices;
  } else {
    iree_allocator_free(host_allocator, devices);
  }
  return status;
}

iree_status_t vulkan_physical_devices_query(
    const vulkan_instance_t* instance, iree_allocator_t host_allocator,
    uint32_t* out_count, vulkan_physical_device_t** out_devices) {
  vulkan_fork_lock_acquire();
  iree_status_t status =
      vulkan_query_locked(instance, host_allocator, out_count, out_devices);
  vulkan_fork_lock_release();
  return status;
}

//===----------------------------------------------------------------------===//
// Features
//===----------------------------------------------------------------------===//

iree_status_t vulkan_physical_device_check_features(
    const vulkan_physical_device_t* device) {
  const char* missing[8];
  uint32_t count = 0;
#define VULKAN_CHECK(part, name)                                        \
  if (!device->features.part.name && count < IREE_ARRAYSIZE(missing)) { \
    missing[count++] = #name;                                           \
  }
  VULKAN_REQUIRED_FEATURES(VULKAN_CHECK)
#undef VULKAN_CHECK
  if (count == 0) return iree_ok_status();
  return iree_make_status(
      IREE_STATUS_FAILED_PRECONDITION,
      "the Vulkan device '%.60s' lacks %s%s%s%s%s, which this driver needs",
      device->properties.deviceName, missing[0], count > 1 ? ", " : "",
      count > 1 ? missing[1] : "", count > 2 ? ", " : "",
      count > 2 ? missing[2] : "");
}

void vulkan_physical_device_select_features(
    const vulkan_physical_device_t* device, bool robust_access,
    vulkan_features_t* out_features) {
  const vulkan_features_t* has = &device->features;
  memset(out_features, 0, sizeof(*out_features));
  out_features->extensions = has->extensions;
#define VULKAN_SELECT(part, name) out_features->part.name = has->part.name;
  VULKAN_REQUIRED_FEATURES(VULKAN_SELECT)
  VULKAN_PROGRAM_FEATURES(VULKAN_SELECT)
#undef VULKAN_SELECT
  // Without the feature the extension is of no use.
  out_features->robustness2.nullDescriptor = has->robustness2.nullDescriptor;
  if (robust_access) {
    out_features->core.robustBufferAccess = has->core.robustBufferAccess;
    out_features->robustness2.robustBufferAccess2 =
        has->robustness2.robustBufferAccess2;
  }
}
