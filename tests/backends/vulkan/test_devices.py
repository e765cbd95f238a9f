# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests which Vulkan devices there are, how they are named, made and dropped, and what of that a forked child may do.
"""Devices of the vulkan driver."""

from __future__ import annotations

import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.support.vulkan import require, run

UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
STAND_IN = "GPU-abababab-abab-abab-abab-abababababab"

# What a script uses. `refused` gives the first line of the error.
PRELUDE = """
import gc, os, time
import iree_cy as rt
def refused(function, *arguments):
    try:
        function(*arguments)
    except rt.StatusError as error:
        print(f"{type(error).__name__}: {str(error).splitlines()[0]}")
    else:
        print("nothing was refused")
def made(uri):
    return rt.get_device(uri, cache=False)
def resources():
    gc.collect()
    with open("/proc/self/maps") as maps:
        mapped = sum(1 for line in maps if "/dev/" in line or "memfd" in line)
    return len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd")), mapped
def back_to(wanted):
    # A thread that was joined is listed for a moment more.
    deadline = time.monotonic() + 20
    while resources() != wanted and time.monotonic() < deadline:
        time.sleep(0.001)
    return resources() == wanted or print(wanted, resources())
"""


def test_a_device_is_listed_by_its_uuid(lavapipe: str) -> None:
    script = """
for info in rt.get_driver("vulkan").query_available_devices():
    print(info["device_id"], info["path"], info["name"])
"""
    (line,) = run(PRELUDE + script, VK_DRIVER_FILES=lavapipe).splitlines()
    assert re.fullmatch(rf"0 GPU-{UUID} llvmpipe \(.*\)", line)


def test_the_uuid_is_that_of_vulkaninfo(lavapipe: str) -> None:
    try:
        text = subprocess.run(["vulkaninfo", "--summary"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("vulkan-tools is not installed")
    uuids = re.findall(rf"deviceUUID\s*= ({UUID})", text)
    script = 'print(rt.get_driver("vulkan").query_available_devices()[0]["path"])'
    assert run(PRELUDE + script, VK_DRIVER_FILES=lavapipe).strip() in {f"GPU-{uuid}" for uuid in uuids}


def test_devices_of_one_uuid_have_paths_of_their_own(stand_in: Path) -> None:
    script = 'print(*(info["path"] for info in rt.get_driver("vulkan").query_available_devices()))'
    output = run(PRELUDE + script, VK_DRIVER_FILES=str(stand_in), STAND_IN_DEVICES="3")
    assert output.split() == [STAND_IN, f"{STAND_IN}-2", f"{STAND_IN}-3"]


def test_a_device_is_named_in_each_way(lavapipe: str) -> None:
    script = """
path = rt.get_driver("vulkan").query_available_devices()[0]["path"]
same = {id(rt.get_device(uri)) for uri in ("vulkan", "vulkan:0", "vulkan://", f"vulkan://{path}", "vulkan://llvmpipe*",
        "vulkan://*LLVM*", "vulkan://GPU-*")}
print(len(same), made("vulkan://?index=0").name)
refused(made, "vulkan:1")
refused(made, "vulkan://?index=1")
refused(made, "vulkan://radeon*")
refused(made, "vulkan://llvmpipe")
"""
    lines = run(PRELUDE + script, VK_DRIVER_FILES=lavapipe).splitlines()
    assert lines[0] == "1 vulkan"
    assert [line.partition(":")[0] for line in lines[1:]] == ["NotFound"] * 4
    assert "parameter 'index' is 1; driver 'vulkan' has 1 device, from 0" in lines[2]
    assert re.search(rf"'radeon\*'; it has: 'GPU-{UUID}'", lines[3])


def test_an_index_beside_another_device_is_refused(stand_in: Path) -> None:
    script = 'refused(made, "vulkan://1?index=2")'
    (line,) = run(PRELUDE + script, VK_DRIVER_FILES=str(stand_in), STAND_IN_DEVICES="3").splitlines()
    assert line == "InvalidArgument: parameter 'index' is 2, and the device asked for is 1: leave out one of both"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ("colour=red", "InvalidArgument.*no parameter 'colour'.*index, queue_family, queues, memory, staging, valid"),
        ("memory=disk", "InvalidArgument.*'memory'.*auto.device.host.*'disk'"),
        ("staging=perhaps", "InvalidArgument.*'staging'.*perhaps"),
        ("queues=x", "InvalidArgument.*'queues'.*x"),
        ("queues=17", "InvalidArgument: parameter 'queues' is '17'; wanted is a number from 0 to 16"),
        ("queues=-1", "InvalidArgument: parameter 'queues' is '-1'; wanted is a number from 0 to 16"),
        ("queues=16", r"InvalidArgument: parameter 'queues' is 16; family 0 of 'llvmpipe \(.*\)' has \d+"),
        ("queue_family=9", r"InvalidArgument: parameter 'queue_family' is 9; 'llvmpipe .*' has 1 fam.*not among them"),
        ("index=-2", "InvalidArgument: parameter 'index' is '-2'; wanted is a number from -1 to 32767"),
    ],
)
def test_parameters_that_are_wrong_are_named(parameters: str, message: str, lavapipe: str) -> None:
    script = f'refused(made, "vulkan://?{parameters}")'
    (line,) = run(PRELUDE + script, VK_DRIVER_FILES=lavapipe).splitlines()
    assert re.match(message, line), line
    assert len(line) < 220


def test_parameters_that_are_right_make_a_device(lavapipe: str) -> None:
    script = """
for word in ("queue_family=0", "queues=1", "memory=auto", "memory=device", "memory=host", "staging=true",
             "debug_names=1", "robust_access=yes", "index=0&queue_family=0&queues=1&robust_access=true"):
    assert made(f"vulkan://?{word}").name == "vulkan", word
print("made")
"""
    assert run(PRELUDE + script, VK_DRIVER_FILES=lavapipe) == "made\n"


@pytest.mark.parametrize(
    "missing", ["timelineSemaphore", "synchronization2", "maintenance4", "timelineSemaphore, maintenance4"]
)
def test_features_that_are_missing_are_named(missing: str, stand_in: Path) -> None:
    environment = {"STAND_IN_DEVICES": "1", "STAND_IN_WITHOUT": missing.replace(" ", "")}
    (line,) = run(PRELUDE + 'refused(made, "vulkan")', VK_DRIVER_FILES=str(stand_in), **environment).splitlines()
    assert line == (f"FailedPrecondition: the Vulkan device 'Stand-in 0' lacks {missing}, which this driver needs")


def test_a_device_that_cannot_be_made_says_so(stand_in: Path) -> None:
    script = 'refused(made, "vulkan")'
    (line,) = run(PRELUDE + script, VK_DRIVER_FILES=str(stand_in), STAND_IN_DEVICES="1").splitlines()
    assert line == "Internal: vkCreateDevice failed with VK_ERROR_INITIALIZATION_FAILED (-3)"


def test_the_dump_tells_versions_features_limits_heaps_and_queues(lavapipe: str) -> None:
    text = run(PRELUDE + 'print(rt.get_driver("vulkan").dump_device_info(0))', VK_DRIVER_FILES=lavapipe)
    for pattern in (
        rf"^path: GPU-{UUID}$", r"^name: llvmpipe", "^type: CPU$", r"^api version: 1\.[3-9]\.\d+$",
        r"^driver: llvmpipe, Mesa ", r"^driver uuid: [0-9a-f]{32}$", r"^features:.* timelineSemaphore ",
        r"^features:.* shaderInt64 ", r"^  maxStorageBufferRange: \d{8,}$", r"^  maxComputeWorkGroupSize: \d+ \d+ \d+$",
        r"^  subgroupSize: \d+ \(\d+ to \d+\)$", r"^heaps:\n  0: \d+ MiB device-local$",
        r"^memory types:\n  0: heap 0 .*host-visible", r"^queue families:\n  0: \d+ queues?, .*compute",
    ):  # fmt: skip
        assert re.search(pattern, text, re.MULTILINE), pattern


def test_listing_leaves_nothing_behind(lavapipe: str) -> None:
    script = """
before = resources()
driver = rt.get_driver("vulkan")
for _ in range(20):
    driver.query_available_devices()
    driver.dump_device_info(0)
print(back_to(before))
"""
    assert run(PRELUDE + script, VK_DRIVER_FILES=lavapipe) == "True\n"


# Of each of 10 processes.
CREATIONS = """
import resource
driver = rt.get_driver("vulkan")
before = resources()
device = made("vulkan")
del device
assert back_to(before)
for round in range(50):
    device = made("vulkan")
    during = resources()
    del device
    assert back_to(before), round
    if round == 9:
        gc.collect()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak
print(during[0] > before[0], before[0], grown < 16 << 10, grown)
"""


def test_fifty_creations_in_each_of_ten_processes_leave_nothing_behind(lavapipe: str) -> None:
    with ThreadPoolExecutor(2) as pool:
        outputs = list(pool.map(lambda _: run(PRELUDE + CREATIONS, VK_DRIVER_FILES=lavapipe), range(10)))
    for output in outputs:
        # Lavapipe has threads for a device; none is left.
        assert output.split()[:3] == ["True", "1", "True"], output


def test_threads_make_and_drop_devices_side_by_side(lavapipe: str) -> None:
    script = """
import threading
rt.get_driver("vulkan")
before = resources()
def work():
    for _ in range(5):
        device = made("vulkan")
        rt.get_driver("vulkan").query_available_devices()
        del device
threads = [threading.Thread(target=work) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(back_to(before))
"""
    assert run(PRELUDE + script, VK_DRIVER_FILES=lavapipe) == "True\n"


def test_devices_that_live_at_the_end_do_no_harm(lavapipe: str) -> None:
    run(
        PRELUDE + 'kept = [made("vulkan") for _ in range(3)]; cycle = [kept]; cycle.append(cycle)',
        VK_DRIVER_FILES=lavapipe,
    )


FORKED = """
import warnings
def child_of(function):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        child = os.fork()
    if child == 0:
        code = 1
        try:
            function()
            code = 0
        finally:
            os._exit(code)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_forked_child_lists_and_makes_devices_of_its_own(lavapipe: str) -> None:
    script = """
driver = rt.get_driver("vulkan")
infos = driver.query_available_devices()
def child():
    assert driver.query_available_devices() == infos
    assert made("vulkan").name == "vulkan"
child_of(child)
device = made("vulkan")
child_of(child)
assert driver.query_available_devices() == infos
del device
child_of(child)
"""
    assert run(PRELUDE + FORKED + script, VK_DRIVER_FILES=lavapipe).split() == ["0", "0", "0"]


def test_a_fork_comes_in_the_middle_of_no_call_of_the_loader(lavapipe: str) -> None:
    """Children would find its locks held for ever by threads that they do not have."""
    script = """
import signal, threading
driver = rt.get_driver("vulkan")
stop = threading.Event()
def work():
    while not stop.is_set():
        made("vulkan")
        driver.query_available_devices()
def child():
    signal.alarm(30)  # ends a child that hangs
    assert driver.query_available_devices()
    made("vulkan")
threads = [threading.Thread(target=work) for _ in range(2)]
[thread.start() for thread in threads]
for _ in range(15):
    child_of(child)
stop.set()
[thread.join() for thread in threads]
"""
    assert run(PRELUDE + FORKED + script, VK_DRIVER_FILES=lavapipe).split() == ["0"] * 15


def test_a_forked_child_drops_its_parents_devices_and_driver(lavapipe: str) -> None:
    script = """
rt.get_driver("vulkan")
before = resources()
device = made("vulkan")
during = resources()
def child():
    global device
    del device
    gc.collect()
    assert resources()[0] == 1
child_of(child)
assert resources() == during != before
del device
assert back_to(before)
"""
    assert run(PRELUDE + FORKED + script, VK_DRIVER_FILES=lavapipe).split() == ["0"]


LOGGED = """
import logging, sys, warnings
logging.basicConfig(level=logging.DEBUG, format="%(levelname)s %(name)s %(message)s", stream=sys.stdout)
def validated(more):
    device = made(f"vulkan://?validation=true{more}")
    with open("/proc/self/maps") as maps:
        assert "libVkLayer_khronos_validation" in maps.read()
    del device
    gc.collect()
"""


@pytest.fixture
def validation_layer() -> None:
    """Have Debian's validation layer."""
    found = Path("/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json").is_file()
    require(found, "vulkan-validationlayers is not installed")


@pytest.mark.usefixtures("validation_layer")
def test_validation_has_nothing_to_say_of_making_a_device(lavapipe: str) -> None:
    script = """
for more in ("", "&debug_names=true", "&robust_access=true", "&memory=host", "&staging=true"):
    validated(more)
print("done")
"""
    assert run(PRELUDE + LOGGED + script, VK_DRIVER_FILES=lavapipe) == "done\n"


@pytest.mark.usefixtures("validation_layer")
def test_what_validation_has_to_say_goes_to_the_log_and_is_a_warning(lavapipe: str) -> None:
    script = """
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    validated("")
    made("vulkan")
print("warned:", len(caught), {warning.category.__name__ for warning in caught})
"""
    # Advice, of which the layer has some on each instance.
    advice = "VK_VALIDATION_FEATURE_ENABLE_BEST_PRACTICES_EXT"
    *lines, warned = run(PRELUDE + LOGGED + script, VK_DRIVER_FILES=lavapipe, VK_LAYER_ENABLES=advice).splitlines()
    assert lines
    assert all(re.match(r"WARNING iree_cy\.vulkan .*BestPractices", line) for line in lines), lines
    assert warned == f"warned: {len(lines)} {{'DeviceWarning'}}"


def test_a_validation_layer_that_is_missing_is_named(lavapipe: str, tmp_path: Path) -> None:
    script = 'refused(made, "vulkan://?validation=true"); print(made("vulkan").name)'
    lines = run(PRELUDE + script, VK_DRIVER_FILES=lavapipe, VK_LAYER_PATH=str(tmp_path)).splitlines()
    assert lines == [
        "FailedPrecondition: parameter 'validation' needs the layer VK_LAYER_KHRONOS_validation, which is not "
        "installed (Debian: vulkan-validationlayers)",
        "vulkan",
    ]
