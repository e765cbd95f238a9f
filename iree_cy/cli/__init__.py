# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the command line package.
"""The command line `iree-cy`."""

from iree_cy.cli.command_line import main

__all__ = ["main"]
