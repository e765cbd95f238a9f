// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns workers of vmvx programs.

#include "iree_cy/native/loaders/vmvx_worker.h"

#include "iree_cy/native/vm/context_impl.h"
#include "iree_cy/native/vm/stack_impl.h"

// Arguments of a function, "rrriiiiiiiii": local memory, constants, bindings,
// then workgroup id, size and count along x, y and z each.
#define IREE_CY_VMVX_IDS_OFFSET (3 * sizeof(iree_vm_ref_t))
#define IREE_CY_VMVX_ARGUMENTS_SIZE \
  (IREE_CY_VMVX_IDS_OFFSET + 9 * sizeof(uint32_t))

struct iree_cy_vmvx_worker_t {
  const iree_cy_vmvx_program_t* program;
  iree_vm_context_t* context;
  iree_vm_module_state_t* module_state;
  iree_vm_stack_t* stack;
  iree_vm_list_t* binding_list;
  // A program may keep references to these for as long as its context lives.
  // Between dispatches they are empty, so that what it keeps shows nothing.
  iree_vm_buffer_t local_memory;
  iree_vm_buffer_t constants;
  iree_vm_buffer_t bindings[];
};

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

// Gives the program its constants, in a buffer that it may keep.
static iree_status_t iree_cy_vmvx_worker_set_constants(
    iree_cy_vmvx_worker_t* worker, const iree_cy_vm_call_options_t* options) {
  const iree_cy_vmvx_program_t* program = worker->program;
  if (iree_vm_function_is_null(program->set_constants)) {
    return iree_ok_status();
  }
  iree_vm_buffer_t* buffer = NULL;
  const iree_host_size_t length =
      program->constant_count * sizeof(program->constants[0]);
  IREE_RETURN_IF_ERROR(iree_vm_buffer_create(
      IREE_VM_BUFFER_ACCESS_ORIGIN_HOST, length, /*alignment=*/0,
      iree_cy_vm_context_program_allocator(worker->context), &buffer));
  if (length) memcpy(buffer->data.data, program->constants, length);
  iree_vm_ref_t argument = iree_vm_buffer_move_ref(buffer);
  iree_status_t status = iree_cy_vm_context_call(
      worker->context, program->set_constants, options,
      iree_make_byte_span(&argument, sizeof(argument)), iree_byte_span_empty());
  iree_vm_ref_release(&argument);
  return status;
}

// The options of the call under way, if the program was loaded in it.
static iree_cy_vm_call_options_t iree_cy_vmvx_options(
    const iree_vm_stack_t* outer) {
  iree_cy_vm_call_options_t options = iree_cy_vm_call_options_default();
  if (outer) {
    options.deadline_ns = outer->deadline_ns;
    options.interrupt = outer->interrupt;
    options.interrupt_user_data = outer->interrupt_user_data;
  }
  return options;
}

static iree_vm_stack_t* iree_cy_vmvx_outer_stack(
    const iree_cy_vmvx_program_t* program) {
  return program->context_id
             ? iree_cy_vm_thread_stack_of_context(program->context_id)
             : NULL;
}

static iree_status_t iree_cy_vmvx_worker_link(iree_cy_vmvx_worker_t* worker) {
  const iree_cy_vmvx_program_t* program = worker->program;
  iree_vm_module_t* modules[] = {program->kernels, program->module};
  const iree_cy_vm_call_options_t options =
      iree_cy_vmvx_options(iree_cy_vmvx_outer_stack(program));
  IREE_RETURN_IF_ERROR(iree_cy_vm_context_create(
      program->instance, IREE_VM_CONTEXT_FLAG_NONE, &program->limits, &options,
      IREE_ARRAYSIZE(modules), modules, program->host_allocator,
      &worker->context));
  IREE_RETURN_IF_ERROR(iree_vm_context_resolve_module_state(
      worker->context, program->module, &worker->module_state));
  const iree_allocator_t program_allocator =
      iree_cy_vm_context_program_allocator(worker->context);
  IREE_RETURN_IF_ERROR(
      iree_cy_vm_stack_allocate(worker->context, program->host_allocator,
                                program_allocator, &worker->stack));
  // The program may make the list grow, so it pays for it.
  IREE_RETURN_IF_ERROR(iree_vm_list_create(
      iree_vm_make_ref_type_def(iree_vm_buffer_type()),
      program->max_binding_count, program_allocator, &worker->binding_list));
  return iree_cy_vmvx_worker_set_constants(worker, &options);
}

iree_status_t iree_cy_vmvx_worker_create(const iree_cy_vmvx_program_t* program,
                                         iree_cy_vmvx_worker_t** out_worker) {
  *out_worker = NULL;
  iree_cy_vmvx_worker_t* worker = NULL;
  // No overflow: there are at most IREE_HAL_DISPATCH_MAX_BINDING_COUNT.
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(
      program->host_allocator,
      sizeof(*worker) + program->max_binding_count * sizeof(iree_vm_buffer_t),
      (void**)&worker));
  worker->program = program;
  const iree_allocator_t no_allocator = {NULL, NULL};
  const iree_byte_span_t nothing = iree_byte_span_empty();
  iree_vm_buffer_initialize(IREE_VM_BUFFER_ACCESS_ORIGIN_HOST, nothing,
                            no_allocator, &worker->local_memory);
  iree_vm_buffer_initialize(IREE_VM_BUFFER_ACCESS_ORIGIN_HOST, nothing,
                            no_allocator, &worker->constants);
  for (iree_host_size_t i = 0; i < program->max_binding_count; ++i) {
    iree_vm_buffer_initialize(IREE_VM_BUFFER_ACCESS_ORIGIN_HOST, nothing,
                              no_allocator, &worker->bindings[i]);
  }
  iree_status_t status = iree_cy_vmvx_worker_link(worker);
  if (iree_status_is_ok(status)) {
    *out_worker = worker;
  } else {
    iree_cy_vmvx_worker_free(worker);
  }
  return status;
}

void iree_cy_vmvx_worker_free(iree_cy_vmvx_worker_t* worker) {
  if (!worker) return;
  const iree_cy_vmvx_program_t* program = worker->program;
  // First whatever may refer to the buffers.
  iree_cy_vm_stack_free(worker->stack);
  iree_vm_context_release(worker->context);
  iree_vm_list_release(worker->binding_list);
  for (iree_host_size_t i = 0; i < program->max_binding_count; ++i) {
    iree_vm_buffer_deinitialize(&worker->bindings[i]);
  }
  iree_vm_buffer_deinitialize(&worker->constants);
  iree_vm_buffer_deinitialize(&worker->local_memory);
  iree_allocator_free(program->host_allocator, worker);
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

// Instructions that |stack| has left; UINT64_MAX when there is no limit.
static uint64_t iree_cy_vmvx_instructions_left(const iree_vm_stack_t* stack) {
  if (stack->instructions_left == UINT64_MAX) return UINT64_MAX;
  if (stack->fuel >= 0) {
    return stack->instructions_left + (uint64_t)stack->fuel;
  }
  const uint64_t debt = (uint64_t)0 - (uint64_t)stack->fuel;
  return stack->instructions_left > debt ? stack->instructions_left - debt : 0;
}

// Makes the worker's stack ready: part of |outer|, or under the limits alone.
// Returns the instructions that it may run.
static uint64_t iree_cy_vmvx_worker_reset(iree_cy_vmvx_worker_t* worker,
                                          const iree_vm_stack_t* outer) {
  const iree_cy_vm_limits_t* limits = &worker->program->limits;
  const iree_cy_vm_call_options_t options = iree_cy_vmvx_options(outer);
  uint64_t instructions =
      limits->max_instructions ? limits->max_instructions : UINT64_MAX;
  if (outer) {
    instructions =
        iree_min(instructions, iree_cy_vmvx_instructions_left(outer));
  }
  // 0 would be no limit; with 1 the first instructions are too many.
  instructions = iree_max(instructions, (uint64_t)1);
  iree_cy_vm_stack_reset(worker->stack, &options,
                         instructions == UINT64_MAX ? 0 : instructions,
                         limits->max_call_depth);
  return instructions;
}

// Takes what has been run of |instructions| from |outer|, which sees at its
// next refuelling when that was too much.
static void iree_cy_vmvx_worker_charge(const iree_cy_vmvx_worker_t* worker,
                                       uint64_t instructions,
                                       iree_vm_stack_t* outer) {
  if (!outer || outer->instructions_left == UINT64_MAX) return;
  // Modulo 64 bits, as fuel may be below 0.
  const uint64_t left =
      worker->stack->instructions_left + (uint64_t)worker->stack->fuel;
  outer->fuel -= (int64_t)(instructions - left);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static void iree_cy_vmvx_buffer_set(iree_vm_buffer_t* buffer, bool may_write,
                                    const void* data, iree_host_size_t length) {
  buffer->access = IREE_VM_BUFFER_ACCESS_ORIGIN_HOST |
                   (may_write ? IREE_VM_BUFFER_ACCESS_MUTABLE : 0);
  buffer->data = iree_make_byte_span((void*)(uintptr_t)data, length);
}

// Points the buffers to what |run| gives. The list is filled anew, as the
// program may have changed it.
static iree_status_t iree_cy_vmvx_worker_bind(iree_cy_vmvx_worker_t* worker,
                                              const iree_cy_vmvx_run_t* run) {
  const iree_hal_local_dispatch_t* dispatch = run->dispatch;
  iree_cy_vmvx_buffer_set(&worker->local_memory, /*may_write=*/true,
                          run->local_memory.data,
                          run->local_memory.data_length);
  iree_cy_vmvx_buffer_set(&worker->constants, /*may_write=*/false,
                          dispatch->constants,
                          dispatch->constant_count * sizeof(uint32_t));
  IREE_RETURN_IF_ERROR(
      iree_vm_list_resize(worker->binding_list, dispatch->binding_count));
  for (uint32_t i = 0; i < dispatch->binding_count; ++i) {
    iree_cy_vmvx_buffer_set(
        &worker->bindings[i], (dispatch->writable_bindings >> i) & 1,
        dispatch->binding_ptrs[i], dispatch->binding_lengths[i]);
    const iree_vm_ref_t ref = {&worker->bindings[i], iree_vm_buffer_type()};
    IREE_RETURN_IF_ERROR(
        iree_vm_list_set_ref_retain(worker->binding_list, i, &ref));
  }
  return iree_ok_status();
}

static void iree_cy_vmvx_worker_unbind(iree_cy_vmvx_worker_t* worker,
                                       const iree_cy_vmvx_run_t* run) {
  iree_cy_vmvx_buffer_set(&worker->local_memory, false, NULL, 0);
  iree_cy_vmvx_buffer_set(&worker->constants, false, NULL, 0);
  for (uint32_t i = 0; i < run->dispatch->binding_count; ++i) {
    iree_cy_vmvx_buffer_set(&worker->bindings[i], false, NULL, 0);
  }
}

static __attribute__((cold, noinline)) iree_status_t
iree_cy_vmvx_workgroup_status(iree_status_t status, iree_vm_function_t function,
                              const uint32_t id[3]) {
  const iree_string_view_t name = iree_vm_function_name(&function);
  return iree_status_annotate_f(
      status, "in workgroup (%" PRIu32 ", %" PRIu32 ", %" PRIu32 ") of '%.*s'",
      id[0], id[1], id[2], (int)iree_min(name.size, (iree_host_size_t)64),
      name.data);
}

static iree_status_t iree_cy_vmvx_worker_call(iree_cy_vmvx_worker_t* worker,
                                              const iree_cy_vmvx_run_t* run) {
  const iree_hal_local_dispatch_t* dispatch = run->dispatch;
  uint8_t arguments[IREE_CY_VMVX_ARGUMENTS_SIZE];
  const iree_vm_ref_t refs[] = {
      {&worker->local_memory, iree_vm_buffer_type()},
      {&worker->constants, iree_vm_buffer_type()},
      {worker->binding_list, iree_vm_list_type()},
  };
  memcpy(arguments, refs, sizeof(refs));
  // Ids, sizes, counts.
  uint32_t values[9];
  const uint32_t* count = dispatch->workgroup_count;
  const uint64_t row = run->first_workgroup / count[0];
  values[0] = (uint32_t)(run->first_workgroup % count[0]);
  values[1] = (uint32_t)(row % count[1]);
  values[2] = (uint32_t)(row / count[1]);
  for (int i = 0; i < 3; ++i) {
    // Code for vmvx does its workgroup whatever the size is.
    values[3 + i] = iree_max(dispatch->workgroup_size[i], 1u);
    values[6 + i] = count[i];
  }
  const iree_vm_function_call_t call = {
      .function = run->function,
      .module_state = worker->module_state,
      .arguments = iree_make_byte_span(arguments, sizeof(arguments)),
      .results = iree_byte_span_empty(),
  };
  iree_vm_module_t* module = run->function.module;
  for (uint64_t i = run->workgroup_count;;) {
    memcpy(arguments + IREE_CY_VMVX_IDS_OFFSET, values, sizeof(values));
    iree_status_t status =
        module->begin_call(module->self, worker->stack, call);
    if (IREE_UNLIKELY(!iree_status_is_ok(status))) {
      return iree_cy_vmvx_workgroup_status(status, run->function, values);
    }
    if (--i == 0) return iree_ok_status();
    if (++values[0] < count[0]) continue;
    values[0] = 0;
    if (++values[1] < count[1]) continue;
    values[1] = 0;
    ++values[2];
  }
}

iree_status_t iree_cy_vmvx_worker_run(iree_cy_vmvx_worker_t* worker,
                                      const iree_cy_vmvx_run_t* run) {
  iree_vm_stack_t* outer = iree_cy_vmvx_outer_stack(worker->program);
  const uint64_t instructions = iree_cy_vmvx_worker_reset(worker, outer);
  iree_status_t status = iree_cy_vmvx_worker_bind(worker, run);
  if (iree_status_is_ok(status)) status = iree_cy_vmvx_worker_call(worker, run);
  iree_cy_vmvx_worker_unbind(worker, run);
  iree_cy_vmvx_worker_charge(worker, instructions, outer);
  return status;
}
