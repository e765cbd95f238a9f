// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Buffers: allocation, access by element, fills, copies, comparison, hash.
vm.module @buffers {
  vm.rodata private @data dense<[1, 2, 3, 250, 251, 252, 253, 254]> : tensor<8xui8>
  vm.export @store_i8
  vm.func @store_i8(%n: i64, %i: i64, %v: i32) -> !vm.buffer {
    %c16 = vm.const.i32 16
    %buf = vm.buffer.alloc %n, %c16 : !vm.buffer
    vm.buffer.store.i8 %v, %buf[%i] : i32 -> !vm.buffer
    vm.return %buf : !vm.buffer
  }
  vm.export @fill_i8
  vm.func @fill_i8(%n: i64, %i: i64, %m: i64, %v: i32) -> !vm.buffer {
    %c16 = vm.const.i32 16
    %buf = vm.buffer.alloc %n, %c16 : !vm.buffer
    vm.buffer.fill.i8 %buf, %i, %m, %v : i32 -> !vm.buffer
    vm.return %buf : !vm.buffer
  }
  vm.export @store_i16
  vm.func @store_i16(%n: i64, %i: i64, %v: i32) -> !vm.buffer {
    %c16 = vm.const.i32 16
    %buf = vm.buffer.alloc %n, %c16 : !vm.buffer
    vm.buffer.store.i16 %v, %buf[%i] : i32 -> !vm.buffer
    vm.return %buf : !vm.buffer
  }
  vm.export @fill_i16
  vm.func @fill_i16(%n: i64, %i: i64, %m: i64, %v: i32) -> !vm.buffer {
    %c16 = vm.const.i32 16
    %buf = vm.buffer.alloc %n, %c16 : !vm.buffer
    vm.buffer.fill.i16 %buf, %i, %m, %v : i32 -> !vm.buffer
    vm.return %buf : !vm.buffer
  }
  vm.export @store_i32
  vm.func @store_i32(%n: i64, %i: i64, %v: i32) -> !vm.buffer {
    %c16 = vm.const.i32 16
    %buf = vm.buffer.alloc %n, %c16 : !vm.buffer
    vm.buffer.store.i32 %v, %buf[%i] : i32 -> !vm.buffer
    vm.return %buf : !vm.buffer
  }
  vm.export @fill_i32
  vm.func @fill_i32(%n: i64, %i: i64, %m: i64, %v: i32) -> !vm.buffer {
    %c16 = vm.const.i32 16
    %buf = vm.buffer.alloc %n, %c16 : !vm.buffer
    vm.buffer.fill.i32 %buf, %i, %m, %v : i32 -> !vm.buffer
    vm.return %buf : !vm.buffer
  }
  vm.export @store_i64
  vm.func @store_i64(%n: i64, %i: i64, %v: i64) -> !vm.buffer {
    %c16 = vm.const.i32 16
    %buf = vm.buffer.alloc %n, %c16 : !vm.buffer
    vm.buffer.store.i64 %v, %buf[%i] : i64 -> !vm.buffer
    vm.return %buf : !vm.buffer
  }
  vm.export @fill_i64
  vm.func @fill_i64(%n: i64, %i: i64, %m: i64, %v: i64) -> !vm.buffer {
    %c16 = vm.const.i32 16
    %buf = vm.buffer.alloc %n, %c16 : !vm.buffer
    vm.buffer.fill.i64 %buf, %i, %m, %v : i64 -> !vm.buffer
    vm.return %buf : !vm.buffer
  }
  vm.export @store_f32
  vm.func @store_f32(%n: i64, %i: i64, %v: f32) -> !vm.buffer {
    %c16 = vm.const.i32 16
    %buf = vm.buffer.alloc %n, %c16 : !vm.buffer
    vm.buffer.store.f32 %v, %buf[%i] : f32 -> !vm.buffer
    vm.return %buf : !vm.buffer
  }
  vm.export @fill_f32
  vm.func @fill_f32(%n: i64, %i: i64, %m: i64, %v: f32) -> !vm.buffer {
    %c16 = vm.const.i32 16
    %buf = vm.buffer.alloc %n, %c16 : !vm.buffer
    vm.buffer.fill.f32 %buf, %i, %m, %v : f32 -> !vm.buffer
    vm.return %buf : !vm.buffer
  }
  vm.export @store_f64
  vm.func @store_f64(%n: i64, %i: i64, %v: f64) -> !vm.buffer {
    %c16 = vm.const.i32 16
    %buf = vm.buffer.alloc %n, %c16 : !vm.buffer
    vm.buffer.store.f64 %v, %buf[%i] : f64 -> !vm.buffer
    vm.return %buf : !vm.buffer
  }
  vm.export @fill_f64
  vm.func @fill_f64(%n: i64, %i: i64, %m: i64, %v: f64) -> !vm.buffer {
    %c16 = vm.const.i32 16
    %buf = vm.buffer.alloc %n, %c16 : !vm.buffer
    vm.buffer.fill.f64 %buf, %i, %m, %v : f64 -> !vm.buffer
    vm.return %buf : !vm.buffer
  }
  vm.export @load_i8_u
  vm.func @load_i8_u(%i: i64) -> i32 {
    %data = vm.const.ref.rodata @data : !vm.buffer
    %0 = vm.buffer.load.i8.u %data[%i] : !vm.buffer -> i32
    vm.return %0 : i32
  }
  vm.export @load_i8_s
  vm.func @load_i8_s(%i: i64) -> i32 {
    %data = vm.const.ref.rodata @data : !vm.buffer
    %0 = vm.buffer.load.i8.s %data[%i] : !vm.buffer -> i32
    vm.return %0 : i32
  }
  vm.export @load_i16_u
  vm.func @load_i16_u(%i: i64) -> i32 {
    %data = vm.const.ref.rodata @data : !vm.buffer
    %0 = vm.buffer.load.i16.u %data[%i] : !vm.buffer -> i32
    vm.return %0 : i32
  }
  vm.export @load_i16_s
  vm.func @load_i16_s(%i: i64) -> i32 {
    %data = vm.const.ref.rodata @data : !vm.buffer
    %0 = vm.buffer.load.i16.s %data[%i] : !vm.buffer -> i32
    vm.return %0 : i32
  }
  vm.export @load_i32
  vm.func @load_i32(%i: i64) -> i32 {
    %data = vm.const.ref.rodata @data : !vm.buffer
    %0 = vm.buffer.load.i32 %data[%i] : !vm.buffer -> i32
    vm.return %0 : i32
  }
  vm.export @load_i64
  vm.func @load_i64(%i: i64) -> i64 {
    %data = vm.const.ref.rodata @data : !vm.buffer
    %0 = vm.buffer.load.i64 %data[%i] : !vm.buffer -> i64
    vm.return %0 : i64
  }
  vm.export @load_f32
  vm.func @load_f32(%i: i64) -> f32 {
    %data = vm.const.ref.rodata @data : !vm.buffer
    %0 = vm.buffer.load.f32 %data[%i] : !vm.buffer -> f32
    vm.return %0 : f32
  }
  vm.export @load_f64
  vm.func @load_f64(%i: i64) -> f64 {
    %data = vm.const.ref.rodata @data : !vm.buffer
    %0 = vm.buffer.load.f64 %data[%i] : !vm.buffer -> f64
    vm.return %0 : f64
  }
  vm.export @length
  vm.func @length(%n: i64, %a: i32) -> i64 {
    %buf = vm.buffer.alloc %n, %a : !vm.buffer
    %0 = vm.buffer.length %buf : !vm.buffer -> i64
    vm.return %0 : i64
  }
  vm.export @clone
  vm.func @clone(%i: i64, %n: i64) -> !vm.buffer {
    %c16 = vm.const.i32 16
    %data = vm.const.ref.rodata @data : !vm.buffer
    %0 = vm.buffer.clone %data, %i, %n, %c16 : !vm.buffer -> !vm.buffer
    vm.return %0 : !vm.buffer
  }
  vm.export @copy
  vm.func @copy(%i: i64, %j: i64, %n: i64) -> !vm.buffer {
    %c8 = vm.const.i64 8
    %c16 = vm.const.i32 16
    %buf = vm.buffer.alloc %c8, %c16 : !vm.buffer
    %data = vm.const.ref.rodata @data : !vm.buffer
    vm.buffer.copy %data, %i, %buf, %j, %n : !vm.buffer -> !vm.buffer
    vm.return %buf : !vm.buffer
  }
  vm.export @compare
  vm.func @compare(%i: i64, %j: i64, %n: i64) -> i32 {
    %c16 = vm.const.i32 16
    %c0 = vm.const.i64.zero
    %c8 = vm.const.i64 8
    %data = vm.const.ref.rodata @data : !vm.buffer
    %other = vm.buffer.clone %data, %c0, %c8, %c16 : !vm.buffer -> !vm.buffer
    %0 = vm.buffer.compare %data, %i, %other, %j, %n : !vm.buffer, !vm.buffer
    vm.return %0 : i32
  }
  vm.export @hash
  vm.func @hash(%i: i64, %n: i64) -> i64 {
    %data = vm.const.ref.rodata @data : !vm.buffer
    %0 = vm.buffer.hash %data, %i, %n : !vm.buffer -> i64
    vm.return %0 : i64
  }
  vm.export @store_rodata
  vm.func @store_rodata() {
    %c0 = vm.const.i64.zero
    %c1 = vm.const.i32 1
    %data = vm.const.ref.rodata @data : !vm.buffer
    vm.buffer.store.i8 %c1, %data[%c0] : i32 -> !vm.buffer
    vm.return
  }
  vm.export @fill_rodata
  vm.func @fill_rodata() {
    %c0 = vm.const.i64.zero
    %c2 = vm.const.i64 2
    %c1 = vm.const.i32 1
    %data = vm.const.ref.rodata @data : !vm.buffer
    vm.buffer.fill.i8 %data, %c0, %c2, %c1 : i32 -> !vm.buffer
    vm.return
  }
  vm.export @load_null
  vm.func @load_null() -> i32 {
    %c0 = vm.const.i64.zero
    %null = vm.const.ref.zero : !vm.buffer
    %0 = vm.buffer.load.i32 %null[%c0] : !vm.buffer -> i32
    vm.return %0 : i32
  }
  vm.export @constant
  vm.func @constant() -> !vm.buffer {
    %data = vm.const.ref.rodata @data : !vm.buffer
    vm.return %data : !vm.buffer
  }
}
