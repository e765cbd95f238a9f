// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns operations: the execution of one command buffer, on the thread that
// submits while it is small, else as a job of the executor.

#ifndef IREE_CY_LOCAL_TASK_OPERATION_H_
#define IREE_CY_LOCAL_TASK_OPERATION_H_

#include "device.h"

// Work that takes longer is worth more than one thread. Waking a thread that
// sleeps takes about as long.
#define TASK_SHARE_NS 50000
// The submitting thread does no more than this, as far as it is known.
#define TASK_SUBMITTER_NS 200000
// What a thread claims at once.
#define TASK_TILE_NS 20000
// Of functions that have never run: what is no larger is tried by the
// submitting thread.
#define TASK_TRY_WORKGROUP_COUNT 4
#define TASK_TRY_BYTES ((iree_device_size_t)256 << 10)

typedef struct task_operation_t task_operation_t;

// An operation that keeps all it uses.
iree_status_t task_operation_create(
    task_device_t* device, iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_command_buffer_t* command_buffer,
    iree_hal_buffer_binding_table_t binding_table,
    task_operation_t** out_operation);

// Takes |operation|. Runs it from |offset| of its commands on, as a job.
void task_operation_start(task_operation_t* operation,
                          task_executor_t* executor, iree_host_size_t offset);
// Takes |operation| and runs it on this thread while it is small.
void task_operation_run(task_operation_t* operation);
// Takes |operation|, which has not been started, and |status|, how it ended.
void task_operation_end(task_operation_t* operation, iree_status_t status);
// Takes |operation|, whose signals are somebody else's again.
void task_operation_discard(task_operation_t* operation);

// Runs commands on this thread while they are small. |*out_offset| is behind
// those that are done.
iree_status_t task_run_small(task_device_t* device, task_executor_t* executor,
                             const local_command_buffer_t* command_buffer,
                             iree_hal_buffer_binding_table_t binding_table,
                             iree_host_size_t* out_offset);

// Of the executor's options.
bool task_operation_work(task_job_t* job, local_worker_t* worker,
                         const task_sleeper_t* sleeper);
void task_operation_finish(task_job_t* job);
void task_operation_free(task_job_t* job);
void task_operation_orphan(task_job_t* job);

#endif  // IREE_CY_LOCAL_TASK_OPERATION_H_
