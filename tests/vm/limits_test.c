// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the tests of limits, interruption, the stack and the call lock.

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "iree_cy/native/base/fork.h"
#include "iree_cy/native/vm/context_impl.h"
#include "iree_cy/native/vm/stack_impl.h"
#include "iree_cy/vm/api.h"
#include "tests/support/ctest.h"

//===----------------------------------------------------------------------===//
// Module "work": uses up what limits bound
//===----------------------------------------------------------------------===//

// (i64) -> ref: a buffer of that many bytes.
static iree_status_t work_buffer(iree_vm_stack_t* stack, void* module,
                                 void* state, iree_byte_span_t arguments,
                                 iree_byte_span_t results) {
  (void)module, (void)state;
  const uint8_t* in = arguments.data;
  uint8_t* out = results.data;
  iree_vm_buffer_t* buffer = NULL;
  IREE_RETURN_IF_ERROR(iree_vm_buffer_create(
      IREE_VM_BUFFER_ACCESS_MUTABLE, (iree_host_size_t)iree_cy_vm_read_i64(&in),
      0, iree_vm_stack_program_allocator(stack), &buffer));
  iree_cy_vm_write_ref(&out, iree_vm_buffer_move_ref(buffer));
  return iree_ok_status();
}
// (i64) -> ref: a list grown to that many elements, one by one.
static iree_status_t work_list(iree_vm_stack_t* stack, void* module,
                               void* state, iree_byte_span_t arguments,
                               iree_byte_span_t results) {
  (void)module, (void)state;
  const uint8_t* in = arguments.data;
  uint8_t* out = results.data;
  int64_t count = iree_cy_vm_read_i64(&in);
  iree_vm_list_t* list = NULL;
  IREE_RETURN_IF_ERROR(
      iree_vm_list_create(iree_vm_make_value_type_def(IREE_VM_VALUE_TYPE_I64),
                          0, iree_vm_stack_program_allocator(stack), &list));
  iree_status_t status = iree_ok_status();
  for (int64_t i = 0; i < count && iree_status_is_ok(status); ++i) {
    iree_vm_value_t value = iree_vm_value_make_i64(i);
    status = iree_vm_list_push_value(list, &value);
  }
  iree_cy_vm_write_ref(&out, iree_vm_list_move_ref(list));
  return status;
}
// (i64) -> (): runs that many instructions, as an interpreter would.
static iree_status_t work_run(iree_vm_stack_t* stack, void* module, void* state,
                              iree_byte_span_t arguments,
                              iree_byte_span_t results) {
  (void)module, (void)state, (void)results;
  const uint8_t* in = arguments.data;
  for (int64_t left = iree_cy_vm_read_i64(&in); left > 0; --left) {
    if (--stack->fuel < 0) {
      IREE_RETURN_IF_ERROR(iree_cy_vm_stack_refuel(stack));
    }
  }
  return iree_ok_status();
}

static int live_frames = 0;
static void work_cleanup(iree_vm_stack_frame_t* frame) {
  EXPECT_EQ_I64(*(uint8_t*)iree_vm_stack_frame_storage(frame), 0xAB);
  --live_frames;
}
static iree_status_t work_enter(iree_vm_stack_t* stack, iree_vm_module_t* self,
                                int64_t depth) {
  const iree_vm_function_t function = {self, IREE_VM_FUNCTION_LINKAGE_EXPORT, 0,
                                       1};
  const iree_vm_stack_frame_t* base = iree_vm_stack_current_frame(stack);
  int64_t entered = 0;
  iree_status_t status = iree_ok_status();
  while (entered < depth && iree_status_is_ok(status)) {
    iree_vm_stack_frame_t* frame = NULL;
    const iree_host_size_t size = 1 + (iree_host_size_t)(entered % 1000);
    status = iree_vm_stack_function_enter(stack, &function, NULL, size,
                                          work_cleanup, &frame);
    if (!iree_status_is_ok(status) || !frame) break;
    memset(iree_vm_stack_frame_storage(frame), 0xAB, size);
    EXPECT_EQ_I64((uintptr_t)iree_vm_stack_frame_storage(frame) % 16, 0);
    frame->pc = entered++;
    ++live_frames;
  }
  status = iree_vm_stack_annotate_backtrace(stack, base, status);
  for (; entered > 0; --entered) iree_vm_stack_function_leave(stack);
  EXPECT(iree_vm_stack_current_frame(stack) == base);
  return status;
}
// (i64) -> (): enters that many frames, one above the other.
static iree_status_t work_frames(iree_vm_stack_t* stack, void* module,
                                 void* state, iree_byte_span_t arguments,
                                 iree_byte_span_t results) {
  (void)module, (void)state, (void)results;
  const uint8_t* in = arguments.data;
  return work_enter(
      stack, iree_vm_context_module_at(iree_cy_vm_stack_context(stack), 0),
      iree_cy_vm_read_i64(&in));
}

static pthread_barrier_t meeting;
// () -> (): meets another thread, twice.
static iree_status_t work_meet(iree_vm_stack_t* stack, void* module,
                               void* state, iree_byte_span_t arguments,
                               iree_byte_span_t results) {
  (void)stack, (void)module, (void)state, (void)arguments, (void)results;
  pthread_barrier_wait(&meeting);
  pthread_barrier_wait(&meeting);
  return iree_ok_status();
}

static const iree_vm_native_export_descriptor_t work_exports[] = {
    {IREE_SVL("buffer"), IREE_SVL("0I_r"), work_buffer, 0, NULL},
    {IREE_SVL("frames"), IREE_SVL("0I_v"), work_frames, 0, NULL},
    {IREE_SVL("list"), IREE_SVL("0I_r"), work_list, 0, NULL},
    {IREE_SVL("meet"), IREE_SVL("0v_v"), work_meet, 0, NULL},
    {IREE_SVL("run"), IREE_SVL("0I_v"), work_run, 0, NULL},
};
static const iree_vm_native_module_descriptor_t work_descriptor = {
    .name = IREE_SVL("work"),
    .exports = work_exports,
    .export_count = IREE_ARRAYSIZE(work_exports),
};
static const iree_vm_native_module_descriptor_t stateless_descriptor = {
    .name = IREE_SVL("work"),
    .flags = IREE_CY_VM_MODULE_FLAG_STATELESS,
    .exports = work_exports,
    .export_count = IREE_ARRAYSIZE(work_exports),
};

static iree_vm_context_t* make_context(
    const iree_vm_native_module_descriptor_t* descriptor,
    const iree_cy_vm_limits_t* limits, iree_allocator_t allocator) {
  iree_vm_instance_t* instance = NULL;
  EXPECT_OK(iree_vm_instance_create(IREE_VM_TYPE_CAPACITY_DEFAULT,
                                    iree_allocator_system(), &instance));
  iree_vm_module_t interface;
  memset(&interface, 0, sizeof(interface));
  iree_vm_module_t* module = NULL;
  EXPECT_OK(iree_vm_native_module_create(&interface, descriptor, instance,
                                         iree_allocator_system(), &module));
  iree_vm_context_t* context = NULL;
  EXPECT_OK(iree_cy_vm_context_create(instance, IREE_VM_CONTEXT_FLAG_NONE,
                                      limits, /*options=*/NULL, 1, &module,
                                      allocator, &context));
  iree_vm_module_release(module);
  iree_vm_instance_release(instance);
  return context;
}
// Calls work.|name| with |argument|; |out_ref| is NULL when it returns nothing.
static iree_status_t call(iree_vm_context_t* context, const char* name,
                          const iree_cy_vm_call_options_t* options,
                          int64_t argument, iree_vm_ref_t* out_ref) {
  iree_vm_function_t function;
  IREE_RETURN_IF_ERROR(iree_vm_module_lookup_function_by_name(
      iree_vm_context_module_at(context, 0), IREE_VM_FUNCTION_LINKAGE_EXPORT,
      iree_make_cstring_view(name), &function));
  const bool has_argument = strcmp(name, "meet") != 0;
  return iree_cy_vm_context_call(
      context, function, options,
      iree_make_byte_span(&argument, has_argument ? 8 : 0),
      iree_make_byte_span(out_ref, out_ref ? sizeof(*out_ref) : 0));
}
static void expect_nothing_alive(void) {
  for (int kind = IREE_CY_OBJECT_KIND_VM_INSTANCE;
       kind <= IREE_CY_OBJECT_KIND_VM_BUFFER; ++kind) {
    EXPECT_EQ_I64(iree_cy_live_object_count(kind), 0);
  }
}

//===----------------------------------------------------------------------===//
// max_bytes
//===----------------------------------------------------------------------===//

CTEST(a_program_stays_within_its_bytes) {
  iree_cy_vm_limits_t limits = iree_cy_vm_limits_none();
  limits.max_bytes = 100000;
  iree_vm_context_t* context =
      make_context(&work_descriptor, &limits, iree_allocator_system());
  iree_vm_ref_t a = iree_vm_ref_null();
  iree_vm_ref_t b = iree_vm_ref_null();
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                call(context, "buffer", NULL, 100001, &a));
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                call(context, "buffer", NULL, INT64_MAX, &a));
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                call(context, "buffer", NULL, -1, &a));
  EXPECT_EQ_I64(iree_cy_vm_context_bytes_used(context), 0);
  EXPECT_OK(call(context, "buffer", NULL, 60000, &a));
  EXPECT(iree_cy_vm_context_bytes_used(context) >= 60000);
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                call(context, "buffer", NULL, 60000, &b));
  iree_vm_ref_release(&a);
  EXPECT_OK(call(context, "buffer", NULL, 60000, &b));
  // A list grows by doubling, so its limit is met on the way.
  EXPECT_OK(call(context, "list", NULL, 100, &a));
  iree_vm_ref_release(&a);
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                call(context, "list", NULL, 1000000, &a));
  iree_vm_ref_release(&a);
  iree_cy_vm_budget_t* budget = NULL;
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                iree_cy_vm_context_charge(context, 60000, &budget));
  EXPECT(budget == NULL);
  REQUIRE_OK(iree_cy_vm_context_charge(context, 20000, &budget));
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                call(context, "buffer", NULL, 20000, &a));
  // What the program made may outlive its context.
  iree_vm_context_release(context);
  memset(iree_vm_buffer_data(iree_vm_buffer_deref(b)), 1, 60000);
  iree_vm_ref_release(&b);
  iree_cy_vm_budget_credit(budget, 20000);
  expect_nothing_alive();
}

CTEST(without_a_limit_nothing_is_counted) {
  iree_vm_context_t* context =
      make_context(&work_descriptor, NULL, iree_allocator_system());
  iree_vm_ref_t ref = iree_vm_ref_null();
  EXPECT_OK(call(context, "buffer", NULL, 1 << 20, &ref));
  EXPECT_EQ_I64(iree_cy_vm_context_bytes_used(context), 0);
  iree_cy_vm_budget_t* budget = NULL;
  EXPECT_OK(iree_cy_vm_context_charge(context, UINT64_MAX, &budget));
  EXPECT(budget == NULL);
  iree_cy_vm_budget_credit(budget, UINT64_MAX);
  iree_vm_ref_release(&ref);
  iree_vm_context_release(context);
  expect_nothing_alive();
}

//===----------------------------------------------------------------------===//
// max_call_depth, the stack
//===----------------------------------------------------------------------===//

CTEST(a_program_stays_within_its_depth) {
  iree_cy_vm_limits_t limits = iree_cy_vm_limits_none();
  limits.max_call_depth = 100;
  iree_vm_context_t* context =
      make_context(&work_descriptor, &limits, iree_allocator_system());
  EXPECT_OK(call(context, "frames", NULL, 100, NULL));
  iree_status_t status = call(context, "frames", NULL, 101, NULL);
  // 16 frames, one line for the others, and the function itself.
  EXPECT_EQ_I64(iree_status_annotation_count(status), 18);
  EXPECT_EQ_SV(iree_status_annotation(status, 0),
               IREE_SV("at work.frames (offset 99)"));
  EXPECT_EQ_SV(iree_status_annotation(status, 15),
               IREE_SV("at work.frames (offset 84)"));
  EXPECT_EQ_SV(iree_status_annotation(status, 16),
               IREE_SV("... and 84 calls around these"));
  EXPECT_EQ_SV(iree_status_annotation(status, 17), IREE_SV("in work.frames"));
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED, status);
  EXPECT_EQ_I64(live_frames, 0);
  iree_vm_context_release(context);
  expect_nothing_alive();
}

CTEST(runaway_recursion_ends_without_a_limit) {
  iree_vm_context_t* context =
      make_context(&work_descriptor, NULL, iree_allocator_system());
  EXPECT_OK(call(context, "frames", NULL, 20000, NULL));
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                call(context, "frames", NULL, INT64_MAX, NULL));
  EXPECT_EQ_I64(live_frames, 0);
  EXPECT_OK(call(context, "frames", NULL, 20000, NULL));
  iree_vm_context_release(context);
}

// An allocator that counts what it gives.
static int64_t allocation_count = 0;
static iree_status_t counting_ctl(void* self, iree_allocator_command_t command,
                                  const void* params, void** inout_ptr) {
  (void)self;
  if (command != IREE_ALLOCATOR_COMMAND_FREE) ++allocation_count;
  iree_allocator_t allocator = iree_allocator_system();
  return allocator.ctl(allocator.self, command, params, inout_ptr);
}

CTEST(a_second_call_allocates_nothing) {
  iree_allocator_t allocator = {NULL, counting_ctl};
  iree_vm_context_t* context = make_context(&work_descriptor, NULL, allocator);
  EXPECT_OK(call(context, "frames", NULL, 20, NULL));
  allocation_count = 0;
  for (int i = 0; i < 10; ++i) {
    EXPECT_OK(call(context, "frames", NULL, 20, NULL));
  }
  EXPECT_EQ_I64(allocation_count, 0);
  iree_vm_context_release(context);
}

CTEST(scratch_memory_goes_back_where_it_was) {
  iree_vm_context_t* context =
      make_context(&work_descriptor, NULL, iree_allocator_system());
  iree_vm_stack_t* stack = NULL;
  REQUIRE_OK(iree_cy_vm_stack_allocate(context, iree_allocator_system(),
                                       iree_allocator_system(), &stack));
  uint8_t* const top = stack->top;
  iree_cy_vm_stack_mark_t marks[3];
  void* blocks[3];
  const iree_host_size_t sizes[3] = {5, 100000, 40};
  for (int i = 0; i < 3; ++i) {
    REQUIRE_OK(iree_cy_vm_stack_push(stack, sizes[i], &marks[i], &blocks[i]));
    memset(blocks[i], i, sizes[i]);
  }
  iree_cy_vm_stack_pop(stack, marks[1]);
  void* block = NULL;
  REQUIRE_OK(iree_cy_vm_stack_push(stack, 16, &marks[1], &block));
  EXPECT(block == (uint8_t*)blocks[0] + 16);
  EXPECT_STATUS(
      IREE_STATUS_RESOURCE_EXHAUSTED,
      iree_cy_vm_stack_push(stack, IREE_HOST_SIZE_MAX, &marks[2], &block));
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                iree_cy_vm_stack_push(stack, (iree_host_size_t)1 << 30,
                                      &marks[2], &block));
  iree_cy_vm_stack_pop(stack, marks[0]);
  EXPECT(stack->top == top);
  iree_cy_vm_stack_free(stack);
  iree_vm_context_release(context);
}

//===----------------------------------------------------------------------===//
// max_instructions, interruption, deadlines
//===----------------------------------------------------------------------===//

CTEST(a_program_stays_within_its_instructions) {
  iree_cy_vm_limits_t limits = iree_cy_vm_limits_none();
  limits.max_instructions = 1000000;
  iree_vm_context_t* context =
      make_context(&work_descriptor, &limits, iree_allocator_system());
  iree_cy_vm_call_options_t options = iree_cy_vm_call_options_default();
  for (int i = 0; i < 2; ++i) {
    EXPECT_OK(call(context, "run", &options, 1000000, NULL));
    EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                  call(context, "run", &options, 1000001, NULL));
    // The same count when it is given out in slices.
    options.deadline_ns = INT64_MAX - 1;
  }
  iree_vm_context_release(context);
}

static iree_status_t interrupt_at_third(void* user_data) {
  return ++*(int*)user_data == 3
             ? iree_make_status(IREE_STATUS_CANCELLED, "that is enough")
             : iree_ok_status();
}

CTEST(an_interrupt_ends_an_endless_program) {
  iree_vm_context_t* context =
      make_context(&work_descriptor, NULL, iree_allocator_system());
  int asked = 0;
  iree_cy_vm_call_options_t options = iree_cy_vm_call_options_default();
  options.interrupt = interrupt_at_third;
  options.interrupt_user_data = &asked;
  iree_status_t status = call(context, "run", &options, INT64_MAX, NULL);
  EXPECT_EQ_SV(iree_status_message(status), IREE_SV("that is enough"));
  EXPECT_STATUS(IREE_STATUS_CANCELLED, status);
  EXPECT_EQ_I64(asked, 3);
  iree_vm_context_release(context);
}

CTEST(a_deadline_ends_an_endless_program) {
  iree_vm_context_t* context =
      make_context(&work_descriptor, NULL, iree_allocator_system());
  iree_cy_vm_call_options_t options = iree_cy_vm_call_options_default();
  options.deadline_ns = iree_time_now() + 5000000;
  EXPECT_STATUS(IREE_STATUS_DEADLINE_EXCEEDED,
                call(context, "run", &options, INT64_MAX, NULL));
  EXPECT_OK(call(context, "run", NULL, 10, NULL));
  iree_vm_context_release(context);
}

typedef struct end_seen_t {
  const iree_vm_context_t* context;
  int count;
  bool is_locked;
} end_seen_t;
static iree_status_t see_end(void* user_data, iree_status_t status) {
  end_seen_t* seen = (end_seen_t*)user_data;
  ++seen->count;
  seen->is_locked = seen->context->call_lock != 0;
  return iree_status_join(
      status, iree_make_status(IREE_STATUS_DATA_LOSS, "the end failed"));
}

CTEST(the_end_of_a_call_is_told_under_the_call_lock) {
  iree_vm_context_t* context =
      make_context(&work_descriptor, NULL, iree_allocator_system());
  end_seen_t seen = {context, 0, false};
  iree_cy_vm_call_options_t options = iree_cy_vm_call_options_default();
  options.end = see_end;
  options.end_user_data = &seen;
  EXPECT_STATUS(IREE_STATUS_DATA_LOSS, call(context, "run", &options, 1, NULL));
  EXPECT_EQ_I64(seen.count, 1);
  EXPECT(seen.is_locked);
  EXPECT_EQ_I64(context->call_lock, 0);
  // What failed first is what is said, and one refused beforehand has no end.
  options.deadline_ns = iree_time_now() + 5000000;
  EXPECT_STATUS(IREE_STATUS_DEADLINE_EXCEEDED,
                call(context, "run", &options, INT64_MAX, NULL));
  EXPECT_EQ_I64(seen.count, 2);
  EXPECT_STATUS(
      IREE_STATUS_INVALID_ARGUMENT,
      iree_cy_vm_context_call(context, (iree_vm_function_t){0}, &options,
                              iree_byte_span_empty(), iree_byte_span_empty()));
  EXPECT_EQ_I64(seen.count, 2);
  iree_vm_context_release(context);
}

CTEST(options_and_limits_of_no_size_are_refused) {
  iree_vm_context_t* context =
      make_context(&work_descriptor, NULL, iree_allocator_system());
  iree_cy_vm_call_options_t options = iree_cy_vm_call_options_default();
  options.size = 0;
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                call(context, "run", &options, 1, NULL));
  iree_vm_context_release(context);
}

//===----------------------------------------------------------------------===//
// The call lock
//===----------------------------------------------------------------------===//

static void* meet_in_thread(void* context) {
  EXPECT_OK(call((iree_vm_context_t*)context, "meet", NULL, 0, NULL));
  return NULL;
}

static iree_status_t interrupt_at_once(void* user_data) {
  (void)user_data;
  return iree_status_from_code(IREE_STATUS_CANCELLED);
}

CTEST(one_call_waits_for_another_as_long_as_it_may) {
  iree_vm_context_t* context =
      make_context(&work_descriptor, NULL, iree_allocator_system());
  pthread_barrier_init(&meeting, NULL, 2);
  pthread_t thread;
  pthread_create(&thread, NULL, meet_in_thread, context);
  pthread_barrier_wait(&meeting);
  // The other thread is inside its call now.
  iree_cy_vm_call_options_t options = iree_cy_vm_call_options_default();
  options.deadline_ns = iree_time_now() + 2000000;
  EXPECT_STATUS(IREE_STATUS_DEADLINE_EXCEEDED,
                call(context, "run", &options, 1, NULL));
  options.deadline_ns = IREE_TIME_INFINITE_PAST;
  EXPECT_STATUS(IREE_STATUS_DEADLINE_EXCEEDED,
                call(context, "run", &options, 1, NULL));
  options = iree_cy_vm_call_options_default();
  options.interrupt = interrupt_at_once;
  EXPECT_STATUS(IREE_STATUS_CANCELLED, call(context, "run", &options, 1, NULL));
  pthread_barrier_wait(&meeting);
  EXPECT_OK(call(context, "run", NULL, 1, NULL));
  pthread_join(thread, NULL);
  pthread_barrier_destroy(&meeting);
  iree_vm_context_release(context);
  expect_nothing_alive();
}

CTEST(calls_of_a_stateless_context_run_side_by_side) {
  iree_vm_context_t* context =
      make_context(&stateless_descriptor, NULL, iree_allocator_system());
  EXPECT(iree_vm_context_flags(context) & IREE_CY_VM_CONTEXT_FLAG_STATELESS);
  pthread_barrier_init(&meeting, NULL, 2);
  pthread_t thread;
  pthread_create(&thread, NULL, meet_in_thread, context);
  // Both have to be inside at the same time for either to come out.
  meet_in_thread(context);
  pthread_join(thread, NULL);
  pthread_barrier_destroy(&meeting);
  iree_vm_context_release(context);
  expect_nothing_alive();
}

static iree_status_t count_up(iree_vm_stack_t* stack, void* module, void* state,
                              iree_byte_span_t arguments,
                              iree_byte_span_t results) {
  (void)stack, (void)state, (void)arguments, (void)results;
  ++*(int*)module;
  return iree_ok_status();
}
static void* count_in_thread(void* context) {
  for (int i = 0; i < 20000; ++i) {
    EXPECT_OK(call((iree_vm_context_t*)context, "meet", NULL, 0, NULL));
  }
  return NULL;
}

CTEST(calls_of_a_stateful_context_exclude_each_other) {
  static const iree_vm_native_export_descriptor_t exports[] = {
      {IREE_SVL("meet"), IREE_SVL("0v_v"), count_up, 0, NULL}};
  static const iree_vm_native_module_descriptor_t descriptor = {
      .name = IREE_SVL("work"), .exports = exports, .export_count = 1};
  int total = 0;
  iree_vm_instance_t* instance = NULL;
  REQUIRE_OK(iree_vm_instance_create(2, iree_allocator_system(), &instance));
  iree_vm_module_t interface;
  memset(&interface, 0, sizeof(interface));
  interface.self = &total;
  iree_vm_module_t* module = NULL;
  REQUIRE_OK(iree_vm_native_module_create(&interface, &descriptor, instance,
                                          iree_allocator_system(), &module));
  iree_vm_context_t* context = NULL;
  REQUIRE_OK(iree_vm_context_create_with_modules(
      instance, 0, 1, &module, iree_allocator_system(), &context));
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) {
    pthread_create(&threads[i], NULL, count_in_thread, context);
  }
  for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  EXPECT_EQ_I64(total, 60000);
  iree_vm_context_release(context);
  iree_vm_module_release(module);
  iree_vm_instance_release(instance);
}

CTEST(a_forked_child_does_not_wait_for_a_call_of_the_parent) {
  REQUIRE(iree_cy_fork_initialize());
  iree_vm_context_t* context =
      make_context(&work_descriptor, NULL, iree_allocator_system());
  pthread_barrier_init(&meeting, NULL, 2);
  pthread_t thread;
  pthread_create(&thread, NULL, meet_in_thread, context);
  pthread_barrier_wait(&meeting);
  pid_t child = fork();
  if (child == 0) {
    iree_status_code_t code =
        iree_status_consume_code(call(context, "run", NULL, 1, NULL));
    _exit(code == IREE_STATUS_ABORTED ? 0 : 1);
  }
  int exit_status = -1;
  EXPECT_EQ_I64(waitpid(child, &exit_status, 0), child);
  EXPECT_EQ_I64(exit_status, 0);
  pthread_barrier_wait(&meeting);
  pthread_join(thread, NULL);
  pthread_barrier_destroy(&meeting);
  iree_vm_context_release(context);
}

CTEST_MAIN()
