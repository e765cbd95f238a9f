// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Tests buffer views, shapes and the text of element types.

#include "iree_cy/hal/buffer_view.h"

#include "tests/support/ctest.h"
#include "tests/support/failing_allocator.h"

static _Alignas(64) uint8_t memory[256];

static iree_hal_buffer_t* wrap(iree_host_size_t length) {
  iree_hal_buffer_t* buffer = NULL;
  iree_status_t status = iree_hal_heap_buffer_wrap(
      iree_hal_buffer_placement_undefined(), IREE_HAL_MEMORY_TYPE_HOST_LOCAL,
      IREE_HAL_MEMORY_ACCESS_ALL, IREE_HAL_BUFFER_USAGE_DEFAULT,
      iree_make_byte_span(memory, length),
      iree_hal_buffer_release_callback_null(), iree_allocator_system(),
      &buffer);
  EXPECT_OK(status);
  return buffer;
}

static void expect_type_text(iree_hal_element_type_t type, const char* text) {
  char buffer[32];
  EXPECT_EQ_I64(iree_hal_format_element_type(type, sizeof(buffer), buffer),
                strlen(text));
  EXPECT_EQ_SV(iree_make_cstring_view(buffer), iree_make_cstring_view(text));
}

CTEST(formats_element_types) {
  expect_type_text(IREE_HAL_ELEMENT_TYPE_FLOAT_32, "f32");
  expect_type_text(IREE_HAL_ELEMENT_TYPE_BFLOAT_16, "bf16");
  expect_type_text(IREE_HAL_ELEMENT_TYPE_BOOL_8, "i1");
  expect_type_text(IREE_HAL_ELEMENT_TYPE_INT_4, "i4");
  expect_type_text(IREE_HAL_ELEMENT_TYPE_SINT_8, "si8");
  expect_type_text(IREE_HAL_ELEMENT_TYPE_UINT_64, "ui64");
  expect_type_text(IREE_HAL_ELEMENT_TYPE_COMPLEX_FLOAT_64, "cf64");
  expect_type_text(IREE_HAL_ELEMENT_TYPE_OPAQUE_32, "*32");
  expect_type_text(IREE_HAL_ELEMENT_TYPE_FLOAT_8_E4M3_FNUZ, "f8E4M3FNUZ");
}

CTEST(formats_shapes) {
  const iree_hal_dim_t shape[3] = {4, 0, 1234567890123ull};
  char text[32];
  EXPECT_EQ_I64(iree_hal_format_shape(3, shape, sizeof(text), text), 17);
  EXPECT_EQ_SV(iree_make_cstring_view(text), IREE_SV("4x0x1234567890123"));
  EXPECT_EQ_I64(iree_hal_format_shape(3, shape, 4, text), 17);
  EXPECT_EQ_SV(iree_make_cstring_view(text), IREE_SV("4x0"));
  EXPECT_EQ_I64(iree_hal_format_shape(0, NULL, sizeof(text), text), 0);
  EXPECT_EQ_SV(iree_make_cstring_view(text), IREE_SV(""));
  EXPECT_EQ_I64(iree_hal_format_shape(3, shape, 0, NULL), 17);
}

static void expect_size(iree_host_size_t rank, const iree_hal_dim_t* shape,
                        iree_hal_element_type_t type, uint64_t expected) {
  iree_device_size_t size = 0;
  EXPECT_OK(iree_hal_buffer_compute_view_size(
      rank, shape, type, IREE_HAL_ENCODING_TYPE_DENSE_ROW_MAJOR, &size));
  EXPECT_EQ_I64(size, expected);
}

CTEST(computes_sizes) {
  const iree_hal_dim_t shape[3] = {2, 3, 5};
  const iree_hal_dim_t empty[2] = {1ull << 62, 0};
  expect_size(3, shape, IREE_HAL_ELEMENT_TYPE_FLOAT_32, 120);
  expect_size(0, NULL, IREE_HAL_ELEMENT_TYPE_FLOAT_64, 8);
  expect_size(2, shape + 1, IREE_HAL_ELEMENT_TYPE_INT_4, 8);
  expect_size(3, shape, IREE_HAL_ELEMENT_TYPE_COMPLEX_FLOAT_128, 480);
  expect_size(2, empty, IREE_HAL_ELEMENT_TYPE_INT_8, 0);
}

CTEST(refuses_sizes) {
  const iree_hal_dim_t huge[3] = {1ull << 32, 1ull << 31, 2};
  const iree_hal_dim_t nearly[1] = {1ull << 62};
  iree_device_size_t size = 0;
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                iree_hal_buffer_compute_view_size(
                    3, huge, IREE_HAL_ELEMENT_TYPE_INT_8,
                    IREE_HAL_ENCODING_TYPE_DENSE_ROW_MAJOR, &size));
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                iree_hal_buffer_compute_view_size(
                    1, nearly, IREE_HAL_ELEMENT_TYPE_FLOAT_32,
                    IREE_HAL_ENCODING_TYPE_DENSE_ROW_MAJOR, &size));
  EXPECT_STATUS(IREE_STATUS_UNIMPLEMENTED,
                iree_hal_buffer_compute_view_size(
                    1, nearly, IREE_HAL_ELEMENT_TYPE_FLOAT_32, 7, &size));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_buffer_compute_view_size(
                    1, nearly, IREE_HAL_ELEMENT_TYPE_NONE,
                    IREE_HAL_ENCODING_TYPE_DENSE_ROW_MAJOR, &size));
  EXPECT_EQ_I64(size, 0);
}

CTEST(keeps_buffer_and_shape) {
  iree_hal_dim_t shape[2] = {3, 4};
  iree_hal_buffer_t* buffer = wrap(64);
  iree_hal_buffer_view_t* view = NULL;
  REQUIRE_OK(iree_hal_buffer_view_create(
      buffer, 2, shape, IREE_HAL_ELEMENT_TYPE_FLOAT_32,
      IREE_HAL_ENCODING_TYPE_DENSE_ROW_MAJOR, iree_allocator_system(), &view));
  iree_hal_buffer_release(buffer);
  shape[0] = 9;
  EXPECT(iree_hal_buffer_view_buffer(view) == buffer);
  EXPECT_EQ_I64(iree_hal_buffer_view_shape_rank(view), 2);
  EXPECT_EQ_I64(iree_hal_buffer_view_shape_dims(view)[0], 3);
  EXPECT_EQ_I64(iree_hal_buffer_view_element_count(view), 12);
  EXPECT_EQ_I64(iree_hal_buffer_view_byte_length(view), 48);
  EXPECT_EQ_I64(iree_hal_buffer_view_element_type(view),
                IREE_HAL_ELEMENT_TYPE_FLOAT_32);
  EXPECT_EQ_I64(iree_hal_buffer_view_encoding_type(view),
                IREE_HAL_ENCODING_TYPE_DENSE_ROW_MAJOR);
  iree_hal_buffer_view_retain(view);
  iree_hal_buffer_view_release(view);
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_BUFFER_VIEW), 1);
  iree_hal_buffer_view_release(view);
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_BUFFER_VIEW), 0);
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_BUFFER), 0);
}

CTEST(refuses_views_larger_than_the_buffer) {
  const iree_hal_dim_t shape[2] = {4, 4};
  iree_hal_buffer_t* buffer = wrap(60);
  iree_hal_buffer_view_t* view = NULL;
  iree_status_t status = iree_hal_buffer_view_create(
      buffer, 2, shape, IREE_HAL_ELEMENT_TYPE_FLOAT_32,
      IREE_HAL_ENCODING_TYPE_DENSE_ROW_MAJOR, iree_allocator_system(), &view);
  EXPECT_EQ_SV(iree_status_message(status),
               IREE_SV("a view of shape 4x4xf32 needs 64 bytes; the buffer has "
                       "60"));
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE, status);
  failing_allocator_t state = {0, 0};
  EXPECT_STATUS(
      IREE_STATUS_RESOURCE_EXHAUSTED,
      iree_hal_buffer_view_create(buffer, 1, shape, IREE_HAL_ELEMENT_TYPE_INT_8,
                                  IREE_HAL_ENCODING_TYPE_DENSE_ROW_MAJOR,
                                  failing_allocator(&state), &view));
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                iree_hal_buffer_view_create(buffer, IREE_HOST_SIZE_MAX / 4,
                                            NULL, IREE_HAL_ELEMENT_TYPE_INT_8,
                                            IREE_HAL_ENCODING_TYPE_OPAQUE,
                                            iree_allocator_system(), &view));
  EXPECT(view == NULL);
  iree_hal_buffer_release(buffer);
}

CTEST_MAIN()
