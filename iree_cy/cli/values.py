# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns how values are written on the command line: parsed, printed, stored and compared.
"""Values in IREE's notation: ``2x3xf32=1 2 3 4 5 6``, ``f32=1``, ``4xi8=7``, ``@file.npy``, ``3``."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO, TypeAlias

import numpy as np

from iree_cy.enums import HalElementType
from iree_cy.errors import quote

__all__ = [
    "IGNORED",
    "Value",
    "ValueSyntaxError",
    "compare",
    "element_type_name",
    "element_type_of",
    "format_array",
    "format_scalar",
    "parse_values",
    "store",
]

Value: TypeAlias = "np.ndarray[Any, np.dtype[Any]] | int | float"

IGNORED = "(ignored)"
"""An expected output that may be anything."""

DEFAULT_MAX_ELEMENTS = 1024

_ELEMENT_TYPES: dict[str, HalElementType] = {
    "i1": HalElementType.BOOL_8,
    "i8": HalElementType.INT_8,
    "i16": HalElementType.INT_16,
    "i32": HalElementType.INT_32,
    "i64": HalElementType.INT_64,
    "si8": HalElementType.SINT_8,
    "si16": HalElementType.SINT_16,
    "si32": HalElementType.SINT_32,
    "si64": HalElementType.SINT_64,
    "ui8": HalElementType.UINT_8,
    "ui16": HalElementType.UINT_16,
    "ui32": HalElementType.UINT_32,
    "ui64": HalElementType.UINT_64,
    "f16": HalElementType.FLOAT_16,
    "f32": HalElementType.FLOAT_32,
    "f64": HalElementType.FLOAT_64,
    "bf16": HalElementType.BFLOAT_16,
    "c64": HalElementType.COMPLEX_64,
    "c128": HalElementType.COMPLEX_128,
    "complex<f32>": HalElementType.COMPLEX_64,
    "complex<f64>": HalElementType.COMPLEX_128,
    "f8E4M3FN": HalElementType.FLOAT_8_E4M3_FN,
    "f8E4M3FNUZ": HalElementType.FLOAT_8_E4M3_FNUZ,
    "f8E5M2": HalElementType.FLOAT_8_E5M2,
    "f8E5M2FNUZ": HalElementType.FLOAT_8_E5M2_FNUZ,
    "f8E8M0FNU": HalElementType.FLOAT_8_E8M0_FNU,
}

_NAME_BY_DTYPE = {
    "bool": "i1",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint8": "ui8",
    "uint16": "ui16",
    "uint32": "ui32",
    "uint64": "ui64",
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
    "bfloat16": "bf16",
    "complex64": "c64",
    "complex128": "c128",
    "float8_e4m3fn": "f8E4M3FN",
    "float8_e4m3fnuz": "f8E4M3FNUZ",
    "float8_e5m2": "f8E5M2",
    "float8_e5m2fnuz": "f8E5M2FNUZ",
    "float8_e8m0fnu": "f8E8M0FNU",
}

# Absolute tolerances by element type, as wide as the rounding of a few operations in that type.
_ABSOLUTE_TOLERANCE = {"f16": 1e-3, "bf16": 1e-2}
_DEFAULT_ABSOLUTE_TOLERANCE = 1e-4
DEFAULT_RELATIVE_TOLERANCE = 1e-5

_SHAPED_RE = re.compile(r"(?P<shape>(?:[0-9]+x)*)(?P<type>[a-z][A-Za-z0-9]*(?:<f(?:32|64)>)?)")
_SEPARATORS_RE = re.compile(r"[\s,\[\]]+")


class ValueSyntaxError(ValueError):
    """A value on the command line that is not in the notation."""


def element_type_of(name: str) -> HalElementType:
    """Return the element type of a name such as ``f32``.

    Raises
    ------
    ValueSyntaxError
        If there is no such name.
    """
    try:
        return _ELEMENT_TYPES[name]
    except KeyError:
        raise ValueSyntaxError(f"no element type {quote(name, 30)}; there are: {', '.join(_ELEMENT_TYPES)}") from None


def element_type_name(dtype: np.dtype[Any]) -> str:
    """Return the name of a dtype's element type, such as ``f32``."""
    return _NAME_BY_DTYPE.get(str(dtype.name), str(dtype.name))


def parse_values(text: str) -> list[Value]:
    """Parse one ``--input`` or ``--expected_output``.

    Parameters
    ----------
    text
        A scalar, a shaped value, or ``@`` and a file: ``.npy`` (each array in it) or ``.npz`` (each
        array, in the order of the archive).

    Returns
    -------
    list
        One value, or as many as the file holds.

    Raises
    ------
    ValueSyntaxError
        If it is not in the notation.
    OSError
        If the file cannot be read.
    """
    text = text.strip()
    if len(text) >= 2 and text[0] == text[-1] == '"':
        text = text[1:-1].strip()
    if text.startswith("@"):
        return list(_load(text[1:]))
    head, equals, data = text.partition("=")
    match = _SHAPED_RE.fullmatch(head.strip())
    # Words such as "nan" and "inf" look like a type and are scalars.
    if match is not None and (equals or match["type"] in _ELEMENT_TYPES or match["shape"]):
        # An array without elements has none to write.
        if equals and not data.strip() and "0" not in match["shape"].split("x"):
            raise ValueSyntaxError(f"{quote(text)} has no value after '='; for zeros leave out the '='")
        return [_parse_shaped(text, match["shape"], match["type"], data.strip())]
    return [_parse_scalar(text)]


def _parse_scalar(text: str) -> int | float:
    word = text.lower()
    if word in ("true", "false"):
        return int(word == "true")
    for convert in (_int, float):
        try:
            if "_" not in text:
                value = convert(text)
                if not _is_out_of_range(text, value):
                    return value
        except ValueError:
            continue
    raise ValueSyntaxError(f"{quote(text)} is no value; write 3, 2x2xf32=1 2 3 4, 4xi32=0, @file.npy or @file.npz")


def _int(text: str) -> int:
    return int(text, 16 if text.lower().lstrip("+-").startswith("0x") else 10)


def _parse_shaped(text: str, shape_text: str, type_name: str, data: str) -> Value:
    element_type = element_type_of(type_name)
    shape = tuple(int(dim) for dim in shape_text.split("x") if dim)
    count = math.prod(shape)
    try:
        dtype = HalElementType.map_to_dtype(element_type)
    except ValueError as error:
        raise ValueSyntaxError(f"{quote(text)}: {error}") from None
    if count * dtype.itemsize >= 1 << 48:
        raise ValueSyntaxError(f"{quote(text)}: {count} elements do not fit in memory")
    if data.startswith("@"):
        return _load_raw(text, data[1:], shape, dtype)
    if not data:
        return np.zeros(shape, dtype)
    words = [word for word in _SEPARATORS_RE.split(data) if word]
    if len(words) not in (1, count) or (count == 0 and words):
        raise ValueSyntaxError(f"{quote(text)}: {len(words)} values for {count} elements; give {count}, or one for all")
    convert = _converter(type_name, dtype)
    array = np.empty(len(words), dtype)
    for i, word in enumerate(words):
        try:
            array[i] = convert(word)
        except ValueError:
            raise ValueSyntaxError(f"{quote(text)}: {quote(word, 30)} is no {type_name}") from None
    if len(words) == count:
        return array.reshape(shape)
    return np.full(shape, array[0], dtype)


def _converter(type_name: str, dtype: np.dtype[Any]) -> Callable[[str], Any]:
    if dtype.kind == "b":
        return _bool
    if dtype.kind in "iu":
        return _integer_converter(type_name, dtype)
    if dtype.kind == "c":
        return lambda word: complex(word.replace("i", "j"))

    def to_float(word: str) -> Any:
        if "_" in word:
            raise ValueError
        value = float(word)
        with np.errstate(over="ignore"):
            result = np.array(value).astype(dtype)
        if _is_out_of_range(word, value) or (math.isfinite(value) and not np.isfinite(result)):
            raise ValueError
        return result

    return to_float


def _is_out_of_range(word: str, value: float) -> bool:
    # Python reads what is too large for it as infinity.
    return math.isinf(value) and any(character.isdigit() for character in word)


def _bool(word: str) -> bool:
    if word.lower() not in ("0", "1", "true", "false"):
        raise ValueError
    return word.lower() in ("1", "true")


def _integer_converter(type_name: str, dtype: np.dtype[Any]) -> Callable[[str], Any]:
    bits = 8 * dtype.itemsize
    # A signless integer may be written as either: 255 and -1 are the same i8.
    low = 0 if type_name.startswith("u") else -(1 << (bits - 1))
    high = (1 << (bits - 1)) - 1 if type_name.startswith("s") else (1 << bits) - 1
    signed = dtype.kind == "i"

    def to_integer(word: str) -> int:
        if "_" in word:
            raise ValueError
        value = _int(word)
        if not low <= value <= high:
            raise ValueError
        return value - (1 << bits) if signed and value >= 1 << (bits - 1) else value

    return to_integer


def _load(path: str) -> Iterator[Value]:
    if not path.endswith((".npy", ".npz")):
        raise ValueSyntaxError(f"{quote('@' + path)} is neither .npy nor .npz; for raw bytes write SHAPExTYPE=@{path}")
    with open(path, "rb") as file:
        try:
            if path.endswith(".npz"):
                yield from _load_npz(file)
            else:
                yield from _load_npy(file)
        except Exception as error:
            # A broken file makes NumPy and zipfile raise what has no base class in common.
            raise _bad_file(path, error) from None


def _load_npz(file: BinaryIO) -> list[Value]:
    archive = np.load(file, allow_pickle=False)
    if not isinstance(archive, np.lib.npyio.NpzFile):
        raise ValueError("it is no zip archive")
    with archive:
        return [archive[name] for name in archive.files]


def _load_npy(file: BinaryIO) -> list[Value]:
    size = os.fstat(file.fileno()).st_size
    arrays: list[Value] = []
    while not arrays or file.tell() < size:
        arrays.append(np.lib.format.read_array(file, allow_pickle=False))
    return arrays


def _bad_file(path: str, error: Exception) -> ValueSyntaxError:
    return ValueSyntaxError(f"{quote(path)} holds no NumPy arrays that can be read: {error}")


def _load_raw(text: str, path: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Value:
    wanted = math.prod(shape) * dtype.itemsize
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size != wanted:
            raise ValueSyntaxError(f"{quote(text)}: the file has {size} bytes, not {wanted}")
        return np.frombuffer(file.read(), dtype).reshape(shape)


def format_array(array: np.ndarray[Any, Any], max_elements: int = DEFAULT_MAX_ELEMENTS) -> str:
    """Write an array as ``2x2xf32=[1 2][3 4]``, with ``...`` for what is past `max_elements`."""
    shape = "".join(f"{dim}x" for dim in array.shape)
    budget = [max_elements]
    body = _format_elements(np.atleast_1d(array), budget)
    return f"{shape}{element_type_name(array.dtype)}={body}"


def _format_elements(array: np.ndarray[Any, Any], budget: list[int]) -> str:
    if array.ndim == 1:
        shown = array[: max(budget[0], 0)]
        text = " ".join(_format_element(element) for element in shown)
        budget[0] -= len(shown)
        return text + "..." if len(shown) < len(array) else text
    return "".join(f"[{_format_elements(row, budget)}]" for row in array)


def _format_element(element: Any) -> str:
    kind = element.dtype.kind
    if kind == "b":
        return str(int(element))
    if kind in "iu":
        return str(element)
    if kind == "c":
        return f"{element.real:G}{element.imag:+G}i"
    return f"{float(element):G}"


def format_scalar(value: float, type_name: str | None) -> str:
    """Write a scalar result as ``i32=3``."""
    if isinstance(value, (bool, np.bool_)):
        return f"{type_name or 'i1'}={int(value)}"
    if isinstance(value, (int, np.integer)):
        return f"{type_name or 'i64'}={int(value)}"
    return f"{type_name or 'f64'}={float(value):G}"


def store(path: str, value: Value, *, raw: bool = False) -> None:
    """Write a value to a file: raw bytes, or ``.npy``/``.npz`` by the name's end."""
    array = np.asarray(value)
    with open(path, "wb") as file:
        if raw:
            file.write(np.ascontiguousarray(array).tobytes())
        elif path.endswith(".npz"):
            np.savez(file, array)
        else:
            _save_npy(file, array)


def _save_npy(file: BinaryIO, array: np.ndarray[Any, Any]) -> None:
    np.save(file, array, allow_pickle=False)


def compare(
    actual: Value,
    expected: Value,
    *,
    rtol: float | None = None,
    atol: float | None = None,
) -> str | None:
    """Compare a result with what was expected.

    Integers are compared exactly; floating point within ``atol + rtol * abs(expected)``, with NaN
    equal to NaN.

    Returns
    -------
    str or None
        None if they agree; otherwise what differs, and where first.
    """
    if isinstance(actual, np.ndarray) and isinstance(expected, np.ndarray):
        if actual.shape != expected.shape or not _same_type(actual.dtype, expected.dtype):
            return f"is {_describe(actual)}, expected {_describe(expected)}"
    else:
        # A number on either side has no type of its own; the values are compared.
        actual, expected = _number(actual), _number(expected)
        if actual.shape != expected.shape:
            return f"is {_describe(actual)}, expected {_describe(expected)}"
    if actual.size == 0:
        return None
    if "f" in (actual.dtype.kind, expected.dtype.kind) or actual.dtype.kind in "cV":
        name = element_type_name(actual.dtype)
        wide: Any = np.complex128 if actual.dtype.kind == "c" else np.float64
        same = np.isclose(
            actual.astype(wide),
            expected.astype(wide),
            rtol=DEFAULT_RELATIVE_TOLERANCE if rtol is None else rtol,
            atol=_ABSOLUTE_TOLERANCE.get(name, _DEFAULT_ABSOLUTE_TOLERANCE) if atol is None else atol,
            equal_nan=True,
        )
    else:
        same = actual == expected
    different = np.flatnonzero(~np.ravel(same))
    if not different.size:
        return None
    first = int(different[0])
    return (
        f"differs at {different.size} of {actual.size} elements, first at index {first}: "
        f"{_format_element(np.ravel(actual)[first])}, expected "
        f"{_format_element(np.ravel(expected)[first])}"
    )


def _number(value: Value) -> np.ndarray[Any, Any]:
    array = np.asarray(value)
    if array.ndim or array.dtype.kind == "c":
        return array
    return np.asarray(float(array) if array.dtype.kind in "fV" else int(array))


def _same_type(actual: np.dtype[Any], expected: np.dtype[Any]) -> bool:
    if actual == expected:
        return True
    # The program's own types are signless, and its i1 is stored as i8.
    return actual.kind in "biu" and expected.kind in "biu" and actual.itemsize == expected.itemsize


def _describe(array: np.ndarray[Any, Any]) -> str:
    return "".join(f"{dim}x" for dim in array.shape) + element_type_name(array.dtype)


def count_of(values: Sequence[object], noun: str) -> str:
    """Write ``1 result``, ``2 results``."""
    return f"{len(values)} {noun}" + ("" if len(values) == 1 else "s")
