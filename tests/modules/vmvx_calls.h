// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns how tests call the vmvx module's kernels.

#ifndef IREE_CY_TESTS_MODULES_VMVX_CALLS_H_
#define IREE_CY_TESTS_MODULES_VMVX_CALLS_H_

#include "iree_cy/native/modules/vmvx/module.h"
#include "iree_cy/vm/api.h"
#include "tests/support/ctest.h"

typedef struct fixture_t {
  iree_vm_instance_t* instance;
  iree_vm_module_t* module;
  iree_vm_context_t* context;
  iree_cy_vm_call_options_t options;
} fixture_t;

static iree_status_t fixture_create(uint64_t max_instructions, fixture_t* f) {
  memset(f, 0, sizeof(*f));
  f->options = iree_cy_vm_call_options_default();
  iree_allocator_t allocator = iree_allocator_system();
  IREE_RETURN_IF_ERROR(iree_vm_instance_create(IREE_VM_TYPE_CAPACITY_DEFAULT,
                                               allocator, &f->instance));
  IREE_RETURN_IF_ERROR(
      iree_cy_vmvx_module_create(f->instance, allocator, &f->module));
  iree_cy_vm_limits_t limits = iree_cy_vm_limits_none();
  limits.max_instructions = max_instructions;
  return iree_cy_vm_context_create(f->instance, 0, &limits, NULL, 1, &f->module,
                                   allocator, &f->context);
}

static void fixture_destroy(fixture_t* f) {
  iree_vm_context_release(f->context);
  iree_vm_module_release(f->module);
  iree_vm_instance_release(f->instance);
}

#define WITH_FIXTURE_LIMITED(f, max_instructions)                \
  __attribute__((cleanup(fixture_destroy))) fixture_t f##_store; \
  fixture_t* f = &f##_store;                                     \
  REQUIRE_OK(fixture_create((max_instructions), f))
#define WITH_FIXTURE(f) WITH_FIXTURE_LIMITED(f, 0)

// A buffer over a copy of |array|, in memory of exactly its size, so that a
// sanitizer sees what goes beyond. |array| gets the bytes back.
typedef struct memory_t {
  iree_vm_buffer_t buffer;
  void* array;
  iree_host_size_t length;
} memory_t;

static void memory_initialize(bool is_mutable, void* array,
                              iree_host_size_t length, memory_t* out_memory) {
  const iree_allocator_t no_allocator = {NULL, NULL};
  void* copy = malloc(length ? length : 1);
  memcpy(copy, array, length);
  iree_vm_buffer_initialize(is_mutable ? IREE_VM_BUFFER_ACCESS_MUTABLE : 0,
                            iree_make_byte_span(copy, length), no_allocator,
                            &out_memory->buffer);
  out_memory->array = array;
  out_memory->length = length;
}

static void memory_destroy(memory_t* memory) {
  void* copy = memory->buffer.data.data;
  memcpy(memory->array, copy, memory->length);
  iree_vm_buffer_deinitialize(&memory->buffer);
  free(copy);
}

// An argument: "r" is a memory_t*.
static iree_host_size_t pack_arguments(uint8_t* cursor, const char* format,
                                       va_list varargs) {
  const uint8_t* begin = cursor;
  for (; *format; ++format) {
    if (*format == 'i') {
      iree_cy_vm_write_i32(&cursor, va_arg(varargs, int));
    } else if (*format == 'I') {
      iree_cy_vm_write_i64(&cursor, va_arg(varargs, int64_t));
    } else {
      memory_t* memory = va_arg(varargs, memory_t*);
      iree_vm_ref_t ref = {memory ? &memory->buffer : NULL,
                           memory ? iree_vm_buffer_type() : 0};
      iree_cy_vm_write_ref(&cursor, ref);
    }
  }
  return (iree_host_size_t)(cursor - begin);
}

static iree_status_t call_with_results(fixture_t* f, const char* name,
                                       iree_byte_span_t results,
                                       const char* format, va_list varargs) {
  iree_vm_function_t function;
  IREE_RETURN_IF_ERROR(iree_vm_module_lookup_function_by_name(
      f->module, IREE_VM_FUNCTION_LINKAGE_EXPORT, iree_make_cstring_view(name),
      &function));
  uint8_t arguments[256];
  const iree_host_size_t length = pack_arguments(arguments, format, varargs);
  return iree_cy_vm_context_call(f->context, function, &f->options,
                                 iree_make_byte_span(arguments, length),
                                 results);
}

static iree_status_t call(fixture_t* f, const char* name, const char* format,
                          ...) {
  va_list varargs;
  va_start(varargs, format);
  iree_status_t status =
      call_with_results(f, name, iree_byte_span_empty(), format, varargs);
  va_end(varargs);
  return status;
}

__attribute__((unused)) static iree_status_t call_2(fixture_t* f,
                                                    const char* name,
                                                    int64_t results[2],
                                                    const char* format, ...) {
  va_list varargs;
  va_start(varargs, format);
  iree_status_t status = call_with_results(
      f, name, iree_make_byte_span(results, 2 * sizeof(results[0])), format,
      varargs);
  va_end(varargs);
  return status;
}

#define I(value) ((int64_t)(value))

#endif  // IREE_CY_TESTS_MODULES_VMVX_CALLS_H_
