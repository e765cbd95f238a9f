# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns what the conformance suite has to know of the local drivers.
"""The local drivers and the conformance suite."""

from iree_cy.testing import Profile

__all__ = ["profiles"]

profiles = {
    "local-sync": Profile(),
    # Two threads, so that work is shared on a machine with one processor too.
    "local-task": Profile(device="://?threads=2"),
}
