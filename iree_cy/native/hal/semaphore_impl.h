// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what the files of the semaphore share.

#ifndef IREE_CY_NATIVE_HAL_SEMAPHORE_IMPL_H_
#define IREE_CY_NATIVE_HAL_SEMAPHORE_IMPL_H_

#include "iree_cy/native/hal/vtable_defaults.h"

static inline const iree_hal_semaphore_vtable_t* iree_hal_semaphore_vtable(
    const iree_hal_semaphore_t* semaphore) {
  return (const iree_hal_semaphore_vtable_t*)semaphore->resource.vtable;
}

// The failure, borrowed for as long as the semaphore lives, or OK.
static inline iree_status_t iree_hal_semaphore_failure(
    iree_hal_semaphore_t* semaphore) {
  return __atomic_load_n(&semaphore->failure, __ATOMIC_SEQ_CST);
}

// Sequentially consistent, as is the announcement of a waiter: either the one
// who signals sees the waiter, or the waiter sees the payload.
static inline bool iree_hal_semaphore_is_reached(
    iree_hal_semaphore_t* semaphore, uint64_t value) {
  return __atomic_load_n(&semaphore->current_value, __ATOMIC_SEQ_CST) >= value;
}

// As iree_hal_semaphore_acquire_timepoint, but what is decided already is
// returned and not called back: true with an owned |*out_status|.
bool iree_hal_semaphore_try_acquire_timepoint(
    iree_hal_semaphore_t* semaphore, uint64_t minimum_value,
    iree_hal_semaphore_timepoint_fn_t callback, void* user_data,
    iree_hal_semaphore_timepoint_t* out_timepoint, iree_status_t* out_status);

// INVALID_ARGUMENT or OUT_OF_RANGE unless |list| can be waited for or
// signalled. |role| is "wait" or "signal".
iree_status_t iree_hal_semaphore_list_validate(iree_hal_semaphore_list_t list,
                                               const char* role);

// Takes |status|, how an operation ended: signals each semaphore, or fails each
// with it. One that cannot be signalled is failed with the reason, so that
// nobody waits for ever.
void iree_hal_semaphore_list_complete(iree_hal_semaphore_list_t list,
                                      iree_status_t status);

// The default of iree_hal_semaphore_vtable_t.wait.
iree_status_t iree_hal_semaphore_default_wait(iree_hal_semaphore_t* semaphore,
                                              uint64_t value,
                                              iree_timeout_t timeout,
                                              iree_hal_wait_flags_t flags);

// A semaphore of the host alone.
iree_status_t iree_hal_host_semaphore_create(
    iree_hal_device_t* device, uint64_t initial_value,
    iree_hal_semaphore_flags_t flags, iree_allocator_t host_allocator,
    iree_hal_semaphore_t** out_semaphore);

#endif  // IREE_CY_NATIVE_HAL_SEMAPHORE_IMPL_H_
