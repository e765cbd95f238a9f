// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the making of buffers in blocks of host memory, for the heap allocator.

#ifndef IREE_CY_NATIVE_HAL_HEAP_BUFFER_H_
#define IREE_CY_NATIVE_HAL_HEAP_BUFFER_H_

#include "iree_cy/hal/buffer.h"

// What the data of every heap buffer is aligned to, and compiled code expects.
#define IREE_CY_HEAP_BUFFER_ALIGNMENT 64

// Gives back the block that begins with |buffer|, deinitialized.
typedef void (*iree_cy_heap_buffer_free_fn_t)(void* owner,
                                              iree_hal_buffer_t* buffer,
                                              iree_device_size_t byte_length,
                                              uint32_t block_class);

// Bytes of a block before the data, when that is aligned to |alignment|, a
// power of two.
iree_host_size_t iree_cy_heap_buffer_header_size(iree_host_size_t alignment);

// Makes a buffer at the begin of |block|, whose data follows after
// |header_size| bytes. destroy calls |free_fn|.
iree_hal_buffer_t* iree_cy_heap_buffer_initialize_block(
    void* block, iree_host_size_t header_size, uint32_t block_class,
    iree_hal_buffer_placement_t placement, iree_hal_memory_type_t memory_type,
    iree_hal_memory_access_t allowed_access,
    iree_hal_buffer_usage_t allowed_usage, iree_device_size_t byte_length,
    iree_cy_heap_buffer_free_fn_t free_fn, void* owner);

// Moves the contents of |buffer|, made by iree_hal_heap_buffer_wrap, to memory
// of its own, with all access: who uses the buffer from now on no longer sees
// the wrapped memory. That stays valid, and its release callback waits, until
// the buffer ends, for somebody may have an address in it. No work that uses
// the buffer ought to be under way; what is may see either memory. Once more
// does nothing. INVALID_ARGUMENT for any other buffer.
iree_status_t iree_cy_heap_buffer_detach(iree_hal_buffer_t* buffer);

// Whether what |buffer| shows is memory that somebody lent: wrapped, and not
// detached yet.
bool iree_cy_heap_buffer_is_lent(const iree_hal_buffer_t* buffer);

#endif  // IREE_CY_NATIVE_HAL_HEAP_BUFFER_H_
