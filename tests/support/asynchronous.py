# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns what the tests of asynchronous calls share: a program in each execution model, and how coroutines are run.
"""Programs whose functions take fences, and coroutines that cannot hang."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import numpy as np

import iree_cy as rt
from tests.support.programs import CPU_FLAGS, compile_program

__all__ = [
    "DRIVERS",
    "MODELS",
    "PATIENCE",
    "ROW",
    "Gate",
    "beat",
    "descriptors",
    "device_of",
    "fence_of",
    "load",
    "program",
    "run",
    "until",
]

DRIVERS = ("local-sync", "local-task")
MODELS = ("sync", "async-internal", "async-external")
# What ends in any case, far above what it takes.
PATIENCE = 60.0

PROGRAM = """
func.func @multiply(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %0 = arith.mulf %a, %b : tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @mixed(%n: i32, %a: tensor<?xf32>, %m: i64, %b: tensor<?xf32>, %f: f32) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %size = tensor.dim %a, %c0 : tensor<?xf32>
  %k = arith.trunci %m : i64 to i32
  %s = arith.subi %n, %k : i32
  %g = arith.sitofp %s : i32 to f32
  %h = arith.mulf %f, %g : f32
  %e = tensor.empty(%size) : tensor<?xf32>
  %z = linalg.fill ins(%h : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %0 = arith.subf %a, %b : tensor<?xf32>
  %1 = arith.addf %0, %z : tensor<?xf32>
  return %1 : tensor<?xf32>
}
func.func @two(%a: tensor<4xf32>, %n: i32) -> (tensor<4xf32>, tensor<4xf32>) {
  %f = arith.sitofp %n : i32 to f32
  %e = tensor.empty() : tensor<4xf32>
  %s = linalg.fill ins(%f : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %0 = arith.addf %a, %s : tensor<4xf32>
  %1 = arith.mulf %a, %s : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
util.global private mutable @total = dense<0.0> : tensor<4xf32>
func.func @add(%a: tensor<4xf32>) -> tensor<4xf32> {
  %v = util.global.load @total : tensor<4xf32>
  %0 = arith.addf %v, %a : tensor<4xf32>
  util.global.store %0, @total : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @set(%a: tensor<4xf32>) {
  util.global.store %a, @total : tensor<4xf32>
  return
}
func.func @set_and_get(%a: tensor<1000000xf32>) -> tensor<1000000xf32> {
  return %a : tensor<1000000xf32>
}
func.func @double_until(%a: tensor<f32>, %limit: f32) -> tensor<f32> {
  %two = arith.constant dense<2.0> : tensor<f32>
  %r = scf.while (%x = %a) : (tensor<f32>) -> tensor<f32> {
    %v = tensor.extract %x[] : tensor<f32>
    %c = arith.cmpf olt, %v, %limit : f32
    scf.condition(%c) %x : tensor<f32>
  } do {
  ^bb0(%x: tensor<f32>):
    %y = arith.mulf %x, %two : tensor<f32>
    scf.yield %y : tensor<f32>
  }
  return %r : tensor<f32>
}
func.func @first_of_double(%a: tensor<4xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %0 = arith.addf %a, %a : tensor<4xf32>
  %v = tensor.extract %0[%c0] : tensor<4xf32>
  return %v : f32
}
func.func @increment(%n: i32) -> i32 {
  %c1 = arith.constant 1 : i32
  %m = arith.addi %n, %c1 : i32
  return %m : i32
}
func.func @count_up(%n: i32) -> i32 {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %r = scf.while (%x = %n) : (i32) -> i32 {
    %c = arith.cmpi ne, %x, %zero : i32
    scf.condition(%c) %x : i32
  } do {
  ^bb0(%x: i32):
    %y = arith.ori %x, %one : i32
    scf.yield %y : i32
  }
  return %r : i32
}
func.func @power(%a: tensor<256x256xf32>, %n: index) -> tensor<256x256xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> tensor<256x256xf32> {
    %e = tensor.empty() : tensor<256x256xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<256x256xf32>) -> tensor<256x256xf32>
    %y = linalg.matmul ins(%x, %a : tensor<256x256xf32>, tensor<256x256xf32>)
        outs(%z : tensor<256x256xf32>) -> tensor<256x256xf32>
    scf.yield %y : tensor<256x256xf32>
  }
  return %r : tensor<256x256xf32>
}
"""
ROW = np.arange(1, 5, dtype=np.float32)


def program(model: str) -> Path:
    return compile_program(PROGRAM, CPU_FLAGS if model == "sync" else (*CPU_FLAGS, f"--iree-execution-model={model}"))


def load(path: Path, driver: str) -> Any:
    config = rt.Config(device=rt.get_device(driver))
    return rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, path), config)


def device_of(module: Any) -> Any:
    return module._device


def run(main: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """Run a coroutine, which fails rather than hang."""

    async def limited() -> Any:
        return await asyncio.wait_for(main(), PATIENCE)

    return asyncio.run(limited())


def fence_of(module: Any) -> Any:
    return rt.HalFence.create_at(device_of(module).create_semaphore(0), 1)


async def beat(count: int = 3) -> None:
    """Let the loop go round."""
    for _ in range(count):
        await asyncio.sleep(0)


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.001)


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


class Gate:
    """A module whose function waits, in Python, until it is let through."""

    def __init__(self, device: Any) -> None:
        self.entered = threading.Event()
        self.open = threading.Event()
        interface = rt.PyModuleInterface("gate", lambda _: None)
        interface.export("pass_through", "0i_i", self._pass)
        self.function = rt.load_vm_module(interface.create(), rt.Config(device=device)).pass_through

    def _pass(self, _: Any, number: int) -> int:
        self.entered.set()
        assert self.open.wait(PATIENCE)
        return number
