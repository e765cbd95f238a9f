// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns reading affinity and cgroups.

#include "topology.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

uint32_t task_cpu_set_count(const task_cpu_set_t* set) {
  uint32_t count = 0;
  for (iree_host_size_t i = 0; i < IREE_ARRAYSIZE(set->words); ++i) {
    count += (uint32_t)__builtin_popcountll(set->words[i]);
  }
  return count;
}

iree_status_t task_cpu_set_allowed(task_cpu_set_t* out_set) {
  memset(out_set, 0, sizeof(*out_set));
  // The system call, for the C library's set is of a fixed size.
  if (syscall(SYS_sched_getaffinity, 0, sizeof(out_set->words),
              out_set->words) > 0) {
    return iree_ok_status();
  }
  return iree_make_status(IREE_STATUS_INTERNAL,
                          "the processors that this thread may use cannot be "
                          "read: errno %d",
                          errno);
}

static bool task_parse_cpu_range(iree_string_view_t text, task_cpu_set_t* set) {
  iree_string_view_t first_text = text;
  iree_string_view_t last_text = text;
  if (iree_string_view_split(text, '-', &first_text, &last_text) < 0) {
    last_text = first_text;
  }
  uint64_t first = 0;
  uint64_t last = 0;
  if (!iree_string_view_parse_uint64(iree_string_view_trim(first_text),
                                     &first) ||
      !iree_string_view_parse_uint64(iree_string_view_trim(last_text), &last) ||
      first > last || last >= TASK_MAX_CPU_COUNT) {
    return false;
  }
  for (uint64_t i = first; i <= last; ++i) {
    set->words[i / 64] |= UINT64_C(1) << (i % 64);
  }
  return true;
}

iree_status_t task_cpu_set_parse(iree_string_view_t text,
                                 task_cpu_set_t* out_set) {
  memset(out_set, 0, sizeof(*out_set));
  while (!iree_string_view_is_empty(text)) {
    iree_string_view_t word = text;
    if (iree_string_view_split(text, ',', &word, &text) < 0) {
      text = iree_string_view_empty();
    }
    if (!task_parse_cpu_range(iree_string_view_trim(word), out_set)) {
      return iree_make_status(
          IREE_STATUS_INVALID_ARGUMENT,
          "parameter 'cpus' has '%.*s'; wanted are numbers below %d and ranges "
          "of them, such as 0-3,8",
          (int)iree_min(word.size, (iree_host_size_t)64), word.data,
          TASK_MAX_CPU_COUNT);
    }
  }
  return iree_ok_status();
}

// Reads a small file into |text|, NUL-terminated. False when it cannot.
static bool task_read_file(const char* path, iree_host_size_t capacity,
                           char* text) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  iree_host_size_t size = 0;
  ssize_t count = 0;
  while (size + 1 < capacity &&
         (count = read(file, text + size, capacity - 1 - size)) > 0) {
    size += (iree_host_size_t)count;
  }
  close(file);
  text[size] = 0;
  return count >= 0;
}

static void task_take_quota(int64_t quota, int64_t period, uint32_t* limit) {
  if (quota <= 0 || period <= 0) return;
  const int64_t count = quota / period + (quota % period != 0);
  if (count > TASK_MAX_CPU_COUNT) return;
  if (*limit == 0 || (uint32_t)count < *limit) *limit = (uint32_t)count;
}

// Looks at one cgroup's folder.
static void task_take_folder(const char* folder, bool is_version_2,
                             uint32_t* limit) {
  char path[4352];
  char text[128];
  long long quota = 0;
  long long period = 0;
  if (is_version_2) {
    snprintf(path, sizeof(path), "%s/cpu.max", folder);
    // "max 100000" has no limit.
    if (task_read_file(path, sizeof(text), text) &&
        sscanf(text, "%lld %lld", &quota, &period) == 2) {
      task_take_quota(quota, period, limit);
    }
    return;
  }
  snprintf(path, sizeof(path), "%s/cpu.cfs_quota_us", folder);
  if (!task_read_file(path, sizeof(text), text) ||
      sscanf(text, "%lld", &quota) != 1) {
    return;
  }
  snprintf(path, sizeof(path), "%s/cpu.cfs_period_us", folder);
  if (task_read_file(path, sizeof(text), text) &&
      sscanf(text, "%lld", &period) == 1) {
    task_take_quota(quota, period, limit);
  }
}

// Looks at the cgroup |path| below |mount| and those above it. In a container
// the path may be that of the machine outside: what is not there is passed by.
static void task_take_path(const char* mount, const char* path,
                           bool is_version_2, uint32_t* limit) {
  char folder[4224];
  const int length = snprintf(folder, sizeof(folder), "%s%s", mount, path);
  if (length < 0 || (iree_host_size_t)length >= sizeof(folder)) return;
  const iree_host_size_t mount_length = strlen(mount);
  for (;;) {
    task_take_folder(folder, is_version_2, limit);
    char* slash = strrchr(folder, '/');
    if (!slash || (iree_host_size_t)(slash - folder) < mount_length) return;
    *slash = 0;
  }
}

static bool task_has_word(const char* list, const char* word) {
  const iree_host_size_t length = strlen(word);
  while (*list) {
    const iree_host_size_t size = strcspn(list, ",");
    if (size == length && memcmp(list, word, length) == 0) return true;
    list += size;
    if (*list) ++list;
  }
  return false;
}

uint32_t task_quota_cpu_count(const char* cgroup_file, const char* mount) {
  char text[8192];
  uint32_t limit = 0;
  if (!task_read_file(cgroup_file, sizeof(text), text)) return 0;
  char* state = NULL;
  for (char* line = strtok_r(text, "\n", &state); line;
       line = strtok_r(NULL, "\n", &state)) {
    // "0::/path", or "4:cpu,cpuacct:/path" of version 1.
    char* controllers = strchr(line, ':');
    char* path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path) continue;
    *controllers++ = 0;
    *path++ = 0;
    if (*controllers == 0) {
      task_take_path(mount, path, /*is_version_2=*/true, &limit);
    } else if (task_has_word(controllers, "cpu")) {
      char folder[512];
      snprintf(folder, sizeof(folder), "%s/%s", mount, controllers);
      task_take_path(folder, path, /*is_version_2=*/false, &limit);
      // Where each controller has a name of its own.
      snprintf(folder, sizeof(folder), "%s/cpu", mount);
      task_take_path(folder, path, /*is_version_2=*/false, &limit);
    }
  }
  return limit;
}
