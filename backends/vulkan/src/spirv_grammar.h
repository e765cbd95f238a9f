// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the grammar of SPIR-V: numbers, and which words of an instruction are
// ids.

#ifndef IREE_CY_VULKAN_SPIRV_GRAMMAR_H_
#define IREE_CY_VULKAN_SPIRV_GRAMMAR_H_

#include "iree_cy/plugin.h"

enum {
  SPIRV_MAGIC = 0x07230203,
  SPIRV_HEADER_WORDS = 5,
  // The limit of the specification; ids are below.
  SPIRV_MAX_BOUND = 0x3FFFFF,

  SPIRV_OP_EXTENSION = 10,
  SPIRV_OP_EXT_INST_IMPORT = 11,
  SPIRV_OP_EXT_INST = 12,
  SPIRV_OP_MEMORY_MODEL = 14,
  SPIRV_OP_ENTRY_POINT = 15,
  SPIRV_OP_EXECUTION_MODE = 16,
  SPIRV_OP_CAPABILITY = 17,
  SPIRV_OP_TYPE_VOID = 19,
  SPIRV_OP_TYPE_BOOL = 20,
  SPIRV_OP_TYPE_INT = 21,
  SPIRV_OP_TYPE_FLOAT = 22,
  SPIRV_OP_TYPE_VECTOR = 23,
  SPIRV_OP_TYPE_MATRIX = 24,
  SPIRV_OP_TYPE_ARRAY = 28,
  SPIRV_OP_TYPE_RUNTIME_ARRAY = 29,
  SPIRV_OP_TYPE_STRUCT = 30,
  SPIRV_OP_TYPE_POINTER = 32,
  SPIRV_OP_TYPE_FUNCTION = 33,
  SPIRV_OP_TYPE_FORWARD_POINTER = 39,
  SPIRV_OP_CONSTANT = 43,
  SPIRV_OP_CONSTANT_COMPOSITE = 44,
  SPIRV_OP_CONSTANT_NULL = 46,
  SPIRV_OP_SPEC_CONSTANT_TRUE = 48,
  SPIRV_OP_SPEC_CONSTANT_FALSE = 49,
  SPIRV_OP_SPEC_CONSTANT = 50,
  SPIRV_OP_SPEC_CONSTANT_COMPOSITE = 51,
  SPIRV_OP_FUNCTION = 54,
  SPIRV_OP_FUNCTION_PARAMETER = 55,
  SPIRV_OP_FUNCTION_END = 56,
  SPIRV_OP_FUNCTION_CALL = 57,
  SPIRV_OP_VARIABLE = 59,
  SPIRV_OP_LOAD = 61,
  SPIRV_OP_STORE = 62,
  SPIRV_OP_ACCESS_CHAIN = 65,
  SPIRV_OP_IN_BOUNDS_ACCESS_CHAIN = 66,
  SPIRV_OP_PTR_ACCESS_CHAIN = 67,
  SPIRV_OP_DECORATE = 71,
  SPIRV_OP_MEMBER_DECORATE = 72,
  SPIRV_OP_VECTOR_SHUFFLE = 79,
  SPIRV_OP_COMPOSITE_CONSTRUCT = 80,
  SPIRV_OP_COMPOSITE_EXTRACT = 81,
  SPIRV_OP_COMPOSITE_INSERT = 82,
  SPIRV_OP_PHI = 245,
  SPIRV_OP_LOOP_MERGE = 246,
  SPIRV_OP_SELECTION_MERGE = 247,
  SPIRV_OP_LABEL = 248,
  SPIRV_OP_BRANCH = 249,
  SPIRV_OP_BRANCH_CONDITIONAL = 250,
  SPIRV_OP_SWITCH = 251,
  SPIRV_OP_UNREACHABLE = 255,
  SPIRV_OP_EXECUTION_MODE_ID = 331,
  SPIRV_OP_GROUP_NON_UNIFORM_FIRST = 333,
  SPIRV_OP_GROUP_NON_UNIFORM_LAST = 366,
  SPIRV_OP_TERMINATE_INVOCATION = 4416,
  SPIRV_OP_EXT_INST_WITH_FORWARD_REFS = 4433,
  SPIRV_OP_TYPE_COOPERATIVE_MATRIX = 4456,

  SPIRV_EXECUTION_MODEL_GL_COMPUTE = 5,
  SPIRV_ADDRESSING_LOGICAL = 0,
  SPIRV_ADDRESSING_PHYSICAL_STORAGE_BUFFER_64 = 5348,
  SPIRV_MEMORY_GLSL450 = 1,
  SPIRV_MEMORY_VULKAN = 3,
  SPIRV_MODE_LOCAL_SIZE = 17,
  SPIRV_MODE_LOCAL_SIZE_ID = 38,

  SPIRV_STORAGE_UNIFORM_CONSTANT = 0,
  SPIRV_STORAGE_INPUT = 1,
  SPIRV_STORAGE_UNIFORM = 2,
  SPIRV_STORAGE_OUTPUT = 3,
  SPIRV_STORAGE_WORKGROUP = 4,
  SPIRV_STORAGE_FUNCTION = 7,
  SPIRV_STORAGE_PUSH_CONSTANT = 9,
  SPIRV_STORAGE_STORAGE_BUFFER = 12,

  SPIRV_DECORATION_SPEC_ID = 1,
  SPIRV_DECORATION_BUFFER_BLOCK = 3,
  SPIRV_DECORATION_ARRAY_STRIDE = 6,
  SPIRV_DECORATION_BUILT_IN = 11,
  SPIRV_DECORATION_BINDING = 33,
  SPIRV_DECORATION_DESCRIPTOR_SET = 34,
  SPIRV_DECORATION_OFFSET = 35,
  SPIRV_DECORATION_NO_SIGNED_WRAP = 4469,
  SPIRV_DECORATION_NO_UNSIGNED_WRAP = 4470,
  SPIRV_BUILT_IN_WORKGROUP_SIZE = 25,
};

// Parts of a module, in the order that the specification lays down.
typedef enum spirv_section_e {
  SPIRV_SECTION_CAPABILITIES,
  SPIRV_SECTION_EXTENSIONS,
  SPIRV_SECTION_IMPORTS,
  SPIRV_SECTION_MEMORY_MODEL,
  SPIRV_SECTION_ENTRY_POINTS,
  SPIRV_SECTION_EXECUTION_MODES,
  SPIRV_SECTION_SOURCES,
  SPIRV_SECTION_NAMES,
  SPIRV_SECTION_PROCESSES,
  SPIRV_SECTION_ANNOTATIONS,
  SPIRV_SECTION_GLOBALS,
  SPIRV_SECTION_FUNCTIONS,
  // Globals, or inside of a function.
  SPIRV_SECTION_EITHER,
  // Anywhere.
  SPIRV_SECTION_ANY,
} spirv_section_t;

// The operands of |opcode| as spirv_next_operand reads them; NULL for one that
// compute shaders for Vulkan do not use.
const char* spirv_operands(uint16_t opcode);
spirv_section_t spirv_section(uint16_t opcode);

typedef enum spirv_operand_kind_e {
  SPIRV_OPERAND_END,
  SPIRV_OPERAND_TYPE,
  SPIRV_OPERAND_RESULT,
  SPIRV_OPERAND_ID,
  SPIRV_OPERAND_LITERAL,
  // Too few words, too many, or ones that mean nothing.
  SPIRV_OPERAND_BAD,
} spirv_operand_kind_t;

// Walks over the operands of one instruction. Begin with |words|, |word_count|,
// |operands|, |next| = 1 and, for OpSwitch, |literal_words|.
typedef struct spirv_operand_iterator_t {
  const uint32_t* words;
  uint32_t word_count;
  // The word behind the last operand.
  uint32_t next;
  const char* operands;
  // Words of each literal of a switch, and those left of the current one.
  uint32_t literal_words;
  uint32_t literal_left;
  // What a mask of memory operands still has to come.
  uint32_t memory_mask;
} spirv_operand_iterator_t;

// The next operand and its first word.
spirv_operand_kind_t spirv_next_operand(spirv_operand_iterator_t* iterator,
                                        uint32_t* out_word);

// The text at |words|, empty when no NUL is within |word_count| words.
iree_string_view_t spirv_string(const uint32_t* words, uint32_t word_count);

#endif  // IREE_CY_VULKAN_SPIRV_GRAMMAR_H_
