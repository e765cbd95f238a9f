// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Holds elementwise arithmetic: a product, and a polynomial.

func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.mulf %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// 0.5 x^2 - x + 2, element by element.
func.func @polynomial(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %half = arith.constant dense<0.5> : tensor<2x3xf32>
  %two = arith.constant dense<2.0> : tensor<2x3xf32>
  %0 = arith.mulf %x, %x : tensor<2x3xf32>
  %1 = arith.mulf %half, %0 : tensor<2x3xf32>
  %2 = arith.subf %1, %x : tensor<2x3xf32>
  %3 = arith.addf %2, %two : tensor<2x3xf32>
  return %3 : tensor<2x3xf32>
}
