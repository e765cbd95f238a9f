# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the command that compiles the suite's programs.
"""Compile the programs of the conformance suite for a driver."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from iree_cy.errors import StatusError, one_line
from iree_cy.testing.programs import build


def main() -> int:
    """Compile what the command line asks for."""
    parser = argparse.ArgumentParser(
        prog="python -m iree_cy.testing.programs",
        description="Compile the programs of the conformance suite for a driver; its profile names the folder.",
    )
    parser.add_argument("--driver", required=True, help="the driver, whose compile_flags are used")
    parser.add_argument("--output", required=True, type=Path, help="the folder for the compiled programs")
    parser.add_argument(
        "--flag",
        action="append",
        default=[],
        help="a flag of iree-compile, in place of the driver's; repeatable",
    )
    arguments = parser.parse_args()
    try:
        made = build(arguments.driver, arguments.output, arguments.flag)
    except StatusError as error:
        print(f"error: {one_line(error)}" if "\n" not in str(error) else f"error: {error}", file=sys.stderr)
        return 1
    for path in made:
        print(f"{path}  {path.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
