// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns modules made from a table of C functions.

#include "iree_cy/vm/native_module.h"

// The most C...D of an export whose arguments are checked by plan.
#define IREE_CY_VM_NATIVE_MAX_SPANS 2

// An export, read once.
typedef struct iree_cy_vm_native_export_t {
  iree_vm_native_function_target_t target;
  iree_string_view_t arguments;
  iree_string_view_t results;
  // Arguments with C...D, when there are few: for each of them the bytes before
  // its count and those of a group. |argument_size| are the bytes after.
  struct {
    uint32_t before;
    uint32_t group;
  } spans[IREE_CY_VM_NATIVE_MAX_SPANS];
  uint32_t span_count;
  // The exact sizes, when they are fixed; that of a variadic call's arguments
  // says what follows the last C...D.
  uint32_t argument_size;
  uint32_t result_size;
  bool is_argument_size_fixed;
  bool is_result_size_fixed;
} iree_cy_vm_native_export_t;

typedef struct iree_cy_vm_native_module_t {
  iree_vm_module_t base;
  iree_vm_module_t user;
  const iree_vm_native_module_descriptor_t* descriptor;
  iree_vm_instance_t* instance;
  iree_allocator_t allocator;
  // The names stand in order, so that they can be searched by halves.
  bool is_sorted;
  iree_cy_vm_native_export_t exports[];
} iree_cy_vm_native_module_t;

static void iree_cy_vm_native_module_destroy(void* self) {
  iree_cy_vm_native_module_t* module = (iree_cy_vm_native_module_t*)self;
  if (module->user.destroy) module->user.destroy(module->user.self);
  iree_vm_instance_release(module->instance);
  iree_allocator_free(module->allocator, module);
}

static iree_string_view_t iree_cy_vm_native_module_name(void* self) {
  iree_cy_vm_native_module_t* module = (iree_cy_vm_native_module_t*)self;
  if (module->user.name) return module->user.name(module->user.self);
  return module->descriptor->name;
}

static iree_vm_module_signature_t iree_cy_vm_native_module_signature(
    void* self) {
  iree_cy_vm_native_module_t* module = (iree_cy_vm_native_module_t*)self;
  if (module->user.signature) return module->user.signature(module->user.self);
  iree_vm_module_signature_t signature;
  memset(&signature, 0, sizeof(signature));
  signature.version = module->descriptor->version;
  signature.flags = module->descriptor->flags;
  signature.attr_count = module->descriptor->attr_count;
  signature.import_function_count = module->descriptor->import_count;
  signature.export_function_count = module->descriptor->export_count;
  return signature;
}

static iree_status_t iree_cy_vm_native_module_enumerate_dependencies(
    void* self, iree_vm_module_dependency_callback_t callback,
    void* user_data) {
  iree_cy_vm_native_module_t* module = (iree_cy_vm_native_module_t*)self;
  if (module->user.enumerate_dependencies) {
    return module->user.enumerate_dependencies(module->user.self, callback,
                                               user_data);
  }
  for (iree_host_size_t i = 0; i < module->descriptor->dependency_count; ++i) {
    IREE_RETURN_IF_ERROR(
        callback(user_data, &module->descriptor->dependencies[i]));
  }
  return iree_ok_status();
}

static iree_status_t iree_cy_vm_native_get_attr(iree_host_size_t count,
                                                const iree_string_pair_t* attrs,
                                                iree_host_size_t index,
                                                iree_string_pair_t* out_attr) {
  if (index < count) {
    *out_attr = attrs[index];
    return iree_ok_status();
  }
  memset(out_attr, 0, sizeof(*out_attr));
  return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                          "attribute %zu is asked for, there are %zu", index,
                          count);
}

static iree_status_t iree_cy_vm_native_module_get_module_attr(
    void* self, iree_host_size_t index, iree_string_pair_t* out_attr) {
  iree_cy_vm_native_module_t* module = (iree_cy_vm_native_module_t*)self;
  if (module->user.get_module_attr) {
    return module->user.get_module_attr(module->user.self, index, out_attr);
  }
  return iree_cy_vm_native_get_attr(module->descriptor->attr_count,
                                    module->descriptor->attrs, index, out_attr);
}

static iree_vm_function_t iree_cy_vm_native_function(
    iree_cy_vm_native_module_t* module, iree_vm_function_linkage_t linkage,
    iree_host_size_t ordinal) {
  iree_vm_function_t function = {&module->base, (uint16_t)linkage, 0,
                                 (uint32_t)ordinal};
  return function;
}

// The ordinal of the export |name|, or the count of exports.
static iree_host_size_t iree_cy_vm_native_find_export(
    const iree_cy_vm_native_module_t* module, iree_string_view_t name) {
  const iree_vm_native_export_descriptor_t* exports =
      module->descriptor->exports;
  const iree_host_size_t count = module->descriptor->export_count;
  if (!module->is_sorted) {
    for (iree_host_size_t i = 0; i < count; ++i) {
      if (iree_string_view_equal(exports[i].local_name, name)) return i;
    }
    return count;
  }
  iree_host_size_t low = 0;
  iree_host_size_t high = count;
  while (low < high) {
    iree_host_size_t middle = low + (high - low) / 2;
    int order = iree_string_view_compare(exports[middle].local_name, name);
    if (order == 0) return middle;
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return count;
}

static iree_status_t iree_cy_vm_native_module_lookup_function(
    void* self, iree_vm_function_linkage_t linkage, iree_string_view_t name,
    const iree_vm_function_signature_t* expected_signature,
    iree_vm_function_t* out_function) {
  iree_cy_vm_native_module_t* module = (iree_cy_vm_native_module_t*)self;
  memset(out_function, 0, sizeof(*out_function));
  if (module->user.lookup_function) {
    return module->user.lookup_function(module->user.self, linkage, name,
                                        expected_signature, out_function);
  }
  if (linkage == IREE_VM_FUNCTION_LINKAGE_EXPORT ||
      linkage == IREE_VM_FUNCTION_LINKAGE_EXPORT_OPTIONAL) {
    iree_host_size_t ordinal = iree_cy_vm_native_find_export(module, name);
    if (ordinal < module->descriptor->export_count) {
      *out_function = iree_cy_vm_native_function(
          module, IREE_VM_FUNCTION_LINKAGE_EXPORT, ordinal);
      return iree_ok_status();
    }
    // Asked for at every start (__init) and usually absent.
    if (linkage == IREE_VM_FUNCTION_LINKAGE_EXPORT_OPTIONAL) {
      return iree_status_from_code(IREE_STATUS_NOT_FOUND);
    }
  }
  return iree_make_status(
      IREE_STATUS_NOT_FOUND, "module '%.*s' has no function '%.*s'",
      IREE_SV_ARG(module->descriptor->name), IREE_SV_ARG(name));
}

static iree_status_t iree_cy_vm_native_module_get_import(
    iree_cy_vm_native_module_t* module, iree_host_size_t ordinal,
    iree_vm_function_t* out_function, iree_string_view_t* out_name,
    iree_vm_function_signature_t* out_signature) {
  const iree_vm_native_import_descriptor_t* import =
      &module->descriptor->imports[ordinal];
  if (out_function) {
    *out_function = iree_cy_vm_native_function(
        module,
        (import->flags & IREE_VM_NATIVE_IMPORT_OPTIONAL)
            ? IREE_VM_FUNCTION_LINKAGE_IMPORT_OPTIONAL
            : IREE_VM_FUNCTION_LINKAGE_IMPORT,
        ordinal);
  }
  if (out_name) *out_name = import->full_name;
  if (out_signature) {
    out_signature->calling_convention = import->calling_convention;
  }
  return iree_ok_status();
}

static iree_status_t iree_cy_vm_native_module_get_function(
    void* self, iree_vm_function_linkage_t linkage, iree_host_size_t ordinal,
    iree_vm_function_t* out_function, iree_string_view_t* out_name,
    iree_vm_function_signature_t* out_signature) {
  iree_cy_vm_native_module_t* module = (iree_cy_vm_native_module_t*)self;
  if (module->user.get_function) {
    return module->user.get_function(module->user.self, linkage, ordinal,
                                     out_function, out_name, out_signature);
  }
  if (out_function) memset(out_function, 0, sizeof(*out_function));
  if (out_name) *out_name = iree_string_view_empty();
  if (out_signature) memset(out_signature, 0, sizeof(*out_signature));
  const bool is_import = linkage == IREE_VM_FUNCTION_LINKAGE_IMPORT ||
                         linkage == IREE_VM_FUNCTION_LINKAGE_IMPORT_OPTIONAL;
  const bool is_export = linkage == IREE_VM_FUNCTION_LINKAGE_EXPORT ||
                         linkage == IREE_VM_FUNCTION_LINKAGE_EXPORT_OPTIONAL;
  if (is_import && ordinal < module->descriptor->import_count) {
    return iree_cy_vm_native_module_get_import(module, ordinal, out_function,
                                               out_name, out_signature);
  }
  if (!is_export || ordinal >= module->descriptor->export_count) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "module '%.*s' has no function %zu of linkage %d",
                            IREE_SV_ARG(module->descriptor->name), ordinal,
                            (int)linkage);
  }
  const iree_vm_native_export_descriptor_t* export_descriptor =
      &module->descriptor->exports[ordinal];
  if (out_function) {
    *out_function = iree_cy_vm_native_function(
        module, IREE_VM_FUNCTION_LINKAGE_EXPORT, ordinal);
  }
  if (out_name) *out_name = export_descriptor->local_name;
  if (out_signature) {
    out_signature->calling_convention = export_descriptor->calling_convention;
  }
  return iree_ok_status();
}

static iree_status_t iree_cy_vm_native_module_get_function_attr(
    void* self, iree_vm_function_linkage_t linkage, iree_host_size_t ordinal,
    iree_host_size_t index, iree_string_pair_t* out_attr) {
  iree_cy_vm_native_module_t* module = (iree_cy_vm_native_module_t*)self;
  if (module->user.get_function_attr) {
    return module->user.get_function_attr(module->user.self, linkage, ordinal,
                                          index, out_attr);
  }
  if (linkage != IREE_VM_FUNCTION_LINKAGE_EXPORT ||
      ordinal >= module->descriptor->export_count) {
    return iree_cy_vm_native_get_attr(0, NULL, index, out_attr);
  }
  const iree_vm_native_export_descriptor_t* export_descriptor =
      &module->descriptor->exports[ordinal];
  return iree_cy_vm_native_get_attr(export_descriptor->attr_count,
                                    export_descriptor->attrs, index, out_attr);
}

static iree_status_t iree_cy_vm_native_module_resolve_source_location(
    void* self, iree_vm_function_t function, iree_vm_source_offset_t pc,
    iree_string_builder_t* builder) {
  iree_cy_vm_native_module_t* module = (iree_cy_vm_native_module_t*)self;
  if (!module->user.resolve_source_location) {
    return iree_status_from_code(IREE_STATUS_NOT_FOUND);
  }
  return module->user.resolve_source_location(module->user.self, function, pc,
                                              builder);
}

static iree_status_t iree_cy_vm_native_module_alloc_state(
    void* self, iree_allocator_t allocator,
    iree_vm_module_state_t** out_module_state) {
  iree_cy_vm_native_module_t* module = (iree_cy_vm_native_module_t*)self;
  *out_module_state = NULL;
  if (!module->user.alloc_state) return iree_ok_status();
  return module->user.alloc_state(module->user.self, allocator,
                                  out_module_state);
}

static void iree_cy_vm_native_module_free_state(
    void* self, iree_vm_module_state_t* module_state) {
  iree_cy_vm_native_module_t* module = (iree_cy_vm_native_module_t*)self;
  if (module->user.free_state) {
    module->user.free_state(module->user.self, module_state);
  }
}

static iree_status_t iree_cy_vm_native_module_resolve_import(
    void* self, iree_vm_module_state_t* module_state, iree_host_size_t ordinal,
    const iree_vm_function_t* function,
    const iree_vm_function_signature_t* signature,
    iree_vm_module_state_t* target_state) {
  iree_cy_vm_native_module_t* module = (iree_cy_vm_native_module_t*)self;
  if (module->user.resolve_import) {
    return module->user.resolve_import(module->user.self, module_state, ordinal,
                                       function, signature, target_state);
  }
  return iree_make_status(
      IREE_STATUS_UNIMPLEMENTED,
      "module '%.*s' lists imports and has no resolve_import to take them",
      IREE_SV_ARG(module->descriptor->name));
}

static iree_status_t iree_cy_vm_native_module_notify(
    void* self, iree_vm_module_state_t* module_state, iree_vm_signal_t signal) {
  iree_cy_vm_native_module_t* module = (iree_cy_vm_native_module_t*)self;
  if (!module->user.notify) return iree_ok_status();
  return module->user.notify(module->user.self, module_state, signal);
}

// Checks arguments with C...D, as iree_cy_vm_cconv_check_storage does, without
// reading the convention.
static inline bool iree_cy_vm_native_spans_fit(
    const iree_cy_vm_native_export_t* function, iree_byte_span_t storage) {
  iree_host_size_t left = storage.data_length;
  const uint8_t* data = storage.data;
  for (uint32_t i = 0; i < function->span_count; ++i) {
    const iree_host_size_t before = function->spans[i].before;
    int32_t count = 0;
    if (left < before + sizeof(count)) return false;
    memcpy(&count, data + before, sizeof(count));
    data += before + sizeof(count);
    left -= before + sizeof(count);
    // 31 bits times the letters of a string do not overflow.
    const uint64_t length =
        (uint64_t)(uint32_t)count * (uint64_t)function->spans[i].group;
    if (count < 0 || length > left) return false;
    data += length;
    left -= length;
  }
  return left == function->argument_size;
}

static inline iree_status_t iree_cy_vm_native_check_storage(
    bool is_fixed, uint32_t size, iree_string_view_t fragment,
    iree_byte_span_t storage) {
  if (IREE_LIKELY(is_fixed && storage.data_length == size)) {
    return iree_ok_status();
  }
  return iree_cy_vm_cconv_check_storage(fragment,
                                        iree_const_cast_byte_span(storage));
}

static iree_status_t iree_cy_vm_native_module_begin_call(
    void* self, iree_vm_stack_t* stack, iree_vm_function_call_t call) {
  iree_cy_vm_native_module_t* module = (iree_cy_vm_native_module_t*)self;
  if (module->user.begin_call) {
    return module->user.begin_call(module->user.self, stack, call);
  }
  if (IREE_UNLIKELY(call.function.linkage != IREE_VM_FUNCTION_LINKAGE_EXPORT ||
                    call.function.ordinal >=
                        module->descriptor->export_count)) {
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT, "module '%.*s' has no export %u to call",
        IREE_SV_ARG(module->descriptor->name), call.function.ordinal);
  }
  const iree_cy_vm_native_export_t* function =
      &module->exports[call.function.ordinal];
  iree_status_t status = iree_ok_status();
  if (!function->span_count ||
      !iree_cy_vm_native_spans_fit(function, call.arguments)) {
    status = iree_cy_vm_native_check_storage(
        function->is_argument_size_fixed, function->argument_size,
        function->arguments, call.arguments);
  }
  // Results of any number have counts that only the callee knows.
  if (iree_status_is_ok(status) && function->is_result_size_fixed) {
    status = iree_cy_vm_native_check_storage(true, function->result_size,
                                             function->results, call.results);
  }
  if (iree_status_is_ok(status)) {
    status = function->target(stack, module->user.self, call.module_state,
                              call.arguments, call.results);
  }
  return iree_status_is_ok(status)
             ? status
             : iree_cy_vm_function_annotate(status, call.function);
}

static iree_status_t iree_cy_vm_native_module_explain_failure(
    void* self, iree_vm_module_state_t* module_state, iree_status_t status) {
  iree_cy_vm_native_module_t* module = (iree_cy_vm_native_module_t*)self;
  if (!module->user.explain_failure) return status;
  return module->user.explain_failure(module->user.self, module_state, status);
}

// Plans the check of arguments with C...D, if these are few.
static void iree_cy_vm_native_plan_spans(iree_cy_vm_native_export_t* target) {
  uint32_t count = 0;
  uint32_t size = 0;
  for (iree_host_size_t i = 0; i < target->arguments.size; ++i) {
    switch (target->arguments.data[i]) {
      case IREE_VM_CCONV_TYPE_SPAN_START:
        if (count == IREE_CY_VM_NATIVE_MAX_SPANS) return;
        target->spans[count].before = size;
        size = 0;
        break;
      case IREE_VM_CCONV_TYPE_SPAN_END:
        target->spans[count++].group = size;
        size = 0;
        break;
      case IREE_VM_CCONV_TYPE_REF:
        size += sizeof(iree_vm_ref_t);
        break;
      case IREE_VM_CCONV_TYPE_I64:
      case IREE_VM_CCONV_TYPE_F64:
        size += sizeof(int64_t);
        break;
      default:
        size += sizeof(int32_t);
        break;
    }
  }
  target->argument_size = size;
  target->span_count = count;
}

// Reads the convention of the export at |ordinal|.
static iree_status_t iree_cy_vm_native_module_read_export(
    iree_cy_vm_native_module_t* module, iree_host_size_t ordinal) {
  const iree_vm_native_export_descriptor_t* source =
      &module->descriptor->exports[ordinal];
  iree_cy_vm_native_export_t* target = &module->exports[ordinal];
  if (!source->target) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "export '%.*s' has no function",
                            IREE_SV_ARG(source->local_name));
  }
  target->target = source->target;
  iree_vm_function_signature_t signature = {source->calling_convention};
  IREE_RETURN_IF_ERROR(iree_vm_function_call_get_cconv_fragments(
      &signature, &target->arguments, &target->results));
  iree_host_size_t size = 0;
  target->is_argument_size_fixed =
      !iree_vm_function_call_is_variadic_cconv(target->arguments);
  if (target->is_argument_size_fixed) {
    IREE_RETURN_IF_ERROR(iree_vm_function_call_compute_cconv_fragment_size(
        target->arguments, 0, NULL, &size));
    target->argument_size = (uint32_t)size;
  } else {
    iree_cy_vm_native_plan_spans(target);
  }
  target->is_result_size_fixed =
      !iree_vm_function_call_is_variadic_cconv(target->results);
  if (target->is_result_size_fixed) {
    IREE_RETURN_IF_ERROR(iree_vm_function_call_compute_cconv_fragment_size(
        target->results, 0, NULL, &size));
    target->result_size = (uint32_t)size;
  }
  return iree_ok_status();
}

static iree_status_t iree_cy_vm_native_module_read_exports(
    iree_cy_vm_native_module_t* module) {
  const iree_vm_native_export_descriptor_t* exports =
      module->descriptor->exports;
  const iree_host_size_t count = module->descriptor->export_count;
  module->is_sorted = true;
  for (iree_host_size_t i = 0; i < count; ++i) {
    IREE_RETURN_IF_ERROR(iree_cy_vm_native_module_read_export(module, i));
    if (i > 0 && iree_string_view_compare(exports[i - 1].local_name,
                                          exports[i].local_name) >= 0) {
      module->is_sorted = false;
    }
  }
  if (module->is_sorted) return iree_ok_status();
  for (iree_host_size_t i = 0; i < count; ++i) {
    if (iree_cy_vm_native_find_export(module, exports[i].local_name) != i) {
      return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                              "export '%.*s' is there twice",
                              IREE_SV_ARG(exports[i].local_name));
    }
  }
  return iree_ok_status();
}

static void iree_cy_vm_native_module_fill_interface(
    iree_cy_vm_native_module_t* module) {
  iree_vm_module_t* base = &module->base;
  base->destroy = iree_cy_vm_native_module_destroy;
  base->name = iree_cy_vm_native_module_name;
  base->signature = iree_cy_vm_native_module_signature;
  base->enumerate_dependencies =
      iree_cy_vm_native_module_enumerate_dependencies;
  base->get_module_attr = iree_cy_vm_native_module_get_module_attr;
  base->lookup_function = iree_cy_vm_native_module_lookup_function;
  base->get_function = iree_cy_vm_native_module_get_function;
  base->get_function_attr = iree_cy_vm_native_module_get_function_attr;
  base->resolve_source_location =
      iree_cy_vm_native_module_resolve_source_location;
  base->alloc_state = iree_cy_vm_native_module_alloc_state;
  base->free_state = iree_cy_vm_native_module_free_state;
  base->resolve_import = iree_cy_vm_native_module_resolve_import;
  base->notify = iree_cy_vm_native_module_notify;
  base->begin_call = iree_cy_vm_native_module_begin_call;
  base->explain_failure = iree_cy_vm_native_module_explain_failure;
}

iree_status_t iree_vm_native_module_create(
    const iree_vm_module_t* module_interface,
    const iree_vm_native_module_descriptor_t* module_descriptor,
    iree_vm_instance_t* instance, iree_allocator_t allocator,
    iree_vm_module_t** out_module) {
  *out_module = NULL;
  iree_host_size_t exports_size = 0;
  iree_host_size_t total_size = 0;
  if (!iree_host_size_checked_mul(module_descriptor->export_count,
                                  sizeof(iree_cy_vm_native_export_t),
                                  &exports_size) ||
      !iree_host_size_checked_add(sizeof(iree_cy_vm_native_module_t),
                                  exports_size, &total_size) ||
      module_descriptor->export_count > UINT32_MAX) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "a module of %zu exports is too large",
                            module_descriptor->export_count);
  }
  iree_cy_vm_native_module_t* module = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc(allocator, total_size, (void**)&module));
  module->descriptor = module_descriptor;
  module->allocator = allocator;
  iree_status_t status = iree_cy_vm_native_module_read_exports(module);
  if (iree_status_is_ok(status)) {
    status = iree_vm_module_initialize(&module->base, module);
  }
  if (!iree_status_is_ok(status)) {
    iree_allocator_free(allocator, module);
    return iree_status_annotate_f(status, "making module '%.*s'",
                                  IREE_SV_ARG(module_descriptor->name));
  }
  iree_cy_vm_native_module_fill_interface(module);
  module->user = *module_interface;
  module->instance = instance;
  iree_vm_instance_retain(instance);
  *out_module = &module->base;
  return iree_ok_status();
}
