// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the arithmetic of instructions where C leaves it undefined or has no
// operator: what wraps, what saturates, how it rounds.

#ifndef IREE_CY_NATIVE_VM_BYTECODE_ARITHMETIC_H_
#define IREE_CY_NATIVE_VM_BYTECODE_ARITHMETIC_H_

#include <math.h>

#include "iree_cy/base/config.h"

// Integers wrap. Division by zero is the caller's to exclude; the smallest by
// -1 wraps to itself.
#define IREE_VM_DEFINE_INTEGER_OPS(bits)                                 \
  static inline int##bits##_t iree_vm_add_i##bits(int##bits##_t a,       \
                                                  int##bits##_t b) {     \
    return (int##bits##_t)((uint##bits##_t)a + (uint##bits##_t)b);       \
  }                                                                      \
  static inline int##bits##_t iree_vm_sub_i##bits(int##bits##_t a,       \
                                                  int##bits##_t b) {     \
    return (int##bits##_t)((uint##bits##_t)a - (uint##bits##_t)b);       \
  }                                                                      \
  static inline int##bits##_t iree_vm_mul_i##bits(int##bits##_t a,       \
                                                  int##bits##_t b) {     \
    return (int##bits##_t)((uint##bits##_t)a * (uint##bits##_t)b);       \
  }                                                                      \
  static inline int##bits##_t iree_vm_div_i##bits##s(int##bits##_t a,    \
                                                     int##bits##_t b) {  \
    return b == -1 ? iree_vm_sub_i##bits(0, a) : (int##bits##_t)(a / b); \
  }                                                                      \
  static inline int##bits##_t iree_vm_rem_i##bits##s(int##bits##_t a,    \
                                                     int##bits##_t b) {  \
    return b == -1 ? 0 : (int##bits##_t)(a % b);                         \
  }                                                                      \
  static inline int##bits##_t iree_vm_abs_i##bits(int##bits##_t a) {     \
    return a < 0 ? iree_vm_sub_i##bits(0, a) : a;                        \
  }                                                                      \
  /* Amounts count modulo the width. */                                  \
  static inline int##bits##_t iree_vm_shl_i##bits(int##bits##_t a,       \
                                                  int32_t amount) {      \
    return (int##bits##_t)((uint##bits##_t)a << (amount & (bits - 1)));  \
  }                                                                      \
  static inline int##bits##_t iree_vm_shr_i##bits##u(int##bits##_t a,    \
                                                     int32_t amount) {   \
    return (int##bits##_t)((uint##bits##_t)a >> (amount & (bits - 1)));  \
  }                                                                      \
  static inline int##bits##_t iree_vm_shr_i##bits##s(int##bits##_t a,    \
                                                     int32_t amount) {   \
    uint##bits##_t sign = a < 0 ? ~(uint##bits##_t)0 : 0;                \
    uint##bits##_t bits_of_a = (uint##bits##_t)a ^ sign;                 \
    return (int##bits##_t)((bits_of_a >> (amount & (bits - 1))) ^ sign); \
  }
IREE_VM_DEFINE_INTEGER_OPS(32)
IREE_VM_DEFINE_INTEGER_OPS(64)
#undef IREE_VM_DEFINE_INTEGER_OPS

static inline int32_t iree_vm_ctlz_i32(int32_t a) {
  return a == 0 ? 32 : __builtin_clz((uint32_t)a);
}
static inline int64_t iree_vm_ctlz_i64(int64_t a) {
  return a == 0 ? 64 : __builtin_clzll((uint64_t)a);
}
static inline int32_t iree_vm_ext_i8i32s(int32_t a) {
  return ((a & 0xFF) ^ 0x80) - 0x80;
}
static inline int32_t iree_vm_ext_i16i32s(int32_t a) {
  return ((a & 0xFFFF) ^ 0x8000) - 0x8000;
}

// Floats become integers rounded to nearest, halves away from zero; what does
// not fit becomes the nearest that does, and NaN 0.
static inline int32_t iree_vm_cast_f64si32(double a) {
  a = round(a);
  if (!(a > -2147483648.0)) return isnan(a) ? 0 : INT32_MIN;
  return a >= 2147483647.0 ? INT32_MAX : (int32_t)a;
}
static inline int32_t iree_vm_cast_f64ui32(double a) {
  a = round(a);
  if (!(a > 0.0)) return 0;
  return (int32_t)(a >= 4294967295.0 ? UINT32_MAX : (uint32_t)a);
}
static inline int64_t iree_vm_cast_f64si64(double a) {
  a = round(a);
  if (!(a > -9223372036854775808.0)) return isnan(a) ? 0 : INT64_MIN;
  return a >= 9223372036854775808.0 ? INT64_MAX : (int64_t)a;
}
static inline int64_t iree_vm_cast_f64ui64(double a) {
  a = round(a);
  if (!(a > 0.0)) return 0;
  return (int64_t)(a >= 18446744073709551616.0 ? UINT64_MAX : (uint64_t)a);
}

// Halves round to even, whatever the rounding mode is.
static inline float iree_vm_round_even_f32(float a) {
  float rounded = roundf(a);
  if (fabsf(a - rounded) != 0.5f) return rounded;
  return copysignf(2.0f * roundf(a * 0.5f), a);
}
static inline double iree_vm_round_even_f64(double a) {
  double rounded = round(a);
  if (fabs(a - rounded) != 0.5) return rounded;
  return copysign(2.0 * round(a * 0.5), a);
}

#endif  // IREE_CY_NATIVE_VM_BYTECODE_ARITHMETIC_H_
