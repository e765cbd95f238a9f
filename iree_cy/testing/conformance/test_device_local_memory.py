# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the area device-local-memory: memory that is the device's own.
"""Area device-local-memory: buffers of the device's own memory, whether or not the host can see it."""

from __future__ import annotations

import pytest

import iree_cy as rt
from iree_cy.testing.conformance._support import STAGING_TYPE, STAGING_USAGE, Work, pattern_bytes, told

SIZE = 1 << 16
HEADER = "hal/allocator.h"


def test_is_device_local(work: Work) -> None:
    """Memory that is asked for as the device's own is that, and can be allocated."""
    kind, usage = rt.MemoryType.DEVICE_LOCAL, rt.BufferUsage.DEFAULT
    answer = work.device.allocator.query_buffer_compatibility(kind, usage, usage, SIZE)
    assert answer & rt.BufferCompatibility.ALLOCATABLE, told("cannot allocate DEVICE_LOCAL", "it", HEADER)
    got = work.buffer(SIZE, kind, usage).memory_type()
    assert got & kind == kind, told(f"gave {rt.MemoryType(got)!r} for {kind!r}", "all of it", HEADER)


def test_queue_alloca_is_device_local(work: Work) -> None:
    """queue_alloca gives memory of the device."""
    buffer = work.device.queue_alloca(SIZE, None, work.next())
    work.finish()
    wanted = rt.MemoryType.DEVICE_VISIBLE
    assert buffer.memory_type() & wanted == wanted, told(
        f"gave {rt.MemoryType(buffer.memory_type())!r}", "memory that the device sees", HEADER
    )


@pytest.mark.parametrize("size", [1, 4097, SIZE])
def test_bytes_go_there_and_back(work: Work, size: int) -> None:
    """What is staged and copied into the device's memory comes back as it was, by queues alone."""
    contents = pattern_bytes(size)
    up = work.buffer(contents, STAGING_TYPE, STAGING_USAGE)
    inner = [work.buffer(size, rt.MemoryType.DEVICE_LOCAL, rt.BufferUsage.TRANSFER) for _ in range(2)]
    down = work.staging(size)
    chain = work.semaphore()
    for step, (source, target) in enumerate([(up, inner[0]), (inner[0], inner[1]), (inner[1], down)]):
        work.device.queue_copy(source, target, [(chain, step)], [(chain, step + 1)])
    work.finish([(chain, 3)])
    work.check(down, contents, "a way through two buffers of the device", HEADER)


def test_host_copies_reach_it(work: Work) -> None:
    """allocate_buffer_copy writes host memory there, whoever has to do it."""
    contents = pattern_bytes(SIZE)
    buffer = work.device.allocator.allocate_buffer_copy(
        rt.MemoryType.DEVICE_LOCAL, rt.BufferUsage.DEFAULT, work.device, contents
    )
    work.check(buffer, contents, "a copy of host memory into the device's", HEADER)
