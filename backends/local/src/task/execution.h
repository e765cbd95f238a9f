// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns executions: what a command buffer does, as a job of the executor.

#ifndef IREE_CY_LOCAL_TASK_EXECUTION_H_
#define IREE_CY_LOCAL_TASK_EXECUTION_H_

#include "device.h"

// What a thread claims at once.
#define TASK_TILE_NS 20000
// How long who has nothing more to claim looks for the next region, for others
// are about to end this one, and being woken would take longer.
#define TASK_LINGER_NS TASK_TILE_NS

typedef struct task_execution_t task_execution_t;

// As local_operation_create.
iree_status_t task_execution_create(
    task_device_t* device, iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_command_buffer_t* command_buffer,
    iree_hal_buffer_binding_table_t binding_table,
    task_execution_t** out_execution);
static inline local_operation_t* task_execution_operation(
    task_execution_t* execution) {
  return (local_operation_t*)execution;
}

// Takes |execution|, which has begun. Runs it from |offset| of its commands on.
void task_execution_start(task_execution_t* execution,
                          task_executor_t* executor, iree_host_size_t offset);
// Takes |execution|, which has not been started, and |status|, how it ended.
void task_execution_end(task_execution_t* execution, iree_status_t status);
// Takes |user_data|, an execution, and |status|, what its waits say: runs it,
// on this thread while it is small. Of iree_hal_semaphore_callback_fn_t.
void task_execution_ready(void* user_data, iree_status_t status);

// Of the executor's options.
bool task_execution_work(task_job_t* job, local_worker_t* worker,
                         const task_sleeper_t* sleeper);
void task_execution_finish(task_job_t* job);
void task_execution_free(task_job_t* job);
void task_execution_orphan(task_job_t* job);

#endif  // IREE_CY_LOCAL_TASK_EXECUTION_H_
