// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns time points, durations and the timeouts of every wait.

#ifndef IREE_CY_BASE_TIME_H_
#define IREE_CY_BASE_TIME_H_

#include "iree_cy/base/config.h"

IREE_CY_EXTERN_C_BEGIN

// Nanoseconds of CLOCK_MONOTONIC.
typedef int64_t iree_time_t;
typedef int64_t iree_duration_t;
#define IREE_TIME_INFINITE_PAST INT64_MIN
#define IREE_TIME_INFINITE_FUTURE INT64_MAX
#define IREE_DURATION_ZERO 0
#define IREE_DURATION_INFINITE INT64_MAX

typedef enum iree_timeout_type_e {
  IREE_TIMEOUT_ABSOLUTE = 0,
  IREE_TIMEOUT_RELATIVE = 1,
} iree_timeout_type_t;

typedef struct iree_timeout_t {
  int64_t type;  // iree_timeout_type_t
  int64_t nanos;
} iree_timeout_t;

static inline iree_timeout_t iree_immediate_timeout(void) {
  iree_timeout_t timeout = {IREE_TIMEOUT_ABSOLUTE, IREE_TIME_INFINITE_PAST};
  return timeout;
}
static inline iree_timeout_t iree_infinite_timeout(void) {
  iree_timeout_t timeout = {IREE_TIMEOUT_ABSOLUTE, IREE_TIME_INFINITE_FUTURE};
  return timeout;
}
static inline iree_timeout_t iree_make_deadline(iree_time_t nanos) {
  iree_timeout_t timeout = {IREE_TIMEOUT_ABSOLUTE, nanos};
  return timeout;
}
static inline iree_timeout_t iree_make_timeout_ns(iree_duration_t nanos) {
  iree_timeout_t timeout = {IREE_TIMEOUT_RELATIVE, nanos};
  return timeout;
}

// The clock now.
IREE_API_EXPORT iree_time_t iree_time_now(void);

// The absolute deadline of |timeout| counted from now; saturates.
static inline iree_time_t iree_timeout_as_deadline_ns(iree_timeout_t timeout) {
  iree_time_t deadline = 0;
  if (timeout.type == IREE_TIMEOUT_ABSOLUTE) return timeout.nanos;
  if (timeout.nanos <= 0) return IREE_TIME_INFINITE_PAST;
  if (timeout.nanos == IREE_DURATION_INFINITE) return IREE_TIME_INFINITE_FUTURE;
  if (__builtin_add_overflow(iree_time_now(), timeout.nanos, &deadline)) {
    return IREE_TIME_INFINITE_FUTURE;
  }
  return deadline;
}

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_BASE_TIME_H_
