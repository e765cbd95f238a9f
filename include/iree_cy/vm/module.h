// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns modules: the interface that each implementation of a module fills, the
// functions that modules hold, and how calls carry values.

#ifndef IREE_CY_VM_MODULE_H_
#define IREE_CY_VM_MODULE_H_

#include "iree_cy/vm/ref.h"
#include "iree_cy/vm/value.h"

IREE_CY_EXTERN_C_BEGIN

typedef struct iree_vm_module_t iree_vm_module_t;
// A module's state in one context; the implementation's own struct.
typedef struct iree_vm_module_state_t iree_vm_module_state_t;
// A thread of execution in a context (vm/stack.h).
typedef struct iree_vm_stack_t iree_vm_stack_t;

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

typedef enum iree_vm_function_linkage_e {
  IREE_VM_FUNCTION_LINKAGE_INTERNAL = 0,
  IREE_VM_FUNCTION_LINKAGE_IMPORT = 1,
  IREE_VM_FUNCTION_LINKAGE_EXPORT = 2,
  // An import that may be absent; a look-up that may well fail.
  IREE_VM_FUNCTION_LINKAGE_IMPORT_OPTIONAL = 3,
  IREE_VM_FUNCTION_LINKAGE_EXPORT_OPTIONAL = 4,
} iree_vm_function_linkage_t;

// A function of a module, borrowed from it. Plain data, all 0 is null.
typedef struct iree_vm_function_t {
  iree_vm_module_t* module;
  // iree_vm_function_linkage_t.
  uint16_t linkage;
  uint16_t reserved;
  // Counted from 0 within the linkage.
  uint32_t ordinal;
} iree_vm_function_t;

static inline bool iree_vm_function_is_null(iree_vm_function_t function) {
  return function.module == NULL;
}

// How a function is called, as text: '0', then one letter per argument, then
// '_' and one letter per result. 'v' alone on a side, or nothing, is none.
//   i int32_t   I int64_t   f float   F double   r iree_vm_ref_t
//   C...D       any number of groups of what stands between
// "0rICrID_i" takes a reference, an int64_t and pairs of the same, and returns
// an int32_t.
//
// Values lie one after the other in that order, each as its C type, without
// padding (so that all begin at a multiple of 4 bytes and are read with
// memcpy, see iree_cy_vm_read_*); a C...D is an int32_t count of groups, then
// these.
typedef struct iree_vm_function_signature_t {
  iree_string_view_t calling_convention;
} iree_vm_function_signature_t;

#define IREE_VM_CCONV_TYPE_VOID 'v'
#define IREE_VM_CCONV_TYPE_I32 'i'
#define IREE_VM_CCONV_TYPE_I64 'I'
#define IREE_VM_CCONV_TYPE_F32 'f'
#define IREE_VM_CCONV_TYPE_F64 'F'
#define IREE_VM_CCONV_TYPE_REF 'r'
#define IREE_VM_CCONV_TYPE_SPAN_START 'C'
#define IREE_VM_CCONV_TYPE_SPAN_END 'D'

// The letters of the arguments and of the results; 'v' gives nothing.
// INVALID_ARGUMENT for a text that is no convention, UNIMPLEMENTED for a
// version other than 0.
IREE_API_EXPORT iree_status_t iree_vm_function_call_get_cconv_fragments(
    const iree_vm_function_signature_t* signature,
    iree_string_view_t* out_arguments, iree_string_view_t* out_results);
IREE_API_EXPORT bool iree_vm_function_call_is_variadic_cconv(
    iree_string_view_t cconv);
// INVALID_ARGUMENT when either side has C...D.
IREE_API_EXPORT iree_status_t iree_vm_function_call_count_arguments_and_results(
    const iree_vm_function_signature_t* signature,
    iree_host_size_t* out_argument_count, iree_host_size_t* out_result_count);
// The bytes that values of |cconv_fragment| take. |segment_sizes| has one entry
// per top-level argument, a C...D being one argument: the count of its groups;
// other entries are not read. It may be empty when there is no C...D.
IREE_API_EXPORT iree_status_t iree_vm_function_call_compute_cconv_fragment_size(
    iree_string_view_t cconv_fragment, iree_host_size_t segment_count,
    const uint16_t* segment_sizes, iree_host_size_t* out_required_size);
// Whether |storage| holds values of |cconv_fragment| and not a byte more or
// less; INVALID_ARGUMENT if not. Reads the counts of C...D only.
IREE_API_EXPORT iree_status_t iree_cy_vm_cconv_check_storage(
    iree_string_view_t cconv_fragment, iree_const_byte_span_t storage);
// Releases each reference in |storage|, which passes the check above, and makes
// it null.
IREE_API_EXPORT void iree_cy_vm_cconv_release_refs(
    iree_string_view_t cconv_fragment, iree_byte_span_t storage);
// Whether the two say the same ("0v_v" is "0").
IREE_API_EXPORT bool iree_cy_vm_cconv_equal(iree_string_view_t lhs,
                                            iree_string_view_t rhs);

// One call of a function.
typedef struct iree_vm_function_call_t {
  // Of linkage EXPORT (INTERNAL when the module calls itself).
  iree_vm_function_t function;
  // State of |function|'s module in the context of the stack.
  iree_vm_module_state_t* module_state;
  // The arguments, in the layout above. References are borrowed: the callee
  // retains what it keeps. Exactly as long as the convention says.
  iree_byte_span_t arguments;
  // Room for the results, all 0 when the call begins. References in it are the
  // caller's when the call is over, also when it failed.
  iree_byte_span_t results;
} iree_vm_function_call_t;

// Reading arguments and writing results: |*cursor| advances by the value.
static inline int32_t iree_cy_vm_read_i32(const uint8_t** cursor) {
  int32_t value;
  memcpy(&value, *cursor, sizeof(value));
  *cursor += sizeof(value);
  return value;
}
static inline int64_t iree_cy_vm_read_i64(const uint8_t** cursor) {
  int64_t value;
  memcpy(&value, *cursor, sizeof(value));
  *cursor += sizeof(value);
  return value;
}
static inline float iree_cy_vm_read_f32(const uint8_t** cursor) {
  float value;
  memcpy(&value, *cursor, sizeof(value));
  *cursor += sizeof(value);
  return value;
}
static inline double iree_cy_vm_read_f64(const uint8_t** cursor) {
  double value;
  memcpy(&value, *cursor, sizeof(value));
  *cursor += sizeof(value);
  return value;
}
// Borrowed, as it lies there.
static inline iree_vm_ref_t iree_cy_vm_read_ref(const uint8_t** cursor) {
  iree_vm_ref_t value;
  memcpy(&value, *cursor, sizeof(value));
  *cursor += sizeof(value);
  return value;
}
static inline void iree_cy_vm_write_i32(uint8_t** cursor, int32_t value) {
  memcpy(*cursor, &value, sizeof(value));
  *cursor += sizeof(value);
}
static inline void iree_cy_vm_write_i64(uint8_t** cursor, int64_t value) {
  memcpy(*cursor, &value, sizeof(value));
  *cursor += sizeof(value);
}
static inline void iree_cy_vm_write_f32(uint8_t** cursor, float value) {
  memcpy(*cursor, &value, sizeof(value));
  *cursor += sizeof(value);
}
static inline void iree_cy_vm_write_f64(uint8_t** cursor, double value) {
  memcpy(*cursor, &value, sizeof(value));
  *cursor += sizeof(value);
}
// The reference itself goes over; the caller no longer has it.
static inline void iree_cy_vm_write_ref(uint8_t** cursor, iree_vm_ref_t value) {
  memcpy(*cursor, &value, sizeof(value));
  *cursor += sizeof(value);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

typedef uint32_t iree_cy_vm_module_flags_t;
enum iree_cy_vm_module_flag_bits_e {
  IREE_CY_VM_MODULE_FLAG_NONE = 0u,
  // No call changes the module's state after __init, or the state looks after
  // itself, so that calls may run in several threads at once.
  IREE_CY_VM_MODULE_FLAG_STATELESS = 1u << 0,
};

// What a module holds. Fixed for the ABI major.
typedef struct iree_vm_module_signature_t {
  uint32_t version;
  iree_cy_vm_module_flags_t flags;
  iree_host_size_t attr_count;
  iree_host_size_t import_function_count;
  iree_host_size_t export_function_count;
  iree_host_size_t internal_function_count;
  uintptr_t reserved[2];
} iree_vm_module_signature_t;

typedef uint32_t iree_vm_module_dependency_flags_t;
enum iree_vm_module_dependency_flag_bits_e {
  IREE_VM_MODULE_DEPENDENCY_FLAG_NONE = 0u,
  // The module must be there, of at least the minimum version.
  IREE_VM_MODULE_DEPENDENCY_FLAG_REQUIRED = 1u << 0,
  // It may be absent or older; then only optional imports name it.
  IREE_VM_MODULE_DEPENDENCY_FLAG_OPTIONAL = 1u << 1,
};

// A module that another needs.
typedef struct iree_vm_module_dependency_t {
  iree_string_view_t name;
  uint32_t minimum_version;
  iree_vm_module_dependency_flags_t flags;
} iree_vm_module_dependency_t;

// |dependency| is borrowed for the call. What it returns, when not OK, ends the
// enumeration and is its result.
typedef iree_status_t (*iree_vm_module_dependency_callback_t)(
    void* user_data, const iree_vm_module_dependency_t* dependency);

// Where in a function an instruction is, as its module counts.
typedef int64_t iree_vm_source_offset_t;

typedef enum iree_vm_signal_e {
  IREE_VM_SIGNAL_RESUME = 0,
  IREE_VM_SIGNAL_SUSPEND = 1,
  IREE_VM_SIGNAL_LOW_MEMORY = 2,
} iree_vm_signal_t;

// A module: what each implementation embeds at the start of its own struct or
// beside it. Reference counted. iree_vm_module_initialize first, then the
// entries; fixed for the ABI major. Entries may be called from any thread, and
// those that get a module state from one thread at a time unless the module is
// STATELESS. Strings and attributes returned live as long as the module.
struct iree_vm_module_t {
  // Given to each entry.
  void* self;
  iree_atomic_ref_count_t ref_count;
  uint32_t reserved0;

  // Frees the module. Required, as are name, signature, lookup_function,
  // get_function, and begin_call; the others may be NULL.
  void (*destroy)(void* self);
  iree_string_view_t (*name)(void* self);
  iree_vm_module_signature_t (*signature)(void* self);
  // Calls |callback| with each module this one depends on.
  iree_status_t (*enumerate_dependencies)(
      void* self, iree_vm_module_dependency_callback_t callback,
      void* user_data);
  // The attribute at |index|; OUT_OF_RANGE past the last.
  iree_status_t (*get_module_attr)(void* self, iree_host_size_t index,
                                   iree_string_pair_t* out_attr);
  // The function named |name|; NOT_FOUND when there is none.
  // |expected_signature| may be NULL.
  iree_status_t (*lookup_function)(
      void* self, iree_vm_function_linkage_t linkage, iree_string_view_t name,
      const iree_vm_function_signature_t* expected_signature,
      iree_vm_function_t* out_function);
  // The function at |ordinal|; each output may be NULL. The name of an import
  // is full ("hal.fence.await"), and |out_function|'s linkage says whether it
  // is optional. OUT_OF_RANGE past the last.
  iree_status_t (*get_function)(void* self, iree_vm_function_linkage_t linkage,
                                iree_host_size_t ordinal,
                                iree_vm_function_t* out_function,
                                iree_string_view_t* out_name,
                                iree_vm_function_signature_t* out_signature);
  iree_status_t (*get_function_attr)(void* self,
                                     iree_vm_function_linkage_t linkage,
                                     iree_host_size_t ordinal,
                                     iree_host_size_t index,
                                     iree_string_pair_t* out_attr);
  // Appends where |pc| of |function| comes from ("model.mlir:12:3");
  // NOT_FOUND, with nothing appended, when that is not known.
  iree_status_t (*resolve_source_location)(void* self,
                                           iree_vm_function_t function,
                                           iree_vm_source_offset_t pc,
                                           iree_string_builder_t* builder);
  // A state for a context, from |allocator| (what the program allocates later
  // comes from iree_vm_stack_program_allocator). The state may be NULL.
  iree_status_t (*alloc_state)(void* self, iree_allocator_t allocator,
                               iree_vm_module_state_t** out_module_state);
  void (*free_state)(void* self, iree_vm_module_state_t* module_state);
  // Tells the import at |ordinal| which function it is. |target_state| is the
  // state of |function|'s module, for iree_vm_function_call_t. Not called for
  // optional imports that are absent. Both live as long as |module_state|.
  iree_status_t (*resolve_import)(void* self,
                                  iree_vm_module_state_t* module_state,
                                  iree_host_size_t ordinal,
                                  const iree_vm_function_t* function,
                                  const iree_vm_function_signature_t* signature,
                                  iree_vm_module_state_t* target_state);
  iree_status_t (*notify)(void* self, iree_vm_module_state_t* module_state,
                          iree_vm_signal_t signal);
  // Runs a call to its end; whatever has to wait waits in it. On failure the
  // module has annotated the status with its function
  // (iree_cy_vm_function_annotate, or its frames).
  iree_status_t (*begin_call)(void* self, iree_vm_stack_t* stack,
                              iree_vm_function_call_t call);
  // Asked when the __init of a module after this one has failed. Takes
  // |status| and returns it, or, when this module knows a clearer reason, that
  // one with |status| joined.
  iree_status_t (*explain_failure)(void* self,
                                   iree_vm_module_state_t* module_state,
                                   iree_status_t status);
  // Asked after __init of a module that is not STATELESS: whether calls with
  // |module_state| are all the same as if it were, because they only read it.
  // NULL for no.
  bool (*is_shareable)(void* self, iree_vm_module_state_t* module_state);

  uintptr_t reserved[4];
};

// Clears |module|, sets |self| and one reference, which the caller owns, and
// counts it as live until the last release destroys it.
IREE_API_EXPORT iree_status_t
iree_vm_module_initialize(iree_vm_module_t* module, void* self);
IREE_API_EXPORT void iree_vm_module_retain(iree_vm_module_t* module);
IREE_API_EXPORT void iree_vm_module_release(iree_vm_module_t* module);

IREE_API_EXPORT iree_string_view_t
iree_vm_module_name(const iree_vm_module_t* module);
IREE_API_EXPORT iree_vm_module_signature_t
iree_vm_module_signature(const iree_vm_module_t* module);
// Empty when there is no such attribute.
IREE_API_EXPORT iree_string_view_t iree_vm_module_lookup_attr_by_name(
    const iree_vm_module_t* module, iree_string_view_t key);
IREE_API_EXPORT iree_status_t
iree_vm_module_get_attr(const iree_vm_module_t* module, iree_host_size_t index,
                        iree_string_pair_t* out_attr);
IREE_API_EXPORT iree_status_t iree_vm_module_enumerate_dependencies(
    iree_vm_module_t* module, iree_vm_module_dependency_callback_t callback,
    void* user_data);
// NOT_FOUND, naming module and function, when there is none.
IREE_API_EXPORT iree_status_t iree_vm_module_lookup_function_by_name(
    const iree_vm_module_t* module, iree_vm_function_linkage_t linkage,
    iree_string_view_t name, iree_vm_function_t* out_function);
IREE_API_EXPORT iree_status_t iree_vm_module_lookup_function_by_ordinal(
    const iree_vm_module_t* module, iree_vm_function_linkage_t linkage,
    iree_host_size_t ordinal, iree_vm_function_t* out_function);
// Appends the source location of |pc| in |function|; NOT_FOUND without one.
IREE_API_EXPORT iree_status_t iree_vm_module_resolve_source_location(
    const iree_vm_module_t* module, iree_vm_function_t function,
    iree_vm_source_offset_t pc, iree_string_builder_t* builder);

// Empty when the function has no name, no known convention, no such attribute.
IREE_API_EXPORT iree_string_view_t
iree_vm_function_name(const iree_vm_function_t* function);
IREE_API_EXPORT iree_vm_function_signature_t
iree_vm_function_signature(const iree_vm_function_t* function);
IREE_API_EXPORT iree_string_view_t iree_vm_function_lookup_attr_by_name(
    const iree_vm_function_t* function, iree_string_view_t key);
// OUT_OF_RANGE past the last.
IREE_API_EXPORT iree_status_t
iree_vm_function_get_attr(iree_vm_function_t function, iree_host_size_t index,
                          iree_string_pair_t* out_attr);

// Takes |status| and returns it with a line "in module.function"; OK stays OK.
IREE_API_EXPORT IREE_MUST_USE_RESULT iree_status_t
iree_cy_vm_function_annotate(iree_status_t status, iree_vm_function_t function);

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_VM_MODULE_H_
