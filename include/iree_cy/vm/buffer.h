// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns byte buffers: memory that programs read and write by offset.

#ifndef IREE_CY_VM_BUFFER_H_
#define IREE_CY_VM_BUFFER_H_

#include "iree_cy/vm/ref.h"

IREE_CY_EXTERN_C_BEGIN

typedef struct iree_vm_module_t iree_vm_module_t;

// What may be done with a buffer and where its bytes come from. Reading is
// always allowed.
typedef uint32_t iree_vm_buffer_access_t;
enum iree_vm_buffer_access_bits_e {
  IREE_VM_BUFFER_ACCESS_MUTABLE = 1u << 0,
  // Constants of a module.
  IREE_VM_BUFFER_ACCESS_ORIGIN_MODULE = 1u << 1,
  // Made by the program.
  IREE_VM_BUFFER_ACCESS_ORIGIN_GUEST = 1u << 2,
  // Made by the application.
  IREE_VM_BUFFER_ACCESS_ORIGIN_HOST = 1u << 3,
};

// A buffer, "vm.buffer": bytes of a fixed length. Reference counted. Reading
// and writing are not synchronised. A range outside the buffer gives
// OUT_OF_RANGE, writing to one that is not mutable PERMISSION_DENIED. The
// members are for reading; fixed for the ABI major.
typedef struct iree_vm_buffer_t {
  iree_atomic_ref_count_t ref_count;
  iree_vm_buffer_access_t access;
  iree_byte_span_t data;
  // Frees |data|; ctl NULL when nobody needs to.
  iree_allocator_t data_allocator;
  // Frees the struct; ctl NULL when it is embedded in something else.
  iree_allocator_t allocator;
  // Retained while the buffer lives, as the owner of |data|. May be NULL.
  iree_vm_module_t* storage_module;
  uintptr_t reserved[2];
} iree_vm_buffer_t;

// The registered type.
IREE_API_EXPORT iree_vm_ref_type_t iree_vm_buffer_type(void);

// Initializes a buffer over |data| in memory that the caller keeps until the
// last reference is gone; |out_buffer| itself is never freed. deinitialize
// frees |data| with |data_allocator|, unless its ctl is NULL, and requires that
// no reference but the caller's is left.
IREE_API_EXPORT void iree_vm_buffer_initialize(iree_vm_buffer_access_t access,
                                               iree_byte_span_t data,
                                               iree_allocator_t data_allocator,
                                               iree_vm_buffer_t* out_buffer);
IREE_API_EXPORT void iree_vm_buffer_deinitialize(iree_vm_buffer_t* buffer);

// A zeroed buffer of |length| bytes aligned to |alignment| (a power of two, or
// 0 for 16). RESOURCE_EXHAUSTED when memory cannot hold it.
IREE_API_EXPORT iree_status_t
iree_vm_buffer_create(iree_vm_buffer_access_t access, iree_host_size_t length,
                      iree_host_size_t alignment, iree_allocator_t allocator,
                      iree_vm_buffer_t** out_buffer);
// A buffer of its own over |data|, which |data_allocator| frees with the buffer
// (ctl NULL: it is not freed) and which |storage_module|, retained, may own.
IREE_API_EXPORT iree_status_t iree_cy_vm_buffer_wrap(
    iree_vm_buffer_access_t access, iree_byte_span_t data,
    iree_allocator_t data_allocator, iree_vm_module_t* storage_module,
    iree_allocator_t allocator, iree_vm_buffer_t** out_buffer);
// A buffer with a copy of a range of |source_buffer|.
IREE_API_EXPORT iree_status_t iree_vm_buffer_clone(
    iree_vm_buffer_access_t access, const iree_vm_buffer_t* source_buffer,
    iree_host_size_t source_offset, iree_host_size_t length,
    iree_host_size_t alignment, iree_allocator_t allocator,
    iree_vm_buffer_t** out_buffer);
IREE_API_EXPORT void iree_vm_buffer_retain(iree_vm_buffer_t* buffer);
IREE_API_EXPORT void iree_vm_buffer_release(iree_vm_buffer_t* buffer);

static inline iree_host_size_t iree_vm_buffer_length(
    const iree_vm_buffer_t* buffer) {
  return buffer->data.data_length;
}
// Unchecked views; not to be written to unless MUTABLE.
static inline uint8_t* iree_vm_buffer_data(const iree_vm_buffer_t* buffer) {
  return buffer->data.data;
}
static inline iree_byte_span_t iree_vm_buffer_contents(
    const iree_vm_buffer_t* buffer) {
  return buffer->data;
}
static inline iree_const_byte_span_t iree_vm_buffer_const_contents(
    const iree_vm_buffer_t* buffer) {
  return iree_const_cast_byte_span(buffer->data);
}
// The bytes as text; empty when |buffer| is NULL.
static inline iree_string_view_t iree_vm_buffer_as_string(
    const iree_vm_buffer_t* buffer) {
  return buffer ? iree_make_string_view((const char*)buffer->data.data,
                                        buffer->data.data_length)
                : iree_string_view_empty();
}

// Whether |length| bytes at |offset| lie inside. Never overflows.
static inline bool iree_cy_vm_buffer_contains(const iree_vm_buffer_t* buffer,
                                              uint64_t offset,
                                              uint64_t length) {
  return offset <= buffer->data.data_length &&
         length <= buffer->data.data_length - offset;
}
// The OUT_OF_RANGE or PERMISSION_DENIED for such an access.
IREE_API_EXPORT IREE_MUST_USE_RESULT iree_status_t
iree_cy_vm_buffer_access_error(const iree_vm_buffer_t* buffer, uint64_t offset,
                               uint64_t length, bool is_write);

// Ranges in one buffer may overlap.
IREE_API_EXPORT iree_status_t iree_vm_buffer_copy_bytes(
    const iree_vm_buffer_t* source_buffer, iree_host_size_t source_offset,
    const iree_vm_buffer_t* target_buffer, iree_host_size_t target_offset,
    iree_host_size_t length);
IREE_API_EXPORT iree_status_t iree_vm_buffer_compare_bytes(
    const iree_vm_buffer_t* lhs_buffer, iree_host_size_t lhs_offset,
    const iree_vm_buffer_t* rhs_buffer, iree_host_size_t rhs_offset,
    iree_host_size_t length, bool* out_result);
IREE_API_EXPORT iree_status_t iree_vm_buffer_fill_bytes(
    const iree_vm_buffer_t* target_buffer, iree_host_size_t target_offset,
    iree_host_size_t length, uint8_t value);
// Writes |value|, of 1, 2, 4 or 8 bytes, |element_count| times. |target_offset|
// is in bytes; the program's offsets need not be aligned.
IREE_API_EXPORT iree_status_t iree_vm_buffer_fill_elements(
    const iree_vm_buffer_t* target_buffer, iree_host_size_t target_offset,
    iree_host_size_t element_count, iree_host_size_t element_length,
    const void* value);
IREE_API_EXPORT iree_status_t iree_vm_buffer_read_elements(
    const iree_vm_buffer_t* source_buffer, iree_host_size_t source_offset,
    void* target_ptr, iree_host_size_t element_count,
    iree_host_size_t element_length);
IREE_API_EXPORT iree_status_t iree_vm_buffer_write_elements(
    const void* source_ptr, const iree_vm_buffer_t* target_buffer,
    iree_host_size_t target_offset, iree_host_size_t element_count,
    iree_host_size_t element_length);
// A view of a range: |offset| and |length| in bytes, |alignment| a power of two
// that |offset| must be a multiple of (else INVALID_ARGUMENT). Borrowed.
IREE_API_EXPORT iree_status_t
iree_vm_buffer_map_ro(const iree_vm_buffer_t* buffer, iree_host_size_t offset,
                      iree_host_size_t length, iree_host_size_t alignment,
                      iree_const_byte_span_t* out_span);
IREE_API_EXPORT iree_status_t
iree_vm_buffer_map_rw(const iree_vm_buffer_t* buffer, iree_host_size_t offset,
                      iree_host_size_t length, iree_host_size_t alignment,
                      iree_byte_span_t* out_span);
// SipHash-2-4 of a range, with the key that the compiler's constant folding of
// the operation uses.
IREE_API_EXPORT iree_status_t iree_vm_buffer_hash(
    const iree_vm_buffer_t* source_buffer, iree_host_size_t source_offset,
    iree_host_size_t length, int64_t* out_result);

IREE_VM_DECLARE_TYPE_ADAPTERS(iree_vm_buffer, iree_vm_buffer_t)

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_VM_BUFFER_H_
