// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the counters of live objects.

#include "iree_cy/native/base/live_count.h"

static int64_t iree_cy_live_counts[IREE_CY_OBJECT_KIND_COUNT] = {0};

void iree_cy_live_object_add(iree_cy_object_kind_t kind, int64_t delta) {
  if (kind >= IREE_CY_OBJECT_KIND_COUNT) return;
  __atomic_fetch_add(&iree_cy_live_counts[kind], delta, __ATOMIC_RELAXED);
}

int64_t iree_cy_live_object_count(iree_cy_object_kind_t kind) {
  if (kind >= IREE_CY_OBJECT_KIND_COUNT) return 0;
  return __atomic_load_n(&iree_cy_live_counts[kind], __ATOMIC_RELAXED);
}
