// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Implements the allocator of a device and its buffers, which the host sees.

#include "allocator.h"

#include "result.h"

typedef struct vulkan_allocator_t {
  iree_hal_allocator_t base;
  vulkan_logical_device_t* logical;
  // What the host sees, and what only the device does: by what is asked for, a
  // buffer is in the one or the other. Without the latter all are in the first.
  vulkan_memory_t shared;
  vulkan_memory_t own;
  bool has_own;
} vulkan_allocator_t;

// Keeps the allocator.
typedef struct vulkan_buffer_t {
  iree_hal_buffer_t base;
  vulkan_allocator_t* allocator;
  // Of the allocator.
  vulkan_memory_t* memory;
  // None for 0 bytes.
  vulkan_range_t range;
  // Whether the block is of this buffer alone, over memory of somebody else's,
  // and whom to tell that it is not used any more.
  bool is_imported;
  iree_hal_buffer_release_callback_t release_callback;
} vulkan_buffer_t;

static const iree_hal_allocator_vtable_t* vulkan_allocator_vtable = NULL;
static const iree_hal_buffer_vtable_t* vulkan_buffer_vtable = NULL;

static const iree_hal_buffer_usage_t allowed_usage =
    IREE_HAL_BUFFER_USAGE_TRANSFER | IREE_HAL_BUFFER_USAGE_DISPATCH_STORAGE |
    IREE_HAL_BUFFER_USAGE_DISPATCH_UNIFORM_READ |
    IREE_HAL_BUFFER_USAGE_DISPATCH_INDIRECT_PARAMETERS |
    IREE_HAL_BUFFER_USAGE_MAPPING | IREE_HAL_BUFFER_USAGE_MAPPING_PERSISTENT;

//===-- buffers -------------------------------------------------------------===

static void vulkan_buffer_destroy(iree_hal_buffer_t* base_buffer) {
  vulkan_buffer_t* buffer = (vulkan_buffer_t*)base_buffer;
  vulkan_allocator_t* allocator = buffer->allocator;
  const iree_device_size_t size = base_buffer->allocation_size;
  const iree_hal_memory_type_t memory_type = base_buffer->memory_type;
  iree_hal_buffer_deinitialize(base_buffer);
  if (buffer->is_imported) {
    vulkan_block_release(buffer->memory, buffer->range.block);
    if (buffer->release_callback.fn) {
      buffer->release_callback.fn(buffer->release_callback.user_data,
                                  base_buffer);
    }
  } else {
    vulkan_memory_free(buffer->memory, &buffer->range);
    iree_hal_allocator_record_free(&allocator->base, memory_type, size);
  }
  iree_allocator_free(allocator->base.host_allocator, buffer);
  iree_hal_allocator_release(&allocator->base);
}

static vulkan_range_t vulkan_buffer_part(const vulkan_buffer_t* buffer,
                                         iree_device_size_t byte_offset,
                                         iree_device_size_t byte_length) {
  const vulkan_range_t part = {buffer->range.block,
                               buffer->range.offset + byte_offset, byte_length};
  return part;
}

static iree_status_t vulkan_buffer_invalidate_range(
    iree_hal_buffer_t* base_buffer, iree_device_size_t byte_offset,
    iree_device_size_t byte_length) {
  vulkan_buffer_t* buffer = (vulkan_buffer_t*)base_buffer;
  const vulkan_range_t part =
      vulkan_buffer_part(buffer, byte_offset, byte_length);
  return vulkan_memory_invalidate(buffer->memory, &part);
}

static iree_status_t vulkan_buffer_flush_range(iree_hal_buffer_t* base_buffer,
                                               iree_device_size_t byte_offset,
                                               iree_device_size_t byte_length) {
  vulkan_buffer_t* buffer = (vulkan_buffer_t*)base_buffer;
  const vulkan_range_t part =
      vulkan_buffer_part(buffer, byte_offset, byte_length);
  return vulkan_memory_flush(buffer->memory, &part);
}

static iree_status_t vulkan_buffer_map_range(
    iree_hal_buffer_t* base_buffer, iree_hal_mapping_mode_t mapping_mode,
    iree_hal_memory_access_t memory_access, iree_device_size_t byte_offset,
    iree_device_size_t byte_length, iree_hal_buffer_mapping_t* mapping) {
  (void)mapping_mode;
  vulkan_buffer_t* buffer = (vulkan_buffer_t*)base_buffer;
  IREE_RETURN_IF_ERROR(
      vulkan_logical_device_check_fork(buffer->allocator->logical));
  if (!buffer->range.block) return iree_ok_status();
  if (iree_any_bit_set(memory_access, IREE_HAL_MEMORY_ACCESS_READ)) {
    IREE_RETURN_IF_ERROR(
        vulkan_buffer_invalidate_range(base_buffer, byte_offset, byte_length));
  }
  mapping->contents.data =
      buffer->range.block->mapped + buffer->range.offset + byte_offset;
  mapping->contents.data_length = (iree_host_size_t)byte_length;
  return iree_ok_status();
}

static iree_status_t vulkan_buffer_unmap_range(
    iree_hal_buffer_t* base_buffer, iree_device_size_t byte_offset,
    iree_device_size_t byte_length, iree_hal_buffer_mapping_t* mapping) {
  vulkan_buffer_t* buffer = (vulkan_buffer_t*)base_buffer;
  if (!iree_any_bit_set(mapping->allowed_access,
                        IREE_HAL_MEMORY_ACCESS_WRITE) ||
      vulkan_logical_device_is_stale(buffer->allocator->logical)) {
    return iree_ok_status();
  }
  return vulkan_buffer_flush_range(base_buffer, byte_offset, byte_length);
}

iree_status_t vulkan_buffer_resolve(const vulkan_logical_device_t* logical,
                                    const iree_hal_buffer_t* base_buffer,
                                    iree_device_size_t offset,
                                    vulkan_span_t* out_span) {
  memset(out_span, 0, sizeof(*out_span));
  const iree_hal_buffer_t* allocated =
      iree_hal_buffer_allocated_buffer(base_buffer);
  const vulkan_buffer_t* buffer = (const vulkan_buffer_t*)allocated;
  if (allocated->resource.vtable != vulkan_buffer_vtable ||
      buffer->allocator->logical != logical) {
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "a buffer of driver '%.*s' is given to a device of driver 'vulkan', "
        "which reads its own alone; copy it there",
        IREE_SV_ARG(iree_cy_object_owner(allocated)));
  }
  if (!buffer->range.block) return iree_ok_status();
  const VkDeviceSize begin = iree_hal_buffer_byte_offset(base_buffer) + offset;
  out_span->buffer = buffer->range.block->buffer;
  out_span->offset = buffer->range.offset + begin;
  if (buffer->range.block->address) {
    out_span->address = buffer->range.block->address + out_span->offset;
  }
  out_span->capacity = buffer->range.size - begin;
  return iree_ok_status();
}

//===-- the allocator -------------------------------------------------------===

static iree_hal_memory_type_t hal_memory_type(const vulkan_memory_t* memory) {
  iree_hal_memory_type_t type = IREE_HAL_MEMORY_TYPE_DEVICE_VISIBLE;
  if (memory->place == VULKAN_MEMORY_PLACE_DEVICE) {
    return type | IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL;
  }
  type |= IREE_HAL_MEMORY_TYPE_HOST_VISIBLE;
  type |= memory->flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
              ? IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL
              : IREE_HAL_MEMORY_TYPE_HOST_LOCAL;
  if (memory->flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) {
    type |= IREE_HAL_MEMORY_TYPE_HOST_COHERENT;
  }
  if (memory->flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT) {
    type |= IREE_HAL_MEMORY_TYPE_HOST_CACHED;
  }
  return type;
}

// Where a buffer of these parameters is.
static vulkan_memory_t* choose_memory(vulkan_allocator_t* allocator,
                                      const iree_hal_buffer_params_t* params) {
  const bool is_seen =
      iree_any_bit_set(params->type, IREE_HAL_MEMORY_TYPE_HOST_VISIBLE |
                                         IREE_HAL_MEMORY_TYPE_HOST_COHERENT |
                                         IREE_HAL_MEMORY_TYPE_HOST_CACHED) ||
      iree_any_bit_set(params->usage,
                       IREE_HAL_BUFFER_USAGE_MAPPING |
                           IREE_HAL_BUFFER_USAGE_MAPPING_PERSISTENT);
  return allocator->has_own && !is_seen ? &allocator->own : &allocator->shared;
}

static void vulkan_allocator_destroy(iree_hal_allocator_t* base_allocator) {
  vulkan_allocator_t* allocator = (vulkan_allocator_t*)base_allocator;
  iree_allocator_t host_allocator = base_allocator->host_allocator;
  vulkan_logical_device_t* logical = allocator->logical;
  iree_hal_allocator_deinitialize(base_allocator);
  vulkan_memory_deinitialize(&allocator->shared);
  vulkan_memory_deinitialize(&allocator->own);
  iree_allocator_free(host_allocator, allocator);
  vulkan_logical_device_release(logical);
}

iree_status_t vulkan_allocator_create(vulkan_logical_device_t* logical,
                                      iree_allocator_t host_allocator,
                                      iree_hal_allocator_t** out_allocator) {
  *out_allocator = NULL;
  vulkan_allocator_t* allocator = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(host_allocator, sizeof(*allocator),
                                             (void**)&allocator));
  iree_status_t status = vulkan_memory_initialize(
      logical, VULKAN_MEMORY_PLACE_SHARED, &allocator->shared);
  if (!iree_status_is_ok(status)) {
    iree_allocator_free(host_allocator, allocator);
    return status;
  }
  if (logical->params.staging ||
      logical->params.memory == VULKAN_MEMORY_DEVICE) {
    status = vulkan_memory_initialize(logical, VULKAN_MEMORY_PLACE_DEVICE,
                                      &allocator->own);
    allocator->has_own = iree_status_is_ok(status);
    // Where there is no such memory, all of it is seen.
    iree_status_ignore(status);
  }
  iree_hal_allocator_initialize(vulkan_allocator_vtable, host_allocator,
                                &allocator->base);
  vulkan_logical_device_retain(logical);
  allocator->logical = logical;
  *out_allocator = &allocator->base;
  return iree_ok_status();
}

vulkan_memory_t* vulkan_allocator_memory(iree_hal_allocator_t* allocator) {
  return &((vulkan_allocator_t*)allocator)->shared;
}

static iree_status_t vulkan_allocator_trim(
    iree_hal_allocator_t* base_allocator) {
  vulkan_allocator_t* allocator = (vulkan_allocator_t*)base_allocator;
  IREE_RETURN_IF_ERROR(vulkan_logical_device_check_fork(allocator->logical));
  vulkan_memory_trim(&allocator->shared);
  if (allocator->has_own) vulkan_memory_trim(&allocator->own);
  return iree_ok_status();
}

static iree_status_t vulkan_allocator_query_memory_heaps(
    iree_hal_allocator_t* base_allocator, iree_host_size_t capacity,
    iree_hal_allocator_memory_heap_t* heaps, iree_host_size_t* out_count) {
  const vulkan_allocator_t* allocator = (vulkan_allocator_t*)base_allocator;
  const vulkan_memory_t* const memories[] = {&allocator->shared,
                                             &allocator->own};
  const iree_host_size_t count = allocator->has_own ? 2 : 1;
  *out_count = count;
  for (iree_host_size_t i = 0; i < count && i < capacity; ++i) {
    const iree_hal_buffer_usage_t mapping =
        IREE_HAL_BUFFER_USAGE_MAPPING |
        IREE_HAL_BUFFER_USAGE_MAPPING_PERSISTENT;
    const iree_hal_allocator_memory_heap_t heap = {
        .type = hal_memory_type(memories[i]),
        .allowed_usage = i == 0 ? allowed_usage : allowed_usage & ~mapping,
        .max_allocation_size = vulkan_memory_max_size(allocator->logical),
        .min_alignment = VULKAN_MEMORY_GRANULE,
    };
    heaps[i] = heap;
  }
  if (capacity >= count) return iree_ok_status();
  return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                          "there are %" PRIhsz
                          " memory heaps; room is for %" PRIhsz,
                          count, capacity);
}

static iree_hal_buffer_compatibility_t
vulkan_allocator_query_buffer_compatibility(
    iree_hal_allocator_t* base_allocator, iree_hal_buffer_params_t* params,
    iree_device_size_t* allocation_size) {
  (void)allocation_size;
  const vulkan_memory_t* memory =
      choose_memory((vulkan_allocator_t*)base_allocator, params);
  params->type &= ~IREE_HAL_MEMORY_TYPE_OPTIMAL;
  params->type |= hal_memory_type(memory);
  params->usage |= IREE_HAL_BUFFER_USAGE_TRANSFER;
  iree_hal_buffer_compatibility_t compatibility =
      IREE_HAL_BUFFER_COMPATIBILITY_ALLOCATABLE |
      IREE_HAL_BUFFER_COMPATIBILITY_QUEUE_TRANSFER;
  if (memory->place == VULKAN_MEMORY_PLACE_SHARED) {
    params->usage |= IREE_HAL_BUFFER_USAGE_MAPPING |
                     IREE_HAL_BUFFER_USAGE_MAPPING_PERSISTENT;
    compatibility |= IREE_HAL_BUFFER_COMPATIBILITY_EXPORTABLE;
  }
  if (memory->logical->enabled.extensions.external_memory_host) {
    compatibility |= IREE_HAL_BUFFER_COMPATIBILITY_IMPORTABLE;
  }
  if (iree_any_bit_set(params->usage,
                       IREE_HAL_BUFFER_USAGE_DISPATCH_STORAGE |
                           IREE_HAL_BUFFER_USAGE_DISPATCH_UNIFORM_READ)) {
    compatibility |= IREE_HAL_BUFFER_COMPATIBILITY_QUEUE_DISPATCH;
  }
  return compatibility;
}

static iree_status_t vulkan_allocator_allocate_buffer(
    iree_hal_allocator_t* base_allocator,
    const iree_hal_buffer_params_t* params, iree_device_size_t allocation_size,
    iree_hal_buffer_t** out_buffer) {
  vulkan_allocator_t* allocator = (vulkan_allocator_t*)base_allocator;
  iree_allocator_t host_allocator = base_allocator->host_allocator;
  IREE_RETURN_IF_ERROR(vulkan_logical_device_check_fork(allocator->logical));
  vulkan_buffer_t* buffer = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc(host_allocator, sizeof(*buffer), (void**)&buffer));
  buffer->memory = choose_memory(allocator, params);
  if (allocation_size) {
    iree_status_t status = vulkan_memory_allocate(
        buffer->memory, allocation_size, params->min_alignment, &buffer->range);
    if (!iree_status_is_ok(status)) {
      iree_allocator_free(host_allocator, buffer);
      return status;
    }
  }
  iree_hal_buffer_params_t actual = *params;
  vulkan_allocator_query_buffer_compatibility(base_allocator, &actual,
                                              &allocation_size);
  iree_hal_buffer_placement_t placement = iree_hal_buffer_placement_undefined();
  placement.queue_affinity = params->queue_affinity;
  iree_hal_buffer_initialize(placement, &buffer->base, allocation_size, 0,
                             allocation_size, actual.type, actual.access,
                             actual.usage, vulkan_buffer_vtable, &buffer->base);
  iree_hal_allocator_retain(base_allocator);
  buffer->allocator = allocator;
  iree_hal_allocator_record_alloc(base_allocator, buffer->base.memory_type,
                                  allocation_size);
  *out_buffer = &buffer->base;
  return iree_ok_status();
}

static iree_status_t vulkan_allocator_import_buffer(
    iree_hal_allocator_t* base_allocator,
    const iree_hal_buffer_params_t* params,
    const iree_hal_external_buffer_t* external_buffer,
    iree_hal_buffer_release_callback_t release_callback,
    iree_hal_buffer_t** out_buffer) {
  vulkan_allocator_t* allocator = (vulkan_allocator_t*)base_allocator;
  iree_allocator_t host_allocator = base_allocator->host_allocator;
  IREE_RETURN_IF_ERROR(vulkan_logical_device_check_fork(allocator->logical));
  if (external_buffer->type != IREE_HAL_EXTERNAL_BUFFER_TYPE_HOST_ALLOCATION) {
    return iree_make_status(IREE_STATUS_UNIMPLEMENTED,
                            "memory of type %" PRIu32
                            " is to be imported; taken is the host's (1)",
                            external_buffer->type);
  }
  vulkan_buffer_t* buffer = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc(host_allocator, sizeof(*buffer), (void**)&buffer));
  vulkan_block_t* block = NULL;
  iree_status_t status = vulkan_block_import(
      &allocator->shared, (void*)(uintptr_t)external_buffer->handle,
      external_buffer->size, &block);
  if (!iree_status_is_ok(status)) {
    iree_allocator_free(host_allocator, buffer);
    return status;
  }
  buffer->memory = &allocator->shared;
  buffer->range.block = block;
  buffer->range.size = external_buffer->size;
  buffer->is_imported = true;
  buffer->release_callback = release_callback;
  iree_hal_buffer_placement_t placement = iree_hal_buffer_placement_undefined();
  placement.queue_affinity = params->queue_affinity;
  iree_hal_buffer_initialize(
      placement, &buffer->base, external_buffer->size, 0, external_buffer->size,
      IREE_HAL_MEMORY_TYPE_HOST_LOCAL | IREE_HAL_MEMORY_TYPE_HOST_COHERENT |
          IREE_HAL_MEMORY_TYPE_DEVICE_VISIBLE,
      params->access,
      params->usage | IREE_HAL_BUFFER_USAGE_TRANSFER |
          IREE_HAL_BUFFER_USAGE_MAPPING,
      vulkan_buffer_vtable, &buffer->base);
  iree_hal_allocator_retain(base_allocator);
  buffer->allocator = allocator;
  *out_buffer = &buffer->base;
  return iree_ok_status();
}

static iree_status_t vulkan_allocator_export_buffer(
    iree_hal_allocator_t* base_allocator, iree_hal_buffer_t* base_buffer,
    iree_hal_external_buffer_type_t requested_type, uint32_t requested_flags,
    iree_hal_external_buffer_t* out_external_buffer) {
  vulkan_allocator_t* allocator = (vulkan_allocator_t*)base_allocator;
  const iree_hal_buffer_t* allocated =
      iree_hal_buffer_allocated_buffer(base_buffer);
  const vulkan_buffer_t* buffer = (const vulkan_buffer_t*)allocated;
  IREE_RETURN_IF_ERROR(vulkan_logical_device_check_fork(allocator->logical));
  if (requested_type != IREE_HAL_EXTERNAL_BUFFER_TYPE_HOST_ALLOCATION ||
      allocated->resource.vtable != vulkan_buffer_vtable ||
      (buffer->range.block && !buffer->range.block->mapped) ||
      !(buffer->memory->flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)) {
    return iree_make_status(
        IREE_STATUS_UNIMPLEMENTED,
        "a buffer is to be exported as memory of type %" PRIu32
        "; given is an address of the host (1), of memory that it sees at once",
        requested_type);
  }
  out_external_buffer->type = requested_type;
  out_external_buffer->flags = requested_flags;
  out_external_buffer->size = iree_hal_buffer_byte_length(base_buffer);
  out_external_buffer->handle =
      buffer->range.block
          ? (uint64_t)(uintptr_t)(buffer->range.block->mapped +
                                  buffer->range.offset +
                                  iree_hal_buffer_byte_offset(base_buffer))
          : 0;
  return iree_ok_status();
}

iree_status_t vulkan_allocator_register(iree_string_view_t owner) {
  static const iree_hal_allocator_vtable_t allocator_vtable = {
      .header = {.size = sizeof(allocator_vtable)},
      .destroy = vulkan_allocator_destroy,
      .trim = vulkan_allocator_trim,
      .query_memory_heaps = vulkan_allocator_query_memory_heaps,
      .query_buffer_compatibility = vulkan_allocator_query_buffer_compatibility,
      .allocate_buffer = vulkan_allocator_allocate_buffer,
      .import_buffer = vulkan_allocator_import_buffer,
      .export_buffer = vulkan_allocator_export_buffer,
  };
  static const iree_hal_buffer_vtable_t buffer_vtable = {
      .header = {.size = sizeof(buffer_vtable)},
      .destroy = vulkan_buffer_destroy,
      .map_range = vulkan_buffer_map_range,
      .unmap_range = vulkan_buffer_unmap_range,
      .invalidate_range = vulkan_buffer_invalidate_range,
      .flush_range = vulkan_buffer_flush_range,
  };
  IREE_RETURN_IF_ERROR(
      iree_cy_register_vtable(IREE_CY_OBJECT_KIND_BUFFER, &buffer_vtable, owner,
                              (const void**)&vulkan_buffer_vtable));
  return iree_cy_register_vtable(IREE_CY_OBJECT_KIND_ALLOCATOR,
                                 &allocator_vtable, owner,
                                 (const void**)&vulkan_allocator_vtable);
}
