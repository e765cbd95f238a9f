// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns which executables a local device loads: its loaders, and what its
// parameter "formats" leaves of them.

#ifndef IREE_CY_LOCAL_FORMATS_H_
#define IREE_CY_LOCAL_FORMATS_H_

#include "iree_cy/plugin.h"

#define LOCAL_MAX_LOADER_COUNT 3

typedef struct local_formats_t {
  // Text of the parameter, owned; empty for all formats.
  char* text;
  iree_host_size_t text_length;
  // In the order of choice.
  iree_host_size_t loader_count;
  iree_hal_executable_loader_t* loaders[LOCAL_MAX_LOADER_COUNT];
} local_formats_t;

// Makes the loaders that |text| leaves: a comma list of formats
// ("embedded-elf-x86_64") or families of them ("embedded-elf", "system-elf",
// "vmvx"). INVALID_ARGUMENT names an unknown word and lists the known ones.
iree_status_t local_formats_initialize(iree_string_view_t text,
                                       iree_allocator_t host_allocator,
                                       local_formats_t* out_formats);
void local_formats_deinitialize(local_formats_t* formats,
                                iree_allocator_t host_allocator);
// 0 unless the parameter allows |executable_format| and a loader can load it;
// else the greater, the earlier the parameter has it.
int64_t local_formats_rank(const local_formats_t* formats,
                           iree_string_view_t executable_format);
// A cache that prepares what the above allows. |worker_capacity| as
// iree_hal_executable_loader_try_load has it. |prepared| (or NULL) is called
// with each that it has prepared.
iree_status_t local_formats_create_cache(
    const local_formats_t* formats, iree_string_view_t driver_name,
    iree_host_size_t worker_capacity,
    void (*prepared)(iree_hal_executable_t* executable),
    iree_allocator_t host_allocator, iree_hal_executable_cache_t** out_cache);

// Registers the vtables of this file. Inside the plugin query.
iree_status_t local_formats_register(iree_string_view_t owner);

#endif  // IREE_CY_LOCAL_FORMATS_H_
