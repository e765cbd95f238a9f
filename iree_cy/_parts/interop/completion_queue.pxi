# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns _CompletionQueue: what an event loop watches to learn of what other threads have completed.

cdef extern from "iree_cy/native/base/completion_queue.h" nogil:
    ctypedef struct iree_cy_completion_queue_t:
        pass
    ctypedef struct iree_cy_completion_t:
        iree_cy_completion_t* next
        uint64_t key
        iree_status_t status
    iree_status_t iree_cy_completion_queue_create(iree_cy_completion_queue_t** out_queue)
    void iree_cy_completion_queue_release(iree_cy_completion_queue_t* queue)
    int iree_cy_completion_queue_descriptor(const iree_cy_completion_queue_t* queue)
    bint iree_cy_completion_queue_is_inherited(const iree_cy_completion_queue_t* queue)
    void iree_cy_completion_queue_close(iree_cy_completion_queue_t* queue)
    iree_cy_completion_t* iree_cy_completion_queue_take(iree_cy_completion_queue_t* queue)
    iree_status_t iree_cy_completion_create(
        iree_cy_completion_queue_t* queue, uint64_t key, iree_cy_completion_t** out_completion
    )
    void iree_cy_completion_free(iree_cy_completion_t* completion)
    void iree_cy_completion_complete(void* completion, iree_status_t status) noexcept
    void iree_cy_completion_succeed(void* completion) noexcept


@cython.final
cdef class _CompletionQueue:
    cdef iree_cy_completion_queue_t* _handle
    cdef object __weakref__

    def __cinit__(self):
        check_status(iree_cy_completion_queue_create(&self._handle))

    def fileno(self):
        """Return the descriptor that is readable while there is something to take."""
        return iree_cy_completion_queue_descriptor(self._handle)

    @property
    def is_inherited(self):
        """Whether this is a forked child and the queue is its parent's."""
        return iree_cy_completion_queue_is_inherited(self._handle)

    def take(self):
        """Return what has completed: a list of pairs of a key and None or an exception."""
        cdef iree_cy_completion_t* completion = iree_cy_completion_queue_take(self._handle)
        cdef iree_cy_completion_t* next
        cdef iree_status_t status
        taken = []
        try:
            while completion != NULL:
                status = completion.status
                completion.status = NULL
                taken.append((completion.key, None if status == NULL else exception_of_status(status)))
                next = completion.next
                iree_cy_completion_free(completion)
                completion = next
        finally:
            while completion != NULL:
                next = completion.next
                iree_cy_completion_free(completion)
                completion = next
        return taken

    def expect_semaphore(self, key, HalSemaphore semaphore not None, payload):
        """Complete `key` when the payload is reached, or has failed. The semaphore is kept by the caller."""
        cdef uint64_t value = index_of(payload)
        cdef iree_hal_semaphore_list_t c_list
        c_list.count = 1
        c_list.semaphores = &semaphore._handle
        c_list.payload_values = &value
        self._expect(key, c_list)

    def expect_fence(self, key, HalFence fence not None):
        """Complete `key` when the fence is reached, or has failed. The fence is kept by the caller."""
        self._expect(key, iree_hal_fence_semaphore_list(fence._handle))

    cdef int _expect(self, uint64_t key, iree_hal_semaphore_list_t c_list) except -1:
        cdef iree_cy_completion_t* completion = NULL
        cdef iree_status_t status
        check_status(iree_cy_completion_create(self._handle, key, &completion))
        with nogil:
            status = iree_hal_semaphore_list_notify(
                c_list, iree_cy_completion_complete, completion, iree_allocator_system()
            )
        if status != NULL:
            iree_cy_completion_free(completion)
        return check_status(status)

    def __dealloc__(self):
        if self._handle != NULL:
            iree_cy_completion_queue_close(self._handle)
            iree_cy_completion_queue_release(self._handle)
