# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the tests that no call crashes, wraps a number, or shows memory that is somebody else's.

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import iree_cy as rt
from tests.support.programs import compile_program

SOURCE = """
func.func @multiply(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r = arith.mulf %a, %b : tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @same(%a: tensor<65536xf32>) -> tensor<65536xf32> { return %a : tensor<65536xf32> }
func.func @truth(%a: tensor<2xi1>) -> tensor<2xi1> { return %a : tensor<2xi1> }
func.func @bytes(%a: tensor<2xi8>) -> tensor<2xi8> { return %a : tensor<2xi8> }
func.func @complex(%a: tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>> { return %a : tensor<2xcomplex<f32>> }
"""


@pytest.fixture
def config() -> rt.Config:
    return rt.Config(device=rt.get_device("local-sync"))


@pytest.fixture
def module(config: rt.Config) -> Any:
    return rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, compile_program(SOURCE)), config)


def aligned(count: int) -> Any:
    memory = np.zeros(count * 4 + 64, np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start : start + count * 4].view(np.float32)


def test_a_function_of_another_context_is_an_error(config: rt.Config, module: Any) -> None:
    ones = np.ones(4, np.float32)
    invoker = rt.FunctionInvoker(rt.VmContext(config.vm_instance), config.device, module.multiply.vm_function)
    for _ in range(50):
        with pytest.raises(rt.InvalidArgument, match="not in the context"):
            invoker(ones, ones)


def test_a_list_that_holds_itself_is_not_written_out() -> None:
    values = rt.VmVariantList(1)
    values.push_list(values)
    with pytest.raises(ValueError, match="100 deep"):
        values.get_serialized_trace_value(0)


def test_a_result_in_imported_memory_is_copied(config: rt.Config, module: Any) -> None:
    array = aligned(65536)
    imported = rt.DeviceArray(config.device, config.device.from_dlpack_capsule(array.__dlpack__()))
    result = module.same(imported)
    array[:] = -1
    assert_array_equal(result.to_host(), np.zeros(65536, np.float32))


CALLS_PYTHON = """
func.func private @keeper.keep(%a: tensor<65536xf32>)
func.func @main(%a: tensor<65536xf32>) {
  call @keeper.keep(%a) : (tensor<65536xf32>) -> ()
  return
}
"""


def test_a_view_that_a_python_module_kept_shows_what_was_passed(config: rt.Config) -> None:
    kept: list[Any] = []

    def keep(state: Any, ref: rt.VmRef) -> None:
        view = ref.deref(rt.HalBufferView)
        kept.append(np.asarray(rt.DeviceArray(config.device, view, implicit_host_transfer=True)))

    interface = rt.PyModuleInterface("keeper", lambda interface: object())
    interface.export("keep", "0r_v", keep)
    program = rt.VmModule.mmap(config.vm_instance, compile_program(CALLS_PYTHON))
    context = rt.VmContext(config.vm_instance, [*config.default_vm_modules, interface.create(), program])
    array = aligned(65536)
    rt.FunctionInvoker(context, config.device, program.lookup_function("main"))(array)
    array[:] = -1
    assert_array_equal(kept[0], np.zeros(65536, np.float32))


@pytest.mark.parametrize("array", [np.array([200, 0], np.uint8), np.array([1, 0], np.int8)], ids=lambda a: str(a.dtype))
def test_truth_values_are_no_integers(module: Any, array: Any) -> None:
    with pytest.raises(TypeError, match="i1"):
        module.truth(array)
    with pytest.raises(TypeError, match="i8"):
        module.bytes(array.astype(bool))
    assert_array_equal(module.truth(array.astype(bool)).to_host(), array != 0)


def test_a_real_number_for_a_complex_one_is_taken_without_a_warning(module: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_array_equal(module.complex([1, 2.5]).to_host(), np.array([1, 2.5], np.complex64))


def test_to_host_leaves_read_only_views_alone(module: Any) -> None:
    ones = np.ones(4, np.float32)
    result = module.multiply(ones, ones)
    view = np.asarray(result)
    result.to_host()[:] = 9
    assert_array_equal(view, ones)


def test_elements_of_no_type_are_refused(config: rt.Config, module: Any) -> None:
    buffer = config.device.allocator.allocate_buffer(rt.MemoryType.DEVICE_LOCAL, rt.BufferUsage.DEFAULT, 16)
    view = buffer.create_view([4], 0)
    with pytest.raises(TypeError, match="f32"):
        module.multiply(rt.DeviceArray(config.device, view), np.ones(4, np.float32))


@pytest.mark.parametrize(
    "arguments",
    [
        (10**5000, 1), (1e300, 1), (np.zeros((1,) * 60, np.float32),) * 2, ("x" * 500, 1), ([[1], [1, 2]], 1),
        (np.zeros(4, [(f"field{i}", "i4") for i in range(60)]), np.ones(4, np.float32)),
    ],
    ids=["long int", "float", "rank 60", "text", "ragged", "structured"],
)  # fmt: skip
def test_errors_begin_with_a_line_that_can_be_read(module: Any, arguments: tuple[Any, ...]) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        module.multiply(*arguments)
    first = str(caught.value).split("\n")[0]
    assert "module.multiply()" in first
    assert len(first) <= 200
    ones = np.ones(4, np.float32)
    assert_array_equal(module.multiply(ones, ones).to_host(), ones)


def test_unknown_argument_names_are_cut(module: Any) -> None:
    with pytest.raises(ValueError) as caught:
        module.multiply(**{"k" * 500: 1})
    assert len(str(caught.value).split("\n")[0]) <= 200


def test_what_is_to_be_called_can_be_called(config: rt.Config) -> None:
    program = compile_program(SOURCE)
    with pytest.raises(TypeError, match="destroy_callback"):
        rt.VmModule.mmap(config.vm_instance, program, destroy_callback=5)
    with pytest.raises(TypeError, match="destroy_callback"):
        rt.VmModule.wrap_buffer(config.vm_instance, program.read_bytes(), destroy_callback=5)
    with pytest.raises(TypeError, match="ctor"):
        rt.PyModuleInterface("module", 5)
    with pytest.raises(ValueError, match="needs a name"):
        rt.PyModuleInterface("", lambda interface: None)
    with pytest.raises(TypeError, match="export 'f'"):
        rt.PyModuleInterface("module", lambda interface: None).export("f", "0v_v", 5)


@pytest.mark.parametrize("uris", [[], "", ",,"])
def test_no_devices_to_try_are_said_to_be_none(uris: Any) -> None:
    with pytest.raises(rt.InvalidArgument, match="is empty"):
        rt.get_first_device(uris)


@pytest.mark.parametrize("uris", [1, b"local-sync"])
def test_devices_to_try_are_text(uris: Any) -> None:
    with pytest.raises(TypeError, match=f"not {type(uris).__name__}"):
        rt.get_first_device(uris)


@pytest.mark.parametrize("params", [5, "abc", [1, 2]])
def test_parameters_are_a_mapping(params: Any) -> None:
    with pytest.raises(TypeError, match="params is a mapping"):
        rt.get_driver("local-sync").create_device(0, params=params)


@pytest.mark.parametrize("value", [0, -1, "a", True, 1.5], ids=repr)
@pytest.mark.parametrize("name", ["max_instructions", "max_call_depth", "max_bytes"])
def test_limits_are_checked_when_given(name: str, value: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=name):
        rt.Config(device=rt.get_device("local-sync"), **{name: value})


def test_uris_are_text_that_utf8_can_carry() -> None:
    for call in (rt.get_driver, rt.get_device):
        with pytest.raises(TypeError, match="a device URI is a str, not list"):
            call([])  # type: ignore[arg-type]
        with pytest.raises(rt.InvalidArgument, match="surrogate"):
            call("local-sync://\ud800")
