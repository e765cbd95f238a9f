# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests the VM's objects in Python: lists, references, buffers, and modules written in Python.

from __future__ import annotations

import gc
import sys
from typing import Any

import numpy as np
import pytest

import iree_cy as rt


class TestVariantList:
    def test_numbers(self) -> None:
        items = rt.VmVariantList(1)
        items.push_int(10_000_000_000)
        items.push_int(-(2**63))
        items.push_float(1.5)
        assert len(items) == items.size == 3
        assert [items.get_variant(i) for i in range(3)] == [10_000_000_000, -(2**63), 1.5]
        assert repr(items) == "<VmVariantList(3): [10000000000, -9223372036854775808, 1.500000]>"

    def test_what_is_no_number(self) -> None:
        items = rt.VmVariantList(1)
        for push, value, error in (
            (items.push_int, 1.5, TypeError),
            (items.push_int, 2**63, OverflowError),
            (items.push_int, "1", TypeError),
            (items.push_float, "1", TypeError),
            (items.push_list, None, TypeError),
            (items.push_ref, 3, TypeError),
        ):
            with pytest.raises(error):
                push(value)  # type: ignore[operator]
        assert len(items) == 0

    def test_lists(self) -> None:
        outer, inner = rt.VmVariantList(1), rt.VmVariantList(0)
        outer.push_list(inner)
        inner.push_int(3)
        assert outer.get_as_list(0) == inner
        assert str(outer) == "<VmVariantList(1): [List[3]]>"
        assert isinstance(outer.get_as_object(0), rt.VmVariantList)
        assert outer.get_serialized_trace_value(0) == {"type": "vm.list", "items": [{"type": "value", "i64": 3}]}

    def test_what_is_not_there(self) -> None:
        items = rt.VmVariantList(1)
        items.push_int(3)
        for get in (items.get_variant, items.get_as_ref, items.get_as_list, items.get_as_object):
            with pytest.raises(IndexError):
                get(1)
            with pytest.raises(IndexError):
                get(-1)
        with pytest.raises(ValueError, match="number"):
            items.get_as_ref(0)
        with pytest.raises(TypeError):
            items.get_variant("0")  # type: ignore[arg-type]

    @pytest.mark.parametrize("dtype", ["b", "h", "i", "l", "B", "H", "I", "L", "e", "f", "d", "F", "D", "?"])
    def test_buffer_views(self, dtype: str) -> None:
        device = rt.get_device("local-sync")
        array = np.array([1, 2, 0, 4]).astype(dtype)
        items = rt.VmVariantList(1)
        items.push_ref(rt.asdevicearray(device, array)._buffer_view)
        view = items.get_as_object(0, rt.HalBufferView)
        np.testing.assert_array_equal(rt.DeviceArray(device, view).to_host(), array)
        with pytest.raises(TypeError, match=r"hal\.buffer_view, not a HalBuffer"):
            items.get_as_object(0, rt.HalBuffer)

    def test_words_for_objects(self) -> None:
        device = rt.get_device("local-sync")
        items = rt.VmVariantList(1)
        items.push_ref(rt.asdevicearray(device, np.array(1, np.int32))._buffer_view)
        items.push_ref(device.allocator.allocate_buffer(rt.MemoryType.DEVICE_LOCAL, rt.BufferUsage.DEFAULT, 24))
        items.push_ref(rt.HalFence(2))
        assert str(items) == "<VmVariantList(3): [HalBufferView(:0x11000020), HalBuffer(24), fence(0)]>"


class TestRef:
    def test_protocol(self) -> None:
        items = rt.VmVariantList(0)
        ref = items.__iree_vm_ref__
        assert ref == items.ref
        assert hash(ref) == hash(items.ref)
        assert ref != rt.VmVariantList(0).ref
        assert ref != 3
        assert rt.VmVariantList.__iree_vm_cast__(ref) == items
        assert ref.deref(rt.VmVariantList) == items
        assert ref.isinstance(rt.VmVariantList)
        assert not ref.isinstance(rt.HalBuffer)
        assert ref.__iree_vm_ref__ is ref
        assert repr(ref).startswith("<VmRef vm.list at 0x")

    def test_other_classes(self) -> None:
        ref = rt.VmVariantList(0).ref
        with pytest.raises(TypeError, match=r"vm\.list, not a VmBuffer"):
            ref.deref(rt.VmBuffer)
        assert ref.deref(rt.VmBuffer, True) is None
        with pytest.raises(TypeError, match="no class"):
            ref.deref(int)
        with pytest.raises(TypeError, match="no class"):
            ref.isinstance(int)


class TestBuffer:
    def test_contents(self) -> None:
        buffer = rt.VmBuffer(10, alignment=0, mutable=True)
        memoryview(buffer)[:] = b"0123456789"
        assert bytes(buffer) == b"0123456789"
        assert len(buffer) == 10
        assert buffer.ref.deref(rt.VmBuffer) == buffer

    def test_read_only(self) -> None:
        buffer = rt.VmBuffer(10, alignment=16, mutable=False)
        with pytest.raises(TypeError):
            memoryview(buffer)[0:] = b"0123456789"

    @pytest.mark.parametrize("arguments", [(-1,), (1, 3), (1.5,), ("1",)])
    def test_what_is_no_buffer(self, arguments: Any) -> None:
        with pytest.raises((ValueError, TypeError, OverflowError)):
            rt.VmBuffer(*arguments)

    def test_alignment(self) -> None:
        assert np.frombuffer(rt.VmBuffer(4, 4096), np.uint8).ctypes.data % 4096 == 0


def _context(interface: rt.PyModuleInterface) -> tuple[rt.VmContext, rt.VmModule]:
    module = interface.create()
    return rt.VmContext(rt.VmInstance(), [module]), module


def _call(context: rt.VmContext, module: rt.VmModule, name: str, *values: Any) -> rt.VmVariantList:
    inputs, outputs = rt.VmVariantList(0), rt.VmVariantList(0)
    for value in values:
        if isinstance(value, int):
            inputs.push_int(value)
        elif isinstance(value, float):
            inputs.push_float(value)
        else:
            inputs.push_ref(value)
    function = module.lookup_function(name)
    assert function is not None
    context.invoke(function, inputs, outputs)
    return outputs


class TestPyModule:
    def test_lifecycle(self) -> None:
        interface = rt.PyModuleInterface("m", lambda interface: None)
        assert not interface.initialized
        module = interface.create()
        assert interface.initialized
        assert not interface.destroyed
        del module
        gc.collect()
        assert interface.destroyed
        assert repr(interface) == "<PyModuleInterface 'm' destroyed>"
        with pytest.raises(RuntimeError, match="created already"):
            interface.create()
        with pytest.raises(RuntimeError, match="no more exports"):
            interface.export("f", "0v", lambda state: None)

    def test_state_of_each_context(self) -> None:
        class Methods:
            def __init__(self, interface: rt.PyModuleInterface) -> None:
                self.count = 0

            def next(self) -> int:
                self.count += 1
                return self.count

        interface = rt.PyModuleInterface("m", Methods)
        interface.export("next", "0v_i", Methods.next)
        module = interface.create()
        first, second = (rt.VmContext(rt.VmInstance(), [module]) for _ in range(2))
        values = [_call(context, module, "next").get_variant(0) for context in (first, first, second)]
        assert values == [1, 2, 1]
        del first, second, module
        gc.collect()
        assert interface.destroyed

    @pytest.mark.parametrize(
        ("letters", "values", "expected"),
        [
            ("ii", (42, -43), [42, -43]),
            ("II", (2**40, -(2**63)), [2**40, -(2**63)]),
            ("ff", (2.0, 0.1), [2.0, float(np.float32(0.1))]),
            ("FF", (2.0, 0.1), [2.0, 0.1]),
            ("iF", (1, 0.5), [1, 0.5]),
        ],
    )
    def test_numbers_both_ways(self, letters: str, values: Any, expected: Any) -> None:
        seen = []

        def swap(state: Any, a: Any, b: Any) -> Any:
            seen.append((a, b))
            return [a, b]

        interface = rt.PyModuleInterface("m", lambda interface: None)
        interface.export("f", f"0{letters}_{letters}", swap)
        context, module = _context(interface)
        outputs = _call(context, module, "f", *values)
        assert [outputs.get_variant(i) for i in range(2)] == expected
        assert list(seen[0]) == expected

    def test_references_both_ways(self) -> None:
        kept = []
        interface = rt.PyModuleInterface("m", lambda interface: None)
        interface.export("f", "0rr_rr", lambda state, a, b: kept.append(a) or (b, a.deref(rt.VmVariantList)))
        context, module = _context(interface)
        first, second = rt.VmVariantList(0), rt.VmBuffer(3)
        outputs = _call(context, module, "f", first, second)
        assert outputs.get_as_object(0) == second
        assert outputs.get_as_object(1) == first
        assert kept[0].deref(rt.VmVariantList) == first

    def test_null_references(self) -> None:
        interface = rt.PyModuleInterface("m", lambda interface: None)
        interface.export("f", "0v_r", lambda state: None)
        context, module = _context(interface)
        assert _call(context, module, "f").get_variant(0) is None

    @pytest.mark.parametrize(
        ("cconv", "result", "match"),
        [
            ("0v_i", 1.5, "no integer"),
            ("0v_i", 2**40, "does not fit"),
            ("0v_i", "x", "wants i32"),
            ("0v_r", 3, "cannot be passed as a reference"),
            ("0v_ii", (1,), "returned 1 result"),
            ("0v_ii", 1, "not iterable"),
            ("0v_f", 1e300, "does not fit"),
        ],
    )
    def test_wrong_results(self, cconv: str, result: Any, match: str) -> None:
        interface = rt.PyModuleInterface("m", lambda interface: None)
        interface.export("f", cconv, lambda state: result)
        context, module = _context(interface)
        with pytest.raises(RuntimeError, match=match):
            _call(context, module, "f")

    def test_exceptions(self) -> None:
        error = ValueError("This is from Python")

        def fail(state: Any) -> None:
            raise error

        interface = rt.PyModuleInterface("m", lambda interface: None)
        interface.export("f", "0v", fail)
        context, module = _context(interface)
        with pytest.raises(RuntimeError, match="ValueError: This is from Python") as caught:
            _call(context, module, "f")
        assert caught.value.__cause__ is error
        assert caught.value.annotations == ("in m.f",)  # type: ignore[attr-defined]

    def test_status_errors_keep_their_code(self) -> None:
        def fail(state: Any) -> None:
            raise rt.NotFound("no such thing")

        interface = rt.PyModuleInterface("m", lambda interface: None)
        interface.export("f", "0v", fail)
        context, module = _context(interface)
        with pytest.raises(rt.NotFound, match="no such thing"):
            _call(context, module, "f")

    def test_keyboard_interrupt_goes_through(self) -> None:
        def fail(state: Any) -> None:
            raise KeyboardInterrupt

        interface = rt.PyModuleInterface("m", lambda interface: None)
        interface.export("f", "0v", fail)
        context, module = _context(interface)
        with pytest.raises(KeyboardInterrupt):
            _call(context, module, "f")

    def test_a_constructor_that_fails(self) -> None:
        module = rt.PyModuleInterface("m", lambda interface: 1 // 0).create()
        with pytest.raises(RuntimeError, match="ZeroDivisionError") as caught:
            rt.VmContext(rt.VmInstance(), [module])
        assert isinstance(caught.value.__cause__, ZeroDivisionError)

    def test_calls_back_into_its_context(self) -> None:
        holder: dict[str, Any] = {}
        interface = rt.PyModuleInterface("m", lambda interface: None)

        def down(state: Any, n: int) -> int:
            if n == 0:
                return 0
            return 1 + _call(holder["context"], holder["module"], "down", n - 1).get_variant(0)  # type: ignore[operator]

        interface.export("down", "0i_i", down)
        holder["context"], holder["module"] = _context(interface)
        assert _call(holder["context"], holder["module"], "down", 20).get_variant(0) == 20
        holder.clear()

    @pytest.mark.parametrize("cconv", ["1v", "0x", "0iCiD"])
    def test_conventions_that_are_none(self, cconv: str) -> None:
        interface = rt.PyModuleInterface("m", lambda interface: None)
        with pytest.raises((ValueError, NotImplementedError)):
            interface.export("f", cconv, lambda state: None)

    def test_a_name_twice(self) -> None:
        interface = rt.PyModuleInterface("m", lambda interface: None)
        interface.export("f", "0v", lambda state: None)
        with pytest.raises(ValueError, match="already"):
            interface.export("f", "0v", lambda state: None)

    def test_no_reference_is_kept(self) -> None:
        argument = rt.VmBuffer(1)
        before = sys.getrefcount(argument)
        interface = rt.PyModuleInterface("m", lambda interface: None)
        interface.export("f", "0r_r", lambda state, ref: ref)
        context, module = _context(interface)
        _call(context, module, "f", argument)
        gc.collect()
        assert sys.getrefcount(argument) == before


def test_invoke_checks_its_arguments() -> None:
    interface = rt.PyModuleInterface("m", lambda interface: None)
    interface.export("f", "0i_i", lambda state, a: a)
    context, module = _context(interface)
    with pytest.raises(ValueError, match="argument"):
        _call(context, module, "f")
    function = module.lookup_function("f")
    with pytest.raises(TypeError):
        context.invoke(function, [1], rt.VmVariantList(0))  # type: ignore[arg-type]
    other = rt.PyModuleInterface("other", lambda interface: None)
    other.export("g", "0v", lambda state: None)
    foreign = other.create().lookup_function("g")
    with pytest.raises(rt.StatusError):
        context.invoke(foreign, rt.VmVariantList(0), rt.VmVariantList(0))  # type: ignore[arg-type]
