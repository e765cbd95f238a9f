// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns files: their checked reading and writing, and files over host memory.

#include "iree_cy/hal/file.h"

#include "iree_cy/native/hal/file_impl.h"
#include "iree_cy/native/hal/vtable_defaults.h"

static const iree_hal_file_vtable_t* file_vtable(const iree_hal_file_t* file) {
  return (const iree_hal_file_vtable_t*)file->resource.vtable;
}

void iree_hal_file_initialize(const iree_hal_file_vtable_t* vtable,
                              iree_allocator_t host_allocator,
                              iree_hal_file_t* file) {
  memset(file, 0, sizeof(*file));
  iree_hal_resource_initialize(vtable, &file->resource);
  file->host_allocator = host_allocator;
}

void iree_hal_file_deinitialize(iree_hal_file_t* file) { (void)file; }

void iree_hal_file_retain(iree_hal_file_t* file) {
  iree_hal_resource_retain(file);
}

void iree_hal_file_release(iree_hal_file_t* file) {
  iree_hal_resource_release(file);
}

iree_hal_memory_access_t iree_hal_file_allowed_access(iree_hal_file_t* file) {
  return file ? file_vtable(file)->allowed_access(file)
              : IREE_HAL_MEMORY_ACCESS_NONE;
}

uint64_t iree_hal_file_length(iree_hal_file_t* file) {
  return file ? file_vtable(file)->length(file) : 0;
}

iree_byte_span_t iree_hal_file_host_contents(iree_hal_file_t* file) {
  return file ? file_vtable(file)->host_contents(file) : iree_byte_span_empty();
}

iree_status_t iree_cy_file_validate(iree_hal_file_t* file,
                                    iree_hal_memory_access_t access,
                                    uint64_t file_offset,
                                    iree_device_size_t length) {
  if (IREE_UNLIKELY(!file)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT, "the file is null");
  }
  const iree_hal_memory_access_t allowed = iree_hal_file_allowed_access(file);
  if (IREE_UNLIKELY(!iree_all_bits_set(allowed, access))) {
    char allowed_text[64] = {0};
    iree_hal_memory_access_format(allowed, sizeof(allowed_text), allowed_text);
    return iree_make_status(
        IREE_STATUS_PERMISSION_DENIED, "the file cannot be %s; it allows %s",
        access == IREE_HAL_MEMORY_ACCESS_READ ? "read" : "written",
        allowed_text);
  }
  const uint64_t file_length = iree_hal_file_length(file);
  if (IREE_UNLIKELY(file_offset > file_length ||
                    length > file_length - file_offset)) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "%" PRIdsz " bytes at offset %" PRIu64
                            " are asked for; the file has %" PRIu64 " bytes",
                            length, file_offset, file_length);
  }
  return iree_ok_status();
}

// Also makes a length of WHOLE_BUFFER a number.
static iree_status_t validate_transfer(iree_hal_file_t* file,
                                       iree_hal_memory_access_t file_access,
                                       uint64_t file_offset,
                                       iree_hal_buffer_t* buffer,
                                       iree_hal_memory_access_t buffer_access,
                                       iree_device_size_t buffer_offset,
                                       iree_device_size_t* inout_length) {
  if (IREE_UNLIKELY(!buffer)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "the buffer to exchange with the file is null");
  }
  iree_device_size_t adjusted_offset = 0;
  IREE_RETURN_IF_ERROR(iree_hal_buffer_calculate_range(
      0, iree_hal_buffer_byte_length(buffer), buffer_offset, *inout_length,
      &adjusted_offset, inout_length));
  IREE_RETURN_IF_ERROR(iree_hal_buffer_validate_access(
      iree_hal_buffer_allowed_access(buffer), buffer_access));
  return iree_cy_file_validate(file, file_access, file_offset, *inout_length);
}

iree_status_t iree_hal_file_read(iree_hal_file_t* file, uint64_t file_offset,
                                 iree_hal_buffer_t* buffer,
                                 iree_device_size_t buffer_offset,
                                 iree_device_size_t length) {
  IREE_RETURN_IF_ERROR(
      validate_transfer(file, IREE_HAL_MEMORY_ACCESS_READ, file_offset, buffer,
                        IREE_HAL_MEMORY_ACCESS_WRITE, buffer_offset, &length));
  if (length == 0) return iree_ok_status();
  return file_vtable(file)->read(file, file_offset, buffer, buffer_offset,
                                 length);
}

iree_status_t iree_hal_file_write(iree_hal_file_t* file, uint64_t file_offset,
                                  iree_hal_buffer_t* buffer,
                                  iree_device_size_t buffer_offset,
                                  iree_device_size_t length) {
  IREE_RETURN_IF_ERROR(
      validate_transfer(file, IREE_HAL_MEMORY_ACCESS_WRITE, file_offset, buffer,
                        IREE_HAL_MEMORY_ACCESS_READ, buffer_offset, &length));
  if (length == 0) return iree_ok_status();
  return file_vtable(file)->write(file, file_offset, buffer, buffer_offset,
                                  length);
}

//===-- defaults ------------------------------------------------------------===

static iree_status_t default_read(iree_hal_file_t* file, uint64_t file_offset,
                                  iree_hal_buffer_t* buffer,
                                  iree_device_size_t buffer_offset,
                                  iree_device_size_t length) {
  (void)file_offset, (void)buffer, (void)buffer_offset, (void)length;
  return iree_cy_unimplemented_entry(file, "iree_hal_file_t.read");
}

static iree_status_t default_write(iree_hal_file_t* file, uint64_t file_offset,
                                   iree_hal_buffer_t* buffer,
                                   iree_device_size_t buffer_offset,
                                   iree_device_size_t length) {
  (void)file_offset, (void)buffer, (void)buffer_offset, (void)length;
  return iree_cy_unimplemented_entry(file, "iree_hal_file_t.write");
}

static iree_byte_span_t default_host_contents(iree_hal_file_t* file) {
  (void)file;
  return iree_byte_span_empty();
}

const iree_hal_file_vtable_t iree_cy_file_vtable_defaults = {
    .header = {.size = sizeof(iree_hal_file_vtable_t),
               .kind = IREE_CY_OBJECT_KIND_FILE},
    .read = default_read,
    .write = default_write,
    .host_contents = default_host_contents,
};

//===-- files over host memory ----------------------------------------------===

typedef struct memory_file_t {
  iree_hal_file_t base;
  iree_hal_memory_access_t access;
  iree_byte_span_t contents;
  iree_hal_buffer_release_callback_t release_callback;
} memory_file_t;

static void memory_file_destroy(iree_hal_file_t* base_file) {
  memory_file_t* file = (memory_file_t*)base_file;
  const iree_hal_buffer_release_callback_t callback = file->release_callback;
  iree_hal_file_deinitialize(base_file);
  iree_allocator_free(base_file->host_allocator, file);
  if (callback.fn) callback.fn(callback.user_data, NULL);
}

static iree_hal_memory_access_t memory_file_allowed_access(
    iree_hal_file_t* file) {
  return ((memory_file_t*)file)->access;
}

static uint64_t memory_file_length(iree_hal_file_t* file) {
  return ((memory_file_t*)file)->contents.data_length;
}

static iree_status_t memory_file_read(iree_hal_file_t* file,
                                      uint64_t file_offset,
                                      iree_hal_buffer_t* buffer,
                                      iree_device_size_t buffer_offset,
                                      iree_device_size_t length) {
  return iree_hal_buffer_map_write(
      buffer, buffer_offset,
      ((memory_file_t*)file)->contents.data + file_offset, length);
}

static iree_status_t memory_file_write(iree_hal_file_t* file,
                                       uint64_t file_offset,
                                       iree_hal_buffer_t* buffer,
                                       iree_device_size_t buffer_offset,
                                       iree_device_size_t length) {
  return iree_hal_buffer_map_read(
      buffer, buffer_offset,
      ((memory_file_t*)file)->contents.data + file_offset, length);
}

static iree_byte_span_t memory_file_host_contents(iree_hal_file_t* file) {
  return ((memory_file_t*)file)->contents;
}

static const iree_hal_file_vtable_t memory_file_vtable = {
    .header = {.size = sizeof(iree_hal_file_vtable_t),
               .kind = IREE_CY_OBJECT_KIND_FILE},
    .destroy = memory_file_destroy,
    .allowed_access = memory_file_allowed_access,
    .length = memory_file_length,
    .read = memory_file_read,
    .write = memory_file_write,
    .host_contents = memory_file_host_contents,
};

iree_status_t iree_hal_memory_file_wrap(
    iree_hal_memory_access_t access, iree_byte_span_t contents,
    iree_hal_buffer_release_callback_t release_callback,
    iree_allocator_t host_allocator, iree_hal_file_t** out_file) {
  if (out_file) *out_file = NULL;
  if (IREE_UNLIKELY(!out_file || (contents.data_length && !contents.data))) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "a memory file needs its memory and a place for "
                            "the file");
  }
  const iree_hal_memory_access_t known =
      IREE_HAL_MEMORY_ACCESS_READ | IREE_HAL_MEMORY_ACCESS_WRITE;
  if (IREE_UNLIKELY(!iree_any_bit_set(access, known))) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "a memory file must allow READ, WRITE or both");
  }
  memory_file_t* file = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc(host_allocator, sizeof(*file), (void**)&file));
  iree_hal_file_initialize(&memory_file_vtable, host_allocator, &file->base);
  file->access = access;
  file->contents = contents;
  file->release_callback = release_callback;
  *out_file = &file->base;
  return iree_ok_status();
}
