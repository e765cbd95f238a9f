// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Implements the checks of instructions that reach into values: drivers take
// them at their word, and crash.

#include "spirv_reader.h"

// The type of the value |id|, 0 when it has none.
static uint32_t spirv_type_of(const spirv_reader_t* reader, uint32_t id) {
  const uint32_t position = reader->ids[id].position;
  if (position == 0) return 0;
  const char* operands = spirv_operands(spirv_opcode_at(reader, position));
  return operands[0] == 'T' ? reader->words[position + 1] : 0;
}

// What the pointer type |type| points to, 0 when it is none.
static uint32_t spirv_pointee(const spirv_reader_t* reader, uint32_t type) {
  if (type == 0 || spirv_definition(reader, type) != SPIRV_OP_TYPE_POINTER) {
    return 0;
  }
  return reader->words[reader->ids[type].position + 3];
}

// The type of part |index| of |type|, 0 when there is no such part. Without
// |has_index| the index is known at run time only.
static uint32_t spirv_part(const spirv_reader_t* reader, uint32_t type,
                           bool has_index, uint32_t index) {
  const uint32_t position = reader->ids[type].position;
  if (position == 0) return 0;
  const uint32_t* words = reader->words + position;
  switch (spirv_opcode_at(reader, position)) {
    case SPIRV_OP_TYPE_STRUCT:
      if (!has_index || index >= spirv_length_at(reader, position) - 2) {
        return 0;
      }
      return words[2 + index];
    case SPIRV_OP_TYPE_VECTOR:
    case SPIRV_OP_TYPE_MATRIX:
      return has_index && index >= words[3] ? 0 : words[2];
    case SPIRV_OP_TYPE_ARRAY:
    case SPIRV_OP_TYPE_RUNTIME_ARRAY:
    case SPIRV_OP_TYPE_COOPERATIVE_MATRIX:
      return words[2];
    default:
      return 0;
  }
}

// The value of a constant that is an index; those of addresses have 64 bits.
static bool spirv_constant_index(const spirv_reader_t* reader, uint32_t id,
                                 uint32_t* out_index) {
  if (spirv_constant(reader, id, out_index)) return true;
  const uint32_t position = reader->ids[id].position;
  if (spirv_definition(reader, id) != SPIRV_OP_CONSTANT ||
      spirv_length_at(reader, position) != 5) {
    return false;
  }
  const uint32_t* words = reader->words + position;
  *out_index = words[4] == 0 ? words[3] : UINT32_MAX;
  return true;
}

static iree_status_t spirv_check_access(spirv_reader_t* reader,
                                        const uint32_t* words,
                                        uint32_t word_count, uint32_t begin) {
  const uint32_t base = spirv_type_of(reader, words[3]);
  uint32_t type = spirv_pointee(reader, base);
  for (uint32_t i = begin; i < word_count && type != 0; ++i) {
    uint32_t index = 0;
    const bool has_index = spirv_constant_index(reader, words[i], &index);
    type = spirv_part(reader, type, has_index, index);
  }
  if (type == 0) {
    return spirv_invalid(reader, "access %u reaches into what is not there",
                         words[2]);
  }
  if (spirv_pointee(reader, words[1]) != type ||
      reader->words[reader->ids[words[1]].position + 2] !=
          reader->words[reader->ids[base].position + 2]) {
    return spirv_invalid(reader, "access %u has the type of another place",
                         words[2]);
  }
  return iree_ok_status();
}

// Literal indices from word |begin| on lead from |composite| to |part|.
static iree_status_t spirv_check_parts(spirv_reader_t* reader,
                                       const uint32_t* words,
                                       uint32_t word_count, uint32_t begin,
                                       uint32_t composite, uint32_t part) {
  uint32_t type = composite;
  for (uint32_t i = begin; i < word_count && type != 0; ++i) {
    type = spirv_part(reader, type, true, words[i]);
  }
  if (composite != 0 && type == part) return iree_ok_status();
  return spirv_invalid(reader, "value %u is no such part of the other",
                       words[2]);
}

static uint32_t spirv_vector_size(const spirv_reader_t* reader, uint32_t type) {
  if (type == 0 || spirv_definition(reader, type) != SPIRV_OP_TYPE_VECTOR) {
    return 0;
  }
  return reader->words[reader->ids[type].position + 3];
}

static iree_status_t spirv_check_shuffle(spirv_reader_t* reader,
                                         const uint32_t* words,
                                         uint32_t word_count) {
  const uint32_t first =
      spirv_vector_size(reader, spirv_type_of(reader, words[3]));
  const uint32_t second =
      spirv_vector_size(reader, spirv_type_of(reader, words[4]));
  bool is_right = first != 0 && second != 0 &&
                  spirv_vector_size(reader, words[1]) == word_count - 5;
  for (uint32_t i = 5; i < word_count; ++i) {
    is_right &= words[i] < first + second || words[i] == SPIRV_NONE;
  }
  return is_right ? iree_ok_status()
                  : spirv_invalid(reader, "shuffle %u takes what is not there",
                                  words[2]);
}

static iree_status_t spirv_check_composite(spirv_reader_t* reader,
                                           const uint32_t* words,
                                           uint32_t word_count) {
  const uint32_t position = reader->ids[words[1]].position;
  const uint16_t opcode = spirv_opcode_at(reader, position);
  const uint32_t count = word_count - 3;
  bool is_right = true;
  if (opcode == SPIRV_OP_TYPE_STRUCT) {
    is_right = count == spirv_length_at(reader, position) - 2;
  } else if (opcode == SPIRV_OP_TYPE_MATRIX) {
    is_right = count == reader->words[position + 3];
  } else if (opcode == SPIRV_OP_TYPE_VECTOR) {
    // Of scalars and smaller vectors.
    uint32_t sum = 0;
    for (uint32_t i = 3; i < word_count; ++i) {
      const uint32_t size =
          spirv_vector_size(reader, spirv_type_of(reader, words[i]));
      sum += size ? size : 1;
    }
    is_right = sum == reader->words[position + 3];
  } else if (opcode == SPIRV_OP_TYPE_ARRAY) {
    uint32_t length = 0;
    is_right = !spirv_constant(reader, reader->words[position + 3], &length) ||
               count == length;
  } else {
    is_right = opcode == SPIRV_OP_TYPE_COOPERATIVE_MATRIX && count == 1;
  }
  return is_right ? iree_ok_status()
                  : spirv_invalid(reader,
                                  "composite %u has %u parts, not its "
                                  "type's number",
                                  words[2], count);
}

// How many operands the instructions of GLSL.std.450 have, by number; '-': it
// has no such instruction.
static const char glsl_operand_counts[] =
    "-1111111111111111111111112211111111212222"
    "22333332332121111111111111221323111122223";

static iree_status_t spirv_check_extended(spirv_reader_t* reader,
                                          const uint32_t* words,
                                          uint32_t word_count) {
  if (spirv_definition(reader, words[3]) != SPIRV_OP_EXT_INST_IMPORT) {
    return spirv_invalid(reader, "id %u is no instruction set", words[3]);
  }
  const uint32_t import = reader->ids[words[3]].position;
  const iree_string_view_t name = spirv_string(
      reader->words + import + 2, spirv_length_at(reader, import) - 2);
  if (!iree_string_view_equal(name, IREE_SV("GLSL.std.450"))) {
    return iree_ok_status();
  }
  const uint32_t number = words[4];
  if (number >= sizeof(glsl_operand_counts) - 1 ||
      glsl_operand_counts[number] - '0' != (int)word_count - 5) {
    return spirv_invalid(reader, "instruction %u of GLSL has %u operands",
                         number, word_count - 5);
  }
  return iree_ok_status();
}

// Values are of types that can be stored; calls and remarks may have none.
static iree_status_t spirv_check_result_type(spirv_reader_t* reader,
                                             uint16_t opcode,
                                             const uint32_t* words) {
  if (spirv_operands(opcode)[0] != 'T') return iree_ok_status();
  const uint16_t type = spirv_definition(reader, words[1]);
  const bool may_be_void = opcode == SPIRV_OP_FUNCTION ||
                           opcode == SPIRV_OP_FUNCTION_CALL ||
                           opcode == SPIRV_OP_EXT_INST ||
                           opcode == SPIRV_OP_EXT_INST_WITH_FORWARD_REFS;
  if (type == SPIRV_OP_TYPE_FUNCTION ||
      (type == SPIRV_OP_TYPE_VOID && !may_be_void)) {
    return spirv_invalid(reader, "value %u is of a type without values",
                         words[2]);
  }
  return iree_ok_status();
}

iree_status_t spirv_check_values(spirv_reader_t* reader) {
  const uint32_t* words = reader->words + reader->position;
  const uint32_t word_count = spirv_length_at(reader, reader->position);
  const uint16_t opcode = spirv_opcode_at(reader, reader->position);
  IREE_RETURN_IF_ERROR(spirv_check_result_type(reader, opcode, words));
  switch (opcode) {
    case SPIRV_OP_ACCESS_CHAIN:
    case SPIRV_OP_IN_BOUNDS_ACCESS_CHAIN:
      return spirv_check_access(reader, words, word_count, 4);
    case SPIRV_OP_PTR_ACCESS_CHAIN:
      // The first index is one of the pointer.
      return spirv_check_access(reader, words, word_count, 5);
    case SPIRV_OP_COMPOSITE_EXTRACT:
      return spirv_check_parts(reader, words, word_count, 4,
                               spirv_type_of(reader, words[3]), words[1]);
    case SPIRV_OP_COMPOSITE_INSERT:
      return spirv_check_parts(reader, words, word_count, 5, words[1],
                               spirv_type_of(reader, words[3]));
    case SPIRV_OP_VECTOR_SHUFFLE:
      return spirv_check_shuffle(reader, words, word_count);
    case SPIRV_OP_COMPOSITE_CONSTRUCT:
    case SPIRV_OP_CONSTANT_COMPOSITE:
    case SPIRV_OP_SPEC_CONSTANT_COMPOSITE:
      return spirv_check_composite(reader, words, word_count);
    case SPIRV_OP_LOAD:
      if (spirv_pointee(reader, spirv_type_of(reader, words[3])) == words[1]) {
        return iree_ok_status();
      }
      return spirv_invalid(reader, "load %u has the type of another place",
                           words[2]);
    case SPIRV_OP_STORE: {
      const uint32_t type =
          spirv_pointee(reader, spirv_type_of(reader, words[1]));
      if (type != 0 && type == spirv_type_of(reader, words[2])) {
        return iree_ok_status();
      }
      return spirv_invalid(reader, "what is stored at %u has another type",
                           words[1]);
    }
    case SPIRV_OP_EXT_INST:
      return spirv_check_extended(reader, words, word_count);
    default:
      return iree_ok_status();
  }
}
