// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns doing and parking the operations of the default queue.

#include "iree_cy/native/hal/queue_operation.h"

#include "iree_cy/hal/operation.h"
#include "iree_cy/native/hal/semaphore_impl.h"

//===-- doing ---------------------------------------------------------------===

static iree_status_t replay_fill(void* user_data,
                                 iree_hal_buffer_ref_t target_ref,
                                 const void* pattern,
                                 iree_host_size_t pattern_length) {
  (void)user_data;
  return iree_hal_buffer_map_fill(target_ref.buffer, target_ref.offset,
                                  target_ref.length, pattern, pattern_length);
}

static iree_status_t replay_update(void* user_data, const void* source,
                                   iree_hal_buffer_ref_t target_ref) {
  (void)user_data;
  return iree_hal_buffer_map_write(target_ref.buffer, target_ref.offset, source,
                                   target_ref.length);
}

static iree_status_t replay_copy(void* user_data,
                                 iree_hal_buffer_ref_t source_ref,
                                 iree_hal_buffer_ref_t target_ref) {
  (void)user_data;
  return iree_hal_buffer_map_copy(source_ref.buffer, source_ref.offset,
                                  target_ref.buffer, target_ref.offset,
                                  target_ref.length);
}

static iree_status_t replay_dispatch(void* user_data,
                                     iree_hal_executable_t* executable,
                                     iree_hal_executable_function_t function,
                                     const iree_hal_dispatch_config_t* config,
                                     iree_const_byte_span_t constants,
                                     iree_hal_buffer_ref_list_t bindings,
                                     iree_hal_dispatch_flags_t flags) {
  (void)executable, (void)function, (void)config, (void)constants;
  (void)bindings, (void)flags;
  const iree_hal_device_t* device = (const iree_hal_device_t*)user_data;
  return iree_make_status(
      IREE_STATUS_UNIMPLEMENTED,
      "device '%.*s' moves bytes only: driver '%s' does not implement "
      "dispatches (iree_hal_device_t.queue_execute)",
      IREE_SV_ARG(iree_hal_device_id(device)), iree_cy_resource_owner(device));
}

static iree_status_t do_execute(iree_hal_device_t* device,
                                const iree_cy_queue_work_t* work) {
  static const iree_hal_command_visitor_t visitor = {
      .size = sizeof(visitor),
      .fill = replay_fill,
      .update = replay_update,
      .copy = replay_copy,
      .dispatch = replay_dispatch,
  };
  return iree_hal_recorded_command_buffer_replay(
      work->command_buffer, work->binding_table, &visitor, device);
}

static iree_status_t do_host_call(iree_hal_device_t* device,
                                  const iree_cy_queue_work_t* work,
                                  iree_hal_semaphore_list_t signals) {
  iree_hal_host_call_context_t context = {
      .size = sizeof(context),
      .device = device,
      .queue_affinity = work->queue_affinity,
      .signal_semaphore_list = signals,
  };
  return work->call.fn(work->call.user_data, work->call_args, &context);
}

static iree_status_t do_work(iree_hal_device_t* device,
                             const iree_cy_queue_work_t* work) {
  switch (work->kind) {
    case IREE_CY_QUEUE_WORK_FILL:
      return iree_hal_buffer_map_fill(work->target_buffer, work->target_offset,
                                      work->length, work->data.data,
                                      work->data.data_length);
    case IREE_CY_QUEUE_WORK_UPDATE:
      return iree_hal_buffer_map_write(work->target_buffer, work->target_offset,
                                       work->data.data, work->length);
    case IREE_CY_QUEUE_WORK_COPY:
      return iree_hal_buffer_map_copy(work->source_buffer, work->source_offset,
                                      work->target_buffer, work->target_offset,
                                      work->length);
    case IREE_CY_QUEUE_WORK_READ:
      return iree_hal_file_read(work->file, work->source_offset,
                                work->target_buffer, work->target_offset,
                                work->length);
    case IREE_CY_QUEUE_WORK_WRITE:
      return iree_hal_file_write(work->file, work->target_offset,
                                 work->source_buffer, work->source_offset,
                                 work->length);
    case IREE_CY_QUEUE_WORK_EXECUTE:
      return do_execute(device, work);
    default:
      return iree_ok_status();
  }
}

// Does |work| and settles |signals|. |release| gives back what the work used,
// before anybody can see that it is done.
static void do_and_signal(iree_hal_device_t* device,
                          const iree_cy_queue_work_t* work,
                          iree_hal_semaphore_list_t signals,
                          void (*release)(void*), void* user_data) {
  if (work->kind == IREE_CY_QUEUE_WORK_HOST_CALL) {
    if (iree_any_bit_set(work->call_flags,
                         IREE_HAL_HOST_CALL_FLAG_NON_BLOCKING)) {
      iree_hal_semaphore_list_complete(signals, iree_ok_status());
      iree_status_t status =
          do_host_call(device, work, iree_hal_semaphore_list_empty());
      // Nobody waits for it any more; it must not go unseen all the same.
      if (!iree_status_is_ok(status) && !iree_status_is_deferred(status)) {
        iree_cy_log(IREE_CY_LOG_LEVEL_ERROR, IREE_SV("hal"),
                    iree_status_message(status));
      }
      IREE_IGNORE_ERROR(status);
      return;
    }
    iree_status_t status = do_host_call(device, work, signals);
    if (iree_status_is_deferred(status)) {
      IREE_IGNORE_ERROR(status);
      return;
    }
    iree_hal_semaphore_list_complete(signals, status);
    return;
  }
  iree_status_t status = do_work(device, work);
  if (release) release(user_data);
  iree_hal_semaphore_list_complete(signals, status);
}

//===-- parking -------------------------------------------------------------===

typedef struct parked_operation_t {
  iree_cy_operation_t operation;
  iree_hal_device_t* device;
  iree_allocator_t host_allocator;
  iree_hal_semaphore_list_t signals;
  iree_cy_queue_work_t work;
  // Some work is settled before its signals are, some only when it is freed.
  bool is_ended;
  // Payloads and semaphores of |signals|, bindings, bytes.
  uint64_t storage[];
} parked_operation_t;

static void parked_operation_release_resources(void* user_data) {
  iree_cy_queue_work_t* work = &((parked_operation_t*)user_data)->work;
  iree_hal_buffer_release(work->source_buffer);
  iree_hal_buffer_release(work->target_buffer);
  iree_hal_file_release(work->file);
  iree_hal_command_buffer_release(work->command_buffer);
  for (iree_host_size_t i = 0; i < work->binding_table.count; ++i) {
    iree_hal_buffer_release(work->binding_table.bindings[i].buffer);
  }
  work->source_buffer = NULL;
  work->target_buffer = NULL;
  work->file = NULL;
  work->command_buffer = NULL;
  work->binding_table = iree_hal_buffer_binding_table_empty();
}

// Before anybody can see that it is done.
static void parked_operation_settle(void* user_data) {
  parked_operation_t* operation = (parked_operation_t*)user_data;
  parked_operation_release_resources(operation);
  if (operation->is_ended) return;
  operation->is_ended = true;
  iree_cy_operation_end(&operation->operation);
}

static void parked_operation_free(parked_operation_t* operation) {
  parked_operation_settle(operation);
  iree_hal_semaphore_list_release(operation->signals);
  iree_hal_device_t* device = operation->device;
  iree_allocator_free(operation->host_allocator, operation);
  iree_hal_device_release(device);
}

static void parked_operation_ready(void* user_data, iree_status_t status) {
  parked_operation_t* operation = (parked_operation_t*)user_data;
  if (!iree_cy_operation_start(&operation->operation)) {
    // Its signals have failed already; what the waits say is of no interest.
    iree_status_ignore(status);
    status = iree_status_from_code(IREE_STATUS_CANCELLED);
  }
  if (iree_status_is_ok(status)) {
    do_and_signal(operation->device, &operation->work, operation->signals,
                  parked_operation_settle, operation);
  } else {
    parked_operation_settle(operation);
    iree_hal_semaphore_list_fail(operation->signals, status);
  }
  parked_operation_free(operation);
}

// A copy of |work| that keeps all it names. The semaphores that it waits for
// are not among that: one that nobody else has can never be signalled, and its
// end fails the operation.
static iree_status_t parked_operation_create(
    iree_hal_device_t* device, iree_hal_semaphore_list_t signals,
    const iree_cy_queue_work_t* work, parked_operation_t** out_operation) {
  iree_host_size_t signal_size = 0;
  iree_host_size_t binding_size = 0;
  iree_host_size_t size = sizeof(parked_operation_t);
  if (!iree_host_size_checked_mul(
          signals.count, sizeof(uint64_t) + sizeof(iree_hal_semaphore_t*),
          &signal_size) ||
      !iree_host_size_checked_mul(work->binding_table.count,
                                  sizeof(iree_hal_buffer_binding_t),
                                  &binding_size) ||
      !iree_host_size_checked_add(size, signal_size, &size) ||
      !iree_host_size_checked_add(size, binding_size, &size) ||
      !iree_host_size_checked_add(size, work->data.data_length, &size)) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "a queue operation of %" PRIhsz " signals, %" PRIhsz
                            " bindings and %" PRIhsz " bytes is too large",
                            signals.count, work->binding_table.count,
                            work->data.data_length);
  }
  parked_operation_t* operation = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc_uninitialized(
      device->host_allocator, size, (void**)&operation));
  operation->device = device;
  operation->host_allocator = device->host_allocator;
  operation->work = *work;
  operation->is_ended = false;

  uint8_t* storage = (uint8_t*)operation->storage;
  operation->signals.count = signals.count;
  operation->signals.payload_values = (uint64_t*)storage;
  operation->signals.semaphores =
      (iree_hal_semaphore_t**)(operation->signals.payload_values +
                               signals.count);
  if (signals.count) {
    memcpy(operation->signals.payload_values, signals.payload_values,
           signals.count * sizeof(uint64_t));
    memcpy(operation->signals.semaphores, signals.semaphores,
           signals.count * sizeof(iree_hal_semaphore_t*));
  }
  storage += signal_size;
  if (binding_size) {
    memcpy(storage, work->binding_table.bindings, binding_size);
    operation->work.binding_table.bindings =
        (const iree_hal_buffer_binding_t*)storage;
  }
  storage += binding_size;
  if (work->data.data_length) {
    memcpy(storage, work->data.data, work->data.data_length);
    operation->work.data.data = storage;
  }

  iree_cy_operation_begin(operation->signals, &operation->operation);
  iree_hal_device_retain(device);
  iree_hal_semaphore_list_retain(operation->signals);
  iree_hal_buffer_retain(work->source_buffer);
  iree_hal_buffer_retain(work->target_buffer);
  iree_hal_file_retain(work->file);
  iree_hal_command_buffer_retain(work->command_buffer);
  for (iree_host_size_t i = 0; i < work->binding_table.count; ++i) {
    iree_hal_buffer_retain(work->binding_table.bindings[i].buffer);
  }
  *out_operation = operation;
  return iree_ok_status();
}

iree_status_t iree_cy_queue_submit(
    iree_hal_device_t* device, iree_hal_semaphore_list_t wait_semaphore_list,
    iree_hal_semaphore_list_t signal_semaphore_list,
    const iree_cy_queue_work_t* work) {
  iree_status_t status = iree_hal_semaphore_list_poll(wait_semaphore_list);
  if (iree_status_is_ok(status)) {
    do_and_signal(device, work, signal_semaphore_list, NULL, NULL);
    return iree_ok_status();
  }
  if (!iree_status_is_deferred(status)) {
    iree_hal_semaphore_list_fail(signal_semaphore_list, status);
    return iree_ok_status();
  }
  IREE_IGNORE_ERROR(status);
  parked_operation_t* operation = NULL;
  IREE_RETURN_IF_ERROR(
      parked_operation_create(device, signal_semaphore_list, work, &operation));
  status = iree_hal_semaphore_list_notify(wait_semaphore_list,
                                          parked_operation_ready, operation,
                                          device->host_allocator);
  if (!iree_status_is_ok(status)) parked_operation_free(operation);
  return status;
}
