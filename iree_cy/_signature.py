# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns what a compiled function says of its arguments and results: iree.abi, its declaration, its convention.
"""Read the signature of a function from its reflection.

Three sources say how a function is called, in this order: ``iree.abi``, JSON that some importers
leave; ``iree.abi.declaration``, the source's declaration as the compiler prints it; and the calling
convention, which knows numbers and references only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from iree_cy.enums import HalElementType
from iree_cy.errors import quote, value_error

__all__ = ["Signature", "Value", "read_signature"]

_ELEMENT_TYPES: dict[str, int] = {
    "i1": HalElementType.BOOL_8,
    "i4": HalElementType.INT_4,
    "i8": HalElementType.INT_8,
    "i16": HalElementType.INT_16,
    "i32": HalElementType.INT_32,
    "i64": HalElementType.INT_64,
    "index": HalElementType.INT_64,
    "si4": HalElementType.SINT_4,
    "si8": HalElementType.SINT_8,
    "si16": HalElementType.SINT_16,
    "si32": HalElementType.SINT_32,
    "si64": HalElementType.SINT_64,
    "ui4": HalElementType.UINT_4,
    "ui8": HalElementType.UINT_8,
    "ui16": HalElementType.UINT_16,
    "ui32": HalElementType.UINT_32,
    "ui64": HalElementType.UINT_64,
    "f16": HalElementType.FLOAT_16,
    "bf16": HalElementType.BFLOAT_16,
    "f32": HalElementType.FLOAT_32,
    "f64": HalElementType.FLOAT_64,
    "complex<f32>": HalElementType.COMPLEX_64,
    "complex<f64>": HalElementType.COMPLEX_128,
    "f8E4M3FN": HalElementType.FLOAT_8_E4M3_FN,
    "f8E4M3FNUZ": HalElementType.FLOAT_8_E4M3_FNUZ,
    "f8E5M2": HalElementType.FLOAT_8_E5M2,
    "f8E5M2FNUZ": HalElementType.FLOAT_8_E5M2_FNUZ,
    "f8E8M0FNU": HalElementType.FLOAT_8_E8M0_FNU,
}

# The scalar types that each letter of a calling convention carries.
_SCALARS_BY_LETTER = {
    "i": frozenset(
        ["i1", "i4", "i8", "i16", "i32", "si8", "si16", "si32", "ui8", "ui16", "ui32", "f16", "bf16", "index"]
    ),
    "I": frozenset(["i64", "si64", "ui64", "index"]),
    "f": frozenset(("f32",)),
    "F": frozenset(("f64",)),
}
_SCALAR_BY_LETTER = {"i": "i32", "I": "i64", "f": "f32", "F": "f64"}
_SEQUENCES = {"slist": "list", "stuple": "tuple"}
# Compiled when the first signature is read: whoever asks for a driver waits for this file.
_SHAPED = r"(?s)tensor<((?:(?:\?|[0-9]+)x)*)([a-zA-Z].*)>"
_ARGUMENT = r"(?s)%(?P<name>[\w.$-]+)\s*:\s*(?P<rest>.*)"
_DECLARATION = r"(?s)(?:sync|async)?\s*func\s+@[^(]*\("


class Value(NamedTuple):
    """An argument or a result.

    Attributes
    ----------
    name : str
        How messages, and keyword arguments, name it.
    kind : str
        ``"scalar"``, ``"tensor"``, ``"list"``, ``"tuple"``, ``"dict"``, ``"homogeneous"`` or
        ``"any"``, a reference of which nothing is known.
    type : str
        The element type as the compiler writes it (``"f32"``), or the whole type.
    element_type : int
        The `HalElementType` of a tensor; 0 when it has none that is known.
    shape : tuple of int, or None
        Dimensions of a tensor, -1 for dynamic ones; None when they are not known.
    is_taken : bool
        The program may write to the argument, or give it back as a result.
    items : tuple of (str, Value)
        What a list, tuple or dict holds, with keys.
    keyword : bool
        The name is the program's, so that the argument can be given by it.
    """

    name: str
    kind: str
    type: str = ""
    element_type: int = 0
    shape: tuple[int, ...] | None = None
    is_taken: bool = False
    items: tuple[tuple[str, Value], ...] = ()
    keyword: bool = False

    def describe(self) -> str:
        """Say what is wanted or given: ``tensor<4x?xf32>``, ``i32``, ``a dict of 2``."""
        if self.kind == "tensor":
            dims = "" if self.shape is None else "".join("?x" if dim < 0 else f"{dim}x" for dim in self.shape)
            return f"tensor<{dims}{self.type}>"
        if self.items:
            return f"a {self.kind} of {len(self.items)}"
        return self.type or self.kind


class Signature(NamedTuple):
    """Arguments and results of a function.

    Attributes
    ----------
    arguments, results : tuple of Value
    container : Value or None
        The list, tuple or dict that the results make together.
    has_fences : bool
        Two fences follow the arguments: what to wait for, and what to signal.
    is_declared : bool
        More is known than the calling convention.
    """

    arguments: tuple[Value, ...]
    results: tuple[Value, ...]
    container: Value | None = None
    has_fences: bool = False
    is_declared: bool = False


def read_signature(arguments: str, results: str, reflection: Mapping[str, str]) -> Signature:
    """Read a signature.

    Parameters
    ----------
    arguments, results
        The letters of the two sides of the calling convention.
    reflection
        The function's attributes.

    Raises
    ------
    ValueError
        If ``iree.abi`` is there and malformed.
    """
    has_fences = reflection.get("iree.abi.model") == "coarse-fences" and arguments.endswith("rr")
    letters = arguments[:-2] if has_fences else arguments
    if "iree.abi" in reflection:
        signature = _from_abi(reflection["iree.abi"])
        # The declaration alone says which arguments the program takes.
        declared = _from_declaration(reflection.get("iree.abi.declaration", ""))
        if declared is not None and len(declared.arguments) == len(signature.arguments):
            merged = tuple(
                value._replace(is_taken=other.is_taken)
                for value, other in zip(signature.arguments, declared.arguments, strict=True)
            )
            signature = signature._replace(arguments=merged)
    else:
        found = _from_declaration(reflection.get("iree.abi.declaration", ""))
        if found is None or not _fits(found, letters, results):
            return Signature(_from_letters(letters, "argument"), _from_letters(results, "result"), None, has_fences)
        signature = found
    flat = signature.container.items if signature.container is not None else signature.results
    if len(signature.arguments) != len(letters) or len(flat) != len(results):
        raise value_error(
            f"iree.abi says {len(signature.arguments)} arguments and {len(flat)} results, and the calling "
            f"convention {len(letters)} and {len(results)}"
        )
    return signature._replace(has_fences=has_fences, is_declared=True)


def _from_letters(letters: str, noun: str) -> tuple[Value, ...]:
    return tuple(
        Value(f"{noun} {i}", "scalar", _SCALAR_BY_LETTER[letter])
        if letter in _SCALAR_BY_LETTER
        else Value(f"{noun} {i}", "any", "a reference")
        for i, letter in enumerate(letters)
    )


def _fits(signature: Signature, arguments: str, results: str) -> bool:
    # A declaration that the program's own calling convention contradicts is of no use.
    return _sides_fit(signature.arguments, arguments) and _sides_fit(signature.results, results)


def _sides_fit(values: tuple[Value, ...], letters: str) -> bool:
    return len(values) == len(letters) and all(
        value.type in _SCALARS_BY_LETTER.get(letter, ()) if value.kind == "scalar" else letter == "r"
        for value, letter in zip(values, letters, strict=True)
    )


# iree.abi.declaration


def _from_declaration(text: str) -> Signature | None:
    match = re.match(_DECLARATION, text)
    if match is None:
        return None
    inside, rest = _balanced(text, match.end() - 1)
    arrow, _, outside = rest.partition("->")
    if inside is None or arrow.strip():
        return None
    outside = outside.strip()
    if outside.startswith("("):
        results = _balanced(outside, 0)[0]
        if results is None:
            return None
    else:
        results = outside
    try:
        return Signature(
            tuple(_declared_values(inside, "argument")), tuple(_declared_values(results, "result")), is_declared=True
        )
    except ValueError:
        return None


def _balanced(text: str, start: int) -> tuple[str | None, str]:
    """Return what stands in the brackets that open at `start`, and what follows them."""
    for end in _closers(text, start):
        return text[start + 1 : end], text[end + 1 :]
    return None, ""


def _closers(text: str, start: int) -> Iterator[int]:
    depth = 0
    for i in range(start, len(text)):
        character = text[i]
        if character in "(<{[":
            depth += 1
        elif character in ")}]" or (character == ">" and text[i - 1] != "-"):
            depth -= 1
            if depth == 0:
                yield i


def _split(text: str) -> Iterator[str]:
    depth = start = 0
    for i, character in enumerate(text):
        if character in "(<{[":
            depth += 1
        elif character in ")}]" or (character == ">" and text[i - 1] != "-"):
            depth -= 1
        elif character == "," and depth == 0:
            yield text[start:i].strip()
            start = i + 1
    if text[start:].strip():
        yield text[start:].strip()


def _declared_values(text: str, noun: str) -> Iterator[Value]:
    for i, part in enumerate(_split(text)):
        match = re.fullmatch(_ARGUMENT, part)
        name, rest = (match["name"], match["rest"]) if match is not None else ("", part)
        type_text, attributes = _split_attributes(rest)
        is_taken = "iree.abi.consume" in attributes or "iree.abi.output" in attributes
        # The compiler numbers what has no name.
        is_named = bool(name) and re.fullmatch(r"(input|output)[0-9]+", name) is None
        yield _declared_value(type_text)._replace(name=name or f"{noun} {i}", is_taken=is_taken, keyword=is_named)


def _split_attributes(text: str) -> tuple[str, str]:
    depth = 0
    for i, character in enumerate(text):
        if character == "{" and depth == 0:
            return text[:i].strip(), text[i:]
        if character in "(<{[":
            depth += 1
        elif character in ")}]" or (character == ">" and text[i - 1] != "-"):
            depth -= 1
    return text.strip(), ""


def _declared_value(text: str) -> Value:
    if text in _ELEMENT_TYPES:
        return Value("", "scalar", text)
    match = re.fullmatch(_SHAPED, text)
    if match is None:
        return Value("", "any", text)
    element = next(iter(_split(match[2])), "")
    dims = tuple(-1 if dim == "?" else int(dim) for dim in match[1].split("x") if dim)
    return Value("", "tensor", element, int(_ELEMENT_TYPES.get(element, 0)), dims)


# iree.abi


def _from_abi(text: str) -> Signature:
    # Few programs have it, and whoever asks for a driver waits for this file.
    import json

    try:
        abi = json.loads(text)
        arguments, results = abi["a"], abi["r"]
        if not isinstance(arguments, list) or not isinstance(results, list):
            raise TypeError
        values = tuple(_abi_value(item, f"argument {i}") for i, item in enumerate(arguments))
        returned = tuple(_abi_value(item, f"result {i}") for i, item in enumerate(results))
    except (ValueError, TypeError, KeyError, IndexError):
        raise value_error(f"the function's iree.abi is malformed: {quote(text, 100)}") from None
    container = returned[0] if len(returned) == 1 and returned[0].kind in ("list", "tuple", "dict") else None
    return Signature(values, returned, container, is_declared=True)


def _abi_value(item: Any, name: str) -> Value:
    if item is None or item == "unknown":
        return Value(name, "any", "a reference")
    if isinstance(item, str):
        return Value(name, "scalar", item) if item in _ELEMENT_TYPES else Value(name, "any", item)
    kind = item[0]
    if kind == "named":
        return _abi_value(item[2], item[1])._replace(keyword=True)
    if kind == "ndarray":
        return Value(name, "tensor", item[1], int(_ELEMENT_TYPES[item[1]]), _abi_shape(item[2:]))
    if kind in _SEQUENCES:
        items = tuple((str(i), _abi_value(sub, f"{name}[{i}]")) for i, sub in enumerate(item[1:]))
        return Value(name, _SEQUENCES[kind], items=items)
    if kind == "sdict":
        return Value(name, "dict", items=tuple(_abi_items(item[1:], name)))
    if kind == "py_homogeneous_list":
        return Value(name, "homogeneous", items=(("", _abi_value(item[1], f"{name}[...]")),))
    raise ValueError(kind)


def _abi_items(items: Iterable[Any], name: str) -> Iterator[tuple[str, Value]]:
    for key, sub in items:
        yield key, _abi_value(sub, f"{name}[{key!r}]")


def _abi_shape(items: list[Any]) -> tuple[int, ...] | None:
    # The rank, then that many dimensions; null is a rank or dimension that is not known.
    if not items or items[0] is None:
        return None
    rank, dims = int(items[0]), items[1:]
    if len(dims) != rank:
        return None
    return tuple(-1 if dim is None else int(dim) for dim in dims)
