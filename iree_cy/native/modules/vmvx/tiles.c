// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the kernels of the vmvx module that work on matrices in tiles: packing,
// unpacking, products, and how large tiles are.

#include "iree_cy/native/modules/vmvx/kernels.h"

//===----------------------------------------------------------------------===//
// Tile sizes
//===----------------------------------------------------------------------===//

// Which operand of which operation is asked about; the compiler's values.
#define IREE_CY_VMVX_ROLE_MASK 0xFFu
#define IREE_CY_VMVX_ROLE_LHS 0x01u
#define IREE_CY_VMVX_ROLE_RHS 0x02u
#define IREE_CY_VMVX_ROLE_RESULT 0x03u
#define IREE_CY_VMVX_OPERATION_MASK 0xFF00u
#define IREE_CY_VMVX_OPERATION_MATMUL_F32 0x0100u
#define IREE_CY_VMVX_OPERATION_MATMUL_I8 0x0200u

iree_status_t iree_cy_vmvx_query_tile_sizes_2d(iree_vm_stack_t* stack,
                                               void* module, void* module_state,
                                               iree_byte_span_t arguments,
                                               iree_byte_span_t results) {
  (void)stack, (void)module, (void)module_state;
  const uint8_t* cursor = arguments.data + 2 * sizeof(int64_t);
  const uint32_t flags = (uint32_t)iree_cy_vm_read_i32(&cursor);
  const uint32_t operation = flags & IREE_CY_VMVX_OPERATION_MASK;
  const uint32_t role = flags & IREE_CY_VMVX_ROLE_MASK;
  // A line of the tile is a multiple of what a vector register holds.
  const int64_t m = 8, n = 8;
  int64_t k = 0;
  if (operation == IREE_CY_VMVX_OPERATION_MATMUL_F32) k = 1;
  if (operation == IREE_CY_VMVX_OPERATION_MATMUL_I8) k = 4;
  if (k == 0 || role < IREE_CY_VMVX_ROLE_LHS ||
      role > IREE_CY_VMVX_ROLE_RESULT) {
    return iree_make_status(IREE_STATUS_UNIMPLEMENTED,
                            "vmvx has no tile sizes for operand %u of "
                            "operation %u; there are f32 and i8 products",
                            role, operation >> 8);
  }
  uint8_t* target = results.data;
  iree_cy_vm_write_i64(&target, role == IREE_CY_VMVX_ROLE_RHS ? n : m);
  iree_cy_vm_write_i64(&target, role == IREE_CY_VMVX_ROLE_RESULT ? n : k);
  return iree_ok_status();
}

//===----------------------------------------------------------------------===//
// Packing and unpacking
//===----------------------------------------------------------------------===//

// The compiler's values.
#define IREE_CY_VMVX_PACK_TYPE_MASK 0xFFu
#define IREE_CY_VMVX_PACK_TRANSPOSE_INNER 0x100u
#define IREE_CY_VMVX_PACK_TRANSPOSE_OUTER 0x200u

// Elements are moved, not looked at, so that only their size counts.
static iree_status_t iree_cy_vmvx_pack_element_size(uint32_t flags,
                                                    const char* what,
                                                    iree_host_size_t* out) {
  static const uint8_t sizes[] = {
      [0x01] = 4,  // f32
      [0x02] = 1,  // i8
      [0x03] = 4,  // i32
      [0x04] = 2,  // f16
      [0x05] = 2,  // bf16
  };
  const uint32_t type = flags & IREE_CY_VMVX_PACK_TYPE_MASK;
  const uint32_t known = IREE_CY_VMVX_PACK_TYPE_MASK |
                         IREE_CY_VMVX_PACK_TRANSPOSE_INNER |
                         IREE_CY_VMVX_PACK_TRANSPOSE_OUTER;
  *out = type < IREE_ARRAYSIZE(sizes) ? sizes[type] : 0;
  if (*out && !(flags & ~known)) return iree_ok_status();
  return iree_make_status(
      IREE_STATUS_UNIMPLEMENTED,
      "vmvx.%s of element type %u, flags 0x%X; there are f32, i32, f16, bf16 "
      "and i8, transposed or not",
      what, type, flags & ~IREE_CY_VMVX_PACK_TYPE_MASK);
}

// A matrix and the same one in tiles, which cover it. |outer| and |tile| are
// counts of tiles and sizes of a tile along the dimensions of the tiled one, as
// it lies; |dimension| says which of the matrix's each is.
typedef struct iree_cy_vmvx_tiling_t {
  iree_host_size_t element_size;
  int64_t matrix_size[2];
  int64_t outer[2];
  int64_t tile[2];
  int outer_dimension[2];
  int tile_dimension[2];
  iree_cy_vmvx_view_t matrix;
  iree_cy_vmvx_view_t tiles;
  // What is beyond the matrix; packing only.
  bool is_pack;
  uint8_t padding[8];
} iree_cy_vmvx_tiling_t;

// Works on |count| elements of a line of a tile. |matrix| is the place of the
// first in the matrix, of which |inside| are in it.
static void iree_cy_vmvx_tile_line(const iree_cy_vmvx_tiling_t* t,
                                   uint8_t* matrix, uint8_t* tile,
                                   iree_host_size_t matrix_stride,
                                   int64_t inside, int64_t count) {
  const iree_host_size_t size = t->element_size;
  for (int64_t i = 0; i < inside; ++i) {
    if (t->is_pack) {
      memcpy(tile, matrix, size);
    } else {
      memcpy(matrix, tile, size);
    }
    matrix += matrix_stride;
    tile += size;
  }
  for (int64_t i = inside; t->is_pack && i < count; ++i) {
    memcpy(tile, t->padding, size);
    tile += size;
  }
}

// Works on the tile at |outer|.
static iree_status_t iree_cy_vmvx_tile_run(iree_vm_stack_t* stack,
                                           const iree_cy_vmvx_tiling_t* t,
                                           const int64_t outer[2]) {
  // Of the tile in the matrix. No overflow: tiles times sizes are checked.
  int64_t origin[2];
  for (int i = 0; i < 2; ++i) {
    const int d = t->outer_dimension[i];
    const int line = t->tile_dimension[0] == d ? 0 : 1;
    origin[d] = outer[i] * t->tile[line];
  }
  uint8_t* tile = t->tiles.data +
                  (iree_host_size_t)outer[0] * t->tiles.stride[0] +
                  (iree_host_size_t)outer[1] * t->tiles.stride[1];
  const int across = t->tile_dimension[0];
  const int along = t->tile_dimension[1];
  const int64_t inside_along =
      iree_max(INT64_C(0), t->matrix_size[along] - origin[along]);
  for (int64_t i = 0; i < t->tile[0]; ++i) {
    const bool is_inside = origin[across] + i < t->matrix_size[across];
    for (int64_t j = 0; j < t->tile[1];) {
      const int64_t count = iree_min(t->tile[1] - j, IREE_CY_VMVX_SLICE);
      IREE_RETURN_IF_ERROR(iree_cy_vmvx_pay(stack, count));
      int64_t inside = 0;
      uint8_t* matrix = t->matrix.data;
      if (is_inside && j < inside_along) {
        inside = iree_min(count, inside_along - j);
        matrix +=
            (iree_host_size_t)(origin[across] + i) * t->matrix.stride[across] +
            (iree_host_size_t)(origin[along] + j) * t->matrix.stride[along];
      }
      iree_cy_vmvx_tile_line(t, matrix, tile, t->matrix.stride[along], inside,
                             count);
      tile += (iree_host_size_t)count * t->element_size;
      j += count;
    }
  }
  return iree_ok_status();
}

static iree_status_t iree_cy_vmvx_tiling_run(iree_vm_stack_t* stack,
                                             const iree_cy_vmvx_tiling_t* t) {
  if (!t->tiles.data) return iree_cy_vmvx_pay(stack, 0);
  int64_t outer[2];
  for (outer[0] = 0; outer[0] < t->outer[0]; ++outer[0]) {
    for (outer[1] = 0; outer[1] < t->outer[1]; ++outer[1]) {
      IREE_RETURN_IF_ERROR(iree_cy_vmvx_tile_run(stack, t, outer));
    }
  }
  return iree_ok_status();
}

// Says which dimension is which, and checks that the tiles cover the matrix.
static iree_status_t iree_cy_vmvx_tiling_arrange(uint32_t flags,
                                                 const char* what,
                                                 iree_cy_vmvx_tiling_t* t) {
  IREE_RETURN_IF_ERROR(
      iree_cy_vmvx_pack_element_size(flags, what, &t->element_size));
  const int outer_swap = (flags & IREE_CY_VMVX_PACK_TRANSPOSE_OUTER) ? 1 : 0;
  const int tile_swap = (flags & IREE_CY_VMVX_PACK_TRANSPOSE_INNER) ? 1 : 0;
  for (int i = 0; i < 2; ++i) {
    t->outer_dimension[i] = i ^ outer_swap;
    t->tile_dimension[i] = i ^ tile_swap;
  }
  for (int d = 0; d < 2; ++d) {
    const int64_t outer = t->outer[d ^ outer_swap];
    const int64_t tile = t->tile[d ^ tile_swap];
    int64_t covered = 0;
    IREE_RETURN_IF_ERROR(iree_cy_vmvx_multiply(outer, tile, what, &covered));
    if (covered < t->matrix_size[d]) {
      return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                              "vmvx.%s: %" PRIi64 " tiles of %" PRIi64
                              " do not cover dimension %d, which is %" PRIi64,
                              what, outer, tile, d, t->matrix_size[d]);
    }
  }
  return iree_ok_status();
}

// The layout of the tiled one: at each place a whole tile.
static iree_status_t iree_cy_vmvx_tiles_layout(const iree_cy_vmvx_tiling_t* t,
                                               const char* what, int64_t offset,
                                               const int64_t stride[2],
                                               iree_cy_vmvx_layout_t* out) {
  out->offset = offset;
  memcpy(out->stride, stride, sizeof(out->stride));
  memcpy(out->size, t->outer, sizeof(out->size));
  return iree_cy_vmvx_multiply(t->tile[0], t->tile[1], what, &out->inner);
}

// Arguments of both: "rIII" of what is read and of what is written, sizes.
typedef struct iree_cy_vmvx_tiling_side_t {
  iree_vm_ref_t ref;
  int64_t offset;
  int64_t stride[2];
} iree_cy_vmvx_tiling_side_t;

static void iree_cy_vmvx_read_i64s(const uint8_t** cursor, int count,
                                   int64_t* out_values) {
  for (int i = 0; i < count; ++i) out_values[i] = iree_cy_vm_read_i64(cursor);
}

static void iree_cy_vmvx_read_side(const uint8_t** cursor,
                                   iree_cy_vmvx_tiling_side_t* out_side) {
  out_side->ref = iree_cy_vm_read_ref(cursor);
  out_side->offset = iree_cy_vm_read_i64(cursor);
  iree_cy_vmvx_read_i64s(cursor, 2, out_side->stride);
}

static iree_status_t iree_cy_vmvx_tiling_map(
    const iree_cy_vmvx_tiling_side_t* matrix_side,
    const iree_cy_vmvx_tiling_side_t* tiles_side, uint32_t flags,
    iree_cy_vmvx_tiling_t* t) {
  const char* what = t->is_pack ? "pack" : "unpack";
  IREE_RETURN_IF_ERROR(iree_cy_vmvx_tiling_arrange(flags, what, t));
  iree_cy_vmvx_layout_t matrix_layout = {.offset = matrix_side->offset,
                                         .inner = 1};
  memcpy(matrix_layout.stride, matrix_side->stride,
         sizeof(matrix_layout.stride));
  memcpy(matrix_layout.size, t->matrix_size, sizeof(matrix_layout.size));
  iree_cy_vmvx_layout_t tiles_layout;
  IREE_RETURN_IF_ERROR(iree_cy_vmvx_tiles_layout(
      t, what, tiles_side->offset, tiles_side->stride, &tiles_layout));
  IREE_RETURN_IF_ERROR(iree_cy_vmvx_map(
      matrix_side->ref, t->is_pack ? "in" : "out", /*is_write=*/!t->is_pack,
      t->element_size, &matrix_layout, &t->matrix));
  return iree_cy_vmvx_map(tiles_side->ref, t->is_pack ? "out" : "in",
                          /*is_write=*/t->is_pack, t->element_size,
                          &tiles_layout, &t->tiles);
}

iree_status_t iree_cy_vmvx_pack(iree_vm_stack_t* stack, void* module,
                                void* module_state, iree_byte_span_t arguments,
                                iree_byte_span_t results) {
  (void)module, (void)module_state, (void)results;
  const uint8_t* cursor = arguments.data;
  iree_cy_vmvx_tiling_side_t in, out;
  iree_cy_vmvx_tiling_t t = {.is_pack = true};
  iree_cy_vmvx_read_side(&cursor, &in);
  iree_cy_vmvx_read_side(&cursor, &out);
  iree_cy_vmvx_read_i64s(&cursor, 2, t.matrix_size);
  iree_cy_vmvx_read_i64s(&cursor, 2, t.outer);
  iree_cy_vmvx_read_i64s(&cursor, 2, t.tile);
  // The element is the value's low bits.
  const int64_t padding = iree_cy_vm_read_i64(&cursor);
  for (int i = 0; i < 8; ++i) {
    t.padding[i] = (uint8_t)((uint64_t)padding >> (8 * i));
  }
  const uint32_t flags = (uint32_t)iree_cy_vm_read_i32(&cursor);
  IREE_RETURN_IF_ERROR(iree_cy_vmvx_tiling_map(&in, &out, flags, &t));
  return iree_cy_vmvx_tiling_run(stack, &t);
}

iree_status_t iree_cy_vmvx_unpack(iree_vm_stack_t* stack, void* module,
                                  void* module_state,
                                  iree_byte_span_t arguments,
                                  iree_byte_span_t results) {
  (void)module, (void)module_state, (void)results;
  const uint8_t* cursor = arguments.data;
  iree_cy_vmvx_tiling_side_t in, out;
  iree_cy_vmvx_tiling_t t = {.is_pack = false};
  iree_cy_vmvx_read_side(&cursor, &in);
  iree_cy_vmvx_read_side(&cursor, &out);
  iree_cy_vmvx_read_i64s(&cursor, 2, t.outer);
  iree_cy_vmvx_read_i64s(&cursor, 2, t.tile);
  iree_cy_vmvx_read_i64s(&cursor, 2, t.matrix_size);
  const uint32_t flags = (uint32_t)iree_cy_vm_read_i32(&cursor);
  IREE_RETURN_IF_ERROR(iree_cy_vmvx_tiling_map(&out, &in, flags, &t));
  return iree_cy_vmvx_tiling_run(stack, &t);
}
