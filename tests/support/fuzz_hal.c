// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns arguments for programs that are fuzzed on the real hal module.

#include "tests/support/fuzz_hal.h"

#include "tests/support/noop_device.h"

#define FUZZ_HAL_MAX_RANK 6
#define FUZZ_HAL_MAX_DIM 64
#define FUZZ_HAL_MAX_BYTES 65536

iree_status_t fuzz_hal_initialize(iree_vm_instance_t* instance,
                                  fuzz_hal_below_fn_t below,
                                  fuzz_hal_t* out_hal) {
  memset(out_hal, 0, sizeof(*out_hal));
  out_hal->below = below;
  iree_status_t status =
      noop_device_create(NULL, iree_allocator_system(), &out_hal->device);
  if (iree_status_is_ok(status)) {
    status = iree_hal_module_create(instance, 1, &out_hal->device,
                                    IREE_HAL_MODULE_FLAG_NONE,
                                    iree_allocator_system(), &out_hal->module);
  }
  if (!iree_status_is_ok(status)) fuzz_hal_deinitialize(out_hal);
  return status;
}

void fuzz_hal_deinitialize(fuzz_hal_t* hal) {
  iree_vm_module_release(hal->module);
  iree_hal_device_release(hal->device);
  memset(hal, 0, sizeof(*hal));
}

void fuzz_hal_settle(void) { noop_device_fail_pending(); }

typedef struct fuzz_hal_tensor_t {
  iree_host_size_t rank;
  iree_hal_dim_t shape[FUZZ_HAL_MAX_RANK];
  iree_hal_element_type_t element_type;
} fuzz_hal_tensor_t;

static const struct {
  iree_string_view_t name;
  iree_hal_element_type_t type;
} fuzz_hal_element_types[] = {
    {{"f32", 3}, IREE_HAL_ELEMENT_TYPE_FLOAT_32},
    {{"f64", 3}, IREE_HAL_ELEMENT_TYPE_FLOAT_64},
    {{"f16", 3}, IREE_HAL_ELEMENT_TYPE_FLOAT_16},
    {{"i32", 3}, IREE_HAL_ELEMENT_TYPE_INT_32},
    {{"i64", 3}, IREE_HAL_ELEMENT_TYPE_INT_64},
    {{"i8", 2}, IREE_HAL_ELEMENT_TYPE_INT_8},
    {{"i1", 2}, IREE_HAL_ELEMENT_TYPE_BOOL_8},
};

// Takes the next "tensor<4x?xf32>" from |*declaration|, which may be anything.
static bool fuzz_hal_next_tensor(const fuzz_hal_t* hal,
                                 iree_string_view_t* declaration,
                                 fuzz_hal_tensor_t* out_tensor) {
  memset(out_tensor, 0, sizeof(*out_tensor));
  iree_string_view_t rest = *declaration;
  while (rest.size && !iree_string_view_starts_with(rest, IREE_SV("tensor<"))) {
    rest = iree_string_view_remove_prefix(rest, 1);
  }
  rest = iree_string_view_remove_prefix(rest, 7);
  while (
      out_tensor->rank < FUZZ_HAL_MAX_RANK && rest.size &&
      (rest.data[0] == '?' || (rest.data[0] >= '0' && rest.data[0] <= '9'))) {
    iree_hal_dim_t dim = 0;
    if (rest.data[0] == '?') dim = hal->below(9);
    while (rest.size && rest.data[0] != 'x') {
      if (rest.data[0] >= '0' && rest.data[0] <= '9') {
        dim = iree_min(dim * 10 + (iree_hal_dim_t)(rest.data[0] - '0'),
                       (iree_hal_dim_t)FUZZ_HAL_MAX_DIM);
      }
      rest = iree_string_view_remove_prefix(rest, 1);
    }
    out_tensor->shape[out_tensor->rank++] = dim;
    rest = iree_string_view_remove_prefix(rest, 1);
  }
  *declaration = rest;
  for (size_t i = 0; i < IREE_ARRAYSIZE(fuzz_hal_element_types); ++i) {
    if (iree_string_view_starts_with(rest, fuzz_hal_element_types[i].name)) {
      out_tensor->element_type = fuzz_hal_element_types[i].type;
      return true;
    }
  }
  return false;
}

static void fuzz_hal_random_tensor(const fuzz_hal_t* hal,
                                   fuzz_hal_tensor_t* out_tensor) {
  out_tensor->rank = hal->below(4);
  for (iree_host_size_t i = 0; i < out_tensor->rank; ++i) {
    out_tensor->shape[i] = hal->below(9);
  }
  out_tensor->element_type =
      fuzz_hal_element_types[hal->below(IREE_ARRAYSIZE(fuzz_hal_element_types))]
          .type;
}

static iree_hal_buffer_t* fuzz_hal_make_buffer(const fuzz_hal_t* hal,
                                               iree_device_size_t length) {
  iree_hal_buffer_params_t params = {0};
  params.type =
      IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL | IREE_HAL_MEMORY_TYPE_HOST_VISIBLE;
  params.usage = IREE_HAL_BUFFER_USAGE_DEFAULT | IREE_HAL_BUFFER_USAGE_MAPPING;
  if (!hal->below(16)) params.access = IREE_HAL_MEMORY_ACCESS_READ;
  iree_hal_buffer_t* buffer = NULL;
  iree_status_t status = iree_hal_allocator_allocate_buffer(
      iree_hal_device_allocator(hal->device), params, length, &buffer);
  uint8_t zero = 0;
  if (iree_status_is_ok(status) && length) {
    status = iree_hal_buffer_map_fill(buffer, 0, length, &zero, 1);
  }
  iree_status_ignore(status);
  return buffer;
}

static iree_vm_ref_t fuzz_hal_make_view(const fuzz_hal_t* hal,
                                        const fuzz_hal_tensor_t* tensor) {
  iree_device_size_t length = 0;
  iree_status_t status = iree_hal_buffer_compute_view_size(
      tensor->rank, tensor->shape, tensor->element_type,
      IREE_HAL_ENCODING_TYPE_DENSE_ROW_MAJOR, &length);
  iree_hal_buffer_t* buffer = NULL;
  iree_hal_buffer_view_t* view = NULL;
  if (iree_status_is_ok(status) && length <= FUZZ_HAL_MAX_BYTES) {
    buffer = fuzz_hal_make_buffer(hal, length);
  }
  if (buffer) {
    status = iree_hal_buffer_view_create(
        buffer, tensor->rank, tensor->shape, tensor->element_type,
        IREE_HAL_ENCODING_TYPE_DENSE_ROW_MAJOR, iree_allocator_system(), &view);
  }
  iree_hal_buffer_release(buffer);
  iree_status_ignore(status);
  return iree_hal_buffer_view_move_ref(view);
}

static iree_vm_ref_t fuzz_hal_make_fence(const fuzz_hal_t* hal) {
  iree_hal_semaphore_t* semaphore = NULL;
  iree_hal_fence_t* fence = NULL;
  iree_status_t status = iree_hal_semaphore_create(
      hal->device, IREE_HAL_QUEUE_AFFINITY_ANY, hal->below(2),
      IREE_HAL_SEMAPHORE_FLAG_DEFAULT, &semaphore);
  if (iree_status_is_ok(status)) {
    status = iree_hal_fence_create_at(semaphore, 1 + hal->below(2),
                                      iree_allocator_system(), &fence);
  }
  iree_hal_semaphore_release(semaphore);
  iree_status_ignore(status);
  return iree_hal_fence_move_ref(fence);
}

iree_vm_ref_t fuzz_hal_make_ref(const fuzz_hal_t* hal,
                                iree_string_view_t* declaration) {
  fuzz_hal_tensor_t tensor;
  if (fuzz_hal_next_tensor(hal, declaration, &tensor) && hal->below(16)) {
    return fuzz_hal_make_view(hal, &tensor);
  }
  switch (hal->below(6)) {
    case 0:
      return iree_vm_ref_null();
    case 1:
      return iree_hal_buffer_move_ref(
          fuzz_hal_make_buffer(hal, hal->below(256)));
    case 2:
    case 3:
      return fuzz_hal_make_fence(hal);
    case 4:
      return iree_hal_device_retain_ref(hal->device);
    default:
      fuzz_hal_random_tensor(hal, &tensor);
      return fuzz_hal_make_view(hal, &tensor);
  }
}
