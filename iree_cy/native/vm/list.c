// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns lists.

#include "iree_cy/vm/list.h"

#include "iree_cy/native/base/live_count.h"
#include "iree_cy/native/vm/builtin_types.h"

typedef enum iree_cy_vm_list_mode_e {
  IREE_CY_VM_LIST_MODE_VALUE,
  IREE_CY_VM_LIST_MODE_REF,
  IREE_CY_VM_LIST_MODE_VARIANT,
} iree_cy_vm_list_mode_t;

// Elements. Slots from |size| to |capacity| are all 0.
typedef struct iree_cy_vm_list_storage_t {
  iree_vm_type_def_t element_type;
  iree_cy_vm_list_mode_t mode;
  uint32_t element_size;
  iree_host_size_t size;
  iree_host_size_t capacity;
  uint8_t* data;
  iree_allocator_t allocator;
} iree_cy_vm_list_storage_t;

struct iree_vm_list_t {
  iree_atomic_ref_count_t ref_count;
  iree_allocator_t allocator;
  iree_cy_vm_list_storage_t storage;
  // In the queue of lists that wait for destruction.
  iree_vm_list_t* next_pending;
};

static void iree_cy_vm_list_destroy(void* ptr);

const iree_vm_ref_type_descriptor_t iree_cy_vm_list_descriptor = {
    .destroy = iree_cy_vm_list_destroy,
    .type_name = {"vm.list", sizeof("vm.list") - 1},
    .offsetof_counter = offsetof(iree_vm_list_t, ref_count),
};

iree_vm_ref_type_t iree_vm_list_type(void) {
  return iree_vm_make_ref_type(&iree_cy_vm_list_descriptor);
}

static inline void* iree_cy_vm_list_slot(const iree_vm_list_t* list,
                                         iree_host_size_t i) {
  return list->storage.data + i * list->storage.element_size;
}

// Releases |count| elements from |i| and makes them 0.
static void iree_cy_vm_list_reset_slots(iree_vm_list_t* list,
                                        iree_host_size_t i,
                                        iree_host_size_t count) {
  if (count == 0) return;
  switch (list->storage.mode) {
    case IREE_CY_VM_LIST_MODE_REF:
      for (iree_host_size_t j = i; j < i + count; ++j) {
        iree_vm_ref_release((iree_vm_ref_t*)iree_cy_vm_list_slot(list, j));
      }
      break;
    case IREE_CY_VM_LIST_MODE_VARIANT:
      for (iree_host_size_t j = i; j < i + count; ++j) {
        iree_vm_variant_reset(
            (iree_vm_variant_t*)iree_cy_vm_list_slot(list, j));
      }
      break;
    case IREE_CY_VM_LIST_MODE_VALUE:
      memset(iree_cy_vm_list_slot(list, i), 0,
             count * list->storage.element_size);
      break;
  }
}

iree_status_t iree_vm_list_create(iree_vm_type_def_t element_type,
                                  iree_host_size_t initial_capacity,
                                  iree_allocator_t allocator,
                                  iree_vm_list_t** out_list) {
  *out_list = NULL;
  iree_cy_vm_list_mode_t mode = IREE_CY_VM_LIST_MODE_VARIANT;
  iree_host_size_t element_size = sizeof(iree_vm_variant_t);
  if (iree_vm_type_def_is_value(element_type)) {
    mode = IREE_CY_VM_LIST_MODE_VALUE;
    element_size =
        iree_vm_value_type_size(iree_vm_type_def_as_value(element_type));
  } else if (iree_vm_type_def_is_ref(element_type)) {
    mode = IREE_CY_VM_LIST_MODE_REF;
    element_size = sizeof(iree_vm_ref_t);
  } else if (!iree_vm_type_def_is_variant(element_type)) {
    return iree_make_status(IREE_STATUS_INVALID_ARGUMENT,
                            "%zu is no type that a list can have",
                            (size_t)element_type.bits);
  }
  iree_vm_list_t* list = NULL;
  IREE_RETURN_IF_ERROR(
      iree_allocator_malloc(allocator, sizeof(*list), (void**)&list));
  list->ref_count = 1;
  list->allocator = allocator;
  list->storage.element_type = element_type;
  list->storage.mode = mode;
  list->storage.element_size = (uint32_t)element_size;
  list->storage.allocator = allocator;
  iree_cy_live_object_add(IREE_CY_OBJECT_KIND_VM_LIST, 1);
  iree_status_t status = iree_vm_list_reserve(list, initial_capacity);
  if (iree_status_is_ok(status)) {
    *out_list = list;
  } else {
    iree_vm_list_release(list);
  }
  return status;
}

static void iree_cy_vm_list_free(iree_vm_list_t* list) {
  iree_cy_vm_list_reset_slots(list, 0, list->storage.size);
  iree_allocator_free(list->storage.allocator, list->storage.data);
  iree_allocator_free(list->allocator, list);
  iree_cy_live_object_add(IREE_CY_OBJECT_KIND_VM_LIST, -1);
}

// A program can nest lists as deep as memory goes; freeing them one inside the
// other would use up the C stack. Beyond this depth they wait in a queue.
#define IREE_CY_VM_LIST_MAX_DESTROY_DEPTH 16
static _Thread_local uint32_t iree_cy_vm_list_destroy_depth = 0;
static _Thread_local iree_vm_list_t* iree_cy_vm_list_pending = NULL;

static void iree_cy_vm_list_destroy(void* ptr) {
  iree_vm_list_t* list = (iree_vm_list_t*)ptr;
  if (iree_cy_vm_list_destroy_depth >= IREE_CY_VM_LIST_MAX_DESTROY_DEPTH) {
    list->next_pending = iree_cy_vm_list_pending;
    iree_cy_vm_list_pending = list;
    return;
  }
  ++iree_cy_vm_list_destroy_depth;
  iree_cy_vm_list_free(list);
  while (iree_cy_vm_list_destroy_depth == 1 && iree_cy_vm_list_pending) {
    iree_vm_list_t* next = iree_cy_vm_list_pending;
    iree_cy_vm_list_pending = next->next_pending;
    iree_cy_vm_list_free(next);
  }
  --iree_cy_vm_list_destroy_depth;
}

void iree_vm_list_retain(iree_vm_list_t* list) {
  if (list) iree_atomic_ref_count_inc(&list->ref_count);
}

void iree_vm_list_release(iree_vm_list_t* list) {
  if (list && iree_atomic_ref_count_dec(&list->ref_count) == 1) {
    iree_cy_vm_list_destroy(list);
  }
}

iree_status_t iree_vm_list_clone(const iree_vm_list_t* source,
                                 iree_allocator_t allocator,
                                 iree_vm_list_t** out_target) {
  *out_target = NULL;
  iree_vm_list_t* target = NULL;
  IREE_RETURN_IF_ERROR(iree_vm_list_create(
      source->storage.element_type, source->storage.size, allocator, &target));
  iree_status_t status = iree_vm_list_resize(target, source->storage.size);
  if (iree_status_is_ok(status)) {
    status = iree_vm_list_copy((iree_vm_list_t*)source, 0, target, 0,
                               source->storage.size);
  }
  if (iree_status_is_ok(status)) {
    *out_target = target;
  } else {
    iree_vm_list_release(target);
  }
  return status;
}

iree_vm_type_def_t iree_vm_list_element_type(const iree_vm_list_t* list) {
  return list->storage.element_type;
}

iree_host_size_t iree_vm_list_capacity(const iree_vm_list_t* list) {
  return list->storage.capacity;
}

iree_host_size_t iree_vm_list_size(const iree_vm_list_t* list) {
  return list->storage.size;
}

iree_status_t iree_vm_list_reserve(iree_vm_list_t* list,
                                   iree_host_size_t minimum_capacity) {
  iree_cy_vm_list_storage_t* storage = &list->storage;
  if (minimum_capacity <= storage->capacity) return iree_ok_status();
  iree_host_size_t byte_length = 0;
  // Offsets into the elements are signed in the C language.
  if (!iree_host_size_checked_mul(minimum_capacity, storage->element_size,
                                  &byte_length) ||
      byte_length > (iree_host_size_t)PTRDIFF_MAX) {
    return iree_make_status(IREE_STATUS_RESOURCE_EXHAUSTED,
                            "a list of %zu elements does not fit into memory",
                            minimum_capacity);
  }
  if (!storage->data) {
    IREE_RETURN_IF_ERROR(iree_allocator_malloc(storage->allocator, byte_length,
                                               (void**)&storage->data));
  } else {
    IREE_RETURN_IF_ERROR(iree_allocator_realloc(storage->allocator, byte_length,
                                                (void**)&storage->data));
    iree_host_size_t old_length = storage->capacity * storage->element_size;
    memset(storage->data + old_length, 0, byte_length - old_length);
  }
  storage->capacity = minimum_capacity;
  return iree_ok_status();
}

// Room for one more, so that pushing n elements moves O(n) of them.
static iree_status_t iree_cy_vm_list_grow(iree_vm_list_t* list) {
  iree_host_size_t capacity = list->storage.capacity;
  if (list->storage.size < capacity) return iree_ok_status();
  iree_host_size_t wanted = 0;
  if (!iree_host_size_checked_mul(capacity, 2, &wanted)) {
    wanted = IREE_HOST_SIZE_MAX;
  }
  return iree_vm_list_reserve(list, iree_max(wanted, 8));
}

iree_status_t iree_vm_list_resize(iree_vm_list_t* list,
                                  iree_host_size_t new_size) {
  iree_host_size_t old_size = list->storage.size;
  if (new_size > old_size) {
    IREE_RETURN_IF_ERROR(iree_vm_list_reserve(list, new_size));
    list->storage.size = new_size;
  } else {
    // First the size, so that a destructor that looks finds no dead elements.
    list->storage.size = new_size;
    iree_cy_vm_list_reset_slots(list, new_size, old_size - new_size);
  }
  return iree_ok_status();
}

void iree_vm_list_clear(iree_vm_list_t* list) {
  iree_host_size_t old_size = list->storage.size;
  list->storage.size = 0;
  iree_cy_vm_list_reset_slots(list, 0, old_size);
}

void iree_vm_list_swap_storage(iree_vm_list_t* list_a, iree_vm_list_t* list_b) {
  iree_cy_vm_list_storage_t storage = list_a->storage;
  list_a->storage = list_b->storage;
  list_b->storage = storage;
}

static iree_status_t iree_cy_vm_list_check_index(const iree_vm_list_t* list,
                                                 iree_host_size_t i) {
  if (IREE_LIKELY(i < list->storage.size)) return iree_ok_status();
  return iree_make_status(IREE_STATUS_OUT_OF_RANGE,
                          "element %zu is asked for, the list has %zu", i,
                          list->storage.size);
}

static iree_status_t iree_cy_vm_list_kind_error(iree_host_size_t i,
                                                const char* wanted) {
  return iree_make_status(IREE_STATUS_FAILED_PRECONDITION,
                          "element %zu of the list is no %s", i, wanted);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

iree_status_t iree_vm_list_get_value(const iree_vm_list_t* list,
                                     iree_host_size_t i,
                                     iree_vm_value_t* out_value) {
  *out_value = iree_vm_value_make_none();
  IREE_RETURN_IF_ERROR(iree_cy_vm_list_check_index(list, i));
  const void* slot = iree_cy_vm_list_slot(list, i);
  switch (list->storage.mode) {
    case IREE_CY_VM_LIST_MODE_VALUE:
      out_value->type = iree_vm_type_def_as_value(list->storage.element_type);
      memcpy(out_value->value_storage, slot, list->storage.element_size);
      return iree_ok_status();
    case IREE_CY_VM_LIST_MODE_VARIANT: {
      const iree_vm_variant_t* variant = (const iree_vm_variant_t*)slot;
      if (iree_vm_variant_is_value(*variant)) {
        *out_value = iree_vm_variant_value(*variant);
        return iree_ok_status();
      }
      break;
    }
    default:
      break;
  }
  return iree_cy_vm_list_kind_error(i, "primitive value");
}

iree_status_t iree_vm_list_get_value_as(const iree_vm_list_t* list,
                                        iree_host_size_t i,
                                        iree_vm_value_type_t value_type,
                                        iree_vm_value_t* out_value) {
  IREE_RETURN_IF_ERROR(iree_vm_list_get_value(list, i, out_value));
  if (out_value->type == value_type) return iree_ok_status();
  return iree_cy_vm_value_convert(out_value, value_type, out_value);
}

iree_status_t iree_vm_list_set_value(iree_vm_list_t* list, iree_host_size_t i,
                                     const iree_vm_value_t* value) {
  IREE_RETURN_IF_ERROR(iree_cy_vm_list_check_index(list, i));
  void* slot = iree_cy_vm_list_slot(list, i);
  switch (list->storage.mode) {
    case IREE_CY_VM_LIST_MODE_VALUE: {
      iree_vm_value_t converted;
      IREE_RETURN_IF_ERROR(iree_cy_vm_value_convert(
          value, iree_vm_type_def_as_value(list->storage.element_type),
          &converted));
      memcpy(slot, converted.value_storage, list->storage.element_size);
      return iree_ok_status();
    }
    case IREE_CY_VM_LIST_MODE_VARIANT: {
      if (iree_vm_value_type_size(value->type) == 0) break;
      iree_vm_variant_t* variant = (iree_vm_variant_t*)slot;
      iree_vm_variant_reset(variant);
      *variant = iree_vm_make_variant_value(*value);
      return iree_ok_status();
    }
    default:
      break;
  }
  return iree_cy_vm_list_kind_error(i, "place for a primitive value");
}

//===----------------------------------------------------------------------===//
// References
//===----------------------------------------------------------------------===//

// The reference at |i|, in place; NULL in |*out_ref| for an empty variant.
static iree_status_t iree_cy_vm_list_find_ref(const iree_vm_list_t* list,
                                              iree_host_size_t i,
                                              iree_vm_ref_t** out_ref) {
  *out_ref = NULL;
  IREE_RETURN_IF_ERROR(iree_cy_vm_list_check_index(list, i));
  void* slot = iree_cy_vm_list_slot(list, i);
  if (list->storage.mode == IREE_CY_VM_LIST_MODE_REF) {
    *out_ref = (iree_vm_ref_t*)slot;
    return iree_ok_status();
  }
  if (list->storage.mode == IREE_CY_VM_LIST_MODE_VARIANT) {
    iree_vm_variant_t* variant = (iree_vm_variant_t*)slot;
    if (iree_vm_variant_is_ref(*variant)) *out_ref = &variant->ref;
    if (!iree_vm_variant_is_value(*variant)) return iree_ok_status();
  }
  return iree_cy_vm_list_kind_error(i, "reference");
}

void* iree_vm_list_get_ref_deref(const iree_vm_list_t* list, iree_host_size_t i,
                                 iree_vm_ref_type_t type) {
  if (i >= list->storage.size) return NULL;
  iree_vm_ref_t* ref = NULL;
  IREE_IGNORE_ERROR(iree_cy_vm_list_find_ref(list, i, &ref));
  return ref && ref->type == type ? ref->ptr : NULL;
}

iree_status_t iree_vm_list_get_ref_assign(const iree_vm_list_t* list,
                                          iree_host_size_t i,
                                          iree_vm_ref_t* out_value) {
  *out_value = iree_vm_ref_null();
  iree_vm_ref_t* ref = NULL;
  IREE_RETURN_IF_ERROR(iree_cy_vm_list_find_ref(list, i, &ref));
  if (ref) *out_value = *ref;
  return iree_ok_status();
}

iree_status_t iree_vm_list_get_ref_retain(const iree_vm_list_t* list,
                                          iree_host_size_t i,
                                          iree_vm_ref_t* out_value) {
  iree_vm_ref_t* ref = NULL;
  IREE_RETURN_IF_ERROR(iree_cy_vm_list_find_ref(list, i, &ref));
  iree_vm_ref_t null = iree_vm_ref_null();
  iree_vm_ref_retain(ref ? ref : &null, out_value);
  return iree_ok_status();
}

iree_status_t iree_vm_list_get_ref_move(iree_vm_list_t* list,
                                        iree_host_size_t i,
                                        iree_vm_ref_t* out_value) {
  iree_vm_ref_t* ref = NULL;
  IREE_RETURN_IF_ERROR(iree_cy_vm_list_find_ref(list, i, &ref));
  iree_vm_ref_t value = ref ? *ref : iree_vm_ref_null();
  // The whole slot: a variant loses its type too.
  if (ref) {
    memset(iree_cy_vm_list_slot(list, i), 0, list->storage.element_size);
  }
  iree_vm_ref_move(&value, out_value);
  return iree_ok_status();
}

iree_status_t iree_vm_list_get_ref_retain_or_move(iree_vm_list_t* list,
                                                  iree_host_size_t i,
                                                  bool is_move,
                                                  iree_vm_ref_t* out_value) {
  return is_move ? iree_vm_list_get_ref_move(list, i, out_value)
                 : iree_vm_list_get_ref_retain(list, i, out_value);
}

// Takes over the reference in |value| when all is well.
static iree_status_t iree_cy_vm_list_set_owned_ref(iree_vm_list_t* list,
                                                   iree_host_size_t i,
                                                   iree_vm_ref_t value) {
  IREE_RETURN_IF_ERROR(iree_cy_vm_list_check_index(list, i));
  void* slot = iree_cy_vm_list_slot(list, i);
  if (list->storage.mode == IREE_CY_VM_LIST_MODE_REF) {
    iree_vm_ref_type_t type =
        iree_vm_type_def_as_ref(list->storage.element_type);
    if (value.ptr && type != IREE_VM_REF_TYPE_ANY && value.type != type) {
      return iree_cy_vm_ref_type_error(value, type);
    }
    iree_vm_ref_move(&value, (iree_vm_ref_t*)slot);
    return iree_ok_status();
  }
  if (list->storage.mode == IREE_CY_VM_LIST_MODE_VARIANT) {
    iree_vm_variant_t old = *(iree_vm_variant_t*)slot;
    *(iree_vm_variant_t*)slot = iree_vm_make_variant_ref_assign(value);
    iree_vm_variant_reset(&old);
    return iree_ok_status();
  }
  return iree_cy_vm_list_kind_error(i, "place for a reference");
}

iree_status_t iree_vm_list_set_ref_retain(iree_vm_list_t* list,
                                          iree_host_size_t i,
                                          const iree_vm_ref_t* value) {
  iree_vm_ref_t copy = *value;
  iree_vm_ref_retain_inplace(&copy);
  iree_status_t status = iree_cy_vm_list_set_owned_ref(list, i, copy);
  if (!iree_status_is_ok(status)) iree_vm_ref_release(&copy);
  return status;
}

iree_status_t iree_vm_list_set_ref_move(iree_vm_list_t* list,
                                        iree_host_size_t i,
                                        iree_vm_ref_t* value) {
  iree_vm_ref_t moved = *value;
  *value = iree_vm_ref_null();
  iree_status_t status = iree_cy_vm_list_set_owned_ref(list, i, moved);
  if (!iree_status_is_ok(status)) *value = moved;
  return status;
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

iree_status_t iree_vm_list_get_variant_assign(const iree_vm_list_t* list,
                                              iree_host_size_t i,
                                              iree_vm_variant_t* out_variant) {
  *out_variant = iree_vm_variant_empty();
  IREE_RETURN_IF_ERROR(iree_cy_vm_list_check_index(list, i));
  const void* slot = iree_cy_vm_list_slot(list, i);
  switch (list->storage.mode) {
    case IREE_CY_VM_LIST_MODE_VALUE:
      out_variant->type = list->storage.element_type;
      memcpy(out_variant->value_storage, slot, list->storage.element_size);
      break;
    case IREE_CY_VM_LIST_MODE_REF:
      *out_variant =
          iree_vm_make_variant_ref_assign(*(const iree_vm_ref_t*)slot);
      break;
    case IREE_CY_VM_LIST_MODE_VARIANT:
      *out_variant = *(const iree_vm_variant_t*)slot;
      break;
  }
  return iree_ok_status();
}

iree_status_t iree_vm_list_get_variant_retain(const iree_vm_list_t* list,
                                              iree_host_size_t i,
                                              iree_vm_variant_t* out_variant) {
  IREE_RETURN_IF_ERROR(iree_vm_list_get_variant_assign(list, i, out_variant));
  if (iree_vm_variant_is_ref(*out_variant)) {
    iree_vm_ref_retain_inplace(&out_variant->ref);
  }
  return iree_ok_status();
}

iree_status_t iree_vm_list_get_variant_move(iree_vm_list_t* list,
                                            iree_host_size_t i,
                                            iree_vm_variant_t* out_variant) {
  IREE_RETURN_IF_ERROR(iree_vm_list_get_variant_assign(list, i, out_variant));
  if (list->storage.mode != IREE_CY_VM_LIST_MODE_VALUE) {
    memset(iree_cy_vm_list_slot(list, i), 0, list->storage.element_size);
  }
  return iree_ok_status();
}

// Takes over what |variant| holds when all is well. An empty one empties.
static iree_status_t iree_cy_vm_list_set_owned_variant(
    iree_vm_list_t* list, iree_host_size_t i, iree_vm_variant_t variant) {
  if (iree_vm_variant_is_value(variant)) {
    iree_vm_value_t value = iree_vm_variant_value(variant);
    return iree_vm_list_set_value(list, i, &value);
  }
  return iree_cy_vm_list_set_owned_ref(
      list, i,
      iree_vm_variant_is_ref(variant) ? variant.ref : iree_vm_ref_null());
}

iree_status_t iree_vm_list_set_variant_retain(
    iree_vm_list_t* list, iree_host_size_t i,
    const iree_vm_variant_t* variant) {
  iree_vm_variant_t copy = *variant;
  if (iree_vm_variant_is_ref(copy)) iree_vm_ref_retain_inplace(&copy.ref);
  iree_status_t status = iree_cy_vm_list_set_owned_variant(list, i, copy);
  if (!iree_status_is_ok(status)) iree_vm_variant_reset(&copy);
  return status;
}

iree_status_t iree_vm_list_set_variant_move(iree_vm_list_t* list,
                                            iree_host_size_t i,
                                            iree_vm_variant_t* variant) {
  iree_vm_variant_t moved = *variant;
  *variant = iree_vm_variant_empty();
  iree_status_t status = iree_cy_vm_list_set_owned_variant(list, i, moved);
  if (!iree_status_is_ok(status)) *variant = moved;
  return status;
}

//===----------------------------------------------------------------------===//
// Pushing, popping, copying
//===----------------------------------------------------------------------===//

// Appends an empty element and calls |set_expr| for it at index |slot|, which
// goes again when that fails.
#define IREE_CY_VM_LIST_PUSH(list, slot, set_expr)               \
  do {                                                           \
    IREE_RETURN_IF_ERROR(iree_cy_vm_list_grow(list));            \
    const iree_host_size_t slot = (list)->storage.size++;        \
    iree_status_t push_status = (set_expr);                      \
    if (!iree_status_is_ok(push_status)) --(list)->storage.size; \
    return push_status;                                          \
  } while (0)

iree_status_t iree_vm_list_push_value(iree_vm_list_t* list,
                                      const iree_vm_value_t* value) {
  IREE_CY_VM_LIST_PUSH(list, i, iree_vm_list_set_value(list, i, value));
}

iree_status_t iree_vm_list_push_ref_retain(iree_vm_list_t* list,
                                           const iree_vm_ref_t* value) {
  IREE_CY_VM_LIST_PUSH(list, i, iree_vm_list_set_ref_retain(list, i, value));
}

iree_status_t iree_vm_list_push_ref_move(iree_vm_list_t* list,
                                         iree_vm_ref_t* value) {
  IREE_CY_VM_LIST_PUSH(list, i, iree_vm_list_set_ref_move(list, i, value));
}

iree_status_t iree_vm_list_push_variant_retain(
    iree_vm_list_t* list, const iree_vm_variant_t* variant) {
  IREE_CY_VM_LIST_PUSH(list, i,
                       iree_vm_list_set_variant_retain(list, i, variant));
}

iree_status_t iree_vm_list_push_variant_move(iree_vm_list_t* list,
                                             iree_vm_variant_t* variant) {
  IREE_CY_VM_LIST_PUSH(list, i,
                       iree_vm_list_set_variant_move(list, i, variant));
}

iree_status_t iree_vm_list_pop_front_ref_move(iree_vm_list_t* list,
                                              iree_vm_ref_t* out_value) {
  iree_vm_ref_t value = iree_vm_ref_null();
  IREE_RETURN_IF_ERROR(iree_vm_list_get_ref_move(list, 0, &value));
  iree_cy_vm_list_storage_t* storage = &list->storage;
  memmove(storage->data, storage->data + storage->element_size,
          (storage->size - 1) * storage->element_size);
  --storage->size;
  memset(iree_cy_vm_list_slot(list, storage->size), 0, storage->element_size);
  iree_vm_ref_move(&value, out_value);
  return iree_ok_status();
}

static iree_status_t iree_cy_vm_list_check_range(const iree_vm_list_t* list,
                                                 iree_host_size_t i,
                                                 iree_host_size_t count) {
  if (i <= list->storage.size && count <= list->storage.size - i) {
    return iree_ok_status();
  }
  return iree_make_status(
      IREE_STATUS_OUT_OF_RANGE,
      "%zu elements from element %zu are asked for, the list has %zu", count, i,
      list->storage.size);
}

iree_status_t iree_vm_list_copy(iree_vm_list_t* source_list,
                                iree_host_size_t source_i,
                                iree_vm_list_t* target_list,
                                iree_host_size_t target_i,
                                iree_host_size_t count) {
  IREE_RETURN_IF_ERROR(
      iree_cy_vm_list_check_range(source_list, source_i, count));
  IREE_RETURN_IF_ERROR(
      iree_cy_vm_list_check_range(target_list, target_i, count));
  if (count == 0) return iree_ok_status();
  if (target_list->storage.mode == IREE_CY_VM_LIST_MODE_VALUE &&
      iree_vm_type_def_equal(source_list->storage.element_type,
                             target_list->storage.element_type)) {
    memmove(iree_cy_vm_list_slot(target_list, target_i),
            iree_cy_vm_list_slot(source_list, source_i),
            count * target_list->storage.element_size);
    return iree_ok_status();
  }
  // Within one list, from the end at which nothing is overwritten early.
  const bool backward = source_list == target_list && source_i < target_i;
  for (iree_host_size_t n = 0; n < count; ++n) {
    const iree_host_size_t j = backward ? count - 1 - n : n;
    iree_vm_variant_t variant = iree_vm_variant_empty();
    IREE_RETURN_IF_ERROR(
        iree_vm_list_get_variant_assign(source_list, source_i + j, &variant));
    IREE_RETURN_IF_ERROR(
        iree_vm_list_set_variant_retain(target_list, target_i + j, &variant));
  }
  return iree_ok_status();
}
