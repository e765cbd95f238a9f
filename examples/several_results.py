# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Shows a function with several results: they come as a tuple.

import numpy as np
from common import load, parse_arguments

module = load("several_results", parse_arguments("Several results."))

a = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
b = np.array([[3, 2, 1], [0, 9, 9]], np.float32)
total, product, dot, is_less, n = module.main(a, b, 41)
print(
    f"sum:\n{total.to_host()}\nproduct:\n{product.to_host()}\ndot: {dot.to_host()}\nless:\n{is_less.to_host()}\nn: {n}"
)
np.testing.assert_array_equal(total.to_host(), a + b)
np.testing.assert_array_equal(product.to_host(), a * b)
np.testing.assert_allclose(dot.to_host(), (a * b).sum())
np.testing.assert_array_equal(is_less.to_host(), a < b)
assert is_less.dtype == np.bool_
assert n == 42
