// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the counting and failing of the tests' allocator.

#include "tests/support/failing_allocator.h"

static iree_status_t failing_allocator_ctl(void* self,
                                           iree_allocator_command_t command,
                                           const void* params,
                                           void** inout_ptr) {
  failing_allocator_t* state = (failing_allocator_t*)self;
  const iree_allocator_t inner = iree_allocator_system();
  if (command == IREE_ALLOCATOR_COMMAND_FREE) {
    if (*inout_ptr) {
      __atomic_fetch_sub(&state->live_blocks, 1, __ATOMIC_RELAXED);
    }
    return inner.ctl(inner.self, command, params, inout_ptr);
  }
  int64_t remaining = __atomic_load_n(&state->remaining, __ATOMIC_RELAXED);
  while (remaining > 0 && !__atomic_compare_exchange_n(
                              &state->remaining, &remaining, remaining - 1,
                              true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  if (remaining == 0) {
    return iree_make_status(IREE_STATUS_RESOURCE_EXHAUSTED,
                            "this allocation was made to fail");
  }
  const bool is_new = command != IREE_ALLOCATOR_COMMAND_REALLOC || !*inout_ptr;
  IREE_RETURN_IF_ERROR(inner.ctl(inner.self, command, params, inout_ptr));
  if (is_new) __atomic_fetch_add(&state->live_blocks, 1, __ATOMIC_RELAXED);
  return iree_ok_status();
}

iree_allocator_t failing_allocator(failing_allocator_t* state) {
  const iree_allocator_t allocator = {state, failing_allocator_ctl};
  return allocator;
}
