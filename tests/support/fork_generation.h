// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what a driver's source asks the host table for that is no function, for
// tests that compile it into the core.

#ifndef IREE_CY_TESTS_SUPPORT_FORK_GENERATION_H_
#define IREE_CY_TESTS_SUPPORT_FORK_GENERATION_H_

#include "iree_cy/native/base/fork.h"

static inline uint32_t iree_cy_fork_generation(void) {
  return *iree_cy_fork_generation_pointer();
}

#endif  // IREE_CY_TESTS_SUPPORT_FORK_GENERATION_H_
