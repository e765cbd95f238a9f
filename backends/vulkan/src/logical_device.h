// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the logical device: what all objects of one device stand on.

#ifndef IREE_CY_VULKAN_LOGICAL_DEVICE_H_
#define IREE_CY_VULKAN_LOGICAL_DEVICE_H_

#include <pthread.h>

#include "instance.h"
#include "params.h"
#include "physical_device.h"

typedef struct vulkan_queue_t {
  VkQueue handle;
  // Vulkan wants one thread at a time in each call with a queue.
  pthread_mutex_t lock;
} vulkan_queue_t;

// A VkDevice with what it was made with. It has an instance of its own: what a
// vendor's library starts for a device may live as long as the instance.
//
// Buffers, semaphores, executables and recordings may outlive the HAL device:
// each that has a Vulkan handle keeps this.
typedef struct vulkan_logical_device_t {
  iree_atomic_ref_count_t ref_count;
  // What iree_cy_fork_generation was when it was made.
  uint32_t fork_generation;
  iree_allocator_t host_allocator;
  vulkan_instance_t instance;
  // Queried in |instance|.
  vulkan_physical_device_t physical;
  // What is enabled: what the device has of what programs may use.
  vulkan_features_t enabled;
  vulkan_device_params_t params;
  VkDevice handle;
  vulkan_device_table_t vk;
  uint32_t queue_family;
  uint32_t queue_count;
  vulkan_queue_t queues[VULKAN_MAX_QUEUE_COUNT];
} vulkan_logical_device_t;

// Makes the device with |uuid| (the |copy|th of those that have it) in an
// instance of its own. A feature that is wanted and missing is named.
iree_status_t vulkan_logical_device_create(
    const uint8_t uuid[VK_UUID_SIZE], uint32_t copy,
    const vulkan_device_params_t* params, iree_allocator_t host_allocator,
    vulkan_logical_device_t** out_logical);
void vulkan_logical_device_retain(vulkan_logical_device_t* logical);
// The last reference destroys, on any thread. In a forked child nothing of
// Vulkan is called: memory is freed.
void vulkan_logical_device_release(vulkan_logical_device_t* logical);

// Whether this process is a child of the one that made |logical|. Nothing of
// Vulkan may be called then.
static inline bool vulkan_logical_device_is_stale(
    const vulkan_logical_device_t* logical) {
  return logical->fork_generation != iree_cy_fork_generation();
}
// FAILED_PRECONDITION when it is. First thing in each entry that calls Vulkan.
iree_status_t vulkan_logical_device_check_fork(
    const vulkan_logical_device_t* logical);

// Gives |handle| (a Vulkan handle as a number) a name that validation and
// debuggers show, when the device was made with debug_names.
void vulkan_logical_device_name(const vulkan_logical_device_t* logical,
                                VkObjectType type, uint64_t handle,
                                const char* name);

#endif  // IREE_CY_VULKAN_LOGICAL_DEVICE_H_
