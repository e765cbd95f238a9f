// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the local-sync plugin and the parameters of its device.

#include "../driver.h"

#include "device.h"

#define SYNC_DRIVER_NAME "local-sync"
#define SYNC_HUMAN_NAME "CPU, on the calling thread"

static iree_status_t sync_driver_create_device(iree_string_view_t driver_name,
                                               iree_host_size_t param_count,
                                               const iree_string_pair_t* params,
                                               iree_allocator_t host_allocator,
                                               iree_hal_device_t** out_device) {
  iree_string_view_t formats = iree_string_view_empty();
  for (iree_host_size_t i = 0; i < param_count; ++i) {
    if (!iree_string_view_equal(params[i].key, IREE_SV("formats"))) {
      return iree_make_status(
          IREE_STATUS_INVALID_ARGUMENT,
          "driver '%.*s' has no parameter '%.*s'; it has formats",
          IREE_SV_ARG(driver_name), IREE_SV_ARG(params[i].key));
    }
    formats = params[i].value;
  }
  return sync_device_create(driver_name, formats, host_allocator, out_device);
}

static iree_status_t sync_driver_create(iree_string_view_t driver_name,
                                        iree_allocator_t host_allocator,
                                        iree_hal_driver_t** out_driver) {
  static const local_driver_kind_t kind = {
      .human_name = {SYNC_HUMAN_NAME, sizeof(SYNC_HUMAN_NAME) - 1},
      .create_device = sync_driver_create_device,
  };
  return local_driver_create(&kind, driver_name, host_allocator, out_driver);
}

static bool sync_plugin_initialize(void) {
  const iree_string_view_t owner = IREE_SV(SYNC_DRIVER_NAME);
  iree_status_t status = local_driver_register(owner);
  if (iree_status_is_ok(status)) status = sync_device_register(owner);
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
    .human_name = SYNC_HUMAN_NAME,
    .plugin_version = "0.1.0",
    .create_driver = sync_driver_create,
};

IREE_CY_DEFINE_DRIVER_PLUGIN(sync_plugin, sync_plugin_initialize)
