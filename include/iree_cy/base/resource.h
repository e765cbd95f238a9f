// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the object header: vtable, reference count, and what a vtable begins
// with.

#ifndef IREE_CY_BASE_RESOURCE_H_
#define IREE_CY_BASE_RESOURCE_H_

#include "iree_cy/base/status.h"

IREE_CY_EXTERN_C_BEGIN

// Reference counts. Plain integers with compiler atomics, so that the same
// struct is C11 and C++17.
typedef int32_t iree_atomic_ref_count_t;
static inline void iree_atomic_ref_count_inc(iree_atomic_ref_count_t* count) {
  __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}
// Returns the count before; 1 means that the caller destroys.
static inline int32_t iree_atomic_ref_count_dec(
    iree_atomic_ref_count_t* count) {
  return __atomic_fetch_sub(count, 1, __ATOMIC_ACQ_REL);
}

// Kinds of object that have a vtable. Values are ABI.
typedef uint32_t iree_cy_object_kind_t;
enum iree_cy_object_kind_e {
  IREE_CY_OBJECT_KIND_NONE = 0,
  IREE_CY_OBJECT_KIND_DRIVER = 1,
  IREE_CY_OBJECT_KIND_DEVICE = 2,
  IREE_CY_OBJECT_KIND_ALLOCATOR = 3,
  IREE_CY_OBJECT_KIND_BUFFER = 4,
  IREE_CY_OBJECT_KIND_SEMAPHORE = 5,
  IREE_CY_OBJECT_KIND_COMMAND_BUFFER = 6,
  IREE_CY_OBJECT_KIND_EXECUTABLE = 7,
  IREE_CY_OBJECT_KIND_EXECUTABLE_CACHE = 8,
  IREE_CY_OBJECT_KIND_EXECUTABLE_LOADER = 9,
  IREE_CY_OBJECT_KIND_EVENT = 10,
  IREE_CY_OBJECT_KIND_CHANNEL = 11,
  IREE_CY_OBJECT_KIND_FILE = 12,
  // Kinds without a vtable of drivers; they are counted only.
  IREE_CY_OBJECT_KIND_FENCE = 13,
  IREE_CY_OBJECT_KIND_BUFFER_VIEW = 14,
  IREE_CY_OBJECT_KIND_VM_INSTANCE = 16,
  IREE_CY_OBJECT_KIND_VM_MODULE = 17,
  IREE_CY_OBJECT_KIND_VM_CONTEXT = 18,
  IREE_CY_OBJECT_KIND_VM_LIST = 19,
  IREE_CY_OBJECT_KIND_VM_BUFFER = 20,
  IREE_CY_OBJECT_KIND_COUNT,
};

// What every vtable begins with. A driver writes |size| and leaves the rest 0;
// the host fills it in the copy that iree_cy_register_vtable returns.
typedef struct iree_cy_vtable_header_t {
  // sizeof the vtable struct, as the driver was compiled.
  uint32_t size;
  // iree_cy_object_kind_t.
  uint32_t kind;
  // Name of the driver it belongs to, immortal; NULL for the core's own.
  const char* owner;
  uintptr_t reserved[2];
} iree_cy_vtable_header_t;

// What every vtable entry list begins with: the header, then destroy.
typedef struct iree_cy_resource_vtable_t {
  iree_cy_vtable_header_t header;
  // Called once, when the last reference goes. Frees the object.
  void (*destroy)(void* resource);
} iree_cy_resource_vtable_t;

// What every reference-counted HAL object begins with.
typedef struct iree_hal_resource_t {
  // The pointer that iree_cy_register_vtable returned.
  const void* vtable;
  iree_atomic_ref_count_t ref_count;
  uint32_t reserved;
} iree_hal_resource_t;

// Sets |vtable| and one reference, which the caller owns, and counts the object
// as live until iree_hal_resource_release destroys it.
IREE_API_EXPORT void iree_hal_resource_initialize(
    const void* vtable, iree_hal_resource_t* out_resource);
// Takes one more reference. |resource| may be NULL.
IREE_API_EXPORT void iree_hal_resource_retain(void* resource);
// Gives back one reference; the last destroys. |resource| may be NULL. The
// typed retain and release functions are these.
IREE_API_EXPORT void iree_hal_resource_release(void* resource);
// Whether |resource| (not NULL) is of the driver and kind that |vtable| names.
// What holds of another driver's object is only what its public API says.
static inline bool iree_hal_resource_is(const void* resource,
                                        const void* vtable) {
  return ((const iree_hal_resource_t*)resource)->vtable == vtable;
}

// Registers a driver's vtable of |kind| and returns the host's immortal copy in
// |*out_vtable|, with entries that are missing or NULL filled with the default
// that the header of that kind names. Called inside the plugin query or its
// create_driver, once per vtable; the same |vtable| again gives the same copy.
// |owner| is the driver's name, copied. Fails with INVALID_ARGUMENT when the
// size is smaller than the header or an entry marked "required" is NULL, naming
// it.
// How a driver calls the default of an entry that it overrides: it registers a
// second vtable of that kind with the required entries only, and calls through
// what it gets, defaults->queue_copy(device, ...). Objects keep the first.
IREE_API_EXPORT iree_status_t
iree_cy_register_vtable(iree_cy_object_kind_t kind, const void* vtable,
                        iree_string_view_t owner, const void** out_vtable);

// Name of the driver whose vtable |resource| (not NULL) has, immortal; empty
// for the core's own objects: heap buffers and subspans, host semaphores, the
// core's recordings, caches and loaders. So that a message can name both
// drivers.
IREE_API_EXPORT iree_string_view_t iree_cy_object_owner(const void* resource);

// Live objects of |kind| in the process, counted in every build.
IREE_API_EXPORT int64_t iree_cy_live_object_count(iree_cy_object_kind_t kind);

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_BASE_RESOURCE_H_
