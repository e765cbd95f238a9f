// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the form of code that the interpreter executes, and making it from
// verified bytecode.

#ifndef IREE_CY_NATIVE_VM_BYTECODE_DECODER_H_
#define IREE_CY_NATIVE_VM_BYTECODE_DECODER_H_

#include "iree_cy/native/vm/bytecode/module_impl.h"
#include "iree_cy/native/vm/bytecode/opcodes.h"

// Instructions beside those of the set, which the decoder puts in their place.
typedef enum iree_vm_code_op_e {
  // Continues the dense numbers of the set.
  IREE_VM_CODE_OP_BEGIN = IREE_VM_OP_COUNT,
  // Calls, told apart.
  IREE_VM_CODE_OP_CallInternal = IREE_VM_CODE_OP_BEGIN,
  IREE_VM_CODE_OP_CallImport,
  // Branches without registers to assign.
  IREE_VM_CODE_OP_Jump,
  IREE_VM_CODE_OP_CondJump,
  // A comparison whose result the next instruction, a CondBranch, branches on.
  IREE_VM_CODE_OP_BranchEQI32,
  IREE_VM_CODE_OP_BranchNEI32,
  IREE_VM_CODE_OP_BranchLTI32S,
  IREE_VM_CODE_OP_BranchLTI32U,
  IREE_VM_CODE_OP_BranchNZI32,
  IREE_VM_CODE_OP_BranchEQI64,
  IREE_VM_CODE_OP_BranchNEI64,
  IREE_VM_CODE_OP_BranchLTI64S,
  IREE_VM_CODE_OP_BranchLTI64U,
  IREE_VM_CODE_OP_BranchNZI64,
  IREE_VM_CODE_OP_BranchNZRef,
  IREE_VM_CODE_OP_COUNT,
} iree_vm_code_op_t;

// Values of a call or return, with their register in the next unit.
typedef enum iree_vm_code_value_e {
  IREE_VM_CODE_VALUE_32 = 0,
  IREE_VM_CODE_VALUE_64 = 1,
  IREE_VM_CODE_VALUE_REF = 2,
  // The register gives its reference up.
  IREE_VM_CODE_VALUE_REF_MOVE = 3,
  // The unit is the count of a span instead.
  IREE_VM_CODE_VALUE_COUNT = 4,
} iree_vm_code_value_t;

// Code is a sequence of units of 16 bits. An instruction is two units, the
// distance of its handler from the interpreter's first (32 bits), then its
// fields in the order of the encoding: a register is one unit (a ref without
// its kind bit), constants of 32 and 64 bits, ordinals and types two or four.
// What differs from the encoding:
//   s             offset in the function's bytecode, length: two units each
//   *X            count, then the registers; a leaves out those that are no ref
//   b             target, count of 32-bit pairs, count of ref pairs, the pairs
//   ibb           i, distance of the second b from this field (2 units), b, b
//   ibB           i, count, then as many plus one distances from the first (2
//                 units each; first the default), then each b
//   CallInternal  callee (2), arguments (2), results (1); values with source
//                 and target register for each argument; a value and its
//                 target register for each result
//   CallImport    import (2), bytes of arguments (2) and of results (2), count
//                 of arguments (2), of results (1); value and register each
//   Return        count, value and register each
// A target is the unit in front of which (2 units) the number of instructions
// of the block stands.
struct iree_vm_bytecode_code_t {
  uint32_t entry;
  // Layout of the frame: registers, refs at an offset, room for the values of
  // one call of an import at another.
  uint32_t refs_offset;
  uint32_t call_offset;
  uint32_t frame_size;
  uint16_t i32_register_count;
  uint16_t ref_register_count;
  // The function's text, for messages.
  const uint8_t* bytecode;
  uint32_t unit_count;
  uint16_t units[];
};

// Decodes function |ordinal|. |handlers| has the distance of each handler.
iree_status_t iree_vm_bytecode_decode(const iree_vm_bytecode_module_t* module,
                                      uint32_t ordinal, const int32_t* handlers,
                                      iree_allocator_t allocator,
                                      iree_vm_bytecode_code_t** out_code);

// Offset in the bytecode of the instruction of function |ordinal| that |unit|
// lies in.
iree_status_t iree_vm_bytecode_find_source_offset(
    const iree_vm_bytecode_module_t* module, uint32_t ordinal, uint32_t unit,
    iree_allocator_t allocator, uint32_t* out_offset);

#endif  // IREE_CY_NATIVE_VM_BYTECODE_DECODER_H_
