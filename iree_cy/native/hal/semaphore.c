// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the timeline itself: payload, failure, timepoints, and waiting for one
// semaphore.

#include "iree_cy/hal/semaphore.h"

#include "iree_cy/hal/device.h"
#include "iree_cy/native/base/futex.h"
#include "iree_cy/native/base/gate.h"
#include "iree_cy/native/base/mutex.h"
#include "iree_cy/native/hal/call_scope.h"
#include "iree_cy/native/hal/defer.h"
#include "iree_cy/native/hal/semaphore_impl.h"

//===-- timepoints ----------------------------------------------------------===

// reserved[0] of a timepoint: whether it is in its semaphore's list. Written
// under the semaphore's lock.
enum { TIMEPOINT_FREE = 0, TIMEPOINT_LISTED = 1 };

// The list is sorted by payload, equal ones in the order they came, so that a
// signal looks only at what it decides. The first one's |previous| is the last:
// a chain submitted in its order is added at the end in constant time.
static void iree_hal_semaphore_list_insert(
    iree_hal_semaphore_t* semaphore,
    iree_hal_semaphore_timepoint_t* timepoint) {
  iree_hal_semaphore_timepoint_t* first = semaphore->timepoints;
  timepoint->reserved[0] = TIMEPOINT_LISTED;
  if (!first || timepoint->minimum_value < first->minimum_value) {
    timepoint->next = first;
    timepoint->previous = first ? first->previous : timepoint;
    if (first) first->previous = timepoint;
    __atomic_store_n(&semaphore->timepoints, timepoint, __ATOMIC_SEQ_CST);
    return;
  }
  iree_hal_semaphore_timepoint_t* after = first->previous;
  while (after->minimum_value > timepoint->minimum_value) {
    after = after->previous;
  }
  timepoint->next = after->next;
  timepoint->previous = after;
  if (after->next) {
    after->next->previous = timepoint;
  } else {
    first->previous = timepoint;
  }
  after->next = timepoint;
}

static void iree_hal_semaphore_list_remove(
    iree_hal_semaphore_t* semaphore,
    iree_hal_semaphore_timepoint_t* timepoint) {
  iree_hal_semaphore_timepoint_t* first = semaphore->timepoints;
  timepoint->reserved[0] = TIMEPOINT_FREE;
  if (timepoint == first) {
    if (first->next) first->next->previous = first->previous;
    __atomic_store_n(&semaphore->timepoints, first->next, __ATOMIC_SEQ_CST);
    return;
  }
  timepoint->previous->next = timepoint->next;
  if (timepoint->next) {
    timepoint->next->previous = timepoint->previous;
  } else {
    first->previous = timepoint->previous;
  }
}

// Removes the timepoints with a payload of at most |value| and returns them,
// linked by |next|.
static iree_hal_semaphore_timepoint_t* iree_hal_semaphore_take_reached(
    iree_hal_semaphore_t* semaphore, uint64_t value) {
  iree_hal_semaphore_timepoint_t* first = semaphore->timepoints;
  iree_hal_semaphore_timepoint_t* last = NULL;
  iree_hal_semaphore_timepoint_t* rest = first;
  while (rest && rest->minimum_value <= value) {
    rest->reserved[0] = TIMEPOINT_FREE;
    last = rest;
    rest = rest->next;
  }
  if (!last) return NULL;
  if (rest) rest->previous = first->previous;
  last->next = NULL;
  __atomic_store_n(&semaphore->timepoints, rest, __ATOMIC_SEQ_CST);
  return first;
}

// Calls back each of |timepoints| with a clone of |failure|. No lock is held.
static void iree_hal_semaphore_issue(iree_hal_semaphore_timepoint_t* timepoints,
                                     iree_status_t failure) {
  while (timepoints) {
    iree_hal_semaphore_timepoint_t* timepoint = timepoints;
    timepoints = timepoint->next;
    timepoint->callback(timepoint->user_data, timepoint,
                        iree_status_clone(failure));
  }
}

bool iree_hal_semaphore_try_acquire_timepoint(
    iree_hal_semaphore_t* semaphore, uint64_t minimum_value,
    iree_hal_semaphore_timepoint_fn_t callback, void* user_data,
    iree_hal_semaphore_timepoint_t* out_timepoint, iree_status_t* out_status) {
  memset(out_timepoint, 0, sizeof(*out_timepoint));
  out_timepoint->minimum_value = minimum_value;
  out_timepoint->callback = callback;
  out_timepoint->user_data = user_data;
  *out_status = iree_ok_status();

  iree_cy_mutex_lock(&semaphore->lock);
  // Listed first and looked at afterwards: one who signals in between sees the
  // list and then waits for the lock.
  iree_hal_semaphore_list_insert(semaphore, out_timepoint);
  const iree_status_t failure = iree_hal_semaphore_failure(semaphore);
  const bool is_decided =
      !iree_status_is_ok(failure) ||
      iree_hal_semaphore_is_reached(semaphore, minimum_value);
  if (is_decided) iree_hal_semaphore_list_remove(semaphore, out_timepoint);
  iree_cy_mutex_unlock(&semaphore->lock);

  if (is_decided) {
    *out_status = iree_status_clone(failure);
  } else {
    iree_hal_semaphore_vtable(semaphore)->watch(semaphore, minimum_value);
  }
  return is_decided;
}

void iree_hal_semaphore_acquire_timepoint(
    iree_hal_semaphore_t* semaphore, uint64_t minimum_value,
    iree_hal_semaphore_timepoint_fn_t callback, void* user_data,
    iree_hal_semaphore_timepoint_t* out_timepoint) {
  iree_status_t status = iree_ok_status();
  if (iree_hal_semaphore_try_acquire_timepoint(semaphore, minimum_value,
                                               callback, user_data,
                                               out_timepoint, &status)) {
    callback(user_data, out_timepoint, status);
  }
}

bool iree_hal_semaphore_cancel_timepoint(
    iree_hal_semaphore_t* semaphore,
    iree_hal_semaphore_timepoint_t* timepoint) {
  iree_cy_mutex_lock(&semaphore->lock);
  const bool is_listed = timepoint->reserved[0] == TIMEPOINT_LISTED;
  if (is_listed) iree_hal_semaphore_list_remove(semaphore, timepoint);
  iree_cy_mutex_unlock(&semaphore->lock);
  return is_listed;
}

//===-- advancing and failing -----------------------------------------------===

static void iree_hal_semaphore_wake(iree_hal_semaphore_t* semaphore) {
  if (__atomic_load_n(&semaphore->waiter_count, __ATOMIC_SEQ_CST) == 0) return;
  __atomic_fetch_add(&semaphore->epoch, 1, __ATOMIC_SEQ_CST);
  iree_cy_futex_wake(&semaphore->epoch, INT32_MAX);
}

// Returns false when the payload was |new_value| or more already.
static bool iree_hal_semaphore_advance(iree_hal_semaphore_t* semaphore,
                                       uint64_t new_value) {
  uint64_t current =
      __atomic_load_n(&semaphore->current_value, __ATOMIC_RELAXED);
  do {
    if (current >= new_value) return false;
  } while (!__atomic_compare_exchange_n(&semaphore->current_value, &current,
                                        new_value, true, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED));
  iree_hal_semaphore_wake(semaphore);
  if (!__atomic_load_n(&semaphore->timepoints, __ATOMIC_SEQ_CST)) return true;

  iree_cy_mutex_lock(&semaphore->lock);
  iree_hal_semaphore_timepoint_t* reached =
      iree_hal_semaphore_take_reached(semaphore, new_value);
  iree_cy_mutex_unlock(&semaphore->lock);
  if (!reached) return true;
  iree_cy_defer_scope_enter();
  iree_hal_semaphore_issue(reached, iree_ok_status());
  iree_cy_defer_scope_leave();
  return true;
}

void iree_hal_semaphore_publish(iree_hal_semaphore_t* semaphore,
                                uint64_t new_value) {
  iree_hal_semaphore_advance(semaphore, new_value);
}

void iree_hal_semaphore_fail(iree_hal_semaphore_t* semaphore,
                             iree_status_t status) {
  if (iree_status_is_ok(status)) return;
  if (!semaphore) {
    iree_status_free(status);
    return;
  }
  iree_status_t expected = iree_ok_status();
  if (!__atomic_compare_exchange_n(&semaphore->failure, &expected, status,
                                   false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    iree_status_free(status);
    return;
  }
  iree_hal_semaphore_wake(semaphore);
  iree_cy_mutex_lock(&semaphore->lock);
  iree_hal_semaphore_timepoint_t* waiting =
      iree_hal_semaphore_take_reached(semaphore, UINT64_MAX);
  iree_cy_mutex_unlock(&semaphore->lock);
  iree_cy_defer_scope_enter();
  iree_hal_semaphore_issue(waiting, status);
  iree_hal_semaphore_vtable(semaphore)->failed(semaphore);
  iree_cy_defer_scope_leave();
}

static iree_status_t iree_hal_semaphore_not_greater(
    iree_hal_semaphore_t* semaphore, uint64_t new_value) {
  return iree_make_status(
      IREE_STATUS_INVALID_ARGUMENT,
      "a semaphore at %" PRIu64 " cannot be signalled to %" PRIu64
      "; payloads only grow",
      __atomic_load_n(&semaphore->current_value, __ATOMIC_RELAXED), new_value);
}

iree_status_t iree_hal_semaphore_signal(iree_hal_semaphore_t* semaphore,
                                        uint64_t new_value) {
  if (IREE_UNLIKELY(!semaphore)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "the semaphore to signal is null");
  }
  const iree_status_t failure = iree_hal_semaphore_failure(semaphore);
  if (IREE_UNLIKELY(!iree_status_is_ok(failure))) {
    return iree_status_clone(failure);
  }
  if (IREE_UNLIKELY(new_value > IREE_HAL_SEMAPHORE_MAX_VALUE)) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "a semaphore payload of %" PRIu64
                            " is above the largest, %llu",
                            new_value, IREE_HAL_SEMAPHORE_MAX_VALUE);
  }
  if (IREE_UNLIKELY(iree_hal_semaphore_is_reached(semaphore, new_value))) {
    return iree_hal_semaphore_not_greater(semaphore, new_value);
  }
  return iree_hal_semaphore_vtable(semaphore)->signal(semaphore, new_value);
}

//===-- asking and waiting --------------------------------------------------===

iree_status_t iree_hal_semaphore_query(iree_hal_semaphore_t* semaphore,
                                       uint64_t* out_value) {
  if (IREE_UNLIKELY(!semaphore || !out_value)) {
    if (out_value) *out_value = 0;
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "a semaphore query needs a semaphore and a place "
                            "for its payload");
  }
  *out_value = 0;
  IREE_RETURN_IF_ERROR(
      iree_hal_semaphore_vtable(semaphore)->refresh(semaphore));
  const iree_status_t failure = iree_hal_semaphore_failure(semaphore);
  if (IREE_UNLIKELY(!iree_status_is_ok(failure))) {
    *out_value = IREE_HAL_SEMAPHORE_FAILURE_VALUE;
    return iree_status_clone(failure);
  }
  *out_value = __atomic_load_n(&semaphore->current_value, __ATOMIC_ACQUIRE);
  return iree_ok_status();
}

iree_status_t iree_hal_semaphore_wait(iree_hal_semaphore_t* semaphore,
                                      uint64_t value, iree_timeout_t timeout,
                                      iree_hal_wait_flags_t flags) {
  if (IREE_UNLIKELY(!semaphore)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "the semaphore to wait for is null");
  }
  IREE_RETURN_IF_ERROR(iree_cy_gate_pass());
  // A driver's wait may help with work of other calls.
  iree_hal_call_scope_t* scope = iree_hal_call_scope_swap(NULL);
  iree_status_t status = iree_hal_semaphore_vtable(semaphore)->wait(
      semaphore, value, timeout, flags);
  iree_hal_call_scope_swap(scope);
  return status;
}

iree_status_t iree_hal_semaphore_default_wait(iree_hal_semaphore_t* semaphore,
                                              uint64_t value,
                                              iree_timeout_t timeout,
                                              iree_hal_wait_flags_t flags) {
  (void)flags;
  IREE_RETURN_IF_ERROR(
      iree_hal_semaphore_vtable(semaphore)->refresh(semaphore));
  iree_status_t failure = iree_hal_semaphore_failure(semaphore);
  bool is_reached = iree_hal_semaphore_is_reached(semaphore, value);
  if (!is_reached && iree_status_is_ok(failure)) {
    const iree_time_t deadline = iree_timeout_as_deadline_ns(timeout);
    // Polling makes no message.
    if (deadline == IREE_TIME_INFINITE_PAST) {
      return iree_status_from_code(IREE_STATUS_DEADLINE_EXCEEDED);
    }
    // What this thread has put off may be what it is about to wait for.
    iree_cy_defer_flush();
    iree_hal_semaphore_vtable(semaphore)->watch(semaphore, value);
    __atomic_fetch_add(&semaphore->waiter_count, 1, __ATOMIC_SEQ_CST);
    bool is_in_time = true;
    for (;;) {
      const uint32_t epoch =
          __atomic_load_n(&semaphore->epoch, __ATOMIC_SEQ_CST);
      failure = iree_hal_semaphore_failure(semaphore);
      is_reached = iree_hal_semaphore_is_reached(semaphore, value);
      if (is_reached || !iree_status_is_ok(failure) || !is_in_time) break;
      is_in_time = iree_cy_futex_wait(&semaphore->epoch, epoch, deadline);
    }
    __atomic_fetch_sub(&semaphore->waiter_count, 1, __ATOMIC_SEQ_CST);
  }
  if (!iree_status_is_ok(failure)) return iree_status_clone(failure);
  if (is_reached) return iree_ok_status();
  return iree_make_status(
      IREE_STATUS_DEADLINE_EXCEEDED,
      "a semaphore did not reach %" PRIu64 " in time; it is at %" PRIu64, value,
      __atomic_load_n(&semaphore->current_value, __ATOMIC_RELAXED));
}

//===-- life ----------------------------------------------------------------===

iree_status_t iree_hal_semaphore_create(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    uint64_t initial_value, iree_hal_semaphore_flags_t flags,
    iree_hal_semaphore_t** out_semaphore) {
  if (IREE_UNLIKELY(!device || !out_semaphore)) {
    if (out_semaphore) *out_semaphore = NULL;
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "creating a semaphore needs a device and a place "
                            "for it");
  }
  *out_semaphore = NULL;
  IREE_RETURN_IF_ERROR(iree_cy_gate_pass());
  if (IREE_UNLIKELY(initial_value > IREE_HAL_SEMAPHORE_MAX_VALUE)) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "a semaphore payload of %" PRIu64
                            " is above the largest, %llu",
                            initial_value, IREE_HAL_SEMAPHORE_MAX_VALUE);
  }
  iree_status_t status =
      ((const iree_hal_device_vtable_t*)device->resource.vtable)
          ->create_semaphore(device, queue_affinity, initial_value, flags,
                             out_semaphore);
  return iree_cy_check_result(status, *out_semaphore, device,
                              "iree_hal_device_t.create_semaphore",
                              "semaphore");
}

void iree_hal_semaphore_retain(iree_hal_semaphore_t* semaphore) {
  iree_hal_resource_retain(semaphore);
}

void iree_hal_semaphore_release(iree_hal_semaphore_t* semaphore) {
  iree_hal_resource_release(semaphore);
}

void iree_hal_semaphore_initialize(const iree_hal_semaphore_vtable_t* vtable,
                                   iree_hal_device_t* device,
                                   uint64_t initial_value,
                                   iree_hal_semaphore_flags_t flags,
                                   iree_hal_semaphore_t* semaphore) {
  memset(semaphore, 0, sizeof(*semaphore));
  iree_hal_resource_initialize(vtable, &semaphore->resource);
  semaphore->current_value = initial_value;
  semaphore->flags = flags;
  semaphore->device = device;
}

void iree_hal_semaphore_deinitialize(iree_hal_semaphore_t* semaphore) {
  iree_cy_mutex_lock(&semaphore->lock);
  iree_hal_semaphore_timepoint_t* waiting =
      iree_hal_semaphore_take_reached(semaphore, UINT64_MAX);
  iree_cy_mutex_unlock(&semaphore->lock);
  iree_status_t failure = semaphore->failure;
  semaphore->failure = iree_ok_status();
  if (!waiting) {
    IREE_IGNORE_ERROR(failure);
    return;
  }
  if (iree_status_is_ok(failure)) {
    failure = iree_make_status(
        IREE_STATUS_ABORTED,
        "a semaphore at %" PRIu64
        " was destroyed while an operation waited for it to reach %" PRIu64,
        semaphore->current_value, waiting->minimum_value);
  }
  iree_cy_defer_scope_enter();
  iree_hal_semaphore_issue(waiting, failure);
  iree_cy_defer_scope_leave();
  iree_status_free(failure);
}

//===-- defaults and the host's semaphore -----------------------------------===

static iree_status_t iree_hal_semaphore_default_refresh(
    iree_hal_semaphore_t* semaphore) {
  (void)semaphore;
  return iree_ok_status();
}

static iree_status_t iree_hal_semaphore_default_signal(
    iree_hal_semaphore_t* semaphore, uint64_t new_value) {
  // Another thread may have signalled since the caller looked.
  if (IREE_UNLIKELY(!iree_hal_semaphore_advance(semaphore, new_value))) {
    return iree_hal_semaphore_not_greater(semaphore, new_value);
  }
  return iree_ok_status();
}

static void iree_hal_semaphore_default_failed(iree_hal_semaphore_t* semaphore) {
  (void)semaphore;
}

static void iree_hal_semaphore_default_watch(iree_hal_semaphore_t* semaphore,
                                             uint64_t value) {
  (void)semaphore, (void)value;
}

static iree_status_t iree_hal_semaphore_default_import_timepoint(
    iree_hal_semaphore_t* semaphore, uint64_t value, uint32_t type,
    uint64_t handle) {
  (void)value, (void)type, (void)handle;
  return iree_cy_unimplemented_entry(semaphore,
                                     "iree_hal_semaphore_t.import_timepoint");
}

static iree_status_t iree_hal_semaphore_default_export_timepoint(
    iree_hal_semaphore_t* semaphore, uint64_t value, uint32_t type,
    uint64_t* out_handle) {
  (void)value, (void)type;
  *out_handle = 0;
  return iree_cy_unimplemented_entry(semaphore,
                                     "iree_hal_semaphore_t.export_timepoint");
}

#define IREE_HAL_SEMAPHORE_DEFAULT_ENTRIES                         \
  .header = {.size = sizeof(iree_hal_semaphore_vtable_t),          \
             .kind = IREE_CY_OBJECT_KIND_SEMAPHORE},               \
  .refresh = iree_hal_semaphore_default_refresh,                   \
  .signal = iree_hal_semaphore_default_signal,                     \
  .failed = iree_hal_semaphore_default_failed,                     \
  .wait = iree_hal_semaphore_default_wait,                         \
  .import_timepoint = iree_hal_semaphore_default_import_timepoint, \
  .export_timepoint = iree_hal_semaphore_default_export_timepoint, \
  .watch = iree_hal_semaphore_default_watch

const iree_hal_semaphore_vtable_t iree_cy_semaphore_vtable_defaults = {
    IREE_HAL_SEMAPHORE_DEFAULT_ENTRIES,
};

typedef struct iree_hal_host_semaphore_t {
  iree_hal_semaphore_t base;
  iree_allocator_t host_allocator;
} iree_hal_host_semaphore_t;

static void iree_hal_host_semaphore_destroy(iree_hal_semaphore_t* base) {
  iree_hal_host_semaphore_t* semaphore = (iree_hal_host_semaphore_t*)base;
  iree_hal_semaphore_deinitialize(base);
  iree_allocator_free(semaphore->host_allocator, semaphore);
}

static const iree_hal_semaphore_vtable_t iree_hal_host_semaphore_vtable = {
    IREE_HAL_SEMAPHORE_DEFAULT_ENTRIES,
    .destroy = iree_hal_host_semaphore_destroy,
};

iree_status_t iree_hal_host_semaphore_create(
    iree_hal_device_t* device, uint64_t initial_value,
    iree_hal_semaphore_flags_t flags, iree_allocator_t host_allocator,
    iree_hal_semaphore_t** out_semaphore) {
  iree_hal_host_semaphore_t* semaphore = NULL;
  *out_semaphore = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(host_allocator, sizeof(*semaphore),
                                             (void**)&semaphore));
  iree_hal_semaphore_initialize(&iree_hal_host_semaphore_vtable, device,
                                initial_value, flags, &semaphore->base);
  semaphore->host_allocator = host_allocator;
  *out_semaphore = &semaphore->base;
  return iree_ok_status();
}
