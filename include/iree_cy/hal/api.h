// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Includes all of hal/.

#ifndef IREE_CY_HAL_API_H_
#define IREE_CY_HAL_API_H_

#include "iree_cy/hal/allocator.h"
#include "iree_cy/hal/buffer.h"
#include "iree_cy/hal/buffer_view.h"
#include "iree_cy/hal/command_buffer.h"
#include "iree_cy/hal/device.h"
#include "iree_cy/hal/driver.h"
#include "iree_cy/hal/executable.h"
#include "iree_cy/hal/fence.h"
#include "iree_cy/hal/file.h"
#include "iree_cy/hal/operation.h"
#include "iree_cy/hal/semaphore.h"
#include "iree_cy/hal/types.h"

#endif  // IREE_CY_HAL_API_H_
