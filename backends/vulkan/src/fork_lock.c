// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the lock that keeps a fork from coming in the middle of a call of the
// Vulkan loader.

#include "fork_lock.h"

#include <pthread.h>
#include <time.h>

#define VULKAN_FORK_WAIT_S 5

static pthread_mutex_t vulkan_fork_mutex;
// Whether the fork that is under way has the lock; its thread's alone.
static bool vulkan_fork_has_lock = false;

static void vulkan_fork_mutex_make(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&vulkan_fork_mutex, &attributes);
  pthread_mutexattr_destroy(&attributes);
}

static void vulkan_before_fork(void) {
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += VULKAN_FORK_WAIT_S;
  vulkan_fork_has_lock =
      pthread_mutex_timedlock(&vulkan_fork_mutex, &deadline) == 0;
}

static void vulkan_after_fork_in_parent(void) {
  if (!vulkan_fork_has_lock) return;
  vulkan_fork_has_lock = false;
  pthread_mutex_unlock(&vulkan_fork_mutex);
}

// Whoever held it is not here: a new one.
static void vulkan_after_fork_in_child(void) {
  vulkan_fork_has_lock = false;
  vulkan_fork_mutex_make();
}

static int vulkan_fork_lock_result = 0;
static void vulkan_fork_lock_make(void) {
  vulkan_fork_mutex_make();
  vulkan_fork_lock_result =
      pthread_atfork(vulkan_before_fork, vulkan_after_fork_in_parent,
                     vulkan_after_fork_in_child);
}

iree_status_t vulkan_fork_lock_initialize(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, vulkan_fork_lock_make);
  if (vulkan_fork_lock_result == 0) return iree_ok_status();
  return iree_make_status(IREE_STATUS_RESOURCE_EXHAUSTED,
                          "pthread_atfork has no memory");
}

void vulkan_fork_lock_acquire(void) { pthread_mutex_lock(&vulkan_fork_mutex); }
void vulkan_fork_lock_release(void) {
  pthread_mutex_unlock(&vulkan_fork_mutex);
}
