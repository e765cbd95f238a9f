// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the loader of vmvx programs: device code as bytecode.

#ifndef IREE_CY_NATIVE_LOADERS_VMVX_LOADER_H_
#define IREE_CY_NATIVE_LOADERS_VMVX_LOADER_H_

#include "iree_cy/hal/executable.h"

// A loader of "vmvx-bytecode-fb". Nothing that such a program does is out of
// bounds: what it may not do is a status, and what it was loaded by limits it.
// Loading verifies all of it, links it and runs its initializer.
iree_status_t iree_cy_vmvx_loader_create(
    iree_allocator_t host_allocator, iree_hal_executable_loader_t** out_loader);

// Whether |executable| is one of this loader's.
bool iree_cy_vmvx_executable_isa(const iree_hal_executable_t* executable);

// iree_hal_local_executable_dispatch for an executable of this loader.
iree_status_t iree_cy_vmvx_executable_dispatch(
    iree_hal_executable_t* executable, iree_hal_executable_function_t function,
    const iree_hal_local_dispatch_t* dispatch, uint64_t first_workgroup,
    uint64_t workgroup_count, uint32_t worker_id,
    iree_byte_span_t local_memory);

#endif  // IREE_CY_NATIVE_LOADERS_VMVX_LOADER_H_
