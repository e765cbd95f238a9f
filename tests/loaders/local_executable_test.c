// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Tests executables of compiled CPU code with libraries written here: what is
// checked of a library, and what a dispatch passes on.

#include "iree_cy/native/loaders/local_executable.h"

#include "tests/support/ctest.h"
#include "tests/support/failing_allocator.h"

// What the functions below were called with.
static struct {
  int count;
  uint32_t ids[64][3];
  iree_cy_library_dispatch_state_t dispatch;
  iree_cy_library_workgroup_state_t workgroup;
  const iree_cy_library_environment_t* environment;
} calls;

static int note_call(const iree_cy_library_environment_t* environment,
                     const iree_cy_library_dispatch_state_t* dispatch_state,
                     const iree_cy_library_workgroup_state_t* workgroup_state) {
  uint32_t* id = calls.ids[calls.count++ % 64];
  id[0] = workgroup_state->workgroup_id_x;
  id[1] = workgroup_state->workgroup_id_y;
  id[2] = workgroup_state->workgroup_id_z;
  calls.dispatch = *dispatch_state;
  calls.workgroup = *workgroup_state;
  calls.environment = environment;
  return 0;
}

static int fail_in_fourth(
    const iree_cy_library_environment_t* environment,
    const iree_cy_library_dispatch_state_t* dispatch_state,
    const iree_cy_library_workgroup_state_t* workgroup_state) {
  (void)environment, (void)dispatch_state;
  return workgroup_state->workgroup_id_x == 1 &&
                 workgroup_state->workgroup_id_y == 1
             ? -7
             : 0;
}

static const iree_cy_library_dispatch_fn_t fns[3] = {note_call, fail_in_fourth,
                                                     note_call};
static const iree_cy_library_dispatch_attrs_t default_attrs[3] = {
    {.flags = IREE_CY_LIBRARY_DISPATCH_FLAG_SEQUENTIAL,
     .local_memory_pages = 2,
     .constant_count = 1,
     .binding_count = 2,
     .workgroup_size_x = 8,
     .workgroup_size_y = 4,
     .workgroup_size_z = 2,
     .parameter_count = 3},
    {.flags = 0},
    {.constant_count = 64, .binding_count = 64},
};
static iree_cy_library_dispatch_attrs_t attrs[3];
static const char* const default_names[3] = {"noted", "failing", "wide"};
static const char* names[3];
static const char* imports[2];
static iree_cy_library_header_t header;
static iree_cy_library_t library;

static uint32_t asked_version;
static const iree_cy_library_header_t** query(
    uint32_t max_version, const iree_cy_library_environment_t* environment) {
  (void)environment;
  asked_version = max_version;
  return max_version == header.version ? &library.header : NULL;
}

static void set_up_library(void) {
  memset(&calls, 0, sizeof(calls));
  memcpy(attrs, default_attrs, sizeof(attrs));
  memcpy(names, default_names, sizeof(names));
  memset(&header, 0, sizeof(header));
  header.version = 6;
  header.name = "test";
  memset(&library, 0, sizeof(library));
  library.header = &header;
  library.imports.names = imports;
  library.exports.count = 3;
  library.exports.fns = fns;
  library.exports.attrs = attrs;
  library.exports.names = names;
}

static int unload_count;
static void unload(void* self) {
  (void)self;
  ++unload_count;
}

static iree_status_t create_with(iree_allocator_t host_allocator,
                                 iree_host_size_t constant_count,
                                 iree_hal_executable_t** out_executable) {
  static const uint32_t constants[4] = {11, 22, 33, 44};
  const iree_hal_executable_params_t params = {
      .size = sizeof(params),
      .constant_count = constant_count,
      .constants = constants,
  };
  const iree_cy_local_module_t module = {.unload = unload};
  return iree_cy_local_executable_create(&params, query, module, host_allocator,
                                         out_executable);
}

static iree_status_t create(iree_hal_executable_t** out_executable) {
  return create_with(iree_allocator_system(), 0, out_executable);
}

static void expect_refused(iree_status_code_t code, const char* message) {
  iree_hal_executable_t* executable = NULL;
  unload_count = 0;
  iree_status_t status = create(&executable);
  EXPECT_EQ_SV(iree_status_message(status), iree_make_cstring_view(message));
  EXPECT(iree_status_message(status).size < 200);
  EXPECT_STATUS(code, status);
  EXPECT(executable == NULL);
  // It stays the caller's.
  EXPECT_EQ_I64(unload_count, 0);
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_EXECUTABLE), 0);
}

CTEST(describes_its_functions) {
  set_up_library();
  unload_count = 0;
  iree_hal_executable_t* executable = NULL;
  REQUIRE_OK(create(&executable));
  EXPECT_EQ_I64(asked_version, 6);
  EXPECT(iree_hal_local_executable_isa(executable));
  EXPECT_EQ_I64(iree_hal_executable_function_count(executable), 3);
  iree_hal_executable_function_t function = {0};
  iree_hal_executable_function_info_t info = {.size = sizeof(info)};
  EXPECT_OK(iree_hal_executable_function_info(executable, function, &info));
  EXPECT_EQ_SV(info.name, IREE_SV("noted"));
  EXPECT_EQ_I64(info.flags, IREE_HAL_EXECUTABLE_FUNCTION_FLAG_SEQUENTIAL);
  EXPECT_EQ_I64(info.constant_count, 1);
  EXPECT_EQ_I64(info.binding_count, 2);
  EXPECT_EQ_I64(info.parameter_count, 3);
  EXPECT_EQ_I64(info.workgroup_size[0], 8);
  EXPECT_EQ_I64(info.workgroup_size[2], 2);
  EXPECT_EQ_I64(info.workgroup_local_memory, 8192);
  EXPECT_OK(iree_hal_executable_lookup_function_by_name(
      executable, IREE_SV("wide"), &function));
  EXPECT_EQ_I64(function.value, 2);
  EXPECT_STATUS(IREE_STATUS_NOT_FOUND,
                iree_hal_executable_lookup_function_by_name(
                    executable, IREE_SV("wid"), &function));
  function.value = 3;
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                iree_hal_executable_function_info(executable, function, &info));
  EXPECT_EQ_I64(unload_count, 0);
  iree_hal_executable_release(executable);
  EXPECT_EQ_I64(unload_count, 1);
}

CTEST(names_both_versions) {
  set_up_library();
  header.version = 5;
  expect_refused(IREE_STATUS_INCOMPATIBLE,
                 "the executable has library version 0.5; this runtime takes "
                 "0.6: compile it with a matching compiler");
  header.version = 1000;
  expect_refused(IREE_STATUS_INCOMPATIBLE,
                 "the executable has not library version 0.6, which this "
                 "runtime takes, nor 0.1 to 0.64");
}

CTEST(refuses_features_and_sanitizers) {
  set_up_library();
  header.features = 0x10;
  expect_refused(IREE_STATUS_UNIMPLEMENTED,
                 "the executable needs library features 0x10; none is known of "
                 "version 0.6");
  header.features = 0;
  header.sanitizer = IREE_CY_LIBRARY_SANITIZER_THREAD;
  expect_refused(IREE_STATUS_UNAVAILABLE,
                 "the executable is compiled for ThreadSanitizer (3), which "
                 "its loader has not; compile it without");
}

CTEST(refuses_imports_by_name) {
  set_up_library();
  imports[0] = "?maybe_v1";
  imports[1] = "mylib_function_v2";
  library.imports.count = 2;
  expect_refused(IREE_STATUS_UNAVAILABLE,
                 "the executable imports 'mylib_function_v2'; this runtime "
                 "provides no imports");
  library.imports.names = NULL;
  expect_refused(IREE_STATUS_UNAVAILABLE,
                 "the executable imports '(no name)'; this runtime provides no "
                 "imports");
}

CTEST(leaves_weak_imports_null) {
  set_up_library();
  imports[0] = "?maybe_v1";
  imports[1] = "?maybe_v2";
  library.imports.count = 2;
  iree_hal_executable_t* executable = NULL;
  REQUIRE_OK(create(&executable));
  const iree_hal_local_dispatch_t dispatch = {.size = sizeof(dispatch),
                                              .workgroup_count = {1, 1, 1},
                                              .constant_count = 64,
                                              .binding_count = 64};
  const iree_hal_executable_function_t function = {2};
  EXPECT_OK(iree_hal_local_executable_dispatch(
      executable, function, &dispatch, 0, 1, 0, iree_byte_span_empty()));
  EXPECT(calls.environment->import_thunk != NULL);
  EXPECT(calls.environment->import_fns[0] == NULL);
  EXPECT(calls.environment->import_fns[1] == NULL);
  EXPECT(calls.environment->import_contexts[1] == NULL);
  iree_hal_executable_release(executable);
}

CTEST(checks_the_constants) {
  set_up_library();
  library.constant_count = 3;
  expect_refused(IREE_STATUS_INVALID_ARGUMENT,
                 "the executable takes 3 constants; 0 are given");
  iree_hal_executable_t* executable = NULL;
  REQUIRE_OK(create_with(iree_allocator_system(), 3, &executable));
  const iree_hal_local_dispatch_t dispatch = {.size = sizeof(dispatch),
                                              .workgroup_count = {1, 1, 1},
                                              .constant_count = 64,
                                              .binding_count = 64};
  const iree_hal_executable_function_t function = {2};
  EXPECT_OK(iree_hal_local_executable_dispatch(
      executable, function, &dispatch, 0, 1, 0, iree_byte_span_empty()));
  EXPECT_EQ_I64(calls.environment->constants[2], 33);
  iree_hal_executable_release(executable);
}

CTEST(refuses_functions_that_are_not_whole) {
  set_up_library();
  names[1] = "";
  expect_refused(IREE_STATUS_INVALID_ARGUMENT,
                 "function 1 of the executable has no code or no name");
  set_up_library();
  library.exports.attrs = NULL;
  expect_refused(IREE_STATUS_INVALID_ARGUMENT,
                 "the executable does not describe its 3 functions");
  set_up_library();
  attrs[0].binding_count = 65;
  expect_refused(IREE_STATUS_UNIMPLEMENTED,
                 "'noted' takes 1 constants and 65 bindings; up to 64 of each "
                 "can be given");
}

CTEST(passes_the_dispatch_on) {
  set_up_library();
  iree_hal_executable_t* executable = NULL;
  REQUIRE_OK(create(&executable));
  static uint8_t local_memory[8192];
  const uint32_t constants[1] = {42};
  void* const binding_ptrs[2] = {local_memory, NULL};
  const size_t binding_lengths[2] = {16, 0};
  const iree_hal_local_dispatch_t dispatch = {
      .size = sizeof(dispatch),
      .max_concurrency = 1000,
      .workgroup_size = {0, 16, 0},
      .workgroup_count = {3, 2, 2},
      .constant_count = 1,
      .binding_count = 2,
      .constants = constants,
      .binding_ptrs = binding_ptrs,
      .binding_lengths = binding_lengths,
  };
  const iree_hal_executable_function_t function = {0};
  EXPECT_OK(iree_hal_local_executable_dispatch(
      executable, function, &dispatch, 0, 12, 5,
      iree_make_byte_span(local_memory, sizeof(local_memory))));
  EXPECT_EQ_I64(calls.count, 12);
  for (uint32_t i = 0; i < 12; ++i) {
    EXPECT_EQ_I64(calls.ids[i][0], i % 3);
    EXPECT_EQ_I64(calls.ids[i][1], i / 3 % 2);
    EXPECT_EQ_I64(calls.ids[i][2], i / 6);
  }
  EXPECT_EQ_I64(calls.dispatch.workgroup_size_x, 8);
  EXPECT_EQ_I64(calls.dispatch.workgroup_size_y, 16);
  EXPECT_EQ_I64(calls.dispatch.workgroup_size_z, 2);
  EXPECT_EQ_I64(calls.dispatch.workgroup_count_x, 3);
  EXPECT_EQ_I64(calls.dispatch.workgroup_count_y, 2);
  EXPECT_EQ_I64(calls.dispatch.workgroup_count_z, 2);
  EXPECT_EQ_I64(calls.dispatch.max_concurrency, 255);
  EXPECT(calls.dispatch.constants == constants);
  EXPECT(calls.dispatch.binding_ptrs == binding_ptrs);
  EXPECT(calls.dispatch.binding_lengths == binding_lengths);
  EXPECT_EQ_I64(calls.workgroup.processor_id, 5);
  EXPECT(calls.workgroup.local_memory == local_memory);
  EXPECT_EQ_I64(calls.workgroup.local_memory_size, 8192);
  iree_hal_executable_release(executable);
}

CTEST(runs_a_range_of_workgroups) {
  set_up_library();
  attrs[0].local_memory_pages = 0;
  iree_hal_executable_t* executable = NULL;
  REQUIRE_OK(create(&executable));
  const uint32_t constant = 0;
  void* const binding_ptrs[2] = {NULL, NULL};
  const size_t binding_lengths[2] = {0, 0};
  const iree_hal_local_dispatch_t dispatch = {
      .size = sizeof(dispatch),
      .workgroup_count = {3, 2, 4},
      .constant_count = 1,
      .binding_count = 2,
      .constants = &constant,
      .binding_ptrs = binding_ptrs,
      .binding_lengths = binding_lengths,
  };
  const iree_hal_executable_function_t function = {0};
  // Every split covers the same workgroups, each once.
  for (uint64_t split = 0; split <= 24; ++split) {
    calls.count = 0;
    EXPECT_OK(iree_hal_local_executable_dispatch(
        executable, function, &dispatch, 0, split, 0, iree_byte_span_empty()));
    EXPECT_OK(iree_hal_local_executable_dispatch(executable, function,
                                                 &dispatch, split, 24 - split,
                                                 0, iree_byte_span_empty()));
    EXPECT_EQ_I64(calls.count, 24);
    for (uint32_t i = 0; i < 24; ++i) {
      EXPECT_EQ_I64(calls.ids[i][0] + 3 * calls.ids[i][1] + 6 * calls.ids[i][2],
                    i);
      EXPECT(calls.ids[i][0] < 3 && calls.ids[i][1] < 2);
    }
  }
  EXPECT_STATUS(
      IREE_STATUS_OUT_OF_RANGE,
      iree_hal_local_executable_dispatch(executable, function, &dispatch, 1, 24,
                                         0, iree_byte_span_empty()));
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                iree_hal_local_executable_dispatch(executable, function,
                                                   &dispatch, 2, UINT64_MAX, 0,
                                                   iree_byte_span_empty()));
  iree_hal_executable_release(executable);
}

static iree_status_t dispatch_counts(iree_hal_executable_t* executable,
                                     uint64_t function_value, uint32_t x,
                                     uint32_t y, uint32_t z, uint64_t first,
                                     uint64_t count) {
  const iree_hal_local_dispatch_t dispatch = {.size = sizeof(dispatch),
                                              .workgroup_count = {x, y, z}};
  const iree_hal_executable_function_t function = {function_value};
  return iree_hal_local_executable_dispatch(
      executable, function, &dispatch, first, count, 0, iree_byte_span_empty());
}

CTEST(counts_that_are_large_or_empty) {
  set_up_library();
  memset(&attrs[0], 0, sizeof(attrs[0]));
  iree_hal_executable_t* executable = NULL;
  REQUIRE_OK(create(&executable));
  EXPECT_OK(dispatch_counts(executable, 0, 0, 1, 1, 0, 0));
  EXPECT_EQ_I64(calls.count, 0);
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                dispatch_counts(executable, 0, 0, 1, 1, 0, 1));
  // The last of 2^32 - 1 squared times 65535, which is more than 64 bits.
  EXPECT_OK(dispatch_counts(executable, 0, UINT32_MAX, UINT32_MAX, 65535,
                            UINT64_MAX - 1, 1));
  EXPECT_EQ_I64(calls.workgroup.workgroup_id_x, (UINT64_MAX - 1) % UINT32_MAX);
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                dispatch_counts(executable, 0, 1, 1, 65536, 0, 1));
  iree_hal_executable_release(executable);
}

CTEST(refuses_dispatches) {
  set_up_library();
  iree_hal_executable_t* executable = NULL;
  REQUIRE_OK(create(&executable));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                dispatch_counts(executable, 0, 1, 1, 1, 0, 1));
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                dispatch_counts(executable, 3, 1, 1, 1, 0, 1));
  // Too little local memory.
  const uint32_t constant = 0;
  void* const binding_ptrs[2] = {NULL, NULL};
  const size_t binding_lengths[2] = {0, 0};
  const iree_hal_local_dispatch_t dispatch = {
      .size = sizeof(dispatch),
      .workgroup_count = {1, 1, 1},
      .constant_count = 1,
      .binding_count = 2,
      .constants = &constant,
      .binding_ptrs = binding_ptrs,
      .binding_lengths = binding_lengths,
  };
  uint8_t local_memory[16];
  const iree_hal_executable_function_t function = {0};
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_local_executable_dispatch(
                    executable, function, &dispatch, 0, 1, 0,
                    iree_make_byte_span(local_memory, sizeof(local_memory))));
  EXPECT_EQ_I64(calls.count, 0);
  iree_hal_executable_release(executable);
}

CTEST(tells_which_workgroup_failed) {
  set_up_library();
  iree_hal_executable_t* executable = NULL;
  REQUIRE_OK(create(&executable));
  iree_status_t status = dispatch_counts(executable, 1, 2, 3, 1, 0, 6);
  EXPECT_EQ_SV(iree_status_message(status),
               IREE_SV("'failing' failed with -7 in workgroup (1, 1, 0)"));
  EXPECT_STATUS(IREE_STATUS_INTERNAL, status);
  iree_hal_executable_release(executable);
}

CTEST(fails_cleanly_without_memory) {
  set_up_library();
  imports[0] = "?maybe";
  library.imports.count = 1;
  for (int allowed = 0; allowed < 3; ++allowed) {
    failing_allocator_t state = {allowed, 0};
    iree_hal_executable_t* executable = NULL;
    unload_count = 0;
    iree_status_t status =
        create_with(failing_allocator(&state), 0, &executable);
    EXPECT_STATUS(allowed < 2 ? IREE_STATUS_RESOURCE_EXHAUSTED : IREE_STATUS_OK,
                  status);
    iree_hal_executable_release(executable);
    EXPECT_EQ_I64(unload_count, allowed < 2 ? 0 : 1);
    EXPECT_EQ_I64(state.live_blocks, 0);
  }
}

CTEST(lists_the_loaders) {
  iree_hal_executable_loader_t* loader = NULL;
  iree_status_t status = iree_hal_executable_loader_create(
      IREE_SV("cuda"), iree_allocator_system(), &loader);
  EXPECT_EQ_SV(iree_status_message(status),
               IREE_SV("no executable loader 'cuda'; there are embedded-elf, "
                       "system-library and vmvx"));
  EXPECT_STATUS(IREE_STATUS_NOT_FOUND, status);
  EXPECT(loader == NULL);
}

static iree_status_t load(iree_hal_executable_loader_t* loader,
                          iree_string_view_t format, iree_string_view_t data) {
  const iree_hal_executable_params_t params = {
      .size = sizeof(params),
      .executable_format = format,
      .executable_data = iree_make_const_byte_span(data.data, data.size),
  };
  iree_hal_executable_t* executable = NULL;
  iree_status_t status =
      iree_hal_executable_loader_try_load(loader, &params, 1, &executable);
  EXPECT(executable == NULL);
  return status;
}

CTEST(loaders_refuse_other_formats) {
  iree_hal_executable_loader_t* loader = NULL;
  REQUIRE_OK(iree_hal_executable_loader_create(
      IREE_SV("embedded-elf"), iree_allocator_system(), &loader));
  EXPECT(!iree_hal_executable_loader_query_support(
      loader, 0, IREE_SV("embedded-elf-mips")));
  iree_status_t status =
      load(loader, IREE_SV("embedded-elf-mips"), IREE_SV("\177ELF"));
  EXPECT(iree_string_view_starts_with(
      iree_status_message(status),
      IREE_SV("executable format 'embedded-elf-mips' is for another machine")));
  EXPECT_STATUS(IREE_STATUS_INCOMPATIBLE, status);
  EXPECT_STATUS(IREE_STATUS_INCOMPATIBLE,
                load(loader, IREE_SV("vulkan-spirv-fb"), IREE_SV("x")));
  iree_hal_executable_loader_release(loader);
}

CTEST(caches_try_their_loaders) {
  iree_hal_executable_loader_t* loaders[2] = {NULL, NULL};
  iree_hal_executable_cache_t* cache = NULL;
  iree_hal_executable_t* executable = NULL;
  REQUIRE_OK(iree_hal_executable_loader_create(
      IREE_SV("embedded-elf"), iree_allocator_system(), &loaders[0]));
  REQUIRE_OK(iree_hal_executable_loader_create(
      IREE_SV("system-library"), iree_allocator_system(), &loaders[1]));
  REQUIRE_OK(iree_hal_local_executable_cache_create(
      IREE_SV("test"), 1, 2, loaders, iree_allocator_system(), &cache));
  for (int i = 0; i < 2; ++i) {
    EXPECT(iree_hal_executable_cache_can_prepare_format(
        cache, 0, iree_cy_executable_loader_format(loaders[i])));
  }
  EXPECT(!iree_hal_executable_cache_can_prepare_format(
      cache, 0, IREE_SV("cuda-nvptx-fb")));
  iree_hal_executable_params_t params = {
      .size = sizeof(params),
      .executable_format = IREE_SV("cuda-nvptx-fb"),
      .executable_data = iree_make_const_byte_span("x", 1),
  };
  iree_status_t status =
      iree_hal_executable_cache_prepare_executable(cache, &params, &executable);
  EXPECT(iree_string_view_starts_with(
      iree_status_message(status),
      IREE_SV("the program has code of format 'cuda-nvptx-fb'; this device "
              "takes embedded-elf-")));
  EXPECT(iree_status_message(status).size < 200);
  EXPECT_STATUS(IREE_STATUS_INCOMPATIBLE, status);
  params.executable_format = iree_cy_executable_loader_format(loaders[0]);
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_executable_cache_prepare_executable(cache, &params,
                                                             &executable));
  params.executable_data.data_length = 0;
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_hal_executable_cache_prepare_executable(cache, &params,
                                                             &executable));
  iree_hal_executable_loader_release(loaders[0]);
  iree_hal_executable_loader_release(loaders[1]);
  iree_hal_executable_cache_release(cache);
  EXPECT_EQ_I64(
      iree_cy_live_object_count(IREE_CY_OBJECT_KIND_EXECUTABLE_LOADER), 0);
}

CTEST_MAIN()
