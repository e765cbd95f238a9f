// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Implements checked reading of FlatBuffers.

#include "iree_cy/native/vm/bytecode/flatbuffer.h"

static iree_status_t iree_flatbuffer_corrupt(const char* what,
                                             iree_host_size_t position) {
  return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                          "the module file is corrupt: %s at offset %" PRIhsz
                          " reaches outside of it",
                          what, position);
}

// Whether |length| bytes from |position| lie inside |buffer|.
static bool iree_flatbuffer_contains(iree_const_byte_span_t buffer,
                                     uint64_t position, uint64_t length) {
  return position <= buffer.data_length &&
         length <= buffer.data_length - position;
}

static iree_status_t iree_flatbuffer_open_table(
    iree_const_byte_span_t buffer, uint64_t position,
    iree_flatbuffer_table_t* out_table) {
  memset(out_table, 0, sizeof(*out_table));
  if (!iree_flatbuffer_contains(buffer, position, sizeof(int32_t))) {
    return iree_flatbuffer_corrupt("a table", position);
  }
  // The vtable lies before or after the table, at a signed distance.
  int32_t distance = (int32_t)iree_load_u32(buffer.data + position);
  int64_t vtable = (int64_t)position - distance;
  if (vtable < 0 || !iree_flatbuffer_contains(buffer, (uint64_t)vtable,
                                              2 * sizeof(uint16_t))) {
    return iree_flatbuffer_corrupt("the vtable of a table", position);
  }
  uint16_t vtable_size = iree_load_u16(buffer.data + vtable);
  uint16_t table_size = iree_load_u16(buffer.data + vtable + sizeof(uint16_t));
  if (vtable_size < 2 * sizeof(uint16_t) ||
      !iree_flatbuffer_contains(buffer, (uint64_t)vtable, vtable_size)) {
    return iree_flatbuffer_corrupt("the vtable of a table", position);
  }
  if (table_size < sizeof(int32_t) ||
      !iree_flatbuffer_contains(buffer, position, table_size)) {
    return iree_flatbuffer_corrupt("a table", position);
  }
  out_table->buffer = buffer;
  out_table->position = (uint32_t)position;
  out_table->size = table_size;
  out_table->field_count =
      (uint16_t)((vtable_size - 2 * sizeof(uint16_t)) / sizeof(uint16_t));
  out_table->fields = buffer.data + vtable + 2 * sizeof(uint16_t);
  return iree_ok_status();
}

iree_status_t iree_flatbuffer_root(iree_const_byte_span_t buffer,
                                   const char* identifier,
                                   iree_flatbuffer_table_t* out_table) {
  memset(out_table, 0, sizeof(*out_table));
  if (buffer.data_length < 2 * sizeof(uint32_t) ||
      memcmp(buffer.data + sizeof(uint32_t), identifier, sizeof(uint32_t)) !=
          0) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "not a module file: the identifier '%s' is missing",
                            identifier);
  }
  return iree_flatbuffer_open_table(buffer, iree_load_u32(buffer.data),
                                    out_table);
}

// Offset of |field| from the start of |table|, or 0 when absent.
static uint16_t iree_flatbuffer_field_offset(
    const iree_flatbuffer_table_t* table, uint16_t field) {
  if (field >= table->field_count) return 0;
  return iree_load_u16(table->fields + field * sizeof(uint16_t));
}

bool iree_flatbuffer_has(const iree_flatbuffer_table_t* table, uint16_t field) {
  return iree_flatbuffer_field_offset(table, field) != 0;
}

// Finds the |length| bytes of |field|; |*out_data| is NULL when absent.
static iree_status_t iree_flatbuffer_field(const iree_flatbuffer_table_t* table,
                                           uint16_t field, uint16_t length,
                                           const uint8_t** out_data) {
  *out_data = NULL;
  uint16_t offset = iree_flatbuffer_field_offset(table, field);
  if (offset == 0) return iree_ok_status();
  if (offset > table->size || length > table->size - offset) {
    return iree_flatbuffer_corrupt("a field of the table", table->position);
  }
  *out_data = table->buffer.data + table->position + offset;
  return iree_ok_status();
}

iree_status_t iree_flatbuffer_read_u8(const iree_flatbuffer_table_t* table,
                                      uint16_t field, uint8_t default_value,
                                      uint8_t* out_value) {
  *out_value = default_value;
  const uint8_t* data = NULL;
  IREE_RETURN_IF_ERROR(
      iree_flatbuffer_field(table, field, sizeof(*out_value), &data));
  if (data) *out_value = *data;
  return iree_ok_status();
}

iree_status_t iree_flatbuffer_read_u32(const iree_flatbuffer_table_t* table,
                                       uint16_t field, uint32_t default_value,
                                       uint32_t* out_value) {
  *out_value = default_value;
  const uint8_t* data = NULL;
  IREE_RETURN_IF_ERROR(
      iree_flatbuffer_field(table, field, sizeof(*out_value), &data));
  if (data) *out_value = iree_load_u32(data);
  return iree_ok_status();
}

iree_status_t iree_flatbuffer_read_u64(const iree_flatbuffer_table_t* table,
                                       uint16_t field, uint64_t default_value,
                                       uint64_t* out_value) {
  *out_value = default_value;
  const uint8_t* data = NULL;
  IREE_RETURN_IF_ERROR(
      iree_flatbuffer_field(table, field, sizeof(*out_value), &data));
  if (data) *out_value = iree_load_u64(data);
  return iree_ok_status();
}

// Follows the reference at |data|, inside |buffer|.
static uint64_t iree_flatbuffer_follow(iree_const_byte_span_t buffer,
                                       const uint8_t* data) {
  return (uint64_t)(data - buffer.data) + iree_load_u32(data);
}

iree_status_t iree_flatbuffer_read_table(const iree_flatbuffer_table_t* table,
                                         uint16_t field,
                                         iree_flatbuffer_table_t* out_table) {
  memset(out_table, 0, sizeof(*out_table));
  const uint8_t* data = NULL;
  IREE_RETURN_IF_ERROR(
      iree_flatbuffer_field(table, field, sizeof(uint32_t), &data));
  if (!data) return iree_ok_status();
  return iree_flatbuffer_open_table(
      table->buffer, iree_flatbuffer_follow(table->buffer, data), out_table);
}

iree_status_t iree_flatbuffer_read_vector(
    const iree_flatbuffer_table_t* table, uint16_t field, uint32_t element_size,
    iree_flatbuffer_vector_t* out_vector) {
  memset(out_vector, 0, sizeof(*out_vector));
  const uint8_t* data = NULL;
  IREE_RETURN_IF_ERROR(
      iree_flatbuffer_field(table, field, sizeof(uint32_t), &data));
  if (!data) return iree_ok_status();
  iree_const_byte_span_t buffer = table->buffer;
  uint64_t position = iree_flatbuffer_follow(buffer, data);
  if (!iree_flatbuffer_contains(buffer, position, sizeof(uint32_t))) {
    return iree_flatbuffer_corrupt("a vector", position);
  }
  uint32_t count = iree_load_u32(buffer.data + position);
  position += sizeof(uint32_t);
  if (!iree_flatbuffer_contains(buffer, position,
                                (uint64_t)count * element_size)) {
    return iree_flatbuffer_corrupt("a vector", position);
  }
  out_vector->buffer = buffer;
  out_vector->data = buffer.data + position;
  out_vector->count = count;
  return iree_ok_status();
}

iree_status_t iree_flatbuffer_read_string(const iree_flatbuffer_table_t* table,
                                          uint16_t field,
                                          iree_string_view_t* out_string) {
  *out_string = iree_string_view_empty();
  iree_flatbuffer_vector_t vector;
  IREE_RETURN_IF_ERROR(iree_flatbuffer_read_vector(table, field, 1, &vector));
  *out_string = iree_make_string_view((const char*)vector.data, vector.count);
  return iree_ok_status();
}

iree_status_t iree_flatbuffer_vector_table(
    const iree_flatbuffer_vector_t* vector, uint32_t index,
    iree_flatbuffer_table_t* out_table) {
  memset(out_table, 0, sizeof(*out_table));
  const uint8_t* data = vector->data + (size_t)index * sizeof(uint32_t);
  return iree_flatbuffer_open_table(
      vector->buffer, iree_flatbuffer_follow(vector->buffer, data), out_table);
}
