// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the registry of the core's loaders and the object that each of them is.

#include "iree_cy/native/loaders/loader_base.h"

#include "iree_cy/native/loaders/local_executable.h"
#include "iree_cy/native/loaders/processor.h"
#include "iree_cy/native/loaders/vmvx_loader.h"

typedef struct loader_t {
  iree_hal_executable_loader_t base;
  const char* format;
  const char* family;
  iree_cy_loader_load_fn_t load;
} loader_t;

static void loader_destroy(iree_hal_executable_loader_t* loader) {
  iree_hal_executable_loader_deinitialize(loader);
  iree_allocator_free(loader->host_allocator, loader);
}

static bool loader_query_support(
    iree_hal_executable_loader_t* loader,
    iree_hal_executable_caching_mode_t caching_mode,
    iree_string_view_t executable_format) {
  (void)caching_mode;
  return iree_string_view_equal(
      executable_format, iree_make_cstring_view(((loader_t*)loader)->format));
}

static iree_status_t loader_try_load(iree_hal_executable_loader_t* base_loader,
                                     const iree_hal_executable_params_t* params,
                                     iree_host_size_t worker_capacity,
                                     iree_hal_executable_t** out_executable) {
  const loader_t* loader = (const loader_t*)base_loader;
  const iree_string_view_t format = params->executable_format;
  if (!loader_query_support(base_loader, params->caching_mode, format)) {
    const bool is_for_other_machine = iree_string_view_starts_with(
        format, iree_make_cstring_view(loader->family));
    return iree_make_status(
        IREE_STATUS_INCOMPATIBLE,
        "executable format '%.*s' is %s; '%s' is taken",
        (int)iree_min(format.size, (iree_host_size_t)64), format.data,
        is_for_other_machine ? "for another machine" : "not this loader's",
        loader->format);
  }
  if (!params->executable_data.data || !params->executable_data.data_length) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "the executable of format '%s' is empty",
                            loader->format);
  }
  return loader->load(params, worker_capacity, base_loader->host_allocator,
                      out_executable);
}

static const iree_hal_executable_loader_vtable_t loader_vtable = {
    .header = {.size = sizeof(iree_hal_executable_loader_vtable_t),
               .kind = IREE_CY_OBJECT_KIND_EXECUTABLE_LOADER},
    .destroy = loader_destroy,
    .query_support = loader_query_support,
    .try_load = loader_try_load,
};

iree_status_t iree_cy_loader_create(const char* format, const char* family,
                                    iree_cy_loader_load_fn_t load,
                                    iree_allocator_t host_allocator,
                                    iree_hal_executable_loader_t** out_loader) {
  *out_loader = NULL;
  loader_t* loader = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc(host_allocator, sizeof(*loader), (void**)&loader));
  iree_hal_executable_loader_initialize(&loader_vtable, host_allocator,
                                        &loader->base);
  loader->format = format;
  loader->family = family;
  loader->load = load;
  *out_loader = &loader->base;
  return iree_ok_status();
}

iree_string_view_t iree_cy_executable_loader_format(
    const iree_hal_executable_loader_t* loader) {
  if (!iree_hal_resource_is(loader, &loader_vtable)) {
    return iree_string_view_empty();
  }
  return iree_make_cstring_view(((const loader_t*)loader)->format);
}

iree_status_t iree_hal_executable_loader_create(
    iree_string_view_t identifier, iree_allocator_t host_allocator,
    iree_hal_executable_loader_t** out_loader) {
  *out_loader = NULL;
  if (iree_string_view_equal(identifier, IREE_SV("embedded-elf"))) {
    return iree_cy_embedded_elf_loader_create(host_allocator, out_loader);
  }
  if (iree_string_view_equal(identifier, IREE_SV("system-library"))) {
    return iree_cy_system_library_loader_create(host_allocator, out_loader);
  }
  if (iree_string_view_equal(identifier, IREE_SV("vmvx"))) {
    return iree_cy_vmvx_loader_create(host_allocator, out_loader);
  }
  return iree_make_status(
      IREE_STATUS_NOT_FOUND,
      "no executable loader '%.*s'; there are embedded-elf, "
      "system-library and vmvx",
      (int)iree_min(identifier.size, (iree_host_size_t)64), identifier.data);
}
