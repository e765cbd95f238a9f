// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Implements asking whether a device has what an executable needs.

#include <stdio.h>

#include "executable_format.h"

enum { MAX_NAMES = 8 };

static iree_status_t device_lacks(const vulkan_pipeline_def_t* pipeline,
                                  const char* what, uint64_t wanted,
                                  uint64_t limit) {
  return iree_make_status(IREE_STATUS_UNAVAILABLE,
                          "export '%.*s' needs %s of %" PRIu64
                          ", the device has at most %" PRIu64,
                          (int)iree_min(pipeline->name.size, 60),
                          pipeline->name.data, what, wanted, limit);
}

static iree_status_t device_check_features(
    const vulkan_pipeline_def_t* pipeline, const vulkan_spirv_needs_t* needs,
    const vulkan_spirv_needs_t* available) {
  const char* names[MAX_NAMES];
  const iree_host_size_t count =
      vulkan_spirv_missing(needs, available, MAX_NAMES, names);
  if (count == 0) return iree_ok_status();
  // As many as go into a line.
  char text[96] = {0};
  size_t length = 0;
  iree_host_size_t shown = 0;
  for (; shown < iree_min(count, MAX_NAMES); ++shown) {
    const size_t added = strlen(names[shown]) + 2;
    if (length + added >= sizeof(text) - 16) break;
    length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s",
                               shown == 0 ? "" : ", ", names[shown]);
  }
  if (shown < count) {
    snprintf(text + length, sizeof(text) - length, " and %" PRIhsz " more",
             count - shown);
  }
  return iree_make_status(
      IREE_STATUS_UNAVAILABLE, "export '%.*s' needs %s, which the device lacks",
      (int)iree_min(pipeline->name.size, 60), pipeline->name.data, text);
}

static iree_status_t device_check_workgroup(
    const vulkan_pipeline_def_t* pipeline,
    const vulkan_device_limits_t* limits) {
  static const char* const names[] = {"workgroups with a width",
                                      "workgroups with a height",
                                      "workgroups with a depth"};
  const vulkan_spirv_entry_point_t* entry_point = pipeline->entry_point;
  uint64_t invocations = 1;
  for (int i = 0; i < 3; ++i) {
    const uint32_t size = entry_point->workgroup_size[i];
    if (size > limits->max_workgroup_size[i]) {
      return device_lacks(pipeline, names[i], size,
                          limits->max_workgroup_size[i]);
    }
    // Three sizes of up to 32 bits may be too much for 64.
    if (__builtin_mul_overflow(invocations, size, &invocations)) {
      invocations = UINT64_MAX;
    }
  }
  if (invocations > limits->max_workgroup_invocations) {
    return device_lacks(pipeline, "workgroups with a number of invocations",
                        invocations, limits->max_workgroup_invocations);
  }
  if (entry_point->workgroup_memory_size > limits->max_workgroup_memory_size) {
    return device_lacks(pipeline, "workgroup memory with a number of bytes",
                        entry_point->workgroup_memory_size,
                        limits->max_workgroup_memory_size);
  }
  const uint32_t subgroup_size = pipeline->subgroup_size;
  if (subgroup_size != 0 && (subgroup_size < limits->min_subgroup_size ||
                             subgroup_size > limits->max_subgroup_size)) {
    return iree_make_status(
        IREE_STATUS_UNAVAILABLE,
        "export '%.*s' needs subgroups of %u, the device has those of %u to %u",
        (int)iree_min(pipeline->name.size, 60), pipeline->name.data,
        subgroup_size, limits->min_subgroup_size, limits->max_subgroup_size);
  }
  return iree_ok_status();
}

static iree_status_t device_check_layout(const vulkan_executable_def_t* def,
                                         const vulkan_pipeline_def_t* pipeline,
                                         const vulkan_device_limits_t* limits) {
  const vulkan_pipeline_layout_def_t* layout =
      &def->pipeline_layouts[pipeline->layout];
  if (layout->push_constant_size > limits->max_push_constant_size) {
    return device_lacks(pipeline, "push constants with a number of bytes",
                        layout->push_constant_size,
                        limits->max_push_constant_size);
  }
  if (layout->set_count > limits->max_bound_sets) {
    return device_lacks(pipeline, "a number of descriptor sets",
                        layout->set_count, limits->max_bound_sets);
  }
  if (layout->storage_buffer_count > limits->max_storage_buffers) {
    return device_lacks(pipeline, "a number of storage buffers",
                        layout->storage_buffer_count,
                        limits->max_storage_buffers);
  }
  if (layout->uniform_buffer_count > limits->max_uniform_buffers) {
    return device_lacks(pipeline, "a number of uniform buffers",
                        layout->uniform_buffer_count,
                        limits->max_uniform_buffers);
  }
  return iree_ok_status();
}

iree_status_t vulkan_executable_def_check_device(
    const vulkan_executable_def_t* def, const vulkan_device_limits_t* limits) {
  for (uint32_t i = 0; i < def->pipeline_count; ++i) {
    const vulkan_pipeline_def_t* pipeline = &def->pipelines[i];
    IREE_RETURN_IF_ERROR(device_check_features(
        pipeline, &def->modules[pipeline->module].needs, &limits->available));
    IREE_RETURN_IF_ERROR(device_check_workgroup(pipeline, limits));
    IREE_RETURN_IF_ERROR(device_check_layout(def, pipeline, limits));
  }
  return iree_ok_status();
}
