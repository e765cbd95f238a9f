// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the list of exports of the vmvx module: name, function, convention.
//
// In the order of memcmp, in which native modules find names fastest.

// clang-format off
IREE_CY_VMVX_DECLARE_EXPORT("abs.2d.f32", abs_2d_f32, "0rIIIrIIIII_v")
IREE_CY_VMVX_DECLARE_EXPORT("add.2d.f32", add_2d_f32, "0rIIIrIIIrIIIII_v")
IREE_CY_VMVX_DECLARE_EXPORT("add.2d.i32", add_2d_i32, "0rIIIrIIIrIIIII_v")
IREE_CY_VMVX_DECLARE_EXPORT("and.2d.i32", and_2d_i32, "0rIIIrIIIrIIIII_v")
IREE_CY_VMVX_DECLARE_EXPORT("ceil.2d.f32", ceil_2d_f32, "0rIIIrIIIII_v")
IREE_CY_VMVX_DECLARE_EXPORT("copy.2d.x16", copy_2d_x16, "0rIIIrIIIII_v")
IREE_CY_VMVX_DECLARE_EXPORT("copy.2d.x32", copy_2d_x32, "0rIIIrIIIII_v")
IREE_CY_VMVX_DECLARE_EXPORT("copy.2d.x64", copy_2d_x64, "0rIIIrIIIII_v")
IREE_CY_VMVX_DECLARE_EXPORT("copy.2d.x8", copy_2d_x8, "0rIIIrIIIII_v")
IREE_CY_VMVX_DECLARE_EXPORT("ctlz.2d.i32", ctlz_2d_i32, "0rIIIrIIIII_v")
IREE_CY_VMVX_DECLARE_EXPORT("div.2d.f32", div_2d_f32, "0rIIIrIIIrIIIII_v")
IREE_CY_VMVX_DECLARE_EXPORT("divs.2d.i32", divs_2d_i32, "0rIIIrIIIrIIIII_v")
IREE_CY_VMVX_DECLARE_EXPORT("divu.2d.i32", divu_2d_i32, "0rIIIrIIIrIIIII_v")
IREE_CY_VMVX_DECLARE_EXPORT("exp.2d.f32", exp_2d_f32, "0rIIIrIIIII_v")
IREE_CY_VMVX_DECLARE_EXPORT("fill.2d.x32", fill_2d_x32, "0irIIII_v")
IREE_CY_VMVX_DECLARE_EXPORT("floor.2d.f32", floor_2d_f32, "0rIIIrIIIII_v")
IREE_CY_VMVX_DECLARE_EXPORT("log.2d.f32", log_2d_f32, "0rIIIrIIIII_v")
IREE_CY_VMVX_DECLARE_EXPORT("mmt4d", mmt4d, "0rIIrIIrIIIIIiiii_v")
IREE_CY_VMVX_DECLARE_EXPORT("mul.2d.f32", mul_2d_f32, "0rIIIrIIIrIIIII_v")
IREE_CY_VMVX_DECLARE_EXPORT("mul.2d.i32", mul_2d_i32, "0rIIIrIIIrIIIII_v")
IREE_CY_VMVX_DECLARE_EXPORT("neg.2d.f32", neg_2d_f32, "0rIIIrIIIII_v")
IREE_CY_VMVX_DECLARE_EXPORT("or.2d.i32", or_2d_i32, "0rIIIrIIIrIIIII_v")
IREE_CY_VMVX_DECLARE_EXPORT("pack", pack, "0rIIIrIIIIIIIIIIi_v")
IREE_CY_VMVX_DECLARE_EXPORT("query_tile_sizes.2d", query_tile_sizes_2d, "0IIi_II")
IREE_CY_VMVX_DECLARE_EXPORT("rsqrt.2d.f32", rsqrt_2d_f32, "0rIIIrIIIII_v")
IREE_CY_VMVX_DECLARE_EXPORT("shl.2d.i32", shl_2d_i32, "0rIIIrIIIrIIIII_v")
IREE_CY_VMVX_DECLARE_EXPORT("shrs.2d.i32", shrs_2d_i32, "0rIIIrIIIrIIIII_v")
IREE_CY_VMVX_DECLARE_EXPORT("shru.2d.i32", shru_2d_i32, "0rIIIrIIIrIIIII_v")
IREE_CY_VMVX_DECLARE_EXPORT("sub.2d.f32", sub_2d_f32, "0rIIIrIIIrIIIII_v")
IREE_CY_VMVX_DECLARE_EXPORT("sub.2d.i32", sub_2d_i32, "0rIIIrIIIrIIIII_v")
IREE_CY_VMVX_DECLARE_EXPORT("unpack", unpack, "0rIIIrIIIIIIIIIi_v")
IREE_CY_VMVX_DECLARE_EXPORT("xor.2d.i32", xor_2d_i32, "0rIIIrIIIrIIIII_v")
// clang-format on
