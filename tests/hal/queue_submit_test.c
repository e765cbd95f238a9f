// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Tests what drivers submit as a function: when it runs, what it keeps, what is
// left of one that is refused.

#include "iree_cy/hal/api.h"
#include "tests/support/ctest.h"
#include "tests/support/default_device.h"
#include "tests/support/failing_allocator.h"

typedef struct submitted_t {
  iree_hal_semaphore_t* signal;
  iree_hal_buffer_t* buffer;
  iree_status_code_t code;
  int run_count;
  int cleanup_count;
} submitted_t;

static uint64_t payload_of(iree_hal_semaphore_t* semaphore) {
  uint64_t value = 0;
  iree_status_ignore(iree_hal_semaphore_query(semaphore, &value));
  return value;
}

static iree_status_t submitted_run(void* user_data) {
  submitted_t* submitted = (submitted_t*)user_data;
  ++submitted->run_count;
  EXPECT_EQ_I64(submitted->cleanup_count, 0);
  EXPECT_EQ_I64(payload_of(submitted->signal), 0);
  EXPECT_OK(iree_hal_buffer_map_fill(submitted->buffer, 0, 16, "z", 1));
  return submitted->code ? iree_make_status(submitted->code, "it broke")
                         : iree_ok_status();
}
static void submitted_cleanup(void* user_data) {
  submitted_t* submitted = (submitted_t*)user_data;
  ++submitted->cleanup_count;
  EXPECT_EQ_I64(payload_of(submitted->signal), 0);
}

// Submits, with the wait reached before, after, or failed; gives the outcome of
// the signal.
typedef enum wait_kind_e { WAIT_NONE, WAIT_LATER, WAIT_FAILS } wait_kind_t;
static iree_status_t submit(wait_kind_t wait_kind, iree_status_code_t code,
                            submitted_t* out_submitted) {
  memset(out_submitted, 0, sizeof(*out_submitted));
  out_submitted->code = code;
  iree_hal_device_t* device = NULL;
  iree_hal_semaphore_t* wait = NULL;
  EXPECT_OK(default_device_create(iree_allocator_system(), &device));
  EXPECT_OK(iree_hal_semaphore_create(device, 0, 0, 0, &wait));
  EXPECT_OK(iree_hal_semaphore_create(device, 0, 0, 0, &out_submitted->signal));
  iree_hal_semaphore_t* signal = out_submitted->signal;
  const iree_hal_buffer_params_t params = {0};
  EXPECT_OK(iree_hal_allocator_allocate_buffer(
      iree_hal_device_allocator(device), params, 16, &out_submitted->buffer));
  uint64_t payload = 1;
  const iree_hal_semaphore_list_t waits = {wait_kind != WAIT_NONE, &wait,
                                           &payload};
  const iree_hal_semaphore_list_t signals = {1, &signal, &payload};
  void* resources[] = {NULL, out_submitted->buffer};
  EXPECT_OK(iree_hal_device_queue_submit(device, waits, signals, 2, resources,
                                         submitted_run, submitted_cleanup,
                                         out_submitted));
  // Kept by the operation while it is parked.
  iree_hal_device_release(device);
  iree_hal_buffer_release(out_submitted->buffer);
  if (wait_kind == WAIT_LATER) {
    EXPECT_EQ_I64(out_submitted->run_count, 0);
    EXPECT_EQ_I64(out_submitted->cleanup_count, 0);
    EXPECT_OK(iree_hal_semaphore_signal(wait, 1));
  } else if (wait_kind == WAIT_FAILS) {
    iree_hal_semaphore_fail(wait,
                            iree_make_status(IREE_STATUS_DATA_LOSS, "lost"));
  }
  uint64_t value = 0;
  iree_status_t status = iree_hal_semaphore_query(signal, &value);
  if (iree_status_is_ok(status)) EXPECT_EQ_I64(value, 1);
  iree_hal_semaphore_release(signal);
  iree_hal_semaphore_release(wait);
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_DEVICE), 0);
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_BUFFER), 0);
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_SEMAPHORE), 0);
  return status;
}

CTEST(what_is_submitted_runs_when_its_waits_are_reached) {
  submitted_t submitted;
  const wait_kind_t kinds[] = {WAIT_NONE, WAIT_LATER};
  for (size_t i = 0; i < IREE_ARRAYSIZE(kinds); ++i) {
    EXPECT_OK(submit(kinds[i], IREE_STATUS_OK, &submitted));
    EXPECT_EQ_I64(submitted.run_count, 1);
    EXPECT_EQ_I64(submitted.cleanup_count, 1);
    EXPECT_STATUS(IREE_STATUS_ABORTED,
                  submit(kinds[i], IREE_STATUS_ABORTED, &submitted));
    EXPECT_EQ_I64(submitted.cleanup_count, 1);
  }
  EXPECT_STATUS(IREE_STATUS_DATA_LOSS,
                submit(WAIT_FAILS, IREE_STATUS_OK, &submitted));
  EXPECT_EQ_I64(submitted.run_count, 0);
  EXPECT_EQ_I64(submitted.cleanup_count, 1);
}

CTEST(a_submission_that_is_refused_leaves_everything) {
  failing_allocator_t state = {.remaining = -1};
  iree_hal_device_t* device = NULL;
  REQUIRE_OK(default_device_create(failing_allocator(&state), &device));
  iree_hal_semaphore_t* semaphore = NULL;
  REQUIRE_OK(iree_hal_semaphore_create(device, 0, 0, 0, &semaphore));
  uint64_t payload = 1;
  const iree_hal_semaphore_list_t list = {1, &semaphore, &payload};
  const iree_hal_semaphore_list_t none = iree_hal_semaphore_list_empty();
  submitted_t submitted = {.signal = semaphore};
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_device_queue_submit(device, none, none, 0, NULL, NULL,
                                             submitted_cleanup, &submitted));
  EXPECT_STATUS(
      IREE_STATUS_INVALID_ARGUMENT,
      iree_hal_device_queue_submit(device, none, none, 1, NULL, submitted_run,
                                   submitted_cleanup, &submitted));
  for (int remaining = 0; remaining < 3; ++remaining) {
    state.remaining = remaining;
    EXPECT_STATUS(
        IREE_STATUS_RESOURCE_EXHAUSTED,
        iree_hal_device_queue_submit(device, list, list, 0, NULL, submitted_run,
                                     submitted_cleanup, &submitted));
  }
  EXPECT_EQ_I64(submitted.run_count, 0);
  EXPECT_EQ_I64(submitted.cleanup_count, 0);
  iree_hal_semaphore_release(semaphore);
  iree_hal_device_release(device);
  EXPECT_EQ_I64(state.live_blocks, 0);
}

CTEST_MAIN()
