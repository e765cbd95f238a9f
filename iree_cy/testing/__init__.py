# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the names with which a driver's package describes itself to the conformance suite.
"""Tools for authors of drivers.

``pytest --pyargs iree_cy.testing.conformance --driver=NAME`` asks a driver everything that the contract in
``include/iree_cy`` promises; ``python -m iree_cy.testing.programs`` makes the programs that it runs.
"""

from iree_cy.testing.profile import Profile

__all__ = ["Profile"]
