# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the tests of the values of asynchronous programs, however they are called, and of how their functions are found.

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import iree_cy as rt
from tests.support.asynchronous import DRIVERS, MODELS, ROW, beat, device_of, fence_of, load, program, run
from tests.support.programs import CPU_FLAGS, compile_program

# What torch's importer makes of this is a pair of functions, main and main$async, and no word of which is which.
TORCH = """
func.func @main(%a: !torch.vtensor<[4],f32>, %b: !torch.vtensor<[4],f32>) -> !torch.vtensor<[4],f32> {
  %0 = torch.aten.mul.Tensor %a, %b : !torch.vtensor<[4],f32>, !torch.vtensor<[4],f32> -> !torch.vtensor<[4],f32>
  return %0 : !torch.vtensor<[4],f32>
}
"""


@pytest.fixture(params=DRIVERS)
def driver(request: pytest.FixtureRequest) -> str:
    """Give the name of each local driver in turn."""
    name: str = request.param
    return name


@pytest.fixture(params=MODELS)
def module(request: pytest.FixtureRequest, driver: str) -> Any:
    """Give the program in each execution model on each driver."""
    return load(program(request.param), driver)


def check_values(call: Callable[..., Any], module: Any, convert: Callable[[Any], Any]) -> None:
    def host(value: Any) -> Any:
        return value.to_host()

    assert_array_equal(host(call(module.multiply, convert(ROW), convert(ROW + 1))), ROW * (ROW + 1))
    plus, times = call(module.two, convert(ROW), -3)
    assert_array_equal(host(plus), ROW - 3)
    assert_array_equal(host(times), ROW * -3)
    assert call(module.set, convert(np.zeros(4, np.float32))) is None
    for count in range(1, 4):
        assert_array_equal(host(call(module.add, convert(ROW))), ROW * count)
    assert host(call(module.double_until, convert(np.float32(3)), 100.0)) == 192
    assert call(module.first_of_double, convert(ROW)) == 2
    assert call(module.increment, 41) == 42
    assert call(module.count_up, 0) == 0
    square = np.random.default_rng(1).standard_normal((256, 256)).astype(np.float32) / 16
    expected = np.linalg.matrix_power(square.astype(np.float64), 4)
    assert_allclose(host(call(module.power, convert(square), 3)), expected, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("kind", ["ndarrays", "device arrays"])
def test_values_of_ordinary_calls(module: Any, kind: str) -> None:
    device = device_of(module)
    convert = np.asarray if kind == "ndarrays" else lambda array: rt.asdevicearray(device, array)
    check_values(lambda function, *args: function(*args), module, convert)


@pytest.mark.parametrize("kind", ["ndarrays", "device arrays"])
def test_values_of_awaited_calls(module: Any, kind: str) -> None:
    device = device_of(module)
    convert = np.asarray if kind == "ndarrays" else lambda array: rt.asdevicearray(device, array)

    def call(function: Any, *args: Any) -> Any:
        async def main() -> Any:
            return await function.call_async(*args)

        return run(main)

    check_values(call, module, convert)


def test_results_are_arguments_of_the_next_call(module: Any) -> None:
    async def main() -> Any:
        value: Any = ROW
        for _ in range(3):
            value = await module.multiply.call_async(value, ROW)
        return value.to_host()

    assert_array_equal(run(main), ROW**4)


def test_names_of_what_importers_write(driver: str) -> None:
    module = load(compile_program(TORCH), driver)
    assert "main$async" in module.vm_module.function_names
    for function in (module.main, module["main$async"]):
        assert_array_equal(function(ROW, ROW).to_host(), ROW * ROW)

        async def main(function: Any = function) -> Any:
            wait = fence_of(module)
            call = function.call_async(ROW, ROW, wait=wait)
            await beat()
            assert not call.done()
            wait.signal()
            return await call

        assert_array_equal(run(main).to_host(), ROW * ROW)


def test_name_of_a_function_that_has_fences_only(driver: str) -> None:
    source = """func.func @"main$async"(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = arith.addf %a, %a : tensor<4xf32>
      return %0 : tensor<4xf32>
    }"""
    module = load(compile_program(source, (*CPU_FLAGS, "--iree-execution-model=async-external")), driver)
    assert "main" in module
    assert_array_equal(module.main(ROW).to_host(), ROW + ROW)


@pytest.mark.parametrize("model", MODELS)
def test_ordinary_calls_wait_for_a_fence(driver: str, model: str) -> None:
    module = load(program(model), driver)
    wait = fence_of(module)
    with pytest.raises(rt.DeadlineExceeded):
        module.multiply.call(ROW, ROW, wait=wait, timeout=0.02)
    timer = threading.Timer(0.02, wait.signal)
    timer.start()
    assert_array_equal(module.multiply.call(ROW, ROW, wait=wait).to_host(), ROW * ROW)
    timer.join()
    failed = fence_of(module)
    failed.fail("it broke")
    with pytest.raises(rt.StatusError, match="it broke"):
        module.multiply.call(ROW, ROW, wait=failed)
