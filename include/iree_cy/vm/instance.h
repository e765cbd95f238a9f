// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the instance: the types that programs may refer to by name.

#ifndef IREE_CY_VM_INSTANCE_H_
#define IREE_CY_VM_INSTANCE_H_

#include "iree_cy/vm/ref.h"

IREE_CY_EXTERN_C_BEGIN

#define IREE_VM_TYPE_CAPACITY_DEFAULT 64

// An instance. Reference counted; any thread.
typedef struct iree_vm_instance_t iree_vm_instance_t;

// An instance that knows vm.buffer and vm.list and has room for |type_capacity|
// types in all.
IREE_API_EXPORT iree_status_t iree_vm_instance_create(
    iree_host_size_t type_capacity, iree_allocator_t allocator,
    iree_vm_instance_t** out_instance);
IREE_API_EXPORT void iree_vm_instance_retain(iree_vm_instance_t* instance);
IREE_API_EXPORT void iree_vm_instance_release(iree_vm_instance_t* instance);
IREE_API_EXPORT iree_allocator_t
iree_vm_instance_allocator(const iree_vm_instance_t* instance);

// Registers the type of |descriptor| and returns it. The same descriptor again
// gives the same type. ALREADY_EXISTS when another descriptor has the name,
// RESOURCE_EXHAUSTED when the capacity is used up, INVALID_ARGUMENT for a
// descriptor that breaks what it promises. A type stays for good.
IREE_API_EXPORT iree_status_t
iree_vm_instance_register_type(iree_vm_instance_t* instance,
                               const iree_vm_ref_type_descriptor_t* descriptor,
                               iree_vm_ref_type_t* out_registration);
// The type named |full_name| ("hal.buffer"), or IREE_VM_REF_TYPE_NULL.
IREE_API_EXPORT iree_vm_ref_type_t iree_vm_instance_lookup_type(
    const iree_vm_instance_t* instance, iree_string_view_t full_name);

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_VM_INSTANCE_H_
