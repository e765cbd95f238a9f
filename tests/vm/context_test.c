// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the tests of contexts: linking, starting and ending modules, calls.

#include "iree_cy/vm/api.h"
#include "tests/support/ctest.h"

//===----------------------------------------------------------------------===//
// Module "lib": adds, stores, fails
//===----------------------------------------------------------------------===//

// The events that modules note, oldest first.
static char event_log[256];
static void note(const char* event) {
  if (event_log[0]) strcat(event_log, " ");
  strcat(event_log, event);
}
#define EXPECT_EVENTS(text)                                         \
  do {                                                              \
    EXPECT_EQ_SV(iree_make_cstring_view(event_log), IREE_SV(text)); \
    event_log[0] = 0;                                               \
  } while (0)

typedef struct lib_state_t {
  iree_allocator_t allocator;
  int64_t total;
} lib_state_t;

static iree_status_t lib_alloc_state(void* self, iree_allocator_t allocator,
                                     iree_vm_module_state_t** out_state) {
  (void)self;
  lib_state_t* state = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc(allocator, sizeof(*state), (void**)&state));
  state->allocator = allocator;
  *out_state = (iree_vm_module_state_t*)state;
  return iree_ok_status();
}
static void lib_free_state(void* self, iree_vm_module_state_t* module_state) {
  (void)self;
  note("lib.free");
  lib_state_t* state = (lib_state_t*)module_state;
  iree_allocator_free(state->allocator, state);
}

// (i64) -> i64: adds to the state and returns the sum.
static iree_status_t lib_add(iree_vm_stack_t* stack, void* module,
                             void* module_state, iree_byte_span_t arguments,
                             iree_byte_span_t results) {
  (void)stack, (void)module;
  const uint8_t* in = arguments.data;
  uint8_t* out = results.data;
  lib_state_t* state = (lib_state_t*)module_state;
  state->total += iree_cy_vm_read_i64(&in);
  iree_cy_vm_write_i64(&out, state->total);
  return iree_ok_status();
}
// (variadic i32) -> i32: their sum.
static iree_status_t lib_sum(iree_vm_stack_t* stack, void* module,
                             void* module_state, iree_byte_span_t arguments,
                             iree_byte_span_t results) {
  (void)stack, (void)module, (void)module_state;
  const uint8_t* in = arguments.data;
  uint8_t* out = results.data;
  int32_t count = iree_cy_vm_read_i32(&in);
  int32_t sum = 0;
  for (int32_t i = 0; i < count; ++i) sum += iree_cy_vm_read_i32(&in);
  iree_cy_vm_write_i32(&out, sum);
  return iree_ok_status();
}
// (ref, i32, f32, f64) -> (ref, f64): the reference, and the sum of the others.
static iree_status_t lib_mix(iree_vm_stack_t* stack, void* module,
                             void* module_state, iree_byte_span_t arguments,
                             iree_byte_span_t results) {
  (void)stack, (void)module, (void)module_state;
  const uint8_t* in = arguments.data;
  uint8_t* out = results.data;
  iree_vm_ref_t ref = iree_cy_vm_read_ref(&in);
  double sum = iree_cy_vm_read_i32(&in);
  sum += iree_cy_vm_read_f32(&in);
  sum += iree_cy_vm_read_f64(&in);
  iree_vm_ref_retain_inplace(&ref);
  iree_cy_vm_write_ref(&out, ref);
  iree_cy_vm_write_f64(&out, sum);
  return iree_ok_status();
}
// () -> ref: leaves a result behind and fails all the same.
static iree_status_t lib_fail(iree_vm_stack_t* stack, void* module,
                              void* module_state, iree_byte_span_t arguments,
                              iree_byte_span_t results) {
  (void)module, (void)module_state, (void)arguments;
  iree_vm_list_t* list = NULL;
  IREE_RETURN_IF_ERROR(
      iree_vm_list_create(iree_vm_make_undefined_type_def(), 1,
                          iree_vm_stack_program_allocator(stack), &list));
  uint8_t* out = results.data;
  iree_cy_vm_write_ref(&out, iree_vm_list_move_ref(list));
  return iree_make_status(IREE_STATUS_DATA_LOSS, "this one always fails");
}
static iree_status_t lib_init(iree_vm_stack_t* stack, void* module,
                              void* module_state, iree_byte_span_t arguments,
                              iree_byte_span_t results) {
  (void)stack, (void)module, (void)arguments, (void)results;
  ((lib_state_t*)module_state)->total = 100;
  note("lib.init");
  return iree_ok_status();
}
static iree_status_t lib_deinit(iree_vm_stack_t* stack, void* module,
                                void* module_state, iree_byte_span_t arguments,
                                iree_byte_span_t results) {
  (void)stack, (void)module, (void)module_state, (void)arguments, (void)results;
  note("lib.deinit");
  return iree_ok_status();
}

static const iree_vm_native_export_descriptor_t lib_exports[] = {
    {IREE_SVL("__deinit"), IREE_SVL("0v_v"), lib_deinit, 0, NULL},
    {IREE_SVL("__init"), IREE_SVL("0v_v"), lib_init, 0, NULL},
    {IREE_SVL("add"), IREE_SVL("0I_I"), lib_add, 0, NULL},
    {IREE_SVL("fail"), IREE_SVL("0v_r"), lib_fail, 0, NULL},
    {IREE_SVL("math.sum"), IREE_SVL("0CiD_i"), lib_sum, 0, NULL},
    {IREE_SVL("mix"), IREE_SVL("0rifF_rF"), lib_mix, 0, NULL},
};
static const iree_vm_native_module_descriptor_t lib_descriptor = {
    .name = IREE_SVL("lib"),
    .version = 5,
    .exports = lib_exports,
    .export_count = IREE_ARRAYSIZE(lib_exports),
};

//===----------------------------------------------------------------------===//
// Module "user": imports from lib and calls back into the context
//===----------------------------------------------------------------------===//

typedef struct user_state_t {
  iree_allocator_t allocator;
  iree_vm_function_t imports[3];
  iree_vm_module_state_t* import_states[3];
} user_state_t;

static iree_status_t user_alloc_state(void* self, iree_allocator_t allocator,
                                      iree_vm_module_state_t** out_state) {
  (void)self;
  user_state_t* state = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc(allocator, sizeof(*state), (void**)&state));
  state->allocator = allocator;
  *out_state = (iree_vm_module_state_t*)state;
  return iree_ok_status();
}
static void user_free_state(void* self, iree_vm_module_state_t* module_state) {
  (void)self;
  note("user.free");
  iree_allocator_free(((user_state_t*)module_state)->allocator, module_state);
}
static iree_status_t user_resolve_import(
    void* self, iree_vm_module_state_t* module_state, iree_host_size_t ordinal,
    const iree_vm_function_t* function,
    const iree_vm_function_signature_t* signature,
    iree_vm_module_state_t* target_state) {
  (void)self, (void)signature;
  user_state_t* state = (user_state_t*)module_state;
  state->imports[ordinal] = *function;
  state->import_states[ordinal] = target_state;
  return iree_ok_status();
}

// (i64) -> i64: lib.add by the import, then once more through the stack.
static iree_status_t user_twice(iree_vm_stack_t* stack, void* module,
                                void* module_state, iree_byte_span_t arguments,
                                iree_byte_span_t results) {
  (void)module;
  user_state_t* state = (user_state_t*)module_state;
  iree_vm_function_call_t call = {state->imports[0], state->import_states[0],
                                  arguments, results};
  IREE_RETURN_IF_ERROR(call.function.module->begin_call(
      call.function.module->self, stack, call));
  return iree_cy_vm_stack_call(stack, state->imports[0], arguments, results);
}
// (i32) -> i32: calls itself that often, then returns the depth.
static iree_status_t user_recurse(iree_vm_stack_t* stack, void* module,
                                  void* module_state,
                                  iree_byte_span_t arguments,
                                  iree_byte_span_t results) {
  (void)module, (void)module_state;
  const uint8_t* in = arguments.data;
  uint8_t* out = results.data;
  int32_t count = iree_cy_vm_read_i32(&in);
  if (count == 0) {
    iree_cy_vm_write_i32(&out, 0);
    return iree_ok_status();
  }
  iree_vm_function_t self;
  IREE_RETURN_IF_ERROR(iree_vm_context_resolve_function(
      iree_cy_vm_stack_context(stack), IREE_SV("user.recurse"), &self));
  int32_t less = count - 1;
  int32_t depth = 0;
  IREE_RETURN_IF_ERROR(iree_cy_vm_stack_call(stack, self,
                                             iree_make_byte_span(&less, 4),
                                             iree_make_byte_span(&depth, 4)));
  iree_cy_vm_write_i32(&out, depth + 1);
  return iree_ok_status();
}
// () -> i64: a whole new invocation of the context from inside of one.
static iree_status_t user_reenter(iree_vm_stack_t* stack, void* module,
                                  void* module_state,
                                  iree_byte_span_t arguments,
                                  iree_byte_span_t results) {
  (void)module, (void)arguments;
  user_state_t* state = (user_state_t*)module_state;
  int64_t one = 1;
  return iree_cy_vm_context_call(iree_cy_vm_stack_context(stack),
                                 state->imports[0], /*options=*/NULL,
                                 iree_make_byte_span(&one, 8), results);
}
// () -> i32: whether the optional import is there.
static iree_status_t user_has_optional(iree_vm_stack_t* stack, void* module,
                                       void* module_state,
                                       iree_byte_span_t arguments,
                                       iree_byte_span_t results) {
  (void)stack, (void)module, (void)arguments;
  user_state_t* state = (user_state_t*)module_state;
  uint8_t* out = results.data;
  iree_cy_vm_write_i32(&out, !iree_vm_function_is_null(state->imports[1]));
  return iree_ok_status();
}
// () -> (): fails in what it calls.
static iree_status_t user_fail(iree_vm_stack_t* stack, void* module,
                               void* module_state, iree_byte_span_t arguments,
                               iree_byte_span_t results) {
  (void)module, (void)module_state, (void)arguments, (void)results;
  iree_vm_function_t function;
  IREE_RETURN_IF_ERROR(iree_vm_context_resolve_function(
      iree_cy_vm_stack_context(stack), IREE_SV("lib.fail"), &function));
  iree_vm_ref_t ref = iree_vm_ref_null();
  iree_status_t status =
      iree_cy_vm_stack_call(stack, function, iree_byte_span_empty(),
                            iree_make_byte_span(&ref, sizeof(ref)));
  iree_vm_ref_release(&ref);
  return status;
}
static iree_status_t user_init(iree_vm_stack_t* stack, void* module,
                               void* module_state, iree_byte_span_t arguments,
                               iree_byte_span_t results) {
  (void)stack, (void)module, (void)module_state, (void)arguments, (void)results;
  note("user.init");
  return iree_ok_status();
}
static iree_status_t user_init_fails(iree_vm_stack_t* stack, void* module,
                                     void* module_state,
                                     iree_byte_span_t arguments,
                                     iree_byte_span_t results) {
  (void)stack, (void)module, (void)module_state, (void)arguments, (void)results;
  return iree_make_status(IREE_STATUS_INTERNAL, "no start today");
}

static const iree_vm_native_import_descriptor_t user_imports[] = {
    {IREE_VM_NATIVE_IMPORT_REQUIRED, IREE_SVL("lib.add"), IREE_SVL("0I_I")},
    {IREE_VM_NATIVE_IMPORT_OPTIONAL, IREE_SVL("lib.later"), IREE_SVL("0v_v")},
    {IREE_VM_NATIVE_IMPORT_OPTIONAL, IREE_SVL("gone.f"), IREE_SVL("0v_v")},
};
static const iree_vm_module_dependency_t user_dependencies[] = {
    {IREE_SVL("lib"), 4, IREE_VM_MODULE_DEPENDENCY_FLAG_REQUIRED},
    {IREE_SVL("gone"), 9, IREE_VM_MODULE_DEPENDENCY_FLAG_OPTIONAL},
};
static const iree_vm_native_export_descriptor_t user_exports[] = {
    {IREE_SVL("__init"), IREE_SVL("0v_v"), user_init, 0, NULL},
    {IREE_SVL("fail"), IREE_SVL("0v_v"), user_fail, 0, NULL},
    {IREE_SVL("has_optional"), IREE_SVL("0v_i"), user_has_optional, 0, NULL},
    {IREE_SVL("recurse"), IREE_SVL("0i_i"), user_recurse, 0, NULL},
    {IREE_SVL("reenter"), IREE_SVL("0v_I"), user_reenter, 0, NULL},
    {IREE_SVL("twice"), IREE_SVL("0I_I"), user_twice, 0, NULL},
};
static const iree_vm_native_module_descriptor_t user_descriptor = {
    .name = IREE_SVL("user"),
    .version = 1,
    .dependencies = user_dependencies,
    .dependency_count = IREE_ARRAYSIZE(user_dependencies),
    .imports = user_imports,
    .import_count = IREE_ARRAYSIZE(user_imports),
    .exports = user_exports,
    .export_count = IREE_ARRAYSIZE(user_exports),
};

//===----------------------------------------------------------------------===//
// Making contexts
//===----------------------------------------------------------------------===//

static iree_vm_instance_t* make_instance(void) {
  iree_vm_instance_t* instance = NULL;
  EXPECT_OK(iree_vm_instance_create(IREE_VM_TYPE_CAPACITY_DEFAULT,
                                    iree_allocator_system(), &instance));
  return instance;
}
static iree_vm_module_t* make_lib(
    iree_vm_instance_t* instance,
    const iree_vm_native_module_descriptor_t* descriptor) {
  iree_vm_module_t interface;
  memset(&interface, 0, sizeof(interface));
  interface.alloc_state = lib_alloc_state;
  interface.free_state = lib_free_state;
  iree_vm_module_t* module = NULL;
  EXPECT_OK(iree_vm_native_module_create(&interface, descriptor, instance,
                                         iree_allocator_system(), &module));
  return module;
}
static iree_vm_module_t* make_user(
    iree_vm_instance_t* instance,
    const iree_vm_native_module_descriptor_t* descriptor) {
  iree_vm_module_t interface;
  memset(&interface, 0, sizeof(interface));
  interface.alloc_state = user_alloc_state;
  interface.free_state = user_free_state;
  interface.resolve_import = user_resolve_import;
  iree_vm_module_t* module = NULL;
  EXPECT_OK(iree_vm_native_module_create(&interface, descriptor, instance,
                                         iree_allocator_system(), &module));
  return module;
}
// A context of a library (NULL: without) and a user of it.
static iree_status_t make_context(
    const iree_vm_native_module_descriptor_t* library,
    const iree_vm_native_module_descriptor_t* user,
    iree_vm_context_t** out_context) {
  event_log[0] = 0;
  iree_vm_instance_t* instance = make_instance();
  iree_vm_module_t* modules[2] = {NULL, NULL};
  iree_host_size_t count = 0;
  if (library) modules[count++] = make_lib(instance, library);
  if (user) modules[count++] = make_user(instance, user);
  iree_status_t status = iree_vm_context_create_with_modules(
      instance, IREE_VM_CONTEXT_FLAG_NONE, count, modules,
      iree_allocator_system(), out_context);
  for (iree_host_size_t i = 0; i < count; ++i) {
    iree_vm_module_release(modules[i]);
  }
  iree_vm_instance_release(instance);
  return status;
}
static iree_vm_function_t resolve(iree_vm_context_t* context,
                                  const char* name) {
  iree_vm_function_t function;
  EXPECT_OK(iree_vm_context_resolve_function(
      context, iree_make_cstring_view(name), &function));
  return function;
}
static int64_t call_i64(iree_vm_context_t* context, const char* name,
                        int64_t argument) {
  int64_t result = 0;
  EXPECT_OK(iree_cy_vm_context_call(context, resolve(context, name), NULL,
                                    iree_make_byte_span(&argument, 8),
                                    iree_make_byte_span(&result, 8)));
  return result;
}
static void expect_nothing_alive(void) {
  for (int kind = IREE_CY_OBJECT_KIND_VM_INSTANCE;
       kind <= IREE_CY_OBJECT_KIND_VM_BUFFER; ++kind) {
    EXPECT_EQ_I64(iree_cy_live_object_count(kind), 0);
  }
}

//===----------------------------------------------------------------------===//
// Linking, starting, ending
//===----------------------------------------------------------------------===//

CTEST(modules_start_in_order_and_end_in_reverse) {
  iree_vm_context_t* context = NULL;
  REQUIRE_OK(make_context(&lib_descriptor, &user_descriptor, &context));
  EXPECT_EVENTS("lib.init user.init");
  EXPECT_EQ_I64(iree_vm_context_module_count(context), 2);
  EXPECT_EQ_SV(iree_vm_module_name(iree_vm_context_module_at(context, 1)),
               IREE_SV("user"));
  EXPECT(iree_vm_context_module_at(context, 2) == NULL);
  EXPECT_EQ_I64(
      iree_vm_context_flags(context) & IREE_CY_VM_CONTEXT_FLAG_STATELESS, 0);
  iree_vm_context_release(context);
  EXPECT_EVENTS("lib.deinit user.free lib.free");
  expect_nothing_alive();
}

CTEST(functions_are_found_by_full_name) {
  iree_vm_context_t* context = NULL;
  REQUIRE_OK(make_context(&lib_descriptor, &user_descriptor, &context));
  iree_vm_function_t function = resolve(context, "lib.math.sum");
  EXPECT_EQ_SV(iree_vm_function_name(&function), IREE_SV("math.sum"));
  EXPECT_STATUS(
      IREE_STATUS_INVALID_ARGUMENT,
      iree_vm_context_resolve_function(context, IREE_SV("add"), &function));
  iree_status_t status =
      iree_vm_context_resolve_function(context, IREE_SV("lib.sub"), &function);
  EXPECT_EQ_SV(iree_status_message(status),
               IREE_SV("module 'lib' has no function 'sub'"));
  EXPECT_STATUS(IREE_STATUS_NOT_FOUND, status);
  status =
      iree_vm_context_resolve_function(context, IREE_SV("bib.add"), &function);
  EXPECT_EQ_SV(iree_status_message(status),
               IREE_SV("there is no module 'bib' in the context, so no "
                       "function 'bib.add'"));
  EXPECT_STATUS(IREE_STATUS_NOT_FOUND, status);
  EXPECT(iree_vm_function_is_null(function));
  iree_vm_context_release(context);
}

CTEST(a_required_import_must_be_there) {
  iree_vm_context_t* context = NULL;
  iree_vm_native_module_descriptor_t poor = lib_descriptor;
  poor.exports = &lib_exports[3];
  poor.export_count = 1;
  iree_status_t status = make_context(&poor, &user_descriptor, &context);
  EXPECT_EQ_SV(iree_status_message(status),
               IREE_SV("module 'user' imports lib.add, which that module does "
                       "not have"));
  EXPECT_STATUS(IREE_STATUS_NOT_FOUND, status);
  EXPECT(context == NULL);
  iree_vm_native_module_descriptor_t careless = user_descriptor;
  careless.dependency_count = 0;
  status = make_context(NULL, &careless, &context);
  EXPECT_EQ_SV(iree_status_message(status),
               IREE_SV("module 'user' imports lib.add, but that module is not "
                       "in the context before it"));
  EXPECT_STATUS(IREE_STATUS_NOT_FOUND, status);
  expect_nothing_alive();
}

CTEST(an_optional_import_may_be_absent) {
  static iree_vm_native_export_descriptor_t exports[7];
  memcpy(exports, lib_exports, sizeof(lib_exports));
  exports[6] = lib_exports[1];
  exports[6].local_name = IREE_SV("later");
  iree_vm_native_module_descriptor_t rich = lib_descriptor;
  rich.exports = exports;
  rich.export_count = 7;
  for (int present = 0; present < 2; ++present) {
    iree_vm_context_t* context = NULL;
    REQUIRE_OK(make_context(present ? &rich : &lib_descriptor, &user_descriptor,
                            &context));
    int32_t result = -1;
    EXPECT_OK(iree_cy_vm_context_call(
        context, resolve(context, "user.has_optional"), NULL,
        iree_byte_span_empty(), iree_make_byte_span(&result, 4)));
    EXPECT_EQ_I64(result, present);
    iree_vm_context_release(context);
  }
  expect_nothing_alive();
}

CTEST(a_dependency_has_a_minimum_version) {
  iree_vm_context_t* context = NULL;
  iree_vm_native_module_descriptor_t old = lib_descriptor;
  old.version = 4;
  REQUIRE_OK(make_context(&old, &user_descriptor, &context));
  iree_vm_context_release(context);
  old.version = 3;
  iree_status_t status = make_context(&old, &user_descriptor, &context);
  EXPECT_EQ_SV(iree_status_message(status),
               IREE_SV("module 'user' needs module 'lib' of version 4 or "
                       "later, the context has version 3"));
  EXPECT_STATUS(IREE_STATUS_NOT_FOUND, status);
  status = make_context(NULL, &user_descriptor, &context);
  EXPECT_EQ_SV(iree_status_message(status),
               IREE_SV("module 'user' needs module 'lib', which is not in the "
                       "context before it"));
  EXPECT_STATUS(IREE_STATUS_NOT_FOUND, status);
  expect_nothing_alive();
}

CTEST(an_import_of_another_convention_is_refused) {
  static iree_vm_native_export_descriptor_t exports[6];
  memcpy(exports, lib_exports, sizeof(lib_exports));
  exports[2].calling_convention = IREE_SV("0II_I");
  iree_vm_native_module_descriptor_t changed = lib_descriptor;
  changed.exports = exports;
  iree_vm_context_t* context = NULL;
  iree_status_t status = make_context(&changed, &user_descriptor, &context);
  EXPECT_EQ_SV(iree_status_message(status),
               IREE_SV("module 'user' imports lib.add as '0I_I', but it is "
                       "'0II_I'"));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT, status);
  expect_nothing_alive();
}

CTEST(a_failed_start_ends_what_had_started) {
  static iree_vm_native_export_descriptor_t exports[6];
  memcpy(exports, user_exports, sizeof(user_exports));
  exports[0].target = user_init_fails;
  iree_vm_native_module_descriptor_t broken = user_descriptor;
  broken.exports = exports;
  iree_vm_context_t* context = NULL;
  iree_status_t status = make_context(&lib_descriptor, &broken, &context);
  EXPECT_EQ_SV(iree_status_message(status), IREE_SV("no start today"));
  EXPECT_EQ_SV(iree_status_annotation(status, 0), IREE_SV("in user.__init"));
  EXPECT_STATUS(IREE_STATUS_INTERNAL, status);
  EXPECT_EVENTS("lib.init lib.deinit user.free lib.free");
  expect_nothing_alive();
}

CTEST(modules_are_added_until_the_context_is_frozen) {
  iree_vm_instance_t* instance = make_instance();
  iree_vm_context_t* context = NULL;
  event_log[0] = 0;
  REQUIRE_OK(iree_vm_context_create(instance, IREE_VM_CONTEXT_FLAG_NONE,
                                    iree_allocator_system(), &context));
  iree_vm_module_t* lib = make_lib(instance, &lib_descriptor);
  iree_vm_module_t* user = make_user(instance, &user_descriptor);
  // Its library is not there yet; nothing stays behind.
  EXPECT_STATUS(IREE_STATUS_NOT_FOUND,
                iree_vm_context_register_modules(context, 1, &user));
  EXPECT_EQ_I64(iree_vm_context_module_count(context), 0);
  EXPECT_OK(iree_vm_context_register_modules(context, 1, &lib));
  EXPECT_STATUS(IREE_STATUS_ALREADY_EXISTS,
                iree_vm_context_register_modules(context, 1, &lib));
  EXPECT_OK(iree_vm_context_register_modules(context, 1, &user));
  EXPECT_EQ_I64(call_i64(context, "user.twice", 1), 102);
  EXPECT_OK(iree_vm_context_freeze(context));
  iree_vm_module_t* third = make_lib(instance, &lib_descriptor);
  EXPECT_STATUS(IREE_STATUS_FAILED_PRECONDITION,
                iree_vm_context_register_modules(context, 1, &third));
  iree_vm_module_release(third);
  iree_vm_module_release(user);
  iree_vm_module_release(lib);
  iree_vm_context_release(context);
  iree_vm_instance_release(instance);
  expect_nothing_alive();
}

CTEST(two_contexts_of_one_module_have_two_states) {
  iree_vm_instance_t* instance = make_instance();
  iree_vm_module_t* lib = make_lib(instance, &lib_descriptor);
  iree_vm_context_t* contexts[2] = {NULL, NULL};
  for (int i = 0; i < 2; ++i) {
    REQUIRE_OK(iree_vm_context_create_with_modules(
        instance, IREE_VM_CONTEXT_FLAG_NONE, 1, &lib, iree_allocator_system(),
        &contexts[i]));
  }
  EXPECT(iree_vm_context_id(contexts[0]) != iree_vm_context_id(contexts[1]));
  EXPECT_EQ_I64(call_i64(contexts[0], "lib.add", 5), 105);
  EXPECT_EQ_I64(call_i64(contexts[0], "lib.add", 5), 110);
  EXPECT_EQ_I64(call_i64(contexts[1], "lib.add", 7), 107);
  iree_vm_context_release(contexts[0]);
  iree_vm_context_release(contexts[1]);
  iree_vm_module_release(lib);
  iree_vm_instance_release(instance);
  expect_nothing_alive();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

CTEST(a_module_calls_what_it_imports_and_back_into_the_context) {
  iree_vm_context_t* context = NULL;
  REQUIRE_OK(make_context(&lib_descriptor, &user_descriptor, &context));
  EXPECT_EQ_I64(call_i64(context, "user.twice", 10), 120);
  int64_t result = 0;
  EXPECT_OK(iree_cy_vm_context_call(context, resolve(context, "user.reenter"),
                                    NULL, iree_byte_span_empty(),
                                    iree_make_byte_span(&result, 8)));
  EXPECT_EQ_I64(result, 121);
  iree_vm_context_release(context);
  expect_nothing_alive();
}

CTEST(calls_back_into_the_context_end_before_the_c_stack_does) {
  iree_vm_context_t* context = NULL;
  REQUIRE_OK(make_context(&lib_descriptor, &user_descriptor, &context));
  int32_t count = 150;
  int32_t depth = 0;
  iree_vm_function_t recurse = resolve(context, "user.recurse");
  EXPECT_OK(iree_cy_vm_context_call(context, recurse, NULL,
                                    iree_make_byte_span(&count, 4),
                                    iree_make_byte_span(&depth, 4)));
  EXPECT_EQ_I64(depth, 150);
  count = 1000000;
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                iree_cy_vm_context_call(context, recurse, NULL,
                                        iree_make_byte_span(&count, 4),
                                        iree_make_byte_span(&depth, 4)));
  // The next good call works.
  EXPECT_EQ_I64(call_i64(context, "lib.add", 1), 101);
  iree_vm_context_release(context);
}

CTEST(a_failure_says_where_it_was) {
  iree_vm_context_t* context = NULL;
  REQUIRE_OK(make_context(&lib_descriptor, &user_descriptor, &context));
  iree_status_t status =
      iree_vm_invoke(context, resolve(context, "user.fail"), 0, NULL, NULL,
                     NULL, iree_allocator_system());
  EXPECT_EQ_SV(iree_status_message(status), IREE_SV("this one always fails"));
  REQUIRE(iree_status_annotation_count(status) == 2);
  EXPECT_EQ_SV(iree_status_annotation(status, 0), IREE_SV("in lib.fail"));
  EXPECT_EQ_SV(iree_status_annotation(status, 1), IREE_SV("in user.fail"));
  EXPECT_STATUS(IREE_STATUS_DATA_LOSS, status);
  iree_vm_context_release(context);
  expect_nothing_alive();
}

CTEST(packed_values_of_another_size_are_refused) {
  iree_vm_context_t* context = NULL;
  REQUIRE_OK(make_context(&lib_descriptor, NULL, &context));
  iree_vm_function_t add = resolve(context, "lib.add");
  uint8_t bytes[16] = {0};
  EXPECT_STATUS(
      IREE_STATUS_INVALID_ARGUMENT,
      iree_cy_vm_context_call(context, add, NULL, iree_make_byte_span(bytes, 4),
                              iree_make_byte_span(bytes, 8)));
  EXPECT_STATUS(
      IREE_STATUS_INVALID_ARGUMENT,
      iree_cy_vm_context_call(context, add, NULL, iree_make_byte_span(bytes, 8),
                              iree_make_byte_span(bytes, 16)));
  iree_vm_function_t null = {0};
  EXPECT_STATUS(
      IREE_STATUS_INVALID_ARGUMENT,
      iree_cy_vm_context_call(context, null, NULL, iree_byte_span_empty(),
                              iree_byte_span_empty()));
  int32_t groups[4] = {3, 10, 20, 30};
  int32_t sum = 0;
  iree_vm_function_t variadic = resolve(context, "lib.math.sum");
  EXPECT_OK(iree_cy_vm_context_call(context, variadic, NULL,
                                    iree_make_byte_span(groups, 16),
                                    iree_make_byte_span(&sum, 4)));
  EXPECT_EQ_I64(sum, 60);
  groups[0] = 4;
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_cy_vm_context_call(context, variadic, NULL,
                                        iree_make_byte_span(groups, 16),
                                        iree_make_byte_span(&sum, 4)));
  iree_vm_context_release(context);
}

CTEST(a_function_of_another_context_is_refused) {
  iree_vm_context_t* context = NULL;
  iree_vm_context_t* other = NULL;
  REQUIRE_OK(make_context(&lib_descriptor, NULL, &context));
  REQUIRE_OK(make_context(&lib_descriptor, NULL, &other));
  int64_t value = 0;
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_cy_vm_context_call(context, resolve(other, "lib.add"),
                                        NULL, iree_make_byte_span(&value, 8),
                                        iree_make_byte_span(&value, 8)));
  iree_vm_module_state_t* state = NULL;
  EXPECT_STATUS(IREE_STATUS_NOT_FOUND,
                iree_vm_context_resolve_module_state(
                    context, iree_vm_context_module_at(other, 0), &state));
  iree_vm_context_release(other);
  iree_vm_context_release(context);
}

static iree_vm_list_t* make_list(void) {
  iree_vm_list_t* list = NULL;
  EXPECT_OK(iree_vm_list_create(iree_vm_make_undefined_type_def(), 0,
                                iree_allocator_system(), &list));
  return list;
}
static void push(iree_vm_list_t* list, iree_vm_value_t value) {
  EXPECT_OK(iree_vm_list_push_value(list, &value));
}

CTEST(lists_carry_arguments_and_results) {
  iree_vm_context_t* context = NULL;
  REQUIRE_OK(make_context(&lib_descriptor, NULL, &context));
  iree_vm_function_t mix = resolve(context, "lib.mix");
  iree_vm_list_t* inputs = make_list();
  iree_vm_list_t* outputs = make_list();
  iree_vm_buffer_t* buffer = NULL;
  REQUIRE_OK(iree_vm_buffer_create(0, 1, 0, iree_allocator_system(), &buffer));
  iree_vm_ref_t ref = iree_vm_buffer_move_ref(buffer);
  EXPECT_OK(iree_vm_list_push_ref_move(inputs, &ref));
  push(inputs, iree_vm_value_make_i64(3));
  push(inputs, iree_vm_value_make_i32(4));
  iree_allocator_t allocator = iree_allocator_system();
  iree_status_t status =
      iree_vm_invoke(context, mix, 0, NULL, inputs, outputs, allocator);
  EXPECT_EQ_SV(iree_status_message(status),
               IREE_SV("the function takes 4 arguments, 3 are given"));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT, status);
  push(inputs, iree_vm_value_make_f64(0.25));
  EXPECT_OK(iree_vm_invoke(context, mix, 0, NULL, inputs, outputs, allocator));
  EXPECT_EQ_I64(iree_vm_list_size(outputs), 2);
  EXPECT(iree_vm_list_get_ref_deref(outputs, 0, iree_vm_buffer_type()) ==
         buffer);
  iree_vm_value_t value;
  EXPECT_OK(iree_vm_list_get_value(outputs, 1, &value));
  EXPECT_EQ_F64(value.f64, 7.25);
  EXPECT_EQ_I64(buffer->ref_count, 2);
  // A reference where a number is wanted.
  EXPECT_OK(iree_vm_list_copy(inputs, 0, inputs, 2, 1));
  status = iree_vm_invoke(context, mix, 0, NULL, inputs, outputs, allocator);
  EXPECT_EQ_SV(iree_status_annotation(status, 0),
               IREE_SV("argument 2 of the call"));
  EXPECT_STATUS(IREE_STATUS_FAILED_PRECONDITION, status);
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                iree_vm_invoke(context, mix, 0, NULL, inputs, NULL, allocator));
  EXPECT_STATUS(IREE_STATUS_UNIMPLEMENTED,
                iree_vm_invoke(context, resolve(context, "lib.math.sum"), 0,
                               NULL, inputs, outputs, allocator));
  // A failing call gives back the result that it left.
  EXPECT_STATUS(IREE_STATUS_DATA_LOSS,
                iree_vm_invoke(context, resolve(context, "lib.fail"), 0, NULL,
                               NULL, outputs, allocator));
  iree_vm_list_release(outputs);
  iree_vm_list_release(inputs);
  iree_vm_context_release(context);
  expect_nothing_alive();
}

CTEST_MAIN()
