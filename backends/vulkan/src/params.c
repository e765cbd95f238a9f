// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the parameters of a device.

#include "params.h"

// Long values are cut in messages.
#define VULKAN_CUT(view) \
  (int)iree_min((view).size, (iree_host_size_t)64), (view).data

static iree_status_t vulkan_parse_number(iree_string_pair_t param,
                                         int64_t first, int64_t last,
                                         int64_t* out_value) {
  if (iree_string_view_parse_int64(param.value, out_value) &&
      *out_value >= first && *out_value <= last) {
    return iree_ok_status();
  }
  return iree_make_status(
      IREE_STATUS_INVALID_ARGUMENT,
      "parameter '%.*s' is '%.*s'; wanted is a number from %" PRId64
      " to %" PRId64,
      IREE_SV_ARG(param.key), VULKAN_CUT(param.value), first, last);
}

static iree_status_t vulkan_parse_bool(iree_string_pair_t param,
                                       bool* out_value) {
  *out_value = iree_string_view_equal(param.value, IREE_SV("true"));
  if (*out_value || iree_string_view_equal(param.value, IREE_SV("false"))) {
    return iree_ok_status();
  }
  return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                          "parameter '%.*s' is '%.*s'; wanted is true or false",
                          IREE_SV_ARG(param.key), VULKAN_CUT(param.value));
}

static iree_status_t vulkan_parse_memory(iree_string_pair_t param,
                                         vulkan_memory_preference_t* out) {
  static const char* const words[] = {
      [VULKAN_MEMORY_AUTO] = "auto",
      [VULKAN_MEMORY_DEVICE] = "device",
      [VULKAN_MEMORY_HOST] = "host",
  };
  for (uint32_t i = 0; i < IREE_ARRAYSIZE(words); ++i) {
    if (iree_string_view_equal(param.value, iree_make_cstring_view(words[i]))) {
      *out = (vulkan_memory_preference_t)i;
      return iree_ok_status();
    }
  }
  return iree_make_status(
      IREE_STATUS_INVALID_ARGUMENT,
      "parameter 'memory' is '%.*s'; wanted is auto, device or host",
      VULKAN_CUT(param.value));
}

static iree_status_t vulkan_parse_param(iree_string_view_t driver_name,
                                        iree_string_pair_t param,
                                        vulkan_device_params_t* params) {
  const struct {
    iree_string_view_t key;
    bool* value;
  } switches[] = {
      {IREE_SV("staging"), &params->staging},
      {IREE_SV("validation"), &params->validation},
      {IREE_SV("debug_names"), &params->debug_names},
      {IREE_SV("robust_access"), &params->robust_access},
  };
  for (iree_host_size_t i = 0; i < IREE_ARRAYSIZE(switches); ++i) {
    if (iree_string_view_equal(param.key, switches[i].key)) {
      return vulkan_parse_bool(param, switches[i].value);
    }
  }
  int64_t number = 0;
  if (iree_string_view_equal(param.key, IREE_SV("index"))) {
    IREE_RETURN_IF_ERROR(vulkan_parse_number(param, -1, INT16_MAX, &number));
    params->index = (int32_t)number;
    return iree_ok_status();
  }
  if (iree_string_view_equal(param.key, IREE_SV("queue_family"))) {
    IREE_RETURN_IF_ERROR(vulkan_parse_number(param, -1, INT16_MAX, &number));
    params->queue_family = (int32_t)number;
    return iree_ok_status();
  }
  if (iree_string_view_equal(param.key, IREE_SV("queues"))) {
    IREE_RETURN_IF_ERROR(
        vulkan_parse_number(param, 0, VULKAN_MAX_QUEUE_COUNT, &number));
    params->queue_count = (uint32_t)number;
    return iree_ok_status();
  }
  if (iree_string_view_equal(param.key, IREE_SV("memory"))) {
    return vulkan_parse_memory(param, &params->memory);
  }
  return iree_make_status(
      IREE_STATUS_INVALID_ARGUMENT,
      "driver '%.*s' has no parameter '%.*s'; it has index, queue_family, "
      "queues, memory, staging, validation, debug_names, robust_access",
      IREE_SV_ARG(driver_name), VULKAN_CUT(param.key));
}

iree_status_t vulkan_device_params_parse(iree_string_view_t driver_name,
                                         iree_host_size_t param_count,
                                         const iree_string_pair_t* params,
                                         vulkan_device_params_t* out_params) {
  memset(out_params, 0, sizeof(*out_params));
  out_params->index = -1;
  out_params->queue_family = -1;
  for (iree_host_size_t i = 0; i < param_count; ++i) {
    IREE_RETURN_IF_ERROR(
        vulkan_parse_param(driver_name, params[i], out_params));
  }
  return iree_ok_status();
}
