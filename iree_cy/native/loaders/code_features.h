// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the check of compiled code against the processor.
//
// The library format does not say which features its code needs: a program that
// was compiled for another processor would end the process with an illegal
// instruction. The instructions themselves say it, so they are read.

#ifndef IREE_CY_NATIVE_LOADERS_CODE_FEATURES_H_
#define IREE_CY_NATIVE_LOADERS_CODE_FEATURES_H_

#include "iree_cy/base/api.h"
#include "iree_cy/native/loaders/executable_library.h"

// INCOMPATIBLE, naming the features, when a function that |library| exports
// cannot run on this processor. Reads the bodies of those functions that lie in
// [code, code + size), not what they call: variants that are chosen at run time
// are functions of their own. What is not understood is taken to be fine.
iree_status_t iree_cy_code_check_features(const iree_cy_library_t* library,
                                          const uint8_t* code,
                                          iree_host_size_t size);

// Whether code may need one of |features| (bits of word 0): a quick look at all
// bytes, which may say so of code that does not.
bool iree_cy_code_may_need(const uint8_t* code, iree_host_size_t size,
                           uint64_t features);

// The features, as bits of word 0 of the processor's data, of the function that
// begins at |code| and ends before |code| + |size|. 0 where the architecture's
// instructions are not known.
uint64_t iree_cy_code_scan_function(const uint8_t* code, iree_host_size_t size);

#endif  // IREE_CY_NATIVE_LOADERS_CODE_FEATURES_H_
