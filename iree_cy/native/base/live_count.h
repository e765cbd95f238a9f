// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the writing side of iree_cy_live_object_count.

#ifndef IREE_CY_NATIVE_BASE_LIVE_COUNT_H_
#define IREE_CY_NATIVE_BASE_LIVE_COUNT_H_

#include "iree_cy/base/resource.h"

// Adds |delta| to the live objects of |kind|. For objects that do not begin
// with iree_hal_resource_t, which counts itself. Any thread.
void iree_cy_live_object_add(iree_cy_object_kind_t kind, int64_t delta);

#endif  // IREE_CY_NATIVE_BASE_LIVE_COUNT_H_
