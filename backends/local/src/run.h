// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what the local devices do alike: running recorded commands on one
// thread, ending operations, and answering programs.

#ifndef IREE_CY_LOCAL_RUN_H_
#define IREE_CY_LOCAL_RUN_H_

#include "formats.h"
#include "recording.h"
#include "workers.h"

typedef struct local_run_t {
  iree_hal_buffer_binding_table_t binding_table;
  iree_allocator_t host_allocator;
  local_worker_t* worker;
  // Threads that may run parts of a dispatch.
  uint32_t max_concurrency;
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

// Room for any dispatch.
typedef struct local_binding_storage_t {
  void* addresses[IREE_HAL_DISPATCH_MAX_BINDING_COUNT];
  size_t lengths[IREE_HAL_DISPATCH_MAX_BINDING_COUNT];
  iree_hal_buffer_mapping_t mappings[IREE_HAL_DISPATCH_MAX_BINDING_COUNT];
} local_binding_storage_t;
static inline local_bindings_t local_binding_storage_use(
    local_binding_storage_t* storage) {
  local_bindings_t bindings = {storage->addresses, storage->lengths,
                               storage->mappings, 0, 0};
  return bindings;
}

// Works out how |command| is called. |bindings| is used when addresses are not
// known from the recording, and stays in place meanwhile; when it has mappings
// then, local_bindings_unmap ends them. A failure leaves none.
iree_status_t local_dispatch_begin(const local_run_t* run,
                                   local_dispatch_command_t* command,
                                   local_bindings_t* bindings,
                                   iree_hal_local_dispatch_t* out_dispatch,
                                   uint64_t* out_workgroup_count);
// Takes |status|, how the dispatch ended, and returns how all ended.
iree_status_t local_bindings_unmap(local_bindings_t* bindings,
                                   iree_status_t status);
// Grows the worker's local memory to at least |required| bytes.
iree_status_t local_run_ensure_local_memory(const local_run_t* run,
                                            uint32_t required);

// Runs all of one command on this thread.
iree_status_t local_run_command(const local_run_t* run,
                                local_command_t* command);
// Runs the commands in order on this thread. Any number of times, several
// threads at once with a worker each.
iree_status_t local_run_all(const local_run_t* run,
                            iree_hal_command_buffer_t* command_buffer);

// Takes |status|, how an operation ended. A semaphore that cannot be signalled
// fails, and it alone.
void local_complete(iree_hal_semaphore_list_t signal_semaphore_list,
                    iree_status_t status);

// iree_hal_device_t.query_i64 of a device that runs |concurrency| workgroups at
// once.
iree_status_t local_query_i64(const iree_hal_device_t* device,
                              const local_formats_t* formats,
                              int64_t concurrency, iree_string_view_t category,
                              iree_string_view_t key, int64_t* out_value);

#endif  // IREE_CY_LOCAL_RUN_H_
