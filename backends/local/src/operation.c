// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the life of operations.

#include "operation.h"

iree_status_t local_operation_create(
    iree_hal_device_t* device, iree_host_size_t struct_size,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_command_buffer_t* command_buffer,
    iree_hal_buffer_binding_table_t binding_table,
    local_operation_t** out_operation) {
  iree_allocator_t host_allocator = iree_hal_device_host_allocator(device);
  *out_operation = NULL;
  // The bindings follow the struct.
  const iree_host_size_t bindings_offset = iree_host_align(struct_size, 16);
  iree_host_size_t size = 0;
  if (!iree_host_size_checked_mul(binding_table.count,
                                  sizeof(iree_hal_buffer_binding_t), &size) ||
      !iree_host_size_checked_add(size, bindings_offset, &size)) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "a binding table of %" PRIhsz " bindings",
                            binding_table.count);
  }
  local_operation_t* operation = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc(host_allocator, size, (void**)&operation));
  iree_status_t status = iree_hal_semaphore_list_clone(
      signal_semaphore_list, host_allocator, &operation->signals);
  if (!iree_status_is_ok(status)) {
    iree_allocator_free(host_allocator, operation);
    return status;
  }
  operation->host_allocator = host_allocator;
  operation->device = device;
  iree_hal_device_retain(device);
  operation->command_buffer = command_buffer;
  iree_hal_command_buffer_retain(command_buffer);
  iree_hal_buffer_binding_t* bindings =
      (iree_hal_buffer_binding_t*)((uint8_t*)operation + bindings_offset);
  for (iree_host_size_t i = 0; i < binding_table.count; ++i) {
    bindings[i] = binding_table.bindings[i];
    iree_hal_buffer_retain(bindings[i].buffer);
  }
  operation->binding_table.count = binding_table.count;
  operation->binding_table.bindings = bindings;
  iree_cy_operation_begin(operation->signals, &operation->call);
  *out_operation = operation;
  return iree_ok_status();
}

iree_status_t local_operation_park(
    local_operation_t* operation, iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_callback_fn_t ready) {
  iree_status_t status = iree_hal_semaphore_list_notify(
      wait_semaphore_list, ready, operation, operation->host_allocator);
  if (!iree_status_is_ok(status)) local_operation_free(operation);
  return status;
}

static iree_status_t local_cancelled(void) {
  return iree_make_status(IREE_STATUS_CANCELLED,
                          "the call that submitted the work has ended");
}

iree_status_t local_operation_begin(local_operation_t* operation,
                                    iree_status_t status) {
  if (!iree_cy_operation_start(&operation->call)) {
    // Its signals have failed already; what the waits say is of no interest.
    iree_status_ignore(status);
    return local_cancelled();
  }
  return status;
}

iree_status_t local_operation_poll(const local_operation_t* operation) {
  if (IREE_LIKELY(!iree_cy_operation_is_cancelled(&operation->call))) {
    return iree_ok_status();
  }
  return local_cancelled();
}

// Gives back all but the signals.
static void local_operation_release(local_operation_t* operation) {
  iree_hal_command_buffer_release(operation->command_buffer);
  operation->command_buffer = NULL;
  for (iree_host_size_t i = 0; i < operation->binding_table.count; ++i) {
    iree_hal_buffer_release(operation->binding_table.bindings[i].buffer);
  }
  operation->binding_table = iree_hal_buffer_binding_table_empty();
  iree_cy_operation_end(&operation->call);
  iree_hal_device_release(operation->device);
  operation->device = NULL;
}

void local_operation_settle(local_operation_t* operation,
                            iree_status_t status) {
  local_operation_release(operation);
  local_complete(operation->signals, status);
}

void local_operation_free(local_operation_t* operation) {
  if (operation->device) local_operation_release(operation);
  iree_hal_semaphore_list_free(operation->signals, operation->host_allocator);
  iree_allocator_free(operation->host_allocator, operation);
}

void local_complete(iree_hal_semaphore_list_t signal_semaphore_list,
                    iree_status_t status) {
  if (IREE_UNLIKELY(!iree_status_is_ok(status))) {
    iree_hal_semaphore_list_fail(signal_semaphore_list, status);
    return;
  }
  for (iree_host_size_t i = 0; i < signal_semaphore_list.count; ++i) {
    iree_hal_semaphore_t* semaphore = signal_semaphore_list.semaphores[i];
    status = iree_hal_semaphore_signal(semaphore,
                                       signal_semaphore_list.payload_values[i]);
    if (IREE_UNLIKELY(!iree_status_is_ok(status))) {
      iree_hal_semaphore_fail(semaphore, status);
    }
  }
}
