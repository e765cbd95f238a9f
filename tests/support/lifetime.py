# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns what the tests of lifetimes share: a program, and processes of their own that run a script.
"""A program for tests of threads, forks and exits, and scripts that run in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import iree_cy as rt
from tests.support.programs import CPU_FLAGS, ROOT, compile_program

__all__ = ["DRIVERS", "SIZE", "check_in_process", "load", "program", "run_scripts", "square"]

DRIVERS = ("local-sync", "local-task")
# Rows and columns of the product: large enough to be shared among threads.
SIZE = 192

_STATE = """
util.global private mutable @total = dense<0> : tensor<4xi32>
func.func @accumulate(%a: tensor<4xi32>) -> tensor<4xi32> {
  %0 = util.global.load @total : tensor<4xi32>
  %1 = arith.addi %0, %a : tensor<4xi32>
  util.global.store %1, @total : tensor<4xi32>
  return %1 : tensor<4xi32>
}
"""
# `forever` ends only for 0.
_FUNCTIONS = f"""
func.func @add(%a: tensor<4xi32>, %b: tensor<4xi32>) -> tensor<4xi32> {{
  %r = arith.addi %a, %b : tensor<4xi32>
  return %r : tensor<4xi32>
}}
func.func @matmul(%a: tensor<{SIZE}x{SIZE}xf32>, %b: tensor<{SIZE}x{SIZE}xf32>) -> tensor<{SIZE}x{SIZE}xf32> {{
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<{SIZE}x{SIZE}xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<{SIZE}x{SIZE}xf32>) -> tensor<{SIZE}x{SIZE}xf32>
  %r = linalg.matmul ins(%a, %b : tensor<{SIZE}x{SIZE}xf32>, tensor<{SIZE}x{SIZE}xf32>)
      outs(%init : tensor<{SIZE}x{SIZE}xf32>) -> tensor<{SIZE}x{SIZE}xf32>
  return %r : tensor<{SIZE}x{SIZE}xf32>
}}
func.func @forever(%n: i32) -> i32 {{
  %c0 = arith.constant 0 : i32
  %0 = scf.while (%i = %n) : (i32) -> i32 {{
    %go = arith.cmpi ne, %i, %c0 : i32
    scf.condition(%go) %i : i32
  }} do {{
  ^bb0(%i: i32):
    %1 = arith.ori %i, %n : i32
    scf.yield %1 : i32
  }}
  return %0 : i32
}}
"""


def program(*, is_stateful: bool = True, is_async: bool = False) -> Path:
    """Compile the program: ``add``, ``matmul``, ``forever`` and, with a state, ``accumulate``.

    Of an asynchronous one, each function takes a fence to wait for and one to signal.
    """
    flags = (*CPU_FLAGS, "--iree-execution-model=async-external") if is_async else CPU_FLAGS
    return compile_program((_STATE if is_stateful else "") + _FUNCTIONS, flags)


def load(path: Path, device: Any) -> Any:
    """Load a program on a device, in a context of its own."""
    config = rt.Config(device=device)
    return rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, path), config)


def square(seed: int) -> Any:
    """Return an argument of ``matmul``, whose product with itself is exact."""
    return np.random.default_rng(seed).integers(-8, 8, (SIZE, SIZE)).astype(np.float32)


def check_in_process(driver: str, path: str) -> None:
    """Compute something and compare: for a process that another starts."""
    argument = square(1)
    result = load(Path(path), rt.get_device(driver)).matmul(argument, argument).to_host()
    np.testing.assert_array_equal(result, argument @ argument)


# What each script begins with. What is Python or NumPy is imported once, and nothing of the core; then each run is a
# process of its own that ends as any other.
_RUNS = """
import os, signal, sys, threading
import numpy as np
import asyncio, importlib.metadata, iree_cy._devices, iree_cy._signature, iree_cy.program
assert "iree_cy._core" not in sys.modules
DRIVER, PROGRAM, COUNT, LIMIT = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
for _ in range(COUNT):
    process = os.fork()
    if process == 0:
        signal.alarm(LIMIT)
        break
    status = os.waitpid(process, 0)[1]
    if status:
        sys.exit(f"the wait status of a run is {status}")
else:
    sys.exit()
"""
# `call` is small, `compute` is large, and both check what comes out.
_PRELUDE = """
import iree_cy as rt
from iree_cy import _core
def load(device=None):
    config = rt.Config(device=device or rt.get_device(DRIVER))
    return rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, PROGRAM), config)
ones = np.ones(4, np.int32)
def call(module):
    result = module.add(ones, ones)
    assert result.to_host().tolist() == [2] * 4
    return result
square = np.full((SIZE, SIZE), 2, np.float32)
def compute(module):
    result = module.matmul(square, square)
    assert (result.to_host() == 4 * SIZE).all()
    return result
""".replace("SIZE", str(SIZE))


def run_scripts(
    code: str,
    driver: str,
    path: Path,
    *,
    count: int = 1,
    options: Sequence[str] = ("-W", "error"),
    stdout: str = "",
    limit: int = 30,
) -> None:
    """Run a script `count` times, each in a process of its own, and check that it ends well and says nothing.

    Parameters
    ----------
    code
        The script, to which a prelude is put in front: see its text.
    driver
        The driver's name, ``DRIVER`` in the script.
    path
        The program, ``PROGRAM`` in the script.
    count
        How many processes run it.
    options
        Options of Python.
    stdout
        What all of them together are to print.
    limit
        Seconds that one of them may take.
    """
    root = str(Path(rt.__file__).resolve().parent.parent)
    # NumPy's own threads would only be in the way.
    environment = {**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{ROOT}", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, *options, "-c", _RUNS + _PRELUDE + code, driver, str(path)]

    def run(share: int) -> tuple[int, str, str]:
        done = subprocess.run(
            [*command, str(share), str(limit)],
            env=environment,
            capture_output=True,
            text=True,
            timeout=share * limit,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    # Many of them two at a time.
    shares = [count] if count < 10 else [count // 2, count - count // 2]
    with ThreadPoolExecutor(len(shares)) as pool:
        told = list(pool.map(run, shares))
    for status, output, error in told:
        assert (status, error) == (0, ""), f"{status}\n{output}\n{error}"
    assert "".join(output for _, output, _ in told) == stdout
