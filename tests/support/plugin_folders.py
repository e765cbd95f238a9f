# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns what tests do with a plugin's folder: copy it, build its wheel, unpack that, run something that finds it.
"""Plugin folders as their authors use them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

__all__ = ["build_wheel", "copy_folder", "pip_wheel", "run_beside", "unpack"]


def copy_folder(folder: Path, target: Path) -> Path:
    """Copy a plugin folder into `target`, without what builds left in it."""
    ignored = shutil.ignore_patterns("*.so", "build", "*.egg-info", "__pycache__", "dist")
    shutil.copytree(folder, target / folder.name, ignore=ignored)
    return target / folder.name


def pip_wheel(folder: Path, output: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Build the wheel of a folder with the headers of the installed iree_cy."""
    return subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", output, folder],
        cwd=output,
        env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", **environment},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )


def build_wheel(folder: Path, output: Path) -> Path:
    """Build the wheel of a folder, which has to succeed; return it."""
    output.mkdir(parents=True, exist_ok=True)
    done = pip_wheel(folder, output)
    assert done.returncode == 0, done.stdout
    (wheel,) = output.glob("*.whl")
    return wheel


def unpack(wheel: Path, site: Path) -> Path:
    """Unpack a wheel into a folder that `run_beside` then finds its package in."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    return site


def run_beside(site: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder of wheels that were unpacked, beside the core and what else is installed."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=site,
        env={**os.environ, "PYTHONPATH": str(site), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
