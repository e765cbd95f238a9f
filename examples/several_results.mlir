// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Holds a function with several results of different kinds: the sum and the products of two arrays, and a number.

func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %n: i32)
    -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<2x3xi1>, i32) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1 : i32
  %sum = arith.addf %a, %b : tensor<2x3xf32>
  %product = arith.mulf %a, %b : tensor<2x3xf32>
  %empty = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %dot = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
    iterator_types = ["reduction", "reduction"]
  } ins(%product : tensor<2x3xf32>) outs(%init : tensor<f32>) {
  ^bb0(%element: f32, %total: f32):
    %next = arith.addf %total, %element : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  %is_less = arith.cmpf olt, %a, %b : tensor<2x3xf32>
  %next_n = arith.addi %n, %one : i32
  return %sum, %product, %dot, %is_less, %next_n
      : tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>, tensor<2x3xi1>, i32
}
