// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns sleeping until a 32-bit word has changed, and a lock of one word.

#ifndef IREE_CY_LOCAL_FUTEX_H_
#define IREE_CY_LOCAL_FUTEX_H_

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "iree_cy/plugin.h"

// Sleeps while |*address| is |expected|, until woken or |deadline|. False when
// the deadline passed; true says nothing about |*address|.
static inline bool local_futex_wait(const uint32_t* address, uint32_t expected,
                                    iree_time_t deadline) {
  struct timespec limit;
  if (deadline <= 0) return false;
  limit.tv_sec = (time_t)(deadline / 1000000000);
  limit.tv_nsec = (long)(deadline % 1000000000);
  // This form takes an absolute time of CLOCK_MONOTONIC.
  const long result =
      syscall(SYS_futex, address, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG,
              expected, deadline == IREE_TIME_INFINITE_FUTURE ? NULL : &limit,
              NULL, FUTEX_BITSET_MATCH_ANY);
  return !(result != 0 && errno == ETIMEDOUT);
}

// Wakes up to |count| sleepers. |address| may be of memory that is no more.
static inline void local_futex_wake(const uint32_t* address, int count) {
  syscall(SYS_futex, address, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, count, NULL,
          NULL, 0);
}

// 0: free, 1: held, 2: held and somebody may sleep.
typedef uint32_t local_lock_t;
static inline void local_lock(local_lock_t* lock) {
  uint32_t word = 0;
  if (IREE_LIKELY(__atomic_compare_exchange_n(
          lock, &word, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))) {
    return;
  }
  while (__atomic_exchange_n(lock, 2, __ATOMIC_ACQUIRE) != 0) {
    local_futex_wait(lock, 2, IREE_TIME_INFINITE_FUTURE);
  }
}
static inline void local_unlock(local_lock_t* lock) {
  if (IREE_UNLIKELY(__atomic_exchange_n(lock, 0, __ATOMIC_RELEASE) == 2)) {
    local_futex_wake(lock, 1);
  }
}

#endif  // IREE_CY_LOCAL_FUTEX_H_
