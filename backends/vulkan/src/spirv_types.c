// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Implements what types, decorations and constants say.

#include <stdlib.h>

#include "spirv_reader.h"

static uint64_t spirv_multiply(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t spirv_add(uint64_t a, uint64_t b) {
  uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

bool spirv_constant(const spirv_reader_t* reader, uint32_t id,
                    uint32_t* out_value) {
  *out_value = 0;
  const uint32_t position = reader->ids[id].position;
  const uint16_t opcode = spirv_definition(reader, id);
  if (opcode != SPIRV_OP_CONSTANT && opcode != SPIRV_OP_SPEC_CONSTANT &&
      opcode != SPIRV_OP_CONSTANT_NULL) {
    return false;
  }
  const uint32_t type = reader->ids[reader->words[position + 1]].position;
  if (spirv_opcode_at(reader, type) != SPIRV_OP_TYPE_INT ||
      reader->words[type + 2] > 32) {
    return false;
  }
  if (opcode == SPIRV_OP_CONSTANT_NULL) return true;
  if (spirv_length_at(reader, position) != 4) return false;
  *out_value = reader->words[position + 3];
  const vulkan_spirv_source_t* source = reader->source;
  const uint32_t spec_id = reader->ids[id].spec_id;
  if (opcode == SPIRV_OP_SPEC_CONSTANT && spec_id < source->constant_count) {
    *out_value = source->constants[spec_id];
  }
  return true;
}

//===-- decorations ---------------------------------------------------------===

iree_status_t spirv_decorate(spirv_reader_t* reader) {
  const uint32_t* words = reader->words + reader->position;
  const uint32_t word_count = spirv_length_at(reader, reader->position);
  const bool is_member =
      spirv_opcode_at(reader, reader->position) == SPIRV_OP_MEMBER_DECORATE;
  const uint32_t decoration = words[is_member ? 3 : 2];
  const uint32_t value_word = is_member ? 4 : 3;
  const uint32_t value = value_word < word_count ? words[value_word] : 0;
  spirv_id_t* id = &reader->ids[words[1]];
  uint32_t* target = NULL;
  switch (decoration) {
    case SPIRV_DECORATION_SPEC_ID:
      target = &id->spec_id;
      break;
    case SPIRV_DECORATION_ARRAY_STRIDE:
      target = &id->array_stride;
      break;
    case SPIRV_DECORATION_BINDING:
      target = &id->binding;
      break;
    case SPIRV_DECORATION_DESCRIPTOR_SET:
      target = &id->set;
      break;
    case SPIRV_DECORATION_OFFSET:
    case SPIRV_DECORATION_BUILT_IN:
      break;
    case SPIRV_DECORATION_BUFFER_BLOCK:
      id->is_buffer_block = !is_member;
      return iree_ok_status();
    case SPIRV_DECORATION_NO_SIGNED_WRAP:
    case SPIRV_DECORATION_NO_UNSIGNED_WRAP:
      reader->needs_repair |= spirv_is_old(reader);
      return iree_ok_status();
    default:
      return iree_ok_status();
  }
  if (word_count != value_word + 1) {
    return spirv_invalid(reader, "decoration %u has no value", decoration);
  }
  if (decoration == SPIRV_DECORATION_OFFSET && is_member) {
    reader->members[reader->member_count++] =
        (spirv_member_t){words[1], words[2], value};
  } else if (decoration == SPIRV_DECORATION_BUILT_IN && !is_member &&
             value == SPIRV_BUILT_IN_WORKGROUP_SIZE) {
    reader->workgroup_size_id = words[1];
  } else if (target && !is_member) {
    *target = value;
  }
  return iree_ok_status();
}

static int spirv_compare_members(const void* a, const void* b) {
  const spirv_member_t* left = (const spirv_member_t*)a;
  const spirv_member_t* right = (const spirv_member_t*)b;
  if (left->type != right->type) return left->type < right->type ? -1 : 1;
  if (left->member != right->member) {
    return left->member < right->member ? -1 : 1;
  }
  return 0;
}

//===-- types ---------------------------------------------------------------===

static uint64_t spirv_type_size(const spirv_reader_t* reader, uint32_t id) {
  // A pointer that is only announced.
  if (!reader->ids[id].position) return sizeof(uint64_t);
  return reader->ids[id].size;
}

// The end of the last member where offsets are given, else the sum of all.
static uint64_t spirv_struct_size(spirv_reader_t* reader, uint32_t id) {
  if (!reader->members_are_sorted) {
    qsort(reader->members, reader->member_count, sizeof(*reader->members),
          spirv_compare_members);
    reader->members_are_sorted = true;
  }
  const uint32_t* words = reader->words + reader->position;
  const uint32_t count = spirv_length_at(reader, reader->position) - 2;
  uint64_t size = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t member_size = spirv_type_size(reader, words[2 + i]);
    const spirv_member_t key = {id, i, 0};
    const spirv_member_t* member =
        reader->member_count == 0
            ? NULL
            : (const spirv_member_t*)bsearch(&key, reader->members,
                                             reader->member_count, sizeof(key),
                                             spirv_compare_members);
    if (member) {
      size = iree_max(size, spirv_add(member->offset, member_size));
    } else {
      size = spirv_add(size, member_size);
    }
  }
  return size;
}

static iree_status_t spirv_array_size(spirv_reader_t* reader,
                                      const spirv_id_t* id,
                                      const uint32_t* words,
                                      uint64_t* out_size) {
  *out_size = 0;
  uint32_t length = 0;
  if (!spirv_constant(reader, words[3], &length)) {
    // Worked out from others when it is specialized.
    const uint16_t opcode = spirv_definition(reader, words[3]);
    if (opcode >= 41 && opcode <= 52) return iree_ok_status();
    return spirv_invalid(reader, "the length of array %u is no constant",
                         words[1]);
  }
  if (length == 0) {
    return spirv_invalid(reader, "array %u has length 0", words[1]);
  }
  const uint64_t element_size = spirv_type_size(reader, words[2]);
  *out_size = id->array_stride
                  ? spirv_add(spirv_multiply(id->array_stride, length - 1),
                              element_size)
                  : spirv_multiply(element_size, length);
  return iree_ok_status();
}

static bool spirv_is_scalar(uint16_t opcode) {
  return opcode == SPIRV_OP_TYPE_BOOL || opcode == SPIRV_OP_TYPE_INT ||
         opcode == SPIRV_OP_TYPE_FLOAT;
}

// Whether |opcode|, the definition of an element or member, has a value that
// can be stored.
static bool spirv_is_element(uint16_t opcode) {
  return spirv_is_type(opcode) && opcode != SPIRV_OP_TYPE_VOID &&
         opcode != SPIRV_OP_TYPE_FUNCTION;
}

// Whether the parts of the type at hand are of kinds that it can have.
static bool spirv_type_is_well_made(const spirv_reader_t* reader,
                                    uint16_t opcode, const uint32_t* words,
                                    uint32_t word_count) {
  switch (opcode) {
    case SPIRV_OP_TYPE_INT:
      return (words[2] == 8 || words[2] == 16 || words[2] == 32 ||
              words[2] == 64) &&
             words[3] <= 1;
    case SPIRV_OP_TYPE_FLOAT:
      return words[2] == 16 || words[2] == 32 || words[2] == 64;
    case SPIRV_OP_TYPE_VECTOR:
      return spirv_is_scalar(spirv_definition(reader, words[2])) &&
             words[3] >= 2 && words[3] <= 4;
    case SPIRV_OP_TYPE_MATRIX:
      return spirv_definition(reader, words[2]) == SPIRV_OP_TYPE_VECTOR &&
             words[3] >= 2 && words[3] <= 4;
    case SPIRV_OP_TYPE_ARRAY:
    case SPIRV_OP_TYPE_RUNTIME_ARRAY:
      return spirv_is_element(spirv_definition(reader, words[2])) ||
             reader->ids[words[2]].is_forward_pointer;
    case SPIRV_OP_TYPE_STRUCT:
    case SPIRV_OP_TYPE_FUNCTION: {
      // The first of a function is its result, which may be void.
      const uint32_t first = opcode == SPIRV_OP_TYPE_STRUCT ? 2 : 3;
      for (uint32_t i = 2; i < word_count; ++i) {
        const uint16_t part = spirv_definition(reader, words[i]);
        const bool may_be_void = i < first && part == SPIRV_OP_TYPE_VOID;
        if (!spirv_is_element(part) && !may_be_void &&
            !reader->ids[words[i]].is_forward_pointer) {
          return false;
        }
      }
      return true;
    }
    case SPIRV_OP_TYPE_POINTER:
      return spirv_is_type(spirv_definition(reader, words[3])) ||
             reader->ids[words[3]].is_forward_pointer;
    default:
      return true;
  }
}

iree_status_t spirv_define_type(spirv_reader_t* reader, uint32_t id) {
  const uint32_t* words = reader->words + reader->position;
  const uint32_t word_count = spirv_length_at(reader, reader->position);
  const uint16_t opcode = spirv_opcode_at(reader, reader->position);
  spirv_id_t* entry = &reader->ids[id];
  if (!spirv_type_is_well_made(reader, opcode, words, word_count)) {
    return spirv_invalid(reader, "type %u is made of what it cannot have", id);
  }
  switch (opcode) {
    case SPIRV_OP_TYPE_BOOL:
      entry->size = sizeof(uint32_t);
      break;
    case SPIRV_OP_TYPE_INT:
    case SPIRV_OP_TYPE_FLOAT:
      entry->size = words[2] / 8;
      break;
    case SPIRV_OP_TYPE_VECTOR:
    case SPIRV_OP_TYPE_MATRIX:
      entry->size = spirv_multiply(spirv_type_size(reader, words[2]), words[3]);
      break;
    case SPIRV_OP_TYPE_ARRAY:
      return spirv_array_size(reader, entry, words, &entry->size);
    case SPIRV_OP_TYPE_STRUCT:
      entry->size = spirv_struct_size(reader, id);
      break;
    case SPIRV_OP_TYPE_POINTER:
      entry->size = sizeof(uint64_t);
      break;
    default:
      break;
  }
  return iree_ok_status();
}
