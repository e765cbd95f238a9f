// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Holds several dispatches that depend on one another: sums, transposed, then products with them.

func.func @chain(%a: tensor<24x40xi32>) -> tensor<40x24xi32> {
  %zero = arith.constant 0 : i32
  %sum_empty = tensor.empty() : tensor<24xi32>
  %sum_init = linalg.fill ins(%zero : i32) outs(%sum_empty : tensor<24xi32>) -> tensor<24xi32>
  %sums = linalg.reduce ins(%a : tensor<24x40xi32>) outs(%sum_init : tensor<24xi32>) dimensions = [1]
    (%in: i32, %out: i32) {
      %s = arith.addi %in, %out : i32
      linalg.yield %s : i32
    }
  %fenced = util.optimization_barrier %sums : tensor<24xi32>
  %turned_empty = tensor.empty() : tensor<40x24xi32>
  %turned = linalg.transpose ins(%a : tensor<24x40xi32>) outs(%turned_empty : tensor<40x24xi32>) permutation = [1, 0]
  %turned_fenced = util.optimization_barrier %turned : tensor<40x24xi32>
  %wide_empty = tensor.empty() : tensor<40x24xi32>
  %wide = linalg.broadcast ins(%fenced : tensor<24xi32>) outs(%wide_empty : tensor<40x24xi32>) dimensions = [0]
  %0 = arith.muli %turned_fenced, %wide : tensor<40x24xi32>
  return %0 : tensor<40x24xi32>
}
