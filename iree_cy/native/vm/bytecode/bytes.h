// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns loads of little-endian integers from bytes of any alignment.

#ifndef IREE_CY_NATIVE_VM_BYTECODE_BYTES_H_
#define IREE_CY_NATIVE_VM_BYTECODE_BYTES_H_

#include "iree_cy/base/config.h"

#if !defined(__BYTE_ORDER__) || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "module files are little-endian and are read in place"
#endif

static inline uint16_t iree_load_u16(const void* source) {
  uint16_t value;
  memcpy(&value, source, sizeof(value));
  return value;
}
static inline uint32_t iree_load_u32(const void* source) {
  uint32_t value;
  memcpy(&value, source, sizeof(value));
  return value;
}
static inline uint64_t iree_load_u64(const void* source) {
  uint64_t value;
  memcpy(&value, source, sizeof(value));
  return value;
}

#endif  // IREE_CY_NATIVE_VM_BYTECODE_BYTES_H_
