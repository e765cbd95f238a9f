// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the operations under way of each call, cancelling and draining them.

#include "iree_cy/native/hal/call_scope.h"

#include <time.h>

#include "iree_cy/native/base/fork.h"
#include "iree_cy/native/base/futex.h"
#include "iree_cy/native/base/gate.h"
#include "iree_cy/native/base/mutex.h"
#include "iree_cy/native/hal/defer.h"
#include "iree_cy/native/hal/semaphore_impl.h"

struct iree_hal_call_group_t {
  // The scope, and each operation.
  uint32_t ref_count;
  uint32_t fork_generation;
  // Set once, under the lock.
  iree_status_t cancelled;
  // Guards what follows, and the links of operations.
  iree_cy_mutex_t lock;
  // A futex word, which is also read without the lock. Atomic.
  uint32_t operation_count;
  iree_cy_operation_t* operations;
  void (*idle)(void* user_data);
  void* idle_user_data;
};

_Thread_local iree_hal_call_scope_t* iree_hal_current_call_scope = NULL;

//===-- life ----------------------------------------------------------------===

void iree_hal_call_scope_initialize(iree_hal_call_interrupt_fn_t interrupt,
                                    void* user_data, iree_time_t deadline_ns,
                                    iree_hal_call_scope_t* out_scope) {
  memset(out_scope, 0, sizeof(*out_scope));
  out_scope->interrupt = interrupt;
  out_scope->user_data = user_data;
  out_scope->deadline_ns = deadline_ns;
}

static void call_group_release(iree_hal_call_group_t* group) {
  if (__atomic_fetch_sub(&group->ref_count, 1, __ATOMIC_ACQ_REL) != 1) return;
  iree_status_free(group->cancelled);
  iree_allocator_free(iree_allocator_system(), group);
}

iree_status_t iree_hal_call_scope_share(iree_hal_call_scope_t* scope) {
  if (scope->group) return iree_ok_status();
  iree_hal_call_group_t* group = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(iree_allocator_system(),
                                             sizeof(*group), (void**)&group));
  group->ref_count = 1;
  group->fork_generation = *iree_cy_fork_generation_pointer();
  scope->group = group;
  return iree_ok_status();
}

void iree_hal_call_scope_deinitialize(iree_hal_call_scope_t* scope) {
  if (scope->group) call_group_release(scope->group);
  scope->group = NULL;
  iree_status_free(scope->interruption);
  scope->interruption = iree_ok_status();
}

iree_hal_call_scope_t* iree_hal_call_scope_swap(iree_hal_call_scope_t* scope) {
  iree_hal_call_scope_t* before = iree_hal_current_call_scope;
  iree_hal_current_call_scope = scope;
  return before;
}

void iree_hal_call_scope_enter(iree_hal_call_scope_t* scope) {
  scope->outer = iree_hal_call_scope_swap(scope);
}

void iree_hal_call_scope_leave(iree_hal_call_scope_t* scope) {
  iree_hal_current_call_scope = scope->outer;
  scope->outer = NULL;
}

//===-- asking --------------------------------------------------------------===

iree_status_t iree_hal_call_scope_refusal(const iree_hal_call_scope_t* scope) {
  return iree_status_clone(
      __atomic_load_n(&scope->group->cancelled, __ATOMIC_ACQUIRE));
}

static iree_status_t call_scope_poll_one(iree_hal_call_scope_t* scope,
                                         iree_time_t now) {
  if (scope->group) IREE_RETURN_IF_ERROR(iree_hal_call_scope_refusal(scope));
  if (!iree_status_is_ok(scope->interruption)) {
    return iree_status_clone(scope->interruption);
  }
  if (now >= scope->deadline_ns) {
    return iree_make_status(IREE_STATUS_DEADLINE_EXCEEDED,
                            "the call has not ended within its time");
  }
  if (!scope->interrupt ||
      now - scope->last_poll_ns < IREE_HAL_CALL_POLL_INTERVAL_NS) {
    return iree_ok_status();
  }
  // The first interval begins with the first look.
  const bool is_first = scope->last_poll_ns == 0;
  scope->last_poll_ns = now;
  if (is_first) return iree_ok_status();
  scope->interruption = scope->interrupt(scope->user_data);
  return iree_status_clone(scope->interruption);
}

static iree_status_t call_scope_poll_at(iree_hal_call_scope_t* scope,
                                        iree_time_t now) {
  for (; scope; scope = scope->outer) {
    IREE_RETURN_IF_ERROR(call_scope_poll_one(scope, now));
  }
  return iree_ok_status();
}

iree_status_t iree_hal_call_scope_poll(void* user_data) {
  (void)user_data;
  return call_scope_poll_at(iree_hal_current_call_scope, iree_time_now());
}

iree_status_t iree_cy_call_poll(void) {
  iree_hal_call_scope_t* scope = iree_hal_current_call_scope;
  if (IREE_LIKELY(!scope)) return iree_ok_status();
  // A clock that is as good as the interval needs, and cheaper than the usual.
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return call_scope_poll_at(scope,
                            (iree_time_t)now.tv_sec * 1000000000 + now.tv_nsec);
}

//===-- operations ----------------------------------------------------------===

// Under the lock.
static void call_group_insert(iree_hal_call_group_t* group,
                              iree_cy_operation_t* operation) {
  operation->previous = NULL;
  operation->next = group->operations;
  if (operation->next) operation->next->previous = operation;
  group->operations = operation;
  __atomic_fetch_add(&group->operation_count, 1, __ATOMIC_RELAXED);
}

// Under the lock. What is to be called after unlocking when it was the last.
static void (*call_group_remove(iree_hal_call_group_t* group,
                                iree_cy_operation_t* operation))(void*) {
  if (operation->next) operation->next->previous = operation->previous;
  if (operation->previous) {
    operation->previous->next = operation->next;
  } else {
    group->operations = operation->next;
  }
  if (__atomic_sub_fetch(&group->operation_count, 1, __ATOMIC_RELEASE)) {
    return NULL;
  }
  void (*idle)(void*) = group->idle;
  group->idle = NULL;
  return idle;
}

void iree_cy_operation_begin(iree_hal_semaphore_list_t signals,
                             iree_cy_operation_t* out_operation) {
  memset(out_operation, 0, sizeof(*out_operation));
  out_operation->signals = signals;
  out_operation->fork_generation = *iree_cy_fork_generation_pointer();
  iree_hal_call_scope_t* scope = iree_hal_current_call_scope;
  if (!scope) return;
  scope->is_taken = true;
  iree_status_t status = iree_hal_call_scope_share(scope);
  if (!iree_status_is_ok(status)) {
    // It could not be waited for at the end of the call, so it must not run.
    out_operation->state = IREE_CY_OPERATION_STATE_CANCELLED;
    iree_hal_semaphore_list_fail(signals, status);
    return;
  }
  iree_hal_call_group_t* group = scope->group;
  out_operation->group = group;
  __atomic_fetch_add(&group->ref_count, 1, __ATOMIC_RELAXED);
  iree_cy_mutex_lock(&group->lock);
  status = iree_status_clone(group->cancelled);
  if (iree_status_is_ok(status)) call_group_insert(group, out_operation);
  iree_cy_mutex_unlock(&group->lock);
  if (iree_status_is_ok(status)) return;
  out_operation->state = IREE_CY_OPERATION_STATE_CANCELLED;
  iree_hal_semaphore_list_fail(signals, status);
}

bool iree_cy_operation_start(iree_cy_operation_t* operation) {
  uint32_t parked = 0;
  if (!__atomic_compare_exchange_n(&operation->state, &parked,
                                   IREE_CY_OPERATION_STATE_RUNNING, false,
                                   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    return false;
  }
  iree_cy_gate_work_begin();
  return true;
}

// What a thread of the parent has started does not end in a forked child.
static bool call_operation_is_running(const iree_cy_operation_t* operation) {
  return (__atomic_load_n(&operation->state, __ATOMIC_RELAXED) &
          IREE_CY_OPERATION_STATE_RUNNING) &&
         operation->fork_generation == *iree_cy_fork_generation_pointer();
}

void iree_cy_operation_end(iree_cy_operation_t* operation) {
  if (call_operation_is_running(operation)) iree_cy_gate_work_end();
  iree_hal_call_group_t* group = (iree_hal_call_group_t*)operation->group;
  if (!group) return;
  operation->group = NULL;
  void (*idle)(void*) = NULL;
  void* idle_user_data = NULL;
  iree_cy_mutex_lock(&group->lock);
  // One that was cancelled while it was parked is out already.
  const bool is_counted = operation->state != IREE_CY_OPERATION_STATE_CANCELLED;
  if (is_counted) {
    idle = call_group_remove(group, operation);
    idle_user_data = group->idle_user_data;
  }
  iree_cy_mutex_unlock(&group->lock);
  if (is_counted) iree_cy_futex_wake(&group->operation_count, INT32_MAX);
  if (idle) idle(idle_user_data);
  call_group_release(group);
}

// An operation of a driver that does not begin them itself.
typedef struct call_record_t {
  iree_cy_operation_t operation;
  iree_hal_semaphore_list_t signals;
} call_record_t;

// Takes |status|: that it is decided is all that counts.
static void call_record_done(void* user_data, iree_status_t status) {
  call_record_t* record = (call_record_t*)user_data;
  const iree_allocator_t allocator = iree_allocator_system();
  iree_status_ignore(status);
  iree_cy_operation_end(&record->operation);
  iree_hal_semaphore_list_free(record->signals, allocator);
  iree_allocator_free(allocator, record);
}

void iree_hal_call_scope_note(iree_hal_call_scope_t* scope,
                              iree_hal_semaphore_list_t signals) {
  const iree_allocator_t allocator = iree_allocator_system();
  iree_status_t status = iree_hal_semaphore_list_poll(signals);
  const bool is_done = !iree_status_is_deferred(status);
  iree_status_ignore(status);
  if (is_done) return;
  call_record_t* record = NULL;
  status = iree_allocator_malloc(allocator, sizeof(*record), (void**)&record);
  if (iree_status_is_ok(status)) {
    status =
        iree_hal_semaphore_list_clone(signals, allocator, &record->signals);
  }
  if (!iree_status_is_ok(status)) {
    iree_allocator_free(allocator, record);
    iree_hal_semaphore_list_fail(signals, status);
    return;
  }
  iree_cy_operation_begin(record->signals, &record->operation);
  scope->is_taken = false;
  status = iree_hal_semaphore_list_notify(record->signals, call_record_done,
                                          record, allocator);
  if (!iree_status_is_ok(status)) {
    iree_hal_semaphore_list_fail(signals, iree_status_clone(status));
    call_record_done(record, status);
  }
}

//===-- ending --------------------------------------------------------------===

// Takes the first parked operation out of the group and out of its driver's
// reach, with a copy of its signals. False when there is none; then all that
// run have been told.
static bool call_group_take_parked(iree_hal_call_group_t* group,
                                   iree_hal_semaphore_list_t* out_signals,
                                   void (**out_idle)(void*)) {
  bool is_taken = false;
  *out_idle = NULL;
  iree_cy_mutex_lock(&group->lock);
  for (iree_cy_operation_t* operation = group->operations;
       operation && !is_taken; operation = operation->next) {
    // Nothing else adds this flag, and a driver adds the other one only.
    is_taken =
        __atomic_fetch_or(&operation->state, IREE_CY_OPERATION_STATE_CANCELLED,
                          __ATOMIC_ACQ_REL) == 0;
    if (!is_taken) continue;
    // The driver's copy is there until it has passed this lock. Without a copy
    // of ours it fails them when the operation would have run.
    iree_status_ignore(iree_hal_semaphore_list_clone(
        operation->signals, iree_allocator_system(), out_signals));
    *out_idle = call_group_remove(group, operation);
  }
  iree_cy_mutex_unlock(&group->lock);
  return is_taken;
}

void iree_hal_call_scope_cancel(iree_hal_call_scope_t* scope,
                                iree_status_t status) {
  iree_hal_call_group_t* group = scope->group;
  bool is_first = false;
  if (group) {
    iree_cy_mutex_lock(&group->lock);
    is_first = iree_status_is_ok(group->cancelled);
    if (is_first) {
      __atomic_store_n(&group->cancelled, status, __ATOMIC_RELEASE);
    }
    iree_cy_mutex_unlock(&group->lock);
  }
  if (!is_first) {
    iree_status_ignore(status);
    return;
  }
  iree_hal_semaphore_list_t signals;
  void (*idle)(void*) = NULL;
  while (call_group_take_parked(group, &signals, &idle)) {
    iree_cy_futex_wake(&group->operation_count, INT32_MAX);
    iree_hal_semaphore_list_fail(signals, iree_status_clone(status));
    iree_hal_semaphore_list_free(signals, iree_allocator_system());
    if (idle) idle(group->idle_user_data);
  }
}

bool iree_hal_call_scope_is_idle(const iree_hal_call_scope_t* scope) {
  const iree_hal_call_group_t* group = scope->group;
  // What the parent of a forked child had under way is not ours.
  return !group ||
         group->fork_generation != *iree_cy_fork_generation_pointer() ||
         __atomic_load_n(&group->operation_count, __ATOMIC_ACQUIRE) == 0;
}

// Waits until |deadline_ns| for one of the operations in the way of its driver,
// which may lend a hand.
static void call_group_help(iree_hal_call_group_t* group,
                            iree_time_t deadline_ns) {
  iree_hal_semaphore_list_t signals = iree_hal_semaphore_list_empty();
  iree_cy_mutex_lock(&group->lock);
  const uint32_t count = group->operation_count;
  if (group->operations) {
    iree_status_ignore(iree_hal_semaphore_list_clone(
        group->operations->signals, iree_allocator_system(), &signals));
  }
  iree_cy_mutex_unlock(&group->lock);
  iree_status_t status = iree_hal_semaphore_list_wait(
      signals, IREE_HAL_WAIT_MODE_ALL, iree_make_deadline(deadline_ns), 0);
  const bool is_late =
      iree_status_code(status) == IREE_STATUS_DEADLINE_EXCEEDED;
  iree_status_ignore(status);
  iree_hal_semaphore_list_free(signals, iree_allocator_system());
  // They may have failed while it runs, and it is ended before they are
  // signalled.
  if (!is_late && count) {
    iree_cy_futex_wait(&group->operation_count, count, deadline_ns);
  }
}

iree_status_t iree_hal_call_scope_finish(iree_hal_call_scope_t* scope,
                                         iree_status_t status) {
  bool is_failed = !iree_status_is_ok(status);
  if (is_failed) iree_hal_call_scope_cancel(scope, iree_status_clone(status));
  for (;;) {
    // What this thread has put off may be among what is waited for.
    iree_cy_defer_flush();
    if (iree_hal_call_scope_is_idle(scope)) return status;
    call_group_help(scope->group,
                    iree_time_now() + IREE_HAL_CALL_POLL_INTERVAL_NS);
    if (!is_failed) {
      status = call_scope_poll_at(scope, iree_time_now());
      is_failed = !iree_status_is_ok(status);
      if (is_failed) {
        iree_hal_call_scope_cancel(scope, iree_status_clone(status));
      }
    } else if (scope->interrupt) {
      iree_status_t again = scope->interrupt(scope->user_data);
      const bool is_interrupted = !iree_status_is_ok(again);
      iree_status_ignore(again);
      if (is_interrupted) return status;
    }
  }
}

iree_status_t iree_hal_call_scope_end(void* user_data, iree_status_t status) {
  if (iree_status_is_ok(status)) return status;
  return iree_hal_call_scope_finish((iree_hal_call_scope_t*)user_data, status);
}

iree_status_t iree_hal_call_scope_wait_fence(iree_hal_fence_t* fence) {
  const iree_hal_call_scope_t* scope = iree_hal_current_call_scope;
  for (;;) {
    iree_time_t until = IREE_TIME_INFINITE_FUTURE;
    if (scope) {
      until = iree_min(scope->deadline_ns,
                       iree_time_now() + IREE_HAL_CALL_POLL_INTERVAL_NS);
    }
    iree_status_t status =
        iree_hal_fence_wait(fence, iree_make_deadline(until), 0);
    if (iree_status_code(status) != IREE_STATUS_DEADLINE_EXCEEDED) {
      return status;
    }
    // It may also be what the fence has failed with.
    iree_status_ignore(status);
    status = iree_hal_fence_query(fence);
    if (!iree_status_is_deferred(status)) return status;
    iree_status_ignore(status);
    IREE_RETURN_IF_ERROR(iree_hal_call_scope_poll(NULL));
  }
}

void iree_hal_call_scope_notify_idle(iree_hal_call_scope_t* scope,
                                     void (*callback)(void* user_data),
                                     void* user_data) {
  iree_hal_call_group_t* group = scope->group;
  bool is_idle = true;
  if (group) {
    iree_cy_mutex_lock(&group->lock);
    is_idle = group->operation_count == 0;
    if (!is_idle) {
      group->idle = callback;
      group->idle_user_data = user_data;
    }
    iree_cy_mutex_unlock(&group->lock);
  }
  if (is_idle) callback(user_data);
}
