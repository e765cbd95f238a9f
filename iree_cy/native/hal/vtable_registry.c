// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the host's copies of drivers' vtables, completed and immortal.

#include <stdlib.h>

#include "iree_cy/native/base/fork.h"
#include "iree_cy/native/hal/vtable_defaults.h"

typedef struct iree_cy_required_entry_t {
  uint32_t offset;
  const char* name;
} iree_cy_required_entry_t;

// A kind of vtable. |required| ends with a NULL name.
typedef struct iree_cy_vtable_kind_t {
  const char* type_name;
  uint32_t size;
  const void* defaults;
  iree_cy_required_entry_t required[4];
} iree_cy_vtable_kind_t;

#define REQUIRED(type, entry) \
  {(uint32_t)offsetof(iree_hal_##type##_vtable_t, entry), #entry}
#define KIND(type, ...)                                                   \
  {                                                                       \
    "iree_hal_" #type "_t", (uint32_t)sizeof(iree_hal_##type##_vtable_t), \
        &iree_cy_##type##_vtable_defaults, {                              \
      __VA_ARGS__                                                         \
    }                                                                     \
  }

static const iree_cy_vtable_kind_t iree_cy_vtable_kinds[] = {
    [IREE_CY_OBJECT_KIND_DRIVER] =
        KIND(driver, REQUIRED(driver, destroy),
             REQUIRED(driver, query_available_devices),
             REQUIRED(driver, create_device_by_id)),
    [IREE_CY_OBJECT_KIND_DEVICE] = KIND(device, REQUIRED(device, destroy)),
    [IREE_CY_OBJECT_KIND_ALLOCATOR] =
        KIND(allocator, REQUIRED(allocator, destroy),
             REQUIRED(allocator, allocate_buffer)),
    [IREE_CY_OBJECT_KIND_BUFFER] = KIND(buffer, REQUIRED(buffer, destroy)),
    [IREE_CY_OBJECT_KIND_SEMAPHORE] =
        KIND(semaphore, REQUIRED(semaphore, destroy)),
    [IREE_CY_OBJECT_KIND_COMMAND_BUFFER] =
        KIND(command_buffer, REQUIRED(command_buffer, destroy)),
    [IREE_CY_OBJECT_KIND_EXECUTABLE] =
        KIND(executable, REQUIRED(executable, destroy),
             REQUIRED(executable, function_count),
             REQUIRED(executable, function_info)),
    [IREE_CY_OBJECT_KIND_EXECUTABLE_CACHE] =
        KIND(executable_cache, REQUIRED(executable_cache, destroy),
             REQUIRED(executable_cache, can_prepare_format),
             REQUIRED(executable_cache, prepare_executable)),
    [IREE_CY_OBJECT_KIND_EXECUTABLE_LOADER] =
        KIND(executable_loader, REQUIRED(executable_loader, destroy),
             REQUIRED(executable_loader, query_support),
             REQUIRED(executable_loader, try_load)),
    [IREE_CY_OBJECT_KIND_FILE] =
        KIND(file, REQUIRED(file, destroy), REQUIRED(file, allowed_access),
             REQUIRED(file, length)),
};

typedef void (*iree_cy_vtable_entry_t)(void);

typedef struct iree_cy_vtable_copy_t iree_cy_vtable_copy_t;
struct iree_cy_vtable_copy_t {
  iree_cy_vtable_copy_t* next;
  const void* source;
  // The vtable, then the owner's name.
  uint8_t table[];
};

static iree_cy_vtable_header_t* iree_cy_vtable_copy_header(
    iree_cy_vtable_copy_t* copy) {
  return (iree_cy_vtable_header_t*)copy->table;
}

static iree_cy_mutex_t iree_cy_vtable_mutex = 0;
static iree_cy_vtable_copy_t* iree_cy_vtable_copies = NULL;

static iree_cy_vtable_copy_t* iree_cy_vtable_find(const void* source,
                                                  iree_string_view_t owner) {
  iree_cy_vtable_copy_t* copy = iree_cy_vtable_copies;
  while (copy &&
         !(copy->source == source &&
           iree_string_view_equal(
               iree_make_cstring_view(iree_cy_vtable_copy_header(copy)->owner),
               owner))) {
    copy = copy->next;
  }
  return copy;
}

static iree_status_t iree_cy_vtable_check(iree_cy_object_kind_t kind,
                                          const void* vtable,
                                          iree_string_view_t owner) {
  if (kind >= IREE_ARRAYSIZE(iree_cy_vtable_kinds) ||
      !iree_cy_vtable_kinds[kind].type_name) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "driver '%.*s' registers a vtable of kind %" PRIu32
                            ", which has none",
                            IREE_SV_ARG(owner), kind);
  }
  const iree_cy_vtable_kind_t* info = &iree_cy_vtable_kinds[kind];
  if (!vtable || !owner.size || !owner.data ||
      memchr(owner.data, 0, owner.size)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "a vtable of %s needs a table and the driver's "
                            "name as its owner",
                            info->type_name);
  }
  const uint32_t size = ((const iree_cy_vtable_header_t*)vtable)->size;
  if (size < sizeof(iree_cy_vtable_header_t)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "driver '%.*s': the vtable of %s says that it has "
                            "%" PRIu32 " bytes; its header alone has %zu",
                            IREE_SV_ARG(owner), info->type_name, size,
                            sizeof(iree_cy_vtable_header_t));
  }
  for (const iree_cy_required_entry_t* entry = info->required;
       entry < info->required + IREE_ARRAYSIZE(info->required) && entry->name;
       ++entry) {
    iree_cy_vtable_entry_t value = NULL;
    if (entry->offset + sizeof(value) <= size) {
      memcpy(&value, (const uint8_t*)vtable + entry->offset, sizeof(value));
    }
    if (value) continue;
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "driver '%.*s' must implement %s.%s",
                            IREE_SV_ARG(owner), info->type_name, entry->name);
  }
  return iree_ok_status();
}

// The completed copy, not yet in the list; NULL when out of memory.
static iree_cy_vtable_copy_t* iree_cy_vtable_copy_create(
    iree_cy_object_kind_t kind, const void* vtable, iree_string_view_t owner) {
  const iree_cy_vtable_kind_t* info = &iree_cy_vtable_kinds[kind];
  iree_host_size_t total = 0;
  if (!iree_host_size_checked_add(
          sizeof(iree_cy_vtable_copy_t) + info->size + 1, owner.size, &total)) {
    return NULL;
  }
  iree_cy_vtable_copy_t* copy = (iree_cy_vtable_copy_t*)calloc(1, total);
  if (!copy) return NULL;
  uint8_t* table = copy->table;
  char* name = (char*)table + info->size;
  memcpy(table, info->defaults, info->size);
  memcpy(name, owner.data, owner.size);
  // Entries that an older or newer header does not share are left alone.
  const uint32_t size =
      iree_min(((const iree_cy_vtable_header_t*)vtable)->size, info->size);
  for (uint32_t offset = sizeof(iree_cy_vtable_header_t);
       offset + sizeof(iree_cy_vtable_entry_t) <= size;
       offset += sizeof(iree_cy_vtable_entry_t)) {
    iree_cy_vtable_entry_t entry = NULL;
    memcpy(&entry, (const uint8_t*)vtable + offset, sizeof(entry));
    if (entry) memcpy(table + offset, &entry, sizeof(entry));
  }
  copy->source = vtable;
  iree_cy_vtable_header_t* header = iree_cy_vtable_copy_header(copy);
  header->size = info->size;
  header->kind = kind;
  header->owner = name;
  return copy;
}

iree_status_t iree_cy_register_vtable(iree_cy_object_kind_t kind,
                                      const void* vtable,
                                      iree_string_view_t owner,
                                      const void** out_vtable) {
  if (!out_vtable) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "there is nowhere to put the registered vtable");
  }
  *out_vtable = NULL;
  IREE_RETURN_IF_ERROR(iree_cy_vtable_check(kind, vtable, owner));
  // Made before the lock is taken, for allocating may wait; dropped when the
  // vtable is known already.
  iree_cy_vtable_copy_t* fresh =
      iree_cy_vtable_copy_create(kind, vtable, owner);
  if (!fresh) {
    return iree_make_status(IREE_STATUS_RESOURCE_EXHAUSTED,
                            "no memory for a vtable of driver '%.*s'",
                            IREE_SV_ARG(owner));
  }
  iree_cy_fork_guard(&iree_cy_vtable_mutex);
  iree_cy_mutex_lock(&iree_cy_vtable_mutex);
  iree_cy_vtable_copy_t* copy = iree_cy_vtable_find(vtable, owner);
  if (!copy) {
    copy = fresh;
    fresh = NULL;
    copy->next = iree_cy_vtable_copies;
    iree_cy_vtable_copies = copy;
  }
  iree_cy_mutex_unlock(&iree_cy_vtable_mutex);
  free(fresh);
  const iree_cy_object_kind_t known_kind =
      iree_cy_vtable_copy_header(copy)->kind;
  if (known_kind != kind) {
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "driver '%.*s' registered this vtable as %s before, now as %s",
        IREE_SV_ARG(owner), iree_cy_vtable_kinds[known_kind].type_name,
        iree_cy_vtable_kinds[kind].type_name);
  }
  *out_vtable = copy->table;
  return iree_ok_status();
}

bool iree_cy_vtable_is_registered(iree_cy_object_kind_t kind,
                                  const void* vtable) {
  if (!vtable) return false;
  iree_cy_mutex_lock(&iree_cy_vtable_mutex);
  iree_cy_vtable_copy_t* copy = iree_cy_vtable_copies;
  while (copy && copy->table != vtable) copy = copy->next;
  iree_cy_mutex_unlock(&iree_cy_vtable_mutex);
  return copy && iree_cy_vtable_copy_header(copy)->kind == kind;
}

bool iree_cy_object_is_whole(iree_cy_object_kind_t kind, const void* resource) {
  if (!iree_cy_is_address(resource, sizeof(void*))) return false;
  const iree_hal_resource_t* header = (const iree_hal_resource_t*)resource;
  return iree_cy_vtable_is_registered(kind, header->vtable) &&
         header->ref_count >= 1;
}
