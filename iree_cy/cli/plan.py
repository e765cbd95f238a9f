# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns `iree-cy plan`.
"""The command that says which drivers could run a program."""

from __future__ import annotations

import argparse

from iree_cy.plugins.plan import plan

__all__ = ["run"]


def run(arguments: argparse.Namespace) -> int:
    """Print the plan.

    Returns
    -------
    int
        1 if no driver could run the program.
    """
    found = plan(arguments.file)
    print(found.to_json() if arguments.json else found)
    return 0 if any(entry.runs is not False for entry in found.entries) else 1
