// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns hal.ex.file.*.

#include "iree_cy/native/modules/hal/module_impl.h"

static void iree_hal_module_release_file_contents(void* user_data,
                                                  iree_hal_buffer_t* buffer) {
  (void)buffer;
  iree_vm_buffer_release((iree_vm_buffer_t*)user_data);
}

IREE_HAL_MODULE_EXPORT(ex_file_from_memory) {
  IREE_HAL_MODULE_ARGUMENTS("ex.file.from_memory");
  iree_hal_device_t* device = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_device(&args, "device", &device));
  iree_hal_module_read_u64(&args);  // queue affinity
  const iree_hal_memory_access_t access = iree_hal_module_read_u32(&args);
  iree_vm_buffer_t* buffer = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_vm_buffer(&args, "buffer", &buffer));
  const uint64_t offset = iree_hal_module_read_u64(&args);
  const uint64_t length = iree_hal_module_read_u64(&args);
  // The contents are the program's constants.
  if (access & ~(iree_hal_memory_access_t)IREE_HAL_MEMORY_ACCESS_READ) {
    return iree_make_status(IREE_STATUS_PERMISSION_DENIED,
                            "hal.%s: argument 'access' is 0x%x, files over a "
                            "program's memory are for reading",
                            args.function, access);
  }
  iree_const_byte_span_t span = iree_const_byte_span_empty();
  IREE_RETURN_IF_ERROR(iree_vm_buffer_map_ro(buffer, offset, length, 1, &span));

  iree_hal_buffer_release_callback_t callback = {
      iree_hal_module_release_file_contents, buffer};
  iree_vm_buffer_retain(buffer);
  iree_hal_file_t* file = NULL;
  iree_status_t status = iree_hal_memory_file_wrap(
      IREE_HAL_MEMORY_ACCESS_READ,
      iree_make_byte_span((void*)span.data, span.data_length), callback,
      iree_vm_stack_program_allocator(stack), &file);
  if (!iree_status_is_ok(status)) {
    iree_vm_buffer_release(buffer);
    return status;
  }
  iree_hal_module_return_ref(results, IREE_HAL_MODULE_TYPE(file), file);
  return iree_ok_status();
}
