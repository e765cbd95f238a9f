# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the test that whole models compute what NumPy and ONNX's reference evaluator compute.

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from numpy.testing import assert_allclose

from tests.models import cnn
from tests.models.silero import original, program_source
from tests.programs.test_operations import load
from tests.support.programs import CPU_FLAGS, HOST_CPU_FLAGS, compile_program

MODELS = Path(__file__).resolve().parent.parent / "models"
both_targets = pytest.mark.parametrize("flags", [CPU_FLAGS, HOST_CPU_FLAGS], ids=["generic", "host"])


@both_targets
def test_convolutional_network(flags: tuple[str, ...]) -> None:
    module = load(compile_program(MODELS / "cnn.mlir", (*flags, "--iree-input-type=stablehlo")))
    images = np.random.default_rng(1).standard_normal((2, 28, 28, 1)).astype(np.float32)
    assert_allclose(module.main(images).to_host(), cnn.forward(images), rtol=1e-4, atol=1e-6)


@pytest.mark.skipif(
    tuple(map(int, onnx.__version__.split(".")[:2])) < (1, 23),
    reason=f"ONNX {onnx.__version__} does not evaluate the third output of LSTM, which is what is compared with",
)
@both_targets
def test_silero_vad_keeps_its_state_over_windows(flags: tuple[str, ...]) -> None:
    evaluate = original()
    module = load(compile_program(program_source(), flags))
    rng = np.random.default_rng(2)
    state = [np.zeros((1, 1, 128), np.float32), np.zeros((1, 1, 128), np.float32)]
    expected_state = list(state)
    for _ in range(4):
        window = (0.1 * rng.standard_normal((1, 576))).astype(np.float32)
        probability, *state = module.main_graph(window, *state)
        expected, *expected_state = evaluate(window, *expected_state)
        assert_allclose(probability.to_host(), expected, rtol=1e-3, atol=1e-5)
        for got, want in zip(state, expected_state, strict=True):
            assert_allclose(got.to_host(), want, rtol=1e-3, atol=1e-5)
