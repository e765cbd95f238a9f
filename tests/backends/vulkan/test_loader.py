# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests what is said when Vulkan has no loader, no manifest, a broken one or no device, and that it can be put right.
"""From nothing to a driver."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.vulkan import run, write_manifest

LOADER = "IREE_HAL_VULKAN_LIBVULKAN_PATH"

# Says in a line what a request for the driver gives, for each of the settings in turn, all in one process.
SCRIPT = """
import os, iree_cy as rt
for setting in {settings!r}:
    os.environ.update(setting)
    try:
        print("devices:", *(info["name"] for info in rt.get_driver("vulkan").query_available_devices()))
    except rt.StatusError as error:
        print(f"{{type(error).__name__}}:", str(error).splitlines()[0])
        print("notes:", *error.annotations)
"""


def ask(*settings: dict[str, str], **environment: str) -> list[str]:
    """Return the first lines."""
    lines = run(SCRIPT.format(settings=settings or ({},)), **environment).splitlines()
    errors = [line for line in lines if not line.startswith("notes:")]
    for line in errors:
        assert len(line) < 220, line
    return errors


def said(line: str) -> str:
    """Return what the driver said of why it cannot be used."""
    match = re.fullmatch(r"Unavailable: driver 'vulkan' \(iree-cy [\d.]+\) cannot be used: (.*)", line)
    assert match, line
    return match[1]


def test_no_loader(tmp_path: Path) -> None:
    (line,) = ask(**{LOADER: "/no/libvulkan.so.1"})
    assert said(line) == f"the Vulkan loader '/no/libvulkan.so.1', which {LOADER} names, cannot be opened"


def test_a_loader_that_is_none() -> None:
    (line,) = ask(**{LOADER: "libm.so.6"})
    assert said(line) == f"'libm.so.6' ({LOADER}) is no Vulkan loader of today: it has no vkGetInstanceProcAddr"


def test_a_loader_that_is_named(lavapipe: str) -> None:
    (line,) = ask(VK_DRIVER_FILES=lavapipe, **{LOADER: "libvulkan.so.1"})
    assert line.startswith("devices: llvmpipe")


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize("variable", ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"])
def test_no_manifest_where_a_variable_says(variable: str, tmp_path: Path) -> None:
    (line,) = ask(**{variable: "/no/such.json"})
    assert said(line) == f"there is no Vulkan manifest: {variable} is '/no/such.json', where none is"
    (line,) = ask(**{variable: "/no/such.json:/no/other.json"})
    assert said(line) == f"there is no Vulkan manifest: {variable} is '/no/such.json:/no/other.json', where none is"
    (tmp_path / "README").write_text("nothing")
    (line,) = ask(**{variable: str(tmp_path)})
    assert said(line).startswith(f"there is no Vulkan manifest: {variable} is '")


@pytest.mark.usefixtures("stand_in")
def test_no_manifest_in_the_standard_folders(tmp_path: Path) -> None:
    if any(Path("/etc/vulkan/icd.d").glob("*.json")):
        pytest.skip("this machine has a manifest in /etc/vulkan/icd.d, which no variable hides")
    names = ("HOME", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_DATA_HOME", "XDG_DATA_DIRS")
    folders = {name: str(tmp_path / name) for name in names}
    lines = run(SCRIPT.format(settings=({},)), **folders).splitlines()
    assert said(lines[0]).startswith("there is no Vulkan manifest (*.json) in /etc/vulkan/icd.d, /usr/share/vulkan")
    looked_in = lines[1].split(": ", 2)[2]
    assert looked_in.split(", ")[:3] == [
        f"{tmp_path}/XDG_CONFIG_HOME/vulkan/icd.d", f"{tmp_path}/XDG_CONFIG_DIRS/vulkan/icd.d", "/etc/vulkan/icd.d",
    ]  # fmt: skip
    assert f"{tmp_path}/XDG_DATA_DIRS/vulkan/icd.d" in looked_in


BROKEN = {
    "empty": ("", "it is not JSON"),
    "words": ("no manifest", "it is not JSON"),
    "comma": ('{"ICD": {"library_path": "libx.so", }}', "it is not JSON"),
    "cut": ('{"ICD": {"library_path": "libx.so"', "it is not JSON"),
    "open": ('{"ICD": {"library_path": "libx.so', "it is not JSON"),
    "tail": ('{"ICD": {"library_path": "libx.so"}} x', "it is not JSON"),
    "list": ("[]", "it has no ICD.library_path"),
    "no ICD": ('{"library_path": "libx.so"}', "it has no ICD.library_path"),
    "no library": ('{"ICD": {"api_version": "1.3.0"}}', "it has no ICD.library_path"),
    "a number": ('{"ICD": {"library_path": 7}}', "it has no ICD.library_path"),
    "elsewhere": ('{"ICD": {"x": {"library_path": "libx.so"}}}', "it has no ICD.library_path"),
}


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize("variable", ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"])
@pytest.mark.parametrize("name", BROKEN)
def test_a_manifest_that_is_broken(name: str, variable: str, tmp_path: Path) -> None:
    text, reason = BROKEN[name]
    file = tmp_path / "x.json"
    file.write_text(text)
    (line,) = ask(**{variable: str(file)})
    assert re.fullmatch(
        rf"the Vulkan manifest '(\.\.\.)?[^']*x\.json' \({variable}\) is broken: {re.escape(reason)}", said(line)
    )


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize("library", ["libno_such_driver.so", "./libno_such_driver.so", "/no/libno_such_driver.so"])
def test_a_manifest_whose_library_is_not_there(library: str, tmp_path: Path) -> None:
    file = write_manifest(tmp_path / "x.json", Path(library))
    lines = run(SCRIPT.format(settings=({},)), VK_DRIVER_FILES=str(file)).splitlines()
    assert said(lines[0]).endswith("x.json' (VK_DRIVER_FILES) is broken: its library cannot be opened")
    assert "libno_such_driver.so: cannot open shared object file" in lines[1]


@pytest.mark.usefixtures("stand_in")
def test_a_long_path_keeps_its_end_and_is_told_whole(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 20)
    folder.mkdir()
    file = folder / "x.json"
    file.write_text("{")
    lines = run(SCRIPT.format(settings=({},)), VK_DRIVER_FILES=str(file)).splitlines()
    shown = re.fullmatch(
        r"the Vulkan manifest '\.\.\.(.*)' \(VK_DRIVER_FILES\) is broken: it is not JSON", said(lines[0])
    )
    assert shown
    assert str(file).endswith(shown[1])
    assert 40 < len(shown[1]) < 64
    assert str(file) in lines[1]


@pytest.mark.usefixtures("stand_in")
def test_a_folder_of_manifests(stand_in: Path, tmp_path: Path) -> None:
    (line,) = ask(VK_DRIVER_FILES=str(stand_in.parent), STAND_IN_DEVICES="1")
    assert line == "devices: Stand-in 0"
    (tmp_path / "x.json").write_text("{")
    (line,) = ask(VK_DRIVER_FILES=str(tmp_path))
    assert said(line).endswith("x.json' (VK_DRIVER_FILES) is broken: it is not JSON")


def test_no_device(stand_in: Path) -> None:
    (line,) = ask(VK_DRIVER_FILES=str(stand_in), STAND_IN_DEVICES="0")
    assert re.fullmatch(
        r"there is no Vulkan device: the drivers of VK_DRIVER_FILES \('[^']*stand_in\.json'\) show none", said(line)
    )


def test_no_device_that_is_new_enough(stand_in: Path) -> None:
    (line,) = ask(VK_DRIVER_FILES=str(stand_in), STAND_IN_DEVICES="2", STAND_IN_API="1.2")
    assert said(line) == (
        "there is no Vulkan device of use: 'Stand-in 0' has Vulkan 1.2; needed is 1.3 and a queue that computes"
    )


def test_what_is_put_right_works_in_the_same_process(stand_in: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text("{")
    good = {LOADER: "", "VK_DRIVER_FILES": str(stand_in)}
    lines = ask(
        {LOADER: "/no/libvulkan.so.1"},
        {LOADER: "", "VK_DRIVER_FILES": "/no/such.json"},
        {"VK_DRIVER_FILES": str(broken)},
        {**good, "STAND_IN_DEVICES": "0"},
        {**good, "STAND_IN_DEVICES": "1", "STAND_IN_API": "1.2"},
        {**good, "STAND_IN_DEVICES": "2", "STAND_IN_API": ""},
    )
    assert [re.sub(r"^.*: (there is no Vulkan \w+|the Vulkan \w+).*", r"\1", line) for line in lines] == [
        "the Vulkan loader", "there is no Vulkan manifest", "the Vulkan manifest", "there is no Vulkan device",
        "there is no Vulkan device", "devices: Stand-in 0 Stand-in 1",
    ]  # fmt: skip


def test_threads_that_ask_at_once_share_what_comes_out(stand_in: Path) -> None:
    script = """
import threading, iree_cy as rt
drivers = []
barrier = threading.Barrier(8)
def ask():
    barrier.wait()
    drivers.append(rt.get_driver("vulkan"))
threads = [threading.Thread(target=ask) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(len(drivers), len({id(driver) for driver in drivers}), len(drivers[0].query_available_devices()))
"""
    assert run(script, VK_DRIVER_FILES=str(stand_in), STAND_IN_DEVICES="3").split() == ["8", "1", "3"]


def test_nothing_is_opened_before_the_driver_is_asked_for(lavapipe: str) -> None:
    script = """
import iree_cy as rt
def mapped():
    with open("/proc/self/maps") as file:
        return "libvulkan" in file.read()
before = "vulkan" in rt.query_available_drivers() and not mapped()
rt.get_driver("local-sync")
between = not mapped()
rt.get_driver("vulkan")
print(before, between, mapped())
"""
    assert run(script, VK_DRIVER_FILES=lavapipe).split() == ["True", "True", "True"]
