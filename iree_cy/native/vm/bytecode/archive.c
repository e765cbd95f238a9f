// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Implements the outer face of a module file.

#include "iree_cy/native/vm/bytecode/archive.h"

#include "iree_cy/native/vm/bytecode/bytes.h"

// Sizes and offsets in a ZIP local file header.
enum {
  ZIP_HEADER_SIGNATURE = 0x04034B50,
  ZIP_HEADER_SIZE = 30,
  ZIP_HEADER_METHOD_OFFSET = 8,
  ZIP_HEADER_NAME_LENGTH_OFFSET = 26,
  ZIP_HEADER_EXTRA_LENGTH_OFFSET = 28,
};

// Sets |*out_offset| to where the first file in a ZIP archive begins, or to 0
// when |contents| are no ZIP archive.
static iree_status_t iree_vm_bytecode_archive_skip_zip_header(
    iree_const_byte_span_t contents, iree_host_size_t* out_offset) {
  *out_offset = 0;
  if (contents.data_length < ZIP_HEADER_SIZE ||
      iree_load_u32(contents.data) != ZIP_HEADER_SIGNATURE) {
    return iree_ok_status();
  }
  uint16_t method = iree_load_u16(contents.data + ZIP_HEADER_METHOD_OFFSET);
  if (method != 0) {
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "the module file is a ZIP archive that was compressed (method %u); "
        "store it uncompressed, as the compiler wrote it",
        method);
  }
  iree_host_size_t offset =
      (iree_host_size_t)ZIP_HEADER_SIZE +
      iree_load_u16(contents.data + ZIP_HEADER_NAME_LENGTH_OFFSET) +
      iree_load_u16(contents.data + ZIP_HEADER_EXTRA_LENGTH_OFFSET);
  if (offset > contents.data_length) {
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "the module file is cut off inside its ZIP header (%" PRIhsz
        " bytes, header of %" PRIhsz ")",
        contents.data_length, offset);
  }
  *out_offset = offset;
  return iree_ok_status();
}

iree_status_t iree_vm_bytecode_archive_parse(
    iree_const_byte_span_t contents, iree_vm_bytecode_archive_t* out_archive) {
  memset(out_archive, 0, sizeof(*out_archive));
  iree_host_size_t offset = 0;
  IREE_RETURN_IF_ERROR(
      iree_vm_bytecode_archive_skip_zip_header(contents, &offset));

  // A size prefix and the least that a FlatBuffer can be: root offset,
  // identifier, one empty table.
  iree_host_size_t remaining = contents.data_length - offset;
  if (remaining < sizeof(uint32_t) + 12) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "not a module file: %" PRIhsz
                            " bytes are too few to hold a module",
                            contents.data_length);
  }
  uint32_t length = iree_load_u32(contents.data + offset);
  offset += sizeof(uint32_t);
  remaining -= sizeof(uint32_t);
  if (length > remaining) {
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "not a module file, or one that is cut off: it declares %u bytes and "
        "%" PRIhsz " are there",
        length, remaining);
  }

  out_archive->flatbuffer =
      iree_make_const_byte_span(contents.data + offset, length);
  out_archive->rodata_offset =
      iree_host_align(offset + length, IREE_VM_ARCHIVE_SEGMENT_ALIGNMENT);
  return iree_ok_status();
}
