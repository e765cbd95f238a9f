// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the tests of the vmvx module's kernels, called one by one, right and
// wrong.

#include <math.h>

#include "tests/modules/vmvx_calls.h"

// Where elements lie in a buffer.
typedef struct place_t {
  int64_t offset;
  int64_t stride0;
  int64_t stride1;
} place_t;

static iree_status_t call_unary(fixture_t* f, const char* name, memory_t* in,
                                place_t in_place, memory_t* out,
                                place_t out_place, int64_t size0,
                                int64_t size1) {
  return call(f, name, "rIIIrIIIII", in, in_place.offset, in_place.stride0,
              in_place.stride1, out, out_place.offset, out_place.stride0,
              out_place.stride1, size0, size1);
}

static iree_status_t call_binary(fixture_t* f, const char* name, memory_t* lhs,
                                 place_t lhs_place, memory_t* rhs,
                                 place_t rhs_place, memory_t* out,
                                 place_t out_place, int64_t size0,
                                 int64_t size1) {
  return call(f, name, "rIIIrIIIrIIIII", lhs, lhs_place.offset,
              lhs_place.stride0, lhs_place.stride1, rhs, rhs_place.offset,
              rhs_place.stride0, rhs_place.stride1, out, out_place.offset,
              out_place.stride0, out_place.stride1, size0, size1);
}

// Over |count| elements side by side.
static iree_status_t run_unary(fixture_t* f, const char* name, void* in,
                               void* out, int64_t count) {
  const place_t dense = {0, count, 1};
  const iree_host_size_t length = (iree_host_size_t)count * 4;
  memory_t in_memory, out_memory;
  memory_initialize(false, in, length, &in_memory);
  memory_initialize(true, out, length, &out_memory);
  iree_status_t status =
      call_unary(f, name, &in_memory, dense, &out_memory, dense, 1, count);
  memory_destroy(&out_memory);
  memory_destroy(&in_memory);
  return status;
}

static iree_status_t run_binary(fixture_t* f, const char* name, void* lhs,
                                void* rhs, void* out, int64_t count) {
  const place_t dense = {0, count, 1};
  const iree_host_size_t length = (iree_host_size_t)count * 4;
  memory_t lhs_memory, rhs_memory, out_memory;
  memory_initialize(false, lhs, length, &lhs_memory);
  memory_initialize(false, rhs, length, &rhs_memory);
  memory_initialize(true, out, length, &out_memory);
  iree_status_t status = call_binary(f, name, &lhs_memory, dense, &rhs_memory,
                                     dense, &out_memory, dense, 1, count);
  memory_destroy(&out_memory);
  memory_destroy(&rhs_memory);
  memory_destroy(&lhs_memory);
  return status;
}

//===----------------------------------------------------------------------===//
// What kernels compute
//===----------------------------------------------------------------------===//

CTEST(float_unary) {
  WITH_FIXTURE(f);
  float in[] = {0.25f, 1.0f, 2.5f, 9.0f, 100.0f};
  float out[5];
  REQUIRE_OK(run_unary(f, "exp.2d.f32", in, out, 5));
  for (int i = 0; i < 5; ++i) {
    EXPECT(fabs(out[i] / exp((double)in[i]) - 1) < 1e-6 || isinf(out[i]));
  }
  REQUIRE_OK(run_unary(f, "log.2d.f32", in, out, 5));
  for (int i = 0; i < 5; ++i) EXPECT(fabs(out[i] - log((double)in[i])) < 1e-6);
  REQUIRE_OK(run_unary(f, "rsqrt.2d.f32", in, out, 5));
  EXPECT_EQ_F64(out[0], 2.0);
  EXPECT_EQ_F64(out[1], 1.0);
  EXPECT(fabsf(out[4] - 0.1f) < 1e-7f);
  float signs[] = {-1.5f, 1.5f, -0.0f, -2.0f};
  float results[4];
  REQUIRE_OK(run_unary(f, "abs.2d.f32", signs, results, 4));
  EXPECT_EQ_F64(results[0], 1.5);
  EXPECT_EQ_F64(results[3], 2.0);
  REQUIRE_OK(run_unary(f, "neg.2d.f32", signs, results, 4));
  EXPECT_EQ_F64(results[0], 1.5);
  EXPECT_EQ_F64(results[1], -1.5);
  REQUIRE_OK(run_unary(f, "ceil.2d.f32", signs, results, 4));
  EXPECT_EQ_F64(results[0], -1.0);
  EXPECT_EQ_F64(results[1], 2.0);
  REQUIRE_OK(run_unary(f, "floor.2d.f32", signs, results, 4));
  EXPECT_EQ_F64(results[0], -2.0);
  EXPECT_EQ_F64(results[1], 1.0);
}

CTEST(leading_zeros) {
  WITH_FIXTURE(f);
  uint32_t in[] = {0, 1, 0x00800000u, 0xFFFFFFFFu};
  uint32_t out[4];
  REQUIRE_OK(run_unary(f, "ctlz.2d.i32", in, out, 4));
  EXPECT_EQ_I64(out[0], 32);
  EXPECT_EQ_I64(out[1], 31);
  EXPECT_EQ_I64(out[2], 8);
  EXPECT_EQ_I64(out[3], 0);
}

CTEST(float_binary) {
  WITH_FIXTURE(f);
  float lhs[] = {1.0f, -8.0f, 3.0f};
  float rhs[] = {0.5f, 2.0f, 0.0f};
  float out[3];
  REQUIRE_OK(run_binary(f, "add.2d.f32", lhs, rhs, out, 3));
  EXPECT_EQ_F64(out[0], 1.5);
  EXPECT_EQ_F64(out[1], -6.0);
  REQUIRE_OK(run_binary(f, "sub.2d.f32", lhs, rhs, out, 3));
  EXPECT_EQ_F64(out[0], 0.5);
  EXPECT_EQ_F64(out[1], -10.0);
  REQUIRE_OK(run_binary(f, "mul.2d.f32", lhs, rhs, out, 3));
  EXPECT_EQ_F64(out[1], -16.0);
  REQUIRE_OK(run_binary(f, "div.2d.f32", lhs, rhs, out, 3));
  EXPECT_EQ_F64(out[1], -4.0);
  EXPECT(isinf(out[2]));
}

// What C leaves undefined is defined: integers wrap, shifts count modulo 32.
CTEST(integer_binary) {
  WITH_FIXTURE(f);
  int32_t lhs[] = {INT32_MAX, INT32_MIN, -7, 12};
  int32_t rhs[] = {1, -1, 33, 10};
  struct {
    const char* name;
    int32_t expected[4];
  } cases[] = {
      {"add.2d.i32", {INT32_MIN, INT32_MAX, 26, 22}},
      {"sub.2d.i32", {INT32_MAX - 1, INT32_MIN + 1, -40, 2}},
      {"mul.2d.i32", {INT32_MAX, INT32_MIN, -231, 120}},
      {"and.2d.i32", {1, INT32_MIN, 33, 8}},
      {"or.2d.i32", {INT32_MAX, -1, -7, 14}},
      {"xor.2d.i32", {INT32_MAX - 1, INT32_MAX, -40, 6}},
      {"divs.2d.i32", {INT32_MAX, INT32_MIN, 0, 1}},
      {"divu.2d.i32", {INT32_MAX, 0, 130150523, 1}},
      {"shl.2d.i32", {-2, 0, -14, 12288}},
      {"shrs.2d.i32", {INT32_MAX / 2, -1, -4, 0}},
      {"shru.2d.i32", {INT32_MAX / 2, 1, 2147483644, 0}},
  };
  for (size_t i = 0; i < IREE_ARRAYSIZE(cases); ++i) {
    int32_t out[4] = {0};
    REQUIRE_OK(run_binary(f, cases[i].name, lhs, rhs, out, 4));
    for (int j = 0; j < 4; ++j) EXPECT_EQ_I64(out[j], cases[i].expected[j]);
  }
}

CTEST(division_by_zero_is_an_error) {
  WITH_FIXTURE(f);
  int32_t lhs[] = {1, 2};
  int32_t rhs[] = {1, 0};
  int32_t out[2];
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                run_binary(f, "divs.2d.i32", lhs, rhs, out, 2));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                run_binary(f, "divu.2d.i32", lhs, rhs, out, 2));
}

// A 2 x 3 part of a matrix, transposed on its way.
CTEST(strides_and_offsets) {
  WITH_FIXTURE(f);
  uint32_t in[12];
  for (uint32_t i = 0; i < 12; ++i) in[i] = i;
  uint32_t out[7] = {99, 0, 0, 0, 0, 0, 0};
  memory_t in_memory, out_memory;
  memory_initialize(false, in, sizeof(in), &in_memory);
  memory_initialize(true, out, sizeof(out), &out_memory);
  // Element (i, j) at 5 + 4 i + j, to 1 + i + 2 j.
  EXPECT_OK(call_unary(f, "copy.2d.x32", &in_memory, (place_t){5, 4, 1},
                       &out_memory, (place_t){1, 1, 2}, 2, 3));
  memory_destroy(&out_memory);
  memory_destroy(&in_memory);
  const uint32_t expected[7] = {99, 5, 9, 6, 10, 7, 11};
  EXPECT_EQ_BYTES(out, expected, sizeof(expected));
}

CTEST(stride_of_zero_repeats) {
  WITH_FIXTURE(f);
  float one = 2.0f;
  float many[6] = {1, 2, 3, 4, 5, 6};
  float out[6] = {0};
  memory_t one_memory, many_memory, out_memory;
  memory_initialize(false, &one, sizeof(one), &one_memory);
  memory_initialize(false, many, sizeof(many), &many_memory);
  memory_initialize(true, out, sizeof(out), &out_memory);
  EXPECT_OK(call_binary(f, "mul.2d.f32", &one_memory, (place_t){0, 0, 0},
                        &many_memory, (place_t){0, 3, 1}, &out_memory,
                        (place_t){0, 3, 1}, 2, 3));
  // A column: lines of one element.
  EXPECT_OK(call_binary(f, "add.2d.f32", &one_memory, (place_t){0, 0, 0},
                        &out_memory, (place_t){1, 3, 1}, &out_memory,
                        (place_t){1, 3, 1}, 2, 1));
  memory_destroy(&out_memory);
  memory_destroy(&many_memory);
  memory_destroy(&one_memory);
  const float expected[6] = {2, 6, 6, 8, 12, 12};
  EXPECT_EQ_BYTES(out, expected, sizeof(expected));
}

CTEST(copies_of_every_width) {
  WITH_FIXTURE(f);
  const struct {
    const char* name;
    int64_t size;
  } widths[] = {{"copy.2d.x8", 1},
                {"copy.2d.x16", 2},
                {"copy.2d.x32", 4},
                {"copy.2d.x64", 8}};
  for (size_t w = 0; w < IREE_ARRAYSIZE(widths); ++w) {
    const int64_t size = widths[w].size;
    uint8_t in[6 * 8], out[6 * 8], expected[6 * 8];
    for (int i = 0; i < 48; ++i) in[i] = (uint8_t)(i + 1);
    memset(out, 0, sizeof(out));
    memset(expected, 0, sizeof(expected));
    // Every other of 3 elements, once dense and once with a stride.
    for (int i = 0; i < 3; ++i) {
      memcpy(expected + i * size, in + 2 * i * size, (size_t)size);
    }
    memory_t in_memory, out_memory;
    memory_initialize(false, in, 6 * (iree_host_size_t)size, &in_memory);
    memory_initialize(true, out, 6 * (iree_host_size_t)size, &out_memory);
    EXPECT_OK(call_unary(f, widths[w].name, &in_memory, (place_t){0, 6, 2},
                         &out_memory, (place_t){0, 3, 1}, 1, 3));
    memory_destroy(&out_memory);
    EXPECT_EQ_BYTES(out, expected, (size_t)(6 * size));
    memory_initialize(true, out, 6 * (iree_host_size_t)size, &out_memory);
    EXPECT_OK(call_unary(f, widths[w].name, &in_memory, (place_t){0, 3, 1},
                         &out_memory, (place_t){0, 3, 1}, 2, 3));
    memory_destroy(&out_memory);
    memory_destroy(&in_memory);
    EXPECT_EQ_BYTES(out, in, (size_t)(6 * size));
  }
}

CTEST(fill) {
  WITH_FIXTURE(f);
  int32_t out[8] = {0};
  memory_t memory;
  memory_initialize(true, out, sizeof(out), &memory);
  EXPECT_OK(
      call(f, "fill.2d.x32", "irIIII", -5, &memory, I(1), I(4), I(2), I(3)));
  EXPECT_STATUS(
      IREE_STATUS_OUT_OF_RANGE,
      call(f, "fill.2d.x32", "irIIII", 1, &memory, I(1), I(5), I(2), I(3)));
  EXPECT_OK(
      call(f, "fill.2d.x32", "irIIII", 1, &memory, I(1000), I(5), I(0), I(3)));
  memory_destroy(&memory);
  const int32_t expected[8] = {0, -5, -5, -5, 0, -5, -5, -5};
  EXPECT_EQ_BYTES(out, expected, sizeof(expected));
}

// Elements may lie at any address.
CTEST(unaligned_buffers) {
  WITH_FIXTURE(f);
  uint8_t* block = malloc(4 * 4 + 1);
  float ones[4] = {1, 1, 1, 1};
  memcpy(block + 1, ones, sizeof(ones));
  memory_t memory;
  memory_initialize(true, block, 17, &memory);
  uint8_t* data = memory.buffer.data.data;
  memory.buffer.data = iree_make_byte_span(data + 1, 16);
  EXPECT_OK(call_binary(f, "add.2d.f32", &memory, (place_t){0, 4, 1}, &memory,
                        (place_t){0, 4, 1}, &memory, (place_t){0, 4, 1}, 1, 4));
  memory.buffer.data = iree_make_byte_span(data, 17);
  memory_destroy(&memory);
  float out[4];
  memcpy(out, block + 1, sizeof(out));
  for (int i = 0; i < 4; ++i) EXPECT_EQ_F64(out[i], 2.0);
  free(block);
}

//===----------------------------------------------------------------------===//
// What a program may not do
//===----------------------------------------------------------------------===//

CTEST(outside_the_buffer) {
  WITH_FIXTURE(f);
  const int64_t big = INT64_MAX;
  const struct {
    place_t place;
    int64_t size0;
    int64_t size1;
    iree_status_code_t code;
  } cases[] = {
      // One element too many; then exactly enough.
      {{0, 0, 1}, 1, 9, IREE_STATUS_OUT_OF_RANGE},
      {{1, 0, 1}, 1, 8, IREE_STATUS_OUT_OF_RANGE},
      {{0, 5, 1}, 2, 4, IREE_STATUS_OUT_OF_RANGE},
      {{0, 4, 1}, 2, 4, IREE_STATUS_OK},
      {{8, 0, 1}, 1, 1, IREE_STATUS_OUT_OF_RANGE},
      {{7, 0, 1}, 1, 1, IREE_STATUS_OK},
      // Products and sums beyond 64 bits.
      {{0, big, 1}, 3, 1, IREE_STATUS_OUT_OF_RANGE},
      {{0, 1, big}, 2, 2, IREE_STATUS_OUT_OF_RANGE},
      {{0, INT64_C(1) << 62, 1}, 5, 1, IREE_STATUS_OUT_OF_RANGE},
      {{0, INT64_C(1) << 32, 1},
       (INT64_C(1) << 32) + 1,
       1,
       IREE_STATUS_OUT_OF_RANGE},
      {{big, 0, 0}, 1, 1, IREE_STATUS_OUT_OF_RANGE},
      {{big / 4, 0, 0}, 1, 1, IREE_STATUS_OUT_OF_RANGE},
      {{INT64_C(1) << 62, 0, 0}, 1, 1, IREE_STATUS_OUT_OF_RANGE},
      {{0, 1, 1}, big, big, IREE_STATUS_OUT_OF_RANGE},
      // Below the start.
      {{-1, 0, 1}, 1, 1, IREE_STATUS_INVALID_ARGUMENT},
      {{4, -1, 1}, 2, 1, IREE_STATUS_INVALID_ARGUMENT},
      {{4, 0, -1}, 1, 2, IREE_STATUS_INVALID_ARGUMENT},
      {{0, 0, 1}, -1, 1, IREE_STATUS_INVALID_ARGUMENT},
      {{0, 0, 1}, 1, INT64_MIN, IREE_STATUS_INVALID_ARGUMENT},
      // Nothing at all, wherever it may be.
      {{big, big, big}, 0, 5, IREE_STATUS_OK},
      {{big, big, big}, 5, 0, IREE_STATUS_OK},
  };
  float small[8] = {0};
  float large[64] = {0};
  for (size_t i = 0; i < IREE_ARRAYSIZE(cases); ++i) {
    memory_t small_memory, large_memory;
    memory_initialize(true, small, sizeof(small), &small_memory);
    memory_initialize(true, large, sizeof(large), &large_memory);
    const place_t fits = {0, 0, 0};
    const place_t place = cases[i].place;
    const int64_t size0 = cases[i].size0, size1 = cases[i].size1;
    // As what is read and as what is written.
    EXPECT_STATUS(cases[i].code,
                  call_unary(f, "abs.2d.f32", &small_memory, place,
                             &large_memory, fits, size0, size1));
    EXPECT_STATUS(cases[i].code,
                  call_unary(f, "abs.2d.f32", &large_memory, fits,
                             &small_memory, place, size0, size1));
    EXPECT_STATUS(
        cases[i].code,
        call_binary(f, "add.2d.i32", &large_memory, fits, &small_memory, place,
                    &large_memory, fits, size0, size1));
    EXPECT_STATUS(cases[i].code,
                  call_unary(f, "copy.2d.x32", &small_memory, place,
                             &large_memory, fits, size0, size1));
    memory_destroy(&large_memory);
    memory_destroy(&small_memory);
  }
}

CTEST(writing_to_what_is_read_only) {
  WITH_FIXTURE(f);
  float array[4] = {1, 2, 3, 4};
  memory_t fixed;
  memory_initialize(false, array, sizeof(array), &fixed);
  const place_t dense = {0, 4, 1};
  EXPECT_STATUS(
      IREE_STATUS_PERMISSION_DENIED,
      call_unary(f, "neg.2d.f32", &fixed, dense, &fixed, dense, 1, 4));
  EXPECT_STATUS(
      IREE_STATUS_PERMISSION_DENIED,
      call_unary(f, "copy.2d.x8", &fixed, dense, &fixed, dense, 1, 4));
  EXPECT_STATUS(IREE_STATUS_PERMISSION_DENIED,
                call_binary(f, "add.2d.f32", &fixed, dense, &fixed, dense,
                            &fixed, dense, 1, 4));
  EXPECT_STATUS(
      IREE_STATUS_PERMISSION_DENIED,
      call(f, "fill.2d.x32", "irIIII", 0, &fixed, I(0), I(4), I(1), I(4)));
  EXPECT_STATUS(
      IREE_STATUS_PERMISSION_DENIED,
      call(f, "mmt4d", "rIIrIIrIIIIIiiii", &fixed, I(0), I(1), &fixed, I(0),
           I(1), &fixed, I(0), I(1), I(1), I(1), I(1), 1, 1, 1, 0x01));
  EXPECT_STATUS(
      IREE_STATUS_PERMISSION_DENIED,
      call(f, "pack", "rIIIrIIIIIIIIIIi", &fixed, I(0), I(2), I(1), &fixed,
           I(0), I(2), I(2), I(1), I(2), I(1), I(1), I(1), I(2), I(0), 0x01));
  EXPECT_STATUS(
      IREE_STATUS_PERMISSION_DENIED,
      call(f, "unpack", "rIIIrIIIIIIIIIi", &fixed, I(0), I(2), I(2), &fixed,
           I(0), I(2), I(1), I(1), I(1), I(1), I(2), I(1), I(2), 0x01));
  memory_destroy(&fixed);
  const float expected[4] = {1, 2, 3, 4};
  EXPECT_EQ_BYTES(array, expected, sizeof(array));
}

CTEST(null_buffers) {
  WITH_FIXTURE(f);
  const place_t dense = {0, 1, 1};
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                call_unary(f, "neg.2d.f32", NULL, dense, NULL, dense, 1, 1));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                call_unary(f, "neg.2d.f32", NULL, dense, NULL, dense, 0, 0));
}

// One float, without end: 2^40 times 2^20 of it.
CTEST(work_is_limited) {
  WITH_FIXTURE_LIMITED(f, 100000);
  float one = 1.0f;
  memory_t memory;
  memory_initialize(true, &one, sizeof(one), &memory);
  const place_t same = {0, 0, 0};
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                call_unary(f, "neg.2d.f32", &memory, same, &memory, same,
                           INT64_C(1) << 40, INT64_C(1) << 20));
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                call_unary(f, "neg.2d.f32", &memory, same, &memory, same, 1,
                           INT64_C(1) << 60));
  // Lines of tiles of one element.
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                call(f, "mmt4d", "rIIrIIrIIIIIiiii", &memory, I(0), I(0),
                     &memory, I(0), I(0), &memory, I(0), I(0), INT64_C(1) << 60,
                     I(1), I(1), 1, 1, 1, 0x01));
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                call(f, "pack", "rIIIrIIIIIIIIIIi", &memory, I(0), I(0), I(0),
                     &memory, I(0), I(0), I(0), I(1), I(1), INT64_C(1) << 30,
                     INT64_C(1) << 30, I(1), I(1), I(0), 0x01));
  memory_destroy(&memory);
}

static iree_status_t refuse(void* user_data) {
  ++*(int*)user_data;
  return iree_make_status(IREE_STATUS_CANCELLED, "enough");
}

CTEST(work_is_interrupted) {
  WITH_FIXTURE(f);
  int asked = 0;
  f->options.interrupt = refuse;
  f->options.interrupt_user_data = &asked;
  float one = 1.0f;
  memory_t memory;
  memory_initialize(true, &one, sizeof(one), &memory);
  const place_t same = {0, 0, 0};
  EXPECT_STATUS(IREE_STATUS_CANCELLED,
                call_unary(f, "neg.2d.f32", &memory, same, &memory, same,
                           INT64_C(1) << 40, INT64_C(1) << 20));
  EXPECT_EQ_I64(asked, 1);
  memory_destroy(&memory);
}

CTEST_MAIN()
