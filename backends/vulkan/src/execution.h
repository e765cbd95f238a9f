// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns executions: a recording of the HAL made a Vulkan command buffer,
// submitted and waited for.

#ifndef IREE_CY_VULKAN_EXECUTION_H_
#define IREE_CY_VULKAN_EXECUTION_H_

#include "memory.h"

// What one execution at a time uses: a command buffer with its pool and fence,
// and memory for what is copied into buffers.
typedef struct vulkan_context_t vulkan_context_t;

typedef struct vulkan_executor_t {
  vulkan_logical_device_t* logical;
  vulkan_memory_t* memory;
  // What empty bindings are given: bytes that nobody uses.
  vulkan_range_t nothing;
  pthread_mutex_t lock;
  // Those that are not in use.
  vulkan_context_t* contexts;
  // Round and round over the queues.
  uint32_t next_queue;
} vulkan_executor_t;

// Borrows both.
iree_status_t vulkan_executor_initialize(vulkan_logical_device_t* logical,
                                         vulkan_memory_t* memory,
                                         vulkan_executor_t* out_executor);
// Nothing is executed any more.
void vulkan_executor_deinitialize(vulkan_executor_t* executor);

// Runs |command_buffer|, which is of the core's own recording, on one of the
// queues of |affinity|, and returns when it is done. Any thread.
iree_status_t vulkan_executor_run(
    vulkan_executor_t* executor, iree_hal_queue_affinity_t affinity,
    const iree_hal_command_buffer_t* command_buffer,
    iree_hal_buffer_binding_table_t binding_table);

#endif  // IREE_CY_VULKAN_EXECUTION_H_
