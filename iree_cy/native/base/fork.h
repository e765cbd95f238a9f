// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what the core does around fork().

#ifndef IREE_CY_NATIVE_BASE_FORK_H_
#define IREE_CY_NATIVE_BASE_FORK_H_

#include "iree_cy/native/base/mutex.h"

// Installs the one fork handler of the process. Again is nothing. Returns false
// when there is no memory for it.
bool iree_cy_fork_initialize(void);

// The fork generation: raised by 1 in each forked child. For the host table.
const volatile uint32_t* iree_cy_fork_generation_pointer(void);

// Makes fork() take |mutex|, a global leaf lock, before and release it after,
// so that what it guards is whole in the child. Again is nothing. The caller
// holds no leaf lock.
void iree_cy_fork_guard(iree_cy_mutex_t* mutex);

#endif  // IREE_CY_NATIVE_BASE_FORK_H_
