# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns how threads share counts and flags of Python objects.

# Where there is a GIL it guards them. Where there is none each access is atomic, and all are in one order that every
# thread sees: of two threads that each write one thing and then read the other's, one at least sees what is written.
cdef extern from *:
    """
    #if defined(Py_GIL_DISABLED)
    #define iree_cy_shared_add(place, n) ((void)__atomic_add_fetch((place), (n), __ATOMIC_SEQ_CST))
    #define iree_cy_shared_load(place) __atomic_load_n((place), __ATOMIC_SEQ_CST)
    #define iree_cy_shared_store(place, value) __atomic_store_n((place), (value), __ATOMIC_SEQ_CST)
    #else
    #define iree_cy_shared_add(place, n) ((void)(*(place) += (n)))
    #define iree_cy_shared_load(place) (*(place))
    #define iree_cy_shared_store(place, value) ((void)(*(place) = (value)))
    #endif
    // Counts of references are written without the GIL.
    #define iree_cy_count_load(place) __atomic_load_n((place), __ATOMIC_SEQ_CST)
    """
    void add_shared "iree_cy_shared_add"(int64_t* place, int64_t n) noexcept nogil
    int64_t load_shared "iree_cy_shared_load"(int64_t* place) noexcept nogil
    bint load_flag "iree_cy_shared_load"(bint* place) noexcept nogil
    void store_flag "iree_cy_shared_store"(bint* place, bint value) noexcept nogil
    int32_t load_count "iree_cy_count_load"(int32_t* place) noexcept nogil


# Flags are raised and stay so: one that is there is not written again, for others read it.
cdef inline void raise_flag(bint* flag) noexcept nogil:
    if not load_flag(flag):
        store_flag(flag, True)
