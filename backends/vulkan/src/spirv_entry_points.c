// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Implements what each entry point of a module is and uses.

#include "spirv_reader.h"

enum {
  MAX_ENTRY_POINTS = 1024,
  MAX_BINDINGS = 1024,
  // How often the code of a module may be walked over for its entry points.
  MAX_WALKS = 256,
};

//===-- what a function uses ------------------------------------------------===

static iree_status_t spirv_append_binding(spirv_reader_t* reader,
                                          vulkan_spirv_binding_t binding) {
  if (reader->binding_count == reader->binding_capacity) {
    const iree_host_size_t capacity =
        iree_max(16, reader->binding_capacity * 2);
    IREE_RETURN_IF_ERROR(iree_allocator_realloc(
        reader->host_allocator, capacity * sizeof(binding),
        (void**)&reader->module->bindings));
    reader->binding_capacity = capacity;
  }
  reader->module->bindings[reader->binding_count++] = binding;
  return iree_ok_status();
}

static iree_status_t spirv_add_binding(spirv_reader_t* reader,
                                       vulkan_spirv_entry_point_t* entry_point,
                                       vulkan_spirv_binding_t binding) {
  const iree_host_size_t begin =
      reader->binding_count - entry_point->binding_count;
  for (iree_host_size_t i = begin; i < reader->binding_count; ++i) {
    vulkan_spirv_binding_t* other = &reader->module->bindings[i];
    if (other->set != binding.set || other->binding != binding.binding) {
      continue;
    }
    if (other->resource != binding.resource ||
        other->descriptor_count != binding.descriptor_count) {
      return spirv_invalid(reader, "binding %u of set %u is of two kinds",
                           binding.binding, binding.set);
    }
    return iree_ok_status();
  }
  if (entry_point->binding_count == MAX_BINDINGS) {
    return spirv_invalid(reader, "an entry point has more than %u bindings",
                         (uint32_t)MAX_BINDINGS);
  }
  ++entry_point->binding_count;
  return spirv_append_binding(reader, binding);
}

static iree_status_t spirv_add_descriptor(
    spirv_reader_t* reader, vulkan_spirv_entry_point_t* entry_point,
    uint32_t variable, uint32_t storage, uint32_t pointee) {
  const spirv_id_t* id = &reader->ids[variable];
  if (id->set == SPIRV_NONE || id->binding == SPIRV_NONE) {
    return spirv_invalid(reader, "variable %u has no set or no binding",
                         variable);
  }
  vulkan_spirv_binding_t binding = {
      .set = id->set,
      .binding = id->binding,
      .descriptor_count = 1,
  };
  const uint16_t opcode = spirv_definition(reader, pointee);
  if (opcode == SPIRV_OP_TYPE_ARRAY || opcode == SPIRV_OP_TYPE_RUNTIME_ARRAY) {
    const uint32_t* words = reader->words + reader->ids[pointee].position;
    binding.descriptor_count = 0;
    if (opcode == SPIRV_OP_TYPE_ARRAY) {
      (void)spirv_constant(reader, words[3], &binding.descriptor_count);
    }
    pointee = words[2];
  }
  if (storage == SPIRV_STORAGE_UNIFORM_CONSTANT) {
    binding.resource = VULKAN_SPIRV_RESOURCE_OTHER;
  } else if (spirv_definition(reader, pointee) != SPIRV_OP_TYPE_STRUCT) {
    return spirv_invalid(reader, "buffer %u is no struct", variable);
  } else if (storage == SPIRV_STORAGE_STORAGE_BUFFER ||
             reader->ids[pointee].is_buffer_block) {
    binding.resource = VULKAN_SPIRV_RESOURCE_STORAGE_BUFFER;
  } else {
    binding.resource = VULKAN_SPIRV_RESOURCE_UNIFORM_BUFFER;
  }
  return spirv_add_binding(reader, entry_point, binding);
}

// Notes that |entry_point| uses a global variable.
static iree_status_t spirv_use_variable(spirv_reader_t* reader,
                                        vulkan_spirv_entry_point_t* entry_point,
                                        uint32_t variable) {
  const uint32_t* words = reader->words + reader->ids[variable].position;
  const uint32_t storage = words[3];
  const uint32_t pointer = reader->ids[words[1]].position;
  const uint32_t pointee = reader->words[pointer + 3];
  const uint64_t size = reader->ids[pointee].size;
  uint64_t* total = &entry_point->workgroup_memory_size;
  switch (storage) {
    case SPIRV_STORAGE_PUSH_CONSTANT:
      if (spirv_definition(reader, pointee) != SPIRV_OP_TYPE_STRUCT) {
        return spirv_invalid(reader, "push constants %u are no struct",
                             variable);
      }
      entry_point->push_constant_size =
          iree_max(entry_point->push_constant_size, size);
      return iree_ok_status();
    case SPIRV_STORAGE_WORKGROUP:
      *total = size > UINT64_MAX - *total ? UINT64_MAX : *total + size;
      return iree_ok_status();
    case SPIRV_STORAGE_UNIFORM_CONSTANT:
    case SPIRV_STORAGE_UNIFORM:
    case SPIRV_STORAGE_STORAGE_BUFFER:
      return spirv_add_descriptor(reader, entry_point, variable, storage,
                                  pointee);
    default:
      return iree_ok_status();
  }
}

static iree_status_t spirv_use_ids(spirv_reader_t* reader, uint32_t ordinal,
                                   vulkan_spirv_entry_point_t* entry_point) {
  spirv_operand_iterator_t iterator =
      spirv_operands_at(reader, reader->position);
  uint32_t word = 0;
  for (spirv_operand_kind_t kind = spirv_next_operand(&iterator, &word);
       kind != SPIRV_OPERAND_END; kind = spirv_next_operand(&iterator, &word)) {
    if (kind != SPIRV_OPERAND_ID) continue;
    spirv_id_t* id = &reader->ids[iterator.words[word]];
    if (id->function != 0 || id->entry_point == ordinal ||
        spirv_opcode_at(reader, id->position) != SPIRV_OP_VARIABLE) {
      continue;
    }
    id->entry_point = ordinal;
    IREE_RETURN_IF_ERROR(
        spirv_use_variable(reader, entry_point, iterator.words[word]));
  }
  return iree_ok_status();
}

//===-- what an entry point reaches -----------------------------------------===

// Functions on the way from the entry point to where the walk is.
typedef struct spirv_frame_t {
  uint32_t function;
  uint32_t position;
} spirv_frame_t;

typedef struct spirv_walk_t {
  uint32_t ordinal;
  uint32_t depth;
  spirv_frame_t* frames;
  // Words that may still be walked over.
  uint64_t words_left;
} spirv_walk_t;

static iree_status_t spirv_enter(spirv_reader_t* reader, spirv_walk_t* walk,
                                 uint32_t function) {
  spirv_id_t* id = &reader->ids[function];
  if (id->is_open) {
    return spirv_invalid(reader, "function %u calls itself", function);
  }
  if (id->entry_point == walk->ordinal) return iree_ok_status();
  id->entry_point = walk->ordinal;
  id->is_open = true;
  walk->frames[walk->depth++] = (spirv_frame_t){function, id->position};
  return iree_ok_status();
}

static iree_status_t spirv_walk(spirv_reader_t* reader, spirv_walk_t* walk,
                                uint32_t function,
                                vulkan_spirv_entry_point_t* entry_point) {
  walk->depth = 0;
  IREE_RETURN_IF_ERROR(spirv_enter(reader, walk, function));
  while (walk->depth != 0) {
    spirv_frame_t* frame = &walk->frames[walk->depth - 1];
    reader->position = frame->position;
    const uint32_t length = spirv_length_at(reader, frame->position);
    if (walk->words_left < length) {
      return spirv_invalid(reader, "its entry points share too much code");
    }
    walk->words_left -= length;
    frame->position += length;
    const uint16_t opcode = spirv_opcode_at(reader, reader->position);
    if (opcode == SPIRV_OP_FUNCTION_END) {
      reader->ids[frame->function].is_open = false;
      --walk->depth;
      continue;
    }
    IREE_RETURN_IF_ERROR(spirv_use_ids(reader, walk->ordinal, entry_point));
    if (opcode == SPIRV_OP_FUNCTION_CALL) {
      IREE_RETURN_IF_ERROR(
          spirv_enter(reader, walk, reader->words[reader->position + 3]));
    }
  }
  return iree_ok_status();
}

//===-- entry points --------------------------------------------------------===

// The constant that is decorated as the size takes the place of all others.
static iree_status_t spirv_decorated_workgroup_size(spirv_reader_t* reader,
                                                    uint32_t* size) {
  const uint32_t id = reader->workgroup_size_id;
  if (id == 0) return iree_ok_status();
  const uint32_t position = reader->ids[id].position;
  const uint16_t opcode = spirv_definition(reader, id);
  reader->position = position;
  bool is_right = (opcode == SPIRV_OP_CONSTANT_COMPOSITE ||
                   opcode == SPIRV_OP_SPEC_CONSTANT_COMPOSITE) &&
                  spirv_length_at(reader, position) == 6;
  for (uint32_t i = 0; i < 3 && is_right; ++i) {
    is_right =
        spirv_constant(reader, reader->words[position + 3 + i], &size[i]);
  }
  return is_right ? iree_ok_status()
                  : spirv_invalid(reader, "WorkgroupSize is no three integers");
}

static iree_status_t spirv_read_mode(spirv_reader_t* reader,
                                     const uint32_t* words,
                                     uint32_t word_count) {
  const uint32_t ordinal = reader->ids[words[1]].is_entry_point;
  const uint32_t mode = words[2];
  if (ordinal == 0 ||
      (mode != SPIRV_MODE_LOCAL_SIZE && mode != SPIRV_MODE_LOCAL_SIZE_ID)) {
    return iree_ok_status();
  }
  const bool is_by_id =
      spirv_opcode_at(reader, reader->position) == SPIRV_OP_EXECUTION_MODE_ID;
  if (word_count != 6 || is_by_id != (mode == SPIRV_MODE_LOCAL_SIZE_ID)) {
    return spirv_invalid(reader, "the size of workgroups is no three integers");
  }
  uint32_t* size = reader->module->entry_points[ordinal - 1].workgroup_size;
  for (uint32_t i = 0; i < 3; ++i) {
    if (!is_by_id) {
      size[i] = words[3 + i];
    } else if (!spirv_constant(reader, words[3 + i], &size[i])) {
      return spirv_invalid(reader, "id %u, a size of workgroups, is unknown",
                           words[3 + i]);
    }
  }
  if (is_by_id) {
    reader->module->needs.features |= UINT64_C(1)
                                      << VULKAN_FEATURE_maintenance4;
  }
  return iree_ok_status();
}

static iree_status_t spirv_read_interface(spirv_reader_t* reader,
                                          const uint32_t* words,
                                          uint32_t word_count,
                                          uint32_t name_words) {
  for (uint32_t i = 3 + name_words; i < word_count; ++i) {
    if (spirv_definition(reader, words[i]) != SPIRV_OP_VARIABLE ||
        reader->ids[words[i]].function != 0) {
      return spirv_invalid(reader, "id %u of an interface is no variable",
                           words[i]);
    }
    const uint32_t storage = reader->words[reader->ids[words[i]].position + 3];
    if (storage != SPIRV_STORAGE_INPUT && storage != SPIRV_STORAGE_OUTPUT) {
      reader->needs_repair |= spirv_is_old(reader);
    }
  }
  return iree_ok_status();
}

static iree_status_t spirv_read_entry_point(spirv_reader_t* reader,
                                            const uint32_t* words,
                                            uint32_t word_count,
                                            uint32_t ordinal) {
  vulkan_spirv_entry_point_t* entry_point =
      &reader->module->entry_points[ordinal - 1];
  entry_point->name = spirv_string(words + 3, word_count - 3);
  IREE_RETURN_IF_ERROR(spirv_read_interface(
      reader, words, word_count, (uint32_t)(entry_point->name.size / 4 + 1)));
  spirv_id_t* id = &reader->ids[words[2]];
  if (spirv_definition(reader, words[2]) != SPIRV_OP_FUNCTION ||
      id->is_entry_point) {
    return spirv_invalid(reader, "id %u is no function of one entry point",
                         words[2]);
  }
  id->is_entry_point = ordinal;
  const uint32_t* function = reader->words + id->position;
  const uint32_t type = reader->ids[function[4]].position;
  if (spirv_definition(reader, function[1]) != SPIRV_OP_TYPE_VOID ||
      spirv_opcode_at(reader, type) != SPIRV_OP_TYPE_FUNCTION ||
      spirv_length_at(reader, type) != 3) {
    return spirv_invalid(reader, "entry point %u has parameters or a result",
                         words[2]);
  }
  return iree_ok_status();
}

// Reads entry points and their modes, which lie in a row.
static iree_status_t spirv_read_declarations(spirv_reader_t* reader) {
  uint32_t ordinal = 0;
  for (uint32_t position = reader->entry_points_begin;
       position < reader->word_count;
       position += spirv_length_at(reader, position)) {
    reader->position = position;
    const uint16_t opcode = spirv_opcode_at(reader, position);
    const spirv_section_t section = spirv_section(opcode);
    const uint32_t* words = reader->words + position;
    const uint32_t word_count = spirv_length_at(reader, position);
    if (section == SPIRV_SECTION_ENTRY_POINTS) {
      if (words[1] != SPIRV_EXECUTION_MODEL_GL_COMPUTE) continue;
      IREE_RETURN_IF_ERROR(
          spirv_read_entry_point(reader, words, word_count, ++ordinal));
    } else if (section == SPIRV_SECTION_EXECUTION_MODES) {
      IREE_RETURN_IF_ERROR(spirv_read_mode(reader, words, word_count));
    } else if (section != SPIRV_SECTION_ANY) {
      break;
    }
  }
  return iree_ok_status();
}

static iree_status_t spirv_finish_entry_point(
    spirv_reader_t* reader, spirv_walk_t* walk,
    vulkan_spirv_entry_point_t* entry_point, uint32_t function) {
  IREE_RETURN_IF_ERROR(
      spirv_decorated_workgroup_size(reader, entry_point->workgroup_size));
  const uint32_t* size = entry_point->workgroup_size;
  reader->position = reader->ids[function].position;
  if (size[0] == 0 || size[1] == 0 || size[2] == 0) {
    return spirv_invalid(
        reader, "the workgroups of entry point %u have no size", function);
  }
  return spirv_walk(reader, walk, function, entry_point);
}

static iree_status_t spirv_walk_all(spirv_reader_t* reader,
                                    spirv_walk_t* walk) {
  uint32_t ordinal = 0;
  for (uint32_t position = reader->entry_points_begin;
       ordinal < reader->module->entry_point_count;
       position += spirv_length_at(reader, position)) {
    if (spirv_opcode_at(reader, position) != SPIRV_OP_ENTRY_POINT ||
        reader->words[position + 1] != SPIRV_EXECUTION_MODEL_GL_COMPUTE) {
      continue;
    }
    vulkan_spirv_entry_point_t* entry_point =
        &reader->module->entry_points[ordinal];
    walk->ordinal = ++ordinal;
    IREE_RETURN_IF_ERROR(spirv_finish_entry_point(reader, walk, entry_point,
                                                  reader->words[position + 2]));
  }
  return iree_ok_status();
}

iree_status_t spirv_read_entry_points(spirv_reader_t* reader) {
  vulkan_spirv_module_t* module = reader->module;
  if (module->entry_point_count == 0) {
    return spirv_invalid(reader, "there is no compute entry point");
  }
  if (module->entry_point_count > MAX_ENTRY_POINTS) {
    return spirv_invalid(reader, "there are more than %u entry points",
                         (uint32_t)MAX_ENTRY_POINTS);
  }
  IREE_RETURN_IF_ERROR(iree_allocator_malloc_array(
      reader->host_allocator, module->entry_point_count,
      sizeof(*module->entry_points), (void**)&module->entry_points));
  IREE_RETURN_IF_ERROR(spirv_read_declarations(reader));
  spirv_walk_t walk = {
      .words_left = (uint64_t)reader->word_count * MAX_WALKS,
  };
  // A function is entered once, so that this is as deep as it gets.
  IREE_RETURN_IF_ERROR(iree_allocator_malloc_array(
      reader->host_allocator, (iree_host_size_t)reader->function_count + 1,
      sizeof(*walk.frames), (void**)&walk.frames));
  iree_status_t status = spirv_walk_all(reader, &walk);
  iree_allocator_free(reader->host_allocator, walk.frames);
  IREE_RETURN_IF_ERROR(status);
  // They lie one after the other, and no longer move.
  const vulkan_spirv_binding_t* bindings = module->bindings;
  for (iree_host_size_t i = 0; i < module->entry_point_count; ++i) {
    module->entry_points[i].bindings = bindings;
    bindings += module->entry_points[i].binding_count;
  }
  return iree_ok_status();
}
