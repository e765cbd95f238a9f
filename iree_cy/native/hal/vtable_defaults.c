// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the defaults of allocators, buffers, command buffers and executables.

#include "iree_cy/native/hal/vtable_defaults.h"

const char* iree_cy_resource_owner(const void* resource) {
  const iree_cy_vtable_header_t* header =
      (const iree_cy_vtable_header_t*)((const iree_hal_resource_t*)resource)
          ->vtable;
  return header->owner ? header->owner : "the core";
}

iree_string_view_t iree_cy_object_owner(const void* resource) {
  const iree_cy_vtable_header_t* header =
      (const iree_cy_vtable_header_t*)((const iree_hal_resource_t*)resource)
          ->vtable;
  return iree_make_cstring_view(header->owner);
}

iree_status_t iree_cy_broken_contract(const void* resource, const char* what) {
  return iree_make_status(IREE_STATUS_INTERNAL,
                          "driver '%.48s' broke the contract: %s; report it to "
                          "the driver's author",
                          iree_cy_resource_owner(resource), what);
}

iree_status_t iree_cy_missing_result(const void* resource, const char* entry,
                                     const char* what) {
  return iree_make_status(IREE_STATUS_INTERNAL,
                          "driver '%.48s' broke the contract: %s returned OK "
                          "and no %s; report it to the driver's author",
                          iree_cy_resource_owner(resource), entry, what);
}

iree_status_t iree_cy_unimplemented_entry(const void* resource,
                                          const char* entry) {
  return iree_make_status(IREE_STATUS_UNIMPLEMENTED,
                          "driver '%s' does not implement %s",
                          iree_cy_resource_owner(resource), entry);
}

//===-- allocators ----------------------------------------------------------===

static iree_status_t iree_cy_default_trim(iree_hal_allocator_t* allocator) {
  (void)allocator;
  return iree_ok_status();
}

// Host memory that the device can use.
#define IREE_CY_DEFAULT_HEAP_TYPE                                       \
  (IREE_HAL_MEMORY_TYPE_HOST_LOCAL | IREE_HAL_MEMORY_TYPE_HOST_CACHED | \
   IREE_HAL_MEMORY_TYPE_DEVICE_VISIBLE)

static iree_status_t iree_cy_default_query_memory_heaps(
    iree_hal_allocator_t* allocator, iree_host_size_t capacity,
    iree_hal_allocator_memory_heap_t* heaps, iree_host_size_t* out_count) {
  (void)allocator;
  *out_count = 1;
  if (capacity < 1) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "there is 1 memory heap and room for none");
  }
  memset(&heaps[0], 0, sizeof(heaps[0]));
  heaps[0].type = IREE_CY_DEFAULT_HEAP_TYPE;
  heaps[0].allowed_usage = ~(iree_hal_buffer_usage_t)0;
  heaps[0].max_allocation_size = (iree_device_size_t)PTRDIFF_MAX;
  heaps[0].min_alignment = 64;
  return iree_ok_status();
}

static iree_hal_buffer_compatibility_t
iree_cy_default_query_buffer_compatibility(
    iree_hal_allocator_t* allocator, iree_hal_buffer_params_t* params,
    iree_device_size_t* allocation_size) {
  (void)allocator;
  iree_hal_buffer_compatibility_t result =
      IREE_HAL_BUFFER_COMPATIBILITY_ALLOCATABLE;
  if (*allocation_size > (iree_device_size_t)PTRDIFF_MAX) {
    return IREE_HAL_BUFFER_COMPATIBILITY_NONE;
  }
  if (iree_any_bit_set(params->usage, IREE_HAL_BUFFER_USAGE_TRANSFER)) {
    result |= IREE_HAL_BUFFER_COMPATIBILITY_QUEUE_TRANSFER;
  }
  if (iree_any_bit_set(params->usage, IREE_HAL_BUFFER_USAGE_DISPATCH_STORAGE)) {
    result |= IREE_HAL_BUFFER_COMPATIBILITY_QUEUE_DISPATCH;
  }
  params->type &= ~(IREE_HAL_MEMORY_TYPE_OPTIMAL);
  params->type |= IREE_CY_DEFAULT_HEAP_TYPE;
  return result;
}

static iree_status_t iree_cy_default_import_buffer(
    iree_hal_allocator_t* allocator, const iree_hal_buffer_params_t* params,
    const iree_hal_external_buffer_t* external_buffer,
    iree_hal_buffer_release_callback_t release_callback,
    iree_hal_buffer_t** out_buffer) {
  (void)params, (void)external_buffer, (void)release_callback;
  *out_buffer = NULL;
  return iree_cy_unimplemented_entry(allocator,
                                     "iree_hal_allocator_t.import_buffer");
}

static iree_status_t iree_cy_default_export_buffer(
    iree_hal_allocator_t* allocator, iree_hal_buffer_t* buffer,
    iree_hal_external_buffer_type_t requested_type, uint32_t requested_flags,
    iree_hal_external_buffer_t* out_external_buffer) {
  (void)buffer, (void)requested_type, (void)requested_flags;
  memset(out_external_buffer, 0, sizeof(*out_external_buffer));
  return iree_cy_unimplemented_entry(allocator,
                                     "iree_hal_allocator_t.export_buffer");
}

const iree_hal_allocator_vtable_t iree_cy_allocator_vtable_defaults = {
    .header = {.size = sizeof(iree_hal_allocator_vtable_t),
               .kind = IREE_CY_OBJECT_KIND_ALLOCATOR},
    .trim = iree_cy_default_trim,
    .query_statistics = iree_cy_allocator_counted_statistics,
    .query_memory_heaps = iree_cy_default_query_memory_heaps,
    .query_buffer_compatibility = iree_cy_default_query_buffer_compatibility,
    .import_buffer = iree_cy_default_import_buffer,
    .export_buffer = iree_cy_default_export_buffer,
};

//===-- buffers -------------------------------------------------------------===

static iree_status_t iree_cy_default_map_range(
    iree_hal_buffer_t* buffer, iree_hal_mapping_mode_t mapping_mode,
    iree_hal_memory_access_t memory_access, iree_device_size_t byte_offset,
    iree_device_size_t byte_length, iree_hal_buffer_mapping_t* mapping) {
  (void)mapping_mode, (void)memory_access, (void)byte_offset;
  (void)byte_length, (void)mapping;
  return iree_cy_unimplemented_entry(buffer, "iree_hal_buffer_t.map_range");
}

static iree_status_t iree_cy_default_unmap_range(
    iree_hal_buffer_t* buffer, iree_device_size_t byte_offset,
    iree_device_size_t byte_length, iree_hal_buffer_mapping_t* mapping) {
  (void)buffer, (void)byte_offset, (void)byte_length, (void)mapping;
  return iree_ok_status();
}

static iree_status_t iree_cy_default_cache_range(
    iree_hal_buffer_t* buffer, iree_device_size_t byte_offset,
    iree_device_size_t byte_length) {
  (void)buffer, (void)byte_offset, (void)byte_length;
  return iree_ok_status();
}

const iree_hal_buffer_vtable_t iree_cy_buffer_vtable_defaults = {
    .header = {.size = sizeof(iree_hal_buffer_vtable_t),
               .kind = IREE_CY_OBJECT_KIND_BUFFER},
    .map_range = iree_cy_default_map_range,
    .unmap_range = iree_cy_default_unmap_range,
    .invalidate_range = iree_cy_default_cache_range,
    .flush_range = iree_cy_default_cache_range,
};

//===-- command buffers -----------------------------------------------------===

static iree_status_t iree_cy_default_begin(
    iree_hal_command_buffer_t* command_buffer) {
  (void)command_buffer;
  return iree_ok_status();
}

static iree_status_t iree_cy_default_begin_debug_group(
    iree_hal_command_buffer_t* command_buffer, iree_string_view_t label) {
  (void)command_buffer, (void)label;
  return iree_ok_status();
}

static iree_status_t iree_cy_default_execution_barrier(
    iree_hal_command_buffer_t* command_buffer,
    iree_hal_execution_stage_t source_stage_mask,
    iree_hal_execution_stage_t target_stage_mask,
    iree_hal_execution_barrier_flags_t flags,
    iree_host_size_t memory_barrier_count,
    const iree_hal_memory_barrier_t* memory_barriers,
    iree_host_size_t buffer_barrier_count,
    const iree_hal_buffer_barrier_t* buffer_barriers) {
  (void)source_stage_mask, (void)target_stage_mask, (void)flags;
  (void)memory_barrier_count, (void)memory_barriers;
  (void)buffer_barrier_count, (void)buffer_barriers;
  return iree_cy_unimplemented_entry(
      command_buffer, "iree_hal_command_buffer_t.execution_barrier");
}

static iree_status_t iree_cy_default_advise_buffer(
    iree_hal_command_buffer_t* command_buffer, iree_hal_buffer_ref_t buffer_ref,
    uint64_t flags, uint64_t arg0, uint64_t arg1) {
  (void)command_buffer, (void)buffer_ref, (void)flags, (void)arg0, (void)arg1;
  return iree_ok_status();
}

static iree_status_t iree_cy_default_fill_buffer(
    iree_hal_command_buffer_t* command_buffer, iree_hal_buffer_ref_t target_ref,
    const void* pattern, iree_host_size_t pattern_length,
    iree_hal_fill_flags_t flags) {
  (void)target_ref, (void)pattern, (void)pattern_length, (void)flags;
  return iree_cy_unimplemented_entry(command_buffer,
                                     "iree_hal_command_buffer_t.fill_buffer");
}

static iree_status_t iree_cy_default_update_buffer(
    iree_hal_command_buffer_t* command_buffer, const void* source_buffer,
    iree_host_size_t source_offset, iree_hal_buffer_ref_t target_ref,
    iree_hal_update_flags_t flags) {
  (void)source_buffer, (void)source_offset, (void)target_ref, (void)flags;
  return iree_cy_unimplemented_entry(command_buffer,
                                     "iree_hal_command_buffer_t.update_buffer");
}

static iree_status_t iree_cy_default_copy_buffer(
    iree_hal_command_buffer_t* command_buffer, iree_hal_buffer_ref_t source_ref,
    iree_hal_buffer_ref_t target_ref, iree_hal_copy_flags_t flags) {
  (void)source_ref, (void)target_ref, (void)flags;
  return iree_cy_unimplemented_entry(command_buffer,
                                     "iree_hal_command_buffer_t.copy_buffer");
}

static iree_status_t iree_cy_default_collective(
    iree_hal_command_buffer_t* command_buffer, iree_hal_channel_t* channel,
    uint32_t op, uint32_t param, iree_hal_buffer_ref_t send_ref,
    iree_hal_buffer_ref_t recv_ref, iree_device_size_t element_count) {
  (void)channel, (void)op, (void)param, (void)send_ref, (void)recv_ref;
  (void)element_count;
  return iree_cy_unimplemented_entry(command_buffer,
                                     "iree_hal_command_buffer_t.collective");
}

static iree_status_t iree_cy_default_dispatch(
    iree_hal_command_buffer_t* command_buffer,
    iree_hal_executable_t* executable, iree_hal_executable_function_t function,
    const iree_hal_dispatch_config_t* config, iree_const_byte_span_t constants,
    iree_hal_buffer_ref_list_t bindings, iree_hal_dispatch_flags_t flags) {
  (void)executable, (void)function, (void)config, (void)constants;
  (void)bindings, (void)flags;
  return iree_cy_unimplemented_entry(command_buffer,
                                     "iree_hal_command_buffer_t.dispatch");
}

const iree_hal_command_buffer_vtable_t iree_cy_command_buffer_vtable_defaults =
    {
        .header = {.size = sizeof(iree_hal_command_buffer_vtable_t),
                   .kind = IREE_CY_OBJECT_KIND_COMMAND_BUFFER},
        .begin = iree_cy_default_begin,
        .end = iree_cy_default_begin,
        .begin_debug_group = iree_cy_default_begin_debug_group,
        .end_debug_group = iree_cy_default_begin,
        .execution_barrier = iree_cy_default_execution_barrier,
        .advise_buffer = iree_cy_default_advise_buffer,
        .fill_buffer = iree_cy_default_fill_buffer,
        .update_buffer = iree_cy_default_update_buffer,
        .copy_buffer = iree_cy_default_copy_buffer,
        .collective = iree_cy_default_collective,
        .dispatch = iree_cy_default_dispatch,
};

//===-- executables ---------------------------------------------------------===

static iree_status_t iree_cy_default_lookup_function_by_name(
    iree_hal_executable_t* executable, iree_string_view_t name,
    iree_hal_executable_function_t* out_function) {
  const iree_hal_executable_vtable_t* vtable =
      (const iree_hal_executable_vtable_t*)executable->resource.vtable;
  const iree_host_size_t count = vtable->function_count(executable);
  for (iree_host_size_t i = 0; i < count && i <= UINT32_MAX; ++i) {
    const iree_hal_executable_function_t function =
        iree_hal_executable_function_from_index((uint32_t)i);
    iree_hal_executable_function_info_t info;
    memset(&info, 0, sizeof(info));
    info.size = sizeof(info);
    IREE_RETURN_IF_ERROR(vtable->function_info(executable, function, &info));
    if (iree_string_view_equal(info.name, name)) {
      *out_function = function;
      return iree_ok_status();
    }
  }
  return iree_make_status(IREE_STATUS_NOT_FOUND,
                          "the executable has no function '%.*s' among its "
                          "%" PRIhsz,
                          IREE_SV_ARG(name), count);
}

const iree_hal_executable_vtable_t iree_cy_executable_vtable_defaults = {
    .header = {.size = sizeof(iree_hal_executable_vtable_t),
               .kind = IREE_CY_OBJECT_KIND_EXECUTABLE},
    .lookup_function_by_name = iree_cy_default_lookup_function_by_name,
};

const iree_hal_executable_cache_vtable_t
    iree_cy_executable_cache_vtable_defaults = {
        .header = {.size = sizeof(iree_hal_executable_cache_vtable_t),
                   .kind = IREE_CY_OBJECT_KIND_EXECUTABLE_CACHE},
};

const iree_hal_executable_loader_vtable_t
    iree_cy_executable_loader_vtable_defaults = {
        .header = {.size = sizeof(iree_hal_executable_loader_vtable_t),
                   .kind = IREE_CY_OBJECT_KIND_EXECUTABLE_LOADER},
};
