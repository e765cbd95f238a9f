// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what the tests of local-task from the inside have in common: the driver
// itself, compiled in, a device, and device code that counts.

#ifndef IREE_CY_TESTS_BACKENDS_LOCAL_TASK_FIXTURE_H_
#define IREE_CY_TESTS_BACKENDS_LOCAL_TASK_FIXTURE_H_

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "tests/support/fork_generation.h"
//
// Threads that may be started yet; below 0: any number.
static int threads_left = -1;
static inline int create_thread(pthread_t* thread, const pthread_attr_t* attr,
                                void* (*fn)(void*), void* user_data) {
  if (threads_left == 0) return EAGAIN;
  if (threads_left > 0) --threads_left;
  return pthread_create(thread, attr, fn, user_data);
}
#define pthread_create create_thread
#include "backends/local/src/task/executor.c"
#undef pthread_create
//

#include "backends/local/src/formats.c"
#include "backends/local/src/operation.c"
#include "backends/local/src/recording.c"
#include "backends/local/src/run.c"
#include "backends/local/src/task/backlog.c"
#include "backends/local/src/task/device.c"
#include "backends/local/src/task/execution.c"
#include "backends/local/src/task/region.c"
#include "backends/local/src/task/topology.c"
#include "backends/local/src/workers.c"
#include "iree_cy/native/loaders/local_executable.h"
#include "tests/support/ctest.h"

static inline void release(void* object) {
  iree_hal_resource_release(*(void**)object);
}
#define OWNED __attribute__((cleanup(release)))

static inline iree_status_t create_device_with(
    const task_device_params_t* params, iree_allocator_t host_allocator,
    iree_hal_device_t** out_device) {
  const iree_string_view_t owner = IREE_SV("local-task");
  *out_device = NULL;
  EXPECT(iree_cy_fork_initialize());
  IREE_RETURN_IF_ERROR(task_device_register(owner));
  IREE_RETURN_IF_ERROR(local_command_buffer_register(owner));
  IREE_RETURN_IF_ERROR(local_formats_register(owner));
  return task_device_create(owner, params, host_allocator, out_device);
}

static inline iree_status_t create_device(uint32_t thread_count,
                                          iree_hal_device_t** out_device) {
  const task_device_params_t params = {.name = IREE_SV("test"),
                                       .thread_count = thread_count};
  return create_device_with(&params, iree_allocator_system(), out_device);
}

static inline iree_status_t semaphore(iree_hal_device_t* device,
                                      iree_hal_semaphore_t** out_semaphore) {
  return iree_hal_semaphore_create(device, IREE_HAL_QUEUE_AFFINITY_ANY, 0, 0,
                                   out_semaphore);
}

static inline iree_status_t wait_for(iree_hal_semaphore_t* semaphore,
                                     uint64_t value) {
  return iree_hal_semaphore_wait(semaphore, value,
                                 iree_make_timeout_ns(INT64_C(60000000000)), 0);
}

static inline uint32_t running_count(iree_hal_device_t* device) {
  task_executor_t* executor = ((task_device_t*)device)->executor;
  local_lock(&executor->lock);
  const uint32_t count = executor->running_count;
  local_unlock(&executor->lock);
  return count;
}

// Threads that take part in a job.
static inline uint32_t active_count(iree_hal_device_t* device) {
  task_executor_t* executor = ((task_device_t*)device)->executor;
  local_lock(&executor->lock);
  const uint32_t count = executor->active_count;
  local_unlock(&executor->lock);
  return count;
}

//===----------------------------------------------------------------------===//
// Device code
//===----------------------------------------------------------------------===//

// Workgroups that take time: those that this thread has run, and all that have
// begun.
static _Thread_local uint32_t here_count = 0;
static uint32_t begun_count = 0;

// One word for each workgroup is the binding; the constants are nanoseconds
// that each takes, and the workgroup that fails, or one more than there are.
static uint32_t* word_of(const iree_cy_library_dispatch_state_t* dispatch,
                         const iree_cy_library_workgroup_state_t* workgroup) {
  return (uint32_t*)dispatch->binding_ptrs[0] + workgroup->workgroup_id_x;
}

static inline void work_for(uint32_t duration) {
  if (!duration) return;
  const iree_time_t end = iree_time_now() + duration;
  while (iree_time_now() < end) continue;
}

static int count_up(const iree_cy_library_environment_t* environment,
                    const iree_cy_library_dispatch_state_t* dispatch,
                    const iree_cy_library_workgroup_state_t* workgroup) {
  (void)environment;
  if (dispatch->constants[0]) {
    ++here_count;
    __atomic_fetch_add(&begun_count, 1, __ATOMIC_RELAXED);
  }
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

static inline iree_status_t load(iree_hal_executable_t** out_executable) {
  const iree_hal_executable_params_t params = {.size = sizeof(params)};
  const iree_cy_local_module_t module = {.unload = unload};
  IREE_RETURN_IF_ERROR(iree_cy_local_executable_create(
      &params, query, module, iree_allocator_system(), out_executable));
  // As the device's own cache does.
  task_costs_forget(*out_executable);
  return iree_ok_status();
}

#define USAGE                                                                \
  (IREE_HAL_BUFFER_USAGE_TRANSFER | IREE_HAL_BUFFER_USAGE_DISPATCH_STORAGE | \
   IREE_HAL_BUFFER_USAGE_MAPPING)
#define WORKGROUP_COUNT 256

static inline iree_status_t allocate(iree_hal_device_t* device,
                                     iree_hal_buffer_t** out_buffer) {
  const iree_hal_buffer_params_t params = {.usage = USAGE};
  IREE_RETURN_IF_ERROR(iree_hal_allocator_allocate_buffer(
      iree_hal_device_allocator(device), params, WORKGROUP_COUNT * 4,
      out_buffer));
  const uint32_t zero = 0;
  return iree_hal_buffer_map_fill(*out_buffer, 0, WORKGROUP_COUNT * 4, &zero,
                                  4);
}

static inline void expect_words(iree_hal_buffer_t* buffer, uint32_t expected) {
  const uint32_t* words = (const uint32_t*)iree_hal_heap_buffer_data(buffer);
  int wrong_count = 0;
  for (int i = 0; i < WORKGROUP_COUNT; ++i) wrong_count += words[i] != expected;
  EXPECT_EQ_I64(wrong_count, 0);
}

static inline iree_status_t begin(
    iree_hal_device_t* device, iree_hal_command_buffer_t** out_command_buffer) {
  IREE_RETURN_IF_ERROR(iree_hal_command_buffer_create(
      device, IREE_HAL_COMMAND_BUFFER_MODE_DEFAULT,
      IREE_HAL_COMMAND_CATEGORY_ANY, IREE_HAL_QUEUE_AFFINITY_ANY, 0,
      out_command_buffer));
  return iree_hal_command_buffer_begin(*out_command_buffer);
}

static inline iree_status_t record_some(
    iree_hal_command_buffer_t* command_buffer,
    iree_hal_executable_t* executable, uint32_t function,
    uint32_t workgroup_count, uint32_t duration, uint32_t failing,
    iree_hal_buffer_t* first, iree_hal_buffer_t* second) {
  const iree_hal_dispatch_config_t config = {
      .size = sizeof(config),
      .workgroup_count = {workgroup_count, 1, 1},
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

static inline iree_status_t record(iree_hal_command_buffer_t* command_buffer,
                                   iree_hal_executable_t* executable,
                                   uint32_t function, uint32_t duration,
                                   uint32_t failing, iree_hal_buffer_t* first,
                                   iree_hal_buffer_t* second) {
  return record_some(command_buffer, executable, function, WORKGROUP_COUNT,
                     duration, failing, first, second);
}

static inline iree_status_t barrier(iree_hal_command_buffer_t* command_buffer) {
  return iree_hal_command_buffer_execution_barrier(
      command_buffer, IREE_HAL_EXECUTION_STAGE_DISPATCH,
      IREE_HAL_EXECUTION_STAGE_DISPATCH, 0, 0, NULL, 0, NULL);
}

static inline iree_status_t execute(iree_hal_device_t* device,
                                    iree_hal_command_buffer_t* command_buffer,
                                    iree_hal_semaphore_t* wait,
                                    uint64_t wait_value,
                                    iree_hal_semaphore_t* signal,
                                    uint64_t value) {
  const iree_hal_semaphore_list_t waits = {wait ? 1 : 0, &wait, &wait_value};
  const iree_hal_semaphore_list_t signals = {1, &signal, &value};
  return iree_hal_device_queue_execute(
      device, IREE_HAL_QUEUE_AFFINITY_ANY, waits, signals, command_buffer,
      iree_hal_buffer_binding_table_empty(), 0);
}

// A recording of one dispatch of |function|.
static inline iree_status_t record_one(iree_hal_device_t* device,
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

// 256 workgroups of 20 us.
#define LONG 20000

#endif  // IREE_CY_TESTS_BACKENDS_LOCAL_TASK_FIXTURE_H_
