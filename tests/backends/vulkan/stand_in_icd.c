// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns a stand-in for a vendor's Vulkan driver: it shows the devices that its
// environment asks for, and makes none.
//
//   STAND_IN_DEVICES   how many there are
//   STAND_IN_API       "1.2" for devices of that version, else 1.3
//   STAND_IN_WITHOUT   features that they lack, with commas between

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vulkan_functions.h"

#define EXPORT __attribute__((visibility("default")))

// What the loader expects at the head of each handle.
typedef struct handle_t {
  uintptr_t magic;
} handle_t;
static handle_t the_instance = {0x01CDC0DE};
static handle_t the_devices[8] = {{0x01CDC0DE}, {0x01CDC0DE}, {0x01CDC0DE},
                                  {0x01CDC0DE}, {0x01CDC0DE}, {0x01CDC0DE},
                                  {0x01CDC0DE}, {0x01CDC0DE}};

static const char* setting(const char* name) {
  const char* value = getenv(name);
  return value ? value : "";
}

static VkResult create_instance(const VkInstanceCreateInfo* info,
                                const VkAllocationCallbacks* allocator,
                                VkInstance* out_instance) {
  (void)info;
  (void)allocator;
  *out_instance = (VkInstance)&the_instance;
  return VK_SUCCESS;
}

static void destroy_instance(VkInstance instance,
                             const VkAllocationCallbacks* allocator) {
  (void)instance;
  (void)allocator;
}

static VkResult no_extensions(const char* layer, uint32_t* count,
                              VkExtensionProperties* properties) {
  (void)layer;
  (void)properties;
  *count = 0;
  return VK_SUCCESS;
}

static VkResult no_device_extensions(VkPhysicalDevice device, const char* layer,
                                     uint32_t* count,
                                     VkExtensionProperties* properties) {
  (void)device;
  return no_extensions(layer, count, properties);
}

static VkResult instance_version(uint32_t* version) {
  *version = VK_API_VERSION_1_3;
  return VK_SUCCESS;
}

static VkResult enumerate_devices(VkInstance instance, uint32_t* count,
                                  VkPhysicalDevice* devices) {
  (void)instance;
  uint32_t there = (uint32_t)atoi(setting("STAND_IN_DEVICES"));
  if (there > 8) there = 8;
  for (uint32_t i = 0; devices && i < there && i < *count; ++i) {
    devices[i] = (VkPhysicalDevice)&the_devices[i];
  }
  if (!devices || *count > there) *count = there;
  return *count < there ? VK_INCOMPLETE : VK_SUCCESS;
}

static void get_properties(VkPhysicalDevice device,
                           VkPhysicalDeviceProperties* properties) {
  memset(properties, 0, sizeof(*properties));
  properties->apiVersion = strcmp(setting("STAND_IN_API"), "1.2") == 0
                               ? (1u << 22) | (2u << 12)
                               : VK_API_VERSION_1_3;
  properties->deviceType = VK_PHYSICAL_DEVICE_TYPE_OTHER;
  snprintf(properties->deviceName, sizeof(properties->deviceName),
           "Stand-in %d", (int)((handle_t*)device - the_devices));
}

// All have one UUID, as a device has that two drivers show.
static void get_properties2(VkPhysicalDevice device,
                            VkPhysicalDeviceProperties2* properties) {
  get_properties(device, &properties->properties);
  for (VkBaseOutStructure* link = properties->pNext; link; link = link->pNext) {
    if (link->sType ==
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES) {
      memset(((VkPhysicalDeviceVulkan11Properties*)link)->deviceUUID, 0xAB,
             VK_UUID_SIZE);
    }
  }
}

static VkBool32 has_feature(const char* name) {
  char list[512];
  char wanted[64];
  snprintf(list, sizeof(list), ",%s,", setting("STAND_IN_WITHOUT"));
  snprintf(wanted, sizeof(wanted), ",%s,", name);
  return strstr(list, wanted) == NULL;
}

static void get_features2(VkPhysicalDevice device,
                          VkPhysicalDeviceFeatures2* features) {
  (void)device;
  memset(&features->features, 0, sizeof(features->features));
  for (VkBaseOutStructure* link = features->pNext; link; link = link->pNext) {
    if (link->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES) {
      VkPhysicalDeviceVulkan12Features* v12 = (void*)link;
      v12->timelineSemaphore = has_feature("timelineSemaphore");
    }
    if (link->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES) {
      VkPhysicalDeviceVulkan13Features* v13 = (void*)link;
      v13->synchronization2 = has_feature("synchronization2");
      v13->maintenance4 = has_feature("maintenance4");
    }
  }
}

static void get_memory2(VkPhysicalDevice device,
                        VkPhysicalDeviceMemoryProperties2* memory) {
  (void)device;
  memset(&memory->memoryProperties, 0, sizeof(memory->memoryProperties));
}

static void get_queue_families(VkPhysicalDevice device, uint32_t* count,
                               VkQueueFamilyProperties* families) {
  (void)device;
  if (families && *count > 0) {
    memset(families, 0, sizeof(*families));
    families->queueFlags = VK_QUEUE_COMPUTE_BIT;
    families->queueCount = 1;
  }
  *count = 1;
}

static VkResult create_device(VkPhysicalDevice physical,
                              const VkDeviceCreateInfo* info,
                              const VkAllocationCallbacks* allocator,
                              VkDevice* out_device) {
  (void)physical;
  (void)info;
  (void)allocator;
  *out_device = NULL;
  return VK_ERROR_INITIALIZATION_FAILED;
}

// Entries that the loader wants and that nobody calls here.
static void unused(void) {}

EXPORT PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance instance,
                                                    const char* name) {
  static const struct {
    const char* name;
    PFN_vkVoidFunction function;
  } entries[] = {
      {"vkCreateInstance", (PFN_vkVoidFunction)create_instance},
      {"vkDestroyInstance", (PFN_vkVoidFunction)destroy_instance},
      {"vkEnumerateInstanceExtensionProperties",
       (PFN_vkVoidFunction)no_extensions},
      {"vkEnumerateInstanceVersion", (PFN_vkVoidFunction)instance_version},
      {"vkEnumeratePhysicalDevices", (PFN_vkVoidFunction)enumerate_devices},
      {"vkEnumerateDeviceExtensionProperties",
       (PFN_vkVoidFunction)no_device_extensions},
      {"vkGetPhysicalDeviceProperties", (PFN_vkVoidFunction)get_properties},
      {"vkGetPhysicalDeviceProperties2", (PFN_vkVoidFunction)get_properties2},
      {"vkGetPhysicalDeviceFeatures2", (PFN_vkVoidFunction)get_features2},
      {"vkGetPhysicalDeviceMemoryProperties2", (PFN_vkVoidFunction)get_memory2},
      {"vkGetPhysicalDeviceQueueFamilyProperties",
       (PFN_vkVoidFunction)get_queue_families},
      {"vkCreateDevice", (PFN_vkVoidFunction)create_device},
      {"vkGetDeviceProcAddr", unused},
      {"vkGetPhysicalDeviceFeatures", unused},
      {"vkGetPhysicalDeviceFormatProperties", unused},
      {"vkGetPhysicalDeviceImageFormatProperties", unused},
      {"vkGetPhysicalDeviceMemoryProperties", unused},
      {"vkGetPhysicalDeviceSparseImageFormatProperties", unused},
  };
  (void)instance;
  for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); ++i) {
    if (strcmp(entries[i].name, name) == 0) return entries[i].function;
  }
  return NULL;
}

EXPORT VkResult vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t* version) {
  if (*version > 5) *version = 5;
  return VK_SUCCESS;
}
