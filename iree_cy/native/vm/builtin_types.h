// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the list of types that every instance knows.

#ifndef IREE_CY_NATIVE_VM_BUILTIN_TYPES_H_
#define IREE_CY_NATIVE_VM_BUILTIN_TYPES_H_

#include "iree_cy/vm/ref.h"

extern const iree_vm_ref_type_descriptor_t iree_cy_vm_list_descriptor;
extern const iree_vm_ref_type_descriptor_t iree_cy_vm_buffer_descriptor;

#endif  // IREE_CY_NATIVE_VM_BUILTIN_TYPES_H_
