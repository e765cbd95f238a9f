// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns how a driver tells of work that the end of the process is to wait for.

#ifndef IREE_CY_BASE_WORK_H_
#define IREE_CY_BASE_WORK_H_

#include "iree_cy/base/config.h"

IREE_CY_EXTERN_C_BEGIN

// Counts one more, or one less, operation under way that is carried out by
// threads of a driver or by its device, not by the thread that submitted it.
// The process waits a moment for all of them when it exits, so that none is in
// the middle of using what the process tears down. Each begin is followed by
// one end, from any thread. In a forked child nothing is under way, and what
// the parent began does not end there. No lock is held at the begin: when the
// process has exited, it does not return to other threads than the exiting one.
IREE_API_EXPORT void iree_cy_work_begin(void);
IREE_API_EXPORT void iree_cy_work_end(void);

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_BASE_WORK_H_
