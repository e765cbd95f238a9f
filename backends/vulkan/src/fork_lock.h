// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the lock that keeps a fork from coming in the middle of a call of the
// Vulkan loader.

#ifndef IREE_CY_VULKAN_FORK_LOCK_H_
#define IREE_CY_VULKAN_FORK_LOCK_H_

#include "iree_cy/plugin.h"

// Lets forks wait for whoever holds the lock, 5 s at most. Once, before the
// first use. Any more calls do nothing.
iree_status_t vulkan_fork_lock_initialize(void);

// Held around the making, asking and destroying of instances and devices, which
// take locks of the loader and of vendors' libraries: a child that is forked
// meanwhile would find them held for ever. A thread that holds it may take it
// again.
void vulkan_fork_lock_acquire(void);
void vulkan_fork_lock_release(void);

#endif  // IREE_CY_VULKAN_FORK_LOCK_H_
