# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests that the vulkan driver keeps the contract of drivers, on Debian's software device.
"""The conformance suite on the vulkan driver."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.driver_packages import run_conformance

_PROFILE = """
import dataclasses
from iree_cy._backends.vulkan.conformance import profiles
profiles = {{"vulkan": dataclasses.replace(profiles["vulkan"], device={device!r})}}
"""


@pytest.mark.parametrize(
    "device", ["", "://?validation=true", "://?queues=1&memory=host", "://?staging=true&validation=true"]
)
def test_the_driver_conforms(device: str, lavapipe: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With validation too, whose messages are warnings, and those are errors here."""
    monkeypatch.setenv("VK_DRIVER_FILES", lavapipe)
    (tmp_path / "profile.py").write_text(_PROFILE.format(device=device))
    done = run_conformance("vulkan", "--profile=profile.py", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    verdict = re.fullmatch(r"conformant: (\d+) required, (\d+) of (\d+) optional", done.stdout.splitlines()[-1])
    assert verdict, done.stdout[-2000:]
    assert int(verdict[1]) >= 200
    assert int(verdict[2]) >= 40
