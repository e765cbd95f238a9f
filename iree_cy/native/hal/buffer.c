// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what every buffer can do: its base, its checks, subspans and mappings.

#include "iree_cy/hal/buffer.h"

static const iree_hal_buffer_vtable_t* buffer_vtable(
    const iree_hal_buffer_t* buffer) {
  return (const iree_hal_buffer_vtable_t*)buffer->resource.vtable;
}

void iree_hal_buffer_initialize(
    iree_hal_buffer_placement_t placement, iree_hal_buffer_t* allocated_buffer,
    iree_device_size_t allocation_size, iree_device_size_t byte_offset,
    iree_device_size_t byte_length, iree_hal_memory_type_t memory_type,
    iree_hal_memory_access_t allowed_access,
    iree_hal_buffer_usage_t allowed_usage,
    const iree_hal_buffer_vtable_t* vtable, iree_hal_buffer_t* buffer) {
  memset(buffer, 0, sizeof(*buffer));
  iree_hal_resource_initialize(vtable, &buffer->resource);
  buffer->allocated_buffer = allocated_buffer;
  buffer->allocation_size = allocation_size;
  buffer->byte_offset = byte_offset;
  buffer->byte_length = byte_length;
  buffer->placement = placement;
  buffer->memory_type = memory_type;
  buffer->allowed_access = allowed_access;
  buffer->allowed_usage = allowed_usage;
  buffer->preserve_count = 1;
  if (allocated_buffer != buffer) iree_hal_buffer_retain(allocated_buffer);
}

void iree_hal_buffer_deinitialize(iree_hal_buffer_t* buffer) {
  iree_hal_buffer_t* allocated_buffer = buffer->allocated_buffer;
  buffer->allocated_buffer = NULL;
  if (allocated_buffer != buffer) iree_hal_buffer_release(allocated_buffer);
}

iree_hal_buffer_release_callback_t iree_hal_buffer_set_recycle_callback(
    iree_hal_buffer_t* buffer, iree_hal_buffer_release_callback_t callback) {
  const iree_hal_buffer_release_callback_t previous = buffer->recycle_callback;
  buffer->recycle_callback = callback;
  return previous;
}

void iree_hal_buffer_retain(iree_hal_buffer_t* buffer) {
  iree_hal_resource_retain(buffer);
}

void iree_hal_buffer_release(iree_hal_buffer_t* buffer) {
  iree_hal_resource_release(buffer);
}

iree_hal_buffer_t* iree_hal_buffer_allocated_buffer(
    const iree_hal_buffer_t* buffer) {
  return buffer->allocated_buffer;
}

iree_device_size_t iree_hal_buffer_allocation_size(
    const iree_hal_buffer_t* buffer) {
  return buffer->allocated_buffer->allocation_size;
}

iree_hal_buffer_placement_t iree_hal_buffer_allocation_placement(
    const iree_hal_buffer_t* buffer) {
  return buffer->allocated_buffer->placement;
}

iree_device_size_t iree_hal_buffer_byte_offset(
    const iree_hal_buffer_t* buffer) {
  return buffer->byte_offset;
}

iree_device_size_t iree_hal_buffer_byte_length(
    const iree_hal_buffer_t* buffer) {
  return buffer->byte_length;
}

iree_hal_memory_type_t iree_hal_buffer_memory_type(
    const iree_hal_buffer_t* buffer) {
  return buffer->memory_type;
}

iree_hal_memory_access_t iree_hal_buffer_allowed_access(
    const iree_hal_buffer_t* buffer) {
  return buffer->allowed_access;
}

iree_hal_buffer_usage_t iree_hal_buffer_allowed_usage(
    const iree_hal_buffer_t* buffer) {
  return buffer->allowed_usage;
}

void iree_hal_buffer_allocation_preserve(iree_hal_buffer_t* buffer) {
  __atomic_fetch_add(&buffer->allocated_buffer->preserve_count, 1,
                     __ATOMIC_RELAXED);
}

bool iree_hal_buffer_allocation_discard(iree_hal_buffer_t* buffer) {
  return __atomic_fetch_sub(&buffer->allocated_buffer->preserve_count, 1,
                            __ATOMIC_ACQ_REL) == 1;
}

bool iree_hal_buffer_allocation_is_terminal(const iree_hal_buffer_t* buffer) {
  return __atomic_load_n(&buffer->allocated_buffer->preserve_count,
                         __ATOMIC_ACQUIRE) == 1;
}

//===-- checks --------------------------------------------------------------===

iree_status_t iree_hal_buffer_validate_memory_type(
    iree_hal_memory_type_t actual, iree_hal_memory_type_t expected) {
  if (IREE_LIKELY(iree_all_bits_set(actual, expected))) return iree_ok_status();
  char missing_text[64] = {0};
  char actual_text[64] = {0};
  iree_hal_memory_type_format(expected & ~actual, sizeof(missing_text),
                              missing_text);
  iree_hal_memory_type_format(actual, sizeof(actual_text), actual_text);
  return iree_make_status(IREE_STATUS_PERMISSION_DENIED,
                          "memory type %s is needed; the buffer is %s",
                          missing_text, actual_text);
}

iree_status_t iree_hal_buffer_validate_access(
    iree_hal_memory_access_t allowed, iree_hal_memory_access_t required) {
  // The other bits say how, not what: who may write may also discard.
  const iree_hal_memory_access_t kinds =
      required & (IREE_HAL_MEMORY_ACCESS_READ | IREE_HAL_MEMORY_ACCESS_WRITE);
  if (IREE_UNLIKELY(!kinds)) {
    // Whatever there is will do; beside others it must not hide them.
    if (iree_all_bits_set(required, IREE_HAL_MEMORY_ACCESS_ANY)) {
      return iree_ok_status();
    }
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "an access to memory must be READ, WRITE or both");
  }
  if (IREE_LIKELY(iree_all_bits_set(allowed, kinds))) return iree_ok_status();
  char missing_text[64] = {0};
  char allowed_text[64] = {0};
  iree_hal_memory_access_format(kinds & ~allowed, sizeof(missing_text),
                                missing_text);
  iree_hal_memory_access_format(allowed, sizeof(allowed_text), allowed_text);
  return iree_make_status(IREE_STATUS_PERMISSION_DENIED,
                          "access %s is needed; the buffer allows %s",
                          missing_text, allowed_text);
}

iree_status_t iree_hal_buffer_validate_usage(iree_hal_buffer_usage_t allowed,
                                             iree_hal_buffer_usage_t required) {
  if (IREE_LIKELY(iree_all_bits_set(allowed, required))) {
    return iree_ok_status();
  }
  char missing_text[64] = {0};
  char allowed_text[96] = {0};
  iree_hal_buffer_usage_format(required & ~allowed, sizeof(missing_text),
                               missing_text);
  iree_hal_buffer_usage_format(allowed, sizeof(allowed_text), allowed_text);
  return iree_make_status(IREE_STATUS_PERMISSION_DENIED,
                          "usage %s is needed; the buffer was allocated for %s",
                          missing_text, allowed_text);
}

iree_status_t iree_hal_buffer_validate_range(const iree_hal_buffer_t* buffer,
                                             iree_device_size_t byte_offset,
                                             iree_device_size_t byte_length) {
  iree_device_size_t offset = 0;
  iree_device_size_t length = 0;
  return iree_hal_buffer_calculate_range(0, buffer->byte_length, byte_offset,
                                         byte_length, &offset, &length);
}

iree_status_t iree_hal_buffer_calculate_range(
    iree_device_size_t base_offset, iree_device_size_t max_length,
    iree_device_size_t offset, iree_device_size_t length,
    iree_device_size_t* out_adjusted_offset,
    iree_device_size_t* out_adjusted_length) {
  *out_adjusted_offset = 0;
  *out_adjusted_length = 0;
  if (IREE_UNLIKELY(offset > max_length)) {
    return iree_make_status(
        IREE_STATUS_OUT_OF_RANGE,
        "offset %" PRIdsz " is behind the end of a buffer of %" PRIdsz " bytes",
        offset, max_length);
  }
  const iree_device_size_t available = max_length - offset;
  if (length == IREE_HAL_WHOLE_BUFFER) length = available;
  if (IREE_UNLIKELY(length > available)) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "%" PRIdsz " bytes at offset %" PRIdsz
                            " are asked for; the buffer ends after %" PRIdsz
                            " bytes",
                            length, offset, max_length);
  }
  iree_device_size_t adjusted_offset = 0;
  if (IREE_UNLIKELY(!iree_device_size_checked_add(base_offset, offset,
                                                  &adjusted_offset))) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "offset %" PRIdsz " on top of %" PRIdsz
                            " is no offset of 64 bits",
                            offset, base_offset);
  }
  *out_adjusted_offset = adjusted_offset;
  *out_adjusted_length = length;
  return iree_ok_status();
}

bool iree_hal_buffer_test_overlap(const iree_hal_buffer_t* lhs,
                                  iree_device_size_t lhs_offset,
                                  iree_device_size_t lhs_length,
                                  const iree_hal_buffer_t* rhs,
                                  iree_device_size_t rhs_offset,
                                  iree_device_size_t rhs_length) {
  if (lhs->allocated_buffer != rhs->allocated_buffer) return false;
  iree_device_size_t lhs_begin = 0;
  iree_device_size_t rhs_begin = 0;
  // A range that is not in its buffer touches nothing.
  if (iree_status_consume_code(iree_hal_buffer_calculate_range(
          lhs->byte_offset, lhs->byte_length, lhs_offset, lhs_length,
          &lhs_begin, &lhs_length)) != IREE_STATUS_OK ||
      iree_status_consume_code(iree_hal_buffer_calculate_range(
          rhs->byte_offset, rhs->byte_length, rhs_offset, rhs_length,
          &rhs_begin, &rhs_length)) != IREE_STATUS_OK) {
    return false;
  }
  if (!lhs_length || !rhs_length) return false;
  return lhs_begin < rhs_begin ? rhs_begin - lhs_begin < lhs_length
                               : lhs_begin - rhs_begin < rhs_length;
}

//===-- subspans ------------------------------------------------------------===

typedef struct subspan_buffer_t {
  iree_hal_buffer_t base;
  iree_allocator_t host_allocator;
} subspan_buffer_t;

static void subspan_buffer_destroy(iree_hal_buffer_t* base_buffer) {
  subspan_buffer_t* buffer = (subspan_buffer_t*)base_buffer;
  iree_allocator_t host_allocator = buffer->host_allocator;
  iree_hal_buffer_deinitialize(base_buffer);
  iree_allocator_free(host_allocator, buffer);
}

// Mappings go to the owner of the memory, never through here.
static iree_status_t subspan_buffer_map_range(
    iree_hal_buffer_t* buffer, iree_hal_mapping_mode_t mapping_mode,
    iree_hal_memory_access_t memory_access, iree_device_size_t byte_offset,
    iree_device_size_t byte_length, iree_hal_buffer_mapping_t* mapping) {
  iree_hal_buffer_t* owner = buffer->allocated_buffer;
  return buffer_vtable(owner)->map_range(owner, mapping_mode, memory_access,
                                         byte_offset, byte_length, mapping);
}

static iree_status_t subspan_buffer_unmap_range(
    iree_hal_buffer_t* buffer, iree_device_size_t byte_offset,
    iree_device_size_t byte_length, iree_hal_buffer_mapping_t* mapping) {
  iree_hal_buffer_t* owner = buffer->allocated_buffer;
  return buffer_vtable(owner)->unmap_range(owner, byte_offset, byte_length,
                                           mapping);
}

static iree_status_t subspan_buffer_invalidate_range(
    iree_hal_buffer_t* buffer, iree_device_size_t byte_offset,
    iree_device_size_t byte_length) {
  iree_hal_buffer_t* owner = buffer->allocated_buffer;
  return buffer_vtable(owner)->invalidate_range(owner, byte_offset,
                                                byte_length);
}

static iree_status_t subspan_buffer_flush_range(
    iree_hal_buffer_t* buffer, iree_device_size_t byte_offset,
    iree_device_size_t byte_length) {
  iree_hal_buffer_t* owner = buffer->allocated_buffer;
  return buffer_vtable(owner)->flush_range(owner, byte_offset, byte_length);
}

static const iree_hal_buffer_vtable_t subspan_buffer_vtable = {
    .header = {.size = sizeof(iree_hal_buffer_vtable_t),
               .kind = IREE_CY_OBJECT_KIND_BUFFER},
    .destroy = subspan_buffer_destroy,
    .map_range = subspan_buffer_map_range,
    .unmap_range = subspan_buffer_unmap_range,
    .invalidate_range = subspan_buffer_invalidate_range,
    .flush_range = subspan_buffer_flush_range,
};

iree_status_t iree_hal_buffer_subspan(iree_hal_buffer_t* buffer,
                                      iree_device_size_t byte_offset,
                                      iree_device_size_t byte_length,
                                      iree_allocator_t host_allocator,
                                      iree_hal_buffer_t** out_buffer) {
  *out_buffer = NULL;
  iree_device_size_t offset = 0;
  iree_device_size_t length = 0;
  IREE_RETURN_IF_ERROR(iree_hal_buffer_calculate_range(
      buffer->byte_offset, buffer->byte_length, byte_offset, byte_length,
      &offset, &length));
  if (length == buffer->byte_length) {
    iree_hal_buffer_retain(buffer);
    *out_buffer = buffer;
    return iree_ok_status();
  }
  subspan_buffer_t* subspan = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc_uninitialized(
      host_allocator, sizeof(*subspan), (void**)&subspan));
  iree_hal_buffer_t* owner = buffer->allocated_buffer;
  iree_hal_buffer_initialize(owner->placement, owner, owner->allocation_size,
                             offset, length, buffer->memory_type,
                             buffer->allowed_access, buffer->allowed_usage,
                             &subspan_buffer_vtable, &subspan->base);
  subspan->host_allocator = host_allocator;
  *out_buffer = &subspan->base;
  return iree_ok_status();
}

//===-- mappings ------------------------------------------------------------===

iree_status_t iree_hal_buffer_map_range(iree_hal_buffer_t* buffer,
                                        iree_hal_mapping_mode_t mapping_mode,
                                        iree_hal_memory_access_t memory_access,
                                        iree_device_size_t byte_offset,
                                        iree_device_size_t byte_length,
                                        iree_hal_buffer_mapping_t* mapping) {
  memset(mapping, 0, sizeof(*mapping));
  IREE_RETURN_IF_ERROR(
      iree_hal_buffer_validate_access(buffer->allowed_access, memory_access));
  IREE_RETURN_IF_ERROR(iree_hal_buffer_validate_memory_type(
      buffer->memory_type, IREE_HAL_MEMORY_TYPE_HOST_VISIBLE));
  if (iree_all_bits_set(mapping_mode, IREE_HAL_MAPPING_MODE_PERSISTENT)) {
    IREE_RETURN_IF_ERROR(iree_hal_buffer_validate_usage(
        buffer->allowed_usage, IREE_HAL_BUFFER_USAGE_MAPPING_PERSISTENT));
  }
  iree_device_size_t offset = 0;
  iree_device_size_t length = 0;
  IREE_RETURN_IF_ERROR(iree_hal_buffer_calculate_range(
      buffer->byte_offset, buffer->byte_length, byte_offset, byte_length,
      &offset, &length));
  mapping->buffer = buffer;
  mapping->byte_offset = offset;
  mapping->allowed_access = memory_access;
  mapping->mapping_mode = mapping_mode;
  iree_hal_buffer_t* owner = buffer->allocated_buffer;
  iree_status_t status = buffer_vtable(owner)->map_range(
      owner, mapping_mode, memory_access, offset, length, mapping);
  if (IREE_UNLIKELY(!iree_status_is_ok(status))) {
    memset(mapping, 0, sizeof(*mapping));
  }
  return status;
}

iree_status_t iree_hal_buffer_unmap_range(iree_hal_buffer_mapping_t* mapping) {
  if (!mapping->buffer) return iree_ok_status();
  iree_hal_buffer_t* owner = mapping->buffer->allocated_buffer;
  iree_status_t status = buffer_vtable(owner)->unmap_range(
      owner, mapping->byte_offset, mapping->contents.data_length, mapping);
  memset(mapping, 0, sizeof(*mapping));
  return status;
}

// The absolute form of a range of |mapping|.
static iree_status_t calculate_mapping_range(
    const iree_hal_buffer_mapping_t* mapping, iree_device_size_t byte_offset,
    iree_device_size_t byte_length, iree_device_size_t* out_offset,
    iree_device_size_t* out_length) {
  *out_offset = 0;
  *out_length = 0;
  if (!mapping->buffer) {
    return iree_make_status(IREE_STATUS_FAILED_PRECONDITION,
                            "the mapping has been unmapped");
  }
  return iree_hal_buffer_calculate_range(
      mapping->byte_offset, mapping->contents.data_length, byte_offset,
      byte_length, out_offset, out_length);
}

iree_status_t iree_hal_buffer_mapping_invalidate_range(
    iree_hal_buffer_mapping_t* mapping, iree_device_size_t byte_offset,
    iree_device_size_t byte_length) {
  iree_device_size_t offset = 0;
  iree_device_size_t length = 0;
  IREE_RETURN_IF_ERROR(calculate_mapping_range(mapping, byte_offset,
                                               byte_length, &offset, &length));
  IREE_RETURN_IF_ERROR(iree_hal_buffer_validate_access(
      mapping->allowed_access, IREE_HAL_MEMORY_ACCESS_READ));
  iree_hal_buffer_t* owner = mapping->buffer->allocated_buffer;
  return buffer_vtable(owner)->invalidate_range(owner, offset, length);
}

iree_status_t iree_hal_buffer_mapping_flush_range(
    iree_hal_buffer_mapping_t* mapping, iree_device_size_t byte_offset,
    iree_device_size_t byte_length) {
  iree_device_size_t offset = 0;
  iree_device_size_t length = 0;
  IREE_RETURN_IF_ERROR(calculate_mapping_range(mapping, byte_offset,
                                               byte_length, &offset, &length));
  IREE_RETURN_IF_ERROR(iree_hal_buffer_validate_access(
      mapping->allowed_access, IREE_HAL_MEMORY_ACCESS_WRITE));
  iree_hal_buffer_t* owner = mapping->buffer->allocated_buffer;
  return buffer_vtable(owner)->flush_range(owner, offset, length);
}

static bool needs_cache_control(const iree_hal_buffer_t* buffer) {
  return !iree_all_bits_set(buffer->memory_type,
                            IREE_HAL_MEMORY_TYPE_HOST_COHERENT);
}

static iree_status_t map_for_read(iree_hal_buffer_t* buffer,
                                  iree_device_size_t byte_offset,
                                  iree_device_size_t byte_length,
                                  iree_hal_buffer_mapping_t* mapping) {
  IREE_RETURN_IF_ERROR(iree_hal_buffer_map_range(
      buffer, IREE_HAL_MAPPING_MODE_SCOPED, IREE_HAL_MEMORY_ACCESS_READ,
      byte_offset, byte_length, mapping));
  if (!needs_cache_control(buffer)) return iree_ok_status();
  iree_status_t status = iree_hal_buffer_mapping_invalidate_range(
      mapping, 0, IREE_HAL_WHOLE_BUFFER);
  if (iree_status_is_ok(status)) return status;
  return iree_status_join(status, iree_hal_buffer_unmap_range(mapping));
}

static iree_status_t unmap_after_write(iree_hal_buffer_mapping_t* mapping) {
  iree_status_t status = iree_ok_status();
  if (needs_cache_control(mapping->buffer)) {
    status =
        iree_hal_buffer_mapping_flush_range(mapping, 0, IREE_HAL_WHOLE_BUFFER);
  }
  return iree_status_join(status, iree_hal_buffer_unmap_range(mapping));
}

// Repeats |pattern| over |length| bytes, a multiple of it.
static void fill_with_pattern(uint8_t* target, iree_host_size_t length,
                              const void* pattern,
                              iree_host_size_t pattern_length) {
  if (pattern_length == 1) {
    memset(target, *(const uint8_t*)pattern, length);
    return;
  }
  // What is filled is copied behind itself, up to what stays in a small cache.
  iree_host_size_t filled = iree_min(pattern_length, length);
  memcpy(target, pattern, filled);
  while (filled < length) {
    const iree_host_size_t step =
        iree_min(iree_min(filled, (iree_host_size_t)16384), length - filled);
    memcpy(target + filled, target, step);
    filled += step;
  }
}

iree_status_t iree_hal_buffer_map_fill(iree_hal_buffer_t* buffer,
                                       iree_device_size_t byte_offset,
                                       iree_device_size_t byte_length,
                                       const void* pattern,
                                       iree_host_size_t pattern_length) {
  if (pattern_length != 1 && pattern_length != 2 && pattern_length != 4 &&
      pattern_length != 8) {
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "fill patterns have 1, 2, 4 or 8 bytes, not %" PRIhsz, pattern_length);
  }
  iree_hal_buffer_mapping_t mapping;
  IREE_RETURN_IF_ERROR(
      iree_hal_buffer_map_range(buffer, IREE_HAL_MAPPING_MODE_SCOPED,
                                IREE_HAL_MEMORY_ACCESS_DISCARD_WRITE,
                                byte_offset, byte_length, &mapping));
  const iree_host_size_t length = mapping.contents.data_length;
  iree_status_t status = iree_ok_status();
  if (length % pattern_length != 0) {
    status = iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                              "%" PRIhsz
                              " bytes cannot be filled with a pattern of "
                              "%" PRIhsz " bytes",
                              length, pattern_length);
  } else if (length) {
    fill_with_pattern(mapping.contents.data, length, pattern, pattern_length);
  }
  return iree_status_join(status, unmap_after_write(&mapping));
}

iree_status_t iree_hal_buffer_map_read(iree_hal_buffer_t* source_buffer,
                                       iree_device_size_t source_offset,
                                       void* target_buffer,
                                       iree_device_size_t data_length) {
  iree_hal_buffer_mapping_t mapping;
  IREE_RETURN_IF_ERROR(
      map_for_read(source_buffer, source_offset, data_length, &mapping));
  if (mapping.contents.data_length) {
    memcpy(target_buffer, mapping.contents.data, mapping.contents.data_length);
  }
  return iree_hal_buffer_unmap_range(&mapping);
}

iree_status_t iree_hal_buffer_map_write(iree_hal_buffer_t* target_buffer,
                                        iree_device_size_t target_offset,
                                        const void* source_buffer,
                                        iree_device_size_t data_length) {
  iree_hal_buffer_mapping_t mapping;
  IREE_RETURN_IF_ERROR(
      iree_hal_buffer_map_range(target_buffer, IREE_HAL_MAPPING_MODE_SCOPED,
                                IREE_HAL_MEMORY_ACCESS_DISCARD_WRITE,
                                target_offset, data_length, &mapping));
  if (mapping.contents.data_length) {
    memcpy(mapping.contents.data, source_buffer, mapping.contents.data_length);
  }
  return unmap_after_write(&mapping);
}

iree_status_t iree_hal_buffer_map_copy(iree_hal_buffer_t* source_buffer,
                                       iree_device_size_t source_offset,
                                       iree_hal_buffer_t* target_buffer,
                                       iree_device_size_t target_offset,
                                       iree_device_size_t data_length) {
  if (iree_hal_buffer_test_overlap(source_buffer, source_offset, data_length,
                                   target_buffer, target_offset, data_length)) {
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "source and target of a copy overlap in the same memory");
  }
  iree_hal_buffer_mapping_t source;
  IREE_RETURN_IF_ERROR(
      map_for_read(source_buffer, source_offset, data_length, &source));
  iree_hal_buffer_mapping_t target;
  iree_status_t status =
      iree_hal_buffer_map_range(target_buffer, IREE_HAL_MAPPING_MODE_SCOPED,
                                IREE_HAL_MEMORY_ACCESS_DISCARD_WRITE,
                                target_offset, data_length, &target);
  if (iree_status_is_ok(status)) {
    // They differ only for WHOLE_BUFFER: as much as both have.
    const iree_host_size_t length =
        iree_min(source.contents.data_length, target.contents.data_length);
    if (length) memcpy(target.contents.data, source.contents.data, length);
    status = unmap_after_write(&target);
  }
  return iree_status_join(status, iree_hal_buffer_unmap_range(&source));
}
