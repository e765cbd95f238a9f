// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the opening of driver plugins.

#include "iree_cy/native/loaders/plugin_loader.h"

#include <dlfcn.h>

#include "iree_cy/native/loaders/host_table.h"
#include "iree_cy/plugin.h"

// What each version of the contract has at the same place.
#define PLUGIN_HEADER_SIZE \
  (offsetof(iree_cy_driver_plugin_t, reserved) + sizeof(uint64_t))

static const char* file_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static iree_status_t check_plugin(const iree_cy_driver_plugin_t* plugin,
                                  iree_string_view_t driver_name,
                                  const char* library) {
  // The versions come first: of another version nothing else is known.
  if (plugin->size < PLUGIN_HEADER_SIZE) {
    return iree_make_status(IREE_STATUS_INCOMPATIBLE,
                            "the plugin table of %s has %u bytes and no header",
                            library, (unsigned)plugin->size);
  }
  if (plugin->version != IREE_CY_ABI_VERSION) {
    return iree_make_status(
        IREE_STATUS_INCOMPATIBLE,
        "%s was built for plugin ABI version %u, and this iree_cy has version "
        "%u; install builds that fit each other",
        library, (unsigned)plugin->version, (unsigned)IREE_CY_ABI_VERSION);
  }
  if (plugin->size < sizeof(iree_cy_driver_plugin_t)) {
    return iree_make_status(
        IREE_STATUS_INCOMPATIBLE,
        "the plugin table of %s has %u bytes, and ABI version %u has %u",
        library, (unsigned)plugin->size, (unsigned)IREE_CY_ABI_VERSION,
        (unsigned)sizeof(iree_cy_driver_plugin_t));
  }
  if (!plugin->name || !plugin->create_driver) {
    return iree_make_status(IREE_STATUS_INTERNAL,
                            "the plugin table of %s has no %s", library,
                            plugin->name ? "create_driver" : "name");
  }
  if (!iree_string_view_equal(iree_make_cstring_view(plugin->name),
                              driver_name)) {
    return iree_make_status(IREE_STATUS_INCOMPATIBLE,
                            "%s is the plugin of driver '%s', not of '%.*s'",
                            library, plugin->name, IREE_SV_ARG(driver_name));
  }
  return iree_ok_status();
}

static iree_status_t open_plugin(iree_string_view_t driver_name,
                                 const char* library_path,
                                 const iree_cy_driver_plugin_t** out_plugin) {
  *out_plugin = NULL;
  const char* library = file_name(library_path);
  // NODELETE and no dlclose: objects of the driver hold no reference to it.
  void* handle = dlopen(library_path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle) {
    const char* reason = dlerror();
    return iree_make_status(IREE_STATUS_UNAVAILABLE, "%s does not load: %s",
                            library, reason ? reason : "unknown reason");
  }
  union {
    void* symbol;
    iree_cy_driver_plugin_query_fn_t query;
  } entry;
  entry.symbol = dlsym(handle, IREE_CY_DRIVER_PLUGIN_QUERY_NAME);
  if (!entry.symbol) {
    return iree_make_status(IREE_STATUS_INCOMPATIBLE,
                            "%s is no driver plugin: it exports "
                            "no " IREE_CY_DRIVER_PLUGIN_QUERY_NAME,
                            library);
  }
  const iree_cy_driver_plugin_t* plugin =
      entry.query(IREE_CY_ABI_VERSION, iree_cy_host_api());
  if (!plugin) {
    return iree_make_status(
        IREE_STATUS_INTERNAL,
        "%s refused to start: its query returned NULL; its log may say why",
        library);
  }
  IREE_RETURN_IF_ERROR(check_plugin(plugin, driver_name, library));
  *out_plugin = plugin;
  return iree_ok_status();
}

iree_status_t iree_cy_plugin_create_driver(iree_string_view_t driver_name,
                                           const char* library_path,
                                           iree_allocator_t host_allocator,
                                           iree_hal_driver_t** out_driver) {
  *out_driver = NULL;
  const iree_cy_driver_plugin_t* plugin = NULL;
  IREE_RETURN_IF_ERROR(open_plugin(driver_name, library_path, &plugin));
  iree_hal_driver_t* driver = NULL;
  IREE_RETURN_IF_ERROR(
      plugin->create_driver(driver_name, host_allocator, &driver));
  if (!driver) {
    return iree_make_status(IREE_STATUS_INTERNAL,
                            "the factory of %s returned OK and no driver",
                            file_name(library_path));
  }
  *out_driver = driver;
  return iree_ok_status();
}
