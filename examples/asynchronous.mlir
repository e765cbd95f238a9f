// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Holds functions that are awaited. Compiled with --iree-execution-model=async-external they take fences, so that they
// return before the device has done its work.

func.func @mix(%image: tensor<64x64xf32>, %weights: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %result = linalg.matmul ins(%image, %weights : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%zeros : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %result : tensor<64x64xf32>
}

// %matrix times itself, %count times.
func.func @power(%matrix: tensor<64x64xf32>, %count: index) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %result = scf.for %i = %c0 to %count step %c1 iter_args(%x = %matrix) -> tensor<64x64xf32> {
    %empty = tensor.empty() : tensor<64x64xf32>
    %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
    %next = linalg.matmul ins(%x, %matrix : tensor<64x64xf32>, tensor<64x64xf32>)
        outs(%zeros : tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  return %result : tensor<64x64xf32>
}
