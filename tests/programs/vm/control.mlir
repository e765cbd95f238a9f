// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Control flow: branches with values, tables, calls, recursion, failures.
vm.module @control {
  vm.export @sum_to
  vm.func @sum_to(%n: i32) -> i64 {
    %c0 = vm.const.i32.zero
    %c1 = vm.const.i32 1
    %z = vm.const.i64.zero
    vm.br ^loop(%c0, %z : i32, i64)
  ^loop(%i: i32, %s: i64):
    %more = vm.cmp.lt.i32.s %i, %n : i32
    vm.cond_br %more, ^body, ^done
  ^body:
    %i2 = vm.add.i32 %i, %c1 : i32
    %e = vm.ext.i32.i64.s %i : i32 -> i64
    %s2 = vm.add.i64 %s, %e : i64
    vm.br ^loop(%i2, %s2 : i32, i64)
  ^done:
    vm.return %s : i64
  }

  // Exchanges two values in each turn, a cycle of assignments.
  vm.export @fibonacci
  vm.func @fibonacci(%n: i32) -> i64 {
    %c1 = vm.const.i32 1
    %zero = vm.const.i64.zero
    %one = vm.const.i64 1
    vm.br ^loop(%n, %zero, %one : i32, i64, i64)
  ^loop(%i: i32, %a: i64, %b: i64):
    %more = vm.cmp.nz.i32 %i : i32
    vm.cond_br %more, ^body, ^done
  ^body:
    %i2 = vm.sub.i32 %i, %c1 : i32
    %next = vm.add.i64 %a, %b : i64
    vm.br ^loop(%i2, %b, %next : i32, i64, i64)
  ^done:
    vm.return %a : i64
  }

  vm.export @swap_many
  vm.func @swap_many(%n: i32, %a: i32, %b: i64, %c: i32, %d: i64) -> (i32, i64, i32, i64) {
    %c1 = vm.const.i32 1
    vm.br ^loop(%n, %a, %b, %c, %d : i32, i32, i64, i32, i64)
  ^loop(%i: i32, %p: i32, %q: i64, %r: i32, %s: i64):
    %more = vm.cmp.nz.i32 %i : i32
    %i2 = vm.sub.i32 %i, %c1 : i32
    vm.cond_br %more, ^loop(%i2, %r, %s, %p, %q : i32, i32, i64, i32, i64), ^done
  ^done:
    vm.return %p, %q, %r, %s : i32, i64, i32, i64
  }

  // Branches on comparisons of each kind, whose result is also used later.
  vm.export @compare_branches
  vm.func @compare_branches(%a: i32, %b: i32, %c: i64, %d: i64) -> i32 {
    %r0 = vm.const.i32.zero
    %c1 = vm.const.i32 1
    %c2 = vm.const.i32 2
    %c4 = vm.const.i32 4
    %c8 = vm.const.i32 8
    %c16 = vm.const.i32 16
    %c32 = vm.const.i32 32
    %c64 = vm.const.i32 64
    %c128 = vm.const.i32 128
    %c256 = vm.const.i32 256
    %c512 = vm.const.i32 512
    %x0 = vm.cmp.eq.i32 %a, %b : i32
    vm.cond_br %x0, ^t0(%c1 : i32), ^t0(%r0 : i32)
  ^t0(%r1: i32):
    %x1 = vm.cmp.ne.i32 %a, %b : i32
    vm.cond_br %x1, ^t1(%c2 : i32), ^t1(%r0 : i32)
  ^t1(%v1: i32):
    %r2 = vm.or.i32 %r1, %v1 : i32
    %x2 = vm.cmp.lt.i32.s %a, %b : i32
    vm.cond_br %x2, ^t2(%c4 : i32), ^t2(%r0 : i32)
  ^t2(%v2: i32):
    %r3 = vm.or.i32 %r2, %v2 : i32
    %x3 = vm.cmp.lt.i32.u %a, %b : i32
    vm.cond_br %x3, ^t3(%c8 : i32), ^t3(%r0 : i32)
  ^t3(%v3: i32):
    %r4 = vm.or.i32 %r3, %v3 : i32
    %x4 = vm.cmp.nz.i32 %a : i32
    vm.cond_br %x4, ^t4(%c16 : i32), ^t4(%r0 : i32)
  ^t4(%v4: i32):
    %r5 = vm.or.i32 %r4, %v4 : i32
    %x5 = vm.cmp.eq.i64 %c, %d : i64
    vm.cond_br %x5, ^t5(%c32 : i32), ^t5(%r0 : i32)
  ^t5(%v5: i32):
    %r6 = vm.or.i32 %r5, %v5 : i32
    %x6 = vm.cmp.ne.i64 %c, %d : i64
    vm.cond_br %x6, ^t6(%c64 : i32), ^t6(%r0 : i32)
  ^t6(%v6: i32):
    %r7 = vm.or.i32 %r6, %v6 : i32
    %x7 = vm.cmp.lt.i64.s %c, %d : i64
    vm.cond_br %x7, ^t7(%c128 : i32), ^t7(%r0 : i32)
  ^t7(%v7: i32):
    %r8 = vm.or.i32 %r7, %v7 : i32
    %x8 = vm.cmp.lt.i64.u %c, %d : i64
    vm.cond_br %x8, ^t8(%c256 : i32), ^t8(%r0 : i32)
  ^t8(%v8: i32):
    %r9 = vm.or.i32 %r8, %v8 : i32
    %x9 = vm.cmp.nz.i64 %c : i64
    vm.cond_br %x9, ^t9(%c512 : i32), ^t9(%r0 : i32)
  ^t9(%v9: i32):
    %r10 = vm.or.i32 %r9, %v9 : i32
    %c10 = vm.const.i32 10
    %y0 = vm.shl.i32 %x0, %c10 : i32
    %c11 = vm.const.i32 11
    %y9 = vm.shl.i32 %x9, %c11 : i32
    %r11 = vm.or.i32 %r10, %y0 : i32
    %r12 = vm.or.i32 %r11, %y9 : i32
    vm.return %r12 : i32
  }

  vm.export @table
  vm.func @table(%i: i32, %a: i32) -> i32 {
    %c10 = vm.const.i32 10
    %c20 = vm.const.i32 20
    vm.br_table %i {
      default: ^out(%a : i32),
      0: ^out(%c10 : i32),
      1: ^twice(%a : i32),
      2: ^out(%c20 : i32)
    }
  ^twice(%v: i32):
    %w = vm.add.i32 %v, %v : i32
    vm.br ^out(%w : i32)
  ^out(%r: i32):
    vm.return %r : i32
  }

  vm.func private @mixed(%a: i32, %b: i64, %c: f32, %d: f64, %e: i32, %f: !vm.buffer) -> (i64, i32, f64, !vm.buffer, f32) attributes {inlining_policy = #util.inline.never} {
    %x = vm.ext.i32.i64.s %a : i32 -> i64
    %s = vm.sub.i64 %b, %x : i64
    vm.return %s, %e, %d, %f, %c : i64, i32, f64, !vm.buffer, f32
  }
  vm.rodata private @data dense<[5, 6, 7]> : tensor<3xi8>
  vm.export @call_mixed
  vm.func @call_mixed(%a: i32, %b: i64, %c: f32, %d: f64, %e: i32) -> (i64, i32, f64, !vm.buffer, f32) {
    %f = vm.const.ref.rodata @data : !vm.buffer
    %0:5 = vm.call @mixed(%a, %b, %c, %d, %e, %f) : (i32, i64, f32, f64, i32, !vm.buffer) -> (i64, i32, f64, !vm.buffer, f32)
    vm.return %0#0, %0#1, %0#2, %0#3, %0#4 : i64, i32, f64, !vm.buffer, f32
  }

  vm.export @forever
  vm.func @forever(%a: i32) -> i32 {
    vm.br ^loop(%a : i32)
  ^loop(%i: i32):
    %j = vm.mul.i32 %i, %i : i32
    vm.cond_br %j, ^loop(%j : i32), ^done
  ^done:
    vm.return %j : i32
  }

  vm.export @fail
  vm.func @fail(%code: i32) -> i32 {
    vm.cond_fail %code, "on purpose"
    vm.return %code : i32
  }
  vm.func private @fail_below(%code: i32) -> i32 attributes {inlining_policy = #util.inline.never} {
    %r = vm.call @fail(%code) : (i32) -> i32
    %c1 = vm.const.i32 1
    %s = vm.add.i32 %r, %c1 : i32
    vm.return %s : i32
  }
  vm.export @fail_deep
  vm.func @fail_deep(%code: i32) -> i32 {
    %r = vm.call @fail_below(%code) : (i32) -> i32
    vm.return %r : i32
  }

  vm.export @yields
  vm.func @yields(%a: i32) -> i32 {
    %c3 = vm.const.i32 3
    %c1 = vm.const.i32 1
    vm.br ^loop(%c3, %a : i32, i32)
  ^loop(%i: i32, %v: i32):
    %more = vm.cmp.nz.i32 %i : i32
    vm.cond_br %more, ^body, ^done
  ^body:
    %w = vm.add.i32 %v, %v : i32
    %j = vm.sub.i32 %i, %c1 : i32
    vm.yield ^loop(%j, %w : i32, i32)
  ^done:
    vm.return %v : i32
  }
  vm.export @calls_yielding
  vm.func @calls_yielding(%a: i32) -> i32 {
    vm.call.yieldable @yields(%a) : (i32) -> ^resume(i32)
  ^resume(%r: i32):
    %c1 = vm.const.i32 1
    %s = vm.add.i32 %r, %c1 : i32
    vm.return %s : i32
  }

  vm.export @prints
  vm.func @prints(%a: i32) -> i32 {
    vm.trace "an event"(%a) : i32
    vm.print "a message"(%a) : i32
    vm.cond_break %a, ^next(%a : i32)
  ^next(%b: i32):
    vm.break ^last(%b : i32)
  ^last(%c: i32):
    vm.return %c : i32
  }
}
