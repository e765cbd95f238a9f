# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Tests what the built objects export and what they need.
"""Each built object exports only what it must."""

from __future__ import annotations

import importlib
import pkgutil
import re
import subprocess
from pathlib import Path

import pytest

import iree_cy._backends
from tests.support.native import exported_symbols


def _core() -> Path:
    file = importlib.import_module("iree_cy._core").__file__
    assert file
    return Path(file)


def _driver_libraries() -> list[Path]:
    found = []
    for _, name, is_package in _backends():
        if is_package:
            file = importlib.import_module(name).__file__
            assert file
            found += sorted(Path(file).parent.glob("*.so"))
    return found


def _backends() -> list[tuple[object, str, bool]]:
    """Find the bundled drivers where entry points find them: an editable install maps them by name alone."""
    from importlib.metadata import entry_points

    names = {
        point.module for point in entry_points(group="iree_cy.drivers") if point.module.startswith("iree_cy._backends.")
    }
    names |= {f"iree_cy._backends.{info.name}" for info in pkgutil.iter_modules(iree_cy._backends.__path__)}
    return [(None, name, True) for name in sorted(names)]


def _needed(library: Path) -> set[str]:
    text = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r"\(NEEDED\).*\[(.*?)\]", text))


SYSTEM = re.compile(r"(libc|libm|libdl|libpthread|ld-linux-\w+(-\w+)*)\.so\.\d+")


def test_core_exports_its_init_function() -> None:
    assert exported_symbols(_core()) == {"PyInit__core"}


def test_core_needs_the_system_alone() -> None:
    assert [name for name in _needed(_core()) if not SYSTEM.fullmatch(name) and "san.so" not in name] == []


def test_drivers_are_there() -> None:
    assert _driver_libraries() != []


@pytest.mark.parametrize("library", _driver_libraries(), ids=lambda path: path.name)
def test_driver_exports_the_query(library: Path) -> None:
    assert exported_symbols(library) == {"iree_cy_driver_plugin_query"}


@pytest.mark.parametrize("library", _driver_libraries(), ids=lambda path: path.name)
def test_driver_needs_neither_python_nor_the_core(library: Path) -> None:
    assert [name for name in _needed(library) if not SYSTEM.fullmatch(name) and "san.so" not in name] == []
