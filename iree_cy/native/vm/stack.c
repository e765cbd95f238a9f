// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns stacks: growth, fuel, polling and backtraces.

#include "iree_cy/native/vm/context_impl.h"
#include "iree_cy/native/vm/stack_impl.h"

// Enough for the frames of most calls; the first chunk lies behind the stack.
#define IREE_CY_VM_STACK_INITIAL_SIZE ((iree_host_size_t)16 * 1024)
// Runaway recursion ends here when max_call_depth is off.
#define IREE_CY_VM_STACK_MAX_SIZE ((iree_host_size_t)64 * 1024 * 1024)
// A stack at rest keeps at most this.
#define IREE_CY_VM_STACK_IDLE_SIZE ((iree_host_size_t)1024 * 1024)
// Instructions between polls: well under a millisecond.
#define IREE_CY_VM_STACK_POLL_INSTRUCTIONS (INT64_C(1) << 17)
// What stands for "no limit" and still leaves room to subtract.
#define IREE_CY_VM_STACK_UNLIMITED_FUEL (INT64_C(1) << 62)
// Lines of a backtrace that are kept.
#define IREE_CY_VM_STACK_BACKTRACE_FRAMES 16

static uint8_t* iree_cy_vm_stack_chunk_begin(iree_cy_vm_stack_chunk_t* chunk) {
  _Static_assert(sizeof(*chunk) % 16 == 0, "frames are aligned");
  return (uint8_t*)(chunk + 1);
}

static iree_host_size_t iree_cy_vm_stack_chunk_size(
    const iree_cy_vm_stack_chunk_t* chunk) {
  return (iree_host_size_t)(chunk->end - (const uint8_t*)chunk);
}

static void iree_cy_vm_stack_enter_chunk(iree_vm_stack_t* stack,
                                         iree_cy_vm_stack_chunk_t* chunk) {
  stack->chunk = chunk;
  stack->top = iree_cy_vm_stack_chunk_begin(chunk);
  stack->limit = chunk->end;
}

// Frees the chunks after |chunk|.
static void iree_cy_vm_stack_trim(iree_vm_stack_t* stack,
                                  iree_cy_vm_stack_chunk_t* chunk) {
  iree_cy_vm_stack_chunk_t* next = chunk->next;
  chunk->next = NULL;
  while (next) {
    iree_cy_vm_stack_chunk_t* dead = next;
    next = dead->next;
    stack->arena_size -= iree_cy_vm_stack_chunk_size(dead);
    iree_allocator_free(stack->program_allocator, dead);
  }
}

static iree_cy_vm_stack_chunk_t* iree_cy_vm_stack_first_chunk(
    iree_vm_stack_t* stack) {
  return (iree_cy_vm_stack_chunk_t*)((uint8_t*)stack +
                                     iree_host_align(sizeof(*stack), 16));
}

iree_status_t iree_cy_vm_stack_allocate(iree_vm_context_t* context,
                                        iree_allocator_t allocator,
                                        iree_allocator_t program_allocator,
                                        iree_vm_stack_t** out_stack) {
  *out_stack = NULL;
  const iree_host_size_t total_size =
      iree_host_align(sizeof(iree_vm_stack_t), 16) +
      IREE_CY_VM_STACK_INITIAL_SIZE;
  iree_vm_stack_t* stack = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc_uninitialized(
      allocator, total_size, (void**)&stack));
  memset(stack, 0, sizeof(*stack));
  stack->context = context;
  stack->allocator = allocator;
  stack->program_allocator = program_allocator;
  stack->arena_size = IREE_CY_VM_STACK_INITIAL_SIZE;
  iree_cy_vm_stack_chunk_t* chunk = iree_cy_vm_stack_first_chunk(stack);
  chunk->next = NULL;
  chunk->end = (uint8_t*)stack + total_size;
  iree_cy_vm_stack_enter_chunk(stack, chunk);
  *out_stack = stack;
  return iree_ok_status();
}

void iree_cy_vm_stack_free(iree_vm_stack_t* stack) {
  if (!stack) return;
  iree_cy_vm_stack_trim(stack, iree_cy_vm_stack_first_chunk(stack));
  iree_allocator_free(stack->allocator, stack);
}

void iree_cy_vm_stack_reset(iree_vm_stack_t* stack,
                            const iree_cy_vm_call_options_t* options,
                            uint64_t max_instructions,
                            uint32_t max_call_depth) {
  iree_cy_vm_stack_chunk_t* first = iree_cy_vm_stack_first_chunk(stack);
  if (stack->arena_size > IREE_CY_VM_STACK_IDLE_SIZE) {
    iree_cy_vm_stack_trim(stack, first);
  }
  iree_cy_vm_stack_enter_chunk(stack, first);
  stack->frame = NULL;
  stack->depth = 0;
  stack->native_depth = 0;
  stack->max_depth = max_call_depth ? max_call_depth : UINT32_MAX;
  stack->deadline_ns = options->deadline_ns;
  stack->interrupt = options->interrupt;
  stack->interrupt_user_data = options->interrupt_user_data;
  stack->instructions_left = max_instructions ? max_instructions : UINT64_MAX;
  // The first slice costs no poll.
  stack->fuel = stack->interrupt || stack->deadline_ns != INT64_MAX
                    ? IREE_CY_VM_STACK_POLL_INSTRUCTIONS
                    : IREE_CY_VM_STACK_UNLIMITED_FUEL;
  if (max_instructions) {
    stack->fuel = (int64_t)iree_min((uint64_t)stack->fuel, max_instructions);
    stack->instructions_left -= (uint64_t)stack->fuel;
  }
}

iree_status_t iree_cy_vm_stack_grow(iree_vm_stack_t* stack,
                                    iree_host_size_t size) {
  iree_cy_vm_stack_chunk_t* next = stack->chunk->next;
  if (next && size <= (iree_host_size_t)(next->end -
                                         iree_cy_vm_stack_chunk_begin(next))) {
    iree_cy_vm_stack_enter_chunk(stack, next);
    return iree_ok_status();
  }
  iree_cy_vm_stack_trim(stack, stack->chunk);
  iree_host_size_t needed = 0;
  if (size > IREE_CY_VM_STACK_MAX_SIZE ||
      (needed = iree_host_align(size, 16) + sizeof(*next)) >
          IREE_CY_VM_STACK_MAX_SIZE - stack->arena_size) {
    return iree_make_status(
        IREE_STATUS_RESOURCE_EXHAUSTED,
        "the calls under way (%u deep) need more than the %zu MiB of a stack",
        stack->depth, IREE_CY_VM_STACK_MAX_SIZE / (1024 * 1024));
  }
  // Doubling, as far as the maximum goes.
  iree_host_size_t chunk_size = iree_max(needed, stack->arena_size);
  chunk_size =
      iree_min(chunk_size, IREE_CY_VM_STACK_MAX_SIZE - stack->arena_size);
  IREE_RETURN_IF_ERROR(iree_allocator_malloc_uninitialized(
      stack->program_allocator, chunk_size, (void**)&next));
  next->next = NULL;
  next->end = (uint8_t*)next + (chunk_size & ~(iree_host_size_t)15);
  stack->arena_size += iree_cy_vm_stack_chunk_size(next);
  stack->chunk->next = next;
  iree_cy_vm_stack_enter_chunk(stack, next);
  return iree_ok_status();
}

iree_status_t iree_cy_vm_stack_depth_error(iree_vm_stack_t* stack) {
  return iree_make_status(
      IREE_STATUS_RESOURCE_EXHAUSTED,
      "the program is %u calls deep, which is the context's "
      "max_call_depth",
      stack->depth);
}

iree_status_t iree_cy_vm_stack_refuel(iree_vm_stack_t* stack) {
  const bool polls = stack->interrupt || stack->deadline_ns != INT64_MAX;
  const int64_t slice = polls ? IREE_CY_VM_STACK_POLL_INSTRUCTIONS
                              : IREE_CY_VM_STACK_UNLIMITED_FUEL;
  if (polls) IREE_RETURN_IF_ERROR(iree_cy_vm_stack_poll(stack));
  if (stack->instructions_left == UINT64_MAX) {
    stack->fuel = slice;
    return iree_ok_status();
  }
  // What has been run beyond the last slice.
  const uint64_t debt =
      stack->fuel < 0 ? (uint64_t)0 - (uint64_t)stack->fuel : 0;
  if (debt > stack->instructions_left) {
    return iree_make_status(IREE_STATUS_RESOURCE_EXHAUSTED,
                            "the program has run %" PRIu64
                            " instructions, which is the context's "
                            "max_instructions",
                            stack->context->limits.max_instructions);
  }
  const uint64_t left = stack->instructions_left - debt;
  stack->fuel = (int64_t)iree_min(left, (uint64_t)slice);
  stack->instructions_left = left - (uint64_t)stack->fuel;
  return iree_ok_status();
}

iree_status_t iree_cy_vm_stack_poll(iree_vm_stack_t* stack) {
  if (stack->interrupt) {
    IREE_RETURN_IF_ERROR(stack->interrupt(stack->interrupt_user_data));
  }
  if (stack->deadline_ns != IREE_TIME_INFINITE_FUTURE &&
      iree_time_now() >= stack->deadline_ns) {
    return iree_make_status(IREE_STATUS_DEADLINE_EXCEEDED,
                            "the call has not ended within its time");
  }
  return iree_ok_status();
}

iree_vm_context_t* iree_cy_vm_stack_context(const iree_vm_stack_t* stack) {
  return stack->context;
}

iree_allocator_t iree_vm_stack_allocator(const iree_vm_stack_t* stack) {
  return stack->allocator;
}

iree_allocator_t iree_vm_stack_program_allocator(const iree_vm_stack_t* stack) {
  return stack->program_allocator;
}

iree_time_t iree_cy_vm_stack_deadline(const iree_vm_stack_t* stack) {
  return stack->deadline_ns;
}

bool iree_cy_vm_stack_is_interruptible(const iree_vm_stack_t* stack) {
  return stack->interrupt != NULL;
}

iree_status_t iree_vm_stack_query_module_state(
    iree_vm_stack_t* stack, const iree_vm_module_t* module,
    iree_vm_module_state_t** out_module_state) {
  return iree_vm_context_resolve_module_state(stack->context, module,
                                              out_module_state);
}

// Appends the line for |frame|.
static iree_status_t iree_cy_vm_stack_describe_frame(
    const iree_vm_stack_frame_t* frame, iree_string_builder_t* builder) {
  const iree_vm_function_t function = frame->function;
  iree_string_view_t module_name = iree_vm_module_name(function.module);
  iree_string_view_t name = iree_vm_function_name(&function);
  IREE_RETURN_IF_ERROR(iree_string_builder_append_format(
      builder, "at %.*s.%.*s", IREE_SV_ARG(module_name), IREE_SV_ARG(name)));
  if (iree_string_view_is_empty(name)) {
    IREE_RETURN_IF_ERROR(
        iree_string_builder_append_format(builder, "#%u", function.ordinal));
  }
  IREE_RETURN_IF_ERROR(
      iree_string_builder_append_string(builder, IREE_SV(" (")));
  iree_status_t status = iree_vm_module_resolve_source_location(
      function.module, function, frame->pc, builder);
  if (!iree_status_is_ok(status)) {
    iree_status_ignore(status);
    IREE_RETURN_IF_ERROR(iree_string_builder_append_format(
        builder, "offset %" PRIi64, frame->pc));
  }
  return iree_string_builder_append_string(builder, IREE_SV(")"));
}

iree_status_t iree_vm_stack_annotate_backtrace(
    iree_vm_stack_t* stack, const iree_vm_stack_frame_t* base,
    iree_status_t status) {
  if (iree_status_is_ok(status)) return status;
  uint32_t count = 0;
  for (iree_vm_stack_frame_t* frame = stack->frame; frame && frame != base;
       frame = frame->parent) {
    if (++count > IREE_CY_VM_STACK_BACKTRACE_FRAMES) continue;
    iree_string_builder_t builder;
    iree_string_builder_initialize(stack->allocator, &builder);
    // Without memory for the line, the status says enough without it.
    iree_status_t line_status =
        iree_cy_vm_stack_describe_frame(frame, &builder);
    if (iree_status_is_ok(line_status)) {
      status = iree_status_annotate(status, iree_string_builder_view(&builder));
    } else {
      iree_status_ignore(line_status);
    }
    iree_string_builder_deinitialize(&builder);
  }
  if (count > IREE_CY_VM_STACK_BACKTRACE_FRAMES) {
    status = iree_status_annotate_f(status, "... and %u calls around these",
                                    count - IREE_CY_VM_STACK_BACKTRACE_FRAMES);
  }
  return status;
}
