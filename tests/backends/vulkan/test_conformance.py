# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests that the vulkan driver keeps the contract of drivers, on Debian's software device.
"""The conformance suite on the vulkan driver."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.driver_packages import run_conformance


def test_the_driver_conforms(lavapipe: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VK_DRIVER_FILES", lavapipe)
    done = run_conformance("vulkan", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    verdict = re.fullmatch(r"conformant: (\d+) required, (\d+) of (\d+) optional", done.stdout.splitlines()[-1])
    assert verdict, done.stdout[-2000:]
    assert int(verdict[1]) >= 200
