// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the pipelines that are kept on disk for the next process.

#ifndef IREE_CY_VULKAN_PIPELINE_CACHE_H_
#define IREE_CY_VULKAN_PIPELINE_CACHE_H_

#include "logical_device.h"

// The folder, in place of iree_cy/vulkan in $XDG_CACHE_HOME or ~/.cache; empty
// keeps nothing.
#define VULKAN_PIPELINE_CACHE_VARIABLE "IREE_CY_VULKAN_PIPELINE_CACHE"

// A VkPipelineCache with its file. Nothing that goes wrong with the file is an
// error: without it pipelines take longer to make.
typedef struct vulkan_pipeline_cache_t {
  vulkan_logical_device_t* logical;
  VkPipelineCache handle;
  // NULL when nothing is kept.
  char* path;
  pthread_mutex_t lock;
  // What the file had last, as far as is known here.
  uint64_t stored_size;
} vulkan_pipeline_cache_t;

// Borrows |logical|. Reads the file that fits the device and its driver.
void vulkan_pipeline_cache_initialize(vulkan_logical_device_t* logical,
                                      vulkan_pipeline_cache_t* out_cache);
void vulkan_pipeline_cache_deinitialize(vulkan_pipeline_cache_t* cache);

// After pipelines were made: writes the file when there is more to keep than it
// has. Any thread. Of a device whose driver keeps nothing it asks once.
void vulkan_pipeline_cache_store(vulkan_pipeline_cache_t* cache);

#endif  // IREE_CY_VULKAN_PIPELINE_CACHE_H_
