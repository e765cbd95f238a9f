// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Tests the default device: what it does, in which order, and how it fails.
// What it refuses is in queue_checks_test.c.

#include "iree_cy/hal/api.h"
#include "tests/support/ctest.h"
#include "tests/support/default_device.h"
#include "tests/support/failing_allocator.h"

#define ANY IREE_HAL_QUEUE_AFFINITY_ANY

// What most cases need: a device, a timeline at 0, and the wait for 1 and
// signal of 2 on it.
typedef struct fixture_t {
  failing_allocator_t memory;
  iree_hal_device_t* device;
  iree_hal_semaphore_t* timeline;
  uint64_t payloads[2];
  iree_hal_semaphore_list_t none;
  iree_hal_semaphore_list_t wait;
  iree_hal_semaphore_list_t signal;
} fixture_t;

static bool fixture_begin(fixture_t* f) {
  memset(f, 0, sizeof(*f));
  f->memory.remaining = -1;
  f->payloads[0] = 1;
  f->payloads[1] = 2;
  iree_status_t status =
      default_device_create(failing_allocator(&f->memory), &f->device);
  if (iree_status_is_ok(status)) {
    status = iree_hal_semaphore_create(f->device, ANY, 0, 0, &f->timeline);
  }
  const iree_hal_semaphore_list_t wait = {1, &f->timeline, &f->payloads[0]};
  const iree_hal_semaphore_list_t signal = {1, &f->timeline, &f->payloads[1]};
  f->wait = wait;
  f->signal = signal;
  return iree_status_is_ok(
      iree_status_from_code(iree_status_consume_code(status)));
}

// Nothing may be left of what the device allocated.
static void fixture_end(fixture_t* f) {
  iree_hal_semaphore_release(f->timeline);
  iree_hal_device_release(f->device);
  EXPECT_EQ_I64(f->memory.live_blocks, 0);
}

static iree_hal_buffer_t* make_buffer(fixture_t* f, iree_device_size_t size) {
  iree_hal_buffer_t* buffer = NULL;
  const iree_hal_buffer_params_t params = {0};
  uint8_t zeros[64] = {0};
  iree_status_ignore(iree_hal_allocator_allocate_buffer(
      iree_hal_device_allocator(f->device), params, size, &buffer));
  iree_status_ignore(iree_hal_buffer_map_write(buffer, 0, zeros, size));
  return buffer;
}

static bool buffer_is(iree_hal_buffer_t* buffer, const void* expected,
                      size_t length) {
  uint8_t contents[64] = {0};
  return iree_status_consume_code(iree_hal_buffer_map_read(
             buffer, 0, contents, length)) == IREE_STATUS_OK &&
         memcmp(contents, expected, length) == 0;
}

static int64_t payload_of(iree_hal_semaphore_t* semaphore) {
  uint64_t value = 0;
  iree_status_ignore(iree_hal_semaphore_query(semaphore, &value));
  return (int64_t)value;
}

CTEST(bytes_are_moved_before_the_call_returns) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  iree_hal_buffer_t* a = make_buffer(&f, 8);
  iree_hal_buffer_t* b = make_buffer(&f, 8);
  const uint16_t pattern = 0x2211;
  EXPECT_OK(iree_hal_device_queue_fill(f.device, ANY, f.none, f.none, a, 2, 4,
                                       &pattern, 2, 0));
  EXPECT(buffer_is(a, "\0\0\x11\x22\x11\x22\0\0", 8));
  EXPECT_OK(iree_hal_device_queue_update(f.device, ANY, f.none, f.none,
                                         "abcdef", 1, a, 6, 2, 0));
  EXPECT(buffer_is(a,
                   "\0\0\x11\x22\x11\x22"
                   "bc",
                   8));
  EXPECT_OK(iree_hal_device_queue_copy(f.device, ANY, f.none, f.signal, a, 4, b,
                                       1, 4, 0));
  EXPECT(buffer_is(b,
                   "\0\x11\x22"
                   "bc\0\0\0",
                   8));
  EXPECT_EQ_I64(payload_of(f.timeline), 2);
  iree_hal_buffer_release(a);
  iree_hal_buffer_release(b);
  fixture_end(&f);
}

CTEST(whole_buffers_and_subspans) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  iree_hal_buffer_t* buffer = make_buffer(&f, 8);
  iree_hal_buffer_t* part = NULL;
  REQUIRE_OK(
      iree_hal_buffer_subspan(buffer, 2, 4, iree_allocator_system(), &part));
  const uint8_t one = 1;
  EXPECT_OK(iree_hal_device_queue_fill(f.device, ANY, f.none, f.none, part, 1,
                                       IREE_HAL_WHOLE_BUFFER, &one, 1, 0));
  EXPECT(buffer_is(buffer, "\0\0\0\1\1\1\0\0", 8));
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                iree_hal_device_queue_fill(f.device, ANY, f.none, f.none, part,
                                           1, 4, &one, 1, 0));
  // Two parts of one allocation, side by side.
  EXPECT_OK(iree_hal_device_queue_copy(f.device, ANY, f.none, f.none, part, 1,
                                       buffer, 0, 3, 0));
  EXPECT(buffer_is(buffer, "\1\1\1\1\1\1\0\0", 8));
  iree_hal_buffer_release(part);
  iree_hal_buffer_release(buffer);
  fixture_end(&f);
}

CTEST(what_must_wait_is_parked_and_kept) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  iree_hal_buffer_t* a = make_buffer(&f, 4);
  iree_hal_buffer_t* b = make_buffer(&f, 4);
  char source[] = "abcd";
  uint32_t pattern = 0x01010101;
  uint64_t payloads[] = {2, 3, 4};
  const iree_hal_semaphore_list_t at2 = {1, &f.timeline, &payloads[0]};
  const iree_hal_semaphore_list_t at3 = {1, &f.timeline, &payloads[1]};
  const iree_hal_semaphore_list_t at4 = {1, &f.timeline, &payloads[2]};
  // Submitted from the last to the first.
  EXPECT_OK(
      iree_hal_device_queue_copy(f.device, ANY, at3, at4, a, 0, b, 0, 4, 0));
  EXPECT_OK(iree_hal_device_queue_update(f.device, ANY, at2, at3, source, 0, a,
                                         0, 2, 0));
  EXPECT_OK(iree_hal_device_queue_fill(f.device, ANY, f.wait, at2, a, 0, 4,
                                       &pattern, 4, 0));
  // Taken before the calls returned, or kept.
  memset(source, '?', sizeof(source));
  pattern = 0;
  iree_hal_buffer_retain(b);
  iree_hal_buffer_release(a);
  iree_hal_buffer_release(b);
  iree_hal_device_release(f.device);
  EXPECT(buffer_is(b, "\0\0\0\0", 4));
  EXPECT_EQ_I64(payload_of(f.timeline), 0);
  EXPECT_OK(iree_hal_semaphore_signal(f.timeline, 1));
  EXPECT_EQ_I64(payload_of(f.timeline), 4);
  EXPECT(buffer_is(b, "ab\1\1", 4));
  iree_hal_buffer_release(b);
  f.device = NULL;
  fixture_end(&f);
}

CTEST(a_failed_wait_fails_the_signals) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  iree_hal_buffer_t* buffer = make_buffer(&f, 4);
  iree_hal_semaphore_t* result = NULL;
  REQUIRE_OK(iree_hal_semaphore_create(f.device, ANY, 0, 0, &result));
  uint64_t payload = 1;
  const iree_hal_semaphore_list_t signal = {1, &result, &payload};
  const uint8_t one = 1;
  // Parked when it fails, and submitted afterwards.
  EXPECT_OK(iree_hal_device_queue_fill(f.device, ANY, f.wait, signal, buffer, 0,
                                       4, &one, 1, 0));
  iree_hal_semaphore_fail(f.timeline,
                          iree_make_status(IREE_STATUS_DATA_LOSS, "the cause"));
  uint64_t value = 0;
  iree_status_t status = iree_hal_semaphore_query(result, &value);
  EXPECT_EQ_SV(iree_status_message(status), IREE_SV("the cause"));
  EXPECT_STATUS(IREE_STATUS_DATA_LOSS, status);
  iree_hal_semaphore_release(result);
  REQUIRE_OK(iree_hal_semaphore_create(f.device, ANY, 0, 0, &result));
  EXPECT_OK(iree_hal_device_queue_fill(f.device, ANY, f.wait, signal, buffer, 0,
                                       4, &one, 1, 0));
  EXPECT_STATUS(IREE_STATUS_DATA_LOSS,
                iree_hal_semaphore_query(result, &value));
  EXPECT(buffer_is(buffer, "\0\0\0\0", 4));
  iree_hal_semaphore_release(result);
  iree_hal_buffer_release(buffer);
  fixture_end(&f);
}

CTEST(a_destroyed_wait_aborts_the_signals) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  iree_hal_semaphore_t* gone = NULL;
  REQUIRE_OK(iree_hal_semaphore_create(f.device, ANY, 0, 0, &gone));
  uint64_t payload = 1;
  const iree_hal_semaphore_list_t wait = {1, &gone, &payload};
  EXPECT_OK(iree_hal_device_queue_barrier(f.device, ANY, wait, f.signal, 0));
  iree_hal_semaphore_release(gone);
  uint64_t value = 0;
  EXPECT_STATUS(IREE_STATUS_ABORTED,
                iree_hal_semaphore_query(f.timeline, &value));
  fixture_end(&f);
}

CTEST(a_signal_that_cannot_be_given_fails_its_semaphore) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  REQUIRE_OK(iree_hal_semaphore_signal(f.timeline, 2));
  EXPECT_OK(iree_hal_device_queue_barrier(f.device, ANY, f.none, f.signal, 0));
  uint64_t value = 0;
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_semaphore_query(f.timeline, &value));
  fixture_end(&f);
}

enum { CHAIN_LENGTH = 100000 };

CTEST(a_hundred_thousand_parked_operations_do_not_recurse) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  iree_hal_buffer_t* buffer = make_buffer(&f, 4);
  for (uint64_t i = CHAIN_LENGTH; i >= 1; --i) {
    uint64_t payloads[] = {i, i + 1};
    const iree_hal_semaphore_list_t wait = {1, &f.timeline, &payloads[0]};
    const iree_hal_semaphore_list_t signal = {1, &f.timeline, &payloads[1]};
    const uint32_t pattern = (uint32_t)i;
    REQUIRE_OK(iree_hal_device_queue_fill(f.device, ANY, wait, signal, buffer,
                                          0, 4, &pattern, 4, 0));
  }
  EXPECT_OK(iree_hal_semaphore_signal(f.timeline, 1));
  EXPECT_EQ_I64(payload_of(f.timeline), CHAIN_LENGTH + 1);
  const uint32_t last = CHAIN_LENGTH;
  EXPECT(buffer_is(buffer, &last, 4));
  iree_hal_buffer_release(buffer);
  fixture_end(&f);
}

CTEST(buffers_are_allocated_and_given_back_in_order) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  const iree_hal_buffer_params_t params = {0};
  iree_hal_buffer_t* buffer = NULL;
  REQUIRE_OK(iree_hal_device_queue_alloca(f.device, ANY, f.wait, f.signal,
                                          params, 100, 0, &buffer));
  EXPECT_EQ_I64(iree_hal_buffer_byte_length(buffer), 100);
  EXPECT_EQ_I64(payload_of(f.timeline), 0);
  EXPECT_OK(iree_hal_semaphore_signal(f.timeline, 1));
  EXPECT_EQ_I64(payload_of(f.timeline), 2);
  const int64_t live = iree_cy_live_object_count(IREE_CY_OBJECT_KIND_BUFFER);
  uint64_t payloads[] = {3, 4};
  const iree_hal_semaphore_list_t wait = {1, &f.timeline, &payloads[0]};
  const iree_hal_semaphore_list_t signal = {1, &f.timeline, &payloads[1]};
  EXPECT_OK(
      iree_hal_device_queue_dealloca(f.device, ANY, wait, signal, buffer, 0));
  iree_hal_buffer_release(buffer);
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_BUFFER), live);
  EXPECT_OK(iree_hal_semaphore_signal(f.timeline, 3));
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_BUFFER),
                live - 1);
  EXPECT_EQ_I64(payload_of(f.timeline), 4);
  fixture_end(&f);
}

CTEST(files_are_read_and_written) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  char data[] = "abcdefgh";
  iree_hal_file_t* file = NULL;
  iree_hal_buffer_t* buffer = make_buffer(&f, 4);
  REQUIRE_OK(iree_hal_memory_file_wrap(
      IREE_HAL_MEMORY_ACCESS_ALL, iree_make_byte_span(data, 8),
      iree_hal_buffer_release_callback_null(), iree_allocator_system(), &file));
  uint64_t payload = 3;
  const iree_hal_semaphore_list_t at3 = {1, &f.timeline, &payload};
  EXPECT_OK(iree_hal_device_queue_write(f.device, ANY, f.signal, at3, buffer, 0,
                                        file, 0, 3, 0));
  EXPECT_OK(iree_hal_device_queue_read(f.device, ANY, f.wait, f.signal, file, 4,
                                       buffer, 1, 3, 0));
  iree_hal_file_release(file);
  EXPECT_OK(iree_hal_semaphore_signal(f.timeline, 1));
  EXPECT(buffer_is(buffer, "\0efg", 4));
  EXPECT_EQ_BYTES(data, "\0efdefgh", 8);
  EXPECT_EQ_I64(payload_of(f.timeline), 3);
  iree_hal_buffer_release(buffer);
  fixture_end(&f);
}

//===-- host calls ----------------------------------------------------------===

typedef struct call_record_t {
  int count;
  uint64_t sum;
  iree_status_code_t result;
  int64_t payload_within;
  iree_hal_semaphore_list_t kept;
} call_record_t;

static iree_status_t host_call(void* user_data, const uint64_t args[4],
                               iree_hal_host_call_context_t* context) {
  call_record_t* record = (call_record_t*)user_data;
  ++record->count;
  record->sum = args[0] + args[1] + args[2] + args[3];
  if (context->signal_semaphore_list.count) {
    record->payload_within =
        payload_of(context->signal_semaphore_list.semaphores[0]);
  }
  if (record->result == IREE_STATUS_DEFERRED) {
    IREE_RETURN_IF_ERROR(
        iree_hal_semaphore_list_clone(context->signal_semaphore_list,
                                      iree_allocator_system(), &record->kept));
  }
  return iree_status_from_code(record->result);
}

CTEST(host_calls_run_in_order) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  call_record_t record = {0};
  const iree_hal_host_call_t call = {host_call, &record};
  uint64_t args[4] = {1, 2, 3, 4};
  EXPECT_OK(iree_hal_device_queue_host_call(f.device, ANY, f.wait, f.signal,
                                            call, args, 0));
  args[0] = 1000;
  EXPECT_EQ_I64(record.count, 0);
  EXPECT_OK(iree_hal_semaphore_signal(f.timeline, 1));
  EXPECT_EQ_I64(record.count, 1);
  EXPECT_EQ_I64(record.sum, 10);
  EXPECT_EQ_I64(record.payload_within, 1);
  EXPECT_EQ_I64(payload_of(f.timeline), 2);
  fixture_end(&f);
}

CTEST(a_failed_host_call_fails_the_signals) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  call_record_t record = {.result = IREE_STATUS_CANCELLED};
  const iree_hal_host_call_t call = {host_call, &record};
  const uint64_t args[4] = {0};
  EXPECT_OK(iree_hal_device_queue_host_call(f.device, ANY, f.none, f.signal,
                                            call, args, 0));
  uint64_t value = 0;
  EXPECT_STATUS(IREE_STATUS_CANCELLED,
                iree_hal_semaphore_query(f.timeline, &value));
  fixture_end(&f);
}

CTEST(a_deferred_host_call_signals_itself) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  call_record_t record = {.result = IREE_STATUS_DEFERRED};
  const iree_hal_host_call_t call = {host_call, &record};
  const uint64_t args[4] = {0};
  EXPECT_OK(iree_hal_device_queue_host_call(f.device, ANY, f.wait, f.signal,
                                            call, args, 0));
  EXPECT_OK(iree_hal_semaphore_signal(f.timeline, 1));
  EXPECT_EQ_I64(record.count, 1);
  EXPECT_EQ_I64(payload_of(f.timeline), 1);
  EXPECT_OK(iree_hal_semaphore_list_signal(record.kept));
  EXPECT_EQ_I64(payload_of(f.timeline), 2);
  iree_hal_semaphore_list_free(record.kept, iree_allocator_system());
  fixture_end(&f);
}

CTEST(a_non_blocking_host_call_is_signalled_when_it_begins) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  call_record_t record = {.result = IREE_STATUS_ABORTED, .payload_within = -1};
  const iree_hal_host_call_t call = {host_call, &record};
  const uint64_t args[4] = {0};
  EXPECT_OK(iree_hal_device_queue_host_call(
      f.device, ANY, f.none, f.signal, call, args,
      IREE_HAL_HOST_CALL_FLAG_NON_BLOCKING));
  EXPECT_EQ_I64(record.count, 1);
  // It has no signals of its own, and its failure reaches nobody.
  EXPECT_EQ_I64(record.payload_within, -1);
  EXPECT_EQ_I64(payload_of(f.timeline), 2);
  fixture_end(&f);
}

//===-- command buffers -----------------------------------------------------===

// Fills slot 0 with |pattern| and copies it to slot 1.
static iree_hal_command_buffer_t* record_fill_and_copy(
    fixture_t* f, iree_hal_command_buffer_mode_t mode, uint8_t pattern,
    bool must_end) {
  iree_hal_command_buffer_t* commands = NULL;
  iree_status_t status = iree_hal_command_buffer_create(
      f->device, mode, IREE_HAL_COMMAND_CATEGORY_ANY, ANY, 2, &commands);
  if (iree_status_is_ok(status)) {
    status = iree_hal_command_buffer_begin(commands);
  }
  if (iree_status_is_ok(status)) {
    status = iree_hal_command_buffer_fill_buffer(
        commands, iree_hal_make_indirect_buffer_ref(0, 0, 4), &pattern, 1, 0);
  }
  if (iree_status_is_ok(status)) {
    status = iree_hal_command_buffer_copy_buffer(
        commands, iree_hal_make_indirect_buffer_ref(0, 0, 2),
        iree_hal_make_indirect_buffer_ref(1, 1, 2), 0);
  }
  if (iree_status_is_ok(status) && must_end) {
    status = iree_hal_command_buffer_end(commands);
  }
  EXPECT_OK(status);
  return commands;
}

CTEST(a_recording_is_replayed_with_each_table) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  iree_hal_buffer_t* a = make_buffer(&f, 4);
  iree_hal_buffer_t* b = make_buffer(&f, 4);
  iree_hal_command_buffer_t* commands = record_fill_and_copy(&f, 0, 7, true);
  REQUIRE(commands);
  iree_hal_buffer_binding_t bindings[] = {{a, 0, IREE_HAL_WHOLE_BUFFER},
                                          {b, 0, IREE_HAL_WHOLE_BUFFER}};
  const iree_hal_buffer_binding_table_t table = {2, bindings};
  EXPECT_OK(iree_hal_device_queue_execute(f.device, ANY, f.wait, f.signal,
                                          commands, table, 0));
  // The table is copied and all of it kept.
  bindings[0].buffer = bindings[1].buffer = NULL;
  iree_hal_command_buffer_release(commands);
  EXPECT(buffer_is(a, "\0\0\0\0", 4));
  EXPECT_OK(iree_hal_semaphore_signal(f.timeline, 1));
  EXPECT(buffer_is(a, "\7\7\7\7", 4));
  EXPECT(buffer_is(b, "\0\7\7\0", 4));
  EXPECT_EQ_I64(payload_of(f.timeline), 2);
  // Again, the other way round.
  commands = record_fill_and_copy(&f, 0, 9, true);
  bindings[0].buffer = b;
  bindings[1].buffer = a;
  EXPECT_OK(iree_hal_device_queue_execute(f.device, ANY, f.none, f.none,
                                          commands, table, 0));
  EXPECT(buffer_is(a, "\7\x9\x9\7", 4));
  EXPECT_OK(iree_hal_device_queue_execute(f.device, ANY, f.none, f.none,
                                          commands, table, 0));
  iree_hal_command_buffer_release(commands);
  iree_hal_buffer_release(a);
  iree_hal_buffer_release(b);
  fixture_end(&f);
}

CTEST(recording_states_are_checked) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  iree_hal_buffer_t* a = make_buffer(&f, 4);
  iree_hal_buffer_t* b = make_buffer(&f, 4);
  const iree_hal_buffer_binding_t bindings[] = {{a, 0, IREE_HAL_WHOLE_BUFFER},
                                                {b, 0, IREE_HAL_WHOLE_BUFFER}};
  const iree_hal_buffer_binding_table_t table = {2, bindings};
  iree_hal_command_buffer_t* open = record_fill_and_copy(&f, 0, 1, false);
  iree_hal_command_buffer_t* once =
      record_fill_and_copy(&f, IREE_HAL_COMMAND_BUFFER_MODE_ONE_SHOT, 1, true);
  REQUIRE(open && once);
  EXPECT_STATUS(IREE_STATUS_FAILED_PRECONDITION,
                iree_hal_device_queue_execute(f.device, ANY, f.none, f.signal,
                                              open, table, 0));
  // A submission that is refused does not use it up.
  EXPECT_STATUS(
      IREE_STATUS_INVALID_ARGUMENT,
      iree_hal_device_queue_execute(f.device, ANY, f.none, f.signal, once,
                                    iree_hal_buffer_binding_table_empty(), 0));
  f.memory.remaining = 0;
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                iree_hal_device_queue_execute(f.device, ANY, f.wait, f.signal,
                                              once, table, 0));
  f.memory.remaining = -1;
  EXPECT_EQ_I64(payload_of(f.timeline), 0);
  EXPECT_OK(iree_hal_device_queue_execute(f.device, ANY, f.none, f.signal, once,
                                          table, 0));
  EXPECT_STATUS(IREE_STATUS_FAILED_PRECONDITION,
                iree_hal_device_queue_execute(f.device, ANY, f.none, f.none,
                                              once, table, 0));
  EXPECT_EQ_I64(payload_of(f.timeline), 2);
  iree_hal_command_buffer_release(open);
  iree_hal_command_buffer_release(once);
  iree_hal_buffer_release(a);
  iree_hal_buffer_release(b);
  fixture_end(&f);
}

static iree_hal_device_t* passed_on_to = NULL;

static iree_status_t pass_on(iree_hal_device_t* device,
                             iree_hal_queue_affinity_t queue_affinity,
                             iree_hal_semaphore_list_t wait_semaphore_list,
                             iree_hal_semaphore_list_t signal_semaphore_list,
                             iree_hal_command_buffer_t* command_buffer,
                             iree_hal_buffer_binding_table_t binding_table,
                             iree_hal_execute_flags_t flags) {
  (void)device;
  return iree_hal_device_queue_execute(
      passed_on_to, queue_affinity, wait_semaphore_list, signal_semaphore_list,
      command_buffer, binding_table, flags);
}

CTEST(a_one_shot_that_a_device_passes_on_is_submitted_once) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  iree_hal_device_t* other = NULL;
  REQUIRE_OK(default_device_create(failing_allocator(&f.memory), &other));
  iree_hal_device_vtable_t passing =
      *(const iree_hal_device_vtable_t*)f.device->resource.vtable;
  const void* usual = f.device->resource.vtable;
  passing.queue_execute = pass_on;
  f.device->resource.vtable = &passing;
  passed_on_to = other;
  iree_hal_buffer_t* a = make_buffer(&f, 4);
  iree_hal_buffer_t* b = make_buffer(&f, 4);
  const iree_hal_buffer_binding_t bindings[] = {{a, 0, IREE_HAL_WHOLE_BUFFER},
                                                {b, 0, IREE_HAL_WHOLE_BUFFER}};
  const iree_hal_buffer_binding_table_t table = {2, bindings};
  iree_hal_command_buffer_t* once =
      record_fill_and_copy(&f, IREE_HAL_COMMAND_BUFFER_MODE_ONE_SHOT, 1, true);
  REQUIRE(once);
  // A failure behind the device does not use it up.
  f.memory.remaining = 0;
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                iree_hal_device_queue_execute(f.device, ANY, f.wait, f.signal,
                                              once, table, 0));
  f.memory.remaining = -1;
  EXPECT_OK(iree_hal_device_queue_execute(f.device, ANY, f.none, f.signal, once,
                                          table, 0));
  EXPECT(buffer_is(b, "\0\1\1\0", 4));
  iree_hal_device_t* devices[] = {f.device, other};
  for (int i = 0; i < 2; ++i) {
    EXPECT_STATUS(IREE_STATUS_FAILED_PRECONDITION,
                  iree_hal_device_queue_execute(devices[i], ANY, f.none, f.none,
                                                once, table, 0));
  }
  // Who passes it on to itself would do so forever.
  passed_on_to = f.device;
  iree_hal_command_buffer_t* own =
      record_fill_and_copy(&f, IREE_HAL_COMMAND_BUFFER_MODE_ONE_SHOT, 1, true);
  EXPECT_STATUS(IREE_STATUS_FAILED_PRECONDITION,
                iree_hal_device_queue_execute(f.device, ANY, f.none, f.none,
                                              own, table, 0));
  iree_hal_command_buffer_release(own);
  f.device->resource.vtable = usual;
  iree_hal_command_buffer_release(once);
  iree_hal_buffer_release(a);
  iree_hal_buffer_release(b);
  iree_hal_device_release(other);
  fixture_end(&f);
}

// An executable of one function that nobody runs.
static void idle_destroy(iree_hal_executable_t* executable) {
  iree_hal_executable_deinitialize(executable);
}
static iree_host_size_t idle_function_count(iree_hal_executable_t* executable) {
  (void)executable;
  return 1;
}
static iree_status_t idle_function_info(
    iree_hal_executable_t* executable, iree_hal_executable_function_t function,
    iree_hal_executable_function_info_t* out_info) {
  (void)executable;
  memset(out_info, 0, sizeof(*out_info));
  out_info->name = IREE_SV("idle");
  return function.value == 0 ? iree_ok_status()
                             : iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                                                "there is one function");
}

CTEST(a_dispatch_fails_the_signals_and_names_the_driver) {
  static const iree_hal_executable_vtable_t table = {
      .header = {.size = sizeof(table)},
      .destroy = idle_destroy,
      .function_count = idle_function_count,
      .function_info = idle_function_info,
  };
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  const void* vtable = NULL;
  REQUIRE_OK(iree_cy_register_vtable(IREE_CY_OBJECT_KIND_EXECUTABLE, &table,
                                     IREE_SV("idle"), &vtable));
  iree_hal_executable_t executable;
  iree_hal_executable_initialize((const iree_hal_executable_vtable_t*)vtable,
                                 iree_allocator_system(), &executable);
  iree_hal_executable_function_t function = {9};
  EXPECT_OK(iree_hal_executable_lookup_function_by_name(
      &executable, IREE_SV("idle"), &function));
  EXPECT_EQ_I64(function.value, 0);
  EXPECT_STATUS(IREE_STATUS_NOT_FOUND,
                iree_hal_executable_lookup_function_by_name(
                    &executable, IREE_SV("other"), &function));
  const iree_hal_dispatch_config_t config = {.size = sizeof(config),
                                             .workgroup_count = {1, 1, 1}};
  const iree_hal_buffer_ref_list_t bindings = {0, NULL};
  EXPECT_OK(iree_hal_device_queue_dispatch(
      f.device, ANY, f.none, f.signal, &executable,
      iree_hal_executable_function_from_index(0), &config,
      iree_const_byte_span_empty(), bindings, 0));
  uint64_t value = 0;
  iree_status_t status = iree_hal_semaphore_query(f.timeline, &value);
  EXPECT_EQ_SV(iree_status_message(status),
               IREE_SV("device 'bare' moves bytes only: driver 'bare' does not "
                       "implement dispatches "
                       "(iree_hal_device_t.queue_execute)"));
  EXPECT_STATUS(IREE_STATUS_UNIMPLEMENTED, status);
  iree_hal_executable_release(&executable);
  fixture_end(&f);
}

//===-- questions -----------------------------------------------------------===

CTEST(the_device_describes_itself) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  EXPECT_EQ_SV(iree_hal_device_id(f.device), IREE_SV("bare"));
  int64_t value = 5;
  EXPECT_STATUS(IREE_STATUS_NOT_FOUND,
                iree_hal_device_query_i64(f.device, IREE_SV("hal.device.id"),
                                          IREE_SV("bare"), &value));
  EXPECT_EQ_I64(value, 0);
  EXPECT_OK(iree_hal_device_trim(f.device));
  EXPECT_OK(iree_hal_device_queue_flush(f.device, ANY));
  iree_hal_device_capabilities_t capabilities = {.size = sizeof(capabilities)};
  EXPECT_OK(iree_hal_device_query_capabilities(f.device, &capabilities));
  EXPECT_EQ_I64(capabilities.size, sizeof(capabilities));
  EXPECT_EQ_I64(capabilities.queue_count, 1);
  EXPECT(capabilities.flags & IREE_HAL_DEVICE_CAPABILITY_UNIFIED_MEMORY);
  // One who knows less of the struct gets no more than that.
  memset(&capabilities, 0xEE, sizeof(capabilities));
  capabilities.size = 16;
  EXPECT_OK(iree_hal_device_query_capabilities(f.device, &capabilities));
  EXPECT_EQ_I64(capabilities.size, 16);
  EXPECT_EQ_I64(capabilities.reserved[0], (int64_t)0xEEEEEEEEEEEEEEEE);
  capabilities.size = 0;
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_device_query_capabilities(f.device, &capabilities));
  fixture_end(&f);
}

static iree_hal_allocator_t* told_allocator = NULL;

static void tell_allocator(iree_hal_device_t* device,
                           iree_hal_allocator_t* new_allocator) {
  EXPECT(iree_hal_device_allocator(device) != new_allocator);
  told_allocator = new_allocator;
}

CTEST(a_device_is_told_of_the_allocator_before_it_takes_its_place) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  iree_hal_device_vtable_t telling =
      *(const iree_hal_device_vtable_t*)f.device->resource.vtable;
  const void* usual = f.device->resource.vtable;
  telling.replace_allocator = tell_allocator;
  f.device->resource.vtable = &telling;
  iree_hal_allocator_t* other = NULL;
  REQUIRE_OK(iree_hal_allocator_create_heap(
      IREE_SV("other"), iree_hal_device_host_allocator(f.device), &other));
  iree_hal_device_replace_allocator(f.device, other);
  EXPECT(told_allocator == other);
  EXPECT(iree_hal_device_allocator(f.device) == other);
  f.device->resource.vtable = usual;
  iree_hal_allocator_release(other);
  fixture_end(&f);
}

CTEST(the_allocator_is_replaced) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  iree_hal_allocator_t* other = NULL;
  REQUIRE_OK(iree_hal_allocator_create_heap(
      IREE_SV("other"), iree_hal_device_host_allocator(f.device), &other));
  iree_hal_device_replace_allocator(f.device, other);
  EXPECT(iree_hal_device_allocator(f.device) == other);
  iree_hal_device_replace_allocator(f.device, other);
  iree_hal_allocator_release(other);
  fixture_end(&f);
}

CTEST(the_executable_cache_prepares_nothing_and_says_so) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  iree_hal_executable_cache_t* cache = NULL;
  REQUIRE_OK(
      iree_hal_executable_cache_create(f.device, IREE_SV("cache"), &cache));
  EXPECT(!iree_hal_executable_cache_can_prepare_format(
      cache, 0, IREE_SV("embedded-elf-x86_64")));
  const iree_hal_executable_params_t params = {
      .size = sizeof(params),
      .executable_format = IREE_SV("embedded-elf-x86_64"),
      .executable_data = iree_make_const_byte_span("x", 1),
  };
  iree_hal_executable_t* executable = NULL;
  iree_status_t status =
      iree_hal_executable_cache_prepare_executable(cache, &params, &executable);
  EXPECT(!executable);
  EXPECT_EQ_SV(iree_status_message(status),
               IREE_SV("driver 'bare' runs no executables; one of format "
                       "'embedded-elf-x86_64' was given"));
  EXPECT_STATUS(IREE_STATUS_UNIMPLEMENTED, status);
  iree_hal_executable_cache_release(cache);
  fixture_end(&f);
}

CTEST(waits_go_through_the_device) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  EXPECT_STATUS(
      IREE_STATUS_DEADLINE_EXCEEDED,
      iree_hal_device_wait_semaphores(f.device, IREE_HAL_WAIT_MODE_ALL, f.wait,
                                      iree_immediate_timeout(), 0));
  EXPECT_OK(iree_hal_semaphore_signal(f.timeline, 1));
  EXPECT_OK(iree_hal_device_wait_semaphores(
      f.device, IREE_HAL_WAIT_MODE_ANY, f.wait, iree_infinite_timeout(), 0));
  fixture_end(&f);
}

//===-- memory that ends ----------------------------------------------------===

CTEST(a_submission_that_finds_no_memory_queues_nothing) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  iree_hal_buffer_t* buffer = make_buffer(&f, 4);
  const uint8_t one = 1;
  const int64_t live = f.memory.live_blocks;
  int64_t budget = 0;
  for (; budget < 10; ++budget) {
    f.memory.remaining = budget;
    iree_status_t status = iree_hal_device_queue_fill(
        f.device, ANY, f.wait, f.signal, buffer, 0, 4, &one, 1, 0);
    if (iree_status_is_ok(status)) break;
    EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED, status);
    EXPECT_EQ_I64(f.memory.live_blocks, live);
    EXPECT_EQ_I64(buffer->resource.ref_count, 1);
  }
  // The operation and its notification.
  EXPECT_EQ_I64(budget, 2);
  f.memory.remaining = -1;
  EXPECT_OK(iree_hal_semaphore_signal(f.timeline, 1));
  EXPECT_EQ_I64(payload_of(f.timeline), 2);
  EXPECT(buffer_is(buffer, "\1\1\1\1", 4));
  iree_hal_buffer_release(buffer);
  fixture_end(&f);
}

CTEST(an_operation_that_is_due_needs_no_memory) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  iree_hal_buffer_t* buffer = make_buffer(&f, 4);
  const uint8_t one = 1;
  f.memory.remaining = 0;
  EXPECT_OK(iree_hal_device_queue_fill(f.device, ANY, f.none, f.signal, buffer,
                                       0, 4, &one, 1, 0));
  EXPECT_EQ_I64(payload_of(f.timeline), 2);
  iree_hal_buffer_release(buffer);
  fixture_end(&f);
}

CTEST(making_a_device_leaves_nothing_behind_when_memory_ends) {
  failing_allocator_t state = {.remaining = 0};
  iree_hal_device_t* device = NULL;
  int64_t budget = 0;
  for (; budget < 20; ++budget) {
    state.remaining = budget;
    iree_status_t status =
        default_device_create(failing_allocator(&state), &device);
    if (iree_status_is_ok(status)) break;
    EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED, status);
    EXPECT_EQ_I64(state.live_blocks, 0);
  }
  EXPECT(budget >= 3 && budget < 20);
  iree_hal_device_release(device);
  EXPECT_EQ_I64(state.live_blocks, 0);
}

CTEST_MAIN()
