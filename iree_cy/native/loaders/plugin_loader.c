// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the opening of driver plugins.

#include "iree_cy/native/loaders/plugin_loader.h"

#include <dlfcn.h>

#include "iree_cy/native/base/gate.h"
#include "iree_cy/native/base/log_ring.h"
#include "iree_cy/native/base/utf8.h"
#include "iree_cy/native/hal/vtable_defaults.h"
#include "iree_cy/native/loaders/host_table.h"
#include "iree_cy/native/loaders/plugin_library.h"
#include "iree_cy/plugin.h"

// What each version of the contract has at the same place.
#define PLUGIN_HEADER_SIZE \
  (offsetof(iree_cy_driver_plugin_t, reserved) + sizeof(uint64_t))
// What the first table of this version had. Later members are optional.
#define PLUGIN_TABLE_SIZE                             \
  (offsetof(iree_cy_driver_plugin_t, create_driver) + \
   sizeof(iree_cy_create_driver_fn_t))

// Names in messages are cut, so that their first line stays readable.
#define NAME_FORMAT "%.48s"
// Room for a text of the table with its NUL.
#define PLUGIN_TEXT_SIZE 256
#define TELL_AUTHOR "; report it to the driver's author"

// Whether the table can be read, and the host's by the plugin.
static iree_status_t check_plugin_fits(const iree_cy_driver_plugin_t* plugin,
                                       const char* library) {
  // The versions come first: of another version nothing else is known.
  if (plugin->size < PLUGIN_HEADER_SIZE) {
    return iree_make_status(IREE_STATUS_INCOMPATIBLE,
                            "the plugin table of " NAME_FORMAT
                            " has %u bytes and no header" TELL_AUTHOR,
                            library, (unsigned)plugin->size);
  }
  if (plugin->version != IREE_CY_ABI_VERSION) {
    return iree_make_status(
        IREE_STATUS_INCOMPATIBLE,
        NAME_FORMAT
        " was built for plugin ABI version %u, and this iree_cy has version "
        "%u; install builds that fit each other",
        library, (unsigned)plugin->version, (unsigned)IREE_CY_ABI_VERSION);
  }
  if (plugin->size < PLUGIN_TABLE_SIZE) {
    return iree_make_status(
        IREE_STATUS_INCOMPATIBLE,
        "the plugin table of " NAME_FORMAT
        " has %u bytes, and ABI version %u has %u; rebuild the plugin with "
        "this iree-cy's headers",
        library, (unsigned)plugin->size, (unsigned)IREE_CY_ABI_VERSION,
        (unsigned)PLUGIN_TABLE_SIZE);
  }
  if (!plugin->host_api_size) {
    return iree_make_status(IREE_STATUS_INCOMPATIBLE,
                            "the plugin table of " NAME_FORMAT
                            " has no host_api_size; its author must set it to "
                            "sizeof(iree_cy_host_api_t)",
                            library);
  }
  const uint64_t host_size = iree_cy_host_api()->size;
  if (plugin->host_api_size > host_size) {
    return iree_make_status(IREE_STATUS_INCOMPATIBLE,
                            NAME_FORMAT " needs a host table of %" PRIu64
                                        " bytes, and this iree-cy has one of "
                                        "%" PRIu64 "; upgrade iree-cy",
                            library, plugin->host_api_size, host_size);
  }
  return iree_ok_status();
}

// What the contract says of the text |field| of a plugin's table.
static iree_status_t check_text(const char* text, const char* field,
                                const char* library) {
  const char* problem = NULL;
  if (!iree_cy_is_address(text, 1)) {
    problem = text ? "points nowhere" : "is NULL";
  } else {
    const iree_host_size_t size = strnlen(text, PLUGIN_TEXT_SIZE);
    if (!size) {
      problem = "is empty";
    } else if (size == PLUGIN_TEXT_SIZE) {
      problem = "is longer than 255 bytes";
    } else if (!iree_cy_utf8_is_valid(iree_make_string_view(text, size))) {
      problem = "is not UTF-8";
    }
  }
  if (!problem) return iree_ok_status();
  return iree_make_status(IREE_STATUS_INTERNAL,
                          "the plugin table of " NAME_FORMAT
                          " has no usable %s, it %s" TELL_AUTHOR,
                          library, field, problem);
}

static iree_status_t check_plugin(const iree_cy_driver_plugin_t* plugin,
                                  iree_string_view_t driver_name,
                                  const char* library) {
  if (!iree_cy_is_address(plugin, _Alignof(iree_cy_driver_plugin_t))) {
    return iree_make_status(IREE_STATUS_INTERNAL,
                            "the plugin table of " NAME_FORMAT
                            " is at %p, where no table can be" TELL_AUTHOR,
                            library, (const void*)plugin);
  }
  IREE_RETURN_IF_ERROR(check_plugin_fits(plugin, library));
  IREE_RETURN_IF_ERROR(check_text(plugin->name, "name", library));
  IREE_RETURN_IF_ERROR(check_text(plugin->human_name, "human_name", library));
  IREE_RETURN_IF_ERROR(
      check_text(plugin->plugin_version, "plugin_version", library));
  if ((uintptr_t)plugin->create_driver < 4096) {
    return iree_make_status(IREE_STATUS_INTERNAL,
                            "the plugin table of " NAME_FORMAT
                            " has no create_driver" TELL_AUTHOR,
                            library);
  }
  if (!iree_string_view_equal(iree_make_cstring_view(plugin->name),
                              driver_name)) {
    return iree_make_status(
        IREE_STATUS_INCOMPATIBLE,
        NAME_FORMAT
        " is the plugin of driver '%.32s', not of '%.*s'; name the "
        "entry point after the driver",
        library, plugin->name,
        (int)iree_min(driver_name.size, (iree_host_size_t)32),
        driver_name.data);
  }
  return iree_ok_status();
}

// Calls the query. When it gives nothing, what it logged last is the reason.
static iree_status_t query_plugin(iree_cy_driver_plugin_query_fn_t query,
                                  const char* library,
                                  const iree_cy_driver_plugin_t** out_plugin) {
  const uint64_t position = iree_cy_log_ring_position();
  *out_plugin = query(IREE_CY_ABI_VERSION, iree_cy_host_api());
  if (*out_plugin) return iree_ok_status();
  iree_cy_log_record_t record;
  if (!iree_cy_log_ring_peek_error(position, &record)) {
    return iree_make_status(IREE_STATUS_INTERNAL,
                            NAME_FORMAT
                            " refused to start: its query returned NULL and "
                            "logged no error" TELL_AUTHOR,
                            library);
  }
  // The whole of a long story follows the line that has its beginning.
  const char* line_end =
      (const char*)memchr(record.text, '\n', record.text_length);
  const iree_host_size_t line_length =
      line_end ? (iree_host_size_t)(line_end - record.text)
               : record.text_length;
  iree_host_size_t shown = iree_min(line_length, (iree_host_size_t)80);
  // Not in the middle of a UTF-8 sequence.
  while (shown > 0 && shown < line_length &&
         ((uint8_t)record.text[shown] & 0xC0) == 0x80) {
    --shown;
  }
  iree_status_t status = iree_make_status(
      IREE_STATUS_INTERNAL,
      NAME_FORMAT " refused to start: its query returned NULL: %.*s%s", library,
      (int)shown, record.text, shown < line_length ? "..." : "");
  if (shown < record.text_length) {
    status = iree_status_annotate_f(status, "%.*s", (int)record.text_length,
                                    record.text);
  }
  return status;
}

static iree_status_t open_plugin(iree_string_view_t driver_name,
                                 const char* library_path,
                                 const iree_cy_driver_plugin_t** out_plugin) {
  *out_plugin = NULL;
  const char* library = iree_cy_library_file_name(library_path);
  void* handle = NULL;
  IREE_RETURN_IF_ERROR(iree_cy_library_open(library_path, &handle));
  union {
    void* symbol;
    iree_cy_driver_plugin_query_fn_t query;
  } entry;
  entry.symbol = dlsym(handle, IREE_CY_DRIVER_PLUGIN_QUERY_NAME);
  if (!entry.symbol) {
    return iree_make_status(IREE_STATUS_INCOMPATIBLE,
                            NAME_FORMAT
                            " is no driver plugin: it exports "
                            "no " IREE_CY_DRIVER_PLUGIN_QUERY_NAME
                            "; its author defines it with "
                            "IREE_CY_DEFINE_DRIVER_PLUGIN",
                            library);
  }
  const iree_cy_driver_plugin_t* plugin = NULL;
  IREE_RETURN_IF_ERROR(query_plugin(entry.query, library, &plugin));
  IREE_RETURN_IF_ERROR(check_plugin(plugin, driver_name, library));
  *out_plugin = plugin;
  return iree_ok_status();
}

// What a factory gave with OK.
static iree_status_t check_driver(iree_hal_driver_t* driver,
                                  iree_string_view_t driver_name,
                                  const char* library) {
  if (!driver) {
    return iree_make_status(IREE_STATUS_INTERNAL,
                            "create_driver of " NAME_FORMAT
                            " returned OK and no driver" TELL_AUTHOR,
                            library);
  }
  if (!iree_cy_object_is_whole(IREE_CY_OBJECT_KIND_DRIVER, driver)) {
    // It is left where it is: nobody knows how it ends.
    return iree_make_status(IREE_STATUS_INTERNAL,
                            "create_driver of " NAME_FORMAT
                            " gave what is no driver with a registered "
                            "vtable" TELL_AUTHOR,
                            library);
  }
  const iree_string_view_t name = iree_hal_driver_id(driver);
  if (iree_string_view_equal(name, driver_name)) return iree_ok_status();
  iree_status_t status = iree_make_status(
      IREE_STATUS_INTERNAL,
      "create_driver of " NAME_FORMAT
      " gave a driver with the name '%.*s'" TELL_AUTHOR,
      library, (int)iree_min(name.size, (iree_host_size_t)32), name.data);
  iree_hal_driver_release(driver);
  return status;
}

iree_status_t iree_cy_plugin_create_driver(iree_string_view_t driver_name,
                                           const char* library_path,
                                           iree_allocator_t host_allocator,
                                           iree_hal_driver_t** out_driver) {
  *out_driver = NULL;
  IREE_RETURN_IF_ERROR(iree_cy_gate_pass());
  const iree_cy_driver_plugin_t* plugin = NULL;
  IREE_RETURN_IF_ERROR(open_plugin(driver_name, library_path, &plugin));
  iree_hal_driver_t* driver = NULL;
  IREE_RETURN_IF_ERROR(
      plugin->create_driver(driver_name, host_allocator, &driver));
  IREE_RETURN_IF_ERROR(check_driver(driver, driver_name,
                                    iree_cy_library_file_name(library_path)));
  *out_driver = driver;
  return iree_ok_status();
}
