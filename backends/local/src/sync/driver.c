// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the local-sync plugin and its driver, which has one device.

#include "../formats.h"
#include "command_buffer.h"
#include "device.h"

#define SYNC_DRIVER_NAME "local-sync"

static const iree_hal_driver_vtable_t* sync_driver_vtable = NULL;

static iree_status_t sync_driver_create(iree_string_view_t driver_name,
                                        iree_allocator_t host_allocator,
                                        iree_hal_driver_t** out_driver) {
  iree_hal_driver_t* driver = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc(host_allocator, sizeof(*driver), (void**)&driver));
  iree_status_t status = iree_hal_driver_initialize(
      sync_driver_vtable, driver_name, host_allocator, driver);
  if (!iree_status_is_ok(status)) {
    iree_allocator_free(host_allocator, driver);
    return status;
  }
  *out_driver = driver;
  return iree_ok_status();
}

static void sync_driver_destroy(iree_hal_driver_t* driver) {
  iree_allocator_t host_allocator = driver->host_allocator;
  iree_hal_driver_deinitialize(driver);
  iree_allocator_free(host_allocator, driver);
}

static iree_status_t sync_driver_query_available_devices(
    iree_hal_driver_t* driver, iree_allocator_t host_allocator,
    iree_host_size_t* out_count, iree_hal_device_info_t** out_infos) {
  (void)driver;
  iree_hal_device_info_t info;
  memset(&info, 0, sizeof(info));
  info.device_id = IREE_HAL_DEVICE_ID_DEFAULT;
  info.path = IREE_SV("default");
  info.name = IREE_SV("CPU, on the calling thread");
  *out_count = 1;
  return iree_hal_device_infos_clone(1, &info, host_allocator, out_infos);
}

static iree_status_t sync_driver_create_device_by_id(
    iree_hal_driver_t* driver, iree_hal_device_id_t device_id,
    iree_host_size_t param_count, const iree_string_pair_t* params,
    iree_allocator_t host_allocator, iree_hal_device_t** out_device) {
  if (device_id != IREE_HAL_DEVICE_ID_DEFAULT) {
    return iree_make_status(IREE_STATUS_NOT_FOUND,
                            "driver '%.*s' has no device with id %" PRIu64
                            "; its only device has id 0",
                            IREE_SV_ARG(iree_hal_driver_id(driver)), device_id);
  }
  iree_string_view_t formats = iree_string_view_empty();
  for (iree_host_size_t i = 0; i < param_count; ++i) {
    if (!iree_string_view_equal(params[i].key, IREE_SV("formats"))) {
      return iree_make_status(
          IREE_STATUS_INVALID_ARGUMENT,
          "driver '%.*s' has no parameter '%.*s'; it has formats",
          IREE_SV_ARG(iree_hal_driver_id(driver)), IREE_SV_ARG(params[i].key));
    }
    formats = params[i].value;
  }
  return sync_device_create(iree_hal_driver_id(driver), formats, host_allocator,
                            out_device);
}

static bool sync_plugin_initialize(void) {
  static const iree_hal_driver_vtable_t driver_vtable = {
      .header = {.size = sizeof(driver_vtable)},
      .destroy = sync_driver_destroy,
      .query_available_devices = sync_driver_query_available_devices,
      .create_device_by_id = sync_driver_create_device_by_id,
  };
  const iree_string_view_t owner = IREE_SV(SYNC_DRIVER_NAME);
  iree_status_t status =
      iree_cy_register_vtable(IREE_CY_OBJECT_KIND_DRIVER, &driver_vtable, owner,
                              (const void**)&sync_driver_vtable);
  if (iree_status_is_ok(status)) status = sync_device_register(owner);
  if (iree_status_is_ok(status)) status = sync_command_buffer_register(owner);
  if (iree_status_is_ok(status)) status = local_formats_register(owner);
  if (iree_status_is_ok(status)) return true;
  iree_cy_log(IREE_CY_LOG_LEVEL_ERROR, owner, iree_status_message(status));
  iree_status_ignore(status);
  return false;
}

static const iree_cy_driver_plugin_t sync_plugin = {
    .size = sizeof(sync_plugin),
    .version = IREE_CY_ABI_VERSION,
    .host_api_size = sizeof(iree_cy_host_api_t),
    .name = SYNC_DRIVER_NAME,
    .human_name = "CPU, on the calling thread",
    .plugin_version = "0.1.0",
    .create_driver = sync_driver_create,
};

IREE_CY_DEFINE_DRIVER_PLUGIN(sync_plugin, sync_plugin_initialize)
