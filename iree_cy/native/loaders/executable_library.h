// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the declaration of the binary interface between compiled CPU code and
// whoever runs it, version 0.6: what the compiler's llvm-cpu target emits.
//
// Everything here is a format: order, sizes and values are fixed by it.

#ifndef IREE_CY_NATIVE_LOADERS_EXECUTABLE_LIBRARY_H_
#define IREE_CY_NATIVE_LOADERS_EXECUTABLE_LIBRARY_H_

#include "iree_cy/base/config.h"

#define IREE_CY_LIBRARY_VERSION 0x00000006u
#define IREE_CY_LIBRARY_QUERY_NAME "iree_hal_executable_library_query"
#define IREE_CY_LIBRARY_LOCAL_MEMORY_PAGE_SIZE 4096
#define IREE_CY_LIBRARY_PROCESSOR_WORD_COUNT 8

// How the code was instrumented; 0 is not at all.
typedef enum iree_cy_library_sanitizer_e {
  IREE_CY_LIBRARY_SANITIZER_NONE = 0,
  IREE_CY_LIBRARY_SANITIZER_ADDRESS = 1,
  IREE_CY_LIBRARY_SANITIZER_MEMORY = 2,
  IREE_CY_LIBRARY_SANITIZER_THREAD = 3,
  IREE_CY_LIBRARY_SANITIZER_UNDEFINED = 4,
} iree_cy_library_sanitizer_t;

typedef struct iree_cy_library_header_t {
  uint32_t version;
  const char* name;
  // None is defined in 0.6.
  uint32_t features;
  // iree_cy_library_sanitizer_t.
  int32_t sanitizer;
} iree_cy_library_header_t;

// A function that code imports, and how code calls it.
typedef int (*iree_cy_library_import_fn_t)(void* params, void* context,
                                           void* reserved);
typedef int (*iree_cy_library_import_thunk_fn_t)(iree_cy_library_import_fn_t fn,
                                                 void* params, void* context,
                                                 void* reserved);

// What code knows of its surroundings, the same in every call.
typedef struct iree_cy_library_environment_t {
  const uint32_t* constants;
  iree_cy_library_import_thunk_fn_t import_thunk;
  const iree_cy_library_import_fn_t* import_fns;
  const void** import_contexts;
  uint64_t processor[IREE_CY_LIBRARY_PROCESSOR_WORD_COUNT];
} iree_cy_library_environment_t;

// Of one dispatch.
typedef struct iree_cy_library_dispatch_state_t {
  uint32_t workgroup_size_x;
  uint32_t workgroup_size_y;
  uint16_t workgroup_size_z;
  uint16_t constant_count;
  uint32_t workgroup_count_x;
  uint32_t workgroup_count_y;
  uint16_t workgroup_count_z;
  uint8_t max_concurrency;
  uint8_t binding_count;
  const uint32_t* constants;
  void* const* binding_ptrs;
  const size_t* binding_lengths;
} iree_cy_library_dispatch_state_t;

// Of one workgroup.
typedef struct iree_cy_library_workgroup_state_t {
  uint32_t workgroup_id_x;
  uint32_t workgroup_id_y;
  uint16_t workgroup_id_z;
  uint16_t reserved;
  uint32_t processor_id;
  void* local_memory;
  uint32_t local_memory_size;
} iree_cy_library_workgroup_state_t;

// Runs one workgroup. Not 0 when it failed.
typedef int (*iree_cy_library_dispatch_fn_t)(
    const iree_cy_library_environment_t* environment,
    const iree_cy_library_dispatch_state_t* dispatch_state,
    const iree_cy_library_workgroup_state_t* workgroup_state);

enum iree_cy_library_dispatch_flag_bits_e {
  IREE_CY_LIBRARY_DISPATCH_FLAG_SEQUENTIAL = 1ull << 0,
  IREE_CY_LIBRARY_DISPATCH_FLAG_WORKGROUP_SIZE_DYNAMIC = 1ull << 1,
};

typedef struct iree_cy_library_dispatch_attrs_t {
  uint64_t flags;
  uint16_t local_memory_pages;
  uint8_t constant_count;
  uint8_t binding_count;
  uint32_t workgroup_size_x;
  uint32_t workgroup_size_y;
  uint16_t workgroup_size_z;
  uint16_t parameter_count;
  uint64_t reserved[5];
} iree_cy_library_dispatch_attrs_t;

typedef struct iree_cy_library_import_table_t {
  uint32_t count;
  // A name that begins with '?' may stay unresolved.
  const char* const* names;
} iree_cy_library_import_table_t;

// Arrays of |count|; those that are not declared with a type are not used here.
typedef struct iree_cy_library_export_table_t {
  uint32_t count;
  const iree_cy_library_dispatch_fn_t* fns;
  const iree_cy_library_dispatch_attrs_t* attrs;
  const void* params;
  const void* occupancy;
  const char* const* names;
  const char* const* tags;
  const char* const* parameter_names;
  const void* source_locations;
  const void* stage_locations;
} iree_cy_library_export_table_t;

typedef struct iree_cy_library_t {
  const iree_cy_library_header_t* header;
  iree_cy_library_import_table_t imports;
  iree_cy_library_export_table_t exports;
  uint32_t constant_count;
  // Source files follow; they are not used here.
} iree_cy_library_t;

// The one symbol of a library. NULL when it has no version up to |max_version|.
// What is returned points to an iree_cy_library_t.
typedef const iree_cy_library_header_t** (*iree_cy_library_query_fn_t)(
    uint32_t max_version, const iree_cy_library_environment_t* environment);

#if UINTPTR_MAX == UINT64_MAX
IREE_CY_STATIC_ASSERT(sizeof(iree_cy_library_header_t) == 24, "format");
IREE_CY_STATIC_ASSERT(sizeof(iree_cy_library_environment_t) == 96, "format");
IREE_CY_STATIC_ASSERT(sizeof(iree_cy_library_dispatch_state_t) == 48, "format");
IREE_CY_STATIC_ASSERT(sizeof(iree_cy_library_workgroup_state_t) == 32,
                      "format");
IREE_CY_STATIC_ASSERT(sizeof(iree_cy_library_dispatch_attrs_t) == 64, "format");
IREE_CY_STATIC_ASSERT(offsetof(iree_cy_library_t, exports) == 24, "format");
IREE_CY_STATIC_ASSERT(offsetof(iree_cy_library_t, constant_count) == 104,
                      "format");
#endif

#endif  // IREE_CY_NATIVE_LOADERS_EXECUTABLE_LIBRARY_H_
