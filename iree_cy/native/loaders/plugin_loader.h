// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the opening of driver plugins.

#ifndef IREE_CY_NATIVE_LOADERS_PLUGIN_LOADER_H_
#define IREE_CY_NATIVE_LOADERS_PLUGIN_LOADER_H_

#include "iree_cy/host_table.h"

// Opens the plugin library at |library_path|, which stays in the process for
// good, asks it for its table and makes the driver named |driver_name|.
// UNAVAILABLE when the library does not open, INCOMPATIBLE when it is no plugin
// of this ABI or another driver's, INTERNAL when its query or factory breaks
// the contract, else what the factory says. Blocks; may load a vendor's
// library; any thread, but not under a lock that Python needs.
iree_status_t iree_cy_plugin_create_driver(iree_string_view_t driver_name,
                                           const char* library_path,
                                           iree_allocator_t host_allocator,
                                           iree_hal_driver_t** out_driver);

#endif  // IREE_CY_NATIVE_LOADERS_PLUGIN_LOADER_H_
