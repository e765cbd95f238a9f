// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns hal.executable.*.

#include "iree_cy/native/modules/hal/module_impl.h"

// The cache of |device|, borrowed from |state|.
static iree_status_t iree_hal_module_executable_cache(
    iree_hal_module_state_t* state, iree_hal_device_t* device,
    iree_hal_executable_cache_t** out_cache) {
  *out_cache = NULL;
  iree_host_size_t index = 0;
  while (index < state->module->device_count &&
         state->module->devices[index] != device) {
    ++index;
  }
  if (index == state->module->device_count) {
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "hal.executable.create: argument 'device' is '%.*s', none of the %zu "
        "devices of this context",
        IREE_SV_ARG(iree_hal_device_id(device)), state->module->device_count);
  }
  iree_hal_executable_cache_t** slot = &state->executable_caches[index];
  *out_cache = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
  if (*out_cache) return iree_ok_status();
  iree_hal_executable_cache_t* cache = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_executable_cache_create(device, IREE_SV("module"), &cache));
  // Two threads may get here at once; the first one's stays.
  if (__atomic_compare_exchange_n(slot, out_cache, cache, /*weak=*/false,
                                  __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    *out_cache = cache;
  } else {
    iree_hal_executable_cache_release(cache);
  }
  return iree_ok_status();
}

static iree_status_t iree_hal_module_prepare_executable(
    iree_hal_module_state_t* state, iree_hal_device_t* device,
    const iree_hal_executable_params_t* params,
    iree_hal_executable_t** out_executable) {
  *out_executable = NULL;
  iree_hal_executable_cache_t* cache = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_module_executable_cache(state, device, &cache));
  if (!iree_hal_executable_cache_can_prepare_format(
          cache, params->caching_mode, params->executable_format)) {
    return iree_make_status(
        IREE_STATUS_INCOMPATIBLE,
        "the program has an executable of format '%.*s', which device '%.*s' "
        "does not take; compile it for this device",
        (int)iree_min(params->executable_format.size, (iree_host_size_t)48),
        params->executable_format.data,
        IREE_SV_ARG(iree_hal_device_id(device)));
  }
  return iree_hal_executable_cache_prepare_executable(cache, params,
                                                      out_executable);
}

IREE_HAL_MODULE_EXPORT(executable_create) {
  IREE_HAL_MODULE_ARGUMENTS("executable.create");
  iree_hal_device_t* device = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_module_read_device(&args, "device", &device));
  iree_hal_executable_params_t params = {0};
  params.size = sizeof(params);
  params.queue_affinity = iree_hal_module_read_u64(&args);
  // Not ALIAS_PROVIDED_DATA: the executable does not keep the program's file,
  // and work in flight may keep the executable longer than the module lives.
  params.caching_mode = IREE_HAL_EXECUTABLE_CACHING_MODE_ALLOW_OPTIMIZATION;
  iree_vm_buffer_t* format = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_vm_buffer(&args, "executable_format", &format));
  params.executable_format = iree_vm_buffer_as_string(format);
  iree_vm_buffer_t* data = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_vm_buffer(&args, "executable_data", &data));
  params.executable_data = iree_vm_buffer_const_contents(data);
  iree_vm_buffer_t* constants = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_vm_buffer_or_null(&args, "constants", &constants));

  uint32_t* aligned_constants = NULL;
  if (constants) {
    iree_const_byte_span_t span = iree_vm_buffer_const_contents(constants);
    if (span.data_length % sizeof(uint32_t) != 0) {
      return iree_make_status(
          IREE_STATUS_INVALID_ARGUMENT,
          "hal.%s: argument 'constants' has %zu bytes, a multiple of 4 is "
          "wanted",
          args.function, span.data_length);
    }
    // A file may put them anywhere.
    IREE_RETURN_IF_ERROR(iree_allocator_clone(state->host_allocator, span,
                                              (void**)&aligned_constants));
    params.constant_count = span.data_length / sizeof(uint32_t);
    params.constants = aligned_constants;
  }
  iree_hal_executable_t* executable = NULL;
  iree_status_t status =
      iree_hal_module_prepare_executable(state, device, &params, &executable);
  iree_allocator_free(state->host_allocator, aligned_constants);
  IREE_RETURN_IF_ERROR(status);
  iree_hal_module_return_ref(results, IREE_HAL_MODULE_TYPE(executable),
                             executable);
  return iree_ok_status();
}

IREE_HAL_MODULE_EXPORT(executable_lookup_function) {
  IREE_HAL_MODULE_ARGUMENTS("executable.lookup.function");
  iree_hal_executable_t* executable = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_executable(&args, "executable", &executable));
  iree_vm_buffer_t* name = NULL;
  IREE_RETURN_IF_ERROR(
      iree_hal_module_read_vm_buffer(&args, "function_name", &name));
  iree_hal_executable_function_t function = {0};
  IREE_RETURN_IF_ERROR(iree_hal_executable_lookup_function_by_name(
      executable, iree_vm_buffer_as_string(name), &function));
  iree_hal_module_return_i64(results, (int64_t)function.value);
  return iree_ok_status();
}
