# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Shows loops and branches inside a program.

import numpy as np
from common import load, parse_arguments

module = load("loop", parse_arguments("Loops and branches."))

# 27 is known for the length of its way: 111 steps.
steps = module.collatz(27)
print(f"Collatz: {steps} steps from 27 to 1")
assert steps == 111

matrix = np.array([[0, 1, 0], [0, 0, 1], [1, 1, 0]], np.float32)
vector = np.array([3, 0, 2], np.float32)
tenth = module.apply_repeatedly(matrix, vector, 10).to_host()
print(f"a matrix applied ten times: {tenth}")
np.testing.assert_array_equal(tenth, np.linalg.matrix_power(matrix, 10) @ vector)

root, steps = module.square_root(np.float32(2))
print(f"square root of 2: {root.to_host():.6f} after {steps} steps")
np.testing.assert_allclose(root.to_host(), np.sqrt(2), rtol=1e-6)
