# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Fills buffers by way of the C API.
# cython: language_level=3
# cython: freethreading_compatible=True
"""Fill a buffer: work of a queue, submitted and waited for without the GIL."""

from libc.stdint cimport int32_t, uint64_t

from iree_cy._core cimport (
    IREE_HAL_QUEUE_AFFINITY_ANY,
    IREE_HAL_SEMAPHORE_FLAG_DEFAULT,
    HalBuffer,
    HalBufferView,
    HalDevice,
    check_status,
    iree_cy_import,
    iree_hal_buffer_byte_length,
    iree_hal_buffer_view_shape_dims,
    iree_hal_buffer_view_shape_rank,
    iree_hal_device_queue_fill,
    iree_hal_semaphore_create,
    iree_hal_semaphore_list_t,
    iree_hal_semaphore_release,
    iree_hal_semaphore_t,
    iree_hal_semaphore_wait,
    iree_infinite_timeout,
    iree_status_t,
)

# The functions above go through the host table: it is there from here on.
iree_cy_import()


def fill(HalDevice device not None, HalBuffer buffer not None, int32_t value):
    """Fill a buffer with 32-bit integers, and wait until that is done.

    Parameters
    ----------
    device
        The device.
    buffer
        A buffer of a whole number of 32-bit integers.
    value
        The integer.
    """
    cdef iree_hal_semaphore_t* semaphore = NULL
    cdef iree_hal_semaphore_list_t waits, signals
    cdef uint64_t payload = 1
    cdef iree_status_t status
    check_status(
        iree_hal_semaphore_create(
            device._handle, IREE_HAL_QUEUE_AFFINITY_ANY, 0, IREE_HAL_SEMAPHORE_FLAG_DEFAULT, &semaphore
        )
    )
    waits.count = 0
    signals.count = 1
    signals.semaphores = &semaphore
    signals.payload_values = &payload
    try:
        with nogil:
            status = iree_hal_device_queue_fill(
                device._handle,
                IREE_HAL_QUEUE_AFFINITY_ANY,
                waits,
                signals,
                buffer._handle,
                0,
                iree_hal_buffer_byte_length(buffer._handle),
                &value,
                sizeof(value),
                0,
            )
            check_status(status)
            status = iree_hal_semaphore_wait(semaphore, payload, iree_infinite_timeout(), 0)
        check_status(status)
    finally:
        iree_hal_semaphore_release(semaphore)


def element_count(HalBufferView view not None):
    """Return how many elements a buffer view has.

    Parameters
    ----------
    view
        The view.
    """
    cdef uint64_t count = 1
    for i in range(iree_hal_buffer_view_shape_rank(view._handle)):
        count *= iree_hal_buffer_view_shape_dims(view._handle)[i]
    return count
