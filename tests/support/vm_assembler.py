# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns making module files byte by byte, for what no compiler writes: every instruction, and broken modules.
"""Assemble VM modules for tests."""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["OPCODES", "Branch", "Function", "Module", "Opcode", "Raw", "Table", "flatbuffer", "move", "ref"]

_SOURCE = Path(__file__).resolve().parent.parent.parent / "iree_cy" / "native" / "vm" / "bytecode" / "opcodes.inl"
_PREFIXES = {"CORE": b"", "F32": b"\xe0", "F64": b"\xe1"}
IMPORT = 0x80000000


@dataclass(frozen=True)
class Opcode:
    """An instruction of the set: its bytes and the letters of its encoding."""

    code: bytes
    encoding: str


def _read_opcodes() -> dict[str, Opcode]:
    rows = re.findall(r'^OP\((\w+), (0x\w+), \w+, "([\w.]+)", "(.*)"\)', _SOURCE.read_text(), re.MULTILINE)
    return {name: Opcode(_PREFIXES[group] + bytes([int(number, 16)]), letters) for group, number, name, letters in rows}


OPCODES = _read_opcodes()


def ref(number: int) -> int:
    """Name a ref register."""
    return 0x8000 | number


def move(number: int) -> int:
    """Name a ref register that gives its reference up."""
    return 0xC000 | number


class Table:
    """A FlatBuffer table.

    Parameters
    ----------
    fields
        By index: bytes (a scalar as it is stored), a str, a list of tables, a ``Raw`` vector or another table.
    """

    def __init__(self, fields: Mapping[int, object]) -> None:
        self.fields = dict(fields)


@dataclass(frozen=True)
class Raw:
    """A vector of ``count`` elements that lie in ``data``."""

    count: int
    data: bytes


def _append(out: bytearray, value: object) -> int:
    """Append an object and return its offset."""
    out.extend(bytes(-len(out) % 8))
    if isinstance(value, Table):
        return _append_table(out, value)
    start = len(out)
    if isinstance(value, str):
        data = value.encode()
        out.extend(struct.pack("<I", len(data)) + data + b"\0")
    elif isinstance(value, Raw):
        out.extend(struct.pack("<I", value.count) + value.data)
    elif isinstance(value, list):
        out.extend(struct.pack("<I", len(value)) + bytes(4 * len(value)))
        for i, element in enumerate(value):
            _refer(out, start + 4 + 4 * i, _append(out, element))
    else:
        raise TypeError(f"{value!r} is nothing that a FlatBuffer holds")
    return start


def _refer(out: bytearray, where: int, target: int) -> None:
    struct.pack_into("<I", out, where, target - where)


def _append_table(out: bytearray, table: Table) -> int:
    count = max(table.fields, default=-1) + 1
    offsets = [0] * count
    body = bytearray(4)
    for index, value in table.fields.items():
        data = value if isinstance(value, bytes) else bytes(4)
        body.extend(bytes(-len(body) % len(data)))
        offsets[index] = len(body)
        body.extend(data)
    vtable = struct.pack(f"<HH{count}H", 4 + 2 * count, len(body), *offsets)
    vtable_at = len(out)
    out.extend(vtable + bytes(-len(vtable) % 8))
    start = len(out)
    out.extend(body)
    struct.pack_into("<i", out, start, start - vtable_at)
    for index, value in table.fields.items():
        if not isinstance(value, bytes):
            _refer(out, start + offsets[index], _append(out, value))
    return start


def flatbuffer(root: Table, identifier: bytes = b"IREE") -> bytes:
    """Serialize a table with its size in front, as module files begin."""
    out = bytearray(4) + identifier
    _refer(out, 0, _append(out, root))
    return struct.pack("<I", len(out)) + bytes(out)


@dataclass(frozen=True)
class Branch:
    """A branch: the number of the block, counted from 0, and pairs of registers to assign."""

    block: int
    pairs: Sequence[tuple[int, int]] = ()


def _words(values: Sequence[int]) -> bytes:
    return struct.pack(f"<H{len(values)}H", len(values), *values)


@dataclass
class Function:
    """A function under assembly; its first block is begun.

    Parameters
    ----------
    convention
        How it is called, such as ``0ii_i``.
    registers
        Its 32-bit registers.
    refs
        Its ref registers.
    """

    convention: str = "0v_v"
    registers: int = 8
    refs: int = 4
    requirements: int = 3
    code: bytearray = field(default_factory=bytearray)
    blocks: list[int] = field(default_factory=list)
    fixups: list[tuple[int, int]] = field(default_factory=list)
    block_count: int | None = None

    def __post_init__(self) -> None:
        """Begin the first block."""
        self.block()

    def block(self) -> Function:
        """Begin the next block."""
        self.blocks.append(len(self.code))
        self.code += OPCODES["block"].code
        return self

    def raw(self, data: bytes) -> Function:
        """Append bytes as they are."""
        self.code += data
        return self

    def _align(self) -> None:
        if len(self.code) % 2:
            self.code.append(0)

    def _branch(self, value: Branch) -> None:
        self.fixups.append((len(self.code), value.block))
        self.code += bytes(4)
        self._align()
        flat = [register for pair in value.pairs for register in pair]
        self.code += struct.pack(f"<H{len(flat)}H", len(value.pairs), *flat)

    def op(self, name: str, *fields: object) -> Function:
        """Append an instruction with its fields in the order of the encoding.

        A list field is a sequence, a ``b`` a ``Branch``, a ``B`` a sequence of them, a ``j`` the number of a block,
        constants are numbers or bytes.
        """
        opcode = OPCODES[name]
        self.code += opcode.code
        letters = re.findall(r"\*?\w", opcode.encoding)
        for letter, value in zip(letters, fields, strict=True):
            if letter[0] == "*" or letter == "v":
                assert isinstance(value, Sequence)
                self._align()
                self.code += _words(value)
            elif letter == "b":
                assert isinstance(value, Branch)
                self._branch(value)
            elif letter == "B":
                assert isinstance(value, Sequence)
                self.code += struct.pack("<H", len(value))
                for branch in value:
                    self._branch(branch)
            elif letter == "j":
                assert isinstance(value, int)
                self.fixups.append((len(self.code), value))
                self.code += bytes(4)
            elif letter == "s":
                assert isinstance(value, str)
                self.code += struct.pack("<H", len(value)) + value.encode()
            elif isinstance(value, bytes):
                self.code += value
            else:
                assert isinstance(value, int)
                size = 4 if letter in "cgGnotTk" else 8 if letter == "C" else 2
                self.code += (value % (1 << (8 * size))).to_bytes(size, "little")
        return self

    def finish(self) -> bytes:
        """Return the code with the offsets of blocks filled in."""
        for where, block in self.fixups:
            struct.pack_into("<I", self.code, where, self.blocks[block] if block < len(self.blocks) else block)
        return bytes(self.code)


@dataclass
class Module:
    """A module under assembly; ``assemble`` gives the file. Constants are ``rodata`` in the FlatBuffer, then
    ``external`` behind it."""

    functions: Sequence[Function] = ()
    exports: Mapping[str, int] | None = None
    types: Sequence[str] = ("!vm.buffer", "!vm.list<?>", "!vm.opaque", "i32")
    imports: Sequence[tuple[str, str]] = ()
    rodata: Sequence[bytes] = ()
    external: Sequence[bytes] = ()
    global_bytes: int = 0
    global_refs: int = 0
    version: int = 17 << 16
    requirements: int = 3
    name: str = "test"

    def _external_tables(self) -> list[Table]:
        tables = []
        offset = 0
        for data in self.external:
            tables.append(Table({3: struct.pack("<Q", offset), 4: struct.pack("<Q", len(data))}))
            offset += len(data) + -len(data) % 64
        return tables

    def table(self) -> Table:
        """Return the root table."""
        code = bytearray()
        descriptors = bytearray()
        signatures = []
        for function in self.functions:
            body = function.finish()
            blocks = len(function.blocks) if function.block_count is None else function.block_count
            counts = (0, blocks, function.registers, function.refs)
            descriptors += struct.pack("<iiI4H", len(code), len(body), function.requirements, *counts)
            code += body + bytes(-len(body) % 8)
            signatures.append(Table({0: function.convention}))
        exports = {"main": 0} if self.exports is None and self.functions else self.exports or {}
        return Table(
            {
                0: self.name,
                2: struct.pack("<I", self.requirements),
                4: [Table({0: name}) for name in self.types],
                6: [Table({0: name, 1: Table({0: convention})}) for name, convention in self.imports],
                7: [Table({0: name, 1: struct.pack("<i", ordinal)}) for name, ordinal in exports.items()],
                8: signatures,
                9: [Table({2: Raw(len(data), data)}) for data in self.rodata] + self._external_tables(),
                11: Table({0: struct.pack("<i", self.global_bytes), 1: struct.pack("<i", self.global_refs)}),
                12: Raw(len(self.functions), bytes(descriptors)),
                13: struct.pack("<I", self.version),
                14: Raw(len(code), bytes(code)),
            }
        )

    def assemble(self) -> bytes:
        """Return the module file: the FlatBuffer, then what lies outside of it, at multiples of 64."""
        data = bytearray(flatbuffer(self.table()))
        for external in self.external:
            data += bytes(-len(data) % 64) + external
        return bytes(data)
