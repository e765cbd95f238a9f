// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the tests of the hal module: its exports as a whole, buffers, buffer
// views, and programs for another device.

#include "tests/modules/hal_fixture.h"

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

// Names and conventions that the compiler of version 3.13 imports, in the order
// of its list.
static const char* const imports[][2] = {
    {"ex.file.from_memory", "0rIirIIi_r"},
    {"allocator.select", "0iiICrID_rI"},
    {"allocator.allocate", "0rIiiI_r"},
    {"allocator.import", "0riIiirII_r"},
    {"buffer.assert", "0rrrIii_v"},
    {"buffer.allocation.preserve", "0r_v"},
    {"buffer.allocation.discard", "0r_i"},
    {"buffer.allocation.is_terminal", "0r_i"},
    {"buffer.subspan", "0rII_r"},
    {"buffer.length", "0r_I"},
    {"buffer.load", "0rIi_i"},
    {"buffer.store", "0irIi_v"},
    {"buffer_view.create", "0rIIiiCID_r"},
    {"buffer_view.assert", "0rriiCID_v"},
    {"buffer_view.buffer", "0r_r"},
    {"buffer_view.element_type", "0r_i"},
    {"buffer_view.encoding_type", "0r_i"},
    {"buffer_view.rank", "0r_i"},
    {"buffer_view.dim", "0ri_I"},
    {"buffer_view.trace", "0rCrD_v"},
    {"channel.create", "0rIIrrii_r"},
    {"channel.split", "0riiI_r"},
    {"channel.rank_and_count", "0r_ii"},
    {"command_buffer.create", "0riiIi_r"},
    {"command_buffer.finalize", "0r_v"},
    {"command_buffer.begin_debug_group", "0rr_v"},
    {"command_buffer.end_debug_group", "0r_v"},
    {"command_buffer.execution_barrier", "0riiI_v"},
    {"command_buffer.advise_buffer", "0rrIIIi_v"},
    {"command_buffer.fill_buffer", "0rrIIiIiI_v"},
    {"command_buffer.update_buffer", "0rrIrIIiI_v"},
    {"command_buffer.copy_buffer", "0riirIrIII_v"},
    {"command_buffer.collective", "0rriiiirrIIIII_v"},
    {"command_buffer.dispatch", "0rrIiiiICiDCiirIID_v"},
    {"command_buffer.dispatch.indirect", "0rrIirIICiDCiirIID_v"},
    {"device.allocator", "0r_r"},
    {"device.query.i64", "0rrr_iI"},
    {"device.queue.alloca", "0rIrrIiiII_r"},
    {"device.queue.dealloca", "0rIrrrI_v"},
    {"device.queue.fill", "0rIrrrIIIiI_v"},
    {"device.queue.update", "0rIrrrIrIII_v"},
    {"device.queue.copy", "0rIrrrIrIII_v"},
    {"device.queue.read", "0rIrrrIrIII_v"},
    {"device.queue.write", "0rIrrrIrIII_v"},
    {"device.queue.barrier", "0rIrrI_v"},
    {"device.queue.execute", "0rIrrrI_v"},
    {"device.queue.execute.indirect", "0rIrrrICrIID_v"},
    {"device.queue.flush", "0rI_v"},
    {"devices.count", "0v_i"},
    {"devices.get", "0i_r"},
    {"executable.create", "0rIrrr_r"},
    {"executable.lookup.function", "0rr_I"},
    {"fence.create", "0rI_r"},
    {"fence.join", "0ICrD_r"},
    {"fence.query", "0r_i"},
    {"fence.signal", "0r_v"},
    {"fence.fail", "0ri_v"},
    {"fence.await", "0iICrD_i"},
};

CTEST(has_every_function_that_programs_import) {
  WITH_FIXTURE(f);
  iree_vm_module_signature_t signature = iree_vm_module_signature(f->module);
  EXPECT_EQ_I64(signature.version, 7);
  EXPECT_EQ_I64(signature.export_function_count, IREE_ARRAYSIZE(imports));
  for (size_t i = 0; i < IREE_ARRAYSIZE(imports); ++i) {
    iree_vm_function_t function;
    EXPECT_OK(iree_vm_module_lookup_function_by_name(
        f->module, IREE_VM_FUNCTION_LINKAGE_EXPORT,
        iree_make_cstring_view(imports[i][0]), &function));
    EXPECT_EQ_SV(iree_vm_function_signature(&function).calling_convention,
                 iree_make_cstring_view(imports[i][1]));
  }
}

CTEST(refuses_null_devices_and_unknown_flags) {
  WITH_FIXTURE(f);
  iree_vm_module_t* module = NULL;
  iree_hal_device_t* devices[2] = {f->device, NULL};
  EXPECT(message_has(iree_hal_module_create(f->instance, 2, devices, 0,
                                            iree_allocator_system(), &module),
                     IREE_STATUS_INVALID_ARGUMENT, "device 1 of 2"));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_module_create(f->instance, 1, devices, 4,
                                       iree_allocator_system(), &module));
  EXPECT(module == NULL);
}

CTEST(gives_devices_in_order_and_null_beyond) {
  WITH_FIXTURE(f);
  result_t result;
  EXPECT_OK(call(f, "devices.count", &result, ""));
  EXPECT_EQ_I64(result_i32(&result), 1);
  EXPECT_OK(call(f, "devices.get", &result, "i", 0));
  REF_CLEANUP iree_vm_ref_t device = result_ref(&result);
  EXPECT(device.ptr == f->device);
  EXPECT(iree_hal_device_isa(device));
  EXPECT_OK(call(f, "devices.get", &result, "i", 1));
  EXPECT(result_ref(&result).ptr == NULL);
  EXPECT_OK(call(f, "devices.get", &result, "i", -1));
  EXPECT(result_ref(&result).ptr == NULL);
  EXPECT_OK(call(f, "device.allocator", &result, "r", device));
  REF_CLEANUP iree_vm_ref_t allocator = result_ref(&result);
  EXPECT(allocator.ptr == iree_hal_device_allocator(f->device));
}

CTEST(answers_queries) {
  WITH_FIXTURE(f);
  REF_CLEANUP iree_vm_ref_t category = make_text("hal.device.id");
  REF_CLEANUP iree_vm_ref_t other = make_text("hal.weather");
  REF_CLEANUP iree_vm_ref_t key = make_text("local");
  result_t result;
  const uint8_t* cursor = result.data;
  EXPECT_OK(call(f, "device.query.i64", &result, "rrr", device_ref(f), category,
                 key));
  EXPECT_EQ_I64(iree_cy_vm_read_i32(&cursor), 1);
  EXPECT_EQ_I64(iree_cy_vm_read_i64(&cursor), 1);
  cursor = result.data;
  EXPECT_OK(
      call(f, "device.query.i64", &result, "rrr", device_ref(f), other, key));
  EXPECT_EQ_I64(iree_cy_vm_read_i32(&cursor), 0);
  EXPECT_EQ_I64(iree_cy_vm_read_i64(&cursor), 0);
}

CTEST(names_function_and_argument_of_a_bad_reference) {
  WITH_FIXTURE(f);
  result_t result;
  EXPECT(message_has(call(f, "buffer.length", &result, "r", NULL_REF),
                     IREE_STATUS_INVALID_ARGUMENT,
                     "hal.buffer.length: argument 'buffer' is null, a "
                     "hal.buffer is wanted"));
  EXPECT(message_has(call(f, "buffer.length", &result, "r", device_ref(f)),
                     IREE_STATUS_INVALID_ARGUMENT,
                     "argument 'buffer' is hal.device"));
  EXPECT(message_has(
      call(f, "device.queue.barrier", &result, "rIrrI", device_ref(f), WHOLE,
           NULL_REF, device_ref(f), (int64_t)0),
      IREE_STATUS_INVALID_ARGUMENT, "'signal_fence' is hal.device"));
}

// Every reference of every function, null or of a wrong type, is an error and
// nothing else; so are numbers of all kinds.
CTEST(survives_any_arguments) {
  WITH_FIXTURE(f);
  REF_CLEANUP iree_vm_ref_t buffer = make_buffer(f, 64);
  REF_CLEANUP iree_vm_ref_t text = make_text("text");
  REF_CLEANUP iree_vm_ref_t fence = make_fence(f);
  REF_CLEANUP iree_vm_ref_t command_buffer = make_command_buffer(f, 4);
  const iree_vm_ref_t refs[] = {NULL_REF,      device_ref(f),    buffer,
                                text,          allocator_ref(f), fence,
                                command_buffer};
  const int64_t numbers[] = {0, 1, -1, 3, INT64_MAX, INT64_MIN, 64, 1 << 20};
  uint32_t random = 12345;
  // No wait may last.
  f->options.deadline_ns = IREE_TIME_INFINITE_FUTURE;
  for (size_t i = 0; i < IREE_ARRAYSIZE(imports); ++i) {
    for (int round = 0; round < 200; ++round) {
      uint8_t arguments[4096];
      uint8_t* cursor = arguments;
      const bool awaits = strcmp(imports[i][0], "fence.await") == 0;
      const char* group = NULL;
      int group_count = 0;
      for (const char* letter = imports[i][1] + 1; *letter != '_'; ++letter) {
        random = random * 1664525u + 1013904223u;
        const uint32_t pick = random >> 16;
        if (*letter == 'C') {
          group = letter;
          group_count = (int)(pick % 4);
          iree_cy_vm_write_i32(&cursor, group_count);
          if (group_count == 0) letter = strchr(letter, 'D');
        } else if (*letter == 'D') {
          if (--group_count > 0) letter = group;
        } else if (*letter == 'r') {
          iree_cy_vm_write_ref(&cursor, refs[pick % IREE_ARRAYSIZE(refs)]);
        } else if (*letter == 'I') {
          iree_cy_vm_write_i64(&cursor,
                               numbers[pick % IREE_ARRAYSIZE(numbers)]);
        } else if (*letter == 'i') {
          iree_cy_vm_write_i32(
              &cursor,
              awaits ? 0 : (int32_t)numbers[pick % IREE_ARRAYSIZE(numbers)]);
        }
      }
      result_t result;
      iree_status_t status =
          call_packed(f, imports[i][0], arguments,
                      (iree_host_size_t)(cursor - arguments), &result);
      iree_status_ignore(status);
      const char* results = strchr(imports[i][1], '_') + 1;
      iree_cy_vm_cconv_release_refs(
          iree_make_cstring_view(results[0] == 'v' ? "" : results),
          iree_make_byte_span(result.data, sizeof(result.data)));
    }
  }
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

CTEST(allocates_stores_loads_and_takes_subspans) {
  WITH_FIXTURE(f);
  REF_CLEANUP iree_vm_ref_t buffer = make_buffer(f, 64);
  result_t result;
  EXPECT_OK(call(f, "buffer.length", &result, "r", buffer));
  EXPECT_EQ_I64(result_i64(&result), 64);
  EXPECT_OK(call(f, "buffer.store", &result, "irIi", 0x11223344, buffer,
                 (int64_t)8, 4));
  EXPECT_EQ_I64(load(f, buffer, 8, 4), 0x11223344);
  EXPECT_EQ_I64(load(f, buffer, 9, 2), 0x2233);
  EXPECT_EQ_I64(load(f, buffer, 8, 1), 0x44);
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                call(f, "buffer.load", &result, "rIi", buffer, (int64_t)61, 4));
  EXPECT_STATUS(
      IREE_STATUS_OUT_OF_RANGE,
      call(f, "buffer.store", &result, "irIi", 1, buffer, (int64_t)-4, 4));
  EXPECT(
      message_has(call(f, "buffer.load", &result, "rIi", buffer, (int64_t)0, 5),
                  IREE_STATUS_INVALID_ARGUMENT, "'length' cannot be 5"));
  EXPECT_OK(call(f, "buffer.subspan", &result, "rII", buffer, (int64_t)8,
                 (int64_t)16));
  REF_CLEANUP iree_vm_ref_t subspan = result_ref(&result);
  EXPECT_EQ_I64(load(f, subspan, 0, 4), 0x11223344);
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                call(f, "buffer.subspan", &result, "rII", buffer, (int64_t)60,
                     (int64_t)5));
}

CTEST(counts_owners_of_allocations) {
  WITH_FIXTURE(f);
  REF_CLEANUP iree_vm_ref_t buffer = make_buffer(f, 16);
  result_t result;
  EXPECT_OK(call(f, "buffer.allocation.is_terminal", &result, "r", buffer));
  EXPECT_EQ_I64(result_i32(&result), 1);
  EXPECT_OK(call(f, "buffer.allocation.preserve", &result, "r", buffer));
  EXPECT_OK(call(f, "buffer.allocation.is_terminal", &result, "r", buffer));
  EXPECT_EQ_I64(result_i32(&result), 0);
  EXPECT_OK(call(f, "buffer.allocation.discard", &result, "r", buffer));
  EXPECT_EQ_I64(result_i32(&result), 0);
  EXPECT_OK(call(f, "buffer.allocation.discard", &result, "r", buffer));
  EXPECT_EQ_I64(result_i32(&result), 1);
}

CTEST(asserts_buffers) {
  WITH_FIXTURE(f);
  REF_CLEANUP iree_vm_ref_t buffer = make_buffer(f, 16);
  REF_CLEANUP iree_vm_ref_t message = make_text("input 2");
  result_t result;
  EXPECT_OK(call(f, "buffer.assert", &result, "rrrIii", buffer, message,
                 allocator_ref(f), (int64_t)16, MEMORY, USAGE));
  EXPECT(message_has(
      call(f, "buffer.assert", &result, "rrrIii", buffer, message,
           allocator_ref(f), (int64_t)17, MEMORY, USAGE),
      IREE_STATUS_INVALID_ARGUMENT,
      "input 2: the buffer has 16 bytes, the program needs at least 17"));
  EXPECT(message_has(call(f, "buffer.assert", &result, "rrrIii", buffer,
                          message, allocator_ref(f), (int64_t)16, MEMORY,
                          (int)IREE_HAL_BUFFER_USAGE_DISPATCH_IMAGE_READ),
                     IREE_STATUS_PERMISSION_DENIED, "input 2"));
}

CTEST(counts_device_memory_against_the_limit) {
  WITH_FIXTURE_LIMITED(f, 100000);
  result_t result;
  const uint64_t before = iree_cy_vm_context_bytes_used(f->context);
  REF_CLEANUP iree_vm_ref_t buffer = make_buffer(f, 60000);
  EXPECT(iree_cy_vm_context_bytes_used(f->context) >= before + 60000);
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                call(f, "allocator.allocate", &result, "rIiiI",
                     allocator_ref(f), WHOLE, MEMORY, USAGE, (int64_t)60000));
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                call(f, "device.queue.alloca", &result, "rIrrIiiII",
                     device_ref(f), WHOLE, NULL_REF, NULL_REF, (int64_t)0,
                     MEMORY, USAGE, (int64_t)60000, (int64_t)0));
  iree_vm_ref_release(&buffer);
  EXPECT_EQ_I64(iree_cy_vm_context_bytes_used(f->context), before);
  EXPECT_OK(call(f, "device.queue.alloca", &result, "rIrrIiiII", device_ref(f),
                 WHOLE, NULL_REF, NULL_REF, (int64_t)0, MEMORY, USAGE,
                 (int64_t)60000, (int64_t)0));
  buffer = result_ref(&result);
  EXPECT(message_has(call(f, "device.queue.alloca", &result, "rIrrIiiII",
                          device_ref(f), WHOLE, NULL_REF, NULL_REF, (int64_t)7,
                          MEMORY, USAGE, (int64_t)1, (int64_t)0),
                     IREE_STATUS_UNIMPLEMENTED, "'pool' is 7"));
}

static iree_status_t import(fixture_t* f, result_t* result, int is_try,
                            int usage, iree_vm_ref_t source, int64_t offset,
                            int64_t length) {
  return call(f, "allocator.import", result, "riIiirII", allocator_ref(f),
              is_try, WHOLE, (int)IREE_HAL_MEMORY_TYPE_HOST_VISIBLE, usage,
              source, offset, length);
}

CTEST(imports_program_memory_in_place) {
  WITH_FIXTURE(f);
  iree_vm_buffer_t* source = NULL;
  REQUIRE_OK(iree_vm_buffer_create(IREE_VM_BUFFER_ACCESS_MUTABLE, 256, 64,
                                   iree_allocator_system(), &source));
  REF_CLEANUP iree_vm_ref_t source_ref = iree_vm_buffer_move_ref(source);
  iree_vm_buffer_data(source)[64] = 42;
  result_t result;
  REQUIRE_OK(import(f, &result, 0, USAGE, source_ref, 64, 64));
  REF_CLEANUP iree_vm_ref_t buffer = result_ref(&result);
  EXPECT(iree_hal_buffer_isa(buffer));
  EXPECT(iree_hal_heap_buffer_data((iree_hal_buffer_t*)buffer.ptr) ==
         iree_vm_buffer_data(source) + 64);
  EXPECT_EQ_I64(load(f, buffer, 0, 1), 42);
  EXPECT_OK(
      call(f, "buffer.store", &result, "irIi", 43, buffer, (int64_t)0, 1));
  EXPECT_EQ_I64(iree_vm_buffer_data(source)[64], 43);
  // The buffer keeps the memory.
  iree_vm_ref_release(&source_ref);
  EXPECT_EQ_I64(load(f, buffer, 0, 1), 43);
}

CTEST(imports_constants_for_reading_only) {
  WITH_FIXTURE(f);
  static uint8_t constants[128] __attribute__((aligned(64))) = {7};
  iree_allocator_t nobody = {NULL, NULL};
  iree_vm_buffer_t* source = NULL;
  REQUIRE_OK(
      iree_cy_vm_buffer_wrap(IREE_VM_BUFFER_ACCESS_ORIGIN_MODULE,
                             iree_make_byte_span(constants, sizeof(constants)),
                             nobody, NULL, iree_allocator_system(), &source));
  REF_CLEANUP iree_vm_ref_t source_ref = iree_vm_buffer_move_ref(source);
  const int immutable = USAGE | (int)IREE_HAL_BUFFER_USAGE_SHARING_IMMUTABLE;
  result_t result;
  EXPECT(message_has(import(f, &result, 1, USAGE, source_ref, 0, WHOLE),
                     IREE_STATUS_PERMISSION_DENIED, "'source'"));
  REQUIRE_OK(import(f, &result, 1, immutable, source_ref, 0, WHOLE));
  REF_CLEANUP iree_vm_ref_t buffer = result_ref(&result);
  REQUIRE(iree_hal_buffer_isa(buffer));
  EXPECT_EQ_I64(load(f, buffer, 0, 1), 7);
  EXPECT_EQ_I64(iree_hal_buffer_allowed_access((iree_hal_buffer_t*)buffer.ptr),
                IREE_HAL_MEMORY_ACCESS_READ);
  EXPECT_STATUS(
      IREE_STATUS_PERMISSION_DENIED,
      call(f, "buffer.store", &result, "irIi", 1, buffer, (int64_t)0, 1));
  // What is not aligned: null for who tries, an error for who insists.
  EXPECT_OK(import(f, &result, 1, immutable, source_ref, 4, 8));
  EXPECT(result_ref(&result).ptr == NULL);
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                import(f, &result, 0, immutable, source_ref, 4, 8));
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                import(f, &result, 1, immutable, source_ref, 64, 65));
}

CTEST(reads_a_file_over_constants) {
  WITH_FIXTURE(f);
  REF_CLEANUP iree_vm_ref_t text = make_text("0123456789abcdef");
  REF_CLEANUP iree_vm_ref_t buffer = make_buffer(f, 8);
  REF_CLEANUP iree_vm_ref_t fence = make_fence(f);
  result_t result;
  REQUIRE_OK(call(f, "ex.file.from_memory", &result, "rIirIIi", device_ref(f),
                  WHOLE, 1, text, (int64_t)4, (int64_t)12, 0));
  REF_CLEANUP iree_vm_ref_t file = result_ref(&result);
  iree_vm_ref_release(&text);
  EXPECT_OK(call(f, "device.queue.read", &result, "rIrrrIrIII", device_ref(f),
                 WHOLE, NULL_REF, fence, file, (int64_t)2, buffer, (int64_t)1,
                 (int64_t)4, (int64_t)0));
  EXPECT_EQ_I64(query(f, fence), IREE_STATUS_OK);
  EXPECT_EQ_I64(load(f, buffer, 1, 4), 0x39383736);
  text = make_text("x");
  EXPECT_STATUS(IREE_STATUS_PERMISSION_DENIED,
                call(f, "ex.file.from_memory", &result, "rIirIIi",
                     device_ref(f), WHOLE, 3, text, (int64_t)0, (int64_t)1, 0));
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                call(f, "ex.file.from_memory", &result, "rIirIIi",
                     device_ref(f), WHOLE, 1, text, (int64_t)0, (int64_t)2, 0));
}

//===----------------------------------------------------------------------===//
// Buffer views
//===----------------------------------------------------------------------===//

CTEST(makes_and_takes_apart_buffer_views) {
  WITH_FIXTURE(f);
  REF_CLEANUP iree_vm_ref_t buffer = make_buffer(f, 64);
  result_t result;
  REQUIRE_OK(call(f, "buffer_view.create", &result, "rIIiiCII", buffer,
                  (int64_t)0, (int64_t)64, F32, DENSE, 2, (int64_t)2,
                  (int64_t)8));
  REF_CLEANUP iree_vm_ref_t view = result_ref(&result);
  EXPECT_OK(call(f, "buffer_view.rank", &result, "r", view));
  EXPECT_EQ_I64(result_i32(&result), 2);
  EXPECT_OK(call(f, "buffer_view.dim", &result, "ri", view, 1));
  EXPECT_EQ_I64(result_i64(&result), 8);
  EXPECT_OK(call(f, "buffer_view.dim", &result, "ri", view, 2));
  EXPECT_EQ_I64(result_i64(&result), 0);
  EXPECT_OK(call(f, "buffer_view.element_type", &result, "r", view));
  EXPECT_EQ_I64(result_i32(&result), 0x21000020);
  EXPECT_OK(call(f, "buffer_view.encoding_type", &result, "r", view));
  EXPECT_EQ_I64(result_i32(&result), 1);
  EXPECT_OK(call(f, "buffer_view.buffer", &result, "r", view));
  REF_CLEANUP iree_vm_ref_t same = result_ref(&result);
  EXPECT(same.ptr == buffer.ptr);
  // A part of the buffer.
  EXPECT_OK(
      call(f, "buffer.store", &result, "irIi", 5, buffer, (int64_t)32, 4));
  REQUIRE_OK(call(f, "buffer_view.create", &result, "rIIiiCI", buffer,
                  (int64_t)32, (int64_t)32, F32, DENSE, 1, (int64_t)8));
  REF_CLEANUP iree_vm_ref_t part = result_ref(&result);
  EXPECT_OK(call(f, "buffer_view.buffer", &result, "r", part));
  REF_CLEANUP iree_vm_ref_t part_buffer = result_ref(&result);
  EXPECT_EQ_I64(load(f, part_buffer, 0, 4), 5);
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                call(f, "buffer_view.create", &result, "rIIiiCI", buffer,
                     (int64_t)0, (int64_t)64, F32, DENSE, 1, (int64_t)17));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                call(f, "buffer_view.create", &result, "rIIiiCI", buffer,
                     (int64_t)0, (int64_t)64, F32, DENSE, 1, (int64_t)-1));
}

CTEST(asserts_buffer_views) {
  WITH_FIXTURE(f);
  REF_CLEANUP iree_vm_ref_t buffer = make_buffer(f, 16);
  REF_CLEANUP iree_vm_ref_t message = make_text("input0");
  result_t result;
  REQUIRE_OK(call(f, "buffer_view.create", &result, "rIIiiCI", buffer,
                  (int64_t)0, (int64_t)16, I32, DENSE, 1, (int64_t)4));
  REF_CLEANUP iree_vm_ref_t view = result_ref(&result);
  EXPECT_OK(call(f, "buffer_view.assert", &result, "rriiCI", view, message, I32,
                 DENSE, 1, (int64_t)4));
  // Signedness may differ, as programs have none.
  EXPECT_OK(call(f, "buffer_view.assert", &result, "rriiCI", view, message,
                 (int)IREE_HAL_ELEMENT_TYPE_UINT_32, DENSE, 1, (int64_t)4));
  EXPECT(message_has(call(f, "buffer_view.assert", &result, "rriiCI", view,
                          message, F32, DENSE, 1, (int64_t)4),
                     IREE_STATUS_INVALID_ARGUMENT,
                     "input0: element type i32 is given"));
  EXPECT(message_has(call(f, "buffer_view.assert", &result, "rriiCI", view,
                          message, I32, DENSE, 1, (int64_t)5),
                     IREE_STATUS_INVALID_ARGUMENT,
                     "input0: shape [4] is given, the program wants [5]"));
  EXPECT(message_has(call(f, "buffer_view.assert", &result, "rriiCII", view,
                          message, I32, DENSE, 2, (int64_t)2, (int64_t)2),
                     IREE_STATUS_INVALID_ARGUMENT, "the program wants [2x2]"));
  EXPECT_OK(call(f, "buffer_view.trace", &result, "rCr", message, 1, view));
}

//===----------------------------------------------------------------------===//
// Programs for another device
//===----------------------------------------------------------------------===//

// A module whose __init looks for a device as compiled programs do.
typedef struct seeker_t {
  const char* device_id;
  const char* format;
  iree_status_code_t code;
} seeker_t;

static iree_status_t seeker_ask(iree_vm_stack_t* stack, iree_vm_ref_t device,
                                const char* category, const char* key,
                                bool* out_answer) {
  iree_vm_function_t function;
  IREE_RETURN_IF_ERROR(iree_vm_context_resolve_function(
      iree_cy_vm_stack_context(stack), IREE_SV("hal.device.query.i64"),
      &function));
  REF_CLEANUP iree_vm_ref_t category_ref = make_text(category);
  REF_CLEANUP iree_vm_ref_t key_ref = make_text(key);
  uint8_t arguments[3 * sizeof(iree_vm_ref_t)];
  uint8_t* cursor = arguments;
  iree_cy_vm_write_ref(&cursor, device);
  iree_cy_vm_write_ref(&cursor, category_ref);
  iree_cy_vm_write_ref(&cursor, key_ref);
  uint8_t results[12];
  IREE_RETURN_IF_ERROR(iree_cy_vm_stack_call(
      stack, function, iree_make_byte_span(arguments, sizeof(arguments)),
      iree_make_byte_span(results, sizeof(results))));
  const uint8_t* result_cursor = results;
  *out_answer = iree_cy_vm_read_i32(&result_cursor) != 0 &&
                iree_cy_vm_read_i64(&result_cursor) != 0;
  return iree_ok_status();
}

static iree_status_t seeker_init(iree_vm_stack_t* stack, void* module,
                                 void* state, iree_byte_span_t arguments,
                                 iree_byte_span_t results) {
  (void)state, (void)arguments, (void)results;
  const seeker_t* seeker = (const seeker_t*)module;
  iree_vm_context_t* context = iree_cy_vm_stack_context(stack);
  iree_vm_function_t function;
  IREE_RETURN_IF_ERROR(iree_vm_context_resolve_function(
      context, IREE_SV("hal.devices.get"), &function));
  for (int32_t i = 0;; ++i) {
    REF_CLEANUP iree_vm_ref_t device = NULL_REF;
    IREE_RETURN_IF_ERROR(iree_cy_vm_stack_call(
        stack, function, iree_make_byte_span(&i, sizeof(i)),
        iree_make_byte_span(&device, sizeof(device))));
    if (!device.ptr) break;
    bool answer = false;
    IREE_RETURN_IF_ERROR(
        seeker_ask(stack, device, "hal.device.id", seeker->device_id, &answer));
    if (answer) {
      IREE_RETURN_IF_ERROR(seeker_ask(stack, device, "hal.executable.format",
                                      seeker->format, &answer));
    }
    if (answer) return iree_ok_status();
  }
  return iree_make_status(seeker->code, "what the compiler wrote");
}

// Makes a context of |device_count| such devices and the seeker.
static iree_status_t seek(const seeker_t* seeker, iree_host_size_t device_count,
                          const noop_device_options_t* options) {
  iree_allocator_t allocator = iree_allocator_system();
  static const iree_vm_native_export_descriptor_t exports[] = {
      {{"__init", 6}, {"0v_v", 4}, seeker_init, 0, NULL}};
  static const iree_vm_native_module_descriptor_t descriptor = {
      .name = {"seeker", 6}, .export_count = 1, .exports = exports};
  const iree_vm_module_t interface = {.self = (void*)seeker};
  iree_vm_instance_t* instance = NULL;
  iree_hal_device_t* devices[4] = {NULL};
  iree_vm_module_t* modules[2] = {NULL};
  iree_vm_context_t* context = NULL;
  EXPECT_OK(iree_vm_instance_create(IREE_VM_TYPE_CAPACITY_DEFAULT, allocator,
                                    &instance));
  for (iree_host_size_t i = 0; i < device_count; ++i) {
    EXPECT_OK(noop_device_create(&options[i], allocator, &devices[i]));
  }
  EXPECT_OK(iree_hal_module_create(instance, device_count, devices, 0,
                                   allocator, &modules[0]));
  EXPECT_OK(iree_vm_native_module_create(&interface, &descriptor, instance,
                                         allocator, &modules[1]));
  iree_status_t status = iree_vm_context_create_with_modules(
      instance, 0, 2, modules, allocator, &context);
  iree_vm_context_release(context);
  for (int i = 0; i < 2; ++i) iree_vm_module_release(modules[i]);
  for (int i = 0; i < 4; ++i) iree_hal_device_release(devices[i]);
  iree_vm_instance_release(instance);
  return status;
}

CTEST(says_what_a_program_wants_and_what_the_devices_are) {
  const noop_device_options_t devices[] = {
      {IREE_SV("local-sync"), IREE_SV("local"), IREE_SV("embedded-elf-x86_64")},
      {IREE_SV("cuda"), IREE_SV("cuda"), IREE_SV("cuda-nvptx-fb")},
  };
  const seeker_t good = {"cuda", "cuda-nvptx-fb", IREE_STATUS_INCOMPATIBLE};
  const seeker_t other = {"vulkan", "vulkan-spirv-fb",
                          IREE_STATUS_INCOMPATIBLE};
  const seeker_t format = {"local", "embedded-elf-arm_64",
                           IREE_STATUS_UNAVAILABLE};
  const seeker_t unrelated = {"vulkan", "", IREE_STATUS_DATA_LOSS};
  EXPECT_OK(seek(&good, 2, devices));
  EXPECT(message_has(seek(&other, 1, devices), IREE_STATUS_INCOMPATIBLE,
                     "the program wants a device 'vulkan', the device is "
                     "'local-sync'"));
  EXPECT(message_has(seek(&other, 2, devices), IREE_STATUS_INCOMPATIBLE,
                     "'local-sync', 'cuda'"));
  EXPECT(message_has(seek(&other, 0, devices), IREE_STATUS_INCOMPATIBLE,
                     "what the compiler wrote"));
  EXPECT(message_has(
      seek(&format, 1, devices), IREE_STATUS_UNAVAILABLE,
      "the program wants executables of format 'embedded-elf-arm_64', which "
      "device 'local-sync' does not take"));
  EXPECT(message_has(seek(&unrelated, 1, devices), IREE_STATUS_DATA_LOSS,
                     "what the compiler wrote"));
  // What the compiler wrote is there still, below.
  char text[1024];
  iree_status_t status = seek(&other, 1, devices);
  iree_status_format(status, sizeof(text), text);
  iree_status_ignore(status);
  EXPECT(strstr(text, "what the compiler wrote") != NULL);
}

CTEST(says_which_format_a_device_does_not_take) {
  WITH_FIXTURE(f);
  iree_hal_device_t* device = NULL;
  const noop_device_options_t options = {IREE_SV("local-sync"), IREE_SV(""),
                                         IREE_SV("embedded-elf-x86_64")};
  REQUIRE_OK(noop_device_create(&options, iree_allocator_system(), &device));
  REF_CLEANUP iree_vm_ref_t device_reference = iree_hal_device_move_ref(device);
  REF_CLEANUP iree_vm_ref_t format = make_text("vulkan-spirv-fb");
  REF_CLEANUP iree_vm_ref_t data = make_text("12345");
  result_t result;
  // It is not the context's.
  EXPECT(message_has(call(f, "executable.create", &result, "rIrrr",
                          device_reference, WHOLE, format, data, NULL_REF),
                     IREE_STATUS_INVALID_ARGUMENT, "'device' is 'local-sync'"));
  EXPECT(message_has(call(f, "executable.create", &result, "rIrrr",
                          device_ref(f), WHOLE, format, data, data),
                     IREE_STATUS_INVALID_ARGUMENT, "'constants' has 5 bytes"));
  fixture_t other = *f;
  REQUIRE_OK(iree_hal_module_create(f->instance, 1, &device, 0,
                                    iree_allocator_system(), &other.module));
  EXPECT_OK(iree_vm_context_create_with_modules(
      f->instance, 0, 1, &other.module, iree_allocator_system(),
      &other.context));
  EXPECT(message_has(
      call(&other, "executable.create", &result, "rIrrr", device_reference,
           WHOLE, format, data, NULL_REF),
      IREE_STATUS_INCOMPATIBLE,
      "format 'vulkan-spirv-fb', which device 'local-sync' does not take"));
  iree_vm_context_release(other.context);
  iree_vm_module_release(other.module);
}

CTEST_MAIN()
