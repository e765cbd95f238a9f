// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the HAL device over a logical device.

#include "device.h"

#include "allocator.h"
#include "executable.h"
#include "transfers.h"

static const iree_hal_device_vtable_t* vulkan_device_vtable = NULL;
// The host's own entries.
static const iree_hal_device_vtable_t* vulkan_device_defaults = NULL;

//===-- creation ------------------------------------------------------------===

iree_status_t vulkan_device_create(iree_string_view_t driver_name,
                                   vulkan_logical_device_t* logical,
                                   iree_allocator_t host_allocator,
                                   iree_hal_device_t** out_device) {
  *out_device = NULL;
  vulkan_device_t* device = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc(host_allocator, sizeof(*device), (void**)&device));
  iree_status_t status =
      vulkan_allocator_create(logical, host_allocator, &device->allocator);
  if (iree_status_is_ok(status)) {
    status = vulkan_executor_initialize(
        logical, vulkan_allocator_memory(device->allocator), &device->executor);
  }
  if (iree_status_is_ok(status)) {
    status = iree_hal_device_initialize(vulkan_device_vtable, driver_name,
                                        device->allocator, host_allocator,
                                        &device->base);
  }
  if (!iree_status_is_ok(status)) {
    vulkan_executor_deinitialize(&device->executor);
    iree_hal_allocator_release(device->allocator);
    iree_allocator_free(host_allocator, device);
    return status;
  }
  vulkan_logical_device_retain(logical);
  device->logical = logical;
  *out_device = &device->base;
  return iree_ok_status();
}

static void vulkan_device_destroy(iree_hal_device_t* base_device) {
  vulkan_device_t* device = (vulkan_device_t*)base_device;
  iree_allocator_t host_allocator = iree_hal_device_host_allocator(base_device);
  vulkan_logical_device_t* logical = device->logical;
  vulkan_executor_deinitialize(&device->executor);
  iree_hal_device_deinitialize(base_device);
  iree_hal_allocator_release(device->allocator);
  iree_allocator_free(host_allocator, device);
  // Last: it ends threads and takes a while.
  vulkan_logical_device_release(logical);
}

//===-- questions and objects -----------------------------------------------===

static iree_status_t vulkan_device_query_i64(iree_hal_device_t* base_device,
                                             iree_string_view_t category,
                                             iree_string_view_t key,
                                             int64_t* out_value) {
  const vulkan_device_t* device = (vulkan_device_t*)base_device;
  if (iree_string_view_equal(category, IREE_SV("hal.device.id"))) {
    *out_value =
        iree_string_view_match_pattern(iree_hal_device_id(base_device), key);
    return iree_ok_status();
  }
  if (iree_string_view_equal(category, IREE_SV("hal.executable.format"))) {
    *out_value = vulkan_executable_format_is_supported(device->logical, key);
    return iree_ok_status();
  }
  return iree_make_status(IREE_STATUS_NOT_FOUND,
                          "device '%.*s' knows no value '%.*s :: %.*s'",
                          IREE_SV_ARG(iree_hal_device_id(base_device)),
                          IREE_SV_ARG(category), IREE_SV_ARG(key));
}

static iree_status_t vulkan_device_query_capabilities(
    iree_hal_device_t* base_device,
    iree_hal_device_capabilities_t* out_capabilities) {
  const vulkan_device_t* device = (vulkan_device_t*)base_device;
  out_capabilities->queue_count = device->logical->queue_count;
  out_capabilities->flags = IREE_HAL_DEVICE_CAPABILITY_TIMELINE_SEMAPHORES;
  if (device->executor.memory->flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) {
    out_capabilities->flags |= IREE_HAL_DEVICE_CAPABILITY_HOST_COHERENT;
  }
  return iree_ok_status();
}

static iree_status_t vulkan_device_create_executable_cache(
    iree_hal_device_t* base_device, iree_string_view_t identifier,
    iree_hal_executable_cache_t** out_executable_cache) {
  (void)identifier;
  return vulkan_executable_cache_create(
      ((vulkan_device_t*)base_device)->logical,
      iree_hal_device_host_allocator(base_device), out_executable_cache);
}

//===-- the queue -----------------------------------------------------------===

// An execution that waits for its turn. Followed by the table's bindings.
typedef struct vulkan_execution_t {
  vulkan_device_t* device;
  iree_hal_queue_affinity_t queue_affinity;
  iree_hal_command_buffer_t* command_buffer;
  iree_host_size_t binding_count;
} vulkan_execution_t;

static iree_status_t vulkan_execution_run(void* user_data) {
  const vulkan_execution_t* execution = (const vulkan_execution_t*)user_data;
  const iree_hal_buffer_binding_table_t table = {
      execution->binding_count,
      (const iree_hal_buffer_binding_t*)(execution + 1)};
  return vulkan_executor_run(&execution->device->executor,
                             execution->queue_affinity,
                             execution->command_buffer, table);
}

static void vulkan_execution_free(void* user_data) {
  const vulkan_execution_t* execution = (const vulkan_execution_t*)user_data;
  iree_allocator_free(iree_hal_device_host_allocator(&execution->device->base),
                      user_data);
}

// What the queue keeps for an execution: the recording and the table's buffers.
static iree_status_t vulkan_execution_resources(
    const vulkan_execution_t* execution, iree_allocator_t host_allocator,
    void*** out_resources) {
  const iree_hal_buffer_binding_t* bindings =
      (const iree_hal_buffer_binding_t*)(execution + 1);
  void** resources = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc_array(host_allocator, execution->binding_count + 1,
                                  sizeof(*resources), (void**)&resources));
  resources[0] = execution->command_buffer;
  for (iree_host_size_t i = 0; i < execution->binding_count; ++i) {
    resources[i + 1] = bindings[i].buffer;
  }
  *out_resources = resources;
  return iree_ok_status();
}

static iree_status_t vulkan_execution_create(
    vulkan_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_command_buffer_t* command_buffer,
    iree_hal_buffer_binding_table_t binding_table,
    vulkan_execution_t** out_execution) {
  vulkan_execution_t* execution = NULL;
  iree_host_size_t size = 0;
  if (!iree_host_size_checked_mul(binding_table.count,
                                  sizeof(*binding_table.bindings), &size) ||
      !iree_host_size_checked_add(size, sizeof(*execution), &size)) {
    return iree_make_status(IREE_STATUS_RESOURCE_EXHAUSTED,
                            "a binding table of %" PRIhsz " slots",
                            binding_table.count);
  }
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(
      iree_hal_device_host_allocator(&device->base), size, (void**)&execution));
  execution->device = device;
  execution->queue_affinity = queue_affinity;
  execution->command_buffer = command_buffer;
  execution->binding_count = binding_table.count;
  if (binding_table.count) {
    memcpy(execution + 1, binding_table.bindings,
           binding_table.count * sizeof(*binding_table.bindings));
  }
  *out_execution = execution;
  return iree_ok_status();
}

static iree_status_t vulkan_device_nothing(void* user_data) {
  (void)user_data;
  return iree_ok_status();
}

static iree_status_t vulkan_device_queue_execute(
    iree_hal_device_t* base_device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_command_buffer_t* command_buffer,
    iree_hal_buffer_binding_table_t binding_table,
    iree_hal_execute_flags_t flags) {
  (void)flags;
  vulkan_device_t* device = (vulkan_device_t*)base_device;
  iree_allocator_t host_allocator = iree_hal_device_host_allocator(base_device);
  IREE_RETURN_IF_ERROR(vulkan_logical_device_check_fork(device->logical));
  if (!command_buffer) {
    return iree_hal_device_queue_submit(base_device, wait_semaphore_list,
                                        signal_semaphore_list, 0, NULL,
                                        vulkan_device_nothing, NULL, NULL);
  }
  if (!iree_hal_recorded_command_buffer_isa(command_buffer)) {
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "a command buffer of driver '%.*s' is given to a device of driver "
        "'%.*s'",
        IREE_SV_ARG(iree_cy_object_owner(command_buffer)),
        IREE_SV_ARG(iree_hal_device_id(base_device)));
  }
  vulkan_execution_t* execution = NULL;
  IREE_RETURN_IF_ERROR(vulkan_execution_create(
      device, queue_affinity, command_buffer, binding_table, &execution));
  void** resources = NULL;
  iree_status_t status =
      vulkan_execution_resources(execution, host_allocator, &resources);
  if (iree_status_is_ok(status)) {
    status = iree_hal_device_queue_submit(
        base_device, wait_semaphore_list, signal_semaphore_list,
        binding_table.count + 1, resources, vulkan_execution_run,
        vulkan_execution_free, execution);
  }
  iree_allocator_free(host_allocator, resources);
  if (!iree_status_is_ok(status)) {
    iree_allocator_free(host_allocator, execution);
  }
  return status;
}

iree_status_t vulkan_device_register(iree_string_view_t owner) {
  IREE_RETURN_IF_ERROR(vulkan_allocator_register(owner));
  IREE_RETURN_IF_ERROR(vulkan_executable_register(owner));
  static iree_hal_device_vtable_t vtable = {
      .header = {.size = sizeof(vtable)},
      .destroy = vulkan_device_destroy,
      .query_i64 = vulkan_device_query_i64,
      .query_capabilities = vulkan_device_query_capabilities,
      .create_executable_cache = vulkan_device_create_executable_cache,
      .queue_execute = vulkan_device_queue_execute,
  };
  static const iree_hal_device_vtable_t defaults = {
      .header = {.size = sizeof(defaults)},
      .destroy = vulkan_device_destroy,
  };
  vulkan_transfers_fill_vtable(&vulkan_device_defaults, &vtable);
  IREE_RETURN_IF_ERROR(
      iree_cy_register_vtable(IREE_CY_OBJECT_KIND_DEVICE, &defaults, owner,
                              (const void**)&vulkan_device_defaults));
  return iree_cy_register_vtable(IREE_CY_OBJECT_KIND_DEVICE, &vtable, owner,
                                 (const void**)&vulkan_device_vtable);
}
