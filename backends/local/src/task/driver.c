// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the local-task plugin and the parameters of its device.

#include "../driver.h"

#include "device.h"

#define TASK_DRIVER_NAME "local-task"
#define TASK_HUMAN_NAME "CPU, on several threads"

// Longer would not fit the word of nanoseconds.
#define TASK_MAX_SPIN_US 1000000

static iree_status_t task_parse_number(iree_string_pair_t param, uint64_t first,
                                       uint64_t last, uint32_t* out_value) {
  uint64_t value = 0;
  if (!iree_string_view_parse_uint64(param.value, &value) || value < first ||
      value > last) {
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "parameter '%.*s' is '%.*s'; wanted is a number from %" PRIu64
        " to %" PRIu64,
        IREE_SV_ARG(param.key),
        (int)iree_min(param.value.size, (iree_host_size_t)64), param.value.data,
        first, last);
  }
  *out_value = (uint32_t)value;
  return iree_ok_status();
}

static iree_status_t task_parse_param(iree_string_view_t driver_name,
                                      iree_string_pair_t param,
                                      task_device_params_t* params) {
  if (iree_string_view_equal(param.key, IREE_SV("formats"))) {
    params->formats = param.value;
    return iree_ok_status();
  }
  if (iree_string_view_equal(param.key, IREE_SV("name"))) {
    params->name = param.value;
    return iree_ok_status();
  }
  if (iree_string_view_equal(param.key, IREE_SV("threads"))) {
    return task_parse_number(param, 0, TASK_MAX_THREAD_COUNT,
                             &params->thread_count);
  }
  if (iree_string_view_equal(param.key, IREE_SV("spin_us"))) {
    return task_parse_number(param, 0, TASK_MAX_SPIN_US, &params->spin_us);
  }
  if (iree_string_view_equal(param.key, IREE_SV("cpus"))) {
    IREE_RETURN_IF_ERROR(task_cpu_set_parse(param.value, &params->cpus));
    params->has_cpus = task_cpu_set_count(&params->cpus) > 0;
    return iree_ok_status();
  }
  return iree_make_status(
      IREE_STATUS_INVALID_ARGUMENT,
      "driver '%.*s' has no parameter '%.*s'; it has threads, cpus, spin_us, "
      "formats, name",
      IREE_SV_ARG(driver_name),
      (int)iree_min(param.key.size, (iree_host_size_t)64), param.key.data);
}

// As many as there are processors of |params| that this process may use, and
// time for.
static iree_status_t task_default_threads(task_device_params_t* params) {
  task_cpu_set_t allowed;
  IREE_RETURN_IF_ERROR(task_cpu_set_allowed(&allowed));
  if (params->has_cpus) {
    task_cpu_set_t both = allowed;
    for (iree_host_size_t i = 0; i < IREE_ARRAYSIZE(both.words); ++i) {
      both.words[i] &= params->cpus.words[i];
    }
    if (task_cpu_set_count(&both) == 0) {
      return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                              "parameter 'cpus' names none of the %" PRIu32
                              " processors that this process may use",
                              task_cpu_set_count(&allowed));
    }
    allowed = both;
    params->cpus = both;
  }
  if (params->thread_count) return iree_ok_status();
  uint32_t count = task_cpu_set_count(&allowed);
  const uint32_t quota =
      task_quota_cpu_count("/proc/self/cgroup", "/sys/fs/cgroup");
  if (quota && quota < count) count = quota;
  params->thread_count =
      iree_min(iree_max(count, 1u), (uint32_t)TASK_MAX_THREAD_COUNT);
  return iree_ok_status();
}

static iree_status_t task_driver_create_device(iree_string_view_t driver_name,
                                               iree_host_size_t param_count,
                                               const iree_string_pair_t* params,
                                               iree_allocator_t host_allocator,
                                               iree_hal_device_t** out_device) {
  task_device_params_t device_params;
  memset(&device_params, 0, sizeof(device_params));
  device_params.name = IREE_SV("iree-cy");
  for (iree_host_size_t i = 0; i < param_count; ++i) {
    IREE_RETURN_IF_ERROR(
        task_parse_param(driver_name, params[i], &device_params));
  }
  IREE_RETURN_IF_ERROR(task_default_threads(&device_params));
  return task_device_create(driver_name, &device_params, host_allocator,
                            out_device);
}

static iree_status_t task_driver_create(iree_string_view_t driver_name,
                                        iree_allocator_t host_allocator,
                                        iree_hal_driver_t** out_driver) {
  static const local_driver_kind_t kind = {
      .human_name = {TASK_HUMAN_NAME, sizeof(TASK_HUMAN_NAME) - 1},
      .create_device = task_driver_create_device,
  };
  return local_driver_create(&kind, driver_name, host_allocator, out_driver);
}

static bool task_plugin_initialize(void) {
  const iree_string_view_t owner = IREE_SV(TASK_DRIVER_NAME);
  iree_status_t status = local_driver_register(owner);
  if (iree_status_is_ok(status)) status = task_device_register(owner);
  if (iree_status_is_ok(status)) return true;
  iree_cy_log(IREE_CY_LOG_LEVEL_ERROR, owner, iree_status_message(status));
  iree_status_ignore(status);
  return false;
}

static const iree_cy_driver_plugin_t task_plugin = {
    .size = sizeof(task_plugin),
    .version = IREE_CY_ABI_VERSION,
    .host_api_size = sizeof(iree_cy_host_api_t),
    .name = TASK_DRIVER_NAME,
    .human_name = TASK_HUMAN_NAME,
    .plugin_version = "0.1.0",
    .create_driver = task_driver_create,
};

IREE_CY_DEFINE_DRIVER_PLUGIN(task_plugin, task_plugin_initialize)
