// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Holds a program with state: it counts what it was given and keeps the sum. Each load of it has its own.

module @counter {
  util.global private mutable @count = 0 : i64
  util.global private mutable @sum = dense<0.0> : tensor<3xf32>

  func.func @add(%values: tensor<3xf32>) -> i64 {
    %one = arith.constant 1 : i64
    %old_count = util.global.load @count : i64
    %count = arith.addi %old_count, %one : i64
    util.global.store %count, @count : i64
    %old_sum = util.global.load @sum : tensor<3xf32>
    %sum = arith.addf %old_sum, %values : tensor<3xf32>
    util.global.store %sum, @sum : tensor<3xf32>
    return %count : i64
  }

  func.func @mean() -> tensor<3xf32> {
    %count = util.global.load @count : i64
    %sum = util.global.load @sum : tensor<3xf32>
    %divisor = arith.sitofp %count : i64 to f32
    %empty = tensor.empty() : tensor<3xf32>
    %divisors = linalg.fill ins(%divisor : f32) outs(%empty : tensor<3xf32>) -> tensor<3xf32>
    %mean = arith.divf %sum, %divisors : tensor<3xf32>
    return %mean : tensor<3xf32>
  }

  func.func @reset() {
    %no_count = arith.constant 0 : i64
    %no_sum = arith.constant dense<0.0> : tensor<3xf32>
    util.global.store %no_count, @count : i64
    util.global.store %no_sum, @sum : tensor<3xf32>
    return
  }
}
