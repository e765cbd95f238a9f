// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the growing of text.

#include "iree_cy/base/string_builder.h"

#include <stdio.h>

void iree_string_builder_initialize(iree_allocator_t allocator,
                                    iree_string_builder_t* out_builder) {
  memset(out_builder, 0, sizeof(*out_builder));
  out_builder->allocator = allocator;
}

void iree_string_builder_deinitialize(iree_string_builder_t* builder) {
  iree_allocator_free(builder->allocator, builder->buffer);
  memset(builder, 0, sizeof(*builder));
}

// Makes room for |length| more characters and the NUL.
static iree_status_t iree_string_builder_reserve(iree_string_builder_t* builder,
                                                 iree_host_size_t length) {
  iree_host_size_t needed = 0;
  if (IREE_UNLIKELY(
          !iree_host_size_checked_add(builder->size, length, &needed) ||
          !iree_host_size_checked_add(needed, 1, &needed))) {
    return iree_make_status(IREE_STATUS_RESOURCE_EXHAUSTED,
                            "text of %" PRIhsz " bytes cannot grow by %" PRIhsz
                            " bytes",
                            builder->size, length);
  }
  if (needed <= builder->capacity) return iree_ok_status();
  iree_host_size_t capacity = 0;
  if (!iree_host_size_checked_mul(builder->capacity, 2, &capacity) ||
      capacity < needed) {
    capacity = iree_max(needed, (iree_host_size_t)128);
  }
  void* buffer = builder->buffer;
  IREE_RETURN_IF_ERROR(
      iree_allocator_realloc(builder->allocator, capacity, &buffer));
  builder->buffer = (char*)buffer;
  builder->capacity = capacity;
  return iree_ok_status();
}

iree_status_t iree_string_builder_append_string(iree_string_builder_t* builder,
                                                iree_string_view_t value) {
  IREE_RETURN_IF_ERROR(iree_string_builder_reserve(builder, value.size));
  if (value.size) {
    memcpy(builder->buffer + builder->size, value.data, value.size);
  }
  builder->size += value.size;
  builder->buffer[builder->size] = 0;
  return iree_ok_status();
}

iree_status_t iree_string_builder_append_vf(iree_string_builder_t* builder,
                                            const char* format,
                                            va_list varargs) {
  va_list measured;
  va_copy(measured, varargs);
  const int length = vsnprintf(NULL, 0, format, measured);
  va_end(measured);
  if (IREE_UNLIKELY(length < 0)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "the text format '%s' cannot be applied", format);
  }
  IREE_RETURN_IF_ERROR(
      iree_string_builder_reserve(builder, (iree_host_size_t)length));
  vsnprintf(builder->buffer + builder->size, (iree_host_size_t)length + 1,
            format, varargs);
  builder->size += (iree_host_size_t)length;
  return iree_ok_status();
}
