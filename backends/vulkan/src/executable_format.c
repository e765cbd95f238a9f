// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Implements reading the compiler's container: a header of 64 bytes, then a
// FlatBuffer.

#include "executable_format.h"

#include <stdio.h>

#include "executable_reader.h"

enum {
  HEADER_SIZE = 64,
  HEADER_VERSION = 0,
  MODULE_WORDS = 0,
  PIPELINE_ABI = 5,
  SOURCE_FILE_PATH = 0,
  SOURCE_FILE_CONTENT = 1,
};

static const char executable_identifier[] = "VKE1";

typedef struct vulkan_executable_block_t {
  struct vulkan_executable_block_t* next;
  // Keeps what follows aligned.
  uint64_t reserved;
} vulkan_executable_block_t;

iree_status_t executable_invalid(const executable_reader_t* reader,
                                 const char* format, ...) {
  char text[100];
  va_list varargs;
  va_start(varargs, format);
  vsnprintf(text, sizeof(text), format, varargs);
  va_end(varargs);
  if (iree_string_view_is_empty(reader->export_name)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "the Vulkan executable is not valid: %s", text);
  }
  return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                          "the Vulkan executable is not valid: export '%.*s' "
                          "%s",
                          (int)iree_min(reader->export_name.size, 60),
                          reader->export_name.data, text);
}

// What the buffer has to say after a step.
iree_status_t executable_check(const executable_reader_t* reader,
                               const char* what) {
  if (!reader->buffer.is_corrupt) return iree_ok_status();
  return iree_make_status(
      IREE_STATUS_INVALID_ARGUMENT,
      "the Vulkan executable is corrupt: %s reaches outside of its %" PRIu64
      " bytes",
      what, reader->buffer.length);
}

// An array of |count| elements, zeroed, that goes with the executable.
iree_status_t executable_allocate(executable_reader_t* reader, uint32_t count,
                                  size_t element_size, const char* what,
                                  void** out_array) {
  *out_array = NULL;
  IREE_RETURN_IF_ERROR(executable_check(reader, what));
  if (count > reader->elements_left) {
    return executable_invalid(reader, "it has more %s than it has bytes", what);
  }
  reader->elements_left -= count;
  vulkan_executable_block_t* block = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(
      reader->host_allocator, sizeof(*block) + count * element_size,
      (void**)&block));
  block->next = reader->def->blocks;
  reader->def->blocks = block;
  *out_array = block + 1;
  return iree_ok_status();
}

//===-- formats -------------------------------------------------------------===

iree_string_view_t vulkan_executable_format_name(
    vulkan_executable_format_t format) {
  switch (format) {
    case VULKAN_EXECUTABLE_FORMAT_DESCRIPTORS:
      return IREE_SV("vulkan-spirv-fb");
    case VULKAN_EXECUTABLE_FORMAT_ADDRESSES:
      return IREE_SV("vulkan-spirv-bda-v1");
    default:
      return IREE_SV("unknown");
  }
}

vulkan_executable_format_t vulkan_executable_format_parse(
    iree_string_view_t name) {
  static const vulkan_executable_format_t formats[] = {
      VULKAN_EXECUTABLE_FORMAT_DESCRIPTORS,
      VULKAN_EXECUTABLE_FORMAT_ADDRESSES,
  };
  for (size_t i = 0; i < IREE_ARRAYSIZE(formats); ++i) {
    if (iree_string_view_equal(name,
                               vulkan_executable_format_name(formats[i]))) {
      return formats[i];
    }
  }
  return VULKAN_EXECUTABLE_FORMAT_UNKNOWN;
}

// Finds the FlatBuffer behind the header.
static iree_status_t executable_open(iree_const_byte_span_t data,
                                     executable_reader_t* reader) {
  if (data.data_length < HEADER_SIZE ||
      memcmp(data.data, executable_identifier, 4) != 0) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "not a Vulkan executable: %" PRIhsz
                            " bytes that do not begin with '%s'",
                            data.data_length, executable_identifier);
  }
  const uint32_t version = vulkan_load_u32(data.data + 4);
  const uint64_t size = vulkan_load_u64(data.data + 8);
  if (version != HEADER_VERSION) {
    return iree_make_status(
        IREE_STATUS_INCOMPATIBLE,
        "the Vulkan executable has version %u; this driver reads version %u: "
        "compile the program with IREE 3.13",
        version, (uint32_t)HEADER_VERSION);
  }
  if (size > data.data_length - HEADER_SIZE) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "the Vulkan executable is cut short: it says that "
                            "it has %" PRIu64
                            " bytes of contents, of which "
                            "%" PRIhsz " are there",
                            size, data.data_length - HEADER_SIZE);
  }
  reader->buffer.data = data.data + HEADER_SIZE;
  reader->buffer.length = size;
  reader->elements_left = size / sizeof(uint32_t);
  return iree_ok_status();
}

// The format that a pipeline is for; UNKNOWN if none.
vulkan_executable_format_t executable_pipeline_format(
    executable_reader_t* reader, const vulkan_flatbuffer_table_t* table) {
  const uint8_t abi =
      vulkan_flatbuffer_u8(&reader->buffer, table, PIPELINE_ABI, 0);
  return abi == 0   ? VULKAN_EXECUTABLE_FORMAT_DESCRIPTORS
         : abi == 1 ? VULKAN_EXECUTABLE_FORMAT_ADDRESSES
                    : VULKAN_EXECUTABLE_FORMAT_UNKNOWN;
}

iree_status_t vulkan_executable_infer_format(
    iree_const_byte_span_t data, vulkan_executable_format_t* out_format,
    iree_host_size_t* out_size) {
  *out_format = VULKAN_EXECUTABLE_FORMAT_UNKNOWN;
  *out_size = 0;
  executable_reader_t reader = {0};
  IREE_RETURN_IF_ERROR(executable_open(data, &reader));
  vulkan_flatbuffer_t* buffer = &reader.buffer;
  const vulkan_flatbuffer_table_t root =
      vulkan_flatbuffer_root(buffer, executable_identifier);
  const vulkan_flatbuffer_vector_t pipelines = vulkan_flatbuffer_vector(
      buffer, &root, EXECUTABLE_PIPELINES, sizeof(uint32_t));
  vulkan_executable_format_t format = VULKAN_EXECUTABLE_FORMAT_UNKNOWN;
  if (pipelines.count != 0) {
    const vulkan_flatbuffer_table_t pipeline =
        vulkan_flatbuffer_element(buffer, &pipelines, 0);
    format = executable_pipeline_format(&reader, &pipeline);
  }
  IREE_RETURN_IF_ERROR(executable_check(&reader, "its first pipeline"));
  if (format == VULKAN_EXECUTABLE_FORMAT_UNKNOWN) {
    return executable_invalid(&reader, "it has no pipeline of a known kind");
  }
  *out_format = format;
  *out_size = HEADER_SIZE + (iree_host_size_t)buffer->length;
  return iree_ok_status();
}

//===-- modules -------------------------------------------------------------===

// Modules have no names; in messages they go by the first export in them.
static iree_status_t executable_name_modules(executable_reader_t* reader,
                                             uint32_t module_count,
                                             iree_string_view_t** out_names) {
  IREE_RETURN_IF_ERROR(
      executable_allocate(reader, module_count, sizeof(**out_names),
                          "shader modules", (void**)out_names));
  for (uint32_t i = 0; i < module_count; ++i) {
    (*out_names)[i] = IREE_SV("no export");
  }
  for (uint32_t i = reader->def->pipeline_count; i > 0; --i) {
    const vulkan_pipeline_def_t* pipeline = &reader->def->pipelines[i - 1];
    (*out_names)[pipeline->module] = iree_make_string_view(
        pipeline->name.data, iree_min(pipeline->name.size, 60));
  }
  return iree_ok_status();
}

static iree_status_t executable_read_module(executable_reader_t* reader,
                                            iree_string_view_t name,
                                            vulkan_flatbuffer_table_t table,
                                            vulkan_spirv_module_t* module) {
  const vulkan_flatbuffer_vector_t vector = vulkan_flatbuffer_vector(
      &reader->buffer, &table, MODULE_WORDS, sizeof(uint32_t));
  IREE_RETURN_IF_ERROR(executable_check(reader, "a shader module"));
  const uint32_t* words = (const uint32_t*)(const void*)vector.data;
  if ((uintptr_t)words % sizeof(*words) != 0) {
    uint32_t* copy = NULL;
    IREE_RETURN_IF_ERROR(executable_allocate(
        reader, vector.count, sizeof(*copy), "words", (void**)&copy));
    memcpy(copy, vector.data, (size_t)vector.count * sizeof(*copy));
    words = copy;
  } else if (vector.count > reader->elements_left) {
    return executable_invalid(reader, "it has more words than it has bytes");
  } else {
    reader->elements_left -= vector.count;
  }
  const vulkan_spirv_source_t source = {
      .name = name,
      .words = words,
      .word_count = vector.count,
      .constant_count = reader->params->constant_count,
      .constants = reader->params->constants,
  };
  return vulkan_spirv_module_read(&source, reader->host_allocator, module);
}

static iree_status_t executable_read_modules(
    executable_reader_t* reader, const vulkan_flatbuffer_vector_t* vector) {
  vulkan_spirv_module_t* modules = NULL;
  IREE_RETURN_IF_ERROR(executable_allocate(reader, vector->count,
                                           sizeof(*modules), "shader modules",
                                           (void**)&modules));
  reader->def->modules = modules;
  iree_string_view_t* names = NULL;
  IREE_RETURN_IF_ERROR(executable_name_modules(reader, vector->count, &names));
  for (uint32_t i = 0; i < vector->count; ++i) {
    IREE_RETURN_IF_ERROR(executable_read_module(
        reader, names[i], vulkan_flatbuffer_element(&reader->buffer, vector, i),
        &modules[i]));
    reader->def->module_count = i + 1;
  }
  return iree_ok_status();
}

//===-- executables ---------------------------------------------------------===

static iree_status_t executable_read_source_files(
    executable_reader_t* reader, const vulkan_flatbuffer_table_t* root) {
  vulkan_flatbuffer_t* buffer = &reader->buffer;
  const vulkan_flatbuffer_vector_t vector = vulkan_flatbuffer_vector(
      buffer, root, EXECUTABLE_SOURCE_FILES, sizeof(uint32_t));
  vulkan_source_file_t* files = NULL;
  IREE_RETURN_IF_ERROR(executable_allocate(reader, vector.count, sizeof(*files),
                                           "source files", (void**)&files));
  for (uint32_t i = 0; i < vector.count; ++i) {
    const vulkan_flatbuffer_table_t table =
        vulkan_flatbuffer_element(buffer, &vector, i);
    files[i].path = vulkan_flatbuffer_string(buffer, &table, SOURCE_FILE_PATH);
    const vulkan_flatbuffer_vector_t content =
        vulkan_flatbuffer_vector(buffer, &table, SOURCE_FILE_CONTENT, 1);
    files[i].content = iree_make_const_byte_span(content.data, content.count);
  }
  reader->def->source_file_count = vector.count;
  reader->def->source_files = files;
  return executable_check(reader, "a source file");
}

static iree_status_t executable_read(executable_reader_t* reader) {
  IREE_RETURN_IF_ERROR(
      executable_open(reader->params->executable_data, reader));
  const vulkan_flatbuffer_table_t root =
      vulkan_flatbuffer_root(&reader->buffer, executable_identifier);
  IREE_RETURN_IF_ERROR(executable_check(reader, "its root"));
  IREE_RETURN_IF_ERROR(executable_read_set_layouts(reader, &root));
  IREE_RETURN_IF_ERROR(executable_read_pipeline_layouts(reader, &root));
  const vulkan_flatbuffer_vector_t modules = vulkan_flatbuffer_vector(
      &reader->buffer, &root, EXECUTABLE_MODULES, sizeof(uint32_t));
  IREE_RETURN_IF_ERROR(executable_read_pipelines(reader, &root, modules.count));
  IREE_RETURN_IF_ERROR(executable_read_modules(reader, &modules));
  IREE_RETURN_IF_ERROR(executable_link(reader));
  return executable_read_source_files(reader, &root);
}

iree_status_t vulkan_executable_def_read(
    const iree_hal_executable_params_t* params, iree_allocator_t host_allocator,
    vulkan_executable_def_t* out_def) {
  *out_def = (vulkan_executable_def_t){
      .host_allocator = host_allocator,
      .format = vulkan_executable_format_parse(params->executable_format),
  };
  if (out_def->format == VULKAN_EXECUTABLE_FORMAT_UNKNOWN) {
    return iree_make_status(
        IREE_STATUS_NOT_FOUND,
        "executables of format '%.*s' do not run here; those of "
        "vulkan-spirv-fb and vulkan-spirv-bda-v1 do",
        (int)iree_min(params->executable_format.size, 60),
        params->executable_format.data);
  }
  executable_reader_t reader = {
      .params = params,
      .host_allocator = host_allocator,
      .def = out_def,
  };
  iree_status_t status = executable_read(&reader);
  if (!iree_status_is_ok(status)) vulkan_executable_def_deinitialize(out_def);
  return status;
}

void vulkan_executable_def_deinitialize(vulkan_executable_def_t* def) {
  for (uint32_t i = 0; i < def->module_count; ++i) {
    // Made by us; constant for others only.
    vulkan_spirv_module_deinitialize((vulkan_spirv_module_t*)&def->modules[i]);
  }
  vulkan_executable_block_t* block = def->blocks;
  while (block) {
    vulkan_executable_block_t* next = block->next;
    iree_allocator_free(def->host_allocator, block);
    block = next;
  }
  memset(def, 0, sizeof(*def));
}
