// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns counting device buffers against a context's max_bytes.

#include "iree_cy/native/modules/hal/module_impl.h"

// Goes along with a buffer that is counted.
typedef struct iree_hal_module_charge_t {
  iree_allocator_t host_allocator;
  iree_cy_vm_budget_t* budget;
  uint64_t byte_length;
  // Who wanted the buffer back before, a pool for one.
  iree_hal_buffer_release_callback_t next;
} iree_hal_module_charge_t;

iree_status_t iree_hal_module_charge(iree_vm_stack_t* stack,
                                     uint64_t byte_length,
                                     iree_cy_vm_budget_t** out_budget) {
  return iree_cy_vm_context_charge(iree_cy_vm_stack_context(stack), byte_length,
                                   out_budget);
}

static void iree_hal_module_credit_buffer(void* user_data,
                                          iree_hal_buffer_t* buffer) {
  iree_hal_module_charge_t* charge = (iree_hal_module_charge_t*)user_data;
  iree_hal_buffer_set_recycle_callback(buffer, charge->next);
  iree_cy_vm_budget_credit(charge->budget, charge->byte_length);
  iree_allocator_free(charge->host_allocator, charge);
  // The last reference is handed on: to the pool, or to the end.
  iree_hal_buffer_release(buffer);
}

iree_status_t iree_hal_module_charge_buffer(iree_cy_vm_budget_t* budget,
                                            uint64_t byte_length,
                                            iree_allocator_t host_allocator,
                                            iree_hal_buffer_t* buffer) {
  if (!budget) return iree_ok_status();
  iree_hal_module_charge_t* charge = NULL;
  iree_status_t status =
      iree_allocator_malloc(host_allocator, sizeof(*charge), (void**)&charge);
  if (!iree_status_is_ok(status)) {
    iree_cy_vm_budget_credit(budget, byte_length);
    return status;
  }
  charge->host_allocator = host_allocator;
  charge->budget = budget;
  charge->byte_length = byte_length;
  iree_hal_buffer_release_callback_t callback = {iree_hal_module_credit_buffer,
                                                 charge};
  charge->next = iree_hal_buffer_set_recycle_callback(buffer, callback);
  return iree_ok_status();
}
