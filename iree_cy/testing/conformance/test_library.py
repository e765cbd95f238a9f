# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the area library: the file that is loaded and never unloaded.
"""Area library: what stands in the plugin's shared library."""

from __future__ import annotations

import os

import pytest

from iree_cy.testing.conformance._elf import Library, read_library
from iree_cy.testing.conformance._support import Subject, told

_AT_EXIT = ("__cxa_atexit", "__cxa_thread_atexit", "__cxa_thread_atexit_impl", "atexit", "on_exit", "at_quick_exit")
# What the compiler puts in every library.
_COMPILERS_OWN = ("__do_global_dtors_aux",)


@pytest.fixture(scope="module")
def library(subject: Subject) -> Library:
    """Read the file that the driver's plugin names."""
    path = subject.plugin().library
    assert os.path.isabs(path), told(f"names the library {path!r}", "an absolute path", "plugin.h")
    return read_library(path)


def test_exports_its_query(library: Library) -> None:
    """A plugin exports the function iree_cy_driver_plugin_query; nothing else of it is called by name."""
    assert "iree_cy_driver_plugin_query" in library.exports, told(
        f"exports {sorted(library.exports)[:5]}", "iree_cy_driver_plugin_query", "plugin.h"
    )


def test_links_neither_python_nor_the_core(library: Library) -> None:
    """A plugin gets the host's functions from a table, so that one file serves every Python."""
    linked = [name for name in library.needed if "python" in name or "iree_cy" in name or "_core" in name]
    assert not linked, told(f"links {', '.join(linked)}", "neither Python nor iree_cy's core linked", "plugin.h")
    taken = sorted(name for name in library.imports if name.startswith(("Py_", "_Py", "iree_")))
    assert not taken, told(f"imports {', '.join(taken[:5])}", "the host's functions taken from its table", "plugin.h")


def test_has_no_static_destructors(library: Library) -> None:
    """Nothing of a plugin runs when the process ends: other threads may still be inside of it.

    C++ objects with static or thread storage that have a destructor, functions with the attribute ``destructor`` and
    ``atexit`` are refused. Make such an object in create_driver and let it go with the driver, or never.
    """
    found = [name for name in library.destructors if name not in _COMPILERS_OWN]
    if library.destructors and all(name.startswith("the function at ") for name in library.destructors):
        found = list(library.destructors[1:])  # Without names the first is the compiler's.
    found += sorted(name for name in _AT_EXIT if name in library.imports)
    assert not found, told(
        f"has static destructors: its library runs or registers {', '.join(found)}",
        "nothing of a plugin to run when the process ends",
        "plugin.h",
    )
