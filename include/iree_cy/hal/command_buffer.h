// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns iree_hal_command_buffer_t: recorded work that a queue executes once or
// often.

#ifndef IREE_CY_HAL_COMMAND_BUFFER_H_
#define IREE_CY_HAL_COMMAND_BUFFER_H_

#include "iree_cy/hal/buffer.h"
#include "iree_cy/hal/executable.h"

IREE_CY_EXTERN_C_BEGIN

typedef uint32_t iree_hal_command_buffer_mode_t;
enum iree_hal_command_buffer_mode_bits_e {
  IREE_HAL_COMMAND_BUFFER_MODE_DEFAULT = 0u,
  // Submitted at most once.
  IREE_HAL_COMMAND_BUFFER_MODE_ONE_SHOT = 1u << 0,
  // With ONE_SHOT: commands may take effect while they are recorded.
  IREE_HAL_COMMAND_BUFFER_MODE_ALLOW_INLINE_EXECUTION = 1u << 4,
  // The host leaves out its checks of the recording.
  IREE_HAL_COMMAND_BUFFER_MODE_UNVALIDATED = 1u << 5,
  // The caller keeps what is recorded alive.
  IREE_HAL_COMMAND_BUFFER_MODE_UNRETAINED = 1u << 6,
};

typedef uint32_t iree_hal_command_category_t;
enum iree_hal_command_category_bits_e {
  IREE_HAL_COMMAND_CATEGORY_TRANSFER = 1u << 0,
  IREE_HAL_COMMAND_CATEGORY_DISPATCH = 1u << 1,
  IREE_HAL_COMMAND_CATEGORY_ANY = IREE_HAL_COMMAND_CATEGORY_TRANSFER |
      IREE_HAL_COMMAND_CATEGORY_DISPATCH,
};

// A range of a buffer, or of a slot of the binding table when |buffer| is NULL.
typedef struct iree_hal_buffer_ref_t {
  uint32_t reserved;
  uint32_t buffer_slot;
  iree_hal_buffer_t* buffer;
  iree_device_size_t offset;
  iree_device_size_t length;
} iree_hal_buffer_ref_t;
static inline iree_hal_buffer_ref_t iree_hal_make_buffer_ref(
    iree_hal_buffer_t* buffer, iree_device_size_t offset,
    iree_device_size_t length) {
  iree_hal_buffer_ref_t ref = {0, 0, buffer, offset, length};
  return ref;
}
static inline iree_hal_buffer_ref_t iree_hal_make_indirect_buffer_ref(
    uint32_t buffer_slot, iree_device_size_t offset,
    iree_device_size_t length) {
  iree_hal_buffer_ref_t ref = {0, buffer_slot, NULL, offset, length};
  return ref;
}
typedef struct iree_hal_buffer_ref_list_t {
  iree_host_size_t count;
  const iree_hal_buffer_ref_t* values;
} iree_hal_buffer_ref_list_t;

typedef struct iree_hal_buffer_binding_t {
  iree_hal_buffer_t* buffer;
  iree_device_size_t offset;
  iree_device_size_t length;
} iree_hal_buffer_binding_t;
typedef struct iree_hal_buffer_binding_table_t {
  iree_host_size_t count;
  const iree_hal_buffer_binding_t* bindings;
} iree_hal_buffer_binding_table_t;
static inline iree_hal_buffer_binding_table_t
iree_hal_buffer_binding_table_empty(void) {
  iree_hal_buffer_binding_table_t table = {0, NULL};
  return table;
}
// The direct form of |ref|: WHOLE_BUFFER made a length, offsets relative to
// |out->buffer|, range checked.
IREE_API_EXPORT iree_status_t iree_hal_buffer_binding_table_resolve_ref(
    iree_hal_buffer_binding_table_t binding_table, iree_hal_buffer_ref_t ref,
    iree_hal_buffer_ref_t* out_ref);

typedef uint32_t iree_hal_execution_stage_t;
enum iree_hal_execution_stage_bits_e {
  IREE_HAL_EXECUTION_STAGE_COMMAND_ISSUE = 1u << 0,
  IREE_HAL_EXECUTION_STAGE_COMMAND_PROCESS = 1u << 1,
  IREE_HAL_EXECUTION_STAGE_DISPATCH = 1u << 2,
  IREE_HAL_EXECUTION_STAGE_TRANSFER = 1u << 3,
  IREE_HAL_EXECUTION_STAGE_COMMAND_RETIRE = 1u << 4,
  IREE_HAL_EXECUTION_STAGE_HOST = 1u << 5,
};
typedef uint64_t iree_hal_execution_barrier_flags_t;

typedef uint32_t iree_hal_access_scope_t;
enum iree_hal_access_scope_bits_e {
  IREE_HAL_ACCESS_SCOPE_INDIRECT_COMMAND_READ = 1u << 0,
  IREE_HAL_ACCESS_SCOPE_CONSTANT_READ = 1u << 1,
  IREE_HAL_ACCESS_SCOPE_DISPATCH_READ = 1u << 2,
  IREE_HAL_ACCESS_SCOPE_DISPATCH_WRITE = 1u << 3,
  IREE_HAL_ACCESS_SCOPE_TRANSFER_READ = 1u << 4,
  IREE_HAL_ACCESS_SCOPE_TRANSFER_WRITE = 1u << 5,
  IREE_HAL_ACCESS_SCOPE_HOST_READ = 1u << 6,
  IREE_HAL_ACCESS_SCOPE_HOST_WRITE = 1u << 7,
  IREE_HAL_ACCESS_SCOPE_MEMORY_READ = 1u << 8,
  IREE_HAL_ACCESS_SCOPE_MEMORY_WRITE = 1u << 9,
};
typedef struct iree_hal_memory_barrier_t {
  iree_hal_access_scope_t source_scope;
  iree_hal_access_scope_t target_scope;
} iree_hal_memory_barrier_t;
typedef struct iree_hal_buffer_barrier_t {
  iree_hal_access_scope_t source_scope;
  iree_hal_access_scope_t target_scope;
  iree_hal_buffer_ref_t buffer_ref;
} iree_hal_buffer_barrier_t;

typedef struct iree_hal_dispatch_config_t {
  // sizeof(iree_hal_dispatch_config_t) as the caller was compiled. The host
  // refuses one that is smaller than in its first version and hands a driver
  // the whole of its own version, zeros in what the caller did not know.
  uint32_t size;
  uint32_t dynamic_workgroup_local_memory;
  // 0 in each: as the function says.
  uint32_t workgroup_size[3];
  uint32_t workgroup_count[3];
  // With the indirect flags: three uint32_t that hold the count.
  iree_hal_buffer_ref_t workgroup_count_ref;
} iree_hal_dispatch_config_t;
typedef uint64_t iree_hal_dispatch_flags_t;
enum iree_hal_dispatch_flag_bits_e {
  IREE_HAL_DISPATCH_FLAG_NONE = 0,
  // The workgroup count is read when the dispatch runs.
  IREE_HAL_DISPATCH_FLAG_DYNAMIC_INDIRECT_PARAMETERS = 1ull << 0,
  // It may be read as early as when the command buffer is issued.
  IREE_HAL_DISPATCH_FLAG_STATIC_INDIRECT_PARAMETERS = 1ull << 1,
  IREE_HAL_DISPATCH_FLAG_CUSTOM_DIRECT_ARGUMENTS = 1ull << 2,
  IREE_HAL_DISPATCH_FLAG_ALLOW_INLINE_EXECUTION = 1ull << 5,
};
static inline bool iree_hal_dispatch_uses_indirect_parameters(
    iree_hal_dispatch_flags_t flags) {
  return iree_any_bit_set(
      flags, IREE_HAL_DISPATCH_FLAG_STATIC_INDIRECT_PARAMETERS |
                 IREE_HAL_DISPATCH_FLAG_DYNAMIC_INDIRECT_PARAMETERS);
}

// Bounds of one command.
#define IREE_HAL_COMMAND_BUFFER_MAX_UPDATE_SIZE ((iree_device_size_t)65536)
#define IREE_HAL_DISPATCH_MAX_CONSTANT_COUNT 64
#define IREE_HAL_DISPATCH_MAX_BINDING_COUNT 64

// A command buffer, ready for begin. |binding_capacity| is the number of slots
// of the binding table it may refer to.
IREE_API_EXPORT iree_status_t iree_hal_command_buffer_create(
    iree_hal_device_t* device, iree_hal_command_buffer_mode_t mode,
    iree_hal_command_category_t command_categories,
    iree_hal_queue_affinity_t queue_affinity, iree_host_size_t binding_capacity,
    iree_hal_command_buffer_t** out_command_buffer);
IREE_API_EXPORT void iree_hal_command_buffer_retain(
    iree_hal_command_buffer_t* command_buffer);
IREE_API_EXPORT void iree_hal_command_buffer_release(
    iree_hal_command_buffer_t* command_buffer);
IREE_API_EXPORT iree_hal_command_buffer_mode_t
iree_hal_command_buffer_mode(const iree_hal_command_buffer_t* command_buffer);
IREE_API_EXPORT iree_hal_command_category_t
iree_hal_command_buffer_allowed_categories(
    const iree_hal_command_buffer_t* command_buffer);
// Slots of the binding table that the recording refers to.
IREE_API_EXPORT iree_host_size_t iree_hal_command_buffer_binding_count(
    const iree_hal_command_buffer_t* command_buffer);

// Recording: begin, commands, end, by one thread at a time. Unless UNVALIDATED,
// the host checks state, category, ranges, access and usage of direct buffers
// before the driver sees a command; indirect ones are checked when the table is
// known.
IREE_API_EXPORT iree_status_t
iree_hal_command_buffer_begin(iree_hal_command_buffer_t* command_buffer);
IREE_API_EXPORT iree_status_t
iree_hal_command_buffer_end(iree_hal_command_buffer_t* command_buffer);
IREE_API_EXPORT iree_status_t iree_hal_command_buffer_begin_debug_group(
    iree_hal_command_buffer_t* command_buffer, iree_string_view_t label);
IREE_API_EXPORT iree_status_t iree_hal_command_buffer_end_debug_group(
    iree_hal_command_buffer_t* command_buffer);
IREE_API_EXPORT iree_status_t iree_hal_command_buffer_execution_barrier(
    iree_hal_command_buffer_t* command_buffer,
    iree_hal_execution_stage_t source_stage_mask,
    iree_hal_execution_stage_t target_stage_mask,
    iree_hal_execution_barrier_flags_t flags,
    iree_host_size_t memory_barrier_count,
    const iree_hal_memory_barrier_t* memory_barriers,
    iree_host_size_t buffer_barrier_count,
    const iree_hal_buffer_barrier_t* buffer_barriers);
IREE_API_EXPORT iree_status_t iree_hal_command_buffer_advise_buffer(
    iree_hal_command_buffer_t* command_buffer, iree_hal_buffer_ref_t buffer_ref,
    uint64_t flags, uint64_t arg0, uint64_t arg1);
// Patterns of 1, 2 or 4 bytes; offset and length multiples of it.
IREE_API_EXPORT iree_status_t iree_hal_command_buffer_fill_buffer(
    iree_hal_command_buffer_t* command_buffer, iree_hal_buffer_ref_t target_ref,
    const void* pattern, iree_host_size_t pattern_length,
    iree_hal_fill_flags_t flags);
// Takes the bytes before it returns; at most MAX_UPDATE_SIZE.
IREE_API_EXPORT iree_status_t iree_hal_command_buffer_update_buffer(
    iree_hal_command_buffer_t* command_buffer, const void* source_buffer,
    iree_host_size_t source_offset, iree_hal_buffer_ref_t target_ref,
    iree_hal_update_flags_t flags);
IREE_API_EXPORT iree_status_t iree_hal_command_buffer_copy_buffer(
    iree_hal_command_buffer_t* command_buffer, iree_hal_buffer_ref_t source_ref,
    iree_hal_buffer_ref_t target_ref, iree_hal_copy_flags_t flags);
// Reserved: collectives are UNIMPLEMENTED.
IREE_API_EXPORT iree_status_t iree_hal_command_buffer_collective(
    iree_hal_command_buffer_t* command_buffer, iree_hal_channel_t* channel,
    uint32_t op, uint32_t param, iree_hal_buffer_ref_t send_ref,
    iree_hal_buffer_ref_t recv_ref, iree_device_size_t element_count);
// Constants are whole uint32_t; both lists are taken before it returns.
IREE_API_EXPORT iree_status_t iree_hal_command_buffer_dispatch(
    iree_hal_command_buffer_t* command_buffer,
    iree_hal_executable_t* executable, iree_hal_executable_function_t function,
    const iree_hal_dispatch_config_t* config, iree_const_byte_span_t constants,
    iree_hal_buffer_ref_list_t bindings, iree_hal_dispatch_flags_t flags);
// Checks |binding_table| against what was recorded, as a queue must before it
// executes.
IREE_API_EXPORT iree_status_t iree_hal_command_buffer_validate_bindings(
    const iree_hal_command_buffer_t* command_buffer,
    iree_hal_buffer_binding_table_t binding_table);

// What the host has checked before it calls an entry. References are direct,
// with a buffer and a range in it whose length is a number; or of a slot below
// the binding capacity, with a NULL buffer, and are resolved when the recording
// runs (iree_hal_buffer_binding_table_resolve_ref). Patterns have 1, 2 or 4
// bytes, updates at most MAX_UPDATE_SIZE, dispatches at most
// MAX_BINDING_COUNT bindings and MAX_CONSTANT_COUNT whole constants. Unless
// UNVALIDATED: the recording has begun and not ended, categories, usage,
// access, alignment, and that a dispatch has what its function takes. Buffers
// and executables are kept by the host unless UNRETAINED; lists and bytes are
// borrowed for the call. Of another driver each may be.
//
// Each entry that is missing says UNIMPLEMENTED unless it is noted otherwise.
typedef struct iree_hal_command_buffer_vtable_t {
  iree_cy_vtable_header_t header;
  // Required. Calls iree_hal_command_buffer_deinitialize first.
  void (*destroy)(iree_hal_command_buffer_t* command_buffer);
  // Default: nothing.
  iree_status_t (*begin)(iree_hal_command_buffer_t* command_buffer);
  iree_status_t (*end)(iree_hal_command_buffer_t* command_buffer);
  // Default: nothing.
  iree_status_t (*begin_debug_group)(iree_hal_command_buffer_t* command_buffer,
                                     iree_string_view_t label);
  iree_status_t (*end_debug_group)(iree_hal_command_buffer_t* command_buffer);
  iree_status_t (*execution_barrier)(
      iree_hal_command_buffer_t* command_buffer,
      iree_hal_execution_stage_t source_stage_mask,
      iree_hal_execution_stage_t target_stage_mask,
      iree_hal_execution_barrier_flags_t flags,
      iree_host_size_t memory_barrier_count,
      const iree_hal_memory_barrier_t* memory_barriers,
      iree_host_size_t buffer_barrier_count,
      const iree_hal_buffer_barrier_t* buffer_barriers);
  // Default: nothing.
  iree_status_t (*advise_buffer)(iree_hal_command_buffer_t* command_buffer,
                                 iree_hal_buffer_ref_t buffer_ref,
                                 uint64_t flags, uint64_t arg0, uint64_t arg1);
  iree_status_t (*fill_buffer)(iree_hal_command_buffer_t* command_buffer,
                               iree_hal_buffer_ref_t target_ref,
                               const void* pattern,
                               iree_host_size_t pattern_length,
                               iree_hal_fill_flags_t flags);
  iree_status_t (*update_buffer)(iree_hal_command_buffer_t* command_buffer,
                                 const void* source_buffer,
                                 iree_host_size_t source_offset,
                                 iree_hal_buffer_ref_t target_ref,
                                 iree_hal_update_flags_t flags);
  iree_status_t (*copy_buffer)(iree_hal_command_buffer_t* command_buffer,
                               iree_hal_buffer_ref_t source_ref,
                               iree_hal_buffer_ref_t target_ref,
                               iree_hal_copy_flags_t flags);
  iree_status_t (*collective)(iree_hal_command_buffer_t* command_buffer,
                              iree_hal_channel_t* channel, uint32_t op,
                              uint32_t param, iree_hal_buffer_ref_t send_ref,
                              iree_hal_buffer_ref_t recv_ref,
                              iree_device_size_t element_count);
  iree_status_t (*dispatch)(iree_hal_command_buffer_t* command_buffer,
                            iree_hal_executable_t* executable,
                            iree_hal_executable_function_t function,
                            const iree_hal_dispatch_config_t* config,
                            iree_const_byte_span_t constants,
                            iree_hal_buffer_ref_list_t bindings,
                            iree_hal_dispatch_flags_t flags);
} iree_hal_command_buffer_vtable_t;

// What a driver embeds first. Filled by the host functions only.
struct iree_hal_command_buffer_t {
  iree_hal_resource_t resource;
  iree_hal_command_buffer_mode_t mode;
  iree_hal_command_category_t allowed_categories;
  iree_hal_queue_affinity_t queue_affinity;
  uint32_t binding_capacity;
  uint32_t binding_count;
  uint32_t recording_state;
  uint32_t reserved0;
  iree_allocator_t host_allocator;
  // What the host must check of the binding table, and what it keeps alive.
  void* validation_state;
  void* resource_set;
  uintptr_t reserved[4];
};
IREE_API_EXPORT iree_status_t iree_hal_command_buffer_initialize(
    const iree_hal_command_buffer_vtable_t* vtable,
    iree_hal_command_buffer_mode_t mode,
    iree_hal_command_category_t command_categories,
    iree_hal_queue_affinity_t queue_affinity, iree_host_size_t binding_capacity,
    iree_allocator_t host_allocator, iree_hal_command_buffer_t* command_buffer);
// Releases what the recording kept alive (buffers and executables are retained
// by the host unless UNRETAINED).
IREE_API_EXPORT void iree_hal_command_buffer_deinitialize(
    iree_hal_command_buffer_t* command_buffer);

//===-- the core's own recording --------------------------------------------===

// Receives the commands of a recording in order, all references direct, checked
// and within their buffers. A NULL entry is skipped, but for dispatch, which is
// UNIMPLEMENTED.
typedef struct iree_hal_command_visitor_t {
  uint32_t size;
  uint32_t reserved;
  iree_status_t (*execution_barrier)(void* user_data);
  iree_status_t (*fill)(void* user_data, iree_hal_buffer_ref_t target_ref,
                        const void* pattern, iree_host_size_t pattern_length);
  iree_status_t (*update)(void* user_data, const void* source,
                          iree_hal_buffer_ref_t target_ref);
  iree_status_t (*copy)(void* user_data, iree_hal_buffer_ref_t source_ref,
                        iree_hal_buffer_ref_t target_ref);
  iree_status_t (*dispatch)(void* user_data, iree_hal_executable_t* executable,
                            iree_hal_executable_function_t function,
                            const iree_hal_dispatch_config_t* config,
                            iree_const_byte_span_t constants,
                            iree_hal_buffer_ref_list_t bindings,
                            iree_hal_dispatch_flags_t flags);
} iree_hal_command_visitor_t;

// A command buffer that records into host memory. What a device gets whose
// driver makes none of its own.
IREE_API_EXPORT iree_status_t iree_hal_recorded_command_buffer_create(
    iree_hal_command_buffer_mode_t mode,
    iree_hal_command_category_t command_categories,
    iree_hal_queue_affinity_t queue_affinity, iree_host_size_t binding_capacity,
    iree_allocator_t host_allocator,
    iree_hal_command_buffer_t** out_command_buffer);
IREE_API_EXPORT bool iree_hal_recorded_command_buffer_isa(
    const iree_hal_command_buffer_t* command_buffer);
// Plays the recording to |visitor|, stopping at the first failure. Any number
// of times, several threads at once.
IREE_API_EXPORT iree_status_t iree_hal_recorded_command_buffer_replay(
    const iree_hal_command_buffer_t* command_buffer,
    iree_hal_buffer_binding_table_t binding_table,
    const iree_hal_command_visitor_t* visitor, void* user_data);

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_HAL_COMMAND_BUFFER_H_
