// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns buffer views, the size of shapes, and the text of shapes and element
// types.

#include "iree_cy/hal/buffer_view.h"

#include <stdio.h>

struct iree_hal_buffer_view_t {
  iree_hal_resource_t resource;
  iree_allocator_t host_allocator;
  iree_hal_buffer_t* buffer;
  iree_hal_element_type_t element_type;
  iree_hal_encoding_type_t encoding_type;
  iree_device_size_t byte_length;
  iree_host_size_t shape_rank;
  iree_hal_dim_t shape[];
};

static iree_host_size_t format_text(iree_host_size_t capacity, char* buffer,
                                    const char* text) {
  const iree_host_size_t length = strlen(text);
  if (capacity) {
    const iree_host_size_t kept = iree_min(length, capacity - 1);
    memcpy(buffer, text, kept);
    buffer[kept] = 0;
  }
  return length;
}

iree_host_size_t iree_hal_format_element_type(
    iree_hal_element_type_t element_type, iree_host_size_t capacity,
    char* buffer) {
  const char* prefix = "*";
  uint32_t bit_count = iree_hal_element_bit_count(element_type);
  switch (element_type) {
    case IREE_HAL_ELEMENT_TYPE_FLOAT_8_E5M2:
      return format_text(capacity, buffer, "f8E5M2");
    case IREE_HAL_ELEMENT_TYPE_FLOAT_8_E4M3_FN:
      return format_text(capacity, buffer, "f8E4M3FN");
    case IREE_HAL_ELEMENT_TYPE_FLOAT_8_E5M2_FNUZ:
      return format_text(capacity, buffer, "f8E5M2FNUZ");
    case IREE_HAL_ELEMENT_TYPE_FLOAT_8_E4M3_FNUZ:
      return format_text(capacity, buffer, "f8E4M3FNUZ");
    case IREE_HAL_ELEMENT_TYPE_FLOAT_8_E8M0_FNU:
      return format_text(capacity, buffer, "f8E8M0FNU");
    default:
      break;
  }
  switch (iree_hal_element_numerical_type(element_type)) {
    case IREE_HAL_NUMERICAL_TYPE_BOOLEAN:
      // Named for what it means; each takes a byte.
      prefix = "i";
      bit_count = 1;
      break;
    case IREE_HAL_NUMERICAL_TYPE_INTEGER:
      prefix = "i";
      break;
    case IREE_HAL_NUMERICAL_TYPE_INTEGER_SIGNED:
      prefix = "si";
      break;
    case IREE_HAL_NUMERICAL_TYPE_INTEGER_UNSIGNED:
      prefix = "ui";
      break;
    case IREE_HAL_NUMERICAL_TYPE_FLOAT_IEEE:
      prefix = "f";
      break;
    case IREE_HAL_NUMERICAL_TYPE_FLOAT_BRAIN:
      prefix = "bf";
      break;
    case IREE_HAL_NUMERICAL_TYPE_FLOAT_COMPLEX:
      prefix = "cf";
      break;
    default:
      break;
  }
  char text[16] = {0};
  snprintf(text, sizeof(text), "%s%" PRIu32, prefix, bit_count);
  return format_text(capacity, buffer, text);
}

iree_host_size_t iree_hal_format_shape(iree_host_size_t shape_rank,
                                       const iree_hal_dim_t* shape,
                                       iree_host_size_t capacity,
                                       char* buffer) {
  iree_host_size_t length = 0;
  if (capacity) buffer[0] = 0;
  for (iree_host_size_t i = 0; i < shape_rank; ++i) {
    char text[32] = {0};
    snprintf(text, sizeof(text), i ? "x%" PRIu64 : "%" PRIu64, shape[i]);
    const iree_host_size_t rest = capacity > length ? capacity - length : 0;
    length += format_text(rest, rest ? buffer + length : NULL, text);
  }
  return length;
}

iree_status_t iree_hal_buffer_compute_view_size(
    iree_host_size_t shape_rank, const iree_hal_dim_t* shape,
    iree_hal_element_type_t element_type,
    iree_hal_encoding_type_t encoding_type,
    iree_device_size_t* out_allocation_size) {
  *out_allocation_size = 0;
  if (encoding_type != IREE_HAL_ENCODING_TYPE_DENSE_ROW_MAJOR) {
    return iree_make_status(IREE_STATUS_UNIMPLEMENTED,
                            "the size of encoding type %" PRIu32
                            " is not known; only dense row-major is",
                            encoding_type);
  }
  const uint32_t bit_count = iree_hal_element_bit_count(element_type);
  if (!bit_count) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "element type 0x%08" PRIX32 " has no size",
                            element_type);
  }
  iree_device_size_t count = 1;
  bool fits = true;
  for (iree_host_size_t i = 0; i < shape_rank; ++i) {
    // Nothing takes no room, whatever the other dimensions are.
    if (!shape[i]) return iree_ok_status();
    fits = fits && iree_device_size_checked_mul(count, shape[i], &count);
  }
  iree_device_size_t byte_length = 0;
  if (bit_count % 8 == 0) {
    fits = fits &&
           iree_device_size_checked_mul(count, bit_count / 8, &byte_length);
  } else {
    fits = fits && iree_device_size_checked_mul(count, bit_count, &byte_length);
    byte_length = byte_length / 8 + (byte_length % 8 != 0);
  }
  if (!fits) {
    char shape_text[64] = {0};
    iree_hal_format_shape(shape_rank, shape, sizeof(shape_text), shape_text);
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "shape %s of elements of %" PRIu32
                            " bits is larger than memory can be",
                            shape_text, bit_count);
  }
  *out_allocation_size = byte_length;
  return iree_ok_status();
}

static void buffer_view_destroy(void* resource) {
  iree_hal_buffer_view_t* buffer_view = (iree_hal_buffer_view_t*)resource;
  iree_allocator_t host_allocator = buffer_view->host_allocator;
  iree_hal_buffer_release(buffer_view->buffer);
  iree_allocator_free(host_allocator, buffer_view);
}

static const iree_cy_resource_vtable_t buffer_view_vtable = {
    .header = {.size = sizeof(iree_cy_resource_vtable_t),
               .kind = IREE_CY_OBJECT_KIND_BUFFER_VIEW},
    .destroy = buffer_view_destroy,
};

iree_status_t iree_hal_buffer_view_create(
    iree_hal_buffer_t* buffer, iree_host_size_t shape_rank,
    const iree_hal_dim_t* shape, iree_hal_element_type_t element_type,
    iree_hal_encoding_type_t encoding_type, iree_allocator_t host_allocator,
    iree_hal_buffer_view_t** out_buffer_view) {
  *out_buffer_view = NULL;
  iree_device_size_t byte_length = buffer->byte_length;
  // What an opaque encoding needs only its maker knows.
  if (encoding_type == IREE_HAL_ENCODING_TYPE_DENSE_ROW_MAJOR &&
      iree_hal_element_bit_count(element_type)) {
    IREE_RETURN_IF_ERROR(iree_hal_buffer_compute_view_size(
        shape_rank, shape, element_type, encoding_type, &byte_length));
    if (byte_length > buffer->byte_length) {
      char shape_text[64] = {0};
      char type_text[16] = {0};
      iree_hal_format_shape(shape_rank, shape, sizeof(shape_text), shape_text);
      iree_hal_format_element_type(element_type, sizeof(type_text), type_text);
      return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                              "a view of shape %s%s%s needs %" PRIdsz
                              " bytes; the buffer has %" PRIdsz,
                              shape_text, shape_rank ? "x" : "", type_text,
                              byte_length, buffer->byte_length);
    }
  }
  iree_hal_buffer_view_t* buffer_view = NULL;
  iree_host_size_t total_size = 0;
  if (!iree_host_size_checked_mul(shape_rank, sizeof(shape[0]), &total_size) ||
      !iree_host_size_checked_add(total_size, sizeof(*buffer_view),
                                  &total_size)) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "rank %" PRIhsz " is too large", shape_rank);
  }
  IREE_RETURN_IF_ERROR(iree_allocator_malloc_uninitialized(
      host_allocator, total_size, (void**)&buffer_view));
  iree_hal_resource_initialize(&buffer_view_vtable, &buffer_view->resource);
  buffer_view->host_allocator = host_allocator;
  buffer_view->buffer = buffer;
  iree_hal_buffer_retain(buffer);
  buffer_view->element_type = element_type;
  buffer_view->encoding_type = encoding_type;
  buffer_view->byte_length = byte_length;
  buffer_view->shape_rank = shape_rank;
  if (shape_rank) {
    memcpy(buffer_view->shape, shape, shape_rank * sizeof(shape[0]));
  }
  *out_buffer_view = buffer_view;
  return iree_ok_status();
}

void iree_hal_buffer_view_retain(iree_hal_buffer_view_t* buffer_view) {
  iree_hal_resource_retain(buffer_view);
}

void iree_hal_buffer_view_release(iree_hal_buffer_view_t* buffer_view) {
  iree_hal_resource_release(buffer_view);
}

iree_hal_buffer_t* iree_hal_buffer_view_buffer(
    const iree_hal_buffer_view_t* buffer_view) {
  return buffer_view->buffer;
}

iree_host_size_t iree_hal_buffer_view_shape_rank(
    const iree_hal_buffer_view_t* buffer_view) {
  return buffer_view->shape_rank;
}

const iree_hal_dim_t* iree_hal_buffer_view_shape_dims(
    const iree_hal_buffer_view_t* buffer_view) {
  return buffer_view->shape;
}

iree_hal_element_type_t iree_hal_buffer_view_element_type(
    const iree_hal_buffer_view_t* buffer_view) {
  return buffer_view->element_type;
}

iree_hal_encoding_type_t iree_hal_buffer_view_encoding_type(
    const iree_hal_buffer_view_t* buffer_view) {
  return buffer_view->encoding_type;
}

iree_host_size_t iree_hal_buffer_view_element_count(
    const iree_hal_buffer_view_t* buffer_view) {
  // Wraps only for an encoding whose shape was not checked.
  iree_host_size_t count = 1;
  for (iree_host_size_t i = 0; i < buffer_view->shape_rank; ++i) {
    count *= (iree_host_size_t)buffer_view->shape[i];
  }
  return count;
}

iree_device_size_t iree_hal_buffer_view_byte_length(
    const iree_hal_buffer_view_t* buffer_view) {
  return buffer_view->byte_length;
}
