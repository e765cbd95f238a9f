// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Holds one function for each type of element. f64 is kept only with --iree-input-demote-f64-to-f32=false.

func.func @i1(%a: tensor<4xi1>, %b: tensor<4xi1>) -> tensor<4xi1> {
  %0 = arith.xori %a, %b : tensor<4xi1>
  return %0 : tensor<4xi1>
}

func.func @i8(%a: tensor<4xi8>, %b: tensor<4xi8>) -> tensor<4xi8> {
  %0 = arith.addi %a, %b : tensor<4xi8>
  return %0 : tensor<4xi8>
}

func.func @i32(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {
  %0 = arith.muli %a, %b : tensor<4xi32>
  return %0 : tensor<4xi32>
}

func.func @i64(%a: tensor<4xi64>, %b: tensor<4xi64>) -> tensor<4xi64> {
  %0 = arith.subi %a, %b : tensor<4xi64>
  return %0 : tensor<4xi64>
}

func.func @f16(%a: tensor<4xf16>, %b: tensor<4xf16>) -> tensor<4xf16> {
  %0 = arith.mulf %a, %b : tensor<4xf16>
  return %0 : tensor<4xf16>
}

func.func @f64(%a: tensor<4xf64>, %b: tensor<4xf64>) -> tensor<4xf64> {
  %0 = arith.divf %a, %b : tensor<4xf64>
  return %0 : tensor<4xf64>
}

// Numbers by themselves.
func.func @scalars(%flag: i1, %small: i32, %large: i64, %single: f32, %double: f64) -> (i1, i32, i64, f32, f64) {
  %true = arith.constant true
  %c1_i32 = arith.constant 1 : i32
  %c1_i64 = arith.constant 1 : i64
  %two = arith.constant 2.0 : f32
  %three = arith.constant 3.0 : f64
  %0 = arith.xori %flag, %true : i1
  %1 = arith.addi %small, %c1_i32 : i32
  %2 = arith.addi %large, %c1_i64 : i64
  %3 = arith.mulf %single, %two : f32
  %4 = arith.divf %double, %three : f64
  return %0, %1, %2, %3, %4 : i1, i32, i64, f32, f64
}
