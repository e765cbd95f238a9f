# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests that a plugin folder builds from a copy elsewhere, and works beside the core as a package of its own.
"""A driver plugin on its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.support.native import INCLUDE, exported_symbols

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDERS = sorted(path.parent for path in (ROOT / "backends").glob("*/pyproject.toml"))


def _copy(folder: Path, target: Path) -> Path:
    ignored = shutil.ignore_patterns("*.so", "build", "*.egg-info", "__pycache__", "dist")
    shutil.copytree(folder, target / folder.name, ignore=ignored)
    return target / folder.name


def _pip_wheel(folder: Path, output: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", output, folder],
        cwd=output,
        env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", **environment},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )


@pytest.fixture(scope="module", params=FOLDERS, ids=lambda folder: folder.name)
def wheel(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel of each plugin folder from a copy of it, with the headers of the installed iree_cy."""
    scratch = tmp_path_factory.mktemp(request.param.name)
    done = _pip_wheel(_copy(request.param, scratch), scratch)
    assert done.returncode == 0, done.stdout
    (found,) = scratch.glob("*.whl")
    return found


def test_is_one_file_for_every_python(wheel: Path) -> None:
    assert wheel.name.startswith("iree_cy_")
    assert f"-py3-none-linux_{os.uname().machine}.whl" in wheel.name


def test_holds_its_package_alone(wheel: Path) -> None:
    package = wheel.name.partition("-")[0]
    names = zipfile.ZipFile(wheel).namelist()
    assert all(name.startswith((f"{package}/", f"{package}-")) for name in names)
    assert [name for name in names if name.endswith((".c", ".h"))] == []


def test_libraries_export_the_query_alone(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        libraries = [archive.extract(name, tmp_path) for name in archive.namelist() if name.endswith(".so")]
    assert libraries
    for library in libraries:
        assert exported_symbols(Path(library)) == {"iree_cy_driver_plugin_query"}


def test_is_found_beside_the_core(wheel: Path, tmp_path: Path) -> None:
    """Installed into a folder of its own, each of its drivers is listed with its distribution, and can be made."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
        entry_points = next(name for name in archive.namelist() if name.endswith("entry_points.txt"))
        drivers = [
            line.split("=")[0].strip() for line in archive.read(entry_points).decode().splitlines() if "=" in line
        ]
    distribution = "-".join(wheel.name.split("-")[0].split("_"))
    assert drivers
    code = "import sys, iree_cy\nfor name in sys.argv[1:]: print(iree_cy.get_driver(name).query_available_devices())"
    done = subprocess.run(
        [sys.executable, "-c", code, *(f"{name}@{distribution}" for name in drivers)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == len(drivers)


def test_the_headers_named_come_first(tmp_path: Path) -> None:
    folder = _copy(FOLDERS[0], tmp_path)
    done = _pip_wheel(folder, tmp_path, IREE_CY_INCLUDE=str(tmp_path))
    assert done.returncode != 0
    assert f"IREE_CY_INCLUDE is {str(tmp_path)!r}, which holds no iree_cy/plugin.h" in done.stdout
    done = _pip_wheel(folder, tmp_path, IREE_CY_INCLUDE=str(INCLUDE))
    assert done.returncode == 0, done.stdout
