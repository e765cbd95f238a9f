// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns an allocator that counts what is not given back and fails when told to.

#ifndef IREE_CY_TESTS_SUPPORT_FAILING_ALLOCATOR_H_
#define IREE_CY_TESTS_SUPPORT_FAILING_ALLOCATOR_H_

#include "iree_cy/base/allocator.h"

// Any number of threads.
typedef struct failing_allocator_t {
  // Allocations that still succeed; negative: all.
  int64_t remaining;
  // Blocks that were taken and not given back.
  int64_t live_blocks;
} failing_allocator_t;

// |state| outlives all that is allocated.
iree_allocator_t failing_allocator(failing_allocator_t* state);

#endif  // IREE_CY_TESTS_SUPPORT_FAILING_ALLOCATOR_H_
