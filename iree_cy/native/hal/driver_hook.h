// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the hook through which iree_cy_find_driver reaches a registry.

#ifndef IREE_CY_NATIVE_HAL_DRIVER_HOOK_H_
#define IREE_CY_NATIVE_HAL_DRIVER_HOOK_H_

#include "iree_cy/hal/driver.h"

// Gives a reference to the driver |name|. On the thread that asks, which holds
// no leaf lock.
typedef iree_status_t (*iree_cy_find_driver_fn_t)(
    void* user_data, iree_string_view_t name, iree_hal_driver_t** out_driver);

// Attaches a registry to the process; NULL detaches it. Before other threads
// look for drivers.
void iree_cy_set_find_driver_hook(iree_cy_find_driver_fn_t fn, void* user_data);

#endif  // IREE_CY_NATIVE_HAL_DRIVER_HOOK_H_
