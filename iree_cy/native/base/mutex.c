// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the contended paths of the leaf lock.

#include "iree_cy/native/base/mutex.h"

#include "iree_cy/native/base/futex.h"

// Written by fork.c in the child, before it has a second thread.
uint32_t iree_cy_mutex_holder_mark = 0;

void iree_cy_mutex_lock_slow(iree_cy_mutex_t* mutex) {
  const uint32_t mark =
      __atomic_load_n(&iree_cy_mutex_holder_mark, __ATOMIC_RELAXED);
  const uint32_t contended = mark | 2u;
  uint32_t word = __atomic_load_n(mutex, __ATOMIC_RELAXED);
  for (;;) {
    const bool is_free = word == 0 || (word & ~3u) != mark;
    // Who comes here takes the lock as contended: others may sleep still, and
    // the unlock must wake the next.
    if (is_free || word != contended) {
      if (!__atomic_compare_exchange_n(mutex, &word, contended, false,
                                       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
        continue;
      }
      if (is_free) return;
    }
    iree_cy_futex_wait(mutex, contended, IREE_TIME_INFINITE_FUTURE);
    word = __atomic_load_n(mutex, __ATOMIC_RELAXED);
  }
}

void iree_cy_mutex_unlock_slow(iree_cy_mutex_t* mutex) {
  iree_cy_futex_wake(mutex, 1);
}
