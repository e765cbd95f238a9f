# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the tests of Ctrl-C and limits of time in long calls: soon answered, nothing left running, all usable after.

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import iree_cy as rt
from benchmarks.programs import dependent_matmuls, matmul
from tests.support.programs import HOST_CPU_FLAGS, compile_program

DRIVERS = ["local-sync", "local-task"]
# 0.5 s is what is promised after the running workgroups; the rest is for a machine that does other things.
ANSWER_SECONDS = 2.5

VM_LOOP = """
func.func @main(%n: i64) -> i64 {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %r = scf.while (%i = %zero) : (i64) -> i64 {
    %more = arith.cmpi ne, %i, %n : i64
    scf.condition(%more) %i : i64
  } do {
  ^body(%i: i64):
    %next = arith.addi %i, %one : i64
    scf.yield %next : i64
  }
  return %r : i64
}
"""

INITIALIZER = """
util.global private mutable @g = 0 : i64
util.initializer {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %end = arith.constant 4000000000000 : i64
  cf.br ^loop(%zero : i64)
^loop(%i: i64):
  %next = arith.addi %i, %one : i64
  util.global.store %next, @g : i64
  %more = arith.cmpi ne, %next, %end : i64
  cf.cond_br %more, ^loop(%next : i64), ^done
^done:
  util.return
}
func.func @main() -> i64 {
  %r = util.global.load @g : i64
  return %r : i64
}
"""


def load(source: str, driver: str) -> Any:
    config = rt.Config(device=rt.get_device(driver))
    program = compile_program(source, HOST_CPU_FLAGS)
    return rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, program), config)


def interrupt_during(call: Callable[[], object]) -> float:
    """Make a call, interrupt it, and return how many seconds passed from there to its end."""
    sent: list[float] = []

    def send() -> None:
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.2, send)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        call()
    timer.join()
    return time.monotonic() - sent[0]


def large(n: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Return n x n zeros at an address that makes a call use them in place."""
    memory = np.zeros(n * n + 16, np.float32)
    start = -memory.ctypes.data % 64 // 4
    return memory[start : start + n * n].reshape(n, n)


@pytest.mark.parametrize("driver", DRIVERS)
class TestLongCalls:
    """A single dispatch of several seconds, a chain of many, and a loop in the program."""

    @pytest.fixture
    def dispatch(self, driver: str) -> Callable[..., Any]:
        module = load(matmul(4096), driver)
        a = large(4096)
        return lambda **limits: module.main.call(a, a, **limits)

    @pytest.fixture
    def chain(self, driver: str) -> Callable[..., Any]:
        module = load(dependent_matmuls(200, 1024), driver)
        a = large(1024)
        return lambda **limits: module.main.call(a, a, **limits)

    @pytest.fixture
    def loop(self, driver: str) -> Callable[..., Any]:
        module = load(VM_LOOP, driver)
        return lambda **limits: module.main.call(1 << 50, **limits)

    @pytest.mark.parametrize("work", ["dispatch", "chain", "loop"])
    def test_interrupt(self, work: str, driver: str, request: pytest.FixtureRequest) -> None:
        call = request.getfixturevalue(work)
        assert interrupt_during(call) < ANSWER_SECONDS
        module = load(matmul(64), driver)
        a = np.eye(64, dtype=np.float32)
        assert_array_equal(module.main(a, a), a)

    @pytest.mark.parametrize("work", ["dispatch", "chain", "loop"])
    def test_limit(self, work: str, driver: str, request: pytest.FixtureRequest) -> None:
        call = request.getfixturevalue(work)
        for _ in range(2):
            begin = time.monotonic()
            with pytest.raises(rt.DeadlineExceeded, match="within its time"):
                call(timeout=0.2)
            assert time.monotonic() - begin < 0.2 + ANSWER_SECONDS

    def test_what_is_interrupted_has_let_go_of_its_arguments(self, driver: str) -> None:
        module = load(matmul(2048), driver)
        a = large(2048)
        for i in range(5):
            with pytest.raises(rt.DeadlineExceeded):
                module.main.call(a, a, timeout=0.01)
            # Nothing reads it now; a call that goes well sees what it holds.
            a[:] = 0
            a[0, 0] = i
        assert_array_equal(module.main(a, a), a * a)


@pytest.mark.parametrize("driver", DRIVERS)
def test_initializers_answer(driver: str) -> None:
    config = rt.Config(device=rt.get_device(driver))
    program = compile_program(INITIALIZER, HOST_CPU_FLAGS)
    assert interrupt_during(lambda: load(INITIALIZER, driver)) < ANSWER_SECONDS
    context = rt.SystemContext(config=config)
    module = rt.VmModule.mmap(config.vm_instance, program)
    assert interrupt_during(lambda: context.add_vm_module(module)) < ANSWER_SECONDS


def test_waits_answer() -> None:
    device = rt.get_device("local-sync")
    semaphore = device.create_semaphore(0)
    assert interrupt_during(lambda: semaphore.wait(1)) < ANSWER_SECONDS
    assert interrupt_during(lambda: rt.HalFence.create_at(semaphore, 1).wait()) < ANSWER_SECONDS
    assert interrupt_during(lambda: device.wait_semaphores([(semaphore, 1)], "any")) < ANSWER_SECONDS


def test_a_handler_that_raises_nothing_changes_nothing() -> None:
    seen: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _frame: seen.append(number))
    try:
        timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        module = load(VM_LOOP, "local-sync")
        assert module.main(30_000_000) == 30_000_000
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == [signal.SIGINT]


def test_a_nested_call_is_bound_by_both_limits() -> None:
    config = rt.Config(device=rt.get_device("local-sync"))
    interface = rt.PyModuleInterface("m", lambda _interface: None)
    inner: dict[str, Any] = {}
    failures: list[type[BaseException]] = []

    def nested(_state: object, limit: float) -> int:
        try:
            return int(inner["main"].call(1 << 50, timeout=limit or None))
        except rt.StatusError as error:
            failures.append(type(error))
            raise

    interface.export("nested", "0f_i", nested)
    context = rt.SystemContext([interface.create()], config)
    other = load(VM_LOOP, "local-sync")
    inner["main"] = other.main
    call = context.modules["m"]["nested"]
    for arguments, limits in (((0.0,), {"timeout": 0.1}), ((0.1,), {})):
        begin = time.monotonic()
        with pytest.raises(rt.DeadlineExceeded):
            call.call(*arguments, **limits)
        assert time.monotonic() - begin < 0.1 + ANSWER_SECONDS
    assert failures == [rt.DeadlineExceeded] * 2
