// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns invocations: calling a function of a context from outside.

#ifndef IREE_CY_VM_INVOCATION_H_
#define IREE_CY_VM_INVOCATION_H_

#include "iree_cy/vm/context.h"
#include "iree_cy/vm/list.h"

IREE_CY_EXTERN_C_BEGIN

// Reserved; NULL.
typedef struct iree_vm_invocation_policy_t iree_vm_invocation_policy_t;

// Calls |function| of |context| and returns when it is done. One invocation of
// a stateful context waits for another to end; a call made on a thread that is
// inside an invocation of the same context is part of that one, and shares its
// limits, deadline and interrupt. |inputs| (may be NULL: none) has one element
// per argument: values convert as iree_vm_list_get_value_as says, references
// are borrowed. |outputs| (may be NULL when there are no results) is resized to
// the results. INVALID_ARGUMENT names the argument that does not fit, or says
// how many are wanted. UNIMPLEMENTED for conventions with C...D.
IREE_API_EXPORT iree_status_t iree_vm_invoke(
    iree_vm_context_t* context, iree_vm_function_t function,
    iree_vm_invocation_flags_t flags, const iree_vm_invocation_policy_t* policy,
    const iree_vm_list_t* inputs, iree_vm_list_t* outputs,
    iree_allocator_t allocator);
// The same with |options|, which may be NULL.
IREE_API_EXPORT iree_status_t iree_cy_vm_invoke(
    iree_vm_context_t* context, iree_vm_function_t function,
    const iree_cy_vm_call_options_t* options, const iree_vm_list_t* inputs,
    iree_vm_list_t* outputs, iree_allocator_t allocator);

// The same without lists: |arguments| and |results| are as
// iree_vm_function_call_t says, and their lengths are checked (|results| of a
// convention with C...D may be of any length). |results| is zeroed first;
// references in it are the caller's afterwards, also on failure. Allocates
// nothing when the context has a stack at rest.
IREE_API_EXPORT iree_status_t
iree_cy_vm_context_call(iree_vm_context_t* context, iree_vm_function_t function,
                        const iree_cy_vm_call_options_t* options,
                        iree_byte_span_t arguments, iree_byte_span_t results);

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_VM_INVOCATION_H_
