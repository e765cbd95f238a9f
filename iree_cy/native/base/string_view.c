// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns comparing, splitting, parsing and matching of string views.

#include "iree_cy/base/string_view.h"

int iree_string_view_compare(iree_string_view_t a, iree_string_view_t b) {
  const iree_host_size_t common = iree_min(a.size, b.size);
  const int order = common ? memcmp(a.data, b.data, common) : 0;
  if (order != 0) return order;
  return (a.size > b.size) - (a.size < b.size);
}

intptr_t iree_string_view_split(iree_string_view_t value, char separator,
                                iree_string_view_t* out_lhs,
                                iree_string_view_t* out_rhs) {
  const char* found =
      value.size ? (const char*)memchr(value.data, separator, value.size)
                 : NULL;
  const iree_host_size_t offset =
      found ? (iree_host_size_t)(found - value.data) : value.size;
  if (out_lhs) *out_lhs = iree_make_string_view(value.data, offset);
  if (out_rhs) {
    *out_rhs = found ? iree_make_string_view(found + 1, value.size - offset - 1)
                     : iree_string_view_empty();
  }
  return found ? (intptr_t)offset : -1;
}

static bool iree_is_white_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

iree_string_view_t iree_string_view_trim(iree_string_view_t value) {
  while (value.size && iree_is_white_space(value.data[0])) {
    value = iree_string_view_remove_prefix(value, 1);
  }
  while (value.size && iree_is_white_space(value.data[value.size - 1])) {
    --value.size;
  }
  return value;
}

// The value of a digit, or 255.
static uint32_t iree_digit_value(char c) {
  if (c >= '0' && c <= '9') return (uint32_t)(c - '0');
  if (c >= 'a' && c <= 'f') return (uint32_t)(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return (uint32_t)(c - 'A') + 10;
  return 255;
}

bool iree_string_view_parse_uint64(iree_string_view_t value,
                                   uint64_t* out_value) {
  uint32_t base = 10;
  uint64_t result = 0;
  *out_value = 0;
  if (value.size > 2 && value.data[0] == '0' &&
      (value.data[1] == 'x' || value.data[1] == 'X')) {
    base = 16;
    value = iree_string_view_remove_prefix(value, 2);
  }
  if (!value.size) return false;
  for (iree_host_size_t i = 0; i < value.size; ++i) {
    const uint32_t digit = iree_digit_value(value.data[i]);
    if (digit >= base || __builtin_mul_overflow(result, base, &result) ||
        __builtin_add_overflow(result, digit, &result)) {
      return false;
    }
  }
  *out_value = result;
  return true;
}

bool iree_string_view_parse_int64(iree_string_view_t value,
                                  int64_t* out_value) {
  uint64_t magnitude = 0;
  *out_value = 0;
  const bool is_negative = value.size && value.data[0] == '-';
  if (is_negative) value = iree_string_view_remove_prefix(value, 1);
  if (!iree_string_view_parse_uint64(value, &magnitude)) return false;
  if (magnitude > (uint64_t)INT64_MAX + (is_negative ? 1 : 0)) return false;
  *out_value = (int64_t)(is_negative ? 0 - magnitude : magnitude);
  return true;
}

bool iree_string_view_match_pattern(iree_string_view_t value,
                                    iree_string_view_t pattern) {
  iree_host_size_t v = 0;
  iree_host_size_t p = 0;
  // Where to go on when a try fails: behind the last '*', which then takes one
  // character more. An earlier '*' never needs to be tried again.
  bool has_star = false;
  iree_host_size_t star_pattern = 0;
  iree_host_size_t star_value = 0;
  while (v < value.size) {
    if (p < pattern.size && pattern.data[p] == '*') {
      has_star = true;
      star_pattern = ++p;
      star_value = v;
    } else if (p < pattern.size &&
               (pattern.data[p] == '?' || pattern.data[p] == value.data[v])) {
      ++p;
      ++v;
    } else if (has_star) {
      p = star_pattern;
      v = ++star_value;
    } else {
      return false;
    }
  }
  while (p < pattern.size && pattern.data[p] == '*') ++p;
  return p == pattern.size;
}
