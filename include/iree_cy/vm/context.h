// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns contexts: modules linked to each other, with their state and limits.

#ifndef IREE_CY_VM_CONTEXT_H_
#define IREE_CY_VM_CONTEXT_H_

#include "iree_cy/vm/instance.h"
#include "iree_cy/vm/module.h"
#include "iree_cy/vm/stack.h"

IREE_CY_EXTERN_C_BEGIN

typedef uint32_t iree_vm_context_flags_t;
enum iree_vm_context_flag_bits_e {
  IREE_VM_CONTEXT_FLAG_NONE = 0u,
  // Reported, not given: each module is STATELESS, so that invocations run
  // side by side. Otherwise one waits for the other.
  IREE_CY_VM_CONTEXT_FLAG_STATELESS = 1u << 16,
};
typedef intptr_t iree_vm_context_id_t;

// What a program may use; 0 is off. Begins with its size.
typedef struct iree_cy_vm_limits_t {
  uint32_t size;
  // Frames of functions at one time, calls back into the context included.
  uint32_t max_call_depth;
  // Instructions of one invocation, calls back into the context included.
  uint64_t max_instructions;
  // Bytes of lists, buffers, stack frames and device buffers alive at one time.
  uint64_t max_bytes;
} iree_cy_vm_limits_t;

static inline iree_cy_vm_limits_t iree_cy_vm_limits_none(void) {
  iree_cy_vm_limits_t limits;
  limits.size = sizeof(limits);
  limits.max_call_depth = 0;
  limits.max_instructions = 0;
  limits.max_bytes = 0;
  return limits;
}

// A context. Reference counted; any thread, but for register_modules. Keeps
// instance and modules.
// The last release runs __deinit of each module, last first, then frees states.

// An empty context, to which modules are added.
IREE_API_EXPORT iree_status_t iree_vm_context_create(
    iree_vm_instance_t* instance, iree_vm_context_flags_t flags,
    iree_allocator_t allocator, iree_vm_context_t** out_context);
// A frozen context with |modules|: what register_modules does, then freeze.
IREE_API_EXPORT iree_status_t iree_vm_context_create_with_modules(
    iree_vm_instance_t* instance, iree_vm_context_flags_t flags,
    iree_host_size_t module_count, iree_vm_module_t** modules,
    iree_allocator_t allocator, iree_vm_context_t** out_context);
// The same under |limits| and with |options| for its initializers; each may be
// NULL. Frozen when |module_count| > 0.
IREE_API_EXPORT iree_status_t iree_cy_vm_context_create(
    iree_vm_instance_t* instance, iree_vm_context_flags_t flags,
    const iree_cy_vm_limits_t* limits, const iree_cy_vm_call_options_t* options,
    iree_host_size_t module_count, iree_vm_module_t** modules,
    iree_allocator_t allocator, iree_vm_context_t** out_context);
IREE_API_EXPORT void iree_vm_context_retain(iree_vm_context_t* context);
IREE_API_EXPORT void iree_vm_context_release(iree_vm_context_t* context);

IREE_API_EXPORT iree_vm_instance_t* iree_vm_context_instance(
    const iree_vm_context_t* context);
// Different for each context of the process.
IREE_API_EXPORT iree_vm_context_id_t
iree_vm_context_id(const iree_vm_context_t* context);
IREE_API_EXPORT iree_vm_context_flags_t
iree_vm_context_flags(const iree_vm_context_t* context);
IREE_API_EXPORT iree_host_size_t
iree_vm_context_module_count(const iree_vm_context_t* context);
// Borrowed; NULL past the last.
IREE_API_EXPORT iree_vm_module_t* iree_vm_context_module_at(
    const iree_vm_context_t* context, iree_host_size_t i);

// Adds modules, in order: for each, its dependencies are there (NOT_FOUND), a
// state is made, imports are resolved against the modules before it, the latest
// first (NOT_FOUND for a required one that is absent, INVALID_ARGUMENT for a
// different convention), and its __init runs. On failure none of them is added.
// Not while an invocation is under way. FAILED_PRECONDITION when frozen.
IREE_API_EXPORT iree_status_t iree_vm_context_register_modules(
    iree_vm_context_t* context, iree_host_size_t module_count,
    iree_vm_module_t** modules);
// The same with |options|, which may be NULL, of the calls of __init.
IREE_API_EXPORT iree_status_t iree_cy_vm_context_register_modules(
    iree_vm_context_t* context, const iree_cy_vm_call_options_t* options,
    iree_host_size_t module_count, iree_vm_module_t** modules);
IREE_API_EXPORT iree_status_t
iree_vm_context_freeze(iree_vm_context_t* context);

// NOT_FOUND when |module| is not in the context.
IREE_API_EXPORT iree_status_t iree_vm_context_resolve_module_state(
    const iree_vm_context_t* context, const iree_vm_module_t* module,
    iree_vm_module_state_t** out_module_state);
// The export named "module.function"; NOT_FOUND, saying which half is missing.
IREE_API_EXPORT iree_status_t iree_vm_context_resolve_function(
    const iree_vm_context_t* context, iree_string_view_t full_name,
    iree_vm_function_t* out_function);
// Tells each module, in order, or last first when it suspends or saves memory.
IREE_API_EXPORT iree_status_t iree_vm_context_notify(iree_vm_context_t* context,
                                                     iree_vm_signal_t signal);

// For what the program asks for, as iree_vm_stack_program_allocator.
IREE_API_EXPORT iree_allocator_t
iree_cy_vm_context_program_allocator(const iree_vm_context_t* context);
// Bytes of the program that are alive; 0 when max_bytes is off.
IREE_API_EXPORT uint64_t
iree_cy_vm_context_bytes_used(const iree_vm_context_t* context);

// Counts memory that does not come from the program allocator (device buffers)
// against max_bytes; RESOURCE_EXHAUSTED beyond, and then nothing is counted.
// |*out_budget| (NULL when max_bytes is off) goes to iree_cy_vm_budget_credit,
// with the same bytes, once, from any thread; it outlives the context.
typedef struct iree_cy_vm_budget_t iree_cy_vm_budget_t;
IREE_API_EXPORT iree_status_t
iree_cy_vm_context_charge(iree_vm_context_t* context, uint64_t byte_length,
                          iree_cy_vm_budget_t** out_budget);
IREE_API_EXPORT void iree_cy_vm_budget_credit(iree_cy_vm_budget_t* budget,
                                              uint64_t byte_length);

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_VM_CONTEXT_H_
