# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests that the doctor names the first step that fails, and what to do.
from __future__ import annotations

import json

import pytest

import iree_cy as rt
from iree_cy.cli import main
from tests.support.driver_packages import NULL_SOURCE

STEPS = ["entry point", "distribution", "import", "check", "library", "abi", "factory", "devices"]
LIST = "  (void)base_driver;\n  iree_hal_device_info_t info;\n"


def test_driver_that_works():
    report = rt.doctor("local-sync")
    assert report.ok
    (driver,) = report.drivers
    assert [step.name for step in driver.steps] == STEPS
    assert {step.status for step in driver.steps} == {"passed"}
    assert driver.devices[0]["path"] == "default"


def test_all_drivers(null):
    null(python="raise ImportError('no vendor package')")
    report = rt.doctor()
    outcome = {driver.name: driver.ok for driver in report.drivers}
    # That one depends on the machine.
    assert outcome.pop("vulkan") in (True, False)
    assert outcome == {"local-sync": True, "local-task": True, "null": False}
    assert not report.ok


@pytest.mark.parametrize(
    ("source", "python", "failed", "detail"),
    [
        (NULL_SOURCE, "raise ImportError('no vendor package')", "import", "no vendor package"),
        (NULL_SOURCE.replace(LIST, LIST + "  __builtin_trap();\n"), "", "devices", "the process crashed: SIGILL"),
        (NULL_SOURCE.replace("= IREE_CY_ABI_VERSION", "= 99"), "", "abi", "plugin ABI 99"),
    ],
)
def test_first_step_that_fails(null, source, python, failed, detail):
    null(source, python)
    (driver,) = rt.doctor("null").drivers
    position = STEPS.index(failed)
    expected = ["passed"] * position + ["failed"] + ["skipped"] * (len(STEPS) - position - 1)
    assert [step.status for step in driver.steps] == expected
    assert detail in driver.steps[position].detail
    assert driver.steps[position].advice


def test_distribution_that_was_asked_for(null):
    null(NULL_SOURCE)
    (driver,) = rt.doctor("null@IREE_CY.null").drivers
    assert driver.ok
    assert driver.steps[1].detail == "iree-cy-null 0.1.0"


def test_command(null, capsys):
    null(python="print('I am the package')\nraise ImportError('no vendor package')")
    assert main(["doctor", "null"]) == 1
    text = capsys.readouterr().out
    assert text.startswith("null: cannot be used\n  passed  entry point: iree_cy_null:plugin\n")
    assert "  failed  import: " in text
    assert "    I am the package" in text
    assert main(["doctor", "null", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["ok"] is False
    assert [step["name"] for step in told["drivers"][0]["steps"]] == STEPS
    assert main(["doctor"]) == 0


def test_unknown_driver(capsys):
    with pytest.raises(rt.NotFound, match="no driver 'nobody'"):
        rt.doctor("nobody")
    assert main(["doctor", "nobody"]) == 1
    assert "no driver 'nobody'" in capsys.readouterr().err
