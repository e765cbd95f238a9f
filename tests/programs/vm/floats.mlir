// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Floating-point instructions, one in each function.
vm.module @floats {
  vm.export @add_f32
  vm.func @add_f32(%a: f32, %b: f32) -> f32 {
    %0 = vm.add.f32 %a, %b : f32
    vm.return %0 : f32
  }
  vm.export @sub_f32
  vm.func @sub_f32(%a: f32, %b: f32) -> f32 {
    %0 = vm.sub.f32 %a, %b : f32
    vm.return %0 : f32
  }
  vm.export @mul_f32
  vm.func @mul_f32(%a: f32, %b: f32) -> f32 {
    %0 = vm.mul.f32 %a, %b : f32
    vm.return %0 : f32
  }
  vm.export @div_f32
  vm.func @div_f32(%a: f32, %b: f32) -> f32 {
    %0 = vm.div.f32 %a, %b : f32
    vm.return %0 : f32
  }
  vm.export @rem_f32
  vm.func @rem_f32(%a: f32, %b: f32) -> f32 {
    %0 = vm.rem.f32 %a, %b : f32
    vm.return %0 : f32
  }
  vm.export @min_f32
  vm.func @min_f32(%a: f32, %b: f32) -> f32 {
    %0 = vm.min.f32 %a, %b : f32
    vm.return %0 : f32
  }
  vm.export @max_f32
  vm.func @max_f32(%a: f32, %b: f32) -> f32 {
    %0 = vm.max.f32 %a, %b : f32
    vm.return %0 : f32
  }
  vm.export @atan2_f32
  vm.func @atan2_f32(%a: f32, %b: f32) -> f32 {
    %0 = vm.atan2.f32 %a, %b : f32
    vm.return %0 : f32
  }
  vm.export @pow_f32
  vm.func @pow_f32(%a: f32, %b: f32) -> f32 {
    %0 = vm.pow.f32 %a, %b : f32
    vm.return %0 : f32
  }
  vm.export @fma_f32
  vm.func @fma_f32(%a: f32, %b: f32, %c: f32) -> f32 {
    %0 = vm.fma.f32 %a, %b, %c : f32
    vm.return %0 : f32
  }
  vm.export @abs_f32
  vm.func @abs_f32(%a: f32) -> f32 {
    %0 = vm.abs.f32 %a : f32
    vm.return %0 : f32
  }
  vm.export @neg_f32
  vm.func @neg_f32(%a: f32) -> f32 {
    %0 = vm.neg.f32 %a : f32
    vm.return %0 : f32
  }
  vm.export @ceil_f32
  vm.func @ceil_f32(%a: f32) -> f32 {
    %0 = vm.ceil.f32 %a : f32
    vm.return %0 : f32
  }
  vm.export @floor_f32
  vm.func @floor_f32(%a: f32) -> f32 {
    %0 = vm.floor.f32 %a : f32
    vm.return %0 : f32
  }
  vm.export @round_f32
  vm.func @round_f32(%a: f32) -> f32 {
    %0 = vm.round.f32 %a : f32
    vm.return %0 : f32
  }
  vm.export @atan_f32
  vm.func @atan_f32(%a: f32) -> f32 {
    %0 = vm.atan.f32 %a : f32
    vm.return %0 : f32
  }
  vm.export @cos_f32
  vm.func @cos_f32(%a: f32) -> f32 {
    %0 = vm.cos.f32 %a : f32
    vm.return %0 : f32
  }
  vm.export @sin_f32
  vm.func @sin_f32(%a: f32) -> f32 {
    %0 = vm.sin.f32 %a : f32
    vm.return %0 : f32
  }
  vm.export @exp_f32
  vm.func @exp_f32(%a: f32) -> f32 {
    %0 = vm.exp.f32 %a : f32
    vm.return %0 : f32
  }
  vm.export @exp2_f32
  vm.func @exp2_f32(%a: f32) -> f32 {
    %0 = vm.exp2.f32 %a : f32
    vm.return %0 : f32
  }
  vm.export @expm1_f32
  vm.func @expm1_f32(%a: f32) -> f32 {
    %0 = vm.expm1.f32 %a : f32
    vm.return %0 : f32
  }
  vm.export @log_f32
  vm.func @log_f32(%a: f32) -> f32 {
    %0 = vm.log.f32 %a : f32
    vm.return %0 : f32
  }
  vm.export @log10_f32
  vm.func @log10_f32(%a: f32) -> f32 {
    %0 = vm.log10.f32 %a : f32
    vm.return %0 : f32
  }
  vm.export @log1p_f32
  vm.func @log1p_f32(%a: f32) -> f32 {
    %0 = vm.log1p.f32 %a : f32
    vm.return %0 : f32
  }
  vm.export @log2_f32
  vm.func @log2_f32(%a: f32) -> f32 {
    %0 = vm.log2.f32 %a : f32
    vm.return %0 : f32
  }
  vm.export @rsqrt_f32
  vm.func @rsqrt_f32(%a: f32) -> f32 {
    %0 = vm.rsqrt.f32 %a : f32
    vm.return %0 : f32
  }
  vm.export @sqrt_f32
  vm.func @sqrt_f32(%a: f32) -> f32 {
    %0 = vm.sqrt.f32 %a : f32
    vm.return %0 : f32
  }
  vm.export @tanh_f32
  vm.func @tanh_f32(%a: f32) -> f32 {
    %0 = vm.tanh.f32 %a : f32
    vm.return %0 : f32
  }
  vm.export @erf_f32
  vm.func @erf_f32(%a: f32) -> f32 {
    %0 = vm.erf.f32 %a : f32
    vm.return %0 : f32
  }
  vm.export @round_f32_even
  vm.func @round_f32_even(%a: f32) -> f32 {
    %0 = vm.round.f32.even %a : f32
    vm.return %0 : f32
  }
  vm.export @cmp_eq_f32_o
  vm.func @cmp_eq_f32_o(%a: f32, %b: f32) -> i32 {
    %0 = vm.cmp.eq.f32.o %a, %b : f32
    vm.return %0 : i32
  }
  vm.export @cmp_eq_f32_u
  vm.func @cmp_eq_f32_u(%a: f32, %b: f32) -> i32 {
    %0 = vm.cmp.eq.f32.u %a, %b : f32
    vm.return %0 : i32
  }
  vm.export @cmp_ne_f32_o
  vm.func @cmp_ne_f32_o(%a: f32, %b: f32) -> i32 {
    %0 = vm.cmp.ne.f32.o %a, %b : f32
    vm.return %0 : i32
  }
  vm.export @cmp_ne_f32_u
  vm.func @cmp_ne_f32_u(%a: f32, %b: f32) -> i32 {
    %0 = vm.cmp.ne.f32.u %a, %b : f32
    vm.return %0 : i32
  }
  vm.export @cmp_lt_f32_o
  vm.func @cmp_lt_f32_o(%a: f32, %b: f32) -> i32 {
    %0 = vm.cmp.lt.f32.o %a, %b : f32
    vm.return %0 : i32
  }
  vm.export @cmp_lt_f32_u
  vm.func @cmp_lt_f32_u(%a: f32, %b: f32) -> i32 {
    %0 = vm.cmp.lt.f32.u %a, %b : f32
    vm.return %0 : i32
  }
  vm.export @cmp_lte_f32_o
  vm.func @cmp_lte_f32_o(%a: f32, %b: f32) -> i32 {
    %0 = vm.cmp.lte.f32.o %a, %b : f32
    vm.return %0 : i32
  }
  vm.export @cmp_lte_f32_u
  vm.func @cmp_lte_f32_u(%a: f32, %b: f32) -> i32 {
    %0 = vm.cmp.lte.f32.u %a, %b : f32
    vm.return %0 : i32
  }
  vm.export @cmp_nan_f32
  vm.func @cmp_nan_f32(%a: f32) -> i32 {
    %0 = vm.cmp.nan.f32 %a : f32
    vm.return %0 : i32
  }
  vm.export @select_f32
  vm.func @select_f32(%c: i32, %a: f32, %b: f32) -> f32 {
    %0 = vm.select.f32 %c, %a, %b : f32
    vm.return %0 : f32
  }
  vm.export @switch_f32
  vm.func @switch_f32(%i: i32, %a: f32, %b: f32, %d: f32) -> f32 {
    %0 = vm.switch.f32 %i[%a, %b] else %d : f32
    vm.return %0 : f32
  }
  vm.export @const_f32
  vm.func @const_f32() -> f32 {
    %0 = vm.const.f32 -1.5
    vm.return %0 : f32
  }
  vm.export @const_f32_zero
  vm.func @const_f32_zero() -> f32 {
    %0 = vm.const.f32.zero
    vm.return %0 : f32
  }
  vm.export @cast_si32_f32
  vm.func @cast_si32_f32(%a: i32) -> f32 {
    %0 = vm.cast.si32.f32 %a : i32 -> f32
    vm.return %0 : f32
  }
  vm.export @cast_ui32_f32
  vm.func @cast_ui32_f32(%a: i32) -> f32 {
    %0 = vm.cast.ui32.f32 %a : i32 -> f32
    vm.return %0 : f32
  }
  vm.export @cast_f32_si32
  vm.func @cast_f32_si32(%a: f32) -> i32 {
    %0 = vm.cast.f32.si32 %a : f32 -> i32
    vm.return %0 : i32
  }
  vm.export @cast_f32_ui32
  vm.func @cast_f32_ui32(%a: f32) -> i32 {
    %0 = vm.cast.f32.ui32 %a : f32 -> i32
    vm.return %0 : i32
  }
  vm.export @cast_si64_f32
  vm.func @cast_si64_f32(%a: i64) -> f32 {
    %0 = vm.cast.si64.f32 %a : i64 -> f32
    vm.return %0 : f32
  }
  vm.export @cast_ui64_f32
  vm.func @cast_ui64_f32(%a: i64) -> f32 {
    %0 = vm.cast.ui64.f32 %a : i64 -> f32
    vm.return %0 : f32
  }
  vm.export @cast_f32_si64
  vm.func @cast_f32_si64(%a: f32) -> i64 {
    %0 = vm.cast.f32.si64 %a : f32 -> i64
    vm.return %0 : i64
  }
  vm.export @cast_f32_ui64
  vm.func @cast_f32_ui64(%a: f32) -> i64 {
    %0 = vm.cast.f32.ui64 %a : f32 -> i64
    vm.return %0 : i64
  }
  vm.export @add_f64
  vm.func @add_f64(%a: f64, %b: f64) -> f64 {
    %0 = vm.add.f64 %a, %b : f64
    vm.return %0 : f64
  }
  vm.export @sub_f64
  vm.func @sub_f64(%a: f64, %b: f64) -> f64 {
    %0 = vm.sub.f64 %a, %b : f64
    vm.return %0 : f64
  }
  vm.export @mul_f64
  vm.func @mul_f64(%a: f64, %b: f64) -> f64 {
    %0 = vm.mul.f64 %a, %b : f64
    vm.return %0 : f64
  }
  vm.export @div_f64
  vm.func @div_f64(%a: f64, %b: f64) -> f64 {
    %0 = vm.div.f64 %a, %b : f64
    vm.return %0 : f64
  }
  vm.export @rem_f64
  vm.func @rem_f64(%a: f64, %b: f64) -> f64 {
    %0 = vm.rem.f64 %a, %b : f64
    vm.return %0 : f64
  }
  vm.export @min_f64
  vm.func @min_f64(%a: f64, %b: f64) -> f64 {
    %0 = vm.min.f64 %a, %b : f64
    vm.return %0 : f64
  }
  vm.export @max_f64
  vm.func @max_f64(%a: f64, %b: f64) -> f64 {
    %0 = vm.max.f64 %a, %b : f64
    vm.return %0 : f64
  }
  vm.export @atan2_f64
  vm.func @atan2_f64(%a: f64, %b: f64) -> f64 {
    %0 = vm.atan2.f64 %a, %b : f64
    vm.return %0 : f64
  }
  vm.export @pow_f64
  vm.func @pow_f64(%a: f64, %b: f64) -> f64 {
    %0 = vm.pow.f64 %a, %b : f64
    vm.return %0 : f64
  }
  vm.export @fma_f64
  vm.func @fma_f64(%a: f64, %b: f64, %c: f64) -> f64 {
    %0 = vm.fma.f64 %a, %b, %c : f64
    vm.return %0 : f64
  }
  vm.export @abs_f64
  vm.func @abs_f64(%a: f64) -> f64 {
    %0 = vm.abs.f64 %a : f64
    vm.return %0 : f64
  }
  vm.export @neg_f64
  vm.func @neg_f64(%a: f64) -> f64 {
    %0 = vm.neg.f64 %a : f64
    vm.return %0 : f64
  }
  vm.export @ceil_f64
  vm.func @ceil_f64(%a: f64) -> f64 {
    %0 = vm.ceil.f64 %a : f64
    vm.return %0 : f64
  }
  vm.export @floor_f64
  vm.func @floor_f64(%a: f64) -> f64 {
    %0 = vm.floor.f64 %a : f64
    vm.return %0 : f64
  }
  vm.export @round_f64
  vm.func @round_f64(%a: f64) -> f64 {
    %0 = vm.round.f64 %a : f64
    vm.return %0 : f64
  }
  vm.export @atan_f64
  vm.func @atan_f64(%a: f64) -> f64 {
    %0 = vm.atan.f64 %a : f64
    vm.return %0 : f64
  }
  vm.export @cos_f64
  vm.func @cos_f64(%a: f64) -> f64 {
    %0 = vm.cos.f64 %a : f64
    vm.return %0 : f64
  }
  vm.export @sin_f64
  vm.func @sin_f64(%a: f64) -> f64 {
    %0 = vm.sin.f64 %a : f64
    vm.return %0 : f64
  }
  vm.export @exp_f64
  vm.func @exp_f64(%a: f64) -> f64 {
    %0 = vm.exp.f64 %a : f64
    vm.return %0 : f64
  }
  vm.export @exp2_f64
  vm.func @exp2_f64(%a: f64) -> f64 {
    %0 = vm.exp2.f64 %a : f64
    vm.return %0 : f64
  }
  vm.export @expm1_f64
  vm.func @expm1_f64(%a: f64) -> f64 {
    %0 = vm.expm1.f64 %a : f64
    vm.return %0 : f64
  }
  vm.export @log_f64
  vm.func @log_f64(%a: f64) -> f64 {
    %0 = vm.log.f64 %a : f64
    vm.return %0 : f64
  }
  vm.export @log10_f64
  vm.func @log10_f64(%a: f64) -> f64 {
    %0 = vm.log10.f64 %a : f64
    vm.return %0 : f64
  }
  vm.export @log1p_f64
  vm.func @log1p_f64(%a: f64) -> f64 {
    %0 = vm.log1p.f64 %a : f64
    vm.return %0 : f64
  }
  vm.export @log2_f64
  vm.func @log2_f64(%a: f64) -> f64 {
    %0 = vm.log2.f64 %a : f64
    vm.return %0 : f64
  }
  vm.export @rsqrt_f64
  vm.func @rsqrt_f64(%a: f64) -> f64 {
    %0 = vm.rsqrt.f64 %a : f64
    vm.return %0 : f64
  }
  vm.export @sqrt_f64
  vm.func @sqrt_f64(%a: f64) -> f64 {
    %0 = vm.sqrt.f64 %a : f64
    vm.return %0 : f64
  }
  vm.export @tanh_f64
  vm.func @tanh_f64(%a: f64) -> f64 {
    %0 = vm.tanh.f64 %a : f64
    vm.return %0 : f64
  }
  vm.export @erf_f64
  vm.func @erf_f64(%a: f64) -> f64 {
    %0 = vm.erf.f64 %a : f64
    vm.return %0 : f64
  }
  vm.export @round_f64_even
  vm.func @round_f64_even(%a: f64) -> f64 {
    %0 = vm.round.f64.even %a : f64
    vm.return %0 : f64
  }
  vm.export @cmp_eq_f64_o
  vm.func @cmp_eq_f64_o(%a: f64, %b: f64) -> i32 {
    %0 = vm.cmp.eq.f64.o %a, %b : f64
    vm.return %0 : i32
  }
  vm.export @cmp_eq_f64_u
  vm.func @cmp_eq_f64_u(%a: f64, %b: f64) -> i32 {
    %0 = vm.cmp.eq.f64.u %a, %b : f64
    vm.return %0 : i32
  }
  vm.export @cmp_ne_f64_o
  vm.func @cmp_ne_f64_o(%a: f64, %b: f64) -> i32 {
    %0 = vm.cmp.ne.f64.o %a, %b : f64
    vm.return %0 : i32
  }
  vm.export @cmp_ne_f64_u
  vm.func @cmp_ne_f64_u(%a: f64, %b: f64) -> i32 {
    %0 = vm.cmp.ne.f64.u %a, %b : f64
    vm.return %0 : i32
  }
  vm.export @cmp_lt_f64_o
  vm.func @cmp_lt_f64_o(%a: f64, %b: f64) -> i32 {
    %0 = vm.cmp.lt.f64.o %a, %b : f64
    vm.return %0 : i32
  }
  vm.export @cmp_lt_f64_u
  vm.func @cmp_lt_f64_u(%a: f64, %b: f64) -> i32 {
    %0 = vm.cmp.lt.f64.u %a, %b : f64
    vm.return %0 : i32
  }
  vm.export @cmp_lte_f64_o
  vm.func @cmp_lte_f64_o(%a: f64, %b: f64) -> i32 {
    %0 = vm.cmp.lte.f64.o %a, %b : f64
    vm.return %0 : i32
  }
  vm.export @cmp_lte_f64_u
  vm.func @cmp_lte_f64_u(%a: f64, %b: f64) -> i32 {
    %0 = vm.cmp.lte.f64.u %a, %b : f64
    vm.return %0 : i32
  }
  vm.export @cmp_nan_f64
  vm.func @cmp_nan_f64(%a: f64) -> i32 {
    %0 = vm.cmp.nan.f64 %a : f64
    vm.return %0 : i32
  }
  vm.export @select_f64
  vm.func @select_f64(%c: i32, %a: f64, %b: f64) -> f64 {
    %0 = vm.select.f64 %c, %a, %b : f64
    vm.return %0 : f64
  }
  vm.export @switch_f64
  vm.func @switch_f64(%i: i32, %a: f64, %b: f64, %d: f64) -> f64 {
    %0 = vm.switch.f64 %i[%a, %b] else %d : f64
    vm.return %0 : f64
  }
  vm.export @const_f64
  vm.func @const_f64() -> f64 {
    %0 = vm.const.f64 -1.5
    vm.return %0 : f64
  }
  vm.export @const_f64_zero
  vm.func @const_f64_zero() -> f64 {
    %0 = vm.const.f64.zero
    vm.return %0 : f64
  }
  vm.export @cast_si64_f64
  vm.func @cast_si64_f64(%a: i64) -> f64 {
    %0 = vm.cast.si64.f64 %a : i64 -> f64
    vm.return %0 : f64
  }
  vm.export @cast_ui64_f64
  vm.func @cast_ui64_f64(%a: i64) -> f64 {
    %0 = vm.cast.ui64.f64 %a : i64 -> f64
    vm.return %0 : f64
  }
  vm.export @cast_f64_si64
  vm.func @cast_f64_si64(%a: f64) -> i64 {
    %0 = vm.cast.f64.si64 %a : f64 -> i64
    vm.return %0 : i64
  }
  vm.export @cast_f64_ui64
  vm.func @cast_f64_ui64(%a: f64) -> i64 {
    %0 = vm.cast.f64.ui64 %a : f64 -> i64
    vm.return %0 : i64
  }
  vm.export @bitcast_i32_f32
  vm.func @bitcast_i32_f32(%a: i32) -> f32 {
    %0 = vm.bitcast.i32.f32 %a : i32 -> f32
    vm.return %0 : f32
  }
  vm.export @bitcast_f32_i32
  vm.func @bitcast_f32_i32(%a: f32) -> i32 {
    %0 = vm.bitcast.f32.i32 %a : f32 -> i32
    vm.return %0 : i32
  }
  vm.export @bitcast_i64_f64
  vm.func @bitcast_i64_f64(%a: i64) -> f64 {
    %0 = vm.bitcast.i64.f64 %a : i64 -> f64
    vm.return %0 : f64
  }
  vm.export @bitcast_f64_i64
  vm.func @bitcast_f64_i64(%a: f64) -> i64 {
    %0 = vm.bitcast.f64.i64 %a : f64 -> i64
    vm.return %0 : i64
  }
  vm.export @trunc_f64_f32
  vm.func @trunc_f64_f32(%a: f64) -> f32 {
    %0 = vm.trunc.f64.f32 %a : f64 -> f32
    vm.return %0 : f32
  }
  vm.export @ext_f32_f64
  vm.func @ext_f32_f64(%a: f32) -> f64 {
    %0 = vm.ext.f32.f64 %a : f32 -> f64
    vm.return %0 : f64
  }
}
