// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns drivers: naming, listing and creating their devices.

#include "iree_cy/hal/driver.h"

#include "iree_cy/native/base/fork.h"
#include "iree_cy/native/base/gate.h"
#include "iree_cy/native/hal/device_infos.h"
#include "iree_cy/native/hal/driver_hook.h"
#include "iree_cy/native/hal/vtable_defaults.h"

static const iree_hal_driver_vtable_t* driver_vtable(
    const iree_hal_driver_t* driver) {
  return (const iree_hal_driver_vtable_t*)driver->resource.vtable;
}

static iree_status_t refuse_null_driver(const char* operation) {
  return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                          "%s needs a driver and a place for its result",
                          operation);
}

iree_status_t iree_hal_driver_initialize(const iree_hal_driver_vtable_t* vtable,
                                         iree_string_view_t identifier,
                                         iree_allocator_t host_allocator,
                                         iree_hal_driver_t* driver) {
  if (IREE_UNLIKELY(!vtable || !driver ||
                    (identifier.size && !identifier.data))) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "a driver needs a registered vtable and a name");
  }
  if (IREE_UNLIKELY(
          !iree_cy_vtable_is_registered(IREE_CY_OBJECT_KIND_DRIVER, vtable))) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "the vtable of driver '%.*s' is not one that "
                            "iree_cy_register_vtable gave; use what it gives",
                            IREE_SV_ARG(identifier));
  }
  memset(driver, 0, sizeof(*driver));
  void* copy = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_clone(
      host_allocator,
      iree_make_const_byte_span(identifier.data, identifier.size), &copy));
  driver->host_allocator = host_allocator;
  driver->identifier =
      iree_make_string_view((const char*)copy, identifier.size);
  iree_hal_resource_initialize(vtable, &driver->resource);
  return iree_ok_status();
}

void iree_hal_driver_deinitialize(iree_hal_driver_t* driver) {
  iree_allocator_free(driver->host_allocator, (void*)driver->identifier.data);
  driver->identifier = iree_string_view_empty();
}

void iree_hal_driver_retain(iree_hal_driver_t* driver) {
  iree_hal_resource_retain(driver);
}

void iree_hal_driver_release(iree_hal_driver_t* driver) {
  iree_hal_resource_release(driver);
}

iree_string_view_t iree_hal_driver_id(const iree_hal_driver_t* driver) {
  return driver ? driver->identifier : iree_string_view_empty();
}

iree_status_t iree_hal_driver_query_available_devices(
    iree_hal_driver_t* driver, iree_allocator_t host_allocator,
    iree_host_size_t* out_count, iree_hal_device_info_t** out_infos) {
  if (out_count) *out_count = 0;
  if (out_infos) *out_infos = NULL;
  if (IREE_UNLIKELY(!driver || !out_count || !out_infos)) {
    return refuse_null_driver("listing devices");
  }
  iree_status_t status = driver_vtable(driver)->query_available_devices(
      driver, host_allocator, out_count, out_infos);
  if (iree_status_is_ok(status)) {
    bool is_block = false;
    status =
        iree_cy_device_infos_check(driver, *out_count, *out_infos, &is_block);
    if (iree_status_is_ok(status)) return status;
    if (is_block) iree_allocator_free(host_allocator, *out_infos);
  }
  *out_count = 0;
  *out_infos = NULL;
  return status;
}

iree_status_t iree_hal_driver_dump_device_info(iree_hal_driver_t* driver,
                                               iree_hal_device_id_t device_id,
                                               iree_string_builder_t* builder) {
  if (IREE_UNLIKELY(!driver || !builder)) {
    return refuse_null_driver("describing a device");
  }
  return driver_vtable(driver)->dump_device_info(driver, device_id, builder);
}

//===-- resolving paths -----------------------------------------------------===

// Parses a decimal ordinal. Unlike other numbers it has no "0x" form, which
// could be a driver's own pattern.
static bool parse_ordinal(iree_string_view_t path, uint64_t* out_ordinal) {
  *out_ordinal = 0;
  for (iree_host_size_t i = 0; i < path.size; ++i) {
    if (path.data[i] < '0' || path.data[i] > '9') return false;
  }
  // One that does not fit is an ordinal all the same, and beyond every list.
  if (!iree_string_view_parse_uint64(path, out_ordinal)) {
    *out_ordinal = UINT64_MAX;
  }
  return true;
}

static iree_status_t unknown_path(iree_hal_driver_t* driver,
                                  iree_string_view_t path,
                                  iree_host_size_t count,
                                  const iree_hal_device_info_t* infos) {
  // Error lines stay readable whatever was asked for.
  path.size = iree_min(path.size, (iree_host_size_t)48);
  if (count == 0) {
    return iree_make_status(IREE_STATUS_NOT_FOUND,
                            "driver '%.*s' has no device '%.*s'; it has no "
                            "devices at the moment",
                            IREE_SV_ARG(driver->identifier), IREE_SV_ARG(path));
  }
  // As many as fit into a readable line.
  char list[96];
  iree_host_size_t length = 0;
  iree_host_size_t listed = 0;
  for (; listed < count; ++listed) {
    const iree_string_view_t name = infos[listed].path;
    if (name.size > sizeof(list) || length + name.size + 3 > sizeof(list)) {
      break;
    }
    if (listed) {
      memcpy(list + length, ", ", 2);
      length += 2;
    }
    if (name.size) memcpy(list + length, name.data, name.size);
    length += name.size;
  }
  return iree_make_status(IREE_STATUS_NOT_FOUND,
                          "driver '%.*s' has no device '%.*s'; it has %.*s%s",
                          IREE_SV_ARG(driver->identifier), IREE_SV_ARG(path),
                          (int)length, list,
                          listed < count ? (listed ? ", ..." : "others") : "");
}

static iree_status_t resolve_in_list(iree_hal_driver_t* driver,
                                     iree_string_view_t path,
                                     iree_host_size_t count,
                                     const iree_hal_device_info_t* infos,
                                     iree_hal_device_id_t* out_device_id) {
  for (iree_host_size_t i = 0; i < count; ++i) {
    if (iree_string_view_equal(infos[i].path, path)) {
      *out_device_id = infos[i].device_id;
      return iree_ok_status();
    }
  }
  uint64_t ordinal = 0;
  if (parse_ordinal(path, &ordinal)) {
    if (ordinal >= count) return unknown_path(driver, path, count, infos);
    *out_device_id = infos[ordinal].device_id;
    return iree_ok_status();
  }
  iree_status_t status =
      driver_vtable(driver)->resolve_path(driver, path, out_device_id);
  // A driver that has something to say about its patterns is let speak.
  if (iree_status_code(status) == IREE_STATUS_NOT_FOUND &&
      iree_string_view_is_empty(iree_status_message(status))) {
    IREE_IGNORE_ERROR(status);
    status = unknown_path(driver, path, count, infos);
  }
  return status;
}

iree_status_t iree_hal_driver_resolve_path(
    iree_hal_driver_t* driver, iree_string_view_t path,
    iree_hal_device_id_t* out_device_id) {
  if (IREE_UNLIKELY(!driver || !out_device_id)) {
    return refuse_null_driver("resolving a device path");
  }
  *out_device_id = IREE_HAL_DEVICE_ID_DEFAULT;
  if (iree_string_view_is_empty(path)) return iree_ok_status();
  iree_host_size_t count = 0;
  iree_hal_device_info_t* infos = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_driver_query_available_devices(
      driver, driver->host_allocator, &count, &infos));
  iree_status_t status =
      resolve_in_list(driver, path, count, infos, out_device_id);
  iree_allocator_free(driver->host_allocator, infos);
  return status;
}

iree_status_t iree_hal_driver_create_device_by_id(
    iree_hal_driver_t* driver, iree_hal_device_id_t device_id,
    iree_host_size_t param_count, const iree_string_pair_t* params,
    iree_allocator_t host_allocator, iree_hal_device_t** out_device) {
  if (out_device) *out_device = NULL;
  if (IREE_UNLIKELY(!driver || !out_device)) {
    return refuse_null_driver("creating a device");
  }
  IREE_RETURN_IF_ERROR(iree_cy_gate_pass());
  if (IREE_UNLIKELY(param_count && !params)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "%" PRIhsz
                            " device parameters are announced, none "
                            "is given",
                            param_count);
  }
  iree_status_t status = driver_vtable(driver)->create_device_by_id(
      driver, device_id, param_count, params, host_allocator, out_device);
  status =
      iree_cy_check_result(status, *out_device, driver,
                           "iree_hal_driver_t.create_device_by_id", "device");
  if (iree_status_is_ok(status) &&
      IREE_UNLIKELY(
          !iree_cy_object_is_whole(IREE_CY_OBJECT_KIND_DEVICE, *out_device))) {
    status = iree_cy_broken_contract(
        driver,
        "iree_hal_driver_t.create_device_by_id gave what is no device with a "
        "registered vtable");
  }
  // What a failed call leaves there is nobody's.
  if (IREE_UNLIKELY(!iree_status_is_ok(status))) *out_device = NULL;
  return status;
}

iree_status_t iree_hal_driver_create_device_by_path(
    iree_hal_driver_t* driver, iree_string_view_t path,
    iree_host_size_t param_count, const iree_string_pair_t* params,
    iree_allocator_t host_allocator, iree_hal_device_t** out_device) {
  if (out_device) *out_device = NULL;
  iree_hal_device_id_t device_id = IREE_HAL_DEVICE_ID_DEFAULT;
  IREE_RETURN_IF_ERROR(iree_hal_driver_resolve_path(driver, path, &device_id));
  return iree_hal_driver_create_device_by_id(
      driver, device_id, param_count, params, host_allocator, out_device);
}

//===-- finding other drivers -----------------------------------------------===

static iree_cy_mutex_t find_driver_mutex = 0;
static iree_cy_find_driver_fn_t find_driver_fn = NULL;
static void* find_driver_user_data = NULL;

void iree_cy_set_find_driver_hook(iree_cy_find_driver_fn_t fn,
                                  void* user_data) {
  iree_cy_fork_guard(&find_driver_mutex);
  iree_cy_mutex_lock(&find_driver_mutex);
  find_driver_fn = fn;
  find_driver_user_data = user_data;
  iree_cy_mutex_unlock(&find_driver_mutex);
}

iree_status_t iree_cy_find_driver(iree_string_view_t name,
                                  iree_hal_driver_t** out_driver) {
  if (out_driver) *out_driver = NULL;
  if (IREE_UNLIKELY(!out_driver || !name.size || !name.data)) {
    return refuse_null_driver("finding a driver by name");
  }
  iree_cy_mutex_lock(&find_driver_mutex);
  const iree_cy_find_driver_fn_t fn = find_driver_fn;
  void* user_data = find_driver_user_data;
  iree_cy_mutex_unlock(&find_driver_mutex);
  if (!fn) {
    return iree_make_status(IREE_STATUS_UNAVAILABLE,
                            "driver '%.*s' cannot be looked for: no registry "
                            "of drivers is attached to this process",
                            IREE_SV_ARG(name));
  }
  return fn(user_data, name, out_driver);
}

//===-- defaults ------------------------------------------------------------===

static iree_status_t default_dump_device_info(iree_hal_driver_t* driver,
                                              iree_hal_device_id_t device_id,
                                              iree_string_builder_t* builder) {
  iree_host_size_t count = 0;
  iree_hal_device_info_t* infos = NULL;
  IREE_RETURN_IF_ERROR(iree_hal_driver_query_available_devices(
      driver, driver->host_allocator, &count, &infos));
  const iree_hal_device_info_t* info = NULL;
  for (iree_host_size_t i = 0; i < count && !info; ++i) {
    if (infos[i].device_id == device_id) info = &infos[i];
  }
  // The default device goes by an id of its own.
  if (!info && device_id == IREE_HAL_DEVICE_ID_DEFAULT && count) {
    info = &infos[0];
  }
  iree_status_t status =
      info ? iree_string_builder_append_format(
                 builder, "path: %.*s\nname: %.*s\n", IREE_SV_ARG(info->path),
                 IREE_SV_ARG(info->name))
           : iree_make_status(IREE_STATUS_NOT_FOUND,
                              "driver '%.*s' has no device with id %" PRIu64,
                              IREE_SV_ARG(driver->identifier), device_id);
  iree_allocator_free(driver->host_allocator, infos);
  return status;
}

// The caller knows the paths that there are and says so.
static iree_status_t default_resolve_path(iree_hal_driver_t* driver,
                                          iree_string_view_t path,
                                          iree_hal_device_id_t* out_device_id) {
  (void)driver, (void)path;
  *out_device_id = IREE_HAL_DEVICE_ID_DEFAULT;
  return iree_status_from_code(IREE_STATUS_NOT_FOUND);
}

const iree_hal_driver_vtable_t iree_cy_driver_vtable_defaults = {
    .header = {.size = sizeof(iree_hal_driver_vtable_t),
               .kind = IREE_CY_OBJECT_KIND_DRIVER},
    .dump_device_info = default_dump_device_info,
    .resolve_path = default_resolve_path,
};
