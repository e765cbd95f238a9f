// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Tests statuses: storage, joining, annotating, formatting.

#include "iree_cy/base/status.h"

#include <errno.h>

#include "tests/support/ctest.h"

static bool format_is(iree_status_t status, const char* expected) {
  char text[512] = {0};
  const iree_host_size_t length =
      iree_status_format(status, sizeof(text), text);
  return length == strlen(expected) && strcmp(text, expected) == 0;
}

CTEST(ok_is_null_and_needs_no_release) {
  EXPECT(iree_status_is_ok(iree_ok_status()));
  EXPECT_EQ_I64(iree_status_code(iree_ok_status()), 0);
  EXPECT_EQ_I64((uintptr_t)iree_ok_status(), 0);
  iree_status_free(iree_ok_status());
  EXPECT(format_is(iree_ok_status(), "OK"));
}

CTEST(a_message_is_copied) {
  char text[] = "no export named 'main'";
  iree_status_t status =
      iree_status_allocate(IREE_STATUS_NOT_FOUND, "here.c", 7, IREE_SV("x"));
  EXPECT_STATUS(IREE_STATUS_NOT_FOUND, status);
  status = iree_status_allocate(IREE_STATUS_NOT_FOUND, "here.c", 7,
                                iree_make_cstring_view(text));
  text[0] = '?';
  EXPECT_EQ_I64(iree_status_code(status), 5);
  EXPECT_EQ_SV(iree_status_message(status), IREE_SV("no export named 'main'"));
  const char* file = NULL;
  uint32_t line = 0;
  iree_status_source_location(status, &file, &line);
  EXPECT(file && strcmp(file, "here.c") == 0);
  EXPECT_EQ_I64(line, 7);
  EXPECT(format_is(status, "NOT_FOUND; no export named 'main'; at here.c:7"));
  iree_status_ignore(status);
}

CTEST(codes_keep_to_the_low_five_bits) {
  for (int code = 1; code <= IREE_STATUS_INCOMPATIBLE; ++code) {
    iree_status_t status =
        iree_make_status((iree_status_code_t)code, "code %d", code);
    EXPECT_EQ_I64((uintptr_t)status & 31, code);
    EXPECT((uintptr_t)status > 31);
    EXPECT_EQ_I64(iree_status_consume_code(status), code);
  }
}

CTEST(names_of_codes) {
  EXPECT_EQ_SV(iree_make_cstring_view(
                   iree_status_code_string(IREE_STATUS_RESOURCE_EXHAUSTED)),
               IREE_SV("RESOURCE_EXHAUSTED"));
  EXPECT_EQ_SV(
      iree_make_cstring_view(iree_status_code_string(IREE_STATUS_INCOMPATIBLE)),
      IREE_SV("INCOMPATIBLE"));
  EXPECT_EQ_SV(
      iree_make_cstring_view(iree_status_code_string((iree_status_code_t)31)),
      IREE_SV("UNRECOGNIZED"));
  EXPECT_EQ_SV(
      iree_make_cstring_view(iree_status_code_string((iree_status_code_t)-1)),
      IREE_SV("UNRECOGNIZED"));
}

CTEST(codes_of_errno) {
  EXPECT_EQ_I64(iree_status_code_from_errno(0), IREE_STATUS_OK);
  EXPECT_EQ_I64(iree_status_code_from_errno(ENOENT), IREE_STATUS_NOT_FOUND);
  EXPECT_EQ_I64(iree_status_code_from_errno(EACCES),
                IREE_STATUS_PERMISSION_DENIED);
  EXPECT_EQ_I64(iree_status_code_from_errno(ENOMEM),
                IREE_STATUS_RESOURCE_EXHAUSTED);
  EXPECT_EQ_I64(iree_status_code_from_errno(123456), IREE_STATUS_UNKNOWN);
}

CTEST(an_ok_code_makes_ok) {
  EXPECT_OK(iree_status_allocate(IREE_STATUS_OK, __FILE__, 1, IREE_SV("no")));
  EXPECT_OK(iree_make_status(IREE_STATUS_OK, "%d", 1));
  EXPECT_OK(iree_status_annotate(iree_ok_status(), IREE_SV("no")));
  EXPECT_OK(iree_status_annotate_f(iree_ok_status(), "%d", 1));
  EXPECT_OK(iree_status_clone(iree_ok_status()));
  EXPECT_OK(iree_status_join(iree_ok_status(), iree_ok_status()));
}

CTEST(a_message_that_cannot_be_stored_leaves_the_code) {
  // The length overflows before the text is looked at.
  iree_status_t status =
      iree_status_allocate(IREE_STATUS_ABORTED, __FILE__, 1,
                           iree_make_string_view("x", IREE_HOST_SIZE_MAX));
  EXPECT_EQ_I64((uintptr_t)status, IREE_STATUS_ABORTED);
  EXPECT_EQ_I64(iree_status_message(status).size, 0);
  status = iree_status_annotate(status,
                                iree_make_string_view("x", IREE_HOST_SIZE_MAX));
  EXPECT_EQ_I64(iree_status_code(status), IREE_STATUS_ABORTED);
  EXPECT_EQ_I64(iree_status_annotation_count(status), 0);
  iree_status_ignore(status);
}

CTEST(a_bare_code_takes_annotations) {
  iree_status_t status = iree_status_from_code(IREE_STATUS_DATA_LOSS);
  EXPECT(format_is(status, "DATA_LOSS"));
  status = iree_status_annotate_f(status, "while reading %s", "a.bin");
  EXPECT_EQ_I64(iree_status_code(status), IREE_STATUS_DATA_LOSS);
  EXPECT_EQ_SV(iree_status_message(status), iree_string_view_empty());
  EXPECT(format_is(status, "DATA_LOSS; while reading a.bin"));
  const char* file = "?";
  uint32_t line = 1;
  iree_status_source_location(status, &file, &line);
  EXPECT(!file);
  EXPECT_EQ_I64(line, 0);
  iree_status_ignore(status);
}

CTEST(annotations_are_kept_in_order_and_out_of_the_message) {
  iree_status_t status =
      iree_status_allocate(IREE_STATUS_INTERNAL, NULL, 0, IREE_SV("broken"));
  status = iree_status_annotate(status, IREE_SV("first"));
  status = iree_status_annotate_f(status, "second %d", 2);
  EXPECT_EQ_SV(iree_status_message(status), IREE_SV("broken"));
  EXPECT_EQ_I64(iree_status_annotation_count(status), 2);
  EXPECT_EQ_SV(iree_status_annotation(status, 0), IREE_SV("first"));
  EXPECT_EQ_SV(iree_status_annotation(status, 1), IREE_SV("second 2"));
  EXPECT_EQ_SV(iree_status_annotation(status, 2), iree_string_view_empty());
  EXPECT(format_is(status, "INTERNAL; broken; first; second 2"));
  iree_status_ignore(status);
}

CTEST(a_clone_is_independent) {
  iree_status_t status =
      iree_make_status(IREE_STATUS_UNAVAILABLE, "gone %d", 3);
  status = iree_status_annotate(status, IREE_SV("one"));
  iree_status_t clone = iree_status_clone(status);
  EXPECT(clone != status);
  status = iree_status_annotate(status, IREE_SV("two"));
  iree_status_ignore(status);
  EXPECT_EQ_SV(iree_status_message(clone), IREE_SV("gone 3"));
  EXPECT_EQ_I64(iree_status_annotation_count(clone), 1);
  EXPECT_EQ_SV(iree_status_annotation(clone, 0), IREE_SV("one"));
  const char* file = NULL;
  uint32_t line = 0;
  iree_status_source_location(clone, &file, &line);
  EXPECT(file && strcmp(file, __FILE__) == 0);
  iree_status_ignore(clone);
}

CTEST(a_join_notes_the_second_in_the_first) {
  iree_status_t first =
      iree_status_allocate(IREE_STATUS_ABORTED, NULL, 0, IREE_SV("first"));
  iree_status_t second =
      iree_status_allocate(IREE_STATUS_CANCELLED, NULL, 0, IREE_SV("second"));
  iree_status_t joined = iree_status_join(first, second);
  EXPECT(format_is(joined, "ABORTED; first; CANCELLED; second"));
  joined = iree_status_join(iree_ok_status(), joined);
  joined = iree_status_join(joined, iree_ok_status());
  EXPECT_STATUS(IREE_STATUS_ABORTED, joined);
}

CTEST(formatting_cuts_and_counts) {
  iree_status_t status = iree_status_allocate(IREE_STATUS_INTERNAL, NULL, 0,
                                              IREE_SV("0123456789"));
  // "INTERNAL; 0123456789" has 20 characters.
  EXPECT_EQ_I64(iree_status_format(status, 0, NULL), 20);
  char small[8];
  memset(small, '#', sizeof(small));
  EXPECT_EQ_I64(iree_status_format(status, 5, small), 20);
  EXPECT(memcmp(small, "INTE\0###", 8) == 0);
  char exact[21];
  EXPECT_EQ_I64(iree_status_format(status, sizeof(exact), exact), 20);
  EXPECT(strcmp(exact, "INTERNAL; 0123456789") == 0);
  char one[1] = {'#'};
  EXPECT_EQ_I64(iree_status_format(status, 1, one), 20);
  EXPECT_EQ_I64(one[0], 0);
  iree_status_ignore(status);
}

CTEST(long_messages_are_whole) {
  char text[5000];
  memset(text, 'a', sizeof(text));
  text[sizeof(text) - 1] = 0;
  iree_status_t status = iree_make_status(IREE_STATUS_UNKNOWN, "%s", text);
  EXPECT_EQ_I64(iree_status_message(status).size, 4999);
  EXPECT_EQ_SV(iree_status_message(status), iree_make_cstring_view(text));
  iree_status_ignore(status);
}

CTEST_MAIN()
