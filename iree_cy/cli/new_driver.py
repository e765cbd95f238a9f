# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns `iree-cy new-driver`.
"""The command that writes a driver package to begin with."""

from __future__ import annotations

import argparse
import shlex

from iree_cy.plugins.new_driver import new_driver, template_words

__all__ = ["run"]


def run(arguments: argparse.Namespace) -> int:
    """Write the package and print what to do with it."""
    folder = new_driver(arguments.name, arguments.output, arguments.title)
    package = template_words(arguments.name, "")["iree_cy_null"]
    print(f"wrote the driver {arguments.name} to {folder}; to build, install and check it:")
    print(f"    cd {shlex.quote(str(folder))}")
    print("    pip wheel --no-deps .")
    print(f"    pip install {package}-*.whl 'iree-cy[test]'")
    print(f"    iree-cy list-devices {arguments.name}")
    print(f"    pytest --pyargs iree_cy.testing.conformance --driver={arguments.name}")
    return 0
