// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Tests files over host memory, and the checks before a file is touched.

#include "iree_cy/hal/file.h"

#include "iree_cy/hal/allocator.h"
#include "tests/support/ctest.h"
#include "tests/support/failing_allocator.h"

static iree_hal_buffer_t* make_buffer(iree_device_size_t size,
                                      iree_hal_memory_access_t access) {
  iree_hal_allocator_t* allocator = NULL;
  iree_hal_buffer_t* buffer = NULL;
  const iree_hal_buffer_params_t params = {.access = access};
  iree_status_ignore(iree_hal_allocator_create_heap(
      IREE_SV("heap"), iree_allocator_system(), &allocator));
  iree_status_ignore(
      iree_hal_allocator_allocate_buffer(allocator, params, size, &buffer));
  iree_hal_allocator_release(allocator);
  return buffer;
}

static iree_hal_file_t* wrap(iree_hal_memory_access_t access, void* data,
                             size_t length) {
  iree_hal_file_t* file = NULL;
  iree_status_ignore(iree_hal_memory_file_wrap(
      access, iree_make_byte_span(data, length),
      iree_hal_buffer_release_callback_null(), iree_allocator_system(), &file));
  return file;
}

static void count_release(void* user_data, iree_hal_buffer_t* buffer) {
  if (!buffer) ++*(int*)user_data;
}

CTEST(memory_is_released_with_the_file) {
  int release_count = 0;
  uint8_t data[4] = {1, 2, 3, 4};
  const iree_hal_buffer_release_callback_t callback = {count_release,
                                                       &release_count};
  iree_hal_file_t* file = NULL;
  failing_allocator_t state = {.remaining = -1};
  REQUIRE_OK(iree_hal_memory_file_wrap(IREE_HAL_MEMORY_ACCESS_READ,
                                       iree_make_byte_span(data, 4), callback,
                                       failing_allocator(&state), &file));
  EXPECT_EQ_I64(iree_hal_file_length(file), 4);
  EXPECT_EQ_I64(iree_hal_file_allowed_access(file),
                IREE_HAL_MEMORY_ACCESS_READ);
  EXPECT(iree_hal_file_host_contents(file).data == data);
  iree_hal_file_retain(file);
  iree_hal_file_release(file);
  EXPECT_EQ_I64(release_count, 0);
  iree_hal_file_release(file);
  EXPECT_EQ_I64(release_count, 1);
  EXPECT_EQ_I64(state.live_blocks, 0);
  // When it cannot be made, the memory stays the caller's.
  state.remaining = 0;
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                iree_hal_memory_file_wrap(
                    IREE_HAL_MEMORY_ACCESS_READ, iree_make_byte_span(data, 4),
                    callback, failing_allocator(&state), &file));
  EXPECT_EQ_I64(release_count, 1);
}

CTEST(bytes_go_both_ways) {
  uint8_t data[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  iree_hal_buffer_t* buffer = make_buffer(6, 0);
  iree_hal_file_t* file =
      wrap(IREE_HAL_MEMORY_ACCESS_READ | IREE_HAL_MEMORY_ACCESS_WRITE, data, 8);
  REQUIRE(buffer && file);
  const uint8_t zeros[6] = {0};
  REQUIRE_OK(iree_hal_buffer_map_write(buffer, 0, zeros, 6));
  EXPECT_OK(iree_hal_file_read(file, 5, buffer, 1, 3));
  uint8_t contents[6];
  EXPECT_OK(iree_hal_buffer_map_read(buffer, 0, contents, 6));
  EXPECT_EQ_BYTES(contents, "\0\5\6\7\0\0", 6);
  EXPECT_OK(iree_hal_file_write(file, 0, buffer, 2, 2));
  EXPECT_EQ_BYTES(data, "\6\7\2\3\4\5\6\7", 8);
  EXPECT_OK(iree_hal_file_read(file, 8, buffer, 6, 0));
  EXPECT_OK(iree_hal_file_write(file, 2, buffer, 0, IREE_HAL_WHOLE_BUFFER));
  EXPECT_EQ_BYTES(data, "\6\7\0\5\6\7\0\0", 8);
  iree_hal_file_release(file);
  iree_hal_buffer_release(buffer);
}

CTEST(ranges_are_checked) {
  uint8_t data[8] = {0};
  iree_hal_buffer_t* buffer = make_buffer(6, 0);
  iree_hal_file_t* file =
      wrap(IREE_HAL_MEMORY_ACCESS_READ | IREE_HAL_MEMORY_ACCESS_WRITE, data, 8);
  REQUIRE(buffer && file);
  static const struct {
    uint64_t file_offset, buffer_offset, length;
  } ranges[] = {{0, 0, 7},          {0, 7, 0},         {9, 0, 0},
                {6, 0, 3},          {0, 1, 6},         {UINT64_MAX, 0, 1},
                {0, UINT64_MAX, 1}, {8, 0, 1},         {0, 1, UINT64_MAX - 1},
                {UINT64_MAX, 0, 6}, {3, 0, UINT64_MAX}};
  for (size_t i = 0; i < IREE_ARRAYSIZE(ranges); ++i) {
    EXPECT_STATUS(
        IREE_STATUS_OUT_OF_RANGE,
        iree_hal_file_read(file, ranges[i].file_offset, buffer,
                           ranges[i].buffer_offset, ranges[i].length));
    EXPECT_STATUS(
        IREE_STATUS_OUT_OF_RANGE,
        iree_hal_file_write(file, ranges[i].file_offset, buffer,
                            ranges[i].buffer_offset, ranges[i].length));
  }
  iree_hal_file_release(file);
  iree_hal_buffer_release(buffer);
}

CTEST(access_is_checked) {
  uint8_t data[8] = {0};
  iree_hal_buffer_t* buffer = make_buffer(8, 0);
  iree_hal_buffer_t* constant = make_buffer(8, IREE_HAL_MEMORY_ACCESS_READ);
  iree_hal_file_t* readable = wrap(IREE_HAL_MEMORY_ACCESS_READ, data, 8);
  iree_hal_file_t* writable = wrap(IREE_HAL_MEMORY_ACCESS_WRITE, data, 8);
  REQUIRE(buffer && constant && readable && writable);
  EXPECT_STATUS(IREE_STATUS_PERMISSION_DENIED,
                iree_hal_file_write(readable, 0, buffer, 0, 8));
  EXPECT_STATUS(IREE_STATUS_PERMISSION_DENIED,
                iree_hal_file_read(writable, 0, buffer, 0, 8));
  EXPECT_STATUS(IREE_STATUS_PERMISSION_DENIED,
                iree_hal_file_read(readable, 0, constant, 0, 8));
  EXPECT_OK(iree_hal_file_write(writable, 0, constant, 0, 8));
  iree_hal_file_release(readable);
  iree_hal_file_release(writable);
  iree_hal_buffer_release(buffer);
  iree_hal_buffer_release(constant);
}

CTEST(null_and_wrong_arguments_are_refused) {
  uint8_t data[8] = {0};
  iree_hal_file_t* file = wrap(IREE_HAL_MEMORY_ACCESS_READ, data, 8);
  iree_hal_buffer_t* buffer = make_buffer(8, 0);
  iree_hal_file_t* out = NULL;
  REQUIRE(buffer && file);
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_file_read(NULL, 0, buffer, 0, 8));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_file_read(file, 0, NULL, 0, 8));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_file_write(NULL, 0, buffer, 0, 8));
  const iree_hal_buffer_release_callback_t none =
      iree_hal_buffer_release_callback_null();
  const iree_allocator_t allocator = iree_allocator_system();
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_memory_file_wrap(IREE_HAL_MEMORY_ACCESS_READ,
                                          iree_make_byte_span(NULL, 1), none,
                                          allocator, &out));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_memory_file_wrap(0, iree_make_byte_span(data, 1), none,
                                          allocator, &out));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_memory_file_wrap(IREE_HAL_MEMORY_ACCESS_READ,
                                          iree_make_byte_span(data, 1), none,
                                          allocator, NULL));
  EXPECT_EQ_I64(iree_hal_file_length(NULL), 0);
  EXPECT_EQ_I64(iree_hal_file_allowed_access(NULL), 0);
  EXPECT(!iree_hal_file_host_contents(NULL).data);
  iree_hal_file_release(file);
  iree_hal_buffer_release(buffer);
}

// A driver's file that implements only what it must.
static void stub_destroy(iree_hal_file_t* file) {
  iree_hal_file_deinitialize(file);
}
static iree_hal_memory_access_t stub_access(iree_hal_file_t* file) {
  (void)file;
  return IREE_HAL_MEMORY_ACCESS_ALL;
}
static uint64_t stub_length(iree_hal_file_t* file) {
  (void)file;
  return 8;
}

CTEST(a_file_without_reading_says_so) {
  static const iree_hal_file_vtable_t table = {
      .header = {.size = sizeof(table)},
      .destroy = stub_destroy,
      .allowed_access = stub_access,
      .length = stub_length,
  };
  const void* vtable = NULL;
  REQUIRE_OK(iree_cy_register_vtable(IREE_CY_OBJECT_KIND_FILE, &table,
                                     IREE_SV("stub"), &vtable));
  iree_hal_file_t file;
  iree_hal_file_initialize((const iree_hal_file_vtable_t*)vtable,
                           iree_allocator_system(), &file);
  iree_hal_buffer_t* buffer = make_buffer(8, 0);
  REQUIRE(buffer);
  iree_status_t status = iree_hal_file_read(&file, 0, buffer, 0, 8);
  EXPECT_EQ_SV(
      iree_status_message(status),
      IREE_SV("driver 'stub' does not implement iree_hal_file_t.read"));
  EXPECT_STATUS(IREE_STATUS_UNIMPLEMENTED, status);
  EXPECT_STATUS(IREE_STATUS_UNIMPLEMENTED,
                iree_hal_file_write(&file, 0, buffer, 0, 8));
  EXPECT(!iree_hal_file_host_contents(&file).data);
  iree_hal_buffer_release(buffer);
  iree_hal_file_release(&file);
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_FILE), 0);
}

CTEST_MAIN()
