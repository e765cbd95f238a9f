// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Tests semaphores on one thread: payloads, failures, timepoints, waits,
// notifications. Threads are in semaphore_threads_test.c.

#include "iree_cy/native/hal/defer.h"
#include "iree_cy/native/hal/semaphore_impl.h"
#include "tests/support/ctest.h"
#include "tests/support/default_device.h"
#include "tests/support/failing_allocator.h"

static iree_hal_semaphore_t* make_semaphore(uint64_t value) {
  iree_hal_semaphore_t* semaphore = NULL;
  iree_status_ignore(iree_hal_host_semaphore_create(
      NULL, value, 0, iree_allocator_system(), &semaphore));
  return semaphore;
}

static int64_t payload_of(iree_hal_semaphore_t* semaphore) {
  uint64_t value = 0;
  iree_status_ignore(iree_hal_semaphore_query(semaphore, &value));
  return (int64_t)value;
}

// What a callback was called with.
typedef struct record_t {
  int count;
  iree_status_code_t code;
} record_t;

static void record_timepoint(void* user_data,
                             iree_hal_semaphore_timepoint_t* timepoint,
                             iree_status_t status) {
  (void)timepoint;
  record_t* record = (record_t*)user_data;
  ++record->count;
  record->code = iree_status_consume_code(status);
}

static void record_callback(void* user_data, iree_status_t status) {
  record_timepoint(user_data, NULL, status);
}

CTEST(a_device_makes_a_host_semaphore) {
  iree_hal_device_t* device = NULL;
  iree_hal_semaphore_t* semaphore = NULL;
  REQUIRE_OK(default_device_create(iree_allocator_system(), &device));
  REQUIRE_OK(iree_hal_semaphore_create(device, IREE_HAL_QUEUE_AFFINITY_ANY, 7,
                                       IREE_HAL_SEMAPHORE_FLAG_DEFAULT,
                                       &semaphore));
  EXPECT_EQ_I64(payload_of(semaphore), 7);
  iree_hal_semaphore_release(semaphore);
  EXPECT_STATUS(
      IREE_STATUS_OUT_OF_RANGE,
      iree_hal_semaphore_create(device, 0, IREE_HAL_SEMAPHORE_MAX_VALUE + 1, 0,
                                &semaphore));
  EXPECT(!semaphore);
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_semaphore_create(NULL, 0, 0, 0, &semaphore));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_semaphore_create(device, 0, 0, 0, NULL));
  iree_hal_device_release(device);
}

CTEST(payloads_only_grow) {
  iree_hal_semaphore_t* semaphore = make_semaphore(3);
  EXPECT_OK(iree_hal_semaphore_signal(semaphore, 4));
  EXPECT_EQ_I64(payload_of(semaphore), 4);
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_semaphore_signal(semaphore, 4));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_semaphore_signal(semaphore, 0));
  EXPECT_STATUS(
      IREE_STATUS_OUT_OF_RANGE,
      iree_hal_semaphore_signal(semaphore, IREE_HAL_SEMAPHORE_MAX_VALUE + 1));
  EXPECT_EQ_I64(payload_of(semaphore), 4);
  EXPECT_OK(iree_hal_semaphore_signal(semaphore, IREE_HAL_SEMAPHORE_MAX_VALUE));
  iree_hal_semaphore_publish(semaphore, 5);
  EXPECT_EQ_I64(payload_of(semaphore), IREE_HAL_SEMAPHORE_MAX_VALUE);
  iree_hal_semaphore_release(semaphore);
}

CTEST(null_arguments_are_refused) {
  iree_hal_semaphore_t* semaphore = make_semaphore(0);
  iree_hal_semaphore_t* null_semaphore = NULL;
  uint64_t value = 1;
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_semaphore_query(NULL, &value));
  EXPECT_EQ_I64(value, 0);
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_semaphore_query(semaphore, NULL));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_semaphore_signal(NULL, 1));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_semaphore_wait(NULL, 1, iree_immediate_timeout(), 0));
  iree_hal_semaphore_fail(NULL, iree_make_status(IREE_STATUS_ABORTED, "drop"));
  iree_hal_semaphore_fail(semaphore, iree_ok_status());
  EXPECT_EQ_I64(payload_of(semaphore), 0);
  const iree_hal_semaphore_list_t lists[] = {
      {1, NULL, &value}, {1, &semaphore, NULL}, {1, &null_semaphore, &value}};
  record_t record = {0};
  for (size_t i = 0; i < IREE_ARRAYSIZE(lists); ++i) {
    iree_hal_semaphore_list_t clone;
    EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                  iree_hal_semaphore_list_wait(lists[i], IREE_HAL_WAIT_MODE_ALL,
                                               iree_immediate_timeout(), 0));
    EXPECT_STATUS(
        IREE_STATUS_INVALID_ARGUMENT,
        iree_hal_semaphore_list_notify(lists[i], record_callback, &record,
                                       iree_allocator_system()));
    EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                  iree_hal_semaphore_list_clone(
                      lists[i], iree_allocator_system(), &clone));
  }
  EXPECT_STATUS(
      IREE_STATUS_INVALID_ARGUMENT,
      iree_hal_semaphore_list_notify(iree_hal_semaphore_list_empty(), NULL,
                                     NULL, iree_allocator_system()));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_semaphore_list_wait(iree_hal_semaphore_list_empty(), 2,
                                             iree_immediate_timeout(), 0));
  EXPECT_EQ_I64(record.count, 0);
  iree_hal_semaphore_release(semaphore);
}

CTEST(the_first_failure_stays) {
  iree_hal_semaphore_t* semaphore = make_semaphore(2);
  iree_hal_semaphore_fail(semaphore,
                          iree_make_status(IREE_STATUS_DATA_LOSS, "first"));
  iree_hal_semaphore_fail(semaphore,
                          iree_make_status(IREE_STATUS_ABORTED, "second"));
  uint64_t value = 0;
  iree_status_t status = iree_hal_semaphore_query(semaphore, &value);
  EXPECT_EQ_I64(value, IREE_HAL_SEMAPHORE_FAILURE_VALUE);
  EXPECT_EQ_SV(iree_status_message(status), IREE_SV("first"));
  EXPECT_STATUS(IREE_STATUS_DATA_LOSS, status);
  EXPECT_STATUS(IREE_STATUS_DATA_LOSS, iree_hal_semaphore_signal(semaphore, 3));
  EXPECT_STATUS(
      IREE_STATUS_DATA_LOSS,
      iree_hal_semaphore_wait(semaphore, 9, iree_infinite_timeout(), 0));
  iree_hal_semaphore_release(semaphore);
}

CTEST(a_wait_that_times_out_leaves_everything_usable) {
  iree_hal_semaphore_t* semaphore = make_semaphore(1);
  EXPECT_OK(iree_hal_semaphore_wait(semaphore, 1, iree_infinite_timeout(), 0));
  EXPECT_OK(iree_hal_semaphore_wait(semaphore, 1, iree_immediate_timeout(), 0));
  EXPECT_STATUS(
      IREE_STATUS_DEADLINE_EXCEEDED,
      iree_hal_semaphore_wait(semaphore, 2, iree_immediate_timeout(), 0));
  EXPECT_STATUS(
      IREE_STATUS_DEADLINE_EXCEEDED,
      iree_hal_semaphore_wait(semaphore, 2, iree_make_timeout_ns(1000000), 0));
  EXPECT_STATUS(
      IREE_STATUS_DEADLINE_EXCEEDED,
      iree_hal_semaphore_wait(semaphore, 2, iree_make_deadline(1), 0));
  EXPECT_OK(iree_hal_semaphore_signal(semaphore, 2));
  EXPECT_OK(iree_hal_semaphore_wait(semaphore, 2, iree_infinite_timeout(), 0));
  iree_hal_semaphore_release(semaphore);
}

CTEST(timepoints_are_called_when_reached_and_once) {
  iree_hal_semaphore_t* semaphore = make_semaphore(0);
  const uint64_t wanted[] = {3, 1, 2, 2, 5, 0};
  record_t records[6] = {{0}};
  iree_hal_semaphore_timepoint_t timepoints[6];
  for (int i = 0; i < 6; ++i) {
    iree_hal_semaphore_acquire_timepoint(semaphore, wanted[i], record_timepoint,
                                         &records[i], &timepoints[i]);
  }
  for (uint64_t value = 0; value <= 4; value += 2) {
    if (value) EXPECT_OK(iree_hal_semaphore_signal(semaphore, value));
    for (int i = 0; i < 6; ++i) {
      EXPECT_EQ_I64(records[i].count, wanted[i] <= value);
    }
  }
  iree_hal_semaphore_fail(semaphore,
                          iree_make_status(IREE_STATUS_CANCELLED, "stop"));
  EXPECT_EQ_I64(records[4].count, 1);
  EXPECT_EQ_I64(records[4].code, IREE_STATUS_CANCELLED);
  EXPECT_EQ_I64(records[0].code, IREE_STATUS_OK);
  record_t late = {0};
  iree_hal_semaphore_acquire_timepoint(semaphore, 1, record_timepoint, &late,
                                       &timepoints[0]);
  EXPECT_EQ_I64(late.count, 1);
  EXPECT_EQ_I64(late.code, IREE_STATUS_CANCELLED);
  iree_hal_semaphore_release(semaphore);
}

CTEST(a_cancelled_timepoint_is_not_called) {
  iree_hal_semaphore_t* semaphore = make_semaphore(0);
  record_t records[4] = {{0}};
  iree_hal_semaphore_timepoint_t timepoints[4];
  for (int i = 0; i < 4; ++i) {
    iree_hal_semaphore_acquire_timepoint(semaphore, (uint64_t)i + 1,
                                         record_timepoint, &records[i],
                                         &timepoints[i]);
  }
  // The first, one in the middle, the last.
  EXPECT(iree_hal_semaphore_cancel_timepoint(semaphore, &timepoints[0]));
  EXPECT(iree_hal_semaphore_cancel_timepoint(semaphore, &timepoints[2]));
  EXPECT(iree_hal_semaphore_cancel_timepoint(semaphore, &timepoints[3]));
  EXPECT(!iree_hal_semaphore_cancel_timepoint(semaphore, &timepoints[3]));
  iree_hal_semaphore_acquire_timepoint(semaphore, 4, record_timepoint,
                                       &records[3], &timepoints[3]);
  EXPECT_OK(iree_hal_semaphore_signal(semaphore, 10));
  EXPECT_EQ_I64(records[0].count, 0);
  EXPECT_EQ_I64(records[1].count, 1);
  EXPECT_EQ_I64(records[2].count, 0);
  EXPECT_EQ_I64(records[3].count, 1);
  EXPECT(!iree_hal_semaphore_cancel_timepoint(semaphore, &timepoints[1]));
  iree_hal_semaphore_release(semaphore);
}

CTEST(a_destroyed_semaphore_aborts_what_waits_for_it) {
  iree_hal_semaphore_t* semaphore = make_semaphore(0);
  record_t record = {0};
  iree_hal_semaphore_timepoint_t timepoint;
  iree_hal_semaphore_acquire_timepoint(semaphore, 1, record_timepoint, &record,
                                       &timepoint);
  iree_hal_semaphore_release(semaphore);
  EXPECT_EQ_I64(record.count, 1);
  EXPECT_EQ_I64(record.code, IREE_STATUS_ABORTED);
}

CTEST(lists_poll_signal_and_fail) {
  iree_hal_semaphore_t* semaphores[] = {make_semaphore(0), make_semaphore(0)};
  uint64_t payloads[] = {1, 2};
  const iree_hal_semaphore_list_t list = {2, semaphores, payloads};
  EXPECT_OK(iree_hal_semaphore_list_poll(iree_hal_semaphore_list_empty()));
  EXPECT_STATUS(IREE_STATUS_DEFERRED, iree_hal_semaphore_list_poll(list));
  EXPECT_OK(iree_hal_semaphore_signal(semaphores[0], 1));
  EXPECT_STATUS(IREE_STATUS_DEFERRED, iree_hal_semaphore_list_poll(list));
  // The first cannot be signalled again; the second is signalled all the same.
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_semaphore_list_signal(list));
  EXPECT_OK(iree_hal_semaphore_list_poll(list));
  iree_hal_semaphore_list_fail(list,
                               iree_make_status(IREE_STATUS_UNKNOWN, "why"));
  EXPECT_STATUS(IREE_STATUS_UNKNOWN, iree_hal_semaphore_list_poll(list));
  for (int i = 0; i < 2; ++i) {
    uint64_t value = 0;
    EXPECT_STATUS(IREE_STATUS_UNKNOWN,
                  iree_hal_semaphore_query(semaphores[i], &value));
  }
  iree_hal_semaphore_list_release(list);
}

CTEST(a_clone_keeps_its_semaphores) {
  iree_hal_semaphore_t* semaphores[] = {make_semaphore(0), make_semaphore(0)};
  uint64_t payloads[] = {1, 2};
  iree_hal_semaphore_list_t list = {2, semaphores, payloads};
  iree_hal_semaphore_list_t clone;
  failing_allocator_t state = {.remaining = 1};
  REQUIRE_OK(
      iree_hal_semaphore_list_clone(list, failing_allocator(&state), &clone));
  EXPECT_EQ_I64(state.live_blocks, 1);
  iree_hal_semaphore_list_release(list);
  payloads[0] = 9;
  EXPECT_OK(iree_hal_semaphore_list_signal(clone));
  EXPECT_EQ_I64(payload_of(clone.semaphores[0]), 1);
  iree_hal_semaphore_list_t again;
  EXPECT_STATUS(
      IREE_STATUS_RESOURCE_EXHAUSTED,
      iree_hal_semaphore_list_clone(clone, failing_allocator(&state), &again));
  EXPECT_EQ_I64(again.count, 0);
  iree_hal_semaphore_list_free(clone, failing_allocator(&state));
  EXPECT_EQ_I64(state.live_blocks, 0);
  REQUIRE_OK(iree_hal_semaphore_list_clone(iree_hal_semaphore_list_empty(),
                                           failing_allocator(&state), &again));
  iree_hal_semaphore_list_free(again, failing_allocator(&state));
}

CTEST(waits_for_all_and_any) {
  iree_hal_semaphore_t* semaphores[10];
  uint64_t payloads[10];
  for (int i = 0; i < 10; ++i) {
    semaphores[i] = make_semaphore(0);
    payloads[i] = 1;
  }
  const iree_timeout_t soon = iree_make_timeout_ns(1000000);
  const iree_hal_semaphore_list_t list = {10, semaphores, payloads};
  const iree_hal_semaphore_list_t pair = {2, semaphores, payloads};
  EXPECT_STATUS(
      IREE_STATUS_DEADLINE_EXCEEDED,
      iree_hal_semaphore_list_wait(list, IREE_HAL_WAIT_MODE_ANY, soon, 0));
  EXPECT_STATUS(
      IREE_STATUS_DEADLINE_EXCEEDED,
      iree_hal_semaphore_list_wait(pair, IREE_HAL_WAIT_MODE_ALL, soon, 0));
  EXPECT_OK(iree_hal_semaphore_signal(semaphores[1], 1));
  EXPECT_OK(iree_hal_semaphore_list_wait(list, IREE_HAL_WAIT_MODE_ANY,
                                         iree_infinite_timeout(), 0));
  EXPECT_OK(iree_hal_semaphore_list_wait(pair, IREE_HAL_WAIT_MODE_ANY,
                                         iree_immediate_timeout(), 0));
  EXPECT_STATUS(
      IREE_STATUS_DEADLINE_EXCEEDED,
      iree_hal_semaphore_list_wait(list, IREE_HAL_WAIT_MODE_ALL, soon, 0));
  EXPECT_STATUS(IREE_STATUS_DEADLINE_EXCEEDED,
                iree_hal_semaphore_list_wait(list, IREE_HAL_WAIT_MODE_ALL,
                                             iree_immediate_timeout(), 0));
  // A failure is no reason to wait on, and none when another one is reached.
  iree_hal_semaphore_fail(semaphores[7],
                          iree_make_status(IREE_STATUS_DATA_LOSS, "lost"));
  EXPECT_STATUS(IREE_STATUS_DATA_LOSS,
                iree_hal_semaphore_list_wait(list, IREE_HAL_WAIT_MODE_ALL,
                                             iree_infinite_timeout(), 0));
  EXPECT_OK(iree_hal_semaphore_list_wait(list, IREE_HAL_WAIT_MODE_ANY,
                                         iree_infinite_timeout(), 0));
  const iree_hal_semaphore_list_t tail = {8, semaphores + 2, payloads + 2};
  EXPECT_STATUS(IREE_STATUS_DATA_LOSS,
                iree_hal_semaphore_list_wait(tail, IREE_HAL_WAIT_MODE_ANY,
                                             iree_infinite_timeout(), 0));
  EXPECT_OK(iree_hal_semaphore_list_wait(iree_hal_semaphore_list_empty(),
                                         IREE_HAL_WAIT_MODE_ANY,
                                         iree_immediate_timeout(), 0));
  iree_hal_semaphore_list_release(list);
}

CTEST(a_notification_that_is_due_is_called_at_once) {
  iree_hal_semaphore_t* semaphore = make_semaphore(1);
  uint64_t payload = 1;
  const iree_hal_semaphore_list_t list = {1, &semaphore, &payload};
  failing_allocator_t state = {.remaining = 0};
  record_t record = {0};
  EXPECT_OK(iree_hal_semaphore_list_notify(iree_hal_semaphore_list_empty(),
                                           record_callback, &record,
                                           failing_allocator(&state)));
  EXPECT_EQ_I64(record.count, 1);
  EXPECT_OK(iree_hal_semaphore_list_notify(list, record_callback, &record,
                                           failing_allocator(&state)));
  EXPECT_EQ_I64(record.count, 2);
  EXPECT_EQ_I64(record.code, IREE_STATUS_OK);
  // One that cannot be parked leaves nothing behind.
  payload = 2;
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                iree_hal_semaphore_list_notify(list, record_callback, &record,
                                               failing_allocator(&state)));
  iree_hal_semaphore_fail(semaphore,
                          iree_make_status(IREE_STATUS_ABORTED, "stop"));
  EXPECT_EQ_I64(record.count, 2);
  EXPECT_OK(iree_hal_semaphore_list_notify(list, record_callback, &record,
                                           failing_allocator(&state)));
  EXPECT_EQ_I64(record.count, 3);
  EXPECT_EQ_I64(record.code, IREE_STATUS_ABORTED);
  iree_hal_semaphore_release(semaphore);
}

CTEST(a_notification_comes_with_the_last_payload) {
  iree_hal_semaphore_t* semaphores[] = {make_semaphore(0), make_semaphore(0),
                                        make_semaphore(0)};
  uint64_t payloads[] = {1, 1, 1};
  const iree_hal_semaphore_list_t list = {3, semaphores, payloads};
  failing_allocator_t state = {.remaining = -1};
  record_t record = {0};
  REQUIRE_OK(iree_hal_semaphore_list_notify(list, record_callback, &record,
                                            failing_allocator(&state)));
  EXPECT_EQ_I64(state.live_blocks, 1);
  EXPECT_OK(iree_hal_semaphore_signal(semaphores[2], 5));
  EXPECT_OK(iree_hal_semaphore_signal(semaphores[0], 1));
  EXPECT_EQ_I64(record.count, 0);
  EXPECT_OK(iree_hal_semaphore_signal(semaphores[1], 1));
  EXPECT_EQ_I64(record.count, 1);
  EXPECT_EQ_I64(record.code, IREE_STATUS_OK);
  EXPECT_EQ_I64(state.live_blocks, 0);
  iree_hal_semaphore_list_release(list);
}

CTEST(a_notification_comes_with_the_first_failure_once) {
  iree_hal_semaphore_t* semaphores[] = {make_semaphore(0), make_semaphore(0),
                                        make_semaphore(0)};
  uint64_t payloads[] = {1, 1, 1};
  const iree_hal_semaphore_list_t list = {3, semaphores, payloads};
  failing_allocator_t state = {.remaining = -1};
  record_t record = {0};
  REQUIRE_OK(iree_hal_semaphore_list_notify(list, record_callback, &record,
                                            failing_allocator(&state)));
  iree_hal_semaphore_fail(semaphores[1],
                          iree_make_status(IREE_STATUS_DATA_LOSS, "lost"));
  EXPECT_EQ_I64(record.count, 1);
  EXPECT_EQ_I64(record.code, IREE_STATUS_DATA_LOSS);
  iree_hal_semaphore_fail(semaphores[0],
                          iree_make_status(IREE_STATUS_ABORTED, "too"));
  // The last one is never signalled: its end must free the rest.
  EXPECT_EQ_I64(state.live_blocks, 1);
  iree_hal_semaphore_list_release(list);
  EXPECT_EQ_I64(record.count, 1);
  EXPECT_EQ_I64(state.live_blocks, 0);
}

CTEST(a_notification_of_a_destroyed_semaphore_is_aborted) {
  iree_hal_semaphore_t* kept = make_semaphore(0);
  iree_hal_semaphore_t* semaphores[] = {kept, make_semaphore(0)};
  uint64_t payloads[] = {1, 1};
  const iree_hal_semaphore_list_t list = {2, semaphores, payloads};
  record_t record = {0};
  REQUIRE_OK(iree_hal_semaphore_list_notify(list, record_callback, &record,
                                            iree_allocator_system()));
  iree_hal_semaphore_release(semaphores[1]);
  EXPECT_EQ_I64(record.count, 1);
  EXPECT_EQ_I64(record.code, IREE_STATUS_ABORTED);
  EXPECT_OK(iree_hal_semaphore_signal(kept, 1));
  EXPECT_EQ_I64(record.count, 1);
  iree_hal_semaphore_release(kept);
}

CTEST(the_same_semaphore_may_stand_in_a_list_twice) {
  iree_hal_semaphore_t* semaphore = make_semaphore(0);
  iree_hal_semaphore_t* semaphores[] = {semaphore, semaphore};
  uint64_t payloads[] = {2, 1};
  const iree_hal_semaphore_list_t list = {2, semaphores, payloads};
  record_t record = {0};
  REQUIRE_OK(iree_hal_semaphore_list_notify(list, record_callback, &record,
                                            iree_allocator_system()));
  EXPECT_OK(iree_hal_semaphore_signal(semaphore, 1));
  EXPECT_EQ_I64(record.count, 0);
  EXPECT_OK(iree_hal_semaphore_signal(semaphore, 2));
  EXPECT_EQ_I64(record.count, 1);
  iree_hal_semaphore_release(semaphore);
}

// A step of a chain on one timeline: step i waits for i and signals i + 1.
typedef struct chain_t {
  iree_hal_semaphore_t* semaphore;
  uint64_t reached;
  uint64_t failed;
  // Greatest distance of the stack from where the chain began.
  const char* stack;
  ptrdiff_t max_depth;
} chain_t;

typedef struct chain_step_t {
  chain_t* chain;
  uint64_t index;
} chain_step_t;

static void run_step(void* user_data, iree_status_t status) {
  const char here = 0;
  chain_step_t* step = (chain_step_t*)user_data;
  chain_t* chain = step->chain;
  const ptrdiff_t depth =
      chain->stack > &here ? chain->stack - &here : &here - chain->stack;
  if (depth > chain->max_depth) chain->max_depth = depth;
  if (!iree_status_is_ok(status)) {
    ++chain->failed;
    iree_status_ignore(status);
    return;
  }
  if (chain->reached + 1 == step->index) chain->reached = step->index;
  iree_status_ignore(
      iree_hal_semaphore_signal(chain->semaphore, step->index + 1));
}

enum { CHAIN_LENGTH = 100000 };

CTEST(a_long_chain_runs_from_a_list) {
  const char stack = 0;
  chain_t chain = {make_semaphore(0), 0, 0, &stack, 0};
  chain_step_t* steps =
      (chain_step_t*)calloc(CHAIN_LENGTH, sizeof(chain_step_t));
  REQUIRE(steps);
  for (uint64_t i = 0; i < CHAIN_LENGTH; ++i) {
    steps[i].chain = &chain;
    steps[i].index = i + 1;
    const iree_hal_semaphore_list_t list = {1, &chain.semaphore,
                                            &steps[i].index};
    REQUIRE_OK(iree_hal_semaphore_list_notify(list, run_step, &steps[i],
                                              iree_allocator_system()));
  }
  EXPECT_EQ_I64(chain.reached, 0);
  EXPECT_OK(iree_hal_semaphore_signal(chain.semaphore, 1));
  EXPECT_EQ_I64(chain.reached, CHAIN_LENGTH);
  EXPECT_EQ_I64(payload_of(chain.semaphore), CHAIN_LENGTH + 1);
  EXPECT(chain.max_depth < 16384);
  iree_hal_semaphore_release(chain.semaphore);
  free(steps);
}

// The chain over semaphores of its own, submitted from its end.
typedef struct link_t {
  iree_hal_semaphore_t* next;
  chain_t* chain;
} link_t;

static void run_link(void* user_data, iree_status_t status) {
  const char here = 0;
  link_t* link = (link_t*)user_data;
  chain_t* chain = link->chain;
  const ptrdiff_t depth =
      chain->stack > &here ? chain->stack - &here : &here - chain->stack;
  if (depth > chain->max_depth) chain->max_depth = depth;
  ++chain->reached;
  if (iree_status_is_ok(status)) {
    iree_status_ignore(iree_hal_semaphore_signal(link->next, 1));
  } else {
    ++chain->failed;
    iree_hal_semaphore_fail(link->next, status);
  }
  iree_hal_semaphore_release(link->next);
}

static void run_chain_of_links(bool must_fail) {
  const char stack = 0;
  chain_t chain = {NULL, 0, 0, &stack, 0};
  link_t* links = (link_t*)calloc(CHAIN_LENGTH, sizeof(link_t));
  REQUIRE(links);
  uint64_t payload = 1;
  iree_hal_semaphore_t* next = make_semaphore(0);
  for (int i = CHAIN_LENGTH - 1; i >= 0; --i) {
    iree_hal_semaphore_t* semaphore = make_semaphore(0);
    links[i].next = next;
    links[i].chain = &chain;
    const iree_hal_semaphore_list_t list = {1, &semaphore, &payload};
    REQUIRE_OK(iree_hal_semaphore_list_notify(list, run_link, &links[i],
                                              iree_allocator_system()));
    next = semaphore;
  }
  if (must_fail) {
    // Nobody can signal the first any more; each end ends the next.
    iree_hal_semaphore_release(next);
  } else {
    EXPECT_OK(iree_hal_semaphore_signal(next, 1));
    iree_hal_semaphore_release(next);
  }
  EXPECT_EQ_I64(chain.reached, CHAIN_LENGTH);
  EXPECT_EQ_I64(chain.failed, must_fail ? CHAIN_LENGTH : 0);
  EXPECT(chain.max_depth < 16384);
  free(links);
}

CTEST(a_chain_of_semaphores_runs_from_a_list) { run_chain_of_links(false); }
CTEST(a_chain_of_semaphores_fails_from_a_list) { run_chain_of_links(true); }

// What was run when, as a string of letters.
static char trace[16];
static void trace_letter(void* user_data) {
  const size_t length = strlen(trace);
  if (length + 1 < sizeof(trace)) trace[length] = *(const char*)user_data;
}
static iree_cy_deferred_t trace_deferred[2];
static void trace_and_defer(void* user_data,
                            iree_hal_semaphore_timepoint_t* timepoint,
                            iree_status_t status) {
  (void)timepoint;
  iree_status_ignore(status);
  trace_letter(user_data);
  iree_cy_defer(trace_letter, user_data,
                &trace_deferred[*(const char*)user_data == 'b']);
}

CTEST(what_is_deferred_runs_after_all_timepoints) {
  memset(trace, 0, sizeof(trace));
  iree_hal_semaphore_t* semaphore = make_semaphore(0);
  iree_hal_semaphore_timepoint_t timepoints[2];
  iree_hal_semaphore_acquire_timepoint(semaphore, 1, trace_and_defer, "a",
                                       &timepoints[0]);
  iree_hal_semaphore_acquire_timepoint(semaphore, 1, trace_and_defer, "b",
                                       &timepoints[1]);
  EXPECT_OK(iree_hal_semaphore_signal(semaphore, 1));
  EXPECT_EQ_SV(iree_make_cstring_view(trace), IREE_SV("abab"));
  iree_cy_deferred_t deferred;
  iree_cy_defer(trace_letter, "c", &deferred);
  EXPECT_EQ_SV(iree_make_cstring_view(trace), IREE_SV("ababc"));
  iree_hal_semaphore_release(semaphore);
}

// A callback that waits for what was put off on its own thread.
static void signal_deferred(void* user_data) {
  iree_status_ignore(
      iree_hal_semaphore_signal((iree_hal_semaphore_t*)user_data, 1));
}

CTEST(a_wait_within_a_scope_runs_what_was_put_off) {
  iree_hal_semaphore_t* semaphore = make_semaphore(0);
  iree_cy_deferred_t deferred;
  iree_cy_defer_scope_enter();
  iree_cy_defer(signal_deferred, semaphore, &deferred);
  EXPECT_EQ_I64(payload_of(semaphore), 0);
  EXPECT_OK(iree_hal_semaphore_wait(semaphore, 1,
                                    iree_make_timeout_ns(10000000000), 0));
  iree_cy_defer_scope_leave();
  iree_hal_semaphore_release(semaphore);
}

// A driver whose base advances only when it is refreshed.
typedef struct lazy_semaphore_t {
  iree_hal_semaphore_t base;
  uint64_t native_value;
  int wait_count;
  int failed_count;
} lazy_semaphore_t;
static void lazy_destroy(iree_hal_semaphore_t* semaphore) {
  iree_hal_semaphore_deinitialize(semaphore);
}
static iree_status_t lazy_refresh(iree_hal_semaphore_t* semaphore) {
  iree_hal_semaphore_publish(semaphore,
                             ((lazy_semaphore_t*)semaphore)->native_value);
  return iree_ok_status();
}
static iree_status_t lazy_wait(iree_hal_semaphore_t* semaphore, uint64_t value,
                               iree_timeout_t timeout,
                               iree_hal_wait_flags_t flags) {
  (void)timeout, (void)flags;
  lazy_semaphore_t* lazy = (lazy_semaphore_t*)semaphore;
  // The device gets there while it is waited for the third time.
  if (++lazy->wait_count == 3) lazy->native_value = value;
  return lazy->wait_count < 3
             ? iree_status_from_code(IREE_STATUS_DEADLINE_EXCEEDED)
             : lazy_refresh(semaphore);
}
static void lazy_failed(iree_hal_semaphore_t* semaphore) {
  ++((lazy_semaphore_t*)semaphore)->failed_count;
}

CTEST(a_driver_refreshes_and_waits_for_its_own) {
  static const iree_hal_semaphore_vtable_t table = {
      .header = {.size = sizeof(table)},
      .destroy = lazy_destroy,
      .refresh = lazy_refresh,
      .failed = lazy_failed,
      .wait = lazy_wait,
  };
  const void* vtable = NULL;
  REQUIRE_OK(iree_cy_register_vtable(IREE_CY_OBJECT_KIND_SEMAPHORE, &table,
                                     IREE_SV("lazy"), &vtable));
  lazy_semaphore_t lazy = {.native_value = 0};
  iree_hal_semaphore_initialize((const iree_hal_semaphore_vtable_t*)vtable,
                                NULL, 0, 0, &lazy.base);
  lazy.native_value = 2;
  EXPECT_EQ_I64(payload_of(&lazy.base), 2);
  iree_hal_semaphore_t* host = make_semaphore(1);
  iree_hal_semaphore_t* semaphores[] = {host, &lazy.base};
  uint64_t payloads[] = {1, 3};
  const iree_hal_semaphore_list_t list = {2, semaphores, payloads};
  lazy.wait_count = 0;
  EXPECT_OK(iree_hal_semaphore_list_wait(list, IREE_HAL_WAIT_MODE_ALL,
                                         iree_infinite_timeout(), 0));
  EXPECT_EQ_I64(lazy.wait_count, 3);
  payloads[0] = 2;
  payloads[1] = 4;
  lazy.wait_count = 0;
  EXPECT_OK(iree_hal_semaphore_list_wait(list, IREE_HAL_WAIT_MODE_ANY,
                                         iree_infinite_timeout(), 0));
  iree_hal_semaphore_fail(&lazy.base,
                          iree_make_status(IREE_STATUS_ABORTED, "stop"));
  EXPECT_EQ_I64(lazy.failed_count, 1);
  iree_hal_semaphore_release(&lazy.base);
  iree_hal_semaphore_release(host);
}

CTEST(a_wait_for_several_sleeps_where_bases_advance_by_themselves) {
  static const iree_hal_semaphore_vtable_t table = {
      .header = {.size = sizeof(table)},
      .destroy = lazy_destroy,
      .wait = lazy_wait,
  };
  const void* vtable = NULL;
  REQUIRE_OK(iree_cy_register_vtable(IREE_CY_OBJECT_KIND_SEMAPHORE, &table,
                                     IREE_SV("eager"), &vtable));
  lazy_semaphore_t eager = {.native_value = 0};
  iree_hal_semaphore_initialize(
      (const iree_hal_semaphore_vtable_t*)vtable, NULL, 0,
      IREE_CY_HAL_SEMAPHORE_FLAG_HOST_ADVANCED, &eager.base);
  iree_hal_semaphore_t* host = make_semaphore(0);
  iree_hal_semaphore_t* semaphores[] = {host, &eager.base};
  uint64_t payloads[] = {1, 1};
  const iree_hal_semaphore_list_t list = {2, semaphores, payloads};
  EXPECT_STATUS(IREE_STATUS_DEADLINE_EXCEEDED,
                iree_hal_semaphore_list_wait(list, IREE_HAL_WAIT_MODE_ALL,
                                             iree_make_timeout_ns(5000000), 0));
  EXPECT_OK(iree_hal_semaphore_signal(&eager.base, 1));
  EXPECT_OK(iree_hal_semaphore_list_wait(list, IREE_HAL_WAIT_MODE_ANY,
                                         iree_infinite_timeout(), 0));
  EXPECT_EQ_I64(eager.wait_count, 0);
  iree_hal_semaphore_release(&eager.base);
  iree_hal_semaphore_release(host);
}

CTEST(external_timepoints_are_refused_by_name) {
  static const iree_hal_semaphore_vtable_t table = {
      .header = {.size = sizeof(table)},
      .destroy = lazy_destroy,
  };
  const void* vtable = NULL;
  REQUIRE_OK(iree_cy_register_vtable(IREE_CY_OBJECT_KIND_SEMAPHORE, &table,
                                     IREE_SV("plain"), &vtable));
  lazy_semaphore_t plain = {.native_value = 0};
  iree_hal_semaphore_initialize((const iree_hal_semaphore_vtable_t*)vtable,
                                NULL, 0, 0, &plain.base);
  uint64_t handle = 1;
  iree_status_t status = ((const iree_hal_semaphore_vtable_t*)vtable)
                             ->export_timepoint(&plain.base, 1, 0, &handle);
  EXPECT_EQ_SV(iree_status_message(status),
               IREE_SV("driver 'plain' does not implement "
                       "iree_hal_semaphore_t.export_timepoint"));
  EXPECT_STATUS(IREE_STATUS_UNIMPLEMENTED, status);
  EXPECT_EQ_I64(handle, 0);
  iree_hal_semaphore_release(&plain.base);
}

CTEST(nothing_is_left) {
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_SEMAPHORE), 0);
}

CTEST_MAIN()
