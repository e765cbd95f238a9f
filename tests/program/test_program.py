# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the tests of loading programs, of their functions by name, and that loaded programs share nothing.

from __future__ import annotations

import copy
import gc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import iree_cy as rt
from tests.support.programs import compile_program

ADD = """
func.func @add(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @double(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @name(%a: i32) -> i32 {
  return %a : i32
}
func.func @class(%a: i32) -> i32 {
  return %a : i32
}
"""

COUNTER = """
module @counter {
  util.global private mutable @total = dense<0> : tensor<2xi32>
  func.func @increment(%by: tensor<2xi32>) -> tensor<2xi32> {
    %0 = util.global.load @total : tensor<2xi32>
    %1 = arith.addi %0, %by : tensor<2xi32>
    util.global.store %1, @total : tensor<2xi32>
    return %1 : tensor<2xi32>
  }
}
"""

LOOPS = """
func.func @forever(%n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %0 = scf.while (%i = %n) : (i32) -> i32 {
    %go = arith.cmpi ne, %i, %c0 : i32
    scf.condition(%go) %i : i32
  } do {
  ^bb0(%i: i32):
    %1 = arith.ori %i, %n : i32
    scf.yield %1 : i32
  }
  return %0 : i32
}
func.func @grow(%n: index) -> tensor<?xi32> {
  %c0 = arith.constant 0 : i32
  %empty = tensor.empty(%n) : tensor<?xi32>
  %0 = linalg.fill ins(%c0 : i32) outs(%empty : tensor<?xi32>) -> tensor<?xi32>
  return %0 : tensor<?xi32>
}
"""


@pytest.fixture
def config() -> Any:
    return rt.Config(device=rt.get_device("local-sync"))


def module_of(config: Any, source: str) -> Any:
    return rt.VmModule.mmap(config.vm_instance, compile_program(source))


def ones(count: int = 4) -> Any:
    return np.ones(count, np.float32)


class TestBoundModule:
    def test_function_is_attribute_and_item(self, config: Any) -> None:
        module = rt.load_vm_module(module_of(config, ADD), config)
        assert_array_equal(module.add(ones(), ones()).to_host(), np.full(4, 2, np.float32))
        assert_array_equal(module["double"](ones()).to_host(), np.full(4, 2, np.float32))
        assert module.add is module.add is module["add"]
        assert isinstance(module.add, rt.FunctionInvoker)
        assert module.add.vm_function.name == "add"

    def test_module_name_and_vm_module(self, config: Any) -> None:
        vm_module = module_of(config, COUNTER)
        module = rt.load_vm_module(vm_module, config)
        assert module.name == "counter"
        assert module.vm_module is vm_module
        assert repr(module) == f"<BoundModule {vm_module!r}>"

    def test_functions_with_names_that_are_taken(self, config: Any) -> None:
        module = rt.load_vm_module(module_of(config, ADD), config)
        assert module.name == "module"
        assert module["name"](7) == 7
        assert getattr(module, "class")(8) == 8

    def test_listing(self, config: Any) -> None:
        module = rt.load_vm_module(module_of(config, ADD), config)
        assert list(module) == ["add", "double", "name", "class"]
        assert {"add", "double", "vm_module"} <= set(dir(module))
        assert "__init" not in dir(module)
        assert "add" in module
        assert "sub" not in module
        assert 3 not in module

    def test_missing_attribute(self, config: Any) -> None:
        module = rt.load_vm_module(module_of(config, ADD), config)
        with pytest.raises(AttributeError) as caught:
            _ = module.dobule
        assert (
            str(caught.value)
            == "module 'module' has no function 'dobule'; did you mean 'double'? it has: add, double, name, class"
        )
        assert caught.value.name == "dobule"
        assert not hasattr(module, "add_")
        assert not hasattr(module, "__array__")

    def test_missing_item(self, config: Any) -> None:
        module = rt.load_vm_module(module_of(config, ADD), config)
        with pytest.raises(KeyError) as caught:
            module["zzz"]
        assert str(caught.value) == "module 'module' has no function 'zzz'; it has: add, double, name, class"
        assert isinstance(caught.value, rt.NotFound)
        with pytest.raises(TypeError, match="is a str, not int"):
            module[1]

    def test_long_names_leave_room(self, config: Any) -> None:
        module = rt.load_vm_module(module_of(config, ADD), config)
        with pytest.raises(KeyError) as caught:
            module["x" * 500]
        assert len(str(caught.value)) <= 200
        assert "..." in str(caught.value)

    def test_copy(self, config: Any) -> None:
        module = copy.copy(rt.load_vm_module(module_of(config, ADD), config))
        assert_array_equal(module.double(ones()).to_host(), np.full(4, 2, np.float32))
        with pytest.raises(AttributeError):
            _ = rt.BoundModule.__new__(rt.BoundModule).add

    def test_a_function_outlives_its_module(self, config: Any) -> None:
        double = rt.load_vm_module(module_of(config, ADD), config).double
        gc.collect()
        assert_array_equal(double(ones()).to_host(), np.full(4, 2, np.float32))

    def test_everything_goes_with_the_last_reference(self, config: Any) -> None:
        gone: list[bool] = []
        vm_module = rt.VmModule.mmap(config.vm_instance, compile_program(ADD), lambda: gone.append(True))
        module = rt.load_vm_module(vm_module, config)
        module.double(ones())
        gc.disable()
        try:
            del vm_module
            assert not gone
            del module
            assert gone == [True]
        finally:
            gc.enable()


class TestSystemContext:
    def test_static(self, config: Any) -> None:
        vm_module = module_of(config, COUNTER)
        context = rt.SystemContext([vm_module], config)
        assert not context.is_dynamic
        assert context.config is config
        assert context.instance is config.vm_instance
        assert isinstance(context.vm_context, rt.VmContext)
        assert isinstance(context.modules, rt.BoundModules)
        assert list(context.modules) == ["hal", "counter"]
        assert context.modules.counter.vm_module is vm_module
        assert repr(context) == "<SystemContext ['hal', 'counter']>"
        with pytest.raises(rt.FailedPrecondition, match="takes no more"):
            context.add_vm_module(module_of(config, ADD))

    def test_dynamic(self, config: Any) -> None:
        context = rt.SystemContext(config=config)
        assert context.is_dynamic
        assert list(context.modules) == ["hal"]
        context.add_vm_module(module_of(config, ADD))
        context.add_vm_modules([module_of(config, COUNTER)])
        assert list(context.modules) == ["hal", "module", "counter"]
        two = np.full(2, 2, np.int32)
        assert_array_equal(context.modules.counter.increment(two).to_host(), two)
        assert_array_equal(context.modules["module"].double(ones()).to_host(), ones() * 2)

    def test_name_that_is_taken(self, config: Any) -> None:
        context = rt.SystemContext(config=config)
        context.add_vm_module(module_of(config, ADD))
        with pytest.raises(rt.AlreadyExists, match="a module 'module' already"):
            context.add_vm_module(module_of(config, ADD))
        counter = module_of(config, COUNTER)
        with pytest.raises(ValueError, match="a module 'counter' already"):
            context.add_vm_modules([counter, counter])
        assert list(context.modules) == ["hal", "module"]

    def test_missing_module(self, config: Any) -> None:
        modules = rt.SystemContext([module_of(config, COUNTER)], config).modules
        with pytest.raises(KeyError) as caught:
            modules["contuer"]
        expected = "the context has no module 'contuer'; did you mean 'counter'? it has: hal, counter"
        assert str(caught.value) == expected
        with pytest.raises(AttributeError) as caught_attribute:
            _ = modules.contuer
        assert str(caught_attribute.value) == expected
        assert "counter" in dir(modules)

    def test_module_dependency_is_not_found(self, config: Any) -> None:
        with pytest.raises(rt.NotFound, match="no_such_module"):
            rt.SystemContext(config=config).add_module_dependency("no_such_module")

    def test_what_is_no_config_or_module(self, config: Any) -> None:
        with pytest.raises(TypeError, match="config is a Config, not HalDevice"):
            rt.load_vm_module(module_of(config, ADD), config.device)
        with pytest.raises(TypeError, match="not a VmModule"):
            rt.load_vm_modules([module_of(config, ADD)], config=config)

    def test_default_config(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("IREE_DEFAULT_DEVICE", "local-sync")
        context = rt.SystemContext()
        context.add_vm_module(rt.VmModule.mmap(context.instance, compile_program(ADD)))
        assert_array_equal(context.modules["module"].double(ones()).to_host(), ones() * 2)


class TestLimits:
    def test_instructions(self, config: Any) -> None:
        module = rt.load_vm_module(module_of(config, LOOPS), config, max_instructions=10_000)
        with pytest.raises(rt.ResourceExhausted, match="max_instructions"):
            module.forever(1)

    def test_bytes(self, config: Any) -> None:
        (module,) = rt.load_vm_modules(module_of(config, LOOPS), config=config, max_bytes=1 << 16)
        assert_array_equal(module.grow(10).to_host(), np.zeros(10, np.int32))
        with pytest.raises(rt.ResourceExhausted, match="max_bytes"):
            module.grow(1 << 20)
        # The next call that is good works.
        assert_array_equal(module.grow(10).to_host(), np.zeros(10, np.int32))

    def test_those_of_the_config(self) -> None:
        config = rt.Config(device=rt.get_device("local-sync"), max_instructions=10_000)
        with pytest.raises(rt.ResourceExhausted, match="max_instructions"):
            rt.load_vm_module(module_of(config, LOOPS), config).forever(1)
        roomy = rt.load_vm_module(module_of(config, ADD), config, max_instructions=2**63)
        assert_array_equal(roomy.double(ones()).to_host(), ones() * 2)

    def test_call_depth(self, config: Any) -> None:
        context = rt.SystemContext([module_of(config, ADD)], config, max_call_depth=64)
        assert_array_equal(context.modules["module"].double(ones()).to_host(), ones() * 2)
        with pytest.raises(ValueError, match="max_call_depth"):
            rt.SystemContext([module_of(config, ADD)], config, max_call_depth=0)


class TestIndependence:
    def test_the_same_file_loaded_twice(self, config: Any) -> None:
        first = rt.load_vm_module(module_of(config, COUNTER), config)
        second = rt.load_vm_module(module_of(config, COUNTER), config)
        one = np.ones(2, np.int32)
        for expected in (1, 2, 3):
            assert_array_equal(first.increment(one).to_host(), expected * one)
        assert_array_equal(second.increment(one).to_host(), one)
        del first
        assert_array_equal(second.increment(one).to_host(), 2 * one)

    def test_one_module_in_two_contexts(self, config: Any) -> None:
        vm_module = module_of(config, COUNTER)
        first = rt.load_vm_module(vm_module, config)
        second = rt.load_vm_module(vm_module, config)
        one = np.ones(2, np.int32)
        first.increment(one)
        assert_array_equal(first.increment(one).to_host(), 2 * one)
        assert_array_equal(second.increment(one).to_host(), one)

    def test_two_of_one_name_in_a_context(self, config: Any) -> None:
        first, second = rt.load_vm_modules(module_of(config, COUNTER), module_of(config, COUNTER), config=config)
        one = np.ones(2, np.int32)
        first.increment(one)
        assert_array_equal(first.increment(one).to_host(), 2 * one)
        assert_array_equal(second.increment(one).to_host(), one)

    def test_two_configs(self) -> None:
        configs = [rt.Config(device=rt.get_device("local-sync")) for _ in range(2)]
        assert configs[0].vm_instance is not configs[1].vm_instance
        first, second = (rt.load_vm_module(module_of(config, COUNTER), config) for config in configs)
        one = np.ones(2, np.int32)
        kept = first.increment(one)
        first.increment(one)
        assert_array_equal(second.increment(one).to_host(), one)
        del first, configs
        gc.collect()
        assert_array_equal(second.increment(one).to_host(), 2 * one)
        assert_array_equal(kept.to_host(), one)

    def test_two_devices(self) -> None:
        devices = [rt.get_device("local-sync", cache=False) for _ in range(2)]
        assert devices[0] is not devices[1]
        configs = [rt.Config(device=device) for device in devices]
        first, second = (rt.load_vm_module(module_of(config, ADD), config) for config in configs)
        before = devices[1].allocator.statistics
        result = first.add(ones(), ones())
        assert devices[1].allocator.statistics == before
        second.add(ones(), ones())
        assert devices[1].allocator.statistics != before
        del first, devices[0], configs[0]
        gc.collect()
        assert_array_equal(result.to_host(), 2 * ones())
        assert_array_equal(second.add(ones(), ones()).to_host(), 2 * ones())
        # A result of one device as an argument on the other.
        assert_array_equal(second.add(result, result).to_host(), 4 * ones())


class TestFlatbuffer:
    def test_bytes(self) -> None:
        program = compile_program(ADD).read_bytes()
        for keywords in ({"driver": "local-sync"}, {"backend": "llvm-cpu"}, {"backend": "vmvx"}):
            module = rt.load_vm_flatbuffer(program, **keywords)
            assert_array_equal(module.double(ones()).to_host(), 2 * ones())

    def test_bytes_are_copied(self) -> None:
        program = bytearray(compile_program(ADD).read_bytes())
        module = rt.load_vm_flatbuffer(program, driver="local-sync")
        program[:] = bytes(len(program))
        assert_array_equal(module.double(ones()).to_host(), 2 * ones())

    @pytest.mark.parametrize("kind", [str, Path])
    def test_file(self, kind: Any) -> None:
        gone: list[bool] = []
        module = rt.load_vm_flatbuffer_file(
            kind(compile_program(ADD)), driver="local-sync", destroy_callback=lambda: gone.append(True)
        )
        assert_array_equal(module.double(ones()).to_host(), 2 * ones())
        assert not gone
        del module
        gc.collect()
        assert gone == [True]

    def test_driver_and_backend(self) -> None:
        for load in (rt.load_vm_flatbuffer, rt.load_vm_flatbuffer_file):
            with pytest.raises(ValueError, match="none is given"):
                load(b"")
            with pytest.raises(rt.InvalidArgument, match="both are given"):
                load(b"", driver="local-sync", backend="llvm-cpu")
            with pytest.raises(LookupError, match=r"target backend 'zip'; known are: .*\bllvm-cpu\b.*\bvmvx\b"):
                load(b"", backend="zip")


class TestFileErrors:
    def test_missing(self, config: Any, tmp_path: Path) -> None:
        path = tmp_path / "absent.vmfb"
        for load in (
            lambda: rt.VmModule.mmap(config.vm_instance, str(path)),
            lambda: rt.load_vm_flatbuffer_file(str(path), driver="local-sync"),
        ):
            with pytest.raises(FileNotFoundError) as caught:
                load()
            assert caught.value.filename == str(path)

    def test_directory(self, config: Any, tmp_path: Path) -> None:
        with pytest.raises(IsADirectoryError) as caught:
            rt.VmModule.mmap(config.vm_instance, tmp_path)
        assert Path(caught.value.filename) == tmp_path

    @pytest.mark.parametrize("size", [0, 1, 15, 64, 1000])
    def test_cut(self, config: Any, tmp_path: Path, size: int) -> None:
        path = tmp_path / "broken.vmfb"
        path.write_bytes(compile_program(ADD).read_bytes()[:size])
        with pytest.raises(rt.StatusError, match=r"broken\.vmfb") as caught:
            rt.load_vm_flatbuffer_file(path, driver="local-sync")
        assert len(str(caught.value).partition("\n")[0]) <= 200

    def test_random_bytes(self, config: Any, tmp_path: Path) -> None:
        path = tmp_path / "noise.vmfb"
        path.write_bytes(np.random.default_rng(3).bytes(5000))
        with pytest.raises(rt.StatusError, match=r"noise\.vmfb"):
            rt.VmModule.mmap(config.vm_instance, path)
