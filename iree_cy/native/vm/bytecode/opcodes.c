// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Implements the tables of the instruction set.

#include "iree_cy/native/vm/bytecode/opcodes.h"

const iree_vm_op_info_t iree_vm_op_infos[IREE_VM_OP_COUNT] = {
#define OP(set, opcode, symbol, mnemonic, encoding) {mnemonic, encoding},
#include "iree_cy/native/vm/bytecode/opcodes.inl"
#undef OP
};

const uint16_t iree_vm_ops[IREE_VM_OP_SET_END] = {
#define OP(set, opcode, symbol, mnemonic, encoding) \
  [IREE_VM_OP_SET_##set + opcode] = IREE_VM_OP_##symbol + 1,
#include "iree_cy/native/vm/bytecode/opcodes.inl"
#undef OP
};
