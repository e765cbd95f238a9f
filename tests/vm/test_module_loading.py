# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests how programs get from files and buffers into memory, and what is said of those that are none.

from __future__ import annotations

import gc
import mmap
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import iree_cy as rt
from tests.support.programs import compile_program

ADD = "func.func @add(%a: i32, %b: i32) -> i32 { %0 = arith.addi %a, %b : i32\n return %0 : i32 }"
# Two MiB of constants, so that the file is mapped.
LARGE = """
util.global private @c = dense<7.0> : tensor<4xf32>
util.global private @table = #util.byte_pattern<3> : tensor<524288xf32>
func.func @sum(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = util.global.load @c : tensor<4xf32>
  %1 = arith.addf %a, %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
"""


@pytest.fixture
def instance() -> rt.VmInstance:
    return rt.VmInstance()


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.vmfb"
    path.write_bytes(compile_program(ADD).read_bytes())
    return path


@pytest.fixture
def large_program(tmp_path: Path) -> Path:
    """A program with 2 MiB after it: what a ZIP archive or a loader may leave there."""
    path = tmp_path / "large.vmfb"
    path.write_bytes(compile_program(ADD).read_bytes() + bytes(2 << 20))
    return path


def _add(module: rt.VmModule, instance: rt.VmInstance) -> int:
    device = rt.get_device("local-sync")
    context = rt.VmContext(instance, [rt.create_hal_module(instance, device), module])
    function = module.lookup_function("add")
    assert function is not None
    return rt.FunctionInvoker(context, device, function)(5, 6)


class TestFiles:
    @pytest.mark.parametrize("kind", [str, Path, os.fsencode])
    def test_paths(self, instance: rt.VmInstance, program: Path, kind: Any) -> None:
        assert _add(rt.VmModule.mmap(instance, kind(program)), instance) == 11

    @pytest.mark.parametrize("change", ["delete", "replace"])
    @pytest.mark.parametrize("size", ["small", "large"])
    def test_the_file_may_go(
        self, instance: rt.VmInstance, program: Path, large_program: Path, change: str, size: str
    ) -> None:
        path = program if size == "small" else large_program
        module = rt.VmModule.mmap(instance, path)
        path.unlink()
        if change == "replace":
            path.write_bytes(b"something else")
        assert _add(module, instance) == 11

    def test_a_large_file_is_mapped(self, instance: rt.VmInstance, large_program: Path) -> None:
        module = rt.VmModule.mmap(instance, large_program)
        assert str(large_program) in Path("/proc/self/maps").read_text()
        assert _add(module, instance) == 11
        del module
        gc.collect()
        assert str(large_program) not in Path("/proc/self/maps").read_text()

    def test_a_missing_file(self, instance: rt.VmInstance, tmp_path: Path) -> None:
        path = str(tmp_path / "absent.vmfb")
        with pytest.raises(FileNotFoundError) as caught:
            rt.VmModule.mmap(instance, path)
        assert caught.value.filename == path

    def test_a_directory(self, instance: rt.VmInstance, tmp_path: Path) -> None:
        with pytest.raises(IsADirectoryError) as caught:
            rt.VmModule.mmap(instance, tmp_path)
        assert caught.value.filename == str(tmp_path)

    def test_what_is_no_regular_file(self, instance: rt.VmInstance, tmp_path: Path) -> None:
        fifo = tmp_path / "fifo"
        os.mkfifo(fifo)
        with pytest.raises(OSError, match="fifo"):
            rt.VmModule.mmap(instance, fifo)

    @pytest.mark.parametrize("contents", [b"", b"x", b"random bytes that are no program" * 100], ids=len)
    def test_what_is_no_program(self, instance: rt.VmInstance, tmp_path: Path, contents: bytes) -> None:
        path = tmp_path / "bad.vmfb"
        path.write_bytes(contents)
        with pytest.raises(rt.StatusError, match=r"bad\.vmfb") as caught:
            rt.VmModule.mmap(instance, path)
        assert len(str(caught.value)) <= 200
        assert caught.value.filename == str(path)  # type: ignore[attr-defined]

    def test_a_long_path(self, instance: rt.VmInstance, tmp_path: Path) -> None:
        folder = tmp_path / ("d" * 200)
        folder.mkdir()
        path = folder / ("f" * 150 + ".vmfb")
        path.write_bytes(b"nothing")
        with pytest.raises(rt.StatusError, match=r"f\.vmfb: not a module file"):
            rt.VmModule.mmap(instance, path)

    def test_cut_anywhere(self, instance: rt.VmInstance, program: Path) -> None:
        contents = program.read_bytes()
        messages = []
        for length in range(0, len(contents), 97):
            program.write_bytes(contents[:length])
            try:
                # What ends with padding may well load.
                rt.VmModule.mmap(instance, program)
            except rt.StatusError as error:
                messages.append(str(error))
        assert messages
        assert [message for message in messages if "program.vmfb" not in message] == []

    def test_destroy_callback(self, instance: rt.VmInstance, program: Path) -> None:
        calls: list[int] = []
        module = rt.VmModule.mmap(instance, program, destroy_callback=lambda: calls.append(1))
        assert _add(module, instance) == 11
        assert calls == []
        del module
        gc.collect()
        assert calls == [1]

    def test_destroy_callback_that_fails(self, instance: rt.VmInstance, program: Path) -> None:
        module = rt.VmModule.mmap(instance, program, destroy_callback=lambda: 1 // 0)
        modules = [module]
        del module
        with pytest.warns(rt.DeviceWarning, match="ZeroDivisionError"):
            modules.clear()

    def test_no_callback_when_loading_fails(self, instance: rt.VmInstance, tmp_path: Path) -> None:
        path = tmp_path / "bad.vmfb"
        path.write_bytes(b"nothing")
        with pytest.raises(rt.StatusError):
            rt.VmModule.mmap(instance, path, destroy_callback=lambda: pytest.fail("called"))

    def test_arguments(self, instance: rt.VmInstance) -> None:
        with pytest.raises(TypeError):
            rt.VmModule.mmap(instance, 3)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="null"):
            rt.VmModule.mmap(instance, "a\0b")
        with pytest.raises(TypeError):
            rt.VmModule.mmap(None, "a")  # type: ignore[arg-type]


class TestBuffers:
    @pytest.mark.parametrize("offset", [0, 1, 8, 16, 63])
    @pytest.mark.parametrize("factory", ["copy_buffer", "wrap_buffer", "from_buffer", "from_flatbuffer"])
    def test_alignment(self, instance: rt.VmInstance, factory: str, offset: int) -> None:
        contents = compile_program(ADD).read_bytes()
        memory = np.zeros(len(contents) + 128, np.uint8)
        start = -memory.ctypes.data % 64 + offset
        memory[start : start + len(contents)] = np.frombuffer(contents, np.uint8)
        view = memoryview(memory)[start : start + len(contents)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            module = getattr(rt.VmModule, factory)(instance, view)
        assert _add(module, instance) == 11
        shared = factory != "copy_buffer" and offset == 0
        assert (module.stashed_flatbuffer_blob is not None) == shared

    def test_bytes_do_not_warn(self, instance: rt.VmInstance) -> None:
        assert _add(rt.VmModule.from_buffer(instance, compile_program(ADD).read_bytes()), instance) == 11
        assert _add(rt.VmModule.from_buffer(instance, bytearray(compile_program(ADD).read_bytes())), instance) == 11

    def test_from_buffer_warns_of_copies(self, instance: rt.VmInstance) -> None:
        contents = b"1" + compile_program(ADD).read_bytes()
        with pytest.warns(UserWarning, match="are copied, for they are not aligned"):
            rt.VmModule.from_buffer(instance, memoryview(contents)[1:])
        rt.VmModule.from_buffer(instance, memoryview(contents)[1:], warn_if_copy=False)

    def test_a_copy_is_a_copy(self, instance: rt.VmInstance) -> None:
        contents = bytearray(compile_program(ADD).read_bytes())
        module = rt.VmModule.copy_buffer(instance, contents)
        contents[:] = bytes(len(contents))
        assert _add(module, instance) == 11
        contents.clear()

    def test_wrapped_memory_is_kept_and_closed(self, instance: rt.VmInstance, program: Path) -> None:
        calls: list[str] = []
        with program.open("rb") as file:
            mapping = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        module = rt.VmModule.wrap_buffer(
            instance, mapping, destroy_callback=lambda: calls.append("destroyed"), close_buffer=True
        )
        with pytest.raises(BufferError):
            mapping.close()
        assert _add(module, instance) == 11
        del module
        gc.collect()
        assert mapping.closed
        assert calls == ["destroyed"]

    def test_what_is_no_buffer(self, instance: rt.VmInstance) -> None:
        for factory in ("copy_buffer", "wrap_buffer", "from_buffer"):
            with pytest.raises(TypeError):
                getattr(rt.VmModule, factory)(instance, "text")
            with pytest.raises(rt.StatusError):
                getattr(rt.VmModule, factory)(instance, b"")
            with pytest.raises(BufferError):
                getattr(rt.VmModule, factory)(instance, memoryview(b"12345678")[::2])


class TestModules:
    def test_what_it_says_of_itself(self, instance: rt.VmInstance) -> None:
        module = rt.VmModule.mmap(instance, compile_program(ADD))
        assert (module.name, module.version) == ("module", 0)
        assert "add" in module.function_names
        assert repr(module) == f"<VmModule module : [{', '.join(module.function_names)}]>"
        function = module.lookup_function("add")
        assert function is not None
        assert (function.name, function.module_name, function.ordinal) == ("add", "module", 0)
        assert function.linkage == rt.Linkage.EXPORT
        assert function.calling_convention == "0ii_i"
        assert function.reflection["iree.abi.declaration"].startswith("sync func @add(")
        assert repr(function).startswith("<VmFunction add(0ii_i), reflection = {")
        del module
        assert function.name == "add"

    def test_lookups(self, instance: rt.VmInstance) -> None:
        module = rt.VmModule.mmap(instance, compile_program(ADD))
        assert module.lookup_function("absent") is None
        assert module.lookup_function("add", rt.Linkage.IMPORT) is None
        with pytest.raises(TypeError):
            module.lookup_function(3)  # type: ignore[arg-type]

    def test_dependencies(self, instance: rt.VmInstance) -> None:
        module = rt.VmModule.mmap(instance, compile_program(LARGE.replace("@table", "@t")))
        with pytest.raises(rt.NotFound, match="hal"):
            rt.VmContext(instance, [module])
        with pytest.raises(rt.NotFound, match="'other'"):
            rt.VmModule.resolve_module_dependency(instance, "other", 3)

    def test_constants(self, instance: rt.VmInstance) -> None:
        device = rt.get_device("local-sync")
        module = rt.VmModule.mmap(instance, compile_program(LARGE))
        context = rt.VmContext(instance, [rt.create_hal_module(instance, device), module])
        function = module.lookup_function("sum")
        assert function is not None
        result = rt.FunctionInvoker(context, device, function)(np.ones(4, np.float32))
        assert_array_equal(result.to_host(), [8] * 4)


class TestContexts:
    def test_register(self, instance: rt.VmInstance) -> None:
        hal = rt.create_hal_module(instance, rt.get_device("local-sync"))
        context = rt.VmContext(instance)
        other = rt.VmContext(instance)
        assert context.context_id != other.context_id
        module = rt.VmModule.mmap(instance, compile_program(LARGE))
        with pytest.raises(rt.NotFound):
            context.register_modules([module])
        context.register_modules([hal, module])
        assert repr(context) == f"<VmContext {context.context_id} : [hal, module]>"
        with pytest.raises(TypeError, match="VmModule"):
            context.register_modules(["module"])  # type: ignore[list-item]

    def test_limits(self, instance: rt.VmInstance) -> None:
        for name in ("max_instructions", "max_call_depth", "max_bytes"):
            for value, error in ((0, ValueError), (-1, ValueError), (1 << 64, ValueError), (1.5, TypeError)):
                with pytest.raises(error, match=name):
                    rt.VmContext(instance, **{name: value})  # type: ignore[arg-type]

    def test_create_hal_module(self, instance: rt.VmInstance) -> None:
        device = rt.get_device("local-sync")
        assert rt.create_hal_module(instance, devices=[device, rt.get_device("local-sync", cache=False)]).name == "hal"
        for arguments in ({}, {"device": device, "devices": [device]}, {"devices": []}):
            with pytest.raises(ValueError, match=r"create_hal_module|device"):
                rt.create_hal_module(instance, **arguments)  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            rt.create_hal_module(instance, devices=["local-sync"])  # type: ignore[list-item]
