// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns hal.device.queue.*.

#include "iree_cy/native/modules/hal/module_impl.h"

// What every queue operation begins with. The lists are borrowed from fences
// that the caller keeps during the call.
typedef struct iree_hal_module_operation_t {
  iree_hal_device_t* device;
  iree_hal_queue_affinity_t queue_affinity;
  iree_hal_semaphore_list_t wait_list;
  iree_hal_semaphore_list_t signal_list;
} iree_hal_module_operation_t;

// An operation that waits for what it signals itself would wait for good, and
// be kept for good by what it signals.
static inline IREE_MUST_USE_RESULT iree_status_t
iree_hal_module_check_operation(const char* function,
                                iree_hal_semaphore_list_t wait_list,
                                iree_hal_semaphore_list_t signal_list) {
  for (iree_host_size_t i = 0; i < wait_list.count; ++i) {
    for (iree_host_size_t j = 0; j < signal_list.count; ++j) {
      if (IREE_LIKELY(wait_list.semaphores[i] != signal_list.semaphores[j] ||
                      wait_list.payload_values[i] <
                          signal_list.payload_values[j])) {
        continue;
      }
      return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                              "hal.%s: argument 'wait_fence' waits for what "
                              "'signal_fence' signals",
                              function);
    }
  }
  return iree_ok_status();
}

static inline IREE_MUST_USE_RESULT iree_status_t
iree_hal_module_read_operation(iree_hal_module_arguments_t* args,
                               iree_hal_module_operation_t* out_operation) {
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_device(args, "device", &out_operation->device));
  out_operation->queue_affinity = iree_hal_module_read_u64(args);
  iree_hal_fence_t* wait_fence = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_fence_or_null(args, "wait_fence", &wait_fence));
  iree_hal_fence_t* signal_fence = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_fence_or_null(args, "signal_fence", &signal_fence));
  out_operation->wait_list = iree_hal_fence_semaphore_list(wait_fence);
  out_operation->signal_list = iree_hal_fence_semaphore_list(signal_fence);
  return iree_hal_module_check_operation(
      args->function, out_operation->wait_list, out_operation->signal_list);
}

IREE_HAL_MODULE_EXPORT(device_queue_alloca) {
  IREE_HAL_MODULE_ARGUMENTS("device.queue.alloca");
  iree_hal_module_operation_t operation;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_operation(&args, &operation));
  const uint64_t pool = iree_hal_module_read_u64(&args);
  if (pool != 0) {
    return iree_make_status(IREE_STATUS_UNIMPLEMENTED,
                            "hal.%s: argument 'pool' is %" PRIu64
                            ", pools of programs are not implemented",
                            args.function, pool);
  }
  iree_hal_buffer_params_t params = {0};
  params.queue_affinity = operation.queue_affinity;
  params.type = iree_hal_module_read_u32(&args);
  params.usage = iree_hal_module_read_u32(&args);
  const iree_device_size_t size = iree_hal_module_read_u64(&args);
  if (size > (iree_device_size_t)INT64_MAX) {
    return iree_hal_module_value_error(args.function, "allocation_size",
                                       (int64_t)size);
  }
  const iree_hal_alloca_flags_t flags = iree_hal_module_read_u64(&args);

  iree_cy_vm_budget_t* budget = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_module_charge(stack, size, &budget));
  iree_hal_buffer_t* buffer = NULL;
  iree_status_t status = iree_hal_device_queue_alloca(
      operation.device, operation.queue_affinity, operation.wait_list,
      operation.signal_list, params, size, flags, &buffer);
  if (!iree_status_is_ok(status)) {
    iree_hal_module_uncharge(budget, size);
    return status;
  }
  status = iree_hal_module_charge_buffer(budget, size, state->host_allocator,
                                         buffer);
  if (!iree_status_is_ok(status)) {
    iree_hal_buffer_release(buffer);
    return status;
  }
  iree_hal_module_return_ref(results, IREE_HAL_MODULE_TYPE(buffer), buffer);
  return iree_ok_status();
}

IREE_HAL_MODULE_EXPORT(device_queue_dealloca) {
  IREE_HAL_MODULE_ARGUMENTS("device.queue.dealloca");
  iree_hal_module_operation_t operation;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_operation(&args, &operation));
  iree_hal_buffer_t* buffer = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_buffer(&args, "buffer", &buffer));
  const iree_hal_dealloca_flags_t flags = iree_hal_module_read_u64(&args);
  return iree_hal_device_queue_dealloca(
      operation.device, operation.queue_affinity, operation.wait_list,
      operation.signal_list, buffer, flags);
}

IREE_HAL_MODULE_EXPORT(device_queue_fill) {
  IREE_HAL_MODULE_ARGUMENTS("device.queue.fill");
  iree_hal_module_operation_t operation;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_operation(&args, &operation));
  iree_hal_buffer_t* target = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_buffer(&args, "target_buffer", &target));
  const iree_device_size_t offset = iree_hal_module_read_u64(&args);
  const iree_device_size_t length = iree_hal_module_read_u64(&args);
  const uint64_t pattern = iree_hal_module_read_u64(&args);
  const uint32_t pattern_length = iree_hal_module_read_u32(&args);
  const iree_hal_fill_flags_t flags = iree_hal_module_read_u64(&args);
  if (pattern_length > sizeof(pattern)) {
    return iree_hal_module_value_error(args.function, "pattern_length",
                                       (int32_t)pattern_length);
  }
  return iree_hal_device_queue_fill(operation.device, operation.queue_affinity,
                                    operation.wait_list, operation.signal_list,
                                    target, offset, length, &pattern,
                                    pattern_length, flags);
}

IREE_HAL_MODULE_EXPORT(device_queue_update) {
  IREE_HAL_MODULE_ARGUMENTS("device.queue.update");
  iree_hal_module_operation_t operation;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_operation(&args, &operation));
  iree_vm_buffer_t* source = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_vm_buffer(&args, "source_buffer", &source));
  const uint64_t source_offset = iree_hal_module_read_u64(&args);
  iree_hal_buffer_t* target = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_buffer(&args, "target_buffer", &target));
  const iree_device_size_t target_offset = iree_hal_module_read_u64(&args);
  const iree_device_size_t length = iree_hal_module_read_u64(&args);
  const iree_hal_update_flags_t flags = iree_hal_module_read_u64(&args);
  iree_const_byte_span_t span = iree_const_byte_span_empty();
  IREE_RETURN_IF_ERROR(
      iree_vm_buffer_map_ro(source, source_offset, length, 1, &span));
  return iree_hal_device_queue_update(
      operation.device, operation.queue_affinity, operation.wait_list,
      operation.signal_list, span.data, 0, target, target_offset, length,
      flags);
}

IREE_HAL_MODULE_EXPORT(device_queue_copy) {
  IREE_HAL_MODULE_ARGUMENTS("device.queue.copy");
  iree_hal_module_operation_t operation;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_operation(&args, &operation));
  iree_hal_buffer_t* source = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_buffer(&args, "source_buffer", &source));
  const iree_device_size_t source_offset = iree_hal_module_read_u64(&args);
  iree_hal_buffer_t* target = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_buffer(&args, "target_buffer", &target));
  const iree_device_size_t target_offset = iree_hal_module_read_u64(&args);
  const iree_device_size_t length = iree_hal_module_read_u64(&args);
  const iree_hal_copy_flags_t flags = iree_hal_module_read_u64(&args);
  return iree_hal_device_queue_copy(operation.device, operation.queue_affinity,
                                    operation.wait_list, operation.signal_list,
                                    source, source_offset, target,
                                    target_offset, length, flags);
}

IREE_HAL_MODULE_EXPORT(device_queue_read) {
  IREE_HAL_MODULE_ARGUMENTS("device.queue.read");
  iree_hal_module_operation_t operation;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_operation(&args, &operation));
  iree_hal_file_t* source = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_file(&args, "source_file", &source));
  const uint64_t source_offset = iree_hal_module_read_u64(&args);
  iree_hal_buffer_t* target = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_buffer(&args, "target_buffer", &target));
  const iree_device_size_t target_offset = iree_hal_module_read_u64(&args);
  const iree_device_size_t length = iree_hal_module_read_u64(&args);
  const iree_hal_read_flags_t flags = iree_hal_module_read_u64(&args);
  return iree_hal_device_queue_read(operation.device, operation.queue_affinity,
                                    operation.wait_list, operation.signal_list,
                                    source, source_offset, target,
                                    target_offset, length, flags);
}

IREE_HAL_MODULE_EXPORT(device_queue_write) {
  IREE_HAL_MODULE_ARGUMENTS("device.queue.write");
  iree_hal_module_operation_t operation;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_operation(&args, &operation));
  iree_hal_buffer_t* source = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_buffer(&args, "source_buffer", &source));
  const iree_device_size_t source_offset = iree_hal_module_read_u64(&args);
  iree_hal_file_t* target = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_file(&args, "target_file", &target));
  const uint64_t target_offset = iree_hal_module_read_u64(&args);
  const iree_device_size_t length = iree_hal_module_read_u64(&args);
  const iree_hal_write_flags_t flags = iree_hal_module_read_u64(&args);
  return iree_hal_device_queue_write(operation.device, operation.queue_affinity,
                                     operation.wait_list, operation.signal_list,
                                     source, source_offset, target,
                                     target_offset, length, flags);
}

IREE_HAL_MODULE_EXPORT(device_queue_barrier) {
  IREE_HAL_MODULE_ARGUMENTS("device.queue.barrier");
  iree_hal_module_operation_t operation;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_operation(&args, &operation));
  const iree_hal_execute_flags_t flags = iree_hal_module_read_u64(&args);
  return iree_hal_device_queue_barrier(
      operation.device, operation.queue_affinity, operation.wait_list,
      operation.signal_list, flags);
}

IREE_HAL_MODULE_EXPORT(device_queue_execute) {
  IREE_HAL_MODULE_ARGUMENTS("device.queue.execute");
  iree_hal_module_operation_t operation;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_operation(&args, &operation));
  iree_hal_command_buffer_t* command_buffer = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_command_buffer(
      &args, "command_buffer", &command_buffer));
  const iree_hal_execute_flags_t flags = iree_hal_module_read_u64(&args);
  return iree_hal_device_queue_execute(
      operation.device, operation.queue_affinity, operation.wait_list,
      operation.signal_list, command_buffer,
      iree_hal_buffer_binding_table_empty(), flags);
}

static inline IREE_MUST_USE_RESULT iree_status_t
iree_hal_module_read_binding_table(iree_hal_module_arguments_t* args,
                                   iree_host_size_t count,
                                   iree_hal_buffer_binding_t* bindings) {
  for (iree_host_size_t i = 0; i < count; ++i) {
    IREE_RETURN_IF_ERROR(iree_hal_module_read_buffer_or_null(
        args, "binding_table", &bindings[i].buffer));
    bindings[i].offset = iree_hal_module_read_u64(args);
    bindings[i].length = iree_hal_module_read_u64(args);
  }
  return iree_ok_status();
}

IREE_HAL_MODULE_EXPORT(device_queue_execute_indirect) {
  IREE_HAL_MODULE_ARGUMENTS("device.queue.execute.indirect");
  iree_hal_module_operation_t operation;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_operation(&args, &operation));
  iree_hal_command_buffer_t* command_buffer = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_command_buffer(
      &args, "command_buffer", &command_buffer));
  const iree_hal_execute_flags_t flags = iree_hal_module_read_u64(&args);

  const iree_host_size_t count = iree_hal_module_read_count(&args);
  iree_hal_buffer_binding_t storage[IREE_HAL_MODULE_STACK_LIST_CAPACITY];
  iree_hal_buffer_binding_t* bindings = storage;
  const iree_allocator_t allocator = iree_vm_stack_program_allocator(stack);
  if (IREE_UNLIKELY(count > IREE_ARRAYSIZE(storage))) {
    IREE_RETURN_IF_ERROR(iree_allocator_malloc_array(
        allocator, count, sizeof(*bindings), (void**)&bindings));
  }
  iree_status_t status =
      iree_hal_module_read_binding_table(&args, count, bindings);
  if (iree_status_is_ok(status)) {
    const iree_hal_buffer_binding_table_t table = {count, bindings};
    status = iree_hal_device_queue_execute(
        operation.device, operation.queue_affinity, operation.wait_list,
        operation.signal_list, command_buffer, table, flags);
  }
  if (bindings != storage) iree_allocator_free(allocator, bindings);
  return status;
}

IREE_HAL_MODULE_EXPORT(device_queue_flush) {
  IREE_HAL_MODULE_ARGUMENTS("device.queue.flush");
  iree_hal_device_t* device = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_device(&args, "device", &device));
  const iree_hal_queue_affinity_t queue_affinity =
      iree_hal_module_read_u64(&args);
  return iree_hal_device_queue_flush(device, queue_affinity);
}
