// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns reading a dispatch config of any version.

#ifndef IREE_CY_NATIVE_HAL_DISPATCH_CONFIG_H_
#define IREE_CY_NATIVE_HAL_DISPATCH_CONFIG_H_

#include "iree_cy/hal/command_buffer.h"

// Makes |config|, which an older or newer caller has sized, one of this core's.
// INVALID_ARGUMENT when its size is less than it ever was.
iree_status_t iree_cy_dispatch_config_take(
    const iree_hal_dispatch_config_t* config,
    iree_hal_dispatch_config_t* out_config);

#endif  // IREE_CY_NATIVE_HAL_DISPATCH_CONFIG_H_
