// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Tests allocators: the heap's blocks and counts, caching, debugging.

#include "iree_cy/hal/allocator.h"

#include <pthread.h>

#include "tests/support/ctest.h"
#include "tests/support/failing_allocator.h"

static const iree_hal_buffer_params_t default_params = {0};

static iree_hal_allocator_t* create_heap(void) {
  iree_hal_allocator_t* allocator = NULL;
  EXPECT_OK(iree_hal_allocator_create_heap(
      IREE_SV("test"), iree_allocator_system(), &allocator));
  return allocator;
}

static iree_hal_buffer_t* allocate(iree_hal_allocator_t* allocator,
                                   iree_device_size_t size) {
  iree_hal_buffer_t* buffer = NULL;
  EXPECT_OK(iree_hal_allocator_allocate_buffer(allocator, default_params, size,
                                               &buffer));
  return buffer;
}

static void expect_nothing_lives(void) {
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_BUFFER), 0);
  EXPECT_EQ_I64(iree_cy_live_object_count(IREE_CY_OBJECT_KIND_ALLOCATOR), 0);
}

CTEST(allocates_aligned_memory_of_any_size) {
  iree_hal_allocator_t* allocator = create_heap();
  for (iree_device_size_t size = 0; size < 300000; size += 1 + size / 3) {
    iree_hal_buffer_t* buffer = allocate(allocator, size);
    uint8_t* data = (uint8_t*)iree_hal_heap_buffer_data(buffer);
    EXPECT(data != NULL);
    EXPECT_EQ_I64((uintptr_t)data % 64, 0);
    EXPECT_EQ_I64(iree_hal_buffer_byte_length(buffer), size);
    EXPECT_EQ_I64(iree_hal_buffer_allocation_size(buffer), size);
    memset(data, 0x5A, size);
    iree_hal_buffer_release(buffer);
  }
  iree_hal_allocator_release(allocator);
  expect_nothing_lives();
}

CTEST(aligns_as_asked) {
  iree_hal_allocator_t* allocator = create_heap();
  iree_hal_buffer_t* buffer = NULL;
  iree_hal_buffer_params_t params = {.min_alignment = 4096};
  REQUIRE_OK(
      iree_hal_allocator_allocate_buffer(allocator, params, 100, &buffer));
  EXPECT_EQ_I64((uintptr_t)iree_hal_heap_buffer_data(buffer) % 4096, 0);
  memset(iree_hal_heap_buffer_data(buffer), 1, 100);
  iree_hal_buffer_release(buffer);
  params.min_alignment = 48;
  EXPECT_STATUS(
      IREE_STATUS_INVALID_ARGUMENT,
      iree_hal_allocator_allocate_buffer(allocator, params, 100, &buffer));
  params.min_alignment = (iree_device_size_t)1 << 62;
  EXPECT_STATUS(
      IREE_STATUS_INVALID_ARGUMENT,
      iree_hal_allocator_allocate_buffer(allocator, params, 100, &buffer));
  EXPECT(buffer == NULL);
  iree_hal_allocator_release(allocator);
}

CTEST(reuses_small_blocks) {
  iree_hal_allocator_t* allocator = create_heap();
  iree_hal_buffer_t* first = allocate(allocator, 100);
  void* data = iree_hal_heap_buffer_data(first);
  iree_hal_buffer_release(first);
  iree_hal_buffer_t* second = allocate(allocator, 128);
  EXPECT(iree_hal_heap_buffer_data(second) == data);
  iree_hal_buffer_t* third = allocate(allocator, 128);
  EXPECT(iree_hal_heap_buffer_data(third) != data);
  iree_hal_buffer_release(second);
  iree_hal_buffer_release(third);
  iree_hal_allocator_release(allocator);
}

CTEST(keeps_a_bounded_number_of_blocks) {
  failing_allocator_t state = {-1, 0};
  iree_hal_allocator_t* allocator = NULL;
  enum { COUNT = 100 };
  iree_hal_buffer_t* buffers[COUNT];
  REQUIRE_OK(iree_hal_allocator_create_heap(
      IREE_SV("test"), failing_allocator(&state), &allocator));
  for (int i = 0; i < COUNT; ++i) buffers[i] = allocate(allocator, 1000);
  EXPECT_EQ_I64(state.live_blocks, COUNT + 1);
  for (int i = 0; i < COUNT; ++i) iree_hal_buffer_release(buffers[i]);
  EXPECT(state.live_blocks < 20);
  EXPECT_OK(iree_hal_allocator_trim(allocator));
  EXPECT_EQ_I64(state.live_blocks, 1);
  iree_hal_allocator_release(allocator);
  EXPECT_EQ_I64(state.live_blocks, 0);
}

CTEST(may_be_released_before_its_buffers) {
  iree_hal_allocator_t* allocator = create_heap();
  iree_hal_buffer_t* buffer = allocate(allocator, 100);
  iree_hal_allocator_release(allocator);
  EXPECT_OK(iree_hal_buffer_map_fill(buffer, 0, 100, "x", 1));
  iree_hal_buffer_release(buffer);
  expect_nothing_lives();
}

CTEST(counts_bytes) {
  iree_hal_allocator_t* allocator = create_heap();
  iree_hal_allocator_statistics_t statistics = {.size = sizeof(statistics)};
  iree_hal_buffer_params_t params = {.type = IREE_HAL_MEMORY_TYPE_HOST_LOCAL};
  iree_hal_buffer_t* host = NULL;
  REQUIRE_OK(iree_hal_allocator_allocate_buffer(allocator, params, 40, &host));
  params.type = IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL;
  iree_hal_buffer_t* devices[2] = {NULL, NULL};
  REQUIRE_OK(
      iree_hal_allocator_allocate_buffer(allocator, params, 7, &devices[0]));
  REQUIRE_OK(iree_hal_allocator_allocate_buffer(allocator, params, 1000000,
                                                &devices[1]));
  iree_hal_buffer_release(devices[0]);
  iree_hal_buffer_release(host);
  iree_hal_allocator_query_statistics(allocator, &statistics);
  EXPECT_EQ_I64(statistics.host_bytes_peak, 40);
  EXPECT_EQ_I64(statistics.host_bytes_allocated, 40);
  EXPECT_EQ_I64(statistics.host_bytes_freed, 40);
  EXPECT_EQ_I64(statistics.device_bytes_peak, 1000007);
  EXPECT_EQ_I64(statistics.device_bytes_allocated, 1000007);
  EXPECT_EQ_I64(statistics.device_bytes_freed, 7);
  iree_hal_buffer_release(devices[1]);
  iree_hal_allocator_release(allocator);
}

CTEST(recovers_from_exhaustion) {
  failing_allocator_t state = {1, 0};
  iree_hal_allocator_t* allocator = NULL;
  iree_hal_buffer_t* buffer = NULL;
  iree_hal_allocator_statistics_t statistics = {.size = sizeof(statistics)};
  REQUIRE_OK(iree_hal_allocator_create_heap(
      IREE_SV("test"), failing_allocator(&state), &allocator));
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                iree_hal_allocator_allocate_buffer(allocator, default_params,
                                                   100, &buffer));
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                iree_hal_allocator_allocate_buffer(allocator, default_params,
                                                   1 << 20, &buffer));
  EXPECT(buffer == NULL);
  state.remaining = -1;
  for (int i = 0; i < 4; ++i) {
    EXPECT_STATUS(
        IREE_STATUS_RESOURCE_EXHAUSTED,
        iree_hal_allocator_allocate_buffer(
            allocator, default_params, IREE_DEVICE_SIZE_MAX - 63 * i, &buffer));
  }
  iree_hal_allocator_query_statistics(allocator, &statistics);
  EXPECT_EQ_I64(statistics.device_bytes_allocated, 0);
  buffer = allocate(allocator, 100);
  iree_hal_buffer_release(buffer);
  iree_hal_allocator_release(allocator);
  EXPECT_EQ_I64(state.live_blocks, 0);
  state.remaining = 0;
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                iree_hal_allocator_create_heap(
                    IREE_SV("test"), failing_allocator(&state), &allocator));
}

CTEST(says_what_it_can_do) {
  iree_hal_allocator_t* allocator = create_heap();
  iree_hal_allocator_memory_heap_t heaps[2];
  iree_host_size_t count = 0;
  EXPECT_OK(iree_hal_allocator_query_memory_heaps(allocator, 2, heaps, &count));
  EXPECT_EQ_I64(count, 1);
  EXPECT_EQ_I64(heaps[0].min_alignment, 64);
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE, iree_hal_allocator_query_memory_heaps(
                                              allocator, 0, heaps, &count));
  EXPECT_EQ_I64(count, 1);
  iree_hal_buffer_params_t params;
  iree_device_size_t size = 0;
  const iree_hal_buffer_compatibility_t compatibility =
      iree_hal_allocator_query_buffer_compatibility(allocator, default_params,
                                                    8, &params, &size);
  EXPECT(iree_all_bits_set(compatibility,
                           IREE_HAL_BUFFER_COMPATIBILITY_ALLOCATABLE |
                               IREE_HAL_BUFFER_COMPATIBILITY_IMPORTABLE |
                               IREE_HAL_BUFFER_COMPATIBILITY_QUEUE_DISPATCH));
  EXPECT(iree_all_bits_set(params.type, IREE_HAL_MEMORY_TYPE_HOST_VISIBLE));
  EXPECT(!iree_any_bit_set(params.type, IREE_HAL_MEMORY_TYPE_OPTIMAL));
  EXPECT_EQ_I64(params.access, IREE_HAL_MEMORY_ACCESS_ALL);
  EXPECT_EQ_I64(size, 8);
  iree_hal_allocator_release(allocator);
}

static void count_release(void* user_data, iree_hal_buffer_t* buffer) {
  (void)buffer;
  ++*(int*)user_data;
}

CTEST(imports_and_exports_host_memory) {
  static _Alignas(64) uint8_t memory[128];
  int count = 0;
  const iree_hal_buffer_release_callback_t callback = {count_release, &count};
  iree_hal_allocator_t* allocator = create_heap();
  iree_hal_external_buffer_t external = {
      .type = IREE_HAL_EXTERNAL_BUFFER_TYPE_HOST_ALLOCATION,
      .size = 128,
      .handle = (uintptr_t)memory,
  };
  iree_hal_buffer_t* buffer = NULL;
  iree_hal_buffer_t* part = NULL;
  REQUIRE_OK(iree_hal_allocator_import_buffer(allocator, default_params,
                                              &external, callback, &buffer));
  REQUIRE_OK(
      iree_hal_buffer_subspan(buffer, 64, 32, iree_allocator_system(), &part));
  EXPECT_OK(iree_hal_buffer_map_write(part, 0, "ab", 2));
  EXPECT_EQ_BYTES(memory + 64, "ab", 2);
  iree_hal_external_buffer_t exported;
  EXPECT_OK(iree_hal_allocator_export_buffer(
      allocator, part, IREE_HAL_EXTERNAL_BUFFER_TYPE_HOST_ALLOCATION, 0,
      &exported));
  EXPECT_EQ_I64(exported.handle, (uintptr_t)memory + 64);
  EXPECT_EQ_I64(exported.size, 32);
  EXPECT_STATUS(IREE_STATUS_UNIMPLEMENTED,
                iree_hal_allocator_export_buffer(
                    allocator, part, IREE_HAL_EXTERNAL_BUFFER_TYPE_OPAQUE_FD, 0,
                    &exported));
  iree_hal_buffer_release(part);
  iree_hal_buffer_release(buffer);
  EXPECT_EQ_I64(count, 1);
  // A failed import does not call back.
  external.handle += 1;
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                iree_hal_allocator_import_buffer(allocator, default_params,
                                                 &external, callback, &buffer));
  external.type = IREE_HAL_EXTERNAL_BUFFER_TYPE_DEVICE_ALLOCATION;
  EXPECT_STATUS(IREE_STATUS_UNIMPLEMENTED,
                iree_hal_allocator_import_buffer(allocator, default_params,
                                                 &external, callback, &buffer));
  EXPECT_EQ_I64(count, 1);
  iree_hal_allocator_release(allocator);
}

CTEST(caching_reuses_buffers_of_like_size) {
  iree_hal_allocator_t* heap = create_heap();
  iree_hal_allocator_t* allocator = NULL;
  iree_hal_allocator_statistics_t statistics = {.size = sizeof(statistics)};
  REQUIRE_OK(iree_hal_allocator_create_caching(heap, 0, iree_allocator_system(),
                                               &allocator));
  iree_hal_allocator_release(heap);
  iree_hal_buffer_t* first = allocate(allocator, 1000000);
  iree_hal_buffer_allocation_preserve(first);
  iree_hal_buffer_release(first);
  iree_hal_buffer_t* second = allocate(allocator, 999990);
  EXPECT(second == first);
  EXPECT_EQ_I64(iree_hal_buffer_byte_length(second), 999990);
  EXPECT(iree_hal_buffer_allocation_is_terminal(second));
  EXPECT_STATUS(IREE_STATUS_OUT_OF_RANGE,
                iree_hal_buffer_map_fill(second, 0, 999991, "x", 1));
  // Of another kind, or in use: a new one.
  iree_hal_buffer_params_t params = {.access = IREE_HAL_MEMORY_ACCESS_READ};
  iree_hal_buffer_t* third = NULL;
  REQUIRE_OK(
      iree_hal_allocator_allocate_buffer(allocator, params, 1000000, &third));
  EXPECT(third != second);
  iree_hal_buffer_release(second);
  iree_hal_buffer_release(third);
  iree_hal_allocator_query_statistics(allocator, &statistics);
  EXPECT_EQ_I64(statistics.device_bytes_freed, 0);
  EXPECT_OK(iree_hal_allocator_trim(allocator));
  iree_hal_allocator_query_statistics(allocator, &statistics);
  EXPECT_EQ_I64(statistics.device_bytes_freed,
                statistics.device_bytes_allocated);
  iree_hal_allocator_release(allocator);
  expect_nothing_lives();
}

CTEST(caching_stays_within_its_bound) {
  iree_hal_allocator_t* heap = create_heap();
  iree_hal_allocator_t* allocator = NULL;
  iree_hal_allocator_statistics_t statistics = {.size = sizeof(statistics)};
  iree_hal_buffer_t* buffers[8];
  REQUIRE_OK(iree_hal_allocator_create_caching(
      heap, 4096, iree_allocator_system(), &allocator));
  for (int i = 0; i < 8; ++i) buffers[i] = allocate(allocator, 1024);
  for (int i = 0; i < 8; ++i) iree_hal_buffer_release(buffers[i]);
  iree_hal_allocator_query_statistics(heap, &statistics);
  EXPECT_EQ_I64(
      statistics.device_bytes_allocated - statistics.device_bytes_freed, 4096);
  // Larger than the bound: never kept.
  iree_hal_buffer_release(allocate(allocator, 8192));
  iree_hal_allocator_query_statistics(heap, &statistics);
  EXPECT_EQ_I64(
      statistics.device_bytes_allocated - statistics.device_bytes_freed, 4096);
  iree_hal_allocator_release(allocator);
  iree_hal_allocator_release(heap);
  expect_nothing_lives();
}

CTEST(caching_outlives_its_last_reference) {
  iree_hal_allocator_t* heap = create_heap();
  iree_hal_allocator_t* allocator = NULL;
  REQUIRE_OK(iree_hal_allocator_create_caching(heap, 0, iree_allocator_system(),
                                               &allocator));
  iree_hal_allocator_release(heap);
  iree_hal_buffer_t* buffer = allocate(allocator, 100);
  iree_hal_buffer_t* part = NULL;
  REQUIRE_OK(
      iree_hal_buffer_subspan(buffer, 0, 10, iree_allocator_system(), &part));
  iree_hal_allocator_release(allocator);
  iree_hal_buffer_release(buffer);
  EXPECT_OK(iree_hal_buffer_map_write(part, 0, "ab", 2));
  iree_hal_buffer_release(part);
  expect_nothing_lives();
}

CTEST(caching_gives_back_what_is_missing) {
  failing_allocator_t state = {-1, 0};
  iree_hal_allocator_t* heap = NULL;
  iree_hal_allocator_t* allocator = NULL;
  iree_hal_buffer_t* buffer = NULL;
  REQUIRE_OK(iree_hal_allocator_create_heap(IREE_SV("test"),
                                            failing_allocator(&state), &heap));
  REQUIRE_OK(iree_hal_allocator_create_caching(heap, 0, iree_allocator_system(),
                                               &allocator));
  iree_hal_buffer_release(allocate(allocator, 1 << 20));
  EXPECT_EQ_I64(state.live_blocks, 2);
  state.remaining = 0;
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                iree_hal_allocator_allocate_buffer(allocator, default_params,
                                                   1 << 22, &buffer));
  EXPECT_EQ_I64(state.live_blocks, 1);
  EXPECT_STATUS(IREE_STATUS_RESOURCE_EXHAUSTED,
                iree_hal_allocator_allocate_buffer(
                    allocator, default_params, IREE_DEVICE_SIZE_MAX, &buffer));
  iree_hal_allocator_release(allocator);
  iree_hal_allocator_release(heap);
  EXPECT_EQ_I64(state.live_blocks, 0);
}

CTEST(debug_fills_fresh_memory) {
  iree_hal_allocator_t* heap = create_heap();
  iree_hal_allocator_t* allocator = NULL;
  REQUIRE_OK(iree_hal_allocator_create_debug(heap, iree_allocator_system(),
                                             &allocator));
  iree_hal_buffer_t* buffer = NULL;
  iree_hal_buffer_params_t params = {.access = IREE_HAL_MEMORY_ACCESS_READ};
  REQUIRE_OK(iree_hal_allocator_allocate_buffer(allocator, params, 3, &buffer));
  EXPECT_EQ_BYTES(iree_hal_heap_buffer_data(buffer), "\xCD\xCD\xCD", 3);
  EXPECT_EQ_I64(iree_hal_buffer_allowed_access(buffer),
                IREE_HAL_MEMORY_ACCESS_READ);
  iree_hal_allocator_release(allocator);
  iree_hal_allocator_release(heap);
  iree_hal_buffer_release(buffer);
  expect_nothing_lives();
}

// Debug over caching: the freed pattern is seen in the buffer that comes back,
// because only the outer one fills fresh memory.
CTEST(wrappers_stack) {
  iree_hal_allocator_t* heap = create_heap();
  iree_hal_allocator_t* caching = NULL;
  iree_hal_allocator_t* allocator = NULL;
  REQUIRE_OK(iree_hal_allocator_create_caching(heap, 0, iree_allocator_system(),
                                               &caching));
  REQUIRE_OK(iree_hal_allocator_create_debug(caching, iree_allocator_system(),
                                             &allocator));
  iree_hal_buffer_t* first = allocate(allocator, 64);
  EXPECT_OK(iree_hal_buffer_map_fill(first, 0, 64, "x", 1));
  iree_hal_buffer_release(first);
  iree_hal_buffer_t* second = allocate(caching, 64);
  EXPECT(second == first);
  EXPECT_EQ_BYTES(iree_hal_heap_buffer_data(second), "\xDD\xDD", 2);
  iree_hal_buffer_release(second);
  // And caching over debug over caching.
  iree_hal_allocator_t* outer = NULL;
  REQUIRE_OK(iree_hal_allocator_create_caching(
      allocator, 0, iree_allocator_system(), &outer));
  iree_hal_buffer_release(allocate(outer, 64));
  iree_hal_buffer_release(allocate(outer, 64));
  iree_hal_allocator_release(outer);
  iree_hal_allocator_release(allocator);
  iree_hal_allocator_release(caching);
  iree_hal_allocator_release(heap);
  expect_nothing_lives();
}

static void* allocate_much(void* argument) {
  iree_hal_allocator_t* allocator = (iree_hal_allocator_t*)argument;
  iree_hal_buffer_t* kept[4] = {NULL};
  intptr_t failures = 0;
  for (int i = 0; i < 4000; ++i) {
    iree_hal_buffer_t* buffer = NULL;
    const iree_device_size_t size = 16 + (i * 37) % 3000;
    if (iree_status_consume_code(iree_hal_allocator_allocate_buffer(
            allocator, default_params, size, &buffer)) != IREE_STATUS_OK) {
      ++failures;
      continue;
    }
    // Nobody else may have this memory: it keeps what was written.
    uint8_t* data = (uint8_t*)iree_hal_heap_buffer_data(buffer);
    data[0] = (uint8_t)i;
    data[size - 1] = (uint8_t)i;
    iree_hal_buffer_release(kept[i % 4]);
    kept[i % 4] = buffer;
    if (data[0] != (uint8_t)i || data[size - 1] != (uint8_t)i) ++failures;
  }
  for (int i = 0; i < 4; ++i) iree_hal_buffer_release(kept[i]);
  return (void*)failures;
}

static void run_threads(iree_hal_allocator_t* allocator) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) {
    REQUIRE(pthread_create(&threads[i], NULL, allocate_much, allocator) == 0);
  }
  for (int i = 0; i < 4; ++i) {
    void* failures = NULL;
    REQUIRE(pthread_join(threads[i], &failures) == 0);
    EXPECT(failures == NULL);
  }
}

CTEST(several_threads_share_an_allocator) {
  iree_hal_allocator_t* heap = create_heap();
  iree_hal_allocator_t* caching = NULL;
  iree_hal_allocator_statistics_t statistics = {.size = sizeof(statistics)};
  REQUIRE_OK(iree_hal_allocator_create_caching(
      heap, 100000, iree_allocator_system(), &caching));
  run_threads(heap);
  iree_hal_allocator_query_statistics(heap, &statistics);
  EXPECT_EQ_I64(statistics.device_bytes_allocated,
                statistics.device_bytes_freed);
  // Each of four threads keeps four and has a fifth.
  EXPECT(statistics.device_bytes_peak <= 20 * 3016);
  EXPECT(statistics.device_bytes_peak >= 4 * 16);
  run_threads(caching);
  iree_hal_allocator_release(caching);
  iree_hal_allocator_query_statistics(heap, &statistics);
  EXPECT_EQ_I64(statistics.device_bytes_allocated,
                statistics.device_bytes_freed);
  iree_hal_allocator_release(heap);
  expect_nothing_lives();
}

CTEST_MAIN()
