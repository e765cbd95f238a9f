# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the convolutional network of the tests: its weights, and what it computes in NumPy.
"""A small convolutional network for images of 28 x 28: two convolutions with pooling, then a dense layer.

The weights follow from a seed, so that what was exported and what the tests expect cannot drift apart.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["forward", "weights"]

Array = NDArray[np.float32]


def weights() -> dict[str, Array]:
    """Return the weights: kernels in height x width x input x output, float32."""
    rng = np.random.default_rng(20260821)
    shapes = {"kernel1": (3, 3, 1, 8), "bias1": (8,), "kernel2": (3, 3, 8, 16), "bias2": (16,)}
    shapes |= {"dense": (7 * 7 * 16, 10), "bias3": (10,)}
    return {name: (0.2 * rng.standard_normal(shape)).astype(np.float32) for name, shape in shapes.items()}


def _convolve(x: Array, kernel: Array) -> Array:
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2))
    return np.einsum("nhwcij,ijco->nhwo", windows, kernel, optimize=True).astype(np.float32)


def _pool(x: Array) -> Array:
    n, h, w, c = x.shape
    return x.reshape(n, h // 2, 2, w // 2, 2, c).max(axis=(2, 4))


def forward(images: Array) -> Array:
    """Compute the class probabilities, n x 10, of images, n x 28 x 28 x 1, float32."""
    w = weights()
    x = _pool(np.maximum(_convolve(images, w["kernel1"]) + w["bias1"], 0))
    x = _pool(np.maximum(_convolve(x, w["kernel2"]) + w["bias2"], 0))
    logits = x.reshape(len(x), -1) @ w["dense"] + w["bias3"]
    exponents = np.exp(logits - logits.max(axis=1, keepdims=True))
    return exponents / exponents.sum(axis=1, keepdims=True)
