// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the reading of code on an architecture whose instructions are not known:
// it needs nothing.

#include "iree_cy/native/loaders/code_features.h"

#if !defined(__x86_64__)

bool iree_cy_code_may_need(const uint8_t* code, iree_host_size_t size,
                           uint64_t features) {
  (void)code;
  (void)size;
  (void)features;
  return false;
}

uint64_t iree_cy_code_scan_function(const uint8_t* code,
                                    iree_host_size_t size) {
  (void)code;
  (void)size;
  return 0;
}

#else

// The build leaves no file empty.
typedef int iree_cy_code_features_are_not_generic_t;

#endif  // !__x86_64__
