// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Implements executables: one pipeline for each function, made when the
// executable is.

#include "executable.h"

#include "executable_format.h"
#include "pipeline_cache.h"
#include "result.h"

typedef struct vulkan_executable_t {
  iree_hal_executable_t base;
  vulkan_logical_device_t* logical;
  uint32_t set_layout_count;
  VkDescriptorSetLayout* set_layouts;
  uint32_t pipeline_layout_count;
  VkPipelineLayout* pipeline_layouts;
  uint32_t function_count;
  vulkan_function_t* functions;
} vulkan_executable_t;

// What an executable is made of.
typedef struct vulkan_executable_source_t {
  const vulkan_executable_def_t* def;
  VkPipelineCache pipelines;
} vulkan_executable_source_t;

typedef struct vulkan_executable_cache_t {
  iree_hal_executable_cache_t base;
  vulkan_logical_device_t* logical;
  vulkan_pipeline_cache_t pipelines;
} vulkan_executable_cache_t;

static const iree_hal_executable_vtable_t* vulkan_executable_vtable = NULL;
static const iree_hal_executable_cache_vtable_t*
    vulkan_executable_cache_vtable = NULL;

//===-- the HAL's side ------------------------------------------------------===

static void vulkan_executable_destroy(iree_hal_executable_t* base_executable) {
  vulkan_executable_t* executable = (vulkan_executable_t*)base_executable;
  vulkan_logical_device_t* logical = executable->logical;
  iree_allocator_t host_allocator = base_executable->host_allocator;
  iree_hal_executable_deinitialize(base_executable);
  const bool is_stale = vulkan_logical_device_is_stale(logical);
  for (uint32_t i = 0; i < executable->function_count; ++i) {
    vulkan_function_t* function = &executable->functions[i];
    if (!is_stale && function->pipeline) {
      logical->vk.DestroyPipeline(logical->handle, function->pipeline, NULL);
    }
    iree_allocator_free(host_allocator, function->name);
    iree_allocator_free(host_allocator, function->binding_numbers);
    iree_allocator_free(host_allocator, function->binding_types);
  }
  for (uint32_t i = 0; i < executable->pipeline_layout_count && !is_stale;
       ++i) {
    logical->vk.DestroyPipelineLayout(logical->handle,
                                      executable->pipeline_layouts[i], NULL);
  }
  for (uint32_t i = 0; i < executable->set_layout_count && !is_stale; ++i) {
    logical->vk.DestroyDescriptorSetLayout(logical->handle,
                                           executable->set_layouts[i], NULL);
  }
  iree_allocator_free(host_allocator, executable->functions);
  iree_allocator_free(host_allocator, executable->pipeline_layouts);
  iree_allocator_free(host_allocator, executable->set_layouts);
  iree_allocator_free(host_allocator, executable);
  vulkan_logical_device_release(logical);
}

static iree_host_size_t vulkan_executable_function_count(
    iree_hal_executable_t* executable) {
  return ((vulkan_executable_t*)executable)->function_count;
}

static iree_status_t check_function(const vulkan_executable_t* executable,
                                    iree_hal_executable_function_t function) {
  if (IREE_LIKELY(function.value < executable->function_count)) {
    return iree_ok_status();
  }
  return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                          "function %" PRIu64
                          " is asked for; the executable has %" PRIu32,
                          function.value, executable->function_count);
}

static iree_status_t vulkan_executable_function_info(
    iree_hal_executable_t* base_executable,
    iree_hal_executable_function_t function,
    iree_hal_executable_function_info_t* out_info) {
  const vulkan_executable_t* executable =
      (const vulkan_executable_t*)base_executable;
  IREE_RETURN_IF_ERROR(check_function(executable, function));
  const vulkan_function_t* found = &executable->functions[function.value];
  out_info->name = iree_make_cstring_view(found->name);
  out_info->constant_count = (uint16_t)found->constant_count;
  out_info->binding_count = (uint16_t)found->binding_count;
  memcpy(out_info->workgroup_size, found->workgroup_size,
         sizeof(out_info->workgroup_size));
  return iree_ok_status();
}

iree_status_t vulkan_executable_lookup(const vulkan_logical_device_t* logical,
                                       iree_hal_executable_t* base_executable,
                                       iree_hal_executable_function_t function,
                                       const vulkan_function_t** out_function) {
  *out_function = NULL;
  const vulkan_executable_t* executable =
      (const vulkan_executable_t*)base_executable;
  if (base_executable->resource.vtable != vulkan_executable_vtable ||
      executable->logical != logical) {
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "an executable of driver '%.*s' is given to a device of driver "
        "'vulkan' that did not prepare it",
        IREE_SV_ARG(iree_cy_object_owner(base_executable)));
  }
  IREE_RETURN_IF_ERROR(check_function(executable, function));
  *out_function = &executable->functions[function.value];
  return iree_ok_status();
}

//===-- what the device has -------------------------------------------------===

static void device_limits(const vulkan_logical_device_t* logical,
                          vulkan_device_limits_t* out_limits) {
  const vulkan_features_t* enabled = &logical->enabled;
  const VkPhysicalDeviceLimits* limits = &logical->physical.properties.limits;
  memset(out_limits, 0, sizeof(*out_limits));
#define HAS(part, feature)                                              \
  if (enabled->part.feature) {                                          \
    out_limits->available.features |= 1ull << VULKAN_FEATURE_##feature; \
  }
  HAS(core, shaderFloat64)
  HAS(core, shaderInt64)
  HAS(core, shaderInt16)
  HAS(v11, storageBuffer16BitAccess)
  HAS(v11, uniformAndStorageBuffer16BitAccess)
  HAS(v11, storagePushConstant16)
  HAS(v11, variablePointersStorageBuffer)
  HAS(v11, variablePointers)
  HAS(v12, storageBuffer8BitAccess)
  HAS(v12, uniformAndStorageBuffer8BitAccess)
  HAS(v12, storagePushConstant8)
  HAS(v12, shaderBufferInt64Atomics)
  HAS(v12, shaderFloat16)
  HAS(v12, shaderInt8)
  HAS(v12, runtimeDescriptorArray)
  HAS(v12, shaderSubgroupExtendedTypes)
  HAS(v12, bufferDeviceAddress)
  HAS(v12, vulkanMemoryModel)
  HAS(v12, vulkanMemoryModelDeviceScope)
  HAS(v13, shaderZeroInitializeWorkgroupMemory)
  HAS(v13, shaderIntegerDotProduct)
  HAS(v13, shaderTerminateInvocation)
  HAS(v13, shaderDemoteToHelperInvocation)
  HAS(v13, maintenance4)
#undef HAS
  if (logical->physical.v11.subgroupSupportedStages &
      VK_SHADER_STAGE_COMPUTE_BIT) {
    out_limits->available.subgroup_operations =
        logical->physical.v11.subgroupSupportedOperations;
  }
  memcpy(out_limits->max_workgroup_size, limits->maxComputeWorkGroupSize,
         sizeof(out_limits->max_workgroup_size));
  out_limits->max_workgroup_invocations =
      limits->maxComputeWorkGroupInvocations;
  out_limits->max_workgroup_memory_size = limits->maxComputeSharedMemorySize;
  out_limits->max_push_constant_size = limits->maxPushConstantsSize;
  out_limits->max_bound_sets = limits->maxBoundDescriptorSets;
  out_limits->max_storage_buffers = limits->maxPerStageDescriptorStorageBuffers;
  out_limits->max_uniform_buffers = limits->maxPerStageDescriptorUniformBuffers;
  if (enabled->v13.subgroupSizeControl &&
      (logical->physical.v13.requiredSubgroupSizeStages &
       VK_SHADER_STAGE_COMPUTE_BIT)) {
    out_limits->min_subgroup_size = logical->physical.v13.minSubgroupSize;
    out_limits->max_subgroup_size = logical->physical.v13.maxSubgroupSize;
  }
}

bool vulkan_executable_format_is_supported(
    const vulkan_logical_device_t* logical, iree_string_view_t format) {
  const vulkan_features_t* enabled = &logical->enabled;
  switch (vulkan_executable_format_parse(format)) {
    case VULKAN_EXECUTABLE_FORMAT_DESCRIPTORS:
      return enabled->extensions.push_descriptor;
    case VULKAN_EXECUTABLE_FORMAT_ADDRESSES:
      return enabled->v12.bufferDeviceAddress && enabled->core.shaderInt64;
    default:
      return false;
  }
}

//===-- making --------------------------------------------------------------===

static iree_status_t make_set_layout(vulkan_executable_t* executable,
                                     const vulkan_set_layout_def_t* def,
                                     VkDescriptorSetLayout* out_layout) {
  const vulkan_logical_device_t* logical = executable->logical;
  const uint32_t largest = logical->physical.push_descriptor.maxPushDescriptors;
  if (def->binding_count > largest ||
      def->binding_count > IREE_HAL_DISPATCH_MAX_BINDING_COUNT) {
    return iree_make_status(IREE_STATUS_UNAVAILABLE,
                            "the executable has a set of %" PRIu32
                            " descriptors; the device takes up to %" PRIu32,
                            def->binding_count, largest);
  }
  VkDescriptorSetLayoutBinding bindings[IREE_HAL_DISPATCH_MAX_BINDING_COUNT];
  for (uint32_t i = 0; i < def->binding_count; ++i) {
    const VkDescriptorSetLayoutBinding binding = {
        .binding = def->bindings[i].binding,
        .descriptorType = (VkDescriptorType)def->bindings[i].descriptor_type,
        .descriptorCount = def->bindings[i].descriptor_count,
        .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
    };
    bindings[i] = binding;
  }
  const VkDescriptorSetLayoutCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
      .flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR,
      .bindingCount = def->binding_count,
      .pBindings = bindings,
  };
  return vulkan_result_status(logical->vk.CreateDescriptorSetLayout(
                                  logical->handle, &info, NULL, out_layout),
                              "vkCreateDescriptorSetLayout");
}

static iree_status_t make_pipeline_layout(
    vulkan_executable_t* executable, const vulkan_pipeline_layout_def_t* def,
    VkPipelineLayout* out_layout) {
  const vulkan_logical_device_t* logical = executable->logical;
  // One set can be pushed; the compiler writes one.
  if (def->set_count > 1) {
    return iree_make_status(IREE_STATUS_UNIMPLEMENTED,
                            "the executable has %" PRIu32
                            " descriptor sets for one function; 1 is taken",
                            def->set_count);
  }
  const VkPushConstantRange range = {
      .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
      .size = def->push_constant_size,
  };
  const VkPipelineLayoutCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
      .setLayoutCount = def->set_count,
      .pSetLayouts =
          def->set_count ? &executable->set_layouts[def->sets[0]] : NULL,
      .pushConstantRangeCount = def->push_constant_size ? 1 : 0,
      .pPushConstantRanges = &range,
  };
  return vulkan_result_status(logical->vk.CreatePipelineLayout(
                                  logical->handle, &info, NULL, out_layout),
                              "vkCreatePipelineLayout");
}

static iree_status_t make_pipeline(vulkan_executable_t* executable,
                                   const vulkan_executable_source_t* source,
                                   const vulkan_pipeline_def_t* pipeline,
                                   vulkan_function_t* function) {
  const vulkan_logical_device_t* logical = executable->logical;
  const vulkan_spirv_module_t* module = &source->def->modules[pipeline->module];
  const VkShaderModuleCreateInfo module_info = {
      .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
      .codeSize = module->word_count * sizeof(uint32_t),
      .pCode = module->words,
  };
  VkShaderModule shader = NULL;
  IREE_RETURN_IF_ERROR(
      vulkan_result_status(logical->vk.CreateShaderModule(
                               logical->handle, &module_info, NULL, &shader),
                           "vkCreateShaderModule"));
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup = {
      .sType =
          VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
      .requiredSubgroupSize = pipeline->subgroup_size,
  };
  const VkComputePipelineCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
      .stage =
          {
              .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
              .pNext = pipeline->subgroup_size ? &subgroup : NULL,
              .stage = VK_SHADER_STAGE_COMPUTE_BIT,
              .module = shader,
              .pName = function->name,
          },
      .layout = function->layout,
      .basePipelineIndex = -1,
  };
  iree_status_t status = vulkan_result_status(
      logical->vk.CreateComputePipelines(logical->handle, source->pipelines, 1,
                                         &info, NULL, &function->pipeline),
      "vkCreateComputePipelines");
  // The pipeline has what it needs of it.
  logical->vk.DestroyShaderModule(logical->handle, shader, NULL);
  return status;
}

static iree_status_t make_function(vulkan_executable_t* executable,
                                   const vulkan_executable_source_t* source,
                                   const vulkan_pipeline_def_t* pipeline,
                                   vulkan_function_t* function) {
  iree_allocator_t host_allocator = executable->base.host_allocator;
  function->layout = executable->pipeline_layouts[pipeline->layout];
  function->constant_count = pipeline->constant_count;
  function->constant_offset = pipeline->constant_offset;
  function->binding_count = pipeline->binding_count;
  function->uses_addresses =
      source->def->format == VULKAN_EXECUTABLE_FORMAT_ADDRESSES;
  function->root_offset = pipeline->root_offset;
  memcpy(function->workgroup_size, pipeline->entry_point->workgroup_size,
         sizeof(function->workgroup_size));
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(
      host_allocator, pipeline->name.size + 1, (void**)&function->name));
  memcpy(function->name, pipeline->name.data, pipeline->name.size);
  if (pipeline->binding_count) {
    IREE_RETURN_IF_ERROR(
        iree_allocator_malloc_array(host_allocator, pipeline->binding_count,
                                    sizeof(*function->binding_numbers),
                                    (void**)&function->binding_numbers));
    IREE_RETURN_IF_ERROR(iree_allocator_malloc_array(
        host_allocator, pipeline->binding_count,
        sizeof(*function->binding_types), (void**)&function->binding_types));
  }
  const vulkan_pipeline_layout_def_t* layout =
      &source->def->pipeline_layouts[pipeline->layout];
  if (layout->set_count) {
    const vulkan_set_layout_def_t* set =
        &source->def->set_layouts[layout->sets[0]];
    for (uint32_t i = 0; i < pipeline->binding_count; ++i) {
      if (i >= set->binding_count || set->bindings[i].descriptor_count != 1) {
        return iree_make_status(
            IREE_STATUS_UNIMPLEMENTED,
            "export '%.60s' has an array of descriptors, which is not taken",
            function->name);
      }
      function->binding_numbers[i] = set->bindings[i].binding;
      function->binding_types[i] =
          (VkDescriptorType)set->bindings[i].descriptor_type;
    }
  }
  return make_pipeline(executable, source, pipeline, function);
}

static iree_status_t make_objects(vulkan_executable_t* executable,
                                  const vulkan_executable_source_t* source) {
  const vulkan_executable_def_t* def = source->def;
  iree_allocator_t host_allocator = executable->base.host_allocator;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc_array(
      host_allocator, iree_max(def->set_layout_count, 1u),
      sizeof(*executable->set_layouts), (void**)&executable->set_layouts));
  IREE_RETURN_IF_ERROR(iree_allocator_malloc_array(
      host_allocator, iree_max(def->pipeline_layout_count, 1u),
      sizeof(*executable->pipeline_layouts),
      (void**)&executable->pipeline_layouts));
  IREE_RETURN_IF_ERROR(iree_allocator_malloc_array(
      host_allocator, iree_max(def->pipeline_count, 1u),
      sizeof(*executable->functions), (void**)&executable->functions));
  for (uint32_t i = 0; i < def->set_layout_count; ++i) {
    IREE_RETURN_IF_ERROR(make_set_layout(executable, &def->set_layouts[i],
                                         &executable->set_layouts[i]));
    executable->set_layout_count = i + 1;
  }
  for (uint32_t i = 0; i < def->pipeline_layout_count; ++i) {
    IREE_RETURN_IF_ERROR(
        make_pipeline_layout(executable, &def->pipeline_layouts[i],
                             &executable->pipeline_layouts[i]));
    executable->pipeline_layout_count = i + 1;
  }
  for (uint32_t i = 0; i < def->pipeline_count; ++i) {
    executable->function_count = i + 1;
    IREE_RETURN_IF_ERROR(make_function(executable, source, &def->pipelines[i],
                                       &executable->functions[i]));
  }
  return iree_ok_status();
}

static iree_status_t make_executable(vulkan_logical_device_t* logical,
                                     const vulkan_executable_source_t* source,
                                     iree_allocator_t host_allocator,
                                     iree_hal_executable_t** out_executable) {
  vulkan_device_limits_t limits;
  device_limits(logical, &limits);
  IREE_RETURN_IF_ERROR(
      vulkan_executable_def_check_device(source->def, &limits));
  vulkan_executable_t* executable = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(
      host_allocator, sizeof(*executable), (void**)&executable));
  iree_hal_executable_initialize(vulkan_executable_vtable, host_allocator,
                                 &executable->base);
  vulkan_logical_device_retain(logical);
  executable->logical = logical;
  iree_status_t status = make_objects(executable, source);
  if (iree_status_is_ok(status)) {
    *out_executable = &executable->base;
  } else {
    iree_hal_executable_release(&executable->base);
  }
  return status;
}

//===-- the cache -----------------------------------------------------------===

static void vulkan_executable_cache_destroy(
    iree_hal_executable_cache_t* base_cache) {
  vulkan_executable_cache_t* cache = (vulkan_executable_cache_t*)base_cache;
  iree_allocator_t host_allocator = base_cache->host_allocator;
  vulkan_logical_device_t* logical = cache->logical;
  iree_hal_executable_cache_deinitialize(base_cache);
  vulkan_pipeline_cache_deinitialize(&cache->pipelines);
  iree_allocator_free(host_allocator, cache);
  vulkan_logical_device_release(logical);
}

iree_status_t vulkan_executable_cache_create(
    vulkan_logical_device_t* logical, iree_allocator_t host_allocator,
    iree_hal_executable_cache_t** out_executable_cache) {
  *out_executable_cache = NULL;
  IREE_RETURN_IF_ERROR(vulkan_logical_device_check_fork(logical));
  vulkan_executable_cache_t* cache = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc(host_allocator, sizeof(*cache), (void**)&cache));
  iree_hal_executable_cache_initialize(vulkan_executable_cache_vtable,
                                       host_allocator, &cache->base);
  vulkan_logical_device_retain(logical);
  cache->logical = logical;
  vulkan_pipeline_cache_initialize(logical, &cache->pipelines);
  *out_executable_cache = &cache->base;
  return iree_ok_status();
}

static bool vulkan_executable_cache_can_prepare_format(
    iree_hal_executable_cache_t* cache,
    iree_hal_executable_caching_mode_t caching_mode,
    iree_string_view_t executable_format) {
  (void)caching_mode;
  return vulkan_executable_format_is_supported(
      ((vulkan_executable_cache_t*)cache)->logical, executable_format);
}

static iree_status_t vulkan_executable_cache_prepare_executable(
    iree_hal_executable_cache_t* base_cache,
    const iree_hal_executable_params_t* params,
    iree_hal_executable_t** out_executable) {
  vulkan_logical_device_t* logical =
      ((vulkan_executable_cache_t*)base_cache)->logical;
  iree_allocator_t host_allocator = base_cache->host_allocator;
  IREE_RETURN_IF_ERROR(vulkan_logical_device_check_fork(logical));
  if (!vulkan_executable_format_is_supported(logical,
                                             params->executable_format)) {
    return iree_make_status(
        IREE_STATUS_UNIMPLEMENTED,
        "'%.60s' runs executables of format vulkan-spirv-fb (with "
        "VK_KHR_push_descriptor) and vulkan-spirv-bda-v1 (with "
        "bufferDeviceAddress and shaderInt64); one of format '%.*s' was given",
        logical->physical.properties.deviceName,
        IREE_SV_ARG(params->executable_format));
  }
  if (params->constant_count) {
    return iree_make_status(IREE_STATUS_UNIMPLEMENTED,
                            "the executable is given %" PRIhsz
                            " specialization constants; none are taken",
                            params->constant_count);
  }
  vulkan_executable_def_t def;
  IREE_RETURN_IF_ERROR(
      vulkan_executable_def_read(params, host_allocator, &def));
  vulkan_pipeline_cache_t* pipelines =
      &((vulkan_executable_cache_t*)base_cache)->pipelines;
  const vulkan_executable_source_t source = {&def, pipelines->handle};
  iree_status_t status =
      make_executable(logical, &source, host_allocator, out_executable);
  if (iree_status_is_ok(status)) vulkan_pipeline_cache_store(pipelines);
  vulkan_executable_def_deinitialize(&def);
  return status;
}

iree_status_t vulkan_executable_register(iree_string_view_t owner) {
  static const iree_hal_executable_vtable_t executable_vtable = {
      .header = {.size = sizeof(executable_vtable)},
      .destroy = vulkan_executable_destroy,
      .function_count = vulkan_executable_function_count,
      .function_info = vulkan_executable_function_info,
  };
  static const iree_hal_executable_cache_vtable_t cache_vtable = {
      .header = {.size = sizeof(cache_vtable)},
      .destroy = vulkan_executable_cache_destroy,
      .can_prepare_format = vulkan_executable_cache_can_prepare_format,
      .prepare_executable = vulkan_executable_cache_prepare_executable,
  };
  IREE_RETURN_IF_ERROR(iree_cy_register_vtable(
      IREE_CY_OBJECT_KIND_EXECUTABLE, &executable_vtable, owner,
      (const void**)&vulkan_executable_vtable));
  return iree_cy_register_vtable(IREE_CY_OBJECT_KIND_EXECUTABLE_CACHE,
                                 &cache_vtable, owner,
                                 (const void**)&vulkan_executable_cache_vtable);
}
