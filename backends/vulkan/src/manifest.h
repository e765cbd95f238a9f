// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the answer to why the Vulkan loader found no driver: the manifests that
// it reads, and what is wrong with them.

#ifndef IREE_CY_VULKAN_MANIFEST_H_
#define IREE_CY_VULKAN_MANIFEST_H_

#include "iree_cy/plugin.h"

// Looks where the loader looks (VK_DRIVER_FILES, else VK_ICD_FILENAMES, else
// the standard folders) and tells what keeps it from a driver: that no manifest
// is there, or the first one that is broken, by name. Never OK.
iree_status_t vulkan_manifests_explain(iree_allocator_t host_allocator);

// The variable that says where manifests are, with its value; NULL when none
// does and the standard folders are searched.
const char* vulkan_manifests_variable(const char** out_value);

// Checks that |text| is JSON with an object "ICD" that has a string
// "library_path". Returns NULL and the string's contents (not unescaped), or
// what is wrong.
const char* vulkan_manifest_check(iree_string_view_t text,
                                  iree_string_view_t* out_library_path);

#endif  // IREE_CY_VULKAN_MANIFEST_H_
