// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the birth, the counting and the end of objects with a vtable.

#include "iree_cy/base/resource.h"

#include "iree_cy/hal/buffer.h"
#include "iree_cy/native/base/gate.h"
#include "iree_cy/native/base/live_count.h"

void iree_hal_resource_initialize(const void* vtable,
                                  iree_hal_resource_t* out_resource) {
  out_resource->vtable = vtable;
  out_resource->ref_count = 1;
  out_resource->reserved = 0;
  iree_cy_live_object_add(((const iree_cy_vtable_header_t*)vtable)->kind, 1);
}

void iree_hal_resource_retain(void* resource) {
  if (!resource) return;
  iree_atomic_ref_count_inc(&((iree_hal_resource_t*)resource)->ref_count);
}

void iree_hal_resource_release(void* resource) {
  if (!resource) return;
  iree_hal_resource_t* header = (iree_hal_resource_t*)resource;
  if (iree_atomic_ref_count_dec(&header->ref_count) != 1) return;
  if (IREE_UNLIKELY(iree_cy_gate_is_closed())) return;
  const iree_cy_resource_vtable_t* vtable =
      (const iree_cy_resource_vtable_t*)header->vtable;
  if (vtable->header.kind == IREE_CY_OBJECT_KIND_BUFFER) {
    // Here, and not in the buffer's own release, because references of the
    // virtual machine end here too. A recycled buffer goes on to live.
    iree_hal_buffer_t* buffer = (iree_hal_buffer_t*)resource;
    const iree_hal_buffer_release_callback_t callback =
        buffer->recycle_callback;
    if (callback.fn) {
      buffer->recycle_callback = iree_hal_buffer_release_callback_null();
      __atomic_store_n(&header->ref_count, 1, __ATOMIC_RELAXED);
      callback.fn(callback.user_data, buffer);
      return;
    }
  }
  iree_cy_live_object_add(vtable->header.kind, -1);
  vtable->destroy(resource);
}
