// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the compiler attributes, integer types and linkage of every public
// header.

#ifndef IREE_CY_BASE_CONFIG_H_
#define IREE_CY_BASE_CONFIG_H_

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Linkage of the API.
//
// Inside the core these are ordinary functions with hidden visibility. A user
// of the host table (a plugin, an extension, an embedding host) includes
// plugin.h, import.h or embed.h before any other header of this project; these
// define IREE_CY_HOST_TABLE_MODE, and the same declarations then become inline
// wrappers that call through the table under the same names.
#if defined(IREE_CY_HOST_TABLE_MODE)
#define IREE_API_EXPORT static inline
#else
#define IREE_CY_DECLARED_EXTERN 1
#define IREE_API_EXPORT extern __attribute__((visibility("hidden")))
#endif  // IREE_CY_HOST_TABLE_MODE

#if defined(__cplusplus)
#define IREE_RESTRICT __restrict__
#define IREE_CY_STATIC_ASSERT static_assert
#define IREE_CY_EXTERN_C_BEGIN extern "C" {
#define IREE_CY_EXTERN_C_END }
#else
#define IREE_RESTRICT restrict
#define IREE_CY_STATIC_ASSERT _Static_assert
#define IREE_CY_EXTERN_C_BEGIN
#define IREE_CY_EXTERN_C_END
#endif  // __cplusplus

#define IREE_LIKELY(x) __builtin_expect(!!(x), 1)
#define IREE_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define IREE_MUST_USE_RESULT __attribute__((warn_unused_result))
#define IREE_PRINTF_ATTRIBUTE(format_index, first_argument) \
  __attribute__((format(printf, format_index, first_argument)))

// Sizes on the host and on devices. A device size is 64 bits on every host.
typedef size_t iree_host_size_t;
typedef uint64_t iree_device_size_t;
#define IREE_HOST_SIZE_MAX SIZE_MAX
#define IREE_DEVICE_SIZE_MAX UINT64_MAX
#define PRIhsz "zu"
#define PRIdsz PRIu64

#define iree_min(a, b) (((a) < (b)) ? (a) : (b))
#define iree_max(a, b) (((a) > (b)) ? (a) : (b))
#define iree_all_bits_set(value, bits) (((value) & (bits)) == (bits))
#define iree_any_bit_set(value, bits) (((value) & (bits)) != 0)
#define IREE_ARRAYSIZE(array) (sizeof(array) / sizeof((array)[0]))

// Arithmetic on sizes that input can reach. Each returns false on overflow, and
// then leaves |*out| undefined.
static inline bool iree_host_size_checked_add(iree_host_size_t a,
                                              iree_host_size_t b,
                                              iree_host_size_t* out) {
  return !__builtin_add_overflow(a, b, out);
}
static inline bool iree_host_size_checked_mul(iree_host_size_t a,
                                              iree_host_size_t b,
                                              iree_host_size_t* out) {
  return !__builtin_mul_overflow(a, b, out);
}
static inline bool iree_device_size_checked_add(iree_device_size_t a,
                                                iree_device_size_t b,
                                                iree_device_size_t* out) {
  return !__builtin_add_overflow(a, b, out);
}
static inline bool iree_device_size_checked_mul(iree_device_size_t a,
                                                iree_device_size_t b,
                                                iree_device_size_t* out) {
  return !__builtin_mul_overflow(a, b, out);
}

// Rounds |value| up to a multiple of |alignment|, a power of two. Returns false
// on overflow.
static inline bool iree_device_size_checked_align(iree_device_size_t value,
                                                  iree_device_size_t alignment,
                                                  iree_device_size_t* out) {
  iree_device_size_t sum = 0;
  if (__builtin_add_overflow(value, alignment - 1, &sum)) return false;
  *out = sum & ~(alignment - 1);
  return true;
}
static inline iree_host_size_t iree_host_align(iree_host_size_t value,
                                               iree_host_size_t alignment) {
  return (value + (alignment - 1)) & ~(alignment - 1);
}
static inline bool iree_host_size_is_power_of_two(iree_host_size_t value) {
  return value != 0 && (value & (value - 1)) == 0;
}

// A span of bytes, borrowed.
typedef struct iree_byte_span_t {
  uint8_t* data;
  iree_host_size_t data_length;
} iree_byte_span_t;
typedef struct iree_const_byte_span_t {
  const uint8_t* data;
  iree_host_size_t data_length;
} iree_const_byte_span_t;

static inline iree_byte_span_t iree_make_byte_span(
    void* data, iree_host_size_t data_length) {
  iree_byte_span_t span = {(uint8_t*)data, data_length};
  return span;
}
static inline iree_byte_span_t iree_byte_span_empty(void) {
  return iree_make_byte_span(NULL, 0);
}
static inline iree_const_byte_span_t iree_make_const_byte_span(
    const void* data, iree_host_size_t data_length) {
  iree_const_byte_span_t span = {(const uint8_t*)data, data_length};
  return span;
}
static inline iree_const_byte_span_t iree_const_byte_span_empty(void) {
  return iree_make_const_byte_span(NULL, 0);
}
static inline iree_const_byte_span_t iree_const_cast_byte_span(
    iree_byte_span_t span) {
  return iree_make_const_byte_span(span.data, span.data_length);
}

#endif  // IREE_CY_BASE_CONFIG_H_
