# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the area queue-order: only semaphores order operations, and they do.
"""Area queue-order: an operation takes effect when its waits are reached, then signals; failures go the same way."""

from __future__ import annotations

import itertools
import threading

import pytest

import iree_cy as rt
from iree_cy.testing.conformance._support import PATIENCE_NS, Subject, Work, pattern_bytes, same, told

SIZE = 64
HEADER = "hal/device.h"


def _fails(semaphore: rt.HalSemaphore, payload: int, message: str, what: str) -> None:
    try:
        semaphore.wait(payload, timeout=PATIENCE_NS)
    except rt.DeadlineExceeded as error:
        raise AssertionError(told(f"left {what} waiting for ever", "its signals to fail", HEADER)) from error
    except rt.StatusError as error:
        assert message in str(error), told(f"failed {what} with {str(error)!r}", f"{message!r} in it", HEADER)
    else:
        pytest.fail(told(f"signalled {what}", "its signals to fail", HEADER), pytrace=False)


def test_parked_operations_wait(work: Work) -> None:
    """An operation whose waits are not reached neither blocks its caller nor takes effect."""
    before = pattern_bytes(SIZE)
    buffer = work.buffer(before)
    gate = work.semaphore()
    work.device.queue_fill(buffer, b"\x11", [(gate, 1)], work.next())
    assert work.timeline.query() < work.last, told("signalled before its wait", "the wait first", HEADER)
    work.check(buffer, before, "a fill whose wait is not reached")
    gate.signal(1)
    work.finish()
    work.check(buffer, b"\x11" * SIZE, "a fill whose wait was reached")


def test_all_waits_are_waited_for(work: Work) -> None:
    """Every wait of the list counts, in whatever order they are reached."""
    buffer = work.buffer(bytes(SIZE))
    gates = [work.semaphore() for _ in range(4)]
    work.device.queue_fill(buffer, b"\x22", [(gate, 2) for gate in gates], work.next())
    for gate in reversed(gates):
        assert work.timeline.query() < work.last, told("ran with a wait open", "all waits", HEADER)
        gate.signal(1)
        gate.signal(2)
    work.finish()
    work.check(buffer, b"\x22" * SIZE, "a fill with four waits")


def test_chains(work: Work) -> None:
    """Operations that wait for one another run in that order, however long the chain, from one signal."""
    count = 2000
    buffer = work.buffer(bytes(SIZE))
    gate, chain = work.semaphore(), work.semaphore()
    for step in range(count):
        wait = (chain, step) if step else (gate, 1)
        work.device.queue_fill(buffer, bytes([step % 251]), [wait], [(chain, step + 1)])
    same(chain.query(), 0, "the payload of a chain whose head waits", HEADER)
    gate.signal(1)
    work.finish([(chain, count)])
    work.check(buffer, bytes([(count - 1) % 251]) * SIZE, f"a chain of {count} fills")


def test_later_submissions_may_run_earlier(work: Work) -> None:
    """Only semaphores order: what waits for nothing is not held up by what was submitted before and waits."""
    first, second = work.buffer(bytes(SIZE)), work.buffer(bytes(SIZE))
    gate, late, early = work.semaphore(), work.semaphore(), work.semaphore()
    work.device.queue_fill(first, b"\x33", [(gate, 1)], [(late, 1)])
    work.device.queue_fill(second, b"\x44", None, [(early, 1)])
    work.finish([(early, 1)])
    same(late.query(), 0, "the payload of a fill whose wait is not reached", HEADER)
    gate.signal(1)
    work.finish([(late, 1)])


def test_waits_may_come_after_signals_are_wanted(work: Work) -> None:
    """Consumers may be submitted before their producers."""
    contents = pattern_bytes(SIZE)
    source, target = work.buffer(bytes(SIZE)), work.buffer(bytes(SIZE))
    chain = work.semaphore()
    work.device.queue_copy(source, target, [(chain, 1)], [(chain, 2)])
    work.device.queue_update(contents, source, None, [(chain, 1)])
    work.finish([(chain, 2)])
    work.check(target, contents, "a copy that was submitted before what it waits for")


@pytest.mark.parametrize("kind", ["fill", "update", "copy", "barrier", "execute", "alloca"])
def test_failed_waits_fail_the_signals(work: Work, kind: str) -> None:
    """When a wait fails, the operation does not run, and its signals fail with that message."""
    before = pattern_bytes(SIZE)
    buffer, other = work.buffer(before), work.buffer(bytes(SIZE))
    gate, done = work.semaphore(), work.semaphore()
    waits, signals = [(gate, 1)], [(done, 1)]
    device = work.device
    if kind == "fill":
        device.queue_fill(buffer, b"\0", waits, signals)
    elif kind == "update":
        device.queue_update(bytes(SIZE), buffer, waits, signals)
    elif kind == "copy":
        device.queue_copy(other, buffer, waits, signals)
    elif kind == "barrier":
        device.queue_barrier(waits, signals)
    elif kind == "execute":
        recording = work.recording()
        recording.fill(buffer, b"\0", end=True)
        device.queue_execute(recording, waits, signals)
    else:
        device.queue_alloca(SIZE, waits, signals)
    gate.fail("the gate is broken")
    _fails(done, 1, "the gate is broken", f"a queue_{kind} whose wait failed")
    work.check(buffer, before, f"a queue_{kind} whose wait failed")


def test_failures_go_through_chains(work: Work) -> None:
    """A failure reaches the end of a chain of operations."""
    gate = work.semaphore()
    points = [(gate, 1), *((work.semaphore(), 1) for _ in range(50))]
    for before, after in itertools.pairwise(points):
        work.device.queue_barrier([before], [after])
    gate.fail("broken at the head")
    _fails(points[-1][0], 1, "broken at the head", "the end of a chain")


def test_already_failed_waits(work: Work) -> None:
    """A wait that has failed before the submission fails the signals too (or the submission)."""
    gate, done = work.semaphore(), work.semaphore()
    gate.fail("broken before")
    try:
        work.device.queue_barrier([(gate, 1)], [(done, 1)])
    except rt.StatusError as error:
        assert "broken before" in str(error), told(f"says {str(error)!r}", "the failure's message", HEADER)
        return
    _fails(done, 1, "broken before", "a barrier that waits for a failed semaphore")


def test_semaphores_of_another_device(work: Work, subject: Subject) -> None:
    """A queue waits for and signals semaphores that are not its device's."""
    other = subject.new_device()
    gate, done = other.create_semaphore(0), other.create_semaphore(0)
    buffer = work.buffer(bytes(SIZE))
    work.device.queue_fill(buffer, b"\x55", [(gate, 1)], [(done, 1)])
    same(done.query(), 0, "the payload of a fill that waits for another device", HEADER)
    other.queue_barrier(None, [(gate, 1)])
    work.finish([(done, 1)])
    work.check(buffer, b"\x55" * SIZE, "a fill that waits for another device")


def test_semaphores_of_another_device_that_fail(work: Work, subject: Subject) -> None:
    """A failure crosses from device to device."""
    gate, done = subject.new_device().create_semaphore(0), work.semaphore()
    work.device.queue_barrier([(gate, 1)], [(done, 1)])
    gate.fail("the other device failed")
    _fails(done, 1, "the other device failed", "a barrier that waits for another device")


def test_signals_from_another_thread_release(work: Work) -> None:
    """Whoever reaches the last wait, the operation runs."""
    contents = pattern_bytes(SIZE)
    buffer = work.buffer(bytes(SIZE))
    gate = work.semaphore()
    work.device.queue_update(contents, buffer, [(gate, 1)], work.next())
    thread = threading.Thread(target=gate.signal, args=(1,))
    thread.start()
    thread.join()
    work.finish()
    work.check(buffer, contents, "an update released by another thread")


def test_alloca_and_dealloca_in_order(work: Work) -> None:
    """Memory of queue_alloca is used and given back in the order of semaphores, submitted all at once."""
    result = work.buffer(bytes(SIZE))
    gate, chain = work.semaphore(), work.semaphore()
    buffer = work.device.queue_alloca(SIZE, [(gate, 1)], [(chain, 1)])
    work.device.queue_fill(buffer, b"\x66", [(chain, 1)], [(chain, 2)])
    work.device.queue_copy(buffer, result, [(chain, 2)], [(chain, 3)])
    work.device.queue_dealloca(buffer, [(chain, 3)], [(chain, 4)])
    gate.signal(1)
    work.finish([(chain, 4)])
    work.check(result, b"\x66" * SIZE, "alloca, fill, copy and dealloca in one chain")
