// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the null driver: one device in host memory that moves bytes and orders
// work, on the host's defaults alone.

#include "iree_cy/plugin.h"

#define NULL_DRIVER_NAME "null"

// The host's copies of the vtables below, with every entry filled.
static const iree_hal_driver_vtable_t* null_driver_vtable = NULL;
static const iree_hal_device_vtable_t* null_device_vtable = NULL;

//===----------------------------------------------------------------------===//
// Device
//===----------------------------------------------------------------------===//

// A real device puts its queues and handles behind the base.
typedef struct null_device_t {
  iree_hal_device_t base;
} null_device_t;

static iree_status_t null_device_create(iree_allocator_t host_allocator,
                                        iree_hal_device_t** out_device) {
  iree_hal_allocator_t* device_allocator = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_allocator_create_heap(
      IREE_SV(NULL_DRIVER_NAME), host_allocator, &device_allocator));

  null_device_t* device = NULL;
  iree_status_t status =
      iree_allocator_malloc(host_allocator, sizeof(*device), (void**)&device);
  if (iree_status_is_ok(status)) {
    status = iree_hal_device_initialize(
        null_device_vtable, IREE_SV(NULL_DRIVER_NAME), device_allocator,
        host_allocator, &device->base);
    if (iree_status_is_ok(status)) {
      *out_device = &device->base;
    } else {
      iree_allocator_free(host_allocator, device);
    }
  }

  iree_hal_allocator_release(device_allocator);  // The device keeps its own.
  return status;
}

static void null_device_destroy(iree_hal_device_t* base_device) {
  iree_allocator_t host_allocator = iree_hal_device_host_allocator(base_device);
  iree_hal_device_deinitialize(base_device);
  iree_allocator_free(host_allocator, base_device);
}

//===----------------------------------------------------------------------===//
// Driver
//===----------------------------------------------------------------------===//

typedef struct null_driver_t {
  iree_hal_driver_t base;
} null_driver_t;

static iree_status_t null_driver_create(iree_string_view_t driver_name,
                                        iree_allocator_t host_allocator,
                                        iree_hal_driver_t** out_driver) {
  null_driver_t* driver = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc(host_allocator, sizeof(*driver), (void**)&driver));
  iree_status_t status = iree_hal_driver_initialize(
      null_driver_vtable, driver_name, host_allocator, &driver->base);
  if (!iree_status_is_ok(status)) {
    iree_allocator_free(host_allocator, driver);
    return status;
  }
  *out_driver = &driver->base;
  return iree_ok_status();
}

static void null_driver_destroy(iree_hal_driver_t* base_driver) {
  iree_allocator_t host_allocator = base_driver->host_allocator;
  iree_hal_driver_deinitialize(base_driver);
  iree_allocator_free(host_allocator, base_driver);
}

static iree_status_t null_driver_query_available_devices(
    iree_hal_driver_t* base_driver, iree_allocator_t host_allocator,
    iree_host_size_t* out_count, iree_hal_device_info_t** out_infos) {
  (void)base_driver;
  iree_hal_device_info_t info;
  memset(&info, 0, sizeof(info));
  info.device_id = IREE_HAL_DEVICE_ID_DEFAULT;
  info.path = IREE_SV("host");
  info.name = IREE_SV("Host memory (runs no executables)");
  *out_count = 1;
  return iree_hal_device_infos_clone(1, &info, host_allocator, out_infos);
}

static iree_status_t null_driver_create_device_by_id(
    iree_hal_driver_t* base_driver, iree_hal_device_id_t device_id,
    iree_host_size_t param_count, const iree_string_pair_t* params,
    iree_allocator_t host_allocator, iree_hal_device_t** out_device) {
  (void)base_driver;
  if (device_id != IREE_HAL_DEVICE_ID_DEFAULT) {
    return iree_make_status(IREE_STATUS_NOT_FOUND,
                            "driver '%s' has no device with id %" PRIu64
                            "; its only device has id 0",
                            NULL_DRIVER_NAME, device_id);
  }
  if (param_count > 0) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "driver '%s' takes no parameters; '%.*s' was given",
                            NULL_DRIVER_NAME, IREE_SV_ARG(params[0].key));
  }
  return null_device_create(host_allocator, out_device);
}

//===----------------------------------------------------------------------===//
// Plugin
//===----------------------------------------------------------------------===//

static bool null_plugin_initialize(void) {
  // What is left out is filled by the host: see the vtables' declarations for
  // what each entry does by default.
  static const iree_hal_driver_vtable_t driver_vtable = {
      .header = {.size = sizeof(driver_vtable)},
      .destroy = null_driver_destroy,
      .query_available_devices = null_driver_query_available_devices,
      .create_device_by_id = null_driver_create_device_by_id,
  };
  static const iree_hal_device_vtable_t device_vtable = {
      .header = {.size = sizeof(device_vtable)},
      .destroy = null_device_destroy,
  };
  const iree_string_view_t owner = IREE_SV(NULL_DRIVER_NAME);
  iree_status_t status =
      iree_cy_register_vtable(IREE_CY_OBJECT_KIND_DRIVER, &driver_vtable, owner,
                              (const void**)&null_driver_vtable);
  if (iree_status_is_ok(status)) {
    status = iree_cy_register_vtable(IREE_CY_OBJECT_KIND_DEVICE, &device_vtable,
                                     owner, (const void**)&null_device_vtable);
  }
  if (iree_status_is_ok(status)) return true;
  iree_cy_log(IREE_CY_LOG_LEVEL_ERROR, owner, iree_status_message(status));
  iree_status_ignore(status);
  return false;
}

static const iree_cy_driver_plugin_t null_plugin = {
    .size = sizeof(null_plugin),
    .version = IREE_CY_ABI_VERSION,
    .host_api_size = sizeof(iree_cy_host_api_t),
    .name = NULL_DRIVER_NAME,
    .human_name = "Null (host memory, runs no executables)",
    .plugin_version = "0.1.0",
    .create_driver = null_driver_create,
};

IREE_CY_DEFINE_DRIVER_PLUGIN(null_plugin, null_plugin_initialize)
