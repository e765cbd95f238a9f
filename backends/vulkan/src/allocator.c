// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Implements the allocator of a device and its buffers, which the host sees.

#include "allocator.h"

#include "result.h"

typedef struct vulkan_allocator_t {
  iree_hal_allocator_t base;
  vulkan_logical_device_t* logical;
  vulkan_memory_t memory;
  // What all of it is.
  iree_hal_memory_type_t memory_type;
} vulkan_allocator_t;

// Keeps the allocator.
typedef struct vulkan_buffer_t {
  iree_hal_buffer_t base;
  vulkan_allocator_t* allocator;
  // None for 0 bytes.
  vulkan_range_t range;
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
  iree_hal_buffer_deinitialize(base_buffer);
  vulkan_memory_free(&allocator->memory, &buffer->range);
  iree_hal_allocator_record_free(&allocator->base, allocator->memory_type,
                                 size);
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
  return vulkan_memory_invalidate(&buffer->allocator->memory, &part);
}

static iree_status_t vulkan_buffer_flush_range(iree_hal_buffer_t* base_buffer,
                                               iree_device_size_t byte_offset,
                                               iree_device_size_t byte_length) {
  vulkan_buffer_t* buffer = (vulkan_buffer_t*)base_buffer;
  const vulkan_range_t part =
      vulkan_buffer_part(buffer, byte_offset, byte_length);
  return vulkan_memory_flush(&buffer->allocator->memory, &part);
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

static iree_hal_memory_type_t hal_memory_type(VkMemoryPropertyFlags flags) {
  iree_hal_memory_type_t type =
      IREE_HAL_MEMORY_TYPE_DEVICE_VISIBLE | IREE_HAL_MEMORY_TYPE_HOST_VISIBLE;
  type |= flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
              ? IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL
              : IREE_HAL_MEMORY_TYPE_HOST_LOCAL;
  if (flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) {
    type |= IREE_HAL_MEMORY_TYPE_HOST_COHERENT;
  }
  if (flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT) {
    type |= IREE_HAL_MEMORY_TYPE_HOST_CACHED;
  }
  return type;
}

static void vulkan_allocator_destroy(iree_hal_allocator_t* base_allocator) {
  vulkan_allocator_t* allocator = (vulkan_allocator_t*)base_allocator;
  iree_allocator_t host_allocator = base_allocator->host_allocator;
  vulkan_logical_device_t* logical = allocator->logical;
  iree_hal_allocator_deinitialize(base_allocator);
  vulkan_memory_deinitialize(&allocator->memory);
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
  iree_status_t status = vulkan_memory_initialize(logical, &allocator->memory);
  if (!iree_status_is_ok(status)) {
    iree_allocator_free(host_allocator, allocator);
    return status;
  }
  iree_hal_allocator_initialize(vulkan_allocator_vtable, host_allocator,
                                &allocator->base);
  vulkan_logical_device_retain(logical);
  allocator->logical = logical;
  allocator->memory_type = hal_memory_type(allocator->memory.flags);
  *out_allocator = &allocator->base;
  return iree_ok_status();
}

vulkan_memory_t* vulkan_allocator_memory(iree_hal_allocator_t* allocator) {
  return &((vulkan_allocator_t*)allocator)->memory;
}

static iree_status_t vulkan_allocator_trim(
    iree_hal_allocator_t* base_allocator) {
  vulkan_allocator_t* allocator = (vulkan_allocator_t*)base_allocator;
  IREE_RETURN_IF_ERROR(vulkan_logical_device_check_fork(allocator->logical));
  vulkan_memory_trim(&allocator->memory);
  return iree_ok_status();
}

static iree_status_t vulkan_allocator_query_memory_heaps(
    iree_hal_allocator_t* base_allocator, iree_host_size_t capacity,
    iree_hal_allocator_memory_heap_t* heaps, iree_host_size_t* out_count) {
  const vulkan_allocator_t* allocator = (vulkan_allocator_t*)base_allocator;
  *out_count = 1;
  if (capacity < 1) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "there is 1 memory heap; room is for none");
  }
  const iree_hal_allocator_memory_heap_t heap = {
      .type = allocator->memory_type,
      .allowed_usage = allowed_usage,
      .max_allocation_size = vulkan_memory_max_size(allocator->logical),
      .min_alignment = VULKAN_MEMORY_GRANULE,
  };
  heaps[0] = heap;
  return iree_ok_status();
}

static iree_hal_buffer_compatibility_t
vulkan_allocator_query_buffer_compatibility(
    iree_hal_allocator_t* base_allocator, iree_hal_buffer_params_t* params,
    iree_device_size_t* allocation_size) {
  (void)allocation_size;
  const vulkan_allocator_t* allocator = (vulkan_allocator_t*)base_allocator;
  params->type &= ~IREE_HAL_MEMORY_TYPE_OPTIMAL;
  params->type |= allocator->memory_type;
  params->usage |= IREE_HAL_BUFFER_USAGE_TRANSFER |
                   IREE_HAL_BUFFER_USAGE_MAPPING |
                   IREE_HAL_BUFFER_USAGE_MAPPING_PERSISTENT;
  iree_hal_buffer_compatibility_t compatibility =
      IREE_HAL_BUFFER_COMPATIBILITY_ALLOCATABLE |
      IREE_HAL_BUFFER_COMPATIBILITY_QUEUE_TRANSFER;
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
  if (allocation_size) {
    iree_status_t status =
        vulkan_memory_allocate(&allocator->memory, allocation_size,
                               params->min_alignment, &buffer->range);
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
  iree_hal_allocator_record_alloc(base_allocator, allocator->memory_type,
                                  allocation_size);
  *out_buffer = &buffer->base;
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
