// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the sentence that says why a program found no device to run on.

#include "iree_cy/native/modules/hal/mismatch.h"

#include <stdio.h>

// Room for a list of names within the sentence.
#define IREE_HAL_MODULE_NAMES_LENGTH 48

static void iree_hal_module_copy_name(iree_string_view_t name, char* target) {
  iree_host_size_t length =
      iree_min(name.size, (iree_host_size_t)IREE_HAL_MODULE_MISMATCH_LENGTH);
  for (iree_host_size_t i = 0; i < length; ++i) {
    // It comes from the program, and goes into a line of text.
    target[i] = name.data[i] > ' ' && name.data[i] <= '~' ? name.data[i] : '?';
  }
  target[length] = 0;
}

static void iree_hal_module_want(iree_hal_module_wanted_t* wanted,
                                 iree_string_view_t name) {
  char text[IREE_HAL_MODULE_MISMATCH_LENGTH + 1];
  iree_hal_module_copy_name(name, text);
  for (uint32_t i = 0; i < wanted->count; ++i) {
    if (strcmp(wanted->text[i], text) == 0) return;
  }
  if (wanted->count == IREE_HAL_MODULE_MISMATCH_CAPACITY) return;
  memcpy(wanted->text[wanted->count++], text, sizeof(text));
}

void iree_hal_module_mismatch_note(iree_hal_module_mismatch_t* mismatch,
                                   const iree_hal_device_t* device,
                                   iree_string_view_t category,
                                   iree_string_view_t key, bool is_match) {
  const bool is_id = iree_string_view_equal(category, IREE_SV("hal.device.id"));
  if (!is_id &&
      !iree_string_view_equal(category, IREE_SV("hal.executable.format"))) {
    return;
  }
  iree_cy_mutex_lock(&mismatch->lock);
  iree_hal_module_wanted_t* wanted =
      is_id ? &mismatch->ids : &mismatch->formats;
  if (is_match) {
    wanted->count = 0;
  } else {
    iree_hal_module_want(wanted, key);
  }
  if (!is_id) {
    iree_hal_module_copy_name(iree_hal_device_id(device), mismatch->device);
  }
  iree_cy_mutex_unlock(&mismatch->lock);
}

// Appends |name| in quotes to the list |names|, "..." when it does not fit.
static void iree_hal_module_append_name(const char* separator, const char* name,
                                        char* names) {
  iree_host_size_t used = strlen(names);
  iree_host_size_t left = IREE_HAL_MODULE_NAMES_LENGTH - used;
  int length =
      snprintf(names + used, left, "%s'%s'", used ? separator : "", name);
  if (length >= 0 && (iree_host_size_t)length < left) return;
  // Once full it stays full.
  names[used] = 0;
  if (left > 4) memcpy(names + used, " ...", 5);
}

static void iree_hal_module_list_wanted(const iree_hal_module_wanted_t* wanted,
                                        char* names) {
  names[0] = 0;
  for (uint32_t i = 0; i < wanted->count; ++i) {
    iree_hal_module_append_name(" or ", wanted->text[i], names);
  }
}

static void iree_hal_module_list_devices(iree_host_size_t device_count,
                                         iree_hal_device_t* const* devices,
                                         char* names) {
  names[0] = 0;
  for (iree_host_size_t i = 0; i < iree_min(device_count, (iree_host_size_t)4);
       ++i) {
    char name[IREE_HAL_MODULE_MISMATCH_LENGTH + 1];
    iree_hal_module_copy_name(iree_hal_device_id(devices[i]), name);
    iree_hal_module_append_name(", ", name, names);
  }
}

// Whether |status| is the words that the compiler puts into programs for a
// device that was not found.
static bool iree_hal_module_is_device_missing(iree_status_t status) {
  return iree_string_view_match_pattern(iree_status_message(status),
                                        IREE_SV("HAL device *not found*"));
}

iree_status_t iree_hal_module_mismatch_explain(
    iree_hal_module_mismatch_t* mismatch, iree_host_size_t device_count,
    iree_hal_device_t* const* devices, iree_status_t status) {
  const iree_status_code_t code = iree_status_code(status);
  // What programs fail with when there is no device, or no format it takes.
  if (code != IREE_STATUS_INCOMPATIBLE && code != IREE_STATUS_UNAVAILABLE) {
    return status;
  }
  iree_cy_mutex_lock(&mismatch->lock);
  iree_hal_module_wanted_t ids = mismatch->ids;
  iree_hal_module_wanted_t formats = mismatch->formats;
  char device[sizeof(mismatch->device)];
  memcpy(device, mismatch->device, sizeof(device));
  mismatch->ids.count = 0;
  mismatch->formats.count = 0;
  iree_cy_mutex_unlock(&mismatch->lock);

  char wanted[IREE_HAL_MODULE_NAMES_LENGTH];
  if (formats.count) {
    iree_hal_module_list_wanted(&formats, wanted);
    return iree_status_join(
        iree_make_status(
            code,
            "the program wants executables of format %s, which device '%s' "
            "does not take; compile it for this device",
            wanted, device),
        status);
  }
  char given[IREE_HAL_MODULE_NAMES_LENGTH];
  iree_hal_module_list_devices(device_count, devices, given);
  if (!ids.count) {
    if (!iree_hal_module_is_device_missing(status)) return status;
    // Each was of a kind that it takes, so there are too few of them.
    return iree_status_join(
        iree_make_status(code,
                         "the program wants more devices than the %" PRIhsz
                         " given (%s); pass as many as it was compiled for",
                         device_count, given),
        status);
  }
  iree_hal_module_list_wanted(&ids, wanted);
  return iree_status_join(
      iree_make_status(code,
                       "the program wants a device %s, the device%s %s; "
                       "compile it for this device or choose another one",
                       wanted, device_count == 1 ? " is" : "s are", given),
      status);
}
