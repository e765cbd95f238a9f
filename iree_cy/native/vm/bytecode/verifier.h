// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns verification of code.

#ifndef IREE_CY_NATIVE_VM_BYTECODE_VERIFIER_H_
#define IREE_CY_NATIVE_VM_BYTECODE_VERIFIER_H_

#include "iree_cy/native/vm/bytecode/module_impl.h"

// Checks the code of every function of |module|, whose declarations and types
// are read: instructions and their ends, registers by kind and number, branch
// targets, types, ordinals of functions, globals and constants, the registers
// of calls and returns against the calling conventions, and that every block
// ends. What passes can be executed with checks on run-time values only.
// INVALID_ARGUMENT says what is wrong and where. Time is proportional to the
// code. Says whether any function but |init_ordinal| may change a global.
iree_status_t iree_vm_bytecode_verify(const iree_vm_bytecode_module_t* module,
                                      uint32_t init_ordinal,
                                      iree_allocator_t scratch_allocator,
                                      bool* out_changes_globals);

#endif  // IREE_CY_NATIVE_VM_BYTECODE_VERIFIER_H_
