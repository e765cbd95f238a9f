// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the answer to why the Vulkan loader found no driver: the manifests that
// it reads, and what is wrong with them.

#ifndef IREE_CY_VULKAN_MANIFEST_H_
#define IREE_CY_VULKAN_MANIFEST_H_

#include "iree_cy/plugin.h"

// Looks where the loader looks (VK_DRIVER_FILES, else VK_ICD_FILENAMES, else
// the standard folders) and tells what keeps it from a driver: that no manifest
// is there, or the first one that is broken, by name. OK when nothing seems
// wrong with them.
iree_status_t vulkan_manifests_explain(iree_allocator_t host_allocator);

// Paths in messages lose their head when they are long: two arguments for
// "%s%s". A status with a cut one has it whole as an annotation.
#define VULKAN_MAX_SHOWN_PATH 56
#define VULKAN_PATH_ARG(path)                                   \
  strlen(path) > VULKAN_MAX_SHOWN_PATH ? "..." : "",            \
      strlen(path) > VULKAN_MAX_SHOWN_PATH                      \
          ? (path) + strlen(path) - (VULKAN_MAX_SHOWN_PATH - 3) \
          : (path)
static inline iree_status_t vulkan_annotate_path(iree_status_t status,
                                                 const char* path) {
  if (strlen(path) <= VULKAN_MAX_SHOWN_PATH) return status;
  return iree_status_annotate_f(status, "%s", path);
}

// The variable that says where manifests are, with its value; NULL when none
// does and the standard folders are searched.
const char* vulkan_manifests_variable(const char** out_value);

// Checks that |text| is JSON with an object "ICD" that has a string
// "library_path". Returns NULL and the string's contents (not unescaped), or
// what is wrong.
const char* vulkan_manifest_check(iree_string_view_t text,
                                  iree_string_view_t* out_library_path);

#endif  // IREE_CY_VULKAN_MANIFEST_H_
