// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what the queue checks of a file.

#ifndef IREE_CY_NATIVE_HAL_FILE_IMPL_H_
#define IREE_CY_NATIVE_HAL_FILE_IMPL_H_

#include "iree_cy/hal/file.h"

// INVALID_ARGUMENT for NULL, PERMISSION_DENIED unless the file allows |access|
// (READ or WRITE), OUT_OF_RANGE unless the range lies in it.
iree_status_t iree_cy_file_validate(iree_hal_file_t* file,
                                    iree_hal_memory_access_t access,
                                    uint64_t file_offset,
                                    iree_device_size_t length);

#endif  // IREE_CY_NATIVE_HAL_FILE_IMPL_H_
