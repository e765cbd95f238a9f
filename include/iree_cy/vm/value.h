// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns primitive values: integers and floating-point numbers with their type.

#ifndef IREE_CY_VM_VALUE_H_
#define IREE_CY_VM_VALUE_H_

#include "iree_cy/base/api.h"

IREE_CY_EXTERN_C_BEGIN

typedef enum iree_vm_value_type_e {
  IREE_VM_VALUE_TYPE_NONE = 0,
  IREE_VM_VALUE_TYPE_I8 = 1,
  IREE_VM_VALUE_TYPE_I16 = 2,
  IREE_VM_VALUE_TYPE_I32 = 3,
  IREE_VM_VALUE_TYPE_I64 = 4,
  IREE_VM_VALUE_TYPE_F32 = 5,
  IREE_VM_VALUE_TYPE_F64 = 6,
  IREE_VM_VALUE_TYPE_MAX = IREE_VM_VALUE_TYPE_F64,
} iree_vm_value_type_t;

#define IREE_VM_VALUE_STORAGE_SIZE 8

// A value and its type. Bytes of the union beyond the type's are 0.
typedef struct iree_vm_value_t {
  iree_vm_value_type_t type;
  union {
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    float f32;
    double f64;
    uint8_t value_storage[IREE_VM_VALUE_STORAGE_SIZE];
  };
} iree_vm_value_t;

// Bytes that a value of |type| takes; 0 for NONE and for what is no type.
static inline iree_host_size_t iree_vm_value_type_size(
    iree_vm_value_type_t type) {
  switch (type) {
    case IREE_VM_VALUE_TYPE_I8:
      return 1;
    case IREE_VM_VALUE_TYPE_I16:
      return 2;
    case IREE_VM_VALUE_TYPE_I32:
    case IREE_VM_VALUE_TYPE_F32:
      return 4;
    case IREE_VM_VALUE_TYPE_I64:
    case IREE_VM_VALUE_TYPE_F64:
      return 8;
    default:
      return 0;
  }
}

static inline iree_vm_value_t iree_vm_value_make_none(void) {
  iree_vm_value_t result;
  result.type = IREE_VM_VALUE_TYPE_NONE;
  result.i64 = 0;
  return result;
}
static inline iree_vm_value_t iree_vm_value_make_i8(int8_t value) {
  iree_vm_value_t result = iree_vm_value_make_none();
  result.type = IREE_VM_VALUE_TYPE_I8;
  result.i8 = value;
  return result;
}
static inline iree_vm_value_t iree_vm_value_make_i16(int16_t value) {
  iree_vm_value_t result = iree_vm_value_make_none();
  result.type = IREE_VM_VALUE_TYPE_I16;
  result.i16 = value;
  return result;
}
static inline iree_vm_value_t iree_vm_value_make_i32(int32_t value) {
  iree_vm_value_t result = iree_vm_value_make_none();
  result.type = IREE_VM_VALUE_TYPE_I32;
  result.i32 = value;
  return result;
}
static inline iree_vm_value_t iree_vm_value_make_i64(int64_t value) {
  iree_vm_value_t result = iree_vm_value_make_none();
  result.type = IREE_VM_VALUE_TYPE_I64;
  result.i64 = value;
  return result;
}
static inline iree_vm_value_t iree_vm_value_make_f32(float value) {
  iree_vm_value_t result = iree_vm_value_make_none();
  result.type = IREE_VM_VALUE_TYPE_F32;
  result.f32 = value;
  return result;
}
static inline iree_vm_value_t iree_vm_value_make_f64(double value) {
  iree_vm_value_t result = iree_vm_value_make_none();
  result.type = IREE_VM_VALUE_TYPE_F64;
  result.f64 = value;
  return result;
}

// The name of |type| as the compiler writes it ("i32"); "none", "invalid".
IREE_API_EXPORT iree_string_view_t
iree_vm_value_type_name(iree_vm_value_type_t type);

// Converts |value| to |type| as a C cast does between integers (cut to the low
// bits, sign-extended) and between floats; from float to integer it saturates,
// NaN gives 0. INVALID_ARGUMENT when either type is NONE.
IREE_API_EXPORT IREE_MUST_USE_RESULT iree_status_t
iree_cy_vm_value_convert(const iree_vm_value_t* value,
                         iree_vm_value_type_t type, iree_vm_value_t* out_value);

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_VM_VALUE_H_
