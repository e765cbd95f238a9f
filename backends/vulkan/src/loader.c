// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the system's Vulkan loader: where it is found, and its entry points.

#include "loader.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "manifest.h"

iree_status_t vulkan_loader_open(vulkan_global_table_t* out_table) {
  memset(out_table, 0, sizeof(*out_table));
  const char* named = getenv(VULKAN_LOADER_VARIABLE);
  if (named && !*named) named = NULL;
  const char* path = named ? named : VULKAN_LOADER_NAME;
  // Opened again it is the same mapping, so that nothing need be kept here.
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library) {
    const char* reason = dlerror();
    iree_status_t status =
        named ? iree_make_status(
                    IREE_STATUS_UNAVAILABLE,
                    "the Vulkan loader '%s%s', which " VULKAN_LOADER_VARIABLE
                    " names, cannot be opened",
                    VULKAN_PATH_ARG(path))
              : iree_make_status(IREE_STATUS_UNAVAILABLE,
                                 "there is no Vulkan loader " VULKAN_LOADER_NAME
                                 "; install it (Debian: libvulkan1), or name "
                                 "one in " VULKAN_LOADER_VARIABLE);
    return iree_status_annotate_f(status, "%s", reason ? reason : path);
  }

  // ISO C has no other way from an object's address to a function's.
  void* entry = dlsym(library, "vkGetInstanceProcAddr");
  memcpy(&out_table->GetInstanceProcAddr, &entry, sizeof(entry));
  const char* missing = "vkGetInstanceProcAddr";
  if (out_table->GetInstanceProcAddr) {
    missing = NULL;
#define VULKAN_LOAD(name, result, parameters)                         \
  out_table->name =                                                   \
      (PFN_vk##name)out_table->GetInstanceProcAddr(NULL, "vk" #name); \
  if (!out_table->name) missing = "vk" #name;
    VULKAN_GLOBAL_FUNCTIONS(VULKAN_LOAD)
#undef VULKAN_LOAD
  }
  if (missing) {
    return vulkan_annotate_path(
        iree_make_status(IREE_STATUS_UNAVAILABLE,
                         "'%s%s'%s is no Vulkan loader of today: it has no %s",
                         VULKAN_PATH_ARG(path),
                         named ? " (" VULKAN_LOADER_VARIABLE ")" : "", missing),
        path);
  }
  return iree_ok_status();
}
