// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// A driver with one device; what tests break of it comes from flags.

#include "iree_cy/plugin.h"

#ifndef DRIVER
#define DRIVER "bad"
#endif
// Statements at the head of the functions they are named after.
#ifndef ON_QUERY
#define ON_QUERY
#endif
#ifndef ON_INITIALIZE
#define ON_INITIALIZE
#endif
#ifndef ON_CREATE
#define ON_CREATE
#endif
#ifndef ON_LIST
#define ON_LIST
#endif
#ifndef ON_DEVICE
#define ON_DEVICE
#endif
#ifndef QUERY
#define QUERY iree_cy_driver_plugin_query
#endif
// Members of the tables.
#ifndef TABLE_SIZE
#define TABLE_SIZE sizeof(iree_cy_driver_plugin_t)
#endif
#ifndef TABLE_VERSION
#define TABLE_VERSION IREE_CY_ABI_VERSION
#endif
#ifndef HOST_API_SIZE
#define HOST_API_SIZE sizeof(iree_cy_host_api_t)
#endif
#ifndef TABLE_NAME
#define TABLE_NAME DRIVER
#endif
#ifndef HUMAN_NAME
#define HUMAN_NAME "Made to be broken"
#endif
#ifndef PLUGIN_VERSION
#define PLUGIN_VERSION "1"
#endif
#ifndef FACTORY
#define FACTORY create_driver
#endif
#ifndef DRIVER_VTABLE_SIZE
#define DRIVER_VTABLE_SIZE sizeof(iree_hal_driver_vtable_t)
#endif
#ifndef DEVICE_VTABLE_SIZE
#define DEVICE_VTABLE_SIZE sizeof(iree_hal_device_vtable_t)
#endif
#ifndef DESTROY_DRIVER
#define DESTROY_DRIVER destroy_driver
#endif
#ifndef DESTROY_DEVICE
#define DESTROY_DEVICE destroy_device
#endif
#ifndef LIST_DEVICES
#define LIST_DEVICES list_devices
#endif
#ifndef CREATE_DEVICE
#define CREATE_DEVICE create_device
#endif
// Members of the one device's info.
#ifndef PATH
#define PATH IREE_SV("one")
#endif
#ifndef DEVICE_NAME
#define DEVICE_NAME IREE_SV("the one device")
#endif

static const iree_hal_driver_vtable_t* driver_vtable = NULL;
static const iree_hal_device_vtable_t* device_vtable = NULL;
static const iree_hal_driver_vtable_t driver_entries;
static const iree_hal_device_vtable_t device_entries;
static const iree_cy_driver_plugin_t plugin;

__attribute__((unused)) static void destroy_driver(iree_hal_driver_t* driver) {
  iree_allocator_t allocator = driver->host_allocator;
  iree_hal_driver_deinitialize(driver);
  iree_allocator_free(allocator, driver);
}

__attribute__((unused)) static void destroy_device(iree_hal_device_t* device) {
  iree_allocator_t allocator = iree_hal_device_host_allocator(device);
  iree_hal_device_deinitialize(device);
  iree_allocator_free(allocator, device);
}

__attribute__((unused)) static iree_status_t list_devices(
    iree_hal_driver_t* driver, iree_allocator_t allocator,
    iree_host_size_t* out_count, iree_hal_device_info_t** out_infos) {
  (void)driver;
  ON_LIST
  iree_hal_device_info_t info = {
      .device_id = 0, .path = PATH, .name = DEVICE_NAME};
  *out_count = 1;
  return iree_hal_device_infos_clone(1, &info, allocator, out_infos);
}

__attribute__((unused)) static iree_status_t create_device(
    iree_hal_driver_t* driver, iree_hal_device_id_t id,
    iree_host_size_t param_count, const iree_string_pair_t* params,
    iree_allocator_t allocator, iree_hal_device_t** out_device) {
  (void)driver, (void)id, (void)param_count, (void)params;
  ON_DEVICE
  iree_hal_allocator_t* heap = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_allocator_create_heap(IREE_SV(DRIVER), allocator, &heap));
  iree_hal_device_t* device = NULL;
  iree_status_t status =
      iree_allocator_malloc(allocator, sizeof(*device), (void**)&device);
  if (iree_status_is_ok(status)) {
    status = iree_hal_device_initialize(device_vtable, IREE_SV(DRIVER), heap,
                                        allocator, device);
    if (!iree_status_is_ok(status)) iree_allocator_free(allocator, device);
  }
  if (iree_status_is_ok(status)) *out_device = device;
  iree_hal_allocator_release(heap);
  return status;
}

static const iree_hal_driver_vtable_t driver_entries = {
    .header = {.size = DRIVER_VTABLE_SIZE},
    .destroy = DESTROY_DRIVER,
    .query_available_devices = LIST_DEVICES,
    .create_device_by_id = CREATE_DEVICE,
};
static const iree_hal_device_vtable_t device_entries = {
    .header = {.size = DEVICE_VTABLE_SIZE},
    .destroy = DESTROY_DEVICE,
};

static bool initialize(void) {
  ON_INITIALIZE
  iree_status_t status =
      iree_cy_register_vtable(IREE_CY_OBJECT_KIND_DRIVER, &driver_entries,
                              IREE_SV(DRIVER), (const void**)&driver_vtable);
  if (iree_status_is_ok(status)) {
    status =
        iree_cy_register_vtable(IREE_CY_OBJECT_KIND_DEVICE, &device_entries,
                                IREE_SV(DRIVER), (const void**)&device_vtable);
  }
  if (iree_status_is_ok(status)) return true;
  iree_cy_log(IREE_CY_LOG_LEVEL_ERROR, IREE_SV(DRIVER),
              iree_status_message(status));
  iree_status_ignore(status);
  return false;
}

__attribute__((unused)) static iree_status_t create_driver(
    iree_string_view_t name, iree_allocator_t allocator,
    iree_hal_driver_t** out_driver) {
  ON_CREATE
  iree_hal_driver_t* driver = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc(allocator, sizeof(*driver), (void**)&driver));
  iree_status_t status =
      iree_hal_driver_initialize(driver_vtable, name, allocator, driver);
  if (!iree_status_is_ok(status)) {
    iree_allocator_free(allocator, driver);
    return status;
  }
  *out_driver = driver;
  return iree_ok_status();
}

static const iree_cy_driver_plugin_t plugin = {
    .size = TABLE_SIZE,
    .version = TABLE_VERSION,
    .host_api_size = HOST_API_SIZE,
    .name = TABLE_NAME,
    .human_name = HUMAN_NAME,
    .plugin_version = PLUGIN_VERSION,
    .create_driver = FACTORY,
};

__attribute__((visibility("default"))) const iree_cy_driver_plugin_t* QUERY(
    uint32_t abi_version, const iree_cy_host_api_t* host) {
  ON_QUERY
  if (abi_version != plugin.version || host->size < plugin.host_api_size) {
    return &plugin;
  }
  if (!iree_cy_host_table_accept_size(host, plugin.host_api_size)) return NULL;
  return initialize() ? &plugin : NULL;
}
