// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the harness of the C tests: cases, expectations and the main function.
//
// A test program is one file:
//
//   #include "tests/support/ctest.h"
//
//   CTEST(adds_two_numbers) { EXPECT_EQ_I64(1 + 1, 2); }
//   CTEST_MAIN()
//
// It prints one line per case, "ok name" or "FAIL name: ...", with the further
// failures of the same case indented below, and exits with 1 when a case
// failed. `--list` prints the names; names as arguments run just those.
//
// EXPECT* notes a failure and goes on; REQUIRE* also returns from the enclosing
// function, which must return void. Both may stand in helper functions.

#ifndef IREE_CY_TESTS_SUPPORT_CTEST_H_
#define IREE_CY_TESTS_SUPPORT_CTEST_H_

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iree_cy/base/status.h"

typedef struct ctest_case_t {
  const char* name;
  void (*function)(void);
  struct ctest_case_t* next;
} ctest_case_t;

// Cases in the order of the file, and the one that runs.
static ctest_case_t* ctest_first_case = NULL;
static ctest_case_t** ctest_next_case = &ctest_first_case;
static const ctest_case_t* ctest_running_case = NULL;
static int ctest_failure_count = 0;

__attribute__((unused, format(printf, 3, 4))) static void ctest_fail(
    const char* file, int line, const char* format, ...) {
  va_list varargs;
  if (__atomic_fetch_add(&ctest_failure_count, 1, __ATOMIC_RELAXED) == 0) {
    printf("FAIL %s: ", ctest_running_case->name);
  } else {
    printf("  ");
  }
  printf("%s:%d: ", file, line);
  va_start(varargs, format);
  vprintf(format, varargs);
  va_end(varargs);
  printf("\n");
  fflush(stdout);
}

// Takes |status|. Returns whether its code is |code|, else notes a failure.
__attribute__((unused)) static bool ctest_expect_status(const char* file,
                                                        int line,
                                                        const char* text,
                                                        iree_status_code_t code,
                                                        iree_status_t status) {
  char message[1024] = {0};
  if (iree_status_code(status) == code) {
    iree_status_ignore(status);
    return true;
  }
  iree_status_format(status, sizeof(message), message);
  iree_status_ignore(status);
  ctest_fail(file, line, "%s is %s, not %s", text, message,
             iree_status_code_string(code));
  return false;
}

__attribute__((unused)) static bool ctest_expect_i64(const char* file, int line,
                                                     const char* text,
                                                     int64_t actual,
                                                     int64_t expected) {
  if (actual == expected) return true;
  ctest_fail(file, line, "%s is %lld (0x%llx), not %lld (0x%llx)", text,
             (long long)actual, (unsigned long long)actual, (long long)expected,
             (unsigned long long)expected);
  return false;
}

__attribute__((unused)) static bool ctest_expect_f64(const char* file, int line,
                                                     const char* text,
                                                     double actual,
                                                     double expected) {
  if (memcmp(&actual, &expected, sizeof(actual)) == 0 || actual == expected) {
    return true;
  }
  ctest_fail(file, line, "%s is %.17g, not %.17g", text, actual, expected);
  return false;
}

__attribute__((unused)) static bool ctest_expect_bytes(
    const char* file, int line, const char* text, const void* actual,
    const void* expected, size_t length) {
  const uint8_t* a = (const uint8_t*)actual;
  const uint8_t* b = (const uint8_t*)expected;
  for (size_t i = 0; i < length; ++i) {
    if (a[i] == b[i]) continue;
    ctest_fail(file, line, "%s differs at byte %zu: 0x%02x, not 0x%02x", text,
               i, a[i], b[i]);
    return false;
  }
  return true;
}

__attribute__((unused)) static bool ctest_expect_string(
    const char* file, int line, const char* text, iree_string_view_t actual,
    iree_string_view_t expected) {
  if (iree_string_view_equal(actual, expected)) return true;
  ctest_fail(file, line, "%s is \"%.*s\", not \"%.*s\"", text,
             IREE_SV_ARG(actual), IREE_SV_ARG(expected));
  return false;
}

// What was expected, evaluated to whether it holds.
#define CTEST_CHECK_(condition)                                           \
  ((condition)                                                            \
       ? true                                                             \
       : (ctest_fail(__FILE__, __LINE__, "%s does not hold", #condition), \
          false))

#define EXPECT(condition) ((void)CTEST_CHECK_(condition))
// Integers (pointers too, cast by the caller); what is found, then what should
// be there.
#define EXPECT_EQ_I64(actual, expected)                                   \
  ((void)ctest_expect_i64(__FILE__, __LINE__, #actual, (int64_t)(actual), \
                          (int64_t)(expected)))
// Equal as numbers, or the same bits.
#define EXPECT_EQ_F64(actual, expected)                                  \
  ((void)ctest_expect_f64(__FILE__, __LINE__, #actual, (double)(actual), \
                          (double)(expected)))
#define EXPECT_EQ_BYTES(actual, expected, length)                              \
  ((void)ctest_expect_bytes(__FILE__, __LINE__, #actual, (actual), (expected), \
                            (length)))
// String views.
#define EXPECT_EQ_SV(actual, expected) \
  ((void)ctest_expect_string(__FILE__, __LINE__, #actual, (actual), (expected)))
// Both take the status that |expression| gives.
#define EXPECT_STATUS(code, expression)                               \
  ((void)ctest_expect_status(__FILE__, __LINE__, #expression, (code), \
                             (expression)))
#define EXPECT_OK(expression) EXPECT_STATUS(IREE_STATUS_OK, expression)

#define REQUIRE(condition)                \
  do {                                    \
    if (!CTEST_CHECK_(condition)) return; \
  } while (0)
#define REQUIRE_OK(expression)                                                \
  do {                                                                        \
    if (!ctest_expect_status(__FILE__, __LINE__, #expression, IREE_STATUS_OK, \
                             (expression))) {                                 \
      return;                                                                 \
    }                                                                         \
  } while (0)

#define CTEST(case_name)                                                 \
  static void ctest_run_##case_name(void);                               \
  __attribute__((constructor)) static void ctest_add_##case_name(void) { \
    static ctest_case_t ctest_case = {#case_name, ctest_run_##case_name, \
                                      NULL};                             \
    *ctest_next_case = &ctest_case;                                      \
    ctest_next_case = &ctest_case.next;                                  \
  }                                                                      \
  static void ctest_run_##case_name(void)

// Returns whether the case passed.
__attribute__((unused)) static bool ctest_run(const ctest_case_t* test_case) {
  ctest_running_case = test_case;
  ctest_failure_count = 0;
  test_case->function();
  if (ctest_failure_count == 0) printf("ok %s\n", test_case->name);
  fflush(stdout);
  return ctest_failure_count == 0;
}

__attribute__((unused)) static int ctest_main(int argc, char** argv) {
  int result = 0;
  if (argc > 1 && strcmp(argv[1], "--list") == 0) {
    for (ctest_case_t* c = ctest_first_case; c; c = c->next) puts(c->name);
    return 0;
  }
  if (argc == 1) {
    for (ctest_case_t* c = ctest_first_case; c; c = c->next) {
      if (!ctest_run(c)) result = 1;
    }
    return result;
  }
  for (int i = 1; i < argc; ++i) {
    ctest_case_t* c = ctest_first_case;
    while (c && strcmp(c->name, argv[i]) != 0) c = c->next;
    if (!c) {
      printf("FAIL %s: no case has this name\n", argv[i]);
      result = 1;
    } else if (!ctest_run(c)) {
      result = 1;
    }
  }
  return result;
}

#define CTEST_MAIN() \
  int main(int argc, char** argv) { return ctest_main(argc, argv); }

#endif  // IREE_CY_TESTS_SUPPORT_CTEST_H_
