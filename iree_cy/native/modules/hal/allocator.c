// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns hal.allocator.*.

#include "iree_cy/native/modules/hal/module_impl.h"

// What executables expect of a buffer's address.
#define IREE_HAL_MODULE_IMPORT_ALIGNMENT 64

IREE_HAL_MODULE_EXPORT(allocator_allocate) {
  IREE_HAL_MODULE_ARGUMENTS("allocator.allocate");
  iree_hal_allocator_t* allocator = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_allocator(&args, "allocator", &allocator));
  iree_hal_buffer_params_t params = {0};
  params.queue_affinity = iree_hal_module_read_u64(&args);
  params.type = iree_hal_module_read_u32(&args);
  params.usage = iree_hal_module_read_u32(&args);
  const iree_device_size_t size = iree_hal_module_read_u64(&args);
  if (size > (iree_device_size_t)INT64_MAX) {
    return iree_hal_module_value_error(args.function, "allocation_size",
                                       (int64_t)size);
  }

  iree_cy_vm_budget_t* budget = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_module_charge(stack, size, &budget));
  iree_hal_buffer_t* buffer = NULL;
  iree_status_t status =
      iree_hal_allocator_allocate_buffer(allocator, params, size, &buffer);
  if (!iree_status_is_ok(status)) {
    iree_hal_module_uncharge(budget, size);
    return status;
  }
  status = iree_hal_module_charge_buffer(budget, size, state->host_allocator,
                                         buffer);
  if (!iree_status_is_ok(status)) {
    iree_hal_buffer_release(buffer);
    return status;
  }
  iree_hal_module_return_ref(results, IREE_HAL_MODULE_TYPE(buffer), buffer);
  return iree_ok_status();
}

static void iree_hal_module_release_imported(void* user_data,
                                             iree_hal_buffer_t* buffer) {
  (void)buffer;
  iree_vm_buffer_release((iree_vm_buffer_t*)user_data);
}

// Makes |source| a device buffer where it lies, or fails.
static iree_status_t iree_hal_module_import(iree_hal_allocator_t* allocator,
                                            iree_hal_buffer_params_t params,
                                            iree_vm_buffer_t* source,
                                            iree_byte_span_t span,
                                            iree_hal_buffer_t** out_buffer) {
  *out_buffer = NULL;
  if ((uintptr_t)span.data % IREE_HAL_MODULE_IMPORT_ALIGNMENT != 0 &&
      span.data_length != 0) {
    return iree_make_status(
        IREE_STATUS_OUT_OF_RANGE,
        "host memory that is not aligned to %d bytes cannot be imported",
        IREE_HAL_MODULE_IMPORT_ALIGNMENT);
  }
  iree_hal_external_buffer_t external_buffer = {0};
  external_buffer.type = IREE_HAL_EXTERNAL_BUFFER_TYPE_HOST_ALLOCATION;
  external_buffer.size = span.data_length;
  external_buffer.handle = (uint64_t)(uintptr_t)span.data;
  iree_hal_buffer_release_callback_t callback = {
      iree_hal_module_release_imported, source};
  iree_vm_buffer_retain(source);
  iree_status_t status = iree_hal_allocator_import_buffer(
      allocator, params, &external_buffer, callback, out_buffer);
  if (!iree_status_is_ok(status)) iree_vm_buffer_release(source);
  return status;
}

IREE_HAL_MODULE_EXPORT(allocator_import) {
  IREE_HAL_MODULE_ARGUMENTS("allocator.import");
  iree_hal_allocator_t* allocator = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_allocator(&args, "allocator", &allocator));
  const bool is_try = iree_hal_module_read_i32(&args) != 0;
  iree_hal_buffer_params_t params = {0};
  params.queue_affinity = iree_hal_module_read_u64(&args);
  params.type = iree_hal_module_read_u32(&args);
  params.usage = iree_hal_module_read_u32(&args);
  iree_vm_buffer_t* source = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_vm_buffer(&args, "source", &source));
  const uint64_t offset = iree_hal_module_read_u64(&args);
  uint64_t length = iree_hal_module_read_u64(&args);
  // The program writes -1 for all there is.
  if (length == UINT64_MAX && offset == 0) {
    length = iree_vm_buffer_length(source);
  }
  if (!iree_cy_vm_buffer_contains(source, offset, length)) {
    return iree_cy_vm_buffer_access_error(source, offset, length,
                                          /*is_write=*/false);
  }

  // Constants of the program may be mapped from its file and never change, so
  // they are taken by who promises not to write; the buffer is READ in any
  // case then. What the program made itself may be written in place.
  params.access = IREE_HAL_MEMORY_ACCESS_READ;
  const bool is_immutable =
      iree_all_bits_set(params.usage, IREE_HAL_BUFFER_USAGE_SHARING_IMMUTABLE);
  iree_status_t status = iree_ok_status();
  if (!iree_all_bits_set(source->access, IREE_VM_BUFFER_ACCESS_MUTABLE)) {
    if (!is_immutable) {
      return iree_make_status(
          IREE_STATUS_PERMISSION_DENIED,
          "hal.%s: argument 'source' holds constants, it can be imported for "
          "immutable usage only",
          args.function);
    }
  } else if (!is_immutable) {
    params.access |= IREE_HAL_MEMORY_ACCESS_DISCARD_WRITE;
  }
  iree_hal_buffer_t* buffer = NULL;
  status = iree_hal_module_import(
      allocator, params, source,
      iree_make_byte_span(iree_vm_buffer_data(source) + offset,
                          (iree_host_size_t)length),
      &buffer);
  if (!iree_status_is_ok(status)) {
    // A program that only tries goes on with a null buffer: it allocates one
    // and copies.
    if (!is_try) return status;
    iree_status_ignore(status);
  }
  iree_hal_module_return_ref(results, IREE_HAL_MODULE_TYPE(buffer), buffer);
  return iree_ok_status();
}

IREE_HAL_MODULE_EXPORT(allocator_select) {
  IREE_HAL_MODULE_ARGUMENTS("allocator.select");
  iree_hal_module_read_u32(&args);  // memory types
  iree_hal_module_read_u32(&args);  // buffer usage
  iree_hal_module_read_u64(&args);  // flags
  if (iree_hal_module_read_count(&args) == 0) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "hal.%s: argument 'from' names no device",
                            args.function);
  }
  // The program lists what it prefers first.
  iree_hal_device_t* device = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_device(&args, "from", &device));
  const uint64_t queue_affinity = iree_hal_module_read_u64(&args);
  uint8_t* cursor = results.data;
  iree_cy_vm_write_ref(&cursor, iree_hal_device_retain_ref(device));
  iree_cy_vm_write_i64(&cursor, (int64_t)queue_affinity);
  return iree_ok_status();
}
