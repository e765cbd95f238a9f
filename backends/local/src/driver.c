// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the driver's entries and what the local plugins register alike.

#include "driver.h"

#include "formats.h"
#include "recording.h"

typedef struct local_driver_t {
  iree_hal_driver_t base;
  const local_driver_kind_t* kind;
} local_driver_t;

static const iree_hal_driver_vtable_t* local_driver_vtable = NULL;

iree_status_t local_driver_create(const local_driver_kind_t* kind,
                                  iree_string_view_t driver_name,
                                  iree_allocator_t host_allocator,
                                  iree_hal_driver_t** out_driver) {
  local_driver_t* driver = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc(host_allocator, sizeof(*driver), (void**)&driver));
  iree_status_t status = iree_hal_driver_initialize(
      local_driver_vtable, driver_name, host_allocator, &driver->base);
  if (!iree_status_is_ok(status)) {
    iree_allocator_free(host_allocator, driver);
    return status;
  }
  driver->kind = kind;
  *out_driver = &driver->base;
  return iree_ok_status();
}

static void local_driver_destroy(iree_hal_driver_t* driver) {
  iree_allocator_t host_allocator = driver->host_allocator;
  iree_hal_driver_deinitialize(driver);
  iree_allocator_free(host_allocator, driver);
}

static iree_status_t local_driver_query_available_devices(
    iree_hal_driver_t* base_driver, iree_allocator_t host_allocator,
    iree_host_size_t* out_count, iree_hal_device_info_t** out_infos) {
  const local_driver_t* driver = (const local_driver_t*)base_driver;
  iree_hal_device_info_t info;
  memset(&info, 0, sizeof(info));
  info.device_id = IREE_HAL_DEVICE_ID_DEFAULT;
  info.path = IREE_SV("default");
  info.name = driver->kind->human_name;
  *out_count = 1;
  return iree_hal_device_infos_clone(1, &info, host_allocator, out_infos);
}

static iree_status_t local_driver_create_device_by_id(
    iree_hal_driver_t* base_driver, iree_hal_device_id_t device_id,
    iree_host_size_t param_count, const iree_string_pair_t* params,
    iree_allocator_t host_allocator, iree_hal_device_t** out_device) {
  const local_driver_t* driver = (const local_driver_t*)base_driver;
  const iree_string_view_t name = iree_hal_driver_id(base_driver);
  if (device_id != IREE_HAL_DEVICE_ID_DEFAULT) {
    return iree_make_status(IREE_STATUS_NOT_FOUND,
                            "driver '%.*s' has no device with id %" PRIu64
                            "; its only device has id 0",
                            IREE_SV_ARG(name), device_id);
  }
  return driver->kind->create_device(name, param_count, params, host_allocator,
                                     out_device);
}

iree_status_t local_driver_register(iree_string_view_t owner) {
  static const iree_hal_driver_vtable_t vtable = {
      .header = {.size = sizeof(vtable)},
      .destroy = local_driver_destroy,
      .query_available_devices = local_driver_query_available_devices,
      .create_device_by_id = local_driver_create_device_by_id,
  };
  IREE_RETURN_IF_ERROR(
      iree_cy_register_vtable(IREE_CY_OBJECT_KIND_DRIVER, &vtable, owner,
                              (const void**)&local_driver_vtable));
  IREE_RETURN_IF_ERROR(local_command_buffer_register(owner));
  return local_formats_register(owner);
}
