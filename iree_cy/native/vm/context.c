// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns contexts: linking modules, starting and ending them.

#include "iree_cy/vm/context.h"

#include "iree_cy/native/base/gate.h"
#include "iree_cy/native/base/live_count.h"
#include "iree_cy/native/vm/context_impl.h"
#include "iree_cy/vm/invocation.h"

//===----------------------------------------------------------------------===//
// Linking
//===----------------------------------------------------------------------===//

// A module that is being added, and the context it is added to.
typedef struct iree_cy_vm_link_t {
  iree_vm_context_t* context;
  iree_vm_module_t* module;
} iree_cy_vm_link_t;

static iree_status_t iree_cy_vm_context_check_dependency(
    void* user_data, const iree_vm_module_dependency_t* dependency) {
  const iree_cy_vm_link_t* link = (const iree_cy_vm_link_t*)user_data;
  const bool is_optional =
      (dependency->flags & IREE_VM_MODULE_DEPENDENCY_FLAG_OPTIONAL) != 0;
  if (is_optional) return iree_ok_status();
  iree_string_view_t name = iree_vm_module_name(link->module);
  // The latest of the name is the one that imports are looked up in first.
  for (iree_host_size_t i = link->context->count; i > 0; --i) {
    iree_vm_module_t* module = link->context->entries[i - 1].module;
    if (module == link->module ||
        !iree_string_view_equal(iree_vm_module_name(module),
                                dependency->name)) {
      continue;
    }
    uint32_t version = iree_vm_module_signature(module).version;
    if (version >= dependency->minimum_version) return iree_ok_status();
    return iree_make_status(
        IREE_STATUS_NOT_FOUND,
        "module '%.*s' needs module '%.*s' of version %u or later, the context "
        "has version %u",
        IREE_SV_ARG(name), IREE_SV_ARG(dependency->name),
        dependency->minimum_version, version);
  }
  return iree_make_status(
      IREE_STATUS_NOT_FOUND,
      "module '%.*s' needs module '%.*s', which is not in the context before "
      "it",
      IREE_SV_ARG(name), IREE_SV_ARG(dependency->name));
}

// Finds the export |full_name| among the first |count| modules, the latest
// first. A |module_seen| says that one of that name is there.
static bool iree_cy_vm_context_find_export(
    const iree_vm_context_t* context, iree_host_size_t count,
    iree_string_view_t module_name, iree_string_view_t function_name,
    const iree_vm_function_signature_t* expected_signature, bool* out_seen,
    iree_vm_function_t* out_function) {
  *out_seen = false;
  memset(out_function, 0, sizeof(*out_function));
  for (iree_host_size_t i = count; i > 0; --i) {
    iree_vm_module_t* module = context->entries[i - 1].module;
    if (!iree_string_view_equal(iree_vm_module_name(module), module_name)) {
      continue;
    }
    *out_seen = true;
    iree_status_t status = module->lookup_function(
        module->self, IREE_VM_FUNCTION_LINKAGE_EXPORT_OPTIONAL, function_name,
        expected_signature, out_function);
    if (iree_status_is_ok(status)) return true;
    iree_status_ignore(status);
  }
  memset(out_function, 0, sizeof(*out_function));
  return false;
}

static iree_status_t iree_cy_vm_context_resolve_import(
    iree_vm_context_t* context, iree_host_size_t index,
    iree_host_size_t ordinal) {
  iree_vm_module_t* module = context->entries[index].module;
  iree_vm_function_t import;
  iree_string_view_t full_name;
  iree_vm_function_signature_t expected;
  IREE_RETURN_IF_ERROR(
      module->get_function(module->self, IREE_VM_FUNCTION_LINKAGE_IMPORT,
                           ordinal, &import, &full_name, &expected));
  iree_string_view_t module_name, function_name;
  iree_string_view_split(full_name, '.', &module_name, &function_name);
  iree_vm_function_t function;
  bool seen = false;
  if (!iree_cy_vm_context_find_export(context, index, module_name,
                                      function_name, &expected, &seen,
                                      &function)) {
    if (import.linkage == IREE_VM_FUNCTION_LINKAGE_IMPORT_OPTIONAL) {
      return iree_ok_status();
    }
    iree_string_view_t name = iree_vm_module_name(module);
    return iree_make_status(
        IREE_STATUS_NOT_FOUND,
        seen ? "module '%.*s' imports %.*s, which that module does not have"
             : "module '%.*s' imports %.*s, but that module is not in the "
               "context before it",
        IREE_SV_ARG(name), IREE_SV_ARG(full_name));
  }
  iree_vm_function_signature_t actual = iree_vm_function_signature(&function);
  if (!iree_string_view_is_empty(expected.calling_convention) &&
      !iree_cy_vm_cconv_equal(expected.calling_convention,
                              actual.calling_convention)) {
    iree_string_view_t name = iree_vm_module_name(module);
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "module '%.*s' imports %.*s as '%.*s', but it is '%.*s'",
        IREE_SV_ARG(name), IREE_SV_ARG(full_name),
        IREE_SV_ARG(expected.calling_convention),
        IREE_SV_ARG(actual.calling_convention));
  }
  iree_vm_module_state_t* target_state = NULL;
  iree_cy_vm_context_find_state(context, function.module, &target_state);
  if (!module->resolve_import) {
    return iree_make_status(IREE_STATUS_UNIMPLEMENTED,
                            "a module that imports %.*s has no resolve_import",
                            IREE_SV_ARG(full_name));
  }
  return module->resolve_import(module->self, context->entries[index].state,
                                ordinal, &function, &actual, target_state);
}

static iree_status_t iree_cy_vm_context_link(iree_vm_context_t* context,
                                             iree_host_size_t index) {
  iree_vm_module_t* module = context->entries[index].module;
  iree_cy_vm_link_t link = {context, module};
  IREE_RETURN_IF_ERROR(iree_vm_module_enumerate_dependencies(
      module, iree_cy_vm_context_check_dependency, &link));
  iree_host_size_t count =
      iree_vm_module_signature(module).import_function_count;
  for (iree_host_size_t i = 0; i < count; ++i) {
    IREE_RETURN_IF_ERROR(iree_cy_vm_context_resolve_import(context, index, i));
  }
  return iree_ok_status();
}

//===----------------------------------------------------------------------===//
// Starting and ending modules
//===----------------------------------------------------------------------===//

// Calls |name|, a function of no arguments and results, if there is one.
static iree_status_t iree_cy_vm_context_run(
    iree_vm_context_t* context, iree_vm_module_t* module,
    iree_string_view_t name, const iree_cy_vm_call_options_t* options) {
  iree_vm_function_t function;
  iree_status_t status = iree_vm_module_lookup_function_by_name(
      module, IREE_VM_FUNCTION_LINKAGE_EXPORT_OPTIONAL, name, &function);
  if (iree_status_code(status) == IREE_STATUS_NOT_FOUND) {
    return iree_status_ignore(status);
  }
  IREE_RETURN_IF_ERROR(status);
  return iree_cy_vm_context_call(context, function, options,
                                 iree_byte_span_empty(),
                                 iree_byte_span_empty());
}

// Ends the modules from |start| on, the last first. Only the first
// |initialized_count| have had their __init.
static void iree_cy_vm_context_remove_modules(
    iree_vm_context_t* context, iree_host_size_t start,
    iree_host_size_t initialized_count) {
  for (iree_host_size_t i = iree_min(initialized_count, context->count);
       i > start; --i) {
    // Nobody is left to hear of a failure.
    IREE_IGNORE_ERROR(
        iree_cy_vm_context_run(context, context->entries[i - 1].module,
                               IREE_SV("__deinit"), /*options=*/NULL));
  }
  // States go before modules: imports point from one module into another.
  for (iree_host_size_t i = context->count; i > start; --i) {
    iree_vm_module_t* module = context->entries[i - 1].module;
    if (module->free_state && context->entries[i - 1].state) {
      module->free_state(module->self, context->entries[i - 1].state);
    }
    context->entries[i - 1].state = NULL;
  }
  for (iree_host_size_t i = context->count; i > start; --i) {
    iree_vm_module_release(context->entries[i - 1].module);
  }
  context->count = start;
}

static iree_status_t iree_cy_vm_context_reserve(iree_vm_context_t* context,
                                                iree_host_size_t count) {
  iree_host_size_t capacity = 0;
  iree_host_size_t byte_length = 0;
  if (!iree_host_size_checked_add(context->count, count, &capacity) ||
      !iree_host_size_checked_mul(capacity, sizeof(*context->entries),
                                  &byte_length)) {
    return iree_make_status(IREE_STATUS_RESOURCE_EXHAUSTED,
                            "%zu modules do not fit into memory", count);
  }
  if (capacity <= context->capacity) return iree_ok_status();
  IREE_RETURN_IF_ERROR(iree_allocator_realloc(context->allocator, byte_length,
                                              (void**)&context->entries));
  context->capacity = capacity;
  return iree_ok_status();
}

// Adds |module| with a state and its imports.
static iree_status_t iree_cy_vm_context_add_module(iree_vm_context_t* context,
                                                   iree_vm_module_t* module) {
  iree_vm_module_state_t* state = NULL;
  if (iree_cy_vm_context_find_state(context, module, &state)) {
    iree_string_view_t name = iree_vm_module_name(module);
    return iree_make_status(IREE_STATUS_ALREADY_EXISTS,
                            "module '%.*s' is in the context already",
                            IREE_SV_ARG(name));
  }
  if (module->alloc_state) {
    IREE_RETURN_IF_ERROR(
        module->alloc_state(module->self, context->allocator, &state));
  }
  iree_vm_module_retain(module);
  const iree_host_size_t index = context->count++;
  context->entries[index].module = module;
  context->entries[index].state = state;
  return iree_cy_vm_context_link(context, index);
}

// Lets the modules before the one at |index| say why its __init failed.
static iree_status_t iree_cy_vm_context_explain(iree_vm_context_t* context,
                                                iree_host_size_t index,
                                                iree_status_t status) {
  for (iree_host_size_t i = index; i > 0; --i) {
    iree_vm_module_t* module = context->entries[i - 1].module;
    if (!module->explain_failure) continue;
    status = module->explain_failure(module->self,
                                     context->entries[i - 1].state, status);
  }
  return status;
}

static void iree_cy_vm_context_update_flags(iree_vm_context_t* context) {
  bool is_stateless = true;
  for (iree_host_size_t i = 0; i < context->count; ++i) {
    iree_vm_module_t* module = context->entries[i].module;
    if (!(iree_vm_module_signature(module).flags &
          IREE_CY_VM_MODULE_FLAG_STATELESS) &&
        !(module->is_shareable &&
          module->is_shareable(module->self, context->entries[i].state))) {
      is_stateless = false;
    }
  }
  context->flags &= ~(iree_vm_context_flags_t)IREE_CY_VM_CONTEXT_FLAG_STATELESS;
  if (is_stateless) context->flags |= IREE_CY_VM_CONTEXT_FLAG_STATELESS;
}

iree_status_t iree_cy_vm_context_register_modules(
    iree_vm_context_t* context, const iree_cy_vm_call_options_t* options,
    iree_host_size_t module_count, iree_vm_module_t** modules) {
  if (context->is_frozen) {
    return iree_make_status(IREE_STATUS_FAILED_PRECONDITION,
                            "the context is frozen, no module can be added");
  }
  IREE_RETURN_IF_ERROR(iree_cy_vm_context_reserve(context, module_count));
  const iree_host_size_t start = context->count;
  iree_host_size_t initialized_count = start;
  iree_status_t status = iree_ok_status();
  for (iree_host_size_t i = 0; i < module_count && iree_status_is_ok(status);
       ++i) {
    status = iree_cy_vm_context_add_module(context, modules[i]);
    if (iree_status_is_ok(status)) {
      status = iree_cy_vm_context_run(context, modules[i], IREE_SV("__init"),
                                      options);
      if (!iree_status_is_ok(status)) {
        status =
            iree_cy_vm_context_explain(context, context->count - 1, status);
      }
    }
    if (iree_status_is_ok(status)) ++initialized_count;
  }
  if (!iree_status_is_ok(status)) {
    iree_cy_vm_context_remove_modules(context, start, initialized_count);
  }
  iree_cy_vm_context_update_flags(context);
  return status;
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

static iree_vm_context_id_t iree_cy_vm_next_context_id(void) {
  static iree_vm_context_id_t next_id = 0;
  return __atomic_add_fetch(&next_id, 1, __ATOMIC_RELAXED);
}

static void iree_cy_vm_context_destroy(iree_vm_context_t* context) {
  iree_cy_vm_context_remove_modules(context, 0, context->count);
  iree_cy_vm_stack_free(context->idle_stack);
  iree_allocator_free(context->allocator, context->entries);
  iree_cy_vm_budget_release(context->budget);
  iree_vm_instance_release(context->instance);
  iree_allocator_free(context->allocator, context);
  iree_cy_live_object_add(IREE_CY_OBJECT_KIND_VM_CONTEXT, -1);
}

// Copies what of |limits| both sides know.
static iree_status_t iree_cy_vm_read_limits(const iree_cy_vm_limits_t* limits,
                                            iree_cy_vm_limits_t* out_limits) {
  *out_limits = iree_cy_vm_limits_none();
  if (!limits) return iree_ok_status();
  if (limits->size < sizeof(limits->size)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "limits of size %u are no limits", limits->size);
  }
  memcpy(out_limits, limits, iree_min(limits->size, sizeof(*out_limits)));
  out_limits->size = sizeof(*out_limits);
  return iree_ok_status();
}

iree_status_t iree_cy_vm_context_create(
    iree_vm_instance_t* instance, iree_vm_context_flags_t flags,
    const iree_cy_vm_limits_t* limits, const iree_cy_vm_call_options_t* options,
    iree_host_size_t module_count, iree_vm_module_t** modules,
    iree_allocator_t allocator, iree_vm_context_t** out_context) {
  *out_context = NULL;
  IREE_RETURN_IF_ERROR(iree_cy_gate_pass());
  iree_cy_vm_limits_t own_limits;
  IREE_RETURN_IF_ERROR(iree_cy_vm_read_limits(limits, &own_limits));
  iree_vm_context_t* context = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc(allocator, sizeof(*context), (void**)&context));
  context->ref_count = 1;
  context->flags = flags & ~(uint32_t)IREE_CY_VM_CONTEXT_FLAG_STATELESS;
  context->id = iree_cy_vm_next_context_id();
  context->instance = instance;
  iree_vm_instance_retain(instance);
  context->allocator = allocator;
  context->program_allocator = allocator;
  context->limits = own_limits;
  iree_cy_live_object_add(IREE_CY_OBJECT_KIND_VM_CONTEXT, 1);

  iree_status_t status = iree_ok_status();
  if (own_limits.max_bytes) {
    status = iree_cy_vm_budget_create(own_limits.max_bytes, allocator,
                                      &context->budget);
  }
  if (iree_status_is_ok(status)) {
    if (context->budget) {
      context->program_allocator = iree_cy_vm_budget_allocator(context->budget);
    }
    status = iree_cy_vm_context_register_modules(context, options, module_count,
                                                 modules);
  }
  if (!iree_status_is_ok(status)) {
    iree_cy_vm_context_destroy(context);
    return status;
  }
  context->is_frozen = module_count > 0;
  *out_context = context;
  return iree_ok_status();
}

iree_status_t iree_vm_context_create(iree_vm_instance_t* instance,
                                     iree_vm_context_flags_t flags,
                                     iree_allocator_t allocator,
                                     iree_vm_context_t** out_context) {
  return iree_cy_vm_context_create(instance, flags, /*limits=*/NULL,
                                   /*options=*/NULL, /*module_count=*/0,
                                   /*modules=*/NULL, allocator, out_context);
}

iree_status_t iree_vm_context_create_with_modules(
    iree_vm_instance_t* instance, iree_vm_context_flags_t flags,
    iree_host_size_t module_count, iree_vm_module_t** modules,
    iree_allocator_t allocator, iree_vm_context_t** out_context) {
  return iree_cy_vm_context_create(instance, flags, /*limits=*/NULL,
                                   /*options=*/NULL, module_count, modules,
                                   allocator, out_context);
}

void iree_vm_context_retain(iree_vm_context_t* context) {
  if (context) iree_atomic_ref_count_inc(&context->ref_count);
}

void iree_vm_context_release(iree_vm_context_t* context) {
  if (context && iree_atomic_ref_count_dec(&context->ref_count) == 1 &&
      IREE_LIKELY(!iree_cy_gate_is_closed())) {
    iree_cy_vm_context_destroy(context);
  }
}

iree_vm_instance_t* iree_vm_context_instance(const iree_vm_context_t* context) {
  return context->instance;
}

iree_vm_context_id_t iree_vm_context_id(const iree_vm_context_t* context) {
  return context->id;
}

iree_vm_context_flags_t iree_vm_context_flags(
    const iree_vm_context_t* context) {
  return context->flags;
}

iree_host_size_t iree_vm_context_module_count(
    const iree_vm_context_t* context) {
  return context->count;
}

iree_vm_module_t* iree_vm_context_module_at(const iree_vm_context_t* context,
                                            iree_host_size_t i) {
  return i < context->count ? context->entries[i].module : NULL;
}

iree_status_t iree_vm_context_register_modules(iree_vm_context_t* context,
                                               iree_host_size_t module_count,
                                               iree_vm_module_t** modules) {
  return iree_cy_vm_context_register_modules(context, /*options=*/NULL,
                                             module_count, modules);
}

iree_status_t iree_vm_context_freeze(iree_vm_context_t* context) {
  context->is_frozen = true;
  return iree_ok_status();
}

iree_status_t iree_vm_context_resolve_module_state(
    const iree_vm_context_t* context, const iree_vm_module_t* module,
    iree_vm_module_state_t** out_module_state) {
  if (iree_cy_vm_context_find_state(context, module, out_module_state)) {
    return iree_ok_status();
  }
  iree_string_view_t name = iree_vm_module_name(module);
  return iree_make_status(IREE_STATUS_NOT_FOUND,
                          "module '%.*s' is not in the context",
                          IREE_SV_ARG(name));
}

iree_status_t iree_vm_context_resolve_function(
    const iree_vm_context_t* context, iree_string_view_t full_name,
    iree_vm_function_t* out_function) {
  memset(out_function, 0, sizeof(*out_function));
  iree_string_view_t module_name, function_name;
  if (iree_string_view_split(full_name, '.', &module_name, &function_name) ==
      -1) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "'%.*s' is not of the form module.function",
                            IREE_SV_ARG(full_name));
  }
  bool seen = false;
  if (iree_cy_vm_context_find_export(context, context->count, module_name,
                                     function_name, /*expected_signature=*/NULL,
                                     &seen, out_function)) {
    return iree_ok_status();
  }
  if (seen) {
    return iree_make_status(
        IREE_STATUS_NOT_FOUND, "module '%.*s' has no function '%.*s'",
        IREE_SV_ARG(module_name), IREE_SV_ARG(function_name));
  }
  return iree_make_status(IREE_STATUS_NOT_FOUND,
                          "there is no module '%.*s' in the context, so no "
                          "function '%.*s'",
                          IREE_SV_ARG(module_name), IREE_SV_ARG(full_name));
}

iree_status_t iree_vm_context_notify(iree_vm_context_t* context,
                                     iree_vm_signal_t signal) {
  const bool is_forward = signal == IREE_VM_SIGNAL_RESUME;
  for (iree_host_size_t i = 0; i < context->count; ++i) {
    const iree_cy_vm_context_entry_t* entry =
        &context->entries[is_forward ? i : context->count - 1 - i];
    if (!entry->module->notify) continue;
    IREE_RETURN_IF_ERROR(
        entry->module->notify(entry->module->self, entry->state, signal));
  }
  return iree_ok_status();
}

iree_allocator_t iree_cy_vm_context_program_allocator(
    const iree_vm_context_t* context) {
  return context->program_allocator;
}

uint64_t iree_cy_vm_context_bytes_used(const iree_vm_context_t* context) {
  return context->budget ? iree_cy_vm_budget_used(context->budget) : 0;
}

iree_status_t iree_cy_vm_context_charge(iree_vm_context_t* context,
                                        uint64_t byte_length,
                                        iree_cy_vm_budget_t** out_budget) {
  *out_budget = NULL;
  if (!context->budget) return iree_ok_status();
  IREE_RETURN_IF_ERROR(iree_cy_vm_budget_charge(context->budget, byte_length));
  *out_budget = context->budget;
  return iree_ok_status();
}
