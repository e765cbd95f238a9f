// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the allocator of host memory: header and data of a buffer in one block,
// small blocks kept for the next of their size.

#include "iree_cy/hal/allocator.h"
#include "iree_cy/native/hal/heap_buffer.h"
#include "iree_cy/native/hal/vtable_defaults.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) ((void)(address), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) \
  ((void)(address), (void)(size))
#endif

// Kept blocks: classes of data sizes 64 << class, a few slots each, one cache
// line per class. Taking and putting are single exchanges of a slot: no lock,
// so nothing that a fork could leave taken, and no list, so no ABA. At most
// about 1 MiB per allocator is kept.
enum {
  BLOCK_CLASS_COUNT = 11,
  BLOCK_CLASS_SLOT_COUNT = 8,
  BLOCK_CLASS_NONE = BLOCK_CLASS_COUNT,
};
#define SMALLEST_BLOCK_SIZE ((iree_host_size_t)64)
#define MAX_ALIGNMENT ((iree_device_size_t)1 << 30)

typedef struct heap_allocator_t {
  iree_hal_allocator_t base;
  _Alignas(64) void* blocks[BLOCK_CLASS_COUNT][BLOCK_CLASS_SLOT_COUNT];
} heap_allocator_t;

// iree_allocator_malloc_aligned would zero every byte of a large buffer; this
// takes memory as it comes. The address to free lies in the word before.
static iree_status_t malloc_block(iree_allocator_t host_allocator,
                                  iree_host_size_t byte_length,
                                  iree_host_size_t alignment,
                                  void** out_block) {
  *out_block = NULL;
  iree_host_size_t total_size = 0;
  if (!iree_host_size_checked_add(byte_length, alignment + sizeof(void*),
                                  &total_size)) {
    return iree_make_status(IREE_STATUS_RESOURCE_EXHAUSTED,
                            "%" PRIhsz " bytes are more than memory can hold",
                            byte_length);
  }
  void* memory = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc_uninitialized(host_allocator, total_size, &memory));
  const uintptr_t address =
      ((uintptr_t)memory + sizeof(void*) + alignment - 1) & ~(alignment - 1);
  ((void**)address)[-1] = memory;
  *out_block = (void*)address;
  return iree_ok_status();
}

static iree_host_size_t block_class_size(uint32_t block_class) {
  return SMALLEST_BLOCK_SIZE << block_class;
}

// The class of blocks with |byte_length| bytes of data, or NONE when they are
// not kept.
static uint32_t block_class_for(iree_device_size_t byte_length) {
  if (byte_length <= SMALLEST_BLOCK_SIZE) return 0;
  const uint32_t bits = 64 - (uint32_t)__builtin_clzll(byte_length - 1);
  const uint32_t block_class = bits - 6;
  return block_class < BLOCK_CLASS_COUNT ? block_class : BLOCK_CLASS_NONE;
}

static void* take_block(heap_allocator_t* allocator, uint32_t block_class) {
  void** slots = allocator->blocks[block_class];
  for (int i = 0; i < BLOCK_CLASS_SLOT_COUNT; ++i) {
    if (!__atomic_load_n(&slots[i], __ATOMIC_RELAXED)) continue;
    void* block = __atomic_exchange_n(&slots[i], NULL, __ATOMIC_ACQUIRE);
    if (block) return block;
  }
  return NULL;
}

static bool put_block(heap_allocator_t* allocator, uint32_t block_class,
                      void* block) {
  void** slots = allocator->blocks[block_class];
  for (int i = 0; i < BLOCK_CLASS_SLOT_COUNT; ++i) {
    void* expected = NULL;
    if (__atomic_load_n(&slots[i], __ATOMIC_RELAXED)) continue;
    if (__atomic_compare_exchange_n(&slots[i], &expected, block,
                                    /*weak=*/false, __ATOMIC_RELEASE,
                                    __ATOMIC_RELAXED)) {
      return true;
    }
  }
  return false;
}

static void free_block(heap_allocator_t* allocator, uint32_t block_class,
                       void* block) {
  if (block_class != BLOCK_CLASS_NONE) {
    ASAN_UNPOISON_MEMORY_REGION(block, iree_cy_heap_buffer_header_size(0) +
                                           block_class_size(block_class));
  }
  iree_allocator_free(allocator->base.host_allocator, ((void**)block)[-1]);
}

// Gives back every kept block.
static void drop_blocks(heap_allocator_t* allocator) {
  for (uint32_t c = 0; c < BLOCK_CLASS_COUNT; ++c) {
    void* block = NULL;
    while ((block = take_block(allocator, c)) != NULL) {
      free_block(allocator, c, block);
    }
  }
}

// Called by a buffer of ours, which holds a reference to us.
static void heap_allocator_free_buffer(void* owner, iree_hal_buffer_t* buffer,
                                       iree_device_size_t byte_length,
                                       uint32_t block_class) {
  heap_allocator_t* allocator = (heap_allocator_t*)owner;
  iree_hal_allocator_record_free(&allocator->base, buffer->memory_type,
                                 byte_length);
  if (block_class != BLOCK_CLASS_NONE) {
    ASAN_POISON_MEMORY_REGION(buffer, iree_cy_heap_buffer_header_size(0) +
                                          block_class_size(block_class));
  }
  if (block_class == BLOCK_CLASS_NONE ||
      !put_block(allocator, block_class, buffer)) {
    free_block(allocator, block_class, buffer);
  }
  iree_hal_allocator_release(&allocator->base);
}

static void heap_allocator_destroy(iree_hal_allocator_t* base_allocator) {
  heap_allocator_t* allocator = (heap_allocator_t*)base_allocator;
  iree_hal_allocator_deinitialize(base_allocator);
  drop_blocks(allocator);
  iree_allocator_free_aligned(base_allocator->host_allocator, allocator);
}

static iree_status_t heap_allocator_trim(iree_hal_allocator_t* allocator) {
  drop_blocks((heap_allocator_t*)allocator);
  return iree_ok_status();
}

static iree_status_t heap_allocator_query_memory_heaps(
    iree_hal_allocator_t* allocator, iree_host_size_t capacity,
    iree_hal_allocator_memory_heap_t* heaps, iree_host_size_t* out_count) {
  (void)allocator;
  *out_count = 1;
  if (capacity < 1) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "there is 1 memory heap; room is for none");
  }
  const iree_hal_allocator_memory_heap_t heap = {
      .type = IREE_HAL_MEMORY_TYPE_HOST_LOCAL |
              IREE_HAL_MEMORY_TYPE_HOST_CACHED |
              IREE_HAL_MEMORY_TYPE_DEVICE_LOCAL,
      .allowed_usage = IREE_HAL_BUFFER_USAGE_DEFAULT |
                       IREE_HAL_BUFFER_USAGE_MAPPING |
                       IREE_HAL_BUFFER_USAGE_MAPPING_PERSISTENT |
                       IREE_HAL_BUFFER_USAGE_DISPATCH_UNIFORM_READ |
                       IREE_HAL_BUFFER_USAGE_DISPATCH_INDIRECT_PARAMETERS,
      .max_allocation_size = (iree_device_size_t)PTRDIFF_MAX,
      .min_alignment = IREE_CY_HEAP_BUFFER_ALIGNMENT,
  };
  heaps[0] = heap;
  return iree_ok_status();
}

static iree_hal_buffer_compatibility_t
heap_allocator_query_buffer_compatibility(iree_hal_allocator_t* allocator,
                                          iree_hal_buffer_params_t* params,
                                          iree_device_size_t* allocation_size) {
  (void)allocator;
  (void)allocation_size;
  // Host memory is all of this, whatever was asked for.
  params->type &= ~IREE_HAL_MEMORY_TYPE_OPTIMAL;
  params->type |=
      IREE_HAL_MEMORY_TYPE_HOST_VISIBLE | IREE_HAL_MEMORY_TYPE_HOST_COHERENT |
      IREE_HAL_MEMORY_TYPE_HOST_CACHED | IREE_HAL_MEMORY_TYPE_DEVICE_VISIBLE;
  params->usage |= IREE_HAL_BUFFER_USAGE_TRANSFER |
                   IREE_HAL_BUFFER_USAGE_MAPPING |
                   IREE_HAL_BUFFER_USAGE_MAPPING_PERSISTENT;
  iree_hal_buffer_compatibility_t compatibility =
      IREE_HAL_BUFFER_COMPATIBILITY_ALLOCATABLE |
      IREE_HAL_BUFFER_COMPATIBILITY_IMPORTABLE |
      IREE_HAL_BUFFER_COMPATIBILITY_EXPORTABLE |
      IREE_HAL_BUFFER_COMPATIBILITY_QUEUE_TRANSFER;
  if (iree_any_bit_set(params->usage,
                       IREE_HAL_BUFFER_USAGE_DISPATCH_STORAGE |
                           IREE_HAL_BUFFER_USAGE_DISPATCH_UNIFORM_READ)) {
    compatibility |= IREE_HAL_BUFFER_COMPATIBILITY_QUEUE_DISPATCH;
  }
  return compatibility;
}

// A block for |byte_length| bytes of data: a kept one or a new one.
static iree_status_t acquire_block(heap_allocator_t* allocator,
                                   iree_device_size_t byte_length,
                                   iree_device_size_t alignment,
                                   uint32_t* out_block_class,
                                   iree_host_size_t* out_header_size,
                                   void** out_block) {
  *out_block_class = BLOCK_CLASS_NONE;
  *out_block = NULL;
  *out_header_size =
      iree_cy_heap_buffer_header_size((iree_host_size_t)alignment);
  if (alignment <= IREE_CY_HEAP_BUFFER_ALIGNMENT) {
    *out_block_class = block_class_for(byte_length);
  }
  if (*out_block_class != BLOCK_CLASS_NONE) {
    const iree_host_size_t class_size = block_class_size(*out_block_class);
    void* block = take_block(allocator, *out_block_class);
    if (!block) {
      IREE_RETURN_IF_ERROR(malloc_block(allocator->base.host_allocator,
                                        *out_header_size + class_size,
                                        IREE_CY_HEAP_BUFFER_ALIGNMENT, &block));
    }
    ASAN_UNPOISON_MEMORY_REGION(block, *out_header_size + byte_length);
    ASAN_POISON_MEMORY_REGION((uint8_t*)block + *out_header_size + byte_length,
                              class_size - byte_length);
    *out_block = block;
    return iree_ok_status();
  }
  iree_host_size_t total_size = 0;
  if (byte_length > (iree_device_size_t)PTRDIFF_MAX ||
      !iree_host_size_checked_add((iree_host_size_t)byte_length,
                                  *out_header_size, &total_size)) {
    return iree_make_status(
        IREE_STATUS_RESOURCE_EXHAUSTED,
        "%" PRIdsz " bytes are more than host memory can hold", byte_length);
  }
  return malloc_block(allocator->base.host_allocator, total_size,
                      iree_max((iree_host_size_t)alignment,
                               (iree_host_size_t)IREE_CY_HEAP_BUFFER_ALIGNMENT),
                      out_block);
}

static iree_status_t heap_allocator_allocate_buffer(
    iree_hal_allocator_t* base_allocator,
    const iree_hal_buffer_params_t* params, iree_device_size_t allocation_size,
    iree_hal_buffer_t** out_buffer) {
  heap_allocator_t* allocator = (heap_allocator_t*)base_allocator;
  *out_buffer = NULL;
  if (params->min_alignment > MAX_ALIGNMENT) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "alignment %" PRIdsz
                            " is asked for; host memory is aligned up to "
                            "%" PRIdsz,
                            params->min_alignment, MAX_ALIGNMENT);
  }
  iree_hal_buffer_params_t actual = *params;
  heap_allocator_query_buffer_compatibility(base_allocator, &actual,
                                            &allocation_size);
  uint32_t block_class = 0;
  iree_host_size_t header_size = 0;
  void* block = NULL;
  iree_status_t status =
      acquire_block(allocator, allocation_size, actual.min_alignment,
                    &block_class, &header_size, &block);
  if (IREE_UNLIKELY(!iree_status_is_ok(status))) {
    return iree_status_annotate_f(
        status, "while allocating a buffer of %" PRIdsz " bytes",
        allocation_size);
  }
  iree_hal_buffer_placement_t placement = {
      .device = NULL, .queue_affinity = actual.queue_affinity};
  iree_hal_allocator_retain(base_allocator);
  *out_buffer = iree_cy_heap_buffer_initialize_block(
      block, header_size, block_class, placement, actual.type, actual.access,
      actual.usage, allocation_size, heap_allocator_free_buffer, allocator);
  iree_hal_allocator_record_alloc(base_allocator, actual.type, allocation_size);
  return iree_ok_status();
}

static iree_status_t heap_allocator_import_buffer(
    iree_hal_allocator_t* allocator, const iree_hal_buffer_params_t* params,
    const iree_hal_external_buffer_t* external_buffer,
    iree_hal_buffer_release_callback_t release_callback,
    iree_hal_buffer_t** out_buffer) {
  *out_buffer = NULL;
  if (external_buffer->type != IREE_HAL_EXTERNAL_BUFFER_TYPE_HOST_ALLOCATION) {
    return iree_make_status(IREE_STATUS_UNIMPLEMENTED,
                            "external buffers of type %" PRIu32
                            " cannot be imported; host allocations can",
                            external_buffer->type);
  }
  if (external_buffer->size > (iree_device_size_t)PTRDIFF_MAX) {
    return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                            "%" PRIdsz " bytes are more than host memory holds",
                            external_buffer->size);
  }
  iree_hal_buffer_params_t actual = *params;
  iree_device_size_t size = external_buffer->size;
  heap_allocator_query_buffer_compatibility(allocator, &actual, &size);
  iree_hal_buffer_placement_t placement = {
      .device = NULL, .queue_affinity = actual.queue_affinity};
  return iree_hal_heap_buffer_wrap(
      placement, actual.type, actual.access, actual.usage,
      iree_make_byte_span((void*)(uintptr_t)external_buffer->handle,
                          (iree_host_size_t)size),
      release_callback, allocator->host_allocator, out_buffer);
}

static iree_status_t heap_allocator_export_buffer(
    iree_hal_allocator_t* allocator, iree_hal_buffer_t* buffer,
    iree_hal_external_buffer_type_t requested_type, uint32_t requested_flags,
    iree_hal_external_buffer_t* out_external_buffer) {
  (void)allocator;
  if (requested_type != IREE_HAL_EXTERNAL_BUFFER_TYPE_HOST_ALLOCATION) {
    return iree_make_status(IREE_STATUS_UNIMPLEMENTED,
                            "buffers cannot be exported as type %" PRIu32
                            "; as host allocations they can",
                            requested_type);
  }
  void* data = iree_hal_heap_buffer_data(buffer);
  if (!data) {
    return iree_make_status(
        IREE_STATUS_INVALID_ARGUMENT,
        "only buffers in plain host memory can be exported from it");
  }
  out_external_buffer->type = requested_type;
  out_external_buffer->flags = requested_flags;
  out_external_buffer->size = iree_hal_buffer_byte_length(buffer);
  out_external_buffer->handle = (uint64_t)(uintptr_t)data;
  return iree_ok_status();
}

static const iree_hal_allocator_vtable_t heap_allocator_vtable = {
    .header = {.size = sizeof(iree_hal_allocator_vtable_t),
               .kind = IREE_CY_OBJECT_KIND_ALLOCATOR},
    .destroy = heap_allocator_destroy,
    .trim = heap_allocator_trim,
    .query_statistics = iree_cy_allocator_counted_statistics,
    .query_memory_heaps = heap_allocator_query_memory_heaps,
    .query_buffer_compatibility = heap_allocator_query_buffer_compatibility,
    .allocate_buffer = heap_allocator_allocate_buffer,
    .import_buffer = heap_allocator_import_buffer,
    .export_buffer = heap_allocator_export_buffer,
};

iree_status_t iree_hal_allocator_create_heap(
    iree_string_view_t identifier, iree_allocator_t host_allocator,
    iree_hal_allocator_t** out_allocator) {
  (void)identifier;
  *out_allocator = NULL;
  heap_allocator_t* allocator = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc_aligned(
      host_allocator, sizeof(*allocator), _Alignof(heap_allocator_t),
      (void**)&allocator));
  memset(allocator, 0, sizeof(*allocator));
  iree_hal_allocator_initialize(&heap_allocator_vtable, host_allocator,
                                &allocator->base);
  *out_allocator = &allocator->base;
  return iree_ok_status();
}
