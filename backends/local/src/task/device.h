// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the local-task device: the CPU, on threads of its own and those that
// submit and wait.

#ifndef IREE_CY_LOCAL_TASK_DEVICE_H_
#define IREE_CY_LOCAL_TASK_DEVICE_H_

#include "../run.h"
#include "backlog.h"

typedef struct task_device_t {
  iree_hal_device_t base;
  local_formats_t formats;
  task_executor_options_t options;
  // Another one in a forked child. Atomic.
  task_executor_t* executor;
  task_backlog_t backlog;
} task_device_t;

// What a device is asked for.
typedef struct task_device_params_t {
  iree_string_view_t formats;
  // Begins the names of threads; cut.
  iree_string_view_t name;
  // 0: as many as the process may use.
  uint32_t thread_count;
  uint32_t spin_us;
  bool has_cpus;
  task_cpu_set_t cpus;
} task_device_params_t;

iree_status_t task_device_create(iree_string_view_t driver_name,
                                 const task_device_params_t* params,
                                 iree_allocator_t host_allocator,
                                 iree_hal_device_t** out_device);

// The executor of this process, which after a fork is a new one; then what was
// in flight in the parent has failed.
iree_status_t task_device_executor(task_device_t* device,
                                   task_executor_t** out_executor);

// Registers the vtables. Inside the plugin query.
iree_status_t task_device_register(iree_string_view_t owner);

#endif  // IREE_CY_LOCAL_TASK_DEVICE_H_
