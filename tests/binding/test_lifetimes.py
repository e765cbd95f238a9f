# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests that no object is left, and how threads, signals and limits of time are met.

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import iree_cy as rt
from iree_cy import _core
from tests.support.programs import compile_program

PROGRAM = """
util.global private mutable @total = dense<0> : tensor<4xi32>
func.func @add(%a: tensor<4xi32>) -> tensor<4xi32> {
  %0 = util.global.load @total : tensor<4xi32>
  %1 = arith.addi %0, %a : tensor<4xi32>
  util.global.store %1, @total : tensor<4xi32>
  return %1 : tensor<4xi32>
}
func.func @forever(%n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %0 = scf.while (%i = %n) : (i32) -> i32 {
    %go = arith.cmpi ne, %i, %c0 : i32
    scf.condition(%go) %i : i32
  } do {
  ^bb0(%i: i32):
    %1 = arith.ori %i, %n : i32
    scf.yield %1 : i32
  }
  return %0 : i32
}
"""


@pytest.fixture
def no_leaks() -> Iterator[None]:
    """Fail when the test leaves objects of the core behind."""
    rt.get_device("local-sync")
    _core.VmBuffer(1).ref  # noqa: B018  (starts what stays for good)
    gc.collect()
    before = _core.live_object_counts()
    yield
    gc.collect()
    after = _core.live_object_counts()
    assert {name: after[name] - before[name] for name in after if after[name] != before[name]} == {}


def _load(config: Any) -> Any:
    return rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, compile_program(PROGRAM)), config)


def test_failures_leave_nothing(no_leaks: None) -> None:
    config = rt.Config(device=rt.get_device("local-sync"))
    module = _load(config)
    for bad in (None, np.ones(3, np.int32), np.ones(4), "x"):
        with pytest.raises((TypeError, ValueError)):
            module.add(bad)
    with pytest.raises(ValueError, match="takes 1 argument "):
        module.add()
    with pytest.raises(rt.StatusError):
        rt.VmContext(config.vm_instance, [module.vm_module])
    with pytest.raises(rt.StatusError):
        rt.VmModule.copy_buffer(config.vm_instance, b"nothing")


def test_finalizers_that_make_objects(no_leaks: None) -> None:
    """Whatever garbage collection runs in the middle of making an object of ours."""

    class Cycle:
        def __init__(self) -> None:
            self.me = self

        def __del__(self) -> None:
            made.append(rt.HalFence(1).timepoint_count)

    made: list[int] = []
    device = rt.get_device("local-sync")
    before = gc.get_threshold()
    gc.set_threshold(1)
    try:
        for i in range(200):
            Cycle()
            buffer = device.allocator.allocate_buffer(rt.MemoryType.DEVICE_LOCAL, rt.BufferUsage.DEFAULT, i + 1)
            assert buffer.create_view((i + 1,), rt.HalElementType.UINT_8).get_buffer().byte_length() == i + 1
    finally:
        gc.set_threshold(*before)
    gc.collect()
    assert made == [0] * 200


def test_threads_share_a_program(no_leaks: None) -> None:
    config = rt.Config(device=rt.get_device("local-sync"))
    module = _load(config)
    errors: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(50):
                module.add(np.ones(4, np.int32)).to_host()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert_array_equal(module.add(np.zeros(4, np.int32)).to_host(), [200] * 4)


class _Interrupted(Exception):
    pass


@pytest.fixture
def alarm() -> Iterator[None]:
    """Raise in the main thread after a moment."""

    def raise_it(number: int, frame: Any) -> None:
        raise _Interrupted

    before = signal.signal(signal.SIGALRM, raise_it)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


class TestSignals:
    """What a signal's handler raises ends a wait or a call, and everything stays usable."""

    def test_a_program(self, alarm: None) -> None:
        module = _load(rt.Config(device=rt.get_device("local-sync")))
        with pytest.raises(_Interrupted):
            module.forever(1)
        assert module.forever(0) == 0

    def test_a_semaphore(self, alarm: None) -> None:
        semaphore = rt.get_device("local-sync").create_semaphore(0)
        with pytest.raises(_Interrupted):
            semaphore.wait(1)
        semaphore.signal(1)
        assert semaphore.wait(1)

    def test_a_fence(self, alarm: None) -> None:
        fence = rt.HalFence.create_at(rt.get_device("local-sync").create_semaphore(0), 1)
        with pytest.raises(_Interrupted):
            fence.wait(timeout=60_000_000_000)

    def test_a_context(self, alarm: None) -> None:
        source = PROGRAM.replace("func.func @forever(%n: i32) -> i32", "util.func private @forever(%n: i32) -> i32")
        source = source.replace("return %0 : i32\n}", "util.return %0 : i32\n}")
        source += (
            "util.initializer { %c = arith.constant 1 : i32\n util.call @forever(%c) : (i32) -> i32\n util.return }"
        )
        with pytest.raises(_Interrupted):
            _load_text(source)


def _load_text(source: str) -> Any:
    config = rt.Config(device=rt.get_device("local-sync"))
    return rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, compile_program(source)), config)


def test_waits_end_in_time() -> None:
    semaphore = rt.get_device("local-sync").create_semaphore(0)
    begin = time.monotonic()
    with pytest.raises(TimeoutError, match="did not reach 1 in time") as caught:
        semaphore.wait(1, timeout=50_000_000)
    assert isinstance(caught.value, rt.DeadlineExceeded)
    assert 0.04 < time.monotonic() - begin < 5
    assert not semaphore.wait(1, deadline=0)
    fence = rt.HalFence.create_at(semaphore, 1)
    assert not fence.wait(timeout=0)
    with pytest.raises(TimeoutError):
        fence.wait(timeout=1_000_000)
    with pytest.raises(TimeoutError):
        fence.wait(deadline=time.monotonic_ns() - 1)
    with pytest.raises(ValueError, match="not both"):
        semaphore.wait(1, timeout=1, deadline=1)
    with pytest.raises(TypeError, match="nanoseconds"):
        semaphore.wait(1, timeout=0.5)  # type: ignore[arg-type]


def test_waits_for_several_are_for_all_or_any() -> None:
    device = rt.get_device("local-sync")
    first, second = device.create_semaphore(0), device.create_semaphore(0)
    both = [(first, 1), (second, 1)]
    assert not device.wait_semaphores(both, "any", timeout=0)
    second.signal(1)
    assert device.wait_semaphores(both, "any")
    assert not device.wait_semaphores(both, deadline=0)
    with pytest.raises(TimeoutError, match="1 of 2"):
        device.wait_semaphores(both, "all", timeout=1_000_000)
    first.signal(1)
    assert device.wait_semaphores(rt.HalFence.join([rt.HalFence.create_at(s, 1) for s in (first, second)]))
    assert device.wait_semaphores([])
    first.fail("gone")
    with pytest.raises(rt.StatusError, match="gone"):
        device.wait_semaphores(both)
    with pytest.raises(ValueError, match="'all' or 'any'"):
        device.wait_semaphores(both, "some")  # type: ignore[arg-type]


def test_calls_end_in_time(no_leaks: None) -> None:
    module = _load(rt.Config(device=rt.get_device("local-sync")))
    ones = np.ones(4, np.int32)
    with pytest.raises(TimeoutError, match="has not ended within its time") as caught:
        module.forever.call(1, timeout=0.05)
    assert isinstance(caught.value, rt.DeadlineExceeded)
    assert_array_equal(module.add.call(ones, timeout=60), [1] * 4)
    assert_array_equal(module.add.call(ones), [2] * 4)
    for bad in ("1", b"1", [], float("nan")):
        with pytest.raises((TypeError, ValueError), match="timeout"):
            module.add.call(ones, timeout=bad)


def test_a_wait_lets_others_run() -> None:
    semaphore = rt.get_device("local-sync").create_semaphore(0)
    thread = threading.Thread(target=lambda: semaphore.signal(1))
    thread.start()
    assert semaphore.wait(1)
    thread.join()


def _run(code: str) -> subprocess.CompletedProcess[str]:
    folder = os.path.dirname(os.path.dirname(os.path.abspath(rt.__file__)))
    environment = {**os.environ, "PYTHONPATH": folder, "PROGRAM": str(compile_program(PROGRAM))}
    prelude = """
import os, sys, threading
import numpy as np, iree_cy as rt
def load():
    config = rt.Config(device=rt.get_device("local-sync"))
    return rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, os.environ["PROGRAM"]), config)
module = load()
ones = np.ones(4, np.int32)
"""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", prelude + code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_ctrl_c() -> None:
    done = _run(
        """
import signal, time
def interrupt():
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt, daemon=True).start()
try:
    module.forever(1)
except KeyboardInterrupt:
    print("interrupted", module.add(ones).tolist())
"""
    )
    assert (done.stdout, done.stderr) == ("interrupted [1, 1, 1, 1]\n", "")
