// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns hal.buffer.*.

#include "iree_cy/native/modules/hal/module_impl.h"

// The fewest bits that are named when a buffer lacks some.
#define IREE_HAL_MODULE_BITS_LENGTH 160

IREE_HAL_MODULE_EXPORT(buffer_allocation_discard) {
  IREE_HAL_MODULE_ARGUMENTS("buffer.allocation.discard");
  iree_hal_buffer_t* buffer = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_buffer(&args, "buffer", &buffer));
  iree_hal_module_return_i32(results,
                             iree_hal_buffer_allocation_discard(buffer));
  return iree_ok_status();
}

IREE_HAL_MODULE_EXPORT(buffer_allocation_is_terminal) {
  IREE_HAL_MODULE_ARGUMENTS("buffer.allocation.is_terminal");
  iree_hal_buffer_t* buffer = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_buffer(&args, "buffer", &buffer));
  iree_hal_module_return_i32(results,
                             iree_hal_buffer_allocation_is_terminal(buffer));
  return iree_ok_status();
}

IREE_HAL_MODULE_EXPORT(buffer_allocation_preserve) {
  IREE_HAL_MODULE_ARGUMENTS("buffer.allocation.preserve");
  iree_hal_buffer_t* buffer = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_buffer(&args, "buffer", &buffer));
  iree_hal_buffer_allocation_preserve(buffer);
  return iree_ok_status();
}

static iree_status_t iree_hal_module_memory_type_error(
    iree_string_view_t message, iree_hal_memory_type_t actual,
    iree_hal_memory_type_t wanted) {
  char actual_text[IREE_HAL_MODULE_BITS_LENGTH];
  char missing_text[IREE_HAL_MODULE_BITS_LENGTH];
  iree_hal_memory_type_format(actual, sizeof(actual_text), actual_text);
  iree_hal_memory_type_format(wanted & ~actual, sizeof(missing_text),
                              missing_text);
  return iree_status_annotate_f(
      iree_make_status(IREE_STATUS_PERMISSION_DENIED,
                       "%.*s: the buffer's memory is not %s, which the program "
                       "needs",
                       IREE_SV_ARG(message), missing_text),
      "the memory is %s", actual_text);
}

static iree_status_t iree_hal_module_usage_error(
    iree_string_view_t message, iree_hal_buffer_usage_t actual,
    iree_hal_buffer_usage_t wanted) {
  char actual_text[IREE_HAL_MODULE_BITS_LENGTH];
  char missing_text[IREE_HAL_MODULE_BITS_LENGTH];
  iree_hal_buffer_usage_format(actual, sizeof(actual_text), actual_text);
  iree_hal_buffer_usage_format(wanted & ~actual, sizeof(missing_text),
                               missing_text);
  return iree_status_annotate_f(
      iree_make_status(IREE_STATUS_PERMISSION_DENIED,
                       "%.*s: the buffer was not made for %s, which the "
                       "program needs",
                       IREE_SV_ARG(message), missing_text),
      "it was made for %s", actual_text);
}

IREE_HAL_MODULE_EXPORT(buffer_assert) {
  IREE_HAL_MODULE_ARGUMENTS("buffer.assert");
  iree_hal_buffer_t* buffer = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_buffer(&args, "buffer", &buffer));
  iree_vm_buffer_t* message_buffer = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_vm_buffer(&args, "message", &message_buffer));
  // Whether another allocator's buffer will do is for the device to say when it
  // is used.
  iree_hal_allocator_t* allocator = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_allocator(&args, "allocator", &allocator));
  const iree_device_size_t minimum_length = iree_hal_module_read_u64(&args);
  const iree_hal_memory_type_t memory_types = iree_hal_module_read_u32(&args);
  const iree_hal_buffer_usage_t usage = iree_hal_module_read_u32(&args);

  iree_string_view_t message = iree_vm_buffer_as_string(message_buffer);
  const iree_device_size_t length = iree_hal_buffer_byte_length(buffer);
  if (length < minimum_length) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "%.*s: the buffer has %" PRIdsz
                            " bytes, the program needs at least %" PRIdsz,
                            IREE_SV_ARG(message), length, minimum_length);
  }
  const iree_hal_memory_type_t actual_types =
      iree_hal_buffer_memory_type(buffer);
  if (!iree_all_bits_set(actual_types, memory_types)) {
    return iree_hal_module_memory_type_error(message, actual_types,
                                             memory_types);
  }
  const iree_hal_buffer_usage_t actual_usage =
      iree_hal_buffer_allowed_usage(buffer);
  if (!iree_all_bits_set(actual_usage, usage)) {
    return iree_hal_module_usage_error(message, actual_usage, usage);
  }
  return iree_ok_status();
}

IREE_HAL_MODULE_EXPORT(buffer_length) {
  IREE_HAL_MODULE_ARGUMENTS("buffer.length");
  iree_hal_buffer_t* buffer = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_buffer(&args, "buffer", &buffer));
  iree_hal_module_return_i64(results,
                             (int64_t)iree_hal_buffer_byte_length(buffer));
  return iree_ok_status();
}

IREE_HAL_MODULE_EXPORT(buffer_load) {
  IREE_HAL_MODULE_ARGUMENTS("buffer.load");
  iree_hal_buffer_t* buffer = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_buffer(&args, "source_buffer", &buffer));
  const iree_device_size_t offset = iree_hal_module_read_u64(&args);
  const int32_t length = iree_hal_module_read_i32(&args);
  // The bytes beyond |length| stay 0.
  int32_t value = 0;
  if (length < 0 || length > (int32_t)sizeof(value)) {
    return iree_hal_module_value_error(args.function, "length", length);
  }
  IREE_RETURN_IF_ERROR(iree_hal_buffer_map_read(buffer, offset, &value,
                                                (iree_device_size_t)length));
  iree_hal_module_return_i32(results, value);
  return iree_ok_status();
}

IREE_HAL_MODULE_EXPORT(buffer_store) {
  IREE_HAL_MODULE_ARGUMENTS("buffer.store");
  const int32_t value = iree_hal_module_read_i32(&args);
  iree_hal_buffer_t* buffer = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_buffer(&args, "target_buffer", &buffer));
  const iree_device_size_t offset = iree_hal_module_read_u64(&args);
  const int32_t length = iree_hal_module_read_i32(&args);
  if (length < 0 || length > (int32_t)sizeof(value)) {
    return iree_hal_module_value_error(args.function, "length", length);
  }
  return iree_hal_buffer_map_write(buffer, offset, &value,
                                   (iree_device_size_t)length);
}

IREE_HAL_MODULE_EXPORT(buffer_subspan) {
  IREE_HAL_MODULE_ARGUMENTS("buffer.subspan");
  iree_hal_buffer_t* buffer = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_buffer(&args, "source_buffer", &buffer));
  const iree_device_size_t offset = iree_hal_module_read_u64(&args);
  const iree_device_size_t length = iree_hal_module_read_u64(&args);
  iree_hal_buffer_t* subspan = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_buffer_subspan(
      buffer, offset, length, iree_vm_stack_program_allocator(stack),
      &subspan));
  iree_hal_module_return_ref(results, IREE_HAL_MODULE_TYPE(buffer), subspan);
  return iree_ok_status();
}
