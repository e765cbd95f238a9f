// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the structs of the Vulkan API that this driver uses: the part of
// vulkan_api.h that is laid out in memory.

#ifndef IREE_CY_VULKAN_VULKAN_STRUCTS_H_
#define IREE_CY_VULKAN_VULKAN_STRUCTS_H_

#include "vulkan_api.h"

typedef struct VkBaseInStructure {
  VkStructureType sType;
  const struct VkBaseInStructure* pNext;
} VkBaseInStructure;
typedef struct VkBaseOutStructure {
  VkStructureType sType;
  struct VkBaseOutStructure* pNext;
} VkBaseOutStructure;
typedef struct VkExtent3D {
  uint32_t width, height, depth;
} VkExtent3D;

//===-- instance ------------------------------------------------------------===

typedef struct VkApplicationInfo {
  VkStructureType sType;
  const void* pNext;
  const char* pApplicationName;
  uint32_t applicationVersion;
  const char* pEngineName;
  uint32_t engineVersion, apiVersion;
} VkApplicationInfo;
typedef struct VkInstanceCreateInfo {
  VkStructureType sType;
  const void* pNext;
  VkInstanceCreateFlags flags;
  const VkApplicationInfo* pApplicationInfo;
  uint32_t enabledLayerCount;
  const char* const* ppEnabledLayerNames;
  uint32_t enabledExtensionCount;
  const char* const* ppEnabledExtensionNames;
} VkInstanceCreateInfo;
typedef struct VkExtensionProperties {
  char extensionName[VK_MAX_EXTENSION_NAME_SIZE];
  uint32_t specVersion;
} VkExtensionProperties;
typedef struct VkLayerProperties {
  char layerName[VK_MAX_EXTENSION_NAME_SIZE];
  uint32_t specVersion, implementationVersion;
  char description[VK_MAX_DESCRIPTION_SIZE];
} VkLayerProperties;
typedef struct VkValidationFeaturesEXT {
  VkStructureType sType;
  const void* pNext;
  uint32_t enabledValidationFeatureCount;
  const VkValidationFeatureEnableEXT* pEnabledValidationFeatures;
  uint32_t disabledValidationFeatureCount;
  const VkValidationFeatureDisableEXT* pDisabledValidationFeatures;
} VkValidationFeaturesEXT;

typedef struct VkDebugUtilsLabelEXT {
  VkStructureType sType;
  const void* pNext;
  const char* pLabelName;
  float color[4];
} VkDebugUtilsLabelEXT;
typedef struct VkDebugUtilsObjectNameInfoEXT {
  VkStructureType sType;
  const void* pNext;
  VkObjectType objectType;
  uint64_t objectHandle;
  const char* pObjectName;
} VkDebugUtilsObjectNameInfoEXT;
typedef struct VkDebugUtilsMessengerCallbackDataEXT {
  VkStructureType sType;
  const void* pNext;
  VkDebugUtilsMessengerCallbackDataFlagsEXT flags;
  const char* pMessageIdName;
  int32_t messageIdNumber;
  const char* pMessage;
  uint32_t queueLabelCount;
  const VkDebugUtilsLabelEXT* pQueueLabels;
  uint32_t cmdBufLabelCount;
  const VkDebugUtilsLabelEXT* pCmdBufLabels;
  uint32_t objectCount;
  const VkDebugUtilsObjectNameInfoEXT* pObjects;
} VkDebugUtilsMessengerCallbackDataEXT;
typedef VkBool32 (*PFN_vkDebugUtilsMessengerCallbackEXT)(
    VkDebugUtilsMessageSeverityFlagBitsEXT messageSeverity,
    VkDebugUtilsMessageTypeFlagsEXT messageTypes,
    const VkDebugUtilsMessengerCallbackDataEXT* pCallbackData, void* pUserData);
typedef struct VkDebugUtilsMessengerCreateInfoEXT {
  VkStructureType sType;
  const void* pNext;
  VkDebugUtilsMessengerCreateFlagsEXT flags;
  VkDebugUtilsMessageSeverityFlagsEXT messageSeverity;
  VkDebugUtilsMessageTypeFlagsEXT messageType;
  PFN_vkDebugUtilsMessengerCallbackEXT pfnUserCallback;
  void* pUserData;
} VkDebugUtilsMessengerCreateInfoEXT;

//===-- physical devices ----------------------------------------------------===

typedef struct VkPhysicalDeviceLimits {
  uint32_t maxImageDimension1D, maxImageDimension2D, maxImageDimension3D;
  uint32_t maxImageDimensionCube, maxImageArrayLayers, maxTexelBufferElements;
  uint32_t maxUniformBufferRange, maxStorageBufferRange, maxPushConstantsSize;
  uint32_t maxMemoryAllocationCount, maxSamplerAllocationCount;
  VkDeviceSize bufferImageGranularity, sparseAddressSpaceSize;
  uint32_t maxBoundDescriptorSets, maxPerStageDescriptorSamplers;
  uint32_t maxPerStageDescriptorUniformBuffers;
  uint32_t maxPerStageDescriptorStorageBuffers;
  uint32_t maxPerStageDescriptorSampledImages;
  uint32_t maxPerStageDescriptorStorageImages;
  uint32_t maxPerStageDescriptorInputAttachments, maxPerStageResources;
  uint32_t maxDescriptorSetSamplers, maxDescriptorSetUniformBuffers;
  uint32_t maxDescriptorSetUniformBuffersDynamic;
  uint32_t maxDescriptorSetStorageBuffers;
  uint32_t maxDescriptorSetStorageBuffersDynamic;
  uint32_t maxDescriptorSetSampledImages, maxDescriptorSetStorageImages;
  uint32_t maxDescriptorSetInputAttachments, maxVertexInputAttributes;
  uint32_t maxVertexInputBindings, maxVertexInputAttributeOffset;
  uint32_t maxVertexInputBindingStride, maxVertexOutputComponents;
  uint32_t maxTessellationGenerationLevel, maxTessellationPatchSize;
  uint32_t maxTessellationControlPerVertexInputComponents;
  uint32_t maxTessellationControlPerVertexOutputComponents;
  uint32_t maxTessellationControlPerPatchOutputComponents;
  uint32_t maxTessellationControlTotalOutputComponents;
  uint32_t maxTessellationEvaluationInputComponents;
  uint32_t maxTessellationEvaluationOutputComponents;
  uint32_t maxGeometryShaderInvocations, maxGeometryInputComponents;
  uint32_t maxGeometryOutputComponents, maxGeometryOutputVertices;
  uint32_t maxGeometryTotalOutputComponents, maxFragmentInputComponents;
  uint32_t maxFragmentOutputAttachments, maxFragmentDualSrcAttachments;
  uint32_t maxFragmentCombinedOutputResources, maxComputeSharedMemorySize;
  uint32_t maxComputeWorkGroupCount[3];
  uint32_t maxComputeWorkGroupInvocations;
  uint32_t maxComputeWorkGroupSize[3];
  uint32_t subPixelPrecisionBits, subTexelPrecisionBits, mipmapPrecisionBits;
  uint32_t maxDrawIndexedIndexValue, maxDrawIndirectCount;
  float maxSamplerLodBias, maxSamplerAnisotropy;
  uint32_t maxViewports;
  uint32_t maxViewportDimensions[2];
  float viewportBoundsRange[2];
  uint32_t viewportSubPixelBits;
  size_t minMemoryMapAlignment;
  VkDeviceSize minTexelBufferOffsetAlignment, minUniformBufferOffsetAlignment;
  VkDeviceSize minStorageBufferOffsetAlignment;
  int32_t minTexelOffset;
  uint32_t maxTexelOffset;
  int32_t minTexelGatherOffset;
  uint32_t maxTexelGatherOffset;
  float minInterpolationOffset, maxInterpolationOffset;
  uint32_t subPixelInterpolationOffsetBits, maxFramebufferWidth;
  uint32_t maxFramebufferHeight, maxFramebufferLayers;
  VkSampleCountFlags framebufferColorSampleCounts;
  VkSampleCountFlags framebufferDepthSampleCounts;
  VkSampleCountFlags framebufferStencilSampleCounts;
  VkSampleCountFlags framebufferNoAttachmentsSampleCounts;
  uint32_t maxColorAttachments;
  VkSampleCountFlags sampledImageColorSampleCounts;
  VkSampleCountFlags sampledImageIntegerSampleCounts;
  VkSampleCountFlags sampledImageDepthSampleCounts;
  VkSampleCountFlags sampledImageStencilSampleCounts;
  VkSampleCountFlags storageImageSampleCounts;
  uint32_t maxSampleMaskWords;
  VkBool32 timestampComputeAndGraphics;
  float timestampPeriod;
  uint32_t maxClipDistances, maxCullDistances;
  uint32_t maxCombinedClipAndCullDistances, discreteQueuePriorities;
  float pointSizeRange[2];
  float lineWidthRange[2];
  float pointSizeGranularity, lineWidthGranularity;
  VkBool32 strictLines, standardSampleLocations;
  VkDeviceSize optimalBufferCopyOffsetAlignment;
  VkDeviceSize optimalBufferCopyRowPitchAlignment, nonCoherentAtomSize;
} VkPhysicalDeviceLimits;
typedef struct VkPhysicalDeviceSparseProperties {
  VkBool32 residencyStandard2DBlockShape;
  VkBool32 residencyStandard2DMultisampleBlockShape;
  VkBool32 residencyStandard3DBlockShape, residencyAlignedMipSize;
  VkBool32 residencyNonResidentStrict;
} VkPhysicalDeviceSparseProperties;
typedef struct VkPhysicalDeviceProperties {
  uint32_t apiVersion, driverVersion, vendorID, deviceID;
  VkPhysicalDeviceType deviceType;
  char deviceName[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
  uint8_t pipelineCacheUUID[VK_UUID_SIZE];
  VkPhysicalDeviceLimits limits;
  VkPhysicalDeviceSparseProperties sparseProperties;
} VkPhysicalDeviceProperties;
typedef struct VkPhysicalDeviceProperties2 {
  VkStructureType sType;
  void* pNext;
  VkPhysicalDeviceProperties properties;
} VkPhysicalDeviceProperties2;
typedef struct VkPhysicalDeviceVulkan11Properties {
  VkStructureType sType;
  void* pNext;
  uint8_t deviceUUID[VK_UUID_SIZE];
  uint8_t driverUUID[VK_UUID_SIZE];
  uint8_t deviceLUID[VK_LUID_SIZE];
  uint32_t deviceNodeMask;
  VkBool32 deviceLUIDValid;
  uint32_t subgroupSize;
  VkShaderStageFlags subgroupSupportedStages;
  VkSubgroupFeatureFlags subgroupSupportedOperations;
  VkBool32 subgroupQuadOperationsInAllStages;
  VkPointClippingBehavior pointClippingBehavior;
  uint32_t maxMultiviewViewCount, maxMultiviewInstanceIndex;
  VkBool32 protectedNoFault;
  uint32_t maxPerSetDescriptors;
  VkDeviceSize maxMemoryAllocationSize;
} VkPhysicalDeviceVulkan11Properties;
typedef struct VkConformanceVersion {
  uint8_t major, minor, subminor, patch;
} VkConformanceVersion;
typedef struct VkPhysicalDeviceVulkan12Properties {
  VkStructureType sType;
  void* pNext;
  VkDriverId driverID;
  char driverName[VK_MAX_DRIVER_NAME_SIZE];
  char driverInfo[VK_MAX_DRIVER_INFO_SIZE];
  VkConformanceVersion conformanceVersion;
  VkShaderFloatControlsIndependence denormBehaviorIndependence;
  VkShaderFloatControlsIndependence roundingModeIndependence;
  VkBool32 shaderSignedZeroInfNanPreserveFloat16;
  VkBool32 shaderSignedZeroInfNanPreserveFloat32;
  VkBool32 shaderSignedZeroInfNanPreserveFloat64;
  VkBool32 shaderDenormPreserveFloat16, shaderDenormPreserveFloat32;
  VkBool32 shaderDenormPreserveFloat64, shaderDenormFlushToZeroFloat16;
  VkBool32 shaderDenormFlushToZeroFloat32, shaderDenormFlushToZeroFloat64;
  VkBool32 shaderRoundingModeRTEFloat16, shaderRoundingModeRTEFloat32;
  VkBool32 shaderRoundingModeRTEFloat64, shaderRoundingModeRTZFloat16;
  VkBool32 shaderRoundingModeRTZFloat32, shaderRoundingModeRTZFloat64;
  uint32_t maxUpdateAfterBindDescriptorsInAllPools;
  VkBool32 shaderUniformBufferArrayNonUniformIndexingNative;
  VkBool32 shaderSampledImageArrayNonUniformIndexingNative;
  VkBool32 shaderStorageBufferArrayNonUniformIndexingNative;
  VkBool32 shaderStorageImageArrayNonUniformIndexingNative;
  VkBool32 shaderInputAttachmentArrayNonUniformIndexingNative;
  VkBool32 robustBufferAccessUpdateAfterBind, quadDivergentImplicitLod;
  uint32_t maxPerStageDescriptorUpdateAfterBindSamplers;
  uint32_t maxPerStageDescriptorUpdateAfterBindUniformBuffers;
  uint32_t maxPerStageDescriptorUpdateAfterBindStorageBuffers;
  uint32_t maxPerStageDescriptorUpdateAfterBindSampledImages;
  uint32_t maxPerStageDescriptorUpdateAfterBindStorageImages;
  uint32_t maxPerStageDescriptorUpdateAfterBindInputAttachments;
  uint32_t maxPerStageUpdateAfterBindResources;
  uint32_t maxDescriptorSetUpdateAfterBindSamplers;
  uint32_t maxDescriptorSetUpdateAfterBindUniformBuffers;
  uint32_t maxDescriptorSetUpdateAfterBindUniformBuffersDynamic;
  uint32_t maxDescriptorSetUpdateAfterBindStorageBuffers;
  uint32_t maxDescriptorSetUpdateAfterBindStorageBuffersDynamic;
  uint32_t maxDescriptorSetUpdateAfterBindSampledImages;
  uint32_t maxDescriptorSetUpdateAfterBindStorageImages;
  uint32_t maxDescriptorSetUpdateAfterBindInputAttachments;
  VkResolveModeFlags supportedDepthResolveModes;
  VkResolveModeFlags supportedStencilResolveModes;
  VkBool32 independentResolveNone, independentResolve;
  VkBool32 filterMinmaxSingleComponentFormats;
  VkBool32 filterMinmaxImageComponentMapping;
  uint64_t maxTimelineSemaphoreValueDifference;
  VkSampleCountFlags framebufferIntegerColorSampleCounts;
} VkPhysicalDeviceVulkan12Properties;
typedef struct VkPhysicalDeviceVulkan13Properties {
  VkStructureType sType;
  void* pNext;
  uint32_t minSubgroupSize, maxSubgroupSize, maxComputeWorkgroupSubgroups;
  VkShaderStageFlags requiredSubgroupSizeStages;
  uint32_t maxInlineUniformBlockSize;
  uint32_t maxPerStageDescriptorInlineUniformBlocks;
  uint32_t maxPerStageDescriptorUpdateAfterBindInlineUniformBlocks;
  uint32_t maxDescriptorSetInlineUniformBlocks;
  uint32_t maxDescriptorSetUpdateAfterBindInlineUniformBlocks;
  uint32_t maxInlineUniformTotalSize;
  VkBool32 integerDotProduct8BitUnsignedAccelerated;
  VkBool32 integerDotProduct8BitSignedAccelerated;
  VkBool32 integerDotProduct8BitMixedSignednessAccelerated;
  VkBool32 integerDotProduct4x8BitPackedUnsignedAccelerated;
  VkBool32 integerDotProduct4x8BitPackedSignedAccelerated;
  VkBool32 integerDotProduct4x8BitPackedMixedSignednessAccelerated;
  VkBool32 integerDotProduct16BitUnsignedAccelerated;
  VkBool32 integerDotProduct16BitSignedAccelerated;
  VkBool32 integerDotProduct16BitMixedSignednessAccelerated;
  VkBool32 integerDotProduct32BitUnsignedAccelerated;
  VkBool32 integerDotProduct32BitSignedAccelerated;
  VkBool32 integerDotProduct32BitMixedSignednessAccelerated;
  VkBool32 integerDotProduct64BitUnsignedAccelerated;
  VkBool32 integerDotProduct64BitSignedAccelerated;
  VkBool32 integerDotProduct64BitMixedSignednessAccelerated;
  VkBool32 integerDotProductAccumulatingSaturating8BitUnsignedAccelerated;
  VkBool32 integerDotProductAccumulatingSaturating8BitSignedAccelerated;
  VkBool32
      integerDotProductAccumulatingSaturating8BitMixedSignednessAccelerated;
  VkBool32
      integerDotProductAccumulatingSaturating4x8BitPackedUnsignedAccelerated;
  VkBool32 integerDotProductAccumulatingSaturating4x8BitPackedSignedAccelerated;
  VkBool32
      integerDotProductAccumulatingSaturating4x8BitPackedMixedSignednessAccelerated;
  VkBool32 integerDotProductAccumulatingSaturating16BitUnsignedAccelerated;
  VkBool32 integerDotProductAccumulatingSaturating16BitSignedAccelerated;
  VkBool32
      integerDotProductAccumulatingSaturating16BitMixedSignednessAccelerated;
  VkBool32 integerDotProductAccumulatingSaturating32BitUnsignedAccelerated;
  VkBool32 integerDotProductAccumulatingSaturating32BitSignedAccelerated;
  VkBool32
      integerDotProductAccumulatingSaturating32BitMixedSignednessAccelerated;
  VkBool32 integerDotProductAccumulatingSaturating64BitUnsignedAccelerated;
  VkBool32 integerDotProductAccumulatingSaturating64BitSignedAccelerated;
  VkBool32
      integerDotProductAccumulatingSaturating64BitMixedSignednessAccelerated;
  VkDeviceSize storageTexelBufferOffsetAlignmentBytes;
  VkBool32 storageTexelBufferOffsetSingleTexelAlignment;
  VkDeviceSize uniformTexelBufferOffsetAlignmentBytes;
  VkBool32 uniformTexelBufferOffsetSingleTexelAlignment;
  VkDeviceSize maxBufferSize;
} VkPhysicalDeviceVulkan13Properties;
typedef struct VkPhysicalDevicePCIBusInfoPropertiesEXT {
  VkStructureType sType;
  void* pNext;
  uint32_t pciDomain, pciBus, pciDevice, pciFunction;
} VkPhysicalDevicePCIBusInfoPropertiesEXT;
typedef struct VkPhysicalDeviceExternalMemoryHostPropertiesEXT {
  VkStructureType sType;
  void* pNext;
  VkDeviceSize minImportedHostPointerAlignment;
} VkPhysicalDeviceExternalMemoryHostPropertiesEXT;
typedef struct VkPhysicalDevicePushDescriptorPropertiesKHR {
  VkStructureType sType;
  void* pNext;
  uint32_t maxPushDescriptors;
} VkPhysicalDevicePushDescriptorPropertiesKHR;
typedef struct VkPhysicalDeviceRobustness2PropertiesEXT {
  VkStructureType sType;
  void* pNext;
  VkDeviceSize robustStorageBufferAccessSizeAlignment;
  VkDeviceSize robustUniformBufferAccessSizeAlignment;
} VkPhysicalDeviceRobustness2PropertiesEXT;

typedef struct VkPhysicalDeviceFeatures {
  VkBool32 robustBufferAccess, fullDrawIndexUint32, imageCubeArray;
  VkBool32 independentBlend, geometryShader, tessellationShader;
  VkBool32 sampleRateShading, dualSrcBlend, logicOp, multiDrawIndirect;
  VkBool32 drawIndirectFirstInstance, depthClamp, depthBiasClamp;
  VkBool32 fillModeNonSolid, depthBounds, wideLines, largePoints, alphaToOne;
  VkBool32 multiViewport, samplerAnisotropy, textureCompressionETC2;
  VkBool32 textureCompressionASTC_LDR, textureCompressionBC;
  VkBool32 occlusionQueryPrecise, pipelineStatisticsQuery;
  VkBool32 vertexPipelineStoresAndAtomics, fragmentStoresAndAtomics;
  VkBool32 shaderTessellationAndGeometryPointSize, shaderImageGatherExtended;
  VkBool32 shaderStorageImageExtendedFormats, shaderStorageImageMultisample;
  VkBool32 shaderStorageImageReadWithoutFormat;
  VkBool32 shaderStorageImageWriteWithoutFormat;
  VkBool32 shaderUniformBufferArrayDynamicIndexing;
  VkBool32 shaderSampledImageArrayDynamicIndexing;
  VkBool32 shaderStorageBufferArrayDynamicIndexing;
  VkBool32 shaderStorageImageArrayDynamicIndexing, shaderClipDistance;
  VkBool32 shaderCullDistance, shaderFloat64, shaderInt64, shaderInt16;
  VkBool32 shaderResourceResidency, shaderResourceMinLod, sparseBinding;
  VkBool32 sparseResidencyBuffer, sparseResidencyImage2D;
  VkBool32 sparseResidencyImage3D, sparseResidency2Samples;
  VkBool32 sparseResidency4Samples, sparseResidency8Samples;
  VkBool32 sparseResidency16Samples, sparseResidencyAliased;
  VkBool32 variableMultisampleRate, inheritedQueries;
} VkPhysicalDeviceFeatures;
typedef struct VkPhysicalDeviceFeatures2 {
  VkStructureType sType;
  void* pNext;
  VkPhysicalDeviceFeatures features;
} VkPhysicalDeviceFeatures2;
typedef struct VkPhysicalDeviceVulkan11Features {
  VkStructureType sType;
  void* pNext;
  VkBool32 storageBuffer16BitAccess, uniformAndStorageBuffer16BitAccess;
  VkBool32 storagePushConstant16, storageInputOutput16, multiview;
  VkBool32 multiviewGeometryShader, multiviewTessellationShader;
  VkBool32 variablePointersStorageBuffer, variablePointers, protectedMemory;
  VkBool32 samplerYcbcrConversion, shaderDrawParameters;
} VkPhysicalDeviceVulkan11Features;
typedef struct VkPhysicalDeviceVulkan12Features {
  VkStructureType sType;
  void* pNext;
  VkBool32 samplerMirrorClampToEdge, drawIndirectCount, storageBuffer8BitAccess;
  VkBool32 uniformAndStorageBuffer8BitAccess, storagePushConstant8;
  VkBool32 shaderBufferInt64Atomics, shaderSharedInt64Atomics, shaderFloat16;
  VkBool32 shaderInt8, descriptorIndexing;
  VkBool32 shaderInputAttachmentArrayDynamicIndexing;
  VkBool32 shaderUniformTexelBufferArrayDynamicIndexing;
  VkBool32 shaderStorageTexelBufferArrayDynamicIndexing;
  VkBool32 shaderUniformBufferArrayNonUniformIndexing;
  VkBool32 shaderSampledImageArrayNonUniformIndexing;
  VkBool32 shaderStorageBufferArrayNonUniformIndexing;
  VkBool32 shaderStorageImageArrayNonUniformIndexing;
  VkBool32 shaderInputAttachmentArrayNonUniformIndexing;
  VkBool32 shaderUniformTexelBufferArrayNonUniformIndexing;
  VkBool32 shaderStorageTexelBufferArrayNonUniformIndexing;
  VkBool32 descriptorBindingUniformBufferUpdateAfterBind;
  VkBool32 descriptorBindingSampledImageUpdateAfterBind;
  VkBool32 descriptorBindingStorageImageUpdateAfterBind;
  VkBool32 descriptorBindingStorageBufferUpdateAfterBind;
  VkBool32 descriptorBindingUniformTexelBufferUpdateAfterBind;
  VkBool32 descriptorBindingStorageTexelBufferUpdateAfterBind;
  VkBool32 descriptorBindingUpdateUnusedWhilePending;
  VkBool32 descriptorBindingPartiallyBound;
  VkBool32 descriptorBindingVariableDescriptorCount, runtimeDescriptorArray;
  VkBool32 samplerFilterMinmax, scalarBlockLayout, imagelessFramebuffer;
  VkBool32 uniformBufferStandardLayout, shaderSubgroupExtendedTypes;
  VkBool32 separateDepthStencilLayouts, hostQueryReset, timelineSemaphore;
  VkBool32 bufferDeviceAddress, bufferDeviceAddressCaptureReplay;
  VkBool32 bufferDeviceAddressMultiDevice, vulkanMemoryModel;
  VkBool32 vulkanMemoryModelDeviceScope;
  VkBool32 vulkanMemoryModelAvailabilityVisibilityChains;
  VkBool32 shaderOutputViewportIndex, shaderOutputLayer;
  VkBool32 subgroupBroadcastDynamicId;
} VkPhysicalDeviceVulkan12Features;
typedef struct VkPhysicalDeviceVulkan13Features {
  VkStructureType sType;
  void* pNext;
  VkBool32 robustImageAccess, inlineUniformBlock;
  VkBool32 descriptorBindingInlineUniformBlockUpdateAfterBind;
  VkBool32 pipelineCreationCacheControl, privateData;
  VkBool32 shaderDemoteToHelperInvocation, shaderTerminateInvocation;
  VkBool32 subgroupSizeControl, computeFullSubgroups, synchronization2;
  VkBool32 textureCompressionASTC_HDR, shaderZeroInitializeWorkgroupMemory;
  VkBool32 dynamicRendering, shaderIntegerDotProduct, maintenance4;
} VkPhysicalDeviceVulkan13Features;
typedef struct VkPhysicalDeviceRobustness2FeaturesEXT {
  VkStructureType sType;
  void* pNext;
  VkBool32 robustBufferAccess2, robustImageAccess2, nullDescriptor;
} VkPhysicalDeviceRobustness2FeaturesEXT;

typedef struct VkQueueFamilyProperties {
  VkQueueFlags queueFlags;
  uint32_t queueCount, timestampValidBits;
  VkExtent3D minImageTransferGranularity;
} VkQueueFamilyProperties;
typedef struct VkMemoryType {
  VkMemoryPropertyFlags propertyFlags;
  uint32_t heapIndex;
} VkMemoryType;
typedef struct VkMemoryHeap {
  VkDeviceSize size;
  VkMemoryHeapFlags flags;
} VkMemoryHeap;
typedef struct VkPhysicalDeviceMemoryProperties {
  uint32_t memoryTypeCount;
  VkMemoryType memoryTypes[VK_MAX_MEMORY_TYPES];
  uint32_t memoryHeapCount;
  VkMemoryHeap memoryHeaps[VK_MAX_MEMORY_HEAPS];
} VkPhysicalDeviceMemoryProperties;
typedef struct VkPhysicalDeviceMemoryProperties2 {
  VkStructureType sType;
  void* pNext;
  VkPhysicalDeviceMemoryProperties memoryProperties;
} VkPhysicalDeviceMemoryProperties2;
typedef struct VkPhysicalDeviceMemoryBudgetPropertiesEXT {
  VkStructureType sType;
  void* pNext;
  VkDeviceSize heapBudget[VK_MAX_MEMORY_HEAPS];
  VkDeviceSize heapUsage[VK_MAX_MEMORY_HEAPS];
} VkPhysicalDeviceMemoryBudgetPropertiesEXT;

//===-- logical devices -----------------------------------------------------===

typedef struct VkDeviceQueueCreateInfo {
  VkStructureType sType;
  const void* pNext;
  VkDeviceQueueCreateFlags flags;
  uint32_t queueFamilyIndex, queueCount;
  const float* pQueuePriorities;
} VkDeviceQueueCreateInfo;
typedef struct VkDeviceCreateInfo {
  VkStructureType sType;
  const void* pNext;
  VkDeviceCreateFlags flags;
  uint32_t queueCreateInfoCount;
  const VkDeviceQueueCreateInfo* pQueueCreateInfos;
  uint32_t enabledLayerCount;
  const char* const* ppEnabledLayerNames;
  uint32_t enabledExtensionCount;
  const char* const* ppEnabledExtensionNames;
  const VkPhysicalDeviceFeatures* pEnabledFeatures;
} VkDeviceCreateInfo;

#include "vulkan_objects.h"

#endif  // IREE_CY_VULKAN_VULKAN_STRUCTS_H_
