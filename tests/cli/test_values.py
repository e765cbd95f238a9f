# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the tests of values on the command line: notation, printing, files, comparing.
from __future__ import annotations

import numpy as np
import pytest

from iree_cy.cli.values import ValueSyntaxError, compare, format_array, format_scalar, parse_values, store


def parse(text):
    (value,) = parse_values(text)
    return value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("4xf32=1,2,3,4", np.array([1, 2, 3, 4], np.float32)),
        ("4xf32=1 2 3 4", np.array([1, 2, 3, 4], np.float32)),
        ("2x3xf32=1 2 3 4 5 6", np.arange(1, 7, dtype=np.float32).reshape(2, 3)),
        ("2x3xi32=[[1 2 3][4 5 6]]", np.arange(1, 7, dtype=np.int32).reshape(2, 3)),
        (' "2x3xi32=[1, 2, 3], [4, 5, 6]" ', np.arange(1, 7, dtype=np.int32).reshape(2, 3)),
        ("f32=1", np.array(1, np.float32)),
        ("i64=-9223372036854775808", np.array(-(2**63), np.int64)),
        ("4xf32=2", np.full(4, 2, np.float32)),
        ("2x2xf64=0.1", np.full((2, 2), 0.1)),
        ("3xi1=1 0 true", np.array([True, False, True])),
        ("2xi8=255 -128", np.array([-1, -128], np.int8)),
        ("2xui8=255 0x10", np.array([255, 16], np.uint8)),
        ("2xsi16=-32768 32767", np.array([-32768, 32767], np.int16)),
        ("i32=4294967295", np.array(-1, np.int32)),
        ("2xf16=1.5 65504", np.array([1.5, 65504], np.float16)),
        ("4xf32=inf -inf nan infinity", np.array([np.inf, -np.inf, np.nan, np.inf], np.float32)),
        ("2xc64=1+2i 3", np.array([1 + 2j, 3], np.complex64)),
        ("2xcomplex<f64>=1 2", np.array([1, 2], np.complex128)),
        ("0x4xi32", np.zeros((0, 4), np.int32)),
        ("0x4xi32=", np.zeros((0, 4), np.int32)),
        ("2x2xf32", np.zeros((2, 2), np.float32)),
        ("f32", np.array(0, np.float32)),
    ],
)
def test_shaped(text, expected):
    value = parse(text)
    assert value.dtype == expected.dtype
    assert value.shape == expected.shape
    np.testing.assert_array_equal(value, expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("3", 3), ("-3", -3), ("0x10", 16), ("2.5", 2.5), ("1e3", 1000.0), ("true", 1), ("false", 0), ("-inf", -np.inf)],
)
def test_scalar(text, expected):
    value = parse(text)
    assert value == expected
    assert type(value) is type(expected)


def test_scalar_nan():
    assert np.isnan(parse("nan"))


@pytest.mark.parametrize("text", ["f8E5M2", "f8E4M3FN", "bf16"])
def test_types_of_ml_dtypes(text):
    pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    value = parse(f"2x{text}=1.5 -2")
    np.testing.assert_array_equal(value.astype(np.float32), [1.5, -2])
    assert format_array(value) == f"2x{text}=1.5 -2"
    assert compare(value, value) is None
    assert "index 1" in compare(value, parse(f"2x{text}=1.5 2"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is no value"),
        ("hello", "is no value"),
        ("1_000", "is no value"),
        ("4xf32=1,2,3", "3 values for 4 elements; give 4, or one for all"),
        ("2xf32=1,2,3", "3 values for 2 elements"),
        ("0x2xf32=1", "1 values for 0 elements"),
        ("2xf99=1 2", "no element type 'f99'; there are: i1, i8"),
        ("2xi32=1.0", "'1.0' is no i32"),
        ("2xf32=a", "'a' is no f32"),
        ("f32=1_0", "'1_0' is no f32"),
        ("f32=", "has no value after '='"),
        ("4xf32= ", "has no value after '='"),
        ("f32=1e400", "'1e400' is no f32"),
        ("f32=1e39", "'1e39' is no f32"),
        ("f16=-70000", "'-70000' is no f16"),
        ("f64=1e400", "'1e400' is no f64"),
        ("1e400", "is no value"),
        ("i8=256", "'256' is no i8"),
        ("si8=128", "'128' is no si8"),
        ("ui8=-1", "'-1' is no ui8"),
        ("i1=2", "'2' is no i1"),
        ("i32=0x", "'0x' is no i32"),
        ("9999999x9999999x9999999xf32", "do not fit in memory"),
        ("@x.txt", "neither .npy nor .npz"),
        ("x" * 5000, "is no value"),
    ],
)
def test_malformed(text, message):
    with pytest.raises(ValueSyntaxError) as caught:
        parse_values(text)
    assert message in str(caught.value)


class TestFiles:
    def test_npy_with_several_arrays(self, tmp_path):
        arrays = [np.arange(6).reshape(2, 3), np.array(2.5, np.float32), np.zeros((0, 2))]
        with open(tmp_path / "x.npy", "wb") as file:
            for array in arrays:
                np.save(file, array)
        values = parse_values(f"@{tmp_path}/x.npy")
        assert len(values) == 3
        for value, array in zip(values, arrays, strict=True):
            np.testing.assert_array_equal(value, array, strict=True)

    def test_npz_in_order(self, tmp_path):
        np.savez(tmp_path / "x.npz", b=np.ones(2), a=np.zeros(3, np.int8))
        first, second = parse_values(f"@{tmp_path}/x.npz")
        np.testing.assert_array_equal(first, np.ones(2), strict=True)
        np.testing.assert_array_equal(second, np.zeros(3, np.int8), strict=True)

    def test_raw(self, tmp_path):
        (tmp_path / "x.bin").write_bytes(np.array([1, 2, 3, 4], np.int16).tobytes())
        np.testing.assert_array_equal(
            parse(f"2x2xi16=@{tmp_path}/x.bin"), np.array([[1, 2], [3, 4]], np.int16), strict=True
        )
        with pytest.raises(ValueSyntaxError, match="the file has 8 bytes, not 16"):
            parse_values(f"2x2xi32=@{tmp_path}/x.bin")

    def test_missing(self, tmp_path):
        for name in ("x.npy", "x.npz"):
            with pytest.raises(FileNotFoundError):
                parse_values(f"@{tmp_path}/{name}")

    @pytest.mark.parametrize("name", ["x.npy", "x.npz"])
    @pytest.mark.parametrize("data", [b"", b"\x93NUMPY", b"PK\x03\x04broken", b"text"])
    def test_broken(self, tmp_path, name, data):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(ValueSyntaxError, match="holds no NumPy arrays"):
            parse_values(f"@{tmp_path}/{name}")

    def test_objects_are_not_unpickled(self, tmp_path):
        np.save(tmp_path / "x.npy", np.array([object()]), allow_pickle=True)
        with pytest.raises(ValueSyntaxError):
            parse_values(f"@{tmp_path}/x.npy")

    def test_store(self, tmp_path):
        array = np.arange(6, dtype=np.float32).reshape(2, 3).T
        store(str(tmp_path / "y.npy"), array)
        np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), array, strict=True)
        store(str(tmp_path / "y.npz"), array)
        np.testing.assert_array_equal(np.load(tmp_path / "y.npz")["arr_0"], array, strict=True)
        store(str(tmp_path / "y.bin"), array, raw=True)
        assert (tmp_path / "y.bin").read_bytes() == array.tobytes()
        store(str(tmp_path / "z.npy"), 3)
        assert np.load(tmp_path / "z.npy") == 3


# What the reference's iree-run-module prints for the same results.
@pytest.mark.parametrize(
    ("array", "text"),
    [
        (np.array([1e10, -1, 0.3, 4e-7], np.float32), "4xf32=1E+10 -1 0.3 4E-07"),
        (np.array([123456789, np.nan, np.inf, -np.inf], np.float32), "4xf32=1.23457E+08 NAN INF -INF"),
        (np.array([123456, 1234567, 0.0001, 0.00001234567], np.float32), "4xf32=123456 1.23457E+06 0.0001 1.23457E-05"),
        (np.array([-1, 2, 3, 4], np.int8), "4xi8=-1 2 3 4"),
        (np.array(7, np.float32), "f32=7"),
        (np.full((2, 2), 1.5, np.float16), "2x2xf16=[1.5 1.5][1.5 1.5]"),
        (np.zeros((0, 4), np.int32), "0x4xi32="),
        (np.array([True, False]), "2xi1=1 0"),
        (np.array([255], np.uint8), "1xui8=255"),
        (np.array([1 - 2j], np.complex64), "1xc64=1-2i"),
    ],
)
def test_format(array, text):
    assert format_array(array) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (1, "2x3x2xf32=[[1...][...][...]][[...][...][...]]"),
        (5, "2x3x2xf32=[[1 2][3 4][5...]][[...][...][...]]"),
        (12, "2x3x2xf32=[[1 2][3 4][5 6]][[7 8][9 10][11 12]]"),
    ],
)
def test_format_elides(count, text):
    assert format_array(np.arange(1, 13, dtype=np.float32).reshape(2, 3, 2), count) == text


def test_format_scalars():
    assert format_scalar(3, "i32") == "i32=3"
    assert format_scalar(2.5, "f32") == "f32=2.5"
    assert format_scalar(3, None) == "i64=3"
    assert format_scalar(0.1, None) == "f64=0.1"
    assert format_scalar(True, None) == "i1=1"


F32 = np.float32


@pytest.mark.parametrize(
    ("actual", "expected", "keywords", "problem"),
    [
        (np.ones(2, F32), np.ones(2, F32), {}, None),
        (np.ones(2, F32), np.full(2, 1.0001, F32), {}, None),
        (
            np.ones(2, F32),
            np.full(2, 1.001, F32),
            {},
            "at 2 of 2 elements, first at index 0: 1, expected 1.001",
        ),
        (np.ones(2, F32), np.full(2, 1.001, F32), {"atol": 0.01}, None),
        (np.full(2, 1e6, F32), np.full(2, 1e6 + 5, F32), {}, None),
        (np.full(2, 1e6, F32), np.full(2, 1e6 + 5, F32), {"rtol": 0.0}, "differs at 2"),
        (np.ones(2, np.float16), np.full(2, 1.0009765625, np.float16), {}, None),
        (np.array([np.nan, np.inf], F32), np.array([np.nan, np.inf], F32), {}, None),
        (np.array([np.nan], F32), np.array([1], F32), {}, "differs at 1"),
        (np.array([1, 2, 3]), np.array([1, 9, 3]), {"atol": 100.0}, "first at index 1: 2, expected 9"),
        (np.array([[1, 2], [3, 4]]), np.array([[1, 2], [3, 5]]), {}, "first at index 3: 4, expected 5"),
        (np.ones(2, F32), np.ones(3, F32), {}, "is 2xf32, expected 3xf32"),
        (np.ones(2, F32), np.ones(2), {}, "is 2xf32, expected 2xf64"),
        (np.array([True]), np.array([1], np.int8), {}, None),
        (np.array([255], np.uint8), np.array([255], np.uint8), {}, None),
        (np.zeros((0, 2), F32), np.zeros((0, 2), F32), {}, None),
        (np.array([1 + 1j]), np.array([1 + 2j]), {}, "differs at 1"),
        (3, 3, {}, None),
        (3, 4, {}, "first at index 0: 3, expected 4"),
        (2.5, np.array(2.5, F32), {}, None),
        (2**32 + 3, np.array(3, np.int32), {}, "expected 3"),
        (np.array(2.5, F32), 2.5, {}, None),
        (np.ones(2, F32), 1, {}, "is 2xf32, expected i64"),
    ],
)
def test_compare(actual, expected, keywords, problem):
    result = compare(actual, expected, **keywords)
    if problem is None:
        assert result is None
    else:
        assert problem in result
