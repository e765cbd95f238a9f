// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the way of news from any thread to one that waits for a descriptor.

#ifndef IREE_CY_NATIVE_BASE_COMPLETION_QUEUE_H_
#define IREE_CY_NATIVE_BASE_COMPLETION_QUEUE_H_

#include "iree_cy/base/status.h"

// What has completed, in order, and an eventfd that is readable while there is
// something. Reference counted; each completion holds a reference.
typedef struct iree_cy_completion_queue_t iree_cy_completion_queue_t;

// Something that will complete. It is made before, so that completing it can
// neither fail nor allocate.
typedef struct iree_cy_completion_t iree_cy_completion_t;
struct iree_cy_completion_t {
  iree_cy_completion_t* next;
  iree_cy_completion_queue_t* queue;
  // Whoever makes it knows it by this.
  uint64_t key;
  iree_status_t status;
};

iree_status_t iree_cy_completion_queue_create(
    iree_cy_completion_queue_t** out_queue);
void iree_cy_completion_queue_retain(iree_cy_completion_queue_t* queue);
void iree_cy_completion_queue_release(iree_cy_completion_queue_t* queue);

// The eventfd, borrowed; -1 when the queue is closed. For the thread that also
// closes it.
int iree_cy_completion_queue_descriptor(
    const iree_cy_completion_queue_t* queue);
// Whether a forked child has it from its parent. Its descriptor is the parent's
// too: the child neither reads nor writes it, and only closes its own copy.
bool iree_cy_completion_queue_is_inherited(
    const iree_cy_completion_queue_t* queue);
// Before the last release. Frees what is there and what completes later, and
// closes the descriptor, which is not touched again. Again is nothing.
void iree_cy_completion_queue_close(iree_cy_completion_queue_t* queue);
// Takes all that is there, linked, oldest first, and resets the descriptor.
iree_cy_completion_t* iree_cy_completion_queue_take(
    iree_cy_completion_queue_t* queue);

iree_status_t iree_cy_completion_create(iree_cy_completion_queue_t* queue,
                                        uint64_t key,
                                        iree_cy_completion_t** out_completion);
// One that is not listed. May be NULL.
void iree_cy_completion_free(iree_cy_completion_t* completion);
// Takes |completion|, an iree_cy_completion_t, and |status|. Any thread; never
// blocks. Fits waits as their callback.
void iree_cy_completion_complete(void* completion, iree_status_t status);
// The same with OK.
void iree_cy_completion_succeed(void* completion);

#endif  // IREE_CY_NATIVE_BASE_COMPLETION_QUEUE_H_
