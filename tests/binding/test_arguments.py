# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests the way of values into a program: numbers, arrays of every layout, containers, and what is refused.

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import iree_cy as rt
from tests.support.programs import CPU_FLAGS, compile_program

SCALARS = {
    "i1": ("i1", [True, False]),
    "i8": ("i8", [-128, 0, 127]),
    "i16": ("i16", [-(2**15), 2**15 - 1]),
    "i32": ("i32", [-(2**31), 2**31 - 1]),
    "i64": ("i64", [-(2**63), 2**63 - 1]),
    "index": ("index", [0, 2**40]),
    "f16": ("f16", [0.0, 1.5, -65504.0, 2.0**-24, 0.333251953125]),
    "bf16": ("bf16", [0.0, 1.5, -2.0, 2.0**100]),
    "f32": ("f32", [0.0, 0.5, -(2.0**100)]),
    "f64": ("f64", [0.1, 1e300, -0.0]),
}
IDENTITIES = "\n".join(
    f"func.func @{name}(%a: {kind}) -> {kind} {{ return %a : {kind} }}" for name, (kind, _) in SCALARS.items()
)
TENSORS = {
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "ui8": np.uint8,
    "ui32": np.uint32,
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "complex<f32>": np.complex64,
}


def _name(kind: str) -> str:
    return "t_" + "".join(c for c in kind if c.isalnum())


PROGRAM = (
    IDENTITIES
    + "\n".join(
        f"func.func @{_name(kind)}(%a: tensor<?x3x{kind}>) -> tensor<?x3x{kind}> {{ return %a : tensor<?x3x{kind}> }}"
        for kind in TENSORS
    )
    + """
func.func @add(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = arith.addf %a, %b : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
func.func @negate(%a: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = arith.negf %a : tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
func.func @zero_d(%a: tensor<f32>) -> tensor<f32> {
  %0 = arith.addf %a, %a : tensor<f32>
  return %0 : tensor<f32>
}
func.func @named(%x: i32 {iree.abi.name = "x"}, %y: i32 {iree.abi.name = "y"}) -> i32 {
  %0 = arith.subi %x, %y : i32
  return %0 : i32
}
func.func @nothing() { return }
func.func @bf16_tensor(%a: tensor<4xbf16>) -> tensor<4xbf16> { return %a : tensor<4xbf16> }
"""
)


@pytest.fixture(scope="module")
def module() -> Any:
    config = rt.Config(device=rt.get_device("local-sync"))
    # By default the compiler makes f64 into f32.
    program = compile_program(PROGRAM, (*CPU_FLAGS, "--iree-input-demote-f64-to-f32=false"))
    return rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, program), config)


class TestScalars:
    @pytest.mark.parametrize(
        ("name", "value"), [(name, value) for name, (_, values) in SCALARS.items() for value in values]
    )
    def test_round_trip(self, module: Any, name: str, value: Any) -> None:
        result = module[name](value)
        assert result == value
        assert type(result) is type(value)

    def test_an_int_where_a_float_is_wanted(self, module: Any) -> None:
        result = module.f32(1)
        assert result == 1.0
        assert type(result) is float

    @pytest.mark.parametrize(
        "value",
        [np.int32(7), np.int64(7), np.uint8(7), np.array(7), np.array(7, np.int16), 7.0, np.float32(7), True],
        ids=repr,
    )
    def test_numpy_scalars_and_integral_floats(self, module: Any, value: Any) -> None:
        assert module.i32(value) == int(value)

    @pytest.mark.parametrize("value", [2**32 - 1, np.uint32(2**32 - 1), np.uint64(2**31)], ids=repr)
    def test_unsigned_is_converted_by_value_not_by_bits(self, module: Any, value: Any) -> None:
        with pytest.raises(ValueError, match="does not fit"):
            module.i32(value)
        assert module.i32(np.uint32(2**31 - 1)) == 2**31 - 1

    def test_f32_is_rounded(self, module: Any) -> None:
        assert module.f32(0.1) == float(np.float32(0.1))

    @pytest.mark.parametrize("value", [0.1, 1 / 3, 65519.0, 2049.0, 3e-8, 6.1e-5, 5.96e-8 / 2], ids=repr)
    def test_f16_is_rounded_as_numpy_does(self, module: Any, value: float) -> None:
        assert module.f16(value) == float(np.float16(value))

    def test_bf16_is_rounded_as_ml_dtypes_does(self, module: Any) -> None:
        ml_dtypes = pytest.importorskip("ml_dtypes")
        for value in (0.1, 1 / 3, 255.5, 257.0):
            assert module.bf16(value) == float(ml_dtypes.bfloat16(value))

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("i32", 2.7),
            ("i32", 2**40),
            ("i32", -(2**31) - 1),
            ("i32", float("nan")),
            ("i8", 128),
            ("i1", 2),
            ("i64", 2**63),
            ("f32", 1e300),
            ("f32", 2**24 + 1),
            ("f16", 70000.0),
            ("f64", 10**400),
        ],
        ids=lambda value: str(value)[:12],
    )
    def test_what_does_not_fit(self, module: Any, name: str, value: Any) -> None:
        with pytest.raises(ValueError, match=rf"module\.{name}\(\): argument 'input0'.*{name}") as caught:
            module[name](value)
        assert len(str(caught.value)) <= 200
        good = SCALARS[name][1][0]
        assert module[name](good) == good

    @pytest.mark.parametrize("value", ["1", None, [1], np.array([1]), 1j, object()], ids=lambda v: type(v).__name__)
    @pytest.mark.parametrize("name", ["i32", "f32", "i1"])
    def test_what_is_no_number(self, module: Any, name: str, value: Any) -> None:
        with pytest.raises(TypeError, match=r"argument 'input0'"):
            module[name](value)

    def test_infinities_and_nan_are_floats(self, module: Any) -> None:
        assert module.f32(float("inf")) == float("inf")
        assert module.f16(float("-inf")) == float("-inf")
        assert np.isnan(module.f16(float("nan")))
        assert np.isnan(module.f32(float("nan")))


class TestArrays:
    @pytest.mark.parametrize("kind", TENSORS)
    def test_dtypes(self, module: Any, kind: str) -> None:
        array = (np.arange(6).reshape(2, 3) % 2).astype(TENSORS[kind])
        result = module[_name(kind)](array)
        assert result.dtype == TENSORS[kind]
        assert_array_equal(result.to_host(), array)

    def test_bfloat16(self, module: Any) -> None:
        ml_dtypes = pytest.importorskip("ml_dtypes")
        array = np.array([1, 2.5, -3, 0], ml_dtypes.bfloat16)
        result = module.bf16_tensor(array)
        assert result.dtype == array.dtype
        assert_array_equal(result.to_host(), array)

    @pytest.mark.parametrize("shape", [(0, 3), (1, 0), (0, 0), (1, 1), (5, 7)], ids=str)
    def test_shapes(self, module: Any, shape: tuple[int, ...]) -> None:
        array = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
        result = module.negate(array)
        assert result.shape == list(shape)
        assert_array_equal(result.to_host(), -array)

    def test_zero_dimensions(self, module: Any) -> None:
        for value in (np.array(3, np.float32), np.float32(3), 3.0, 3):
            result = module.zero_d(value)
            assert result.shape == []
            assert float(result) == 6.0

    LAYOUTS: ClassVar[dict[str, Any]] = {
        "strided": lambda a: np.repeat(np.repeat(a, 2, 0), 3, 1)[::2, ::3],
        "reversed": lambda a: a[::-1, ::-1].copy()[::-1, ::-1],
        "fortran": np.asfortranarray,
        "transposed": lambda a: a.T.copy().T,
        "read-only": lambda a: _read_only(a),
        "unaligned": lambda a: _unaligned(a),
    }

    @pytest.mark.parametrize("layout", LAYOUTS)
    @pytest.mark.parametrize("rows", [4, 3000])
    def test_layouts(self, module: Any, layout: str, rows: int) -> None:
        array = np.arange(rows * 5, dtype=np.float32).reshape(rows, 5)
        given = self.LAYOUTS[layout](array)
        assert_array_equal(given, array)
        assert_array_equal(module.negate(given).to_host(), -array)

    def test_broadcast(self, module: Any) -> None:
        given = np.broadcast_to(np.arange(3, dtype=np.float32), (2, 3))
        assert_array_equal(module.add(given, given).to_host(), 2 * given)

    @pytest.mark.parametrize("value", [[[1, 2, 3], [4, 5, 6]], ((1.5, 2, 3), (4, 5, 6)), [[True] * 3] * 2], ids=str)
    def test_lists_of_numbers(self, module: Any, value: Any) -> None:
        assert_array_equal(module.add(value, value).to_host(), 2 * np.asarray(value, np.float32))

    def test_other_arrays(self, module: Any) -> None:
        class Other:
            def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
                return np.ones((2, 3), np.float32)

        assert_array_equal(module.add(Other(), memoryview(np.ones((2, 3), np.float32))).to_host(), np.full((2, 3), 2))

    def test_device_arrays_and_buffer_views(self, module: Any) -> None:
        array = np.arange(6, dtype=np.float32).reshape(2, 3)
        first = module.add(array, array)
        assert_array_equal(module.add(first, first._buffer_view).to_host(), 4 * array)

    @pytest.mark.parametrize(
        ("value", "error", "match"),
        [
            (np.ones((2, 3)), TypeError, "float64"),
            (np.ones((2, 3), np.int32), TypeError, "int32"),
            (np.ones((2, 3), ">f4"), TypeError, ">f4"),
            (np.ones((2, 2), np.float32), ValueError, r"shape \(2, 2\)"),
            (np.ones(6, np.float32), ValueError, "rank 1"),
            (np.array(None), TypeError, "object"),
            (None, TypeError, "given None"),
            ("abc", TypeError, "str"),
            ([["a"] * 3] * 2, TypeError, "U1"),
            ([[1, 2], [3]], ValueError, "no array"),
            ([[1e300] * 3] * 2, ValueError, "exactly"),
            ([[1j] * 3] * 2, TypeError, "complex"),
            ({"a": 1}, TypeError, "dict"),
        ],
        ids=lambda value: None if isinstance(value, type) else type(value).__name__,
    )
    def test_what_does_not_fit(self, module: Any, value: Any, error: Any, match: str) -> None:
        good = np.ones((2, 3), np.float32)
        with pytest.raises(error, match=match) as caught:
            module.add(good, value)
        assert "module.add(): argument 'input1'" in str(caught.value)
        assert "tensor<2x3xf32>" in str(caught.value) or ">f4" in match
        assert_array_equal(module.add(good, good).to_host(), 2 * good)

    def test_a_device_array_that_does_not_fit(self, module: Any) -> None:
        device = rt.get_device("local-sync")
        good = np.ones((2, 3), np.float32)
        with pytest.raises(TypeError, match="f64"):
            module.add(good, rt.asdevicearray(device, np.ones((2, 3))))
        with pytest.raises(ValueError, match="rank 1"):
            module.add(rt.asdevicearray(device, np.ones(6, np.float32)), good)

    def test_integers_do_not_lose_anything(self, module: Any) -> None:
        with pytest.raises(ValueError, match="exactly"):
            module.t_i8([[1, 2, 300]])
        with pytest.raises(ValueError, match="exactly"):
            module.t_i32([[1.5, 2, 3]])
        assert_array_equal(module.t_i32([[1.0, 2, 3]]).to_host(), [[1, 2, 3]])


class TestCounts:
    def test_too_few_and_too_many(self, module: Any) -> None:
        with pytest.raises(ValueError, match=r"module\.add\(\) takes 2 arguments .*given 1"):
            module.add(np.ones((2, 3), np.float32))
        with pytest.raises(ValueError, match=r"nothing\(\) takes 0 arguments .*given 1"):
            module.nothing(1)
        assert module.nothing() is None

    def test_keywords(self, module: Any) -> None:
        assert module.named(5, 3) == 2
        assert module.named(5, y=3) == 2
        assert module.named(y=3, x=5) == 2
        with pytest.raises(ValueError, match="no argument named 'z'"):
            module.named(5, z=3)
        with pytest.raises(ValueError, match="twice"):
            module.named(5, x=3)
        with pytest.raises(ValueError, match="no value for argument 'x'"):
            module.named(y=5)


def _reflected(abi: dict[str, Any], arguments: str, results: str) -> str:
    """A function that passes its arguments on, with the reflection that some importers leave."""
    text = json.dumps(abi).replace('"', '\\"')
    names = ", ".join(f"%a{i}: {kind}" for i, kind in enumerate(arguments.split(";")))
    values = ", ".join(f"%a{i}" for i in range(len(results.split(";"))))
    kinds = ", ".join(results.split(";"))
    return (
        f'func.func @f({names}) -> ({kinds}) attributes {{iree.reflection = {{"iree.abi" = "{text}"}}}} '
        f"{{ return {values} : {kinds} }}"
    )


def _load(source: str) -> Any:
    config = rt.Config(device=rt.get_device("local-sync"))
    return rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, compile_program(source)), config)


class TestAbi:
    """Functions with ``iree.abi``: keyword arguments, lists, tuples and dicts."""

    def test_named_arguments(self) -> None:
        abi = {"a": ["i32", ["named", "b", ["ndarray", "f32", 1, 2]]], "r": ["i32", ["ndarray", "f32", 1, 2]]}
        f = _load(_reflected(abi, "i32;tensor<2xf32>", "i32;tensor<2xf32>")).f
        number, array = f(3, b=np.array([1, 2], np.float32))
        assert number == 3
        assert_array_equal(array, [1, 2])
        with pytest.raises(ValueError, match="no value for argument"):
            f(b=np.array([1, 2], np.float32))

    def test_inlined_results(self) -> None:
        for kind, expected in (("slist", [1, 2]), ("stuple", (1, 2))):
            f = _load(_reflected({"a": ["i32", "i32"], "r": [[kind, "i32", "i32"]]}, "i32;i32", "i32;i32")).f
            assert f(1, 2) == expected
        abi = {"a": ["i32", "i32"], "r": [["sdict", ["x", "i32"], ["y", "i32"]]]}
        assert _load(_reflected(abi, "i32;i32", "i32;i32")).f(1, 2) == {"x": 1, "y": 2}

    def test_nested_lists_and_dicts(self) -> None:
        inner = ["sdict", ["a", "i32"], ["b", ["stuple", "i64", "f32"]]]
        abi = {"a": [["slist", "i32", inner]], "r": ["i32", ["slist", "i32", inner]]}
        source = _reflected(abi, "!util.list<?>", "!util.list<?>").replace(
            "-> (!util.list<?>)", "-> (i32, !util.list<?>)"
        )
        source = source.replace(
            "{ return %a0 : !util.list<?> }", "{ %c = arith.constant 9 : i32\n return %c, %a0 : i32, !util.list<?> }"
        )
        f = _load(source).f
        value = [1, {"a": 2, "b": (2**40, 0.5)}]
        assert f(value) == (9, value)
        with pytest.raises(ValueError, match=r"expected a sequence with 2 values\. got:"):
            f([1])
        with pytest.raises(ValueError, match=r"expected a dict with 2 values\. got:"):
            f([1, {"a": 2}])
        with pytest.raises(ValueError, match="could not get item 'b' from:"):
            f([1, {"a": 2, "c": 3}])
        with pytest.raises(ValueError, match="does not fit"):
            f([2**40, {"a": 2, "b": (1, 0.5)}])

    def test_malformed(self) -> None:
        for abi in ({"a": ["i32"]}, {"a": ["what"], "r": "x"}):
            with pytest.raises(RuntimeError, match="malformed"):
                _load(_reflected(abi, "i32", "i32")).f(1)


def test_the_ordinary_export_of_an_asynchronous_program() -> None:
    flags = (*CPU_FLAGS, "--iree-execution-model=async-external")
    source = """
        func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
          %0 = arith.addf %a, %a : tensor<4xf32>
          return %0 : tensor<4xf32>
        }
    """
    config = rt.Config(device=rt.get_device("local-sync"))
    module = rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, compile_program(source, flags)), config)
    assert_array_equal(module.f(np.arange(4, dtype=np.float32)).to_host(), [0, 2, 4, 6])


def test_no_declaration_is_needed(tmp_path: Path) -> None:
    """Functions of which only the calling convention is known: a module written in Python."""
    seen = []

    def take(state: Any, number: int, ref: rt.VmRef) -> int:
        seen.append((number, ref.deref(rt.HalBufferView).shape))
        return number + 1

    interface = rt.PyModuleInterface("m", lambda interface: None)
    interface.export("take", "0Ir_i", take)
    config = rt.Config(device=rt.get_device("local-sync"))
    module = rt.load_vm_module(interface.create(), config)
    assert module.take(2, np.ones((2, 3), np.float32)) == 3
    assert seen == [(2, [2, 3])]
    with pytest.raises(ValueError, match="by position only"):
        module.take(2, x=1)


def _read_only(array: np.ndarray) -> np.ndarray:
    copy = array.copy()
    copy.flags.writeable = False
    return copy


def _unaligned(array: np.ndarray) -> np.ndarray:
    memory = bytearray(array.nbytes + 1)
    result = np.frombuffer(memory, np.uint8)[1:].view(array.dtype).reshape(array.shape)
    result[...] = array
    assert not result.flags.aligned
    return result
