// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the reading side of the log ring.

#ifndef IREE_CY_NATIVE_BASE_LOG_RING_H_
#define IREE_CY_NATIVE_BASE_LOG_RING_H_

#include "iree_cy/base/log.h"
#include "iree_cy/base/time.h"

enum {
  IREE_CY_LOG_RING_CAPACITY = 256,
  IREE_CY_LOG_MAX_DOMAIN_LENGTH = 64,
  IREE_CY_LOG_MAX_TEXT_LENGTH = 1024,
};

// One record. The texts are UTF-8 when they were so, and not NUL-terminated.
typedef struct iree_cy_log_record_t {
  iree_cy_log_level_t level;
  uint32_t domain_length;
  uint32_t text_length;
  // Kernel's number of the thread that logged.
  uint32_t thread_id;
  // When it was logged.
  iree_time_t time;
  char domain[IREE_CY_LOG_MAX_DOMAIN_LENGTH];
  char text[IREE_CY_LOG_MAX_TEXT_LENGTH];
} iree_cy_log_record_t;

// Whether there is nothing to pop: two loads, no lock.
bool iree_cy_log_ring_is_empty(void);

// Moves the oldest record to |*out_record|; false when there is none. Any
// thread.
bool iree_cy_log_ring_pop(iree_cy_log_record_t* out_record);

// How many records have ever been written.
uint64_t iree_cy_log_ring_position(void);

// Copies the last ERROR that this thread wrote at |position| or later to
// |*out_record|, popped or not; false when there is none, or others have
// overwritten it. Takes nothing out of the ring.
bool iree_cy_log_ring_peek_error(uint64_t position,
                                 iree_cy_log_record_t* out_record);

// Records that were dropped because the ring was full, since the last call.
uint64_t iree_cy_log_ring_take_dropped(void);

#endif  // IREE_CY_NATIVE_BASE_LOG_RING_H_
