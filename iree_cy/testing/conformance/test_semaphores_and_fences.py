# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the area semaphores-and-fences.
"""Area semaphores-and-fences: payloads grow, waits end when they should, and failures reach all who wait."""

from __future__ import annotations

import threading
import time

import pytest

import iree_cy as rt
from iree_cy.testing.conformance._support import PATIENCE_NS, Work, expect_error, same, told

HEADER = "hal/semaphore.h"
MAX_VALUE = 2147483646
# Long enough to tell a wait that was cut short, and too short to be tedious.
LOOK_NS = 20_000_000


@pytest.mark.parametrize("value", [0, 1, 1000, MAX_VALUE])
def test_has_its_initial_value(work: Work, value: int) -> None:
    """A new semaphore is at its initial payload."""
    got = work.semaphore(value).query()
    assert got == value, told(f"made a semaphore at {got} for {value}", "the initial value", HEADER)


def test_signals_from_the_host(work: Work) -> None:
    """A signal advances the payload by any step."""
    semaphore = work.semaphore()
    for value in (1, 2, 10, MAX_VALUE):
        semaphore.signal(value)
        got = semaphore.query()
        assert got == value, told(f"is at {got} after a signal of {value}", "the signalled value", HEADER)
        same(semaphore.wait(value, timeout=PATIENCE_NS), True, "a wait for what is reached", HEADER)


@pytest.mark.parametrize("value", [5, 4, 0])
def test_does_not_go_backwards(work: Work, value: int) -> None:
    """A signal to the same payload or a lower one is INVALID_ARGUMENT and changes nothing."""
    semaphore = work.semaphore(5)
    with expect_error(rt.InvalidArgument, f"a signal of {value} at 5", HEADER):
        semaphore.signal(value)
    assert semaphore.query() == 5, told("changed with a signal that it refused", "5 as before", HEADER)


def test_a_look_does_not_wait(work: Work) -> None:
    """A wait of no time tells whether the payload is reached."""
    semaphore = work.semaphore(2)
    same(semaphore.wait(2, timeout=0), True, "a look at a payload that is reached", HEADER)
    assert semaphore.wait(3, timeout=0) is False, told("says that 3 is reached at 2", "DEADLINE_EXCEEDED", HEADER)


def test_wait_ends_in_time_and_everything_stays_usable(work: Work) -> None:
    """A wait for what is not reached is DEADLINE_EXCEEDED after its time, not before."""
    semaphore = work.semaphore()
    started = time.monotonic_ns()
    with expect_error(rt.DeadlineExceeded, "a wait for what nobody signals", HEADER):
        semaphore.wait(1, timeout=LOOK_NS)
    waited = time.monotonic_ns() - started
    assert waited >= LOOK_NS, told(f"gave up after {waited} ns of {LOOK_NS}", "the whole time", HEADER)
    semaphore.signal(1)
    same(semaphore.wait(1, timeout=PATIENCE_NS), True, "a wait for what is reached", HEADER)


@pytest.mark.parametrize("payload", [1, 3])
def test_wait_is_woken_by_another_thread(work: Work, payload: int) -> None:
    """A signal from any thread ends a wait for that payload or a lower one."""
    semaphore = work.semaphore()
    thread = threading.Timer(0.01, semaphore.signal, (3,))
    thread.start()
    try:
        semaphore.wait(payload, timeout=PATIENCE_NS)
    finally:
        thread.join()
    got = semaphore.query()
    assert got == 3, told(f"ended a wait for {payload} at {got}", "the signal of 3 first", HEADER)


def test_wait_for_all(work: Work) -> None:
    """Waiting for all of several ends when the last is reached."""
    first, second = work.semaphore(), work.semaphore()
    points = [(first, 1), (second, 2)]
    first.signal(1)
    with expect_error(rt.DeadlineExceeded, "a wait for two of which one is reached", HEADER):
        work.device.wait_semaphores(points, "all", timeout=LOOK_NS)
    second.signal(2)
    same(work.device.wait_semaphores(points, "all", timeout=PATIENCE_NS), True, "a wait for all", HEADER)


def test_wait_for_any(work: Work) -> None:
    """Waiting for any of several ends when the first is reached."""
    first, second = work.semaphore(), work.semaphore()
    points = [(first, 1), (second, 2)]
    with expect_error(rt.DeadlineExceeded, "a wait for any of two of which none is reached", HEADER):
        work.device.wait_semaphores(points, "any", timeout=LOOK_NS)
    second.signal(2)
    same(work.device.wait_semaphores(points, "any", timeout=PATIENCE_NS), True, "a wait for any", HEADER)
    same(first.query(), 0, "the payload that nobody signalled", HEADER)


def test_failure_is_told_to_all(work: Work) -> None:
    """A failed semaphore gives its failure, message and all, to queries, waits and signals; the first one stays."""
    semaphore = work.semaphore()
    semaphore.fail("the conformance suite failed it")
    semaphore.fail("a second failure")
    for what, ask in (
        ("query", semaphore.query),
        ("wait", lambda: semaphore.wait(1, timeout=PATIENCE_NS)),
        ("signal", lambda: semaphore.signal(1)),
    ):
        try:
            ask()
        except rt.DeadlineExceeded as error:
            raise AssertionError(told(f"let {what} wait in vain: {error}", "the failure", HEADER)) from error
        except rt.StatusError as error:
            assert "the conformance suite failed it" in str(error), told(
                f"answers {what} with {str(error)!r}", "the message of the first failure", HEADER
            )
        else:
            pytest.fail(told(f"answers {what} of a failed semaphore as if nothing was", "the failure", HEADER))


def test_failure_wakes_who_waits(work: Work) -> None:
    """A failure ends the waits that are under way."""
    semaphore = work.semaphore()
    thread = threading.Timer(0.01, semaphore.fail, ("woken",))
    thread.start()
    try:
        semaphore.wait(1, timeout=PATIENCE_NS)
    except rt.DeadlineExceeded as error:
        raise AssertionError(told("let a wait sleep through a failure", "the failure", HEADER)) from error
    except rt.StatusError as error:
        assert "woken" in str(error), told(f"says {str(error)!r}", "the message of the failure", HEADER)
    else:
        pytest.fail(told("ended a wait for a failed semaphore as reached", "the failure", HEADER))
    finally:
        thread.join()


def test_the_device_signals(work: Work) -> None:
    """What a queue signals, a host wait sees, also of several semaphores at once."""
    first, second = work.semaphore(), work.semaphore(3)
    work.device.queue_barrier(None, [(first, 10), (second, 4)])
    work.finish([(first, 10), (second, 4)])
    got = (first.query(), second.query())
    assert got == (10, 4), told(f"signalled {got}", "(10, 4)", "hal/device.h")


def test_fence_of_several(work: Work) -> None:
    """A fence is reached when each of its timepoints is."""
    first, second = work.semaphore(), work.semaphore()
    fence = rt.HalFence(2)
    fence.insert(first, 1)
    fence.insert(second, 2)
    same(fence.timepoint_count, 2, "the number of timepoints of a fence of two", "hal/fence.h")
    same(fence.query(), False, "the state of a fence of which nothing is reached", "hal/fence.h")
    first.signal(1)
    assert fence.wait(timeout=0) is False, told("reached a fence of two with one", "both", "hal/fence.h")
    second.signal(2)
    same(fence.wait(timeout=PATIENCE_NS), True, "a wait for a fence that is reached", "hal/fence.h")
    assert fence.query() is True, told("does not see that a fence is reached", "reached", "hal/fence.h")


def test_fence_keeps_the_greater_payload(work: Work) -> None:
    """One semaphore has one timepoint in a fence, the latest."""
    semaphore = work.semaphore()
    fence = rt.HalFence.create_at(semaphore, 2)
    joined = rt.HalFence.join([fence, rt.HalFence.create_at(semaphore, 5)])
    semaphore.signal(2)
    same(fence.query(), True, "the state of a fence that is reached", "hal/fence.h")
    assert joined.query() is False, told("reached a joined fence at the lower payload", "5", "hal/fence.h")
    semaphore.signal(5)
    same(joined.query(), True, "the state of a fence that is reached", "hal/fence.h")


def test_fence_signals_and_fails(work: Work) -> None:
    """Signalling a fence signals its semaphores; failing it fails them with the message."""
    first, second = work.semaphore(), work.semaphore()
    rt.HalFence.create_at(first, 3).signal()
    assert first.query() == 3, told(f"is at {first.query()} after its fence was signalled", "3", "hal/fence.h")
    fence = rt.HalFence.create_at(second, 1)
    fence.fail("the fence failed")
    for ask in (second.query, fence.query, lambda: fence.wait(timeout=PATIENCE_NS)):
        with expect_error(rt.Unknown, "a question to a fence that failed", "hal/fence.h", "the fence failed"):
            ask()


def test_queues_take_fences(work: Work) -> None:
    """A fence is as good as a list of semaphores for what is submitted."""
    gate, done = work.semaphore(), work.semaphore()
    work.device.queue_barrier(rt.HalFence.create_at(gate, 1), rt.HalFence.create_at(done, 1))
    same(done.query(), 0, "the payload of a barrier whose fence is not reached", "hal/device.h")
    gate.signal(1)
    work.finish([(done, 1)])
