// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Tests the processor's features against what the kernel says of them.

#include "iree_cy/native/loaders/processor.h"

#include "iree_cy/hal/executable.h"
#include "tests/support/ctest.h"

// Whether /proc/cpuinfo lists |flag| for the first processor.
static bool kernel_lists(const char* flag) {
  static char line[16384];
  FILE* file = fopen("/proc/cpuinfo", "r");
  bool is_listed = false;
  if (!file) return false;
  while (fgets(line, sizeof(line), file)) {
    if (strncmp(line, "flags", 5) != 0) continue;
    char* rest = line;
    for (char* word = strtok_r(line, " \t\n:", &rest); word;
         word = strtok_r(NULL, " \t\n:", &rest)) {
      is_listed = is_listed || strcmp(word, flag) == 0;
    }
    break;
  }
  fclose(file);
  return is_listed;
}

static bool has_feature(const char* name) {
  bool is_present = false;
  EXPECT(iree_cy_processor_query_feature(iree_make_cstring_view(name),
                                         &is_present));
  return is_present;
}

#if defined(__x86_64__)
CTEST(agrees_with_the_kernel) {
  static const char* const names[][2] = {
      {"sse3", "pni"},
      {"ssse3", "ssse3"},
      {"sse4.1", "sse4_1"},
      {"sse4.2", "sse4_2"},
      {"sse4a", "sse4a"},
      {"avx", "avx"},
      {"fma", "fma"},
      {"fma4", "fma4"},
      {"xop", "xop"},
      {"f16c", "f16c"},
      {"avx2", "avx2"},
      {"avx512f", "avx512f"},
      {"avx512cd", "avx512cd"},
      {"avx512vl", "avx512vl"},
      {"avx512dq", "avx512dq"},
      {"avx512bw", "avx512bw"},
      {"avx512ifma", "avx512ifma"},
      {"avx512vbmi", "avx512vbmi"},
      {"avx512vpopcntdq", "avx512_vpopcntdq"},
      {"avx512vnni", "avx512_vnni"},
      {"avx512vbmi2", "avx512_vbmi2"},
      {"avx512bitalg", "avx512_bitalg"},
      {"avx512bf16", "avx512_bf16"},
      {"avx512fp16", "avx512_fp16"},
      {"amx-tile", "amx_tile"},
      {"amx-int8", "amx_int8"},
      {"amx-bf16", "amx_bf16"},
  };
  iree_host_size_t count = 0;
  iree_cy_processor_features(&count);
  EXPECT_EQ_I64(count, IREE_ARRAYSIZE(names));
  for (size_t i = 0; i < IREE_ARRAYSIZE(names); ++i) {
    if (has_feature(names[i][0]) != kernel_lists(names[i][1])) {
      ctest_fail(__FILE__, __LINE__, "%s differs", names[i][0]);
    }
  }
}

// The layout is a format: these places never change.
CTEST(puts_features_where_code_looks) {
  uint64_t words[IREE_CY_LIBRARY_PROCESSOR_WORD_COUNT];
  iree_cy_processor_data(words);
  EXPECT_EQ_I64((words[0] >> 0) & 1, kernel_lists("pni"));
  EXPECT_EQ_I64((words[0] >> 10) & 1, kernel_lists("avx"));
  EXPECT_EQ_I64((words[0] >> 15) & 1, kernel_lists("avx2"));
  EXPECT_EQ_I64((words[0] >> 20) & 1, kernel_lists("avx512f"));
  EXPECT_EQ_I64((words[0] >> 24) & 1, kernel_lists("avx512bw"));
  EXPECT_EQ_I64((words[0] >> 31) & 1, kernel_lists("avx512_bf16"));
  EXPECT_EQ_I64((words[0] >> 50) & 1, kernel_lists("amx_tile"));
  for (int i = 1; i < IREE_CY_LIBRARY_PROCESSOR_WORD_COUNT; ++i) {
    EXPECT_EQ_I64(words[i], 0);
  }
}
#endif  // __x86_64__

CTEST(answers_programs) {
  int64_t value = -1;
  iree_host_size_t count = 0;
  const iree_cy_processor_feature_t* features =
      iree_cy_processor_features(&count);
  for (iree_host_size_t i = 0; i < count; ++i) {
    EXPECT_OK(iree_hal_processor_query_i64(
        IREE_SV("hal.cpu"), iree_make_cstring_view(features[i].name), &value));
    EXPECT_EQ_I64(value, has_feature(features[i].name));
  }
}

CTEST(does_not_know_everything) {
  int64_t value = -1;
  bool is_present = true;
  EXPECT(!iree_cy_processor_query_feature(IREE_SV("avx51"), &is_present));
  EXPECT(!is_present);
  EXPECT_STATUS(IREE_STATUS_NOT_FOUND,
                iree_hal_processor_query_i64(IREE_SV("hal.cpu"),
                                             IREE_SV("telepathy"), &value));
  EXPECT_EQ_I64(value, 0);
  EXPECT_STATUS(
      IREE_STATUS_NOT_FOUND,
      iree_hal_processor_query_i64(IREE_SV("hal.gpu"), IREE_SV("avx"), &value));
}

CTEST_MAIN()
