// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the question whether bytes are UTF-8.

#ifndef IREE_CY_NATIVE_BASE_UTF8_H_
#define IREE_CY_NATIVE_BASE_UTF8_H_

#include "iree_cy/base/string_view.h"

// Whether |text| is UTF-8: whole sequences, each the shortest for its code
// point, no surrogates, nothing above U+10FFFF. NUL is a character like others.
bool iree_cy_utf8_is_valid(iree_string_view_t text);

#endif  // IREE_CY_NATIVE_BASE_UTF8_H_
