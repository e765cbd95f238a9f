// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Implements the rare paths of instructions.

#include "iree_cy/native/vm/bytecode/interpreter_util.h"

// Beyond this an alignment is a mistake.
#define IREE_VM_BYTECODE_MAX_ALIGNMENT (64u << 10)

// How deep lists lie in each other, and how many elements are looked at before
// one is put into another.
#define IREE_VM_BYTECODE_MAX_LIST_DEPTH 16
#define IREE_VM_BYTECODE_MAX_NESTED_ELEMENTS (64u << 10)

iree_status_t iree_vm_bytecode_buffer_error(const iree_vm_ref_t* ref,
                                            uint64_t offset, uint64_t count,
                                            uint32_t element_size,
                                            bool is_write) {
  iree_vm_buffer_t* buffer = NULL;
  IREE_RETURN_IF_ERROR(iree_vm_buffer_check_deref(*ref, &buffer));
  uint64_t byte_offset = 0;
  uint64_t byte_length = 0;
  if (!iree_device_size_checked_mul(offset, element_size, &byte_offset)) {
    byte_offset = UINT64_MAX;
  }
  if (!iree_device_size_checked_mul(count, element_size, &byte_length)) {
    byte_length = UINT64_MAX;
  }
  return iree_cy_vm_buffer_access_error(buffer, byte_offset, byte_length,
                                        is_write);
}

iree_status_t iree_vm_bytecode_buffer_fill(const iree_vm_ref_t* ref,
                                           uint64_t offset, uint64_t count,
                                           uint32_t size, uint64_t value,
                                           int64_t* fuel) {
  const iree_vm_buffer_t* buffer = iree_vm_buffer_deref(*ref);
  const uint64_t capacity = buffer ? buffer->data.data_length / size : 0;
  if (!buffer || !(buffer->access & IREE_VM_BUFFER_ACCESS_MUTABLE) ||
      offset > capacity || count > capacity - offset) {
    return iree_vm_bytecode_buffer_error(ref, offset, count, size, true);
  }
  *fuel -= (int64_t)((count * size) >> IREE_VM_BYTECODE_BYTES_PER_FUEL_LOG2);
  if (count == 0) return iree_ok_status();
  uint8_t* target = buffer->data.data + offset * size;
  if (size == 1) {
    memset(target, (int)(value & 0xFF), count);
    return iree_ok_status();
  }
  for (uint64_t i = 0; i < count; ++i, target += size) {
    memcpy(target, &value, size);
  }
  return iree_ok_status();
}

static iree_status_t iree_vm_bytecode_check_alignment(uint32_t alignment) {
  if (alignment == 0 || (iree_host_size_is_power_of_two(alignment) &&
                         alignment <= IREE_VM_BYTECODE_MAX_ALIGNMENT)) {
    return iree_ok_status();
  }
  return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                          "a buffer cannot be aligned to %u bytes", alignment);
}

iree_status_t iree_vm_bytecode_buffer_alloc(uint64_t length, uint32_t alignment,
                                            iree_allocator_t allocator,
                                            iree_vm_ref_t* out_ref) {
  IREE_RETURN_IF_ERROR(iree_vm_bytecode_check_alignment(alignment));
  iree_vm_buffer_t* buffer = NULL;
  IREE_RETURN_IF_ERROR(iree_vm_buffer_create(
      IREE_VM_BUFFER_ACCESS_MUTABLE | IREE_VM_BUFFER_ACCESS_ORIGIN_GUEST,
      length, alignment, allocator, &buffer));
  iree_vm_ref_wrap_assign(buffer, iree_vm_buffer_type(), out_ref);
  return iree_ok_status();
}

iree_status_t iree_vm_bytecode_buffer_clone(const iree_vm_ref_t* source,
                                            uint64_t offset, uint64_t length,
                                            uint32_t alignment,
                                            iree_allocator_t allocator,
                                            iree_vm_ref_t* out_ref) {
  IREE_RETURN_IF_ERROR(iree_vm_bytecode_check_alignment(alignment));
  iree_vm_buffer_t* source_buffer = NULL;
  IREE_RETURN_IF_ERROR(iree_vm_buffer_check_deref(*source, &source_buffer));
  iree_vm_buffer_t* buffer = NULL;
  IREE_RETURN_IF_ERROR(iree_vm_buffer_clone(
      IREE_VM_BUFFER_ACCESS_MUTABLE | IREE_VM_BUFFER_ACCESS_ORIGIN_GUEST,
      source_buffer, offset, length, alignment, allocator, &buffer));
  iree_vm_ref_wrap_assign(buffer, iree_vm_buffer_type(), out_ref);
  return iree_ok_status();
}

iree_status_t iree_vm_bytecode_constant(iree_vm_bytecode_module_t* module,
                                        iree_vm_bytecode_state_t* state,
                                        uint32_t ordinal,
                                        iree_vm_ref_t* out_ref) {
  // The access keeps everybody from writing through the cast.
  const iree_const_byte_span_t data = module->def.rodata[ordinal];
  const iree_allocator_t no_allocator = {NULL, NULL};
  iree_vm_buffer_t* buffer = NULL;
  IREE_RETURN_IF_ERROR(iree_cy_vm_buffer_wrap(
      IREE_VM_BUFFER_ACCESS_ORIGIN_MODULE,
      iree_make_byte_span((void*)(uintptr_t)data.data, data.data_length),
      no_allocator, &module->interface, state->allocator, &buffer));
  iree_vm_buffer_t* expected = NULL;
  if (!__atomic_compare_exchange_n(&state->rodata[ordinal], &expected, buffer,
                                   false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    iree_vm_buffer_release(buffer);
    buffer = expected;
  }
  iree_vm_ref_wrap_retain(buffer, iree_vm_buffer_type(), out_ref);
  return iree_ok_status();
}

iree_status_t iree_vm_bytecode_select_ref(iree_vm_ref_t* refs,
                                          const uint16_t* registers,
                                          uint32_t count, uint16_t selected,
                                          iree_vm_ref_type_t type,
                                          uint16_t result) {
  iree_vm_ref_t value = iree_vm_ref_null();
  IREE_RETURN_IF_ERROR(iree_vm_ref_retain_or_move_checked(
      (selected & IREE_VM_BYTECODE_MOVE_BIT) != 0,
      &refs[selected & IREE_VM_BYTECODE_REF_MASK], type, &value));
  for (uint32_t i = 0; i < count; ++i) {
    if (registers[i] & IREE_VM_BYTECODE_MOVE_BIT) {
      iree_vm_ref_release(&refs[registers[i] & IREE_VM_BYTECODE_REF_MASK]);
    }
  }
  iree_vm_ref_move(&value, &refs[result & IREE_VM_BYTECODE_REF_MASK]);
  return iree_ok_status();
}

iree_status_t iree_vm_bytecode_list_get_ref(iree_vm_list_t* list,
                                            uint32_t index,
                                            iree_vm_type_def_t type,
                                            bool is_move,
                                            iree_vm_ref_t* result) {
  IREE_RETURN_IF_ERROR(
      iree_vm_list_get_ref_retain_or_move(list, index, is_move, result));
  // Programs test for null to learn what a list of anything holds.
  if (result->ptr && !iree_vm_type_def_is_variant(type) &&
      result->type != iree_vm_type_def_as_ref(type)) {
    iree_vm_ref_release(result);
  }
  return iree_ok_status();
}

// Fails when |target| is |list| or somewhere in it.
static iree_status_t iree_vm_bytecode_check_acyclic(
    const iree_vm_list_t* list, const iree_vm_list_t* target, uint32_t depth,
    uint32_t* budget) {
  if (list == target) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "a list cannot be put into itself");
  }
  if (iree_vm_type_def_is_value(iree_vm_list_element_type(list))) {
    return iree_ok_status();
  }
  iree_host_size_t size = iree_vm_list_size(list);
  if (depth == 0 || size > *budget) {
    return iree_make_status(
        IREE_STATUS_RESOURCE_EXHAUSTED,
        "a list with too many lists in it is put into a list");
  }
  *budget -= (uint32_t)size;
  for (iree_host_size_t i = 0; i < size; ++i) {
    const iree_vm_list_t* element =
        (const iree_vm_list_t*)iree_vm_list_get_ref_deref(list, i,
                                                          iree_vm_list_type());
    if (element) {
      IREE_RETURN_IF_ERROR(
          iree_vm_bytecode_check_acyclic(element, target, depth - 1, budget));
    }
  }
  return iree_ok_status();
}

iree_status_t iree_vm_bytecode_list_set_ref(iree_vm_list_t* list,
                                            uint32_t index, bool is_move,
                                            iree_vm_ref_t* value,
                                            int64_t* fuel) {
  const iree_vm_list_t* element = iree_vm_list_deref(*value);
  if (element) {
    uint32_t budget = IREE_VM_BYTECODE_MAX_NESTED_ELEMENTS;
    IREE_RETURN_IF_ERROR(iree_vm_bytecode_check_acyclic(
        element, list, IREE_VM_BYTECODE_MAX_LIST_DEPTH, &budget));
    *fuel -= IREE_VM_BYTECODE_MAX_NESTED_ELEMENTS - budget;
  }
  return is_move ? iree_vm_list_set_ref_move(list, index, value)
                 : iree_vm_list_set_ref_retain(list, index, value);
}

iree_status_t iree_vm_bytecode_global_error(uint32_t offset,
                                            iree_host_size_t bound) {
  return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                          "global %u is out of range (%" PRIhsz ")", offset,
                          bound);
}

iree_status_t iree_vm_bytecode_division_error(void) {
  return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                          "integer division by zero");
}

iree_status_t iree_vm_bytecode_import_error(
    const iree_vm_bytecode_module_t* module, uint32_t ordinal) {
  return iree_make_status(
      IREE_STATUS_NOT_FOUND,
      "the optional import '%.*s' is called but no module has it",
      IREE_SV_ARG(module->def.imports[ordinal].full_name));
}

iree_status_t iree_vm_bytecode_program_error(int32_t code,
                                             iree_string_view_t message) {
  // What is no code of a failure is a failure of unknown kind all the same.
  iree_status_code_t status_code = code > IREE_STATUS_OK &&
                                           code <= IREE_STATUS_INCOMPATIBLE &&
                                           code != IREE_STATUS_DEFERRED
                                       ? (iree_status_code_t)code
                                       : IREE_STATUS_UNKNOWN;
  return iree_status_allocate(status_code, NULL, 0,
                              iree_string_view_is_empty(message)
                                  ? IREE_SV("the program failed")
                                  : message);
}
