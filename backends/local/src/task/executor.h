// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the executor: the threads of a device, how they find work and sleep, and
// what becomes of them in a forked child.

#ifndef IREE_CY_LOCAL_TASK_EXECUTOR_H_
#define IREE_CY_LOCAL_TASK_EXECUTOR_H_

#include "../futex.h"
#include "../workers.h"
#include "topology.h"

// What a thread does that looks for something again and again.
static inline void task_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

typedef struct task_executor_t task_executor_t;
typedef struct task_sleeper_t task_sleeper_t;

// Work that several threads may take part in, in units that they claim.
typedef struct task_job_t task_job_t;
struct task_job_t {
  // Of the executor's list. Its lock.
  task_job_t* next;
  task_job_t* previous;
  // Threads that take part, and one for its being listed. Its lock.
  uint32_t ref_count;
  // How many it is worth to wake for it. Atomic.
  uint32_t wanted_count;
  // Units that may be claimed now. Atomic.
  uint64_t unclaimed;
};

typedef struct task_executor_options_t {
  uint32_t thread_count;
  // How long a thread looks for work before it sleeps.
  uint32_t spin_ns;
  // Whether threads run on |cpus| only.
  bool has_cpus;
  task_cpu_set_t cpus;
  // Begins the names of threads.
  char name[12];
  // Claims and runs units of a job until it has none, or |sleeper| (or NULL)
  // has to leave. True for the one call that has done the last of all.
  bool (*work)(task_job_t* job, local_worker_t* worker,
               const task_sleeper_t* sleeper);
  // Tells that a job is done, after that call and without a worker, for who is
  // told may run something else.
  void (*finish)(task_job_t* job);
  // Frees a job that nobody uses any more.
  void (*free)(task_job_t* job);
  // In a forked child: fails what waits for a job of the parent.
  void (*orphan)(task_job_t* job);
} task_executor_options_t;

// Once in the process, inside the plugin query.
iree_status_t task_executor_initialize(void);

// One reference, of the caller. Starts no thread. |*options| is copied.
iree_status_t task_executor_create(const task_executor_options_t* options,
                                   iree_allocator_t host_allocator,
                                   task_executor_t** out_executor);
void task_executor_retain(task_executor_t* executor);
void task_executor_release(task_executor_t* executor);
uint32_t task_executor_thread_count(const task_executor_t* executor);
// Workers for threads of the caller. Their ids, and those of its own threads,
// are below TASK_WORKER_CAPACITY(thread count).
#define TASK_WORKER_CAPACITY(thread_count) \
  ((iree_host_size_t)(thread_count) + LOCAL_MAX_CALLER_COUNT)
local_workers_t* task_executor_callers(task_executor_t* executor);
// Whether it was made before the process was forked, so that its threads are
// gone.
bool task_executor_is_stale(const task_executor_t* executor);
// Fails what a stale executor had in flight; once.
void task_executor_orphan(task_executor_t* executor);

// Ends the threads and, unless this is the thread of some executor, waits for
// them. There is no job. Nothing when stale.
void task_executor_stop(task_executor_t* executor);

// Lists |job|, which has a unit to claim, and sees to it that somebody works:
// this thread when no other can be had.
void task_executor_add(task_executor_t* executor, task_job_t* job);
// Whether there is a job that is not done.
bool task_executor_has_job(task_executor_t* executor);
// Wakes somebody for new units.
void task_executor_notify(task_executor_t* executor);

// Bits of a sleeper's word: there may be work; it is to stop.
#define TASK_SLEEPER_WORK 1u
#define TASK_SLEEPER_STOP 2u

// A thread that helps, or sleeps until there is work.
struct task_sleeper_t {
  // Of the executor's list of idle ones. Its lock.
  task_sleeper_t* next;
  bool is_listed;
  // Whether it was woken, or started, and has not looked yet. The lock.
  bool is_coming;
  // Futex word.
  uint32_t word;
  // When it leaves unless it is stopped before.
  iree_time_t deadline;
};
// Runs units of jobs until |sleeper| is stopped or |deadline| passes.
// |sleeper| is zeroed memory.
void task_executor_help(task_executor_t* executor, task_sleeper_t* sleeper,
                        iree_time_t deadline);
// The last that the caller does with |sleeper|, which may be gone afterwards.
void task_sleeper_stop(task_sleeper_t* sleeper);
static inline bool task_sleeper_is_stopped(const task_sleeper_t* sleeper) {
  return __atomic_load_n(&sleeper->word, __ATOMIC_SEQ_CST) & TASK_SLEEPER_STOP;
}
// Between units. NULL never leaves.
static inline bool task_sleeper_must_leave(const task_sleeper_t* sleeper) {
  return sleeper && (task_sleeper_is_stopped(sleeper) ||
                     (sleeper->deadline != IREE_TIME_INFINITE_FUTURE &&
                      iree_time_now() >= sleeper->deadline));
}

#endif  // IREE_CY_LOCAL_TASK_EXECUTOR_H_
