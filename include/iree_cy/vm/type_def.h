// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns type definitions: a primitive type, a reference type, or either.

#ifndef IREE_CY_VM_TYPE_DEF_H_
#define IREE_CY_VM_TYPE_DEF_H_

#include "iree_cy/vm/ref.h"
#include "iree_cy/vm/value.h"

IREE_CY_EXTERN_C_BEGIN

// One word: 0 is "any value or reference" (a variant), 1 to 7 a primitive
// type, everything else a reference type.
typedef struct iree_vm_type_def_t {
  uintptr_t bits;
} iree_vm_type_def_t;

static inline bool iree_vm_type_def_is_value(iree_vm_type_def_t type) {
  return type.bits != 0 && type.bits <= IREE_VM_VALUE_TYPE_MAX;
}
static inline bool iree_vm_type_def_is_ref(iree_vm_type_def_t type) {
  return type.bits > IREE_VM_REF_TYPE_TAG_MASK;
}
static inline bool iree_vm_type_def_is_variant(iree_vm_type_def_t type) {
  return type.bits == 0;
}
#define iree_vm_type_def_is_undefined(type) iree_vm_type_def_is_variant(type)
static inline iree_vm_value_type_t iree_vm_type_def_as_value(
    iree_vm_type_def_t type) {
  return iree_vm_type_def_is_value(type) ? (iree_vm_value_type_t)type.bits
                                         : IREE_VM_VALUE_TYPE_NONE;
}
static inline iree_vm_ref_type_t iree_vm_type_def_as_ref(
    iree_vm_type_def_t type) {
  return iree_vm_type_def_is_ref(type) ? type.bits : IREE_VM_REF_TYPE_NULL;
}
static inline bool iree_vm_type_def_equal(iree_vm_type_def_t a,
                                          iree_vm_type_def_t b) {
  return a.bits == b.bits;
}

static inline iree_vm_type_def_t iree_vm_make_undefined_type_def(void) {
  iree_vm_type_def_t result = {0};
  return result;
}
static inline iree_vm_type_def_t iree_vm_make_value_type_def(
    iree_vm_value_type_t value_type) {
  iree_vm_type_def_t result = {(uintptr_t)value_type};
  return result;
}
static inline iree_vm_type_def_t iree_vm_make_ref_type_def(
    iree_vm_ref_type_t ref_type) {
  iree_vm_type_def_t result = {ref_type};
  return result;
}

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_VM_TYPE_DEF_H_
