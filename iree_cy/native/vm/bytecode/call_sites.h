// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns finding the calls of imports in a module and the constants that they
// pass, without running anything.

#ifndef IREE_CY_NATIVE_VM_BYTECODE_CALL_SITES_H_
#define IREE_CY_NATIVE_VM_BYTECODE_CALL_SITES_H_

#include "iree_cy/native/vm/bytecode/module_impl.h"

// What a reference holds: the ordinal of a constant of the module, or one of
// these.
#define IREE_VM_BYTECODE_REFERENCE_UNKNOWN 0xFFFFFFFFu
#define IREE_VM_BYTECODE_REFERENCE_NULL 0xFFFFFFFEu

typedef struct iree_vm_bytecode_call_t {
  const iree_vm_bytecode_import_def_t* import;
  // The references among the arguments, in order.
  iree_host_size_t reference_count;
  const uint32_t* references;
} iree_vm_bytecode_call_t;

typedef iree_status_t (*iree_vm_bytecode_call_fn_t)(
    void* user_data, const iree_vm_bytecode_call_t* call);

// Calls |fn| for each call of an import that the code can come to, function by
// function. A reference is known when it is the same on all ways that lead to
// the call. INVALID_ARGUMENT when |module| is no bytecode module.
iree_status_t iree_vm_bytecode_visit_calls(iree_vm_module_t* module,
                                           iree_vm_bytecode_call_fn_t fn,
                                           void* user_data);

// Constant |ordinal| of a bytecode module, in its contents.
iree_status_t iree_vm_bytecode_module_constant(
    iree_vm_module_t* module, iree_host_size_t ordinal,
    iree_const_byte_span_t* out_contents);

#endif  // IREE_CY_NATIVE_VM_BYTECODE_CALL_SITES_H_
