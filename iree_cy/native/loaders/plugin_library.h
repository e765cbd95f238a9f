// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the opening of a plugin's shared library.

#ifndef IREE_CY_NATIVE_LOADERS_PLUGIN_LIBRARY_H_
#define IREE_CY_NATIVE_LOADERS_PLUGIN_LIBRARY_H_

#include "iree_cy/base/api.h"

// The last part of a path, borrowed, for messages.
const char* iree_cy_library_file_name(const char* path);

// Opens the shared library at |path| for good: it stays in the process.
// INCOMPATIBLE when it is made for another machine, UNAVAILABLE when it is no
// shared library, is not whole or needs what is not there. The system's words
// for some of these name the wrong thing, so the file's head is read first.
iree_status_t iree_cy_library_open(const char* path, void** out_handle);

#endif  // IREE_CY_NATIVE_LOADERS_PLUGIN_LIBRARY_H_
