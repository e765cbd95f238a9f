# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the tests of what the local drivers do alike: formats, wide dispatches, parked work, threads.

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import iree_cy as rt
from tests.support.programs import CPU_FLAGS, compile_program

LOCAL = "--iree-hal-target-device=local"
VMVX_FLAGS = (LOCAL, "--iree-hal-local-target-device-backends=vmvx")
SYSTEM_FLAGS = (*CPU_FLAGS, "--iree-llvmcpu-link-embedded=false")
DRIVERS = ("local-sync", "local-task")
USAGE = rt.BufferUsage.DEFAULT | rt.BufferUsage.MAPPING

MULTIPLY = """
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r = arith.mulf %a, %b : tensor<4xf32>
  return %r : tensor<4xf32>
}
"""


@pytest.fixture(params=DRIVERS)
def driver(request: pytest.FixtureRequest) -> str:
    """Give the name of each local driver in turn."""
    name: str = request.param
    return name


def load(program: Path, device: Any) -> Any:
    config = rt.Config(device=device)
    return rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, program), config)


def multiply(program: Path, device: Any) -> Any:
    a = np.array([1, 2, 3, 4], np.float32)
    return load(program, device).main(a, a + 1).to_host()


def sum_of(count: int) -> str:
    """Return a program that adds `count` vectors in one dispatch."""
    tensor = "tensor<8xf32>"
    arguments = ", ".join(f"%a{i}: {tensor}" for i in range(count))
    maps = ", ".join(["affine_map<(i) -> (i)>"] * (count + 1))
    block = ", ".join(f"%x{i}: f32" for i in range(count))
    body = "\n".join(f"    %s{i} = arith.addf %s{i - 1}, %x{i} : f32" for i in range(1, count))
    return f"""
func.func @main({arguments}) -> {tensor} {{
  %empty = tensor.empty() : {tensor}
  %zero = arith.constant 0.0 : f32
  %r = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}
      ins({", ".join(f"%a{i}" for i in range(count))} : {", ".join([tensor] * count)}) outs(%empty : {tensor}) {{
  ^bb0({block}, %o: f32):
    %s0 = arith.addf %x0, %zero : f32
{body}
    linalg.yield %s{count - 1} : f32
  }} -> {tensor}
  return %r : {tensor}
}}
"""


def many_constants(count: int) -> str:
    """Return a program whose dispatch takes `count` scalars as constants."""
    arguments = ", ".join(f"%c{i}: i32" for i in range(count))
    body = "\n".join(f"    %s{i + 1} = arith.addi %s{i}, %c{i} : i32" for i in range(count))
    return f"""
func.func @main(%x: tensor<8xi32>, {arguments}) -> tensor<8xi32> {{
  %empty = tensor.empty() : tensor<8xi32>
  %r = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}} ins(%x : tensor<8xi32>) outs(%empty : tensor<8xi32>) {{
  ^bb0(%s0: i32, %o: i32):
{body}
    linalg.yield %s{count} : i32
  }} -> tensor<8xi32>
  return %r : tensor<8xi32>
}}
"""


@pytest.mark.parametrize("count", [31, 32, 63])
def test_a_dispatch_takes_up_to_64_bindings(driver: str, count: int) -> None:
    module = load(compile_program(sum_of(count)), rt.get_device(driver))
    vectors = [np.full(8, 2**i % 97, np.float32) for i in range(count)]
    assert_array_equal(module.main(*vectors).to_host(), np.sum(vectors, axis=0))


@pytest.mark.parametrize("count", [1, 40, 60])
def test_a_dispatch_takes_many_constants(driver: str, count: int) -> None:
    module = load(compile_program(many_constants(count)), rt.get_device(driver))
    x = np.arange(8, dtype=np.int32)
    assert_array_equal(module.main(x, *range(count)).to_host(), x + sum(range(count)))


@pytest.mark.parametrize(
    ("formats", "flags"),
    [
        ("", CPU_FLAGS), ("", SYSTEM_FLAGS), ("", VMVX_FLAGS), ("embedded-elf", CPU_FLAGS),
        ("embedded-elf-x86_64,vmvx", CPU_FLAGS), ("vmvx, embedded-elf", VMVX_FLAGS), ("system-elf", SYSTEM_FLAGS),
    ],
)  # fmt: skip
def test_formats_that_are_allowed_run(driver: str, formats: str, flags: tuple[str, ...]) -> None:
    device = rt.get_driver(driver).create_device(0, params={"formats": formats} if formats else None)
    assert_array_equal(multiply(compile_program(MULTIPLY, flags), device), [2, 6, 12, 20])


@pytest.mark.parametrize(
    ("formats", "flags", "wanted"),
    [("vmvx", CPU_FLAGS, "embedded-elf-x86_64"), ("embedded-elf", VMVX_FLAGS, "vmvx-bytecode-fb")],
)
def test_formats_that_are_not_allowed_are_named(driver: str, formats: str, flags: tuple[str, ...], wanted: str) -> None:
    device = rt.get_device(f"{driver}://?formats={formats}")
    with pytest.raises(rt.Incompatible, match=wanted) as caught:
        multiply(compile_program(MULTIPLY, flags), device)
    first = str(caught.value).splitlines()[0]
    assert driver in first
    assert len(first) <= 200


@pytest.mark.parametrize("backends", [("llvm-cpu", "vmvx"), ("vmvx", "llvm-cpu")])
@pytest.mark.parametrize(
    ("formats", "native"),
    [
        ("embedded-elf-x86_64,vmvx", True), ("vmvx,embedded-elf-x86_64", False), ("vmvx", False),
        ("embedded-elf", True), ("system-elf, vmvx, embedded-elf", False),
    ],
)  # fmt: skip
def test_of_the_formats_that_a_program_carries_the_first_of_the_list_is_loaded(
    driver: str, formats: str, native: bool, backends: tuple[str, ...], tmp_path: Path
) -> None:
    flags = [f"--iree-hal-local-target-device-backends={backend}" for backend in backends]
    program = compile_program(MULTIPLY, (LOCAL, *flags, "--iree-llvmcpu-target-cpu=generic"))
    device = rt.get_device(f"{driver}://?formats={formats}", cache=False)
    assert_array_equal(multiply(program, device), [2, 6, 12, 20])
    # With the native code spoilt, who loads it fails.
    spoilt = tmp_path / "spoilt.vmfb"
    data = program.read_bytes()
    assert data.count(b"\x7fELF") == 1
    spoilt.write_bytes(data.replace(b"\x7fELF", b"\x7fFLE"))
    if native:
        with pytest.raises(rt.StatusError):
            multiply(spoilt, device)
    else:
        assert_array_equal(multiply(spoilt, device), [2, 6, 12, 20])


def test_an_unknown_format_lists_the_known_ones(driver: str) -> None:
    with pytest.raises(rt.InvalidArgument, match=r"'bogus'.*embedded-elf.*vmvx"):
        rt.get_device(f"{driver}://?formats=bogus")


@pytest.mark.parametrize(("target", "flags"), [("vulkan", ()), ("cuda", ())])
def test_a_program_for_another_device_says_what_it_wants(driver: str, target: str, flags: tuple[str, ...]) -> None:
    program = compile_program(MULTIPLY, (f"--iree-hal-target-device={target}", *flags))
    with pytest.raises(rt.Incompatible, match=rf"'{target}'.*'{driver}'") as caught:
        load(program, rt.get_device(driver))
    assert len(str(caught.value).splitlines()[0]) < 200


TWO_DEVICES = """
module @two {
  func.func @main(%x: tensor<4xf32> {iree.abi.affinity = #hal.device.promise<@dev_a>})
      -> (tensor<4xf32> {iree.abi.affinity = #hal.device.promise<@dev_b>}) {
    %y = arith.addf %x, %x : tensor<4xf32>
    %z = flow.tensor.transfer %y : tensor<4xf32> to #hal.device.promise<@dev_b>
    %w = arith.mulf %z, %z : tensor<4xf32>
    return %w : tensor<4xf32>
  }
}
"""


def test_a_program_for_two_devices_needs_two(driver: str) -> None:
    targets = ("--iree-hal-target-device=dev_a=local[0]", "--iree-hal-target-device=dev_b=local[1]")
    flags = [flag for flag in CPU_FLAGS if not flag.startswith("--iree-hal-target-device")]
    program = compile_program(TWO_DEVICES, (*targets, *flags))
    devices = [rt.get_device(driver, cache=False) for _ in range(2)]
    with pytest.raises(rt.Incompatible, match=rf"more devices than the 1 given \('{driver}'\)") as caught:
        load(program, devices[:1])
    assert len(str(caught.value).splitlines()[0]) < 200
    assert_array_equal(load(program, devices).main(np.full(4, 3, np.float32)).to_host(), [36, 36, 36, 36])


def test_work_is_parked_until_its_wait_is_signalled_and_done_by_the_signaller(driver: str) -> None:
    device = rt.get_device(driver, cache=False)
    allocator = device.allocator
    source = allocator.allocate_buffer(rt.MemoryType.DEVICE_LOCAL | rt.MemoryType.HOST_VISIBLE, USAGE, 16)
    target = allocator.allocate_buffer(rt.MemoryType.DEVICE_LOCAL | rt.MemoryType.HOST_VISIBLE, USAGE, 16)
    gate, filled, copied = (device.create_semaphore(0) for _ in range(3))
    device.queue_fill(target, np.uint8(1), [], [(copied, 1)])
    device.queue_fill(source, np.uint8(7), [(gate, 1)], [(filled, 1)])
    device.queue_copy(source, target, [(filled, 1)], [(copied, 2)])
    assert filled.query() == 0
    assert_array_equal(np.frombuffer(bytes(target.map()), np.uint8), np.full(16, 1))
    gate.signal(1)
    # No wait: whoever signals the last semaphore has done the work when the signal returns.
    assert copied.query() == 2
    assert_array_equal(np.frombuffer(bytes(target.map()), np.uint8), np.full(16, 7))


def test_a_chain_of_parked_work_does_not_recurse(driver: str) -> None:
    device = rt.get_device(driver, cache=False)
    timeline = device.create_semaphore(0)
    for value in range(1, 20_001):
        device.queue_barrier([(timeline, value)], [(timeline, value + 1)])
    timeline.signal(1)
    assert timeline.query() == 20_001


def test_a_failed_wait_fails_what_waits_with_its_message(driver: str) -> None:
    device = rt.get_device(driver, cache=False)
    gate, done = device.create_semaphore(0), device.create_semaphore(0)
    device.queue_barrier([(gate, 1)], [(done, 1)])
    gate.fail("the sensor is gone")
    with pytest.raises(rt.StatusError, match="the sensor is gone"):
        done.wait(1)


def test_forty_threads_share_a_device(driver: str) -> None:
    # More threads than a device has workers.
    device = rt.get_device(driver)
    program = compile_program(MULTIPLY)
    failures: list[BaseException] = []

    def work(seed: int) -> None:
        try:
            module = load(program, device)
            a = np.full(4, seed, np.float32)
            for i in range(50):
                assert_array_equal(module.main(a, a + i).to_host(), a * (a + i))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
