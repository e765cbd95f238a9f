// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Tests what the host checks of a recording and of its binding table.

#include "iree_cy/hal/command_buffer.h"

#include "iree_cy/hal/allocator.h"
#include "tests/support/ctest.h"
#include "tests/support/failing_allocator.h"

// An executable with one function, of 2 constants and 1 binding.
static void executable_destroy(iree_hal_executable_t* executable) {
  iree_hal_executable_deinitialize(executable);
  iree_allocator_free(executable->host_allocator, executable);
}
static iree_host_size_t executable_function_count(
    iree_hal_executable_t* executable) {
  (void)executable;
  return 1;
}
static iree_status_t executable_function_info(
    iree_hal_executable_t* executable, iree_hal_executable_function_t function,
    iree_hal_executable_function_info_t* out_info) {
  (void)executable;
  if (function.value != 0)
    return iree_status_from_code(IREE_STATUS_OUT_OF_RANGE);
  out_info->name = IREE_SV("f");
  out_info->constant_count = 2;
  out_info->binding_count = 1;
  return iree_ok_status();
}
static const iree_hal_executable_vtable_t executable_vtable = {
    .header = {.size = sizeof(iree_hal_executable_vtable_t),
               .kind = IREE_CY_OBJECT_KIND_EXECUTABLE},
    .destroy = executable_destroy,
    .function_count = executable_function_count,
    .function_info = executable_function_info,
};

// What each case records with.
typedef struct fixture_t {
  iree_hal_allocator_t* allocator;
  iree_hal_buffer_t* buffer;     // 64 bytes, all access
  iree_hal_buffer_t* read_only;  // 64 bytes
  iree_hal_executable_t* executable;
  iree_hal_command_buffer_t* commands;
} fixture_t;

static bool set_up(fixture_t* fixture, iree_hal_command_buffer_mode_t mode,
                   iree_host_size_t binding_capacity) {
  memset(fixture, 0, sizeof(*fixture));
  iree_hal_buffer_params_t params = {
      .usage = IREE_HAL_BUFFER_USAGE_DEFAULT |
               IREE_HAL_BUFFER_USAGE_DISPATCH_INDIRECT_PARAMETERS};
  iree_allocator_t system = iree_allocator_system();
  iree_status_t status = iree_hal_allocator_create_heap(IREE_SV("test"), system,
                                                        &fixture->allocator);
  if (iree_status_is_ok(status)) {
    status = iree_hal_allocator_allocate_buffer(fixture->allocator, params, 64,
                                                &fixture->buffer);
  }
  params.access = IREE_HAL_MEMORY_ACCESS_READ;
  if (iree_status_is_ok(status)) {
    status = iree_hal_allocator_allocate_buffer(fixture->allocator, params, 64,
                                                &fixture->read_only);
  }
  if (iree_status_is_ok(status)) {
    status = iree_allocator_malloc(system, sizeof(*fixture->executable),
                                   (void**)&fixture->executable);
  }
  if (iree_status_is_ok(status)) {
    iree_hal_executable_initialize(&executable_vtable, system,
                                   fixture->executable);
    status = iree_hal_recorded_command_buffer_create(
        mode, IREE_HAL_COMMAND_CATEGORY_ANY, IREE_HAL_QUEUE_AFFINITY_ANY,
        binding_capacity, system, &fixture->commands);
  }
  if (iree_status_is_ok(status)) {
    status = iree_hal_command_buffer_begin(fixture->commands);
  }
  EXPECT_OK(iree_status_clone(status));
  return iree_status_consume_code(status) == IREE_STATUS_OK;
}

static void tear_down(fixture_t* fixture) {
  iree_hal_command_buffer_release(fixture->commands);
  iree_hal_executable_release(fixture->executable);
  iree_hal_buffer_release(fixture->read_only);
  iree_hal_buffer_release(fixture->buffer);
  iree_hal_allocator_release(fixture->allocator);
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_BUFFER), 0);
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_COMMAND_BUFFER),
                0);
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_EXECUTABLE), 0);
}

static const iree_hal_executable_function_t function_0 = {0};

static iree_status_t dispatch(fixture_t* fixture,
                              iree_host_size_t constants_length,
                              iree_host_size_t binding_count,
                              iree_hal_buffer_ref_t binding) {
  static const uint32_t constants[100] = {0};
  iree_hal_buffer_ref_t refs[100];
  for (int i = 0; i < 100; ++i) refs[i] = binding;
  const iree_hal_dispatch_config_t config = {.size = sizeof(config),
                                             .workgroup_count = {1, 1, 1}};
  const iree_hal_buffer_ref_list_t bindings = {binding_count, refs};
  return iree_hal_command_buffer_dispatch(
      fixture->commands, fixture->executable, function_0, &config,
      iree_make_const_byte_span(constants, constants_length), bindings, 0);
}

static iree_status_t fill(fixture_t* fixture, iree_hal_buffer_ref_t target,
                          iree_host_size_t pattern_length) {
  return iree_hal_command_buffer_fill_buffer(fixture->commands, target, "abcd",
                                             pattern_length, 0);
}

CTEST(checks_the_state) {
  fixture_t fixture;
  REQUIRE(set_up(&fixture, 0, 0));
  EXPECT_STATUS(IREE_STATUS_FAILED_PRECONDITION,
                iree_hal_command_buffer_begin(fixture.commands));
  EXPECT_OK(iree_hal_command_buffer_end(fixture.commands));
  EXPECT_STATUS(IREE_STATUS_FAILED_PRECONDITION,
                iree_hal_command_buffer_end(fixture.commands));
  EXPECT_STATUS(
      IREE_STATUS_FAILED_PRECONDITION,
      fill(&fixture, iree_hal_make_buffer_ref(fixture.buffer, 0, 4), 4));
  iree_hal_command_buffer_t* fresh = NULL;
  REQUIRE_OK(iree_hal_recorded_command_buffer_create(
      0, IREE_HAL_COMMAND_CATEGORY_TRANSFER, IREE_HAL_QUEUE_AFFINITY_ANY, 0,
      iree_allocator_system(), &fresh));
  EXPECT_STATUS(IREE_STATUS_FAILED_PRECONDITION,
                iree_hal_command_buffer_end(fresh));
  EXPECT_EQ_I64(iree_hal_command_buffer_allowed_categories(fresh),
                IREE_HAL_COMMAND_CATEGORY_TRANSFER);
  iree_hal_command_buffer_release(fresh);
  tear_down(&fixture);
}

CTEST(checks_categories) {
  fixture_t fixture;
  REQUIRE(set_up(&fixture, 0, 0));
  const iree_hal_buffer_ref_t ref =
      iree_hal_make_buffer_ref(fixture.buffer, 0, 4);
  fixture.commands->allowed_categories = IREE_HAL_COMMAND_CATEGORY_DISPATCH;
  EXPECT_STATUS(IREE_STATUS_PERMISSION_DENIED, fill(&fixture, ref, 4));
  EXPECT_OK(dispatch(&fixture, 8, 1, ref));
  fixture.commands->allowed_categories = IREE_HAL_COMMAND_CATEGORY_TRANSFER;
  EXPECT_OK(fill(&fixture, ref, 4));
  EXPECT_STATUS(IREE_STATUS_PERMISSION_DENIED, dispatch(&fixture, 8, 1, ref));
  tear_down(&fixture);
}

CTEST(checks_fills) {
  fixture_t fixture;
  REQUIRE(set_up(&fixture, 0, 0));
  iree_hal_buffer_t* buffer = fixture.buffer;
  EXPECT_OK(fill(&fixture, iree_hal_make_buffer_ref(buffer, 60, 4), 4));
  EXPECT_OK(fill(
      &fixture, iree_hal_make_buffer_ref(buffer, 2, IREE_HAL_WHOLE_BUFFER), 2));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                fill(&fixture, iree_hal_make_buffer_ref(buffer, 0, 6), 3));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                fill(&fixture, iree_hal_make_buffer_ref(buffer, 0, 8), 8));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                fill(&fixture, iree_hal_make_buffer_ref(buffer, 0, 6), 4));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                fill(&fixture, iree_hal_make_buffer_ref(buffer, 2, 8), 4));
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                fill(&fixture, iree_hal_make_buffer_ref(buffer, 61, 4), 1));
  EXPECT_STATUS(
      IREE_STATUS_PERMISSION_DENIED,
      fill(&fixture, iree_hal_make_buffer_ref(fixture.read_only, 0, 4), 4));
  tear_down(&fixture);
}

CTEST(checks_updates) {
  static const uint8_t bytes[70000] = {0};
  fixture_t fixture;
  REQUIRE(set_up(&fixture, 0, 1));
  EXPECT_OK(iree_hal_command_buffer_update_buffer(
      fixture.commands, bytes, 8,
      iree_hal_make_buffer_ref(fixture.buffer, 0, 64), 0));
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                iree_hal_command_buffer_update_buffer(
                    fixture.commands, bytes, 0,
                    iree_hal_make_buffer_ref(fixture.buffer, 1, 64), 0));
  EXPECT_STATUS(IREE_STATUS_PERMISSION_DENIED,
                iree_hal_command_buffer_update_buffer(
                    fixture.commands, bytes, 0,
                    iree_hal_make_buffer_ref(fixture.read_only, 0, 4), 0));
  EXPECT_OK(iree_hal_command_buffer_update_buffer(
      fixture.commands, bytes, 0,
      iree_hal_make_indirect_buffer_ref(0, 0, 65536), 0));
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                iree_hal_command_buffer_update_buffer(
                    fixture.commands, bytes, 0,
                    iree_hal_make_indirect_buffer_ref(0, 0, 65537), 0));
  EXPECT_STATUS(
      IREE_STATUS_OUT_OF_RANGE,
      iree_hal_command_buffer_update_buffer(
          fixture.commands, bytes, 0,
          iree_hal_make_indirect_buffer_ref(0, 0, IREE_HAL_WHOLE_BUFFER), 0));
  tear_down(&fixture);
}

static iree_status_t copy(fixture_t* fixture, iree_hal_buffer_ref_t source,
                          iree_hal_buffer_ref_t target) {
  return iree_hal_command_buffer_copy_buffer(fixture->commands, source, target,
                                             0);
}

CTEST(checks_copies) {
  fixture_t fixture;
  REQUIRE(set_up(&fixture, 0, 1));
  iree_hal_buffer_t* buffer = fixture.buffer;
  const iree_hal_buffer_ref_t read_only =
      iree_hal_make_buffer_ref(fixture.read_only, 0, 8);
  EXPECT_OK(copy(&fixture, read_only, iree_hal_make_buffer_ref(buffer, 0, 8)));
  EXPECT_OK(copy(&fixture, read_only,
                 iree_hal_make_buffer_ref(buffer, 0, IREE_HAL_WHOLE_BUFFER)));
  EXPECT_STATUS(
      IREE_STATUS_PERMISSION_DENIED,
      copy(&fixture, iree_hal_make_buffer_ref(buffer, 0, 8), read_only));
  EXPECT_STATUS(
      IREE_STATUS_INVALID_ARGUMENT,
      copy(&fixture, read_only, iree_hal_make_buffer_ref(buffer, 0, 4)));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                copy(&fixture, iree_hal_make_buffer_ref(buffer, 0, 8),
                     iree_hal_make_buffer_ref(buffer, 7, 8)));
  EXPECT_STATUS(
      IREE_STATUS_INVALID_ARGUMENT,
      copy(
          &fixture,
          iree_hal_make_buffer_ref(fixture.read_only, 0, IREE_HAL_WHOLE_BUFFER),
          iree_hal_make_indirect_buffer_ref(0, 0, IREE_HAL_WHOLE_BUFFER)));
  tear_down(&fixture);
}

CTEST(checks_dispatches) {
  fixture_t fixture;
  REQUIRE(set_up(&fixture, 0, 0));
  const iree_hal_buffer_ref_t ref =
      iree_hal_make_buffer_ref(fixture.buffer, 0, 16);
  EXPECT_OK(dispatch(&fixture, 8, 1, ref));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT, dispatch(&fixture, 4, 1, ref));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT, dispatch(&fixture, 8, 0, ref));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT, dispatch(&fixture, 8, 65, ref));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT, dispatch(&fixture, 260, 1, ref));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT, dispatch(&fixture, 7, 1, ref));
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                dispatch(&fixture, 8, 1,
                         iree_hal_make_buffer_ref(fixture.buffer, 60, 5)));
  const iree_hal_executable_function_t function_1 = {1};
  const iree_hal_dispatch_config_t config = {.size = sizeof(config),
                                             .workgroup_count = {1, 1, 1}};
  const iree_hal_buffer_ref_list_t bindings = {1, &ref};
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                iree_hal_command_buffer_dispatch(
                    fixture.commands, fixture.executable, function_1, &config,
                    iree_make_const_byte_span("12345678", 8), bindings, 0));
  tear_down(&fixture);
}

CTEST(checks_indirect_workgroup_counts) {
  fixture_t fixture;
  REQUIRE(set_up(&fixture, 0, 0));
  iree_hal_dispatch_config_t config = {
      .size = sizeof(config),
      .workgroup_count_ref = iree_hal_make_buffer_ref(fixture.buffer, 4, 12)};
  const iree_hal_buffer_ref_t ref =
      iree_hal_make_buffer_ref(fixture.buffer, 0, 16);
  const iree_hal_buffer_ref_list_t bindings = {1, &ref};
  const iree_const_byte_span_t constants =
      iree_make_const_byte_span("12345678", 8);
  EXPECT_OK(iree_hal_command_buffer_dispatch(
      fixture.commands, fixture.executable, function_0, &config, constants,
      bindings, IREE_HAL_DISPATCH_FLAG_STATIC_INDIRECT_PARAMETERS));
  config.workgroup_count_ref.offset = 6;
  EXPECT_STATUS(
      IREE_STATUS_INVALID_ARGUMENT,
      iree_hal_command_buffer_dispatch(
          fixture.commands, fixture.executable, function_0, &config, constants,
          bindings, IREE_HAL_DISPATCH_FLAG_STATIC_INDIRECT_PARAMETERS));
  config.workgroup_count_ref = iree_hal_make_buffer_ref(fixture.buffer, 0, 8);
  EXPECT_STATUS(
      IREE_STATUS_OUT_OF_RANGE,
      iree_hal_command_buffer_dispatch(
          fixture.commands, fixture.executable, function_0, &config, constants,
          bindings, IREE_HAL_DISPATCH_FLAG_DYNAMIC_INDIRECT_PARAMETERS));
  config.workgroup_count_ref = iree_hal_make_buffer_ref(fixture.buffer, 56, 12);
  EXPECT_STATUS(
      IREE_STATUS_OUT_OF_RANGE,
      iree_hal_command_buffer_dispatch(
          fixture.commands, fixture.executable, function_0, &config, constants,
          bindings, IREE_HAL_DISPATCH_FLAG_DYNAMIC_INDIRECT_PARAMETERS));
  tear_down(&fixture);
}

CTEST(checks_usage) {
  fixture_t fixture;
  REQUIRE(set_up(&fixture, 0, 0));
  fixture.buffer->allowed_usage = IREE_HAL_BUFFER_USAGE_TRANSFER_SOURCE;
  const iree_hal_buffer_ref_t ref =
      iree_hal_make_buffer_ref(fixture.buffer, 0, 8);
  EXPECT_STATUS(IREE_STATUS_PERMISSION_DENIED, fill(&fixture, ref, 4));
  EXPECT_STATUS(IREE_STATUS_PERMISSION_DENIED, dispatch(&fixture, 8, 1, ref));
  tear_down(&fixture);
}

CTEST(refuses_slots_beyond_its_capacity) {
  fixture_t fixture;
  REQUIRE(set_up(&fixture, 0, 2));
  EXPECT_OK(fill(&fixture, iree_hal_make_indirect_buffer_ref(1, 0, 4), 4));
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                fill(&fixture, iree_hal_make_indirect_buffer_ref(2, 0, 4), 4));
  EXPECT_STATUS(
      IREE_STATUS_OUT_OF_RANGE,
      fill(&fixture, iree_hal_make_indirect_buffer_ref(0, 4, UINT64_MAX - 3),
           1));
  EXPECT_EQ_I64(iree_hal_command_buffer_binding_count(fixture.commands), 2);
  iree_hal_command_buffer_t* huge = NULL;
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                iree_hal_recorded_command_buffer_create(
                    0, IREE_HAL_COMMAND_CATEGORY_ANY, 0, IREE_HOST_SIZE_MAX,
                    iree_allocator_system(), &huge));
  EXPECT(huge == NULL);
  tear_down(&fixture);
}

static iree_status_t validate(fixture_t* fixture, iree_host_size_t count,
                              iree_hal_buffer_binding_t binding) {
  const iree_hal_buffer_binding_t bindings[2] = {
      {fixture->read_only, 0, IREE_HAL_WHOLE_BUFFER}, binding};
  const iree_hal_buffer_binding_table_t table = {count, bindings};
  return iree_hal_command_buffer_validate_bindings(fixture->commands, table);
}

CTEST(checks_binding_tables) {
  fixture_t fixture;
  REQUIRE(set_up(&fixture, 0, 4));
  // Slot 0 is read, slot 1 written up to byte 24.
  EXPECT_OK(copy(&fixture, iree_hal_make_indirect_buffer_ref(0, 0, 4),
                 iree_hal_make_indirect_buffer_ref(1, 8, 4)));
  EXPECT_OK(fill(&fixture, iree_hal_make_indirect_buffer_ref(1, 16, 8), 4));
  EXPECT_OK(iree_hal_command_buffer_end(fixture.commands));
  const iree_hal_buffer_binding_t good = {fixture.buffer, 40, 24};
  EXPECT_OK(validate(&fixture, 2, good));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT, validate(&fixture, 1, good));
  const iree_hal_buffer_binding_t none = {NULL, 0, 24};
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT, validate(&fixture, 2, none));
  const iree_hal_buffer_binding_t small = {fixture.buffer, 40, 23};
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE, validate(&fixture, 2, small));
  const iree_hal_buffer_binding_t outside = {fixture.buffer, 41, 24};
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE, validate(&fixture, 2, outside));
  const iree_hal_buffer_binding_t unaligned = {fixture.buffer, 2, 24};
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT, validate(&fixture, 2, unaligned));
  const iree_hal_buffer_binding_t read_only = {fixture.read_only, 0, 24};
  iree_status_t status = validate(&fixture, 2, read_only);
  EXPECT_EQ_SV(iree_status_message(status),
               IREE_SV("binding table slot 1: access WRITE is needed; the "
                       "buffer allows READ"));
  EXPECT_STATUS(IREE_STATUS_PERMISSION_DENIED, status);
  tear_down(&fixture);
}

CTEST(keeps_what_is_recorded_alive) {
  fixture_t fixture;
  REQUIRE(set_up(&fixture, 0, 0));
  iree_hal_buffer_t* buffers[700];
  for (int i = 0; i < 700; ++i) {
    const iree_hal_buffer_params_t params = {0};
    REQUIRE_OK(iree_hal_allocator_allocate_buffer(fixture.allocator, params, 8,
                                                  &buffers[i]));
    EXPECT_OK(fill(&fixture, iree_hal_make_buffer_ref(buffers[i], 0, 8), 4));
    EXPECT_OK(fill(&fixture, iree_hal_make_buffer_ref(buffers[i], 0, 8), 2));
    iree_hal_buffer_release(buffers[i]);
  }
  EXPECT_OK(
      dispatch(&fixture, 8, 1, iree_hal_make_buffer_ref(fixture.buffer, 0, 8)));
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_BUFFER), 702);
  iree_hal_executable_release(fixture.executable);
  fixture.executable = NULL;
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_EXECUTABLE), 1);
  tear_down(&fixture);
}

CTEST(keeps_nothing_when_unretained) {
  fixture_t fixture;
  REQUIRE(set_up(&fixture, IREE_HAL_COMMAND_BUFFER_MODE_UNRETAINED, 0));
  iree_hal_buffer_t* buffer = NULL;
  const iree_hal_buffer_params_t params = {0};
  REQUIRE_OK(iree_hal_allocator_allocate_buffer(fixture.allocator, params, 8,
                                                &buffer));
  EXPECT_OK(fill(&fixture, iree_hal_make_buffer_ref(buffer, 0, 8), 4));
  EXPECT_OK(iree_hal_command_buffer_end(fixture.commands));
  iree_hal_buffer_release(buffer);
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_BUFFER), 2);
  tear_down(&fixture);
}

CTEST(unvalidated_keeps_bounds) {
  fixture_t fixture;
  REQUIRE(set_up(&fixture, IREE_HAL_COMMAND_BUFFER_MODE_UNVALIDATED, 1));
  EXPECT_OK(
      fill(&fixture, iree_hal_make_buffer_ref(fixture.read_only, 0, 4), 4));
  EXPECT_STATUS(
      IREE_STATUS_OUT_OF_RANGE,
      fill(&fixture, iree_hal_make_buffer_ref(fixture.buffer, 64, 4), 4));
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                fill(&fixture, iree_hal_make_indirect_buffer_ref(1, 0, 4), 4));
  tear_down(&fixture);
}

CTEST(fails_cleanly_without_memory) {
  // Each allocation of a recording fails once.
  for (int allowed = 0; allowed < 4; ++allowed) {
    failing_allocator_t state = {allowed, 0};
    fixture_t fixture;
    REQUIRE(set_up(&fixture, 0, 1));
    iree_hal_command_buffer_release(fixture.commands);
    fixture.commands = NULL;
    iree_status_t status = iree_hal_recorded_command_buffer_create(
        0, IREE_HAL_COMMAND_CATEGORY_ANY, 0, 1, failing_allocator(&state),
        &fixture.commands);
    if (iree_status_is_ok(status)) {
      status = iree_hal_command_buffer_begin(fixture.commands);
    }
    if (iree_status_is_ok(status)) {
      status =
          fill(&fixture, iree_hal_make_buffer_ref(fixture.buffer, 0, 4), 4);
    }
    if (iree_status_is_ok(status)) {
      status = fill(&fixture, iree_hal_make_indirect_buffer_ref(0, 0, 4), 4);
    }
    EXPECT_STATUS(allowed < 3 ? IREE_STATUS_RESOURCE_EXHAUSTED : IREE_STATUS_OK,
                  status);
    tear_down(&fixture);
    EXPECT_EQ_I64(state.live_blocks, 0);
  }
}

CTEST(collectives_are_not_there) {
  fixture_t fixture;
  REQUIRE(set_up(&fixture, 0, 0));
  const iree_hal_buffer_ref_t ref =
      iree_hal_make_buffer_ref(fixture.buffer, 0, 8);
  EXPECT_STATUS(IREE_STATUS_UNIMPLEMENTED,
                iree_hal_command_buffer_collective(fixture.commands, NULL, 0, 0,
                                                   ref, ref, 1));
  tear_down(&fixture);
}

CTEST_MAIN()
