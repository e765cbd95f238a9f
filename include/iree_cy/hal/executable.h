// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns executables: device code that was loaded, the caches that prepare it,
// and the loaders of CPU code.

#ifndef IREE_CY_HAL_EXECUTABLE_H_
#define IREE_CY_HAL_EXECUTABLE_H_

#include "iree_cy/hal/types.h"

IREE_CY_EXTERN_C_BEGIN

// Names a function of one executable. For the core's loaders it is an ordinal.
typedef struct iree_hal_executable_function_t {
  uint64_t value;
} iree_hal_executable_function_t;
static inline iree_hal_executable_function_t
iree_hal_executable_function_from_index(uint32_t index) {
  iree_hal_executable_function_t function = {index};
  return function;
}

typedef uint64_t iree_hal_executable_function_flags_t;
enum iree_hal_executable_function_flag_bits_e {
  IREE_HAL_EXECUTABLE_FUNCTION_FLAG_NONE = 0,
  // Workgroups must run one after the other.
  IREE_HAL_EXECUTABLE_FUNCTION_FLAG_SEQUENTIAL = 1ull << 0,
  IREE_HAL_EXECUTABLE_FUNCTION_FLAG_WORKGROUP_SIZE_DYNAMIC = 1ull << 1,
  // The counts of constants and bindings are not known, so that the host cannot
  // check them; the driver does.
  IREE_HAL_EXECUTABLE_FUNCTION_FLAG_ARGUMENTS_UNKNOWN = 1ull << 2,
};

typedef struct iree_hal_executable_function_info_t {
  // sizeof(iree_hal_executable_function_info_t) as the caller was compiled, set
  // by the caller; no more than that is written.
  uint32_t size;
  // Bytes that each workgroup needs besides what a dispatch asks for.
  uint32_t workgroup_local_memory;
  // Borrowed from the executable; may be empty.
  iree_string_view_t name;
  iree_hal_executable_function_flags_t flags;
  uint16_t constant_count;
  uint16_t binding_count;
  uint16_t parameter_count;
  uint16_t reserved0;
  uint32_t workgroup_size[3];
  uint32_t reserved1;
} iree_hal_executable_function_info_t;

typedef uint32_t iree_hal_executable_caching_mode_t;
enum iree_hal_executable_caching_mode_bits_e {
  // The data outlives the executable and may be used in place.
  IREE_HAL_EXECUTABLE_CACHING_MODE_ALIAS_PROVIDED_DATA = 1u << 0,
  IREE_HAL_EXECUTABLE_CACHING_MODE_ALLOW_PERSISTENT_CACHING = 1u << 1,
  IREE_HAL_EXECUTABLE_CACHING_MODE_ALLOW_OPTIMIZATION = 1u << 2,
  IREE_HAL_EXECUTABLE_CACHING_MODE_ENABLE_DEBUGGING = 1u << 3,
  IREE_HAL_EXECUTABLE_CACHING_MODE_ENABLE_COVERAGE = 1u << 4,
  IREE_HAL_EXECUTABLE_CACHING_MODE_ENABLE_PROFILING = 1u << 5,
  IREE_HAL_EXECUTABLE_CACHING_MODE_DISABLE_VERIFICATION = 1u << 6,
};

// What is to be prepared; all borrowed for the call.
typedef struct iree_hal_executable_params_t {
  uint32_t size;
  iree_hal_executable_caching_mode_t caching_mode;
  iree_hal_queue_affinity_t queue_affinity;
  iree_string_view_t executable_format;
  iree_const_byte_span_t executable_data;
  iree_host_size_t constant_count;
  const uint32_t* constants;
} iree_hal_executable_params_t;

IREE_API_EXPORT void iree_hal_executable_retain(
    iree_hal_executable_t* executable);
IREE_API_EXPORT void iree_hal_executable_release(
    iree_hal_executable_t* executable);
IREE_API_EXPORT iree_host_size_t
iree_hal_executable_function_count(iree_hal_executable_t* executable);
// The caller sets |out_info->size|. OUT_OF_RANGE for a function that is not of
// this executable.
IREE_API_EXPORT iree_status_t iree_hal_executable_function_info(
    iree_hal_executable_t* executable, iree_hal_executable_function_t function,
    iree_hal_executable_function_info_t* out_info);
// NOT_FOUND naming |name|.
IREE_API_EXPORT iree_status_t iree_hal_executable_lookup_function_by_name(
    iree_hal_executable_t* executable, iree_string_view_t name,
    iree_hal_executable_function_t* out_function);

typedef struct iree_hal_executable_vtable_t {
  iree_cy_vtable_header_t header;
  // Required. Calls iree_hal_executable_deinitialize first.
  void (*destroy)(iree_hal_executable_t* executable);
  // Required.
  iree_host_size_t (*function_count)(iree_hal_executable_t* executable);
  // Required. The struct comes zeroed but for its size, which is the host's: a
  // driver fills the members that it knows and that lie within the size.
  iree_status_t (*function_info)(iree_hal_executable_t* executable,
                                 iree_hal_executable_function_t function,
                                 iree_hal_executable_function_info_t* out_info);
  // Default: looks through function_info by index.
  iree_status_t (*lookup_function_by_name)(
      iree_hal_executable_t* executable, iree_string_view_t name,
      iree_hal_executable_function_t* out_function);
} iree_hal_executable_vtable_t;

struct iree_hal_executable_t {
  iree_hal_resource_t resource;
  iree_allocator_t host_allocator;
  uintptr_t reserved[4];
};
IREE_API_EXPORT void iree_hal_executable_initialize(
    const iree_hal_executable_vtable_t* vtable, iree_allocator_t host_allocator,
    iree_hal_executable_t* executable);
// First thing in destroy: from here on the base holds nothing. (Later versions
// may keep things there.)
IREE_API_EXPORT void iree_hal_executable_deinitialize(
    iree_hal_executable_t* executable);

//===-- executable caches ---------------------------------------------------===

IREE_API_EXPORT iree_status_t iree_hal_executable_cache_create(
    iree_hal_device_t* device, iree_string_view_t identifier,
    iree_hal_executable_cache_t** out_executable_cache);
IREE_API_EXPORT void iree_hal_executable_cache_retain(
    iree_hal_executable_cache_t* executable_cache);
IREE_API_EXPORT void iree_hal_executable_cache_release(
    iree_hal_executable_cache_t* executable_cache);
IREE_API_EXPORT bool iree_hal_executable_cache_can_prepare_format(
    iree_hal_executable_cache_t* executable_cache,
    iree_hal_executable_caching_mode_t caching_mode,
    iree_string_view_t executable_format);
IREE_API_EXPORT iree_status_t iree_hal_executable_cache_prepare_executable(
    iree_hal_executable_cache_t* executable_cache,
    const iree_hal_executable_params_t* params,
    iree_hal_executable_t** out_executable);

typedef struct iree_hal_executable_cache_vtable_t {
  iree_cy_vtable_header_t header;
  // Required, all three. destroy calls iree_hal_executable_cache_deinitialize
  // first.
  void (*destroy)(iree_hal_executable_cache_t* executable_cache);
  bool (*can_prepare_format)(iree_hal_executable_cache_t* executable_cache,
                             iree_hal_executable_caching_mode_t caching_mode,
                             iree_string_view_t executable_format);
  iree_status_t (*prepare_executable)(
      iree_hal_executable_cache_t* executable_cache,
      const iree_hal_executable_params_t* params,
      iree_hal_executable_t** out_executable);
} iree_hal_executable_cache_vtable_t;

struct iree_hal_executable_cache_t {
  iree_hal_resource_t resource;
  iree_allocator_t host_allocator;
  uintptr_t reserved[4];
};
IREE_API_EXPORT void iree_hal_executable_cache_initialize(
    const iree_hal_executable_cache_vtable_t* vtable,
    iree_allocator_t host_allocator,
    iree_hal_executable_cache_t* executable_cache);
// First thing in destroy: from here on the base holds nothing. (Later versions
// may keep things there.)
IREE_API_EXPORT void iree_hal_executable_cache_deinitialize(
    iree_hal_executable_cache_t* executable_cache);

//===-- loaders of CPU code -------------------------------------------------===

// One of the core's loaders: "embedded-elf", "system-library" or "vmvx".
// NOT_FOUND lists them.
IREE_API_EXPORT iree_status_t iree_hal_executable_loader_create(
    iree_string_view_t identifier, iree_allocator_t host_allocator,
    iree_hal_executable_loader_t** out_loader);
IREE_API_EXPORT void iree_hal_executable_loader_retain(
    iree_hal_executable_loader_t* loader);
IREE_API_EXPORT void iree_hal_executable_loader_release(
    iree_hal_executable_loader_t* loader);
// Whether the loader can load |executable_format| on this machine.
IREE_API_EXPORT bool iree_hal_executable_loader_query_support(
    iree_hal_executable_loader_t* loader,
    iree_hal_executable_caching_mode_t caching_mode,
    iree_string_view_t executable_format);
// Loads. The data is copied unless it may be aliased. |worker_capacity| is how
// many threads may call the result at once.
IREE_API_EXPORT iree_status_t iree_hal_executable_loader_try_load(
    iree_hal_executable_loader_t* loader,
    const iree_hal_executable_params_t* params,
    iree_host_size_t worker_capacity, iree_hal_executable_t** out_executable);

// A cache that tries |loaders| in order; keeps them.
IREE_API_EXPORT iree_status_t iree_hal_local_executable_cache_create(
    iree_string_view_t identifier, iree_host_size_t worker_capacity,
    iree_host_size_t loader_count, iree_hal_executable_loader_t* const* loaders,
    iree_allocator_t host_allocator,
    iree_hal_executable_cache_t** out_executable_cache);

// A dispatch as CPU code takes it; all borrowed for the call.
typedef struct iree_hal_local_dispatch_t {
  uint32_t size;
  // Workers that may run parts of this dispatch at once.
  uint32_t max_concurrency;
  // 0 in each: as the function says.
  uint32_t workgroup_size[3];
  uint32_t workgroup_count[3];
  uint32_t constant_count;
  uint32_t binding_count;
  const uint32_t* constants;
  // Host addresses and lengths in bytes of the bindings.
  void* const* binding_ptrs;
  const size_t* binding_lengths;
  // Bit i: binding i may be written. The caller works it out of the buffers,
  // for compiled code does not say: set where iree_hal_buffer_allowed_access
  // has WRITE. vmvx makes the others read-only; native code is trusted with
  // all.
  uint64_t writable_bindings;
} iree_hal_local_dispatch_t;

// Whether |executable| came from one of the core's loaders.
IREE_API_EXPORT bool iree_hal_local_executable_isa(
    const iree_hal_executable_t* executable);
// Runs workgroups [first_workgroup, first_workgroup + workgroup_count) of the
// dispatch, counted x first, then y, then z, on this thread. |executable| must
// be one of the core's. |local_memory| holds at least what function_info says;
// |worker_id| is below the worker capacity and used by one thread at a time.
// The counts of constants and bindings are checked against the function.
IREE_API_EXPORT iree_status_t iree_hal_local_executable_dispatch(
    iree_hal_executable_t* executable, iree_hal_executable_function_t function,
    const iree_hal_local_dispatch_t* dispatch, uint64_t first_workgroup,
    uint64_t workgroup_count, uint32_t worker_id,
    iree_byte_span_t local_memory);

// Answers a question of a compiled program about this processor: category
// "hal.cpu", key a feature as the compiler names it ("avx2"); 1 when it is
// there. NOT_FOUND for another category or a feature that is not known. What a
// driver that runs CPU code answers in query_i64.
IREE_API_EXPORT iree_status_t iree_hal_processor_query_i64(
    iree_string_view_t category, iree_string_view_t key, int64_t* out_value);

typedef struct iree_hal_executable_loader_vtable_t {
  iree_cy_vtable_header_t header;
  // Required, all three. destroy calls iree_hal_executable_loader_deinitialize
  // first.
  void (*destroy)(iree_hal_executable_loader_t* loader);
  bool (*query_support)(iree_hal_executable_loader_t* loader,
                        iree_hal_executable_caching_mode_t caching_mode,
                        iree_string_view_t executable_format);
  iree_status_t (*try_load)(iree_hal_executable_loader_t* loader,
                            const iree_hal_executable_params_t* params,
                            iree_host_size_t worker_capacity,
                            iree_hal_executable_t** out_executable);
} iree_hal_executable_loader_vtable_t;

struct iree_hal_executable_loader_t {
  iree_hal_resource_t resource;
  iree_allocator_t host_allocator;
  uintptr_t reserved[4];
};
IREE_API_EXPORT void iree_hal_executable_loader_initialize(
    const iree_hal_executable_loader_vtable_t* vtable,
    iree_allocator_t host_allocator, iree_hal_executable_loader_t* loader);
// First thing in destroy: from here on the base holds nothing. (Later versions
// may keep things there.)
IREE_API_EXPORT void iree_hal_executable_loader_deinitialize(
    iree_hal_executable_loader_t* loader);

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_HAL_EXECUTABLE_H_
