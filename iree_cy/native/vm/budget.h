// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns budgets: bytes that a context's program may have alive at one time.

#ifndef IREE_CY_NATIVE_VM_BUDGET_H_
#define IREE_CY_NATIVE_VM_BUDGET_H_

#include "iree_cy/vm/context.h"

// Makes a budget of |max_bytes|. What its allocator gives comes from
// |allocator|; each block and each charge keeps the budget, so that objects may
// outlive the context.
iree_status_t iree_cy_vm_budget_create(uint64_t max_bytes,
                                       iree_allocator_t allocator,
                                       iree_cy_vm_budget_t** out_budget);
void iree_cy_vm_budget_release(iree_cy_vm_budget_t* budget);

// Any thread.
iree_allocator_t iree_cy_vm_budget_allocator(iree_cy_vm_budget_t* budget);
uint64_t iree_cy_vm_budget_used(const iree_cy_vm_budget_t* budget);
// Counts |byte_length| and keeps the budget until iree_cy_vm_budget_credit.
iree_status_t iree_cy_vm_budget_charge(iree_cy_vm_budget_t* budget,
                                       uint64_t byte_length);

#endif  // IREE_CY_NATIVE_VM_BUDGET_H_
