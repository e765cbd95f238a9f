// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the driver that the local plugins have: one device, the CPU.

#ifndef IREE_CY_LOCAL_DRIVER_H_
#define IREE_CY_LOCAL_DRIVER_H_

#include "iree_cy/plugin.h"

// What tells one plugin's driver from another's; immortal.
typedef struct local_driver_kind_t {
  iree_string_view_t human_name;
  // Makes a device. Refuses parameters that it does not know.
  iree_status_t (*create_device)(iree_string_view_t driver_name,
                                 iree_host_size_t param_count,
                                 const iree_string_pair_t* params,
                                 iree_allocator_t host_allocator,
                                 iree_hal_device_t** out_device);
} local_driver_kind_t;

iree_status_t local_driver_create(const local_driver_kind_t* kind,
                                  iree_string_view_t driver_name,
                                  iree_allocator_t host_allocator,
                                  iree_hal_driver_t** out_driver);

// Registers the vtables of the files that all local plugins have. Inside the
// plugin query.
iree_status_t local_driver_register(iree_string_view_t owner);

#endif  // IREE_CY_LOCAL_DRIVER_H_
