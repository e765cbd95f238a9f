// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Implements reading pipelines, and what binds them to their shaders.

#include "executable_reader.h"

enum {
  MAX_PIPELINES = 65535,
  ROOT_SIZE = 32,
  ROOT_VERSION = 1,
  PIPELINE_MODULE = 0,
  PIPELINE_ENTRY_POINT = 1,
  PIPELINE_LAYOUT = 2,
  PIPELINE_SUBGROUP_SIZE = 3,
  PIPELINE_DEBUG_INFO = 4,
  PIPELINE_ADDRESS_LAYOUT = 6,
  ADDRESS_LAYOUT_VERSION = 0,
  ADDRESS_LAYOUT_ROOT_OFFSET = 1,
  ADDRESS_LAYOUT_ROOT_SIZE = 2,
  ADDRESS_LAYOUT_CONSTANT_OFFSET = 3,
  ADDRESS_LAYOUT_CONSTANT_COUNT = 4,
  ADDRESS_LAYOUT_ENTRY_TYPE = 5,
  ADDRESS_LAYOUT_BINDING_COUNT = 6,
  ADDRESS_LAYOUT_BINDINGS = 7,
  ADDRESS_ALIGNMENT = 0,
  ADDRESS_LENGTH = 1,
  EXPORT_LOCATION = 1,
  EXPORT_STAGES = 2,
  STAGE_NAME = 0,
  STAGE_LOCATION = 1,
  LOCATION_FILE = 0,
  LOCATION_LINE = 1,
};

//===-- pipelines -----------------------------------------------------------===

static void executable_read_location(executable_reader_t* reader,
                                     const vulkan_flatbuffer_table_t* table,
                                     uint16_t field,
                                     vulkan_source_location_t* location) {
  vulkan_flatbuffer_t* buffer = &reader->buffer;
  const vulkan_flatbuffer_table_t place =
      vulkan_flatbuffer_table(buffer, table, field);
  location->file = vulkan_flatbuffer_string(buffer, &place, LOCATION_FILE);
  location->line =
      (int32_t)vulkan_flatbuffer_u32(buffer, &place, LOCATION_LINE, 0);
}

static iree_status_t executable_read_locations(
    executable_reader_t* reader, const vulkan_flatbuffer_table_t* table,
    vulkan_pipeline_def_t* pipeline) {
  vulkan_flatbuffer_t* buffer = &reader->buffer;
  const vulkan_flatbuffer_table_t debug_info =
      vulkan_flatbuffer_table(buffer, table, PIPELINE_DEBUG_INFO);
  if (!debug_info.fields) return executable_check(reader, "a pipeline");
  const vulkan_flatbuffer_vector_t stages = vulkan_flatbuffer_vector(
      buffer, &debug_info, EXPORT_STAGES, sizeof(uint32_t));
  vulkan_source_location_t* locations = NULL;
  IREE_RETURN_IF_ERROR(executable_check(reader, "a source location"));
  IREE_RETURN_IF_ERROR(executable_allocate(reader, stages.count + 1,
                                           sizeof(*locations), "locations",
                                           (void**)&locations));
  executable_read_location(reader, &debug_info, EXPORT_LOCATION, locations);
  for (uint32_t i = 0; i < stages.count; ++i) {
    const vulkan_flatbuffer_table_t stage =
        vulkan_flatbuffer_element(buffer, &stages, i);
    locations[i + 1].stage =
        vulkan_flatbuffer_string(buffer, &stage, STAGE_NAME);
    executable_read_location(reader, &stage, STAGE_LOCATION, &locations[i + 1]);
  }
  pipeline->location_count = stages.count + 1;
  pipeline->locations = locations;
  return executable_check(reader, "a source location");
}

static iree_status_t executable_read_addresses(
    executable_reader_t* reader, const vulkan_flatbuffer_table_t* table,
    vulkan_pipeline_def_t* pipeline) {
  vulkan_flatbuffer_t* buffer = &reader->buffer;
  const vulkan_flatbuffer_vector_t vector = vulkan_flatbuffer_vector(
      buffer, table, ADDRESS_LAYOUT_BINDINGS, sizeof(uint32_t));
  if (vector.count == 0) return executable_check(reader, "an address layout");
  if (vector.count != pipeline->binding_count) {
    return executable_invalid(reader, "has %u bindings and rules for %u",
                              pipeline->binding_count, vector.count);
  }
  vulkan_address_def_t* addresses = NULL;
  IREE_RETURN_IF_ERROR(executable_allocate(reader, vector.count,
                                           sizeof(*addresses), "addresses",
                                           (void**)&addresses));
  for (uint32_t i = 0; i < vector.count; ++i) {
    const vulkan_flatbuffer_table_t binding =
        vulkan_flatbuffer_element(buffer, &vector, i);
    const uint32_t alignment =
        vulkan_flatbuffer_u32(buffer, &binding, ADDRESS_ALIGNMENT, 1);
    if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
      return executable_invalid(reader, "wants binding %u aligned to %u", i,
                                alignment);
    }
    addresses[i].minimum_alignment = alignment;
    addresses[i].minimum_length =
        vulkan_flatbuffer_u64(buffer, &binding, ADDRESS_LENGTH, 0);
  }
  pipeline->addresses = addresses;
  return executable_check(reader, "an address layout");
}

// Reads how a pipeline of ADDRESSES is given its bindings and constants.
static iree_status_t executable_read_address_layout(
    executable_reader_t* reader,
    const vulkan_flatbuffer_table_t* pipeline_table,
    const vulkan_pipeline_layout_def_t* layout,
    vulkan_pipeline_def_t* pipeline) {
  vulkan_flatbuffer_t* buffer = &reader->buffer;
  const vulkan_flatbuffer_table_t table =
      vulkan_flatbuffer_table(buffer, pipeline_table, PIPELINE_ADDRESS_LAYOUT);
  const uint32_t version =
      vulkan_flatbuffer_u32(buffer, &table, ADDRESS_LAYOUT_VERSION, 1);
  const uint8_t entry_type =
      vulkan_flatbuffer_u8(buffer, &table, ADDRESS_LAYOUT_ENTRY_TYPE, 0);
  const uint32_t root_size =
      vulkan_flatbuffer_u32(buffer, &table, ADDRESS_LAYOUT_ROOT_SIZE, 32);
  pipeline->root_offset =
      vulkan_flatbuffer_u32(buffer, &table, ADDRESS_LAYOUT_ROOT_OFFSET, 0);
  pipeline->constant_offset =
      vulkan_flatbuffer_u32(buffer, &table, ADDRESS_LAYOUT_CONSTANT_OFFSET, 32);
  pipeline->constant_count =
      vulkan_flatbuffer_u32(buffer, &table, ADDRESS_LAYOUT_CONSTANT_COUNT, 0);
  pipeline->binding_count =
      vulkan_flatbuffer_u32(buffer, &table, ADDRESS_LAYOUT_BINDING_COUNT, 0);
  IREE_RETURN_IF_ERROR(executable_check(reader, "an address layout"));
  if (!table.fields || version != ROOT_VERSION || entry_type != 0 ||
      root_size != ROOT_SIZE) {
    return executable_invalid(
        reader, "passes addresses by rules that this driver does not know");
  }
  const uint64_t root_begin = pipeline->root_offset;
  const uint64_t root_end = root_begin + ROOT_SIZE;
  const uint64_t begin = pipeline->constant_offset;
  const uint64_t end = begin + (uint64_t)pipeline->constant_count * 4;
  const bool has_constants = pipeline->constant_count != 0;
  if (layout->set_count != 0 ||
      pipeline->binding_count > EXECUTABLE_MAX_DESCRIPTORS ||
      root_begin % 4 != 0 || root_end > layout->push_constant_size ||
      (has_constants && (begin % 4 != 0 || end > layout->push_constant_size ||
                         (begin < root_end && root_begin < end)))) {
    return executable_invalid(
        reader,
        "has its root at %u, %u constants at %u, %u push bytes and %u sets",
        pipeline->root_offset, pipeline->constant_count,
        pipeline->constant_offset, layout->push_constant_size,
        layout->set_count);
  }
  return executable_read_addresses(reader, &table, pipeline);
}

// Whether |name| can be shown in a line.
static bool executable_is_name(iree_string_view_t name) {
  for (iree_host_size_t i = 0; i < name.size; ++i) {
    if ((unsigned char)name.data[i] < ' ' || name.data[i] == 0x7F) return false;
  }
  return name.size != 0;
}

static iree_status_t executable_read_pipeline(executable_reader_t* reader,
                                              uint32_t index,
                                              uint32_t module_count,
                                              vulkan_flatbuffer_table_t table,
                                              vulkan_pipeline_def_t* pipeline) {
  vulkan_flatbuffer_t* buffer = &reader->buffer;
  pipeline->name =
      vulkan_flatbuffer_string(buffer, &table, PIPELINE_ENTRY_POINT);
  pipeline->module = vulkan_flatbuffer_u32(buffer, &table, PIPELINE_MODULE, 0);
  pipeline->layout = vulkan_flatbuffer_u32(buffer, &table, PIPELINE_LAYOUT, 0);
  pipeline->subgroup_size =
      vulkan_flatbuffer_u32(buffer, &table, PIPELINE_SUBGROUP_SIZE, 0);
  IREE_RETURN_IF_ERROR(executable_check(reader, "a pipeline"));
  if (!executable_is_name(pipeline->name)) {
    return executable_invalid(reader, "pipeline %u has no printable name",
                              index);
  }
  reader->export_name = pipeline->name;
  if (pipeline->module >= module_count) {
    return executable_invalid(reader, "is in shader module %u of %u",
                              pipeline->module, module_count);
  }
  if (pipeline->layout >= reader->def->pipeline_layout_count) {
    return executable_invalid(reader, "has pipeline layout %u of %u",
                              pipeline->layout,
                              reader->def->pipeline_layout_count);
  }
  if (pipeline->subgroup_size & (pipeline->subgroup_size - 1)) {
    return executable_invalid(reader, "wants subgroups of %u",
                              pipeline->subgroup_size);
  }
  const vulkan_executable_format_t format =
      executable_pipeline_format(reader, &table);
  if (format != reader->def->format) {
    const iree_string_view_t wanted =
        vulkan_executable_format_name(reader->def->format);
    const iree_string_view_t found = vulkan_executable_format_name(format);
    return executable_invalid(reader, "is of format %.*s, not %.*s",
                              IREE_SV_ARG(found), IREE_SV_ARG(wanted));
  }
  const vulkan_pipeline_layout_def_t* layout =
      &reader->def->pipeline_layouts[pipeline->layout];
  if (format == VULKAN_EXECUTABLE_FORMAT_ADDRESSES) {
    IREE_RETURN_IF_ERROR(
        executable_read_address_layout(reader, &table, layout, pipeline));
  } else {
    pipeline->constant_count = layout->push_constant_size / sizeof(uint32_t);
    pipeline->binding_count = layout->descriptor_count;
  }
  return executable_read_locations(reader, &table, pipeline);
}

iree_status_t executable_read_pipelines(executable_reader_t* reader,
                                        const vulkan_flatbuffer_table_t* root,
                                        uint32_t module_count) {
  const vulkan_flatbuffer_vector_t vector = vulkan_flatbuffer_vector(
      &reader->buffer, root, EXECUTABLE_PIPELINES, sizeof(uint32_t));
  IREE_RETURN_IF_ERROR(executable_check(reader, "its list of pipelines"));
  if (vector.count == 0 || vector.count > MAX_PIPELINES) {
    return executable_invalid(reader, "it has %u pipelines", vector.count);
  }
  vulkan_pipeline_def_t* pipelines = NULL;
  IREE_RETURN_IF_ERROR(executable_allocate(reader, vector.count,
                                           sizeof(*pipelines), "pipelines",
                                           (void**)&pipelines));
  for (uint32_t i = 0; i < vector.count; ++i) {
    reader->export_name = iree_string_view_empty();
    IREE_RETURN_IF_ERROR(executable_read_pipeline(
        reader, i, module_count,
        vulkan_flatbuffer_element(&reader->buffer, &vector, i), &pipelines[i]));
  }
  reader->export_name = iree_string_view_empty();
  reader->def->pipeline_count = vector.count;
  reader->def->pipelines = pipelines;
  return iree_ok_status();
}

//===-- pipelines and their shaders -----------------------------------------===

// The binding of the layout that a shader's is; NULL when there is none.
static const vulkan_binding_def_t* executable_find_binding(
    const executable_reader_t* reader,
    const vulkan_pipeline_layout_def_t* layout, uint32_t set,
    uint32_t binding) {
  if (set >= layout->set_count) return NULL;
  const vulkan_set_layout_def_t* set_layout =
      &reader->def->set_layouts[layout->sets[set]];
  uint32_t low = 0;
  uint32_t high = set_layout->binding_count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (set_layout->bindings[middle].binding == binding) {
      return &set_layout->bindings[middle];
    }
    if (set_layout->bindings[middle].binding < binding) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return NULL;
}

static iree_status_t executable_check_binding(
    const executable_reader_t* reader,
    const vulkan_pipeline_layout_def_t* layout,
    const vulkan_spirv_binding_t* used) {
  const vulkan_binding_def_t* given =
      executable_find_binding(reader, layout, used->set, used->binding);
  if (!given) {
    return executable_invalid(
        reader, "uses binding %u of set %u, which its layout does not have",
        used->binding, used->set);
  }
  const bool is_same_type =
      used->resource == VULKAN_SPIRV_RESOURCE_STORAGE_BUFFER
          ? given->descriptor_type == EXECUTABLE_STORAGE_BUFFER
          : used->resource == VULKAN_SPIRV_RESOURCE_UNIFORM_BUFFER &&
                given->descriptor_type == EXECUTABLE_UNIFORM_BUFFER;
  if (!is_same_type || used->descriptor_count > given->descriptor_count) {
    return executable_invalid(
        reader, "uses binding %u of set %u as something else than its layout",
        used->binding, used->set);
  }
  return iree_ok_status();
}

static iree_status_t executable_link_pipeline(executable_reader_t* reader,
                                              vulkan_pipeline_def_t* pipeline) {
  reader->export_name = pipeline->name;
  IREE_RETURN_IF_ERROR(
      vulkan_spirv_module_find(&reader->def->modules[pipeline->module],
                               pipeline->name, &pipeline->entry_point));
  const vulkan_spirv_entry_point_t* entry_point = pipeline->entry_point;
  const vulkan_pipeline_layout_def_t* layout =
      &reader->def->pipeline_layouts[pipeline->layout];
  if (entry_point->push_constant_size > layout->push_constant_size) {
    return executable_invalid(
        reader, "uses %" PRIu64 " bytes of push constants, its layout has %u",
        entry_point->push_constant_size, layout->push_constant_size);
  }
  for (iree_host_size_t i = 0; i < entry_point->binding_count; ++i) {
    IREE_RETURN_IF_ERROR(
        executable_check_binding(reader, layout, &entry_point->bindings[i]));
  }
  return iree_ok_status();
}

iree_status_t executable_link(executable_reader_t* reader) {
  vulkan_executable_def_t* def = reader->def;
  for (uint32_t i = 0; i < def->pipeline_count; ++i) {
    // Made by us; constant for others only.
    IREE_RETURN_IF_ERROR(executable_link_pipeline(
        reader, (vulkan_pipeline_def_t*)&def->pipelines[i]));
  }
  reader->export_name = iree_string_view_empty();
  return iree_ok_status();
}
