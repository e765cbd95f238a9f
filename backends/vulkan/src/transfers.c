// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Implements transfers by command buffers of one command, and those of files
// through memory that both sides see.

#include "transfers.h"

// Bytes of a file that are moved at once.
#define FILE_CHUNK_SIZE ((iree_device_size_t)16 << 20)

// The host's own entries.
static const iree_hal_device_vtable_t* const* transfer_defaults = NULL;

static bool is_seen(const iree_hal_buffer_t* buffer) {
  return iree_all_bits_set(iree_hal_buffer_memory_type(buffer),
                           IREE_HAL_MEMORY_TYPE_HOST_VISIBLE);
}

//===-- commands ------------------------------------------------------------===

static iree_status_t begin_once(iree_hal_device_t* device,
                                iree_hal_queue_affinity_t queue_affinity,
                                iree_hal_command_buffer_t** out_commands) {
  IREE_RETURN_IF_ERROR(iree_hal_command_buffer_create(
      device, IREE_HAL_COMMAND_BUFFER_MODE_ONE_SHOT,
      IREE_HAL_COMMAND_CATEGORY_TRANSFER, queue_affinity, 0, out_commands));
  return iree_hal_command_buffer_begin(*out_commands);
}

// Takes |commands|, or NULL, and |status|, how recording them went.
static iree_status_t execute_once(iree_hal_device_t* device,
                                  iree_hal_queue_affinity_t queue_affinity,
                                  iree_hal_semaphore_list_t waits,
                                  iree_hal_semaphore_list_t signals,
                                  iree_hal_command_buffer_t* commands,
                                  iree_status_t status) {
  if (iree_status_is_ok(status)) status = iree_hal_command_buffer_end(commands);
  if (iree_status_is_ok(status)) {
    status = iree_hal_device_queue_execute(
        device, queue_affinity, waits, signals, commands,
        iree_hal_buffer_binding_table_empty(), 0);
  }
  iree_hal_command_buffer_release(commands);
  return status;
}

static iree_status_t transfer_fill(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t waits, iree_hal_semaphore_list_t signals,
    iree_hal_buffer_t* target, iree_device_size_t offset,
    iree_device_size_t length, const void* pattern,
    iree_host_size_t pattern_length, iree_hal_fill_flags_t flags) {
  if (is_seen(target)) {
    return (*transfer_defaults)
        ->queue_fill(device, queue_affinity, waits, signals, target, offset,
                     length, pattern, pattern_length, flags);
  }
  iree_hal_command_buffer_t* commands = NULL;
  iree_status_t status = begin_once(device, queue_affinity, &commands);
  if (iree_status_is_ok(status)) {
    status = iree_hal_command_buffer_fill_buffer(
        commands, iree_hal_make_buffer_ref(target, offset, length), pattern,
        pattern_length, flags);
  }
  return execute_once(device, queue_affinity, waits, signals, commands, status);
}

static iree_status_t transfer_update(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t waits, iree_hal_semaphore_list_t signals,
    const void* source, iree_host_size_t source_offset,
    iree_hal_buffer_t* target, iree_device_size_t target_offset,
    iree_device_size_t length, iree_hal_update_flags_t flags) {
  if (is_seen(target)) {
    return (*transfer_defaults)
        ->queue_update(device, queue_affinity, waits, signals, source,
                       source_offset, target, target_offset, length, flags);
  }
  iree_hal_command_buffer_t* commands = NULL;
  iree_status_t status = begin_once(device, queue_affinity, &commands);
  for (iree_device_size_t done = 0;
       done < length && iree_status_is_ok(status);) {
    const iree_device_size_t size =
        iree_min(length - done, IREE_HAL_COMMAND_BUFFER_MAX_UPDATE_SIZE);
    status = iree_hal_command_buffer_update_buffer(
        commands, source, source_offset + (iree_host_size_t)done,
        iree_hal_make_buffer_ref(target, target_offset + done, size), flags);
    done += size;
  }
  return execute_once(device, queue_affinity, waits, signals, commands, status);
}

static iree_status_t transfer_copy(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t waits, iree_hal_semaphore_list_t signals,
    iree_hal_buffer_t* source, iree_device_size_t source_offset,
    iree_hal_buffer_t* target, iree_device_size_t target_offset,
    iree_device_size_t length, iree_hal_copy_flags_t flags) {
  if (is_seen(source) && is_seen(target)) {
    return (*transfer_defaults)
        ->queue_copy(device, queue_affinity, waits, signals, source,
                     source_offset, target, target_offset, length, flags);
  }
  iree_hal_command_buffer_t* commands = NULL;
  iree_status_t status = begin_once(device, queue_affinity, &commands);
  if (iree_status_is_ok(status)) {
    status = iree_hal_command_buffer_copy_buffer(
        commands, iree_hal_make_buffer_ref(source, source_offset, length),
        iree_hal_make_buffer_ref(target, target_offset, length), flags);
  }
  return execute_once(device, queue_affinity, waits, signals, commands, status);
}

//===-- files ---------------------------------------------------------------===

typedef struct file_transfer_t {
  vulkan_device_t* device;
  iree_hal_queue_affinity_t queue_affinity;
  iree_hal_file_t* file;
  uint64_t file_offset;
  iree_hal_buffer_t* buffer;
  iree_device_size_t buffer_offset;
  iree_device_size_t length;
  bool is_read;
} file_transfer_t;

// Copies between a part of the buffer and |staging|, now.
static iree_status_t copy_part(const file_transfer_t* transfer,
                               iree_hal_buffer_t* staging,
                               iree_device_size_t done,
                               iree_device_size_t size) {
  vulkan_device_t* device = transfer->device;
  const iree_hal_buffer_ref_t part = iree_hal_make_buffer_ref(
      transfer->buffer, transfer->buffer_offset + done, size);
  const iree_hal_buffer_ref_t whole =
      iree_hal_make_buffer_ref(staging, 0, size);
  iree_hal_command_buffer_t* commands = NULL;
  iree_status_t status =
      begin_once(&device->base, transfer->queue_affinity, &commands);
  if (iree_status_is_ok(status)) {
    status = iree_hal_command_buffer_copy_buffer(
        commands, transfer->is_read ? whole : part,
        transfer->is_read ? part : whole, 0);
  }
  if (iree_status_is_ok(status)) status = iree_hal_command_buffer_end(commands);
  if (iree_status_is_ok(status)) {
    status =
        vulkan_executor_run(&device->executor, transfer->queue_affinity,
                            commands, iree_hal_buffer_binding_table_empty());
  }
  iree_hal_command_buffer_release(commands);
  return status;
}

static iree_status_t move_part(const file_transfer_t* transfer,
                               iree_hal_buffer_t* staging,
                               iree_device_size_t done,
                               iree_device_size_t size) {
  if (transfer->is_read) {
    IREE_RETURN_IF_ERROR(iree_hal_file_read(
        transfer->file, transfer->file_offset + done, staging, 0, size));
    return copy_part(transfer, staging, done, size);
  }
  IREE_RETURN_IF_ERROR(copy_part(transfer, staging, done, size));
  return iree_hal_file_write(transfer->file, transfer->file_offset + done,
                             staging, 0, size);
}

static iree_status_t run_file_transfer(void* user_data) {
  const file_transfer_t* transfer = (const file_transfer_t*)user_data;
  if (!transfer->length) return iree_ok_status();
  iree_hal_buffer_params_t params;
  memset(&params, 0, sizeof(params));
  params.type =
      IREE_HAL_MEMORY_TYPE_HOST_VISIBLE | IREE_HAL_MEMORY_TYPE_DEVICE_VISIBLE;
  params.usage = IREE_HAL_BUFFER_USAGE_TRANSFER | IREE_HAL_BUFFER_USAGE_MAPPING;
  iree_hal_buffer_t* staging = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_allocator_allocate_buffer(
      transfer->device->allocator, params,
      iree_min(transfer->length, FILE_CHUNK_SIZE), &staging));
  iree_status_t status = iree_ok_status();
  for (iree_device_size_t done = 0;
       done < transfer->length && iree_status_is_ok(status);) {
    const iree_device_size_t size =
        iree_min(transfer->length - done, FILE_CHUNK_SIZE);
    status = move_part(transfer, staging, done, size);
    done += size;
  }
  iree_hal_buffer_release(staging);
  return status;
}

static void free_file_transfer(void* user_data) {
  const file_transfer_t* transfer = (const file_transfer_t*)user_data;
  iree_allocator_free(iree_hal_device_host_allocator(&transfer->device->base),
                      user_data);
}

static iree_status_t submit_file_transfer(const file_transfer_t* wanted,
                                          iree_hal_semaphore_list_t waits,
                                          iree_hal_semaphore_list_t signals) {
  iree_hal_device_t* device = &wanted->device->base;
  iree_allocator_t host_allocator = iree_hal_device_host_allocator(device);
  IREE_RETURN_IF_ERROR(
      vulkan_logical_device_check_fork(wanted->device->logical));
  file_transfer_t* transfer = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_clone(
      host_allocator, iree_make_const_byte_span(wanted, sizeof(*wanted)),
      (void**)&transfer));
  void* const resources[] = {transfer->file, transfer->buffer};
  iree_status_t status = iree_hal_device_queue_submit(
      device, waits, signals, IREE_ARRAYSIZE(resources), resources,
      run_file_transfer, free_file_transfer, transfer);
  if (!iree_status_is_ok(status)) {
    iree_allocator_free(host_allocator, transfer);
  }
  return status;
}

static iree_status_t transfer_read(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t waits, iree_hal_semaphore_list_t signals,
    iree_hal_file_t* file, uint64_t file_offset, iree_hal_buffer_t* buffer,
    iree_device_size_t buffer_offset, iree_device_size_t length,
    iree_hal_read_flags_t flags) {
  if (is_seen(buffer)) {
    return (*transfer_defaults)
        ->queue_read(device, queue_affinity, waits, signals, file, file_offset,
                     buffer, buffer_offset, length, flags);
  }
  const file_transfer_t transfer = {(vulkan_device_t*)device,
                                    queue_affinity,
                                    file,
                                    file_offset,
                                    buffer,
                                    buffer_offset,
                                    length,
                                    true};
  return submit_file_transfer(&transfer, waits, signals);
}

static iree_status_t transfer_write(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t waits, iree_hal_semaphore_list_t signals,
    iree_hal_buffer_t* buffer, iree_device_size_t buffer_offset,
    iree_hal_file_t* file, uint64_t file_offset, iree_device_size_t length,
    iree_hal_write_flags_t flags) {
  if (is_seen(buffer)) {
    return (*transfer_defaults)
        ->queue_write(device, queue_affinity, waits, signals, buffer,
                      buffer_offset, file, file_offset, length, flags);
  }
  const file_transfer_t transfer = {(vulkan_device_t*)device,
                                    queue_affinity,
                                    file,
                                    file_offset,
                                    buffer,
                                    buffer_offset,
                                    length,
                                    false};
  return submit_file_transfer(&transfer, waits, signals);
}

void vulkan_transfers_fill_vtable(
    const iree_hal_device_vtable_t* const* defaults,
    iree_hal_device_vtable_t* vtable) {
  transfer_defaults = defaults;
  vtable->queue_fill = transfer_fill;
  vtable->queue_update = transfer_update;
  vtable->queue_copy = transfer_copy;
  vtable->queue_read = transfer_read;
  vtable->queue_write = transfer_write;
}
