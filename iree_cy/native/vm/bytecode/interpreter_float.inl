// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the bodies of floating-point instructions; a part of the function in
// interpreter.c.

#define CONVERT(symbol, set, expr) \
  op_##symbol : {                  \
    set(3, (expr));                \
    NEXT(4);                       \
  }
#define BINARY(symbol, set, expr) \
  op_##symbol : {                 \
    set(4, (expr));               \
    NEXT(5);                      \
  }

op_ConstF32Zero : SET_F32(2, 0.0f);
NEXT(3);
op_ConstF32 : SET_F32(4, iree_vm_load_f32(&ip[2]));
NEXT(5);
op_ConstF64Zero : SET_F64(2, 0.0);
NEXT(3);
op_ConstF64 : SET_F64(6, iree_vm_load_f64(&ip[2]));
NEXT(7);

op_SelectF32 : SET_F32(5, I32(2) ? F32(3) : F32(4));
NEXT(6);
op_SelectF64 : SET_F64(5, I32(2) ? F64(3) : F64(4));
NEXT(6);

op_SwitchF32 : {
  const uint32_t index = (uint32_t)I32(2);
  const uint32_t count = ip[4];
  SET_F32(5 + count, index < count ? F32(5 + index) : F32(3));
  NEXT(6 + count);
}
op_SwitchF64 : {
  const uint32_t index = (uint32_t)I32(2);
  const uint32_t count = ip[4];
  SET_F64(5 + count, index < count ? F64(5 + index) : F64(3));
  NEXT(6 + count);
}

// Minimum and maximum keep the first operand when one is NaN; the remainder is
// of the quotient rounded to nearest.
#define FLOAT_OPS(T, f)                                     \
  BINARY(Add##T, SET_##T, T(2) + T(3))                      \
  BINARY(Sub##T, SET_##T, T(2) - T(3))                      \
  BINARY(Mul##T, SET_##T, T(2) * T(3))                      \
  BINARY(Div##T, SET_##T, T(2) / T(3))                      \
  BINARY(Rem##T, SET_##T, remainder##f(T(2), T(3)))         \
  BINARY(Min##T, SET_##T, T(3) < T(2) ? T(3) : T(2))        \
  BINARY(Max##T, SET_##T, T(2) < T(3) ? T(3) : T(2))        \
  BINARY(Atan2##T, SET_##T, atan2##f(T(2), T(3)))           \
  BINARY(Pow##T, SET_##T, pow##f(T(2), T(3)))               \
  op_FMA##T : {                                             \
    SET_##T(5, fma##f(T(2), T(3), T(4)));                   \
    NEXT(6);                                                \
  }                                                         \
  CONVERT(Abs##T, SET_##T, fabs##f(T(2)))                   \
  CONVERT(Neg##T, SET_##T, -T(2))                           \
  CONVERT(Ceil##T, SET_##T, ceil##f(T(2)))                  \
  CONVERT(Floor##T, SET_##T, floor##f(T(2)))                \
  CONVERT(Round##T, SET_##T, round##f(T(2)))                \
  CONVERT(Atan##T, SET_##T, atan##f(T(2)))                  \
  CONVERT(Cos##T, SET_##T, cos##f(T(2)))                    \
  CONVERT(Sin##T, SET_##T, sin##f(T(2)))                    \
  CONVERT(Exp##T, SET_##T, exp##f(T(2)))                    \
  CONVERT(Exp2##T, SET_##T, exp2##f(T(2)))                  \
  CONVERT(ExpM1##T, SET_##T, expm1##f(T(2)))                \
  CONVERT(Log##T, SET_##T, log##f(T(2)))                    \
  CONVERT(Log10##T, SET_##T, log10##f(T(2)))                \
  CONVERT(Log1p##T, SET_##T, log1p##f(T(2)))                \
  CONVERT(Log2##T, SET_##T, log2##f(T(2)))                  \
  CONVERT(Rsqrt##T, SET_##T, 1 / sqrt##f(T(2)))             \
  CONVERT(Sqrt##T, SET_##T, sqrt##f(T(2)))                  \
  CONVERT(Tanh##T, SET_##T, tanh##f(T(2)))                  \
  CONVERT(Erf##T, SET_##T, erf##f(T(2)))                    \
  BINARY(CmpEQ##T##O, SET_I32, T(2) == T(3))                \
  BINARY(CmpEQ##T##U, SET_I32, !islessgreater(T(2), T(3)))  \
  BINARY(CmpNE##T##O, SET_I32, islessgreater(T(2), T(3)))   \
  BINARY(CmpNE##T##U, SET_I32, !(T(2) == T(3)))             \
  BINARY(CmpLT##T##O, SET_I32, isless(T(2), T(3)))          \
  BINARY(CmpLT##T##U, SET_I32, !isgreaterequal(T(2), T(3))) \
  BINARY(CmpLTE##T##O, SET_I32, islessequal(T(2), T(3)))    \
  BINARY(CmpLTE##T##U, SET_I32, !isgreater(T(2), T(3)))     \
  CONVERT(CmpNaN##T, SET_I32, isnan(T(2)) ? 1 : 0)

FLOAT_OPS(F32, f)
FLOAT_OPS(F64, )
#undef FLOAT_OPS
CONVERT(RoundF32Even, SET_F32, iree_vm_round_even_f32(F32(2)))
CONVERT(RoundF64Even, SET_F64, iree_vm_round_even_f64(F64(2)))

CONVERT(CastSI32F32, SET_F32, (float)I32(2))
CONVERT(CastUI32F32, SET_F32, (float)(uint32_t)I32(2))
CONVERT(CastSI64F32, SET_F32, (float)I64(2))
CONVERT(CastUI64F32, SET_F32, (float)(uint64_t)I64(2))
// Every float is a double exactly, so that these serve both.
CONVERT(CastF32SI32, SET_I32, iree_vm_cast_f64si32(F32(2)))
CONVERT(CastF32UI32, SET_I32, iree_vm_cast_f64ui32(F32(2)))
CONVERT(CastF32SI64, SET_I64, iree_vm_cast_f64si64(F32(2)))
CONVERT(CastF32UI64, SET_I64, iree_vm_cast_f64ui64(F32(2)))
CONVERT(BitcastI32F32, SET_I32, I32(2))
CONVERT(BitcastF32I32, SET_I32, I32(2))

CONVERT(TruncF64F32, SET_F32, (float)F64(2))
CONVERT(ExtF32F64, SET_F64, (double)F32(2))
CONVERT(CastSI32F64, SET_F64, (double)I32(2))
CONVERT(CastUI32F64, SET_F64, (double)(uint32_t)I32(2))
CONVERT(CastSI64F64, SET_F64, (double)I64(2))
CONVERT(CastUI64F64, SET_F64, (double)(uint64_t)I64(2))
CONVERT(CastF64SI32, SET_I32, iree_vm_cast_f64si32(F64(2)))
CONVERT(CastF64UI32, SET_I32, iree_vm_cast_f64ui32(F64(2)))
CONVERT(CastF64SI64, SET_I64, iree_vm_cast_f64si64(F64(2)))
CONVERT(CastF64UI64, SET_I64, iree_vm_cast_f64ui64(F64(2)))
CONVERT(BitcastI64F64, SET_I64, I64(2))
CONVERT(BitcastF64I64, SET_I64, I64(2))

#undef CONVERT
#undef BINARY
