// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the tests of the exports of the hal module for fences, command buffers
// and queues.

#include "tests/modules/hal_fixture.h"

//===----------------------------------------------------------------------===//
// Fences
//===----------------------------------------------------------------------===//

CTEST(signals_joins_and_awaits_fences) {
  WITH_FIXTURE(f);
  REF_CLEANUP iree_vm_ref_t first = make_fence(f);
  REF_CLEANUP iree_vm_ref_t second = make_fence(f);
  result_t result;
  REQUIRE_OK(call(f, "fence.join", &result, "ICrrr", (int64_t)0, 3, first,
                  NULL_REF, second));
  REF_CLEANUP iree_vm_ref_t joined = result_ref(&result);
  REQUIRE_OK(call(f, "fence.join", &result, "ICr", (int64_t)0, 1, NULL_REF));
  EXPECT(result_ref(&result).ptr == NULL);
  EXPECT_EQ_I64(query(f, joined), IREE_STATUS_DEFERRED);
  EXPECT_OK(call(f, "fence.await", &result, "iICr", 0, (int64_t)0, 1, joined));
  EXPECT_EQ_I64(result_i32(&result), IREE_STATUS_DEADLINE_EXCEEDED);
  EXPECT_OK(call(f, "fence.signal", &result, "r", first));
  EXPECT_EQ_I64(query(f, first), IREE_STATUS_OK);
  EXPECT_OK(call(f, "fence.await", &result, "iICr", 1, (int64_t)0, 1, joined));
  EXPECT_EQ_I64(result_i32(&result), IREE_STATUS_DEADLINE_EXCEEDED);
  EXPECT_OK(call(f, "fence.signal", &result, "r", second));
  EXPECT_OK(call(f, "fence.await", &result, "iICrrr", -1, (int64_t)0, 3, joined,
                 NULL_REF, first));
  EXPECT_EQ_I64(result_i32(&result), IREE_STATUS_OK);
}

CTEST(joins_more_fences_than_fit_the_stack) {
  WITH_FIXTURE(f);
  iree_vm_ref_t fences[100];
  uint8_t arguments[16 + 100 * sizeof(iree_vm_ref_t)];
  uint8_t* cursor = arguments;
  iree_cy_vm_write_i64(&cursor, 0);
  iree_cy_vm_write_i32(&cursor, 100);
  for (int i = 0; i < 100; ++i) {
    fences[i] = make_fence(f);
    iree_cy_vm_write_ref(&cursor, fences[i]);
  }
  result_t result;
  EXPECT_OK(call_packed(f, "fence.join", arguments,
                        (iree_host_size_t)(cursor - arguments), &result));
  REF_CLEANUP iree_vm_ref_t joined = result_ref(&result);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ_I64(query(f, joined), IREE_STATUS_DEFERRED);
    EXPECT_OK(call(f, "fence.signal", &result, "r", fences[i]));
    iree_vm_ref_release(&fences[i]);
  }
  EXPECT_EQ_I64(query(f, joined), IREE_STATUS_OK);
}

CTEST(passes_failures_on_with_their_message) {
  WITH_FIXTURE(f);
  REF_CLEANUP iree_vm_ref_t fence = make_fence(f);
  REF_CLEANUP iree_vm_ref_t pending = make_fence(f);
  result_t result;
  iree_hal_fence_fail(
      (iree_hal_fence_t*)fence.ptr,
      iree_make_status(IREE_STATUS_DATA_LOSS, "the cable is out"));
  EXPECT_EQ_I64(query(f, fence), IREE_STATUS_DATA_LOSS);
  EXPECT(message_has(call(f, "fence.await", &result, "iICrr", -1, (int64_t)0, 2,
                          pending, fence),
                     IREE_STATUS_DATA_LOSS, "the cable is out"));
  EXPECT_OK(call(f, "fence.fail", &result, "ri", pending, 13));
  EXPECT_EQ_I64(query(f, pending), IREE_STATUS_INTERNAL);
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                call(f, "fence.fail", &result, "ri", pending, 0));
}

static iree_status_t interrupt_on_third(void* user_data) {
  int* count = (int*)user_data;
  if (++*count < 3) return iree_ok_status();
  return iree_make_status(IREE_STATUS_CANCELLED, "enough");
}

CTEST(ends_a_wait_by_deadline_and_by_interrupt) {
  WITH_FIXTURE(f);
  REF_CLEANUP iree_vm_ref_t fence = make_fence(f);
  result_t result;
  f->options.deadline_ns = iree_time_now() + 10 * 1000000;
  EXPECT_STATUS(
      IREE_STATUS_DEADLINE_EXCEEDED,
      call(f, "fence.await", &result, "iICr", -1, (int64_t)0, 1, fence));
  f->options.deadline_ns = IREE_TIME_INFINITE_FUTURE;
  int count = 0;
  f->options.interrupt = interrupt_on_third;
  f->options.interrupt_user_data = &count;
  EXPECT(message_has(
      call(f, "fence.await", &result, "iICr", -1, (int64_t)0, 1, fence),
      IREE_STATUS_CANCELLED, "enough"));
  EXPECT_EQ_I64(count, 3);
}

//===----------------------------------------------------------------------===//
// Command buffers and queues
//===----------------------------------------------------------------------===//

CTEST(moves_bytes_on_the_queue) {
  WITH_FIXTURE(f);
  REF_CLEANUP iree_vm_ref_t a = make_buffer(f, 16);
  REF_CLEANUP iree_vm_ref_t b = make_buffer(f, 16);
  REF_CLEANUP iree_vm_ref_t text = make_text("0123456789abcdef");
  REF_CLEANUP iree_vm_ref_t fence_1 = make_fence(f);
  REF_CLEANUP iree_vm_ref_t fence_2 = make_fence(f);
  REF_CLEANUP iree_vm_ref_t fence_3 = make_fence(f);
  REF_CLEANUP iree_vm_ref_t fence_4 = make_fence(f);
  result_t result;
  // The copy is queued before what it waits for.
  EXPECT_OK(call(f, "device.queue.copy", &result, "rIrrrIrIII", device_ref(f),
                 WHOLE, fence_2, fence_3, a, (int64_t)0, b, (int64_t)8,
                 (int64_t)8, (int64_t)0));
  EXPECT_OK(call(f, "device.queue.fill", &result, "rIrrrIIIiI", device_ref(f),
                 WHOLE, NULL_REF, fence_1, a, (int64_t)0, (int64_t)16,
                 (int64_t)0x2a2b, 2, (int64_t)0));
  EXPECT_OK(call(f, "device.queue.update", &result, "rIrrrIrIII", device_ref(f),
                 WHOLE, fence_1, fence_2, text, (int64_t)4, a, (int64_t)4,
                 (int64_t)4, (int64_t)0));
  EXPECT_OK(call(f, "device.queue.barrier", &result, "rIrrI", device_ref(f),
                 WHOLE, fence_3, fence_4, (int64_t)0));
  EXPECT_OK(call(f, "device.queue.flush", &result, "rI", device_ref(f), WHOLE));
  EXPECT_OK(
      call(f, "fence.await", &result, "iICr", -1, (int64_t)0, 1, fence_4));
  EXPECT_EQ_I64(result_i32(&result), IREE_STATUS_OK);
  EXPECT_EQ_I64(load(f, b, 8, 4), 0x2a2b2a2b);
  EXPECT_EQ_I64(load(f, b, 12, 4), 0x37363534);
  EXPECT(message_has(call(f, "device.queue.fill", &result, "rIrrrIIIiI",
                          device_ref(f), WHOLE, NULL_REF, NULL_REF, a,
                          (int64_t)0, (int64_t)16, (int64_t)0, 9, (int64_t)0),
                     IREE_STATUS_INVALID_ARGUMENT,
                     "'pattern_length' cannot be 9"));
  EXPECT_OK(call(f, "device.queue.dealloca", &result, "rIrrrI", device_ref(f),
                 WHOLE, NULL_REF, NULL_REF, a, (int64_t)0));
}

CTEST(refuses_to_wait_for_what_it_signals) {
  WITH_FIXTURE(f);
  REF_CLEANUP iree_vm_ref_t fence = make_fence(f);
  result_t result;
  EXPECT(message_has(call(f, "device.queue.barrier", &result, "rIrrI",
                          device_ref(f), WHOLE, fence, fence, (int64_t)0),
                     IREE_STATUS_INVALID_ARGUMENT,
                     "'wait_fence' waits for what 'signal_fence' signals"));
}

CTEST(records_and_executes_with_a_binding_table) {
  WITH_FIXTURE(f);
  REF_CLEANUP iree_vm_ref_t buffer = make_buffer(f, 32);
  REF_CLEANUP iree_vm_ref_t text = make_text("0123456789abcdef");
  REF_CLEANUP iree_vm_ref_t commands = make_command_buffer(f, 2);
  REF_CLEANUP iree_vm_ref_t fence = make_fence(f);
  result_t result;
  EXPECT_OK(call(f, "command_buffer.begin_debug_group", &result, "rr", commands,
                 text));
  EXPECT_OK(call(f, "command_buffer.fill_buffer", &result, "rrIIiIiI", commands,
                 NULL_REF, (int64_t)0, (int64_t)16, 1, (int64_t)0x01020304, 4,
                 (int64_t)0));
  EXPECT_OK(call(f, "command_buffer.execution_barrier", &result, "riiI",
                 commands, 28, 13, (int64_t)0));
  EXPECT_OK(call(f, "command_buffer.update_buffer", &result, "rrIrIIiI",
                 commands, text, (int64_t)2, NULL_REF, (int64_t)4, (int64_t)4,
                 1, (int64_t)0));
  EXPECT_OK(call(f, "command_buffer.execution_barrier", &result, "riiI",
                 commands, 28, 13, (int64_t)0));
  EXPECT_OK(call(f, "command_buffer.copy_buffer", &result, "riirIrIII",
                 commands, 1, 0, NULL_REF, (int64_t)0, NULL_REF, (int64_t)8,
                 (int64_t)8, (int64_t)0));
  EXPECT_OK(call(f, "command_buffer.end_debug_group", &result, "r", commands));
  EXPECT_OK(call(f, "command_buffer.finalize", &result, "r", commands));
  EXPECT_OK(call(f, "device.queue.execute.indirect", &result, "rIrrrICrIIrII",
                 device_ref(f), WHOLE, NULL_REF, fence, commands, (int64_t)0, 2,
                 buffer, (int64_t)16, (int64_t)16, buffer, (int64_t)0,
                 (int64_t)16));
  EXPECT_EQ_I64(query(f, fence), IREE_STATUS_OK);
  EXPECT_EQ_I64(load(f, buffer, 0, 4), 0x01020304);
  EXPECT_EQ_I64(load(f, buffer, 4, 4), 0x35343332);
  EXPECT_EQ_I64(load(f, buffer, 16 + 8, 4), 0x01020304);
  EXPECT_EQ_I64(load(f, buffer, 16 + 12, 4), 0x35343332);
}

// Records one dispatch with that many constants and bindings.
static iree_status_t dispatch(fixture_t* f, iree_vm_ref_t commands,
                              iree_vm_ref_t executable, int constant_count,
                              int binding_count, iree_vm_ref_t buffer) {
  uint8_t arguments[8192];
  uint8_t* cursor = arguments;
  iree_cy_vm_write_ref(&cursor, commands);
  iree_cy_vm_write_ref(&cursor, executable);
  iree_cy_vm_write_i64(&cursor, 0);
  for (int i = 0; i < 3; ++i) iree_cy_vm_write_i32(&cursor, 1);
  iree_cy_vm_write_i64(&cursor, 0);
  iree_cy_vm_write_i32(&cursor, constant_count);
  for (int i = 0; i < constant_count; ++i) iree_cy_vm_write_i32(&cursor, i);
  iree_cy_vm_write_i32(&cursor, binding_count);
  for (int i = 0; i < binding_count; ++i) {
    iree_cy_vm_write_i32(&cursor, 0);
    iree_cy_vm_write_i32(&cursor, 0);
    iree_cy_vm_write_ref(&cursor, buffer);
    iree_cy_vm_write_i64(&cursor, 0);
    iree_cy_vm_write_i64(&cursor, 16);
  }
  result_t result;
  return call_packed(f, "command_buffer.dispatch", arguments,
                     (iree_host_size_t)(cursor - arguments), &result);
}

static iree_vm_ref_t make_executable(fixture_t* f) {
  REF_CLEANUP iree_vm_ref_t format = make_text("anything");
  REF_CLEANUP iree_vm_ref_t data = make_text("data");
  result_t result;
  EXPECT_OK(call(f, "executable.create", &result, "rIrrr", device_ref(f), WHOLE,
                 format, data, NULL_REF));
  return result_ref(&result);
}

CTEST(records_dispatches_of_up_to_64_constants_and_bindings) {
  WITH_FIXTURE(f);
  REF_CLEANUP iree_vm_ref_t buffer = make_buffer(f, 16);
  REF_CLEANUP iree_vm_ref_t commands = make_command_buffer(f, 0);
  REF_CLEANUP iree_vm_ref_t executable = make_executable(f);
  REF_CLEANUP iree_vm_ref_t name = make_text("main");
  REF_CLEANUP iree_vm_ref_t fence = make_fence(f);
  result_t result;
  EXPECT_OK(
      call(f, "executable.lookup.function", &result, "rr", executable, name));
  EXPECT_OK(dispatch(f, commands, executable, 0, 0, buffer));
  EXPECT_OK(dispatch(f, commands, executable, 64, 64, buffer));
  EXPECT(message_has(dispatch(f, commands, executable, 65, 1, buffer),
                     IREE_STATUS_OUT_OF_RANGE,
                     "'constants' has 65 elements, the most is 64"));
  EXPECT(message_has(dispatch(f, commands, executable, 1, 65, buffer),
                     IREE_STATUS_OUT_OF_RANGE,
                     "'bindings' has 65 elements, the most is 64"));
  EXPECT(message_has(dispatch(f, commands, executable, 1, 1, fence),
                     IREE_STATUS_INVALID_ARGUMENT, "'bindings' is hal.fence"));
  EXPECT_OK(call(f, "command_buffer.dispatch.indirect", &result,
                 "rrIirIICCiirII", commands, executable, (int64_t)0, 0, buffer,
                 (int64_t)0, (int64_t)0, 0, 1, 0, 0, buffer, (int64_t)0,
                 (int64_t)16));
  EXPECT_OK(call(f, "command_buffer.finalize", &result, "r", commands));
  const uint64_t before = noop_device_dispatch_count();
  EXPECT_OK(call(f, "device.queue.execute", &result, "rIrrrI", device_ref(f),
                 WHOLE, NULL_REF, fence, commands, (int64_t)0));
  EXPECT_EQ_I64(query(f, fence), IREE_STATUS_OK);
  EXPECT_EQ_I64(noop_device_dispatch_count() - before, 3);
}

// A program may not take the host's checks away.
CTEST(keeps_its_checks_whatever_mode_a_program_asks_for) {
  WITH_FIXTURE(f);
  result_t result;
  EXPECT_OK(call(f, "command_buffer.create", &result, "riiIi", device_ref(f),
                 -1, (int)IREE_HAL_COMMAND_CATEGORY_ANY, WHOLE, 0));
  REF_CLEANUP iree_vm_ref_t commands = result_ref(&result);
  EXPECT_EQ_I64(
      iree_hal_command_buffer_mode((iree_hal_command_buffer_t*)commands.ptr) &
          (IREE_HAL_COMMAND_BUFFER_MODE_UNVALIDATED |
           IREE_HAL_COMMAND_BUFFER_MODE_UNRETAINED),
      0);
  REF_CLEANUP iree_vm_ref_t buffer = make_buffer(f, 16);
  EXPECT_STATUS(
      IREE_STATUS_OUT_OF_RANGE,
      call(f, "command_buffer.fill_buffer", &result, "rrIIiIiI", commands,
           buffer, (int64_t)8, (int64_t)16, 0, (int64_t)0, 1, (int64_t)0));
}

CTEST(says_that_collectives_are_not_there) {
  WITH_FIXTURE(f);
  result_t result;
  EXPECT(
      message_has(call(f, "channel.create", &result, "rIIrrii", device_ref(f),
                       WHOLE, (int64_t)0, NULL_REF, NULL_REF, 0, 1),
                  IREE_STATUS_UNIMPLEMENTED, "hal.channel.create"));
  EXPECT_STATUS(IREE_STATUS_UNIMPLEMENTED,
                call(f, "channel.rank_and_count", &result, "r", NULL_REF));
  EXPECT_STATUS(
      IREE_STATUS_UNIMPLEMENTED,
      call(f, "channel.split", &result, "riiI", NULL_REF, 0, 0, (int64_t)0));
}

// Fences are looked through from end to end, without a poll: a program must not
// make one that takes long.
CTEST(joins_so_many_timepoints_and_no_more) {
  enum { MOST = 8192 };
  WITH_FIXTURE(f);
  REF_CLEANUP iree_vm_ref_t fence = make_fence(f);
  const iree_host_size_t capacity =
      sizeof(int64_t) + sizeof(int32_t) + (MOST + 1) * sizeof(iree_vm_ref_t);
  uint8_t* arguments = (uint8_t*)malloc(capacity);
  for (int count = MOST; count <= MOST + 1; ++count) {
    uint8_t* cursor = arguments;
    iree_cy_vm_write_i64(&cursor, 0);
    iree_cy_vm_write_i32(&cursor, count);
    for (int i = 0; i < count; ++i) iree_cy_vm_write_ref(&cursor, fence);
    result_t result;
    iree_status_t status =
        call_packed(f, "fence.join", arguments,
                    (iree_host_size_t)(cursor - arguments), &result);
    if (count > MOST) {
      EXPECT(message_has(status, IREE_STATUS_RESOURCE_EXHAUSTED,
                         "hal.fence.join: 8193 timepoints"));
      continue;
    }
    EXPECT_OK(status);
    iree_vm_ref_t joined = result_ref(&result);
    EXPECT_EQ_I64(
        (int64_t)iree_hal_fence_timepoint_count((iree_hal_fence_t*)joined.ptr),
        1);
    iree_vm_ref_release(&joined);
  }
  free(arguments);
}

CTEST_MAIN()
