# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns what the conformance suite has to know of the null driver.
"""The null driver and the conformance suite."""

from iree_cy.testing import Profile

__all__ = ["profiles"]

profiles = {
    "null": Profile(exclusions={"executables": "it moves bytes and orders work, and runs no executables"}),
}
