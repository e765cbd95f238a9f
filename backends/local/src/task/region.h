// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns regions, the commands from one barrier to the next: what they are
// thought to take, and running those that are small on one thread.

#ifndef IREE_CY_LOCAL_TASK_REGION_H_
#define IREE_CY_LOCAL_TASK_REGION_H_

#include "../run.h"

// Work that takes longer is worth more than one thread. Waking a thread that
// sleeps takes about as long.
#define TASK_SHARE_NS 40000
// The submitting thread does no more than this, as far as it is known.
#define TASK_SUBMITTER_NS 200000
// Of functions that have never run: what is no larger is tried by the
// submitting thread.
#define TASK_TRY_WORKGROUP_COUNT 4
#define TASK_TRY_BYTES ((iree_device_size_t)256 << 10)
// How fast fills and copies are thought to be.
#define TASK_BYTES_PER_NS 8

typedef struct task_region_t {
  // Behind its last command and the barrier.
  iree_host_size_t end;
  uint32_t command_count;
  // Nanoseconds, as far as it is known.
  uint64_t cost;
  // Whether it has more than one unit that may run at once.
  bool is_divisible;
  // Whether there is a function that has never run, and one that is larger than
  // what is simply tried.
  bool is_unknown;
  bool is_large;
} task_region_t;

// Looks at the region that begins at |offset|.
task_region_t task_region_measure(iree_hal_buffer_binding_table_t binding_table,
                                  const local_command_buffer_t* command_buffer,
                                  iree_host_size_t offset);
// Whether it is worth being shared.
static inline bool task_region_is_wide(const task_region_t* region) {
  return region->is_divisible &&
         (region->cost > TASK_SHARE_NS || region->is_large);
}

// Runs the commands from |offset| to |end| on this thread.
iree_status_t task_region_run(const local_run_t* run,
                              const local_command_buffer_t* command_buffer,
                              iree_host_size_t offset, iree_host_size_t end);

// Runs commands from the beginning as long as they are small, for a device of
// |thread_count| threads. |*out_offset| is behind those that are done.
iree_status_t task_run_small(uint32_t thread_count, local_workers_t* callers,
                             iree_hal_device_t* device,
                             const local_operation_t* operation,
                             const local_command_buffer_t* command_buffer,
                             iree_hal_buffer_binding_table_t binding_table,
                             iree_host_size_t* out_offset);

#endif  // IREE_CY_LOCAL_TASK_REGION_H_
