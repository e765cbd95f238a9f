// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns executions that are not done when their queue function returns: what
// they keep meanwhile, and how they end.

#ifndef IREE_CY_LOCAL_OPERATION_H_
#define IREE_CY_LOCAL_OPERATION_H_

#include "iree_cy/plugin.h"

typedef struct local_operation_t {
  // To the call that submitted it.
  iree_cy_operation_t call;
  iree_allocator_t host_allocator;
  iree_hal_semaphore_list_t signals;
  // All NULL or empty once it has settled.
  iree_hal_device_t* device;
  iree_hal_command_buffer_t* command_buffer;
  iree_hal_buffer_binding_table_t binding_table;
} local_operation_t;

// Inside a queue function: parks the execution of |command_buffer| (or NULL),
// with a copy of all that is given. |struct_size| is that of a struct that
// begins with a local_operation_t, in zeroed memory.
iree_status_t local_operation_create(
    iree_hal_device_t* device, iree_host_size_t struct_size,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_command_buffer_t* command_buffer,
    iree_hal_buffer_binding_table_t binding_table,
    local_operation_t** out_operation);

// Calls |ready(operation, status)| once the waits are decided, as
// iree_hal_semaphore_list_notify has it; it takes |operation|. On failure
// |operation| is gone.
iree_status_t local_operation_park(
    local_operation_t* operation, iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_callback_fn_t ready);

// Takes and returns |status|, what the waits say; CANCELLED instead when the
// call has ended meanwhile. When it is OK the operation is about to run.
iree_status_t local_operation_begin(local_operation_t* operation,
                                    iree_status_t status);
// Whether it is to stop, as OK or CANCELLED. While it runs, now and then.
iree_status_t local_operation_poll(const local_operation_t* operation);
// Takes |status|, how it ended. Nothing of it runs any more. Gives back what it
// used, the device too, before anybody can see that it is done: who sees it may
// use the memory for something else, or end the device.
void local_operation_settle(local_operation_t* operation, iree_status_t status);
// Of one that has settled, or whose signals are somebody else's again.
void local_operation_free(local_operation_t* operation);

// Takes |status|, how an operation ended. A semaphore that cannot be signalled
// fails, and it alone.
void local_complete(iree_hal_semaphore_list_t signal_semaphore_list,
                    iree_status_t status);

#endif  // IREE_CY_LOCAL_OPERATION_H_
