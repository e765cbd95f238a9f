// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Tests the reading of instructions: lengths, ends of functions, features.
//
// The bytes were written by an assembler; what they are stands beside them.

#include "iree_cy/native/loaders/code_features.h"

#include "iree_cy/native/loaders/processor.h"
#include "tests/support/ctest.h"

#if defined(__x86_64__)

// Bits of the format; see processor_test.c.
#define AVX (1ull << 10)
#define FMA (1ull << 11)
#define FMA4 (1ull << 12)
#define XOP (1ull << 13)
#define F16C (1ull << 14)
#define AVX2 (1ull << 15)
#define AVX512F (1ull << 20)
#define AVX512VL (1ull << 22)
#define AVX512BW (1ull << 24)
#define AVX512VNNI (1ull << 28)
#define AVX512BF16 (1ull << 31)
#define AVX512FP16 (1ull << 32)
#define AMX_TILE (1ull << 50)
#define AMX_INT8 (1ull << 51)

#define SCAN(bytes) \
  iree_cy_code_scan_function((const uint8_t*)(bytes), sizeof(bytes) - 1)

CTEST(knows_extensions) {
  // mulps xmm0, xmm1; ret
  EXPECT_EQ_I64(SCAN("\x0f\x59\xc1\xc3"), 0);
  // vmulps ymm0, ymm0, ymm1
  EXPECT_EQ_I64(SCAN("\xc5\xfc\x59\xc1\xc3"), AVX);
  // vpaddd ymm0, ymm0, ymm1; the same in xmm
  EXPECT_EQ_I64(SCAN("\xc5\xfd\xfe\xc1\xc3"), AVX | AVX2);
  EXPECT_EQ_I64(SCAN("\xc5\xf9\xfe\xc1\xc3"), AVX);
  // vfmadd231ps ymm0, ymm1, ymm2
  EXPECT_EQ_I64(SCAN("\xc4\xe2\x75\xb8\xc2\xc3"), AVX | FMA);
  // vcvtph2ps ymm0, xmm1
  EXPECT_EQ_I64(SCAN("\xc4\xe2\x7d\x13\xc1\xc3"), AVX | F16C);
  // vbroadcastss ymm0, xmm1; from memory
  EXPECT_EQ_I64(SCAN("\xc4\xe2\x7d\x18\xc1\xc3"), AVX | AVX2);
  EXPECT_EQ_I64(SCAN("\xc4\xe2\x7d\x18\x07\xc3"), AVX);
  // vfmaddps xmm0, xmm1, xmm2, xmm3 (four operands)
  EXPECT_EQ_I64(SCAN("\xc4\xe3\xf1\x68\xc3\x20\xc3"), AVX | FMA4);
  // vprotd xmm0, xmm1, 3
  EXPECT_EQ_I64(SCAN("\x8f\xe8\x78\xc2\xc1\x03\xc3"), AVX | XOP);
  // vmulps zmm0, zmm0, zmm1; the same in ymm16
  EXPECT_EQ_I64(SCAN("\x62\xf1\x7c\x48\x59\xc1\xc3"), AVX512F);
  EXPECT_EQ_I64(SCAN("\x62\xa1\x7c\x20\x59\xc1\xc3"), AVX512F | AVX512VL);
  // vpaddb zmm0, zmm0, zmm1
  EXPECT_EQ_I64(SCAN("\x62\xf1\x7d\x48\xfc\xc1\xc3"), AVX512F | AVX512BW);
  // vpdpbusd zmm0, zmm1, zmm2
  EXPECT_EQ_I64(SCAN("\x62\xf2\x75\x48\x50\xc2\xc3"), AVX512F | AVX512VNNI);
  // vdpbf16ps zmm0, zmm1, zmm2
  EXPECT_EQ_I64(SCAN("\x62\xf2\x76\x48\x52\xc2\xc3"), AVX512F | AVX512BF16);
  // vaddph zmm0, zmm1, zmm2
  EXPECT_EQ_I64(SCAN("\x62\xf5\x74\x48\x58\xc2\xc3"), AVX512F | AVX512FP16);
  // tdpbssd tmm0, tmm1, tmm2
  EXPECT_EQ_I64(SCAN("\xc4\xe2\x6b\x5e\xc1\xc3"), AMX_TILE | AMX_INT8);
  // andn eax, ecx, edx: general registers need none of these
  EXPECT_EQ_I64(SCAN("\xc4\xe2\x70\xf2\xc2\xc3"), 0);
}

CTEST(skips_operands) {
  // Immediates and displacements that look like vector prefixes:
  // mov rax, 0x6262626262626262; mov eax, [rdi+0xc5c5c5c5]; add rax, 0x62;
  // test byte [rsp+0xc4], 0xc5; lea rax, [rip+0x62626262]; ret
  EXPECT_EQ_I64(SCAN("\x48\xb8\x62\x62\x62\x62\x62\x62\x62\x62"
                     "\x8b\x87\xc5\xc5\xc5\xc5"
                     "\x48\x83\xc0\x62"
                     "\xf6\x84\x24\xc4\x00\x00\x00\xc5"
                     "\x48\x8d\x05\x62\x62\x62\x62"
                     "\xc3"),
                0);
}

CTEST(stops_at_the_end_of_the_function) {
  // ret; then what belongs to the next: vmulps zmm
  EXPECT_EQ_I64(SCAN("\xc3\x62\xf1\x7c\x48\x59\xc1\xc3"), 0);
  // je +1; ret; vmulps zmm; ret: a branch leads behind the first ret.
  EXPECT_EQ_I64(SCAN("\x74\x01\xc3\x62\xf1\x7c\x48\x59\xc1\xc3"), AVX512F);
  // je +2 (long form); ret; int3; vmulps zmm: padding ends it nevertheless.
  EXPECT_EQ_I64(SCAN("\x0f\x84\x02\x00\x00\x00\xc3\xcc\x62\xf1\x7c\x48\x59\xc1"
                     "\xc3"),
                0);
  // call +0 goes on; jmp +0 leads to the next byte.
  EXPECT_EQ_I64(SCAN("\xe8\x00\x00\x00\x00\xeb\x00\xc5\xfc\x59\xc1\xc3"), AVX);
}

CTEST(stays_within_its_bytes) {
  static const uint8_t code[] = {0x62, 0xf1, 0x7c, 0x48, 0x59, 0x84,
                                 0x24, 0x00, 0x01, 0x00, 0x00, 0xc3};
  // Cut anywhere it finds nothing, and reads nothing behind (a sanitizer
  // would see it).
  for (size_t size = 0; size < sizeof(code) - 1; ++size) {
    uint8_t* copy = (uint8_t*)malloc(size ? size : 1);
    REQUIRE(copy != NULL);
    memcpy(copy, code, size);
    EXPECT_EQ_I64(iree_cy_code_scan_function(copy, size), 0);
    free(copy);
  }
  EXPECT_EQ_I64(iree_cy_code_scan_function(code, sizeof(code)), AVX512F);
}

CTEST(looks_quickly) {
  const uint8_t* avx512 = (const uint8_t*)"\x62\xf1\x7c\x48\x59\xc1\xc3";
  const uint8_t* fp16 = (const uint8_t*)"\x90\x62\xf5\x74\x48\x58\xc2";
  const uint8_t* fma4 = (const uint8_t*)"\xc4\xe3\xf1\x68\xc3\x20\xc3";
  EXPECT(iree_cy_code_may_need(avx512, 7, AVX512F));
  EXPECT(!iree_cy_code_may_need(avx512, 7, 1 | AVX512FP16 | XOP | AMX_TILE));
  EXPECT(iree_cy_code_may_need(fp16, 7, AVX512FP16));
  EXPECT(iree_cy_code_may_need(fma4, 7, FMA4));
  EXPECT(!iree_cy_code_may_need(fma4, 3, FMA4));
  EXPECT(!iree_cy_code_may_need(fma4, 7, 0x1F));
  EXPECT(iree_cy_code_may_need((const uint8_t*)"\x8f\xe8\x78\xc2", 4, XOP));
  EXPECT(
      iree_cy_code_may_need((const uint8_t*)"\xc4\xe2\x6b\x5e", 4, AMX_INT8));
}

// Where the quick look goes 16 bytes at a time, and behind that.
CTEST(looks_at_every_place) {
  uint8_t code[64];
  for (size_t place = 0; place + 4 <= sizeof(code); ++place) {
    memset(code, 0x90, sizeof(code));
    memcpy(code + place, "\x62\xf5\x74\x48", 4);
    EXPECT(iree_cy_code_may_need(code, sizeof(code), AVX512FP16));
    EXPECT(!iree_cy_code_may_need(code, place + 3, AVX512FP16));
  }
}

CTEST(survives_any_bytes) {
  uint32_t state = 12345;
  for (int round = 0; round < 20000; ++round) {
    uint8_t code[64];
    for (size_t i = 0; i < sizeof(code); ++i) {
      state = state * 1664525u + 1013904223u;
      code[i] = (uint8_t)(state >> 24);
    }
    // What it says of noise is of no interest; that it comes back is.
    const uint64_t features = iree_cy_code_scan_function(code, sizeof(code));
    EXPECT_EQ_I64(features & 1, 0);
  }
}

// An instruction of XOP is in no processor since 2017, so this names it.
CTEST(names_the_missing_feature) {
  static const uint8_t code[] = {0x8f, 0xe8, 0x78, 0xc2, 0xc1, 0x03, 0xc3};
  bool has_xop = false;
  iree_cy_library_t library;
  const char* names[1] = {"kernel"};
  iree_cy_library_dispatch_fn_t fns[1] = {
      (iree_cy_library_dispatch_fn_t)(uintptr_t)code};
  memset(&library, 0, sizeof(library));
  library.exports.count = 1;
  library.exports.fns = fns;
  library.exports.names = names;
  REQUIRE(iree_cy_processor_query_feature(IREE_SV("xop"), &has_xop));
  iree_status_t status =
      iree_cy_code_check_features(&library, code, sizeof(code));
  if (has_xop) {
    EXPECT_OK(status);
    return;
  }
  EXPECT_EQ_SV(iree_status_message(status),
               IREE_SV("'kernel' needs xop, which this processor lacks; "
                       "compile for it"));
  EXPECT_STATUS(IREE_STATUS_INCOMPATIBLE, status);
  // Outside of the code that is given, nothing is read.
  EXPECT_OK(iree_cy_code_check_features(&library, code + 1, 3));
}

#else

CTEST(knows_no_instructions) {
  EXPECT_EQ_I64(iree_cy_code_scan_function((const uint8_t*)"abcd", 4), 0);
}

#endif  // __x86_64__

CTEST_MAIN()
