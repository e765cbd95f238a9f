// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the tests of the vmvx module's kernels, called one by one, right and
// wrong.

#include <math.h>

#include "iree_cy/native/modules/vmvx/module.h"
#include "iree_cy/vm/api.h"
#include "tests/support/ctest.h"

//===----------------------------------------------------------------------===//
// Calling
//===----------------------------------------------------------------------===//

typedef struct fixture_t {
  iree_vm_instance_t* instance;
  iree_vm_module_t* module;
  iree_vm_context_t* context;
  iree_cy_vm_call_options_t options;
} fixture_t;

static iree_status_t fixture_create(uint64_t max_instructions, fixture_t* f) {
  memset(f, 0, sizeof(*f));
  f->options = iree_cy_vm_call_options_default();
  iree_allocator_t allocator = iree_allocator_system();
  IREE_RETURN_IF_ERROR(iree_vm_instance_create(IREE_VM_TYPE_CAPACITY_DEFAULT,
                                               allocator, &f->instance));
  IREE_RETURN_IF_ERROR(
      iree_cy_vmvx_module_create(f->instance, allocator, &f->module));
  iree_cy_vm_limits_t limits = iree_cy_vm_limits_none();
  limits.max_instructions = max_instructions;
  return iree_cy_vm_context_create(f->instance, 0, &limits, NULL, 1, &f->module,
                                   allocator, &f->context);
}

static void fixture_destroy(fixture_t* f) {
  iree_vm_context_release(f->context);
  iree_vm_module_release(f->module);
  iree_vm_instance_release(f->instance);
}

#define WITH_FIXTURE_LIMITED(f, max_instructions)                \
  __attribute__((cleanup(fixture_destroy))) fixture_t f##_store; \
  fixture_t* f = &f##_store;                                     \
  REQUIRE_OK(fixture_create((max_instructions), f))
#define WITH_FIXTURE(f) WITH_FIXTURE_LIMITED(f, 0)

// A buffer over a copy of |array|, in memory of exactly its size, so that a
// sanitizer sees what goes beyond. |array| gets the bytes back.
typedef struct memory_t {
  iree_vm_buffer_t buffer;
  void* array;
  iree_host_size_t length;
} memory_t;

static void memory_initialize(bool is_mutable, void* array,
                              iree_host_size_t length, memory_t* out_memory) {
  const iree_allocator_t no_allocator = {NULL, NULL};
  void* copy = malloc(length ? length : 1);
  memcpy(copy, array, length);
  iree_vm_buffer_initialize(is_mutable ? IREE_VM_BUFFER_ACCESS_MUTABLE : 0,
                            iree_make_byte_span(copy, length), no_allocator,
                            &out_memory->buffer);
  out_memory->array = array;
  out_memory->length = length;
}

static void memory_destroy(memory_t* memory) {
  void* copy = memory->buffer.data.data;
  memcpy(memory->array, copy, memory->length);
  iree_vm_buffer_deinitialize(&memory->buffer);
  free(copy);
}

// An argument: "r" is a memory_t*.
static iree_host_size_t pack_arguments(uint8_t* cursor, const char* format,
                                       va_list varargs) {
  const uint8_t* begin = cursor;
  for (; *format; ++format) {
    if (*format == 'i') {
      iree_cy_vm_write_i32(&cursor, va_arg(varargs, int));
    } else if (*format == 'I') {
      iree_cy_vm_write_i64(&cursor, va_arg(varargs, int64_t));
    } else {
      memory_t* memory = va_arg(varargs, memory_t*);
      iree_vm_ref_t ref = {memory ? &memory->buffer : NULL,
                           memory ? iree_vm_buffer_type() : 0};
      iree_cy_vm_write_ref(&cursor, ref);
    }
  }
  return (iree_host_size_t)(cursor - begin);
}

static iree_status_t call_with_results(fixture_t* f, const char* name,
                                       iree_byte_span_t results,
                                       const char* format, va_list varargs) {
  iree_vm_function_t function;
  IREE_RETURN_IF_ERROR(iree_vm_module_lookup_function_by_name(
      f->module, IREE_VM_FUNCTION_LINKAGE_EXPORT, iree_make_cstring_view(name),
      &function));
  uint8_t arguments[256];
  const iree_host_size_t length = pack_arguments(arguments, format, varargs);
  return iree_cy_vm_context_call(f->context, function, &f->options,
                                 iree_make_byte_span(arguments, length),
                                 results);
}

static iree_status_t call(fixture_t* f, const char* name, const char* format,
                          ...) {
  va_list varargs;
  va_start(varargs, format);
  iree_status_t status =
      call_with_results(f, name, iree_byte_span_empty(), format, varargs);
  va_end(varargs);
  return status;
}

static iree_status_t call_2(fixture_t* f, const char* name, int64_t results[2],
                            const char* format, ...) {
  va_list varargs;
  va_start(varargs, format);
  iree_status_t status = call_with_results(
      f, name, iree_make_byte_span(results, 2 * sizeof(results[0])), format,
      varargs);
  va_end(varargs);
  return status;
}

#define I(value) ((int64_t)(value))

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

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

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
