// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns lists of devices: copying them, and what is checked of a driver's.

#include "iree_cy/native/hal/device_infos.h"

#include "iree_cy/native/base/utf8.h"
#include "iree_cy/native/hal/vtable_defaults.h"

iree_status_t iree_hal_device_infos_clone(iree_host_size_t count,
                                          const iree_hal_device_info_t* infos,
                                          iree_allocator_t host_allocator,
                                          iree_hal_device_info_t** out_infos) {
  if (IREE_UNLIKELY(!out_infos || (count && !infos))) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "copying device infos needs the infos and a place "
                            "for the copy");
  }
  *out_infos = NULL;
  iree_host_size_t size = 0;
  bool fits = iree_host_size_checked_mul(count, sizeof(*infos), &size);
  for (iree_host_size_t i = 0; i < count && fits; ++i) {
    fits = iree_host_size_checked_add(size, infos[i].path.size, &size) &&
           iree_host_size_checked_add(size, infos[i].name.size, &size);
  }
  if (IREE_UNLIKELY(!fits)) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "%" PRIhsz " devices are too many to list", count);
  }
  void* block = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(host_allocator, size, &block));
  iree_hal_device_info_t* copies = (iree_hal_device_info_t*)block;
  char* text = (char*)(copies + count);
  for (iree_host_size_t i = 0; i < count; ++i) {
    copies[i] = infos[i];
    iree_string_view_t* views[] = {&copies[i].path, &copies[i].name};
    for (iree_host_size_t j = 0; j < IREE_ARRAYSIZE(views); ++j) {
      if (views[j]->size) memcpy(text, views[j]->data, views[j]->size);
      views[j]->data = text;
      text += views[j]->size;
    }
  }
  *out_infos = copies;
  return iree_ok_status();
}

//===-- checks --------------------------------------------------------------===

// The only place that knows what is told of a list that is no list.
static iree_status_t refuse_info(iree_hal_driver_t* driver,
                                 iree_host_size_t index, const char* problem) {
  return iree_make_status(IREE_STATUS_INTERNAL,
                          "driver '%.48s' broke the contract: the device at "
                          "position %" PRIhsz
                          " of its list %s; report it to the driver's author",
                          iree_cy_resource_owner(driver), index, problem);
}

// NULL, or what is wrong.
static const char* text_problem(iree_string_view_t text, bool is_path) {
  if (!text.size) return NULL;
  if (text.size > IREE_HAL_DEVICE_INFO_MAX_TEXT_SIZE) {
    return is_path ? "has a path of more than 4096 bytes"
                   : "has a name of more than 4096 bytes";
  }
  if (!iree_cy_is_address(text.data, 1)) {
    return is_path ? "has a path with a size and no text"
                   : "has a name with a size and no text";
  }
  if (!iree_cy_utf8_is_valid(text)) {
    return is_path ? "has a path that is not UTF-8"
                   : "has a name that is not UTF-8";
  }
  if (memchr(text.data, 0, text.size)) {
    return is_path ? "has a path with a NUL in it"
                   : "has a name with a NUL in it";
  }
  return NULL;
}

static const char* info_problem(const iree_hal_device_info_t* infos,
                                iree_host_size_t index) {
  const iree_hal_device_info_t* info = &infos[index];
  const char* problem = text_problem(info->path, /*is_path=*/true);
  if (!problem) problem = text_problem(info->name, /*is_path=*/false);
  for (iree_host_size_t i = 0; i < index && !problem; ++i) {
    if (infos[i].device_id == info->device_id) {
      problem = "has the device_id of one before it";
    } else if (info->path.size &&
               iree_string_view_equal(infos[i].path, info->path)) {
      problem = "has the path of one before it";
    }
  }
  return problem;
}

iree_status_t iree_cy_device_infos_check(iree_hal_driver_t* driver,
                                         iree_host_size_t count,
                                         const iree_hal_device_info_t* infos,
                                         bool* out_is_block) {
  *out_is_block = false;
  if (!count) return iree_ok_status();
  if (!infos) {
    return iree_cy_missing_result(driver,
                                  "iree_hal_driver_t.query_available_devices",
                                  "infos of the devices it counts");
  }
  if (!iree_cy_is_address(infos, sizeof(void*))) {
    return iree_cy_broken_contract(
        driver, "its list of devices is at an address that no list can have");
  }
  if (count > IREE_HAL_DEVICE_INFO_MAX_COUNT) {
    return iree_make_status(
        IREE_STATUS_INTERNAL,
        "driver '%.48s' broke the contract: it lists %" PRIhsz
        " devices, and may list %d; report it to the driver's author",
        iree_cy_resource_owner(driver), count, IREE_HAL_DEVICE_INFO_MAX_COUNT);
  }
  *out_is_block = true;
  for (iree_host_size_t i = 0; i < count; ++i) {
    const char* problem = info_problem(infos, i);
    if (problem) return refuse_info(driver, i, problem);
  }
  return iree_ok_status();
}
