// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Implements reading a SPIR-V module: its header, the steps, its repair.

#include "spirv.h"

#include "spirv_reader.h"

enum {
  SPIRV_VERSION_1_6 = 0x00010600,
  // Ids per word, and some more for small modules whose ids are hashes.
  SPIRV_MAX_IDS_PER_WORD = 4,
  SPIRV_MAX_EXTRA_IDS = 65536,
};

static iree_status_t spirv_read_header(spirv_reader_t* reader) {
  const vulkan_spirv_source_t* source = reader->source;
  const iree_string_view_t name = source->name;
  if (source->word_count < SPIRV_HEADER_WORDS ||
      source->words[0] != SPIRV_MAGIC) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "the SPIR-V of '%.*s' does not begin as SPIR-V "
                            "does",
                            IREE_SV_ARG(name));
  }
  const uint32_t version = source->words[1];
  const uint32_t bound = source->words[3];
  if ((version & 0xFF0000FF) != 0 || (version >> 16 & 0xFF) != 1 ||
      version > SPIRV_VERSION_1_6) {
    return iree_make_status(
        IREE_STATUS_INCOMPATIBLE,
        "the SPIR-V of '%.*s' is of version 0x%08x; Vulkan 1.3 takes 1.0 to "
        "1.6",
        IREE_SV_ARG(name), version);
  }
  if (source->word_count > UINT32_MAX / 8 || source->words[4] != 0 ||
      bound > SPIRV_MAX_BOUND + 1 ||
      bound > SPIRV_MAX_EXTRA_IDS +
                  SPIRV_MAX_IDS_PER_WORD * (uint64_t)source->word_count) {
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "the SPIR-V of '%.*s' has the bound %u and the schema %u in %" PRIhsz
        " words",
        IREE_SV_ARG(name), bound, source->words[4], source->word_count);
  }
  reader->words = source->words;
  reader->word_count = (uint32_t)source->word_count;
  reader->bound = bound;
  reader->module->version = version;
  return iree_ok_status();
}

//===-- repair --------------------------------------------------------------===

// Copies an entry point without what its interface may not have.
static uint32_t spirv_copy_entry_point(const spirv_reader_t* reader,
                                       const uint32_t* words,
                                       uint32_t word_count, uint32_t* target) {
  const iree_string_view_t name = spirv_string(words + 3, word_count - 3);
  const uint32_t begin = 3 + (uint32_t)(name.size / sizeof(*words) + 1);
  uint32_t length = begin;
  memcpy(target, words, begin * sizeof(*words));
  for (uint32_t i = begin; i < word_count; ++i) {
    const uint32_t storage = reader->words[reader->ids[words[i]].position + 3];
    if (storage == SPIRV_STORAGE_INPUT || storage == SPIRV_STORAGE_OUTPUT) {
      target[length++] = words[i];
    }
  }
  target[0] = length << 16 | SPIRV_OP_ENTRY_POINT;
  return length;
}

static bool spirv_is_to_be_left_out(const uint32_t* words,
                                    uint32_t word_count) {
  switch (words[0] & 0xFFFF) {
    case SPIRV_OP_DECORATE:
      return words[2] == SPIRV_DECORATION_NO_SIGNED_WRAP ||
             words[2] == SPIRV_DECORATION_NO_UNSIGNED_WRAP;
    case SPIRV_OP_EXTENSION:
      return iree_string_view_equal(
          spirv_string(words + 1, word_count - 1),
          IREE_SV("SPV_KHR_no_integer_wrap_decoration"));
    default:
      return false;
  }
}

iree_status_t spirv_repair(spirv_reader_t* reader) {
  vulkan_spirv_module_t* module = reader->module;
  const bool is_old = spirv_is_old(reader);
  if (!reader->needs_repair) return iree_ok_status();
  IREE_RETURN_IF_ERROR(iree_allocator_malloc_array(
      reader->host_allocator, reader->word_count, sizeof(uint32_t),
      (void**)&module->own_words));
  uint32_t* target = module->own_words;
  memcpy(target, reader->words, SPIRV_HEADER_WORDS * sizeof(*target));
  uint32_t length = SPIRV_HEADER_WORDS;
  uint32_t word_count = 0;
  for (uint32_t position = SPIRV_HEADER_WORDS; position < reader->word_count;
       position += word_count) {
    const uint32_t* words = reader->words + position;
    word_count = spirv_length_at(reader, position);
    const uint16_t opcode = spirv_opcode_at(reader, position);
    if (is_old && spirv_is_to_be_left_out(words, word_count)) continue;
    if (is_old && opcode == SPIRV_OP_ENTRY_POINT) {
      length +=
          spirv_copy_entry_point(reader, words, word_count, target + length);
      continue;
    }
    memcpy(target + length, words, word_count * sizeof(*words));
    if (opcode == SPIRV_OP_EXTENSION &&
        iree_string_view_equal(spirv_string(words + 1, word_count - 1),
                               IREE_SV("SPV_EXT_physical_storage_buffer"))) {
      memcpy((char*)(target + length + 1), "SPV_KHR", 7);
    }
    length += word_count;
  }
  module->words = module->own_words;
  module->word_count = length;
  return iree_ok_status();
}

//===-- modules -------------------------------------------------------------===

static iree_status_t spirv_read(spirv_reader_t* reader) {
  IREE_RETURN_IF_ERROR(spirv_read_header(reader));
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc_array(reader->host_allocator, reader->bound,
                                  sizeof(*reader->ids), (void**)&reader->ids));
  for (uint32_t i = 0; i < reader->bound; ++i) {
    reader->ids[i].set = SPIRV_NONE;
    reader->ids[i].binding = SPIRV_NONE;
    reader->ids[i].spec_id = SPIRV_NONE;
  }
  // A decoration of a member with a value has five words.
  IREE_RETURN_IF_ERROR(iree_allocator_malloc_array(
      reader->host_allocator, reader->word_count / 5 + 1,
      sizeof(*reader->members), (void**)&reader->members));
  IREE_RETURN_IF_ERROR(spirv_scan(reader));
  IREE_RETURN_IF_ERROR(spirv_read_entry_points(reader));
  return spirv_repair(reader);
}

iree_status_t vulkan_spirv_module_read(const vulkan_spirv_source_t* source,
                                       iree_allocator_t host_allocator,
                                       vulkan_spirv_module_t* out_module) {
  *out_module = (vulkan_spirv_module_t){
      .host_allocator = host_allocator,
      .words = source->words,
      .word_count = source->word_count,
  };
  spirv_reader_t reader = {
      .source = source,
      .host_allocator = host_allocator,
      .module = out_module,
  };
  iree_status_t status = spirv_read(&reader);
  iree_allocator_free(host_allocator, reader.ids);
  iree_allocator_free(host_allocator, reader.members);
  if (!iree_status_is_ok(status)) vulkan_spirv_module_deinitialize(out_module);
  return status;
}

void vulkan_spirv_module_deinitialize(vulkan_spirv_module_t* module) {
  iree_allocator_free(module->host_allocator, module->own_words);
  iree_allocator_free(module->host_allocator, module->entry_points);
  iree_allocator_free(module->host_allocator, module->bindings);
  memset(module, 0, sizeof(*module));
}

iree_status_t vulkan_spirv_module_find(
    const vulkan_spirv_module_t* module, iree_string_view_t name,
    const vulkan_spirv_entry_point_t** out_entry_point) {
  *out_entry_point = NULL;
  for (iree_host_size_t i = 0; i < module->entry_point_count; ++i) {
    if (!iree_string_view_equal(module->entry_points[i].name, name)) continue;
    if (*out_entry_point) {
      *out_entry_point = NULL;
      return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                              "the SPIR-V has two entry points named '%.*s'",
                              IREE_SV_ARG(name));
    }
    *out_entry_point = &module->entry_points[i];
  }
  if (*out_entry_point) return iree_ok_status();
  return iree_make_status(IREE_STATUS_NOT_FOUND,
                          "the SPIR-V has no entry point '%.*s' among its "
                          "%" PRIhsz,
                          (int)iree_min(name.size, 60), name.data,
                          module->entry_point_count);
}
