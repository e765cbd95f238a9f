// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the outer face of a module file: the ZIP header, the size prefix, and
// where the FlatBuffer ends and the external constants begin.

#ifndef IREE_CY_NATIVE_VM_BYTECODE_ARCHIVE_H_
#define IREE_CY_NATIVE_VM_BYTECODE_ARCHIVE_H_

#include "iree_cy/base/api.h"

// Constants outside the FlatBuffer begin at a multiple of this many bytes from
// the start of the file.
#define IREE_VM_ARCHIVE_SEGMENT_ALIGNMENT 64

typedef struct iree_vm_bytecode_archive_t {
  // The FlatBuffer without its size prefix, a part of the contents.
  iree_const_byte_span_t flatbuffer;
  // Offset in the contents from which external constants count theirs. May lie
  // past the end when there are none.
  iree_host_size_t rodata_offset;
} iree_vm_bytecode_archive_t;

// Finds the parts of |contents|, which begin with a ZIP local file header (a
// module file is also a ZIP archive) or with the size prefix itself. Nothing
// past these headers is read.
iree_status_t iree_vm_bytecode_archive_parse(
    iree_const_byte_span_t contents, iree_vm_bytecode_archive_t* out_archive);

#endif  // IREE_CY_NATIVE_VM_BYTECODE_ARCHIVE_H_
