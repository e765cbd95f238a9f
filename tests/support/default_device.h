// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns a driver that implements only what it must, for tests of what the host
// does by default.

#ifndef IREE_CY_TESTS_SUPPORT_DEFAULT_DEVICE_H_
#define IREE_CY_TESTS_SUPPORT_DEFAULT_DEVICE_H_

#include "iree_cy/hal/api.h"

// A device of driver "bare" over a heap allocator, all of it made with
// |host_allocator|.
iree_status_t default_device_create(iree_allocator_t host_allocator,
                                    iree_hal_device_t** out_device);

// A driver "bare" with the devices "first" (id 11) and "second" (id 12).
iree_status_t default_driver_create(iree_allocator_t host_allocator,
                                    iree_hal_driver_t** out_driver);

#endif  // IREE_CY_TESTS_SUPPORT_DEFAULT_DEVICE_H_
