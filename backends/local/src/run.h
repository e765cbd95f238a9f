// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what the local devices do alike: running recorded commands, and
// answering programs.

#ifndef IREE_CY_LOCAL_RUN_H_
#define IREE_CY_LOCAL_RUN_H_

#include "formats.h"
#include "operation.h"
#include "recording.h"
#include "workers.h"

// How often a thread looks whether to go on: after each workgroup while they
// take long, ever less often while they do not.
typedef struct local_pace_t {
  // Whose end it looks for; NULL: that of the call that the thread makes.
  const local_operation_t* operation;
  // Units until it looks next, and from then to the time after.
  uint64_t left;
  uint64_t stride;
  // Of a coarse clock, when it looked last.
  iree_time_t tick;
} local_pace_t;
static inline local_pace_t local_pace_make(const local_operation_t* operation) {
  const local_pace_t pace = {operation, 1, 1, 0};
  return pace;
}

// Slots of the binding table that have been looked at, for programs use the
// same ones again and again.
#define LOCAL_SLOT_COUNT 32
typedef struct local_slots_t {
  // Bit i: slots[i] is known.
  uint32_t known;
  struct {
    // NULL when it is not in plain host memory, or wrong.
    uint8_t* data;
    iree_device_size_t length;
    bool is_writable;
  } slots[LOCAL_SLOT_COUNT];
} local_slots_t;

typedef struct local_run_t {
  iree_hal_buffer_binding_table_t binding_table;
  iree_allocator_t host_allocator;
  local_worker_t* worker;
  // Threads that may run parts of a dispatch.
  uint32_t max_concurrency;
  // NULL when something else looks.
  local_pace_t* pace;
  // Of this thread alone.
  local_slots_t* slots;
} local_run_t;

// Bindings of one dispatch as the code takes them, and the mappings behind
// those that are not in plain host memory. The arrays have room for each
// binding.
typedef struct local_bindings_t {
  void** addresses;
  size_t* lengths;
  iree_hal_buffer_mapping_t* mappings;
  uint64_t writable;
  uint32_t mapping_count;
} local_bindings_t;

// What of a fill or a copy is one unit: takes about as long as a long
// workgroup.
#define LOCAL_BLOCK_SIZE ((iree_device_size_t)128 << 10)

// A command that can be run, in units: workgroups, blocks, or all of it.
typedef struct local_step_t {
  local_command_t* command;
  uint64_t unit_count;
  // Of fills and copies.
  iree_hal_buffer_ref_t source;
  iree_hal_buffer_ref_t target;
  // Of dispatches.
  iree_hal_local_dispatch_t dispatch;
  local_bindings_t bindings;
} local_step_t;

// Bytes that the bindings of |command| need which are not known from the
// recording.
iree_host_size_t local_step_storage_size(const local_command_t* command);
// Works out how |command| is run. |storage| holds as many bytes as the above,
// aligned for pointers, and stays in place until the end. A failure leaves
// nothing to end.
iree_status_t local_step_begin(const local_run_t* run, local_command_t* command,
                               void* storage, local_step_t* out_step);
// Runs units [first, first + count) on this thread. Others may run others.
iree_status_t local_step_run(const local_run_t* run, const local_step_t* step,
                             uint64_t first, uint64_t count);
// Takes |status|, how its units ended, and returns how all ended.
iree_status_t local_step_end(local_step_t* step, iree_status_t status);

// Runs all of one command on this thread.
iree_status_t local_run_command(const local_run_t* run,
                                local_command_t* command);
// Runs the commands in order on this thread. Any number of times, several
// threads at once with a worker each.
iree_status_t local_run_all(const local_run_t* run,
                            iree_hal_command_buffer_t* command_buffer);

// iree_hal_device_t.query_i64 of a device that runs |concurrency| workgroups at
// once.
iree_status_t local_query_i64(const iree_hal_device_t* device,
                              const local_formats_t* formats,
                              int64_t concurrency, iree_string_view_t category,
                              iree_string_view_t key, int64_t* out_value);

#endif  // IREE_CY_LOCAL_RUN_H_
