// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the recording of local-sync: commands with all that is known beforehand
// already worked out.

#ifndef IREE_CY_LOCAL_SYNC_COMMAND_BUFFER_H_
#define IREE_CY_LOCAL_SYNC_COMMAND_BUFFER_H_

#include "iree_cy/plugin.h"

// What running commands needs of the thread that runs them.
typedef struct sync_worker_t {
  uint32_t worker_id;
  // Grown when a function asks for more; owned by the device.
  iree_byte_span_t local_memory;
} sync_worker_t;

iree_status_t sync_command_buffer_create(
    iree_hal_command_buffer_mode_t mode,
    iree_hal_command_category_t command_categories,
    iree_hal_queue_affinity_t queue_affinity, iree_host_size_t binding_capacity,
    iree_allocator_t host_allocator,
    iree_hal_command_buffer_t** out_command_buffer);

// Whether |command_buffer| was made by the function above.
bool sync_command_buffer_isa(const iree_hal_command_buffer_t* command_buffer);

// Runs the commands in order on this thread, with |worker|. Any number of
// times, several threads at once with a worker each.
iree_status_t sync_command_buffer_run(
    iree_hal_command_buffer_t* command_buffer,
    iree_hal_buffer_binding_table_t binding_table,
    iree_allocator_t host_allocator, sync_worker_t* worker);

// Registers the vtable. Inside the plugin query.
iree_status_t sync_command_buffer_register(iree_string_view_t owner);

#endif  // IREE_CY_LOCAL_SYNC_COMMAND_BUFFER_H_
