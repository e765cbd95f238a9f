// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the log: how C code tells the application something that is no error.

#ifndef IREE_CY_BASE_LOG_H_
#define IREE_CY_BASE_LOG_H_

#include "iree_cy/base/string_view.h"

IREE_CY_EXTERN_C_BEGIN

// Levels, with the numbers of Python's logging module.
typedef uint32_t iree_cy_log_level_t;
enum iree_cy_log_level_e {
  IREE_CY_LOG_LEVEL_DEBUG = 10,
  IREE_CY_LOG_LEVEL_INFO = 20,
  IREE_CY_LOG_LEVEL_WARNING = 30,
  IREE_CY_LOG_LEVEL_ERROR = 40,
};

// Adds a record to a bounded ring (the oldest is dropped and counted). |domain|
// and |text| are copied, |text| cut at 1 KiB. Nothing is written to stdout or
// stderr. Any thread; never blocks for long; allowed without the GIL.
IREE_API_EXPORT void iree_cy_log(iree_cy_log_level_t level,
                                 iree_string_view_t domain,
                                 iree_string_view_t text);

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_BASE_LOG_H_
