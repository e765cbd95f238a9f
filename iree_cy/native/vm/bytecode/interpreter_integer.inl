// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the bodies of integer instructions; a part of the function in
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
#define DIVIDE(symbol, load, set, expr)        \
  op_##symbol : {                              \
    if (IREE_UNLIKELY(load(3) == 0)) {         \
      FAIL(iree_vm_bytecode_division_error()); \
    }                                          \
    set(4, (expr));                            \
    NEXT(5);                                   \
  }

op_ConstI32Zero : SET_I32(2, 0);
NEXT(3);
op_ConstI32 : SET_I32(4, (int32_t)U32(2));
NEXT(5);
op_ConstI64Zero : SET_I64(2, 0);
NEXT(3);
op_ConstI64 : SET_I64(6, iree_vm_load_i64(&ip[2]));
NEXT(7);

op_SelectI32 : SET_I32(5, I32(2) ? I32(3) : I32(4));
NEXT(6);
op_SelectI64 : SET_I64(5, I32(2) ? I64(3) : I64(4));
NEXT(6);

op_SwitchI32 : {
  const uint32_t index = (uint32_t)I32(2);
  const uint32_t count = ip[4];
  SET_I32(5 + count, index < count ? I32(5 + index) : I32(3));
  NEXT(6 + count);
}
op_SwitchI64 : {
  const uint32_t index = (uint32_t)I32(2);
  const uint32_t count = ip[4];
  SET_I64(5 + count, index < count ? I64(5 + index) : I64(3));
  NEXT(6 + count);
}

BINARY(AddI32, SET_I32, iree_vm_add_i32(I32(2), I32(3)))
BINARY(SubI32, SET_I32, iree_vm_sub_i32(I32(2), I32(3)))
BINARY(MulI32, SET_I32, iree_vm_mul_i32(I32(2), I32(3)))
DIVIDE(DivI32S, I32, SET_I32, iree_vm_div_i32s(I32(2), I32(3)))
DIVIDE(DivI32U, I32, SET_I32, (int32_t)((uint32_t)I32(2) / (uint32_t)I32(3)))
DIVIDE(RemI32S, I32, SET_I32, iree_vm_rem_i32s(I32(2), I32(3)))
DIVIDE(RemI32U, I32, SET_I32, (int32_t)((uint32_t)I32(2) % (uint32_t)I32(3)))
BINARY(AndI32, SET_I32, I32(2) & I32(3))
BINARY(OrI32, SET_I32, I32(2) | I32(3))
BINARY(XorI32, SET_I32, I32(2) ^ I32(3))
BINARY(MinI32S, SET_I32, iree_min(I32(2), I32(3)))
BINARY(MinI32U, SET_I32, (int32_t)iree_min((uint32_t)I32(2), (uint32_t)I32(3)))
BINARY(MaxI32S, SET_I32, iree_max(I32(2), I32(3)))
BINARY(MaxI32U, SET_I32, (int32_t)iree_max((uint32_t)I32(2), (uint32_t)I32(3)))
BINARY(ShlI32, SET_I32, iree_vm_shl_i32(I32(2), I32(3)))
BINARY(ShrI32S, SET_I32, iree_vm_shr_i32s(I32(2), I32(3)))
BINARY(ShrI32U, SET_I32, iree_vm_shr_i32u(I32(2), I32(3)))
CONVERT(NotI32, SET_I32, ~I32(2))
CONVERT(AbsI32, SET_I32, iree_vm_abs_i32(I32(2)))
CONVERT(CtlzI32, SET_I32, iree_vm_ctlz_i32(I32(2)))
op_FMAI32
    : SET_I32(5, iree_vm_add_i32(iree_vm_mul_i32(I32(2), I32(3)), I32(4)));
NEXT(6);

BINARY(AddI64, SET_I64, iree_vm_add_i64(I64(2), I64(3)))
BINARY(SubI64, SET_I64, iree_vm_sub_i64(I64(2), I64(3)))
BINARY(MulI64, SET_I64, iree_vm_mul_i64(I64(2), I64(3)))
DIVIDE(DivI64S, I64, SET_I64, iree_vm_div_i64s(I64(2), I64(3)))
DIVIDE(DivI64U, I64, SET_I64, (int64_t)((uint64_t)I64(2) / (uint64_t)I64(3)))
DIVIDE(RemI64S, I64, SET_I64, iree_vm_rem_i64s(I64(2), I64(3)))
DIVIDE(RemI64U, I64, SET_I64, (int64_t)((uint64_t)I64(2) % (uint64_t)I64(3)))
BINARY(AndI64, SET_I64, I64(2) & I64(3))
BINARY(OrI64, SET_I64, I64(2) | I64(3))
BINARY(XorI64, SET_I64, I64(2) ^ I64(3))
BINARY(MinI64S, SET_I64, iree_min(I64(2), I64(3)))
BINARY(MinI64U, SET_I64, (int64_t)iree_min((uint64_t)I64(2), (uint64_t)I64(3)))
BINARY(MaxI64S, SET_I64, iree_max(I64(2), I64(3)))
BINARY(MaxI64U, SET_I64, (int64_t)iree_max((uint64_t)I64(2), (uint64_t)I64(3)))
BINARY(ShlI64, SET_I64, iree_vm_shl_i64(I64(2), I32(3)))
BINARY(ShrI64S, SET_I64, iree_vm_shr_i64s(I64(2), I32(3)))
BINARY(ShrI64U, SET_I64, iree_vm_shr_i64u(I64(2), I32(3)))
CONVERT(NotI64, SET_I64, ~I64(2))
CONVERT(AbsI64, SET_I64, iree_vm_abs_i64(I64(2)))
CONVERT(CtlzI64, SET_I64, iree_vm_ctlz_i64(I64(2)))
op_FMAI64
    : SET_I64(5, iree_vm_add_i64(iree_vm_mul_i64(I64(2), I64(3)), I64(4)));
NEXT(6);

CONVERT(TruncI32I8, SET_I32, I32(2) & 0xFF)
CONVERT(TruncI32I16, SET_I32, I32(2) & 0xFFFF)
CONVERT(TruncI64I32, SET_I32, (int32_t)(uint32_t)(uint64_t)I64(2))
CONVERT(ExtI8I32S, SET_I32, iree_vm_ext_i8i32s(I32(2)))
CONVERT(ExtI8I32U, SET_I32, I32(2) & 0xFF)
CONVERT(ExtI16I32S, SET_I32, iree_vm_ext_i16i32s(I32(2)))
CONVERT(ExtI16I32U, SET_I32, I32(2) & 0xFFFF)
CONVERT(ExtI32I64S, SET_I64, (int64_t)I32(2))
CONVERT(ExtI32I64U, SET_I64, (int64_t)(uint32_t)I32(2))

BINARY(CmpEQI32, SET_I32, I32(2) == I32(3))
BINARY(CmpNEI32, SET_I32, I32(2) != I32(3))
BINARY(CmpLTI32S, SET_I32, I32(2) < I32(3))
BINARY(CmpLTI32U, SET_I32, (uint32_t)I32(2) < (uint32_t)I32(3))
CONVERT(CmpNZI32, SET_I32, I32(2) != 0)
BINARY(CmpEQI64, SET_I32, I64(2) == I64(3))
BINARY(CmpNEI64, SET_I32, I64(2) != I64(3))
BINARY(CmpLTI64S, SET_I32, I64(2) < I64(3))
BINARY(CmpLTI64U, SET_I32, (uint64_t)I64(2) < (uint64_t)I64(3))
CONVERT(CmpNZI64, SET_I32, I64(2) != 0)

#undef CONVERT
#undef BINARY
#undef DIVIDE
