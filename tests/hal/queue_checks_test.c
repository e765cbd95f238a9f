// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Tests what the queue refuses before anything is queued.

#include "iree_cy/hal/api.h"
#include "tests/support/ctest.h"
#include "tests/support/default_device.h"

#define ANY IREE_HAL_QUEUE_AFFINITY_ANY
#define DENIED IREE_STATUS_PERMISSION_DENIED
#define INVALID IREE_STATUS_INVALID_ARGUMENT
#define RANGE IREE_STATUS_OUT_OF_RANGE

// A device, its memory with various rights, and a signal that must never come.
static iree_hal_device_t* device = NULL;
static iree_hal_semaphore_t* timeline = NULL;
static iree_hal_buffer_t* buffer = NULL;
static iree_hal_buffer_t* constant = NULL;
static iree_hal_buffer_t* write_only = NULL;
static iree_hal_buffer_t* storage_only = NULL;
static iree_hal_file_t* file = NULL;
static uint8_t file_contents[8];
static uint64_t one_payload = 1;
static const iree_hal_semaphore_list_t none = {0, NULL, NULL};
static iree_hal_semaphore_list_t signal = {1, &timeline, &one_payload};

static iree_hal_buffer_t* make_buffer(iree_hal_memory_access_t access,
                                      iree_hal_buffer_usage_t usage) {
  iree_hal_buffer_t* result = NULL;
  const iree_hal_buffer_params_t params = {.access = access, .usage = usage};
  iree_status_ignore(iree_hal_allocator_allocate_buffer(
      iree_hal_device_allocator(device), params, 8, &result));
  return result;
}

static bool set_up(void) {
  iree_status_t status =
      default_device_create(iree_allocator_system(), &device);
  if (iree_status_consume_code(status) != IREE_STATUS_OK) return false;
  status = iree_hal_semaphore_create(device, ANY, 0, 0, &timeline);
  status = iree_status_join(
      status, iree_hal_memory_file_wrap(
                  IREE_HAL_MEMORY_ACCESS_READ,
                  iree_make_byte_span(file_contents, sizeof(file_contents)),
                  iree_hal_buffer_release_callback_null(),
                  iree_allocator_system(), &file));
  buffer = make_buffer(0, 0);
  constant = make_buffer(IREE_HAL_MEMORY_ACCESS_READ, 0);
  write_only = make_buffer(IREE_HAL_MEMORY_ACCESS_WRITE, 0);
  // Wrapped, for an allocator may give more usage than is asked for.
  static _Alignas(64) uint8_t wrapped_contents[64];
  status = iree_status_join(
      status, iree_hal_heap_buffer_wrap(
                  iree_hal_buffer_placement_undefined(),
                  IREE_HAL_MEMORY_TYPE_HOST_LOCAL, IREE_HAL_MEMORY_ACCESS_ALL,
                  IREE_HAL_BUFFER_USAGE_DISPATCH_STORAGE,
                  iree_make_byte_span(wrapped_contents, 8),
                  iree_hal_buffer_release_callback_null(),
                  iree_allocator_system(), &storage_only));
  return iree_status_consume_code(status) == IREE_STATUS_OK && buffer &&
         constant && write_only && storage_only;
}

static void tear_down(void) {
  // Whatever was refused has neither signalled nor failed it.
  uint64_t value = 1;
  EXPECT_OK(iree_hal_semaphore_query(timeline, &value));
  EXPECT_EQ_I64(value, 0);
  EXPECT_EQ_I64(timeline->resource.ref_count, 1);
  iree_hal_buffer_release(buffer);
  iree_hal_buffer_release(constant);
  iree_hal_buffer_release(write_only);
  iree_hal_buffer_release(storage_only);
  iree_hal_file_release(file);
  iree_hal_semaphore_release(timeline);
  iree_hal_device_release(device);
}

CTEST(fills) {
  REQUIRE(set_up());
  const uint64_t pattern = 0;
  const struct {
    iree_status_code_t code;
    iree_hal_buffer_t* target;
    uint64_t offset, length;
    const void* pattern;
    size_t pattern_length;
  } cases[] = {
      {INVALID, NULL, 0, 8, &pattern, 1},
      {INVALID, buffer, 0, 8, NULL, 1},
      {INVALID, buffer, 0, 8, &pattern, 0},
      {INVALID, buffer, 0, 6, &pattern, 3},
      {INVALID, buffer, 0, 8, &pattern, 8},
      {INVALID, buffer, 1, 2, &pattern, 2},
      {INVALID, buffer, 0, 6, &pattern, 4},
      {INVALID, buffer, 2, IREE_HAL_WHOLE_BUFFER, &pattern, 4},
      {RANGE, buffer, 0, 9, &pattern, 1},
      {RANGE, buffer, 9, 0, &pattern, 1},
      {RANGE, buffer, 9, IREE_HAL_WHOLE_BUFFER, &pattern, 1},
      {RANGE, buffer, 8, UINT64_MAX - 7, &pattern, 1},
      {RANGE, buffer, UINT64_MAX, 1, &pattern, 1},
      {DENIED, constant, 0, 8, &pattern, 1},
      {DENIED, storage_only, 0, 8, &pattern, 1},
  };
  for (size_t i = 0; i < IREE_ARRAYSIZE(cases); ++i) {
    EXPECT_STATUS(cases[i].code,
                  iree_hal_device_queue_fill(device, ANY, none, signal,
                                             cases[i].target, cases[i].offset,
                                             cases[i].length, cases[i].pattern,
                                             cases[i].pattern_length, 0));
  }
  EXPECT_STATUS(
      INVALID, iree_hal_device_queue_fill(NULL, ANY, none, signal, buffer, 0, 8,
                                          &pattern, 1, 0));
  tear_down();
}

CTEST(updates) {
  REQUIRE(set_up());
  const uint8_t source[8] = {0};
  const struct {
    iree_status_code_t code;
    const void* source;
    size_t source_offset;
    iree_hal_buffer_t* target;
    uint64_t offset, length;
  } cases[] = {
      {INVALID, NULL, 0, buffer, 0, 8},
      {INVALID, source, 0, NULL, 0, 8},
      {RANGE, source, 0, buffer, 1, 8},
      {RANGE, source, 0, buffer, 9, 0},
      {RANGE, source, SIZE_MAX, buffer, 0, 8},
      {RANGE, source, SIZE_MAX - 8, buffer, 0, 8},
      {DENIED, source, 0, constant, 0, 8},
      {DENIED, source, 0, storage_only, 0, 8},
  };
  for (size_t i = 0; i < IREE_ARRAYSIZE(cases); ++i) {
    EXPECT_STATUS(cases[i].code, iree_hal_device_queue_update(
                                     device, ANY, none, signal, cases[i].source,
                                     cases[i].source_offset, cases[i].target,
                                     cases[i].offset, cases[i].length, 0));
  }
  // Nothing of nothing is no error.
  EXPECT_OK(iree_hal_device_queue_update(device, ANY, none, none, NULL, 0,
                                         buffer, 8, 0, 0));
  EXPECT_STATUS(INVALID,
                iree_hal_device_queue_update(NULL, ANY, none, signal, source, 0,
                                             buffer, 0, 8, 0));
  tear_down();
}

CTEST(copies) {
  REQUIRE(set_up());
  iree_hal_buffer_t* other = make_buffer(0, 0);
  REQUIRE(other);
  const struct {
    iree_status_code_t code;
    iree_hal_buffer_t* source;
    uint64_t source_offset;
    iree_hal_buffer_t* target;
    uint64_t target_offset, length;
  } cases[] = {
      {INVALID, NULL, 0, buffer, 0, 8},
      {INVALID, buffer, 0, NULL, 0, 8},
      {INVALID, buffer, 0, buffer, 0, 8},
      {INVALID, buffer, 0, buffer, 3, 4},
      {RANGE, other, 1, buffer, 0, 8},
      {RANGE, other, 0, buffer, 1, 8},
      {RANGE, other, 0, buffer, 1, IREE_HAL_WHOLE_BUFFER},
      {RANGE, other, UINT64_MAX, buffer, 0, 1},
      {DENIED, other, 0, constant, 0, 8},
      {DENIED, write_only, 0, buffer, 0, 8},
      {DENIED, storage_only, 0, buffer, 0, 8},
      {DENIED, other, 0, storage_only, 0, 8},
  };
  for (size_t i = 0; i < IREE_ARRAYSIZE(cases); ++i) {
    EXPECT_STATUS(
        cases[i].code,
        iree_hal_device_queue_copy(device, ANY, none, signal, cases[i].source,
                                   cases[i].source_offset, cases[i].target,
                                   cases[i].target_offset, cases[i].length, 0));
  }
  EXPECT_OK(iree_hal_device_queue_copy(device, ANY, none, none, constant, 0,
                                       write_only, 0, IREE_HAL_WHOLE_BUFFER,
                                       0));
  EXPECT_STATUS(INVALID, iree_hal_device_queue_copy(NULL, ANY, none, signal,
                                                    other, 0, buffer, 0, 8, 0));
  iree_hal_buffer_release(other);
  tear_down();
}

CTEST(reads_and_writes) {
  REQUIRE(set_up());
  EXPECT_STATUS(INVALID, iree_hal_device_queue_read(device, ANY, none, signal,
                                                    NULL, 0, buffer, 0, 8, 0));
  EXPECT_STATUS(INVALID, iree_hal_device_queue_read(device, ANY, none, signal,
                                                    file, 0, NULL, 0, 8, 0));
  EXPECT_STATUS(RANGE, iree_hal_device_queue_read(device, ANY, none, signal,
                                                  file, 1, buffer, 0, 8, 0));
  EXPECT_STATUS(RANGE,
                iree_hal_device_queue_read(device, ANY, none, signal, file,
                                           UINT64_MAX, buffer, 0, 8, 0));
  EXPECT_STATUS(RANGE, iree_hal_device_queue_read(device, ANY, none, signal,
                                                  file, 0, buffer, 1, 8, 0));
  EXPECT_STATUS(DENIED, iree_hal_device_queue_read(device, ANY, none, signal,
                                                   file, 0, constant, 0, 8, 0));
  EXPECT_STATUS(DENIED, iree_hal_device_queue_write(device, ANY, none, signal,
                                                    buffer, 0, file, 0, 8, 0));
  EXPECT_STATUS(
      DENIED, iree_hal_device_queue_write(device, ANY, none, signal, write_only,
                                          0, file, 0, 8, 0));
  EXPECT_STATUS(INVALID, iree_hal_device_queue_write(device, ANY, none, signal,
                                                     buffer, 0, NULL, 0, 8, 0));
  EXPECT_STATUS(INVALID, iree_hal_device_queue_write(device, ANY, none, signal,
                                                     NULL, 0, file, 0, 8, 0));
  tear_down();
}

CTEST(allocations) {
  REQUIRE(set_up());
  iree_hal_buffer_t* out = buffer;
  iree_hal_buffer_params_t params = {0};
  EXPECT_STATUS(INVALID, iree_hal_device_queue_alloca(NULL, ANY, none, signal,
                                                      params, 8, 0, &out));
  EXPECT(!out);
  EXPECT_STATUS(INVALID, iree_hal_device_queue_alloca(device, ANY, none, signal,
                                                      params, 8, 0, NULL));
  params.min_alignment = 48;
  EXPECT_STATUS(INVALID, iree_hal_device_queue_alloca(device, ANY, none, signal,
                                                      params, 8, 0, &out));
  params.min_alignment = 0;
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                iree_hal_device_queue_alloca(device, ANY, none, signal, params,
                                             UINT64_MAX / 2, 0, &out));
  EXPECT(!out);
  EXPECT_STATUS(INVALID, iree_hal_device_queue_dealloca(device, ANY, none,
                                                        signal, NULL, 0));
  EXPECT_STATUS(INVALID, iree_hal_device_queue_dealloca(NULL, ANY, none, signal,
                                                        buffer, 0));
  tear_down();
}

static iree_status_t never_called(void* user_data, const uint64_t args[4],
                                  iree_hal_host_call_context_t* context) {
  (void)user_data, (void)args, (void)context;
  abort();
}

CTEST(host_calls) {
  REQUIRE(set_up());
  const uint64_t args[4] = {0};
  const iree_hal_host_call_t call = {never_called, NULL};
  const iree_hal_host_call_t no_call = {NULL, NULL};
  EXPECT_STATUS(INVALID, iree_hal_device_queue_host_call(
                             device, ANY, none, signal, no_call, args, 0));
  EXPECT_STATUS(INVALID, iree_hal_device_queue_host_call(
                             device, ANY, none, signal, call, NULL, 0));
  EXPECT_STATUS(INVALID, iree_hal_device_queue_host_call(
                             NULL, ANY, none, signal, call, args, 0));
  tear_down();
}

CTEST(dispatches) {
  REQUIRE(set_up());
  // Never looked at: each call is refused for another reason.
  iree_hal_executable_t executable;
  memset(&executable, 0, sizeof(executable));
  const iree_hal_executable_function_t function = {0};
  const iree_hal_dispatch_config_t config = {.size = sizeof(config),
                                             .workgroup_count = {1, 1, 1}};
  const iree_const_byte_span_t no_constants = iree_const_byte_span_empty();
  const iree_hal_buffer_ref_list_t no_bindings = {0, NULL};
  const uint8_t bytes[65 * 4] = {0};
  iree_hal_buffer_ref_t refs[65];
  for (int i = 0; i < 65; ++i) refs[i] = iree_hal_make_buffer_ref(buffer, 0, 8);
#define DISPATCH(code, executable, config, constants, bindings, flags)     \
  EXPECT_STATUS(code, iree_hal_device_queue_dispatch(                      \
                          device, ANY, none, signal, executable, function, \
                          config, constants, bindings, flags))
  DISPATCH(INVALID, NULL, &config, no_constants, no_bindings, 0);
  DISPATCH(INVALID, &executable, NULL, no_constants, no_bindings, 0);
  DISPATCH(INVALID, &executable, &config, iree_make_const_byte_span(bytes, 3),
           no_bindings, 0);
  DISPATCH(INVALID, &executable, &config,
           iree_make_const_byte_span(bytes, 65 * 4), no_bindings, 0);
  DISPATCH(INVALID, &executable, &config, iree_make_const_byte_span(NULL, 4),
           no_bindings, 0);
  iree_hal_buffer_ref_list_t bindings = {65, refs};
  DISPATCH(INVALID, &executable, &config, no_constants, bindings, 0);
  bindings.count = 2;
  bindings.values = NULL;
  DISPATCH(INVALID, &executable, &config, no_constants, bindings, 0);
  bindings.values = refs;
  refs[1] = iree_hal_make_indirect_buffer_ref(0, 0, 8);
  DISPATCH(INVALID, &executable, &config, no_constants, bindings, 0);
  refs[1] = iree_hal_make_buffer_ref(buffer, 1, 8);
  DISPATCH(RANGE, &executable, &config, no_constants, bindings, 0);
  iree_hal_buffer_t* transfer = make_buffer(0, IREE_HAL_BUFFER_USAGE_TRANSFER);
  refs[1] = iree_hal_make_buffer_ref(transfer, 0, 8);
  DISPATCH(DENIED, &executable, &config, no_constants, bindings, 0);
  DISPATCH(INVALID, &executable, &config, no_constants, no_bindings,
           IREE_HAL_DISPATCH_FLAG_DYNAMIC_INDIRECT_PARAMETERS);
  iree_hal_dispatch_config_t indirect = config;
  indirect.workgroup_count_ref = iree_hal_make_buffer_ref(buffer, 0, 12);
  DISPATCH(RANGE, &executable, &indirect, no_constants, no_bindings,
           IREE_HAL_DISPATCH_FLAG_STATIC_INDIRECT_PARAMETERS);
#undef DISPATCH
  iree_hal_buffer_release(transfer);
  tear_down();
}

CTEST(executions_and_the_rest) {
  REQUIRE(set_up());
  const iree_hal_buffer_binding_table_t empty =
      iree_hal_buffer_binding_table_empty();
  iree_hal_command_buffer_t* commands = NULL;
  REQUIRE_OK(iree_hal_command_buffer_create(
      device, 0, IREE_HAL_COMMAND_CATEGORY_ANY, ANY, 0, &commands));
  EXPECT_STATUS(IREE_STATUS_FAILED_PRECONDITION,
                iree_hal_device_queue_execute(device, ANY, none, signal,
                                              commands, empty, 0));
  const iree_hal_buffer_binding_table_t broken = {1, NULL};
  EXPECT_STATUS(INVALID, iree_hal_device_queue_execute(
                             device, ANY, none, signal, commands, broken, 0));
  EXPECT_STATUS(INVALID, iree_hal_device_queue_execute(device, ANY, none,
                                                       signal, NULL, empty, 0));
  EXPECT_STATUS(INVALID, iree_hal_device_queue_execute(NULL, ANY, none, signal,
                                                       commands, empty, 0));
  EXPECT_STATUS(INVALID,
                iree_hal_device_queue_barrier(NULL, ANY, none, signal, 0));
  EXPECT_STATUS(INVALID, iree_hal_device_queue_flush(NULL, ANY));
  EXPECT_STATUS(INVALID, iree_hal_device_trim(NULL));
  int64_t value = 0;
  EXPECT_STATUS(INVALID, iree_hal_device_query_i64(NULL, IREE_SV("a"),
                                                   IREE_SV("b"), &value));
  EXPECT_STATUS(INVALID, iree_hal_device_query_i64(device, IREE_SV("a"),
                                                   IREE_SV("b"), NULL));
  EXPECT_STATUS(INVALID, iree_hal_device_query_capabilities(device, NULL));
  iree_hal_device_capabilities_t capabilities = {.size = sizeof(capabilities)};
  EXPECT_STATUS(INVALID,
                iree_hal_device_query_capabilities(NULL, &capabilities));
  EXPECT_STATUS(INVALID, iree_hal_device_wait_semaphores(
                             NULL, IREE_HAL_WAIT_MODE_ALL, none,
                             iree_immediate_timeout(), 0));
  EXPECT_STATUS(INVALID, iree_hal_device_wait_semaphores(
                             device, 7, signal, iree_immediate_timeout(), 0));
  EXPECT_STATUS(INVALID,
                iree_hal_device_initialize(NULL, IREE_SV("x"), NULL,
                                           iree_allocator_system(), NULL));
  EXPECT_EQ_SV(iree_hal_device_id(NULL), iree_string_view_empty());
  iree_hal_command_buffer_release(commands);
  tear_down();
}

CTEST(semaphore_lists) {
  REQUIRE(set_up());
  iree_hal_semaphore_t* null_semaphore = NULL;
  uint64_t too_large = IREE_HAL_SEMAPHORE_MAX_VALUE + 1;
  const struct {
    iree_status_code_t code;
    iree_hal_semaphore_list_t list;
  } cases[] = {
      {INVALID, {1, NULL, &one_payload}},
      {INVALID, {1, &timeline, NULL}},
      {INVALID, {1, &null_semaphore, &one_payload}},
      {RANGE, {1, &timeline, &too_large}},
  };
  const uint8_t pattern = 0;
  for (size_t i = 0; i < IREE_ARRAYSIZE(cases); ++i) {
    EXPECT_STATUS(cases[i].code, iree_hal_device_queue_barrier(
                                     device, ANY, cases[i].list, signal, 0));
    EXPECT_STATUS(cases[i].code, iree_hal_device_queue_barrier(
                                     device, ANY, none, cases[i].list, 0));
    EXPECT_STATUS(cases[i].code,
                  iree_hal_device_queue_fill(device, ANY, cases[i].list, signal,
                                             buffer, 0, 8, &pattern, 1, 0));
    EXPECT_STATUS(cases[i].code,
                  iree_hal_device_wait_semaphores(
                      device, IREE_HAL_WAIT_MODE_ALL, cases[i].list,
                      iree_immediate_timeout(), 0));
  }
  tear_down();
}

// A buffer whose memory the host cannot reach, of a device with another name.
static void far_destroy(iree_hal_buffer_t* far) {
  iree_hal_buffer_deinitialize(far);
}

CTEST(memory_that_the_host_cannot_reach_names_both_devices) {
  static const iree_hal_buffer_vtable_t table = {
      .header = {.size = sizeof(table)},
      .destroy = far_destroy,
  };
  REQUIRE(set_up());
  const void* vtable = NULL;
  REQUIRE_OK(iree_cy_register_vtable(IREE_CY_OBJECT_KIND_BUFFER, &table,
                                     IREE_SV("far"), &vtable));
  iree_hal_device_t other;
  memset(&other, 0, sizeof(other));
  other.identifier = IREE_SV("elsewhere");
  const iree_hal_buffer_placement_t placement = {&other, ANY, 0, 0};
  iree_hal_buffer_t far;
  iree_hal_buffer_initialize(
      placement, &far, 8, 0, 8, IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL,
      IREE_HAL_MEMORY_ACCESS_ALL, IREE_HAL_BUFFER_USAGE_DEFAULT,
      (const iree_hal_buffer_vtable_t*)vtable, &far);
  iree_status_t status = iree_hal_device_queue_copy(device, ANY, none, signal,
                                                    &far, 0, buffer, 0, 8, 0);
  EXPECT_EQ_SV(iree_status_message(status),
               IREE_SV("device 'bare' cannot use a buffer of device "
                       "'elsewhere': its memory is not visible to the host"));
  EXPECT_STATUS(DENIED, status);
  // Its driver has not said where it is.
  far.placement.device = NULL;
  status = iree_hal_device_queue_copy(device, ANY, none, signal, &far, 0,
                                      buffer, 0, 8, 0);
  EXPECT_EQ_SV(iree_status_message(status),
               IREE_SV("device 'bare' cannot use a buffer of driver 'far': "
                       "its memory is not visible to the host"));
  EXPECT_STATUS(DENIED, status);
  iree_hal_buffer_release(&far);
  tear_down();
}

CTEST_MAIN()
