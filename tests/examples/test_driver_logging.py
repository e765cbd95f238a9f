# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests the example of a driver that forwards to another one: it conforms, and its record is what happened.

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.programs import multiply
from tests.support.plugin_folders import build_wheel, copy_folder, run_beside, unpack
from tests.support.programs import compile_program
from tests.support.tree import ROOT, strip_c_comments

FOLDER = ROOT / "examples" / "driver_logging"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    scratch = tmp_path_factory.mktemp("driver_logging")
    return unpack(build_wheel(copy_folder(FOLDER, scratch), scratch / "dist"), scratch / "site")


def test_is_short() -> None:
    lines = [line for path in FOLDER.rglob("*.c") for line in strip_c_comments(path.read_text()).splitlines()]
    assert 0 < len([line for line in lines if line.strip()]) < 300


def test_forwards_every_entry() -> None:
    """Each entry of the vtables of drivers and devices has its own function here."""
    text = (FOLDER / "src" / "driver.c").read_text()
    for name in ("driver", "device"):
        header = strip_c_comments((ROOT / "include" / "iree_cy" / "hal" / f"{name}.h").read_text())
        (table,) = re.findall(
            rf"typedef struct iree_hal_{name}_vtable_t {{(.*?)}} iree_hal_{name}_vtable_t;", header, re.S
        )
        entries = re.findall(r"\(\*(\w+)\)\(", table)
        assert len(entries) > 4
        assert [entry for entry in entries if f".{entry} = logging_" not in text] == []


@pytest.mark.parametrize("inner", ["local-sync", "local-task"])
def test_conforms(site: Path, inner: str, tmp_path: Path) -> None:
    suite = ("-W", "error", "-m", "pytest", "-p", "no:cacheprovider", "--pyargs", "iree_cy.testing.conformance")
    record = tmp_path / "calls.tsv"
    environment = {"LOGGING_DRIVER_INNER": inner, "LOGGING_DRIVER_RECORD": str(record), "PYTHONDEVMODE": "1"}
    done = run_beside(site, *suite, "--driver=logging", **environment)
    assert done.stdout.splitlines()[-1].startswith("conformant: "), done.stdout
    for line in record.read_text().splitlines():
        assert re.fullmatch(r"[a-z0-9_]+\t\d+\t\d+\t[A-Z_]+", line), line


def _calls(record: Path) -> list[tuple[str, int, str]]:
    lines = [line.split("\t") for line in record.read_text().splitlines()]
    assert all(0 < int(line[2]) < 10**11 for line in lines)
    return [(line[0], int(line[1]), line[3]) for line in lines]


def test_records_what_is_asked(site: Path, tmp_path: Path) -> None:
    record = tmp_path / "calls.tsv"
    done = run_beside(
        site,
        *("-m", "iree_cy", "run", str(compile_program(multiply())), "--device=logging"),
        *("--input=4xf32=1 2 3 4", "--input=4xf32=5 6 7 8"),
        LOGGING_DRIVER_RECORD=str(record),
    )
    assert done.stdout.endswith("4xf32=5 12 21 32\n"), done.stdout + done.stderr
    calls = _calls(record)
    names = [name for name, _, _ in calls]
    assert names[0] == "create_device_by_id"
    assert "query_i64" in names
    # The result: four numbers.
    assert ("queue_alloca", 16, "OK") in calls
    assert names.count("queue_execute") == 1
    assert {status for _, _, status in calls} == {"OK"}


def test_the_inner_driver_refuses(site: Path, tmp_path: Path) -> None:
    """Parameters are those of the driver behind, and so is what it says."""
    record = tmp_path / "calls.tsv"
    code = """
import iree_cy as rt
rt.get_device("logging://?threads=1", cache=False)
for uri in ("logging://?threads=-1", "logging://?streams=1", "logging://nowhere"):
    try:
        rt.get_device(uri, cache=False)
    except rt.StatusError as error:
        print(type(error).__name__, str(error).splitlines()[0])
"""
    done = run_beside(site, "-c", code, LOGGING_DRIVER_INNER="local-task", LOGGING_DRIVER_RECORD=str(record))
    lines = done.stdout.splitlines()
    assert [line.split(" ")[0] for line in lines] == ["InvalidArgument", "InvalidArgument", "NotFound"], done.stderr
    assert "threads" in lines[0]
    assert "streams" in lines[1]
    assert [call for call in _calls(record) if call[0] == "create_device_by_id"] == [
        ("create_device_by_id", 0, "OK"),
        ("create_device_by_id", 0, "INVALID_ARGUMENT"),
    ]


@pytest.mark.parametrize("inner", ["logging", "no-such-driver"])
def test_names_the_variable_when_there_is_no_other_driver(site: Path, inner: str) -> None:
    code = "import iree_cy as rt\nrt.get_driver('logging')"
    done = run_beside(site, "-c", code, LOGGING_DRIVER_INNER=inner)
    assert f"LOGGING_DRIVER_INNER is '{inner}', which is the name of no other driver that is installed" in done.stderr


def test_a_record_that_cannot_be_written(site: Path, tmp_path: Path) -> None:
    code = "import iree_cy as rt\nrt.get_driver('logging')"
    done = run_beside(site, "-c", code, LOGGING_DRIVER_RECORD=str(tmp_path))
    assert f"cannot write LOGGING_DRIVER_RECORD: '{tmp_path}'" in done.stderr
    assert "PermissionDenied" in done.stderr
