# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests what is found out of code about the constants that its calls of imports pass.
"""Calls of imports and their constants, without running anything."""

from __future__ import annotations

import random

import pytest

import iree_cy as rt
from iree_cy._core import import_calls, module_constant
from tests.support.vm_assembler import IMPORT, Branch, Function, Module, move, ref

IMPORTS = [("host.one", "0r_v"), ("host.two", "0irr_r"), ("host.many", "0CrD_v")]
RODATA = [b"zero", b"one", b"two"]


def calls(*functions: Function, refs: int = 0) -> list[tuple[str, tuple[int | None, ...]]]:
    module = Module(functions, imports=IMPORTS, rodata=RODATA, global_refs=refs)
    return import_calls(rt.VmModule.copy_buffer(rt.VmInstance(), module.assemble()))


def call_one(function: Function, register: int) -> Function:
    return function.op("call", IMPORT, [register], [])


def constant(function: Function, ordinal: int, register: int) -> Function:
    return function.op("const.ref.rodata", ordinal, ref(register))


def test_constants_within_a_block() -> None:
    function = Function()
    constant(constant(function, 1, 0), 2, 1).op("const.ref.zero", ref(2))
    function.op("call", IMPORT | 1, [0, ref(1), ref(2)], [ref(3)])
    function.op("call.variadic", IMPORT | 2, [3], [ref(0), ref(3), ref(2)], [])
    # What is moved is gone.
    call_one(call_one(function, move(0)), ref(0))
    function.op("assign.ref", ref(1), ref(0))
    call_one(call_one(function, ref(0)), ref(1))
    function.op("assign.ref", move(1), ref(0))
    call_one(call_one(function, ref(0)), ref(1)).op("return", [])
    one = "host.one"
    assert calls(function) == [
        ("host.two", (2, -1)),
        ("host.many", (1, None, -1)),
        (one, (1,)),
        (one, (None,)),
        (one, (2,)),
        (one, (2,)),
        (one, (2,)),
        (one, (None,)),
    ]


def test_what_other_instructions_write_is_unknown() -> None:
    function = Function("0ri_v", refs=4)
    call_one(function, ref(0))
    constant(constant(function, 0, 1), 0, 2)
    function.op("select.ref", 0, 0, ref(1), ref(2), ref(3))
    call_one(function, ref(3))
    constant(function, 1, 2).op("global.load.ref", 0, 0, ref(2))
    call_one(function, ref(2))
    constant(function, 1, 2).op("discard.refs", [move(2)])
    call_one(function, ref(2)).op("return", [])
    assert calls(function, refs=1) == [("host.one", (None,))] * 4


def test_ways_that_meet() -> None:
    """A reference is known where all ways that lead there agree, in loops too."""
    function = Function("0i_v")
    constant(constant(constant(function, 0, 0), 1, 1), 2, 2)
    function.op("cond_br", 0, Branch(1), Branch(2, [(ref(2), ref(1))]))
    function.block()
    constant(function, 2, 1).op("br", Branch(3, [(ref(0), ref(3))]))
    function.block().op("br", Branch(3, [(ref(1), ref(3))]))
    function.block()
    for register in (0, 1, 2, 3):
        call_one(function, ref(register))
    # Round again with another constant in register 0.
    function.op("cond_br", 0, Branch(3, [(ref(2), ref(0))]), Branch(4))
    function.block()
    call_one(function, ref(1)).op("return", [])
    assert [references for _, references in calls(function)] == [(None,), (2,), (2,), (None,), (2,)]


def test_pairs_are_assigned_at_once() -> None:
    function = Function()
    constant(constant(function, 0, 0), 1, 1).op("br", Branch(1, [(ref(0), ref(1)), (ref(1), ref(0))]))
    call_one(call_one(function.block(), ref(0)), ref(1)).op("return", [])
    assert [references for _, references in calls(function)] == [(1,), (0,)]


def test_code_that_nothing_leads_to_is_left_out() -> None:
    function = Function().op("return", [])
    constant(function.block(), 0, 0)
    call_one(function, ref(0)).op("return", [])
    assert calls(function) == []


def test_calls_that_yield() -> None:
    function = Function()
    constant(constant(function, 1, 0), 2, 1)
    function.op("call.yieldable", IMPORT | 1, [0, ref(0), move(1)], 1, [ref(2)])
    for register in (0, 1, 2):
        call_one(function.block() if register == 0 else function, ref(register))
    function.op("return", [])
    assert [references for _, references in calls(function)] == [(1, 2), (1,), (None,), (None,)]


def test_many_blocks_and_references() -> None:
    """Where following all states would take too much, what is set within a block is still known."""
    function = Function(refs=3000)
    constant(function, 1, 2999)
    for number in range(1, 1500):
        function.op("br", Branch(number)).block()
    call_one(constant(function, 2, 0), ref(0))
    call_one(function, ref(2999)).op("return", [])
    assert [references for _, references in calls(function)] == [(2,), (None,)]


def test_random_code_agrees_with_all_runs() -> None:
    """On every way through a random function the references are those that were found, or were not found."""
    generator = random.Random(5)
    for _ in range(60):
        count = generator.randrange(2, 7)
        function = Function("0i_v", refs=4)
        program: list[tuple[list[tuple[int, int]], int, list[tuple[int, list[tuple[int, int]]]]]] = []
        for block in range(count):
            if block:
                function.block()
            sets = [(generator.randrange(4), generator.randrange(3)) for _ in range(generator.randrange(3))]
            for register, ordinal in sets:
                constant(function, ordinal, register)
            called = generator.randrange(4)
            call_one(function, ref(called))
            ends = []
            for _ in range(2):
                registers = generator.sample(range(4), 2)
                pairs = [(generator.randrange(4), register) for register in registers]
                ends.append((generator.randrange(count), pairs))
            branches = [Branch(block, [(ref(a), ref(b)) for a, b in pairs]) for block, pairs in ends]
            function.op("cond_br", 0, *branches)
            program.append((sets, called, ends))
        # All states that a block can be entered with, by trying all ways.
        seen: dict[int, set[tuple[int | None, ...]]] = {}
        work: list[tuple[int, tuple[int | None, ...]]] = [(0, (None,) * 4)]
        passed: dict[int, set[int | None]] = {}
        while work:
            block, state = work.pop()
            if state in seen.setdefault(block, set()):
                continue
            seen[block].add(state)
            now = list(state)
            sets, called, ends = program[block]
            for register, ordinal in sets:
                now[register] = ordinal
            passed.setdefault(block, set()).add(now[called])
            for target, pairs in ends:
                after = list(now)
                for source, register in pairs:
                    after[register] = now[source]
                work.append((target, tuple(after)))
        expected = [next(iter(values)) if len(values) == 1 else None for _, values in sorted(passed.items())]
        assert [references[0] for _, references in calls(function)] == expected


def test_constants_of_a_module() -> None:
    module = rt.VmModule.copy_buffer(rt.VmInstance(), Module([Function().op("return", [])], rodata=RODATA).assemble())
    assert [module_constant(module, i) for i in range(3)] == RODATA
    with pytest.raises(rt.OutOfRange, match="module 'test' has 3 constants; 3 is asked for"):
        module_constant(module, 3)


def test_a_module_without_bytecode() -> None:
    interface = rt.PyModuleInterface("mine", lambda _: None)
    with pytest.raises(rt.InvalidArgument, match="module 'mine' has no bytecode"):
        import_calls(interface.create())
