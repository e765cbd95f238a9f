# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns calls from C into Python, and what becomes of them when the interpreter ends.

# When the interpreter ends, a thread that asks for the GIL ends right there, or hangs. So C frames of
# ours may lie below a request for it only through call_python, behind which a thread that would end
# sleeps for ever instead, its stack whole: other threads may still use what lies there. And threads
# that are not Python's own, such as those of a device, never ask for it: what they have to give back
# is put on a list, for Python's main thread.
cdef extern from *:
    """
    #include <pthread.h>
    #include <stdlib.h>

    #if PY_VERSION_HEX < 0x030D0000
    #define Py_IsFinalizing _Py_IsFinalizing
    #endif

    typedef struct iree_cy_put_off_t {
      struct iree_cy_put_off_t* next;
      void (*fn)(void*);
      void* user_data;
    } iree_cy_put_off_t;

    static iree_cy_put_off_t* iree_cy_put_off_list = NULL;
    static int iree_cy_put_off_is_scheduled = 0;

    static bool iree_cy_python_is_ending(void) { return Py_IsFinalizing(); }

    static void iree_cy_gate_park_cleanup(void* unused) {
      (void)unused;
      iree_cy_gate_park();
    }

    // Calls |fn| with the GIL.
    static void iree_cy_call_python(void (*fn)(void*), void* user_data) {
      pthread_cleanup_push(iree_cy_gate_park_cleanup, NULL);
      PyGILState_STATE state = PyGILState_Ensure();
      fn(user_data);
      PyGILState_Release(state);
      pthread_cleanup_pop(0);
    }

    // With the GIL.
    static int iree_cy_do_put_off(void* unused) {
      (void)unused;
      __atomic_store_n(&iree_cy_put_off_is_scheduled, 0, __ATOMIC_SEQ_CST);
      iree_cy_put_off_t* item =
          __atomic_exchange_n(&iree_cy_put_off_list, NULL, __ATOMIC_SEQ_CST);
      while (item) {
        iree_cy_put_off_t* next = item->next;
        item->fn(item->user_data);
        free(item);
        item = next;
      }
      return 0;
    }

    static void iree_cy_put_off(void (*fn)(void*), void* user_data) {
      iree_cy_put_off_t* item = (iree_cy_put_off_t*)malloc(sizeof(*item));
      // Without memory the reference stays.
      if (!item) return;
      item->fn = fn;
      item->user_data = user_data;
      item->next = __atomic_load_n(&iree_cy_put_off_list, __ATOMIC_RELAXED);
      while (!__atomic_compare_exchange_n(&iree_cy_put_off_list, &item->next, item, 1,
                                          __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
      }
      if (__atomic_exchange_n(&iree_cy_put_off_is_scheduled, 1, __ATOMIC_SEQ_CST)) return;
      // Where there is no room, the next one tries again.
      if (Py_AddPendingCall(iree_cy_do_put_off, NULL) != 0) {
        __atomic_store_n(&iree_cy_put_off_is_scheduled, 0, __ATOMIC_SEQ_CST);
      }
    }
    """
    bint python_is_ending "iree_cy_python_is_ending"() noexcept nogil
    # `fn` raises nothing.
    void call_python "iree_cy_call_python"(void (*fn)(void*) noexcept, void* user_data) noexcept nogil
    void put_off "iree_cy_put_off"(void (*fn)(void*) noexcept, void* user_data) noexcept nogil
    int do_put_off "iree_cy_do_put_off"(void* unused) noexcept
    void* PyGILState_GetThisThreadState() nogil


# How long the end of the process waits for work under way.
cdef int64_t EXIT_PATIENCE_NS = 5_000_000_000

# The thread that ends the interpreter; 0 before.
cdef unsigned long _ending_thread = 0


def _note_end():
    global _ending_thread
    _ending_thread = PyThread_get_thread_ident()


def _do_put_off():
    """Do what was put off, in a forked child: what was scheduled to do it may be forgotten there."""
    do_put_off(NULL)


# After the last Python code has run.
cdef void close_gate() noexcept nogil:
    iree_cy_gate_close(EXIT_PATIENCE_NS)


# Whether C code on this thread may still call Python.
cdef inline bint gate_is_open() noexcept nogil:
    return not iree_cy_gate_is_closed() and Py_IsInitialized() != 0


# OK, or ABORTED for another thread than the one that ends the interpreter.
cdef inline iree_status_t check_ending() noexcept nogil:
    if not python_is_ending() or _ending_thread == PyThread_get_thread_ident():
        return iree_ok_status()
    return iree_status_allocate(IREE_STATUS_ABORTED, NULL, 0, iree_make_cstring_view("the process is exiting"))


# Calls `fn` with the GIL, now or, on a thread that is not Python's, later; never when the interpreter ends.
cdef inline void give_to_python(void (*fn)(void*) noexcept, void* user_data) noexcept nogil:
    if not gate_is_open():
        return
    if PyGILState_GetThisThreadState() != NULL:
        call_python(fn, user_data)
    else:
        put_off(fn, user_data)


cdef void decref(void* reference) noexcept:
    Py_DECREF(<object>reference)


# Drops a reference that C code kept; nothing at all when the interpreter is gone.
cdef void drop_reference(void* reference) noexcept nogil:
    if reference != NULL:
        give_to_python(decref, reference)
