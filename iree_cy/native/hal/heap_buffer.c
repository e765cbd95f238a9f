// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns buffers that are plain host memory: allocated with their header in one
// block, or wrapped around memory of somebody else.

#include "iree_cy/native/hal/heap_buffer.h"

typedef struct heap_buffer_t {
  iree_hal_buffer_t base;
  // Atomic: it changes once, when the buffer is detached.
  uint8_t* data;
  // Of a block; NULL for a wrapped buffer.
  iree_cy_heap_buffer_free_fn_t free_fn;
  void* owner;
  uint32_t block_class;
  // Of a wrapped buffer; what it was moved to, NULL until it is detached.
  void* detached_data;
  iree_hal_buffer_release_callback_t release_callback;
  iree_allocator_t host_allocator;
} heap_buffer_t;

static uint8_t* heap_buffer_load_data(const iree_hal_buffer_t* buffer) {
  return __atomic_load_n(&((const heap_buffer_t*)buffer)->data,
                         __ATOMIC_ACQUIRE);
}

static void heap_buffer_destroy(iree_hal_buffer_t* base_buffer) {
  heap_buffer_t* buffer = (heap_buffer_t*)base_buffer;
  iree_hal_buffer_deinitialize(base_buffer);
  if (buffer->free_fn) {
    buffer->free_fn(buffer->owner, base_buffer, base_buffer->allocation_size,
                    buffer->block_class);
    return;
  }
  iree_allocator_free_aligned(buffer->host_allocator, buffer->detached_data);
  if (buffer->release_callback.fn) {
    buffer->release_callback.fn(buffer->release_callback.user_data,
                                base_buffer);
  }
  iree_allocator_free(buffer->host_allocator, buffer);
}

static iree_status_t heap_buffer_map_range(
    iree_hal_buffer_t* buffer, iree_hal_mapping_mode_t mapping_mode,
    iree_hal_memory_access_t memory_access, iree_device_size_t byte_offset,
    iree_device_size_t byte_length, iree_hal_buffer_mapping_t* mapping) {
  (void)mapping_mode;
  (void)memory_access;
  uint8_t* data = heap_buffer_load_data(buffer);
  // An empty buffer may have no address to count from.
  mapping->contents = iree_make_byte_span(data ? data + byte_offset : NULL,
                                          (iree_host_size_t)byte_length);
  return iree_ok_status();
}

static iree_status_t heap_buffer_unmap_range(
    iree_hal_buffer_t* buffer, iree_device_size_t byte_offset,
    iree_device_size_t byte_length, iree_hal_buffer_mapping_t* mapping) {
  (void)buffer;
  (void)byte_offset;
  (void)byte_length;
  (void)mapping;
  return iree_ok_status();
}

static iree_status_t heap_buffer_coherent_range(
    iree_hal_buffer_t* buffer, iree_device_size_t byte_offset,
    iree_device_size_t byte_length) {
  (void)buffer;
  (void)byte_offset;
  (void)byte_length;
  return iree_ok_status();
}

static const iree_hal_buffer_vtable_t heap_buffer_vtable = {
    .header = {.size = sizeof(iree_hal_buffer_vtable_t),
               .kind = IREE_CY_OBJECT_KIND_BUFFER},
    .destroy = heap_buffer_destroy,
    .map_range = heap_buffer_map_range,
    .unmap_range = heap_buffer_unmap_range,
    .invalidate_range = heap_buffer_coherent_range,
    .flush_range = heap_buffer_coherent_range,
};

iree_host_size_t iree_cy_heap_buffer_header_size(iree_host_size_t alignment) {
  return iree_host_align(
      sizeof(heap_buffer_t),
      iree_max(alignment, (iree_host_size_t)IREE_CY_HEAP_BUFFER_ALIGNMENT));
}

iree_hal_buffer_t* iree_cy_heap_buffer_initialize_block(
    void* block, iree_host_size_t header_size, uint32_t block_class,
    iree_hal_buffer_placement_t placement, iree_hal_memory_type_t memory_type,
    iree_hal_memory_access_t allowed_access,
    iree_hal_buffer_usage_t allowed_usage, iree_device_size_t byte_length,
    iree_cy_heap_buffer_free_fn_t free_fn, void* owner) {
  heap_buffer_t* buffer = (heap_buffer_t*)block;
  iree_hal_buffer_initialize(placement, &buffer->base, byte_length, 0,
                             byte_length, memory_type, allowed_access,
                             allowed_usage, &heap_buffer_vtable, &buffer->base);
  buffer->data = (uint8_t*)block + header_size;
  buffer->free_fn = free_fn;
  buffer->owner = owner;
  buffer->block_class = block_class;
  return &buffer->base;
}

iree_status_t iree_hal_heap_buffer_wrap(
    iree_hal_buffer_placement_t placement, iree_hal_memory_type_t memory_type,
    iree_hal_memory_access_t allowed_access,
    iree_hal_buffer_usage_t allowed_usage, iree_byte_span_t data,
    iree_hal_buffer_release_callback_t release_callback,
    iree_allocator_t host_allocator, iree_hal_buffer_t** out_buffer) {
  *out_buffer = NULL;
  if (data.data_length && !data.data) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "%" PRIhsz " bytes at NULL cannot be wrapped",
                            data.data_length);
  }
  // Compiled code reads and writes with aligned vector instructions.
  if (data.data_length &&
      !iree_any_bit_set(allowed_access, IREE_HAL_MEMORY_ACCESS_UNALIGNED) &&
      (uintptr_t)data.data % IREE_CY_HEAP_BUFFER_ALIGNMENT != 0) {
    return iree_make_status(
        IREE_STATUS_OUT_OF_RANGE,
        "host memory at %p is not aligned to %d bytes; align or copy it",
        (void*)data.data, IREE_CY_HEAP_BUFFER_ALIGNMENT);
  }
  heap_buffer_t* buffer = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc_uninitialized(
      host_allocator, sizeof(*buffer), (void**)&buffer));
  iree_hal_buffer_initialize(placement, &buffer->base, data.data_length, 0,
                             data.data_length, memory_type, allowed_access,
                             allowed_usage, &heap_buffer_vtable, &buffer->base);
  buffer->data = data.data;
  buffer->free_fn = NULL;
  buffer->owner = NULL;
  buffer->block_class = 0;
  buffer->detached_data = NULL;
  buffer->release_callback = release_callback;
  buffer->host_allocator = host_allocator;
  *out_buffer = &buffer->base;
  return iree_ok_status();
}

iree_status_t iree_cy_heap_buffer_detach(iree_hal_buffer_t* base_buffer) {
  heap_buffer_t* buffer = (heap_buffer_t*)base_buffer;
  if (!iree_hal_resource_is(base_buffer, &heap_buffer_vtable) ||
      buffer->free_fn) {
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "only a buffer over wrapped host memory is detached");
  }
  if (buffer->detached_data) return iree_ok_status();
  const iree_host_size_t length =
      (iree_host_size_t)base_buffer->allocation_size;
  void* data = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc_aligned(
      buffer->host_allocator, length, IREE_CY_HEAP_BUFFER_ALIGNMENT, &data));
  if (length) memcpy(data, buffer->data, length);
  buffer->detached_data = data;
  __atomic_store_n(&buffer->data, (uint8_t*)data, __ATOMIC_RELEASE);
  base_buffer->allowed_access |= IREE_HAL_MEMORY_ACCESS_ALL;
  return iree_ok_status();
}

bool iree_cy_heap_buffer_is_lent(const iree_hal_buffer_t* base_buffer) {
  const heap_buffer_t* buffer =
      (const heap_buffer_t*)base_buffer->allocated_buffer;
  return iree_hal_resource_is(buffer, &heap_buffer_vtable) &&
         !buffer->free_fn && !buffer->detached_data;
}

void* iree_hal_heap_buffer_data(const iree_hal_buffer_t* buffer) {
  const iree_hal_buffer_t* owner = buffer->allocated_buffer;
  if (!iree_hal_resource_is(owner, &heap_buffer_vtable)) return NULL;
  uint8_t* data = heap_buffer_load_data(owner);
  return data ? data + buffer->byte_offset : NULL;
}
