# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests that the process ends well, silently and soon, whatever is alive and whatever threads do.

from __future__ import annotations

import pytest

from tests.support.lifetime import DRIVERS, program, run_scripts

# What may be alive or under way when the process ends.
CASES = {
    "globals": """
module = load()
device = rt.get_device(DRIVER)
result = compute(module)
view = result.to_host()
small = np.asarray(call(module))
""",
    "cycle": """
module = load()
result = compute(module)
cycle = [rt.get_device(DRIVER, cache=False), module, module.add, result, np.asarray(result), call(module)]
cycle.append(cycle)
del module, result
""",
    "python-module": """
interface = rt.PyModuleInterface("m", lambda interface: interface)
interface.export("f", "0v", lambda state: None)
context = rt.VmContext(rt.VmInstance(), [interface.create()])
module = load()
""",
    "atexit": """
import atexit
module = load()
kept = []
atexit.register(lambda: kept.append((call(module), compute(module))))
""",
    "atexit-first-call": """
import atexit
atexit.register(lambda: compute(load()))
""",
    # A daemon thread is in the middle of it.
    "daemon-calls": """
module = load()
begun = threading.Event()
def run():
    while True:
        compute(module)
        begun.set()
threading.Thread(target=run, daemon=True).start()
begun.wait()
""",
    "daemon-long-call": """
module = load()
begun = threading.Event()
def run():
    begun.set()
    module.forever(1)
threading.Thread(target=run, daemon=True).start()
begun.wait()
call(load())
""",
    "daemon-waits": """
semaphore = rt.get_device(DRIVER).create_semaphore(0)
begun = threading.Event()
def run():
    begun.set()
    semaphore.wait(1)
threading.Thread(target=run, daemon=True).start()
begun.wait()
""",
    "daemon-creates": """
begun = threading.Event()
def run():
    while True:
        compute(load(rt.get_device(DRIVER, cache=False)))
        begun.set()
threading.Thread(target=run, daemon=True).start()
begun.wait()
""",
    # The last that Python does is to delete globals, while daemon threads are ended where they are.
    "finalizer": """
module = load()
begun = threading.Event()
class Caller:
    def __del__(self):
        call(module)
        compute(module)
compute(module)
def run():
    while True:
        call(module)
        begun.set()
threading.Thread(target=run, daemon=True).start()
begun.wait()
sys.modules["kept"] = Caller()
""",
    # Nothing can be imported any more when a function is named for the first time.
    "finalizer-names-a-function": """
module = load()
compute(module)
class Caller:
    def __del__(self):
        call(module)
        compute(module)
sys.modules["kept"] = Caller()
""",
    # Nobody awaits it.
    "future": """
import asyncio
module = load()
async def main():
    global future
    future = module.matmul.call_async(square, square)
asyncio.run(main())
""",
    "future-of-a-closed-loop": """
import asyncio
module = load()
async def main():
    global future
    future = module.matmul.call_async(square, square)
loop = asyncio.new_event_loop()
loop.run_until_complete(main())
loop.close()
""",
    "pool": """
from concurrent.futures import ThreadPoolExecutor
module = load()
pool = ThreadPoolExecutor(4)
futures = [pool.submit(compute, module) for _ in range(8)]
""",
    "sys-exit-in-a-thread": """
module = load()
def run():
    compute(module)
    sys.exit(1)
thread = threading.Thread(target=run)
thread.start()
""",
}

# Python ends a thread that a call of ours is below, whose context is asked once more.
IN_PYTHON_MODULE = """
import time
begun = threading.Event()
def wait(state):
    begun.set()
    while True:
        time.sleep(0)
interface = rt.PyModuleInterface("python", lambda interface: None)
interface.export("wait", "0v_v", wait)
python_module = interface.create()
context = rt.VmContext(rt.VmInstance(), [python_module])
def run(expected=None, *, function=python_module.lookup_function("wait"), nothing=rt.VmVariantList):
    context.invoke(function, nothing(0), nothing(0))
class Caller:
    def __del__(self, aborted=rt.Aborted):
        # The thread sleeps; its stack is still there.
        assert len(os.listdir("/proc/self/task")) == 2
        try:
            run()
        except aborted as error:
            assert "exiting" in str(error)
        else:
            raise AssertionError
threading.Thread(target=run, daemon=True).start()
begun.wait()
sys.modules["kept"] = Caller()
"""


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("case", CASES)
def test_the_process_ends_silently(case: str, driver: str) -> None:
    run_scripts(CASES[case], driver, program(is_async=case.startswith("future")), count=20)


@pytest.mark.parametrize("case", CASES)
def test_the_process_ends_silently_in_development_mode(case: str) -> None:
    path = program(is_async=case.startswith("future"))
    run_scripts(CASES[case], "local-task", path, count=2, options=["-X", "dev", "-W", "error"])


def test_a_call_that_never_ends_is_not_waited_for() -> None:
    run_scripts(IN_PYTHON_MODULE, "local-sync", program(), count=5)


@pytest.mark.parametrize("operation", ["queue_fill(buffer, b'0',", "queue_barrier(", "queue_execute(recording,"])
@pytest.mark.parametrize("driver", DRIVERS)
def test_what_was_parked_and_has_ended_is_not_waited_for(driver: str, operation: str) -> None:
    """The end of the process waits 5 s for work under way; operations that ran or failed are none."""
    script = f"""
device = rt.get_device(DRIVER)
buffer = device.allocator.allocate_buffer(rt.MemoryType.DEVICE_LOCAL, rt.BufferUsage.DEFAULT, 64)
recording = rt.HalCommandBuffer(device)
recording.fill(buffer, b"0", end=True)
gate, lost, failed, done = (device.create_semaphore(0) for _ in range(4))
device.{operation} [(gate, 1)], [(done, 1)])
device.{operation} [(lost, 1)], [(device.create_semaphore(0), 1)])
device.{operation} [(failed, 1)], [(device.create_semaphore(0), 1)])
gate.signal(1)
done.wait(1)
failed.fail("on purpose")
"""
    run_scripts(script, driver, program(), limit=4)
