// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the call lock of a stateful context.

#ifndef IREE_CY_NATIVE_VM_CALL_LOCK_H_
#define IREE_CY_NATIVE_VM_CALL_LOCK_H_

#include "iree_cy/native/vm/context_impl.h"

// Takes the lock, waiting as long as |options| allow: DEADLINE_EXCEEDED, or
// what the interrupt function says.
IREE_MUST_USE_RESULT iree_status_t iree_cy_vm_call_lock_acquire(
    iree_vm_context_t* context, const iree_cy_vm_call_options_t* options);
void iree_cy_vm_call_lock_release(iree_vm_context_t* context);

#endif  // IREE_CY_NATIVE_VM_CALL_LOCK_H_
