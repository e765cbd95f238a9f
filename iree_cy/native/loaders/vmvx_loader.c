// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns executables of vmvx programs and their loader.

#include "iree_cy/native/loaders/vmvx_loader.h"

#include "iree_cy/hal/command_buffer.h"
#include "iree_cy/native/loaders/loader_base.h"
#include "iree_cy/native/loaders/vmvx_worker.h"
#include "iree_cy/native/modules/vmvx/module.h"
#include "iree_cy/native/vm/context_impl.h"

#define VMVX_FORMAT "vmvx-bytecode-fb"
// What each function of a program takes, and what gives it its constants.
#define VMVX_FUNCTION_CONVENTION "0rrriiiiiiiii_v"
#define VMVX_SET_CONSTANTS_NAME "__set_constants"
#define VMVX_SET_CONSTANTS_CONVENTION "0r_v"

#define NAME_ARG(name) \
  (int)iree_min((name).size, (iree_host_size_t)64), (name).data

typedef struct vmvx_function_t {
  iree_vm_function_t function;
  // Of the module.
  iree_string_view_t name;
  uint16_t constant_count;
  uint16_t binding_count;
  uint32_t local_memory;
} vmvx_function_t;

typedef struct vmvx_executable_t {
  iree_hal_executable_t base;
  iree_cy_vmvx_program_t program;
  iree_host_size_t function_count;
  vmvx_function_t* functions;
  // By worker id; NULL until a worker first runs something.
  iree_host_size_t worker_capacity;
  iree_cy_vmvx_worker_t** workers;
} vmvx_executable_t;

//===-- the executable ------------------------------------------------------===

static void vmvx_executable_destroy(iree_hal_executable_t* base_executable) {
  vmvx_executable_t* executable = (vmvx_executable_t*)base_executable;
  iree_allocator_t host_allocator = base_executable->host_allocator;
  iree_hal_executable_deinitialize(base_executable);
  if (executable->workers) {
    for (iree_host_size_t i = 0; i < executable->worker_capacity; ++i) {
      iree_cy_vmvx_worker_free(executable->workers[i]);
    }
  }
  iree_allocator_free(host_allocator, executable->workers);
  iree_allocator_free(host_allocator, executable->functions);
  iree_allocator_free(host_allocator, executable->program.constants);
  iree_vm_module_release(executable->program.module);
  iree_vm_module_release(executable->program.kernels);
  iree_vm_instance_release(executable->program.instance);
  iree_allocator_free(host_allocator, executable);
}

static iree_host_size_t vmvx_executable_function_count(
    iree_hal_executable_t* base_executable) {
  return ((const vmvx_executable_t*)base_executable)->function_count;
}

static iree_status_t vmvx_find_function(const vmvx_executable_t* executable,
                                        iree_hal_executable_function_t function,
                                        const vmvx_function_t** out_function) {
  *out_function = NULL;
  if (IREE_UNLIKELY(function.value >= executable->function_count)) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "the executable has %" PRIhsz " functions; %" PRIu64
                            " is none of them",
                            executable->function_count, function.value);
  }
  *out_function = &executable->functions[function.value];
  return iree_ok_status();
}

static iree_status_t vmvx_executable_function_info(
    iree_hal_executable_t* base_executable,
    iree_hal_executable_function_t function,
    iree_hal_executable_function_info_t* out_info) {
  const vmvx_function_t* entry = NULL;
  IREE_RETURN_IF_ERROR(vmvx_find_function(
      (const vmvx_executable_t*)base_executable, function, &entry));
  out_info->name = entry->name;
  out_info->constant_count = entry->constant_count;
  out_info->binding_count = entry->binding_count;
  out_info->workgroup_local_memory = entry->local_memory;
  for (int i = 0; i < 3; ++i) out_info->workgroup_size[i] = 1;
  return iree_ok_status();
}

static iree_status_t vmvx_executable_lookup_function_by_name(
    iree_hal_executable_t* base_executable, iree_string_view_t name,
    iree_hal_executable_function_t* out_function) {
  const vmvx_executable_t* executable =
      (const vmvx_executable_t*)base_executable;
  for (iree_host_size_t i = 0; i < executable->function_count; ++i) {
    if (iree_string_view_equal(name, executable->functions[i].name)) {
      *out_function = iree_hal_executable_function_from_index((uint32_t)i);
      return iree_ok_status();
    }
  }
  return iree_make_status(IREE_STATUS_NOT_FOUND,
                          "the executable has no function '%.*s'",
                          NAME_ARG(name));
}

static const iree_hal_executable_vtable_t vmvx_executable_vtable = {
    .header = {.size = sizeof(iree_hal_executable_vtable_t),
               .kind = IREE_CY_OBJECT_KIND_EXECUTABLE},
    .destroy = vmvx_executable_destroy,
    .function_count = vmvx_executable_function_count,
    .function_info = vmvx_executable_function_info,
    .lookup_function_by_name = vmvx_executable_lookup_function_by_name,
};

bool iree_cy_vmvx_executable_isa(const iree_hal_executable_t* executable) {
  return iree_hal_resource_is(executable, &vmvx_executable_vtable);
}

//===-- loading -------------------------------------------------------------===

// Makes the module over the data, copied unless it stays.
static iree_status_t vmvx_load_module(
    const iree_hal_executable_params_t* params, iree_cy_vmvx_program_t* p) {
  iree_const_byte_span_t data = params->executable_data;
  if (iree_any_bit_set(params->caching_mode,
                       IREE_HAL_EXECUTABLE_CACHING_MODE_ALIAS_PROVIDED_DATA)) {
    const iree_allocator_t no_allocator = {NULL, NULL};
    return iree_vm_bytecode_module_create(
        p->instance, IREE_VM_BYTECODE_MODULE_FLAG_NONE, data, no_allocator,
        p->host_allocator, &p->module);
  }
  void* copy = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_clone(p->host_allocator, data, &copy));
  iree_status_t status = iree_vm_bytecode_module_create(
      p->instance, IREE_VM_BYTECODE_MODULE_FLAG_NONE,
      iree_make_const_byte_span(copy, data.data_length), p->host_allocator,
      p->host_allocator, &p->module);
  if (!iree_status_is_ok(status)) iree_allocator_free(p->host_allocator, copy);
  return status;
}

// Programs import kernels alone.
static iree_status_t vmvx_check_imports(const iree_cy_vmvx_program_t* p) {
  const iree_host_size_t count =
      iree_vm_module_signature(p->module).import_function_count;
  for (iree_host_size_t i = 0; i < count; ++i) {
    iree_vm_function_t import, kernel;
    iree_string_view_t name = iree_string_view_empty();
    IREE_RETURN_IF_ERROR(p->module->get_function(
        p->module->self, IREE_VM_FUNCTION_LINKAGE_IMPORT, i, &import, &name,
        NULL));
    if (import.linkage == IREE_VM_FUNCTION_LINKAGE_IMPORT_OPTIONAL) continue;
    bool is_there = iree_string_view_starts_with(name, IREE_SV("vmvx."));
    if (is_there) {
      iree_status_t status = iree_vm_module_lookup_function_by_name(
          p->kernels, IREE_VM_FUNCTION_LINKAGE_EXPORT,
          iree_string_view_remove_prefix(name, 5), &kernel);
      is_there = iree_status_is_ok(status);
      iree_status_ignore(status);
    }
    if (!is_there) {
      return iree_make_status(
          IREE_STATUS_UNIMPLEMENTED,
          "the vmvx program imports '%.*s', which is not implemented",
          NAME_ARG(name));
    }
  }
  return iree_ok_status();
}

// A count of |function| that the compiler has written as an i8; 0 when it has
// not.
static uint16_t vmvx_read_count(const iree_vm_function_t* function,
                                iree_string_view_t key) {
  int64_t value = 0;
  if (!iree_string_view_parse_int64(
          iree_vm_function_lookup_attr_by_name(function, key), &value)) {
    return 0;
  }
  return (uint8_t)value;
}

static iree_status_t vmvx_read_function(iree_vm_function_t function,
                                        vmvx_function_t* out_function) {
  memset(out_function, 0, sizeof(*out_function));
  out_function->function = function;
  out_function->name = iree_vm_function_name(&function);
  iree_string_view_t convention =
      iree_vm_function_signature(&function).calling_convention;
  if (!iree_cy_vm_cconv_equal(convention, IREE_SV(VMVX_FUNCTION_CONVENTION))) {
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "function '%.*s' of the vmvx program has the convention '%.*s'; it "
        "must be '" VMVX_FUNCTION_CONVENTION "'",
        NAME_ARG(out_function->name), NAME_ARG(convention));
  }
  out_function->constant_count =
      vmvx_read_count(&function, IREE_SV("constant_count"));
  out_function->binding_count =
      vmvx_read_count(&function, IREE_SV("binding_count"));
  if (out_function->constant_count > IREE_HAL_DISPATCH_MAX_CONSTANT_COUNT ||
      out_function->binding_count > IREE_HAL_DISPATCH_MAX_BINDING_COUNT) {
    return iree_make_status(
        IREE_STATUS_UNIMPLEMENTED,
        "'%.*s' takes %d constants and %d bindings; up to %d of each can be "
        "given",
        NAME_ARG(out_function->name), out_function->constant_count,
        out_function->binding_count, IREE_HAL_DISPATCH_MAX_BINDING_COUNT);
  }
  const iree_string_view_t local_memory =
      iree_vm_function_lookup_attr_by_name(&function, IREE_SV("local_memory"));
  uint64_t size = 0;
  if (!iree_string_view_is_empty(local_memory) &&
      (!iree_string_view_parse_uint64(local_memory, &size) ||
       size > UINT32_MAX)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "'%.*s' wants '%.*s' bytes of local memory",
                            NAME_ARG(out_function->name),
                            NAME_ARG(local_memory));
  }
  out_function->local_memory = (uint32_t)size;
  return iree_ok_status();
}

// Exports are functions of the executable in their order, but for those that
// belong to the module itself.
static iree_status_t vmvx_read_functions(vmvx_executable_t* executable) {
  iree_cy_vmvx_program_t* p = &executable->program;
  const iree_host_size_t count =
      iree_vm_module_signature(p->module).export_function_count;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc_array(
      p->host_allocator, count, sizeof(executable->functions[0]),
      (void**)&executable->functions));
  for (iree_host_size_t i = 0; i < count; ++i) {
    iree_vm_function_t function;
    IREE_RETURN_IF_ERROR(iree_vm_module_lookup_function_by_ordinal(
        p->module, IREE_VM_FUNCTION_LINKAGE_EXPORT, i, &function));
    const iree_string_view_t name = iree_vm_function_name(&function);
    if (iree_string_view_equal(name, IREE_SV(VMVX_SET_CONSTANTS_NAME)) &&
        iree_cy_vm_cconv_equal(
            iree_vm_function_signature(&function).calling_convention,
            IREE_SV(VMVX_SET_CONSTANTS_CONVENTION))) {
      p->set_constants = function;
      continue;
    }
    if (iree_string_view_starts_with(name, IREE_SV("__"))) continue;
    vmvx_function_t* entry = &executable->functions[executable->function_count];
    IREE_RETURN_IF_ERROR(vmvx_read_function(function, entry));
    p->max_binding_count =
        iree_max(p->max_binding_count, (iree_host_size_t)entry->binding_count);
    ++executable->function_count;
  }
  return iree_ok_status();
}

static iree_status_t vmvx_take_constants(
    const iree_hal_executable_params_t* params, iree_cy_vmvx_program_t* p) {
  const bool takes_constants = !iree_vm_function_is_null(p->set_constants);
  if (takes_constants != (params->constant_count > 0)) {
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "the vmvx program takes %s constants; %" PRIhsz " are given",
        takes_constants ? "" : "no", params->constant_count);
  }
  if (!takes_constants) return iree_ok_status();
  IREE_RETURN_IF_ERROR(iree_allocator_malloc_array(
      p->host_allocator, params->constant_count, sizeof(p->constants[0]),
      (void**)&p->constants));
  memcpy(p->constants, params->constants,
         params->constant_count * sizeof(p->constants[0]));
  p->constant_count = params->constant_count;
  return iree_ok_status();
}

// What loads the program, limits it.
static void vmvx_take_limits(iree_cy_vmvx_program_t* p) {
  p->limits = iree_cy_vm_limits_none();
  const iree_vm_stack_t* stack = iree_cy_vm_thread_innermost_stack();
  if (!stack) return;
  p->context_id = stack->context->id;
  p->limits = stack->context->limits;
}

static iree_status_t vmvx_executable_load(
    const iree_hal_executable_params_t* params,
    iree_host_size_t worker_capacity, vmvx_executable_t* executable) {
  iree_cy_vmvx_program_t* p = &executable->program;
  p->host_allocator = executable->base.host_allocator;
  vmvx_take_limits(p);
  IREE_RETURN_IF_ERROR(iree_vm_instance_create(
      IREE_VM_TYPE_CAPACITY_DEFAULT, p->host_allocator, &p->instance));
  IREE_RETURN_IF_ERROR(
      iree_cy_vmvx_module_create(p->instance, p->host_allocator, &p->kernels));
  IREE_RETURN_IF_ERROR(vmvx_load_module(params, p));
  IREE_RETURN_IF_ERROR(vmvx_check_imports(p));
  IREE_RETURN_IF_ERROR(vmvx_read_functions(executable));
  IREE_RETURN_IF_ERROR(vmvx_take_constants(params, p));
  executable->worker_capacity = iree_max(worker_capacity, (iree_host_size_t)1);
  IREE_RETURN_IF_ERROR(iree_allocator_malloc_array(
      p->host_allocator, executable->worker_capacity,
      sizeof(executable->workers[0]), (void**)&executable->workers));
  // The first one now: what does not link or start fails here.
  return iree_cy_vmvx_worker_create(p, &executable->workers[0]);
}

static iree_status_t vmvx_load(const iree_hal_executable_params_t* params,
                               iree_host_size_t worker_capacity,
                               iree_allocator_t host_allocator,
                               iree_hal_executable_t** out_executable) {
  *out_executable = NULL;
  vmvx_executable_t* executable = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(
      host_allocator, sizeof(*executable), (void**)&executable));
  iree_hal_executable_initialize(&vmvx_executable_vtable, host_allocator,
                                 &executable->base);
  iree_status_t status =
      vmvx_executable_load(params, worker_capacity, executable);
  if (iree_status_is_ok(status)) {
    *out_executable = &executable->base;
  } else {
    iree_hal_executable_release(&executable->base);
  }
  return status;
}

iree_status_t iree_cy_vmvx_loader_create(
    iree_allocator_t host_allocator,
    iree_hal_executable_loader_t** out_loader) {
  return iree_cy_loader_create(VMVX_FORMAT, "vmvx-", vmvx_load, host_allocator,
                               out_loader);
}

//===-- dispatches ----------------------------------------------------------===

static iree_status_t vmvx_check_dispatch(
    const vmvx_function_t* entry, const iree_hal_local_dispatch_t* dispatch,
    uint64_t first_workgroup, uint64_t workgroup_count,
    iree_byte_span_t local_memory) {
  if (IREE_UNLIKELY(dispatch->constant_count != entry->constant_count ||
                    dispatch->binding_count != entry->binding_count)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "'%.*s' takes %d constants and %d bindings; the "
                            "dispatch has %" PRIu32 " and %" PRIu32,
                            NAME_ARG(entry->name), entry->constant_count,
                            entry->binding_count, dispatch->constant_count,
                            dispatch->binding_count);
  }
  // More than 64 bits of them never end; the range is what counts.
  const uint32_t* count = dispatch->workgroup_count;
  uint64_t total = 0;
  if (__builtin_mul_overflow((uint64_t)count[0] * count[1], (uint64_t)count[2],
                             &total)) {
    total = UINT64_MAX;
  }
  if (IREE_UNLIKELY(first_workgroup > total ||
                    workgroup_count > total - first_workgroup)) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "'%.*s': %" PRIu64 " workgroups from %" PRIu64
                            " are asked for; there are %" PRIu64,
                            NAME_ARG(entry->name), workgroup_count,
                            first_workgroup, total);
  }
  if (IREE_UNLIKELY(local_memory.data_length < entry->local_memory)) {
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "'%.*s' needs %" PRIu32 " bytes of local memory; it is given %" PRIhsz,
        NAME_ARG(entry->name), entry->local_memory, local_memory.data_length);
  }
  return iree_ok_status();
}

// The worker of |worker_id|, which this thread alone uses now.
static iree_status_t vmvx_get_worker(vmvx_executable_t* executable,
                                     uint32_t worker_id,
                                     iree_cy_vmvx_worker_t** out_worker) {
  *out_worker = NULL;
  if (IREE_UNLIKELY(worker_id >= executable->worker_capacity)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "worker %" PRIu32
                            " runs an executable that was loaded for %" PRIhsz,
                            worker_id, executable->worker_capacity);
  }
  iree_cy_vmvx_worker_t** worker = &executable->workers[worker_id];
  if (IREE_UNLIKELY(!*worker)) {
    IREE_RETURN_IF_ERROR(
        iree_cy_vmvx_worker_create(&executable->program, worker));
  }
  *out_worker = *worker;
  return iree_ok_status();
}

iree_status_t iree_cy_vmvx_executable_dispatch(
    iree_hal_executable_t* base_executable,
    iree_hal_executable_function_t function,
    const iree_hal_local_dispatch_t* dispatch, uint64_t first_workgroup,
    uint64_t workgroup_count, uint32_t worker_id,
    iree_byte_span_t local_memory) {
  vmvx_executable_t* executable = (vmvx_executable_t*)base_executable;
  const vmvx_function_t* entry = NULL;
  IREE_RETURN_IF_ERROR(vmvx_find_function(executable, function, &entry));
  IREE_RETURN_IF_ERROR(vmvx_check_dispatch(entry, dispatch, first_workgroup,
                                           workgroup_count, local_memory));
  if (!workgroup_count) return iree_ok_status();
  iree_cy_vmvx_worker_t* worker = NULL;
  IREE_RETURN_IF_ERROR(vmvx_get_worker(executable, worker_id, &worker));
  const iree_cy_vmvx_run_t run = {
      .function = entry->function,
      .dispatch = dispatch,
      .first_workgroup = first_workgroup,
      .workgroup_count = workgroup_count,
      .local_memory = local_memory,
  };
  return iree_cy_vmvx_worker_run(worker, &run);
}
