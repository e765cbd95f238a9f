# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the single operations that compiled programs are tested with: source, inputs, and what NumPy says.
"""One small program per operation of linalg, arith, math, tensor and control flow."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["OPERATIONS", "Operation"]


@dataclass(frozen=True)
class Operation:
    """A program whose function ``main`` takes `inputs` and gives `expected`.

    `tolerance` is relative, and 0 for what must be exact.
    """

    name: str
    source: str
    inputs: tuple[Any, ...]
    expected: Any
    tolerance: float = 0.0

    @property
    def flags(self) -> tuple[str, ...]:
        """What the compiler needs beside the target."""
        # Without it, the compiler makes f32 of f64.
        return ("--iree-input-demote-f64-to-f32=false",) if "f64" in self.source else ()

    def __str__(self) -> str:
        return self.name


OPERATIONS: list[Operation] = []


def _add(name: str, source: str, *inputs: Any, expected: Any, tolerance: float = 0.0) -> None:
    OPERATIONS.append(Operation(name, source, inputs, expected, tolerance))


def _random(*shape: int, dtype: Any = np.float32) -> Any:
    rng = np.random.default_rng(math.prod(shape) + len(shape))
    if np.issubdtype(dtype, np.integer):
        return rng.integers(-50, 50, shape).astype(dtype)
    return rng.standard_normal(shape).astype(dtype)


def _elementwise(name: str, element: str, body: str, inputs: tuple[Any, ...], expected: Any, tolerance: float) -> None:
    """Add a program that maps `body` (from %x, %y to %r) over 4 x 5 elements."""
    tensor = f"tensor<4x5x{element}>"
    names = ["x", "y"][: len(inputs)]
    arguments = ", ".join(f"%{n}_all: {tensor}" for n in names)
    operands = ", ".join(f"%{n}_all" for n in names)
    types = ", ".join(tensor for _ in names)
    maps = ", ".join("affine_map<(i, j) -> (i, j)>" for _ in range(len(names) + 1))
    block = ", ".join(f"%{n}: {element}" for n in names) + f", %o: {element}"
    _add(
        name,
        f"""
func.func @main({arguments}) -> {tensor} {{
  %empty = tensor.empty() : {tensor}
  %result = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel"]}}
      ins({operands} : {types}) outs(%empty : {tensor}) {{
    ^bb0({block}):
      {body}
      linalg.yield %r : {element}
  }} -> {tensor}
  return %result : {tensor}
}}
""",
        *inputs,
        expected=expected,
        tolerance=tolerance,
    )


_X, _Y = _random(4, 5), _random(4, 5) + np.float32(3)
_P = np.abs(_X) + np.float32(0.5)
_I, _J = _random(4, 5, dtype=np.int32), _random(4, 5, dtype=np.int32) | np.int32(1)
_L = _random(4, 5, dtype=np.int64) * 10**10
_B = _random(4, 5, dtype=np.int8)
_D = _random(4, 5, dtype=np.float64)
_H = _random(4, 5).astype(np.float16)


def _arith() -> None:
    for name, function in {"addf": np.add, "subf": np.subtract, "mulf": np.multiply, "divf": np.divide}.items():
        _elementwise(f"arith_{name}", "f32", f"%r = arith.{name} %x, %y : f32", (_X, _Y), function(_X, _Y), 1e-6)
    _elementwise("arith_addf_f64", "f64", "%r = arith.addf %x, %y : f64", (_D, _D), _D + _D, 0)
    _elementwise("arith_mulf_f16", "f16", "%r = arith.mulf %x, %y : f16", (_H, _H), _H * _H, 1e-3)
    _elementwise("arith_maximumf", "f32", "%r = arith.maximumf %x, %y : f32", (_X, _Y), np.maximum(_X, _Y), 0)
    _elementwise("arith_negf", "f32", "%r = arith.negf %x : f32", (_X,), -_X, 0)
    integers: dict[str, Callable[..., Any]] = {
        "addi": np.add, "subi": np.subtract, "muli": np.multiply, "andi": np.bitwise_and, "ori": np.bitwise_or,
        "xori": np.bitwise_xor, "maxsi": np.maximum, "minsi": np.minimum,
    }  # fmt: skip
    for name, function in integers.items():
        _elementwise(f"arith_{name}", "i32", f"%r = arith.{name} %x, %y : i32", (_I, _J), function(_I, _J), 0)
    quotient = np.trunc(_I / _J).astype(np.int32)
    _elementwise("arith_divsi", "i32", "%r = arith.divsi %x, %y : i32", (_I, _J), quotient, 0)
    _elementwise("arith_remsi", "i32", "%r = arith.remsi %x, %y : i32", (_I, _J), _I - quotient * _J, 0)
    _elementwise("arith_addi_i64", "i64", "%r = arith.addi %x, %y : i64", (_L, _L), _L + _L, 0)
    _elementwise("arith_addi_i8", "i8", "%r = arith.addi %x, %y : i8", (_B, _B), _B + _B, 0)
    shifted = "%c = arith.constant 3 : i32\n      %r = arith.shrsi %x, %c : i32"
    _elementwise("arith_shrsi", "i32", shifted, (_I,), _I >> 3, 0)
    chosen = "%c = arith.cmpf olt, %x, %y : f32\n      %r = arith.select %c, %x, %y : f32"
    _elementwise("arith_cmpf_select", "f32", chosen, (_X, _Y), np.minimum(_X, _Y), 0)
    _add(
        "arith_cmpi_i1",
        """
func.func @main(%x: tensor<4x5xi32>, %y: tensor<4x5xi32>) -> tensor<4x5xi1> {
  %r = arith.cmpi slt, %x, %y : tensor<4x5xi32>
  return %r : tensor<4x5xi1>
}
""",
        _I, _J, expected=_I < _J,
    )  # fmt: skip
    _add(
        "arith_sitofp",
        """
func.func @main(%x: tensor<4x5xi32>) -> tensor<4x5xf32> {
  %r = arith.sitofp %x : tensor<4x5xi32> to tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
""",
        _I, expected=_I.astype(np.float32),
    )  # fmt: skip
    _add(
        "arith_fptosi",
        """
func.func @main(%x: tensor<4x5xf32>) -> tensor<4x5xi32> {
  %r = arith.fptosi %x : tensor<4x5xf32> to tensor<4x5xi32>
  return %r : tensor<4x5xi32>
}
""",
        _X * 100, expected=np.trunc(_X * 100).astype(np.int32),
    )  # fmt: skip
    _add(
        "arith_truncf",
        """
func.func @main(%x: tensor<4x5xf64>) -> tensor<4x5xf32> {
  %r = arith.truncf %x : tensor<4x5xf64> to tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
""",
        _D, expected=_D.astype(np.float32),
    )  # fmt: skip


def _math() -> None:
    functions: dict[str, tuple[Any, Callable[..., Any]]] = {
        "exp": (_X, np.exp), "log": (_P, np.log), "sqrt": (_P, np.sqrt), "rsqrt": (_P, lambda x: 1 / np.sqrt(x)),
        "tanh": (_X, np.tanh), "sin": (_X, np.sin), "cos": (_X, np.cos), "absf": (_X, np.abs),
        "floor": (_X * 3, np.floor), "ceil": (_X * 3, np.ceil),
    }  # fmt: skip
    for name, (x, function) in functions.items():
        tolerance = 0 if name in ("absf", "floor", "ceil") else 2e-5
        _elementwise(f"math_{name}", "f32", f"%r = math.{name} %x : f32", (x,), function(x), tolerance)
    erf = np.vectorize(math.erf, otypes=[np.float32])(_X)
    _elementwise("math_erf", "f32", "%r = math.erf %x : f32", (_X,), erf, 1e-4)
    _elementwise("math_powf", "f32", "%r = math.powf %x, %y : f32", (_P, _X), np.power(_P, _X), 1e-4)
    _elementwise("math_fma", "f32", "%r = math.fma %x, %y, %y : f32", (_X, _Y), _X * _Y + _Y, 1e-5)


def _linalg() -> None:
    a, b = _random(7, 9), _random(9, 11)
    _add(
        "linalg_matmul",
        """
func.func @main(%a: tensor<7x9xf32>, %b: tensor<9x11xf32>) -> tensor<7x11xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<7x11xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<7x11xf32>) -> tensor<7x11xf32>
  %r = linalg.matmul ins(%a, %b : tensor<7x9xf32>, tensor<9x11xf32>) outs(%init : tensor<7x11xf32>) -> tensor<7x11xf32>
  return %r : tensor<7x11xf32>
}
""",
        a, b, expected=a @ b, tolerance=1e-5,
    )  # fmt: skip
    p, q = _random(3, 4, 5), _random(3, 5, 6)
    _add(
        "linalg_batch_matmul",
        """
func.func @main(%a: tensor<3x4x5xf32>, %b: tensor<3x5x6xf32>) -> tensor<3x4x6xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<3x4x6xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %r = linalg.batch_matmul ins(%a, %b : tensor<3x4x5xf32>, tensor<3x5x6xf32>)
      outs(%init : tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  return %r : tensor<3x4x6xf32>
}
""",
        p, q, expected=p @ q, tolerance=1e-5,
    )  # fmt: skip
    _add(
        "linalg_transpose",
        """
func.func @main(%a: tensor<7x9xf32>) -> tensor<9x7xf32> {
  %empty = tensor.empty() : tensor<9x7xf32>
  %r = linalg.transpose ins(%a : tensor<7x9xf32>) outs(%empty : tensor<9x7xf32>) permutation = [1, 0]
  return %r : tensor<9x7xf32>
}
""",
        a, expected=a.T,
    )  # fmt: skip
    _add(
        "linalg_broadcast",
        """
func.func @main(%a: tensor<5xf32>) -> tensor<4x5xf32> {
  %empty = tensor.empty() : tensor<4x5xf32>
  %r = linalg.broadcast ins(%a : tensor<5xf32>) outs(%empty : tensor<4x5xf32>) dimensions = [0]
  return %r : tensor<4x5xf32>
}
""",
        _X[0], expected=np.broadcast_to(_X[0], (4, 5)),
    )  # fmt: skip
    _add(
        "linalg_reduce_add",
        """
func.func @main(%a: tensor<4x5xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.reduce { arith.addf } ins(%a : tensor<4x5xf32>) outs(%init : tensor<4xf32>) dimensions = [1]
  return %r : tensor<4xf32>
}
""",
        _X, expected=_X.sum(axis=1), tolerance=1e-5,
    )  # fmt: skip
    image, kernel = _random(1, 8, 8, 3), _random(3, 3, 3, 4)
    windows = np.lib.stride_tricks.sliding_window_view(image, (3, 3), axis=(1, 2))
    _add(
        "linalg_conv_2d",
        """
func.func @main(%x: tensor<1x8x8x3xf32>, %k: tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x6x6x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
  %r = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%x, %k : tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>)
      outs(%init : tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
  return %r : tensor<1x6x6x4xf32>
}
""",
        image, kernel, expected=np.einsum("nhwcij,ijco->nhwo", windows, kernel), tolerance=1e-4,
    )  # fmt: skip


def _tensor() -> None:
    _add(
        "tensor_extract_slice",
        """
func.func @main(%a: tensor<4x5xf32>) -> tensor<2x3xf32> {
  %r = tensor.extract_slice %a[1, 2] [2, 3] [1, 1] : tensor<4x5xf32> to tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
""",
        _X, expected=_X[1:3, 2:5],
    )  # fmt: skip
    inserted = _Y.copy()
    inserted[1:3, 2:5] = _X[:2, :3]
    _add(
        "tensor_insert_slice",
        """
func.func @main(%a: tensor<2x3xf32>, %b: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = tensor.insert_slice %a into %b[1, 2] [2, 3] [1, 1] : tensor<2x3xf32> into tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
""",
        np.ascontiguousarray(_X[:2, :3]), _Y, expected=inserted,
    )  # fmt: skip
    _add(
        "tensor_pad",
        """
func.func @main(%a: tensor<4x5xf32>) -> tensor<7x7xf32> {
  %value = arith.constant 9.0 : f32
  %r = tensor.pad %a low[1, 0] high[2, 2] {
    ^bb0(%i: index, %j: index):
      tensor.yield %value : f32
  } : tensor<4x5xf32> to tensor<7x7xf32>
  return %r : tensor<7x7xf32>
}
""",
        _X, expected=np.pad(_X, ((1, 2), (0, 2)), constant_values=9),
    )  # fmt: skip
    _add(
        "tensor_reshape",
        """
func.func @main(%a: tensor<4x5xf32>) -> tensor<20xf32> {
  %r = tensor.collapse_shape %a [[0, 1]] : tensor<4x5xf32> into tensor<20xf32>
  return %r : tensor<20xf32>
}
""",
        _X, expected=_X.reshape(20),
    )  # fmt: skip
    _add(
        "tensor_dim_dynamic",
        """
func.func @main(%a: tensor<?x5xf32>) -> tensor<?x5xf32> {
  %r = arith.addf %a, %a : tensor<?x5xf32>
  return %r : tensor<?x5xf32>
}
""",
        _X, expected=_X + _X,
    )  # fmt: skip
    _add(
        "tensor_empty_dynamic",
        """
func.func @main(%a: tensor<?x5xf32>) -> tensor<?x5xf32> {
  %r = arith.addf %a, %a : tensor<?x5xf32>
  return %r : tensor<?x5xf32>
}
""",
        np.zeros((0, 5), np.float32), expected=np.zeros((0, 5), np.float32),
    )  # fmt: skip
    _add(
        "tensor_0d",
        """
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %r = arith.mulf %a, %a : tensor<f32>
  return %r : tensor<f32>
}
""",
        np.array(3, np.float32), expected=np.array(9, np.float32),
    )  # fmt: skip
    _add(
        "tensor_gather",
        """
func.func @main(%a: tensor<7x9xf32>, %rows: tensor<4xi32>) -> tensor<4x9xf32> {
  %empty = tensor.empty() : tensor<4x9xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} ins(%rows : tensor<4xi32>) outs(%empty : tensor<4x9xf32>) {
    ^bb0(%row: i32, %o: f32):
      %i = arith.index_cast %row : i32 to index
      %j = linalg.index 1 : index
      %v = tensor.extract %a[%i, %j] : tensor<7x9xf32>
      linalg.yield %v : f32
  } -> tensor<4x9xf32>
  return %r : tensor<4x9xf32>
}
""",
        _random(7, 9), np.array([6, 0, 3, 3], np.int32), expected=_random(7, 9)[[6, 0, 3, 3]],
    )  # fmt: skip


def _control() -> None:
    _add(
        "scf_if",
        """
func.func @main(%c: i1, %a: tensor<4x5xf32>, %b: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = scf.if %c -> tensor<4x5xf32> {
    %s = arith.addf %a, %b : tensor<4x5xf32>
    scf.yield %s : tensor<4x5xf32>
  } else {
    %s = arith.subf %a, %b : tensor<4x5xf32>
    scf.yield %s : tensor<4x5xf32>
  }
  return %r : tensor<4x5xf32>
}
""",
        False, _X, _Y, expected=_X - _Y,
    )  # fmt: skip
    _add(
        "scf_for",
        """
func.func @main(%n: index, %a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %r = scf.for %i = %zero to %n step %one iter_args(%x = %a) -> tensor<4x5xf32> {
    %s = arith.addf %x, %a : tensor<4x5xf32>
    scf.yield %s : tensor<4x5xf32>
  }
  return %r : tensor<4x5xf32>
}
""",
        5, _X, expected=_X * 6, tolerance=1e-5,
    )  # fmt: skip
    _add(
        "scf_while",
        """
func.func @main(%limit: i32, %a: tensor<i32>) -> tensor<i32> {
  %r = scf.while (%x = %a) : (tensor<i32>) -> tensor<i32> {
    %v = tensor.extract %x[] : tensor<i32>
    %c = arith.cmpi slt, %v, %limit : i32
    scf.condition(%c) %x : tensor<i32>
  } do {
  ^bb0(%x: tensor<i32>):
    %s = arith.addi %x, %x : tensor<i32>
    scf.yield %s : tensor<i32>
  }
  return %r : tensor<i32>
}
""",
        100, np.array(3, np.int32), expected=np.array(192, np.int32),
    )  # fmt: skip
    _add(
        "cf_switch",
        """
func.func @main(%which: i32, %a: tensor<4x5xf32>, %b: tensor<4x5xf32>) -> tensor<4x5xf32> {
  cf.switch %which : i32, [default: ^last(%a : tensor<4x5xf32>), 1: ^one, 7: ^seven]
^one:
  %s = arith.mulf %a, %b : tensor<4x5xf32>
  cf.br ^last(%s : tensor<4x5xf32>)
^seven:
  %d = arith.addf %a, %b : tensor<4x5xf32>
  cf.br ^last(%d : tensor<4x5xf32>)
^last(%r: tensor<4x5xf32>):
  return %r : tensor<4x5xf32>
}
""",
        7, _X, _Y, expected=_X + _Y,
    )  # fmt: skip
    _add(
        "func_call",
        """
func.func private @helper(%a: tensor<4x5xf32>) -> tensor<4x5xf32> attributes {noinline} {
  %r = arith.addf %a, %a : tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
func.func @main(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %h = call @helper(%a) : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %r = call @helper(%h) : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
""",
        _X, expected=_X * 4,
    )  # fmt: skip


for _group in (_arith, _math, _linalg, _tensor, _control):
    _group()
