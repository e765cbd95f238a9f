// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the tests of local-sync from the inside: what recordings keep of
// buffers, and how operations end.

#include "tests/support/fork_generation.h"
//
#include "backends/local/src/formats.c"
#include "backends/local/src/operation.c"
#include "backends/local/src/recording.c"
#include "backends/local/src/run.c"
#include "backends/local/src/sync/device.c"
#include "backends/local/src/workers.c"
#include "iree_cy/native/hal/heap_buffer.h"
#include "tests/loaders/vmvx_probe.inc"
#include "tests/support/ctest.h"
#include "tests/support/failing_allocator.h"

#define USAGE                                                                \
  (IREE_HAL_BUFFER_USAGE_TRANSFER | IREE_HAL_BUFFER_USAGE_DISPATCH_STORAGE | \
   IREE_HAL_BUFFER_USAGE_MAPPING)

static iree_status_t create_device_with(iree_allocator_t host_allocator,
                                        iree_hal_device_t** out_device) {
  const iree_string_view_t owner = IREE_SV("local-sync");
  *out_device = NULL;
  IREE_RETURN_IF_ERROR(sync_device_register(owner));
  IREE_RETURN_IF_ERROR(local_command_buffer_register(owner));
  IREE_RETURN_IF_ERROR(local_formats_register(owner));
  return sync_device_create(owner, iree_string_view_empty(), host_allocator,
                            out_device);
}

static iree_status_t create_device(iree_hal_device_t** out_device) {
  return create_device_with(iree_allocator_system(), out_device);
}

static void release(void* object) {
  iree_hal_resource_release(*(void**)object);
}
#define OWNED __attribute__((cleanup(release)))

#define WITH_DEVICE(device)               \
  OWNED iree_hal_device_t* device = NULL; \
  REQUIRE_OK(create_device(&device))

static iree_status_t allocate(iree_hal_device_t* device,
                              iree_hal_buffer_t** out_buffer) {
  const iree_hal_buffer_params_t params = {.usage = USAGE};
  return iree_hal_allocator_allocate_buffer(iree_hal_device_allocator(device),
                                            params, 64, out_buffer);
}

static iree_status_t semaphore(iree_hal_device_t* device,
                               iree_hal_semaphore_t** out_semaphore) {
  return iree_hal_semaphore_create(device, IREE_HAL_QUEUE_AFFINITY_ANY, 0, 0,
                                   out_semaphore);
}

static iree_status_t load_probe(iree_hal_device_t* device,
                                iree_hal_executable_t** out_executable) {
  static const uint32_t constant = 1;
  const iree_hal_executable_params_t params = {
      .size = sizeof(params),
      .executable_format = IREE_SV("vmvx-bytecode-fb"),
      .executable_data =
          iree_make_const_byte_span(probe_data, sizeof(probe_data)),
      .constant_count = 1,
      .constants = &constant,
  };
  *out_executable = NULL;
  iree_hal_executable_cache_t* cache = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_executable_cache_create(device, IREE_SV("test"), &cache));
  iree_status_t status = iree_hal_executable_cache_prepare_executable(
      cache, &params, out_executable);
  iree_hal_executable_cache_release(cache);
  return status;
}

// Begins a recording that may be executed often.
static iree_status_t begin(iree_hal_device_t* device,
                           iree_hal_command_buffer_t** out_command_buffer) {
  IREE_RETURN_IF_ERROR(iree_hal_command_buffer_create(
      device, IREE_HAL_COMMAND_BUFFER_MODE_DEFAULT,
      IREE_HAL_COMMAND_CATEGORY_ANY, IREE_HAL_QUEUE_AFFINITY_ANY, 0,
      out_command_buffer));
  return iree_hal_command_buffer_begin(*out_command_buffer);
}

static iree_status_t record_dispatch(iree_hal_command_buffer_t* command_buffer,
                                     iree_hal_executable_t* executable,
                                     const char* name, uint32_t constant,
                                     uint32_t local_memory,
                                     iree_host_size_t binding_count,
                                     iree_hal_buffer_t* const* buffers) {
  iree_hal_executable_function_t function;
  IREE_RETURN_IF_ERROR(iree_hal_executable_lookup_function_by_name(
      executable, iree_make_cstring_view(name), &function));
  const iree_hal_dispatch_config_t config = {
      .size = sizeof(config),
      .workgroup_count = {1, 1, 1},
      .dynamic_workgroup_local_memory = local_memory,
  };
  iree_hal_buffer_ref_t refs[2];
  for (iree_host_size_t i = 0; i < binding_count; ++i) {
    refs[i] = iree_hal_make_buffer_ref(buffers[i], 0, IREE_HAL_WHOLE_BUFFER);
  }
  const iree_hal_buffer_ref_list_t bindings = {binding_count, refs};
  return iree_hal_command_buffer_dispatch(
      command_buffer, executable, function, &config,
      iree_make_const_byte_span(&constant, sizeof(constant)), bindings, 0);
}

static iree_status_t execute(iree_hal_device_t* device,
                             iree_hal_command_buffer_t* command_buffer,
                             iree_hal_semaphore_t* wait,
                             iree_hal_semaphore_t* signal, uint64_t value) {
  uint64_t one = 1;
  const iree_hal_semaphore_list_t waits = {wait ? 1 : 0, &wait, &one};
  const iree_hal_semaphore_list_t signals = {1, &signal, &value};
  return iree_hal_device_queue_execute(
      device, IREE_HAL_QUEUE_AFFINITY_ANY, waits, signals, command_buffer,
      iree_hal_buffer_binding_table_empty(), 0);
}

//===----------------------------------------------------------------------===//
// What recordings keep
//===----------------------------------------------------------------------===//

static iree_status_t run_and_read(iree_hal_device_t* device,
                                  iree_hal_command_buffer_t* command_buffer,
                                  iree_hal_buffer_t* target,
                                  uint32_t* out_value) {
  iree_hal_semaphore_t* done = NULL;
  *out_value = 0;
  IREE_RETURN_IF_ERROR(
      iree_hal_buffer_map_write(target, 0, out_value, sizeof(*out_value)));
  IREE_RETURN_IF_ERROR(semaphore(device, &done));
  iree_status_t status = execute(device, command_buffer, NULL, done, 1);
  if (iree_status_is_ok(status)) {
    status = iree_hal_semaphore_wait(done, 1, iree_infinite_timeout(), 0);
  }
  iree_hal_semaphore_release(done);
  IREE_RETURN_IF_ERROR(status);
  return iree_hal_buffer_map_read(target, 0, out_value, sizeof(*out_value));
}

// Who reads what an array held goes on to read that, whatever the array's owner
// does with it.
CTEST(a_recording_follows_a_buffer_that_is_moved) {
  static _Alignas(64) uint32_t array[16];
  WITH_DEVICE(device);
  OWNED iree_hal_executable_t* executable = NULL;
  REQUIRE_OK(load_probe(device, &executable));
  OWNED iree_hal_buffer_t* source = NULL;
  for (int i = 0; i < 16; ++i) array[i] = 4711;
  REQUIRE_OK(iree_hal_heap_buffer_wrap(
      iree_hal_buffer_placement_undefined(),
      IREE_HAL_MEMORY_TYPE_HOST_LOCAL | IREE_HAL_MEMORY_TYPE_DEVICE_VISIBLE,
      IREE_HAL_MEMORY_ACCESS_READ, USAGE,
      iree_make_byte_span(array, sizeof(array)),
      iree_hal_buffer_release_callback_null(), iree_allocator_system(),
      &source));
  OWNED iree_hal_buffer_t* part = NULL;
  REQUIRE_OK(
      iree_hal_buffer_subspan(source, 32, 16, iree_allocator_system(), &part));
  OWNED iree_hal_buffer_t* target = NULL;
  REQUIRE_OK(allocate(device, &target));
  OWNED iree_hal_command_buffer_t* of_source = NULL;
  OWNED iree_hal_command_buffer_t* of_part = NULL;
  REQUIRE_OK(begin(device, &of_source));
  REQUIRE_OK(begin(device, &of_part));
  iree_hal_buffer_t* buffers[] = {source, target};
  REQUIRE_OK(record_dispatch(of_source, executable, "load", 1, 0, 2, buffers));
  buffers[0] = part;
  REQUIRE_OK(record_dispatch(of_part, executable, "load", 1, 0, 2, buffers));
  REQUIRE_OK(iree_hal_command_buffer_end(of_source));
  REQUIRE_OK(iree_hal_command_buffer_end(of_part));
  for (int run = 0; run < 2; ++run) {
    uint32_t value = 0;
    EXPECT_OK(run_and_read(device, of_source, target, &value));
    EXPECT_EQ_I64(value, 4711);
    EXPECT_OK(run_and_read(device, of_part, target, &value));
    EXPECT_EQ_I64(value, 4711);
    REQUIRE_OK(iree_cy_heap_buffer_detach(source));
    memset(array, 0, sizeof(array));
  }
}

CTEST(local_memory_that_overflows_is_refused) {
  WITH_DEVICE(device);
  OWNED iree_hal_executable_t* executable = NULL;
  REQUIRE_OK(load_probe(device, &executable));
  OWNED iree_hal_buffer_t* target = NULL;
  REQUIRE_OK(allocate(device, &target));
  OWNED iree_hal_command_buffer_t* command_buffer = NULL;
  REQUIRE_OK(begin(device, &command_buffer));
  // The function itself has 64 bytes.
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                record_dispatch(command_buffer, executable, "local", 0,
                                UINT32_MAX - 63, 1, &target));
  EXPECT_OK(
      record_dispatch(command_buffer, executable, "local", 0, 64, 1, &target));
}

CTEST(an_update_of_nothing_needs_no_source) {
  WITH_DEVICE(device);
  OWNED iree_hal_buffer_t* target = NULL;
  REQUIRE_OK(allocate(device, &target));
  OWNED iree_hal_command_buffer_t* command_buffer = NULL;
  REQUIRE_OK(begin(device, &command_buffer));
  EXPECT_OK(iree_hal_command_buffer_update_buffer(
      command_buffer, NULL, 0, iree_hal_make_buffer_ref(target, 64, 0), 0));
  EXPECT_OK(iree_hal_command_buffer_end(command_buffer));
  OWNED iree_hal_semaphore_t* done = NULL;
  REQUIRE_OK(semaphore(device, &done));
  EXPECT_OK(execute(device, command_buffer, NULL, done, 1));
  EXPECT_OK(iree_hal_semaphore_wait(done, 1, iree_infinite_timeout(), 0));
}

//===----------------------------------------------------------------------===//
// Buffers of other drivers
//===----------------------------------------------------------------------===//

// Memory that the host maps and has to be told about: what the device has, and
// what the host sees of it.
typedef struct other_buffer_t {
  iree_hal_buffer_t base;
  uint32_t device_data[4];
  uint32_t host_data[4];
  int map_count;
} other_buffer_t;

static void other_buffer_destroy(iree_hal_buffer_t* buffer) {
  EXPECT_EQ_I64(((other_buffer_t*)buffer)->map_count, 0);
  iree_hal_buffer_deinitialize(buffer);
  free(buffer);
}

static iree_status_t other_buffer_map_range(
    iree_hal_buffer_t* buffer, iree_hal_mapping_mode_t mapping_mode,
    iree_hal_memory_access_t memory_access, iree_device_size_t byte_offset,
    iree_device_size_t byte_length, iree_hal_buffer_mapping_t* mapping) {
  (void)mapping_mode, (void)memory_access;
  other_buffer_t* other = (other_buffer_t*)buffer;
  ++other->map_count;
  mapping->contents = iree_make_byte_span(
      (uint8_t*)other->host_data + byte_offset, (iree_host_size_t)byte_length);
  return iree_ok_status();
}

static iree_status_t other_buffer_unmap_range(
    iree_hal_buffer_t* buffer, iree_device_size_t byte_offset,
    iree_device_size_t byte_length, iree_hal_buffer_mapping_t* mapping) {
  (void)byte_offset, (void)byte_length, (void)mapping;
  --((other_buffer_t*)buffer)->map_count;
  return iree_ok_status();
}

static iree_status_t other_buffer_invalidate_range(
    iree_hal_buffer_t* buffer, iree_device_size_t byte_offset,
    iree_device_size_t byte_length) {
  other_buffer_t* other = (other_buffer_t*)buffer;
  memcpy((uint8_t*)other->host_data + byte_offset,
         (uint8_t*)other->device_data + byte_offset, byte_length);
  return iree_ok_status();
}

static iree_status_t other_buffer_flush_range(iree_hal_buffer_t* buffer,
                                              iree_device_size_t byte_offset,
                                              iree_device_size_t byte_length) {
  other_buffer_t* other = (other_buffer_t*)buffer;
  memcpy((uint8_t*)other->device_data + byte_offset,
         (uint8_t*)other->host_data + byte_offset, byte_length);
  return iree_ok_status();
}

static iree_status_t other_buffer_create(iree_hal_memory_access_t access,
                                         other_buffer_t** out_buffer) {
  static const iree_hal_buffer_vtable_t table = {
      .header = {.size = sizeof(table)},
      .destroy = other_buffer_destroy,
      .map_range = other_buffer_map_range,
      .unmap_range = other_buffer_unmap_range,
      .invalidate_range = other_buffer_invalidate_range,
      .flush_range = other_buffer_flush_range,
  };
  const void* vtable = NULL;
  IREE_RETURN_IF_ERROR(iree_cy_register_vtable(
      IREE_CY_OBJECT_KIND_BUFFER, &table, IREE_SV("other"), &vtable));
  other_buffer_t* buffer = (other_buffer_t*)calloc(1, sizeof(*buffer));
  iree_hal_buffer_initialize(
      iree_hal_buffer_placement_undefined(), &buffer->base,
      sizeof(buffer->device_data), 0, sizeof(buffer->device_data),
      IREE_HAL_MEMORY_TYPE_HOST_VISIBLE | IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL,
      access, USAGE, (const iree_hal_buffer_vtable_t*)vtable, &buffer->base);
  *out_buffer = buffer;
  return iree_ok_status();
}

CTEST(dispatches_use_memory_of_another_device_that_is_not_coherent) {
  WITH_DEVICE(device);
  OWNED iree_hal_executable_t* executable = NULL;
  REQUIRE_OK(load_probe(device, &executable));
  OWNED other_buffer_t* source = NULL;
  OWNED other_buffer_t* target = NULL;
  REQUIRE_OK(other_buffer_create(IREE_HAL_MEMORY_ACCESS_READ, &source));
  REQUIRE_OK(other_buffer_create(IREE_HAL_MEMORY_ACCESS_WRITE, &target));
  source->device_data[1] = 4711;
  OWNED iree_hal_command_buffer_t* command_buffer = NULL;
  REQUIRE_OK(begin(device, &command_buffer));
  iree_hal_buffer_t* buffers[] = {&source->base, &target->base};
  REQUIRE_OK(
      record_dispatch(command_buffer, executable, "load", 1, 0, 2, buffers));
  REQUIRE_OK(iree_hal_command_buffer_end(command_buffer));
  OWNED iree_hal_semaphore_t* done = NULL;
  REQUIRE_OK(semaphore(device, &done));
  REQUIRE_OK(execute(device, command_buffer, NULL, done, 1));
  EXPECT_OK(iree_hal_semaphore_wait(done, 1, iree_infinite_timeout(), 0));
  EXPECT_EQ_I64(target->device_data[0], 4711);
}

//===----------------------------------------------------------------------===//
// How operations end
//===----------------------------------------------------------------------===//

static void note_release(void* user_data, iree_hal_buffer_t* buffer) {
  (void)buffer;
  *(int*)user_data = 1;
}

typedef struct seen_t {
  const int* is_released;
  int was_released;
} seen_t;

static void look(void* user_data, iree_hal_semaphore_timepoint_t* timepoint,
                 iree_status_t status) {
  (void)timepoint;
  seen_t* seen = (seen_t*)user_data;
  seen->was_released = *seen->is_released;
  EXPECT_OK(status);
}

// Who sees the signal may use the memory for something else.
CTEST(parked_work_gives_back_what_it_used_before_it_signals) {
  WITH_DEVICE(device);
  OWNED iree_hal_semaphore_t* gate = NULL;
  OWNED iree_hal_semaphore_t* done = NULL;
  REQUIRE_OK(semaphore(device, &gate));
  REQUIRE_OK(semaphore(device, &done));
  static _Alignas(64) uint8_t memory[64];
  int is_released = 0;
  const iree_hal_buffer_release_callback_t callback = {note_release,
                                                       &is_released};
  iree_hal_buffer_t* buffer = NULL;
  REQUIRE_OK(iree_hal_heap_buffer_wrap(
      iree_hal_buffer_placement_undefined(),
      IREE_HAL_MEMORY_TYPE_HOST_LOCAL | IREE_HAL_MEMORY_TYPE_DEVICE_VISIBLE,
      IREE_HAL_MEMORY_ACCESS_ALL, USAGE,
      iree_make_byte_span(memory, sizeof(memory)), callback,
      iree_allocator_system(), &buffer));
  iree_hal_command_buffer_t* command_buffer = NULL;
  REQUIRE_OK(begin(device, &command_buffer));
  const uint8_t pattern = 7;
  EXPECT_OK(iree_hal_command_buffer_fill_buffer(
      command_buffer, iree_hal_make_buffer_ref(buffer, 0, sizeof(memory)),
      &pattern, 1, 0));
  EXPECT_OK(iree_hal_command_buffer_end(command_buffer));
  EXPECT_OK(execute(device, command_buffer, gate, done, 1));
  iree_hal_command_buffer_release(command_buffer);
  iree_hal_buffer_release(buffer);
  EXPECT(!is_released);

  seen_t seen = {&is_released, 0};
  iree_hal_semaphore_timepoint_t timepoint;
  iree_hal_semaphore_acquire_timepoint(done, 1, look, &seen, &timepoint);
  EXPECT_OK(iree_hal_semaphore_signal(gate, 1));
  EXPECT_OK(iree_hal_semaphore_wait(done, 1, iree_infinite_timeout(), 0));
  EXPECT_EQ_I64(memory[63], 7);
  EXPECT(seen.was_released);
}

// Waits for |gate|, when there is one, and then signals both others to 1.
static iree_status_t signal_both(iree_hal_device_t* device,
                                 iree_hal_semaphore_t* gate,
                                 iree_hal_semaphore_t* first,
                                 iree_hal_semaphore_t* second) {
  uint64_t values[] = {1, 1};
  iree_hal_semaphore_t* both[] = {first, second};
  const iree_hal_semaphore_list_t waits = {gate ? 1 : 0, &gate, values};
  const iree_hal_semaphore_list_t signals = {2, both, values};
  return iree_hal_device_queue_barrier(device, IREE_HAL_QUEUE_AFFINITY_ANY,
                                       waits, signals, 0);
}

// A signal that cannot be given fails its own semaphore, not those that were
// reached.
CTEST(a_signal_that_comes_too_late_fails_alone) {
  WITH_DEVICE(device);
  for (int is_parked = 0; is_parked < 2; ++is_parked) {
    for (int late = 0; late < 2; ++late) {
      OWNED iree_hal_semaphore_t* gate = NULL;
      OWNED iree_hal_semaphore_t* first = NULL;
      OWNED iree_hal_semaphore_t* second = NULL;
      REQUIRE_OK(semaphore(device, &gate));
      REQUIRE_OK(semaphore(device, &first));
      REQUIRE_OK(semaphore(device, &second));
      REQUIRE_OK(iree_hal_semaphore_signal(late ? second : first, 1));
      REQUIRE_OK(signal_both(device, is_parked ? gate : NULL, first, second));
      if (is_parked) REQUIRE_OK(iree_hal_semaphore_signal(gate, 1));
      uint64_t value = 0;
      EXPECT_OK(iree_hal_semaphore_query(late ? first : second, &value));
      EXPECT_EQ_I64(value, 1);
      EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                    iree_hal_semaphore_query(late ? second : first, &value));
    }
  }
}

//===----------------------------------------------------------------------===//
// Out of memory
//===----------------------------------------------------------------------===//

// Everything that takes memory once: a device, an executable, a recording, a
// parked execution with a binding table, local memory.
static iree_status_t do_everything(iree_allocator_t host_allocator) {
  OWNED iree_hal_device_t* device = NULL;
  OWNED iree_hal_executable_t* executable = NULL;
  OWNED iree_hal_buffer_t* target = NULL;
  OWNED iree_hal_semaphore_t* gate = NULL;
  OWNED iree_hal_semaphore_t* done = NULL;
  OWNED iree_hal_command_buffer_t* command_buffer = NULL;
  IREE_RETURN_IF_ERROR(create_device_with(host_allocator, &device));
  IREE_RETURN_IF_ERROR(load_probe(device, &executable));
  IREE_RETURN_IF_ERROR(allocate(device, &target));
  IREE_RETURN_IF_ERROR(semaphore(device, &gate));
  IREE_RETURN_IF_ERROR(semaphore(device, &done));
  IREE_RETURN_IF_ERROR(iree_hal_command_buffer_create(
      device, IREE_HAL_COMMAND_BUFFER_MODE_DEFAULT,
      IREE_HAL_COMMAND_CATEGORY_ANY, IREE_HAL_QUEUE_AFFINITY_ANY, 1,
      &command_buffer));
  IREE_RETURN_IF_ERROR(iree_hal_command_buffer_begin(command_buffer));
  const uint32_t pattern = 5;
  IREE_RETURN_IF_ERROR(iree_hal_command_buffer_fill_buffer(
      command_buffer, iree_hal_make_indirect_buffer_ref(0, 0, 16), &pattern,
      sizeof(pattern), 0));
  iree_hal_buffer_t* none = NULL;
  IREE_RETURN_IF_ERROR(
      record_dispatch(command_buffer, executable, "local", 1, 4096, 1, &none));
  IREE_RETURN_IF_ERROR(iree_hal_command_buffer_end(command_buffer));
  uint64_t one = 1;
  const iree_hal_semaphore_list_t waits = {1, &gate, &one};
  const iree_hal_semaphore_list_t signals = {1, &done, &one};
  const iree_hal_buffer_binding_t binding = {target, 0, IREE_HAL_WHOLE_BUFFER};
  const iree_hal_buffer_binding_table_t table = {1, &binding};
  IREE_RETURN_IF_ERROR(
      iree_hal_device_queue_execute(device, IREE_HAL_QUEUE_AFFINITY_ANY, waits,
                                    signals, command_buffer, table, 0));
  IREE_RETURN_IF_ERROR(iree_hal_semaphore_signal(gate, 1));
  IREE_RETURN_IF_ERROR(
      iree_hal_semaphore_wait(done, 1, iree_infinite_timeout(), 0));
  uint32_t values[2] = {9, 9};
  IREE_RETURN_IF_ERROR(
      iree_hal_buffer_map_read(target, 0, values, sizeof(values)));
  // The only workgroup wrote its x; the fill is behind it.
  EXPECT_EQ_I64(values[0], 0);
  EXPECT_EQ_I64(values[1], 5);
  return iree_ok_status();
}

CTEST(without_memory_everything_fails_and_nothing_stays) {
  enum { MAX_ALLOCATION_COUNT = 1000 };
  failing_allocator_t state = {.remaining = 0};
  int64_t count = 0;
  for (; count < MAX_ALLOCATION_COUNT; ++count) {
    state.remaining = count;
    iree_status_t status = do_everything(failing_allocator(&state));
    EXPECT_EQ_I64(state.live_blocks, 0);
    if (iree_status_is_ok(status)) break;
    EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED, status);
  }
  EXPECT(count > 10 && count < MAX_ALLOCATION_COUNT);
}

CTEST_MAIN()
