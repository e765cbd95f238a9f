# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the tests of calls from coroutines: that they leave the loop alone, what takes them, what they refuse.

from __future__ import annotations

import asyncio
import concurrent.futures
import threading
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import iree_cy as rt
from tests.support.asynchronous import (
    DRIVERS,
    MODELS,
    PATIENCE,
    ROW,
    Gate,
    beat,
    device_of,
    fence_of,
    load,
    program,
    run,
    until,
)


@pytest.fixture(params=DRIVERS)
def driver(request: pytest.FixtureRequest) -> str:
    """Give the name of each local driver in turn."""
    name: str = request.param
    return name


@pytest.fixture(params=MODELS)
def module(request: pytest.FixtureRequest, driver: str) -> Any:
    """Give the program in each execution model on each driver."""
    return load(program(request.param), driver)


@pytest.fixture
def fenced(driver: str) -> Any:
    """Give the program whose functions take fences, on each driver."""
    return load(program("async-external"), driver)


# The loop


def test_the_loop_is_not_blocked(driver: str) -> None:
    """Not by a program that runs, nor by one that waits, nor by a device that computes."""
    module = load(program("async-external"), driver)

    async def main() -> None:
        beats = 0

        async def heart() -> None:
            nonlocal beats
            while True:
                beats += 1
                await asyncio.sleep(0.001)

        task = asyncio.create_task(heart())
        for call, args in (
            (module.count_up, (1,)),
            (module.multiply, (ROW, ROW)),
        ):
            before = beats
            pending = call.call_async(*args, wait=fence_of(module))
            await until(lambda before=before: beats > before + 5)
            assert not pending.done()
            pending.cancel()
            with pytest.raises(asyncio.CancelledError):
                await pending
        endless = module.count_up.call_async(1)
        before = beats
        await until(lambda: beats > before + 20)
        endless.cancel()
        square = np.zeros((256, 256), np.float32)
        before = beats
        await module.power.call_async(square, 300)
        assert beats > before
        with pytest.raises(asyncio.CancelledError):
            await endless
        task.cancel()

    run(main)


@pytest.mark.parametrize("model", MODELS)
def test_a_hundred_at_once_in_one_thread(driver: str, model: str) -> None:
    module = load(program(model), driver)

    async def main() -> None:
        asyncio.get_running_loop().set_default_executor(concurrent.futures.ThreadPoolExecutor(1))
        wait = fence_of(module)
        threads = threading.active_count()
        calls = [asyncio.ensure_future(module.multiply.call_async(ROW + i, ROW, wait=wait)) for i in range(100)]
        await beat(10)
        assert not any(call.done() for call in calls)
        assert threading.active_count() <= threads + 1
        wait.signal()
        for i, result in enumerate(await asyncio.gather(*calls)):
            assert_array_equal(result.to_host(), (ROW + i) * ROW)

    run(main)


def test_device_work_holds_no_thread(driver: str) -> None:
    """A call whose fence is not reached leaves the only thread to another, where the device has a queue."""
    if driver == "local-sync":
        pytest.skip("local-sync computes on the thread that calls")
    module = load(program("async-external"), driver)

    async def main() -> None:
        asyncio.get_running_loop().set_default_executor(concurrent.futures.ThreadPoolExecutor(1))
        wait = fence_of(module)
        pending = module.multiply.call_async(ROW, ROW, wait=wait)
        assert await module.increment.call_async(1) == 2
        assert_array_equal((await module.multiply.call_async(ROW, ROW)).to_host(), ROW * ROW)
        assert not pending.done()
        wait.signal()
        assert_array_equal((await pending).to_host(), ROW * ROW)

    run(main)


def test_arguments_are_copied(module: Any) -> None:
    """Small ones at once, and large ones at the latest when the call has ended."""

    async def main() -> None:
        wait = fence_of(module)
        array = np.arange(10_000, dtype=np.float32)
        call = module.multiply.call_async(array, array, wait=wait)
        array[:] = -1
        wait.signal()
        assert_array_equal((await call).to_host(), np.arange(10_000, dtype=np.float32) ** 2)
        large = np.arange(1_000_000, dtype=np.float32)
        result = await module.set_and_get.call_async(large)
        large[:] = -1
        assert_array_equal(result.to_host(), np.arange(1_000_000, dtype=np.float32))

    run(main)


def test_large_arguments_in_no_order_are_copied_in_the_thread(module: Any) -> None:
    """The loop, whose only other thread is busy, copies nothing of them: what is written meanwhile is what counts."""

    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(concurrent.futures.ThreadPoolExecutor(1))
        go = threading.Event()
        busy = loop.run_in_executor(None, go.wait)
        memory = np.zeros((1_000_000, 2), np.float32)
        call = module.set_and_get.call_async(memory[:, 1])
        memory[:, 1] = np.arange(1_000_000)
        go.set()
        await busy
        assert_array_equal((await call).to_host(), np.arange(1_000_000, dtype=np.float32))

    run(main)


@pytest.mark.parametrize("count", [3, 300_000])
def test_arguments_of_every_size_are_where_they_belong(module: Any, count: int) -> None:
    device = device_of(module)
    a = np.arange(count, dtype=np.float32)
    b = np.sqrt(a)
    viewed = rt.asdevicearray(device, a)
    view = viewed.to_host()
    for first, second in (
        (a, b),
        (a[::-1][::-1], list(b) if count == 3 else b[:]),
        (viewed, rt.asdevicearray(device, b)),
    ):

        async def main(first: Any = first, second: Any = second) -> Any:
            return await module.mixed.call_async(7, first, 2**40 + 3, second, 0.5)

        assert_array_equal(run(main).to_host(), a - b + np.float32(2))
    assert view[-1] == count - 1


def test_two_loops_in_two_threads(module: Any) -> None:
    def work(offset: int) -> list[Any]:
        async def main() -> list[Any]:
            return await asyncio.gather(*[module.multiply.call_async(ROW + offset, ROW + i) for i in range(50)])

        return run(main)

    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        for offset, results in enumerate(threads.map(work, range(2))):
            for i, result in enumerate(results):
                assert_array_equal(result.to_host(), (ROW + offset) * (ROW + i))


def test_a_loop_that_stops_and_goes_on(module: Any) -> None:
    loop = asyncio.new_event_loop()
    wait = fence_of(module)

    async def begin() -> Any:
        return module.multiply.call_async(ROW, ROW, wait=wait)

    call = loop.run_until_complete(begin())
    wait.signal()
    assert_array_equal(loop.run_until_complete(call).to_host(), ROW * ROW)
    loop.close()


def test_uvloop(fenced: Any) -> None:
    uvloop = pytest.importorskip("uvloop")
    loop = uvloop.new_event_loop()

    async def main() -> None:
        wait = fence_of(fenced)
        calls = [fenced.multiply.call_async(ROW, ROW + i, wait=wait) for i in range(10)]
        last = fenced.multiply.call_async(ROW, ROW, wait=fence_of(fenced))
        wait.signal()
        for i, result in enumerate(await asyncio.gather(*calls)):
            assert_array_equal(result.to_host(), ROW * (ROW + i))
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(last, 0.02)

    loop.run_until_complete(asyncio.wait_for(main(), PATIENCE))
    loop.close()


def test_what_takes_coroutines(module: Any) -> None:
    async def main() -> None:
        task = asyncio.create_task(module.increment.call_async(1))
        assert await task == 2
        assert await asyncio.ensure_future(module.increment.call_async(2)) == 3
        assert await asyncio.wait_for(module.increment.call_async(3), PATIENCE) == 4
        assert await asyncio.shield(module.increment.call_async(4)) == 5
        calls = [module.increment.call_async(i) for i in range(5)]
        assert await asyncio.gather(*calls) == [1, 2, 3, 4, 5]
        assert [await call for call in asyncio.as_completed([module.increment.call_async(5)])] == [6]
        done, _ = await asyncio.wait([asyncio.ensure_future(module.increment.call_async(6))])
        assert [call.result() for call in done] == [7]
        call = module.increment.call_async(7)
        assert repr(call) == "<AsyncCall module.increment, under way>"
        listed = [task for task in asyncio.all_tasks() if task.get_name() == "module.increment"]
        assert [(task.get_coro(), task.get_stack()) for task in listed] == [(None, [])]
        ended: list[Any] = []
        call.add_done_callback(ended.append)
        assert not call.done()
        assert await call == 8
        assert call.done()
        assert (call.result(), call.exception(), call.cancelled()) == (8, None, False)
        assert await call == 8
        await beat()
        assert ended == listed
        assert not asyncio.all_tasks().intersection(listed)
        if hasattr(asyncio, "TaskGroup"):
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(module.increment.call_async(i)) for i in range(3)]
            assert [task.result() for task in tasks] == [1, 2, 3]

    run(main)


# What is refused


def test_arguments_are_checked_at_once(module: Any) -> None:
    async def main() -> None:
        with pytest.raises(ValueError, match=r"multiply\(\) takes 2 arguments"):
            module.multiply.call_async(ROW)
        with pytest.raises(TypeError, match="wants tensor"):
            module.multiply.call_async(ROW, ROW.astype(np.int64))
        with pytest.raises(TypeError, match="timeout is a number of seconds"):
            module.multiply.call_async(ROW, ROW, timeout="1")
        with pytest.raises(TypeError):
            module.multiply.call_async(ROW, ROW, wait=1)

    run(main)


def test_needs_a_running_loop(module: Any) -> None:
    with pytest.raises(RuntimeError, match="needs a running event loop"):
        module.multiply.call_async(ROW, ROW)


def test_needs_a_loop_that_watches_descriptors() -> None:
    class Loop(asyncio.SelectorEventLoop):
        def add_reader(self, fd: Any, callback: Any, *args: Any) -> None:
            raise NotImplementedError

    module = load(program("async-external"), "local-task")
    loop = Loop.__new__(Loop)
    _make_loop(loop)

    async def main() -> None:
        with pytest.raises(rt.Unimplemented, match="Loop cannot watch a descriptor"):
            module.multiply.call_async(ROW, ROW)

    loop.run_until_complete(main())
    loop.close()


def _make_loop(loop: Any) -> None:
    # Its own self-pipe is watched with another method.
    loop.__init__()


def test_failures_of_programs(fenced: Any) -> None:
    gate = Gate(device_of(fenced))
    interface = rt.PyModuleInterface("m", lambda _: None)

    def fail(_: Any, number: int) -> int:
        raise LookupError(f"no {number}")

    interface.export("fail", "0i_i", fail)
    failing = rt.load_vm_module(interface.create(), rt.Config(device=device_of(fenced)))
    gate.open.set()

    async def main() -> None:
        with pytest.raises(rt.StatusError, match="no 7") as caught:
            await failing.fail.call_async(7)
        assert isinstance(caught.value.__cause__, LookupError)
        wait = fence_of(fenced)
        call = fenced.multiply.call_async(ROW, ROW, wait=wait)
        wait.fail("it broke")
        with pytest.raises(rt.StatusError, match="it broke"):
            await call
        assert await gate.function.call_async(3) == 3

    run(main)
