// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Tests buffers: ranges, access, subspans, mappings, wrapped memory.

#include "iree_cy/hal/buffer.h"

#include "iree_cy/hal/allocator.h"
#include "iree_cy/native/hal/heap_buffer.h"
#include "tests/support/ctest.h"
#include "tests/support/failing_allocator.h"

static _Alignas(64) uint8_t memory[256];

static iree_hal_buffer_t* wrap(iree_hal_memory_access_t access,
                               iree_host_size_t length) {
  iree_hal_buffer_t* buffer = NULL;
  iree_status_t status = iree_hal_heap_buffer_wrap(
      iree_hal_buffer_placement_undefined(),
      IREE_HAL_MEMORY_TYPE_HOST_LOCAL | IREE_HAL_MEMORY_TYPE_DEVICE_VISIBLE,
      access, IREE_HAL_BUFFER_USAGE_DEFAULT,
      iree_make_byte_span(memory, length),
      iree_hal_buffer_release_callback_null(), iree_allocator_system(),
      &buffer);
  EXPECT_OK(status);
  return buffer;
}

static void count_release(void* user_data, iree_hal_buffer_t* buffer) {
  (void)buffer;
  ++*(int*)user_data;
}

CTEST(formats_flags) {
  char text[64];
  EXPECT_EQ_I64(
      iree_hal_memory_type_format(
          IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL | IREE_HAL_MEMORY_TYPE_HOST_VISIBLE,
          sizeof(text), text),
      25);
  EXPECT_EQ_SV(iree_make_cstring_view(text),
               IREE_SV("DEVICE_LOCAL|HOST_VISIBLE"));
  iree_hal_memory_access_format(0, sizeof(text), text);
  EXPECT_EQ_SV(iree_make_cstring_view(text), IREE_SV("NONE"));
  iree_hal_memory_access_format(7u | (1u << 20), sizeof(text), text);
  EXPECT_EQ_SV(iree_make_cstring_view(text), IREE_SV("ALL|0x100000"));
  iree_hal_buffer_usage_format(IREE_HAL_BUFFER_USAGE_DEFAULT, sizeof(text),
                               text);
  EXPECT_EQ_SV(iree_make_cstring_view(text),
               IREE_SV("TRANSFER|DISPATCH_STORAGE"));
}

CTEST(formats_flags_cut) {
  char text[8] = "xxxxxxx";
  EXPECT_EQ_I64(
      iree_hal_memory_access_format(IREE_HAL_MEMORY_ACCESS_ALL, 3, text), 3);
  EXPECT_EQ_BYTES(text, "AL\0x", 4);
  EXPECT_EQ_I64(
      iree_hal_memory_access_format(IREE_HAL_MEMORY_ACCESS_READ, 0, NULL), 4);
}

CTEST(calculates_ranges) {
  iree_device_size_t offset = 0;
  iree_device_size_t length = 0;
  EXPECT_OK(iree_hal_buffer_calculate_range(10, 20, 5, IREE_HAL_WHOLE_BUFFER,
                                            &offset, &length));
  EXPECT_EQ_I64(offset, 15);
  EXPECT_EQ_I64(length, 15);
  EXPECT_OK(iree_hal_buffer_calculate_range(10, 20, 20, 0, &offset, &length));
  EXPECT_EQ_I64(offset, 30);
  EXPECT_EQ_I64(length, 0);
}

CTEST(refuses_ranges) {
  iree_device_size_t offset = 0;
  iree_device_size_t length = 0;
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE, iree_hal_buffer_calculate_range(
                                              0, 20, 21, 0, &offset, &length));
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE, iree_hal_buffer_calculate_range(
                                              0, 20, 1, 20, &offset, &length));
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                iree_hal_buffer_calculate_range(
                    0, 20, 2, IREE_DEVICE_SIZE_MAX - 1, &offset, &length));
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                iree_hal_buffer_calculate_range(IREE_DEVICE_SIZE_MAX - 3, 20, 8,
                                                1, &offset, &length));
}

CTEST(collapses_subspans) {
  iree_hal_buffer_t* buffer = wrap(IREE_HAL_MEMORY_ACCESS_ALL, 100);
  iree_hal_buffer_t* outer = NULL;
  iree_hal_buffer_t* inner = NULL;
  iree_hal_buffer_t* whole = NULL;
  REQUIRE_OK(
      iree_hal_buffer_subspan(buffer, 10, 50, iree_allocator_system(), &outer));
  REQUIRE_OK(iree_hal_buffer_subspan(outer, 5, IREE_HAL_WHOLE_BUFFER,
                                     iree_allocator_system(), &inner));
  REQUIRE_OK(
      iree_hal_buffer_subspan(inner, 0, 45, iree_allocator_system(), &whole));
  EXPECT(whole == inner);
  EXPECT(iree_hal_buffer_allocated_buffer(inner) == buffer);
  EXPECT_EQ_I64(iree_hal_buffer_byte_offset(inner), 15);
  EXPECT_EQ_I64(iree_hal_buffer_byte_length(inner), 45);
  EXPECT_EQ_I64(iree_hal_buffer_allocation_size(inner), 100);
  EXPECT(iree_hal_heap_buffer_data(inner) == memory + 15);
  iree_hal_buffer_release(whole);
  iree_hal_buffer_release(outer);
  iree_hal_buffer_release(buffer);
  // The subspan alone keeps the memory.
  EXPECT_OK(iree_hal_buffer_map_write(inner, 0, "ab", 2));
  EXPECT_EQ_BYTES(memory + 15, "ab", 2);
  iree_hal_buffer_release(inner);
}

CTEST(refuses_subspans_outside) {
  iree_hal_buffer_t* buffer = wrap(IREE_HAL_MEMORY_ACCESS_ALL, 100);
  iree_hal_buffer_t* part = NULL;
  EXPECT_STATUS(
      IREE_STATUS_OUT_OF_RANGE,
      iree_hal_buffer_subspan(buffer, 90, 11, iree_allocator_system(), &part));
  EXPECT(part == NULL);
  failing_allocator_t state = {0, 0};
  EXPECT_STATUS(
      IREE_STATUS_RESOURCE_EXHAUSTED,
      iree_hal_buffer_subspan(buffer, 1, 2, failing_allocator(&state), &part));
  EXPECT_EQ_I64(state.live_blocks, 0);
  iree_hal_buffer_release(buffer);
}

CTEST(fills_with_patterns) {
  static const uint8_t pattern[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  iree_hal_buffer_t* buffer = wrap(IREE_HAL_MEMORY_ACCESS_ALL, 200);
  for (int pattern_length = 1; pattern_length <= 8; pattern_length *= 2) {
    uint8_t expected[200];
    memset(memory, 0xEE, sizeof(memory));
    memset(expected, 0xEE, sizeof(expected));
    for (int i = 0; i < 96; ++i) expected[3 + i] = pattern[i % pattern_length];
    EXPECT_OK(iree_hal_buffer_map_fill(buffer, 3, 96, pattern, pattern_length));
    EXPECT_EQ_BYTES(memory, expected, sizeof(expected));
  }
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_buffer_map_fill(buffer, 0, 9, pattern, 3));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_buffer_map_fill(buffer, 0, 9, pattern, 4));
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                iree_hal_buffer_map_fill(buffer, 198, 4, pattern, 4));
  iree_hal_buffer_release(buffer);
}

CTEST(fills_large_ranges) {
  iree_hal_allocator_t* allocator = NULL;
  iree_hal_buffer_t* buffer = NULL;
  const iree_hal_buffer_params_t params = {0};
  const uint32_t pattern = 0x01020304;
  REQUIRE_OK(iree_hal_allocator_create_heap(
      IREE_SV("test"), iree_allocator_system(), &allocator));
  REQUIRE_OK(
      iree_hal_allocator_allocate_buffer(allocator, params, 400000, &buffer));
  REQUIRE_OK(iree_hal_buffer_map_fill(buffer, 0, IREE_HAL_WHOLE_BUFFER,
                                      &pattern, sizeof(pattern)));
  const uint32_t* data = (const uint32_t*)iree_hal_heap_buffer_data(buffer);
  int mismatches = 0;
  for (int i = 0; i < 100000; ++i) mismatches += data[i] != pattern;
  EXPECT_EQ_I64(mismatches, 0);
  iree_hal_buffer_release(buffer);
  iree_hal_allocator_release(allocator);
}

CTEST(reads_writes_and_copies) {
  uint8_t bytes[4] = {0};
  iree_hal_buffer_t* buffer = wrap(IREE_HAL_MEMORY_ACCESS_ALL, 64);
  iree_hal_buffer_t* part = NULL;
  REQUIRE_OK(
      iree_hal_buffer_subspan(buffer, 32, 32, iree_allocator_system(), &part));
  EXPECT_OK(iree_hal_buffer_map_write(buffer, 4, "wxyz", 4));
  EXPECT_OK(iree_hal_buffer_map_copy(buffer, 4, part, 8, 4));
  EXPECT_OK(iree_hal_buffer_map_read(part, 8, bytes, 4));
  EXPECT_EQ_BYTES(bytes, "wxyz", 4);
  EXPECT_OK(iree_hal_buffer_map_read(part, 32, bytes, 0));
  // Overlapping ranges of one allocation, seen through two buffers.
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_buffer_map_copy(buffer, 30, part, 0, 4));
  EXPECT_OK(iree_hal_buffer_map_copy(buffer, 28, part, 0, 4));
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                iree_hal_buffer_map_read(part, 29, bytes, 4));
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                iree_hal_buffer_map_write(buffer, 65, bytes, 0));
  iree_hal_buffer_release(part);
  iree_hal_buffer_release(buffer);
}

CTEST(tests_overlap) {
  iree_hal_buffer_t* buffer = wrap(IREE_HAL_MEMORY_ACCESS_ALL, 64);
  iree_hal_buffer_t* other = wrap(IREE_HAL_MEMORY_ACCESS_ALL, 64);
  EXPECT(iree_hal_buffer_test_overlap(buffer, 0, 8, buffer, 7, 1));
  EXPECT(!iree_hal_buffer_test_overlap(buffer, 0, 8, buffer, 8, 8));
  EXPECT(!iree_hal_buffer_test_overlap(buffer, 0, 0, buffer, 0, 8));
  EXPECT(iree_hal_buffer_test_overlap(buffer, 0, IREE_HAL_WHOLE_BUFFER, buffer,
                                      63, 1));
  EXPECT(!iree_hal_buffer_test_overlap(buffer, 0, 8, other, 0, 8));
  EXPECT(!iree_hal_buffer_test_overlap(buffer, 0, 8, buffer, 0, 65));
  iree_hal_buffer_release(other);
  iree_hal_buffer_release(buffer);
}

CTEST(refuses_writes_to_read_only_memory) {
  uint8_t bytes[4] = {0};
  iree_hal_buffer_t* buffer = wrap(IREE_HAL_MEMORY_ACCESS_READ, 64);
  iree_hal_buffer_t* part = NULL;
  iree_hal_buffer_mapping_t mapping;
  REQUIRE_OK(
      iree_hal_buffer_subspan(buffer, 8, 8, iree_allocator_system(), &part));
  EXPECT_STATUS(IREE_STATUS_PERMISSION_DENIED,
                iree_hal_buffer_map_fill(buffer, 0, 4, bytes, 1));
  EXPECT_STATUS(IREE_STATUS_PERMISSION_DENIED,
                iree_hal_buffer_map_write(part, 0, bytes, 4));
  EXPECT_STATUS(IREE_STATUS_PERMISSION_DENIED,
                iree_hal_buffer_map_copy(buffer, 0, part, 0, 4));
  EXPECT_STATUS(IREE_STATUS_PERMISSION_DENIED,
                iree_hal_buffer_map_range(
                    part, IREE_HAL_MAPPING_MODE_SCOPED,
                    IREE_HAL_MEMORY_ACCESS_READ | IREE_HAL_MEMORY_ACCESS_WRITE,
                    0, 4, &mapping));
  EXPECT(mapping.contents.data == NULL);
  // ANY beside WRITE does not make it less.
  EXPECT_STATUS(IREE_STATUS_PERMISSION_DENIED,
                iree_hal_buffer_map_range(
                    part, IREE_HAL_MAPPING_MODE_SCOPED,
                    IREE_HAL_MEMORY_ACCESS_WRITE | IREE_HAL_MEMORY_ACCESS_ANY,
                    0, 4, &mapping));
  EXPECT_OK(iree_hal_buffer_map_read(part, 0, bytes, 4));
  EXPECT_OK(iree_hal_buffer_map_range(part, IREE_HAL_MAPPING_MODE_SCOPED,
                                      IREE_HAL_MEMORY_ACCESS_ANY, 0, 4,
                                      &mapping));
  EXPECT_OK(iree_hal_buffer_unmap_range(&mapping));
  iree_hal_buffer_release(part);
  iree_hal_buffer_release(buffer);
}

CTEST(names_what_is_missing) {
  iree_status_t status = iree_hal_buffer_validate_access(
      IREE_HAL_MEMORY_ACCESS_READ, IREE_HAL_MEMORY_ACCESS_DISCARD_WRITE);
  EXPECT_EQ_SV(iree_status_message(status),
               IREE_SV("access WRITE is needed; the buffer allows READ"));
  iree_status_ignore(status);
  status = iree_hal_buffer_validate_usage(IREE_HAL_BUFFER_USAGE_TRANSFER,
                                          IREE_HAL_BUFFER_USAGE_DEFAULT);
  EXPECT_EQ_SV(iree_status_message(status),
               IREE_SV("usage DISPATCH_STORAGE is needed; the buffer was "
                       "allocated for TRANSFER"));
  iree_status_ignore(status);
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_buffer_validate_access(IREE_HAL_MEMORY_ACCESS_ALL, 0));
  EXPECT_STATUS(
      IREE_STATUS_PERMISSION_DENIED,
      iree_hal_buffer_validate_memory_type(IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL,
                                           IREE_HAL_MEMORY_TYPE_HOST_VISIBLE));
}

CTEST(refuses_persistent_mapping_without_usage) {
  iree_hal_buffer_t* buffer = wrap(IREE_HAL_MEMORY_ACCESS_ALL, 64);
  iree_hal_buffer_mapping_t mapping;
  EXPECT_STATUS(
      IREE_STATUS_PERMISSION_DENIED,
      iree_hal_buffer_map_range(buffer, IREE_HAL_MAPPING_MODE_PERSISTENT,
                                IREE_HAL_MEMORY_ACCESS_READ, 0, 4, &mapping));
  iree_hal_buffer_release(buffer);
}

CTEST(maps_and_unmaps) {
  iree_hal_buffer_t* buffer = wrap(IREE_HAL_MEMORY_ACCESS_ALL, 64);
  iree_hal_buffer_mapping_t mapping;
  REQUIRE_OK(iree_hal_buffer_map_range(
      buffer, IREE_HAL_MAPPING_MODE_SCOPED,
      IREE_HAL_MEMORY_ACCESS_READ | IREE_HAL_MEMORY_ACCESS_WRITE, 16,
      IREE_HAL_WHOLE_BUFFER, &mapping));
  EXPECT(mapping.contents.data == memory + 16);
  EXPECT_EQ_I64(mapping.contents.data_length, 48);
  EXPECT_OK(iree_hal_buffer_mapping_flush_range(&mapping, 0, 48));
  EXPECT_OK(iree_hal_buffer_mapping_invalidate_range(&mapping, 40, 8));
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                iree_hal_buffer_mapping_flush_range(&mapping, 41, 8));
  EXPECT_OK(iree_hal_buffer_unmap_range(&mapping));
  EXPECT_STATUS(IREE_STATUS_FAILED_PRECONDITION,
                iree_hal_buffer_mapping_flush_range(&mapping, 0, 1));
  EXPECT_OK(iree_hal_buffer_unmap_range(&mapping));
  iree_hal_buffer_release(buffer);
}

CTEST(calls_the_release_callback_once) {
  int count = 0;
  const iree_hal_buffer_release_callback_t callback = {count_release, &count};
  iree_hal_buffer_t* buffer = NULL;
  iree_hal_buffer_t* part = NULL;
  REQUIRE_OK(iree_hal_heap_buffer_wrap(
      iree_hal_buffer_placement_undefined(), IREE_HAL_MEMORY_TYPE_HOST_LOCAL,
      IREE_HAL_MEMORY_ACCESS_ALL, IREE_HAL_BUFFER_USAGE_DEFAULT,
      iree_make_byte_span(memory, 64), callback, iree_allocator_system(),
      &buffer));
  REQUIRE_OK(
      iree_hal_buffer_subspan(buffer, 0, 8, iree_allocator_system(), &part));
  iree_hal_buffer_release(buffer);
  EXPECT_EQ_I64(count, 0);
  iree_hal_buffer_release(part);
  EXPECT_EQ_I64(count, 1);
}

CTEST(detaches_from_wrapped_memory) {
  int release_count = 0;
  const iree_hal_buffer_release_callback_t callback = {count_release,
                                                       &release_count};
  iree_hal_buffer_t* buffer = NULL;
  iree_hal_buffer_t* part = NULL;
  iree_hal_buffer_mapping_t mapping;
  memset(memory, 7, 64);
  REQUIRE_OK(iree_hal_heap_buffer_wrap(
      iree_hal_buffer_placement_undefined(),
      IREE_HAL_MEMORY_TYPE_HOST_LOCAL | IREE_HAL_MEMORY_TYPE_DEVICE_VISIBLE,
      IREE_HAL_MEMORY_ACCESS_READ, IREE_HAL_BUFFER_USAGE_DEFAULT,
      iree_make_byte_span(memory, 64), callback, iree_allocator_system(),
      &buffer));
  REQUIRE_OK(
      iree_hal_buffer_subspan(buffer, 8, 8, iree_allocator_system(), &part));
  REQUIRE_OK(iree_hal_buffer_map_range(buffer, IREE_HAL_MAPPING_MODE_SCOPED,
                                       IREE_HAL_MEMORY_ACCESS_READ, 0, 64,
                                       &mapping));
  for (int i = 0; i < 2; ++i) {
    EXPECT_OK(iree_cy_heap_buffer_detach(buffer));
    memset(memory, 9, 64);
    // Who has an address may go on to read there.
    EXPECT(mapping.contents.data == memory);
    EXPECT_EQ_I64(release_count, 0);
    EXPECT_EQ_BYTES(iree_hal_heap_buffer_data(part),
                    "\x07\x07\x07\x07\x07\x07\x07\x07", 8);
  }
  EXPECT_EQ_I64((int64_t)((uintptr_t)iree_hal_heap_buffer_data(buffer) % 64),
                0);
  EXPECT_OK(iree_hal_buffer_map_fill(buffer, 0, 64, "\x05", 1));
  EXPECT_EQ_I64(memory[0], 9);
  EXPECT_OK(iree_hal_buffer_unmap_range(&mapping));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT, iree_cy_heap_buffer_detach(part));
  iree_hal_buffer_release(buffer);
  EXPECT_EQ_I64(release_count, 0);
  iree_hal_buffer_release(part);
  EXPECT_EQ_I64(release_count, 1);
}

CTEST(recycles_instead_of_destroying) {
  int count = 0;
  const iree_hal_buffer_release_callback_t callback = {count_release, &count};
  iree_hal_buffer_t* buffer = wrap(IREE_HAL_MEMORY_ACCESS_ALL, 64);
  iree_hal_buffer_set_recycle_callback(buffer, callback);
  iree_hal_buffer_retain(buffer);
  iree_hal_buffer_release(buffer);
  EXPECT_EQ_I64(count, 0);
  iree_hal_buffer_release(buffer);
  EXPECT_EQ_I64(count, 1);
  // It has one reference again, and is destroyed by the next release.
  EXPECT_EQ_I64(iree_hal_buffer_byte_length(buffer), 64);
  iree_hal_buffer_release(buffer);
  EXPECT_EQ_I64(count, 1);
}

CTEST(refuses_unaligned_memory) {
  iree_hal_buffer_t* buffer = NULL;
  EXPECT_STATUS(
      IREE_STATUS_OUT_OF_RANGE,
      iree_hal_heap_buffer_wrap(
          iree_hal_buffer_placement_undefined(),
          IREE_HAL_MEMORY_TYPE_HOST_LOCAL, IREE_HAL_MEMORY_ACCESS_ALL,
          IREE_HAL_BUFFER_USAGE_DEFAULT, iree_make_byte_span(memory + 4, 8),
          iree_hal_buffer_release_callback_null(), iree_allocator_system(),
          &buffer));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_heap_buffer_wrap(
                    iree_hal_buffer_placement_undefined(),
                    IREE_HAL_MEMORY_TYPE_HOST_LOCAL, IREE_HAL_MEMORY_ACCESS_ALL,
                    IREE_HAL_BUFFER_USAGE_DEFAULT, iree_make_byte_span(NULL, 8),
                    iree_hal_buffer_release_callback_null(),
                    iree_allocator_system(), &buffer));
  EXPECT(buffer == NULL);
  REQUIRE_OK(iree_hal_heap_buffer_wrap(
      iree_hal_buffer_placement_undefined(), IREE_HAL_MEMORY_TYPE_HOST_LOCAL,
      IREE_HAL_MEMORY_ACCESS_ALL | IREE_HAL_MEMORY_ACCESS_UNALIGNED,
      IREE_HAL_BUFFER_USAGE_DEFAULT, iree_make_byte_span(memory + 4, 8),
      iree_hal_buffer_release_callback_null(), iree_allocator_system(),
      &buffer));
  iree_hal_buffer_release(buffer);
}

CTEST(wraps_no_bytes) {
  iree_hal_buffer_t* buffer = NULL;
  REQUIRE_OK(iree_hal_heap_buffer_wrap(
      iree_hal_buffer_placement_undefined(), IREE_HAL_MEMORY_TYPE_HOST_LOCAL,
      IREE_HAL_MEMORY_ACCESS_ALL, IREE_HAL_BUFFER_USAGE_DEFAULT,
      iree_byte_span_empty(), iree_hal_buffer_release_callback_null(),
      iree_allocator_system(), &buffer));
  EXPECT_OK(iree_hal_buffer_map_fill(buffer, 0, 0, "x", 1));
  EXPECT_OK(iree_hal_buffer_map_write(buffer, 0, NULL, 0));
  EXPECT(iree_hal_heap_buffer_data(buffer) == NULL);
  iree_hal_buffer_release(buffer);
}

CTEST(counts_owners_of_the_allocation) {
  iree_hal_buffer_t* buffer = wrap(IREE_HAL_MEMORY_ACCESS_ALL, 64);
  iree_hal_buffer_t* part = NULL;
  REQUIRE_OK(
      iree_hal_buffer_subspan(buffer, 0, 8, iree_allocator_system(), &part));
  EXPECT(iree_hal_buffer_allocation_is_terminal(part));
  iree_hal_buffer_allocation_preserve(part);
  EXPECT(!iree_hal_buffer_allocation_is_terminal(buffer));
  EXPECT(!iree_hal_buffer_allocation_discard(buffer));
  EXPECT(iree_hal_buffer_allocation_discard(part));
  iree_hal_buffer_release(part);
  iree_hal_buffer_release(buffer);
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_BUFFER), 0);
}

CTEST_MAIN()
