# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the area command-buffers: what is recorded is done in order, as often as it is executed.
"""Area command-buffers: a recording is made once and executed whole."""

from __future__ import annotations

import gc
import itertools

import pytest

import iree_cy as rt
from iree_cy.testing.conformance._support import Work, expect_error, pattern_bytes, same, told

SIZE = 256
HEADER = "hal/command_buffer.h"


@pytest.mark.parametrize(("offset", "length"), [(0, SIZE), (4, 8), (1, 1), (255, 1), (12, 0)])
def test_recorded_fill(work: Work, offset: int, length: int) -> None:
    """A recorded fill writes its range and nothing beside."""
    before = pattern_bytes(SIZE)
    buffer = work.buffer(before)
    recording = work.recording()
    recording.fill(buffer, b"\x5a", offset, length, end=True)
    work.execute(recording)
    expected = before[:offset] + b"\x5a" * length + before[offset + length :]
    work.check(buffer, expected, f"a recorded fill at {offset} of {length} bytes", HEADER)


@pytest.mark.parametrize(("source_offset", "target_offset", "length"), [(0, 0, SIZE), (3, 7, 31), (1, 0, 1)])
def test_recorded_copy(work: Work, source_offset: int, target_offset: int, length: int) -> None:
    """A recorded copy moves its bytes and nothing beside."""
    source, before = pattern_bytes(SIZE), pattern_bytes(SIZE, seed=2)
    from_buffer, to_buffer = work.buffer(source), work.buffer(before)
    recording = work.recording()
    recording.copy(from_buffer, to_buffer, source_offset, target_offset, length, end=True)
    work.execute(recording)
    expected = bytearray(before)
    expected[target_offset : target_offset + length] = source[source_offset : source_offset + length]
    work.check(to_buffer, bytes(expected), f"a recorded copy of {length} bytes", HEADER)


def test_nothing_is_done_before_execution(work: Work) -> None:
    """Recording does nothing; execution does, and waits for its waits."""
    before = pattern_bytes(SIZE)
    buffer = work.buffer(before)
    recording = work.recording()
    recording.fill(buffer, b"\0", end=True)
    work.check(buffer, before, "recording, before execution", HEADER)
    gate = work.semaphore()
    work.device.queue_execute(recording, [(gate, 1)], work.next())
    work.check(buffer, before, "an execution whose wait is not reached", HEADER)
    gate.signal(1)
    work.finish()
    work.check(buffer, bytes(SIZE), "an execution whose wait was reached", HEADER)


def test_is_executed_again(work: Work) -> None:
    """A recording is executed as often as it is submitted, and reads what is there then."""
    source, target = work.buffer(SIZE), work.buffer(SIZE)
    recording = work.recording()
    recording.copy(source, target, end=True)
    for seed in range(5):
        contents = pattern_bytes(SIZE, seed)
        work.write(source, contents)
        work.execute(recording)
        work.check(target, contents, f"execution {seed + 1} of one recording", HEADER)


def test_recordings_in_a_chain(work: Work) -> None:
    """Recordings that wait for one another's signals see one another's memory."""
    contents = pattern_bytes(SIZE)
    buffers = [work.buffer(contents), *(work.buffer(SIZE) for _ in range(20))]
    previous = None
    for source, target in itertools.pairwise(buffers):
        recording = work.recording()
        recording.copy(source, target, end=True)
        point = work.next()
        work.device.queue_execute(recording, previous, point)
        previous = point
    work.finish()
    work.check(buffers[-1], contents, "a chain of 20 recorded copies", HEADER)


def test_keeps_what_it_uses(work: Work) -> None:
    """A recording keeps its buffers, and a queue keeps the recording."""
    contents = pattern_bytes(SIZE)
    source, target = work.buffer(contents), work.buffer(SIZE)
    recording = work.recording()
    recording.copy(source, target, end=True)
    gate = work.semaphore()
    work.device.queue_execute(recording, [(gate, 1)], work.next())
    del source, recording
    gc.collect()
    gate.signal(1)
    work.finish()
    work.check(target, contents, "an execution whose recording and source were dropped", HEADER)


def test_order_of_recording_is_checked(work: Work) -> None:
    """Begin, commands, end, once; and only what has ended is executed. Everything else is FAILED_PRECONDITION."""
    buffer = work.buffer(SIZE)
    recording = rt.HalCommandBuffer(work.device, begin=False)
    with expect_error(rt.FailedPrecondition, "a command before begin", HEADER):
        recording.fill(buffer, b"\0")
    recording.begin()
    with expect_error(rt.FailedPrecondition, "a second begin", HEADER):
        recording.begin()
    signal = work.semaphore()
    with expect_error(rt.FailedPrecondition, "the execution of what has not ended", HEADER):
        work.device.queue_execute(recording, None, [(signal, 1)])
    recording.end()
    with expect_error(rt.FailedPrecondition, "a second end", HEADER):
        recording.end()
    with expect_error(rt.FailedPrecondition, "a command after end", HEADER):
        recording.fill(buffer, b"\0")
    assert signal.query() == 0, told("signalled for an execution that it refused", "no signal", HEADER)
    work.execute(recording)


def test_recorded_ranges_are_checked(work: Work) -> None:
    """Ranges are checked when they are recorded."""
    buffer = work.buffer(SIZE)
    recording = work.recording()
    with expect_error(rt.OutOfRange, "a recorded fill behind the end", HEADER):
        recording.fill(buffer, b"\0", 0, SIZE + 1)
    with expect_error(rt.InvalidArgument, "a recorded fill with a pattern of 3 bytes", HEADER):
        recording.fill(buffer, b"abc")


def test_barriers_order_queues(work: Work) -> None:
    """queue_barrier signals when its waits are reached, and not before."""
    first, second, done = work.semaphore(), work.semaphore(), work.semaphore()
    work.device.queue_barrier([(first, 1), (second, 4)], [(done, 7)])
    first.signal(1)
    assert done.query() == 0, told("passed a barrier with one of two waits reached", "all of them", "hal/device.h")
    second.signal(4)
    work.finish([(done, 7)])
    same(done.query(), 7, "the payload that a barrier signals", "hal/device.h")


def test_barriers_without_waits(work: Work) -> None:
    """A barrier that waits for nothing signals, and one that signals nothing is allowed."""
    done = work.semaphore()
    work.device.queue_barrier(None, None)
    work.device.queue_barrier(None, [(done, 1)])
    work.finish([(done, 1)])
    work.device.queue_flush()
