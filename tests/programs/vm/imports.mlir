// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Calls of another module: values of all kinds, spans, references, optional
// functions, failures.
vm.module @imports {
  vm.import private @host.mix(%a: i32, %b: i64, %c: f32, %d: f64) -> (f64, i32, i64, f32)
  vm.import private @host.dot(%factor: i32, %pairs: tuple<i32, i64> ...) -> i64
  vm.import private @host.sizes(%buffers: !vm.buffer ...) -> i64
  vm.import private @host.filled(%length: i32, %other: !vm.buffer) -> (!vm.buffer, !vm.buffer)
  vm.import private @host.fail(%code: i32)
  vm.import private optional @host.absent(%a: i32) -> i32
  vm.rodata private @data dense<[5, 6, 7]> : tensor<3xi8>

  vm.export @mix
  vm.func @mix(%a: i32, %b: i64, %c: f32, %d: f64) -> (f64, i32, i64, f32) {
    %0:4 = vm.call @host.mix(%a, %b, %c, %d) : (i32, i64, f32, f64) -> (f64, i32, i64, f32)
    vm.return %0#0, %0#1, %0#2, %0#3 : f64, i32, i64, f32
  }
  vm.export @dot
  vm.func @dot(%f: i32, %a: i32, %b: i64, %c: i32, %d: i64) -> (i64, i64) {
    %0 = vm.call.variadic @host.dot(%f, [(%a, %b), (%c, %d)]) : (i32, tuple<i32, i64> ...) -> i64
    %1 = vm.call.variadic @host.dot(%f, []) : (i32, tuple<i32, i64> ...) -> i64
    vm.return %0, %1 : i64, i64
  }
  vm.export @sizes
  vm.func @sizes(%n: i64) -> (i64, !vm.buffer) {
    %c16 = vm.const.i32 16
    %data = vm.const.ref.rodata @data : !vm.buffer
    %null = vm.const.ref.zero : !vm.buffer
    %buf = vm.buffer.alloc %n, %c16 : !vm.buffer
    %0 = vm.call.variadic @host.sizes([%data, %null, %buf, %data]) : (!vm.buffer ...) -> i64
    vm.return %0, %data : i64, !vm.buffer
  }
  vm.export @filled
  vm.func @filled(%n: i32) -> (!vm.buffer, !vm.buffer) {
    %data = vm.const.ref.rodata @data : !vm.buffer
    %0:2 = vm.call @host.filled(%n, %data) : (i32, !vm.buffer) -> (!vm.buffer, !vm.buffer)
    vm.return %0#0, %0#1 : !vm.buffer, !vm.buffer
  }
  vm.export @resolved
  vm.func @resolved() -> (i32, i32) {
    %0 = vm.import.resolved @host.absent : i32
    %1 = vm.import.resolved @host.mix : i32
    vm.return %0, %1 : i32, i32
  }
  vm.export @call_absent
  vm.func @call_absent(%a: i32) -> i32 {
    %0 = vm.call @host.absent(%a) : (i32) -> i32
    vm.return %0 : i32
  }
  vm.export @fail
  vm.func @fail(%code: i32) -> !vm.buffer {
    %c8 = vm.const.i64 8
    %c16 = vm.const.i32 16
    %buf = vm.buffer.alloc %c8, %c16 : !vm.buffer
    vm.call @host.fail(%code) : (i32) -> ()
    vm.return %buf : !vm.buffer
  }
}
