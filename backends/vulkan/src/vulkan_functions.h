// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the list of the Vulkan entry points that this driver calls, by where
// they are got from, and the tables that hold them.

#ifndef IREE_CY_VULKAN_VULKAN_FUNCTIONS_H_
#define IREE_CY_VULKAN_VULKAN_FUNCTIONS_H_

#include "vulkan_api.h"

typedef void (*PFN_vkVoidFunction)(void);
typedef PFN_vkVoidFunction (*PFN_vkGetInstanceProcAddr)(VkInstance instance,
                                                        const char* pName);

// X(name without "vk", result, (parameters)). Of the loader, without an
// instance.
#define VULKAN_GLOBAL_FUNCTIONS(X)                                    \
  X(CreateInstance, VkResult,                                         \
    (const VkInstanceCreateInfo* pCreateInfo,                         \
     const VkAllocationCallbacks* pAllocator, VkInstance* pInstance)) \
  X(EnumerateInstanceExtensionProperties, VkResult,                   \
    (const char* pLayerName, uint32_t* pPropertyCount,                \
     VkExtensionProperties* pProperties))                             \
  X(EnumerateInstanceLayerProperties, VkResult,                       \
    (uint32_t* pPropertyCount, VkLayerProperties* pProperties))       \
  X(EnumerateInstanceVersion, VkResult, (uint32_t* pApiVersion))

// Of an instance.
#define VULKAN_INSTANCE_FUNCTIONS(X)                                          \
  X(DestroyInstance, void,                                                    \
    (VkInstance instance, const VkAllocationCallbacks* pAllocator))           \
  X(EnumeratePhysicalDevices, VkResult,                                       \
    (VkInstance instance, uint32_t* pPhysicalDeviceCount,                     \
     VkPhysicalDevice* pPhysicalDevices))                                     \
  X(EnumerateDeviceExtensionProperties, VkResult,                             \
    (VkPhysicalDevice physicalDevice, const char* pLayerName,                 \
     uint32_t* pPropertyCount, VkExtensionProperties* pProperties))           \
  X(GetPhysicalDeviceProperties, void,                                        \
    (VkPhysicalDevice physicalDevice,                                         \
     VkPhysicalDeviceProperties * pProperties))                               \
  X(GetPhysicalDeviceProperties2, void,                                       \
    (VkPhysicalDevice physicalDevice,                                         \
     VkPhysicalDeviceProperties2 * pProperties))                              \
  X(GetPhysicalDeviceFeatures2, void,                                         \
    (VkPhysicalDevice physicalDevice, VkPhysicalDeviceFeatures2 * pFeatures)) \
  X(GetPhysicalDeviceMemoryProperties2, void,                                 \
    (VkPhysicalDevice physicalDevice,                                         \
     VkPhysicalDeviceMemoryProperties2 * pMemoryProperties))                  \
  X(GetPhysicalDeviceQueueFamilyProperties, void,                             \
    (VkPhysicalDevice physicalDevice, uint32_t* pQueueFamilyPropertyCount,    \
     VkQueueFamilyProperties* pQueueFamilyProperties))                        \
  X(CreateDevice, VkResult,                                                   \
    (VkPhysicalDevice physicalDevice, const VkDeviceCreateInfo* pCreateInfo,  \
     const VkAllocationCallbacks* pAllocator, VkDevice* pDevice))             \
  X(GetDeviceProcAddr, PFN_vkVoidFunction, (VkDevice device, const char* pName))

// Of an instance, NULL where its extension is not enabled.
#define VULKAN_INSTANCE_EXTENSION_FUNCTIONS(X)                               \
  X(CreateDebugUtilsMessengerEXT, VkResult,                                  \
    (VkInstance instance,                                                    \
     const VkDebugUtilsMessengerCreateInfoEXT* pCreateInfo,                  \
     const VkAllocationCallbacks* pAllocator,                                \
     VkDebugUtilsMessengerEXT* pMessenger))                                  \
  X(DestroyDebugUtilsMessengerEXT, void,                                     \
    (VkInstance instance, VkDebugUtilsMessengerEXT messenger,                \
     const VkAllocationCallbacks* pAllocator))                               \
  X(SetDebugUtilsObjectNameEXT, VkResult,                                    \
    (VkDevice device, const VkDebugUtilsObjectNameInfoEXT* pNameInfo))       \
  X(CmdBeginDebugUtilsLabelEXT, void,                                        \
    (VkCommandBuffer commandBuffer, const VkDebugUtilsLabelEXT* pLabelInfo)) \
  X(CmdEndDebugUtilsLabelEXT, void, (VkCommandBuffer commandBuffer))

// Of a device.
#define VULKAN_DEVICE_FUNCTIONS(X)                                             \
  X(DestroyDevice, void,                                                       \
    (VkDevice device, const VkAllocationCallbacks* pAllocator))                \
  X(GetDeviceQueue, void,                                                      \
    (VkDevice device, uint32_t queueFamilyIndex, uint32_t queueIndex,          \
     VkQueue* pQueue))                                                         \
  X(DeviceWaitIdle, VkResult, (VkDevice device))                               \
  X(QueueWaitIdle, VkResult, (VkQueue queue))                                  \
  X(QueueSubmit2, VkResult,                                                    \
    (VkQueue queue, uint32_t submitCount, const VkSubmitInfo2* pSubmits,       \
     VkFence fence))                                                           \
  X(AllocateMemory, VkResult,                                                  \
    (VkDevice device, const VkMemoryAllocateInfo* pAllocateInfo,               \
     const VkAllocationCallbacks* pAllocator, VkDeviceMemory* pMemory))        \
  X(FreeMemory, void,                                                          \
    (VkDevice device, VkDeviceMemory memory,                                   \
     const VkAllocationCallbacks* pAllocator))                                 \
  X(MapMemory, VkResult,                                                       \
    (VkDevice device, VkDeviceMemory memory, VkDeviceSize offset,              \
     VkDeviceSize size, VkMemoryMapFlags flags, void** ppData))                \
  X(UnmapMemory, void, (VkDevice device, VkDeviceMemory memory))               \
  X(FlushMappedMemoryRanges, VkResult,                                         \
    (VkDevice device, uint32_t memoryRangeCount,                               \
     const VkMappedMemoryRange* pMemoryRanges))                                \
  X(InvalidateMappedMemoryRanges, VkResult,                                    \
    (VkDevice device, uint32_t memoryRangeCount,                               \
     const VkMappedMemoryRange* pMemoryRanges))                                \
  X(CreateBuffer, VkResult,                                                    \
    (VkDevice device, const VkBufferCreateInfo* pCreateInfo,                   \
     const VkAllocationCallbacks* pAllocator, VkBuffer* pBuffer))              \
  X(DestroyBuffer, void,                                                       \
    (VkDevice device, VkBuffer buffer,                                         \
     const VkAllocationCallbacks* pAllocator))                                 \
  X(GetBufferMemoryRequirements2, void,                                        \
    (VkDevice device, const VkBufferMemoryRequirementsInfo2* pInfo,            \
     VkMemoryRequirements2* pMemoryRequirements))                              \
  X(GetDeviceBufferMemoryRequirements, void,                                   \
    (VkDevice device, const VkDeviceBufferMemoryRequirements* pInfo,           \
     VkMemoryRequirements2* pMemoryRequirements))                              \
  X(BindBufferMemory, VkResult,                                                \
    (VkDevice device, VkBuffer buffer, VkDeviceMemory memory,                  \
     VkDeviceSize memoryOffset))                                               \
  X(GetBufferDeviceAddress, VkDeviceAddress,                                   \
    (VkDevice device, const VkBufferDeviceAddressInfo* pInfo))                 \
  X(CreateFence, VkResult,                                                     \
    (VkDevice device, const VkFenceCreateInfo* pCreateInfo,                    \
     const VkAllocationCallbacks* pAllocator, VkFence* pFence))                \
  X(DestroyFence, void,                                                        \
    (VkDevice device, VkFence fence, const VkAllocationCallbacks* pAllocator)) \
  X(ResetFences, VkResult,                                                     \
    (VkDevice device, uint32_t fenceCount, const VkFence* pFences))            \
  X(GetFenceStatus, VkResult, (VkDevice device, VkFence fence))                \
  X(WaitForFences, VkResult,                                                   \
    (VkDevice device, uint32_t fenceCount, const VkFence* pFences,             \
     VkBool32 waitAll, uint64_t timeout))                                      \
  X(CreateSemaphore, VkResult,                                                 \
    (VkDevice device, const VkSemaphoreCreateInfo* pCreateInfo,                \
     const VkAllocationCallbacks* pAllocator, VkSemaphore* pSemaphore))        \
  X(DestroySemaphore, void,                                                    \
    (VkDevice device, VkSemaphore semaphore,                                   \
     const VkAllocationCallbacks* pAllocator))                                 \
  X(GetSemaphoreCounterValue, VkResult,                                        \
    (VkDevice device, VkSemaphore semaphore, uint64_t* pValue))                \
  X(WaitSemaphores, VkResult,                                                  \
    (VkDevice device, const VkSemaphoreWaitInfo* pWaitInfo, uint64_t timeout)) \
  X(SignalSemaphore, VkResult,                                                 \
    (VkDevice device, const VkSemaphoreSignalInfo* pSignalInfo))               \
  X(CreateShaderModule, VkResult,                                              \
    (VkDevice device, const VkShaderModuleCreateInfo* pCreateInfo,             \
     const VkAllocationCallbacks* pAllocator, VkShaderModule* pShaderModule))  \
  X(DestroyShaderModule, void,                                                 \
    (VkDevice device, VkShaderModule shaderModule,                             \
     const VkAllocationCallbacks* pAllocator))                                 \
  X(CreatePipelineCache, VkResult,                                             \
    (VkDevice device, const VkPipelineCacheCreateInfo* pCreateInfo,            \
     const VkAllocationCallbacks* pAllocator,                                  \
     VkPipelineCache* pPipelineCache))                                         \
  X(DestroyPipelineCache, void,                                                \
    (VkDevice device, VkPipelineCache pipelineCache,                           \
     const VkAllocationCallbacks* pAllocator))                                 \
  X(GetPipelineCacheData, VkResult,                                            \
    (VkDevice device, VkPipelineCache pipelineCache, size_t* pDataSize,        \
     void* pData))                                                             \
  X(MergePipelineCaches, VkResult,                                             \
    (VkDevice device, VkPipelineCache dstCache, uint32_t srcCacheCount,        \
     const VkPipelineCache* pSrcCaches))                                       \
  X(CreateComputePipelines, VkResult,                                          \
    (VkDevice device, VkPipelineCache pipelineCache, uint32_t createInfoCount, \
     const VkComputePipelineCreateInfo* pCreateInfos,                          \
     const VkAllocationCallbacks* pAllocator, VkPipeline* pPipelines))         \
  X(DestroyPipeline, void,                                                     \
    (VkDevice device, VkPipeline pipeline,                                     \
     const VkAllocationCallbacks* pAllocator))                                 \
  X(CreatePipelineLayout, VkResult,                                            \
    (VkDevice device, const VkPipelineLayoutCreateInfo* pCreateInfo,           \
     const VkAllocationCallbacks* pAllocator,                                  \
     VkPipelineLayout* pPipelineLayout))                                       \
  X(DestroyPipelineLayout, void,                                               \
    (VkDevice device, VkPipelineLayout pipelineLayout,                         \
     const VkAllocationCallbacks* pAllocator))                                 \
  X(CreateDescriptorSetLayout, VkResult,                                       \
    (VkDevice device, const VkDescriptorSetLayoutCreateInfo* pCreateInfo,      \
     const VkAllocationCallbacks* pAllocator,                                  \
     VkDescriptorSetLayout* pSetLayout))                                       \
  X(DestroyDescriptorSetLayout, void,                                          \
    (VkDevice device, VkDescriptorSetLayout descriptorSetLayout,               \
     const VkAllocationCallbacks* pAllocator))                                 \
  X(CreateDescriptorPool, VkResult,                                            \
    (VkDevice device, const VkDescriptorPoolCreateInfo* pCreateInfo,           \
     const VkAllocationCallbacks* pAllocator,                                  \
     VkDescriptorPool* pDescriptorPool))                                       \
  X(DestroyDescriptorPool, void,                                               \
    (VkDevice device, VkDescriptorPool descriptorPool,                         \
     const VkAllocationCallbacks* pAllocator))                                 \
  X(ResetDescriptorPool, VkResult,                                             \
    (VkDevice device, VkDescriptorPool descriptorPool,                         \
     VkDescriptorPoolResetFlags flags))                                        \
  X(AllocateDescriptorSets, VkResult,                                          \
    (VkDevice device, const VkDescriptorSetAllocateInfo* pAllocateInfo,        \
     VkDescriptorSet* pDescriptorSets))                                        \
  X(FreeDescriptorSets, VkResult,                                              \
    (VkDevice device, VkDescriptorPool descriptorPool,                         \
     uint32_t descriptorSetCount, const VkDescriptorSet* pDescriptorSets))     \
  X(UpdateDescriptorSets, void,                                                \
    (VkDevice device, uint32_t descriptorWriteCount,                           \
     const VkWriteDescriptorSet* pDescriptorWrites,                            \
     uint32_t descriptorCopyCount,                                             \
     const VkCopyDescriptorSet* pDescriptorCopies))                            \
  X(CreateCommandPool, VkResult,                                               \
    (VkDevice device, const VkCommandPoolCreateInfo* pCreateInfo,              \
     const VkAllocationCallbacks* pAllocator, VkCommandPool* pCommandPool))    \
  X(DestroyCommandPool, void,                                                  \
    (VkDevice device, VkCommandPool commandPool,                               \
     const VkAllocationCallbacks* pAllocator))                                 \
  X(ResetCommandPool, VkResult,                                                \
    (VkDevice device, VkCommandPool commandPool,                               \
     VkCommandPoolResetFlags flags))                                           \
  X(TrimCommandPool, void,                                                     \
    (VkDevice device, VkCommandPool commandPool,                               \
     VkCommandPoolTrimFlags flags))                                            \
  X(AllocateCommandBuffers, VkResult,                                          \
    (VkDevice device, const VkCommandBufferAllocateInfo* pAllocateInfo,        \
     VkCommandBuffer* pCommandBuffers))                                        \
  X(FreeCommandBuffers, void,                                                  \
    (VkDevice device, VkCommandPool commandPool, uint32_t commandBufferCount,  \
     const VkCommandBuffer* pCommandBuffers))                                  \
  X(BeginCommandBuffer, VkResult,                                              \
    (VkCommandBuffer commandBuffer,                                            \
     const VkCommandBufferBeginInfo* pBeginInfo))                              \
  X(EndCommandBuffer, VkResult, (VkCommandBuffer commandBuffer))               \
  X(ResetCommandBuffer, VkResult,                                              \
    (VkCommandBuffer commandBuffer, VkCommandBufferResetFlags flags))          \
  X(CmdPipelineBarrier2, void,                                                 \
    (VkCommandBuffer commandBuffer, const VkDependencyInfo* pDependencyInfo))  \
  X(CmdFillBuffer, void,                                                       \
    (VkCommandBuffer commandBuffer, VkBuffer dstBuffer,                        \
     VkDeviceSize dstOffset, VkDeviceSize size, uint32_t data))                \
  X(CmdUpdateBuffer, void,                                                     \
    (VkCommandBuffer commandBuffer, VkBuffer dstBuffer,                        \
     VkDeviceSize dstOffset, VkDeviceSize dataSize, const void* pData))        \
  X(CmdCopyBuffer, void,                                                       \
    (VkCommandBuffer commandBuffer, VkBuffer srcBuffer, VkBuffer dstBuffer,    \
     uint32_t regionCount, const VkBufferCopy* pRegions))                      \
  X(CmdBindPipeline, void,                                                     \
    (VkCommandBuffer commandBuffer, VkPipelineBindPoint pipelineBindPoint,     \
     VkPipeline pipeline))                                                     \
  X(CmdBindDescriptorSets, void,                                               \
    (VkCommandBuffer commandBuffer, VkPipelineBindPoint pipelineBindPoint,     \
     VkPipelineLayout layout, uint32_t firstSet, uint32_t descriptorSetCount,  \
     const VkDescriptorSet* pDescriptorSets, uint32_t dynamicOffsetCount,      \
     const uint32_t* pDynamicOffsets))                                         \
  X(CmdPushConstants, void,                                                    \
    (VkCommandBuffer commandBuffer, VkPipelineLayout layout,                   \
     VkShaderStageFlags stageFlags, uint32_t offset, uint32_t size,            \
     const void* pValues))                                                     \
  X(CmdDispatch, void,                                                         \
    (VkCommandBuffer commandBuffer, uint32_t groupCountX,                      \
     uint32_t groupCountY, uint32_t groupCountZ))                              \
  X(CmdDispatchIndirect, void,                                                 \
    (VkCommandBuffer commandBuffer, VkBuffer buffer, VkDeviceSize offset))

// Of a device, NULL where their extension is not enabled.
#define VULKAN_DEVICE_EXTENSION_FUNCTIONS(X)                                 \
  X(CmdPushDescriptorSetKHR, void,                                           \
    (VkCommandBuffer commandBuffer, VkPipelineBindPoint pipelineBindPoint,   \
     VkPipelineLayout layout, uint32_t set, uint32_t descriptorWriteCount,   \
     const VkWriteDescriptorSet* pDescriptorWrites))                         \
  X(GetMemoryFdKHR, VkResult,                                                \
    (VkDevice device, const VkMemoryGetFdInfoKHR* pGetFdInfo, int* pFd))     \
  X(GetMemoryFdPropertiesKHR, VkResult,                                      \
    (VkDevice device, VkExternalMemoryHandleTypeFlagBits handleType, int fd, \
     VkMemoryFdPropertiesKHR* pMemoryFdProperties))                          \
  X(GetMemoryHostPointerPropertiesEXT, VkResult,                             \
    (VkDevice device, VkExternalMemoryHandleTypeFlagBits handleType,         \
     const void* pHostPointer,                                               \
     VkMemoryHostPointerPropertiesEXT* pMemoryHostPointerProperties))

#define VULKAN_DECLARE_TYPE(name, result, parameters) \
  typedef result(*PFN_vk##name) parameters;
VULKAN_GLOBAL_FUNCTIONS(VULKAN_DECLARE_TYPE)
VULKAN_INSTANCE_FUNCTIONS(VULKAN_DECLARE_TYPE)
VULKAN_INSTANCE_EXTENSION_FUNCTIONS(VULKAN_DECLARE_TYPE)
VULKAN_DEVICE_FUNCTIONS(VULKAN_DECLARE_TYPE)
VULKAN_DEVICE_EXTENSION_FUNCTIONS(VULKAN_DECLARE_TYPE)
#undef VULKAN_DECLARE_TYPE

#define VULKAN_DECLARE_MEMBER(name, result, parameters) PFN_vk##name name;
typedef struct vulkan_global_table_t {
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr;
  VULKAN_GLOBAL_FUNCTIONS(VULKAN_DECLARE_MEMBER)
} vulkan_global_table_t;
typedef struct vulkan_instance_table_t {
  VULKAN_INSTANCE_FUNCTIONS(VULKAN_DECLARE_MEMBER)
  VULKAN_INSTANCE_EXTENSION_FUNCTIONS(VULKAN_DECLARE_MEMBER)
} vulkan_instance_table_t;
typedef struct vulkan_device_table_t {
  VULKAN_DEVICE_FUNCTIONS(VULKAN_DECLARE_MEMBER)
  VULKAN_DEVICE_EXTENSION_FUNCTIONS(VULKAN_DECLARE_MEMBER)
} vulkan_device_table_t;
#undef VULKAN_DECLARE_MEMBER

#endif  // IREE_CY_VULKAN_VULKAN_FUNCTIONS_H_
