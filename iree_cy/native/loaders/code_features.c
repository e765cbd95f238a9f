// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the comparison of what code needs with what the processor has.

#include "iree_cy/native/loaders/code_features.h"

#include <stdio.h>

#include "iree_cy/native/loaders/processor.h"

static iree_status_t refuse_features(const char* function_name,
                                     uint64_t missing) {
  char names[80] = {0};
  iree_host_size_t length = 0;
  iree_host_size_t count = 0;
  const iree_cy_processor_feature_t* features =
      iree_cy_processor_features(&count);
  for (iree_host_size_t i = 0; i < count; ++i) {
    if (features[i].word != 0 || !((missing >> features[i].bit) & 1)) continue;
    if (length + strlen(features[i].name) + 3 > sizeof(names)) break;
    length += (iree_host_size_t)snprintf(names + length, sizeof(names) - length,
                                         "%s%s", length ? ", " : "",
                                         features[i].name);
  }
  return iree_make_status(
      IREE_STATUS_INCOMPATIBLE,
      "'%.*s' needs %s, which this processor lacks; compile for it",
      (int)strnlen(function_name, 48), function_name, names);
}

iree_status_t iree_cy_code_check_features(const iree_cy_library_t* library,
                                          const uint8_t* code,
                                          iree_host_size_t size) {
  uint64_t words[IREE_CY_LIBRARY_PROCESSOR_WORD_COUNT];
  iree_cy_processor_data(words);
  if (!iree_cy_code_may_need(code, size, ~words[0])) return iree_ok_status();
  for (uint32_t i = 0; i < library->exports.count; ++i) {
    const uintptr_t address = (uintptr_t)library->exports.fns[i];
    if (address < (uintptr_t)code || address - (uintptr_t)code >= size) {
      continue;
    }
    const iree_host_size_t offset = address - (uintptr_t)code;
    const uint64_t missing =
        iree_cy_code_scan_function(code + offset, size - offset) & ~words[0];
    if (missing) return refuse_features(library->exports.names[i], missing);
  }
  return iree_ok_status();
}
