// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the debug allocator: fresh and freed memory of another allocator is
// filled with patterns, so that what reads it shows.

#include "iree_cy/hal/allocator.h"

enum {
  FRESH_PATTERN = 0xCD,
  FREED_PATTERN = 0xDD,
};

typedef struct debug_allocator_t {
  iree_hal_allocator_t base;
  iree_hal_allocator_t* inner;
} debug_allocator_t;

// Follows one buffer from its allocation to its end.
typedef struct debug_mark_t {
  iree_allocator_t host_allocator;
  // What the inner allocator had set.
  iree_hal_buffer_release_callback_t inner_callback;
} debug_mark_t;

// Fills the whole allocation when the host can reach it. The pattern is a help,
// not a promise: what cannot be mapped is left as it is.
static void fill_allocation(iree_hal_buffer_t* buffer, uint8_t pattern) {
  iree_hal_buffer_mapping_t mapping;
  // Read-only buffers too: nobody else has it yet, or any more.
  const iree_hal_memory_access_t allowed_access = buffer->allowed_access;
  buffer->allowed_access |= IREE_HAL_MEMORY_ACCESS_WRITE;
  iree_status_t status = iree_hal_buffer_map_range(
      buffer, IREE_HAL_MAPPING_MODE_SCOPED,
      IREE_HAL_MEMORY_ACCESS_DISCARD_WRITE, 0, IREE_HAL_WHOLE_BUFFER, &mapping);
  buffer->allowed_access = allowed_access;
  if (iree_status_is_ok(status)) {
    if (mapping.contents.data_length) {
      memset(mapping.contents.data, pattern, mapping.contents.data_length);
    }
    if (!iree_all_bits_set(buffer->memory_type,
                           IREE_HAL_MEMORY_TYPE_HOST_COHERENT)) {
      status = iree_hal_buffer_mapping_flush_range(&mapping, 0,
                                                   IREE_HAL_WHOLE_BUFFER);
    }
    status = iree_status_join(status, iree_hal_buffer_unmap_range(&mapping));
  }
  iree_status_ignore(status);
}

static void recycle_buffer(void* user_data, iree_hal_buffer_t* buffer) {
  debug_mark_t* mark = (debug_mark_t*)user_data;
  const iree_hal_buffer_release_callback_t inner_callback =
      mark->inner_callback;
  iree_allocator_free(mark->host_allocator, mark);
  fill_allocation(buffer, FREED_PATTERN);
  iree_hal_buffer_set_recycle_callback(buffer, inner_callback);
  iree_hal_buffer_release(buffer);
}

static void debug_allocator_destroy(iree_hal_allocator_t* base_allocator) {
  debug_allocator_t* allocator = (debug_allocator_t*)base_allocator;
  iree_hal_allocator_deinitialize(base_allocator);
  iree_hal_allocator_release(allocator->inner);
  iree_allocator_free(base_allocator->host_allocator, allocator);
}

static iree_status_t debug_allocator_trim(iree_hal_allocator_t* allocator) {
  return iree_hal_allocator_trim(((debug_allocator_t*)allocator)->inner);
}

static void debug_allocator_query_statistics(
    iree_hal_allocator_t* allocator,
    iree_hal_allocator_statistics_t* out_statistics) {
  iree_hal_allocator_query_statistics(((debug_allocator_t*)allocator)->inner,
                                      out_statistics);
}

static iree_status_t debug_allocator_query_memory_heaps(
    iree_hal_allocator_t* allocator, iree_host_size_t capacity,
    iree_hal_allocator_memory_heap_t* heaps, iree_host_size_t* out_count) {
  return iree_hal_allocator_query_memory_heaps(
      ((debug_allocator_t*)allocator)->inner, capacity, heaps, out_count);
}

static iree_hal_buffer_compatibility_t
debug_allocator_query_buffer_compatibility(
    iree_hal_allocator_t* allocator, iree_hal_buffer_params_t* params,
    iree_device_size_t* allocation_size) {
  return iree_hal_allocator_query_buffer_compatibility(
      ((debug_allocator_t*)allocator)->inner, *params, *allocation_size, params,
      allocation_size);
}

static iree_status_t debug_allocator_allocate_buffer(
    iree_hal_allocator_t* base_allocator,
    const iree_hal_buffer_params_t* params, iree_device_size_t allocation_size,
    iree_hal_buffer_t** out_buffer) {
  debug_allocator_t* allocator = (debug_allocator_t*)base_allocator;
  *out_buffer = NULL;
  debug_mark_t* mark = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(base_allocator->host_allocator,
                                             sizeof(*mark), (void**)&mark));
  iree_hal_buffer_t* buffer = NULL;
  iree_status_t status = iree_hal_allocator_allocate_buffer(
      allocator->inner, *params, allocation_size, &buffer);
  if (!iree_status_is_ok(status)) {
    iree_allocator_free(base_allocator->host_allocator, mark);
    return status;
  }
  fill_allocation(buffer, FRESH_PATTERN);
  mark->host_allocator = base_allocator->host_allocator;
  const iree_hal_buffer_release_callback_t callback = {recycle_buffer, mark};
  mark->inner_callback = iree_hal_buffer_set_recycle_callback(buffer, callback);
  *out_buffer = buffer;
  return iree_ok_status();
}

static iree_status_t debug_allocator_import_buffer(
    iree_hal_allocator_t* allocator, const iree_hal_buffer_params_t* params,
    const iree_hal_external_buffer_t* external_buffer,
    iree_hal_buffer_release_callback_t release_callback,
    iree_hal_buffer_t** out_buffer) {
  return iree_hal_allocator_import_buffer(
      ((debug_allocator_t*)allocator)->inner, *params, external_buffer,
      release_callback, out_buffer);
}

static iree_status_t debug_allocator_export_buffer(
    iree_hal_allocator_t* allocator, iree_hal_buffer_t* buffer,
    iree_hal_external_buffer_type_t requested_type, uint32_t requested_flags,
    iree_hal_external_buffer_t* out_external_buffer) {
  return iree_hal_allocator_export_buffer(
      ((debug_allocator_t*)allocator)->inner, buffer, requested_type,
      requested_flags, out_external_buffer);
}

static const iree_hal_allocator_vtable_t debug_allocator_vtable = {
    .header = {.size = sizeof(iree_hal_allocator_vtable_t),
               .kind = IREE_CY_OBJECT_KIND_ALLOCATOR},
    .destroy = debug_allocator_destroy,
    .trim = debug_allocator_trim,
    .query_statistics = debug_allocator_query_statistics,
    .query_memory_heaps = debug_allocator_query_memory_heaps,
    .query_buffer_compatibility = debug_allocator_query_buffer_compatibility,
    .allocate_buffer = debug_allocator_allocate_buffer,
    .import_buffer = debug_allocator_import_buffer,
    .export_buffer = debug_allocator_export_buffer,
};

iree_status_t iree_hal_allocator_create_debug(
    iree_hal_allocator_t* inner, iree_allocator_t host_allocator,
    iree_hal_allocator_t** out_allocator) {
  *out_allocator = NULL;
  debug_allocator_t* allocator = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(host_allocator, sizeof(*allocator),
                                             (void**)&allocator));
  iree_hal_allocator_initialize(&debug_allocator_vtable, host_allocator,
                                &allocator->base);
  allocator->inner = inner;
  iree_hal_allocator_retain(inner);
  *out_allocator = &allocator->base;
  return iree_ok_status();
}
