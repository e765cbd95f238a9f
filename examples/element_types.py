# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Shows the types of elements and numbers, and how they correspond to NumPy's and Python's.

import numpy as np
from common import load, parse_arguments

# Unless told so, the compiler makes f32 of f64.
FLAGS = ["--iree-input-demote-f64-to-f32=false"]

CASES = {
    "i1": (np.logical_xor, np.array([True, True, False, False]), np.array([True, False, True, False])),
    "i8": (np.add, np.array([1, 2, 127, -128], np.int8), np.array([1, -2, 1, -1], np.int8)),
    "i32": (np.multiply, np.array([1, 2, 3, 1 << 20], np.int32), np.array([5, -6, 7, 1 << 20], np.int32)),
    "i64": (np.subtract, np.array([1, 2, 3, 1 << 40], np.int64), np.array([5, -6, 7, 1], np.int64)),
    "f16": (np.multiply, np.array([1, 2, 3, 0.1], np.float16), np.array([0.5, 2, -1, 0.1], np.float16)),
    "f64": (np.divide, np.array([1, 2, 3, 4], np.float64), np.array([3, 7, 11, 13], np.float64)),
}


def main():
    module = load("element_types", parse_arguments("Types of elements."), FLAGS)
    for name, (operation, a, b) in CASES.items():
        result = module[name](a, b).to_host()
        expected = operation(a, b)
        print(f"{name}: {operation.__name__}({a}, {b}) = {result}")
        assert result.dtype == expected.dtype
        np.testing.assert_array_equal(result, expected)

    numbers = module.scalars(True, 6, 1 << 40, 1.5, 1.0)
    print(f"numbers: {numbers}")
    assert numbers == (False, 7, (1 << 40) + 1, 3.0, 1 / 3)


if __name__ == "__main__":
    main()
