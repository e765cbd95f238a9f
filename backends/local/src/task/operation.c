// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns how the commands of an operation are estimated, run and shared.

#include "operation.h"

// One command of a region, the commands up to a barrier, and its tiles: what is
// claimed as one piece.
typedef struct task_item_t {
  local_command_t* command;
  int64_t first_tile;
  // Of dispatches.
  uint64_t workgroup_count;
  uint64_t tile_size;
  iree_hal_local_dispatch_t dispatch;
  local_bindings_t bindings;
} task_item_t;

struct task_operation_t {
  task_job_t job;
  iree_allocator_t host_allocator;
  task_device_t* device;
  task_executor_t* executor;
  iree_hal_semaphore_list_t signals;
  iree_hal_command_buffer_t* command_buffer;
  iree_hal_buffer_binding_table_t binding_table;
  // The first failure. Atomic.
  iree_status_t failure;

  // The region whose tiles are claimed and run just now. Written by one thread
  // while there is none to claim.
  iree_host_size_t next_offset;
  task_item_t* items;
  iree_host_size_t item_count;
  iree_host_size_t item_capacity;
  // What bindings are resolved into that the recording does not know.
  uint8_t* storage;
  iree_host_size_t storage_capacity;
  int64_t tile_count;
  // Tiles not done yet. Atomic.
  int64_t remaining;

  // The bindings of the table.
  iree_hal_buffer_binding_t bindings[];
};

//===----------------------------------------------------------------------===//
// Estimates
//===----------------------------------------------------------------------===//

typedef struct task_region_t {
  // Behind its last command and the barrier.
  iree_host_size_t end;
  uint32_t command_count;
  // Nanoseconds, as far as it is known.
  uint64_t cost;
  bool is_divisible;
  // Whether a function that has never run is larger than what is simply tried.
  bool is_large;
} task_region_t;

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

// At most UINT64_MAX; what cannot be counted cannot be run.
static uint64_t task_workgroup_count(const local_dispatch_command_t* command) {
  uint64_t count = 0;
  if (__builtin_mul_overflow(
          (uint64_t)command->workgroup_count[0] * command->workgroup_count[1],
          (uint64_t)command->workgroup_count[2], &count)) {
    return UINT64_MAX;
  }
  return count;
}

static void task_region_add_dispatch(
    task_costs_t* costs, iree_hal_buffer_binding_table_t binding_table,
    local_dispatch_command_t* command, task_region_t* region) {
  const uint64_t count =
      command->is_indirect ? UINT32_MAX : task_workgroup_count(command);
  if (count > 1 && !command->is_sequential) region->is_divisible = true;
  const uint64_t cost =
      command->is_indirect
          ? 0
          : task_cost_estimate(costs, command->cost_key, count);
  region->cost += cost;
  if (IREE_LIKELY(cost)) return;
  region->is_large =
      region->is_large || task_dispatch_is_large(binding_table, command, count);
}

// Looks at the region that begins at |offset|. 8 bytes are moved in a
// nanosecond.
static task_region_t task_region_measure(
    task_costs_t* costs, iree_hal_buffer_binding_table_t binding_table,
    const local_command_buffer_t* command_buffer, iree_host_size_t offset) {
  task_region_t region = {0};
  while (offset < command_buffer->size) {
    local_command_t* command = local_command_at(command_buffer, offset);
    offset += command->size;
    if (command->kind == LOCAL_COMMAND_BARRIER) break;
    ++region.command_count;
    switch ((local_command_kind_t)command->kind) {
      case LOCAL_COMMAND_FILL:
        region.cost +=
            task_ref_length(binding_table,
                            ((local_fill_command_t*)command)->target_ref) /
            8;
        break;
      case LOCAL_COMMAND_COPY:
        region.cost +=
            task_ref_length(binding_table,
                            ((local_copy_command_t*)command)->target_ref) /
            8;
        break;
      case LOCAL_COMMAND_DISPATCH:
        task_region_add_dispatch(costs, binding_table,
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

// Runs a command, and now and then, or when its function is not known, takes
// the time.
static iree_status_t task_run_command(task_costs_t* costs,
                                      const local_run_t* run,
                                      local_command_t* command) {
  if (command->kind != LOCAL_COMMAND_DISPATCH) {
    return local_run_command(run, command);
  }
  const local_dispatch_command_t* dispatch =
      (const local_dispatch_command_t*)command;
  const uint64_t count =
      dispatch->is_indirect ? 0 : task_workgroup_count(dispatch);
  if (IREE_LIKELY(++run->worker->tick % 32 != 0 &&
                  task_cost_estimate(costs, dispatch->cost_key, 1) != 0) ||
      count == 0) {
    return local_run_command(run, command);
  }
  const iree_time_t start = iree_time_now();
  iree_status_t status = local_run_command(run, command);
  task_cost_update(costs, dispatch->cost_key, count, iree_time_now() - start);
  return status;
}

static iree_status_t task_run_region(
    task_costs_t* costs, const local_run_t* run,
    const local_command_buffer_t* command_buffer, iree_host_size_t offset,
    iree_host_size_t end) {
  iree_status_t status = iree_ok_status();
  while (iree_status_is_ok(status) && offset < end) {
    local_command_t* command = local_command_at(command_buffer, offset);
    offset += command->size;
    status = task_run_command(costs, run, command);
  }
  return status;
}

iree_status_t task_run_small(task_device_t* device, task_executor_t* executor,
                             const local_command_buffer_t* command_buffer,
                             iree_hal_buffer_binding_table_t binding_table,
                             iree_host_size_t* out_offset) {
  const uint32_t thread_count = task_executor_thread_count(executor);
  local_workers_t* callers = task_executor_callers(executor);
  local_worker_t* worker = NULL;
  local_run_t run = {binding_table, device->base.host_allocator, NULL,
                     thread_count};
  iree_status_t status = iree_ok_status();
  uint64_t cost = 0;
  iree_host_size_t offset = 0;
  while (offset < command_buffer->size) {
    const task_region_t region = task_region_measure(
        &device->costs, binding_table, command_buffer, offset);
    cost += region.cost;
    if (region.is_large || cost > TASK_SUBMITTER_NS ||
        (region.cost > TASK_SHARE_NS && region.is_divisible &&
         thread_count > 1)) {
      break;
    }
    if (!worker) run.worker = worker = local_workers_take(callers);
    status = task_run_region(&device->costs, &run, command_buffer, offset,
                             region.end);
    // Nothing follows a failure.
    offset = iree_status_is_ok(status) ? region.end : command_buffer->size;
  }
  if (worker) local_workers_give(callers, worker);
  *out_offset = offset;
  return status;
}

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

iree_status_t task_operation_create(
    task_device_t* device, iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_command_buffer_t* command_buffer,
    iree_hal_buffer_binding_table_t binding_table,
    task_operation_t** out_operation) {
  iree_allocator_t host_allocator = device->base.host_allocator;
  *out_operation = NULL;
  iree_host_size_t size = 0;
  if (!iree_host_size_checked_mul(binding_table.count,
                                  sizeof(iree_hal_buffer_binding_t), &size) ||
      !iree_host_size_checked_add(size, sizeof(task_operation_t), &size)) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "a binding table of %" PRIhsz " bindings",
                            binding_table.count);
  }
  task_operation_t* operation = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc(host_allocator, size, (void**)&operation));
  iree_status_t status = iree_hal_semaphore_list_clone(
      signal_semaphore_list, host_allocator, &operation->signals);
  if (!iree_status_is_ok(status)) {
    iree_allocator_free(host_allocator, operation);
    return status;
  }
  operation->host_allocator = host_allocator;
  operation->device = device;
  iree_hal_device_retain(&device->base);
  operation->command_buffer = command_buffer;
  iree_hal_command_buffer_retain(command_buffer);
  operation->binding_table.count = binding_table.count;
  operation->binding_table.bindings = operation->bindings;
  for (iree_host_size_t i = 0; i < binding_table.count; ++i) {
    operation->bindings[i] = binding_table.bindings[i];
    iree_hal_buffer_retain(operation->bindings[i].buffer);
  }
  *out_operation = operation;
  return iree_ok_status();
}

// Gives back all but the signals.
static void task_operation_release_resources(task_operation_t* operation) {
  iree_hal_command_buffer_release(operation->command_buffer);
  operation->command_buffer = NULL;
  for (iree_host_size_t i = 0; i < operation->binding_table.count; ++i) {
    iree_hal_buffer_release(operation->bindings[i].buffer);
  }
  operation->binding_table.count = 0;
  iree_allocator_free(operation->host_allocator, operation->items);
  iree_allocator_free(operation->host_allocator, operation->storage);
  operation->items = NULL;
  operation->storage = NULL;
}

// Takes |status|. Gives back first, for who sees a signal may use the memory
// for something else; the device too, so that who waited ends it.
static void task_operation_settle(task_operation_t* operation,
                                  iree_status_t status) {
  task_operation_release_resources(operation);
  iree_hal_device_release(&operation->device->base);
  operation->device = NULL;
  local_complete(operation->signals, status);
}

void task_operation_free(task_job_t* job) {
  task_operation_t* operation = (task_operation_t*)job;
  iree_hal_semaphore_list_free(operation->signals, operation->host_allocator);
  iree_allocator_free(operation->host_allocator, operation);
}

void task_operation_end(task_operation_t* operation, iree_status_t status) {
  task_operation_settle(operation, status);
  task_operation_free(&operation->job);
}

void task_operation_discard(task_operation_t* operation) {
  task_operation_release_resources(operation);
  iree_hal_device_release(&operation->device->base);
  task_operation_free(&operation->job);
}

void task_operation_orphan(task_job_t* job) {
  task_operation_t* operation = (task_operation_t*)job;
  for (iree_host_size_t i = 0; i < operation->signals.count; ++i) {
    iree_hal_semaphore_t* semaphore = operation->signals.semaphores[i];
    const iree_hal_semaphore_list_t one = {
        1, &semaphore, &operation->signals.payload_values[i]};
    iree_status_t status = iree_hal_semaphore_list_poll(one);
    // What the parent had signalled before the fork is done.
    if (iree_status_is_deferred(status)) {
      iree_hal_semaphore_fail(
          semaphore,
          iree_make_status(IREE_STATUS_ABORTED,
                           "the work was in flight when the process forked; it "
                           "goes on in the parent only"));
    }
    iree_status_ignore(status);
  }
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

static bool task_operation_has_failed(const task_operation_t* operation) {
  return !iree_status_is_ok(
      __atomic_load_n(&operation->failure, __ATOMIC_ACQUIRE));
}

// Takes |status|. The first failure stays.
static void task_operation_note(task_operation_t* operation,
                                iree_status_t status) {
  if (IREE_LIKELY(iree_status_is_ok(status))) return;
  iree_status_t expected = iree_ok_status();
  if (!__atomic_compare_exchange_n(&operation->failure, &expected, status,
                                   false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
    iree_status_ignore(status);
  }
}

static local_run_t task_operation_run_with(const task_operation_t* operation,
                                           local_worker_t* worker) {
  const local_run_t run = {operation->binding_table, operation->host_allocator,
                           worker,
                           task_executor_thread_count(operation->executor)};
  return run;
}

static iree_status_t task_reserve(iree_allocator_t host_allocator,
                                  iree_host_size_t count,
                                  iree_host_size_t element_size,
                                  iree_host_size_t* capacity, void** memory) {
  if (count <= *capacity) return iree_ok_status();
  const iree_host_size_t wanted = iree_max(count, *capacity * 2);
  iree_host_size_t size = 0;
  if (!iree_host_size_checked_mul(wanted, element_size, &size)) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "%" PRIhsz " commands between barriers", count);
  }
  IREE_RETURN_IF_ERROR(iree_allocator_realloc(host_allocator, size, memory));
  *capacity = wanted;
  return iree_ok_status();
}

static iree_host_size_t task_binding_size(
    const local_dispatch_command_t* command) {
  if (!command->unresolved_bindings) return 0;
  return command->binding_count *
         (sizeof(void*) + sizeof(size_t) + sizeof(iree_hal_buffer_mapping_t));
}

static local_bindings_t task_bindings_at(
    uint8_t* storage, const local_dispatch_command_t* command) {
  local_bindings_t bindings = {0};
  bindings.mappings = (iree_hal_buffer_mapping_t*)storage;
  bindings.addresses = (void**)(bindings.mappings + command->binding_count);
  bindings.lengths = (size_t*)(bindings.addresses + command->binding_count);
  return bindings;
}

// How many workgroups make a tile.
static uint64_t task_tile_size(const task_operation_t* operation,
                               const local_dispatch_command_t* command,
                               uint64_t workgroup_count) {
  if (command->is_sequential) return workgroup_count;
  const uint64_t cost =
      task_cost_estimate(&operation->device->costs, command->cost_key, 1);
  const uint32_t thread_count = task_executor_thread_count(operation->executor);
  uint64_t size = cost ? TASK_TILE_NS / cost
                       : workgroup_count / ((uint64_t)thread_count * 32);
  // Nobody counts beyond what tiles are counted in.
  size = iree_max(size, workgroup_count >> 24);
  return iree_min(iree_max(size, (uint64_t)1), workgroup_count);
}

static iree_status_t task_operation_add_item(task_operation_t* operation,
                                             const local_run_t* run,
                                             local_command_t* command,
                                             uint8_t* storage,
                                             int64_t* tile_count) {
  task_item_t* item = &operation->items[operation->item_count];
  item->command = command;
  item->first_tile = *tile_count;
  item->bindings.mapping_count = 0;
  int64_t item_tile_count = 1;
  if (command->kind == LOCAL_COMMAND_DISPATCH) {
    local_dispatch_command_t* dispatch = (local_dispatch_command_t*)command;
    item->bindings = task_bindings_at(storage, dispatch);
    IREE_RETURN_IF_ERROR(local_dispatch_begin(run, dispatch, &item->bindings,
                                              &item->dispatch,
                                              &item->workgroup_count));
    if (item->workgroup_count == 0) return iree_ok_status();
    item->tile_size =
        task_tile_size(operation, dispatch, item->workgroup_count);
    item_tile_count =
        (int64_t)((item->workgroup_count - 1) / item->tile_size) + 1;
  }
  ++operation->item_count;
  *tile_count += item_tile_count;
  return iree_ok_status();
}

// Works out the tiles of |region| without giving them out yet.
static iree_status_t task_operation_begin_region(task_operation_t* operation,
                                                 const task_region_t* region,
                                                 local_worker_t* worker) {
  const local_command_buffer_t* command_buffer =
      (const local_command_buffer_t*)operation->command_buffer;
  iree_host_size_t storage_size = 0;
  for (iree_host_size_t offset = operation->next_offset;
       offset < region->end;) {
    local_command_t* command = local_command_at(command_buffer, offset);
    offset += command->size;
    if (command->kind == LOCAL_COMMAND_DISPATCH) {
      storage_size += task_binding_size((local_dispatch_command_t*)command);
    }
  }
  IREE_RETURN_IF_ERROR(task_reserve(
      operation->host_allocator, region->command_count, sizeof(task_item_t),
      &operation->item_capacity, (void**)&operation->items));
  IREE_RETURN_IF_ERROR(task_reserve(operation->host_allocator, storage_size, 1,
                                    &operation->storage_capacity,
                                    (void**)&operation->storage));
  const local_run_t run = task_operation_run_with(operation, worker);
  uint8_t* storage = operation->storage;
  operation->tile_count = 0;
  for (iree_host_size_t offset = operation->next_offset;
       offset < region->end;) {
    local_command_t* command = local_command_at(command_buffer, offset);
    offset += command->size;
    if (command->kind == LOCAL_COMMAND_BARRIER) break;
    IREE_RETURN_IF_ERROR(task_operation_add_item(
        operation, &run, command, storage, &operation->tile_count));
    if (command->kind == LOCAL_COMMAND_DISPATCH) {
      storage += task_binding_size((local_dispatch_command_t*)command);
    }
  }
  return iree_ok_status();
}

static void task_operation_end_region(task_operation_t* operation) {
  for (iree_host_size_t i = 0; i < operation->item_count; ++i) {
    task_item_t* item = &operation->items[i];
    if (!item->bindings.mapping_count) continue;
    task_operation_note(
        operation, local_bindings_unmap(&item->bindings, iree_ok_status()));
  }
  operation->item_count = 0;
}

void task_operation_finish(task_job_t* job) {
  task_operation_t* operation = (task_operation_t*)job;
  iree_status_t status = operation->failure;
  operation->failure = iree_ok_status();
  task_operation_settle(operation, status);
}

// Gives out the tiles of a region. From then on others may be through with it.
static void task_operation_give_out(task_operation_t* operation,
                                    int64_t tile_count) {
  __atomic_store_n(&operation->remaining, tile_count, __ATOMIC_RELAXED);
  __atomic_store_n(&operation->job.unclaimed, tile_count, __ATOMIC_RELEASE);
}

// Called by the one thread that has done the last tile of a region: goes on to
// the next that is worth sharing, doing by itself what is not. True when that
// was all.
static bool task_operation_advance(task_operation_t* operation,
                                   local_worker_t* worker,
                                   const task_sleeper_t* sleeper) {
  const local_command_buffer_t* command_buffer =
      (const local_command_buffer_t*)operation->command_buffer;
  task_costs_t* costs = &operation->device->costs;
  for (;;) {
    task_operation_end_region(operation);
    if (task_operation_has_failed(operation) ||
        operation->next_offset >= command_buffer->size) {
      return true;
    }
    if (task_sleeper_must_leave(sleeper)) {
      // A piece without items leads to the next region, whoever claims it.
      task_operation_give_out(operation, 1);
      return false;
    }
    const task_region_t region =
        task_region_measure(costs, operation->binding_table, command_buffer,
                            operation->next_offset);
    if (!region.is_divisible ||
        (region.cost <= TASK_SHARE_NS && !region.is_large)) {
      const local_run_t run = task_operation_run_with(operation, worker);
      task_operation_note(operation,
                          task_run_region(costs, &run, command_buffer,
                                          operation->next_offset, region.end));
      operation->next_offset = region.end;
      continue;
    }
    iree_status_t status =
        task_operation_begin_region(operation, &region, worker);
    operation->next_offset = region.end;
    task_operation_note(operation, status);
    if (!iree_status_is_ok(status) || operation->tile_count == 0) continue;
    const bool is_shared = operation->tile_count > 1;
    task_operation_give_out(operation, operation->tile_count);
    if (is_shared) task_executor_notify(operation->executor);
    return false;
  }
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

static task_item_t* task_operation_find_item(const task_operation_t* operation,
                                             int64_t tile) {
  iree_host_size_t low = 0;
  iree_host_size_t high = operation->item_count;
  while (high - low > 1) {
    const iree_host_size_t middle = low + (high - low) / 2;
    if (operation->items[middle].first_tile <= tile) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return &operation->items[low];
}

static iree_status_t task_operation_run_tile(task_operation_t* operation,
                                             int64_t tile,
                                             local_worker_t* worker) {
  const task_item_t* item = task_operation_find_item(operation, tile);
  const local_run_t run = task_operation_run_with(operation, worker);
  if (item->command->kind != LOCAL_COMMAND_DISPATCH) {
    return local_run_command(&run, item->command);
  }
  const local_dispatch_command_t* command =
      (const local_dispatch_command_t*)item->command;
  IREE_RETURN_IF_ERROR(
      local_run_ensure_local_memory(&run, command->local_memory));
  const uint64_t first = (uint64_t)(tile - item->first_tile) * item->tile_size;
  const uint64_t count =
      iree_min(item->tile_size, item->workgroup_count - first);
  const iree_time_t start = iree_time_now();
  iree_status_t status = iree_hal_local_executable_dispatch(
      command->executable, command->function, &item->dispatch, first, count,
      worker->worker_id, worker->local_memory);
  task_cost_update(&operation->device->costs, command->cost_key, count,
                   iree_time_now() - start);
  return status;
}

bool task_operation_work(task_job_t* job, local_worker_t* worker,
                         const task_sleeper_t* sleeper) {
  task_operation_t* operation = (task_operation_t*)job;
  while (!task_sleeper_must_leave(sleeper)) {
    if (__atomic_load_n(&job->unclaimed, __ATOMIC_RELAXED) <= 0) return false;
    // What comes after the last is below 0 until the next region sets it.
    const int64_t left =
        __atomic_fetch_sub(&job->unclaimed, 1, __ATOMIC_ACQUIRE);
    if (left <= 0) return false;
    int64_t done = 1;
    if (IREE_UNLIKELY(task_operation_has_failed(operation))) {
      // Nothing more is run: the others find nothing to claim.
      const int64_t rest =
          __atomic_exchange_n(&job->unclaimed, 0, __ATOMIC_ACQUIRE);
      done += iree_max(rest, (int64_t)0);
    } else if (operation->item_count) {
      task_operation_note(operation,
                          task_operation_run_tile(
                              operation, operation->tile_count - left, worker));
    }
    if (__atomic_fetch_sub(&operation->remaining, done, __ATOMIC_ACQ_REL) ==
            done &&
        task_operation_advance(operation, worker, sleeper)) {
      return true;
    }
  }
  return false;
}

void task_operation_start(task_operation_t* operation,
                          task_executor_t* executor, iree_host_size_t offset) {
  operation->executor = executor;
  operation->next_offset = offset;
  operation->remaining = 1;
  operation->job.ref_count = 1;
  operation->job.unclaimed = 1;
  task_executor_add(executor, &operation->job);
}

void task_operation_run(task_operation_t* operation) {
  task_executor_t* executor = NULL;
  iree_host_size_t offset = 0;
  const local_command_buffer_t* command_buffer =
      (const local_command_buffer_t*)operation->command_buffer;
  iree_status_t status = task_device_executor(operation->device, &executor);
  if (iree_status_is_ok(status) && command_buffer) {
    status = task_run_small(operation->device, executor, command_buffer,
                            operation->binding_table, &offset);
    if (iree_status_is_ok(status) && offset < command_buffer->size) {
      task_operation_start(operation, executor, offset);
      return;
    }
  }
  task_operation_end(operation, status);
}
