// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the layout of stacks: the frame arena, fuel and limits, as the
// interpreter and invocations use them.

#ifndef IREE_CY_NATIVE_VM_STACK_IMPL_H_
#define IREE_CY_NATIVE_VM_STACK_IMPL_H_

#include "iree_cy/vm/stack.h"

// Frames lie one above the other in chunks that never move, so that pointers
// into a frame stay good while it lives. Chunks are kept when frames leave.
typedef struct iree_cy_vm_stack_chunk_t {
  struct iree_cy_vm_stack_chunk_t* next;
  uint8_t* end;
} iree_cy_vm_stack_chunk_t;

// A place in the arena to go back to.
typedef struct iree_cy_vm_stack_mark_t {
  iree_cy_vm_stack_chunk_t* chunk;
  uint8_t* top;
} iree_cy_vm_stack_mark_t;

typedef struct iree_vm_stack_frame_t iree_vm_stack_frame_t;

// Releases what a frame's storage holds. Called when the frame leaves.
typedef void (*iree_vm_stack_frame_cleanup_fn_t)(iree_vm_stack_frame_t* frame);

// One function under way. Its storage follows, aligned to 16.
struct iree_vm_stack_frame_t {
  iree_vm_stack_frame_t* parent;
  iree_cy_vm_stack_mark_t mark;
  iree_vm_function_t function;
  iree_vm_module_state_t* module_state;
  // Where the function is, kept by the module; read for error messages.
  iree_vm_source_offset_t pc;
  iree_vm_stack_frame_cleanup_fn_t cleanup;
};
_Static_assert(sizeof(iree_vm_stack_frame_t) % 16 == 0, "storage is aligned");

struct iree_vm_stack_t {
  uint8_t* top;
  uint8_t* limit;
  iree_cy_vm_stack_chunk_t* chunk;
  iree_vm_stack_frame_t* frame;
  // Instructions until the next refuel. Whoever runs instructions subtracts
  // them and refuels below 0.
  int64_t fuel;
  uint32_t depth;
  uint32_t max_depth;
  // Calls of iree_cy_vm_stack_call under way: these use the C stack.
  uint32_t native_depth;
  uint32_t holds_call_lock;
  // Instructions left beyond |fuel|; UINT64_MAX when there is no limit.
  uint64_t instructions_left;
  iree_time_t deadline_ns;
  iree_cy_vm_interrupt_fn_t interrupt;
  void* interrupt_user_data;
  iree_vm_context_t* context;
  iree_allocator_t allocator;
  iree_allocator_t program_allocator;
  iree_host_size_t arena_size;
  // The invocation around this one in the same thread, of another context.
  iree_vm_stack_t* thread_parent;
};

static inline void* iree_vm_stack_frame_storage(iree_vm_stack_frame_t* frame) {
  return (uint8_t*)frame + sizeof(*frame);
}

// Makes a chunk of at least |size| bytes the current one.
iree_status_t iree_cy_vm_stack_grow(iree_vm_stack_t* stack,
                                    iree_host_size_t size);
iree_status_t iree_cy_vm_stack_depth_error(iree_vm_stack_t* stack);
// Called when |fuel| has fallen below 0: polls, takes the next slice from the
// instructions that are left, or gives RESOURCE_EXHAUSTED.
IREE_MUST_USE_RESULT iree_status_t
iree_cy_vm_stack_refuel(iree_vm_stack_t* stack);

// Takes |size| uninitialized bytes, aligned to 16, until |*out_mark| is popped.
static inline IREE_MUST_USE_RESULT iree_status_t
iree_cy_vm_stack_push(iree_vm_stack_t* stack, iree_host_size_t size,
                      iree_cy_vm_stack_mark_t* out_mark, void** out_ptr) {
  out_mark->chunk = stack->chunk;
  out_mark->top = stack->top;
  if (IREE_UNLIKELY(size > (iree_host_size_t)(stack->limit - stack->top))) {
    *out_ptr = NULL;
    IREE_RETURN_IF_ERROR(iree_cy_vm_stack_grow(stack, size));
  }
  *out_ptr = stack->top;
  // Chunks end at a multiple of 16, so this stays inside.
  stack->top += iree_host_align(size, 16);
  return iree_ok_status();
}
static inline void iree_cy_vm_stack_pop(iree_vm_stack_t* stack,
                                        iree_cy_vm_stack_mark_t mark) {
  stack->top = mark.top;
  if (IREE_UNLIKELY(stack->chunk != mark.chunk)) {
    stack->chunk = mark.chunk;
    stack->limit = mark.chunk->end;
  }
}

// Enters a frame with |storage_size| uninitialized bytes (limit it before by
// what the format allows). |cleanup| may be NULL.
static inline IREE_MUST_USE_RESULT iree_status_t iree_vm_stack_function_enter(
    iree_vm_stack_t* stack, const iree_vm_function_t* function,
    iree_vm_module_state_t* module_state, iree_host_size_t storage_size,
    iree_vm_stack_frame_cleanup_fn_t cleanup,
    iree_vm_stack_frame_t** out_frame) {
  *out_frame = NULL;
  if (IREE_UNLIKELY(stack->depth >= stack->max_depth)) {
    return iree_cy_vm_stack_depth_error(stack);
  }
  iree_cy_vm_stack_mark_t mark;
  void* ptr = NULL;
  IREE_RETURN_IF_ERROR(iree_cy_vm_stack_push(
      stack, sizeof(iree_vm_stack_frame_t) + storage_size, &mark, &ptr));
  iree_vm_stack_frame_t* frame = (iree_vm_stack_frame_t*)ptr;
  frame->parent = stack->frame;
  frame->mark = mark;
  frame->function = *function;
  frame->module_state = module_state;
  frame->pc = 0;
  frame->cleanup = cleanup;
  stack->frame = frame;
  ++stack->depth;
  *out_frame = frame;
  return iree_ok_status();
}
// Leaves the current frame.
static inline void iree_vm_stack_function_leave(iree_vm_stack_t* stack) {
  iree_vm_stack_frame_t* frame = stack->frame;
  if (frame->cleanup) frame->cleanup(frame);
  stack->frame = frame->parent;
  --stack->depth;
  iree_cy_vm_stack_pop(stack, frame->mark);
}
static inline iree_vm_stack_frame_t* iree_vm_stack_current_frame(
    iree_vm_stack_t* stack) {
  return stack->frame;
}

// Takes |status| and returns it with a line for each frame from the current one
// down to |base| (not included; what was current when the call began), at most
// 16: "at module.function (file:line:column)". Called before they leave.
IREE_MUST_USE_RESULT iree_status_t iree_vm_stack_annotate_backtrace(
    iree_vm_stack_t* stack, const iree_vm_stack_frame_t* base,
    iree_status_t status);

// Makes a stack for |context|; frees it with its chunks.
iree_status_t iree_cy_vm_stack_allocate(iree_vm_context_t* context,
                                        iree_allocator_t allocator,
                                        iree_allocator_t program_allocator,
                                        iree_vm_stack_t** out_stack);
void iree_cy_vm_stack_free(iree_vm_stack_t* stack);
// The innermost invocation under way in this thread, and the innermost of the
// context |id| (iree_vm_context_id); NULL when there is none.
iree_vm_stack_t* iree_cy_vm_thread_innermost_stack(void);
iree_vm_stack_t* iree_cy_vm_thread_stack_of_context(intptr_t id);
// Makes it as new for an invocation under these limits (0 is off).
void iree_cy_vm_stack_reset(iree_vm_stack_t* stack,
                            const iree_cy_vm_call_options_t* options,
                            uint64_t max_instructions, uint32_t max_call_depth);

#endif  // IREE_CY_NATIVE_VM_STACK_IMPL_H_
