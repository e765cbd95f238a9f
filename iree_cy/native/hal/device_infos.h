// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what a driver's list of devices must be.

#ifndef IREE_CY_NATIVE_HAL_DEVICE_INFOS_H_
#define IREE_CY_NATIVE_HAL_DEVICE_INFOS_H_

#include "iree_cy/hal/driver.h"

// INTERNAL, naming |driver| and what is wrong, unless |infos| is a list that
// query_available_devices may give. |*out_is_block| says whether the list may
// be freed all the same.
iree_status_t iree_cy_device_infos_check(iree_hal_driver_t* driver,
                                         iree_host_size_t count,
                                         const iree_hal_device_info_t* infos,
                                         bool* out_is_block);

#endif  // IREE_CY_NATIVE_HAL_DEVICE_INFOS_H_
