# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the rows of threads: several that call at once, and what those of a device cost when there is nothing to do.
"""Rows of calls from several threads, of idle devices and of devices never used."""

from __future__ import annotations

import functools
import statistics
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from benchmarks import programs
from benchmarks.measure import AGAINST_REFERENCE, Bench, Call, Case, Group, Row, Side, child
from tests.support.programs import CPU_FLAGS, compile_program

__all__ = ["groups"]

_THREADS = 8
_CALLS = 250


def _burst(side: Side) -> Call:
    """Return what lets 8 threads call one small function at once, each with inputs of its own, and waits for them."""
    f = side.load(programs.multiply()).main
    pool = ThreadPoolExecutor(_THREADS)
    barrier = threading.Barrier(_THREADS)

    def work(seed: int) -> None:
        a, b = np.full(4, seed, np.float32), np.full(4, 2, np.float32)
        barrier.wait()
        for _ in range(_CALLS):
            f(a, b)

    return lambda: list(pool.map(work, range(_THREADS)))


def _at_once(driver: str, bench: Bench) -> Iterable[Row]:
    yield bench.pair(
        _at_once_name(driver),
        _burst(bench.ours(driver)),
        _burst(bench.reference(driver)),
        0.5,
        milliseconds=1.0,
        per=_THREADS * _CALLS,
    )


def _at_once_name(driver: str) -> str:
    return f"{_THREADS} threads on {driver}"


_IDLE = """
import sys, time, numpy as np
import {package} as rt
config = rt.Config(device=rt.get_device("local-task"))
module = rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, sys.argv[1]), config)
n, seconds = int(sys.argv[2]), float(sys.argv[3])
a = np.ones((n, n), np.float32)
module.main(a, a).to_host()
before = time.process_time()
time.sleep(seconds)
print((time.process_time() - before) * 1e3)
"""

_UNUSED = """
import os
import {package} as rt
rt.get_driver("local-task")
before = len(os.listdir("/proc/self/task"))
device = rt.get_device("local-task")
print(len(os.listdir("/proc/self/task")) - before)
"""
_PACKAGES = ("iree_cy", "iree.runtime")
_IDLE_SECONDS = 2.0
_IDLE_LIMIT_MS = 20.0
# NumPy's own threads are not what is measured.
_ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1"}


def _idle(bench: Bench) -> Iterable[Row]:
    n, seconds = (64, 0.01) if bench.quick else (1024, _IDLE_SECONDS)
    program = str(compile_program(programs.matmul(n), CPU_FLAGS))
    ours, reference = (
        statistics.median(
            child(_IDLE.format(package=package), program, str(n), str(seconds), environment=_ONE_THREAD)
            for _ in range(1 if bench.quick else 3)
        )
        for package in _PACKAGES
    )
    ratio = ours / max(reference, 1e-3)
    yield Row("CPU time idle for 2 s", ours, reference, ratio, _IDLE_LIMIT_MS, "ms", bounds_first=True)


def _unused(bench: Bench) -> Iterable[Row]:
    ours, reference = (child(_UNUSED.format(package=package), environment=_ONE_THREAD) for package in _PACKAGES)
    yield Row("threads of a device never used", ours, reference, ours / max(reference, 1), 0, "", bounds_first=True)


def groups() -> Iterator[Group]:
    """Return the groups of these rows."""
    cases = [
        *(Case(_at_once_name(driver), functools.partial(_at_once, driver)) for driver in ("local-sync", "local-task")),
        Case("CPU time idle for 2 s", _idle),
        Case("threads of a device never used", _unused),
    ]
    yield Group("threads", f"threads; {_THREADS} at once: time per call of all together", AGAINST_REFERENCE, cases)
