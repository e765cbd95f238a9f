// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the set of objects that a recording keeps alive: chunks of pointers,
// behind a small table of what was inserted last.

#include "iree_cy/native/hal/resource_set.h"

enum {
  RECENT_COUNT = 16,
  FIRST_CHUNK_CAPACITY = 24,
  NEXT_CHUNK_CAPACITY = 510,
};

typedef struct resource_chunk_t {
  struct resource_chunk_t* next;
  uint32_t count;
  uint32_t capacity;
  void* resources[];
} resource_chunk_t;

struct iree_cy_resource_set_t {
  // By address. A miss costs a second reference, no more.
  void* recent[RECENT_COUNT];
  // Newest first; the oldest lies in the same block as the set.
  resource_chunk_t* chunks;
};

static iree_status_t resource_set_create(iree_allocator_t host_allocator,
                                         iree_cy_resource_set_t** out_set) {
  *out_set = NULL;
  const iree_host_size_t size = sizeof(iree_cy_resource_set_t) +
                                sizeof(resource_chunk_t) +
                                FIRST_CHUNK_CAPACITY * sizeof(void*);
  iree_cy_resource_set_t* set = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc_uninitialized(host_allocator, size, (void**)&set));
  resource_chunk_t* chunk = (resource_chunk_t*)(set + 1);
  memset(set, 0, sizeof(*set));
  chunk->next = NULL;
  chunk->count = 0;
  chunk->capacity = FIRST_CHUNK_CAPACITY;
  set->chunks = chunk;
  *out_set = set;
  return iree_ok_status();
}

static iree_status_t resource_set_grow(iree_cy_resource_set_t* set,
                                       iree_allocator_t host_allocator) {
  resource_chunk_t* chunk = NULL;
  IREE_RETURN_IF_ERROR(iree_allocator_malloc_uninitialized(
      host_allocator, sizeof(*chunk) + NEXT_CHUNK_CAPACITY * sizeof(void*),
      (void**)&chunk));
  chunk->next = set->chunks;
  chunk->count = 0;
  chunk->capacity = NEXT_CHUNK_CAPACITY;
  set->chunks = chunk;
  return iree_ok_status();
}

iree_status_t iree_cy_resource_set_insert(iree_cy_resource_set_t** set_ptr,
                                          void* resource,
                                          iree_allocator_t host_allocator) {
  if (!*set_ptr) {
    IREE_RETURN_IF_ERROR(resource_set_create(host_allocator, set_ptr));
  }
  iree_cy_resource_set_t* set = *set_ptr;
  void** recent =
      &set->recent[(((uintptr_t)resource >> 6) ^ ((uintptr_t)resource >> 10)) %
                   RECENT_COUNT];
  if (*recent == resource) return iree_ok_status();
  if (set->chunks->count == set->chunks->capacity) {
    IREE_RETURN_IF_ERROR(resource_set_grow(set, host_allocator));
  }
  iree_hal_resource_retain(resource);
  set->chunks->resources[set->chunks->count++] = resource;
  *recent = resource;
  return iree_ok_status();
}

void iree_cy_resource_set_free(iree_cy_resource_set_t* set,
                               iree_allocator_t host_allocator) {
  if (!set) return;
  resource_chunk_t* chunk = set->chunks;
  while (chunk) {
    resource_chunk_t* next = chunk->next;
    for (uint32_t i = 0; i < chunk->count; ++i) {
      iree_hal_resource_release(chunk->resources[i]);
    }
    if (next) iree_allocator_free(host_allocator, chunk);
    chunk = next;
  }
  iree_allocator_free(host_allocator, set);
}
