# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns driver packages that tests make: the null driver, as it is or changed, in a folder that Python finds.
"""Make installed driver packages without an installer."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.support.native import ROOT, build_plugin_library

__all__ = ["NULL_SOURCE", "make_null_package", "run_conformance"]

NULL = ROOT / "backends" / "null"
NULL_SOURCE = (NULL / "src" / "driver.c").read_text()


def make_null_package(site: Path, source: str = NULL_SOURCE, flags: Sequence[str] = ()) -> Path:
    """Make the package of the null driver in a folder, from its own source or a changed one; return the folder."""
    package = site / "iree_cy_null"
    build_plugin_library(source, package / "libiree_cy_driver_null.so", flags)
    for path in (NULL / "iree_cy_null").glob("*.py"):
        (package / path.name).write_text(path.read_text())
    information = site / "iree_cy_null-0.1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: iree-cy-null\nVersion: 0.1.0\n")
    (information / "entry_points.txt").write_text("[iree_cy.drivers]\nnull = iree_cy_null:plugin\n")
    return site


def run_conformance(
    driver: str, *arguments: str, site: Path | None = None, cwd: Path, suite: str = "iree_cy.testing.conformance"
) -> subprocess.CompletedProcess[str]:
    """Run the conformance suite in a process of its own, as an author of a driver would, warnings being errors."""
    environment = {**os.environ, "PYTHONDEVMODE": "1"}
    if site is not None:
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, (str(site), environment.get("PYTHONPATH"))))
    environment.pop("PYTEST_ADDOPTS", None)
    command = [sys.executable, "-W", "error", "-m", "pytest", "-p", "no:cacheprovider", "--pyargs", suite]
    return subprocess.run(
        [*command, *([f"--driver={driver}"] if driver else []), *arguments],
        cwd=cwd,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
