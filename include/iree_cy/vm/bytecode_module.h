// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns bytecode modules: programs made by the compiler.

#ifndef IREE_CY_VM_BYTECODE_MODULE_H_
#define IREE_CY_VM_BYTECODE_MODULE_H_

#include "iree_cy/vm/instance.h"
#include "iree_cy/vm/module.h"

IREE_CY_EXTERN_C_BEGIN

typedef uint32_t iree_vm_bytecode_module_flags_t;
enum iree_vm_bytecode_module_flag_bits_e {
  IREE_VM_BYTECODE_MODULE_FLAG_NONE = 0u,
};

// Makes a module of a program in |archive_contents|: parses and verifies all of
// it, runs nothing, touches no constants. The contents are kept, not copied,
// and are freed with |archive_allocator| when the module (or the last buffer
// over its constants) goes; ctl NULL leaves them to the caller, who keeps them
// as long. On failure they stay the caller's. They begin at a multiple of 16
// bytes, or are copied when they do not.
// INVALID_ARGUMENT says what is broken; INCOMPATIBLE names both versions of the
// bytecode; NOT_FOUND names a type that |instance| does not know.
IREE_API_EXPORT iree_status_t iree_vm_bytecode_module_create(
    iree_vm_instance_t* instance, iree_vm_bytecode_module_flags_t flags,
    iree_const_byte_span_t archive_contents, iree_allocator_t archive_allocator,
    iree_allocator_t allocator, iree_vm_module_t** out_module);

// Modules that it needs: iree_vm_module_enumerate_dependencies. This one reads
// them from an archive of which no module is made yet; |callback| as there.
IREE_API_EXPORT iree_status_t
iree_cy_vm_bytecode_archive_enumerate_dependencies(
    iree_const_byte_span_t archive_contents,
    iree_vm_module_dependency_callback_t callback, void* user_data);

typedef enum iree_cy_vm_archive_format_e {
  // Nothing that is known.
  IREE_CY_VM_ARCHIVE_FORMAT_UNKNOWN = 0,
  // A module's FlatBuffer, with or without data after it.
  IREE_CY_VM_ARCHIVE_FORMAT_FLATBUFFER = 1,
  // The same in a ZIP file.
  IREE_CY_VM_ARCHIVE_FORMAT_ZIP = 2,
} iree_cy_vm_archive_format_t;

// What |archive_contents| looks like, from its first bytes. Never fails.
IREE_API_EXPORT iree_cy_vm_archive_format_t
iree_cy_vm_bytecode_archive_probe(iree_const_byte_span_t archive_contents);

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_VM_BYTECODE_MODULE_H_
