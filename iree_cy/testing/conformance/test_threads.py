# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the area threads: every function may be called by several threads at once.
"""Area threads: several threads share a driver, a device and its semaphores."""

from __future__ import annotations

import threading
from collections.abc import Callable

import iree_cy as rt
from iree_cy.testing.conformance._support import Subject, Work, pattern_bytes, told

COUNT = 6


def _in_threads(body: Callable[[int], None]) -> None:
    errors: list[BaseException] = []
    barrier = threading.Barrier(COUNT)

    def run(index: int) -> None:
        try:
            barrier.wait()
            body(index)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(index,), daemon=True) for index in range(COUNT)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive(), told("let a thread hang for 120 s", "calls that end", "hal/device.h")
    if errors:
        raise errors[0]


def test_work_on_one_device(shared_device: rt.HalDevice) -> None:
    """Threads that work on one device, each with buffers of its own, do not disturb one another."""

    def body(index: int) -> None:
        work = Work(shared_device)
        for round_ in range(20):
            size = 1000 + 37 * index + round_
            contents = pattern_bytes(size, seed=index * 100 + round_)
            source, target = work.buffer(contents), work.buffer(size)
            work.device.queue_copy(source, target, None, work.next())
            work.finish()
            work.check(target, contents, f"a copy among those of {COUNT} threads")

    _in_threads(body)


def test_chains_across_threads(shared_device: rt.HalDevice) -> None:
    """Operations of several threads on one timeline run in its order, whoever submits first."""
    rounds = 40
    work = Work(shared_device)
    chain = work.semaphore()
    buffer = work.buffer(bytes(64))

    def body(index: int) -> None:
        for round_ in range(rounds):
            step = round_ * COUNT + index
            shared_device.queue_fill(buffer, bytes([step % 251]), [(chain, step)], [(chain, step + 1)])

    _in_threads(body)
    last = rounds * COUNT
    work.finish([(chain, last)])
    work.check(buffer, bytes([(last - 1) % 251]) * 64, f"a chain of {last} fills from {COUNT} threads")


def test_waits_of_several_threads(shared_device: rt.HalDevice) -> None:
    """One signal wakes all who wait for it."""
    semaphore = shared_device.create_semaphore(0)
    started = threading.Barrier(COUNT)

    def body(index: int) -> None:
        started.wait()
        if index == 0:
            shared_device.queue_barrier(None, [(semaphore, 1)])
        semaphore.wait(1, timeout=60_000_000_000)

    _in_threads(body)


def test_devices_of_several_threads(subject: Subject) -> None:
    """Threads make, use and drop devices at the same time."""

    def body(index: int) -> None:
        for round_ in range(3):
            work = Work(subject.new_device())
            contents = pattern_bytes(500, seed=index * 10 + round_)
            work.check(work.buffer(contents), contents, "work on a device of a thread's own")

    _in_threads(body)


def test_listing_by_several_threads(driver: rt.HalDriver) -> None:
    """Devices are listed by several threads at once, alike."""
    lists: list[object] = [None] * COUNT

    def body(index: int) -> None:
        for _ in range(10):
            lists[index] = driver.query_available_devices()

    _in_threads(body)
    assert all(found == lists[0] for found in lists), told("listed differently", "one list", "hal/driver.h")


def test_recordings_of_several_threads(shared_device: rt.HalDevice) -> None:
    """Each thread records and executes its own; all execute one that is shared."""
    work = Work(shared_device)
    common = work.buffer(bytes(64))
    shared = work.recording()
    shared.fill(common, b"\x09", end=True)

    def body(index: int) -> None:
        own = Work(shared_device)
        buffer = own.buffer(bytes(64))
        recording = own.recording()
        recording.fill(buffer, bytes([index + 1]), end=True)
        for _ in range(10):
            own.execute(recording)
            own.execute(shared)
        own.check(buffer, bytes([index + 1]) * 64, "recordings of several threads")

    _in_threads(body)
    work.check(common, b"\x09" * 64, "one recording executed by several threads")
