# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests that a plugin folder builds from a copy elsewhere, and works beside the core as a package of its own.
"""A driver plugin on its own."""

from __future__ import annotations

import os
import re
import zipfile
from pathlib import Path

import pytest

from tests.support.native import INCLUDE, exported_symbols
from tests.support.plugin_folders import build_wheel, copy_folder, pip_wheel, run_beside, unpack

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDERS = sorted(path.parent for path in (ROOT / "backends").glob("*/pyproject.toml"))


@pytest.fixture(scope="module", params=FOLDERS, ids=lambda folder: folder.name)
def wheel(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel of each plugin folder from a copy of it, with the headers of the installed iree_cy."""
    scratch = tmp_path_factory.mktemp(request.param.name)
    return build_wheel(copy_folder(request.param, scratch), scratch / "dist")


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
    unpack(wheel, tmp_path)
    with zipfile.ZipFile(wheel) as archive:
        entry_points = next(name for name in archive.namelist() if name.endswith("entry_points.txt"))
        drivers = [
            line.split("=")[0].strip() for line in archive.read(entry_points).decode().splitlines() if "=" in line
        ]
    distribution = "-".join(wheel.name.split("-")[0].split("_"))
    assert drivers
    code = "import sys, iree_cy\nfor name in sys.argv[1:]: print(iree_cy.get_driver(name).query_available_devices())"
    done = run_beside(tmp_path, "-c", code, *(f"{name}@{distribution}" for name in drivers))
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == len(drivers)


NULL = ROOT / "backends" / "null"


def test_template_in_cxx(tmp_path: Path) -> None:
    """The C++ of the template's README takes the place of its C, together with a C source and a vendor's header."""
    folder = copy_folder(NULL, tmp_path)
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
    site = unpack(build_wheel(folder, tmp_path / "dist"), tmp_path / "site")
    done = run_beside(site, "-m", "iree_cy", "list-devices", "null")
    assert "null://host" in done.stdout, done.stderr
    (made,) = site.rglob("*.so")
    assert exported_symbols(made) == {"iree_cy_driver_plugin_query"}


def test_unknown_key_of_a_library(tmp_path: Path) -> None:
    folder = copy_folder(NULL, tmp_path)
    manifest = folder / "pyproject.toml"
    manifest.write_text(manifest.read_text() + 'libs = ["m"]\n')
    done = pip_wheel(folder, tmp_path)
    assert done.returncode != 0
    assert "a library has no 'libs'; it has: compile, defines, include, link, name, sources, std" in done.stdout


def test_the_headers_named_come_first(tmp_path: Path) -> None:
    folder = copy_folder(FOLDERS[0], tmp_path)
    done = pip_wheel(folder, tmp_path, IREE_CY_INCLUDE=str(tmp_path))
    assert done.returncode != 0
    assert f"IREE_CY_INCLUDE is {str(tmp_path)!r}, which holds no iree_cy/plugin.h" in done.stdout
    done = pip_wheel(folder, tmp_path, IREE_CY_INCLUDE=str(INCLUDE))
    assert done.returncode == 0, done.stdout
