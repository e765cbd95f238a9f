// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns hal.fence.*: creating, joining and waiting.

#include "iree_cy/native/modules/hal/module_impl.h"

// A fence that programs make has one timepoint of a semaphore of its own.
#define IREE_HAL_MODULE_FENCE_VALUE 1

#define IREE_HAL_MODULE_INFINITE_MILLIS UINT32_MAX

// Timepoints that are joined at once, duplicates included: each is looked for
// among the others, here and in every operation, and nothing polls meanwhile.
#define IREE_HAL_MODULE_MAX_TIMEPOINTS 8192

IREE_HAL_MODULE_EXPORT(fence_create) {
  IREE_HAL_MODULE_ARGUMENTS("fence.create");
  iree_hal_device_t* device = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_device(&args, "device", &device));
  iree_hal_semaphore_t* semaphore = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_semaphore_create(
      device, IREE_HAL_QUEUE_AFFINITY_ANY, /*initial_value=*/0,
      IREE_HAL_SEMAPHORE_FLAG_DEFAULT, &semaphore));
  iree_hal_fence_t* fence = NULL;
  iree_status_t status =
      iree_hal_fence_create_at(semaphore, IREE_HAL_MODULE_FENCE_VALUE,
                               iree_vm_stack_program_allocator(stack), &fence);
  iree_hal_semaphore_release(semaphore);
  IREE_RETURN_IF_ERROR(status);
  iree_hal_module_return_ref(results, IREE_HAL_MODULE_TYPE(fence), fence);
  return iree_ok_status();
}

IREE_HAL_MODULE_EXPORT(fence_join) {
  IREE_HAL_MODULE_ARGUMENTS("fence.join");
  iree_hal_module_read_u64(&args);  // flags
  const iree_host_size_t count = iree_hal_module_read_count(&args);
  iree_hal_fence_t* storage[IREE_HAL_MODULE_STACK_LIST_CAPACITY];
  iree_hal_fence_t** fences = storage;
  const iree_allocator_t allocator = iree_vm_stack_program_allocator(stack);
  if (IREE_UNLIKELY(count > IREE_ARRAYSIZE(storage))) {
    IREE_RETURN_IF_ERROR(iree_allocator_malloc_array(
        allocator, count, sizeof(*fences), (void**)&fences));
  }
  iree_status_t status = iree_ok_status();
  uint64_t timepoint_count = 0;
  for (iree_host_size_t i = 0; i < count && iree_status_is_ok(status); ++i) {
    status = iree_hal_module_read_fence_or_null(&args, "fences", &fences[i]);
    timepoint_count += iree_hal_fence_timepoint_count(fences[i]);
  }
  if (iree_status_is_ok(status) &&
      timepoint_count > IREE_HAL_MODULE_MAX_TIMEPOINTS) {
    status = iree_make_status(
        IREE_STATUS_RESOURCE_EXHAUSTED,
        "hal.%s: %" PRIu64 " timepoints are joined, the most is %d",
        args.function, timepoint_count, IREE_HAL_MODULE_MAX_TIMEPOINTS);
  }
  // NULL stands for a fence that is reached.
  iree_hal_fence_t* fence = NULL;
  if (iree_status_is_ok(status)) {
    status = iree_hal_fence_join(count, fences, allocator, &fence);
  }
  if (fences != storage) iree_allocator_free(allocator, fences);
  IREE_RETURN_IF_ERROR(status);
  iree_hal_module_return_ref(results, IREE_HAL_MODULE_TYPE(fence), fence);
  return iree_ok_status();
}

IREE_HAL_MODULE_EXPORT(fence_query) {
  IREE_HAL_MODULE_ARGUMENTS("fence.query");
  iree_hal_fence_t* fence = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_fence(&args, "fence", &fence));
  iree_hal_module_return_i32(
      results, (int32_t)iree_status_consume_code(iree_hal_fence_query(fence)));
  return iree_ok_status();
}

IREE_HAL_MODULE_EXPORT(fence_signal) {
  IREE_HAL_MODULE_ARGUMENTS("fence.signal");
  iree_hal_fence_t* fence = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_fence(&args, "fence", &fence));
  return iree_hal_fence_signal(fence);
}

IREE_HAL_MODULE_EXPORT(fence_fail) {
  IREE_HAL_MODULE_ARGUMENTS("fence.fail");
  iree_hal_fence_t* fence = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_fence(&args, "fence", &fence));
  const int32_t code = iree_hal_module_read_i32(&args);
  if (code <= 0 || code > IREE_STATUS_INCOMPATIBLE ||
      code == IREE_STATUS_DEFERRED) {
    return iree_hal_module_value_error(args.function, "status", code);
  }
  iree_hal_fence_fail(fence, iree_make_status((iree_status_code_t)code,
                                              "the program failed the fence"));
  return iree_ok_status();
}

// Waits for |fence| until |deadline|, and in slices for as long as somebody may
// interrupt. |*out_is_late| says that the deadline has passed.
static iree_status_t iree_hal_module_await_fence(iree_vm_stack_t* stack,
                                                 iree_hal_fence_t* fence,
                                                 iree_time_t deadline,
                                                 bool* out_is_late) {
  *out_is_late = false;
  const bool is_interruptible = iree_cy_vm_stack_is_interruptible(stack);
  const iree_time_t last = iree_min(deadline, iree_cy_vm_stack_deadline(stack));
  for (;;) {
    iree_time_t until = last;
    if (is_interruptible && last > 0) {
      until = iree_min(last, iree_time_now() + IREE_CY_VM_POLL_INTERVAL_NS);
    }
    iree_status_t status =
        iree_hal_fence_wait(fence, iree_make_deadline(until), 0);
    if (iree_status_code(status) != IREE_STATUS_DEADLINE_EXCEEDED) {
      return status;
    }
    // It may also be what the fence has failed with.
    iree_status_t query_status = iree_hal_fence_query(fence);
    if (!iree_status_is_deferred(query_status)) {
      iree_status_ignore(status);
      return query_status;
    }
    iree_status_ignore(status);
    IREE_RETURN_IF_ERROR(iree_cy_vm_stack_poll(stack));
    if (deadline != IREE_TIME_INFINITE_FUTURE && iree_time_now() >= deadline) {
      *out_is_late = true;
      return iree_ok_status();
    }
  }
}

IREE_HAL_MODULE_EXPORT(fence_await) {
  IREE_HAL_MODULE_ARGUMENTS("fence.await");
  const uint32_t timeout_millis = iree_hal_module_read_u32(&args);
  iree_hal_module_read_u64(&args);  // flags
  const iree_host_size_t count = iree_hal_module_read_count(&args);
  // What has failed already is told before anything is waited for.
  iree_hal_module_arguments_t ahead = args;
  for (iree_host_size_t i = 0; i < count && count > 1; ++i) {
    iree_hal_fence_t* fence = NULL;
    IREE_RETURN_IF_ERROR(
        iree_hal_module_read_fence_or_null(&ahead, "fences", &fence));
    iree_status_t status =
        fence ? iree_hal_fence_query(fence) : iree_ok_status();
    if (!iree_status_is_ok(status) && !iree_status_is_deferred(status)) {
      return status;
    }
    iree_status_ignore(status);
  }
  // Only a wait that has to wait asks for the time.
  bool has_deadline = false;
  iree_time_t deadline = IREE_TIME_INFINITE_FUTURE;
  for (iree_host_size_t i = 0; i < count; ++i) {
    iree_hal_fence_t* fence = NULL;
    IREE_RETURN_IF_ERROR(
        iree_hal_module_read_fence_or_null(&args, "fences", &fence));
    if (!fence) continue;
    iree_status_t status = iree_hal_fence_query(fence);
    if (iree_status_is_ok(status)) continue;
    // A failure is the program's failure, with its message; the code that is
    // returned tells a wait that was too short from one that went well.
    if (!iree_status_is_deferred(status)) return status;
    iree_status_ignore(status);
    if (!has_deadline) {
      has_deadline = true;
      if (timeout_millis != IREE_HAL_MODULE_INFINITE_MILLIS) {
        deadline = iree_timeout_as_deadline_ns(
            iree_make_timeout_ns((iree_duration_t)timeout_millis * 1000000));
      }
    }
    bool is_late = false;
    IREE_RETURN_IF_ERROR(
        iree_hal_module_await_fence(stack, fence, deadline, &is_late));
    if (is_late) {
      iree_hal_module_return_i32(results, IREE_STATUS_DEADLINE_EXCEEDED);
      return iree_ok_status();
    }
  }
  iree_hal_module_return_i32(results, IREE_STATUS_OK);
  return iree_ok_status();
}
