# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the little of ELF that the suite reads: what a library needs, imports, exports and runs when it goes.
"""Read a shared library of this machine's byte order, 64 bits, without loading it."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Library", "read_library"]

_SHT_SYMTAB, _SHT_STRTAB, _SHT_RELA, _SHT_DYNAMIC, _SHT_DYNSYM, _SHT_FINI_ARRAY = 2, 3, 4, 6, 11, 15
_DT_NEEDED = 1


@dataclass(frozen=True)
class Library:
    """What a library says of itself."""

    needed: tuple[str, ...]
    imports: frozenset[str]
    exports: frozenset[str]
    # What runs when the process ends, by name or as an address.
    destructors: tuple[str, ...]


@dataclass(frozen=True)
class _Section:
    kind: int
    address: int
    link: int
    data: bytes


def _text(table: bytes, offset: int) -> str:
    return table[offset : table.find(b"\0", offset)].decode(errors="replace")


def _sections(data: bytes) -> list[_Section]:
    if data[:6] != b"\x7fELF\x02\x01":
        raise ValueError("it is no ELF file of 64 bits in little-endian order")
    (table,) = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    sections = []
    for index in range(count):
        _, kind, _, address, offset, length, link, _, _, _ = struct.unpack_from(
            "<IIQQQQIIQQ", data, table + index * size
        )
        sections.append(_Section(kind, address, link, b"" if kind == 8 else data[offset : offset + length]))
    return sections


def read_library(path: str | Path) -> Library:
    """Read a library.

    Raises
    ------
    ValueError
        If the file is no such library.
    """
    try:
        sections = _sections(Path(path).read_bytes())
        return _read(sections)
    except (struct.error, IndexError) as error:
        raise ValueError(f"its headers lead out of the file: {error}") from None


def _read(sections: list[_Section]) -> Library:
    needed: list[str] = []
    imports: set[str] = set()
    exports: set[str] = set()
    names: dict[int, str] = {}
    for section in sections:
        if section.kind in (_SHT_DYNSYM, _SHT_SYMTAB):
            strings = sections[section.link].data
            for name, info, _, place, value, _ in struct.iter_unpack("<IBBHQQ", section.data):
                text = _text(strings, name)
                if info & 15 in (0, 1, 2) and value and text:
                    names.setdefault(value, text)
                if section.kind == _SHT_DYNSYM and text:
                    (imports if place == 0 else exports).add(text)
        elif section.kind == _SHT_DYNAMIC:
            strings = sections[section.link].data
            for tag, value in struct.iter_unpack("<QQ", section.data):
                if tag == _DT_NEEDED:
                    needed.append(_text(strings, value))
    return Library(tuple(needed), frozenset(imports), frozenset(exports), _destructors(sections, names))


def _destructors(sections: list[_Section], names: dict[int, str]) -> tuple[str, ...]:
    # Addresses stand in relocations, which the dynamic loader writes into the table.
    relocated: dict[int, int] = {}
    for section in sections:
        if section.kind == _SHT_RELA:
            for offset, _, addend in struct.iter_unpack("<QQq", section.data):
                relocated[offset] = addend
    found = []
    for section in sections:
        if section.kind == _SHT_FINI_ARRAY:
            for index, (value,) in enumerate(struct.iter_unpack("<Q", section.data)):
                address = relocated.get(section.address + 8 * index, value)
                found.append(names.get(address, f"the function at {address:#x}"))
    return tuple(found)
