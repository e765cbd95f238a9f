// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns taking and giving back workers.

#include "workers.h"

#include "futex.h"

// What |generation| is while one thread of a forked child resets the rest.
#define LOCAL_WORKERS_RESETTING UINT32_MAX

void local_workers_initialize(uint32_t first_worker_id,
                              local_workers_t* out_workers) {
  memset(out_workers, 0, sizeof(*out_workers));
  out_workers->free = UINT32_MAX;
  out_workers->generation = iree_cy_fork_generation();
  for (uint32_t i = 0; i < LOCAL_MAX_CALLER_COUNT; ++i) {
    out_workers->workers[i].worker_id = first_worker_id + i;
  }
}

void local_workers_deinitialize(local_workers_t* workers,
                                iree_allocator_t host_allocator) {
  for (uint32_t i = 0; i < LOCAL_MAX_CALLER_COUNT; ++i) {
    iree_allocator_free_aligned(host_allocator,
                                workers->workers[i].local_memory.data);
  }
}

// In a forked child the other threads and what they held are gone. Local memory
// may be in the middle of being grown: it is left behind.
static __attribute__((cold, noinline)) void local_workers_reset(
    local_workers_t* workers) {
  const uint32_t now = iree_cy_fork_generation();
  uint32_t generation = __atomic_load_n(&workers->generation, __ATOMIC_ACQUIRE);
  while (generation != now) {
    if (generation != LOCAL_WORKERS_RESETTING &&
        __atomic_compare_exchange_n(&workers->generation, &generation,
                                    LOCAL_WORKERS_RESETTING, false,
                                    __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
      const uint32_t held = ~__atomic_load_n(&workers->free, __ATOMIC_RELAXED);
      for (uint32_t i = 0; i < LOCAL_MAX_CALLER_COUNT; ++i) {
        if (held & (1u << i)) {
          workers->workers[i].local_memory = iree_byte_span_empty();
        }
      }
      __atomic_store_n(&workers->waiting_count, 0, __ATOMIC_RELAXED);
      __atomic_store_n(&workers->free, UINT32_MAX, __ATOMIC_RELAXED);
      __atomic_store_n(&workers->generation, now, __ATOMIC_RELEASE);
      return;
    }
    generation = __atomic_load_n(&workers->generation, __ATOMIC_ACQUIRE);
  }
}

// NULL unless more than |kept_count| are free.
static local_worker_t* local_workers_look(local_workers_t* workers,
                                          uint32_t kept_count) {
  uint32_t free = __atomic_load_n(&workers->free, __ATOMIC_SEQ_CST);
  while (free && (uint32_t)__builtin_popcount(free) > kept_count) {
    const uint32_t bit = free & (0u - free);
    if (__atomic_compare_exchange_n(&workers->free, &free, free & ~bit,
                                    /*weak=*/true, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST)) {
      return &workers->workers[__builtin_ctz(bit)];
    }
  }
  return NULL;
}

local_worker_t* local_workers_try_take(local_workers_t* workers,
                                       uint32_t kept_count) {
  if (IREE_UNLIKELY(__atomic_load_n(&workers->generation, __ATOMIC_ACQUIRE) !=
                    iree_cy_fork_generation())) {
    local_workers_reset(workers);
  }
  return local_workers_look(workers, kept_count);
}

local_worker_t* local_workers_take(local_workers_t* workers) {
  local_worker_t* worker = local_workers_try_take(workers, 0);
  if (IREE_LIKELY(worker)) return worker;
  // Counted before it looks again, so that whoever frees a worker either is
  // seen by the look or sees the count.
  __atomic_fetch_add(&workers->waiting_count, 1, __ATOMIC_SEQ_CST);
  while (!(worker = local_workers_look(workers, 0))) {
    local_futex_wait(&workers->free, 0, IREE_TIME_INFINITE_FUTURE);
  }
  __atomic_fetch_sub(&workers->waiting_count, 1, __ATOMIC_SEQ_CST);
  return worker;
}

void local_workers_give(local_workers_t* workers, local_worker_t* worker) {
  __atomic_fetch_or(&workers->free, 1u << (worker - workers->workers),
                    __ATOMIC_SEQ_CST);
  if (IREE_UNLIKELY(
          __atomic_load_n(&workers->waiting_count, __ATOMIC_SEQ_CST))) {
    local_futex_wake(&workers->free, 1);
  }
}
