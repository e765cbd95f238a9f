# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the area transfers: fill, copy and update of queues, at odd offsets and in odd sizes.
"""Area transfers: a queue writes the bytes that it is told to, and no other."""

from __future__ import annotations

import pytest

import iree_cy as rt
from iree_cy.testing.conformance._support import Work, pattern_bytes, put, same

SIZE = 256
RANGES = ((0, SIZE), (0, 1), (1, 1), (3, 5), (7, 64), (17, 99), (SIZE - 1, 1), (100, 0), (SIZE, 0))


def _filled(before: bytes, pattern: bytes, offset: int, length: int) -> bytes:
    return before[:offset] + pattern * (length // len(pattern)) + before[offset + length :]


@pytest.mark.parametrize("pattern", [b"\xa5", b"\x01\x02", b"\x10\x20\x30\x40"], ids=len)
def test_fill_of_a_whole_buffer(work: Work, pattern: bytes) -> None:
    """queue_fill repeats a pattern of 1, 2 or 4 bytes to the end."""
    buffer = work.buffer(pattern_bytes(SIZE))
    work.device.queue_fill(buffer, pattern, None, work.next())
    work.finish()
    work.check(buffer, pattern * (SIZE // len(pattern)), f"queue_fill with {pattern.hex()}")


@pytest.mark.parametrize(("offset", "length"), RANGES)
@pytest.mark.parametrize("pattern", [b"\xa5", b"\x01\x02", b"\x10\x20\x30\x40"], ids=len)
def test_fill_of_a_range(work: Work, pattern: bytes, offset: int, length: int) -> None:
    """queue_fill writes from its offset for its length, both multiples of the pattern, and nothing beside."""
    count = len(pattern)
    offset, length = offset // count * count, length // count * count
    before = pattern_bytes(SIZE)
    buffer = work.buffer(before)
    work.device.queue_fill(buffer, pattern, None, work.next(), offset=offset, length=length)
    work.finish()
    work.check(buffer, _filled(before, pattern, offset, length), f"queue_fill at {offset} of {length} bytes")


@pytest.mark.parametrize(("offset", "length"), RANGES)
def test_update_of_a_range(work: Work, offset: int, length: int) -> None:
    """queue_update writes host bytes at any offset, in any number."""
    before, source = pattern_bytes(SIZE), pattern_bytes(length, seed=2)
    buffer = work.buffer(before)
    work.device.queue_update(source, buffer, None, work.next(), target_offset=offset)
    work.finish()
    work.check(buffer, before[:offset] + source + before[offset + length :], f"queue_update at {offset} of {length}")


def test_update_takes_the_bytes_at_once(work: Work) -> None:
    """The host memory of an update is the caller's again when the call returns, though the operation still waits."""
    expected = pattern_bytes(SIZE)
    source = bytearray(expected)
    buffer = work.buffer(SIZE)
    gate = work.semaphore()
    work.device.queue_update(source, buffer, [(gate, 1)], work.next())
    source[:] = bytes(SIZE)
    gate.signal(1)
    work.finish()
    work.check(buffer, expected, "queue_update whose source changed after the call")


@pytest.mark.parametrize(
    ("source_offset", "target_offset", "length"),
    [(0, 0, SIZE), (0, 1, 1), (1, 0, 1), (3, 7, 31), (100, 5, 99), (0, SIZE, 0), (SIZE, 0, 0), (SIZE - 1, 0, 1)],
)
def test_copy_of_a_range(work: Work, source_offset: int, target_offset: int, length: int) -> None:
    """queue_copy moves bytes between buffers at any offsets, in any number, and leaves the source."""
    source, before = pattern_bytes(SIZE), pattern_bytes(SIZE, seed=2)
    from_buffer, to_buffer = work.buffer(source), work.buffer(before)
    work.device.queue_copy(
        from_buffer,
        to_buffer,
        None,
        work.next(),
        source_offset=source_offset,
        target_offset=target_offset,
        length=length,
    )
    work.finish()
    expected = bytearray(before)
    expected[target_offset : target_offset + length] = source[source_offset : source_offset + length]
    what = f"queue_copy of {length} bytes from {source_offset} to {target_offset}"
    work.check(to_buffer, bytes(expected), what)
    work.check(from_buffer, source, f"{what}, in the source")


def test_copy_within_a_buffer(work: Work) -> None:
    """Source and target may be one buffer when the ranges are apart."""
    contents = pattern_bytes(SIZE)
    buffer = work.buffer(contents)
    work.device.queue_copy(buffer, buffer, None, work.next(), source_offset=3, target_offset=101, length=50)
    work.finish()
    work.check(buffer, contents[:101] + contents[3:53] + contents[151:], "queue_copy within one buffer")


def test_transfers_of_subspans(work: Work) -> None:
    """Offsets are relative to the buffer that is given, which may be a subspan."""
    contents, other = pattern_bytes(SIZE), pattern_bytes(SIZE, seed=2)
    buffer, source = work.buffer(contents), work.buffer(other)
    part = buffer.subspan(12, 100)
    work.device.queue_fill(part, b"\x07", None, work.next(), offset=4, length=8)
    work.finish()
    work.device.queue_update(b"abcde", part, None, work.next(), target_offset=21)
    work.finish()
    work.device.queue_copy(source.subspan(9, 50), part, None, work.next(), source_offset=1, target_offset=51, length=9)
    work.finish()
    expected = bytearray(contents)
    expected[16:24] = b"\x07" * 8
    expected[33:38] = b"abcde"
    expected[63:72] = other[10:19]
    work.check(buffer, bytes(expected), "transfers to a subspan")


@pytest.mark.parametrize("size", [65537, (1 << 22) + 3])
def test_large_transfers(work: Work, size: int) -> None:
    """Sizes above what a driver may do in one piece."""
    contents = pattern_bytes(size)
    source, target = work.buffer(size), work.buffer(size)
    work.device.queue_update(contents, source, None, work.next())
    work.finish()
    work.device.queue_copy(source, target, None, work.next())
    work.finish()
    work.check(target, contents, f"an update and a copy of {size} bytes")
    work.device.queue_fill(target, b"\x5a", None, work.next(), offset=1, length=size - 2)
    work.finish()
    work.check(target, contents[:1] + b"\x5a" * (size - 2) + contents[-1:], f"a fill of {size - 2} bytes")


def test_transfers_of_queue_alloca(work: Work) -> None:
    """A buffer of queue_alloca is like any other for what waits for its signals."""
    contents = pattern_bytes(SIZE)
    allocated = work.next()
    buffer = work.device.queue_alloca(SIZE, None, allocated)
    same(buffer.byte_length(), SIZE, "the length of a buffer of queue_alloca", "hal/device.h")
    written = work.next()
    work.device.queue_update(contents, buffer, allocated, written)
    work.finish()
    work.check(buffer, contents, "queue_alloca and queue_update")
    work.device.queue_dealloca(buffer, written, work.next())
    work.finish()


def test_staging_and_device_memory(work: Work) -> None:
    """Bytes go from staging memory to the device's and back."""
    contents = pattern_bytes(SIZE)
    up, down = work.staging(SIZE), work.staging(SIZE)
    inner = work.buffer(SIZE, rt.MemoryType.DEVICE_LOCAL)
    put(up, contents)
    work.device.queue_copy(up, inner, None, work.next())
    work.finish()
    work.device.queue_copy(inner, down, None, work.next())
    work.finish()
    work.check(down, contents, "a way through device memory")
