# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the tests of how asynchronous calls end early, with their loop, and with the process.

from __future__ import annotations

import asyncio
import concurrent.futures
import gc
import os
import subprocess
import sys
import textwrap
import threading
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import iree_cy as rt
from tests.support.asynchronous import (
    DRIVERS,
    MODELS,
    PATIENCE,
    ROW,
    Gate,
    beat,
    descriptors,
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


def test_cancelling(module: Any) -> None:
    async def main() -> None:
        wait = fence_of(module)
        for make in (asyncio.ensure_future, asyncio.create_task, _task_that_awaits):
            call = make(module.multiply.call_async(ROW, ROW, wait=wait))
            # Before and after its first step.
            for beats in (0, 3):
                call = make(module.multiply.call_async(ROW, ROW, wait=wait))
                await beat(beats)
                assert not call.done()
                assert call.cancel("enough")
                with pytest.raises(asyncio.CancelledError):
                    await call
                assert call.cancelled()
                assert not call.cancel()
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(module.multiply.call_async(ROW, ROW, wait=wait), 0.01)
        if hasattr(asyncio, "timeout"):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.01):
                    await module.multiply.call_async(ROW, ROW, wait=wait)
        both = asyncio.gather(*[module.multiply.call_async(ROW, ROW, wait=wait) for _ in range(2)])
        await beat()
        both.cancel()
        with pytest.raises(asyncio.CancelledError):
            await both
        # Nothing was done to the fence, and all goes on.
        assert not wait.query()
        assert_array_equal((await module.multiply.call_async(ROW, ROW)).to_host(), ROW * ROW)

    run(main)


def _task_that_awaits(call: Any) -> asyncio.Task[Any]:
    async def main() -> Any:
        return await call

    return asyncio.get_running_loop().create_task(main())


@pytest.mark.parametrize("limit", [0, 0.02])
def test_limit_of_time(module: Any, limit: float) -> None:
    async def main() -> None:
        for function, args in ((module.multiply, (ROW, ROW)), (module.count_up, (1,))):
            with pytest.raises(rt.DeadlineExceeded) as caught:
                await function.call_async(*args, timeout=limit, wait=fence_of(module))
            assert isinstance(caught.value, TimeoutError)
        with pytest.raises(rt.DeadlineExceeded):
            await module.count_up.call_async(1, timeout=limit)
        for generous in (PATIENCE, float("inf"), None):
            assert await module.increment.call_async(1, timeout=generous) == 2

    run(main)


def test_cancelling_while_the_device_computes(module: Any) -> None:
    square = np.full((256, 256), 1 / 256, np.float32)

    async def main() -> None:
        for _ in range(3):
            call = module.power.call_async(square, 1_000_000)
            await asyncio.sleep(0.02)
            assert not call.done()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
        with pytest.raises(rt.DeadlineExceeded):
            await module.power.call_async(square, 1_000_000, timeout=0.02)
        assert_allclose((await module.power.call_async(square, 2)).to_host(), square, rtol=1e-4)

    run(main)


def test_a_call_ends_when_its_thread_has_returned(driver: str) -> None:
    """However often it is cancelled meanwhile."""
    gate = Gate(rt.get_device(driver))

    async def main() -> None:
        call = gate.function.call_async(5)
        task = _task_that_awaits(call)
        await until(gate.entered.is_set)
        await beat()
        for _ in range(3):
            assert task.cancel()
            await beat()
            assert not call.done()
            assert not task.done()
        gate.open.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert call.cancelled()
        # The same of one whose time passes, where a thread has begun it before.
        gate.open.clear()
        gate.entered.clear()
        for limit in (0.05, 0.5, 5):
            late = gate.function.call_async(5, timeout=limit)
            await until(lambda late=late: gate.entered.is_set() or late.done())
            if gate.entered.is_set():
                break
            with pytest.raises(rt.DeadlineExceeded):
                await late
        await asyncio.sleep(limit)
        assert not late.done()
        gate.open.set()
        with pytest.raises(rt.DeadlineExceeded):
            await late

    run(main)


def test_a_call_that_waits_for_its_turn(driver: str) -> None:
    """One that waits for the lock of its context is stopped while another is inside."""
    gate = Gate(rt.get_device(driver))

    async def main() -> None:
        first = gate.function.call_async(1)
        await until(gate.entered.is_set)
        second = gate.function.call_async(2)
        with pytest.raises(rt.DeadlineExceeded):
            await gate.function.call_async(3, timeout=0.02)
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        assert not first.done()
        gate.open.set()
        assert await first == 1

    run(main)


def test_a_call_that_no_thread_has_begun(module: Any) -> None:
    gate = Gate(device_of(module))

    async def main() -> None:
        asyncio.get_running_loop().set_default_executor(concurrent.futures.ThreadPoolExecutor(1))
        busy = gate.function.call_async(1)
        await until(gate.entered.is_set)
        arguments = [rt.asdevicearray(device_of(module), ROW), np.zeros(1_000_000, np.float32)]
        gone = [weakref.ref(argument) for argument in arguments]
        cancelled = module.multiply.call_async(*arguments)
        late = module.multiply.call_async(*arguments, timeout=0.01)
        del arguments
        cancelled.cancel()
        assert cancelled.cancelled()
        with pytest.raises(rt.DeadlineExceeded):
            await late
        del cancelled, late
        gc.collect()
        assert [reference() for reference in gone] == [None] * len(gone)
        gate.open.set()
        assert await busy == 1

    run(main)


def test_what_nobody_awaits(module: Any) -> None:
    """The end of asyncio.run cancels it, as it does tasks."""
    calls = []

    async def main() -> None:
        calls.append(module.multiply.call_async(ROW, ROW, wait=fence_of(module)))
        calls.append(module.count_up.call_async(1))
        calls.append(module.count_up.call_async(1))

    run(main)
    assert all(call.cancelled() for call in calls)


@pytest.mark.filterwarnings("error")
def test_a_loop_that_is_closed_with_work_pending(fenced: Any) -> None:
    async def once() -> None:
        await fenced.increment.call_async(1)

    run(once)
    gc.collect()
    before = descriptors()
    waits = []
    for _ in range(5):
        loop = asyncio.new_event_loop()
        wait = fence_of(fenced)
        waits.append(wait)

        async def begin(wait: Any = wait) -> Any:
            fenced.multiply.call_async(ROW, ROW, wait=wait)
            await beat()

        loop.run_until_complete(begin())
        loop.close()
    del begin
    gc.collect()
    # What comes now must go nowhere: not into a descriptor that has the number of the queue's.
    ends = [os.pipe() for _ in range(8)]
    for wait in waits:
        wait.signal()
    for reader, writer in ends:
        os.set_blocking(reader, False)
        with pytest.raises(BlockingIOError):
            os.read(reader, 1)
        os.close(reader)
        os.close(writer)
    gc.collect()
    assert descriptors() <= before
    run(once)


def test_no_drift(module: Any) -> None:
    def round_of_calls() -> None:
        async def main() -> None:
            await asyncio.gather(*[module.multiply.call_async(ROW, ROW + i) for i in range(100)])
            call = module.multiply.call_async(ROW, ROW, wait=fence_of(module))
            await beat()
            call.cancel()
            await asyncio.wait([asyncio.ensure_future(call)])

        run(main)

    for _ in range(3):
        round_of_calls()
    gc.collect()
    before = descriptors(), threading.active_count(), len(gc.get_objects())
    for _ in range(10):
        round_of_calls()
    gc.collect()
    after = descriptors(), threading.active_count(), len(gc.get_objects())
    assert after[:2] == before[:2]
    assert after[2] < before[2] + 500


# Processes


def run_script(text: str, path: Path, *flags: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", *flags, "-c", textwrap.dedent(text), str(path)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


PREAMBLE = """
import asyncio, sys, threading
import numpy as np
import iree_cy as rt

config = rt.Config(device=rt.get_device("{driver}"))
module = rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, sys.argv[1]), config)
row = np.ones(4, np.float32)
fence = rt.HalFence.create_at(config.device.create_semaphore(0), 1)
"""
ENDINGS = {
    "asyncio.run": """
        async def main():
            global calls
            calls = [module.count_up.call_async(1), module.multiply.call_async(row, row, wait=fence)]
            await asyncio.sleep(0.02)
        asyncio.run(main())
    """,
    "an open loop": """
        loop = asyncio.new_event_loop()
        async def main():
            global calls
            calls = [module.count_up.call_async(1), module.multiply.call_async(row, row, wait=fence)]
            await asyncio.sleep(0.02)
        loop.run_until_complete(main())
        import warnings
        warnings.simplefilter("ignore", ResourceWarning)
    """,
    "a closed loop": """
        loop = asyncio.new_event_loop()
        async def main():
            module.count_up.call_async(1)
            module.multiply.call_async(row, row, wait=fence)
            await asyncio.sleep(0.02)
        loop.run_until_complete(main())
        loop.close()
    """,
    "a thread that is a daemon": """
        begun = threading.Event()
        async def main():
            module.multiply.call_async(row, row, wait=fence)
            call = module.count_up.call_async(1)
            begun.set()
            await call
        threading.Thread(target=lambda: asyncio.run(main()), daemon=True).start()
        begun.wait()
    """,
    "a result in a global": """
        async def main():
            global result
            result = await module.multiply.call_async(row, row)
        asyncio.run(main())
        view = np.asarray(result)
    """,
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_exit(driver: str, ending: str) -> None:
    # In the development mode asyncio itself complains of a loop that is open at the end.
    flags = () if ending == "an open loop" else ("-X", "dev")
    run_script(PREAMBLE.format(driver=driver) + textwrap.dedent(ENDINGS[ending]), program("async-external"), *flags)


FORK = """
import os

async def main():
    wait = rt.HalFence.create_at(config.device.create_semaphore(0), 1)
    call = module.multiply.call_async(row, row, wait=wait)
    await module.increment.call_async(1)
    child = os.fork()
    if child == 0:
        # Not the parent's loop, which runs no more here.
        asyncio.events._set_running_loop(None)
        async def again():
            device = rt.get_device("{driver}")
            own = rt.HalFence.create_at(device.create_semaphore(0), 1)
            other = module.multiply.call_async(row, row + 1, wait=own)
            await asyncio.sleep(0)
            own.signal()
            assert (np.asarray(await other) == 2).all()
        wait.signal()
        asyncio.run(again())
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    await asyncio.sleep(0.01)
    assert not call.done()
    wait.signal()
    assert (np.asarray(await call) == 1).all()

asyncio.run(main())
"""


def test_fork(driver: str) -> None:
    text = PREAMBLE.format(driver=driver) + FORK.format(driver=driver)
    if driver == "local-sync":
        # Its call holds a thread of the executor, which a child does not have.
        text = text.replace("wait.signal()\n        asyncio", "asyncio")
    run_script(text, program("async-external"), "-X", "dev")
