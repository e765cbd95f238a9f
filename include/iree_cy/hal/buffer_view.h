// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns iree_hal_buffer_view_t: a buffer with shape, element type and encoding.

#ifndef IREE_CY_HAL_BUFFER_VIEW_H_
#define IREE_CY_HAL_BUFFER_VIEW_H_

#include "iree_cy/hal/buffer.h"

IREE_CY_EXTERN_C_BEGIN

// (numerical type << 24) | bit count. Values are those that compiled programs
// carry.
typedef uint32_t iree_hal_element_type_t;
#define IREE_HAL_ELEMENT_TYPE_VALUE(numerical_type, bit_count) \
  (((uint32_t)(numerical_type) << 24) | (uint32_t)(bit_count))

typedef uint32_t iree_hal_numerical_type_t;
enum iree_hal_numerical_type_e {
  IREE_HAL_NUMERICAL_TYPE_UNKNOWN = 0x00,
  IREE_HAL_NUMERICAL_TYPE_INTEGER = 0x10,
  IREE_HAL_NUMERICAL_TYPE_INTEGER_SIGNED = 0x11,
  IREE_HAL_NUMERICAL_TYPE_INTEGER_UNSIGNED = 0x12,
  IREE_HAL_NUMERICAL_TYPE_BOOLEAN = 0x13,
  IREE_HAL_NUMERICAL_TYPE_FLOAT = 0x20,
  IREE_HAL_NUMERICAL_TYPE_FLOAT_IEEE = 0x21,
  IREE_HAL_NUMERICAL_TYPE_FLOAT_BRAIN = 0x22,
  IREE_HAL_NUMERICAL_TYPE_FLOAT_COMPLEX = 0x23,
  IREE_HAL_NUMERICAL_TYPE_FLOAT_8_E5M2 = 0x24,
  IREE_HAL_NUMERICAL_TYPE_FLOAT_8_E4M3_FN = 0x25,
  IREE_HAL_NUMERICAL_TYPE_FLOAT_8_E5M2_FNUZ = 0x26,
  IREE_HAL_NUMERICAL_TYPE_FLOAT_8_E4M3_FNUZ = 0x27,
  IREE_HAL_NUMERICAL_TYPE_FLOAT_8_E8M0_FNU = 0x28,
};

enum iree_hal_element_type_e {
  IREE_HAL_ELEMENT_TYPE_NONE = 0,
  IREE_HAL_ELEMENT_TYPE_OPAQUE_8 = IREE_HAL_ELEMENT_TYPE_VALUE(0x00, 8),
  IREE_HAL_ELEMENT_TYPE_OPAQUE_16 = IREE_HAL_ELEMENT_TYPE_VALUE(0x00, 16),
  IREE_HAL_ELEMENT_TYPE_OPAQUE_32 = IREE_HAL_ELEMENT_TYPE_VALUE(0x00, 32),
  IREE_HAL_ELEMENT_TYPE_OPAQUE_64 = IREE_HAL_ELEMENT_TYPE_VALUE(0x00, 64),
  IREE_HAL_ELEMENT_TYPE_BOOL_8 = IREE_HAL_ELEMENT_TYPE_VALUE(0x13, 8),
  IREE_HAL_ELEMENT_TYPE_INT_4 = IREE_HAL_ELEMENT_TYPE_VALUE(0x10, 4),
  IREE_HAL_ELEMENT_TYPE_INT_8 = IREE_HAL_ELEMENT_TYPE_VALUE(0x10, 8),
  IREE_HAL_ELEMENT_TYPE_INT_16 = IREE_HAL_ELEMENT_TYPE_VALUE(0x10, 16),
  IREE_HAL_ELEMENT_TYPE_INT_32 = IREE_HAL_ELEMENT_TYPE_VALUE(0x10, 32),
  IREE_HAL_ELEMENT_TYPE_INT_64 = IREE_HAL_ELEMENT_TYPE_VALUE(0x10, 64),
  IREE_HAL_ELEMENT_TYPE_SINT_4 = IREE_HAL_ELEMENT_TYPE_VALUE(0x11, 4),
  IREE_HAL_ELEMENT_TYPE_SINT_8 = IREE_HAL_ELEMENT_TYPE_VALUE(0x11, 8),
  IREE_HAL_ELEMENT_TYPE_SINT_16 = IREE_HAL_ELEMENT_TYPE_VALUE(0x11, 16),
  IREE_HAL_ELEMENT_TYPE_SINT_32 = IREE_HAL_ELEMENT_TYPE_VALUE(0x11, 32),
  IREE_HAL_ELEMENT_TYPE_SINT_64 = IREE_HAL_ELEMENT_TYPE_VALUE(0x11, 64),
  IREE_HAL_ELEMENT_TYPE_UINT_4 = IREE_HAL_ELEMENT_TYPE_VALUE(0x12, 4),
  IREE_HAL_ELEMENT_TYPE_UINT_8 = IREE_HAL_ELEMENT_TYPE_VALUE(0x12, 8),
  IREE_HAL_ELEMENT_TYPE_UINT_16 = IREE_HAL_ELEMENT_TYPE_VALUE(0x12, 16),
  IREE_HAL_ELEMENT_TYPE_UINT_32 = IREE_HAL_ELEMENT_TYPE_VALUE(0x12, 32),
  IREE_HAL_ELEMENT_TYPE_UINT_64 = IREE_HAL_ELEMENT_TYPE_VALUE(0x12, 64),
  IREE_HAL_ELEMENT_TYPE_FLOAT_16 = IREE_HAL_ELEMENT_TYPE_VALUE(0x21, 16),
  IREE_HAL_ELEMENT_TYPE_FLOAT_32 = IREE_HAL_ELEMENT_TYPE_VALUE(0x21, 32),
  IREE_HAL_ELEMENT_TYPE_FLOAT_64 = IREE_HAL_ELEMENT_TYPE_VALUE(0x21, 64),
  IREE_HAL_ELEMENT_TYPE_BFLOAT_16 = IREE_HAL_ELEMENT_TYPE_VALUE(0x22, 16),
  IREE_HAL_ELEMENT_TYPE_COMPLEX_FLOAT_64 =
      IREE_HAL_ELEMENT_TYPE_VALUE(0x23, 64),
  IREE_HAL_ELEMENT_TYPE_COMPLEX_FLOAT_128 =
      IREE_HAL_ELEMENT_TYPE_VALUE(0x23, 128),
  IREE_HAL_ELEMENT_TYPE_FLOAT_8_E5M2 = IREE_HAL_ELEMENT_TYPE_VALUE(0x24, 8),
  IREE_HAL_ELEMENT_TYPE_FLOAT_8_E4M3_FN = IREE_HAL_ELEMENT_TYPE_VALUE(0x25, 8),
  IREE_HAL_ELEMENT_TYPE_FLOAT_8_E5M2_FNUZ =
      IREE_HAL_ELEMENT_TYPE_VALUE(0x26, 8),
  IREE_HAL_ELEMENT_TYPE_FLOAT_8_E4M3_FNUZ =
      IREE_HAL_ELEMENT_TYPE_VALUE(0x27, 8),
  IREE_HAL_ELEMENT_TYPE_FLOAT_8_E8M0_FNU = IREE_HAL_ELEMENT_TYPE_VALUE(0x28, 8),
};

typedef uint32_t iree_hal_encoding_type_t;
enum iree_hal_encoding_type_e {
  IREE_HAL_ENCODING_TYPE_OPAQUE = 0,
  IREE_HAL_ENCODING_TYPE_DENSE_ROW_MAJOR = 1,
};

typedef uint64_t iree_hal_dim_t;

static inline uint32_t iree_hal_element_bit_count(
    iree_hal_element_type_t element_type) {
  return element_type & 0xFFu;
}
static inline iree_hal_numerical_type_t iree_hal_element_numerical_type(
    iree_hal_element_type_t element_type) {
  return element_type >> 24;
}

// Writes a type as "4x8xf32" does ("f32", "i1", "si8", "bf16", "*32", ...), cut
// and NUL-terminated. Returns the whole length.
IREE_API_EXPORT iree_host_size_t
iree_hal_format_element_type(iree_hal_element_type_t element_type,
                             iree_host_size_t capacity, char* buffer);
// Writes "4x8", cut and NUL-terminated. Returns the whole length.
IREE_API_EXPORT iree_host_size_t
iree_hal_format_shape(iree_host_size_t shape_rank, const iree_hal_dim_t* shape,
                      iree_host_size_t capacity, char* buffer);

// Bytes of a dense shape, whole bytes for sub-byte elements. OUT_OF_RANGE on
// overflow, UNIMPLEMENTED for an encoding that is not dense.
IREE_API_EXPORT iree_status_t iree_hal_buffer_compute_view_size(
    iree_host_size_t shape_rank, const iree_hal_dim_t* shape,
    iree_hal_element_type_t element_type,
    iree_hal_encoding_type_t encoding_type,
    iree_device_size_t* out_allocation_size);

// A view of |buffer|, which it keeps. OUT_OF_RANGE when the buffer is too small
// for the shape.
IREE_API_EXPORT iree_status_t iree_hal_buffer_view_create(
    iree_hal_buffer_t* buffer, iree_host_size_t shape_rank,
    const iree_hal_dim_t* shape, iree_hal_element_type_t element_type,
    iree_hal_encoding_type_t encoding_type, iree_allocator_t host_allocator,
    iree_hal_buffer_view_t** out_buffer_view);
IREE_API_EXPORT void iree_hal_buffer_view_retain(
    iree_hal_buffer_view_t* buffer_view);
IREE_API_EXPORT void iree_hal_buffer_view_release(
    iree_hal_buffer_view_t* buffer_view);

// Its parts, borrowed.
IREE_API_EXPORT iree_hal_buffer_t* iree_hal_buffer_view_buffer(
    const iree_hal_buffer_view_t* buffer_view);
IREE_API_EXPORT iree_host_size_t
iree_hal_buffer_view_shape_rank(const iree_hal_buffer_view_t* buffer_view);
IREE_API_EXPORT const iree_hal_dim_t* iree_hal_buffer_view_shape_dims(
    const iree_hal_buffer_view_t* buffer_view);
IREE_API_EXPORT iree_hal_element_type_t
iree_hal_buffer_view_element_type(const iree_hal_buffer_view_t* buffer_view);
IREE_API_EXPORT iree_hal_encoding_type_t
iree_hal_buffer_view_encoding_type(const iree_hal_buffer_view_t* buffer_view);
IREE_API_EXPORT iree_host_size_t
iree_hal_buffer_view_element_count(const iree_hal_buffer_view_t* buffer_view);
IREE_API_EXPORT iree_device_size_t
iree_hal_buffer_view_byte_length(const iree_hal_buffer_view_t* buffer_view);

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_HAL_BUFFER_VIEW_H_
