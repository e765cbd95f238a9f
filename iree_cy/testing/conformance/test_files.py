# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the area files: bytes go from files to buffers and back, in queue order.
"""Area files: queue_read and queue_write move bytes between files and buffers."""

from __future__ import annotations

import gc
import mmap
import tempfile
from typing import Any

import numpy as np
import pytest

import iree_cy as rt
from iree_cy.testing.conformance._support import Work, check_bytes, expect_error, pattern_bytes, same, told

SIZE = 512
RANGES = ((0, 0, SIZE), (3, 7, 100), (SIZE - 1, 0, 1), (0, SIZE - 1, 1), (SIZE, 0, 0))
HEADER = "hal/device.h"


@pytest.mark.parametrize(("file_offset", "offset", "length"), RANGES)
def test_read(work: Work, file_offset: int, offset: int, length: int) -> None:
    """queue_read writes a range of a file into a buffer, and nothing beside."""
    contents, before = pattern_bytes(SIZE), pattern_bytes(SIZE, seed=2)
    buffer = work.buffer(before)
    file = rt.HalFile(contents)
    work.device.queue_read(
        file, buffer, None, work.next(), source_offset=file_offset, target_offset=offset, length=length
    )
    work.finish()
    expected = before[:offset] + contents[file_offset : file_offset + length] + before[offset + length :]
    work.check(buffer, expected, f"queue_read of {length} bytes from {file_offset} to {offset}")


@pytest.mark.parametrize(("file_offset", "offset", "length"), RANGES)
def test_write(work: Work, file_offset: int, offset: int, length: int) -> None:
    """queue_write writes a range of a buffer into a file, and nothing beside."""
    contents, before = pattern_bytes(SIZE), pattern_bytes(SIZE, seed=2)
    memory: Any = np.frombuffer(before, np.uint8).copy()
    buffer = work.buffer(contents)
    file = rt.HalFile(memory, writable=True)
    work.device.queue_write(
        buffer, file, None, work.next(), source_offset=offset, target_offset=file_offset, length=length
    )
    work.finish()
    expected = before[:file_offset] + contents[offset : offset + length] + before[file_offset + length :]
    check_bytes(memory.tobytes(), expected, f"queue_write of {length} bytes from {offset} to {file_offset}", HEADER)


def test_files_wait_and_signal(work: Work) -> None:
    """Reads and writes wait for their waits, like everything else of a queue."""
    contents = pattern_bytes(SIZE)
    memory: Any = np.zeros(SIZE, np.uint8)
    buffer = work.buffer(bytes(SIZE))
    gate, chain = work.semaphore(), work.semaphore()
    work.device.queue_read(rt.HalFile(contents), buffer, [(gate, 1)], [(chain, 1)])
    work.device.queue_write(buffer, rt.HalFile(memory, writable=True), [(chain, 1)], [(chain, 2)])
    gc.collect()
    assert chain.query() == 0, told("read a file before its wait was reached", "the wait first", HEADER)
    same(bool(memory.any()), False, "a write whose wait is not reached", HEADER)
    gate.signal(1)
    work.finish([(chain, 2)])
    check_bytes(memory.tobytes(), contents, "a read and a write in a chain", HEADER)


def test_a_failed_wait_fails_a_read(work: Work) -> None:
    """A read whose wait failed does not run, and its signals fail."""
    before = pattern_bytes(SIZE)
    buffer = work.buffer(before)
    gate, done = work.semaphore(), work.semaphore()
    work.device.queue_read(rt.HalFile(bytes(SIZE)), buffer, [(gate, 1)], [(done, 1)])
    gate.fail("no file today")
    with expect_error(rt.Unknown, "a read whose wait failed", HEADER, "no file today"):
        done.wait(1, timeout=60_000_000_000)
    work.check(buffer, before, "a read whose wait failed")


def test_mapped_files(work: Work) -> None:
    """A file of the system, mapped, is read and written."""
    contents = pattern_bytes(8192)
    with tempfile.TemporaryFile() as file:
        file.write(contents)
        file.flush()
        with mmap.mmap(file.fileno(), 8192) as mapped:
            buffer = work.buffer(4096)
            half = rt.HalFile(mapped, writable=True)
            work.device.queue_read(half, buffer, None, work.next(), source_offset=4096)
            work.finish()
            work.check(buffer, contents[4096:], "a read of a mapped file")
            work.device.queue_write(buffer, half, None, work.next(), length=4096)
            work.finish()
            del half
            gc.collect()
        file.seek(0)
        check_bytes(file.read(), contents[4096:] * 2, "a write to a mapped file", HEADER)


def test_large_files(work: Work) -> None:
    """Sizes above what a driver may do in one piece."""
    size = (1 << 22) + 5
    contents = pattern_bytes(size)
    buffer = work.buffer(size)
    memory: Any = np.zeros(size, np.uint8)
    work.device.queue_read(rt.HalFile(contents), buffer, None, work.next())
    work.finish()
    work.device.queue_write(buffer, rt.HalFile(memory, writable=True), None, work.next())
    work.finish()
    check_bytes(memory.tobytes(), contents, f"a read and a write of {size} bytes", HEADER)


@pytest.mark.parametrize(("source_offset", "length"), [(SIZE - 3, 4), (SIZE + 1, 0), (2**64 - 1, 4)])
def test_ranges_are_checked(work: Work, source_offset: int, length: int) -> None:
    """A range outside of the file is OUT_OF_RANGE: refused, or told by the signals."""
    buffer = work.buffer(SIZE)
    done = work.semaphore()
    with expect_error(rt.OutOfRange, f"a read of {length} bytes at {source_offset} of a file of {SIZE}", HEADER):
        work.device.queue_read(
            rt.HalFile(bytes(SIZE)), buffer, None, [(done, 1)], source_offset=source_offset, length=length
        )
        done.wait(1, timeout=60_000_000_000)


def test_access_is_checked(work: Work) -> None:
    """A file that is for reading is not written to."""
    contents = bytes(SIZE)
    buffer = work.buffer(pattern_bytes(SIZE))
    done = work.semaphore()
    with expect_error(rt.PermissionDenied, "a write to a file for reading", HEADER):
        work.device.queue_write(buffer, rt.HalFile(contents), None, [(done, 1)])
        done.wait(1, timeout=60_000_000_000)
    check_bytes(contents, bytes(SIZE), "a write to a file for reading", HEADER)
