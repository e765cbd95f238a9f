// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Tests how a call is told to stop, and what becomes of its operations then.

#include "iree_cy/native/hal/call_scope.h"

#include <pthread.h>

#include "iree_cy/hal/api.h"
#include "tests/support/ctest.h"
#include "tests/support/default_device.h"

typedef struct setup_t {
  iree_hal_device_t* device;
  iree_hal_semaphore_t* wait;
  iree_hal_semaphore_t* signal;
  iree_hal_semaphore_list_t waits;
  iree_hal_semaphore_list_t signals;
  uint64_t payload;
} setup_t;

static void setup_begin(setup_t* setup) {
  memset(setup, 0, sizeof(*setup));
  setup->payload = 1;
  EXPECT_OK(default_device_create(iree_allocator_system(), &setup->device));
  EXPECT_OK(iree_hal_semaphore_create(setup->device, 0, 0, 0, &setup->wait));
  EXPECT_OK(iree_hal_semaphore_create(setup->device, 0, 0, 0, &setup->signal));
  setup->waits = (iree_hal_semaphore_list_t){1, &setup->wait, &setup->payload};
  setup->signals =
      (iree_hal_semaphore_list_t){1, &setup->signal, &setup->payload};
}

static void setup_end(setup_t* setup) {
  iree_hal_semaphore_release(setup->wait);
  iree_hal_semaphore_release(setup->signal);
  iree_hal_device_release(setup->device);
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_DEVICE), 0);
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_SEMAPHORE), 0);
}

static void scope_begin(iree_hal_call_scope_t* scope) {
  iree_hal_call_scope_initialize(NULL, NULL, IREE_TIME_INFINITE_FUTURE, scope);
  iree_hal_call_scope_enter(scope);
}
static void scope_end(iree_hal_call_scope_t* scope) {
  iree_hal_call_scope_leave(scope);
  iree_hal_call_scope_deinitialize(scope);
}

static iree_status_t lost(void) {
  return iree_make_status(IREE_STATUS_DATA_LOSS, "lost");
}

static iree_status_t count_run(void* user_data) {
  ++*(int*)user_data;
  return iree_ok_status();
}

static void add_one(void* user_data) { ++*(int*)user_data; }

CTEST(an_operation_outside_of_calls_runs_and_ends) {
  setup_t setup;
  setup_begin(&setup);
  iree_cy_operation_t operation;
  iree_cy_operation_begin(setup.signals, &operation);
  EXPECT(iree_cy_operation_start(&operation));
  EXPECT(!iree_cy_operation_is_cancelled(&operation));
  iree_cy_operation_end(&operation);
  EXPECT_OK(iree_cy_call_poll());
  setup_end(&setup);
}

CTEST(a_call_that_fails_takes_what_is_parked_with_it) {
  setup_t setup;
  setup_begin(&setup);
  int run_count = 0;
  iree_hal_call_scope_t scope;
  scope_begin(&scope);
  EXPECT_OK(iree_hal_device_queue_submit(setup.device, setup.waits,
                                         setup.signals, 0, NULL, count_run,
                                         NULL, &run_count));
  EXPECT(!iree_hal_call_scope_is_idle(&scope));
  EXPECT_STATUS(IREE_STATUS_DATA_LOSS,
                iree_hal_call_scope_finish(&scope, lost()));
  EXPECT(iree_hal_call_scope_is_idle(&scope));
  EXPECT_STATUS(IREE_STATUS_DATA_LOSS,
                iree_hal_semaphore_list_poll(setup.signals));
  // Nothing more is taken from it.
  EXPECT_STATUS(IREE_STATUS_DATA_LOSS,
                iree_hal_device_queue_barrier(
                    setup.device, 0, iree_hal_semaphore_list_empty(),
                    iree_hal_semaphore_list_empty(), 0));
  EXPECT_STATUS(IREE_STATUS_DATA_LOSS, iree_cy_call_poll());
  scope_end(&scope);
  // Its turn comes, and it does not run.
  EXPECT_OK(iree_hal_semaphore_signal(setup.wait, 1));
  EXPECT_EQ_I64(run_count, 0);
  EXPECT_OK(iree_cy_call_poll());
  setup_end(&setup);
}

CTEST(operations_of_the_default_queue_are_cancelled_too) {
  setup_t setup;
  setup_begin(&setup);
  iree_hal_buffer_t* buffer = NULL;
  const iree_hal_buffer_params_t params = {0};
  EXPECT_OK(iree_hal_allocator_allocate_buffer(
      iree_hal_device_allocator(setup.device), params, 16, &buffer));
  EXPECT_OK(iree_hal_buffer_map_fill(buffer, 0, 16, "a", 1));
  iree_hal_call_scope_t scope;
  scope_begin(&scope);
  EXPECT_OK(iree_hal_device_queue_fill(
      setup.device, 0, setup.waits, setup.signals, buffer, 0, 16, "z", 1, 0));
  EXPECT_STATUS(IREE_STATUS_DATA_LOSS,
                iree_hal_call_scope_finish(&scope, lost()));
  scope_end(&scope);
  EXPECT_OK(iree_hal_semaphore_signal(setup.wait, 1));
  char first = 0;
  EXPECT_OK(iree_hal_buffer_map_read(buffer, 0, &first, 1));
  EXPECT_EQ_I64(first, 'a');
  iree_hal_buffer_release(buffer);
  setup_end(&setup);
}

CTEST(a_call_that_went_well_leaves_its_operations_alone) {
  setup_t setup;
  setup_begin(&setup);
  int run_count = 0;
  iree_hal_call_scope_t scope;
  scope_begin(&scope);
  EXPECT_OK(iree_hal_device_queue_submit(setup.device, setup.waits,
                                         setup.signals, 0, NULL, count_run,
                                         NULL, &run_count));
  EXPECT_OK(iree_hal_call_scope_end(&scope, iree_ok_status()));
  scope_end(&scope);
  EXPECT_OK(iree_hal_semaphore_signal(setup.wait, 1));
  EXPECT_EQ_I64(run_count, 1);
  EXPECT_OK(iree_hal_semaphore_list_poll(setup.signals));
  setup_end(&setup);
}

// A driver's thread that carries out an operation until it is told not to.
typedef struct runner_t {
  iree_cy_operation_t operation;
  iree_hal_semaphore_list_t signals;
  uint32_t has_ended;
} runner_t;
static void* runner_main(void* user_data) {
  runner_t* runner = (runner_t*)user_data;
  while (!iree_cy_operation_is_cancelled(&runner->operation)) {
  }
  __atomic_store_n(&runner->has_ended, 1, __ATOMIC_RELEASE);
  iree_cy_operation_end(&runner->operation);
  iree_hal_semaphore_list_fail(
      runner->signals, iree_make_status(IREE_STATUS_CANCELLED, "stopped"));
  return NULL;
}

CTEST(what_runs_is_waited_for) {
  setup_t setup;
  setup_begin(&setup);
  iree_hal_call_scope_t scope;
  scope_begin(&scope);
  runner_t runner = {.signals = setup.signals};
  iree_cy_operation_begin(setup.signals, &runner.operation);
  EXPECT(iree_cy_operation_start(&runner.operation));
  pthread_t thread;
  pthread_create(&thread, NULL, runner_main, &runner);
  // That somebody else fails the signal says nothing about the operation.
  iree_hal_semaphore_fail(setup.signal, lost());
  scope.deadline_ns = iree_time_now() + 1000000;
  EXPECT_STATUS(IREE_STATUS_DEADLINE_EXCEEDED,
                iree_hal_call_scope_finish(&scope, iree_ok_status()));
  EXPECT(__atomic_load_n(&runner.has_ended, __ATOMIC_ACQUIRE));
  scope_end(&scope);
  pthread_join(thread, NULL);
  setup_end(&setup);
}

CTEST(cancelling_from_another_thread) {
  setup_t setup;
  setup_begin(&setup);
  iree_hal_call_scope_t scope;
  scope_begin(&scope);
  EXPECT_OK(iree_hal_call_scope_share(&scope));
  runner_t runner = {.signals = setup.signals};
  iree_cy_operation_begin(setup.signals, &runner.operation);
  EXPECT(iree_cy_operation_start(&runner.operation));
  scope_end(&scope);
  // The operation outlives the scope.
  pthread_t thread;
  scope_begin(&scope);
  EXPECT_OK(iree_hal_call_scope_share(&scope));
  iree_hal_semaphore_t* second = NULL;
  EXPECT_OK(iree_hal_semaphore_create(setup.device, 0, 0, 0, &second));
  runner_t other = {.signals = {1, &second, &setup.payload}};
  iree_cy_operation_begin(other.signals, &other.operation);
  EXPECT(iree_cy_operation_start(&other.operation));
  iree_hal_call_scope_leave(&scope);
  pthread_create(&thread, NULL, runner_main, &other);
  iree_hal_call_scope_cancel(&scope, lost());
  int idle_count = 0;
  pthread_join(thread, NULL);
  iree_hal_call_scope_notify_idle(&scope, add_one, &idle_count);
  EXPECT_EQ_I64(idle_count, 1);
  iree_hal_call_scope_deinitialize(&scope);
  EXPECT(!iree_cy_operation_is_cancelled(&runner.operation));
  iree_cy_operation_end(&runner.operation);
  iree_hal_semaphore_release(second);
  setup_end(&setup);
}

CTEST(idleness_is_told_once) {
  setup_t setup;
  setup_begin(&setup);
  int idle_count = 0;
  iree_hal_call_scope_t scope;
  scope_begin(&scope);
  iree_cy_operation_t operations[2];
  iree_cy_operation_begin(setup.signals, &operations[0]);
  iree_cy_operation_begin(setup.signals, &operations[1]);
  iree_hal_call_scope_notify_idle(&scope, add_one, &idle_count);
  iree_cy_operation_end(&operations[0]);
  EXPECT_EQ_I64(idle_count, 0);
  iree_cy_operation_end(&operations[1]);
  EXPECT_EQ_I64(idle_count, 1);
  scope_end(&scope);
  setup_end(&setup);
}

typedef struct interruption_t {
  int ask_count;
  bool is_interrupted;
} interruption_t;
static iree_status_t interrupt(void* user_data) {
  interruption_t* interruption = (interruption_t*)user_data;
  ++interruption->ask_count;
  return interruption->is_interrupted
             ? iree_make_status(IREE_STATUS_CANCELLED, "interrupted")
             : iree_ok_status();
}

CTEST(an_interruption_is_asked_for_now_and_then_and_stays) {
  setup_t setup;
  setup_begin(&setup);
  interruption_t interruption = {0, false};
  iree_hal_call_scope_t scope;
  iree_hal_call_scope_initialize(interrupt, &interruption,
                                 IREE_TIME_INFINITE_FUTURE, &scope);
  iree_hal_call_scope_enter(&scope);
  for (int i = 0; i < 1000; ++i) EXPECT_OK(iree_cy_call_poll());
  EXPECT(interruption.ask_count < 100);
  interruption.is_interrupted = true;
  scope.last_poll_ns = 1;
  EXPECT_STATUS(IREE_STATUS_CANCELLED, iree_cy_call_poll());
  const int ask_count = interruption.ask_count;
  interruption.is_interrupted = false;
  EXPECT_STATUS(IREE_STATUS_CANCELLED, iree_cy_call_poll());
  EXPECT_EQ_I64(interruption.ask_count, ask_count);
  // A call inside of this one is bound by it.
  iree_hal_call_scope_t inner;
  scope_begin(&inner);
  EXPECT_STATUS(IREE_STATUS_CANCELLED, iree_cy_call_poll());
  scope_end(&inner);
  scope_end(&scope);
  setup_end(&setup);
}

CTEST(a_second_interruption_ends_the_wait_for_what_does_not_end) {
  setup_t setup;
  setup_begin(&setup);
  interruption_t interruption = {0, true};
  iree_hal_call_scope_t scope;
  iree_hal_call_scope_initialize(interrupt, &interruption,
                                 IREE_TIME_INFINITE_FUTURE, &scope);
  iree_hal_call_scope_enter(&scope);
  iree_cy_operation_t operation;
  iree_cy_operation_begin(setup.signals, &operation);
  EXPECT(iree_cy_operation_start(&operation));
  EXPECT_STATUS(IREE_STATUS_DATA_LOSS,
                iree_hal_call_scope_finish(&scope, lost()));
  EXPECT(!iree_hal_call_scope_is_idle(&scope));
  EXPECT(iree_cy_operation_is_cancelled(&operation));
  scope_end(&scope);
  iree_cy_operation_end(&operation);
  setup_end(&setup);
}

CTEST(a_fence_is_waited_for_until_the_deadline_of_the_call) {
  setup_t setup;
  setup_begin(&setup);
  iree_hal_fence_t* fence = NULL;
  EXPECT_OK(iree_hal_fence_create_at(setup.signal, 1, iree_allocator_system(),
                                     &fence));
  iree_hal_call_scope_t scope;
  iree_hal_call_scope_initialize(NULL, NULL, iree_time_now() + 1000000, &scope);
  iree_hal_call_scope_enter(&scope);
  EXPECT_STATUS(IREE_STATUS_DEADLINE_EXCEEDED,
                iree_hal_call_scope_wait_fence(fence));
  scope_end(&scope);
  EXPECT_OK(iree_hal_semaphore_signal(setup.signal, 1));
  EXPECT_OK(iree_hal_call_scope_wait_fence(fence));
  iree_hal_fence_release(fence);
  setup_end(&setup);
}

// Drivers that carry operations out without beginning them.
CTEST(signals_of_other_drivers_fail_at_once) {
  setup_t setup;
  setup_begin(&setup);
  iree_hal_call_scope_t scope;
  scope_begin(&scope);
  EXPECT_OK(iree_hal_call_scope_track(iree_ok_status(), setup.signals));
  EXPECT(!iree_hal_call_scope_is_idle(&scope));
  EXPECT_STATUS(IREE_STATUS_DATA_LOSS,
                iree_hal_call_scope_finish(&scope, lost()));
  EXPECT_STATUS(IREE_STATUS_DATA_LOSS,
                iree_hal_semaphore_list_poll(setup.signals));
  scope_end(&scope);
  // One that is reached is forgotten.
  scope_begin(&scope);
  EXPECT_OK(iree_hal_call_scope_track(iree_ok_status(), setup.waits));
  EXPECT(!iree_hal_call_scope_is_idle(&scope));
  EXPECT_OK(iree_hal_semaphore_signal(setup.wait, 1));
  EXPECT(iree_hal_call_scope_is_idle(&scope));
  scope_end(&scope);
  setup_end(&setup);
}
CTEST_MAIN()
