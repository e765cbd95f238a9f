// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the instance and its table of types.

#include "iree_cy/vm/instance.h"

#include "iree_cy/native/base/live_count.h"
#include "iree_cy/native/base/mutex.h"
#include "iree_cy/native/vm/builtin_types.h"

struct iree_vm_instance_t {
  iree_atomic_ref_count_t ref_count;
  iree_allocator_t allocator;
  // Held to add a type. Looking up takes no lock: entries are written before
  // |type_count| rises and never change.
  iree_cy_mutex_t mutex;
  iree_host_size_t type_capacity;
  iree_host_size_t type_count;
  const iree_vm_ref_type_descriptor_t** types;
};

iree_status_t iree_vm_instance_create(iree_host_size_t type_capacity,
                                      iree_allocator_t allocator,
                                      iree_vm_instance_t** out_instance) {
  *out_instance = NULL;
  iree_host_size_t table_size = 0;
  iree_host_size_t total_size = 0;
  if (!iree_host_size_checked_mul(type_capacity, sizeof(void*), &table_size) ||
      !iree_host_size_checked_add(table_size, sizeof(iree_vm_instance_t),
                                  &total_size)) {
    return iree_make_status(IREE_STATUS_RESOURCE_EXHAUSTED,
                            "an instance with room for %zu types does not fit "
                            "into memory",
                            type_capacity);
  }
  iree_vm_instance_t* instance = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc(allocator, total_size, (void**)&instance));
  instance->ref_count = 1;
  instance->allocator = allocator;
  instance->type_capacity = type_capacity;
  instance->types = (const iree_vm_ref_type_descriptor_t**)(instance + 1);
  iree_cy_live_object_add(IREE_CY_OBJECT_KIND_VM_INSTANCE, 1);

  iree_vm_ref_type_t type = IREE_VM_REF_TYPE_NULL;
  iree_status_t status = iree_vm_instance_register_type(
      instance, &iree_cy_vm_buffer_descriptor, &type);
  if (iree_status_is_ok(status)) {
    status = iree_vm_instance_register_type(instance,
                                            &iree_cy_vm_list_descriptor, &type);
  }
  if (iree_status_is_ok(status)) {
    *out_instance = instance;
  } else {
    iree_vm_instance_release(instance);
  }
  return status;
}

void iree_vm_instance_retain(iree_vm_instance_t* instance) {
  if (instance) iree_atomic_ref_count_inc(&instance->ref_count);
}

void iree_vm_instance_release(iree_vm_instance_t* instance) {
  if (!instance || iree_atomic_ref_count_dec(&instance->ref_count) != 1) return;
  iree_allocator_free(instance->allocator, instance);
  iree_cy_live_object_add(IREE_CY_OBJECT_KIND_VM_INSTANCE, -1);
}

iree_allocator_t iree_vm_instance_allocator(
    const iree_vm_instance_t* instance) {
  return instance->allocator;
}

static iree_status_t iree_cy_vm_check_descriptor(
    const iree_vm_ref_type_descriptor_t* descriptor) {
  if (((uintptr_t)descriptor & IREE_VM_REF_TYPE_TAG_MASK) == 0 &&
      descriptor->destroy &&
      !iree_string_view_is_empty(descriptor->type_name) &&
      descriptor->offsetof_counter % 4 == 0 &&
      descriptor->offsetof_counter <= IREE_VM_REF_MAX_COUNTER_OFFSET) {
    return iree_ok_status();
  }
  return iree_make_status(
      IREE_STATUS_INVALID_ARGUMENT,
      "the descriptor of type '%.*s' needs a name, a destroy function and a "
      "counter at a multiple of 4 up to %d",
      IREE_SV_ARG(descriptor->type_name), IREE_VM_REF_MAX_COUNTER_OFFSET);
}

static const iree_vm_ref_type_descriptor_t* iree_cy_vm_instance_find_type(
    const iree_vm_instance_t* instance, iree_string_view_t name) {
  iree_host_size_t count =
      __atomic_load_n(&instance->type_count, __ATOMIC_ACQUIRE);
  for (iree_host_size_t i = 0; i < count; ++i) {
    if (iree_string_view_equal(instance->types[i]->type_name, name)) {
      return instance->types[i];
    }
  }
  return NULL;
}

iree_status_t iree_vm_instance_register_type(
    iree_vm_instance_t* instance,
    const iree_vm_ref_type_descriptor_t* descriptor,
    iree_vm_ref_type_t* out_registration) {
  *out_registration = IREE_VM_REF_TYPE_NULL;
  IREE_RETURN_IF_ERROR(iree_cy_vm_check_descriptor(descriptor));
  iree_status_code_t code = IREE_STATUS_OK;
  iree_cy_mutex_lock(&instance->mutex);
  const iree_vm_ref_type_descriptor_t* known =
      iree_cy_vm_instance_find_type(instance, descriptor->type_name);
  if (known) {
    if (known != descriptor) code = IREE_STATUS_ALREADY_EXISTS;
  } else if (instance->type_count == instance->type_capacity) {
    code = IREE_STATUS_RESOURCE_EXHAUSTED;
  } else {
    instance->types[instance->type_count] = descriptor;
    __atomic_store_n(&instance->type_count, instance->type_count + 1,
                     __ATOMIC_RELEASE);
  }
  iree_cy_mutex_unlock(&instance->mutex);
  if (code == IREE_STATUS_OK) {
    *out_registration = iree_vm_make_ref_type(descriptor);
    return iree_ok_status();
  }
  return iree_make_status(
      code,
      code == IREE_STATUS_ALREADY_EXISTS
          ? "type '%.*s' is registered with the instance by somebody else"
          : "type '%.*s' does not fit into the instance; create it with a "
            "larger type_capacity",
      IREE_SV_ARG(descriptor->type_name));
}

iree_vm_ref_type_t iree_vm_instance_lookup_type(
    const iree_vm_instance_t* instance, iree_string_view_t full_name) {
  const iree_vm_ref_type_descriptor_t* descriptor =
      iree_cy_vm_instance_find_type(instance, full_name);
  return descriptor ? iree_vm_make_ref_type(descriptor) : IREE_VM_REF_TYPE_NULL;
}
