# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Shows a network with its weights inside: eight images in, ten probabilities for each out.

import numpy as np
from common import load, parse_arguments
from make_mlp import weights


def forward(images):
    """Compute with NumPy what the program computes."""
    w = weights()
    hidden = np.maximum(images @ w["w1"] + w["b1"], 0)
    scores = hidden @ w["w2"] + w["b2"]
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


if __name__ == "__main__":
    module = load("mlp", parse_arguments("A network of two layers."))
    images = np.random.default_rng(0).random((8, 784), np.float32)
    probabilities = module.forward(images).to_host()
    for row in probabilities:
        print(f"class {row.argmax()} with {row.max():.1%}")
    np.testing.assert_allclose(probabilities, forward(images), rtol=1e-4, atol=1e-6)
