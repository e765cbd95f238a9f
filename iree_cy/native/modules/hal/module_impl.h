// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what the files of the hal module share: its state and its exports.

#ifndef IREE_CY_NATIVE_MODULES_HAL_MODULE_IMPL_H_
#define IREE_CY_NATIVE_MODULES_HAL_MODULE_IMPL_H_

#include "iree_cy/native/modules/hal/arguments.h"
#include "iree_cy/native/modules/hal/choice.h"
#include "iree_cy/native/modules/hal/mismatch.h"

// Most dimensions of a shape that programs pass.
#define IREE_HAL_MODULE_MAX_RANK 128
// Most elements of a list that is put on the C stack; longer ones go through
// the program allocator.
#define IREE_HAL_MODULE_STACK_LIST_CAPACITY 64

// The module, shared by all contexts it is in.
typedef struct iree_hal_module_t {
  iree_allocator_t host_allocator;
  iree_host_size_t device_count;
  iree_hal_device_t* devices[];
} iree_hal_module_t;

// Its state in one context. Calls may come from several threads at once.
typedef struct iree_hal_module_state_t {
  iree_allocator_t host_allocator;
  const iree_hal_module_t* module;
  iree_hal_module_mismatch_t mismatch;
  iree_hal_module_choice_t choice;
  // One for each device, made when it is first needed; published atomically.
  iree_hal_executable_cache_t* executable_caches[];
} iree_hal_module_state_t;

// Defines the export iree_hal_module_<name>, and |args| to read its arguments.
#define IREE_HAL_MODULE_EXPORT(name)                            \
  iree_status_t iree_hal_module_##name(                         \
      iree_vm_stack_t* stack, void* module, void* module_state, \
      iree_byte_span_t arguments, iree_byte_span_t results)
#define IREE_HAL_MODULE_ARGUMENTS(function)                                \
  iree_hal_module_arguments_t args =                                       \
      iree_hal_module_arguments(function, arguments);                      \
  iree_hal_module_state_t* state = (iree_hal_module_state_t*)module_state; \
  (void)stack;                                                             \
  (void)module;                                                            \
  (void)state;                                                             \
  (void)args;                                                              \
  (void)results

// The exports.
#define IREE_HAL_MODULE_DECLARE_EXPORT(name, function, convention) \
  IREE_HAL_MODULE_EXPORT(function);
#include "iree_cy/native/modules/hal/exports.inl"
#undef IREE_HAL_MODULE_DECLARE_EXPORT

// Counts |byte_length| of device memory against the context's max_bytes before
// it is allocated. |*out_budget| goes to one of the two below.
IREE_MUST_USE_RESULT iree_status_t
iree_hal_module_charge(iree_vm_stack_t* stack, uint64_t byte_length,
                       iree_cy_vm_budget_t** out_budget);
// Gives the bytes back when |buffer| goes. On failure they are given back now.
IREE_MUST_USE_RESULT iree_status_t iree_hal_module_charge_buffer(
    iree_cy_vm_budget_t* budget, uint64_t byte_length,
    iree_allocator_t host_allocator, iree_hal_buffer_t* buffer);
// The allocation has failed: gives them back now.
static inline void iree_hal_module_uncharge(iree_cy_vm_budget_t* budget,
                                            uint64_t byte_length) {
  if (budget) iree_cy_vm_budget_credit(budget, byte_length);
}

#endif  // IREE_CY_NATIVE_MODULES_HAL_MODULE_IMPL_H_
