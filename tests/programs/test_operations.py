# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the test that single operations compute what NumPy computes.

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import iree_cy as rt
from tests.programs.operations import OPERATIONS, Operation
from tests.support.programs import CPU_FLAGS, HOST_CPU_FLAGS, compile_program


def load(program: Path) -> Any:
    config = rt.Config(device=rt.get_device("local-sync"))
    return rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, program), config)


@pytest.mark.parametrize("flags", [CPU_FLAGS, HOST_CPU_FLAGS], ids=["generic", "host"])
@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_operation(operation: Operation, flags: tuple[str, ...]) -> None:
    module = load(compile_program(operation.source, (*flags, *operation.flags)))
    result = module.main(*operation.inputs).to_host()
    expected = np.asarray(operation.expected)
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    if operation.tolerance:
        assert_allclose(result, expected, rtol=operation.tolerance, atol=operation.tolerance)
    else:
        assert_array_equal(result, expected)
