// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what a driver plugin gives and gets: include it first, before any other
// header of this project.

#ifndef IREE_CY_PLUGIN_H_
#define IREE_CY_PLUGIN_H_

#include "iree_cy/host_table.h"

IREE_CY_EXTERN_C_BEGIN

// Makes the plugin's driver, once per process and name: an object with that
// name and a vtable that iree_cy_register_vtable gave. May load a vendor's
// library. Objects made by it hold no reference to the plugin: the library
// stays loaded.
typedef iree_status_t (*iree_cy_create_driver_fn_t)(
    iree_string_view_t driver_name, iree_allocator_t host_allocator,
    iree_hal_driver_t** out_driver);

// What the query returns, immortal.
typedef struct iree_cy_driver_plugin_t {
  // sizeof(iree_cy_driver_plugin_t) as compiled.
  uint32_t size;
  // IREE_CY_ABI_VERSION as compiled.
  uint32_t version;
  uint64_t reserved;
  // Bytes of the host table that the plugin needs: sizeof(iree_cy_host_api_t)
  // as compiled, or less for a plugin that uses older functions only (the
  // offset of the last one in iree_cy_host_api_t, and its size). A host with a
  // shorter table refuses the plugin, naming both. Not 0.
  uint64_t host_api_size;
  // NUL-terminated, UTF-8, of 1 to 255 bytes: the driver's name (the entry
  // point's), the words for people, and the plugin's own version.
  const char* name;
  const char* human_name;
  const char* plugin_version;
  iree_cy_create_driver_fn_t create_driver;
} iree_cy_driver_plugin_t;

// The one function that a plugin exports. When |abi_version| is not the
// plugin's own, or |host->size| is less than the plugin's host_api_size, it
// must touch nothing else of |host| and still return its table, so that the
// host can name both. NULL means that it failed; the last ERROR that it logged
// meanwhile becomes part of the message. Registers the vtables
// (iree_cy_register_vtable).
typedef const iree_cy_driver_plugin_t* (*iree_cy_driver_plugin_query_fn_t)(
    uint32_t abi_version, const iree_cy_host_api_t* host);
#define IREE_CY_DRIVER_PLUGIN_QUERY_NAME "iree_cy_driver_plugin_query"

// Defines the query:
//
//   static bool my_initialize(void) { ...register vtables...; return true; }
//   static const iree_cy_driver_plugin_t my_plugin = {
//       .size = sizeof(my_plugin),
//       .version = IREE_CY_ABI_VERSION,
//       .host_api_size = sizeof(iree_cy_host_api_t),
//       .name = "my", ...};
//   IREE_CY_DEFINE_DRIVER_PLUGIN(my_plugin, my_initialize)
#define IREE_CY_DEFINE_DRIVER_PLUGIN(plugin, initialize)                 \
  IREE_CY_EXTERN_C_BEGIN                                                 \
  __attribute__((visibility("default"))) const iree_cy_driver_plugin_t*  \
  iree_cy_driver_plugin_query(uint32_t abi_version,                      \
                              const iree_cy_host_api_t* host) {          \
    if (abi_version != IREE_CY_ABI_VERSION || !host ||                   \
        host->size < (plugin).host_api_size) {                           \
      return &(plugin);                                                  \
    }                                                                    \
    if (!iree_cy_host_table_accept_size(host, (plugin).host_api_size)) { \
      return NULL;                                                       \
    }                                                                    \
    return initialize() ? &(plugin) : NULL;                              \
  }                                                                      \
  IREE_CY_EXTERN_C_END

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_PLUGIN_H_
