// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the elementwise kernels of the vmvx module, copies and fills included.

#include <math.h>

#include "iree_cy/native/modules/vmvx/kernels.h"

// What a line of elements is worked on with. |in| are the operands, of which a
// copy and a unary operation have one and a fill none. Strides are in bytes.
typedef struct iree_cy_vmvx_line_t {
  const uint8_t* in[2];
  iree_host_size_t in_stride[2];
  uint8_t* out;
  iree_host_size_t out_stride;
  int64_t count;
  uint32_t value;
} iree_cy_vmvx_line_t;

// Works on a line; false when an element cannot be.
typedef bool (*iree_cy_vmvx_line_fn_t)(const iree_cy_vmvx_line_t* line);

// Elements of one kernel: its views, and how many there are.
typedef struct iree_cy_vmvx_elements_t {
  int operand_count;
  iree_cy_vmvx_view_t in[2];
  iree_cy_vmvx_view_t out;
  int64_t size[2];
  uint32_t value;
} iree_cy_vmvx_elements_t;

static void iree_cy_vmvx_swap_strides(iree_cy_vmvx_view_t* view) {
  const iree_host_size_t stride = view->stride[0];
  view->stride[0] = view->stride[1];
  view->stride[1] = stride;
}

// Works on a slice of the row |i|, from column |j|.
static bool iree_cy_vmvx_run_slice(const iree_cy_vmvx_elements_t* elements,
                                   iree_cy_vmvx_line_fn_t fn, int64_t i,
                                   int64_t j, int64_t count) {
  iree_cy_vmvx_line_t line = {
      .out = elements->out.data +
             (iree_host_size_t)i * elements->out.stride[0] +
             (iree_host_size_t)j * elements->out.stride[1],
      .out_stride = elements->out.stride[1],
      .count = count,
      .value = elements->value,
  };
  for (int k = 0; k < elements->operand_count; ++k) {
    line.in[k] = elements->in[k].data +
                 (iree_host_size_t)i * elements->in[k].stride[0] +
                 (iree_host_size_t)j * elements->in[k].stride[1];
    line.in_stride[k] = elements->in[k].stride[1];
  }
  return fn(&line);
}

static iree_status_t iree_cy_vmvx_run(iree_vm_stack_t* stack,
                                      iree_cy_vmvx_elements_t* elements,
                                      iree_cy_vmvx_line_fn_t fn) {
  if (elements->size[0] == 0 || elements->size[1] == 0) {
    return iree_cy_vmvx_pay(stack, 0);
  }
  // Long lines cost less than many.
  if (elements->size[1] == 1) {
    elements->size[1] = elements->size[0];
    elements->size[0] = 1;
    iree_cy_vmvx_swap_strides(&elements->in[0]);
    iree_cy_vmvx_swap_strides(&elements->in[1]);
    iree_cy_vmvx_swap_strides(&elements->out);
  }
  for (int64_t i = 0; i < elements->size[0]; ++i) {
    for (int64_t j = 0; j < elements->size[1];) {
      const int64_t count = iree_min(elements->size[1] - j, IREE_CY_VMVX_SLICE);
      IREE_RETURN_IF_ERROR(iree_cy_vmvx_pay(stack, count));
      if (IREE_UNLIKELY(!iree_cy_vmvx_run_slice(elements, fn, i, j, count))) {
        return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                                "integer division by zero");
      }
      j += count;
    }
  }
  return iree_ok_status();
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

// A buffer and where in it, as arguments have it: "rIII".
typedef struct iree_cy_vmvx_operand_t {
  iree_vm_ref_t ref;
  iree_cy_vmvx_layout_t layout;
} iree_cy_vmvx_operand_t;

static void iree_cy_vmvx_read_operand(const uint8_t** cursor,
                                      iree_cy_vmvx_operand_t* out_operand) {
  out_operand->ref = iree_cy_vm_read_ref(cursor);
  out_operand->layout.offset = iree_cy_vm_read_i64(cursor);
  out_operand->layout.stride[0] = iree_cy_vm_read_i64(cursor);
  out_operand->layout.stride[1] = iree_cy_vm_read_i64(cursor);
  out_operand->layout.inner = 1;
}

// Runs |fn| over arguments "rIII" for each operand and the result, then "II".
static iree_status_t iree_cy_vmvx_map_and_run(iree_vm_stack_t* stack,
                                              iree_byte_span_t arguments,
                                              int operand_count,
                                              iree_host_size_t element_size,
                                              iree_cy_vmvx_line_fn_t fn) {
  static const char* const names[2][2] = {{"in", ""}, {"lhs", "rhs"}};
  const uint8_t* cursor = arguments.data;
  iree_cy_vmvx_operand_t operands[2];
  iree_cy_vmvx_operand_t result;
  for (int i = 0; i < operand_count; ++i) {
    iree_cy_vmvx_read_operand(&cursor, &operands[i]);
  }
  iree_cy_vmvx_read_operand(&cursor, &result);
  iree_cy_vmvx_elements_t elements = {.operand_count = operand_count};
  elements.size[0] = iree_cy_vm_read_i64(&cursor);
  elements.size[1] = iree_cy_vm_read_i64(&cursor);
  for (int i = 0; i < operand_count; ++i) {
    memcpy(operands[i].layout.size, elements.size, sizeof(elements.size));
    IREE_RETURN_IF_ERROR(iree_cy_vmvx_map(
        operands[i].ref, names[operand_count - 1][i], /*is_write=*/false,
        element_size, &operands[i].layout, &elements.in[i]));
  }
  memcpy(result.layout.size, elements.size, sizeof(elements.size));
  IREE_RETURN_IF_ERROR(iree_cy_vmvx_map(result.ref, "out", /*is_write=*/true,
                                        element_size, &result.layout,
                                        &elements.out));
  return iree_cy_vmvx_run(stack, &elements, fn);
}

// The function that the module exports: |name| over |line_fn|.
#define IREE_CY_VMVX_EXPORT(name, operand_count, element_size)               \
  iree_status_t iree_cy_vmvx_##name(                                         \
      iree_vm_stack_t* stack, void* module, void* module_state,              \
      iree_byte_span_t arguments, iree_byte_span_t results) {                \
    (void)module, (void)module_state, (void)results;                         \
    return iree_cy_vmvx_map_and_run(stack, arguments, operand_count,         \
                                    element_size, iree_cy_vmvx_line_##name); \
  }

//===----------------------------------------------------------------------===//
// Copies and fills
//===----------------------------------------------------------------------===//

#define IREE_CY_VMVX_DEFINE_COPY(name, size)                                   \
  static bool iree_cy_vmvx_line_##name(const iree_cy_vmvx_line_t* line) {      \
    if (line->in_stride[0] == (size) && line->out_stride == (size)) {          \
      memmove(line->out, line->in[0], (iree_host_size_t)line->count * (size)); \
      return true;                                                             \
    }                                                                          \
    const uint8_t* in = line->in[0];                                           \
    uint8_t* out = line->out;                                                  \
    for (int64_t i = 0; i < line->count; ++i) {                                \
      uint8_t element[size];                                                   \
      memcpy(element, in, size);                                               \
      memcpy(out, element, size);                                              \
      in += line->in_stride[0];                                                \
      out += line->out_stride;                                                 \
    }                                                                          \
    return true;                                                               \
  }                                                                            \
  IREE_CY_VMVX_EXPORT(name, 1, size)

IREE_CY_VMVX_DEFINE_COPY(copy_2d_x8, 1)
IREE_CY_VMVX_DEFINE_COPY(copy_2d_x16, 2)
IREE_CY_VMVX_DEFINE_COPY(copy_2d_x32, 4)
IREE_CY_VMVX_DEFINE_COPY(copy_2d_x64, 8)

static bool iree_cy_vmvx_line_fill_x32(const iree_cy_vmvx_line_t* line) {
  uint8_t* out = line->out;
  for (int64_t i = 0; i < line->count; ++i) {
    iree_cy_vmvx_store_u32(out, line->value);
    out += line->out_stride;
  }
  return true;
}

iree_status_t iree_cy_vmvx_fill_2d_x32(iree_vm_stack_t* stack, void* module,
                                       void* module_state,
                                       iree_byte_span_t arguments,
                                       iree_byte_span_t results) {
  (void)module, (void)module_state, (void)results;
  const uint8_t* cursor = arguments.data;
  iree_cy_vmvx_elements_t elements = {.operand_count = 0};
  iree_cy_vmvx_layout_t layout = {.stride = {0, 1}, .inner = 1};
  elements.value = (uint32_t)iree_cy_vm_read_i32(&cursor);
  iree_vm_ref_t ref = iree_cy_vm_read_ref(&cursor);
  layout.offset = iree_cy_vm_read_i64(&cursor);
  layout.stride[0] = iree_cy_vm_read_i64(&cursor);
  layout.size[0] = elements.size[0] = iree_cy_vm_read_i64(&cursor);
  layout.size[1] = elements.size[1] = iree_cy_vm_read_i64(&cursor);
  IREE_RETURN_IF_ERROR(iree_cy_vmvx_map(
      ref, "out", /*is_write=*/true, sizeof(uint32_t), &layout, &elements.out));
  return iree_cy_vmvx_run(stack, &elements, iree_cy_vmvx_line_fill_x32);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

// Both loops over a line: elements side by side get strides that are known
// when this is compiled.
#define IREE_CY_VMVX_UNARY(name, type, expr)                                   \
  static bool iree_cy_vmvx_line_##name(const iree_cy_vmvx_line_t* line) {      \
    const uint8_t* in = line->in[0];                                           \
    uint8_t* out = line->out;                                                  \
    const bool is_dense = line->in_stride[0] == 4 && line->out_stride == 4;    \
    const iree_host_size_t in_stride = line->in_stride[0];                     \
    const iree_host_size_t out_stride = line->out_stride;                      \
    const iree_host_size_t count = (iree_host_size_t)line->count;              \
    for (iree_host_size_t i = 0; is_dense && i < count; ++i) {                 \
      const IREE_CY_VMVX_TYPE_##type a = iree_cy_vmvx_load_##type(in + i * 4); \
      iree_cy_vmvx_store_##type(out + i * 4, (expr));                          \
    }                                                                          \
    for (iree_host_size_t i = 0; !is_dense && i < count; ++i) {                \
      const IREE_CY_VMVX_TYPE_##type a =                                       \
          iree_cy_vmvx_load_##type(in + i * in_stride);                        \
      iree_cy_vmvx_store_##type(out + i * out_stride, (expr));                 \
    }                                                                          \
    return true;                                                               \
  }                                                                            \
  IREE_CY_VMVX_EXPORT(name, 1, 4)

// The same with two operands. |is_valid| is false for those that have no
// result.
#define IREE_CY_VMVX_BINARY_CHECKED(name, type, is_valid, expr)           \
  static bool iree_cy_vmvx_line_##name(const iree_cy_vmvx_line_t* line) { \
    const uint8_t* lhs = line->in[0];                                     \
    const uint8_t* rhs = line->in[1];                                     \
    uint8_t* out = line->out;                                             \
    const iree_host_size_t lhs_stride = line->in_stride[0];               \
    const iree_host_size_t rhs_stride = line->in_stride[1];               \
    const iree_host_size_t out_stride = line->out_stride;                 \
    const bool is_dense =                                                 \
        lhs_stride == 4 && rhs_stride == 4 && out_stride == 4;            \
    const iree_host_size_t count = (iree_host_size_t)line->count;         \
    for (iree_host_size_t i = 0; is_dense && i < count; ++i) {            \
      const IREE_CY_VMVX_TYPE_##type a =                                  \
          iree_cy_vmvx_load_##type(lhs + i * 4);                          \
      const IREE_CY_VMVX_TYPE_##type b =                                  \
          iree_cy_vmvx_load_##type(rhs + i * 4);                          \
      if (!(is_valid)) return false;                                      \
      iree_cy_vmvx_store_##type(out + i * 4, (expr));                     \
    }                                                                     \
    for (iree_host_size_t i = 0; !is_dense && i < count; ++i) {           \
      const IREE_CY_VMVX_TYPE_##type a =                                  \
          iree_cy_vmvx_load_##type(lhs + i * lhs_stride);                 \
      const IREE_CY_VMVX_TYPE_##type b =                                  \
          iree_cy_vmvx_load_##type(rhs + i * rhs_stride);                 \
      if (!(is_valid)) return false;                                      \
      iree_cy_vmvx_store_##type(out + i * out_stride, (expr));            \
    }                                                                     \
    return true;                                                          \
  }                                                                       \
  IREE_CY_VMVX_EXPORT(name, 2, 4)
#define IREE_CY_VMVX_BINARY(name, type, expr) \
  IREE_CY_VMVX_BINARY_CHECKED(name, type, true, expr)

#define IREE_CY_VMVX_TYPE_u32 uint32_t
#define IREE_CY_VMVX_TYPE_f32 float

IREE_CY_VMVX_UNARY(abs_2d_f32, f32, fabsf(a))
IREE_CY_VMVX_UNARY(ceil_2d_f32, f32, ceilf(a))
IREE_CY_VMVX_UNARY(exp_2d_f32, f32, expf(a))
IREE_CY_VMVX_UNARY(floor_2d_f32, f32, floorf(a))
IREE_CY_VMVX_UNARY(log_2d_f32, f32, logf(a))
IREE_CY_VMVX_UNARY(neg_2d_f32, f32, -a)
IREE_CY_VMVX_UNARY(rsqrt_2d_f32, f32, 1.0f / sqrtf(a))
IREE_CY_VMVX_UNARY(ctlz_2d_i32, u32, a ? (uint32_t)__builtin_clz(a) : 32u)

IREE_CY_VMVX_BINARY(add_2d_f32, f32, a + b)
IREE_CY_VMVX_BINARY(sub_2d_f32, f32, a - b)
IREE_CY_VMVX_BINARY(mul_2d_f32, f32, a* b)
IREE_CY_VMVX_BINARY(div_2d_f32, f32, a / b)

// Integers wrap, and shifts count modulo the width, as in the bytecode.
IREE_CY_VMVX_BINARY(add_2d_i32, u32, a + b)
IREE_CY_VMVX_BINARY(sub_2d_i32, u32, a - b)
IREE_CY_VMVX_BINARY(mul_2d_i32, u32, a* b)
IREE_CY_VMVX_BINARY(and_2d_i32, u32, a& b)
IREE_CY_VMVX_BINARY(or_2d_i32, u32, a | b)
IREE_CY_VMVX_BINARY(xor_2d_i32, u32, a ^ b)
IREE_CY_VMVX_BINARY(shl_2d_i32, u32, a << (b & 31))
IREE_CY_VMVX_BINARY(shru_2d_i32, u32, a >> (b & 31))

static inline uint32_t iree_cy_vmvx_shrs(uint32_t a, uint32_t b) {
  const uint32_t sign = (a >> 31) ? ~(uint32_t)0 : 0;
  return ((a ^ sign) >> (b & 31)) ^ sign;
}
IREE_CY_VMVX_BINARY(shrs_2d_i32, u32, iree_cy_vmvx_shrs(a, b))

// The smallest by -1 wraps to itself.
static inline uint32_t iree_cy_vmvx_divs(uint32_t a, uint32_t b) {
  return b == UINT32_MAX ? 0u - a : (uint32_t)((int32_t)a / (int32_t)b);
}
IREE_CY_VMVX_BINARY_CHECKED(divs_2d_i32, u32, b != 0, iree_cy_vmvx_divs(a, b))
IREE_CY_VMVX_BINARY_CHECKED(divu_2d_i32, u32, b != 0, a / b)
