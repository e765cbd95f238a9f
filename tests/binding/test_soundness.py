# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the tests that no call crashes, wraps a number, or shows memory that is somebody else's.

from __future__ import annotations

import sys
import threading
import warnings
import weakref
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


LONG = type("L" * 500, (), {})()
WIDE = np.zeros(4, [(f"field{i}", "i4") for i in range(60)])
HUGE = 10**5000


@pytest.mark.parametrize(
    ("arguments", "keywords", "said"),
    [
        ([1e300], {}, r"module\.index\(\): argument 'input0': 1e\+300 does not fit into i32"),
        ([HUGE], {}, "argument 'input0': an integer of 16610 bits does not fit"),
        ([LONG], {}, "argument 'input0'.*LLL"),
        ([np.float64(1.5)], {}, "argument 'input0'.* 1.5 is no integer"),
        ([None], {}, "argument 'input0'.* None"),
        ([1], {"k" * 500: 1}, "argument"),
    ],
)
def test_first_lines_are_short(config: rt.Config, arguments: list[Any], keywords: dict[str, Any], said: str) -> None:
    source = "func.func @index(%a: i32) -> i32 { return %a : i32 }"
    loaded = rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, compile_program(source)), config)
    with pytest.raises((TypeError, ValueError), match=said) as caught:
        loaded.index(*arguments, **keywords)
    assert len(str(caught.value).partition("\n")[0]) <= 200


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (np.zeros((1,) * 60, np.float32), "rank 60"),
        (WIDE, "field0"),
        ([[1.0] * 4, [1.0]], "its rows differ in length"),
        ([HUGE] * 4, "an integer of 16610 bits"),
    ],
    ids=["rank", "fields", "ragged", "huge"],
)
def test_first_lines_about_arrays_are_short(module: Any, value: Any, said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=f"argument 'input1'.*{said}") as caught:
        module.multiply(np.ones(4, np.float32), value)
    assert len(str(caught.value)) <= 200


def test_what_a_number_raises_is_the_cause(config: rt.Config) -> None:
    class Broken:
        def __index__(self) -> int:
            raise ZeroDivisionError("no number today")

    source = "func.func @index(%a: i32) -> i32 { return %a : i32 }"
    loaded = rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, compile_program(source)), config)
    with pytest.raises(TypeError, match=r"argument 'input0'.*no number today") as caught:
        loaded.index(Broken())
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_sizes_and_indices_say_what_they_were_given() -> None:
    values = rt.VmVariantList(1)
    for call in (rt.VmVariantList, rt.VmBuffer, rt.HalFence, values.push_int):
        with pytest.raises(OverflowError, match="an integer of 16610 bits"):
            call(HUGE)
        with pytest.raises(TypeError, match="an int is needed, not str"):
            call("1")  # type: ignore[arg-type]
    with pytest.raises(IndexError, match="no element an integer of 16610 bits"):
        values.get_variant(HUGE)
    with pytest.raises(TypeError, match="an int is needed, not None"):
        values.get_variant(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^None cannot be passed"):
        values.push_ref(None)


@pytest.mark.parametrize("convention", ["", "0", "0_", "0i_"])
def test_conventions_are_checked_when_given(convention: str) -> None:
    with pytest.raises(ValueError, match="no calling convention"):
        rt.PyModuleInterface("module", lambda interface: None).export("f", convention, lambda state: None)


def test_names_of_python_modules_are_cut() -> None:
    interface = rt.PyModuleInterface("m" * 500 + "\x1b", lambda interface: None)
    interface.export("f" * 500, "0v_v", lambda state: None)
    with pytest.raises(ValueError, match="already") as caught:
        interface.export("f" * 500, "0v_v", lambda state: None)
    assert len(str(caught.value)) <= 200
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("spec", ["caching:x=1", "caching:", "caching:-1", "debug:", "debug:1"])
def test_options_of_allocators_are_known(spec: str) -> None:
    with pytest.raises(rt.InvalidArgument, match=r"write (caching, caching:BYTES|debug)"):
        rt.get_driver("local-sync").create_device(0, allocators=[spec])


@pytest.mark.parametrize("device_id", [1, -1, 2**64, HUGE], ids=["one", "negative", "wide", "huge"])
def test_an_id_that_is_not_listed_is_not_dumped(device_id: int) -> None:
    with pytest.raises(rt.NotFound, match="available devices: 0"):
        rt.get_driver("local-sync").dump_device_info(device_id)


def test_arguments_that_choose_devices_are_named() -> None:
    driver = rt.get_driver("local-sync")
    with pytest.raises(TypeError, match="a device id is an int, not bool"):
        driver.dump_device_info(True)
    with pytest.raises(TypeError, match="driver_name"):
        rt.Config(driver_name=1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="allocators"):
        driver.create_device(0, allocators=5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="max_call_depth is between 1 and 4294967295"):
        rt.Config(device=rt.get_device("local-sync"), max_call_depth=1 << 32)


def test_a_ragged_list_is_no_array() -> None:
    with pytest.raises(ValueError, match="its rows differ in length"):
        rt.asdevicearray(rt.get_device("local-sync"), [[1], [1, 2]])


def test_a_result_does_not_show_what_is_written_through_a_mapping(config: rt.Config, module: Any) -> None:
    ones = np.ones(65536, np.float32)
    view = config.device.allocator.allocate_buffer_copy(
        rt.MemoryType.DEVICE_LOCAL, rt.BufferUsage.DEFAULT, config.device, ones, rt.HalElementType.FLOAT_32
    )
    mapped = np.frombuffer(view.map(), np.float32)
    results = [module.same(view), module.same(view.ref), module.same(rt.DeviceArray(config.device, view))]
    mapped[:] = 7
    for result in results:
        assert_array_equal(result.to_host(), ones)


def test_a_result_kept_in_a_global_does_not_show_what_is_written_later(config: rt.Config, keeper: Any) -> None:
    ones = np.ones(65536, np.float32)
    view = config.device.allocator.allocate_buffer_copy(
        rt.MemoryType.DEVICE_LOCAL, rt.BufferUsage.DEFAULT, config.device, ones, rt.HalElementType.FLOAT_32
    )
    keeper.store(view)
    result = keeper.load()
    np.frombuffer(view.map(), np.float32)[:] = 7
    assert_array_equal(result.to_host(), ones)


KEEPS = """
util.global private mutable @kept : tensor<65536xf32>
func.func @store(%a: tensor<65536xf32>) {
  util.global.store %a, @kept : tensor<65536xf32>
  return
}
func.func @load() -> tensor<65536xf32> {
  %r = util.global.load @kept : tensor<65536xf32>
  return %r : tensor<65536xf32>
}
"""


@pytest.fixture
def keeper(config: rt.Config) -> Any:
    return rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, compile_program(KEEPS)), config)


def test_another_thread_never_sees_what_is_written_after_the_call(config: rt.Config) -> None:
    # It takes what is in the global as soon as a call has ended, and maps it, while the caller goes on to write.
    program = rt.VmModule.mmap(config.vm_instance, compile_program(KEEPS))
    context = rt.VmContext(config.vm_instance, [*config.default_vm_modules, program])
    store = rt.FunctionInvoker(context, config.device, program.lookup_function("store"))
    load = program.lookup_function("load")
    array = aligned(65536)
    store(array)
    seen: list[Any] = []
    is_over = threading.Event()

    def look() -> None:
        while not is_over.is_set():
            outputs = rt.VmVariantList(1)
            context.invoke(load, rt.VmVariantList(0), outputs)
            seen.append(np.frombuffer(outputs.get_as_object(0, rt.HalBufferView).map(), np.float32))
            if len(seen) > 1 and seen[-1].ctypes.data == seen[-2].ctypes.data:
                seen.pop()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    thread = threading.Thread(target=look)
    thread.start()
    try:
        for value in range(200):
            array[:] = value
            store(array)
            array[:] = -1
    finally:
        is_over.set()
        thread.join()
        sys.setswitchinterval(interval)
    assert all(view.min() == view.max() >= 0 for view in seen)


class TestDlpack:
    def test_versioned_capsules_are_used_in_place(self, config: rt.Config, module: Any) -> None:
        array = aligned(65536)
        view = config.device.from_dlpack_capsule(array.__dlpack__(max_version=(1, 0)))
        assert view.shape == [65536]
        assert view.element_type == rt.HalElementType.FLOAT_32
        array[:] = 3
        assert_array_equal(np.frombuffer(view.map(), np.float32), array)
        assert_array_equal(module.same(rt.DeviceArray(config.device, view)).to_host(), array)

    def test_a_read_only_capsule_gives_memory_that_is_not_written_to(self, config: rt.Config) -> None:
        array = aligned(65536)
        array.flags.writeable = False
        view = config.device.from_dlpack_capsule(array.__dlpack__(max_version=(1, 0)))
        assert view.get_buffer().allowed_access() == rt.MemoryAccess.READ
        assert memoryview(view.map()).readonly
        host = rt.DeviceArray(config.device, view).to_host()
        host[:] = 5
        assert_array_equal(array, np.zeros(65536, np.float32))

    def test_a_capsule_keeps_the_array_and_is_used_once(self, config: rt.Config) -> None:
        array = aligned(16)
        alive = weakref.ref(array)
        capsule = array.__dlpack__(max_version=(1, 0))
        view = config.device.from_dlpack_capsule(capsule)
        with pytest.raises(ValueError, match="used already"):
            config.device.from_dlpack_capsule(capsule)
        del array, capsule
        assert alive() is not None
        del view
        assert alive() is None


def test_device_arrays_have_weak_references(module: Any) -> None:
    ones = np.ones(4, np.float32)
    result = module.multiply(ones, ones)
    alive = weakref.ref(result)
    assert alive() is result
    del result
    assert alive() is None
