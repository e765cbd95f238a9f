// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Holds element-wise arithmetic of several element types.

func.func @multiply_add(%a: tensor<64xf32>, %b: tensor<64xf32>, %c: tensor<64xf32>) -> tensor<64xf32> {
  %0 = arith.mulf %a, %b : tensor<64xf32>
  %1 = arith.addf %0, %c : tensor<64xf32>
  return %1 : tensor<64xf32>
}

func.func @integers(%a: tensor<3x5xi32>, %b: tensor<3x5xi32>) -> tensor<3x5xi32> {
  %0 = arith.subi %a, %b : tensor<3x5xi32>
  %1 = arith.muli %0, %b : tensor<3x5xi32>
  return %1 : tensor<3x5xi32>
}

func.func @two_results(%a: tensor<7xi32>) -> (tensor<7xi32>, tensor<7xi32>) {
  %0 = arith.addi %a, %a : tensor<7xi32>
  %1 = arith.muli %a, %a : tensor<7xi32>
  return %0, %1 : tensor<7xi32>, tensor<7xi32>
}
