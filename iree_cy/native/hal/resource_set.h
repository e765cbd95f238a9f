// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the set of objects that a recording keeps alive.

#ifndef IREE_CY_NATIVE_HAL_RESOURCE_SET_H_
#define IREE_CY_NATIVE_HAL_RESOURCE_SET_H_

#include "iree_cy/base/api.h"

// A set that only grows; NULL is the empty one. Used by one thread at a time.
typedef struct iree_cy_resource_set_t iree_cy_resource_set_t;

// Retains |resource| unless the set is known to hold it; one that was inserted
// long ago may be held more than once.
iree_status_t iree_cy_resource_set_insert(iree_cy_resource_set_t** set,
                                          void* resource,
                                          iree_allocator_t host_allocator);

// Releases all and frees the set.
void iree_cy_resource_set_free(iree_cy_resource_set_t* set,
                               iree_allocator_t host_allocator);

#endif  // IREE_CY_NATIVE_HAL_RESOURCE_SET_H_
