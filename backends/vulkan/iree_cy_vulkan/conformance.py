# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns what the conformance suite has to know of the vulkan driver.
"""The vulkan driver and the conformance suite."""

from pathlib import Path

from iree_cy.testing import Profile

__all__ = ["profiles"]

profiles = {
    "vulkan": Profile(
        exclusions={
            "fork-in-child": "a forked child is told that it cannot use its parent's device",
        },
        programs=Path(__file__).parent / "conformance_programs",
    ),
}
