// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the caching allocator: freed buffers of another allocator are kept for
// the next request of their size and kind.

#include "iree_cy/hal/allocator.h"
#include "iree_cy/native/base/mutex.h"

#define DEFAULT_MAX_BYTES ((iree_device_size_t)256 << 20)
enum { MAX_ENTRY_COUNT = 256 };

// What the cache knows of a buffer: from its allocation until it is destroyed
// by the inner allocator. While the buffer is in use it holds the allocator.
typedef struct cached_buffer_t {
  iree_hal_buffer_t* buffer;
  struct caching_allocator_t* allocator;
  // As asked for, with the size rounded up.
  iree_hal_buffer_params_t params;
  iree_device_size_t size;
  // What the inner allocator had set.
  iree_hal_buffer_release_callback_t inner_callback;
  iree_hal_buffer_placement_t inner_placement;
} cached_buffer_t;

typedef struct caching_allocator_t {
  iree_hal_allocator_t base;
  iree_hal_allocator_t* inner;
  iree_device_size_t max_bytes;
  // Guards what follows.
  iree_cy_mutex_t mutex;
  uint32_t entry_count;
  iree_device_size_t cached_bytes;
  // Oldest first.
  cached_buffer_t* entries[MAX_ENTRY_COUNT];
} caching_allocator_t;

// Sizes are rounded up to an eighth of their power of two, so that requests of
// like size meet.
static bool round_size(iree_device_size_t size, iree_device_size_t* out_size) {
  iree_device_size_t step = 64;
  if (size > 512)
    step = ((iree_device_size_t)1 << (63 - __builtin_clzll(size))) / 8;
  return iree_device_size_checked_align(iree_max(size, (iree_device_size_t)1),
                                        step, out_size);
}

static bool params_equal(const iree_hal_buffer_params_t* a,
                         const iree_hal_buffer_params_t* b) {
  return a->usage == b->usage && a->access == b->access && a->type == b->type &&
         a->queue_affinity == b->queue_affinity &&
         a->min_alignment == b->min_alignment;
}

// Hands the buffer back to the inner allocator.
static void destroy_entry(cached_buffer_t* entry) {
  iree_hal_buffer_t* buffer = entry->buffer;
  iree_allocator_t host_allocator = entry->allocator->base.host_allocator;
  buffer->byte_length = entry->size;
  iree_hal_buffer_set_recycle_callback(buffer, entry->inner_callback);
  iree_allocator_free(host_allocator, entry);
  iree_hal_buffer_release(buffer);
}

// Removes the entry at |index|. The mutex is held.
static cached_buffer_t* remove_entry(caching_allocator_t* allocator,
                                     uint32_t index) {
  cached_buffer_t* entry = allocator->entries[index];
  --allocator->entry_count;
  memmove(&allocator->entries[index], &allocator->entries[index + 1],
          (allocator->entry_count - index) * sizeof(allocator->entries[0]));
  allocator->cached_bytes -= entry->size;
  return entry;
}

// The youngest fitting entry, whose memory is most likely still in caches.
static cached_buffer_t* take_entry(caching_allocator_t* allocator,
                                   const iree_hal_buffer_params_t* params,
                                   iree_device_size_t size) {
  cached_buffer_t* entry = NULL;
  iree_cy_mutex_lock(&allocator->mutex);
  for (uint32_t i = allocator->entry_count; i > 0 && !entry; --i) {
    const cached_buffer_t* candidate = allocator->entries[i - 1];
    if (candidate->size == size && params_equal(&candidate->params, params)) {
      entry = remove_entry(allocator, i - 1);
    }
  }
  iree_cy_mutex_unlock(&allocator->mutex);
  return entry;
}

// Removes the oldest entry until |extra_bytes| and one more entry fit. Returns
// NULL when they do.
static cached_buffer_t* take_oldest_entry(caching_allocator_t* allocator,
                                          iree_device_size_t extra_bytes) {
  cached_buffer_t* entry = NULL;
  iree_cy_mutex_lock(&allocator->mutex);
  if (allocator->entry_count &&
      (allocator->entry_count == MAX_ENTRY_COUNT ||
       extra_bytes > allocator->max_bytes - allocator->cached_bytes)) {
    entry = remove_entry(allocator, 0);
  }
  iree_cy_mutex_unlock(&allocator->mutex);
  return entry;
}

static bool put_entry(caching_allocator_t* allocator, cached_buffer_t* entry) {
  bool is_kept = false;
  iree_cy_mutex_lock(&allocator->mutex);
  if (allocator->entry_count < MAX_ENTRY_COUNT &&
      entry->size <= allocator->max_bytes - allocator->cached_bytes) {
    allocator->entries[allocator->entry_count++] = entry;
    allocator->cached_bytes += entry->size;
    is_kept = true;
  }
  iree_cy_mutex_unlock(&allocator->mutex);
  return is_kept;
}

// Takes the buffer that |user_data| describes, in place of its destruction.
static void recycle_buffer(void* user_data, iree_hal_buffer_t* buffer) {
  (void)buffer;
  cached_buffer_t* entry = (cached_buffer_t*)user_data;
  caching_allocator_t* allocator = entry->allocator;
  if (entry->size <= allocator->max_bytes) {
    cached_buffer_t* oldest = NULL;
    while ((oldest = take_oldest_entry(allocator, entry->size)) != NULL) {
      destroy_entry(oldest);
    }
    if (put_entry(allocator, entry)) entry = NULL;
  }
  if (entry) destroy_entry(entry);
  iree_hal_allocator_release(&allocator->base);
}

static void drop_entries(caching_allocator_t* allocator) {
  cached_buffer_t* entry = NULL;
  while ((entry = take_oldest_entry(allocator, IREE_DEVICE_SIZE_MAX)) != NULL) {
    destroy_entry(entry);
  }
}

static void caching_allocator_destroy(iree_hal_allocator_t* base_allocator) {
  caching_allocator_t* allocator = (caching_allocator_t*)base_allocator;
  iree_hal_allocator_deinitialize(base_allocator);
  drop_entries(allocator);
  iree_hal_allocator_release(allocator->inner);
  iree_allocator_free(base_allocator->host_allocator, allocator);
}

static iree_status_t caching_allocator_trim(
    iree_hal_allocator_t* base_allocator) {
  caching_allocator_t* allocator = (caching_allocator_t*)base_allocator;
  drop_entries(allocator);
  return iree_hal_allocator_trim(allocator->inner);
}

static void caching_allocator_query_statistics(
    iree_hal_allocator_t* allocator,
    iree_hal_allocator_statistics_t* out_statistics) {
  iree_hal_allocator_query_statistics(((caching_allocator_t*)allocator)->inner,
                                      out_statistics);
}

static iree_status_t caching_allocator_query_memory_heaps(
    iree_hal_allocator_t* allocator, iree_host_size_t capacity,
    iree_hal_allocator_memory_heap_t* heaps, iree_host_size_t* out_count) {
  return iree_hal_allocator_query_memory_heaps(
      ((caching_allocator_t*)allocator)->inner, capacity, heaps, out_count);
}

static iree_hal_buffer_compatibility_t
caching_allocator_query_buffer_compatibility(
    iree_hal_allocator_t* allocator, iree_hal_buffer_params_t* params,
    iree_device_size_t* allocation_size) {
  return iree_hal_allocator_query_buffer_compatibility(
      ((caching_allocator_t*)allocator)->inner, *params, *allocation_size,
      params, allocation_size);
}

// A new buffer of |size| bytes from the inner allocator.
static iree_status_t allocate_entry(caching_allocator_t* allocator,
                                    const iree_hal_buffer_params_t* params,
                                    iree_device_size_t size,
                                    cached_buffer_t** out_entry) {
  *out_entry = NULL;
  cached_buffer_t* entry = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(allocator->base.host_allocator,
                                             sizeof(*entry), (void**)&entry));
  iree_status_t status = iree_hal_allocator_allocate_buffer(
      allocator->inner, *params, size, &entry->buffer);
  if (iree_status_code(status) == IREE_STATUS_RESOURCE_EXHAUSTED) {
    // What is kept may be what is missing.
    iree_status_ignore(status);
    drop_entries(allocator);
    status = iree_hal_allocator_allocate_buffer(allocator->inner, *params, size,
                                                &entry->buffer);
  }
  if (!iree_status_is_ok(status)) {
    iree_allocator_free(allocator->base.host_allocator, entry);
    return status;
  }
  entry->allocator = allocator;
  entry->params = *params;
  entry->size = size;
  entry->inner_callback = entry->buffer->recycle_callback;
  entry->inner_placement = entry->buffer->placement;
  *out_entry = entry;
  return iree_ok_status();
}

static iree_status_t caching_allocator_allocate_buffer(
    iree_hal_allocator_t* base_allocator,
    const iree_hal_buffer_params_t* params, iree_device_size_t allocation_size,
    iree_hal_buffer_t** out_buffer) {
  caching_allocator_t* allocator = (caching_allocator_t*)base_allocator;
  *out_buffer = NULL;
  iree_device_size_t size = 0;
  if (!round_size(allocation_size, &size)) {
    return iree_make_status(IREE_STATUS_RESOURCE_EXHAUSTED,
                            "%" PRIdsz " bytes are more than memory can hold",
                            allocation_size);
  }
  cached_buffer_t* entry = take_entry(allocator, params, size);
  if (!entry) {
    IREE_RETURN_IF_ERROR(allocate_entry(allocator, params, size, &entry));
  }
  iree_hal_buffer_t* buffer = entry->buffer;
  buffer->byte_length = allocation_size;
  buffer->preserve_count = 1;
  buffer->placement = entry->inner_placement;
  const iree_hal_buffer_release_callback_t callback = {recycle_buffer, entry};
  iree_hal_buffer_set_recycle_callback(buffer, callback);
  iree_hal_allocator_retain(base_allocator);
  *out_buffer = buffer;
  return iree_ok_status();
}

static iree_status_t caching_allocator_import_buffer(
    iree_hal_allocator_t* allocator, const iree_hal_buffer_params_t* params,
    const iree_hal_external_buffer_t* external_buffer,
    iree_hal_buffer_release_callback_t release_callback,
    iree_hal_buffer_t** out_buffer) {
  return iree_hal_allocator_import_buffer(
      ((caching_allocator_t*)allocator)->inner, *params, external_buffer,
      release_callback, out_buffer);
}

static iree_status_t caching_allocator_export_buffer(
    iree_hal_allocator_t* allocator, iree_hal_buffer_t* buffer,
    iree_hal_external_buffer_type_t requested_type, uint32_t requested_flags,
    iree_hal_external_buffer_t* out_external_buffer) {
  return iree_hal_allocator_export_buffer(
      ((caching_allocator_t*)allocator)->inner, buffer, requested_type,
      requested_flags, out_external_buffer);
}

static const iree_hal_allocator_vtable_t caching_allocator_vtable = {
    .header = {.size = sizeof(iree_hal_allocator_vtable_t),
               .kind = IREE_CY_OBJECT_KIND_ALLOCATOR},
    .destroy = caching_allocator_destroy,
    .trim = caching_allocator_trim,
    .query_statistics = caching_allocator_query_statistics,
    .query_memory_heaps = caching_allocator_query_memory_heaps,
    .query_buffer_compatibility = caching_allocator_query_buffer_compatibility,
    .allocate_buffer = caching_allocator_allocate_buffer,
    .import_buffer = caching_allocator_import_buffer,
    .export_buffer = caching_allocator_export_buffer,
};

iree_status_t iree_hal_allocator_create_caching(
    iree_hal_allocator_t* inner, iree_device_size_t max_bytes,
    iree_allocator_t host_allocator, iree_hal_allocator_t** out_allocator) {
  *out_allocator = NULL;
  caching_allocator_t* allocator = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(host_allocator, sizeof(*allocator),
                                             (void**)&allocator));
  iree_hal_allocator_initialize(&caching_allocator_vtable, host_allocator,
                                &allocator->base);
  allocator->inner = inner;
  iree_hal_allocator_retain(inner);
  allocator->max_bytes = max_bytes ? max_bytes : DEFAULT_MAX_BYTES;
  *out_allocator = &allocator->base;
  return iree_ok_status();
}
