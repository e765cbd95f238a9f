// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the call lock: one word, and a futex for those who wait.

// For syscall.
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif  // !_GNU_SOURCE

#include "iree_cy/native/vm/call_lock.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "iree_cy/base/time.h"

// States of the word.
#define IREE_CY_VM_CALL_LOCK_FREE 0u
#define IREE_CY_VM_CALL_LOCK_HELD 1u
#define IREE_CY_VM_CALL_LOCK_WAITED_FOR 2u

static iree_status_t iree_cy_vm_call_lock_poll(
    const iree_cy_vm_call_options_t* options) {
  if (options->interrupt) {
    IREE_RETURN_IF_ERROR(options->interrupt(options->interrupt_user_data));
  }
  if (options->deadline_ns != IREE_TIME_INFINITE_FUTURE &&
      iree_time_now() >= options->deadline_ns) {
    return iree_make_status(
        IREE_STATUS_DEADLINE_EXCEEDED,
        "another call into the context has not ended within this call's time");
  }
  return iree_ok_status();
}

// Sleeps while the word says that somebody waits, until it is time to poll.
static void iree_cy_vm_call_lock_wait(
    uint32_t* word, const iree_cy_vm_call_options_t* options) {
  struct timespec timeout;
  struct timespec* timeout_ptr = NULL;
  int64_t nanos = INT64_MAX;
  if (options->interrupt) nanos = IREE_CY_VM_POLL_INTERVAL_NS;
  if (options->deadline_ns != IREE_TIME_INFINITE_FUTURE) {
    // A deadline in the infinite past would overflow the difference.
    int64_t left = iree_max(options->deadline_ns, 0) - iree_time_now();
    nanos = iree_min(nanos, iree_max(left, 0));
  }
  if (nanos != INT64_MAX) {
    timeout.tv_sec = (time_t)(nanos / 1000000000);
    timeout.tv_nsec = (long)(nanos % 1000000000);
    timeout_ptr = &timeout;
  }
  // Whatever ends the sleep, the caller looks again.
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, IREE_CY_VM_CALL_LOCK_WAITED_FOR,
          timeout_ptr, NULL, 0);
}

iree_status_t iree_cy_vm_call_lock_acquire(
    iree_vm_context_t* context, const iree_cy_vm_call_options_t* options) {
  uint32_t* word = &context->call_lock;
  uint32_t expected = IREE_CY_VM_CALL_LOCK_FREE;
  if (IREE_LIKELY(__atomic_compare_exchange_n(
          word, &expected, IREE_CY_VM_CALL_LOCK_HELD, /*weak=*/false,
          __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))) {
    return iree_ok_status();
  }
  while (__atomic_exchange_n(word, IREE_CY_VM_CALL_LOCK_WAITED_FOR,
                             __ATOMIC_ACQUIRE) != IREE_CY_VM_CALL_LOCK_FREE) {
    IREE_RETURN_IF_ERROR(iree_cy_vm_call_lock_poll(options));
    iree_cy_vm_call_lock_wait(word, options);
  }
  return iree_ok_status();
}

void iree_cy_vm_call_lock_release(iree_vm_context_t* context) {
  uint32_t* word = &context->call_lock;
  if (__atomic_exchange_n(word, IREE_CY_VM_CALL_LOCK_FREE, __ATOMIC_RELEASE) ==
      IREE_CY_VM_CALL_LOCK_WAITED_FOR) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  }
}
