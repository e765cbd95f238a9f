// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns executables of compiled CPU code, whichever loader opened them.

#ifndef IREE_CY_NATIVE_LOADERS_LOCAL_EXECUTABLE_H_
#define IREE_CY_NATIVE_LOADERS_LOCAL_EXECUTABLE_H_

#include "iree_cy/hal/command_buffer.h"
#include "iree_cy/hal/executable.h"
#include "iree_cy/native/loaders/executable_library.h"

// Where an executable's code comes from: an object of its loader.
typedef struct iree_cy_local_module_t {
  void* self;
  // Takes the code out of memory and frees |self|.
  void (*unload)(void* self);
  // Finds the features that the code needs and this processor lacks; fails
  // naming one. NULL when that cannot be told.
  iree_status_t (*check_features)(void* self, const iree_cy_library_t* library);
} iree_cy_local_module_t;

// Makes an executable of the library that |query_fn| gives: asks it for version
// 0.6, checks versions, features, sanitizer, constants and functions, and
// refuses imports that must resolve. Takes |module| when it succeeds.
iree_status_t iree_cy_local_executable_create(
    const iree_hal_executable_params_t* params,
    iree_cy_library_query_fn_t query_fn, iree_cy_local_module_t module,
    iree_allocator_t host_allocator, iree_hal_executable_t** out_executable);

// The loaders that iree_hal_executable_loader_create makes.
iree_status_t iree_cy_embedded_elf_loader_create(
    iree_allocator_t host_allocator, iree_hal_executable_loader_t** out_loader);
iree_status_t iree_cy_system_library_loader_create(
    iree_allocator_t host_allocator, iree_hal_executable_loader_t** out_loader);

// The format that |loader| takes when it is one of the core's, else empty.
iree_string_view_t iree_cy_executable_loader_format(
    const iree_hal_executable_loader_t* loader);

#endif  // IREE_CY_NATIVE_LOADERS_LOCAL_EXECUTABLE_H_
