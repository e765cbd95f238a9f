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

// Runs what a call has submitted, or |operation|.
static iree_status_t sync_device_run(
    sync_device_t* device, const local_operation_t* operation,
    iree_hal_command_buffer_t* command_buffer,
    iree_hal_buffer_binding_table_t binding_table) {
  if (!command_buffer) return iree_ok_status();
  local_worker_t* worker = local_workers_take(&device->workers);
  local_pace_t pace = local_pace_make(operation);
  local_slots_t slots;
  slots.known = 0;
  const local_run_t run = {binding_table,
                           device->base.host_allocator,
                           worker,
                           /*max_concurrency=*/1,
                           &pace,
                           &slots};
  iree_status_t status = local_run_all(&run, command_buffer);
  local_workers_give(&device->workers, worker);
  return status;
}

static void sync_device_ready(void* user_data, iree_status_t status) {
  local_operation_t* operation = (local_operation_t*)user_data;
  status = local_operation_begin(operation, status);
  if (iree_status_is_ok(status)) {
    status =
        sync_device_run((sync_device_t*)operation->device, operation,
                        operation->command_buffer, operation->binding_table);
  }
  local_operation_settle(operation, status);
  local_operation_free(operation);
}

static iree_status_t sync_device_park(
    iree_hal_device_t* device, iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_command_buffer_t* command_buffer,
    iree_hal_buffer_binding_table_t binding_table) {
  local_operation_t* operation = NULL;
  IREE_RETURN_IF_ERROR(
      local_operation_create(device, sizeof(*operation), signal_semaphore_list,
                             command_buffer, binding_table, &operation));
  return local_operation_park(operation, wait_semaphore_list,
                              sync_device_ready);
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
  if (command_buffer) {
    IREE_RETURN_IF_ERROR(
        local_command_buffer_check(base_device, command_buffer));
  }
  iree_status_t status = iree_hal_semaphore_list_poll(wait_semaphore_list);
  if (iree_status_is_deferred(status)) {
    iree_status_ignore(status);
    return sync_device_park(base_device, wait_semaphore_list,
                            signal_semaphore_list, command_buffer,
                            binding_table);
  }
  if (iree_status_is_ok(status)) {
    status = sync_device_run((sync_device_t*)base_device, /*operation=*/NULL,
                             command_buffer, binding_table);
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
      /*prepared=*/NULL, iree_hal_device_host_allocator(base_device),
      out_executable_cache);
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
