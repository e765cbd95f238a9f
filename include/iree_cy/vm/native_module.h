// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns native modules: a module from a table of C functions.

#ifndef IREE_CY_VM_NATIVE_MODULE_H_
#define IREE_CY_VM_NATIVE_MODULE_H_

#include "iree_cy/vm/instance.h"
#include "iree_cy/vm/module.h"
#include "iree_cy/vm/stack.h"

IREE_CY_EXTERN_C_BEGIN

typedef uint32_t iree_vm_native_import_flags_t;
enum iree_vm_native_import_flag_bits_e {
  IREE_VM_NATIVE_IMPORT_REQUIRED = 1u << 0,
  IREE_VM_NATIVE_IMPORT_OPTIONAL = 1u << 1,
};

// A function that the module calls.
typedef struct iree_vm_native_import_descriptor_t {
  iree_vm_native_import_flags_t flags;
  // "module.function".
  iree_string_view_t full_name;
  // What its convention must be; empty takes any.
  iree_string_view_t calling_convention;
} iree_vm_native_import_descriptor_t;

// Implements an export. |module| is the self of the module's interface.
// |arguments| and |results| are as iree_vm_function_call_t says, their lengths
// (with the counts of C...D) checked.
typedef iree_status_t (*iree_vm_native_function_target_t)(
    iree_vm_stack_t* stack, void* module, void* module_state,
    iree_byte_span_t arguments, iree_byte_span_t results);

typedef struct iree_vm_native_export_descriptor_t {
  iree_string_view_t local_name;
  iree_string_view_t calling_convention;
  iree_vm_native_function_target_t target;
  iree_host_size_t attr_count;
  const iree_string_pair_t* attrs;
} iree_vm_native_export_descriptor_t;

// Describes the module. Borrowed, with all that it points to, until the
// module's destroy has been called. Fixed for the ABI major.
typedef struct iree_vm_native_module_descriptor_t {
  iree_string_view_t name;
  uint32_t version;
  iree_cy_vm_module_flags_t flags;
  iree_host_size_t attr_count;
  const iree_string_pair_t* attrs;
  iree_host_size_t dependency_count;
  const iree_vm_module_dependency_t* dependencies;
  iree_host_size_t import_count;
  const iree_vm_native_import_descriptor_t* imports;
  // In any order; by name (as memcmp orders) they are found fastest.
  iree_host_size_t export_count;
  const iree_vm_native_export_descriptor_t* exports;
  uintptr_t reserved[4];
} iree_vm_native_module_descriptor_t;

// Makes a module of |module_descriptor|. |module_interface| gives self and the
// entries that are the module's own; those that are NULL are the table's.
// destroy, alloc_state, free_state, resolve_import and notify are what a module
// usually has (its destroy frees self; the handle is the native module's). Its
// reference count is not used. On failure |module_interface|'s self stays the
// caller's. INVALID_ARGUMENT when a convention is malformed, an export has no
// function or two have one name.
IREE_API_EXPORT iree_status_t iree_vm_native_module_create(
    const iree_vm_module_t* module_interface,
    const iree_vm_native_module_descriptor_t* module_descriptor,
    iree_vm_instance_t* instance, iree_allocator_t allocator,
    iree_vm_module_t** out_module);

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_VM_NATIVE_MODULE_H_
