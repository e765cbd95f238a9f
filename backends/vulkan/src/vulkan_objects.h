// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the structs of the Vulkan API for what a logical device is asked:
// memory, buffers, pipelines, commands, semaphores.

#ifndef IREE_CY_VULKAN_VULKAN_OBJECTS_H_
#define IREE_CY_VULKAN_VULKAN_OBJECTS_H_

#include "vulkan_api.h"

//===-- memory and buffers --------------------------------------------------===

typedef struct VkBufferCreateInfo {
  VkStructureType sType;
  const void* pNext;
  VkBufferCreateFlags flags;
  VkDeviceSize size;
  VkBufferUsageFlags usage;
  VkSharingMode sharingMode;
  uint32_t queueFamilyIndexCount;
  const uint32_t* pQueueFamilyIndices;
} VkBufferCreateInfo;
typedef struct VkExternalMemoryBufferCreateInfo {
  VkStructureType sType;
  const void* pNext;
  VkExternalMemoryHandleTypeFlags handleTypes;
} VkExternalMemoryBufferCreateInfo;
typedef struct VkMemoryRequirements {
  VkDeviceSize size, alignment;
  uint32_t memoryTypeBits;
} VkMemoryRequirements;
typedef struct VkMemoryRequirements2 {
  VkStructureType sType;
  void* pNext;
  VkMemoryRequirements memoryRequirements;
} VkMemoryRequirements2;
typedef struct VkMemoryDedicatedRequirements {
  VkStructureType sType;
  void* pNext;
  VkBool32 prefersDedicatedAllocation, requiresDedicatedAllocation;
} VkMemoryDedicatedRequirements;
typedef struct VkBufferMemoryRequirementsInfo2 {
  VkStructureType sType;
  const void* pNext;
  VkBuffer buffer;
} VkBufferMemoryRequirementsInfo2;
typedef struct VkDeviceBufferMemoryRequirements {
  VkStructureType sType;
  const void* pNext;
  const VkBufferCreateInfo* pCreateInfo;
} VkDeviceBufferMemoryRequirements;
typedef struct VkMemoryAllocateInfo {
  VkStructureType sType;
  const void* pNext;
  VkDeviceSize allocationSize;
  uint32_t memoryTypeIndex;
} VkMemoryAllocateInfo;
typedef struct VkMemoryAllocateFlagsInfo {
  VkStructureType sType;
  const void* pNext;
  VkMemoryAllocateFlags flags;
  uint32_t deviceMask;
} VkMemoryAllocateFlagsInfo;
typedef struct VkMemoryDedicatedAllocateInfo {
  VkStructureType sType;
  const void* pNext;
  // An image, which is never there.
  void* image;
  VkBuffer buffer;
} VkMemoryDedicatedAllocateInfo;
typedef struct VkExportMemoryAllocateInfo {
  VkStructureType sType;
  const void* pNext;
  VkExternalMemoryHandleTypeFlags handleTypes;
} VkExportMemoryAllocateInfo;
typedef struct VkImportMemoryFdInfoKHR {
  VkStructureType sType;
  const void* pNext;
  VkExternalMemoryHandleTypeFlagBits handleType;
  int fd;
} VkImportMemoryFdInfoKHR;
typedef struct VkMemoryFdPropertiesKHR {
  VkStructureType sType;
  void* pNext;
  uint32_t memoryTypeBits;
} VkMemoryFdPropertiesKHR;
typedef struct VkMemoryGetFdInfoKHR {
  VkStructureType sType;
  const void* pNext;
  VkDeviceMemory memory;
  VkExternalMemoryHandleTypeFlagBits handleType;
} VkMemoryGetFdInfoKHR;
typedef struct VkImportMemoryHostPointerInfoEXT {
  VkStructureType sType;
  const void* pNext;
  VkExternalMemoryHandleTypeFlagBits handleType;
  void* pHostPointer;
} VkImportMemoryHostPointerInfoEXT;
typedef struct VkMemoryHostPointerPropertiesEXT {
  VkStructureType sType;
  void* pNext;
  uint32_t memoryTypeBits;
} VkMemoryHostPointerPropertiesEXT;
typedef struct VkMappedMemoryRange {
  VkStructureType sType;
  const void* pNext;
  VkDeviceMemory memory;
  VkDeviceSize offset, size;
} VkMappedMemoryRange;
typedef struct VkBufferDeviceAddressInfo {
  VkStructureType sType;
  const void* pNext;
  VkBuffer buffer;
} VkBufferDeviceAddressInfo;

//===-- descriptors and pipelines -------------------------------------------===

typedef struct VkDescriptorSetLayoutBinding {
  uint32_t binding;
  VkDescriptorType descriptorType;
  uint32_t descriptorCount;
  VkShaderStageFlags stageFlags;
  const VkSampler* pImmutableSamplers;
} VkDescriptorSetLayoutBinding;
typedef struct VkDescriptorSetLayoutCreateInfo {
  VkStructureType sType;
  const void* pNext;
  VkDescriptorSetLayoutCreateFlags flags;
  uint32_t bindingCount;
  const VkDescriptorSetLayoutBinding* pBindings;
} VkDescriptorSetLayoutCreateInfo;
typedef struct VkDescriptorPoolSize {
  VkDescriptorType type;
  uint32_t descriptorCount;
} VkDescriptorPoolSize;
typedef struct VkDescriptorPoolCreateInfo {
  VkStructureType sType;
  const void* pNext;
  VkDescriptorPoolCreateFlags flags;
  uint32_t maxSets, poolSizeCount;
  const VkDescriptorPoolSize* pPoolSizes;
} VkDescriptorPoolCreateInfo;
typedef struct VkDescriptorSetAllocateInfo {
  VkStructureType sType;
  const void* pNext;
  VkDescriptorPool descriptorPool;
  uint32_t descriptorSetCount;
  const VkDescriptorSetLayout* pSetLayouts;
} VkDescriptorSetAllocateInfo;
typedef struct VkDescriptorBufferInfo {
  VkBuffer buffer;
  VkDeviceSize offset, range;
} VkDescriptorBufferInfo;
typedef struct VkWriteDescriptorSet {
  VkStructureType sType;
  const void* pNext;
  VkDescriptorSet dstSet;
  uint32_t dstBinding, dstArrayElement, descriptorCount;
  VkDescriptorType descriptorType;
  const VkDescriptorImageInfo* pImageInfo;
  const VkDescriptorBufferInfo* pBufferInfo;
  const VkBufferView* pTexelBufferView;
} VkWriteDescriptorSet;
typedef struct VkPushConstantRange {
  VkShaderStageFlags stageFlags;
  uint32_t offset, size;
} VkPushConstantRange;
typedef struct VkPipelineLayoutCreateInfo {
  VkStructureType sType;
  const void* pNext;
  VkPipelineLayoutCreateFlags flags;
  uint32_t setLayoutCount;
  const VkDescriptorSetLayout* pSetLayouts;
  uint32_t pushConstantRangeCount;
  const VkPushConstantRange* pPushConstantRanges;
} VkPipelineLayoutCreateInfo;
typedef struct VkShaderModuleCreateInfo {
  VkStructureType sType;
  const void* pNext;
  VkShaderModuleCreateFlags flags;
  size_t codeSize;
  const uint32_t* pCode;
} VkShaderModuleCreateInfo;
typedef struct VkSpecializationMapEntry {
  uint32_t constantID, offset;
  size_t size;
} VkSpecializationMapEntry;
typedef struct VkSpecializationInfo {
  uint32_t mapEntryCount;
  const VkSpecializationMapEntry* pMapEntries;
  size_t dataSize;
  const void* pData;
} VkSpecializationInfo;
typedef struct VkPipelineShaderStageCreateInfo {
  VkStructureType sType;
  const void* pNext;
  VkPipelineShaderStageCreateFlags flags;
  VkShaderStageFlagBits stage;
  VkShaderModule module;
  const char* pName;
  const VkSpecializationInfo* pSpecializationInfo;
} VkPipelineShaderStageCreateInfo;
typedef struct VkPipelineShaderStageRequiredSubgroupSizeCreateInfo {
  VkStructureType sType;
  void* pNext;
  uint32_t requiredSubgroupSize;
} VkPipelineShaderStageRequiredSubgroupSizeCreateInfo;
typedef struct VkComputePipelineCreateInfo {
  VkStructureType sType;
  const void* pNext;
  VkPipelineCreateFlags flags;
  VkPipelineShaderStageCreateInfo stage;
  VkPipelineLayout layout;
  VkPipeline basePipelineHandle;
  int32_t basePipelineIndex;
} VkComputePipelineCreateInfo;
typedef struct VkPipelineCacheCreateInfo {
  VkStructureType sType;
  const void* pNext;
  VkPipelineCacheCreateFlags flags;
  size_t initialDataSize;
  const void* pInitialData;
} VkPipelineCacheCreateInfo;
typedef struct VkPipelineCacheHeaderVersionOne {
  uint32_t headerSize;
  VkPipelineCacheHeaderVersion headerVersion;
  uint32_t vendorID, deviceID;
  uint8_t pipelineCacheUUID[VK_UUID_SIZE];
} VkPipelineCacheHeaderVersionOne;

//===-- commands and synchronisation ----------------------------------------===

typedef struct VkCommandPoolCreateInfo {
  VkStructureType sType;
  const void* pNext;
  VkCommandPoolCreateFlags flags;
  uint32_t queueFamilyIndex;
} VkCommandPoolCreateInfo;
typedef struct VkCommandBufferAllocateInfo {
  VkStructureType sType;
  const void* pNext;
  VkCommandPool commandPool;
  VkCommandBufferLevel level;
  uint32_t commandBufferCount;
} VkCommandBufferAllocateInfo;
typedef struct VkCommandBufferBeginInfo {
  VkStructureType sType;
  const void* pNext;
  VkCommandBufferUsageFlags flags;
  const VkCommandBufferInheritanceInfo* pInheritanceInfo;
} VkCommandBufferBeginInfo;
typedef struct VkBufferCopy {
  VkDeviceSize srcOffset, dstOffset, size;
} VkBufferCopy;
typedef struct VkDispatchIndirectCommand {
  uint32_t x, y, z;
} VkDispatchIndirectCommand;
typedef struct VkMemoryBarrier2 {
  VkStructureType sType;
  const void* pNext;
  VkPipelineStageFlags2 srcStageMask;
  VkAccessFlags2 srcAccessMask;
  VkPipelineStageFlags2 dstStageMask;
  VkAccessFlags2 dstAccessMask;
} VkMemoryBarrier2;
typedef struct VkBufferMemoryBarrier2 {
  VkStructureType sType;
  const void* pNext;
  VkPipelineStageFlags2 srcStageMask;
  VkAccessFlags2 srcAccessMask;
  VkPipelineStageFlags2 dstStageMask;
  VkAccessFlags2 dstAccessMask;
  uint32_t srcQueueFamilyIndex, dstQueueFamilyIndex;
  VkBuffer buffer;
  VkDeviceSize offset, size;
} VkBufferMemoryBarrier2;
typedef struct VkDependencyInfo {
  VkStructureType sType;
  const void* pNext;
  VkDependencyFlags dependencyFlags;
  uint32_t memoryBarrierCount;
  const VkMemoryBarrier2* pMemoryBarriers;
  uint32_t bufferMemoryBarrierCount;
  const VkBufferMemoryBarrier2* pBufferMemoryBarriers;
  uint32_t imageMemoryBarrierCount;
  const VkImageMemoryBarrier2* pImageMemoryBarriers;
} VkDependencyInfo;
typedef struct VkFenceCreateInfo {
  VkStructureType sType;
  const void* pNext;
  VkFenceCreateFlags flags;
} VkFenceCreateInfo;
typedef struct VkSemaphoreCreateInfo {
  VkStructureType sType;
  const void* pNext;
  VkSemaphoreCreateFlags flags;
} VkSemaphoreCreateInfo;
typedef struct VkSemaphoreTypeCreateInfo {
  VkStructureType sType;
  const void* pNext;
  VkSemaphoreType semaphoreType;
  uint64_t initialValue;
} VkSemaphoreTypeCreateInfo;
typedef struct VkSemaphoreWaitInfo {
  VkStructureType sType;
  const void* pNext;
  VkSemaphoreWaitFlags flags;
  uint32_t semaphoreCount;
  const VkSemaphore* pSemaphores;
  const uint64_t* pValues;
} VkSemaphoreWaitInfo;
typedef struct VkSemaphoreSignalInfo {
  VkStructureType sType;
  const void* pNext;
  VkSemaphore semaphore;
  uint64_t value;
} VkSemaphoreSignalInfo;
typedef struct VkSemaphoreSubmitInfo {
  VkStructureType sType;
  const void* pNext;
  VkSemaphore semaphore;
  uint64_t value;
  VkPipelineStageFlags2 stageMask;
  uint32_t deviceIndex;
} VkSemaphoreSubmitInfo;
typedef struct VkCommandBufferSubmitInfo {
  VkStructureType sType;
  const void* pNext;
  VkCommandBuffer commandBuffer;
  uint32_t deviceMask;
} VkCommandBufferSubmitInfo;
typedef struct VkSubmitInfo2 {
  VkStructureType sType;
  const void* pNext;
  VkSubmitFlags flags;
  uint32_t waitSemaphoreInfoCount;
  const VkSemaphoreSubmitInfo* pWaitSemaphoreInfos;
  uint32_t commandBufferInfoCount;
  const VkCommandBufferSubmitInfo* pCommandBufferInfos;
  uint32_t signalSemaphoreInfoCount;
  const VkSemaphoreSubmitInfo* pSignalSemaphoreInfos;
} VkSubmitInfo2;

#endif  // IREE_CY_VULKAN_VULKAN_OBJECTS_H_
