# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests that many threads may make, call and drop whatever they like at once.

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import iree_cy as rt
from tests.support.lifetime import DRIVERS, SIZE, load, program, run_scripts, square

pytestmark = pytest.mark.parametrize("driver", DRIVERS)


def in_threads(count: int, work: Callable[[int], None]) -> None:
    """Run `work` with each number below `count` in a thread of its own, all begun at once."""
    failures: list[BaseException] = []
    barrier = threading.Barrier(count)

    def run(number: int) -> None:
        try:
            barrier.wait(60)
            work(number)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive()
    if failures:
        raise failures[0]


def check_products(module: Any, seed: int, count: int) -> None:
    """Multiply different matrices and compare with NumPy."""
    for i in range(count):
        argument = square(1000 * seed + i)
        assert_array_equal(module.matmul(argument, argument).to_host(), argument @ argument)


@pytest.mark.parametrize("is_stateful", [False, True], ids=["stateless", "stateful"])
@pytest.mark.parametrize("is_shared", [True, False], ids=["one-context", "context-each"])
def test_calls_of_one_function(driver: str, is_shared: bool, is_stateful: bool) -> None:
    device = rt.get_device(driver)
    path = program(is_stateful=is_stateful)
    shared = load(path, device)
    assert shared._vm_context.is_stateless == (not is_stateful)

    def work(number: int) -> None:
        module = shared if is_shared else load(path, device)
        for i in range(25):
            left = np.arange(4, dtype=np.int32) * number
            right = np.full(4, i, np.int32)
            assert_array_equal(module.add(left, right).to_host(), left + right)
        check_products(module, number, 3)

    in_threads(16, work)


@pytest.mark.parametrize("is_shared", [True, False], ids=["one-context", "context-each"])
def test_calls_of_a_function_with_state(driver: str, is_shared: bool) -> None:
    device = rt.get_device(driver)
    shared = load(program(), device)
    last = np.zeros((16, 4), np.int64)

    def work(number: int) -> None:
        module = shared if is_shared else load(program(), device)
        before = np.zeros(4, np.int32)
        for _ in range(50):
            total = module.accumulate(np.array([1, number, 0, -1], np.int32)).to_host()
            # What others add comes in between or not at all, and nothing is lost.
            assert (total - before)[0] >= 1
            before = total
        last[number] = before

    in_threads(16, work)
    if is_shared:
        total = shared.accumulate(np.zeros(4, np.int32)).to_host()
        assert_array_equal(total, [16 * 50, 50 * sum(range(16)), 0, -16 * 50])
    else:
        assert_array_equal(last, [[50, 50 * number, 0, -50] for number in range(16)])


def test_threads_that_make_everything_themselves(driver: str) -> None:
    path = program()

    def work(number: int) -> None:
        for i in range(3):
            device = rt.get_device(driver, cache=False)
            instance = rt.VmInstance()
            module = rt.VmModule.mmap(instance, path)
            context = rt.VmContext(instance, [rt.create_hal_module(instance, device), module])
            matmul = rt.FunctionInvoker(context, device, module.lookup_function("matmul"))
            argument = square(10 * number + i)
            assert_array_equal(matmul(argument, argument).to_host(), argument @ argument)

    in_threads(32, work)


def test_the_first_touch_loads_a_driver_once(driver: str) -> None:
    code = """
barrier = threading.Barrier(32)
devices, failures = [], []
def touch():
    try:
        barrier.wait(20)
        devices.append(rt.get_device(DRIVER))
    except BaseException as failure:
        failures.append(failure)
threads = [threading.Thread(target=touch) for _ in range(32)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not failures, failures
assert len(devices) == 32 and len(set(map(id, devices))) == 1
counts = _core.live_object_counts()
assert (counts["driver"], counts["device"]) == (1, 1), counts
compute(load(devices[0]))
"""
    run_scripts(code, driver, program(), count=10)


def test_results_that_other_threads_drop(driver: str) -> None:
    """A thread makes devices, modules and results; others read them and drop the last reference."""
    path = program()
    argument = square(3)
    expected = argument @ argument

    def work(number: int) -> None:
        for _ in range(3):
            device = rt.get_device(driver, cache=False)
            module = load(path, device)
            kept = [device, module, module.matmul(argument, argument), module.matmul(argument, argument)]
            del device, module
            other = threading.Thread(target=lambda kept=kept: read_and_drop(kept))
            other.start()
            other.join()

    def read_and_drop(kept: list[Any]) -> None:
        result = kept.pop()
        assert_array_equal(result.to_host(), expected)
        kept.clear()
        assert_array_equal(result.to_host(), expected)

    in_threads(8, work)


def test_failures_stay_with_their_thread(driver: str) -> None:
    module = load(program(), rt.get_device(driver))

    def work(number: int) -> None:
        for _ in range(50):
            with pytest.raises(ValueError, match=rf"\b{number + 5}\b"):
                module.add(np.zeros(number + 5, np.int32), np.zeros(4, np.int32))
            assert_array_equal(module.add(np.ones(4, np.int32), np.ones(4, np.int32)).to_host(), [2] * 4)

    in_threads(8, work)


def test_one_semaphore_of_many_threads(driver: str) -> None:
    """Each thread waits for its turn, in which it signals the next one's."""
    semaphore = rt.get_device(driver).create_semaphore(0)

    def work(number: int) -> None:
        for turn in range(number, 32 * 10, 32):
            assert semaphore.wait(turn, timeout=60 * 10**9)
            semaphore.signal(turn + 1)

    in_threads(32, work)
    assert semaphore.query() == 320


def test_memory_of_python_is_given_back_when_work_has_ended(driver: str) -> None:
    """Also where a thread of the device is the last to use it, which never asks for the GIL."""
    device = rt.get_device(f"{driver}://?threads=2" if driver == "local-task" else driver)
    module = load(program(is_async=True), device)
    function = module.vm_module.lookup_function("matmul")
    usage = rt.BufferUsage.DEFAULT | rt.BufferUsage.MAPPING
    alive = []
    for seed in range(20):
        # Of 64 bytes' alignment, as buffers want it.
        memory = np.zeros(SIZE * SIZE + 16, np.float32)
        array = memory[-(memory.ctypes.data // 4) % 16 :][: SIZE * SIZE].reshape(SIZE, SIZE)
        array[:] = square(seed)
        alive.append(weakref.ref(memory))
        buffer = device.allocator.import_host_allocation(array, rt.MemoryType.HOST_LOCAL, usage)
        view = buffer.create_view((SIZE, SIZE), rt.HalElementType.FLOAT_32)
        done = rt.HalFence.create_at(device.create_semaphore(0), 1)
        inputs, outputs = rt.VmVariantList(4), rt.VmVariantList(1)
        for reference in (view, view, rt.HalFence(0), done):
            inputs.push_ref(reference)
        expected = array @ array
        module._vm_context.invoke(function, inputs, outputs)
        del memory, array, buffer, view, inputs
        # A wait would lend a hand, and be the last one itself.
        deadline = time.monotonic() + 60
        while not done.query():
            assert time.monotonic() < deadline
        result = rt.DeviceArray(device, outputs.get_as_object(0, rt.HalBufferView))
        assert_array_equal(result.to_host(), expected)
    deadline = time.monotonic() + 60
    while any(reference() is not None for reference in alive):
        assert time.monotonic() < deadline


# One thread is inside a call that does not end.
_SIDE_BY_SIDE = """
module = load()
begun = threading.Event()
def run():
    begun.set()
    module.forever(1)
threading.Thread(target=run, daemon=True).start()
begun.wait()
for _ in range(5):
    try:
        module.matmul.call(square, square, timeout=LIMIT)
    except TimeoutError:
        print("late")
    else:
        print("done")
"""


def test_a_stateless_program_runs_calls_side_by_side(driver: str) -> None:
    code = _SIDE_BY_SIDE.replace("LIMIT", "60")
    run_scripts(code, driver, program(is_stateful=False), stdout="done\n" * 5)


def test_a_state_makes_calls_wait_for_one_another(driver: str) -> None:
    # The thread has begun when a call has had to wait.
    wait = """
while True:
    try:
        module.matmul.call(square, square, timeout=0.05)
    except TimeoutError:
        break
"""
    code = _SIDE_BY_SIDE.replace("LIMIT", "0.05").replace("begun.wait()\n", "begun.wait()" + wait)
    run_scripts(code, driver, program(), stdout="late\n" * 5)
