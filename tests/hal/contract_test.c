// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Tests what drivers of any age and care meet: outputs that are missing,
// structs of other sizes, layers over others' objects, semaphores that are
// watched.

#include "iree_cy/hal/api.h"
#include "tests/support/ctest.h"

static void expect_message(iree_status_t status, iree_status_code_t code,
                           const char* message) {
  EXPECT_EQ_I64(iree_status_code(status), code);
  EXPECT_EQ_SV(iree_status_message(status), iree_make_cstring_view(message));
  EXPECT(iree_status_message(status).size <= 200);
  iree_status_ignore(status);
}

//===-- a driver that gives OK and nothing ----------------------------------===

static void empty_driver_destroy(iree_hal_driver_t* driver) {
  iree_hal_driver_deinitialize(driver);
}
static iree_status_t empty_query_available_devices(
    iree_hal_driver_t* driver, iree_allocator_t host_allocator,
    iree_host_size_t* out_count, iree_hal_device_info_t** out_infos) {
  (void)driver, (void)host_allocator, (void)out_infos;
  *out_count = 3;
  return iree_ok_status();
}
static iree_status_t empty_create_device_by_id(iree_hal_driver_t* driver,
                                               iree_hal_device_id_t device_id,
                                               iree_host_size_t param_count,
                                               const iree_string_pair_t* params,
                                               iree_allocator_t host_allocator,
                                               iree_hal_device_t** out_device) {
  (void)driver, (void)device_id, (void)param_count, (void)params;
  (void)host_allocator, (void)out_device;
  return iree_ok_status();
}

CTEST(a_driver_that_gives_no_device_is_named) {
  static const iree_hal_driver_vtable_t table = {
      .header = {.size = sizeof(table)},
      .destroy = empty_driver_destroy,
      .query_available_devices = empty_query_available_devices,
      .create_device_by_id = empty_create_device_by_id,
  };
  const void* vtable = NULL;
  REQUIRE_OK(iree_cy_register_vtable(IREE_CY_OBJECT_KIND_DRIVER, &table,
                                     IREE_SV("x"), &vtable));
  iree_hal_driver_t driver;
  REQUIRE_OK(iree_hal_driver_initialize(vtable, IREE_SV("x"),
                                        iree_allocator_system(), &driver));
  iree_host_size_t count = 0;
  iree_hal_device_info_t* infos = NULL;
  const char* const no_infos =
      "driver 'x' broke the contract: iree_hal_driver_t."
      "query_available_devices returned OK and no infos of the devices it "
      "counts; report it to the driver's author";
  expect_message(iree_hal_driver_query_available_devices(
                     &driver, iree_allocator_system(), &count, &infos),
                 IREE_STATUS_INTERNAL, no_infos);
  EXPECT_EQ_I64(count, 0);
  // What the host does with the list must not touch it either.
  iree_hal_device_id_t id = 0;
  expect_message(iree_hal_driver_resolve_path(&driver, IREE_SV("a"), &id),
                 IREE_STATUS_INTERNAL, no_infos);
  iree_hal_device_t* device = NULL;
  expect_message(
      iree_hal_driver_create_device_by_id(&driver, 0, 0, NULL,
                                          iree_allocator_system(), &device),
      IREE_STATUS_INTERNAL,
      "driver 'x' broke the contract: iree_hal_driver_t.create_device_by_id "
      "returned OK and no device; report it to the driver's author");
  iree_hal_driver_release(&driver);
}

static void empty_device_destroy(iree_hal_device_t* device) {
  iree_hal_device_deinitialize(device);
}
static iree_status_t empty_create_command_buffer(
    iree_hal_device_t* device, iree_hal_command_buffer_mode_t mode,
    iree_hal_command_category_t command_categories,
    iree_hal_queue_affinity_t queue_affinity, iree_host_size_t binding_capacity,
    iree_hal_command_buffer_t** out_command_buffer) {
  (void)device, (void)mode, (void)command_categories, (void)queue_affinity;
  (void)binding_capacity, (void)out_command_buffer;
  return iree_ok_status();
}
static iree_status_t empty_create_executable_cache(
    iree_hal_device_t* device, iree_string_view_t identifier,
    iree_hal_executable_cache_t** out_executable_cache) {
  (void)device, (void)identifier, (void)out_executable_cache;
  return iree_ok_status();
}
static iree_status_t empty_create_semaphore(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    uint64_t initial_value, iree_hal_semaphore_flags_t flags,
    iree_hal_semaphore_t** out_semaphore) {
  (void)device, (void)queue_affinity, (void)initial_value, (void)flags;
  (void)out_semaphore;
  return iree_ok_status();
}
static iree_status_t empty_queue_alloca(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_buffer_params_t params, iree_device_size_t allocation_size,
    iree_hal_alloca_flags_t flags, iree_hal_buffer_t** out_buffer) {
  (void)device, (void)queue_affinity, (void)wait_semaphore_list;
  (void)signal_semaphore_list, (void)params, (void)allocation_size;
  (void)flags, (void)out_buffer;
  return iree_ok_status();
}
static void empty_allocator_destroy(iree_hal_allocator_t* allocator) {
  iree_hal_allocator_deinitialize(allocator);
}
static iree_status_t empty_allocate_buffer(
    iree_hal_allocator_t* allocator, const iree_hal_buffer_params_t* params,
    iree_device_size_t allocation_size, iree_hal_buffer_t** out_buffer) {
  (void)allocator, (void)params, (void)allocation_size, (void)out_buffer;
  return iree_ok_status();
}
static iree_status_t empty_import_buffer(
    iree_hal_allocator_t* allocator, const iree_hal_buffer_params_t* params,
    const iree_hal_external_buffer_t* external_buffer,
    iree_hal_buffer_release_callback_t release_callback,
    iree_hal_buffer_t** out_buffer) {
  (void)allocator, (void)params, (void)external_buffer;
  (void)release_callback, (void)out_buffer;
  return iree_ok_status();
}

CTEST(a_device_that_gives_nothing_is_named) {
  static const iree_hal_allocator_vtable_t allocator_table = {
      .header = {.size = sizeof(allocator_table)},
      .destroy = empty_allocator_destroy,
      .allocate_buffer = empty_allocate_buffer,
      .import_buffer = empty_import_buffer,
  };
  static const iree_hal_device_vtable_t device_table = {
      .header = {.size = sizeof(device_table)},
      .destroy = empty_device_destroy,
      .create_command_buffer = empty_create_command_buffer,
      .create_executable_cache = empty_create_executable_cache,
      .create_semaphore = empty_create_semaphore,
      .queue_alloca = empty_queue_alloca,
  };
  const void* vtable = NULL;
  REQUIRE_OK(iree_cy_register_vtable(IREE_CY_OBJECT_KIND_ALLOCATOR,
                                     &allocator_table, IREE_SV("x"), &vtable));
  iree_hal_allocator_t allocator;
  iree_hal_allocator_initialize(vtable, iree_allocator_system(), &allocator);
  REQUIRE_OK(iree_cy_register_vtable(IREE_CY_OBJECT_KIND_DEVICE, &device_table,
                                     IREE_SV("x"), &vtable));
  iree_hal_device_t device;
  REQUIRE_OK(iree_hal_device_initialize(vtable, IREE_SV("x"), &allocator,
                                        iree_allocator_system(), &device));

  iree_hal_buffer_t* buffer = NULL;
  const iree_hal_buffer_params_t params = {0};
  expect_message(
      iree_hal_allocator_allocate_buffer(&allocator, params, 16, &buffer),
      IREE_STATUS_INTERNAL,
      "driver 'x' broke the contract: iree_hal_allocator_t.allocate_buffer "
      "returned OK and no buffer; report it to the driver's author");
  const iree_hal_external_buffer_t external = {0};
  expect_message(
      iree_hal_allocator_import_buffer(&allocator, params, &external,
                                       iree_hal_buffer_release_callback_null(),
                                       &buffer),
      IREE_STATUS_INTERNAL,
      "driver 'x' broke the contract: iree_hal_allocator_t.import_buffer "
      "returned OK and no buffer; report it to the driver's author");
  expect_message(
      iree_hal_device_queue_alloca(&device, 0, iree_hal_semaphore_list_empty(),
                                   iree_hal_semaphore_list_empty(), params, 16,
                                   0, &buffer),
      IREE_STATUS_INTERNAL,
      "driver 'x' broke the contract: iree_hal_device_t.queue_alloca "
      "returned OK and no buffer; report it to the driver's author");
  iree_hal_semaphore_t* semaphore = NULL;
  expect_message(
      iree_hal_semaphore_create(&device, 0, 0, 0, &semaphore),
      IREE_STATUS_INTERNAL,
      "driver 'x' broke the contract: iree_hal_device_t.create_semaphore "
      "returned OK and no semaphore; report it to the driver's author");
  iree_hal_command_buffer_t* command_buffer = NULL;
  expect_message(
      iree_hal_command_buffer_create(&device, 0, 0, 0, 0, &command_buffer),
      IREE_STATUS_INTERNAL,
      "driver 'x' broke the contract: "
      "iree_hal_device_t.create_command_buffer "
      "returned OK and no command buffer; report it to the driver's author");
  iree_hal_executable_cache_t* cache = NULL;
  expect_message(
      iree_hal_executable_cache_create(&device, IREE_SV("c"), &cache),
      IREE_STATUS_INTERNAL,
      "driver 'x' broke the contract: "
      "iree_hal_device_t.create_executable_cache "
      "returned OK and no executable cache; report it to the driver's author");
  iree_hal_device_release(&device);
  iree_hal_allocator_release(&allocator);
}

static void empty_cache_destroy(iree_hal_executable_cache_t* cache) {
  iree_hal_executable_cache_deinitialize(cache);
}
static bool empty_can_prepare_format(
    iree_hal_executable_cache_t* cache,
    iree_hal_executable_caching_mode_t caching_mode,
    iree_string_view_t executable_format) {
  (void)cache, (void)caching_mode, (void)executable_format;
  return true;
}
static iree_status_t empty_prepare_executable(
    iree_hal_executable_cache_t* cache,
    const iree_hal_executable_params_t* params,
    iree_hal_executable_t** out_executable) {
  (void)cache, (void)params, (void)out_executable;
  return iree_ok_status();
}
static void empty_loader_destroy(iree_hal_executable_loader_t* loader) {
  iree_hal_executable_loader_deinitialize(loader);
}
static bool empty_query_support(iree_hal_executable_loader_t* loader,
                                iree_hal_executable_caching_mode_t caching_mode,
                                iree_string_view_t executable_format) {
  (void)loader, (void)caching_mode, (void)executable_format;
  return true;
}
static iree_status_t empty_try_load(iree_hal_executable_loader_t* loader,
                                    const iree_hal_executable_params_t* params,
                                    iree_host_size_t worker_capacity,
                                    iree_hal_executable_t** out_executable) {
  (void)loader, (void)params, (void)worker_capacity, (void)out_executable;
  return iree_ok_status();
}

CTEST(a_cache_or_loader_that_gives_no_executable_is_named) {
  static const iree_hal_executable_cache_vtable_t cache_table = {
      .header = {.size = sizeof(cache_table)},
      .destroy = empty_cache_destroy,
      .can_prepare_format = empty_can_prepare_format,
      .prepare_executable = empty_prepare_executable,
  };
  static const iree_hal_executable_loader_vtable_t loader_table = {
      .header = {.size = sizeof(loader_table)},
      .destroy = empty_loader_destroy,
      .query_support = empty_query_support,
      .try_load = empty_try_load,
  };
  const void* vtable = NULL;
  REQUIRE_OK(iree_cy_register_vtable(IREE_CY_OBJECT_KIND_EXECUTABLE_CACHE,
                                     &cache_table, IREE_SV("x"), &vtable));
  iree_hal_executable_cache_t cache;
  iree_hal_executable_cache_initialize(vtable, iree_allocator_system(), &cache);
  REQUIRE_OK(iree_cy_register_vtable(IREE_CY_OBJECT_KIND_EXECUTABLE_LOADER,
                                     &loader_table, IREE_SV("x"), &vtable));
  const int64_t live =
      iree_cy_live_object_count(IREE_CY_OBJECT_KIND_EXECUTABLE_LOADER);
  iree_hal_executable_loader_t loader;
  iree_hal_executable_loader_initialize(vtable, iree_allocator_system(),
                                        &loader);
  EXPECT_EQ_I64(
      iree_cy_live_object_count(IREE_CY_OBJECT_KIND_EXECUTABLE_LOADER),
      live + 1);
  EXPECT_EQ_SV(iree_cy_object_owner(&loader), IREE_SV("x"));

  const iree_hal_executable_params_t params = {.size = sizeof(params)};
  iree_hal_executable_t* executable = NULL;
  expect_message(
      iree_hal_executable_cache_prepare_executable(&cache, &params,
                                                   &executable),
      IREE_STATUS_INTERNAL,
      "driver 'x' broke the contract: "
      "iree_hal_executable_cache_t.prepare_executable returned OK and no "
      "executable; report it to the driver's author");
  expect_message(
      iree_hal_executable_loader_try_load(&loader, &params, 1, &executable),
      IREE_STATUS_INTERNAL,
      "driver 'x' broke the contract: iree_hal_executable_loader_t.try_load "
      "returned OK and no executable; report it to the driver's author");
  iree_hal_executable_cache_release(&cache);
  iree_hal_executable_loader_release(&loader);
  EXPECT_EQ_I64(
      iree_cy_live_object_count(IREE_CY_OBJECT_KIND_EXECUTABLE_LOADER), live);
}

//===-- structs of other sizes ----------------------------------------------===

static void sized_executable_destroy(iree_hal_executable_t* executable) {
  iree_hal_executable_deinitialize(executable);
}
static iree_host_size_t sized_function_count(
    iree_hal_executable_t* executable) {
  (void)executable;
  return 1;
}
static iree_status_t sized_function_info(
    iree_hal_executable_t* executable, iree_hal_executable_function_t function,
    iree_hal_executable_function_info_t* out_info) {
  (void)executable, (void)function;
  EXPECT_EQ_I64(out_info->size, sizeof(*out_info));
  EXPECT_EQ_I64(out_info->binding_count, 0);
  out_info->name = IREE_SV("f");
  out_info->binding_count = 2;
  return iree_ok_status();
}

CTEST(a_function_info_of_another_size_is_filled_as_far_as_it_goes) {
  static const iree_hal_executable_vtable_t table = {
      .header = {.size = sizeof(table)},
      .destroy = sized_executable_destroy,
      .function_count = sized_function_count,
      .function_info = sized_function_info,
  };
  const void* vtable = NULL;
  REQUIRE_OK(iree_cy_register_vtable(IREE_CY_OBJECT_KIND_EXECUTABLE, &table,
                                     IREE_SV("x"), &vtable));
  iree_hal_executable_t executable;
  iree_hal_executable_initialize(vtable, iree_allocator_system(), &executable);
  const iree_hal_executable_function_t function =
      iree_hal_executable_function_from_index(0);
  struct {
    iree_hal_executable_function_info_t info;
    uint64_t newer[2];
    uint64_t beyond;
  } asked;
  memset(&asked, 0xA5, sizeof(asked));
  // One who was compiled against a longer struct.
  asked.info.size = offsetof(__typeof__(asked), beyond);
  EXPECT_OK(
      iree_hal_executable_function_info(&executable, function, &asked.info));
  EXPECT_EQ_I64(asked.info.binding_count, 2);
  EXPECT_EQ_SV(asked.info.name, IREE_SV("f"));
  EXPECT_EQ_I64(asked.info.size, offsetof(__typeof__(asked), beyond));
  EXPECT_EQ_I64(asked.newer[1], 0);
  EXPECT(asked.beyond == 0xA5A5A5A5A5A5A5A5u);
  // One who says nothing, as code does that was written for no size.
  asked.info.size = 0;
  EXPECT_STATUS(
      IREE_STATUS_INVALID_ARGUMENT,
      iree_hal_executable_function_info(&executable, function, &asked.info));
  iree_hal_executable_function_t found = {9};
  EXPECT_OK(iree_hal_executable_lookup_function_by_name(&executable,
                                                        IREE_SV("f"), &found));
  EXPECT_EQ_I64(found.value, 0);
  iree_hal_executable_release(&executable);
}

CTEST(statistics_of_another_size_are_filled_as_far_as_they_go) {
  iree_hal_allocator_t* allocator = NULL;
  REQUIRE_OK(iree_hal_allocator_create_heap(
      IREE_SV("heap"), iree_allocator_system(), &allocator));
  iree_hal_allocator_record_alloc(allocator, IREE_HAL_MEMORY_TYPE_HOST_LOCAL,
                                  5);
  iree_hal_allocator_record_alloc(allocator, IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL,
                                  7);
  iree_hal_allocator_record_free(allocator, IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL,
                                 3);
  struct {
    iree_hal_allocator_statistics_t statistics;
    uint64_t newer;
    uint64_t beyond;
  } asked;
  memset(&asked, 0xA5, sizeof(asked));
  asked.statistics.size = offsetof(__typeof__(asked), beyond);
  iree_hal_allocator_query_statistics(allocator, &asked.statistics);
  EXPECT_EQ_I64(asked.statistics.host_bytes_peak, 5);
  EXPECT_EQ_I64(asked.statistics.host_bytes_freed, 0);
  EXPECT_EQ_I64(asked.statistics.device_bytes_allocated, 7);
  EXPECT_EQ_I64(asked.statistics.device_bytes_freed, 3);
  EXPECT_EQ_I64(asked.newer, 0);
  EXPECT(asked.beyond == 0xA5A5A5A5A5A5A5A5u);
  // An older one: the host's part alone.
  memset(&asked, 0xA5, sizeof(asked));
  asked.statistics.size =
      offsetof(iree_hal_allocator_statistics_t, device_bytes_peak);
  iree_hal_allocator_query_statistics(allocator, &asked.statistics);
  EXPECT_EQ_I64(asked.statistics.host_bytes_allocated, 5);
  EXPECT(asked.statistics.device_bytes_peak == 0xA5A5A5A5A5A5A5A5u);
  iree_hal_allocator_record_free(allocator, IREE_HAL_MEMORY_TYPE_HOST_LOCAL, 5);
  iree_hal_allocator_release(allocator);
}

//===-- a driver that counts and calls the defaults -------------------------===

static const iree_hal_device_vtable_t* layered_defaults = NULL;
static int layered_fill_count = 0;
static uint32_t layered_config_size = 0;

static iree_status_t layered_queue_fill(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_buffer_t* target_buffer, iree_device_size_t target_offset,
    iree_device_size_t length, const void* pattern,
    iree_host_size_t pattern_length, iree_hal_fill_flags_t flags) {
  ++layered_fill_count;
  return layered_defaults->queue_fill(
      device, queue_affinity, wait_semaphore_list, signal_semaphore_list,
      target_buffer, target_offset, length, pattern, pattern_length, flags);
}
static iree_status_t layered_queue_dispatch(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_executable_t* executable, iree_hal_executable_function_t function,
    const iree_hal_dispatch_config_t* config, iree_const_byte_span_t constants,
    iree_hal_buffer_ref_list_t bindings, iree_hal_dispatch_flags_t flags) {
  (void)device, (void)queue_affinity, (void)wait_semaphore_list;
  (void)signal_semaphore_list, (void)executable, (void)function;
  (void)constants, (void)bindings, (void)flags;
  layered_config_size = config->size;
  EXPECT_EQ_I64(config->workgroup_count[2], 3);
  return iree_ok_status();
}

CTEST(an_overridden_entry_calls_its_default) {
  static const iree_hal_device_vtable_t bare_table = {
      .header = {.size = sizeof(bare_table)},
      .destroy = empty_device_destroy,
  };
  static const iree_hal_device_vtable_t table = {
      .header = {.size = sizeof(table)},
      .destroy = empty_device_destroy,
      .queue_fill = layered_queue_fill,
      .queue_dispatch = layered_queue_dispatch,
  };
  const void* vtable = NULL;
  REQUIRE_OK(iree_cy_register_vtable(IREE_CY_OBJECT_KIND_DEVICE, &bare_table,
                                     IREE_SV("x"),
                                     (const void**)&layered_defaults));
  REQUIRE_OK(iree_cy_register_vtable(IREE_CY_OBJECT_KIND_DEVICE, &table,
                                     IREE_SV("x"), &vtable));
  iree_hal_allocator_t* allocator = NULL;
  REQUIRE_OK(iree_hal_allocator_create_heap(
      IREE_SV("x"), iree_allocator_system(), &allocator));
  iree_hal_device_t device;
  REQUIRE_OK(iree_hal_device_initialize(vtable, IREE_SV("x"), allocator,
                                        iree_allocator_system(), &device));
  iree_hal_allocator_release(allocator);
  EXPECT_EQ_SV(iree_cy_object_owner(&device), IREE_SV("x"));
  EXPECT_EQ_SV(iree_cy_object_owner(allocator), iree_string_view_empty());

  const iree_hal_semaphore_list_t none = iree_hal_semaphore_list_empty();
  iree_hal_buffer_t* buffer = NULL;
  const iree_hal_buffer_params_t params = {0};
  REQUIRE_OK(iree_hal_device_queue_alloca(
      &device, 0, none, none, params, 16,
      IREE_HAL_ALLOCA_FLAG_INDETERMINATE_LIFETIME, &buffer));
  const iree_hal_buffer_placement_t placement =
      iree_hal_buffer_allocation_placement(buffer);
  EXPECT_EQ_I64(placement.flags,
                IREE_HAL_BUFFER_PLACEMENT_FLAG_ASYNCHRONOUS |
                    IREE_HAL_BUFFER_PLACEMENT_FLAG_INDETERMINATE_LIFETIME);
  EXPECT(placement.device == NULL);
  EXPECT_EQ_SV(iree_cy_object_owner(buffer), iree_string_view_empty());
  EXPECT_OK(iree_hal_device_queue_fill(&device, 0, none, none, buffer, 0, 16,
                                       "ab", 2, 0));
  EXPECT_EQ_I64(layered_fill_count, 1);
  EXPECT_EQ_I64(
      memcmp(iree_hal_heap_buffer_data(buffer), "abababababababab", 16), 0);

  // A driver gets the host's struct, whoever asks.
  struct {
    iree_hal_dispatch_config_t config;
    uint64_t newer;
  } asked = {.config = {.size = sizeof(asked), .workgroup_count = {1, 2, 3}}};
  iree_hal_executable_t executable;
  memset(&executable, 0, sizeof(executable));
  const iree_hal_buffer_ref_list_t bindings = {0, NULL};
  EXPECT_OK(iree_hal_device_queue_dispatch(
      &device, 0, none, none, &executable,
      iree_hal_executable_function_from_index(0), &asked.config,
      iree_const_byte_span_empty(), bindings, 0));
  EXPECT_EQ_I64(layered_config_size, sizeof(asked.config));
  asked.config.size = 8;
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_device_queue_dispatch(
                    &device, 0, none, none, &executable,
                    iree_hal_executable_function_from_index(0), &asked.config,
                    iree_const_byte_span_empty(), bindings, 0));
  iree_hal_buffer_release(buffer);
  iree_hal_device_release(&device);
}

//===-- an allocator over another -------------------------------------------===

// Counts the bytes that its user holds, over any allocator.
typedef struct counting_allocator_t {
  iree_hal_allocator_t base;
  iree_hal_allocator_t* inner;
  iree_device_size_t used_bytes;
} counting_allocator_t;

typedef struct counted_t {
  counting_allocator_t* allocator;
  iree_device_size_t size;
  iree_hal_buffer_release_callback_t previous;
} counted_t;

static void counting_destroy(iree_hal_allocator_t* base) {
  iree_hal_allocator_deinitialize(base);
  iree_hal_allocator_release(((counting_allocator_t*)base)->inner);
  free(base);
}

static void counting_recycle(void* user_data, iree_hal_buffer_t* buffer) {
  counted_t* counted = (counted_t*)user_data;
  counting_allocator_t* allocator = counted->allocator;
  allocator->used_bytes -= counted->size;
  const iree_hal_buffer_release_callback_t own =
      iree_hal_buffer_set_recycle_callback(buffer, counted->previous);
  EXPECT(!own.fn);
  free(counted);
  iree_hal_buffer_release(buffer);
  iree_hal_allocator_release(&allocator->base);
}

static iree_status_t counting_allocate_buffer(
    iree_hal_allocator_t* base, const iree_hal_buffer_params_t* params,
    iree_device_size_t allocation_size, iree_hal_buffer_t** out_buffer) {
  counting_allocator_t* allocator = (counting_allocator_t*)base;
  IREE_RETURN_IF_ERROR(iree_hal_allocator_allocate_buffer(
      allocator->inner, *params, allocation_size, out_buffer));
  counted_t* counted = (counted_t*)malloc(sizeof(*counted));
  counted->allocator = allocator;
  counted->size = allocation_size;
  const iree_hal_buffer_release_callback_t callback = {counting_recycle,
                                                       counted};
  counted->previous =
      iree_hal_buffer_set_recycle_callback(*out_buffer, callback);
  allocator->used_bytes += allocation_size;
  iree_hal_allocator_retain(base);
  return iree_ok_status();
}

static counting_allocator_t* counting_create(iree_hal_allocator_t* inner) {
  static const iree_hal_allocator_vtable_t table = {
      .header = {.size = sizeof(table)},
      .destroy = counting_destroy,
      .allocate_buffer = counting_allocate_buffer,
  };
  const void* vtable = NULL;
  EXPECT_OK(iree_cy_register_vtable(IREE_CY_OBJECT_KIND_ALLOCATOR, &table,
                                    IREE_SV("x"), &vtable));
  counting_allocator_t* allocator =
      (counting_allocator_t*)calloc(1, sizeof(*allocator));
  iree_hal_allocator_initialize(vtable, iree_allocator_system(),
                                &allocator->base);
  iree_hal_allocator_retain(inner);
  allocator->inner = inner;
  return allocator;
}

// Allocates twice through |counting|; whether the memory came again.
static bool is_reused(counting_allocator_t* counting) {
  const iree_hal_buffer_params_t params = {0};
  iree_hal_buffer_t* first = NULL;
  iree_hal_buffer_t* second = NULL;
  EXPECT_OK(iree_hal_allocator_allocate_buffer(&counting->base, params, 100000,
                                               &first));
  void* data = iree_hal_heap_buffer_data(first);
  EXPECT_EQ_I64(counting->used_bytes, 100000);
  iree_hal_buffer_release(first);
  EXPECT_EQ_I64(counting->used_bytes, 0);
  EXPECT_OK(iree_hal_allocator_allocate_buffer(&counting->base, params, 100000,
                                               &second));
  const bool is_same = iree_hal_heap_buffer_data(second) == data;
  EXPECT_EQ_I64(counting->used_bytes, 100000);
  iree_hal_buffer_release(second);
  return is_same;
}

CTEST(allocators_over_others_compose) {
  const int64_t live = iree_cy_live_object_count(IREE_CY_OBJECT_KIND_BUFFER);
  const int64_t live_allocators =
      iree_cy_live_object_count(IREE_CY_OBJECT_KIND_ALLOCATOR);
  iree_hal_allocator_t* heap = NULL;
  iree_hal_allocator_t* caching = NULL;
  iree_hal_allocator_t* debug = NULL;
  REQUIRE_OK(iree_hal_allocator_create_heap(IREE_SV("heap"),
                                            iree_allocator_system(), &heap));
  REQUIRE_OK(iree_hal_allocator_create_caching(heap, 0, iree_allocator_system(),
                                               &caching));
  // Counting over caching, over debug over caching, and under both.
  counting_allocator_t* counting = counting_create(caching);
  EXPECT(is_reused(counting));
  iree_hal_allocator_release(&counting->base);
  REQUIRE_OK(iree_hal_allocator_create_debug(caching, iree_allocator_system(),
                                             &debug));
  counting = counting_create(debug);
  EXPECT(is_reused(counting));
  iree_hal_allocator_release(debug);
  counting_allocator_t* outer = counting_create(&counting->base);
  iree_hal_allocator_release(&counting->base);
  EXPECT(is_reused(outer));
  EXPECT_EQ_I64(((counting_allocator_t*)outer->inner)->used_bytes, 0);
  iree_hal_allocator_release(&outer->base);
  iree_hal_allocator_release(caching);

  // What a cache holds is not given back yet: its user holds it.
  counting = counting_create(heap);
  REQUIRE_OK(iree_hal_allocator_create_caching(
      &counting->base, 0, iree_allocator_system(), &caching));
  outer = counting_create(caching);
  EXPECT(is_reused(outer));
  EXPECT(counting->used_bytes >= 100000);
  EXPECT_OK(iree_hal_allocator_trim(caching));
  EXPECT_EQ_I64(counting->used_bytes, 0);
  iree_hal_allocator_release(&outer->base);
  iree_hal_allocator_release(caching);
  iree_hal_allocator_release(&counting->base);
  iree_hal_allocator_release(heap);
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_BUFFER), live);
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_ALLOCATOR),
                live_allocators);
}

//===-- a semaphore whose base does not advance by itself -------------------===

typedef struct watched_semaphore_t {
  iree_hal_semaphore_t base;
  // Where the device is.
  uint64_t device_value;
  bool publishes_at_once;
  int watch_count;
  uint64_t watched_value;
} watched_semaphore_t;

static void watched_destroy(iree_hal_semaphore_t* base) {
  iree_hal_semaphore_deinitialize(base);
}
static void watched_watch(iree_hal_semaphore_t* base, uint64_t value) {
  watched_semaphore_t* semaphore = (watched_semaphore_t*)base;
  ++semaphore->watch_count;
  semaphore->watched_value = value;
  // No lock is held: the base may be used.
  if (semaphore->publishes_at_once) {
    iree_hal_semaphore_publish(base, semaphore->device_value);
  }
}

static void watched_initialize(bool publishes_at_once,
                               watched_semaphore_t* semaphore) {
  static const iree_hal_semaphore_vtable_t table = {
      .header = {.size = sizeof(table)},
      .destroy = watched_destroy,
      .watch = watched_watch,
  };
  const void* vtable = NULL;
  memset(semaphore, 0, sizeof(*semaphore));
  EXPECT_OK(iree_cy_register_vtable(IREE_CY_OBJECT_KIND_SEMAPHORE, &table,
                                    IREE_SV("x"), &vtable));
  iree_hal_semaphore_initialize(vtable, NULL, 0, 0, &semaphore->base);
  semaphore->publishes_at_once = publishes_at_once;
}

static void count_ok(void* user_data, iree_status_t status) {
  if (iree_status_is_ok(status)) ++*(int*)user_data;
  iree_status_ignore(status);
}
static void count_timepoint(void* user_data,
                            iree_hal_semaphore_timepoint_t* timepoint,
                            iree_status_t status) {
  (void)timepoint;
  count_ok(user_data, status);
}

CTEST(a_semaphore_is_watched_while_somebody_waits) {
  watched_semaphore_t semaphore;
  watched_initialize(false, &semaphore);
  iree_hal_semaphore_t* base = &semaphore.base;
  uint64_t payload = 3;
  const iree_hal_semaphore_list_t list = {1, &base, &payload};
  // Polling is no waiting.
  EXPECT(iree_status_is_deferred(iree_hal_semaphore_list_poll(list)));
  EXPECT_EQ_I64(iree_status_consume_code(iree_hal_semaphore_wait(
                    base, 3, iree_immediate_timeout(), 0)),
                IREE_STATUS_DEADLINE_EXCEEDED);
  EXPECT_EQ_I64(semaphore.watch_count, 0);

  int called = 0;
  EXPECT_OK(iree_hal_semaphore_list_notify(list, count_ok, &called,
                                           iree_allocator_system()));
  EXPECT_EQ_I64(semaphore.watch_count, 1);
  EXPECT_EQ_I64(semaphore.watched_value, 3);
  iree_hal_semaphore_timepoint_t timepoint;
  iree_hal_semaphore_acquire_timepoint(base, 5, count_timepoint, &called,
                                       &timepoint);
  EXPECT_EQ_I64(semaphore.watch_count, 2);
  EXPECT_EQ_I64(semaphore.watched_value, 5);
  EXPECT_EQ_I64(called, 0);
  iree_hal_semaphore_publish(base, 4);
  EXPECT_EQ_I64(called, 1);
  iree_hal_semaphore_publish(base, 5);
  EXPECT_EQ_I64(called, 2);
  // What is reached is not watched.
  EXPECT_OK(iree_hal_semaphore_list_notify(list, count_ok, &called,
                                           iree_allocator_system()));
  EXPECT_EQ_I64(called, 3);
  EXPECT_EQ_I64(semaphore.watch_count, 2);
  iree_hal_semaphore_release(base);
}

CTEST(watching_may_publish_at_once) {
  watched_semaphore_t semaphore;
  watched_initialize(true, &semaphore);
  iree_hal_semaphore_t* base = &semaphore.base;
  int called = 0;
  semaphore.device_value = 1;
  uint64_t payload = 1;
  iree_hal_semaphore_list_t list = {1, &base, &payload};
  EXPECT_OK(iree_hal_semaphore_list_notify(list, count_ok, &called,
                                           iree_allocator_system()));
  EXPECT_EQ_I64(called, 1);
  iree_hal_semaphore_timepoint_t timepoint;
  semaphore.device_value = 2;
  iree_hal_semaphore_acquire_timepoint(base, 2, count_timepoint, &called,
                                       &timepoint);
  EXPECT_EQ_I64(called, 2);
  semaphore.device_value = 3;
  EXPECT_OK(iree_hal_semaphore_wait(base, 3, iree_infinite_timeout(), 0));
  // Several are waited for by timepoints.
  watched_semaphore_t other;
  watched_initialize(true, &other);
  semaphore.device_value = 4;
  other.device_value = 9;
  iree_hal_semaphore_t* both[] = {base, &other.base};
  uint64_t payloads[] = {4, 9};
  const iree_hal_semaphore_list_t two = {2, both, payloads};
  EXPECT_OK(iree_hal_semaphore_list_wait(two, IREE_HAL_WAIT_MODE_ALL,
                                         iree_infinite_timeout(), 0));
  EXPECT_EQ_I64(semaphore.watch_count, 4);
  EXPECT_EQ_I64(other.watch_count, 1);
  iree_hal_semaphore_release(&other.base);
  iree_hal_semaphore_release(base);
}

CTEST_MAIN()
