// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the stack: one invocation under way, its limits, its deadline and how it
// is interrupted.

#ifndef IREE_CY_VM_STACK_H_
#define IREE_CY_VM_STACK_H_

#include "iree_cy/vm/module.h"

IREE_CY_EXTERN_C_BEGIN

typedef struct iree_vm_context_t iree_vm_context_t;

typedef uint32_t iree_vm_invocation_flags_t;
enum iree_vm_invocation_flag_bits_e {
  IREE_VM_INVOCATION_FLAG_NONE = 0u,
};

// Asked now and then while an invocation runs or waits. Not OK ends it with
// that status. Called on the invoking thread with no lock held but the
// context's call lock.
typedef iree_status_t (*iree_cy_vm_interrupt_fn_t)(void* user_data);

// Told how a call has ended, while nobody else can call into the context yet:
// it still holds the call lock. Takes |status| and returns how the call ends;
// if not OK, its results are released as those of any that failed.
typedef iree_status_t (*iree_cy_vm_call_end_fn_t)(void* user_data,
                                                  iree_status_t status);

// What an invocation is bounded by beyond its context's limits. Begins with its
// size; make it with iree_cy_vm_call_options_default.
typedef struct iree_cy_vm_call_options_t {
  uint32_t size;
  iree_vm_invocation_flags_t flags;
  // DEADLINE_EXCEEDED once it has passed, also while waiting for the call lock.
  iree_time_t deadline_ns;
  // May be NULL.
  iree_cy_vm_interrupt_fn_t interrupt;
  void* interrupt_user_data;
  // May be NULL. Not told of a call that was refused before the function ran.
  iree_cy_vm_call_end_fn_t end;
  void* end_user_data;
} iree_cy_vm_call_options_t;

static inline iree_cy_vm_call_options_t iree_cy_vm_call_options_default(void) {
  iree_cy_vm_call_options_t options;
  options.size = sizeof(options);
  options.flags = IREE_VM_INVOCATION_FLAG_NONE;
  options.deadline_ns = IREE_TIME_INFINITE_FUTURE;
  options.interrupt = NULL;
  options.interrupt_user_data = NULL;
  options.end = NULL;
  options.end_user_data = NULL;
  return options;
}

// A stack is made by the invocation and lent to each function called in it; it
// belongs to the thread that invoked.

// The context it runs in, borrowed.
IREE_API_EXPORT iree_vm_context_t* iree_cy_vm_stack_context(
    const iree_vm_stack_t* stack);
// For what the runtime itself needs.
IREE_API_EXPORT iree_allocator_t
iree_vm_stack_allocator(const iree_vm_stack_t* stack);
// For what the program asks for (lists, buffers, copies of its data): counted
// against max_bytes, RESOURCE_EXHAUSTED beyond. Outlives the context.
IREE_API_EXPORT iree_allocator_t
iree_vm_stack_program_allocator(const iree_vm_stack_t* stack);
// IREE_TIME_INFINITE_FUTURE when there is none.
IREE_API_EXPORT iree_time_t
iree_cy_vm_stack_deadline(const iree_vm_stack_t* stack);
// Whether an interrupt function is set, so that a wait has to be in slices.
IREE_API_EXPORT bool iree_cy_vm_stack_is_interruptible(
    const iree_vm_stack_t* stack);
// Asks the interrupt function and the clock: what they say ends the invocation.
// Whoever waits does it in slices of at most IREE_CY_VM_POLL_INTERVAL_NS when
// the stack is interruptible, never past the deadline, and polls in between.
IREE_API_EXPORT IREE_MUST_USE_RESULT iree_status_t
iree_cy_vm_stack_poll(iree_vm_stack_t* stack);
#define IREE_CY_VM_POLL_INTERVAL_NS INT64_C(20000000)

// The state of |module| in the stack's context; NOT_FOUND when it is not there.
IREE_API_EXPORT iree_status_t iree_vm_stack_query_module_state(
    iree_vm_stack_t* stack, const iree_vm_module_t* module,
    iree_vm_module_state_t** out_module_state);

// Calls |function| of the same context, as part of the same invocation: it
// shares its limits, deadline and lock. Arguments and results are as
// iree_vm_function_call_t says; their lengths are checked, results are zeroed
// first. For modules that call back.
IREE_API_EXPORT iree_status_t iree_cy_vm_stack_call(iree_vm_stack_t* stack,
                                                    iree_vm_function_t function,
                                                    iree_byte_span_t arguments,
                                                    iree_byte_span_t results);

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_VM_STACK_H_
