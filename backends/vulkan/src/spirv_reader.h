// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what the steps of reading a SPIR-V module share.

#ifndef IREE_CY_VULKAN_SPIRV_READER_H_
#define IREE_CY_VULKAN_SPIRV_READER_H_

#include "spirv.h"
#include "spirv_grammar.h"

// No value was given.
#define SPIRV_NONE UINT32_MAX

// What is known of an id.
typedef struct spirv_id_t {
  // The instruction that defines it; 0: none.
  uint32_t position;
  // The first instruction that names it; 0: none.
  uint32_t first_use;
  // The function that it is of, counted from 1; 0: global.
  uint32_t function;
  uint32_t set;
  uint32_t binding;
  uint32_t spec_id;
  uint32_t array_stride;
  // The last entry point, counted from 1, that was found to use it.
  uint32_t entry_point;
  // Of a function: the entry point that it is, counted from 1.
  uint32_t is_entry_point;
  bool is_open;
  bool is_forward_pointer;
  bool is_buffer_block;
  // Of a type: bytes, UINT64_MAX when they are too many.
  uint64_t size;
} spirv_id_t;

// The offset of a member, from its decoration.
typedef struct spirv_member_t {
  uint32_t type;
  uint32_t member;
  uint32_t offset;
} spirv_member_t;

typedef struct spirv_reader_t {
  const vulkan_spirv_source_t* source;
  iree_allocator_t host_allocator;
  const uint32_t* words;
  uint32_t word_count;
  uint32_t bound;
  spirv_id_t* ids;
  // Sorted by type and member once the annotations are read.
  spirv_member_t* members;
  uint32_t member_count;
  bool members_are_sorted;

  spirv_section_t section;
  // Where the instruction is that is looked at.
  uint32_t position;
  // Functions so far, and the state of the one that is open.
  uint32_t function_count;
  bool in_function;
  bool in_block;
  bool has_block;
  // Where functions, modes and entry points begin; 0: there are none.
  uint32_t functions_begin;
  uint32_t entry_points_begin;
  // The constant that says the size of workgroups, if there is one.
  uint32_t workgroup_size_id;
  bool has_memory_model;
  bool needs_repair;

  vulkan_spirv_module_t* module;
  iree_host_size_t binding_count;
  iree_host_size_t binding_capacity;
} spirv_reader_t;

// INVALID_ARGUMENT naming the module and the instruction that is looked at.
iree_status_t spirv_invalid(const spirv_reader_t* reader, const char* format,
                            ...) IREE_PRINTF_ATTRIBUTE(2, 3);

static inline uint16_t spirv_opcode_at(const spirv_reader_t* reader,
                                       uint32_t position) {
  return (uint16_t)(reader->words[position] & 0xFFFF);
}
static inline uint32_t spirv_length_at(const spirv_reader_t* reader,
                                       uint32_t position) {
  return reader->words[position] >> 16;
}
// The opcode that defines |id|, 0 when nothing does.
static inline uint16_t spirv_definition(const spirv_reader_t* reader,
                                        uint32_t id) {
  const uint32_t position = reader->ids[id].position;
  return position ? spirv_opcode_at(reader, position) : 0;
}
static inline bool spirv_is_type(uint16_t opcode) {
  return (opcode >= SPIRV_OP_TYPE_VOID && opcode <= SPIRV_OP_TYPE_FUNCTION) ||
         opcode == SPIRV_OP_TYPE_COOPERATIVE_MATRIX;
}

// Whether an interface holds inputs and outputs only, and promises about wraps
// are of an extension.
static inline bool spirv_is_old(const spirv_reader_t* reader) {
  return reader->module->version < 0x00010400;
}

// A walk over the instruction at |position|, which spirv_scan has checked.
spirv_operand_iterator_t spirv_operands_at(const spirv_reader_t* reader,
                                           uint32_t position);

// The value of an integer constant of up to 32 bits, as specialized.
bool spirv_constant(const spirv_reader_t* reader, uint32_t id,
                    uint32_t* out_value);

// Notes the type that the instruction at hand defines: checks it and works out
// its size.
iree_status_t spirv_define_type(spirv_reader_t* reader, uint32_t id);
// Notes the decoration at hand.
iree_status_t spirv_decorate(spirv_reader_t* reader);

// Checks what the instruction at hand takes out of other values.
iree_status_t spirv_check_values(spirv_reader_t* reader);

// The steps, in this order.
iree_status_t spirv_scan(spirv_reader_t* reader);
iree_status_t spirv_read_entry_points(spirv_reader_t* reader);
iree_status_t spirv_repair(spirv_reader_t* reader);

#endif  // IREE_CY_VULKAN_SPIRV_READER_H_
