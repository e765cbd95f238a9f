# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the area fork-in-child: what a forked child may do with the driver.
"""Area fork-in-child: a child of fork goes on with the driver, and its parent is not touched."""

from __future__ import annotations

import pytest

from iree_cy.testing.conformance._support import Subject, ending, run_python, told

_HEADER = "base/api.h"

_START = """
import os, sys, time, warnings
import iree_cy as rt

def work(device, byte):
    buffer = device.allocator.allocate_buffer(
        rt.MemoryType.HOST_LOCAL | rt.MemoryType.DEVICE_VISIBLE,
        rt.BufferUsage.TRANSFER | rt.BufferUsage.MAPPING,
        100_000,
    )
    done = device.create_semaphore(0)
    device.queue_fill(buffer, byte, None, [(done, 1)])
    assert done.wait(1, timeout=60_000_000_000)
    assert bytes(memoryview(buffer.map())) == byte * 100_000, "the fill is not there"
    return buffer

def in_child(function):
    sys.stdout.flush()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns of forks beside threads.
        child = os.fork()
    if child == 0:
        try:
            function()
        except BaseException as error:
            print(f"in the child: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
            os._exit(3)
        os._exit(0)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            assert code == 0, f"the child ended with {code}"
            return
        time.sleep(0.005)
    os.kill(child, 9)
    os.waitpid(child, 0)
    raise AssertionError("the child hung for 60 s")

uri = sys.argv[1]
"""

_CASES = {
    "listed before": """
rt.get_driver(uri.partition(":")[0]).query_available_devices()
in_child(lambda: work(rt.get_device(uri, cache=False), b"c"))
work(rt.get_device(uri, cache=False), b"p")
""",
    "used before": """
device = rt.get_device(uri, cache=False)
buffer = work(device, b"p")
def child():
    assert bytes(memoryview(buffer.map())) == b"p" * 100_000, "a buffer of the parent has changed"
    work(device, b"c")
    work(rt.get_device(uri, cache=False), b"d")
in_child(child)
assert bytes(memoryview(buffer.map())) == b"p" * 100_000, "the child wrote into its parent"
work(device, b"q")
""",
    "parked before": """
device = rt.get_device(uri, cache=False)
buffer = work(device, b"p")
gate, done = device.create_semaphore(0), device.create_semaphore(0)
device.queue_fill(buffer, b"n", [(gate, 1)], [(done, 1)])
def child():
    gate.signal(1)
    try:
        done.wait(1, timeout=60_000_000_000)
    except rt.DeadlineExceeded:
        raise
    except rt.StatusError:
        pass  # What the parent had submitted may fail in the child.
    work(device, b"c")
in_child(child)
assert done.query() == 0, "the child signalled its parent"
gate.signal(1)
assert done.wait(1, timeout=60_000_000_000)
assert bytes(memoryview(buffer.map())) == b"n" * 100_000
""",
    "a thread waits": """
import threading
device = rt.get_device(uri, cache=False)
gate = device.create_semaphore(0)
thread = threading.Thread(target=gate.wait, args=(1,), daemon=True)
thread.start()
work(device, b"p")
in_child(lambda: work(device, b"c"))
gate.signal(1)
thread.join(60)
assert not thread.is_alive(), "a wait of the parent did not end"
""",
}


@pytest.mark.parametrize("case", _CASES)
def test_forked_children_go_on(subject: Subject, case: str) -> None:
    """A forked child uses devices of its own and its parent's; what was in flight may fail there, and nothing hangs."""
    done = run_python(_START + _CASES[case], subject.uri)
    assert done.returncode == 0, told(ending(done), "a child of fork that goes on", _HEADER)
    assert not done.stderr, told(f"wrote {done.stderr[-300:]!r}", "silence", "base/log.h")
