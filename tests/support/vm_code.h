// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns walking over verified bytecode: the instructions and where their fields
// lie.

#ifndef IREE_CY_TESTS_SUPPORT_VM_CODE_H_
#define IREE_CY_TESTS_SUPPORT_VM_CODE_H_

#include "iree_cy/native/vm/bytecode/bytes.h"
#include "iree_cy/native/vm/bytecode/opcodes.h"

// Called for each field of an instruction: its letter in the encoding (of a
// list, that of its registers) and its offset. A branch is its target, 'j', and
// each register of its pairs, 'a'.
typedef void (*vm_code_visitor_t)(void* user_data, char letter,
                                  uint32_t offset);

static inline void vm_code_visit_field(vm_code_visitor_t visitor,
                                       void* user_data, char letter,
                                       uint32_t offset) {
  if (visitor) visitor(user_data, letter, offset);
}

// Visits |width| registers for each element of the list at |pc|.
static inline uint32_t vm_code_visit_list(const uint8_t* code, uint32_t pc,
                                          uint32_t width, char letter,
                                          vm_code_visitor_t visitor,
                                          void* user_data) {
  pc += pc & 1;
  uint32_t count = iree_load_u16(code + pc) * width;
  pc += 2;
  for (uint32_t i = 0; i < count; ++i, pc += 2) {
    vm_code_visit_field(visitor, user_data, letter, pc);
  }
  return pc;
}

static inline uint32_t vm_code_visit_branch(const uint8_t* code, uint32_t pc,
                                            vm_code_visitor_t visitor,
                                            void* user_data) {
  vm_code_visit_field(visitor, user_data, 'j', pc);
  return vm_code_visit_list(code, pc + 4, 2, 'a', visitor, user_data);
}

// The instruction whose opcode is at |*pc|, which goes behind the opcode.
static inline iree_vm_op_t vm_code_opcode(const uint8_t* code, uint32_t* pc) {
  uint8_t opcode = code[(*pc)++];
  if (opcode == IREE_VM_OPCODE_PREFIX_F32) return iree_vm_op_f32(code[(*pc)++]);
  if (opcode == IREE_VM_OPCODE_PREFIX_F64) return iree_vm_op_f64(code[(*pc)++]);
  return iree_vm_op_core(opcode);
}

// Visits the fields of |op| at |pc|, which is behind its opcode; returns the
// offset of the next instruction. |visitor| may be NULL.
static inline uint32_t vm_code_visit(iree_vm_op_t op, const uint8_t* code,
                                     uint32_t pc, vm_code_visitor_t visitor,
                                     void* user_data) {
  for (const char* letter = iree_vm_op_infos[op].encoding; *letter; ++letter) {
    switch (*letter) {
      case 'b':
        pc = vm_code_visit_branch(code, pc, visitor, user_data);
        break;
      case 'B': {
        uint16_t count = iree_load_u16(code + pc);
        pc += 2;
        for (uint32_t i = 0; i < count; ++i) {
          pc = vm_code_visit_branch(code, pc, visitor, user_data);
        }
        break;
      }
      case '*':
        ++letter;
        pc = vm_code_visit_list(code, pc, 1, *letter, visitor, user_data);
        break;
      case 'v':
        pc = vm_code_visit_list(code, pc, 1, 'v', visitor, user_data);
        break;
      case 's':
        pc += 2 + (uint32_t)iree_load_u16(code + pc);
        break;
      default:
        vm_code_visit_field(visitor, user_data, *letter, pc);
        pc += strchr("cgGnotTkj", *letter) ? 4 : *letter == 'C' ? 8 : 2;
        break;
    }
  }
  return pc;
}

#endif  // IREE_CY_TESTS_SUPPORT_VM_CODE_H_
