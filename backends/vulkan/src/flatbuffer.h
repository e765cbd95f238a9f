// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns reading a FlatBuffer that nobody vouches for: every access is checked
// against the buffer's end, and no alignment is assumed.

#ifndef IREE_CY_VULKAN_FLATBUFFER_H_
#define IREE_CY_VULKAN_FLATBUFFER_H_

#include "iree_cy/plugin.h"

// Where reading stands. |is_corrupt| is set by the first access that reaches
// outside, and stays: readers go on with what is empty, and look at the end of
// each step.
typedef struct vulkan_flatbuffer_t {
  const uint8_t* data;
  uint64_t length;
  bool is_corrupt;
} vulkan_flatbuffer_t;

// A table whose extent and vtable lie inside the buffer. With |fields| NULL it
// is absent, and so are its fields.
typedef struct vulkan_flatbuffer_table_t {
  const uint8_t* data;
  const uint8_t* fields;
  uint16_t size;
  uint16_t field_count;
} vulkan_flatbuffer_table_t;

// |count| elements, all inside the buffer.
typedef struct vulkan_flatbuffer_vector_t {
  const uint8_t* data;
  uint32_t count;
} vulkan_flatbuffer_vector_t;

uint16_t vulkan_load_u16(const uint8_t* data);
uint32_t vulkan_load_u32(const uint8_t* data);
uint64_t vulkan_load_u64(const uint8_t* data);

// The root table; corrupt unless the identifier is |identifier| (four
// characters).
vulkan_flatbuffer_table_t vulkan_flatbuffer_root(vulkan_flatbuffer_t* buffer,
                                                 const char* identifier);

// Scalar fields; |default_value| when absent.
uint8_t vulkan_flatbuffer_u8(vulkan_flatbuffer_t* buffer,
                             const vulkan_flatbuffer_table_t* table,
                             uint16_t field, uint8_t default_value);
uint32_t vulkan_flatbuffer_u32(vulkan_flatbuffer_t* buffer,
                               const vulkan_flatbuffer_table_t* table,
                               uint16_t field, uint32_t default_value);
uint64_t vulkan_flatbuffer_u64(vulkan_flatbuffer_t* buffer,
                               const vulkan_flatbuffer_table_t* table,
                               uint16_t field, uint64_t default_value);

// What fields refer to; empty when absent or corrupt. A string has no NUL
// inside and one behind it.
vulkan_flatbuffer_table_t vulkan_flatbuffer_table(
    vulkan_flatbuffer_t* buffer, const vulkan_flatbuffer_table_t* table,
    uint16_t field);
vulkan_flatbuffer_vector_t vulkan_flatbuffer_vector(
    vulkan_flatbuffer_t* buffer, const vulkan_flatbuffer_table_t* table,
    uint16_t field, uint32_t element_size);
iree_string_view_t vulkan_flatbuffer_string(
    vulkan_flatbuffer_t* buffer, const vulkan_flatbuffer_table_t* table,
    uint16_t field);

// Element |index| (< count) of a vector of tables (element size 4).
vulkan_flatbuffer_table_t vulkan_flatbuffer_element(
    vulkan_flatbuffer_t* buffer, const vulkan_flatbuffer_vector_t* vector,
    uint32_t index);

#endif  // IREE_CY_VULKAN_FLATBUFFER_H_
