// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what reading arguments needs when something is wrong with them.

#include "iree_cy/native/modules/hal/arguments.h"

iree_status_t iree_hal_module_ref_error(const char* function,
                                        const char* argument, iree_vm_ref_t ref,
                                        iree_vm_ref_type_t type) {
  iree_string_view_t wanted = iree_vm_ref_type_name(type);
  iree_string_view_t given =
      ref.ptr ? iree_vm_ref_type_name(ref.type) : IREE_SV("null");
  return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                          "hal.%s: argument '%s' is %.*s, a %.*s is wanted",
                          function, argument, IREE_SV_ARG(given),
                          IREE_SV_ARG(wanted));
}

iree_status_t iree_hal_module_value_error(const char* function,
                                          const char* argument, int64_t value) {
  return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                          "hal.%s: argument '%s' cannot be %" PRIi64, function,
                          argument, value);
}

iree_status_t iree_hal_module_count_error(const char* function,
                                          const char* argument, uint64_t count,
                                          iree_host_size_t maximum) {
  return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                          "hal.%s: argument '%s' has %" PRIu64
                          " elements, the most is %zu",
                          function, argument, count, maximum);
}

iree_status_t iree_hal_module_read_shape(iree_hal_module_arguments_t* args,
                                         iree_host_size_t capacity,
                                         iree_hal_dim_t* shape,
                                         iree_host_size_t* out_rank) {
  *out_rank = 0;
  const iree_host_size_t rank = iree_hal_module_read_count(args);
  if (rank > capacity) {
    return iree_hal_module_count_error(args->function, "shape", rank, capacity);
  }
  for (iree_host_size_t i = 0; i < rank; ++i) {
    shape[i] = iree_hal_module_read_u64(args);
    if (shape[i] > (iree_hal_dim_t)INT64_MAX) {
      return iree_hal_module_value_error(args->function, "shape",
                                         (int64_t)shape[i]);
    }
  }
  *out_rank = rank;
  return iree_ok_status();
}
