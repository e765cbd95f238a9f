// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the fence: distinct semaphores with a payload each, in one block.

#include "iree_cy/hal/fence.h"

#include "iree_cy/native/hal/semaphore_impl.h"

struct iree_hal_fence_t {
  iree_hal_resource_t resource;
  iree_allocator_t host_allocator;
  iree_host_size_t capacity;
  iree_host_size_t count;
  iree_hal_semaphore_t** semaphores;
  // |capacity| payloads; as many semaphores follow.
  uint64_t payload_values[];
};

static void iree_hal_fence_destroy(void* resource) {
  iree_hal_fence_t* fence = (iree_hal_fence_t*)resource;
  iree_hal_semaphore_list_release(iree_hal_fence_semaphore_list(fence));
  iree_allocator_free(fence->host_allocator, fence);
}

static const iree_cy_resource_vtable_t iree_hal_fence_vtable = {
    .header = {.size = sizeof(iree_cy_resource_vtable_t),
               .kind = IREE_CY_OBJECT_KIND_FENCE},
    .destroy = iree_hal_fence_destroy,
};

iree_status_t iree_hal_fence_create(iree_host_size_t capacity,
                                    iree_allocator_t host_allocator,
                                    iree_hal_fence_t** out_fence) {
  if (IREE_UNLIKELY(!out_fence)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "there is nowhere to put the new fence");
  }
  *out_fence = NULL;
  iree_host_size_t size = 0;
  if (IREE_UNLIKELY(
          !iree_host_size_checked_mul(
              capacity, sizeof(uint64_t) + sizeof(iree_hal_semaphore_t*),
              &size) ||
          !iree_host_size_checked_add(size, sizeof(iree_hal_fence_t), &size))) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "a fence cannot hold %" PRIhsz " semaphores",
                            capacity);
  }
  iree_hal_fence_t* fence = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc(host_allocator, size, (void**)&fence));
  iree_hal_resource_initialize(&iree_hal_fence_vtable, &fence->resource);
  fence->host_allocator = host_allocator;
  fence->capacity = capacity;
  fence->semaphores =
      (iree_hal_semaphore_t**)(fence->payload_values + capacity);
  *out_fence = fence;
  return iree_ok_status();
}

iree_status_t iree_hal_fence_create_at(iree_hal_semaphore_t* semaphore,
                                       uint64_t value,
                                       iree_allocator_t host_allocator,
                                       iree_hal_fence_t** out_fence) {
  IREE_RETURN_IF_ERROR(iree_hal_fence_create(1, host_allocator, out_fence));
  iree_status_t status = iree_hal_fence_insert(*out_fence, semaphore, value);
  if (!iree_status_is_ok(status)) {
    iree_hal_fence_release(*out_fence);
    *out_fence = NULL;
  }
  return status;
}

iree_status_t iree_hal_fence_join(iree_host_size_t fence_count,
                                  iree_hal_fence_t** fences,
                                  iree_allocator_t host_allocator,
                                  iree_hal_fence_t** out_fence) {
  if (IREE_UNLIKELY(!out_fence || (fence_count && !fences))) {
    if (out_fence) *out_fence = NULL;
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "joining %" PRIhsz
                            " fences needs the fences and a place for the "
                            "result",
                            fence_count);
  }
  *out_fence = NULL;
  iree_host_size_t capacity = 0;
  iree_host_size_t used_count = 0;
  iree_hal_fence_t* last_used = NULL;
  for (iree_host_size_t i = 0; i < fence_count; ++i) {
    const iree_host_size_t count = iree_hal_fence_timepoint_count(fences[i]);
    if (!count) continue;
    ++used_count;
    last_used = fences[i];
    if (IREE_UNLIKELY(
            !iree_host_size_checked_add(capacity, count, &capacity))) {
      return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                              "a fence cannot hold so many semaphores");
    }
  }
  if (used_count == 0) return iree_ok_status();
  if (used_count == 1) {
    iree_hal_fence_retain(last_used);
    *out_fence = last_used;
    return iree_ok_status();
  }
  IREE_RETURN_IF_ERROR(
      iree_hal_fence_create(capacity, host_allocator, out_fence));
  iree_status_t status = iree_ok_status();
  for (iree_host_size_t i = 0; i < fence_count && iree_status_is_ok(status);
       ++i) {
    if (fences[i]) status = iree_hal_fence_extend(*out_fence, fences[i]);
  }
  if (!iree_status_is_ok(status)) {
    iree_hal_fence_release(*out_fence);
    *out_fence = NULL;
  }
  return status;
}

void iree_hal_fence_retain(iree_hal_fence_t* fence) {
  iree_hal_resource_retain(fence);
}

void iree_hal_fence_release(iree_hal_fence_t* fence) {
  iree_hal_resource_release(fence);
}

iree_hal_semaphore_list_t iree_hal_fence_semaphore_list(
    iree_hal_fence_t* fence) {
  if (!fence) return iree_hal_semaphore_list_empty();
  iree_hal_semaphore_list_t list = {iree_hal_fence_timepoint_count(fence),
                                    fence->semaphores, fence->payload_values};
  return list;
}

iree_host_size_t iree_hal_fence_timepoint_count(const iree_hal_fence_t* fence) {
  return fence ? __atomic_load_n(&fence->count, __ATOMIC_ACQUIRE) : 0;
}

// The index of |semaphore|, or the count.
static iree_host_size_t iree_hal_fence_find(const iree_hal_fence_t* fence,
                                            iree_hal_semaphore_t* semaphore) {
  iree_host_size_t i = 0;
  while (i < fence->count && fence->semaphores[i] != semaphore) ++i;
  return i;
}

static iree_status_t iree_hal_fence_is_full(const iree_hal_fence_t* fence) {
  return iree_make_status(IREE_STATUS_RESOURCE_EXHAUSTED,
                          "the fence is full: it was made for %" PRIhsz
                          " semaphore%s",
                          fence->capacity, fence->capacity == 1 ? "" : "s");
}

iree_status_t iree_hal_fence_insert(iree_hal_fence_t* fence,
                                    iree_hal_semaphore_t* semaphore,
                                    uint64_t value) {
  if (IREE_UNLIKELY(!fence || !semaphore)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "adding to a fence needs a fence and a semaphore");
  }
  if (IREE_UNLIKELY(value > IREE_HAL_SEMAPHORE_MAX_VALUE)) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "a semaphore payload of %" PRIu64
                            " is above the largest, %llu",
                            value, IREE_HAL_SEMAPHORE_MAX_VALUE);
  }
  const iree_host_size_t index = iree_hal_fence_find(fence, semaphore);
  if (index < fence->count) {
    fence->payload_values[index] =
        iree_max(fence->payload_values[index], value);
    return iree_ok_status();
  }
  if (IREE_UNLIKELY(index == fence->capacity)) {
    return iree_hal_fence_is_full(fence);
  }
  iree_hal_semaphore_retain(semaphore);
  fence->semaphores[index] = semaphore;
  fence->payload_values[index] = value;
  // Another thread may wait for the fence meanwhile: it sees all of a timepoint
  // or nothing.
  __atomic_store_n(&fence->count, index + 1, __ATOMIC_RELEASE);
  return iree_ok_status();
}

iree_status_t iree_hal_fence_extend(iree_hal_fence_t* into_fence,
                                    iree_hal_fence_t* from_fence) {
  if (IREE_UNLIKELY(!into_fence)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "the fence to extend is null");
  }
  if (!from_fence) return iree_ok_status();
  // Counted first, so that a fence that is too small is left as it was.
  iree_host_size_t new_count = 0;
  for (iree_host_size_t i = 0; i < from_fence->count; ++i) {
    new_count += iree_hal_fence_find(into_fence, from_fence->semaphores[i]) ==
                 into_fence->count;
  }
  if (IREE_UNLIKELY(new_count > into_fence->capacity - into_fence->count)) {
    return iree_hal_fence_is_full(into_fence);
  }
  for (iree_host_size_t i = 0; i < from_fence->count; ++i) {
    IREE_RETURN_IF_ERROR(iree_hal_fence_insert(
        into_fence, from_fence->semaphores[i], from_fence->payload_values[i]));
  }
  return iree_ok_status();
}

iree_status_t iree_hal_fence_query(iree_hal_fence_t* fence) {
  return iree_hal_semaphore_list_poll(iree_hal_fence_semaphore_list(fence));
}

iree_status_t iree_hal_fence_signal(iree_hal_fence_t* fence) {
  return iree_hal_semaphore_list_signal(iree_hal_fence_semaphore_list(fence));
}

void iree_hal_fence_fail(iree_hal_fence_t* fence, iree_status_t status) {
  iree_hal_semaphore_list_fail(iree_hal_fence_semaphore_list(fence), status);
}

iree_status_t iree_hal_fence_wait(iree_hal_fence_t* fence,
                                  iree_timeout_t timeout,
                                  iree_hal_wait_flags_t flags) {
  return iree_hal_semaphore_list_wait(iree_hal_fence_semaphore_list(fence),
                                      IREE_HAL_WAIT_MODE_ALL, timeout, flags);
}
