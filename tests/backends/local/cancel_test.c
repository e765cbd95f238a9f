// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the tests of how the local devices stop work whose call has ended.

#include "backends/local/src/sync/device.c"
#include "iree_cy/native/hal/call_scope.h"
#include "tests/backends/local/task_fixture.h"

static iree_status_t create_sync_device(iree_hal_device_t** out_device) {
  const iree_string_view_t owner = IREE_SV("local-sync");
  *out_device = NULL;
  EXPECT(iree_cy_fork_initialize());
  IREE_RETURN_IF_ERROR(sync_device_register(owner));
  IREE_RETURN_IF_ERROR(local_command_buffer_register(owner));
  IREE_RETURN_IF_ERROR(local_formats_register(owner));
  return sync_device_create(owner, iree_string_view_empty(),
                            iree_allocator_system(), out_device);
}

// A workgroup that is as long as this is asked about at its end.
#define SLOW 5000000

typedef struct fixture_t {
  iree_hal_device_t* device;
  iree_hal_executable_t* executable;
  iree_hal_buffer_t* words;
  iree_hal_semaphore_t* gate;
  iree_hal_semaphore_t* done;
  iree_hal_command_buffer_t* command_buffer;
  iree_hal_call_scope_t scope;
} fixture_t;

static void fixture_deinitialize(fixture_t* fixture) {
  iree_hal_call_scope_deinitialize(&fixture->scope);
  release(&fixture->command_buffer);
  release(&fixture->done);
  release(&fixture->gate);
  release(&fixture->words);
  release(&fixture->executable);
  release(&fixture->device);
}

// A device of so many threads, 0 for local-sync, and |command_count| dispatches
// of |workgroup_count| slow workgroups.
static iree_status_t fixture_initialize(uint32_t thread_count,
                                        uint32_t command_count,
                                        uint32_t workgroup_count,
                                        fixture_t* fixture) {
  memset(fixture, 0, sizeof(*fixture));
  iree_hal_call_scope_initialize(NULL, NULL, IREE_TIME_INFINITE_FUTURE,
                                 &fixture->scope);
  IREE_RETURN_IF_ERROR(thread_count
                           ? create_device(thread_count, &fixture->device)
                           : create_sync_device(&fixture->device));
  IREE_RETURN_IF_ERROR(load(&fixture->executable));
  IREE_RETURN_IF_ERROR(allocate(fixture->device, &fixture->words));
  IREE_RETURN_IF_ERROR(semaphore(fixture->device, &fixture->gate));
  IREE_RETURN_IF_ERROR(semaphore(fixture->device, &fixture->done));
  IREE_RETURN_IF_ERROR(begin(fixture->device, &fixture->command_buffer));
  for (uint32_t i = 0; i < command_count; ++i) {
    IREE_RETURN_IF_ERROR(record_some(
        fixture->command_buffer, fixture->executable, 0, workgroup_count, SLOW,
        WORKGROUP_COUNT, fixture->words, NULL));
    IREE_RETURN_IF_ERROR(barrier(fixture->command_buffer));
  }
  return iree_hal_command_buffer_end(fixture->command_buffer);
}

#define WITH_FIXTURE(thread_count, command_count, workgroup_count)  \
  __attribute__((cleanup(fixture_deinitialize))) fixture_t fixture; \
  REQUIRE_OK(fixture_initialize((thread_count), (command_count),    \
                                (workgroup_count), &fixture))

static uint32_t words_done(const fixture_t* fixture) {
  const uint32_t* words =
      (const uint32_t*)iree_hal_heap_buffer_data(fixture->words);
  uint32_t sum = 0;
  for (int i = 0; i < WORKGROUP_COUNT; ++i) sum += words[i];
  return sum;
}

static iree_status_t submit(fixture_t* fixture, bool is_parked) {
  iree_hal_call_scope_enter(&fixture->scope);
  iree_status_t status =
      execute(fixture->device, fixture->command_buffer,
              is_parked ? fixture->gate : NULL, 1, fixture->done, 1);
  iree_hal_call_scope_leave(&fixture->scope);
  return status;
}

static iree_status_t interrupt(void* user_data) {
  (void)user_data;
  return iree_make_status(IREE_STATUS_ABORTED, "interrupted");
}

//===----------------------------------------------------------------------===//
// On the thread that submits
//===----------------------------------------------------------------------===//

// 640 ms in all; the interrupt function is asked after 20.
static void expect_interrupted(uint32_t thread_count, uint32_t command_count,
                               uint32_t workgroup_count) {
  WITH_FIXTURE(thread_count, command_count, workgroup_count);
  fixture.scope.interrupt = interrupt;
  REQUIRE_OK(submit(&fixture, false));
  iree_status_t status = wait_for(fixture.done, 1);
  EXPECT_EQ_SV(iree_status_message(status), IREE_SV("interrupted"));
  EXPECT_STATUS(IREE_STATUS_ABORTED, status);
  EXPECT(words_done(&fixture) < 64);
}

CTEST(an_interrupted_call_stops_between_the_workgroups_of_local_sync) {
  expect_interrupted(0, 1, 128);
}

CTEST(an_interrupted_call_stops_between_the_commands_of_local_sync) {
  expect_interrupted(0, 128, 1);
}

// So small a dispatch is tried by the submitting thread when it is new.
CTEST(an_interrupted_call_stops_what_local_task_does_at_once) {
  WITH_FIXTURE(2, 1, 4);
  fixture.scope.deadline_ns = iree_time_now();
  REQUIRE_OK(submit(&fixture, false));
  EXPECT_STATUS(IREE_STATUS_DEADLINE_EXCEEDED, wait_for(fixture.done, 1));
  EXPECT(words_done(&fixture) < 4);
}

CTEST(a_call_without_time_stops_local_sync) {
  WITH_FIXTURE(0, 1, 128);
  fixture.scope.deadline_ns = iree_time_now() + 10000000;
  REQUIRE_OK(submit(&fixture, false));
  EXPECT_STATUS(IREE_STATUS_DEADLINE_EXCEEDED, wait_for(fixture.done, 1));
  EXPECT(words_done(&fixture) < 64);
}

CTEST(many_fast_workgroups_are_all_run) {
  WITH_FIXTURE(0, 0, 0);
  OWNED iree_hal_command_buffer_t* fast = NULL;
  REQUIRE_OK(begin(fixture.device, &fast));
  for (int i = 0; i < 50; ++i) {
    REQUIRE_OK(record(fast, fixture.executable, 0, 0, WORKGROUP_COUNT,
                      fixture.words, NULL));
  }
  REQUIRE_OK(iree_hal_command_buffer_end(fast));
  fixture.scope.interrupt = NULL;
  iree_hal_call_scope_enter(&fixture.scope);
  EXPECT_OK(execute(fixture.device, fast, NULL, 0, fixture.done, 1));
  iree_hal_call_scope_leave(&fixture.scope);
  EXPECT_OK(wait_for(fixture.done, 1));
  expect_words(fixture.words, 50);
}

//===----------------------------------------------------------------------===//
// Parked, and run later
//===----------------------------------------------------------------------===//

static void expect_parked_not_run(uint32_t thread_count) {
  WITH_FIXTURE(thread_count, 1, WORKGROUP_COUNT);
  REQUIRE_OK(submit(&fixture, true));
  iree_status_t status = iree_hal_call_scope_finish(
      &fixture.scope, iree_make_status(IREE_STATUS_ABORTED, "interrupted"));
  EXPECT_STATUS(IREE_STATUS_ABORTED, status);
  EXPECT_STATUS(IREE_STATUS_ABORTED, wait_for(fixture.done, 1));
  EXPECT_OK(iree_hal_semaphore_signal(fixture.gate, 1));
  EXPECT_EQ_I64(words_done(&fixture), 0);
}

CTEST(local_sync_never_runs_what_was_cancelled_while_it_was_parked) {
  expect_parked_not_run(0);
}

CTEST(local_task_never_runs_what_was_cancelled_while_it_was_parked) {
  expect_parked_not_run(2);
}

static void* signal_gate(void* user_data) {
  EXPECT_OK(iree_hal_semaphore_signal(((fixture_t*)user_data)->gate, 1));
  return NULL;
}

// More than a second; what is cancelled has begun, and when its call has ended
// nobody writes any more (or ThreadSanitizer says so).
static void expect_running_stops(uint32_t thread_count, uint32_t command_count,
                                 uint32_t workgroup_count) {
  WITH_FIXTURE(thread_count, command_count, workgroup_count);
  pthread_t thread;
  REQUIRE_OK(submit(&fixture, true));
  __atomic_store_n(&begun_count, 0, __ATOMIC_RELAXED);
  REQUIRE(pthread_create(&thread, NULL, signal_gate, &fixture) == 0);
  while (!__atomic_load_n(&begun_count, __ATOMIC_RELAXED)) sched_yield();
  iree_status_t status = iree_hal_call_scope_finish(
      &fixture.scope, iree_make_status(IREE_STATUS_ABORTED, "interrupted"));
  EXPECT_STATUS(IREE_STATUS_ABORTED, status);
  EXPECT(iree_hal_call_scope_is_idle(&fixture.scope));
  const uint32_t count = words_done(&fixture);
  EXPECT(count < command_count * workgroup_count);
  EXPECT_STATUS(IREE_STATUS_CANCELLED, wait_for(fixture.done, 1));
  EXPECT_EQ_I64(pthread_join(thread, NULL), 0);
  EXPECT_EQ_I64(words_done(&fixture), count);
}

CTEST(local_sync_stops_what_another_thread_runs_for_a_cancelled_call) {
  expect_running_stops(0, 1, WORKGROUP_COUNT);
}

CTEST(local_task_stops_a_cancelled_dispatch) {
  expect_running_stops(2, 1, WORKGROUP_COUNT);
}

CTEST(local_task_stops_between_the_commands_of_a_cancelled_call) {
  expect_running_stops(2, 64, 5);
}

CTEST_MAIN()
