// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns how the regions of an execution are shared.

#include "execution.h"

#include <stddef.h>

#include "costs.h"
#include "region.h"

// One command of a region, and where its units are among those of the region.
typedef struct task_item_t {
  local_step_t step;
  uint64_t first_unit;
  // Units of the step that are one unit of the region.
  uint64_t scale;
} task_item_t;

struct task_execution_t {
  local_operation_t operation;
  task_job_t job;
  task_executor_t* executor;
  // Of the device's backlog.
  uint64_t backlog_bytes;
  // The first failure. Atomic.
  iree_status_t failure;
  // Whether all is done. Atomic.
  uint32_t is_done;

  // Units of the region that are not done, and threads that look at it. Atomic.
  // While it is 0 the one thread that made it so writes what follows.
  uint64_t remaining;
  iree_host_size_t next_offset;
  uint64_t unit_count;
  task_item_t* items;
  iree_host_size_t item_count;
  iree_host_size_t item_capacity;
  // For bindings that the recording does not know.
  uint8_t* storage;
  iree_host_size_t storage_capacity;
};

static task_execution_t* task_execution_of(task_job_t* job) {
  return (task_execution_t*)((uint8_t*)job - offsetof(task_execution_t, job));
}

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

iree_status_t task_execution_create(
    task_device_t* device, iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_command_buffer_t* command_buffer,
    iree_hal_buffer_binding_table_t binding_table,
    task_execution_t** out_execution) {
  local_operation_t* operation = NULL;
  iree_status_t status = local_operation_create(
      &device->base, sizeof(task_execution_t), signal_semaphore_list,
      command_buffer, binding_table, &operation);
  *out_execution = (task_execution_t*)operation;
  if (iree_status_is_ok(status)) {
    (*out_execution)->backlog_bytes = task_backlog_claim(&device->backlog);
  }
  return status;
}

static void task_execution_settle(task_execution_t* execution,
                                  iree_status_t status) {
  // Before the operation lets go of the device.
  task_device_t* device = (task_device_t*)execution->operation.device;
  task_backlog_give_back(&device->backlog, execution->backlog_bytes);
  local_operation_settle(&execution->operation, status);
}

void task_execution_finish(task_job_t* job) {
  task_execution_t* execution = task_execution_of(job);
  iree_status_t status = execution->failure;
  execution->failure = iree_ok_status();
  task_execution_settle(execution, status);
}

void task_execution_free(task_job_t* job) {
  task_execution_t* execution = task_execution_of(job);
  iree_allocator_t host_allocator = execution->operation.host_allocator;
  iree_allocator_free(host_allocator, execution->items);
  iree_allocator_free(host_allocator, execution->storage);
  local_operation_free(&execution->operation);
}

void task_execution_orphan(task_job_t* job) {
  const iree_hal_semaphore_list_t signals =
      task_execution_of(job)->operation.signals;
  for (iree_host_size_t i = 0; i < signals.count; ++i) {
    const iree_hal_semaphore_list_t one = {1, &signals.semaphores[i],
                                           &signals.payload_values[i]};
    iree_status_t status = iree_hal_semaphore_list_poll(one);
    // What the parent had signalled before the fork is done.
    if (iree_status_is_deferred(status)) {
      iree_hal_semaphore_fail(
          signals.semaphores[i],
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

// Takes |status|. The first failure stays.
static void task_execution_note(task_execution_t* execution,
                                iree_status_t status) {
  if (IREE_LIKELY(iree_status_is_ok(status))) return;
  iree_status_t expected = iree_ok_status();
  if (!__atomic_compare_exchange_n(&execution->failure, &expected, status,
                                   false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
    iree_status_ignore(status);
  }
}

// Whether nothing more of it is to run.
static bool task_execution_is_over(task_execution_t* execution) {
  if (!iree_status_is_ok(
          __atomic_load_n(&execution->failure, __ATOMIC_ACQUIRE))) {
    return true;
  }
  iree_status_t status = local_operation_poll(&execution->operation);
  if (IREE_LIKELY(iree_status_is_ok(status))) return false;
  task_execution_note(execution, status);
  return true;
}

// |slots| is NULL for what has begun.
static local_run_t task_execution_run_with(const task_execution_t* execution,
                                           local_worker_t* worker,
                                           local_slots_t* slots) {
  if (slots) slots->known = 0;
  const local_run_t run = {execution->operation.binding_table,
                           execution->operation.host_allocator,
                           worker,
                           task_executor_thread_count(execution->executor),
                           /*pace=*/NULL,
                           slots};
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

static iree_status_t task_execution_reserve(task_execution_t* execution,
                                            const task_region_t* region) {
  const local_command_buffer_t* command_buffer =
      (const local_command_buffer_t*)execution->operation.command_buffer;
  iree_allocator_t host_allocator = execution->operation.host_allocator;
  iree_host_size_t storage_size = 0;
  for (iree_host_size_t offset = execution->next_offset;
       offset < region->end;) {
    const local_command_t* command = local_command_at(command_buffer, offset);
    offset += command->size;
    storage_size += local_step_storage_size(command);
  }
  IREE_RETURN_IF_ERROR(
      task_reserve(host_allocator, region->command_count, sizeof(task_item_t),
                   &execution->item_capacity, (void**)&execution->items));
  return task_reserve(host_allocator, storage_size, 1,
                      &execution->storage_capacity,
                      (void**)&execution->storage);
}

// Works out the units of |region| without giving them out yet.
static iree_status_t task_execution_begin_region(task_execution_t* execution,
                                                 const task_region_t* region,
                                                 local_worker_t* worker) {
  const local_command_buffer_t* command_buffer =
      (const local_command_buffer_t*)execution->operation.command_buffer;
  execution->unit_count = 0;
  IREE_RETURN_IF_ERROR(task_execution_reserve(execution, region));
  local_slots_t slots;
  const local_run_t run = task_execution_run_with(execution, worker, &slots);
  uint8_t* storage = execution->storage;
  for (iree_host_size_t offset = execution->next_offset;
       offset < region->end;) {
    local_command_t* command = local_command_at(command_buffer, offset);
    offset += command->size;
    task_item_t* item = &execution->items[execution->item_count];
    if (command->kind == LOCAL_COMMAND_BARRIER) break;
    IREE_RETURN_IF_ERROR(local_step_begin(&run, command, storage, &item->step));
    storage += local_step_storage_size(command);
    const uint64_t count = item->step.unit_count;
    if (count == 0) continue;
    item->first_unit = execution->unit_count;
    // So that no sum of them wraps.
    item->scale = (count >> 31) + 1;
    if (command->kind == LOCAL_COMMAND_DISPATCH &&
        ((const local_dispatch_command_t*)command)->is_sequential) {
      item->scale = count;
    }
    execution->unit_count += (count - 1) / item->scale + 1;
    ++execution->item_count;
  }
  return iree_ok_status();
}

static void task_execution_end_region(task_execution_t* execution) {
  for (iree_host_size_t i = 0; i < execution->item_count; ++i) {
    task_execution_note(
        execution, local_step_end(&execution->items[i].step, iree_ok_status()));
  }
  execution->item_count = 0;
}

// From then on others may be through with it.
static void task_execution_give_out(task_execution_t* execution,
                                    uint64_t unit_count,
                                    uint32_t wanted_count) {
  execution->unit_count = unit_count;
  __atomic_store_n(&execution->job.wanted_count, wanted_count,
                   __ATOMIC_RELAXED);
  __atomic_store_n(&execution->remaining, unit_count, __ATOMIC_RELEASE);
  __atomic_store_n(&execution->job.unclaimed, unit_count, __ATOMIC_RELEASE);
}

// Called by the one thread that has done the last unit of a region: goes on to
// the next that is worth sharing, doing by itself what is not. True when that
// was all.
static bool task_execution_advance(task_execution_t* execution,
                                   local_worker_t* worker,
                                   const task_sleeper_t* sleeper) {
  const local_operation_t* operation = &execution->operation;
  const local_command_buffer_t* command_buffer =
      (const local_command_buffer_t*)operation->command_buffer;
  for (;;) {
    task_execution_end_region(execution);
    if (task_execution_is_over(execution) ||
        execution->next_offset >= command_buffer->size) {
      __atomic_store_n(&execution->is_done, 1, __ATOMIC_RELAXED);
      return true;
    }
    if (task_sleeper_must_leave(sleeper)) {
      // A unit without an item leads to the next region, whoever claims it.
      task_execution_give_out(execution, 1, 1);
      return false;
    }
    const task_region_t region = task_region_measure(
        operation->binding_table, command_buffer, execution->next_offset);
    iree_status_t status = iree_ok_status();
    if (task_region_is_wide(&region)) {
      status = task_execution_begin_region(execution, &region, worker);
    } else {
      local_slots_t slots;
      const local_run_t run =
          task_execution_run_with(execution, worker, &slots);
      status = task_region_run(&run, command_buffer, execution->next_offset,
                               region.end);
    }
    execution->next_offset = region.end;
    task_execution_note(execution, status);
    if (!iree_status_is_ok(status) || execution->item_count == 0) continue;
    const bool is_shared = execution->unit_count > 1;
    const uint64_t wanted_count =
        region.is_large ? UINT32_MAX : region.cost / (TASK_SHARE_NS / 2);
    task_execution_give_out(
        execution, execution->unit_count,
        (uint32_t)iree_min(wanted_count, (uint64_t)UINT32_MAX));
    if (is_shared) task_executor_notify(execution->executor);
    return false;
  }
}

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

// Pins the region, so that it stays while this thread looks at it. False when
// there is none.
static bool task_execution_enter(task_execution_t* execution) {
  uint64_t remaining = __atomic_load_n(&execution->remaining, __ATOMIC_RELAXED);
  do {
    if (remaining == 0) return false;
  } while (!__atomic_compare_exchange_n(&execution->remaining, &remaining,
                                        remaining + 1, /*weak=*/true,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED));
  return true;
}

static const task_item_t* task_execution_find(const task_execution_t* execution,
                                              uint64_t unit) {
  iree_host_size_t low = 0;
  iree_host_size_t high = execution->item_count;
  while (high - low > 1) {
    const iree_host_size_t middle = low + (high - low) / 2;
    if (execution->items[middle].first_unit <= unit) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return &execution->items[low];
}

// Units of a whole item.
static uint64_t task_item_size(const task_item_t* item) {
  return (item->step.unit_count - 1) / item->scale + 1;
}

// What a unit is thought to take in nanoseconds; 0 when it is not known.
static uint64_t task_item_cost(const task_item_t* item) {
  switch ((local_command_kind_t)item->step.command->kind) {
    case LOCAL_COMMAND_DISPATCH:
      return task_cost_estimate(
          ((const local_dispatch_command_t*)item->step.command)->cost_key,
          item->scale);
    case LOCAL_COMMAND_UPDATE:
      return 1000;
    default:
      return item->scale * (LOCAL_BLOCK_SIZE / TASK_BYTES_PER_NS);
  }
}

// How many of the |left| units from |unit| on, which is of |item|, make a tile.
// Of functions that are not known one does, so that it is known then.
static uint64_t task_execution_tile(const task_execution_t* execution,
                                    const task_item_t* item, uint64_t unit,
                                    uint64_t left) {
  const task_item_t* end = &execution->items[execution->item_count];
  uint64_t count = 0;
  uint64_t time_left = TASK_TILE_NS;
  for (; item < end; ++item) {
    const uint64_t cost = task_item_cost(item);
    if (cost == 0 || cost > time_left) break;
    const uint64_t item_left = item->first_unit + task_item_size(item) - unit;
    const uint64_t item_count = iree_min(item_left, time_left / cost);
    count += item_count;
    unit += item_count;
    time_left -= item_count * cost;
    if (item_count < item_left) break;
  }
  return iree_min(iree_max(count, (uint64_t)1), left);
}

// Claims what becomes |*out_first| and so many units behind it, which it
// returns; 0 when there is none.
static uint64_t task_execution_claim(task_execution_t* execution,
                                     uint64_t* out_first) {
  uint64_t* unclaimed = &execution->job.unclaimed;
  uint64_t left = __atomic_load_n(unclaimed, __ATOMIC_RELAXED);
  uint64_t count = 0;
  do {
    if (left == 0) return 0;
    *out_first = execution->unit_count - left;
    count = left;
    if (execution->item_count) {
      count = task_execution_tile(execution,
                                  task_execution_find(execution, *out_first),
                                  *out_first, left);
    }
  } while (!__atomic_compare_exchange_n(unclaimed, &left, left - count,
                                        /*weak=*/true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
  return count;
}

// Runs units [first, first + count) of |item| alone.
static iree_status_t task_item_run(const local_run_t* run,
                                   const task_item_t* item, uint64_t first,
                                   uint64_t count) {
  const local_step_t* step = &item->step;
  const uint64_t step_first = first * item->scale;
  const uint64_t step_count =
      iree_min(count * item->scale, step->unit_count - step_first);
  if (step->command->kind != LOCAL_COMMAND_DISPATCH) {
    return local_step_run(run, step, step_first, step_count);
  }
  const uint32_t key =
      ((const local_dispatch_command_t*)step->command)->cost_key;
  if (!task_cost_is_timed(run->worker, task_cost_estimate(key, step_count))) {
    return local_step_run(run, step, step_first, step_count);
  }
  const iree_time_t start = iree_time_now();
  iree_status_t status = local_step_run(run, step, step_first, step_count);
  if (iree_status_is_ok(status)) {
    task_cost_update(key, step_count, iree_time_now() - start);
  }
  return status;
}

static iree_status_t task_execution_run_tile(const task_execution_t* execution,
                                             local_worker_t* worker,
                                             uint64_t first, uint64_t count) {
  const local_run_t run = task_execution_run_with(execution, worker, NULL);
  const task_item_t* item = task_execution_find(execution, first);
  while (count) {
    const uint64_t offset = first - item->first_unit;
    const uint64_t item_count = iree_min(count, task_item_size(item) - offset);
    IREE_RETURN_IF_ERROR(task_item_run(&run, item, offset, item_count));
    first += item_count;
    count -= item_count;
    ++item;
  }
  return iree_ok_status();
}

// Claims and runs tiles of the region while there are any. How many units.
static uint64_t task_execution_run_tiles(task_execution_t* execution,
                                         local_worker_t* worker,
                                         const task_sleeper_t* sleeper) {
  uint64_t done = 0;
  while (!task_sleeper_must_leave(sleeper)) {
    if (IREE_UNLIKELY(task_execution_is_over(execution))) {
      // The others find nothing to claim.
      return done + __atomic_exchange_n(&execution->job.unclaimed, 0,
                                        __ATOMIC_RELAXED);
    }
    uint64_t first = 0;
    const uint64_t count = task_execution_claim(execution, &first);
    if (count == 0) break;
    if (execution->item_count) {
      task_execution_note(
          execution, task_execution_run_tile(execution, worker, first, count));
    }
    done += count;
  }
  return done;
}

// Looks for the next region for a moment while others end this one. False when
// there is none.
static bool task_execution_linger(const task_execution_t* execution,
                                  const task_sleeper_t* sleeper) {
  const iree_time_t until = iree_time_now() + TASK_LINGER_NS;
  do {
    for (int i = 0; i < 32; ++i) {
      if (__atomic_load_n(&execution->job.unclaimed, __ATOMIC_RELAXED)) {
        return true;
      }
      if (__atomic_load_n(&execution->is_done, __ATOMIC_RELAXED) ||
          (sleeper && task_sleeper_is_stopped(sleeper))) {
        return false;
      }
      task_pause();
    }
  } while (iree_time_now() < until);
  return false;
}

bool task_execution_work(task_job_t* job, local_worker_t* worker,
                         const task_sleeper_t* sleeper) {
  task_execution_t* execution = task_execution_of(job);
  do {
    while (task_execution_enter(execution)) {
      const uint64_t done =
          task_execution_run_tiles(execution, worker, sleeper) + 1;
      if (__atomic_fetch_sub(&execution->remaining, done, __ATOMIC_ACQ_REL) !=
          done) {
        break;
      }
      if (task_execution_advance(execution, worker, sleeper)) return true;
    }
  } while (!task_sleeper_must_leave(sleeper) &&
           task_execution_linger(execution, sleeper));
  return false;
}

void task_execution_start(task_execution_t* execution,
                          task_executor_t* executor, iree_host_size_t offset) {
  execution->executor = executor;
  execution->next_offset = offset;
  execution->unit_count = 1;
  task_execution_give_out(execution, 1, 1);
  task_executor_add(executor, &execution->job);
}

void task_execution_end(task_execution_t* execution, iree_status_t status) {
  task_execution_settle(execution, status);
  task_execution_free(&execution->job);
}

void task_execution_ready(void* user_data, iree_status_t status) {
  task_execution_t* execution = (task_execution_t*)user_data;
  local_operation_t* operation = &execution->operation;
  const local_command_buffer_t* command_buffer =
      (const local_command_buffer_t*)operation->command_buffer;
  task_device_t* device = (task_device_t*)operation->device;
  task_executor_t* executor = NULL;
  iree_host_size_t offset = 0;
  status = local_operation_begin(operation, status);
  if (iree_status_is_ok(status)) {
    status = task_device_executor(device, &executor);
  }
  if (iree_status_is_ok(status) && command_buffer) {
    status = task_run_small(task_executor_thread_count(executor),
                            task_executor_callers(executor), &device->base,
                            operation, command_buffer, operation->binding_table,
                            &offset);
    if (iree_status_is_ok(status) && offset < command_buffer->size) {
      task_execution_start(execution, executor, offset);
      return;
    }
  }
  task_execution_end(execution, status);
}
