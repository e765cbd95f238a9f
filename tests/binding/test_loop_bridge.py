# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the tests of HalDeviceLoopBridge: what an event loop learns of semaphores and fences.

from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest

import iree_cy as rt
from iree_cy._async import _queue_of
from tests.support.asynchronous import DRIVERS, PATIENCE, beat, descriptors, run


@pytest.fixture(params=DRIVERS)
def driver(request: pytest.FixtureRequest) -> str:
    """Give the name of each local driver in turn."""
    name: str = request.param
    return name


def test_bridge_as_the_reference_is_used(driver: str) -> None:
    device = rt.get_device(driver)
    loop = asyncio.new_event_loop()
    bridge = rt.HalDeviceLoopBridge(device, loop)

    async def main() -> list[str]:
        first, second = device.create_semaphore(0), device.create_semaphore(0)
        f1 = bridge.on_semaphore(first, 1, "first")
        f1.add_done_callback(lambda _: second.signal(1))
        f2 = bridge.on_semaphore(second, 1, "second")
        f2.add_done_callback(lambda _: second.signal(2))
        again = bridge.on_semaphore(second, 2, "second again")
        first.signal(1)
        return [await f1, await f2, await again]

    for _ in range(11):
        assert loop.run_until_complete(main()) == ["first", "second", "second again"]
    bridge.stop()
    loop.close()


def test_bridge_values_and_failures(driver: str) -> None:
    device = rt.get_device(driver)

    async def main() -> None:
        bridge = rt.HalDeviceLoopBridge(device, asyncio.get_running_loop())
        reached = device.create_semaphore(5)
        value = object()
        assert await bridge.on_semaphore(reached, 5, value) is value
        assert await bridge.on_semaphore(reached, 0, None) is None
        failing = device.create_semaphore(0)
        pending = bridge.on_semaphore(failing, 1, value)
        await beat()
        assert not pending.done()
        failing.fail("it broke")
        with pytest.raises(rt.StatusError, match="it broke"):
            await pending
        with pytest.raises(rt.StatusError, match="it broke"):
            await bridge.on_semaphore(failing, 1, value)
        fence = rt.HalFence(2)
        semaphores = [device.create_semaphore(0) for _ in range(2)]
        for semaphore in semaphores:
            fence.insert(semaphore, 1)
        both = bridge.on_fence(fence, value)
        semaphores[0].signal(1)
        await beat()
        assert not both.done()
        semaphores[1].signal(1)
        assert await both is value
        assert await bridge.on_fence(rt.HalFence(0)) is None
        # What is waited for is kept.
        lonely = bridge.on_semaphore(device.create_semaphore(0), 1, value)
        gc.collect()
        await beat()
        assert not lonely.done()
        lonely.cancel()
        for wrong in (lambda: bridge.on_semaphore(fence, 1, 0), lambda: bridge.on_fence(reached)):
            with pytest.raises(TypeError, match="not Hal"):
                wrong()
        with pytest.raises((ValueError, OverflowError, rt.StatusError)):
            bridge.on_semaphore(reached, -1, 0)
        with pytest.raises(rt.OutOfRange):
            bridge.on_semaphore(reached, 2**40, 0)
        bridge.stop()

    run(main)


def test_bridge_stops(driver: str) -> None:
    device = rt.get_device(driver)

    async def main() -> None:
        bridge = rt.HalDeviceLoopBridge(device, asyncio.get_running_loop())
        semaphore = device.create_semaphore(0)
        pending = [bridge.on_semaphore(semaphore, 1, i) for i in range(3)]
        assert "3 pending" in repr(bridge)
        bridge.stop()
        bridge.stop()
        assert all(future.cancelled() for future in pending)
        semaphore.signal(1)
        await beat()
        with pytest.raises(rt.FailedPrecondition, match="is stopped"):
            bridge.on_semaphore(semaphore, 1, 0)

    run(main)


def test_bridge_is_used_from_other_threads(driver: str) -> None:
    device = rt.get_device(driver)

    async def main() -> None:
        loop = asyncio.get_running_loop()
        bridge = rt.HalDeviceLoopBridge(device, loop)
        semaphore = device.create_semaphore(0)

        def elsewhere() -> Any:
            future = bridge.on_semaphore(semaphore, 3, "there")
            for value in (1, 2, 3):
                semaphore.signal(value)
            return future

        assert await (await loop.run_in_executor(None, elsewhere)) == "there"
        bad = await loop.run_in_executor(None, lambda: bridge.on_semaphore(semaphore, 2**40, 0))
        with pytest.raises(rt.OutOfRange):
            await bad

    run(main)


def test_an_idle_loop_watches_nothing(driver: str) -> None:
    device = rt.get_device(driver)
    loop = asyncio.new_event_loop()
    selector = loop._selector  # type: ignore[attr-defined]
    bridge = rt.HalDeviceLoopBridge(device, loop)
    idle = len(selector.get_map())
    gc.collect()
    before = descriptors()

    async def main() -> None:
        semaphore = device.create_semaphore(0)
        futures = [bridge.on_semaphore(semaphore, 1, 0) for _ in range(3)]
        assert len(selector.get_map()) == idle + 1
        assert descriptors() == before + 1
        futures[0].cancel()
        semaphore.signal(1)
        await asyncio.gather(*futures[1:])
        await beat()
        assert len(selector.get_map()) == idle
        last = bridge.on_semaphore(semaphore, 2, 0)
        assert len(selector.get_map()) == idle + 1
        last.cancel()
        await beat()
        assert len(selector.get_map()) == idle

    loop.run_until_complete(main())
    gc.collect()
    assert descriptors() == before
    loop.close()


def test_an_interruption_loses_nothing(driver: str) -> None:
    """Ctrl-C while the loop handles what has completed."""
    device = rt.get_device(driver)
    loop = asyncio.new_event_loop()
    semaphore = device.create_semaphore(0)

    async def begin() -> Any:
        queue = _queue_of(loop)

        def interrupt(_: BaseException | None) -> None:
            raise KeyboardInterrupt

        queue.completions.expect_semaphore(queue.expect(interrupt), semaphore, 1)
        return rt.HalDeviceLoopBridge(device, loop).on_semaphore(semaphore, 1, "there")

    future = loop.run_until_complete(begin())
    semaphore.signal(1)
    with pytest.raises(KeyboardInterrupt):
        loop.run_until_complete(future)
    assert loop.run_until_complete(asyncio.wait_for(future, PATIENCE)) == "there"
    loop.close()
