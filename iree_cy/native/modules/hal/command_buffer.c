// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns hal.command_buffer.*.

#include "iree_cy/native/modules/hal/module_impl.h"

// Modes that take checks or references away are the application's to choose,
// not the program's.
#define IREE_HAL_MODULE_ALLOWED_MODES      \
  (IREE_HAL_COMMAND_BUFFER_MODE_ONE_SHOT | \
   IREE_HAL_COMMAND_BUFFER_MODE_ALLOW_INLINE_EXECUTION)

IREE_HAL_MODULE_EXPORT(command_buffer_create) {
  IREE_HAL_MODULE_ARGUMENTS("command_buffer.create");
  iree_hal_device_t* device = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_device(&args, "device", &device));
  const iree_hal_command_buffer_mode_t modes =
      iree_hal_module_read_u32(&args) & IREE_HAL_MODULE_ALLOWED_MODES;
  const iree_hal_command_category_t categories =
      iree_hal_module_read_u32(&args);
  const iree_hal_queue_affinity_t queue_affinity =
      iree_hal_module_read_u64(&args);
  const int32_t binding_capacity = iree_hal_module_read_i32(&args);
  if (binding_capacity < 0) {
    return iree_hal_module_value_error(args.function, "binding_capacity",
                                       binding_capacity);
  }
  iree_hal_command_buffer_t* command_buffer = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_command_buffer_create(
      device, modes, categories, queue_affinity,
      (iree_host_size_t)binding_capacity, &command_buffer));
  iree_status_t status = iree_hal_command_buffer_begin(command_buffer);
  if (!iree_status_is_ok(status)) {
    iree_hal_command_buffer_release(command_buffer);
    return status;
  }
  iree_hal_module_return_ref(results, IREE_HAL_MODULE_TYPE(command_buffer),
                             command_buffer);
  return iree_ok_status();
}

IREE_HAL_MODULE_EXPORT(command_buffer_finalize) {
  IREE_HAL_MODULE_ARGUMENTS("command_buffer.finalize");
  iree_hal_command_buffer_t* command_buffer = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_command_buffer(
      &args, "command_buffer", &command_buffer));
  return iree_hal_command_buffer_end(command_buffer);
}

IREE_HAL_MODULE_EXPORT(command_buffer_begin_debug_group) {
  IREE_HAL_MODULE_ARGUMENTS("command_buffer.begin_debug_group");
  iree_hal_command_buffer_t* command_buffer = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_command_buffer(
      &args, "command_buffer", &command_buffer));
  iree_vm_buffer_t* label = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_vm_buffer(&args, "label", &label));
  return iree_hal_command_buffer_begin_debug_group(
      command_buffer, iree_vm_buffer_as_string(label));
}

IREE_HAL_MODULE_EXPORT(command_buffer_end_debug_group) {
  IREE_HAL_MODULE_ARGUMENTS("command_buffer.end_debug_group");
  iree_hal_command_buffer_t* command_buffer = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_command_buffer(
      &args, "command_buffer", &command_buffer));
  return iree_hal_command_buffer_end_debug_group(command_buffer);
}

IREE_HAL_MODULE_EXPORT(command_buffer_execution_barrier) {
  IREE_HAL_MODULE_ARGUMENTS("command_buffer.execution_barrier");
  iree_hal_command_buffer_t* command_buffer = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_command_buffer(
      &args, "command_buffer", &command_buffer));
  const iree_hal_execution_stage_t source_stages =
      iree_hal_module_read_u32(&args);
  const iree_hal_execution_stage_t target_stages =
      iree_hal_module_read_u32(&args);
  const iree_hal_execution_barrier_flags_t flags =
      iree_hal_module_read_u64(&args);
  // Programs say nothing of memory: all that was written before is seen after.
  const iree_hal_memory_barrier_t barrier = {
      IREE_HAL_ACCESS_SCOPE_MEMORY_WRITE,
      IREE_HAL_ACCESS_SCOPE_MEMORY_READ | IREE_HAL_ACCESS_SCOPE_MEMORY_WRITE,
  };
  return iree_hal_command_buffer_execution_barrier(command_buffer,
                                                   source_stages, target_stages,
                                                   flags, 1, &barrier, 0, NULL);
}

IREE_HAL_MODULE_EXPORT(command_buffer_advise_buffer) {
  IREE_HAL_MODULE_ARGUMENTS("command_buffer.advise_buffer");
  iree_hal_command_buffer_t* command_buffer = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_command_buffer(
      &args, "command_buffer", &command_buffer));
  iree_hal_buffer_ref_t ref = {0};
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_buffer_or_null(&args, "buffer", &ref.buffer));
  const uint64_t flags = iree_hal_module_read_u64(&args);
  const uint64_t arg0 = iree_hal_module_read_u64(&args);
  const uint64_t arg1 = iree_hal_module_read_u64(&args);
  ref.buffer_slot = iree_hal_module_read_u32(&args);
  ref.length = IREE_HAL_WHOLE_BUFFER;
  return iree_hal_command_buffer_advise_buffer(command_buffer, ref, flags, arg0,
                                               arg1);
}

IREE_HAL_MODULE_EXPORT(command_buffer_fill_buffer) {
  IREE_HAL_MODULE_ARGUMENTS("command_buffer.fill_buffer");
  iree_hal_command_buffer_t* command_buffer = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_command_buffer(
      &args, "command_buffer", &command_buffer));
  iree_hal_buffer_ref_t target = {0};
  IREE_RETURN_IF_ERROR(iree_hal_module_read_buffer_or_null(
      &args, "target_buffer", &target.buffer));
  target.offset = iree_hal_module_read_u64(&args);
  target.length = iree_hal_module_read_u64(&args);
  target.buffer_slot = iree_hal_module_read_u32(&args);
  const uint64_t pattern = iree_hal_module_read_u64(&args);
  const uint32_t pattern_length = iree_hal_module_read_u32(&args);
  const iree_hal_fill_flags_t flags = iree_hal_module_read_u64(&args);
  if (pattern_length > sizeof(pattern)) {
    return iree_hal_module_value_error(args.function, "pattern_length",
                                       (int32_t)pattern_length);
  }
  return iree_hal_command_buffer_fill_buffer(command_buffer, target, &pattern,
                                             pattern_length, flags);
}

IREE_HAL_MODULE_EXPORT(command_buffer_update_buffer) {
  IREE_HAL_MODULE_ARGUMENTS("command_buffer.update_buffer");
  iree_hal_command_buffer_t* command_buffer = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_command_buffer(
      &args, "command_buffer", &command_buffer));
  iree_vm_buffer_t* source = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_vm_buffer(&args, "source_buffer", &source));
  const uint64_t source_offset = iree_hal_module_read_u64(&args);
  iree_hal_buffer_ref_t target = {0};
  IREE_RETURN_IF_ERROR(iree_hal_module_read_buffer_or_null(
      &args, "target_buffer", &target.buffer));
  target.offset = iree_hal_module_read_u64(&args);
  target.length = iree_hal_module_read_u64(&args);
  target.buffer_slot = iree_hal_module_read_u32(&args);
  const iree_hal_update_flags_t flags = iree_hal_module_read_u64(&args);
  iree_const_byte_span_t span = iree_const_byte_span_empty();
  IREE_RETURN_IF_ERROR(
      iree_vm_buffer_map_ro(source, source_offset, target.length, 1, &span));
  return iree_hal_command_buffer_update_buffer(command_buffer, span.data, 0,
                                               target, flags);
}

IREE_HAL_MODULE_EXPORT(command_buffer_copy_buffer) {
  IREE_HAL_MODULE_ARGUMENTS("command_buffer.copy_buffer");
  iree_hal_command_buffer_t* command_buffer = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_command_buffer(
      &args, "command_buffer", &command_buffer));
  iree_hal_buffer_ref_t source = {0};
  iree_hal_buffer_ref_t target = {0};
  source.buffer_slot = iree_hal_module_read_u32(&args);
  target.buffer_slot = iree_hal_module_read_u32(&args);
  IREE_RETURN_IF_ERROR(iree_hal_module_read_buffer_or_null(
      &args, "source_buffer", &source.buffer));
  source.offset = iree_hal_module_read_u64(&args);
  IREE_RETURN_IF_ERROR(iree_hal_module_read_buffer_or_null(
      &args, "target_buffer", &target.buffer));
  target.offset = iree_hal_module_read_u64(&args);
  source.length = target.length = iree_hal_module_read_u64(&args);
  const iree_hal_copy_flags_t flags = iree_hal_module_read_u64(&args);
  return iree_hal_command_buffer_copy_buffer(command_buffer, source, target,
                                             flags);
}

// What both kinds of dispatch end with: constants, then bindings.
static inline iree_status_t iree_hal_module_record_dispatch(
    iree_hal_module_arguments_t* args,
    iree_hal_command_buffer_t* command_buffer,
    iree_hal_executable_t* executable, iree_hal_executable_function_t function,
    const iree_hal_dispatch_config_t* config, iree_hal_dispatch_flags_t flags) {
  const iree_host_size_t constant_count = iree_hal_module_read_count(args);
  if (IREE_UNLIKELY(constant_count > IREE_HAL_DISPATCH_MAX_CONSTANT_COUNT)) {
    return iree_hal_module_count_error(args->function, "constants",
                                       constant_count,
                                       IREE_HAL_DISPATCH_MAX_CONSTANT_COUNT);
  }
  const iree_const_byte_span_t constants = iree_make_const_byte_span(
      args->cursor, constant_count * sizeof(uint32_t));
  args->cursor += constants.data_length;

  const iree_host_size_t binding_count = iree_hal_module_read_count(args);
  if (IREE_UNLIKELY(binding_count > IREE_HAL_DISPATCH_MAX_BINDING_COUNT)) {
    return iree_hal_module_count_error(args->function, "bindings",
                                       binding_count,
                                       IREE_HAL_DISPATCH_MAX_BINDING_COUNT);
  }
  iree_hal_buffer_ref_t bindings[IREE_HAL_DISPATCH_MAX_BINDING_COUNT];
  for (iree_host_size_t i = 0; i < binding_count; ++i) {
    iree_hal_module_read_u32(args);  // reserved
    bindings[i].reserved = 0;
    bindings[i].buffer_slot = iree_hal_module_read_u32(args);
    IREE_RETURN_IF_ERROR(iree_hal_module_read_buffer_or_null(
        args, "bindings", &bindings[i].buffer));
    bindings[i].offset = iree_hal_module_read_u64(args);
    bindings[i].length = iree_hal_module_read_u64(args);
  }
  const iree_hal_buffer_ref_list_t list = {binding_count, bindings};
  return iree_hal_command_buffer_dispatch(command_buffer, executable, function,
                                          config, constants, list, flags);
}

IREE_HAL_MODULE_EXPORT(command_buffer_dispatch) {
  IREE_HAL_MODULE_ARGUMENTS("command_buffer.dispatch");
  iree_hal_command_buffer_t* command_buffer = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_command_buffer(
      &args, "command_buffer", &command_buffer));
  iree_hal_executable_t* executable = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_executable(&args, "executable", &executable));
  const iree_hal_executable_function_t function = {
      iree_hal_module_read_u64(&args)};
  iree_hal_dispatch_config_t config = {.size = sizeof(config)};
  config.workgroup_count[0] = iree_hal_module_read_u32(&args);
  config.workgroup_count[1] = iree_hal_module_read_u32(&args);
  config.workgroup_count[2] = iree_hal_module_read_u32(&args);
  // The count is here, so nothing may send the device to look for it.
  const iree_hal_dispatch_flags_t flags =
      iree_hal_module_read_u64(&args) &
      ~(iree_hal_dispatch_flags_t)(IREE_HAL_DISPATCH_FLAG_STATIC_INDIRECT_PARAMETERS |
                                   IREE_HAL_DISPATCH_FLAG_DYNAMIC_INDIRECT_PARAMETERS);
  return iree_hal_module_record_dispatch(&args, command_buffer, executable,
                                         function, &config, flags);
}

IREE_HAL_MODULE_EXPORT(command_buffer_dispatch_indirect) {
  IREE_HAL_MODULE_ARGUMENTS("command_buffer.dispatch.indirect");
  iree_hal_command_buffer_t* command_buffer = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_command_buffer(
      &args, "command_buffer", &command_buffer));
  iree_hal_executable_t* executable = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_executable(&args, "executable", &executable));
  const iree_hal_executable_function_t function = {
      iree_hal_module_read_u64(&args)};
  iree_hal_dispatch_config_t config = {.size = sizeof(config)};
  config.workgroup_count_ref.buffer_slot = iree_hal_module_read_u32(&args);
  IREE_RETURN_IF_ERROR(iree_hal_module_read_buffer_or_null(
      &args, "workgroups_buffer", &config.workgroup_count_ref.buffer));
  config.workgroup_count_ref.offset = iree_hal_module_read_u64(&args);
  config.workgroup_count_ref.length = sizeof(config.workgroup_count);
  iree_hal_dispatch_flags_t flags = iree_hal_module_read_u64(&args);
  if (!iree_hal_dispatch_uses_indirect_parameters(flags)) {
    flags |= IREE_HAL_DISPATCH_FLAG_DYNAMIC_INDIRECT_PARAMETERS;
  }
  return iree_hal_module_record_dispatch(&args, command_buffer, executable,
                                         function, &config, flags);
}
