// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Tests comparing, splitting, parsing and matching of string views.

#include "iree_cy/base/string_view.h"

#include "tests/support/ctest.h"

#define SV(text) iree_make_cstring_view(text)

CTEST(compare_orders_like_memcmp_with_a_prefix_first) {
  EXPECT(iree_string_view_compare(SV("a"), SV("b")) < 0);
  EXPECT(iree_string_view_compare(SV("b"), SV("a")) > 0);
  EXPECT(iree_string_view_compare(SV("ab"), SV("abc")) < 0);
  EXPECT(iree_string_view_compare(SV("\xff"), SV("a")) > 0);
  EXPECT_EQ_I64(iree_string_view_compare(SV("abc"), SV("abc")), 0);
  EXPECT_EQ_I64(iree_string_view_compare(SV(NULL), SV("")), 0);
  EXPECT(iree_string_view_compare(SV(NULL), SV("a")) < 0);
}

CTEST(split_at_the_first_separator) {
  iree_string_view_t lhs, rhs;
  EXPECT_EQ_I64(iree_string_view_split(SV("a=b=c"), '=', &lhs, &rhs), 1);
  EXPECT_EQ_SV(lhs, SV("a"));
  EXPECT_EQ_SV(rhs, SV("b=c"));
  EXPECT_EQ_I64(iree_string_view_split(SV("="), '=', &lhs, &rhs), 0);
  EXPECT_EQ_SV(lhs, SV(""));
  EXPECT_EQ_SV(rhs, SV(""));
  EXPECT_EQ_I64(iree_string_view_split(SV("abc"), '=', &lhs, &rhs), -1);
  EXPECT_EQ_SV(lhs, SV("abc"));
  EXPECT_EQ_SV(rhs, SV(""));
  EXPECT_EQ_I64(iree_string_view_split(SV(NULL), '=', &lhs, &rhs), -1);
  EXPECT_EQ_I64(iree_string_view_split(SV("x,y"), ',', NULL, NULL), 1);
}

CTEST(trim_takes_white_space_off_both_ends) {
  EXPECT_EQ_SV(iree_string_view_trim(SV(" \t\r\n a b \v\f")), SV("a b"));
  EXPECT_EQ_SV(iree_string_view_trim(SV("   ")), SV(""));
  EXPECT_EQ_SV(iree_string_view_trim(SV(NULL)), SV(""));
}

CTEST(parse_unsigned) {
  uint64_t value = 1;
  EXPECT(iree_string_view_parse_uint64(SV("0"), &value) && value == 0);
  EXPECT(iree_string_view_parse_uint64(SV("18446744073709551615"), &value) &&
         value == UINT64_MAX);
  EXPECT(iree_string_view_parse_uint64(SV("0xFFffFFffFFffFFff"), &value) &&
         value == UINT64_MAX);
  EXPECT(iree_string_view_parse_uint64(SV("0X10"), &value) && value == 16);
  const char* const wrong[] = {NULL,
                               "",
                               " 1",
                               "1 ",
                               "+1",
                               "-1",
                               "0x",
                               "x1",
                               "1a",
                               "18446744073709551616",
                               "0x10000000000000000"};
  for (size_t i = 0; i < IREE_ARRAYSIZE(wrong); ++i) {
    value = 7;
    EXPECT(!iree_string_view_parse_uint64(SV(wrong[i]), &value));
    EXPECT_EQ_I64(value, 0);
  }
}

CTEST(parse_signed) {
  int64_t value = 1;
  EXPECT(iree_string_view_parse_int64(SV("-1"), &value) && value == -1);
  EXPECT(iree_string_view_parse_int64(SV("9223372036854775807"), &value) &&
         value == INT64_MAX);
  EXPECT(iree_string_view_parse_int64(SV("-9223372036854775808"), &value) &&
         value == INT64_MIN);
  EXPECT(iree_string_view_parse_int64(SV("-0x10"), &value) && value == -16);
  EXPECT(!iree_string_view_parse_int64(SV("9223372036854775808"), &value));
  EXPECT(!iree_string_view_parse_int64(SV("-9223372036854775809"), &value));
  EXPECT(!iree_string_view_parse_int64(SV("-"), &value));
  EXPECT(!iree_string_view_parse_int64(SV("--1"), &value));
  EXPECT(!iree_string_view_parse_int64(SV(NULL), &value));
}

CTEST(patterns) {
  EXPECT(iree_string_view_match_pattern(SV("local-sync"), SV("local*")));
  EXPECT(iree_string_view_match_pattern(SV("local-sync"), SV("*")));
  EXPECT(iree_string_view_match_pattern(SV("local-sync"), SV("*sync")));
  EXPECT(iree_string_view_match_pattern(SV("local-sync"), SV("l*l-?y*c")));
  EXPECT(iree_string_view_match_pattern(SV("aab"), SV("a*ab")));
  EXPECT(iree_string_view_match_pattern(SV(""), SV("***")));
  EXPECT(iree_string_view_match_pattern(SV(NULL), SV(NULL)));
  EXPECT(!iree_string_view_match_pattern(SV("local-sync"), SV("local")));
  EXPECT(!iree_string_view_match_pattern(SV("local"), SV("local?")));
  EXPECT(!iree_string_view_match_pattern(SV(""), SV("?")));
  EXPECT(!iree_string_view_match_pattern(SV("a"), SV("")));
}

CTEST(a_hostile_pattern_ends) {
  char value[2001];
  char pattern[2002];
  memset(value, 'a', 2000);
  value[2000] = 0;
  for (int i = 0; i < 1000; ++i) memcpy(pattern + 2 * i, "a*", 2);
  memcpy(pattern + 2000, "b", 2);
  EXPECT(!iree_string_view_match_pattern(SV(value), SV(pattern)));
}

CTEST_MAIN()
