// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the logging driver: it finds another driver, forwards every call to it
// and appends a line for each to a file.

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "iree_cy/plugin.h"

#define LOGGING_DRIVER_NAME "logging"

static const iree_hal_driver_vtable_t* logging_driver_vtable = NULL;
static const iree_hal_device_vtable_t* logging_device_vtable = NULL;

//===-- record --------------------------------------------------------------===

// Opened once, with the driver, and kept to the end: other threads may be about
// to write to it at any time.
static int logging_file = -1;

static iree_status_t logging_open(void) {
  const char* path = getenv("LOGGING_DRIVER_RECORD");
  if (!path || !*path || logging_file >= 0) return iree_ok_status();
  logging_file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (logging_file >= 0) return iree_ok_status();
  return iree_make_status(IREE_STATUS_PERMISSION_DENIED,
                          "cannot write LOGGING_DRIVER_RECORD: '%s'", path);
}

// One write a line: lines of several threads and processes do not mix.
static iree_status_t logging_record(const char* name, uint64_t size,
                                    iree_time_t begin, iree_status_t status) {
  if (logging_file < 0) return status;
  char line[128];
  const int length =
      snprintf(line, sizeof(line), "%s\t%" PRIu64 "\t%" PRId64 "\t%s\n", name,
               size, iree_time_now() - begin,
               iree_status_code_string(iree_status_code(status)));
  // There is nobody to tell that the disk is full.
  if (write(logging_file, line, (size_t)length) < 0) return status;
  return status;
}

// Defines logging_|entry|, which calls |function|, records the call with |size|
// bytes and returns what it returned.
#define FORWARD_AS(entry, function, size, parameters, arguments)      \
  static iree_status_t logging_##entry parameters {                   \
    const iree_time_t begin = iree_time_now();                        \
    return logging_record(#entry, (size), begin, function arguments); \
  }
#define FORWARD(entry, ...) \
  FORWARD_AS(entry, iree_hal_device_##entry, __VA_ARGS__)
#define FORWARD_TO_DRIVER(entry, ...) \
  FORWARD_AS(entry, iree_hal_driver_##entry, __VA_ARGS__)

//===-- device --------------------------------------------------------------===

// What the device behind it makes (buffers, command buffers, executables,
// semaphores) passes through as it is, so it also knows what it is given.
typedef struct logging_device_t {
  iree_hal_device_t base;
  iree_hal_device_t* inner;
} logging_device_t;

// The device behind |device|.
#define DEVICE (((logging_device_t*)device)->inner)

static void logging_device_destroy(iree_hal_device_t* device) {
  iree_allocator_t host_allocator = iree_hal_device_host_allocator(device);
  iree_hal_device_t* inner = DEVICE;
  iree_hal_device_deinitialize(device);
  iree_hal_device_release(inner);
  iree_allocator_free(host_allocator, device);
}

static void logging_replace_allocator(iree_hal_device_t* device,
                                      iree_hal_allocator_t* new_allocator) {
  const iree_time_t begin = iree_time_now();
  iree_hal_device_replace_allocator(DEVICE, new_allocator);
  (void)logging_record("replace_allocator", 0, begin, iree_ok_status());
}

FORWARD(trim, 0, (iree_hal_device_t * device), (DEVICE))
FORWARD(query_i64, 0,
        (iree_hal_device_t * device, iree_string_view_t category,
         iree_string_view_t key, int64_t* out),
        (DEVICE, category, key, out))
FORWARD(query_capabilities, 0,
        (iree_hal_device_t * device, iree_hal_device_capabilities_t* out),
        (DEVICE, out))
FORWARD_AS(create_command_buffer, iree_hal_command_buffer_create, 0,
           (iree_hal_device_t * device, iree_hal_command_buffer_mode_t mode,
            iree_hal_command_category_t categories,
            iree_hal_queue_affinity_t affinity, iree_host_size_t capacity,
            iree_hal_command_buffer_t** out),
           (DEVICE, mode, categories, affinity, capacity, out))
FORWARD_AS(create_executable_cache, iree_hal_executable_cache_create, 0,
           (iree_hal_device_t * device, iree_string_view_t identifier,
            iree_hal_executable_cache_t** out),
           (DEVICE, identifier, out))
FORWARD_AS(create_semaphore, iree_hal_semaphore_create, 0,
           (iree_hal_device_t * device, iree_hal_queue_affinity_t affinity,
            uint64_t value, iree_hal_semaphore_flags_t flags,
            iree_hal_semaphore_t** out),
           (DEVICE, affinity, value, flags, out))
FORWARD(wait_semaphores, 0,
        (iree_hal_device_t * device, iree_hal_wait_mode_t mode,
         iree_hal_semaphore_list_t list, iree_timeout_t timeout,
         iree_hal_wait_flags_t flags),
        (DEVICE, mode, list, timeout, flags))

//===-- queue ---------------------------------------------------------------===

// How each operation begins, and how that is passed on.
#define QUEUE                                                    \
  iree_hal_device_t *device, iree_hal_queue_affinity_t affinity, \
      iree_hal_semaphore_list_t waits, iree_hal_semaphore_list_t signals
#define INNER_QUEUE DEVICE, affinity, waits, signals

// An execution of nothing is a barrier.
static iree_status_t inner_queue_execute(QUEUE,
                                         iree_hal_command_buffer_t* commands,
                                         iree_hal_buffer_binding_table_t table,
                                         iree_hal_execute_flags_t flags) {
  return commands
             ? iree_hal_device_queue_execute(device, affinity, waits, signals,
                                             commands, table, flags)
             : iree_hal_device_queue_barrier(device, affinity, waits, signals,
                                             flags);
}

FORWARD(queue_alloca, size,
        (QUEUE, iree_hal_buffer_params_t params, iree_device_size_t size,
         iree_hal_alloca_flags_t flags, iree_hal_buffer_t** out),
        (INNER_QUEUE, params, size, flags, out))
FORWARD(queue_dealloca, iree_hal_buffer_byte_length(buffer),
        (QUEUE, iree_hal_buffer_t* buffer, iree_hal_dealloca_flags_t flags),
        (INNER_QUEUE, buffer, flags))
FORWARD(queue_fill, length,
        (QUEUE, iree_hal_buffer_t* target, iree_device_size_t offset,
         iree_device_size_t length, const void* pattern,
         iree_host_size_t pattern_length, iree_hal_fill_flags_t flags),
        (INNER_QUEUE, target, offset, length, pattern, pattern_length, flags))
FORWARD(queue_update, length,
        (QUEUE, const void* from, iree_host_size_t from_offset,
         iree_hal_buffer_t* to, iree_device_size_t to_offset,
         iree_device_size_t length, iree_hal_update_flags_t flags),
        (INNER_QUEUE, from, from_offset, to, to_offset, length, flags))
FORWARD(queue_copy, length,
        (QUEUE, iree_hal_buffer_t* from, iree_device_size_t from_offset,
         iree_hal_buffer_t* to, iree_device_size_t to_offset,
         iree_device_size_t length, iree_hal_copy_flags_t flags),
        (INNER_QUEUE, from, from_offset, to, to_offset, length, flags))
FORWARD(queue_read, length,
        (QUEUE, iree_hal_file_t* from, uint64_t from_offset,
         iree_hal_buffer_t* to, iree_device_size_t to_offset,
         iree_device_size_t length, iree_hal_read_flags_t flags),
        (INNER_QUEUE, from, from_offset, to, to_offset, length, flags))
FORWARD(queue_write, length,
        (QUEUE, iree_hal_buffer_t* from, iree_device_size_t from_offset,
         iree_hal_file_t* to, uint64_t to_offset, iree_device_size_t length,
         iree_hal_write_flags_t flags),
        (INNER_QUEUE, from, from_offset, to, to_offset, length, flags))
FORWARD(queue_host_call, 0,
        (QUEUE, iree_hal_host_call_t call, const uint64_t args[4],
         iree_hal_host_call_flags_t flags),
        (INNER_QUEUE, call, args, flags))
FORWARD(queue_dispatch, constants.data_length,
        (QUEUE, iree_hal_executable_t* executable,
         iree_hal_executable_function_t function,
         const iree_hal_dispatch_config_t* config,
         iree_const_byte_span_t constants, iree_hal_buffer_ref_list_t bindings,
         iree_hal_dispatch_flags_t flags),
        (INNER_QUEUE, executable, function, config, constants, bindings, flags))
FORWARD_AS(queue_execute, inner_queue_execute, 0,
           (QUEUE, iree_hal_command_buffer_t* commands,
            iree_hal_buffer_binding_table_t table,
            iree_hal_execute_flags_t flags),
           (INNER_QUEUE, commands, table, flags))
FORWARD(queue_flush, 0,
        (iree_hal_device_t * device, iree_hal_queue_affinity_t affinity),
        (DEVICE, affinity))

//===-- driver --------------------------------------------------------------===

typedef struct logging_driver_t {
  iree_hal_driver_t base;
  iree_hal_driver_t* inner;
} logging_driver_t;

// The driver behind |driver|.
#define DRIVER (((logging_driver_t*)driver)->inner)

static iree_status_t logging_driver_create(iree_string_view_t driver_name,
                                           iree_allocator_t host_allocator,
                                           iree_hal_driver_t** out_driver) {
  IREE_RETURN_IF_ERROR(logging_open());
  const char* name = getenv("LOGGING_DRIVER_INNER");
  iree_hal_driver_t* inner = NULL;
  IREE_RETURN_IF_ERROR(iree_cy_find_driver(
      iree_make_cstring_view(name && *name ? name : "local-sync"), &inner));
  logging_driver_t* driver = NULL;
  iree_status_t status =
      iree_allocator_malloc(host_allocator, sizeof(*driver), (void**)&driver);
  if (iree_status_is_ok(status)) {
    status = iree_hal_driver_initialize(logging_driver_vtable, driver_name,
                                        host_allocator, &driver->base);
  }
  if (iree_status_is_ok(status)) {
    driver->inner = inner;
    *out_driver = &driver->base;
  } else {
    iree_allocator_free(host_allocator, driver);
    iree_hal_driver_release(inner);
  }
  return status;
}

static void logging_driver_destroy(iree_hal_driver_t* driver) {
  iree_allocator_t host_allocator = driver->host_allocator;
  iree_hal_driver_t* inner = DRIVER;
  iree_hal_driver_deinitialize(driver);
  iree_hal_driver_release(inner);
  iree_allocator_free(host_allocator, driver);
}

FORWARD_TO_DRIVER(query_available_devices, 0,
                  (iree_hal_driver_t * driver, iree_allocator_t host_allocator,
                   iree_host_size_t* out_count,
                   iree_hal_device_info_t** out_infos),
                  (DRIVER, host_allocator, out_count, out_infos))
FORWARD_TO_DRIVER(dump_device_info, 0,
                  (iree_hal_driver_t * driver, iree_hal_device_id_t device_id,
                   iree_string_builder_t* builder),
                  (DRIVER, device_id, builder))
FORWARD_TO_DRIVER(resolve_path, 0,
                  (iree_hal_driver_t * driver, iree_string_view_t path,
                   iree_hal_device_id_t* out),
                  (DRIVER, path, out))

static iree_status_t logging_create_device_by_id(
    iree_hal_driver_t* driver, iree_hal_device_id_t device_id,
    iree_host_size_t param_count, const iree_string_pair_t* params,
    iree_allocator_t host_allocator, iree_hal_device_t** out_device) {
  const iree_time_t begin = iree_time_now();
  iree_hal_device_t* inner = NULL;
  IREE_RETURN_IF_ERROR(logging_record(
      "create_device_by_id", 0, begin,
      iree_hal_driver_create_device_by_id(DRIVER, device_id, param_count,
                                          params, host_allocator, &inner)));
  logging_device_t* device = NULL;
  iree_status_t status =
      iree_allocator_malloc(host_allocator, sizeof(*device), (void**)&device);
  if (iree_status_is_ok(status)) {
    status = iree_hal_device_initialize(
        logging_device_vtable, IREE_SV(LOGGING_DRIVER_NAME),
        iree_hal_device_allocator(inner), host_allocator, &device->base);
  }
  if (iree_status_is_ok(status)) {
    device->inner = inner;
    *out_device = &device->base;
  } else {
    iree_allocator_free(host_allocator, device);
    iree_hal_device_release(inner);
  }
  return status;
}

//===-- plugin --------------------------------------------------------------===

static bool logging_plugin_initialize(void) {
  static const iree_hal_driver_vtable_t driver_vtable = {
      .header = {.size = sizeof(driver_vtable)},
      .destroy = logging_driver_destroy,
      .query_available_devices = logging_query_available_devices,
      .dump_device_info = logging_dump_device_info,
      .resolve_path = logging_resolve_path,
      .create_device_by_id = logging_create_device_by_id,
  };
  static const iree_hal_device_vtable_t device_vtable = {
      .header = {.size = sizeof(device_vtable)},
      .destroy = logging_device_destroy,
      .replace_allocator = logging_replace_allocator,
      .trim = logging_trim,
      .query_i64 = logging_query_i64,
      .query_capabilities = logging_query_capabilities,
      .create_command_buffer = logging_create_command_buffer,
      .create_executable_cache = logging_create_executable_cache,
      .create_semaphore = logging_create_semaphore,
      .queue_alloca = logging_queue_alloca,
      .queue_dealloca = logging_queue_dealloca,
      .queue_fill = logging_queue_fill,
      .queue_update = logging_queue_update,
      .queue_copy = logging_queue_copy,
      .queue_read = logging_queue_read,
      .queue_write = logging_queue_write,
      .queue_host_call = logging_queue_host_call,
      .queue_dispatch = logging_queue_dispatch,
      .queue_execute = logging_queue_execute,
      .queue_flush = logging_queue_flush,
      .wait_semaphores = logging_wait_semaphores,
  };
  const iree_string_view_t owner = IREE_SV(LOGGING_DRIVER_NAME);
  iree_status_t status =
      iree_cy_register_vtable(IREE_CY_OBJECT_KIND_DRIVER, &driver_vtable, owner,
                              (const void**)&logging_driver_vtable);
  if (iree_status_is_ok(status)) {
    status =
        iree_cy_register_vtable(IREE_CY_OBJECT_KIND_DEVICE, &device_vtable,
                                owner, (const void**)&logging_device_vtable);
  }
  if (iree_status_is_ok(status)) return true;
  iree_cy_log(IREE_CY_LOG_LEVEL_ERROR, owner, iree_status_message(status));
  iree_status_ignore(status);
  return false;
}

static const iree_cy_driver_plugin_t logging_plugin = {
    .size = sizeof(logging_plugin),
    .version = IREE_CY_ABI_VERSION,
    .host_api_size = sizeof(iree_cy_host_api_t),
    .name = LOGGING_DRIVER_NAME,
    .human_name = "Logging",
    .plugin_version = "0.1.0",
    .create_driver = logging_driver_create,
};

IREE_CY_DEFINE_DRIVER_PLUGIN(logging_plugin, logging_plugin_initialize)
