// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the hal module itself: its table of exports, its state, its devices.

#include "iree_cy/native/modules/hal/module_impl.h"

// What the compiler knows the exports below as.
#define IREE_HAL_MODULE_VERSION 7

static const iree_vm_native_export_descriptor_t iree_hal_module_exports[] = {
#define IREE_HAL_MODULE_DECLARE_EXPORT(name, function, convention) \
  {{name, sizeof(name) - 1},                                       \
   {convention, sizeof(convention) - 1},                           \
   iree_hal_module_##function,                                     \
   0,                                                              \
   NULL},
#include "iree_cy/native/modules/hal/exports.inl"
#undef IREE_HAL_MODULE_DECLARE_EXPORT
};

static const iree_vm_native_module_descriptor_t iree_hal_module_descriptor = {
    .name = {"hal", 3},
    .version = IREE_HAL_MODULE_VERSION,
    // The state looks after itself.
    .flags = IREE_CY_VM_MODULE_FLAG_STATELESS,
    .export_count = IREE_ARRAYSIZE(iree_hal_module_exports),
    .exports = iree_hal_module_exports,
};

static void iree_hal_module_destroy(void* self) {
  iree_hal_module_t* module = (iree_hal_module_t*)self;
  for (iree_host_size_t i = 0; i < module->device_count; ++i) {
    iree_hal_device_release(module->devices[i]);
  }
  iree_allocator_free(module->host_allocator, module);
}

static iree_status_t iree_hal_module_alloc_state(
    void* self, iree_allocator_t allocator,
    iree_vm_module_state_t** out_module_state) {
  *out_module_state = NULL;
  const iree_hal_module_t* module = (const iree_hal_module_t*)self;
  iree_hal_module_state_t* state = NULL;
  // No overflow: an array of that many pointers exists in the module.
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(
      allocator,
      sizeof(*state) +
          module->device_count * sizeof(state->executable_caches[0]),
      (void**)&state));
  state->host_allocator = allocator;
  state->module = module;
  *out_module_state = (iree_vm_module_state_t*)state;
  return iree_ok_status();
}

static void iree_hal_module_free_state(void* self,
                                       iree_vm_module_state_t* module_state) {
  const iree_hal_module_t* module = (const iree_hal_module_t*)self;
  iree_hal_module_state_t* state = (iree_hal_module_state_t*)module_state;
  for (iree_host_size_t i = 0; i < module->device_count; ++i) {
    iree_hal_executable_cache_release(state->executable_caches[i]);
  }
  iree_allocator_free(state->host_allocator, state);
}

static iree_status_t iree_hal_module_notify(
    void* self, iree_vm_module_state_t* module_state, iree_vm_signal_t signal) {
  (void)module_state;
  const iree_hal_module_t* module = (const iree_hal_module_t*)self;
  iree_status_t status = iree_ok_status();
  if (signal != IREE_VM_SIGNAL_SUSPEND && signal != IREE_VM_SIGNAL_LOW_MEMORY) {
    return status;
  }
  for (iree_host_size_t i = 0; i < module->device_count; ++i) {
    status = iree_status_join(status, iree_hal_device_trim(module->devices[i]));
  }
  return status;
}

static iree_status_t iree_hal_module_explain_failure(
    void* self, iree_vm_module_state_t* module_state, iree_status_t status) {
  const iree_hal_module_t* module = (const iree_hal_module_t*)self;
  iree_hal_module_state_t* state = (iree_hal_module_state_t*)module_state;
  return iree_hal_module_mismatch_explain(
      &state->mismatch, module->device_count, module->devices, status);
}

iree_status_t iree_hal_module_create(iree_vm_instance_t* instance,
                                     iree_host_size_t device_count,
                                     iree_hal_device_t* const* devices,
                                     iree_hal_module_flags_t flags,
                                     iree_allocator_t host_allocator,
                                     iree_vm_module_t** out_module) {
  *out_module = NULL;
  // Programs count devices with 32 bits, and ask for a null one.
  if (device_count > INT32_MAX) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "%zu devices are too many for one hal module",
                            device_count);
  }
  for (iree_host_size_t i = 0; i < device_count; ++i) {
    if (devices[i]) continue;
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "device %zu of %zu for the hal module is null", i,
                            device_count);
  }
  if (flags != IREE_HAL_MODULE_FLAG_NONE) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "the hal module has no flags, 0x%x is given",
                            flags);
  }
  IREE_RETURN_IF_ERROR(iree_hal_module_register_all_types(instance));

  iree_hal_module_t* module = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(
      host_allocator,
      sizeof(*module) + device_count * sizeof(module->devices[0]),
      (void**)&module));
  module->host_allocator = host_allocator;
  module->device_count = device_count;
  for (iree_host_size_t i = 0; i < device_count; ++i) {
    module->devices[i] = devices[i];
    iree_hal_device_retain(devices[i]);
  }

  const iree_vm_module_t interface = {
      .self = module,
      .destroy = iree_hal_module_destroy,
      .alloc_state = iree_hal_module_alloc_state,
      .free_state = iree_hal_module_free_state,
      .notify = iree_hal_module_notify,
      .explain_failure = iree_hal_module_explain_failure,
  };
  iree_status_t status =
      iree_vm_native_module_create(&interface, &iree_hal_module_descriptor,
                                   instance, host_allocator, out_module);
  if (!iree_status_is_ok(status)) iree_hal_module_destroy(module);
  return status;
}
