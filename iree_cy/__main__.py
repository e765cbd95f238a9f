# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns `python -m iree_cy`, which is the command line.
"""The command line, as ``python -m iree_cy``."""

import sys

from iree_cy.cli.command_line import main

if __name__ == "__main__":
    sys.exit(main(prog="python -m iree_cy"))
