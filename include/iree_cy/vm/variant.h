// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns variants: a primitive value or a reference, with its type.

#ifndef IREE_CY_VM_VARIANT_H_
#define IREE_CY_VM_VARIANT_H_

#include "iree_cy/vm/type_def.h"

IREE_CY_EXTERN_C_BEGIN

// Holds a value, a reference, or nothing. All bytes 0 is empty.
typedef struct iree_vm_variant_t {
  iree_vm_type_def_t type;
  union {
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    float f32;
    double f64;
    iree_vm_ref_t ref;
    uint8_t value_storage[IREE_VM_VALUE_STORAGE_SIZE];
  };
} iree_vm_variant_t;

static inline iree_vm_variant_t iree_vm_variant_empty(void) {
  iree_vm_variant_t result;
  result.type = iree_vm_make_undefined_type_def();
  result.ref = iree_vm_ref_null();
  return result;
}
static inline bool iree_vm_variant_is_empty(iree_vm_variant_t variant) {
  return iree_vm_type_def_is_variant(variant.type);
}
static inline bool iree_vm_variant_is_value(iree_vm_variant_t variant) {
  return iree_vm_type_def_is_value(variant.type);
}
static inline bool iree_vm_variant_is_ref(iree_vm_variant_t variant) {
  return iree_vm_type_def_is_ref(variant.type);
}
static inline iree_vm_variant_t iree_vm_make_variant_value(
    iree_vm_value_t value) {
  iree_vm_variant_t result = iree_vm_variant_empty();
  result.type = iree_vm_make_value_type_def(value.type);
  memcpy(result.value_storage, value.value_storage,
         sizeof(result.value_storage));
  return result;
}
// Takes the reference over as it is; a null one gives an empty variant.
static inline iree_vm_variant_t iree_vm_make_variant_ref_assign(
    iree_vm_ref_t ref) {
  iree_vm_variant_t result = iree_vm_variant_empty();
  if (ref.ptr) {
    result.type = iree_vm_make_ref_type_def(ref.type);
    result.ref = ref;
  }
  return result;
}
// The value held; NONE when it holds none.
static inline iree_vm_value_t iree_vm_variant_value(iree_vm_variant_t variant) {
  iree_vm_value_t value = iree_vm_value_make_none();
  if (!iree_vm_variant_is_value(variant)) return value;
  value.type = iree_vm_type_def_as_value(variant.type);
  memcpy(value.value_storage, variant.value_storage,
         sizeof(value.value_storage));
  return value;
}
// Releases the reference held and makes |variant| empty.
static inline void iree_vm_variant_reset(iree_vm_variant_t* variant) {
  iree_vm_variant_t old = *variant;
  *variant = iree_vm_variant_empty();
  if (iree_vm_variant_is_ref(old)) iree_vm_ref_release(&old.ref);
}

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_VM_VARIANT_H_
