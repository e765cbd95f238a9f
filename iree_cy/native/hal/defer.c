// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Owns the list of what a thread has put off.

#include "iree_cy/native/hal/defer.h"

#include "iree_cy/native/hal/call_scope.h"

typedef struct iree_cy_defer_list_t {
  uint32_t depth;
  iree_cy_deferred_t* head;
  iree_cy_deferred_t* tail;
} iree_cy_defer_list_t;

static _Thread_local iree_cy_defer_list_t iree_cy_defer_list = {0};

// Within a scope, so that what runs adds to this list instead of recursing.
static void iree_cy_defer_drain(iree_cy_defer_list_t* list) {
  if (!list->head) return;
  // It is not the work of the call that this thread makes.
  iree_hal_call_scope_t* scope = iree_hal_call_scope_swap(NULL);
  while (list->head) {
    iree_cy_deferred_t* deferred = list->head;
    list->head = deferred->next;
    if (!list->head) list->tail = NULL;
    // |deferred| may be gone as soon as |fn| begins.
    deferred->fn(deferred->user_data);
  }
  iree_hal_call_scope_swap(scope);
}

void iree_cy_defer_scope_enter(void) { ++iree_cy_defer_list.depth; }

void iree_cy_defer_scope_leave(void) {
  iree_cy_defer_list_t* list = &iree_cy_defer_list;
  if (list->depth == 1) iree_cy_defer_drain(list);
  --list->depth;
}

void iree_cy_defer_flush(void) {
  iree_cy_defer_list_t* list = &iree_cy_defer_list;
  if (!list->head) return;
  ++list->depth;
  iree_cy_defer_drain(list);
  --list->depth;
}

void iree_cy_defer(iree_cy_deferred_fn_t fn, void* user_data,
                   iree_cy_deferred_t* deferred) {
  iree_cy_defer_list_t* list = &iree_cy_defer_list;
  if (list->depth == 0) {
    fn(user_data);
    return;
  }
  deferred->next = NULL;
  deferred->fn = fn;
  deferred->user_data = user_data;
  if (list->tail) {
    list->tail->next = deferred;
  } else {
    list->head = deferred;
  }
  list->tail = deferred;
}
