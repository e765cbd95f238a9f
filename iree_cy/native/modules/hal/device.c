// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns hal.devices.*, and what of hal.device.* asks the device something.

#include "iree_cy/native/modules/hal/module_impl.h"

IREE_HAL_MODULE_EXPORT(devices_count) {
  IREE_HAL_MODULE_ARGUMENTS("devices.count");
  iree_hal_module_return_i32(results, (int32_t)state->module->device_count);
  return iree_ok_status();
}

IREE_HAL_MODULE_EXPORT(devices_get) {
  IREE_HAL_MODULE_ARGUMENTS("devices.get");
  // Programs look for the first null device to know that there are no more.
  const uint32_t index = iree_hal_module_read_u32(&args);
  iree_hal_device_t* device = NULL;
  if (index < state->module->device_count) {
    device = state->module->devices[index];
    iree_hal_device_retain(device);
  }
  iree_hal_module_return_ref(results, IREE_HAL_MODULE_TYPE(device), device);
  return iree_ok_status();
}

IREE_HAL_MODULE_EXPORT(device_allocator) {
  IREE_HAL_MODULE_ARGUMENTS("device.allocator");
  iree_hal_device_t* device = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_device(&args, "device", &device));
  iree_hal_allocator_t* allocator = iree_hal_device_allocator(device);
  iree_hal_allocator_retain(allocator);
  iree_hal_module_return_ref(results, IREE_HAL_MODULE_TYPE(allocator),
                             allocator);
  return iree_ok_status();
}

IREE_HAL_MODULE_EXPORT(device_query_i64) {
  IREE_HAL_MODULE_ARGUMENTS("device.query.i64");
  iree_hal_device_t* device = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_device(&args, "device", &device));
  iree_vm_buffer_t* category_buffer = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_vm_buffer(&args, "category", &category_buffer));
  iree_vm_buffer_t* key_buffer = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_vm_buffer(&args, "key", &key_buffer));
  iree_string_view_t category = iree_vm_buffer_as_string(category_buffer);
  iree_string_view_t key = iree_vm_buffer_as_string(key_buffer);

  // A device that cannot answer says no: the program has another variant then.
  int64_t value = 0;
  const bool is_known = iree_status_consume_code(iree_hal_device_query_i64(
                            device, category, key, &value)) == IREE_STATUS_OK;
  if (!is_known) value = 0;
  iree_hal_module_mismatch_note(&state->mismatch, device, category, key,
                                value != 0);
  value = iree_hal_module_choice_answer(&state->choice, device, category, key,
                                        value);
  uint8_t* cursor = results.data;
  iree_cy_vm_write_i32(&cursor, is_known);
  iree_cy_vm_write_i64(&cursor, value);
  return iree_ok_status();
}
