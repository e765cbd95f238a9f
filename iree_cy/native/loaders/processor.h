// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what is known of the processor: the words that compiled code reads and
// the features that programs ask for by name.

#ifndef IREE_CY_NATIVE_LOADERS_PROCESSOR_H_
#define IREE_CY_NATIVE_LOADERS_PROCESSOR_H_

#include "iree_cy/base/string_view.h"
#include "iree_cy/native/loaders/executable_library.h"

// The name of this machine's architecture in executable formats ("x86_64").
#if defined(__x86_64__)
#define IREE_CY_PROCESSOR_ARCHITECTURE "x86_64"
#elif defined(__aarch64__)
#define IREE_CY_PROCESSOR_ARCHITECTURE "arm_64"
#elif defined(__riscv) && __riscv_xlen == 64
#define IREE_CY_PROCESSOR_ARCHITECTURE "riscv_64"
#else
#define IREE_CY_PROCESSOR_ARCHITECTURE "unknown"
#endif

// A feature as the compiler names it, and its bit in the words.
typedef struct iree_cy_processor_feature_t {
  uint8_t word;
  uint8_t bit;
  const char* name;
} iree_cy_processor_feature_t;

// The words of this processor, in the layout that the compiler fixed for the
// architecture. A bit that is 0 may also mean "not known".
void iree_cy_processor_data(
    uint64_t out_words[IREE_CY_LIBRARY_PROCESSOR_WORD_COUNT]);

// The features that are known of this architecture.
const iree_cy_processor_feature_t* iree_cy_processor_features(
    iree_host_size_t* out_count);

// Whether |name| is known; |*out_is_present| is whether this processor, and the
// operating system for it, has that feature.
bool iree_cy_processor_query_feature(iree_string_view_t name,
                                     bool* out_is_present);

// Of the architecture, in processor_<architecture>.c or, without any knowledge,
// in processor_generic.c.
extern const iree_cy_processor_feature_t
    iree_cy_processor_architecture_features[];
extern const iree_host_size_t iree_cy_processor_architecture_feature_count;
void iree_cy_processor_read(
    uint64_t out_words[IREE_CY_LIBRARY_PROCESSOR_WORD_COUNT]);

#endif  // IREE_CY_NATIVE_LOADERS_PROCESSOR_H_
