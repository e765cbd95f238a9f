// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns references: counted pointers to objects of registered types.

#ifndef IREE_CY_VM_REF_H_
#define IREE_CY_VM_REF_H_

#include "iree_cy/base/api.h"

IREE_CY_EXTERN_C_BEGIN

// A registered type, as one word: the address of its descriptor, whose low
// bits (free by alignment) hold the offset of the counter in units of 4 bytes,
// so that retaining reads nothing but the object.
typedef uintptr_t iree_vm_ref_type_t;
#define IREE_VM_REF_TYPE_TAG_MASK ((uintptr_t)7)
#define IREE_VM_REF_TYPE_NULL ((iree_vm_ref_type_t)0)
// In a type definition: a reference to any type.
#define IREE_VM_REF_TYPE_ANY ((iree_vm_ref_type_t)~IREE_VM_REF_TYPE_TAG_MASK)
#define IREE_VM_REF_MAX_COUNTER_OFFSET 28

// Destroys an object whose count has just fallen to 0. Any thread.
typedef void (*iree_vm_ref_destroy_t)(void* ptr);

// Describes a type. Immortal and the same for every instance of the process,
// so that a reference made under one instance is of the same type under
// another. Aligned to 8. Fixed for the ABI major.
typedef struct iree_vm_ref_type_descriptor_t {
  // For an object that begins with iree_hal_resource_t:
  // iree_cy_vm_resource_destroy.
  iree_vm_ref_destroy_t destroy;
  // Without the dialect's '!': "hal.buffer".
  iree_string_view_t type_name;
  // Where in the object its iree_atomic_ref_count_t lies, in bytes: a multiple
  // of 4, at most IREE_VM_REF_MAX_COUNTER_OFFSET.
  uint32_t offsetof_counter;
  uint32_t reserved0;
  // Whether several threads may use the object at once from now on: it does not
  // change, or looks after itself. NULL for no.
  bool (*is_shareable)(const void* ptr);
  uintptr_t reserved[1];
} iree_vm_ref_type_descriptor_t;

static inline iree_vm_ref_type_t iree_vm_make_ref_type(
    const iree_vm_ref_type_descriptor_t* descriptor) {
  return (iree_vm_ref_type_t)descriptor |
         (iree_vm_ref_type_t)(descriptor->offsetof_counter / 4);
}
// |type| is neither NULL nor ANY.
static inline const iree_vm_ref_type_descriptor_t* iree_vm_ref_type_descriptor(
    iree_vm_ref_type_t type) {
  return (const iree_vm_ref_type_descriptor_t*)(type &
                                                ~IREE_VM_REF_TYPE_TAG_MASK);
}
// The name of |type|; "null" and "ref" for NULL and ANY.
IREE_API_EXPORT iree_string_view_t
iree_vm_ref_type_name(iree_vm_ref_type_t type);

// The destroy function of types whose objects begin with iree_hal_resource_t:
// what iree_hal_resource_release does with the last reference. Their
// descriptor has offsetof(iree_hal_resource_t, ref_count).
IREE_API_EXPORT void iree_cy_vm_resource_destroy(void* resource);

// A counted reference, or null. Plain data: a copy of the struct is not a
// reference of its own. All bytes 0 is null.
typedef struct iree_vm_ref_t {
  void* ptr;
  iree_vm_ref_type_t type;
} iree_vm_ref_t;
IREE_CY_STATIC_ASSERT(sizeof(iree_vm_ref_t) == 2 * sizeof(void*),
                      "registers and packed arguments hold references");

static inline iree_atomic_ref_count_t* iree_vm_ref_counter(
    void* ptr, iree_vm_ref_type_t type) {
  return (iree_atomic_ref_count_t*)((uint8_t*)ptr +
                                    (type & IREE_VM_REF_TYPE_TAG_MASK) * 4);
}
// The object |ptr|, which may be NULL, of registered type |type|.
static inline void iree_vm_ref_object_retain(void* ptr,
                                             iree_vm_ref_type_t type) {
  if (ptr) iree_atomic_ref_count_inc(iree_vm_ref_counter(ptr, type));
}
static inline void iree_vm_ref_object_release(void* ptr,
                                              iree_vm_ref_type_t type) {
  if (ptr && iree_atomic_ref_count_dec(iree_vm_ref_counter(ptr, type)) == 1) {
    iree_vm_ref_type_descriptor(type)->destroy(ptr);
  }
}

static inline iree_vm_ref_t iree_vm_ref_null(void) {
  iree_vm_ref_t ref = {NULL, IREE_VM_REF_TYPE_NULL};
  return ref;
}
static inline bool iree_vm_ref_is_null(const iree_vm_ref_t* ref) {
  return ref->ptr == NULL;
}
static inline bool iree_vm_ref_equal(const iree_vm_ref_t* lhs,
                                     const iree_vm_ref_t* rhs) {
  return lhs->ptr == rhs->ptr;
}

// Gives back the reference in |ref| and makes it null.
static inline void iree_vm_ref_release(iree_vm_ref_t* ref) {
  iree_vm_ref_t old = *ref;
  *ref = iree_vm_ref_null();
  iree_vm_ref_object_release(old.ptr, old.type);
}
// |*out_ref| gives up what it held and takes a reference of its own to what
// |ref| holds. The two may be the same.
static inline void iree_vm_ref_retain(const iree_vm_ref_t* ref,
                                      iree_vm_ref_t* out_ref) {
  iree_vm_ref_t value = *ref;
  iree_vm_ref_object_retain(value.ptr, value.type);
  iree_vm_ref_t old = *out_ref;
  *out_ref = value;
  iree_vm_ref_object_release(old.ptr, old.type);
}
static inline void iree_vm_ref_retain_inplace(iree_vm_ref_t* ref) {
  iree_vm_ref_object_retain(ref->ptr, ref->type);
}
// |*out_ref| gives up what it held and takes over the reference of |ref|, which
// becomes null. The two may be the same (nothing happens).
static inline void iree_vm_ref_move(iree_vm_ref_t* ref,
                                    iree_vm_ref_t* out_ref) {
  if (ref == out_ref) return;
  iree_vm_ref_t old = *out_ref;
  *out_ref = *ref;
  *ref = iree_vm_ref_null();
  iree_vm_ref_object_release(old.ptr, old.type);
}
static inline void iree_vm_ref_retain_or_move(bool is_move, iree_vm_ref_t* ref,
                                              iree_vm_ref_t* out_ref) {
  if (is_move) {
    iree_vm_ref_move(ref, out_ref);
  } else {
    iree_vm_ref_retain(ref, out_ref);
  }
}
// |*out_ref| gives up what it held and points to what |ref| does, borrowed.
static inline void iree_vm_ref_assign(const iree_vm_ref_t* ref,
                                      iree_vm_ref_t* out_ref) {
  iree_vm_ref_t value = *ref;
  iree_vm_ref_release(out_ref);
  *out_ref = value;
}

// |*out_ref| gives up what it held and takes over the caller's reference to
// |ptr| (assign), or takes one more (retain). |ptr| may be NULL, then null.
static inline void iree_vm_ref_wrap_assign(void* ptr, iree_vm_ref_type_t type,
                                           iree_vm_ref_t* out_ref) {
  iree_vm_ref_release(out_ref);
  out_ref->ptr = ptr;
  out_ref->type = ptr ? type : IREE_VM_REF_TYPE_NULL;
}
static inline void iree_vm_ref_wrap_retain(void* ptr, iree_vm_ref_type_t type,
                                           iree_vm_ref_t* out_ref) {
  iree_vm_ref_object_retain(ptr, type);
  iree_vm_ref_wrap_assign(ptr, type, out_ref);
}

// The INVALID_ARGUMENT that says what |ref| is and that it ought to be |type|.
IREE_API_EXPORT IREE_MUST_USE_RESULT iree_status_t
iree_cy_vm_ref_type_error(iree_vm_ref_t ref, iree_vm_ref_type_t type);

// INVALID_ARGUMENT unless |ref| is a reference to an object of |type|.
static inline IREE_MUST_USE_RESULT iree_status_t
iree_vm_ref_check(const iree_vm_ref_t ref, iree_vm_ref_type_t type) {
  return IREE_LIKELY(ref.ptr && ref.type == type)
             ? iree_ok_status()
             : iree_cy_vm_ref_type_error(ref, type);
}
// The same, before |*out_ref| changes; null passes when |type| is anything.
static inline IREE_MUST_USE_RESULT iree_status_t
iree_vm_ref_retain_or_move_checked(bool is_move, iree_vm_ref_t* ref,
                                   iree_vm_ref_type_t type,
                                   iree_vm_ref_t* out_ref) {
  if (ref->ptr && type != IREE_VM_REF_TYPE_ANY && ref->type != type) {
    return iree_cy_vm_ref_type_error(*ref, type);
  }
  iree_vm_ref_retain_or_move(is_move, ref, out_ref);
  return iree_ok_status();
}

// The typed helpers over references to |T|, given the function that returns
// its type, iree_vm_ref_type_t name_type(void):
//   bool name_isa(ref)           whether it is one; null is not
//   T* name_deref(ref)           borrowed; NULL when null or of another type
//   iree_status_t name_check_deref(ref, &ptr)          null is an error
//   iree_status_t name_check_deref_or_null(ref, &ptr)  null gives NULL
//   iree_vm_ref_t name_retain_ref(ptr)  one more reference; null for NULL
//   iree_vm_ref_t name_move_ref(ptr)    the caller's reference; null for NULL
#define IREE_VM_DECLARE_TYPE_ADAPTERS(name, T)                                 \
  static inline bool name##_isa(const iree_vm_ref_t ref) {                     \
    return ref.type == name##_type() && ref.ptr;                               \
  }                                                                            \
  static inline T* name##_deref(const iree_vm_ref_t ref) {                     \
    return IREE_LIKELY(name##_isa(ref)) ? (T*)ref.ptr : (T*)NULL;              \
  }                                                                            \
  static inline IREE_MUST_USE_RESULT iree_status_t name##_check_deref(         \
      const iree_vm_ref_t ref, T** out_ptr) {                                  \
    *out_ptr = name##_deref(ref);                                              \
    return IREE_LIKELY(*out_ptr)                                               \
               ? iree_ok_status()                                              \
               : iree_cy_vm_ref_type_error(ref, name##_type());                \
  }                                                                            \
  static inline IREE_MUST_USE_RESULT iree_status_t name##_check_deref_or_null( \
      const iree_vm_ref_t ref, T** out_ptr) {                                  \
    *out_ptr = NULL;                                                           \
    return ref.ptr ? name##_check_deref(ref, out_ptr) : iree_ok_status();      \
  }                                                                            \
  static inline iree_vm_ref_t name##_move_ref(T* value) {                      \
    iree_vm_ref_t ref = iree_vm_ref_null();                                    \
    iree_vm_ref_wrap_assign(value, name##_type(), &ref);                       \
    return ref;                                                                \
  }                                                                            \
  static inline iree_vm_ref_t name##_retain_ref(T* value) {                    \
    iree_vm_ref_t ref = iree_vm_ref_null();                                    \
    iree_vm_ref_wrap_retain(value, name##_type(), &ref);                       \
    return ref;                                                                \
  }

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_VM_REF_H_
