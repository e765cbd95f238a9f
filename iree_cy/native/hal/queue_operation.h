// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the default queue: what one operation is, done now or parked until its
// waits are reached.

#ifndef IREE_CY_NATIVE_HAL_QUEUE_OPERATION_H_
#define IREE_CY_NATIVE_HAL_QUEUE_OPERATION_H_

#include "iree_cy/hal/device.h"

typedef enum iree_cy_queue_work_kind_e {
  // Nothing but waiting and signalling.
  IREE_CY_QUEUE_WORK_BARRIER = 0,
  IREE_CY_QUEUE_WORK_FILL,
  IREE_CY_QUEUE_WORK_UPDATE,
  IREE_CY_QUEUE_WORK_COPY,
  IREE_CY_QUEUE_WORK_READ,
  IREE_CY_QUEUE_WORK_WRITE,
  IREE_CY_QUEUE_WORK_HOST_CALL,
  IREE_CY_QUEUE_WORK_EXECUTE,
} iree_cy_queue_work_kind_t;

// What an operation does. Everything is checked and borrowed; what a kind does
// not use is NULL or 0. A barrier's buffers are kept, too, while it waits.
typedef struct iree_cy_queue_work_t {
  iree_cy_queue_work_kind_t kind;
  iree_hal_queue_affinity_t queue_affinity;
  iree_hal_buffer_t* source_buffer;
  iree_hal_buffer_t* target_buffer;
  iree_hal_file_t* file;
  iree_hal_command_buffer_t* command_buffer;
  uint64_t source_offset;
  uint64_t target_offset;
  iree_device_size_t length;
  // Pattern of a fill, bytes of an update.
  iree_const_byte_span_t data;
  iree_hal_buffer_binding_table_t binding_table;
  iree_hal_host_call_t call;
  uint64_t call_args[4];
  iree_hal_host_call_flags_t call_flags;
} iree_cy_queue_work_t;

// Does |work| before returning when its waits are reached; else keeps all that
// it names and parks it.
iree_status_t iree_cy_queue_submit(
    iree_hal_device_t* device, iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    const iree_cy_queue_work_t* work);

// iree_hal_device_queue_submit, checked.
iree_status_t iree_cy_queue_submit_call(
    iree_hal_device_t* device, iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_host_size_t resource_count, void* const* resources,
    iree_hal_queue_work_fn_t fn, iree_hal_queue_cleanup_fn_t cleanup,
    void* user_data);

#endif  // IREE_CY_NATIVE_HAL_QUEUE_OPERATION_H_
