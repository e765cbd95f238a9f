// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns hal.buffer_view.trace: what a program shows of its values goes to the
// log.

#include <stdio.h>

#include "iree_cy/native/modules/hal/module_impl.h"

// What a record of the log holds.
#define IREE_HAL_MODULE_TRACE_LENGTH 1024

// Text that stops growing when it is full.
typedef struct iree_hal_module_trace_t {
  char text[IREE_HAL_MODULE_TRACE_LENGTH];
  iree_host_size_t length;
} iree_hal_module_trace_t;

__attribute__((format(printf, 2, 3))) static void iree_hal_module_trace_append(
    iree_hal_module_trace_t* trace, const char* format, ...) {
  const iree_host_size_t left = sizeof(trace->text) - trace->length;
  va_list varargs;
  va_start(varargs, format);
  int length = vsnprintf(trace->text + trace->length, left, format, varargs);
  va_end(varargs);
  if (length < 0) return;
  trace->length += iree_min((iree_host_size_t)length, left - 1);
}

static bool iree_hal_module_trace_is_full(
    const iree_hal_module_trace_t* trace) {
  return trace->length + 1 >= sizeof(trace->text);
}

static uint64_t iree_hal_module_trace_bits(const uint8_t* data,
                                           iree_host_size_t size) {
  uint64_t bits = 0;
  memcpy(&bits, data, size);
  return bits;
}

static int64_t iree_hal_module_trace_signed(uint64_t bits,
                                            iree_host_size_t size) {
  const unsigned shift = (unsigned)(64 - 8 * size);
  return (int64_t)(bits << shift) >> shift;
}

// Appends the element of |size| bytes (1, 2, 4 or 8) at |data|.
static void iree_hal_module_trace_element(iree_hal_module_trace_t* trace,
                                          iree_hal_element_type_t element_type,
                                          const uint8_t* data,
                                          iree_host_size_t size) {
  const uint64_t bits = iree_hal_module_trace_bits(data, size);
  float f32 = 0.0f;
  double f64 = 0.0;
  switch (element_type) {
    case IREE_HAL_ELEMENT_TYPE_FLOAT_32:
      memcpy(&f32, data, sizeof(f32));
      iree_hal_module_trace_append(trace, "%.9g", (double)f32);
      return;
    case IREE_HAL_ELEMENT_TYPE_FLOAT_64:
      memcpy(&f64, data, sizeof(f64));
      iree_hal_module_trace_append(trace, "%.17g", f64);
      return;
    default:
      break;
  }
  switch (iree_hal_element_numerical_type(element_type)) {
    case IREE_HAL_NUMERICAL_TYPE_INTEGER:
    case IREE_HAL_NUMERICAL_TYPE_INTEGER_SIGNED:
      iree_hal_module_trace_append(trace, "%" PRIi64,
                                   iree_hal_module_trace_signed(bits, size));
      return;
    case IREE_HAL_NUMERICAL_TYPE_INTEGER_UNSIGNED:
    case IREE_HAL_NUMERICAL_TYPE_BOOLEAN:
      iree_hal_module_trace_append(trace, "%" PRIu64, bits);
      return;
    default:
      // Small floats and what is opaque: their bits.
      iree_hal_module_trace_append(trace, "0x%0*" PRIx64, (int)(2 * size),
                                   bits);
      return;
  }
}

// Appends type and contents of |view|, as far as there is room.
static iree_status_t iree_hal_module_trace_view(iree_hal_module_trace_t* trace,
                                                iree_hal_buffer_view_t* view) {
  char shape[128];
  char type[32];
  const iree_host_size_t rank = iree_hal_buffer_view_shape_rank(view);
  const iree_hal_element_type_t element_type =
      iree_hal_buffer_view_element_type(view);
  iree_hal_format_shape(rank, iree_hal_buffer_view_shape_dims(view),
                        sizeof(shape), shape);
  iree_hal_format_element_type(element_type, sizeof(type), type);
  iree_hal_module_trace_append(trace, "%s%s%s=", shape, rank ? "x" : "", type);

  uint32_t bit_count = iree_hal_element_bit_count(element_type);
  iree_host_size_t size = bit_count / 8;
  if (bit_count % 8 != 0 ||
      (size != 1 && size != 2 && size != 4 && size != 8)) {
    size = 1;
  }
  uint8_t data[IREE_HAL_MODULE_TRACE_LENGTH];
  // No element takes less than two characters.
  iree_device_size_t length = iree_min(iree_hal_buffer_view_byte_length(view),
                                       (iree_device_size_t)sizeof(data));
  IREE_RETURN_IF_ERROR(iree_hal_buffer_map_read(
      iree_hal_buffer_view_buffer(view), 0, data, length));
  for (iree_host_size_t i = 0;
       i + size <= length && !iree_hal_module_trace_is_full(trace); i += size) {
    if (i) iree_hal_module_trace_append(trace, " ");
    iree_hal_module_trace_element(trace, element_type, data + i, size);
  }
  return iree_ok_status();
}

IREE_HAL_MODULE_EXPORT(buffer_view_trace) {
  IREE_HAL_MODULE_ARGUMENTS("buffer_view.trace");
  iree_vm_buffer_t* key_buffer = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_vm_buffer(&args, "key", &key_buffer));
  iree_string_view_t key = iree_vm_buffer_as_string(key_buffer);
  const iree_host_size_t count = iree_hal_module_read_count(&args);
  for (iree_host_size_t i = 0; i < count; ++i) {
    iree_hal_buffer_view_t* view = NULL;
    IREE_RETURN_IF_ERROR(
        iree_hal_module_read_buffer_view(&args, "operands", &view));
    iree_hal_module_trace_t trace;
    trace.length = 0;
    iree_hal_module_trace_append(&trace, "%.*s[%zu] ",
                                 (int)iree_min(key.size, (iree_host_size_t)256),
                                 key.data, i);
    iree_status_t status = iree_hal_module_trace_view(&trace, view);
    // Memory that the host cannot read is no reason for the program to fail.
    if (!iree_status_is_ok(status)) {
      char reason[256];
      iree_status_format(status, sizeof(reason), reason);
      iree_status_ignore(status);
      iree_hal_module_trace_append(&trace, "(%s)", reason);
    }
    iree_cy_log(IREE_CY_LOG_LEVEL_INFO, IREE_SV("hal.trace"),
                iree_make_string_view(trace.text, trace.length));
  }
  return iree_ok_status();
}
