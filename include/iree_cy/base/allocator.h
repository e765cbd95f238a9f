// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns iree_allocator_t: how host memory is taken and given back.

#ifndef IREE_CY_BASE_ALLOCATOR_H_
#define IREE_CY_BASE_ALLOCATOR_H_

#include "iree_cy/base/status.h"

IREE_CY_EXTERN_C_BEGIN

typedef enum iree_allocator_command_e {
  IREE_ALLOCATOR_COMMAND_MALLOC = 0,
  IREE_ALLOCATOR_COMMAND_CALLOC = 1,
  IREE_ALLOCATOR_COMMAND_REALLOC = 2,
  IREE_ALLOCATOR_COMMAND_FREE = 3,
} iree_allocator_command_t;

typedef struct iree_allocator_alloc_params_t {
  iree_host_size_t byte_length;
} iree_allocator_alloc_params_t;

// Carries out |command|. |params| is iree_allocator_alloc_params_t except for
// FREE. Thread-safe.
typedef iree_status_t (*iree_allocator_ctl_fn_t)(
    void* self, iree_allocator_command_t command, const void* params,
    void** inout_ptr);

// A host allocator, passed by value. What one allocator gave goes back to the
// same one.
typedef struct iree_allocator_t {
  void* self;
  iree_allocator_ctl_fn_t ctl;
} iree_allocator_t;

// The C library's heap, as the core sees it.
IREE_API_EXPORT iree_allocator_t iree_allocator_system(void);

// Takes |byte_length| bytes, zeroed by malloc and calloc, not by
// malloc_uninitialized; aligned to 16. 0 bytes give a unique pointer.
IREE_API_EXPORT iree_status_t iree_allocator_malloc(
    iree_allocator_t allocator, iree_host_size_t byte_length, void** out_ptr);
IREE_API_EXPORT iree_status_t iree_allocator_malloc_uninitialized(
    iree_allocator_t allocator, iree_host_size_t byte_length, void** out_ptr);
// |count| * |size| bytes, zeroed; OUT_OF_RANGE when the product overflows.
IREE_API_EXPORT iree_status_t
iree_allocator_malloc_array(iree_allocator_t allocator, iree_host_size_t count,
                            iree_host_size_t size, void** out_ptr);
// Resizes; |*inout_ptr| may be NULL. On failure the old block stays.
IREE_API_EXPORT iree_status_t iree_allocator_realloc(
    iree_allocator_t allocator, iree_host_size_t byte_length, void** inout_ptr);
// A copy of |source|.
IREE_API_EXPORT iree_status_t iree_allocator_clone(
    iree_allocator_t allocator, iree_const_byte_span_t source, void** out_ptr);
// Gives back |ptr|, which may be NULL.
IREE_API_EXPORT void iree_allocator_free(iree_allocator_t allocator, void* ptr);

// The same with |alignment|, a power of two. Freed by free_aligned only.
IREE_API_EXPORT iree_status_t iree_allocator_malloc_aligned(
    iree_allocator_t allocator, iree_host_size_t byte_length,
    iree_host_size_t alignment, void** out_ptr);
IREE_API_EXPORT void iree_allocator_free_aligned(iree_allocator_t allocator,
                                                 void* ptr);

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_BASE_ALLOCATOR_H_
