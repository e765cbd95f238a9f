# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns how rows are measured: side by side, in turn, by medians.
"""Rows of the comparison, and how two or more calls are timed against each other."""

from __future__ import annotations

import importlib
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.programs import HOST_CPU_FLAGS, compile_program

__all__ = ["AGAINST_REFERENCE", "Bench", "Call", "Case", "Group", "Row", "Side", "child", "pair", "series"]

Call = Callable[[], Any]

AGAINST_REFERENCE = ("iree_cy", "reference", "ratio")


@dataclass(frozen=True)
class Row:
    """One line: two figures in `unit`, what of them is compared, and its goal.

    Attributes
    ----------
    goal
        The greatest `ratio`, or with `bounds_first` the greatest `first`, that is good; None where none is set.
    """

    name: str
    first: float
    second: float
    ratio: float
    goal: float | None = None
    unit: str = "us"
    bounds_first: bool = False

    @property
    def is_over(self) -> bool:
        """Whether the goal is missed."""
        return self.goal is not None and (self.first if self.bounds_first else self.ratio) > self.goal


# What programs are compiled for, where it is not this machine's processor. Both runtimes get the same.
_FLAGS = {"vulkan": ("--iree-hal-target-device=vulkan", "--iree-vulkan-target=llvmpipe")}


class Side:
    """One of the two runtimes with a device."""

    def __init__(self, runtime: Any, driver: str) -> None:
        self.runtime = runtime
        self.driver = driver
        self.device = runtime.get_device(driver)

    def load(self, source: str) -> Any:
        """Load a program with a configuration of its own."""
        config = self.runtime.Config(device=self.device)
        program = compile_program(source, _FLAGS.get(self.driver, HOST_CPU_FLAGS))
        return self.runtime.load_vm_module(self.runtime.VmModule.mmap(config.vm_instance, str(program)), config)

    def arrays(self, *arrays: Any) -> list[Any]:
        """Bring arrays to the device."""
        return [self.runtime.asdevicearray(self.device, array) for array in arrays]


class Bench:
    """What all rows of a run share.

    Parameters
    ----------
    rounds
        Paired runs per row.
    quick
        Small programs and few calls: to see that every row can be made, not to measure.
    """

    def __init__(self, rounds: int, quick: bool = False) -> None:
        self.rounds = rounds
        self.quick = quick
        self._sides: dict[tuple[str, str], Side] = {}

    def ours(self, driver: str) -> Side:
        """Return iree_cy with a device."""
        return self._side("iree_cy", driver)

    def reference(self, driver: str) -> Side:
        """Return iree.runtime with a device."""
        return self._side("iree.runtime", driver)

    def _side(self, package: str, driver: str) -> Side:
        if (package, driver) not in self._sides:
            self._sides[package, driver] = Side(importlib.import_module(package), driver)
        return self._sides[package, driver]

    def pair(
        self,
        name: str,
        first: Call,
        second: Call,
        goal: float | None,
        *,
        milliseconds: float = 4.0,
        rounds: int | None = None,
        per: int = 1,
    ) -> Row:
        """Time two calls in turn; `pair` with this run's rounds."""
        if self.quick:
            milliseconds = 0.0
        return pair(name, first, second, goal, rounds or self.rounds, milliseconds, per)


@dataclass(frozen=True)
class Case:
    """What makes one row, or some that are measured together."""

    name: str
    measure: Callable[[Bench], Iterable[Row]]


@dataclass(frozen=True)
class Group:
    """Rows under one heading; `columns` says what their figures are."""

    name: str
    title: str
    columns: tuple[str, str, str]
    cases: Sequence[Case]


def _time(call: Call, count: int) -> float:
    start = time.perf_counter_ns()
    for _ in range(count):
        call()
    return (time.perf_counter_ns() - start) / count / 1e3


def _warm_up(calls: Iterable[Call]) -> None:
    for call in calls:
        for _ in range(3):
            call()


def pair(
    name: str,
    first: Call,
    second: Call,
    goal: float | None,
    rounds: int,
    milliseconds: float = 4.0,
    per: int = 1,
) -> Row:
    """Time two calls in turn and take the median of the ratios of neighbouring runs.

    Parameters
    ----------
    name, goal
        The row's.
    first, second
        The calls; what each returns is dropped at once.
    rounds
        How often both are timed; who begins changes each time.
    milliseconds
        About how long the second is called for each time.
    per
        How much one call does: figures are for one of that.
    """
    _warm_up((first, second))
    count = max(1, round(milliseconds * 1e3 / max(_time(second, 3), 1e-3)))
    first_times: list[float] = []
    second_times: list[float] = []
    ratios: list[float] = []
    for i in range(rounds):
        calls = [(first, first_times), (second, second_times)]
        for call, times in calls if i % 2 else reversed(calls):
            times.append(_time(call, count) / per)
        ratios.append(first_times[-1] / second_times[-1])
    median = statistics.median
    return Row(name, median(first_times), median(second_times), median(ratios), goal)


def series(calls: Mapping[str, Call], rounds: int, milliseconds: float = 4.0, per: int = 1) -> list[Row]:
    """Time several calls in turn, each of which does what the one before does and something more.

    Returns
    -------
    list of Row
        For each call the median of its times, the median of what it takes more than the one before in the same turn,
        and what share that is of the last call's.
    """
    _warm_up(calls.values())
    counts = {name: max(1, round(milliseconds * 1e3 / max(_time(call, 3), 1e-3))) for name, call in calls.items()}
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            times[name].append(_time(call, counts[name]) / per)
    median = statistics.median
    before = [0.0] * rounds
    whole = median(list(times.values())[-1])
    rows: list[Row] = []
    for name, own in times.items():
        added = median(a - b for a, b in zip(own, before, strict=True))
        rows.append(Row(name, median(own), added, added / whole))
        before = own
    return rows


def child(code: str, *arguments: str, environment: Mapping[str, str] | None = None) -> float:
    """Run a script in a process of its own; return the number that it prints last."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, **(environment or {})},
        cwd=Path(__file__).resolve().parent.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"a measurement in a process of its own failed:\n{done.stderr}")
    return float(done.stdout.split()[-1])
