// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns invocations: entering a context, calling, and lists in and out.

#include "iree_cy/vm/invocation.h"

#include "iree_cy/native/base/gate.h"
#include "iree_cy/native/vm/call_lock.h"
#include "iree_cy/native/vm/context_impl.h"

// Calls into a context from inside a call use the C stack; this many fit into a
// thread's, with an interpreter of another language between each two.
#define IREE_CY_VM_MAX_NATIVE_DEPTH 200

// Values of a call that fit here need no allocation.
#define IREE_CY_VM_INLINE_STORAGE_SIZE 512

// The innermost invocation under way in this thread.
static _Thread_local iree_vm_stack_t* iree_cy_vm_thread_stack = NULL;

// The invocation of |context| under way in this thread, which a further call
// becomes part of; NULL when there is none.
static iree_vm_stack_t* iree_cy_vm_find_thread_stack(
    const iree_vm_context_t* context) {
  for (iree_vm_stack_t* stack = iree_cy_vm_thread_stack; stack;
       stack = stack->thread_parent) {
    if (stack->context == context) return stack;
  }
  return NULL;
}

iree_vm_stack_t* iree_cy_vm_thread_innermost_stack(void) {
  return iree_cy_vm_thread_stack;
}

iree_vm_stack_t* iree_cy_vm_thread_stack_of_context(iree_vm_context_id_t id) {
  for (iree_vm_stack_t* stack = iree_cy_vm_thread_stack; stack;
       stack = stack->thread_parent) {
    if (stack->context->id == id) return stack;
  }
  return NULL;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

// Checks what comes from outside and fills |out_call|.
static iree_status_t iree_cy_vm_prepare_call(
    const iree_vm_context_t* context, iree_vm_function_t function,
    iree_byte_span_t arguments, iree_byte_span_t results,
    iree_vm_function_call_t* out_call) {
  memset(out_call, 0, sizeof(*out_call));
  // First of all: whoever calls releases the references there, whatever fails.
  if (results.data_length) memset(results.data, 0, results.data_length);
  if (iree_vm_function_is_null(function)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "there is no function to call");
  }
  if (!iree_cy_vm_context_find_state(context, function.module,
                                     &out_call->module_state)) {
    iree_string_view_t name = iree_vm_module_name(function.module);
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "the function is of module '%.*s', which is not in the context",
        IREE_SV_ARG(name));
  }
  iree_vm_function_signature_t signature =
      iree_vm_function_signature(&function);
  iree_string_view_t argument_types, result_types;
  IREE_RETURN_IF_ERROR(iree_vm_function_call_get_cconv_fragments(
      &signature, &argument_types, &result_types));
  IREE_RETURN_IF_ERROR(iree_cy_vm_cconv_check_storage(
      argument_types, iree_const_cast_byte_span(arguments)));
  if (!iree_vm_function_call_is_variadic_cconv(result_types)) {
    IREE_RETURN_IF_ERROR(iree_cy_vm_cconv_check_storage(
        result_types, iree_const_cast_byte_span(results)));
  }
  out_call->function = function;
  out_call->arguments = arguments;
  out_call->results = results;
  return iree_ok_status();
}

static iree_status_t iree_cy_vm_nested_call(
    iree_vm_stack_t* stack, const iree_vm_function_call_t* call) {
  if (stack->native_depth >= IREE_CY_VM_MAX_NATIVE_DEPTH) {
    return iree_make_status(
        IREE_STATUS_RESOURCE_EXHAUSTED,
        "modules have called back into the context %d times, one inside the "
        "other",
        IREE_CY_VM_MAX_NATIVE_DEPTH);
  }
  ++stack->native_depth;
  iree_vm_module_t* module = call->function.module;
  iree_status_t status = module->begin_call(module->self, stack, *call);
  --stack->native_depth;
  return status;
}

iree_status_t iree_cy_vm_stack_call(iree_vm_stack_t* stack,
                                    iree_vm_function_t function,
                                    iree_byte_span_t arguments,
                                    iree_byte_span_t results) {
  iree_vm_function_call_t call;
  IREE_RETURN_IF_ERROR(iree_cy_vm_prepare_call(stack->context, function,
                                               arguments, results, &call));
  return iree_cy_vm_nested_call(stack, &call);
}

// Makes |*out_stack| the thread's invocation, with the call lock if need be.
static iree_status_t iree_cy_vm_begin_invocation(
    iree_vm_context_t* context, const iree_cy_vm_call_options_t* options,
    iree_vm_stack_t** out_stack) {
  *out_stack = NULL;
  const bool needs_lock =
      (context->flags & IREE_CY_VM_CONTEXT_FLAG_STATELESS) == 0;
  if (needs_lock) {
    IREE_RETURN_IF_ERROR(iree_cy_vm_call_lock_acquire(context, options));
  }
  iree_vm_stack_t* stack =
      __atomic_exchange_n(&context->idle_stack, NULL, __ATOMIC_ACQUIRE);
  if (!stack) {
    iree_status_t status = iree_cy_vm_stack_allocate(
        context, context->allocator, context->program_allocator, &stack);
    if (!iree_status_is_ok(status)) {
      if (needs_lock) iree_cy_vm_call_lock_release(context);
      return status;
    }
  }
  iree_cy_vm_stack_reset(stack, options, context->limits.max_instructions,
                         context->limits.max_call_depth);
  stack->holds_call_lock = needs_lock;
  stack->thread_parent = iree_cy_vm_thread_stack;
  iree_cy_vm_thread_stack = stack;
  *out_stack = stack;
  return iree_ok_status();
}

static void iree_cy_vm_end_invocation(iree_vm_context_t* context,
                                      iree_vm_stack_t* stack) {
  iree_cy_vm_thread_stack = stack->thread_parent;
  const bool holds_lock = stack->holds_call_lock;
  iree_vm_stack_t* expected = NULL;
  if (!__atomic_compare_exchange_n(&context->idle_stack, &expected, stack,
                                   /*weak=*/false, __ATOMIC_RELEASE,
                                   __ATOMIC_RELAXED)) {
    iree_cy_vm_stack_free(stack);
  }
  if (holds_lock) iree_cy_vm_call_lock_release(context);
}

// Copies what of |options| both sides know.
static iree_status_t iree_cy_vm_read_options(
    const iree_cy_vm_call_options_t* options,
    iree_cy_vm_call_options_t* out_options) {
  *out_options = iree_cy_vm_call_options_default();
  if (!options) return iree_ok_status();
  if (options->size < sizeof(options->size)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "call options of size %u are no options",
                            options->size);
  }
  memcpy(out_options, options, iree_min(options->size, sizeof(*out_options)));
  out_options->size = sizeof(*out_options);
  return iree_ok_status();
}

static iree_status_t iree_cy_vm_tell_end(
    const iree_cy_vm_call_options_t* options, iree_status_t status) {
  if (!options->end) return status;
  return options->end(options->end_user_data, status);
}

iree_status_t iree_cy_vm_context_call(iree_vm_context_t* context,
                                      iree_vm_function_t function,
                                      const iree_cy_vm_call_options_t* options,
                                      iree_byte_span_t arguments,
                                      iree_byte_span_t results) {
  iree_vm_function_call_t call;
  IREE_RETURN_IF_ERROR(
      iree_cy_vm_prepare_call(context, function, arguments, results, &call));
  IREE_RETURN_IF_ERROR(iree_cy_gate_pass());
  iree_cy_vm_call_options_t own_options;
  IREE_RETURN_IF_ERROR(iree_cy_vm_read_options(options, &own_options));
  iree_vm_stack_t* stack = iree_cy_vm_find_thread_stack(context);
  if (stack) {
    return iree_cy_vm_tell_end(&own_options,
                               iree_cy_vm_nested_call(stack, &call));
  }
  IREE_RETURN_IF_ERROR(
      iree_cy_vm_begin_invocation(context, &own_options, &stack));
  iree_status_t status =
      function.module->begin_call(function.module->self, stack, call);
  status = iree_cy_vm_tell_end(&own_options, status);
  iree_cy_vm_end_invocation(context, stack);
  return status;
}

//===----------------------------------------------------------------------===//
// Lists in and out
//===----------------------------------------------------------------------===//

// Packed values, in place or allocated.
typedef struct iree_cy_vm_storage_t {
  iree_byte_span_t span;
  uint64_t inline_data[IREE_CY_VM_INLINE_STORAGE_SIZE / sizeof(uint64_t)];
} iree_cy_vm_storage_t;

static iree_status_t iree_cy_vm_storage_initialize(
    iree_string_view_t types, iree_allocator_t allocator,
    iree_cy_vm_storage_t* out_storage) {
  out_storage->span = iree_byte_span_empty();
  iree_host_size_t size = 0;
  IREE_RETURN_IF_ERROR(
      iree_vm_function_call_compute_cconv_fragment_size(types, 0, NULL, &size));
  void* data = out_storage->inline_data;
  if (size > sizeof(out_storage->inline_data)) {
    IREE_RETURN_IF_ERROR(iree_allocator_malloc(allocator, size, &data));
  }
  out_storage->span = iree_make_byte_span(data, size);
  return iree_ok_status();
}

static void iree_cy_vm_storage_deinitialize(iree_cy_vm_storage_t* storage,
                                            iree_allocator_t allocator) {
  if (storage->span.data_length > sizeof(storage->inline_data)) {
    iree_allocator_free(allocator, storage->span.data);
  }
  storage->span = iree_byte_span_empty();
}

static iree_vm_value_type_t iree_cy_vm_value_type_of(char letter) {
  switch (letter) {
    case IREE_VM_CCONV_TYPE_I32:
      return IREE_VM_VALUE_TYPE_I32;
    case IREE_VM_CCONV_TYPE_I64:
      return IREE_VM_VALUE_TYPE_I64;
    case IREE_VM_CCONV_TYPE_F32:
      return IREE_VM_VALUE_TYPE_F32;
    case IREE_VM_CCONV_TYPE_F64:
      return IREE_VM_VALUE_TYPE_F64;
    default:
      return IREE_VM_VALUE_TYPE_NONE;
  }
}

static iree_status_t iree_cy_vm_pack_argument(const iree_vm_list_t* inputs,
                                              iree_host_size_t i, char letter,
                                              uint8_t** cursor) {
  if (letter == IREE_VM_CCONV_TYPE_REF) {
    iree_vm_ref_t ref;
    IREE_RETURN_IF_ERROR(iree_vm_list_get_ref_assign(inputs, i, &ref));
    iree_cy_vm_write_ref(cursor, ref);
    return iree_ok_status();
  }
  iree_vm_value_type_t type = iree_cy_vm_value_type_of(letter);
  iree_vm_value_t value;
  IREE_RETURN_IF_ERROR(iree_vm_list_get_value_as(inputs, i, type, &value));
  memcpy(*cursor, value.value_storage, iree_vm_value_type_size(type));
  *cursor += iree_vm_value_type_size(type);
  return iree_ok_status();
}

static iree_status_t iree_cy_vm_pack_arguments(iree_string_view_t types,
                                               const iree_vm_list_t* inputs,
                                               iree_byte_span_t storage) {
  iree_host_size_t count = inputs ? iree_vm_list_size(inputs) : 0;
  if (count != types.size) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "the function takes %zu arguments, %zu are given",
                            types.size, count);
  }
  uint8_t* cursor = storage.data;
  for (iree_host_size_t i = 0; i < count; ++i) {
    iree_status_t status =
        iree_cy_vm_pack_argument(inputs, i, types.data[i], &cursor);
    if (!iree_status_is_ok(status)) {
      return iree_status_annotate_f(status, "argument %zu of the call", i);
    }
  }
  return iree_ok_status();
}

// Moves the results into |outputs|. On failure the rest stays in |storage|.
static iree_status_t iree_cy_vm_unpack_results(iree_string_view_t types,
                                               iree_byte_span_t storage,
                                               iree_vm_list_t* outputs) {
  uint8_t* cursor = storage.data;
  IREE_RETURN_IF_ERROR(iree_vm_list_resize(outputs, types.size));
  for (iree_host_size_t i = 0; i < types.size; ++i) {
    if (types.data[i] == IREE_VM_CCONV_TYPE_REF) {
      iree_vm_ref_t ref;
      memcpy(&ref, cursor, sizeof(ref));
      memset(cursor, 0, sizeof(ref));
      iree_status_t status = iree_vm_list_set_ref_move(outputs, i, &ref);
      if (!iree_status_is_ok(status)) iree_vm_ref_release(&ref);
      IREE_RETURN_IF_ERROR(status);
      cursor += sizeof(ref);
      continue;
    }
    iree_vm_value_t value = iree_vm_value_make_none();
    value.type = iree_cy_vm_value_type_of(types.data[i]);
    memcpy(value.value_storage, cursor, iree_vm_value_type_size(value.type));
    IREE_RETURN_IF_ERROR(iree_vm_list_set_value(outputs, i, &value));
    cursor += iree_vm_value_type_size(value.type);
  }
  return iree_ok_status();
}

static iree_status_t iree_cy_vm_invoke_packed(
    iree_vm_context_t* context, iree_vm_function_t function,
    const iree_cy_vm_call_options_t* options, iree_string_view_t argument_types,
    iree_string_view_t result_types, const iree_vm_list_t* inputs,
    iree_vm_list_t* outputs, iree_allocator_t allocator) {
  iree_cy_vm_storage_t arguments;
  iree_cy_vm_storage_t results;
  IREE_RETURN_IF_ERROR(
      iree_cy_vm_storage_initialize(argument_types, allocator, &arguments));
  iree_status_t status =
      iree_cy_vm_storage_initialize(result_types, allocator, &results);
  if (!iree_status_is_ok(status)) {
    iree_cy_vm_storage_deinitialize(&arguments, allocator);
    return status;
  }
  status = iree_cy_vm_pack_arguments(argument_types, inputs, arguments.span);
  if (iree_status_is_ok(status)) {
    // On failure, too, there may be results to give back; before the call the
    // storage holds nothing that is one.
    if (results.span.data_length) {
      memset(results.span.data, 0, results.span.data_length);
    }
    status = iree_cy_vm_context_call(context, function, options, arguments.span,
                                     results.span);
    if (iree_status_is_ok(status) && outputs) {
      status = iree_cy_vm_unpack_results(result_types, results.span, outputs);
    }
    iree_cy_vm_cconv_release_refs(result_types, results.span);
  }
  iree_cy_vm_storage_deinitialize(&results, allocator);
  iree_cy_vm_storage_deinitialize(&arguments, allocator);
  return status;
}

iree_status_t iree_cy_vm_invoke(iree_vm_context_t* context,
                                iree_vm_function_t function,
                                const iree_cy_vm_call_options_t* options,
                                const iree_vm_list_t* inputs,
                                iree_vm_list_t* outputs,
                                iree_allocator_t allocator) {
  if (iree_vm_function_is_null(function)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "there is no function to call");
  }
  iree_vm_function_signature_t signature =
      iree_vm_function_signature(&function);
  iree_string_view_t argument_types, result_types;
  IREE_RETURN_IF_ERROR(iree_vm_function_call_get_cconv_fragments(
      &signature, &argument_types, &result_types));
  if (iree_vm_function_call_is_variadic_cconv(argument_types) ||
      iree_vm_function_call_is_variadic_cconv(result_types)) {
    return iree_make_status(
        IREE_STATUS_UNIMPLEMENTED,
        "a function of calling convention '%.*s' cannot be called with lists",
        IREE_SV_ARG(signature.calling_convention));
  }
  if (!outputs && result_types.size) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "the function has %zu results and no list for them",
                            result_types.size);
  }
  return iree_cy_vm_invoke_packed(context, function, options, argument_types,
                                  result_types, inputs, outputs, allocator);
}

iree_status_t iree_vm_invoke(iree_vm_context_t* context,
                             iree_vm_function_t function,
                             iree_vm_invocation_flags_t flags,
                             const iree_vm_invocation_policy_t* policy,
                             const iree_vm_list_t* inputs,
                             iree_vm_list_t* outputs,
                             iree_allocator_t allocator) {
  if (policy) {
    return iree_make_status(IREE_STATUS_UNIMPLEMENTED,
                            "an invocation policy is given, there are none");
  }
  iree_cy_vm_call_options_t options = iree_cy_vm_call_options_default();
  options.flags = flags;
  return iree_cy_vm_invoke(context, function, &options, inputs, outputs,
                           allocator);
}
