// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the calls of executables, executable caches and executable loaders.

#include "iree_cy/hal/executable.h"

#include "iree_cy/hal/device.h"
#include "iree_cy/native/hal/vtable_defaults.h"

// What the first version of the struct had.
#define FUNCTION_INFO_FIRST_SIZE \
  (offsetof(iree_hal_executable_function_info_t, reserved1) + sizeof(uint32_t))

static const iree_hal_executable_vtable_t* executable_vtable(
    const iree_hal_executable_t* executable) {
  return (const iree_hal_executable_vtable_t*)executable->resource.vtable;
}

void iree_hal_executable_initialize(const iree_hal_executable_vtable_t* vtable,
                                    iree_allocator_t host_allocator,
                                    iree_hal_executable_t* executable) {
  memset(executable, 0, sizeof(*executable));
  iree_hal_resource_initialize(vtable, &executable->resource);
  executable->host_allocator = host_allocator;
}

void iree_hal_executable_deinitialize(iree_hal_executable_t* executable) {
  (void)executable;
}

void iree_hal_executable_retain(iree_hal_executable_t* executable) {
  iree_hal_resource_retain(executable);
}

void iree_hal_executable_release(iree_hal_executable_t* executable) {
  iree_hal_resource_release(executable);
}

iree_host_size_t iree_hal_executable_function_count(
    iree_hal_executable_t* executable) {
  return executable_vtable(executable)->function_count(executable);
}

iree_status_t iree_hal_executable_function_info(
    iree_hal_executable_t* executable, iree_hal_executable_function_t function,
    iree_hal_executable_function_info_t* out_info) {
  const uint32_t size = out_info->size;
  if (IREE_LIKELY(size == sizeof(*out_info))) {
    memset(out_info, 0, sizeof(*out_info));
    out_info->size = size;
    return executable_vtable(executable)
        ->function_info(executable, function, out_info);
  }
  // The asker knows less of the struct, or more, than this core.
  if (IREE_UNLIKELY(size < FUNCTION_INFO_FIRST_SIZE)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "a function info says that it has %" PRIu32
                            " bytes; set its size to "
                            "sizeof(iree_hal_executable_function_info_t), %zu",
                            size, sizeof(*out_info));
  }
  iree_hal_executable_function_info_t info = {.size = sizeof(info)};
  iree_status_t status =
      executable_vtable(executable)->function_info(executable, function, &info);
  memset(out_info, 0, size);
  memcpy(out_info, &info, iree_min((iree_host_size_t)size, sizeof(info)));
  out_info->size = size;
  return status;
}

iree_status_t iree_hal_executable_lookup_function_by_name(
    iree_hal_executable_t* executable, iree_string_view_t name,
    iree_hal_executable_function_t* out_function) {
  memset(out_function, 0, sizeof(*out_function));
  return executable_vtable(executable)
      ->lookup_function_by_name(executable, name, out_function);
}

//===-- executable caches ---------------------------------------------------===

static const iree_hal_executable_cache_vtable_t* executable_cache_vtable(
    const iree_hal_executable_cache_t* executable_cache) {
  return (const iree_hal_executable_cache_vtable_t*)
      executable_cache->resource.vtable;
}

void iree_hal_executable_cache_initialize(
    const iree_hal_executable_cache_vtable_t* vtable,
    iree_allocator_t host_allocator,
    iree_hal_executable_cache_t* executable_cache) {
  memset(executable_cache, 0, sizeof(*executable_cache));
  iree_hal_resource_initialize(vtable, &executable_cache->resource);
  executable_cache->host_allocator = host_allocator;
}

void iree_hal_executable_cache_deinitialize(
    iree_hal_executable_cache_t* executable_cache) {
  (void)executable_cache;
}

iree_status_t iree_hal_executable_cache_create(
    iree_hal_device_t* device, iree_string_view_t identifier,
    iree_hal_executable_cache_t** out_executable_cache) {
  *out_executable_cache = NULL;
  iree_status_t status =
      ((const iree_hal_device_vtable_t*)device->resource.vtable)
          ->create_executable_cache(device, identifier, out_executable_cache);
  return iree_cy_check_result(status, *out_executable_cache, device,
                              "iree_hal_device_t.create_executable_cache",
                              "executable cache");
}

void iree_hal_executable_cache_retain(
    iree_hal_executable_cache_t* executable_cache) {
  iree_hal_resource_retain(executable_cache);
}

void iree_hal_executable_cache_release(
    iree_hal_executable_cache_t* executable_cache) {
  iree_hal_resource_release(executable_cache);
}

bool iree_hal_executable_cache_can_prepare_format(
    iree_hal_executable_cache_t* executable_cache,
    iree_hal_executable_caching_mode_t caching_mode,
    iree_string_view_t executable_format) {
  return executable_cache_vtable(executable_cache)
      ->can_prepare_format(executable_cache, caching_mode, executable_format);
}

iree_status_t iree_hal_executable_cache_prepare_executable(
    iree_hal_executable_cache_t* executable_cache,
    const iree_hal_executable_params_t* params,
    iree_hal_executable_t** out_executable) {
  *out_executable = NULL;
  iree_status_t status =
      executable_cache_vtable(executable_cache)
          ->prepare_executable(executable_cache, params, out_executable);
  return iree_cy_check_result(status, *out_executable, executable_cache,
                              "iree_hal_executable_cache_t.prepare_executable",
                              "executable");
}

//===-- loaders of CPU code -------------------------------------------------===

static const iree_hal_executable_loader_vtable_t* executable_loader_vtable(
    const iree_hal_executable_loader_t* loader) {
  return (const iree_hal_executable_loader_vtable_t*)loader->resource.vtable;
}

void iree_hal_executable_loader_initialize(
    const iree_hal_executable_loader_vtable_t* vtable,
    iree_allocator_t host_allocator, iree_hal_executable_loader_t* loader) {
  memset(loader, 0, sizeof(*loader));
  iree_hal_resource_initialize(vtable, &loader->resource);
  loader->host_allocator = host_allocator;
}

void iree_hal_executable_loader_deinitialize(
    iree_hal_executable_loader_t* loader) {
  (void)loader;
}

void iree_hal_executable_loader_retain(iree_hal_executable_loader_t* loader) {
  iree_hal_resource_retain(loader);
}

void iree_hal_executable_loader_release(iree_hal_executable_loader_t* loader) {
  iree_hal_resource_release(loader);
}

bool iree_hal_executable_loader_query_support(
    iree_hal_executable_loader_t* loader,
    iree_hal_executable_caching_mode_t caching_mode,
    iree_string_view_t executable_format) {
  return executable_loader_vtable(loader)->query_support(loader, caching_mode,
                                                         executable_format);
}

iree_status_t iree_hal_executable_loader_try_load(
    iree_hal_executable_loader_t* loader,
    const iree_hal_executable_params_t* params,
    iree_host_size_t worker_capacity, iree_hal_executable_t** out_executable) {
  *out_executable = NULL;
  iree_status_t status = executable_loader_vtable(loader)->try_load(
      loader, params, worker_capacity, out_executable);
  return iree_cy_check_result(status, *out_executable, loader,
                              "iree_hal_executable_loader_t.try_load",
                              "executable");
}
