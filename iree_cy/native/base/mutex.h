// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the leaf lock: a mutex of one word that guards data for a few
// instructions.

#ifndef IREE_CY_NATIVE_BASE_MUTEX_H_
#define IREE_CY_NATIVE_BASE_MUTEX_H_

#include "iree_cy/base/config.h"

// 0 is unlocked, so that zeroed memory is a mutex. Else the low 2 bits are 1
// (held) or 2 (held, and somebody may sleep), and the rest is the fork
// generation of the holder: what a thread held that does not exist in a forked
// child counts as free there, and nothing hangs.
typedef uint32_t iree_cy_mutex_t;

// Under a leaf lock nothing is called that may wait, take the GIL, call a
// plugin or run a callback.
void iree_cy_mutex_lock_slow(iree_cy_mutex_t* mutex);
void iree_cy_mutex_unlock_slow(iree_cy_mutex_t* mutex);
// The holder's mark; changes in a forked child.
extern uint32_t iree_cy_mutex_holder_mark;

static inline void iree_cy_mutex_lock(iree_cy_mutex_t* mutex) {
  uint32_t expected = 0;
  uint32_t held =
      __atomic_load_n(&iree_cy_mutex_holder_mark, __ATOMIC_RELAXED) | 1u;
  if (!__atomic_compare_exchange_n(mutex, &expected, held, false,
                                   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
    iree_cy_mutex_lock_slow(mutex);
  }
}
static inline void iree_cy_mutex_unlock(iree_cy_mutex_t* mutex) {
  if ((__atomic_exchange_n(mutex, 0, __ATOMIC_RELEASE) & 3u) == 2u) {
    iree_cy_mutex_unlock_slow(mutex);
  }
}

#endif  // IREE_CY_NATIVE_BASE_MUTEX_H_
