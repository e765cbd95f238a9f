// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what contexts and invocations share.

#ifndef IREE_CY_NATIVE_VM_CONTEXT_IMPL_H_
#define IREE_CY_NATIVE_VM_CONTEXT_IMPL_H_

#include "iree_cy/native/vm/budget.h"
#include "iree_cy/native/vm/stack_impl.h"
#include "iree_cy/vm/context.h"

typedef struct iree_cy_vm_context_entry_t {
  iree_vm_module_t* module;
  iree_vm_module_state_t* state;
} iree_cy_vm_context_entry_t;

struct iree_vm_context_t {
  iree_atomic_ref_count_t ref_count;
  iree_vm_context_flags_t flags;
  iree_vm_context_id_t id;
  iree_vm_instance_t* instance;
  iree_allocator_t allocator;
  iree_allocator_t program_allocator;
  // NULL when max_bytes is off.
  iree_cy_vm_budget_t* budget;
  iree_cy_vm_limits_t limits;
  bool is_frozen;
  iree_host_size_t count;
  iree_host_size_t capacity;
  iree_cy_vm_context_entry_t* entries;
  // A stack at rest, for the next invocation; taken and put back atomically.
  iree_vm_stack_t* idle_stack;
  // The call lock (call_lock.c).
  uint32_t call_lock;
};

// The state of |module| in |context|, without a message when it is absent.
static inline bool iree_cy_vm_context_find_state(
    const iree_vm_context_t* context, const iree_vm_module_t* module,
    iree_vm_module_state_t** out_state) {
  for (iree_host_size_t i = 0; i < context->count; ++i) {
    if (context->entries[i].module == module) {
      *out_state = context->entries[i].state;
      return true;
    }
  }
  *out_state = NULL;
  return false;
}

#endif  // IREE_CY_NATIVE_VM_CONTEXT_IMPL_H_
