// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the lists of features and extensions: what a device must have, and what
// is used where it has it.

#ifndef IREE_CY_VULKAN_DEVICE_FEATURES_H_
#define IREE_CY_VULKAN_DEVICE_FEATURES_H_

#include "physical_device.h"

// X(member of vulkan_features_t, name): what this driver is built on.
#define VULKAN_REQUIRED_FEATURES(X) \
  X(v12, timelineSemaphore)         \
  X(v13, synchronization2)          \
  X(v13, maintenance4)

// What compiled programs may use.
#define VULKAN_PROGRAM_FEATURES(X)            \
  X(core, shaderInt16)                        \
  X(core, shaderInt64)                        \
  X(core, shaderFloat64)                      \
  X(v11, storageBuffer16BitAccess)            \
  X(v11, uniformAndStorageBuffer16BitAccess)  \
  X(v11, storagePushConstant16)               \
  X(v11, variablePointersStorageBuffer)       \
  X(v11, variablePointers)                    \
  X(v12, storageBuffer8BitAccess)             \
  X(v12, uniformAndStorageBuffer8BitAccess)   \
  X(v12, storagePushConstant8)                \
  X(v12, shaderInt8)                          \
  X(v12, shaderFloat16)                       \
  X(v12, shaderBufferInt64Atomics)            \
  X(v12, shaderSharedInt64Atomics)            \
  X(v12, scalarBlockLayout)                   \
  X(v12, uniformBufferStandardLayout)         \
  X(v12, shaderSubgroupExtendedTypes)         \
  X(v12, subgroupBroadcastDynamicId)          \
  X(v12, bufferDeviceAddress)                 \
  X(v12, vulkanMemoryModel)                   \
  X(v12, vulkanMemoryModelDeviceScope)        \
  X(v13, subgroupSizeControl)                 \
  X(v13, computeFullSubgroups)                \
  X(v13, shaderZeroInitializeWorkgroupMemory) \
  X(v13, shaderIntegerDotProduct)             \
  X(v13, pipelineCreationCacheControl)

// X(member of vulkan_extensions_t, name).
#define VULKAN_EXTENSIONS(X)                                          \
  X(external_memory_host, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME) \
  X(external_memory_fd, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME)     \
  X(memory_budget, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME)               \
  X(pci_bus_info, VK_EXT_PCI_BUS_INFO_EXTENSION_NAME)                 \
  X(push_descriptor, VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME)           \
  X(robustness2, VK_EXT_ROBUSTNESS_2_EXTENSION_NAME)

// Makes the chain that asks for |features| or enables them.
void vulkan_features_chain(vulkan_features_t* features,
                           VkPhysicalDeviceFeatures2* out_head);

#endif  // IREE_CY_VULKAN_DEVICE_FEATURES_H_
