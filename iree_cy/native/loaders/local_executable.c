// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns executables of compiled CPU code: the checks of a library, and the loop
// that runs the workgroups of a dispatch.

#include "iree_cy/native/loaders/local_executable.h"

#include "iree_cy/native/loaders/processor.h"
#include "iree_cy/native/loaders/vmvx_loader.h"

typedef struct local_executable_t {
  iree_hal_executable_t base;
  iree_cy_local_module_t module;
  // Of the library, in its memory.
  uint32_t function_count;
  const iree_cy_library_dispatch_fn_t* fns;
  const iree_cy_library_dispatch_attrs_t* attrs;
  const char* const* names;
  iree_cy_library_environment_t environment;
  uint32_t constants[];
} local_executable_t;

// Names in messages are cut, so that the first line stays short.
#define NAME_ARG(name) ((int)strnlen((name), 64)), (name)

static void local_executable_destroy(iree_hal_executable_t* base_executable) {
  local_executable_t* executable = (local_executable_t*)base_executable;
  iree_allocator_t host_allocator = base_executable->host_allocator;
  iree_hal_executable_deinitialize(base_executable);
  executable->module.unload(executable->module.self);
  iree_allocator_free(host_allocator,
                      (void*)executable->environment.import_fns);
  iree_allocator_free(host_allocator, executable);
}

static iree_host_size_t local_executable_function_count(
    iree_hal_executable_t* executable) {
  return ((local_executable_t*)executable)->function_count;
}

static iree_status_t check_function(const local_executable_t* executable,
                                    iree_hal_executable_function_t function) {
  if (IREE_LIKELY(function.value < executable->function_count)) {
    return iree_ok_status();
  }
  return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                          "function %" PRIu64
                          " is asked for; the executable has %" PRIu32,
                          function.value, executable->function_count);
}

static iree_status_t local_executable_function_info(
    iree_hal_executable_t* base_executable,
    iree_hal_executable_function_t function,
    iree_hal_executable_function_info_t* out_info) {
  const local_executable_t* executable = (local_executable_t*)base_executable;
  IREE_RETURN_IF_ERROR(check_function(executable, function));
  const iree_cy_library_dispatch_attrs_t* attrs =
      &executable->attrs[function.value];
  out_info->name = iree_make_cstring_view(executable->names[function.value]);
  if (iree_any_bit_set(attrs->flags,
                       IREE_CY_LIBRARY_DISPATCH_FLAG_SEQUENTIAL)) {
    out_info->flags |= IREE_HAL_EXECUTABLE_FUNCTION_FLAG_SEQUENTIAL;
  }
  if (iree_any_bit_set(attrs->flags,
                       IREE_CY_LIBRARY_DISPATCH_FLAG_WORKGROUP_SIZE_DYNAMIC)) {
    out_info->flags |= IREE_HAL_EXECUTABLE_FUNCTION_FLAG_WORKGROUP_SIZE_DYNAMIC;
  }
  out_info->constant_count = attrs->constant_count;
  out_info->binding_count = attrs->binding_count;
  out_info->parameter_count = attrs->parameter_count;
  out_info->workgroup_size[0] = attrs->workgroup_size_x;
  out_info->workgroup_size[1] = attrs->workgroup_size_y;
  out_info->workgroup_size[2] = attrs->workgroup_size_z;
  out_info->workgroup_local_memory = (uint32_t)attrs->local_memory_pages *
                                     IREE_CY_LIBRARY_LOCAL_MEMORY_PAGE_SIZE;
  return iree_ok_status();
}

static iree_status_t local_executable_lookup_function_by_name(
    iree_hal_executable_t* base_executable, iree_string_view_t name,
    iree_hal_executable_function_t* out_function) {
  const local_executable_t* executable = (local_executable_t*)base_executable;
  for (uint32_t i = 0; i < executable->function_count; ++i) {
    if (iree_string_view_equal(name,
                               iree_make_cstring_view(executable->names[i]))) {
      *out_function = iree_hal_executable_function_from_index(i);
      return iree_ok_status();
    }
  }
  return iree_make_status(
      IREE_STATUS_NOT_FOUND, "the executable has no function '%.*s'",
      (int)iree_min(name.size, (iree_host_size_t)64), name.data);
}

static const iree_hal_executable_vtable_t local_executable_vtable = {
    .header = {.size = sizeof(iree_hal_executable_vtable_t),
               .kind = IREE_CY_OBJECT_KIND_EXECUTABLE},
    .destroy = local_executable_destroy,
    .function_count = local_executable_function_count,
    .function_info = local_executable_function_info,
    .lookup_function_by_name = local_executable_lookup_function_by_name,
};

//===-- checks of a library -------------------------------------------------===

static const char* sanitizer_name(int32_t sanitizer) {
  switch (sanitizer) {
    case IREE_CY_LIBRARY_SANITIZER_ADDRESS:
      return "AddressSanitizer";
    case IREE_CY_LIBRARY_SANITIZER_MEMORY:
      return "MemorySanitizer";
    case IREE_CY_LIBRARY_SANITIZER_THREAD:
      return "ThreadSanitizer";
    case IREE_CY_LIBRARY_SANITIZER_UNDEFINED:
      return "UndefinedBehaviorSanitizer";
    default:
      return "an unknown sanitizer";
  }
}

static iree_status_t version_status(uint32_t version) {
  return iree_make_status(IREE_STATUS_INCOMPATIBLE,
                          "the executable has library version %" PRIu32
                          ".%" PRIu32
                          "; this runtime takes 0.6: compile it with a "
                          "matching compiler",
                          version >> 16, version & 0xFFFF);
}

// A library says no more than that it has not the version that it is asked for.
// Which it has, is found by asking.
static iree_status_t refuse_version(
    iree_cy_library_query_fn_t query_fn,
    const iree_cy_library_environment_t* environment) {
  for (uint32_t version = 1; version <= 64; ++version) {
    const iree_cy_library_header_t** header = query_fn(version, environment);
    if (header && *header) return version_status((*header)->version);
  }
  return iree_make_status(IREE_STATUS_INCOMPATIBLE,
                          "the executable has not library version 0.6, which "
                          "this runtime takes, nor 0.1 to 0.64");
}

static iree_status_t query_library(
    iree_cy_library_query_fn_t query_fn,
    const iree_cy_library_environment_t* environment,
    const iree_cy_library_t** out_library) {
  *out_library = NULL;
  const iree_cy_library_header_t** header =
      query_fn(IREE_CY_LIBRARY_VERSION, environment);
  if (!header || !*header) return refuse_version(query_fn, environment);
  if ((*header)->version != IREE_CY_LIBRARY_VERSION) {
    return version_status((*header)->version);
  }
  if ((*header)->features) {
    return iree_make_status(IREE_STATUS_UNIMPLEMENTED,
                            "the executable needs library features 0x%" PRIX32
                            "; none is known of version 0.6",
                            (*header)->features);
  }
  if ((*header)->sanitizer != IREE_CY_LIBRARY_SANITIZER_NONE) {
    return iree_make_status(IREE_STATUS_UNAVAILABLE,
                            "the executable is compiled for %s (%" PRId32
                            "), which its loader has not; compile it without",
                            sanitizer_name((*header)->sanitizer),
                            (*header)->sanitizer);
  }
  *out_library = (const iree_cy_library_t*)header;
  return iree_ok_status();
}

static iree_status_t check_library(const iree_cy_library_t* library,
                                   const iree_hal_executable_params_t* params) {
  if (library->constant_count != params->constant_count) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "the executable takes %" PRIu32
                            " constants; %" PRIhsz " are given",
                            library->constant_count, params->constant_count);
  }
  const iree_cy_library_export_table_t* exports = &library->exports;
  if (exports->count && (!exports->fns || !exports->attrs || !exports->names)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "the executable does not describe its %" PRIu32
                            " functions",
                            exports->count);
  }
  for (uint32_t i = 0; i < exports->count; ++i) {
    if (!exports->fns[i] || !exports->names[i] || !exports->names[i][0]) {
      return iree_make_status(
          IREE_STATUS_INVALID_ARGUMENT,
          "function %" PRIu32 " of the executable has no code or no name", i);
    }
    const iree_cy_library_dispatch_attrs_t* attrs = &exports->attrs[i];
    if (attrs->constant_count > IREE_HAL_DISPATCH_MAX_CONSTANT_COUNT ||
        attrs->binding_count > IREE_HAL_DISPATCH_MAX_BINDING_COUNT) {
      return iree_make_status(
          IREE_STATUS_UNIMPLEMENTED,
          "'%.*s' takes %d constants and %d bindings; up to %d of each can be "
          "given",
          NAME_ARG(exports->names[i]), attrs->constant_count,
          attrs->binding_count, IREE_HAL_DISPATCH_MAX_BINDING_COUNT);
    }
  }
  return iree_ok_status();
}

static int call_import(iree_cy_library_import_fn_t fn, void* params,
                       void* context, void* reserved) {
  return fn(params, context, reserved);
}

// No import is provided: those that may stay unresolved are NULL, others are
// refused.
static iree_status_t resolve_imports(const iree_cy_library_t* library,
                                     local_executable_t* executable) {
  const iree_cy_library_import_table_t* imports = &library->imports;
  executable->environment.import_thunk = call_import;
  if (!imports->count) return iree_ok_status();
  for (uint32_t i = 0; i < imports->count; ++i) {
    const char* name = imports->names ? imports->names[i] : NULL;
    if (name && name[0] == '?') continue;
    if (!name) name = "(no name)";
    return iree_make_status(
        IREE_STATUS_UNAVAILABLE,
        "the executable imports '%.*s'; this runtime provides no imports",
        NAME_ARG(name));
  }
  // Functions and then their contexts, all NULL.
  void* block = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc_array(executable->base.host_allocator,
                                  imports->count, 2 * sizeof(void*), &block));
  executable->environment.import_fns =
      (const iree_cy_library_import_fn_t*)block;
  executable->environment.import_contexts =
      (const void**)block + imports->count;
  return iree_ok_status();
}

static iree_status_t attach_library(const iree_hal_executable_params_t* params,
                                    iree_cy_library_query_fn_t query_fn,
                                    const iree_cy_local_module_t* module,
                                    local_executable_t* executable) {
  const iree_cy_library_t* library = NULL;
  IREE_RETURN_IF_ERROR(
      query_library(query_fn, &executable->environment, &library));
  IREE_RETURN_IF_ERROR(check_library(library, params));
  if (module->check_features) {
    IREE_RETURN_IF_ERROR(module->check_features(module->self, library));
  }
  executable->function_count = library->exports.count;
  executable->fns = library->exports.fns;
  executable->attrs = library->exports.attrs;
  executable->names = library->exports.names;
  return resolve_imports(library, executable);
}

static void unload_nothing(void* self) { (void)self; }

iree_status_t iree_cy_local_executable_create(
    const iree_hal_executable_params_t* params,
    iree_cy_library_query_fn_t query_fn, iree_cy_local_module_t module,
    iree_allocator_t host_allocator, iree_hal_executable_t** out_executable) {
  *out_executable = NULL;
  local_executable_t* executable = NULL;
  iree_host_size_t total_size = 0;
  if (!iree_host_size_checked_mul(params->constant_count, sizeof(uint32_t),
                                  &total_size) ||
      !iree_host_size_checked_add(total_size, sizeof(*executable),
                                  &total_size)) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "%" PRIhsz " constants are too many",
                            params->constant_count);
  }
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc(host_allocator, total_size, (void**)&executable));
  iree_hal_executable_initialize(&local_executable_vtable, host_allocator,
                                 &executable->base);
  if (params->constant_count) {
    memcpy(executable->constants, params->constants,
           params->constant_count * sizeof(uint32_t));
  }
  executable->environment.constants = executable->constants;
  iree_cy_processor_data(executable->environment.processor);
  // Until it is whole, the module stays the caller's.
  executable->module.unload = unload_nothing;
  iree_status_t status = attach_library(params, query_fn, &module, executable);
  if (!iree_status_is_ok(status)) {
    iree_hal_executable_release(&executable->base);
    return status;
  }
  executable->module = module;
  *out_executable = &executable->base;
  return iree_ok_status();
}

//===-- dispatches ----------------------------------------------------------===

bool iree_hal_local_executable_isa(const iree_hal_executable_t* executable) {
  return iree_hal_resource_is(executable, &local_executable_vtable) ||
         iree_cy_vmvx_executable_isa(executable);
}

// Checks a dispatch of |function| and the range of workgroups against it.
static iree_status_t check_dispatch(const local_executable_t* executable,
                                    iree_hal_executable_function_t function,
                                    const iree_hal_local_dispatch_t* dispatch,
                                    uint64_t first_workgroup,
                                    uint64_t workgroup_count,
                                    iree_byte_span_t local_memory) {
  IREE_RETURN_IF_ERROR(check_function(executable, function));
  const iree_cy_library_dispatch_attrs_t* attrs =
      &executable->attrs[function.value];
  const char* name = executable->names[function.value];
  if (IREE_UNLIKELY(dispatch->constant_count != attrs->constant_count ||
                    dispatch->binding_count != attrs->binding_count)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "'%.*s' takes %d constants and %d bindings; the "
                            "dispatch has %" PRIu32 " and %" PRIu32,
                            NAME_ARG(name), attrs->constant_count,
                            attrs->binding_count, dispatch->constant_count,
                            dispatch->binding_count);
  }
  const uint32_t* count = dispatch->workgroup_count;
  if (IREE_UNLIKELY(count[2] > UINT16_MAX ||
                    dispatch->workgroup_size[2] > UINT16_MAX)) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "'%.*s': %" PRIu32 " workgroups of size %" PRIu32
                            " along z; both go up to 65535",
                            NAME_ARG(name), count[2],
                            dispatch->workgroup_size[2]);
  }
  // More than 64 bits of them never end; the range is what counts.
  uint64_t total = 0;
  if (__builtin_mul_overflow((uint64_t)count[0] * count[1], (uint64_t)count[2],
                             &total)) {
    total = UINT64_MAX;
  }
  if (IREE_UNLIKELY(first_workgroup > total ||
                    workgroup_count > total - first_workgroup)) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "'%.*s': workgroups %" PRIu64 " to %" PRIu64
                            " are asked for; there are %" PRIu64,
                            NAME_ARG(name), first_workgroup,
                            first_workgroup + workgroup_count, total);
  }
  const iree_host_size_t local_memory_size =
      (iree_host_size_t)attrs->local_memory_pages *
      IREE_CY_LIBRARY_LOCAL_MEMORY_PAGE_SIZE;
  if (IREE_UNLIKELY(local_memory.data_length < local_memory_size)) {
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "'%.*s' needs %" PRIhsz " bytes of local memory; it is given %" PRIhsz,
        NAME_ARG(name), local_memory_size, local_memory.data_length);
  }
  return iree_ok_status();
}

static void fill_dispatch_state(const iree_hal_local_dispatch_t* dispatch,
                                const iree_cy_library_dispatch_attrs_t* attrs,
                                iree_cy_library_dispatch_state_t* state) {
  const uint32_t* size = dispatch->workgroup_size;
  state->workgroup_size_x = size[0] ? size[0] : attrs->workgroup_size_x;
  state->workgroup_size_y = size[1] ? size[1] : attrs->workgroup_size_y;
  state->workgroup_size_z =
      size[2] ? (uint16_t)size[2] : attrs->workgroup_size_z;
  state->constant_count = (uint16_t)dispatch->constant_count;
  state->workgroup_count_x = dispatch->workgroup_count[0];
  state->workgroup_count_y = dispatch->workgroup_count[1];
  state->workgroup_count_z = (uint16_t)dispatch->workgroup_count[2];
  state->max_concurrency =
      (uint8_t)iree_min(iree_max(dispatch->max_concurrency, 1u), 255u);
  state->binding_count = (uint8_t)dispatch->binding_count;
  state->constants = dispatch->constants;
  state->binding_ptrs = dispatch->binding_ptrs;
  state->binding_lengths = dispatch->binding_lengths;
}

static __attribute__((cold, noinline)) iree_status_t
workgroup_status(const char* name, int result,
                 const iree_cy_library_workgroup_state_t* state) {
  return iree_make_status(IREE_STATUS_INTERNAL,
                          "'%.*s' failed with %d in workgroup (%" PRIu32
                          ", %" PRIu32 ", %d)",
                          NAME_ARG(name), result, state->workgroup_id_x,
                          state->workgroup_id_y, state->workgroup_id_z);
}

iree_status_t iree_hal_local_executable_dispatch(
    iree_hal_executable_t* base_executable,
    iree_hal_executable_function_t function,
    const iree_hal_local_dispatch_t* dispatch, uint64_t first_workgroup,
    uint64_t workgroup_count, uint32_t worker_id,
    iree_byte_span_t local_memory) {
  if (IREE_UNLIKELY(
          !iree_hal_resource_is(base_executable, &local_executable_vtable))) {
    if (iree_cy_vmvx_executable_isa(base_executable)) {
      return iree_cy_vmvx_executable_dispatch(
          base_executable, function, dispatch, first_workgroup, workgroup_count,
          worker_id, local_memory);
    }
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "only executables of the core's loaders run on the processor");
  }
  const local_executable_t* executable =
      (const local_executable_t*)base_executable;
  IREE_RETURN_IF_ERROR(check_dispatch(executable, function, dispatch,
                                      first_workgroup, workgroup_count,
                                      local_memory));
  if (!workgroup_count) return iree_ok_status();
  iree_cy_library_dispatch_state_t dispatch_state;
  fill_dispatch_state(dispatch, &executable->attrs[function.value],
                      &dispatch_state);
  iree_cy_library_workgroup_state_t state = {
      .processor_id = worker_id,
      .local_memory = local_memory.data,
      .local_memory_size = (uint32_t)iree_min(local_memory.data_length,
                                              (iree_host_size_t)UINT32_MAX),
  };
  const uint32_t count_x = dispatch->workgroup_count[0];
  const uint32_t count_y = dispatch->workgroup_count[1];
  if (first_workgroup) {
    const uint64_t row = first_workgroup / count_x;
    state.workgroup_id_x = (uint32_t)(first_workgroup % count_x);
    state.workgroup_id_y = (uint32_t)(row % count_y);
    state.workgroup_id_z = (uint16_t)(row / count_y);
  }
  const iree_cy_library_dispatch_fn_t fn = executable->fns[function.value];
  for (uint64_t i = workgroup_count;;) {
    const int result = fn(&executable->environment, &dispatch_state, &state);
    if (IREE_UNLIKELY(result != 0)) {
      return workgroup_status(executable->names[function.value], result,
                              &state);
    }
    if (--i == 0) return iree_ok_status();
    if (++state.workgroup_id_x < count_x) continue;
    state.workgroup_id_x = 0;
    if (++state.workgroup_id_y < count_y) continue;
    state.workgroup_id_y = 0;
    ++state.workgroup_id_z;
  }
}
