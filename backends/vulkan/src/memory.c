// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Implements device memory: first fit in sorted lists of free ranges.

#include "memory.h"

#include "result.h"

#define BLOCK_SIZE ((VkDeviceSize)64 << 20)

static VkDeviceSize round_up(VkDeviceSize value, VkDeviceSize multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

//===-- the type ------------------------------------------------------------===

static const VkBufferUsageFlags block_usage =
    VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
    VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
    VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;

static bool has_addresses(const vulkan_logical_device_t* logical) {
  return logical->enabled.v12.bufferDeviceAddress;
}

static VkBufferCreateInfo block_buffer_info(
    const vulkan_logical_device_t* logical, VkDeviceSize size) {
  const VkBufferCreateInfo info = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
      .size = size,
      .usage = block_usage | (has_addresses(logical)
                                  ? VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT
                                  : 0),
      .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
  };
  return info;
}

// Types that such a buffer may be in.
static uint32_t allowed_types(const vulkan_logical_device_t* logical) {
  const VkBufferCreateInfo info =
      block_buffer_info(logical, VULKAN_MEMORY_GRANULE);
  const VkDeviceBufferMemoryRequirements of = {
      .sType = VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS,
      .pCreateInfo = &info,
  };
  VkMemoryRequirements2 requirements = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2,
  };
  logical->vk.GetDeviceBufferMemoryRequirements(logical->handle, &of,
                                                &requirements);
  return requirements.memoryRequirements.memoryTypeBits;
}

// 0 for a type that cannot be used.
static uint32_t type_score(const vulkan_logical_device_t* logical,
                           vulkan_memory_place_t place,
                           VkMemoryPropertyFlags flags) {
  const VkMemoryPropertyFlags never =
      VK_MEMORY_PROPERTY_PROTECTED_BIT |
      VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT |
      VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD |
      VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD;
  if (flags & never) return 0;
  const bool is_local = flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  const bool is_visible = flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
  if (place == VULKAN_MEMORY_PLACE_DEVICE) {
    if (!is_local || (is_visible && !logical->params.staging)) return 0;
    return is_visible ? 1 : 2;
  }
  if (!is_visible) return 0;
  const bool wants_host = logical->params.memory == VULKAN_MEMORY_HOST;
  uint32_t score = 1;
  if (is_local != wants_host) score += 8;
  if (flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT) score += 4;
  if (flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT) score += 2;
  return score;
}

iree_status_t vulkan_memory_initialize(vulkan_logical_device_t* logical,
                                       vulkan_memory_place_t place,
                                       vulkan_memory_t* out_memory) {
  memset(out_memory, 0, sizeof(*out_memory));
  const VkPhysicalDeviceMemoryProperties* properties =
      &logical->physical.memory;
  const uint32_t allowed = allowed_types(logical);
  uint32_t best = 0;
  for (uint32_t i = 0; i < properties->memoryTypeCount; ++i) {
    const VkMemoryPropertyFlags flags =
        properties->memoryTypes[i].propertyFlags;
    const uint32_t score =
        allowed & (1u << i) ? type_score(logical, place, flags) : 0;
    if (score <= best) continue;
    best = score;
    out_memory->type_index = i;
    out_memory->flags = flags;
  }
  if (!best) {
    return iree_make_status(
        IREE_STATUS_UNAVAILABLE,
        "'%.60s' has no memory that %s and buffers may be in",
        logical->physical.properties.deviceName,
        place == VULKAN_MEMORY_PLACE_DEVICE ? "is its own alone"
                                            : "the host sees");
  }
  out_memory->logical = logical;
  out_memory->place = place;
  pthread_mutex_init(&out_memory->lock, NULL);
  return iree_ok_status();
}

VkDeviceSize vulkan_memory_max_size(const vulkan_logical_device_t* logical) {
  return iree_min(logical->physical.v11.maxMemoryAllocationSize,
                  logical->physical.v13.maxBufferSize) &
         ~(VULKAN_MEMORY_GRANULE - 1);
}

//===-- blocks --------------------------------------------------------------===

static void block_destroy(vulkan_memory_t* memory, vulkan_block_t* block) {
  vulkan_logical_device_t* logical = memory->logical;
  if (!vulkan_logical_device_is_stale(logical)) {
    if (block->buffer) {
      logical->vk.DestroyBuffer(logical->handle, block->buffer, NULL);
    }
    // Unmapped with it.
    if (block->memory) {
      logical->vk.FreeMemory(logical->handle, block->memory, NULL);
    }
  }
  while (block->free) {
    vulkan_free_range_t* next = block->free->next;
    iree_allocator_free(logical->host_allocator, block->free);
    block->free = next;
  }
  iree_allocator_free(logical->host_allocator, block);
}

static iree_status_t bind_block(const vulkan_logical_device_t* logical,
                                vulkan_block_t* block) {
  IREE_RETURN_IF_ERROR(vulkan_result_status(
      logical->vk.BindBufferMemory(logical->handle, block->buffer,
                                   block->memory, 0),
      "vkBindBufferMemory"));
  if (has_addresses(logical)) {
    const VkBufferDeviceAddressInfo address_info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
        .buffer = block->buffer,
    };
    block->address =
        logical->vk.GetBufferDeviceAddress(logical->handle, &address_info);
  }
  return iree_ok_status();
}

static iree_status_t block_make(vulkan_memory_t* memory,
                                vulkan_block_t* block) {
  const vulkan_logical_device_t* logical = memory->logical;
  const VkBufferCreateInfo buffer_info =
      block_buffer_info(logical, block->size);
  IREE_RETURN_IF_ERROR(vulkan_result_status(
      logical->vk.CreateBuffer(logical->handle, &buffer_info, NULL,
                               &block->buffer),
      "vkCreateBuffer"));
  const VkBufferMemoryRequirementsInfo2 of = {
      .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2,
      .buffer = block->buffer,
  };
  VkMemoryRequirements2 requirements = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2,
  };
  logical->vk.GetBufferMemoryRequirements2(logical->handle, &of, &requirements);
  const VkMemoryAllocateFlagsInfo flags_info = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
      .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
  };
  const VkMemoryAllocateInfo memory_info = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
      .pNext = has_addresses(logical) ? &flags_info : NULL,
      .allocationSize = requirements.memoryRequirements.size,
      .memoryTypeIndex = memory->type_index,
  };
  IREE_RETURN_IF_ERROR(vulkan_result_status(
      logical->vk.AllocateMemory(logical->handle, &memory_info, NULL,
                                 &block->memory),
      "vkAllocateMemory"));
  IREE_RETURN_IF_ERROR(bind_block(logical, block));
  if (memory->place == VULKAN_MEMORY_PLACE_DEVICE) return iree_ok_status();
  return vulkan_result_status(
      logical->vk.MapMemory(logical->handle, block->memory, 0, VK_WHOLE_SIZE, 0,
                            (void**)&block->mapped),
      "vkMapMemory");
}

// A block with one free range, in the list. Under the lock.
static iree_status_t block_add(vulkan_memory_t* memory, VkDeviceSize size,
                               vulkan_block_t** out_block) {
  iree_allocator_t host_allocator = memory->logical->host_allocator;
  vulkan_block_t* block = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc(host_allocator, sizeof(*block), (void**)&block));
  block->size = size;
  iree_status_t status = iree_allocator_malloc(
      host_allocator, sizeof(*block->free), (void**)&block->free);
  if (iree_status_is_ok(status)) {
    block->free->size = size;
    status = block_make(memory, block);
  }
  if (!iree_status_is_ok(status)) {
    block_destroy(memory, block);
    return status;
  }
  block->next = memory->blocks;
  memory->blocks = block;
  *out_block = block;
  return iree_ok_status();
}

static bool block_is_unused(const vulkan_block_t* block) {
  return block->free && block->free->size == block->size;
}

// Under the lock.
static void drop_unused(vulkan_memory_t* memory) {
  for (vulkan_block_t** link = &memory->blocks; *link;) {
    vulkan_block_t* block = *link;
    if (block_is_unused(block)) {
      *link = block->next;
      block_destroy(memory, block);
    } else {
      link = &block->next;
    }
  }
}

void vulkan_memory_deinitialize(vulkan_memory_t* memory) {
  if (!memory->logical) return;
  while (memory->blocks) {
    vulkan_block_t* next = memory->blocks->next;
    block_destroy(memory, memory->blocks);
    memory->blocks = next;
  }
  pthread_mutex_destroy(&memory->lock);
}

//===-- memory of the host's ------------------------------------------------===

// The type of memory that the host's bytes at |pointer| may be.
static iree_status_t imported_type(const vulkan_logical_device_t* logical,
                                   const void* pointer, uint32_t* out_type) {
  VkMemoryHostPointerPropertiesEXT of = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT,
  };
  IREE_RETURN_IF_ERROR(vulkan_result_status(
      logical->vk.GetMemoryHostPointerPropertiesEXT(
          logical->handle,
          VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, pointer, &of),
      "vkGetMemoryHostPointerPropertiesEXT"));
  const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                       VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  const VkPhysicalDeviceMemoryProperties* properties =
      &logical->physical.memory;
  for (uint32_t i = 0; i < properties->memoryTypeCount; ++i) {
    if ((of.memoryTypeBits >> i) & 1 &&
        (properties->memoryTypes[i].propertyFlags & wanted) == wanted) {
      *out_type = i;
      return iree_ok_status();
    }
  }
  return iree_make_status(IREE_STATUS_UNIMPLEMENTED,
                          "'%.60s' cannot use this memory of the host in place",
                          logical->physical.properties.deviceName);
}

static iree_status_t import_into(const vulkan_logical_device_t* logical,
                                 void* pointer, vulkan_block_t* block) {
  uint32_t type_index = 0;
  IREE_RETURN_IF_ERROR(imported_type(logical, pointer, &type_index));
  const VkExternalMemoryBufferCreateInfo external = {
      .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
      .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
  };
  VkBufferCreateInfo buffer_info = block_buffer_info(logical, block->size);
  buffer_info.pNext = &external;
  IREE_RETURN_IF_ERROR(vulkan_result_status(
      logical->vk.CreateBuffer(logical->handle, &buffer_info, NULL,
                               &block->buffer),
      "vkCreateBuffer"));
  const VkMemoryAllocateFlagsInfo flags_info = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
      .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
  };
  const VkImportMemoryHostPointerInfoEXT import_info = {
      .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
      .pNext = has_addresses(logical) ? &flags_info : NULL,
      .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
      .pHostPointer = pointer,
  };
  const VkMemoryAllocateInfo memory_info = {
      .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
      .pNext = &import_info,
      .allocationSize = block->size,
      .memoryTypeIndex = type_index,
  };
  IREE_RETURN_IF_ERROR(vulkan_result_status(
      logical->vk.AllocateMemory(logical->handle, &memory_info, NULL,
                                 &block->memory),
      "vkAllocateMemory"));
  return bind_block(logical, block);
}

iree_status_t vulkan_block_import(vulkan_memory_t* memory, void* pointer,
                                  VkDeviceSize size,
                                  vulkan_block_t** out_block) {
  const vulkan_logical_device_t* logical = memory->logical;
  *out_block = NULL;
  if (!logical->enabled.extensions.external_memory_host) {
    return iree_make_status(IREE_STATUS_UNIMPLEMENTED,
                            "'%.60s' cannot use memory of the host in place: "
                            "it has no VK_EXT_external_memory_host",
                            logical->physical.properties.deviceName);
  }
  const VkDeviceSize alignment =
      logical->physical.external_memory_host.minImportedHostPointerAlignment;
  if (!size || size % alignment || (uintptr_t)pointer % alignment) {
    return iree_make_status(
        IREE_STATUS_UNIMPLEMENTED,
        "'%.60s' uses memory of the host in place that begins and ends at "
        "multiples of %" PRIu64 " bytes; %" PRIu64 " at offset %" PRIu64
        " of one are given",
        logical->physical.properties.deviceName, alignment, size,
        (VkDeviceSize)(uintptr_t)pointer % alignment);
  }
  vulkan_block_t* block = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc(logical->host_allocator,
                                             sizeof(*block), (void**)&block));
  block->size = size;
  block->mapped = (uint8_t*)pointer;
  iree_status_t status = import_into(logical, pointer, block);
  if (!iree_status_is_ok(status)) {
    block_destroy(memory, block);
    return status;
  }
  *out_block = block;
  return status;
}

void vulkan_block_release(vulkan_memory_t* memory, vulkan_block_t* block) {
  block_destroy(memory, block);
}

//===-- ranges --------------------------------------------------------------===

// The first offset from |offset| on, a multiple of the granule, at which the
// host sees an address that is aligned; without one, the offset is.
static VkDeviceSize aligned_offset(const vulkan_block_t* block,
                                   VkDeviceSize offset,
                                   VkDeviceSize alignment) {
  const uintptr_t base = (uintptr_t)block->mapped % alignment;
  if (base % VULKAN_MEMORY_GRANULE) return round_up(offset, alignment);
  return round_up(base + offset, alignment) - base;
}

// Takes a range of |size| bytes out of |block|. Returns false when there is
// none, or no memory to note what is left of a free one.
static bool block_take(vulkan_memory_t* memory, vulkan_block_t* block,
                       VkDeviceSize size, VkDeviceSize alignment,
                       vulkan_range_t* out_range) {
  for (vulkan_free_range_t** link = &block->free; *link;
       link = &(*link)->next) {
    vulkan_free_range_t* free_range = *link;
    const VkDeviceSize offset =
        aligned_offset(block, free_range->offset, alignment);
    const VkDeviceSize end = free_range->offset + free_range->size;
    if (offset > end || end - offset < size) continue;
    const VkDeviceSize before = offset - free_range->offset;
    const VkDeviceSize behind = end - offset - size;
    if (before && behind) {
      vulkan_free_range_t* rest = NULL;
      iree_status_t status = iree_allocator_malloc(
          memory->logical->host_allocator, sizeof(*rest), (void**)&rest);
      if (!iree_status_is_ok(status)) {
        iree_status_ignore(status);
        return false;
      }
      rest->offset = offset + size;
      rest->size = behind;
      rest->next = free_range->next;
      free_range->next = rest;
      free_range->size = before;
    } else if (before) {
      free_range->size = before;
    } else if (behind) {
      free_range->offset = offset + size;
      free_range->size = behind;
    } else {
      *link = free_range->next;
      iree_allocator_free(memory->logical->host_allocator, free_range);
    }
    out_range->block = block;
    out_range->offset = offset;
    out_range->size = size;
    return true;
  }
  return false;
}

static iree_status_t allocate_locked(vulkan_memory_t* memory, VkDeviceSize size,
                                     VkDeviceSize alignment,
                                     vulkan_range_t* out_range) {
  for (vulkan_block_t* block = memory->blocks; block; block = block->next) {
    if (block_take(memory, block, size, alignment, out_range)) {
      return iree_ok_status();
    }
  }
  // What is large gets a block of its own; room for the alignment goes with it.
  VkDeviceSize block_size = size;
  if (alignment > VULKAN_MEMORY_GRANULE) block_size += alignment;
  block_size = iree_max(block_size, BLOCK_SIZE);
  const VkDeviceSize largest = vulkan_memory_max_size(memory->logical);
  if (block_size > largest) block_size = iree_max(size, largest);
  vulkan_block_t* block = NULL;
  iree_status_t status = block_add(memory, block_size, &block);
  if (iree_status_code(status) == IREE_STATUS_RESOURCE_EXHAUSTED) {
    // Once more with what is kept for later, and no more than is needed.
    iree_status_ignore(status);
    drop_unused(memory);
    status = block_add(memory, size, &block);
  }
  IREE_RETURN_IF_ERROR(status);
  if (block_take(memory, block, size, alignment, out_range)) return status;
  return iree_make_status(IREE_STATUS_RESOURCE_EXHAUSTED,
                          "no memory is left for %" PRIu64
                          " bytes at a multiple of %" PRIu64,
                          size, alignment);
}

iree_status_t vulkan_memory_allocate(vulkan_memory_t* memory, VkDeviceSize size,
                                     VkDeviceSize alignment,
                                     vulkan_range_t* out_range) {
  memset(out_range, 0, sizeof(*out_range));
  const VkDeviceSize largest = vulkan_memory_max_size(memory->logical);
  if (size > largest) {
    return iree_make_status(
        IREE_STATUS_RESOURCE_EXHAUSTED,
        "%" PRIu64
        " bytes are asked for; one allocation of '%.60s' "
        "has up to %" PRIu64,
        size, memory->logical->physical.properties.deviceName, largest);
  }
  size = iree_max(round_up(size, VULKAN_MEMORY_GRANULE), VULKAN_MEMORY_GRANULE);
  alignment = iree_max(alignment, VULKAN_MEMORY_GRANULE);
  pthread_mutex_lock(&memory->lock);
  iree_status_t status = allocate_locked(memory, size, alignment, out_range);
  pthread_mutex_unlock(&memory->lock);
  return status;
}

// Puts the range back, joined with free neighbours. Under the lock.
static void free_locked(vulkan_memory_t* memory, vulkan_range_t* range) {
  iree_allocator_t host_allocator = memory->logical->host_allocator;
  vulkan_block_t* block = range->block;
  vulkan_free_range_t* before = NULL;
  vulkan_free_range_t* behind = block->free;
  while (behind && behind->offset < range->offset) {
    before = behind;
    behind = behind->next;
  }
  const bool joins_before =
      before && before->offset + before->size == range->offset;
  const bool joins_behind =
      behind && range->offset + range->size == behind->offset;
  if (joins_before && joins_behind) {
    before->size += range->size + behind->size;
    before->next = behind->next;
    iree_allocator_free(host_allocator, behind);
  } else if (joins_before) {
    before->size += range->size;
  } else if (joins_behind) {
    behind->offset = range->offset;
    behind->size += range->size;
  } else {
    vulkan_free_range_t* added = NULL;
    iree_status_t status =
        iree_allocator_malloc(host_allocator, sizeof(*added), (void**)&added);
    // Without memory to note it the range is lost until the block goes.
    if (!iree_status_is_ok(status)) {
      iree_status_ignore(status);
      return;
    }
    added->offset = range->offset;
    added->size = range->size;
    added->next = behind;
    if (before) {
      before->next = added;
    } else {
      block->free = added;
    }
  }
}

void vulkan_memory_free(vulkan_memory_t* memory, vulkan_range_t* range) {
  if (!range->block) return;
  if (!vulkan_logical_device_is_stale(memory->logical)) {
    pthread_mutex_lock(&memory->lock);
    free_locked(memory, range);
    // A block of one large buffer goes with it.
    if (block_is_unused(range->block) && range->block->size > BLOCK_SIZE) {
      drop_unused(memory);
    }
    pthread_mutex_unlock(&memory->lock);
  }
  memset(range, 0, sizeof(*range));
}

void vulkan_memory_trim(vulkan_memory_t* memory) {
  pthread_mutex_lock(&memory->lock);
  drop_unused(memory);
  pthread_mutex_unlock(&memory->lock);
}

//===-- coherence -----------------------------------------------------------===

static VkMappedMemoryRange atoms(const vulkan_memory_t* memory,
                                 const vulkan_range_t* range) {
  const VkDeviceSize atom =
      memory->logical->physical.properties.limits.nonCoherentAtomSize;
  const VkDeviceSize begin = range->offset / atom * atom;
  const VkDeviceSize end = round_up(range->offset + range->size, atom);
  const VkMappedMemoryRange mapped = {
      .sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
      .memory = range->block->memory,
      .offset = begin,
      .size = end >= range->block->size ? VK_WHOLE_SIZE : end - begin,
  };
  return mapped;
}

static bool is_coherent(const vulkan_memory_t* memory,
                        const vulkan_range_t* range) {
  return !range->block || !range->size ||
         (memory->flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
}

iree_status_t vulkan_memory_flush(const vulkan_memory_t* memory,
                                  const vulkan_range_t* range) {
  if (is_coherent(memory, range)) return iree_ok_status();
  const VkMappedMemoryRange mapped = atoms(memory, range);
  return vulkan_result_status(memory->logical->vk.FlushMappedMemoryRanges(
                                  memory->logical->handle, 1, &mapped),
                              "vkFlushMappedMemoryRanges");
}

iree_status_t vulkan_memory_invalidate(const vulkan_memory_t* memory,
                                       const vulkan_range_t* range) {
  if (is_coherent(memory, range)) return iree_ok_status();
  const VkMappedMemoryRange mapped = atoms(memory, range);
  return vulkan_result_status(memory->logical->vk.InvalidateMappedMemoryRanges(
                                  memory->logical->handle, 1, &mapped),
                              "vkInvalidateMappedMemoryRanges");
}
