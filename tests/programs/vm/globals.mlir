// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Globals of every type, read and written, one set by an initializer.
vm.module @globals {
  vm.global.i32 private mutable @g_i32 = 7 : i32
  vm.export @swap_i32
  vm.func @swap_i32(%a: i32) -> (i32, i32) {
    %0 = vm.global.load.i32 @g_i32 : i32
    vm.global.store.i32 %a, @g_i32 : i32
    %1 = vm.global.load.i32 @g_i32 : i32
    vm.return %0, %1 : i32, i32
  }
  vm.global.i64 private mutable @g_i64 = 7 : i64
  vm.export @swap_i64
  vm.func @swap_i64(%a: i64) -> (i64, i64) {
    %0 = vm.global.load.i64 @g_i64 : i64
    vm.global.store.i64 %a, @g_i64 : i64
    %1 = vm.global.load.i64 @g_i64 : i64
    vm.return %0, %1 : i64, i64
  }
  vm.global.f32 private mutable @g_f32 = 7.5 : f32
  vm.export @swap_f32
  vm.func @swap_f32(%a: f32) -> (f32, f32) {
    %0 = vm.global.load.f32 @g_f32 : f32
    vm.global.store.f32 %a, @g_f32 : f32
    %1 = vm.global.load.f32 @g_f32 : f32
    vm.return %0, %1 : f32, f32
  }
  vm.global.f64 private mutable @g_f64 = 7.5 : f64
  vm.export @swap_f64
  vm.func @swap_f64(%a: f64) -> (f64, f64) {
    %0 = vm.global.load.f64 @g_f64 : f64
    vm.global.store.f64 %a, @g_f64 : f64
    %1 = vm.global.load.f64 @g_f64 : f64
    vm.return %0, %1 : f64, f64
  }
  vm.rodata private @data dense<[1, 2, 3]> : tensor<3xi8>
  vm.global.ref private mutable @g_ref : !vm.buffer
  vm.initializer {
    %data = vm.const.ref.rodata @data : !vm.buffer
    vm.global.store.ref %data, @g_ref : !vm.buffer
    vm.return
  }
  vm.export @swap_ref
  vm.func @swap_ref() -> (!vm.buffer, !vm.buffer) {
    %0 = vm.global.load.ref @g_ref : !vm.buffer
    %c2 = vm.const.i64 2
    %c16 = vm.const.i32 16
    %new = vm.buffer.alloc %c2, %c16 : !vm.buffer
    vm.global.store.ref %new, @g_ref : !vm.buffer
    %1 = vm.global.load.ref @g_ref : !vm.buffer
    vm.return %0, %1 : !vm.buffer, !vm.buffer
  }
}
