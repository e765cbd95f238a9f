// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the default device: one queue over host memory, and what it says of
// itself.

#include "iree_cy/native/hal/queue_operation.h"
#include "iree_cy/native/hal/semaphore_impl.h"

//===-- questions and objects -----------------------------------------------===

static void default_replace_allocator(iree_hal_device_t* device,
                                      iree_hal_allocator_t* new_allocator) {
  (void)device, (void)new_allocator;
}

static iree_status_t default_trim(iree_hal_device_t* device) {
  return iree_hal_allocator_trim(device->device_allocator);
}

static iree_status_t default_query_i64(iree_hal_device_t* device,
                                       iree_string_view_t category,
                                       iree_string_view_t key,
                                       int64_t* out_value) {
  *out_value = 0;
  return iree_make_status(IREE_STATUS_NOT_FOUND,
                          "device '%.*s' does not know '%.*s' of '%.*s'",
                          IREE_SV_ARG(iree_hal_device_id(device)),
                          IREE_SV_ARG(key), IREE_SV_ARG(category));
}

static iree_status_t default_query_capabilities(
    iree_hal_device_t* device,
    iree_hal_device_capabilities_t* out_capabilities) {
  (void)device;
  out_capabilities->queue_count = 1;
  out_capabilities->flags = IREE_HAL_DEVICE_CAPABILITY_TIMELINE_SEMAPHORES |
                            IREE_HAL_DEVICE_CAPABILITY_UNIFIED_MEMORY |
                            IREE_HAL_DEVICE_CAPABILITY_HOST_COHERENT |
                            IREE_HAL_DEVICE_CAPABILITY_HOST_ZERO_COPY_OK;
  return iree_ok_status();
}

static iree_status_t default_create_command_buffer(
    iree_hal_device_t* device, iree_hal_command_buffer_mode_t mode,
    iree_hal_command_category_t command_categories,
    iree_hal_queue_affinity_t queue_affinity, iree_host_size_t binding_capacity,
    iree_hal_command_buffer_t** out_command_buffer) {
  return iree_hal_recorded_command_buffer_create(
      mode, command_categories, queue_affinity, binding_capacity,
      device->host_allocator, out_command_buffer);
}

static iree_status_t default_create_semaphore(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    uint64_t initial_value, iree_hal_semaphore_flags_t flags,
    iree_hal_semaphore_t** out_semaphore) {
  (void)queue_affinity;
  return iree_hal_host_semaphore_create(device, initial_value, flags,
                                        device->host_allocator, out_semaphore);
}

//===-- the executable cache that prepares nothing --------------------------===

typedef struct empty_executable_cache_t {
  iree_hal_executable_cache_t base;
  // For messages: whose it is.
  const char* driver_name;
} empty_executable_cache_t;

static void empty_executable_cache_destroy(iree_hal_executable_cache_t* cache) {
  iree_hal_executable_cache_deinitialize(cache);
  iree_allocator_free(cache->host_allocator, cache);
}

static bool empty_executable_cache_can_prepare_format(
    iree_hal_executable_cache_t* cache,
    iree_hal_executable_caching_mode_t caching_mode,
    iree_string_view_t executable_format) {
  (void)cache, (void)caching_mode, (void)executable_format;
  return false;
}

static iree_status_t empty_executable_cache_prepare_executable(
    iree_hal_executable_cache_t* cache,
    const iree_hal_executable_params_t* params,
    iree_hal_executable_t** out_executable) {
  *out_executable = NULL;
  return iree_make_status(
      IREE_STATUS_UNIMPLEMENTED,
      "driver '%s' runs no executables; one of format '%.*s' was given",
      ((empty_executable_cache_t*)cache)->driver_name,
      IREE_SV_ARG(params->executable_format));
}

static const iree_hal_executable_cache_vtable_t empty_executable_cache_vtable =
    {
        .header = {.size = sizeof(iree_hal_executable_cache_vtable_t),
                   .kind = IREE_CY_OBJECT_KIND_EXECUTABLE_CACHE},
        .destroy = empty_executable_cache_destroy,
        .can_prepare_format = empty_executable_cache_can_prepare_format,
        .prepare_executable = empty_executable_cache_prepare_executable,
};

static iree_status_t default_create_executable_cache(
    iree_hal_device_t* device, iree_string_view_t identifier,
    iree_hal_executable_cache_t** out_executable_cache) {
  (void)identifier;
  *out_executable_cache = NULL;
  empty_executable_cache_t* cache = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(device->host_allocator,
                                             sizeof(*cache), (void**)&cache));
  iree_hal_executable_cache_initialize(&empty_executable_cache_vtable,
                                       device->host_allocator, &cache->base);
  cache->driver_name = iree_cy_resource_owner(device);
  *out_executable_cache = &cache->base;
  return iree_ok_status();
}

//===-- queue ---------------------------------------------------------------===

// Before anything is queued: the default queue reaches memory through host
// mappings only.
static iree_status_t check_reachable(iree_hal_device_t* device,
                                     iree_hal_buffer_t* buffer) {
  if (!buffer ||
      IREE_LIKELY(iree_all_bits_set(iree_hal_buffer_memory_type(buffer),
                                    IREE_HAL_MEMORY_TYPE_HOST_VISIBLE))) {
    return iree_ok_status();
  }
  iree_hal_buffer_t* allocated_buffer =
      iree_hal_buffer_allocated_buffer(buffer);
  const iree_hal_device_t* other = allocated_buffer->placement.device;
  const iree_string_view_t name =
      other ? iree_hal_device_id(other)
            : iree_make_cstring_view(iree_cy_resource_owner(allocated_buffer));
  return iree_make_status(
      IREE_STATUS_PERMISSION_DENIED,
      "device '%.*s' cannot use a buffer of %s '%.*s': its memory is not "
      "visible to the host",
      IREE_SV_ARG(iree_hal_device_id(device)), other ? "device" : "driver",
      IREE_SV_ARG(name));
}

static iree_status_t submit(iree_hal_device_t* device,
                            iree_hal_semaphore_list_t waits,
                            iree_hal_semaphore_list_t signals,
                            const iree_cy_queue_work_t* work) {
  if (work->kind != IREE_CY_QUEUE_WORK_BARRIER) {
    IREE_RETURN_IF_ERROR(check_reachable(device, work->source_buffer));
    IREE_RETURN_IF_ERROR(check_reachable(device, work->target_buffer));
  }
  return iree_cy_queue_submit(device, waits, signals, work);
}

static iree_status_t default_queue_alloca(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_buffer_params_t params, iree_device_size_t allocation_size,
    iree_hal_alloca_flags_t flags, iree_hal_buffer_t** out_buffer) {
  IREE_RETURN_IF_ERROR(iree_hal_allocator_allocate_buffer(
      device->device_allocator, params, allocation_size, out_buffer));
  // Nobody else has it yet.
  (*out_buffer)->placement.flags |= IREE_HAL_BUFFER_PLACEMENT_FLAG_ASYNCHRONOUS;
  if (iree_any_bit_set(flags, IREE_HAL_ALLOCA_FLAG_INDETERMINATE_LIFETIME)) {
    (*out_buffer)->placement.flags |=
        IREE_HAL_BUFFER_PLACEMENT_FLAG_INDETERMINATE_LIFETIME;
  }
  const iree_cy_queue_work_t work = {
      .kind = IREE_CY_QUEUE_WORK_BARRIER,
      .queue_affinity = queue_affinity,
      .target_buffer = *out_buffer,
  };
  iree_status_t status =
      submit(device, wait_semaphore_list, signal_semaphore_list, &work);
  if (!iree_status_is_ok(status)) {
    iree_hal_buffer_release(*out_buffer);
    *out_buffer = NULL;
  }
  return status;
}

static iree_status_t default_queue_dealloca(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list, iree_hal_buffer_t* buffer,
    iree_hal_dealloca_flags_t flags) {
  (void)flags;
  const iree_cy_queue_work_t work = {
      .kind = IREE_CY_QUEUE_WORK_BARRIER,
      .queue_affinity = queue_affinity,
      .target_buffer = buffer,
  };
  return submit(device, wait_semaphore_list, signal_semaphore_list, &work);
}

static iree_status_t default_queue_fill(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_buffer_t* target_buffer, iree_device_size_t target_offset,
    iree_device_size_t length, const void* pattern,
    iree_host_size_t pattern_length, iree_hal_fill_flags_t flags) {
  (void)flags;
  const iree_cy_queue_work_t work = {
      .kind = IREE_CY_QUEUE_WORK_FILL,
      .queue_affinity = queue_affinity,
      .target_buffer = target_buffer,
      .target_offset = target_offset,
      .length = length,
      .data = iree_make_const_byte_span(pattern, pattern_length),
  };
  return submit(device, wait_semaphore_list, signal_semaphore_list, &work);
}

static iree_status_t default_queue_update(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list, const void* source_buffer,
    iree_host_size_t source_offset, iree_hal_buffer_t* target_buffer,
    iree_device_size_t target_offset, iree_device_size_t length,
    iree_hal_update_flags_t flags) {
  (void)flags;
  const uint8_t* source = (const uint8_t*)source_buffer;
  const iree_cy_queue_work_t work = {
      .kind = IREE_CY_QUEUE_WORK_UPDATE,
      .queue_affinity = queue_affinity,
      .target_buffer = target_buffer,
      .target_offset = target_offset,
      .length = length,
      .data = iree_make_const_byte_span(source ? source + source_offset : NULL,
                                        (iree_host_size_t)length),
  };
  return submit(device, wait_semaphore_list, signal_semaphore_list, &work);
}

static iree_status_t default_queue_copy(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_buffer_t* source_buffer, iree_device_size_t source_offset,
    iree_hal_buffer_t* target_buffer, iree_device_size_t target_offset,
    iree_device_size_t length, iree_hal_copy_flags_t flags) {
  (void)flags;
  const iree_cy_queue_work_t work = {
      .kind = IREE_CY_QUEUE_WORK_COPY,
      .queue_affinity = queue_affinity,
      .source_buffer = source_buffer,
      .source_offset = source_offset,
      .target_buffer = target_buffer,
      .target_offset = target_offset,
      .length = length,
  };
  return submit(device, wait_semaphore_list, signal_semaphore_list, &work);
}

static iree_status_t default_queue_read(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_file_t* source_file, uint64_t source_offset,
    iree_hal_buffer_t* target_buffer, iree_device_size_t target_offset,
    iree_device_size_t length, iree_hal_read_flags_t flags) {
  (void)flags;
  const iree_cy_queue_work_t work = {
      .kind = IREE_CY_QUEUE_WORK_READ,
      .queue_affinity = queue_affinity,
      .file = source_file,
      .source_offset = source_offset,
      .target_buffer = target_buffer,
      .target_offset = target_offset,
      .length = length,
  };
  return submit(device, wait_semaphore_list, signal_semaphore_list, &work);
}

static iree_status_t default_queue_write(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_buffer_t* source_buffer, iree_device_size_t source_offset,
    iree_hal_file_t* target_file, uint64_t target_offset,
    iree_device_size_t length, iree_hal_write_flags_t flags) {
  (void)flags;
  const iree_cy_queue_work_t work = {
      .kind = IREE_CY_QUEUE_WORK_WRITE,
      .queue_affinity = queue_affinity,
      .source_buffer = source_buffer,
      .source_offset = source_offset,
      .file = target_file,
      .target_offset = target_offset,
      .length = length,
  };
  return submit(device, wait_semaphore_list, signal_semaphore_list, &work);
}

static iree_status_t default_queue_host_call(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list, iree_hal_host_call_t call,
    const uint64_t args[4], iree_hal_host_call_flags_t flags) {
  const iree_cy_queue_work_t work = {
      .kind = IREE_CY_QUEUE_WORK_HOST_CALL,
      .queue_affinity = queue_affinity,
      .call = call,
      .call_args = {args[0], args[1], args[2], args[3]},
      .call_flags = flags,
  };
  return submit(device, wait_semaphore_list, signal_semaphore_list, &work);
}

static iree_status_t default_queue_dispatch(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_executable_t* executable, iree_hal_executable_function_t function,
    const iree_hal_dispatch_config_t* config, iree_const_byte_span_t constants,
    iree_hal_buffer_ref_list_t bindings, iree_hal_dispatch_flags_t flags) {
  iree_hal_command_buffer_t* command_buffer = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_command_buffer_create(
      device, IREE_HAL_COMMAND_BUFFER_MODE_ONE_SHOT,
      IREE_HAL_COMMAND_CATEGORY_DISPATCH, queue_affinity, 0, &command_buffer));
  iree_status_t status = iree_hal_command_buffer_begin(command_buffer);
  if (iree_status_is_ok(status)) {
    status =
        iree_hal_command_buffer_dispatch(command_buffer, executable, function,
                                         config, constants, bindings, flags);
  }
  if (iree_status_is_ok(status)) {
    status = iree_hal_command_buffer_end(command_buffer);
  }
  if (iree_status_is_ok(status)) {
    status = iree_hal_device_queue_execute(
        device, queue_affinity, wait_semaphore_list, signal_semaphore_list,
        command_buffer, iree_hal_buffer_binding_table_empty(), 0);
  }
  iree_hal_command_buffer_release(command_buffer);
  return status;
}

static iree_status_t default_queue_execute(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_command_buffer_t* command_buffer,
    iree_hal_buffer_binding_table_t binding_table,
    iree_hal_execute_flags_t flags) {
  (void)flags;
  if (IREE_UNLIKELY(command_buffer &&
                    !iree_hal_recorded_command_buffer_isa(command_buffer))) {
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "device '%.*s' cannot execute a command buffer of driver '%s'",
        IREE_SV_ARG(iree_hal_device_id(device)),
        iree_cy_resource_owner(command_buffer));
  }
  const iree_cy_queue_work_t work = {
      .kind = command_buffer ? IREE_CY_QUEUE_WORK_EXECUTE
                             : IREE_CY_QUEUE_WORK_BARRIER,
      .queue_affinity = queue_affinity,
      .command_buffer = command_buffer,
      .binding_table = binding_table,
  };
  return submit(device, wait_semaphore_list, signal_semaphore_list, &work);
}

static iree_status_t default_queue_flush(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity) {
  (void)device, (void)queue_affinity;
  return iree_ok_status();
}

static iree_status_t default_wait_semaphores(
    iree_hal_device_t* device, iree_hal_wait_mode_t wait_mode,
    iree_hal_semaphore_list_t semaphore_list, iree_timeout_t timeout,
    iree_hal_wait_flags_t flags) {
  (void)device;
  return iree_hal_semaphore_list_wait(semaphore_list, wait_mode, timeout,
                                      flags);
}

const iree_hal_device_vtable_t iree_cy_device_vtable_defaults = {
    .header = {.size = sizeof(iree_hal_device_vtable_t),
               .kind = IREE_CY_OBJECT_KIND_DEVICE},
    .replace_allocator = default_replace_allocator,
    .trim = default_trim,
    .query_i64 = default_query_i64,
    .query_capabilities = default_query_capabilities,
    .create_command_buffer = default_create_command_buffer,
    .create_executable_cache = default_create_executable_cache,
    .create_semaphore = default_create_semaphore,
    .queue_alloca = default_queue_alloca,
    .queue_dealloca = default_queue_dealloca,
    .queue_fill = default_queue_fill,
    .queue_update = default_queue_update,
    .queue_copy = default_queue_copy,
    .queue_read = default_queue_read,
    .queue_write = default_queue_write,
    .queue_host_call = default_queue_host_call,
    .queue_dispatch = default_queue_dispatch,
    .queue_execute = default_queue_execute,
    .queue_flush = default_queue_flush,
    .wait_semaphores = default_wait_semaphores,
};
