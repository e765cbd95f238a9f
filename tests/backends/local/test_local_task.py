# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the tests of what local-task alone does: parameters, sharing, threads that sleep.

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import iree_cy as rt
from benchmarks.programs import matmul, multiply
from tests.support.programs import HOST_CPU_FLAGS, compile_program

LARGE = 256


def load(program: Path, device: Any) -> Any:
    config = rt.Config(device=device)
    return rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, program), config)


def threads_of(name: str) -> dict[str, set[int]]:
    """Return the threads of this process whose names begin so, with the processors that each may run on."""
    found = {}
    for task in Path("/proc/self/task").iterdir():
        try:
            thread_name = (task / "comm").read_text().strip()
            if thread_name.startswith(name):
                found[thread_name] = os.sched_getaffinity(int(task.name))
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def started_threads_of(name: str) -> dict[str, set[int]]:
    """Wait for threads of these names: a thread that is new names itself, maybe after the work that it was made for."""
    deadline = time.monotonic() + 60
    while not (found := threads_of(name)) and time.monotonic() < deadline:
        time.sleep(0.001)
    return found


def check_matmul(device: Any) -> None:
    """Run what is large enough to be shared and compare with NumPy."""
    a = np.random.default_rng(1).standard_normal((LARGE, LARGE)).astype(np.float32)
    result = load(compile_program(matmul(LARGE)), device).main(a, a).to_host()
    assert_allclose(result, a @ a, rtol=1e-3, atol=1e-3)


def test_threads_start_with_work_that_is_worth_them_and_end_with_the_device() -> None:
    device = rt.get_device("local-task://?name=begun&threads=2", cache=False)
    a = np.arange(4, dtype=np.float32)
    small = load(compile_program(multiply()), device)
    for _ in range(20):
        assert_array_equal(small.main(a, a).to_host(), a * a)
    assert not threads_of("begun")
    check_matmul(device)
    started = started_threads_of("begun").keys()
    assert started
    assert started <= {"begun-0", "begun-1"}
    del small, device
    assert not threads_of("begun")


@pytest.mark.parametrize("parameters", ["threads=1", "threads=3", "spin_us=20", "cpus=0", "threads=2&formats=vmvx"])
def test_devices_of_any_settings_compute_right(parameters: str) -> None:
    device = rt.get_device(f"local-task://?{parameters}", cache=False)
    if "vmvx" in parameters:
        flags = ("--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=vmvx")
        a = np.ones((64, 64), np.float32)
        assert_array_equal(load(compile_program(matmul(64), flags), device).main(a, a).to_host(), a * 64)
    else:
        check_matmul(device)


def test_threads_run_on_the_processors_that_a_device_is_given() -> None:
    allowed = os.sched_getaffinity(0)
    last = max(allowed)
    pinned = rt.get_device(f"local-task://?name=pinned&threads=2&cpus={last}", cache=False)
    free = rt.get_device("local-task://?name=free&threads=2", cache=False)
    for device in (pinned, free):
        check_matmul(device)
    assert set(map(frozenset, started_threads_of("pinned-").values())) == {frozenset({last})}
    assert set(map(frozenset, started_threads_of("free-").values())) == {frozenset(allowed)}
    assert os.sched_getaffinity(0) == allowed


def test_long_names_are_cut() -> None:
    device = rt.get_device("local-task://?name=a-very-long-name&threads=1", cache=False)
    check_matmul(device)
    assert started_threads_of("a-very").keys() == {"a-very-long-0"}


def test_threads_are_as_many_as_the_processors_of_the_process() -> None:
    code = """
import os, sys
os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
import numpy as np
import iree_cy as rt
config = rt.Config(device=rt.get_device("local-task"))
module = rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, sys.argv[1]), config)
a = np.ones((256, 256), np.float32)
for _ in range(5):
    module.main(a, a)
print(len(os.listdir("/proc/self/task")))
"""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", code, str(compile_program(matmul(LARGE)))]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    # This one and one of the device's.
    assert int(done.stdout) <= 2


def test_devices_of_other_settings_live_side_by_side() -> None:
    usual, single = rt.get_device("local-task"), rt.get_device("local-task://?threads=1")
    assert usual is not single
    assert rt.get_device("local-task") is usual
    assert rt.get_device("local-task://?threads=1") is single


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ("threads=-1", "threads"), ("threads=5000", "0 to 1024"), ("spin_us=9999999", "spin_us"),
        ("cpus=3-1", "0-3,8"), ("cpus=4095", "none of"), ("workers=2", "threads"), ("threads=two", "threads"),
        ("threads=", "threads"), ("spin_us=0.5", "spin_us"), ("cpus=0,,1", "0-3,8"), ("cpus=all", "0-3,8"),
        ("formats=elf", "embedded-elf"), ("name=a&name=b", "name"), ("threads=2&threads=3", "threads"),
    ],
)  # fmt: skip
def test_wrong_parameters_say_what_is_right(parameters: str, said: str) -> None:
    with pytest.raises((rt.StatusError, ValueError), match=said) as caught:
        rt.get_device(f"local-task://?{parameters}", cache=False)
    assert len(str(caught.value).splitlines()[0]) < 200


def test_large_results_are_those_of_local_sync() -> None:
    program = compile_program(matmul(LARGE))
    a = np.random.default_rng(2).standard_normal((LARGE, LARGE)).astype(np.float32)
    expected = load(program, rt.get_device("local-sync")).main(a, a).to_host()
    shared = load(program, rt.get_device("local-task://?threads=4"))
    for _ in range(10):
        assert_array_equal(shared.main(a, a).to_host(), expected)


def test_threads_that_call_one_function_at_once() -> None:
    device = rt.get_device("local-task://?threads=2", cache=False)
    module = load(compile_program(matmul(LARGE)), device)
    failures: list[BaseException] = []

    def work(seed: int) -> None:
        try:
            a = np.random.default_rng(seed).standard_normal((LARGE, LARGE)).astype(np.float32)
            for _ in range(5):
                assert_allclose(module.main(a, a).to_host(), a @ a, rtol=1e-3, atol=1e-3)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


_IDLE = """
import os, sys, time
import numpy as np
import iree_cy as rt
config = rt.Config(device=rt.get_device("local-task://?threads=2"))
module = rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, sys.argv[1]), config)
a = np.ones((256, 256), np.float32)
for _ in range(5):
    module.main(a, a)
threads = len(os.listdir("/proc/self/task"))
before = time.process_time()
time.sleep(2)
print(threads, time.process_time() - before)
"""


def test_idle_threads_take_no_time() -> None:
    # In a process of its own, for NumPy's threads are busy for a while after each product.
    program = str(compile_program(matmul(LARGE)))
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", _IDLE, program]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    threads, seconds = done.stdout.split()
    assert int(threads) > 1
    assert float(seconds) < 0.02


LOOP = """
func.func @main(%a: tensor<256x256xf32>, %count: index) -> tensor<256x256xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%x = %a) -> (tensor<256x256xf32>) {
    %e = tensor.empty() : tensor<256x256xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<256x256xf32>) -> tensor<256x256xf32>
    %y = linalg.matmul ins(%x, %a : tensor<256x256xf32>, tensor<256x256xf32>)
                       outs(%f : tensor<256x256xf32>) -> tensor<256x256xf32>
    scf.yield %y : tensor<256x256xf32>
  }
  return %r : tensor<256x256xf32>
}
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_a_loop_does_not_hold_the_memory_of_all_its_rounds(threads: int) -> None:
    """4,000 rounds of 256 KiB each are 1,000 MiB; a program may run ahead of its work by 128."""
    code = """
import resource, sys
import numpy as np
import iree_cy as rt
config = rt.Config(device=rt.get_device(f"local-task://?threads={sys.argv[2]}"))
module = rt.load_vm_module(rt.VmModule.mmap(config.vm_instance, sys.argv[1]), config)
eye = np.eye(256, dtype=np.float32)
module.main(eye, 1)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert (module.main(eye, 4000).to_host() == eye).all()
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""
    program = compile_program(LOOP, HOST_CPU_FLAGS)
    done = subprocess.run(
        [sys.executable, "-c", code, str(program), str(threads)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 300


def test_memory_that_waits_for_the_caller_is_not_waited_for() -> None:
    """However much is queued behind a semaphore that the caller is to signal: allocating goes on."""
    device = rt.get_device("local-task://?threads=2", cache=False)
    gate = device.create_semaphore(0)
    done = device.create_semaphore(0)
    size = 64 << 20
    buffers = []
    for number in range(4):
        buffers.append(device.queue_alloca(size, [], [(device.create_semaphore(0), 1)]))
        begin = [(gate, 1), (done, number)]
        device.queue_fill(buffers[-1], np.int32(number), begin, [(done, number + 1)])
    assert done.query() == 0
    gate.signal(1)
    done.wait(4, timeout=60 * 10**9)
    assert [buffer.map().asarray((4,), np.int32).tolist() for buffer in buffers] == [[n] * 4 for n in range(4)]
