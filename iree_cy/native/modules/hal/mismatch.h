// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what a program asked of devices in vain, so that its failure can be
// explained.

#ifndef IREE_CY_NATIVE_MODULES_HAL_MISMATCH_H_
#define IREE_CY_NATIVE_MODULES_HAL_MISMATCH_H_

#include "iree_cy/hal/api.h"
#include "iree_cy/native/base/mutex.h"

// Answers that are kept, and how much of each: enough for one sentence.
#define IREE_HAL_MODULE_MISMATCH_CAPACITY 3
#define IREE_HAL_MODULE_MISMATCH_LENGTH 31

typedef struct iree_hal_module_wanted_t {
  uint32_t count;
  char text[IREE_HAL_MODULE_MISMATCH_CAPACITY]
           [IREE_HAL_MODULE_MISMATCH_LENGTH + 1];
} iree_hal_module_wanted_t;

// Programs look for their device by asking each one for its id and then for
// the formats of executables it takes; when none fits they fail with a text
// that describes the whole compilation target. Any thread.
// Zeroed memory is one that knows nothing.
typedef struct iree_hal_module_mismatch_t {
  iree_cy_mutex_t lock;
  // Ids that no device has had since the last one that fitted.
  iree_hal_module_wanted_t ids;
  // Formats that the device named |device| does not take, likewise.
  iree_hal_module_wanted_t formats;
  char device[IREE_HAL_MODULE_MISMATCH_LENGTH + 1];
} iree_hal_module_mismatch_t;

// Notes the answer of |device| to a question of the program.
void iree_hal_module_mismatch_note(iree_hal_module_mismatch_t* mismatch,
                                   const iree_hal_device_t* device,
                                   iree_string_view_t category,
                                   iree_string_view_t key, bool is_match);

// Takes |status|, the failure of an initializer. If it is for want of a device,
// returns one sentence of less than 200 characters that says what the program
// wants and what |devices| are, with |status| joined; else |status|.
IREE_MUST_USE_RESULT iree_status_t iree_hal_module_mismatch_explain(
    iree_hal_module_mismatch_t* mismatch, iree_host_size_t device_count,
    iree_hal_device_t* const* devices, iree_status_t status);

#endif  // IREE_CY_NATIVE_MODULES_HAL_MISMATCH_H_
