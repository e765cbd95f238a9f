// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the device whose dispatches do nothing: a driver on the host's defaults
// but for executables and execution.

#include "tests/support/noop_device.h"

#include <pthread.h>

#define NOOP_FUNCTION_COUNT 64

static const iree_hal_device_vtable_t* noop_device_vtable = NULL;
static const iree_hal_executable_cache_vtable_t* noop_cache_vtable = NULL;
static const iree_hal_executable_vtable_t* noop_executable_vtable = NULL;
static const iree_hal_semaphore_vtable_t* noop_semaphore_vtable = NULL;
static uint64_t noop_dispatch_count = 0;

uint64_t noop_device_dispatch_count(void) {
  return __atomic_load_n(&noop_dispatch_count, __ATOMIC_RELAXED);
}

//===----------------------------------------------------------------------===//
// Executables
//===----------------------------------------------------------------------===//

static void noop_executable_destroy(iree_hal_executable_t* executable) {
  iree_hal_executable_deinitialize(executable);
  iree_allocator_free(executable->host_allocator, executable);
}

static iree_host_size_t noop_executable_function_count(
    iree_hal_executable_t* executable) {
  (void)executable;
  return NOOP_FUNCTION_COUNT;
}

static iree_status_t noop_executable_function_info(
    iree_hal_executable_t* executable, iree_hal_executable_function_t function,
    iree_hal_executable_function_info_t* out_info) {
  (void)executable;
  memset(out_info, 0, sizeof(*out_info));
  if (function.value >= NOOP_FUNCTION_COUNT) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "there is no function %" PRIu64, function.value);
  }
  out_info->name = IREE_SV("noop");
  out_info->flags = IREE_HAL_EXECUTABLE_FUNCTION_FLAG_ARGUMENTS_UNKNOWN;
  out_info->workgroup_size[0] = 1;
  out_info->workgroup_size[1] = 1;
  out_info->workgroup_size[2] = 1;
  return iree_ok_status();
}

static iree_status_t noop_executable_lookup_function_by_name(
    iree_hal_executable_t* executable, iree_string_view_t name,
    iree_hal_executable_function_t* out_function) {
  (void)executable;
  *out_function = iree_hal_executable_function_from_index(
      (uint32_t)(name.size % NOOP_FUNCTION_COUNT));
  return iree_ok_status();
}

typedef struct noop_cache_t {
  iree_hal_executable_cache_t base;
  iree_string_view_t executable_format;
} noop_cache_t;

static void noop_cache_destroy(iree_hal_executable_cache_t* cache) {
  iree_hal_executable_cache_deinitialize(cache);
  iree_allocator_free(cache->host_allocator, cache);
}

static bool noop_cache_can_prepare_format(
    iree_hal_executable_cache_t* base_cache,
    iree_hal_executable_caching_mode_t caching_mode,
    iree_string_view_t executable_format) {
  (void)caching_mode;
  const noop_cache_t* cache = (const noop_cache_t*)base_cache;
  return iree_string_view_is_empty(cache->executable_format) ||
         iree_string_view_equal(cache->executable_format, executable_format);
}

static iree_status_t noop_cache_prepare_executable(
    iree_hal_executable_cache_t* cache,
    const iree_hal_executable_params_t* params,
    iree_hal_executable_t** out_executable) {
  (void)params;
  iree_hal_executable_t* executable = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(
      cache->host_allocator, sizeof(*executable), (void**)&executable));
  iree_hal_executable_initialize(noop_executable_vtable, cache->host_allocator,
                                 executable);
  *out_executable = executable;
  return iree_ok_status();
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

// One queue_execute that waits for its semaphores.
typedef struct noop_operation_t {
  iree_allocator_t host_allocator;
  iree_hal_semaphore_list_t signal_list;
  iree_hal_command_buffer_t* command_buffer;
  iree_host_size_t binding_count;
  iree_hal_buffer_binding_t bindings[];
} noop_operation_t;

static void noop_operation_free(noop_operation_t* operation) {
  for (iree_host_size_t i = 0; i < operation->binding_count; ++i) {
    iree_hal_buffer_release(operation->bindings[i].buffer);
  }
  iree_hal_command_buffer_release(operation->command_buffer);
  iree_hal_semaphore_list_free(operation->signal_list,
                               operation->host_allocator);
  iree_allocator_free(operation->host_allocator, operation);
}

static iree_status_t noop_play_fill(void* user_data,
                                    iree_hal_buffer_ref_t target_ref,
                                    const void* pattern,
                                    iree_host_size_t pattern_length) {
  (void)user_data;
  return iree_hal_buffer_map_fill(target_ref.buffer, target_ref.offset,
                                  target_ref.length, pattern, pattern_length);
}

static iree_status_t noop_play_update(void* user_data, const void* source,
                                      iree_hal_buffer_ref_t target_ref) {
  (void)user_data;
  return iree_hal_buffer_map_write(target_ref.buffer, target_ref.offset, source,
                                   target_ref.length);
}

static iree_status_t noop_play_copy(void* user_data,
                                    iree_hal_buffer_ref_t source_ref,
                                    iree_hal_buffer_ref_t target_ref) {
  (void)user_data;
  return iree_hal_buffer_map_copy(source_ref.buffer, source_ref.offset,
                                  target_ref.buffer, target_ref.offset,
                                  target_ref.length);
}

static iree_status_t noop_play_dispatch(
    void* user_data, iree_hal_executable_t* executable,
    iree_hal_executable_function_t function,
    const iree_hal_dispatch_config_t* config, iree_const_byte_span_t constants,
    iree_hal_buffer_ref_list_t bindings, iree_hal_dispatch_flags_t flags) {
  (void)user_data, (void)executable, (void)function, (void)config;
  (void)constants, (void)bindings, (void)flags;
  __atomic_fetch_add(&noop_dispatch_count, 1, __ATOMIC_RELAXED);
  return iree_ok_status();
}

static iree_status_t noop_play(noop_operation_t* operation) {
  if (!operation->command_buffer) return iree_ok_status();
  const iree_hal_command_visitor_t visitor = {
      .size = sizeof(visitor),
      .fill = noop_play_fill,
      .update = noop_play_update,
      .copy = noop_play_copy,
      .dispatch = noop_play_dispatch,
  };
  const iree_hal_buffer_binding_table_t table = {operation->binding_count,
                                                 operation->bindings};
  return iree_hal_recorded_command_buffer_replay(operation->command_buffer,
                                                 table, &visitor, NULL);
}

static void noop_operation_run(void* user_data, iree_status_t status) {
  noop_operation_t* operation = (noop_operation_t*)user_data;
  if (iree_status_is_ok(status)) status = noop_play(operation);
  if (iree_status_is_ok(status)) {
    status = iree_hal_semaphore_list_signal(operation->signal_list);
  }
  if (!iree_status_is_ok(status)) {
    iree_hal_semaphore_list_fail(operation->signal_list, status);
  }
  noop_operation_free(operation);
}

static iree_status_t noop_device_queue_execute(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_command_buffer_t* command_buffer,
    iree_hal_buffer_binding_table_t binding_table,
    iree_hal_execute_flags_t flags) {
  (void)queue_affinity, (void)flags;
  iree_allocator_t host_allocator = iree_hal_device_host_allocator(device);
  noop_operation_t* operation = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(
      host_allocator,
      sizeof(*operation) + binding_table.count * sizeof(operation->bindings[0]),
      (void**)&operation));
  operation->host_allocator = host_allocator;
  operation->command_buffer = command_buffer;
  iree_hal_command_buffer_retain(command_buffer);
  operation->binding_count = binding_table.count;
  for (iree_host_size_t i = 0; i < binding_table.count; ++i) {
    operation->bindings[i] = binding_table.bindings[i];
    iree_hal_buffer_retain(operation->bindings[i].buffer);
  }
  iree_status_t status = iree_hal_semaphore_list_clone(
      signal_semaphore_list, host_allocator, &operation->signal_list);
  if (iree_status_is_ok(status)) {
    // What it waits for is not kept: nobody could signal it any more, and it
    // keeps the operation.
    status = iree_hal_semaphore_list_notify(
        wait_semaphore_list, noop_operation_run, operation, host_allocator);
  }
  if (!iree_status_is_ok(status)) noop_operation_free(operation);
  return status;
}

//===----------------------------------------------------------------------===//
// Semaphores
//===----------------------------------------------------------------------===//

// Those of all such devices that are alive, so that they can be failed.
typedef struct noop_semaphore_t {
  iree_hal_semaphore_t base;
  iree_allocator_t host_allocator;
  struct noop_semaphore_t* next;
  struct noop_semaphore_t** link;
} noop_semaphore_t;

static pthread_mutex_t noop_semaphores_lock = PTHREAD_MUTEX_INITIALIZER;
static noop_semaphore_t* noop_semaphores = NULL;

static void noop_semaphore_destroy(iree_hal_semaphore_t* base_semaphore) {
  noop_semaphore_t* semaphore = (noop_semaphore_t*)base_semaphore;
  pthread_mutex_lock(&noop_semaphores_lock);
  *semaphore->link = semaphore->next;
  if (semaphore->next) semaphore->next->link = semaphore->link;
  pthread_mutex_unlock(&noop_semaphores_lock);
  iree_hal_semaphore_deinitialize(base_semaphore);
  iree_allocator_free(semaphore->host_allocator, semaphore);
}

static iree_status_t noop_device_create_semaphore(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    uint64_t initial_value, iree_hal_semaphore_flags_t flags,
    iree_hal_semaphore_t** out_semaphore) {
  (void)queue_affinity;
  iree_allocator_t host_allocator = iree_hal_device_host_allocator(device);
  noop_semaphore_t* semaphore = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(host_allocator, sizeof(*semaphore),
                                             (void**)&semaphore));
  iree_hal_semaphore_initialize(noop_semaphore_vtable, device, initial_value,
                                flags, &semaphore->base);
  semaphore->host_allocator = host_allocator;
  pthread_mutex_lock(&noop_semaphores_lock);
  semaphore->link = &noop_semaphores;
  semaphore->next = noop_semaphores;
  if (semaphore->next) semaphore->next->link = &semaphore->next;
  noop_semaphores = semaphore;
  pthread_mutex_unlock(&noop_semaphores_lock);
  *out_semaphore = &semaphore->base;
  return iree_ok_status();
}

void noop_device_fail_pending(void) {
  // Each one that is failed may take others with it.
  for (;;) {
    iree_hal_semaphore_t* pending = NULL;
    pthread_mutex_lock(&noop_semaphores_lock);
    for (noop_semaphore_t* i = noop_semaphores; i && !pending; i = i->next) {
      if (iree_status_is_ok(i->base.failure)) pending = &i->base;
    }
    iree_hal_semaphore_retain(pending);
    pthread_mutex_unlock(&noop_semaphores_lock);
    if (!pending) return;
    iree_hal_semaphore_fail(
        pending, iree_make_status(IREE_STATUS_ABORTED, "the test is over"));
    iree_hal_semaphore_release(pending);
  }
}

//===----------------------------------------------------------------------===//
// Device
//===----------------------------------------------------------------------===//

typedef struct noop_device_t {
  iree_hal_device_t base;
  iree_string_view_t device_id;
  iree_string_view_t executable_format;
} noop_device_t;

static void noop_device_destroy(iree_hal_device_t* base_device) {
  iree_allocator_t host_allocator = iree_hal_device_host_allocator(base_device);
  iree_hal_device_deinitialize(base_device);
  iree_allocator_free(host_allocator, base_device);
}

static iree_status_t noop_device_query_i64(iree_hal_device_t* base_device,
                                           iree_string_view_t category,
                                           iree_string_view_t key,
                                           int64_t* out_value) {
  const noop_device_t* device = (const noop_device_t*)base_device;
  iree_string_view_t answer = iree_string_view_empty();
  *out_value = 0;
  if (iree_string_view_equal(category, IREE_SV("hal.device.id"))) {
    answer = device->device_id;
  } else if (iree_string_view_equal(category,
                                    IREE_SV("hal.executable.format"))) {
    answer = device->executable_format;
  } else {
    return iree_make_status(IREE_STATUS_NOT_FOUND, "nothing is known of '%.*s'",
                            IREE_SV_ARG(category));
  }
  *out_value =
      iree_string_view_is_empty(answer) || iree_string_view_equal(answer, key);
  return iree_ok_status();
}

static iree_status_t noop_device_create_executable_cache(
    iree_hal_device_t* base_device, iree_string_view_t identifier,
    iree_hal_executable_cache_t** out_executable_cache) {
  (void)identifier;
  const noop_device_t* device = (const noop_device_t*)base_device;
  iree_allocator_t host_allocator = iree_hal_device_host_allocator(base_device);
  noop_cache_t* cache = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc(host_allocator, sizeof(*cache), (void**)&cache));
  iree_hal_executable_cache_initialize(noop_cache_vtable, host_allocator,
                                       &cache->base);
  cache->executable_format = device->executable_format;
  *out_executable_cache = &cache->base;
  return iree_ok_status();
}

static void noop_register(void) {
  static const iree_hal_device_vtable_t device_vtable = {
      .header = {.size = sizeof(device_vtable)},
      .destroy = noop_device_destroy,
      .query_i64 = noop_device_query_i64,
      .create_executable_cache = noop_device_create_executable_cache,
      .create_semaphore = noop_device_create_semaphore,
      .queue_execute = noop_device_queue_execute,
  };
  static const iree_hal_executable_cache_vtable_t cache_vtable = {
      .header = {.size = sizeof(cache_vtable)},
      .destroy = noop_cache_destroy,
      .can_prepare_format = noop_cache_can_prepare_format,
      .prepare_executable = noop_cache_prepare_executable,
  };
  static const iree_hal_executable_vtable_t executable_vtable = {
      .header = {.size = sizeof(executable_vtable)},
      .destroy = noop_executable_destroy,
      .function_count = noop_executable_function_count,
      .function_info = noop_executable_function_info,
      .lookup_function_by_name = noop_executable_lookup_function_by_name,
  };
  static const iree_hal_semaphore_vtable_t semaphore_vtable = {
      .header = {.size = sizeof(semaphore_vtable)},
      .destroy = noop_semaphore_destroy,
  };
  const iree_string_view_t owner = IREE_SV("noop");
  iree_status_t status =
      iree_cy_register_vtable(IREE_CY_OBJECT_KIND_DEVICE, &device_vtable, owner,
                              (const void**)&noop_device_vtable);
  status = iree_status_join(
      status, iree_cy_register_vtable(IREE_CY_OBJECT_KIND_EXECUTABLE_CACHE,
                                      &cache_vtable, owner,
                                      (const void**)&noop_cache_vtable));
  status = iree_status_join(
      status, iree_cy_register_vtable(IREE_CY_OBJECT_KIND_EXECUTABLE,
                                      &executable_vtable, owner,
                                      (const void**)&noop_executable_vtable));
  status = iree_status_join(
      status,
      iree_cy_register_vtable(IREE_CY_OBJECT_KIND_SEMAPHORE, &semaphore_vtable,
                              owner, (const void**)&noop_semaphore_vtable));
  // Without its vtable the device is not made, which says it all.
  if (!iree_status_is_ok(status)) {
    iree_status_ignore(status);
    noop_device_vtable = NULL;
  }
}

iree_status_t noop_device_create(const noop_device_options_t* options,
                                 iree_allocator_t host_allocator,
                                 iree_hal_device_t** out_device) {
  *out_device = NULL;
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, noop_register);
  if (!noop_device_vtable) {
    return iree_make_status(IREE_STATUS_INTERNAL,
                            "the noop device's vtables were refused");
  }
  iree_hal_allocator_t* device_allocator = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_allocator_create_heap(
      IREE_SV("noop"), host_allocator, &device_allocator));
  noop_device_t* device = NULL;
  iree_status_t status =
      iree_allocator_malloc(host_allocator, sizeof(*device), (void**)&device);
  if (iree_status_is_ok(status)) {
    iree_string_view_t identifier = IREE_SV("noop");
    if (options) {
      if (options->identifier.size) identifier = options->identifier;
      device->device_id = options->device_id;
      device->executable_format = options->executable_format;
    }
    status = iree_hal_device_initialize(noop_device_vtable, identifier,
                                        device_allocator, host_allocator,
                                        &device->base);
    if (iree_status_is_ok(status)) {
      *out_device = &device->base;
    } else {
      iree_allocator_free(host_allocator, device);
    }
  }
  iree_hal_allocator_release(device_allocator);
  return status;
}
