// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the text that says all that is known of a physical device.

#include "device_features.h"

#define VULKAN_APPEND(...) \
  IREE_RETURN_IF_ERROR(iree_string_builder_append_format(builder, __VA_ARGS__))

static const char* vulkan_type_name(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return "integrated GPU";
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return "discrete GPU";
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return "virtual GPU";
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return "CPU";
    default:
      return "other";
  }
}

static iree_status_t vulkan_dump_bytes(const char* name, const uint8_t* bytes,
                                       iree_string_builder_t* builder) {
  VULKAN_APPEND("%s: ", name);
  for (uint32_t i = 0; i < VK_UUID_SIZE; ++i) VULKAN_APPEND("%02x", bytes[i]);
  VULKAN_APPEND("\n");
  return iree_ok_status();
}

static iree_status_t vulkan_dump_identity(
    const vulkan_physical_device_t* device, iree_string_builder_t* builder) {
  const VkPhysicalDeviceProperties* properties = &device->properties;
  VULKAN_APPEND("path: %s\nname: %s\ntype: %s\n", device->path,
                properties->deviceName,
                vulkan_type_name(properties->deviceType));
  VULKAN_APPEND("api version: %" PRIu32 ".%" PRIu32 ".%" PRIu32 "\n",
                VK_API_VERSION_MAJOR(properties->apiVersion),
                VK_API_VERSION_MINOR(properties->apiVersion),
                VK_API_VERSION_PATCH(properties->apiVersion));
  VULKAN_APPEND("driver: %s, %s (version 0x%" PRIx32 ")\n",
                device->v12.driverName, device->v12.driverInfo,
                properties->driverVersion);
  VULKAN_APPEND("vendor: 0x%04" PRIx32 ", device: 0x%04" PRIx32 "\n",
                properties->vendorID, properties->deviceID);
  if (device->features.extensions.pci_bus_info) {
    VULKAN_APPEND("pci: %04" PRIx32 ":%02" PRIx32 ":%02" PRIx32 ".%" PRIu32
                  "\n",
                  device->pci.pciDomain, device->pci.pciBus,
                  device->pci.pciDevice, device->pci.pciFunction);
  }
  return vulkan_dump_bytes("driver uuid", device->v11.driverUUID, builder);
}

static iree_status_t vulkan_dump_features(
    const vulkan_physical_device_t* device, iree_string_builder_t* builder) {
  VULKAN_APPEND("features:");
#define VULKAN_DUMP(part, name) \
  if (device->features.part.name) VULKAN_APPEND(" %s", #name);
  VULKAN_REQUIRED_FEATURES(VULKAN_DUMP)
  VULKAN_PROGRAM_FEATURES(VULKAN_DUMP)
  VULKAN_DUMP(core, robustBufferAccess)
  VULKAN_DUMP(robustness2, robustBufferAccess2)
  VULKAN_DUMP(robustness2, nullDescriptor)
#undef VULKAN_DUMP
  VULKAN_APPEND("\nextensions:");
#define VULKAN_DUMP(member, name) \
  if (device->features.extensions.member) VULKAN_APPEND(" %s", name);
  VULKAN_EXTENSIONS(VULKAN_DUMP)
#undef VULKAN_DUMP
  VULKAN_APPEND("\n");
  return iree_ok_status();
}

static iree_status_t vulkan_dump_limits(const vulkan_physical_device_t* device,
                                        iree_string_builder_t* builder) {
  const VkPhysicalDeviceLimits* limits = &device->properties.limits;
#define VULKAN_DUMP(name) \
  VULKAN_APPEND("  " #name ": %" PRIu64 "\n", (uint64_t)limits->name);
  VULKAN_APPEND("limits:\n");
  VULKAN_DUMP(maxStorageBufferRange)
  VULKAN_DUMP(maxUniformBufferRange)
  VULKAN_DUMP(maxPushConstantsSize)
  VULKAN_DUMP(maxMemoryAllocationCount)
  VULKAN_DUMP(maxPerStageDescriptorStorageBuffers)
  VULKAN_DUMP(maxComputeSharedMemorySize)
  VULKAN_DUMP(maxComputeWorkGroupInvocations)
  VULKAN_DUMP(minStorageBufferOffsetAlignment)
  VULKAN_DUMP(minMemoryMapAlignment)
  VULKAN_DUMP(nonCoherentAtomSize)
#undef VULKAN_DUMP
#define VULKAN_DUMP3(name)                                            \
  VULKAN_APPEND("  " #name ": %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", \
                limits->name[0], limits->name[1], limits->name[2]);
  VULKAN_DUMP3(maxComputeWorkGroupCount)
  VULKAN_DUMP3(maxComputeWorkGroupSize)
#undef VULKAN_DUMP3
  VULKAN_APPEND("  maxMemoryAllocationSize: %" PRIu64
                "\n  maxBufferSize: %" PRIu64 "\n",
                device->v11.maxMemoryAllocationSize, device->v13.maxBufferSize);
  VULKAN_APPEND("  subgroupSize: %" PRIu32 " (%" PRIu32 " to %" PRIu32 ")\n",
                device->v11.subgroupSize, device->v13.minSubgroupSize,
                device->v13.maxSubgroupSize);
  VULKAN_APPEND("  minImportedHostPointerAlignment: %" PRIu64
                "\n  maxPushDescriptors: %" PRIu32 "\n",
                device->external_memory_host.minImportedHostPointerAlignment,
                device->push_descriptor.maxPushDescriptors);
  return iree_ok_status();
}

static iree_status_t vulkan_dump_flags(uint32_t flags, uint32_t count,
                                       const char* const* names,
                                       iree_string_builder_t* builder) {
  for (uint32_t i = 0; i < count; ++i) {
    if (flags & (1u << i)) VULKAN_APPEND(" %s", names[i]);
  }
  VULKAN_APPEND("\n");
  return iree_ok_status();
}

static iree_status_t vulkan_dump_memory(const vulkan_physical_device_t* device,
                                        iree_string_builder_t* builder) {
  static const char* const type_names[] = {"device-local",     "host-visible",
                                           "host-coherent",    "host-cached",
                                           "lazily-allocated", "protected"};
  static const char* const heap_names[] = {"device-local"};
  const VkPhysicalDeviceMemoryProperties* memory = &device->memory;
  const uint32_t heap_count =
      iree_min(memory->memoryHeapCount, VK_MAX_MEMORY_HEAPS);
  const uint32_t type_count =
      iree_min(memory->memoryTypeCount, VK_MAX_MEMORY_TYPES);
  VULKAN_APPEND("heaps:\n");
  for (uint32_t i = 0; i < heap_count; ++i) {
    VULKAN_APPEND("  %" PRIu32 ": %" PRIu64 " MiB", i,
                  memory->memoryHeaps[i].size >> 20);
    IREE_RETURN_IF_ERROR(vulkan_dump_flags(memory->memoryHeaps[i].flags,
                                           IREE_ARRAYSIZE(heap_names),
                                           heap_names, builder));
  }
  VULKAN_APPEND("memory types:\n");
  for (uint32_t i = 0; i < type_count; ++i) {
    VULKAN_APPEND("  %" PRIu32 ": heap %" PRIu32, i,
                  memory->memoryTypes[i].heapIndex);
    IREE_RETURN_IF_ERROR(vulkan_dump_flags(memory->memoryTypes[i].propertyFlags,
                                           IREE_ARRAYSIZE(type_names),
                                           type_names, builder));
  }
  return iree_ok_status();
}

static iree_status_t vulkan_dump_queues(const vulkan_physical_device_t* device,
                                        iree_string_builder_t* builder) {
  static const char* const names[] = {"graphics", "compute", "transfer",
                                      "sparse"};
  VULKAN_APPEND("queue families:\n");
  for (uint32_t i = 0; i < device->queue_family_count; ++i) {
    const VkQueueFamilyProperties* family = &device->queue_families[i];
    VULKAN_APPEND("  %" PRIu32 ": %" PRIu32 " queue%s,", i, family->queueCount,
                  family->queueCount == 1 ? "" : "s");
    IREE_RETURN_IF_ERROR(vulkan_dump_flags(
        family->queueFlags, IREE_ARRAYSIZE(names), names, builder));
  }
  return iree_ok_status();
}

iree_status_t vulkan_physical_device_dump(
    const vulkan_physical_device_t* device, iree_string_builder_t* builder) {
  IREE_RETURN_IF_ERROR(vulkan_dump_identity(device, builder));
  IREE_RETURN_IF_ERROR(vulkan_dump_features(device, builder));
  IREE_RETURN_IF_ERROR(vulkan_dump_limits(device, builder));
  IREE_RETURN_IF_ERROR(vulkan_dump_memory(device, builder));
  return vulkan_dump_queues(device, builder);
}
