// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the workers that threads of the caller borrow while they run commands.

#ifndef IREE_CY_LOCAL_WORKERS_H_
#define IREE_CY_LOCAL_WORKERS_H_

#include "iree_cy/plugin.h"

// Threads of the caller that may run commands on one device at once; a further
// one waits.
#define LOCAL_MAX_CALLER_COUNT 32

// What running commands needs of the thread that runs them. Of one thread at a
// time.
typedef struct local_worker_t {
  uint32_t worker_id;
  // Commands run, for what is looked at now and then.
  uint32_t tick;
  // Grown when a function asks for more; owned by whoever owns the worker.
  iree_byte_span_t local_memory;
} local_worker_t;

typedef struct local_workers_t {
  // Bit i: workers[i] is free. Atomic, and a futex word while it is 0.
  uint32_t free;
  // Threads that found none free.
  uint32_t waiting_count;
  // The fork generation that the above belongs to: what threads held that a
  // child does not have is free there.
  uint32_t generation;
  local_worker_t workers[LOCAL_MAX_CALLER_COUNT];
} local_workers_t;

// Worker i has the id |first_worker_id| + i.
void local_workers_initialize(uint32_t first_worker_id,
                              local_workers_t* out_workers);
void local_workers_deinitialize(local_workers_t* workers,
                                iree_allocator_t host_allocator);

// Takes a worker for this thread until local_workers_give; waits for one while
// all are taken.
local_worker_t* local_workers_take(local_workers_t* workers);
// NULL unless that leaves |kept_count|.
local_worker_t* local_workers_try_take(local_workers_t* workers,
                                       uint32_t kept_count);
void local_workers_give(local_workers_t* workers, local_worker_t* worker);

#endif  // IREE_CY_LOCAL_WORKERS_H_
