// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Implements the first step of reading a module: each instruction, in order.

#include <stdio.h>

#include "spirv_reader.h"

iree_status_t spirv_invalid(const spirv_reader_t* reader, const char* format,
                            ...) {
  char text[100];
  va_list varargs;
  va_start(varargs, format);
  vsnprintf(text, sizeof(text), format, varargs);
  va_end(varargs);
  const iree_string_view_t name = reader->source->name;
  return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                          "the SPIR-V of '%.*s' is not valid at word %u: %s",
                          IREE_SV_ARG(name), reader->position, text);
}

static iree_status_t spirv_unknown(const spirv_reader_t* reader,
                                   const char* what, iree_string_view_t which) {
  const iree_string_view_t name = reader->source->name;
  // A name that nobody vouches for goes into a message of one line.
  which.size = iree_min(which.size, 60);
  for (iree_host_size_t i = 0; i < which.size; ++i) {
    if (which.data[i] < ' ' || which.data[i] > '~') {
      which = IREE_SV("of an unprintable name");
    }
  }
  return iree_make_status(IREE_STATUS_UNIMPLEMENTED,
                          "the SPIR-V of '%.*s' uses %s %.*s, which this "
                          "driver does not know",
                          IREE_SV_ARG(name), what, IREE_SV_ARG(which));
}

static iree_status_t spirv_unknown_number(const spirv_reader_t* reader,
                                          const char* what, uint32_t which) {
  char text[16];
  const int length = snprintf(text, sizeof(text), "%u", which);
  return spirv_unknown(reader, what,
                       iree_make_string_view(text, (iree_host_size_t)length));
}

// Words of a literal of the switch at |position|: 0 when it selects by
// something else than an integer.
static uint32_t spirv_switch_literal_words(const spirv_reader_t* reader,
                                           uint32_t position) {
  if (spirv_length_at(reader, position) < 2) return 0;
  const uint32_t selector = reader->words[position + 1];
  if (selector >= reader->bound) return 0;
  const uint32_t definition = reader->ids[selector].position;
  if (definition == 0) return 0;
  const char* operands = spirv_operands(spirv_opcode_at(reader, definition));
  if (!operands || operands[0] != 'T') return 0;
  const uint32_t type = reader->ids[reader->words[definition + 1]].position;
  if (type == 0 || spirv_opcode_at(reader, type) != SPIRV_OP_TYPE_INT) return 0;
  return reader->words[type + 2] > 32 ? 2 : 1;
}

spirv_operand_iterator_t spirv_operands_at(const spirv_reader_t* reader,
                                           uint32_t position) {
  const uint16_t opcode = spirv_opcode_at(reader, position);
  return (spirv_operand_iterator_t){
      .words = reader->words + position,
      .word_count = spirv_length_at(reader, position),
      .next = 1,
      .operands = spirv_operands(opcode),
      .literal_words = opcode == SPIRV_OP_SWITCH
                           ? spirv_switch_literal_words(reader, position)
                           : 0,
  };
}

static iree_status_t spirv_scan_section(spirv_reader_t* reader,
                                        uint16_t opcode) {
  spirv_section_t section = spirv_section(opcode);
  if (section == SPIRV_SECTION_ANY) return iree_ok_status();
  if (section == SPIRV_SECTION_EITHER) {
    section =
        reader->in_function ? SPIRV_SECTION_FUNCTIONS : SPIRV_SECTION_GLOBALS;
  }
  if (section < reader->section) {
    return spirv_invalid(reader, "instruction %u comes too late in the module",
                         opcode);
  }
  if (section != SPIRV_SECTION_FUNCTIONS) {
    reader->section = section;
    return iree_ok_status();
  }
  if (opcode == SPIRV_OP_FUNCTION && reader->functions_begin == 0) {
    reader->functions_begin = reader->position;
  }
  reader->section = section;
  return iree_ok_status();
}

static bool spirv_ends_block(uint16_t opcode) {
  return (opcode >= SPIRV_OP_BRANCH && opcode <= SPIRV_OP_UNREACHABLE) ||
         opcode == SPIRV_OP_TERMINATE_INVOCATION;
}

// Functions hold blocks, and blocks the rest.
static iree_status_t spirv_scan_structure(spirv_reader_t* reader,
                                          uint16_t opcode) {
  if (reader->section != SPIRV_SECTION_FUNCTIONS ||
      spirv_section(opcode) == SPIRV_SECTION_ANY) {
    return iree_ok_status();
  }
  bool is_right = false;
  switch (opcode) {
    case SPIRV_OP_FUNCTION:
      is_right = !reader->in_function;
      reader->in_function = true;
      reader->has_block = false;
      ++reader->function_count;
      break;
    case SPIRV_OP_FUNCTION_PARAMETER:
      is_right = reader->in_function && !reader->has_block;
      break;
    case SPIRV_OP_FUNCTION_END:
      // One without a body would come from another module.
      is_right = reader->in_function && !reader->in_block && reader->has_block;
      reader->in_function = false;
      break;
    case SPIRV_OP_LABEL:
      is_right = reader->in_function && !reader->in_block;
      reader->in_block = true;
      reader->has_block = true;
      break;
    default:
      is_right = reader->in_block;
      if (spirv_ends_block(opcode)) reader->in_block = false;
      break;
  }
  if (!is_right) {
    return spirv_invalid(reader, "instruction %u stands outside of a block",
                         opcode);
  }
  return iree_ok_status();
}

static iree_status_t spirv_define(spirv_reader_t* reader, uint32_t id,
                                  uint16_t opcode) {
  spirv_id_t* entry = &reader->ids[id];
  if (entry->position) {
    return spirv_invalid(reader, "id %u is defined twice", id);
  }
  if (entry->is_forward_pointer && opcode != SPIRV_OP_TYPE_POINTER) {
    return spirv_invalid(reader, "id %u was announced as a pointer", id);
  }
  entry->position = reader->position;
  // A function is known to others.
  entry->function = reader->in_function && opcode != SPIRV_OP_FUNCTION
                        ? reader->function_count
                        : 0;
  return iree_ok_status();
}

// Whether operand |word| of |opcode| has to be a block.
static bool spirv_wants_label(uint16_t opcode, uint32_t word) {
  switch (opcode) {
    case SPIRV_OP_BRANCH:
    case SPIRV_OP_LOOP_MERGE:
    case SPIRV_OP_SELECTION_MERGE:
      return true;
    case SPIRV_OP_BRANCH_CONDITIONAL:
    case SPIRV_OP_SWITCH:
      return word > 1;
    default:
      return false;
  }
}

// Whether operand |word| of |opcode| may be defined further down. Values are
// not, for what dominates a block stands before it.
static bool spirv_may_come_later(const spirv_reader_t* reader, uint16_t opcode,
                                 uint32_t word) {
  switch (opcode) {
    case SPIRV_OP_PHI:
    case SPIRV_OP_EXT_INST_WITH_FORWARD_REFS:
      return true;
    case SPIRV_OP_FUNCTION_CALL:
      return word == 3;
    default:
      return reader->section < SPIRV_SECTION_GLOBALS ||
             spirv_wants_label(opcode, word);
  }
}

static iree_status_t spirv_scan_id(spirv_reader_t* reader, uint16_t opcode,
                                   uint32_t word, spirv_operand_kind_t kind) {
  const uint32_t id = reader->words[reader->position + word];
  spirv_id_t* entry = &reader->ids[id];
  if (kind == SPIRV_OPERAND_TYPE &&
      !spirv_is_type(spirv_definition(reader, id))) {
    return spirv_invalid(reader, "id %u, the type of a result, is no type", id);
  }
  if (entry->position) return iree_ok_status();
  if (!spirv_may_come_later(reader, opcode, word) &&
      !entry->is_forward_pointer) {
    return spirv_invalid(reader, "id %u is used before it is defined", id);
  }
  if (entry->first_use == 0) entry->first_use = reader->position;
  return iree_ok_status();
}

static iree_status_t spirv_scan_operands(spirv_reader_t* reader,
                                         uint16_t opcode) {
  spirv_operand_iterator_t iterator =
      spirv_operands_at(reader, reader->position);
  if (opcode == SPIRV_OP_SWITCH && iterator.literal_words == 0) {
    return spirv_invalid(reader, "a switch selects by what is no integer");
  }
  if (opcode == SPIRV_OP_TYPE_FORWARD_POINTER && iterator.word_count > 1 &&
      iterator.words[1] < reader->bound) {
    reader->ids[iterator.words[1]].is_forward_pointer = true;
  }
  uint32_t result = 0;
  uint32_t word = 0;
  for (;;) {
    const spirv_operand_kind_t kind = spirv_next_operand(&iterator, &word);
    if (kind == SPIRV_OPERAND_END) break;
    if (kind == SPIRV_OPERAND_BAD) {
      return spirv_invalid(reader, "instruction %u has wrong operands", opcode);
    }
    if (kind == SPIRV_OPERAND_LITERAL) continue;
    const uint32_t id = iterator.words[word];
    if (id == 0 || id >= reader->bound) {
      return spirv_invalid(reader, "id %u is not below the bound %u", id,
                           reader->bound);
    }
    if (kind == SPIRV_OPERAND_RESULT) {
      result = id;
    } else {
      IREE_RETURN_IF_ERROR(spirv_scan_id(reader, opcode, word, kind));
    }
  }
  // Defined last, so that nothing is defined by itself.
  return result ? spirv_define(reader, result, opcode) : iree_ok_status();
}

static iree_status_t spirv_scan_capability(spirv_reader_t* reader,
                                           const uint32_t* words) {
  if (vulkan_spirv_add_capability(words[1], &reader->module->needs)) {
    return iree_ok_status();
  }
  return spirv_unknown_number(reader, "the capability", words[1]);
}

static iree_status_t spirv_scan_extension(spirv_reader_t* reader,
                                          const uint32_t* words,
                                          uint32_t word_count) {
  const iree_string_view_t name = spirv_string(words + 1, word_count - 1);
  if (!vulkan_spirv_add_extension(name, &reader->module->needs)) {
    return spirv_unknown(reader, "the extension", name);
  }
  if (iree_string_view_equal(name,
                             IREE_SV("SPV_EXT_physical_storage_buffer"))) {
    reader->needs_repair = true;
  }
  if (iree_string_view_equal(name,
                             IREE_SV("SPV_KHR_no_integer_wrap_decoration"))) {
    reader->needs_repair |= spirv_is_old(reader);
  }
  return iree_ok_status();
}

static iree_status_t spirv_scan_import(spirv_reader_t* reader,
                                       const uint32_t* words,
                                       uint32_t word_count) {
  const iree_string_view_t name = spirv_string(words + 2, word_count - 2);
  if (iree_string_view_equal(name, IREE_SV("GLSL.std.450")) ||
      iree_string_view_starts_with(name, IREE_SV("NonSemantic."))) {
    return iree_ok_status();
  }
  return spirv_unknown(reader, "the instruction set", name);
}

static iree_status_t spirv_scan_memory_model(spirv_reader_t* reader,
                                             const uint32_t* words) {
  if (reader->has_memory_model) {
    return spirv_invalid(reader, "there is a second memory model");
  }
  reader->has_memory_model = true;
  if (words[1] != SPIRV_ADDRESSING_LOGICAL &&
      words[1] != SPIRV_ADDRESSING_PHYSICAL_STORAGE_BUFFER_64) {
    return spirv_unknown_number(reader, "the addressing model", words[1]);
  }
  if (words[2] != SPIRV_MEMORY_GLSL450 && words[2] != SPIRV_MEMORY_VULKAN) {
    return spirv_unknown_number(reader, "the memory model", words[2]);
  }
  return iree_ok_status();
}

// Operations of a subgroup on other than 32 bits are a feature of their own.
static void spirv_scan_subgroup_operation(spirv_reader_t* reader,
                                          const uint32_t* words) {
  uint32_t type = reader->ids[words[1]].position;
  if (spirv_opcode_at(reader, type) == SPIRV_OP_TYPE_VECTOR) {
    type = reader->ids[reader->words[type + 2]].position;
  }
  const uint16_t opcode = spirv_opcode_at(reader, type);
  if ((opcode == SPIRV_OP_TYPE_INT || opcode == SPIRV_OP_TYPE_FLOAT) &&
      reader->words[type + 2] != 32) {
    reader->module->needs.features |=
        UINT64_C(1) << VULKAN_FEATURE_shaderSubgroupExtendedTypes;
  }
}

static iree_status_t spirv_scan_variable(spirv_reader_t* reader,
                                         const uint32_t* words,
                                         uint32_t word_count) {
  if (spirv_definition(reader, words[1]) != SPIRV_OP_TYPE_POINTER) {
    return spirv_invalid(reader, "the type of variable %u is no pointer",
                         words[2]);
  }
  if (words[3] != reader->words[reader->ids[words[1]].position + 2]) {
    return spirv_invalid(reader, "variable %u is not where its type points to",
                         words[2]);
  }
  if (reader->in_function != (words[3] == SPIRV_STORAGE_FUNCTION)) {
    return spirv_invalid(reader, "variable %u is %s a function", words[2],
                         reader->in_function ? "in" : "outside of");
  }
  if (words[3] == SPIRV_STORAGE_WORKGROUP && word_count > 4) {
    reader->module->needs.features |=
        UINT64_C(1) << VULKAN_FEATURE_shaderZeroInitializeWorkgroupMemory;
  }
  return iree_ok_status();
}

// Values for specialization have 32 bits each.
static iree_status_t spirv_scan_spec_constant(spirv_reader_t* reader,
                                              const uint32_t* words) {
  if (reader->ids[words[2]].spec_id >= reader->source->constant_count ||
      reader->ids[words[1]].size == sizeof(uint32_t)) {
    return iree_ok_status();
  }
  return spirv_invalid(reader, "specialization constant %u has not 32 bits",
                       reader->ids[words[2]].spec_id);
}

// What the instruction means beside its operands, which are checked.
static iree_status_t spirv_scan_meaning(spirv_reader_t* reader,
                                        uint16_t opcode) {
  const uint32_t* words = reader->words + reader->position;
  const uint32_t word_count = spirv_length_at(reader, reader->position);
  if (spirv_is_type(opcode)) return spirv_define_type(reader, words[1]);
  if (opcode >= SPIRV_OP_GROUP_NON_UNIFORM_FIRST &&
      opcode <= SPIRV_OP_GROUP_NON_UNIFORM_LAST) {
    spirv_scan_subgroup_operation(reader, words);
    return iree_ok_status();
  }
  switch (opcode) {
    case SPIRV_OP_CAPABILITY:
      return spirv_scan_capability(reader, words);
    case SPIRV_OP_EXTENSION:
      return spirv_scan_extension(reader, words, word_count);
    case SPIRV_OP_EXT_INST_IMPORT:
      return spirv_scan_import(reader, words, word_count);
    case SPIRV_OP_MEMORY_MODEL:
      return spirv_scan_memory_model(reader, words);
    case SPIRV_OP_ENTRY_POINT:
      if (!reader->entry_points_begin) {
        reader->entry_points_begin = reader->position;
      }
      if (words[1] == SPIRV_EXECUTION_MODEL_GL_COMPUTE) {
        ++reader->module->entry_point_count;
      }
      return iree_ok_status();
    case SPIRV_OP_DECORATE:
    case SPIRV_OP_MEMBER_DECORATE:
      return spirv_decorate(reader);
    case SPIRV_OP_SPEC_CONSTANT_TRUE:
    case SPIRV_OP_SPEC_CONSTANT_FALSE:
    case SPIRV_OP_SPEC_CONSTANT:
      return spirv_scan_spec_constant(reader, words);
    case SPIRV_OP_FUNCTION:
      if (spirv_definition(reader, words[4]) == SPIRV_OP_TYPE_FUNCTION) {
        return iree_ok_status();
      }
      return spirv_invalid(reader, "function %u has the type of none",
                           words[2]);
    case SPIRV_OP_VARIABLE:
      return spirv_scan_variable(reader, words, word_count);
    default:
      return iree_ok_status();
  }
}

static iree_status_t spirv_scan_instruction(spirv_reader_t* reader) {
  const uint16_t opcode = spirv_opcode_at(reader, reader->position);
  const uint32_t length = spirv_length_at(reader, reader->position);
  if (length == 0 || length > reader->word_count - reader->position) {
    return spirv_invalid(reader, "instruction %u has %u words, of %u left",
                         opcode, length, reader->word_count - reader->position);
  }
  if (!spirv_operands(opcode)) {
    return spirv_unknown_number(reader, "the instruction", opcode);
  }
  IREE_RETURN_IF_ERROR(spirv_scan_section(reader, opcode));
  IREE_RETURN_IF_ERROR(spirv_scan_structure(reader, opcode));
  IREE_RETURN_IF_ERROR(spirv_scan_operands(reader, opcode));
  IREE_RETURN_IF_ERROR(spirv_check_values(reader));
  return spirv_scan_meaning(reader, opcode);
}

static iree_status_t spirv_link_id(spirv_reader_t* reader, uint16_t opcode,
                                   uint32_t word, uint32_t function) {
  const uint32_t id = reader->words[reader->position + word];
  const uint16_t definition = spirv_definition(reader, id);
  const bool is_label = definition == SPIRV_OP_LABEL;
  if (is_label != spirv_wants_label(opcode, word) && opcode != SPIRV_OP_PHI) {
    return spirv_invalid(reader, "id %u is %s block", id,
                         is_label ? "a" : "no");
  }
  if (opcode == SPIRV_OP_FUNCTION_CALL && word == 3 &&
      definition != SPIRV_OP_FUNCTION) {
    return spirv_invalid(reader, "id %u, which is called, is no function", id);
  }
  if (spirv_is_type(definition) && opcode != SPIRV_OP_FUNCTION &&
      opcode != SPIRV_OP_EXT_INST &&
      opcode != SPIRV_OP_EXT_INST_WITH_FORWARD_REFS) {
    return spirv_invalid(reader, "id %u, a type, is used as a value", id);
  }
  const uint32_t owner = reader->ids[id].function;
  if (owner != 0 && owner != function) {
    return spirv_invalid(reader, "id %u is of another function", id);
  }
  return iree_ok_status();
}

// What can only be told of functions when all ids are known.
static iree_status_t spirv_link(spirv_reader_t* reader) {
  uint32_t function = 0;
  for (uint32_t position = reader->functions_begin;
       position != 0 && position < reader->word_count;
       position += spirv_length_at(reader, position)) {
    reader->position = position;
    const uint16_t opcode = spirv_opcode_at(reader, position);
    if (opcode == SPIRV_OP_FUNCTION) ++function;
    spirv_operand_iterator_t iterator = spirv_operands_at(reader, position);
    uint32_t word = 0;
    spirv_operand_kind_t kind = SPIRV_OPERAND_LITERAL;
    while (kind != SPIRV_OPERAND_END) {
      kind = spirv_next_operand(&iterator, &word);
      if (kind == SPIRV_OPERAND_ID) {
        IREE_RETURN_IF_ERROR(spirv_link_id(reader, opcode, word, function));
      }
    }
  }
  return iree_ok_status();
}

iree_status_t spirv_scan(spirv_reader_t* reader) {
  reader->section = SPIRV_SECTION_CAPABILITIES;
  for (reader->position = SPIRV_HEADER_WORDS;
       reader->position < reader->word_count;
       reader->position += spirv_length_at(reader, reader->position)) {
    IREE_RETURN_IF_ERROR(spirv_scan_instruction(reader));
  }
  if (reader->in_function) {
    return spirv_invalid(reader, "the last function has no end");
  }
  if (!reader->has_memory_model) {
    return spirv_invalid(reader, "there is no memory model");
  }
  for (uint32_t id = 1; id < reader->bound; ++id) {
    if (reader->ids[id].first_use && !reader->ids[id].position) {
      reader->position = reader->ids[id].first_use;
      return spirv_invalid(reader, "id %u is defined nowhere", id);
    }
  }
  return spirv_link(reader);
}
