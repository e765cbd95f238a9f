// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what local-sync adds to the host's default device: running command
// buffers on the CPU.

#include "device.h"

#include "../run.h"

typedef struct sync_device_t {
  iree_hal_device_t base;
  local_formats_t formats;
  local_workers_t workers;
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
  local_workers_initialize(/*first_worker_id=*/0, &device->workers);
  *out_device = &device->base;
  return iree_ok_status();
}

static void sync_device_destroy(iree_hal_device_t* base_device) {
  sync_device_t* device = (sync_device_t*)base_device;
  iree_allocator_t host_allocator = iree_hal_device_host_allocator(base_device);
  local_workers_deinitialize(&device->workers, host_allocator);
  local_formats_deinitialize(&device->formats, host_allocator);
  iree_hal_device_deinitialize(base_device);
  iree_allocator_free(host_allocator, device);
}

//===----------------------------------------------------------------------===//
// Queue
//===----------------------------------------------------------------------===//

static iree_status_t sync_device_run(
    sync_device_t* device, iree_hal_command_buffer_t* command_buffer,
    iree_hal_buffer_binding_table_t binding_table) {
  if (!command_buffer) return iree_ok_status();
  local_worker_t* worker = local_workers_take(&device->workers);
  const local_run_t run = {binding_table, device->base.host_allocator, worker,
                           /*max_concurrency=*/1};
  iree_status_t status = local_run_all(&run, command_buffer);
  local_workers_give(&device->workers, worker);
  return status;
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
  if (command_buffer) {
    IREE_RETURN_IF_ERROR(
        local_command_buffer_check(base_device, command_buffer));
  }
  iree_status_t status = iree_hal_semaphore_list_poll(wait_semaphore_list);
  if (iree_status_is_deferred(status)) {
    return sync_device_park(device, wait_semaphore_list, signal_semaphore_list,
                            command_buffer, binding_table);
  }
  if (iree_status_is_ok(status)) {
    status = sync_device_run(device, command_buffer, binding_table);
  }
  local_complete(signal_semaphore_list, status);
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
  return local_command_buffer_create(
      mode, command_categories, queue_affinity, binding_capacity,
      /*keeps_barriers=*/false, iree_hal_device_host_allocator(base_device),
      out_command_buffer);
}

static iree_status_t sync_device_create_executable_cache(
    iree_hal_device_t* base_device, iree_string_view_t identifier,
    iree_hal_executable_cache_t** out_executable_cache) {
  (void)identifier;
  sync_device_t* device = (sync_device_t*)base_device;
  return local_formats_create_cache(
      &device->formats, iree_hal_device_id(base_device), LOCAL_MAX_CALLER_COUNT,
      iree_hal_device_host_allocator(base_device), out_executable_cache);
}

static iree_status_t sync_device_query_i64(iree_hal_device_t* base_device,
                                           iree_string_view_t category,
                                           iree_string_view_t key,
                                           int64_t* out_value) {
  sync_device_t* device = (sync_device_t*)base_device;
  return local_query_i64(base_device, &device->formats, /*concurrency=*/1,
                         category, key, out_value);
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
