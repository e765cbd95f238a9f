// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns lists: growing sequences of values, references or both.

#ifndef IREE_CY_VM_LIST_H_
#define IREE_CY_VM_LIST_H_

#include "iree_cy/vm/variant.h"

IREE_CY_EXTERN_C_BEGIN

// A list, "vm.list". Reference counted. Elements are values of one primitive
// type, references of one type, references of any type, or variants. Not
// synchronised: one thread at a time. An index that is no element gives
// OUT_OF_RANGE, a value where references are or the other way round
// FAILED_PRECONDITION, a reference of another type INVALID_ARGUMENT, a size
// that memory cannot hold RESOURCE_EXHAUSTED.
typedef struct iree_vm_list_t iree_vm_list_t;

// The registered type.
IREE_API_EXPORT iree_vm_ref_type_t iree_vm_list_type(void);

// An empty list with room for |initial_capacity| elements. An |element_type|
// that is undefined makes a list of variants.
IREE_API_EXPORT iree_status_t iree_vm_list_create(
    iree_vm_type_def_t element_type, iree_host_size_t initial_capacity,
    iree_allocator_t allocator, iree_vm_list_t** out_list);
// A list of its own with the same elements; objects are shared.
IREE_API_EXPORT iree_status_t iree_vm_list_clone(const iree_vm_list_t* source,
                                                 iree_allocator_t allocator,
                                                 iree_vm_list_t** out_target);
IREE_API_EXPORT void iree_vm_list_retain(iree_vm_list_t* list);
IREE_API_EXPORT void iree_vm_list_release(iree_vm_list_t* list);

IREE_API_EXPORT iree_vm_type_def_t
iree_vm_list_element_type(const iree_vm_list_t* list);
IREE_API_EXPORT iree_host_size_t
iree_vm_list_capacity(const iree_vm_list_t* list);
IREE_API_EXPORT iree_host_size_t iree_vm_list_size(const iree_vm_list_t* list);
// Grows the capacity to at least |minimum_capacity|.
IREE_API_EXPORT iree_status_t
iree_vm_list_reserve(iree_vm_list_t* list, iree_host_size_t minimum_capacity);
// New elements are 0, null or empty.
IREE_API_EXPORT iree_status_t iree_vm_list_resize(iree_vm_list_t* list,
                                                  iree_host_size_t new_size);
// Size 0; the capacity stays.
IREE_API_EXPORT void iree_vm_list_clear(iree_vm_list_t* list);
// Exchanges elements, element types and allocators.
IREE_API_EXPORT void iree_vm_list_swap_storage(iree_vm_list_t* list_a,
                                               iree_vm_list_t* list_b);
// Copies elements over existing ones of the target; the ranges may overlap in
// one list. Values convert as iree_vm_list_get_value_as says.
IREE_API_EXPORT iree_status_t iree_vm_list_copy(iree_vm_list_t* source_list,
                                                iree_host_size_t source_i,
                                                iree_vm_list_t* target_list,
                                                iree_host_size_t target_i,
                                                iree_host_size_t count);

// A value as it is stored; as |value_type|, by iree_cy_vm_value_convert.
IREE_API_EXPORT iree_status_t iree_vm_list_get_value(
    const iree_vm_list_t* list, iree_host_size_t i, iree_vm_value_t* out_value);
IREE_API_EXPORT iree_status_t iree_vm_list_get_value_as(
    const iree_vm_list_t* list, iree_host_size_t i,
    iree_vm_value_type_t value_type, iree_vm_value_t* out_value);
// Stores a value, converted to the element type of a typed list.
IREE_API_EXPORT iree_status_t iree_vm_list_set_value(
    iree_vm_list_t* list, iree_host_size_t i, const iree_vm_value_t* value);
IREE_API_EXPORT iree_status_t
iree_vm_list_push_value(iree_vm_list_t* list, const iree_vm_value_t* value);

// The object at |i|, borrowed; NULL when there is none or it is not |type|.
IREE_API_EXPORT void* iree_vm_list_get_ref_deref(const iree_vm_list_t* list,
                                                 iree_host_size_t i,
                                                 iree_vm_ref_type_t type);
// The reference at |i| into |*out_value|, whose old reference is released
// first (assign: overwritten, |*out_value| need not be initialized): borrowed,
// retained, or moved so that null stays behind. An empty variant gives null.
IREE_API_EXPORT iree_status_t iree_vm_list_get_ref_assign(
    const iree_vm_list_t* list, iree_host_size_t i, iree_vm_ref_t* out_value);
IREE_API_EXPORT iree_status_t iree_vm_list_get_ref_retain(
    const iree_vm_list_t* list, iree_host_size_t i, iree_vm_ref_t* out_value);
IREE_API_EXPORT iree_status_t iree_vm_list_get_ref_move(
    iree_vm_list_t* list, iree_host_size_t i, iree_vm_ref_t* out_value);
IREE_API_EXPORT iree_status_t
iree_vm_list_get_ref_retain_or_move(iree_vm_list_t* list, iree_host_size_t i,
                                    bool is_move, iree_vm_ref_t* out_value);
// Stores a reference, which may be null. With move, |value| becomes null when
// that went well.
IREE_API_EXPORT iree_status_t iree_vm_list_set_ref_retain(
    iree_vm_list_t* list, iree_host_size_t i, const iree_vm_ref_t* value);
IREE_API_EXPORT iree_status_t iree_vm_list_set_ref_move(iree_vm_list_t* list,
                                                        iree_host_size_t i,
                                                        iree_vm_ref_t* value);
IREE_API_EXPORT iree_status_t
iree_vm_list_push_ref_retain(iree_vm_list_t* list, const iree_vm_ref_t* value);
IREE_API_EXPORT iree_status_t iree_vm_list_push_ref_move(iree_vm_list_t* list,
                                                         iree_vm_ref_t* value);
// Removes the first element. OUT_OF_RANGE when the list is empty.
IREE_API_EXPORT iree_status_t
iree_vm_list_pop_front_ref_move(iree_vm_list_t* list, iree_vm_ref_t* out_value);

// The same for elements of any kind. |*out_variant| is overwritten, not reset.
IREE_API_EXPORT iree_status_t
iree_vm_list_get_variant_assign(const iree_vm_list_t* list, iree_host_size_t i,
                                iree_vm_variant_t* out_variant);
IREE_API_EXPORT iree_status_t
iree_vm_list_get_variant_retain(const iree_vm_list_t* list, iree_host_size_t i,
                                iree_vm_variant_t* out_variant);
IREE_API_EXPORT iree_status_t iree_vm_list_get_variant_move(
    iree_vm_list_t* list, iree_host_size_t i, iree_vm_variant_t* out_variant);
IREE_API_EXPORT iree_status_t iree_vm_list_set_variant_retain(
    iree_vm_list_t* list, iree_host_size_t i, const iree_vm_variant_t* variant);
IREE_API_EXPORT iree_status_t iree_vm_list_set_variant_move(
    iree_vm_list_t* list, iree_host_size_t i, iree_vm_variant_t* variant);
IREE_API_EXPORT iree_status_t iree_vm_list_push_variant_retain(
    iree_vm_list_t* list, const iree_vm_variant_t* variant);
IREE_API_EXPORT iree_status_t iree_vm_list_push_variant_move(
    iree_vm_list_t* list, iree_vm_variant_t* variant);

IREE_VM_DECLARE_TYPE_ADAPTERS(iree_vm_list, iree_vm_list_t)

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_VM_LIST_H_
