// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the text of memory types, access and usage flags.

#include "iree_cy/hal/types.h"

#include <stdio.h>

typedef struct flag_name_t {
  uint32_t bits;
  const char* name;
} flag_name_t;

// Text that is cut at |capacity|; |length| goes on counting.
typedef struct cut_text_t {
  char* buffer;
  iree_host_size_t capacity;
  iree_host_size_t length;
} cut_text_t;

static void cut_text_append(cut_text_t* text, const char* value) {
  for (; *value; ++value, ++text->length) {
    if (text->length + 1 < text->capacity) text->buffer[text->length] = *value;
  }
}

// Names |value| by the first entries of |names| that it holds whole, so that
// combinations stand before their parts.
static iree_host_size_t format_flags(uint32_t value, const flag_name_t* names,
                                     iree_host_size_t name_count,
                                     iree_host_size_t capacity, char* buffer) {
  cut_text_t text = {buffer, capacity, 0};
  uint32_t rest = value;
  for (iree_host_size_t i = 0; i < name_count && rest; ++i) {
    if (!iree_all_bits_set(rest, names[i].bits)) continue;
    if (text.length) cut_text_append(&text, "|");
    cut_text_append(&text, names[i].name);
    rest &= ~names[i].bits;
  }
  if (rest) {
    char hexadecimal[16] = {0};
    snprintf(hexadecimal, sizeof(hexadecimal), "0x%" PRIX32, rest);
    if (text.length) cut_text_append(&text, "|");
    cut_text_append(&text, hexadecimal);
  }
  if (!text.length) cut_text_append(&text, "NONE");
  if (capacity) buffer[iree_min(text.length, capacity - 1)] = 0;
  return text.length;
}

static const flag_name_t memory_type_names[] = {
    {IREE_HAL_MEMORY_TYPE_HOST_LOCAL, "HOST_LOCAL"},
    {IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL, "DEVICE_LOCAL"},
    {IREE_HAL_MEMORY_TYPE_OPTIMAL, "OPTIMAL"},
    {IREE_HAL_MEMORY_TYPE_HOST_VISIBLE, "HOST_VISIBLE"},
    {IREE_HAL_MEMORY_TYPE_HOST_COHERENT, "HOST_COHERENT"},
    {IREE_HAL_MEMORY_TYPE_HOST_CACHED, "HOST_CACHED"},
    {IREE_HAL_MEMORY_TYPE_DEVICE_VISIBLE, "DEVICE_VISIBLE"},
};

static const flag_name_t memory_access_names[] = {
    {IREE_HAL_MEMORY_ACCESS_ALL, "ALL"},
    {IREE_HAL_MEMORY_ACCESS_DISCARD_WRITE, "DISCARD_WRITE"},
    {IREE_HAL_MEMORY_ACCESS_READ, "READ"},
    {IREE_HAL_MEMORY_ACCESS_WRITE, "WRITE"},
    {IREE_HAL_MEMORY_ACCESS_DISCARD, "DISCARD"},
    {IREE_HAL_MEMORY_ACCESS_MAY_ALIAS, "MAY_ALIAS"},
    {IREE_HAL_MEMORY_ACCESS_UNALIGNED, "UNALIGNED"},
    {IREE_HAL_MEMORY_ACCESS_ANY, "ANY"},
};

static const flag_name_t buffer_usage_names[] = {
    {IREE_HAL_BUFFER_USAGE_TRANSFER, "TRANSFER"},
    {IREE_HAL_BUFFER_USAGE_DISPATCH_STORAGE, "DISPATCH_STORAGE"},
    {IREE_HAL_BUFFER_USAGE_MAPPING, "MAPPING"},
    {IREE_HAL_BUFFER_USAGE_TRANSFER_SOURCE, "TRANSFER_SOURCE"},
    {IREE_HAL_BUFFER_USAGE_TRANSFER_TARGET, "TRANSFER_TARGET"},
    {IREE_HAL_BUFFER_USAGE_DISPATCH_INDIRECT_PARAMETERS,
     "DISPATCH_INDIRECT_PARAMETERS"},
    {IREE_HAL_BUFFER_USAGE_DISPATCH_UNIFORM_READ, "DISPATCH_UNIFORM_READ"},
    {IREE_HAL_BUFFER_USAGE_DISPATCH_STORAGE_READ, "DISPATCH_STORAGE_READ"},
    {IREE_HAL_BUFFER_USAGE_DISPATCH_STORAGE_WRITE, "DISPATCH_STORAGE_WRITE"},
    {IREE_HAL_BUFFER_USAGE_DISPATCH_IMAGE_READ, "DISPATCH_IMAGE_READ"},
    {IREE_HAL_BUFFER_USAGE_DISPATCH_IMAGE_WRITE, "DISPATCH_IMAGE_WRITE"},
    {IREE_HAL_BUFFER_USAGE_SHARING_EXPORT, "SHARING_EXPORT"},
    {IREE_HAL_BUFFER_USAGE_SHARING_REPLICATE, "SHARING_REPLICATE"},
    {IREE_HAL_BUFFER_USAGE_SHARING_CONCURRENT, "SHARING_CONCURRENT"},
    {IREE_HAL_BUFFER_USAGE_SHARING_IMMUTABLE, "SHARING_IMMUTABLE"},
    {IREE_HAL_BUFFER_USAGE_MAPPING_SCOPED, "MAPPING_SCOPED"},
    {IREE_HAL_BUFFER_USAGE_MAPPING_PERSISTENT, "MAPPING_PERSISTENT"},
    {IREE_HAL_BUFFER_USAGE_MAPPING_OPTIONAL, "MAPPING_OPTIONAL"},
    {IREE_HAL_BUFFER_USAGE_MAPPING_ACCESS_RANDOM, "MAPPING_ACCESS_RANDOM"},
    {IREE_HAL_BUFFER_USAGE_MAPPING_ACCESS_SEQUENTIAL_WRITE,
     "MAPPING_ACCESS_SEQUENTIAL_WRITE"},
};

iree_host_size_t iree_hal_memory_type_format(iree_hal_memory_type_t value,
                                             iree_host_size_t capacity,
                                             char* buffer) {
  return format_flags(value, memory_type_names,
                      IREE_ARRAYSIZE(memory_type_names), capacity, buffer);
}

iree_host_size_t iree_hal_memory_access_format(iree_hal_memory_access_t value,
                                               iree_host_size_t capacity,
                                               char* buffer) {
  return format_flags(value, memory_access_names,
                      IREE_ARRAYSIZE(memory_access_names), capacity, buffer);
}

iree_host_size_t iree_hal_buffer_usage_format(iree_hal_buffer_usage_t value,
                                              iree_host_size_t capacity,
                                              char* buffer) {
  return format_flags(value, buffer_usage_names,
                      IREE_ARRAYSIZE(buffer_usage_names), capacity, buffer);
}
