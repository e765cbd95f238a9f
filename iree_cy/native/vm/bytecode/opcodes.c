// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Implements the tables of the instruction set.

#include "iree_cy/native/vm/bytecode/opcodes.h"

const iree_vm_op_info_t iree_vm_op_infos[IREE_VM_OP_COUNT] = {
#define OP(set, opcode, symbol, mnemonic, encoding) {mnemonic, encoding},
#include "iree_cy/native/vm/bytecode/opcodes.inl"
#undef OP
};

// Dense numbers plus 1 by set and opcode, so that 0 is none.
enum { SET_CORE = 0, SET_F32 = 256, SET_F64 = 512, SET_END = 768 };
static const uint16_t iree_vm_ops[SET_END] = {
#define OP(set, opcode, symbol, mnemonic, encoding) \
  [SET_##set + opcode] = IREE_VM_OP_##symbol + 1,
#include "iree_cy/native/vm/bytecode/opcodes.inl"
#undef OP
};

static iree_vm_op_t iree_vm_op_in(uint32_t set, uint8_t opcode) {
  uint16_t entry = iree_vm_ops[set + opcode];
  return entry ? (iree_vm_op_t)(entry - 1) : IREE_VM_OP_COUNT;
}

iree_vm_op_t iree_vm_op_core(uint8_t opcode) {
  return iree_vm_op_in(SET_CORE, opcode);
}
iree_vm_op_t iree_vm_op_f32(uint8_t opcode) {
  return iree_vm_op_in(SET_F32, opcode);
}
iree_vm_op_t iree_vm_op_f64(uint8_t opcode) {
  return iree_vm_op_in(SET_F64, opcode);
}
