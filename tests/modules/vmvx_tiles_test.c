// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the tests of the vmvx module's kernels that work on tiles.

#include "tests/modules/vmvx_calls.h"

enum {
  TRANSPOSE_INNER = 0x100,
  TRANSPOSE_OUTER = 0x200,
  PACK_F32 = 0x01,
  PACK_I8 = 0x02,
};

// Where element (i, j) of a matrix is among tiles, by arithmetic.
static int64_t tiled_index(int64_t i, int64_t j, int64_t tile0, int64_t tile1,
                           int64_t outer0, int64_t outer1, int flags) {
  const int64_t o0 = i / tile0, o1 = j / tile1;
  const int64_t t0 = i % tile0, t1 = j % tile1;
  const int64_t outer =
      (flags & TRANSPOSE_OUTER) ? o1 * outer0 + o0 : o0 * outer1 + o1;
  const int64_t inner =
      (flags & TRANSPOSE_INNER) ? t1 * tile0 + t0 : t0 * tile1 + t1;
  return outer * tile0 * tile1 + inner;
}

// 5 x 7 in tiles of 2 x 3: 3 x 3 of them, the last ones with padding.
static iree_status_t pack_and_unpack(fixture_t* f, int flags, float* packed,
                                     float* unpacked) {
  const int64_t outer0 = 3, outer1 = 3, tile0 = 2, tile1 = 3;
  float in[5 * 7];
  for (int i = 0; i < 35; ++i) in[i] = (float)(i + 1);
  const bool swaps_tile = flags & TRANSPOSE_INNER;
  const int64_t size2 = swaps_tile ? tile1 : tile0;
  const int64_t size3 = swaps_tile ? tile0 : tile1;
  const float padding = -1.0f;
  uint32_t padding_bits = 0;
  memcpy(&padding_bits, &padding, sizeof(padding_bits));
  memory_t in_memory, packed_memory, unpacked_memory;
  memory_initialize(false, in, sizeof(in), &in_memory);
  memory_initialize(true, packed, 54 * sizeof(float), &packed_memory);
  memory_initialize(true, unpacked, 35 * sizeof(float), &unpacked_memory);
  iree_status_t status =
      call(f, "pack", "rIIIrIIIIIIIIIIi", &in_memory, I(0), I(7), I(1),
           &packed_memory, I(0), I(18), I(6), I(5), I(7), outer0, outer1, size2,
           size3, I(padding_bits), PACK_F32 | flags);
  if (iree_status_is_ok(status)) {
    status = call(f, "unpack", "rIIIrIIIIIIIIIi", &packed_memory, I(0), I(18),
                  I(6), &unpacked_memory, I(0), I(7), I(1), outer0, outer1,
                  size2, size3, I(5), I(7), PACK_F32 | flags);
  }
  memory_destroy(&unpacked_memory);
  memory_destroy(&packed_memory);
  memory_destroy(&in_memory);
  return status;
}

CTEST(pack_and_unpack_every_way) {
  WITH_FIXTURE(f);
  for (int flags = 0; flags <= 0x300; flags += 0x100) {
    float packed[54], unpacked[35], expected[54];
    memset(packed, 0, sizeof(packed));
    memset(unpacked, 0, sizeof(unpacked));
    REQUIRE_OK(pack_and_unpack(f, flags, packed, unpacked));
    for (int i = 0; i < 54; ++i) expected[i] = -1.0f;
    for (int i = 0; i < 5; ++i) {
      for (int j = 0; j < 7; ++j) {
        expected[tiled_index(i, j, 2, 3, 3, 3, flags)] = (float)(i * 7 + j + 1);
      }
    }
    EXPECT_EQ_BYTES(packed, expected, sizeof(packed));
    for (int i = 0; i < 35; ++i) EXPECT_EQ_F64(unpacked[i], i + 1);
  }
}

CTEST(pack_bytes_with_padding) {
  WITH_FIXTURE(f);
  int8_t in[3] = {1, 2, 3};
  int8_t out[8] = {0};
  memory_t in_memory, out_memory;
  memory_initialize(false, in, sizeof(in), &in_memory);
  memory_initialize(true, out, sizeof(out), &out_memory);
  // 1 x 3 in two tiles of 2 x 2.
  EXPECT_OK(call(f, "pack", "rIIIrIIIIIIIIIIi", &in_memory, I(0), I(3), I(1),
                 &out_memory, I(0), I(8), I(4), I(1), I(3), I(1), I(2), I(2),
                 I(2), I(-7), PACK_I8));
  memory_destroy(&out_memory);
  memory_destroy(&in_memory);
  const int8_t expected[8] = {1, 2, -7, -7, 3, -7, -7, -7};
  EXPECT_EQ_BYTES(out, expected, sizeof(out));
}

CTEST(tiles_that_do_not_fit) {
  WITH_FIXTURE(f);
  float array[16] = {0};
  memory_t a, b;
  memory_initialize(true, array, sizeof(array), &a);
  memory_initialize(true, array, sizeof(array), &b);
  const int64_t big = INT64_MAX;
  const struct {
    int64_t in0, in1, out0, out1, tile0, tile1, stride0, stride1;
    iree_status_code_t code;
  } cases[] = {
      {4, 4, 2, 2, 2, 2, 8, 4, IREE_STATUS_OK},
      {4, 4, 2, 2, 2, 2, 9, 4, IREE_STATUS_OUT_OF_RANGE},
      {4, 5, 2, 3, 2, 2, 8, 4, IREE_STATUS_OUT_OF_RANGE},
      // Does not cover; sizes that are negative or too large.
      {5, 4, 2, 2, 2, 2, 8, 4, IREE_STATUS_INVALID_ARGUMENT},
      {4, 4, 2, 2, 2, -2, 8, 4, IREE_STATUS_INVALID_ARGUMENT},
      {4, 4, -2, 2, -2, 2, 8, 4, IREE_STATUS_INVALID_ARGUMENT},
      {4, 4, big, 2, 2, 2, 8, 4, IREE_STATUS_OUT_OF_RANGE},
      {4, 4, 2, 2, big, 2, 8, 4, IREE_STATUS_OUT_OF_RANGE},
      {4, 4, 2, 2, big / 4, big / 4, 8, 4, IREE_STATUS_OUT_OF_RANGE},
      {0, 0, 0, big, 2, 0, 8, 4, IREE_STATUS_OK},
  };
  for (size_t i = 0; i < IREE_ARRAYSIZE(cases); ++i) {
    EXPECT_STATUS(cases[i].code,
                  call(f, "pack", "rIIIrIIIIIIIIIIi", &a, I(0), I(4), I(1), &b,
                       I(0), cases[i].stride0, cases[i].stride1, cases[i].in0,
                       cases[i].in1, cases[i].out0, cases[i].out1,
                       cases[i].tile0, cases[i].tile1, I(0), PACK_F32));
    EXPECT_STATUS(cases[i].code,
                  call(f, "unpack", "rIIIrIIIIIIIIIi", &a, I(0),
                       cases[i].stride0, cases[i].stride1, &b, I(0), I(4), I(1),
                       cases[i].out0, cases[i].out1, cases[i].tile0,
                       cases[i].tile1, cases[i].in0, cases[i].in1, PACK_F32));
  }
  memory_destroy(&b);
  memory_destroy(&a);
}

CTEST(element_types_that_are_not_there) {
  WITH_FIXTURE(f);
  float array[16] = {0};
  memory_t a;
  memory_initialize(true, array, sizeof(array), &a);
  EXPECT_STATUS(IREE_STATUS_UNIMPLEMENTED,
                call(f, "mmt4d", "rIIrIIrIIIIIiiii", &a, I(0), I(1), &a, I(0),
                     I(1), &a, I(0), I(1), I(1), I(1), I(1), 1, 1, 1, 0x03));
  EXPECT_STATUS(IREE_STATUS_UNIMPLEMENTED,
                call(f, "mmt4d", "rIIrIIrIIIIIiiii", &a, I(0), I(1), &a, I(0),
                     I(1), &a, I(0), I(1), I(1), I(1), I(1), 1, 1, 1, 0x1001));
  EXPECT_STATUS(
      IREE_STATUS_UNIMPLEMENTED,
      call(f, "pack", "rIIIrIIIIIIIIIIi", &a, I(0), I(4), I(1), &a, I(0), I(8),
           I(4), I(4), I(4), I(2), I(2), I(2), I(2), I(0), 0x06));
  int64_t sizes[2];
  EXPECT_STATUS(
      IREE_STATUS_UNIMPLEMENTED,
      call_2(f, "query_tile_sizes.2d", sizes, "IIi", I(4), I(4), 0x0301));
  EXPECT_STATUS(
      IREE_STATUS_UNIMPLEMENTED,
      call_2(f, "query_tile_sizes.2d", sizes, "IIi", I(4), I(4), 0x0104));
  memory_destroy(&a);
}

// Operands of one product agree about its tiles.
CTEST(tile_sizes_agree) {
  WITH_FIXTURE(f);
  for (int operation = 0x100; operation <= 0x200; operation += 0x100) {
    int64_t lhs[2], rhs[2], result[2];
    REQUIRE_OK(call_2(f, "query_tile_sizes.2d", lhs, "IIi", I(9), INT64_MIN,
                      operation | 1));
    REQUIRE_OK(call_2(f, "query_tile_sizes.2d", rhs, "IIi", I(9), I(9),
                      operation | 2));
    REQUIRE_OK(call_2(f, "query_tile_sizes.2d", result, "IIi", I(9), I(9),
                      operation | 3));
    EXPECT(lhs[0] > 0 && lhs[1] > 0 && rhs[0] > 0);
    EXPECT_EQ_I64(lhs[1], rhs[1]);
    EXPECT_EQ_I64(result[0], lhs[0]);
    EXPECT_EQ_I64(result[1], rhs[0]);
  }
}

// m, n, k; then of a tile.
typedef struct shape_t {
  int m, n, k, m0, n0, k0;
} shape_t;

// The sum that out[i][j][i0][j0] is, of small integers in lhs and rhs.
static int64_t product_at(const shape_t* s, const int8_t* lhs,
                          const int8_t* rhs, int i, int j, int i0, int j0) {
  int64_t sum = 0;
  for (int k = 0; k < s->k; ++k) {
    for (int k0 = 0; k0 < s->k0; ++k0) {
      sum += lhs[((i * s->k + k) * s->m0 + i0) * s->k0 + k0] *
             rhs[((j * s->k + k) * s->n0 + j0) * s->k0 + k0];
    }
  }
  return sum;
}

// As elements of |size| bytes, floats when it is 4.
static void* widen(const int8_t* values, size_t count, size_t size) {
  uint8_t* result = malloc(count * size + 1);
  for (size_t i = 0; i < count; ++i) {
    const int16_t i16 = values[i];
    const float f32 = values[i];
    memcpy(result + i * size,
           size == 4 ? (const void*)&f32
                     : (size == 2 ? (const void*)&i16 : &values[i]),
           size);
  }
  return result;
}

static void check_product(fixture_t* f, const shape_t* s, int type,
                          size_t lhs_size, size_t rhs_size, bool accumulate) {
  const size_t lhs_count = (size_t)(s->m * s->k * s->m0 * s->k0);
  const size_t rhs_count = (size_t)(s->n * s->k * s->n0 * s->k0);
  const size_t out_count = (size_t)(s->m * s->n * s->m0 * s->n0);
  int8_t* lhs = malloc(lhs_count + 1);
  int8_t* rhs = malloc(rhs_count + 1);
  for (size_t i = 0; i < lhs_count; ++i) lhs[i] = (int8_t)(i * 7 % 23 - 11);
  for (size_t i = 0; i < rhs_count; ++i) rhs[i] = (int8_t)(i * 5 % 19 - 9);
  void* lhs_data = widen(lhs, lhs_count, lhs_size);
  void* rhs_data = widen(rhs, rhs_count, rhs_size);
  uint8_t* out = malloc(out_count * 4 + 1);
  for (size_t i = 0; i < out_count; ++i) {
    const int32_t i32 = 100;
    const float f32 = 100;
    memcpy(out + i * 4, lhs_size == 4 ? (const void*)&f32 : &i32, 4);
  }
  memory_t lhs_memory, rhs_memory, out_memory;
  memory_initialize(false, lhs_data, lhs_count * lhs_size, &lhs_memory);
  memory_initialize(false, rhs_data, rhs_count * rhs_size, &rhs_memory);
  memory_initialize(true, out, out_count * 4, &out_memory);
  EXPECT_OK(call(f, "mmt4d", "rIIrIIrIIIIIiiii", &lhs_memory, I(0),
                 I(s->k * s->m0 * s->k0), &rhs_memory, I(0),
                 I(s->k * s->n0 * s->k0), &out_memory, I(0),
                 I(s->n * s->m0 * s->n0), I(s->m), I(s->n), I(s->k), s->m0,
                 s->n0, s->k0, type | 0x200 | (accumulate ? 0x100 : 0)));
  memory_destroy(&out_memory);
  memory_destroy(&rhs_memory);
  memory_destroy(&lhs_memory);
  const uint8_t* cursor = out;
  for (int i = 0; i < s->m; ++i) {
    for (int j = 0; j < s->n; ++j) {
      for (int i0 = 0; i0 < s->m0; ++i0) {
        for (int j0 = 0; j0 < s->n0; ++j0, cursor += 4) {
          float f32;
          int32_t i32;
          memcpy(&f32, cursor, 4);
          memcpy(&i32, cursor, 4);
          EXPECT_EQ_F64(
              lhs_size == 4 ? (double)f32 : (double)i32,
              product_at(s, lhs, rhs, i, j, i0, j0) + (accumulate ? 100 : 0));
        }
      }
    }
  }
  free(out);
  free(rhs_data);
  free(lhs_data);
  free(rhs);
  free(lhs);
}

CTEST(products_of_every_type) {
  WITH_FIXTURE(f);
  const shape_t shapes[] = {
      {1, 1, 1, 1, 1, 1}, {2, 3, 4, 8, 8, 1},  {2, 3, 4, 8, 8, 4},
      {3, 2, 5, 1, 3, 2}, {1, 2, 2, 2, 70, 3}, {2, 2, 0, 2, 2, 2},
  };
  for (size_t i = 0; i < IREE_ARRAYSIZE(shapes); ++i) {
    for (int accumulate = 0; accumulate < 2; ++accumulate) {
      check_product(f, &shapes[i], 0x01, 4, 4, accumulate);
      check_product(f, &shapes[i], 0x02, 1, 1, accumulate);
      check_product(f, &shapes[i], 0x07, 2, 2, accumulate);
      check_product(f, &shapes[i], 0x09, 2, 1, accumulate);
    }
  }
}

CTEST(products_outside_their_buffers) {
  WITH_FIXTURE(f);
  float array[16] = {0};
  memory_t a, b;
  memory_initialize(true, array, sizeof(array), &a);
  memory_initialize(true, array, sizeof(array), &b);
  const int64_t big = INT64_MAX;
  const struct {
    int64_t m, n, k, offset, stride;
    int m0, n0, k0;
    iree_status_code_t code;
  } cases[] = {
      {2, 2, 2, 0, 8, 2, 2, 2, IREE_STATUS_OK},
      {2, 2, 2, 1, 8, 2, 2, 2, IREE_STATUS_OUT_OF_RANGE},
      {2, 2, 2, 0, 9, 2, 2, 2, IREE_STATUS_OUT_OF_RANGE},
      {2, 2, 3, 0, 8, 2, 2, 2, IREE_STATUS_OUT_OF_RANGE},
      {2, 2, 2, 0, 8, 3, 2, 2, IREE_STATUS_OUT_OF_RANGE},
      {2, 2, 2, 0, 8, 2, 3, 2, IREE_STATUS_OUT_OF_RANGE},
      {2, 2, 2, 0, 8, 2, 2, 3, IREE_STATUS_OUT_OF_RANGE},
      {big, 2, 2, 0, 8, 2, 2, 2, IREE_STATUS_OUT_OF_RANGE},
      {2, 2, big, 0, 8, 2, 2, 2, IREE_STATUS_OUT_OF_RANGE},
      {2, big, 2, 0, 8, 2, 2, 2, IREE_STATUS_OUT_OF_RANGE},
      {2, 2, 2, 0, 8, INT32_MAX, INT32_MAX, INT32_MAX,
       IREE_STATUS_OUT_OF_RANGE},
      {2, 2, -2, 0, 8, 2, 2, 2, IREE_STATUS_INVALID_ARGUMENT},
      {2, 2, -2, 0, 8, -2, 2, 2, IREE_STATUS_INVALID_ARGUMENT},
      {2, 2, 2, 0, 8, 2, 2, -2, IREE_STATUS_INVALID_ARGUMENT},
      {2, 2, 2, 0, -8, 2, 2, 2, IREE_STATUS_INVALID_ARGUMENT},
      {2, 2, 2, -1, 8, 2, 2, 2, IREE_STATUS_INVALID_ARGUMENT},
      {0, 2, 2, 0, 8, 2, 2, 2, IREE_STATUS_OK},
  };
  for (size_t i = 0; i < IREE_ARRAYSIZE(cases); ++i) {
    EXPECT_STATUS(
        cases[i].code,
        call(f, "mmt4d", "rIIrIIrIIIIIiiii", &a, cases[i].offset,
             cases[i].stride, &a, cases[i].offset, cases[i].stride, &b,
             cases[i].offset, cases[i].stride, cases[i].m, cases[i].n,
             cases[i].k, cases[i].m0, cases[i].n0, cases[i].k0, 0x01));
  }
  memory_destroy(&b);
  memory_destroy(&a);
}

CTEST_MAIN()
