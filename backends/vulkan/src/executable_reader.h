// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what the steps of reading an executable share.

#ifndef IREE_CY_VULKAN_EXECUTABLE_READER_H_
#define IREE_CY_VULKAN_EXECUTABLE_READER_H_

#include "executable_format.h"
#include "flatbuffer.h"

enum {
  EXECUTABLE_MAX_DESCRIPTORS = 65535,
  // VkDescriptorType.
  EXECUTABLE_UNIFORM_BUFFER = 6,
  EXECUTABLE_STORAGE_BUFFER = 7,
  // Fields of the root table.
  EXECUTABLE_PIPELINES = 0,
  EXECUTABLE_SET_LAYOUTS = 1,
  EXECUTABLE_PIPELINE_LAYOUTS = 2,
  EXECUTABLE_MODULES = 3,
  EXECUTABLE_SOURCE_FILES = 4,
};

typedef struct executable_reader_t {
  vulkan_flatbuffer_t buffer;
  // The file's elements: as many as there may still be, for one that refers to
  // the same table again and again must not grow without bound.
  uint64_t elements_left;
  const iree_hal_executable_params_t* params;
  iree_allocator_t host_allocator;
  vulkan_executable_def_t* def;
  // What is read, for messages: the export, once its name is known.
  iree_string_view_t export_name;
} executable_reader_t;

// INVALID_ARGUMENT; |format| is what is wrong with the export, if one is read.
iree_status_t executable_invalid(const executable_reader_t* reader,
                                 const char* format, ...)
    IREE_PRINTF_ATTRIBUTE(2, 3);

// What the buffer has to say after a step that read |what|.
iree_status_t executable_check(const executable_reader_t* reader,
                               const char* what);

// An array of |count| elements, zeroed, that goes with the executable. Checks
// the buffer first.
iree_status_t executable_allocate(executable_reader_t* reader, uint32_t count,
                                  size_t element_size, const char* what,
                                  void** out_array);

// The format that the table of a pipeline is for; UNKNOWN if none.
vulkan_executable_format_t executable_pipeline_format(
    executable_reader_t* reader, const vulkan_flatbuffer_table_t* table);

// The steps, in this order; |module_count| is how many there will be.
iree_status_t executable_read_set_layouts(
    executable_reader_t* reader, const vulkan_flatbuffer_table_t* root);
iree_status_t executable_read_pipeline_layouts(
    executable_reader_t* reader, const vulkan_flatbuffer_table_t* root);
iree_status_t executable_read_pipelines(executable_reader_t* reader,
                                        const vulkan_flatbuffer_table_t* root,
                                        uint32_t module_count);
// Once the modules are read: finds the shader of each pipeline.
iree_status_t executable_link(executable_reader_t* reader);

#endif  // IREE_CY_VULKAN_EXECUTABLE_READER_H_
