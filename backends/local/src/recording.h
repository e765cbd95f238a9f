// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the recording of the local devices: commands with all that is known
// beforehand already worked out.

#ifndef IREE_CY_LOCAL_RECORDING_H_
#define IREE_CY_LOCAL_RECORDING_H_

#include "iree_cy/plugin.h"

typedef enum local_command_kind_e {
  LOCAL_COMMAND_FILL = 0,
  LOCAL_COMMAND_UPDATE,
  LOCAL_COMMAND_COPY,
  LOCAL_COMMAND_DISPATCH,
  // Just a header. What follows runs when all before is done.
  LOCAL_COMMAND_BARRIER,
} local_command_kind_t;

// Begins each command; |size| bytes further is the next.
typedef struct local_command_t {
  uint32_t kind;
  uint32_t size;
} local_command_t;

typedef struct local_fill_command_t {
  local_command_t header;
  iree_hal_buffer_ref_t target_ref;
  uint8_t pattern[8];
  uint32_t pattern_length;
} local_fill_command_t;

typedef struct local_update_command_t {
  local_command_t header;
  iree_hal_buffer_ref_t target_ref;
  iree_host_size_t length;
  // Followed by the bytes.
} local_update_command_t;

typedef struct local_copy_command_t {
  local_command_t header;
  iree_hal_buffer_ref_t source_ref;
  iree_hal_buffer_ref_t target_ref;
} local_copy_command_t;

// A dispatch. Followed by |binding_count| references, as many lengths, as many
// addresses, and the constants. A binding whose bit in |unresolved_bindings| is
// clear has its address and length from the recording.
typedef struct local_dispatch_command_t {
  local_command_t header;
  iree_hal_executable_t* executable;
  iree_hal_executable_function_t function;
  uint32_t workgroup_size[3];
  uint32_t workgroup_count[3];
  uint32_t constant_count;
  uint32_t binding_count;
  uint32_t local_memory;
  // local_cost_key of the function.
  uint32_t cost_key;
  bool is_indirect;
  // Workgroups must run one after the other.
  bool is_sequential;
  iree_hal_buffer_ref_t workgroup_count_ref;
  uint64_t unresolved_bindings;
  uint64_t writable_bindings;
} local_dispatch_command_t;

// The parts that follow a dispatch command.
static inline iree_hal_buffer_ref_t* local_dispatch_refs(
    local_dispatch_command_t* command) {
  return (iree_hal_buffer_ref_t*)(command + 1);
}
static inline size_t* local_dispatch_lengths(
    local_dispatch_command_t* command) {
  return (size_t*)(local_dispatch_refs(command) + command->binding_count);
}
static inline void** local_dispatch_addresses(
    local_dispatch_command_t* command) {
  return (void**)(local_dispatch_lengths(command) + command->binding_count);
}
static inline uint32_t* local_dispatch_constants(
    local_dispatch_command_t* command) {
  return (uint32_t*)(local_dispatch_addresses(command) +
                     command->binding_count);
}

// False when there are more than 64 bits count.
static inline bool local_workgroup_count(const uint32_t workgroup_count[3],
                                         uint64_t* out_count) {
  // Three factors of 32 bits need 96; the first two always fit.
  return !__builtin_mul_overflow(
      (uint64_t)workgroup_count[0] * workgroup_count[1],
      (uint64_t)workgroup_count[2], out_count);
}

// Of a function, for averages over its runs. Any two may share one.
static inline uint32_t local_cost_key(const iree_hal_executable_t* executable,
                                      iree_hal_executable_function_t function) {
  const uint64_t mixed = ((uint64_t)(uintptr_t)executable + function.value) *
                         UINT64_C(0x9E3779B97F4A7C15);
  return (uint32_t)(mixed >> 32) | 1u;
}

typedef struct local_command_buffer_t {
  iree_hal_command_buffer_t base;
  iree_allocator_t host_allocator;
  // Whether barriers are recorded: not for a device that runs commands one
  // after the other.
  bool keeps_barriers;
  uint8_t* commands;
  iree_host_size_t size;
  iree_host_size_t capacity;
} local_command_buffer_t;

// The command at |offset|, which is below the size.
static inline local_command_t* local_command_at(
    const local_command_buffer_t* command_buffer, iree_host_size_t offset) {
  return (local_command_t*)(command_buffer->commands + offset);
}

iree_status_t local_command_buffer_create(
    iree_hal_command_buffer_mode_t mode,
    iree_hal_command_category_t command_categories,
    iree_hal_queue_affinity_t queue_affinity, iree_host_size_t binding_capacity,
    bool keeps_barriers, iree_allocator_t host_allocator,
    iree_hal_command_buffer_t** out_command_buffer);

// INVALID_ARGUMENT, naming both sides, unless |command_buffer| was made by the
// function above.
iree_status_t local_command_buffer_check(
    const iree_hal_device_t* device,
    const iree_hal_command_buffer_t* command_buffer);

// Whether memory may be written. What a binding's bit in writable_bindings is.
static inline bool local_buffer_is_writable(const iree_hal_buffer_t* buffer) {
  return iree_all_bits_set(iree_hal_buffer_allowed_access(buffer),
                           IREE_HAL_MEMORY_ACCESS_WRITE);
}

// Registers the vtable. Inside the plugin query.
iree_status_t local_command_buffer_register(iree_string_view_t owner);

#endif  // IREE_CY_LOCAL_RECORDING_H_
