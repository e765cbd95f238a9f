// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the questions about the processor, answered the same on every
// architecture.

#include "iree_cy/native/loaders/processor.h"

#include "iree_cy/hal/executable.h"

void iree_cy_processor_data(
    uint64_t out_words[IREE_CY_LIBRARY_PROCESSOR_WORD_COUNT]) {
  // Read once; several first callers write the same words. CPUID is slow where
  // a hypervisor answers it.
  static uint64_t words[IREE_CY_LIBRARY_PROCESSOR_WORD_COUNT];
  static uint32_t is_read = 0;
  if (!__atomic_load_n(&is_read, __ATOMIC_ACQUIRE)) {
    uint64_t fresh[IREE_CY_LIBRARY_PROCESSOR_WORD_COUNT] = {0};
    iree_cy_processor_read(fresh);
    for (int i = 0; i < IREE_CY_LIBRARY_PROCESSOR_WORD_COUNT; ++i) {
      __atomic_store_n(&words[i], fresh[i], __ATOMIC_RELAXED);
    }
    __atomic_store_n(&is_read, 1, __ATOMIC_RELEASE);
  }
  for (int i = 0; i < IREE_CY_LIBRARY_PROCESSOR_WORD_COUNT; ++i) {
    out_words[i] = __atomic_load_n(&words[i], __ATOMIC_RELAXED);
  }
}

const iree_cy_processor_feature_t* iree_cy_processor_features(
    iree_host_size_t* out_count) {
  *out_count = iree_cy_processor_architecture_feature_count;
  return iree_cy_processor_architecture_features;
}

bool iree_cy_processor_query_feature(iree_string_view_t name,
                                     bool* out_is_present) {
  *out_is_present = false;
  uint64_t words[IREE_CY_LIBRARY_PROCESSOR_WORD_COUNT];
  iree_host_size_t count = 0;
  const iree_cy_processor_feature_t* features =
      iree_cy_processor_features(&count);
  for (iree_host_size_t i = 0; i < count; ++i) {
    if (!iree_string_view_equal(name,
                                iree_make_cstring_view(features[i].name))) {
      continue;
    }
    iree_cy_processor_data(words);
    *out_is_present = (words[features[i].word] >> features[i].bit) & 1;
    return true;
  }
  return false;
}

iree_status_t iree_hal_processor_query_i64(iree_string_view_t category,
                                           iree_string_view_t key,
                                           int64_t* out_value) {
  *out_value = 0;
  if (!iree_string_view_equal(category, IREE_SV("hal.cpu"))) {
    return iree_make_status(IREE_STATUS_NOT_FOUND,
                            "'%.*s' is not a question about the processor; "
                            "'hal.cpu' is",
                            (int)iree_min(category.size, 64), category.data);
  }
  bool is_present = false;
  if (!iree_cy_processor_query_feature(key, &is_present)) {
    return iree_make_status(IREE_STATUS_NOT_FOUND,
                            "processor feature '%.*s' is not known "
                            "for " IREE_CY_PROCESSOR_ARCHITECTURE,
                            (int)iree_min(key.size, 64), key.data);
  }
  *out_value = is_present ? 1 : 0;
  return iree_ok_status();
}
