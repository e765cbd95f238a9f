// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the threads, the list of jobs and the list of idle threads.

#include "executor.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>

typedef struct task_thread_t {
  task_executor_t* executor;
  pthread_t handle;
  uint32_t index;
  task_sleeper_t sleeper;
  local_worker_t worker;
} task_thread_t;

struct task_executor_t {
  uint32_t ref_count;
  uint32_t generation;
  iree_allocator_t host_allocator;
  task_executor_options_t options;
  // Of all executors, in which fork() holds each lock.
  task_executor_t* next;
  task_executor_t* previous;
  uint32_t is_orphaned;
  // For threads of the caller.
  local_workers_t callers;
  // Raised with each notification, for threads that look without the lock.
  uint32_t notify_count;

  // Guards what follows, and the links of jobs and sleepers.
  local_lock_t lock;
  task_job_t* first_job;
  task_job_t* last_job;
  task_sleeper_t* idle;
  // Threads that take part in a job, and those that were woken or started to.
  uint32_t active_count;
  uint32_t coming_count;
  // Threads that were tried to start, and those that run.
  uint32_t tried_count;
  uint32_t running_count;
  bool is_stopping;
  task_thread_t threads[];
};

// Workers that threads that help leave to those that submit.
#define TASK_SUBMITTER_WORKER_COUNT 8

// Whether this thread is one of an executor's.
static _Thread_local bool task_is_worker_thread = false;

//===----------------------------------------------------------------------===//
// Fork
//===----------------------------------------------------------------------===//

static local_lock_t task_executors_lock = 0;
static task_executor_t* task_executors = NULL;

static void task_fork_before(void) {
  local_lock(&task_executors_lock);
  for (task_executor_t* e = task_executors; e; e = e->next) {
    local_lock(&e->lock);
  }
}

static void task_fork_after(void) {
  for (task_executor_t* e = task_executors; e; e = e->next) {
    local_unlock(&e->lock);
  }
  local_unlock(&task_executors_lock);
}

iree_status_t task_executor_initialize(void) {
  static bool is_done = false;
  if (is_done ||
      pthread_atfork(task_fork_before, task_fork_after, task_fork_after) == 0) {
    is_done = true;
    return iree_ok_status();
  }
  return iree_make_status(IREE_STATUS_RESOURCE_EXHAUSTED,
                          "there is no memory for what has to be done when the "
                          "process is forked");
}

static void task_executor_list(task_executor_t* executor) {
  local_lock(&task_executors_lock);
  executor->next = task_executors;
  if (task_executors) task_executors->previous = executor;
  task_executors = executor;
  local_unlock(&task_executors_lock);
}

static void task_executor_unlist(task_executor_t* executor) {
  local_lock(&task_executors_lock);
  if (executor->next) executor->next->previous = executor->previous;
  if (executor->previous) {
    executor->previous->next = executor->next;
  } else {
    task_executors = executor->next;
  }
  local_unlock(&task_executors_lock);
}

bool task_executor_is_stale(const task_executor_t* executor) {
  return executor->generation != iree_cy_fork_generation();
}

void task_executor_orphan(task_executor_t* executor) {
  if (__atomic_exchange_n(&executor->is_orphaned, 1, __ATOMIC_ACQ_REL)) return;
  // What the parent had is left where it is: its threads were in the middle of
  // using it.
  for (task_job_t* job = executor->first_job; job;) {
    task_job_t* next = job->next;
    executor->options.orphan(job);
    job = next;
  }
}

//===----------------------------------------------------------------------===//
// Life
//===----------------------------------------------------------------------===//

iree_status_t task_executor_create(const task_executor_options_t* options,
                                   iree_allocator_t host_allocator,
                                   task_executor_t** out_executor) {
  *out_executor = NULL;
  task_executor_t* executor = NULL;
  const iree_host_size_t size =
      sizeof(*executor) + options->thread_count * sizeof(task_thread_t);
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc(host_allocator, size, (void**)&executor));
  executor->ref_count = 1;
  executor->generation = iree_cy_fork_generation();
  executor->host_allocator = host_allocator;
  executor->options = *options;
  for (uint32_t i = 0; i < options->thread_count; ++i) {
    executor->threads[i].executor = executor;
    executor->threads[i].index = i;
    executor->threads[i].worker.worker_id = i;
  }
  local_workers_initialize(/*first_worker_id=*/options->thread_count,
                           &executor->callers);
  task_executor_list(executor);
  *out_executor = executor;
  return iree_ok_status();
}

void task_executor_retain(task_executor_t* executor) {
  __atomic_fetch_add(&executor->ref_count, 1, __ATOMIC_RELAXED);
}

void task_executor_release(task_executor_t* executor) {
  if (!executor ||
      __atomic_fetch_sub(&executor->ref_count, 1, __ATOMIC_ACQ_REL) != 1) {
    return;
  }
  task_executor_unlist(executor);
  for (uint32_t i = 0; i < executor->options.thread_count; ++i) {
    iree_allocator_free_aligned(executor->host_allocator,
                                executor->threads[i].worker.local_memory.data);
  }
  local_workers_deinitialize(&executor->callers, executor->host_allocator);
  iree_allocator_free(executor->host_allocator, executor);
}

local_workers_t* task_executor_callers(task_executor_t* executor) {
  return &executor->callers;
}

uint32_t task_executor_thread_count(const task_executor_t* executor) {
  return executor->options.thread_count;
}

//===----------------------------------------------------------------------===//
// Finding work
//===----------------------------------------------------------------------===//

static bool task_job_is_open(const task_job_t* job) {
  return __atomic_load_n(&job->unclaimed, __ATOMIC_ACQUIRE) > 0;
}

// Under the lock, of one that this thread takes part in, which claims one unit
// at least.
static bool task_job_wants_more(const task_job_t* job) {
  return __atomic_load_n(&job->unclaimed, __ATOMIC_RELAXED) > 1 &&
         job->ref_count <=
             __atomic_load_n(&job->wanted_count, __ATOMIC_RELAXED);
}

// Under the lock. A job with a unit to claim, when beside |count| threads one
// more may take part.
static task_job_t* task_executor_find(const task_executor_t* executor,
                                      uint32_t count) {
  if (count >= executor->options.thread_count) return NULL;
  for (task_job_t* job = executor->first_job; job; job = job->next) {
    if (task_job_is_open(job)) return job;
  }
  return NULL;
}

static void* task_thread_main(void* user_data);

// Under the lock. Signals are for the program's own threads.
static void task_executor_start_thread(task_executor_t* executor) {
  task_thread_t* thread = &executor->threads[executor->tried_count++];
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  task_executor_retain(executor);
  thread->sleeper.is_coming = true;
  if (pthread_create(&thread->handle, NULL, task_thread_main, thread) == 0) {
    ++executor->running_count;
    ++executor->coming_count;
  } else {
    // The others do its share; it is not tried again.
    __atomic_fetch_sub(&executor->ref_count, 1, __ATOMIC_RELAXED);
    executor->tried_count = executor->options.thread_count;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

// Under the lock. Picks an idle thread to wake, which the caller does with the
// result after unlocking, or starts a new one.
static const uint32_t* task_executor_pick(task_executor_t* executor) {
  const uint32_t count = executor->active_count + executor->coming_count;
  if (!task_executor_find(executor, count) || executor->is_stopping) {
    return NULL;
  }
  task_sleeper_t* sleeper = executor->idle;
  if (sleeper) {
    executor->idle = sleeper->next;
    sleeper->is_listed = false;
    sleeper->is_coming = true;
    ++executor->coming_count;
    __atomic_fetch_or(&sleeper->word, TASK_SLEEPER_WORK, __ATOMIC_SEQ_CST);
    return &sleeper->word;
  }
  if (executor->tried_count < executor->options.thread_count) {
    task_executor_start_thread(executor);
  }
  return NULL;
}

static void task_sleeper_wake_at(const uint32_t* word) {
  if (word) local_futex_wake(word, 1);
}

void task_executor_notify(task_executor_t* executor) {
  __atomic_fetch_add(&executor->notify_count, 1, __ATOMIC_SEQ_CST);
  local_lock(&executor->lock);
  const uint32_t* word = task_executor_pick(executor);
  local_unlock(&executor->lock);
  task_sleeper_wake_at(word);
}

// Under the lock.
static void task_sleeper_unlist(task_executor_t* executor,
                                task_sleeper_t* sleeper) {
  for (task_sleeper_t** link = &executor->idle; *link; link = &(*link)->next) {
    if (*link != sleeper) continue;
    *link = sleeper->next;
    break;
  }
  sleeper->is_listed = false;
}

// Under the lock. A job to take part in, which this thread is counted in as
// doing.
static task_job_t* task_executor_claim(task_executor_t* executor) {
  task_job_t* job = task_executor_find(executor, executor->active_count);
  if (!job) return NULL;
  ++job->ref_count;
  ++executor->active_count;
  return job;
}

// Under the lock.
static void task_sleeper_arrive(task_executor_t* executor,
                                task_sleeper_t* sleeper) {
  if (!sleeper->is_coming) return;
  sleeper->is_coming = false;
  --executor->coming_count;
}

// A job to take part in; else lists |sleeper| as idle. Wakes a further thread
// when there is more.
static task_job_t* task_executor_acquire(task_executor_t* executor,
                                         task_sleeper_t* sleeper) {
  const uint32_t* word = NULL;
  local_lock(&executor->lock);
  task_sleeper_arrive(executor, sleeper);
  task_job_t* job =
      executor->is_stopping ? NULL : task_executor_claim(executor);
  __atomic_fetch_and(&sleeper->word, ~TASK_SLEEPER_WORK, __ATOMIC_SEQ_CST);
  if (job) {
    if (sleeper->is_listed) task_sleeper_unlist(executor, sleeper);
    if (job->next || task_job_wants_more(job)) {
      word = task_executor_pick(executor);
    }
  } else if (!sleeper->is_listed && !executor->is_stopping) {
    sleeper->next = executor->idle;
    executor->idle = sleeper;
    sleeper->is_listed = true;
  }
  local_unlock(&executor->lock);
  task_sleeper_wake_at(word);
  return job;
}

// Under the lock.
static void task_job_unlist(task_executor_t* executor, task_job_t* job) {
  if (job->next) {
    job->next->previous = job->previous;
  } else {
    executor->last_job = job->previous;
  }
  if (job->previous) {
    job->previous->next = job->next;
  } else {
    executor->first_job = job->next;
  }
  --job->ref_count;
}

// Takes part in |job|, which was claimed. A worker that is |borrowed| is given
// back.
static void task_executor_work(task_executor_t* executor, task_job_t* job,
                               local_worker_t* worker, bool is_borrowed,
                               const task_sleeper_t* sleeper) {
  const task_executor_options_t* options = &executor->options;
  const bool is_done = options->work(job, worker, sleeper);
  if (is_borrowed) local_workers_give(&executor->callers, worker);
  if (is_done) options->finish(job);
  local_lock(&executor->lock);
  if (is_done) task_job_unlist(executor, job);
  --executor->active_count;
  const bool is_last = --job->ref_count == 0;
  local_unlock(&executor->lock);
  if (is_last) options->free(job);
}

// Looks for something new for a while, so that a thread that has work again
// soon need not be woken.
static void task_executor_spin(const task_executor_t* executor,
                               const task_sleeper_t* sleeper,
                               uint32_t notify_count) {
  const iree_time_t until = iree_time_now() + executor->options.spin_ns;
  do {
    for (int i = 0; i < 32; ++i) {
      if (__atomic_load_n(&executor->notify_count, __ATOMIC_RELAXED) !=
              notify_count ||
          __atomic_load_n(&sleeper->word, __ATOMIC_RELAXED)) {
        return;
      }
      task_pause();
    }
  } while (iree_time_now() < until);
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

static void task_thread_begin(const task_thread_t* thread) {
  const task_executor_options_t* options = &thread->executor->options;
  task_is_worker_thread = true;
  // Where they are not all allowed, the thread runs where it may.
  if (options->has_cpus) {
    syscall(SYS_sched_setaffinity, 0, sizeof(options->cpus.words),
            options->cpus.words);
  }
  char name[16];
  snprintf(name, sizeof(name), "%.11s-%u", options->name,
           thread->index % 1000u);
  prctl(PR_SET_NAME, name);
}

static void* task_thread_main(void* user_data) {
  task_thread_t* thread = (task_thread_t*)user_data;
  task_executor_t* executor = thread->executor;
  task_sleeper_t* sleeper = &thread->sleeper;
  task_thread_begin(thread);
  while (!__atomic_load_n(&executor->is_stopping, __ATOMIC_ACQUIRE)) {
    const uint32_t notify_count =
        __atomic_load_n(&executor->notify_count, __ATOMIC_SEQ_CST);
    task_job_t* job = task_executor_acquire(executor, sleeper);
    if (job) {
      task_executor_work(executor, job, &thread->worker, /*is_borrowed=*/false,
                         NULL);
      continue;
    }
    if (executor->options.spin_ns) {
      task_executor_spin(executor, sleeper, notify_count);
      if (__atomic_load_n(&executor->notify_count, __ATOMIC_SEQ_CST) !=
          notify_count) {
        continue;
      }
    }
    // Who is not listed because the end has come is woken by nobody.
    while (!__atomic_load_n(&sleeper->word, __ATOMIC_SEQ_CST) &&
           !__atomic_load_n(&executor->is_stopping, __ATOMIC_ACQUIRE)) {
      local_futex_wait(&sleeper->word, 0, IREE_TIME_INFINITE_FUTURE);
    }
  }
  task_executor_release(executor);
  return NULL;
}

void task_executor_stop(task_executor_t* executor) {
  if (task_executor_is_stale(executor)) return;
  local_lock(&executor->lock);
  __atomic_store_n(&executor->is_stopping, true, __ATOMIC_RELEASE);
  for (task_sleeper_t* sleeper = executor->idle; sleeper;) {
    task_sleeper_t* next = sleeper->next;
    sleeper->is_listed = false;
    __atomic_fetch_or(&sleeper->word, TASK_SLEEPER_WORK, __ATOMIC_SEQ_CST);
    local_futex_wake(&sleeper->word, 1);
    sleeper = next;
  }
  executor->idle = NULL;
  const uint32_t count = executor->running_count;
  local_unlock(&executor->lock);
  for (uint32_t i = 0; i < count; ++i) {
    // A worker's thread waits for none: it may be of this executor, or of one
    // whose end a thread of this one waits for.
    if (task_is_worker_thread) {
      pthread_detach(executor->threads[i].handle);
    } else {
      pthread_join(executor->threads[i].handle, NULL);
    }
  }
}

//===----------------------------------------------------------------------===//
// Jobs
//===----------------------------------------------------------------------===//

// Under the lock. Whether no thread can be had.
static bool task_executor_is_alone(const task_executor_t* executor) {
  return executor->running_count == 0 &&
         executor->tried_count == executor->options.thread_count;
}

// Does all there is to do.
static __attribute__((cold, noinline)) void task_executor_work_alone(
    task_executor_t* executor) {
  // Finishing a job may end the device.
  task_executor_retain(executor);
  for (;;) {
    local_lock(&executor->lock);
    task_job_t* job = task_executor_claim(executor);
    local_unlock(&executor->lock);
    if (!job) break;
    task_executor_work(executor, job, local_workers_take(&executor->callers),
                       /*is_borrowed=*/true, NULL);
  }
  task_executor_release(executor);
}

bool task_executor_has_job(task_executor_t* executor) {
  local_lock(&executor->lock);
  const bool has_job = executor->first_job != NULL;
  local_unlock(&executor->lock);
  return has_job;
}

void task_executor_add(task_executor_t* executor, task_job_t* job) {
  local_lock(&executor->lock);
  job->ref_count = 1;
  job->next = NULL;
  job->previous = executor->last_job;
  if (executor->last_job) {
    executor->last_job->next = job;
  } else {
    executor->first_job = job;
  }
  executor->last_job = job;
  __atomic_fetch_add(&executor->notify_count, 1, __ATOMIC_SEQ_CST);
  // One is started though others may help: whether it can be had is known then.
  if (!executor->tried_count) task_executor_start_thread(executor);
  const uint32_t* word = task_executor_pick(executor);
  const bool is_alone = task_executor_is_alone(executor);
  local_unlock(&executor->lock);
  task_sleeper_wake_at(word);
  if (is_alone) task_executor_work_alone(executor);
}

void task_sleeper_stop(task_sleeper_t* sleeper) {
  uint32_t* word = &sleeper->word;
  __atomic_fetch_or(word, TASK_SLEEPER_STOP, __ATOMIC_SEQ_CST);
  local_futex_wake(word, 1);
}

// Takes |sleeper| out. What it was woken for and has not done, or not to the
// end, is for another.
static void task_executor_leave(task_executor_t* executor,
                                task_sleeper_t* sleeper) {
  const uint32_t* word = NULL;
  local_lock(&executor->lock);
  task_sleeper_arrive(executor, sleeper);
  __atomic_fetch_and(&sleeper->word, ~TASK_SLEEPER_WORK, __ATOMIC_SEQ_CST);
  if (sleeper->is_listed) {
    task_sleeper_unlist(executor, sleeper);
  } else {
    word = task_executor_pick(executor);
  }
  const bool is_alone = task_executor_is_alone(executor);
  local_unlock(&executor->lock);
  task_sleeper_wake_at(word);
  if (is_alone) task_executor_work_alone(executor);
}

void task_executor_help(task_executor_t* executor, task_sleeper_t* sleeper,
                        iree_time_t deadline) {
  sleeper->deadline = deadline;
  while (!task_sleeper_must_leave(sleeper)) {
    local_worker_t* worker =
        local_workers_try_take(&executor->callers, TASK_SUBMITTER_WORKER_COUNT);
    if (IREE_LIKELY(worker)) {
      task_job_t* job = task_executor_acquire(executor, sleeper);
      if (job) {
        task_executor_work(executor, job, worker, /*is_borrowed=*/true,
                           sleeper);
        continue;
      }
      local_workers_give(&executor->callers, worker);
    } else {
      // So many help that this one just waits.
      task_executor_leave(executor, sleeper);
    }
    while (!__atomic_load_n(&sleeper->word, __ATOMIC_SEQ_CST) &&
           local_futex_wait(&sleeper->word, 0, deadline)) {
    }
  }
  task_executor_leave(executor, sleeper);
}
