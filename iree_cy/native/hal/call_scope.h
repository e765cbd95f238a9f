// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the scope of a call: how it is told to stop, and the operations that are
// submitted on its behalf and not done.

#ifndef IREE_CY_NATIVE_HAL_CALL_SCOPE_H_
#define IREE_CY_NATIVE_HAL_CALL_SCOPE_H_

#include "iree_cy/hal/fence.h"
#include "iree_cy/hal/operation.h"

// Operations of a scope; outlives it while there are any.
typedef struct iree_hal_call_group_t iree_hal_call_group_t;

// Says with what status a call is to stop, or OK.
typedef iree_status_t (*iree_hal_call_interrupt_fn_t)(void* user_data);

// In memory of whoever makes the call. Of one thread at a time, but for what
// says otherwise.
typedef struct iree_hal_call_scope_t iree_hal_call_scope_t;
struct iree_hal_call_scope_t {
  // The thread's scope before this one was entered.
  iree_hal_call_scope_t* outer;
  // NULL until there is an operation that is not done when it has been
  // submitted.
  iree_hal_call_group_t* group;
  // May be NULL. Asked once per interval, and no more when it has said so.
  iree_hal_call_interrupt_fn_t interrupt;
  void* user_data;
  iree_time_t deadline_ns;
  // When |interrupt| was asked last.
  iree_time_t last_poll_ns;
  // What it said.
  iree_status_t interruption;
  // Whether the driver has begun the operation that is being submitted.
  bool is_taken;
};

// How long a wait or a computation lasts before the scope is asked again.
#define IREE_HAL_CALL_POLL_INTERVAL_NS INT64_C(20000000)

void iree_hal_call_scope_initialize(iree_hal_call_interrupt_fn_t interrupt,
                                    void* user_data, iree_time_t deadline_ns,
                                    iree_hal_call_scope_t* out_scope);
// Makes cancelling from other threads possible.
iree_status_t iree_hal_call_scope_share(iree_hal_call_scope_t* scope);
// Forgets the operations that are not done.
void iree_hal_call_scope_deinitialize(iree_hal_call_scope_t* scope);

// Between the two, what this thread submits is of the scope. They nest.
void iree_hal_call_scope_enter(iree_hal_call_scope_t* scope);
void iree_hal_call_scope_leave(iree_hal_call_scope_t* scope);
// For what a thread does on behalf of others: sets which scope is the thread's
// and returns which was.
iree_hal_call_scope_t* iree_hal_call_scope_swap(iree_hal_call_scope_t* scope);

// Not OK when the call that this thread makes is to stop: the interrupt
// function said so, its deadline or that of a call around it has passed, or one
// was cancelled. This is an iree_cy_vm_interrupt_fn_t; it takes nothing.
iree_status_t iree_hal_call_scope_poll(void* user_data);

// Takes |status| (not OK). Fails what is parked, asks what runs to end early,
// and refuses what is submitted later. The first cancelling counts. Any thread,
// when shared.
void iree_hal_call_scope_cancel(iree_hal_call_scope_t* scope,
                                iree_status_t status);
// Whether no operation is left. Any thread, when shared.
bool iree_hal_call_scope_is_idle(const iree_hal_call_scope_t* scope);
// Takes and returns |status|, how the call ended. One that has failed is
// cancelled. Waits until no operation is left; of a call that went well, the
// wait is polled, and fails it. A second interruption ends the wait.
iree_status_t iree_hal_call_scope_finish(iree_hal_call_scope_t* scope,
                                         iree_status_t status);
// The same, but of a call that went well nothing is waited for. This is an
// iree_cy_vm_call_end_fn_t.
iree_status_t iree_hal_call_scope_end(void* scope, iree_status_t status);
// Waits for |fence| on behalf of the call that this thread makes. Polled.
iree_status_t iree_hal_call_scope_wait_fence(iree_hal_fence_t* fence);
// Calls |callback| once, when no operation is left: at once when it is so, else
// on whichever thread ends the last. Once in the life of a scope. Must not
// block.
void iree_hal_call_scope_notify_idle(iree_hal_call_scope_t* scope,
                                     void (*callback)(void* user_data),
                                     void* user_data);

// The thread's scope.
extern _Thread_local iree_hal_call_scope_t* iree_hal_current_call_scope;
iree_status_t iree_hal_call_scope_refusal(const iree_hal_call_scope_t* scope);
void iree_hal_call_scope_note(iree_hal_call_scope_t* scope,
                              iree_hal_semaphore_list_t signals);

// Of every queue function, before the driver: refuses what a cancelled call
// submits.
static inline iree_status_t iree_hal_call_scope_check(void) {
  const iree_hal_call_scope_t* scope = iree_hal_current_call_scope;
  return scope && scope->group ? iree_hal_call_scope_refusal(scope)
                               : iree_ok_status();
}
// And after it. Takes and returns |status|, with which it took the operation.
static inline iree_status_t iree_hal_call_scope_track(
    iree_status_t status, iree_hal_semaphore_list_t signals) {
  iree_hal_call_scope_t* scope = iree_hal_current_call_scope;
  if (!scope) return status;
  if (scope->is_taken) {
    scope->is_taken = false;
  } else if (signals.count && iree_status_is_ok(status)) {
    iree_hal_call_scope_note(scope, signals);
  }
  return status;
}

#endif  // IREE_CY_NATIVE_HAL_CALL_SCOPE_H_
