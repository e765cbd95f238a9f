// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Includes all of base/.

#ifndef IREE_CY_BASE_API_H_
#define IREE_CY_BASE_API_H_

#include "iree_cy/base/allocator.h"
#include "iree_cy/base/config.h"
#include "iree_cy/base/log.h"
#include "iree_cy/base/resource.h"
#include "iree_cy/base/status.h"
#include "iree_cy/base/string_builder.h"
#include "iree_cy/base/string_view.h"
#include "iree_cy/base/time.h"

#endif  // IREE_CY_BASE_API_H_
