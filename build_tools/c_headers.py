# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the reading of our public headers: prototypes, structs, enums and function types.
"""Read declarations from the project's own headers.

The headers are ours, formatted by clang-format and written in a narrow style, so that this reads that style and
refuses what it does not know instead of being a C parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Function", "FunctionType", "Header", "HeaderError", "Member", "Parameter", "Record", "read_header"]

_EXPORT = "IREE_API_EXPORT"
_ATTRIBUTES = re.compile(
    r"\bIREE_MUST_USE_RESULT\b|\bIREE_CY_DEPRECATED\b|\bIREE_PRINTF_ATTRIBUTE\s*\([^)]*\)|__attribute__\s*\(\(.*?\)\)"
)


class HeaderError(Exception):
    """A declaration that the narrow style has no room for."""


@dataclass(frozen=True)
class Parameter:
    """A parameter as its declaration text and its name."""

    text: str
    name: str


@dataclass(frozen=True)
class Function:
    """A prototype marked IREE_API_EXPORT."""

    name: str
    result: str
    parameters: tuple[Parameter, ...]

    @property
    def signature(self) -> str:
        """The prototype on one line, without attributes."""
        return declare(self.result, self.name, self.parameters)


@dataclass(frozen=True)
class FunctionType:
    """A typedef of a pointer to a function, on one line."""

    name: str
    text: str


@dataclass(frozen=True)
class Member:
    """A struct member: the path that offsetof takes, and its declaration on one line."""

    path: str
    text: str


@dataclass(frozen=True)
class Record:
    """A struct or union with its members in order."""

    name: str
    kind: str
    members: tuple[Member, ...]
    is_typedef: bool

    @property
    def type_name(self) -> str:
        """How C names the type."""
        return self.name if self.is_typedef else f"{self.kind} {self.name}"


@dataclass(frozen=True)
class Header:
    """What one header declares."""

    include: str
    includes: tuple[str, ...]
    includes_python: bool
    functions: tuple[Function, ...]
    records: tuple[Record, ...]
    function_types: tuple[FunctionType, ...]
    scalar_types: tuple[str, ...]
    constants: tuple[str, ...]


def declare(result: str, name: str, parameters: Sequence[Parameter]) -> str:
    """Write a prototype without its semicolon."""
    listed = ", ".join(parameter.text for parameter in parameters) or "void"
    return f"{result} {name}({listed})"


def _one_line(text: str) -> str:
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r"\s*([(),;\[\]])\s*", r"\1", text)
    return re.sub(r"(?<=[\w*])\(\*", " (*", text.replace(",", ", "))


def _strip(text: str) -> tuple[str, tuple[str, ...]]:
    """Remove comments and directives; return the rest and the project headers that it includes."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    text = re.sub(r"//[^\n]*", "", text)
    includes = tuple(re.findall(r'^\s*#\s*include\s+"(iree_cy/[^"]+)"', text, re.MULTILINE))
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\bIREE_CY_EXTERN_C_(BEGIN|END)\b", "", text)
    return text, includes


def _split(text: str, separator: str) -> list[str]:
    """Split at the separators that stand in no bracket."""
    parts, depth, start = [], 0, 0
    for index, character in enumerate(text):
        if character in "({[":
            depth += 1
        elif character in ")}]":
            depth -= 1
        elif character == separator and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    parts.append(text[start:])
    return parts


def _declarator_name(text: str) -> str | None:
    """Find the name that a declaration without an initialiser declares; None for a bare type."""
    pointer = re.search(r"\(\s*\*\s*(?:const\s+)?(\w+)\s*(?:\[[^\]]*\])*\s*\)\s*\(", text)
    if pointer:
        return pointer[1]
    plain = re.search(r"[\s*](\w+)\s*((\[[^\]]*\]\s*)*)$", text)
    return plain[1] if plain else None


def _parameters(text: str, where: str) -> tuple[Parameter, ...]:
    parts = [_one_line(part) for part in _split(text, ",")]
    if parts in (["void"], [""]):
        return ()
    found = []
    for part in parts:
        if part == "...":
            raise HeaderError(f"{where}: a host function cannot be variadic; take a va_list")
        name = _declarator_name(part)
        if name is None or re.fullmatch(r"(const )?(unsigned |signed )?\w+", part):
            raise HeaderError(f"{where}: parameter {part!r} has no name")
        found.append(Parameter(part, name))
    return tuple(found)


def _functions(text: str, where: str) -> Iterator[Function]:
    for match in re.finditer(rf"\b{_EXPORT}\b(.*?);", text, re.DOTALL):
        prototype = _one_line(_ATTRIBUTES.sub("", match[1]))
        parsed = re.fullmatch(r"(.*?[\s*])(\w+)\((.*)\)", prototype)
        if not parsed or "{" in prototype:
            raise HeaderError(f"{where}: cannot read the prototype {prototype!r}")
        name = parsed[2]
        yield Function(name, parsed[1].strip(), _parameters(parsed[3], f"{where}: {name}"))


def _members(body: str, where: str, prefix: str = "") -> Iterator[Member]:
    for raw in _split(body, ";"):
        part = raw.strip()
        if not part:
            continue
        if "{" in part:
            nested = re.fullmatch(r"(struct|union)\s*(\w*)\s*\{(.*)\}\s*(\w*)\s*((\[\w+\])?)", part, re.DOTALL)
            if not nested:
                raise HeaderError(f"{where}: cannot read the member {_one_line(part)!r}")
            kind, _, inner, name, extent, _ = nested.groups()
            if name:
                yield Member(prefix + name, f"{kind} {name}{extent}")
            if not extent:
                yield from _members(inner, where, f"{prefix}{name}." if name else prefix)
            continue
        text = _one_line(_ATTRIBUTES.sub("", part))
        if re.search(r"[^:]:[^:]", text):
            raise HeaderError(f"{where}: bit-fields have no fixed layout: {text!r}")
        declarators = [text] if "(" in text else _split(text, ",")
        if len(declarators) > 1:
            raise HeaderError(f"{where}: one declaration a member: {text!r}")
        declared = _declarator_name(text)
        if declared is None:
            raise HeaderError(f"{where}: cannot read the member {text!r}")
        yield Member(prefix + declared, text)


def _braced(text: str, start: int) -> int:
    """Return the index behind the brace that closes the one at `start`."""
    depth = 0
    for index in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[index], 0)
        if depth == 0:
            return index + 1
    raise HeaderError("a brace is never closed")


def _records_and_constants(text: str, where: str) -> tuple[list[Record], list[str]]:
    records, constants = [], []
    for match in re.finditer(r"(?:^|\n)(typedef\s+)?(struct|union|enum)\s*(\w*)\s*\{", text):
        end = _braced(text, match.end() - 1)
        body = text[match.end() : end - 1]
        typedef, kind, tag = bool(match[1]), match[2], match[3]
        alias = re.match(r"\s*(\w*)\s*;", text[end:])
        name = alias[1] if typedef and alias and alias[1] else tag
        if kind == "enum":
            for enumerator in _split(body, ","):
                if enumerator.strip():
                    constants.append(enumerator.split("=")[0].strip())
            continue
        if not name:
            raise HeaderError(f"{where}: a {kind} without a name")
        records.append(Record(name, kind, tuple(_members(body, f"{where}: {name}")), typedef))
    return records, constants


def _typedefs(text: str) -> tuple[list[FunctionType], list[str]]:
    function_types, scalars = [], []
    for match in re.finditer(r"(?:^|\n)typedef\s+([^;{}]*);", text):
        declaration = _one_line(match[1])
        name = _declarator_name(declaration)
        if name is None:
            continue
        if "(" in declaration:
            function_types.append(FunctionType(name, declaration))
        elif not re.fullmatch(r"(struct|union) \w+ \w+", declaration):
            scalars.append(name)
    return function_types, scalars


def read_header(path: Path, include: str) -> Header:
    """Read one header.

    Parameters
    ----------
    path
        The file.
    include
        How sources include it, such as ``iree_cy/base/status.h``.

    Raises
    ------
    HeaderError
        It declares something in a form that is not ours.
    """
    original = path.read_text(encoding="utf-8")
    text, includes = _strip(original)
    records, constants = _records_and_constants(text, include)
    function_types, scalars = _typedefs(text)
    return Header(
        include=include,
        includes=includes,
        includes_python="#include <Python.h>" in original,
        functions=tuple(_functions(text, include)),
        records=tuple(records),
        function_types=tuple(function_types),
        scalar_types=tuple(scalars),
        constants=tuple(constants),
    )
