// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the running averages of what functions take, by which work is shared.

#ifndef IREE_CY_LOCAL_TASK_COSTS_H_
#define IREE_CY_LOCAL_TASK_COSTS_H_

#include "../recording.h"
#include "../workers.h"

#define TASK_COST_COUNT 1024

// Of the process. Each entry is a function's key and what one workgroup takes,
// in sixteenths of a nanosecond. Functions that share an entry take turns in
// it. Atomic.
extern uint64_t task_costs[TASK_COST_COUNT];

static inline uint64_t* task_cost_entry(uint32_t key) {
  return &task_costs[(key >> 1) % TASK_COST_COUNT];
}

// What |workgroup_count| workgroups take, in nanoseconds, at most UINT32_MAX;
// 0 when it is not known.
static inline uint64_t task_cost_estimate(uint32_t key,
                                          uint64_t workgroup_count) {
  const uint64_t entry =
      __atomic_load_n(task_cost_entry(key), __ATOMIC_RELAXED);
  if (IREE_UNLIKELY((uint32_t)(entry >> 32) != key)) return 0;
  uint64_t cost = 0;
  if (__builtin_mul_overflow((uint64_t)(uint32_t)entry, workgroup_count,
                             &cost)) {
    return UINT32_MAX;
  }
  return iree_min(cost / 16 + 1, (uint64_t)UINT32_MAX);
}

// Takes in that |workgroup_count| workgroups took |duration|. What took longer
// than usual may have been interrupted, and counts less.
static inline void task_cost_update(uint32_t key, uint64_t workgroup_count,
                                    iree_duration_t duration) {
  uint64_t* entry = task_cost_entry(key);
  const uint64_t old = __atomic_load_n(entry, __ATOMIC_RELAXED);
  const uint64_t limit = UINT32_MAX;
  uint64_t cost =
      (uint64_t)iree_max(duration, (iree_duration_t)0) * 16 / workgroup_count;
  cost = iree_min(iree_max(cost, (uint64_t)1), limit);
  if ((uint32_t)(old >> 32) == key) {
    const uint64_t before = (uint32_t)old;
    cost = cost < before ? (before + cost) / 2 : (before * 3 + cost) / 4;
  }
  __atomic_store_n(entry, (uint64_t)key << 32 | cost, __ATOMIC_RELAXED);
}

// Whether |worker| takes the time of something that is thought to take |cost|:
// of what is short only now and then.
static inline bool task_cost_is_timed(local_worker_t* worker, uint64_t cost) {
  return cost == 0 || cost >= 5000 || ++worker->tick % 32 == 0;
}

// |executable| is new: what is known is of one that was where it is.
static inline void task_costs_forget(iree_hal_executable_t* executable) {
  const iree_host_size_t count = iree_hal_executable_function_count(executable);
  for (iree_host_size_t i = 0; i < count; ++i) {
    const uint32_t key = local_cost_key(
        executable, iree_hal_executable_function_from_index((uint32_t)i));
    __atomic_store_n(task_cost_entry(key), 0, __ATOMIC_RELAXED);
  }
}

#endif  // IREE_CY_LOCAL_TASK_COSTS_H_
