// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the required entries of the tests' driver.

#include "tests/support/default_device.h"

static void default_device_destroy(iree_hal_device_t* device) {
  const iree_allocator_t host_allocator = device->host_allocator;
  iree_hal_device_deinitialize(device);
  iree_allocator_free(host_allocator, device);
}

iree_status_t default_device_create(iree_allocator_t host_allocator,
                                    iree_hal_device_t** out_device) {
  static const iree_hal_device_vtable_t table = {
      .header = {.size = sizeof(table)},
      .destroy = default_device_destroy,
  };
  *out_device = NULL;
  const void* vtable = NULL;
  IREE_RETURN_IF_ERROR(iree_cy_register_vtable(
      IREE_CY_OBJECT_KIND_DEVICE, &table, IREE_SV("bare"), &vtable));
  iree_hal_allocator_t* device_allocator = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_allocator_create_heap(
      IREE_SV("bare"), host_allocator, &device_allocator));
  iree_hal_device_t* device = NULL;
  iree_status_t status =
      iree_allocator_malloc(host_allocator, sizeof(*device), (void**)&device);
  if (iree_status_is_ok(status)) {
    status = iree_hal_device_initialize((const iree_hal_device_vtable_t*)vtable,
                                        IREE_SV("bare"), device_allocator,
                                        host_allocator, device);
    if (iree_status_is_ok(status)) {
      *out_device = device;
    } else {
      iree_allocator_free(host_allocator, device);
    }
  }
  iree_hal_allocator_release(device_allocator);
  return status;
}

static void default_driver_destroy(iree_hal_driver_t* driver) {
  const iree_allocator_t host_allocator = driver->host_allocator;
  iree_hal_driver_deinitialize(driver);
  iree_allocator_free(host_allocator, driver);
}

static iree_status_t default_driver_query_available_devices(
    iree_hal_driver_t* driver, iree_allocator_t host_allocator,
    iree_host_size_t* out_count, iree_hal_device_info_t** out_infos) {
  (void)driver;
  iree_hal_device_info_t infos[2];
  memset(infos, 0, sizeof(infos));
  infos[0].device_id = 11;
  infos[0].path = IREE_SV("first");
  infos[0].name = IREE_SV("The first");
  infos[1].device_id = 12;
  infos[1].path = IREE_SV("second");
  infos[1].name = IREE_SV("The second");
  IREE_RETURN_IF_ERROR(
      iree_hal_device_infos_clone(2, infos, host_allocator, out_infos));
  *out_count = 2;
  return iree_ok_status();
}

static iree_status_t default_driver_create_device_by_id(
    iree_hal_driver_t* driver, iree_hal_device_id_t device_id,
    iree_host_size_t param_count, const iree_string_pair_t* params,
    iree_allocator_t host_allocator, iree_hal_device_t** out_device) {
  (void)driver, (void)device_id, (void)param_count, (void)params;
  return default_device_create(host_allocator, out_device);
}

iree_status_t default_driver_create(iree_allocator_t host_allocator,
                                    iree_hal_driver_t** out_driver) {
  static const iree_hal_driver_vtable_t table = {
      .header = {.size = sizeof(table)},
      .destroy = default_driver_destroy,
      .query_available_devices = default_driver_query_available_devices,
      .create_device_by_id = default_driver_create_device_by_id,
  };
  *out_driver = NULL;
  const void* vtable = NULL;
  IREE_RETURN_IF_ERROR(iree_cy_register_vtable(
      IREE_CY_OBJECT_KIND_DRIVER, &table, IREE_SV("bare"), &vtable));
  iree_hal_driver_t* driver = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc(host_allocator, sizeof(*driver), (void**)&driver));
  iree_status_t status =
      iree_hal_driver_initialize((const iree_hal_driver_vtable_t*)vtable,
                                 IREE_SV("bare"), host_allocator, driver);
  if (!iree_status_is_ok(status)) {
    iree_allocator_free(host_allocator, driver);
    return status;
  }
  *out_driver = driver;
  return iree_ok_status();
}
