// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the vulkan plugin and its driver: the list of devices and what makes
// one.

#include "device.h"
#include "fork_lock.h"

#define VULKAN_DRIVER_NAME "vulkan"

// An instance for listing. It makes no device, and so starts no thread.
typedef struct vulkan_listing_t {
  vulkan_instance_t instance;
  uint32_t fork_generation;
} vulkan_listing_t;

typedef struct vulkan_driver_t {
  iree_hal_driver_t base;
  // Atomic.
  vulkan_listing_t* listing;
} vulkan_driver_t;

static const iree_hal_driver_vtable_t* vulkan_driver_vtable = NULL;

//===----------------------------------------------------------------------===//
// Listing
//===----------------------------------------------------------------------===//

static void vulkan_listing_free(vulkan_listing_t* listing,
                                iree_allocator_t host_allocator) {
  if (!listing) return;
  // What a parent opened may be in use by threads that its child has not.
  if (listing->fork_generation == iree_cy_fork_generation()) {
    vulkan_instance_deinitialize(&listing->instance);
  }
  iree_allocator_free(host_allocator, listing);
}

static iree_status_t vulkan_listing_create(iree_allocator_t host_allocator,
                                           vulkan_listing_t** out_listing) {
  *out_listing = NULL;
  vulkan_listing_t* listing = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(host_allocator, sizeof(*listing),
                                             (void**)&listing));
  listing->fork_generation = iree_cy_fork_generation();
  const vulkan_instance_options_t options = {false, false};
  iree_status_t status =
      vulkan_instance_initialize(&options, host_allocator, &listing->instance);
  if (iree_status_is_ok(status)) {
    *out_listing = listing;
  } else {
    iree_allocator_free(host_allocator, listing);
  }
  return status;
}

// The instance of this process: a forked child gets its own, and its parent's
// stays as it is.
static iree_status_t vulkan_driver_listing(vulkan_driver_t* driver,
                                           vulkan_listing_t** out_listing) {
  *out_listing = __atomic_load_n(&driver->listing, __ATOMIC_ACQUIRE);
  if ((*out_listing)->fork_generation == iree_cy_fork_generation()) {
    return iree_ok_status();
  }
  vulkan_listing_t* fresh = NULL;
  IREE_RETURN_IF_ERROR(
      vulkan_listing_create(driver->base.host_allocator, &fresh));
  if (__atomic_compare_exchange_n(&driver->listing, out_listing, fresh, false,
                                  __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    // The one before is left to whoever may still look at it.
    *out_listing = fresh;
  } else {
    vulkan_listing_free(fresh, driver->base.host_allocator);
  }
  return iree_ok_status();
}

static iree_status_t vulkan_driver_query(vulkan_driver_t* driver,
                                         iree_allocator_t host_allocator,
                                         uint32_t* out_count,
                                         vulkan_physical_device_t** out) {
  vulkan_listing_t* listing = NULL;
  IREE_RETURN_IF_ERROR(vulkan_driver_listing(driver, &listing));
  return vulkan_physical_devices_query(&listing->instance, host_allocator,
                                       out_count, out);
}

// Ids are positions: 0, the default, is the first.
static iree_status_t vulkan_check_id(uint32_t count,
                                     iree_hal_device_id_t device_id) {
  if (device_id < count) return iree_ok_status();
  return iree_make_status(IREE_STATUS_NOT_FOUND,
                          "driver '%s' has no device with id %" PRIu64
                          "; it has %" PRIu32 ", from 0",
                          VULKAN_DRIVER_NAME, device_id, count);
}

static iree_status_t vulkan_driver_query_available_devices(
    iree_hal_driver_t* base_driver, iree_allocator_t host_allocator,
    iree_host_size_t* out_count, iree_hal_device_info_t** out_infos) {
  uint32_t count = 0;
  vulkan_physical_device_t* devices = NULL;
  IREE_RETURN_IF_ERROR(vulkan_driver_query((vulkan_driver_t*)base_driver,
                                           host_allocator, &count, &devices));
  iree_hal_device_info_t* infos = NULL;
  iree_status_t status = iree_allocator_malloc_array(
      host_allocator, count, sizeof(*infos), (void**)&infos);
  if (iree_status_is_ok(status)) {
    for (uint32_t i = 0; i < count; ++i) {
      infos[i].device_id = i;
      infos[i].path = iree_make_cstring_view(devices[i].path);
      infos[i].name = iree_make_cstring_view(devices[i].properties.deviceName);
    }
    status =
        iree_hal_device_infos_clone(count, infos, host_allocator, out_infos);
    if (iree_status_is_ok(status)) *out_count = count;
  }
  iree_allocator_free(host_allocator, infos);
  iree_allocator_free(host_allocator, devices);
  return status;
}

static iree_status_t vulkan_driver_dump_device_info(
    iree_hal_driver_t* base_driver, iree_hal_device_id_t device_id,
    iree_string_builder_t* builder) {
  iree_allocator_t host_allocator = base_driver->host_allocator;
  uint32_t count = 0;
  vulkan_physical_device_t* devices = NULL;
  IREE_RETURN_IF_ERROR(vulkan_driver_query((vulkan_driver_t*)base_driver,
                                           host_allocator, &count, &devices));
  iree_status_t status = vulkan_check_id(count, device_id);
  if (iree_status_is_ok(status)) {
    status = vulkan_physical_device_dump(&devices[device_id], builder);
  }
  iree_allocator_free(host_allocator, devices);
  return status;
}

// A pattern of a device's name or path: the first device that it fits.
static iree_status_t vulkan_driver_resolve_path(
    iree_hal_driver_t* base_driver, iree_string_view_t path,
    iree_hal_device_id_t* out_device_id) {
  iree_allocator_t host_allocator = base_driver->host_allocator;
  uint32_t count = 0;
  vulkan_physical_device_t* devices = NULL;
  IREE_RETURN_IF_ERROR(vulkan_driver_query((vulkan_driver_t*)base_driver,
                                           host_allocator, &count, &devices));
  uint32_t found = 0;
  while (
      found < count &&
      !iree_string_view_match_pattern(
          iree_make_cstring_view(devices[found].properties.deviceName), path) &&
      !iree_string_view_match_pattern(
          iree_make_cstring_view(devices[found].path), path)) {
    ++found;
  }
  iree_allocator_free(host_allocator, devices);
  // The core says which paths there are.
  if (found == count) return iree_status_from_code(IREE_STATUS_NOT_FOUND);
  *out_device_id = found;
  return iree_ok_status();
}

//===----------------------------------------------------------------------===//
// Creating
//===----------------------------------------------------------------------===//

// The device that id and parameters name.
static iree_status_t vulkan_driver_choose(
    const vulkan_device_params_t* params, iree_hal_device_id_t device_id,
    uint32_t count, const vulkan_physical_device_t* devices,
    const vulkan_physical_device_t** out_device) {
  IREE_RETURN_IF_ERROR(vulkan_check_id(count, device_id));
  *out_device = &devices[device_id];
  if (params->index < 0) return iree_ok_status();
  // A default id may have been named as well as not: then the parameter counts.
  if (device_id != IREE_HAL_DEVICE_ID_DEFAULT &&
      device_id != (iree_hal_device_id_t)params->index) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "parameter 'index' is %" PRId32
                            ", and the device asked for is %" PRIu64
                            ": leave out one of both",
                            params->index, device_id);
  }
  if ((uint32_t)params->index >= count) {
    return iree_make_status(IREE_STATUS_NOT_FOUND,
                            "parameter 'index' is %" PRId32
                            "; driver '%s' has %" PRIu32 " device%s, from 0",
                            params->index, VULKAN_DRIVER_NAME, count,
                            count == 1 ? "" : "s");
  }
  *out_device = &devices[params->index];
  return iree_ok_status();
}

static iree_status_t vulkan_driver_create_device_by_id(
    iree_hal_driver_t* base_driver, iree_hal_device_id_t device_id,
    iree_host_size_t param_count, const iree_string_pair_t* params,
    iree_allocator_t host_allocator, iree_hal_device_t** out_device) {
  const iree_string_view_t name = iree_hal_driver_id(base_driver);
  vulkan_device_params_t device_params;
  IREE_RETURN_IF_ERROR(
      vulkan_device_params_parse(name, param_count, params, &device_params));
  uint32_t count = 0;
  vulkan_physical_device_t* devices = NULL;
  IREE_RETURN_IF_ERROR(vulkan_driver_query((vulkan_driver_t*)base_driver,
                                           host_allocator, &count, &devices));
  const vulkan_physical_device_t* physical = NULL;
  vulkan_logical_device_t* logical = NULL;
  iree_status_t status = vulkan_driver_choose(&device_params, device_id, count,
                                              devices, &physical);
  if (iree_status_is_ok(status)) {
    status =
        vulkan_logical_device_create(physical->v11.deviceUUID, physical->copy,
                                     &device_params, host_allocator, &logical);
  }
  iree_allocator_free(host_allocator, devices);
  if (iree_status_is_ok(status)) {
    status = vulkan_device_create(name, logical, host_allocator, out_device);
  }
  vulkan_logical_device_release(logical);
  return status;
}

//===----------------------------------------------------------------------===//
// Driver and plugin
//===----------------------------------------------------------------------===//

// That there is a device is part of there being a driver: an instance that
// shows none is not kept.
static iree_status_t vulkan_listing_check(const vulkan_listing_t* listing,
                                          iree_allocator_t host_allocator) {
  uint32_t count = 0;
  vulkan_physical_device_t* devices = NULL;
  iree_status_t status = vulkan_physical_devices_query(
      &listing->instance, host_allocator, &count, &devices);
  iree_allocator_free(host_allocator, devices);
  return status;
}

static iree_status_t vulkan_driver_create(iree_string_view_t driver_name,
                                          iree_allocator_t host_allocator,
                                          iree_hal_driver_t** out_driver) {
  vulkan_listing_t* listing = NULL;
  IREE_RETURN_IF_ERROR(vulkan_listing_create(host_allocator, &listing));
  iree_status_t status = vulkan_listing_check(listing, host_allocator);
  vulkan_driver_t* driver = NULL;
  if (iree_status_is_ok(status)) {
    status =
        iree_allocator_malloc(host_allocator, sizeof(*driver), (void**)&driver);
  }
  if (iree_status_is_ok(status)) {
    status = iree_hal_driver_initialize(vulkan_driver_vtable, driver_name,
                                        host_allocator, &driver->base);
  }
  if (!iree_status_is_ok(status)) {
    iree_allocator_free(host_allocator, driver);
    vulkan_listing_free(listing, host_allocator);
    return status;
  }
  driver->listing = listing;
  *out_driver = &driver->base;
  return iree_ok_status();
}

static void vulkan_driver_destroy(iree_hal_driver_t* base_driver) {
  vulkan_driver_t* driver = (vulkan_driver_t*)base_driver;
  iree_allocator_t host_allocator = base_driver->host_allocator;
  vulkan_listing_free(driver->listing, host_allocator);
  iree_hal_driver_deinitialize(base_driver);
  iree_allocator_free(host_allocator, driver);
}

static bool vulkan_plugin_initialize(void) {
  static const iree_hal_driver_vtable_t vtable = {
      .header = {.size = sizeof(vtable)},
      .destroy = vulkan_driver_destroy,
      .query_available_devices = vulkan_driver_query_available_devices,
      .dump_device_info = vulkan_driver_dump_device_info,
      .resolve_path = vulkan_driver_resolve_path,
      .create_device_by_id = vulkan_driver_create_device_by_id,
  };
  const iree_string_view_t owner = IREE_SV(VULKAN_DRIVER_NAME);
  iree_status_t status = vulkan_fork_lock_initialize();
  if (iree_status_is_ok(status)) {
    status = iree_cy_register_vtable(IREE_CY_OBJECT_KIND_DRIVER, &vtable, owner,
                                     (const void**)&vulkan_driver_vtable);
  }
  if (iree_status_is_ok(status)) status = vulkan_device_register(owner);
  if (iree_status_is_ok(status)) return true;
  iree_cy_log(IREE_CY_LOG_LEVEL_ERROR, owner, iree_status_message(status));
  iree_status_ignore(status);
  return false;
}

static const iree_cy_driver_plugin_t vulkan_plugin = {
    .size = sizeof(vulkan_plugin),
    .version = IREE_CY_ABI_VERSION,
    .host_api_size = sizeof(iree_cy_host_api_t),
    .name = VULKAN_DRIVER_NAME,
    .human_name = "Vulkan 1.3 devices",
    .plugin_version = "0.1.0",
    .create_driver = vulkan_driver_create,
};

IREE_CY_DEFINE_DRIVER_PLUGIN(vulkan_plugin, vulkan_plugin_initialize)
