# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests the layers of the C core and of the public headers, and what C code keeps its hands off.
"""Which C file may include and call what."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.native import compile_object
from tests.support.tree import ROOT, files, strip_c_comments

# What each layer may include besides itself.
BELOW = {
    "base": set(),
    "hal": {"base"},
    "vm": {"base"},
    "modules": {"base", "hal", "vm"},
    "loaders": {"base", "hal", "vm", "modules"},
}
# What includes all layers: the host table and those who give or take it.
ABOVE_ALL = re.compile(r"iree_cy/(host_table|host_api|plugin|import|embed)\.h")

PUBLIC = [path for path in files() if path.parts[0] == "include" and path.suffix == ".h"]
CORE = [path for path in files() if path.parts[:2] == ("iree_cy", "native") and path.suffix in {".c", ".h", ".inl"}]
DRIVERS = [path for path in files() if path.parts[0] == "backends" and path.suffix in {".c", ".h", ".inl"}]


def _includes(path: Path) -> list[str]:
    text = strip_c_comments((ROOT / path).read_text())
    return re.findall(r'^[ \t]*#[ \t]*include[ \t]+["<]([^">]+)[">]', text, re.MULTILINE)


def _layer(include: str) -> str | None:
    match = re.match(r"(?:iree_cy/native|iree_cy|include/iree_cy)/(\w+)/", include)
    return match[1] if match and match[1] in BELOW else None


@pytest.mark.parametrize("path", [*CORE, *PUBLIC], ids=Path.as_posix)
def test_includes_leftwards_only(path: Path) -> None:
    layer = _layer(path.as_posix())
    is_core = path in CORE
    for include in _includes(path):
        if path.name != "import.h":
            assert include != "Python.h", "what an extension of Python includes is import.h alone"
        target = _layer(include)
        if target is not None and layer is not None:
            assert target == layer or target in BELOW[layer], f"{layer} includes {include}"
        if layer is not None and layer != "loaders":
            assert not ABOVE_ALL.fullmatch(include), f"{layer} includes {include}"
        if include.startswith("iree_cy/native/"):
            assert is_core, f"a public header includes {include}"


@pytest.mark.parametrize("path", DRIVERS, ids=Path.as_posix)
def test_drivers_see_only_public_headers(path: Path) -> None:
    """What a third party cannot include, our own drivers do not include."""
    folder = ROOT.joinpath(*path.parts[:2])
    for include in _includes(path):
        assert include != "Python.h"
        assert not include.startswith("iree_cy/native/"), include
        if ".." in include:
            assert (ROOT / path.parent / include).resolve().is_relative_to(folder), include


@pytest.mark.parametrize("path", [*CORE, *PUBLIC, *DRIVERS], ids=Path.as_posix)
def test_is_silent_and_does_not_exit(path: Path) -> None:
    """C code reports by status and log: it writes to no stream and ends no process."""
    text = strip_c_comments((ROOT / path).read_text())
    text = re.sub(r"\bformat\(printf,", "", text)
    calls = r"\b(v?f?printf|f?puts|putchar|perror|f?putc|exit|_exit|abort|longjmp)\s*\("
    found = re.findall(rf"{calls}|\b(stdout|stderr)\b", text)
    assert found == []


@pytest.mark.parametrize("path", [*CORE, *DRIVERS], ids=Path.as_posix)
def test_only_named_files_assume_a_machine(path: Path) -> None:
    text = strip_c_comments((ROOT / path).read_text())
    if not re.search(r"_x86_64\.[ch]$", path.name):
        assert not re.search(r"\b(immintrin|cpuid|x86intrin|emmintrin)\.h|\basm\b|\b__asm__\b|_mm\d*_\w+\(", text)


FLAGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


@pytest.mark.parametrize(("language", "standard"), [("c", "c11"), ("c++", "c++17")], ids=["c11", "c++17"])
@pytest.mark.parametrize("path", PUBLIC, ids=Path.as_posix)
def test_header_compiles_alone(path: Path, language: str, standard: str, tmp_path: Path) -> None:
    include = path.relative_to("include").as_posix()
    if include == "iree_cy/host_api.h":
        include = "iree_cy/host_table.h"  # generated for it, and names types that it brings
    compile_object(f'#include "{include}"\n#include "{include}"\n', language, [f"-std={standard}", *FLAGS], tmp_path)


@pytest.mark.parametrize(("language", "standard"), [("c", "c11"), ("c++", "c++17")], ids=["c11", "c++17"])
@pytest.mark.parametrize("path", PUBLIC, ids=Path.as_posix)
def test_header_compiles_in_a_plugin(path: Path, language: str, standard: str, tmp_path: Path) -> None:
    """Behind plugin.h every function is a wrapper around the host table."""
    include = path.relative_to("include").as_posix()
    use = "iree_time_t f(void);\niree_time_t f(void) { return iree_time_now(); }\n"
    first = include if include in ("iree_cy/import.h", "iree_cy/embed.h") else "iree_cy/plugin.h"
    text = f'#include "{first}"\n#include "{include}"\n{use}'
    compile_object(text, language, [f"-std={standard}", *FLAGS], tmp_path)
