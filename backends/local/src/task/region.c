// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns estimating and running regions.

#include "region.h"

#include "costs.h"

uint64_t task_costs[TASK_COST_COUNT];

//===----------------------------------------------------------------------===//
// Estimates
//===----------------------------------------------------------------------===//

static iree_device_size_t task_ref_length(
    iree_hal_buffer_binding_table_t binding_table, iree_hal_buffer_ref_t ref) {
  if (ref.length != IREE_HAL_WHOLE_BUFFER) return ref.length;
  iree_hal_buffer_ref_t direct;
  iree_status_t status =
      iree_hal_buffer_binding_table_resolve_ref(binding_table, ref, &direct);
  if (iree_status_is_ok(status)) return direct.length;
  // Whoever runs it says so.
  iree_status_ignore(status);
  return 0;
}

static bool task_dispatch_is_large(
    iree_hal_buffer_binding_table_t binding_table,
    local_dispatch_command_t* command, uint64_t workgroup_count) {
  if (workgroup_count > TASK_TRY_WORKGROUP_COUNT) return true;
  iree_device_size_t size = 0;
  for (uint32_t i = 0; i < command->binding_count; ++i) {
    if (__builtin_add_overflow(
            size,
            task_ref_length(binding_table, local_dispatch_refs(command)[i]),
            &size)) {
      return true;
    }
  }
  return size > TASK_TRY_BYTES;
}

// Of a dispatch whose count is not known it is as if there were many; what
// cannot be counted cannot be run.
static uint64_t task_workgroup_count(const local_dispatch_command_t* command) {
  uint64_t count = 0;
  if (command->is_indirect ||
      !local_workgroup_count(command->workgroup_count, &count)) {
    return UINT64_MAX;
  }
  return count;
}

static void task_region_add_dispatch(
    iree_hal_buffer_binding_table_t binding_table,
    local_dispatch_command_t* command, task_region_t* region) {
  const uint64_t count = task_workgroup_count(command);
  if (count > 1 && !command->is_sequential) region->is_divisible = true;
  const uint64_t cost =
      command->is_indirect ? 0 : task_cost_estimate(command->cost_key, count);
  region->cost += cost;
  if (IREE_LIKELY(cost)) return;
  region->is_unknown = true;
  region->is_large =
      region->is_large || task_dispatch_is_large(binding_table, command, count);
}

static void task_region_add_transfer(
    iree_hal_buffer_binding_table_t binding_table, iree_hal_buffer_ref_t target,
    task_region_t* region) {
  const iree_device_size_t length = task_ref_length(binding_table, target);
  region->cost += length / TASK_BYTES_PER_NS;
  if (length > LOCAL_BLOCK_SIZE) region->is_divisible = true;
}

task_region_t task_region_measure(iree_hal_buffer_binding_table_t binding_table,
                                  const local_command_buffer_t* command_buffer,
                                  iree_host_size_t offset) {
  task_region_t region = {0};
  while (offset < command_buffer->size) {
    local_command_t* command = local_command_at(command_buffer, offset);
    offset += command->size;
    if (command->kind == LOCAL_COMMAND_BARRIER) break;
    ++region.command_count;
    switch ((local_command_kind_t)command->kind) {
      case LOCAL_COMMAND_FILL:
        task_region_add_transfer(binding_table,
                                 ((local_fill_command_t*)command)->target_ref,
                                 &region);
        break;
      case LOCAL_COMMAND_COPY:
        task_region_add_transfer(binding_table,
                                 ((local_copy_command_t*)command)->target_ref,
                                 &region);
        break;
      case LOCAL_COMMAND_DISPATCH:
        task_region_add_dispatch(binding_table,
                                 (local_dispatch_command_t*)command, &region);
        break;
      default:
        break;
    }
  }
  if (region.command_count > 1) region.is_divisible = true;
  region.end = offset;
  return region;
}

//===----------------------------------------------------------------------===//
// Running on one thread
//===----------------------------------------------------------------------===//

// Runs a command and may take the time.
static iree_status_t task_run_command(const local_run_t* run,
                                      local_command_t* command) {
  if (command->kind != LOCAL_COMMAND_DISPATCH) {
    return local_run_command(run, command);
  }
  const local_dispatch_command_t* dispatch =
      (const local_dispatch_command_t*)command;
  const uint64_t count = task_workgroup_count(dispatch);
  if (IREE_LIKELY(!task_cost_is_timed(
          run->worker, task_cost_estimate(dispatch->cost_key, count))) ||
      count == 0 || count == UINT64_MAX) {
    return local_run_command(run, command);
  }
  const iree_time_t start = iree_time_now();
  iree_status_t status = local_run_command(run, command);
  if (iree_status_is_ok(status)) {
    task_cost_update(dispatch->cost_key, count, iree_time_now() - start);
  }
  return status;
}

iree_status_t task_region_run(const local_run_t* run,
                              const local_command_buffer_t* command_buffer,
                              iree_host_size_t offset, iree_host_size_t end) {
  iree_status_t status = iree_ok_status();
  while (iree_status_is_ok(status) && offset < end) {
    local_command_t* command = local_command_at(command_buffer, offset);
    offset += command->size;
    status = task_run_command(run, command);
  }
  return status;
}

iree_status_t task_run_small(uint32_t thread_count, local_workers_t* callers,
                             iree_hal_device_t* device,
                             const local_operation_t* operation,
                             const local_command_buffer_t* command_buffer,
                             iree_hal_buffer_binding_table_t binding_table,
                             iree_host_size_t* out_offset) {
  local_pace_t pace = local_pace_make(operation);
  local_slots_t slots;
  slots.known = 0;
  local_run_t run = {binding_table,   iree_hal_device_host_allocator(device),
                     /*worker=*/NULL, thread_count,
                     &pace,           &slots};
  iree_status_t status = iree_ok_status();
  uint64_t cost = 0;
  iree_host_size_t offset = 0;
  while (offset < command_buffer->size) {
    const task_region_t region =
        task_region_measure(binding_table, command_buffer, offset);
    if (region.is_large || cost + region.cost > TASK_SUBMITTER_NS ||
        (thread_count > 1 && task_region_is_wide(&region))) {
      break;
    }
    if (!run.worker) run.worker = local_workers_take(callers);
    status = task_region_run(&run, command_buffer, offset, region.end);
    cost +=
        IREE_LIKELY(!region.is_unknown)
            ? region.cost
            : task_region_measure(binding_table, command_buffer, offset).cost;
    // Nothing follows a failure.
    offset = iree_status_is_ok(status) ? region.end : command_buffer->size;
  }
  if (run.worker) local_workers_give(callers, run.worker);
  *out_offset = offset;
  return status;
}
