// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns how local-sync records commands and runs them.

#include "command_buffer.h"

typedef enum sync_command_kind_e {
  SYNC_COMMAND_FILL = 0,
  SYNC_COMMAND_UPDATE,
  SYNC_COMMAND_COPY,
  SYNC_COMMAND_DISPATCH,
} sync_command_kind_t;

// Begins each command; |size| bytes further is the next.
typedef struct sync_command_t {
  uint32_t kind;
  uint32_t size;
} sync_command_t;

typedef struct sync_fill_command_t {
  sync_command_t header;
  iree_hal_buffer_ref_t target_ref;
  uint8_t pattern[8];
  uint32_t pattern_length;
} sync_fill_command_t;

typedef struct sync_update_command_t {
  sync_command_t header;
  iree_hal_buffer_ref_t target_ref;
  iree_host_size_t length;
  // Followed by the bytes.
} sync_update_command_t;

typedef struct sync_copy_command_t {
  sync_command_t header;
  iree_hal_buffer_ref_t source_ref;
  iree_hal_buffer_ref_t target_ref;
} sync_copy_command_t;

// A dispatch. Followed by |binding_count| references, as many lengths, as many
// addresses, and the constants. A binding whose bit in |unresolved_bindings| is
// clear has its address and length from the recording.
typedef struct sync_dispatch_command_t {
  sync_command_t header;
  iree_hal_executable_t* executable;
  iree_hal_executable_function_t function;
  uint32_t workgroup_size[3];
  uint32_t workgroup_count[3];
  uint32_t constant_count;
  uint32_t binding_count;
  uint32_t local_memory;
  uint32_t is_indirect;
  iree_hal_buffer_ref_t workgroup_count_ref;
  uint64_t unresolved_bindings;
  uint64_t writable_bindings;
} sync_dispatch_command_t;

typedef struct sync_command_buffer_t {
  iree_hal_command_buffer_t base;
  iree_allocator_t host_allocator;
  uint8_t* commands;
  iree_host_size_t size;
  iree_host_size_t capacity;
} sync_command_buffer_t;

static const iree_hal_command_buffer_vtable_t* sync_command_buffer_vtable =
    NULL;

bool sync_command_buffer_isa(const iree_hal_command_buffer_t* command_buffer) {
  return iree_hal_resource_is(command_buffer, sync_command_buffer_vtable);
}

iree_status_t sync_command_buffer_create(
    iree_hal_command_buffer_mode_t mode,
    iree_hal_command_category_t command_categories,
    iree_hal_queue_affinity_t queue_affinity, iree_host_size_t binding_capacity,
    iree_allocator_t host_allocator,
    iree_hal_command_buffer_t** out_command_buffer) {
  sync_command_buffer_t* command_buffer = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(
      host_allocator, sizeof(*command_buffer), (void**)&command_buffer));
  iree_status_t status = iree_hal_command_buffer_initialize(
      sync_command_buffer_vtable, mode, command_categories, queue_affinity,
      binding_capacity, host_allocator, &command_buffer->base);
  if (!iree_status_is_ok(status)) {
    iree_allocator_free(host_allocator, command_buffer);
    return status;
  }
  command_buffer->host_allocator = host_allocator;
  *out_command_buffer = &command_buffer->base;
  return iree_ok_status();
}

static void sync_command_buffer_destroy(
    iree_hal_command_buffer_t* base_command_buffer) {
  sync_command_buffer_t* command_buffer =
      (sync_command_buffer_t*)base_command_buffer;
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
static iree_status_t sync_command_buffer_append(
    sync_command_buffer_t* command_buffer, sync_command_kind_t kind,
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
  sync_command_t* command =
      (sync_command_t*)(command_buffer->commands + command_buffer->size);
  command->kind = kind;
  command->size = (uint32_t)aligned_size;
  command_buffer->size = required;
  *out_command = command;
  return iree_ok_status();
}

// Commands run in order, one after the other.
static iree_status_t sync_command_buffer_execution_barrier(
    iree_hal_command_buffer_t* base_command_buffer,
    iree_hal_execution_stage_t source_stage_mask,
    iree_hal_execution_stage_t target_stage_mask,
    iree_hal_execution_barrier_flags_t flags,
    iree_host_size_t memory_barrier_count,
    const iree_hal_memory_barrier_t* memory_barriers,
    iree_host_size_t buffer_barrier_count,
    const iree_hal_buffer_barrier_t* buffer_barriers) {
  (void)base_command_buffer;
  (void)source_stage_mask;
  (void)target_stage_mask;
  (void)flags;
  (void)memory_barrier_count;
  (void)memory_barriers;
  (void)buffer_barrier_count;
  (void)buffer_barriers;
  return iree_ok_status();
}

static iree_status_t sync_command_buffer_fill_buffer(
    iree_hal_command_buffer_t* base_command_buffer,
    iree_hal_buffer_ref_t target_ref, const void* pattern,
    iree_host_size_t pattern_length, iree_hal_fill_flags_t flags) {
  (void)flags;
  sync_fill_command_t* command = NULL;
  if (pattern_length > sizeof(command->pattern)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "a fill pattern of %" PRIhsz " bytes is too long",
                            pattern_length);
  }
  IREE_RETURN_IF_ERROR(sync_command_buffer_append(
      (sync_command_buffer_t*)base_command_buffer, SYNC_COMMAND_FILL,
      sizeof(*command), (void**)&command));
  command->target_ref = target_ref;
  memcpy(command->pattern, pattern, pattern_length);
  command->pattern_length = (uint32_t)pattern_length;
  return iree_ok_status();
}

static iree_status_t sync_command_buffer_update_buffer(
    iree_hal_command_buffer_t* base_command_buffer, const void* source_buffer,
    iree_host_size_t source_offset, iree_hal_buffer_ref_t target_ref,
    iree_hal_update_flags_t flags) {
  (void)flags;
  sync_update_command_t* command = NULL;
  const iree_host_size_t length = (iree_host_size_t)target_ref.length;
  IREE_RETURN_IF_ERROR(sync_command_buffer_append(
      (sync_command_buffer_t*)base_command_buffer, SYNC_COMMAND_UPDATE,
      sizeof(*command) + length, (void**)&command));
  command->target_ref = target_ref;
  command->length = length;
  if (length) {
    memcpy(command + 1, (const uint8_t*)source_buffer + source_offset, length);
  }
  return iree_ok_status();
}

static iree_status_t sync_command_buffer_copy_buffer(
    iree_hal_command_buffer_t* base_command_buffer,
    iree_hal_buffer_ref_t source_ref, iree_hal_buffer_ref_t target_ref,
    iree_hal_copy_flags_t flags) {
  (void)flags;
  sync_copy_command_t* command = NULL;
  IREE_RETURN_IF_ERROR(sync_command_buffer_append(
      (sync_command_buffer_t*)base_command_buffer, SYNC_COMMAND_COPY,
      sizeof(*command), (void**)&command));
  command->source_ref = source_ref;
  command->target_ref = target_ref;
  return iree_ok_status();
}

// The parts that follow a dispatch command.
static inline iree_hal_buffer_ref_t* sync_dispatch_refs(
    sync_dispatch_command_t* command) {
  return (iree_hal_buffer_ref_t*)(command + 1);
}
static inline size_t* sync_dispatch_lengths(sync_dispatch_command_t* command) {
  return (size_t*)(sync_dispatch_refs(command) + command->binding_count);
}
static inline void** sync_dispatch_addresses(sync_dispatch_command_t* command) {
  return (void**)(sync_dispatch_lengths(command) + command->binding_count);
}
static inline uint32_t* sync_dispatch_constants(
    sync_dispatch_command_t* command) {
  return (uint32_t*)(sync_dispatch_addresses(command) + command->binding_count);
}

static bool sync_buffer_is_writable(const iree_hal_buffer_t* buffer) {
  return iree_all_bits_set(iree_hal_buffer_allowed_access(buffer),
                           IREE_HAL_MEMORY_ACCESS_WRITE);
}

// Works out addresses of bindings that are known already: those in plain host
// memory that stays where it is. The rest (slots of the table, other devices'
// buffers, memory that is lent) is left to the run.
static void sync_dispatch_resolve_direct(
    const iree_hal_buffer_ref_list_t bindings,
    sync_dispatch_command_t* command) {
  iree_hal_buffer_ref_t* refs = sync_dispatch_refs(command);
  size_t* lengths = sync_dispatch_lengths(command);
  void** addresses = sync_dispatch_addresses(command);
  command->unresolved_bindings = 0;
  command->writable_bindings = 0;
  for (uint32_t i = 0; i < command->binding_count; ++i) {
    iree_hal_buffer_ref_t ref = bindings.values[i];
    refs[i] = ref;
    addresses[i] = NULL;
    lengths[i] = 0;
    const bool is_writable = ref.buffer && sync_buffer_is_writable(ref.buffer);
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

static iree_status_t sync_command_buffer_dispatch(
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

  sync_dispatch_command_t* command = NULL;
  const iree_host_size_t binding_size =
      sizeof(iree_hal_buffer_ref_t) + sizeof(size_t) + sizeof(void*);
  IREE_RETURN_IF_ERROR(sync_command_buffer_append(
      (sync_command_buffer_t*)base_command_buffer, SYNC_COMMAND_DISPATCH,
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
  command->is_indirect = iree_hal_dispatch_uses_indirect_parameters(flags);
  command->workgroup_count_ref = config->workgroup_count_ref;
  sync_dispatch_resolve_direct(bindings, command);
  if (constants.data_length) {
    memcpy(sync_dispatch_constants(command), constants.data,
           constants.data_length);
  }
  return iree_ok_status();
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

typedef struct sync_run_t {
  iree_hal_buffer_binding_table_t binding_table;
  iree_allocator_t host_allocator;
  sync_worker_t* worker;
} sync_run_t;

static iree_status_t sync_run_fill(const sync_run_t* run,
                                   const sync_fill_command_t* command) {
  iree_hal_buffer_ref_t target;
  IREE_RETURN_IF_ERROR(iree_hal_buffer_binding_table_resolve_ref(
      run->binding_table, command->target_ref, &target));
  return iree_hal_buffer_map_fill(target.buffer, target.offset, target.length,
                                  command->pattern, command->pattern_length);
}

static iree_status_t sync_run_update(const sync_run_t* run,
                                     const sync_update_command_t* command) {
  iree_hal_buffer_ref_t target;
  IREE_RETURN_IF_ERROR(iree_hal_buffer_binding_table_resolve_ref(
      run->binding_table, command->target_ref, &target));
  return iree_hal_buffer_map_write(target.buffer, target.offset, command + 1,
                                   command->length);
}

static iree_status_t sync_run_copy(const sync_run_t* run,
                                   const sync_copy_command_t* command) {
  iree_hal_buffer_ref_t source;
  iree_hal_buffer_ref_t target;
  IREE_RETURN_IF_ERROR(iree_hal_buffer_binding_table_resolve_ref(
      run->binding_table, command->source_ref, &source));
  IREE_RETURN_IF_ERROR(iree_hal_buffer_binding_table_resolve_ref(
      run->binding_table, command->target_ref, &target));
  return iree_hal_buffer_map_copy(source.buffer, source.offset, target.buffer,
                                  target.offset, target.length);
}

// Bindings of one dispatch as the code takes them, and the mappings behind
// those that are not in plain host memory.
typedef struct sync_bindings_t {
  void* addresses[IREE_HAL_DISPATCH_MAX_BINDING_COUNT];
  size_t lengths[IREE_HAL_DISPATCH_MAX_BINDING_COUNT];
  uint64_t writable;
  uint32_t mapping_count;
  iree_hal_buffer_mapping_t mappings[IREE_HAL_DISPATCH_MAX_BINDING_COUNT];
} sync_bindings_t;

static bool sync_is_coherent(const iree_hal_buffer_t* buffer) {
  return iree_all_bits_set(iree_hal_buffer_memory_type(buffer),
                           IREE_HAL_MEMORY_TYPE_HOST_COHERENT);
}

static iree_status_t sync_bindings_map(iree_hal_buffer_ref_t ref, uint32_t i,
                                       sync_bindings_t* bindings) {
  const iree_hal_memory_access_t access =
      iree_hal_buffer_allowed_access(ref.buffer) &
      (IREE_HAL_MEMORY_ACCESS_READ | IREE_HAL_MEMORY_ACCESS_WRITE);
  iree_hal_buffer_mapping_t* mapping =
      &bindings->mappings[bindings->mapping_count];
  iree_status_t status =
      iree_hal_buffer_map_range(ref.buffer, IREE_HAL_MAPPING_MODE_SCOPED,
                                access, ref.offset, ref.length, mapping);
  if (!iree_status_is_ok(status)) {
    const iree_string_view_t owner =
        iree_cy_object_owner(iree_hal_buffer_allocated_buffer(ref.buffer));
    return iree_status_annotate_f(
        status, "binding %u, a buffer of '%.*s', cannot be used by the CPU", i,
        (int)(owner.size ? owner.size : 8),
        owner.size ? owner.data : "the core");
  }
  ++bindings->mapping_count;
  bindings->addresses[i] = mapping->contents.data;
  bindings->lengths[i] = mapping->contents.data_length;
  if (sync_is_coherent(ref.buffer) ||
      !iree_any_bit_set(access, IREE_HAL_MEMORY_ACCESS_READ)) {
    return iree_ok_status();
  }
  return iree_hal_buffer_mapping_invalidate_range(mapping, 0,
                                                  IREE_HAL_WHOLE_BUFFER);
}

// Takes |status|, how the dispatch ended, and returns how all ended.
static iree_status_t sync_bindings_unmap(sync_bindings_t* bindings,
                                         iree_status_t status) {
  for (uint32_t i = 0; i < bindings->mapping_count; ++i) {
    iree_hal_buffer_mapping_t* mapping = &bindings->mappings[i];
    if (!sync_is_coherent(mapping->buffer) &&
        iree_any_bit_set(mapping->allowed_access,
                         IREE_HAL_MEMORY_ACCESS_WRITE)) {
      status = iree_status_join(status, iree_hal_buffer_mapping_flush_range(
                                            mapping, 0, IREE_HAL_WHOLE_BUFFER));
    }
    status = iree_status_join(status, iree_hal_buffer_unmap_range(mapping));
  }
  return status;
}

static iree_status_t sync_bindings_resolve(const sync_run_t* run,
                                           sync_dispatch_command_t* command,
                                           sync_bindings_t* bindings) {
  const iree_hal_buffer_ref_t* refs = sync_dispatch_refs(command);
  memcpy(bindings->addresses, sync_dispatch_addresses(command),
         command->binding_count * sizeof(bindings->addresses[0]));
  memcpy(bindings->lengths, sync_dispatch_lengths(command),
         command->binding_count * sizeof(bindings->lengths[0]));
  bindings->writable = command->writable_bindings;
  for (uint64_t left = command->unresolved_bindings; left; left &= left - 1) {
    const uint32_t i = (uint32_t)__builtin_ctzll(left);
    iree_hal_buffer_ref_t ref = refs[i];
    // The host has made direct ones exact.
    if (!ref.buffer) {
      IREE_RETURN_IF_ERROR(iree_hal_buffer_binding_table_resolve_ref(
          run->binding_table, refs[i], &ref));
    }
    if (sync_buffer_is_writable(ref.buffer)) {
      bindings->writable |= UINT64_C(1) << i;
    }
    uint8_t* data = (uint8_t*)iree_hal_heap_buffer_data(ref.buffer);
    if (IREE_LIKELY(data)) {
      bindings->addresses[i] = data + ref.offset;
      bindings->lengths[i] = (size_t)ref.length;
    } else {
      IREE_RETURN_IF_ERROR(sync_bindings_map(ref, i, bindings));
    }
  }
  return iree_ok_status();
}

static iree_status_t sync_run_ensure_local_memory(const sync_run_t* run,
                                                  uint32_t required) {
  iree_byte_span_t* memory = &run->worker->local_memory;
  if (IREE_LIKELY(required <= memory->data_length)) return iree_ok_status();
  iree_allocator_free_aligned(run->host_allocator, memory->data);
  *memory = iree_byte_span_empty();
  void* data = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc_aligned(run->host_allocator, required, 64, &data));
  *memory = iree_make_byte_span(data, required);
  return iree_ok_status();
}

static iree_status_t sync_run_dispatch(const sync_run_t* run,
                                       sync_dispatch_command_t* command) {
  iree_hal_local_dispatch_t dispatch;
  dispatch.size = sizeof(dispatch);
  dispatch.max_concurrency = 1;
  memcpy(dispatch.workgroup_size, command->workgroup_size,
         sizeof(dispatch.workgroup_size));
  memcpy(dispatch.workgroup_count, command->workgroup_count,
         sizeof(dispatch.workgroup_count));
  if (command->is_indirect) {
    iree_hal_buffer_ref_t ref;
    IREE_RETURN_IF_ERROR(iree_hal_buffer_binding_table_resolve_ref(
        run->binding_table, command->workgroup_count_ref, &ref));
    IREE_RETURN_IF_ERROR(iree_hal_buffer_map_read(
        ref.buffer, ref.offset, dispatch.workgroup_count,
        sizeof(dispatch.workgroup_count)));
  }
  // Three factors of 32 bits need 96; the first two always fit.
  uint64_t workgroup_count = 0;
  if (__builtin_mul_overflow(
          (uint64_t)dispatch.workgroup_count[0] * dispatch.workgroup_count[1],
          (uint64_t)dispatch.workgroup_count[2], &workgroup_count)) {
    return iree_make_status(
        IREE_STATUS_OUT_OF_RANGE, "a dispatch of %ux%ux%u workgroups",
        dispatch.workgroup_count[0], dispatch.workgroup_count[1],
        dispatch.workgroup_count[2]);
  }
  if (workgroup_count == 0) return iree_ok_status();
  IREE_RETURN_IF_ERROR(
      sync_run_ensure_local_memory(run, command->local_memory));

  dispatch.constant_count = command->constant_count;
  dispatch.constants = sync_dispatch_constants(command);
  dispatch.binding_count = command->binding_count;
  if (IREE_LIKELY(!command->unresolved_bindings)) {
    dispatch.binding_ptrs = sync_dispatch_addresses(command);
    dispatch.binding_lengths = sync_dispatch_lengths(command);
    dispatch.writable_bindings = command->writable_bindings;
    return iree_hal_local_executable_dispatch(
        command->executable, command->function, &dispatch, 0, workgroup_count,
        run->worker->worker_id, run->worker->local_memory);
  }

  sync_bindings_t bindings;
  bindings.mapping_count = 0;
  iree_status_t status = sync_bindings_resolve(run, command, &bindings);
  if (iree_status_is_ok(status)) {
    dispatch.binding_ptrs = bindings.addresses;
    dispatch.binding_lengths = bindings.lengths;
    dispatch.writable_bindings = bindings.writable;
    status = iree_hal_local_executable_dispatch(
        command->executable, command->function, &dispatch, 0, workgroup_count,
        run->worker->worker_id, run->worker->local_memory);
  }
  return sync_bindings_unmap(&bindings, status);
}

iree_status_t sync_command_buffer_run(
    iree_hal_command_buffer_t* base_command_buffer,
    iree_hal_buffer_binding_table_t binding_table,
    iree_allocator_t host_allocator, sync_worker_t* worker) {
  sync_command_buffer_t* command_buffer =
      (sync_command_buffer_t*)base_command_buffer;
  const sync_run_t run = {binding_table, host_allocator, worker};
  iree_status_t status = iree_ok_status();
  for (iree_host_size_t offset = 0;
       iree_status_is_ok(status) && offset < command_buffer->size;) {
    sync_command_t* command =
        (sync_command_t*)(command_buffer->commands + offset);
    offset += command->size;
    switch ((sync_command_kind_t)command->kind) {
      case SYNC_COMMAND_FILL:
        status = sync_run_fill(&run, (const sync_fill_command_t*)command);
        break;
      case SYNC_COMMAND_UPDATE:
        status = sync_run_update(&run, (const sync_update_command_t*)command);
        break;
      case SYNC_COMMAND_COPY:
        status = sync_run_copy(&run, (const sync_copy_command_t*)command);
        break;
      case SYNC_COMMAND_DISPATCH:
        status = sync_run_dispatch(&run, (sync_dispatch_command_t*)command);
        break;
    }
  }
  return status;
}

iree_status_t sync_command_buffer_register(iree_string_view_t owner) {
  static const iree_hal_command_buffer_vtable_t vtable = {
      .header = {.size = sizeof(vtable)},
      .destroy = sync_command_buffer_destroy,
      .execution_barrier = sync_command_buffer_execution_barrier,
      .fill_buffer = sync_command_buffer_fill_buffer,
      .update_buffer = sync_command_buffer_update_buffer,
      .copy_buffer = sync_command_buffer_copy_buffer,
      .dispatch = sync_command_buffer_dispatch,
  };
  return iree_cy_register_vtable(IREE_CY_OBJECT_KIND_COMMAND_BUFFER, &vtable,
                                 owner,
                                 (const void**)&sync_command_buffer_vtable);
}
