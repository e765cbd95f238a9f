// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Implements bytecode modules: making one from a file, its state in contexts,
// what it tells about itself.

#include "iree_cy/native/vm/bytecode/debug_info.h"
#include "iree_cy/native/vm/bytecode/decoder.h"
#include "iree_cy/native/vm/bytecode/interpreter.h"
#include "iree_cy/native/vm/bytecode/module_impl.h"
#include "iree_cy/native/vm/bytecode/verifier.h"

// What constants in a file are aligned to relative to its start.
#define IREE_VM_BYTECODE_CONTENTS_ALIGNMENT 16

static iree_vm_bytecode_module_t* iree_vm_bytecode_module_cast(void* self) {
  return (iree_vm_bytecode_module_t*)self;
}

static bool iree_vm_bytecode_is_export(uint32_t linkage) {
  return linkage == IREE_VM_FUNCTION_LINKAGE_EXPORT ||
         linkage == IREE_VM_FUNCTION_LINKAGE_EXPORT_OPTIONAL;
}
static bool iree_vm_bytecode_is_import(uint32_t linkage) {
  return linkage == IREE_VM_FUNCTION_LINKAGE_IMPORT ||
         linkage == IREE_VM_FUNCTION_LINKAGE_IMPORT_OPTIONAL;
}

//===----------------------------------------------------------------------===//
// Description
//===----------------------------------------------------------------------===//

static iree_string_view_t iree_vm_bytecode_module_name(void* self) {
  return iree_vm_bytecode_module_cast(self)->def.name;
}

static iree_vm_module_signature_t iree_vm_bytecode_module_signature(
    void* self) {
  const iree_vm_bytecode_module_def_t* def =
      &iree_vm_bytecode_module_cast(self)->def;
  iree_vm_module_signature_t signature = {
      .version = def->version,
      // Without globals nothing outlives a call.
      .flags = def->global_bytes_capacity == 0 && def->global_ref_count == 0
                   ? IREE_CY_VM_MODULE_FLAG_STATELESS
                   : IREE_CY_VM_MODULE_FLAG_NONE,
      .attr_count = def->attributes.count,
      .import_function_count = def->import_count,
      .export_function_count = def->export_count,
      .internal_function_count = def->function_count,
  };
  return signature;
}

static iree_status_t iree_vm_bytecode_enumerate(
    const iree_vm_bytecode_module_def_t* def,
    iree_vm_module_dependency_callback_t callback, void* user_data) {
  for (iree_host_size_t i = 0; i < def->dependency_count; ++i) {
    const iree_vm_bytecode_dependency_def_t* dependency = &def->dependencies[i];
    const iree_vm_module_dependency_t value = {
        .name = dependency->name,
        .minimum_version = dependency->minimum_version,
        .flags = (dependency->flags & IREE_VM_BYTECODE_IMPORT_OPTIONAL)
                     ? IREE_VM_MODULE_DEPENDENCY_FLAG_OPTIONAL
                     : IREE_VM_MODULE_DEPENDENCY_FLAG_REQUIRED,
    };
    IREE_RETURN_IF_ERROR(callback(user_data, &value));
  }
  return iree_ok_status();
}

static iree_status_t iree_vm_bytecode_module_enumerate_dependencies(
    void* self, iree_vm_module_dependency_callback_t callback,
    void* user_data) {
  return iree_vm_bytecode_enumerate(&iree_vm_bytecode_module_cast(self)->def,
                                    callback, user_data);
}

static iree_status_t iree_vm_bytecode_module_get_module_attr(
    void* self, iree_host_size_t index, iree_string_pair_t* out_attr) {
  return iree_vm_bytecode_attribute_at(
      &iree_vm_bytecode_module_cast(self)->def.attributes, index, out_attr);
}

static iree_status_t iree_vm_bytecode_module_lookup_function(
    void* self, iree_vm_function_linkage_t linkage, iree_string_view_t name,
    const iree_vm_function_signature_t* expected_signature,
    iree_vm_function_t* out_function) {
  (void)expected_signature;
  memset(out_function, 0, sizeof(*out_function));
  iree_vm_bytecode_module_t* module = iree_vm_bytecode_module_cast(self);
  const iree_vm_bytecode_module_def_t* def = &module->def;
  iree_vm_function_t function = {.module = &module->interface};
  if (iree_vm_bytecode_is_export(linkage)) {
    function.linkage = IREE_VM_FUNCTION_LINKAGE_EXPORT;
    for (; function.ordinal < def->export_count; ++function.ordinal) {
      if (iree_string_view_equal(def->exports[function.ordinal].local_name,
                                 name)) {
        *out_function = function;
        return iree_ok_status();
      }
    }
  } else if (iree_vm_bytecode_is_import(linkage)) {
    for (; function.ordinal < def->import_count; ++function.ordinal) {
      const iree_vm_bytecode_import_def_t* import =
          &def->imports[function.ordinal];
      if (iree_string_view_equal(import->full_name, name)) {
        function.linkage = (import->flags & IREE_VM_BYTECODE_IMPORT_OPTIONAL)
                               ? IREE_VM_FUNCTION_LINKAGE_IMPORT_OPTIONAL
                               : IREE_VM_FUNCTION_LINKAGE_IMPORT;
        *out_function = function;
        return iree_ok_status();
      }
    }
  }
  return iree_make_status(IREE_STATUS_NOT_FOUND,
                          "module '%.*s' has no function '%.*s'",
                          IREE_SV_ARG(def->name), IREE_SV_ARG(name));
}

static iree_status_t iree_vm_bytecode_module_get_function(
    void* self, iree_vm_function_linkage_t linkage, iree_host_size_t ordinal,
    iree_vm_function_t* out_function, iree_string_view_t* out_name,
    iree_vm_function_signature_t* out_signature) {
  iree_vm_bytecode_module_t* module = iree_vm_bytecode_module_cast(self);
  const iree_vm_bytecode_module_def_t* def = &module->def;
  iree_vm_function_t function = {
      .module = &module->interface,
      .linkage = (uint16_t)linkage,
      .ordinal = (uint32_t)ordinal,
  };
  iree_string_view_t name = iree_string_view_empty();
  iree_vm_function_signature_t signature = {iree_string_view_empty()};
  bool is_found = false;
  if (iree_vm_bytecode_is_export(linkage) && ordinal < def->export_count) {
    is_found = true;
    function.linkage = IREE_VM_FUNCTION_LINKAGE_EXPORT;
    name = def->exports[ordinal].local_name;
    signature.calling_convention =
        def->functions[def->exports[ordinal].internal_ordinal]
            .signature.calling_convention;
  } else if (iree_vm_bytecode_is_import(linkage) &&
             ordinal < def->import_count) {
    is_found = true;
    function.linkage =
        (def->imports[ordinal].flags & IREE_VM_BYTECODE_IMPORT_OPTIONAL)
            ? IREE_VM_FUNCTION_LINKAGE_IMPORT_OPTIONAL
            : IREE_VM_FUNCTION_LINKAGE_IMPORT;
    name = def->imports[ordinal].full_name;
    signature.calling_convention =
        def->imports[ordinal].signature.calling_convention;
  } else if (linkage == IREE_VM_FUNCTION_LINKAGE_INTERNAL &&
             ordinal < def->function_count) {
    is_found = true;
    name = iree_vm_bytecode_debug_function_name(def, (uint32_t)ordinal);
    signature.calling_convention =
        def->functions[ordinal].signature.calling_convention;
  }
  if (!is_found) memset(&function, 0, sizeof(function));
  if (out_function) *out_function = function;
  if (out_name) *out_name = name;
  if (out_signature) *out_signature = signature;
  return is_found
             ? iree_ok_status()
             : iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                                "module '%.*s' has no function %" PRIhsz
                                " of linkage %d",
                                IREE_SV_ARG(def->name), ordinal, (int)linkage);
}

// The function with code behind an export or a function of the module itself.
static iree_status_t iree_vm_bytecode_internal_ordinal(
    const iree_vm_bytecode_module_t* module, iree_vm_function_t function,
    uint32_t* out_ordinal) {
  const iree_vm_bytecode_module_def_t* def = &module->def;
  if (IREE_LIKELY(iree_vm_bytecode_is_export(function.linkage) &&
                  function.ordinal < def->export_count)) {
    *out_ordinal = def->exports[function.ordinal].internal_ordinal;
    return iree_ok_status();
  }
  if (function.linkage == IREE_VM_FUNCTION_LINKAGE_INTERNAL &&
      function.ordinal < def->function_count) {
    *out_ordinal = function.ordinal;
    return iree_ok_status();
  }
  *out_ordinal = 0;
  return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                          "module '%.*s' has no function %u of linkage %u",
                          IREE_SV_ARG(def->name), function.ordinal,
                          function.linkage);
}

static iree_status_t iree_vm_bytecode_module_get_function_attr(
    void* self, iree_vm_function_linkage_t linkage, iree_host_size_t ordinal,
    iree_host_size_t index, iree_string_pair_t* out_attr) {
  memset(out_attr, 0, sizeof(*out_attr));
  iree_vm_bytecode_module_t* module = iree_vm_bytecode_module_cast(self);
  const iree_vm_function_t function = {
      .linkage = (uint16_t)linkage,
      .ordinal = (uint32_t)ordinal,
  };
  // Imports have none.
  if (iree_vm_bytecode_is_import(linkage)) {
    return iree_status_from_code(IREE_STATUS_OUT_OF_RANGE);
  }
  uint32_t internal_ordinal = 0;
  IREE_RETURN_IF_ERROR(
      iree_vm_bytecode_internal_ordinal(module, function, &internal_ordinal));
  return iree_vm_bytecode_attribute_at(
      &module->def.functions[internal_ordinal].attributes, index, out_attr);
}

// |pc| is the unit of the code that the interpreter stands at.
static iree_status_t iree_vm_bytecode_module_resolve_source_location(
    void* self, iree_vm_function_t function, iree_vm_source_offset_t pc,
    iree_string_builder_t* builder) {
  iree_vm_bytecode_module_t* module = iree_vm_bytecode_module_cast(self);
  uint32_t ordinal = 0;
  uint32_t offset = 0;
  if (!iree_flatbuffer_table_is_present(&module->def.debug_database) ||
      pc < 0 || pc > UINT32_MAX) {
    return iree_status_from_code(IREE_STATUS_NOT_FOUND);
  }
  IREE_RETURN_IF_ERROR(
      iree_vm_bytecode_internal_ordinal(module, function, &ordinal));
  IREE_RETURN_IF_ERROR(iree_vm_bytecode_find_source_offset(
      module, ordinal, (uint32_t)pc, module->allocator, &offset));
  return iree_vm_bytecode_debug_location(&module->def, ordinal, offset,
                                         builder);
}

//===----------------------------------------------------------------------===//
// State and calls
//===----------------------------------------------------------------------===//

static iree_status_t iree_vm_bytecode_module_alloc_state(
    void* self, iree_allocator_t allocator,
    iree_vm_module_state_t** out_module_state) {
  *out_module_state = NULL;
  const iree_vm_bytecode_module_def_t* def =
      &iree_vm_bytecode_module_cast(self)->def;
  // The counts are bounded when they are read.
  iree_host_size_t refs_offset =
      iree_host_align(sizeof(iree_vm_bytecode_state_t), 16);
  iree_host_size_t imports_offset =
      refs_offset + def->global_ref_count * sizeof(iree_vm_ref_t);
  iree_host_size_t rodata_offset =
      imports_offset + def->import_count * sizeof(iree_vm_bytecode_import_t);
  iree_host_size_t bytes_offset = iree_host_align(
      rodata_offset + def->rodata_count * sizeof(iree_vm_buffer_t*), 16);
  iree_vm_bytecode_state_t* state = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(
      allocator, bytes_offset + def->global_bytes_capacity, (void**)&state));
  uint8_t* base = (uint8_t*)state;
  state->allocator = allocator;
  state->global_ref_count = def->global_ref_count;
  state->global_refs = (iree_vm_ref_t*)(base + refs_offset);
  state->imports = (iree_vm_bytecode_import_t*)(base + imports_offset);
  state->rodata = (iree_vm_buffer_t**)(base + rodata_offset);
  state->global_bytes_capacity = def->global_bytes_capacity;
  state->global_bytes = base + bytes_offset;
  *out_module_state = (iree_vm_module_state_t*)state;
  return iree_ok_status();
}

static void iree_vm_bytecode_module_free_state(
    void* self, iree_vm_module_state_t* module_state) {
  iree_vm_bytecode_module_t* module = iree_vm_bytecode_module_cast(self);
  iree_vm_bytecode_state_t* state = (iree_vm_bytecode_state_t*)module_state;
  if (!state) return;
  for (iree_host_size_t i = 0; i < state->global_ref_count; ++i) {
    iree_vm_ref_release(&state->global_refs[i]);
  }
  for (iree_host_size_t i = 0; i < module->def.rodata_count; ++i) {
    iree_vm_buffer_release(state->rodata[i]);
  }
  iree_allocator_free(state->allocator, state);
}

static iree_status_t iree_vm_bytecode_module_resolve_import(
    void* self, iree_vm_module_state_t* module_state, iree_host_size_t ordinal,
    const iree_vm_function_t* function,
    const iree_vm_function_signature_t* signature,
    iree_vm_module_state_t* target_state) {
  const iree_vm_bytecode_module_def_t* def =
      &iree_vm_bytecode_module_cast(self)->def;
  if (ordinal >= def->import_count) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "module '%.*s' has no import %" PRIhsz,
                            IREE_SV_ARG(def->name), ordinal);
  }
  // Calls lay their values out as the module declares it, so the other side
  // has to agree.
  const iree_vm_bytecode_import_def_t* import_def = &def->imports[ordinal];
  if (!iree_cy_vm_cconv_equal(import_def->signature.calling_convention,
                              signature->calling_convention)) {
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "'%.*s' is imported as '%.*s' but is '%.*s'",
        IREE_SV_ARG(import_def->full_name),
        IREE_SV_ARG(import_def->signature.calling_convention),
        IREE_SV_ARG(signature->calling_convention));
  }
  iree_vm_bytecode_import_t* import =
      &((iree_vm_bytecode_state_t*)module_state)->imports[ordinal];
  import->function = *function;
  import->target_state = target_state;
  return iree_ok_status();
}

// The context runs __init before anybody else has the state. Nobody runs it
// again: other threads may be reading what it writes.
static iree_status_t iree_vm_bytecode_begin_init(
    const iree_vm_bytecode_module_t* module, iree_vm_bytecode_state_t* state) {
  if (state->is_initialized && !module->changes_globals) {
    return iree_make_status(IREE_STATUS_FAILED_PRECONDITION,
                            "__init of module '%.*s' has been run, by the "
                            "context when it was made",
                            IREE_SV_ARG(module->def.name));
  }
  state->is_initialized = true;
  return iree_ok_status();
}

static bool iree_vm_bytecode_module_is_shareable(
    void* self, iree_vm_module_state_t* module_state) {
  if (iree_vm_bytecode_module_cast(self)->changes_globals) return false;
  const iree_vm_bytecode_state_t* state =
      (const iree_vm_bytecode_state_t*)module_state;
  for (iree_host_size_t i = 0; i < state->global_ref_count; ++i) {
    const iree_vm_ref_t* ref = &state->global_refs[i];
    if (iree_vm_ref_is_null(ref)) continue;
    const iree_vm_ref_type_descriptor_t* descriptor =
        iree_vm_ref_type_descriptor(ref->type);
    if (!descriptor->is_shareable || !descriptor->is_shareable(ref->ptr)) {
      return false;
    }
  }
  return true;
}

static iree_status_t iree_vm_bytecode_module_begin_call(
    void* self, iree_vm_stack_t* stack, iree_vm_function_call_t call) {
  iree_vm_bytecode_module_t* module = iree_vm_bytecode_module_cast(self);
  uint32_t ordinal = 0;
  IREE_RETURN_IF_ERROR(
      iree_vm_bytecode_internal_ordinal(module, call.function, &ordinal));
  if (IREE_UNLIKELY(ordinal == module->init_ordinal)) {
    IREE_RETURN_IF_ERROR(iree_vm_bytecode_begin_init(
        module, (iree_vm_bytecode_state_t*)call.module_state));
  }
  return iree_vm_bytecode_interpret(module, stack, ordinal, &call);
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

// Frees all but the contents that the caller gave.
static void iree_vm_bytecode_module_free(iree_vm_bytecode_module_t* module) {
  iree_allocator_t allocator = module->allocator;
  for (iree_host_size_t i = 0; i < module->def.function_count; ++i) {
    if (module->codes) iree_allocator_free(allocator, module->codes[i]);
  }
  iree_allocator_free(allocator, module->codes);
  iree_allocator_free(allocator, module->types);
  iree_vm_bytecode_module_def_deinitialize(&module->def, allocator);
  iree_allocator_free_aligned(allocator, module->copied_contents);
  iree_allocator_free(allocator, module);
}

static void iree_vm_bytecode_module_destroy(void* self) {
  iree_vm_bytecode_module_t* module = iree_vm_bytecode_module_cast(self);
  iree_const_byte_span_t contents = module->contents;
  iree_allocator_t contents_allocator = module->contents_allocator;
  bool is_owned = !module->copied_contents && contents_allocator.ctl;
  iree_vm_bytecode_module_free(module);
  if (is_owned) {
    iree_allocator_free(contents_allocator, (void*)(uintptr_t)contents.data);
  }
}

iree_status_t iree_vm_bytecode_module_of(
    iree_vm_module_t* base_module,
    const iree_vm_bytecode_module_t** out_module) {
  if (base_module->destroy != iree_vm_bytecode_module_destroy) {
    *out_module = NULL;
    const iree_string_view_t name = iree_vm_module_name(base_module);
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "module '%.*s' has no bytecode", IREE_SV_ARG(name));
  }
  *out_module = iree_vm_bytecode_module_cast(base_module->self);
  return iree_ok_status();
}

static iree_status_t iree_vm_bytecode_resolve_type(
    const iree_vm_instance_t* instance, iree_string_view_t name,
    iree_vm_type_def_t* out_type) {
  static const struct {
    const char* name;
    iree_vm_value_type_t type;
  } values[] = {
      {"i8", IREE_VM_VALUE_TYPE_I8},   {"i16", IREE_VM_VALUE_TYPE_I16},
      {"i32", IREE_VM_VALUE_TYPE_I32}, {"i64", IREE_VM_VALUE_TYPE_I64},
      {"f32", IREE_VM_VALUE_TYPE_F32}, {"f64", IREE_VM_VALUE_TYPE_F64},
  };
  *out_type = iree_vm_make_undefined_type_def();
  if (iree_string_view_equal(name, IREE_SV("!vm.opaque"))) {
    return iree_ok_status();
  }
  for (size_t i = 0; i < IREE_ARRAYSIZE(values); ++i) {
    if (iree_string_view_equal(name, iree_make_cstring_view(values[i].name))) {
      *out_type = iree_vm_make_value_type_def(values[i].type);
      return iree_ok_status();
    }
  }
  if (iree_string_view_starts_with(name, IREE_SV("!"))) {
    iree_string_view_t type_name = iree_string_view_remove_prefix(name, 1);
    // Lists carry their element type themselves.
    if (iree_string_view_starts_with(type_name, IREE_SV("vm.list<"))) {
      type_name = IREE_SV("vm.list");
    }
    iree_vm_ref_type_t type = iree_vm_instance_lookup_type(instance, type_name);
    if (type != IREE_VM_REF_TYPE_NULL) {
      *out_type = iree_vm_make_ref_type_def(type);
      return iree_ok_status();
    }
  }
  return iree_make_status(
      IREE_STATUS_NOT_FOUND,
      "the module uses type '%.*s', which no loaded module provides",
      (int)iree_min(name.size, 64), name.data ? name.data : "");
}

static iree_status_t iree_vm_bytecode_resolve_types(
    const iree_vm_instance_t* instance, iree_vm_bytecode_module_t* module) {
  IREE_RETURN_IF_ERROR(iree_allocator_malloc_array(
      module->allocator, module->def.type_count, sizeof(*module->types),
      (void**)&module->types));
  for (iree_host_size_t i = 0; i < module->def.type_count; ++i) {
    IREE_RETURN_IF_ERROR(iree_vm_bytecode_resolve_type(
        instance, module->def.types[i], &module->types[i]));
  }
  return iree_ok_status();
}

// Takes the contents in, copied when they are not aligned as constants need it.
static iree_status_t iree_vm_bytecode_take_contents(
    iree_const_byte_span_t contents, iree_vm_bytecode_module_t* module) {
  module->contents = contents;
  if ((uintptr_t)contents.data % IREE_VM_BYTECODE_CONTENTS_ALIGNMENT == 0) {
    return iree_ok_status();
  }
  IREE_RETURN_IF_ERROR(iree_allocator_malloc_aligned(
      module->allocator, contents.data_length,
      IREE_VM_ARCHIVE_SEGMENT_ALIGNMENT, &module->copied_contents));
  memcpy(module->copied_contents, contents.data, contents.data_length);
  module->contents =
      iree_make_const_byte_span(module->copied_contents, contents.data_length);
  return iree_ok_status();
}

static uint32_t iree_vm_bytecode_find_init(
    const iree_vm_bytecode_module_def_t* def) {
  uint32_t ordinal = IREE_VM_BYTECODE_NO_FUNCTION;
  for (iree_host_size_t i = 0; i < def->export_count; ++i) {
    if (iree_string_view_equal(def->exports[i].local_name, IREE_SV("__init"))) {
      ordinal = def->exports[i].internal_ordinal;
      break;
    }
  }
  iree_host_size_t name_count = 0;
  for (iree_host_size_t i = 0; i < def->export_count; ++i) {
    if (def->exports[i].internal_ordinal == ordinal) ++name_count;
  }
  return name_count == 1 ? ordinal : IREE_VM_BYTECODE_NO_FUNCTION;
}

static iree_status_t iree_vm_bytecode_module_load(
    const iree_vm_instance_t* instance, iree_const_byte_span_t contents,
    iree_vm_bytecode_module_t* module) {
  IREE_RETURN_IF_ERROR(iree_vm_bytecode_take_contents(contents, module));
  IREE_RETURN_IF_ERROR(iree_vm_bytecode_module_def_initialize(
      module->contents, module->allocator, &module->def));
  IREE_RETURN_IF_ERROR(iree_vm_bytecode_resolve_types(instance, module));
  IREE_RETURN_IF_ERROR(iree_allocator_malloc_array(
      module->allocator, module->def.function_count, sizeof(*module->codes),
      (void**)&module->codes));
  module->init_ordinal = iree_vm_bytecode_find_init(&module->def);
  return iree_vm_bytecode_verify(module, module->init_ordinal,
                                 module->allocator, &module->changes_globals);
}

iree_status_t iree_vm_bytecode_module_create(
    iree_vm_instance_t* instance, iree_vm_bytecode_module_flags_t flags,
    iree_const_byte_span_t archive_contents, iree_allocator_t archive_allocator,
    iree_allocator_t allocator, iree_vm_module_t** out_module) {
  *out_module = NULL;
  if (flags != IREE_VM_BYTECODE_MODULE_FLAG_NONE) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "unknown module flags 0x%X", flags);
  }
  iree_vm_bytecode_module_t* module = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc(allocator, sizeof(*module), (void**)&module));
  module->allocator = allocator;
  module->contents_allocator = archive_allocator;
  iree_status_t status =
      iree_vm_bytecode_module_load(instance, archive_contents, module);
  if (iree_status_is_ok(status)) {
    status = iree_vm_module_initialize(&module->interface, module);
  }
  if (!iree_status_is_ok(status)) {
    iree_vm_bytecode_module_free(module);
    return status;
  }
  iree_vm_module_t* interface = &module->interface;
  interface->destroy = iree_vm_bytecode_module_destroy;
  interface->name = iree_vm_bytecode_module_name;
  interface->signature = iree_vm_bytecode_module_signature;
  interface->enumerate_dependencies =
      iree_vm_bytecode_module_enumerate_dependencies;
  interface->get_module_attr = iree_vm_bytecode_module_get_module_attr;
  interface->lookup_function = iree_vm_bytecode_module_lookup_function;
  interface->get_function = iree_vm_bytecode_module_get_function;
  interface->get_function_attr = iree_vm_bytecode_module_get_function_attr;
  interface->resolve_source_location =
      iree_vm_bytecode_module_resolve_source_location;
  interface->alloc_state = iree_vm_bytecode_module_alloc_state;
  interface->free_state = iree_vm_bytecode_module_free_state;
  interface->resolve_import = iree_vm_bytecode_module_resolve_import;
  interface->begin_call = iree_vm_bytecode_module_begin_call;
  interface->is_shareable = iree_vm_bytecode_module_is_shareable;
  if (module->copied_contents && archive_allocator.ctl) {
    iree_allocator_free(archive_allocator,
                        (void*)(uintptr_t)archive_contents.data);
  }
  *out_module = interface;
  return iree_ok_status();
}

iree_status_t iree_cy_vm_bytecode_archive_enumerate_dependencies(
    iree_const_byte_span_t archive_contents,
    iree_vm_module_dependency_callback_t callback, void* user_data) {
  iree_allocator_t allocator = iree_allocator_system();
  iree_vm_bytecode_module_def_t def;
  IREE_RETURN_IF_ERROR(iree_vm_bytecode_module_def_initialize(archive_contents,
                                                              allocator, &def));
  iree_status_t status = iree_vm_bytecode_enumerate(&def, callback, user_data);
  iree_vm_bytecode_module_def_deinitialize(&def, allocator);
  return status;
}

iree_cy_vm_archive_format_t iree_cy_vm_bytecode_archive_probe(
    iree_const_byte_span_t archive_contents) {
  static const char zip_signature[4] = {'P', 'K', 3, 4};
  static const char identifier[4] = {'I', 'R', 'E', 'E'};
  // The identifier stands behind the size prefix and the root's offset.
  const size_t identifier_offset = 2 * sizeof(uint32_t);
  if (archive_contents.data_length < identifier_offset + sizeof(identifier)) {
    return IREE_CY_VM_ARCHIVE_FORMAT_UNKNOWN;
  }
  if (memcmp(archive_contents.data, zip_signature, sizeof(zip_signature)) ==
      0) {
    return IREE_CY_VM_ARCHIVE_FORMAT_ZIP;
  }
  return memcmp(archive_contents.data + identifier_offset, identifier,
                sizeof(identifier)) == 0
             ? IREE_CY_VM_ARCHIVE_FORMAT_FLATBUFFER
             : IREE_CY_VM_ARCHIVE_FORMAT_UNKNOWN;
}
