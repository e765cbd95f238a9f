// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Tests fences.

#include "iree_cy/hal/fence.h"

#include "iree_cy/native/hal/semaphore_impl.h"
#include "tests/support/ctest.h"
#include "tests/support/failing_allocator.h"

static iree_hal_semaphore_t* make_semaphore(uint64_t value) {
  iree_hal_semaphore_t* semaphore = NULL;
  iree_status_ignore(iree_hal_host_semaphore_create(
      NULL, value, 0, iree_allocator_system(), &semaphore));
  return semaphore;
}

CTEST(a_fence_holds_distinct_semaphores) {
  iree_hal_semaphore_t* a = make_semaphore(0);
  iree_hal_semaphore_t* b = make_semaphore(0);
  iree_hal_semaphore_t* c = make_semaphore(0);
  iree_hal_fence_t* fence = NULL;
  REQUIRE_OK(iree_hal_fence_create(2, iree_allocator_system(), &fence));
  EXPECT_OK(iree_hal_fence_insert(fence, a, 5));
  EXPECT_OK(iree_hal_fence_insert(fence, a, 3));
  EXPECT_OK(iree_hal_fence_insert(fence, b, 1));
  EXPECT_OK(iree_hal_fence_insert(fence, b, 2));
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                iree_hal_fence_insert(fence, c, 1));
  EXPECT_EQ_I64(iree_hal_fence_timepoint_count(fence), 2);
  iree_hal_semaphore_list_t list = iree_hal_fence_semaphore_list(fence);
  EXPECT(list.semaphores[0] == a && list.semaphores[1] == b);
  EXPECT_EQ_I64(list.payload_values[0], 5);
  EXPECT_EQ_I64(list.payload_values[1], 2);
  // The fence keeps them.
  iree_hal_semaphore_release(a);
  iree_hal_semaphore_release(b);
  EXPECT_STATUS(IREE_STATUS_DEFERRED, iree_hal_fence_query(fence));
  EXPECT_OK(iree_hal_fence_signal(fence));
  EXPECT_OK(iree_hal_fence_query(fence));
  EXPECT_OK(iree_hal_fence_wait(fence, iree_infinite_timeout(), 0));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT, iree_hal_fence_signal(fence));
  iree_hal_fence_release(fence);
  iree_hal_semaphore_release(c);
}

CTEST(an_empty_fence_and_no_fence_are_reached) {
  iree_hal_fence_t* fence = NULL;
  REQUIRE_OK(iree_hal_fence_create(0, iree_allocator_system(), &fence));
  EXPECT_OK(iree_hal_fence_query(fence));
  EXPECT_OK(iree_hal_fence_wait(fence, iree_immediate_timeout(), 0));
  EXPECT_OK(iree_hal_fence_query(NULL));
  EXPECT_OK(iree_hal_fence_wait(NULL, iree_immediate_timeout(), 0));
  EXPECT_OK(iree_hal_fence_signal(NULL));
  iree_hal_fence_fail(NULL, iree_make_status(IREE_STATUS_ABORTED, "dropped"));
  EXPECT_EQ_I64(iree_hal_fence_semaphore_list(NULL).count, 0);
  EXPECT_EQ_I64(iree_hal_fence_timepoint_count(NULL), 0);
  iree_hal_fence_release(fence);
  iree_hal_fence_release(NULL);
}

CTEST(fences_join) {
  iree_hal_semaphore_t* a = make_semaphore(0);
  iree_hal_semaphore_t* b = make_semaphore(0);
  iree_hal_fence_t* first = NULL;
  iree_hal_fence_t* second = NULL;
  iree_hal_fence_t* third = NULL;
  iree_hal_fence_t* joined = NULL;
  const iree_allocator_t allocator = iree_allocator_system();
  REQUIRE_OK(iree_hal_fence_create_at(a, 4, allocator, &first));
  REQUIRE_OK(iree_hal_fence_create_at(b, 1, allocator, &second));
  REQUIRE_OK(iree_hal_fence_create_at(a, 2, allocator, &third));
  iree_hal_fence_t* all[] = {first, NULL, second, third};
  REQUIRE_OK(iree_hal_fence_join(4, all, allocator, &joined));
  EXPECT_EQ_I64(iree_hal_fence_timepoint_count(joined), 2);
  EXPECT_EQ_I64(iree_hal_fence_semaphore_list(joined).payload_values[0], 4);
  iree_hal_fence_release(joined);
  iree_hal_fence_t* one[] = {NULL, second, NULL};
  REQUIRE_OK(iree_hal_fence_join(3, one, allocator, &joined));
  EXPECT_EQ_I64(iree_hal_fence_timepoint_count(joined), 1);
  iree_hal_fence_release(joined);
  iree_hal_fence_t* none[] = {NULL, NULL};
  REQUIRE_OK(iree_hal_fence_join(2, none, allocator, &joined));
  EXPECT(!joined);
  REQUIRE_OK(iree_hal_fence_join(0, NULL, allocator, &joined));
  EXPECT(!joined);
  iree_hal_fence_release(first);
  iree_hal_fence_release(second);
  iree_hal_fence_release(third);
  iree_hal_semaphore_release(a);
  iree_hal_semaphore_release(b);
}

CTEST(a_fence_that_cannot_be_extended_is_left_as_it_was) {
  iree_hal_semaphore_t* a = make_semaphore(0);
  iree_hal_semaphore_t* b = make_semaphore(0);
  iree_hal_semaphore_t* c = make_semaphore(0);
  iree_hal_fence_t* small = NULL;
  iree_hal_fence_t* large = NULL;
  REQUIRE_OK(iree_hal_fence_create(2, iree_allocator_system(), &small));
  REQUIRE_OK(iree_hal_fence_create(3, iree_allocator_system(), &large));
  REQUIRE_OK(iree_hal_fence_insert(small, a, 1));
  REQUIRE_OK(iree_hal_fence_insert(large, a, 9));
  REQUIRE_OK(iree_hal_fence_insert(large, b, 2));
  REQUIRE_OK(iree_hal_fence_insert(large, c, 3));
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                iree_hal_fence_extend(small, large));
  EXPECT_EQ_I64(iree_hal_fence_timepoint_count(small), 1);
  EXPECT_EQ_I64(iree_hal_fence_semaphore_list(small).payload_values[0], 1);
  EXPECT_OK(iree_hal_fence_extend(large, small));
  EXPECT_OK(iree_hal_fence_extend(large, large));
  EXPECT_OK(iree_hal_fence_extend(large, NULL));
  EXPECT_EQ_I64(iree_hal_fence_timepoint_count(large), 3);
  EXPECT_EQ_I64(iree_hal_fence_semaphore_list(large).payload_values[0], 9);
  iree_hal_fence_release(small);
  iree_hal_fence_release(large);
  iree_hal_semaphore_release(a);
  iree_hal_semaphore_release(b);
  iree_hal_semaphore_release(c);
}

CTEST(a_failed_fence_says_why) {
  iree_hal_semaphore_t* a = make_semaphore(0);
  iree_hal_fence_t* fence = NULL;
  REQUIRE_OK(iree_hal_fence_create_at(a, 1, iree_allocator_system(), &fence));
  iree_hal_fence_fail(fence, iree_make_status(IREE_STATUS_DATA_LOSS, "lost"));
  iree_status_t status = iree_hal_fence_query(fence);
  EXPECT_EQ_SV(iree_status_message(status), IREE_SV("lost"));
  EXPECT_STATUS(IREE_STATUS_DATA_LOSS, status);
  EXPECT_STATUS(IREE_STATUS_DATA_LOSS, iree_hal_fence_signal(fence));
  EXPECT_STATUS(IREE_STATUS_DATA_LOSS,
                iree_hal_fence_wait(fence, iree_infinite_timeout(), 0));
  iree_hal_fence_release(fence);
  iree_hal_semaphore_release(a);
}

CTEST(wrong_arguments_are_refused) {
  iree_hal_semaphore_t* a = make_semaphore(0);
  iree_hal_fence_t* fence = NULL;
  failing_allocator_t state = {.remaining = 0};
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                iree_hal_fence_create(IREE_HOST_SIZE_MAX,
                                      iree_allocator_system(), &fence));
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                iree_hal_fence_create(IREE_HOST_SIZE_MAX / 16,
                                      iree_allocator_system(), &fence));
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                iree_hal_fence_create(1, failing_allocator(&state), &fence));
  EXPECT(!fence);
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_fence_create(1, iree_allocator_system(), NULL));
  EXPECT_STATUS(
      IREE_STATUS_INVALID_ARGUMENT,
      iree_hal_fence_create_at(NULL, 1, iree_allocator_system(), &fence));
  EXPECT(!fence);
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                iree_hal_fence_create_at(a, IREE_HAL_SEMAPHORE_MAX_VALUE + 1,
                                         iree_allocator_system(), &fence));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_fence_insert(NULL, a, 1));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_fence_extend(NULL, NULL));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_fence_join(1, NULL, iree_allocator_system(), &fence));
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_FENCE), 0);
  iree_hal_semaphore_release(a);
}

CTEST_MAIN()
