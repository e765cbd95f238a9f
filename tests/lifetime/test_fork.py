# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests that forked children compute right, end and never hang, whatever the parent was doing.

from __future__ import annotations

import pytest

from tests.support.lifetime import DRIVERS, program, run_scripts

# Children end by themselves, by a signal when they hang, or as the script says.
_PRELUDE = """
import gc, multiprocessing, time, traceback
def await_child(child):
    assert os.waitpid(child, 0)[1] == 0
def run_child(function):
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        try:
            function()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)
    await_child(child)
"""
CASES = {
    "after-use": """
module = load()
compute(module)
def go_on():
    compute(module)
    call(module)
    compute(load())
    compute(load(rt.get_device(DRIVER, cache=False)))
for _ in range(3):
    run_child(go_on)
compute(module)
""",
    "after-listing": """
assert DRIVER in rt.query_available_drivers()
assert rt.get_driver(DRIVER).query_available_devices()
run_child(lambda: compute(load()))
compute(load())
""",
    "before-use": """
run_child(lambda: compute(load()))
compute(load())
run_child(lambda: compute(load()))
""",
    # As any process does, not by os._exit.
    "child-only-exits": """
module = load()
result = compute(module)
view = np.asarray(call(module))
child = os.fork()
if child == 0:
    signal.alarm(20)
else:
    await_child(child)
    compute(module)
""",
    "grandchild": """
module = load()
compute(module)
def have_child():
    compute(module)
    run_child(lambda: compute(module))
    compute(module)
run_child(have_child)
""",
    "state": """
module = load()
assert module.accumulate(ones).to_host().tolist() == [1] * 4
def go_on():
    assert module.accumulate(ones).to_host().tolist() == [2] * 4
    assert load().accumulate(ones).to_host().tolist() == [1] * 4
run_child(go_on)
assert module.accumulate(ones).to_host().tolist() == [2] * 4
""",
    "dropping-what-the-parent-made": """
device = rt.get_device(DRIVER, cache=False)
module = load(device)
kept = [compute(module), device.create_semaphore(0), module.vm_module, module.add, np.asarray(call(module))]
def drop():
    global device, module
    device = module = None
    gc.collect()
    kept.clear()
    gc.collect()
    compute(load())
run_child(drop)
compute(module)
""",
    "by-another-thread": """
module = load()
compute(module)
def fork():
    run_child(lambda: compute(module))
thread = threading.Thread(target=fork)
thread.start()
thread.join()
compute(module)
""",
    "while-another-calls": """
module = load()
stop, begun = threading.Event(), threading.Event()
def work():
    while not stop.is_set():
        compute(module)
        begun.set()
threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
begun.wait()
def go_on():
    compute(load())
    # It may have been inside a call of a thread that is not here.
    try:
        compute(module)
    except rt.Aborted as error:
        assert "forked" in str(error)
for _ in range(10):
    run_child(go_on)
stop.set()
for thread in threads:
    thread.join()
compute(module)
""",
    "while-another-is-inside-a-context": """
module = load()
begun = threading.Event()
def work():
    begun.set()
    module.forever(1)
threading.Thread(target=work, daemon=True).start()
begun.wait()
def go_on():
    compute(load())
    try:
        compute(module)
    except rt.Aborted as error:
        assert "forked" in str(error)
for _ in range(3):
    run_child(go_on)
""",
    # Modules are imported and libraries opened then, under locks that a child would find held.
    "while-another-loads-first": """
thread = threading.Thread(target=lambda: compute(load()))
thread.start()
children = []
while thread.is_alive() or not children:
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        try:
            compute(load())
            os._exit(0)
        finally:
            os._exit(1)
    children.append(child)
    time.sleep(0.001)
thread.join()
for child in children:
    await_child(child)
""",
    "while-another-loads": """
stop = threading.Event()
def work():
    while not stop.is_set():
        load(rt.get_device(DRIVER, cache=False))
thread = threading.Thread(target=work)
thread.start()
def go_on():
    compute(load())
for _ in range(10):
    run_child(go_on)
stop.set()
thread.join()
""",
    "parked-operation": """
device = rt.get_device(DRIVER)
usage = rt.BufferUsage.DEFAULT | rt.BufferUsage.MAPPING
buffer = device.allocator.allocate_buffer(rt.MemoryType.DEVICE_LOCAL | rt.MemoryType.HOST_VISIBLE, usage, 16)
begin, done = device.create_semaphore(0), device.create_semaphore(0)
device.queue_fill(buffer, b"x", [(begin, 1)], [(done, 1)])
def go_on():
    begin.signal(1)
    assert done.wait(1, timeout=10**10)
    assert bytes(buffer.map()) == b"x" * 16
run_child(go_on)
go_on()
""",
    "pool": """
module = load()
compute(module)
def work(number):
    compute(module)
    return (load().add(ones * number, ones).to_host() - 1).tolist()
with multiprocessing.get_context("fork").Pool(4) as pool:
    assert pool.map_async(work, range(16)).get(60) == [[number] * 4 for number in range(16)]
compute(module)
""",
    "process-that-does-nothing": """
compute(load())
process = multiprocessing.get_context("fork").Process(target=int)
process.start()
process.join(30)
assert process.exitcode == 0
""",
}
OPTIONS = ("-W", "error", "-W", "ignore::DeprecationWarning")


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("case", CASES)
def test_a_child_goes_on(case: str, driver: str) -> None:
    run_scripts(_PRELUDE + CASES[case], driver, program(), options=OPTIONS, limit=60)


# More than the threads can have done when the child looks at the last one.
_IN_FLIGHT = """
device = rt.get_device("local-task://?threads=2")
module = load(device)
function = module.vm_module.lookup_function("matmul")
view = rt.asdevicearray(device, square)._buffer_view
def submit():
    done = rt.HalFence.create_at(device.create_semaphore(0), 1)
    inputs, outputs = rt.VmVariantList(4), rt.VmVariantList(1)
    for reference in (view, view, rt.HalFence(0), done):
        inputs.push_ref(reference)
    module._vm_context.invoke(function, inputs, outputs)
    return done, outputs
submitted = [submit() for _ in range(100)]
def look():
    try:
        submitted[-1][0].wait(timeout=10**10)
    except rt.Aborted as error:
        assert "fork" in str(error), error
    else:
        raise AssertionError("it was not in flight")
    compute(module)
run_child(look)
for done, outputs in submitted:
    assert done.wait(timeout=10**10)
    result = rt.DeviceArray(device, outputs.get_as_object(0, rt.HalBufferView)).to_host()
    assert (result == 4 * len(square)).all()
"""


def test_work_in_flight_fails_in_the_child() -> None:
    run_scripts(_PRELUDE + _IN_FLIGHT, "local-task", program(is_async=True), options=OPTIONS, limit=60)


# The child leaves a coroutine of its parent, and with it cancels calls that the parent has under way.
_IN_A_COROUTINE = """
import asyncio
module = load()
compute(module)
async def main():
    wait = rt.HalFence.create_at(rt.get_device(DRIVER).create_semaphore(0), 1)
    calls = [module.matmul.call_async(square, square, wait=wait) for _ in range(4)]
    await asyncio.sleep(0)
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        sys.exit(0)
    await_child(child)
    # What the child did to the loop's descriptors, which it shares, is asyncio's own affair.
    os._exit(0)
asyncio.run(main())
"""


@pytest.mark.parametrize("driver", DRIVERS)
def test_a_child_leaves_a_coroutine(driver: str) -> None:
    run_scripts(_PRELUDE + _IN_A_COROUTINE, driver, program(is_async=True), options=OPTIONS, limit=60)


# The child imports everything again; its function is one of a module that it finds.
_SPAWNED = """
from tests.support.lifetime import check_in_process
if __name__ == "__main__":
    import multiprocessing
    check_in_process(DRIVER, PROGRAM)
    context = multiprocessing.get_context("{method}")
    processes = [context.Process(target=check_in_process, args=(DRIVER, PROGRAM)) for _ in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
"""


@pytest.mark.parametrize("driver", DRIVERS)
@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_other_start_methods(method: str, driver: str) -> None:
    run_scripts(_SPAWNED.replace("{method}", method), driver, program(), options=OPTIONS, limit=60)
