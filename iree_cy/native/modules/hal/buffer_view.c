// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns hal.buffer_view.*, but for trace.

#include "iree_cy/native/modules/hal/module_impl.h"

#define IREE_HAL_MODULE_SHAPE_LENGTH 64

// Whether a view of |actual| elements may stand for one of |wanted|: what is
// opaque may stand for anything, an integer for one of other signedness.
static bool iree_hal_module_element_type_fits(iree_hal_element_type_t actual,
                                              iree_hal_element_type_t wanted) {
  if (actual == wanted) return true;
  const iree_hal_numerical_type_t actual_numerical =
      iree_hal_element_numerical_type(actual);
  const iree_hal_numerical_type_t wanted_numerical =
      iree_hal_element_numerical_type(wanted);
  if (actual_numerical == IREE_HAL_NUMERICAL_TYPE_UNKNOWN) return true;
  return actual_numerical >> 4 == IREE_HAL_NUMERICAL_TYPE_INTEGER >> 4 &&
         wanted_numerical >> 4 == IREE_HAL_NUMERICAL_TYPE_INTEGER >> 4 &&
         iree_hal_element_bit_count(actual) ==
             iree_hal_element_bit_count(wanted);
}

static iree_status_t iree_hal_module_element_type_error(
    iree_string_view_t message, iree_hal_element_type_t actual,
    iree_hal_element_type_t wanted) {
  char actual_text[32];
  char wanted_text[32];
  iree_hal_format_element_type(actual, sizeof(actual_text), actual_text);
  iree_hal_format_element_type(wanted, sizeof(wanted_text), wanted_text);
  return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                          "%.*s: element type %s is given, the program wants "
                          "%s",
                          IREE_SV_ARG(message), actual_text, wanted_text);
}

static iree_status_t iree_hal_module_shape_error(iree_string_view_t message,
                                                 iree_host_size_t actual_rank,
                                                 const iree_hal_dim_t* actual,
                                                 iree_host_size_t wanted_rank,
                                                 const iree_hal_dim_t* wanted) {
  char actual_text[IREE_HAL_MODULE_SHAPE_LENGTH];
  char wanted_text[IREE_HAL_MODULE_SHAPE_LENGTH];
  iree_hal_format_shape(actual_rank, actual, sizeof(actual_text), actual_text);
  iree_hal_format_shape(wanted_rank, wanted, sizeof(wanted_text), wanted_text);
  return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                          "%.*s: shape [%s] is given, the program wants [%s]",
                          IREE_SV_ARG(message), actual_text, wanted_text);
}

IREE_HAL_MODULE_EXPORT(buffer_view_assert) {
  IREE_HAL_MODULE_ARGUMENTS("buffer_view.assert");
  iree_hal_buffer_view_t* view = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_buffer_view(&args, "buffer_view", &view));
  iree_vm_buffer_t* message_buffer = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_vm_buffer(&args, "message", &message_buffer));
  const iree_hal_element_type_t element_type = iree_hal_module_read_u32(&args);
  const iree_hal_encoding_type_t encoding_type =
      iree_hal_module_read_u32(&args);
  iree_hal_dim_t shape[IREE_HAL_MODULE_MAX_RANK];
  iree_host_size_t rank = 0;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_shape(
      &args, IREE_HAL_MODULE_MAX_RANK, shape, &rank));

  iree_string_view_t message = iree_vm_buffer_as_string(message_buffer);
  const iree_hal_encoding_type_t actual_encoding_type =
      iree_hal_buffer_view_encoding_type(view);
  if (actual_encoding_type != IREE_HAL_ENCODING_TYPE_OPAQUE &&
      actual_encoding_type != encoding_type) {
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "%.*s: encoding 0x%x is given, the program wants 0x%x",
        IREE_SV_ARG(message), actual_encoding_type, encoding_type);
  }
  const iree_hal_element_type_t actual_element_type =
      iree_hal_buffer_view_element_type(view);
  if (!iree_hal_module_element_type_fits(actual_element_type, element_type)) {
    return iree_hal_module_element_type_error(message, actual_element_type,
                                              element_type);
  }
  const iree_host_size_t actual_rank = iree_hal_buffer_view_shape_rank(view);
  const iree_hal_dim_t* actual_shape = iree_hal_buffer_view_shape_dims(view);
  bool is_equal = actual_rank == rank;
  for (iree_host_size_t i = 0; i < rank && is_equal; ++i) {
    is_equal = actual_shape[i] == shape[i];
  }
  return is_equal ? iree_ok_status()
                  : iree_hal_module_shape_error(message, actual_rank,
                                                actual_shape, rank, shape);
}

IREE_HAL_MODULE_EXPORT(buffer_view_buffer) {
  IREE_HAL_MODULE_ARGUMENTS("buffer_view.buffer");
  iree_hal_buffer_view_t* view = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_buffer_view(&args, "buffer_view", &view));
  iree_hal_buffer_t* buffer = iree_hal_buffer_view_buffer(view);
  iree_hal_buffer_retain(buffer);
  iree_hal_module_return_ref(results, IREE_HAL_MODULE_TYPE(buffer), buffer);
  return iree_ok_status();
}

IREE_HAL_MODULE_EXPORT(buffer_view_create) {
  IREE_HAL_MODULE_ARGUMENTS("buffer_view.create");
  iree_hal_buffer_t* source = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_buffer(&args, "buffer", &source));
  const iree_device_size_t offset = iree_hal_module_read_u64(&args);
  const iree_device_size_t length = iree_hal_module_read_u64(&args);
  const iree_hal_element_type_t element_type = iree_hal_module_read_u32(&args);
  const iree_hal_encoding_type_t encoding_type =
      iree_hal_module_read_u32(&args);
  iree_hal_dim_t shape[IREE_HAL_MODULE_MAX_RANK];
  iree_host_size_t rank = 0;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_shape(
      &args, IREE_HAL_MODULE_MAX_RANK, shape, &rank));

  const iree_allocator_t allocator = iree_vm_stack_program_allocator(stack);
  iree_hal_buffer_t* subspan = NULL;
  if (offset != 0 || length != iree_hal_buffer_byte_length(source)) {
    IREE_RETURN_IF_ERROR(
        iree_hal_buffer_subspan(source, offset, length, allocator, &subspan));
  }
  iree_hal_buffer_view_t* view = NULL;
  iree_status_t status = iree_hal_buffer_view_create(
      subspan ? subspan : source, rank, shape, element_type, encoding_type,
      allocator, &view);
  iree_hal_buffer_release(subspan);
  IREE_RETURN_IF_ERROR(status);
  iree_hal_module_return_ref(results, IREE_HAL_MODULE_TYPE(buffer_view), view);
  return iree_ok_status();
}

IREE_HAL_MODULE_EXPORT(buffer_view_dim) {
  IREE_HAL_MODULE_ARGUMENTS("buffer_view.dim");
  iree_hal_buffer_view_t* view = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_buffer_view(&args, "buffer_view", &view));
  const uint32_t index = iree_hal_module_read_u32(&args);
  // Programs ask for dimensions before they assert the rank, and the assertion
  // has the better message: beyond the rank there is 0.
  iree_hal_dim_t dim = 0;
  if (index < iree_hal_buffer_view_shape_rank(view)) {
    dim = iree_hal_buffer_view_shape_dims(view)[index];
  }
  iree_hal_module_return_i64(results, (int64_t)dim);
  return iree_ok_status();
}

IREE_HAL_MODULE_EXPORT(buffer_view_element_type) {
  IREE_HAL_MODULE_ARGUMENTS("buffer_view.element_type");
  iree_hal_buffer_view_t* view = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_buffer_view(&args, "buffer_view", &view));
  iree_hal_module_return_i32(results,
                             (int32_t)iree_hal_buffer_view_element_type(view));
  return iree_ok_status();
}

IREE_HAL_MODULE_EXPORT(buffer_view_encoding_type) {
  IREE_HAL_MODULE_ARGUMENTS("buffer_view.encoding_type");
  iree_hal_buffer_view_t* view = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_buffer_view(&args, "buffer_view", &view));
  iree_hal_module_return_i32(results,
                             (int32_t)iree_hal_buffer_view_encoding_type(view));
  return iree_ok_status();
}

IREE_HAL_MODULE_EXPORT(buffer_view_rank) {
  IREE_HAL_MODULE_ARGUMENTS("buffer_view.rank");
  iree_hal_buffer_view_t* view = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_buffer_view(&args, "buffer_view", &view));
  iree_hal_module_return_i32(results,
                             (int32_t)iree_hal_buffer_view_shape_rank(view));
  return iree_ok_status();
}
