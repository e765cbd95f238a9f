// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the HAL's reference types and their registration.

#include "iree_cy/native/modules/hal/types.h"

_Static_assert(IREE_HAL_MODULE_COUNTER_OFFSET % 4 == 0 &&
                   IREE_HAL_MODULE_COUNTER_OFFSET <=
                       IREE_VM_REF_MAX_COUNTER_OFFSET,
               "reference types hold the offset of the counter");

#define IREE_HAL_MODULE_DEFINE_TYPE(kind)                          \
  const iree_vm_ref_type_descriptor_t iree_hal_##kind##_descriptor \
      __attribute__((aligned(8))) = {                              \
          .destroy = iree_cy_vm_resource_destroy,                  \
          .type_name = {"hal." #kind, sizeof("hal." #kind) - 1},   \
          .offsetof_counter = IREE_HAL_MODULE_COUNTER_OFFSET,      \
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
