// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the debug database of a module: names of functions and where their code
// comes from.

#ifndef IREE_CY_NATIVE_VM_BYTECODE_DEBUG_INFO_H_
#define IREE_CY_NATIVE_VM_BYTECODE_DEBUG_INFO_H_

#include "iree_cy/native/vm/bytecode/module_def.h"

// The database is read only when something is asked, and nothing has checked it
// before: what is absent or malformed is not known.

// The name of function |ordinal|, borrowed: that of its export, else that in
// the source, else empty.
iree_string_view_t iree_vm_bytecode_debug_function_name(
    const iree_vm_bytecode_module_def_t* module_def, uint32_t ordinal);

// Appends the source location of the instruction at |bytecode_offset| of
// function |ordinal| ("model.mlir:12:3"); NOT_FOUND when not known.
iree_status_t iree_vm_bytecode_debug_location(
    const iree_vm_bytecode_module_def_t* module_def, uint32_t ordinal,
    uint32_t bytecode_offset, iree_string_builder_t* builder);

#endif  // IREE_CY_NATIVE_VM_BYTECODE_DEBUG_INFO_H_
