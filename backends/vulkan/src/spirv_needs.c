// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Implements what capabilities and extensions of SPIR-V need of a device.

#include "spirv.h"

#define FEATURE(name) (UINT64_C(1) << VULKAN_FEATURE_##name)
#define EXTENSION(name) (1u << VULKAN_EXTENSION_##name)

static_assert(VULKAN_FEATURE_COUNT <= 64, "features are bits of 64");
static_assert(VULKAN_SPIRV_EXTENSION_COUNT <= 32, "extensions are bits of 32");

static const char* const feature_names[] = {
#define NAME(part, name) #name,
    VULKAN_SPIRV_FEATURES(NAME)
#undef NAME
};

static const char* const extension_names[] = {
#define NAME(identifier, name) name,
    VULKAN_SPIRV_EXTENSIONS(NAME)
#undef NAME
};

static const struct {
  uint32_t bit;
  const char* name;
} subgroup_operations[] = {
#define NAME(name, bit) {bit, #name},
    VULKAN_SPIRV_SUBGROUP_OPERATIONS(NAME)
#undef NAME
};

const char* vulkan_feature_name(vulkan_feature_t feature) {
  return feature_names[feature];
}

const char* vulkan_spirv_extension_name(vulkan_spirv_extension_t extension) {
  return extension_names[extension];
}

iree_host_size_t vulkan_spirv_missing(const vulkan_spirv_needs_t* needs,
                                      const vulkan_spirv_needs_t* available,
                                      iree_host_size_t capacity,
                                      const char** names) {
  const uint64_t features = needs->features & ~available->features;
  const uint32_t operations =
      needs->subgroup_operations & ~available->subgroup_operations;
  const uint32_t extensions = needs->extensions & ~available->extensions;
  iree_host_size_t count = 0;
  for (size_t i = 0; i < VULKAN_FEATURE_COUNT; ++i) {
    if (!(features >> i & 1)) continue;
    if (count < capacity) names[count] = feature_names[i];
    ++count;
  }
  for (size_t i = 0; i < IREE_ARRAYSIZE(subgroup_operations); ++i) {
    if (!(operations & subgroup_operations[i].bit)) continue;
    if (count < capacity) names[count] = subgroup_operations[i].name;
    ++count;
  }
  for (size_t i = 0; i < VULKAN_SPIRV_EXTENSION_COUNT; ++i) {
    if (!(extensions >> i & 1)) continue;
    if (count < capacity) names[count] = extension_names[i];
    ++count;
  }
  return count;
}

static const struct {
  uint32_t capability;
  vulkan_spirv_needs_t needs;
} vulkan_spirv_capabilities[] = {
    // Matrix, Shader, and what every device has that runs shaders.
    {0, {0}},
    {1, {0}},
    {40, {0}},
    {43, {0}},
    {44, {0}},
    {46, {0}},
    {47, {0}},
    {50, {0}},
    {9, {FEATURE(shaderFloat16), 0, 0}},
    {10, {FEATURE(shaderFloat64), 0, 0}},
    {11, {FEATURE(shaderInt64), 0, 0}},
    {12, {FEATURE(shaderBufferInt64Atomics), 0, 0}},
    {22, {FEATURE(shaderInt16), 0, 0}},
    {39, {FEATURE(shaderInt8), 0, 0}},
    {61, {0, 0x1, 0}},         // GroupNonUniform
    {62, {0, 0x1 | 0x2, 0}},   // Vote
    {63, {0, 0x1 | 0x4, 0}},   // Arithmetic
    {64, {0, 0x1 | 0x8, 0}},   // Ballot
    {65, {0, 0x1 | 0x10, 0}},  // Shuffle
    {66, {0, 0x1 | 0x20, 0}},  // ShuffleRelative
    {67, {0, 0x1 | 0x40, 0}},  // Clustered
    {68, {0, 0x1 | 0x80, 0}},  // Quad
    {4423, {0, 0, EXTENSION(SUBGROUP_BALLOT)}},
    {4431, {0, 0, EXTENSION(SUBGROUP_VOTE)}},
    {4433, {FEATURE(storageBuffer16BitAccess), 0, 0}},
    {4434, {FEATURE(uniformAndStorageBuffer16BitAccess), 0, 0}},
    {4435, {FEATURE(storagePushConstant16), 0, 0}},
    {4441, {FEATURE(variablePointersStorageBuffer), 0, 0}},
    {4442, {FEATURE(variablePointers), 0, 0}},
    {4448, {FEATURE(storageBuffer8BitAccess), 0, 0}},
    {4449, {FEATURE(uniformAndStorageBuffer8BitAccess), 0, 0}},
    {4450, {FEATURE(storagePushConstant8), 0, 0}},
    {5116, {FEATURE(shaderBFloat16Type), 0, EXTENSION(BFLOAT16)}},
    {5302, {FEATURE(runtimeDescriptorArray), 0, 0}},
    {5345, {FEATURE(vulkanMemoryModel), 0, 0}},
    {5346, {FEATURE(vulkanMemoryModelDeviceScope), 0, 0}},
    {5347, {FEATURE(bufferDeviceAddress), 0, 0}},
    {5379, {FEATURE(shaderDemoteToHelperInvocation), 0, 0}},
    {5612,
     {FEATURE(shaderBufferFloat32AtomicMinMax), 0, EXTENSION(ATOMIC_FLOAT2)}},
    {5613,
     {FEATURE(shaderBufferFloat64AtomicMinMax), 0, EXTENSION(ATOMIC_FLOAT2)}},
    {5616,
     {FEATURE(shaderBufferFloat16AtomicMinMax), 0, EXTENSION(ATOMIC_FLOAT2)}},
    {5629, {FEATURE(shaderExpectAssume), 0, EXTENSION(EXPECT_ASSUME)}},
    // DotProductInputAll, -4x8Bit, -4x8BitPacked, DotProduct
    {6016, {FEATURE(shaderIntegerDotProduct), 0, 0}},
    {6017, {FEATURE(shaderIntegerDotProduct), 0, 0}},
    {6018, {FEATURE(shaderIntegerDotProduct), 0, 0}},
    {6019, {FEATURE(shaderIntegerDotProduct), 0, 0}},
    {6022, {FEATURE(cooperativeMatrix), 0, EXTENSION(COOPERATIVE_MATRIX)}},
    {6026, {FEATURE(shaderSubgroupRotate), 0x1, EXTENSION(SUBGROUP_ROTATE)}},
    {6033, {FEATURE(shaderBufferFloat32AtomicAdd), 0, EXTENSION(ATOMIC_FLOAT)}},
    {6034, {FEATURE(shaderBufferFloat64AtomicAdd), 0, EXTENSION(ATOMIC_FLOAT)}},
    {6095,
     {FEATURE(shaderBufferFloat16AtomicAdd), 0, EXTENSION(ATOMIC_FLOAT2)}},
};

static void add_needs(const vulkan_spirv_needs_t* more,
                      vulkan_spirv_needs_t* needs) {
  needs->features |= more->features;
  needs->subgroup_operations |= more->subgroup_operations;
  needs->extensions |= more->extensions;
}

bool vulkan_spirv_add_capability(uint32_t capability,
                                 vulkan_spirv_needs_t* needs) {
  for (size_t i = 0; i < IREE_ARRAYSIZE(vulkan_spirv_capabilities); ++i) {
    if (vulkan_spirv_capabilities[i].capability != capability) continue;
    add_needs(&vulkan_spirv_capabilities[i].needs, needs);
    return true;
  }
  return false;
}

static const struct {
  const char* name;
  vulkan_spirv_needs_t needs;
} spirv_extensions[] = {
    // What Vulkan 1.3 has taken in.
    {"SPV_KHR_16bit_storage", {0}},
    {"SPV_KHR_8bit_storage", {0}},
    {"SPV_KHR_device_group", {0}},
    {"SPV_KHR_expect_assume",
     {FEATURE(shaderExpectAssume), 0, EXTENSION(EXPECT_ASSUME)}},
    {"SPV_KHR_float_controls", {0}},
    {"SPV_KHR_integer_dot_product", {0}},
    {"SPV_KHR_no_integer_wrap_decoration", {0}},
    {"SPV_KHR_non_semantic_info", {0}},
    {"SPV_KHR_physical_storage_buffer", {0}},
    // Under the name that it had before; see vulkan_spirv_module_t.
    {"SPV_EXT_physical_storage_buffer", {0}},
    {"SPV_KHR_storage_buffer_storage_class", {0}},
    {"SPV_KHR_subgroup_vote", {0, 0, EXTENSION(SUBGROUP_VOTE)}},
    {"SPV_KHR_shader_ballot", {0, 0, EXTENSION(SUBGROUP_BALLOT)}},
    {"SPV_KHR_terminate_invocation",
     {FEATURE(shaderTerminateInvocation), 0, 0}},
    {"SPV_KHR_variable_pointers", {0}},
    {"SPV_KHR_vulkan_memory_model", {0}},
    {"SPV_EXT_demote_to_helper_invocation", {0}},
    {"SPV_EXT_descriptor_indexing", {0}},
    // What stays an extension.
    {"SPV_EXT_shader_atomic_float_add", {0, 0, EXTENSION(ATOMIC_FLOAT)}},
    {"SPV_EXT_shader_atomic_float16_add", {0, 0, EXTENSION(ATOMIC_FLOAT2)}},
    {"SPV_EXT_shader_atomic_float_min_max", {0, 0, EXTENSION(ATOMIC_FLOAT2)}},
    {"SPV_KHR_bfloat16", {0, 0, EXTENSION(BFLOAT16)}},
    {"SPV_KHR_cooperative_matrix", {0, 0, EXTENSION(COOPERATIVE_MATRIX)}},
    {"SPV_KHR_float_controls2", {0, 0, EXTENSION(FLOAT_CONTROLS2)}},
    {"SPV_KHR_maximal_reconvergence", {0, 0, EXTENSION(MAXIMAL_RECONVERGENCE)}},
    {"SPV_KHR_relaxed_extended_instruction",
     {FEATURE(shaderRelaxedExtendedInstruction), 0,
      EXTENSION(RELAXED_EXTENDED_INSTRUCTION)}},
    {"SPV_KHR_subgroup_rotate", {0, 0, EXTENSION(SUBGROUP_ROTATE)}},
    {"SPV_KHR_subgroup_uniform_control_flow",
     {0, 0, EXTENSION(SUBGROUP_UNIFORM_CONTROL_FLOW)}},
};

bool vulkan_spirv_add_extension(iree_string_view_t extension,
                                vulkan_spirv_needs_t* needs) {
  for (size_t i = 0; i < IREE_ARRAYSIZE(spirv_extensions); ++i) {
    if (!iree_string_view_equal(
            extension, iree_make_cstring_view(spirv_extensions[i].name))) {
      continue;
    }
    add_needs(&spirv_extensions[i].needs, needs);
    return true;
  }
  return false;
}
