// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the way to the host table: the mode switch, the pointer, and the
// wrappers under their usual names.

#ifndef IREE_CY_HOST_TABLE_H_
#define IREE_CY_HOST_TABLE_H_

#if defined(IREE_CY_BUILD_CORE)
// The core itself: ordinary functions.
#elif defined(IREE_CY_BASE_CONFIG_H_) && !defined(IREE_CY_HOST_TABLE_MODE)
#error "include plugin.h, import.h or embed.h before other iree_cy headers"
#else
#define IREE_CY_HOST_TABLE_MODE 1
#endif

#include "iree_cy/base/api.h"
#include "iree_cy/hal/api.h"
#include "iree_cy/modules/hal_module.h"
#include "iree_cy/vm/api.h"

// Major version of the contract between the host and those who use its table.
// Unequal is refused. Raised by each breaking change until the ABI is frozen;
// from then on tables and vtables only grow.
#define IREE_CY_ABI_VERSION 1u

// Generated: iree_cy_host_api_t, and in table mode the wrappers.
#include "iree_cy/host_api.h"

#if defined(IREE_CY_HOST_TABLE_MODE)

IREE_CY_EXTERN_C_BEGIN

// Takes |host| for all wrappers of this library, which calls no function beyond
// the first |size| bytes of it. False when its version is another or it is
// shorter. A table may be longer.
static inline bool iree_cy_host_table_accept_size(
    const iree_cy_host_api_t* host, uint64_t size) {
  if (!host || host->version != IREE_CY_ABI_VERSION || host->size < size) {
    return false;
  }
  iree_cy_host_table = host;
  return true;
}

// The same for a library that may call all that it was compiled against.
static inline bool iree_cy_host_table_accept(const iree_cy_host_api_t* host) {
  return iree_cy_host_table_accept_size(host, sizeof(iree_cy_host_api_t));
}

// Raised by 1 in a forked child. An object that holds threads or vendor handles
// compares it with what it was at its creation.
static inline uint32_t iree_cy_fork_generation(void) {
  return *iree_cy_host_table->fork_generation;
}

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_HOST_TABLE_MODE

#endif  // IREE_CY_HOST_TABLE_H_
