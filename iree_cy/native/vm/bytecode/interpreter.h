// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns execution of bytecode.

#ifndef IREE_CY_NATIVE_VM_BYTECODE_INTERPRETER_H_
#define IREE_CY_NATIVE_VM_BYTECODE_INTERPRETER_H_

#include "iree_cy/native/vm/bytecode/module_impl.h"

// Runs |call| of function |ordinal| of |module| to its end. On failure the
// status has a line for each frame, and all frames have left.
iree_status_t iree_vm_bytecode_interpret(iree_vm_bytecode_module_t* module,
                                         iree_vm_stack_t* stack,
                                         uint32_t ordinal,
                                         const iree_vm_function_call_t* call);

#endif  // IREE_CY_NATIVE_VM_BYTECODE_INTERPRETER_H_
