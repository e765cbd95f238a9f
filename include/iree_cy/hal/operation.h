// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what ties an operation that is carried out later, or by another thread,
// to the call that submitted it.

#ifndef IREE_CY_HAL_OPERATION_H_
#define IREE_CY_HAL_OPERATION_H_

#include "iree_cy/hal/semaphore.h"

IREE_CY_EXTERN_C_BEGIN

// A driver embeds one in each operation that is not done when its queue
// function returns. The call that submitted the operation, if it was one, can
// be cancelled (Ctrl-C, a limit of time, another operation's failure), and ends
// when nothing of what it submitted runs any more. Without one a cancelled
// operation has its signals failed at once, whatever it may still be doing.
typedef struct iree_cy_operation_t iree_cy_operation_t;
struct iree_cy_operation_t {
  iree_cy_operation_t* next;
  iree_cy_operation_t* previous;
  void* group;
  iree_hal_semaphore_list_t signals;
  // Atomic: iree_cy_operation_state_bits_e.
  uint32_t state;
  uint32_t fork_generation;
  uintptr_t reserved[4];
};
enum iree_cy_operation_state_bits_e {
  IREE_CY_OPERATION_STATE_RUNNING = 1u << 0,
  IREE_CY_OPERATION_STATE_CANCELLED = 1u << 1,
};

// Inside the queue function: the operation is taken, and parked. |signals| is
// the driver's own copy and stays in place until the end.
IREE_API_EXPORT void iree_cy_operation_begin(
    iree_hal_semaphore_list_t signals, iree_cy_operation_t* out_operation);
// Its waits are reached, and it is about to run. False: it was cancelled while
// it was parked, its signals have failed, and it must not run. The end of the
// process waits a moment for what was started, and lets nothing start after it:
// no lock is held here.
IREE_API_EXPORT IREE_MUST_USE_RESULT bool iree_cy_operation_start(
    iree_cy_operation_t* operation);
// Looked at now and then while it runs: whether to do nothing more and to fail
// the signals with CANCELLED.
static inline bool iree_cy_operation_is_cancelled(
    const iree_cy_operation_t* operation) {
  return (__atomic_load_n(&operation->state, __ATOMIC_RELAXED) &
          IREE_CY_OPERATION_STATE_CANCELLED) != 0;
}
// Nothing of it runs any more, and nothing of what it used is touched. Of each
// that was begun, once, on any thread; before its signals are signalled or
// failed.
IREE_API_EXPORT void iree_cy_operation_end(iree_cy_operation_t* operation);

// Not OK when the call that this thread works for is to stop: it was
// interrupted or cancelled, or its time has passed. A driver that computes on
// the thread that submits asks between dispatches, and between the parts of a
// long one, and lets the operation fail with the status. Cheap: it looks at a
// clock; OK outside of calls.
IREE_API_EXPORT IREE_MUST_USE_RESULT iree_status_t iree_cy_call_poll(void);

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_HAL_OPERATION_H_
