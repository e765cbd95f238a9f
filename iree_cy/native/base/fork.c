// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the fork handler, the global locks that it takes, and the generation.

#include "iree_cy/native/base/fork.h"

#include <pthread.h>

#include "iree_cy/native/base/gate.h"

enum { MAX_GUARDED_COUNT = 16 };

static volatile uint32_t iree_cy_fork_generation_value = 0;
static uint32_t iree_cy_fork_is_installed = 0;

// Guards the list below, and is itself held over the fork.
static iree_cy_mutex_t iree_cy_fork_mutex = 0;
static iree_cy_mutex_t* iree_cy_fork_guarded[MAX_GUARDED_COUNT] = {0};
static size_t iree_cy_fork_guarded_count = 0;

static void iree_cy_fork_before(void) {
  iree_cy_mutex_lock(&iree_cy_fork_mutex);
  for (size_t i = 0; i < iree_cy_fork_guarded_count; ++i) {
    iree_cy_mutex_lock(iree_cy_fork_guarded[i]);
  }
}

static void iree_cy_fork_after_in_parent(void) {
  for (size_t i = iree_cy_fork_guarded_count; i > 0; --i) {
    iree_cy_mutex_unlock(iree_cy_fork_guarded[i - 1]);
  }
  iree_cy_mutex_unlock(&iree_cy_fork_mutex);
}

static void iree_cy_fork_after_in_child(void) {
  iree_cy_fork_generation_value = iree_cy_fork_generation_value + 1;
  __atomic_store_n(&iree_cy_mutex_holder_mark,
                   (uint32_t)iree_cy_fork_generation_value << 2,
                   __ATOMIC_RELAXED);
  iree_cy_gate_forget_work();
  iree_cy_fork_after_in_parent();
}

bool iree_cy_fork_initialize(void) {
  if (__atomic_exchange_n(&iree_cy_fork_is_installed, 1, __ATOMIC_ACQ_REL)) {
    return true;
  }
  if (pthread_atfork(iree_cy_fork_before, iree_cy_fork_after_in_parent,
                     iree_cy_fork_after_in_child) == 0) {
    return true;
  }
  __atomic_store_n(&iree_cy_fork_is_installed, 0, __ATOMIC_RELEASE);
  return false;
}

const volatile uint32_t* iree_cy_fork_generation_pointer(void) {
  return &iree_cy_fork_generation_value;
}

void iree_cy_fork_guard(iree_cy_mutex_t* mutex) {
  iree_cy_mutex_lock(&iree_cy_fork_mutex);
  bool is_known = false;
  for (size_t i = 0; i < iree_cy_fork_guarded_count; ++i) {
    is_known = is_known || iree_cy_fork_guarded[i] == mutex;
  }
  if (!is_known) {
    // The core's own globals, whose number is fixed when it is compiled.
    assert(iree_cy_fork_guarded_count < MAX_GUARDED_COUNT);
    if (iree_cy_fork_guarded_count < MAX_GUARDED_COUNT) {
      iree_cy_fork_guarded[iree_cy_fork_guarded_count++] = mutex;
    }
  }
  iree_cy_mutex_unlock(&iree_cy_fork_mutex);
}
