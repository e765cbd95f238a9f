// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Device code for vmvx written by hand: each function does what a test of the
// loader looks for. tests/loaders/vmvx_probe.inc is this, compiled.
vm.module @probe {
  vm.import private @vmvx.add.2d.f32(
      %lhs : !vm.buffer, %lhs_offset : i64, %lhs_strides : tuple<i64, i64>,
      %rhs : !vm.buffer, %rhs_offset : i64, %rhs_strides : tuple<i64, i64>,
      %out : !vm.buffer, %out_offset : i64, %out_strides : tuple<i64, i64>,
      %sizes : tuple<i64, i64>)
  vm.global.i32 private mutable @the_constant = -1 : i32
  vm.global.ref private mutable @kept : !vm.buffer
  vm.export @__set_constants
  vm.func private @__set_constants(%constants: !vm.buffer) {
    %c0 = vm.const.i64.zero
    %0 = vm.buffer.load.i32 %constants[%c0] : !vm.buffer -> i32
    vm.global.store.i32 %0, @the_constant : i32
    vm.return
  }
  // Writes the nine numbers at the workgroup's place.
  vm.export @record
  vm.func private @record(
      %local: !vm.buffer, %constants: !vm.buffer, %bindings: !vm.list<!vm.buffer>,
      %x: i32, %y: i32, %z: i32, %size_x: i32, %size_y: i32, %size_z: i32,
      %count_x: i32, %count_y: i32, %count_z: i32)
      attributes {iree.reflection = {binding_count = 1 : i8}} {
    %i_b = vm.const.i32 0
    %b = vm.list.get.ref %bindings, %i_b : (!vm.list<!vm.buffer>, i32) -> !vm.buffer
    %0 = vm.mul.i32 %count_y, %z : i32
    %1 = vm.add.i32 %0, %y : i32
    %2 = vm.mul.i32 %count_x, %1 : i32
    %3 = vm.add.i32 %2, %x : i32
    %c9 = vm.const.i32 9
    %4 = vm.mul.i32 %3, %c9 : i32
    %at_0 = vm.ext.i32.i64.s %4 : i32 -> i64
    %c1 = vm.const.i64 1
    vm.buffer.store.i32 %x, %b[%at_0] : i32 -> !vm.buffer
    %at_1 = vm.add.i64 %at_0, %c1 : i64
    vm.buffer.store.i32 %y, %b[%at_1] : i32 -> !vm.buffer
    %at_2 = vm.add.i64 %at_1, %c1 : i64
    vm.buffer.store.i32 %z, %b[%at_2] : i32 -> !vm.buffer
    %at_3 = vm.add.i64 %at_2, %c1 : i64
    vm.buffer.store.i32 %size_x, %b[%at_3] : i32 -> !vm.buffer
    %at_4 = vm.add.i64 %at_3, %c1 : i64
    vm.buffer.store.i32 %size_y, %b[%at_4] : i32 -> !vm.buffer
    %at_5 = vm.add.i64 %at_4, %c1 : i64
    vm.buffer.store.i32 %size_z, %b[%at_5] : i32 -> !vm.buffer
    %at_6 = vm.add.i64 %at_5, %c1 : i64
    vm.buffer.store.i32 %count_x, %b[%at_6] : i32 -> !vm.buffer
    %at_7 = vm.add.i64 %at_6, %c1 : i64
    vm.buffer.store.i32 %count_y, %b[%at_7] : i32 -> !vm.buffer
    %at_8 = vm.add.i64 %at_7, %c1 : i64
    vm.buffer.store.i32 %count_z, %b[%at_8] : i32 -> !vm.buffer
    vm.return
  }
  // Stores constant 1 at element (constant 0).
  vm.export @store
  vm.func private @store(
      %local: !vm.buffer, %constants: !vm.buffer, %bindings: !vm.list<!vm.buffer>,
      %x: i32, %y: i32, %z: i32, %size_x: i32, %size_y: i32, %size_z: i32,
      %count_x: i32, %count_y: i32, %count_z: i32)
      attributes {iree.reflection = {binding_count = 1 : i8, constant_count = 2 : i8}} {
    %i_b = vm.const.i32 0
    %b = vm.list.get.ref %bindings, %i_b : (!vm.list<!vm.buffer>, i32) -> !vm.buffer
    %o_at = vm.const.i64 0
    %at = vm.buffer.load.i32 %constants[%o_at] : !vm.buffer -> i32
    %o_value = vm.const.i64 1
    %value = vm.buffer.load.i32 %constants[%o_value] : !vm.buffer -> i32
    %at_64 = vm.ext.i32.i64.s %at : i32 -> i64
    vm.buffer.store.i32 %value, %b[%at_64] : i32 -> !vm.buffer
    vm.return
  }
  // Loads element (constant 0) of binding 0.
  vm.export @load
  vm.func private @load(
      %local: !vm.buffer, %constants: !vm.buffer, %bindings: !vm.list<!vm.buffer>,
      %x: i32, %y: i32, %z: i32, %size_x: i32, %size_y: i32, %size_z: i32,
      %count_x: i32, %count_y: i32, %count_z: i32)
      attributes {iree.reflection = {binding_count = 2 : i8, constant_count = 1 : i8}} {
    %i_b = vm.const.i32 0
    %b = vm.list.get.ref %bindings, %i_b : (!vm.list<!vm.buffer>, i32) -> !vm.buffer
    %i_out = vm.const.i32 1
    %out = vm.list.get.ref %bindings, %i_out : (!vm.list<!vm.buffer>, i32) -> !vm.buffer
    %o_at = vm.const.i64 0
    %at = vm.buffer.load.i32 %constants[%o_at] : !vm.buffer -> i32
    %at_64 = vm.ext.i32.i64.s %at : i32 -> i64
    %value = vm.buffer.load.i32 %b[%at_64] : !vm.buffer -> i32
    %c0 = vm.const.i64.zero
    vm.buffer.store.i32 %value, %out[%c0] : i32 -> !vm.buffer
    vm.return
  }
  // Passes x through element (constant 0) of the local memory.
  vm.export @local
  vm.func private @local(
      %local: !vm.buffer, %constants: !vm.buffer, %bindings: !vm.list<!vm.buffer>,
      %x: i32, %y: i32, %z: i32, %size_x: i32, %size_y: i32, %size_z: i32,
      %count_x: i32, %count_y: i32, %count_z: i32)
      attributes {iree.reflection = {binding_count = 1 : i8, constant_count = 1 : i8, local_memory = 64 : index}} {
    %i_b = vm.const.i32 0
    %b = vm.list.get.ref %bindings, %i_b : (!vm.list<!vm.buffer>, i32) -> !vm.buffer
    %o_at = vm.const.i64 0
    %at = vm.buffer.load.i32 %constants[%o_at] : !vm.buffer -> i32
    %at_64 = vm.ext.i32.i64.s %at : i32 -> i64
    vm.buffer.store.i32 %x, %local[%at_64] : i32 -> !vm.buffer
    %value = vm.buffer.load.i32 %local[%at_64] : !vm.buffer -> i32
    %x_64 = vm.ext.i32.i64.s %x : i32 -> i64
    vm.buffer.store.i32 %value, %b[%x_64] : i32 -> !vm.buffer
    vm.return
  }
  // Writes to the constants, which nobody may.
  vm.export @write_constants
  vm.func private @write_constants(
      %local: !vm.buffer, %constants: !vm.buffer, %bindings: !vm.list<!vm.buffer>,
      %x: i32, %y: i32, %z: i32, %size_x: i32, %size_y: i32, %size_z: i32,
      %count_x: i32, %count_y: i32, %count_z: i32)
      attributes {iree.reflection = {constant_count = 1 : i8}} {
    %c0 = vm.const.i64.zero
    vm.buffer.store.i32 %x, %constants[%c0] : i32 -> !vm.buffer
    vm.return
  }
  // Writes the executable's constant.
  vm.export @constant
  vm.func private @constant(
      %local: !vm.buffer, %constants: !vm.buffer, %bindings: !vm.list<!vm.buffer>,
      %x: i32, %y: i32, %z: i32, %size_x: i32, %size_y: i32, %size_z: i32,
      %count_x: i32, %count_y: i32, %count_z: i32)
      attributes {iree.reflection = {binding_count = 1 : i8}} {
    %i_b = vm.const.i32 0
    %b = vm.list.get.ref %bindings, %i_b : (!vm.list<!vm.buffer>, i32) -> !vm.buffer
    %value = vm.global.load.i32 @the_constant : i32
    %c0 = vm.const.i64.zero
    vm.buffer.store.i32 %value, %b[%c0] : i32 -> !vm.buffer
    vm.return
  }
  // Keeps binding 1 beyond the dispatch.
  vm.export @keep
  vm.func private @keep(
      %local: !vm.buffer, %constants: !vm.buffer, %bindings: !vm.list<!vm.buffer>,
      %x: i32, %y: i32, %z: i32, %size_x: i32, %size_y: i32, %size_z: i32,
      %count_x: i32, %count_y: i32, %count_z: i32)
      attributes {iree.reflection = {binding_count = 2 : i8}} {
    %i_b = vm.const.i32 1
    %b = vm.list.get.ref %bindings, %i_b : (!vm.list<!vm.buffer>, i32) -> !vm.buffer
    vm.global.store.ref %b, @kept : !vm.buffer
    vm.return
  }
  // Reads what was kept.
  vm.export @use_kept
  vm.func private @use_kept(
      %local: !vm.buffer, %constants: !vm.buffer, %bindings: !vm.list<!vm.buffer>,
      %x: i32, %y: i32, %z: i32, %size_x: i32, %size_y: i32, %size_z: i32,
      %count_x: i32, %count_y: i32, %count_z: i32)
      attributes {iree.reflection = {binding_count = 1 : i8}} {
    %i_b = vm.const.i32 0
    %b = vm.list.get.ref %bindings, %i_b : (!vm.list<!vm.buffer>, i32) -> !vm.buffer
    %kept = vm.global.load.ref @kept : !vm.buffer
    %c0 = vm.const.i64.zero
    %value = vm.buffer.load.i32 %kept[%c0] : !vm.buffer -> i32
    vm.buffer.store.i32 %value, %b[%c0] : i32 -> !vm.buffer
    vm.return
  }
  // Empties the list of bindings.
  vm.export @shrink
  vm.func private @shrink(
      %local: !vm.buffer, %constants: !vm.buffer, %bindings: !vm.list<!vm.buffer>,
      %x: i32, %y: i32, %z: i32, %size_x: i32, %size_y: i32, %size_z: i32,
      %count_x: i32, %count_y: i32, %count_z: i32)
      attributes {iree.reflection = {binding_count = 2 : i8}} {
    %c0 = vm.const.i32.zero
    vm.list.resize %bindings, %c0 : (!vm.list<!vm.buffer>, i32)
    vm.return
  }
  // Writes to a binding that is not there.
  vm.export @missing
  vm.func private @missing(
      %local: !vm.buffer, %constants: !vm.buffer, %bindings: !vm.list<!vm.buffer>,
      %x: i32, %y: i32, %z: i32, %size_x: i32, %size_y: i32, %size_z: i32,
      %count_x: i32, %count_y: i32, %count_z: i32)
      attributes {iree.reflection = {binding_count = 1 : i8}} {
    %i_b = vm.const.i32 1
    %b = vm.list.get.ref %bindings, %i_b : (!vm.list<!vm.buffer>, i32) -> !vm.buffer
    %c0 = vm.const.i64.zero
    vm.buffer.store.i32 %x, %b[%c0] : i32 -> !vm.buffer
    vm.return
  }
  // Never ends.
  vm.export @spin
  vm.func private @spin(
      %local: !vm.buffer, %constants: !vm.buffer, %bindings: !vm.list<!vm.buffer>,
      %x: i32, %y: i32, %z: i32, %size_x: i32, %size_y: i32, %size_z: i32,
      %count_x: i32, %count_y: i32, %count_z: i32)
      {
    vm.br ^loop
  ^loop:
    vm.br ^loop
  }
  // Calls itself without end.
  vm.export @recurse
  vm.func private @recurse(
      %local: !vm.buffer, %constants: !vm.buffer, %bindings: !vm.list<!vm.buffer>,
      %x: i32, %y: i32, %z: i32, %size_x: i32, %size_y: i32, %size_z: i32,
      %count_x: i32, %count_y: i32, %count_z: i32)
      {
    vm.call @recurse(%local, %constants, %bindings, %x, %y, %z, %size_x, %size_y, %size_z, %count_x, %count_y, %count_z) : (!vm.buffer, !vm.buffer, !vm.list<!vm.buffer>, i32, i32, i32, i32, i32, i32, i32, i32, i32) -> ()
    vm.return
  }
  // Keeps a buffer of (constant 0) bytes.
  vm.export @allocate
  vm.func private @allocate(
      %local: !vm.buffer, %constants: !vm.buffer, %bindings: !vm.list<!vm.buffer>,
      %x: i32, %y: i32, %z: i32, %size_x: i32, %size_y: i32, %size_z: i32,
      %count_x: i32, %count_y: i32, %count_z: i32)
      attributes {iree.reflection = {constant_count = 1 : i8}} {
    %o_length = vm.const.i64 0
    %length = vm.buffer.load.i32 %constants[%o_length] : !vm.buffer -> i32
    %length_64 = vm.ext.i32.i64.s %length : i32 -> i64
    %alignment = vm.const.i32 16
    %b = vm.buffer.alloc %length_64, %alignment : !vm.buffer
    vm.global.store.ref %b, @kept : !vm.buffer
    vm.return
  }
  // Adds (constant 0) floats with a kernel.
  vm.export @add
  vm.func private @add(
      %local: !vm.buffer, %constants: !vm.buffer, %bindings: !vm.list<!vm.buffer>,
      %x: i32, %y: i32, %z: i32, %size_x: i32, %size_y: i32, %size_z: i32,
      %count_x: i32, %count_y: i32, %count_z: i32)
      attributes {iree.reflection = {binding_count = 3 : i8, constant_count = 1 : i8}} {
    %i_lhs = vm.const.i32 0
    %lhs = vm.list.get.ref %bindings, %i_lhs : (!vm.list<!vm.buffer>, i32) -> !vm.buffer
    %i_rhs = vm.const.i32 1
    %rhs = vm.list.get.ref %bindings, %i_rhs : (!vm.list<!vm.buffer>, i32) -> !vm.buffer
    %i_out = vm.const.i32 2
    %out = vm.list.get.ref %bindings, %i_out : (!vm.list<!vm.buffer>, i32) -> !vm.buffer
    %o_n = vm.const.i64 0
    %n = vm.buffer.load.i32 %constants[%o_n] : !vm.buffer -> i32
    %n_64 = vm.ext.i32.i64.s %n : i32 -> i64
    %c0 = vm.const.i64.zero
    %c1 = vm.const.i64 1
    vm.call @vmvx.add.2d.f32(%lhs, %c0, %n_64, %c1, %rhs, %c0, %n_64, %c1, %out, %c0, %n_64, %c1, %c1, %n_64) : (!vm.buffer, i64, i64, i64, !vm.buffer, i64, i64, i64, !vm.buffer, i64, i64, i64, i64, i64) -> ()
    vm.return
  }
}
