# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns `iree-cy doctor`.
"""The command that says what is wrong with a driver."""

from __future__ import annotations

import argparse

from iree_cy.plugins.doctor import doctor

__all__ = ["run"]


def run(arguments: argparse.Namespace) -> int:
    """Print the diagnosis.

    Returns
    -------
    int
        1 if the driver that was asked for cannot be used. Without a name it always succeeds.
    """
    report = doctor(arguments.driver, arguments.timeout)
    print(report.to_json() if arguments.json else report)
    return 1 if arguments.driver is not None and not report.ok else 0
