// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what a physical device is and has, as it was asked once.

#ifndef IREE_CY_VULKAN_PHYSICAL_DEVICE_H_
#define IREE_CY_VULKAN_PHYSICAL_DEVICE_H_

#include "instance.h"

// "GPU-" and the UUID, 36 characters, with "-" and a number for a second device
// of the same UUID.
#define VULKAN_PATH_CAPACITY 56
#define VULKAN_MAX_QUEUE_FAMILY_COUNT 16

// Extensions that are used where a device has them.
typedef struct vulkan_extensions_t {
  bool external_memory_host;
  bool external_memory_fd;
  bool memory_budget;
  bool pci_bus_info;
  bool push_descriptor;
  bool robustness2;
} vulkan_extensions_t;

typedef struct vulkan_features_t {
  vulkan_extensions_t extensions;
  // pNext is meaningful in a query only.
  VkPhysicalDeviceFeatures core;
  VkPhysicalDeviceVulkan11Features v11;
  VkPhysicalDeviceVulkan12Features v12;
  VkPhysicalDeviceVulkan13Features v13;
  VkPhysicalDeviceRobustness2FeaturesEXT robustness2;
} vulkan_features_t;

typedef struct vulkan_physical_device_t {
  VkPhysicalDevice handle;
  VkPhysicalDeviceProperties properties;
  VkPhysicalDeviceVulkan11Properties v11;
  VkPhysicalDeviceVulkan12Properties v12;
  VkPhysicalDeviceVulkan13Properties v13;
  // Zeros where the extension is missing.
  VkPhysicalDeviceExternalMemoryHostPropertiesEXT external_memory_host;
  VkPhysicalDevicePushDescriptorPropertiesKHR push_descriptor;
  VkPhysicalDevicePCIBusInfoPropertiesEXT pci;
  VkPhysicalDeviceRobustness2PropertiesEXT robustness2;
  VkPhysicalDeviceMemoryProperties memory;
  vulkan_features_t features;
  uint32_t queue_family_count;
  VkQueueFamilyProperties queue_families[VULKAN_MAX_QUEUE_FAMILY_COUNT];
  // Which of the devices with this UUID it is, from 0.
  uint32_t copy;
  char path[VULKAN_PATH_CAPACITY];
} vulkan_physical_device_t;

// Asks the devices of |instance| that this driver can use: Vulkan 1.3 and a
// queue that computes. |*out_devices| is one block. NOT_FOUND when there are
// none, saying why.
iree_status_t vulkan_physical_devices_query(
    const vulkan_instance_t* instance, iree_allocator_t host_allocator,
    uint32_t* out_count, vulkan_physical_device_t** out_devices);

// FAILED_PRECONDITION naming each feature that no program can do without and
// the device has not.
iree_status_t vulkan_physical_device_check_features(
    const vulkan_physical_device_t* device);

// What a logical device enables of |device|: features that programs may use and
// extensions that the driver uses.
void vulkan_physical_device_select_features(
    const vulkan_physical_device_t* device, bool robust_access,
    vulkan_features_t* out_features);

// Appends what is known, in lines of text.
iree_status_t vulkan_physical_device_dump(
    const vulkan_physical_device_t* device, iree_string_builder_t* builder);

#endif  // IREE_CY_VULKAN_PHYSICAL_DEVICE_H_
