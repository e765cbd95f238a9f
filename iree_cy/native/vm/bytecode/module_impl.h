// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the structs of bytecode modules and of their state in a context.

#ifndef IREE_CY_NATIVE_VM_BYTECODE_MODULE_IMPL_H_
#define IREE_CY_NATIVE_VM_BYTECODE_MODULE_IMPL_H_

#include "iree_cy/native/vm/bytecode/module_def.h"
#include "iree_cy/vm/api.h"

// A function in the form that the interpreter executes (decoder.h).
typedef struct iree_vm_bytecode_code_t iree_vm_bytecode_code_t;

#define IREE_VM_BYTECODE_NO_FUNCTION UINT32_MAX

typedef struct iree_vm_bytecode_module_t {
  iree_vm_module_t interface;
  iree_allocator_t allocator;
  // The file, and what frees it; ctl NULL when it is the caller's.
  iree_const_byte_span_t contents;
  iree_allocator_t contents_allocator;
  // Aligned copy that the contents are then, or NULL.
  void* copied_contents;
  iree_vm_bytecode_module_def_t def;
  // Resolved types, one for each of the module's.
  iree_vm_type_def_t* types;
  // The function behind "__init" when nothing else leads to it, else
  // IREE_VM_BYTECODE_NO_FUNCTION.
  uint32_t init_ordinal;
  // Whether code other than that function's may change a global.
  bool changes_globals;
  // Code of each function, NULL until it is first called. Set once, with
  // release order, by whichever thread is first.
  iree_vm_bytecode_code_t** codes;
} iree_vm_bytecode_module_t;

// INVALID_ARGUMENT when |base_module| is of another kind.
iree_status_t iree_vm_bytecode_module_of(
    iree_vm_module_t* base_module,
    const iree_vm_bytecode_module_t** out_module);

// An import as the context resolved it. |function.module| is NULL when an
// optional one is absent.
typedef struct iree_vm_bytecode_import_t {
  iree_vm_function_t function;
  iree_vm_module_state_t* target_state;
} iree_vm_bytecode_import_t;

typedef struct iree_vm_bytecode_state_t {
  iree_allocator_t allocator;
  // Whether __init was called.
  bool is_initialized;
  iree_host_size_t global_bytes_capacity;
  iree_host_size_t global_ref_count;
  uint8_t* global_bytes;
  iree_vm_ref_t* global_refs;
  iree_vm_bytecode_import_t* imports;
  // A buffer over each constant, NULL until it is first asked for. Here and not
  // in the module, because each keeps the module.
  iree_vm_buffer_t** rodata;
} iree_vm_bytecode_state_t;

#endif  // IREE_CY_NATIVE_VM_BYTECODE_MODULE_IMPL_H_
