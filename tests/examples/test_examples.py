# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the tests of the examples: each program against NumPy, each script from its command line.

from __future__ import annotations

import asyncio
import importlib.util
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import iree_cy as rt
from tests.support.programs import CPU_FLAGS, HOST_CPU_FLAGS, compile_program

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"
EXTRA_FLAGS = {
    "element_types": ("--iree-input-demote-f64-to-f32=false",),
    "asynchronous": ("--iree-execution-model=async-external",),
}
RNG = np.random.default_rng(5)


def floats(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype(np.float32)


def program(name: str, flags: tuple[str, ...] = CPU_FLAGS) -> Path:
    return compile_program(EXAMPLES / f"{name}.mlir", (*flags, *EXTRA_FLAGS.get(name, ())))


def softmax(x: Any) -> Any:
    exponentials = np.exp(x - x.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def elementwise(module: Any) -> None:
    a, b, x = floats(4), floats(4), floats(2, 3)
    assert_array_equal(module.main(a, b).to_host(), a * b)
    assert_allclose(module.polynomial(x).to_host(), 0.5 * x**2 - x + 2, rtol=1e-5)


def mlp(module: Any) -> None:
    images = floats(8, 784)
    weights = make_mlp().weights()
    hidden = np.maximum(images @ weights["w1"] + weights["b1"], 0)
    result = module.forward(images).to_host()
    assert result.dtype == np.float32
    assert result.shape == (8, 10)
    assert_allclose(result, softmax(hidden @ weights["w2"] + weights["b2"]), rtol=1e-3, atol=1e-6)


def dynamic_shapes(module: Any) -> None:
    for rows, inner, columns in ((1, 1, 1), (5, 1, 7), (64, 64, 64), (3, 100, 2)):
        a, b = floats(rows, inner), floats(inner, columns)
        assert_allclose(module.matmul(a, b).to_host(), a @ b, rtol=1e-3, atol=1e-4)
        assert_allclose(module.softmax(a).to_host(), softmax(a), rtol=1e-4, atol=1e-6)


def loop(module: Any) -> None:
    for start, steps in ((1, 0), (2, 1), (7, 16), (27, 111), (97, 118), (837799, 524)):
        assert module.collatz(start) == steps
    matrix, vector = floats(3, 3), floats(3)
    for exponent in (0, 1, 5):
        expected = np.linalg.matrix_power(matrix.astype(np.float64), exponent) @ vector
        assert_allclose(module.apply_repeatedly(matrix, vector, exponent).to_host(), expected, rtol=1e-4, atol=1e-4)
    for x in (0.25, 1, 2, 1e6):
        root, steps = module.square_root(np.float32(x))
        assert_allclose(root.to_host(), np.sqrt(x), rtol=1e-6)
        assert 1 <= steps < 30


def counter(module: Any) -> None:
    rows = floats(5, 3)
    for count in range(1, 6):
        assert module.add(rows[count - 1]) == count
        assert_allclose(module.mean().to_host(), rows[:count].mean(axis=0), rtol=1e-5, atol=1e-6)
    assert module.reset() is None
    assert module.add(rows[0]) == 1
    assert_array_equal(module.mean().to_host(), rows[0])


def several_results(module: Any) -> None:
    a, b = floats(2, 3), floats(2, 3)
    results = module.main(a, b, -7)
    assert isinstance(results, tuple)
    total, product, dot, is_less, n = results
    assert_array_equal(total.to_host(), a + b)
    assert_array_equal(product.to_host(), a * b)
    assert dot.to_host().shape == ()
    assert_allclose(dot.to_host(), np.vdot(a, b), rtol=1e-5, atol=1e-6)
    assert is_less.to_host().dtype == np.bool_
    assert_array_equal(is_less.to_host(), a < b)
    assert n == -6


def element_types(module: Any) -> None:
    cases: dict[str, tuple[Callable[[Any, Any], Any], Any]] = {
        "i1": (np.logical_xor, np.bool_),
        "i8": (np.add, np.int8),
        "i32": (np.multiply, np.int32),
        "i64": (np.subtract, np.int64),
        "f16": (np.multiply, np.float16),
        "f64": (np.divide, np.float64),
    }
    for name, (operation, dtype) in cases.items():
        a, b = (100 * RNG.standard_normal((2, 4))).astype(dtype)
        result = module[name](a, b).to_host()
        assert result.dtype == dtype
        assert_array_equal(result, operation(a, b))
    assert module.scalars(True, -8, -(2**60), 0.25, 2.0) == (False, -7, -(2**60) + 1, 0.5, 2 / 3)
    assert module.scalars(False, 0, 0, 0, 0) == (True, 1, 1, 0.0, 0.0)


def asynchronous(module: Any) -> None:
    a, b = floats(64, 64), floats(64, 64)
    assert_allclose(module.mix(a, b).to_host(), a @ b, rtol=1e-3, atol=1e-4)

    async def main() -> Any:
        return await module.power.call_async(b / 8, 2)

    assert_allclose(asyncio.run(main()).to_host(), np.linalg.matrix_power(b / 8, 3), rtol=1e-3, atol=1e-4)


CHECKS = (elementwise, mlp, dynamic_shapes, loop, counter, several_results, element_types, asynchronous)
NAMES = [check.__name__ for check in CHECKS]
# A line of what each script prints.
SHOWN = {
    "elementwise": "[1. 2. 3. 4.] * [10. 20. 30. 40.] = [ 10.  40.  90. 160.]",
    "mlp": "class ",
    "dynamic_shapes": "33x17 times 17x65",
    "loop": "Collatz: 111 steps from 27 to 1",
    "counter": "4 rows, mean [4.5 5.5 6.5]",
    "several_results": "dot: 109.0",
    "element_types": "[   2    0 -128  127]",
    "asynchronous": "100 calls at once\n0 done before the fence\nthe semaphore is at 2\ntoo long: ",
}


def make_mlp() -> Any:
    spec = importlib.util.spec_from_file_location("make_mlp", EXAMPLES / "make_mlp.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run_script(name: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / f"{name}.py"), *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("flags", [CPU_FLAGS, HOST_CPU_FLAGS], ids=["generic", "host"])
@pytest.mark.parametrize("check", CHECKS, ids=NAMES)
def test_program(check: Callable[[Any], None], flags: tuple[str, ...]) -> None:
    config = rt.Config(device=rt.get_device("local-sync"))
    vm_module = rt.VmModule.mmap(config.vm_instance, program(check.__name__, flags))
    check(rt.load_vm_module(vm_module, config))


@pytest.mark.parametrize("name", NAMES)
def test_script(name: str) -> None:
    assert SHOWN[name] in run_script(name, "--device=local-sync", str(program(name)))


def test_script_compiles() -> None:
    pytest.importorskip("iree.compiler")
    assert SHOWN["elementwise"] in run_script("elementwise")


def test_mlp_is_what_its_script_writes() -> None:
    text = (EXAMPLES / "mlp.mlir").read_text()
    assert text == make_mlp().source()
    assert len(text) < 150_000


def test_each_program_has_a_script_and_a_line_in_the_list() -> None:
    readme = (EXAMPLES / "README.md").read_text()
    assert sorted(path.stem for path in EXAMPLES.glob("*.mlir")) == sorted(NAMES)
    for name in NAMES:
        assert (EXAMPLES / f"{name}.py").is_file()
        assert f"[{name}]({name}.mlir)" in readme
