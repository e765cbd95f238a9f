// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Tests semaphores between threads; clean under the thread sanitizer.

#include <pthread.h>

#include "iree_cy/native/hal/semaphore_impl.h"
#include "tests/support/ctest.h"

static iree_hal_semaphore_t* make_semaphore(void) {
  iree_hal_semaphore_t* semaphore = NULL;
  iree_status_ignore(iree_hal_host_semaphore_create(
      NULL, 0, 0, iree_allocator_system(), &semaphore));
  return semaphore;
}

static const iree_duration_t LONG_NS = 60000000000;

// Two threads in turn: each waits for what the other signals.
enum { ROUND_COUNT = 20000 };
typedef struct turns_t {
  iree_hal_semaphore_t* semaphore;
  // Written in turns, so that a wait that ends too early is a race.
  uint64_t value;
  uint64_t first;
  iree_status_code_t code;
} turns_t;

static void* take_turns(void* argument) {
  turns_t** turns_and_first = (turns_t**)argument;
  turns_t* turns = turns_and_first[0];
  const uint64_t first = turns_and_first[1] ? 1 : 0;
  for (uint64_t i = first; i < ROUND_COUNT; i += 2) {
    iree_status_t status = iree_hal_semaphore_wait(
        turns->semaphore, i, iree_make_timeout_ns(LONG_NS), 0);
    if (iree_status_is_ok(status)) {
      if (turns->value != i) {
        status = iree_status_from_code(IREE_STATUS_INTERNAL);
      }
      turns->value = i + 1;
    }
    if (iree_status_is_ok(status)) {
      status = iree_hal_semaphore_signal(turns->semaphore, i + 1);
    }
    if (!iree_status_is_ok(status)) {
      __atomic_store_n(&turns->code, iree_status_consume_code(status),
                       __ATOMIC_RELAXED);
      break;
    }
  }
  return NULL;
}

CTEST(two_threads_take_turns) {
  turns_t turns = {make_semaphore(), 0, 0, IREE_STATUS_OK};
  turns_t* even[] = {&turns, NULL};
  turns_t* odd[] = {&turns, &turns};
  pthread_t threads[2];
  REQUIRE(pthread_create(&threads[0], NULL, take_turns, even) == 0);
  REQUIRE(pthread_create(&threads[1], NULL, take_turns, odd) == 0);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  EXPECT_EQ_I64(turns.code, IREE_STATUS_OK);
  EXPECT_EQ_I64(turns.value, ROUND_COUNT);
  iree_hal_semaphore_release(turns.semaphore);
}

// One signals, others are notified of every payload of several semaphores.
enum { NOTIFICATION_COUNT = 4000, SEMAPHORE_COUNT = 3, NOTIFIER_COUNT = 2 };
typedef struct storm_t {
  iree_hal_semaphore_t* semaphores[SEMAPHORE_COUNT];
  int64_t ok_count;
  int64_t failure_count;
} storm_t;

static void count_call(void* user_data, iree_status_t status) {
  storm_t* storm = (storm_t*)user_data;
  __atomic_fetch_add(
      iree_status_is_ok(status) ? &storm->ok_count : &storm->failure_count, 1,
      __ATOMIC_RELAXED);
  iree_status_ignore(status);
}

static void* notify_many(void* argument) {
  storm_t* storm = (storm_t*)argument;
  for (uint64_t i = 1; i <= NOTIFICATION_COUNT; ++i) {
    uint64_t payloads[SEMAPHORE_COUNT] = {i, i, i};
    const iree_hal_semaphore_list_t list = {SEMAPHORE_COUNT, storm->semaphores,
                                            payloads};
    if (!iree_status_is_ok(iree_hal_semaphore_list_notify(
            list, count_call, storm, iree_allocator_system()))) {
      abort();
    }
  }
  return NULL;
}

static void* signal_many(void* argument) {
  storm_t* storm = (storm_t*)argument;
  for (uint64_t i = 1; i <= NOTIFICATION_COUNT / 2; ++i) {
    for (int j = 0; j < SEMAPHORE_COUNT; ++j) {
      iree_status_ignore(iree_hal_semaphore_signal(storm->semaphores[j], i));
    }
  }
  iree_hal_semaphore_fail(storm->semaphores[1],
                          iree_make_status(IREE_STATUS_DATA_LOSS, "lost"));
  return NULL;
}

CTEST(each_notification_comes_once) {
  storm_t storm = {{0}, 0, 0};
  for (int i = 0; i < SEMAPHORE_COUNT; ++i) {
    storm.semaphores[i] = make_semaphore();
  }
  pthread_t threads[NOTIFIER_COUNT + 1];
  for (int i = 0; i < NOTIFIER_COUNT; ++i) {
    REQUIRE(pthread_create(&threads[i], NULL, notify_many, &storm) == 0);
  }
  REQUIRE(pthread_create(&threads[NOTIFIER_COUNT], NULL, signal_many, &storm) ==
          0);
  for (int i = 0; i <= NOTIFIER_COUNT; ++i) pthread_join(threads[i], NULL);
  EXPECT_EQ_I64(storm.ok_count + storm.failure_count,
                NOTIFICATION_COUNT * NOTIFIER_COUNT);
  EXPECT(storm.failure_count >= NOTIFICATION_COUNT / 2 * NOTIFIER_COUNT);
  for (int i = 0; i < SEMAPHORE_COUNT; ++i) {
    iree_hal_semaphore_release(storm.semaphores[i]);
  }
}

// Threads that wait for lists while another signals, and whose waits end early
// so that cancelling meets calling.
typedef struct waiters_t {
  iree_hal_semaphore_t* semaphores[2];
  uint32_t is_done;
  int64_t reached_count;
  int64_t wrong_count;
} waiters_t;

static void* wait_often(void* argument) {
  waiters_t* waiters = (waiters_t*)argument;
  uint64_t next = 1;
  while (!__atomic_load_n(&waiters->is_done, __ATOMIC_ACQUIRE)) {
    uint64_t payloads[2] = {next, next};
    const iree_hal_semaphore_list_t list = {2, waiters->semaphores, payloads};
    const iree_status_code_t code =
        iree_status_consume_code(iree_hal_semaphore_list_wait(
            list, next % 2 ? IREE_HAL_WAIT_MODE_ANY : IREE_HAL_WAIT_MODE_ALL,
            iree_make_timeout_ns(20000), 0));
    if (code == IREE_STATUS_OK) {
      ++next;
      __atomic_fetch_add(&waiters->reached_count, 1, __ATOMIC_RELAXED);
    } else if (code != IREE_STATUS_DEADLINE_EXCEEDED) {
      __atomic_fetch_add(&waiters->wrong_count, 1, __ATOMIC_RELAXED);
    }
  }
  return NULL;
}

CTEST(list_waits_meet_signals_and_deadlines) {
  waiters_t waiters = {{make_semaphore(), make_semaphore()}, 0, 0, 0};
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) {
    REQUIRE(pthread_create(&threads[i], NULL, wait_often, &waiters) == 0);
  }
  for (uint64_t i = 1; i <= 3000; ++i) {
    for (int j = 0; j < 2; ++j) {
      EXPECT_OK(iree_hal_semaphore_signal(waiters.semaphores[j], i));
    }
    if (i % 64 == 0) {
      // Lets the waiters run into their deadlines.
      iree_status_ignore(iree_hal_semaphore_wait(
          waiters.semaphores[0], i + 1, iree_make_timeout_ns(100000), 0));
    }
  }
  __atomic_store_n(&waiters.is_done, 1, __ATOMIC_RELEASE);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  EXPECT(waiters.reached_count > 0);
  EXPECT_EQ_I64(waiters.wrong_count, 0);
  iree_hal_semaphore_release(waiters.semaphores[0]);
  iree_hal_semaphore_release(waiters.semaphores[1]);
}

static void* wait_for_failure(void* argument) {
  iree_hal_semaphore_t** semaphores = (iree_hal_semaphore_t**)argument;
  uint64_t payloads[2] = {1, 1};
  const iree_hal_semaphore_list_t list = {2, semaphores, payloads};
  return (void*)(uintptr_t)iree_status_consume_code(
      iree_hal_semaphore_list_wait(list, IREE_HAL_WAIT_MODE_ALL,
                                   iree_make_timeout_ns(LONG_NS), 0));
}

CTEST(a_failure_ends_a_wait_for_all) {
  iree_hal_semaphore_t* semaphores[] = {make_semaphore(), make_semaphore()};
  pthread_t thread;
  REQUIRE(pthread_create(&thread, NULL, wait_for_failure, semaphores) == 0);
  // The first is never signalled.
  iree_hal_semaphore_fail(semaphores[1],
                          iree_make_status(IREE_STATUS_DATA_LOSS, "lost"));
  void* result = NULL;
  pthread_join(thread, &result);
  EXPECT_EQ_I64((uintptr_t)result, IREE_STATUS_DATA_LOSS);
  iree_hal_semaphore_release(semaphores[0]);
  iree_hal_semaphore_release(semaphores[1]);
}

// Threads signal the same payloads: exactly one may have each.
typedef struct racers_t {
  iree_hal_semaphore_t* semaphore;
  int64_t won_count;
} racers_t;

static void* race(void* argument) {
  racers_t* racers = (racers_t*)argument;
  for (uint64_t i = 1; i <= 20000; ++i) {
    if (iree_status_consume_code(iree_hal_semaphore_signal(
            racers->semaphore, i)) == IREE_STATUS_OK) {
      __atomic_fetch_add(&racers->won_count, 1, __ATOMIC_RELAXED);
    }
  }
  return NULL;
}

CTEST(a_payload_is_signalled_by_one_thread) {
  racers_t racers = {make_semaphore(), 0};
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) {
    REQUIRE(pthread_create(&threads[i], NULL, race, &racers) == 0);
  }
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  // A payload that was leapt over is nobody's.
  EXPECT(racers.won_count > 0 && racers.won_count <= 20000);
  uint64_t value = 0;
  EXPECT_OK(iree_hal_semaphore_query(racers.semaphore, &value));
  EXPECT_EQ_I64(value, 20000);
  iree_hal_semaphore_release(racers.semaphore);
}

CTEST_MAIN()
