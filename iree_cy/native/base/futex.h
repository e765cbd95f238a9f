// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the futex: sleeping until a 32-bit word has changed.

#ifndef IREE_CY_NATIVE_BASE_FUTEX_H_
#define IREE_CY_NATIVE_BASE_FUTEX_H_

#include "iree_cy/base/time.h"

// Sleeps while |*address| is |expected|, until woken or |deadline_ns|. Returns
// false when the deadline passed; true says nothing about |*address|.
bool iree_cy_futex_wait(const uint32_t* address, uint32_t expected,
                        iree_time_t deadline_ns);

// Wakes up to |count| sleepers.
void iree_cy_futex_wake(const uint32_t* address, int count);

#endif  // IREE_CY_NATIVE_BASE_FUTEX_H_
