// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Tests what counts as UTF-8.

#include "iree_cy/native/base/utf8.h"

#include "tests/support/ctest.h"

// The bytes of |code_point| by the table of RFC 3629, also of those that have
// none.
static iree_host_size_t encode(uint32_t code_point, char* out) {
  if (code_point < 0x80) {
    out[0] = (char)code_point;
    return 1;
  }
  const iree_host_size_t count = code_point < 0x800     ? 2
                                 : code_point < 0x10000 ? 3
                                                        : 4;
  static const uint8_t leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
  for (iree_host_size_t i = count - 1; i > 0; --i) {
    out[i] = (char)(0x80 | (code_point & 0x3F));
    code_point >>= 6;
  }
  out[0] = (char)(leads[count] | code_point);
  return count;
}

CTEST(each_code_point) {
  for (uint32_t code_point = 0; code_point < 0x120000; ++code_point) {
    char text[4];
    const iree_host_size_t size = encode(code_point, text);
    const bool is_scalar = code_point <= 0x10FFFF &&
                           !(code_point >= 0xD800 && code_point <= 0xDFFF);
    const bool is_valid =
        iree_cy_utf8_is_valid(iree_make_string_view(text, size));
    if (is_valid != is_scalar) EXPECT_EQ_I64(code_point, -1);
    // A sequence that is cut is none.
    for (iree_host_size_t cut = 1; cut < size; ++cut) {
      if (iree_cy_utf8_is_valid(iree_make_string_view(text, cut))) {
        EXPECT_EQ_I64(code_point, -1);
      }
    }
  }
}

CTEST(longer_than_needed) {
  EXPECT(!iree_cy_utf8_is_valid(IREE_SV("\xC0\x80")));
  EXPECT(!iree_cy_utf8_is_valid(IREE_SV("\xC1\xBF")));
  EXPECT(!iree_cy_utf8_is_valid(IREE_SV("\xE0\x9F\xBF")));
  EXPECT(!iree_cy_utf8_is_valid(IREE_SV("\xF0\x8F\xBF\xBF")));
}

CTEST(mixed) {
  EXPECT(iree_cy_utf8_is_valid(iree_string_view_empty()));
  EXPECT(iree_cy_utf8_is_valid(IREE_SV("a\0b \xC3\xA9 \xF0\x9F\x98\x80.")));
  EXPECT(!iree_cy_utf8_is_valid(IREE_SV("\x80")));
  EXPECT(!iree_cy_utf8_is_valid(IREE_SV("\xC3 ")));
  EXPECT(!iree_cy_utf8_is_valid(IREE_SV("\xE4\xB8 ")));
  EXPECT(!iree_cy_utf8_is_valid(IREE_SV("\xFF")));
}

CTEST_MAIN()
