// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the small program by which the bytecode tests run functions: it loads a
// module, makes a context of it and a module "host", calls, prints.
//
//   bytecode_run [--max-instructions=N] [--max-call-depth=N] [--max-bytes=N]
//                [--unaligned] [--protected] FILE FUNCTION [i32=1 | i64=1 |
//                f32=1 | f64=1 | list=1,2]...
//   bytecode_run --opcodes FILE
//
// --protected keeps the pages behind the declarations out of reach until the
// module is loaded. Results are printed one a line like the arguments, floats
// by their bits in hexadecimal too. A failure is printed as "error: " and the
// whole status, and the program exits with 1. --opcodes prints "function
// mnemonic" for each instruction.

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "iree_cy/native/vm/bytecode/module_impl.h"
#include "iree_cy/vm/api.h"
#include "tests/support/vm_code.h"

//===----------------------------------------------------------------------===//
// The module "host"
//===----------------------------------------------------------------------===//

// Adds numbers of all kinds into each result.
static iree_status_t host_mix(iree_vm_stack_t* stack, void* module,
                              void* module_state, iree_byte_span_t arguments,
                              iree_byte_span_t results) {
  (void)stack, (void)module, (void)module_state;
  const uint8_t* cursor = arguments.data;
  int32_t a = iree_cy_vm_read_i32(&cursor);
  int64_t b = iree_cy_vm_read_i64(&cursor);
  float c = iree_cy_vm_read_f32(&cursor);
  double d = iree_cy_vm_read_f64(&cursor);
  double sum = a + (double)b + (double)c + d;
  uint8_t* target = results.data;
  iree_cy_vm_write_f64(&target, sum);
  iree_cy_vm_write_i32(&target, (int32_t)sum);
  iree_cy_vm_write_i64(&target, (int64_t)sum);
  iree_cy_vm_write_f32(&target, (float)sum);
  return iree_ok_status();
}

// A factor times the sum of the products of pairs.
static iree_status_t host_dot(iree_vm_stack_t* stack, void* module,
                              void* module_state, iree_byte_span_t arguments,
                              iree_byte_span_t results) {
  (void)stack, (void)module, (void)module_state;
  const uint8_t* cursor = arguments.data;
  int32_t factor = iree_cy_vm_read_i32(&cursor);
  int32_t count = iree_cy_vm_read_i32(&cursor);
  int64_t sum = 0;
  for (int32_t i = 0; i < count; ++i) {
    int32_t a = iree_cy_vm_read_i32(&cursor);
    int64_t b = iree_cy_vm_read_i64(&cursor);
    sum += a * b;
  }
  uint8_t* target = results.data;
  iree_cy_vm_write_i64(&target, factor * sum);
  return iree_ok_status();
}

// The sizes of buffers, null counting as -1.
static iree_status_t host_sizes(iree_vm_stack_t* stack, void* module,
                                void* module_state, iree_byte_span_t arguments,
                                iree_byte_span_t results) {
  (void)stack, (void)module, (void)module_state;
  const uint8_t* cursor = arguments.data;
  int32_t count = iree_cy_vm_read_i32(&cursor);
  int64_t sum = 0;
  for (int32_t i = 0; i < count; ++i) {
    iree_vm_ref_t ref = iree_cy_vm_read_ref(&cursor);
    iree_vm_buffer_t* buffer = NULL;
    IREE_RETURN_IF_ERROR(iree_vm_buffer_check_deref_or_null(ref, &buffer));
    sum += buffer ? (int64_t)iree_vm_buffer_length(buffer) : -1;
  }
  uint8_t* target = results.data;
  iree_cy_vm_write_i64(&target, sum);
  return iree_ok_status();
}

// A buffer of so many bytes, each of one value, and the one it was given.
static iree_status_t host_filled(iree_vm_stack_t* stack, void* module,
                                 void* module_state, iree_byte_span_t arguments,
                                 iree_byte_span_t results) {
  (void)module, (void)module_state;
  const uint8_t* cursor = arguments.data;
  int32_t length = iree_cy_vm_read_i32(&cursor);
  iree_vm_ref_t other = iree_cy_vm_read_ref(&cursor);
  iree_vm_buffer_t* buffer = NULL;
  IREE_RETURN_IF_ERROR(iree_vm_buffer_create(
      IREE_VM_BUFFER_ACCESS_MUTABLE | IREE_VM_BUFFER_ACCESS_ORIGIN_HOST,
      (iree_host_size_t)length, 0, iree_vm_stack_program_allocator(stack),
      &buffer));
  memset(iree_vm_buffer_data(buffer), 7, (iree_host_size_t)length);
  uint8_t* target = results.data;
  iree_cy_vm_write_ref(&target, iree_vm_buffer_move_ref(buffer));
  iree_vm_ref_t kept = iree_vm_ref_null();
  iree_vm_ref_retain(&other, &kept);
  iree_cy_vm_write_ref(&target, kept);
  return iree_ok_status();
}

static iree_status_t host_fail(iree_vm_stack_t* stack, void* module,
                               void* module_state, iree_byte_span_t arguments,
                               iree_byte_span_t results) {
  (void)stack, (void)module, (void)module_state, (void)results;
  const uint8_t* cursor = arguments.data;
  int32_t code = iree_cy_vm_read_i32(&cursor);
  return code ? iree_make_status((iree_status_code_t)code, "host failed")
              : iree_ok_status();
}

static const iree_vm_native_export_descriptor_t host_exports[] = {
    {{"dot", 3}, {"0iCiID_I", 8}, host_dot, 0, NULL},
    {{"fail", 4}, {"0i_v", 4}, host_fail, 0, NULL},
    {{"filled", 6}, {"0ir_rr", 6}, host_filled, 0, NULL},
    {{"mix", 3}, {"0iIfF_FiIf", 10}, host_mix, 0, NULL},
    {{"sizes", 5}, {"0CrD_I", 6}, host_sizes, 0, NULL},
};
static const iree_vm_native_module_descriptor_t host_descriptor = {
    .name = {"host", 4},
    .version = 3,
    .export_count = IREE_ARRAYSIZE(host_exports),
    .exports = host_exports,
};

//===----------------------------------------------------------------------===//
// Arguments and results
//===----------------------------------------------------------------------===//

static iree_status_t parse_list(const char* text, iree_vm_ref_t* out_ref) {
  iree_vm_list_t* list = NULL;
  IREE_RETURN_IF_ERROR(iree_vm_list_create(iree_vm_make_undefined_type_def(), 0,
                                           iree_allocator_system(), &list));
  iree_status_t status = iree_ok_status();
  while (*text && iree_status_is_ok(status)) {
    char* end = NULL;
    iree_vm_value_t value =
        iree_vm_value_make_i32((int32_t)strtol(text, &end, 0));
    text = *end == ',' ? end + 1 : end + strlen(end);
    status = iree_vm_list_push_value(list, &value);
  }
  iree_vm_ref_wrap_assign(list, iree_vm_list_type(), out_ref);
  return status;
}

static iree_status_t parse_argument(const char* text, iree_vm_list_t* inputs) {
  iree_vm_value_t value;
  if (strncmp(text, "i32=", 4) == 0) {
    value =
        iree_vm_value_make_i32((int32_t)(uint32_t)strtoull(text + 4, NULL, 0));
  } else if (strncmp(text, "i64=", 4) == 0) {
    value =
        iree_vm_value_make_i64((int64_t)(uint64_t)strtoull(text + 4, NULL, 0));
  } else if (strncmp(text, "f32=", 4) == 0) {
    value = iree_vm_value_make_f32(strtof(text + 4, NULL));
  } else if (strncmp(text, "f64=", 4) == 0) {
    value = iree_vm_value_make_f64(strtod(text + 4, NULL));
  } else if (strncmp(text, "list=", 5) == 0) {
    iree_vm_ref_t ref = iree_vm_ref_null();
    iree_status_t status = parse_list(text + 5, &ref);
    if (iree_status_is_ok(status)) {
      status = iree_vm_list_push_ref_move(inputs, &ref);
    }
    iree_vm_ref_release(&ref);
    return status;
  } else {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT, "not an argument: %s",
                            text);
  }
  return iree_vm_list_push_value(inputs, &value);
}

static void print_value(iree_vm_value_t value) {
  switch (value.type) {
    case IREE_VM_VALUE_TYPE_I32:
      printf("i32=%d\n", value.i32);
      break;
    case IREE_VM_VALUE_TYPE_I64:
      printf("i64=%" PRId64 "\n", value.i64);
      break;
    case IREE_VM_VALUE_TYPE_F32:
      printf("f32=%.9g bits=0x%08X\n", (double)value.f32, (uint32_t)value.i32);
      break;
    case IREE_VM_VALUE_TYPE_F64:
      printf("f64=%.17g bits=0x%016" PRIX64 "\n", value.f64,
             (uint64_t)value.i64);
      break;
    default:
      printf("none\n");
      break;
  }
}

static iree_status_t print_ref(iree_vm_ref_t ref) {
  if (iree_vm_buffer_isa(ref)) {
    const iree_vm_buffer_t* buffer = iree_vm_buffer_deref(ref);
    printf("buffer=");
    for (iree_host_size_t i = 0; i < iree_vm_buffer_length(buffer); ++i) {
      printf("%02x", iree_vm_buffer_data(buffer)[i]);
    }
    printf("\n");
    return iree_ok_status();
  }
  iree_string_view_t name = iree_vm_ref_type_name(ref.type);
  printf("ref=%.*s\n", ref.ptr ? (int)name.size : 4,
         ref.ptr ? name.data : "null");
  return iree_ok_status();
}

static iree_status_t print_results(const iree_vm_list_t* outputs) {
  for (iree_host_size_t i = 0; i < iree_vm_list_size(outputs); ++i) {
    iree_vm_variant_t variant = iree_vm_variant_empty();
    IREE_RETURN_IF_ERROR(iree_vm_list_get_variant_assign(outputs, i, &variant));
    if (iree_vm_variant_is_value(variant)) {
      print_value(iree_vm_variant_value(variant));
    } else {
      IREE_RETURN_IF_ERROR(print_ref(variant.ref));
    }
  }
  return iree_ok_status();
}

//===----------------------------------------------------------------------===//
// Instructions of a module
//===----------------------------------------------------------------------===//

static void print_opcodes(iree_vm_module_t* interface) {
  const iree_vm_bytecode_module_t* module =
      (const iree_vm_bytecode_module_t*)interface->self;
  for (uint32_t i = 0; i < module->def.function_count; ++i) {
    const iree_vm_bytecode_function_def_t* function = &module->def.functions[i];
    iree_string_view_t name = iree_string_view_empty();
    IREE_IGNORE_ERROR(interface->get_function(interface->self,
                                              IREE_VM_FUNCTION_LINKAGE_INTERNAL,
                                              i, NULL, &name, NULL));
    const uint8_t* code = function->bytecode;
    for (uint32_t pc = 0; pc < function->bytecode_length;) {
      iree_vm_op_t op = vm_code_opcode(code, &pc);
      printf("%.*s %s\n", IREE_SV_ARG(name), iree_vm_op_infos[op].mnemonic);
      pc = vm_code_visit(op, code, pc, NULL, NULL);
    }
  }
}

//===----------------------------------------------------------------------===//
// Main
//===----------------------------------------------------------------------===//

typedef struct options_t {
  iree_cy_vm_limits_t limits;
  bool unaligned;
  bool is_protected;
  bool opcodes;
} options_t;

// A file in memory of its own.
typedef struct contents_t {
  uint8_t* base;
  size_t capacity;
  iree_const_byte_span_t span;
} contents_t;

// Reads a file to the start of a page, or to an odd address.
static iree_status_t read_file(const char* path, bool unaligned,
                               contents_t* out_contents) {
  memset(out_contents, 0, sizeof(*out_contents));
  FILE* file = fopen(path, "rb");
  if (!file) return iree_make_status(IREE_STATUS_NOT_FOUND, "no file %s", path);
  fseek(file, 0, SEEK_END);
  size_t length = (size_t)ftell(file);
  rewind(file);
  size_t capacity = length + (size_t)sysconf(_SC_PAGESIZE);
  void* base = mmap(NULL, capacity, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  uint8_t* data = (uint8_t*)base + (unaligned ? 1 : 0);
  bool is_read = base != MAP_FAILED && fread(data, 1, length, file) == length;
  fclose(file);
  if (base != MAP_FAILED) {
    out_contents->base = (uint8_t*)base;
    out_contents->capacity = capacity;
    out_contents->span = iree_make_const_byte_span(data, length);
  }
  return is_read
             ? iree_ok_status()
             : iree_make_status(IREE_STATUS_DATA_LOSS, "cannot read %s", path);
}

// Takes the pages behind the FlatBuffer out of reach, or gives them back.
static iree_status_t protect_constants(const contents_t* contents,
                                       int protection) {
  iree_vm_bytecode_archive_t archive;
  IREE_RETURN_IF_ERROR(
      iree_vm_bytecode_archive_parse(contents->span, &archive));
  size_t begin = iree_host_align(archive.rodata_offset,
                                 (iree_host_size_t)sysconf(_SC_PAGESIZE));
  if (begin >= contents->span.data_length ||
      mprotect(contents->base + begin, contents->capacity - begin,
               protection) != 0) {
    return iree_make_status(IREE_STATUS_FAILED_PRECONDITION,
                            "there are no pages of constants");
  }
  return iree_ok_status();
}

static iree_status_t load_module(const options_t* options,
                                 const contents_t* contents,
                                 iree_vm_instance_t* instance,
                                 iree_vm_module_t** out_module) {
  const iree_allocator_t no_allocator = {NULL, NULL};
  *out_module = NULL;
  if (options->is_protected) {
    IREE_RETURN_IF_ERROR(protect_constants(contents, PROT_NONE));
  }
  IREE_RETURN_IF_ERROR(iree_vm_bytecode_module_create(
      instance, IREE_VM_BYTECODE_MODULE_FLAG_NONE, contents->span, no_allocator,
      iree_allocator_system(), out_module));
  return options->is_protected ? protect_constants(contents, PROT_READ)
                               : iree_ok_status();
}

static iree_status_t call_function(iree_vm_context_t* context,
                                   iree_vm_module_t* module, const char* name,
                                   int argc, char** argv) {
  iree_vm_function_t function;
  iree_vm_list_t* inputs = NULL;
  iree_vm_list_t* outputs = NULL;
  iree_vm_type_def_t any = iree_vm_make_undefined_type_def();
  IREE_RETURN_IF_ERROR(iree_vm_module_lookup_function_by_name(
      module, IREE_VM_FUNCTION_LINKAGE_EXPORT, iree_make_cstring_view(name),
      &function));
  iree_status_t status =
      iree_vm_list_create(any, 0, iree_allocator_system(), &inputs);
  if (iree_status_is_ok(status)) {
    status = iree_vm_list_create(any, 0, iree_allocator_system(), &outputs);
  }
  for (int i = 0; i < argc && iree_status_is_ok(status); ++i) {
    status = parse_argument(argv[i], inputs);
  }
  if (iree_status_is_ok(status)) {
    status = iree_cy_vm_invoke(context, function, NULL, inputs, outputs,
                               iree_allocator_system());
  }
  if (iree_status_is_ok(status)) status = print_results(outputs);
  iree_vm_list_release(inputs);
  iree_vm_list_release(outputs);
  return status;
}

static iree_status_t run_module(iree_vm_instance_t* instance,
                                const options_t* options,
                                iree_vm_module_t* module, int argc,
                                char** argv) {
  if (options->opcodes) {
    print_opcodes(module);
    return iree_ok_status();
  }
  iree_vm_module_t interface;
  memset(&interface, 0, sizeof(interface));
  iree_vm_module_t* modules[2] = {NULL, module};
  IREE_RETURN_IF_ERROR(
      iree_vm_native_module_create(&interface, &host_descriptor, instance,
                                   iree_allocator_system(), &modules[0]));
  iree_vm_context_t* context = NULL;
  iree_status_t status = iree_cy_vm_context_create(
      instance, IREE_VM_CONTEXT_FLAG_NONE, &options->limits, NULL, 2, modules,
      iree_allocator_system(), &context);
  iree_vm_module_release(modules[0]);
  if (iree_status_is_ok(status)) {
    status = call_function(context, module, argv[0], argc - 1, argv + 1);
  }
  iree_vm_context_release(context);
  return status;
}

static iree_status_t run(const options_t* options, int argc, char** argv) {
  contents_t contents;
  iree_vm_instance_t* instance = NULL;
  iree_vm_module_t* module = NULL;
  iree_status_t status = read_file(argv[0], options->unaligned, &contents);
  if (iree_status_is_ok(status)) {
    status = iree_vm_instance_create(IREE_VM_TYPE_CAPACITY_DEFAULT,
                                     iree_allocator_system(), &instance);
  }
  if (iree_status_is_ok(status)) {
    status = load_module(options, &contents, instance, &module);
  }
  if (iree_status_is_ok(status)) {
    status = run_module(instance, options, module, argc - 1, argv + 1);
  }
  iree_vm_module_release(module);
  iree_vm_instance_release(instance);
  if (contents.base) munmap(contents.base, contents.capacity);
  return status;
}

static bool parse_option(const char* text, options_t* options) {
  const char* value = strchr(text, '=');
  uint64_t number = value ? strtoull(value + 1, NULL, 0) : 0;
  if (strncmp(text, "--max-instructions=", 19) == 0) {
    options->limits.max_instructions = number;
  } else if (strncmp(text, "--max-call-depth=", 17) == 0) {
    options->limits.max_call_depth = (uint32_t)number;
  } else if (strncmp(text, "--max-bytes=", 12) == 0) {
    options->limits.max_bytes = number;
  } else if (strcmp(text, "--unaligned") == 0) {
    options->unaligned = true;
  } else if (strcmp(text, "--protected") == 0) {
    options->is_protected = true;
  } else if (strcmp(text, "--opcodes") == 0) {
    options->opcodes = true;
  } else {
    return false;
  }
  return true;
}

int main(int argc, char** argv) {
  options_t options = {.limits = iree_cy_vm_limits_none()};
  int i = 1;
  while (i < argc && parse_option(argv[i], &options)) ++i;
  if (argc - i < (options.opcodes ? 1 : 2)) {
    printf("error: file and function are needed\n");
    return 2;
  }
  iree_status_t status = run(&options, argc - i, argv + i);
  if (iree_status_is_ok(status)) return 0;
  char message[4096];
  iree_status_format(status, sizeof(message), message);
  iree_status_ignore(status);
  printf("error: %s\n", message);
  return 1;
}
