# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Makes mlp.mlir: writes the network with its weights as constants. Run it after changing either.

from pathlib import Path

import numpy as np

INPUTS, HIDDEN, OUTPUTS, BATCH = 784, 16, 10, 8


def uniform(seed, shape, bound):
    """Numbers between -bound and bound that are the same everywhere and always (splitmix64)."""
    state = np.arange(1, np.prod(shape) + 1, dtype=np.uint64) + (np.uint64(seed) << np.uint64(32))
    state *= np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    state ^= state >> np.uint64(31)
    unit = (state >> np.uint64(40)).astype(np.float32) / np.float32(1 << 23) - np.float32(1)
    return (unit * np.float32(bound)).reshape(shape)


def weights():
    """The weights as a freshly initialised network has them: bounded by sqrt(6 / inputs) of each layer."""
    return {
        "w1": uniform(1, (INPUTS, HIDDEN), (6 / INPUTS) ** 0.5),
        "b1": uniform(2, (HIDDEN,), 0.1),
        "w2": uniform(3, (HIDDEN, OUTPUTS), (6 / HIDDEN) ** 0.5),
        "b2": uniform(4, (OUTPUTS,), 0.1),
    }


def constant(name, array):
    shape = "x".join(map(str, array.shape))
    data = array.astype("<f4").tobytes().hex().upper()
    return f'  %{name} = arith.constant dense<"0x{data}"> : tensor<{shape}xf32>'


def source():
    constants = "\n".join(constant(name, array) for name, array in weights().items())
    images, hidden, scores = (f"tensor<{BATCH}x{size}xf32>" for size in (INPUTS, HIDDEN, OUTPUTS))
    return f"""\
// SPDX-FileCopyrightText: 2026 The iree_cy Authors
// SPDX-License-Identifier: Apache-2.0
// Holds a network of two layers with its weights, written by make_mlp.py: softmax(relu(x w1 + b1) w2 + b2).

func.func @forward(%images: {images}) -> {scores} {{
{constants}
  %zero = arith.constant 0.0 : f32
  %empty1 = tensor.empty() : {hidden}
  %bias1 = linalg.broadcast ins(%b1 : tensor<{HIDDEN}xf32>) outs(%empty1 : {hidden}) dimensions = [0]
  %sum1 = linalg.matmul ins(%images, %w1 : {images}, tensor<{INPUTS}x{HIDDEN}xf32>)
      outs(%bias1 : {hidden}) -> {hidden}
  %zeros = linalg.fill ins(%zero : f32) outs(%empty1 : {hidden}) -> {hidden}
  %relu = arith.maximumf %sum1, %zeros : {hidden}
  %empty2 = tensor.empty() : {scores}
  %bias2 = linalg.broadcast ins(%b2 : tensor<{OUTPUTS}xf32>) outs(%empty2 : {scores}) dimensions = [0]
  %sum2 = linalg.matmul ins(%relu, %w2 : {hidden}, tensor<{HIDDEN}x{OUTPUTS}xf32>)
      outs(%bias2 : {scores}) -> {scores}
  %probabilities = linalg.softmax dimension(1) ins(%sum2 : {scores}) outs(%empty2 : {scores}) -> {scores}
  return %probabilities : {scores}
}}
"""


if __name__ == "__main__":
    Path(__file__).with_name("mlp.mlir").write_text(source())
