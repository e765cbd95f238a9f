// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what one worker runs a vmvx program with: a context of its own, buffers
// over the bindings of a dispatch, and the calls.

#ifndef IREE_CY_NATIVE_LOADERS_VMVX_WORKER_H_
#define IREE_CY_NATIVE_LOADERS_VMVX_WORKER_H_

#include "iree_cy/hal/executable.h"
#include "iree_cy/vm/api.h"

// What all workers share; set up once, then read only.
typedef struct iree_cy_vmvx_program_t {
  iree_allocator_t host_allocator;
  iree_vm_instance_t* instance;
  iree_vm_module_t* kernels;
  iree_vm_module_t* module;
  // Of the executable; |set_constants| is null when the program takes none.
  iree_vm_function_t set_constants;
  iree_host_size_t constant_count;
  uint32_t* constants;
  // Bindings that a function may take.
  iree_host_size_t max_binding_count;
  // The context that loaded the executable in the call under way (0: none), and
  // its limits: a dispatch in that context's own invocation is part of it, and
  // any other runs under the limits by itself.
  iree_vm_context_id_t context_id;
  iree_cy_vm_limits_t limits;
} iree_cy_vmvx_program_t;

// One function to run: |workgroup_count| workgroups from |first_workgroup|.
typedef struct iree_cy_vmvx_run_t {
  iree_vm_function_t function;
  const iree_hal_local_dispatch_t* dispatch;
  uint64_t first_workgroup;
  uint64_t workgroup_count;
  iree_byte_span_t local_memory;
} iree_cy_vmvx_run_t;

// One thread at a time.
typedef struct iree_cy_vmvx_worker_t iree_cy_vmvx_worker_t;

// Makes the context: links the program with its kernels, runs its initializer
// and gives it its constants. |program| outlives the worker.
iree_status_t iree_cy_vmvx_worker_create(const iree_cy_vmvx_program_t* program,
                                         iree_cy_vmvx_worker_t** out_worker);
void iree_cy_vmvx_worker_free(iree_cy_vmvx_worker_t* worker);

// Runs |run|, whose counts are checked, and whose bindings are at most
// max_binding_count. Allocates nothing. The first workgroup that fails ends it.
iree_status_t iree_cy_vmvx_worker_run(iree_cy_vmvx_worker_t* worker,
                                      const iree_cy_vmvx_run_t* run);

#endif  // IREE_CY_NATIVE_LOADERS_VMVX_WORKER_H_
