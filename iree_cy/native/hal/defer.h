// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what a thread has put off until its outermost signal is done.

#ifndef IREE_CY_NATIVE_HAL_DEFER_H_
#define IREE_CY_NATIVE_HAL_DEFER_H_

#include "iree_cy/hal/semaphore.h"

// Brackets a signal, a failure, or several that belong together. Leaving the
// outermost scope of a thread runs what iree_cy_defer put off meanwhile.
void iree_cy_defer_scope_enter(void);
void iree_cy_defer_scope_leave(void);

// Runs what this thread has put off so far. Before it blocks: what it waits for
// may be among that.
void iree_cy_defer_flush(void);

#endif  // IREE_CY_NATIVE_HAL_DEFER_H_
