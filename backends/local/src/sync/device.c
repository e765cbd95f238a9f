// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what local-sync adds to the host's default device: running command
// buffers on the CPU.

#include "device.h"

#include <pthread.h>

#include "../formats.h"
#include "command_buffer.h"

// Threads that may run commands on one device at once; a further one waits.
#define SYNC_MAX_WORKER_COUNT 32

typedef struct sync_device_t {
  iree_hal_device_t base;
  local_formats_t formats;
  // Bit i: workers[i] is free. Atomic.
  uint32_t free_workers;
  // Threads that found none free wait here.
  pthread_mutex_t mutex;
  pthread_cond_t worker_freed;
  uint32_t waiting_count;
  sync_worker_t workers[SYNC_MAX_WORKER_COUNT];
} sync_device_t;

static const iree_hal_device_vtable_t* sync_device_vtable = NULL;

iree_status_t sync_device_create(iree_string_view_t driver_name,
                                 iree_string_view_t formats,
                                 iree_allocator_t host_allocator,
                                 iree_hal_device_t** out_device) {
  sync_device_t* device = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc(host_allocator, sizeof(*device), (void**)&device));
  iree_hal_allocator_t* device_allocator = NULL;
  iree_status_t status =
      local_formats_initialize(formats, host_allocator, &device->formats);
  if (iree_status_is_ok(status)) {
    status = iree_hal_allocator_create_heap(driver_name, host_allocator,
                                            &device_allocator);
  }
  if (iree_status_is_ok(status)) {
    status = iree_hal_device_initialize(sync_device_vtable, driver_name,
                                        device_allocator, host_allocator,
                                        &device->base);
  }
  iree_hal_allocator_release(device_allocator);
  if (!iree_status_is_ok(status)) {
    local_formats_deinitialize(&device->formats, host_allocator);
    iree_allocator_free(host_allocator, device);
    return status;
  }
  pthread_mutex_init(&device->mutex, NULL);
  pthread_cond_init(&device->worker_freed, NULL);
  device->free_workers = UINT32_MAX;
  for (uint32_t i = 0; i < SYNC_MAX_WORKER_COUNT; ++i) {
    device->workers[i].worker_id = i;
  }
  *out_device = &device->base;
  return iree_ok_status();
}

static void sync_device_destroy(iree_hal_device_t* base_device) {
  sync_device_t* device = (sync_device_t*)base_device;
  iree_allocator_t host_allocator = iree_hal_device_host_allocator(base_device);
  for (uint32_t i = 0; i < SYNC_MAX_WORKER_COUNT; ++i) {
    iree_allocator_free_aligned(host_allocator,
                                device->workers[i].local_memory.data);
  }
  local_formats_deinitialize(&device->formats, host_allocator);
  pthread_cond_destroy(&device->worker_freed);
  pthread_mutex_destroy(&device->mutex);
  iree_hal_device_deinitialize(base_device);
  iree_allocator_free(host_allocator, device);
}

//===----------------------------------------------------------------------===//
// Workers
//===----------------------------------------------------------------------===//

// NULL when all are taken.
static sync_worker_t* sync_device_try_take_worker(sync_device_t* device) {
  uint32_t free_workers =
      __atomic_load_n(&device->free_workers, __ATOMIC_SEQ_CST);
  while (free_workers) {
    const uint32_t bit = free_workers & (0u - free_workers);
    if (__atomic_compare_exchange_n(&device->free_workers, &free_workers,
                                    free_workers & ~bit, /*weak=*/true,
                                    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
      return &device->workers[__builtin_ctz(bit)];
    }
  }
  return NULL;
}

static sync_worker_t* sync_device_take_worker(sync_device_t* device) {
  sync_worker_t* worker = sync_device_try_take_worker(device);
  if (IREE_LIKELY(worker)) return worker;
  pthread_mutex_lock(&device->mutex);
  // Counted before it looks again, so that whoever frees a worker either is
  // seen by the look or sees the count.
  __atomic_fetch_add(&device->waiting_count, 1, __ATOMIC_SEQ_CST);
  while (!(worker = sync_device_try_take_worker(device))) {
    pthread_cond_wait(&device->worker_freed, &device->mutex);
  }
  __atomic_fetch_sub(&device->waiting_count, 1, __ATOMIC_SEQ_CST);
  pthread_mutex_unlock(&device->mutex);
  return worker;
}

static void sync_device_give_worker(sync_device_t* device,
                                    sync_worker_t* worker) {
  __atomic_fetch_or(&device->free_workers, 1u << worker->worker_id,
                    __ATOMIC_SEQ_CST);
  if (IREE_LIKELY(!__atomic_load_n(&device->waiting_count, __ATOMIC_SEQ_CST))) {
    return;
  }
  pthread_mutex_lock(&device->mutex);
  pthread_cond_signal(&device->worker_freed);
  pthread_mutex_unlock(&device->mutex);
}

//===----------------------------------------------------------------------===//
// Queue
//===----------------------------------------------------------------------===//

static iree_status_t sync_device_run(
    sync_device_t* device, iree_hal_command_buffer_t* command_buffer,
    iree_hal_buffer_binding_table_t binding_table) {
  if (!command_buffer) return iree_ok_status();
  sync_worker_t* worker = sync_device_take_worker(device);
  iree_status_t status = sync_command_buffer_run(
      command_buffer, binding_table, device->base.host_allocator, worker);
  sync_device_give_worker(device, worker);
  return status;
}

// Takes |status|, how an operation ended. A semaphore that cannot be signalled
// fails, and it alone.
static void sync_complete(iree_hal_semaphore_list_t signal_semaphore_list,
                          iree_status_t status) {
  if (IREE_UNLIKELY(!iree_status_is_ok(status))) {
    iree_hal_semaphore_list_fail(signal_semaphore_list, status);
    return;
  }
  for (iree_host_size_t i = 0; i < signal_semaphore_list.count; ++i) {
    iree_hal_semaphore_t* semaphore = signal_semaphore_list.semaphores[i];
    status = iree_hal_semaphore_signal(semaphore,
                                       signal_semaphore_list.payload_values[i]);
    if (IREE_UNLIKELY(!iree_status_is_ok(status))) {
      iree_hal_semaphore_fail(semaphore, status);
    }
  }
}

// An execution whose waits are not reached yet. The table's bindings follow it.
typedef struct sync_parked_t {
  sync_device_t* device;
  iree_hal_command_buffer_t* command_buffer;
  iree_host_size_t binding_count;
  iree_hal_buffer_binding_t bindings[];
} sync_parked_t;

static iree_status_t sync_parked_run(void* user_data) {
  sync_parked_t* parked = (sync_parked_t*)user_data;
  const iree_hal_buffer_binding_table_t binding_table = {parked->binding_count,
                                                         parked->bindings};
  return sync_device_run(parked->device, parked->command_buffer, binding_table);
}

static void sync_parked_free(void* user_data) {
  sync_parked_t* parked = (sync_parked_t*)user_data;
  iree_allocator_free(parked->device->base.host_allocator, parked);
}

static iree_status_t sync_device_park(
    sync_device_t* device, iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_command_buffer_t* command_buffer,
    iree_hal_buffer_binding_table_t binding_table) {
  iree_allocator_t host_allocator = device->base.host_allocator;
  // What it uses is listed behind the bindings: the command buffer and theirs.
  const iree_host_size_t resource_count = binding_table.count + 1;
  iree_host_size_t size = 0;
  if (!iree_host_size_checked_mul(
          resource_count, sizeof(iree_hal_buffer_binding_t) + sizeof(void*),
          &size) ||
      !iree_host_size_checked_add(size, sizeof(sync_parked_t), &size)) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "a binding table of %" PRIhsz " bindings",
                            binding_table.count);
  }
  sync_parked_t* parked = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc(host_allocator, size, (void**)&parked));
  parked->device = device;
  parked->command_buffer = command_buffer;
  parked->binding_count = binding_table.count;
  void** resources = (void**)&parked->bindings[binding_table.count];
  resources[0] = command_buffer;
  for (iree_host_size_t i = 0; i < binding_table.count; ++i) {
    parked->bindings[i] = binding_table.bindings[i];
    resources[i + 1] = parked->bindings[i].buffer;
  }
  iree_status_t status = iree_hal_device_queue_submit(
      &device->base, wait_semaphore_list, signal_semaphore_list, resource_count,
      resources, sync_parked_run, sync_parked_free, parked);
  if (!iree_status_is_ok(status)) sync_parked_free(parked);
  return status;
}

static iree_status_t sync_device_queue_execute(
    iree_hal_device_t* base_device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_command_buffer_t* command_buffer,
    iree_hal_buffer_binding_table_t binding_table,
    iree_hal_execute_flags_t flags) {
  (void)queue_affinity;
  (void)flags;
  sync_device_t* device = (sync_device_t*)base_device;
  if (command_buffer && !sync_command_buffer_isa(command_buffer)) {
    iree_string_view_t owner = iree_cy_object_owner(command_buffer);
    if (!owner.size) owner = IREE_SV("the core");
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "device '%.*s' cannot execute a command buffer of '%.*s'",
        IREE_SV_ARG(iree_hal_device_id(base_device)), IREE_SV_ARG(owner));
  }
  iree_status_t status = iree_hal_semaphore_list_poll(wait_semaphore_list);
  if (iree_status_is_deferred(status)) {
    return sync_device_park(device, wait_semaphore_list, signal_semaphore_list,
                            command_buffer, binding_table);
  }
  if (iree_status_is_ok(status)) {
    status = sync_device_run(device, command_buffer, binding_table);
  }
  sync_complete(signal_semaphore_list, status);
  return iree_ok_status();
}

//===----------------------------------------------------------------------===//
// Other entries
//===----------------------------------------------------------------------===//

static iree_status_t sync_device_create_command_buffer(
    iree_hal_device_t* base_device, iree_hal_command_buffer_mode_t mode,
    iree_hal_command_category_t command_categories,
    iree_hal_queue_affinity_t queue_affinity, iree_host_size_t binding_capacity,
    iree_hal_command_buffer_t** out_command_buffer) {
  return sync_command_buffer_create(
      mode, command_categories, queue_affinity, binding_capacity,
      iree_hal_device_host_allocator(base_device), out_command_buffer);
}

static iree_status_t sync_device_create_executable_cache(
    iree_hal_device_t* base_device, iree_string_view_t identifier,
    iree_hal_executable_cache_t** out_executable_cache) {
  (void)identifier;
  sync_device_t* device = (sync_device_t*)base_device;
  return local_formats_create_cache(
      &device->formats, iree_hal_device_id(base_device), SYNC_MAX_WORKER_COUNT,
      iree_hal_device_host_allocator(base_device), out_executable_cache);
}

static iree_status_t sync_device_query_i64(iree_hal_device_t* base_device,
                                           iree_string_view_t category,
                                           iree_string_view_t key,
                                           int64_t* out_value) {
  sync_device_t* device = (sync_device_t*)base_device;
  if (iree_string_view_equal(category, IREE_SV("hal.device.id"))) {
    // Compiled programs ask for "local", whatever local driver it is.
    *out_value =
        iree_string_view_match_pattern(IREE_SV("local"), key) ||
        iree_string_view_match_pattern(iree_hal_device_id(base_device), key);
    return iree_ok_status();
  }
  if (iree_string_view_equal(category, IREE_SV("hal.executable.format"))) {
    *out_value = local_formats_can_load(&device->formats, 0, key);
    return iree_ok_status();
  }
  if (iree_string_view_equal(key, IREE_SV("concurrency")) &&
      (iree_string_view_equal(category, IREE_SV("hal.device")) ||
       iree_string_view_equal(category, IREE_SV("hal.dispatch")))) {
    *out_value = 1;
    return iree_ok_status();
  }
  if (iree_string_view_equal(category, IREE_SV("hal.cpu"))) {
    return iree_hal_processor_query_i64(category, key, out_value);
  }
  return iree_make_status(IREE_STATUS_NOT_FOUND, "%.*s has no '%.*s :: %.*s'",
                          IREE_SV_ARG(iree_hal_device_id(base_device)),
                          IREE_SV_ARG(category), IREE_SV_ARG(key));
}

iree_status_t sync_device_register(iree_string_view_t owner) {
  static const iree_hal_device_vtable_t vtable = {
      .header = {.size = sizeof(vtable)},
      .destroy = sync_device_destroy,
      .query_i64 = sync_device_query_i64,
      .create_command_buffer = sync_device_create_command_buffer,
      .create_executable_cache = sync_device_create_executable_cache,
      .queue_execute = sync_device_queue_execute,
  };
  return iree_cy_register_vtable(IREE_CY_OBJECT_KIND_DEVICE, &vtable, owner,
                                 (const void**)&sync_device_vtable);
}
