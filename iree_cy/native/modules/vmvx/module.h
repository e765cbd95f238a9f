// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the vmvx module: the kernels that programs compiled for vmvx import.

#ifndef IREE_CY_NATIVE_MODULES_VMVX_MODULE_H_
#define IREE_CY_NATIVE_MODULES_VMVX_MODULE_H_

#include "iree_cy/vm/instance.h"
#include "iree_cy/vm/module.h"

// Makes the module "vmvx", which is STATELESS. Its functions are given buffers,
// offsets, strides and sizes by a program that nobody trusts: what does not lie
// in its buffer is OUT_OF_RANGE, what is written to a buffer that is not
// mutable PERMISSION_DENIED, a negative size or stride INVALID_ARGUMENT, an
// element type that is not there UNIMPLEMENTED; nothing is written then. Work
// counts as instructions of the invocation, polls included.
iree_status_t iree_cy_vmvx_module_create(iree_vm_instance_t* instance,
                                         iree_allocator_t allocator,
                                         iree_vm_module_t** out_module);

#endif  // IREE_CY_NATIVE_MODULES_VMVX_MODULE_H_
