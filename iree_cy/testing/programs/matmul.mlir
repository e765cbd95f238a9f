// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Holds a matrix product of fixed sizes that no tile divides.

func.func @matmul(%a: tensor<13x17xf32>, %b: tensor<17x11xf32>) -> tensor<13x11xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<13x11xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<13x11xf32>) -> tensor<13x11xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<13x17xf32>, tensor<17x11xf32>) outs(%init : tensor<13x11xf32>) -> tensor<13x11xf32>
  return %0 : tensor<13x11xf32>
}
