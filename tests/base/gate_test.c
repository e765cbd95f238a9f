// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Tests the exit gate. It closes once and for good, so each case closes it in a
// child of its own.

#include "iree_cy/native/base/gate.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "iree_cy/native/base/fork.h"
#include "iree_cy/native/base/futex.h"
#include "tests/support/ctest.h"

#define SECOND_NS ((iree_duration_t)1000000000)

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

// A word that threads tell each other something with.
static uint32_t told = 0;

static void tell(uint32_t value) {
  __atomic_store_n(&told, value, __ATOMIC_SEQ_CST);
  iree_cy_futex_wake(&told, INT32_MAX);
}

static void await(uint32_t value) {
  uint32_t seen = 0;
  while ((seen = __atomic_load_n(&told, __ATOMIC_SEQ_CST)) != value) {
    iree_cy_futex_wait(&told, seen, IREE_TIME_INFINITE_FUTURE);
  }
}

// Whether |told| stays what it is for a while.
static bool nothing_is_told(uint32_t value) {
  const iree_time_t deadline = iree_time_now() + SECOND_NS / 10;
  while (iree_cy_futex_wait(&told, value, deadline)) {
    if (__atomic_load_n(&told, __ATOMIC_SEQ_CST) != value) return false;
  }
  return true;
}

static int pass_and_refuse(void) {
  iree_status_t status = iree_cy_gate_pass();
  if (!iree_status_is_ok(status)) return 1;
  if (iree_cy_gate_is_closed() || iree_cy_gate_is_exiting()) return 2;
  const iree_time_t before = iree_time_now();
  iree_cy_gate_close(600 * SECOND_NS);
  iree_cy_gate_close(600 * SECOND_NS);
  if (iree_time_now() - before > 10 * SECOND_NS) return 3;
  if (!iree_cy_gate_is_closed() || !iree_cy_gate_is_exiting()) return 4;
  status = iree_cy_gate_pass();
  if (iree_status_code(status) != IREE_STATUS_ABORTED) return 5;
  iree_status_ignore(status);
  return 0;
}

CTEST(the_closing_thread_is_refused) {
  EXPECT_EQ_I64(exit_status_of_child(pass_and_refuse), 0);
  EXPECT(!iree_cy_gate_is_closed());
}

static void on_signal(int number) { (void)number; }

static void* pass(void* user_data) {
  (void)user_data;
  tell(1);
  await(2);
  iree_status_ignore(iree_cy_gate_pass());
  tell(3);
  return NULL;
}

static int park_another(void) {
  pthread_t thread;
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_handler = on_signal;
  sigaction(SIGUSR1, &action, NULL);
  if (pthread_create(&thread, NULL, pass, NULL) != 0) return 1;
  await(1);
  iree_cy_gate_close(SECOND_NS);
  tell(2);
  for (int i = 0; i < 5; ++i) {
    if (!nothing_is_told(2)) return 2;
    pthread_kill(thread, SIGUSR1);
  }
  return 0;
}

CTEST(another_thread_parks_whatever_signals_come) {
  EXPECT_EQ_I64(exit_status_of_child(park_another), 0);
}

// Ends one operation after the other, begun before the one before has ended.
static void* work_on(void* user_data) {
  (void)user_data;
  tell(1);
  // Until the gate closes, and then for further work that comes of it.
  while (!iree_cy_gate_is_closed()) {
    iree_cy_gate_work_begin();
    iree_cy_gate_work_end();
  }
  for (int i = 0; i < 1000; ++i) {
    iree_cy_gate_work_begin();
    iree_cy_gate_work_end();
  }
  tell(2);
  iree_cy_gate_work_end();
  return NULL;
}

static int wait_for_work(void) {
  pthread_t thread;
  iree_cy_gate_work_begin();
  if (pthread_create(&thread, NULL, work_on, NULL) != 0) return 1;
  await(1);
  const iree_time_t before = iree_time_now();
  iree_cy_gate_close(600 * SECOND_NS);
  if (iree_time_now() - before > 10 * SECOND_NS) return 2;
  const bool has_waited = __atomic_load_n(&told, __ATOMIC_SEQ_CST) == 2;
  pthread_join(thread, NULL);
  return has_waited ? 0 : 3;
}

CTEST(closing_waits_for_work_and_what_comes_of_it) {
  for (int i = 0; i < 20; ++i) {
    REQUIRE(exit_status_of_child(wait_for_work) == 0);
  }
}

static int wait_in_vain(void) {
  iree_cy_gate_work_begin();
  const iree_time_t before = iree_time_now();
  iree_cy_gate_close(SECOND_NS / 10);
  const iree_duration_t duration = iree_time_now() - before;
  return duration >= SECOND_NS / 10 && duration < 10 * SECOND_NS ? 0 : 1;
}

CTEST(closing_waits_for_a_limited_time) {
  EXPECT_EQ_I64(exit_status_of_child(wait_in_vain), 0);
}

static void* begin(void* user_data) {
  (void)user_data;
  tell(1);
  iree_cy_gate_work_begin();
  tell(2);
  return NULL;
}

static int begin_late(void) {
  pthread_t thread;
  iree_cy_gate_close(SECOND_NS);
  // The closing thread itself goes on.
  iree_cy_gate_work_begin();
  iree_cy_gate_work_end();
  if (pthread_create(&thread, NULL, begin, NULL) != 0) return 1;
  await(1);
  return nothing_is_told(1) ? 0 : 2;
}

CTEST(work_that_begins_too_late_parks) {
  EXPECT_EQ_I64(exit_status_of_child(begin_late), 0);
}

static int close_in_child(void) {
  // The parent's work is not this process's.
  const iree_time_t before = iree_time_now();
  iree_cy_gate_close(600 * SECOND_NS);
  return iree_time_now() - before < 10 * SECOND_NS ? 0 : 1;
}

CTEST(a_forked_child_has_its_own_gate_and_no_work) {
  REQUIRE(iree_cy_fork_initialize());
  iree_cy_gate_work_begin();
  EXPECT_EQ_I64(exit_status_of_child(close_in_child), 0);
  iree_cy_gate_work_end();
  EXPECT(!iree_cy_gate_is_closed());
}

static bool yes(void) { return true; }

CTEST(a_probe_tells_of_the_exit_before_the_gate_closes) {
  EXPECT(!iree_cy_gate_is_exiting());
  iree_cy_gate_set_exit_probe(yes);
  EXPECT(iree_cy_gate_is_exiting());
  EXPECT(!iree_cy_gate_is_closed());
  iree_cy_gate_set_exit_probe(NULL);
  EXPECT(!iree_cy_gate_is_exiting());
}

CTEST_MAIN()
