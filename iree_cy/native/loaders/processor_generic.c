// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the processor of an architecture that nothing is known of: no word is
// set, so that compiled code takes the paths that need no feature.

#include "iree_cy/native/loaders/processor.h"

#if !defined(__x86_64__)

const iree_cy_processor_feature_t iree_cy_processor_architecture_features[1] = {
    {0, 0, ""}};
const iree_host_size_t iree_cy_processor_architecture_feature_count = 0;

void iree_cy_processor_read(
    uint64_t out_words[IREE_CY_LIBRARY_PROCESSOR_WORD_COUNT]) {
  memset(out_words, 0,
         IREE_CY_LIBRARY_PROCESSOR_WORD_COUNT * sizeof(out_words[0]));
}

#else

// The build leaves no file empty.
typedef int iree_cy_processor_is_not_generic_t;

#endif  // !__x86_64__
