// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what is the same for every module: its count, look-ups, annotations.

#include "iree_cy/vm/module.h"

#include "iree_cy/native/base/gate.h"
#include "iree_cy/native/base/live_count.h"

iree_status_t iree_vm_module_initialize(iree_vm_module_t* module, void* self) {
  memset(module, 0, sizeof(*module));
  module->self = self;
  module->ref_count = 1;
  iree_cy_live_object_add(IREE_CY_OBJECT_KIND_VM_MODULE, 1);
  return iree_ok_status();
}

void iree_vm_module_retain(iree_vm_module_t* module) {
  if (module) iree_atomic_ref_count_inc(&module->ref_count);
}

void iree_vm_module_release(iree_vm_module_t* module) {
  if (!module || iree_atomic_ref_count_dec(&module->ref_count) != 1) return;
  if (IREE_UNLIKELY(iree_cy_gate_is_closed())) return;
  iree_cy_live_object_add(IREE_CY_OBJECT_KIND_VM_MODULE, -1);
  module->destroy(module->self);
}

iree_string_view_t iree_vm_module_name(const iree_vm_module_t* module) {
  return module->name(module->self);
}

iree_vm_module_signature_t iree_vm_module_signature(
    const iree_vm_module_t* module) {
  return module->signature(module->self);
}

iree_string_view_t iree_vm_module_lookup_attr_by_name(
    const iree_vm_module_t* module, iree_string_view_t key) {
  iree_host_size_t count = iree_vm_module_signature(module).attr_count;
  for (iree_host_size_t i = 0; i < count; ++i) {
    iree_string_pair_t attr;
    iree_status_t status = iree_vm_module_get_attr(module, i, &attr);
    if (!iree_status_is_ok(status)) {
      iree_status_ignore(status);
      break;
    }
    if (iree_string_view_equal(attr.key, key)) return attr.value;
  }
  return iree_string_view_empty();
}

static iree_status_t iree_cy_vm_attr_range_error(iree_host_size_t index) {
  return iree_make_status(IREE_STATUS_OUT_OF_RANGE, "there is no attribute %zu",
                          index);
}

iree_status_t iree_vm_module_get_attr(const iree_vm_module_t* module,
                                      iree_host_size_t index,
                                      iree_string_pair_t* out_attr) {
  memset(out_attr, 0, sizeof(*out_attr));
  if (!module->get_module_attr) return iree_cy_vm_attr_range_error(index);
  return module->get_module_attr(module->self, index, out_attr);
}

iree_status_t iree_vm_module_enumerate_dependencies(
    iree_vm_module_t* module, iree_vm_module_dependency_callback_t callback,
    void* user_data) {
  if (!module->enumerate_dependencies) return iree_ok_status();
  return module->enumerate_dependencies(module->self, callback, user_data);
}

iree_status_t iree_vm_module_lookup_function_by_name(
    const iree_vm_module_t* module, iree_vm_function_linkage_t linkage,
    iree_string_view_t name, iree_vm_function_t* out_function) {
  memset(out_function, 0, sizeof(*out_function));
  return module->lookup_function(module->self, linkage, name,
                                 /*expected_signature=*/NULL, out_function);
}

iree_status_t iree_vm_module_lookup_function_by_ordinal(
    const iree_vm_module_t* module, iree_vm_function_linkage_t linkage,
    iree_host_size_t ordinal, iree_vm_function_t* out_function) {
  memset(out_function, 0, sizeof(*out_function));
  return module->get_function(module->self, linkage, ordinal, out_function,
                              /*out_name=*/NULL, /*out_signature=*/NULL);
}

iree_status_t iree_vm_module_resolve_source_location(
    const iree_vm_module_t* module, iree_vm_function_t function,
    iree_vm_source_offset_t pc, iree_string_builder_t* builder) {
  if (!module->resolve_source_location) {
    return iree_status_from_code(IREE_STATUS_NOT_FOUND);
  }
  return module->resolve_source_location(module->self, function, pc, builder);
}

// Fills either of the outputs, with nothing when they cannot be had.
static void iree_cy_vm_function_describe(
    const iree_vm_function_t* function, iree_string_view_t* out_name,
    iree_vm_function_signature_t* out_signature) {
  iree_string_view_t name = iree_string_view_empty();
  iree_vm_function_signature_t signature = {iree_string_view_empty()};
  if (function->module) {
    IREE_IGNORE_ERROR(function->module->get_function(
        function->module->self, (iree_vm_function_linkage_t)function->linkage,
        function->ordinal, /*out_function=*/NULL, &name, &signature));
  }
  if (out_name) *out_name = name;
  if (out_signature) *out_signature = signature;
}

iree_string_view_t iree_vm_function_name(const iree_vm_function_t* function) {
  iree_string_view_t name;
  iree_cy_vm_function_describe(function, &name, NULL);
  return name;
}

iree_vm_function_signature_t iree_vm_function_signature(
    const iree_vm_function_t* function) {
  iree_vm_function_signature_t signature;
  iree_cy_vm_function_describe(function, NULL, &signature);
  return signature;
}

iree_string_view_t iree_vm_function_lookup_attr_by_name(
    const iree_vm_function_t* function, iree_string_view_t key) {
  for (iree_host_size_t i = 0;; ++i) {
    iree_string_pair_t attr;
    iree_status_t status = iree_vm_function_get_attr(*function, i, &attr);
    if (!iree_status_is_ok(status)) {
      iree_status_ignore(status);
      return iree_string_view_empty();
    }
    if (iree_string_view_equal(attr.key, key)) return attr.value;
  }
}

iree_status_t iree_vm_function_get_attr(iree_vm_function_t function,
                                        iree_host_size_t index,
                                        iree_string_pair_t* out_attr) {
  memset(out_attr, 0, sizeof(*out_attr));
  if (!function.module || !function.module->get_function_attr) {
    return iree_cy_vm_attr_range_error(index);
  }
  return function.module->get_function_attr(
      function.module->self, (iree_vm_function_linkage_t)function.linkage,
      function.ordinal, index, out_attr);
}

iree_status_t iree_cy_vm_function_annotate(iree_status_t status,
                                           iree_vm_function_t function) {
  if (iree_status_is_ok(status)) return status;
  iree_string_view_t module_name = iree_vm_module_name(function.module);
  iree_string_view_t name = iree_vm_function_name(&function);
  return iree_status_annotate_f(status, "in %.*s.%.*s",
                                IREE_SV_ARG(module_name), IREE_SV_ARG(name));
}
