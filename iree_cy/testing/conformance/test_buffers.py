# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the area buffers: allocator, buffers, mappings and subspans.
"""Area buffers: memory is what was asked for, and counted."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import iree_cy as rt
from iree_cy.testing.conformance._support import (
    STAGING_TYPE,
    STAGING_USAGE,
    Work,
    check_bytes,
    expect_error,
    pattern_bytes,
    put,
    same,
    seen,
    told,
)

SIZES = (0, 1, 3, 63, 64, 65, 4095, 4097, 1 << 20)


@pytest.mark.parametrize("size", SIZES)
def test_has_the_length_that_was_asked_for(work: Work, size: int) -> None:
    """The byte length is what was asked for, whatever the allocation takes."""
    for kind, usage in ((rt.MemoryType.DEVICE_LOCAL, rt.BufferUsage.DEFAULT), (STAGING_TYPE, STAGING_USAGE)):
        buffer = work.buffer(size, kind, usage)
        assert buffer.byte_length() == size, told(
            f"gave {buffer.byte_length()} bytes for {size}", "the length that was asked for", "hal/buffer.h"
        )
        same(buffer.byte_offset(), 0, "the offset of a buffer that is no subspan", "hal/buffer.h")


def test_has_type_and_usage_that_were_asked_for(work: Work) -> None:
    """A buffer has at least the memory type and usage that were asked for."""
    for kind, usage in ((rt.MemoryType.DEVICE_VISIBLE, rt.BufferUsage.DEFAULT), (STAGING_TYPE, STAGING_USAGE)):
        buffer = work.buffer(16, kind, usage)
        wanted = kind & (rt.MemoryType.DEVICE_VISIBLE | rt.MemoryType.HOST_VISIBLE)
        assert buffer.memory_type() & wanted == wanted, told(
            f"gave {rt.MemoryType(buffer.memory_type())!r} for {kind!r}", "all of it", "hal/allocator.h"
        )
        assert buffer.allowed_usage() & usage == usage, told(
            f"gave {rt.BufferUsage(buffer.allowed_usage())!r} for {usage!r}", "all of it", "hal/allocator.h"
        )


def test_says_what_it_can_allocate(work: Work) -> None:
    """What the allocator says it can allocate it allocates, and transfers are among that."""
    for kind, usage in ((rt.MemoryType.DEVICE_LOCAL, rt.BufferUsage.TRANSFER), (STAGING_TYPE, STAGING_USAGE)):
        answer = work.device.allocator.query_buffer_compatibility(kind, usage, usage, 64)
        assert answer & rt.BufferCompatibility.ALLOCATABLE, told(
            f"says that it cannot allocate {kind!r} for {usage!r}", "memory for transfers", "hal/allocator.h"
        )
        same(work.buffer(64, kind, usage).byte_length(), 64, "the length of what it can allocate", "hal/allocator.h")


def test_too_much_is_refused(work: Work) -> None:
    """Memory that is not there is RESOURCE_EXHAUSTED (or out of the allocator's range), never a crash."""
    kinds = (rt.ResourceExhausted, rt.OutOfRange, rt.InvalidArgument)
    with expect_error(kinds, "an allocation of 2**62 bytes", "hal/allocator.h"):
        work.buffer(2**62)


def test_maps_what_the_host_can_see(work: Work) -> None:
    """A mapping shows the memory, and what is written there stays."""
    contents = pattern_bytes(1000)
    buffer = work.staging(1000)
    put(buffer, contents)
    check_bytes(seen(buffer), contents, "a write by mapping", "hal/buffer.h")


def test_map_sees_the_device(work: Work) -> None:
    """What the device has written is seen through a mapping made afterwards."""
    contents = pattern_bytes(777)
    buffer = work.staging(777)
    work.write(buffer, contents)
    check_bytes(seen(buffer), contents, "an update, through a mapping", "hal/buffer.h")


def test_fill_zero_by_the_host(work: Work) -> None:
    """The host writes a range through a mapping and nothing beside it."""
    contents = pattern_bytes(100)
    buffer = work.staging(100)
    put(buffer, contents)
    buffer.fill_zero(7, 31)
    check_bytes(work.read(buffer), contents[:7] + bytes(31) + contents[38:], "fill_zero(7, 31)", "hal/buffer.h")


@pytest.mark.parametrize(("offset", "length"), [(0, 64), (1, 63), (3, 5), (17, 0), (64, 0), (63, 1)])
def test_subspans_share_memory(work: Work, offset: int, length: int) -> None:
    """A subspan is a part of the memory: its offset and length, and what is written through it."""
    contents = pattern_bytes(64)
    buffer = work.staging(64)
    put(buffer, contents)
    part = buffer.subspan(offset, length)
    got = (part.byte_offset(), part.byte_length())
    assert got == (offset, length), told(f"gave a subspan at {got}", f"({offset}, {length})", "hal/buffer.h")
    check_bytes(work.read(part), contents[offset : offset + length], f"subspan({offset}, {length})", "hal/buffer.h")
    if length:
        part.map().asarray([1], np.uint8)[0] = contents[offset] ^ 0xFF
        changed = bytearray(contents)
        changed[offset] ^= 0xFF
        check_bytes(work.read(buffer), bytes(changed), "a write through a subspan", "hal/buffer.h")


def test_subspans_of_subspans(work: Work) -> None:
    """Offsets add up."""
    buffer = work.buffer(100).subspan(11, 60).subspan(7)
    assert (buffer.byte_offset(), buffer.byte_length()) == (18, 53), told(
        f"gave {buffer!r}", "offset 18 and length 53 of subspan(11, 60).subspan(7)", "hal/buffer.h"
    )


def test_memory_outlives_the_buffer_in_a_subspan(work: Work) -> None:
    """A subspan keeps the allocation."""
    contents = pattern_bytes(4096)
    buffer = work.buffer(contents)
    part = buffer.subspan(100, 50)
    del buffer
    gc.collect()
    other = work.buffer(4096)
    work.write(other, bytes(4096))
    work.check(part, contents[100:150], "the end of the buffer that a subspan is of", "hal/buffer.h")


def test_buffers_do_not_overlap(work: Work) -> None:
    """Each allocation has memory of its own, the odd sizes too."""
    sizes = [1, 3, 5, 17, 64, 100, 255, 1000]
    buffers = [work.buffer(pattern_bytes(size, seed)) for seed, size in enumerate(sizes)]
    for seed, buffer in enumerate(buffers):
        work.check(buffer, pattern_bytes(sizes[seed], seed), "writing to other buffers", "hal/allocator.h")


def test_counts_its_bytes(work: Work) -> None:
    """The allocator counts what is allocated and freed."""
    allocator = work.device.allocator

    def count(what: str) -> int:
        return sum(value for key, value in allocator.statistics.items() if key.endswith(what))

    allocated, freed = count("allocated"), count("freed")
    buffer = work.buffer(12345)
    grown = count("allocated") - allocated
    assert grown >= 12345, told(f"counted {grown} bytes for 12345", "its allocations counted", "hal/allocator.h")
    del buffer
    gc.collect()
    allocator.trim()
    given_back = count("freed") - freed
    assert given_back >= 12345, told(f"counted {given_back} freed bytes", "what is freed counted", "hal/allocator.h")


def test_trim_keeps_what_is_used(work: Work) -> None:
    """Trimming gives back what is unused, and nothing else."""
    contents = pattern_bytes(5000)
    buffer = work.buffer(contents)
    work.device.allocator.trim()
    work.device.trim()
    work.check(buffer, contents, "a trim", "hal/allocator.h")
