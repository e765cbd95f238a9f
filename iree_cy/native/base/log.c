// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the log ring.

#include <sys/syscall.h>
#include <unistd.h>

#include "iree_cy/native/base/fork.h"
#include "iree_cy/native/base/log_ring.h"

static iree_cy_mutex_t iree_cy_log_mutex = 0;
static iree_cy_log_record_t iree_cy_log_records[IREE_CY_LOG_RING_CAPACITY];
// Records ever written and ever taken or dropped; written under the mutex.
static uint64_t iree_cy_log_head = 0;
static uint64_t iree_cy_log_tail = 0;
static uint64_t iree_cy_log_dropped = 0;

// Cuts at |capacity|, before a UTF-8 sequence that would be cut in two.
static uint32_t iree_cy_log_copy(iree_string_view_t source, uint32_t capacity,
                                 char* target) {
  if (!source.data) return 0;
  iree_host_size_t length = iree_min(source.size, (iree_host_size_t)capacity);
  if (length < source.size) {
    iree_host_size_t start = length;
    while (start > 0 && length - start < 3 &&
           ((uint8_t)source.data[start] & 0xC0) == 0x80) {
      --start;
    }
    if (((uint8_t)source.data[start] & 0xC0) != 0x80) length = start;
  }
  memcpy(target, source.data, length);
  return (uint32_t)length;
}

void iree_cy_log(iree_cy_log_level_t level, iree_string_view_t domain,
                 iree_string_view_t text) {
  static uint32_t is_guarded = 0;
  if (!__atomic_load_n(&is_guarded, __ATOMIC_ACQUIRE)) {
    iree_cy_fork_guard(&iree_cy_log_mutex);
    __atomic_store_n(&is_guarded, 1, __ATOMIC_RELEASE);
  }
  const iree_time_t now = iree_time_now();
  const uint32_t thread_id = (uint32_t)syscall(SYS_gettid);
  iree_cy_mutex_lock(&iree_cy_log_mutex);
  if (iree_cy_log_head - iree_cy_log_tail == IREE_CY_LOG_RING_CAPACITY) {
    __atomic_store_n(&iree_cy_log_tail, iree_cy_log_tail + 1, __ATOMIC_RELEASE);
    ++iree_cy_log_dropped;
  }
  iree_cy_log_record_t* record =
      &iree_cy_log_records[iree_cy_log_head % IREE_CY_LOG_RING_CAPACITY];
  record->level = level;
  record->thread_id = thread_id;
  record->time = now;
  record->domain_length =
      iree_cy_log_copy(domain, IREE_CY_LOG_MAX_DOMAIN_LENGTH, record->domain);
  record->text_length =
      iree_cy_log_copy(text, IREE_CY_LOG_MAX_TEXT_LENGTH, record->text);
  __atomic_store_n(&iree_cy_log_head, iree_cy_log_head + 1, __ATOMIC_RELEASE);
  iree_cy_mutex_unlock(&iree_cy_log_mutex);
}

bool iree_cy_log_ring_is_empty(void) {
  return __atomic_load_n(&iree_cy_log_tail, __ATOMIC_ACQUIRE) ==
         __atomic_load_n(&iree_cy_log_head, __ATOMIC_ACQUIRE);
}

bool iree_cy_log_ring_pop(iree_cy_log_record_t* out_record) {
  if (iree_cy_log_ring_is_empty()) return false;
  iree_cy_mutex_lock(&iree_cy_log_mutex);
  const bool has_record = iree_cy_log_tail != iree_cy_log_head;
  if (has_record) {
    *out_record =
        iree_cy_log_records[iree_cy_log_tail % IREE_CY_LOG_RING_CAPACITY];
    __atomic_store_n(&iree_cy_log_tail, iree_cy_log_tail + 1, __ATOMIC_RELEASE);
  }
  iree_cy_mutex_unlock(&iree_cy_log_mutex);
  return has_record;
}

uint64_t iree_cy_log_ring_position(void) {
  return __atomic_load_n(&iree_cy_log_head, __ATOMIC_ACQUIRE);
}

bool iree_cy_log_ring_peek_error(uint64_t position,
                                 iree_cy_log_record_t* out_record) {
  const uint32_t thread_id = (uint32_t)syscall(SYS_gettid);
  bool is_found = false;
  iree_cy_mutex_lock(&iree_cy_log_mutex);
  // What was popped meanwhile is there until it is overwritten.
  uint64_t first = iree_cy_log_head > IREE_CY_LOG_RING_CAPACITY
                       ? iree_cy_log_head - IREE_CY_LOG_RING_CAPACITY
                       : 0;
  first = iree_max(first, position);
  for (uint64_t i = iree_cy_log_head; i > first && !is_found; --i) {
    const iree_cy_log_record_t* record =
        &iree_cy_log_records[(i - 1) % IREE_CY_LOG_RING_CAPACITY];
    if (record->level == IREE_CY_LOG_LEVEL_ERROR &&
        record->thread_id == thread_id) {
      *out_record = *record;
      is_found = true;
    }
  }
  iree_cy_mutex_unlock(&iree_cy_log_mutex);
  return is_found;
}

uint64_t iree_cy_log_ring_take_dropped(void) {
  iree_cy_mutex_lock(&iree_cy_log_mutex);
  const uint64_t dropped = iree_cy_log_dropped;
  iree_cy_log_dropped = 0;
  iree_cy_mutex_unlock(&iree_cy_log_mutex);
  return dropped;
}
