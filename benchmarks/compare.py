# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the comparison of iree_cy with IREE's own runtime, side by side in one process.
"""Compare iree_cy with iree.runtime.

``python -m benchmarks.compare`` runs both in one process, in turn, and prints for each row both medians and the median
of the paired ratios beside the greatest ratio that is the goal. ``--check`` exits with 1 when a row is over its goal.
Needs iree-base-runtime and iree-base-compiler 3.13.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import programs
from tests.support.programs import CPU_FLAGS, HOST_CPU_FLAGS, compile_program

__all__ = ["Row", "main"]

Call = Callable[[], Any]


@dataclass(frozen=True)
class Row:
    """One line of the comparison; times in microseconds, memory in KiB."""

    name: str
    ours: float
    reference: float
    ratio: float
    goal: float
    unit: str = "us"


def _time(call: Call, count: int) -> float:
    start = time.perf_counter_ns()
    for _ in range(count):
        call()
    return (time.perf_counter_ns() - start) / count / 1e3


def pair(name: str, ours: Call, reference: Call, goal: float, rounds: int, milliseconds: float = 4.0) -> Row:
    """Time two calls in turn and take the median of the ratios of neighbouring runs."""
    for call in (ours, reference):
        for _ in range(3):
            call()
    count = max(1, round(milliseconds * 1e3 / max(_time(reference, 3), 1e-3)))
    our_times: list[float] = []
    reference_times: list[float] = []
    ratios: list[float] = []
    for i in range(rounds):
        calls = [(ours, our_times), (reference, reference_times)]
        for call, times in calls if i % 2 else reversed(calls):
            times.append(_time(call, count))
        ratios.append(our_times[-1] / reference_times[-1])
    median = statistics.median
    return Row(name, median(our_times), median(reference_times), median(ratios), goal)


class Side:
    """One of the two runtimes with a device."""

    def __init__(self, runtime: Any) -> None:
        self.runtime = runtime
        self.device = runtime.get_device("local-sync")

    def load(self, program: Path) -> Any:
        """Load a program with a configuration of its own."""
        config = self.runtime.Config(device=self.device)
        return self.runtime.load_vm_module(self.runtime.VmModule.mmap(config.vm_instance, str(program)), config)

    def arrays(self, *arrays: Any) -> list[Any]:
        """Bring arrays to the device."""
        return [self.runtime.asdevicearray(self.device, array) for array in arrays]


def _calls(ours: Side, reference: Side, rounds: int) -> Iterator[Row]:
    a, b = np.array([1, 2, 3, 4], np.float32), np.array([5, 6, 7, 8], np.float32)
    program = compile_program(programs.multiply(), HOST_CPU_FLAGS)
    f, g = ours.load(program).main, reference.load(program).main
    yield pair("multiply4 NumPy in", lambda: f(a, b), lambda: g(a, b), 0.5, rounds)
    x, y = ours.arrays(a, b), reference.arrays(a, b)
    yield pair("multiply4 DeviceArray in", lambda: f(*x), lambda: g(*y), 0.5, rounds)
    yield pair("multiply4 to_host", lambda: f(a, b).to_host(), lambda: g(a, b).to_host(), 0.5, rounds)

    program = compile_program(programs.many_arrays(), HOST_CPU_FLAGS)
    f20, g20 = ours.load(program).main, reference.load(program).main
    many = [a + i for i in range(20)]
    yield pair("20 arrays in and out", lambda: f20(*many), lambda: g20(*many), 0.5, rounds)

    program = compile_program(programs.dependent_matmuls(), HOST_CPU_FLAGS)
    chain, reference_chain = ours.load(program).main, reference.load(program).main
    w = np.eye(16, dtype=np.float32)
    x, y = ours.arrays(w, w), reference.arrays(w, w)
    yield pair("200 dependent dispatches", lambda: chain(*x), lambda: reference_chain(*y), 0.9, rounds)

    program = compile_program(programs.matmul(1024), HOST_CPU_FLAGS)
    large, reference_large = ours.load(program).main, reference.load(program).main
    m = np.random.default_rng(0).standard_normal((1024, 1024)).astype(np.float32)
    x, y = ours.arrays(m, m), reference.arrays(m, m)
    yield pair("matmul 1024", lambda: large(*x), lambda: reference_large(*y), 1.05, max(5, rounds // 4), 1.0)


def _tiers(ours: Side, reference: Side, rounds: int) -> Iterator[Row]:
    a, b = ours.runtime, reference.runtime
    yield pair("get_device cached", lambda: a.get_device("local-sync"), lambda: b.get_device("local-sync"), 0.5, rounds)
    yield pair("get_driver cached", lambda: a.get_driver("local-sync"), lambda: b.get_driver("local-sync"), 0.5, rounds)


def _loads(ours: Side, reference: Side, rounds: int) -> Iterator[Row]:
    def loader(side: Side, program: Path) -> Call:
        config = side.runtime.Config(device=side.device)
        instance, modules = config.vm_instance, list(config.default_vm_modules)
        mmap, context, path = side.runtime.VmModule.mmap, side.runtime.VmContext, str(program)
        return lambda: context(instance, [*modules, mmap(instance, path)])

    small = compile_program(programs.multiply(), CPU_FLAGS)
    name = f"load and context, {small.stat().st_size / 1e3:.0f} kB"
    yield pair(name, loader(ours, small), loader(reference, small), 1.05, rounds)
    big = compile_program(programs.big_constant(), CPU_FLAGS)
    name = f"load and context, {big.stat().st_size / 1e6:.0f} MB constant"
    yield pair(name, loader(ours, big), loader(reference, big), 1.05, rounds)


_IMPORT = """
import sys, time, numpy
start = time.perf_counter()
import {package} as rt
for name in {names}:
    getattr(rt, name)
print((time.perf_counter() - start) * 1e6)
"""

_MEMORY = """
import sys, numpy as np
def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4
before = resident()
import {package} as rt
config = rt.Config(device=rt.get_device("local-sync"))
module = rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, sys.argv[1]), config)
a = np.ones(4, np.float32)
module.main(a, a)
print(resident() - before)
"""


def _child(code: str, *arguments: str) -> float:
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def _processes(rounds: int) -> Iterator[Row]:
    """Measure what needs a process of its own each time."""
    median = statistics.median
    names = ["Config", "VmModule", "load_vm_module", "DeviceArray", "get_device", "HalDevice"]
    times: dict[str, list[float]] = {"iree_cy": [], "iree.runtime": []}
    memory: dict[str, list[float]] = {"iree_cy": [], "iree.runtime": []}
    program = str(compile_program(programs.multiply(), CPU_FLAGS))
    for _ in range(max(3, rounds // 4)):
        for package in times:
            times[package].append(_child(_IMPORT.format(package=package, names=names)))
            memory[package].append(_child(_MEMORY.format(package=package), program))
    ours, reference = (median(values) for values in times.values())
    # The goal is 40 ms, whatever the reference takes.
    yield Row("import over NumPy's", ours, reference, ours / reference, 40_000 / reference)
    ours, reference = (median(values) for values in memory.values())
    ratios = [a / b for a, b in zip(memory["iree_cy"], memory["iree.runtime"], strict=True)]
    yield Row("memory from import to one call", ours, reference, median(ratios), 1.05, "KiB")


def main() -> int:
    """Run the comparison; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare", description=__doc__)
    parser.add_argument("--rounds", type=int, default=41, help="paired runs per row (default: 41)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--check", action="store_true", help="exit with 1 when a row is over its goal")
    options = parser.parse_args()

    import iree.runtime

    import iree_cy

    ours, reference = Side(iree_cy), Side(iree.runtime)
    rows: list[Row] = []
    if not options.json:
        print(f"{'':34}{'iree_cy':>12}{'reference':>12}{'ratio':>8}{'goal':>7}")
    for group in (_calls, _tiers, _loads):
        for row in group(ours, reference, options.rounds):
            rows.append(_show(row, options.json))
    for row in _processes(options.rounds):
        rows.append(_show(row, options.json))
    if options.json:
        print(json.dumps([asdict(row) for row in rows], indent=2))
    return int(options.check and any(row.ratio > row.goal for row in rows))


def _show(row: Row, quiet: bool) -> Row:
    if not quiet:
        mark = "" if row.ratio <= row.goal else "  over"
        figures = f"{row.ours:>9.2f} {row.unit:<3}{row.reference:>8.2f} {row.unit:<3}{row.ratio:>7.2f}{row.goal:>7.2f}"
        print(f"{row.name:34}{figures}{mark}", flush=True)
    return row


if __name__ == "__main__":
    sys.exit(main())
