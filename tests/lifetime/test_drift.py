# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests that memory, threads, descriptors and objects stay what they are however often something is done.

from __future__ import annotations

import pytest

from tests.support.lifetime import DRIVERS, program, run_scripts

# `repeat` does it a while, looks, does it `count` times, and looks again.
_PRELUDE = """
import gc
from pathlib import Path
def resident():
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
def counted():
    gc.collect()
    return len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd")), _core.live_object_counts()
def repeat(count, work):
    for i in range(count // 10):
        work(i)
    before, size = counted(), resident()
    for i in range(count):
        work(i)
    after, grown = counted(), resident() - size
    assert after == before, (before, after)
    assert grown < 5 << 20, grown
"""
CASES = {
    "2000-loads": """
device = rt.get_device(DRIVER)
repeat(2000, lambda i: load(device))
call(load(device))
""",
    "2000-loads-and-calls": """
device = rt.get_device(DRIVER)
repeat(2000, lambda i: call(load(device)))
""",
    "20000-calls": """
module = load()
add, accumulate = module.add, module.accumulate
arrays = rt.asdevicearray(rt.get_device(DRIVER), ones)
def work(i):
    add(ones, ones).to_host()
    if i % 4 == 0:
        add(arrays, arrays)
        accumulate(arrays)
repeat(20000, work)
""",
    "500-large-calls": """
module = load()
repeat(500, lambda i: compute(module))
""",
    "5000-failing-calls": """
module = load()
wrong = [(None, ones), (ones[:3], ones), (ones.astype(float), ones), (ones,), ("text", ones)]
def work(i):
    try:
        if i % 10 == 0:
            module.forever.call(1, timeout=1e-5)
        elif i % 10 == 1:
            rt.VmModule.copy_buffer(instance, b"nothing")
        else:
            module.add(*wrong[i % 5])
    except (TypeError, ValueError, rt.StatusError):
        return
    raise AssertionError(i)
instance = rt.VmInstance()
repeat(5000, work)
call(module)
""",
    "200-devices": """
def work(i):
    device = rt.get_device(DRIVER, cache=False)
    if i % 4 == 0:
        compute(load(device))
repeat(200, work)
""",
    "1000-threads": """
module = load()
def work(i):
    thread = threading.Thread(target=compute if i % 10 == 0 else call, args=(module,))
    thread.start()
    thread.join()
repeat(1000, work)
""",
    "2000-timed-out-waits": """
device = rt.get_device(DRIVER)
semaphore = device.create_semaphore(0)
several = [(semaphore, 1), (device.create_semaphore(0), 1)]
fence = rt.HalFence.create_at(semaphore, 1)
waits = [
    lambda: semaphore.wait(1, timeout=1000),
    lambda: fence.wait(timeout=1000),
    lambda: device.wait_semaphores(several, "any", timeout=1000),
    lambda: device.wait_semaphores(several, "all", timeout=1000),
]
def work(i):
    try:
        waits[i % 4]()
    except TimeoutError:
        return
    raise AssertionError(i)
repeat(2000, work)
semaphore.signal(1)
assert fence.wait() and semaphore.wait(1)
""",
}


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("case", CASES)
def test_nothing_grows(case: str, driver: str) -> None:
    run_scripts(_PRELUDE + CASES[case], driver, program(), limit=120)
