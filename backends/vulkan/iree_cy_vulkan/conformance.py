# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns what the conformance suite has to know of the vulkan driver.
"""The vulkan driver and the conformance suite."""

from iree_cy.testing import Profile

__all__ = ["profiles"]

profiles = {
    "vulkan": Profile(exclusions={"executables": "it lists and makes devices, and runs no executables yet"}),
}
