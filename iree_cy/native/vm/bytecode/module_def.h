// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what a module file declares, read out of its FlatBuffer once: functions,
// imports, exports, constants, state, dependencies.

#ifndef IREE_CY_NATIVE_VM_BYTECODE_MODULE_DEF_H_
#define IREE_CY_NATIVE_VM_BYTECODE_MODULE_DEF_H_

#include "iree_cy/native/vm/bytecode/archive.h"
#include "iree_cy/native/vm/bytecode/flatbuffer.h"

// The bytecode that this runtime executes.
#define IREE_VM_BYTECODE_VERSION_MAJOR 17
#define IREE_VM_BYTECODE_VERSION_MINOR 0

// What code may require of a runtime. All of it is here.
enum iree_vm_bytecode_feature_bits_e {
  IREE_VM_BYTECODE_FEATURE_EXT_F32 = 1u << 0,
  IREE_VM_BYTECODE_FEATURE_EXT_F64 = 1u << 1,
  IREE_VM_BYTECODE_FEATURE_YIELD = 1u << 2,
  IREE_VM_BYTECODE_FEATURE_UNWIND = 1u << 3,
  IREE_VM_BYTECODE_FEATURES_AVAILABLE = 0xF,
};

// Flags of imports and dependencies.
enum iree_vm_bytecode_import_bits_e {
  IREE_VM_BYTECODE_IMPORT_REQUIRED = 1u << 0,
  IREE_VM_BYTECODE_IMPORT_OPTIONAL = 1u << 1,
};

// Bits of a register in the code.
#define IREE_VM_BYTECODE_REF_BIT 0x8000u
#define IREE_VM_BYTECODE_MOVE_BIT 0x4000u
#define IREE_VM_BYTECODE_REF_MASK 0x3FFFu
// Bit of a function ordinal that makes it one of an import.
#define IREE_VM_BYTECODE_IMPORT_BIT 0x80000000u

// A calling convention ("0iI_r") in parts. Each part has one letter for each
// value (i I f F r); a part with nothing is empty. Arguments of imports may
// have spans: C, letters, D, repeated as often as the caller says.
typedef struct iree_vm_bytecode_signature_t {
  iree_string_view_t calling_convention;
  iree_string_view_t arguments;
  iree_string_view_t results;
  bool is_variadic;
} iree_vm_bytecode_signature_t;

// A function with code in this module.
typedef struct iree_vm_bytecode_function_def_t {
  const uint8_t* bytecode;
  uint32_t bytecode_length;
  uint32_t requirements;
  uint16_t block_count;
  // Even, so that the last 64-bit register has both halves.
  uint16_t i32_register_count;
  uint16_t ref_register_count;
  iree_vm_bytecode_signature_t signature;
  iree_flatbuffer_vector_t attributes;
} iree_vm_bytecode_function_def_t;

typedef struct iree_vm_bytecode_import_def_t {
  // "hal.device.allocator".
  iree_string_view_t full_name;
  iree_vm_bytecode_signature_t signature;
  uint32_t flags;
} iree_vm_bytecode_import_def_t;

typedef struct iree_vm_bytecode_export_def_t {
  iree_string_view_t local_name;
  uint32_t internal_ordinal;
} iree_vm_bytecode_export_def_t;

typedef struct iree_vm_bytecode_dependency_def_t {
  iree_string_view_t name;
  uint32_t minimum_version;
  uint32_t flags;
} iree_vm_bytecode_dependency_def_t;

// All views are into the contents it was read from.
typedef struct iree_vm_bytecode_module_def_t {
  iree_string_view_t name;
  uint32_t version;
  iree_flatbuffer_vector_t attributes;
  iree_host_size_t type_count;
  iree_string_view_t* types;
  iree_host_size_t dependency_count;
  iree_vm_bytecode_dependency_def_t* dependencies;
  iree_host_size_t import_count;
  iree_vm_bytecode_import_def_t* imports;
  iree_host_size_t export_count;
  iree_vm_bytecode_export_def_t* exports;
  iree_host_size_t function_count;
  iree_vm_bytecode_function_def_t* functions;
  iree_host_size_t rodata_count;
  iree_const_byte_span_t* rodata;
  iree_host_size_t global_bytes_capacity;
  iree_host_size_t global_ref_count;
  iree_flatbuffer_table_t debug_database;
  // What the arrays above lie in.
  void* storage;
} iree_vm_bytecode_module_def_t;

// Reads and checks all declarations of |contents|, in time proportional to
// their number; reads no code and no constant. Fails with INVALID_ARGUMENT on
// what is malformed and with INCOMPATIBLE on a bytecode version or feature
// that this runtime has not, naming both sides.
iree_status_t iree_vm_bytecode_module_def_initialize(
    iree_const_byte_span_t contents, iree_allocator_t allocator,
    iree_vm_bytecode_module_def_t* out_module_def);
void iree_vm_bytecode_module_def_deinitialize(
    iree_vm_bytecode_module_def_t* module_def, iree_allocator_t allocator);

// The reflection attribute at |index| of a vector of attributes; OUT_OF_RANGE
// past the last.
iree_status_t iree_vm_bytecode_attribute_at(
    const iree_flatbuffer_vector_t* attributes, iree_host_size_t index,
    iree_string_pair_t* out_attribute);

#endif  // IREE_CY_NATIVE_VM_BYTECODE_MODULE_DEF_H_
