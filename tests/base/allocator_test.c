// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Tests the host allocator and the string builder over one that fails.

#include "iree_cy/base/allocator.h"

#include "iree_cy/base/string_builder.h"
#include "tests/support/ctest.h"
#include "tests/support/failing_allocator.h"

CTEST(malloc_zeroes_and_aligns) {
  uint8_t* block = NULL;
  const uint8_t zeros[100] = {0};
  REQUIRE_OK(
      iree_allocator_malloc(iree_allocator_system(), 100, (void**)&block));
  EXPECT_EQ_I64((uintptr_t)block % 16, 0);
  EXPECT_EQ_BYTES(block, zeros, 100);
  iree_allocator_free(iree_allocator_system(), block);
}

CTEST(zero_bytes_give_a_pointer) {
  void* first = NULL;
  void* second = NULL;
  REQUIRE_OK(iree_allocator_malloc(iree_allocator_system(), 0, &first));
  REQUIRE_OK(
      iree_allocator_malloc_uninitialized(iree_allocator_system(), 0, &second));
  EXPECT(first && second && first != second);
  iree_allocator_free(iree_allocator_system(), first);
  iree_allocator_free(iree_allocator_system(), second);
  iree_allocator_free(iree_allocator_system(), NULL);
}

CTEST(what_memory_cannot_hold_is_refused) {
  void* block = &block;
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                iree_allocator_malloc(iree_allocator_system(),
                                      IREE_HOST_SIZE_MAX, &block));
  EXPECT(!block);
  block = &block;
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                iree_allocator_malloc_array(iree_allocator_system(),
                                            IREE_HOST_SIZE_MAX / 2, 3, &block));
  EXPECT(!block);
  block = &block;
  EXPECT_STATUS(
      IREE_STATUS_RESOURCE_EXHAUSTED,
      iree_allocator_malloc_aligned(iree_allocator_system(),
                                    IREE_HOST_SIZE_MAX - 8, 64, &block));
  EXPECT(!block);
}

CTEST(a_null_allocator_is_an_error) {
  const iree_allocator_t null_allocator = {NULL, NULL};
  void* block = NULL;
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_allocator_malloc(null_allocator, 1, &block));
  iree_allocator_free(null_allocator, NULL);
}

CTEST(realloc_keeps_the_old_block_on_failure) {
  failing_allocator_t state = {.remaining = 2};
  const iree_allocator_t allocator = failing_allocator(&state);
  char* block = NULL;
  REQUIRE_OK(iree_allocator_realloc(allocator, 4, (void**)&block));
  memcpy(block, "abcd", 4);
  REQUIRE_OK(iree_allocator_realloc(allocator, 4000, (void**)&block));
  EXPECT_EQ_BYTES(block, "abcd", 4);
  char* before = block;
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                iree_allocator_realloc(allocator, 8000, (void**)&block));
  EXPECT(block == before);
  EXPECT_EQ_BYTES(block, "abcd", 4);
  iree_allocator_free(allocator, block);
  EXPECT_EQ_I64(state.live_blocks, 0);
}

CTEST(clone_copies) {
  char* block = NULL;
  REQUIRE_OK(iree_allocator_clone(iree_allocator_system(),
                                  iree_make_const_byte_span("hello", 5),
                                  (void**)&block));
  EXPECT_EQ_BYTES(block, "hello", 5);
  iree_allocator_free(iree_allocator_system(), block);
  REQUIRE_OK(iree_allocator_clone(
      iree_allocator_system(), iree_const_byte_span_empty(), (void**)&block));
  iree_allocator_free(iree_allocator_system(), block);
}

CTEST(aligned_blocks_are_aligned_whatever_the_alignment) {
  failing_allocator_t state = {.remaining = -1};
  const iree_allocator_t allocator = failing_allocator(&state);
  for (iree_host_size_t alignment = 1; alignment <= 65536; alignment *= 2) {
    uint8_t* block = NULL;
    REQUIRE_OK(iree_allocator_malloc_aligned(allocator, 33, alignment,
                                             (void**)&block));
    EXPECT_EQ_I64((uintptr_t)block % alignment, 0);
    EXPECT_EQ_I64(block[0] | block[32], 0);
    memset(block, 0xFF, 33);
    iree_allocator_free_aligned(allocator, block);
  }
  iree_allocator_free_aligned(allocator, NULL);
  EXPECT_EQ_I64(state.live_blocks, 0);
  void* block = NULL;
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_allocator_malloc_aligned(allocator, 8, 48, &block));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_allocator_malloc_aligned(allocator, 8, 0, &block));
}

CTEST(a_builder_grows) {
  iree_string_builder_t builder;
  iree_string_builder_initialize(iree_allocator_system(), &builder);
  EXPECT_EQ_SV(iree_string_builder_view(&builder), iree_string_view_empty());
  for (int i = 0; i < 1000; ++i) {
    REQUIRE_OK(iree_string_builder_append_format(&builder, "%03d,", i));
  }
  REQUIRE_OK(iree_string_builder_append_string(&builder, IREE_SV("end")));
  REQUIRE_OK(
      iree_string_builder_append_string(&builder, iree_string_view_empty()));
  const iree_string_view_t text = iree_string_builder_view(&builder);
  EXPECT_EQ_I64(text.size, 4003);
  EXPECT_EQ_I64(text.data[text.size], 0);
  EXPECT(iree_string_view_starts_with(text, IREE_SV("000,001,")));
  EXPECT(iree_string_view_ends_with(text, IREE_SV("998,999,end")));
  iree_string_builder_deinitialize(&builder);
}

CTEST(a_builder_that_cannot_grow_keeps_its_text) {
  failing_allocator_t state = {.remaining = 1};
  iree_string_builder_t builder;
  iree_string_builder_initialize(failing_allocator(&state), &builder);
  REQUIRE_OK(iree_string_builder_append_string(&builder, IREE_SV("kept")));
  char text[200];
  memset(text, 'x', sizeof(text));
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                iree_string_builder_append_string(
                    &builder, iree_make_string_view(text, sizeof(text))));
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                iree_string_builder_append_string(
                    &builder, iree_make_string_view(text, IREE_HOST_SIZE_MAX)));
  EXPECT_EQ_SV(iree_string_builder_view(&builder), IREE_SV("kept"));
  iree_string_builder_deinitialize(&builder);
  EXPECT_EQ_I64(state.live_blocks, 0);
}

CTEST_MAIN()
