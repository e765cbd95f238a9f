// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what is done with several semaphores at once: polling, signalling and
// being notified.

#include "iree_cy/native/hal/defer.h"
#include "iree_cy/native/hal/semaphore_impl.h"

//===-- lists ---------------------------------------------------------------===

void iree_hal_semaphore_list_retain(iree_hal_semaphore_list_t list) {
  for (iree_host_size_t i = 0; i < list.count; ++i) {
    iree_hal_semaphore_retain(list.semaphores[i]);
  }
}

void iree_hal_semaphore_list_release(iree_hal_semaphore_list_t list) {
  for (iree_host_size_t i = 0; i < list.count; ++i) {
    iree_hal_semaphore_release(list.semaphores[i]);
  }
}

iree_status_t iree_hal_semaphore_list_clone(
    iree_hal_semaphore_list_t list, iree_allocator_t host_allocator,
    iree_hal_semaphore_list_t* out_list) {
  *out_list = iree_hal_semaphore_list_empty();
  if (!list.count) return iree_ok_status();
  IREE_RETURN_IF_ERROR(iree_hal_semaphore_list_validate(list, "cloned"));
  void* memory = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc_array(
      host_allocator, list.count,
      sizeof(*list.payload_values) + sizeof(*list.semaphores), &memory));
  out_list->count = list.count;
  out_list->payload_values = (uint64_t*)memory;
  out_list->semaphores =
      (iree_hal_semaphore_t**)(out_list->payload_values + list.count);
  memcpy(out_list->payload_values, list.payload_values,
         list.count * sizeof(*list.payload_values));
  memcpy(out_list->semaphores, list.semaphores,
         list.count * sizeof(*list.semaphores));
  iree_hal_semaphore_list_retain(*out_list);
  return iree_ok_status();
}

void iree_hal_semaphore_list_free(iree_hal_semaphore_list_t list,
                                  iree_allocator_t host_allocator) {
  iree_hal_semaphore_list_release(list);
  iree_allocator_free(host_allocator, list.payload_values);
}

iree_status_t iree_hal_semaphore_list_validate(iree_hal_semaphore_list_t list,
                                               const char* role) {
  if (!list.count) return iree_ok_status();
  if (IREE_UNLIKELY(!list.semaphores || !list.payload_values)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "a %s list of %" PRIhsz
                            " semaphores has no semaphores or no payloads",
                            role, list.count);
  }
  for (iree_host_size_t i = 0; i < list.count; ++i) {
    if (IREE_UNLIKELY(!list.semaphores[i])) {
      return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                              "semaphore %" PRIhsz " of a %s list is null", i,
                              role);
    }
    if (IREE_UNLIKELY(list.payload_values[i] > IREE_HAL_SEMAPHORE_MAX_VALUE)) {
      return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                              "payload %" PRIhsz " of a %s list, %" PRIu64
                              ", is above the largest, %llu",
                              i, role, list.payload_values[i],
                              IREE_HAL_SEMAPHORE_MAX_VALUE);
    }
  }
  return iree_ok_status();
}

iree_status_t iree_hal_semaphore_list_poll(iree_hal_semaphore_list_t list) {
  bool is_reached = true;
  for (iree_host_size_t i = 0; i < list.count; ++i) {
    iree_hal_semaphore_t* semaphore = list.semaphores[i];
    IREE_RETURN_IF_ERROR(
        iree_hal_semaphore_vtable(semaphore)->refresh(semaphore));
    const iree_status_t failure = iree_hal_semaphore_failure(semaphore);
    if (IREE_UNLIKELY(!iree_status_is_ok(failure))) {
      return iree_status_clone(failure);
    }
    is_reached = is_reached && iree_hal_semaphore_is_reached(
                                   semaphore, list.payload_values[i]);
  }
  return is_reached ? iree_ok_status()
                    : iree_status_from_code(IREE_STATUS_DEFERRED);
}

iree_status_t iree_hal_semaphore_list_signal(iree_hal_semaphore_list_t list) {
  iree_status_t status = iree_ok_status();
  // What waits for several of them runs once all are there.
  iree_cy_defer_scope_enter();
  for (iree_host_size_t i = 0; i < list.count; ++i) {
    status = iree_status_join(
        status,
        iree_hal_semaphore_signal(list.semaphores[i], list.payload_values[i]));
  }
  iree_cy_defer_scope_leave();
  return status;
}

void iree_hal_semaphore_list_fail(iree_hal_semaphore_list_t list,
                                  iree_status_t status) {
  iree_cy_defer_scope_enter();
  for (iree_host_size_t i = 0; i < list.count; ++i) {
    iree_hal_semaphore_fail(list.semaphores[i], iree_status_clone(status));
  }
  iree_cy_defer_scope_leave();
  IREE_IGNORE_ERROR(status);
}

void iree_hal_semaphore_list_complete(iree_hal_semaphore_list_t list,
                                      iree_status_t status) {
  if (IREE_UNLIKELY(!iree_status_is_ok(status))) {
    iree_hal_semaphore_list_fail(list, status);
    return;
  }
  if (list.count == 1) {
    status =
        iree_hal_semaphore_signal(list.semaphores[0], list.payload_values[0]);
    if (IREE_UNLIKELY(!iree_status_is_ok(status))) {
      iree_hal_semaphore_fail(list.semaphores[0], status);
    }
    return;
  }
  iree_cy_defer_scope_enter();
  for (iree_host_size_t i = 0; i < list.count; ++i) {
    status =
        iree_hal_semaphore_signal(list.semaphores[i], list.payload_values[i]);
    if (IREE_UNLIKELY(!iree_status_is_ok(status))) {
      iree_hal_semaphore_fail(list.semaphores[i], status);
    }
  }
  iree_cy_defer_scope_leave();
}

//===-- being notified ------------------------------------------------------===

// One wait for several payloads. It lives until each of its timepoints is
// decided, also when a failure has decided the whole earlier: cancelling the
// others would touch semaphores that nobody keeps alive.
typedef struct iree_hal_notification_t {
  iree_hal_semaphore_callback_fn_t callback;
  void* user_data;
  iree_allocator_t host_allocator;
  // The failure that decided it, until the callback takes it.
  iree_status_t status;
  iree_cy_deferred_t deferred;
  // Timepoints that are not decided, and one for the registration.
  uint32_t pending_count;
  // Those, and one for the callback.
  uint32_t reference_count;
  // Whether the callback has been, or is about to be, called.
  uint32_t is_decided;
  iree_hal_semaphore_timepoint_t timepoints[];
} iree_hal_notification_t;

static void iree_hal_notification_release(iree_hal_notification_t* notification,
                                          uint32_t count) {
  if (__atomic_fetch_sub(&notification->reference_count, count,
                         __ATOMIC_ACQ_REL) == count) {
    iree_allocator_free(notification->host_allocator, notification);
  }
}

static void iree_hal_notification_run(void* user_data) {
  iree_hal_notification_t* notification = (iree_hal_notification_t*)user_data;
  const iree_hal_semaphore_callback_fn_t callback = notification->callback;
  void* callback_user_data = notification->user_data;
  const iree_status_t status = notification->status;
  iree_hal_notification_release(notification, 1);
  callback(callback_user_data, status);
}

// Takes |status|, by which |count| of what is pending was decided. Returns
// whether the caller is the one who must have the callback run.
static bool iree_hal_notification_decide(iree_hal_notification_t* notification,
                                         uint32_t count, iree_status_t status) {
  const bool is_last = __atomic_fetch_sub(&notification->pending_count, count,
                                          __ATOMIC_ACQ_REL) == count;
  if (iree_status_is_ok(status) && !is_last) return false;
  if (__atomic_exchange_n(&notification->is_decided, 1, __ATOMIC_ACQ_REL)) {
    IREE_IGNORE_ERROR(status);
    return false;
  }
  notification->status = status;
  return true;
}

static void iree_hal_notification_timepoint(
    void* user_data, iree_hal_semaphore_timepoint_t* timepoint,
    iree_status_t status) {
  (void)timepoint;
  iree_hal_notification_t* notification = (iree_hal_notification_t*)user_data;
  if (iree_hal_notification_decide(notification, 1, status)) {
    iree_cy_defer(iree_hal_notification_run, notification,
                  &notification->deferred);
  }
  iree_hal_notification_release(notification, 1);
}

iree_status_t iree_hal_semaphore_list_notify(
    iree_hal_semaphore_list_t list, iree_hal_semaphore_callback_fn_t callback,
    void* user_data, iree_allocator_t host_allocator) {
  if (IREE_UNLIKELY(!callback)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "a notification needs a callback");
  }
  IREE_RETURN_IF_ERROR(iree_hal_semaphore_list_validate(list, "wait"));
  iree_status_t poll_status = iree_hal_semaphore_list_poll(list);
  if (!iree_status_is_deferred(poll_status)) {
    callback(user_data, poll_status);
    return iree_ok_status();
  }
  IREE_IGNORE_ERROR(poll_status);

  iree_host_size_t size = 0;
  if (list.count > UINT32_MAX - 2 ||
      !iree_host_size_checked_mul(
          list.count, sizeof(iree_hal_semaphore_timepoint_t), &size) ||
      !iree_host_size_checked_add(size, sizeof(iree_hal_notification_t),
                                  &size)) {
    return iree_make_status(
        IREE_STATUS_OUT_OF_RANGE,
        "%" PRIhsz " semaphores are more than one wait can hold", list.count);
  }
  iree_hal_notification_t* notification = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc_uninitialized(
      host_allocator, size, (void**)&notification));
  memset(notification, 0, sizeof(*notification));
  const uint32_t count = (uint32_t)list.count;
  notification->callback = callback;
  notification->user_data = user_data;
  notification->host_allocator = host_allocator;
  notification->pending_count = count + 1;
  notification->reference_count = count + 2;

  // Decided here are those that were reached before they could be listed, and
  // what comes after a failure.
  uint32_t decided_count = 1;
  iree_status_t status = iree_ok_status();
  for (uint32_t i = 0; i < count; ++i) {
    if (iree_hal_semaphore_try_acquire_timepoint(
            list.semaphores[i], list.payload_values[i],
            iree_hal_notification_timepoint, notification,
            &notification->timepoints[i], &status)) {
      ++decided_count;
      if (!iree_status_is_ok(status)) {
        decided_count += count - i - 1;
        break;
      }
    }
  }
  const bool must_run =
      iree_hal_notification_decide(notification, decided_count, status);
  if (must_run) iree_hal_notification_run(notification);
  iree_hal_notification_release(notification, decided_count);
  return iree_ok_status();
}
