# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Runs the same cases on iree.runtime, so that a difference is a bug, and says where one is wanted.

from __future__ import annotations

import copy
import gc
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from tests.support.programs import compile_program

PROGRAM = """
util.global private mutable @state = dense<0> : tensor<2xi32>
func.func @scalars(%a: i32, %b: i64, %c: f32) -> (i32, i64, f32) {
  %0 = arith.addi %a, %a : i32
  %1 = arith.muli %b, %b : i64
  %2 = arith.addf %c, %c : f32
  return %0, %1, %2 : i32, i64, f32
}
func.func @one(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = arith.negf %a : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
func.func @many(%a: tensor<?xi32>, %b: tensor<2xi1>) -> (tensor<?xi32>, tensor<2xi1>, i32) {
  %0 = arith.addi %a, %a : tensor<?xi32>
  %c = arith.constant 7 : i32
  return %0, %b, %c : tensor<?xi32>, tensor<2xi1>, i32
}
func.func @none() { return }
func.func @count(%by: tensor<2xi32>) -> tensor<2xi32> {
  %0 = util.global.load @state : tensor<2xi32>
  %1 = arith.addi %0, %by : tensor<2xi32>
  util.global.store %1, @state : tensor<2xi32>
  return %1 : tensor<2xi32>
}
"""


@pytest.fixture(params=["iree_cy", "iree.runtime"])
def rt(request: Any) -> Iterator[Any]:
    yield pytest.importorskip(request.param, reason=f"{request.param} is not installed")
    gc.collect()


def _load(rt: Any) -> Any:
    config = rt.Config(device=rt.get_device("local-sync"))
    return rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, str(compile_program(PROGRAM))), config)


def test_results(rt: Any) -> None:
    module = _load(rt)
    assert module.scalars(3, -4, 0.5) == (6, 16, 1.0)
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    result = module.one(array)
    assert isinstance(result, rt.DeviceArray)
    assert_array_equal(result.to_host(), -array)
    first, second, third = module.many(np.arange(3, dtype=np.int32), np.array([True, False]))
    assert_array_equal(first, [0, 2, 4])
    assert second.dtype == np.bool_
    assert_array_equal(second, [True, False])
    assert third == 7
    assert module.none() is None
    assert_array_equal(module.one(result).to_host(), array)
    for i in range(3):
        assert_array_equal(module.count(np.ones(2, np.int32)), [i + 1] * 2)


@pytest.mark.parametrize(
    "call",
    [
        lambda module: module.one(),
        lambda module: module.one(np.ones((2, 2), np.float32)),
        lambda module: module.one(np.ones(6, np.float32)),
        lambda module: module.scalars(1),
        lambda module: module.none(1),
        lambda module: module.none(x=1),
    ],
)
def test_bad_arguments(rt: Any, call: Callable[[Any], Any]) -> None:
    with pytest.raises(ValueError):
        call(_load(rt))


def test_names(rt: Any) -> None:
    module = _load(rt)
    assert module.name == "module"
    assert module.vm_module.name == "module"
    assert module.vm_module.version == 0
    assert [name for name in module.vm_module.function_names if name != "__init"] == [
        "scalars",
        "one",
        "many",
        "none",
        "count",
    ]
    assert repr(module) == f"<BoundModule {module.vm_module!r}>"
    assert repr(module.vm_module).startswith("<VmModule module : [scalars, one, many, none, count")
    assert repr(module.one).startswith("<VmFunction one(0r_r), reflection = {'iree.abi.declaration': 'sync func @one(")
    assert module.one.vm_function.name == "one"
    assert module["one"].vm_function.ordinal == 1
    assert module.vm_module.lookup_function("absent") is None
    with pytest.raises(AttributeError):
        module.absent  # noqa: B018
    with pytest.raises(KeyError):
        module["absent"]


def test_errors_of_loading(rt: Any, tmp_path: Any) -> None:
    instance = rt.VmInstance()
    with pytest.raises(FileNotFoundError):
        rt.VmModule.mmap(instance, str(tmp_path / "absent"))
    with pytest.raises(IsADirectoryError):
        rt.VmModule.mmap(instance, str(tmp_path))
    with pytest.raises(ValueError):
        rt.VmModule.copy_buffer(instance, b"abc")
    module = rt.VmModule.mmap(instance, str(compile_program(PROGRAM)))
    with pytest.raises(ValueError, match="hal"):
        rt.VmContext(instance, [module])
    for name in ("HalDevice", "HalBuffer", "VmModule", "VmFunction"):
        with pytest.raises(TypeError):
            getattr(rt, name)()


@pytest.mark.parametrize("dtype", ["?", "b", "h", "i", "l", "B", "H", "I", "L", "e", "f", "d", "F", "D"])
def test_device_arrays(rt: Any, dtype: str) -> None:
    array = np.arange(6).reshape(2, 3).astype(dtype)
    device = rt.get_device("local-sync")
    explicit = rt.asdevicearray(device, array)
    assert explicit.shape == [2, 3]
    assert explicit.dtype == array.dtype
    assert repr(explicit) == f"<IREE DeviceArray: shape=[2, 3], dtype={array.dtype}>"
    assert not explicit.is_host_accessible
    with pytest.raises(ValueError, match="to_host"):
        np.asarray(explicit)
    assert_array_equal(explicit.to_host(), array)
    assert explicit.is_host_accessible
    implicit = rt.asdevicearray(device, array, implicit_host_transfer=True)
    assert_array_equal(np.asarray(implicit), array)
    assert_array_equal(implicit + implicit, array + array)
    assert_array_equal(implicit[1], array[1])
    assert_array_equal(list(implicit), list(array))
    assert_array_equal(implicit.reshape((3, 2)), array.reshape((3, 2)))
    assert_array_equal(np.reshape(implicit, (6,)), array.reshape(6))
    assert_array_equal(implicit.astype(np.complex128), array.astype(np.complex128))
    assert implicit.astype(array.dtype, copy=False) is implicit
    assert_array_equal(copy.deepcopy(implicit), array)
    assert_array_equal(pickle.loads(pickle.dumps(implicit)), array)
    assert rt.asdevicearray(device, implicit) is implicit


def test_element_types(rt: Any) -> None:
    device = rt.get_device("local-sync")
    for dtype, name in ((np.int32, "SINT_32"), (np.uint8, "UINT_8"), (np.float16, "FLOAT_16"), (np.bool_, "BOOL_8")):
        view = rt.asdevicearray(device, np.zeros(1, dtype))._buffer_view
        assert int(view.element_type) == int(getattr(rt.HalElementType, name))


def test_lists(rt: Any) -> None:
    items = rt.VmVariantList(1)
    items.push_int(10_000_000_000)
    items.push_float(0.5)
    inner = rt.VmVariantList(0)
    inner.push_int(1)
    items.push_list(inner)
    items.push_ref(rt.HalFence(2))
    assert items.size == len(items) == 4
    assert str(items) == "<VmVariantList(4): [10000000000, 0.500000, List[1], fence(0)]>"
    assert [items.get_variant(i) for i in range(2)] == [10_000_000_000, 0.5]
    assert items.get_as_list(2) == inner
    assert items.get_as_ref(2) == inner.ref
    assert items.get_as_object(3, rt.HalFence).timepoint_count == 0
    assert items.get_as_ref(2).isinstance(rt.VmVariantList)
    assert items.get_as_ref(2).deref(rt.HalFence, True) is None
    with pytest.raises(IndexError):
        items.get_variant(4)
    with pytest.raises(TypeError):
        items.get_as_ref(2).deref(rt.HalFence)


def test_buffers(rt: Any) -> None:
    buffer = rt.VmBuffer(10, alignment=16, mutable=True)
    memoryview(buffer)[:] = b"0123456789"
    assert bytes(buffer) == b"0123456789"
    device = rt.get_device("local-sync")
    hal = device.allocator.allocate_buffer(rt.MemoryType.DEVICE_LOCAL, rt.BufferUsage.DEFAULT, 13)
    assert hal.byte_length() == 13
    view = rt.HalBufferView(hal, (1, 2), rt.HalElementType.INT_16)
    assert (list(view.shape), view.byte_length, int(view.element_type)) == ([1, 2], 4, 0x10000010)
    hal.fill_zero(0, 13)
    assert_array_equal(hal.map().asarray((13,), np.dtype(np.uint8)), [0] * 13)


def test_semaphores_and_fences(rt: Any) -> None:
    device = rt.get_device("local-sync")
    semaphore = device.create_semaphore(0)
    fence = rt.HalFence.create_at(semaphore, 1)
    assert not semaphore.wait(1, deadline=0)
    assert not fence.wait(deadline=0)
    semaphore.signal(1)
    assert semaphore.query() == 1
    assert semaphore.wait(1)
    assert fence.wait()
    with pytest.raises(ValueError):
        semaphore.signal(1)
    failed = rt.HalFence.create_at(device.create_semaphore(0), 1)
    failed.fail("TEST FAILURE")
    with pytest.raises(RuntimeError, match=r"^synchronous fence failure.*TEST FAILURE"):
        failed.wait(deadline=0)
    joined = rt.HalFence.join([rt.HalFence.create_at(device.create_semaphore(0), 1) for _ in range(2)])
    assert joined.timepoint_count == 2


def test_queues(rt: Any) -> None:
    device = rt.get_device("local-sync")
    semaphore = device.create_semaphore(0)
    source = rt.asdevicearray(device, np.arange(4, dtype=np.int32))._buffer_view.get_buffer()
    target = device.queue_alloca(16, [(semaphore, 0)], [(semaphore, 1)])
    device.queue_copy(source, target, [(semaphore, 1)], [(semaphore, 2)])
    commands = rt.HalCommandBuffer(device)
    commands.fill(target, np.int32(9), 0, 4, end=True)
    device.queue_execute(commands, [(semaphore, 2)], [(semaphore, 3)])
    assert semaphore.wait(3)
    assert_array_equal(target.map().asarray((4,), np.dtype(np.int32)), [9, 1, 2, 3])
    device.queue_dealloca(target, [(semaphore, 3)], [(semaphore, 4)])
    assert semaphore.wait(4)


def test_python_modules(rt: Any) -> None:
    class Methods:
        def __init__(self, interface: Any) -> None:
            self.total = 0

        def add(self, value: int) -> int:
            self.total += value
            return self.total

        def swap(self, a: Any, b: Any) -> Any:
            return b, a

        def fail(self) -> None:
            raise ValueError("This is from Python")

    interface = rt.PyModuleInterface("m", Methods)
    interface.export("add", "0i_i", Methods.add)
    interface.export("swap", "0rr_rr", Methods.swap)
    interface.export("fail", "0v", Methods.fail)
    module = interface.create()
    context = rt.VmContext(rt.VmInstance(), modules=(module,))

    def call(name: str, *push: Callable[[Any], Any]) -> Any:
        inputs, outputs = rt.VmVariantList(0), rt.VmVariantList(0)
        for one in push:
            one(inputs)
        context.invoke(module.lookup_function(name), inputs, outputs)
        return outputs

    assert repr(call("add", lambda items: items.push_int(3))) == "<VmVariantList(1): [3]>"
    assert repr(call("add", lambda items: items.push_int(4))) == "<VmVariantList(1): [7]>"
    first, second = rt.VmVariantList(0), rt.VmVariantList(0)
    first.push_int(1)
    swapped = call("swap", lambda items: items.push_list(first), lambda items: items.push_list(second))
    assert repr(swapped) == "<VmVariantList(2): [List[], List[1]]>"
    with pytest.raises(RuntimeError, match="ValueError: This is from Python"):
        call("fail")
    assert interface.initialized
    assert not interface.destroyed


def test_contexts(rt: Any) -> None:
    config = rt.Config(device=rt.get_device("local-sync"))
    context = rt.SystemContext(config=config)
    assert context.is_dynamic
    assert list(context.modules) == ["hal"]
    context.add_vm_module(rt.VmModule.mmap(config.vm_instance, str(compile_program(PROGRAM))))
    assert context.modules.module.scalars(1, 2, 3.0) == (2, 4, 6.0)
    with pytest.raises(ValueError):
        context.add_vm_module(rt.VmModule.mmap(config.vm_instance, str(compile_program(PROGRAM))))
    static = rt.SystemContext(vm_modules=[], config=config)
    assert not static.is_dynamic
    assert list(static.modules) == ["hal"]


class TestDifferences:
    """Where the reference is wrong, and this is not."""

    def test_numbers_that_do_not_fit(self) -> None:
        module = _load(pytest.importorskip("iree_cy"))
        for arguments in ((2**40, 1, 1.0), (2.7, 1, 1.0)):
            with pytest.raises(ValueError, match="input0"):
                module.scalars(*arguments)
        reference = pytest.importorskip("iree.runtime", reason="iree.runtime is not installed")
        assert _load(reference).scalars(2**40, 1, 1.0)[0] == 0

    def test_an_int_for_a_float(self) -> None:
        assert _load(pytest.importorskip("iree_cy")).scalars(1, 1, 1)[2] == 2.0
        reference = pytest.importorskip("iree.runtime", reason="iree.runtime is not installed")
        assert _load(reference).scalars(1, 1, 1)[2] != 2.0

    def test_numpy_functions(self) -> None:
        rt = pytest.importorskip("iree_cy")
        assert np.sum(_load(rt).one(np.ones((2, 3), np.float32))) == -6
        reference = pytest.importorskip("iree.runtime", reason="iree.runtime is not installed")
        with pytest.raises(TypeError):
            np.sum(_load(reference).one(np.ones((2, 3), np.float32)))
