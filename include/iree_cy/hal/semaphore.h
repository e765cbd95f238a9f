// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns iree_hal_semaphore_t: the timeline that orders all queue work.

#ifndef IREE_CY_HAL_SEMAPHORE_H_
#define IREE_CY_HAL_SEMAPHORE_H_

#include "iree_cy/hal/types.h"

IREE_CY_EXTERN_C_BEGIN

typedef uint64_t iree_hal_semaphore_flags_t;
enum iree_hal_semaphore_flag_bits_e {
  IREE_HAL_SEMAPHORE_FLAG_NONE = 0,
  IREE_HAL_SEMAPHORE_FLAG_DEVICE_LOCAL = 1ull << 0,
  IREE_HAL_SEMAPHORE_FLAG_HOST_INTERRUPT = 1ull << 1,
  IREE_HAL_SEMAPHORE_FLAG_EXPORTABLE = 1ull << 2,
  IREE_HAL_SEMAPHORE_FLAG_EXPORTABLE_TIMEPOINTS = 1ull << 3,
  IREE_HAL_SEMAPHORE_FLAG_SINGLE_PRODUCER = 1ull << 4,
  // Added by a driver whose base advances by itself and whose `wait` only does
  // something useful meanwhile: a wait for several does without. Not among the
  // reference's.
  IREE_CY_HAL_SEMAPHORE_FLAG_HOST_ADVANCED = 1ull << 30,
  IREE_HAL_SEMAPHORE_FLAG_DEFAULT = IREE_HAL_SEMAPHORE_FLAG_HOST_INTERRUPT |
      IREE_HAL_SEMAPHORE_FLAG_EXPORTABLE_TIMEPOINTS,
};

// Payloads lie in [0, MAX_VALUE]; what iree_hal_semaphore_query gives for a
// failed semaphore is its status, with FAILURE_VALUE as the payload.
#define IREE_HAL_SEMAPHORE_MAX_VALUE (2147483647ull - 1)
#define IREE_HAL_SEMAPHORE_FAILURE_VALUE (IREE_HAL_SEMAPHORE_MAX_VALUE + 1)

// Semaphores with a payload each, borrowed.
typedef struct iree_hal_semaphore_list_t {
  iree_host_size_t count;
  iree_hal_semaphore_t** semaphores;
  uint64_t* payload_values;
} iree_hal_semaphore_list_t;
static inline iree_hal_semaphore_list_t iree_hal_semaphore_list_empty(void) {
  iree_hal_semaphore_list_t list = {0, NULL, NULL};
  return list;
}

typedef uint32_t iree_hal_wait_mode_t;
enum iree_hal_wait_mode_e {
  IREE_HAL_WAIT_MODE_ALL = 0,
  IREE_HAL_WAIT_MODE_ANY = 1,
};

IREE_API_EXPORT iree_status_t iree_hal_semaphore_create(
    iree_hal_device_t* device, iree_hal_queue_affinity_t queue_affinity,
    uint64_t initial_value, iree_hal_semaphore_flags_t flags,
    iree_hal_semaphore_t** out_semaphore);
IREE_API_EXPORT void iree_hal_semaphore_retain(iree_hal_semaphore_t* semaphore);
IREE_API_EXPORT void iree_hal_semaphore_release(
    iree_hal_semaphore_t* semaphore);

// The payload now, or a clone of the failure.
IREE_API_EXPORT iree_status_t
iree_hal_semaphore_query(iree_hal_semaphore_t* semaphore, uint64_t* out_value);
// Advances to |new_value|, which must be greater (else INVALID_ARGUMENT), wakes
// waiters, and runs on this thread what waited for it. A failed semaphore
// stays failed and gives its failure.
IREE_API_EXPORT iree_status_t
iree_hal_semaphore_signal(iree_hal_semaphore_t* semaphore, uint64_t new_value);
// Takes |status| (not OK) and fails all that waits now and later. The first
// failure stays.
IREE_API_EXPORT void iree_hal_semaphore_fail(iree_hal_semaphore_t* semaphore,
                                             iree_status_t status);
// Blocks until the payload is at least |value|; DEADLINE_EXCEEDED after
// |timeout|, and then everything stays usable; the failure when it fails.
IREE_API_EXPORT iree_status_t
iree_hal_semaphore_wait(iree_hal_semaphore_t* semaphore, uint64_t value,
                        iree_timeout_t timeout, iree_hal_wait_flags_t flags);

IREE_API_EXPORT void iree_hal_semaphore_list_retain(
    iree_hal_semaphore_list_t list);
IREE_API_EXPORT void iree_hal_semaphore_list_release(
    iree_hal_semaphore_list_t list);
// A copy that retains each semaphore, in one allocation; freed by _free.
IREE_API_EXPORT iree_status_t iree_hal_semaphore_list_clone(
    iree_hal_semaphore_list_t list, iree_allocator_t host_allocator,
    iree_hal_semaphore_list_t* out_list);
IREE_API_EXPORT void iree_hal_semaphore_list_free(
    iree_hal_semaphore_list_t list, iree_allocator_t host_allocator);
// OK when all are reached, DEFERRED (no message, free to make) when one is not,
// the failure when one has failed. Never blocks.
IREE_API_EXPORT iree_status_t
iree_hal_semaphore_list_poll(iree_hal_semaphore_list_t list);
// Signals each to its payload; joins failures.
IREE_API_EXPORT iree_status_t
iree_hal_semaphore_list_signal(iree_hal_semaphore_list_t list);
// Takes |status| and fails each with it.
IREE_API_EXPORT void iree_hal_semaphore_list_fail(
    iree_hal_semaphore_list_t list, iree_status_t status);
// Blocks until all (or any) are reached.
IREE_API_EXPORT iree_status_t iree_hal_semaphore_list_wait(
    iree_hal_semaphore_list_t list, iree_hal_wait_mode_t wait_mode,
    iree_timeout_t timeout, iree_hal_wait_flags_t flags);

// Called once when waits are decided. Takes |status|: OK, or the failure.
typedef void (*iree_hal_semaphore_callback_fn_t)(void* user_data,
                                                 iree_status_t status);

// Calls |callback| exactly once, when every payload in |list| is reached or one
// of them has failed: before this returns when it is so already, else on the
// thread that makes it so, with no lock held, after the outermost signal on
// that thread has done its own work (so that chains run from a list and never
// recurse). The callback may compute, submit and signal. How a driver parks an
// operation, and how it waits for semaphores that are not its own. The
// semaphores are not kept alive: one that is destroyed before its payload is
// reached fails the wait with ABORTED. Failure to begin leaves nothing behind.
IREE_API_EXPORT iree_status_t iree_hal_semaphore_list_notify(
    iree_hal_semaphore_list_t list, iree_hal_semaphore_callback_fn_t callback,
    void* user_data, iree_allocator_t host_allocator);

typedef struct iree_hal_semaphore_timepoint_t iree_hal_semaphore_timepoint_t;

// Called once when a timepoint is decided, on any thread, no lock held. Must
// not block or run long (iree_cy_defer is for that). Takes |status|.
typedef void (*iree_hal_semaphore_timepoint_fn_t)(
    void* user_data, iree_hal_semaphore_timepoint_t* timepoint,
    iree_status_t status);

// One wait for one payload, embedded by the one who waits; it stays in place
// until the callback or a successful cancel.
struct iree_hal_semaphore_timepoint_t {
  iree_hal_semaphore_timepoint_t* next;
  iree_hal_semaphore_timepoint_t* previous;
  uint64_t minimum_value;
  iree_hal_semaphore_timepoint_fn_t callback;
  void* user_data;
  uintptr_t reserved[2];
};

// Calls back when the payload is at least |minimum_value| or the semaphore has
// failed; before this returns when it is so already.
IREE_API_EXPORT void iree_hal_semaphore_acquire_timepoint(
    iree_hal_semaphore_t* semaphore, uint64_t minimum_value,
    iree_hal_semaphore_timepoint_fn_t callback, void* user_data,
    iree_hal_semaphore_timepoint_t* out_timepoint);
// True: it will not be called, and |timepoint| is the caller's again. False: it
// has been called or is being called just now.
IREE_API_EXPORT bool iree_hal_semaphore_cancel_timepoint(
    iree_hal_semaphore_t* semaphore, iree_hal_semaphore_timepoint_t* timepoint);

// Runs |fn(user_data)| on this thread when the outermost signal or fail on it
// has called back all its timepoints; at once when there is none.
typedef void (*iree_cy_deferred_fn_t)(void* user_data);
typedef struct iree_cy_deferred_t iree_cy_deferred_t;
struct iree_cy_deferred_t {
  iree_cy_deferred_t* next;
  iree_cy_deferred_fn_t fn;
  void* user_data;
  uintptr_t reserved;
};
// |deferred| is embedded by the caller and stays in place until |fn| begins.
IREE_API_EXPORT void iree_cy_defer(iree_cy_deferred_fn_t fn, void* user_data,
                                   iree_cy_deferred_t* deferred);

typedef struct iree_hal_semaphore_vtable_t {
  iree_cy_vtable_header_t header;
  // Required. Calls iree_hal_semaphore_deinitialize first.
  void (*destroy)(iree_hal_semaphore_t* semaphore);
  // Default: nothing. Brings the base up to date (iree_hal_semaphore_publish)
  // before a query or poll; must not block.
  iree_status_t (*refresh)(iree_hal_semaphore_t* semaphore);
  // Default: iree_hal_semaphore_publish. Signals the native handle from the
  // host, and publishes.
  iree_status_t (*signal)(iree_hal_semaphore_t* semaphore, uint64_t new_value);
  // Default: nothing. Told after the base has failed; tells the native side.
  void (*failed)(iree_hal_semaphore_t* semaphore);
  // Default: waits on the base. For drivers that can wait better, on a native
  // handle.
  iree_status_t (*wait)(iree_hal_semaphore_t* semaphore, uint64_t value,
                        iree_timeout_t timeout, iree_hal_wait_flags_t flags);
  // Reserved. Default: UNIMPLEMENTED.
  iree_status_t (*import_timepoint)(iree_hal_semaphore_t* semaphore,
                                    uint64_t value, uint32_t type,
                                    uint64_t handle);
  iree_status_t (*export_timepoint)(iree_hal_semaphore_t* semaphore,
                                    uint64_t value, uint32_t type,
                                    uint64_t* out_handle);
  // Default: nothing. Told, with no lock held and on any thread, that somebody
  // begins to wait on the base for |value|, which was not reached just before,
  // and will not poll: by a timepoint (iree_hal_semaphore_list_notify, waits
  // for several) or in the default wait. A driver whose base does not advance
  // by itself arranges for iree_hal_semaphore_publish (or _fail) to be called
  // when the device gets there; it may call it at once. Told once for each
  // wait, and not when one ends early. Must not block. Without it the base must
  // advance by itself: whatever signals the device's side also publishes.
  void (*watch)(iree_hal_semaphore_t* semaphore, uint64_t value);
} iree_hal_semaphore_vtable_t;

// What a driver embeds first. All of it is the host's.
struct iree_hal_semaphore_t {
  iree_hal_resource_t resource;
  // Payload; atomic.
  uint64_t current_value;
  // The failure, or OK; atomic, set once.
  iree_status_t failure;
  iree_hal_semaphore_flags_t flags;
  // A leaf lock, a count of host waiters, a futex word.
  uint32_t lock;
  uint32_t waiter_count;
  uint32_t epoch;
  uint32_t reserved0;
  iree_hal_semaphore_timepoint_t* timepoints;
  // Borrowed, and good only while somebody else keeps the device: a semaphore
  // may outlive it. For comparing with a device that is known to be alive. A
  // driver whose semaphores need their device keeps it in its own part.
  iree_hal_device_t* device;
  uintptr_t reserved[4];
};

IREE_API_EXPORT void iree_hal_semaphore_initialize(
    const iree_hal_semaphore_vtable_t* vtable, iree_hal_device_t* device,
    uint64_t initial_value, iree_hal_semaphore_flags_t flags,
    iree_hal_semaphore_t* semaphore);
// Fails what still waits with ABORTED and frees what the base holds.
IREE_API_EXPORT void iree_hal_semaphore_deinitialize(
    iree_hal_semaphore_t* semaphore);
// Advances the base (to the same value or a lower one: nothing), wakes and
// calls back. For drivers, when the device has signalled.
IREE_API_EXPORT void iree_hal_semaphore_publish(iree_hal_semaphore_t* semaphore,
                                                uint64_t new_value);

IREE_CY_EXTERN_C_END

#endif  // IREE_CY_HAL_SEMAPHORE_H_
