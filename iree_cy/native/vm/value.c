// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns conversions between primitive values.

#include "iree_cy/vm/value.h"

iree_string_view_t iree_vm_value_type_name(iree_vm_value_type_t type) {
  switch (type) {
    case IREE_VM_VALUE_TYPE_NONE:
      return IREE_SV("none");
    case IREE_VM_VALUE_TYPE_I8:
      return IREE_SV("i8");
    case IREE_VM_VALUE_TYPE_I16:
      return IREE_SV("i16");
    case IREE_VM_VALUE_TYPE_I32:
      return IREE_SV("i32");
    case IREE_VM_VALUE_TYPE_I64:
      return IREE_SV("i64");
    case IREE_VM_VALUE_TYPE_F32:
      return IREE_SV("f32");
    case IREE_VM_VALUE_TYPE_F64:
      return IREE_SV("f64");
  }
  return IREE_SV("invalid");
}

static bool iree_cy_vm_value_as_integer(const iree_vm_value_t* value,
                                        int64_t* out_integer) {
  switch (value->type) {
    case IREE_VM_VALUE_TYPE_I8:
      *out_integer = value->i8;
      return true;
    case IREE_VM_VALUE_TYPE_I16:
      *out_integer = value->i16;
      return true;
    case IREE_VM_VALUE_TYPE_I32:
      *out_integer = value->i32;
      return true;
    case IREE_VM_VALUE_TYPE_I64:
      *out_integer = value->i64;
      return true;
    default:
      return false;
  }
}

// The integer nearest to |number| toward 0 within |bits| bits. A plain cast
// would be undefined outside of the range.
static int64_t iree_cy_vm_saturate(double number, int bits) {
  const int64_t highest = INT64_MAX >> (64 - bits);
  const int64_t lowest = -highest - 1;
  // 2^(bits - 1), exact in a double, unlike INT64_MAX.
  const double bound = (double)(UINT64_C(1) << (bits - 1));
  if (number != number) return 0;
  if (number >= bound) return highest;
  if (number < -bound) return lowest;
  return (int64_t)number;
}

iree_status_t iree_cy_vm_value_convert(const iree_vm_value_t* value,
                                       iree_vm_value_type_t type,
                                       iree_vm_value_t* out_value) {
  // |out_value| may be |value|.
  const iree_vm_value_t source = *value;
  *out_value = iree_vm_value_make_none();
  if (iree_vm_value_type_size(source.type) == 0 ||
      iree_vm_value_type_size(type) == 0) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "a value of type %s cannot be made one of type %s",
                            iree_vm_value_type_name(source.type).data,
                            iree_vm_value_type_name(type).data);
  }
  int64_t integer = 0;
  bool is_integer = iree_cy_vm_value_as_integer(&source, &integer);
  double number = is_integer                              ? (double)integer
                  : source.type == IREE_VM_VALUE_TYPE_F32 ? source.f32
                                                          : source.f64;
  switch (type) {
    case IREE_VM_VALUE_TYPE_I8:
      *out_value = iree_vm_value_make_i8(
          (int8_t)(is_integer ? integer : iree_cy_vm_saturate(number, 8)));
      break;
    case IREE_VM_VALUE_TYPE_I16:
      *out_value = iree_vm_value_make_i16(
          (int16_t)(is_integer ? integer : iree_cy_vm_saturate(number, 16)));
      break;
    case IREE_VM_VALUE_TYPE_I32:
      *out_value = iree_vm_value_make_i32(
          (int32_t)(is_integer ? integer : iree_cy_vm_saturate(number, 32)));
      break;
    case IREE_VM_VALUE_TYPE_I64:
      *out_value = iree_vm_value_make_i64(
          is_integer ? integer : iree_cy_vm_saturate(number, 64));
      break;
    case IREE_VM_VALUE_TYPE_F32:
      // Through a double, an integer would be rounded twice.
      *out_value = iree_vm_value_make_f32(
          is_integer                              ? (float)integer
          : source.type == IREE_VM_VALUE_TYPE_F32 ? source.f32
                                                  : (float)number);
      break;
    default:
      *out_value = iree_vm_value_make_f64(number);
      break;
  }
  return iree_ok_status();
}
