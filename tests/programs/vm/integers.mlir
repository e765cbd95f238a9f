// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Integer instructions, one in each function.
vm.module @integers {
  vm.export @add_i32
  vm.func @add_i32(%a: i32, %b: i32) -> i32 {
    %0 = vm.add.i32 %a, %b : i32
    vm.return %0 : i32
  }
  vm.export @sub_i32
  vm.func @sub_i32(%a: i32, %b: i32) -> i32 {
    %0 = vm.sub.i32 %a, %b : i32
    vm.return %0 : i32
  }
  vm.export @mul_i32
  vm.func @mul_i32(%a: i32, %b: i32) -> i32 {
    %0 = vm.mul.i32 %a, %b : i32
    vm.return %0 : i32
  }
  vm.export @and_i32
  vm.func @and_i32(%a: i32, %b: i32) -> i32 {
    %0 = vm.and.i32 %a, %b : i32
    vm.return %0 : i32
  }
  vm.export @or_i32
  vm.func @or_i32(%a: i32, %b: i32) -> i32 {
    %0 = vm.or.i32 %a, %b : i32
    vm.return %0 : i32
  }
  vm.export @xor_i32
  vm.func @xor_i32(%a: i32, %b: i32) -> i32 {
    %0 = vm.xor.i32 %a, %b : i32
    vm.return %0 : i32
  }
  vm.export @div_i32_s
  vm.func @div_i32_s(%a: i32, %b: i32) -> i32 {
    %0 = vm.div.i32.s %a, %b : i32
    vm.return %0 : i32
  }
  vm.export @div_i32_u
  vm.func @div_i32_u(%a: i32, %b: i32) -> i32 {
    %0 = vm.div.i32.u %a, %b : i32
    vm.return %0 : i32
  }
  vm.export @rem_i32_s
  vm.func @rem_i32_s(%a: i32, %b: i32) -> i32 {
    %0 = vm.rem.i32.s %a, %b : i32
    vm.return %0 : i32
  }
  vm.export @rem_i32_u
  vm.func @rem_i32_u(%a: i32, %b: i32) -> i32 {
    %0 = vm.rem.i32.u %a, %b : i32
    vm.return %0 : i32
  }
  vm.export @min_i32_s
  vm.func @min_i32_s(%a: i32, %b: i32) -> i32 {
    %0 = vm.min.i32.s %a, %b : i32
    vm.return %0 : i32
  }
  vm.export @min_i32_u
  vm.func @min_i32_u(%a: i32, %b: i32) -> i32 {
    %0 = vm.min.i32.u %a, %b : i32
    vm.return %0 : i32
  }
  vm.export @max_i32_s
  vm.func @max_i32_s(%a: i32, %b: i32) -> i32 {
    %0 = vm.max.i32.s %a, %b : i32
    vm.return %0 : i32
  }
  vm.export @max_i32_u
  vm.func @max_i32_u(%a: i32, %b: i32) -> i32 {
    %0 = vm.max.i32.u %a, %b : i32
    vm.return %0 : i32
  }
  vm.export @not_i32
  vm.func @not_i32(%a: i32) -> i32 {
    %0 = vm.not.i32 %a : i32
    vm.return %0 : i32
  }
  vm.export @abs_i32
  vm.func @abs_i32(%a: i32) -> i32 {
    %0 = vm.abs.i32 %a : i32
    vm.return %0 : i32
  }
  vm.export @ctlz_i32
  vm.func @ctlz_i32(%a: i32) -> i32 {
    %0 = vm.ctlz.i32 %a : i32
    vm.return %0 : i32
  }
  vm.export @fma_i32
  vm.func @fma_i32(%a: i32, %b: i32, %c: i32) -> i32 {
    %0 = vm.fma.i32 %a, %b, %c : i32
    vm.return %0 : i32
  }
  vm.export @shl_i32
  vm.func @shl_i32(%a: i32, %b: i32) -> i32 {
    %0 = vm.shl.i32 %a, %b : i32
    vm.return %0 : i32
  }
  vm.export @shr_i32_s
  vm.func @shr_i32_s(%a: i32, %b: i32) -> i32 {
    %0 = vm.shr.i32.s %a, %b : i32
    vm.return %0 : i32
  }
  vm.export @shr_i32_u
  vm.func @shr_i32_u(%a: i32, %b: i32) -> i32 {
    %0 = vm.shr.i32.u %a, %b : i32
    vm.return %0 : i32
  }
  vm.export @cmp_eq_i32
  vm.func @cmp_eq_i32(%a: i32, %b: i32) -> i32 {
    %0 = vm.cmp.eq.i32 %a, %b : i32
    vm.return %0 : i32
  }
  vm.export @cmp_ne_i32
  vm.func @cmp_ne_i32(%a: i32, %b: i32) -> i32 {
    %0 = vm.cmp.ne.i32 %a, %b : i32
    vm.return %0 : i32
  }
  vm.export @cmp_lt_i32_s
  vm.func @cmp_lt_i32_s(%a: i32, %b: i32) -> i32 {
    %0 = vm.cmp.lt.i32.s %a, %b : i32
    vm.return %0 : i32
  }
  vm.export @cmp_lt_i32_u
  vm.func @cmp_lt_i32_u(%a: i32, %b: i32) -> i32 {
    %0 = vm.cmp.lt.i32.u %a, %b : i32
    vm.return %0 : i32
  }
  vm.export @cmp_nz_i32
  vm.func @cmp_nz_i32(%a: i32) -> i32 {
    %0 = vm.cmp.nz.i32 %a : i32
    vm.return %0 : i32
  }
  vm.export @select_i32
  vm.func @select_i32(%c: i32, %a: i32, %b: i32) -> i32 {
    %0 = vm.select.i32 %c, %a, %b : i32
    vm.return %0 : i32
  }
  vm.export @switch_i32
  vm.func @switch_i32(%i: i32, %a: i32, %b: i32, %d: i32) -> i32 {
    %0 = vm.switch.i32 %i[%a, %b] else %d : i32
    vm.return %0 : i32
  }
  vm.export @const_i32
  vm.func @const_i32() -> i32 {
    %0 = vm.const.i32 -123456789
    vm.return %0 : i32
  }
  vm.export @const_i32_zero
  vm.func @const_i32_zero() -> i32 {
    %0 = vm.const.i32.zero
    vm.return %0 : i32
  }
  vm.export @add_i64
  vm.func @add_i64(%a: i64, %b: i64) -> i64 {
    %0 = vm.add.i64 %a, %b : i64
    vm.return %0 : i64
  }
  vm.export @sub_i64
  vm.func @sub_i64(%a: i64, %b: i64) -> i64 {
    %0 = vm.sub.i64 %a, %b : i64
    vm.return %0 : i64
  }
  vm.export @mul_i64
  vm.func @mul_i64(%a: i64, %b: i64) -> i64 {
    %0 = vm.mul.i64 %a, %b : i64
    vm.return %0 : i64
  }
  vm.export @and_i64
  vm.func @and_i64(%a: i64, %b: i64) -> i64 {
    %0 = vm.and.i64 %a, %b : i64
    vm.return %0 : i64
  }
  vm.export @or_i64
  vm.func @or_i64(%a: i64, %b: i64) -> i64 {
    %0 = vm.or.i64 %a, %b : i64
    vm.return %0 : i64
  }
  vm.export @xor_i64
  vm.func @xor_i64(%a: i64, %b: i64) -> i64 {
    %0 = vm.xor.i64 %a, %b : i64
    vm.return %0 : i64
  }
  vm.export @div_i64_s
  vm.func @div_i64_s(%a: i64, %b: i64) -> i64 {
    %0 = vm.div.i64.s %a, %b : i64
    vm.return %0 : i64
  }
  vm.export @div_i64_u
  vm.func @div_i64_u(%a: i64, %b: i64) -> i64 {
    %0 = vm.div.i64.u %a, %b : i64
    vm.return %0 : i64
  }
  vm.export @rem_i64_s
  vm.func @rem_i64_s(%a: i64, %b: i64) -> i64 {
    %0 = vm.rem.i64.s %a, %b : i64
    vm.return %0 : i64
  }
  vm.export @rem_i64_u
  vm.func @rem_i64_u(%a: i64, %b: i64) -> i64 {
    %0 = vm.rem.i64.u %a, %b : i64
    vm.return %0 : i64
  }
  vm.export @min_i64_s
  vm.func @min_i64_s(%a: i64, %b: i64) -> i64 {
    %0 = vm.min.i64.s %a, %b : i64
    vm.return %0 : i64
  }
  vm.export @min_i64_u
  vm.func @min_i64_u(%a: i64, %b: i64) -> i64 {
    %0 = vm.min.i64.u %a, %b : i64
    vm.return %0 : i64
  }
  vm.export @max_i64_s
  vm.func @max_i64_s(%a: i64, %b: i64) -> i64 {
    %0 = vm.max.i64.s %a, %b : i64
    vm.return %0 : i64
  }
  vm.export @max_i64_u
  vm.func @max_i64_u(%a: i64, %b: i64) -> i64 {
    %0 = vm.max.i64.u %a, %b : i64
    vm.return %0 : i64
  }
  vm.export @not_i64
  vm.func @not_i64(%a: i64) -> i64 {
    %0 = vm.not.i64 %a : i64
    vm.return %0 : i64
  }
  vm.export @abs_i64
  vm.func @abs_i64(%a: i64) -> i64 {
    %0 = vm.abs.i64 %a : i64
    vm.return %0 : i64
  }
  vm.export @ctlz_i64
  vm.func @ctlz_i64(%a: i64) -> i64 {
    %0 = vm.ctlz.i64 %a : i64
    vm.return %0 : i64
  }
  vm.export @fma_i64
  vm.func @fma_i64(%a: i64, %b: i64, %c: i64) -> i64 {
    %0 = vm.fma.i64 %a, %b, %c : i64
    vm.return %0 : i64
  }
  vm.export @shl_i64
  vm.func @shl_i64(%a: i64, %b: i32) -> i64 {
    %0 = vm.shl.i64 %a, %b : i64
    vm.return %0 : i64
  }
  vm.export @shr_i64_s
  vm.func @shr_i64_s(%a: i64, %b: i32) -> i64 {
    %0 = vm.shr.i64.s %a, %b : i64
    vm.return %0 : i64
  }
  vm.export @shr_i64_u
  vm.func @shr_i64_u(%a: i64, %b: i32) -> i64 {
    %0 = vm.shr.i64.u %a, %b : i64
    vm.return %0 : i64
  }
  vm.export @cmp_eq_i64
  vm.func @cmp_eq_i64(%a: i64, %b: i64) -> i32 {
    %0 = vm.cmp.eq.i64 %a, %b : i64
    vm.return %0 : i32
  }
  vm.export @cmp_ne_i64
  vm.func @cmp_ne_i64(%a: i64, %b: i64) -> i32 {
    %0 = vm.cmp.ne.i64 %a, %b : i64
    vm.return %0 : i32
  }
  vm.export @cmp_lt_i64_s
  vm.func @cmp_lt_i64_s(%a: i64, %b: i64) -> i32 {
    %0 = vm.cmp.lt.i64.s %a, %b : i64
    vm.return %0 : i32
  }
  vm.export @cmp_lt_i64_u
  vm.func @cmp_lt_i64_u(%a: i64, %b: i64) -> i32 {
    %0 = vm.cmp.lt.i64.u %a, %b : i64
    vm.return %0 : i32
  }
  vm.export @cmp_nz_i64
  vm.func @cmp_nz_i64(%a: i64) -> i32 {
    %0 = vm.cmp.nz.i64 %a : i64
    vm.return %0 : i32
  }
  vm.export @select_i64
  vm.func @select_i64(%c: i32, %a: i64, %b: i64) -> i64 {
    %0 = vm.select.i64 %c, %a, %b : i64
    vm.return %0 : i64
  }
  vm.export @switch_i64
  vm.func @switch_i64(%i: i32, %a: i64, %b: i64, %d: i64) -> i64 {
    %0 = vm.switch.i64 %i[%a, %b] else %d : i64
    vm.return %0 : i64
  }
  vm.export @const_i64
  vm.func @const_i64() -> i64 {
    %0 = vm.const.i64 -1234567890123456789
    vm.return %0 : i64
  }
  vm.export @const_i64_zero
  vm.func @const_i64_zero() -> i64 {
    %0 = vm.const.i64.zero
    vm.return %0 : i64
  }
  vm.export @trunc_i32_i8
  vm.func @trunc_i32_i8(%a: i32) -> i32 {
    %0 = vm.trunc.i32.i8 %a : i32 -> i32
    vm.return %0 : i32
  }
  vm.export @trunc_i32_i16
  vm.func @trunc_i32_i16(%a: i32) -> i32 {
    %0 = vm.trunc.i32.i16 %a : i32 -> i32
    vm.return %0 : i32
  }
  vm.export @trunc_i64_i32
  vm.func @trunc_i64_i32(%a: i64) -> i32 {
    %0 = vm.trunc.i64.i32 %a : i64 -> i32
    vm.return %0 : i32
  }
  vm.export @ext_i8_i32_s
  vm.func @ext_i8_i32_s(%a: i32) -> i32 {
    %0 = vm.ext.i8.i32.s %a : i32 -> i32
    vm.return %0 : i32
  }
  vm.export @ext_i8_i32_u
  vm.func @ext_i8_i32_u(%a: i32) -> i32 {
    %0 = vm.ext.i8.i32.u %a : i32 -> i32
    vm.return %0 : i32
  }
  vm.export @ext_i16_i32_s
  vm.func @ext_i16_i32_s(%a: i32) -> i32 {
    %0 = vm.ext.i16.i32.s %a : i32 -> i32
    vm.return %0 : i32
  }
  vm.export @ext_i16_i32_u
  vm.func @ext_i16_i32_u(%a: i32) -> i32 {
    %0 = vm.ext.i16.i32.u %a : i32 -> i32
    vm.return %0 : i32
  }
  vm.export @ext_i32_i64_s
  vm.func @ext_i32_i64_s(%a: i32) -> i64 {
    %0 = vm.ext.i32.i64.s %a : i32 -> i64
    vm.return %0 : i64
  }
  vm.export @ext_i32_i64_u
  vm.func @ext_i32_i64_u(%a: i32) -> i64 {
    %0 = vm.ext.i32.i64.u %a : i32 -> i64
    vm.return %0 : i64
  }
}
