// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Implements checked reading of FlatBuffers.

#include "flatbuffer.h"

uint16_t vulkan_load_u16(const uint8_t* data) {
  uint16_t value;
  memcpy(&value, data, sizeof(value));
  return value;
}

uint32_t vulkan_load_u32(const uint8_t* data) {
  uint32_t value;
  memcpy(&value, data, sizeof(value));
  return value;
}

uint64_t vulkan_load_u64(const uint8_t* data) {
  uint64_t value;
  memcpy(&value, data, sizeof(value));
  return value;
}

// Whether |length| bytes from |position| lie inside; marks the buffer if not.
static bool contains(vulkan_flatbuffer_t* buffer, uint64_t position,
                     uint64_t length) {
  if (position <= buffer->length && length <= buffer->length - position) {
    return true;
  }
  buffer->is_corrupt = true;
  return false;
}

static vulkan_flatbuffer_table_t open_table(vulkan_flatbuffer_t* buffer,
                                            uint64_t position) {
  const vulkan_flatbuffer_table_t absent = {0};
  if (!contains(buffer, position, sizeof(int32_t))) return absent;
  // The vtable lies before or after the table, at a signed distance. A place
  // before the buffer becomes one far behind its end.
  const int32_t distance = (int32_t)vulkan_load_u32(buffer->data + position);
  const uint64_t vtable = position - (uint64_t)(int64_t)distance;
  const uint64_t header_size = 2 * sizeof(uint16_t);
  if (!contains(buffer, vtable, header_size)) return absent;
  const uint16_t vtable_size = vulkan_load_u16(buffer->data + vtable);
  const uint16_t table_size =
      vulkan_load_u16(buffer->data + vtable + sizeof(uint16_t));
  if (vtable_size < header_size || table_size < sizeof(int32_t)) {
    buffer->is_corrupt = true;
    return absent;
  }
  if (!contains(buffer, vtable, vtable_size) ||
      !contains(buffer, position, table_size)) {
    return absent;
  }
  return (vulkan_flatbuffer_table_t){
      .data = buffer->data + position,
      .fields = buffer->data + vtable + header_size,
      .size = table_size,
      .field_count = (uint16_t)((vtable_size - header_size) / sizeof(uint16_t)),
  };
}

vulkan_flatbuffer_table_t vulkan_flatbuffer_root(vulkan_flatbuffer_t* buffer,
                                                 const char* identifier) {
  if (!contains(buffer, 0, 2 * sizeof(uint32_t)) ||
      memcmp(buffer->data + sizeof(uint32_t), identifier, sizeof(uint32_t))) {
    buffer->is_corrupt = true;
    return (vulkan_flatbuffer_table_t){0};
  }
  return open_table(buffer, vulkan_load_u32(buffer->data));
}

// The |length| bytes of |field|, NULL when absent or corrupt.
static const uint8_t* find_field(vulkan_flatbuffer_t* buffer,
                                 const vulkan_flatbuffer_table_t* table,
                                 uint16_t field, uint16_t length) {
  if (field >= table->field_count) return NULL;
  const uint16_t offset =
      vulkan_load_u16(table->fields + field * sizeof(uint16_t));
  if (offset == 0) return NULL;
  if (offset > table->size || length > table->size - offset) {
    buffer->is_corrupt = true;
    return NULL;
  }
  return table->data + offset;
}

uint8_t vulkan_flatbuffer_u8(vulkan_flatbuffer_t* buffer,
                             const vulkan_flatbuffer_table_t* table,
                             uint16_t field, uint8_t default_value) {
  const uint8_t* data = find_field(buffer, table, field, sizeof(default_value));
  return data ? *data : default_value;
}

uint32_t vulkan_flatbuffer_u32(vulkan_flatbuffer_t* buffer,
                               const vulkan_flatbuffer_table_t* table,
                               uint16_t field, uint32_t default_value) {
  const uint8_t* data = find_field(buffer, table, field, sizeof(default_value));
  return data ? vulkan_load_u32(data) : default_value;
}

uint64_t vulkan_flatbuffer_u64(vulkan_flatbuffer_t* buffer,
                               const vulkan_flatbuffer_table_t* table,
                               uint16_t field, uint64_t default_value) {
  const uint8_t* data = find_field(buffer, table, field, sizeof(default_value));
  return data ? vulkan_load_u64(data) : default_value;
}

// Where the reference at |data|, inside the buffer, leads.
static uint64_t follow(const vulkan_flatbuffer_t* buffer, const uint8_t* data) {
  return (uint64_t)(data - buffer->data) + vulkan_load_u32(data);
}

vulkan_flatbuffer_table_t vulkan_flatbuffer_table(
    vulkan_flatbuffer_t* buffer, const vulkan_flatbuffer_table_t* table,
    uint16_t field) {
  const uint8_t* data = find_field(buffer, table, field, sizeof(uint32_t));
  if (!data) return (vulkan_flatbuffer_table_t){0};
  return open_table(buffer, follow(buffer, data));
}

vulkan_flatbuffer_vector_t vulkan_flatbuffer_vector(
    vulkan_flatbuffer_t* buffer, const vulkan_flatbuffer_table_t* table,
    uint16_t field, uint32_t element_size) {
  const vulkan_flatbuffer_vector_t empty = {0};
  const uint8_t* data = find_field(buffer, table, field, sizeof(uint32_t));
  if (!data) return empty;
  const uint64_t position = follow(buffer, data);
  if (!contains(buffer, position, sizeof(uint32_t))) return empty;
  const uint32_t count = vulkan_load_u32(buffer->data + position);
  if (!contains(buffer, position + sizeof(uint32_t),
                (uint64_t)count * element_size)) {
    return empty;
  }
  return (vulkan_flatbuffer_vector_t){
      .data = buffer->data + position + sizeof(uint32_t),
      .count = count,
  };
}

iree_string_view_t vulkan_flatbuffer_string(
    vulkan_flatbuffer_t* buffer, const vulkan_flatbuffer_table_t* table,
    uint16_t field) {
  const vulkan_flatbuffer_vector_t vector =
      vulkan_flatbuffer_vector(buffer, table, field, 1);
  if (!vector.data) return iree_string_view_empty();
  const uint64_t position = (uint64_t)(vector.data - buffer->data);
  if (!contains(buffer, position, (uint64_t)vector.count + 1)) {
    return iree_string_view_empty();
  }
  const char* text = (const char*)vector.data;
  if (strnlen(text, (size_t)vector.count + 1) != vector.count) {
    buffer->is_corrupt = true;
    return iree_string_view_empty();
  }
  return iree_make_string_view(text, vector.count);
}

vulkan_flatbuffer_table_t vulkan_flatbuffer_element(
    vulkan_flatbuffer_t* buffer, const vulkan_flatbuffer_vector_t* vector,
    uint32_t index) {
  const uint8_t* data = vector->data + (size_t)index * sizeof(uint32_t);
  return open_table(buffer, follow(buffer, data));
}
