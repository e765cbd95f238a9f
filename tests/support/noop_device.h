// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns a device for tests: host memory in which all work is done but
// dispatches, which do nothing.

#ifndef IREE_CY_TESTS_SUPPORT_NOOP_DEVICE_H_
#define IREE_CY_TESTS_SUPPORT_NOOP_DEVICE_H_

#include "iree_cy/hal/api.h"

typedef struct noop_device_options_t {
  // The driver's name that it goes by; "noop" when empty. Copied.
  iree_string_view_t identifier;
  // What it says yes to when asked for hal.device.id and for
  // hal.executable.format; anything when empty. Immortal.
  iree_string_view_t device_id;
  iree_string_view_t executable_format;
} noop_device_options_t;

// Makes one. Executables are of whatever data, with functions of whatever name;
// |options| may be NULL.
iree_status_t noop_device_create(const noop_device_options_t* options,
                                 iree_allocator_t host_allocator,
                                 iree_hal_device_t** out_device);

// Dispatches that any such device has played so far, in this process.
uint64_t noop_device_dispatch_count(void);

// Fails each semaphore of such devices that has not failed, so that what waits
// for what nobody will signal, or in a ring, ends and is freed. For a time when
// nothing runs.
void noop_device_fail_pending(void);

#endif  // IREE_CY_TESTS_SUPPORT_NOOP_DEVICE_H_
