// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns remembering what a program asked for.

#include "iree_cy/native/modules/hal/choice.h"

static uint64_t iree_hal_module_hash(iree_string_view_t text) {
  uint64_t hash = UINT64_C(0xCBF29CE484222325);
  for (iree_host_size_t i = 0; i < text.size; ++i) {
    hash = (hash ^ (uint8_t)text.data[i]) * UINT64_C(0x100000001B3);
  }
  return hash;
}

// Under the lock. Another search begins.
static void iree_hal_module_choice_forget(iree_hal_module_choice_t* choice,
                                          const iree_hal_device_t* device) {
  uint32_t kept_count = 0;
  for (uint32_t i = 0; i < choice->count; ++i) {
    if (choice->asked[i].device == device) continue;
    choice->asked[kept_count++] = choice->asked[i];
  }
  choice->count = kept_count;
}

// Under the lock. False when |value|, of what was asked for before, is less
// than the best.
static bool iree_hal_module_choice_is_best(iree_hal_module_choice_t* choice,
                                           const iree_hal_device_t* device,
                                           uint64_t key_hash, int64_t value) {
  bool is_known = false;
  bool is_best = true;
  for (uint32_t i = 0; i < choice->count; ++i) {
    if (choice->asked[i].device != device) continue;
    if (choice->asked[i].key_hash == key_hash) is_known = true;
    if (choice->asked[i].value > value) is_best = false;
  }
  if (is_known) return is_best;
  if (choice->count < IREE_HAL_MODULE_CHOICE_CAPACITY) {
    choice->asked[choice->count].device = device;
    choice->asked[choice->count].key_hash = key_hash;
    choice->asked[choice->count++].value = value;
  }
  return true;
}

int64_t iree_hal_module_choice_answer(iree_hal_module_choice_t* choice,
                                      const iree_hal_device_t* device,
                                      iree_string_view_t category,
                                      iree_string_view_t key, int64_t value) {
  const bool is_format =
      iree_string_view_equal(category, IREE_SV("hal.executable.format"));
  if (!is_format &&
      !iree_string_view_equal(category, IREE_SV("hal.device.id"))) {
    return value;
  }
  iree_cy_mutex_lock(&choice->lock);
  if (!is_format) {
    iree_hal_module_choice_forget(choice, device);
  } else if (value != 0) {
    value = iree_hal_module_choice_is_best(choice, device,
                                           iree_hal_module_hash(key), value);
  }
  iree_cy_mutex_unlock(&choice->lock);
  return value;
}
