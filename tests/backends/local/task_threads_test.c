// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the tests of local-task from the inside with many threads, with none,
// with devices that end, and in forked children.

#include "tests/backends/local/task_fixture.h"

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

CTEST_MAIN()
