// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the tables made of opcodes.inl: numbers, names and encodings.

#ifndef IREE_CY_NATIVE_VM_BYTECODE_OPCODES_H_
#define IREE_CY_NATIVE_VM_BYTECODE_OPCODES_H_

#include "iree_cy/base/config.h"

// Opcodes in the three sets, by their numbers in the file.
enum {
  IREE_VM_OPCODE_PREFIX_F32 = 0xE0,
  IREE_VM_OPCODE_PREFIX_F64 = 0xE1,
};

// Dense numbers over all sets, in the order of the list.
typedef enum iree_vm_op_e {
#define OP(set, opcode, symbol, mnemonic, encoding) IREE_VM_OP_##symbol,
#include "iree_cy/native/vm/bytecode/opcodes.inl"
#undef OP
  IREE_VM_OP_COUNT,
} iree_vm_op_t;

typedef struct iree_vm_op_info_t {
  const char* mnemonic;
  const char* encoding;
} iree_vm_op_info_t;

extern const iree_vm_op_info_t iree_vm_op_infos[IREE_VM_OP_COUNT];

// Where a set begins in iree_vm_ops.
enum {
  IREE_VM_OP_SET_CORE = 0,
  IREE_VM_OP_SET_F32 = 256,
  IREE_VM_OP_SET_F64 = 512,
  IREE_VM_OP_SET_END = 768,
};

// Dense numbers plus 1 by set and opcode, so that 0 is none.
extern const uint16_t iree_vm_ops[IREE_VM_OP_SET_END];

// The dense number of |opcode|, which in the core set is below the prefixes;
// IREE_VM_OP_COUNT when there is no such instruction.
static inline iree_vm_op_t iree_vm_op_in(uint32_t set, uint8_t opcode) {
  uint16_t entry = iree_vm_ops[set + opcode];
  return entry ? (iree_vm_op_t)(entry - 1) : IREE_VM_OP_COUNT;
}
static inline iree_vm_op_t iree_vm_op_core(uint8_t opcode) {
  return iree_vm_op_in(IREE_VM_OP_SET_CORE, opcode);
}
static inline iree_vm_op_t iree_vm_op_f32(uint8_t opcode) {
  return iree_vm_op_in(IREE_VM_OP_SET_F32, opcode);
}
static inline iree_vm_op_t iree_vm_op_f64(uint8_t opcode) {
  return iree_vm_op_in(IREE_VM_OP_SET_F64, opcode);
}

#endif  // IREE_CY_NATIVE_VM_BYTECODE_OPCODES_H_
