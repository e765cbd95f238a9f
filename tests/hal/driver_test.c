// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Tests drivers: listing, resolving paths, finding others.

#include "iree_cy/hal/driver.h"

#include "iree_cy/native/hal/driver_hook.h"
#include "tests/support/ctest.h"
#include "tests/support/default_device.h"
#include "tests/support/failing_allocator.h"

static iree_hal_driver_t* make_driver(void) {
  iree_hal_driver_t* driver = NULL;
  iree_status_ignore(default_driver_create(iree_allocator_system(), &driver));
  return driver;
}

CTEST(devices_are_listed_in_one_block) {
  iree_hal_driver_t* driver = make_driver();
  REQUIRE(driver);
  EXPECT_EQ_SV(iree_hal_driver_id(driver), IREE_SV("bare"));
  failing_allocator_t state = {.remaining = -1};
  iree_host_size_t count = 0;
  iree_hal_device_info_t* infos = NULL;
  REQUIRE_OK(iree_hal_driver_query_available_devices(
      driver, failing_allocator(&state), &count, &infos));
  EXPECT_EQ_I64(count, 2);
  EXPECT_EQ_I64(state.live_blocks, 1);
  EXPECT_EQ_I64(infos[1].device_id, 12);
  EXPECT_EQ_SV(infos[1].path, IREE_SV("second"));
  EXPECT_EQ_SV(infos[0].name, IREE_SV("The first"));
  iree_allocator_free(failing_allocator(&state), infos);
  EXPECT_EQ_I64(state.live_blocks, 0);
  state.remaining = 0;
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                iree_hal_driver_query_available_devices(
                    driver, failing_allocator(&state), &count, &infos));
  EXPECT_EQ_I64(count, 0);
  EXPECT(!infos);
  iree_hal_driver_release(driver);
}

CTEST(paths_are_resolved) {
  iree_hal_driver_t* driver = make_driver();
  REQUIRE(driver);
  static const struct {
    const char* path;
    uint64_t id;
  } known[] = {{"", 0},   {"first", 11}, {"second", 12},
               {"0", 11}, {"1", 12},     {"01", 12}};
  for (size_t i = 0; i < IREE_ARRAYSIZE(known); ++i) {
    iree_hal_device_id_t id = 99;
    EXPECT_OK(iree_hal_driver_resolve_path(
        driver, iree_make_cstring_view(known[i].path), &id));
    EXPECT_EQ_I64(id, known[i].id);
  }
  const char* const unknown[] = {"third", "2",     "0x1",
                                 "-1",    "First", "18446744073709551616"};
  for (size_t i = 0; i < IREE_ARRAYSIZE(unknown); ++i) {
    iree_hal_device_id_t id = 99;
    EXPECT_STATUS(IREE_STATUS_NOT_FOUND,
                  iree_hal_driver_resolve_path(
                      driver, iree_make_cstring_view(unknown[i]), &id));
  }
  iree_hal_device_id_t id = 0;
  iree_status_t status =
      iree_hal_driver_resolve_path(driver, IREE_SV("third"), &id);
  EXPECT_EQ_SV(iree_status_message(status),
               IREE_SV("driver 'bare' has no device 'third'; it has first, "
                       "second"));
  iree_status_ignore(status);
  iree_hal_driver_release(driver);
}

CTEST(an_unknown_path_makes_a_readable_line) {
  iree_hal_driver_t* driver = make_driver();
  REQUIRE(driver);
  char path[4000];
  memset(path, 'x', sizeof(path));
  iree_hal_device_id_t id = 0;
  iree_status_t status = iree_hal_driver_resolve_path(
      driver, iree_make_string_view(path, sizeof(path)), &id);
  EXPECT_EQ_I64(iree_status_code(status), IREE_STATUS_NOT_FOUND);
  EXPECT(iree_status_message(status).size <= 200);
  iree_status_ignore(status);
  iree_hal_driver_release(driver);
}

CTEST(devices_are_created_by_path) {
  iree_hal_driver_t* driver = make_driver();
  REQUIRE(driver);
  iree_hal_device_t* device = NULL;
  REQUIRE_OK(iree_hal_driver_create_device_by_path(
      driver, IREE_SV("second"), 0, NULL, iree_allocator_system(), &device));
  EXPECT_EQ_SV(iree_hal_device_id(device), IREE_SV("bare"));
  // The device does not need its driver.
  iree_hal_driver_release(driver);
  iree_hal_device_release(device);
}

CTEST(device_info_is_described) {
  iree_hal_driver_t* driver = make_driver();
  REQUIRE(driver);
  iree_string_builder_t builder;
  iree_string_builder_initialize(iree_allocator_system(), &builder);
  REQUIRE_OK(iree_hal_driver_dump_device_info(driver, 12, &builder));
  EXPECT_EQ_SV(iree_string_builder_view(&builder),
               IREE_SV("path: second\nname: The second\n"));
  EXPECT_STATUS(IREE_STATUS_NOT_FOUND,
                iree_hal_driver_dump_device_info(driver, 13, &builder));
  iree_string_builder_deinitialize(&builder);
  iree_hal_driver_release(driver);
}

CTEST(null_arguments_are_refused) {
  iree_hal_driver_t* driver = make_driver();
  REQUIRE(driver);
  iree_host_size_t count = 5;
  iree_hal_device_info_t* infos = NULL;
  iree_hal_device_t* device = NULL;
  iree_hal_device_id_t id = 0;
  const iree_allocator_t allocator = iree_allocator_system();
  EXPECT_STATUS(
      IREE_STATUS_INVALID_ARGUMENT,
      iree_hal_driver_query_available_devices(NULL, allocator, &count, &infos));
  EXPECT_EQ_I64(count, 0);
  EXPECT_STATUS(
      IREE_STATUS_INVALID_ARGUMENT,
      iree_hal_driver_query_available_devices(driver, allocator, &count, NULL));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_driver_resolve_path(NULL, IREE_SV("x"), &id));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_driver_resolve_path(driver, IREE_SV("x"), NULL));
  EXPECT_STATUS(
      IREE_STATUS_INVALID_ARGUMENT,
      iree_hal_driver_create_device_by_id(driver, 0, 0, NULL, allocator, NULL));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_driver_create_device_by_id(driver, 0, 1, NULL,
                                                    allocator, &device));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_driver_create_device_by_path(
                    NULL, IREE_SV(""), 0, NULL, allocator, &device));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_driver_dump_device_info(driver, 0, NULL));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_device_infos_clone(1, NULL, allocator, &infos));
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                iree_hal_device_infos_clone(
                    IREE_HOST_SIZE_MAX, (const iree_hal_device_info_t*)&infos,
                    allocator, &infos));
  EXPECT_EQ_SV(iree_hal_driver_id(NULL), iree_string_view_empty());
  iree_hal_driver_release(driver);
  iree_hal_driver_release(NULL);
}

CTEST(making_a_driver_leaves_nothing_behind_when_memory_ends) {
  failing_allocator_t state = {.remaining = 0};
  iree_hal_driver_t* driver = NULL;
  int64_t budget = 0;
  for (; budget < 10; ++budget) {
    state.remaining = budget;
    iree_status_t status =
        default_driver_create(failing_allocator(&state), &driver);
    if (iree_status_is_ok(status)) break;
    EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED, status);
    EXPECT(!driver);
    EXPECT_EQ_I64(state.live_blocks, 0);
  }
  EXPECT_EQ_I64(budget, 2);
  iree_hal_driver_release(driver);
  EXPECT_EQ_I64(state.live_blocks, 0);
}

static iree_status_t find_in_test(void* user_data, iree_string_view_t name,
                                  iree_hal_driver_t** out_driver) {
  if (!iree_string_view_equal(name, IREE_SV("bare"))) {
    return iree_make_status(IREE_STATUS_NOT_FOUND, "no driver '%.*s'",
                            IREE_SV_ARG(name));
  }
  *out_driver = (iree_hal_driver_t*)user_data;
  iree_hal_driver_retain(*out_driver);
  return iree_ok_status();
}

CTEST(another_driver_is_found_through_the_hook) {
  iree_hal_driver_t* driver = make_driver();
  REQUIRE(driver);
  iree_hal_driver_t* found = driver;
  EXPECT_STATUS(IREE_STATUS_UNAVAILABLE,
                iree_cy_find_driver(IREE_SV("bare"), &found));
  EXPECT(!found);
  iree_cy_set_find_driver_hook(find_in_test, driver);
  EXPECT_OK(iree_cy_find_driver(IREE_SV("bare"), &found));
  EXPECT(found == driver);
  iree_hal_driver_release(found);
  EXPECT_STATUS(IREE_STATUS_NOT_FOUND,
                iree_cy_find_driver(IREE_SV("vulkan"), &found));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_cy_find_driver(iree_string_view_empty(), &found));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_cy_find_driver(IREE_SV("bare"), NULL));
  iree_cy_set_find_driver_hook(NULL, NULL);
  EXPECT_STATUS(IREE_STATUS_UNAVAILABLE,
                iree_cy_find_driver(IREE_SV("bare"), &found));
  iree_hal_driver_release(driver);
}

CTEST_MAIN()
