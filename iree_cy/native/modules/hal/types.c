// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the HAL's reference types and their registration.

#include "iree_cy/native/modules/hal/types.h"

_Static_assert(IREE_HAL_MODULE_COUNTER_OFFSET % 4 == 0 &&
                   IREE_HAL_MODULE_COUNTER_OFFSET <=
                       IREE_VM_REF_MAX_COUNTER_OFFSET,
               "reference types hold the offset of the counter");

// Buffers that hold constants, or that nobody may write.
static bool iree_hal_module_buffer_is_constant(
    const iree_hal_buffer_t* buffer) {
  return iree_all_bits_set(iree_hal_buffer_allowed_usage(buffer),
                           IREE_HAL_BUFFER_USAGE_SHARING_IMMUTABLE) ||
         !iree_any_bit_set(iree_hal_buffer_allowed_access(buffer),
                           IREE_HAL_MEMORY_ACCESS_WRITE);
}

static bool iree_hal_module_is_shareable(const void* ptr) {
  const iree_cy_vtable_header_t* header =
      (const iree_cy_vtable_header_t*)((const iree_hal_resource_t*)ptr)->vtable;
  switch (header->kind) {
    case IREE_CY_OBJECT_KIND_BUFFER:
      return iree_hal_module_buffer_is_constant((const iree_hal_buffer_t*)ptr);
    case IREE_CY_OBJECT_KIND_BUFFER_VIEW:
      return iree_hal_module_buffer_is_constant(
          iree_hal_buffer_view_buffer((const iree_hal_buffer_view_t*)ptr));
    case IREE_CY_OBJECT_KIND_COMMAND_BUFFER:
      return !iree_all_bits_set(
          iree_hal_command_buffer_mode((const iree_hal_command_buffer_t*)ptr),
          IREE_HAL_COMMAND_BUFFER_MODE_ONE_SHOT);
    case IREE_CY_OBJECT_KIND_FENCE:
      return false;
    default:
      // They look after themselves.
      return true;
  }
}

#define IREE_HAL_MODULE_DEFINE_TYPE(kind)                          \
  const iree_vm_ref_type_descriptor_t iree_hal_##kind##_descriptor \
      __attribute__((aligned(8))) = {                              \
          .destroy = iree_cy_vm_resource_destroy,                  \
          .type_name = {"hal." #kind, sizeof("hal." #kind) - 1},   \
          .offsetof_counter = IREE_HAL_MODULE_COUNTER_OFFSET,      \
          .is_shareable = iree_hal_module_is_shareable,            \
  };                                                               \
  iree_vm_ref_type_t iree_hal_##kind##_type(void) {                \
    return IREE_HAL_MODULE_TYPE(kind);                             \
  }
IREE_HAL_MODULE_FOR_EACH_TYPE(IREE_HAL_MODULE_DEFINE_TYPE)

iree_status_t iree_hal_module_register_all_types(iree_vm_instance_t* instance) {
  static const iree_vm_ref_type_descriptor_t* const descriptors[] = {
#define IREE_HAL_MODULE_LIST_DESCRIPTOR(kind) &iree_hal_##kind##_descriptor,
      IREE_HAL_MODULE_FOR_EACH_TYPE(IREE_HAL_MODULE_LIST_DESCRIPTOR)
#undef IREE_HAL_MODULE_LIST_DESCRIPTOR
  };
  for (iree_host_size_t i = 0; i < IREE_ARRAYSIZE(descriptors); ++i) {
    iree_vm_ref_type_t type = IREE_VM_REF_TYPE_NULL;
    IREE_RETURN_IF_ERROR(
        iree_vm_instance_register_type(instance, descriptors[i], &type));
  }
  return iree_ok_status();
}
