// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the local-sync device: the CPU, on the thread that submits.

#ifndef IREE_CY_LOCAL_SYNC_DEVICE_H_
#define IREE_CY_LOCAL_SYNC_DEVICE_H_

#include "iree_cy/plugin.h"

// Makes a device. |formats| is the parameter of that name.
iree_status_t sync_device_create(iree_string_view_t driver_name,
                                 iree_string_view_t formats,
                                 iree_allocator_t host_allocator,
                                 iree_hal_device_t** out_device);

// Registers the vtable. Inside the plugin query.
iree_status_t sync_device_register(iree_string_view_t owner);

#endif  // IREE_CY_LOCAL_SYNC_DEVICE_H_
