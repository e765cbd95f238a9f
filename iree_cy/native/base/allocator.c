// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the system allocator and the typed calls over iree_allocator_ctl_fn_t.

#include "iree_cy/base/allocator.h"

#include <stdlib.h>

static iree_status_t iree_allocator_exhausted(iree_host_size_t byte_length) {
  return iree_make_status(IREE_STATUS_RESOURCE_EXHAUSTED,
                          "cannot allocate %" PRIhsz " bytes of host memory",
                          byte_length);
}

static iree_status_t iree_allocator_system_ctl(void* self,
                                               iree_allocator_command_t command,
                                               const void* params,
                                               void** inout_ptr) {
  (void)self;
  if (command == IREE_ALLOCATOR_COMMAND_FREE) {
    free(*inout_ptr);
    *inout_ptr = NULL;
    return iree_ok_status();
  }
  const iree_host_size_t byte_length =
      ((const iree_allocator_alloc_params_t*)params)->byte_length;
  // 0 bytes still give a pointer of their own.
  const iree_host_size_t size = byte_length ? byte_length : 1;
  void* block = NULL;
  switch (command) {
    case IREE_ALLOCATOR_COMMAND_MALLOC:
      block = malloc(size);
      break;
    case IREE_ALLOCATOR_COMMAND_CALLOC:
      block = calloc(1, size);
      break;
    case IREE_ALLOCATOR_COMMAND_REALLOC:
      block = realloc(*inout_ptr, size);
      break;
    default:
      return iree_make_status(IREE_STATUS_UNIMPLEMENTED,
                              "the system allocator has no command %d",
                              (int)command);
  }
  if (IREE_UNLIKELY(!block)) return iree_allocator_exhausted(byte_length);
  *inout_ptr = block;
  return iree_ok_status();
}

iree_allocator_t iree_allocator_system(void) {
  iree_allocator_t allocator = {NULL, iree_allocator_system_ctl};
  return allocator;
}

static iree_status_t iree_allocator_issue(iree_allocator_t allocator,
                                          iree_allocator_command_t command,
                                          iree_host_size_t byte_length,
                                          void** inout_ptr) {
  if (IREE_UNLIKELY(!allocator.ctl)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "the host allocator is null");
  }
  // No object is larger than half of the address space, and the C library may
  // be asked for no more.
  if (IREE_UNLIKELY(byte_length > (iree_host_size_t)PTRDIFF_MAX)) {
    return iree_allocator_exhausted(byte_length);
  }
  iree_allocator_alloc_params_t params = {byte_length};
  return allocator.ctl(allocator.self, command, &params, inout_ptr);
}

iree_status_t iree_allocator_malloc(iree_allocator_t allocator,
                                    iree_host_size_t byte_length,
                                    void** out_ptr) {
  *out_ptr = NULL;
  return iree_allocator_issue(allocator, IREE_ALLOCATOR_COMMAND_CALLOC,
                              byte_length, out_ptr);
}

iree_status_t iree_allocator_malloc_uninitialized(iree_allocator_t allocator,
                                                  iree_host_size_t byte_length,
                                                  void** out_ptr) {
  *out_ptr = NULL;
  return iree_allocator_issue(allocator, IREE_ALLOCATOR_COMMAND_MALLOC,
                              byte_length, out_ptr);
}

iree_status_t iree_allocator_malloc_array(iree_allocator_t allocator,
                                          iree_host_size_t count,
                                          iree_host_size_t size,
                                          void** out_ptr) {
  *out_ptr = NULL;
  iree_host_size_t byte_length = 0;
  if (IREE_UNLIKELY(!iree_host_size_checked_mul(count, size, &byte_length))) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "an array of %" PRIhsz " elements of %" PRIhsz
                            " bytes is larger than memory can be",
                            count, size);
  }
  return iree_allocator_malloc(allocator, byte_length, out_ptr);
}

iree_status_t iree_allocator_realloc(iree_allocator_t allocator,
                                     iree_host_size_t byte_length,
                                     void** inout_ptr) {
  return iree_allocator_issue(allocator, IREE_ALLOCATOR_COMMAND_REALLOC,
                              byte_length, inout_ptr);
}

iree_status_t iree_allocator_clone(iree_allocator_t allocator,
                                   iree_const_byte_span_t source,
                                   void** out_ptr) {
  IREE_RETURN_IF_ERROR(iree_allocator_malloc_uninitialized(
      allocator, source.data_length, out_ptr));
  if (source.data_length) memcpy(*out_ptr, source.data, source.data_length);
  return iree_ok_status();
}

void iree_allocator_free(iree_allocator_t allocator, void* ptr) {
  if (!ptr || !allocator.ctl) return;
  IREE_IGNORE_ERROR(
      allocator.ctl(allocator.self, IREE_ALLOCATOR_COMMAND_FREE, NULL, &ptr));
}

iree_status_t iree_allocator_malloc_aligned(iree_allocator_t allocator,
                                            iree_host_size_t byte_length,
                                            iree_host_size_t alignment,
                                            void** out_ptr) {
  *out_ptr = NULL;
  if (IREE_UNLIKELY(!iree_host_size_is_power_of_two(alignment))) {
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "an alignment of %" PRIhsz " bytes is not a power of two", alignment);
  }
  // The block's own address is kept in the word before the aligned part.
  iree_host_size_t total = 0;
  if (IREE_UNLIKELY(
          !iree_host_size_checked_add(byte_length, alignment, &total) ||
          !iree_host_size_checked_add(total, sizeof(void*), &total))) {
    return iree_allocator_exhausted(byte_length);
  }
  void* block = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(allocator, total, &block));
  uintptr_t address =
      ((uintptr_t)block + sizeof(void*) + alignment - 1) & ~(alignment - 1);
  // At least as aligned as a pointer, for the word before it.
  if (alignment < sizeof(void*)) {
    address = (uintptr_t)block + sizeof(void*);
  }
  void** aligned = (void**)address;
  aligned[-1] = block;
  *out_ptr = aligned;
  return iree_ok_status();
}

void iree_allocator_free_aligned(iree_allocator_t allocator, void* ptr) {
  if (!ptr) return;
  iree_allocator_free(allocator, ((void**)ptr)[-1]);
}
