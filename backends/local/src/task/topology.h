// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns how many processors the process may use, and which a device is told to.

#ifndef IREE_CY_LOCAL_TASK_TOPOLOGY_H_
#define IREE_CY_LOCAL_TASK_TOPOLOGY_H_

#include "iree_cy/plugin.h"

#define TASK_MAX_CPU_COUNT 4096
#define TASK_MAX_THREAD_COUNT 1024

// A set of processors; bit i % 64 of word i / 64.
typedef struct task_cpu_set_t {
  uint64_t words[TASK_MAX_CPU_COUNT / 64];
} task_cpu_set_t;

uint32_t task_cpu_set_count(const task_cpu_set_t* set);

// Those that this thread may run on.
iree_status_t task_cpu_set_allowed(task_cpu_set_t* out_set);

// Parses "0-3,8". INVALID_ARGUMENT says what is wrong with |text|.
iree_status_t task_cpu_set_parse(iree_string_view_t text,
                                 task_cpu_set_t* out_set);

// How many processors' worth of time the cgroups of this process leave it,
// rounded up: the least of its cgroup and those above, version 1 or 2. 0 when
// nothing limits it. |cgroup_file| is "/proc/self/cgroup" and |mount| is
// "/sys/fs/cgroup", but for tests.
uint32_t task_quota_cpu_count(const char* cgroup_file, const char* mount);

#endif  // IREE_CY_LOCAL_TASK_TOPOLOGY_H_
