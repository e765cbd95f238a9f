// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns iree_status_t: the result of every call that can fail.

#ifndef IREE_CY_BASE_STATUS_H_
#define IREE_CY_BASE_STATUS_H_

#include "iree_cy/base/config.h"
#include "iree_cy/base/string_view.h"

IREE_CY_EXTERN_C_BEGIN

typedef enum iree_status_code_e {
  IREE_STATUS_OK = 0,
  IREE_STATUS_CANCELLED = 1,
  IREE_STATUS_UNKNOWN = 2,
  IREE_STATUS_INVALID_ARGUMENT = 3,
  IREE_STATUS_DEADLINE_EXCEEDED = 4,
  IREE_STATUS_NOT_FOUND = 5,
  IREE_STATUS_ALREADY_EXISTS = 6,
  IREE_STATUS_PERMISSION_DENIED = 7,
  IREE_STATUS_RESOURCE_EXHAUSTED = 8,
  IREE_STATUS_FAILED_PRECONDITION = 9,
  IREE_STATUS_ABORTED = 10,
  IREE_STATUS_OUT_OF_RANGE = 11,
  IREE_STATUS_UNIMPLEMENTED = 12,
  IREE_STATUS_INTERNAL = 13,
  IREE_STATUS_UNAVAILABLE = 14,
  IREE_STATUS_DATA_LOSS = 15,
  IREE_STATUS_UNAUTHENTICATED = 16,
  IREE_STATUS_DEFERRED = 17,
  IREE_STATUS_INCOMPATIBLE = 18,
  IREE_STATUS_CODE_MASK = 0x1F,
} iree_status_code_t;

// An owned result. OK needs no release; every other status is returned, joined,
// consumed or ignored exactly once. The low 5 bits of the handle are the code;
// what the rest points to (it may point to nothing) is the host's alone.
typedef struct iree_status_handle_t* iree_status_t;

static inline iree_status_t iree_ok_status(void) { return (iree_status_t)0; }
static inline iree_status_t iree_status_from_code(iree_status_code_t code) {
  return (iree_status_t)(uintptr_t)(code & IREE_STATUS_CODE_MASK);
}
static inline iree_status_code_t iree_status_code(iree_status_t status) {
  return (iree_status_code_t)((uintptr_t)status & IREE_STATUS_CODE_MASK);
}
#define iree_status_is_ok(status) IREE_LIKELY((uintptr_t)(status) == 0)
#define iree_status_is_deferred(status) \
  (iree_status_code(status) == IREE_STATUS_DEFERRED)

// The code's name in upper case ("NOT_FOUND"), immortal.
IREE_API_EXPORT const char* iree_status_code_string(iree_status_code_t code);

// The code that fits an errno value.
IREE_API_EXPORT iree_status_code_t
iree_status_code_from_errno(int error_number);

// Makes a status with a copy of |message|. |file| is kept, not copied: it must
// be immortal (__FILE__ is) or NULL. Falls back to the bare code when out of
// memory. An OK |code| gives OK.
IREE_API_EXPORT IREE_MUST_USE_RESULT iree_status_t
iree_status_allocate(iree_status_code_t code, const char* file, uint32_t line,
                     iree_string_view_t message);
IREE_API_EXPORT IREE_MUST_USE_RESULT iree_status_t
iree_status_allocate_vf(iree_status_code_t code, const char* file,
                        uint32_t line, const char* format, va_list varargs);

// Another owned status with the same code, message and annotations.
IREE_API_EXPORT IREE_MUST_USE_RESULT iree_status_t
iree_status_clone(iree_status_t status);

// Releases |status|.
IREE_API_EXPORT void iree_status_free(iree_status_t status);

// Takes both; returns |base_status| with |new_status| noted in it, or the one
// that is not OK.
IREE_API_EXPORT IREE_MUST_USE_RESULT iree_status_t
iree_status_join(iree_status_t base_status, iree_status_t new_status);

// Takes |base_status| and returns it with a further line of context, which
// iree_status_message leaves out and iree_status_to_string shows. OK stays OK.
IREE_API_EXPORT IREE_MUST_USE_RESULT iree_status_t
iree_status_annotate(iree_status_t base_status, iree_string_view_t message);
IREE_API_EXPORT IREE_MUST_USE_RESULT iree_status_t iree_status_annotate_vf(
    iree_status_t base_status, const char* format, va_list varargs);

// The message it was made with, borrowed from |status|; empty for a bare code.
IREE_API_EXPORT iree_string_view_t iree_status_message(iree_status_t status);

// The annotations, oldest first: the count, and the one at |index|, borrowed.
IREE_API_EXPORT iree_host_size_t
iree_status_annotation_count(iree_status_t status);
IREE_API_EXPORT iree_string_view_t
iree_status_annotation(iree_status_t status, iree_host_size_t index);

// Where it was made. |*out_file| is NULL when that is not known.
IREE_API_EXPORT void iree_status_source_location(iree_status_t status,
                                                 const char** out_file,
                                                 uint32_t* out_line);

// Formats "CODE; message; annotation...; at file:line" into |buffer|, cut and
// NUL-terminated when |buffer_capacity| > 0. Returns the length that the whole
// text has, without the NUL. Does not take |status|.
IREE_API_EXPORT iree_host_size_t iree_status_format(
    iree_status_t status, iree_host_size_t buffer_capacity, char* buffer);

// Takes |status| and drops it, on purpose. Returns OK.
static inline iree_status_t iree_status_ignore(iree_status_t status) {
  if (!iree_status_is_ok(status)) iree_status_free(status);
  return iree_ok_status();
}
// Takes |status| and returns its code.
static inline iree_status_code_t iree_status_consume_code(
    iree_status_t status) {
  iree_status_code_t code = iree_status_code(status);
  iree_status_ignore(status);
  return code;
}

static inline IREE_MUST_USE_RESULT iree_status_t
iree_status_allocate_f(iree_status_code_t code, const char* file, uint32_t line,
                       const char* format, ...) IREE_PRINTF_ATTRIBUTE(4, 5);
static inline iree_status_t iree_status_allocate_f(iree_status_code_t code,
                                                   const char* file,
                                                   uint32_t line,
                                                   const char* format, ...) {
  va_list varargs;
  va_start(varargs, format);
  iree_status_t status =
      iree_status_allocate_vf(code, file, line, format, varargs);
  va_end(varargs);
  return status;
}
static inline IREE_MUST_USE_RESULT iree_status_t
iree_status_annotate_f(iree_status_t base_status, const char* format, ...)
    IREE_PRINTF_ATTRIBUTE(2, 3);
static inline iree_status_t iree_status_annotate_f(iree_status_t base_status,
                                                   const char* format, ...) {
  if (iree_status_is_ok(base_status)) return base_status;
  va_list varargs;
  va_start(varargs, format);
  iree_status_t status = iree_status_annotate_vf(base_status, format, varargs);
  va_end(varargs);
  return status;
}

// iree_make_status(IREE_STATUS_NOT_FOUND, "no export named '%s'", name)
#define iree_make_status(code, ...) \
  iree_status_allocate_f((code), __FILE__, __LINE__, __VA_ARGS__)

// Returns from the enclosing function when |expr| is not OK.
#define IREE_RETURN_IF_ERROR(expr)                                   \
  do {                                                               \
    iree_status_t iree_cy_status_ = (expr);                          \
    if (!iree_status_is_ok(iree_cy_status_)) return iree_cy_status_; \
  } while (0)

#define IREE_IGNORE_ERROR(expr) ((void)iree_status_ignore(expr))

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_BASE_STATUS_H_
