// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the state of the exit gate and the count of work under way.

#include "iree_cy/native/base/gate.h"

#include <pthread.h>

#include "iree_cy/native/base/futex.h"

enum {
  GATE_OPEN = 0,
  // Work under way may still go on to further work.
  GATE_CLOSED = 1,
  // Nobody waits for work any more.
  GATE_SHUT = 2,
};

uint32_t iree_cy_gate_state = GATE_OPEN;
// Written before the state.
static pthread_t iree_cy_gate_closer;
// Operations under way; the futex word of the closing thread.
static uint32_t iree_cy_gate_work_count = 0;
static bool (*iree_cy_gate_exit_probe)(void) = NULL;

void iree_cy_gate_park(void) {
  static const uint32_t never = 0;
  for (;;) iree_cy_futex_wait(&never, 0, IREE_TIME_INFINITE_FUTURE);
}

static bool iree_cy_gate_is_closer(void) {
  return __atomic_load_n(&iree_cy_gate_state, __ATOMIC_ACQUIRE) != GATE_OPEN &&
         pthread_equal(iree_cy_gate_closer, pthread_self());
}

__attribute__((cold, noinline)) iree_status_t iree_cy_gate_refuse(void) {
  if (!iree_cy_gate_is_closer()) iree_cy_gate_park();
  return iree_make_status(IREE_STATUS_ABORTED, "the process is exiting");
}

static void iree_cy_gate_await_work(iree_time_t deadline) {
  bool is_in_time = true;
  uint32_t count = 0;
  while (is_in_time && (count = __atomic_load_n(&iree_cy_gate_work_count,
                                                __ATOMIC_SEQ_CST)) != 0) {
    is_in_time = iree_cy_futex_wait(&iree_cy_gate_work_count, count, deadline);
  }
}

void iree_cy_gate_close(iree_duration_t patience_ns) {
  static uint32_t is_begun = 0;
  if (__atomic_exchange_n(&is_begun, 1, __ATOMIC_ACQ_REL)) return;
  const iree_time_t deadline =
      iree_timeout_as_deadline_ns(iree_make_timeout_ns(patience_ns));
  iree_cy_gate_closer = pthread_self();
  __atomic_store_n(&iree_cy_gate_state, GATE_CLOSED, __ATOMIC_SEQ_CST);
  iree_cy_gate_await_work(deadline);
  // Either a beginner sees that the gate is shut or its work is seen here.
  __atomic_store_n(&iree_cy_gate_state, GATE_SHUT, __ATOMIC_SEQ_CST);
  iree_cy_gate_await_work(deadline);
}

void iree_cy_gate_work_begin(void) {
  __atomic_fetch_add(&iree_cy_gate_work_count, 1, __ATOMIC_SEQ_CST);
  if (IREE_UNLIKELY(__atomic_load_n(&iree_cy_gate_state, __ATOMIC_SEQ_CST) ==
                    GATE_SHUT) &&
      !iree_cy_gate_is_closer()) {
    iree_cy_gate_work_end();
    iree_cy_gate_park();
  }
}

void iree_cy_gate_work_end(void) {
  const uint32_t before =
      __atomic_fetch_sub(&iree_cy_gate_work_count, 1, __ATOMIC_SEQ_CST);
  if (before == 1 && __atomic_load_n(&iree_cy_gate_state, __ATOMIC_SEQ_CST)) {
    iree_cy_futex_wake(&iree_cy_gate_work_count, 1);
  }
}

void iree_cy_gate_forget_work(void) {
  __atomic_store_n(&iree_cy_gate_work_count, 0, __ATOMIC_RELAXED);
}

void iree_cy_gate_set_exit_probe(bool (*probe)(void)) {
  __atomic_store_n(&iree_cy_gate_exit_probe, probe, __ATOMIC_RELEASE);
}

bool iree_cy_gate_is_exiting(void) {
  bool (*probe)(void) =
      __atomic_load_n(&iree_cy_gate_exit_probe, __ATOMIC_ACQUIRE);
  return iree_cy_gate_is_closed() || (probe && probe());
}
