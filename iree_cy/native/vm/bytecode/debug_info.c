// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Implements reading of the debug database.

#include "iree_cy/native/vm/bytecode/debug_info.h"

// Fields of the tables, by index. A vector of unions takes two fields.
enum {
  DATABASE_LOCATION_KINDS = 0,
  DATABASE_LOCATIONS = 1,
  DATABASE_FUNCTIONS = 2,
  FUNCTION_LOCAL_NAME = 0,
  FUNCTION_LOCATIONS = 1,
  CALL_SITE_CALLEE = 0,
  FILE_NAME = 0,
  FILE_LINE = 1,
  FILE_COLUMN = 2,
  FUSED_LOCATIONS = 1,
  NAME_CHILD = 1,
};

// Kinds of location.
enum {
  LOCATION_CALL_SITE = 1,
  LOCATION_FILE = 2,
  LOCATION_FUSED = 3,
  LOCATION_NAME = 4,
};

// Size of an entry that maps an offset to a location, both 32 bits.
#define IREE_VM_BYTECODE_MAP_ENTRY_SIZE 8

// Locations refer to each other, in a malformed file in circles.
#define IREE_VM_BYTECODE_MAX_LOCATION_DEPTH 16

static iree_status_t iree_vm_bytecode_debug_function(
    const iree_vm_bytecode_module_def_t* module_def, uint32_t ordinal,
    iree_flatbuffer_table_t* out_function) {
  memset(out_function, 0, sizeof(*out_function));
  iree_flatbuffer_vector_t functions;
  IREE_RETURN_IF_ERROR(iree_flatbuffer_read_vector(
      &module_def->debug_database, DATABASE_FUNCTIONS, 4, &functions));
  // One entry for each function, except that compiler 3.13 writes all to the
  // same place, so that only that of the last function is there.
  if (functions.count == 1 && ordinal + 1 == module_def->function_count) {
    ordinal = 0;
  } else if (functions.count != module_def->function_count) {
    return iree_status_from_code(IREE_STATUS_NOT_FOUND);
  }
  return iree_flatbuffer_vector_table(&functions, ordinal, out_function);
}

iree_string_view_t iree_vm_bytecode_debug_function_name(
    const iree_vm_bytecode_module_def_t* module_def, uint32_t ordinal) {
  for (iree_host_size_t i = 0; i < module_def->export_count; ++i) {
    if (module_def->exports[i].internal_ordinal == ordinal) {
      return module_def->exports[i].local_name;
    }
  }
  iree_flatbuffer_table_t function;
  iree_string_view_t name = iree_string_view_empty();
  iree_status_t status =
      iree_vm_bytecode_debug_function(module_def, ordinal, &function);
  if (iree_status_is_ok(status)) {
    status = iree_flatbuffer_read_string(&function, FUNCTION_LOCAL_NAME, &name);
  }
  IREE_IGNORE_ERROR(status);
  return name;
}

// Replaces |*location| by the one that says more about where it is, until it is
// a file's. Of several, the innermost callee and the first of the fused count.
static iree_status_t iree_vm_bytecode_debug_resolve(
    const iree_flatbuffer_vector_t* kinds,
    const iree_flatbuffer_vector_t* locations, uint32_t location,
    iree_flatbuffer_table_t* out_file) {
  for (int depth = 0; depth < IREE_VM_BYTECODE_MAX_LOCATION_DEPTH; ++depth) {
    if (location >= kinds->count || location >= locations->count) break;
    iree_flatbuffer_table_t table;
    uint8_t kind = kinds->data[location];
    if (kind < LOCATION_CALL_SITE || kind > LOCATION_NAME) break;
    IREE_RETURN_IF_ERROR(
        iree_flatbuffer_vector_table(locations, location, &table));
    if (kind == LOCATION_FILE) {
      *out_file = table;
      return iree_ok_status();
    }
    if (kind == LOCATION_FUSED) {
      iree_flatbuffer_vector_t children;
      IREE_RETURN_IF_ERROR(
          iree_flatbuffer_read_vector(&table, FUSED_LOCATIONS, 4, &children));
      if (children.count == 0) break;
      location = iree_load_u32(children.data);
    } else {
      IREE_RETURN_IF_ERROR(iree_flatbuffer_read_u32(
          &table, kind == LOCATION_NAME ? NAME_CHILD : CALL_SITE_CALLEE,
          UINT32_MAX, &location));
    }
  }
  return iree_status_from_code(IREE_STATUS_NOT_FOUND);
}

// The location of the last entry that is not behind |bytecode_offset|.
static iree_status_t iree_vm_bytecode_debug_map(
    const iree_flatbuffer_table_t* function, uint32_t bytecode_offset,
    uint32_t* out_location) {
  *out_location = UINT32_MAX;
  iree_flatbuffer_vector_t map;
  IREE_RETURN_IF_ERROR(iree_flatbuffer_read_vector(
      function, FUNCTION_LOCATIONS, IREE_VM_BYTECODE_MAP_ENTRY_SIZE, &map));
  for (uint32_t i = 0; i < map.count; ++i) {
    const uint8_t* entry =
        map.data + (size_t)i * IREE_VM_BYTECODE_MAP_ENTRY_SIZE;
    if (iree_load_u32(entry) > bytecode_offset) break;
    *out_location = iree_load_u32(entry + sizeof(uint32_t));
  }
  return iree_ok_status();
}

iree_status_t iree_vm_bytecode_debug_location(
    const iree_vm_bytecode_module_def_t* module_def, uint32_t ordinal,
    uint32_t bytecode_offset, iree_string_builder_t* builder) {
  const iree_flatbuffer_table_t* database = &module_def->debug_database;
  iree_flatbuffer_table_t function;
  iree_flatbuffer_vector_t kinds;
  iree_flatbuffer_vector_t locations;
  uint32_t location = UINT32_MAX;
  IREE_RETURN_IF_ERROR(
      iree_vm_bytecode_debug_function(module_def, ordinal, &function));
  IREE_RETURN_IF_ERROR(
      iree_vm_bytecode_debug_map(&function, bytecode_offset, &location));
  IREE_RETURN_IF_ERROR(iree_flatbuffer_read_vector(
      database, DATABASE_LOCATION_KINDS, 1, &kinds));
  IREE_RETURN_IF_ERROR(
      iree_flatbuffer_read_vector(database, DATABASE_LOCATIONS, 4, &locations));
  iree_flatbuffer_table_t file;
  iree_string_view_t name;
  uint32_t line = 0;
  uint32_t column = 0;
  IREE_RETURN_IF_ERROR(
      iree_vm_bytecode_debug_resolve(&kinds, &locations, location, &file));
  IREE_RETURN_IF_ERROR(iree_flatbuffer_read_string(&file, FILE_NAME, &name));
  IREE_RETURN_IF_ERROR(iree_flatbuffer_read_u32(&file, FILE_LINE, 0, &line));
  IREE_RETURN_IF_ERROR(
      iree_flatbuffer_read_u32(&file, FILE_COLUMN, 0, &column));
  // Paths may be long; their end says most.
  const iree_host_size_t max_length = 128;
  if (name.size > max_length) {
    name = iree_string_view_remove_prefix(name, name.size - max_length);
  }
  return iree_string_builder_append_format(builder, "%.*s:%u:%u",
                                           IREE_SV_ARG(name), line, column);
}
