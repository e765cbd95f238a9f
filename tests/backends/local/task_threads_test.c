// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the tests of local-task from the inside with many threads, with none,
// with devices that end, and in forked children.

#include "tests/backends/local/task_fixture.h"
#include "tests/support/failing_allocator.h"

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

#define MAX_CALLER_COUNT 48

static void call_from_threads(uint32_t caller_count, uint32_t thread_count) {
  WITH_DEVICE(thread_count);
  caller_t callers[MAX_CALLER_COUNT];
  for (uint32_t i = 0; i < caller_count; ++i) {
    callers[i] = (caller_t){device, executable, i % 2 ? 0 : 500, 0};
    REQUIRE(pthread_create(&callers[i].thread, NULL, call_often, &callers[i]) ==
            0);
  }
  for (uint32_t i = 0; i < caller_count; ++i) {
    EXPECT_EQ_I64(pthread_join(callers[i].thread, NULL), 0);
  }
}

CTEST(eight_threads_share_a_device) { call_from_threads(8, 3); }

CTEST(more_threads_than_workers_share_a_device_of_one_thread) {
  call_from_threads(MAX_CALLER_COUNT, 1);
}

CTEST(threads_share_a_device_of_more_threads_than_processors) {
  call_from_threads(4, 64);
}

// More than there are workers for.
CTEST(more_threads_wait_than_can_help) {
  call_from_threads(MAX_CALLER_COUNT, MAX_CALLER_COUNT);
}

// Each waits for the one before, on the other device.
CTEST(chains_go_from_one_device_to_the_other_and_back) {
  enum { LENGTH = 100 };
  WITH_DEVICE(2);
  OWNED iree_hal_device_t* other = NULL;
  OWNED iree_hal_semaphore_t* other_done = NULL;
  OWNED iree_hal_semaphore_t* gate = NULL;
  OWNED iree_hal_command_buffer_t* small = NULL;
  OWNED iree_hal_command_buffer_t* large = NULL;
  REQUIRE_OK(create_device(1, &other));
  REQUIRE_OK(semaphore(other, &other_done));
  REQUIRE_OK(semaphore(device, &gate));
  REQUIRE_OK(record_one(device, executable, 0, WORKGROUP_COUNT, words, &small));
  REQUIRE_OK(
      record_one(other, executable, LONG / 50, WORKGROUP_COUNT, words, &large));
  for (uint64_t i = 1; i <= LENGTH; ++i) {
    REQUIRE_OK(execute(device, small, i > 1 ? other_done : gate,
                       i > 1 ? i - 1 : 1, done, i));
    REQUIRE_OK(execute(other, large, done, i, other_done, i));
  }
  EXPECT_OK(iree_hal_semaphore_signal(gate, 1));
  EXPECT_OK(wait_for(other_done, LENGTH));
  expect_words(words, 2 * LENGTH);
}

//===----------------------------------------------------------------------===//
// Without threads, without memory
//===----------------------------------------------------------------------===//

static void work_with_threads(int count, uint32_t thread_count) {
  WITH_DEVICE(thread_count);
  threads_left = count;
  OWNED iree_hal_semaphore_t* gate = NULL;
  REQUIRE_OK(semaphore(device, &gate));
  REQUIRE_OK(record_one(device, executable, LONG / 10, WORKGROUP_COUNT, words,
                        &command_buffer));
  for (uint64_t run = 1; run <= 4; ++run) {
    REQUIRE_OK(
        execute(device, command_buffer, run == 3 ? gate : NULL, 1, done, run));
    if (run == 3) {
      EXPECT_STATUS(
          IREE_STATUS_DEADLINE_EXCEEDED,
          iree_hal_semaphore_wait(done, 3, iree_make_timeout_ns(100000), 0));
      EXPECT_OK(iree_hal_semaphore_signal(gate, 1));
    }
    EXPECT_OK(wait_for(done, run));
    expect_words(words, (uint32_t)run);
  }
  EXPECT_EQ_I64(running_count(device), count);
  threads_left = -1;
}

CTEST(who_submits_works_when_no_thread_can_be_started) {
  work_with_threads(0, 1);
  work_with_threads(0, 3);
}

CTEST(some_threads_do_when_no_more_can_be_started) { work_with_threads(1, 3); }

// The wait itself may fail.
static iree_status_t wait_to_the_end(iree_hal_semaphore_t* semaphore,
                                     uint64_t value) {
  iree_status_t status = wait_for(semaphore, value);
  if (iree_status_code(status) != IREE_STATUS_RESOURCE_EXHAUSTED) return status;
  const iree_hal_semaphore_list_t list = {1, &semaphore, &value};
  iree_status_t poll_status = iree_hal_semaphore_list_poll(list);
  while (iree_status_is_deferred(poll_status)) {
    iree_status_ignore(poll_status);
    sched_yield();
    poll_status = iree_hal_semaphore_list_poll(list);
  }
  iree_status_ignore(poll_status);
  return status;
}

// Creates a device, and has it do something small, something that is shared,
// and both once more after they were parked.
static iree_status_t do_everything(iree_allocator_t host_allocator) {
  OWNED iree_hal_device_t* device = NULL;
  OWNED iree_hal_executable_t* executable = NULL;
  OWNED iree_hal_buffer_t* words = NULL;
  OWNED iree_hal_semaphore_t* gate = NULL;
  OWNED iree_hal_semaphore_t* done = NULL;
  OWNED iree_hal_command_buffer_t* command_buffer = NULL;
  const task_device_params_t params = {.name = IREE_SV("test"),
                                       .thread_count = 2};
  IREE_RETURN_IF_ERROR(create_device_with(&params, host_allocator, &device));
  IREE_RETURN_IF_ERROR(load(&executable));
  IREE_RETURN_IF_ERROR(allocate(device, &words));
  IREE_RETURN_IF_ERROR(semaphore(device, &gate));
  IREE_RETURN_IF_ERROR(semaphore(device, &done));
  IREE_RETURN_IF_ERROR(begin(device, &command_buffer));
  const uint32_t counts[] = {1, WORKGROUP_COUNT};
  for (int i = 0; i < 2; ++i) {
    IREE_RETURN_IF_ERROR(record_some(command_buffer, executable, 0, counts[i],
                                     i ? 1000 : 0, WORKGROUP_COUNT, words,
                                     NULL));
    IREE_RETURN_IF_ERROR(barrier(command_buffer));
  }
  IREE_RETURN_IF_ERROR(iree_hal_command_buffer_end(command_buffer));
  IREE_RETURN_IF_ERROR(execute(device, command_buffer, NULL, 0, done, 1));
  IREE_RETURN_IF_ERROR(wait_to_the_end(done, 1));
  IREE_RETURN_IF_ERROR(execute(device, command_buffer, gate, 1, done, 2));
  IREE_RETURN_IF_ERROR(iree_hal_semaphore_signal(gate, 1));
  IREE_RETURN_IF_ERROR(wait_to_the_end(done, 2));
  const uint32_t* data = (const uint32_t*)iree_hal_heap_buffer_data(words);
  EXPECT_EQ_I64(data[0], 4);
  EXPECT_EQ_I64(data[1], 2);
  return iree_ok_status();
}

CTEST(without_memory_everything_fails_and_nothing_stays) {
  enum { MAX_ALLOCATION_COUNT = 1000 };
  failing_allocator_t state = {.remaining = 0};
  int64_t count = 0;
  for (; count < MAX_ALLOCATION_COUNT; ++count) {
    __atomic_store_n(&state.remaining, count, __ATOMIC_RELAXED);
    iree_status_t status = do_everything(failing_allocator(&state));
    EXPECT_EQ_I64(__atomic_load_n(&state.live_blocks, __ATOMIC_RELAXED), 0);
    if (iree_status_is_ok(status)) break;
    EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED, status);
  }
  EXPECT(count > 10 && count < MAX_ALLOCATION_COUNT);
}

//===----------------------------------------------------------------------===//
// Ends
//===----------------------------------------------------------------------===//

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

static void release_device(void* user_data, iree_status_t status) {
  EXPECT_OK(status);
  iree_hal_device_release((iree_hal_device_t*)user_data);
}

// Mostly on a thread of its own, which then cannot wait for itself.
CTEST(devices_end_in_what_waits_for_their_work) {
  for (int i = 0; i < 10; ++i) {
    iree_hal_device_t* device = NULL;
    OWNED iree_hal_executable_t* executable = NULL;
    OWNED iree_hal_buffer_t* words = NULL;
    OWNED iree_hal_semaphore_t* done = NULL;
    iree_hal_command_buffer_t* command_buffer = NULL;
    REQUIRE_OK(create_device(2, &device));
    REQUIRE_OK(load(&executable));
    REQUIRE_OK(allocate(device, &words));
    REQUIRE_OK(semaphore(device, &done));
    REQUIRE_OK(record_one(device, executable, LONG / 20, WORKGROUP_COUNT, words,
                          &command_buffer));
    uint64_t one = 1;
    const iree_hal_semaphore_list_t waits = {1, &done, &one};
    REQUIRE_OK(iree_hal_semaphore_list_notify(waits, release_device, device,
                                              iree_allocator_system()));
    REQUIRE_OK(execute(device, command_buffer, NULL, 0, done, 1));
    iree_hal_command_buffer_release(command_buffer);
    EXPECT_OK(wait_for(done, 1));
    expect_words(words, 1);
  }
}

//===----------------------------------------------------------------------===//
// Fork
//===----------------------------------------------------------------------===//

// 256 workgroups of 4 ms: nobody is through before a fork.
#define SLOW (200 * LONG)

// A child that does not do what is expected says where, as its exit code.
#define CHECK(condition) \
  if (!(condition)) return __LINE__ % 256

// What a child finds of work that was under way when it was forked, and of work
// that waits for |gate|; then it forks a child of its own so many times.
__attribute__((unused)) static int in_child(iree_hal_device_t* device,
                                            iree_hal_executable_t* executable,
                                            iree_hal_semaphore_t* in_flight,
                                            iree_hal_semaphore_t* gate,
                                            int depth) {
  CHECK(iree_status_consume_code(wait_for(in_flight, 1)) ==
        IREE_STATUS_ABORTED);
  // What the parent parked is done here as well as there.
  CHECK(iree_status_is_ok(iree_hal_semaphore_signal(gate, 1)));
  CHECK(iree_status_is_ok(wait_for(gate, 2)));
  iree_hal_buffer_t* words = NULL;
  iree_hal_semaphore_t* done = NULL;
  iree_hal_command_buffer_t* command_buffer = NULL;
  CHECK(iree_status_is_ok(allocate(device, &words)));
  CHECK(iree_status_is_ok(semaphore(device, &done)));
  CHECK(iree_status_is_ok(record_one(device, executable, LONG, WORKGROUP_COUNT,
                                     words, &command_buffer)));
  CHECK(iree_status_is_ok(execute(device, command_buffer, NULL, 0, done, 1)));
  CHECK(iree_status_is_ok(wait_for(done, 1)));
  const uint32_t* data = (const uint32_t*)iree_hal_heap_buffer_data(words);
  for (int i = 0; i < WORKGROUP_COUNT; ++i) CHECK(data[i] == 1);
  CHECK(running_count(device) > 0);
  if (depth == 0) return 0;
  iree_hal_semaphore_t* again = NULL;
  iree_hal_semaphore_t* next_gate = NULL;
  CHECK(iree_status_is_ok(semaphore(device, &again)));
  CHECK(iree_status_is_ok(semaphore(device, &next_gate)));
  iree_hal_command_buffer_t* slow = NULL;
  CHECK(iree_status_is_ok(
      record_one(device, executable, SLOW, WORKGROUP_COUNT, words, &slow)));
  CHECK(iree_status_is_ok(execute(device, slow, NULL, 0, again, 1)));
  CHECK(iree_status_is_ok(
      execute(device, command_buffer, next_gate, 1, next_gate, 2)));
  const pid_t child = fork();
  if (child == 0) {
    _exit(in_child(device, executable, again, next_gate, depth - 1));
  }
  int code = -1;
  CHECK(waitpid(child, &code, 0) == child);
  CHECK(WIFEXITED(code));
  return WEXITSTATUS(code);
}

typedef struct waits_t {
  iree_hal_semaphore_t* semaphores[2];
  uint32_t count;
  uint32_t* begun_count;
} waits_t;

__attribute__((unused)) static void* wait_long(void* user_data) {
  waits_t* waits = (waits_t*)user_data;
  uint64_t values[] = {1, 1};
  const iree_hal_semaphore_list_t list = {waits->count, waits->semaphores,
                                          values};
  __atomic_fetch_add(waits->begun_count, 1, __ATOMIC_RELAXED);
  EXPECT_OK(iree_hal_semaphore_list_wait(
      list, IREE_HAL_WAIT_MODE_ALL, iree_make_timeout_ns(INT64_C(60000000000)),
      0));
  return NULL;
}

__attribute__((unused, noinline)) static void* use_stack(void* user_data) {
  volatile uint8_t bytes[64 << 10];
  for (size_t i = 0; i < sizeof(bytes); ++i) bytes[i] = 0xA5;
  return user_data;
}

// Whose threads get the stacks of those of the parent.
__attribute__((unused)) static int in_child_of_waiters(
    iree_hal_semaphore_t* in_flight, iree_hal_semaphore_t* gate) {
  for (int i = 0; i < 4; ++i) {
    pthread_t threads[4];
    for (int j = 0; j < 4; ++j) {
      CHECK(pthread_create(&threads[j], NULL, use_stack, NULL) == 0);
    }
    for (int j = 0; j < 4; ++j) CHECK(pthread_join(threads[j], NULL) == 0);
  }
  CHECK(iree_status_consume_code(wait_for(in_flight, 1)) ==
        IREE_STATUS_ABORTED);
  CHECK(iree_status_is_ok(iree_hal_semaphore_signal(gate, 1)));
  return 0;
}

CTEST(a_child_is_not_hurt_by_those_that_wait_in_the_parent) {
#if !defined(__SANITIZE_THREAD__)
  WITH_DEVICE(2);
  OWNED iree_hal_semaphore_t* gate = NULL;
  REQUIRE_OK(semaphore(device, &gate));
  REQUIRE_OK(record_one(device, executable, SLOW, WORKGROUP_COUNT, words,
                        &command_buffer));
  REQUIRE_OK(execute(device, command_buffer, NULL, 0, done, 1));
  uint32_t begun = 0;
  waits_t waits[] = {{{done, NULL}, 1, &begun},
                     {{gate, NULL}, 1, &begun},
                     {{gate, done}, 2, &begun}};
  pthread_t threads[IREE_ARRAYSIZE(waits)];
  for (size_t i = 0; i < IREE_ARRAYSIZE(waits); ++i) {
    REQUIRE(pthread_create(&threads[i], NULL, wait_long, &waits[i]) == 0);
  }
  while (__atomic_load_n(&begun, __ATOMIC_RELAXED) < IREE_ARRAYSIZE(waits)) {
    sched_yield();
  }
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) _exit(in_child_of_waiters(done, gate));
  int code = -1;
  EXPECT_EQ_I64(waitpid(child, &code, 0), child);
  EXPECT(WIFEXITED(code));
  EXPECT_EQ_I64(WEXITSTATUS(code), 0);
  EXPECT_OK(iree_hal_semaphore_signal(gate, 1));
  for (size_t i = 0; i < IREE_ARRAYSIZE(waits); ++i) {
    EXPECT_EQ_I64(pthread_join(threads[i], NULL), 0);
  }
#endif
}

CTEST(a_child_fails_what_was_in_flight_and_works_again) {
// ThreadSanitizer starts no thread in the child of a process with several, and
// AddressSanitizer's allocator may be locked there for ever.
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
  WITH_DEVICE(2);
  OWNED iree_hal_buffer_t* parked_words = NULL;
  OWNED iree_hal_semaphore_t* gate = NULL;
  OWNED iree_hal_command_buffer_t* parked = NULL;
  REQUIRE_OK(allocate(device, &parked_words));
  REQUIRE_OK(semaphore(device, &gate));
  REQUIRE_OK(record_one(device, executable, SLOW, WORKGROUP_COUNT, words,
                        &command_buffer));
  REQUIRE_OK(record_one(device, executable, LONG / 10, WORKGROUP_COUNT,
                        parked_words, &parked));
  REQUIRE_OK(execute(device, parked, gate, 1, gate, 2));
  REQUIRE_OK(execute(device, command_buffer, NULL, 0, done, 1));
  fflush(stdout);
  pid_t children[4];
  for (int i = 0; i < 4; ++i) {
    children[i] = fork();
    if (children[i] == 0) _exit(in_child(device, executable, done, gate, i));
  }
  for (int i = 0; i < 4; ++i) {
    int code = -1;
    EXPECT_EQ_I64(waitpid(children[i], &code, 0), children[i]);
    EXPECT(WIFEXITED(code));
    EXPECT_EQ_I64(WEXITSTATUS(code), 0);
  }
  EXPECT_OK(wait_for(done, 1));
  expect_words(words, 1);
  expect_words(parked_words, 0);
  EXPECT_OK(iree_hal_semaphore_signal(gate, 1));
  EXPECT_OK(wait_for(gate, 2));
  expect_words(parked_words, 1);
#endif
}

CTEST_MAIN()
