# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the test that programs whose device code is bytecode compute what NumPy computes, and do nothing else.
"""Everything here runs on a device that refuses native code, ``local-sync://?formats=vmvx``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import iree_cy as rt
from tests.programs.operations import OPERATIONS, Operation
from tests.support.programs import CPU_FLAGS, CompileError, compile_program

VMVX_FLAGS = ("--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=vmvx")
# With these, the compiler calls the runtime's kernels where it can.
KERNEL_FLAGS = (*VMVX_FLAGS, "--iree-vmvx-enable-microkernels", "--iree-vmvx-enable-ukernels-decompose-linalg-generic")
TILING_FLAGS = (*VMVX_FLAGS, "--iree-vmvx-enable-microkernels", "--iree-opt-data-tiling")

# What the compiler has no bytecode for.
NOT_FOR_VMVX = {"arith_mulf_f16", "arith_truncf"}

DEVICE = "local-sync://?formats=vmvx"


def load(program: Path, uri: str = DEVICE, **limits: Any) -> Any:
    config = rt.Config(device=rt.get_device(uri), **limits)
    return rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, program), config)


def check(result: Any, expected: Any, tolerance: float) -> None:
    expected = np.asarray(expected)
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    if tolerance:
        assert_allclose(result, expected, rtol=tolerance, atol=tolerance)
    else:
        assert_array_equal(result, expected)


@pytest.mark.parametrize("flags", [VMVX_FLAGS, KERNEL_FLAGS], ids=["loops", "kernels"])
@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_operation(operation: Operation, flags: tuple[str, ...]) -> None:
    if operation.name in NOT_FOR_VMVX:
        with pytest.raises(CompileError):
            compile_program(operation.source, (*flags, *operation.flags))
        return
    module = load(compile_program(operation.source, (*flags, *operation.flags)))
    if operation.name == "linalg_transpose" and flags is KERNEL_FLAGS:
        # The compiler gives the kernel the strides of the result for the operand, beyond its end.
        with pytest.raises(rt.StatusError, match="252"):
            module.main(*operation.inputs).to_host()
        return
    expected = operation.expected
    if operation.name == "arith_fptosi":
        # Bytecode rounds to nearest, halves away from zero, where native code truncates.
        expected = np.trunc(operation.inputs[0] + np.copysign(0.5, operation.inputs[0])).astype(np.int32)
    check(module.main(*operation.inputs).to_host(), expected, operation.tolerance)


def matmul(element: str, result: str, zero: str) -> str:
    lhs, rhs, out = f"tensor<33x17x{element}>", f"tensor<17x45x{element}>", f"tensor<33x45x{result}>"
    return f"""
func.func @main(%lhs: {lhs}, %rhs: {rhs}) -> {out} {{
  %zero = arith.constant {zero} : {result}
  %empty = tensor.empty() : {out}
  %init = linalg.fill ins(%zero : {result}) outs(%empty : {out}) -> {out}
  %r = linalg.matmul ins(%lhs, %rhs : {lhs}, {rhs}) outs(%init : {out}) -> {out}
  return %r : {out}
}}
"""


def test_product_of_floats_in_tiles() -> None:
    """Pack, product and unpack, with sizes that leave padding in every tile."""
    rng = np.random.default_rng(1)
    lhs = rng.standard_normal((33, 17)).astype(np.float32)
    rhs = rng.standard_normal((17, 45)).astype(np.float32)
    module = load(compile_program(matmul("f32", "f32", "0.0"), TILING_FLAGS))
    check(module.main(lhs, rhs).to_host(), lhs @ rhs, 1e-5)


def test_product_of_bytes_in_tiles() -> None:
    rng = np.random.default_rng(2)
    lhs = rng.integers(-128, 128, (33, 17)).astype(np.int8)
    rhs = rng.integers(-128, 128, (17, 45)).astype(np.int8)
    module = load(compile_program(matmul("i8", "i32", "0"), TILING_FLAGS))
    check(module.main(lhs, rhs).to_host(), lhs.astype(np.int32) @ rhs.astype(np.int32), 0)


ADD = """
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = arith.addf %x, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}
"""


def test_inputs_stay_as_they_are() -> None:
    """Arguments are used in place and are read-only for the program."""
    x = np.arange(100_000, dtype=np.float32)
    y = np.ones_like(x)
    module = load(compile_program(ADD, VMVX_FLAGS))
    assert_array_equal(module.main(x, y).to_host(), x + 1)
    assert_array_equal(x, np.arange(100_000, dtype=np.float32))


def test_native_code_is_refused() -> None:
    with pytest.raises(rt.StatusError, match=r"embedded-elf.*does not take"):
        load(compile_program(ADD, CPU_FLAGS))


def test_limit_counts_device_code() -> None:
    """A program whose host code is short and whose device code is long runs into the limit there."""
    x = np.ones(100_000, dtype=np.float32)
    program = compile_program(ADD, VMVX_FLAGS)
    assert_array_equal(load(program, max_instructions=10_000_000).main(x, x).to_host(), x + x)
    with pytest.raises(rt.StatusError, match="max_instructions"):
        load(program, max_instructions=20_000).main(x, x).to_host()
