// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the core's own command buffer: commands packed into chunks of host
// memory, played to a visitor any number of times.

#include "iree_cy/hal/command_buffer.h"

typedef uint32_t command_type_t;
enum command_type_e {
  COMMAND_TYPE_BARRIER = 0,
  COMMAND_TYPE_FILL = 1,
  COMMAND_TYPE_UPDATE = 2,
  COMMAND_TYPE_COPY = 3,
  COMMAND_TYPE_DISPATCH = 4,
};

// What every command begins with; all are aligned to 8.
typedef struct command_t {
  command_type_t type;
  // Bytes to the next command.
  uint32_t size;
} command_t;

typedef struct fill_command_t {
  command_t header;
  iree_hal_buffer_ref_t target_ref;
  uint32_t pattern_length;
  uint8_t pattern[4];
} fill_command_t;

typedef struct update_command_t {
  command_t header;
  iree_hal_buffer_ref_t target_ref;
  uint8_t source[];
} update_command_t;

typedef struct copy_command_t {
  command_t header;
  iree_hal_buffer_ref_t source_ref;
  iree_hal_buffer_ref_t target_ref;
} copy_command_t;

// Followed by the bindings and then the constants.
typedef struct dispatch_command_t {
  command_t header;
  iree_hal_executable_t* executable;
  iree_hal_executable_function_t function;
  iree_hal_dispatch_flags_t flags;
  iree_hal_dispatch_config_t config;
  uint16_t binding_count;
  // Bytes of constants.
  uint16_t constants_length;
  // Whether a binding refers to the binding table.
  uint32_t has_indirect_bindings;
} dispatch_command_t;

typedef struct command_chunk_t {
  struct command_chunk_t* next;
  uint32_t capacity;
  uint32_t size;
  uint8_t data[];
} command_chunk_t;

// The first chunk is part of the command buffer: most recordings fit.
#define FIRST_CHUNK_CAPACITY 1024
#define NEXT_CHUNK_CAPACITY (16 * 1024)

typedef struct recorded_command_buffer_t {
  iree_hal_command_buffer_t base;
  command_chunk_t* last_chunk;
  // Last: its data are the rest of the block.
  command_chunk_t first_chunk;
} recorded_command_buffer_t;

static const iree_hal_command_buffer_vtable_t recorded_command_buffer_vtable;

static void recorded_command_buffer_destroy(
    iree_hal_command_buffer_t* base_command_buffer) {
  recorded_command_buffer_t* command_buffer =
      (recorded_command_buffer_t*)base_command_buffer;
  iree_allocator_t host_allocator = base_command_buffer->host_allocator;
  iree_hal_command_buffer_deinitialize(base_command_buffer);
  command_chunk_t* chunk = command_buffer->first_chunk.next;
  while (chunk) {
    command_chunk_t* next = chunk->next;
    iree_allocator_free(host_allocator, chunk);
    chunk = next;
  }
  iree_allocator_free(host_allocator, command_buffer);
}

// Room for a command of |size| bytes at the end of the recording, its header
// filled.
static iree_status_t append_command(
    iree_hal_command_buffer_t* base_command_buffer, command_type_t type,
    iree_host_size_t size, void** out_command) {
  recorded_command_buffer_t* command_buffer =
      (recorded_command_buffer_t*)base_command_buffer;
  *out_command = NULL;
  const uint32_t aligned_size =
      (uint32_t)iree_host_align(size, sizeof(uint64_t));
  command_chunk_t* chunk = command_buffer->last_chunk;
  if (chunk->capacity - chunk->size < aligned_size) {
    const uint32_t capacity = iree_max(aligned_size, NEXT_CHUNK_CAPACITY);
    command_chunk_t* next = NULL;
    IREE_RETURN_IF_ERROR(iree_allocator_malloc_uninitialized(
        base_command_buffer->host_allocator, sizeof(*next) + capacity,
        (void**)&next));
    next->next = NULL;
    next->capacity = capacity;
    next->size = 0;
    chunk->next = next;
    command_buffer->last_chunk = chunk = next;
  }
  command_t* command = (command_t*)(chunk->data + chunk->size);
  command->type = type;
  command->size = aligned_size;
  chunk->size += aligned_size;
  *out_command = command;
  return iree_ok_status();
}

static iree_status_t recorded_command_buffer_begin_or_end(
    iree_hal_command_buffer_t* command_buffer) {
  (void)command_buffer;
  return iree_ok_status();
}

static iree_status_t recorded_command_buffer_begin_debug_group(
    iree_hal_command_buffer_t* command_buffer, iree_string_view_t label) {
  (void)command_buffer;
  (void)label;
  return iree_ok_status();
}

static iree_status_t recorded_command_buffer_execution_barrier(
    iree_hal_command_buffer_t* command_buffer,
    iree_hal_execution_stage_t source_stage_mask,
    iree_hal_execution_stage_t target_stage_mask,
    iree_hal_execution_barrier_flags_t flags,
    iree_host_size_t memory_barrier_count,
    const iree_hal_memory_barrier_t* memory_barriers,
    iree_host_size_t buffer_barrier_count,
    const iree_hal_buffer_barrier_t* buffer_barriers) {
  (void)source_stage_mask, (void)target_stage_mask, (void)flags;
  (void)memory_barrier_count, (void)memory_barriers;
  (void)buffer_barrier_count, (void)buffer_barriers;
  void* command = NULL;
  return append_command(command_buffer, COMMAND_TYPE_BARRIER, sizeof(command_t),
                        &command);
}

static iree_status_t recorded_command_buffer_advise_buffer(
    iree_hal_command_buffer_t* command_buffer, iree_hal_buffer_ref_t buffer_ref,
    uint64_t flags, uint64_t arg0, uint64_t arg1) {
  (void)command_buffer, (void)buffer_ref, (void)flags, (void)arg0, (void)arg1;
  return iree_ok_status();
}

static iree_status_t recorded_command_buffer_fill_buffer(
    iree_hal_command_buffer_t* command_buffer, iree_hal_buffer_ref_t target_ref,
    const void* pattern, iree_host_size_t pattern_length,
    iree_hal_fill_flags_t flags) {
  (void)flags;
  fill_command_t* command = NULL;
  IREE_RETURN_IF_ERROR(append_command(command_buffer, COMMAND_TYPE_FILL,
                                      sizeof(*command), (void**)&command));
  command->target_ref = target_ref;
  command->pattern_length = (uint32_t)pattern_length;
  memcpy(command->pattern, pattern, pattern_length);
  return iree_ok_status();
}

static iree_status_t recorded_command_buffer_update_buffer(
    iree_hal_command_buffer_t* command_buffer, const void* source_buffer,
    iree_host_size_t source_offset, iree_hal_buffer_ref_t target_ref,
    iree_hal_update_flags_t flags) {
  (void)flags;
  const iree_host_size_t length = (iree_host_size_t)target_ref.length;
  update_command_t* command = NULL;
  IREE_RETURN_IF_ERROR(append_command(command_buffer, COMMAND_TYPE_UPDATE,
                                      sizeof(*command) + length,
                                      (void**)&command));
  command->target_ref = target_ref;
  if (length) {
    memcpy(command->source, (const uint8_t*)source_buffer + source_offset,
           length);
  }
  return iree_ok_status();
}

static iree_status_t recorded_command_buffer_copy_buffer(
    iree_hal_command_buffer_t* command_buffer, iree_hal_buffer_ref_t source_ref,
    iree_hal_buffer_ref_t target_ref, iree_hal_copy_flags_t flags) {
  (void)flags;
  copy_command_t* command = NULL;
  IREE_RETURN_IF_ERROR(append_command(command_buffer, COMMAND_TYPE_COPY,
                                      sizeof(*command), (void**)&command));
  command->source_ref = source_ref;
  command->target_ref = target_ref;
  return iree_ok_status();
}

static iree_status_t recorded_command_buffer_collective(
    iree_hal_command_buffer_t* command_buffer, iree_hal_channel_t* channel,
    uint32_t op, uint32_t param, iree_hal_buffer_ref_t send_ref,
    iree_hal_buffer_ref_t recv_ref, iree_device_size_t element_count) {
  (void)command_buffer, (void)channel, (void)op, (void)param, (void)send_ref;
  (void)recv_ref, (void)element_count;
  return iree_make_status(IREE_STATUS_UNIMPLEMENTED,
                          "collectives are not implemented");
}

static iree_status_t recorded_command_buffer_dispatch(
    iree_hal_command_buffer_t* command_buffer,
    iree_hal_executable_t* executable, iree_hal_executable_function_t function,
    const iree_hal_dispatch_config_t* config, iree_const_byte_span_t constants,
    iree_hal_buffer_ref_list_t bindings, iree_hal_dispatch_flags_t flags) {
  const iree_host_size_t bindings_length =
      bindings.count * sizeof(bindings.values[0]);
  dispatch_command_t* command = NULL;
  IREE_RETURN_IF_ERROR(
      append_command(command_buffer, COMMAND_TYPE_DISPATCH,
                     sizeof(*command) + bindings_length + constants.data_length,
                     (void**)&command));
  command->executable = executable;
  command->function = function;
  command->flags = flags;
  command->config = *config;
  command->binding_count = (uint16_t)bindings.count;
  command->constants_length = (uint16_t)constants.data_length;
  command->has_indirect_bindings = 0;
  uint8_t* tail = (uint8_t*)(command + 1);
  if (bindings.count) memcpy(tail, bindings.values, bindings_length);
  if (constants.data_length) {
    memcpy(tail + bindings_length, constants.data, constants.data_length);
  }
  for (iree_host_size_t i = 0; i < bindings.count; ++i) {
    command->has_indirect_bindings |= bindings.values[i].buffer ? 0 : 1;
  }
  return iree_ok_status();
}

static const iree_hal_command_buffer_vtable_t recorded_command_buffer_vtable = {
    .header = {.size = sizeof(iree_hal_command_buffer_vtable_t),
               .kind = IREE_CY_OBJECT_KIND_COMMAND_BUFFER},
    .destroy = recorded_command_buffer_destroy,
    .begin = recorded_command_buffer_begin_or_end,
    .end = recorded_command_buffer_begin_or_end,
    .begin_debug_group = recorded_command_buffer_begin_debug_group,
    .end_debug_group = recorded_command_buffer_begin_or_end,
    .execution_barrier = recorded_command_buffer_execution_barrier,
    .advise_buffer = recorded_command_buffer_advise_buffer,
    .fill_buffer = recorded_command_buffer_fill_buffer,
    .update_buffer = recorded_command_buffer_update_buffer,
    .copy_buffer = recorded_command_buffer_copy_buffer,
    .collective = recorded_command_buffer_collective,
    .dispatch = recorded_command_buffer_dispatch,
};

iree_status_t iree_hal_recorded_command_buffer_create(
    iree_hal_command_buffer_mode_t mode,
    iree_hal_command_category_t command_categories,
    iree_hal_queue_affinity_t queue_affinity, iree_host_size_t binding_capacity,
    iree_allocator_t host_allocator,
    iree_hal_command_buffer_t** out_command_buffer) {
  *out_command_buffer = NULL;
  recorded_command_buffer_t* command_buffer = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc_uninitialized(
      host_allocator, sizeof(*command_buffer) + FIRST_CHUNK_CAPACITY,
      (void**)&command_buffer));
  iree_status_t status = iree_hal_command_buffer_initialize(
      &recorded_command_buffer_vtable, mode, command_categories, queue_affinity,
      binding_capacity, host_allocator, &command_buffer->base);
  if (!iree_status_is_ok(status)) {
    iree_allocator_free(host_allocator, command_buffer);
    return status;
  }
  command_buffer->first_chunk.next = NULL;
  command_buffer->first_chunk.capacity = FIRST_CHUNK_CAPACITY;
  command_buffer->first_chunk.size = 0;
  command_buffer->last_chunk = &command_buffer->first_chunk;
  *out_command_buffer = &command_buffer->base;
  return iree_ok_status();
}

bool iree_hal_recorded_command_buffer_isa(
    const iree_hal_command_buffer_t* command_buffer) {
  return iree_hal_resource_is(command_buffer, &recorded_command_buffer_vtable);
}

//===-- replay --------------------------------------------------------------===

// A visitor as it is called; entries that its caller did not know are NULL.
typedef struct replay_t {
  iree_hal_buffer_binding_table_t binding_table;
  iree_hal_command_visitor_t visitor;
  void* user_data;
} replay_t;

// Direct references were made exact and checked when they were recorded.
static inline iree_status_t resolve(const replay_t* replay,
                                    const iree_hal_buffer_ref_t* ref,
                                    iree_hal_buffer_ref_t* out_ref) {
  if (ref->buffer) {
    *out_ref = *ref;
    return iree_ok_status();
  }
  return iree_hal_buffer_binding_table_resolve_ref(replay->binding_table, *ref,
                                                   out_ref);
}

static iree_status_t replay_fill(const replay_t* replay,
                                 const fill_command_t* command) {
  if (!replay->visitor.fill) return iree_ok_status();
  iree_hal_buffer_ref_t target_ref;
  IREE_RETURN_IF_ERROR(resolve(replay, &command->target_ref, &target_ref));
  if (IREE_UNLIKELY(target_ref.length % command->pattern_length != 0)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "%" PRIdsz
                            " bytes cannot be filled with a pattern of %" PRIu32
                            " bytes",
                            target_ref.length, command->pattern_length);
  }
  return replay->visitor.fill(replay->user_data, target_ref, command->pattern,
                              command->pattern_length);
}

static iree_status_t replay_update(const replay_t* replay,
                                   const update_command_t* command) {
  if (!replay->visitor.update) return iree_ok_status();
  iree_hal_buffer_ref_t target_ref;
  IREE_RETURN_IF_ERROR(resolve(replay, &command->target_ref, &target_ref));
  return replay->visitor.update(replay->user_data, command->source, target_ref);
}

static iree_status_t replay_copy(const replay_t* replay,
                                 const copy_command_t* command) {
  if (!replay->visitor.copy) return iree_ok_status();
  iree_hal_buffer_ref_t source_ref;
  iree_hal_buffer_ref_t target_ref;
  IREE_RETURN_IF_ERROR(resolve(replay, &command->source_ref, &source_ref));
  IREE_RETURN_IF_ERROR(resolve(replay, &command->target_ref, &target_ref));
  const bool was_checked =
      command->source_ref.buffer && command->target_ref.buffer;
  if (!was_checked &&
      IREE_UNLIKELY(iree_hal_buffer_test_overlap(
          source_ref.buffer, source_ref.offset, source_ref.length,
          target_ref.buffer, target_ref.offset, target_ref.length))) {
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "source and target of a copy overlap in the same memory");
  }
  return replay->visitor.copy(replay->user_data, source_ref, target_ref);
}

static iree_status_t replay_dispatch(const replay_t* replay,
                                     const dispatch_command_t* command) {
  if (IREE_UNLIKELY(!replay->visitor.dispatch)) {
    return iree_make_status(IREE_STATUS_UNIMPLEMENTED,
                            "this device cannot run executables");
  }
  const iree_hal_buffer_ref_t* refs =
      (const iree_hal_buffer_ref_t*)(command + 1);
  const iree_const_byte_span_t constants = iree_make_const_byte_span(
      refs + command->binding_count, command->constants_length);
  iree_hal_buffer_ref_list_t bindings = {command->binding_count, refs};
  iree_hal_buffer_ref_t direct_refs[IREE_HAL_DISPATCH_MAX_BINDING_COUNT];
  if (command->has_indirect_bindings) {
    for (uint32_t i = 0; i < command->binding_count; ++i) {
      IREE_RETURN_IF_ERROR(resolve(replay, &refs[i], &direct_refs[i]));
    }
    bindings.values = direct_refs;
  }
  if (!iree_hal_dispatch_uses_indirect_parameters(command->flags)) {
    return replay->visitor.dispatch(replay->user_data, command->executable,
                                    command->function, &command->config,
                                    constants, bindings, command->flags);
  }
  iree_hal_dispatch_config_t config = command->config;
  IREE_RETURN_IF_ERROR(resolve(replay, &command->config.workgroup_count_ref,
                               &config.workgroup_count_ref));
  return replay->visitor.dispatch(replay->user_data, command->executable,
                                  command->function, &config, constants,
                                  bindings, command->flags);
}

static iree_status_t replay_command(const replay_t* replay,
                                    const command_t* command) {
  switch (command->type) {
    case COMMAND_TYPE_BARRIER:
      return replay->visitor.execution_barrier
                 ? replay->visitor.execution_barrier(replay->user_data)
                 : iree_ok_status();
    case COMMAND_TYPE_FILL:
      return replay_fill(replay, (const fill_command_t*)command);
    case COMMAND_TYPE_UPDATE:
      return replay_update(replay, (const update_command_t*)command);
    case COMMAND_TYPE_COPY:
      return replay_copy(replay, (const copy_command_t*)command);
    default:
      return replay_dispatch(replay, (const dispatch_command_t*)command);
  }
}

iree_status_t iree_hal_recorded_command_buffer_replay(
    const iree_hal_command_buffer_t* base_command_buffer,
    iree_hal_buffer_binding_table_t binding_table,
    const iree_hal_command_visitor_t* visitor, void* user_data) {
  if (!iree_hal_recorded_command_buffer_isa(base_command_buffer)) {
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "only a command buffer of the core's own recording can be replayed");
  }
  const recorded_command_buffer_t* command_buffer =
      (const recorded_command_buffer_t*)base_command_buffer;
  replay_t replay = {.binding_table = binding_table, .user_data = user_data};
  memcpy(&replay.visitor, visitor,
         iree_min((iree_host_size_t)visitor->size, sizeof(replay.visitor)));
  const command_chunk_t* chunk = &command_buffer->first_chunk;
  for (; chunk; chunk = chunk->next) {
    uint32_t offset = 0;
    while (offset < chunk->size) {
      const command_t* command = (const command_t*)(chunk->data + offset);
      IREE_RETURN_IF_ERROR(replay_command(&replay, command));
      offset += command->size;
    }
  }
  return iree_ok_status();
}
