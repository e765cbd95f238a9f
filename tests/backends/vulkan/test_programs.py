# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests that programs compiled for Vulkan compute what NumPy computes, on Debian's software device.
"""Programs on the vulkan driver."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import iree_cy as rt
from benchmarks.programs import dependent_matmuls, matmul, multiply
from tests.programs.operations import OPERATIONS, Operation
from tests.support.programs import CompileError, compile_program

FLAGS = ("--iree-hal-target-device=vulkan", "--iree-vulkan-target=llvmpipe")


@pytest.fixture(scope="module")
def device(lavapipe: str) -> Iterator[rt.HalDevice]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VK_DRIVER_FILES", lavapipe)
        patch.delenv("VK_ICD_FILENAMES", raising=False)
        yield rt.get_device("vulkan", cache=False)


def load(program: Path, device: rt.HalDevice) -> Any:
    config = rt.Config(device=device)
    return rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, program), config)


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_operation(operation: Operation, device: rt.HalDevice) -> None:
    module = load(compile_program(operation.source, (*FLAGS, *operation.flags)), device)
    result = module.main(*operation.inputs).to_host()
    expected = np.asarray(operation.expected)
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    if operation.tolerance:
        assert_allclose(result, expected, rtol=operation.tolerance, atol=operation.tolerance)
    else:
        assert_array_equal(result, expected)
