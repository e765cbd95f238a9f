// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the hal module: the native module through which compiled programs reach
// devices.

#ifndef IREE_CY_MODULES_HAL_MODULE_H_
#define IREE_CY_MODULES_HAL_MODULE_H_

#include "iree_cy/hal/api.h"
#include "iree_cy/vm/api.h"

IREE_CY_EXTERN_C_BEGIN

typedef uint32_t iree_hal_module_flags_t;
enum iree_hal_module_flag_bits_e {
  IREE_HAL_MODULE_FLAG_NONE = 0u,
};

// Registers the HAL's types with |instance|. Again is nothing.
IREE_API_EXPORT iree_status_t
iree_hal_module_register_all_types(iree_vm_instance_t* instance);

// A hal module over |devices|, which it keeps, in the order that programs see
// (hal.devices.get).
IREE_API_EXPORT iree_status_t iree_hal_module_create(
    iree_vm_instance_t* instance, iree_host_size_t device_count,
    iree_hal_device_t* const* devices, iree_hal_module_flags_t flags,
    iree_allocator_t host_allocator, iree_vm_module_t** out_module);

// The type of each kind of HAL object ("hal.buffer"), and the typed helpers
// over references to it. The same for all instances; known to those that
// iree_hal_module_register_all_types was called for.
IREE_API_EXPORT iree_vm_ref_type_t iree_hal_allocator_type(void);
IREE_API_EXPORT iree_vm_ref_type_t iree_hal_buffer_type(void);
IREE_API_EXPORT iree_vm_ref_type_t iree_hal_buffer_view_type(void);
IREE_API_EXPORT iree_vm_ref_type_t iree_hal_channel_type(void);
IREE_API_EXPORT iree_vm_ref_type_t iree_hal_command_buffer_type(void);
IREE_API_EXPORT iree_vm_ref_type_t iree_hal_device_type(void);
IREE_API_EXPORT iree_vm_ref_type_t iree_hal_event_type(void);
IREE_API_EXPORT iree_vm_ref_type_t iree_hal_executable_type(void);
IREE_API_EXPORT iree_vm_ref_type_t iree_hal_fence_type(void);
IREE_API_EXPORT iree_vm_ref_type_t iree_hal_file_type(void);
IREE_API_EXPORT iree_vm_ref_type_t iree_hal_semaphore_type(void);

IREE_VM_DECLARE_TYPE_ADAPTERS(iree_hal_allocator, iree_hal_allocator_t)
IREE_VM_DECLARE_TYPE_ADAPTERS(iree_hal_buffer, iree_hal_buffer_t)
IREE_VM_DECLARE_TYPE_ADAPTERS(iree_hal_buffer_view, iree_hal_buffer_view_t)
IREE_VM_DECLARE_TYPE_ADAPTERS(iree_hal_channel, iree_hal_channel_t)
IREE_VM_DECLARE_TYPE_ADAPTERS(iree_hal_command_buffer,
                              iree_hal_command_buffer_t)
IREE_VM_DECLARE_TYPE_ADAPTERS(iree_hal_device, iree_hal_device_t)
IREE_VM_DECLARE_TYPE_ADAPTERS(iree_hal_event, iree_hal_event_t)
IREE_VM_DECLARE_TYPE_ADAPTERS(iree_hal_executable, iree_hal_executable_t)
IREE_VM_DECLARE_TYPE_ADAPTERS(iree_hal_fence, iree_hal_fence_t)
IREE_VM_DECLARE_TYPE_ADAPTERS(iree_hal_file, iree_hal_file_t)
IREE_VM_DECLARE_TYPE_ADAPTERS(iree_hal_semaphore, iree_hal_semaphore_t)

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_MODULES_HAL_MODULE_H_
