// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the default table of each kind: what the registry puts where a driver
// has left an entry out. An entry that is NULL in a default table is required.

#ifndef IREE_CY_NATIVE_HAL_VTABLE_DEFAULTS_H_
#define IREE_CY_NATIVE_HAL_VTABLE_DEFAULTS_H_

#include "iree_cy/hal/api.h"

extern const iree_hal_driver_vtable_t iree_cy_driver_vtable_defaults;
extern const iree_hal_device_vtable_t iree_cy_device_vtable_defaults;
extern const iree_hal_allocator_vtable_t iree_cy_allocator_vtable_defaults;
extern const iree_hal_buffer_vtable_t iree_cy_buffer_vtable_defaults;
extern const iree_hal_semaphore_vtable_t iree_cy_semaphore_vtable_defaults;
extern const iree_hal_command_buffer_vtable_t
    iree_cy_command_buffer_vtable_defaults;
extern const iree_hal_executable_vtable_t iree_cy_executable_vtable_defaults;
extern const iree_hal_executable_cache_vtable_t
    iree_cy_executable_cache_vtable_defaults;
extern const iree_hal_executable_loader_vtable_t
    iree_cy_executable_loader_vtable_defaults;
extern const iree_hal_file_vtable_t iree_cy_file_vtable_defaults;

// Whether |vtable| is what iree_cy_register_vtable gave for |kind|. It is only
// compared, so it may be any address. Takes a lock for a moment.
bool iree_cy_vtable_is_registered(iree_cy_object_kind_t kind,
                                  const void* vtable);

// Whether |resource|, which a driver gave, can be an object of |kind|: at an
// address that one can have, with a registered vtable and a reference for who
// gets it. Memory that was freed or never mapped is not recognised.
bool iree_cy_object_is_whole(iree_cy_object_kind_t kind, const void* resource);

// Whether something that is aligned to |alignment| may lie at |pointer|: not in
// the first page, where small numbers taken for addresses point.
static inline bool iree_cy_is_address(const void* pointer,
                                      iree_host_size_t alignment) {
  return (uintptr_t)pointer >= 4096 && (uintptr_t)pointer % alignment == 0;
}

// What a default that does nothing but refuse returns: UNIMPLEMENTED naming
// |entry| ("iree_hal_buffer_t.map_range") and the driver of |resource|.
iree_status_t iree_cy_unimplemented_entry(const void* resource,
                                          const char* entry);

// The default of iree_hal_allocator_vtable_t.query_statistics.
void iree_cy_allocator_counted_statistics(
    iree_hal_allocator_t* allocator,
    iree_hal_allocator_statistics_t* out_statistics);

// The driver that |resource| belongs to, for messages; "the core" for the
// core's own.
const char* iree_cy_resource_owner(const void* resource);

// INTERNAL: |resource| did |what|, which its contract forbids.
iree_status_t iree_cy_broken_contract(const void* resource, const char* what);

// INTERNAL: |entry| of |resource| returned OK and left its output NULL.
iree_status_t iree_cy_missing_result(const void* resource, const char* entry,
                                     const char* what);

// |status|, how |entry| ("iree_hal_device_t.create_semaphore") of |resource|
// ended, unless it is OK without a |result|.
static inline iree_status_t iree_cy_check_result(iree_status_t status,
                                                 const void* result,
                                                 const void* resource,
                                                 const char* entry,
                                                 const char* what) {
  if (IREE_LIKELY(result || !iree_status_is_ok(status))) return status;
  return iree_cy_missing_result(resource, entry, what);
}

#endif  // IREE_CY_NATIVE_HAL_VTABLE_DEFAULTS_H_
