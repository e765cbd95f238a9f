// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the tests of the vmvx loader: what programs are given, what they may not
// do, and what limits them.

#include <pthread.h>

#include "iree_cy/hal/executable.h"
#include "iree_cy/vm/api.h"
#include "tests/loaders/vmvx_probe.inc"
#include "tests/support/ctest.h"

#define WORKER_CAPACITY 32
#define MUTATION_COUNT 1000

//===----------------------------------------------------------------------===//
// Loading and dispatching
//===----------------------------------------------------------------------===//

static iree_status_t load_data(const uint8_t* data, iree_host_size_t length,
                               iree_host_size_t constant_count,
                               iree_hal_executable_caching_mode_t caching_mode,
                               iree_hal_executable_t** out_executable) {
  static const uint32_t constants[1] = {4711};
  *out_executable = NULL;
  iree_hal_executable_loader_t* loader = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_executable_loader_create(
      IREE_SV("vmvx"), iree_allocator_system(), &loader));
  const iree_hal_executable_params_t params = {
      .size = sizeof(params),
      .caching_mode = caching_mode,
      .executable_format = IREE_SV("vmvx-bytecode-fb"),
      .executable_data = iree_make_const_byte_span(data, length),
      .constant_count = constant_count,
      .constants = constants,
  };
  iree_status_t status = iree_hal_executable_loader_try_load(
      loader, &params, WORKER_CAPACITY, out_executable);
  iree_hal_executable_loader_release(loader);
  return status;
}

static iree_status_t load_probe(iree_hal_executable_t** out_executable) {
  return load_data(probe_data, sizeof(probe_data), 1, 0, out_executable);
}

static void executable_cleanup(iree_hal_executable_t** executable) {
  iree_hal_executable_release(*executable);
}

#define WITH_PROBE(executable)                 \
  __attribute__((cleanup(executable_cleanup))) \
  iree_hal_executable_t* executable = NULL;    \
  REQUIRE_OK(load_probe(&executable))

// A dispatch of up to 3 bindings, written to unless a test says otherwise.
typedef struct work_t {
  uint32_t count[3];
  uint32_t size[3];
  uint32_t constants[2];
  uint32_t constant_count;
  uint32_t binding_count;
  void* ptrs[3];
  size_t lengths[3];
  uint64_t writable;
  uint64_t first;
  // 0: all.
  uint64_t range;
  uint32_t worker_id;
  iree_byte_span_t local_memory;
} work_t;

static work_t work_one(void) {
  work_t work;
  memset(&work, 0, sizeof(work));
  for (int i = 0; i < 3; ++i) work.count[i] = 1;
  work.writable = ~(uint64_t)0;
  return work;
}

static void work_bind(work_t* work, void* data, size_t length) {
  work->ptrs[work->binding_count] = data;
  work->lengths[work->binding_count++] = length;
}

static void work_constant(work_t* work, uint32_t value) {
  work->constants[work->constant_count++] = value;
}

static iree_status_t run(iree_hal_executable_t* executable, const char* name,
                         const work_t* work) {
  iree_hal_executable_function_t function;
  IREE_RETURN_IF_ERROR(iree_hal_executable_lookup_function_by_name(
      executable, iree_make_cstring_view(name), &function));
  iree_hal_local_dispatch_t dispatch = {
      .size = sizeof(dispatch),
      .max_concurrency = 1,
      .constant_count = work->constant_count,
      .binding_count = work->binding_count,
      .constants = work->constants,
      .binding_ptrs = work->ptrs,
      .binding_lengths = work->lengths,
      .writable_bindings = work->writable,
  };
  memcpy(dispatch.workgroup_count, work->count, sizeof(work->count));
  memcpy(dispatch.workgroup_size, work->size, sizeof(work->size));
  const uint64_t total =
      (uint64_t)work->count[0] * work->count[1] * work->count[2];
  return iree_hal_local_executable_dispatch(
      executable, function, &dispatch, work->first,
      work->range ? work->range : total - work->first, work->worker_id,
      work->local_memory);
}

//===----------------------------------------------------------------------===//
// What programs are given
//===----------------------------------------------------------------------===//

CTEST(tells_its_functions) {
  WITH_PROBE(executable);
  EXPECT(iree_hal_local_executable_isa(executable));
  // All exports but __init and __set_constants.
  EXPECT_EQ_I64(iree_hal_executable_function_count(executable), 14);
  iree_hal_executable_function_t function;
  iree_hal_executable_function_info_t info = {.size = sizeof(info)};
  REQUIRE_OK(iree_hal_executable_lookup_function_by_name(
      executable, IREE_SV("local"), &function));
  REQUIRE_OK(iree_hal_executable_function_info(executable, function, &info));
  EXPECT_EQ_SV(info.name, IREE_SV("local"));
  EXPECT_EQ_I64(info.constant_count, 1);
  EXPECT_EQ_I64(info.binding_count, 1);
  EXPECT_EQ_I64(info.workgroup_local_memory, 64);
  EXPECT_STATUS(IREE_STATUS_NOT_FOUND,
                iree_hal_executable_lookup_function_by_name(
                    executable, IREE_SV("__set_constants"), &function));
  function = iree_hal_executable_function_from_index(14);
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                iree_hal_executable_function_info(executable, function, &info));
}

CTEST(takes_its_format_alone) {
  iree_hal_executable_loader_t* loader = NULL;
  REQUIRE_OK(iree_hal_executable_loader_create(
      IREE_SV("vmvx"), iree_allocator_system(), &loader));
  EXPECT(iree_hal_executable_loader_query_support(loader, 0,
                                                  IREE_SV("vmvx-bytecode-fb")));
  EXPECT(!iree_hal_executable_loader_query_support(
      loader, 0, IREE_SV("embedded-elf-x86_64")));
  iree_hal_executable_loader_release(loader);
}

// Ids run x first, then y, then z, also when a range begins in the middle.
CTEST(workgroups_know_where_they_are) {
  WITH_PROBE(executable);
  uint32_t out[24][9];
  memset(out, 0xFF, sizeof(out));
  work_t work = work_one();
  work.count[0] = 4, work.count[1] = 3, work.count[2] = 2;
  work.size[0] = 5, work.size[1] = 0, work.size[2] = 7;
  work_bind(&work, out, sizeof(out));
  work.range = 7;
  REQUIRE_OK(run(executable, "record", &work));
  EXPECT_EQ_I64((int32_t)out[7][0], -1);
  work.first = 7;
  work.range = 0;
  work.worker_id = WORKER_CAPACITY - 1;
  REQUIRE_OK(run(executable, "record", &work));
  for (uint32_t i = 0; i < 24; ++i) {
    const uint32_t expected[9] = {i % 4, i / 4 % 3, i / 12, 5, 1, 7, 4, 3, 2};
    EXPECT_EQ_BYTES(out[i], expected, sizeof(expected));
  }
}

CTEST(every_worker_has_the_constants) {
  WITH_PROBE(executable);
  for (uint32_t i = 0; i < WORKER_CAPACITY; ++i) {
    int32_t out = 0;
    work_t work = work_one();
    work.worker_id = i;
    work_bind(&work, &out, sizeof(out));
    REQUIRE_OK(run(executable, "constant", &work));
    EXPECT_EQ_I64(out, 4711);
  }
}

CTEST(kernels_are_linked) {
  WITH_PROBE(executable);
  float lhs[5] = {1, 2, 3, 4, 5}, rhs[5] = {10, 20, 30, 40, 50}, out[5] = {0};
  work_t work = work_one();
  work_bind(&work, lhs, sizeof(lhs));
  work_bind(&work, rhs, sizeof(rhs));
  work_bind(&work, out, sizeof(out));
  work_constant(&work, 5);
  work.writable = 4;
  REQUIRE_OK(run(executable, "add", &work));
  for (int i = 0; i < 5; ++i) EXPECT_EQ_F64(out[i], 11 * (i + 1));
  work.constants[0] = 6;
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE, run(executable, "add", &work));
  work.constants[0] = 5;
  work.writable = 3;
  EXPECT_STATUS(IREE_STATUS_PERMISSION_DENIED, run(executable, "add", &work));
}

CTEST(local_memory) {
  WITH_PROBE(executable);
  uint8_t* memory = malloc(64);
  int32_t out[3] = {0};
  work_t work = work_one();
  work.count[0] = 3;
  work_bind(&work, out, sizeof(out));
  work_constant(&work, 15);
  work.local_memory = iree_make_byte_span(memory, 64);
  EXPECT_OK(run(executable, "local", &work));
  for (int i = 0; i < 3; ++i) EXPECT_EQ_I64(out[i], i);
  work.constants[0] = 16;
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE, run(executable, "local", &work));
  work.constants[0] = 15;
  work.local_memory = iree_make_byte_span(memory, 63);
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT, run(executable, "local", &work));
  free(memory);
}

// The data may be anywhere, and may go away unless it is said to stay.
CTEST(data_is_copied_unless_it_stays) {
  uint8_t* data = malloc(sizeof(probe_data) + 1);
  memcpy(data + 1, probe_data, sizeof(probe_data));
  iree_hal_executable_t* copied = NULL;
  REQUIRE_OK(load_data(data + 1, sizeof(probe_data), 1, 0, &copied));
  free(data);
  iree_hal_executable_t* aliased = NULL;
  REQUIRE_OK(load_data(probe_data, sizeof(probe_data), 1,
                       IREE_HAL_EXECUTABLE_CACHING_MODE_ALIAS_PROVIDED_DATA,
                       &aliased));
  iree_hal_executable_t* executables[] = {copied, aliased};
  for (int i = 0; i < 2; ++i) {
    int32_t out = 0;
    work_t work = work_one();
    work_bind(&work, &out, sizeof(out));
    EXPECT_OK(run(executables[i], "constant", &work));
    EXPECT_EQ_I64(out, 4711);
    iree_hal_executable_release(executables[i]);
  }
}

//===----------------------------------------------------------------------===//
// What is refused
//===----------------------------------------------------------------------===//

static void expect_no_load(iree_status_code_t code, const uint8_t* data,
                           iree_host_size_t length,
                           iree_host_size_t constant_count) {
  iree_hal_executable_t* executable = NULL;
  EXPECT_STATUS(code, load_data(data, length, constant_count, 0, &executable));
  EXPECT(executable == NULL);
}

CTEST(programs_that_do_not_load) {
  // Kernels that do not exist, functions that are no device code.
  expect_no_load(IREE_STATUS_UNIMPLEMENTED, foreign_data, sizeof(foreign_data),
                 0);
  expect_no_load(IREE_STATUS_INVALID_ARGUMENT, other_convention_data,
                 sizeof(other_convention_data), 0);
  // Constants.
  expect_no_load(IREE_STATUS_INVALID_ARGUMENT, probe_data, sizeof(probe_data),
                 0);
  // No data.
  expect_no_load(IREE_STATUS_INVALID_ARGUMENT, probe_data, 0, 1);
  // Cut off: an error or (trailing padding) none, but never a crash.
  for (iree_host_size_t length = 1; length < sizeof(probe_data); length += 61) {
    uint8_t* data = malloc(length);
    memcpy(data, probe_data, length);
    iree_hal_executable_t* executable = NULL;
    iree_status_t status = load_data(data, length, 1, 0, &executable);
    EXPECT(iree_status_is_ok(status) == (executable != NULL));
    iree_status_ignore(status);
    iree_hal_executable_release(executable);
    free(data);
  }
}

CTEST(dispatches_that_do_not_fit) {
  WITH_PROBE(executable);
  int32_t out[9] = {0};
  work_t work = work_one();
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT, run(executable, "record", &work));
  work_bind(&work, out, sizeof(out));
  work_constant(&work, 0);
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT, run(executable, "record", &work));
  work.constant_count = 0;
  EXPECT_OK(run(executable, "record", &work));
  work.range = 2;
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE, run(executable, "record", &work));
  work.first = 2;
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE, run(executable, "record", &work));
  work.first = UINT64_MAX;
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE, run(executable, "record", &work));
  work.first = work.range = 0;
  work.count[0] = 0;
  EXPECT_OK(run(executable, "record", &work));
  work.count[0] = 1;
  work.worker_id = WORKER_CAPACITY;
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT, run(executable, "record", &work));
  work.worker_id = 0;
  const iree_hal_local_dispatch_t empty = {.size = sizeof(empty)};
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                iree_hal_local_executable_dispatch(
                    executable, iree_hal_executable_function_from_index(99),
                    &empty, 0, 0, 0, iree_byte_span_empty()));
}

//===----------------------------------------------------------------------===//
// What programs may not do
//===----------------------------------------------------------------------===//

CTEST(outside_of_bindings) {
  WITH_PROBE(executable);
  int32_t* data = malloc(4 * sizeof(int32_t));
  for (int i = 0; i < 4; ++i) data[i] = 10 + i;
  int32_t out = 0;
  work_t load = work_one();
  work_bind(&load, data, 4 * sizeof(int32_t));
  work_bind(&load, &out, sizeof(out));
  work_constant(&load, 3);
  EXPECT_OK(run(executable, "load", &load));
  EXPECT_EQ_I64(out, 13);
  work_t store = work_one();
  work_bind(&store, data, 4 * sizeof(int32_t));
  work_constant(&store, 3);
  work_constant(&store, 99);
  EXPECT_OK(run(executable, "store", &store));
  EXPECT_EQ_I64(data[3], 99);
  const uint32_t outside[] = {4, 5, 0xFFFFFFFFu, 0x80000000u, 0x7FFFFFFFu};
  for (size_t i = 0; i < IREE_ARRAYSIZE(outside); ++i) {
    load.constants[0] = store.constants[0] = outside[i];
    EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE, run(executable, "load", &load));
    EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE, run(executable, "store", &store));
  }
  // A binding that ends inside an element, and one of nothing.
  load.constants[0] = 0;
  load.lengths[0] = 3;
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE, run(executable, "load", &load));
  load.ptrs[0] = NULL;
  load.lengths[0] = 0;
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE, run(executable, "load", &load));
  // A binding that is not there.
  work_t missing = work_one();
  work_bind(&missing, data, 4 * sizeof(int32_t));
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE, run(executable, "missing", &missing));
  free(data);
}

CTEST(what_is_read_only_stays) {
  WITH_PROBE(executable);
  const int32_t fixed[2] = {1, 2};
  int32_t out = 0;
  work_t store = work_one();
  work_bind(&store, (void*)(uintptr_t)fixed, sizeof(fixed));
  work_constant(&store, 0);
  work_constant(&store, 99);
  store.writable = 0;
  EXPECT_STATUS(IREE_STATUS_PERMISSION_DENIED,
                run(executable, "store", &store));
  work_t load = work_one();
  work_bind(&load, (void*)(uintptr_t)fixed, sizeof(fixed));
  work_bind(&load, &out, sizeof(out));
  work_constant(&load, 1);
  load.writable = 2;
  EXPECT_OK(run(executable, "load", &load));
  EXPECT_EQ_I64(out, 2);
  work_t constants = work_one();
  work_constant(&constants, 0);
  EXPECT_STATUS(IREE_STATUS_PERMISSION_DENIED,
                run(executable, "write_constants", &constants));
}

CTEST(errors_say_where) {
  WITH_PROBE(executable);
  int32_t out[9] = {0};
  work_t work = work_one();
  work.count[0] = 2;
  work_bind(&work, out, sizeof(out));
  iree_status_t status = run(executable, "record", &work);
  char text[2048] = {0};
  iree_status_format(status, sizeof(text), text);
  EXPECT(strstr(text, "in workgroup (1, 0, 0) of 'record'") != NULL);
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE, status);
}

// A reference that outlives its dispatch shows none of the memory.
CTEST(kept_bindings_are_empty) {
  WITH_PROBE(executable);
  int32_t a = 1, out = 5;
  int32_t* b = malloc(sizeof(*b));
  *b = 2;
  work_t keep = work_one();
  work_bind(&keep, &a, sizeof(a));
  work_bind(&keep, b, sizeof(*b));
  EXPECT_OK(run(executable, "keep", &keep));
  free(b);
  work_t use = work_one();
  work_bind(&use, &out, sizeof(out));
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE, run(executable, "use_kept", &use));
  EXPECT_EQ_I64(out, 5);
}

// What a program does to its list of bindings does not outlive the dispatch.
CTEST(bindings_are_listed_anew) {
  WITH_PROBE(executable);
  int32_t a = 1, b = 2;
  work_t work = work_one();
  work_bind(&work, &a, sizeof(a));
  work_bind(&work, &b, sizeof(b));
  EXPECT_OK(run(executable, "shrink", &work));
  work_constant(&work, 0);
  EXPECT_OK(run(executable, "load", &work));
  EXPECT_EQ_I64(b, 1);
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

typedef struct thread_work_t {
  iree_hal_executable_t* executable;
  uint32_t worker_id;
  uint32_t (*out)[9];
  iree_status_t status;
} thread_work_t;

static void* thread_main(void* argument) {
  thread_work_t* mine = (thread_work_t*)argument;
  work_t work = work_one();
  work.count[0] = 4000;
  work_bind(&work, mine->out, 4000 * sizeof(mine->out[0]));
  work.worker_id = mine->worker_id;
  work.first = mine->worker_id * 1000ull;
  work.range = 1000;
  mine->status = run(mine->executable, "record", &work);
  return NULL;
}

CTEST(workers_run_side_by_side) {
  WITH_PROBE(executable);
  uint32_t (*out)[9] = malloc(4000 * sizeof(out[0]));
  memset(out, 0xFF, 4000 * sizeof(out[0]));
  thread_work_t works[4];
  pthread_t threads[4];
  for (uint32_t i = 0; i < 4; ++i) {
    works[i] = (thread_work_t){executable, i, out, iree_ok_status()};
    REQUIRE(pthread_create(&threads[i], NULL, thread_main, &works[i]) == 0);
  }
  for (int i = 0; i < 4; ++i) {
    pthread_join(threads[i], NULL);
    EXPECT_OK(works[i].status);
  }
  for (uint32_t i = 0; i < 4000; ++i) EXPECT_EQ_I64(out[i][0], i);
  free(out);
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

// What a call into a context does there, as a program would with the hal
// module: it loads the probe, or runs something of it.
typedef struct outer_t {
  iree_vm_instance_t* instance;
  iree_vm_module_t* module;
  iree_vm_context_t* context;
  iree_cy_vm_call_options_t options;
  iree_status_t (*body)(struct outer_t* outer);
  iree_hal_executable_t* executable;
  const char* name;
  work_t work;
} outer_t;

static iree_status_t outer_main(iree_vm_stack_t* stack, void* module,
                                void* module_state, iree_byte_span_t arguments,
                                iree_byte_span_t results) {
  (void)stack, (void)module_state, (void)arguments, (void)results;
  outer_t* outer = (outer_t*)module;
  return outer->body(outer);
}

static iree_status_t outer_load(outer_t* outer) {
  return load_probe(&outer->executable);
}

static iree_status_t outer_run(outer_t* outer) {
  return run(outer->executable, outer->name, &outer->work);
}

static iree_status_t outer_create(const iree_cy_vm_limits_t* limits,
                                  outer_t* outer) {
  static const iree_vm_native_export_descriptor_t exports[] = {
      {{"main", 4}, {"0v_v", 4}, outer_main, 0, NULL},
  };
  static const iree_vm_native_module_descriptor_t descriptor = {
      .name = {"outer", 5},
      .export_count = IREE_ARRAYSIZE(exports),
      .exports = exports,
  };
  memset(outer, 0, sizeof(*outer));
  outer->options = iree_cy_vm_call_options_default();
  const iree_vm_module_t interface = {.self = outer};
  iree_allocator_t allocator = iree_allocator_system();
  IREE_RETURN_IF_ERROR(iree_vm_instance_create(IREE_VM_TYPE_CAPACITY_DEFAULT,
                                               allocator, &outer->instance));
  IREE_RETURN_IF_ERROR(iree_vm_native_module_create(
      &interface, &descriptor, outer->instance, allocator, &outer->module));
  return iree_cy_vm_context_create(outer->instance, 0, limits, NULL, 1,
                                   &outer->module, allocator, &outer->context);
}

static iree_status_t outer_call(outer_t* outer,
                                iree_status_t (*body)(outer_t*)) {
  iree_vm_function_t function;
  IREE_RETURN_IF_ERROR(iree_vm_context_resolve_function(
      outer->context, IREE_SV("outer.main"), &function));
  outer->body = body;
  return iree_cy_vm_context_call(outer->context, function, &outer->options,
                                 iree_byte_span_empty(),
                                 iree_byte_span_empty());
}

static void outer_destroy(outer_t* outer) {
  iree_hal_executable_release(outer->executable);
  iree_vm_context_release(outer->context);
  iree_vm_module_release(outer->module);
  iree_vm_instance_release(outer->instance);
}

#define WITH_OUTER(outer, limits)                              \
  __attribute__((cleanup(outer_destroy))) outer_t outer##_obj; \
  outer_t* outer = &outer##_obj;                               \
  REQUIRE_OK(outer_create((limits), outer));                   \
  REQUIRE_OK(outer_call(outer, outer_load))

CTEST(instructions_are_limited) {
  iree_cy_vm_limits_t limits = iree_cy_vm_limits_none();
  limits.max_instructions = 100000;
  WITH_OUTER(outer, &limits);
  outer->name = "spin";
  outer->work = work_one();
  // In the call, and from elsewhere.
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED, outer_call(outer, outer_run));
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED, outer_run(outer));
  outer->name = "recurse";
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED, outer_call(outer, outer_run));
}

// Workgroups that are each within the limit, until together they are not.
static iree_status_t outer_run_often(outer_t* outer) {
  int count = 0;
  iree_status_t status = iree_ok_status();
  while (iree_status_is_ok(status) && count < 100000) {
    status = outer_run(outer);
    ++count;
  }
  return count > 10
             ? status
             : iree_status_join(status, iree_make_status(IREE_STATUS_INTERNAL,
                                                         "after %d", count));
}

CTEST(dispatches_share_the_instructions_of_their_call) {
  iree_cy_vm_limits_t limits = iree_cy_vm_limits_none();
  limits.max_instructions = 10000;
  WITH_OUTER(outer, &limits);
  int32_t out = 0;
  outer->name = "constant";
  outer->work = work_one();
  work_bind(&outer->work, &out, sizeof(out));
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                outer_call(outer, outer_run_often));
  // The next call has its own.
  EXPECT_OK(outer_call(outer, outer_run));
}

CTEST(depth_is_limited) {
  iree_cy_vm_limits_t limits = iree_cy_vm_limits_none();
  limits.max_call_depth = 50;
  WITH_OUTER(outer, &limits);
  outer->name = "recurse";
  outer->work = work_one();
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED, outer_call(outer, outer_run));
}

// Without any limit the stack is one.
CTEST(runaway_recursion_ends) {
  WITH_PROBE(executable);
  work_t work = work_one();
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                run(executable, "recurse", &work));
}

CTEST(bytes_are_limited) {
  iree_cy_vm_limits_t limits = iree_cy_vm_limits_none();
  limits.max_bytes = 100000;
  WITH_OUTER(outer, &limits);
  outer->name = "allocate";
  outer->work = work_one();
  work_constant(&outer->work, 50000);
  EXPECT_OK(outer_call(outer, outer_run));
  outer->work.constants[0] = 200000;
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED, outer_call(outer, outer_run));
}

static iree_status_t stop(void* user_data) {
  (void)user_data;
  return iree_make_status(IREE_STATUS_CANCELLED, "enough");
}

CTEST(calls_are_interrupted_in_device_code) {
  WITH_OUTER(outer, NULL);
  outer->name = "spin";
  outer->work = work_one();
  outer->options.interrupt = stop;
  EXPECT_STATUS(IREE_STATUS_CANCELLED, outer_call(outer, outer_run));
  outer->options = iree_cy_vm_call_options_default();
  outer->options.deadline_ns = iree_time_now() + 20 * 1000 * 1000;
  EXPECT_STATUS(IREE_STATUS_DEADLINE_EXCEEDED, outer_call(outer, outer_run));
}

// Runs what loads of a program with changed bytes, under limits.
static iree_status_t outer_run_changed(outer_t* outer) {
  iree_hal_executable_t* executable = NULL;
  uint8_t* data = (uint8_t*)outer->work.local_memory.data;
  iree_status_t status = load_data(data, sizeof(probe_data), 1, 0, &executable);
  if (!iree_status_is_ok(status)) return iree_status_ignore(status);
  work_t work = work_one();
  for (int i = 0; i < 3; ++i) work_bind(&work, malloc(64), 64);
  for (int i = 0; i < 3; ++i) memset(work.ptrs[i], i, 64);
  work.local_memory = iree_make_byte_span(malloc(64), 64);
  memset(work.local_memory.data, 0, 64);
  work.writable = 6;
  for (uint32_t i = 0; i < iree_hal_executable_function_count(executable);
       ++i) {
    const iree_hal_executable_function_t function =
        iree_hal_executable_function_from_index(i);
    iree_hal_executable_function_info_t info = {.size = sizeof(info)};
    EXPECT_OK(iree_hal_executable_function_info(executable, function, &info));
    if (info.binding_count > 3 || info.constant_count > 2) continue;
    const iree_hal_local_dispatch_t dispatch = {
        .size = sizeof(dispatch),
        .workgroup_count = {2, 1, 1},
        .constant_count = info.constant_count,
        .binding_count = info.binding_count,
        .constants = work.constants,
        .binding_ptrs = work.ptrs,
        .binding_lengths = work.lengths,
        .writable_bindings = work.writable,
    };
    // Whatever it does; the sanitizers look on.
    iree_status_ignore(iree_hal_local_executable_dispatch(
        executable, function, &dispatch, 0, 2, 0, work.local_memory));
  }
  free(work.local_memory.data);
  for (int i = 0; i < 3; ++i) free(work.ptrs[i]);
  iree_hal_executable_release(executable);
  return iree_ok_status();
}

CTEST(changed_programs_do_no_harm) {
  iree_cy_vm_limits_t limits = iree_cy_vm_limits_none();
  limits.max_instructions = 3000;
  limits.max_call_depth = 20;
  limits.max_bytes = 1000000;
  WITH_OUTER(outer, &limits);
  static uint8_t data[sizeof(probe_data)];
  outer->work.local_memory = iree_make_byte_span(data, sizeof(data));
  uint32_t seed = 1;
  for (int i = 0; i < MUTATION_COUNT; ++i) {
    memcpy(data, probe_data, sizeof(data));
    for (int j = 0; j <= i % 3; ++j) {
      seed = seed * 1664525u + 1013904223u;
      data[(seed >> 8) % sizeof(data)] = (uint8_t)(seed >> 24);
    }
    EXPECT_OK(outer_call(outer, outer_run_changed));
  }
}

// Nothing is left alive, whatever programs keep.
CTEST(nothing_stays_alive) {
  const int64_t buffers =
      iree_cy_live_object_count(IREE_CY_OBJECT_KIND_VM_BUFFER);
  const int64_t lists = iree_cy_live_object_count(IREE_CY_OBJECT_KIND_VM_LIST);
  const int64_t contexts =
      iree_cy_live_object_count(IREE_CY_OBJECT_KIND_VM_CONTEXT);
  iree_hal_executable_t* executable = NULL;
  REQUIRE_OK(load_probe(&executable));
  int32_t a = 1, b = 2;
  work_t work = work_one();
  work_bind(&work, &a, sizeof(a));
  work_bind(&work, &b, sizeof(b));
  for (work.worker_id = 0; work.worker_id < 3; ++work.worker_id) {
    EXPECT_OK(run(executable, "keep", &work));
  }
  iree_hal_executable_release(executable);
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_VM_BUFFER),
                buffers);
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_VM_LIST), lists);
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_VM_CONTEXT),
                contexts);
}

CTEST_MAIN()
