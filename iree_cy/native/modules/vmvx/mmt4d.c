// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the product of matrices in tiles: out[M][N][M0][N0] is the sum over K
// and K0 of lhs[M][K][M0][K0] times rhs[N][K][N0][K0].

#include "iree_cy/native/modules/vmvx/kernels.h"

// The compiler's values.
#define IREE_CY_VMVX_MMT4D_TYPE_MASK 0xFFu
#define IREE_CY_VMVX_MMT4D_ACCUMULATE 0x100u
#define IREE_CY_VMVX_MMT4D_ALLOW_FALLBACK 0x200u
// Sums are never rounded in between here.
#define IREE_CY_VMVX_MMT4D_SKIP_ROUNDINGS 0x400u

// Sums that are kept at one time, all of 4 bytes.
#define IREE_CY_VMVX_MMT4D_BLOCK 64
#define IREE_CY_VMVX_MMT4D_SUM_SIZE 4
typedef union iree_cy_vmvx_sums_t {
  float f32[IREE_CY_VMVX_MMT4D_BLOCK];
  uint32_t u32[IREE_CY_VMVX_MMT4D_BLOCK];
} iree_cy_vmvx_sums_t;

// Adds to sum j the products of K0 elements of |lhs| and as many of line j of
// |rhs|, for |count| lines.
typedef void (*iree_cy_vmvx_mmt4d_step_fn_t)(const uint8_t* lhs,
                                             const uint8_t* rhs, int64_t k0,
                                             int64_t count,
                                             iree_cy_vmvx_sums_t* sums);

typedef struct iree_cy_vmvx_mmt4d_type_t {
  uint8_t lhs_size;
  uint8_t rhs_size;
  iree_cy_vmvx_mmt4d_step_fn_t step;
} iree_cy_vmvx_mmt4d_type_t;

// Each step reads its elements wherever they lie. Integers wrap.
#define IREE_CY_VMVX_MMT4D_STEP(name, lhs_type, rhs_type, sum_type, sum)       \
  static void iree_cy_vmvx_step_##name(const uint8_t* lhs, const uint8_t* rhs, \
                                       int64_t k0, int64_t count,              \
                                       iree_cy_vmvx_sums_t* sums) {            \
    for (int64_t i = 0; i < k0; ++i) {                                         \
      lhs_type a;                                                              \
      memcpy(&a, lhs + i * (int64_t)sizeof(a), sizeof(a));                     \
      for (int64_t j = 0; j < count; ++j) {                                    \
        rhs_type b;                                                            \
        memcpy(&b, rhs + (j * k0 + i) * (int64_t)sizeof(b), sizeof(b));        \
        sums->sum[j] += (sum_type)a * (sum_type)b;                             \
      }                                                                        \
    }                                                                          \
  }
IREE_CY_VMVX_MMT4D_STEP(f32f32f32, float, float, float, f32)
IREE_CY_VMVX_MMT4D_STEP(s8s8s32, int8_t, int8_t, uint32_t, u32)
IREE_CY_VMVX_MMT4D_STEP(s16s16s32, int16_t, int16_t, uint32_t, u32)
IREE_CY_VMVX_MMT4D_STEP(s16s8s32, int16_t, int8_t, uint32_t, u32)

static iree_status_t iree_cy_vmvx_mmt4d_find_type(
    uint32_t flags, iree_cy_vmvx_mmt4d_type_t* out_type) {
  static const iree_cy_vmvx_mmt4d_type_t types[] = {
      [0x01] = {4, 4, iree_cy_vmvx_step_f32f32f32},
      [0x02] = {1, 1, iree_cy_vmvx_step_s8s8s32},
      [0x07] = {2, 2, iree_cy_vmvx_step_s16s16s32},
      [0x09] = {2, 1, iree_cy_vmvx_step_s16s8s32},
  };
  const uint32_t type = flags & IREE_CY_VMVX_MMT4D_TYPE_MASK;
  const uint32_t known =
      IREE_CY_VMVX_MMT4D_TYPE_MASK | IREE_CY_VMVX_MMT4D_ACCUMULATE |
      IREE_CY_VMVX_MMT4D_ALLOW_FALLBACK | IREE_CY_VMVX_MMT4D_SKIP_ROUNDINGS;
  if (type >= IREE_ARRAYSIZE(types) || !types[type].step || (flags & ~known)) {
    memset(out_type, 0, sizeof(*out_type));
    return iree_make_status(
        IREE_STATUS_UNIMPLEMENTED,
        "vmvx.mmt4d of element types %u, flags 0x%X; there are f32f32f32, "
        "s8s8s32, s16s16s32 and s16s8s32",
        type, flags & ~IREE_CY_VMVX_MMT4D_TYPE_MASK);
  }
  *out_type = types[type];
  return iree_ok_status();
}

typedef struct iree_cy_vmvx_mmt4d_t {
  iree_cy_vmvx_mmt4d_type_t type;
  bool accumulate;
  int64_t m, n, k;
  int64_t m0, n0, k0;
  iree_cy_vmvx_view_t lhs;
  iree_cy_vmvx_view_t rhs;
  iree_cy_vmvx_view_t out;
} iree_cy_vmvx_mmt4d_t;

// Works out |count| sums at |out|: of the element line |i0| in a tile, from the
// line |j0| of the others. |lhs| and |rhs| are K tiles each.
static iree_status_t iree_cy_vmvx_mmt4d_block(
    iree_vm_stack_t* stack, const iree_cy_vmvx_mmt4d_t* p, const uint8_t* lhs,
    const uint8_t* rhs, uint8_t* out, int64_t i0, int64_t j0, int64_t count) {
  iree_cy_vmvx_sums_t sums;
  const iree_host_size_t size =
      (iree_host_size_t)count * IREE_CY_VMVX_MMT4D_SUM_SIZE;
  if (p->accumulate) {
    memcpy(&sums, out, size);
  } else {
    memset(&sums, 0, size);
  }
  // Without elements to add there are no addresses either.
  const int64_t k = p->k0 ? p->k : 0;
  for (int64_t i = 0; i < k; ++i) {
    IREE_RETURN_IF_ERROR(iree_cy_vmvx_pay(stack, p->k0 * count));
    p->type.step(lhs + (i * p->m0 + i0) * p->k0 * p->type.lhs_size,
                 rhs + (i * p->n0 + j0) * p->k0 * p->type.rhs_size, p->k0,
                 count, &sums);
  }
  memcpy(out, &sums, size);
  return iree_ok_status();
}

static iree_status_t iree_cy_vmvx_mmt4d_tile(iree_vm_stack_t* stack,
                                             const iree_cy_vmvx_mmt4d_t* p,
                                             int64_t i, int64_t j) {
  const uint8_t* lhs = p->lhs.data;
  const uint8_t* rhs = p->rhs.data;
  if (lhs) lhs += (iree_host_size_t)i * p->lhs.stride[0];
  if (rhs) rhs += (iree_host_size_t)j * p->rhs.stride[0];
  uint8_t* out =
      p->out.data + (iree_host_size_t)i * p->out.stride[0] +
      (iree_host_size_t)(j * p->m0 * p->n0) * IREE_CY_VMVX_MMT4D_SUM_SIZE;
  for (int64_t i0 = 0; i0 < p->m0; ++i0) {
    for (int64_t j0 = 0; j0 < p->n0; j0 += IREE_CY_VMVX_MMT4D_BLOCK) {
      const int64_t count =
          iree_min(p->n0 - j0, (int64_t)IREE_CY_VMVX_MMT4D_BLOCK);
      IREE_RETURN_IF_ERROR(iree_cy_vmvx_pay(stack, count));
      IREE_RETURN_IF_ERROR(iree_cy_vmvx_mmt4d_block(
          stack, p, lhs, rhs,
          out + (i0 * p->n0 + j0) * IREE_CY_VMVX_MMT4D_SUM_SIZE, i0, j0,
          count));
    }
  }
  return iree_ok_status();
}

// Arguments "rII" of one matrix: lines of tiles that are a stride apart.
typedef struct iree_cy_vmvx_mmt4d_side_t {
  iree_vm_ref_t ref;
  iree_cy_vmvx_layout_t layout;
} iree_cy_vmvx_mmt4d_side_t;

static void iree_cy_vmvx_mmt4d_read_side(const uint8_t** cursor,
                                         iree_cy_vmvx_mmt4d_side_t* out_side) {
  memset(out_side, 0, sizeof(*out_side));
  out_side->ref = iree_cy_vm_read_ref(cursor);
  out_side->layout.offset = iree_cy_vm_read_i64(cursor);
  out_side->layout.stride[0] = iree_cy_vm_read_i64(cursor);
  out_side->layout.size[1] = 1;
}

// Checks a side of |lines| lines of |tiles| tiles of |a| by |b| elements.
static iree_status_t iree_cy_vmvx_mmt4d_map(iree_cy_vmvx_mmt4d_side_t* side,
                                            const char* name, bool is_write,
                                            iree_host_size_t element_size,
                                            int64_t lines, int64_t tiles,
                                            int64_t a, int64_t b,
                                            iree_cy_vmvx_view_t* out_view) {
  int64_t tile = 0;
  IREE_RETURN_IF_ERROR(iree_cy_vmvx_multiply(a, b, name, &tile));
  side->layout.size[0] = lines;
  IREE_RETURN_IF_ERROR(
      iree_cy_vmvx_multiply(tiles, tile, name, &side->layout.inner));
  return iree_cy_vmvx_map(side->ref, name, is_write, element_size,
                          &side->layout, out_view);
}

iree_status_t iree_cy_vmvx_mmt4d(iree_vm_stack_t* stack, void* module,
                                 void* module_state, iree_byte_span_t arguments,
                                 iree_byte_span_t results) {
  (void)module, (void)module_state, (void)results;
  const uint8_t* cursor = arguments.data;
  iree_cy_vmvx_mmt4d_side_t lhs, rhs, out;
  iree_cy_vmvx_mmt4d_t p;
  memset(&p, 0, sizeof(p));
  iree_cy_vmvx_mmt4d_read_side(&cursor, &lhs);
  iree_cy_vmvx_mmt4d_read_side(&cursor, &rhs);
  iree_cy_vmvx_mmt4d_read_side(&cursor, &out);
  p.m = iree_cy_vm_read_i64(&cursor);
  p.n = iree_cy_vm_read_i64(&cursor);
  p.k = iree_cy_vm_read_i64(&cursor);
  p.m0 = iree_cy_vm_read_i32(&cursor);
  p.n0 = iree_cy_vm_read_i32(&cursor);
  p.k0 = iree_cy_vm_read_i32(&cursor);
  const uint32_t flags = (uint32_t)iree_cy_vm_read_i32(&cursor);
  p.accumulate = iree_any_bit_set(flags, IREE_CY_VMVX_MMT4D_ACCUMULATE);
  IREE_RETURN_IF_ERROR(iree_cy_vmvx_mmt4d_find_type(flags, &p.type));
  IREE_RETURN_IF_ERROR(iree_cy_vmvx_mmt4d_map(&lhs, "lhs", /*is_write=*/false,
                                              p.type.lhs_size, p.m, p.k, p.m0,
                                              p.k0, &p.lhs));
  IREE_RETURN_IF_ERROR(iree_cy_vmvx_mmt4d_map(&rhs, "rhs", /*is_write=*/false,
                                              p.type.rhs_size, p.n, p.k, p.n0,
                                              p.k0, &p.rhs));
  IREE_RETURN_IF_ERROR(iree_cy_vmvx_mmt4d_map(&out, "out", /*is_write=*/true,
                                              IREE_CY_VMVX_MMT4D_SUM_SIZE, p.m,
                                              p.n, p.m0, p.n0, &p.out));
  IREE_RETURN_IF_ERROR(iree_cy_vmvx_pay(stack, 0));
  if (!p.out.data) return iree_ok_status();
  for (int64_t i = 0; i < p.m; ++i) {
    for (int64_t j = 0; j < p.n; ++j) {
      IREE_RETURN_IF_ERROR(iree_cy_vmvx_mmt4d_tile(stack, &p, i, j));
    }
  }
  return iree_ok_status();
}
