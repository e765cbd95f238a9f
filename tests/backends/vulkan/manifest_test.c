// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the tests of what is made of a manifest's text, whatever it is.

#include "backends/vulkan/src/manifest.c"

#include "tests/support/ctest.h"

#define EXPECT_TEXT(actual, expected) \
  EXPECT_EQ_SV(iree_make_cstring_view(actual), iree_make_cstring_view(expected))

static const char* check(const char* text, char* out_library) {
  // A copy that ends where the text ends, so that reading on is found out.
  const size_t size = strlen(text);
  char* copy = (char*)malloc(size ? size : 1);
  memcpy(copy, text, size);
  iree_string_view_t library;
  const char* wrong =
      vulkan_manifest_check(iree_make_string_view(copy, size), &library);
  memcpy(out_library, library.data ? library.data : "", library.size);
  out_library[library.size] = 0;
  free(copy);
  return wrong ? wrong : "";
}

CTEST(finds_the_library) {
  static const char* const texts[] = {
      "{\"ICD\":{\"library_path\":\"libx.so\"}}",
      "\t{ \"file_format_version\" : \"1.0.0\", \"ICD\" : { \"api_version\" : "
      "\"1.3\", \"n\": [1, -2.5e+3, true, null, {}, []], \"library_path\" : "
      "\"libx.so\" } , \"tail\" : {\"ICD\": 1} } \n",
      "{\"x\": {\"ICD\": {\"library_path\": \"no\"}}, \"ICD\": "
      "{\"library_path\": \"libx.so\", \"y\": {\"library_path\": \"no\"}}}",
  };
  for (size_t i = 0; i < IREE_ARRAYSIZE(texts); ++i) {
    char library[64];
    EXPECT_TEXT(check(texts[i], library), "");
    EXPECT_TEXT(library, "libx.so");
  }
}

CTEST(each_beginning_of_a_manifest_is_broken) {
  const char* whole =
      "{\"a\\\"b\": [1, {\"c\": false}], \"ICD\": {\"library_path\": \"x\"}}";
  char library[128];
  EXPECT_TEXT(check(whole, library), "");
  for (size_t size = 0; size < strlen(whole); ++size) {
    char text[128];
    memcpy(text, whole, size);
    text[size] = 0;
    EXPECT_TEXT(check(text, library), "it is not JSON");
  }
}

CTEST(nesting_is_bounded) {
  char text[4096];
  char library[8];
  memset(text, '[', 2000);
  memset(text + 2000, ']', 2000);
  text[4000] = 0;
  EXPECT_TEXT(check(text, library), "it is not JSON");
  memset(text, '[', 20);
  memset(text + 20, ']', 20);
  text[40] = 0;
  EXPECT_TEXT(check(text, library), "it has no ICD.library_path");
}

CTEST(what_is_no_json_is_told) {
  static const char* const texts[] = {
      "",         " ",          "x y",   "{,}",  "{\"a\"}",
      "{\"a\":}", "{\"a\":1,}", "[1 2]", "[1,]", "{\"a\":1]",
      "\"a",      "\"\\",       "{a:1}", "{}{}", "\"\n\"",
  };
  char library[64];
  for (size_t i = 0; i < IREE_ARRAYSIZE(texts); ++i) {
    EXPECT_TEXT(check(texts[i], library), "it is not JSON");
  }
}

CTEST_MAIN()
