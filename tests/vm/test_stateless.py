# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests what tells a program whose calls may run side by side from one that has a state.

from __future__ import annotations

import pytest

import iree_cy as rt
from benchmarks.programs import big_constant, matmul
from tests.support.programs import compile_program
from tests.support.vm_assembler import Function, Module, move, ref

STORES = {
    "i32": Function("0v_v").op("global.store.i32", 0, 0).op("return", []),
    "i64": Function("0v_v").op("global.store.i64", 0, 0).op("return", []),
    "f32": Function("0v_v").op("global.store.f32", 0, 0).op("return", []),
    "f64": Function("0v_v").op("global.store.f64", 0, 0).op("return", []),
    "ref": Function("0v_v").op("global.store.ref", 0, 0, ref(0)).op("return", []),
    "indirect-i32": Function("0v_v").op("global.store.indirect.i32", 0, 1).op("return", []),
    "indirect-i64": Function("0v_v").op("global.store.indirect.i64", 0, 2).op("return", []),
    "indirect-f32": Function("0v_v").op("global.store.indirect.f32", 0, 1).op("return", []),
    "indirect-f64": Function("0v_v").op("global.store.indirect.f64", 0, 2).op("return", []),
    "indirect-ref": Function("0v_v").op("global.store.indirect.ref", 0, 0, ref(0)).op("return", []),
    "moving-load": Function("0v_v").op("global.load.ref", 0, 0, move(0)).op("return", []),
    "moving-indirect-load": Function("0v_v").op("global.load.indirect.ref", 0, 0, move(0)).op("return", []),
}


def make(*functions: Function, exports: dict[str, int] | None = None, rodata: tuple[bytes, ...] = ()) -> rt.VmContext:
    """Assemble a module with globals and put it into a context."""
    instance = rt.VmInstance()
    module = Module(functions, exports=exports, global_bytes=16, global_refs=2, rodata=rodata)
    return rt.VmContext(instance, [rt.VmModule.copy_buffer(instance, module.assemble())])


def nothing() -> Function:
    return Function("0v_v").op("return", [])


def test_reading_globals_is_no_state() -> None:
    reader = Function("0v_ir").op("global.load.i32", 0, 0).op("global.load.ref", 0, 0, ref(0))
    assert make(reader.op("return", [0, ref(0)])).is_stateless


@pytest.mark.parametrize("kind", STORES)
def test_a_function_that_changes_a_global_is_a_state(kind: str) -> None:
    assert not make(STORES[kind]).is_stateless
    # Whether it is exported or not, for others may call it.
    assert not make(nothing(), STORES[kind]).is_stateless


@pytest.mark.parametrize("kind", STORES)
def test_what_initializes_globals_is_no_state(kind: str) -> None:
    assert make(nothing(), STORES[kind], exports={"main": 0, "__init": 1}).is_stateless


def test_init_under_another_name_or_called_is_a_state() -> None:
    assert not make(nothing(), STORES["i32"], exports={"__init": 1, "again": 1}).is_stateless
    caller = Function("0v_v").op("call", 1, [], []).op("return", [])
    assert not make(caller, STORES["i32"], exports={"main": 0, "__init": 1}).is_stateless
    itself = Function("0v_v").op("global.store.i32", 0, 0).op("return", [])
    itself.block().op("call", 0, [], []).op("return", [])
    assert make(itself, exports={"__init": 0}).is_stateless


def test_init_is_not_run_again() -> None:
    instance = rt.VmInstance()
    for store, is_refused in ((STORES["i32"], True), (nothing(), False)):
        functions = [store, STORES["i64"]] if not is_refused else [store]
        data = Module(functions, exports={"__init": 0}, global_bytes=16).assemble()
        module = rt.VmModule.copy_buffer(instance, data)
        context = rt.VmContext(instance, [module])
        assert context.is_stateless == is_refused
        function = module.lookup_function("__init")
        assert function is not None
        for _ in range(2):
            if is_refused:
                with pytest.raises(rt.FailedPrecondition, match="__init of module 'test' has been run"):
                    context.invoke(function, rt.VmVariantList(0), rt.VmVariantList(0))
            else:
                context.invoke(function, rt.VmVariantList(0), rt.VmVariantList(0))


def test_what_globals_refer_to_counts() -> None:
    """A list can be changed through its reference, a constant cannot."""
    exports = {"main": 0, "__init": 1}
    constant = Function("0v_v").op("const.ref.rodata", 0, ref(0)).op("global.store.ref", 0, 0, ref(0))
    assert make(nothing(), constant.op("return", []), exports=exports, rodata=(b"x",)).is_stateless
    a_list = Function("0v_v").op("list.alloc", 3, 0, ref(0)).op("global.store.ref", 0, 1, ref(0))
    assert not make(nothing(), a_list.op("return", []), exports=exports).is_stateless


VARIABLE = """
util.global private {mutable}@held {value}: tensor<4xf32>
{initializer}
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {{
  %0 = util.global.load @held : tensor<4xf32>
  %1 = arith.addf %0, %a : tensor<4xf32>
  {store}
  return %1 : tensor<4xf32>
}}
"""


def is_stateless(source: str) -> bool:
    config = rt.Config(device=rt.get_device("local-sync"))
    module = rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, compile_program(source)), config)
    return module._vm_context.is_stateless


def test_compiled_programs() -> None:
    assert is_stateless(matmul(64))
    assert is_stateless(big_constant())
    assert is_stateless(VARIABLE.format(mutable="", value="= dense<1.5> ", initializer="", store=""))
    store = "util.global.store %1, @held : tensor<4xf32>"
    assert not is_stateless(VARIABLE.format(mutable="mutable ", value="= dense<1.5> ", initializer="", store=store))


def test_a_module_written_in_python_is_a_state() -> None:
    interface = rt.PyModuleInterface("python", lambda interface: None)
    assert not rt.VmContext(rt.VmInstance(), [interface.create()]).is_stateless
    assert rt.VmContext(rt.VmInstance(), []).is_stateless
