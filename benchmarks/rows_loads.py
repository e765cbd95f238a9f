# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the rows of what comes before a call: import, drivers, devices, loading, memory.
"""Rows of tiers, loads, imports and memory."""

from __future__ import annotations

import functools
import os
import statistics
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks import programs
from benchmarks.measure import AGAINST_REFERENCE, Bench, Call, Case, Group, Row, Side, child
from tests.support.programs import CPU_FLAGS, compile_program

__all__ = ["groups"]


def _cached(function: str, bench: Bench) -> Iterable[Row]:
    ours = getattr(bench.ours("local-sync").runtime, function)
    reference = getattr(bench.reference("local-sync").runtime, function)
    yield bench.pair(f"{function} cached", lambda: ours("local-sync"), lambda: reference("local-sync"), 0.5)


def _loader(side: Side, path: str) -> Call:
    config = side.runtime.Config(device=side.device)
    instance, modules = config.vm_instance, list(config.default_vm_modules)
    mmap, context = side.runtime.VmModule.mmap, side.runtime.VmContext
    return lambda: context(instance, [*modules, mmap(instance, path)])


def _load_small(bench: Bench) -> Iterable[Row]:
    path = str(compile_program(programs.multiply(), CPU_FLAGS))
    ours, reference = bench.ours("local-sync"), bench.reference("local-sync")
    yield bench.pair("load and context, small", _loader(ours, path), _loader(reference, path), 1.05)


def _load_big(bench: Bench) -> Iterable[Row]:
    megabytes = 1 if bench.quick else 50
    path = str(compile_program(programs.big_constant(megabytes), CPU_FLAGS))
    ours, reference = bench.ours("local-sync"), bench.reference("local-sync")
    yield bench.pair("load and context, 50 MB constant", _loader(ours, path), _loader(reference, path), 1.05)


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
_NAMES = ("Config", "VmModule", "load_vm_module", "DeviceArray", "get_device", "HalDevice")
_IMPORT_LIMIT_US = 40_000.0


def _children(bench: Bench, code: str, *arguments: str) -> tuple[list[float], list[float]]:
    ours: list[float] = []
    reference: list[float] = []
    for _ in range(1 if bench.quick else max(3, bench.rounds // 4)):
        ours.append(child(code.format(package="iree_cy", names=_NAMES), *arguments))
        reference.append(child(code.format(package="iree.runtime", names=_NAMES), *arguments))
    return ours, reference


def _import(bench: Bench) -> Iterable[Row]:
    ours, reference = (statistics.median(times) for times in _children(bench, _IMPORT))
    yield Row("import over NumPy's", ours, reference, ours / reference, _IMPORT_LIMIT_US, bounds_first=True)


def _memory(bench: Bench) -> Iterable[Row]:
    program = compile_program(programs.multiply(), CPU_FLAGS)
    ours, reference = _children(bench, _MEMORY, str(program))
    median = statistics.median
    ratio = median(a / b for a, b in zip(ours, reference, strict=True))
    yield Row("memory from import to one call", median(ours), median(reference), ratio, 1.05, "KiB")


# What the first driver may take longer than the standard library's answer to which entry points there are.
_FIRST_DRIVER_LIMIT_US = 10_000.0
_FIRST_DRIVER = """
import sys, time
sys.path.append(sys.argv[1])
start = time.perf_counter()
import iree_cy
iree_cy.get_driver("local-sync")
print((time.perf_counter() - start) * 1e6)
"""
_ENTRY_POINTS = """
import sys, time
sys.path.append(sys.argv[1])
from importlib.metadata import entry_points
start = time.perf_counter()
entry_points(group="iree_cy.drivers")
print((time.perf_counter() - start) * 1e6)
"""


def _first_driver(bench: Bench) -> Iterable[Row]:
    median = statistics.median
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder, "site")
        for i in range(300):
            metadata = site / f"package_{i}-1.0.dist-info"
            metadata.mkdir(parents=True)
            (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: package-{i}\nVersion: 1.0\n")
            if i % 3 == 0:
                drivers = f"[iree_cy.drivers]\ndriver-{i} = package:plugin\n" if i % 50 == 0 else ""
                (metadata / "entry_points.txt").write_text(f"[console_scripts]\ntool = package:main\n{drivers}")
        # Installed packages have their bytecode.
        environment = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": os.path.join(folder, "bytecode")}
        ours: list[float] = []
        theirs: list[float] = []
        child(_FIRST_DRIVER, str(site), environment=environment)
        for _ in range(1 if bench.quick else bench.rounds):
            ours.append(child(_FIRST_DRIVER, str(site), environment=environment))
            theirs.append(child(_ENTRY_POINTS, str(site), environment=environment))
    ratio = median(a / b for a, b in zip(ours, theirs, strict=True))
    goal = 1.0 + _FIRST_DRIVER_LIMIT_US / median(theirs)
    yield Row("first get_driver, 300 distributions", median(ours), median(theirs), ratio, goal)


def groups() -> Iterator[Group]:
    """Return the groups of these rows."""
    cases = [Case(f"{name} cached", functools.partial(_cached, name)) for name in ("get_device", "get_driver")]
    cases += [
        Case("load and context, small", _load_small),
        Case("load and context, 50 MB constant", _load_big),
        Case("import over NumPy's", _import),
        Case("memory from import to one call", _memory),
    ]
    yield Group("loads", "what comes before a call", AGAINST_REFERENCE, cases)
    title = "from a fresh process to a driver, import included, against entry_points() alone; the goal is 10 ms more"
    columns = ("iree_cy", "entry_points", "ratio")
    yield Group("discovery", title, columns, [Case("first get_driver, 300 distributions", _first_driver)])
