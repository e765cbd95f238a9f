// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Tests the core's own recording: what is played is what was recorded.

#include <pthread.h>

#include "iree_cy/hal/allocator.h"
#include "iree_cy/hal/command_buffer.h"
#include "tests/support/ctest.h"

static iree_hal_allocator_t* allocator = NULL;

static iree_hal_buffer_t* allocate(iree_device_size_t size) {
  const iree_hal_buffer_params_t params = {
      .usage = IREE_HAL_BUFFER_USAGE_DEFAULT |
               IREE_HAL_BUFFER_USAGE_DISPATCH_INDIRECT_PARAMETERS};
  iree_hal_buffer_t* buffer = NULL;
  if (!allocator) {
    EXPECT_OK(iree_hal_allocator_create_heap(
        IREE_SV("test"), iree_allocator_system(), &allocator));
  }
  EXPECT_OK(
      iree_hal_allocator_allocate_buffer(allocator, params, size, &buffer));
  EXPECT_OK(iree_hal_buffer_map_fill(buffer, 0, size, "\0", 1));
  return buffer;
}

static iree_hal_command_buffer_t* create(iree_host_size_t binding_capacity) {
  iree_hal_command_buffer_t* commands = NULL;
  EXPECT_OK(iree_hal_recorded_command_buffer_create(
      0, IREE_HAL_COMMAND_CATEGORY_ANY, IREE_HAL_QUEUE_AFFINITY_ANY,
      binding_capacity, iree_allocator_system(), &commands));
  EXPECT_OK(iree_hal_command_buffer_begin(commands));
  return commands;
}

// Does the commands through mappings.
static iree_status_t visit_barrier(void* user_data) {
  if (user_data) ++*(int*)user_data;
  return iree_ok_status();
}
static iree_status_t visit_fill(void* user_data, iree_hal_buffer_ref_t target,
                                const void* pattern,
                                iree_host_size_t pattern_length) {
  (void)user_data;
  return iree_hal_buffer_map_fill(target.buffer, target.offset, target.length,
                                  pattern, pattern_length);
}
static iree_status_t visit_update(void* user_data, const void* source,
                                  iree_hal_buffer_ref_t target) {
  (void)user_data;
  return iree_hal_buffer_map_write(target.buffer, target.offset, source,
                                   target.length);
}
static iree_status_t visit_copy(void* user_data, iree_hal_buffer_ref_t source,
                                iree_hal_buffer_ref_t target) {
  (void)user_data;
  return iree_hal_buffer_map_copy(source.buffer, source.offset, target.buffer,
                                  target.offset, target.length);
}
// Adds its constants into binding 0, which binding 1 gives the place in.
static iree_status_t visit_dispatch(void* user_data,
                                    iree_hal_executable_t* executable,
                                    iree_hal_executable_function_t function,
                                    const iree_hal_dispatch_config_t* config,
                                    iree_const_byte_span_t constants,
                                    iree_hal_buffer_ref_list_t bindings,
                                    iree_hal_dispatch_flags_t flags) {
  (void)user_data, (void)executable, (void)function;
  uint32_t values[64] = {0};
  uint32_t count[3] = {0};
  memcpy(values, constants.data, constants.data_length);
  memcpy(count, config->workgroup_count, sizeof(count));
  if (iree_hal_dispatch_uses_indirect_parameters(flags)) {
    IREE_RETURN_IF_ERROR(iree_hal_buffer_map_read(
        config->workgroup_count_ref.buffer, config->workgroup_count_ref.offset,
        count, sizeof(count)));
  }
  for (iree_host_size_t i = 0; i < bindings.count; ++i) {
    const uint32_t value = values[i % 64] + count[0];
    IREE_RETURN_IF_ERROR(iree_hal_buffer_map_write(
        bindings.values[i].buffer, bindings.values[i].offset, &value,
        bindings.values[i].length));
  }
  return iree_ok_status();
}
static const iree_hal_command_visitor_t host_visitor = {
    .size = sizeof(iree_hal_command_visitor_t),
    .execution_barrier = visit_barrier,
    .fill = visit_fill,
    .update = visit_update,
    .copy = visit_copy,
    .dispatch = visit_dispatch,
};

static iree_status_t replay(const iree_hal_command_buffer_t* commands,
                            iree_hal_buffer_binding_table_t table) {
  return iree_hal_recorded_command_buffer_replay(commands, table, &host_visitor,
                                                 NULL);
}

// An executable that takes anything.
static void executable_destroy(iree_hal_executable_t* executable) {
  iree_hal_executable_deinitialize(executable);
  iree_allocator_free(executable->host_allocator, executable);
}
static iree_host_size_t executable_function_count(
    iree_hal_executable_t* executable) {
  (void)executable;
  return 1;
}
static iree_status_t executable_function_info(
    iree_hal_executable_t* executable, iree_hal_executable_function_t function,
    iree_hal_executable_function_info_t* out_info) {
  (void)executable, (void)function;
  out_info->flags = IREE_HAL_EXECUTABLE_FUNCTION_FLAG_ARGUMENTS_UNKNOWN;
  return iree_ok_status();
}
static const iree_hal_executable_vtable_t executable_vtable = {
    .header = {.size = sizeof(iree_hal_executable_vtable_t),
               .kind = IREE_CY_OBJECT_KIND_EXECUTABLE},
    .destroy = executable_destroy,
    .function_count = executable_function_count,
    .function_info = executable_function_info,
};
static iree_hal_executable_t* create_executable(void) {
  iree_hal_executable_t* executable = NULL;
  EXPECT_OK(iree_allocator_malloc(iree_allocator_system(), sizeof(*executable),
                                  (void**)&executable));
  iree_hal_executable_initialize(&executable_vtable, iree_allocator_system(),
                                 executable);
  return executable;
}

static void finish(iree_hal_command_buffer_t* commands) {
  iree_hal_command_buffer_release(commands);
  iree_hal_allocator_release(allocator);
  allocator = NULL;
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_BUFFER), 0);
}

CTEST(plays_transfers_in_order) {
  iree_hal_buffer_t* a = allocate(16);
  iree_hal_buffer_t* b = allocate(16);
  iree_hal_command_buffer_t* commands = create(0);
  uint8_t source[8] = "??update";
  EXPECT_OK(iree_hal_command_buffer_fill_buffer(
      commands, iree_hal_make_buffer_ref(a, 0, 16), "ab", 2, 0));
  EXPECT_OK(iree_hal_command_buffer_update_buffer(
      commands, source, 2, iree_hal_make_buffer_ref(a, 4, 6), 0));
  EXPECT_OK(iree_hal_command_buffer_execution_barrier(commands, 0, 0, 0, 0,
                                                      NULL, 0, NULL));
  EXPECT_OK(iree_hal_command_buffer_copy_buffer(
      commands, iree_hal_make_buffer_ref(a, 2, 8),
      iree_hal_make_buffer_ref(b, 8, 8), 0));
  EXPECT_OK(iree_hal_command_buffer_end(commands));
  memset(source, 0, sizeof(source));
  iree_hal_buffer_release(a);
  int barriers = 0;
  EXPECT_OK(iree_hal_recorded_command_buffer_replay(
      commands, iree_hal_buffer_binding_table_empty(), &host_visitor,
      &barriers));
  EXPECT_EQ_I64(barriers, 1);
  EXPECT_EQ_BYTES(iree_hal_heap_buffer_data(b), "\0\0\0\0\0\0\0\0abupdate", 16);
  iree_hal_buffer_release(b);
  finish(commands);
}

CTEST(plays_more_than_one_chunk) {
  enum { COUNT = 5000 };
  iree_hal_buffer_t* buffer = allocate(COUNT);
  iree_hal_buffer_t* large = allocate(65536);
  iree_hal_command_buffer_t* commands = create(0);
  static uint8_t source[65536];
  for (int i = 0; i < COUNT; ++i) {
    const uint8_t value = (uint8_t)(i * 7);
    EXPECT_OK(iree_hal_command_buffer_fill_buffer(
        commands, iree_hal_make_buffer_ref(buffer, i, 1), &value, 1, 0));
  }
  for (int i = 0; i < 65536; ++i) source[i] = (uint8_t)(i % 251);
  EXPECT_OK(iree_hal_command_buffer_update_buffer(
      commands, source, 0, iree_hal_make_buffer_ref(large, 0, 65536), 0));
  EXPECT_OK(iree_hal_command_buffer_end(commands));
  EXPECT_OK(replay(commands, iree_hal_buffer_binding_table_empty()));
  const uint8_t* data = (const uint8_t*)iree_hal_heap_buffer_data(buffer);
  int mismatches = 0;
  for (int i = 0; i < COUNT; ++i) mismatches += data[i] != (uint8_t)(i * 7);
  EXPECT_EQ_I64(mismatches, 0);
  EXPECT_EQ_BYTES(iree_hal_heap_buffer_data(large), source, 65536);
  iree_hal_buffer_release(large);
  iree_hal_buffer_release(buffer);
  finish(commands);
}

CTEST(resolves_the_binding_table) {
  iree_hal_buffer_t* a = allocate(32);
  iree_hal_buffer_t* b = allocate(32);
  iree_hal_command_buffer_t* commands = create(2);
  EXPECT_OK(iree_hal_command_buffer_fill_buffer(
      commands, iree_hal_make_indirect_buffer_ref(1, 4, 4), "x", 1, 0));
  EXPECT_OK(iree_hal_command_buffer_fill_buffer(
      commands, iree_hal_make_indirect_buffer_ref(0, 0, IREE_HAL_WHOLE_BUFFER),
      "yz", 2, 0));
  EXPECT_OK(iree_hal_command_buffer_end(commands));
  iree_hal_buffer_binding_t bindings[2] = {{a, 28, 4}, {b, 8, 8}};
  const iree_hal_buffer_binding_table_t table = {2, bindings};
  EXPECT_OK(iree_hal_command_buffer_validate_bindings(commands, table));
  EXPECT_OK(replay(commands, table));
  EXPECT_EQ_BYTES((uint8_t*)iree_hal_heap_buffer_data(a) + 26, "\0\0yzyz", 6);
  EXPECT_EQ_BYTES((uint8_t*)iree_hal_heap_buffer_data(b) + 10, "\0\0xxxx\0", 7);
  // The same recording with other buffers.
  const iree_hal_buffer_binding_t swapped[2] = {{b, 0, 2}, {a, 0, 8}};
  const iree_hal_buffer_binding_table_t other = {2, swapped};
  EXPECT_OK(replay(commands, other));
  EXPECT_EQ_BYTES(iree_hal_heap_buffer_data(a), "\0\0\0\0xxxx\0", 9);
  EXPECT_EQ_BYTES(iree_hal_heap_buffer_data(b), "yz\0", 3);
  // An open length that the pattern does not divide shows only now.
  bindings[0].length = 3;
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT, replay(commands, table));
  iree_hal_buffer_release(a);
  iree_hal_buffer_release(b);
  finish(commands);
}

CTEST(resolves_refs) {
  iree_hal_buffer_t* buffer = allocate(64);
  iree_hal_buffer_t* part = NULL;
  REQUIRE_OK(
      iree_hal_buffer_subspan(buffer, 16, 32, iree_allocator_system(), &part));
  const iree_hal_buffer_binding_t bindings[2] = {
      {part, 4, IREE_HAL_WHOLE_BUFFER}, {NULL, 0, 0}};
  const iree_hal_buffer_binding_table_t table = {2, bindings};
  iree_hal_buffer_ref_t ref;
  EXPECT_OK(iree_hal_buffer_binding_table_resolve_ref(
      table, iree_hal_make_indirect_buffer_ref(0, 8, IREE_HAL_WHOLE_BUFFER),
      &ref));
  EXPECT(ref.buffer == part);
  EXPECT_EQ_I64(ref.offset, 12);
  EXPECT_EQ_I64(ref.length, 20);
  EXPECT_OK(iree_hal_buffer_binding_table_resolve_ref(
      table, iree_hal_make_buffer_ref(part, 1, IREE_HAL_WHOLE_BUFFER), &ref));
  EXPECT_EQ_I64(ref.offset, 1);
  EXPECT_EQ_I64(ref.length, 31);
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                iree_hal_buffer_binding_table_resolve_ref(
                    table, iree_hal_make_indirect_buffer_ref(0, 8, 21), &ref));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_buffer_binding_table_resolve_ref(
                    table, iree_hal_make_indirect_buffer_ref(1, 0, 0), &ref));
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                iree_hal_buffer_binding_table_resolve_ref(
                    table, iree_hal_make_indirect_buffer_ref(2, 0, 0), &ref));
  iree_hal_buffer_release(part);
  iree_hal_buffer_release(buffer);
  finish(NULL);
}

CTEST(dispatches_with_64_constants_and_bindings) {
  iree_hal_buffer_t* a = allocate(256);
  iree_hal_buffer_t* b = allocate(256);
  iree_hal_executable_t* executable = create_executable();
  iree_hal_command_buffer_t* commands = create(1);
  uint32_t constants[64];
  iree_hal_buffer_ref_t refs[64];
  for (uint32_t i = 0; i < 64; ++i) {
    constants[i] = 1000 + i;
    refs[i] = i % 2 ? iree_hal_make_buffer_ref(a, 4 * i, 4)
                    : iree_hal_make_indirect_buffer_ref(0, 4 * i, 4);
  }
  const iree_hal_dispatch_config_t config = {.size = sizeof(config),
                                             .workgroup_count = {5, 1, 1}};
  const iree_hal_buffer_ref_list_t bindings = {64, refs};
  const iree_hal_executable_function_t function = {0};
  REQUIRE_OK(iree_hal_command_buffer_dispatch(
      commands, executable, function, &config,
      iree_make_const_byte_span(constants, sizeof(constants)), bindings, 0));
  iree_hal_executable_release(executable);
  memset(constants, 0, sizeof(constants));
  memset(refs, 0, sizeof(refs));
  const iree_hal_buffer_binding_t binding = {b, 0, 256};
  const iree_hal_buffer_binding_table_t table = {1, &binding};
  EXPECT_OK(replay(commands, table));
  for (uint32_t i = 0; i < 64; ++i) {
    const uint32_t* odd = (const uint32_t*)iree_hal_heap_buffer_data(a);
    const uint32_t* even = (const uint32_t*)iree_hal_heap_buffer_data(b);
    EXPECT_EQ_I64(odd[i], i % 2 ? 1005 + i : 0);
    EXPECT_EQ_I64(even[i], i % 2 ? 0 : 1005 + i);
  }
  iree_hal_buffer_release(a);
  iree_hal_buffer_release(b);
  finish(commands);
}

CTEST(reads_workgroup_counts_when_it_plays) {
  iree_hal_buffer_t* count_buffer = allocate(16);
  iree_hal_buffer_t* target = allocate(4);
  iree_hal_executable_t* executable = create_executable();
  iree_hal_command_buffer_t* commands = create(1);
  const uint32_t constant = 100;
  const uint32_t counts[3] = {7, 1, 1};
  const iree_hal_buffer_ref_t ref = iree_hal_make_buffer_ref(target, 0, 4);
  const iree_hal_buffer_ref_list_t bindings = {1, &ref};
  const iree_hal_dispatch_config_t config = {
      .size = sizeof(config),
      .workgroup_count_ref = iree_hal_make_indirect_buffer_ref(0, 4, 12)};
  const iree_hal_executable_function_t function = {0};
  REQUIRE_OK(iree_hal_command_buffer_dispatch(
      commands, executable, function, &config,
      iree_make_const_byte_span(&constant, 4), bindings,
      IREE_HAL_DISPATCH_FLAG_DYNAMIC_INDIRECT_PARAMETERS));
  const iree_hal_buffer_binding_t binding = {count_buffer, 0, 16};
  const iree_hal_buffer_binding_table_t table = {1, &binding};
  EXPECT_OK(iree_hal_buffer_map_write(count_buffer, 4, counts, 12));
  EXPECT_OK(replay(commands, table));
  EXPECT_EQ_I64(*(uint32_t*)iree_hal_heap_buffer_data(target), 107);
  const iree_hal_buffer_binding_t small = {count_buffer, 0, 15};
  const iree_hal_buffer_binding_table_t small_table = {1, &small};
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE, replay(commands, small_table));
  iree_hal_executable_release(executable);
  iree_hal_buffer_release(target);
  iree_hal_buffer_release(count_buffer);
  finish(commands);
}

CTEST(skips_what_a_visitor_does_not_take) {
  iree_hal_buffer_t* buffer = allocate(4);
  iree_hal_executable_t* executable = create_executable();
  iree_hal_command_buffer_t* commands = create(0);
  const iree_hal_dispatch_config_t config = {.size = sizeof(config),
                                             .workgroup_count = {1, 1, 1}};
  const iree_hal_buffer_ref_list_t bindings = {0, NULL};
  const iree_hal_executable_function_t function = {0};
  EXPECT_OK(iree_hal_command_buffer_fill_buffer(
      commands, iree_hal_make_buffer_ref(buffer, 0, 4), "x", 1, 0));
  // An older visitor: only what its size covers is looked at.
  iree_hal_command_visitor_t visitor = host_visitor;
  visitor.size = offsetof(iree_hal_command_visitor_t, fill);
  EXPECT_OK(iree_hal_recorded_command_buffer_replay(
      commands, iree_hal_buffer_binding_table_empty(), &visitor, NULL));
  EXPECT_EQ_BYTES(iree_hal_heap_buffer_data(buffer), "\0\0\0\0", 4);
  EXPECT_OK(iree_hal_command_buffer_dispatch(
      commands, executable, function, &config, iree_const_byte_span_empty(),
      bindings, 0));
  EXPECT_STATUS(
      IREE_STATUS_UNIMPLEMENTED,
      iree_hal_recorded_command_buffer_replay(
          commands, iree_hal_buffer_binding_table_empty(), &visitor, NULL));
  iree_hal_executable_release(executable);
  iree_hal_buffer_release(buffer);
  finish(commands);
}

CTEST(refuses_overlap_found_in_the_table) {
  iree_hal_buffer_t* buffer = allocate(32);
  iree_hal_command_buffer_t* commands = create(2);
  EXPECT_OK(iree_hal_command_buffer_copy_buffer(
      commands, iree_hal_make_indirect_buffer_ref(0, 0, 8),
      iree_hal_make_indirect_buffer_ref(1, 0, 8), 0));
  const iree_hal_buffer_binding_t overlapping[2] = {{buffer, 0, 8},
                                                    {buffer, 4, 8}};
  const iree_hal_buffer_binding_t apart[2] = {{buffer, 0, 8}, {buffer, 8, 8}};
  const iree_hal_buffer_binding_table_t bad = {2, overlapping};
  const iree_hal_buffer_binding_table_t good = {2, apart};
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT, replay(commands, bad));
  EXPECT_OK(replay(commands, good));
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                replay(commands, iree_hal_buffer_binding_table_empty()));
  iree_hal_buffer_release(buffer);
  finish(commands);
}

typedef struct replay_task_t {
  const iree_hal_command_buffer_t* commands;
  iree_hal_buffer_t* buffer;
  int failures;
} replay_task_t;

static void* replay_often(void* argument) {
  replay_task_t* task = (replay_task_t*)argument;
  const iree_hal_buffer_binding_t binding = {task->buffer, 0, 64};
  const iree_hal_buffer_binding_table_t table = {1, &binding};
  for (int i = 0; i < 500; ++i) {
    uint8_t* data = (uint8_t*)iree_hal_heap_buffer_data(task->buffer);
    memset(data, 0, 64);
    if (iree_status_consume_code(replay(task->commands, table)) !=
            IREE_STATUS_OK ||
        memcmp(data, "\0abcabcab", 9) != 0) {
      ++task->failures;
    }
  }
  return NULL;
}

CTEST(several_threads_play_one_recording) {
  iree_hal_command_buffer_t* commands = create(1);
  EXPECT_OK(iree_hal_command_buffer_update_buffer(
      commands, "abc", 0, iree_hal_make_indirect_buffer_ref(0, 1, 3), 0));
  EXPECT_OK(iree_hal_command_buffer_copy_buffer(
      commands, iree_hal_make_indirect_buffer_ref(0, 1, 3),
      iree_hal_make_indirect_buffer_ref(0, 4, 3), 0));
  EXPECT_OK(iree_hal_command_buffer_copy_buffer(
      commands, iree_hal_make_indirect_buffer_ref(0, 1, 3),
      iree_hal_make_indirect_buffer_ref(0, 7, 3), 0));
  EXPECT_OK(iree_hal_command_buffer_end(commands));
  pthread_t threads[4];
  replay_task_t tasks[4];
  for (int i = 0; i < 4; ++i) {
    tasks[i].commands = commands;
    tasks[i].buffer = allocate(64);
    tasks[i].failures = 0;
    REQUIRE(pthread_create(&threads[i], NULL, replay_often, &tasks[i]) == 0);
  }
  for (int i = 0; i < 4; ++i) {
    REQUIRE(pthread_join(threads[i], NULL) == 0);
    EXPECT_EQ_I64(tasks[i].failures, 0);
    iree_hal_buffer_release(tasks[i].buffer);
  }
  finish(commands);
}

CTEST_MAIN()
