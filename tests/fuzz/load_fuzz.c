// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the fuzz target of programs: it mutates module files, loads them, makes
// a context, calls every export, all under limits.
//
//   load_fuzz [--seed=N] [--count=N] [--only=I] [--keep=FILE] SEED_FILE...
//
// Mutation I of seed N is always the same, so that --only=I shows it again;
// --keep writes its file. The program ends with 1 when a mutation takes too
// long, when objects are left over, or as the sanitizers it is built with see
// fit. What the programs import from modules is answered by a stub that does
// nothing and returns what it likes (see "The stub").

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "iree_cy/native/vm/bytecode/module_def.h"
#include "iree_cy/vm/api.h"
#include "tests/support/fuzz_hal.h"
#include "tests/support/vm_code.h"

enum {
  FUZZ_MAX_SEEDS = 64,
  FUZZ_MAX_EDITS = 6,
  FUZZ_MAX_FUNCTIONS = 4096,
  FUZZ_MAX_FIELDS = 64,
  FUZZ_MAX_INSTRUCTIONS = 20000,
  FUZZ_MAX_CALL_DEPTH = 100,
  FUZZ_MAX_BYTES = 1 << 20,
  FUZZ_ALARM_SECONDS = 20,
};
#define FUZZ_MAX_NANOS INT64_C(5000000000)
// A wait for what nobody signals ends here.
#define FUZZ_MAX_WAIT_NANOS INT64_C(20000000)

//===----------------------------------------------------------------------===//
// Random numbers
//===----------------------------------------------------------------------===//

static uint64_t fuzz_state;

static uint64_t fuzz_random(void) {
  uint64_t z = (fuzz_state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}
static size_t fuzz_below(size_t bound) {
  return bound ? (size_t)(fuzz_random() % bound) : 0;
}

//===----------------------------------------------------------------------===//
// Files and mutations
//===----------------------------------------------------------------------===//

// A function of a seed.
typedef struct fuzz_function_t {
  size_t offset;
  uint32_t length;
  uint16_t i32_count;
  uint16_t ref_count;
} fuzz_function_t;

typedef struct fuzz_file_t {
  uint8_t* data;
  size_t length;
  fuzz_function_t* functions;
  size_t function_count;
} fuzz_file_t;

static fuzz_file_t fuzz_seeds[FUZZ_MAX_SEEDS];
static size_t fuzz_seed_count;

static bool fuzz_read_seed(const char* path) {
  FILE* file = fopen(path, "rb");
  if (!file || fuzz_seed_count == FUZZ_MAX_SEEDS) {
    printf("error: cannot take %s\n", path);
    if (file) fclose(file);
    return false;
  }
  fuzz_file_t* seed = &fuzz_seeds[fuzz_seed_count++];
  fseek(file, 0, SEEK_END);
  seed->length = (size_t)ftell(file);
  rewind(file);
  seed->data = (uint8_t*)malloc(seed->length + 1);
  bool is_read = fread(seed->data, 1, seed->length, file) == seed->length;
  fclose(file);
  iree_vm_bytecode_module_def_t def;
  iree_status_t status = iree_vm_bytecode_module_def_initialize(
      iree_make_const_byte_span(seed->data, seed->length),
      iree_allocator_system(), &def);
  if (!iree_status_is_ok(status)) {
    iree_status_ignore(status);
    return is_read;
  }
  seed->functions =
      (fuzz_function_t*)calloc(FUZZ_MAX_FUNCTIONS, sizeof(*seed->functions));
  for (size_t i = 0; i < def.function_count && i < FUZZ_MAX_FUNCTIONS; ++i) {
    seed->functions[seed->function_count++] = (fuzz_function_t){
        (size_t)(def.functions[i].bytecode - seed->data),
        def.functions[i].bytecode_length,
        def.functions[i].i32_register_count,
        def.functions[i].ref_register_count,
    };
  }
  iree_vm_bytecode_module_def_deinitialize(&def, iree_allocator_system());
  return is_read;
}

// A place to edit: mostly code, also the declarations, also anywhere.
static size_t fuzz_place(const fuzz_file_t* seed, size_t length) {
  if (seed->function_count && fuzz_below(10) < 6) {
    const fuzz_function_t* function =
        &seed->functions[fuzz_below(seed->function_count)];
    size_t place = function->offset + fuzz_below(function->length);
    if (place < length) return place;
  }
  return fuzz_below(fuzz_below(3) ? iree_min(length, 4096) : length);
}

static void fuzz_edit_integer(uint8_t* data, size_t length, size_t place) {
  static const uint64_t values[] = {
      0,      1,      2,      3,          4,          7,          8,
      0x10,   0x3FFF, 0x4000, 0x7F,       0x7FFF,     0x8000,     0x8001,
      0xC000, 0xFF,   0xFFFF, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF,
      16,     20,     24,     UINT64_MAX, 0x100,      0x1000,     0x10000};
  size_t size = (size_t)1 << fuzz_below(4);
  if (fuzz_below(4)) place &= ~(size - 1);
  if (size > length || place > length - size) return;
  uint64_t value = 0;
  memcpy(&value, data + place, size);
  switch (fuzz_below(4)) {
    case 0:
      value = values[fuzz_below(IREE_ARRAYSIZE(values))];
      break;
    case 1:
      value += fuzz_below(9) - 4;
      break;
    case 2:
      value = fuzz_random();
      break;
    default:
      value ^= UINT64_C(1) << fuzz_below(size * 8);
      break;
  }
  memcpy(data + place, &value, size);
}

// Copies a piece of some seed, or of the file itself, over another place.
static void fuzz_splice(uint8_t* data, size_t length, size_t place) {
  const fuzz_file_t* other = &fuzz_seeds[fuzz_below(fuzz_seed_count)];
  const uint8_t* source = fuzz_below(2) ? other->data : data;
  size_t source_length = source == data ? length : other->length;
  size_t count = 1 + fuzz_below(fuzz_below(2) ? 8 : 64);
  count = iree_min(count, iree_min(source_length, length - place));
  if (count == 0) return;
  size_t from = fuzz_place(other, source_length);
  if (from > source_length - count) from = source_length - count;
  memmove(data + place, source + from, count);
}

// Removes or doubles a few bytes; what follows moves.
static size_t fuzz_shift(uint8_t* data, size_t length, size_t place) {
  size_t count = 1 + fuzz_below(8);
  count = iree_min(count, length - place);
  memmove(data + place, data + place + count, length - place - count);
  if (fuzz_below(2)) return length - count;
  memset(data + length - count, 0, count);
  return length;
}

// Fields of one instruction.
typedef struct fuzz_fields_t {
  uint32_t count;
  char letters[FUZZ_MAX_FIELDS];
  uint32_t offsets[FUZZ_MAX_FIELDS];
} fuzz_fields_t;

static void fuzz_note_field(void* user_data, char letter, uint32_t offset) {
  fuzz_fields_t* fields = (fuzz_fields_t*)user_data;
  if (fields->count == FUZZ_MAX_FIELDS) return;
  fields->letters[fields->count] = letter;
  fields->offsets[fields->count++] = offset;
}

// A register that may stand where |old| does, nearly always.
static uint16_t fuzz_register(const fuzz_function_t* function, char letter,
                              uint16_t old) {
  if (old & IREE_VM_BYTECODE_REF_BIT) {
    uint16_t move = fuzz_below(2) ? IREE_VM_BYTECODE_MOVE_BIT : 0;
    if (letter == 'r') move = 0;
    return (uint16_t)(IREE_VM_BYTECODE_REF_BIT | move |
                      fuzz_below(function->ref_count));
  }
  uint16_t value = (uint16_t)fuzz_below(function->i32_count);
  bool is_even = strchr("lLdD", letter) || (old & 1) == 0;
  return is_even ? (uint16_t)(value & ~1u) : value;
}

static void fuzz_edit_field(uint8_t* code, const fuzz_function_t* function,
                            char letter, uint32_t offset,
                            const uint32_t* blocks, size_t block_count) {
  if (letter == 'j') {
    memcpy(code + offset, &blocks[fuzz_below(block_count)], sizeof(uint32_t));
  } else if (letter == 'c' || letter == 'C') {
    uint32_t value =
        fuzz_below(2) ? (uint32_t)fuzz_below(300) : (uint32_t)fuzz_random();
    memcpy(code + offset, &value, sizeof(value));
  } else if (strchr("gGnotTk", letter)) {
    code[offset] = (uint8_t)(code[offset] + fuzz_below(5) - 2);
  } else if (letter == 'v') {
    code[offset] = (uint8_t)fuzz_below(4);
  } else {
    uint16_t value =
        fuzz_register(function, letter, iree_load_u16(code + offset));
    memcpy(code + offset, &value, sizeof(value));
  }
}

// Another instruction with the same fields, in place of the one at |code|.
static void fuzz_edit_opcode(uint8_t* code, iree_vm_op_t op) {
  for (int i = 0; i < 200; ++i) {
    uint8_t opcode = (uint8_t)fuzz_random();
    iree_vm_op_t other =
        code[0] == IREE_VM_OPCODE_PREFIX_F32   ? iree_vm_op_f32(opcode)
        : code[0] == IREE_VM_OPCODE_PREFIX_F64 ? iree_vm_op_f64(opcode)
                                               : iree_vm_op_core(opcode);
    if (other == IREE_VM_OP_COUNT || other == op ||
        strcmp(iree_vm_op_infos[other].encoding,
               iree_vm_op_infos[op].encoding) != 0) {
      continue;
    }
    code[code[0] >= IREE_VM_OPCODE_PREFIX_F32 ? 1 : 0] = opcode;
    return;
  }
}

// Edits an instruction so that the module has a chance to stay valid.
static void fuzz_edit_instruction(const fuzz_file_t* seed, uint8_t* data,
                                  size_t length) {
  if (seed->function_count == 0) return;
  const fuzz_function_t* function =
      &seed->functions[fuzz_below(seed->function_count)];
  if (function->offset + function->length > length) return;
  const uint8_t* code = seed->data + function->offset;
  uint32_t* starts = (uint32_t*)malloc(function->length * 2 * sizeof(uint32_t));
  uint32_t* blocks = starts + function->length;
  size_t start_count = 0;
  size_t block_count = 0;
  for (uint32_t pc = 0; pc < function->length;) {
    starts[start_count++] = pc;
    uint32_t next = pc;
    iree_vm_op_t op = vm_code_opcode(code, &next);
    if (op == IREE_VM_OP_Block) blocks[block_count++] = pc;
    pc = vm_code_visit(op, code, next, NULL, NULL);
  }
  uint32_t start = starts[fuzz_below(start_count)];
  uint32_t pc = start;
  fuzz_fields_t fields = {0};
  iree_vm_op_t op = vm_code_opcode(code, &pc);
  vm_code_visit(op, code, pc, fuzz_note_field, &fields);
  uint8_t* target = data + function->offset;
  if (fields.count == 0 || fuzz_below(3) == 0) {
    fuzz_edit_opcode(target + start, op);
  } else {
    size_t field = fuzz_below(fields.count);
    fuzz_edit_field(target, function, fields.letters[field],
                    fields.offsets[field], blocks, block_count);
  }
  free(starts);
}

// Writes the mutation to |data|, which has room for the seed, and returns its
// length.
static size_t fuzz_mutate(const fuzz_file_t* seed, uint8_t* data) {
  size_t length = seed->length;
  memcpy(data, seed->data, length);
  size_t edits = 1 + fuzz_below(FUZZ_MAX_EDITS);
  if (fuzz_below(3)) {
    // Edits that keep the shape, and then perhaps one that does not.
    for (size_t i = 0; i < edits; ++i) {
      fuzz_edit_instruction(seed, data, length);
    }
    if (fuzz_below(4)) return length;
    edits = 1;
  }
  for (size_t i = 0; i < edits && length > 0; ++i) {
    size_t place = fuzz_place(seed, length);
    switch (fuzz_below(12)) {
      case 0:
        if (fuzz_below(4) == 0) length = place;
        break;
      case 1:
        length = fuzz_shift(data, length, place);
        break;
      case 2:
      case 3:
        fuzz_splice(data, length, place);
        break;
      case 4:
      case 5:
        data[place] = (uint8_t)fuzz_random();
        break;
      case 6:
        data[place] ^= (uint8_t)(1u << fuzz_below(8));
        break;
      default:
        fuzz_edit_integer(data, length, place);
        break;
    }
  }
  return length;
}

//===----------------------------------------------------------------------===//
// The stub
//===----------------------------------------------------------------------===//
// Stands for the modules that programs import. It has each function that the
// program at hand asks for, with the convention it asks for.

// With --hal: the real module, and the declaration of the function under call.
static bool fuzz_uses_hal;
static fuzz_hal_t fuzz_hal;
static iree_string_view_t fuzz_declaration;

typedef struct fuzz_object_t {
  iree_atomic_ref_count_t ref_count;
} fuzz_object_t;

static void fuzz_object_destroy(void* object) { free(object); }

static const char* const fuzz_type_names[] = {
    "hal.allocator",      "hal.buffer",    "hal.buffer_view",
    "hal.channel",        "hal.device",    "hal.command_buffer",
    "hal.descriptor_set", "hal.event",     "hal.executable",
    "hal.fence",          "hal.semaphore", "hal.file",
    "hal.device.queue",   "hal.devices",   "io.parameters",
};
static iree_vm_ref_type_descriptor_t
    fuzz_type_descriptors[IREE_ARRAYSIZE(fuzz_type_names)];
static iree_vm_ref_type_t fuzz_types[IREE_ARRAYSIZE(fuzz_type_names)];

static iree_status_t fuzz_register_types(iree_vm_instance_t* instance) {
  if (fuzz_uses_hal) {
    return fuzz_hal_initialize(instance, fuzz_below, &fuzz_hal);
  }
  for (size_t i = 0; i < IREE_ARRAYSIZE(fuzz_type_names); ++i) {
    fuzz_type_descriptors[i].destroy = fuzz_object_destroy;
    fuzz_type_descriptors[i].type_name =
        iree_make_cstring_view(fuzz_type_names[i]);
    IREE_RETURN_IF_ERROR(iree_vm_instance_register_type(
        instance, &fuzz_type_descriptors[i], &fuzz_types[i]));
  }
  return iree_ok_status();
}

// A reference of some type, or null.
static iree_vm_ref_t fuzz_make_ref(void) {
  iree_vm_ref_t ref = iree_vm_ref_null();
  if (fuzz_declaration.size && fuzz_below(8)) {
    return fuzz_hal_make_ref(&fuzz_hal, &fuzz_declaration);
  }
  size_t kind = fuzz_below(6);
  if (kind == 0) return ref;
  if (kind == 1) {
    iree_vm_buffer_t* buffer = NULL;
    IREE_IGNORE_ERROR(iree_vm_buffer_create(
        (iree_vm_buffer_access_t)fuzz_below(2), fuzz_below(64), 0,
        iree_allocator_system(), &buffer));
    return iree_vm_buffer_move_ref(buffer);
  }
  if (kind == 2) {
    iree_vm_list_t* list = NULL;
    IREE_IGNORE_ERROR(iree_vm_list_create(iree_vm_make_undefined_type_def(), 4,
                                          iree_allocator_system(), &list));
    return iree_vm_list_move_ref(list);
  }
  if (fuzz_uses_hal) return fuzz_hal_make_ref(&fuzz_hal, &fuzz_declaration);
  fuzz_object_t* object = (fuzz_object_t*)calloc(1, sizeof(*object));
  object->ref_count = 1;
  iree_vm_ref_wrap_assign(
      object, fuzz_types[fuzz_below(IREE_ARRAYSIZE(fuzz_types))], &ref);
  return ref;
}

typedef struct fuzz_stub_t {
  iree_vm_module_t interface;
  // "hal", as in the imports that it answers.
  iree_string_view_t name;
  iree_vm_module_t* program;
} fuzz_stub_t;

static void fuzz_stub_destroy(void* self) { free(self); }
static iree_string_view_t fuzz_stub_name(void* self) {
  return ((fuzz_stub_t*)self)->name;
}
static iree_vm_module_signature_t fuzz_stub_signature(void* self) {
  iree_vm_module_signature_t signature =
      iree_vm_module_signature(((fuzz_stub_t*)self)->program);
  signature.version = UINT32_MAX;
  signature.attr_count = 0;
  signature.export_function_count = signature.import_function_count;
  signature.import_function_count = 0;
  return signature;
}

// Exports have the ordinals of the program's imports.
static iree_status_t fuzz_stub_get_function(
    void* self, iree_vm_function_linkage_t linkage, iree_host_size_t ordinal,
    iree_vm_function_t* out_function, iree_string_view_t* out_name,
    iree_vm_function_signature_t* out_signature) {
  fuzz_stub_t* stub = (fuzz_stub_t*)self;
  (void)linkage;
  IREE_RETURN_IF_ERROR(stub->program->get_function(
      stub->program->self, IREE_VM_FUNCTION_LINKAGE_IMPORT, ordinal,
      out_function, out_name, out_signature));
  if (out_function) {
    out_function->module = &stub->interface;
    out_function->linkage = IREE_VM_FUNCTION_LINKAGE_EXPORT;
  }
  if (out_name) {
    *out_name = iree_string_view_remove_prefix(*out_name, stub->name.size + 1);
  }
  return iree_ok_status();
}

static iree_status_t fuzz_stub_lookup_function(
    void* self, iree_vm_function_linkage_t linkage, iree_string_view_t name,
    const iree_vm_function_signature_t* expected_signature,
    iree_vm_function_t* out_function) {
  fuzz_stub_t* stub = (fuzz_stub_t*)self;
  (void)linkage, (void)expected_signature;
  memset(out_function, 0, sizeof(*out_function));
  iree_vm_module_signature_t signature =
      iree_vm_module_signature(stub->program);
  for (uint32_t i = 0; i < signature.import_function_count; ++i) {
    iree_string_view_t full_name = iree_string_view_empty();
    IREE_RETURN_IF_ERROR(stub->program->get_function(
        stub->program->self, IREE_VM_FUNCTION_LINKAGE_IMPORT, i, NULL,
        &full_name, NULL));
    if (iree_string_view_starts_with(full_name, stub->name) &&
        iree_string_view_equal(
            iree_string_view_remove_prefix(full_name, stub->name.size + 1),
            name)) {
      out_function->module = &stub->interface;
      out_function->linkage = IREE_VM_FUNCTION_LINKAGE_EXPORT;
      out_function->ordinal = i;
      return iree_ok_status();
    }
  }
  return iree_status_from_code(IREE_STATUS_NOT_FOUND);
}

// Writes random values of |letters|.
static void fuzz_write_values(iree_string_view_t letters, uint8_t* cursor) {
  for (iree_host_size_t i = 0; i < letters.size; ++i) {
    switch (letters.data[i]) {
      case 'r':
        iree_cy_vm_write_ref(&cursor, fuzz_make_ref());
        break;
      case 'I':
      case 'F':
        iree_cy_vm_write_i64(&cursor, (int64_t)fuzz_below(100));
        break;
      default:
        iree_cy_vm_write_i32(&cursor, (int32_t)fuzz_below(10));
        break;
    }
  }
}

static iree_status_t fuzz_stub_begin_call(void* self, iree_vm_stack_t* stack,
                                          iree_vm_function_call_t call) {
  (void)stack;
  iree_vm_function_signature_t signature = {iree_string_view_empty()};
  iree_string_view_t arguments;
  iree_string_view_t results;
  IREE_RETURN_IF_ERROR(
      fuzz_stub_get_function(self, IREE_VM_FUNCTION_LINKAGE_EXPORT,
                             call.function.ordinal, NULL, NULL, &signature));
  IREE_RETURN_IF_ERROR(iree_vm_function_call_get_cconv_fragments(
      &signature, &arguments, &results));
  IREE_RETURN_IF_ERROR(iree_cy_vm_cconv_check_storage(
      arguments, iree_const_cast_byte_span(call.arguments)));
  IREE_RETURN_IF_ERROR(iree_cy_vm_cconv_check_storage(
      results, iree_const_cast_byte_span(call.results)));
  fuzz_write_values(results, call.results.data);
  // A failing function may have written results all the same.
  return fuzz_below(16) ? iree_ok_status()
                        : iree_make_status(IREE_STATUS_UNAVAILABLE, "stub");
}

static iree_status_t fuzz_stub_create(iree_string_view_t name,
                                      iree_vm_module_t* program,
                                      iree_vm_module_t** out_module) {
  fuzz_stub_t* stub = (fuzz_stub_t*)calloc(1, sizeof(*stub));
  *out_module = NULL;
  iree_status_t status = iree_vm_module_initialize(&stub->interface, stub);
  if (!iree_status_is_ok(status)) {
    free(stub);
    return status;
  }
  stub->name = name;
  stub->program = program;
  stub->interface.destroy = fuzz_stub_destroy;
  stub->interface.name = fuzz_stub_name;
  stub->interface.signature = fuzz_stub_signature;
  stub->interface.lookup_function = fuzz_stub_lookup_function;
  stub->interface.get_function = fuzz_stub_get_function;
  stub->interface.begin_call = fuzz_stub_begin_call;
  *out_module = &stub->interface;
  return iree_ok_status();
}

//===----------------------------------------------------------------------===//
// One mutation
//===----------------------------------------------------------------------===//

static struct {
  uint64_t loaded;
  uint64_t contexts;
  uint64_t calls;
  uint64_t calls_ok;
} fuzz_counts;

static iree_cy_vm_call_options_t fuzz_call_options(void) {
  iree_cy_vm_call_options_t options = iree_cy_vm_call_options_default();
  if (fuzz_uses_hal)
    options.deadline_ns = iree_time_now() + FUZZ_MAX_WAIT_NANOS;
  return options;
}

static iree_status_t fuzz_make_context(iree_vm_instance_t* instance,
                                       iree_vm_module_t* program,
                                       iree_vm_context_t** out_context) {
  static const char* const names[] = {"hal", "host", "io_parameters"};
  iree_vm_module_t* modules[IREE_ARRAYSIZE(names) + 1] = {NULL};
  iree_cy_vm_limits_t limits = iree_cy_vm_limits_none();
  limits.max_instructions = FUZZ_MAX_INSTRUCTIONS;
  limits.max_call_depth = FUZZ_MAX_CALL_DEPTH;
  limits.max_bytes = FUZZ_MAX_BYTES;
  iree_status_t status = iree_ok_status();
  *out_context = NULL;
  for (size_t i = 0; i < IREE_ARRAYSIZE(names) && iree_status_is_ok(status);
       ++i) {
    if (i == 0 && fuzz_uses_hal) {
      modules[i] = fuzz_hal.module;
      iree_vm_module_retain(fuzz_hal.module);
      continue;
    }
    status = fuzz_stub_create(iree_make_cstring_view(names[i]), program,
                              &modules[i]);
  }
  modules[IREE_ARRAYSIZE(names)] = program;
  if (iree_status_is_ok(status)) {
    const iree_cy_vm_call_options_t options = fuzz_call_options();
    status = iree_cy_vm_context_create(
        instance, IREE_VM_CONTEXT_FLAG_NONE, &limits, &options,
        IREE_ARRAYSIZE(modules), modules, iree_allocator_system(), out_context);
  }
  for (size_t i = 0; i < IREE_ARRAYSIZE(names); ++i) {
    iree_vm_module_release(modules[i]);
  }
  return status;
}

static void fuzz_call(iree_vm_context_t* context, iree_vm_function_t function) {
  iree_vm_function_signature_t signature =
      iree_vm_function_signature(&function);
  iree_string_view_t arguments;
  iree_string_view_t results;
  iree_host_size_t argument_length = 0;
  iree_host_size_t result_length = 0;
  iree_status_t status = iree_vm_function_call_get_cconv_fragments(
      &signature, &arguments, &results);
  if (iree_status_is_ok(status)) {
    status = iree_vm_function_call_compute_cconv_fragment_size(
        arguments, 0, NULL, &argument_length);
  }
  if (iree_status_is_ok(status)) {
    status = iree_vm_function_call_compute_cconv_fragment_size(results, 0, NULL,
                                                               &result_length);
  }
  if (iree_status_is_ok(status)) {
    uint8_t* argument_data = (uint8_t*)calloc(1, argument_length + 1);
    uint8_t* result_data = (uint8_t*)calloc(1, result_length + 1);
    iree_byte_span_t argument_span =
        iree_make_byte_span(argument_data, argument_length);
    iree_byte_span_t result_span =
        iree_make_byte_span(result_data, result_length);
    if (fuzz_uses_hal) {
      fuzz_declaration = iree_vm_function_lookup_attr_by_name(
          &function, IREE_SV("iree.abi.declaration"));
    }
    if (fuzz_below(fuzz_uses_hal ? 16 : 3)) {
      fuzz_write_values(arguments, argument_data);
    }
    fuzz_declaration = iree_string_view_empty();
    ++fuzz_counts.calls;
    const iree_cy_vm_call_options_t options = fuzz_call_options();
    status = iree_cy_vm_context_call(context, function, &options, argument_span,
                                     result_span);
    if (iree_status_is_ok(status)) ++fuzz_counts.calls_ok;
    iree_cy_vm_cconv_release_refs(arguments, argument_span);
    iree_cy_vm_cconv_release_refs(results, result_span);
    free(argument_data);
    free(result_data);
  }
  if (!iree_status_is_ok(status)) {
    char text[256];
    iree_status_format(status, sizeof(text), text);
  }
  iree_status_ignore(status);
}

// Asks the module for everything that it tells about itself.
static void fuzz_query(iree_vm_module_t* module) {
  iree_vm_module_signature_t signature = iree_vm_module_signature(module);
  iree_string_pair_t pair;
  for (iree_host_size_t i = 0; i < iree_min(signature.attr_count, 100); ++i) {
    IREE_IGNORE_ERROR(iree_vm_module_get_attr(module, i, &pair));
  }
  for (iree_host_size_t i = 0; i < signature.export_function_count; ++i) {
    iree_vm_function_t function;
    IREE_IGNORE_ERROR(iree_vm_module_lookup_function_by_ordinal(
        module, IREE_VM_FUNCTION_LINKAGE_EXPORT, i, &function));
    for (iree_host_size_t j = 0; j < 8; ++j) {
      if (!iree_status_is_ok(iree_status_ignore(
              iree_vm_function_get_attr(function, j, &pair)))) {
        break;
      }
    }
  }
}

static void fuzz_run(iree_vm_instance_t* instance,
                     iree_const_byte_span_t contents) {
  const iree_allocator_t no_allocator = {NULL, NULL};
  iree_vm_module_t* module = NULL;
  iree_status_t status = iree_vm_bytecode_module_create(
      instance, IREE_VM_BYTECODE_MODULE_FLAG_NONE, contents, no_allocator,
      iree_allocator_system(), &module);
  iree_vm_context_t* context = NULL;
  if (iree_status_is_ok(status)) {
    ++fuzz_counts.loaded;
    fuzz_query(module);
    status = fuzz_make_context(instance, module, &context);
  }
  if (iree_status_is_ok(status)) {
    ++fuzz_counts.contexts;
    iree_vm_module_signature_t signature = iree_vm_module_signature(module);
    for (iree_host_size_t i = 0;
         i < iree_min(signature.export_function_count, 64); ++i) {
      iree_vm_function_t function;
      iree_status_t lookup_status = iree_vm_module_lookup_function_by_ordinal(
          module, IREE_VM_FUNCTION_LINKAGE_EXPORT, i, &function);
      if (iree_status_is_ok(lookup_status)) fuzz_call(context, function);
      iree_status_ignore(lookup_status);
    }
  }
  iree_vm_context_release(context);
  iree_vm_module_release(module);
  iree_status_ignore(status);
  if (fuzz_uses_hal) fuzz_hal_settle();
}

// Runs mutation |index| of |seed| from memory that ends where the file does.
static bool fuzz_one(iree_vm_instance_t* instance, uint64_t seed_number,
                     uint64_t index, const char* keep_path) {
  fuzz_state = seed_number * UINT64_C(0xD1342543DE82EF95) + index;
  const fuzz_file_t* seed = &fuzz_seeds[fuzz_below(fuzz_seed_count)];
  uint8_t* scratch = (uint8_t*)malloc(seed->length + 1);
  size_t length = fuzz_mutate(seed, scratch);
  if (keep_path) {
    FILE* file = fopen(keep_path, "wb");
    if (file) {
      fwrite(scratch, 1, length, file);
      fclose(file);
    }
  }
  // Mostly at the address that files are mapped to, now and then at an odd one.
  size_t offset = fuzz_below(8) ? 0 : 1 + fuzz_below(15);
  uint8_t* base = (uint8_t*)malloc(offset + length);
  if (base) {
    memcpy(base + offset, scratch, length);
    free(scratch);
    iree_time_t begin = iree_time_now();
    alarm(FUZZ_ALARM_SECONDS);
    fuzz_run(instance, iree_make_const_byte_span(base + offset, length));
    alarm(0);
    free(base);
    if (iree_time_now() - begin < FUZZ_MAX_NANOS) return true;
    printf("error: mutation %" PRIu64 " takes %.1f s\n", index,
           (double)(iree_time_now() - begin) * 1e-9);
    return false;
  }
  free(scratch);
  return true;
}

static bool fuzz_check_leftovers(void) {
  static const iree_cy_object_kind_t kinds[] = {
      IREE_CY_OBJECT_KIND_VM_INSTANCE, IREE_CY_OBJECT_KIND_VM_MODULE,
      IREE_CY_OBJECT_KIND_VM_CONTEXT,  IREE_CY_OBJECT_KIND_VM_LIST,
      IREE_CY_OBJECT_KIND_VM_BUFFER,   IREE_CY_OBJECT_KIND_DEVICE,
      IREE_CY_OBJECT_KIND_BUFFER,      IREE_CY_OBJECT_KIND_BUFFER_VIEW,
      IREE_CY_OBJECT_KIND_EXECUTABLE,  IREE_CY_OBJECT_KIND_COMMAND_BUFFER,
      IREE_CY_OBJECT_KIND_SEMAPHORE,   IREE_CY_OBJECT_KIND_FENCE,
  };
  for (size_t i = 0; i < IREE_ARRAYSIZE(kinds); ++i) {
    int64_t count = iree_cy_live_object_count(kinds[i]);
    if (count != 0) {
      printf("error: %" PRId64 " objects of kind %u are left\n", count,
             kinds[i]);
      return false;
    }
  }
  return true;
}

// The mutation under way, told when a sanitizer ends the program.
static uint64_t fuzz_index;
void __sanitizer_set_death_callback(void (*callback)(void))
    __attribute__((weak));
static void fuzz_on_death(void) {
  fprintf(stderr, "error: mutation %" PRIu64 "\n", fuzz_index);
}

int main(int argc, char** argv) {
  uint64_t seed = 1;
  uint64_t begin = 0;
  uint64_t count = 1000;
  const char* keep_path = NULL;
  for (int i = 1; i < argc; ++i) {
    if (strncmp(argv[i], "--seed=", 7) == 0) {
      seed = strtoull(argv[i] + 7, NULL, 0);
    } else if (strcmp(argv[i], "--hal") == 0) {
      fuzz_uses_hal = true;
    } else if (strncmp(argv[i], "--count=", 8) == 0) {
      count = strtoull(argv[i] + 8, NULL, 0);
    } else if (strncmp(argv[i], "--only=", 7) == 0) {
      begin = strtoull(argv[i] + 7, NULL, 0);
      count = 1;
    } else if (strncmp(argv[i], "--keep=", 7) == 0) {
      keep_path = argv[i] + 7;
    } else if (!fuzz_read_seed(argv[i])) {
      return 2;
    }
  }
  if (fuzz_seed_count == 0) {
    printf("error: no seed files\n");
    return 2;
  }
  if (__sanitizer_set_death_callback) {
    __sanitizer_set_death_callback(fuzz_on_death);
  }
  iree_vm_instance_t* instance = NULL;
  iree_status_t status = iree_vm_instance_create(
      IREE_VM_TYPE_CAPACITY_DEFAULT, iree_allocator_system(), &instance);
  if (iree_status_is_ok(status)) status = fuzz_register_types(instance);
  bool ok = iree_status_is_ok(status);
  iree_status_ignore(status);
  for (uint64_t i = begin; i < begin + count && ok; ++i) {
    fuzz_index = i;
    ok = fuzz_one(instance, seed, i, keep_path);
  }
  fuzz_hal_deinitialize(&fuzz_hal);
  iree_vm_instance_release(instance);
  if (ok) ok = fuzz_check_leftovers();
  printf("%s %" PRIu64 " mutations: %" PRIu64 " loaded, %" PRIu64
         " contexts, %" PRIu64 " calls, %" PRIu64 " of them ok\n",
         ok ? "ok" : "FAIL", count, fuzz_counts.loaded, fuzz_counts.contexts,
         fuzz_counts.calls, fuzz_counts.calls_ok);
  for (size_t i = 0; i < fuzz_seed_count; ++i) {
    free(fuzz_seeds[i].data);
    free(fuzz_seeds[i].functions);
  }
  return ok ? 0 : 1;
}
