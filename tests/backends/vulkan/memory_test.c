// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Tests the vulkan driver's memory on a device that is made up here: which type
// is chosen, that ranges do not overlap and come back, what happens without
// memory.

#include "tests/support/fork_generation.h"
//
#include "backends/vulkan/src/memory.c"
#include "backends/vulkan/src/result.c"
#include "tests/support/ctest.h"
#include "tests/support/failing_allocator.h"

// What is left of the device's memory, and how much of it is out.
static uint64_t left = 0;
static int live_memories = 0;
static int live_buffers = 0;

typedef struct fake_memory_t {
  VkDeviceSize size;
  uint8_t* bytes;
} fake_memory_t;

static VkResult fake_allocate(VkDevice device, const VkMemoryAllocateInfo* info,
                              const VkAllocationCallbacks* callbacks,
                              VkDeviceMemory* out_memory) {
  (void)device, (void)callbacks;
  if (info->allocationSize > left) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  fake_memory_t* memory = (fake_memory_t*)malloc(sizeof(*memory));
  memory->size = info->allocationSize;
  memory->bytes = (uint8_t*)aligned_alloc(256, (size_t)memory->size);
  left -= memory->size;
  ++live_memories;
  *out_memory = (VkDeviceMemory)memory;
  return VK_SUCCESS;
}
static void fake_free(VkDevice device, VkDeviceMemory handle,
                      const VkAllocationCallbacks* callbacks) {
  (void)device, (void)callbacks;
  fake_memory_t* memory = (fake_memory_t*)handle;
  left += memory->size;
  --live_memories;
  free(memory->bytes);
  free(memory);
}
static VkResult fake_map(VkDevice device, VkDeviceMemory memory,
                         VkDeviceSize offset, VkDeviceSize size,
                         VkMemoryMapFlags flags, void** out_data) {
  (void)device, (void)size, (void)flags;
  *out_data = ((fake_memory_t*)memory)->bytes + offset;
  return VK_SUCCESS;
}
static VkResult fake_create_buffer(VkDevice device,
                                   const VkBufferCreateInfo* info,
                                   const VkAllocationCallbacks* callbacks,
                                   VkBuffer* out_buffer) {
  (void)device, (void)callbacks;
  VkDeviceSize* size = (VkDeviceSize*)malloc(sizeof(*size));
  *size = info->size;
  ++live_buffers;
  *out_buffer = (VkBuffer)size;
  return VK_SUCCESS;
}
static void fake_destroy_buffer(VkDevice device, VkBuffer buffer,
                                const VkAllocationCallbacks* callbacks) {
  (void)device, (void)callbacks;
  --live_buffers;
  free(buffer);
}
static void fake_requirements(VkDevice device,
                              const VkBufferMemoryRequirementsInfo2* info,
                              VkMemoryRequirements2* out_requirements) {
  (void)device;
  out_requirements->memoryRequirements.size = *(VkDeviceSize*)info->buffer;
}
static uint32_t allowed_type_bits = ~0u;
static void fake_device_requirements(
    VkDevice device, const VkDeviceBufferMemoryRequirements* info,
    VkMemoryRequirements2* out_requirements) {
  (void)device, (void)info;
  out_requirements->memoryRequirements.memoryTypeBits = allowed_type_bits;
}
static VkResult fake_bind(VkDevice device, VkBuffer buffer,
                          VkDeviceMemory memory, VkDeviceSize offset) {
  (void)device, (void)buffer, (void)memory, (void)offset;
  return VK_SUCCESS;
}
static void make_device(vulkan_logical_device_t* logical,
                        iree_allocator_t host_allocator) {
  memset(logical, 0, sizeof(*logical));
  logical->host_allocator = host_allocator;
  logical->fork_generation = iree_cy_fork_generation();
  logical->vk.AllocateMemory = fake_allocate;
  logical->vk.FreeMemory = fake_free;
  logical->vk.MapMemory = fake_map;
  logical->vk.CreateBuffer = fake_create_buffer;
  logical->vk.DestroyBuffer = fake_destroy_buffer;
  logical->vk.GetBufferMemoryRequirements2 = fake_requirements;
  logical->vk.GetDeviceBufferMemoryRequirements = fake_device_requirements;
  logical->vk.BindBufferMemory = fake_bind;
  logical->physical.v11.maxMemoryAllocationSize = (VkDeviceSize)1 << 30;
  logical->physical.v13.maxBufferSize = (VkDeviceSize)1 << 30;
  logical->physical.properties.limits.nonCoherentAtomSize = 64;
  VkPhysicalDeviceMemoryProperties* memory = &logical->physical.memory;
  static const VkMemoryPropertyFlags flags[] = {
      VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
          VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
          VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
      VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT |
          VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
          VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
      VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT |
          VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
          VK_MEMORY_PROPERTY_HOST_COHERENT_BIT |
          VK_MEMORY_PROPERTY_HOST_CACHED_BIT |
          VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD,
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
  };
  memory->memoryTypeCount = IREE_ARRAYSIZE(flags);
  for (uint32_t i = 0; i < IREE_ARRAYSIZE(flags); ++i) {
    memory->memoryTypes[i].propertyFlags = flags[i];
  }
}

CTEST(the_type_is_one_that_the_host_sees) {
  vulkan_logical_device_t logical;
  vulkan_memory_t memory;
  make_device(&logical, iree_allocator_system());
  const struct {
    uint32_t allowed;
    vulkan_memory_preference_t preference;
    uint32_t type_index;
  } cases[] = {
      {~0u, VULKAN_MEMORY_AUTO, 2},
      {~0u, VULKAN_MEMORY_HOST, 1},
      {1u << 1, VULKAN_MEMORY_AUTO, 1},
      {1u << 4, VULKAN_MEMORY_AUTO, 4},
      {1u << 4 | 1u << 3 | 1u, VULKAN_MEMORY_AUTO, 4},
  };
  for (size_t i = 0; i < IREE_ARRAYSIZE(cases); ++i) {
    allowed_type_bits = cases[i].allowed;
    logical.params.memory = cases[i].preference;
    REQUIRE_OK(vulkan_memory_initialize(&logical, VULKAN_MEMORY_PLACE_SHARED,
                                        &memory));
    EXPECT_EQ_I64(memory.type_index, cases[i].type_index);
    vulkan_memory_deinitialize(&memory);
  }
  allowed_type_bits = 1;
  EXPECT_STATUS(
      IREE_STATUS_UNAVAILABLE,
      vulkan_memory_initialize(&logical, VULKAN_MEMORY_PLACE_SHARED, &memory));
  allowed_type_bits = ~0u;
}

CTEST(the_devices_own_is_not_mapped) {
  vulkan_logical_device_t logical;
  vulkan_memory_t memory;
  vulkan_range_t range;
  make_device(&logical, iree_allocator_system());
  left = (uint64_t)512 << 20;
  const struct {
    uint32_t allowed;
    bool staging;
    int64_t type_index;
  } cases[] = {{~0u, false, 0},
               {~0u, true, 0},
               {~1u, true, 2},
               {~1u, false, -1},
               {1u << 1, true, -1}};
  for (size_t i = 0; i < IREE_ARRAYSIZE(cases); ++i) {
    allowed_type_bits = cases[i].allowed;
    logical.params.staging = cases[i].staging;
    iree_status_t status =
        vulkan_memory_initialize(&logical, VULKAN_MEMORY_PLACE_DEVICE, &memory);
    if (cases[i].type_index < 0) {
      EXPECT_STATUS(IREE_STATUS_UNAVAILABLE, status);
      continue;
    }
    REQUIRE_OK(status);
    EXPECT_EQ_I64(memory.type_index, cases[i].type_index);
    REQUIRE_OK(vulkan_memory_allocate(&memory, 100, 4096, &range));
    EXPECT(!range.block->mapped);
    EXPECT_EQ_I64(range.offset % 4096, 0);
    vulkan_memory_free(&memory, &range);
    vulkan_memory_deinitialize(&memory);
  }
  allowed_type_bits = ~0u;
  EXPECT_EQ_I64(live_memories, 0);
}

CTEST(ranges_do_not_overlap_and_come_back) {
  failing_allocator_t host;
  memset(&host, 0, sizeof(host));
  host.remaining = -1;
  vulkan_logical_device_t logical;
  vulkan_memory_t memory;
  make_device(&logical, failing_allocator(&host));
  left = (uint64_t)512 << 20;
  REQUIRE_OK(
      vulkan_memory_initialize(&logical, VULKAN_MEMORY_PLACE_SHARED, &memory));
  enum { RANGE_COUNT = 64 };
  vulkan_range_t ranges[RANGE_COUNT];
  memset(ranges, 0, sizeof(ranges));
  uint32_t random = 12345;
  for (int round = 0; round < 4000; ++round) {
    random = random * 1664525u + 1013904223u;
    const uint32_t slot = (random >> 8) % RANGE_COUNT;
    if (ranges[slot].block) {
      // What was written is there still: nobody else has these bytes.
      const uint8_t* bytes = ranges[slot].block->mapped + ranges[slot].offset;
      EXPECT_EQ_I64(bytes[0], slot);
      EXPECT_EQ_I64(bytes[ranges[slot].size - 1], slot);
      vulkan_memory_free(&memory, &ranges[slot]);
      EXPECT(!ranges[slot].block);
      continue;
    }
    const VkDeviceSize alignment = (VkDeviceSize)1 << ((random >> 16) % 15);
    const VkDeviceSize size = 1 + (random >> 4) % 3000000;
    REQUIRE_OK(vulkan_memory_allocate(&memory, size, alignment, &ranges[slot]));
    EXPECT(ranges[slot].size >= size);
    EXPECT_EQ_I64(ranges[slot].offset % VULKAN_MEMORY_GRANULE, 0);
    uint8_t* bytes = ranges[slot].block->mapped + ranges[slot].offset;
    EXPECT_EQ_I64((uintptr_t)bytes % alignment, 0);
    memset(bytes, (int)slot, (size_t)ranges[slot].size);
  }
  for (uint32_t i = 0; i < RANGE_COUNT; ++i) {
    vulkan_memory_free(&memory, &ranges[i]);
  }
  // All of each block is one range again, and trimming gives it back.
  for (vulkan_block_t* block = memory.blocks; block; block = block->next) {
    EXPECT(block_is_unused(block) && !block->free->next);
  }
  vulkan_memory_trim(&memory);
  EXPECT(!memory.blocks);
  EXPECT_EQ_I64(live_memories, 0);
  EXPECT_EQ_I64(live_buffers, 0);
  vulkan_memory_deinitialize(&memory);
  EXPECT_EQ_I64(host.live_blocks, 0);
}

CTEST(memory_that_runs_out_is_exhausted_and_comes_back) {
  vulkan_logical_device_t logical;
  vulkan_memory_t memory;
  make_device(&logical, iree_allocator_system());
  REQUIRE_OK(
      vulkan_memory_initialize(&logical, VULKAN_MEMORY_PLACE_SHARED, &memory));
  left = (uint64_t)100 << 20;
  vulkan_range_t first;
  vulkan_range_t second;
  REQUIRE_OK(vulkan_memory_allocate(&memory, 80 << 20, 0, &first));
  // A whole block is not there, but what is asked for is.
  REQUIRE_OK(vulkan_memory_allocate(&memory, 10 << 20, 0, &second));
  vulkan_range_t third;
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                vulkan_memory_allocate(&memory, 20 << 20, 0, &third));
  EXPECT(!third.block);
  EXPECT_STATUS(
      IREE_STATUS_RESOURCE_EXHAUSTED,
      vulkan_memory_allocate(&memory, (VkDeviceSize)2 << 30, 0, &third));
  // A block of one large range goes with it.
  vulkan_memory_free(&memory, &first);
  EXPECT_OK(vulkan_memory_allocate(&memory, 20 << 20, 0, &third));
  vulkan_memory_free(&memory, &second);
  vulkan_memory_free(&memory, &third);
  vulkan_memory_deinitialize(&memory);
  EXPECT_EQ_I64(live_memories, 0);
  EXPECT_EQ_I64(live_buffers, 0);
}

CTEST(without_memory_for_notes_nothing_is_lost_but_the_range) {
  failing_allocator_t host;
  memset(&host, 0, sizeof(host));
  host.remaining = -1;
  vulkan_logical_device_t logical;
  vulkan_memory_t memory;
  make_device(&logical, failing_allocator(&host));
  left = (uint64_t)512 << 20;
  REQUIRE_OK(
      vulkan_memory_initialize(&logical, VULKAN_MEMORY_PLACE_SHARED, &memory));
  for (int64_t remaining = 0; remaining < 6; ++remaining) {
    host.remaining = remaining;
    vulkan_range_t range;
    iree_status_t status = vulkan_memory_allocate(&memory, 4096, 0, &range);
    host.remaining = -1;
    if (iree_status_is_ok(status)) {
      vulkan_memory_free(&memory, &range);
    } else {
      EXPECT_EQ_I64(iree_status_code(status), IREE_STATUS_RESOURCE_EXHAUSTED);
      iree_status_ignore(status);
    }
  }
  vulkan_memory_deinitialize(&memory);
  EXPECT_EQ_I64(live_memories, 0);
  EXPECT_EQ_I64(live_buffers, 0);
  EXPECT_EQ_I64(host.live_blocks, 0);
}

CTEST_MAIN()
