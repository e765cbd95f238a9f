// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the call lock: one word, and a futex for those who wait.

#include "iree_cy/native/vm/call_lock.h"

#include "iree_cy/native/base/futex.h"
#include "iree_cy/native/base/gate.h"
#include "iree_cy/native/base/mutex.h"

// The word is 0 when free, else the holder's mark (which differs in a forked
// child) with one of these.
#define IREE_CY_VM_CALL_LOCK_HELD 1u
#define IREE_CY_VM_CALL_LOCK_WAITED_FOR 2u
#define IREE_CY_VM_CALL_LOCK_STATE_MASK 3u

// How long an exiting process waits for a call of another thread, which may
// never end: the thread may be gone.
#define IREE_CY_VM_CALL_LOCK_EXIT_PATIENCE_NS ((iree_duration_t)300000000)

static iree_status_t iree_cy_vm_call_lock_poll(
    const iree_cy_vm_call_options_t* options, iree_time_t* out_wake_ns) {
  *out_wake_ns = options->deadline_ns;
  if (options->interrupt) {
    IREE_RETURN_IF_ERROR(options->interrupt(options->interrupt_user_data));
  } else if (options->deadline_ns == IREE_TIME_INFINITE_FUTURE) {
    return iree_ok_status();
  }
  const iree_time_t now = iree_time_now();
  if (now >= options->deadline_ns) {
    return iree_make_status(
        IREE_STATUS_DEADLINE_EXCEEDED,
        "another call into the context has not ended within this call's time");
  }
  if (options->interrupt) {
    *out_wake_ns =
        iree_min(options->deadline_ns, now + IREE_CY_VM_POLL_INTERVAL_NS);
  }
  return iree_ok_status();
}

static iree_status_t iree_cy_vm_call_lock_check_exit(
    iree_time_t* inout_give_up_ns) {
  if (!iree_cy_gate_is_exiting()) return iree_ok_status();
  const iree_time_t now = iree_time_now();
  if (*inout_give_up_ns == IREE_TIME_INFINITE_FUTURE) {
    *inout_give_up_ns = now + IREE_CY_VM_CALL_LOCK_EXIT_PATIENCE_NS;
  }
  if (now < *inout_give_up_ns) return iree_ok_status();
  return iree_make_status(
      IREE_STATUS_ABORTED,
      "the process is exiting, and the context is inside a call of another "
      "thread that does not end");
}

static iree_status_t iree_cy_vm_call_lock_acquire_slow(
    uint32_t* word, uint32_t mark, const iree_cy_vm_call_options_t* options) {
  const uint32_t waited_for = mark | IREE_CY_VM_CALL_LOCK_WAITED_FOR;
  uint32_t seen = __atomic_load_n(word, __ATOMIC_RELAXED);
  iree_time_t give_up_ns = IREE_TIME_INFINITE_FUTURE;
  for (;;) {
    if (seen == 0) {
      // Others may wait as well, so whoever releases has to look.
      if (__atomic_compare_exchange_n(word, &seen, waited_for, /*weak=*/false,
                                      __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
        return iree_ok_status();
      }
      continue;
    }
    if ((seen & ~IREE_CY_VM_CALL_LOCK_STATE_MASK) != mark) {
      return iree_make_status(
          IREE_STATUS_ABORTED,
          "the context was inside a call of another thread when the process "
          "forked; make a new one");
    }
    if (seen != waited_for &&
        !__atomic_compare_exchange_n(word, &seen, waited_for, /*weak=*/false,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      continue;
    }
    iree_time_t wake_ns = 0;
    IREE_RETURN_IF_ERROR(iree_cy_vm_call_lock_poll(options, &wake_ns));
    IREE_RETURN_IF_ERROR(iree_cy_vm_call_lock_check_exit(&give_up_ns));
    iree_cy_futex_wait(word, waited_for, wake_ns);
    seen = __atomic_load_n(word, __ATOMIC_RELAXED);
  }
}

iree_status_t iree_cy_vm_call_lock_acquire(
    iree_vm_context_t* context, const iree_cy_vm_call_options_t* options) {
  const uint32_t mark =
      __atomic_load_n(&iree_cy_mutex_holder_mark, __ATOMIC_RELAXED);
  uint32_t expected = 0;
  if (IREE_LIKELY(__atomic_compare_exchange_n(
          &context->call_lock, &expected, mark | IREE_CY_VM_CALL_LOCK_HELD,
          /*weak=*/false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))) {
    return iree_ok_status();
  }
  return iree_cy_vm_call_lock_acquire_slow(&context->call_lock, mark, options);
}

void iree_cy_vm_call_lock_release(iree_vm_context_t* context) {
  const uint32_t old =
      __atomic_exchange_n(&context->call_lock, 0, __ATOMIC_RELEASE);
  if ((old & IREE_CY_VM_CALL_LOCK_STATE_MASK) ==
      IREE_CY_VM_CALL_LOCK_WAITED_FOR) {
    iree_cy_futex_wake(&context->call_lock, 1);
  }
}
