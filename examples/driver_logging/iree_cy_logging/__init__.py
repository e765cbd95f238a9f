# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the Python side of the logging driver: what it says of itself is what the driver behind it says.
"""The logging driver: forwards every call to another driver and records it."""

import os
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from iree_cy import DriverPlugin

__all__ = ["inner", "plugin"]

# The name of the driver behind this one; src/driver.c reads the same variable.
_NAME = os.environ.get("LOGGING_DRIVER_INNER") or "local-sync"


def _find(name: str) -> EntryPoint:
    for found in entry_points(group="iree_cy.drivers", name=name):
        if found.module != __name__:
            return found
    raise ImportError(f"LOGGING_DRIVER_INNER is {name!r}, which is the name of no other driver that is installed")


inner = _find(_NAME)
_plugin: DriverPlugin = inner.load()

plugin = DriverPlugin(
    "logging",
    f"{_plugin.human_name}, each call recorded",
    Path(__file__).parent / "libiree_cy_driver_logging.so",
    parameters=_plugin.parameters,
    check=_plugin.check,
    compile_flags=_plugin.compile_flags,
    target_backends=_plugin.target_backends,
    executable_formats=_plugin.executable_formats,
    check_executable=_plugin.check_executable,
)
