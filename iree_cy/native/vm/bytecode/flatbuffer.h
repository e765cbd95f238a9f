// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns reading a FlatBuffer that nobody vouches for: every access is checked
// against the buffer's end, and no alignment is assumed.

#ifndef IREE_CY_NATIVE_VM_BYTECODE_FLATBUFFER_H_
#define IREE_CY_NATIVE_VM_BYTECODE_FLATBUFFER_H_

#include "iree_cy/base/api.h"
#include "iree_cy/native/vm/bytecode/bytes.h"

// A table whose extent and vtable lie inside the buffer. |fields| is NULL for
// an absent table, of which all fields are absent.
typedef struct iree_flatbuffer_table_t {
  iree_const_byte_span_t buffer;
  // Offset of the table in the buffer.
  uint32_t position;
  // Bytes that the table says it has, all inside the buffer.
  uint16_t size;
  // Entries of the vtable, all inside the buffer.
  uint16_t field_count;
  const uint8_t* fields;
} iree_flatbuffer_table_t;

// A vector of |count| elements, all inside the buffer.
typedef struct iree_flatbuffer_vector_t {
  iree_const_byte_span_t buffer;
  const uint8_t* data;
  uint32_t count;
} iree_flatbuffer_vector_t;

// Opens the root table of |buffer|, whose identifier must be |identifier| (four
// characters).
iree_status_t iree_flatbuffer_root(iree_const_byte_span_t buffer,
                                   const char* identifier,
                                   iree_flatbuffer_table_t* out_table);

static inline bool iree_flatbuffer_table_is_present(
    const iree_flatbuffer_table_t* table) {
  return table->fields != NULL;
}

// Whether |table| has the field with this index.
bool iree_flatbuffer_has(const iree_flatbuffer_table_t* table, uint16_t field);

// Reads a scalar field; |default_value| when absent.
iree_status_t iree_flatbuffer_read_u8(const iree_flatbuffer_table_t* table,
                                      uint16_t field, uint8_t default_value,
                                      uint8_t* out_value);
iree_status_t iree_flatbuffer_read_u32(const iree_flatbuffer_table_t* table,
                                       uint16_t field, uint32_t default_value,
                                       uint32_t* out_value);
iree_status_t iree_flatbuffer_read_u64(const iree_flatbuffer_table_t* table,
                                       uint16_t field, uint64_t default_value,
                                       uint64_t* out_value);

// Opens a field that refers to something. What is absent is empty: a table
// without fields, a vector of 0 elements, an empty string.
iree_status_t iree_flatbuffer_read_table(const iree_flatbuffer_table_t* table,
                                         uint16_t field,
                                         iree_flatbuffer_table_t* out_table);
iree_status_t iree_flatbuffer_read_vector(const iree_flatbuffer_table_t* table,
                                          uint16_t field, uint32_t element_size,
                                          iree_flatbuffer_vector_t* out_vector);
iree_status_t iree_flatbuffer_read_string(const iree_flatbuffer_table_t* table,
                                          uint16_t field,
                                          iree_string_view_t* out_string);

// Opens element |index| (< count) of a vector of tables (element size 4).
iree_status_t iree_flatbuffer_vector_table(
    const iree_flatbuffer_vector_t* vector, uint32_t index,
    iree_flatbuffer_table_t* out_table);

#endif  // IREE_CY_NATIVE_VM_BYTECODE_FLATBUFFER_H_
