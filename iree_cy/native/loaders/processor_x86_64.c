// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the features of x86-64 processors, read from CPUID and from what the
// operating system keeps over a switch of threads (XGETBV).

#include <cpuid.h>

#include "iree_cy/native/loaders/processor.h"

// Where CPUID tells of a feature.
typedef enum cpuid_register_e {
  LEAF_1_ECX,
  LEAF_7_0_EBX,
  LEAF_7_0_ECX,
  LEAF_7_0_EDX,
  LEAF_7_1_EAX,
  LEAF_EXTENDED_1_ECX,
  CPUID_REGISTER_COUNT,
} cpuid_register_t;

// What the operating system must have enabled in XCR0.
typedef enum register_state_e {
  STATE_NONE = 0,
  // XMM and YMM.
  STATE_AVX = 0x6,
  // Also the masks and both halves of ZMM.
  STATE_AVX512 = 0xE6,
  // Tile configuration and data.
  STATE_AMX = 0x60000,
} register_state_t;

typedef struct feature_source_t {
  uint8_t target_bit;
  uint8_t source_register;
  uint8_t source_bit;
  uint32_t state;
} feature_source_t;

// One row per feature: bit of word 0, name, where CPUID has it, what it needs.
#define FEATURES(F)                                        \
  F(0, "sse3", LEAF_1_ECX, 0, STATE_NONE)                  \
  F(1, "ssse3", LEAF_1_ECX, 9, STATE_NONE)                 \
  F(2, "sse4.1", LEAF_1_ECX, 19, STATE_NONE)               \
  F(3, "sse4.2", LEAF_1_ECX, 20, STATE_NONE)               \
  F(4, "sse4a", LEAF_EXTENDED_1_ECX, 6, STATE_NONE)        \
  F(10, "avx", LEAF_1_ECX, 28, STATE_AVX)                  \
  F(11, "fma", LEAF_1_ECX, 12, STATE_AVX)                  \
  F(12, "fma4", LEAF_EXTENDED_1_ECX, 16, STATE_AVX)        \
  F(13, "xop", LEAF_EXTENDED_1_ECX, 11, STATE_AVX)         \
  F(14, "f16c", LEAF_1_ECX, 29, STATE_AVX)                 \
  F(15, "avx2", LEAF_7_0_EBX, 5, STATE_AVX)                \
  F(20, "avx512f", LEAF_7_0_EBX, 16, STATE_AVX512)         \
  F(21, "avx512cd", LEAF_7_0_EBX, 28, STATE_AVX512)        \
  F(22, "avx512vl", LEAF_7_0_EBX, 31, STATE_AVX512)        \
  F(23, "avx512dq", LEAF_7_0_EBX, 17, STATE_AVX512)        \
  F(24, "avx512bw", LEAF_7_0_EBX, 30, STATE_AVX512)        \
  F(25, "avx512ifma", LEAF_7_0_EBX, 21, STATE_AVX512)      \
  F(26, "avx512vbmi", LEAF_7_0_ECX, 1, STATE_AVX512)       \
  F(27, "avx512vpopcntdq", LEAF_7_0_ECX, 14, STATE_AVX512) \
  F(28, "avx512vnni", LEAF_7_0_ECX, 11, STATE_AVX512)      \
  F(29, "avx512vbmi2", LEAF_7_0_ECX, 6, STATE_AVX512)      \
  F(30, "avx512bitalg", LEAF_7_0_ECX, 12, STATE_AVX512)    \
  F(31, "avx512bf16", LEAF_7_1_EAX, 5, STATE_AVX512)       \
  F(32, "avx512fp16", LEAF_7_0_EDX, 23, STATE_AVX512)      \
  F(50, "amx-tile", LEAF_7_0_EDX, 24, STATE_AMX)           \
  F(51, "amx-int8", LEAF_7_0_EDX, 25, STATE_AMX)           \
  F(52, "amx-bf16", LEAF_7_0_EDX, 22, STATE_AMX)

#define FEATURE_NAME(target_bit, name, source_register, source_bit, state) \
  {0, target_bit, name},
const iree_cy_processor_feature_t iree_cy_processor_architecture_features[] = {
    FEATURES(FEATURE_NAME)};
const iree_host_size_t iree_cy_processor_architecture_feature_count =
    IREE_ARRAYSIZE(iree_cy_processor_architecture_features);

#define FEATURE_SOURCE(target_bit, name, source_register, source_bit, state) \
  {target_bit, source_register, source_bit, state},
static const feature_source_t feature_sources[] = {FEATURES(FEATURE_SOURCE)};

static uint64_t read_enabled_state(uint32_t leaf_1_ecx) {
  const uint32_t osxsave = 1u << 27;
  if (!iree_any_bit_set(leaf_1_ecx, osxsave)) return 0;
  uint32_t low = 0;
  uint32_t high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return ((uint64_t)high << 32) | low;
}

void iree_cy_processor_read(
    uint64_t out_words[IREE_CY_LIBRARY_PROCESSOR_WORD_COUNT]) {
  uint32_t registers[CPUID_REGISTER_COUNT] = {0};
  uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
  memset(out_words, 0,
         IREE_CY_LIBRARY_PROCESSOR_WORD_COUNT * sizeof(out_words[0]));
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return;
  registers[LEAF_1_ECX] = ecx;
  const uint64_t enabled_state = read_enabled_state(ecx);
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) {
    const uint32_t last_subleaf = eax;
    registers[LEAF_7_0_EBX] = ebx;
    registers[LEAF_7_0_ECX] = ecx;
    registers[LEAF_7_0_EDX] = edx;
    if (last_subleaf >= 1 && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx)) {
      registers[LEAF_7_1_EAX] = eax;
    }
  }
  if (__get_cpuid(0x80000001u, &eax, &ebx, &ecx, &edx)) {
    registers[LEAF_EXTENDED_1_ECX] = ecx;
  }
  for (iree_host_size_t i = 0; i < IREE_ARRAYSIZE(feature_sources); ++i) {
    const feature_source_t* source = &feature_sources[i];
    if ((registers[source->source_register] >> source->source_bit) & 1 &&
        iree_all_bits_set(enabled_state, source->state)) {
      out_words[0] |= 1ull << source->target_bit;
    }
  }
}
