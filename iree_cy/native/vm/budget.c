// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns budgets and the allocator that keeps within one.

#include "iree_cy/native/vm/budget.h"

struct iree_cy_vm_budget_t {
  iree_atomic_ref_count_t ref_count;
  uint64_t max_bytes;
  uint64_t used_bytes;
  iree_allocator_t allocator;
};

// Before each block, so that freeing it knows its size. 16 bytes keep the
// alignment of the block.
typedef struct iree_cy_vm_budget_block_t {
  iree_host_size_t byte_length;
  uint64_t reserved;
} iree_cy_vm_budget_block_t;
_Static_assert(sizeof(iree_cy_vm_budget_block_t) == 16, "keeps blocks aligned");

iree_status_t iree_cy_vm_budget_create(uint64_t max_bytes,
                                       iree_allocator_t allocator,
                                       iree_cy_vm_budget_t** out_budget) {
  *out_budget = NULL;
  iree_cy_vm_budget_t* budget = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc(allocator, sizeof(*budget), (void**)&budget));
  budget->ref_count = 1;
  budget->max_bytes = max_bytes;
  budget->allocator = allocator;
  *out_budget = budget;
  return iree_ok_status();
}

void iree_cy_vm_budget_release(iree_cy_vm_budget_t* budget) {
  if (budget && iree_atomic_ref_count_dec(&budget->ref_count) == 1) {
    iree_allocator_free(budget->allocator, budget);
  }
}

uint64_t iree_cy_vm_budget_used(const iree_cy_vm_budget_t* budget) {
  return __atomic_load_n(&budget->used_bytes, __ATOMIC_RELAXED);
}

static iree_status_t iree_cy_vm_budget_take(iree_cy_vm_budget_t* budget,
                                            uint64_t byte_length) {
  uint64_t used = __atomic_load_n(&budget->used_bytes, __ATOMIC_RELAXED);
  do {
    if (byte_length > budget->max_bytes - used) {
      return iree_make_status(IREE_STATUS_RESOURCE_EXHAUSTED,
                              "the program asks for %" PRIu64
                              " bytes and has %" PRIu64
                              "; the context's max_bytes is %" PRIu64,
                              byte_length, used, budget->max_bytes);
    }
  } while (!__atomic_compare_exchange_n(&budget->used_bytes, &used,
                                        used + byte_length, /*weak=*/true,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return iree_ok_status();
}

static void iree_cy_vm_budget_give(iree_cy_vm_budget_t* budget,
                                   uint64_t byte_length) {
  __atomic_fetch_sub(&budget->used_bytes, byte_length, __ATOMIC_RELAXED);
}

iree_status_t iree_cy_vm_budget_charge(iree_cy_vm_budget_t* budget,
                                       uint64_t byte_length) {
  IREE_RETURN_IF_ERROR(iree_cy_vm_budget_take(budget, byte_length));
  iree_atomic_ref_count_inc(&budget->ref_count);
  return iree_ok_status();
}

void iree_cy_vm_budget_credit(iree_cy_vm_budget_t* budget,
                              uint64_t byte_length) {
  if (!budget) return;
  iree_cy_vm_budget_give(budget, byte_length);
  iree_cy_vm_budget_release(budget);
}

static iree_status_t iree_cy_vm_budget_malloc(iree_cy_vm_budget_t* budget,
                                              iree_host_size_t byte_length,
                                              bool zeroed, void** out_ptr) {
  iree_host_size_t total_size = 0;
  if (!iree_host_size_checked_add(
          byte_length, sizeof(iree_cy_vm_budget_block_t), &total_size)) {
    total_size = IREE_HOST_SIZE_MAX;  // No allocator has it.
  }
  IREE_RETURN_IF_ERROR(iree_cy_vm_budget_charge(budget, byte_length));
  iree_cy_vm_budget_block_t* block = NULL;
  iree_status_t status =
      zeroed
          ? iree_allocator_malloc(budget->allocator, total_size, (void**)&block)
          : iree_allocator_malloc_uninitialized(budget->allocator, total_size,
                                                (void**)&block);
  if (!iree_status_is_ok(status)) {
    iree_cy_vm_budget_credit(budget, byte_length);
    return status;
  }
  block->byte_length = byte_length;
  *out_ptr = block + 1;
  return iree_ok_status();
}

static iree_status_t iree_cy_vm_budget_realloc(iree_cy_vm_budget_t* budget,
                                               iree_host_size_t byte_length,
                                               void** inout_ptr) {
  if (!*inout_ptr) {
    return iree_cy_vm_budget_malloc(budget, byte_length, /*zeroed=*/false,
                                    inout_ptr);
  }
  iree_cy_vm_budget_block_t* block = (iree_cy_vm_budget_block_t*)*inout_ptr - 1;
  const iree_host_size_t old_length = block->byte_length;
  iree_host_size_t total_size = 0;
  if (!iree_host_size_checked_add(byte_length, sizeof(*block), &total_size)) {
    total_size = IREE_HOST_SIZE_MAX;
  }
  if (byte_length > old_length) {
    IREE_RETURN_IF_ERROR(
        iree_cy_vm_budget_take(budget, byte_length - old_length));
  }
  iree_status_t status =
      iree_allocator_realloc(budget->allocator, total_size, (void**)&block);
  if (!iree_status_is_ok(status)) {
    if (byte_length > old_length) {
      iree_cy_vm_budget_give(budget, byte_length - old_length);
    }
    return status;
  }
  if (byte_length < old_length) {
    iree_cy_vm_budget_give(budget, old_length - byte_length);
  }
  block->byte_length = byte_length;
  *inout_ptr = block + 1;
  return iree_ok_status();
}

static iree_status_t iree_cy_vm_budget_ctl(void* self,
                                           iree_allocator_command_t command,
                                           const void* params,
                                           void** inout_ptr) {
  iree_cy_vm_budget_t* budget = (iree_cy_vm_budget_t*)self;
  const iree_allocator_alloc_params_t* alloc_params =
      (const iree_allocator_alloc_params_t*)params;
  switch (command) {
    case IREE_ALLOCATOR_COMMAND_MALLOC:
    case IREE_ALLOCATOR_COMMAND_CALLOC:
      return iree_cy_vm_budget_malloc(budget, alloc_params->byte_length,
                                      command == IREE_ALLOCATOR_COMMAND_CALLOC,
                                      inout_ptr);
    case IREE_ALLOCATOR_COMMAND_REALLOC:
      return iree_cy_vm_budget_realloc(budget, alloc_params->byte_length,
                                       inout_ptr);
    case IREE_ALLOCATOR_COMMAND_FREE:
      if (*inout_ptr) {
        iree_cy_vm_budget_block_t* block =
            (iree_cy_vm_budget_block_t*)*inout_ptr - 1;
        const iree_host_size_t byte_length = block->byte_length;
        iree_allocator_free(budget->allocator, block);
        *inout_ptr = NULL;
        iree_cy_vm_budget_credit(budget, byte_length);
      }
      return iree_ok_status();
  }
  return iree_make_status(IREE_STATUS_UNIMPLEMENTED,
                          "allocator command %d is not known", (int)command);
}

iree_allocator_t iree_cy_vm_budget_allocator(iree_cy_vm_budget_t* budget) {
  iree_allocator_t allocator = {budget, iree_cy_vm_budget_ctl};
  return allocator;
}
