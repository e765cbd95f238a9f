# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns what tests of Vulkan need: whether the machine has it, stand-ins for drivers, processes with an environment.
"""What the machine has of Vulkan, and what stands in for it."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.native import ROOT, build_plugin_library

__all__ = ["build_stand_in", "require", "require_lavapipe", "run", "write_manifest"]

# Debian's software device, whose manifest has the processor in its name or not.
_LAVAPIPE = (f"lvp_icd.{platform.machine()}.json", "lvp_icd.json")

_VARIABLES = ("VK_", "STAND_IN_", "XDG_", "IREE_HAL_VULKAN", "IREE_CY_VULKAN", "IREE_DEFAULT_DEVICE", "MESA_")


def require(present: bool, reason: str) -> None:
    """Skip the test with the reason unless it is there; where CI is set, fail."""
    if not present:
        if os.environ.get("CI"):
            pytest.fail(f"{reason}, and CI is set", pytrace=False)
        pytest.skip(reason)


def require_lavapipe() -> str:
    """Return the manifest of Debian's software device. Tests name it, so that they see no other device."""
    found = [path for path in (Path("/usr/share/vulkan/icd.d", name) for name in _LAVAPIPE) if path.is_file()]
    require(bool(found), "mesa-vulkan-drivers is not installed")
    return str(found[0])


def write_manifest(file: Path, library: Path) -> Path:
    """Write the manifest of a driver's library; return it."""
    icd = {"library_path": str(library), "api_version": "1.3.0"}
    file.write_text(json.dumps({"file_format_version": "1.0.0", "ICD": icd}))
    return file


def build_stand_in(folder: Path) -> Path:
    """Build the driver whose devices the environment says; return its manifest."""
    source = ROOT / "tests" / "backends" / "vulkan" / "stand_in_icd.c"
    library = build_plugin_library(source, folder / "libstand_in.so", [f"-I{ROOT / 'backends' / 'vulkan' / 'src'}"])
    return write_manifest(folder / "stand_in.json", library)


def run(script: str, *, timeout: float = 120.0, **environment: str) -> str:
    """Run Python code in a process with no other variables for Vulkan than these; return what it prints.

    Raises
    ------
    AssertionError
        It ends with another exit code than 0, or writes to its stderr.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_VARIABLES)}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        env={**kept, **environment},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), f"exit code {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout
