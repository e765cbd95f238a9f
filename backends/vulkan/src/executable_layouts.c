// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Implements reading the layouts of descriptor sets and pipelines.

#include "executable_reader.h"

enum {
  MAX_SETS = 32,
  MAX_BINDINGS_PER_SET = 1024,
  MAX_PUSH_CONSTANT_SIZE = 65535 * 4,
  SHADER_STAGE_COMPUTE = 0x20,
  BINDING_BINDING = 0,
  BINDING_TYPE = 1,
  BINDING_COUNT = 2,
  BINDING_STAGES = 3,
  SET_LAYOUT_BINDINGS = 0,
  PIPELINE_LAYOUT_SETS = 0,
  PIPELINE_LAYOUT_PUSH_CONSTANTS = 1,
};

static bool executable_includes_compute(uint32_t stages) {
  return (stages & SHADER_STAGE_COMPUTE) != 0;
}

static iree_status_t executable_read_binding(executable_reader_t* reader,
                                             uint32_t set_layout,
                                             vulkan_flatbuffer_table_t table,
                                             vulkan_binding_def_t* binding) {
  vulkan_flatbuffer_t* buffer = &reader->buffer;
  binding->binding = vulkan_flatbuffer_u32(buffer, &table, BINDING_BINDING, 0);
  binding->descriptor_type =
      vulkan_flatbuffer_u32(buffer, &table, BINDING_TYPE, 0);
  binding->descriptor_count =
      vulkan_flatbuffer_u32(buffer, &table, BINDING_COUNT, 0);
  const uint32_t stages =
      vulkan_flatbuffer_u32(buffer, &table, BINDING_STAGES, 0);
  IREE_RETURN_IF_ERROR(executable_check(reader, "a binding"));
  if (binding->descriptor_type != EXECUTABLE_UNIFORM_BUFFER &&
      binding->descriptor_type != EXECUTABLE_STORAGE_BUFFER) {
    return executable_invalid(
        reader, "binding %u of set layout %u has type %u, which is no buffer",
        binding->binding, set_layout, binding->descriptor_type);
  }
  if (binding->descriptor_count == 0 ||
      binding->descriptor_count > EXECUTABLE_MAX_DESCRIPTORS) {
    return executable_invalid(
        reader, "binding %u of set layout %u has %u descriptors",
        binding->binding, set_layout, binding->descriptor_count);
  }
  if (!executable_includes_compute(stages)) {
    return executable_invalid(
        reader, "binding %u of set layout %u is not for compute shaders",
        binding->binding, set_layout);
  }
  return iree_ok_status();
}

static iree_status_t executable_read_set_layout(
    executable_reader_t* reader, uint32_t index,
    vulkan_flatbuffer_table_t table, vulkan_set_layout_def_t* layout) {
  const vulkan_flatbuffer_vector_t vector = vulkan_flatbuffer_vector(
      &reader->buffer, &table, SET_LAYOUT_BINDINGS, sizeof(uint32_t));
  if (vector.count > MAX_BINDINGS_PER_SET) {
    return executable_invalid(reader, "set layout %u has %u bindings, over %u",
                              index, vector.count,
                              (uint32_t)MAX_BINDINGS_PER_SET);
  }
  vulkan_binding_def_t* bindings = NULL;
  IREE_RETURN_IF_ERROR(executable_allocate(
      reader, vector.count, sizeof(*bindings), "bindings", (void**)&bindings));
  for (uint32_t i = 0; i < vector.count; ++i) {
    vulkan_binding_def_t binding = {0};
    IREE_RETURN_IF_ERROR(executable_read_binding(
        reader, index, vulkan_flatbuffer_element(&reader->buffer, &vector, i),
        &binding));
    uint32_t place = i;
    for (; place > 0 && bindings[place - 1].binding > binding.binding;
         --place) {
      bindings[place] = bindings[place - 1];
    }
    if (place > 0 && bindings[place - 1].binding == binding.binding) {
      return executable_invalid(reader, "set layout %u has binding %u twice",
                                index, binding.binding);
    }
    bindings[place] = binding;
  }
  layout->binding_count = vector.count;
  layout->bindings = bindings;
  return iree_ok_status();
}

iree_status_t executable_read_set_layouts(
    executable_reader_t* reader, const vulkan_flatbuffer_table_t* root) {
  const vulkan_flatbuffer_vector_t vector = vulkan_flatbuffer_vector(
      &reader->buffer, root, EXECUTABLE_SET_LAYOUTS, sizeof(uint32_t));
  vulkan_set_layout_def_t* layouts = NULL;
  IREE_RETURN_IF_ERROR(executable_allocate(
      reader, vector.count, sizeof(*layouts), "set layouts", (void**)&layouts));
  for (uint32_t i = 0; i < vector.count; ++i) {
    IREE_RETURN_IF_ERROR(executable_read_set_layout(
        reader, i, vulkan_flatbuffer_element(&reader->buffer, &vector, i),
        &layouts[i]));
  }
  reader->def->set_layout_count = vector.count;
  reader->def->set_layouts = layouts;
  return iree_ok_status();
}

// Ranges of push constants: stages, offset and size each.
static iree_status_t executable_read_push_constants(
    executable_reader_t* reader, uint32_t index,
    const vulkan_flatbuffer_table_t* table,
    vulkan_pipeline_layout_def_t* layout) {
  const uint32_t range_size = 3 * sizeof(uint32_t);
  const vulkan_flatbuffer_vector_t vector = vulkan_flatbuffer_vector(
      &reader->buffer, table, PIPELINE_LAYOUT_PUSH_CONSTANTS, range_size);
  IREE_RETURN_IF_ERROR(executable_check(reader, "a pipeline layout"));
  for (uint32_t i = 0; i < vector.count; ++i) {
    const uint8_t* range = vector.data + (size_t)i * range_size;
    const uint32_t offset = vulkan_load_u32(range + 4);
    const uint32_t size = vulkan_load_u32(range + 8);
    const uint64_t end = (uint64_t)offset + size;
    if (!executable_includes_compute(vulkan_load_u32(range)) ||
        offset % sizeof(uint32_t) || size % sizeof(uint32_t) ||
        end > MAX_PUSH_CONSTANT_SIZE) {
      return executable_invalid(
          reader,
          "pipeline layout %u has push constants of %u bytes at %u, stages "
          "0x%x",
          index, size, offset, vulkan_load_u32(range));
    }
    layout->push_constant_size =
        iree_max(layout->push_constant_size, (uint32_t)end);
  }
  return iree_ok_status();
}

static iree_status_t executable_read_sets(
    executable_reader_t* reader, uint32_t index,
    const vulkan_flatbuffer_table_t* table,
    vulkan_pipeline_layout_def_t* layout) {
  const vulkan_flatbuffer_vector_t vector = vulkan_flatbuffer_vector(
      &reader->buffer, table, PIPELINE_LAYOUT_SETS, sizeof(uint32_t));
  if (vector.count > MAX_SETS) {
    return executable_invalid(reader, "pipeline layout %u has %u sets, over %u",
                              index, vector.count, (uint32_t)MAX_SETS);
  }
  uint32_t* sets = NULL;
  IREE_RETURN_IF_ERROR(executable_allocate(reader, vector.count, sizeof(*sets),
                                           "sets", (void**)&sets));
  uint64_t descriptor_count = 0;
  for (uint32_t i = 0; i < vector.count; ++i) {
    sets[i] = vulkan_load_u32(vector.data + i * sizeof(*sets));
    if (sets[i] >= reader->def->set_layout_count) {
      return executable_invalid(reader,
                                "pipeline layout %u names set layout %u of %u",
                                index, sets[i], reader->def->set_layout_count);
    }
    const vulkan_set_layout_def_t* set = &reader->def->set_layouts[sets[i]];
    for (uint32_t j = 0; j < set->binding_count; ++j) {
      const vulkan_binding_def_t* binding = &set->bindings[j];
      descriptor_count += binding->descriptor_count;
      if (binding->descriptor_type == EXECUTABLE_UNIFORM_BUFFER) {
        layout->uniform_buffer_count += binding->descriptor_count;
      }
    }
  }
  if (descriptor_count > EXECUTABLE_MAX_DESCRIPTORS) {
    return executable_invalid(
        reader, "pipeline layout %u has %" PRIu64 " descriptors, over %u",
        index, descriptor_count, (uint32_t)EXECUTABLE_MAX_DESCRIPTORS);
  }
  layout->set_count = vector.count;
  layout->sets = sets;
  layout->descriptor_count = (uint32_t)descriptor_count;
  layout->storage_buffer_count =
      layout->descriptor_count - layout->uniform_buffer_count;
  return iree_ok_status();
}

iree_status_t executable_read_pipeline_layouts(
    executable_reader_t* reader, const vulkan_flatbuffer_table_t* root) {
  const vulkan_flatbuffer_vector_t vector = vulkan_flatbuffer_vector(
      &reader->buffer, root, EXECUTABLE_PIPELINE_LAYOUTS, sizeof(uint32_t));
  vulkan_pipeline_layout_def_t* layouts = NULL;
  IREE_RETURN_IF_ERROR(executable_allocate(reader, vector.count,
                                           sizeof(*layouts), "pipeline layouts",
                                           (void**)&layouts));
  for (uint32_t i = 0; i < vector.count; ++i) {
    const vulkan_flatbuffer_table_t table =
        vulkan_flatbuffer_element(&reader->buffer, &vector, i);
    IREE_RETURN_IF_ERROR(
        executable_read_push_constants(reader, i, &table, &layouts[i]));
    IREE_RETURN_IF_ERROR(executable_read_sets(reader, i, &table, &layouts[i]));
  }
  reader->def->pipeline_layout_count = vector.count;
  reader->def->pipeline_layouts = layouts;
  return iree_ok_status();
}
