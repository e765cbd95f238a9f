// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns byte buffers.

#include "iree_cy/vm/buffer.h"

#include "iree_cy/native/base/live_count.h"
#include "iree_cy/native/vm/builtin_types.h"
#include "iree_cy/vm/module.h"

static void iree_cy_vm_buffer_destroy(void* ptr);

static bool iree_cy_vm_buffer_is_shareable(const void* ptr) {
  return !iree_all_bits_set(((const iree_vm_buffer_t*)ptr)->access,
                            IREE_VM_BUFFER_ACCESS_MUTABLE);
}

const iree_vm_ref_type_descriptor_t iree_cy_vm_buffer_descriptor = {
    .destroy = iree_cy_vm_buffer_destroy,
    .type_name = {"vm.buffer", sizeof("vm.buffer") - 1},
    .offsetof_counter = offsetof(iree_vm_buffer_t, ref_count),
    .is_shareable = iree_cy_vm_buffer_is_shareable,
};

iree_vm_ref_type_t iree_vm_buffer_type(void) {
  return iree_vm_make_ref_type(&iree_cy_vm_buffer_descriptor);
}

void iree_vm_buffer_initialize(iree_vm_buffer_access_t access,
                               iree_byte_span_t data,
                               iree_allocator_t data_allocator,
                               iree_vm_buffer_t* out_buffer) {
  memset(out_buffer, 0, sizeof(*out_buffer));
  out_buffer->ref_count = 1;
  out_buffer->access = access;
  out_buffer->data = data;
  out_buffer->data_allocator = data_allocator;
  iree_cy_live_object_add(IREE_CY_OBJECT_KIND_VM_BUFFER, 1);
}

void iree_vm_buffer_deinitialize(iree_vm_buffer_t* buffer) {
  assert(buffer->ref_count == 1);
  iree_cy_vm_buffer_destroy(buffer);
}

static void iree_cy_vm_buffer_destroy(void* ptr) {
  iree_vm_buffer_t* buffer = (iree_vm_buffer_t*)ptr;
  iree_vm_module_t* storage_module = buffer->storage_module;
  if (buffer->data_allocator.ctl) {
    iree_allocator_free(buffer->data_allocator, buffer->data.data);
  }
  buffer->data = iree_byte_span_empty();
  buffer->storage_module = NULL;
  iree_cy_live_object_add(IREE_CY_OBJECT_KIND_VM_BUFFER, -1);
  if (buffer->allocator.ctl) {
    iree_allocator_t allocator = buffer->allocator;
    iree_allocator_free(allocator, buffer);
  }
  iree_vm_module_release(storage_module);
}

// Allocates a buffer with |length| bytes behind it, aligned to |alignment|.
static iree_status_t iree_cy_vm_buffer_allocate(iree_vm_buffer_access_t access,
                                                iree_host_size_t length,
                                                iree_host_size_t alignment,
                                                bool zeroed,
                                                iree_allocator_t allocator,
                                                iree_vm_buffer_t** out_buffer) {
  *out_buffer = NULL;
  if (alignment == 0) alignment = 16;
  if (!iree_host_size_is_power_of_two(alignment)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "a buffer alignment of %zu is no power of two",
                            alignment);
  }
  const iree_host_size_t header_size =
      iree_host_align(sizeof(iree_vm_buffer_t), 16);
  // What the allocator aligns to is enough up to 16.
  const iree_host_size_t slack = alignment > 16 ? alignment : 0;
  iree_host_size_t total_size = 0;
  if (!iree_host_size_checked_add(header_size, slack, &total_size) ||
      !iree_host_size_checked_add(total_size, length, &total_size) ||
      total_size > (iree_host_size_t)PTRDIFF_MAX) {
    return iree_make_status(IREE_STATUS_RESOURCE_EXHAUSTED,
                            "a buffer of %zu bytes, aligned to %zu, does not "
                            "fit into memory",
                            length, alignment);
  }
  iree_vm_buffer_t* buffer = NULL;
  IREE_RETURN_IF_ERROR(
      zeroed ? iree_allocator_malloc(allocator, total_size, (void**)&buffer)
             : iree_allocator_malloc_uninitialized(allocator, total_size,
                                                   (void**)&buffer));
  uintptr_t data = (uintptr_t)buffer + header_size;
  data = (data + alignment - 1) & ~(uintptr_t)(alignment - 1);
  const iree_allocator_t no_allocator = {NULL, NULL};
  iree_vm_buffer_initialize(access, iree_make_byte_span((void*)data, length),
                            no_allocator, buffer);
  buffer->allocator = allocator;
  *out_buffer = buffer;
  return iree_ok_status();
}

iree_status_t iree_vm_buffer_create(iree_vm_buffer_access_t access,
                                    iree_host_size_t length,
                                    iree_host_size_t alignment,
                                    iree_allocator_t allocator,
                                    iree_vm_buffer_t** out_buffer) {
  return iree_cy_vm_buffer_allocate(access, length, alignment, /*zeroed=*/true,
                                    allocator, out_buffer);
}

iree_status_t iree_cy_vm_buffer_wrap(iree_vm_buffer_access_t access,
                                     iree_byte_span_t data,
                                     iree_allocator_t data_allocator,
                                     iree_vm_module_t* storage_module,
                                     iree_allocator_t allocator,
                                     iree_vm_buffer_t** out_buffer) {
  *out_buffer = NULL;
  iree_vm_buffer_t* buffer = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc_uninitialized(
      allocator, sizeof(*buffer), (void**)&buffer));
  iree_vm_buffer_initialize(access, data, data_allocator, buffer);
  buffer->allocator = allocator;
  buffer->storage_module = storage_module;
  iree_vm_module_retain(storage_module);
  *out_buffer = buffer;
  return iree_ok_status();
}

iree_status_t iree_vm_buffer_clone(iree_vm_buffer_access_t access,
                                   const iree_vm_buffer_t* source_buffer,
                                   iree_host_size_t source_offset,
                                   iree_host_size_t length,
                                   iree_host_size_t alignment,
                                   iree_allocator_t allocator,
                                   iree_vm_buffer_t** out_buffer) {
  *out_buffer = NULL;
  iree_const_byte_span_t source;
  IREE_RETURN_IF_ERROR(iree_vm_buffer_map_ro(source_buffer, source_offset,
                                             length, /*alignment=*/1, &source));
  IREE_RETURN_IF_ERROR(iree_cy_vm_buffer_allocate(
      access, length, alignment, /*zeroed=*/false, allocator, out_buffer));
  if (length) memcpy((*out_buffer)->data.data, source.data, length);
  return iree_ok_status();
}

void iree_vm_buffer_retain(iree_vm_buffer_t* buffer) {
  if (buffer) iree_atomic_ref_count_inc(&buffer->ref_count);
}

void iree_vm_buffer_release(iree_vm_buffer_t* buffer) {
  if (buffer && iree_atomic_ref_count_dec(&buffer->ref_count) == 1) {
    iree_cy_vm_buffer_destroy(buffer);
  }
}

//===----------------------------------------------------------------------===//
// Access
//===----------------------------------------------------------------------===//

iree_status_t iree_cy_vm_buffer_access_error(const iree_vm_buffer_t* buffer,
                                             uint64_t offset, uint64_t length,
                                             bool is_write) {
  if (is_write && !(buffer->access & IREE_VM_BUFFER_ACCESS_MUTABLE)) {
    return iree_make_status(IREE_STATUS_PERMISSION_DENIED,
                            "the buffer is read-only, it cannot be written to");
  }
  return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                          "%" PRIu64 " bytes at offset %" PRIu64
                          " are asked for, the buffer has %zu",
                          length, offset, buffer->data.data_length);
}

static inline iree_status_t iree_cy_vm_buffer_check(
    const iree_vm_buffer_t* buffer, iree_host_size_t offset,
    iree_host_size_t length, bool is_write) {
  if (IREE_LIKELY(
          iree_cy_vm_buffer_contains(buffer, offset, length) &&
          (!is_write || (buffer->access & IREE_VM_BUFFER_ACCESS_MUTABLE)))) {
    return iree_ok_status();
  }
  return iree_cy_vm_buffer_access_error(buffer, offset, length, is_write);
}

static iree_status_t iree_cy_vm_buffer_check_elements(
    const iree_vm_buffer_t* buffer, iree_host_size_t offset,
    iree_host_size_t element_count, iree_host_size_t element_length,
    bool is_write, iree_host_size_t* out_length) {
  *out_length = 0;
  if (!iree_host_size_checked_mul(element_count, element_length, out_length)) {
    return iree_make_status(
        IREE_STATUS_OUT_OF_RANGE,
        "%zu elements of %zu bytes are asked for, the buffer has %zu bytes",
        element_count, element_length, buffer->data.data_length);
  }
  return iree_cy_vm_buffer_check(buffer, offset, *out_length, is_write);
}

iree_status_t iree_vm_buffer_copy_bytes(const iree_vm_buffer_t* source_buffer,
                                        iree_host_size_t source_offset,
                                        const iree_vm_buffer_t* target_buffer,
                                        iree_host_size_t target_offset,
                                        iree_host_size_t length) {
  IREE_RETURN_IF_ERROR(iree_cy_vm_buffer_check(source_buffer, source_offset,
                                               length, /*is_write=*/false));
  IREE_RETURN_IF_ERROR(iree_cy_vm_buffer_check(target_buffer, target_offset,
                                               length, /*is_write=*/true));
  if (length) {
    memmove(target_buffer->data.data + target_offset,
            source_buffer->data.data + source_offset, length);
  }
  return iree_ok_status();
}

iree_status_t iree_vm_buffer_compare_bytes(const iree_vm_buffer_t* lhs_buffer,
                                           iree_host_size_t lhs_offset,
                                           const iree_vm_buffer_t* rhs_buffer,
                                           iree_host_size_t rhs_offset,
                                           iree_host_size_t length,
                                           bool* out_result) {
  *out_result = false;
  IREE_RETURN_IF_ERROR(iree_cy_vm_buffer_check(lhs_buffer, lhs_offset, length,
                                               /*is_write=*/false));
  IREE_RETURN_IF_ERROR(iree_cy_vm_buffer_check(rhs_buffer, rhs_offset, length,
                                               /*is_write=*/false));
  *out_result =
      length == 0 || memcmp(lhs_buffer->data.data + lhs_offset,
                            rhs_buffer->data.data + rhs_offset, length) == 0;
  return iree_ok_status();
}

iree_status_t iree_vm_buffer_fill_bytes(const iree_vm_buffer_t* target_buffer,
                                        iree_host_size_t target_offset,
                                        iree_host_size_t length,
                                        uint8_t value) {
  return iree_vm_buffer_fill_elements(target_buffer, target_offset, length, 1,
                                      &value);
}

iree_status_t iree_vm_buffer_fill_elements(
    const iree_vm_buffer_t* target_buffer, iree_host_size_t target_offset,
    iree_host_size_t element_count, iree_host_size_t element_length,
    const void* value) {
  if (element_length != 1 && element_length != 2 && element_length != 4 &&
      element_length != 8) {
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "a fill element has 1, 2, 4 or 8 bytes, this one has %zu",
        element_length);
  }
  iree_host_size_t length = 0;
  IREE_RETURN_IF_ERROR(iree_cy_vm_buffer_check_elements(
      target_buffer, target_offset, element_count, element_length,
      /*is_write=*/true, &length));
  if (length == 0) return iree_ok_status();
  uint8_t* target = target_buffer->data.data + target_offset;
  switch (element_length) {
    case 1:
      memset(target, *(const uint8_t*)value, length);
      break;
    case 2:
      for (iree_host_size_t i = 0; i < length; i += 2) {
        memcpy(target + i, value, 2);
      }
      break;
    case 4:
      for (iree_host_size_t i = 0; i < length; i += 4) {
        memcpy(target + i, value, 4);
      }
      break;
    default:
      for (iree_host_size_t i = 0; i < length; i += 8) {
        memcpy(target + i, value, 8);
      }
      break;
  }
  return iree_ok_status();
}

iree_status_t iree_vm_buffer_read_elements(
    const iree_vm_buffer_t* source_buffer, iree_host_size_t source_offset,
    void* target_ptr, iree_host_size_t element_count,
    iree_host_size_t element_length) {
  iree_host_size_t length = 0;
  IREE_RETURN_IF_ERROR(iree_cy_vm_buffer_check_elements(
      source_buffer, source_offset, element_count, element_length,
      /*is_write=*/false, &length));
  if (length) {
    memcpy(target_ptr, source_buffer->data.data + source_offset, length);
  }
  return iree_ok_status();
}

iree_status_t iree_vm_buffer_write_elements(
    const void* source_ptr, const iree_vm_buffer_t* target_buffer,
    iree_host_size_t target_offset, iree_host_size_t element_count,
    iree_host_size_t element_length) {
  iree_host_size_t length = 0;
  IREE_RETURN_IF_ERROR(iree_cy_vm_buffer_check_elements(
      target_buffer, target_offset, element_count, element_length,
      /*is_write=*/true, &length));
  if (length) {
    memcpy(target_buffer->data.data + target_offset, source_ptr, length);
  }
  return iree_ok_status();
}

static iree_status_t iree_cy_vm_buffer_map(const iree_vm_buffer_t* buffer,
                                           iree_host_size_t offset,
                                           iree_host_size_t length,
                                           iree_host_size_t alignment,
                                           bool is_write,
                                           iree_byte_span_t* out_span) {
  *out_span = iree_byte_span_empty();
  IREE_RETURN_IF_ERROR(
      iree_cy_vm_buffer_check(buffer, offset, length, is_write));
  if (!iree_host_size_is_power_of_two(alignment) ||
      (offset & (alignment - 1)) != 0) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "offset %zu of a buffer is not aligned to %zu",
                            offset, alignment);
  }
  // NULL + 0 is undefined in C.
  if (buffer->data.data) {
    *out_span = iree_make_byte_span(buffer->data.data + offset, length);
  }
  return iree_ok_status();
}

iree_status_t iree_vm_buffer_map_ro(const iree_vm_buffer_t* buffer,
                                    iree_host_size_t offset,
                                    iree_host_size_t length,
                                    iree_host_size_t alignment,
                                    iree_const_byte_span_t* out_span) {
  iree_byte_span_t span;
  iree_status_t status = iree_cy_vm_buffer_map(
      buffer, offset, length, alignment, /*is_write=*/false, &span);
  *out_span = iree_const_cast_byte_span(span);
  return status;
}

iree_status_t iree_vm_buffer_map_rw(const iree_vm_buffer_t* buffer,
                                    iree_host_size_t offset,
                                    iree_host_size_t length,
                                    iree_host_size_t alignment,
                                    iree_byte_span_t* out_span) {
  return iree_cy_vm_buffer_map(buffer, offset, length, alignment,
                               /*is_write=*/true, out_span);
}

//===----------------------------------------------------------------------===//
// SipHash-2-4
//===----------------------------------------------------------------------===//

typedef struct iree_cy_siphash_t {
  uint64_t v[4];
} iree_cy_siphash_t;

static inline uint64_t iree_cy_rotate_left(uint64_t value, int count) {
  return (value << count) | (value >> (64 - count));
}

static void iree_cy_siphash_rounds(iree_cy_siphash_t* state, int count) {
  uint64_t* v = state->v;
  for (int i = 0; i < count; ++i) {
    v[0] += v[1];
    v[2] += v[3];
    v[1] = iree_cy_rotate_left(v[1], 13) ^ v[0];
    v[3] = iree_cy_rotate_left(v[3], 16) ^ v[2];
    v[0] = iree_cy_rotate_left(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = iree_cy_rotate_left(v[1], 17) ^ v[2];
    v[3] = iree_cy_rotate_left(v[3], 21) ^ v[0];
    v[2] = iree_cy_rotate_left(v[2], 32);
  }
}

static void iree_cy_siphash_word(iree_cy_siphash_t* state, uint64_t word) {
  state->v[3] ^= word;
  iree_cy_siphash_rounds(state, 2);
  state->v[0] ^= word;
}

static uint64_t iree_cy_load_little_endian(const uint8_t* data,
                                           iree_host_size_t length) {
  uint64_t word = 0;
  for (iree_host_size_t i = 0; i < length; ++i) {
    word |= (uint64_t)data[i] << (8 * i);
  }
  return word;
}

iree_status_t iree_vm_buffer_hash(const iree_vm_buffer_t* source_buffer,
                                  iree_host_size_t source_offset,
                                  iree_host_size_t length,
                                  int64_t* out_result) {
  *out_result = 0;
  iree_const_byte_span_t source;
  IREE_RETURN_IF_ERROR(iree_vm_buffer_map_ro(source_buffer, source_offset,
                                             length, /*alignment=*/1, &source));
  // The key is the bytes 0 to 15; the constants are the algorithm's.
  const uint64_t key[2] = {UINT64_C(0x0706050403020100),
                           UINT64_C(0x0f0e0d0c0b0a0908)};
  iree_cy_siphash_t state = {{UINT64_C(0x736f6d6570736575) ^ key[0],
                              UINT64_C(0x646f72616e646f6d) ^ key[1],
                              UINT64_C(0x6c7967656e657261) ^ key[0],
                              UINT64_C(0x7465646279746573) ^ key[1]}};
  iree_host_size_t i = 0;
  for (; length - i >= 8; i += 8) {
    iree_cy_siphash_word(&state,
                         iree_cy_load_little_endian(source.data + i, 8));
  }
  uint64_t tail = (uint64_t)length << 56;
  if (i < length) {
    tail |= iree_cy_load_little_endian(source.data + i, length - i);
  }
  iree_cy_siphash_word(&state, tail);
  state.v[2] ^= 0xff;
  iree_cy_siphash_rounds(&state, 4);
  uint64_t hash = state.v[0] ^ state.v[1] ^ state.v[2] ^ state.v[3];
  memcpy(out_result, &hash, sizeof(hash));
  return iree_ok_status();
}
