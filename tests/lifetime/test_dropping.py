# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests that objects may go in any order: those that are left work, and none stays.

from __future__ import annotations

import gc
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import iree_cy as rt
from iree_cy import _core
from iree_cy.plugins.registry import registry
from tests.support.lifetime import DRIVERS, load, program, square

ONES = np.ones(4, np.int32)
SQUARE = square(7)
PRODUCT = SQUARE @ SQUARE


@pytest.fixture(params=DRIVERS)
def driver(request: pytest.FixtureRequest) -> Iterator[str]:
    """Give the name of each driver, and fail when the test leaves objects of the core behind."""
    name: str = request.param
    rt.get_device(name)
    _core.VmBuffer(1).ref  # noqa: B018  (starts what stays for good)
    gc.collect()
    before = _core.live_object_counts()
    yield name
    gc.collect()
    after = _core.live_object_counts()
    assert {kind: after[kind] - before[kind] for kind in after if after[kind] != before[kind]} == {}


def new_driver(name: str) -> Any:
    """Make a driver that nobody else has."""
    return _core.load_driver_plugin(name, registry.plugin(name).library)


def check_add(function: Any) -> None:
    assert_array_equal(function(ONES, ONES).to_host(), [2] * 4)


def check_device(device: Any) -> None:
    semaphore = device.create_semaphore(0)
    device.queue_barrier([], [(semaphore, 1)])
    assert semaphore.wait(1, timeout=60 * 10**9)


# What is right of each while it is there.
CHECKS: dict[str, Callable[[Any], None]] = {
    "driver": lambda driver: check_device(driver._create_device(driver._resolve_path(""), [])),
    "device": check_device,
    "context": lambda context: "module" in repr(context) or pytest.fail(repr(context)),
    "module": lambda module: check_add(module.add),
    "function": check_add,
    "result": lambda result: assert_array_equal(result.to_host(), PRODUCT if len(result) > 4 else [2] * 4),
    "view": lambda view: assert_array_equal(view, PRODUCT),
}


def test_every_order_leaves_the_others_right(driver: str) -> None:
    path = program()
    for order in itertools.permutations(name for name in CHECKS if name != "view"):
        maker = new_driver(driver)
        device = maker._create_device(maker._resolve_path(""), [])
        module = load(path, device)
        kept = {
            "driver": maker,
            "device": device,
            "context": module._vm_context,
            "module": module,
            "function": module.add,
            "result": module.add(ONES, ONES),
        }
        del maker, device, module
        for name in order:
            CHECKS[name](kept[name])
            del kept[name]


@pytest.mark.parametrize("survivor", CHECKS)
def test_the_last_one_works_after_large_work(driver: str, survivor: str) -> None:
    """With threads that were started, where the device has any."""
    path = program()
    others = [name for name in CHECKS if name != survivor]
    for order in (others, others[::-1], others[3:] + others[:3]):
        maker = new_driver(driver)
        device = maker._create_device(maker._resolve_path(""), [])
        module = load(path, device)
        result = module.matmul(SQUARE, SQUARE)
        kept = {
            "driver": maker,
            "device": device,
            "context": module._vm_context,
            "module": module,
            "function": module.add,
            "result": result,
            "view": result.to_host(),
        }
        del maker, device, module, result
        for name in order:
            del kept[name]
        CHECKS[survivor](kept[survivor])


def test_hal_objects_in_any_order(driver: str) -> None:
    for order in itertools.permutations(range(6)):
        device = rt.get_device(driver, cache=False)
        allocator = device.allocator
        buffer = allocator.allocate_buffer(rt.MemoryType.DEVICE_LOCAL, rt.BufferUsage.DEFAULT, 64)
        mapped = buffer.map()
        semaphore = device.create_semaphore(0)
        kept: list[Any] = [device, allocator, buffer, mapped, np.frombuffer(mapped, np.uint8), semaphore]
        del device, allocator, buffer, mapped, semaphore
        for i in order:
            kept[i] = None


def test_work_that_is_parked_keeps_what_it_uses(driver: str) -> None:
    device = rt.get_device(driver, cache=False)
    usage = rt.BufferUsage.DEFAULT | rt.BufferUsage.MAPPING
    buffers = [device.allocator.allocate_buffer(rt.MemoryType.HOST_LOCAL, usage, 16) for _ in range(2)]
    begin, middle, end = (device.create_semaphore(0) for _ in range(3))
    device.queue_copy(buffers[0], buffers[1], [(middle, 1)], [(end, 1)])
    device.queue_fill(buffers[0], b"x", [(begin, 1)], [(middle, 1)])
    del device, middle, buffers[0]
    begin.signal(1)
    assert end.wait(1, timeout=60 * 10**9)
    assert bytes(buffers[0].map()) == b"x" * 16


def test_a_semaphore_that_goes_fails_what_waits_for_it(driver: str) -> None:
    device = rt.get_device(driver, cache=False)
    begin, end = device.create_semaphore(0), device.create_semaphore(0)
    device.queue_barrier([(begin, 1)], [(end, 1)])
    del device, begin
    with pytest.raises(rt.Aborted, match="destroyed"):
        end.wait(1)
