// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns devices: their base, and the checks before each queue operation.

#include "iree_cy/hal/device.h"

#include "iree_cy/native/base/fork.h"
#include "iree_cy/native/base/gate.h"
#include "iree_cy/native/hal/call_scope.h"
#include "iree_cy/native/hal/dispatch_config.h"
#include "iree_cy/native/hal/file_impl.h"
#include "iree_cy/native/hal/queue_operation.h"
#include "iree_cy/native/hal/recording_state.h"
#include "iree_cy/native/hal/semaphore_impl.h"

static const iree_hal_device_vtable_t* device_vtable(
    const iree_hal_device_t* device) {
  return (const iree_hal_device_vtable_t*)device->resource.vtable;
}

//===-- base ----------------------------------------------------------------===

iree_status_t iree_hal_device_initialize(const iree_hal_device_vtable_t* vtable,
                                         iree_string_view_t identifier,
                                         iree_hal_allocator_t* device_allocator,
                                         iree_allocator_t host_allocator,
                                         iree_hal_device_t* device) {
  if (IREE_UNLIKELY(!vtable || !device_allocator || !device ||
                    (identifier.size && !identifier.data))) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "a device needs a registered vtable, a name and an "
                            "allocator");
  }
  if (IREE_UNLIKELY(
          !iree_cy_vtable_is_registered(IREE_CY_OBJECT_KIND_DEVICE, vtable))) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "the vtable of a device of '%.*s' is not one that "
                            "iree_cy_register_vtable gave; use what it gives",
                            IREE_SV_ARG(identifier));
  }
  memset(device, 0, sizeof(*device));
  void* copy = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_clone(
      host_allocator,
      iree_make_const_byte_span(identifier.data, identifier.size), &copy));
  device->host_allocator = host_allocator;
  device->identifier =
      iree_make_string_view((const char*)copy, identifier.size);
  device->device_allocator = device_allocator;
  iree_hal_allocator_retain(device_allocator);
  device->fork_generation = *iree_cy_fork_generation_pointer();
  iree_hal_resource_initialize(vtable, &device->resource);
  return iree_ok_status();
}

void iree_hal_device_deinitialize(iree_hal_device_t* device) {
  iree_hal_allocator_release(device->device_allocator);
  device->device_allocator = NULL;
  iree_allocator_free(device->host_allocator, (void*)device->identifier.data);
  device->identifier = iree_string_view_empty();
}

void iree_hal_device_retain(iree_hal_device_t* device) {
  iree_hal_resource_retain(device);
}

void iree_hal_device_release(iree_hal_device_t* device) {
  iree_hal_resource_release(device);
}

iree_string_view_t iree_hal_device_id(const iree_hal_device_t* device) {
  return device ? device->identifier : iree_string_view_empty();
}

iree_allocator_t iree_hal_device_host_allocator(
    const iree_hal_device_t* device) {
  return device->host_allocator;
}

iree_hal_allocator_t* iree_hal_device_allocator(
    const iree_hal_device_t* device) {
  return device->device_allocator;
}

void iree_hal_device_replace_allocator(iree_hal_device_t* device,
                                       iree_hal_allocator_t* new_allocator) {
  device_vtable(device)->replace_allocator(device, new_allocator);
  iree_hal_allocator_retain(new_allocator);
  iree_hal_allocator_release(device->device_allocator);
  device->device_allocator = new_allocator;
}

//===-- checks --------------------------------------------------------------===

static iree_status_t refuse_null_device(void) {
  return iree_make_status(IREE_STATUS_INVALID_ARGUMENT, "the device is null");
}

static iree_status_t refuse_null(const char* operation, const char* what) {
  return iree_make_status(IREE_STATUS_INVALID_ARGUMENT, "%s: %s is null",
                          operation, what);
}

// What every queue operation is given.
static inline iree_status_t check_submission(
    iree_hal_device_t* device, iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list) {
  if (IREE_UNLIKELY(!device)) return refuse_null_device();
  IREE_RETURN_IF_ERROR(iree_cy_gate_pass());
  IREE_RETURN_IF_ERROR(
      iree_hal_semaphore_list_validate(wait_semaphore_list, "wait"));
  IREE_RETURN_IF_ERROR(
      iree_hal_semaphore_list_validate(signal_semaphore_list, "signal"));
  return iree_hal_call_scope_check();
}

// Checks the part of |buffer| that |operation| uses, and makes a length of
// WHOLE_BUFFER a number.
static iree_status_t check_buffer(const char* operation, const char* role,
                                  iree_hal_buffer_t* buffer,
                                  iree_hal_memory_access_t access,
                                  iree_hal_buffer_usage_t usage,
                                  iree_device_size_t offset,
                                  iree_device_size_t* inout_length) {
  if (IREE_UNLIKELY(!buffer)) return refuse_null(operation, role);
  iree_device_size_t adjusted_offset = 0;
  iree_status_t status = iree_hal_buffer_calculate_range(
      0, iree_hal_buffer_byte_length(buffer), offset, *inout_length,
      &adjusted_offset, inout_length);
  if (iree_status_is_ok(status)) {
    status = iree_hal_buffer_validate_access(
        iree_hal_buffer_allowed_access(buffer), access);
  }
  if (iree_status_is_ok(status)) {
    status = iree_hal_buffer_validate_usage(
        iree_hal_buffer_allowed_usage(buffer), usage);
  }
  return iree_status_annotate_f(status, "%s: %s", operation, role);
}

//===-- questions -----------------------------------------------------------===

iree_status_t iree_hal_device_trim(iree_hal_device_t* device) {
  if (IREE_UNLIKELY(!device)) return refuse_null_device();
  return device_vtable(device)->trim(device);
}

iree_status_t iree_hal_device_query_i64(iree_hal_device_t* device,
                                        iree_string_view_t category,
                                        iree_string_view_t key,
                                        int64_t* out_value) {
  if (out_value) *out_value = 0;
  if (IREE_UNLIKELY(!device)) return refuse_null_device();
  if (IREE_UNLIKELY(!out_value)) {
    return refuse_null("a device query", "the place for its answer");
  }
  return device_vtable(device)->query_i64(device, category, key, out_value);
}

iree_status_t iree_hal_device_query_capabilities(
    iree_hal_device_t* device,
    iree_hal_device_capabilities_t* out_capabilities) {
  if (IREE_UNLIKELY(!device)) return refuse_null_device();
  if (IREE_UNLIKELY(!out_capabilities)) {
    return refuse_null("a capability query", "the place for its answer");
  }
  // The asker may know less of the struct, or more, than this core.
  const uint32_t size = out_capabilities->size;
  if (IREE_UNLIKELY(size < offsetof(iree_hal_device_capabilities_t, flags))) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "a capability query must say the size of its "
                            "struct, which is %zu, not %" PRIu32,
                            sizeof(*out_capabilities), size);
  }
  iree_hal_device_capabilities_t capabilities;
  memset(&capabilities, 0, sizeof(capabilities));
  capabilities.size = sizeof(capabilities);
  capabilities.queue_count = 1;
  iree_status_t status =
      device_vtable(device)->query_capabilities(device, &capabilities);
  if (!iree_status_is_ok(status)) {
    memset(&capabilities, 0, sizeof(capabilities));
  }
  memset(out_capabilities, 0, size);
  memcpy(out_capabilities, &capabilities,
         iree_min(size, (uint32_t)sizeof(capabilities)));
  out_capabilities->size = size;
  return status;
}

//===-- queue operations ----------------------------------------------------===

iree_status_t iree_hal_device_queue_alloca(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_buffer_params_t params, iree_device_size_t allocation_size,
    iree_hal_alloca_flags_t flags, iree_hal_buffer_t** out_buffer) {
  if (out_buffer) *out_buffer = NULL;
  IREE_RETURN_IF_ERROR(
      check_submission(device, wait_semaphore_list, signal_semaphore_list));
  if (IREE_UNLIKELY(!out_buffer)) {
    return refuse_null("queue_alloca", "the place for the buffer");
  }
  if (IREE_UNLIKELY(params.min_alignment &&
                    (params.min_alignment & (params.min_alignment - 1)) != 0)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "queue_alloca: an alignment of %" PRIdsz
                            " bytes is not a power of two",
                            params.min_alignment);
  }
  iree_hal_buffer_params_canonicalize(&params);
  iree_status_t status = device_vtable(device)->queue_alloca(
      device, queue_affinity, wait_semaphore_list, signal_semaphore_list,
      params, allocation_size, flags, out_buffer);
  status = iree_cy_check_result(status, *out_buffer, device,
                                "iree_hal_device_t.queue_alloca", "buffer");
  return iree_hal_call_scope_track(status, signal_semaphore_list);
}

iree_status_t iree_hal_device_queue_dealloca(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list, iree_hal_buffer_t* buffer,
    iree_hal_dealloca_flags_t flags) {
  IREE_RETURN_IF_ERROR(
      check_submission(device, wait_semaphore_list, signal_semaphore_list));
  if (IREE_UNLIKELY(!buffer)) return refuse_null("queue_dealloca", "buffer");
  return iree_hal_call_scope_track(
      device_vtable(device)->queue_dealloca(
          device, queue_affinity, wait_semaphore_list, signal_semaphore_list,
          buffer, flags),
      signal_semaphore_list);
}

iree_status_t iree_hal_device_queue_fill(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_buffer_t* target_buffer, iree_device_size_t target_offset,
    iree_device_size_t length, const void* pattern,
    iree_host_size_t pattern_length, iree_hal_fill_flags_t flags) {
  IREE_RETURN_IF_ERROR(
      check_submission(device, wait_semaphore_list, signal_semaphore_list));
  if (IREE_UNLIKELY(!pattern)) return refuse_null("queue_fill", "pattern");
  if (IREE_UNLIKELY(pattern_length != 1 && pattern_length != 2 &&
                    pattern_length != 4)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "queue_fill: a pattern has 1, 2 or 4 bytes, not "
                            "%" PRIhsz,
                            pattern_length);
  }
  IREE_RETURN_IF_ERROR(check_buffer(
      "queue_fill", "target", target_buffer, IREE_HAL_MEMORY_ACCESS_WRITE,
      IREE_HAL_BUFFER_USAGE_TRANSFER_TARGET, target_offset, &length));
  if (IREE_UNLIKELY(target_offset % pattern_length ||
                    length % pattern_length)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "queue_fill: offset %" PRIdsz " and length %" PRIdsz
                            " must be multiples of the pattern, %" PRIhsz
                            " bytes",
                            target_offset, length, pattern_length);
  }
  return iree_hal_call_scope_track(
      device_vtable(device)->queue_fill(
          device, queue_affinity, wait_semaphore_list, signal_semaphore_list,
          target_buffer, target_offset, length, pattern, pattern_length, flags),
      signal_semaphore_list);
}

iree_status_t iree_hal_device_queue_update(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list, const void* source_buffer,
    iree_host_size_t source_offset, iree_hal_buffer_t* target_buffer,
    iree_device_size_t target_offset, iree_device_size_t length,
    iree_hal_update_flags_t flags) {
  IREE_RETURN_IF_ERROR(
      check_submission(device, wait_semaphore_list, signal_semaphore_list));
  IREE_RETURN_IF_ERROR(check_buffer(
      "queue_update", "target", target_buffer, IREE_HAL_MEMORY_ACCESS_WRITE,
      IREE_HAL_BUFFER_USAGE_TRANSFER_TARGET, target_offset, &length));
  if (IREE_UNLIKELY(!source_buffer && length)) {
    return refuse_null("queue_update", "source");
  }
  iree_host_size_t source_end = 0;
  if (IREE_UNLIKELY(length > IREE_HOST_SIZE_MAX ||
                    !iree_host_size_checked_add(
                        source_offset, (iree_host_size_t)length, &source_end) ||
                    (uintptr_t)source_buffer > UINTPTR_MAX - source_end)) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "queue_update: %" PRIdsz " bytes at offset %" PRIhsz
                            " of the source go beyond host memory",
                            length, source_offset);
  }
  return iree_hal_call_scope_track(
      device_vtable(device)->queue_update(
          device, queue_affinity, wait_semaphore_list, signal_semaphore_list,
          source_buffer, source_offset, target_buffer, target_offset, length,
          flags),
      signal_semaphore_list);
}

iree_status_t iree_hal_device_queue_copy(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_buffer_t* source_buffer, iree_device_size_t source_offset,
    iree_hal_buffer_t* target_buffer, iree_device_size_t target_offset,
    iree_device_size_t length, iree_hal_copy_flags_t flags) {
  IREE_RETURN_IF_ERROR(
      check_submission(device, wait_semaphore_list, signal_semaphore_list));
  IREE_RETURN_IF_ERROR(check_buffer(
      "queue_copy", "source", source_buffer, IREE_HAL_MEMORY_ACCESS_READ,
      IREE_HAL_BUFFER_USAGE_TRANSFER_SOURCE, source_offset, &length));
  IREE_RETURN_IF_ERROR(check_buffer(
      "queue_copy", "target", target_buffer, IREE_HAL_MEMORY_ACCESS_WRITE,
      IREE_HAL_BUFFER_USAGE_TRANSFER_TARGET, target_offset, &length));
  if (IREE_UNLIKELY(iree_hal_buffer_test_overlap(source_buffer, source_offset,
                                                 length, target_buffer,
                                                 target_offset, length))) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "queue_copy: source and target overlap, %" PRIdsz
                            " bytes from offset %" PRIdsz " to %" PRIdsz,
                            length, source_offset, target_offset);
  }
  return iree_hal_call_scope_track(
      device_vtable(device)->queue_copy(
          device, queue_affinity, wait_semaphore_list, signal_semaphore_list,
          source_buffer, source_offset, target_buffer, target_offset, length,
          flags),
      signal_semaphore_list);
}

iree_status_t iree_hal_device_queue_read(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_file_t* source_file, uint64_t source_offset,
    iree_hal_buffer_t* target_buffer, iree_device_size_t target_offset,
    iree_device_size_t length, iree_hal_read_flags_t flags) {
  IREE_RETURN_IF_ERROR(
      check_submission(device, wait_semaphore_list, signal_semaphore_list));
  IREE_RETURN_IF_ERROR(check_buffer(
      "queue_read", "target", target_buffer, IREE_HAL_MEMORY_ACCESS_WRITE,
      IREE_HAL_BUFFER_USAGE_TRANSFER_TARGET, target_offset, &length));
  IREE_RETURN_IF_ERROR(iree_cy_file_validate(
      source_file, IREE_HAL_MEMORY_ACCESS_READ, source_offset, length));
  return iree_hal_call_scope_track(
      device_vtable(device)->queue_read(
          device, queue_affinity, wait_semaphore_list, signal_semaphore_list,
          source_file, source_offset, target_buffer, target_offset, length,
          flags),
      signal_semaphore_list);
}

iree_status_t iree_hal_device_queue_write(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_buffer_t* source_buffer, iree_device_size_t source_offset,
    iree_hal_file_t* target_file, uint64_t target_offset,
    iree_device_size_t length, iree_hal_write_flags_t flags) {
  IREE_RETURN_IF_ERROR(
      check_submission(device, wait_semaphore_list, signal_semaphore_list));
  IREE_RETURN_IF_ERROR(check_buffer(
      "queue_write", "source", source_buffer, IREE_HAL_MEMORY_ACCESS_READ,
      IREE_HAL_BUFFER_USAGE_TRANSFER_SOURCE, source_offset, &length));
  IREE_RETURN_IF_ERROR(iree_cy_file_validate(
      target_file, IREE_HAL_MEMORY_ACCESS_WRITE, target_offset, length));
  return iree_hal_call_scope_track(
      device_vtable(device)->queue_write(
          device, queue_affinity, wait_semaphore_list, signal_semaphore_list,
          source_buffer, source_offset, target_file, target_offset, length,
          flags),
      signal_semaphore_list);
}

iree_status_t iree_hal_device_queue_host_call(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list, iree_hal_host_call_t call,
    const uint64_t args[4], iree_hal_host_call_flags_t flags) {
  IREE_RETURN_IF_ERROR(
      check_submission(device, wait_semaphore_list, signal_semaphore_list));
  if (IREE_UNLIKELY(!call.fn)) {
    return refuse_null("queue_host_call", "the function");
  }
  if (IREE_UNLIKELY(!args)) return refuse_null("queue_host_call", "args");
  return iree_hal_call_scope_track(
      device_vtable(device)->queue_host_call(
          device, queue_affinity, wait_semaphore_list, signal_semaphore_list,
          call, args, flags),
      signal_semaphore_list);
}

// Checks one binding of a dispatch that is not recorded, so that there is no
// binding table.
static iree_status_t check_dispatch_binding(iree_host_size_t index,
                                            iree_hal_buffer_ref_t ref) {
  if (IREE_UNLIKELY(!ref.buffer)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "queue_dispatch: binding %" PRIhsz
                            " has no buffer, and there is no binding table",
                            index);
  }
  // Whether it is read or written is known to the function alone.
  const iree_hal_memory_access_t access =
      iree_any_bit_set(iree_hal_buffer_allowed_access(ref.buffer),
                       IREE_HAL_MEMORY_ACCESS_READ)
          ? IREE_HAL_MEMORY_ACCESS_READ
          : IREE_HAL_MEMORY_ACCESS_WRITE;
  const iree_hal_buffer_usage_t storage =
      iree_any_bit_set(iree_hal_buffer_allowed_usage(ref.buffer),
                       IREE_HAL_BUFFER_USAGE_DISPATCH_STORAGE)
          ? IREE_HAL_BUFFER_USAGE_NONE
          : IREE_HAL_BUFFER_USAGE_DISPATCH_STORAGE;
  return check_buffer("queue_dispatch", "binding", ref.buffer, access, storage,
                      ref.offset, &ref.length);
}

iree_status_t iree_hal_device_queue_dispatch(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_executable_t* executable, iree_hal_executable_function_t function,
    const iree_hal_dispatch_config_t* config, iree_const_byte_span_t constants,
    iree_hal_buffer_ref_list_t bindings, iree_hal_dispatch_flags_t flags) {
  IREE_RETURN_IF_ERROR(
      check_submission(device, wait_semaphore_list, signal_semaphore_list));
  if (IREE_UNLIKELY(!executable)) {
    return refuse_null("queue_dispatch", "executable");
  }
  if (IREE_UNLIKELY(!config)) return refuse_null("queue_dispatch", "config");
  iree_hal_dispatch_config_t direct_config;
  IREE_RETURN_IF_ERROR(iree_cy_dispatch_config_take(config, &direct_config));
  if (IREE_UNLIKELY((constants.data_length && !constants.data) ||
                    (bindings.count && !bindings.values))) {
    return refuse_null("queue_dispatch", "the list of constants or bindings");
  }
  if (IREE_UNLIKELY(constants.data_length % sizeof(uint32_t) ||
                    constants.data_length / sizeof(uint32_t) >
                        IREE_HAL_DISPATCH_MAX_CONSTANT_COUNT)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "queue_dispatch: constants are at most %d whole "
                            "32-bit words, not %" PRIhsz " bytes",
                            IREE_HAL_DISPATCH_MAX_CONSTANT_COUNT,
                            constants.data_length);
  }
  if (IREE_UNLIKELY(bindings.count > IREE_HAL_DISPATCH_MAX_BINDING_COUNT)) {
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "queue_dispatch: a dispatch has at most %d bindings, not %" PRIhsz,
        IREE_HAL_DISPATCH_MAX_BINDING_COUNT, bindings.count);
  }
  for (iree_host_size_t i = 0; i < bindings.count; ++i) {
    IREE_RETURN_IF_ERROR(check_dispatch_binding(i, bindings.values[i]));
  }
  if (iree_hal_dispatch_uses_indirect_parameters(flags)) {
    iree_device_size_t length = 3 * sizeof(uint32_t);
    IREE_RETURN_IF_ERROR(check_buffer(
        "queue_dispatch", "workgroup count",
        direct_config.workgroup_count_ref.buffer, IREE_HAL_MEMORY_ACCESS_READ,
        IREE_HAL_BUFFER_USAGE_DISPATCH_INDIRECT_PARAMETERS,
        direct_config.workgroup_count_ref.offset, &length));
  }
  return iree_hal_call_scope_track(
      device_vtable(device)->queue_dispatch(
          device, queue_affinity, wait_semaphore_list, signal_semaphore_list,
          executable, function, &direct_config, constants, bindings, flags),
      signal_semaphore_list);
}

static iree_status_t refuse_recording_state(
    const iree_hal_command_buffer_t* command_buffer) {
  return iree_make_status(
      IREE_STATUS_FAILED_PRECONDITION,
      command_buffer->recording_state == RECORDING_STATE_SUBMITTED
          ? "a one-shot command buffer was submitted before; record another or "
            "leave out ONE_SHOT"
          : "the command buffer has not ended its recording");
}

// The submission of a one-shot command buffer that this thread is in. A device
// that passes it on to another submits it once more.
typedef struct one_shot_submission_t {
  const iree_hal_command_buffer_t* command_buffer;
  const iree_hal_device_t* device;
} one_shot_submission_t;
static _Thread_local one_shot_submission_t one_shot_submission;

static iree_status_t execute_one_shot(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_command_buffer_t* command_buffer,
    iree_hal_buffer_binding_table_t binding_table,
    iree_hal_execute_flags_t flags) {
  const one_shot_submission_t outer = one_shot_submission;
  const bool is_passed_on =
      outer.command_buffer == command_buffer && outer.device != device;
  uint32_t state = RECORDING_STATE_ENDED;
  // Of two threads that submit it, one is refused.
  if (!is_passed_on &&
      !__atomic_compare_exchange_n(&command_buffer->recording_state, &state,
                                   RECORDING_STATE_SUBMITTED, false,
                                   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    return refuse_recording_state(command_buffer);
  }
  one_shot_submission.command_buffer = command_buffer;
  one_shot_submission.device = device;
  iree_status_t status = device_vtable(device)->queue_execute(
      device, queue_affinity, wait_semaphore_list, signal_semaphore_list,
      command_buffer, binding_table, flags);
  one_shot_submission = outer;
  if (IREE_UNLIKELY(!is_passed_on && !iree_status_is_ok(status))) {
    __atomic_store_n(&command_buffer->recording_state, RECORDING_STATE_ENDED,
                     __ATOMIC_RELEASE);
  }
  return status;
}

iree_status_t iree_hal_device_queue_execute(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_command_buffer_t* command_buffer,
    iree_hal_buffer_binding_table_t binding_table,
    iree_hal_execute_flags_t flags) {
  IREE_RETURN_IF_ERROR(
      check_submission(device, wait_semaphore_list, signal_semaphore_list));
  if (IREE_UNLIKELY(!command_buffer)) {
    return refuse_null("queue_execute", "command buffer");
  }
  if (IREE_UNLIKELY(binding_table.count && !binding_table.bindings)) {
    return refuse_null("queue_execute", "the binding table");
  }
  const bool is_one_shot =
      iree_all_bits_set(iree_hal_command_buffer_mode(command_buffer),
                        IREE_HAL_COMMAND_BUFFER_MODE_ONE_SHOT);
  const uint32_t state =
      __atomic_load_n(&command_buffer->recording_state, __ATOMIC_ACQUIRE);
  // Of one that was submitted there is more to know.
  if (IREE_UNLIKELY(state != RECORDING_STATE_ENDED &&
                    !(is_one_shot && state == RECORDING_STATE_SUBMITTED))) {
    return refuse_recording_state(command_buffer);
  }
  IREE_RETURN_IF_ERROR(
      iree_hal_command_buffer_validate_bindings(command_buffer, binding_table));
  return iree_hal_call_scope_track(
      (is_one_shot ? execute_one_shot : device_vtable(device)->queue_execute)(
          device, queue_affinity, wait_semaphore_list, signal_semaphore_list,
          command_buffer, binding_table, flags),
      signal_semaphore_list);
}

iree_status_t iree_hal_device_queue_barrier(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_execute_flags_t flags) {
  IREE_RETURN_IF_ERROR(
      check_submission(device, wait_semaphore_list, signal_semaphore_list));
  return iree_hal_call_scope_track(
      device_vtable(device)->queue_execute(
          device, queue_affinity, wait_semaphore_list, signal_semaphore_list,
          NULL, iree_hal_buffer_binding_table_empty(), flags),
      signal_semaphore_list);
}

iree_status_t iree_hal_device_queue_flush(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity) {
  if (IREE_UNLIKELY(!device)) return refuse_null_device();
  IREE_RETURN_IF_ERROR(iree_cy_gate_pass());
  return device_vtable(device)->queue_flush(device, queue_affinity);
}

iree_status_t iree_hal_device_queue_submit(
    iree_hal_device_t* device, iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_host_size_t resource_count, void* const* resources,
    iree_hal_queue_work_fn_t fn, iree_hal_queue_cleanup_fn_t cleanup,
    void* user_data) {
  IREE_RETURN_IF_ERROR(
      check_submission(device, wait_semaphore_list, signal_semaphore_list));
  if (IREE_UNLIKELY(!fn)) return refuse_null("queue_submit", "the function");
  if (IREE_UNLIKELY(resource_count && !resources)) {
    return refuse_null("queue_submit", "the list of resources");
  }
  return iree_cy_queue_submit_call(device, wait_semaphore_list,
                                   signal_semaphore_list, resource_count,
                                   resources, fn, cleanup, user_data);
}

iree_status_t iree_hal_device_wait_semaphores(
    iree_hal_device_t* device, iree_hal_wait_mode_t wait_mode,
    iree_hal_semaphore_list_t semaphore_list, iree_timeout_t timeout,
    iree_hal_wait_flags_t flags) {
  if (IREE_UNLIKELY(!device)) return refuse_null_device();
  IREE_RETURN_IF_ERROR(iree_cy_gate_pass());
  IREE_RETURN_IF_ERROR(
      iree_hal_semaphore_list_validate(semaphore_list, "wait"));
  return device_vtable(device)->wait_semaphores(device, wait_mode,
                                                semaphore_list, timeout, flags);
}
