// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the tests of byte buffers.

#include "iree_cy/vm/api.h"
#include "tests/support/ctest.h"

#define HUGE_SIZE ((iree_host_size_t) - 1)

static iree_vm_buffer_t* make_buffer(iree_host_size_t length) {
  iree_vm_buffer_t* buffer = NULL;
  EXPECT_OK(iree_vm_buffer_create(
      IREE_VM_BUFFER_ACCESS_MUTABLE | IREE_VM_BUFFER_ACCESS_ORIGIN_HOST, length,
      0, iree_allocator_system(), &buffer));
  return buffer;
}
static void expect_nothing_alive(void) {
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_VM_BUFFER), 0);
}

CTEST(a_buffer_is_zeroed_and_aligned) {
  const iree_host_size_t alignments[] = {0, 1, 16, 64, 4096};
  for (int i = 0; i < 5; ++i) {
    iree_vm_buffer_t* buffer = NULL;
    REQUIRE_OK(iree_vm_buffer_create(IREE_VM_BUFFER_ACCESS_MUTABLE, 100,
                                     alignments[i], iree_allocator_system(),
                                     &buffer));
    iree_host_size_t alignment = alignments[i] ? alignments[i] : 16;
    EXPECT_EQ_I64((uintptr_t)iree_vm_buffer_data(buffer) % alignment, 0);
    static const uint8_t zeros[100] = {0};
    EXPECT_EQ_BYTES(iree_vm_buffer_data(buffer), zeros, 100);
    iree_vm_buffer_release(buffer);
  }
  iree_vm_buffer_t* buffer = NULL;
  EXPECT_STATUS(
      IREE_STATUS_INVALID_ARGUMENT,
      iree_vm_buffer_create(0, 1, 24, iree_allocator_system(), &buffer));
  expect_nothing_alive();
}

CTEST(a_length_that_memory_cannot_hold_is_an_error) {
  iree_vm_buffer_t* buffer = NULL;
  EXPECT_STATUS(
      IREE_STATUS_RESOURCE_EXHAUSTED,
      iree_vm_buffer_create(0, HUGE_SIZE, 0, iree_allocator_system(), &buffer));
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                iree_vm_buffer_create(0, HUGE_SIZE - 200, 16,
                                      iree_allocator_system(), &buffer));
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                iree_vm_buffer_create(0, 8, (iree_host_size_t)1 << 63,
                                      iree_allocator_system(), &buffer));
  EXPECT(buffer == NULL);
}

CTEST(every_access_outside_is_an_error) {
  iree_vm_buffer_t* buffer = make_buffer(16);
  const iree_host_size_t ranges[][2] = {
      {0, 17},           {16, 1},        {17, 0},
      {8, HUGE_SIZE},    {HUGE_SIZE, 1}, {HUGE_SIZE, HUGE_SIZE},
      {HUGE_SIZE - 7, 8}};
  for (int i = 0; i < 7; ++i) {
    const iree_host_size_t offset = ranges[i][0];
    const iree_host_size_t length = ranges[i][1];
    bool equal = false;
    int64_t hash = 0;
    iree_const_byte_span_t span;
    iree_byte_span_t writable;
    iree_vm_buffer_t* clone = NULL;
    EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                  iree_vm_buffer_copy_bytes(buffer, offset, buffer, 0, length));
    EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                  iree_vm_buffer_copy_bytes(buffer, 0, buffer, offset,
                                            length ? length : 1));
    EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                  iree_vm_buffer_compare_bytes(buffer, offset, buffer, 0,
                                               length, &equal));
    EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                  iree_vm_buffer_fill_bytes(buffer, offset, length, 1));
    EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                  iree_vm_buffer_map_ro(buffer, offset, length, 1, &span));
    EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                  iree_vm_buffer_map_rw(buffer, offset, length, 1, &writable));
    EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                  iree_vm_buffer_hash(buffer, offset, length, &hash));
    EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                  iree_vm_buffer_clone(0, buffer, offset, length, 0,
                                       iree_allocator_system(), &clone));
    EXPECT_STATUS(
        IREE_STATUS_OUT_OF_RANGE,
        iree_vm_buffer_read_elements(buffer, offset, &hash, length, 1));
    EXPECT_STATUS(
        IREE_STATUS_OUT_OF_RANGE,
        iree_vm_buffer_write_elements(&hash, buffer, offset, length, 1));
  }
  // The product of count and length overflows to something small.
  uint64_t value = 0;
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                iree_vm_buffer_fill_elements(
                    buffer, 0, (iree_host_size_t)1 << 61, 8, &value));
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                iree_vm_buffer_read_elements(buffer, 0, &value,
                                             (iree_host_size_t)1 << 62, 4));
  iree_vm_buffer_release(buffer);
  expect_nothing_alive();
}

CTEST(empty_ranges_at_the_end_are_inside) {
  iree_vm_buffer_t* buffer = make_buffer(4);
  bool equal = false;
  EXPECT_OK(iree_vm_buffer_copy_bytes(buffer, 4, buffer, 4, 0));
  EXPECT_OK(iree_vm_buffer_fill_bytes(buffer, 4, 0, 1));
  EXPECT_OK(iree_vm_buffer_compare_bytes(buffer, 4, buffer, 4, 0, &equal));
  EXPECT(equal);
  iree_vm_buffer_release(buffer);
  buffer = make_buffer(0);
  iree_const_byte_span_t span;
  EXPECT_OK(iree_vm_buffer_map_ro(buffer, 0, 0, 1, &span));
  EXPECT_EQ_I64(span.data_length, 0);
  iree_vm_buffer_release(buffer);
}

CTEST(a_read_only_buffer_is_never_written) {
  uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  iree_allocator_t none = {NULL, NULL};
  iree_vm_buffer_t constant;
  iree_vm_buffer_initialize(IREE_VM_BUFFER_ACCESS_ORIGIN_MODULE,
                            iree_make_byte_span(bytes, sizeof(bytes)), none,
                            &constant);
  iree_vm_buffer_t* other = make_buffer(8);
  iree_byte_span_t span;
  EXPECT_STATUS(IREE_STATUS_PERMISSION_DENIED,
                iree_vm_buffer_fill_bytes(&constant, 0, 1, 0));
  EXPECT_STATUS(IREE_STATUS_PERMISSION_DENIED,
                iree_vm_buffer_copy_bytes(other, 0, &constant, 0, 1));
  EXPECT_STATUS(IREE_STATUS_PERMISSION_DENIED,
                iree_vm_buffer_write_elements(bytes, &constant, 0, 1, 1));
  EXPECT_STATUS(IREE_STATUS_PERMISSION_DENIED,
                iree_vm_buffer_map_rw(&constant, 0, 8, 1, &span));
  EXPECT_OK(iree_vm_buffer_copy_bytes(&constant, 2, other, 1, 3));
  const uint8_t expected[8] = {0, 3, 4, 5, 0, 0, 0, 0};
  EXPECT_EQ_BYTES(iree_vm_buffer_data(other), expected, 8);
  iree_vm_buffer_release(other);
  iree_vm_buffer_deinitialize(&constant);
  expect_nothing_alive();
}

CTEST(elements_are_filled_and_copies_may_overlap) {
  iree_vm_buffer_t* buffer = make_buffer(11);
  const uint32_t word = 0x04030201;
  // At an offset that no uint32_t could have.
  EXPECT_OK(iree_vm_buffer_fill_elements(buffer, 1, 2, 4, &word));
  const uint8_t filled[11] = {0, 1, 2, 3, 4, 1, 2, 3, 4, 0, 0};
  EXPECT_EQ_BYTES(iree_vm_buffer_data(buffer), filled, 11);
  EXPECT_OK(iree_vm_buffer_copy_bytes(buffer, 1, buffer, 3, 8));
  const uint8_t moved[11] = {0, 1, 2, 1, 2, 3, 4, 1, 2, 3, 4};
  EXPECT_EQ_BYTES(iree_vm_buffer_data(buffer), moved, 11);
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_vm_buffer_fill_elements(buffer, 0, 1, 3, &word));
  iree_const_byte_span_t span;
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_vm_buffer_map_ro(buffer, 2, 4, 4, &span));
  uint16_t pair[2] = {0, 0};
  EXPECT_OK(iree_vm_buffer_read_elements(buffer, 7, pair, 2, 2));
  EXPECT_EQ_I64(pair[0], 0x0201);
  EXPECT_EQ_I64(pair[1], 0x0403);
  iree_vm_buffer_release(buffer);
}

CTEST(the_hash_is_siphash_2_4) {
  // The test vectors that the algorithm's authors publish: key 00 to 0f over
  // the bytes 00, 01, ... of the given length.
  iree_vm_buffer_t* buffer = make_buffer(16);
  for (int i = 0; i < 16; ++i) iree_vm_buffer_data(buffer)[i] = (uint8_t)i;
  int64_t hash = 0;
  EXPECT_OK(iree_vm_buffer_hash(buffer, 0, 0, &hash));
  EXPECT_EQ_I64(hash, (int64_t)UINT64_C(0x726fdb47dd0e0e31));
  EXPECT_OK(iree_vm_buffer_hash(buffer, 0, 1, &hash));
  EXPECT_EQ_I64(hash, (int64_t)UINT64_C(0x74f839c593dc67fd));
  EXPECT_OK(iree_vm_buffer_hash(buffer, 0, 8, &hash));
  EXPECT_EQ_I64(hash, (int64_t)UINT64_C(0x93f5f5799a932462));
  EXPECT_OK(iree_vm_buffer_hash(buffer, 0, 15, &hash));
  EXPECT_EQ_I64(hash, (int64_t)UINT64_C(0xa129ca6149be45e5));
  iree_vm_buffer_release(buffer);
}

CTEST(a_wrapped_buffer_frees_its_bytes) {
  iree_allocator_t allocator = iree_allocator_system();
  void* bytes = NULL;
  REQUIRE_OK(iree_allocator_malloc(allocator, 5, &bytes));
  memcpy(bytes, "hello", 5);
  iree_vm_buffer_t* buffer = NULL;
  REQUIRE_OK(iree_cy_vm_buffer_wrap(0, iree_make_byte_span(bytes, 5), allocator,
                                    /*storage_module=*/NULL, allocator,
                                    &buffer));
  EXPECT_EQ_SV(iree_vm_buffer_as_string(buffer), IREE_SV("hello"));
  iree_vm_buffer_t* clone = NULL;
  REQUIRE_OK(iree_vm_buffer_clone(IREE_VM_BUFFER_ACCESS_MUTABLE, buffer, 1, 3,
                                  0, allocator, &clone));
  iree_vm_buffer_release(buffer);
  EXPECT_EQ_SV(iree_vm_buffer_as_string(clone), IREE_SV("ell"));
  iree_vm_buffer_release(clone);
  expect_nothing_alive();
}

CTEST_MAIN()
