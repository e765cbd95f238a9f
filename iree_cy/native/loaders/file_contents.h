// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns how a program's file gets into memory.

#ifndef IREE_CY_NATIVE_LOADERS_FILE_CONTENTS_H_
#define IREE_CY_NATIVE_LOADERS_FILE_CONTENTS_H_

#include "iree_cy/base/allocator.h"

// A file's bytes. They begin at a multiple of 64.
typedef struct iree_cy_file_contents_t {
  iree_const_byte_span_t span;
  // Gives the bytes back: its FREE of |span.data| is
  // iree_cy_file_contents_close.
  iree_allocator_t allocator;
} iree_cy_file_contents_t;

// Reads the regular file at |path| when it has at most |read_limit| bytes, else
// maps it privately: deleting or replacing it later is harmless, truncating it
// makes its lost pages fault (SIGBUS). Writes to the bytes never reach the
// file. Returns 0 or an errno value; EISDIR for a directory, EINVAL for what
// else is no file. Blocks.
int iree_cy_file_contents_open(const char* path, iree_host_size_t read_limit,
                               iree_cy_file_contents_t* out_contents);
// Gives the bytes back.
void iree_cy_file_contents_close(iree_cy_file_contents_t* contents);

#endif  // IREE_CY_NATIVE_LOADERS_FILE_CONTENTS_H_
