// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns blocking until all or any of several semaphores are reached.

#include "iree_cy/native/base/futex.h"
#include "iree_cy/native/base/gate.h"
#include "iree_cy/native/hal/defer.h"
#include "iree_cy/native/hal/semaphore_impl.h"

// How long one semaphore is waited for that only its driver can wait for, while
// others are wanted as well.
#define IREE_HAL_WAIT_SLICE_NS ((iree_duration_t)1000000)

typedef struct iree_hal_list_waiter_t {
  // The first failure; atomic, set once.
  iree_status_t failure;
  uint32_t reached_count;
  // Callbacks that are through; the futex word. The last thing that a callback
  // touches.
  uint32_t called_count;
  iree_hal_semaphore_timepoint_t timepoints[];
} iree_hal_list_waiter_t;

// Takes |status|.
static void iree_hal_list_waiter_note(iree_hal_list_waiter_t* waiter,
                                      iree_status_t status) {
  if (iree_status_is_ok(status)) {
    __atomic_fetch_add(&waiter->reached_count, 1, __ATOMIC_RELEASE);
    return;
  }
  iree_status_t expected = iree_ok_status();
  if (!__atomic_compare_exchange_n(&waiter->failure, &expected, status, false,
                                   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
    iree_status_free(status);
  }
}

static void iree_hal_list_waiter_timepoint(
    void* user_data, iree_hal_semaphore_timepoint_t* timepoint,
    iree_status_t status) {
  (void)timepoint;
  iree_hal_list_waiter_t* waiter = (iree_hal_list_waiter_t*)user_data;
  iree_hal_list_waiter_note(waiter, status);
  // After the addition the waiter may be gone; waking its address is then
  // harmless.
  const uint32_t* address = &waiter->called_count;
  __atomic_fetch_add(&waiter->called_count, 1, __ATOMIC_SEQ_CST);
  iree_cy_futex_wake(address, INT32_MAX);
}

static bool iree_hal_list_waiter_is_done(iree_hal_list_waiter_t* waiter,
                                         uint32_t wanted_count) {
  return __atomic_load_n(&waiter->reached_count, __ATOMIC_ACQUIRE) >=
             wanted_count ||
         !iree_status_is_ok(
             __atomic_load_n(&waiter->failure, __ATOMIC_ACQUIRE));
}

// Sleeps until |wanted_count| are reached, one has failed, or the deadline.
// |*waiter| is zeroed memory.
static iree_status_t iree_hal_list_wait_blocking(
    iree_hal_semaphore_list_t list, uint32_t wanted_count, iree_time_t deadline,
    iree_hal_list_waiter_t* waiter) {
  iree_hal_semaphore_timepoint_t* timepoints = waiter->timepoints;
  iree_host_size_t listed_count = 0;
  for (iree_host_size_t i = 0; i < list.count; ++i) {
    iree_status_t status = iree_ok_status();
    // A NULL callback marks one that was decided at once.
    if (iree_hal_semaphore_try_acquire_timepoint(
            list.semaphores[i], list.payload_values[i],
            iree_hal_list_waiter_timepoint, waiter, &timepoints[i], &status)) {
      timepoints[i].callback = NULL;
      iree_hal_list_waiter_note(waiter, status);
    }
    listed_count = i + 1;
    if (iree_hal_list_waiter_is_done(waiter, wanted_count)) break;
  }
  bool is_in_time = true;
  for (;;) {
    const uint32_t called =
        __atomic_load_n(&waiter->called_count, __ATOMIC_SEQ_CST);
    if (iree_hal_list_waiter_is_done(waiter, wanted_count) || !is_in_time) {
      break;
    }
    is_in_time = iree_cy_futex_wait(&waiter->called_count, called, deadline);
  }

  // Whoever cannot be cancelled has called or is just calling.
  uint32_t expected_count = 0;
  for (iree_host_size_t i = 0; i < listed_count; ++i) {
    if (timepoints[i].callback && !iree_hal_semaphore_cancel_timepoint(
                                      list.semaphores[i], &timepoints[i])) {
      ++expected_count;
    }
  }
  uint32_t called = 0;
  while ((called = __atomic_load_n(&waiter->called_count, __ATOMIC_SEQ_CST)) !=
         expected_count) {
    iree_cy_futex_wait(&waiter->called_count, called,
                       IREE_TIME_INFINITE_FUTURE);
  }

  if (waiter->reached_count >= wanted_count) {
    IREE_IGNORE_ERROR(waiter->failure);
    return iree_ok_status();
  }
  if (!iree_status_is_ok(waiter->failure)) return waiter->failure;
  return iree_make_status(IREE_STATUS_DEADLINE_EXCEEDED,
                          "%" PRIu32 " of %" PRIhsz
                          " semaphores reached their payloads in time; %" PRIu32
                          " had to",
                          waiter->reached_count, list.count, wanted_count);
}

// Whether any is reached, the failure when one has failed, else DEFERRED.
static iree_status_t iree_hal_semaphore_list_poll_any(
    iree_hal_semaphore_list_t list) {
  iree_status_t result = iree_status_from_code(IREE_STATUS_DEFERRED);
  for (iree_host_size_t i = 0; i < list.count; ++i) {
    const iree_hal_semaphore_list_t one = {1, &list.semaphores[i],
                                           &list.payload_values[i]};
    iree_status_t status = iree_hal_semaphore_list_poll(one);
    if (iree_status_is_ok(status)) {
      IREE_IGNORE_ERROR(result);
      return status;
    }
    if (iree_status_is_deferred(result)) {
      result = status;
    } else {
      IREE_IGNORE_ERROR(status);
    }
  }
  return result;
}

static iree_status_t iree_hal_semaphore_list_poll_mode(
    iree_hal_semaphore_list_t list, iree_hal_wait_mode_t wait_mode) {
  return wait_mode == IREE_HAL_WAIT_MODE_ANY
             ? iree_hal_semaphore_list_poll_any(list)
             : iree_hal_semaphore_list_poll(list);
}

// For lists with semaphores whose base does not advance by itself: their
// drivers' waits take turns.
static iree_status_t iree_hal_list_wait_in_turns(iree_hal_semaphore_list_t list,
                                                 iree_hal_wait_mode_t wait_mode,
                                                 iree_time_t deadline,
                                                 iree_hal_wait_flags_t flags) {
  for (iree_host_size_t i = 0;; i = (i + 1) % list.count) {
    iree_status_t status = iree_hal_semaphore_list_poll_mode(list, wait_mode);
    if (!iree_status_is_deferred(status)) return status;
    const iree_time_t now = iree_time_now();
    if (now >= deadline) {
      return iree_make_status(IREE_STATUS_DEADLINE_EXCEEDED,
                              "%" PRIhsz
                              " semaphores did not reach their payloads in "
                              "time",
                              list.count);
    }
    const iree_time_t slice_end = now + IREE_HAL_WAIT_SLICE_NS;
    status = iree_hal_semaphore_wait(
        list.semaphores[i], list.payload_values[i],
        iree_make_deadline(iree_min(deadline, slice_end)), flags);
    // What it means for the list is for the next poll to say; but a driver that
    // cannot wait at all must not be asked for ever.
    const iree_status_code_t code = iree_status_code(status);
    if (code == IREE_STATUS_UNIMPLEMENTED || code == IREE_STATUS_UNAVAILABLE) {
      return status;
    }
    IREE_IGNORE_ERROR(status);
  }
}

iree_status_t iree_hal_semaphore_list_wait(iree_hal_semaphore_list_t list,
                                           iree_hal_wait_mode_t wait_mode,
                                           iree_timeout_t timeout,
                                           iree_hal_wait_flags_t flags) {
  if (IREE_UNLIKELY(wait_mode > IREE_HAL_WAIT_MODE_ANY)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "there is no wait mode %" PRIu32, wait_mode);
  }
  IREE_RETURN_IF_ERROR(iree_hal_semaphore_list_validate(list, "wait"));
  IREE_RETURN_IF_ERROR(iree_cy_gate_pass());
  if (list.count == 0) return iree_ok_status();
  if (list.count == 1) {
    return iree_hal_semaphore_wait(list.semaphores[0], list.payload_values[0],
                                   timeout, flags);
  }
  const iree_time_t deadline = iree_timeout_as_deadline_ns(timeout);
  iree_status_t status = iree_hal_semaphore_list_poll_mode(list, wait_mode);
  if (!iree_status_is_deferred(status)) return status;
  if (deadline == IREE_TIME_INFINITE_PAST) {
    return iree_status_from_code(IREE_STATUS_DEADLINE_EXCEEDED);
  }
  iree_cy_defer_flush();
  for (iree_host_size_t i = 0; i < list.count; ++i) {
    if (iree_hal_semaphore_vtable(list.semaphores[i])->wait !=
            iree_hal_semaphore_default_wait &&
        !iree_all_bits_set(list.semaphores[i]->flags,
                           IREE_CY_HAL_SEMAPHORE_FLAG_HOST_ADVANCED)) {
      return iree_hal_list_wait_in_turns(list, wait_mode, deadline, flags);
    }
  }

  // Not on the stack: in a child that is forked meanwhile the semaphores still
  // know it, and the stack may be another thread's.
  iree_hal_list_waiter_t* waiter = NULL;
  iree_host_size_t size = 0;
  if (list.count > UINT32_MAX ||
      !iree_host_size_checked_mul(
          list.count, sizeof(iree_hal_semaphore_timepoint_t), &size) ||
      !iree_host_size_checked_add(size, sizeof(*waiter), &size)) {
    return iree_make_status(
        IREE_STATUS_OUT_OF_RANGE,
        "%" PRIhsz " semaphores are more than one wait can hold", list.count);
  }
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc(iree_allocator_system(), size, (void**)&waiter));
  status = iree_hal_list_wait_blocking(
      list, wait_mode == IREE_HAL_WAIT_MODE_ANY ? 1u : (uint32_t)list.count,
      deadline, waiter);
  iree_allocator_free(iree_allocator_system(), waiter);
  return status;
}
