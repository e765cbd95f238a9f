// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns how recorded commands are run, whole and in units.

#include "run.h"

#include <time.h>

// Of each binding that the recording does not know.
#define LOCAL_BINDING_STORAGE_SIZE \
  (sizeof(iree_hal_buffer_mapping_t) + sizeof(void*) + sizeof(size_t))

static bool local_is_coherent(const iree_hal_buffer_t* buffer) {
  return iree_all_bits_set(iree_hal_buffer_memory_type(buffer),
                           IREE_HAL_MEMORY_TYPE_HOST_COHERENT);
}

static iree_status_t local_bindings_map(iree_hal_buffer_ref_t ref, uint32_t i,
                                        local_bindings_t* bindings) {
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
  if (local_is_coherent(ref.buffer) ||
      !iree_any_bit_set(access, IREE_HAL_MEMORY_ACCESS_READ)) {
    return iree_ok_status();
  }
  return iree_hal_buffer_mapping_invalidate_range(mapping, 0,
                                                  IREE_HAL_WHOLE_BUFFER);
}

static iree_status_t local_bindings_unmap(local_bindings_t* bindings,
                                          iree_status_t status) {
  for (uint32_t i = 0; i < bindings->mapping_count; ++i) {
    iree_hal_buffer_mapping_t* mapping = &bindings->mappings[i];
    if (!local_is_coherent(mapping->buffer) &&
        iree_any_bit_set(mapping->allowed_access,
                         IREE_HAL_MEMORY_ACCESS_WRITE)) {
      status = iree_status_join(status, iree_hal_buffer_mapping_flush_range(
                                            mapping, 0, IREE_HAL_WHOLE_BUFFER));
    }
    status = iree_status_join(status, iree_hal_buffer_unmap_range(mapping));
  }
  return status;
}

static void local_slot_look(const local_run_t* run, uint32_t slot) {
  local_slots_t* slots = run->slots;
  iree_hal_buffer_ref_t ref;
  slots->known |= 1u << slot;
  slots->slots[slot].data = NULL;
  iree_status_t status = iree_hal_buffer_binding_table_resolve_ref(
      run->binding_table,
      iree_hal_make_indirect_buffer_ref(slot, 0, IREE_HAL_WHOLE_BUFFER), &ref);
  if (iree_status_is_ok(status)) {
    uint8_t* data = (uint8_t*)iree_hal_heap_buffer_data(ref.buffer);
    if (data) slots->slots[slot].data = data + ref.offset;
    slots->slots[slot].length = ref.length;
    slots->slots[slot].is_writable = local_buffer_is_writable(ref.buffer);
  }
  // Whoever needs it says so.
  iree_status_ignore(status);
}

// Binding |i| when it is a range of plain host memory in a slot. False when it
// is not, or something is wrong.
static bool local_slot_resolve(const local_run_t* run,
                               const iree_hal_buffer_ref_t* ref, uint32_t i,
                               local_bindings_t* bindings) {
  local_slots_t* slots = run->slots;
  const uint32_t slot = ref->buffer_slot;
  if (IREE_UNLIKELY(slot >= LOCAL_SLOT_COUNT)) return false;
  if (!(slots->known & (1u << slot))) local_slot_look(run, slot);
  const iree_device_size_t length = slots->slots[slot].length;
  if (IREE_UNLIKELY(!slots->slots[slot].data || ref->offset > length)) {
    return false;
  }
  const iree_device_size_t left = length - ref->offset;
  if (IREE_UNLIKELY(ref->length > left &&
                    ref->length != IREE_HAL_WHOLE_BUFFER)) {
    return false;
  }
  bindings->addresses[i] = slots->slots[slot].data + ref->offset;
  bindings->lengths[i] = (size_t)iree_min(ref->length, left);
  bindings->writable |= (uint64_t)slots->slots[slot].is_writable << i;
  return true;
}

static iree_status_t local_bindings_resolve(const local_run_t* run,
                                            local_dispatch_command_t* command,
                                            local_bindings_t* bindings) {
  const iree_hal_buffer_ref_t* refs = local_dispatch_refs(command);
  memcpy(bindings->addresses, local_dispatch_addresses(command),
         command->binding_count * sizeof(bindings->addresses[0]));
  memcpy(bindings->lengths, local_dispatch_lengths(command),
         command->binding_count * sizeof(bindings->lengths[0]));
  bindings->writable = command->writable_bindings;
  for (uint64_t left = command->unresolved_bindings; left; left &= left - 1) {
    const uint32_t i = (uint32_t)__builtin_ctzll(left);
    iree_hal_buffer_ref_t ref = refs[i];
    // The host has made direct ones exact.
    if (!ref.buffer) {
      if (IREE_LIKELY(local_slot_resolve(run, &refs[i], i, bindings))) continue;
      IREE_RETURN_IF_ERROR(iree_hal_buffer_binding_table_resolve_ref(
          run->binding_table, refs[i], &ref));
    }
    if (local_buffer_is_writable(ref.buffer)) {
      bindings->writable |= UINT64_C(1) << i;
    }
    uint8_t* data = (uint8_t*)iree_hal_heap_buffer_data(ref.buffer);
    if (IREE_LIKELY(data)) {
      bindings->addresses[i] = data + ref.offset;
      bindings->lengths[i] = (size_t)ref.length;
    } else {
      IREE_RETURN_IF_ERROR(local_bindings_map(ref, i, bindings));
    }
  }
  return iree_ok_status();
}

static iree_status_t local_run_ensure_local_memory(const local_run_t* run,
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

// Works out how many workgroups there are.
static iree_status_t local_dispatch_count(
    const local_run_t* run, const local_dispatch_command_t* command,
    iree_hal_local_dispatch_t* dispatch, uint64_t* out_workgroup_count) {
  memcpy(dispatch->workgroup_count, command->workgroup_count,
         sizeof(dispatch->workgroup_count));
  if (command->is_indirect) {
    iree_hal_buffer_ref_t ref;
    IREE_RETURN_IF_ERROR(iree_hal_buffer_binding_table_resolve_ref(
        run->binding_table, command->workgroup_count_ref, &ref));
    IREE_RETURN_IF_ERROR(iree_hal_buffer_map_read(
        ref.buffer, ref.offset, dispatch->workgroup_count,
        sizeof(dispatch->workgroup_count)));
  }
  if (IREE_UNLIKELY(!local_workgroup_count(dispatch->workgroup_count,
                                           out_workgroup_count))) {
    return iree_make_status(
        IREE_STATUS_OUT_OF_RANGE, "a dispatch of %ux%ux%u workgroups",
        dispatch->workgroup_count[0], dispatch->workgroup_count[1],
        dispatch->workgroup_count[2]);
  }
  return iree_ok_status();
}

static iree_status_t local_dispatch_begin(const local_run_t* run,
                                          local_dispatch_command_t* command,
                                          void* storage, local_step_t* step) {
  iree_hal_local_dispatch_t* dispatch = &step->dispatch;
  local_bindings_t* bindings = &step->bindings;
  bindings->mapping_count = 0;
  IREE_RETURN_IF_ERROR(
      local_dispatch_count(run, command, dispatch, &step->unit_count));
  if (step->unit_count == 0) return iree_ok_status();
  dispatch->size = sizeof(*dispatch);
  dispatch->max_concurrency = run->max_concurrency;
  memcpy(dispatch->workgroup_size, command->workgroup_size,
         sizeof(dispatch->workgroup_size));
  dispatch->constant_count = command->constant_count;
  dispatch->constants = local_dispatch_constants(command);
  dispatch->binding_count = command->binding_count;
  if (IREE_LIKELY(!command->unresolved_bindings)) {
    dispatch->binding_ptrs = local_dispatch_addresses(command);
    dispatch->binding_lengths = local_dispatch_lengths(command);
    dispatch->writable_bindings = command->writable_bindings;
    return iree_ok_status();
  }
  bindings->mappings = (iree_hal_buffer_mapping_t*)storage;
  bindings->addresses = (void**)(bindings->mappings + command->binding_count);
  bindings->lengths = (size_t*)(bindings->addresses + command->binding_count);
  iree_status_t status = local_bindings_resolve(run, command, bindings);
  if (IREE_UNLIKELY(!iree_status_is_ok(status))) {
    return local_bindings_unmap(bindings, status);
  }
  dispatch->binding_ptrs = bindings->addresses;
  dispatch->binding_lengths = bindings->lengths;
  dispatch->writable_bindings = bindings->writable;
  return iree_ok_status();
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

iree_host_size_t local_step_storage_size(const local_command_t* command) {
  const local_dispatch_command_t* dispatch =
      (const local_dispatch_command_t*)command;
  if (command->kind != LOCAL_COMMAND_DISPATCH ||
      !dispatch->unresolved_bindings) {
    return 0;
  }
  return dispatch->binding_count * LOCAL_BINDING_STORAGE_SIZE;
}

static uint64_t local_block_count(iree_device_size_t length) {
  return length / LOCAL_BLOCK_SIZE + (length % LOCAL_BLOCK_SIZE != 0);
}

iree_status_t local_step_begin(const local_run_t* run, local_command_t* command,
                               void* storage, local_step_t* out_step) {
  out_step->command = command;
  switch ((local_command_kind_t)command->kind) {
    case LOCAL_COMMAND_DISPATCH:
      return local_dispatch_begin(run, (local_dispatch_command_t*)command,
                                  storage, out_step);
    case LOCAL_COMMAND_FILL:
      IREE_RETURN_IF_ERROR(iree_hal_buffer_binding_table_resolve_ref(
          run->binding_table,
          ((const local_fill_command_t*)command)->target_ref,
          &out_step->target));
      out_step->unit_count = local_block_count(out_step->target.length);
      break;
    case LOCAL_COMMAND_UPDATE:
      IREE_RETURN_IF_ERROR(iree_hal_buffer_binding_table_resolve_ref(
          run->binding_table,
          ((const local_update_command_t*)command)->target_ref,
          &out_step->target));
      out_step->unit_count = 1;
      break;
    case LOCAL_COMMAND_COPY:
      IREE_RETURN_IF_ERROR(iree_hal_buffer_binding_table_resolve_ref(
          run->binding_table,
          ((const local_copy_command_t*)command)->source_ref,
          &out_step->source));
      IREE_RETURN_IF_ERROR(iree_hal_buffer_binding_table_resolve_ref(
          run->binding_table,
          ((const local_copy_command_t*)command)->target_ref,
          &out_step->target));
      out_step->unit_count = local_block_count(out_step->target.length);
      break;
    case LOCAL_COMMAND_BARRIER:
      out_step->unit_count = 0;
      break;
  }
  out_step->bindings.mapping_count = 0;
  return iree_ok_status();
}

static iree_status_t local_run_blocks(const local_step_t* step, uint64_t first,
                                      uint64_t count) {
  const iree_device_size_t offset = first * LOCAL_BLOCK_SIZE;
  const iree_device_size_t length =
      iree_min(count * LOCAL_BLOCK_SIZE, step->target.length - offset);
  if (step->command->kind == LOCAL_COMMAND_FILL) {
    const local_fill_command_t* fill =
        (const local_fill_command_t*)step->command;
    return iree_hal_buffer_map_fill(step->target.buffer,
                                    step->target.offset + offset, length,
                                    fill->pattern, fill->pattern_length);
  }
  return iree_hal_buffer_map_copy(
      step->source.buffer, step->source.offset + offset, step->target.buffer,
      step->target.offset + offset, length);
}

iree_status_t local_step_run(const local_run_t* run, const local_step_t* step,
                             uint64_t first, uint64_t count) {
  if (step->command->kind == LOCAL_COMMAND_UPDATE) {
    const local_update_command_t* update =
        (const local_update_command_t*)step->command;
    return iree_hal_buffer_map_write(step->target.buffer, step->target.offset,
                                     update + 1, update->length);
  }
  if (step->command->kind != LOCAL_COMMAND_DISPATCH) {
    return local_run_blocks(step, first, count);
  }
  const local_dispatch_command_t* dispatch =
      (const local_dispatch_command_t*)step->command;
  IREE_RETURN_IF_ERROR(
      local_run_ensure_local_memory(run, dispatch->local_memory));
  return iree_hal_local_executable_dispatch(
      dispatch->executable, dispatch->function, &step->dispatch, first, count,
      run->worker->worker_id, run->worker->local_memory);
}

iree_status_t local_step_end(local_step_t* step, iree_status_t status) {
  if (IREE_LIKELY(!step->bindings.mapping_count)) return status;
  return local_bindings_unmap(&step->bindings, status);
}

//===----------------------------------------------------------------------===//
// Running on one thread
//===----------------------------------------------------------------------===//

static iree_status_t local_pace_look(local_pace_t* pace) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  const iree_time_t tick = (iree_time_t)now.tv_sec * 1000000000 + now.tv_nsec;
  if (tick == pace->tick) {
    if (pace->stride <= UINT64_MAX / 2) pace->stride *= 2;
    pace->left = pace->stride;
    return iree_ok_status();
  }
  pace->tick = tick;
  pace->left = pace->stride = 1;
  return pace->operation ? local_operation_poll(pace->operation)
                         : iree_cy_call_poll();
}

// What one command was like says little of the next.
#define LOCAL_PACE_COMMAND_STRIDE 8

iree_status_t local_run_command(const local_run_t* run,
                                local_command_t* command) {
  // Room for any dispatch.
  union {
    iree_hal_buffer_mapping_t alignment;
    uint8_t
        bytes[IREE_HAL_DISPATCH_MAX_BINDING_COUNT * LOCAL_BINDING_STORAGE_SIZE];
  } storage;
  local_pace_t* pace = run->pace;
  local_step_t step;
  IREE_RETURN_IF_ERROR(local_step_begin(run, command, &storage, &step));
  if (pace) {
    pace->left = iree_min(pace->left, (uint64_t)LOCAL_PACE_COMMAND_STRIDE);
    pace->stride = iree_min(pace->stride, (uint64_t)LOCAL_PACE_COMMAND_STRIDE);
  }
  iree_status_t status = iree_ok_status();
  for (uint64_t first = 0, count = 0;
       iree_status_is_ok(status) && first < step.unit_count; first += count) {
    count = step.unit_count - first;
    if (pace) {
      if (pace->left == 0) status = local_pace_look(pace);
      count = iree_min(count, pace->left);
      pace->left -= count;
    }
    if (IREE_LIKELY(iree_status_is_ok(status))) {
      status = local_step_run(run, &step, first, count);
    }
  }
  return local_step_end(&step, status);
}

iree_status_t local_run_all(const local_run_t* run,
                            iree_hal_command_buffer_t* base_command_buffer) {
  const local_command_buffer_t* command_buffer =
      (const local_command_buffer_t*)base_command_buffer;
  iree_status_t status = iree_ok_status();
  for (iree_host_size_t offset = 0;
       iree_status_is_ok(status) && offset < command_buffer->size;) {
    local_command_t* command = local_command_at(command_buffer, offset);
    offset += command->size;
    status = local_run_command(run, command);
  }
  return status;
}

iree_status_t local_query_i64(const iree_hal_device_t* device,
                              const local_formats_t* formats,
                              int64_t concurrency, iree_string_view_t category,
                              iree_string_view_t key, int64_t* out_value) {
  if (iree_string_view_equal(category, IREE_SV("hal.device.id"))) {
    // Compiled programs ask for "local", whatever local driver it is.
    *out_value =
        iree_string_view_match_pattern(IREE_SV("local"), key) ||
        iree_string_view_match_pattern(iree_hal_device_id(device), key);
    return iree_ok_status();
  }
  if (iree_string_view_equal(category, IREE_SV("hal.executable.format"))) {
    *out_value = local_formats_rank(formats, key);
    return iree_ok_status();
  }
  if (iree_string_view_equal(key, IREE_SV("concurrency")) &&
      (iree_string_view_equal(category, IREE_SV("hal.device")) ||
       iree_string_view_equal(category, IREE_SV("hal.dispatch")))) {
    *out_value = concurrency;
    return iree_ok_status();
  }
  if (iree_string_view_equal(category, IREE_SV("hal.cpu"))) {
    return iree_hal_processor_query_i64(category, key, out_value);
  }
  return iree_make_status(IREE_STATUS_NOT_FOUND, "%.*s has no '%.*s :: %.*s'",
                          IREE_SV_ARG(iree_hal_device_id(device)),
                          IREE_SV_ARG(category), IREE_SV_ARG(key));
}
