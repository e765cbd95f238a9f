// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the exit gate: what becomes of threads that use the core while the
// process exits.

#ifndef IREE_CY_NATIVE_BASE_GATE_H_
#define IREE_CY_NATIVE_BASE_GATE_H_

#include "iree_cy/base/status.h"
#include "iree_cy/base/time.h"

// The gate is open until somebody closes it, once and for good; a forked child
// has a copy of its own. Behind a closed gate
//   - a thread that is about to submit, to wait or to create parks for ever;
//     the one that closed the gate gets ABORTED;
//   - objects are not destroyed any more: no thread is joined, no driver called
//     (iree_cy_gate_is_closed, before each destruction).
// Who never closes it, such as a process that uses the core without Python,
// sees nothing of this.

// 0 while the gate is open. Atomic; see the functions below.
extern uint32_t iree_cy_gate_state;

static inline bool iree_cy_gate_is_closed(void) {
  return __atomic_load_n(&iree_cy_gate_state, __ATOMIC_RELAXED) != 0;
}

// The cold half of iree_cy_gate_pass: returns ABORTED or does not return.
iree_status_t iree_cy_gate_refuse(void);

// OK while the gate is open. No lock is held. For the beginning of what
// submits, waits or creates.
static inline iree_status_t iree_cy_gate_pass(void) {
  if (IREE_LIKELY(!iree_cy_gate_is_closed())) return iree_ok_status();
  return iree_cy_gate_refuse();
}

// Closes the gate and waits, at most for |patience_ns|, until no work is under
// way (iree_cy_gate_work_begin). This is the closing thread. Again is nothing.
void iree_cy_gate_close(iree_duration_t patience_ns);

// Counts one more, or one less, operation that is being carried out
// (iree_cy_operation_start, _end). Each begin is followed by one end, from any
// thread. In a forked child nothing is under way, and what the parent began
// does not end there. No lock is held at the begin: when the gate was closed
// and waits no more, it does not return to other threads than the closing one.
void iree_cy_gate_work_begin(void);
void iree_cy_gate_work_end(void);

// Sleeps for ever, whatever signals come.
_Noreturn void iree_cy_gate_park(void);

// Called in a forked child, which has one thread and no work under way.
void iree_cy_gate_forget_work(void);

// Sets how the core finds out that the process has begun to exit, before it
// closes the gate, so that other threads may have ended where they were; NULL
// for never. |probe| is called from any thread.
void iree_cy_gate_set_exit_probe(bool (*probe)(void));
// Whether the process has begun to exit.
bool iree_cy_gate_is_exiting(void);

#endif  // IREE_CY_NATIVE_BASE_GATE_H_
