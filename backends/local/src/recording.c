// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns how the local devices record commands.

#include "recording.h"

static const iree_hal_command_buffer_vtable_t* local_command_buffer_vtable =
    NULL;

iree_status_t local_command_buffer_create(
    iree_hal_command_buffer_mode_t mode,
    iree_hal_command_category_t command_categories,
    iree_hal_queue_affinity_t queue_affinity, iree_host_size_t binding_capacity,
    bool keeps_barriers, iree_allocator_t host_allocator,
    iree_hal_command_buffer_t** out_command_buffer) {
  local_command_buffer_t* command_buffer = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(
      host_allocator, sizeof(*command_buffer), (void**)&command_buffer));
  iree_status_t status = iree_hal_command_buffer_initialize(
      local_command_buffer_vtable, mode, command_categories, queue_affinity,
      binding_capacity, host_allocator, &command_buffer->base);
  if (!iree_status_is_ok(status)) {
    iree_allocator_free(host_allocator, command_buffer);
    return status;
  }
  command_buffer->host_allocator = host_allocator;
  command_buffer->keeps_barriers = keeps_barriers;
  *out_command_buffer = &command_buffer->base;
  return iree_ok_status();
}

iree_status_t local_command_buffer_check(
    const iree_hal_device_t* device,
    const iree_hal_command_buffer_t* command_buffer) {
  if (IREE_LIKELY(
          iree_hal_resource_is(command_buffer, local_command_buffer_vtable))) {
    return iree_ok_status();
  }
  iree_string_view_t owner = iree_cy_object_owner(command_buffer);
  if (!owner.size) owner = IREE_SV("the core");
  return iree_make_status(
      IREE_STATUS_INVALID_ARGUMENT,
      "device '%.*s' cannot execute a command buffer of '%.*s'",
      IREE_SV_ARG(iree_hal_device_id(device)), IREE_SV_ARG(owner));
}

static void local_command_buffer_destroy(
    iree_hal_command_buffer_t* base_command_buffer) {
  local_command_buffer_t* command_buffer =
      (local_command_buffer_t*)base_command_buffer;
  iree_allocator_t host_allocator = command_buffer->host_allocator;
  iree_hal_command_buffer_deinitialize(base_command_buffer);
  iree_allocator_free(host_allocator, command_buffer->commands);
  iree_allocator_free(host_allocator, command_buffer);
}

//===----------------------------------------------------------------------===//
// Recording
//===----------------------------------------------------------------------===//

// Appends a command of |size| bytes, uninitialized but for its header. The
// pointer is good until the next append.
static iree_status_t local_command_buffer_append(
    local_command_buffer_t* command_buffer, local_command_kind_t kind,
    iree_host_size_t size, void** out_command) {
  const iree_host_size_t aligned_size = iree_host_align(size, 8);
  iree_host_size_t required = 0;
  if (aligned_size > UINT32_MAX ||
      !iree_host_size_checked_add(command_buffer->size, aligned_size,
                                  &required)) {
    return iree_make_status(IREE_STATUS_RESOURCE_EXHAUSTED,
                            "a command of %" PRIhsz " bytes is too large",
                            size);
  }
  if (required > command_buffer->capacity) {
    const iree_host_size_t capacity =
        iree_max(required,
                 iree_max((iree_host_size_t)512, command_buffer->capacity * 2));
    IREE_RETURN_IF_ERROR(
        iree_allocator_realloc(command_buffer->host_allocator, capacity,
                               (void**)&command_buffer->commands));
    command_buffer->capacity = capacity;
  }
  local_command_t* command =
      (local_command_t*)(command_buffer->commands + command_buffer->size);
  command->kind = kind;
  command->size = (uint32_t)aligned_size;
  command_buffer->size = required;
  *out_command = command;
  return iree_ok_status();
}

static iree_status_t local_command_buffer_execution_barrier(
    iree_hal_command_buffer_t* base_command_buffer,
    iree_hal_execution_stage_t source_stage_mask,
    iree_hal_execution_stage_t target_stage_mask,
    iree_hal_execution_barrier_flags_t flags,
    iree_host_size_t memory_barrier_count,
    const iree_hal_memory_barrier_t* memory_barriers,
    iree_host_size_t buffer_barrier_count,
    const iree_hal_buffer_barrier_t* buffer_barriers) {
  (void)source_stage_mask;
  (void)target_stage_mask;
  (void)flags;
  (void)memory_barrier_count;
  (void)memory_barriers;
  (void)buffer_barrier_count;
  (void)buffer_barriers;
  local_command_buffer_t* command_buffer =
      (local_command_buffer_t*)base_command_buffer;
  if (!command_buffer->keeps_barriers) return iree_ok_status();
  local_command_t* command = NULL;
  return local_command_buffer_append(command_buffer, LOCAL_COMMAND_BARRIER,
                                     sizeof(*command), (void**)&command);
}

static iree_status_t local_command_buffer_fill_buffer(
    iree_hal_command_buffer_t* base_command_buffer,
    iree_hal_buffer_ref_t target_ref, const void* pattern,
    iree_host_size_t pattern_length, iree_hal_fill_flags_t flags) {
  (void)flags;
  local_fill_command_t* command = NULL;
  if (pattern_length > sizeof(command->pattern)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "a fill pattern of %" PRIhsz " bytes is too long",
                            pattern_length);
  }
  IREE_RETURN_IF_ERROR(local_command_buffer_append(
      (local_command_buffer_t*)base_command_buffer, LOCAL_COMMAND_FILL,
      sizeof(*command), (void**)&command));
  command->target_ref = target_ref;
  memcpy(command->pattern, pattern, pattern_length);
  command->pattern_length = (uint32_t)pattern_length;
  return iree_ok_status();
}

static iree_status_t local_command_buffer_update_buffer(
    iree_hal_command_buffer_t* base_command_buffer, const void* source_buffer,
    iree_host_size_t source_offset, iree_hal_buffer_ref_t target_ref,
    iree_hal_update_flags_t flags) {
  (void)flags;
  local_update_command_t* command = NULL;
  const iree_host_size_t length = (iree_host_size_t)target_ref.length;
  IREE_RETURN_IF_ERROR(local_command_buffer_append(
      (local_command_buffer_t*)base_command_buffer, LOCAL_COMMAND_UPDATE,
      sizeof(*command) + length, (void**)&command));
  command->target_ref = target_ref;
  command->length = length;
  if (length) {
    memcpy(command + 1, (const uint8_t*)source_buffer + source_offset, length);
  }
  return iree_ok_status();
}

static iree_status_t local_command_buffer_copy_buffer(
    iree_hal_command_buffer_t* base_command_buffer,
    iree_hal_buffer_ref_t source_ref, iree_hal_buffer_ref_t target_ref,
    iree_hal_copy_flags_t flags) {
  (void)flags;
  local_copy_command_t* command = NULL;
  IREE_RETURN_IF_ERROR(local_command_buffer_append(
      (local_command_buffer_t*)base_command_buffer, LOCAL_COMMAND_COPY,
      sizeof(*command), (void**)&command));
  command->source_ref = source_ref;
  command->target_ref = target_ref;
  return iree_ok_status();
}

// Works out addresses of bindings that are known already: those in plain host
// memory that stays where it is. The rest (slots of the table, other devices'
// buffers, memory that is lent) is left to the run.
static void local_dispatch_resolve_direct(
    const iree_hal_buffer_ref_list_t bindings,
    local_dispatch_command_t* command) {
  iree_hal_buffer_ref_t* refs = local_dispatch_refs(command);
  size_t* lengths = local_dispatch_lengths(command);
  void** addresses = local_dispatch_addresses(command);
  command->unresolved_bindings = 0;
  command->writable_bindings = 0;
  for (uint32_t i = 0; i < command->binding_count; ++i) {
    iree_hal_buffer_ref_t ref = bindings.values[i];
    refs[i] = ref;
    addresses[i] = NULL;
    lengths[i] = 0;
    const bool is_writable = ref.buffer && local_buffer_is_writable(ref.buffer);
    uint8_t* data =
        is_writable ? (uint8_t*)iree_hal_heap_buffer_data(ref.buffer) : NULL;
    if (!data) {
      command->unresolved_bindings |= UINT64_C(1) << i;
      continue;
    }
    addresses[i] = data + ref.offset;
    lengths[i] = (size_t)ref.length;
    command->writable_bindings |= UINT64_C(1) << i;
  }
}

static iree_status_t local_command_buffer_dispatch(
    iree_hal_command_buffer_t* base_command_buffer,
    iree_hal_executable_t* executable, iree_hal_executable_function_t function,
    const iree_hal_dispatch_config_t* config, iree_const_byte_span_t constants,
    iree_hal_buffer_ref_list_t bindings, iree_hal_dispatch_flags_t flags) {
  if (!iree_hal_local_executable_isa(executable)) {
    const iree_string_view_t owner = iree_cy_object_owner(executable);
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "a local device cannot run an executable of "
                            "driver '%.*s'; it runs those of its own cache",
                            IREE_SV_ARG(owner));
  }
  if (iree_any_bit_set(flags, IREE_HAL_DISPATCH_FLAG_CUSTOM_DIRECT_ARGUMENTS)) {
    return iree_make_status(IREE_STATUS_UNIMPLEMENTED,
                            "dispatches with custom direct arguments");
  }
  if (bindings.count > IREE_HAL_DISPATCH_MAX_BINDING_COUNT) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "%" PRIhsz " bindings; a dispatch has at most %d",
                            bindings.count,
                            IREE_HAL_DISPATCH_MAX_BINDING_COUNT);
  }
  iree_hal_executable_function_info_t info;
  info.size = sizeof(info);
  IREE_RETURN_IF_ERROR(
      iree_hal_executable_function_info(executable, function, &info));
  uint32_t local_memory = 0;
  if (__builtin_add_overflow(info.workgroup_local_memory,
                             config->dynamic_workgroup_local_memory,
                             &local_memory)) {
    return iree_make_status(
        IREE_STATUS_OUT_OF_RANGE,
        "a workgroup cannot have %" PRIu32
        " bytes of local memory besides the %" PRIu32 " of its function",
        config->dynamic_workgroup_local_memory, info.workgroup_local_memory);
  }

  local_dispatch_command_t* command = NULL;
  const iree_host_size_t binding_size =
      sizeof(iree_hal_buffer_ref_t) + sizeof(size_t) + sizeof(void*);
  IREE_RETURN_IF_ERROR(local_command_buffer_append(
      (local_command_buffer_t*)base_command_buffer, LOCAL_COMMAND_DISPATCH,
      sizeof(*command) + bindings.count * binding_size + constants.data_length,
      (void**)&command));
  command->executable = executable;
  command->function = function;
  memcpy(command->workgroup_size, config->workgroup_size,
         sizeof(command->workgroup_size));
  memcpy(command->workgroup_count, config->workgroup_count,
         sizeof(command->workgroup_count));
  command->constant_count =
      (uint32_t)(constants.data_length / sizeof(uint32_t));
  command->binding_count = (uint32_t)bindings.count;
  command->local_memory = local_memory;
  command->cost_key = local_cost_key(executable, function);
  command->is_sequential = iree_all_bits_set(
      info.flags, IREE_HAL_EXECUTABLE_FUNCTION_FLAG_SEQUENTIAL);
  command->is_indirect = iree_hal_dispatch_uses_indirect_parameters(flags);
  command->workgroup_count_ref = config->workgroup_count_ref;
  local_dispatch_resolve_direct(bindings, command);
  if (constants.data_length) {
    memcpy(local_dispatch_constants(command), constants.data,
           constants.data_length);
  }
  return iree_ok_status();
}

iree_status_t local_command_buffer_register(iree_string_view_t owner) {
  static const iree_hal_command_buffer_vtable_t vtable = {
      .header = {.size = sizeof(vtable)},
      .destroy = local_command_buffer_destroy,
      .execution_barrier = local_command_buffer_execution_barrier,
      .fill_buffer = local_command_buffer_fill_buffer,
      .update_buffer = local_command_buffer_update_buffer,
      .copy_buffer = local_command_buffer_copy_buffer,
      .dispatch = local_command_buffer_dispatch,
  };
  return iree_cy_register_vtable(IREE_CY_OBJECT_KIND_COMMAND_BUFFER, &vtable,
                                 owner,
                                 (const void**)&local_command_buffer_vtable);
}
