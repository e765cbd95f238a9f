# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Runs compiled bytecode in the C program bytecode_run, against arithmetic done here.
"""Every instruction that the compiler writes, calls, limits, errors."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.support.vm_assembler import OPCODES
from tests.support.vm_run import PROGRAMS, call, compiled, execute, fail, float_result

I32_MIN, I32_MAX = -(2**31), 2**31 - 1
I64_MIN, I64_MAX = -(2**63), 2**63 - 1


def _signed(value: int, bits: int) -> int:
    return (value + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))


def _unsigned(value: int, bits: int) -> int:
    return value % (1 << bits)


def _quotient(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _integer_operations(bits: int) -> dict[str, Callable[..., int]]:
    """Give what each integer instruction computes, as Python has it; results wrap afterwards."""

    def unsigned(value: int) -> int:
        return _unsigned(value, bits)

    return {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "mul": lambda a, b: a * b,
        "and": lambda a, b: a & b,
        "or": lambda a, b: a | b,
        "xor": lambda a, b: a ^ b,
        "div_s": _quotient,
        "div_u": lambda a, b: unsigned(a) // unsigned(b),
        "rem_s": lambda a, b: a - b * _quotient(a, b),
        "rem_u": lambda a, b: unsigned(a) % unsigned(b),
        "min_s": min,
        "min_u": lambda a, b: min(unsigned(a), unsigned(b)),
        "max_s": max,
        "max_u": lambda a, b: max(unsigned(a), unsigned(b)),
        "not": lambda a: ~a,
        "abs": lambda a: abs(a),
        "ctlz": lambda a: bits - unsigned(a).bit_length(),
        "fma": lambda a, b, c: a * b + c,
        "cmp_eq": lambda a, b: int(a == b),
        "cmp_ne": lambda a, b: int(a != b),
        "cmp_lt_s": lambda a, b: int(a < b),
        "cmp_lt_u": lambda a, b: int(unsigned(a) < unsigned(b)),
        "cmp_nz": lambda a: int(a != 0),
    }


def _function_name(name: str, kind: str) -> str:
    head, _, sign = name.rpartition("_")
    return f"{head}_{kind}_{sign}" if sign in ("s", "u", "o", "even") and head else f"{name}_{kind}"


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("name", list(_integer_operations(32)))
def test_integer_instruction(name: str, bits: int) -> None:
    """Each integer instruction at the ends of its range and in between."""
    operation = _integer_operations(bits)[name]
    low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    values = [0, 1, -1, 7, -7, low, high]
    count = operation.__code__.co_argcount if hasattr(operation, "__code__") else 2
    cases = [[a] for a in values]
    if count >= 2:
        cases = [[a, b] for a, b in [(0, 1), (7, -3), (-7, 3), (low, -1), (high, 1), (low, high), (-1, 1), (5, 5)]]
    if count == 3:
        cases = [[*case, 11] for case in cases]
    for case in cases:
        arguments = [f"i{bits}={value}" for value in case]
        expected = operation(*case)
        kind = "i32" if name.startswith("cmp") else f"i{bits}"
        expected = _signed(expected, 32 if kind == "i32" else bits)
        assert call(compiled("integers"), _function_name(name, f"i{bits}"), *arguments) == [f"{kind}={expected}"], case


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("name", ["div_s", "div_u", "rem_s", "rem_u"])
def test_division_by_zero_is_an_error(name: str, bits: int) -> None:
    """Dividing by zero ends the call, not the process."""
    message = fail(compiled("integers"), _function_name(name, f"i{bits}"), f"i{bits}=1", f"i{bits}=0")
    assert message.startswith("INVALID_ARGUMENT; integer division by zero")


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("amount", [0, 1, 31, 32, 33, 63, 64, -1])
def test_shift_amounts_count_modulo_the_width(bits: int, amount: int) -> None:
    """Shifts left, right with sign and right without."""
    value = -0x123456789ABCDEF % (1 << bits)
    value = _signed(value, bits)
    by = amount % bits
    arguments = (f"i{bits}={value}", f"i32={amount}")
    for name, expected in (
        (f"shl_i{bits}", value << by),
        (f"shr_i{bits}_s", value >> by),
        (f"shr_i{bits}_u", _unsigned(value, bits) >> by),
    ):
        assert call(compiled("integers"), name, *arguments) == [f"i{bits}={_signed(expected, bits)}"]


@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [
        ("trunc_i32_i8", ["i32=-2"], "i32=254"),
        ("trunc_i32_i16", ["i32=-2"], "i32=65534"),
        ("trunc_i64_i32", ["i64=0x1FFFFFFFE"], "i32=-2"),
        ("ext_i8_i32_s", ["i32=0x1FE"], "i32=-2"),
        ("ext_i8_i32_u", ["i32=0x1FE"], "i32=254"),
        ("ext_i16_i32_s", ["i32=0x1FFFE"], "i32=-2"),
        ("ext_i16_i32_u", ["i32=0x1FFFE"], "i32=65534"),
        ("ext_i32_i64_s", ["i32=-2"], "i64=-2"),
        ("ext_i32_i64_u", ["i32=-2"], "i64=4294967294"),
        ("select_i32", ["i32=2", "i32=5", "i32=6"], "i32=5"),
        ("select_i32", ["i32=0", "i32=5", "i32=6"], "i32=6"),
        ("select_i64", ["i32=1", "i64=0x500000000", "i64=6"], f"i64={5 << 32}"),
        ("select_i64", ["i32=0", "i64=5", "i64=0x600000000"], f"i64={6 << 32}"),
        ("switch_i32", ["i32=0", "i32=5", "i32=6", "i32=7"], "i32=5"),
        ("switch_i32", ["i32=1", "i32=5", "i32=6", "i32=7"], "i32=6"),
        ("switch_i32", ["i32=2", "i32=5", "i32=6", "i32=7"], "i32=7"),
        ("switch_i32", ["i32=-1", "i32=5", "i32=6", "i32=7"], "i32=7"),
        ("switch_i64", ["i32=1", "i64=5", "i64=0x600000001", "i64=7"], f"i64={(6 << 32) + 1}"),
        ("switch_i64", ["i32=9", "i64=5", "i64=6", "i64=0x700000001"], f"i64={(7 << 32) + 1}"),
        ("const_i32", [], "i32=-123456789"),
        ("const_i32_zero", [], "i32=0"),
        ("const_i64", [], "i64=-1234567890123456789"),
        ("const_i64_zero", [], "i64=0"),
    ],
)
def test_integer_conversion_and_choice(function: str, arguments: list[str], expected: str) -> None:
    """Conversions, selections and constants of integers."""
    assert call(compiled("integers"), function, *arguments) == [expected]


FLOAT_OPERATIONS: dict[str, tuple[Callable[..., object], list[tuple[float, ...]]]] = {
    "add": (np.add, [(1.5, 2.25), (0.1, 0.2)]),
    "sub": (np.subtract, [(1.5, 2.25), (0.1, 0.2)]),
    "mul": (np.multiply, [(1.5, -2.25), (0.1, 0.2)]),
    "div": (np.divide, [(1.0, 3.0), (-1.0, 0.0)]),
    "rem": (lambda a, b: type(a)(math.remainder(a, b)), [(5.0, 3.0), (-5.5, 2.0), (7.0, 2.0)]),
    "min": (np.minimum, [(1.0, 2.0), (3.0, -2.0)]),
    "max": (np.maximum, [(1.0, 2.0), (3.0, -2.0)]),
    "atan2": (np.arctan2, [(1.0, -2.0), (-0.5, 0.25)]),
    "pow": (np.power, [(2.0, 0.5), (3.0, -2.0)]),
    "fma": (lambda a, b, c: type(a)(np.longdouble(a) * np.longdouble(b) + np.longdouble(c)), [(1.5, 2.0, 0.25)]),
    "abs": (np.abs, [(-1.5,), (2.0,), (-0.0,)]),
    "neg": (np.negative, [(-1.5,), (2.0,), (0.0,)]),
    "ceil": (np.ceil, [(-1.5,), (2.1,)]),
    "floor": (np.floor, [(-1.5,), (2.1,)]),
    "round": (lambda a: type(a)(math.copysign(math.floor(abs(a) + 0.5), a)), [(2.5,), (-2.5,), (0.5,), (1.2,)]),
    "round_even": (np.round, [(2.5,), (3.5,), (-2.5,), (0.5,), (-0.5,), (1.2,), (8388609.0,)]),
    "atan": (np.arctan, [(0.7,), (-3.0,)]),
    "cos": (np.cos, [(0.7,), (-3.0,)]),
    "sin": (np.sin, [(0.7,), (-3.0,)]),
    "exp": (np.exp, [(0.7,), (-3.0,)]),
    "exp2": (np.exp2, [(0.7,), (-3.0,)]),
    "expm1": (np.expm1, [(0.001,), (-3.0,)]),
    "log": (np.log, [(0.7,), (30.0,)]),
    "log10": (np.log10, [(0.7,), (30.0,)]),
    "log1p": (np.log1p, [(0.001,), (30.0,)]),
    "log2": (np.log2, [(0.7,), (30.0,)]),
    "rsqrt": (lambda a: 1 / np.sqrt(a), [(2.0,), (0.25,)]),
    "sqrt": (np.sqrt, [(2.0,), (0.25,)]),
    "tanh": (np.tanh, [(0.7,), (-3.0,)]),
    "erf": (lambda a: type(a)(math.erf(a)), [(0.7,), (-1.0,)]),
}


@pytest.mark.parametrize("kind", ["f32", "f64"])
@pytest.mark.parametrize("name", list(FLOAT_OPERATIONS))
def test_float_instruction(name: str, kind: str) -> None:
    """Each floating-point instruction against NumPy, to a few units in the last place."""
    operation, cases = FLOAT_OPERATIONS[name]
    dtype = np.float32 if kind == "f32" else np.float64
    for case in cases:
        with np.errstate(all="ignore"):
            expected = float(operation(*(dtype(value) for value in case)))  # type: ignore[arg-type]
        arguments = [f"{kind}={value!r}" for value in case]
        (line,) = call(compiled("floats"), _function_name(name, kind), *arguments)
        actual = float_result(line)
        assert actual == pytest.approx(expected, rel=4 * float(np.finfo(dtype).eps), abs=0), case
        assert math.copysign(1, actual) == math.copysign(1, expected), case


@pytest.mark.parametrize("kind", ["f32", "f64"])
def test_float_comparison(kind: str) -> None:
    """Comparisons, ordered and unordered, with and without NaN."""
    operations: dict[str, Callable[[float, float], bool]] = {
        "eq": lambda a, b: a == b,
        "ne": lambda a, b: a != b,
        "lt": lambda a, b: a < b,
        "lte": lambda a, b: a <= b,
    }
    for a, b in [(1.0, 2.0), (2.0, 1.0), (1.0, 1.0), (math.nan, 1.0), (1.0, math.nan)]:
        unordered = math.isnan(a) or math.isnan(b)
        for name, operation in operations.items():
            for suffix in "ou":
                expected = suffix == "u" if unordered else operation(a, b)
                actual = call(compiled("floats"), f"cmp_{name}_{kind}_{suffix}", f"{kind}={a}", f"{kind}={b}")
                assert actual == [f"i32={int(expected)}"], (name, suffix, a, b)
    assert call(compiled("floats"), f"cmp_nan_{kind}", f"{kind}=nan") == ["i32=1"]
    assert call(compiled("floats"), f"cmp_nan_{kind}", f"{kind}=inf") == ["i32=0"]


def _saturated(value: float, low: int, high: int) -> int:
    if math.isnan(value):
        return 0
    if math.isinf(value):
        return high if value > 0 else low
    return min(max(int(math.copysign(math.floor(abs(value) + 0.5), value)), low), high)


@pytest.mark.parametrize("value", [0.0, 2.5, -2.5, 1e10, -1e10, 1e30, -1e30, math.inf, -math.inf, math.nan, -0.4])
def test_float_to_integer_rounds_and_saturates(value: float) -> None:
    """Halves go away from zero, what does not fit becomes the nearest that does, NaN becomes 0."""
    for kind, bits in (("f32", 32), ("f32", 64), ("f64", 64)):
        exact = float(np.float32(value)) if kind == "f32" else value
        signed = _saturated(exact, -(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        unsigned = _signed(_saturated(exact, 0, (1 << bits) - 1), bits)
        for sign, expected in (("s", signed), ("u", unsigned)):
            actual = call(compiled("floats"), f"cast_{kind}_{sign}i{bits}", f"{kind}={value!r}")
            assert actual == [f"i{bits}={expected}"], (kind, sign, bits)


@pytest.mark.parametrize("value", [0, 1, -1, 16777217, -16777217, I32_MIN, I32_MAX, I64_MIN, I64_MAX])
def test_integer_to_float(value: int) -> None:
    """Integers of each width and sign become the nearest float."""
    for kind, dtype, bits in (("f32", np.float32, 32), ("f32", np.float32, 64), ("f64", np.float64, 64)):
        signed = _signed(value, bits)
        integers = {"s": np.int64(signed), "u": np.uint64(_unsigned(value, bits))}
        for sign, integer in integers.items():
            (line,) = call(compiled("floats"), f"cast_{sign}i{bits}_{kind}", f"i{bits}={signed}")
            assert float_result(line) == float(dtype(integer)), (kind, sign, bits)


@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [
        ("bitcast_i32_f32", ["i32=0x40490FDB"], "f32=3.14159274 bits=0x40490FDB"),
        ("bitcast_f32_i32", ["f32=-1.5"], f"i32={_signed(0xBFC00000, 32)}"),
        ("bitcast_i64_f64", ["i64=0x3FF8000000000000"], "f64=1.5 bits=0x3FF8000000000000"),
        ("bitcast_f64_i64", ["f64=1.5"], f"i64={0x3FF8000000000000}"),
        ("trunc_f64_f32", ["f64=0.1"], "f32=0.100000001 bits=0x3DCCCCCD"),
        ("ext_f32_f64", ["f32=0.1"], "f64=0.10000000149011612 bits=0x3FB99999A0000000"),
        ("select_f32", ["i32=1", "f32=1.5", "f32=2.5"], "f32=1.5 bits=0x3FC00000"),
        ("select_f32", ["i32=0", "f32=1.5", "f32=2.5"], "f32=2.5 bits=0x40200000"),
        ("select_f64", ["i32=1", "f64=1.5", "f64=2.5"], "f64=1.5 bits=0x3FF8000000000000"),
        ("switch_f32", ["i32=1", "f32=1", "f32=2.5", "f32=3"], "f32=2.5 bits=0x40200000"),
        ("switch_f32", ["i32=5", "f32=1", "f32=2", "f32=2.5"], "f32=2.5 bits=0x40200000"),
        ("switch_f64", ["i32=0", "f64=1.5", "f64=2", "f64=3"], "f64=1.5 bits=0x3FF8000000000000"),
        ("switch_f64", ["i32=-1", "f64=1", "f64=2", "f64=1.5"], "f64=1.5 bits=0x3FF8000000000000"),
        ("const_f32", [], "f32=-1.5 bits=0xBFC00000"),
        ("const_f32_zero", [], "f32=0 bits=0x00000000"),
        ("const_f64", [], "f64=-1.5 bits=0xBFF8000000000000"),
        ("const_f64_zero", [], "f64=0 bits=0x0000000000000000"),
    ],
)
def test_float_conversion_and_choice(function: str, arguments: list[str], expected: str) -> None:
    """Bits, widths, selections and constants of floats."""
    assert call(compiled("floats"), function, *arguments) == [expected]


@pytest.mark.parametrize(
    ("function", "argument", "expected"),
    [
        ("swap_i32", "i32=-9", ["i32=7", "i32=-9"]),
        ("swap_i64", "i64=0x700000001", ["i64=7", f"i64={(7 << 32) + 1}"]),
        ("swap_f32", "f32=1.5", ["f32=7.5 bits=0x40F00000", "f32=1.5 bits=0x3FC00000"]),
        ("swap_f64", "f64=1.5", ["f64=7.5 bits=0x401E000000000000", "f64=1.5 bits=0x3FF8000000000000"]),
        ("swap_ref", None, ["buffer=010203", "buffer=0000"]),
    ],
)
def test_global(function: str, argument: str | None, expected: list[str]) -> None:
    """A global has its initial value, then what was stored."""
    assert call(compiled("globals"), function, *([argument] if argument else [])) == expected


@pytest.mark.parametrize(
    ("kind", "arguments", "expected"),
    [
        ("i8", ["i64=4", "i64=2", "i32=0x1FE"], "0000fe00"),
        ("i16", ["i64=4", "i64=1", "i32=0x1FFFE"], "0000feff"),
        ("i32", ["i64=8", "i64=1", "i32=-2"], "00000000feffffff"),
        ("i64", ["i64=17", "i64=1", "i64=-2"], "0000000000000000feffffffffffffff00"),
        ("f32", ["i64=8", "i64=1", "f32=1.5"], "000000000000c03f"),
        ("f64", ["i64=16", "i64=1", "f64=1.5"], "0000000000000000000000000000f83f"),
    ],
)
def test_buffer_store(kind: str, arguments: list[str], expected: str) -> None:
    """Stores go to elements; one past the last is refused."""
    assert call(compiled("buffers"), f"store_{kind}", *arguments) == [f"buffer={expected}"]
    for index in ("2", "-1", "0x2000000000000000"):
        if kind == "i8" and index == "2":
            continue
        wrong = [arguments[0], f"i64={index}", arguments[2]]
        assert fail(compiled("buffers"), f"store_{kind}", *wrong).startswith("OUT_OF_RANGE")


@pytest.mark.parametrize(
    ("kind", "value", "element"),
    [
        ("i8", "i32=0x1FE", "fe"),
        ("i16", "i32=0x1FFFE", "feff"),
        ("i32", "i32=-2", "feffffff"),
        ("i64", "i64=-2", "feffffffffffffff"),
        ("f32", "f32=1.5", "0000c03f"),
        ("f64", "f64=1.5", "000000000000f83f"),
    ],
)
def test_buffer_fill(kind: str, value: str, element: str) -> None:
    """Fills count elements, also none; a range outside is refused."""
    size = len(element) // 2
    length = f"i64={4 * size}"
    zero = "00" * size
    assert call(compiled("buffers"), f"fill_{kind}", length, "i64=1", "i64=2", value) == [
        f"buffer={zero}{element * 2}{zero}"
    ]
    assert call(compiled("buffers"), f"fill_{kind}", length, "i64=4", "i64=0", value) == [f"buffer={zero * 4}"]
    for begin, count in (("3", "2"), ("5", "0"), ("0", "-1"), ("-1", "1"), ("1", "0x7FFFFFFFFFFFFFFF")):
        message = fail(compiled("buffers"), f"fill_{kind}", length, f"i64={begin}", f"i64={count}", value)
        assert message.startswith("OUT_OF_RANGE"), (begin, count)


DATA = bytes([1, 2, 3, 250, 251, 252, 253, 254])


@pytest.mark.parametrize(
    ("kind", "code", "result"),
    [
        ("i8_u", "<B", "i32"),
        ("i8_s", "<b", "i32"),
        ("i16_u", "<H", "i32"),
        ("i16_s", "<h", "i32"),
        ("i32", "<i", "i32"),
        ("i64", "<q", "i64"),
        ("f32", "<f", "f32"),
        ("f64", "<d", "f64"),
    ],
)
def test_buffer_load(kind: str, code: str, result: str) -> None:
    """Loads take elements, with or without sign; one past the last is refused."""
    count = len(DATA) // struct.calcsize(code)
    for index in range(count):
        (expected,) = struct.unpack_from(code, DATA, index * struct.calcsize(code))
        (line,) = call(compiled("buffers"), f"load_{kind}", f"i64={index}")
        if result.startswith("f"):
            assert float_result(line) == expected
        else:
            assert line == f"{result}={expected}"
    for index in (count, -1, I64_MAX, I64_MIN):
        assert fail(compiled("buffers"), f"load_{kind}", f"i64={index}").startswith("OUT_OF_RANGE")


def _siphash(data: bytes, key: tuple[int, int]) -> int:
    """Compute SipHash-2-4 as its authors define it."""
    mask = (1 << 64) - 1

    def rotate(x: int, by: int) -> int:
        return ((x << by) | (x >> (64 - by))) & mask

    v = [
        key[0] ^ 0x736F6D6570736575,
        key[1] ^ 0x646F72616E646F6D,
        key[0] ^ 0x6C7967656E657261,
        key[1] ^ 0x7465646279746573,
    ]

    def rounds(count: int) -> None:
        for _ in range(count):
            v[0] = (v[0] + v[1]) & mask
            v[2] = (v[2] + v[3]) & mask
            v[1] = rotate(v[1], 13) ^ v[0]
            v[3] = rotate(v[3], 16) ^ v[2]
            v[0] = rotate(v[0], 32)
            v[2] = (v[2] + v[1]) & mask
            v[0] = (v[0] + v[3]) & mask
            v[1] = rotate(v[1], 17) ^ v[2]
            v[3] = rotate(v[3], 21) ^ v[0]
            v[2] = rotate(v[2], 32)

    tail = len(data) % 8
    padded = data + bytes(7 - tail) + bytes([len(data) % 256])
    for (word,) in struct.iter_unpack("<Q", padded):
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xFF
    rounds(4)
    return v[0] ^ v[1] ^ v[2] ^ v[3]


def test_buffer_operations() -> None:
    """Lengths, clones, copies, comparisons and constants."""
    program = compiled("buffers")
    assert call(program, "length", "i64=13", "i32=64") == ["i64=13"]
    assert call(program, "length", "i64=0", "i32=0") == ["i64=0"]
    for alignment in ("3", "-1", "0x40000000"):
        assert fail(program, "length", "i64=13", f"i32={alignment}").startswith("INVALID_ARGUMENT")
    assert call(program, "clone", "i64=2", "i64=3") == [f"buffer={DATA[2:5].hex()}"]
    assert fail(program, "clone", "i64=6", "i64=3").startswith("OUT_OF_RANGE")
    assert call(program, "copy", "i64=1", "i64=4", "i64=3") == [f"buffer={'00' * 4}{DATA[1:4].hex()}00"]
    assert fail(program, "copy", "i64=1", "i64=6", "i64=3").startswith("OUT_OF_RANGE")
    assert call(program, "compare", "i64=2", "i64=2", "i64=4") == ["i32=1"]
    assert call(program, "compare", "i64=2", "i64=3", "i64=4") == ["i32=0"]
    assert fail(program, "compare", "i64=2", "i64=3", "i64=7").startswith("OUT_OF_RANGE")
    assert call(program, "constant") == [f"buffer={DATA.hex()}"]
    assert fail(program, "store_rodata").startswith("PERMISSION_DENIED")
    assert fail(program, "fill_rodata").startswith("PERMISSION_DENIED")
    assert fail(program, "load_null").startswith("INVALID_ARGUMENT")


def test_buffer_hash_depends_on_the_range_only() -> None:
    """The hash is that of the bytes; a range outside is refused."""
    program = compiled("buffers")
    whole = call(program, "hash", "i64=0", "i64=8")
    assert whole == call(program, "hash", "i64=0", "i64=8")
    assert whole != call(program, "hash", "i64=1", "i64=7")
    # The key that the compiler folds with.
    expected = _siphash(DATA, (0x0706050403020100, 0x0F0E0D0C0B0A0908))
    assert whole == [f"i64={_signed(expected, 64)}"]
    assert fail(program, "hash", "i64=1", "i64=8").startswith("OUT_OF_RANGE")


@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [
        ("set_get_i32", ["i32=3", "i32=2", "i32=-9"], ["i32=-9"]),
        ("set_get_i64", ["i32=3", "i32=2", "i64=0x900000001"], [f"i64={(9 << 32) + 1}"]),
        ("set_get_f32", ["i32=3", "i32=2", "f32=1.5"], ["f32=1.5 bits=0x3FC00000"]),
        ("set_get_f64", ["i32=3", "i32=2", "f64=1.5"], ["f64=1.5 bits=0x3FF8000000000000"]),
        ("size", ["i32=5", "i32=3"], ["i32=0", "i32=3"]),
        ("refs", [], ["ref=null", "buffer=010203"]),
        ("set_twice", [], ["buffer=010203", "buffer=010203"]),
        ("other_type_is_null", [], ["i32=0"]),
        ("sum", ["list=1,2,39"], ["i32=42"]),
    ],
)
def test_list(function: str, arguments: list[str], expected: list[str]) -> None:
    """Lists of values, of references, of anything, and one from outside."""
    assert call(compiled("lists"), function, *arguments) == expected


@pytest.mark.parametrize("index", [3, -1, I32_MIN])
def test_list_index_outside_is_an_error(index: int) -> None:
    """Elements that are not there are neither read nor written."""
    assert fail(compiled("lists"), "set_get_i32", "i32=3", f"i32={index}", "i32=1").startswith("OUT_OF_RANGE")


@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [
        ("compare", [], ["i32=1", "i32=0", "i32=1", "i32=1", "i32=0", "i32=0"]),
        ("select", ["i32=1"], ["buffer=01", "buffer=0202"]),
        ("select", ["i32=0"], ["buffer=0202", "buffer=0202"]),
        ("switch", ["i32=0"], ["buffer=01"]),
        ("switch", ["i32=1"], ["buffer=0202"]),
        ("switch", ["i32=2"], ["buffer=030303"]),
        ("switch", ["i32=-1"], ["buffer=030303"]),
        ("branch_on_null", ["i32=1"], ["i32=5"]),
        ("branch_on_null", ["i32=0"], ["i32=6"]),
        ("swap", ["i32=0"], ["buffer=01", "buffer=0202"]),
        ("swap", ["i32=5"], ["buffer=0202", "buffer=01"]),
        ("cast", [], ["buffer=01"]),
        ("null", [], ["ref=null"]),
    ],
)
def test_reference(function: str, arguments: list[str], expected: list[str]) -> None:
    """Comparison, choice, moves and casts of references."""
    assert call(compiled("refs"), function, *arguments) == expected


def test_reference_cast_to_another_type_is_an_error() -> None:
    """The message names both types."""
    message = fail(compiled("refs"), "cast_wrong")
    assert message.startswith("INVALID_ARGUMENT")
    assert "vm.list" in message
    assert "vm.buffer" in message


def _compared(a: int, b: int, c: int, d: int) -> int:
    bits = [
        a == b,
        a != b,
        a < b,
        _unsigned(a, 32) < _unsigned(b, 32),
        a != 0,
        c == d,
        c != d,
        c < d,
        _unsigned(c, 64) < _unsigned(d, 64),
        c != 0,
        a == b,
        c != 0,
    ]
    return sum(1 << i for i, bit in enumerate(bits) if bit)


@pytest.mark.parametrize("pair", [(0, 0), (1, 2), (2, 1), (-1, 1), (1, -1), (-5, -5)])
def test_comparison_and_branch_are_one(pair: tuple[int, int]) -> None:
    """A branch on a comparison goes the right way, and the comparison's result is there afterwards."""
    a, b = pair
    arguments = (f"i32={a}", f"i32={b}", f"i64={b << 32}", f"i64={a << 32}")
    expected = _compared(a, b, b << 32, a << 32)
    assert call(compiled("control"), "compare_branches", *arguments) == [f"i32={expected}"]


def test_loops_and_tables() -> None:
    """Values carried around loops, exchanged in them, and branches by table."""
    program = compiled("control")
    assert call(program, "sum_to", "i32=1000") == [f"i64={sum(range(1000))}"]
    assert call(program, "sum_to", "i32=-5") == ["i64=0"]
    assert call(program, "fibonacci", "i32=50") == ["i64=12586269025"]
    for turns in (0, 1, 2, 7):
        first, second = (("i32=1", "i64=-2"), ("i32=3", "i64=-4"))[:: -1 if turns % 2 else 1]
        actual = call(program, "swap_many", f"i32={turns}", "i32=1", "i64=-2", "i32=3", "i64=-4")
        assert actual == [*first, *second]
    for index, expected in ((0, 10), (1, 42), (2, 20), (3, 21), (-1, 21)):
        assert call(program, "table", f"i32={index}", "i32=21") == [f"i32={expected}"]


def test_internal_call_passes_every_kind() -> None:
    """64-bit values between 32-bit ones, and references, arrive whole."""
    actual = call(compiled("control"), "call_mixed", "i32=1", "i64=0x100000004", "f32=1.5", "f64=2.5", "i32=9")
    assert actual == [
        f"i64={0x100000003}",
        "i32=9",
        "f64=2.5 bits=0x4004000000000000",
        "buffer=050607",
        "f32=1.5 bits=0x3FC00000",
    ]


def test_yield_goes_on() -> None:
    """A function that yields runs to its end in one call."""
    assert call(compiled("control"), "yields", "i32=5") == ["i32=40"]
    assert call(compiled("control"), "calls_yielding", "i32=5") == ["i32=41"]


def test_debug_instructions_do_nothing() -> None:
    """Traces, prints and breaks leave no mark on the standard streams."""
    assert call(compiled("control"), "prints", "i32=3") == ["i32=3"]


def test_failure_of_the_program_names_its_functions() -> None:
    """A failure has the program's code and message and a line for each function."""
    assert call(compiled("control"), "fail", "i32=0") == ["i32=0"]
    message = fail(compiled("control"), "fail_deep", "i32=5")
    assert message.startswith("NOT_FOUND; on purpose; at control.")
    assert "at control.fail_deep" in message
    # A code that is none is a failure of unknown kind.
    assert fail(compiled("control"), "fail", "i32=77").startswith("UNKNOWN; on purpose")


def test_source_location_of_a_failure() -> None:
    """Where the debug database knows the source, the message tells it."""
    assert "at imports.fail (" in fail(compiled("imports"), "fail", "i32=3")


def test_imports() -> None:
    """Values of every kind, spans, references, optional functions and failures cross modules."""
    program = compiled("imports")
    assert call(program, "mix", "i32=1", "i64=2", "f32=3.5", "f64=4") == [
        "f64=10.5 bits=0x4025000000000000",
        "i32=10",
        "i64=10",
        "f32=10.5 bits=0x41280000",
    ]
    assert call(program, "dot", "i32=2", "i32=3", "i64=4", "i32=5", "i64=6") == [
        f"i64={2 * (3 * 4 + 5 * 6)}",
        "i64=0",
    ]
    assert call(program, "sizes", "i64=10") == [f"i64={3 - 1 + 10 + 3}", "buffer=050607"]
    assert call(program, "filled", "i32=3") == ["buffer=070707", "buffer=050607"]
    assert call(program, "resolved") == ["i32=0", "i32=1"]
    assert fail(program, "call_absent", "i32=1").startswith("NOT_FOUND; the optional import 'host.absent'")
    assert fail(program, "fail", "i32=3").startswith("INVALID_ARGUMENT; host failed; in host.fail")
    assert call(program, "fail", "i32=0") == [f"buffer={'00' * 8}"]


def test_limits() -> None:
    """Instructions, call depth and bytes are bounded when that is asked for."""
    control = compiled("control")
    message = fail(control, "forever", "i32=3", options=("--max-instructions=10000",))
    assert message.startswith("RESOURCE_EXHAUSTED")
    assert call(control, "sum_to", "i32=100", options=("--max-instructions=10000",)) == ["i64=4950"]
    buffers = compiled("buffers")
    assert fail(buffers, "length", "i64=100000", "i32=16", options=("--max-bytes=50000",)).startswith(
        "RESOURCE_EXHAUSTED"
    )
    # Work on many bytes counts too: a fill in each turn of a short loop.
    assert fail(buffers, "fill_i8", "i64=1000", "i64=0", "i64=2000", "i32=1").startswith("OUT_OF_RANGE")


def test_unaligned_file() -> None:
    """A file at an odd address works like any other."""
    for name, function, expected in (("buffers", "constant", [f"buffer={DATA.hex()}"]), ("control", "sum_to", None)):
        arguments = ["i32=10"] if expected is None else []
        actual = call(compiled(name), function, *arguments, options=("--unaligned",))
        assert actual == (expected or ["i64=45"])


@pytest.mark.parametrize("name", ["integers", "imports"])
def test_cut_file_is_refused(tmp_path: Path, name: str) -> None:
    """A file cut anywhere in its declarations or constants is an error or, behind them, the same program."""
    whole = compiled(name).read_bytes()
    path = tmp_path / "cut.vmfb"
    for length in sorted({*range(0, 80, 7), *range(80, len(whole), max(1, len(whole) // 25))}):
        path.write_bytes(whole[:length])
        code, lines = execute("--opcodes", path)
        if code != 0:
            assert lines[0].split(";")[0] in ("error: INVALID_ARGUMENT",), (length, lines)


def test_every_instruction_is_covered(tmp_path: Path) -> None:
    """The functions that tests call hold every instruction of the set.

    Those that no compiler writes are in the assembled modules above.
    """
    assembled = {
        "cast.si32.f64",
        "cast.ui32.f64",
        "cast.f64.si32",
        "cast.f64.ui32",
        "call.variadic.yieldable",
        *(
            f"global.{what}.indirect.{kind}"
            for what in ("load", "store")
            for kind in ("i32", "i64", "f32", "f64", "ref")
        ),
    }
    covered = set(assembled)
    for program in sorted(PROGRAMS.glob("*.mlir")):
        code, lines = execute("--opcodes", compiled(program.stem))
        assert code == 0
        covered.update(line.rpartition(" ")[2] for line in lines)
    assert set(OPCODES) - covered == set()
