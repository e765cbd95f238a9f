// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the tests of the vulkan driver that need no Vulkan: results, choices,
// and what a forked child is told.

#include "tests/support/fork_generation.h"
//
#include "backends/vulkan/src/fork_lock.c"
#include "backends/vulkan/src/instance.c"
#include "backends/vulkan/src/loader.c"
#include "backends/vulkan/src/logical_device.c"
#include "backends/vulkan/src/manifest.c"
#include "backends/vulkan/src/physical_device.c"
#include "backends/vulkan/src/physical_device_dump.c"
#include "backends/vulkan/src/result.c"
#include "tests/support/ctest.h"
#include "tests/support/failing_allocator.h"

#define EXPECT_TEXT(actual, expected) \
  EXPECT_EQ_SV(iree_make_cstring_view(actual), iree_make_cstring_view(expected))

CTEST(results_become_statuses) {
  EXPECT_OK(vulkan_result_status(VK_SUCCESS, "vkCall"));
  EXPECT_OK(vulkan_result_status(VK_TIMEOUT, "vkCall"));
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                vulkan_result_status(VK_ERROR_OUT_OF_DEVICE_MEMORY, "vkCall"));
  EXPECT_STATUS(IREE_STATUS_UNAVAILABLE,
                vulkan_result_status(VK_ERROR_DEVICE_LOST, "vkCall"));
  EXPECT_STATUS(IREE_STATUS_FAILED_PRECONDITION,
                vulkan_result_status(VK_ERROR_FEATURE_NOT_PRESENT, "vkCall"));
  iree_status_t status = vulkan_result_status((VkResult)-77, "vkCall");
  EXPECT_EQ_I64(iree_status_code(status), IREE_STATUS_INTERNAL);
  iree_status_ignore(status);
}

// Families: 0 graphics and compute, 1 transfer, 2 compute, 3 compute.
static void make_families(vulkan_physical_device_t* physical) {
  memset(physical, 0, sizeof(*physical));
  static const VkQueueFlags flags[] = {
      VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT,
      VK_QUEUE_TRANSFER_BIT, VK_QUEUE_COMPUTE_BIT, VK_QUEUE_COMPUTE_BIT};
  physical->queue_family_count = IREE_ARRAYSIZE(flags);
  for (uint32_t i = 0; i < IREE_ARRAYSIZE(flags); ++i) {
    physical->queue_families[i].queueFlags = flags[i];
    physical->queue_families[i].queueCount = 2 * i + 1;
  }
}

CTEST(a_family_without_graphics_is_chosen) {
  vulkan_physical_device_t physical;
  make_families(&physical);
  uint32_t family = 0;
  EXPECT_OK(vulkan_choose_queue_family(&physical, -1, &family));
  EXPECT_EQ_I64(family, 2);
  for (int32_t wanted = 0; wanted < 4; wanted += wanted ? 1 : 2) {
    EXPECT_OK(vulkan_choose_queue_family(&physical, wanted, &family));
    EXPECT_EQ_I64(family, wanted);
  }
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                vulkan_choose_queue_family(&physical, 1, &family));
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                vulkan_choose_queue_family(&physical, 4, &family));
  physical.queue_family_count = 1;
  EXPECT_OK(vulkan_choose_queue_family(&physical, -1, &family));
  EXPECT_EQ_I64(family, 0);
}

CTEST(queues_are_as_many_as_there_are) {
  vulkan_physical_device_t physical;
  make_families(&physical);
  uint32_t count = 0;
  EXPECT_OK(vulkan_choose_queue_count(&physical, 0, 0, &count));
  EXPECT_EQ_I64(count, 1);
  EXPECT_OK(vulkan_choose_queue_count(&physical, 3, 0, &count));
  EXPECT_EQ_I64(count, 4);
  EXPECT_OK(vulkan_choose_queue_count(&physical, 3, 7, &count));
  EXPECT_EQ_I64(count, 7);
  EXPECT_STATUS(IREE_STATUS_INVALID_ARGUMENT,
                vulkan_choose_queue_count(&physical, 3, 8, &count));
}

CTEST(features_are_enabled_where_they_are) {
  vulkan_physical_device_t physical;
  memset(&physical, 0, sizeof(physical));
  EXPECT_STATUS(IREE_STATUS_FAILED_PRECONDITION,
                vulkan_physical_device_check_features(&physical));
  physical.features.v12.timelineSemaphore = VK_TRUE;
  physical.features.v13.synchronization2 = VK_TRUE;
  physical.features.v13.maintenance4 = VK_TRUE;
  physical.features.core.shaderInt64 = VK_TRUE;
  physical.features.core.geometryShader = VK_TRUE;
  physical.features.core.robustBufferAccess = VK_TRUE;
  EXPECT_OK(vulkan_physical_device_check_features(&physical));
  vulkan_features_t enabled;
  vulkan_physical_device_select_features(&physical, false, &enabled);
  EXPECT_EQ_I64(enabled.v12.timelineSemaphore, 1);
  EXPECT_EQ_I64(enabled.core.shaderInt64, 1);
  EXPECT_EQ_I64(enabled.core.shaderFloat64, 0);
  EXPECT_EQ_I64(enabled.core.geometryShader, 0);
  EXPECT_EQ_I64(enabled.core.robustBufferAccess, 0);
  vulkan_physical_device_select_features(&physical, true, &enabled);
  EXPECT_EQ_I64(enabled.core.robustBufferAccess, 1);
}

CTEST(paths_are_uuids) {
  vulkan_physical_device_t devices[3];
  memset(devices, 0, sizeof(devices));
  for (uint32_t i = 0; i < VK_UUID_SIZE; ++i) {
    devices[0].v11.deviceUUID[i] = (uint8_t)(0x11 * i);
    devices[2].v11.deviceUUID[i] = (uint8_t)(0x11 * i);
  }
  for (uint32_t i = 0; i < 3; ++i) vulkan_name_path(devices, i, &devices[i]);
  EXPECT_TEXT(devices[0].path, "GPU-00112233-4455-6677-8899-aabbccddeeff");
  EXPECT_TEXT(devices[1].path, "GPU-00000000-0000-0000-0000-000000000000");
  EXPECT_TEXT(devices[2].path, "GPU-00112233-4455-6677-8899-aabbccddeeff-2");
}

static int destroyed_count = 0;
static void count_destroyed(VkDevice device,
                            const VkAllocationCallbacks* allocator) {
  (void)device;
  (void)allocator;
  ++destroyed_count;
}
static VkResult do_nothing(VkDevice device) {
  (void)device;
  return VK_SUCCESS;
}

static vulkan_logical_device_t* make_logical(iree_allocator_t allocator) {
  vulkan_logical_device_t* logical = NULL;
  iree_status_ignore(
      iree_allocator_malloc(allocator, sizeof(*logical), (void**)&logical));
  logical->ref_count = 1;
  logical->fork_generation = iree_cy_fork_generation();
  logical->host_allocator = allocator;
  logical->handle = (VkDevice)logical;
  logical->vk.DestroyDevice = count_destroyed;
  logical->vk.DeviceWaitIdle = do_nothing;
  return logical;
}

CTEST(a_child_is_told_and_calls_nothing) {
  REQUIRE_OK(vulkan_fork_lock_initialize());
  failing_allocator_t state = {-1, 0};
  destroyed_count = 0;
  vulkan_logical_device_t* logical = make_logical(failing_allocator(&state));
  EXPECT_OK(vulkan_logical_device_check_fork(logical));
  vulkan_logical_device_retain(logical);
  vulkan_logical_device_release(logical);
  EXPECT_EQ_I64(destroyed_count, 0);
  vulkan_logical_device_release(logical);
  EXPECT_EQ_I64(destroyed_count, 1);

  logical = make_logical(failing_allocator(&state));
  --logical->fork_generation;
  EXPECT_STATUS(IREE_STATUS_FAILED_PRECONDITION,
                vulkan_logical_device_check_fork(logical));
  vulkan_logical_device_release(logical);
  EXPECT_EQ_I64(destroyed_count, 1);
  EXPECT_EQ_I64(state.live_blocks, 0);
}

CTEST_MAIN()
