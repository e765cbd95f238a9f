// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// References: comparison, selection, casts, moves around loops.
vm.module @refs {
  vm.rodata private @a dense<[1]> : tensor<1xi8>
  vm.rodata private @b dense<[2, 2]> : tensor<2xi8>
  vm.rodata private @c dense<[3, 3, 3]> : tensor<3xi8>

  vm.export @compare
  vm.func @compare() -> (i32, i32, i32, i32, i32, i32) {
    %a = vm.const.ref.rodata @a : !vm.buffer
    %b = vm.const.ref.rodata @b : !vm.buffer
    %c1 = vm.const.i32 1
    %c0 = vm.const.i32.zero
    %list = vm.list.alloc %c1 : (i32) -> !vm.list<?>
    vm.list.resize %list, %c1 : (!vm.list<?>, i32)
    %null = vm.list.get.ref %list, %c0 : (!vm.list<?>, i32) -> !vm.buffer
    %0 = vm.cmp.eq.ref %a, %a : !vm.buffer
    %1 = vm.cmp.eq.ref %a, %b : !vm.buffer
    %2 = vm.cmp.ne.ref %a, %b : !vm.buffer
    %3 = vm.cmp.nz.ref %b : !vm.buffer
    %4 = vm.cmp.nz.ref %null : !vm.buffer
    %5 = vm.cmp.eq.ref %null, %a : !vm.buffer
    vm.return %0, %1, %2, %3, %4, %5 : i32, i32, i32, i32, i32, i32
  }

  vm.export @select
  vm.func @select(%c: i32) -> (!vm.buffer, !vm.buffer) {
    %a = vm.const.ref.rodata @a : !vm.buffer
    %b = vm.const.ref.rodata @b : !vm.buffer
    %0 = vm.select.ref %c, %a, %b : !vm.buffer
    %1 = vm.select.ref %c, %b, %0 : !vm.buffer
    vm.return %0, %1 : !vm.buffer, !vm.buffer
  }

  vm.export @switch
  vm.func @switch(%i: i32) -> !vm.buffer {
    %a = vm.const.ref.rodata @a : !vm.buffer
    %b = vm.const.ref.rodata @b : !vm.buffer
    %c = vm.const.ref.rodata @c : !vm.buffer
    %0 = vm.switch.ref %i[%a, %b] else %c : !vm.buffer
    vm.return %0 : !vm.buffer
  }

  vm.export @branch_on_null
  vm.func @branch_on_null(%i: i32) -> i32 {
    %c1 = vm.const.i32 1
    %c0 = vm.const.i32.zero
    %c5 = vm.const.i32 5
    %c6 = vm.const.i32 6
    %a = vm.const.ref.rodata @a : !vm.buffer
    %list = vm.list.alloc %c1 : (i32) -> !vm.list<?>
    vm.list.resize %list, %c1 : (!vm.list<?>, i32)
    vm.cond_br %i, ^set, ^test
  ^set:
    vm.list.set.ref %list, %c0, %a : (!vm.list<?>, i32, !vm.buffer)
    vm.br ^test
  ^test:
    %b = vm.list.get.ref %list, %c0 : (!vm.list<?>, i32) -> !vm.buffer
    %nz = vm.cmp.nz.ref %b : !vm.buffer
    vm.cond_br %nz, ^yes, ^no
  ^yes:
    vm.return %c5 : i32
  ^no:
    vm.return %c6 : i32
  }

  // Exchanges two references in each turn.
  vm.export @swap
  vm.func @swap(%n: i32) -> (!vm.buffer, !vm.buffer) {
    %c1 = vm.const.i32 1
    %a = vm.const.ref.rodata @a : !vm.buffer
    %b = vm.const.ref.rodata @b : !vm.buffer
    vm.br ^loop(%n, %a, %b : i32, !vm.buffer, !vm.buffer)
  ^loop(%i: i32, %p: !vm.buffer, %q: !vm.buffer):
    %more = vm.cmp.nz.i32 %i : i32
    %i2 = vm.sub.i32 %i, %c1 : i32
    vm.cond_br %more, ^loop(%i2, %q, %p : i32, !vm.buffer, !vm.buffer), ^done
  ^done:
    vm.return %p, %q : !vm.buffer, !vm.buffer
  }

  vm.export @cast
  vm.func @cast() -> !vm.buffer {
    %a = vm.const.ref.rodata @a : !vm.buffer
    %any = vm.call @opaque(%a) : (!vm.buffer) -> !vm.ref<?>
    %0 = vm.cast.any.ref %any : !vm.ref<?> -> !vm.buffer
    vm.return %0 : !vm.buffer
  }
  vm.export @cast_wrong
  vm.func @cast_wrong() -> !vm.list<i32> {
    %a = vm.const.ref.rodata @a : !vm.buffer
    %any = vm.call @opaque(%a) : (!vm.buffer) -> !vm.ref<?>
    %0 = vm.cast.any.ref %any : !vm.ref<?> -> !vm.list<i32>
    vm.return %0 : !vm.list<i32>
  }
  vm.func private @opaque(%a: !vm.buffer) -> !vm.ref<?> attributes {inlining_policy = #util.inline.never} {
    %0 = vm.cast.ref.any %a : !vm.buffer -> !vm.ref<?>
    vm.return %0 : !vm.ref<?>
  }

  vm.export @null
  vm.func @null() -> !vm.buffer {
    %null = vm.const.ref.zero : !vm.buffer
    vm.return %null : !vm.buffer
  }
}
