// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what the kernels of the vmvx module share: checked views of buffers, the
// price of work, and the functions that the module exports.

#ifndef IREE_CY_NATIVE_MODULES_VMVX_KERNELS_H_
#define IREE_CY_NATIVE_MODULES_VMVX_KERNELS_H_

#include "iree_cy/native/vm/stack_impl.h"
#include "iree_cy/vm/buffer.h"

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

// Where elements lie, as a program says it: offset and strides in elements, and
// how many there are along each dimension. At each place lie |inner|
// consecutive elements.
typedef struct iree_cy_vmvx_layout_t {
  int64_t offset;
  int64_t stride[2];
  int64_t size[2];
  int64_t inner;
} iree_cy_vmvx_layout_t;

// The same, checked, strides in bytes. |data| may have any alignment, and is
// NULL when there are no elements.
typedef struct iree_cy_vmvx_view_t {
  uint8_t* data;
  iree_host_size_t stride[2];
} iree_cy_vmvx_view_t;

// Checks that what |layout| says lies in |ref|, a buffer, that may be written
// if |is_write|. |name| is for the message.
iree_status_t iree_cy_vmvx_map(iree_vm_ref_t ref, const char* name,
                               bool is_write, iree_host_size_t element_size,
                               const iree_cy_vmvx_layout_t* layout,
                               iree_cy_vmvx_view_t* out_view);

// |a| times |b|, neither negative; OUT_OF_RANGE naming |what| when that is too
// large, INVALID_ARGUMENT when one is negative.
iree_status_t iree_cy_vmvx_multiply(int64_t a, int64_t b, const char* what,
                                    int64_t* out_product);

// Elements have any alignment.
static inline uint32_t iree_cy_vmvx_load_u32(const uint8_t* data) {
  uint32_t value;
  memcpy(&value, data, sizeof(value));
  return value;
}
static inline float iree_cy_vmvx_load_f32(const uint8_t* data) {
  float value;
  memcpy(&value, data, sizeof(value));
  return value;
}
static inline void iree_cy_vmvx_store_u32(uint8_t* data, uint32_t value) {
  memcpy(data, &value, sizeof(value));
}
static inline void iree_cy_vmvx_store_f32(uint8_t* data, float value) {
  memcpy(data, &value, sizeof(value));
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

// Elements of simple work that cost as much as an instruction.
#define IREE_CY_VMVX_ELEMENTS_PER_FUEL_LOG2 3
// Work is paid for in slices of at most this many elements, so that a program
// cannot keep a thread for long without a poll.
#define IREE_CY_VMVX_SLICE INT64_C(32768)

// Pays for |element_count| elements that are about to be worked on.
static inline IREE_MUST_USE_RESULT iree_status_t
iree_cy_vmvx_pay(iree_vm_stack_t* stack, int64_t element_count) {
  stack->fuel -= 1 + (element_count >> IREE_CY_VMVX_ELEMENTS_PER_FUEL_LOG2);
  return IREE_LIKELY(stack->fuel >= 0) ? iree_ok_status()
                                       : iree_cy_vm_stack_refuel(stack);
}

//===----------------------------------------------------------------------===//
// Exports
//===----------------------------------------------------------------------===//

#define IREE_CY_VMVX_DECLARE_EXPORT(name, function, convention) \
  iree_status_t iree_cy_vmvx_##function(                        \
      iree_vm_stack_t* stack, void* module, void* module_state, \
      iree_byte_span_t arguments, iree_byte_span_t results);
#include "iree_cy/native/modules/vmvx/exports.inl"
#undef IREE_CY_VMVX_DECLARE_EXPORT

#endif  // IREE_CY_NATIVE_MODULES_VMVX_KERNELS_H_
