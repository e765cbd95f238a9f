// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns how far a program may run ahead of its work: how much memory waits in
// the queue for what has not run yet.

#ifndef IREE_CY_LOCAL_TASK_BACKLOG_H_
#define IREE_CY_LOCAL_TASK_BACKLOG_H_

#include "executor.h"

// Above, who wants more memory works first. A loop of a program that submits
// faster than the work is done would else hold the memory of all its rounds.
#define TASK_MAX_BACKLOG_BYTES ((uint64_t)128 << 20)

// Bytes that were allocated in the order of the queue. They are counted with
// the execution that is submitted next, and until that has settled. Atomic.
typedef struct task_backlog_t {
  uint64_t unclaimed;
  uint64_t pending;
} task_backlog_t;

static inline void task_backlog_add(task_backlog_t* backlog, uint64_t size) {
  __atomic_fetch_add(&backlog->unclaimed, size, __ATOMIC_RELAXED);
}
// When what was submitted now is done already.
static inline void task_backlog_forget(task_backlog_t* backlog) {
  if (__atomic_load_n(&backlog->unclaimed, __ATOMIC_RELAXED)) {
    __atomic_store_n(&backlog->unclaimed, 0, __ATOMIC_RELAXED);
  }
}
// What an execution that is submitted now is to give back.
static inline uint64_t task_backlog_claim(task_backlog_t* backlog) {
  const uint64_t size =
      __atomic_exchange_n(&backlog->unclaimed, 0, __ATOMIC_RELAXED);
  __atomic_fetch_add(&backlog->pending, size, __ATOMIC_RELAXED);
  return size;
}
static inline void task_backlog_give_back(task_backlog_t* backlog,
                                          uint64_t size) {
  __atomic_fetch_sub(&backlog->pending, size, __ATOMIC_RELAXED);
}

// Works, or sleeps while others do, until no more than |limit| bytes wait or
// there is nothing to run: what waits for the caller is not waited for.
void task_backlog_reduce(task_backlog_t* backlog, task_executor_t* executor,
                         uint64_t limit);

#endif  // IREE_CY_LOCAL_TASK_BACKLOG_H_
