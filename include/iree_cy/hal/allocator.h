// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns iree_hal_allocator_t: how a device's memory is taken, imported and
// counted.

#ifndef IREE_CY_HAL_ALLOCATOR_H_
#define IREE_CY_HAL_ALLOCATOR_H_

#include "iree_cy/hal/buffer.h"

IREE_CY_EXTERN_C_BEGIN

typedef struct iree_hal_allocator_memory_heap_t {
  iree_hal_memory_type_t type;
  iree_hal_buffer_usage_t allowed_usage;
  iree_device_size_t max_allocation_size;
  iree_device_size_t min_alignment;
  uint64_t reserved[2];
} iree_hal_allocator_memory_heap_t;

// What an allocator can do for given parameters.
typedef uint32_t iree_hal_buffer_compatibility_t;
enum iree_hal_buffer_compatibility_bits_e {
  IREE_HAL_BUFFER_COMPATIBILITY_NONE = 0u,
  IREE_HAL_BUFFER_COMPATIBILITY_ALLOCATABLE = 1u << 0,
  IREE_HAL_BUFFER_COMPATIBILITY_IMPORTABLE = 1u << 1,
  IREE_HAL_BUFFER_COMPATIBILITY_EXPORTABLE = 1u << 2,
  IREE_HAL_BUFFER_COMPATIBILITY_QUEUE_TRANSFER = 1u << 10,
  IREE_HAL_BUFFER_COMPATIBILITY_QUEUE_DISPATCH = 1u << 11,
  IREE_HAL_BUFFER_COMPATIBILITY_LOW_PERFORMANCE = 1u << 20,
};

typedef uint32_t iree_hal_external_buffer_type_t;
enum iree_hal_external_buffer_type_e {
  IREE_HAL_EXTERNAL_BUFFER_TYPE_NONE = 0,
  // |handle| is a host pointer.
  IREE_HAL_EXTERNAL_BUFFER_TYPE_HOST_ALLOCATION = 1,
  // |handle| is a device address.
  IREE_HAL_EXTERNAL_BUFFER_TYPE_DEVICE_ALLOCATION = 2,
  // |handle| is a file descriptor.
  IREE_HAL_EXTERNAL_BUFFER_TYPE_OPAQUE_FD = 3,
};

// Memory made elsewhere.
typedef struct iree_hal_external_buffer_t {
  iree_hal_external_buffer_type_t type;
  uint32_t flags;
  iree_device_size_t size;
  uint64_t handle;
  uint64_t reserved[2];
} iree_hal_external_buffer_t;

// Bytes since the allocator was made.
typedef struct iree_hal_allocator_statistics_t {
  // sizeof(iree_hal_allocator_statistics_t) as the caller was compiled, set by
  // the caller; no more than that is written.
  uint32_t size;
  uint32_t reserved;
  iree_device_size_t host_bytes_peak;
  iree_device_size_t host_bytes_allocated;
  iree_device_size_t host_bytes_freed;
  iree_device_size_t device_bytes_peak;
  iree_device_size_t device_bytes_allocated;
  iree_device_size_t device_bytes_freed;
} iree_hal_allocator_statistics_t;

IREE_API_EXPORT void iree_hal_allocator_retain(iree_hal_allocator_t* allocator);
IREE_API_EXPORT void iree_hal_allocator_release(
    iree_hal_allocator_t* allocator);
IREE_API_EXPORT iree_allocator_t
iree_hal_allocator_host_allocator(const iree_hal_allocator_t* allocator);

// Gives back memory that is cached and unused.
IREE_API_EXPORT iree_status_t
iree_hal_allocator_trim(iree_hal_allocator_t* allocator);
// The caller sets |out_statistics->size|; no more than that is written.
IREE_API_EXPORT void iree_hal_allocator_query_statistics(
    iree_hal_allocator_t* allocator,
    iree_hal_allocator_statistics_t* out_statistics);
// Fills up to |capacity| heaps. |*out_count| is how many there are;
// OUT_OF_RANGE when that is more.
IREE_API_EXPORT iree_status_t iree_hal_allocator_query_memory_heaps(
    iree_hal_allocator_t* allocator, iree_host_size_t capacity,
    iree_hal_allocator_memory_heap_t* heaps, iree_host_size_t* out_count);
// What can be done for |params| and |allocation_size|; the outputs (may be
// NULL) are what an allocation would really get.
IREE_API_EXPORT iree_hal_buffer_compatibility_t
iree_hal_allocator_query_buffer_compatibility(
    iree_hal_allocator_t* allocator, iree_hal_buffer_params_t params,
    iree_device_size_t allocation_size, iree_hal_buffer_params_t* out_params,
    iree_device_size_t* out_allocation_size);
// A buffer of |allocation_size| bytes, contents undefined. 0 bytes are allowed.
// RESOURCE_EXHAUSTED when there is no memory.
IREE_API_EXPORT iree_status_t iree_hal_allocator_allocate_buffer(
    iree_hal_allocator_t* allocator, iree_hal_buffer_params_t params,
    iree_device_size_t allocation_size, iree_hal_buffer_t** out_buffer);
// A buffer over memory made elsewhere, which stays valid until
// |release_callback|. On failure the callback is not called.
IREE_API_EXPORT iree_status_t iree_hal_allocator_import_buffer(
    iree_hal_allocator_t* allocator, iree_hal_buffer_params_t params,
    const iree_hal_external_buffer_t* external_buffer,
    iree_hal_buffer_release_callback_t release_callback,
    iree_hal_buffer_t** out_buffer);
// The buffer's memory as a handle of |requested_type|, valid as long as the
// buffer.
IREE_API_EXPORT iree_status_t iree_hal_allocator_export_buffer(
    iree_hal_allocator_t* allocator, iree_hal_buffer_t* buffer,
    iree_hal_external_buffer_type_t requested_type, uint32_t requested_flags,
    iree_hal_external_buffer_t* out_external_buffer);

typedef struct iree_hal_allocator_vtable_t {
  iree_cy_vtable_header_t header;
  // Required. Calls iree_hal_allocator_deinitialize first.
  void (*destroy)(iree_hal_allocator_t* allocator);
  // Default: nothing.
  iree_status_t (*trim)(iree_hal_allocator_t* allocator);
  // Default: what iree_hal_allocator_record_* counted. The struct comes zeroed
  // but for its size, which is the host's: a driver fills the members that it
  // knows and that lie within the size.
  void (*query_statistics)(iree_hal_allocator_t* allocator,
                           iree_hal_allocator_statistics_t* out_statistics);
  // Default: one heap of host memory that the device can use.
  iree_status_t (*query_memory_heaps)(iree_hal_allocator_t* allocator,
                                      iree_host_size_t capacity,
                                      iree_hal_allocator_memory_heap_t* heaps,
                                      iree_host_size_t* out_count);
  // Default: what host memory can do. May adjust both in place.
  iree_hal_buffer_compatibility_t (*query_buffer_compatibility)(
      iree_hal_allocator_t* allocator, iree_hal_buffer_params_t* params,
      iree_device_size_t* allocation_size);
  // Required. |params| are canonical. The base counts what
  // iree_hal_allocator_record_* is told.
  iree_status_t (*allocate_buffer)(iree_hal_allocator_t* allocator,
                                   const iree_hal_buffer_params_t* params,
                                   iree_device_size_t allocation_size,
                                   iree_hal_buffer_t** out_buffer);
  // Default: UNIMPLEMENTED.
  iree_status_t (*import_buffer)(
      iree_hal_allocator_t* allocator, const iree_hal_buffer_params_t* params,
      const iree_hal_external_buffer_t* external_buffer,
      iree_hal_buffer_release_callback_t release_callback,
      iree_hal_buffer_t** out_buffer);
  // Default: UNIMPLEMENTED.
  iree_status_t (*export_buffer)(
      iree_hal_allocator_t* allocator, iree_hal_buffer_t* buffer,
      iree_hal_external_buffer_type_t requested_type, uint32_t requested_flags,
      iree_hal_external_buffer_t* out_external_buffer);
} iree_hal_allocator_vtable_t;

struct iree_hal_allocator_t {
  iree_hal_resource_t resource;
  iree_allocator_t host_allocator;
  // What iree_hal_allocator_record_* counted; atomic. Read by
  // iree_hal_allocator_query_statistics.
  iree_device_size_t counters[8];
  uintptr_t reserved[4];
};

IREE_API_EXPORT void iree_hal_allocator_initialize(
    const iree_hal_allocator_vtable_t* vtable, iree_allocator_t host_allocator,
    iree_hal_allocator_t* allocator);
// First thing in destroy: from here on the base holds nothing. (Later versions
// may keep things there.)
IREE_API_EXPORT void iree_hal_allocator_deinitialize(
    iree_hal_allocator_t* allocator);
// Counts an allocation or its end. Any thread.
IREE_API_EXPORT void iree_hal_allocator_record_alloc(
    iree_hal_allocator_t* allocator, iree_hal_memory_type_t memory_type,
    iree_device_size_t byte_length);
IREE_API_EXPORT void iree_hal_allocator_record_free(
    iree_hal_allocator_t* allocator, iree_hal_memory_type_t memory_type,
    iree_device_size_t byte_length);

// An allocator of host memory, 64-byte aligned, importing and exporting host
// allocations. Its buffers are heap buffers (iree_hal_heap_buffer_data). The
// allocator may be released before them.
IREE_API_EXPORT iree_status_t iree_hal_allocator_create_heap(
    iree_string_view_t identifier, iree_allocator_t host_allocator,
    iree_hal_allocator_t** out_allocator);
// Allocators over another, which they keep: one that reuses freed buffers of
// like size (bounded by |max_bytes|; 0 is 256 MiB), and one that fills fresh
// and freed memory with patterns, so that what reads it shows.
IREE_API_EXPORT iree_status_t iree_hal_allocator_create_caching(
    iree_hal_allocator_t* inner, iree_device_size_t max_bytes,
    iree_allocator_t host_allocator, iree_hal_allocator_t** out_allocator);
IREE_API_EXPORT iree_status_t iree_hal_allocator_create_debug(
    iree_hal_allocator_t* inner, iree_allocator_t host_allocator,
    iree_hal_allocator_t** out_allocator);

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_HAL_ALLOCATOR_H_
