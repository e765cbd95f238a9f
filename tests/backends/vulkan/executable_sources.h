// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the list of what reads executables, for tests that look inside.

#ifndef IREE_CY_TESTS_BACKENDS_VULKAN_EXECUTABLE_SOURCES_H_
#define IREE_CY_TESTS_BACKENDS_VULKAN_EXECUTABLE_SOURCES_H_

#include "backends/vulkan/src/executable_device.c"
#include "backends/vulkan/src/executable_format.c"
#include "backends/vulkan/src/executable_layouts.c"
#include "backends/vulkan/src/executable_pipelines.c"
#include "backends/vulkan/src/flatbuffer.c"
#include "backends/vulkan/src/spirv.c"
#include "backends/vulkan/src/spirv_entry_points.c"
#include "backends/vulkan/src/spirv_grammar.c"
#include "backends/vulkan/src/spirv_needs.c"
#include "backends/vulkan/src/spirv_scan.c"
#include "backends/vulkan/src/spirv_types.c"
#include "backends/vulkan/src/spirv_values.c"

#endif  // IREE_CY_TESTS_BACKENDS_VULKAN_EXECUTABLE_SOURCES_H_
