// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Implements executions.

#include "execution.h"

#include "allocator.h"
#include "executable.h"
#include "result.h"

// Bytes that are copied into buffers from, each in memory of its own.
typedef struct vulkan_upload_t {
  struct vulkan_upload_t* next;
  vulkan_range_t range;
} vulkan_upload_t;

struct vulkan_context_t {
  vulkan_context_t* next;
  VkCommandPool pool;
  VkCommandBuffer commands;
  VkFence fence;
  vulkan_upload_t* uploads;
};

// A recording under way.
typedef struct vulkan_recorder_t {
  vulkan_executor_t* executor;
  vulkan_context_t* context;
  // Whether anything was recorded since the last barrier.
  bool needs_barrier;
} vulkan_recorder_t;

//===-- contexts ------------------------------------------------------------===

static void drop_uploads(vulkan_executor_t* executor,
                         vulkan_context_t* context) {
  while (context->uploads) {
    vulkan_upload_t* upload = context->uploads;
    context->uploads = upload->next;
    vulkan_memory_free(executor->memory, &upload->range);
    iree_allocator_free(executor->logical->host_allocator, upload);
  }
}

static void context_destroy(vulkan_executor_t* executor,
                            vulkan_context_t* context) {
  const vulkan_logical_device_t* logical = executor->logical;
  drop_uploads(executor, context);
  if (!vulkan_logical_device_is_stale(logical)) {
    if (context->fence) {
      logical->vk.DestroyFence(logical->handle, context->fence, NULL);
    }
    if (context->pool) {
      logical->vk.DestroyCommandPool(logical->handle, context->pool, NULL);
    }
  }
  iree_allocator_free(logical->host_allocator, context);
}

static iree_status_t context_make(vulkan_executor_t* executor,
                                  vulkan_context_t* context) {
  const vulkan_logical_device_t* logical = executor->logical;
  const VkCommandPoolCreateInfo pool_info = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
      .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
      .queueFamilyIndex = logical->queue_family,
  };
  IREE_RETURN_IF_ERROR(vulkan_result_status(
      logical->vk.CreateCommandPool(logical->handle, &pool_info, NULL,
                                    &context->pool),
      "vkCreateCommandPool"));
  const VkCommandBufferAllocateInfo commands_info = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
      .commandPool = context->pool,
      .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
      .commandBufferCount = 1,
  };
  IREE_RETURN_IF_ERROR(vulkan_result_status(
      logical->vk.AllocateCommandBuffers(logical->handle, &commands_info,
                                         &context->commands),
      "vkAllocateCommandBuffers"));
  const VkFenceCreateInfo fence_info = {
      .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO,
  };
  return vulkan_result_status(
      logical->vk.CreateFence(logical->handle, &fence_info, NULL,
                              &context->fence),
      "vkCreateFence");
}

static iree_status_t context_take(vulkan_executor_t* executor,
                                  vulkan_context_t** out_context) {
  pthread_mutex_lock(&executor->lock);
  vulkan_context_t* context = executor->contexts;
  if (context) executor->contexts = context->next;
  pthread_mutex_unlock(&executor->lock);
  if (!context) {
    IREE_RETURN_IF_ERROR(iree_allocator_malloc(
        executor->logical->host_allocator, sizeof(*context), (void**)&context));
    iree_status_t status = context_make(executor, context);
    if (!iree_status_is_ok(status)) {
      context_destroy(executor, context);
      return status;
    }
  }
  *out_context = context;
  return iree_ok_status();
}

static void context_give(vulkan_executor_t* executor,
                         vulkan_context_t* context) {
  const vulkan_logical_device_t* logical = executor->logical;
  drop_uploads(executor, context);
  const VkResult reset =
      logical->vk.ResetCommandPool(logical->handle, context->pool, 0);
  if (reset != VK_SUCCESS) {
    context_destroy(executor, context);
    return;
  }
  pthread_mutex_lock(&executor->lock);
  context->next = executor->contexts;
  executor->contexts = context;
  pthread_mutex_unlock(&executor->lock);
}

//===-- transfers -----------------------------------------------------------===

static VkCommandBuffer recorder_commands(const vulkan_recorder_t* recorder) {
  return recorder->context->commands;
}

static iree_status_t resolve(const vulkan_recorder_t* recorder,
                             iree_hal_buffer_ref_t ref,
                             vulkan_span_t* out_span) {
  return vulkan_buffer_resolve(recorder->executor->logical, ref.buffer,
                               ref.offset, out_span);
}

// Makes |length| bytes of the host, which are taken now, readable as long as
// the recording runs.
static iree_status_t upload_bytes(vulkan_recorder_t* recorder,
                                  const void* source, iree_host_size_t length,
                                  const vulkan_range_t** out_range) {
  vulkan_executor_t* executor = recorder->executor;
  vulkan_upload_t* upload = NULL;
  *out_range = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(executor->logical->host_allocator,
                                             sizeof(*upload), (void**)&upload));
  upload->next = recorder->context->uploads;
  recorder->context->uploads = upload;
  IREE_RETURN_IF_ERROR(
      vulkan_memory_allocate(executor->memory, length, 0, &upload->range));
  memcpy(upload->range.block->mapped + upload->range.offset, source, length);
  *out_range = &upload->range;
  return vulkan_memory_flush(executor->memory, &upload->range);
}

// Copies bytes of the host when the recording runs.
static iree_status_t record_upload(vulkan_recorder_t* recorder,
                                   const void* source, iree_host_size_t length,
                                   const vulkan_span_t* target,
                                   VkDeviceSize target_offset) {
  const vulkan_range_t* range = NULL;
  IREE_RETURN_IF_ERROR(upload_bytes(recorder, source, length, &range));
  const VkBufferCopy region = {
      .srcOffset = range->offset,
      .dstOffset = target->offset + target_offset,
      .size = length,
  };
  recorder->executor->logical->vk.CmdCopyBuffer(recorder_commands(recorder),
                                                range->block->buffer,
                                                target->buffer, 1, &region);
  recorder->needs_barrier = true;
  return iree_ok_status();
}

static iree_status_t record_fill(void* user_data,
                                 iree_hal_buffer_ref_t target_ref,
                                 const void* pattern,
                                 iree_host_size_t pattern_length) {
  vulkan_recorder_t* recorder = (vulkan_recorder_t*)user_data;
  if (!target_ref.length) return iree_ok_status();
  vulkan_span_t target;
  IREE_RETURN_IF_ERROR(resolve(recorder, target_ref, &target));
  // Whole words in the middle; what is before and behind is less than one. The
  // pattern divides the offset, so each word of it is the same.
  uint8_t word[4];
  for (uint32_t i = 0; i < 4; ++i) {
    word[i] = ((const uint8_t*)pattern)[i % pattern_length];
  }
  const VkDeviceSize length = target_ref.length;
  const VkDeviceSize before = iree_min((4 - target.offset % 4) % 4, length);
  const VkDeviceSize middle = (length - before) / 4 * 4;
  const VkDeviceSize behind = length - before - middle;
  uint8_t edge[4];
  if (before) {
    for (uint32_t i = 0; i < before; ++i) edge[i] = word[i % pattern_length];
    IREE_RETURN_IF_ERROR(record_upload(recorder, edge, before, &target, 0));
  }
  if (middle) {
    uint32_t data = 0;
    // Where the middle begins, the pattern does as well: |before| is a multiple
    // of its length.
    memcpy(&data, word, sizeof(data));
    recorder->executor->logical->vk.CmdFillBuffer(
        recorder_commands(recorder), target.buffer, target.offset + before,
        middle, data);
    recorder->needs_barrier = true;
  }
  if (!behind) return iree_ok_status();
  return record_upload(recorder, word, behind, &target, before + middle);
}

static iree_status_t record_update(void* user_data, const void* source,
                                   iree_hal_buffer_ref_t target_ref) {
  vulkan_recorder_t* recorder = (vulkan_recorder_t*)user_data;
  if (!target_ref.length) return iree_ok_status();
  vulkan_span_t target;
  IREE_RETURN_IF_ERROR(resolve(recorder, target_ref, &target));
  return record_upload(recorder, source, target_ref.length, &target, 0);
}

static iree_status_t record_copy(void* user_data,
                                 iree_hal_buffer_ref_t source_ref,
                                 iree_hal_buffer_ref_t target_ref) {
  vulkan_recorder_t* recorder = (vulkan_recorder_t*)user_data;
  if (!target_ref.length) return iree_ok_status();
  vulkan_span_t source;
  vulkan_span_t target;
  IREE_RETURN_IF_ERROR(resolve(recorder, source_ref, &source));
  IREE_RETURN_IF_ERROR(resolve(recorder, target_ref, &target));
  const VkBufferCopy region = {
      .srcOffset = source.offset,
      .dstOffset = target.offset,
      .size = target_ref.length,
  };
  recorder->executor->logical->vk.CmdCopyBuffer(
      recorder_commands(recorder), source.buffer, target.buffer, 1, &region);
  recorder->needs_barrier = true;
  return iree_ok_status();
}

//===-- barriers ------------------------------------------------------------===

static void record_barrier(const vulkan_recorder_t* recorder,
                           VkPipelineStageFlags2 target_stages,
                           VkAccessFlags2 target_access) {
  const VkMemoryBarrier2 barrier = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
      .srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
      .srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT,
      .dstStageMask = target_stages,
      .dstAccessMask = target_access,
  };
  const VkDependencyInfo dependency = {
      .sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
      .memoryBarrierCount = 1,
      .pMemoryBarriers = &barrier,
  };
  recorder->executor->logical->vk.CmdPipelineBarrier2(
      recorder_commands(recorder), &dependency);
}

static iree_status_t record_execution_barrier(void* user_data) {
  vulkan_recorder_t* recorder = (vulkan_recorder_t*)user_data;
  if (!recorder->needs_barrier) return iree_ok_status();
  record_barrier(recorder, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                 VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT);
  recorder->needs_barrier = false;
  return iree_ok_status();
}

//===-- dispatches ----------------------------------------------------------===

static iree_status_t fill_descriptor(const vulkan_recorder_t* recorder,
                                     const vulkan_function_t* function,
                                     uint32_t index, iree_hal_buffer_ref_t ref,
                                     VkDescriptorBufferInfo* out_info) {
  const vulkan_range_t* nothing = &recorder->executor->nothing;
  const VkPhysicalDeviceLimits* limits =
      &recorder->executor->logical->physical.properties.limits;
  vulkan_span_t span = {0};
  if (ref.buffer) IREE_RETURN_IF_ERROR(resolve(recorder, ref, &span));
  if (!span.buffer || !ref.length) {
    // Nothing may be read or written there; a descriptor must be.
    out_info->buffer = nothing->block->buffer;
    out_info->offset = nothing->offset;
    out_info->range = nothing->size;
    return iree_ok_status();
  }
  const bool is_uniform =
      function->binding_types[index] == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
  const VkDeviceSize alignment = is_uniform
                                     ? limits->minUniformBufferOffsetAlignment
                                     : limits->minStorageBufferOffsetAlignment;
  const VkDeviceSize largest = is_uniform ? limits->maxUniformBufferRange
                                          : limits->maxStorageBufferRange;
  if (span.offset % alignment) {
    return iree_make_status(
        IREE_STATUS_FAILED_PRECONDITION,
        "binding %" PRIu32 " of '%.60s' begins at offset %" PRIu64
        "; the device wants a multiple of %" PRIu64 ": copy it to one",
        index, function->name, span.offset, alignment);
  }
  // Shaders load whole words. What is behind the buffer's last byte up to there
  // is nobody's.
  const VkDeviceSize range = (ref.length + 3) / 4 * 4;
  if (range > largest) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "binding %" PRIu32 " of '%.60s' has %" PRIu64
                            " bytes; the device takes up to %" PRIu64,
                            index, function->name, range, largest);
  }
  out_info->buffer = span.buffer;
  out_info->offset = span.offset;
  out_info->range = iree_min(range, span.capacity);
  return iree_ok_status();
}

static iree_status_t push_descriptors(vulkan_recorder_t* recorder,
                                      const vulkan_function_t* function,
                                      iree_hal_buffer_ref_list_t bindings) {
  VkDescriptorBufferInfo infos[IREE_HAL_DISPATCH_MAX_BINDING_COUNT];
  VkWriteDescriptorSet writes[IREE_HAL_DISPATCH_MAX_BINDING_COUNT];
  for (uint32_t i = 0; i < function->binding_count; ++i) {
    IREE_RETURN_IF_ERROR(
        fill_descriptor(recorder, function, i, bindings.values[i], &infos[i]));
    const VkWriteDescriptorSet write = {
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
        .dstBinding = function->binding_numbers[i],
        .descriptorCount = 1,
        .descriptorType = function->binding_types[i],
        .pBufferInfo = &infos[i],
    };
    writes[i] = write;
  }
  if (function->binding_count) {
    recorder->executor->logical->vk.CmdPushDescriptorSetKHR(
        recorder_commands(recorder), VK_PIPELINE_BIND_POINT_COMPUTE,
        function->layout, 0, function->binding_count, writes);
  }
  return iree_ok_status();
}

// The table of the bindings' addresses, and its own among the push constants.
static iree_status_t push_addresses(vulkan_recorder_t* recorder,
                                    const vulkan_function_t* function,
                                    iree_hal_buffer_ref_list_t bindings) {
  const vulkan_range_t* nothing = &recorder->executor->nothing;
  VkDeviceAddress addresses[IREE_HAL_DISPATCH_MAX_BINDING_COUNT] = {0};
  for (uint32_t i = 0; i < function->binding_count; ++i) {
    vulkan_span_t span = {0};
    if (bindings.values[i].buffer) {
      IREE_RETURN_IF_ERROR(resolve(recorder, bindings.values[i], &span));
    }
    addresses[i] = span.buffer && bindings.values[i].length
                       ? span.address
                       : nothing->block->address + nothing->offset;
  }
  const vulkan_range_t* table = NULL;
  IREE_RETURN_IF_ERROR(upload_bytes(
      recorder, addresses,
      iree_max(function->binding_count, 1u) * sizeof(addresses[0]), &table));
  const uint64_t root[4] = {table->block->address + table->offset};
  recorder->executor->logical->vk.CmdPushConstants(
      recorder_commands(recorder), function->layout,
      VK_SHADER_STAGE_COMPUTE_BIT, function->root_offset, sizeof(root), root);
  return iree_ok_status();
}

static iree_status_t check_dispatch(const vulkan_recorder_t* recorder,
                                    const vulkan_function_t* function,
                                    const iree_hal_dispatch_config_t* config,
                                    iree_const_byte_span_t constants,
                                    iree_hal_buffer_ref_list_t bindings,
                                    bool is_indirect) {
  if (constants.data_length / sizeof(uint32_t) != function->constant_count ||
      bindings.count != function->binding_count) {
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "'%.60s' takes %" PRIu32 " constants and %" PRIu32 " bindings; %" PRIhsz
        " and %" PRIhsz " are given",
        function->name, function->constant_count, function->binding_count,
        constants.data_length / sizeof(uint32_t), bindings.count);
  }
  const uint32_t* most = recorder->executor->logical->physical.properties.limits
                             .maxComputeWorkGroupCount;
  for (uint32_t i = 0; i < 3 && !is_indirect; ++i) {
    if (config->workgroup_count[i] <= most[i]) continue;
    return iree_make_status(
        IREE_STATUS_OUT_OF_RANGE,
        "'%.60s' is dispatched with %" PRIu32
        " workgroups in dimension %" PRIu32 "; the device takes up to %" PRIu32,
        function->name, config->workgroup_count[i], i, most[i]);
  }
  return iree_ok_status();
}

static iree_status_t record_dispatch(void* user_data,
                                     iree_hal_executable_t* executable,
                                     iree_hal_executable_function_t function_id,
                                     const iree_hal_dispatch_config_t* config,
                                     iree_const_byte_span_t constants,
                                     iree_hal_buffer_ref_list_t bindings,
                                     iree_hal_dispatch_flags_t flags) {
  vulkan_recorder_t* recorder = (vulkan_recorder_t*)user_data;
  const vulkan_logical_device_t* logical = recorder->executor->logical;
  const bool is_indirect = iree_hal_dispatch_uses_indirect_parameters(flags);
  const vulkan_function_t* function = NULL;
  IREE_RETURN_IF_ERROR(
      vulkan_executable_lookup(logical, executable, function_id, &function));
  IREE_RETURN_IF_ERROR(check_dispatch(recorder, function, config, constants,
                                      bindings, is_indirect));
  if (!is_indirect &&
      (!config->workgroup_count[0] || !config->workgroup_count[1] ||
       !config->workgroup_count[2])) {
    return iree_ok_status();
  }
  VkCommandBuffer commands = recorder_commands(recorder);
  logical->vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                              function->pipeline);
  IREE_RETURN_IF_ERROR((function->uses_addresses
                            ? push_addresses
                            : push_descriptors)(recorder, function, bindings));
  if (function->constant_count) {
    logical->vk.CmdPushConstants(
        commands, function->layout, VK_SHADER_STAGE_COMPUTE_BIT,
        function->constant_offset, (uint32_t)constants.data_length,
        constants.data);
  }
  if (is_indirect) {
    vulkan_span_t count;
    IREE_RETURN_IF_ERROR(
        resolve(recorder, config->workgroup_count_ref, &count));
    logical->vk.CmdDispatchIndirect(commands, count.buffer, count.offset);
  } else {
    logical->vk.CmdDispatch(commands, config->workgroup_count[0],
                            config->workgroup_count[1],
                            config->workgroup_count[2]);
  }
  recorder->needs_barrier = true;
  return iree_ok_status();
}

//===-- running -------------------------------------------------------------===

static iree_status_t record(vulkan_recorder_t* recorder,
                            const iree_hal_command_buffer_t* command_buffer,
                            iree_hal_buffer_binding_table_t binding_table) {
  static const iree_hal_command_visitor_t visitor = {
      .size = sizeof(visitor),
      .execution_barrier = record_execution_barrier,
      .fill = record_fill,
      .update = record_update,
      .copy = record_copy,
      .dispatch = record_dispatch,
  };
  const vulkan_logical_device_t* logical = recorder->executor->logical;
  const VkCommandBufferBeginInfo info = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
      .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
  };
  IREE_RETURN_IF_ERROR(vulkan_result_status(
      logical->vk.BeginCommandBuffer(recorder_commands(recorder), &info),
      "vkBeginCommandBuffer"));
  // What other executions wrote, which were waited for, is there to be read.
  record_barrier(recorder, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                 VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT);
  IREE_RETURN_IF_ERROR(iree_hal_recorded_command_buffer_replay(
      command_buffer, binding_table, &visitor, recorder));
  record_barrier(recorder, VK_PIPELINE_STAGE_2_HOST_BIT,
                 VK_ACCESS_2_HOST_READ_BIT | VK_ACCESS_2_HOST_WRITE_BIT);
  return vulkan_result_status(
      logical->vk.EndCommandBuffer(recorder_commands(recorder)),
      "vkEndCommandBuffer");
}

// One of the queues that |affinity| has, each in turn.
static vulkan_queue_t* choose_queue(vulkan_executor_t* executor,
                                    iree_hal_queue_affinity_t affinity) {
  vulkan_logical_device_t* logical = executor->logical;
  const uint32_t first =
      __atomic_fetch_add(&executor->next_queue, 1, __ATOMIC_RELAXED);
  for (uint32_t i = 0; i < logical->queue_count; ++i) {
    const uint32_t index = (first + i) % logical->queue_count;
    if ((affinity >> index) & 1) return &logical->queues[index];
  }
  return &logical->queues[first % logical->queue_count];
}

static iree_status_t submit_and_wait(vulkan_executor_t* executor,
                                     iree_hal_queue_affinity_t affinity,
                                     const vulkan_context_t* context) {
  const vulkan_logical_device_t* logical = executor->logical;
  const VkCommandBufferSubmitInfo commands = {
      .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
      .commandBuffer = context->commands,
  };
  const VkSubmitInfo2 submit = {
      .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
      .commandBufferInfoCount = 1,
      .pCommandBufferInfos = &commands,
  };
  vulkan_queue_t* queue = choose_queue(executor, affinity);
  pthread_mutex_lock(&queue->lock);
  const VkResult submitted =
      logical->vk.QueueSubmit2(queue->handle, 1, &submit, context->fence);
  pthread_mutex_unlock(&queue->lock);
  IREE_RETURN_IF_ERROR(vulkan_result_status(submitted, "vkQueueSubmit2"));
  IREE_RETURN_IF_ERROR(vulkan_result_status(
      logical->vk.WaitForFences(logical->handle, 1, &context->fence, VK_TRUE,
                                UINT64_MAX),
      "vkWaitForFences"));
  return vulkan_result_status(
      logical->vk.ResetFences(logical->handle, 1, &context->fence),
      "vkResetFences");
}

iree_status_t vulkan_executor_run(
    vulkan_executor_t* executor, iree_hal_queue_affinity_t affinity,
    const iree_hal_command_buffer_t* command_buffer,
    iree_hal_buffer_binding_table_t binding_table) {
  vulkan_context_t* context = NULL;
  IREE_RETURN_IF_ERROR(context_take(executor, &context));
  vulkan_recorder_t recorder = {.executor = executor, .context = context};
  iree_status_t status = record(&recorder, command_buffer, binding_table);
  if (!iree_status_is_ok(status)) {
    context_give(executor, context);
    return status;
  }
  status = submit_and_wait(executor, affinity, context);
  if (iree_status_is_ok(status)) {
    context_give(executor, context);
  } else {
    // It may be in use still.
    context_destroy(executor, context);
  }
  return status;
}

//===-- the executor --------------------------------------------------------===

iree_status_t vulkan_executor_initialize(vulkan_logical_device_t* logical,
                                         vulkan_memory_t* memory,
                                         vulkan_executor_t* out_executor) {
  memset(out_executor, 0, sizeof(*out_executor));
  IREE_RETURN_IF_ERROR(vulkan_memory_allocate(memory, VULKAN_MEMORY_GRANULE, 0,
                                              &out_executor->nothing));
  memset(out_executor->nothing.block->mapped + out_executor->nothing.offset, 0,
         VULKAN_MEMORY_GRANULE);
  out_executor->logical = logical;
  out_executor->memory = memory;
  pthread_mutex_init(&out_executor->lock, NULL);
  return vulkan_memory_flush(memory, &out_executor->nothing);
}

void vulkan_executor_deinitialize(vulkan_executor_t* executor) {
  if (!executor->logical) return;
  while (executor->contexts) {
    vulkan_context_t* next = executor->contexts->next;
    context_destroy(executor, executor->contexts);
    executor->contexts = next;
  }
  vulkan_memory_free(executor->memory, &executor->nothing);
  pthread_mutex_destroy(&executor->lock);
}
