// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns iree_hal_file_t: bytes that queues read from and write to.

#ifndef IREE_CY_HAL_FILE_H_
#define IREE_CY_HAL_FILE_H_

#include "iree_cy/hal/buffer.h"

IREE_CY_EXTERN_C_BEGIN

// A file over host memory, which stays valid until |release_callback| (its
// buffer argument is NULL).
IREE_API_EXPORT iree_status_t iree_hal_memory_file_wrap(
    iree_hal_memory_access_t access, iree_byte_span_t contents,
    iree_hal_buffer_release_callback_t release_callback,
    iree_allocator_t host_allocator, iree_hal_file_t** out_file);
IREE_API_EXPORT void iree_hal_file_retain(iree_hal_file_t* file);
IREE_API_EXPORT void iree_hal_file_release(iree_hal_file_t* file);
IREE_API_EXPORT iree_hal_memory_access_t
iree_hal_file_allowed_access(iree_hal_file_t* file);
IREE_API_EXPORT uint64_t iree_hal_file_length(iree_hal_file_t* file);
// Reads into or writes from a host-mappable buffer, at once. Ranges and access
// are checked.
IREE_API_EXPORT iree_status_t iree_hal_file_read(
    iree_hal_file_t* file, uint64_t file_offset, iree_hal_buffer_t* buffer,
    iree_device_size_t buffer_offset, iree_device_size_t length);
IREE_API_EXPORT iree_status_t iree_hal_file_write(
    iree_hal_file_t* file, uint64_t file_offset, iree_hal_buffer_t* buffer,
    iree_device_size_t buffer_offset, iree_device_size_t length);
// The bytes when they are in host memory, else an empty span.
IREE_API_EXPORT iree_byte_span_t
iree_hal_file_host_contents(iree_hal_file_t* file);

typedef struct iree_hal_file_vtable_t {
  iree_cy_vtable_header_t header;
  // Required, all three. destroy calls iree_hal_file_deinitialize first.
  void (*destroy)(iree_hal_file_t* file);
  iree_hal_memory_access_t (*allowed_access)(iree_hal_file_t* file);
  uint64_t (*length)(iree_hal_file_t* file);
  // Default: UNIMPLEMENTED. Ranges and access are checked already.
  iree_status_t (*read)(iree_hal_file_t* file, uint64_t file_offset,
                        iree_hal_buffer_t* buffer,
                        iree_device_size_t buffer_offset,
                        iree_device_size_t length);
  iree_status_t (*write)(iree_hal_file_t* file, uint64_t file_offset,
                         iree_hal_buffer_t* buffer,
                         iree_device_size_t buffer_offset,
                         iree_device_size_t length);
  // Default: an empty span.
  iree_byte_span_t (*host_contents)(iree_hal_file_t* file);
} iree_hal_file_vtable_t;

struct iree_hal_file_t {
  iree_hal_resource_t resource;
  iree_allocator_t host_allocator;
  uintptr_t reserved[4];
};
IREE_API_EXPORT void iree_hal_file_initialize(
    const iree_hal_file_vtable_t* vtable, iree_allocator_t host_allocator,
    iree_hal_file_t* file);
// First thing in destroy: from here on the base holds nothing. (Later versions
// may keep things there.)
IREE_API_EXPORT void iree_hal_file_deinitialize(iree_hal_file_t* file);

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_HAL_FILE_H_
