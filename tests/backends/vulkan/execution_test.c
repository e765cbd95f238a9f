// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Tests what the vulkan driver records for a command buffer, on a device that
// is made up here and notes each command: where barriers are, what is left out,
// what is refused, and what becomes of a device that is lost.

#include "tests/support/fork_generation.h"
//
#include "backends/vulkan/src/allocator.c"
#include "backends/vulkan/src/executable.c"
#include "backends/vulkan/src/execution.c"
#include "backends/vulkan/src/memory.c"
#include "backends/vulkan/src/pipeline_cache.c"
#include "backends/vulkan/src/result.c"
#include "tests/backends/vulkan/executable_sources.h"
#include "tests/support/ctest.h"

#define ANY IREE_HAL_QUEUE_AFFINITY_ANY

// The logical device lives as long as the test.
void vulkan_logical_device_retain(vulkan_logical_device_t* logical) {
  iree_atomic_ref_count_inc(&logical->ref_count);
}
void vulkan_logical_device_release(vulkan_logical_device_t* logical) {
  iree_atomic_ref_count_dec(&logical->ref_count);
}
iree_status_t vulkan_logical_device_check_fork(
    const vulkan_logical_device_t* logical) {
  (void)logical;
  return iree_ok_status();
}

//===-- a device that notes what it is told ---------------------------------===

// A letter for each command: B barrier, D dispatch, I indirect one, F fill, C
// copy.
static char noted[256];
static VkDescriptorBufferInfo noted_descriptors[8];
static uint32_t noted_words[64];
static VkResult submit_result = VK_SUCCESS;

static void note(char letter) {
  const size_t length = strlen(noted);
  if (length + 1 < sizeof(noted)) noted[length] = letter;
}

static VkResult fake_allocate(VkDevice device, const VkMemoryAllocateInfo* info,
                              const VkAllocationCallbacks* callbacks,
                              VkDeviceMemory* out_memory) {
  (void)device, (void)callbacks;
  *out_memory = (VkDeviceMemory)aligned_alloc(256, info->allocationSize);
  return VK_SUCCESS;
}
static void fake_free(VkDevice device, VkDeviceMemory memory,
                      const VkAllocationCallbacks* callbacks) {
  (void)device, (void)callbacks;
  free(memory);
}
static VkResult fake_map(VkDevice device, VkDeviceMemory memory,
                         VkDeviceSize offset, VkDeviceSize size,
                         VkMemoryMapFlags flags, void** out_data) {
  (void)device, (void)offset, (void)size, (void)flags;
  *out_data = memory;
  return VK_SUCCESS;
}
static VkResult fake_create_buffer(VkDevice device,
                                   const VkBufferCreateInfo* info,
                                   const VkAllocationCallbacks* callbacks,
                                   VkBuffer* out_buffer) {
  (void)device, (void)callbacks;
  VkDeviceSize* size = (VkDeviceSize*)malloc(sizeof(*size));
  *size = info->size;
  *out_buffer = (VkBuffer)size;
  return VK_SUCCESS;
}
static void fake_destroy_buffer(VkDevice device, VkBuffer buffer,
                                const VkAllocationCallbacks* callbacks) {
  (void)device, (void)callbacks;
  free(buffer);
}
static void fake_requirements(VkDevice device,
                              const VkBufferMemoryRequirementsInfo2* info,
                              VkMemoryRequirements2* out_requirements) {
  (void)device;
  out_requirements->memoryRequirements.size = *(VkDeviceSize*)info->buffer;
}
static void fake_device_requirements(
    VkDevice device, const VkDeviceBufferMemoryRequirements* info,
    VkMemoryRequirements2* out_requirements) {
  (void)device, (void)info;
  out_requirements->memoryRequirements.memoryTypeBits = ~0u;
}
static VkResult fake_bind(VkDevice device, VkBuffer buffer,
                          VkDeviceMemory memory, VkDeviceSize offset) {
  (void)device, (void)buffer, (void)memory, (void)offset;
  return VK_SUCCESS;
}
static VkResult fake_create_pool(VkDevice device,
                                 const VkCommandPoolCreateInfo* info,
                                 const VkAllocationCallbacks* callbacks,
                                 VkCommandPool* out_pool) {
  (void)device, (void)info, (void)callbacks;
  *out_pool = (VkCommandPool)noted;
  return VK_SUCCESS;
}
static void fake_destroy_pool(VkDevice device, VkCommandPool pool,
                              const VkAllocationCallbacks* callbacks) {
  (void)device, (void)pool, (void)callbacks;
}
static VkResult fake_reset_pool(VkDevice device, VkCommandPool pool,
                                VkCommandPoolResetFlags flags) {
  (void)device, (void)pool, (void)flags;
  return VK_SUCCESS;
}
static VkResult fake_allocate_commands(VkDevice device,
                                       const VkCommandBufferAllocateInfo* info,
                                       VkCommandBuffer* out_commands) {
  (void)device, (void)info;
  *out_commands = (VkCommandBuffer)noted;
  return VK_SUCCESS;
}
static VkResult fake_begin(VkCommandBuffer commands,
                           const VkCommandBufferBeginInfo* info) {
  (void)commands, (void)info;
  memset(noted, 0, sizeof(noted));
  return VK_SUCCESS;
}
static VkResult fake_end(VkCommandBuffer commands) {
  (void)commands;
  return VK_SUCCESS;
}
static VkResult fake_create_fence(VkDevice device,
                                  const VkFenceCreateInfo* info,
                                  const VkAllocationCallbacks* callbacks,
                                  VkFence* out_fence) {
  (void)device, (void)info, (void)callbacks;
  *out_fence = (VkFence)noted;
  return VK_SUCCESS;
}
static void fake_destroy_fence(VkDevice device, VkFence fence,
                               const VkAllocationCallbacks* callbacks) {
  (void)device, (void)fence, (void)callbacks;
}
static VkResult fake_submit(VkQueue queue, uint32_t count,
                            const VkSubmitInfo2* submits, VkFence fence) {
  (void)queue, (void)count, (void)submits, (void)fence;
  return submit_result;
}
static VkResult fake_wait(VkDevice device, uint32_t count,
                          const VkFence* fences, VkBool32 wait_all,
                          uint64_t timeout) {
  (void)device, (void)count, (void)fences, (void)wait_all, (void)timeout;
  return VK_SUCCESS;
}
static VkResult fake_reset_fences(VkDevice device, uint32_t count,
                                  const VkFence* fences) {
  (void)device, (void)count, (void)fences;
  return VK_SUCCESS;
}
static void fake_barrier(VkCommandBuffer commands,
                         const VkDependencyInfo* info) {
  (void)commands, (void)info;
  note('B');
}
static void fake_fill(VkCommandBuffer commands, VkBuffer buffer,
                      VkDeviceSize offset, VkDeviceSize size, uint32_t data) {
  (void)commands, (void)buffer;
  EXPECT_EQ_I64(offset % 4, 0);
  EXPECT_EQ_I64(size % 4, 0);
  noted_words[0] = data;
  note('F');
}
static void fake_copy(VkCommandBuffer commands, VkBuffer source,
                      VkBuffer target, uint32_t count,
                      const VkBufferCopy* regions) {
  (void)commands, (void)source, (void)target, (void)count, (void)regions;
  note('C');
}
static void fake_bind_pipeline(VkCommandBuffer commands,
                               VkPipelineBindPoint point, VkPipeline pipeline) {
  (void)commands, (void)point, (void)pipeline;
}
static void fake_push_descriptors(VkCommandBuffer commands,
                                  VkPipelineBindPoint point,
                                  VkPipelineLayout layout, uint32_t set,
                                  uint32_t count,
                                  const VkWriteDescriptorSet* writes) {
  (void)commands, (void)point, (void)layout, (void)set;
  for (uint32_t i = 0; i < count && i < 8; ++i) {
    noted_descriptors[i] = *writes[i].pBufferInfo;
  }
}
static void fake_push_constants(VkCommandBuffer commands,
                                VkPipelineLayout layout,
                                VkShaderStageFlags stages, uint32_t offset,
                                uint32_t size, const void* values) {
  (void)commands, (void)layout, (void)stages;
  EXPECT(offset + size <= sizeof(noted_words));
  memcpy((uint8_t*)noted_words + offset, values, size);
}
static void fake_dispatch(VkCommandBuffer commands, uint32_t x, uint32_t y,
                          uint32_t z) {
  (void)commands;
  EXPECT(x && y && z);
  note('D');
}
static void fake_dispatch_indirect(VkCommandBuffer commands, VkBuffer buffer,
                                   VkDeviceSize offset) {
  (void)commands, (void)buffer, (void)offset;
  note('I');
}

static void make_device(vulkan_logical_device_t* logical) {
  memset(logical, 0, sizeof(*logical));
  logical->ref_count = 1;
  logical->host_allocator = iree_allocator_system();
  logical->fork_generation = iree_cy_fork_generation();
  logical->queue_count = 1;
  pthread_mutex_init(&logical->queues[0].lock, NULL);
  logical->physical.v11.maxMemoryAllocationSize = (VkDeviceSize)1 << 30;
  logical->physical.v13.maxBufferSize = (VkDeviceSize)1 << 30;
  logical->physical.memory.memoryTypeCount = 1;
  logical->physical.memory.memoryTypes[0].propertyFlags =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
      VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  VkPhysicalDeviceLimits* limits = &logical->physical.properties.limits;
  limits->minStorageBufferOffsetAlignment = 16;
  limits->maxStorageBufferRange = 1u << 20;
  for (int i = 0; i < 3; ++i) limits->maxComputeWorkGroupCount[i] = 1000;
  vulkan_device_table_t* vk = &logical->vk;
  vk->AllocateMemory = fake_allocate;
  vk->FreeMemory = fake_free;
  vk->MapMemory = fake_map;
  vk->CreateBuffer = fake_create_buffer;
  vk->DestroyBuffer = fake_destroy_buffer;
  vk->GetBufferMemoryRequirements2 = fake_requirements;
  vk->GetDeviceBufferMemoryRequirements = fake_device_requirements;
  vk->BindBufferMemory = fake_bind;
  vk->CreateCommandPool = fake_create_pool;
  vk->DestroyCommandPool = fake_destroy_pool;
  vk->ResetCommandPool = fake_reset_pool;
  vk->AllocateCommandBuffers = fake_allocate_commands;
  vk->BeginCommandBuffer = fake_begin;
  vk->EndCommandBuffer = fake_end;
  vk->CreateFence = fake_create_fence;
  vk->DestroyFence = fake_destroy_fence;
  vk->QueueSubmit2 = fake_submit;
  vk->WaitForFences = fake_wait;
  vk->ResetFences = fake_reset_fences;
  vk->CmdPipelineBarrier2 = fake_barrier;
  vk->CmdFillBuffer = fake_fill;
  vk->CmdCopyBuffer = fake_copy;
  vk->CmdBindPipeline = fake_bind_pipeline;
  vk->CmdPushDescriptorSetKHR = fake_push_descriptors;
  vk->CmdPushConstants = fake_push_constants;
  vk->CmdDispatch = fake_dispatch;
  vk->CmdDispatchIndirect = fake_dispatch_indirect;
}

//===-- what the cases use --------------------------------------------------===

typedef struct fixture_t {
  vulkan_logical_device_t logical;
  iree_hal_allocator_t* allocator;
  vulkan_executor_t executor;
  iree_hal_buffer_t* buffer;
  // One function "f" of one constant and one binding.
  vulkan_executable_t executable;
  vulkan_function_t function;
  uint32_t binding_number;
  VkDescriptorType binding_type;
  iree_hal_command_buffer_t* commands;
} fixture_t;

static bool fixture_begin(fixture_t* f) {
  memset(f, 0, sizeof(*f));
  submit_result = VK_SUCCESS;
  make_device(&f->logical);
  static bool is_registered = false;
  if (!is_registered) {
    EXPECT_OK(vulkan_allocator_register(IREE_SV("vulkan")));
    EXPECT_OK(vulkan_executable_register(IREE_SV("vulkan")));
    is_registered = true;
  }
  EXPECT_OK(vulkan_allocator_create(&f->logical, iree_allocator_system(),
                                    &f->allocator));
  EXPECT_OK(vulkan_executor_initialize(
      &f->logical, vulkan_allocator_memory(f->allocator), &f->executor));
  const iree_hal_buffer_params_t params = {
      .usage = IREE_HAL_BUFFER_USAGE_DEFAULT |
               IREE_HAL_BUFFER_USAGE_DISPATCH_INDIRECT_PARAMETERS};
  EXPECT_OK(iree_hal_allocator_allocate_buffer(f->allocator, params, 1000,
                                               &f->buffer));
  iree_hal_executable_initialize(vulkan_executable_vtable,
                                 iree_allocator_system(), &f->executable.base);
  f->executable.logical = &f->logical;
  f->binding_number = 3;
  f->binding_type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  f->function.name = (char*)"f";
  f->function.constant_count = 1;
  f->function.constant_offset = 8;
  f->function.binding_count = 1;
  f->function.binding_numbers = &f->binding_number;
  f->function.binding_types = &f->binding_type;
  f->executable.function_count = 1;
  f->executable.functions = &f->function;
  EXPECT_OK(iree_hal_recorded_command_buffer_create(
      0, IREE_HAL_COMMAND_CATEGORY_ANY, ANY, 0, iree_allocator_system(),
      &f->commands));
  EXPECT_OK(iree_hal_command_buffer_begin(f->commands));
  return f->buffer && f->commands;
}

static void fixture_end(fixture_t* f) {
  iree_hal_command_buffer_release(f->commands);
  iree_hal_buffer_release(f->buffer);
  vulkan_executor_deinitialize(&f->executor);
  iree_hal_allocator_release(f->allocator);
  EXPECT_EQ_I64(f->executable.base.resource.ref_count, 1);
  iree_hal_executable_deinitialize(&f->executable.base);
}

static iree_hal_buffer_ref_t part(fixture_t* f, iree_device_size_t offset,
                                  iree_device_size_t length) {
  return iree_hal_make_buffer_ref(f->buffer, offset, length);
}

static iree_status_t add_dispatch(fixture_t* f, uint32_t count,
                                  iree_device_size_t offset,
                                  iree_device_size_t length) {
  const iree_hal_dispatch_config_t config = {.size = sizeof(config),
                                             .workgroup_count = {count, 1, 1}};
  const uint32_t constant = 77;
  const iree_hal_buffer_ref_t binding = part(f, offset, length);
  const iree_hal_buffer_ref_list_t bindings = {1, &binding};
  return iree_hal_command_buffer_dispatch(
      f->commands, &f->executable.base,
      iree_hal_executable_function_from_index(0), &config,
      iree_make_const_byte_span(&constant, sizeof(constant)), bindings, 0);
}

static void add_barrier(fixture_t* f) {
  EXPECT_OK(iree_hal_command_buffer_execution_barrier(
      f->commands, IREE_HAL_EXECUTION_STAGE_DISPATCH,
      IREE_HAL_EXECUTION_STAGE_DISPATCH, 0, 0, NULL, 0, NULL));
}

static iree_status_t run(fixture_t* f) {
  IREE_RETURN_IF_ERROR(iree_hal_command_buffer_end(f->commands));
  return vulkan_executor_run(&f->executor, ANY, f->commands,
                             iree_hal_buffer_binding_table_empty());
}

//===-- cases ---------------------------------------------------------------===

CTEST(barriers_are_where_the_program_has_them_and_nowhere_else) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  const uint32_t pattern = 5;
  // Nothing came before.
  add_barrier(&f);
  for (int i = 0; i < 3; ++i) EXPECT_OK(add_dispatch(&f, 2, 16u * i, 16));
  add_barrier(&f);
  // Nothing came since.
  add_barrier(&f);
  for (int i = 0; i < 4; ++i) EXPECT_OK(add_dispatch(&f, 1, 16u * i, 16));
  EXPECT_OK(iree_hal_command_buffer_fill_buffer(f.commands, part(&f, 64, 16),
                                                &pattern, 4, 0));
  EXPECT_OK(iree_hal_command_buffer_copy_buffer(f.commands, part(&f, 0, 5),
                                                part(&f, 100, 5), 0));
  add_barrier(&f);
  EXPECT_OK(add_dispatch(&f, 1, 0, 16));
  EXPECT_OK(run(&f));
  // One before all, for what others wrote, and one behind, for the host.
  EXPECT_EQ_SV(iree_make_cstring_view(noted), IREE_SV("BDDDBDDDDFCBDB"));
  fixture_end(&f);
}

CTEST(what_has_nothing_to_do_is_left_out) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  const uint8_t pattern = 5;
  EXPECT_OK(add_dispatch(&f, 0, 0, 16));
  EXPECT_OK(iree_hal_command_buffer_fill_buffer(f.commands, part(&f, 8, 0),
                                                &pattern, 1, 0));
  EXPECT_OK(iree_hal_command_buffer_copy_buffer(f.commands, part(&f, 0, 0),
                                                part(&f, 100, 0), 0));
  EXPECT_OK(iree_hal_command_buffer_update_buffer(f.commands, &pattern, 0,
                                                  part(&f, 100, 0), 0));
  EXPECT_OK(run(&f));
  EXPECT_EQ_SV(iree_make_cstring_view(noted), IREE_SV("BB"));
  fixture_end(&f);
}

CTEST(fills_are_of_whole_words_and_edges) {
  const struct {
    iree_device_size_t offset;
    iree_device_size_t length;
    const char* expected;
  } cases[] = {
      {0, 8, "BFB"},  {1, 2, "BCB"},   {3, 1, "BCB"}, {1, 7, "BCFB"},
      {4, 5, "BFCB"}, {2, 9, "BCFCB"}, {5, 3, "BCB"},
  };
  for (size_t i = 0; i < IREE_ARRAYSIZE(cases); ++i) {
    fixture_t f;
    REQUIRE(fixture_begin(&f));
    const uint8_t pattern = 0x5A;
    EXPECT_OK(iree_hal_command_buffer_fill_buffer(
        f.commands, part(&f, cases[i].offset, cases[i].length), &pattern, 1,
        0));
    EXPECT_OK(run(&f));
    EXPECT_EQ_SV(iree_make_cstring_view(noted),
                 iree_make_cstring_view(cases[i].expected));
    if (strchr(noted, 'F')) EXPECT_EQ_I64(noted_words[0], 0x5A5A5A5A);
    fixture_end(&f);
  }
}

CTEST(descriptors_have_whole_words_and_constants_their_place) {
  const struct {
    iree_device_size_t offset;
    iree_device_size_t length;
    VkDeviceSize range;
  } cases[] = {{0, 16, 16}, {16, 5, 8}, {32, 1, 4}, {992, 8, 8}, {976, 23, 24}};
  for (size_t i = 0; i < IREE_ARRAYSIZE(cases); ++i) {
    fixture_t f;
    REQUIRE(fixture_begin(&f));
    EXPECT_OK(add_dispatch(&f, 1, cases[i].offset, cases[i].length));
    EXPECT_OK(run(&f));
    EXPECT_EQ_I64(noted_descriptors[0].range, cases[i].range);
    vulkan_span_t span;
    EXPECT_OK(
        vulkan_buffer_resolve(&f.logical, f.buffer, cases[i].offset, &span));
    EXPECT(noted_descriptors[0].buffer == span.buffer);
    EXPECT_EQ_I64(noted_descriptors[0].offset, span.offset);
    EXPECT(noted_descriptors[0].range <= span.capacity);
    EXPECT_EQ_I64(noted_words[2], 77);
    fixture_end(&f);
  }
}

CTEST(an_empty_binding_has_bytes_of_nobody) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  EXPECT_OK(add_dispatch(&f, 1, 0, 0));
  EXPECT_OK(run(&f));
  EXPECT(noted_descriptors[0].buffer == f.executor.nothing.block->buffer);
  EXPECT_EQ_I64(noted_descriptors[0].offset, f.executor.nothing.offset);
  EXPECT(noted_descriptors[0].range > 0);
  fixture_end(&f);
}

CTEST(what_the_device_cannot_do_is_named) {
  const struct {
    uint32_t count;
    iree_device_size_t offset;
    iree_status_code_t code;
  } cases[] = {{1001, 0, IREE_STATUS_OUT_OF_RANGE},
               {1, 4, IREE_STATUS_FAILED_PRECONDITION}};
  for (size_t i = 0; i < IREE_ARRAYSIZE(cases); ++i) {
    fixture_t f;
    REQUIRE(fixture_begin(&f));
    EXPECT_OK(add_dispatch(&f, cases[i].count, cases[i].offset, 16));
    EXPECT_STATUS(cases[i].code, run(&f));
    // The next one works.
    iree_hal_command_buffer_release(f.commands);
    EXPECT_OK(iree_hal_recorded_command_buffer_create(
        0, IREE_HAL_COMMAND_CATEGORY_ANY, ANY, 0, iree_allocator_system(),
        &f.commands));
    EXPECT_OK(iree_hal_command_buffer_begin(f.commands));
    EXPECT_OK(add_dispatch(&f, 1, 0, 16));
    EXPECT_OK(run(&f));
    fixture_end(&f);
  }
}

CTEST(a_device_that_is_lost_says_so) {
  fixture_t f;
  REQUIRE(fixture_begin(&f));
  EXPECT_OK(add_dispatch(&f, 1, 0, 16));
  submit_result = VK_ERROR_DEVICE_LOST;
  iree_status_t status = run(&f);
  EXPECT_EQ_I64(iree_status_code(status), IREE_STATUS_UNAVAILABLE);
  const iree_string_view_t message = iree_status_message(status);
  EXPECT(iree_string_view_match_pattern(message, IREE_SV("*lost*")));
  iree_status_ignore(status);
  // What was submitted may be in use: its context is not used again.
  EXPECT(!f.executor.contexts);
  fixture_end(&f);
}

CTEST_MAIN()
