# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the programs that the benchmarks run.
"""Sources of the programs that are measured."""

from __future__ import annotations

import numpy as np

__all__ = ["big_constant", "dependent_matmuls", "independent_matmuls", "many_arrays", "matmul", "multiply"]


def multiply(elements: int = 4) -> str:
    """Return a program that multiplies two f32 vectors."""
    tensor = f"tensor<{elements}xf32>"
    return f"""
func.func @main(%a: {tensor}, %b: {tensor}) -> {tensor} {{
  %r = arith.mulf %a, %b : {tensor}
  return %r : {tensor}
}}
"""


def many_arrays(count: int = 20) -> str:
    """Return a program with `count` arguments and as many results, each argument doubled."""
    tensor = "tensor<4xf32>"
    arguments = ", ".join(f"%a{i}: {tensor}" for i in range(count))
    body = "\n".join(f"  %r{i} = arith.addf %a{i}, %a{i} : {tensor}" for i in range(count))
    results = ", ".join(f"%r{i}" for i in range(count))
    types = ", ".join([tensor] * count)
    return f"func.func @main({arguments}) -> ({types}) {{\n{body}\n  return {results} : {types}\n}}\n"


def matmul(n: int) -> str:
    """Return a program that multiplies two f32 matrices of n x n."""
    tensor = f"tensor<{n}x{n}xf32>"
    return f"""
func.func @main(%a: {tensor}, %b: {tensor}) -> {tensor} {{
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : {tensor}
  %init = linalg.fill ins(%zero : f32) outs(%empty : {tensor}) -> {tensor}
  %r = linalg.matmul ins(%a, %b : {tensor}, {tensor}) outs(%init : {tensor}) -> {tensor}
  return %r : {tensor}
}}
"""


def dependent_matmuls(count: int = 200, n: int = 16) -> str:
    """Return a program of `count` matrix products of n x n, each a dispatch that needs the one before."""
    tensor = f"tensor<{n}x{n}xf32>"
    lines = [
        f"func.func @main(%x0: {tensor}, %w: {tensor}) -> {tensor} {{",
        "  %zero = arith.constant 0.0 : f32",
        f"  %empty = tensor.empty() : {tensor}",
        f"  %init = linalg.fill ins(%zero : f32) outs(%empty : {tensor}) -> {tensor}",
    ]
    for i in range(count):
        lines.append(
            f"  %x{i + 1} = linalg.matmul ins(%x{i}, %w : {tensor}, {tensor}) outs(%init : {tensor}) -> {tensor}"
        )
    return "\n".join([*lines, f"  return %x{count} : {tensor}", "}"]) + "\n"


def independent_matmuls(count: int = 200, n: int = 16) -> str:
    """Return a program of `count` matrix products of n x n, each a dispatch and a result that needs no other."""
    tensor, stack = f"tensor<{n}x{n}xf32>", f"tensor<{count}x{n}x{n}xf32>"
    results = ", ".join([tensor] * count)
    lines = [
        f"func.func @main(%x: {tensor}, %w: {stack}) -> ({results}) {{",
        "  %zero = arith.constant 0.0 : f32",
        f"  %empty = tensor.empty() : {tensor}",
        f"  %init = linalg.fill ins(%zero : f32) outs(%empty : {tensor}) -> {tensor}",
    ]
    for i in range(count):
        lines += [
            f"  %w{i} = tensor.extract_slice %w[{i}, 0, 0] [1, {n}, {n}] [1, 1, 1] : {stack} to {tensor}",
            f"  %r{i} = linalg.matmul ins(%x, %w{i} : {tensor}, {tensor}) outs(%init : {tensor}) -> {tensor}",
        ]
    names = ", ".join(f"%r{i}" for i in range(count))
    return "\n".join([*lines, f"  return {names} : {results}", "}"]) + "\n"


def big_constant(megabytes: int = 50) -> str:
    """Return a program that holds a constant of so many megabytes and gives one row of it."""
    rows = megabytes * 1_000_000 // 4096
    values = np.random.default_rng(0).standard_normal((rows, 1024)).astype("<f4")
    tensor = f"tensor<{rows}x1024xf32>"
    return f"""
util.global private @weights = dense<"0x{values.tobytes().hex().upper()}"> : {tensor}
func.func @main(%row: index) -> tensor<1024xf32> {{
  %w = util.global.load @weights : {tensor}
  %r = tensor.extract_slice %w[%row, 0] [1, 1024] [1, 1] : {tensor} to tensor<1024xf32>
  return %r : tensor<1024xf32>
}}
"""
