# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the programs that the conformance suite runs, and compiling them for a driver.
"""The suite's programs: ``python -m iree_cy.testing.programs --driver=NAME --output=DIR`` compiles them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from iree_cy.cli.compile import compile_flags, compile_program
from iree_cy.errors import FailedPrecondition

__all__ = ["build", "sources"]


def sources() -> list[Path]:
    """Return the programs as MLIR."""
    return sorted(Path(__file__).parent.glob("*.mlir"))


def build(driver: str, output: Path, flags: Sequence[str] = ()) -> list[Path]:
    """Compile the programs for a driver.

    Parameters
    ----------
    driver
        The driver's name; its plugin says which flags iree-compile needs.
    output
        The folder for the compiled programs.
    flags
        All flags of iree-compile, in place of the driver's.

    Raises
    ------
    NotFound
        If there is no such driver or no compiler.
    FailedPrecondition
        If the driver declares no ``compile_flags`` and none are given, or the compiler refuses a program.
    """
    used = list(flags) or compile_flags([driver])
    if not used:
        raise FailedPrecondition(
            f"driver {driver!r} declares no compile_flags in its DriverPlugin; declare them, or give --flag=..."
        )
    output.mkdir(parents=True, exist_ok=True)
    made = []
    for source in sources():
        target = output / f"{source.stem}.vmfb"
        compile_program(os.fspath(source), os.fspath(target), used)
        made.append(target)
    return made
