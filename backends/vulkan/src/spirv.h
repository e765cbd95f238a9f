// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what is read of a SPIR-V module before a driver sees it: that it is
// whole, what its entry points use, and what it needs of a device.

#ifndef IREE_CY_VULKAN_SPIRV_H_
#define IREE_CY_VULKAN_SPIRV_H_

#include "iree_cy/plugin.h"

//===-- what modules need ---------------------------------------------------===

// X(part, feature): members of Vulkan's feature structs. The part is core
// (VkPhysicalDeviceFeatures), v11, v12, v13 (-Vulkan11Features and so on), or
// extension.
#define VULKAN_SPIRV_FEATURES(X)                 \
  X(core, shaderFloat64)                         \
  X(core, shaderInt64)                           \
  X(core, shaderInt16)                           \
  X(v11, storageBuffer16BitAccess)               \
  X(v11, uniformAndStorageBuffer16BitAccess)     \
  X(v11, storagePushConstant16)                  \
  X(v11, variablePointersStorageBuffer)          \
  X(v11, variablePointers)                       \
  X(v12, storageBuffer8BitAccess)                \
  X(v12, uniformAndStorageBuffer8BitAccess)      \
  X(v12, storagePushConstant8)                   \
  X(v12, shaderBufferInt64Atomics)               \
  X(v12, shaderFloat16)                          \
  X(v12, shaderInt8)                             \
  X(v12, runtimeDescriptorArray)                 \
  X(v12, shaderSubgroupExtendedTypes)            \
  X(v12, bufferDeviceAddress)                    \
  X(v12, vulkanMemoryModel)                      \
  X(v12, vulkanMemoryModelDeviceScope)           \
  X(v13, shaderZeroInitializeWorkgroupMemory)    \
  X(v13, shaderIntegerDotProduct)                \
  X(v13, shaderTerminateInvocation)              \
  X(v13, shaderDemoteToHelperInvocation)         \
  X(v13, maintenance4)                           \
  X(extension, cooperativeMatrix)                \
  X(extension, shaderExpectAssume)               \
  X(extension, shaderSubgroupRotate)             \
  X(extension, shaderRelaxedExtendedInstruction) \
  X(extension, shaderBFloat16Type)               \
  X(extension, shaderBufferFloat16AtomicAdd)     \
  X(extension, shaderBufferFloat32AtomicAdd)     \
  X(extension, shaderBufferFloat64AtomicAdd)     \
  X(extension, shaderBufferFloat16AtomicMinMax)  \
  X(extension, shaderBufferFloat32AtomicMinMax)  \
  X(extension, shaderBufferFloat64AtomicMinMax)

// X(enumerator, bit): bits of VkPhysicalDeviceSubgroupProperties
// ::supportedOperations.
#define VULKAN_SPIRV_SUBGROUP_OPERATIONS(X)         \
  X(VK_SUBGROUP_FEATURE_BASIC_BIT, 0x1)             \
  X(VK_SUBGROUP_FEATURE_VOTE_BIT, 0x2)              \
  X(VK_SUBGROUP_FEATURE_ARITHMETIC_BIT, 0x4)        \
  X(VK_SUBGROUP_FEATURE_BALLOT_BIT, 0x8)            \
  X(VK_SUBGROUP_FEATURE_SHUFFLE_BIT, 0x10)          \
  X(VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT, 0x20) \
  X(VK_SUBGROUP_FEATURE_CLUSTERED_BIT, 0x40)        \
  X(VK_SUBGROUP_FEATURE_QUAD_BIT, 0x80)

// X(identifier, name): device extensions that Vulkan 1.3 has not taken in.
#define VULKAN_SPIRV_EXTENSIONS(X)                                \
  X(COOPERATIVE_MATRIX, "VK_KHR_cooperative_matrix")              \
  X(EXPECT_ASSUME, "VK_KHR_shader_expect_assume")                 \
  X(SUBGROUP_ROTATE, "VK_KHR_shader_subgroup_rotate")             \
  X(RELAXED_EXTENDED_INSTRUCTION,                                 \
    "VK_KHR_shader_relaxed_extended_instruction")                 \
  X(BFLOAT16, "VK_KHR_shader_bfloat16")                           \
  X(ATOMIC_FLOAT, "VK_EXT_shader_atomic_float")                   \
  X(ATOMIC_FLOAT2, "VK_EXT_shader_atomic_float2")                 \
  X(SUBGROUP_BALLOT, "VK_EXT_shader_subgroup_ballot")             \
  X(SUBGROUP_VOTE, "VK_EXT_shader_subgroup_vote")                 \
  X(SUBGROUP_UNIFORM_CONTROL_FLOW,                                \
    "VK_KHR_shader_subgroup_uniform_control_flow")                \
  X(MAXIMAL_RECONVERGENCE, "VK_KHR_shader_maximal_reconvergence") \
  X(FLOAT_CONTROLS2, "VK_KHR_shader_float_controls2")

#define VULKAN_SPIRV_DECLARE_(part, name) VULKAN_FEATURE_##name,
typedef enum vulkan_feature_e {
  VULKAN_SPIRV_FEATURES(VULKAN_SPIRV_DECLARE_) VULKAN_FEATURE_COUNT,
} vulkan_feature_t;
#undef VULKAN_SPIRV_DECLARE_

#define VULKAN_SPIRV_DECLARE_(identifier, name) VULKAN_EXTENSION_##identifier,
typedef enum vulkan_spirv_extension_e {
  VULKAN_SPIRV_EXTENSIONS(VULKAN_SPIRV_DECLARE_) VULKAN_SPIRV_EXTENSION_COUNT,
} vulkan_spirv_extension_t;
#undef VULKAN_SPIRV_DECLARE_

// What is needed, or what a device has.
typedef struct vulkan_spirv_needs_t {
  // Bit f: vulkan_feature_t f.
  uint64_t features;
  // As in VkPhysicalDeviceSubgroupProperties.
  uint32_t subgroup_operations;
  // Bit e: vulkan_spirv_extension_t e.
  uint32_t extensions;
} vulkan_spirv_needs_t;

// "shaderInt64"; "VK_KHR_cooperative_matrix".
const char* vulkan_feature_name(vulkan_feature_t feature);
const char* vulkan_spirv_extension_name(vulkan_spirv_extension_t extension);

// Lists what |needs| has and |available| does not, in the order of the lists
// above, up to |capacity|. Returns how many there are; |names| may be NULL with
// capacity 0.
iree_host_size_t vulkan_spirv_missing(const vulkan_spirv_needs_t* needs,
                                      const vulkan_spirv_needs_t* available,
                                      iree_host_size_t capacity,
                                      const char** names);

// Adds what a capability, or an extension of SPIR-V ("SPV_KHR_8bit_storage"),
// needs. Returns false for one that is not known.
bool vulkan_spirv_add_capability(uint32_t capability,
                                 vulkan_spirv_needs_t* needs);
bool vulkan_spirv_add_extension(iree_string_view_t extension,
                                vulkan_spirv_needs_t* needs);

//===-- modules -------------------------------------------------------------===

typedef enum vulkan_spirv_resource_e {
  VULKAN_SPIRV_RESOURCE_STORAGE_BUFFER,
  VULKAN_SPIRV_RESOURCE_UNIFORM_BUFFER,
  // Images, samplers.
  VULKAN_SPIRV_RESOURCE_OTHER,
} vulkan_spirv_resource_t;

// A descriptor that an entry point uses.
typedef struct vulkan_spirv_binding_t {
  uint32_t set;
  uint32_t binding;
  vulkan_spirv_resource_t resource;
  // 1 unless it is an array; 0 for one without a length.
  uint32_t descriptor_count;
} vulkan_spirv_binding_t;

// A compute entry point, with what it and all that it calls use.
typedef struct vulkan_spirv_entry_point_t {
  // Borrowed from the words; a NUL follows.
  iree_string_view_t name;
  uint32_t workgroup_size[3];
  // Bytes from 0 to the end of the last one used, in whole variables.
  uint64_t push_constant_size;
  // Bytes of workgroup memory, at least.
  uint64_t workgroup_memory_size;
  // In no order.
  iree_host_size_t binding_count;
  const vulkan_spirv_binding_t* bindings;
} vulkan_spirv_entry_point_t;

typedef struct vulkan_spirv_module_t {
  iree_allocator_t host_allocator;
  // What a driver is to be given: the words that were read, or a copy of our
  // own without what compilers write although Vulkan does not allow it:
  // - NoSignedWrap and NoUnsignedWrap before SPIR-V 1.4, promises that may be
  //   left out, and their extension, which Vulkan does not list;
  // - before 1.4, variables in an interface that are neither input nor output;
  // - SPV_EXT_physical_storage_buffer, which Vulkan 1.3 knows as SPV_KHR_.
  const uint32_t* words;
  iree_host_size_t word_count;
  uint32_t* own_words;
  // 0x00MMmm00.
  uint32_t version;
  vulkan_spirv_needs_t needs;
  iree_host_size_t entry_point_count;
  vulkan_spirv_entry_point_t* entry_points;
  vulkan_spirv_binding_t* bindings;
} vulkan_spirv_module_t;

// What is to be read, borrowed for the call (the words for the module's life).
typedef struct vulkan_spirv_source_t {
  // Whose it is, for messages.
  iree_string_view_t name;
  const uint32_t* words;
  iree_host_size_t word_count;
  // Values that take the place of those of specialization constants with the
  // ids 0, 1, ...
  iree_host_size_t constant_count;
  const uint32_t* constants;
} vulkan_spirv_source_t;

// Reads a module: header, order and length of instructions, their operands (ids
// are below the bound, defined, once, before where that is asked for, and of
// the function that uses them), functions and blocks, calls without circles,
// accesses and parts of values, and the above. Not looked at are the types of
// other operands and the nesting of control flow. INVALID_ARGUMENT says in a
// sentence what is wrong and at which word, UNIMPLEMENTED what is not known.
iree_status_t vulkan_spirv_module_read(const vulkan_spirv_source_t* source,
                                       iree_allocator_t host_allocator,
                                       vulkan_spirv_module_t* out_module);
void vulkan_spirv_module_deinitialize(vulkan_spirv_module_t* module);

// The entry point |name|; NOT_FOUND when there is none.
iree_status_t vulkan_spirv_module_find(
    const vulkan_spirv_module_t* module, iree_string_view_t name,
    const vulkan_spirv_entry_point_t** out_entry_point);

#endif  // IREE_CY_VULKAN_SPIRV_H_
