// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what the bodies of instructions share: access to registers and buffers,
// and the rare paths kept out of the interpreter's function.

#ifndef IREE_CY_NATIVE_VM_BYTECODE_INTERPRETER_UTIL_H_
#define IREE_CY_NATIVE_VM_BYTECODE_INTERPRETER_UTIL_H_

#include "iree_cy/native/vm/bytecode/module_impl.h"

// Work on bytes costs one instruction for each 64 of them.
#define IREE_VM_BYTECODE_BYTES_PER_FUEL_LOG2 6

// Registers are 32 bits each; a 64-bit value takes two.
#define IREE_VM_DEFINE_LOAD_STORE(name, type)                         \
  static inline type iree_vm_load_##name(const void* source) {        \
    type value;                                                       \
    memcpy(&value, source, sizeof(value));                            \
    return value;                                                     \
  }                                                                   \
  static inline void iree_vm_store_##name(void* target, type value) { \
    memcpy(target, &value, sizeof(value));                            \
  }
IREE_VM_DEFINE_LOAD_STORE(i16, int16_t)
IREE_VM_DEFINE_LOAD_STORE(i32, int32_t)
IREE_VM_DEFINE_LOAD_STORE(u32, uint32_t)
IREE_VM_DEFINE_LOAD_STORE(i64, int64_t)
IREE_VM_DEFINE_LOAD_STORE(f32, float)
IREE_VM_DEFINE_LOAD_STORE(f64, double)
#undef IREE_VM_DEFINE_LOAD_STORE

// The buffer in |ref|, or NULL.
static inline iree_vm_buffer_t* iree_vm_bytecode_buffer(
    const iree_vm_ref_t* ref, iree_vm_ref_type_t buffer_type) {
  return IREE_LIKELY(ref->type == buffer_type) ? (iree_vm_buffer_t*)ref->ptr
                                               : NULL;
}

// Why element |offset| of |ref| cannot be read or written.
IREE_MUST_USE_RESULT iree_status_t iree_vm_bytecode_buffer_error(
    const iree_vm_ref_t* ref, uint64_t offset, uint64_t count,
    uint32_t element_size, bool is_write);

// Fills |count| elements of |size| bytes (1, 2, 4 or 8) from element |offset|
// on with the low bytes of |value|.
IREE_MUST_USE_RESULT iree_status_t iree_vm_bytecode_buffer_fill(
    const iree_vm_ref_t* ref, uint64_t offset, uint64_t count, uint32_t size,
    uint64_t value, int64_t* fuel);

// Makes a buffer, or copies one.
IREE_MUST_USE_RESULT iree_status_t iree_vm_bytecode_buffer_alloc(
    uint64_t length, uint32_t alignment, iree_allocator_t allocator,
    iree_vm_ref_t* out_ref);
IREE_MUST_USE_RESULT iree_status_t iree_vm_bytecode_buffer_clone(
    const iree_vm_ref_t* source, uint64_t offset, uint64_t length,
    uint32_t alignment, iree_allocator_t allocator, iree_vm_ref_t* out_ref);

// The buffer over constant |ordinal|, retained into |out_ref|.
IREE_MUST_USE_RESULT iree_status_t iree_vm_bytecode_constant(
    iree_vm_bytecode_module_t* module, iree_vm_bytecode_state_t* state,
    uint32_t ordinal, iree_vm_ref_t* out_ref);

// What references of the module's type |ordinal| are: any when it is opaque.
static inline iree_vm_ref_type_t iree_vm_bytecode_ref_type(
    const iree_vm_bytecode_module_t* module, uint32_t ordinal) {
  iree_vm_type_def_t type = module->types[ordinal];
  return iree_vm_type_def_is_ref(type) ? iree_vm_type_def_as_ref(type)
                                       : IREE_VM_REF_TYPE_ANY;
}

// Assigns |selected| to |result| when it is of |type|, then releases those of
// the |count| |registers| that are marked as moved and are not the result.
IREE_MUST_USE_RESULT iree_status_t iree_vm_bytecode_select_ref(
    iree_vm_ref_t* refs, const uint16_t* registers, uint32_t count,
    uint16_t selected, iree_vm_ref_type_t type, uint16_t result);

// The element |index| of |list| into |result|, null when it is not of |type|.
IREE_MUST_USE_RESULT iree_status_t iree_vm_bytecode_list_get_ref(
    iree_vm_list_t* list, uint32_t index, iree_vm_type_def_t type, bool is_move,
    iree_vm_ref_t* result);

// Sets element |index| of |list|. A list that would come to hold itself is
// refused: nothing would ever free it.
IREE_MUST_USE_RESULT iree_status_t iree_vm_bytecode_list_set_ref(
    iree_vm_list_t* list, uint32_t index, bool is_move, iree_vm_ref_t* value,
    int64_t* fuel);

IREE_MUST_USE_RESULT iree_status_t
iree_vm_bytecode_global_error(uint32_t offset, iree_host_size_t bound);
IREE_MUST_USE_RESULT iree_status_t iree_vm_bytecode_division_error(void);
IREE_MUST_USE_RESULT iree_status_t iree_vm_bytecode_import_error(
    const iree_vm_bytecode_module_t* module, uint32_t ordinal);
// A status of the program's own making.
IREE_MUST_USE_RESULT iree_status_t
iree_vm_bytecode_program_error(int32_t code, iree_string_view_t message);

#endif  // IREE_CY_NATIVE_VM_BYTECODE_INTERPRETER_UTIL_H_
