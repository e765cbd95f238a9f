# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the tests of what several threads do to one object at once, on a Python with a GIL or without one.

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
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
func.func @same(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }
"""
THREADS = 8
ROUNDS = 200
WITHOUT_GIL = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))


@pytest.fixture(autouse=True)
def _switch_often() -> Iterator[None]:
    """Where there is a GIL it goes from thread to thread as often as it can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.fixture(scope="module")
def program() -> Path:
    return compile_program(SOURCE)


@pytest.fixture
def config() -> rt.Config:
    return rt.Config(device=rt.get_device("local-sync"))


@pytest.fixture
def module(config: rt.Config, program: Path) -> Any:
    return rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, program), config)


def at_once(*works: Callable[[], Any]) -> list[Any]:
    """Run each in a thread of its own, begun together; return what they return, or raise what one of them raised."""
    barrier = threading.Barrier(len(works))
    results: list[Any] = [None] * len(works)
    failures: list[BaseException] = []

    def run(index: int) -> None:
        barrier.wait()
        try:
            results[index] = works[index]()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=run, args=(index,)) for index in range(len(works))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return results


def test_one_function_with_inputs_of_each_thread(module: Any) -> None:
    def work(seed: int) -> Callable[[], None]:
        def calls() -> None:
            a = np.full(4, seed, np.float32)
            x = rt.asdevicearray(module._device, a)
            for i in range(ROUNDS):
                b = np.full(4, i, np.float32)
                assert_array_equal(module.multiply(a, b).to_host(), a * b)
                assert_array_equal(module.multiply(x, b).to_host(), a * b)

        return calls

    at_once(*(work(seed) for seed in range(THREADS)))


def test_results_do_not_show_what_is_written_to_an_argument_by_another_thread(module: Any) -> None:
    """The program returns its argument: either the view that is written to comes first, and the call takes a copy,
    or the call comes first, and what is written to is a copy."""
    for _ in range(ROUNDS):
        array = rt.asdevicearray(module._device, np.zeros(4, np.float32))
        results, (view, *_views) = (lambda outcome: (outcome[: THREADS - 2], outcome[THREADS - 2 :]))(
            at_once(*[lambda array=array: module.same(array)] * (THREADS - 2), array.to_host, array.to_host)
        )  # type: ignore[misc]
        view[:] = 7
        for result in results:
            assert_array_equal(result.to_host(), np.zeros(4, np.float32))


def test_a_view_to_write_to_and_one_to_read_never_share_memory(module: Any) -> None:
    for _ in range(ROUNDS):
        array = rt.asdevicearray(module._device, np.zeros(4, np.float32), implicit_host_transfer=True)
        outcome = at_once(array.to_host, array.to_host, *[lambda array=array: np.asarray(array)] * 2)  # type: ignore[misc]
        for writable in outcome[:2]:
            assert writable.flags.writeable
        for read_only in outcome[2:]:
            assert not read_only.flags.writeable
        shared = [writable for writable in outcome[:2] if np.shares_memory(writable, outcome[2])]
        # Either it came before all views to read, or it is a copy.
        for writable in shared:
            assert writable.base is not None
        del outcome, shared, writable, read_only
        # All views are forgotten: the memory is the array's own again.
        assert np.shares_memory(array.to_host(), np.asarray(array))


def test_no_thread_is_taken_for_a_factory(module: Any) -> None:
    """While some threads make objects by factories, constructors go on refusing in others."""
    a = np.ones(4, np.float32)

    def make() -> None:
        for _ in range(ROUNDS):
            module.multiply(a, a)
            module.vm_module.lookup_function("multiply")

    def refuse() -> None:
        for cls in (rt.HalBuffer, rt.HalDevice, rt.VmFunction, rt.VmRef, rt.HalSemaphore) * (ROUNDS // 5):
            with pytest.raises(TypeError, match="has no constructor"):
                cls()
            with pytest.raises(TypeError, match="needs a"):
                rt.DeviceArray()

    at_once(*[make] * (THREADS // 2), *[refuse] * (THREADS // 2))


def test_a_list_gets_what_each_thread_puts_in() -> None:
    values = rt.VmVariantList(0)

    def push(first: int) -> Callable[[], None]:
        def pushes() -> None:
            for i in range(ROUNDS):
                values.push_int(first + i)
                values.push_ref(values)
                assert values.get_variant(0) is not None
                assert len(values) > 0

        return pushes

    at_once(*(push(index * ROUNDS) for index in range(THREADS)))
    numbers = [values.get_variant(i) for i in range(len(values))]
    assert sorted(n for n in numbers if isinstance(n, int)) == list(range(THREADS * ROUNDS))
    assert sum(isinstance(n, rt.VmRef) for n in numbers) == THREADS * ROUNDS


def test_a_fence_gets_the_semaphores_of_each_thread() -> None:
    device = rt.get_device("local-sync")
    fence = rt.HalFence(THREADS * 20)
    made = [[device.create_semaphore(0) for _ in range(20)] for _ in range(THREADS)]

    def insert(semaphores: list[rt.HalSemaphore]) -> Callable[[], None]:
        def inserts() -> None:
            for semaphore in semaphores:
                fence.insert(semaphore, 1)
                fence.insert(made[0][0], 1)

        return inserts

    at_once(*(insert(semaphores) for semaphores in made))
    assert fence.timepoint_count == THREADS * 20
    other = rt.HalFence(THREADS * 20)
    at_once(*[lambda: other.extend(fence), lambda: fence.extend(other)] * (THREADS // 2))
    assert other.timepoint_count == fence.timepoint_count == THREADS * 20


def test_a_command_buffer_is_recorded_by_several_threads() -> None:
    device = rt.get_device("local-sync")
    buffer = device.allocator.allocate_buffer(rt.MemoryType.DEVICE_LOCAL, rt.BufferUsage.DEFAULT, THREADS * ROUNDS * 4)
    commands = rt.HalCommandBuffer(device)

    def fill(first: int) -> Callable[[], None]:
        def fills() -> None:
            for i in range(first, first + ROUNDS):
                commands.fill(buffer, np.int32(i), i * 4, 4)

        return fills

    at_once(*(fill(index * ROUNDS) for index in range(THREADS)))
    commands.end()
    done = device.create_semaphore(0)
    device.queue_execute(commands, [], [(done, 1)])
    assert done.wait(1)
    assert_array_equal(np.frombuffer(buffer.map(), np.int32), np.arange(THREADS * ROUNDS))


def test_what_is_worked_out_once_is_one_for_all(module: Any) -> None:
    function = module.vm_module.lookup_function("same")
    results = at_once(*[lambda: (module["multiply"], function.reflection)] * THREADS)
    assert len({id(bound) for bound, _ in results}) == 1
    assert [reflection for _, reflection in results] == [function.reflection] * THREADS


def test_exports_of_several_threads_are_one_module(config: rt.Config) -> None:
    interface = rt.PyModuleInterface("many", lambda interface: None)

    def export(index: int) -> Callable[[], None]:
        def exports() -> None:
            for i in range(20):
                interface.export(f"f{index}_{i}", "0i_i", lambda state, value: value + 1)

        return exports

    at_once(*(export(index) for index in range(THREADS)))

    def create() -> object:
        try:
            return interface.create()
        except RuntimeError:
            return None

    (created,) = [made for made in at_once(*[create] * THREADS) if made is not None]
    assert isinstance(created, rt.VmModule)
    assert len(created.function_names) == len(set(created.function_names)) == THREADS * 20


def test_a_dlpack_capsule_is_taken_once() -> None:
    device = rt.get_device("local-sync")
    for _ in range(20):
        memory = np.zeros(32, np.float32)
        # Devices on the host take memory that begins at a multiple of 64 bytes.
        capsule = memory[-memory.ctypes.data % 64 // 4 :][:16].__dlpack__()

        def take(capsule: object = capsule) -> object:
            try:
                return device.from_dlpack_capsule(capsule)
            except ValueError:
                return None

        assert sum(view is not None for view in at_once(*[take] * THREADS)) == 1


def test_drivers_are_registered_and_found_by_several_threads(tmp_path: Path) -> None:
    from iree_cy.plugins.registry import DriverRegistry

    registry = DriverRegistry()
    plugins = [rt.DriverPlugin("mine", f"Mine {index}", tmp_path / "none.so") for index in range(THREADS)]

    def register(plugin: rt.DriverPlugin) -> Callable[[], bool]:
        def registers() -> bool:
            try:
                registry.register(plugin)
            except rt.AlreadyExists:
                return False
            return True

        return registers

    for _ in range(20):
        taken = at_once(*(register(plugin) for plugin in plugins))
        assert sum(taken) == 1
        assert registry.registered("mine") is plugins[taken.index(True)]
        registry.unregister("mine")


FIRST_CALLS = """
import sys, threading
sys.setswitchinterval(1e-6)
import iree_cy as rt
config = rt.Config(device=rt.get_device("local-sync"))
module = rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, sys.argv[1]), config)
barrier = threading.Barrier(8)
results = []
def work():
    barrier.wait()
    results.append(module.multiply([1, 2, 3, 4], [5, 6, 7, 8]).tolist())
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert results == [[5, 12, 21, 32]] * 8, results
print(getattr(sys, "_is_gil_enabled", lambda: True)())
"""


def test_numpy_starts_once_and_the_gil_stays_as_it_is(program: Path) -> None:
    """The first calls of a process come from eight threads; without a GIL nothing turns it on."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(rt.__file__)))
    environment = {name: value for name, value in os.environ.items() if name != "PYTHON_GIL"}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", FIRST_CALLS, str(program)],
        env={**environment, "PYTHONPATH": package},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() == str(not WITHOUT_GIL)
