// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Holds loops and branches: on numbers alone, on tensors, and with an end that the data decides.

// How many steps the Collatz sequence takes from %start to 1.
func.func @collatz(%start: i64) -> i32 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %no_steps = arith.constant 0 : i32
  %step = arith.constant 1 : i32
  %end:2 = scf.while (%n = %start, %steps = %no_steps) : (i64, i32) -> (i64, i32) {
    %go_on = arith.cmpi sgt, %n, %one : i64
    scf.condition(%go_on) %n, %steps : i64, i32
  } do {
  ^bb0(%n: i64, %steps: i32):
    %rest = arith.remsi %n, %two : i64
    %is_even = arith.cmpi eq, %rest, %zero : i64
    %next = scf.if %is_even -> (i64) {
      %half = arith.divsi %n, %two : i64
      scf.yield %half : i64
    } else {
      %triple = arith.muli %n, %three : i64
      %more = arith.addi %triple, %one : i64
      scf.yield %more : i64
    }
    %count = arith.addi %steps, %step : i32
    scf.yield %next, %count : i64, i32
  }
  return %end#1 : i32
}

// %matrix to the power of %exponent, times %vector.
func.func @apply_repeatedly(%matrix: tensor<3x3xf32>, %vector: tensor<3xf32>, %exponent: i32) -> tensor<3xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<3xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<3xf32>) -> tensor<3xf32>
  %end:2 = scf.while (%i = %c0, %v = %vector) : (i32, tensor<3xf32>) -> (i32, tensor<3xf32>) {
    %go_on = arith.cmpi slt, %i, %exponent : i32
    scf.condition(%go_on) %i, %v : i32, tensor<3xf32>
  } do {
  ^bb0(%i: i32, %v: tensor<3xf32>):
    %product = linalg.matvec ins(%matrix, %v : tensor<3x3xf32>, tensor<3xf32>) outs(%init : tensor<3xf32>) -> tensor<3xf32>
    %next = arith.addi %i, %c1 : i32
    scf.yield %next, %product : i32, tensor<3xf32>
  }
  return %end#1 : tensor<3xf32>
}

// The square root of %x by Newton's method, from %x itself, until a step changes it by less than
// a millionth of it; and how many steps that took.
func.func @square_root(%x: tensor<f32>) -> (tensor<f32>, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %half = arith.constant dense<0.5> : tensor<f32>
  %small = arith.constant dense<1.0e-6> : tensor<f32>
  %large = arith.constant dense<3.0e38> : tensor<f32>
  %end:3 = scf.while (%root = %x, %change = %large, %steps = %c0)
      : (tensor<f32>, tensor<f32>, i32) -> (tensor<f32>, tensor<f32>, i32) {
    %bound = arith.mulf %root, %small : tensor<f32>
    %is_large = arith.cmpf ogt, %change, %bound : tensor<f32>
    %go_on = tensor.extract %is_large[] : tensor<i1>
    scf.condition(%go_on) %root, %change, %steps : tensor<f32>, tensor<f32>, i32
  } do {
  ^bb0(%root: tensor<f32>, %change: tensor<f32>, %steps: i32):
    %quotient = arith.divf %x, %root : tensor<f32>
    %sum = arith.addf %root, %quotient : tensor<f32>
    %better = arith.mulf %sum, %half : tensor<f32>
    %difference = arith.subf %better, %root : tensor<f32>
    %size = math.absf %difference : tensor<f32>
    %count = arith.addi %steps, %c1 : i32
    scf.yield %better, %size, %count : tensor<f32>, tensor<f32>, i32
  }
  return %end#0, %end#2 : tensor<f32>, i32
}
