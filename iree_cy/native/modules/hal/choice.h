// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns which of the executable formats that a program carries a device gets.

#ifndef IREE_CY_NATIVE_MODULES_HAL_CHOICE_H_
#define IREE_CY_NATIVE_MODULES_HAL_CHOICE_H_

#include "iree_cy/hal/api.h"
#include "iree_cy/native/base/mutex.h"

// Answers that are kept; what comes after them is the program's choice.
#define IREE_HAL_MODULE_CHOICE_CAPACITY 32

// A program looks for a device by its id and all formats that it carries, and
// later asks the device that it found for each of them again and takes the
// first of its own order that is not refused. By then the device's order is
// known: what it likes less than another one that was asked for is refused. Any
// thread. Zeroed memory is one that knows nothing.
typedef struct iree_hal_module_choice_t {
  iree_cy_mutex_t lock;
  uint32_t count;
  struct {
    // To compare.
    const iree_hal_device_t* device;
    uint64_t key_hash;
    int64_t value;
  } asked[IREE_HAL_MODULE_CHOICE_CAPACITY];
} iree_hal_module_choice_t;

// Takes |value|, what |device| answers a question of the program, and returns
// what the program is told.
int64_t iree_hal_module_choice_answer(iree_hal_module_choice_t* choice,
                                      const iree_hal_device_t* device,
                                      iree_string_view_t category,
                                      iree_string_view_t key, int64_t value);

#endif  // IREE_CY_NATIVE_MODULES_HAL_CHOICE_H_
