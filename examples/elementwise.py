# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Shows a call with arrays in and an array out.

import numpy as np
from common import load, parse_arguments

module = load("elementwise", parse_arguments("Elementwise arithmetic."))

a = np.array([1, 2, 3, 4], np.float32)
b = np.array([10, 20, 30, 40], np.float32)
product = module.main(a, b).to_host()
print(f"{a} * {b} = {product}")
np.testing.assert_array_equal(product, a * b)

x = np.arange(6, dtype=np.float32).reshape(2, 3)
# A result is an array for NumPy as it is; to_host() gives a writable one.
values = module.polynomial(x)
print(f"x^2 / 2 - x + 2 =\n{np.asarray(values)}")
np.testing.assert_allclose(values, x * x / 2 - x + 2, rtol=1e-6)
