// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns iree_hal_buffer_t: a range of memory that a device can use.

#ifndef IREE_CY_HAL_BUFFER_H_
#define IREE_CY_HAL_BUFFER_H_

#include "iree_cy/hal/types.h"

IREE_CY_EXTERN_C_BEGIN

typedef uint32_t iree_hal_mapping_mode_t;
enum iree_hal_mapping_mode_bits_e {
  // Unmapped by the one who mapped, soon.
  IREE_HAL_MAPPING_MODE_SCOPED = 1u << 0,
  // Stays as long as the buffer.
  IREE_HAL_MAPPING_MODE_PERSISTENT = 1u << 1,
};

typedef uint32_t iree_hal_buffer_placement_flags_t;
enum iree_hal_buffer_placement_flag_bits_e {
  IREE_HAL_BUFFER_PLACEMENT_FLAG_NONE = 0u,
  // Made by queue_alloca. Set by its default; a driver that has a queue_alloca
  // of its own sets it in what it returns.
  IREE_HAL_BUFFER_PLACEMENT_FLAG_ASYNCHRONOUS = 1u << 0,
  IREE_HAL_BUFFER_PLACEMENT_FLAG_INDETERMINATE_LIFETIME = 1u << 1,
};

// Where a buffer was allocated. |device| is what the driver passed to
// iree_hal_buffer_initialize: borrowed, so that a driver which passes one keeps
// it alive as long as the buffer. It is NULL for plain host memory, the core's
// heap allocator included; whose a buffer is can always be told by
// iree_cy_object_owner. |queue_affinity| is what was asked for.
typedef struct iree_hal_buffer_placement_t {
  iree_hal_device_t* device;
  iree_hal_queue_affinity_t queue_affinity;
  iree_hal_buffer_placement_flags_t flags;
  uint32_t reserved;
} iree_hal_buffer_placement_t;
static inline iree_hal_buffer_placement_t iree_hal_buffer_placement_undefined(
    void) {
  iree_hal_buffer_placement_t placement = {NULL, 0, 0, 0};
  return placement;
}

// What is asked of a new buffer. Zeroed members mean "the usual". Passed by
// value, so that it never grows: one that does gets another name.
typedef struct iree_hal_buffer_params_t {
  iree_hal_buffer_usage_t usage;
  iree_hal_memory_access_t access;
  iree_hal_memory_type_t type;
  uint32_t reserved;
  iree_hal_queue_affinity_t queue_affinity;
  // A power of two in bytes, or 0.
  iree_device_size_t min_alignment;
} iree_hal_buffer_params_t;
static inline void iree_hal_buffer_params_canonicalize(
    iree_hal_buffer_params_t* params) {
  if (!params->usage) params->usage = IREE_HAL_BUFFER_USAGE_DEFAULT;
  if (!params->access) params->access = IREE_HAL_MEMORY_ACCESS_ALL;
  if (!params->type) params->type = IREE_HAL_MEMORY_TYPE_OPTIMAL;
  if (!params->queue_affinity) {
    params->queue_affinity = IREE_HAL_QUEUE_AFFINITY_ANY;
  }
}

// A mapping of a buffer into host memory. Valid until unmapped.
typedef struct iree_hal_buffer_mapping_t {
  iree_byte_span_t contents;
  // Borrowed.
  iree_hal_buffer_t* buffer;
  // Byte offset within the allocation, access and mode that were asked for.
  iree_device_size_t byte_offset;
  iree_hal_memory_access_t allowed_access;
  iree_hal_mapping_mode_t mapping_mode;
  // For the driver that mapped it.
  uint64_t reserved[2];
} iree_hal_buffer_mapping_t;

// Called when the memory that a buffer wraps is no longer used: once, on any
// thread, no lock held, without the GIL. Must not block.
typedef void (*iree_hal_buffer_release_fn_t)(void* user_data,
                                             iree_hal_buffer_t* buffer);
typedef struct iree_hal_buffer_release_callback_t {
  iree_hal_buffer_release_fn_t fn;
  void* user_data;
} iree_hal_buffer_release_callback_t;
static inline iree_hal_buffer_release_callback_t
iree_hal_buffer_release_callback_null(void) {
  iree_hal_buffer_release_callback_t callback = {NULL, NULL};
  return callback;
}

IREE_API_EXPORT void iree_hal_buffer_retain(iree_hal_buffer_t* buffer);
IREE_API_EXPORT void iree_hal_buffer_release(iree_hal_buffer_t* buffer);

// The buffer that owns the memory: |buffer| itself unless it is a subspan.
IREE_API_EXPORT iree_hal_buffer_t* iree_hal_buffer_allocated_buffer(
    const iree_hal_buffer_t* buffer);
// Bytes of the whole allocation. May exceed what was asked for, of a subspan as
// of the buffer itself: iree_hal_buffer_byte_length is what was asked for, and
// nothing behind it may be used.
IREE_API_EXPORT iree_device_size_t
iree_hal_buffer_allocation_size(const iree_hal_buffer_t* buffer);
IREE_API_EXPORT iree_hal_buffer_placement_t
iree_hal_buffer_allocation_placement(const iree_hal_buffer_t* buffer);
// Offset within the allocation, and length, in bytes.
IREE_API_EXPORT iree_device_size_t
iree_hal_buffer_byte_offset(const iree_hal_buffer_t* buffer);
IREE_API_EXPORT iree_device_size_t
iree_hal_buffer_byte_length(const iree_hal_buffer_t* buffer);
IREE_API_EXPORT iree_hal_memory_type_t
iree_hal_buffer_memory_type(const iree_hal_buffer_t* buffer);
IREE_API_EXPORT iree_hal_memory_access_t
iree_hal_buffer_allowed_access(const iree_hal_buffer_t* buffer);
IREE_API_EXPORT iree_hal_buffer_usage_t
iree_hal_buffer_allowed_usage(const iree_hal_buffer_t* buffer);

// Owners of the allocation as compiled programs count them, apart from
// references: preserve adds one, discard takes one and says whether it was the
// last, is_terminal says whether one is left.
IREE_API_EXPORT void iree_hal_buffer_allocation_preserve(
    iree_hal_buffer_t* buffer);
IREE_API_EXPORT bool iree_hal_buffer_allocation_discard(
    iree_hal_buffer_t* buffer);
IREE_API_EXPORT bool iree_hal_buffer_allocation_is_terminal(
    const iree_hal_buffer_t* buffer);

// PERMISSION_DENIED naming what is missing unless the buffer has all of it. Of
// an access, READ and WRITE count; ANY alone is in every buffer.
IREE_API_EXPORT iree_status_t iree_hal_buffer_validate_memory_type(
    iree_hal_memory_type_t actual, iree_hal_memory_type_t expected);
IREE_API_EXPORT iree_status_t iree_hal_buffer_validate_access(
    iree_hal_memory_access_t allowed, iree_hal_memory_access_t required);
IREE_API_EXPORT iree_status_t iree_hal_buffer_validate_usage(
    iree_hal_buffer_usage_t allowed, iree_hal_buffer_usage_t required);
// OUT_OF_RANGE unless [offset, offset + length) lies in the buffer.
IREE_API_EXPORT iree_status_t iree_hal_buffer_validate_range(
    const iree_hal_buffer_t* buffer, iree_device_size_t byte_offset,
    iree_device_size_t byte_length);
// Resolves a range (WHOLE_BUFFER allowed) inside [base_offset, base_offset +
// max_length) to absolute terms, or OUT_OF_RANGE.
IREE_API_EXPORT iree_status_t iree_hal_buffer_calculate_range(
    iree_device_size_t base_offset, iree_device_size_t max_length,
    iree_device_size_t offset, iree_device_size_t length,
    iree_device_size_t* out_adjusted_offset,
    iree_device_size_t* out_adjusted_length);
// Whether two ranges share a byte of the same allocation.
IREE_API_EXPORT bool iree_hal_buffer_test_overlap(
    const iree_hal_buffer_t* lhs, iree_device_size_t lhs_offset,
    iree_device_size_t lhs_length, const iree_hal_buffer_t* rhs,
    iree_device_size_t rhs_offset, iree_device_size_t rhs_length);

// A view of a part of |buffer|, which it keeps. The whole of it gives |buffer|
// itself, retained.
IREE_API_EXPORT iree_status_t iree_hal_buffer_subspan(
    iree_hal_buffer_t* buffer, iree_device_size_t byte_offset,
    iree_device_size_t byte_length, iree_allocator_t host_allocator,
    iree_hal_buffer_t** out_buffer);

// Maps a range for the host, checked against range and access. The caller keeps
// |buffer| alive and unmaps. With DISCARD, the contents are undefined before
// the host writes them.
IREE_API_EXPORT iree_status_t iree_hal_buffer_map_range(
    iree_hal_buffer_t* buffer, iree_hal_mapping_mode_t mapping_mode,
    iree_hal_memory_access_t memory_access, iree_device_size_t byte_offset,
    iree_device_size_t byte_length, iree_hal_buffer_mapping_t* out_mapping);
IREE_API_EXPORT iree_status_t
iree_hal_buffer_unmap_range(iree_hal_buffer_mapping_t* mapping);
// For memory that is not HOST_COHERENT; offsets are within the mapping.
IREE_API_EXPORT iree_status_t iree_hal_buffer_mapping_invalidate_range(
    iree_hal_buffer_mapping_t* mapping, iree_device_size_t byte_offset,
    iree_device_size_t byte_length);
IREE_API_EXPORT iree_status_t iree_hal_buffer_mapping_flush_range(
    iree_hal_buffer_mapping_t* mapping, iree_device_size_t byte_offset,
    iree_device_size_t byte_length);

// Reads, writes, fills (patterns of 1, 2, 4 or 8 bytes; range a multiple) and
// copies through mappings, at once, without any queue.
IREE_API_EXPORT iree_status_t iree_hal_buffer_map_fill(
    iree_hal_buffer_t* buffer, iree_device_size_t byte_offset,
    iree_device_size_t byte_length, const void* pattern,
    iree_host_size_t pattern_length);
IREE_API_EXPORT iree_status_t iree_hal_buffer_map_read(
    iree_hal_buffer_t* source_buffer, iree_device_size_t source_offset,
    void* target_buffer, iree_device_size_t data_length);
IREE_API_EXPORT iree_status_t iree_hal_buffer_map_write(
    iree_hal_buffer_t* target_buffer, iree_device_size_t target_offset,
    const void* source_buffer, iree_device_size_t data_length);
// Ranges of one allocation that overlap are refused (INVALID_ARGUMENT).
IREE_API_EXPORT iree_status_t iree_hal_buffer_map_copy(
    iree_hal_buffer_t* source_buffer, iree_device_size_t source_offset,
    iree_hal_buffer_t* target_buffer, iree_device_size_t target_offset,
    iree_device_size_t data_length);

// A buffer over host memory that the caller owns. |data| must stay valid and in
// place until |release_callback| (which may be null) is called.
IREE_API_EXPORT iree_status_t iree_hal_heap_buffer_wrap(
    iree_hal_buffer_placement_t placement, iree_hal_memory_type_t memory_type,
    iree_hal_memory_access_t allowed_access,
    iree_hal_buffer_usage_t allowed_usage, iree_byte_span_t data,
    iree_hal_buffer_release_callback_t release_callback,
    iree_allocator_t host_allocator, iree_hal_buffer_t** out_buffer);
// Host address of the buffer's first byte when it is plain host memory (heap
// buffers, wrapped ones, their subspans), else NULL. For drivers on the CPU:
// no mapping is needed then. Checks no access. Of a buffer without WRITE it
// holds for the operation alone and is no address to record: memory that was
// lent is moved when its owner wants it back.
IREE_API_EXPORT void* iree_hal_heap_buffer_data(
    const iree_hal_buffer_t* buffer);

// Entries that a kind of buffer provides. Offsets are within the allocation and
// already checked.
typedef struct iree_hal_buffer_vtable_t {
  iree_cy_vtable_header_t header;
  // Required. Frees the buffer and its memory; calls
  // iree_hal_buffer_deinitialize first.
  void (*destroy)(iree_hal_buffer_t* buffer);
  // Default: UNIMPLEMENTED. Sets |mapping->contents|.
  iree_status_t (*map_range)(iree_hal_buffer_t* buffer,
                             iree_hal_mapping_mode_t mapping_mode,
                             iree_hal_memory_access_t memory_access,
                             iree_device_size_t byte_offset,
                             iree_device_size_t byte_length,
                             iree_hal_buffer_mapping_t* mapping);
  // Default: nothing.
  iree_status_t (*unmap_range)(iree_hal_buffer_t* buffer,
                               iree_device_size_t byte_offset,
                               iree_device_size_t byte_length,
                               iree_hal_buffer_mapping_t* mapping);
  // Default: nothing, as fits coherent memory.
  iree_status_t (*invalidate_range)(iree_hal_buffer_t* buffer,
                                    iree_device_size_t byte_offset,
                                    iree_device_size_t byte_length);
  iree_status_t (*flush_range)(iree_hal_buffer_t* buffer,
                               iree_device_size_t byte_offset,
                               iree_device_size_t byte_length);
} iree_hal_buffer_vtable_t;

// What a driver embeds first in its buffers. Filled by the host functions only.
struct iree_hal_buffer_t {
  iree_hal_resource_t resource;
  // Itself, or for a subspan the buffer that owns the memory (kept).
  iree_hal_buffer_t* allocated_buffer;
  iree_device_size_t allocation_size;
  iree_device_size_t byte_offset;
  iree_device_size_t byte_length;
  iree_hal_buffer_placement_t placement;
  iree_hal_memory_type_t memory_type;
  iree_hal_memory_access_t allowed_access;
  iree_hal_buffer_usage_t allowed_usage;
  int32_t preserve_count;
  // Takes the buffer, with its one reference, in place of destroy.
  iree_hal_buffer_release_callback_t recycle_callback;
  uintptr_t reserved[4];
};

// Fills the base. |allocated_buffer| is |buffer| itself or, for a subspan, the
// owner, which is retained.
IREE_API_EXPORT void iree_hal_buffer_initialize(
    iree_hal_buffer_placement_t placement, iree_hal_buffer_t* allocated_buffer,
    iree_device_size_t allocation_size, iree_device_size_t byte_offset,
    iree_device_size_t byte_length, iree_hal_memory_type_t memory_type,
    iree_hal_memory_access_t allowed_access,
    iree_hal_buffer_usage_t allowed_usage,
    const iree_hal_buffer_vtable_t* vtable, iree_hal_buffer_t* buffer);
// Releases what the base holds. First thing in destroy.
IREE_API_EXPORT void iree_hal_buffer_deinitialize(iree_hal_buffer_t* buffer);
// From now on the last release hands |buffer| to |callback|, once, instead of
// destroying it. How pools and caches get memory back, and how allocators over
// others learn of a buffer's end. Returns the callback before (null when there
// was none), which is owed the buffer: in the end the new one sets it again and
// gives back its reference. Only for one who has the buffer alone: who made it,
// before anybody else sees it, or who was just called back.
IREE_API_EXPORT iree_hal_buffer_release_callback_t
iree_hal_buffer_set_recycle_callback(
    iree_hal_buffer_t* buffer, iree_hal_buffer_release_callback_t callback);

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_HAL_BUFFER_H_
