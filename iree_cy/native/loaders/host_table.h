// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the way to the core's host table from the inside.

#ifndef IREE_CY_NATIVE_LOADERS_HOST_TABLE_H_
#define IREE_CY_NATIVE_LOADERS_HOST_TABLE_H_

#include "iree_cy/host_table.h"

// The table that plugins, extensions and embedding hosts get. Immortal. Any
// thread.
const iree_cy_host_api_t* iree_cy_host_api(void);

#endif  // IREE_CY_NATIVE_LOADERS_HOST_TABLE_H_
