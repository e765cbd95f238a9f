// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns string views: borrowed, counted, not NUL-terminated text.

#ifndef IREE_CY_BASE_STRING_VIEW_H_
#define IREE_CY_BASE_STRING_VIEW_H_

#include "iree_cy/base/config.h"

IREE_CY_EXTERN_C_BEGIN

// Borrowed text. |data| may be NULL when |size| is 0.
typedef struct iree_string_view_t {
  const char* data;
  iree_host_size_t size;
} iree_string_view_t;

// A key with its value, both borrowed.
typedef struct iree_string_pair_t {
  iree_string_view_t key;
  iree_string_view_t value;
} iree_string_pair_t;

static inline iree_string_view_t iree_make_string_view(const char* data,
                                                       iree_host_size_t size) {
  iree_string_view_t view = {data, size};
  return view;
}
static inline iree_string_view_t iree_string_view_empty(void) {
  return iree_make_string_view(NULL, 0);
}
// Views |text|, which may be NULL (then empty).
static inline iree_string_view_t iree_make_cstring_view(const char* text) {
  return iree_make_string_view(text, text ? strlen(text) : 0);
}
#define IREE_SV(literal) iree_make_string_view((literal), sizeof(literal) - 1)
// The same as an initializer, for static tables.
#define IREE_SVL(literal) {(literal), sizeof(literal) - 1}
static inline bool iree_string_view_is_empty(iree_string_view_t view) {
  return view.size == 0;
}
static inline bool iree_string_view_equal(iree_string_view_t a,
                                          iree_string_view_t b) {
  return a.size == b.size &&
         (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}
static inline bool iree_string_view_starts_with(iree_string_view_t view,
                                                iree_string_view_t prefix) {
  return view.size >= prefix.size &&
         (prefix.size == 0 || memcmp(view.data, prefix.data, prefix.size) == 0);
}
static inline bool iree_string_view_ends_with(iree_string_view_t view,
                                              iree_string_view_t suffix) {
  return view.size >= suffix.size &&
         (suffix.size == 0 || memcmp(view.data + view.size - suffix.size,
                                     suffix.data, suffix.size) == 0);
}
// Removes the first |count| characters, or all of them.
static inline iree_string_view_t iree_string_view_remove_prefix(
    iree_string_view_t view, iree_host_size_t count) {
  if (count > view.size) count = view.size;
  return iree_make_string_view(view.data + count, view.size - count);
}
// Arguments for the printf conversion "%.*s". Cut at INT_MAX characters.
#define IREE_SV_ARG(view)                                         \
  ((view).size > (iree_host_size_t)INT32_MAX ? (int)INT32_MAX     \
                                             : (int)(view).size), \
      ((view).data ? (view).data : "")

// Orders |a| and |b| as memcmp does, a prefix first.
IREE_API_EXPORT int iree_string_view_compare(iree_string_view_t a,
                                             iree_string_view_t b);

// Splits |value| at the first |separator|. Returns its offset, or -1 with
// |*out_lhs| = |value| and |*out_rhs| empty. Either output may be NULL.
IREE_API_EXPORT intptr_t iree_string_view_split(iree_string_view_t value,
                                                char separator,
                                                iree_string_view_t* out_lhs,
                                                iree_string_view_t* out_rhs);

// Without the leading and trailing ASCII white space.
IREE_API_EXPORT iree_string_view_t
iree_string_view_trim(iree_string_view_t value);

// Parses the whole of |value| as a decimal integer (with "0x" hexadecimal).
// Returns false when it is not one or does not fit.
IREE_API_EXPORT bool iree_string_view_parse_uint64(iree_string_view_t value,
                                                   uint64_t* out_value);
IREE_API_EXPORT bool iree_string_view_parse_int64(iree_string_view_t value,
                                                  int64_t* out_value);

// Matches |value| against |pattern|, where '*' stands for any run of
// characters and '?' for any one. Linear in practice; never recursive.
IREE_API_EXPORT bool iree_string_view_match_pattern(iree_string_view_t value,
                                                    iree_string_view_t pattern);

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_BASE_STRING_VIEW_H_
