// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the choice of loaders by format, and the executable cache that obeys it.

#include "formats.h"

// The families of formats, each with the core's loader for it.
typedef struct local_family_t {
  iree_string_view_t prefix;
  iree_string_view_t loader;
} local_family_t;
static const local_family_t* local_families(iree_host_size_t* out_count) {
  static const local_family_t families[LOCAL_MAX_LOADER_COUNT] = {
      {{"embedded-elf", 12}, {"embedded-elf", 12}},
      {{"system-elf", 10}, {"system-library", 14}},
      {{"vmvx", 4}, {"vmvx", 4}},
  };
  *out_count = IREE_ARRAYSIZE(families);
  return families;
}

// Whether |format| is |word|, or |word| followed by '-' and more.
static bool local_word_covers(iree_string_view_t word,
                              iree_string_view_t format) {
  if (!iree_string_view_starts_with(format, word)) return false;
  return format.size == word.size || format.data[word.size] == '-';
}

static const local_family_t* local_find_family(iree_string_view_t word) {
  iree_host_size_t count = 0;
  const local_family_t* families = local_families(&count);
  for (iree_host_size_t i = 0; i < count; ++i) {
    if (local_word_covers(families[i].prefix, word)) return &families[i];
  }
  return NULL;
}

static iree_status_t local_add_loader(const local_family_t* family,
                                      bool present[LOCAL_MAX_LOADER_COUNT],
                                      iree_allocator_t host_allocator,
                                      local_formats_t* formats) {
  iree_host_size_t count = 0;
  const iree_host_size_t index =
      (iree_host_size_t)(family - local_families(&count));
  if (present[index]) return iree_ok_status();
  present[index] = true;
  iree_hal_executable_loader_t* loader = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_executable_loader_create(
      family->loader, host_allocator, &loader));
  formats->loaders[formats->loader_count++] = loader;
  return iree_ok_status();
}

static iree_status_t local_add_named_loaders(iree_string_view_t text,
                                             iree_allocator_t host_allocator,
                                             local_formats_t* formats) {
  bool present[LOCAL_MAX_LOADER_COUNT] = {false};
  while (!iree_string_view_is_empty(text)) {
    iree_string_view_t word = text;
    iree_string_view_split(text, ',', &word, &text);
    word = iree_string_view_trim(word);
    const local_family_t* family = local_find_family(word);
    if (!family) {
      return iree_make_status(
          IREE_STATUS_INVALID_ARGUMENT,
          "parameter 'formats' names '%.*s'; known are embedded-elf-<arch>, "
          "system-elf-<arch> and vmvx-bytecode-fb, or just their families",
          IREE_SV_ARG(word));
    }
    IREE_RETURN_IF_ERROR(
        local_add_loader(family, present, host_allocator, formats));
  }
  return iree_ok_status();
}

static iree_status_t local_add_all_loaders(iree_allocator_t host_allocator,
                                           local_formats_t* formats) {
  bool present[LOCAL_MAX_LOADER_COUNT] = {false};
  iree_host_size_t count = 0;
  const local_family_t* families = local_families(&count);
  for (iree_host_size_t i = 0; i < count; ++i) {
    iree_status_t status =
        local_add_loader(&families[i], present, host_allocator, formats);
    // A core without one of the loaders still runs what the others load.
    if (iree_status_code(status) == IREE_STATUS_UNIMPLEMENTED ||
        iree_status_code(status) == IREE_STATUS_NOT_FOUND) {
      status = iree_status_ignore(status);
    }
    IREE_RETURN_IF_ERROR(status);
  }
  return iree_ok_status();
}

iree_status_t local_formats_initialize(iree_string_view_t text,
                                       iree_allocator_t host_allocator,
                                       local_formats_t* out_formats) {
  memset(out_formats, 0, sizeof(*out_formats));
  iree_status_t status = iree_allocator_clone(
      host_allocator, iree_make_const_byte_span(text.data, text.size),
      (void**)&out_formats->text);
  out_formats->text_length = text.size;
  if (iree_status_is_ok(status)) {
    status = iree_string_view_is_empty(text)
                 ? local_add_all_loaders(host_allocator, out_formats)
                 : local_add_named_loaders(text, host_allocator, out_formats);
  }
  if (!iree_status_is_ok(status)) {
    local_formats_deinitialize(out_formats, host_allocator);
  }
  return status;
}

void local_formats_deinitialize(local_formats_t* formats,
                                iree_allocator_t host_allocator) {
  for (iree_host_size_t i = 0; i < formats->loader_count; ++i) {
    iree_hal_executable_loader_release(formats->loaders[i]);
  }
  iree_allocator_free(host_allocator, formats->text);
  memset(formats, 0, sizeof(*formats));
}

// 0 unless the parameter allows |executable_format|; else how many words of it
// are left where one covers it.
static int64_t local_formats_allow(const local_formats_t* formats,
                                   iree_string_view_t executable_format) {
  iree_string_view_t rest =
      iree_make_string_view(formats->text, formats->text_length);
  if (iree_string_view_is_empty(rest)) return 1;
  int64_t rank = 0;
  while (!iree_string_view_is_empty(rest)) {
    iree_string_view_t word = rest;
    iree_string_view_split(rest, ',', &word, &rest);
    if (rank ||
        local_word_covers(iree_string_view_trim(word), executable_format)) {
      ++rank;
    }
  }
  return rank;
}

int64_t local_formats_rank(const local_formats_t* formats,
                           iree_string_view_t executable_format) {
  const int64_t rank = local_formats_allow(formats, executable_format);
  if (rank == 0) return 0;
  for (iree_host_size_t i = 0; i < formats->loader_count; ++i) {
    if (iree_hal_executable_loader_query_support(formats->loaders[i], 0,
                                                 executable_format)) {
      return rank;
    }
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// Executable cache
//===----------------------------------------------------------------------===//

// The core's cache over the loaders, behind the parameter's text.
typedef struct local_cache_t {
  iree_hal_executable_cache_t base;
  iree_hal_executable_cache_t* inner;
  void (*prepared)(iree_hal_executable_t* executable);
  local_formats_t formats;
} local_cache_t;

static const iree_hal_executable_cache_vtable_t* local_cache_vtable = NULL;

iree_status_t local_formats_create_cache(
    const local_formats_t* formats, iree_string_view_t driver_name,
    iree_host_size_t worker_capacity,
    void (*prepared)(iree_hal_executable_t* executable),
    iree_allocator_t host_allocator, iree_hal_executable_cache_t** out_cache) {
  local_cache_t* cache = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc(host_allocator, sizeof(*cache), (void**)&cache));
  iree_status_t status = iree_hal_local_executable_cache_create(
      driver_name, worker_capacity, formats->loader_count, formats->loaders,
      host_allocator, &cache->inner);
  if (iree_status_is_ok(status)) {
    status = iree_allocator_clone(
        host_allocator,
        iree_make_const_byte_span(formats->text, formats->text_length),
        (void**)&cache->formats.text);
  }
  if (!iree_status_is_ok(status)) {
    iree_hal_executable_cache_release(cache->inner);
    iree_allocator_free(host_allocator, cache);
    return status;
  }
  cache->prepared = prepared;
  cache->formats.text_length = formats->text_length;
  iree_hal_executable_cache_initialize(local_cache_vtable, host_allocator,
                                       &cache->base);
  *out_cache = &cache->base;
  return iree_ok_status();
}

static void local_cache_destroy(iree_hal_executable_cache_t* base_cache) {
  local_cache_t* cache = (local_cache_t*)base_cache;
  iree_allocator_t host_allocator = base_cache->host_allocator;
  iree_hal_executable_cache_deinitialize(base_cache);
  iree_hal_executable_cache_release(cache->inner);
  local_formats_deinitialize(&cache->formats, host_allocator);
  iree_allocator_free(host_allocator, cache);
}

static bool local_cache_can_prepare_format(
    iree_hal_executable_cache_t* base_cache,
    iree_hal_executable_caching_mode_t caching_mode,
    iree_string_view_t executable_format) {
  local_cache_t* cache = (local_cache_t*)base_cache;
  return local_formats_allow(&cache->formats, executable_format) &&
         iree_hal_executable_cache_can_prepare_format(
             cache->inner, caching_mode, executable_format);
}

static iree_status_t local_cache_prepare_executable(
    iree_hal_executable_cache_t* base_cache,
    const iree_hal_executable_params_t* params,
    iree_hal_executable_t** out_executable) {
  local_cache_t* cache = (local_cache_t*)base_cache;
  if (!local_formats_allow(&cache->formats, params->executable_format)) {
    return iree_make_status(
        IREE_STATUS_INCOMPATIBLE,
        "the device's parameter formats=%.*s does not allow '%.*s'",
        IREE_SV_ARG(iree_make_string_view(cache->formats.text,
                                          cache->formats.text_length)),
        IREE_SV_ARG(params->executable_format));
  }
  IREE_RETURN_IF_ERROR(iree_hal_executable_cache_prepare_executable(
      cache->inner, params, out_executable));
  if (cache->prepared) cache->prepared(*out_executable);
  return iree_ok_status();
}

iree_status_t local_formats_register(iree_string_view_t owner) {
  static const iree_hal_executable_cache_vtable_t vtable = {
      .header = {.size = sizeof(vtable)},
      .destroy = local_cache_destroy,
      .can_prepare_format = local_cache_can_prepare_format,
      .prepare_executable = local_cache_prepare_executable,
  };
  return iree_cy_register_vtable(IREE_CY_OBJECT_KIND_EXECUTABLE_CACHE, &vtable,
                                 owner, (const void**)&local_cache_vtable);
}
