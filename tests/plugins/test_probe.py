# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests that a probe gives an answer whatever the driver does, and loads nothing here.
from __future__ import annotations

import subprocess
import sys
import time

import pytest

import iree_cy as rt
from iree_cy.cli import main
from tests.support.driver_packages import NULL_SOURCE

CREATE = "  null_driver_t* driver = NULL;\n"
INITIALIZE = "static bool null_plugin_initialize(void) {\n"
LIST = "  (void)base_driver;\n  iree_hal_device_info_t info;\n"
DEFINE = '#define NULL_DRIVER_NAME "null"\n'
HANG = "for (;;) pause();"
INCLUDES = "#include <signal.h>\n#include <stdlib.h>\n#include <unistd.h>\n"


def constructor(statement: str) -> str:
    return f"__attribute__((constructor)) static void begin(void) {{ {statement} }}\n"


def changed(where: str, statement: str) -> str:
    assert NULL_SOURCE.count(where) == 1
    return INCLUDES + NULL_SOURCE.replace(where, f"{where}{statement}\n")


def test_devices(null):
    null()
    result = rt.probe("null")
    assert result.ok
    assert result.devices == ({"device_id": 0, "path": "host", "name": "Host memory (runs no executables)"},)
    assert (result.step, result.error, result.exit_status, result.output) == (None, None, 0, "")


def test_loads_nothing_here(null):
    site = null()
    code = f"""
import sys
sys.path.insert(0, {str(site)!r})
import iree_cy
assert iree_cy.probe("null").ok
assert not [name for name in sys.modules if "iree_cy_null" in name or name == "iree_cy._core"]
with open("/proc/self/maps") as file:
    assert "iree_cy_driver" not in file.read()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd="/", check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("where", "statement", "step", "error"),
    [
        (DEFINE, constructor("raise(SIGSEGV);"), "library", "crashed: SIGSEGV"),
        (DEFINE, constructor("abort();"), "library", "crashed: SIGABRT"),
        (DEFINE, constructor("_exit(7);"), "library", "exit code 7"),
        (INITIALIZE, "raise(SIGSEGV);", "factory", "crashed: SIGSEGV"),
        (INITIALIZE, "return false;", "factory", "refused to start"),
        (CREATE, "exit(3);", "factory", "exit code 3"),
        (
            CREATE,
            'return iree_make_status(IREE_STATUS_UNAVAILABLE, "no such hardware");',
            "factory",
            "no such hardware",
        ),
        (LIST, "raise(SIGILL);", "devices", "crashed: SIGILL"),
        (LIST, 'return iree_make_status(IREE_STATUS_INTERNAL, "the bus is gone");', "devices", "the bus is gone"),
    ],
)
def test_failure_in_the_library(null, where, statement, step, error):
    null(changed(where, statement))
    result = rt.probe("null")
    assert not result.ok
    assert result.devices is None
    assert result.step == step
    assert error in result.error


@pytest.mark.parametrize(
    ("where", "statement", "step"),
    [(DEFINE, constructor(HANG), "library"), (CREATE, HANG, "factory"), (LIST, HANG, "devices")],
)
def test_hang_in_the_library(null, where, statement, step):
    null(changed(where, statement))
    begin = time.monotonic()
    result = rt.probe("null", timeout=6.0)
    assert time.monotonic() - begin < 60
    assert (result.step, result.exit_status) == (step, None)
    assert result.error == "it did not end within 6 s"


@pytest.mark.parametrize(
    ("python", "error"),
    [
        ("raise ImportError('no vendor package')", "no vendor package"),
        ("raise SystemExit(9)", "SystemExit: 9; reinstall it"),
        ("import os; os._exit(4)", "exit code 4"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "crashed: SIGKILL"),
        ("print('x' * 10**6); raise RuntimeError('after much talk')", "after much talk"),
    ],
)
def test_failure_in_python(null, python, error):
    null(python=python)
    result = rt.probe("null")
    assert result.step == "import"
    assert error in result.error
    assert len(result.output) <= 1 << 14


def test_what_it_prints_is_kept(null, capfd):
    null(python="print('hello from the package')")
    result = rt.probe("null")
    assert result.ok
    assert result.output == "hello from the package\n"
    assert capfd.readouterr() == ("", "")


def test_process_that_the_driver_leaves_behind(null):
    null(python="import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])")
    begin = time.monotonic()
    assert rt.probe("null").ok
    assert time.monotonic() - begin < 60


def test_older_abi(null):
    null(NULL_SOURCE.replace(".version = IREE_CY_ABI_VERSION", ".version = IREE_CY_ABI_VERSION + 6"))
    result = rt.probe("null")
    assert result.step == "abi"
    assert result.error.endswith("the library was built for plugin ABI 7, and this iree-cy has 1")


def test_library_that_is_missing(null):
    site = null()
    (site / "iree_cy_null" / "libiree_cy_driver_null.so").unlink()
    result = rt.probe("null")
    assert result.step == "library"
    assert "libiree_cy_driver_null.so" in result.error


def test_library_that_is_cut_short(null):
    library = null() / "iree_cy_null" / "libiree_cy_driver_null.so"
    library.write_bytes(library.read_bytes()[:5000])
    result = rt.probe("null")
    assert (result.step, result.exit_status) == ("library", 0)
    assert "cut" in result.error or "whole" in result.error, result.error


def test_plugin_registered_by_call(null):
    site = null()
    library = site / "iree_cy_null" / "libiree_cy_driver_null.so"
    with pytest.raises(rt.AlreadyExists):
        rt.register_driver(rt.DriverPlugin("null", "Mine", library))
    rt.register_driver(rt.DriverPlugin("null", "Mine", library), replace=True)
    try:
        assert rt.probe("null").ok
    finally:
        rt.unregister_driver("null")


@pytest.mark.parametrize(
    ("name", "timeout", "error"),
    [
        ("no-such-driver", 1, rt.NotFound),
        ("local-sync@nobody", 1, rt.NotFound),
        ("local-sync://0", 1, rt.InvalidArgument),
        ("local-sync:0", 1, rt.InvalidArgument),
        ("local sync", 1, rt.InvalidArgument),
        ("local-sync", 0, rt.InvalidArgument),
        ("local-sync", float("nan"), rt.InvalidArgument),
        ("local-sync", "1", TypeError),
    ],
)
def test_wrong_arguments(name, timeout, error):
    with pytest.raises(error):
        rt.probe(name, timeout)


def test_isolated_listing(null, capsys):
    null(changed(LIST, "raise(SIGSEGV);"))
    assert main(["list-devices", "--isolated"]) == 0
    lines = capsys.readouterr().out.splitlines()
    # What that one has depends on the machine.
    assert [line for line in lines if "vulkan" not in line] == [
        "local-sync://default  CPU, on the calling thread",
        "local-task://default  CPU, on several threads",
        "null: the process crashed: SIGSEGV (step: devices)",
    ]
    assert main(["list-devices", "--isolated", "null"]) == 1
    assert main(["list-devices", "--isolated", "nobody", "--timeout=5"]) == 1
    assert main(["list-devices", "--isolated", "--timeout=0"]) == 2
    assert main(["list-devices", "--isolated", "--timeout=nan"]) == 2
    assert "invalid number of seconds value: 'nan'" in capsys.readouterr().err


def test_isolated_listing_shows_the_same(capsys):
    assert main(["list-devices", "-v", "local-sync", "local-task"]) == 0
    here = capsys.readouterr().out
    assert main(["list-devices", "-v", "--isolated", "local-sync", "local-task"]) == 0
    assert capsys.readouterr().out == here
