// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what every command buffer can do: the checks of a recording, the check
// of a binding table against it, and what a recording keeps alive.

#include "iree_cy/hal/command_buffer.h"

#include "iree_cy/hal/device.h"
#include "iree_cy/native/hal/dispatch_config.h"
#include "iree_cy/native/hal/recording_state.h"
#include "iree_cy/native/hal/resource_set.h"
#include "iree_cy/native/hal/vtable_defaults.h"

// More slots than any program has; keeps a mistaken capacity from taking
// memory.
#define MAX_BINDING_CAPACITY ((iree_host_size_t)1 << 20)

// What a use of a buffer asks of it.
typedef struct buffer_need_t {
  iree_hal_buffer_usage_t all_usage;
  // At least one of these, when not 0.
  iree_hal_buffer_usage_t any_usage;
  iree_hal_memory_access_t access;
  uint32_t alignment;
} buffer_need_t;

// What the recording needs of one slot of the binding table.
typedef struct slot_need_t {
  bool is_used;
  iree_hal_memory_access_t access;
  iree_hal_buffer_usage_t all_usage;
  iree_hal_buffer_usage_t any_usage;
  uint32_t alignment;
  // Bytes that the binding must have.
  iree_device_size_t length;
} slot_need_t;

static const iree_hal_command_buffer_vtable_t* command_buffer_vtable(
    const iree_hal_command_buffer_t* command_buffer) {
  return (const iree_hal_command_buffer_vtable_t*)
      command_buffer->resource.vtable;
}

static bool is_validated(const iree_hal_command_buffer_t* command_buffer) {
  return !iree_any_bit_set(command_buffer->mode,
                           IREE_HAL_COMMAND_BUFFER_MODE_UNVALIDATED);
}

iree_status_t iree_hal_command_buffer_initialize(
    const iree_hal_command_buffer_vtable_t* vtable,
    iree_hal_command_buffer_mode_t mode,
    iree_hal_command_category_t command_categories,
    iree_hal_queue_affinity_t queue_affinity, iree_host_size_t binding_capacity,
    iree_allocator_t host_allocator,
    iree_hal_command_buffer_t* command_buffer) {
  memset(command_buffer, 0, sizeof(*command_buffer));
  if (binding_capacity > MAX_BINDING_CAPACITY) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "a binding table of %" PRIhsz
                            " slots is asked for; %" PRIhsz " is the most",
                            binding_capacity, MAX_BINDING_CAPACITY);
  }
  iree_hal_resource_initialize(vtable, &command_buffer->resource);
  command_buffer->mode = mode;
  command_buffer->allowed_categories = command_categories;
  command_buffer->queue_affinity = queue_affinity;
  command_buffer->binding_capacity = (uint32_t)binding_capacity;
  command_buffer->host_allocator = host_allocator;
  return iree_ok_status();
}

void iree_hal_command_buffer_deinitialize(
    iree_hal_command_buffer_t* command_buffer) {
  iree_cy_resource_set_free(
      (iree_cy_resource_set_t*)command_buffer->resource_set,
      command_buffer->host_allocator);
  iree_allocator_free(command_buffer->host_allocator,
                      command_buffer->validation_state);
  command_buffer->resource_set = NULL;
  command_buffer->validation_state = NULL;
}

iree_status_t iree_hal_command_buffer_create(
    iree_hal_device_t* device, iree_hal_command_buffer_mode_t mode,
    iree_hal_command_category_t command_categories,
    iree_hal_queue_affinity_t queue_affinity, iree_host_size_t binding_capacity,
    iree_hal_command_buffer_t** out_command_buffer) {
  *out_command_buffer = NULL;
  const bool is_one_shot =
      iree_any_bit_set(mode, IREE_HAL_COMMAND_BUFFER_MODE_ONE_SHOT);
  if (iree_any_bit_set(mode,
                       IREE_HAL_COMMAND_BUFFER_MODE_ALLOW_INLINE_EXECUTION) &&
      (!is_one_shot || binding_capacity)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "inline execution needs a one-shot command buffer "
                            "without a binding table");
  }
  iree_status_t status =
      ((const iree_hal_device_vtable_t*)device->resource.vtable)
          ->create_command_buffer(device, mode, command_categories,
                                  queue_affinity, binding_capacity,
                                  out_command_buffer);
  return iree_cy_check_result(status, *out_command_buffer, device,
                              "iree_hal_device_t.create_command_buffer",
                              "command buffer");
}

void iree_hal_command_buffer_retain(iree_hal_command_buffer_t* command_buffer) {
  iree_hal_resource_retain(command_buffer);
}

void iree_hal_command_buffer_release(
    iree_hal_command_buffer_t* command_buffer) {
  iree_hal_resource_release(command_buffer);
}

iree_hal_command_buffer_mode_t iree_hal_command_buffer_mode(
    const iree_hal_command_buffer_t* command_buffer) {
  return command_buffer->mode;
}

iree_hal_command_category_t iree_hal_command_buffer_allowed_categories(
    const iree_hal_command_buffer_t* command_buffer) {
  return command_buffer->allowed_categories;
}

iree_host_size_t iree_hal_command_buffer_binding_count(
    const iree_hal_command_buffer_t* command_buffer) {
  return command_buffer->binding_count;
}

iree_status_t iree_hal_buffer_binding_table_resolve_ref(
    iree_hal_buffer_binding_table_t binding_table, iree_hal_buffer_ref_t ref,
    iree_hal_buffer_ref_t* out_ref) {
  iree_device_size_t base_offset = 0;
  iree_hal_buffer_t* buffer = ref.buffer;
  memset(out_ref, 0, sizeof(*out_ref));
  iree_device_size_t available = 0;
  if (buffer) {
    available = buffer->byte_length;
  } else {
    if (IREE_UNLIKELY(ref.buffer_slot >= binding_table.count)) {
      return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                              "binding table slot %" PRIu32
                              " is referred to; the table has %" PRIhsz,
                              ref.buffer_slot, binding_table.count);
    }
    const iree_hal_buffer_binding_t* binding =
        &binding_table.bindings[ref.buffer_slot];
    buffer = binding->buffer;
    if (IREE_UNLIKELY(!buffer)) {
      return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                              "binding table slot %" PRIu32 " has no buffer",
                              ref.buffer_slot);
    }
    IREE_RETURN_IF_ERROR(iree_hal_buffer_calculate_range(
        0, buffer->byte_length, binding->offset, binding->length, &base_offset,
        &available));
  }
  out_ref->buffer = buffer;
  return iree_hal_buffer_calculate_range(base_offset, available, ref.offset,
                                         ref.length, &out_ref->offset,
                                         &out_ref->length);
}

//===-- checks of a recording -----------------------------------------------===

static iree_status_t check_recording(
    const iree_hal_command_buffer_t* command_buffer,
    iree_hal_command_category_t category) {
  if (!is_validated(command_buffer)) return iree_ok_status();
  if (IREE_UNLIKELY(command_buffer->recording_state !=
                    RECORDING_STATE_RECORDING)) {
    return iree_make_status(
        IREE_STATUS_FAILED_PRECONDITION,
        command_buffer->recording_state == RECORDING_STATE_INITIAL
            ? "the recording of the command buffer has not begun"
            : "the recording of the command buffer has ended");
  }
  if (IREE_UNLIKELY(
          !iree_all_bits_set(command_buffer->allowed_categories, category))) {
    return iree_make_status(
        IREE_STATUS_PERMISSION_DENIED,
        "a %s command is recorded; the command buffer was made without that "
        "category",
        category == IREE_HAL_COMMAND_CATEGORY_DISPATCH ? "dispatch"
                                                       : "transfer");
  }
  return iree_ok_status();
}

static iree_status_t check_usage(iree_hal_buffer_usage_t usage,
                                 iree_hal_buffer_usage_t all_usage,
                                 iree_hal_buffer_usage_t any_usage) {
  IREE_RETURN_IF_ERROR(iree_hal_buffer_validate_usage(usage, all_usage));
  if (any_usage && !iree_any_bit_set(usage, any_usage)) {
    return iree_hal_buffer_validate_usage(usage, any_usage);
  }
  return iree_ok_status();
}

static iree_status_t check_alignment(iree_device_size_t offset,
                                     uint32_t alignment) {
  if (IREE_LIKELY(alignment <= 1 || offset % alignment == 0)) {
    return iree_ok_status();
  }
  return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                          "offset %" PRIdsz " must be a multiple of %" PRIu32,
                          offset, alignment);
}

// Notes what |ref| needs of its slot.
static iree_status_t note_slot_need(iree_hal_command_buffer_t* command_buffer,
                                    iree_hal_buffer_ref_t ref,
                                    const buffer_need_t* need) {
  iree_device_size_t end = ref.offset;
  if (ref.length != IREE_HAL_WHOLE_BUFFER &&
      !iree_device_size_checked_add(ref.offset, ref.length, &end)) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "%" PRIdsz " bytes at offset %" PRIdsz
                            " end behind the largest buffer",
                            ref.length, ref.offset);
  }
  if (!command_buffer->validation_state) {
    IREE_RETURN_IF_ERROR(iree_allocator_malloc_array(
        command_buffer->host_allocator, command_buffer->binding_capacity,
        sizeof(slot_need_t), &command_buffer->validation_state));
  }
  slot_need_t* slot =
      &((slot_need_t*)command_buffer->validation_state)[ref.buffer_slot];
  slot->is_used = true;
  slot->access |= need->access;
  slot->all_usage |= need->all_usage;
  // Both wishes cannot be kept as one set; the wider one is enough, for each
  // command has the same.
  slot->any_usage |= need->any_usage;
  slot->alignment = iree_max(slot->alignment, need->alignment);
  slot->length = iree_max(slot->length, end);
  return iree_ok_status();
}

// Checks |*ref| as far as that can be done now; a direct one becomes exact.
// Also keeps the buffer alive.
static iree_status_t take_ref(iree_hal_command_buffer_t* command_buffer,
                              iree_hal_buffer_ref_t* ref,
                              const buffer_need_t* need) {
  if (!ref->buffer) {
    // Needed by what reads the slot later, so not left out ever.
    if (IREE_UNLIKELY(ref->buffer_slot >= command_buffer->binding_capacity)) {
      return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                              "binding table slot %" PRIu32
                              " is referred to; the command buffer was made "
                              "for %" PRIu32,
                              ref->buffer_slot,
                              command_buffer->binding_capacity);
    }
    command_buffer->binding_count =
        iree_max(command_buffer->binding_count, ref->buffer_slot + 1);
    if (!is_validated(command_buffer)) return iree_ok_status();
    IREE_RETURN_IF_ERROR(check_alignment(ref->offset, need->alignment));
    return note_slot_need(command_buffer, *ref, need);
  }
  // Lengths are made exact in every mode: drivers and replays rely on it.
  iree_hal_buffer_ref_t direct_ref;
  IREE_RETURN_IF_ERROR(iree_hal_buffer_binding_table_resolve_ref(
      iree_hal_buffer_binding_table_empty(), *ref, &direct_ref));
  *ref = direct_ref;
  if (is_validated(command_buffer)) {
    const iree_hal_buffer_t* buffer = ref->buffer;
    IREE_RETURN_IF_ERROR(
        check_usage(buffer->allowed_usage, need->all_usage, need->any_usage));
    IREE_RETURN_IF_ERROR(
        iree_hal_buffer_validate_access(buffer->allowed_access, need->access));
    IREE_RETURN_IF_ERROR(check_alignment(ref->offset, need->alignment));
  }
  if (iree_any_bit_set(command_buffer->mode,
                       IREE_HAL_COMMAND_BUFFER_MODE_UNRETAINED)) {
    return iree_ok_status();
  }
  return iree_cy_resource_set_insert(
      (iree_cy_resource_set_t**)&command_buffer->resource_set, ref->buffer,
      command_buffer->host_allocator);
}

static const buffer_need_t transfer_source_need = {
    .all_usage = IREE_HAL_BUFFER_USAGE_TRANSFER_SOURCE,
    .access = IREE_HAL_MEMORY_ACCESS_READ,
};
static const buffer_need_t transfer_target_need = {
    .all_usage = IREE_HAL_BUFFER_USAGE_TRANSFER_TARGET,
    .access = IREE_HAL_MEMORY_ACCESS_WRITE,
};
// Which bindings are written is known to the code alone.
static const buffer_need_t dispatch_binding_need = {
    .any_usage = IREE_HAL_BUFFER_USAGE_DISPATCH_STORAGE |
                 IREE_HAL_BUFFER_USAGE_DISPATCH_UNIFORM_READ,
    .access = IREE_HAL_MEMORY_ACCESS_ANY,
};
static const buffer_need_t workgroup_count_need = {
    .all_usage = IREE_HAL_BUFFER_USAGE_DISPATCH_INDIRECT_PARAMETERS,
    .access = IREE_HAL_MEMORY_ACCESS_READ,
    .alignment = sizeof(uint32_t),
};

//===-- recording -----------------------------------------------------------===

iree_status_t iree_hal_command_buffer_begin(
    iree_hal_command_buffer_t* command_buffer) {
  if (is_validated(command_buffer) &&
      command_buffer->recording_state != RECORDING_STATE_INITIAL) {
    return iree_make_status(IREE_STATUS_FAILED_PRECONDITION,
                            "a command buffer is recorded once; make another");
  }
  command_buffer->recording_state = RECORDING_STATE_RECORDING;
  return command_buffer_vtable(command_buffer)->begin(command_buffer);
}

iree_status_t iree_hal_command_buffer_end(
    iree_hal_command_buffer_t* command_buffer) {
  IREE_RETURN_IF_ERROR(check_recording(command_buffer, 0));
  command_buffer->recording_state = RECORDING_STATE_ENDED;
  return command_buffer_vtable(command_buffer)->end(command_buffer);
}

iree_status_t iree_hal_command_buffer_begin_debug_group(
    iree_hal_command_buffer_t* command_buffer, iree_string_view_t label) {
  IREE_RETURN_IF_ERROR(check_recording(command_buffer, 0));
  return command_buffer_vtable(command_buffer)
      ->begin_debug_group(command_buffer, label);
}

iree_status_t iree_hal_command_buffer_end_debug_group(
    iree_hal_command_buffer_t* command_buffer) {
  IREE_RETURN_IF_ERROR(check_recording(command_buffer, 0));
  return command_buffer_vtable(command_buffer)->end_debug_group(command_buffer);
}

iree_status_t iree_hal_command_buffer_execution_barrier(
    iree_hal_command_buffer_t* command_buffer,
    iree_hal_execution_stage_t source_stage_mask,
    iree_hal_execution_stage_t target_stage_mask,
    iree_hal_execution_barrier_flags_t flags,
    iree_host_size_t memory_barrier_count,
    const iree_hal_memory_barrier_t* memory_barriers,
    iree_host_size_t buffer_barrier_count,
    const iree_hal_buffer_barrier_t* buffer_barriers) {
  IREE_RETURN_IF_ERROR(check_recording(command_buffer, 0));
  return command_buffer_vtable(command_buffer)
      ->execution_barrier(command_buffer, source_stage_mask, target_stage_mask,
                          flags, memory_barrier_count, memory_barriers,
                          buffer_barrier_count, buffer_barriers);
}

iree_status_t iree_hal_command_buffer_advise_buffer(
    iree_hal_command_buffer_t* command_buffer, iree_hal_buffer_ref_t buffer_ref,
    uint64_t flags, uint64_t arg0, uint64_t arg1) {
  static const buffer_need_t need = {.access = IREE_HAL_MEMORY_ACCESS_ANY};
  IREE_RETURN_IF_ERROR(check_recording(command_buffer, 0));
  IREE_RETURN_IF_ERROR(take_ref(command_buffer, &buffer_ref, &need));
  return command_buffer_vtable(command_buffer)
      ->advise_buffer(command_buffer, buffer_ref, flags, arg0, arg1);
}

iree_status_t iree_hal_command_buffer_fill_buffer(
    iree_hal_command_buffer_t* command_buffer, iree_hal_buffer_ref_t target_ref,
    const void* pattern, iree_host_size_t pattern_length,
    iree_hal_fill_flags_t flags) {
  IREE_RETURN_IF_ERROR(
      check_recording(command_buffer, IREE_HAL_COMMAND_CATEGORY_TRANSFER));
  if (IREE_UNLIKELY(pattern_length != 1 && pattern_length != 2 &&
                    pattern_length != 4)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "fill patterns have 1, 2 or 4 bytes, not %" PRIhsz,
                            pattern_length);
  }
  buffer_need_t need = transfer_target_need;
  need.alignment = (uint32_t)pattern_length;
  IREE_RETURN_IF_ERROR(take_ref(command_buffer, &target_ref, &need));
  // The length of an indirect WHOLE_BUFFER is not known yet.
  if (is_validated(command_buffer) &&
      target_ref.length != IREE_HAL_WHOLE_BUFFER &&
      target_ref.length % pattern_length != 0) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "%" PRIdsz
                            " bytes cannot be filled with a pattern of %" PRIhsz
                            " bytes",
                            target_ref.length, pattern_length);
  }
  return command_buffer_vtable(command_buffer)
      ->fill_buffer(command_buffer, target_ref, pattern, pattern_length, flags);
}

iree_status_t iree_hal_command_buffer_update_buffer(
    iree_hal_command_buffer_t* command_buffer, const void* source_buffer,
    iree_host_size_t source_offset, iree_hal_buffer_ref_t target_ref,
    iree_hal_update_flags_t flags) {
  IREE_RETURN_IF_ERROR(
      check_recording(command_buffer, IREE_HAL_COMMAND_CATEGORY_TRANSFER));
  IREE_RETURN_IF_ERROR(
      take_ref(command_buffer, &target_ref, &transfer_target_need));
  // Also what keeps WHOLE_BUFFER of a slot from being the size of a copy.
  if (IREE_UNLIKELY(target_ref.length >
                    IREE_HAL_COMMAND_BUFFER_MAX_UPDATE_SIZE)) {
    return iree_make_status(
        IREE_STATUS_OUT_OF_RANGE,
        "an update takes up to %" PRIdsz " bytes, not %" PRIdsz
        "; copy from a buffer instead",
        IREE_HAL_COMMAND_BUFFER_MAX_UPDATE_SIZE, target_ref.length);
  }
  return command_buffer_vtable(command_buffer)
      ->update_buffer(command_buffer, source_buffer, source_offset, target_ref,
                      flags);
}

iree_status_t iree_hal_command_buffer_copy_buffer(
    iree_hal_command_buffer_t* command_buffer, iree_hal_buffer_ref_t source_ref,
    iree_hal_buffer_ref_t target_ref, iree_hal_copy_flags_t flags) {
  IREE_RETURN_IF_ERROR(
      check_recording(command_buffer, IREE_HAL_COMMAND_CATEGORY_TRANSFER));
  // One length that is left open takes that of the other; two are as much as
  // both buffers have, which must be known now.
  const bool is_open = source_ref.length == IREE_HAL_WHOLE_BUFFER &&
                       target_ref.length == IREE_HAL_WHOLE_BUFFER;
  if (source_ref.length == IREE_HAL_WHOLE_BUFFER) {
    source_ref.length = target_ref.length;
  } else if (target_ref.length == IREE_HAL_WHOLE_BUFFER) {
    target_ref.length = source_ref.length;
  }
  if (is_open && (!source_ref.buffer || !target_ref.buffer)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "a copy from or to a slot of the binding table "
                            "needs a length");
  }
  IREE_RETURN_IF_ERROR(
      take_ref(command_buffer, &source_ref, &transfer_source_need));
  IREE_RETURN_IF_ERROR(
      take_ref(command_buffer, &target_ref, &transfer_target_need));
  if (is_open) {
    source_ref.length = target_ref.length =
        iree_min(source_ref.length, target_ref.length);
  }
  if (is_validated(command_buffer)) {
    if (IREE_UNLIKELY(source_ref.length != target_ref.length)) {
      return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                              "a copy from %" PRIdsz " to %" PRIdsz
                              " bytes; both must be the same",
                              source_ref.length, target_ref.length);
    }
    if (IREE_UNLIKELY(source_ref.buffer && target_ref.buffer &&
                      iree_hal_buffer_test_overlap(
                          source_ref.buffer, source_ref.offset,
                          source_ref.length, target_ref.buffer,
                          target_ref.offset, target_ref.length))) {
      return iree_make_status(
          IREE_STATUS_INVALID_ARGUMENT,
          "source and target of a copy overlap in the same memory");
    }
  }
  return command_buffer_vtable(command_buffer)
      ->copy_buffer(command_buffer, source_ref, target_ref, flags);
}

iree_status_t iree_hal_command_buffer_collective(
    iree_hal_command_buffer_t* command_buffer, iree_hal_channel_t* channel,
    uint32_t op, uint32_t param, iree_hal_buffer_ref_t send_ref,
    iree_hal_buffer_ref_t recv_ref, iree_device_size_t element_count) {
  IREE_RETURN_IF_ERROR(
      check_recording(command_buffer, IREE_HAL_COMMAND_CATEGORY_DISPATCH));
  return command_buffer_vtable(command_buffer)
      ->collective(command_buffer, channel, op, param, send_ref, recv_ref,
                   element_count);
}

iree_status_t iree_cy_dispatch_config_take(
    const iree_hal_dispatch_config_t* config,
    iree_hal_dispatch_config_t* out_config) {
  if (IREE_LIKELY(config->size == sizeof(*out_config))) {
    *out_config = *config;
    return iree_ok_status();
  }
  const uint32_t first_size =
      offsetof(iree_hal_dispatch_config_t, workgroup_count_ref) +
      sizeof(config->workgroup_count_ref);
  if (config->size < first_size) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "a dispatch config says that it has %" PRIu32
                            " bytes; set its size to "
                            "sizeof(iree_hal_dispatch_config_t), %zu",
                            config->size, sizeof(*config));
  }
  memset(out_config, 0, sizeof(*out_config));
  memcpy(out_config, config,
         iree_min((iree_host_size_t)config->size, sizeof(*out_config)));
  out_config->size = sizeof(*out_config);
  return iree_ok_status();
}

static iree_status_t check_dispatch(iree_hal_executable_t* executable,
                                    iree_hal_executable_function_t function,
                                    iree_const_byte_span_t constants,
                                    iree_hal_buffer_ref_list_t bindings,
                                    iree_hal_dispatch_flags_t flags) {
  iree_hal_executable_function_info_t info;
  info.size = sizeof(info);
  IREE_RETURN_IF_ERROR(
      iree_hal_executable_function_info(executable, function, &info));
  const iree_host_size_t constant_count =
      constants.data_length / sizeof(uint32_t);
  if (iree_any_bit_set(flags, IREE_HAL_DISPATCH_FLAG_CUSTOM_DIRECT_ARGUMENTS) ||
      iree_any_bit_set(info.flags,
                       IREE_HAL_EXECUTABLE_FUNCTION_FLAG_ARGUMENTS_UNKNOWN) ||
      IREE_LIKELY(info.constant_count == constant_count &&
                  info.binding_count == bindings.count)) {
    return iree_ok_status();
  }
  return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                          "'%.*s' takes %u constants and %u bindings; the "
                          "dispatch has %" PRIhsz " and %" PRIhsz,
                          (int)iree_min(info.name.size, 64), info.name.data,
                          info.constant_count, info.binding_count,
                          constant_count, bindings.count);
}

iree_status_t iree_hal_command_buffer_dispatch(
    iree_hal_command_buffer_t* command_buffer,
    iree_hal_executable_t* executable, iree_hal_executable_function_t function,
    const iree_hal_dispatch_config_t* config, iree_const_byte_span_t constants,
    iree_hal_buffer_ref_list_t bindings, iree_hal_dispatch_flags_t flags) {
  IREE_RETURN_IF_ERROR(
      check_recording(command_buffer, IREE_HAL_COMMAND_CATEGORY_DISPATCH));
  // Arrays of this size are what drivers rely on, in every mode.
  if (IREE_UNLIKELY(constants.data_length % sizeof(uint32_t) != 0 ||
                    constants.data_length / sizeof(uint32_t) >
                        IREE_HAL_DISPATCH_MAX_CONSTANT_COUNT)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "a dispatch takes up to %d constants of 4 bytes, "
                            "not %" PRIhsz " bytes of them",
                            IREE_HAL_DISPATCH_MAX_CONSTANT_COUNT,
                            constants.data_length);
  }
  if (IREE_UNLIKELY(bindings.count > IREE_HAL_DISPATCH_MAX_BINDING_COUNT)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "a dispatch takes up to %d bindings, not %" PRIhsz,
                            IREE_HAL_DISPATCH_MAX_BINDING_COUNT,
                            bindings.count);
  }
  if (is_validated(command_buffer)) {
    IREE_RETURN_IF_ERROR(
        check_dispatch(executable, function, constants, bindings, flags));
  }
  iree_hal_dispatch_config_t direct_config;
  IREE_RETURN_IF_ERROR(iree_cy_dispatch_config_take(config, &direct_config));
  if (iree_hal_dispatch_uses_indirect_parameters(flags)) {
    if (direct_config.workgroup_count_ref.length == IREE_HAL_WHOLE_BUFFER) {
      direct_config.workgroup_count_ref.length = 3 * sizeof(uint32_t);
    }
    if (direct_config.workgroup_count_ref.length < 3 * sizeof(uint32_t)) {
      return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                              "an indirect workgroup count is 12 bytes, not "
                              "%" PRIdsz,
                              direct_config.workgroup_count_ref.length);
    }
    IREE_RETURN_IF_ERROR(take_ref(command_buffer,
                                  &direct_config.workgroup_count_ref,
                                  &workgroup_count_need));
  }
  iree_hal_buffer_ref_t refs[IREE_HAL_DISPATCH_MAX_BINDING_COUNT];
  for (iree_host_size_t i = 0; i < bindings.count; ++i) {
    refs[i] = bindings.values[i];
    iree_status_t status =
        take_ref(command_buffer, &refs[i], &dispatch_binding_need);
    if (IREE_UNLIKELY(!iree_status_is_ok(status))) {
      return iree_status_annotate_f(status, "binding %" PRIhsz, i);
    }
  }
  if (!iree_any_bit_set(command_buffer->mode,
                        IREE_HAL_COMMAND_BUFFER_MODE_UNRETAINED)) {
    IREE_RETURN_IF_ERROR(iree_cy_resource_set_insert(
        (iree_cy_resource_set_t**)&command_buffer->resource_set, executable,
        command_buffer->host_allocator));
  }
  const iree_hal_buffer_ref_list_t direct_bindings = {bindings.count, refs};
  return command_buffer_vtable(command_buffer)
      ->dispatch(command_buffer, executable, function, &direct_config,
                 constants, direct_bindings, flags);
}

//===-- checks of a binding table -------------------------------------------===

static iree_status_t check_slot(const slot_need_t* need,
                                const iree_hal_buffer_binding_t* binding) {
  const iree_hal_buffer_t* buffer = binding->buffer;
  if (IREE_UNLIKELY(!buffer)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT, "it has no buffer");
  }
  iree_device_size_t offset = 0;
  iree_device_size_t length = 0;
  IREE_RETURN_IF_ERROR(
      iree_hal_buffer_calculate_range(0, buffer->byte_length, binding->offset,
                                      binding->length, &offset, &length));
  if (IREE_UNLIKELY(need->length > length)) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "%" PRIdsz " bytes are needed; it has %" PRIdsz,
                            need->length, length);
  }
  IREE_RETURN_IF_ERROR(
      check_usage(buffer->allowed_usage, need->all_usage, need->any_usage));
  IREE_RETURN_IF_ERROR(
      iree_hal_buffer_validate_access(buffer->allowed_access, need->access));
  return check_alignment(offset, need->alignment);
}

iree_status_t iree_hal_command_buffer_validate_bindings(
    const iree_hal_command_buffer_t* command_buffer,
    iree_hal_buffer_binding_table_t binding_table) {
  const uint32_t count = command_buffer->binding_count;
  if (IREE_UNLIKELY(binding_table.count < count)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "the command buffer refers to %" PRIu32
                            " slots; the binding table has %" PRIhsz,
                            count, binding_table.count);
  }
  const slot_need_t* needs =
      (const slot_need_t*)command_buffer->validation_state;
  if (!needs) return iree_ok_status();
  for (uint32_t i = 0; i < count; ++i) {
    if (!needs[i].is_used) continue;
    iree_status_t status = check_slot(&needs[i], &binding_table.bindings[i]);
    if (IREE_LIKELY(iree_status_is_ok(status))) continue;
    const iree_string_view_t message = iree_status_message(status);
    iree_status_t named = iree_make_status(
        iree_status_code(status), "binding table slot %" PRIu32 ": %.*s", i,
        IREE_SV_ARG(message));
    iree_status_ignore(status);
    return named;
  }
  return iree_ok_status();
}
