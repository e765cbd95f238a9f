# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the area lifetime: objects go in any order, leave nothing behind, and may be alive at the end of the process.
"""Area lifetime: whatever an operation uses is kept until it is done, and no longer."""

from __future__ import annotations

import gc
import itertools
import time
from collections.abc import Callable

import pytest

import iree_cy as rt
from iree_cy import _core
from iree_cy.testing.conformance._support import (
    Subject,
    Work,
    ending,
    expect_error,
    pattern_bytes,
    run_python,
    same,
    seen,
    told,
)

SIZE = 4096
HEADER = "hal/device.h"


def _counts() -> dict[str, int]:
    gc.collect()
    return {kind: count for kind, count in _core.live_object_counts().items() if not kind.startswith("vm_")}


def _leaks_nothing(make: Callable[[], None], what: str) -> None:
    make()  # What is made once, by the driver or the host, is no leak.
    before = _counts()
    make()
    # Threads of the device may hold something a moment longer.
    deadline = time.monotonic() + 5
    while (after := _counts()) != before and time.monotonic() < deadline:
        time.sleep(0.01)
    grown = {kind: after[kind] - before[kind] for kind in after if after[kind] != before[kind]}
    assert not grown, told(f"left {grown} behind after {what}", "every object to be given back", "base/resource.h")


def _everything(subject: Subject) -> None:
    work = Work(subject.new_device())
    source, target = work.buffer(pattern_bytes(SIZE)), work.buffer(SIZE)
    work.device.queue_copy(source, target, None, work.next())
    work.device.queue_fill(target, b"\1", work.next()[:0], work.next())
    work.finish()
    recording = work.recording()
    recording.copy(source.subspan(0, 100), target, length=100, end=True)
    work.execute(recording)
    allocated = work.next()
    buffer = work.device.queue_alloca(SIZE, None, allocated)
    work.device.queue_dealloca(buffer, allocated, work.next())
    work.finish()
    work.check(target, pattern_bytes(SIZE)[:100] + b"\1" * (SIZE - 100), "fills and copies")


def test_work_leaves_nothing_behind(subject: Subject) -> None:
    """A device with buffers, a recording and work that is done goes whole when it is dropped."""
    _leaks_nothing(lambda: _everything(subject), "work on a device that was dropped")


def test_buffers_are_given_back(work: Work) -> None:
    """A buffer that is dropped is destroyed, on a device that stays."""

    def make() -> None:
        buffers = [work.buffer(size) for size in (1, 64, SIZE, 1 << 20)]
        same(buffers[0].subspan(0).byte_length(), 1, "the length of a subspan", "hal/buffer.h")
        same(work.staging(16).byte_length(), 16, "the length of a buffer", "hal/buffer.h")

    _leaks_nothing(make, "buffers that were dropped")


def test_parked_work_is_given_up(subject: Subject) -> None:
    """An operation whose wait can never be reached goes with the semaphore that it waits for."""

    def make() -> None:
        work = Work(subject.new_device())
        gate = work.semaphore()
        work.device.queue_fill(work.buffer(SIZE), b"\1", [(gate, 1)], [(work.semaphore(), 1)])

    _leaks_nothing(make, "an operation that waited for a semaphore which is gone")


def test_failed_work_is_given_back(subject: Subject) -> None:
    """An operation whose wait failed leaves nothing behind."""

    def make() -> None:
        work = Work(subject.new_device())
        gate, done = work.semaphore(), work.semaphore()
        work.device.queue_copy(work.buffer(SIZE), work.buffer(SIZE), [(gate, 1)], [(done, 1)])
        gate.fail("not now")
        with expect_error(rt.Unknown, "a wait for work whose own wait failed", HEADER, "not now"):
            done.wait(1, timeout=60_000_000_000)

    _leaks_nothing(make, "an operation whose wait failed")


def test_refused_work_leaves_nothing_behind(work: Work) -> None:
    """What is refused keeps nothing."""

    def make() -> None:
        buffer, signal = work.buffer(SIZE), work.semaphore()
        with expect_error(rt.OutOfRange, "a fill behind the end", HEADER):
            work.device.queue_fill(buffer, b"\0", None, [(signal, 1)], offset=0, length=SIZE + 1)

    _leaks_nothing(make, "an operation that was refused")


@pytest.mark.parametrize(
    "order", [*itertools.permutations(("device", "buffer", "semaphore", "recording"))], ids="-".join
)
def test_objects_go_in_any_order(subject: Subject, order: tuple[str, ...]) -> None:
    """Device, buffer, semaphore and recording may be dropped in any order, with work behind them."""
    work = Work(subject.new_device())
    buffer = work.buffer(pattern_bytes(SIZE))
    recording = work.recording()
    recording.fill(buffer, b"\1", end=True)
    work.execute(recording)
    held: dict[str, object] = {
        "device": work.device,
        "buffer": buffer,
        "semaphore": work.timeline,
        "recording": recording,
    }
    del work, buffer, recording
    for name in order:
        del held[name]
        gc.collect()


def test_a_buffer_outlives_its_device(subject: Subject) -> None:
    """A buffer stays readable when nobody else holds its device."""
    work = Work(subject.new_device())
    contents = pattern_bytes(SIZE)
    buffer = work.staging(SIZE)
    work.write(buffer, contents)
    del work
    gc.collect()
    got = seen(buffer)
    assert got == contents, told("lost a buffer with its device", "buffers that outlive it", "hal/buffer.h")


def test_a_queue_keeps_what_it_uses(work: Work) -> None:
    """Source and semaphores of an operation that waits may be dropped by everybody else."""
    contents = pattern_bytes(SIZE)
    source, target = work.buffer(contents), work.buffer(SIZE)
    gate = work.semaphore()
    work.device.queue_copy(source, target, [(gate, 1)], work.next())
    del source
    gc.collect()
    scratch = work.buffer(SIZE)
    work.write(scratch, bytes(SIZE))
    gate.signal(1)
    work.finish()
    work.check(target, contents, "a copy whose source was dropped while it waited")


def test_a_device_goes_while_it_works(subject: Subject) -> None:
    """A device may be dropped with work under way; the work is done."""
    work = Work(subject.new_device())
    buffer = work.staging(1 << 22)
    done = work.semaphore()
    gate = work.semaphore()
    work.device.queue_fill(buffer, b"\x77", [(gate, 1)], [(done, 1)])
    del work
    gc.collect()
    gate.signal(1)
    done.wait(1, timeout=60_000_000_000)
    assert seen(buffer)[-3:] == b"\x77" * 3, told("lost work with its device", "it done", HEADER)


_EXIT = """
import sys, time
import iree_cy as rt
device = rt.get_device(sys.argv[1], cache=False)
kept = rt.get_device(sys.argv[1])
buffer = device.allocator.allocate_buffer(rt.MemoryType.DEVICE_LOCAL, rt.BufferUsage.DEFAULT, 4096)
gate, done = device.create_semaphore(0), device.create_semaphore(0)
device.queue_fill(buffer, b"\\1", None, [(done, 1)])
device.queue_fill(buffer, b"\\2", [(gate, 1), (done, 1)], [(done, 2)])
recording = rt.HalCommandBuffer(device)
recording.fill(buffer, b"\\3", end=True)
device.queue_execute(recording, [(done, 2)], [(done, 3)])
if sys.argv[2] == "thread":
    import threading
    threading.Thread(target=lambda: done.wait(3), daemon=True).start()
elif sys.argv[2] == "circle":
    circle = [device, buffer, gate, done, recording]
    circle.append(circle)
print(time.monotonic(), flush=True)
"""


@pytest.mark.parametrize("how", ["plain", "thread", "circle"])
def test_a_process_ends_with_live_objects(subject: Subject, how: str) -> None:
    """A process ends with everything alive and work parked: in time, with status 0, and silently."""
    done = run_python(_EXIT, subject.uri, how)
    ended = time.monotonic()
    assert done.returncode == 0, told(ending(done), "a quiet end", HEADER)
    assert not done.stderr, told(f"wrote to stderr at the end: {done.stderr[-300:]!r}", "silence", "base/log.h")
    # The host gives up after 5 s to wait for operations that were started and have not ended.
    took = ended - float(done.stdout)
    assert took < 4, told(f"held up the end of the process for {took:.1f} s", "started work to end", "hal/operation.h")
