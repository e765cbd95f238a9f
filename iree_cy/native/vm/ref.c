// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns what references need beyond the inline functions of ref.h.

#include "iree_cy/vm/ref.h"

iree_string_view_t iree_vm_ref_type_name(iree_vm_ref_type_t type) {
  if (type == IREE_VM_REF_TYPE_NULL) return IREE_SV("null");
  if (type == IREE_VM_REF_TYPE_ANY) return IREE_SV("ref");
  return iree_vm_ref_type_descriptor(type)->type_name;
}

void iree_cy_vm_resource_destroy(void* resource) {
  // The count has fallen to 0, so nobody else can see the object: give it back
  // the last reference and let the one place that destroys resources do it.
  iree_hal_resource_t* header = (iree_hal_resource_t*)resource;
  __atomic_store_n(&header->ref_count, 1, __ATOMIC_RELAXED);
  iree_hal_resource_release(resource);
}

iree_status_t iree_cy_vm_ref_type_error(iree_vm_ref_t ref,
                                        iree_vm_ref_type_t type) {
  iree_string_view_t wanted = iree_vm_ref_type_name(type);
  iree_string_view_t given =
      ref.ptr ? iree_vm_ref_type_name(ref.type) : IREE_SV("null");
  return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                          "a reference to %.*s is wanted, this one is %.*s",
                          IREE_SV_ARG(wanted), IREE_SV_ARG(given));
}
