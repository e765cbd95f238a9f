// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the reading of the clock.

#include "iree_cy/base/time.h"

#include <time.h>

iree_time_t iree_time_now(void) {
  struct timespec now = {0};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (iree_time_t)now.tv_sec * 1000000000 + now.tv_nsec;
}
