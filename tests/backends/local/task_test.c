// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the tests of local-task from the inside: what is shared and what is not,
// waits, failures, and how many processors there are.

#include "tests/backends/local/task_fixture.h"

//===----------------------------------------------------------------------===//
// Sharing
//===----------------------------------------------------------------------===//

CTEST(large_work_runs_each_workgroup_once) {
  WITH_DEVICE(3);
  EXPECT_EQ_I64(running_count(device), 0);
  REQUIRE_OK(record_one(device, executable, LONG, WORKGROUP_COUNT, words,
                        &command_buffer));
  for (uint32_t run = 1; run <= 5; ++run) {
    REQUIRE_OK(execute(device, command_buffer, NULL, 0, done, run));
    EXPECT_OK(wait_for(done, run));
    expect_words(words, run);
  }
  EXPECT(running_count(device) >= 1);
  EXPECT(running_count(device) <= 3);
}

CTEST(what_is_known_to_be_small_is_done_when_submit_returns) {
  WITH_DEVICE(2);
  REQUIRE_OK(record_one(device, executable, 0, WORKGROUP_COUNT, words,
                        &command_buffer));
  // Of what has never run it is not known.
  REQUIRE_OK(execute(device, command_buffer, NULL, 0, done, 1));
  EXPECT_OK(wait_for(done, 1));
  const uint32_t before = running_count(device);
  uint64_t value = 0;
  uint32_t run = 2;
  // The estimate of a busy machine comes down within some runs.
  for (; run < 200 && value != run - 1; ++run) {
    REQUIRE_OK(execute(device, command_buffer, NULL, 0, done, run));
    EXPECT_OK(iree_hal_semaphore_query(done, &value));
    EXPECT_OK(wait_for(done, run));
    if (value == run) break;
  }
  EXPECT_EQ_I64(value, run);
  EXPECT(before <= 2);
}

static iree_status_t allocate_bytes(iree_hal_device_t* device,
                                    iree_device_size_t size,
                                    iree_hal_buffer_t** out_buffer) {
  const iree_hal_buffer_params_t params = {.usage = USAGE};
  return iree_hal_allocator_allocate_buffer(iree_hal_device_allocator(device),
                                            params, size, out_buffer);
}

// Not a whole number of blocks, and not aligned to one.
CTEST(long_fills_and_copies_are_shared) {
  enum { SIZE = 5000000, OFFSET = 12 };
  WITH_DEVICE(2);
  OWNED iree_hal_semaphore_t* gate = NULL;
  OWNED iree_hal_buffer_t* source = NULL;
  OWNED iree_hal_buffer_t* target = NULL;
  REQUIRE_OK(semaphore(device, &gate));
  REQUIRE_OK(allocate_bytes(device, SIZE, &source));
  REQUIRE_OK(allocate_bytes(device, SIZE + 2 * OFFSET, &target));
  memset(iree_hal_heap_buffer_data(target), 0, SIZE + 2 * OFFSET);
  uint64_t one = 1, two = 2;
  const iree_hal_semaphore_list_t after_gate = {1, &gate, &one};
  const iree_hal_semaphore_list_t filled = {1, &done, &one};
  const iree_hal_semaphore_list_t copied = {1, &done, &two};
  const uint32_t pattern = 0x04030201;
  REQUIRE_OK(iree_hal_device_queue_fill(device, IREE_HAL_QUEUE_AFFINITY_ANY,
                                        after_gate, filled, source, 0, SIZE,
                                        &pattern, sizeof(pattern), 0));
  REQUIRE_OK(iree_hal_device_queue_copy(device, IREE_HAL_QUEUE_AFFINITY_ANY,
                                        filled, copied, source, 0, target,
                                        OFFSET, SIZE, 0));
  EXPECT_EQ_I64(running_count(device), 0);
  EXPECT_OK(iree_hal_semaphore_signal(gate, 1));
  EXPECT_OK(wait_for(done, 2));
  EXPECT(running_count(device) > 0);
  const uint8_t* bytes = (const uint8_t*)iree_hal_heap_buffer_data(target);
  int wrong_count = 0;
  for (int i = 0; i < SIZE + 2 * OFFSET; ++i) {
    const bool is_inside = i >= OFFSET && i < OFFSET + SIZE;
    wrong_count += bytes[i] != (is_inside ? (i - OFFSET) % 4 + 1 : 0);
  }
  EXPECT_EQ_I64(wrong_count, 0);
}

CTEST(barriers_are_kept) {
  WITH_DEVICE(3);
  OWNED iree_hal_buffer_t* sums = NULL;
  REQUIRE_OK(allocate(device, &sums));
  REQUIRE_OK(begin(device, &command_buffer));
  REQUIRE_OK(record(command_buffer, executable, 0, LONG / 4, WORKGROUP_COUNT,
                    words, NULL));
  REQUIRE_OK(barrier(command_buffer));
  REQUIRE_OK(record(command_buffer, executable, 1, LONG / 4, 0, words, sums));
  REQUIRE_OK(barrier(command_buffer));
  REQUIRE_OK(record(command_buffer, executable, 0, LONG / 4, WORKGROUP_COUNT,
                    words, NULL));
  REQUIRE_OK(iree_hal_command_buffer_end(command_buffer));
  for (uint32_t run = 1; run <= 5; ++run) {
    REQUIRE_OK(execute(device, command_buffer, NULL, 0, done, run));
    EXPECT_OK(wait_for(done, run));
    expect_words(words, 2 * run);
    expect_words(sums, 2 * WORKGROUP_COUNT * (2 * run - 1));
  }
}

CTEST(submissions_are_ordered_by_semaphores_alone) {
  WITH_DEVICE(2);
  OWNED iree_hal_semaphore_t* gate = NULL;
  REQUIRE_OK(semaphore(device, &gate));
  REQUIRE_OK(record_one(device, executable, LONG / 20, WORKGROUP_COUNT, words,
                        &command_buffer));
  // Parked one behind the other, and large: each waits for the one before.
  for (uint64_t i = 0; i < 20; ++i) {
    REQUIRE_OK(execute(device, command_buffer, i ? done : gate, i ? i : 1, done,
                       i + 1));
  }
  expect_words(words, 0);
  EXPECT_OK(iree_hal_semaphore_signal(gate, 1));
  EXPECT_OK(wait_for(done, 20));
  expect_words(words, 20);
}

CTEST(a_failure_is_the_original_one_and_the_queue_goes_on) {
  WITH_DEVICE(2);
  OWNED iree_hal_command_buffer_t* failing = NULL;
  OWNED iree_hal_semaphore_t* failed = NULL;
  OWNED iree_hal_semaphore_t* behind = NULL;
  REQUIRE_OK(semaphore(device, &failed));
  REQUIRE_OK(semaphore(device, &behind));
  REQUIRE_OK(record_one(device, executable, LONG, WORKGROUP_COUNT / 2, words,
                        &failing));
  REQUIRE_OK(execute(device, failing, NULL, 0, failed, 1));
  REQUIRE_OK(execute(device, failing, failed, 1, behind, 1));
  iree_status_t status = wait_for(failed, 1);
  EXPECT(strstr(iree_status_message(status).data,
                "'count_up' failed with -7 in workgroup (128, 0, 0)") != NULL);
  EXPECT_STATUS(IREE_STATUS_INTERNAL, status);
  EXPECT_STATUS(IREE_STATUS_INTERNAL, wait_for(behind, 1));
  OWNED iree_hal_buffer_t* others = NULL;
  REQUIRE_OK(allocate(device, &others));
  REQUIRE_OK(record_one(device, executable, LONG, WORKGROUP_COUNT, others,
                        &command_buffer));
  REQUIRE_OK(execute(device, command_buffer, NULL, 0, done, 1));
  EXPECT_OK(wait_for(done, 1));
  expect_words(others, 1);
}

CTEST(a_wait_that_ends_early_leaves_all_usable) {
  WITH_DEVICE(2);
  OWNED iree_hal_semaphore_t* gate = NULL;
  REQUIRE_OK(semaphore(device, &gate));
  REQUIRE_OK(record_one(device, executable, LONG, WORKGROUP_COUNT, words,
                        &command_buffer));
  REQUIRE_OK(execute(device, command_buffer, gate, 1, done, 1));
  EXPECT_STATUS(IREE_STATUS_DEADLINE_EXCEEDED,
                iree_hal_semaphore_wait(done, 1, iree_immediate_timeout(), 0));
  EXPECT_STATUS(
      IREE_STATUS_DEADLINE_EXCEEDED,
      iree_hal_semaphore_wait(done, 1, iree_make_timeout_ns(1000000), 0));
  EXPECT_OK(iree_hal_semaphore_signal(gate, 1));
  EXPECT_OK(wait_for(done, 1));
  expect_words(words, 1);
}

// Waits until |value| is reached, a millisecond at a time. How many workgroups
// that take time this thread has run in one of those times at most.
static uint32_t wait_in_slices(iree_hal_semaphore_t* semaphore,
                               uint64_t value) {
  const iree_time_t end = iree_time_now() + INT64_C(60000000000);
  uint32_t most = 0;
  while (iree_time_now() < end) {
    const uint32_t before = here_count;
    iree_status_t status = iree_hal_semaphore_wait(
        semaphore, value, iree_make_timeout_ns(1000000), 0);
    most = iree_max(most, here_count - before);
    if (iree_status_code(status) != IREE_STATUS_DEADLINE_EXCEEDED) {
      EXPECT_OK(status);
      return most;
    }
    iree_status_ignore(status);
  }
  EXPECT(!"it is reached");
  return most;
}

// A workgroup takes as long as a wait: the first of a wait begins in time, and
// perhaps a second.
CTEST(who_helps_leaves_when_its_time_is_over) {
  WITH_DEVICE(2);
  threads_left = 1;
  REQUIRE_OK(record_one(device, executable, 50 * LONG, WORKGROUP_COUNT, words,
                        &command_buffer));
  for (uint32_t run = 1; run <= 2; ++run) {
    REQUIRE_OK(execute(device, command_buffer, NULL, 0, done, run));
    const uint32_t most = wait_in_slices(done, run);
    EXPECT(most > 0);
    EXPECT(most <= 2);
    expect_words(words, run);
  }
  threads_left = -1;
}

// The one thread there is does something else meanwhile.
CTEST(who_helps_leaves_between_commands_that_cannot_be_shared) {
  WITH_DEVICE(2);
  OWNED iree_hal_command_buffer_t* other = NULL;
  OWNED iree_hal_buffer_t* first_words = NULL;
  OWNED iree_hal_buffer_t* second_words = NULL;
  threads_left = 1;
  REQUIRE_OK(allocate(device, &first_words));
  REQUIRE_OK(allocate(device, &second_words));
  REQUIRE_OK(begin(device, &other));
  REQUIRE_OK(record_some(other, executable, 0, 1, 10000 * LONG, WORKGROUP_COUNT,
                         first_words, NULL));
  REQUIRE_OK(
      record(other, executable, 0, 0, WORKGROUP_COUNT, second_words, NULL));
  REQUIRE_OK(iree_hal_command_buffer_end(other));
  REQUIRE_OK(begin(device, &command_buffer));
  REQUIRE_OK(
      record(command_buffer, executable, 0, 0, WORKGROUP_COUNT, words, NULL));
  for (int i = 0; i < 32; ++i) {
    REQUIRE_OK(barrier(command_buffer));
    REQUIRE_OK(record_some(command_buffer, executable, 0, 1, 50 * LONG,
                           WORKGROUP_COUNT, words, NULL));
  }
  REQUIRE_OK(iree_hal_command_buffer_end(command_buffer));
  OWNED iree_hal_semaphore_t* other_done = NULL;
  REQUIRE_OK(semaphore(device, &other_done));
  REQUIRE_OK(execute(device, other, NULL, 0, other_done, 1));
  for (uint64_t value = 0; active_count(device) == 0 && value == 0;) {
    REQUIRE_OK(iree_hal_semaphore_query(other_done, &value));
    sched_yield();
  }
  REQUIRE_OK(execute(device, command_buffer, NULL, 0, done, 1));
  const uint32_t most = wait_in_slices(done, 1);
  EXPECT(most > 0);
  EXPECT(most <= 2);
  const uint32_t* data = (const uint32_t*)iree_hal_heap_buffer_data(words);
  EXPECT_EQ_I64(data[0], 33);
  EXPECT_EQ_I64(data[1], 1);
  EXPECT_OK(wait_for(other_done, 1));
  threads_left = -1;
}

//===----------------------------------------------------------------------===//
// Processors
//===----------------------------------------------------------------------===//

CTEST(sets_of_processors_are_parsed) {
  task_cpu_set_t set;
  EXPECT_OK(task_cpu_set_parse(IREE_SV("0-3,8"), &set));
  EXPECT_EQ_I64(set.words[0], 0x10F);
  EXPECT_OK(task_cpu_set_parse(IREE_SV(" 64 , 66-67"), &set));
  EXPECT_EQ_I64(set.words[0], 0);
  EXPECT_EQ_I64(set.words[1], 0xD);
  EXPECT_OK(task_cpu_set_parse(IREE_SV(""), &set));
  EXPECT_EQ_I64(task_cpu_set_count(&set), 0);
  const char* const wrong[] = {"x", "3-1", "1-", "-1", "4096", "1,,2"};
  for (size_t i = 0; i < IREE_ARRAYSIZE(wrong); ++i) {
    EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                  task_cpu_set_parse(iree_make_cstring_view(wrong[i]), &set));
  }
}

static void write_file(const char* folder, const char* name, const char* text) {
  char path[256];
  snprintf(path, sizeof(path), "%s/%s", folder, name);
  for (char* slash = strchr(path + 1, '/'); slash;
       slash = strchr(slash + 1, '/')) {
    *slash = 0;
    mkdir(path, 0700);
    *slash = '/';
  }
  FILE* file = fopen(path, "w");
  EXPECT(file != NULL);
  if (!file) return;
  fputs(text, file);
  fclose(file);
}

CTEST(quotas_of_cgroups_are_found) {
  char folder[] = "/tmp/iree_cy_task_XXXXXX";
  EXPECT(mkdtemp(folder) != NULL);
  char cgroup[64];
  snprintf(cgroup, sizeof(cgroup), "%s/cgroup", folder);
  EXPECT_EQ_I64(task_quota_cpu_count(cgroup, folder), 0);
  // Version 2: the least of those above, rounded up.
  write_file(folder, "cgroup", "0::/a/b\n");
  EXPECT_EQ_I64(task_quota_cpu_count(cgroup, folder), 0);
  write_file(folder, "a/b/cpu.max", "max 100000\n");
  EXPECT_EQ_I64(task_quota_cpu_count(cgroup, folder), 0);
  write_file(folder, "a/cpu.max", "250000 100000\n");
  EXPECT_EQ_I64(task_quota_cpu_count(cgroup, folder), 3);
  write_file(folder, "a/b/cpu.max", "400000 100000\n");
  EXPECT_EQ_I64(task_quota_cpu_count(cgroup, folder), 3);
  // In a container: the path is another's, the limit at the mount.
  write_file(folder, "cgroup", "0::/elsewhere/c\n");
  write_file(folder, "cpu.max", "50000 100000\n");
  EXPECT_EQ_I64(task_quota_cpu_count(cgroup, folder), 1);
  // Version 1.
  write_file(folder, "cgroup", "5:memory:/m\n4:cpu,cpuacct:/d\n");
  write_file(folder, "cpu,cpuacct/d/cpu.cfs_quota_us", "600000\n");
  write_file(folder, "cpu,cpuacct/d/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ_I64(task_quota_cpu_count(cgroup, folder), 6);
  write_file(folder, "cpu,cpuacct/d/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ_I64(task_quota_cpu_count(cgroup, folder), 0);
}

CTEST_MAIN()
