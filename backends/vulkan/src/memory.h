// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns device memory: large blocks with one VkBuffer each, and ranges of them.

#ifndef IREE_CY_VULKAN_MEMORY_H_
#define IREE_CY_VULKAN_MEMORY_H_

#include "logical_device.h"

// Ranges begin at multiples of this and are as long, which is enough for every
// descriptor, and leaves room to round a descriptor's length up to whole words.
#define VULKAN_MEMORY_GRANULE ((VkDeviceSize)256)

// A free range of a block, by rising offset.
typedef struct vulkan_free_range_t {
  struct vulkan_free_range_t* next;
  VkDeviceSize offset;
  VkDeviceSize size;
} vulkan_free_range_t;

typedef struct vulkan_block_t {
  struct vulkan_block_t* next;
  VkDeviceMemory memory;
  // Over the whole of it, for every use.
  VkBuffer buffer;
  VkDeviceSize size;
  // Mapped as long as it lives; NULL where the host does not see it.
  uint8_t* mapped;
  // Of the buffer on the device; 0 where buffers have none.
  VkDeviceAddress address;
  vulkan_free_range_t* free;
} vulkan_block_t;

// Who is to see memory.
typedef enum vulkan_memory_place_e {
  // The host and the device.
  VULKAN_MEMORY_PLACE_SHARED = 0,
  // The device alone.
  VULKAN_MEMORY_PLACE_DEVICE,
} vulkan_memory_place_t;

// The memory of one type of one device.
typedef struct vulkan_memory_t {
  vulkan_logical_device_t* logical;
  vulkan_memory_place_t place;
  uint32_t type_index;
  VkMemoryPropertyFlags flags;
  pthread_mutex_t lock;
  vulkan_block_t* blocks;
} vulkan_memory_t;

// A range of a block; zeroed it is none.
typedef struct vulkan_range_t {
  vulkan_block_t* block;
  VkDeviceSize offset;
  VkDeviceSize size;
} vulkan_range_t;

// Chooses the type. SHARED is memory that the host sees and, of that, the
// device's own unless the device was made with memory=host. DEVICE is the
// device's own, if it can be such that the host does not see; with staging=true
// any is taken as such. UNAVAILABLE when there is none. Borrows |logical|.
iree_status_t vulkan_memory_initialize(vulkan_logical_device_t* logical,
                                       vulkan_memory_place_t place,
                                       vulkan_memory_t* out_memory);
// All ranges were freed.
void vulkan_memory_deinitialize(vulkan_memory_t* memory);

// Takes at least |size| bytes. RESOURCE_EXHAUSTED when there are none.
iree_status_t vulkan_memory_allocate(vulkan_memory_t* memory, VkDeviceSize size,
                                     VkDeviceSize alignment,
                                     vulkan_range_t* out_range);
void vulkan_memory_free(vulkan_memory_t* memory, vulkan_range_t* range);
// Gives back the blocks of which nothing is used.
void vulkan_memory_trim(vulkan_memory_t* memory);

// A block over |size| bytes of the host's at |pointer|, in no list of blocks.
// UNIMPLEMENTED, saying why, when the device cannot use them in place.
iree_status_t vulkan_block_import(vulkan_memory_t* memory, void* pointer,
                                  VkDeviceSize size,
                                  vulkan_block_t** out_block);
void vulkan_block_release(vulkan_memory_t* memory, vulkan_block_t* block);

// Bytes that one allocation may have.
VkDeviceSize vulkan_memory_max_size(const vulkan_logical_device_t* logical);

// Makes what the host wrote visible to the device, and what the device wrote to
// the host; nothing for coherent memory.
iree_status_t vulkan_memory_flush(const vulkan_memory_t* memory,
                                  const vulkan_range_t* range);
iree_status_t vulkan_memory_invalidate(const vulkan_memory_t* memory,
                                       const vulkan_range_t* range);

#endif  // IREE_CY_VULKAN_MEMORY_H_
