// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the device's entries, and its semaphores, whose waiters help.

#include "device.h"

#include "costs.h"
#include "execution.h"
#include "region.h"

static const iree_hal_device_vtable_t* task_device_vtable = NULL;
// The host's own entries.
static const iree_hal_device_vtable_t* task_device_defaults = NULL;

iree_status_t task_device_create(iree_string_view_t driver_name,
                                 const task_device_params_t* params,
                                 iree_allocator_t host_allocator,
                                 iree_hal_device_t** out_device) {
  task_device_t* device = NULL;
  *out_device = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc(host_allocator, sizeof(*device), (void**)&device));
  task_executor_options_t* options = &device->options;
  options->thread_count = params->thread_count;
  options->spin_ns = params->spin_us * 1000;
  options->has_cpus = params->has_cpus;
  options->cpus = params->cpus;
  memcpy(options->name, params->name.data,
         iree_min(params->name.size, sizeof(options->name) - 1));
  options->work = task_execution_work;
  options->finish = task_execution_finish;
  options->free = task_execution_free;
  options->orphan = task_execution_orphan;
  iree_hal_allocator_t* device_allocator = NULL;
  iree_status_t status =
      task_executor_create(options, host_allocator, &device->executor);
  if (iree_status_is_ok(status)) {
    status = local_formats_initialize(params->formats, host_allocator,
                                      &device->formats);
  }
  if (iree_status_is_ok(status)) {
    status = iree_hal_allocator_create_heap(driver_name, host_allocator,
                                            &device_allocator);
  }
  if (iree_status_is_ok(status)) {
    status = iree_hal_device_initialize(task_device_vtable, driver_name,
                                        device_allocator, host_allocator,
                                        &device->base);
  }
  iree_hal_allocator_release(device_allocator);
  if (!iree_status_is_ok(status)) {
    local_formats_deinitialize(&device->formats, host_allocator);
    task_executor_release(device->executor);
    iree_allocator_free(host_allocator, device);
    return status;
  }
  *out_device = &device->base;
  return iree_ok_status();
}

static void task_device_destroy(iree_hal_device_t* base_device) {
  task_device_t* device = (task_device_t*)base_device;
  iree_allocator_t host_allocator = iree_hal_device_host_allocator(base_device);
  task_executor_stop(device->executor);
  task_executor_release(device->executor);
  local_formats_deinitialize(&device->formats, host_allocator);
  iree_hal_device_deinitialize(base_device);
  iree_allocator_free(host_allocator, device);
}

static __attribute__((cold, noinline)) iree_status_t
task_device_renew(task_device_t* device, task_executor_t* stale,
                  task_executor_t** out_executor) {
  task_executor_t* fresh = NULL;
  IREE_RETURN_IF_ERROR(task_executor_create(
      &device->options, device->base.host_allocator, &fresh));
  if (__atomic_compare_exchange_n(&device->executor, &stale, fresh, false,
                                  __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    // The parent's work is none of this process.
    __atomic_store_n(&device->backlog.unclaimed, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&device->backlog.pending, 0, __ATOMIC_RELAXED);
    // The old one is left where it is: other threads may just look at it.
    task_executor_orphan(stale);
    *out_executor = fresh;
    return iree_ok_status();
  }
  task_executor_release(fresh);
  *out_executor = stale;
  return iree_ok_status();
}

iree_status_t task_device_executor(task_device_t* device,
                                   task_executor_t** out_executor) {
  *out_executor = __atomic_load_n(&device->executor, __ATOMIC_ACQUIRE);
  if (IREE_LIKELY(!task_executor_is_stale(*out_executor))) {
    return iree_ok_status();
  }
  return task_device_renew(device, *out_executor, out_executor);
}

//===----------------------------------------------------------------------===//
// Semaphores
//===----------------------------------------------------------------------===//

typedef struct task_semaphore_t {
  iree_hal_semaphore_t base;
  iree_allocator_t host_allocator;
  task_executor_t* executor;
} task_semaphore_t;

static const iree_hal_semaphore_vtable_t* task_semaphore_vtable = NULL;
// The host's own entries.
static const iree_hal_semaphore_vtable_t* task_semaphore_defaults = NULL;

static iree_status_t task_device_create_semaphore(
    iree_hal_device_t* base_device, iree_hal_queue_affinity_t queue_affinity,
    uint64_t initial_value, iree_hal_semaphore_flags_t flags,
    iree_hal_semaphore_t** out_semaphore) {
  (void)queue_affinity;
  task_device_t* device = (task_device_t*)base_device;
  task_executor_t* executor = NULL;
  IREE_RETURN_IF_ERROR(task_device_executor(device, &executor));
  task_semaphore_t* semaphore = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc_uninitialized(
      base_device->host_allocator, sizeof(*semaphore), (void**)&semaphore));
  iree_hal_semaphore_initialize(
      task_semaphore_vtable, base_device, initial_value,
      flags | IREE_CY_HAL_SEMAPHORE_FLAG_HOST_ADVANCED, &semaphore->base);
  semaphore->host_allocator = base_device->host_allocator;
  semaphore->executor = executor;
  task_executor_retain(executor);
  *out_semaphore = &semaphore->base;
  return iree_ok_status();
}

static void task_semaphore_destroy(iree_hal_semaphore_t* base_semaphore) {
  task_semaphore_t* semaphore = (task_semaphore_t*)base_semaphore;
  iree_hal_semaphore_deinitialize(base_semaphore);
  task_executor_release(semaphore->executor);
  iree_allocator_free(semaphore->host_allocator, semaphore);
}

// In a forked child nobody signals what the parent had in flight.
static iree_status_t task_semaphore_refresh(
    iree_hal_semaphore_t* base_semaphore) {
  task_semaphore_t* semaphore = (task_semaphore_t*)base_semaphore;
  if (IREE_UNLIKELY(task_executor_is_stale(semaphore->executor))) {
    task_executor_orphan(semaphore->executor);
  }
  return iree_ok_status();
}

typedef struct task_semaphore_waiter_t {
  task_sleeper_t sleeper;
  iree_hal_semaphore_timepoint_t timepoint;
} task_semaphore_waiter_t;

static void task_semaphore_reached(void* user_data,
                                   iree_hal_semaphore_timepoint_t* timepoint,
                                   iree_status_t status) {
  (void)timepoint;
  iree_status_ignore(status);
  task_sleeper_stop((task_sleeper_t*)user_data);
}

static iree_status_t task_semaphore_help(task_semaphore_t* semaphore,
                                         uint64_t value, iree_time_t deadline,
                                         iree_hal_wait_flags_t flags) {
  // Not on the stack: in a child that is forked meanwhile the semaphore still
  // knows it, and the stack may be another thread's.
  task_semaphore_waiter_t* waiter = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(semaphore->host_allocator,
                                             sizeof(*waiter), (void**)&waiter));
  task_sleeper_t* sleeper = &waiter->sleeper;
  iree_hal_semaphore_acquire_timepoint(&semaphore->base, value,
                                       task_semaphore_reached, sleeper,
                                       &waiter->timepoint);
  task_executor_help(semaphore->executor, sleeper, deadline);
  if (!task_sleeper_is_stopped(sleeper) &&
      !iree_hal_semaphore_cancel_timepoint(&semaphore->base,
                                           &waiter->timepoint)) {
    // It is being called just now.
    uint32_t word = 0;
    while (!((word = __atomic_load_n(&sleeper->word, __ATOMIC_SEQ_CST)) &
             TASK_SLEEPER_STOP)) {
      local_futex_wait(&sleeper->word, word, IREE_TIME_INFINITE_FUTURE);
    }
  }
  iree_allocator_free(semaphore->host_allocator, waiter);
  return task_semaphore_defaults->wait(&semaphore->base, value,
                                       iree_make_deadline(0), flags);
}

static iree_status_t task_semaphore_wait(iree_hal_semaphore_t* base_semaphore,
                                         uint64_t value, iree_timeout_t timeout,
                                         iree_hal_wait_flags_t flags) {
  task_semaphore_t* semaphore = (task_semaphore_t*)base_semaphore;
  const iree_hal_semaphore_list_t one = {1, &base_semaphore, &value};
  iree_status_t status = iree_hal_semaphore_list_poll(one);
  if (!iree_status_is_deferred(status)) return status;
  iree_status_ignore(status);
  const iree_time_t deadline = iree_timeout_as_deadline_ns(timeout);
  if (deadline <= 0 || task_executor_is_stale(semaphore->executor)) {
    return task_semaphore_defaults->wait(base_semaphore, value,
                                         iree_make_deadline(deadline), flags);
  }
  // Runs what this thread has put off, which may be what it is about to wait
  // for.
  status = task_semaphore_defaults->wait(base_semaphore, value,
                                         iree_make_deadline(0), flags);
  if (iree_status_code(status) != IREE_STATUS_DEADLINE_EXCEEDED) return status;
  iree_status_ignore(status);

  return task_semaphore_help(semaphore, value, deadline, flags);
}

//===----------------------------------------------------------------------===//
// Queue
//===----------------------------------------------------------------------===//

static iree_status_t task_device_park(
    task_device_t* device, iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_command_buffer_t* command_buffer,
    iree_hal_buffer_binding_table_t binding_table) {
  task_execution_t* execution = NULL;
  IREE_RETURN_IF_ERROR(task_execution_create(device, signal_semaphore_list,
                                             command_buffer, binding_table,
                                             &execution));
  return local_operation_park(task_execution_operation(execution),
                              wait_semaphore_list, task_execution_ready);
}

// Runs what is left of |command_buffer| from |offset| on.
static iree_status_t task_device_share(
    task_device_t* device, task_executor_t* executor,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_command_buffer_t* command_buffer,
    iree_hal_buffer_binding_table_t binding_table, iree_host_size_t offset) {
  task_execution_t* execution = NULL;
  IREE_RETURN_IF_ERROR(task_execution_create(device, signal_semaphore_list,
                                             command_buffer, binding_table,
                                             &execution));
  iree_status_t status = local_operation_begin(
      task_execution_operation(execution), iree_ok_status());
  if (iree_status_is_ok(status)) {
    task_execution_start(execution, executor, offset);
  } else {
    task_execution_end(execution, status);
  }
  return iree_ok_status();
}

static iree_status_t task_device_queue_execute(
    iree_hal_device_t* base_device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_command_buffer_t* base_command_buffer,
    iree_hal_buffer_binding_table_t binding_table,
    iree_hal_execute_flags_t flags) {
  (void)queue_affinity;
  (void)flags;
  task_device_t* device = (task_device_t*)base_device;
  const local_command_buffer_t* command_buffer =
      (const local_command_buffer_t*)base_command_buffer;
  if (base_command_buffer) {
    IREE_RETURN_IF_ERROR(
        local_command_buffer_check(base_device, base_command_buffer));
  }
  task_executor_t* executor = NULL;
  IREE_RETURN_IF_ERROR(task_device_executor(device, &executor));
  iree_status_t status = iree_hal_semaphore_list_poll(wait_semaphore_list);
  if (iree_status_is_deferred(status)) {
    iree_status_ignore(status);
    return task_device_park(device, wait_semaphore_list, signal_semaphore_list,
                            base_command_buffer, binding_table);
  }
  if (iree_status_is_ok(status) && command_buffer) {
    iree_host_size_t offset = 0;
    status = task_run_small(task_executor_thread_count(executor),
                            task_executor_callers(executor), base_device,
                            /*operation=*/NULL, command_buffer, binding_table,
                            &offset);
    if (iree_status_is_ok(status) && offset < command_buffer->size) {
      status = task_device_share(device, executor, signal_semaphore_list,
                                 base_command_buffer, binding_table, offset);
      if (iree_status_is_ok(status)) return status;
    }
  }
  task_backlog_forget(&device->backlog);
  local_complete(signal_semaphore_list, status);
  return iree_ok_status();
}

static iree_status_t task_device_queue_alloca(
    iree_hal_device_t* base_device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_buffer_params_t params, iree_device_size_t allocation_size,
    iree_hal_alloca_flags_t flags, iree_hal_buffer_t** out_buffer) {
  task_device_t* device = (task_device_t*)base_device;
  task_executor_t* executor = NULL;
  IREE_RETURN_IF_ERROR(task_device_executor(device, &executor));
  task_backlog_reduce(&device->backlog, executor, TASK_MAX_BACKLOG_BYTES);
  iree_status_t status = task_device_defaults->queue_alloca(
      base_device, queue_affinity, wait_semaphore_list, signal_semaphore_list,
      params, allocation_size, flags, out_buffer);
  if (iree_status_code(status) == IREE_STATUS_RESOURCE_EXHAUSTED) {
    // There may be enough when what was submitted before is done.
    iree_status_ignore(status);
    task_backlog_reduce(&device->backlog, executor, 0);
    status = task_device_defaults->queue_alloca(
        base_device, queue_affinity, wait_semaphore_list, signal_semaphore_list,
        params, allocation_size, flags, out_buffer);
  }
  if (iree_status_is_ok(status)) {
    task_backlog_add(&device->backlog, allocation_size);
  }
  return status;
}

// Whether the submitting thread fills or copies so much by itself.
static bool task_device_moves_at_once(iree_device_size_t length) {
  return length / TASK_BYTES_PER_NS <= TASK_SUBMITTER_NS;
}

// Takes |command_buffer|, which has been begun, and |status|, how recording
// went.
static iree_status_t task_device_execute_once(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_command_buffer_t* command_buffer, iree_status_t status) {
  if (iree_status_is_ok(status)) {
    status = iree_hal_command_buffer_end(command_buffer);
  }
  if (iree_status_is_ok(status)) {
    status = task_device_queue_execute(
        device, queue_affinity, wait_semaphore_list, signal_semaphore_list,
        command_buffer, iree_hal_buffer_binding_table_empty(), 0);
  }
  iree_hal_command_buffer_release(command_buffer);
  return status;
}

static iree_status_t task_device_begin_once(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_command_buffer_t** out_command_buffer) {
  IREE_RETURN_IF_ERROR(iree_hal_command_buffer_create(
      device, IREE_HAL_COMMAND_BUFFER_MODE_ONE_SHOT,
      IREE_HAL_COMMAND_CATEGORY_TRANSFER, queue_affinity, 0,
      out_command_buffer));
  return iree_hal_command_buffer_begin(*out_command_buffer);
}

static iree_status_t task_device_queue_fill(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_buffer_t* target_buffer, iree_device_size_t target_offset,
    iree_device_size_t length, const void* pattern,
    iree_host_size_t pattern_length, iree_hal_fill_flags_t flags) {
  if (task_device_moves_at_once(length)) {
    return task_device_defaults->queue_fill(
        device, queue_affinity, wait_semaphore_list, signal_semaphore_list,
        target_buffer, target_offset, length, pattern, pattern_length, flags);
  }
  iree_hal_command_buffer_t* command_buffer = NULL;
  iree_status_t status =
      task_device_begin_once(device, queue_affinity, &command_buffer);
  if (iree_status_is_ok(status)) {
    status = iree_hal_command_buffer_fill_buffer(
        command_buffer,
        iree_hal_make_buffer_ref(target_buffer, target_offset, length), pattern,
        pattern_length, flags);
  }
  return task_device_execute_once(device, queue_affinity, wait_semaphore_list,
                                  signal_semaphore_list, command_buffer,
                                  status);
}

static iree_status_t task_device_queue_copy(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_buffer_t* source_buffer, iree_device_size_t source_offset,
    iree_hal_buffer_t* target_buffer, iree_device_size_t target_offset,
    iree_device_size_t length, iree_hal_copy_flags_t flags) {
  if (task_device_moves_at_once(length)) {
    return task_device_defaults->queue_copy(
        device, queue_affinity, wait_semaphore_list, signal_semaphore_list,
        source_buffer, source_offset, target_buffer, target_offset, length,
        flags);
  }
  iree_hal_command_buffer_t* command_buffer = NULL;
  iree_status_t status =
      task_device_begin_once(device, queue_affinity, &command_buffer);
  if (iree_status_is_ok(status)) {
    status = iree_hal_command_buffer_copy_buffer(
        command_buffer,
        iree_hal_make_buffer_ref(source_buffer, source_offset, length),
        iree_hal_make_buffer_ref(target_buffer, target_offset, length), flags);
  }
  return task_device_execute_once(device, queue_affinity, wait_semaphore_list,
                                  signal_semaphore_list, command_buffer,
                                  status);
}

//===----------------------------------------------------------------------===//
// Other entries
//===----------------------------------------------------------------------===//

static iree_status_t task_device_create_command_buffer(
    iree_hal_device_t* base_device, iree_hal_command_buffer_mode_t mode,
    iree_hal_command_category_t command_categories,
    iree_hal_queue_affinity_t queue_affinity, iree_host_size_t binding_capacity,
    iree_hal_command_buffer_t** out_command_buffer) {
  return local_command_buffer_create(
      mode, command_categories, queue_affinity, binding_capacity,
      /*keeps_barriers=*/true, iree_hal_device_host_allocator(base_device),
      out_command_buffer);
}

static iree_status_t task_device_create_executable_cache(
    iree_hal_device_t* base_device, iree_string_view_t identifier,
    iree_hal_executable_cache_t** out_executable_cache) {
  (void)identifier;
  task_device_t* device = (task_device_t*)base_device;
  return local_formats_create_cache(
      &device->formats, iree_hal_device_id(base_device),
      TASK_WORKER_CAPACITY(device->options.thread_count), task_costs_forget,
      iree_hal_device_host_allocator(base_device), out_executable_cache);
}

static iree_status_t task_device_query_i64(iree_hal_device_t* base_device,
                                           iree_string_view_t category,
                                           iree_string_view_t key,
                                           int64_t* out_value) {
  task_device_t* device = (task_device_t*)base_device;
  return local_query_i64(base_device, &device->formats,
                         device->options.thread_count, category, key,
                         out_value);
}

static iree_status_t task_device_query_capabilities(
    iree_hal_device_t* base_device,
    iree_hal_device_capabilities_t* out_capabilities) {
  (void)base_device;
  out_capabilities->flags = IREE_HAL_DEVICE_CAPABILITY_TIMELINE_SEMAPHORES |
                            IREE_HAL_DEVICE_CAPABILITY_UNIFIED_MEMORY |
                            IREE_HAL_DEVICE_CAPABILITY_HOST_COHERENT |
                            IREE_HAL_DEVICE_CAPABILITY_HOST_ZERO_COPY_OK |
                            IREE_CY_HAL_DEVICE_CAPABILITY_ASYNC_QUEUE;
  return iree_ok_status();
}

iree_status_t task_device_register(iree_string_view_t owner) {
  static const iree_hal_device_vtable_t vtable = {
      .header = {.size = sizeof(vtable)},
      .destroy = task_device_destroy,
      .query_i64 = task_device_query_i64,
      .query_capabilities = task_device_query_capabilities,
      .create_command_buffer = task_device_create_command_buffer,
      .create_executable_cache = task_device_create_executable_cache,
      .create_semaphore = task_device_create_semaphore,
      .queue_alloca = task_device_queue_alloca,
      .queue_fill = task_device_queue_fill,
      .queue_copy = task_device_queue_copy,
      .queue_execute = task_device_queue_execute,
  };
  static const iree_hal_semaphore_vtable_t semaphore_vtable = {
      .header = {.size = sizeof(semaphore_vtable)},
      .destroy = task_semaphore_destroy,
      .refresh = task_semaphore_refresh,
      .wait = task_semaphore_wait,
  };
  static const iree_hal_semaphore_vtable_t semaphore_defaults = {
      .header = {.size = sizeof(semaphore_defaults)},
      .destroy = task_semaphore_destroy,
  };
  static const iree_hal_device_vtable_t defaults = {
      .header = {.size = sizeof(defaults)},
      .destroy = task_device_destroy,
  };
  IREE_RETURN_IF_ERROR(task_executor_initialize());
  IREE_RETURN_IF_ERROR(
      iree_cy_register_vtable(IREE_CY_OBJECT_KIND_SEMAPHORE, &semaphore_vtable,
                              owner, (const void**)&task_semaphore_vtable));
  IREE_RETURN_IF_ERROR(iree_cy_register_vtable(
      IREE_CY_OBJECT_KIND_SEMAPHORE, &semaphore_defaults, owner,
      (const void**)&task_semaphore_defaults));
  IREE_RETURN_IF_ERROR(
      iree_cy_register_vtable(IREE_CY_OBJECT_KIND_DEVICE, &defaults, owner,
                              (const void**)&task_device_defaults));
  return iree_cy_register_vtable(IREE_CY_OBJECT_KIND_DEVICE, &vtable, owner,
                                 (const void**)&task_device_vtable);
}
