# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the Python side of the null driver: the object that its entry point resolves to.
"""The null driver: a device in host memory that moves bytes and orders work, and runs no executables."""

from pathlib import Path

from iree_cy import DriverPlugin

__all__ = ["plugin"]

plugin = DriverPlugin(
    "null",
    "Null (host memory, runs no executables)",
    Path(__file__).parent / "libiree_cy_driver_null.so",
)
