// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the mapping of a shared object that needs nothing from outside: the
// "embedded ELF" that the compiler makes.

#ifndef IREE_CY_NATIVE_LOADERS_ELF_IMAGE_H_
#define IREE_CY_NATIVE_LOADERS_ELF_IMAGE_H_

#include "iree_cy/base/api.h"

// A part of the image and what may be done there.
typedef struct iree_cy_elf_segment_t {
  uint64_t vaddr;
  uint64_t memory_size;
  uint64_t file_offset;
  uint64_t file_size;
  // PF_R, PF_W, PF_X.
  uint32_t flags;
} iree_cy_elf_segment_t;

enum { IREE_CY_ELF_MAX_SEGMENT_COUNT = 16 };

typedef struct iree_cy_elf_image_t {
  // What was reserved, and the whole pages of the image in it.
  void* reservation;
  iree_host_size_t reservation_size;
  uint8_t* pages;
  iree_host_size_t page_size;
  // Virtual address of |pages|, and how many bytes there are.
  uint64_t low_vaddr;
  uint64_t span;
  uint32_t segment_count;
  // Ascending, no two on one page.
  iree_cy_elf_segment_t segments[IREE_CY_ELF_MAX_SEGMENT_COUNT];
  // In the image, bounds checked.
  const uint8_t* symbols;
  uint64_t symbol_count;
  const char* strings;
  uint64_t strings_size;
} iree_cy_elf_image_t;

// Checks that |file| is a shared object for this machine whose parts lie within
// it. Maps nothing. Errors name the field that is wrong.
iree_status_t iree_cy_elf_check_file(iree_const_byte_span_t file);

// Maps a copy of |file|, relocates and protects it: no page is ever writable
// and executable. Runs nothing. |file| is not needed afterwards.
iree_status_t iree_cy_elf_image_load(iree_const_byte_span_t file,
                                     iree_cy_elf_image_t* out_image);
void iree_cy_elf_image_unload(iree_cy_elf_image_t* image);

// The address of the function |name|, in executable memory of the image.
iree_status_t iree_cy_elf_image_lookup_function(
    const iree_cy_elf_image_t* image, iree_string_view_t name,
    void** out_address);

#endif  // IREE_CY_NATIVE_LOADERS_ELF_IMAGE_H_
