// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what every allocator can do: checks before the vtable, and the counting
// of bytes.

#include "iree_cy/hal/allocator.h"

#include "iree_cy/native/hal/vtable_defaults.h"

// iree_hal_allocator_t.counters: these of host memory, then these of device
// memory. The bytes in use now make the peaks exact, which the two running sums
// cannot.
enum {
  COUNTER_PEAK = 0,
  COUNTER_ALLOCATED = 1,
  COUNTER_FREED = 2,
  COUNTER_CURRENT = 3,
  COUNTER_COUNT = 4,
};

static const iree_hal_allocator_vtable_t* allocator_vtable(
    const iree_hal_allocator_t* allocator) {
  return (const iree_hal_allocator_vtable_t*)allocator->resource.vtable;
}

void iree_hal_allocator_initialize(const iree_hal_allocator_vtable_t* vtable,
                                   iree_allocator_t host_allocator,
                                   iree_hal_allocator_t* allocator) {
  memset(allocator, 0, sizeof(*allocator));
  iree_hal_resource_initialize(vtable, &allocator->resource);
  allocator->host_allocator = host_allocator;
}

void iree_hal_allocator_deinitialize(iree_hal_allocator_t* allocator) {
  (void)allocator;
}

void iree_hal_allocator_retain(iree_hal_allocator_t* allocator) {
  iree_hal_resource_retain(allocator);
}

void iree_hal_allocator_release(iree_hal_allocator_t* allocator) {
  iree_hal_resource_release(allocator);
}

iree_allocator_t iree_hal_allocator_host_allocator(
    const iree_hal_allocator_t* allocator) {
  return allocator->host_allocator;
}

iree_status_t iree_hal_allocator_trim(iree_hal_allocator_t* allocator) {
  return allocator_vtable(allocator)->trim(allocator);
}

void iree_hal_allocator_query_statistics(
    iree_hal_allocator_t* allocator,
    iree_hal_allocator_statistics_t* out_statistics) {
  // The asker may know less of the struct, or more, than this core.
  const uint32_t size = out_statistics->size;
  if (size < sizeof(size)) return;
  iree_hal_allocator_statistics_t statistics = {.size = sizeof(statistics)};
  allocator_vtable(allocator)->query_statistics(allocator, &statistics);
  memset(out_statistics, 0, size);
  memcpy(out_statistics, &statistics,
         iree_min((iree_host_size_t)size, sizeof(statistics)));
  out_statistics->size = size;
}

void iree_cy_allocator_counted_statistics(
    iree_hal_allocator_t* allocator,
    iree_hal_allocator_statistics_t* out_statistics) {
  iree_device_size_t values[IREE_ARRAYSIZE(allocator->counters)];
  for (iree_host_size_t i = 0; i < IREE_ARRAYSIZE(values); ++i) {
    values[i] = __atomic_load_n(&allocator->counters[i], __ATOMIC_RELAXED);
  }
  const iree_device_size_t* device_values = values + COUNTER_COUNT;
  out_statistics->host_bytes_peak = values[COUNTER_PEAK];
  out_statistics->host_bytes_allocated = values[COUNTER_ALLOCATED];
  out_statistics->host_bytes_freed = values[COUNTER_FREED];
  out_statistics->device_bytes_peak = device_values[COUNTER_PEAK];
  out_statistics->device_bytes_allocated = device_values[COUNTER_ALLOCATED];
  out_statistics->device_bytes_freed = device_values[COUNTER_FREED];
}

iree_status_t iree_hal_allocator_query_memory_heaps(
    iree_hal_allocator_t* allocator, iree_host_size_t capacity,
    iree_hal_allocator_memory_heap_t* heaps, iree_host_size_t* out_count) {
  *out_count = 0;
  return allocator_vtable(allocator)->query_memory_heaps(allocator, capacity,
                                                         heaps, out_count);
}

iree_hal_buffer_compatibility_t iree_hal_allocator_query_buffer_compatibility(
    iree_hal_allocator_t* allocator, iree_hal_buffer_params_t params,
    iree_device_size_t allocation_size, iree_hal_buffer_params_t* out_params,
    iree_device_size_t* out_allocation_size) {
  iree_hal_buffer_params_canonicalize(&params);
  iree_hal_buffer_compatibility_t compatibility =
      allocator_vtable(allocator)->query_buffer_compatibility(
          allocator, &params, &allocation_size);
  if (out_params) *out_params = params;
  if (out_allocation_size) *out_allocation_size = allocation_size;
  return compatibility;
}

static iree_status_t canonicalize_params(iree_hal_buffer_params_t* params) {
  iree_hal_buffer_params_canonicalize(params);
  if (params->min_alignment &&
      (params->min_alignment & (params->min_alignment - 1)) != 0) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "alignment %" PRIdsz " is not a power of two",
                            params->min_alignment);
  }
  return iree_ok_status();
}

iree_status_t iree_hal_allocator_allocate_buffer(
    iree_hal_allocator_t* allocator, iree_hal_buffer_params_t params,
    iree_device_size_t allocation_size, iree_hal_buffer_t** out_buffer) {
  *out_buffer = NULL;
  IREE_RETURN_IF_ERROR(canonicalize_params(&params));
  iree_status_t status = allocator_vtable(allocator)->allocate_buffer(
      allocator, &params, allocation_size, out_buffer);
  return iree_cy_check_result(status, *out_buffer, allocator,
                              "iree_hal_allocator_t.allocate_buffer", "buffer");
}

iree_status_t iree_hal_allocator_import_buffer(
    iree_hal_allocator_t* allocator, iree_hal_buffer_params_t params,
    const iree_hal_external_buffer_t* external_buffer,
    iree_hal_buffer_release_callback_t release_callback,
    iree_hal_buffer_t** out_buffer) {
  *out_buffer = NULL;
  IREE_RETURN_IF_ERROR(canonicalize_params(&params));
  iree_status_t status = allocator_vtable(allocator)->import_buffer(
      allocator, &params, external_buffer, release_callback, out_buffer);
  return iree_cy_check_result(status, *out_buffer, allocator,
                              "iree_hal_allocator_t.import_buffer", "buffer");
}

iree_status_t iree_hal_allocator_export_buffer(
    iree_hal_allocator_t* allocator, iree_hal_buffer_t* buffer,
    iree_hal_external_buffer_type_t requested_type, uint32_t requested_flags,
    iree_hal_external_buffer_t* out_external_buffer) {
  memset(out_external_buffer, 0, sizeof(*out_external_buffer));
  return allocator_vtable(allocator)->export_buffer(
      allocator, buffer, requested_type, requested_flags, out_external_buffer);
}

static iree_device_size_t* counters_of(iree_hal_allocator_t* allocator,
                                       iree_hal_memory_type_t memory_type) {
  const bool is_host =
      iree_all_bits_set(memory_type, IREE_HAL_MEMORY_TYPE_HOST_LOCAL);
  return &allocator->counters[is_host ? 0 : COUNTER_COUNT];
}

void iree_hal_allocator_record_alloc(iree_hal_allocator_t* allocator,
                                     iree_hal_memory_type_t memory_type,
                                     iree_device_size_t byte_length) {
  iree_device_size_t* counters = counters_of(allocator, memory_type);
  __atomic_fetch_add(&counters[COUNTER_ALLOCATED], byte_length,
                     __ATOMIC_RELAXED);
  const iree_device_size_t current = __atomic_add_fetch(
      &counters[COUNTER_CURRENT], byte_length, __ATOMIC_RELAXED);
  iree_device_size_t* peak = &counters[COUNTER_PEAK];
  iree_device_size_t highest = __atomic_load_n(peak, __ATOMIC_RELAXED);
  while (current > highest) {
    if (__atomic_compare_exchange_n(peak, &highest, current, /*weak=*/true,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      break;
    }
  }
}

void iree_hal_allocator_record_free(iree_hal_allocator_t* allocator,
                                    iree_hal_memory_type_t memory_type,
                                    iree_device_size_t byte_length) {
  iree_device_size_t* counters = counters_of(allocator, memory_type);
  __atomic_fetch_sub(&counters[COUNTER_CURRENT], byte_length, __ATOMIC_RELAXED);
  __atomic_fetch_add(&counters[COUNTER_FREED], byte_length, __ATOMIC_RELAXED);
}
