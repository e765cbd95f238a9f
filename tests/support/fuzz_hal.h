// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what fuzz targets need to run programs on the real hal module.

#ifndef IREE_CY_TESTS_SUPPORT_FUZZ_HAL_H_
#define IREE_CY_TESTS_SUPPORT_FUZZ_HAL_H_

#include "iree_cy/modules/hal_module.h"

// A random number below |bound|.
typedef size_t (*fuzz_hal_below_fn_t)(size_t bound);

// The hal module over one device whose dispatches do nothing.
typedef struct fuzz_hal_t {
  fuzz_hal_below_fn_t below;
  iree_hal_device_t* device;
  iree_vm_module_t* module;
} fuzz_hal_t;

iree_status_t fuzz_hal_initialize(iree_vm_instance_t* instance,
                                  fuzz_hal_below_fn_t below,
                                  fuzz_hal_t* out_hal);
void fuzz_hal_deinitialize(fuzz_hal_t* hal);
// Ends what a program has left waiting for good.
void fuzz_hal_settle(void);

// A reference to some HAL object, or null; mostly what a function wants whose
// |*declaration| ("iree.abi.declaration", of which the rest is left there)
// says: a buffer view of the next tensor's shape and type.
iree_vm_ref_t fuzz_hal_make_ref(const fuzz_hal_t* hal,
                                iree_string_view_t* declaration);

#endif  // IREE_CY_TESTS_SUPPORT_FUZZ_HAL_H_
