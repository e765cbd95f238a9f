// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Holds functions whose sizes are known at the call only.

func.func @scale(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %0 = arith.mulf %a, %b : tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @row_sums(%a: tensor<?x?xi32>) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %rows = tensor.dim %a, %c0 : tensor<?x?xi32>
  %empty = tensor.empty(%rows) : tensor<?xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<?xi32>) -> tensor<?xi32>
  %0 = linalg.reduce ins(%a : tensor<?x?xi32>) outs(%init : tensor<?xi32>) dimensions = [1]
    (%in: i32, %out: i32) {
      %1 = arith.addi %in, %out : i32
      linalg.yield %1 : i32
    }
  return %0 : tensor<?xi32>
}
