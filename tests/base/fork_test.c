// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Tests leaf locks, the fork handler, live counters and the clock.

#include "iree_cy/native/base/fork.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "iree_cy/base/log.h"
#include "iree_cy/base/time.h"
#include "iree_cy/native/base/futex.h"
#include "iree_cy/native/base/live_count.h"
#include "iree_cy/native/base/log_ring.h"
#include "tests/support/ctest.h"

// The exit status of a child that runs |function|; -1 when it did not exit by
// itself. A hang is ended by the alarm.
static int exit_status_of_child(int (*function)(void)) {
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) {
    alarm(20);
    _exit(function());
  }
  int status = 0;
  if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) {
    return -1;
  }
  return WEXITSTATUS(status);
}

static iree_cy_mutex_t counter_mutex = 0;
static int64_t counter = 0;

static void* count_up(void* argument) {
  (void)argument;
  for (int i = 0; i < 50000; ++i) {
    iree_cy_mutex_lock(&counter_mutex);
    counter = counter + 1;
    iree_cy_mutex_unlock(&counter_mutex);
  }
  return NULL;
}

CTEST(a_mutex_excludes) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) {
    REQUIRE(pthread_create(&threads[i], NULL, count_up, NULL) == 0);
  }
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  EXPECT_EQ_I64(counter, 200000);
  EXPECT_EQ_I64(counter_mutex, 0);
}

static int child_generation(void) {
  return (int)*iree_cy_fork_generation_pointer();
}
static int grandchild_generation(void) {
  return exit_status_of_child(child_generation);
}

CTEST(the_generation_is_raised_in_children_only) {
  REQUIRE(iree_cy_fork_initialize());
  REQUIRE(iree_cy_fork_initialize());
  const int before = (int)*iree_cy_fork_generation_pointer();
  EXPECT_EQ_I64(exit_status_of_child(child_generation), before + 1);
  EXPECT_EQ_I64(exit_status_of_child(grandchild_generation), before + 2);
  EXPECT_EQ_I64(*iree_cy_fork_generation_pointer(), before);
}

// Locked over the fork by a thread that the child does not have.
static iree_cy_mutex_t orphaned_mutex = 0;
static uint32_t holder_state = 0;

static void* hold(void* argument) {
  (void)argument;
  iree_cy_mutex_lock(&orphaned_mutex);
  __atomic_store_n(&holder_state, 1, __ATOMIC_SEQ_CST);
  iree_cy_futex_wake(&holder_state, 1);
  while (__atomic_load_n(&holder_state, __ATOMIC_SEQ_CST) != 2) {
    iree_cy_futex_wait(&holder_state, 1, IREE_TIME_INFINITE_FUTURE);
  }
  iree_cy_mutex_unlock(&orphaned_mutex);
  return NULL;
}

static int lock_orphaned(void) {
  iree_cy_mutex_lock(&orphaned_mutex);
  iree_cy_mutex_unlock(&orphaned_mutex);
  iree_cy_mutex_lock(&orphaned_mutex);
  return 3;
}

CTEST(a_lock_whose_holder_did_not_survive_the_fork_is_free) {
  REQUIRE(iree_cy_fork_initialize());
  pthread_t thread;
  holder_state = 0;
  REQUIRE(pthread_create(&thread, NULL, hold, NULL) == 0);
  while (__atomic_load_n(&holder_state, __ATOMIC_SEQ_CST) == 0) {
    iree_cy_futex_wait(&holder_state, 0, IREE_TIME_INFINITE_FUTURE);
  }
  EXPECT_EQ_I64(exit_status_of_child(lock_orphaned), 3);
  __atomic_store_n(&holder_state, 2, __ATOMIC_SEQ_CST);
  iree_cy_futex_wake(&holder_state, 1);
  pthread_join(thread, NULL);
  EXPECT_EQ_I64(orphaned_mutex, 0);
}

static uint32_t logging_state = 0;

static void* log_until_told(void* argument) {
  (void)argument;
  while (!__atomic_load_n(&logging_state, __ATOMIC_SEQ_CST)) {
    iree_cy_log(IREE_CY_LOG_LEVEL_INFO, IREE_SV("t"), IREE_SV("text"));
  }
  return NULL;
}

static int log_in_child(void) {
  iree_cy_log_record_t record;
  iree_cy_log(IREE_CY_LOG_LEVEL_INFO, IREE_SV("t"), IREE_SV("child"));
  while (iree_cy_log_ring_pop(&record)) {
    if (record.text_length != 4 && record.text_length != 5) return 1;
  }
  return 4;
}

CTEST(the_log_works_in_a_child_forked_while_others_log) {
  REQUIRE(iree_cy_fork_initialize());
  iree_cy_log_record_t record;
  while (iree_cy_log_ring_pop(&record)) continue;
  pthread_t thread;
  logging_state = 0;
  REQUIRE(pthread_create(&thread, NULL, log_until_told, NULL) == 0);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ_I64(exit_status_of_child(log_in_child), 4);
  }
  __atomic_store_n(&logging_state, 1, __ATOMIC_SEQ_CST);
  pthread_join(thread, NULL);
}

CTEST(a_futex_wait_ends_at_its_deadline) {
  uint32_t word = 5;
  EXPECT(!iree_cy_futex_wait(&word, 5, IREE_TIME_INFINITE_PAST));
  EXPECT(!iree_cy_futex_wait(&word, 5, iree_time_now() + 1000000));
  EXPECT(iree_cy_futex_wait(&word, 4, IREE_TIME_INFINITE_FUTURE));
}

CTEST(live_objects_are_counted_by_kind) {
  const int64_t before = iree_cy_live_object_count(IREE_CY_OBJECT_KIND_VM_LIST);
  iree_cy_live_object_add(IREE_CY_OBJECT_KIND_VM_LIST, 3);
  iree_cy_live_object_add(IREE_CY_OBJECT_KIND_VM_LIST, -1);
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_VM_LIST),
                before + 2);
  iree_cy_live_object_add(IREE_CY_OBJECT_KIND_VM_LIST, -2);
  iree_cy_live_object_add(1000, 1);
  EXPECT_EQ_I64(iree_cy_live_object_count(1000), 0);
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_COUNT), 0);
}

CTEST(timeouts_become_deadlines) {
  EXPECT_EQ_I64(iree_timeout_as_deadline_ns(iree_immediate_timeout()),
                IREE_TIME_INFINITE_PAST);
  EXPECT_EQ_I64(iree_timeout_as_deadline_ns(iree_infinite_timeout()),
                IREE_TIME_INFINITE_FUTURE);
  EXPECT_EQ_I64(iree_timeout_as_deadline_ns(iree_make_deadline(42)), 42);
  EXPECT_EQ_I64(iree_timeout_as_deadline_ns(iree_make_timeout_ns(0)),
                IREE_TIME_INFINITE_PAST);
  EXPECT_EQ_I64(iree_timeout_as_deadline_ns(iree_make_timeout_ns(-5)),
                IREE_TIME_INFINITE_PAST);
  EXPECT_EQ_I64(
      iree_timeout_as_deadline_ns(iree_make_timeout_ns(INT64_MAX - 1)),
      IREE_TIME_INFINITE_FUTURE);
  const iree_time_t before = iree_time_now();
  const iree_time_t deadline =
      iree_timeout_as_deadline_ns(iree_make_timeout_ns(1000));
  EXPECT(deadline >= before + 1000 && deadline <= iree_time_now() + 1000);
}

CTEST_MAIN()
