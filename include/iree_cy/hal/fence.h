// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns iree_hal_fence_t: a set of semaphore payloads that is waited for or
// signalled as one.

#ifndef IREE_CY_HAL_FENCE_H_
#define IREE_CY_HAL_FENCE_H_

#include "iree_cy/hal/semaphore.h"

IREE_CY_EXTERN_C_BEGIN

// A fence for at most |capacity| distinct semaphores, empty.
IREE_API_EXPORT iree_status_t iree_hal_fence_create(
    iree_host_size_t capacity, iree_allocator_t host_allocator,
    iree_hal_fence_t** out_fence);
IREE_API_EXPORT iree_status_t iree_hal_fence_create_at(
    iree_hal_semaphore_t* semaphore, uint64_t value,
    iree_allocator_t host_allocator, iree_hal_fence_t** out_fence);
// One fence for all timepoints of |fences| (NULL entries are skipped). With
// none left, |*out_fence| is NULL. With a single one it may be that one,
// retained.
IREE_API_EXPORT iree_status_t iree_hal_fence_join(
    iree_host_size_t fence_count, iree_hal_fence_t** fences,
    iree_allocator_t host_allocator, iree_hal_fence_t** out_fence);
IREE_API_EXPORT void iree_hal_fence_retain(iree_hal_fence_t* fence);
IREE_API_EXPORT void iree_hal_fence_release(iree_hal_fence_t* fence);

// Its timepoints, borrowed. |fence| may be NULL (empty).
IREE_API_EXPORT iree_hal_semaphore_list_t
iree_hal_fence_semaphore_list(iree_hal_fence_t* fence);
IREE_API_EXPORT iree_host_size_t
iree_hal_fence_timepoint_count(const iree_hal_fence_t* fence);
// Adds a timepoint; a semaphore that is there keeps the greater payload.
// RESOURCE_EXHAUSTED when full. Not for several threads at once; others may
// wait for the fence meanwhile, for what was in it when they began or more.
IREE_API_EXPORT iree_status_t iree_hal_fence_insert(
    iree_hal_fence_t* fence, iree_hal_semaphore_t* semaphore, uint64_t value);
IREE_API_EXPORT iree_status_t iree_hal_fence_extend(
    iree_hal_fence_t* into_fence, iree_hal_fence_t* from_fence);
// OK when reached, DEFERRED when not yet, else the failure.
IREE_API_EXPORT iree_status_t iree_hal_fence_query(iree_hal_fence_t* fence);
IREE_API_EXPORT iree_status_t iree_hal_fence_signal(iree_hal_fence_t* fence);
// Takes |status|.
IREE_API_EXPORT void iree_hal_fence_fail(iree_hal_fence_t* fence,
                                         iree_status_t status);
IREE_API_EXPORT iree_status_t iree_hal_fence_wait(iree_hal_fence_t* fence,
                                                  iree_timeout_t timeout,
                                                  iree_hal_wait_flags_t flags);

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_HAL_FENCE_H_
