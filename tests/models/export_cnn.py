# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the export of the convolutional network of the tests from JAX to StableHLO.
"""Write ``cnn.mlir`` beside this file. Needs JAX (0.10 made the committed text); the tests do not."""

from __future__ import annotations

import re
from pathlib import Path

import cnn
import jax
import jax.numpy as jnp
from jax import export, lax

__all__ = ["main"]


def _forward(images: jax.Array) -> jax.Array:
    w = {name: jnp.asarray(value) for name, value in cnn.weights().items()}

    def convolve(x: jax.Array, kernel: jax.Array) -> jax.Array:
        return lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def pool(x: jax.Array) -> jax.Array:
        return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")

    x = pool(jax.nn.relu(convolve(images, w["kernel1"]) + w["bias1"]))
    x = pool(jax.nn.relu(convolve(x, w["kernel2"]) + w["bias2"]))
    return jax.nn.softmax(x.reshape(len(x), -1) @ w["dense"] + w["bias3"])


def main() -> None:
    """Export the network for batches of two images."""
    exported = export.export(jax.jit(_forward))(jax.ShapeDtypeStruct((2, 28, 28, 1), jnp.float32))
    # Locations would name files of the machine that exported.
    lines = [line for line in exported.mlir_module().splitlines() if not line.startswith("#loc")]
    text = "\n".join(re.sub(r" loc\((?:[^()]|\([^()]*\))*\)", "", line) for line in lines)
    Path(__file__).with_name("cnn.mlir").write_text(text + "\n")


if __name__ == "__main__":
    main()
