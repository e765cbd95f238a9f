// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the HAL device over a logical device.

#include "device.h"

static const iree_hal_device_vtable_t* vulkan_device_vtable = NULL;

iree_status_t vulkan_device_create(iree_string_view_t driver_name,
                                   vulkan_logical_device_t* logical,
                                   iree_allocator_t host_allocator,
                                   iree_hal_device_t** out_device) {
  *out_device = NULL;
  iree_hal_allocator_t* device_allocator = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_allocator_create_heap(
      driver_name, host_allocator, &device_allocator));
  vulkan_device_t* device = NULL;
  iree_status_t status =
      iree_allocator_malloc(host_allocator, sizeof(*device), (void**)&device);
  if (iree_status_is_ok(status)) {
    status = iree_hal_device_initialize(vulkan_device_vtable, driver_name,
                                        device_allocator, host_allocator,
                                        &device->base);
  }
  iree_hal_allocator_release(device_allocator);
  if (!iree_status_is_ok(status)) {
    iree_allocator_free(host_allocator, device);
    return status;
  }
  vulkan_logical_device_retain(logical);
  device->logical = logical;
  *out_device = &device->base;
  return iree_ok_status();
}

static void vulkan_device_destroy(iree_hal_device_t* base_device) {
  vulkan_device_t* device = (vulkan_device_t*)base_device;
  iree_allocator_t host_allocator = iree_hal_device_host_allocator(base_device);
  vulkan_logical_device_t* logical = device->logical;
  iree_hal_device_deinitialize(base_device);
  iree_allocator_free(host_allocator, device);
  // Last: it ends threads and takes a while.
  vulkan_logical_device_release(logical);
}

static iree_status_t vulkan_device_query_i64(iree_hal_device_t* base_device,
                                             iree_string_view_t category,
                                             iree_string_view_t key,
                                             int64_t* out_value) {
  if (iree_string_view_equal(category, IREE_SV("hal.device.id"))) {
    *out_value =
        iree_string_view_match_pattern(iree_hal_device_id(base_device), key);
    return iree_ok_status();
  }
  return iree_make_status(IREE_STATUS_NOT_FOUND,
                          "device '%.*s' knows no value '%.*s :: %.*s'",
                          IREE_SV_ARG(iree_hal_device_id(base_device)),
                          IREE_SV_ARG(category), IREE_SV_ARG(key));
}

iree_status_t vulkan_device_register(iree_string_view_t owner) {
  // What is left out works in host memory.
  static const iree_hal_device_vtable_t vtable = {
      .header = {.size = sizeof(vtable)},
      .destroy = vulkan_device_destroy,
      .query_i64 = vulkan_device_query_i64,
  };
  return iree_cy_register_vtable(IREE_CY_OBJECT_KIND_DEVICE, &vtable, owner,
                                 (const void**)&vulkan_device_vtable);
}
