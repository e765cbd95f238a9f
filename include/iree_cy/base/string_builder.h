// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the string builder: text that grows.

#ifndef IREE_CY_BASE_STRING_BUILDER_H_
#define IREE_CY_BASE_STRING_BUILDER_H_

#include "iree_cy/base/allocator.h"

IREE_CY_EXTERN_C_BEGIN

// Growing, NUL-terminated text. Embedded by value; fixed for the ABI major.
typedef struct iree_string_builder_t {
  iree_allocator_t allocator;
  char* buffer;
  iree_host_size_t size;
  iree_host_size_t capacity;
  uintptr_t reserved[2];
} iree_string_builder_t;

// Empty, nothing allocated yet.
IREE_API_EXPORT void iree_string_builder_initialize(
    iree_allocator_t allocator, iree_string_builder_t* out_builder);
// Frees the text.
IREE_API_EXPORT void iree_string_builder_deinitialize(
    iree_string_builder_t* builder);
IREE_API_EXPORT iree_status_t iree_string_builder_append_string(
    iree_string_builder_t* builder, iree_string_view_t value);
IREE_API_EXPORT iree_status_t iree_string_builder_append_vf(
    iree_string_builder_t* builder, const char* format, va_list varargs);

static inline iree_status_t iree_string_builder_append_format(
    iree_string_builder_t* builder, const char* format, ...)
    IREE_PRINTF_ATTRIBUTE(2, 3);
static inline iree_status_t iree_string_builder_append_format(
    iree_string_builder_t* builder, const char* format, ...) {
  va_list varargs;
  va_start(varargs, format);
  iree_status_t status =
      iree_string_builder_append_vf(builder, format, varargs);
  va_end(varargs);
  return status;
}
// The text so far, borrowed until the next append.
static inline iree_string_view_t iree_string_builder_view(
    const iree_string_builder_t* builder) {
  return iree_make_string_view(builder->buffer, builder->size);
}

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_BASE_STRING_BUILDER_H_
