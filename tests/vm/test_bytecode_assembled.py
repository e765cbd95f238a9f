# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Runs assembled bytecode in the C program bytecode_run: what no compiler writes.
"""Instructions without an operation in the compiler, recursion, and modules that must be refused."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.vm_assembler import IMPORT, OPCODES, Branch, Function, Module, flatbuffer, move, ref
from tests.support.vm_run import call, fail

I32_MIN, I32_MAX = -(2**31), 2**31 - 1


@pytest.fixture
def assemble(tmp_path: Path) -> Callable[[Module | bytes], Path]:
    """Write a module to a file."""

    def write(module: Module | bytes) -> Path:
        path = tmp_path / "module.vmfb"
        path.write_bytes(module if isinstance(module, bytes) else module.assemble())
        return path

    return write


Assemble = Callable[[Module | bytes], Path]


@pytest.mark.parametrize(
    ("op", "convention", "argument", "expected"),
    [
        ("cast.si32.f64", "0i_F", "i32=-3", "f64=-3 bits=0xC008000000000000"),
        ("cast.ui32.f64", "0i_F", "i32=-3", "f64=4294967293 bits=0x41EFFFFFFFA00000"),
        ("cast.f64.si32", "0F_i", "f64=-2.5", "i32=-3"),
        ("cast.f64.si32", "0F_i", "f64=1e10", f"i32={I32_MAX}"),
        ("cast.f64.si32", "0F_i", "f64=16777217.5", "i32=16777218"),
        ("cast.f64.ui32", "0F_i", "f64=4294967294.6", "i32=-1"),
        ("cast.f64.ui32", "0F_i", "f64=-1", "i32=0"),
        ("cast.f64.ui32", "0F_i", "f64=nan", "i32=0"),
    ],
)
def test_conversion_that_the_compiler_does_not_write(
    assemble: Assemble, op: str, convention: str, argument: str, expected: str
) -> None:
    """Instructions of the set without an operation in the compiler."""
    function = Function(convention).op(op, 0, 2).op("return", [2])
    assert call(assemble(Module([function])), "main", argument) == [expected]


@pytest.mark.parametrize(
    ("kind", "letter", "size", "value", "shown"),
    [
        ("i32", "i", 4, "i32=-5", "i32=-5"),
        ("i64", "I", 8, "i64=0x500000001", f"i64={(5 << 32) + 1}"),
        ("f32", "f", 4, "f32=1.5", "f32=1.5 bits=0x3FC00000"),
        ("f64", "F", 8, "f64=1.5", "f64=1.5 bits=0x3FF8000000000000"),
    ],
)
def test_global_by_address(assemble: Assemble, kind: str, letter: str, size: int, value: str, shown: str) -> None:
    """Globals by an address that the program computes; outside is refused."""
    function = Function(f"0i{letter}_{letter}")
    first = 2 if size == 8 else 1
    function.op(f"global.store.indirect.{kind}", 0, first).op(f"global.load.indirect.{kind}", 0, 4).op("return", [4])
    path = assemble(Module([function], global_bytes=24))
    for offset in (0, 24 - size):
        assert call(path, "main", f"i32={offset}", value) == [shown]
    for offset in (24 - size + 1, -1, I32_MIN):
        assert fail(path, "main", f"i32={offset}", value).startswith("OUT_OF_RANGE")


def test_global_ref_by_address(assemble: Assemble) -> None:
    """The same for references, which keep their type."""
    function = Function("0i_rr")
    function.op("const.ref.rodata", 0, ref(0)).op("global.store.indirect.ref", 0, 0, ref(0))
    function.op("global.load.indirect.ref", 0, 0, ref(1)).op("global.load.indirect.ref", 0, 0, move(2))
    function.op("return", [move(1), move(2)])
    path = assemble(Module([function], global_refs=2, rodata=[b"\x05"]))
    assert call(path, "main", "i32=1") == ["buffer=05", "buffer=05"]
    assert fail(path, "main", "i32=2").startswith("OUT_OF_RANGE")
    assert fail(path, "main", "i32=-1").startswith("OUT_OF_RANGE")


def test_recursion_does_not_use_the_native_stack(assemble: Assemble) -> None:
    """A hundred thousand frames are fine, and a limit on them holds."""
    function = Function("0i_I", registers=8)
    function.op("cond_br", 0, Branch(1), Branch(2))
    function.block().op("const.i32", 1, 1).op("sub.i32", 0, 1, 1).op("call", 0, [1], [2])
    function.op("ext.i32.i64.s", 0, 4).op("add.i64", 2, 4, 2).op("return", [2])
    function.block().op("const.i64.zero", 2).op("return", [2])
    path = assemble(Module([function]))
    count = 100000
    assert call(path, "main", f"i32={count}") == [f"i64={count * (count + 1) // 2}"]
    assert call(path, "main", "i32=30", options=("--max-call-depth=40",)) == ["i64=465"]
    message = fail(path, "main", "i32=50", options=("--max-call-depth=40",))
    assert message.startswith("RESOURCE_EXHAUSTED")


def test_variadic_yieldable_call(assemble: Assemble) -> None:
    """A call with spans that may yield goes on at its block."""
    function = Function("0iiI_I", registers=8)
    function.op("call.variadic.yieldable", IMPORT, [0, 1], [0, 1, 2], 1, [4]).block().op("return", [4])
    path = assemble(Module([function], imports=[("host.dot", "0iCiID_I")]))
    assert call(path, "main", "i32=2", "i32=3", "i64=4") == ["i64=24"]


def test_import_with_another_convention_is_refused(assemble: Assemble) -> None:
    """Both conventions are named."""
    path = assemble(Module([Function().op("return", [])], imports=[("host.dot", "0i_i")]))
    message = fail(path, "main")
    assert message.startswith("INVALID_ARGUMENT")
    assert "0i_i" in message
    assert "0iCiID_I" in message


def test_list_in_itself_is_refused(assemble: Assemble) -> None:
    """Nothing would ever free it."""
    function = Function("0v_v")
    function.op("const.i32", 1, 0).op("const.i32.zero", 1)
    for i in (0, 1):
        function.op("list.alloc", 1, 0, ref(i)).op("list.resize", ref(i), 0)
    function.op("list.set.ref", ref(0), 1, ref(1)).op("list.set.ref", ref(1), 1, ref(0)).op("return", [])
    assert fail(assemble(Module([function])), "main").startswith("INVALID_ARGUMENT; a list cannot be put into itself")


def test_reference_moved_twice_is_null(assemble: Assemble) -> None:
    """A register that gave its reference up is null."""
    function = Function("0v_rr").op("const.ref.rodata", 0, ref(0)).op("assign.ref", move(0), ref(1))
    function.op("return", [move(1), move(0)])
    path = assemble(Module([function], rodata=[b"\x05"]))
    assert call(path, "main") == ["buffer=05", "ref=null"]


def test_registers_begin_at_zero(assemble: Assemble) -> None:
    """A program cannot see what was on the stack before."""
    function = Function("0v_iIr").op("return", [5, 2, ref(3)])
    assert call(assemble(Module([function])), "main") == ["i32=0", "i64=0", "ref=null"]


def test_opaque_type_takes_any_reference(assemble: Assemble) -> None:
    """A reference of no particular type is loaded, selected and stored."""
    function = Function("0i_r").op("const.ref.rodata", 0, ref(0)).op("global.store.ref", 0, 2, ref(0))
    function.op("global.load.ref", 0, 2, ref(1)).op("select.ref", 0, 2, ref(0), move(1), ref(2))
    function.op("return", [move(2)])
    path = assemble(Module([function], global_refs=1, rodata=[b"\x05"]))
    assert call(path, "main", "i32=0") == ["buffer=05"]


def test_constants_outside_of_the_flatbuffer(assemble: Assemble) -> None:
    """They are found; loading does not touch them; one that reaches behind the file is refused."""
    big = bytes(1 << 20) + b"end"
    function = Function("0v_rrI").op("const.ref.rodata", 0, ref(0)).op("const.ref.rodata", 1, ref(1))
    function.op("const.ref.rodata", 2, ref(2)).op("buffer.length", ref(2), 2).op("return", [ref(0), ref(1), 2])
    module = Module([function], rodata=[b"\x05"], external=[b"\x06\x07", big])
    path = assemble(module)
    assert call(path, "main", options=("--protected",)) == ["buffer=05", "buffer=0607", f"i64={len(big)}"]
    path.write_bytes(path.read_bytes()[:-1])
    message = fail(path, "main")
    assert message.startswith("INVALID_ARGUMENT")
    assert "in constant 2" in message


def test_zip_archive(assemble: Assemble) -> None:
    """A module file may begin with the header of a ZIP archive, stored and not compressed."""
    module = Module([Function("0v_r").op("const.ref.rodata", 0, ref(0)).op("return", [ref(0)])], external=[b"\x06"])
    plain = flatbuffer(module.table())
    for name in ("", "module.fb", "a name that is longer"):
        header = (
            struct.pack("<IHHHHHIIIHH", 0x04034B50, 0, 0, 0, 0, 0, 0, 0, 0, len(name), 5) + name.encode() + bytes(5)
        )
        data = header + plain
        assert call(assemble(data + bytes(-len(data) % 64) + b"\x06"), "main") == ["buffer=06"]
    assert fail(assemble(header[:8] + b"\x08" + header[9:] + plain), "main").startswith("INVALID_ARGUMENT")
    assert fail(assemble(header[:35]), "main").startswith("INVALID_ARGUMENT")


def _body(*ops: tuple[object, ...], convention: str = "0v_v", **options: int) -> Function:
    function = Function(convention, **options)  # type: ignore[arg-type]
    for op in ops:
        function.op(str(op[0]), *op[1:])
    return function


RETURN: tuple[object, ...] = ("return", [])
BROKEN = {
    "an unknown opcode": Module([Function().raw(b"\xdf")]),
    "an unknown opcode of a set": Module([Function().raw(b"\xe0\xff")]),
    "code that ends in an instruction": Module([Function().raw(OPCODES["add.i32"].code + b"\0\0")]),
    "no terminator": Module([_body(("const.i32.zero", 0))]),
    "an instruction outside of a block": Module([_body(RETURN, RETURN)]),
    "a block in a block": Module([Function().block().op("return", [])]),
    "a missing block": Module([_body(RETURN, block_count=2)]),
    "more blocks than declared": Module([_body(RETURN, block_count=1).block().op("return", [])]),
    "a branch to no block": Module([_body(("br", Branch(3)))]),
    "a branch outside": Module([_body(("br", Branch(100000)))]),
    "a register outside": Module([_body(("const.i32.zero", 8), RETURN)]),
    "a 64-bit register at the end": Module([_body(("const.i64.zero", 8), RETURN)]),
    "an odd 64-bit register": Module([_body(("const.i64.zero", 1), RETURN)]),
    "a ref in place of a value": Module([_body(("const.i32.zero", ref(0)), RETURN)]),
    "a value in place of a ref": Module([_body(("const.ref.zero", 0), RETURN)]),
    "a ref register outside": Module([_body(("const.ref.zero", ref(4)), RETURN)]),
    "a move where none may be": Module([_body(("cmp.nz.ref", move(0), 0), RETURN)]),
    "a value among refs to discard": Module([_body(("discard.refs", [0]), RETURN)]),
    "pairs of different kinds": Module([_body(("br", Branch(0, [(0, ref(0))])))]),
    "a type outside": Module([_body(("list.alloc", 9, 0, ref(0)), RETURN)]),
    "a value type for a ref": Module([_body(("cast.any.ref", ref(0), 3, ref(1)), RETURN)]),
    "a global outside": Module([_body(("global.load.i32", 1, 0), RETURN)], global_bytes=4),
    "a 64-bit global outside": Module([_body(("global.load.f64", 4, 0), RETURN)], global_bytes=8),
    "a global ref outside": Module([_body(("global.load.ref", 1, 0, ref(0)), RETURN)], global_refs=1),
    "a constant outside": Module([_body(("const.ref.rodata", 0, ref(0)), RETURN)]),
    "a function outside": Module([_body(("call", 1, [], []), RETURN)]),
    "an import outside": Module([_body(("call", IMPORT, [], []), RETURN)]),
    "too few arguments": Module([_body(("call", 0, [], []), RETURN, convention="0i_v")]),
    "too many arguments": Module([_body(("call", 0, [0], []), RETURN)]),
    "an argument of another kind": Module([_body(("call", 0, [ref(0)], []), RETURN, convention="0i_v")]),
    "too few results": Module([_body(("call", 0, [], []), ("return", [0]), convention="0v_i")]),
    "a return of too little": Module([_body(RETURN, convention="0v_i")]),
    "a return of too much": Module([_body(("return", [0]))]),
    "a return of another kind": Module([_body(("return", [ref(0)]), convention="0v_i")]),
    "a span without sizes": Module([_body(("call", IMPORT, [0], []), RETURN)], imports=[("host.x", "0CiD_v")]),
    "a span too long": Module([_body(("call.variadic", IMPORT, [5], [0], []), RETURN)], imports=[("host.x", "0CiD_v")]),
    "a function that is no import": Module([_body(("import.resolved", 0, 0), RETURN)]),
    "f32 that is not required": Module([_body(("const.f32.zero", 0), RETURN, requirements=0)]),
    "a convention of an unknown letter": Module([_body(RETURN, convention="0x_v")]),
    "a convention with a span": Module([_body(RETURN, convention="0CiD_v")]),
    "arguments that do not fit": Module([_body(RETURN, convention="0iI_v", registers=2)]),
    "too many registers": Module([_body(RETURN, registers=0x8000)]),
    "too many refs": Module([_body(RETURN, refs=0x4000)]),
    "an export of nothing": Module([_body(RETURN)], exports={"main": 1}),
    "a module without name": Module([_body(RETURN)], name=""),
    "too many globals": Module([_body(RETURN)], global_refs=0x7FFFFFFF),
}


@pytest.mark.parametrize("what", list(BROKEN))
def test_broken_module_is_refused(assemble: Assemble, what: str) -> None:
    """What the verifier must not let pass; the message says what."""
    message = fail(assemble(BROKEN[what]), "main")
    assert message.split(";")[0] in ("INVALID_ARGUMENT", "UNIMPLEMENTED"), message


def test_other_bytecode_version_names_both(assemble: Assemble) -> None:
    """A module for another machine says so."""
    for version, shown in (((18 << 16), "18.0"), ((17 << 16) + 1, "17.1"), ((16 << 16), "16.0")):
        message = fail(assemble(Module([_body(RETURN)], version=version)), "main")
        assert message.startswith("INCOMPATIBLE")
        assert shown in message
        assert "17.0" in message


def test_unknown_feature_is_refused(assemble: Assemble) -> None:
    """Of the module and of a function."""
    assert fail(assemble(Module([_body(RETURN)], requirements=16)), "main").startswith("INCOMPATIBLE")
    assert fail(assemble(Module([_body(RETURN, requirements=16)])), "main").startswith("INCOMPATIBLE")


def test_unknown_type_is_named(assemble: Assemble) -> None:
    """The error names the type that nobody has."""
    message = fail(assemble(Module([_body(RETURN)], types=["!some.type"])), "main")
    assert message.startswith("NOT_FOUND")
    assert "!some.type" in message
