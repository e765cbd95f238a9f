// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the reading of x86-64 code: the length of each instruction, where it
// goes on, and which vector extension it is of.

#include <emmintrin.h>

#include "iree_cy/native/loaders/code_features.h"

// Bits of the processor's word 0; see processor_x86_64.c.
#define FEATURE(bit) (1ull << (bit))
enum feature_bit_e {
  AVX = 10,
  FMA = 11,
  FMA4 = 12,
  XOP = 13,
  F16C = 14,
  AVX2 = 15,
  AVX512F = 20,
  AVX512CD = 21,
  AVX512VL = 22,
  AVX512DQ = 23,
  AVX512BW = 24,
  AVX512IFMA = 25,
  AVX512VBMI = 26,
  AVX512VPOPCNTDQ = 27,
  AVX512VNNI = 28,
  AVX512VBMI2 = 29,
  AVX512BITALG = 30,
  AVX512BF16 = 31,
  AVX512FP16 = 32,
  AMX_TILE = 50,
  AMX_INT8 = 51,
  AMX_BF16 = 52,
};

// Opcode maps, by the number that vector prefixes use.
enum opcode_map_e {
  MAP_ONE_BYTE = 0,
  MAP_0F = 1,
  MAP_0F38 = 2,
  MAP_0F3A = 3,
  MAP_5 = 5,
  MAP_6 = 6,
  MAP_XOP_8 = 8,
  MAP_XOP_9 = 9,
  MAP_XOP_A = 10,
};

// The prefix that a vector prefix stands for.
enum simd_prefix_e { PREFIX_NONE = 0, PREFIX_66 = 1, PREFIX_F3 = 2 };

typedef enum encoding_e {
  ENCODING_LEGACY,
  ENCODING_VEX,
  ENCODING_EVEX,
  ENCODING_XOP,
} encoding_t;

typedef struct instruction_t {
  encoding_t encoding;
  uint8_t map;
  uint8_t opcode;
  uint8_t modrm;
  uint8_t simd_prefix;
  // 0, 1, 2: 128, 256, 512 bits.
  uint8_t vector_length;
  bool has_wide_operands;  // REX.W, VEX.W, EVEX.W
  bool has_16_bit_operands;
  bool has_32_bit_addresses;
  uint32_t length;
  // Nothing follows it.
  bool is_end;
  bool is_branch;
  int64_t branch_offset;
} instruction_t;

// Reads forward in what is left of the code.
typedef struct code_reader_t {
  const uint8_t* data;
  iree_host_size_t size;
  iree_host_size_t offset;
} code_reader_t;

static bool read_byte(code_reader_t* reader, uint8_t* out_value) {
  if (reader->offset >= reader->size) return false;
  *out_value = reader->data[reader->offset++];
  return true;
}

static bool skip_bytes(code_reader_t* reader, iree_host_size_t count) {
  if (count > reader->size - reader->offset) return false;
  reader->offset += count;
  return true;
}

// Ranges and sets of opcodes as bits, 16 to a row.
static bool opcode_in(const uint16_t rows[16], uint8_t opcode) {
  return (rows[opcode >> 4] >> (opcode & 15)) & 1;
}

// Of the one-byte map: those that have a ModRM byte.
static const uint16_t one_byte_modrm[16] = {
    0x0F0F, 0x0F0F, 0x0F0F, 0x0F0F, 0,      0,      0x0A08, 0,
    0xFFFB, 0,      0,      0,      0x00C3, 0xFF0F, 0,      0xC0C0,
};
// Those that do not exist in 64-bit mode.
static const uint16_t one_byte_invalid[16] = {
    0xC0C0, 0xC0C0, 0x8080, 0x8080, 0,      0,      0x0003, 0,
    0x0004, 0x0400, 0,      0,      0x4000, 0x0070, 0x0400, 0,
};
// Of the 0F map: those without a ModRM byte.
static const uint16_t two_byte_no_modrm[16] = {
    0x4BE0, 0, 0,      0x00FF, 0,      0, 0, 0x0080,
    0xFFFF, 0, 0x0707, 0,      0xFF00, 0, 0, 0,
};

// Bytes of an immediate of the one-byte map.
static uint32_t one_byte_immediate_size(const instruction_t* instruction) {
  const uint8_t opcode = instruction->opcode;
  const uint32_t full_size = instruction->has_16_bit_operands ? 2 : 4;
  const uint32_t reg = (instruction->modrm >> 3) & 7;
  if (opcode < 0x40) {
    if ((opcode & 7) == 4) return 1;
    return (opcode & 7) == 5 ? full_size : 0;
  }
  if (opcode >= 0x70 && opcode <= 0x7F) return 1;
  if (opcode >= 0xA0 && opcode <= 0xA3) {
    return instruction->has_32_bit_addresses ? 4 : 8;
  }
  if (opcode >= 0xB0 && opcode <= 0xB7) return 1;
  if (opcode >= 0xB8 && opcode <= 0xBF) {
    return instruction->has_wide_operands ? 8 : full_size;
  }
  switch (opcode) {
    case 0x68:
    case 0x69:
    case 0x81:
    case 0xA9:
    case 0xC7:
      return full_size;
    case 0xE8:
    case 0xE9:
      return 4;
    case 0x6A:
    case 0x6B:
    case 0x80:
    case 0x83:
    case 0xA8:
    case 0xC0:
    case 0xC1:
    case 0xC6:
    case 0xCD:
    case 0xEB:
      return 1;
    case 0xC2:
    case 0xCA:
      return 2;
    case 0xC8:
      return 3;
    case 0xF6:
      return reg < 2 ? 1 : 0;
    case 0xF7:
      return reg < 2 ? full_size : 0;
    default:
      return opcode >= 0xE0 && opcode <= 0xE7 ? 1 : 0;
  }
}

static uint32_t immediate_size(const instruction_t* instruction) {
  const uint8_t opcode = instruction->opcode;
  switch (instruction->map) {
    case MAP_ONE_BYTE:
      return one_byte_immediate_size(instruction);
    case MAP_0F:
      if (opcode >= 0x80 && opcode <= 0x8F &&
          instruction->encoding == ENCODING_LEGACY) {
        return 4;
      }
      return (opcode >= 0x70 && opcode <= 0x73) || opcode == 0xA4 ||
                     opcode == 0xAC || opcode == 0xBA || opcode == 0xC2 ||
                     (opcode >= 0xC4 && opcode <= 0xC6)
                 ? 1
                 : 0;
    case MAP_0F3A:
    case MAP_XOP_8:
      return 1;
    case MAP_XOP_A:
      return 4;
    default:
      return 0;
  }
}

static bool has_modrm(const instruction_t* instruction) {
  if (instruction->map == MAP_ONE_BYTE) {
    return opcode_in(one_byte_modrm, instruction->opcode);
  }
  if (instruction->map != MAP_0F) return true;
  if (instruction->encoding != ENCODING_LEGACY) {
    return instruction->opcode != 0x77;
  }
  return !opcode_in(two_byte_no_modrm, instruction->opcode);
}

// Reads a ModRM byte with what belongs to it.
static bool read_modrm(code_reader_t* reader, instruction_t* instruction) {
  if (!read_byte(reader, &instruction->modrm)) return false;
  const uint32_t mod = instruction->modrm >> 6;
  const uint32_t rm = instruction->modrm & 7;
  if (mod == 3) return true;
  uint8_t sib = 0;
  if (rm == 4 && !read_byte(reader, &sib)) return false;
  if (mod == 1) return skip_bytes(reader, 1);
  const bool has_address = mod == 2 || rm == 5 || (rm == 4 && (sib & 7) == 5);
  return !has_address || skip_bytes(reader, 4);
}

// Reads the rest of a vector prefix, whose first byte was |first|, and the
// opcode.
static bool read_vector_prefix(code_reader_t* reader, uint8_t first,
                               instruction_t* instruction) {
  uint8_t p0 = 0, p1 = 0, p2 = 0;
  if (!read_byte(reader, &p0)) return false;
  if (first == 0xC5) {
    instruction->encoding = ENCODING_VEX;
    instruction->map = MAP_0F;
    p1 = p0 & 0x7F;
  } else {
    if (!read_byte(reader, &p1)) return false;
    instruction->map = p0 & 0x1F;
    instruction->encoding = first == 0x8F ? ENCODING_XOP : ENCODING_VEX;
    instruction->has_wide_operands = p1 >> 7;
  }
  instruction->simd_prefix = p1 & 3;
  instruction->vector_length = (p1 >> 2) & 1;
  if (first == 0x62) {
    if (!read_byte(reader, &p2)) return false;
    instruction->encoding = ENCODING_EVEX;
    instruction->map = p0 & 7;
    instruction->vector_length = (p2 >> 5) & 3;
  }
  return read_byte(reader, &instruction->opcode);
}

static bool is_known_map(const instruction_t* instruction) {
  const uint8_t map = instruction->map;
  switch (instruction->encoding) {
    case ENCODING_VEX:
      return map >= MAP_0F && map <= MAP_0F3A;
    case ENCODING_EVEX:
      return (map >= MAP_0F && map <= MAP_0F3A) || map == MAP_5 || map == MAP_6;
    case ENCODING_XOP:
      return map >= MAP_XOP_8 && map <= MAP_XOP_A;
    default:
      return true;
  }
}

// Reads prefixes and opcode.
static bool read_opcode(code_reader_t* reader, instruction_t* instruction) {
  uint8_t byte = 0;
  for (;;) {
    if (!read_byte(reader, &byte)) return false;
    if (byte == 0x66) {
      instruction->has_16_bit_operands = true;
    } else if (byte == 0x67) {
      instruction->has_32_bit_addresses = true;
    } else if (byte != 0xF0 && byte != 0xF2 && byte != 0xF3 &&
               (byte & 0xE7) != 0x26 && byte != 0x64 && byte != 0x65) {
      break;
    }
  }
  if ((byte & 0xF0) == 0x40) {
    instruction->has_wide_operands = (byte >> 3) & 1;
    if (!read_byte(reader, &byte)) return false;
  }
  if (byte == 0xC4 || byte == 0xC5 || byte == 0x62) {
    return read_vector_prefix(reader, byte, instruction) &&
           is_known_map(instruction);
  }
  if (byte == 0x8F && reader->offset < reader->size &&
      (reader->data[reader->offset] & 0x1F) >= MAP_XOP_8) {
    return read_vector_prefix(reader, byte, instruction) &&
           is_known_map(instruction);
  }
  instruction->opcode = byte;
  if (byte != 0x0F) return !opcode_in(one_byte_invalid, byte);
  if (!read_byte(reader, &byte)) return false;
  instruction->map = MAP_0F;
  instruction->opcode = byte;
  if (byte != 0x38 && byte != 0x3A) return true;
  instruction->map = byte == 0x38 ? MAP_0F38 : MAP_0F3A;
  return read_byte(reader, &instruction->opcode);
}

// Notes where the instruction goes. Its immediate is the last of its bytes.
static void follow(const code_reader_t* reader, uint32_t immediate_length,
                   instruction_t* instruction) {
  if (instruction->encoding != ENCODING_LEGACY) return;
  const uint8_t opcode = instruction->opcode;
  const uint32_t reg = (instruction->modrm >> 3) & 7;
  if (instruction->map == MAP_ONE_BYTE) {
    const bool is_jump = opcode == 0xE9 || opcode == 0xEB;
    instruction->is_branch = is_jump || (opcode >= 0x70 && opcode <= 0x7F) ||
                             (opcode >= 0xE0 && opcode <= 0xE3);
    instruction->is_end = is_jump || opcode == 0xC2 || opcode == 0xC3 ||
                          opcode == 0xCA || opcode == 0xCB || opcode == 0xCC ||
                          opcode == 0xCF || opcode == 0xF4 ||
                          (opcode == 0xFF && (reg == 4 || reg == 5));
  } else if (instruction->map == MAP_0F) {
    instruction->is_branch = opcode >= 0x80 && opcode <= 0x8F;
    instruction->is_end = opcode == 0x0B;
  }
  if (!instruction->is_branch) return;
  if (immediate_length == 1) {
    instruction->branch_offset = (int8_t)reader->data[reader->offset - 1];
    return;
  }
  int32_t offset = 0;
  memcpy(&offset, reader->data + reader->offset - sizeof(offset),
         sizeof(offset));
  instruction->branch_offset = offset;
}

static bool decode(const uint8_t* code, iree_host_size_t size,
                   instruction_t* instruction) {
  memset(instruction, 0, sizeof(*instruction));
  // No instruction is longer.
  code_reader_t reader = {code, iree_min(size, (iree_host_size_t)15), 0};
  if (!read_opcode(&reader, instruction)) return false;
  if (has_modrm(instruction) && !read_modrm(&reader, instruction)) return false;
  const uint32_t immediate_length = immediate_size(instruction);
  if (!skip_bytes(&reader, immediate_length)) return false;
  follow(&reader, immediate_length, instruction);
  instruction->length = (uint32_t)reader.offset;
  return true;
}

//===-- features ------------------------------------------------------------===

// Integer operations of the 0F map; with 256 bits they are of AVX2.
static const uint16_t integer_0f[16] = {
    0, 0, 0, 0, 0, 0, 0x3FFF, 0x007F, 0, 0, 0, 0, 0, 0xFFBE, 0xFF3F, 0x7FFE,
};
// Operations of the 0F38 map that are of AVX2 with 256 bits.
static const uint16_t wide_avx2_0f38[16] = {
    0x0FFF, 0x7000, 0x0F3F, 0xFFBF, 0x0001, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
};
// Of the 0F38 map, AVX2 with any length.
static const uint16_t avx2_0f38[16] = {
    0,      0x0040, 0, 0x0040, 0x00E0, 0x0700, 0, 0x0300,
    0x5000, 0x000F, 0, 0,      0,      0,      0, 0,
};
// Operations on bytes and words of the 0F map.
static const uint16_t byte_word_0f[16] = {
    0, 0, 0, 0, 0, 0, 0x0BBB, 0x0032, 0, 0, 0, 0, 0, 0x7722, 0x773B, 0x3362,
};

static uint64_t vex_0f_features(const instruction_t* instruction) {
  const uint8_t opcode = instruction->opcode;
  // Operations on masks.
  if ((opcode >= 0x41 && opcode <= 0x4B) ||
      (opcode >= 0x90 && opcode <= 0x93) || opcode == 0x98 || opcode == 0x99) {
    return FEATURE(AVX512F) |
           (instruction->has_wide_operands && opcode != 0x4B ? FEATURE(AVX512BW)
                                                             : 0);
  }
  if (instruction->vector_length && opcode_in(integer_0f, opcode) &&
      instruction->simd_prefix != PREFIX_NONE) {
    return FEATURE(AVX) | FEATURE(AVX2);
  }
  return FEATURE(AVX);
}

static uint64_t vex_0f38_features(const instruction_t* instruction) {
  const uint8_t opcode = instruction->opcode;
  // Bit manipulation of general registers.
  if (opcode >= 0xF0) return 0;
  if (opcode == 0x49 || opcode == 0x4B) return FEATURE(AMX_TILE);
  if (opcode == 0x5E) return FEATURE(AMX_TILE) | FEATURE(AMX_INT8);
  if (opcode == 0x5C) return FEATURE(AMX_TILE) | FEATURE(AMX_BF16);
  if (opcode == 0x13) return FEATURE(AVX) | FEATURE(F16C);
  if (opcode >= 0x96 && opcode <= 0xBF && (opcode & 0x0F) >= 6) {
    return FEATURE(AVX) | FEATURE(FMA);
  }
  const bool is_register_broadcast =
      (opcode == 0x18 || opcode == 0x19) && instruction->modrm >= 0xC0;
  if (opcode_in(avx2_0f38, opcode) || is_register_broadcast ||
      (instruction->vector_length && opcode_in(wide_avx2_0f38, opcode))) {
    return FEATURE(AVX) | FEATURE(AVX2);
  }
  return FEATURE(AVX);
}

static uint64_t vex_0f3a_features(const instruction_t* instruction) {
  const uint8_t opcode = instruction->opcode;
  if (opcode == 0xF0) return 0;
  if (opcode >= 0x30 && opcode <= 0x33) return FEATURE(AVX512F);
  if (opcode == 0x1D) return FEATURE(AVX) | FEATURE(F16C);
  if ((opcode >= 0x5C && opcode <= 0x5F) ||
      (opcode >= 0x68 && opcode <= 0x6F) ||
      (opcode >= 0x78 && opcode <= 0x7F)) {
    return FEATURE(AVX) | FEATURE(FMA4);
  }
  const bool is_wide_integer =
      instruction->vector_length &&
      (opcode == 0x0E || opcode == 0x0F || opcode == 0x42 || opcode == 0x4C);
  if (opcode <= 0x02 || opcode == 0x38 || opcode == 0x39 || opcode == 0x46 ||
      is_wide_integer) {
    return FEATURE(AVX) | FEATURE(AVX2);
  }
  return FEATURE(AVX);
}

static uint64_t evex_0f_features(const instruction_t* instruction) {
  const uint8_t opcode = instruction->opcode;
  const uint8_t prefix = instruction->simd_prefix;
  uint64_t features = 0;
  if (opcode_in(byte_word_0f, opcode) && prefix == PREFIX_66) {
    features |= FEATURE(AVX512BW);
  }
  // Moves of bytes and words have the prefix F2; vector logic on floats.
  if ((opcode == 0x6F || opcode == 0x7F) && prefix == 3) {
    features |= FEATURE(AVX512BW);
  }
  if (opcode >= 0x54 && opcode <= 0x57) features |= FEATURE(AVX512DQ);
  // Of the others, scalars leave the length 0.
  if (instruction->vector_length < 2 && prefix <= PREFIX_66 &&
      (opcode_in(integer_0f, opcode) || (opcode >= 0x51 && opcode <= 0x5F)) &&
      opcode != 0x6E && opcode != 0x7E && opcode != 0xD6) {
    features |= FEATURE(AVX512VL);
  }
  return features;
}

static uint64_t evex_0f38_features(const instruction_t* instruction) {
  const bool is_f3 = instruction->simd_prefix == PREFIX_F3;
  switch (instruction->opcode) {
    case 0x50:
    case 0x51:
    case 0x53:
      return FEATURE(AVX512VNNI);
    case 0x52:
      return is_f3 ? FEATURE(AVX512BF16) : FEATURE(AVX512VNNI);
    case 0x54:
    case 0x8F:
      return FEATURE(AVX512BITALG);
    case 0x55:
      return FEATURE(AVX512VPOPCNTDQ);
    case 0x62:
    case 0x63:
    case 0x70:
    case 0x71:
    case 0x73:
      return FEATURE(AVX512VBMI2);
    case 0x72:
      return instruction->simd_prefix == PREFIX_66 ? FEATURE(AVX512VBMI2)
                                                   : FEATURE(AVX512BF16);
    case 0x75:
    case 0x7D:
    case 0x8D:
      return instruction->has_wide_operands ? FEATURE(AVX512BW)
                                            : FEATURE(AVX512VBMI);
    case 0x83:
      return FEATURE(AVX512VBMI);
    case 0x40:
      return instruction->has_wide_operands ? FEATURE(AVX512DQ) : 0;
    case 0x44:
    case 0xC4:
      return FEATURE(AVX512CD);
    case 0xB4:
    case 0xB5:
      return FEATURE(AVX512IFMA);
    default:
      return 0;
  }
}

static uint64_t evex_features(const instruction_t* instruction) {
  switch (instruction->map) {
    case MAP_0F:
      return FEATURE(AVX512F) | evex_0f_features(instruction);
    case MAP_0F38:
      return FEATURE(AVX512F) | evex_0f38_features(instruction);
    case MAP_0F3A:
      return FEATURE(AVX512F) |
             (instruction->opcode >= 0x70 && instruction->opcode <= 0x73
                  ? FEATURE(AVX512VBMI2)
                  : 0);
    default:
      return FEATURE(AVX512F) | FEATURE(AVX512FP16);
  }
}

static uint64_t instruction_features(const instruction_t* instruction) {
  switch (instruction->encoding) {
    case ENCODING_VEX:
      if (instruction->map == MAP_0F) return vex_0f_features(instruction);
      if (instruction->map == MAP_0F38) return vex_0f38_features(instruction);
      return vex_0f3a_features(instruction);
    case ENCODING_EVEX:
      return evex_features(instruction);
    case ENCODING_XOP:
      return FEATURE(AVX) | FEATURE(XOP);
    default:
      return 0;
  }
}

// Features that hardly any processor or program has; what they look like is
// told by the first bytes of an instruction.
#define RARE_FEATURES                                                       \
  (FEATURE(FMA4) | FEATURE(XOP) | FEATURE(AVX512FP16) | FEATURE(AMX_TILE) | \
   FEATURE(AMX_INT8) | FEATURE(AMX_BF16))
#define COMMON_FEATURES                                                   \
  (FEATURE(AVX) | FEATURE(FMA) | FEATURE(F16C) | FEATURE(AVX2) |          \
   FEATURE(AVX512F) | FEATURE(AVX512CD) | FEATURE(AVX512VL) |             \
   FEATURE(AVX512DQ) | FEATURE(AVX512BW) | FEATURE(AVX512IFMA) |          \
   FEATURE(AVX512VBMI) | FEATURE(AVX512VPOPCNTDQ) | FEATURE(AVX512VNNI) | \
   FEATURE(AVX512VBMI2) | FEATURE(AVX512BITALG) | FEATURE(AVX512BF16))

// Whether a vector prefix that begins at |code|, four bytes long, may be of a
// rare feature.
static bool looks_rare(const uint8_t* code) {
  switch (code[0]) {
    case 0x62:
      // With the bits that the prefix fixes.
      return ((code[1] & 0x0F) == MAP_5 || (code[1] & 0x0F) == MAP_6) &&
             (code[2] & 4) != 0;
    case 0x8F:
      return (code[1] & 0x1F) >= MAP_XOP_8 && (code[1] & 0x1F) <= MAP_XOP_A &&
             (code[2] & 3) == 0;
    case 0xC4:
      if ((code[1] & 0x1F) == MAP_0F38) {
        return code[3] == 0x49 || code[3] == 0x4B || code[3] == 0x5C ||
               code[3] == 0x5E;
      }
      return (code[1] & 0x1F) == MAP_0F3A && code[3] >= 0x5C && code[3] < 0x80;
    default:
      return false;
  }
}

// Of the 16 bytes at |code|, where looks_rare may say yes, as bits; it reads
// one byte more.
static uint32_t rare_candidates(const uint8_t* code) {
  const __m128i first = _mm_loadu_si128((const __m128i*)code);
  const __m128i second = _mm_loadu_si128((const __m128i*)(code + 1));
  const __m128i low4 = _mm_and_si128(second, _mm_set1_epi8(0x0F));
  const __m128i evex =
      _mm_and_si128(_mm_cmpeq_epi8(first, _mm_set1_epi8(0x62)),
                    _mm_or_si128(_mm_cmpeq_epi8(low4, _mm_set1_epi8(MAP_5)),
                                 _mm_cmpeq_epi8(low4, _mm_set1_epi8(MAP_6))));
  const __m128i others =
      _mm_or_si128(_mm_cmpeq_epi8(first, _mm_set1_epi8((char)0x8F)),
                   _mm_cmpeq_epi8(first, _mm_set1_epi8((char)0xC4)));
  return (uint32_t)_mm_movemask_epi8(_mm_or_si128(evex, others));
}

bool iree_cy_code_may_need(const uint8_t* code, iree_host_size_t size,
                           uint64_t features) {
  if (iree_any_bit_set(features, COMMON_FEATURES)) return true;
  if (!iree_any_bit_set(features, RARE_FEATURES)) return false;
  iree_host_size_t i = 0;
  for (; i + 20 <= size; i += 16) {
    uint32_t candidates = rare_candidates(code + i);
    for (; candidates; candidates &= candidates - 1) {
      if (looks_rare(code + i + __builtin_ctz(candidates))) return true;
    }
  }
  for (; i + 4 <= size; ++i) {
    if (looks_rare(code + i)) return true;
  }
  return false;
}

uint64_t iree_cy_code_scan_function(const uint8_t* code,
                                    iree_host_size_t size) {
  // A body lies in one piece. It goes on behind an instruction that ends it as
  // long as a branch leads further; between functions the compiler pads with
  // int3.
  uint64_t features = 0;
  iree_host_size_t offset = 0;
  iree_host_size_t furthest_target = 0;
  instruction_t instruction;
  while (offset < size && decode(code + offset, size - offset, &instruction)) {
    features |= instruction_features(&instruction);
    offset += instruction.length;
    if (instruction.is_branch && instruction.branch_offset >= 0) {
      const uint64_t target = offset + (uint64_t)instruction.branch_offset;
      if (target < size) {
        furthest_target = iree_max(furthest_target, (iree_host_size_t)target);
      }
    }
    if (!instruction.is_end) continue;
    if (offset > furthest_target) break;
    if (offset < size && code[offset] == 0xCC) break;
  }
  return features;
}
