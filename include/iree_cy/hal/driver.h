// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns iree_hal_driver_t: what lists and creates the devices of one kind.

#ifndef IREE_CY_HAL_DRIVER_H_
#define IREE_CY_HAL_DRIVER_H_

#include "iree_cy/hal/device.h"

IREE_CY_EXTERN_C_BEGIN

// Names a device of one driver, for as long as the process lives. 0 is the
// driver's default device.
typedef uint64_t iree_hal_device_id_t;
#define IREE_HAL_DEVICE_ID_DEFAULT ((iree_hal_device_id_t)0)

// What a driver may list: so many devices, each text of so many bytes.
enum {
  IREE_HAL_DEVICE_INFO_MAX_COUNT = 4096,
  IREE_HAL_DEVICE_INFO_MAX_TEXT_SIZE = 4096,
};

typedef struct iree_hal_device_info_t {
  // No two of a list are equal.
  iree_hal_device_id_t device_id;
  // "driver://path" gives the same device again. UTF-8 without NUL and '?'; no
  // two of a list are equal, unless empty.
  iree_string_view_t path;
  // For people. UTF-8 without NUL.
  iree_string_view_t name;
  uint64_t reserved[2];
} iree_hal_device_info_t;

IREE_API_EXPORT void iree_hal_driver_retain(iree_hal_driver_t* driver);
IREE_API_EXPORT void iree_hal_driver_release(iree_hal_driver_t* driver);
// The driver's name, borrowed.
IREE_API_EXPORT iree_string_view_t
iree_hal_driver_id(const iree_hal_driver_t* driver);
// The devices now, creating none. |*out_infos| with its text is one block of
// |host_allocator|, freed by the caller.
IREE_API_EXPORT iree_status_t iree_hal_driver_query_available_devices(
    iree_hal_driver_t* driver, iree_allocator_t host_allocator,
    iree_host_size_t* out_count, iree_hal_device_info_t** out_infos);
// Appends what is known of a device, in lines of text.
IREE_API_EXPORT iree_status_t iree_hal_driver_dump_device_info(
    iree_hal_driver_t* driver, iree_hal_device_id_t device_id,
    iree_string_builder_t* builder);
// The id that |path| names, creating nothing: a listed path, else a decimal
// ordinal into the list, else the driver's own patterns; empty is the default
// device. NOT_FOUND lists the paths that there are.
IREE_API_EXPORT iree_status_t
iree_hal_driver_resolve_path(iree_hal_driver_t* driver, iree_string_view_t path,
                             iree_hal_device_id_t* out_device_id);
// Creates a device. Parameters are canonical text, already checked against the
// plugin's table; the driver checks them too (INVALID_ARGUMENT names the key).
IREE_API_EXPORT iree_status_t iree_hal_driver_create_device_by_id(
    iree_hal_driver_t* driver, iree_hal_device_id_t device_id,
    iree_host_size_t param_count, const iree_string_pair_t* params,
    iree_allocator_t host_allocator, iree_hal_device_t** out_device);
IREE_API_EXPORT iree_status_t iree_hal_driver_create_device_by_path(
    iree_hal_driver_t* driver, iree_string_view_t path,
    iree_host_size_t param_count, const iree_string_pair_t* params,
    iree_allocator_t host_allocator, iree_hal_device_t** out_device);

typedef struct iree_hal_driver_vtable_t {
  iree_cy_vtable_header_t header;
  // Required.
  void (*destroy)(iree_hal_driver_t* driver);
  // Required. |*out_infos| as iree_hal_device_infos_clone makes it; it may be
  // NULL when there are none.
  iree_status_t (*query_available_devices)(iree_hal_driver_t* driver,
                                           iree_allocator_t host_allocator,
                                           iree_host_size_t* out_count,
                                           iree_hal_device_info_t** out_infos);
  // Default: path and name.
  iree_status_t (*dump_device_info)(iree_hal_driver_t* driver,
                                    iree_hal_device_id_t device_id,
                                    iree_string_builder_t* builder);
  // Asked only for a path that is neither empty, listed nor an ordinal.
  // Default: NOT_FOUND.
  iree_status_t (*resolve_path)(iree_hal_driver_t* driver,
                                iree_string_view_t path,
                                iree_hal_device_id_t* out_device_id);
  // Required. |device_id| is 0 or whatever the caller has, |params| are whole
  // and borrowed for the call; the driver checks both.
  iree_status_t (*create_device_by_id)(iree_hal_driver_t* driver,
                                       iree_hal_device_id_t device_id,
                                       iree_host_size_t param_count,
                                       const iree_string_pair_t* params,
                                       iree_allocator_t host_allocator,
                                       iree_hal_device_t** out_device);
} iree_hal_driver_vtable_t;

// What a driver embeds first. Filled by the host functions only.
struct iree_hal_driver_t {
  iree_hal_resource_t resource;
  iree_allocator_t host_allocator;
  iree_string_view_t identifier;
  uintptr_t reserved[4];
};
// Copies |identifier|; _deinitialize frees it.
IREE_API_EXPORT iree_status_t iree_hal_driver_initialize(
    const iree_hal_driver_vtable_t* vtable, iree_string_view_t identifier,
    iree_allocator_t host_allocator, iree_hal_driver_t* driver);
IREE_API_EXPORT void iree_hal_driver_deinitialize(iree_hal_driver_t* driver);
// Makes the block that query_available_devices gives out of |infos|, whose text
// may be anywhere.
IREE_API_EXPORT iree_status_t iree_hal_device_infos_clone(
    iree_host_size_t count, const iree_hal_device_info_t* infos,
    iree_allocator_t host_allocator, iree_hal_device_info_t** out_infos);

// Gets another driver by name ("vulkan", "name@distribution"), loading it when
// that is needed. |*out_driver| is owned by the caller. It takes the GIL and
// may run Python: a plugin calls it inside create_driver only, on that thread;
// extensions and embedding hosts on any thread that may take the GIL, holding
// no lock that somebody who has the GIL could want. UNAVAILABLE when no
// registry is attached.
IREE_API_EXPORT iree_status_t
iree_cy_find_driver(iree_string_view_t name, iree_hal_driver_t** out_driver);

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_HAL_DRIVER_H_
