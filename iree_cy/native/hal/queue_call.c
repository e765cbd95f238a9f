// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns doing and parking what drivers submit as a function.

#include "iree_cy/hal/operation.h"
#include "iree_cy/native/hal/queue_operation.h"
#include "iree_cy/native/hal/semaphore_impl.h"

typedef struct parked_call_t {
  iree_cy_operation_t operation;
  iree_hal_device_t* device;
  iree_allocator_t host_allocator;
  iree_hal_semaphore_list_t signals;
  iree_hal_queue_work_fn_t fn;
  iree_hal_queue_cleanup_fn_t cleanup;
  void* user_data;
  iree_host_size_t resource_count;
  void* resources[];
} parked_call_t;

static void parked_call_release_resources(parked_call_t* call) {
  for (iree_host_size_t i = 0; i < call->resource_count; ++i) {
    iree_hal_resource_release(call->resources[i]);
  }
  call->resource_count = 0;
}

static void parked_call_free(parked_call_t* call) {
  iree_hal_device_t* device = call->device;
  parked_call_release_resources(call);
  iree_hal_semaphore_list_free(call->signals, call->host_allocator);
  iree_allocator_free(call->host_allocator, call);
  iree_hal_device_release(device);
}

static void parked_call_ready(void* user_data, iree_status_t status) {
  parked_call_t* call = (parked_call_t*)user_data;
  if (!iree_cy_operation_start(&call->operation)) {
    // Its signals have failed already; what the waits say is of no interest.
    iree_status_ignore(status);
    status = iree_status_from_code(IREE_STATUS_CANCELLED);
  } else if (iree_status_is_ok(status)) {
    status = call->fn(call->user_data);
  }
  parked_call_release_resources(call);
  if (call->cleanup) call->cleanup(call->user_data);
  iree_cy_operation_end(&call->operation);
  iree_hal_semaphore_list_complete(call->signals, status);
  parked_call_free(call);
}

static iree_status_t parked_call_create(iree_hal_device_t* device,
                                        iree_hal_semaphore_list_t signals,
                                        iree_host_size_t resource_count,
                                        void* const* resources,
                                        parked_call_t** out_call) {
  iree_allocator_t host_allocator = device->host_allocator;
  iree_host_size_t size = 0;
  if (!iree_host_size_checked_mul(resource_count, sizeof(void*), &size) ||
      !iree_host_size_checked_add(size, sizeof(parked_call_t), &size)) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "a queue operation of %" PRIhsz
                            " resources is too large",
                            resource_count);
  }
  parked_call_t* call = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc(host_allocator, size, (void**)&call));
  iree_status_t status =
      iree_hal_semaphore_list_clone(signals, host_allocator, &call->signals);
  if (!iree_status_is_ok(status)) {
    iree_allocator_free(host_allocator, call);
    return status;
  }
  iree_cy_operation_begin(call->signals, &call->operation);
  call->device = device;
  iree_hal_device_retain(device);
  call->host_allocator = host_allocator;
  call->resource_count = resource_count;
  for (iree_host_size_t i = 0; i < resource_count; ++i) {
    call->resources[i] = resources[i];
    iree_hal_resource_retain(resources[i]);
  }
  *out_call = call;
  return iree_ok_status();
}

iree_status_t iree_cy_queue_submit_call(
    iree_hal_device_t* device, iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_host_size_t resource_count, void* const* resources,
    iree_hal_queue_work_fn_t fn, iree_hal_queue_cleanup_fn_t cleanup,
    void* user_data) {
  iree_status_t status = iree_hal_semaphore_list_poll(wait_semaphore_list);
  if (!iree_status_is_deferred(status)) {
    if (iree_status_is_ok(status)) status = fn(user_data);
    if (cleanup) cleanup(user_data);
    iree_hal_semaphore_list_complete(signal_semaphore_list, status);
    return iree_ok_status();
  }
  IREE_IGNORE_ERROR(status);
  parked_call_t* call = NULL;
  IREE_RETURN_IF_ERROR(parked_call_create(device, signal_semaphore_list,
                                          resource_count, resources, &call));
  call->fn = fn;
  call->cleanup = cleanup;
  call->user_data = user_data;
  status = iree_hal_semaphore_list_notify(
      wait_semaphore_list, parked_call_ready, call, device->host_allocator);
  if (!iree_status_is_ok(status)) {
    iree_cy_operation_end(&call->operation);
    parked_call_free(call);
  }
  return status;
}
