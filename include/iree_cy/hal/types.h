// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the names, flags and small values that all of the HAL shares.

#ifndef IREE_CY_HAL_TYPES_H_
#define IREE_CY_HAL_TYPES_H_

#include "iree_cy/base/api.h"

IREE_CY_EXTERN_C_BEGIN

typedef struct iree_hal_allocator_t iree_hal_allocator_t;
typedef struct iree_hal_buffer_t iree_hal_buffer_t;
typedef struct iree_hal_buffer_view_t iree_hal_buffer_view_t;
typedef struct iree_hal_channel_t iree_hal_channel_t;
typedef struct iree_hal_command_buffer_t iree_hal_command_buffer_t;
typedef struct iree_hal_device_t iree_hal_device_t;
typedef struct iree_hal_driver_t iree_hal_driver_t;
typedef struct iree_hal_event_t iree_hal_event_t;
typedef struct iree_hal_executable_t iree_hal_executable_t;
typedef struct iree_hal_executable_cache_t iree_hal_executable_cache_t;
typedef struct iree_hal_executable_loader_t iree_hal_executable_loader_t;
typedef struct iree_hal_fence_t iree_hal_fence_t;
typedef struct iree_hal_file_t iree_hal_file_t;
typedef struct iree_hal_semaphore_t iree_hal_semaphore_t;

// A set of a device's queues, one bit each. ANY leaves the choice to the
// device.
typedef uint64_t iree_hal_queue_affinity_t;
#define IREE_HAL_QUEUE_AFFINITY_ANY ((iree_hal_queue_affinity_t)(-1))

// All of a buffer from an offset to its end, as a length.
#define IREE_HAL_WHOLE_BUFFER ((iree_device_size_t)(-1))

// Where memory is and who may look at it. Values are those that compiled
// programs carry.
typedef uint32_t iree_hal_memory_type_t;
enum iree_hal_memory_type_bits_e {
  IREE_HAL_MEMORY_TYPE_NONE = 0u,
  // The allocator may choose what serves the usage best.
  IREE_HAL_MEMORY_TYPE_OPTIMAL = 1u << 0,
  // The host may map it.
  IREE_HAL_MEMORY_TYPE_HOST_VISIBLE = 1u << 1,
  // Host writes reach the device, and the reverse, without flush or invalidate.
  IREE_HAL_MEMORY_TYPE_HOST_COHERENT = 1u << 2,
  // Host reads go through the processor's caches.
  IREE_HAL_MEMORY_TYPE_HOST_CACHED = 1u << 3,
  // The device may use it.
  IREE_HAL_MEMORY_TYPE_DEVICE_VISIBLE = 1u << 4,
  // It is in the host's memory, or in the device's own.
  IREE_HAL_MEMORY_TYPE_HOST_LOCAL = IREE_HAL_MEMORY_TYPE_HOST_VISIBLE |
      IREE_HAL_MEMORY_TYPE_HOST_COHERENT | (1u << 6),
  IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL = IREE_HAL_MEMORY_TYPE_DEVICE_VISIBLE |
      (1u << 5),
  IREE_HAL_MEMORY_TYPE_OPTIMAL_FOR_HOST = IREE_HAL_MEMORY_TYPE_OPTIMAL |
      IREE_HAL_MEMORY_TYPE_HOST_LOCAL,
  IREE_HAL_MEMORY_TYPE_OPTIMAL_FOR_DEVICE = IREE_HAL_MEMORY_TYPE_OPTIMAL |
      IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL,
};

// What may be done to memory. Every buffer carries what it allows.
typedef uint32_t iree_hal_memory_access_t;
enum iree_hal_memory_access_bits_e {
  IREE_HAL_MEMORY_ACCESS_NONE = 0u,
  IREE_HAL_MEMORY_ACCESS_READ = 1u << 0,
  IREE_HAL_MEMORY_ACCESS_WRITE = 1u << 1,
  // With WRITE: the contents before need not be kept.
  IREE_HAL_MEMORY_ACCESS_DISCARD = 1u << 2,
  IREE_HAL_MEMORY_ACCESS_DISCARD_WRITE = IREE_HAL_MEMORY_ACCESS_WRITE |
      IREE_HAL_MEMORY_ACCESS_DISCARD,
  IREE_HAL_MEMORY_ACCESS_MAY_ALIAS = 1u << 3,
  IREE_HAL_MEMORY_ACCESS_UNALIGNED = 1u << 4,
  IREE_HAL_MEMORY_ACCESS_ANY = 1u << 5,
  IREE_HAL_MEMORY_ACCESS_ALL = IREE_HAL_MEMORY_ACCESS_READ |
      IREE_HAL_MEMORY_ACCESS_WRITE | IREE_HAL_MEMORY_ACCESS_DISCARD,
};

// What a buffer is for. Values are those that compiled programs carry.
typedef uint32_t iree_hal_buffer_usage_t;
enum iree_hal_buffer_usage_bits_e {
  IREE_HAL_BUFFER_USAGE_NONE = 0u,
  IREE_HAL_BUFFER_USAGE_TRANSFER_SOURCE = 1u << 0,
  IREE_HAL_BUFFER_USAGE_TRANSFER_TARGET = 1u << 1,
  IREE_HAL_BUFFER_USAGE_TRANSFER = IREE_HAL_BUFFER_USAGE_TRANSFER_SOURCE |
      IREE_HAL_BUFFER_USAGE_TRANSFER_TARGET,
  IREE_HAL_BUFFER_USAGE_DISPATCH_INDIRECT_PARAMETERS = 1u << 8,
  IREE_HAL_BUFFER_USAGE_DISPATCH_UNIFORM_READ = 1u << 9,
  IREE_HAL_BUFFER_USAGE_DISPATCH_STORAGE_READ = 1u << 10,
  IREE_HAL_BUFFER_USAGE_DISPATCH_STORAGE_WRITE = 1u << 11,
  IREE_HAL_BUFFER_USAGE_DISPATCH_STORAGE =
          IREE_HAL_BUFFER_USAGE_DISPATCH_STORAGE_READ |
      IREE_HAL_BUFFER_USAGE_DISPATCH_STORAGE_WRITE,
  IREE_HAL_BUFFER_USAGE_DISPATCH_IMAGE_READ = 1u << 12,
  IREE_HAL_BUFFER_USAGE_DISPATCH_IMAGE_WRITE = 1u << 13,
  IREE_HAL_BUFFER_USAGE_SHARING_EXPORT = 1u << 16,
  IREE_HAL_BUFFER_USAGE_SHARING_REPLICATE = 1u << 17,
  IREE_HAL_BUFFER_USAGE_SHARING_CONCURRENT = 1u << 18,
  IREE_HAL_BUFFER_USAGE_SHARING_IMMUTABLE = 1u << 19,
  IREE_HAL_BUFFER_USAGE_MAPPING_SCOPED = 1u << 24,
  IREE_HAL_BUFFER_USAGE_MAPPING_PERSISTENT = 1u << 25,
  IREE_HAL_BUFFER_USAGE_MAPPING_OPTIONAL = 1u << 26,
  IREE_HAL_BUFFER_USAGE_MAPPING_ACCESS_RANDOM = 1u << 27,
  IREE_HAL_BUFFER_USAGE_MAPPING_ACCESS_SEQUENTIAL_WRITE = 1u << 28,
  IREE_HAL_BUFFER_USAGE_MAPPING = IREE_HAL_BUFFER_USAGE_MAPPING_SCOPED |
      IREE_HAL_BUFFER_USAGE_MAPPING_ACCESS_RANDOM,
  IREE_HAL_BUFFER_USAGE_DEFAULT = IREE_HAL_BUFFER_USAGE_TRANSFER |
      IREE_HAL_BUFFER_USAGE_DISPATCH_STORAGE,
};

// Formats flags as "DEVICE_LOCAL|HOST_VISIBLE" into |buffer|, cut and
// NUL-terminated. Returns the length without the cut.
IREE_API_EXPORT iree_host_size_t iree_hal_memory_type_format(
    iree_hal_memory_type_t value, iree_host_size_t capacity, char* buffer);
IREE_API_EXPORT iree_host_size_t iree_hal_memory_access_format(
    iree_hal_memory_access_t value, iree_host_size_t capacity, char* buffer);
IREE_API_EXPORT iree_host_size_t iree_hal_buffer_usage_format(
    iree_hal_buffer_usage_t value, iree_host_size_t capacity, char* buffer);

// Flags of operations. None is defined unless listed; unknown ones are ignored.
typedef uint64_t iree_hal_alloca_flags_t;
enum iree_hal_alloca_flag_bits_e {
  IREE_HAL_ALLOCA_FLAG_NONE = 0,
  // The lifetime cannot be told by the order of the queue.
  IREE_HAL_ALLOCA_FLAG_INDETERMINATE_LIFETIME = 1ull << 0,
};
typedef uint64_t iree_hal_dealloca_flags_t;
enum iree_hal_dealloca_flag_bits_e {
  IREE_HAL_DEALLOCA_FLAG_NONE = 0,
  IREE_HAL_DEALLOCA_FLAG_PREFER_ORIGIN = 1ull << 0,
};
typedef uint64_t iree_hal_fill_flags_t;
typedef uint64_t iree_hal_update_flags_t;
typedef uint64_t iree_hal_copy_flags_t;
typedef uint64_t iree_hal_read_flags_t;
typedef uint64_t iree_hal_write_flags_t;
typedef uint64_t iree_hal_execute_flags_t;
typedef uint64_t iree_hal_wait_flags_t;

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_HAL_TYPES_H_
