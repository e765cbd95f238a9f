// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the HAL's reference types as constants, for checks that call nothing.

#ifndef IREE_CY_NATIVE_MODULES_HAL_TYPES_H_
#define IREE_CY_NATIVE_MODULES_HAL_TYPES_H_

#include "iree_cy/modules/hal_module.h"
#include "iree_cy/native/vm/builtin_types.h"

// Each kind of object that a reference may hold, by the name of its C type.
#define IREE_HAL_MODULE_FOR_EACH_TYPE(X) \
  X(allocator)                           \
  X(buffer)                              \
  X(buffer_view)                         \
  X(channel)                             \
  X(command_buffer)                      \
  X(device)                              \
  X(event)                               \
  X(executable)                          \
  X(fence)                               \
  X(file)                                \
  X(semaphore)

#define IREE_HAL_MODULE_DECLARE_DESCRIPTOR(kind) \
  extern __attribute__((visibility("hidden")))   \
  const iree_vm_ref_type_descriptor_t iree_hal_##kind##_descriptor;
IREE_HAL_MODULE_FOR_EACH_TYPE(IREE_HAL_MODULE_DECLARE_DESCRIPTOR)
#undef IREE_HAL_MODULE_DECLARE_DESCRIPTOR

// All of them begin with iree_hal_resource_t.
#define IREE_HAL_MODULE_COUNTER_OFFSET \
  ((uint32_t)offsetof(iree_hal_resource_t, ref_count))
// The value of iree_hal_<kind>_type() as an address constant.
#define IREE_HAL_MODULE_TYPE(kind) \
  ((iree_vm_ref_type_t) &          \
   iree_hal_##kind##_descriptor + IREE_HAL_MODULE_COUNTER_OFFSET / 4)
#define IREE_HAL_MODULE_VM_BUFFER_TYPE \
  ((iree_vm_ref_type_t) &              \
   iree_cy_vm_buffer_descriptor + offsetof(iree_vm_buffer_t, ref_count) / 4)

#endif  // IREE_CY_NATIVE_MODULES_HAL_TYPES_H_
