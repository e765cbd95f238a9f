// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Lists of values, of references and of anything.
vm.module @lists {
  vm.rodata private @data dense<[1, 2, 3]> : tensor<3xi8>
  vm.export @set_get_i32
  vm.func @set_get_i32(%n: i32, %i: i32, %v: i32) -> i32 {
    %list = vm.list.alloc %n : (i32) -> !vm.list<i32>
    vm.list.resize %list, %n : (!vm.list<i32>, i32)
    vm.list.set.i32 %list, %i, %v : (!vm.list<i32>, i32, i32)
    %0 = vm.list.get.i32 %list, %i : (!vm.list<i32>, i32) -> i32
    vm.return %0 : i32
  }
  vm.export @set_get_i64
  vm.func @set_get_i64(%n: i32, %i: i32, %v: i64) -> i64 {
    %list = vm.list.alloc %n : (i32) -> !vm.list<i64>
    vm.list.resize %list, %n : (!vm.list<i64>, i32)
    vm.list.set.i64 %list, %i, %v : (!vm.list<i64>, i32, i64)
    %0 = vm.list.get.i64 %list, %i : (!vm.list<i64>, i32) -> i64
    vm.return %0 : i64
  }
  vm.export @set_get_f32
  vm.func @set_get_f32(%n: i32, %i: i32, %v: f32) -> f32 {
    %list = vm.list.alloc %n : (i32) -> !vm.list<f32>
    vm.list.resize %list, %n : (!vm.list<f32>, i32)
    vm.list.set.f32 %list, %i, %v : (!vm.list<f32>, i32, f32)
    %0 = vm.list.get.f32 %list, %i : (!vm.list<f32>, i32) -> f32
    vm.return %0 : f32
  }
  vm.export @set_get_f64
  vm.func @set_get_f64(%n: i32, %i: i32, %v: f64) -> f64 {
    %list = vm.list.alloc %n : (i32) -> !vm.list<f64>
    vm.list.resize %list, %n : (!vm.list<f64>, i32)
    vm.list.set.f64 %list, %i, %v : (!vm.list<f64>, i32, f64)
    %0 = vm.list.get.f64 %list, %i : (!vm.list<f64>, i32) -> f64
    vm.return %0 : f64
  }
  vm.export @size
  vm.func @size(%n: i32, %m: i32) -> (i32, i32) {
    %list = vm.list.alloc %n : (i32) -> !vm.list<i32>
    %0 = vm.list.size %list : (!vm.list<i32>) -> i32
    vm.list.reserve %list, %m : (!vm.list<i32>, i32)
    vm.list.resize %list, %m : (!vm.list<i32>, i32)
    %1 = vm.list.size %list : (!vm.list<i32>) -> i32
    vm.return %0, %1 : i32, i32
  }
  vm.export @i8_wraps
  vm.func @i8_wraps(%v: i32) -> i32 {
    %c1 = vm.const.i32 1
    %c0 = vm.const.i32.zero
    %list = vm.list.alloc %c1 : (i32) -> !vm.list<i8>
    vm.list.resize %list, %c1 : (!vm.list<i8>, i32)
    vm.list.set.i32 %list, %c0, %v : (!vm.list<i8>, i32, i32)
    %0 = vm.list.get.i32 %list, %c0 : (!vm.list<i8>, i32) -> i32
    vm.return %0 : i32
  }
  vm.export @refs
  vm.func @refs() -> (!vm.buffer, !vm.buffer) {
    %c2 = vm.const.i32 2
    %c1 = vm.const.i32 1
    %c0 = vm.const.i32.zero
    %data = vm.const.ref.rodata @data : !vm.buffer
    %list = vm.list.alloc %c2 : (i32) -> !vm.list<?>
    vm.list.resize %list, %c2 : (!vm.list<?>, i32)
    vm.list.set.ref %list, %c1, %data : (!vm.list<?>, i32, !vm.buffer)
    %0 = vm.list.get.ref %list, %c0 : (!vm.list<?>, i32) -> !vm.buffer
    %1 = vm.list.get.ref %list, %c1 : (!vm.list<?>, i32) -> !vm.buffer
    vm.return %0, %1 : !vm.buffer, !vm.buffer
  }
  vm.export @set_twice
  vm.func @set_twice() -> (!vm.buffer, !vm.buffer) {
    %c2 = vm.const.i32 2
    %c1 = vm.const.i32 1
    %c0 = vm.const.i32.zero
    %data = vm.const.ref.rodata @data : !vm.buffer
    %list = vm.list.alloc %c2 : (i32) -> !vm.list<?>
    vm.list.resize %list, %c2 : (!vm.list<?>, i32)
    vm.list.set.ref %list, %c0, %data : (!vm.list<?>, i32, !vm.buffer)
    vm.list.set.ref %list, %c1, %data : (!vm.list<?>, i32, !vm.buffer)
    %0 = vm.list.get.ref %list, %c0 : (!vm.list<?>, i32) -> !vm.buffer
    %1 = vm.list.get.ref %list, %c1 : (!vm.list<?>, i32) -> !vm.buffer
    vm.return %0, %1 : !vm.buffer, !vm.buffer
  }
  vm.export @other_type_is_null
  vm.func @other_type_is_null() -> i32 {
    %c1 = vm.const.i32 1
    %c0 = vm.const.i32.zero
    %data = vm.const.ref.rodata @data : !vm.buffer
    %list = vm.list.alloc %c1 : (i32) -> !vm.list<?>
    vm.list.resize %list, %c1 : (!vm.list<?>, i32)
    vm.list.set.ref %list, %c0, %data : (!vm.list<?>, i32, !vm.buffer)
    %0 = vm.list.get.ref %list, %c0 : (!vm.list<?>, i32) -> !vm.list<i32>
    %1 = vm.cmp.nz.ref %0 : !vm.list<i32>
    vm.return %1 : i32
  }
  vm.export @sum
  vm.func @sum(%list: !vm.list<?>) -> i32 {
    %c0 = vm.const.i32.zero
    %c1 = vm.const.i32 1
    %n = vm.list.size %list : (!vm.list<?>) -> i32
    vm.br ^loop(%c0, %c0 : i32, i32)
  ^loop(%i: i32, %s: i32):
    %more = vm.cmp.lt.i32.s %i, %n : i32
    vm.cond_br %more, ^body, ^done
  ^body:
    %v = vm.list.get.i32 %list, %i : (!vm.list<?>, i32) -> i32
    %s2 = vm.add.i32 %s, %v : i32
    %i2 = vm.add.i32 %i, %c1 : i32
    vm.br ^loop(%i2, %s2 : i32, i32)
  ^done:
    vm.return %s : i32
  }
}
