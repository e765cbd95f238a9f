// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the executable cache of devices on the processor: a list of loaders that
// are tried in order.

#include <stdio.h>

#include "iree_cy/native/loaders/local_executable.h"

typedef struct local_executable_cache_t {
  iree_hal_executable_cache_t base;
  iree_host_size_t worker_capacity;
  iree_host_size_t loader_count;
  iree_hal_executable_loader_t* loaders[];
} local_executable_cache_t;

static void local_executable_cache_destroy(
    iree_hal_executable_cache_t* base_cache) {
  local_executable_cache_t* cache = (local_executable_cache_t*)base_cache;
  iree_hal_executable_cache_deinitialize(base_cache);
  for (iree_host_size_t i = 0; i < cache->loader_count; ++i) {
    iree_hal_executable_loader_release(cache->loaders[i]);
  }
  iree_allocator_free(base_cache->host_allocator, cache);
}

static iree_hal_executable_loader_t* find_loader(
    const local_executable_cache_t* cache,
    iree_hal_executable_caching_mode_t caching_mode,
    iree_string_view_t executable_format) {
  for (iree_host_size_t i = 0; i < cache->loader_count; ++i) {
    if (iree_hal_executable_loader_query_support(
            cache->loaders[i], caching_mode, executable_format)) {
      return cache->loaders[i];
    }
  }
  return NULL;
}

static bool local_executable_cache_can_prepare_format(
    iree_hal_executable_cache_t* cache,
    iree_hal_executable_caching_mode_t caching_mode,
    iree_string_view_t executable_format) {
  return find_loader((local_executable_cache_t*)cache, caching_mode,
                     executable_format) != NULL;
}

static iree_status_t refuse_format(const local_executable_cache_t* cache,
                                   iree_string_view_t executable_format) {
  char formats[100] = {0};
  iree_host_size_t length = 0;
  for (iree_host_size_t i = 0; i < cache->loader_count; ++i) {
    const iree_string_view_t format =
        iree_cy_executable_loader_format(cache->loaders[i]);
    if (!format.size || length + format.size + 3 > sizeof(formats)) continue;
    length += (iree_host_size_t)snprintf(
        formats + length, sizeof(formats) - length, "%s%.*s",
        length ? ", " : "", IREE_SV_ARG(format));
  }
  return iree_make_status(
      IREE_STATUS_INCOMPATIBLE,
      "the program has code of format '%.*s'; this device takes %s",
      (int)iree_min(executable_format.size, (iree_host_size_t)48),
      executable_format.data, length ? formats : "none");
}

static iree_status_t local_executable_cache_prepare_executable(
    iree_hal_executable_cache_t* base_cache,
    const iree_hal_executable_params_t* params,
    iree_hal_executable_t** out_executable) {
  const local_executable_cache_t* cache =
      (const local_executable_cache_t*)base_cache;
  iree_hal_executable_loader_t* loader =
      find_loader(cache, params->caching_mode, params->executable_format);
  if (!loader) return refuse_format(cache, params->executable_format);
  return iree_hal_executable_loader_try_load(
      loader, params, cache->worker_capacity, out_executable);
}

static const iree_hal_executable_cache_vtable_t local_executable_cache_vtable =
    {
        .header = {.size = sizeof(iree_hal_executable_cache_vtable_t),
                   .kind = IREE_CY_OBJECT_KIND_EXECUTABLE_CACHE},
        .destroy = local_executable_cache_destroy,
        .can_prepare_format = local_executable_cache_can_prepare_format,
        .prepare_executable = local_executable_cache_prepare_executable,
};

iree_status_t iree_hal_local_executable_cache_create(
    iree_string_view_t identifier, iree_host_size_t worker_capacity,
    iree_host_size_t loader_count, iree_hal_executable_loader_t* const* loaders,
    iree_allocator_t host_allocator,
    iree_hal_executable_cache_t** out_executable_cache) {
  (void)identifier;
  *out_executable_cache = NULL;
  local_executable_cache_t* cache = NULL;
  iree_host_size_t total_size = 0;
  if (!iree_host_size_checked_mul(loader_count, sizeof(loaders[0]),
                                  &total_size) ||
      !iree_host_size_checked_add(total_size, sizeof(*cache), &total_size)) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "%" PRIhsz " loaders are too many", loader_count);
  }
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc(host_allocator, total_size, (void**)&cache));
  iree_hal_executable_cache_initialize(&local_executable_cache_vtable,
                                       host_allocator, &cache->base);
  cache->worker_capacity = worker_capacity;
  cache->loader_count = loader_count;
  for (iree_host_size_t i = 0; i < loader_count; ++i) {
    cache->loaders[i] = loaders[i];
    iree_hal_executable_loader_retain(loaders[i]);
  }
  *out_executable_cache = &cache->base;
  return iree_ok_status();
}
