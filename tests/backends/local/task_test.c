// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the tests of local-task from the inside: what is shared and what is not,
// threads, failures, and how many processors there are.

#include "tests/support/fork_generation.h"
//
#include "backends/local/src/task/executor.c"
//
#include <sys/stat.h>
#include <sys/wait.h>

#include "backends/local/src/formats.c"
#include "backends/local/src/recording.c"
#include "backends/local/src/run.c"
#include "backends/local/src/task/device.c"
#include "backends/local/src/task/operation.c"
#include "backends/local/src/task/topology.c"
#include "backends/local/src/workers.c"
#include "iree_cy/native/loaders/local_executable.h"
#include "tests/support/ctest.h"

static void release(void* object) {
  iree_hal_resource_release(*(void**)object);
}
#define OWNED __attribute__((cleanup(release)))

static iree_status_t create_device(uint32_t thread_count,
                                   iree_hal_device_t** out_device) {
  const iree_string_view_t owner = IREE_SV("local-task");
  *out_device = NULL;
  EXPECT(iree_cy_fork_initialize());
  IREE_RETURN_IF_ERROR(task_device_register(owner));
  IREE_RETURN_IF_ERROR(local_command_buffer_register(owner));
  IREE_RETURN_IF_ERROR(local_formats_register(owner));
  const task_device_params_t params = {.name = IREE_SV("test"),
                                       .thread_count = thread_count};
  return task_device_create(owner, &params, iree_allocator_system(),
                            out_device);
}

static iree_status_t semaphore(iree_hal_device_t* device,
                               iree_hal_semaphore_t** out_semaphore) {
  return iree_hal_semaphore_create(device, IREE_HAL_QUEUE_AFFINITY_ANY, 0, 0,
                                   out_semaphore);
}

static iree_status_t wait_for(iree_hal_semaphore_t* semaphore, uint64_t value) {
  return iree_hal_semaphore_wait(semaphore, value,
                                 iree_make_timeout_ns(INT64_C(60000000000)), 0);
}

static uint32_t running_count(iree_hal_device_t* device) {
  task_executor_t* executor = ((task_device_t*)device)->executor;
  local_lock(&executor->lock);
  const uint32_t count = executor->running_count;
  local_unlock(&executor->lock);
  return count;
}

//===----------------------------------------------------------------------===//
// Device code
//===----------------------------------------------------------------------===//

// One word for each workgroup is the binding; the constants are nanoseconds
// that each takes, and the workgroup that fails, or one more than there are.
static uint32_t* word_of(const iree_cy_library_dispatch_state_t* dispatch,
                         const iree_cy_library_workgroup_state_t* workgroup) {
  return (uint32_t*)dispatch->binding_ptrs[0] + workgroup->workgroup_id_x;
}

static void work_for(uint32_t duration) {
  if (!duration) return;
  const iree_time_t end = iree_time_now() + duration;
  while (iree_time_now() < end) continue;
}

static int count_up(const iree_cy_library_environment_t* environment,
                    const iree_cy_library_dispatch_state_t* dispatch,
                    const iree_cy_library_workgroup_state_t* workgroup) {
  (void)environment;
  work_for(dispatch->constants[0]);
  if (workgroup->workgroup_id_x == dispatch->constants[1]) return -7;
  ++*word_of(dispatch, workgroup);
  return 0;
}

// Doubles the sum of the words into each word of the second binding.
static int add_all(const iree_cy_library_environment_t* environment,
                   const iree_cy_library_dispatch_state_t* dispatch,
                   const iree_cy_library_workgroup_state_t* workgroup) {
  (void)environment;
  const uint32_t count = (uint32_t)(dispatch->binding_lengths[0] / 4);
  const uint32_t* words = (const uint32_t*)dispatch->binding_ptrs[0];
  uint32_t sum = 0;
  for (uint32_t i = 0; i < count; ++i) sum += words[i];
  work_for(dispatch->constants[0]);
  ((uint32_t*)dispatch->binding_ptrs[1])[workgroup->workgroup_id_x] = 2 * sum;
  return 0;
}

static const iree_cy_library_header_t** query(
    uint32_t max_version, const iree_cy_library_environment_t* environment) {
  static const iree_cy_library_dispatch_fn_t fns[] = {count_up, add_all};
  static const iree_cy_library_dispatch_attrs_t attrs[] = {
      {.constant_count = 2, .binding_count = 1, .local_memory_pages = 1},
      {.constant_count = 2, .binding_count = 2},
  };
  static const char* const names[] = {"count_up", "add_all"};
  static const iree_cy_library_header_t header = {.version = 6, .name = "test"};
  static const iree_cy_library_t library = {
      .header = &header,
      .exports = {.count = 2, .fns = fns, .attrs = attrs, .names = names},
  };
  (void)environment;
  return max_version == header.version
             ? (const iree_cy_library_header_t**)&library.header
             : NULL;
}

static void unload(void* self) { (void)self; }

static iree_status_t load(iree_hal_executable_t** out_executable) {
  const iree_hal_executable_params_t params = {.size = sizeof(params)};
  const iree_cy_local_module_t module = {.unload = unload};
  return iree_cy_local_executable_create(
      &params, query, module, iree_allocator_system(), out_executable);
}

#define USAGE                                                                \
  (IREE_HAL_BUFFER_USAGE_TRANSFER | IREE_HAL_BUFFER_USAGE_DISPATCH_STORAGE | \
   IREE_HAL_BUFFER_USAGE_MAPPING)
#define WORKGROUP_COUNT 256

static iree_status_t allocate(iree_hal_device_t* device,
                              iree_hal_buffer_t** out_buffer) {
  const iree_hal_buffer_params_t params = {.usage = USAGE};
  IREE_RETURN_IF_ERROR(iree_hal_allocator_allocate_buffer(
      iree_hal_device_allocator(device), params, WORKGROUP_COUNT * 4,
      out_buffer));
  const uint32_t zero = 0;
  return iree_hal_buffer_map_fill(*out_buffer, 0, WORKGROUP_COUNT * 4, &zero,
                                  4);
}

static void expect_words(iree_hal_buffer_t* buffer, uint32_t expected) {
  const uint32_t* words = (const uint32_t*)iree_hal_heap_buffer_data(buffer);
  int wrong_count = 0;
  for (int i = 0; i < WORKGROUP_COUNT; ++i) wrong_count += words[i] != expected;
  EXPECT_EQ_I64(wrong_count, 0);
}

static iree_status_t begin(iree_hal_device_t* device,
                           iree_hal_command_buffer_t** out_command_buffer) {
  IREE_RETURN_IF_ERROR(iree_hal_command_buffer_create(
      device, IREE_HAL_COMMAND_BUFFER_MODE_DEFAULT,
      IREE_HAL_COMMAND_CATEGORY_ANY, IREE_HAL_QUEUE_AFFINITY_ANY, 0,
      out_command_buffer));
  return iree_hal_command_buffer_begin(*out_command_buffer);
}

static iree_status_t record(iree_hal_command_buffer_t* command_buffer,
                            iree_hal_executable_t* executable,
                            uint32_t function, uint32_t duration,
                            uint32_t failing, iree_hal_buffer_t* first,
                            iree_hal_buffer_t* second) {
  const iree_hal_dispatch_config_t config = {
      .size = sizeof(config),
      .workgroup_count = {WORKGROUP_COUNT, 1, 1},
  };
  const iree_hal_buffer_ref_t refs[] = {
      iree_hal_make_buffer_ref(first, 0, IREE_HAL_WHOLE_BUFFER),
      iree_hal_make_buffer_ref(second, 0, IREE_HAL_WHOLE_BUFFER)};
  const iree_hal_buffer_ref_list_t bindings = {second ? 2 : 1, refs};
  const uint32_t constants[] = {duration, failing};
  return iree_hal_command_buffer_dispatch(
      command_buffer, executable,
      iree_hal_executable_function_from_index(function), &config,
      iree_make_const_byte_span(constants, sizeof(constants)), bindings, 0);
}

static iree_status_t barrier(iree_hal_command_buffer_t* command_buffer) {
  return iree_hal_command_buffer_execution_barrier(
      command_buffer, IREE_HAL_EXECUTION_STAGE_DISPATCH,
      IREE_HAL_EXECUTION_STAGE_DISPATCH, 0, 0, NULL, 0, NULL);
}

static iree_status_t execute(iree_hal_device_t* device,
                             iree_hal_command_buffer_t* command_buffer,
                             iree_hal_semaphore_t* wait, uint64_t wait_value,
                             iree_hal_semaphore_t* signal, uint64_t value) {
  const iree_hal_semaphore_list_t waits = {wait ? 1 : 0, &wait, &wait_value};
  const iree_hal_semaphore_list_t signals = {1, &signal, &value};
  return iree_hal_device_queue_execute(
      device, IREE_HAL_QUEUE_AFFINITY_ANY, waits, signals, command_buffer,
      iree_hal_buffer_binding_table_empty(), 0);
}

// A recording of one dispatch of |function|.
static iree_status_t record_one(iree_hal_device_t* device,
                                iree_hal_executable_t* executable,
                                uint32_t duration, uint32_t failing,
                                iree_hal_buffer_t* buffer,
                                iree_hal_command_buffer_t** out) {
  IREE_RETURN_IF_ERROR(begin(device, out));
  IREE_RETURN_IF_ERROR(
      record(*out, executable, 0, duration, failing, buffer, NULL));
  return iree_hal_command_buffer_end(*out);
}

#define WITH_DEVICE(thread_count)                         \
  OWNED iree_hal_device_t* device = NULL;                 \
  OWNED iree_hal_executable_t* executable = NULL;         \
  OWNED iree_hal_buffer_t* words = NULL;                  \
  OWNED iree_hal_semaphore_t* done = NULL;                \
  OWNED iree_hal_command_buffer_t* command_buffer = NULL; \
  REQUIRE_OK(create_device((thread_count), &device));     \
  REQUIRE_OK(load(&executable));                          \
  REQUIRE_OK(allocate(device, &words));                   \
  REQUIRE_OK(semaphore(device, &done))

//===----------------------------------------------------------------------===//
// Sharing
//===----------------------------------------------------------------------===//

// 256 workgroups of 20 us.
#define LONG 20000

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

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

typedef struct caller_t {
  iree_hal_device_t* device;
  iree_hal_executable_t* executable;
  uint32_t duration;
  pthread_t thread;
} caller_t;

static void* call_often(void* user_data) {
  const caller_t* caller = (const caller_t*)user_data;
  OWNED iree_hal_buffer_t* words = NULL;
  OWNED iree_hal_semaphore_t* done = NULL;
  OWNED iree_hal_command_buffer_t* command_buffer = NULL;
  EXPECT_OK(allocate(caller->device, &words));
  EXPECT_OK(semaphore(caller->device, &done));
  EXPECT_OK(record_one(caller->device, caller->executable, caller->duration,
                       WORKGROUP_COUNT, words, &command_buffer));
  for (uint64_t run = 1; run <= 20; ++run) {
    EXPECT_OK(execute(caller->device, command_buffer, run > 1 ? done : NULL,
                      run - 1, done, run));
    if (run % 3 == 0) EXPECT_OK(wait_for(done, run));
  }
  EXPECT_OK(wait_for(done, 20));
  expect_words(words, 20);
  return NULL;
}

CTEST(eight_threads_share_a_device) {
  WITH_DEVICE(3);
  caller_t callers[8];
  for (uint32_t i = 0; i < 8; ++i) {
    callers[i] = (caller_t){device, executable, i % 2 ? 0 : 500, 0};
    REQUIRE_OK(
        pthread_create(&callers[i].thread, NULL, call_often, &callers[i]) == 0
            ? iree_ok_status()
            : iree_status_from_code(IREE_STATUS_INTERNAL));
  }
  for (uint32_t i = 0; i < 8; ++i) pthread_join(callers[i].thread, NULL);
}

// Whoever drops the device last, be it a thread of its own.
CTEST(devices_end_while_they_work) {
  for (int i = 0; i < 20; ++i) {
    OWNED iree_hal_executable_t* executable = NULL;
    OWNED iree_hal_buffer_t* words = NULL;
    OWNED iree_hal_semaphore_t* done = NULL;
    iree_hal_device_t* device = NULL;
    iree_hal_command_buffer_t* command_buffer = NULL;
    REQUIRE_OK(create_device(2, &device));
    REQUIRE_OK(load(&executable));
    REQUIRE_OK(allocate(device, &words));
    REQUIRE_OK(semaphore(device, &done));
    REQUIRE_OK(record_one(device, executable, LONG / 20, WORKGROUP_COUNT, words,
                          &command_buffer));
    REQUIRE_OK(execute(device, command_buffer, NULL, 0, done, 1));
    iree_hal_command_buffer_release(command_buffer);
    if (i % 2) EXPECT_OK(wait_for(done, 1));
    iree_hal_device_release(device);
    EXPECT_OK(wait_for(done, 1));
    expect_words(words, 1);
  }
}

//===----------------------------------------------------------------------===//
// Fork
//===----------------------------------------------------------------------===//

// What the child finds, as its exit code: 0 is well.
__attribute__((unused)) static int in_child(iree_hal_device_t* device,
                                            iree_hal_executable_t* executable,
                                            iree_hal_semaphore_t* in_flight) {
  iree_status_t status = wait_for(in_flight, 1);
  if (iree_status_consume_code(status) != IREE_STATUS_ABORTED) return 1;
  iree_hal_buffer_t* words = NULL;
  iree_hal_semaphore_t* done = NULL;
  iree_hal_command_buffer_t* command_buffer = NULL;
  if (!iree_status_is_ok(allocate(device, &words))) return 2;
  if (!iree_status_is_ok(semaphore(device, &done))) return 3;
  if (!iree_status_is_ok(record_one(device, executable, LONG / 20,
                                    WORKGROUP_COUNT, words, &command_buffer))) {
    return 4;
  }
  if (!iree_status_is_ok(execute(device, command_buffer, NULL, 0, done, 1))) {
    return 5;
  }
  if (!iree_status_is_ok(wait_for(done, 1))) return 6;
  const uint32_t* data = (const uint32_t*)iree_hal_heap_buffer_data(words);
  for (int i = 0; i < WORKGROUP_COUNT; ++i) {
    if (data[i] != 1) return 7;
  }
  return running_count(device) > 0 ? 0 : 8;
}

CTEST(a_child_fails_what_was_in_flight_and_works_again) {
// ThreadSanitizer starts no thread in the child of a process with several.
#if !defined(__SANITIZE_THREAD__)
  WITH_DEVICE(2);
  REQUIRE_OK(record_one(device, executable, 10 * LONG, WORKGROUP_COUNT, words,
                        &command_buffer));
  REQUIRE_OK(execute(device, command_buffer, NULL, 0, done, 1));
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) _exit(in_child(device, executable, done));
  int code = -1;
  EXPECT_EQ_I64(waitpid(child, &code, 0), child);
  EXPECT(WIFEXITED(code));
  EXPECT_EQ_I64(WEXITSTATUS(code), 0);
  EXPECT_OK(wait_for(done, 1));
  expect_words(words, 1);
#endif
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
