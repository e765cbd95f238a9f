// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the vmvx module itself, its table of exports, and the checks of what
// programs give them.

#include "iree_cy/native/modules/vmvx/module.h"

#include "iree_cy/native/modules/vmvx/kernels.h"
#include "iree_cy/vm/native_module.h"

static const iree_vm_native_export_descriptor_t iree_cy_vmvx_exports[] = {
#define IREE_CY_VMVX_DECLARE_EXPORT(name, function, convention) \
  {{name, sizeof(name) - 1},                                    \
   {convention, sizeof(convention) - 1},                        \
   iree_cy_vmvx_##function,                                     \
   0,                                                           \
   NULL},
#include "iree_cy/native/modules/vmvx/exports.inl"
#undef IREE_CY_VMVX_DECLARE_EXPORT
};

static const iree_vm_native_module_descriptor_t iree_cy_vmvx_descriptor = {
    .name = {"vmvx", 4},
    .flags = IREE_CY_VM_MODULE_FLAG_STATELESS,
    .export_count = IREE_ARRAYSIZE(iree_cy_vmvx_exports),
    .exports = iree_cy_vmvx_exports,
};

iree_status_t iree_cy_vmvx_module_create(iree_vm_instance_t* instance,
                                         iree_allocator_t allocator,
                                         iree_vm_module_t** out_module) {
  static const iree_vm_module_t interface = {.self = NULL};
  return iree_vm_native_module_create(&interface, &iree_cy_vmvx_descriptor,
                                      instance, allocator, out_module);
}

iree_status_t iree_cy_vmvx_multiply(int64_t a, int64_t b, const char* what,
                                    int64_t* out_product) {
  *out_product = 0;
  if (IREE_UNLIKELY(a < 0 || b < 0)) {
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "%s: a size of %" PRIi64 " or %" PRIi64 " is negative", what, a, b);
  }
  if (IREE_UNLIKELY(__builtin_mul_overflow(a, b, out_product))) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "%s: %" PRIi64 " times %" PRIi64 " is too large",
                            what, a, b);
  }
  return iree_ok_status();
}

// The bytes from the first element to the last, both included; false when that
// does not fit 64 bits.
static bool iree_cy_vmvx_extent(const iree_cy_vmvx_layout_t* layout,
                                int64_t element_size, int64_t* out_begin,
                                int64_t* out_length) {
  int64_t last[2];
  int64_t count = 0;
  return !__builtin_mul_overflow(layout->offset, element_size, out_begin) &&
         !__builtin_mul_overflow(layout->size[0] - 1, layout->stride[0],
                                 &last[0]) &&
         !__builtin_mul_overflow(layout->size[1] - 1, layout->stride[1],
                                 &last[1]) &&
         !__builtin_add_overflow(last[0], last[1], &count) &&
         !__builtin_add_overflow(count, layout->inner, &count) &&
         !__builtin_mul_overflow(count, element_size, out_length);
}

iree_status_t iree_cy_vmvx_map(iree_vm_ref_t ref, const char* name,
                               bool is_write, iree_host_size_t element_size,
                               const iree_cy_vmvx_layout_t* layout,
                               iree_cy_vmvx_view_t* out_view) {
  memset(out_view, 0, sizeof(*out_view));
  iree_vm_buffer_t* buffer = NULL;
  IREE_RETURN_IF_ERROR(iree_vm_buffer_check_deref(ref, &buffer));
  if (IREE_UNLIKELY(layout->offset < 0 || layout->stride[0] < 0 ||
                    layout->stride[1] < 0 || layout->size[0] < 0 ||
                    layout->size[1] < 0 || layout->inner < 0)) {
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "%s: offset %" PRIi64 ", strides %" PRIi64 " and %" PRIi64
        ", sizes %" PRIi64 " and %" PRIi64 "; none may be negative",
        name, layout->offset, layout->stride[0], layout->stride[1],
        layout->size[0], layout->size[1]);
  }
  const bool may_write =
      iree_any_bit_set(buffer->access, IREE_VM_BUFFER_ACCESS_MUTABLE);
  const bool is_empty =
      layout->size[0] == 0 || layout->size[1] == 0 || layout->inner == 0;
  int64_t begin = 0;
  int64_t length = 0;
  if (!is_empty && IREE_UNLIKELY(!iree_cy_vmvx_extent(
                       layout, (int64_t)element_size, &begin, &length))) {
    return iree_make_status(
        IREE_STATUS_OUT_OF_RANGE,
        "%s: %" PRIi64 " by %" PRIi64 " elements at offset %" PRIi64
        " with strides %" PRIi64 " and %" PRIi64 " fit no buffer",
        name, layout->size[0], layout->size[1], layout->offset,
        layout->stride[0], layout->stride[1]);
  }
  if (IREE_UNLIKELY((is_write && !may_write) ||
                    !iree_cy_vm_buffer_contains(buffer, (uint64_t)begin,
                                                (uint64_t)length))) {
    return iree_status_annotate_f(
        iree_cy_vm_buffer_access_error(buffer, (uint64_t)begin,
                                       (uint64_t)length, is_write),
        "operand '%s' of %" PRIi64 " by %" PRIi64 " elements", name,
        layout->size[0], layout->size[1]);
  }
  if (is_empty) return iree_ok_status();
  // A stride between elements of which there is one is never used, and may be
  // anything.
  out_view->data = buffer->data.data + begin;
  for (int i = 0; i < 2; ++i) {
    if (layout->size[i] > 1) {
      out_view->stride[i] = (iree_host_size_t)layout->stride[i] * element_size;
    }
  }
  return iree_ok_status();
}
