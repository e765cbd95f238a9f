// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what the core's loaders of compiled code have in common.

#ifndef IREE_CY_NATIVE_LOADERS_LOADER_BASE_H_
#define IREE_CY_NATIVE_LOADERS_LOADER_BASE_H_

#include "iree_cy/hal/executable.h"

// Opens |params->executable_data|, whose format is right.
typedef iree_status_t (*iree_cy_loader_load_fn_t)(
    const iree_hal_executable_params_t* params,
    iree_host_size_t worker_capacity, iree_allocator_t host_allocator,
    iree_hal_executable_t** out_executable);

// Makes a loader that takes |format| alone. The texts are immortal; |family| is
// what formats of the same kind for other machines begin with.
iree_status_t iree_cy_loader_create(const char* format, const char* family,
                                    iree_cy_loader_load_fn_t load,
                                    iree_allocator_t host_allocator,
                                    iree_hal_executable_loader_t** out_loader);

#endif  // IREE_CY_NATIVE_LOADERS_LOADER_BASE_H_
