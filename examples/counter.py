# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Shows a program with state of its own, from one call to the next.

import numpy as np
from common import load, parse_arguments

module = load("counter", parse_arguments("A program with state."))

rows = np.arange(12, dtype=np.float32).reshape(4, 3)
for expected, row in enumerate(rows, start=1):
    count = module.add(row)
    print(f"{count} rows, mean {module.mean().to_host()}")
    assert count == expected
    np.testing.assert_allclose(module.mean().to_host(), rows[:expected].mean(axis=0), rtol=1e-6)

assert module.reset() is None
assert module.add(rows[3]) == 1
np.testing.assert_array_equal(module.mean().to_host(), rows[3])
print("after reset: 1 row")
