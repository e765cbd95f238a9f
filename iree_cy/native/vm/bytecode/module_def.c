// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Implements reading of a module's declarations.

#include "iree_cy/native/vm/bytecode/module_def.h"

// Fields of the tables, by index.
enum {
  MODULE_NAME = 0,
  MODULE_VERSION = 1,
  MODULE_REQUIREMENTS = 2,
  MODULE_ATTRIBUTES = 3,
  MODULE_TYPES = 4,
  MODULE_DEPENDENCIES = 5,
  MODULE_IMPORTS = 6,
  MODULE_EXPORTS = 7,
  MODULE_SIGNATURES = 8,
  MODULE_RODATA = 9,
  MODULE_STATE = 11,
  MODULE_DESCRIPTORS = 12,
  MODULE_BYTECODE_VERSION = 13,
  MODULE_BYTECODE_DATA = 14,
  MODULE_DEBUG_DATABASE = 15,

  ATTRIBUTE_KEY = 0,
  ATTRIBUTE_VALUE = 1,
  TYPE_FULL_NAME = 0,
  SIGNATURE_CALLING_CONVENTION = 0,
  SIGNATURE_ATTRIBUTES = 1,
  DEPENDENCY_NAME = 0,
  DEPENDENCY_MINIMUM_VERSION = 1,
  DEPENDENCY_FLAGS = 2,
  IMPORT_FULL_NAME = 0,
  IMPORT_SIGNATURE = 1,
  IMPORT_FLAGS = 2,
  EXPORT_LOCAL_NAME = 0,
  EXPORT_INTERNAL_ORDINAL = 1,
  // The union of compressions takes two fields.
  RODATA_COMPRESSION_KIND = 0,
  RODATA_EMBEDDED_DATA = 2,
  RODATA_EXTERNAL_OFFSET = 3,
  RODATA_EXTERNAL_LENGTH = 4,
  STATE_GLOBAL_BYTES = 0,
  STATE_GLOBAL_REFS = 1,
};

// Compression kinds: none given, or given as none.
enum {
  COMPRESSION_ABSENT = 0,
  COMPRESSION_UNCOMPRESSED = 1,
};

// Offsets in a function descriptor, a struct.
enum {
  DESCRIPTOR_BYTECODE_OFFSET = 0,
  DESCRIPTOR_BYTECODE_LENGTH = 4,
  DESCRIPTOR_REQUIREMENTS = 8,
  DESCRIPTOR_BLOCK_COUNT = 14,
  DESCRIPTOR_I32_REGISTER_COUNT = 16,
  DESCRIPTOR_REF_REGISTER_COUNT = 18,
  DESCRIPTOR_SIZE = 20,
};

// A span that is longer in declaration is refused: calls may give it no
// elements, and checking them must not cost more than their own bytes.
#define IREE_VM_BYTECODE_MAX_SPAN_LETTERS 64

// More globals than any program has, few enough for a file of any size to ask
// for them.
#define IREE_VM_BYTECODE_MAX_GLOBAL_BYTES (256u << 20)
#define IREE_VM_BYTECODE_MAX_GLOBAL_REFS (1u << 20)

// Function ordinals at interfaces are 16 bits.
#define IREE_VM_BYTECODE_MAX_ORDINALS 0xFFFFu

// What reading carries around.
typedef struct iree_vm_bytecode_reader_t {
  iree_const_byte_span_t contents;
  iree_host_size_t rodata_offset;
  iree_flatbuffer_table_t root;
  // Work left before the file counts as malformed: tables may share what they
  // refer to, and reading what is shared again and again must not take more
  // than time proportional to the file.
  uint64_t work_left;
} iree_vm_bytecode_reader_t;

static iree_status_t iree_vm_bytecode_spend(iree_vm_bytecode_reader_t* reader,
                                            uint64_t work) {
  if (work > reader->work_left) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "the module file is malformed: its functions "
                            "overlap or repeat the same long signatures");
  }
  reader->work_left -= work;
  return iree_ok_status();
}

static iree_status_t iree_vm_bytecode_check_fragment(
    iree_string_view_t fragment, bool allow_spans, bool* out_is_variadic) {
  iree_host_size_t span_start = 0;
  bool in_span = false;
  for (iree_host_size_t i = 0; i < fragment.size; ++i) {
    switch (fragment.data[i]) {
      case 'i':
      case 'I':
      case 'f':
      case 'F':
      case 'r':
        continue;
      case 'C':
        if (!allow_spans || in_span) break;
        in_span = true;
        span_start = i;
        *out_is_variadic = true;
        continue;
      case 'D':
        // An empty span would take no values at any count.
        if (!in_span || i == span_start + 1 ||
            i - span_start > IREE_VM_BYTECODE_MAX_SPAN_LETTERS) {
          break;
        }
        in_span = false;
        continue;
      default:
        break;
    }
    in_span = true;
    break;
  }
  if (in_span) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "calling convention '%.*s' is not supported",
                            (int)iree_min(fragment.size, 64), fragment.data);
  }
  return iree_ok_status();
}

static iree_status_t iree_vm_bytecode_read_signature(
    iree_vm_bytecode_reader_t* reader, const iree_flatbuffer_table_t* table,
    bool allow_spans, iree_vm_bytecode_signature_t* out_signature) {
  memset(out_signature, 0, sizeof(*out_signature));
  iree_string_view_t convention;
  IREE_RETURN_IF_ERROR(iree_flatbuffer_read_string(
      table, SIGNATURE_CALLING_CONVENTION, &convention));
  IREE_RETURN_IF_ERROR(iree_vm_bytecode_spend(reader, convention.size));
  out_signature->calling_convention = convention;
  if (iree_string_view_is_empty(convention)) return iree_ok_status();
  if (convention.data[0] != '0') {
    return iree_make_status(IREE_STATUS_UNIMPLEMENTED,
                            "calling convention version '%c' is not supported",
                            convention.data[0]);
  }
  iree_string_view_t body = iree_string_view_remove_prefix(convention, 1);
  const char* separator = memchr(body.data, '_', body.size);
  if (separator) {
    iree_host_size_t size = (iree_host_size_t)(separator - body.data);
    out_signature->arguments = iree_make_string_view(body.data, size);
    out_signature->results = iree_string_view_remove_prefix(body, size + 1);
  } else {
    out_signature->arguments = body;
  }
  if (iree_string_view_equal(out_signature->arguments, IREE_SV("v"))) {
    out_signature->arguments = iree_string_view_empty();
  }
  if (iree_string_view_equal(out_signature->results, IREE_SV("v"))) {
    out_signature->results = iree_string_view_empty();
  }
  IREE_RETURN_IF_ERROR(iree_vm_bytecode_check_fragment(
      out_signature->arguments, allow_spans, &out_signature->is_variadic));
  return iree_vm_bytecode_check_fragment(out_signature->results, false,
                                         &out_signature->is_variadic);
}

// Registers that the values of |fragment| take when they are assigned from 0
// on, 64-bit ones at even ordinals.
static void iree_vm_bytecode_count_registers(iree_string_view_t fragment,
                                             uint64_t* out_i32_count,
                                             uint64_t* out_ref_count) {
  *out_i32_count = 0;
  *out_ref_count = 0;
  for (iree_host_size_t i = 0; i < fragment.size; ++i) {
    switch (fragment.data[i]) {
      case 'i':
      case 'f':
        *out_i32_count += 1;
        break;
      case 'I':
      case 'F':
        *out_i32_count = ((*out_i32_count + 1) & ~(uint64_t)1) + 2;
        break;
      default:
        *out_ref_count += 1;
        break;
    }
  }
}

static iree_status_t iree_vm_bytecode_read_function(
    iree_vm_bytecode_reader_t* reader, const uint8_t* descriptor,
    const iree_flatbuffer_vector_t* bytecode,
    iree_vm_bytecode_function_def_t* function) {
  uint32_t offset = iree_load_u32(descriptor + DESCRIPTOR_BYTECODE_OFFSET);
  uint32_t length = iree_load_u32(descriptor + DESCRIPTOR_BYTECODE_LENGTH);
  if (length == 0 || offset > bytecode->count ||
      length > bytecode->count - offset) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "its code (%u bytes at %u) is not inside the "
                            "module's code (%u bytes)",
                            length, offset, bytecode->count);
  }
  IREE_RETURN_IF_ERROR(iree_vm_bytecode_spend(reader, length));
  function->bytecode = bytecode->data + offset;
  function->bytecode_length = length;
  function->requirements = iree_load_u32(descriptor + DESCRIPTOR_REQUIREMENTS);
  function->block_count = iree_load_u16(descriptor + DESCRIPTOR_BLOCK_COUNT);
  uint16_t i32_count =
      iree_load_u16(descriptor + DESCRIPTOR_I32_REGISTER_COUNT);
  uint16_t ref_count =
      iree_load_u16(descriptor + DESCRIPTOR_REF_REGISTER_COUNT);
  if (i32_count >= IREE_VM_BYTECODE_REF_BIT ||
      ref_count > IREE_VM_BYTECODE_REF_MASK) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "it has too many registers (%u and %u refs)",
                            i32_count, ref_count);
  }
  function->i32_register_count = (uint16_t)((i32_count + 1u) & ~1u);
  function->ref_register_count = ref_count;
  uint64_t i32_arguments = 0;
  uint64_t ref_arguments = 0;
  iree_vm_bytecode_count_registers(function->signature.arguments,
                                   &i32_arguments, &ref_arguments);
  if (i32_arguments > function->i32_register_count ||
      ref_arguments > function->ref_register_count) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "its arguments do not fit its registers");
  }
  return iree_ok_status();
}

static iree_status_t iree_vm_bytecode_read_functions(
    iree_vm_bytecode_reader_t* reader,
    const iree_flatbuffer_vector_t* descriptors,
    const iree_flatbuffer_vector_t* signatures,
    iree_vm_bytecode_module_def_t* module_def) {
  iree_flatbuffer_vector_t bytecode;
  IREE_RETURN_IF_ERROR(iree_flatbuffer_read_vector(
      &reader->root, MODULE_BYTECODE_DATA, 1, &bytecode));
  for (uint32_t i = 0; i < descriptors->count; ++i) {
    iree_vm_bytecode_function_def_t* function = &module_def->functions[i];
    iree_flatbuffer_table_t table;
    IREE_RETURN_IF_ERROR(iree_flatbuffer_vector_table(signatures, i, &table));
    IREE_RETURN_IF_ERROR(iree_flatbuffer_read_vector(
        &table, SIGNATURE_ATTRIBUTES, sizeof(uint32_t), &function->attributes));
    iree_status_t status = iree_vm_bytecode_read_signature(
        reader, &table, false, &function->signature);
    if (iree_status_is_ok(status)) {
      status = iree_vm_bytecode_read_function(
          reader, descriptors->data + (size_t)i * DESCRIPTOR_SIZE, &bytecode,
          function);
    }
    if (!iree_status_is_ok(status)) {
      return iree_status_annotate_f(status, "in function %u", i);
    }
  }
  return iree_ok_status();
}

static iree_status_t iree_vm_bytecode_read_imports(
    iree_vm_bytecode_reader_t* reader, const iree_flatbuffer_vector_t* vector,
    iree_vm_bytecode_module_def_t* module_def) {
  for (uint32_t i = 0; i < vector->count; ++i) {
    iree_vm_bytecode_import_def_t* import = &module_def->imports[i];
    iree_flatbuffer_table_t table;
    iree_flatbuffer_table_t signature;
    IREE_RETURN_IF_ERROR(iree_flatbuffer_vector_table(vector, i, &table));
    IREE_RETURN_IF_ERROR(iree_flatbuffer_read_string(&table, IMPORT_FULL_NAME,
                                                     &import->full_name));
    IREE_RETURN_IF_ERROR(
        iree_flatbuffer_read_table(&table, IMPORT_SIGNATURE, &signature));
    IREE_RETURN_IF_ERROR(iree_flatbuffer_read_u32(
        &table, IMPORT_FLAGS, IREE_VM_BYTECODE_IMPORT_REQUIRED,
        &import->flags));
    if (iree_string_view_is_empty(import->full_name)) {
      return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                              "import %u of the module has no name", i);
    }
    iree_status_t status = iree_vm_bytecode_read_signature(
        reader, &signature, true, &import->signature);
    if (!iree_status_is_ok(status)) {
      return iree_status_annotate_f(status, "in import '%.*s'",
                                    IREE_SV_ARG(import->full_name));
    }
  }
  return iree_ok_status();
}

static iree_status_t iree_vm_bytecode_read_exports(
    const iree_flatbuffer_vector_t* vector,
    iree_vm_bytecode_module_def_t* module_def) {
  for (uint32_t i = 0; i < vector->count; ++i) {
    iree_vm_bytecode_export_def_t* export_def = &module_def->exports[i];
    iree_flatbuffer_table_t table;
    IREE_RETURN_IF_ERROR(iree_flatbuffer_vector_table(vector, i, &table));
    IREE_RETURN_IF_ERROR(iree_flatbuffer_read_string(&table, EXPORT_LOCAL_NAME,
                                                     &export_def->local_name));
    IREE_RETURN_IF_ERROR(iree_flatbuffer_read_u32(
        &table, EXPORT_INTERNAL_ORDINAL, 0, &export_def->internal_ordinal));
    if (iree_string_view_is_empty(export_def->local_name) ||
        export_def->internal_ordinal >= module_def->function_count) {
      return iree_make_status(
          IREE_STATUS_INVALID_ARGUMENT,
          "export %u of the module ('%.*s') is of function %u, of %" PRIhsz, i,
          (int)iree_min(export_def->local_name.size, 64),
          export_def->local_name.data ? export_def->local_name.data : "",
          export_def->internal_ordinal, module_def->function_count);
    }
  }
  return iree_ok_status();
}

static iree_status_t iree_vm_bytecode_read_dependencies(
    const iree_flatbuffer_vector_t* vector,
    iree_vm_bytecode_module_def_t* module_def) {
  for (uint32_t i = 0; i < vector->count; ++i) {
    iree_vm_bytecode_dependency_def_t* dependency =
        &module_def->dependencies[i];
    iree_flatbuffer_table_t table;
    IREE_RETURN_IF_ERROR(iree_flatbuffer_vector_table(vector, i, &table));
    IREE_RETURN_IF_ERROR(iree_flatbuffer_read_string(&table, DEPENDENCY_NAME,
                                                     &dependency->name));
    IREE_RETURN_IF_ERROR(iree_flatbuffer_read_u32(
        &table, DEPENDENCY_MINIMUM_VERSION, 0, &dependency->minimum_version));
    IREE_RETURN_IF_ERROR(iree_flatbuffer_read_u32(
        &table, DEPENDENCY_FLAGS, IREE_VM_BYTECODE_IMPORT_REQUIRED,
        &dependency->flags));
    if (iree_string_view_is_empty(dependency->name)) {
      return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                              "dependency %u of the module has no name", i);
    }
  }
  return iree_ok_status();
}

static iree_status_t iree_vm_bytecode_read_types(
    const iree_flatbuffer_vector_t* vector,
    iree_vm_bytecode_module_def_t* module_def) {
  for (uint32_t i = 0; i < vector->count; ++i) {
    iree_flatbuffer_table_t table;
    IREE_RETURN_IF_ERROR(iree_flatbuffer_vector_table(vector, i, &table));
    IREE_RETURN_IF_ERROR(iree_flatbuffer_read_string(&table, TYPE_FULL_NAME,
                                                     &module_def->types[i]));
  }
  return iree_ok_status();
}

static iree_status_t iree_vm_bytecode_read_constant(
    const iree_vm_bytecode_reader_t* reader,
    const iree_flatbuffer_table_t* table, iree_const_byte_span_t* out_span) {
  uint8_t compression = COMPRESSION_ABSENT;
  IREE_RETURN_IF_ERROR(iree_flatbuffer_read_u8(
      table, RODATA_COMPRESSION_KIND, COMPRESSION_ABSENT, &compression));
  if (compression != COMPRESSION_ABSENT &&
      compression != COMPRESSION_UNCOMPRESSED) {
    return iree_make_status(IREE_STATUS_UNIMPLEMENTED,
                            "compression %u is not supported", compression);
  }
  if (iree_flatbuffer_has(table, RODATA_EMBEDDED_DATA)) {
    iree_flatbuffer_vector_t vector;
    IREE_RETURN_IF_ERROR(
        iree_flatbuffer_read_vector(table, RODATA_EMBEDDED_DATA, 1, &vector));
    *out_span = iree_make_const_byte_span(vector.data, vector.count);
    return iree_ok_status();
  }
  uint64_t offset = 0;
  uint64_t length = 0;
  IREE_RETURN_IF_ERROR(
      iree_flatbuffer_read_u64(table, RODATA_EXTERNAL_OFFSET, 0, &offset));
  IREE_RETURN_IF_ERROR(
      iree_flatbuffer_read_u64(table, RODATA_EXTERNAL_LENGTH, 0, &length));
  iree_host_size_t file_length = reader->contents.data_length;
  iree_host_size_t available = file_length > reader->rodata_offset
                                   ? file_length - reader->rodata_offset
                                   : 0;
  if (offset > available || length > available - offset) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "%" PRIu64 " bytes at %" PRIu64
                            " after the declarations, where %" PRIhsz
                            " bytes are; the file is cut off or corrupt",
                            length, offset, available);
  }
  *out_span = iree_make_const_byte_span(
      length ? reader->contents.data + reader->rodata_offset + offset : NULL,
      (iree_host_size_t)length);
  return iree_ok_status();
}

static iree_status_t iree_vm_bytecode_read_constants(
    const iree_vm_bytecode_reader_t* reader,
    const iree_flatbuffer_vector_t* vector,
    iree_vm_bytecode_module_def_t* module_def) {
  for (uint32_t i = 0; i < vector->count; ++i) {
    iree_flatbuffer_table_t table;
    IREE_RETURN_IF_ERROR(iree_flatbuffer_vector_table(vector, i, &table));
    iree_status_t status =
        iree_vm_bytecode_read_constant(reader, &table, &module_def->rodata[i]);
    if (!iree_status_is_ok(status)) {
      return iree_status_annotate_f(status, "in constant %u", i);
    }
  }
  return iree_ok_status();
}

static iree_status_t iree_vm_bytecode_read_state(
    const iree_vm_bytecode_reader_t* reader,
    iree_vm_bytecode_module_def_t* module_def) {
  iree_flatbuffer_table_t table;
  IREE_RETURN_IF_ERROR(
      iree_flatbuffer_read_table(&reader->root, MODULE_STATE, &table));
  uint32_t byte_count = 0;
  uint32_t ref_count = 0;
  IREE_RETURN_IF_ERROR(
      iree_flatbuffer_read_u32(&table, STATE_GLOBAL_BYTES, 0, &byte_count));
  IREE_RETURN_IF_ERROR(
      iree_flatbuffer_read_u32(&table, STATE_GLOBAL_REFS, 0, &ref_count));
  if (byte_count > IREE_VM_BYTECODE_MAX_GLOBAL_BYTES ||
      ref_count > IREE_VM_BYTECODE_MAX_GLOBAL_REFS) {
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "the module has too many globals (%u bytes, %u refs; at most %u and "
        "%u)",
        byte_count, ref_count, IREE_VM_BYTECODE_MAX_GLOBAL_BYTES,
        IREE_VM_BYTECODE_MAX_GLOBAL_REFS);
  }
  module_def->global_bytes_capacity = byte_count;
  module_def->global_ref_count = ref_count;
  return iree_ok_status();
}

// Checks what decides whether anything else can be read.
static iree_status_t iree_vm_bytecode_check_version(
    const iree_flatbuffer_table_t* root) {
  uint32_t version = 0;
  IREE_RETURN_IF_ERROR(
      iree_flatbuffer_read_u32(root, MODULE_BYTECODE_VERSION, 0, &version));
  if (version >> 16 != IREE_VM_BYTECODE_VERSION_MAJOR ||
      (version & 0xFFFF) > IREE_VM_BYTECODE_VERSION_MINOR) {
    return iree_make_status(
        IREE_STATUS_INCOMPATIBLE,
        "the module has VM bytecode version %u.%u, this runtime executes %d.%d;"
        " compile it with the matching compiler",
        version >> 16, version & 0xFFFF, IREE_VM_BYTECODE_VERSION_MAJOR,
        IREE_VM_BYTECODE_VERSION_MINOR);
  }
  uint32_t requirements = 0;
  IREE_RETURN_IF_ERROR(
      iree_flatbuffer_read_u32(root, MODULE_REQUIREMENTS, 0, &requirements));
  if (requirements & ~(uint32_t)IREE_VM_BYTECODE_FEATURES_AVAILABLE) {
    return iree_make_status(
        IREE_STATUS_INCOMPATIBLE,
        "the module requires VM features 0x%X, this runtime has 0x%X",
        requirements, IREE_VM_BYTECODE_FEATURES_AVAILABLE);
  }
  return iree_ok_status();
}

// Reserves |count| elements of |element_size| bytes in a layout of |*size|
// bytes so far. Counts come from vectors inside the file, so the sum cannot
// overflow.
static iree_host_size_t iree_vm_bytecode_reserve(iree_host_size_t count,
                                                 iree_host_size_t element_size,
                                                 iree_host_size_t* size) {
  iree_host_size_t offset = *size;
  *size = iree_host_align(offset + count * element_size, sizeof(uint64_t));
  return offset;
}

static iree_status_t iree_vm_bytecode_read_module(
    iree_vm_bytecode_reader_t* reader, iree_allocator_t allocator,
    iree_vm_bytecode_module_def_t* module_def) {
  const iree_flatbuffer_table_t* root = &reader->root;
  iree_flatbuffer_vector_t types, dependencies, imports, exports, signatures,
      rodata, descriptors;
  const struct {
    uint16_t field;
    uint32_t element_size;
    iree_flatbuffer_vector_t* vector;
  } vectors[] = {
      {MODULE_ATTRIBUTES, sizeof(uint32_t), &module_def->attributes},
      {MODULE_TYPES, sizeof(uint32_t), &types},
      {MODULE_DEPENDENCIES, sizeof(uint32_t), &dependencies},
      {MODULE_IMPORTS, sizeof(uint32_t), &imports},
      {MODULE_EXPORTS, sizeof(uint32_t), &exports},
      {MODULE_SIGNATURES, sizeof(uint32_t), &signatures},
      {MODULE_RODATA, sizeof(uint32_t), &rodata},
      {MODULE_DESCRIPTORS, DESCRIPTOR_SIZE, &descriptors},
  };
  for (size_t i = 0; i < IREE_ARRAYSIZE(vectors); ++i) {
    IREE_RETURN_IF_ERROR(iree_flatbuffer_read_vector(
        root, vectors[i].field, vectors[i].element_size, vectors[i].vector));
  }
  if (signatures.count != descriptors.count) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "the module has %u functions and %u signatures",
                            descriptors.count, signatures.count);
  }
  if (descriptors.count > IREE_VM_BYTECODE_MAX_ORDINALS ||
      imports.count > IREE_VM_BYTECODE_MAX_ORDINALS ||
      exports.count > IREE_VM_BYTECODE_MAX_ORDINALS) {
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "the module has too many functions (%u, imports %u, exports %u; at "
        "most %u of each)",
        descriptors.count, imports.count, exports.count,
        IREE_VM_BYTECODE_MAX_ORDINALS);
  }

  iree_host_size_t size = 0;
  iree_host_size_t functions_offset = iree_vm_bytecode_reserve(
      descriptors.count, sizeof(*module_def->functions), &size);
  iree_host_size_t imports_offset = iree_vm_bytecode_reserve(
      imports.count, sizeof(*module_def->imports), &size);
  iree_host_size_t exports_offset = iree_vm_bytecode_reserve(
      exports.count, sizeof(*module_def->exports), &size);
  iree_host_size_t dependencies_offset = iree_vm_bytecode_reserve(
      dependencies.count, sizeof(*module_def->dependencies), &size);
  iree_host_size_t types_offset =
      iree_vm_bytecode_reserve(types.count, sizeof(*module_def->types), &size);
  iree_host_size_t rodata_offset = iree_vm_bytecode_reserve(
      rodata.count, sizeof(*module_def->rodata), &size);
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc(allocator, size, &module_def->storage));
  uint8_t* base = (uint8_t*)module_def->storage;
  module_def->function_count = descriptors.count;
  module_def->functions =
      (iree_vm_bytecode_function_def_t*)(base + functions_offset);
  module_def->import_count = imports.count;
  module_def->imports = (iree_vm_bytecode_import_def_t*)(base + imports_offset);
  module_def->export_count = exports.count;
  module_def->exports = (iree_vm_bytecode_export_def_t*)(base + exports_offset);
  module_def->dependency_count = dependencies.count;
  module_def->dependencies =
      (iree_vm_bytecode_dependency_def_t*)(base + dependencies_offset);
  module_def->type_count = types.count;
  module_def->types = (iree_string_view_t*)(base + types_offset);
  module_def->rodata_count = rodata.count;
  module_def->rodata = (iree_const_byte_span_t*)(base + rodata_offset);

  IREE_RETURN_IF_ERROR(iree_vm_bytecode_read_functions(
      reader, &descriptors, &signatures, module_def));
  IREE_RETURN_IF_ERROR(
      iree_vm_bytecode_read_imports(reader, &imports, module_def));
  IREE_RETURN_IF_ERROR(iree_vm_bytecode_read_exports(&exports, module_def));
  IREE_RETURN_IF_ERROR(
      iree_vm_bytecode_read_dependencies(&dependencies, module_def));
  IREE_RETURN_IF_ERROR(iree_vm_bytecode_read_types(&types, module_def));
  IREE_RETURN_IF_ERROR(
      iree_vm_bytecode_read_constants(reader, &rodata, module_def));
  IREE_RETURN_IF_ERROR(iree_vm_bytecode_read_state(reader, module_def));
  return iree_flatbuffer_read_table(root, MODULE_DEBUG_DATABASE,
                                    &module_def->debug_database);
}

iree_status_t iree_vm_bytecode_module_def_initialize(
    iree_const_byte_span_t contents, iree_allocator_t allocator,
    iree_vm_bytecode_module_def_t* out_module_def) {
  memset(out_module_def, 0, sizeof(*out_module_def));
  iree_vm_bytecode_archive_t archive;
  IREE_RETURN_IF_ERROR(iree_vm_bytecode_archive_parse(contents, &archive));
  iree_vm_bytecode_reader_t reader = {
      .contents = contents,
      .rodata_offset = archive.rodata_offset,
      // Honest files need less than once their size.
      .work_left = 8 * (uint64_t)contents.data_length,
  };
  IREE_RETURN_IF_ERROR(
      iree_flatbuffer_root(archive.flatbuffer, "IREE", &reader.root));
  IREE_RETURN_IF_ERROR(iree_vm_bytecode_check_version(&reader.root));
  IREE_RETURN_IF_ERROR(iree_flatbuffer_read_string(&reader.root, MODULE_NAME,
                                                   &out_module_def->name));
  if (iree_string_view_is_empty(out_module_def->name)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "the module has no name");
  }
  IREE_RETURN_IF_ERROR(iree_flatbuffer_read_u32(&reader.root, MODULE_VERSION, 0,
                                                &out_module_def->version));
  iree_status_t status =
      iree_vm_bytecode_read_module(&reader, allocator, out_module_def);
  if (!iree_status_is_ok(status)) {
    iree_vm_bytecode_module_def_deinitialize(out_module_def, allocator);
  }
  return status;
}

void iree_vm_bytecode_module_def_deinitialize(
    iree_vm_bytecode_module_def_t* module_def, iree_allocator_t allocator) {
  iree_allocator_free(allocator, module_def->storage);
  memset(module_def, 0, sizeof(*module_def));
}

iree_status_t iree_vm_bytecode_attribute_at(
    const iree_flatbuffer_vector_t* attributes, iree_host_size_t index,
    iree_string_pair_t* out_attribute) {
  memset(out_attribute, 0, sizeof(*out_attribute));
  if (index >= attributes->count) {
    return iree_status_from_code(IREE_STATUS_OUT_OF_RANGE);
  }
  iree_flatbuffer_table_t table;
  IREE_RETURN_IF_ERROR(
      iree_flatbuffer_vector_table(attributes, (uint32_t)index, &table));
  IREE_RETURN_IF_ERROR(
      iree_flatbuffer_read_string(&table, ATTRIBUTE_KEY, &out_attribute->key));
  return iree_flatbuffer_read_string(&table, ATTRIBUTE_VALUE,
                                     &out_attribute->value);
}
