// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns reading the arguments of an export: where they lie, what they must be.

#ifndef IREE_CY_NATIVE_MODULES_HAL_ARGUMENTS_H_
#define IREE_CY_NATIVE_MODULES_HAL_ARGUMENTS_H_

#include "iree_cy/native/modules/hal/types.h"

// The arguments of the export |function| ("buffer.length", a literal), read in
// order. Their length was checked against the convention before.
typedef struct iree_hal_module_arguments_t {
  const uint8_t* cursor;
  const char* function;
} iree_hal_module_arguments_t;

static inline iree_hal_module_arguments_t iree_hal_module_arguments(
    const char* function, iree_byte_span_t arguments) {
  iree_hal_module_arguments_t args = {arguments.data, function};
  return args;
}

// INVALID_ARGUMENT that names |function| and |argument|.
IREE_MUST_USE_RESULT iree_status_t
iree_hal_module_ref_error(const char* function, const char* argument,
                          iree_vm_ref_t ref, iree_vm_ref_type_t type);
IREE_MUST_USE_RESULT iree_status_t iree_hal_module_value_error(
    const char* function, const char* argument, int64_t value);
// OUT_OF_RANGE for more elements of |argument| than |maximum|.
IREE_MUST_USE_RESULT iree_status_t
iree_hal_module_count_error(const char* function, const char* argument,
                            uint64_t count, iree_host_size_t maximum);

static inline int32_t iree_hal_module_read_i32(
    iree_hal_module_arguments_t* args) {
  return iree_cy_vm_read_i32(&args->cursor);
}
static inline uint32_t iree_hal_module_read_u32(
    iree_hal_module_arguments_t* args) {
  return (uint32_t)iree_cy_vm_read_i32(&args->cursor);
}
// Offsets, lengths and flags: unsigned, as the HAL has them. A negative one is
// a huge one, and the HAL's range checks refuse it.
static inline uint64_t iree_hal_module_read_u64(
    iree_hal_module_arguments_t* args) {
  return (uint64_t)iree_cy_vm_read_i64(&args->cursor);
}
// The count of a variadic argument, which the convention's check has read.
static inline iree_host_size_t iree_hal_module_read_count(
    iree_hal_module_arguments_t* args) {
  return (iree_host_size_t)iree_hal_module_read_u32(args);
}

static inline IREE_MUST_USE_RESULT iree_status_t iree_hal_module_read_object(
    iree_hal_module_arguments_t* args, const char* argument,
    iree_vm_ref_type_t type, void** out_object) {
  iree_vm_ref_t ref = iree_cy_vm_read_ref(&args->cursor);
  *out_object = ref.ptr;
  if (IREE_LIKELY(ref.ptr && ref.type == type)) return iree_ok_status();
  *out_object = NULL;
  return iree_hal_module_ref_error(args->function, argument, ref, type);
}
static inline IREE_MUST_USE_RESULT iree_status_t
iree_hal_module_read_object_or_null(iree_hal_module_arguments_t* args,
                                    const char* argument,
                                    iree_vm_ref_type_t type,
                                    void** out_object) {
  iree_vm_ref_t ref = iree_cy_vm_read_ref(&args->cursor);
  *out_object = ref.ptr;
  if (IREE_LIKELY(!ref.ptr || ref.type == type)) return iree_ok_status();
  *out_object = NULL;
  return iree_hal_module_ref_error(args->function, argument, ref, type);
}

// iree_hal_module_read_<kind>(args, name, &object), and the same _or_null;
// objects are borrowed from the caller.
#define IREE_HAL_MODULE_DEFINE_READ(kind, T, type)                          \
  static inline IREE_MUST_USE_RESULT iree_status_t                          \
  iree_hal_module_read_##kind(iree_hal_module_arguments_t* args,            \
                              const char* argument, T** out_object) {       \
    void* object = NULL;                                                    \
    iree_status_t status =                                                  \
        iree_hal_module_read_object(args, argument, type, &object);         \
    *out_object = (T*)object;                                               \
    return status;                                                          \
  }                                                                         \
  static inline IREE_MUST_USE_RESULT iree_status_t                          \
  iree_hal_module_read_##kind##_or_null(iree_hal_module_arguments_t* args,  \
                                        const char* argument,               \
                                        T** out_object) {                   \
    void* object = NULL;                                                    \
    iree_status_t status =                                                  \
        iree_hal_module_read_object_or_null(args, argument, type, &object); \
    *out_object = (T*)object;                                               \
    return status;                                                          \
  }
#define IREE_HAL_MODULE_DEFINE_READ_HAL(kind)            \
  IREE_HAL_MODULE_DEFINE_READ(kind, iree_hal_##kind##_t, \
                              IREE_HAL_MODULE_TYPE(kind))
IREE_HAL_MODULE_FOR_EACH_TYPE(IREE_HAL_MODULE_DEFINE_READ_HAL)
IREE_HAL_MODULE_DEFINE_READ(vm_buffer, iree_vm_buffer_t,
                            IREE_HAL_MODULE_VM_BUFFER_TYPE)
#undef IREE_HAL_MODULE_DEFINE_READ_HAL
#undef IREE_HAL_MODULE_DEFINE_READ

// |count| dimensions, none of which may be negative.
IREE_MUST_USE_RESULT iree_status_t iree_hal_module_read_shape(
    iree_hal_module_arguments_t* args, iree_host_size_t capacity,
    iree_hal_dim_t* shape, iree_host_size_t* out_rank);

// Puts the one result of an export: the caller's reference to |object|, which
// may be NULL.
static inline void iree_hal_module_return_ref(iree_byte_span_t results,
                                              iree_vm_ref_type_t type,
                                              void* object) {
  iree_vm_ref_t ref = iree_vm_ref_null();
  iree_vm_ref_wrap_assign(object, type, &ref);
  uint8_t* cursor = results.data;
  iree_cy_vm_write_ref(&cursor, ref);
}
static inline void iree_hal_module_return_i32(iree_byte_span_t results,
                                              int32_t value) {
  uint8_t* cursor = results.data;
  iree_cy_vm_write_i32(&cursor, value);
}
static inline void iree_hal_module_return_i64(iree_byte_span_t results,
                                              int64_t value) {
  uint8_t* cursor = results.data;
  iree_cy_vm_write_i64(&cursor, value);
}

#endif  // IREE_CY_NATIVE_MODULES_HAL_ARGUMENTS_H_
