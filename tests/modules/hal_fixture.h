// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what the tests of the hal module share: a context, calls of its exports,
// and objects to call them with.

#ifndef IREE_CY_TESTS_MODULES_HAL_FIXTURE_H_
#define IREE_CY_TESTS_MODULES_HAL_FIXTURE_H_

#include "iree_cy/modules/hal_module.h"
#include "tests/support/ctest.h"
#include "tests/support/noop_device.h"

#define MEMORY \
  ((int)(IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL | IREE_HAL_MEMORY_TYPE_HOST_VISIBLE))
#define USAGE                                                            \
  ((int)(IREE_HAL_BUFFER_USAGE_DEFAULT | IREE_HAL_BUFFER_USAGE_MAPPING | \
         IREE_HAL_BUFFER_USAGE_DISPATCH_INDIRECT_PARAMETERS))
#define F32 ((int)IREE_HAL_ELEMENT_TYPE_FLOAT_32)
#define I32 ((int)IREE_HAL_ELEMENT_TYPE_INT_32)
#define DENSE ((int)IREE_HAL_ENCODING_TYPE_DENSE_ROW_MAJOR)
#define WHOLE ((int64_t)-1)
#define NULL_REF iree_vm_ref_null()

//===----------------------------------------------------------------------===//
// Calling
//===----------------------------------------------------------------------===//

// A context with the hal module over one device whose dispatches do nothing.
typedef struct fixture_t {
  iree_vm_instance_t* instance;
  iree_hal_device_t* device;
  iree_vm_module_t* module;
  iree_vm_context_t* context;
  iree_cy_vm_call_options_t options;
} fixture_t;

__attribute__((unused)) static iree_status_t fixture_create(uint64_t max_bytes,
                                                            fixture_t* f) {
  memset(f, 0, sizeof(*f));
  f->options = iree_cy_vm_call_options_default();
  iree_allocator_t allocator = iree_allocator_system();
  IREE_RETURN_IF_ERROR(iree_vm_instance_create(IREE_VM_TYPE_CAPACITY_DEFAULT,
                                               allocator, &f->instance));
  IREE_RETURN_IF_ERROR(noop_device_create(NULL, allocator, &f->device));
  IREE_RETURN_IF_ERROR(iree_hal_module_create(f->instance, 1, &f->device, 0,
                                              allocator, &f->module));
  iree_cy_vm_limits_t limits = iree_cy_vm_limits_none();
  limits.max_bytes = max_bytes;
  return iree_cy_vm_context_create(f->instance, 0, &limits, NULL, 1, &f->module,
                                   allocator, &f->context);
}

__attribute__((unused)) static void fixture_destroy(fixture_t* f) {
  iree_vm_context_release(f->context);
  iree_vm_module_release(f->module);
  iree_hal_device_release(f->device);
  iree_vm_instance_release(f->instance);
}

#define WITH_FIXTURE_LIMITED(f, max_bytes)                       \
  __attribute__((cleanup(fixture_destroy))) fixture_t f##_store; \
  fixture_t* f = &f##_store;                                     \
  REQUIRE_OK(fixture_create((max_bytes), f))
#define WITH_FIXTURE(f) WITH_FIXTURE_LIMITED(f, 0)

// Results of a call, in the order of the convention.
typedef struct result_t {
  uint8_t data[64];
} result_t;

// Packs what |format| says, by the letters of calling conventions; a C is the
// count of what follows it.
__attribute__((unused)) static iree_host_size_t pack(uint8_t* cursor,
                                                     const char* format,
                                                     va_list varargs) {
  uint8_t* begin = cursor;
  for (; *format; ++format) {
    switch (*format) {
      case 'i':
      case 'C':
        iree_cy_vm_write_i32(&cursor, va_arg(varargs, int));
        break;
      case 'I':
        iree_cy_vm_write_i64(&cursor, va_arg(varargs, int64_t));
        break;
      default:
        iree_cy_vm_write_ref(&cursor, va_arg(varargs, iree_vm_ref_t));
        break;
    }
  }
  return (iree_host_size_t)(cursor - begin);
}

__attribute__((unused)) static iree_status_t call_packed(
    fixture_t* f, const char* name, uint8_t* arguments, iree_host_size_t length,
    result_t* out_result) {
  memset(out_result, 0, sizeof(*out_result));
  iree_vm_function_t function;
  IREE_RETURN_IF_ERROR(iree_vm_module_lookup_function_by_name(
      f->module, IREE_VM_FUNCTION_LINKAGE_EXPORT, iree_make_cstring_view(name),
      &function));
  iree_vm_function_signature_t signature =
      iree_vm_function_signature(&function);
  iree_string_view_t argument_types, result_types;
  IREE_RETURN_IF_ERROR(iree_vm_function_call_get_cconv_fragments(
      &signature, &argument_types, &result_types));
  iree_host_size_t result_size = 0;
  IREE_RETURN_IF_ERROR(iree_vm_function_call_compute_cconv_fragment_size(
      result_types, 0, NULL, &result_size));
  return iree_cy_vm_context_call(
      f->context, function, &f->options, iree_make_byte_span(arguments, length),
      iree_make_byte_span(out_result->data, result_size));
}

__attribute__((unused)) static iree_status_t call(fixture_t* f,
                                                  const char* name,
                                                  result_t* out_result,
                                                  const char* format, ...) {
  uint8_t arguments[4096];
  va_list varargs;
  va_start(varargs, format);
  iree_host_size_t length = pack(arguments, format, varargs);
  va_end(varargs);
  return call_packed(f, name, arguments, length, out_result);
}

__attribute__((unused)) static iree_vm_ref_t result_ref(
    const result_t* result) {
  const uint8_t* cursor = result->data;
  return iree_cy_vm_read_ref(&cursor);
}
__attribute__((unused)) static int32_t result_i32(const result_t* result) {
  const uint8_t* cursor = result->data;
  return iree_cy_vm_read_i32(&cursor);
}
__attribute__((unused)) static int64_t result_i64(const result_t* result) {
  const uint8_t* cursor = result->data;
  return iree_cy_vm_read_i64(&cursor);
}

// Takes |status|, which must have |code| and a message with |text| in it that
// fits a line.
__attribute__((unused)) static bool message_has(iree_status_t status,
                                                iree_status_code_t code,
                                                const char* text) {
  char message[512] = {0};
  iree_string_view_t view = iree_status_message(status);
  memcpy(message, view.data ? view.data : "",
         iree_min(view.size, sizeof(message) - 1));
  const bool ok = iree_status_code(status) == code && view.size < 200 &&
                  strstr(message, text);
  if (!ok) {
    printf("  %s: %s\n", iree_status_code_string(iree_status_code(status)),
           message);
  }
  iree_status_ignore(status);
  return ok;
}

#define REF_CLEANUP __attribute__((cleanup(iree_vm_ref_release)))

// References for the arguments: borrowed from the fixture, or made.
__attribute__((unused)) static iree_vm_ref_t device_ref(fixture_t* f) {
  iree_vm_ref_t ref = {f->device, iree_hal_device_type()};
  return ref;
}
__attribute__((unused)) static iree_vm_ref_t allocator_ref(fixture_t* f) {
  iree_vm_ref_t ref = {iree_hal_device_allocator(f->device),
                       iree_hal_allocator_type()};
  return ref;
}
__attribute__((unused)) static iree_vm_ref_t make_buffer(fixture_t* f,
                                                         int64_t length) {
  result_t result;
  iree_status_t status = call(f, "allocator.allocate", &result, "rIiiI",
                              allocator_ref(f), WHOLE, MEMORY, USAGE, length);
  EXPECT_OK(status);
  return result_ref(&result);
}
__attribute__((unused)) static iree_vm_ref_t make_text(const char* text) {
  iree_vm_buffer_t* buffer = NULL;
  EXPECT_OK(iree_vm_buffer_create(IREE_VM_BUFFER_ACCESS_MUTABLE, strlen(text),
                                  64, iree_allocator_system(), &buffer));
  memcpy(iree_vm_buffer_data(buffer), text, strlen(text));
  return iree_vm_buffer_move_ref(buffer);
}
__attribute__((unused)) static iree_vm_ref_t make_fence(fixture_t* f) {
  result_t result;
  EXPECT_OK(call(f, "fence.create", &result, "rI", device_ref(f), (int64_t)0));
  return result_ref(&result);
}
__attribute__((unused)) static iree_vm_ref_t make_command_buffer(
    fixture_t* f, int binding_capacity) {
  result_t result;
  EXPECT_OK(call(f, "command_buffer.create", &result, "riiIi", device_ref(f), 0,
                 (int)IREE_HAL_COMMAND_CATEGORY_ANY, WHOLE, binding_capacity));
  return result_ref(&result);
}
__attribute__((unused)) static int32_t load(fixture_t* f, iree_vm_ref_t buffer,
                                            int64_t offset, int length) {
  result_t result;
  EXPECT_OK(call(f, "buffer.load", &result, "rIi", buffer, offset, length));
  return result_i32(&result);
}
__attribute__((unused)) static int32_t query(fixture_t* f,
                                             iree_vm_ref_t fence) {
  result_t result;
  EXPECT_OK(call(f, "fence.query", &result, "r", fence));
  return result_i32(&result);
}

#endif  // IREE_CY_TESTS_MODULES_HAL_FIXTURE_H_
