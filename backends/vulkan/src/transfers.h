// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the queue's transfers from and to memory that the host does not see,
// which the host's own entries cannot reach.

#ifndef IREE_CY_VULKAN_TRANSFERS_H_
#define IREE_CY_VULKAN_TRANSFERS_H_

#include "device.h"

// Fills in the entries of the queue's transfers. |defaults| are the host's own
// entries, for memory that the host sees.
void vulkan_transfers_fill_vtable(
    const iree_hal_device_vtable_t* const* defaults,
    iree_hal_device_vtable_t* vtable);

#endif  // IREE_CY_VULKAN_TRANSFERS_H_
