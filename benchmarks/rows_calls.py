# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the rows of single calls: small and large, on each local device, against the reference and against each other.
"""Rows of calls from one thread."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np

from benchmarks import programs
from benchmarks.measure import AGAINST_REFERENCE, Bench, Call, Case, Group, Row, Side

__all__ = ["groups"]

_Maker = Callable[[Side, Bench], Call]


def _small_arrays() -> tuple[np.ndarray, np.ndarray]:
    return np.array([1, 2, 3, 4], np.float32), np.array([5, 6, 7, 8], np.float32)


def _multiply_numpy(side: Side, bench: Bench) -> Call:
    a, b = _small_arrays()
    f = side.load(programs.multiply()).main
    return lambda: f(a, b)


def _multiply_device(side: Side, bench: Bench) -> Call:
    f = side.load(programs.multiply()).main
    x, y = side.arrays(*_small_arrays())
    return lambda: f(x, y)


def _multiply_to_host(side: Side, bench: Bench) -> Call:
    a, b = _small_arrays()
    f = side.load(programs.multiply()).main
    return lambda: f(a, b).to_host()


def _many_arrays(side: Side, bench: Bench) -> Call:
    a, _ = _small_arrays()
    f = side.load(programs.many_arrays()).main
    many = [a + i for i in range(20)]
    return lambda: f(*many)


def _dependent(side: Side, bench: Bench) -> Call:
    f = side.load(programs.dependent_matmuls()).main
    w = np.eye(16, dtype=np.float32)
    x, y = side.arrays(w, w)
    return lambda: f(x, y)


def _independent(side: Side, bench: Bench) -> Call:
    f = side.load(programs.independent_matmuls()).main
    x, y = side.arrays(np.eye(16, dtype=np.float32), np.ones((200, 16, 16), np.float32))
    return lambda: f(x, y)


def _matmul(n: int, side: Side, bench: Bench) -> Call:
    n = min(n, 64) if bench.quick else n
    f = side.load(programs.matmul(n)).main
    m = np.random.default_rng(0).standard_normal((n, n)).astype(np.float32)
    x, y = side.arrays(m, m)
    return lambda: f(x, y)


def _multiply(elements: int, side: Side, bench: Bench) -> Call:
    elements = min(elements, 1024) if bench.quick else elements
    f = side.load(programs.multiply(elements)).main
    x, y = side.arrays(np.ones(elements, np.float32), np.ones(elements, np.float32))
    return lambda: f(x, y)


_WORK: dict[str, _Maker] = {
    "multiply4 NumPy in": _multiply_numpy,
    "multiply4 DeviceArray in": _multiply_device,
    "multiply4 to_host": _multiply_to_host,
    "20 arrays in and out": _many_arrays,
    "200 dependent dispatches": _dependent,
    "200 independent dispatches": _independent,
    "matmul 512": functools.partial(_matmul, 512),
    "matmul 1024": functools.partial(_matmul, 1024),
}
# Calls of milliseconds: fewer of them are enough.
_LONG = ("matmul 512", "matmul 1024")

_SYNC_GOALS: dict[str, float | None] = {
    "multiply4 NumPy in": 0.5,
    "multiply4 DeviceArray in": 0.5,
    "multiply4 to_host": 0.5,
    "20 arrays in and out": 0.5,
    "200 dependent dispatches": 0.9,
    "200 independent dispatches": None,
    "matmul 1024": 1.05,
}
_TASK_GOALS: dict[str, float | None] = {
    "multiply4 NumPy in": 0.35,
    "multiply4 DeviceArray in": 0.35,
    "200 dependent dispatches": 0.35,
    "200 independent dispatches": 0.15,
    "matmul 1024": 1.05,
}
# The reference cannot read its results back on every device: what is timed is the call.
_VULKAN_GOALS: dict[str, float | None] = {
    "multiply4 NumPy in": 0.7,
    "multiply4 DeviceArray in": 0.7,
    "200 dependent dispatches": None,
    "matmul 512": 1.05,
}
_TASK_OVER_SYNC_GOALS: dict[str, float | None] = {
    "multiply4 NumPy in": 1.3,
    "multiply4 DeviceArray in": 1.3,
    "200 dependent dispatches": 1.3,
    "200 independent dispatches": 1.3,
    "matmul 1024": 1.0,
}
_SIZES: dict[str, _Maker] = {
    **{f"matmul {n}": functools.partial(_matmul, n) for n in (32, 48, 64, 96, 128, 192, 256, 512)},
    **{f"multiply {1 << k:,}": functools.partial(_multiply, 1 << k) for k in (12, 14, 15, 16, 17, 18, 20, 22)},
}


def _cases(
    work: Mapping[str, _Maker],
    goals: Mapping[str, float | None],
    first: Callable[[Bench], Side],
    second: Callable[[Bench], Side],
) -> list[Case]:
    def measure(name: str, bench: Bench) -> Iterable[Row]:
        make, is_long = work[name], name in _LONG
        rounds = max(5, bench.rounds // 4) if is_long and not bench.quick else None
        yield bench.pair(
            name,
            make(first(bench), bench),
            make(second(bench), bench),
            goals.get(name),
            milliseconds=1.0 if is_long else 4.0,
            rounds=rounds,
        )

    return [Case(name, functools.partial(measure, name)) for name in goals]


def groups() -> Iterator[Group]:
    """Return the groups of these rows."""
    goals_of = {"local-sync": _SYNC_GOALS, "local-task": _TASK_GOALS}
    if os.environ.get("VK_DRIVER_FILES") or list(Path("/usr/share/vulkan/icd.d").glob("*.json")):
        goals_of["vulkan"] = _VULKAN_GOALS
    for driver, goals in goals_of.items():
        ours = functools.partial(lambda driver, bench: bench.ours(driver), driver)
        reference = functools.partial(lambda driver, bench: bench.reference(driver), driver)
        yield Group(driver, f"calls on {driver}", AGAINST_REFERENCE, _cases(_WORK, goals, ours, reference))

    def task(bench: Bench) -> Side:
        return bench.ours("local-task")

    def sync(bench: Bench) -> Side:
        return bench.ours("local-sync")

    columns = ("local-task", "local-sync", "ratio")
    title = "iree_cy's own local-task against its local-sync"
    yield Group("task-over-sync", title, columns, _cases(_WORK, _TASK_OVER_SYNC_GOALS, task, sync))
    title = "the same by size: where sharing begins to be worth it"
    yield Group("sizes", title, columns, _cases(_SIZES, dict.fromkeys(_SIZES), task, sync))
