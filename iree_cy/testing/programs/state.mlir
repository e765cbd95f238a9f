// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Holds a program with state on the device: each load of it counts for itself.

module @state {
  util.global private mutable @sum = dense<0> : tensor<6xi32>

  func.func @add(%values: tensor<6xi32>) -> tensor<6xi32> {
    %old = util.global.load @sum : tensor<6xi32>
    %new = arith.addi %old, %values : tensor<6xi32>
    util.global.store %new, @sum : tensor<6xi32>
    return %new : tensor<6xi32>
  }
}
