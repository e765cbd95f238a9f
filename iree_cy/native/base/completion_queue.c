// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the list of what has completed, and the eventfd that tells of it.

#include "iree_cy/native/base/completion_queue.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "iree_cy/base/allocator.h"
#include "iree_cy/native/base/fork.h"

struct iree_cy_completion_queue_t {
  uint32_t ref_count;
  uint32_t fork_generation;
  // Guards what follows. Also held over writes and reads of the descriptor, so
  // that none can come after it is closed and its number is somebody else's.
  iree_cy_mutex_t lock;
  // -1 when closed.
  int descriptor;
  // What has completed. The descriptor is written when the list stops being
  // empty.
  iree_cy_completion_t* first;
  iree_cy_completion_t** last_next;
};

iree_status_t iree_cy_completion_queue_create(
    iree_cy_completion_queue_t** out_queue) {
  *out_queue = NULL;
  iree_cy_completion_queue_t* queue = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(iree_allocator_system(),
                                             sizeof(*queue), (void**)&queue));
  queue->ref_count = 1;
  queue->fork_generation = *iree_cy_fork_generation_pointer();
  queue->last_next = &queue->first;
  queue->descriptor = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (queue->descriptor < 0) {
    const int error = errno;
    iree_allocator_free(iree_allocator_system(), queue);
    return iree_make_status(iree_status_code_from_errno(error),
                            "no descriptor for a queue of completions: %s",
                            strerror(error));
  }
  *out_queue = queue;
  return iree_ok_status();
}

void iree_cy_completion_queue_retain(iree_cy_completion_queue_t* queue) {
  __atomic_fetch_add(&queue->ref_count, 1, __ATOMIC_RELAXED);
}

void iree_cy_completion_queue_release(iree_cy_completion_queue_t* queue) {
  if (!queue) return;
  if (__atomic_fetch_sub(&queue->ref_count, 1, __ATOMIC_ACQ_REL) != 1) return;
  // Nothing is listed: what is holds a reference.
  if (queue->descriptor >= 0) close(queue->descriptor);
  iree_allocator_free(iree_allocator_system(), queue);
}

int iree_cy_completion_queue_descriptor(
    const iree_cy_completion_queue_t* queue) {
  return queue->descriptor;
}

bool iree_cy_completion_queue_is_inherited(
    const iree_cy_completion_queue_t* queue) {
  return queue->fork_generation != *iree_cy_fork_generation_pointer();
}

// Under the lock. Takes all that has completed.
static iree_cy_completion_t* completion_queue_detach(
    iree_cy_completion_queue_t* queue) {
  iree_cy_completion_t* first = queue->first;
  queue->first = NULL;
  queue->last_next = &queue->first;
  return first;
}

void iree_cy_completion_queue_close(iree_cy_completion_queue_t* queue) {
  iree_cy_mutex_lock(&queue->lock);
  const int descriptor = queue->descriptor;
  queue->descriptor = -1;
  iree_cy_completion_t* listed = completion_queue_detach(queue);
  iree_cy_mutex_unlock(&queue->lock);
  if (descriptor >= 0) close(descriptor);
  while (listed) {
    iree_cy_completion_t* next = listed->next;
    iree_cy_completion_free(listed);
    listed = next;
  }
}

iree_cy_completion_t* iree_cy_completion_queue_take(
    iree_cy_completion_queue_t* queue) {
  if (iree_cy_completion_queue_is_inherited(queue)) return NULL;
  iree_cy_mutex_lock(&queue->lock);
  if (queue->first) {
    uint64_t count = 0;
    // It was written when the list stopped being empty.
    const ssize_t size = read(queue->descriptor, &count, sizeof(count));
    (void)size;
  }
  iree_cy_completion_t* first = completion_queue_detach(queue);
  iree_cy_mutex_unlock(&queue->lock);
  return first;
}

iree_status_t iree_cy_completion_create(iree_cy_completion_queue_t* queue,
                                        uint64_t key,
                                        iree_cy_completion_t** out_completion) {
  *out_completion = NULL;
  iree_cy_completion_t* completion = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(
      iree_allocator_system(), sizeof(*completion), (void**)&completion));
  completion->queue = queue;
  iree_cy_completion_queue_retain(queue);
  completion->key = key;
  *out_completion = completion;
  return iree_ok_status();
}

void iree_cy_completion_free(iree_cy_completion_t* completion) {
  if (!completion) return;
  iree_cy_completion_queue_t* queue = completion->queue;
  iree_status_free(completion->status);
  iree_allocator_free(iree_allocator_system(), completion);
  iree_cy_completion_queue_release(queue);
}

void iree_cy_completion_complete(void* user_data, iree_status_t status) {
  iree_cy_completion_t* completion = (iree_cy_completion_t*)user_data;
  iree_cy_completion_queue_t* queue = completion->queue;
  completion->status = status;
  completion->next = NULL;
  // The completion may be taken and freed, and its reference with it, before
  // the lock is let go.
  iree_cy_completion_queue_retain(queue);
  iree_cy_mutex_lock(&queue->lock);
  const bool is_wanted =
      queue->descriptor >= 0 && !iree_cy_completion_queue_is_inherited(queue);
  if (is_wanted) {
    if (!queue->first) {
      const uint64_t one = 1;
      // Fails only when it is readable already.
      const ssize_t size = write(queue->descriptor, &one, sizeof(one));
      (void)size;
    }
    *queue->last_next = completion;
    queue->last_next = &completion->next;
  }
  iree_cy_mutex_unlock(&queue->lock);
  if (!is_wanted) iree_cy_completion_free(completion);
  iree_cy_completion_queue_release(queue);
}

void iree_cy_completion_succeed(void* completion) {
  iree_cy_completion_complete(completion, iree_ok_status());
}
