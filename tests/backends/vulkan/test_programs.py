# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests that programs compiled for Vulkan compute what NumPy computes, on Debian's software device.
"""Programs on the vulkan driver."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import iree_cy as rt
from benchmarks.programs import dependent_matmuls, independent_matmuls, matmul, multiply
from tests.programs.operations import OPERATIONS, Operation
from tests.support.programs import compile_program
from tests.support.tree import ROOT
from tests.support.vulkan import run

VULKAN = "--iree-hal-target-device=vulkan"
FLAGS = (VULKAN, "--iree-vulkan-target=llvmpipe")


@pytest.fixture(scope="module", params=["", "?staging=true"], ids=["seen", "staging"])
def device(request: pytest.FixtureRequest, lavapipe: str) -> Iterator[rt.HalDevice]:
    """Give a device whose memory the host sees, and one whose memory it does not."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VK_DRIVER_FILES", lavapipe)
        patch.delenv("VK_ICD_FILENAMES", raising=False)
        yield rt.get_device(f"vulkan://{request.param}", cache=False)


def load(program: Path, device: rt.HalDevice) -> Any:
    config = rt.Config(device=device)
    return rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, program), config)


@pytest.mark.parametrize("abi", ["descriptors", "bda"])
@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_operation(operation: Operation, abi: str, device: rt.HalDevice) -> None:
    flags = (*FLAGS, f"--iree-vulkan-dispatch-abi={abi}", *operation.flags)
    module = load(compile_program(operation.source, flags), device)
    result = module.main(*operation.inputs).to_host()
    expected = np.asarray(operation.expected)
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    if operation.tolerance:
        assert_allclose(result, expected, rtol=operation.tolerance, atol=operation.tolerance)
    else:
        assert_array_equal(result, expected)


def test_any_vulkan_device_can_be_compiled_for(device: rt.HalDevice) -> None:
    """By default the compiler asks for little of a device."""
    a = np.random.default_rng(1).standard_normal((64, 64)).astype(np.float32)
    module = load(compile_program(matmul(64), (VULKAN,)), device)
    assert_allclose(module.main(a, a).to_host(), a @ a, rtol=1e-4, atol=1e-4)


def test_dispatches_that_need_each_other(device: rt.HalDevice) -> None:
    module = load(compile_program(dependent_matmuls(20), FLAGS), device)
    generator = np.random.default_rng(2)
    x, w = (generator.standard_normal((16, 16)).astype(np.float32) / 4 for _ in range(2))
    expected = x.astype(np.float64) @ np.linalg.matrix_power(w.astype(np.float64), 20)
    for _ in range(3):
        assert_allclose(module.main(x, w).to_host(), expected, rtol=1e-3, atol=1e-4)


def test_dispatches_that_need_no_other(device: rt.HalDevice) -> None:
    module = load(compile_program(independent_matmuls(50), FLAGS), device)
    generator = np.random.default_rng(3)
    x, w = (generator.standard_normal(shape).astype(np.float32) for shape in ((16, 16), (50, 16, 16)))
    for _ in range(3):
        for result, one in zip(module.main(x, w), w, strict=True):
            assert_allclose(result.to_host(), x @ one, rtol=1e-4, atol=1e-4)


DYNAMIC = """
func.func @main(%a: tensor<?xTYPE>, %b: tensor<?xTYPE>) -> tensor<?xTYPE> {
  %0 = arith.addi %a, %b : tensor<?xTYPE>
  return %0 : tensor<?xTYPE>
}
"""


@pytest.mark.parametrize("abi", ["descriptors", "bda"])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, 63, 64, 65, 1021, 100_003])
@pytest.mark.parametrize("element", ["i8", "i16", "i32", "i64"])
def test_sizes_that_are_no_whole_words(element: str, count: int, abi: str, device: rt.HalDevice) -> None:
    """Shaders load words of 4 bytes, whose last may reach beyond the array; empty arrays have no memory at all."""
    dtype = np.dtype(f"int{element[1:]}")
    module = load(
        compile_program(DYNAMIC.replace("TYPE", element), (*FLAGS, f"--iree-vulkan-dispatch-abi={abi}")), device
    )
    a = np.arange(count).astype(dtype)
    b = (np.arange(count) * 3 + 1).astype(dtype)
    assert_array_equal(module.main(a, b).to_host(), a + b)


def test_results_are_arguments(device: rt.HalDevice) -> None:
    module = load(compile_program(multiply(), FLAGS), device)
    x = rt.asdevicearray(device, np.full(4, 3, np.float32))
    for _ in range(3):
        x = module.main(x, x)
    assert_array_equal(x.to_host(), np.full(4, 3.0**8, np.float32))


@pytest.mark.parametrize("queues", [1, 0])
def test_threads(queues: int, lavapipe: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VK_DRIVER_FILES", lavapipe)
    own = rt.get_device(f"vulkan://?queues={queues}", cache=False)
    program = compile_program(multiply(), FLAGS)
    shared = load(program, own)
    wrong: list[object] = []

    def work(number: int) -> None:
        module = shared if number % 2 else load(program, own)
        for i in range(50):
            a = np.arange(4, dtype=np.float32) + number * 1000 + i
            if not np.array_equal(module.main(a, a).to_host(), a * a):
                wrong.append((number, i))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_program_in_two_formats(device: rt.HalDevice) -> None:
    """One with buffers by address and by descriptor: the device takes both, and so the first."""
    program = compile_program(multiply(), (*FLAGS, "--iree-vulkan-dispatch-abi=all"))
    assert set(rt.plan(program).executable_formats) == {"vulkan-spirv-fb", "vulkan-spirv-bda-v1"}
    a = np.arange(4, dtype=np.float32)
    assert_array_equal(load(program, device).main(a, a).to_host(), a * a)


@pytest.mark.parametrize(
    ("name", "answer"),
    [("vulkan-spirv-fb", 1), ("vulkan-spirv-bda-v1", 1), ("vulkan-spirv-fb-ptr", 0), ("embedded-elf-x86_64", 0)],
)
def test_formats(name: str, answer: int, device: rt.HalDevice) -> None:
    assert device.query_i64("hal.executable.format", name) == answer


def test_plan_tells_that_the_driver_could_run_it(lavapipe: str) -> None:
    entries = rt.plan(compile_program(multiply(), FLAGS)).entries
    assert (entries[0].driver, entries[0].runs) == ("vulkan", True)


def test_buffers_of_another_device_are_refused(lavapipe: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VK_DRIVER_FILES", lavapipe)
    one, other = (rt.get_device("vulkan", cache=False) for _ in range(2))
    module = load(compile_program(multiply(), FLAGS), one)
    a = np.arange(4, dtype=np.float32)
    foreign = rt.asdevicearray(other, a)
    with pytest.raises(rt.StatusError, match="buffer"):
        module.main(foreign, foreign)
    assert_array_equal(module.main(a, a).to_host(), a * a)


def test_where_buffers_are(lavapipe: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With staging the host sees those alone that it asks to see."""
    monkeypatch.setenv("VK_DRIVER_FILES", lavapipe)
    visible = int(rt.MemoryType.HOST_VISIBLE)
    kinds = (int(rt.MemoryType.DEVICE_LOCAL), visible | int(rt.MemoryType.DEVICE_VISIBLE))
    seen = {}
    for parameters in ("memory=auto", "memory=host", "staging=true", "staging=true&memory=device"):
        allocator = rt.get_device(f"vulkan://?{parameters}", cache=False).allocator
        buffers = [allocator.allocate_buffer(kind, int(rt.BufferUsage.TRANSFER), 64) for kind in kinds]
        seen[parameters] = [bool(buffer.memory_type() & visible) for buffer in buffers]
    assert seen == {
        "memory=auto": [True, True],
        "memory=host": [True, True],
        "staging=true": [False, True],
        "staging=true&memory=device": [False, True],
    }


def test_memory_of_the_host_is_used_in_place_where_it_fits(device: rt.HalDevice) -> None:
    memory = np.zeros(3 * 4096, np.uint8)
    begin = -memory.ctypes.data % 4096
    kind = int(rt.MemoryType.HOST_VISIBLE | rt.MemoryType.DEVICE_VISIBLE)
    usage = int(rt.BufferUsage.TRANSFER | rt.BufferUsage.MAPPING)
    page = memory[begin : begin + 4096]
    buffer = device.allocator.import_host_allocation(page, kind, usage)
    done = device.create_semaphore(0)
    device.queue_fill(buffer, b"\x5a", [], [(done, 1)])
    done.wait(1)
    assert (page == 0x5A).all()
    assert memory.sum() == 4096 * 0x5A
    for part in (memory[begin + 16 : begin + 16 + 4096], memory[begin : begin + 100]):
        with pytest.raises(rt.Unimplemented, match="begins and ends at multiples of 4096 bytes"):
            device.allocator.import_host_allocation(part, kind, usage)


def test_memory_that_is_not_there_is_told_and_recoverable(device: rt.HalDevice) -> None:
    with pytest.raises(rt.ResourceExhausted):
        device.allocator.allocate_buffer(int(rt.MemoryType.DEVICE_LOCAL), int(rt.BufferUsage.DEFAULT), 1 << 50)
    module = load(compile_program(multiply(), FLAGS), device)
    a = np.arange(4, dtype=np.float32)
    assert_array_equal(module.main(a, a).to_host(), a * a)


def test_a_forked_child_is_told(lavapipe: str) -> None:
    code = """
import os, sys
import numpy as np
import iree_cy as rt
device = rt.get_device("vulkan")
config = rt.Config(device=device)
module = rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, PROGRAM), config)
a = np.arange(4, dtype=np.float32)
kept = module.main(a, a)
sys.stdout.flush()
child = os.fork()
if child == 0:
    try:
        module.main(a, a)
    except rt.FailedPrecondition as error:
        print(str(error).splitlines()[0])
    own = rt.Config(device=rt.get_device("vulkan", cache=False))
    fresh = rt.load_vm_module(rt.VmModule.mmap(own.vm_instance, PROGRAM), own)
    print(fresh.main(a, a).to_host().tolist())
    del kept, module, device, config
    sys.stdout.flush()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
print(module.main(a, a).to_host().tolist(), kept.to_host().tolist())
"""
    program = compile_program(multiply(), FLAGS)
    told, fresh, parent = run(code.replace("PROGRAM", repr(str(program))), VK_DRIVER_FILES=lavapipe).splitlines()
    assert "fork" in told
    assert fresh == "[0.0, 1.0, 4.0, 9.0]"
    assert parent == f"{fresh} {fresh}"


def test_creations_with_programs_leave_nothing_behind(lavapipe: str) -> None:
    """50 devices that load and run a program, one after the other."""
    code = """
import os
import numpy as np
import iree_cy as rt
a = np.arange(4, dtype=np.float32)

def use():
    config = rt.Config(device=rt.get_device("vulkan", cache=False))
    module = rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, PROGRAM), config)
    assert module.main(a, a).to_host().tolist() == [0, 1, 4, 9]

def state():
    return len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd"))

use()
before = state()
for _ in range(50):
    use()
assert state() == before, (before, state())
"""
    run(code.replace("PROGRAM", repr(str(compile_program(multiply(), FLAGS)))), VK_DRIVER_FILES=lavapipe)


@pytest.mark.parametrize(("abi", "more"), [("descriptors", ""), ("bda", ""), ("descriptors", "&staging=true")])
def test_validation_has_nothing_to_say(abi: str, more: str, lavapipe: str) -> None:
    """What the layer finds is logged as a warning, and warnings are errors in this process."""
    flags = (*FLAGS, f"--iree-vulkan-dispatch-abi={abi}")
    programs = [str(compile_program(operation.source, (*flags, *operation.flags))) for operation in OPERATIONS]
    code = f"""
import sys
import numpy as np
import iree_cy as rt
from iree_cy import _logging
sys.path.append({str(ROOT)!r})
from tests.programs.operations import OPERATIONS
device = rt.get_device("vulkan://?validation=true{more}", cache=False)
for operation, program in zip(OPERATIONS, {programs!r}, strict=True):
    config = rt.Config(device=device)
    module = rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, program), config)
    module.main(*operation.inputs).to_host()
    del module, config
    _logging.drain()
del device
_logging.drain()
"""
    run(code, VK_DRIVER_FILES=lavapipe)


def test_a_driver_that_keeps_no_pipelines_gets_no_file(lavapipe: str, tmp_path: Path) -> None:
    code = """
import numpy as np
import iree_cy as rt
config = rt.Config(device=rt.get_device("vulkan"))
module = rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, PROGRAM), config)
module.main(np.zeros(4, np.float32), np.zeros(4, np.float32))
"""
    program = repr(str(compile_program(multiply(), FLAGS)))
    cache = str(tmp_path / "cache")
    run(code.replace("PROGRAM", program), VK_DRIVER_FILES=lavapipe, IREE_CY_VULKAN_PIPELINE_CACHE=cache)
    assert not (tmp_path / "cache").exists()
