# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests that a plugin folder builds from a copy elsewhere, and works beside the core as a package of its own.
"""A driver plugin on its own."""

from __future__ import annotations

import os
import re
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


NULL = ROOT / "backends" / "null"


def _load(wheel: Path, target: Path, driver: str) -> str:
    """Unpack a wheel, and let a new process list the devices of its driver."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    done = subprocess.run(
        [sys.executable, "-m", "iree_cy", "list-devices", driver],
        cwd=target,
        env={**os.environ, "PYTHONPATH": str(target)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _words(name: str) -> list[tuple[str, str]]:
    """Read the words to replace from the template's README, for a driver of this name."""
    rows = re.findall(r"^ *\| `([^`]+)` \| `([^`]+)` \|", (NULL / "README.md").read_text(), re.MULTILINE)
    plain = name.replace("-", "_")
    forms = {"-": name, "_": plain, "M": plain.upper()}
    words = []
    for word, becomes in rows:
        form = forms["M" if word.isupper() else "_" if "_" in word else "-"]
        words.append((word, re.sub("mydevice", form, becomes, flags=re.IGNORECASE) if " " not in word else becomes))
    return words


@pytest.mark.parametrize("name", ["mydevice", "my-device"])
def test_template_becomes_a_driver(name: str, tmp_path: Path) -> None:
    """What the template's README says is enough: its words replaced in its order, nothing else."""
    folder = _copy(NULL, tmp_path)
    words = _words(name)
    assert len(words) > 5

    def replaced(text: str) -> str:
        for word, becomes in words:
            text = re.sub(rf"\b{word}\b" if word.isalpha() else re.escape(word), becomes, text)
        return text

    for path in sorted(folder.rglob("*"), reverse=True):
        if path.name == "README.md":
            path.unlink()
        elif path.is_file() and path.name != "plugin_build.py":
            text = replaced(path.read_text())
            assert not re.search(r"\bnull|null_", text), path
            path.write_text(text)
        path_now = path.with_name(replaced(path.name))
        if path_now != path:
            path.rename(path_now)
    done = _pip_wheel(folder, tmp_path)
    assert done.returncode == 0, done.stdout
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name.startswith(f"iree_cy_{name.replace('-', '_')}-0.1.0-py3-none-")
    assert _load(wheel, tmp_path / "site", name) == f"{name}://host  My Device 9000\n"


def test_template_in_cxx(tmp_path: Path) -> None:
    """The C++ of the template's README takes the place of its C, together with a C source and a vendor's header."""
    folder = _copy(NULL, tmp_path)
    (snippet,) = re.findall(r"```cpp\n(.*?)```", (NULL / "README.md").read_text(), re.DOTALL)
    text = (folder / "src" / "driver.c").read_text()
    head, _, rest = text.partition("static bool null_plugin_initialize")
    end = rest[rest.index("IREE_CY_DEFINE_DRIVER_PLUGIN(") :]
    check = (
        '#include "vendor.h"\n#include <string>\nextern "C" int vendor_number(void);\n'
        "static const std::string needs_the_library = std::to_string(VENDOR + vendor_number() + __cplusplus);\n"
    )
    (folder / "src" / "driver.cc").write_text(head + snippet + check + end)
    (folder / "src" / "driver.c").write_text(
        "int vendor_number(void);\nint vendor_number(void) { return __STDC_VERSION__ == 201112L ? NUMBER : 0; }\n"
    )
    (folder / "sdk").mkdir()
    (folder / "sdk" / "vendor.h").write_text("#define VENDOR 3\n")
    manifest = folder / "pyproject.toml"
    library = (
        'sources = ["src/*.c", "src/*.cc"]\ninclude = ["sdk"]\nstd = "c++17"\ndefines = ["NUMBER=7"]\n'
        'compile = ["-Wpedantic", "-Werror"]\nlink = ["-lm"]'
    )
    manifest.write_text(manifest.read_text().replace('sources = ["src/*.c"]', library))
    done = _pip_wheel(folder, tmp_path)
    assert done.returncode == 0, done.stdout
    (wheel,) = tmp_path.glob("*.whl")
    assert "null://host" in _load(wheel, tmp_path / "site", "null")
    (made,) = (tmp_path / "site").rglob("*.so")
    assert exported_symbols(made) == {"iree_cy_driver_plugin_query"}


def test_unknown_key_of_a_library(tmp_path: Path) -> None:
    folder = _copy(NULL, tmp_path)
    manifest = folder / "pyproject.toml"
    manifest.write_text(manifest.read_text() + 'libs = ["m"]\n')
    done = _pip_wheel(folder, tmp_path)
    assert done.returncode != 0
    assert "a library has no 'libs'; it has: compile, defines, include, link, name, sources, std" in done.stdout


def test_the_headers_named_come_first(tmp_path: Path) -> None:
    folder = _copy(FOLDERS[0], tmp_path)
    done = _pip_wheel(folder, tmp_path, IREE_CY_INCLUDE=str(tmp_path))
    assert done.returncode != 0
    assert f"IREE_CY_INCLUDE is {str(tmp_path)!r}, which holds no iree_cy/plugin.h" in done.stdout
    done = _pip_wheel(folder, tmp_path, IREE_CY_INCLUDE=str(INCLUDE))
    assert done.returncode == 0, done.stdout
