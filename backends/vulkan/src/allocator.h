// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the allocator of a device and its buffers.

#ifndef IREE_CY_VULKAN_ALLOCATOR_H_
#define IREE_CY_VULKAN_ALLOCATOR_H_

#include "memory.h"

// Keeps |logical|.
iree_status_t vulkan_allocator_create(vulkan_logical_device_t* logical,
                                      iree_allocator_t host_allocator,
                                      iree_hal_allocator_t** out_allocator);

// The memory of the allocator that the host sees.
vulkan_memory_t* vulkan_allocator_memory(iree_hal_allocator_t* allocator);

// Bytes of a buffer as Vulkan knows them.
typedef struct vulkan_span_t {
  VkBuffer buffer;
  VkDeviceSize offset;
  // Of |offset| on the device; 0 where buffers have none.
  VkDeviceAddress address;
  // From |offset| to where somebody else's bytes may begin.
  VkDeviceSize capacity;
} vulkan_span_t;

// Where [offset, offset + ...) of |buffer| lies, which may be a subspan.
// INVALID_ARGUMENT, naming both sides, for a buffer that was not made by an
// allocator over |logical|. A buffer of 0 bytes has no VkBuffer.
iree_status_t vulkan_buffer_resolve(const vulkan_logical_device_t* logical,
                                    const iree_hal_buffer_t* buffer,
                                    iree_device_size_t offset,
                                    vulkan_span_t* out_span);

// Registers the vtables. Inside the plugin query.
iree_status_t vulkan_allocator_register(iree_string_view_t owner);

#endif  // IREE_CY_VULKAN_ALLOCATOR_H_
