// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Implements catching up with what was submitted.

#include "backlog.h"

// How long to sleep before looking again while others work.
#define LOOK_AGAIN_NS 500000

void task_backlog_reduce(task_backlog_t* backlog, task_executor_t* executor,
                         uint64_t limit) {
  while (__atomic_load_n(&backlog->pending, __ATOMIC_RELAXED) > limit &&
         task_executor_has_job(executor)) {
    task_sleeper_t sleeper;
    memset(&sleeper, 0, sizeof(sleeper));
    task_executor_help(executor, &sleeper, iree_time_now() + LOOK_AGAIN_NS);
  }
}
