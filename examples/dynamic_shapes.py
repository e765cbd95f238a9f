# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Shows one program that takes arrays of any size.

import numpy as np
from common import load, parse_arguments

module = load("dynamic_shapes", parse_arguments("Arrays of any size."))
rng = np.random.default_rng(0)

for rows, inner, columns in ((1, 1, 1), (2, 3, 4), (33, 17, 65)):
    a = rng.standard_normal((rows, inner), np.float32)
    b = rng.standard_normal((inner, columns), np.float32)
    product = module.matmul(a, b)
    # A result stays on the device when it is an argument again.
    shares = module.softmax(product).to_host()
    sums = shares.sum(axis=1)
    print(f"{rows}x{inner} times {inner}x{columns}: {product.shape}, rows of the softmax sum to {sums[0]:.3f}")
    np.testing.assert_allclose(product.to_host(), a @ b, rtol=1e-4, atol=1e-5)
    exponentials = np.exp(a @ b)
    np.testing.assert_allclose(shares, exponentials / exponentials.sum(axis=1, keepdims=True), rtol=1e-4, atol=1e-6)
