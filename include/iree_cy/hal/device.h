// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns iree_hal_device_t: what work is submitted to.

#ifndef IREE_CY_HAL_DEVICE_H_
#define IREE_CY_HAL_DEVICE_H_

#include "iree_cy/hal/allocator.h"
#include "iree_cy/hal/command_buffer.h"
#include "iree_cy/hal/executable.h"
#include "iree_cy/hal/file.h"
#include "iree_cy/hal/semaphore.h"

IREE_CY_EXTERN_C_BEGIN

typedef uint64_t iree_hal_device_capability_bits_t;
enum iree_hal_device_capability_bits_e {
  IREE_HAL_DEVICE_CAPABILITY_NONE = 0,
  IREE_HAL_DEVICE_CAPABILITY_TIMELINE_SEMAPHORES = 1ull << 0,
  // Host and device share one memory.
  IREE_HAL_DEVICE_CAPABILITY_UNIFIED_MEMORY = 1ull << 1,
  IREE_HAL_DEVICE_CAPABILITY_HOST_COHERENT = 1ull << 2,
  // Plain host memory can be imported and used in place.
  IREE_HAL_DEVICE_CAPABILITY_HOST_ZERO_COPY_OK = 1ull << 5,
  // Operations that take long are carried out by the device's own threads or
  // hardware, and not by the thread that submits. Not among the reference's.
  IREE_CY_HAL_DEVICE_CAPABILITY_ASYNC_QUEUE = 1ull << 30,
};
typedef struct iree_hal_device_capabilities_t {
  uint32_t size;
  uint32_t queue_count;
  iree_hal_device_capability_bits_t flags;
  uint64_t reserved[6];
} iree_hal_device_capabilities_t;

typedef uint64_t iree_hal_host_call_flags_t;
enum iree_hal_host_call_flag_bits_e {
  IREE_HAL_HOST_CALL_FLAG_NONE = 0,
  // The signals are reached when the call has begun, not when it returned.
  IREE_HAL_HOST_CALL_FLAG_NON_BLOCKING = 1ull << 0,
};
typedef struct iree_hal_host_call_context_t {
  uint32_t size;
  uint32_t reserved;
  iree_hal_device_t* device;
  iree_hal_queue_affinity_t queue_affinity;
  // The call may keep (clone) these and return DEFERRED to signal them itself.
  iree_hal_semaphore_list_t signal_semaphore_list;
} iree_hal_host_call_context_t;
// A failure fails the operation's signals.
typedef iree_status_t (*iree_hal_host_call_fn_t)(
    void* user_data, const uint64_t args[4],
    iree_hal_host_call_context_t* context);
typedef struct iree_hal_host_call_t {
  iree_hal_host_call_fn_t fn;
  void* user_data;
} iree_hal_host_call_t;

IREE_API_EXPORT void iree_hal_device_retain(iree_hal_device_t* device);
IREE_API_EXPORT void iree_hal_device_release(iree_hal_device_t* device);
// The driver's name, borrowed.
IREE_API_EXPORT iree_string_view_t
iree_hal_device_id(const iree_hal_device_t* device);
IREE_API_EXPORT iree_allocator_t
iree_hal_device_host_allocator(const iree_hal_device_t* device);
// Borrowed.
IREE_API_EXPORT iree_hal_allocator_t* iree_hal_device_allocator(
    const iree_hal_device_t* device);
// Keeps |new_allocator|. Only before the device is used.
IREE_API_EXPORT void iree_hal_device_replace_allocator(
    iree_hal_device_t* device, iree_hal_allocator_t* new_allocator);
IREE_API_EXPORT iree_status_t iree_hal_device_trim(iree_hal_device_t* device);
// Answers a question of a compiled program, such as ("hal.device.id", "local*")
// or ("hal.executable.format", "embedded-elf-x86_64"): 0 for no, and of the
// formats that a program carries, the one with the greatest answer is loaded.
// NOT_FOUND when the device does not know the category or key.
IREE_API_EXPORT iree_status_t iree_hal_device_query_i64(
    iree_hal_device_t* device, iree_string_view_t category,
    iree_string_view_t key, int64_t* out_value);
// The caller sets |out_capabilities->size|; no more than that is written.
IREE_API_EXPORT iree_status_t iree_hal_device_query_capabilities(
    iree_hal_device_t* device,
    iree_hal_device_capabilities_t* out_capabilities);

// Queue operations. None waits in its caller. Each takes effect when all of
// |wait_semaphore_list| is reached, then signals |signal_semaphore_list|; if a
// wait or the operation fails, the signals fail with that status. Returning a
// failure means that nothing was queued and no signal will come. The queue
// keeps everything it uses alive until it is done. Only semaphores order
// operations.

// |*out_buffer| may be used by operations that wait for the signals.
IREE_API_EXPORT iree_status_t iree_hal_device_queue_alloca(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_buffer_params_t params, iree_device_size_t allocation_size,
    iree_hal_alloca_flags_t flags, iree_hal_buffer_t** out_buffer);
// The memory may be reused once the waits are reached. Buffers not made by
// queue_alloca are only waited for.
IREE_API_EXPORT iree_status_t iree_hal_device_queue_dealloca(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list, iree_hal_buffer_t* buffer,
    iree_hal_dealloca_flags_t flags);
IREE_API_EXPORT iree_status_t iree_hal_device_queue_fill(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_buffer_t* target_buffer, iree_device_size_t target_offset,
    iree_device_size_t length, const void* pattern,
    iree_host_size_t pattern_length, iree_hal_fill_flags_t flags);
// The host memory is taken before the call returns.
IREE_API_EXPORT iree_status_t iree_hal_device_queue_update(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list, const void* source_buffer,
    iree_host_size_t source_offset, iree_hal_buffer_t* target_buffer,
    iree_device_size_t target_offset, iree_device_size_t length,
    iree_hal_update_flags_t flags);
IREE_API_EXPORT iree_status_t iree_hal_device_queue_copy(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_buffer_t* source_buffer, iree_device_size_t source_offset,
    iree_hal_buffer_t* target_buffer, iree_device_size_t target_offset,
    iree_device_size_t length, iree_hal_copy_flags_t flags);
IREE_API_EXPORT iree_status_t iree_hal_device_queue_read(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_file_t* source_file, uint64_t source_offset,
    iree_hal_buffer_t* target_buffer, iree_device_size_t target_offset,
    iree_device_size_t length, iree_hal_read_flags_t flags);
IREE_API_EXPORT iree_status_t iree_hal_device_queue_write(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_buffer_t* source_buffer, iree_device_size_t source_offset,
    iree_hal_file_t* target_file, uint64_t target_offset,
    iree_device_size_t length, iree_hal_write_flags_t flags);
IREE_API_EXPORT iree_status_t iree_hal_device_queue_host_call(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list, iree_hal_host_call_t call,
    const uint64_t args[4], iree_hal_host_call_flags_t flags);
IREE_API_EXPORT iree_status_t iree_hal_device_queue_dispatch(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_executable_t* executable, iree_hal_executable_function_t function,
    const iree_hal_dispatch_config_t* config, iree_const_byte_span_t constants,
    iree_hal_buffer_ref_list_t bindings, iree_hal_dispatch_flags_t flags);
// |command_buffer| has ended. |binding_table| is copied.
IREE_API_EXPORT iree_status_t iree_hal_device_queue_execute(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_command_buffer_t* command_buffer,
    iree_hal_buffer_binding_table_t binding_table,
    iree_hal_execute_flags_t flags);
IREE_API_EXPORT iree_status_t iree_hal_device_queue_barrier(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_hal_execute_flags_t flags);
IREE_API_EXPORT iree_status_t iree_hal_device_queue_flush(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity);
// What a queue of a driver's own is made of: calls |fn(user_data)| when all of
// |wait_semaphore_list| is reached, then signals |signal_semaphore_list|, or
// fails it with what |fn| returned; when a wait fails, it fails the signals and
// does not call |fn|. On this thread before it returns when that is so already,
// else on the thread that makes it so, as iree_hal_semaphore_list_notify. Keeps
// the device, and each of |resources| (objects, or NULL), until |fn| has
// returned. |cleanup| (or NULL) is called once, whatever happened, before
// anybody can see that it is done; not when a failure is returned: then nothing
// was queued and |user_data| is the caller's.
typedef iree_status_t (*iree_hal_queue_work_fn_t)(void* user_data);
typedef void (*iree_hal_queue_cleanup_fn_t)(void* user_data);
IREE_API_EXPORT iree_status_t iree_hal_device_queue_submit(
    iree_hal_device_t* device, iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    iree_host_size_t resource_count, void* const* resources,
    iree_hal_queue_work_fn_t fn, iree_hal_queue_cleanup_fn_t cleanup,
    void* user_data);
// Blocks until all or any are reached.
IREE_API_EXPORT iree_status_t iree_hal_device_wait_semaphores(
    iree_hal_device_t* device, iree_hal_wait_mode_t wait_mode,
    iree_hal_semaphore_list_t semaphore_list, iree_timeout_t timeout,
    iree_hal_wait_flags_t flags);

// The defaults make a working device out of host memory: an operation is done
// through host mappings by the thread that submits it when its waits are
// reached, else by the thread that reaches the last of them.
//
// What the host has checked before it calls an entry, so that a driver need
// not:
// - Nothing that is asked for is NULL, and out_* parameters are NULL or 0.
// - Semaphore lists have a semaphore each, and payloads up to MAX_VALUE. Whose
//   a semaphore is has not been looked at: a driver compares the vtable.
// - Buffers: |offset| and |length| lie in the buffer, with WHOLE_BUFFER made a
//   number; access and usage allow the operation. Offsets are relative to the
//   buffer, which may be a subspan (iree_hal_buffer_byte_offset within
//   iree_hal_buffer_allocated_buffer), and may be another driver's: what the
//   device cannot reach the driver refuses, naming both
//   (iree_cy_object_owner).
// - Lengths may be 0: then there is nothing to do but wait and signal.
// An entry that returns a failure has queued nothing and signals nothing. Of
// what it is given, everything is borrowed for the call, lists, tables, config
// and bytes too: what the operation needs later, the driver copies or retains
// until it is done. The host keeps nothing for it but what a command buffer
// retains.
typedef struct iree_hal_device_vtable_t {
  iree_cy_vtable_header_t header;
  // Required. Calls iree_hal_device_deinitialize.
  void (*destroy)(iree_hal_device_t* device);
  // |new_allocator| is about to become the device's; the host does that part.
  // Default: nothing.
  void (*replace_allocator)(iree_hal_device_t* device,
                            iree_hal_allocator_t* new_allocator);
  // Default: trims the allocator.
  iree_status_t (*trim)(iree_hal_device_t* device);
  // Default: NOT_FOUND.
  iree_status_t (*query_i64)(iree_hal_device_t* device,
                             iree_string_view_t category,
                             iree_string_view_t key, int64_t* out_value);
  // Default: a host-memory device with one queue. The struct comes zeroed but
  // for its size, which is the host's, and one queue.
  iree_status_t (*query_capabilities)(
      iree_hal_device_t* device,
      iree_hal_device_capabilities_t* out_capabilities);
  // |mode| is consistent; begin and end are called in order, and each command
  // only in between. Default: the core's own recording.
  iree_status_t (*create_command_buffer)(
      iree_hal_device_t* device, iree_hal_command_buffer_mode_t mode,
      iree_hal_command_category_t command_categories,
      iree_hal_queue_affinity_t queue_affinity,
      iree_host_size_t binding_capacity,
      iree_hal_command_buffer_t** out_command_buffer);
  // Default: a cache that can prepare nothing and says so.
  iree_status_t (*create_executable_cache)(
      iree_hal_device_t* device, iree_string_view_t identifier,
      iree_hal_executable_cache_t** out_executable_cache);
  // Default: a semaphore of the host.
  iree_status_t (*create_semaphore)(iree_hal_device_t* device,
                                    iree_hal_queue_affinity_t queue_affinity,
                                    uint64_t initial_value,
                                    iree_hal_semaphore_flags_t flags,
                                    iree_hal_semaphore_t** out_semaphore);
  // |params| are canonical, the alignment a power of two or 0. Default:
  // allocates from the device's allocator at once, then signals.
  iree_status_t (*queue_alloca)(iree_hal_device_t* device,
                                iree_hal_queue_affinity_t queue_affinity,
                                iree_hal_semaphore_list_t wait_semaphore_list,
                                iree_hal_semaphore_list_t signal_semaphore_list,
                                iree_hal_buffer_params_t params,
                                iree_device_size_t allocation_size,
                                iree_hal_alloca_flags_t flags,
                                iree_hal_buffer_t** out_buffer);
  // |buffer| may be any, not only one of queue_alloca. Default: keeps the
  // buffer until the waits are reached.
  iree_status_t (*queue_dealloca)(
      iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
      iree_hal_semaphore_list_t wait_semaphore_list,
      iree_hal_semaphore_list_t signal_semaphore_list,
      iree_hal_buffer_t* buffer, iree_hal_dealloca_flags_t flags);
  // |pattern_length| is 1, 2 or 4, and divides offset and length. Default:
  // through host mappings, as the next four.
  iree_status_t (*queue_fill)(iree_hal_device_t* device,
                              iree_hal_queue_affinity_t queue_affinity,
                              iree_hal_semaphore_list_t wait_semaphore_list,
                              iree_hal_semaphore_list_t signal_semaphore_list,
                              iree_hal_buffer_t* target_buffer,
                              iree_device_size_t target_offset,
                              iree_device_size_t length, const void* pattern,
                              iree_host_size_t pattern_length,
                              iree_hal_fill_flags_t flags);
  // source + offset + length do not wrap. The bytes are taken before it
  // returns.
  iree_status_t (*queue_update)(
      iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
      iree_hal_semaphore_list_t wait_semaphore_list,
      iree_hal_semaphore_list_t signal_semaphore_list,
      const void* source_buffer, iree_host_size_t source_offset,
      iree_hal_buffer_t* target_buffer, iree_device_size_t target_offset,
      iree_device_size_t length, iree_hal_update_flags_t flags);
  // The ranges do not overlap within one allocation.
  iree_status_t (*queue_copy)(
      iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
      iree_hal_semaphore_list_t wait_semaphore_list,
      iree_hal_semaphore_list_t signal_semaphore_list,
      iree_hal_buffer_t* source_buffer, iree_device_size_t source_offset,
      iree_hal_buffer_t* target_buffer, iree_device_size_t target_offset,
      iree_device_size_t length, iree_hal_copy_flags_t flags);
  // The range lies in the file, which allows the access; the same of
  // queue_write.
  iree_status_t (*queue_read)(
      iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
      iree_hal_semaphore_list_t wait_semaphore_list,
      iree_hal_semaphore_list_t signal_semaphore_list,
      iree_hal_file_t* source_file, uint64_t source_offset,
      iree_hal_buffer_t* target_buffer, iree_device_size_t target_offset,
      iree_device_size_t length, iree_hal_read_flags_t flags);
  iree_status_t (*queue_write)(
      iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
      iree_hal_semaphore_list_t wait_semaphore_list,
      iree_hal_semaphore_list_t signal_semaphore_list,
      iree_hal_buffer_t* source_buffer, iree_device_size_t source_offset,
      iree_hal_file_t* target_file, uint64_t target_offset,
      iree_device_size_t length, iree_hal_write_flags_t flags);
  // Default: on the thread that does the operation.
  iree_status_t (*queue_host_call)(
      iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
      iree_hal_semaphore_list_t wait_semaphore_list,
      iree_hal_semaphore_list_t signal_semaphore_list,
      iree_hal_host_call_t call, const uint64_t args[4],
      iree_hal_host_call_flags_t flags);
  // Each binding has a buffer with room for its range, readable or writable,
  // for dispatch storage; which of both a function needs is not known here. Up
  // to MAX_BINDING_COUNT bindings and MAX_CONSTANT_COUNT whole constants; that
  // they are as many as the function takes has not been checked. Lengths may
  // still be WHOLE_BUFFER. Default: records one dispatch and executes it.
  iree_status_t (*queue_dispatch)(
      iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
      iree_hal_semaphore_list_t wait_semaphore_list,
      iree_hal_semaphore_list_t signal_semaphore_list,
      iree_hal_executable_t* executable,
      iree_hal_executable_function_t function,
      const iree_hal_dispatch_config_t* config,
      iree_const_byte_span_t constants, iree_hal_buffer_ref_list_t bindings,
      iree_hal_dispatch_flags_t flags);
  // |command_buffer| is NULL for a barrier; else it has ended, one that is
  // ONE_SHOT is submitted for the first time, and whose it is has not been
  // looked at. A device that passes one that is ONE_SHOT on to another device
  // does so before it returns. |binding_table| has all slots that the recording
  // uses, each checked against what it is used for
  // (iree_hal_command_buffer_validate_bindings; not of an UNVALIDATED one);
  // those it does not use may be NULL. Its lengths may be WHOLE_BUFFER:
  // iree_hal_buffer_binding_table_resolve_ref makes them numbers. Default:
  // replays the core's own recording through host mappings; a dispatch in it is
  // UNIMPLEMENTED.
  iree_status_t (*queue_execute)(
      iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
      iree_hal_semaphore_list_t wait_semaphore_list,
      iree_hal_semaphore_list_t signal_semaphore_list,
      iree_hal_command_buffer_t* command_buffer,
      iree_hal_buffer_binding_table_t binding_table,
      iree_hal_execute_flags_t flags);
  // Default: nothing.
  iree_status_t (*queue_flush)(iree_hal_device_t* device,
                               iree_hal_queue_affinity_t queue_affinity);
  // Default: iree_hal_semaphore_list_wait.
  iree_status_t (*wait_semaphores)(iree_hal_device_t* device,
                                   iree_hal_wait_mode_t wait_mode,
                                   iree_hal_semaphore_list_t semaphore_list,
                                   iree_timeout_t timeout,
                                   iree_hal_wait_flags_t flags);
} iree_hal_device_vtable_t;

// What a driver embeds first. Filled by the host functions only.
struct iree_hal_device_t {
  iree_hal_resource_t resource;
  iree_allocator_t host_allocator;
  iree_string_view_t identifier;
  iree_hal_allocator_t* device_allocator;
  // What iree_cy_fork_generation was when it was made.
  uint32_t fork_generation;
  uint32_t reserved0;
  uintptr_t reserved[6];
};
// Copies |identifier|, keeps |device_allocator|.
IREE_API_EXPORT iree_status_t iree_hal_device_initialize(
    const iree_hal_device_vtable_t* vtable, iree_string_view_t identifier,
    iree_hal_allocator_t* device_allocator, iree_allocator_t host_allocator,
    iree_hal_device_t* device);
IREE_API_EXPORT void iree_hal_device_deinitialize(iree_hal_device_t* device);

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_HAL_DEVICE_H_
