// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the system calls behind the futex.

#include "iree_cy/native/base/futex.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

bool iree_cy_futex_wait(const uint32_t* address, uint32_t expected,
                        iree_time_t deadline_ns) {
  struct timespec deadline = {0};
  struct timespec* deadline_pointer = NULL;
  if (deadline_ns != IREE_TIME_INFINITE_FUTURE) {
    if (deadline_ns <= 0) return false;
    deadline.tv_sec = (time_t)(deadline_ns / 1000000000);
    deadline.tv_nsec = (long)(deadline_ns % 1000000000);
    deadline_pointer = &deadline;
  }
  // The bit set form takes an absolute time of CLOCK_MONOTONIC, so that being
  // woken early does not lengthen the wait.
  long result =
      syscall(SYS_futex, address, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG,
              expected, deadline_pointer, NULL, FUTEX_BITSET_MATCH_ANY);
  return !(result != 0 && errno == ETIMEDOUT);
}

void iree_cy_futex_wake(const uint32_t* address, int count) {
  syscall(SYS_futex, address, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, count, NULL,
          NULL, 0);
}
