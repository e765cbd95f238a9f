# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns what tests of Vulkan need of the machine: whether it is there, and where a skip is a failure.
"""What the machine has of Vulkan."""

from __future__ import annotations

import os

import pytest

__all__ = ["LAVAPIPE", "require", "require_lavapipe"]

# Debian's software device. Tests name it, so that they see no other device of the machine.
LAVAPIPE = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"


def require(present: bool, reason: str) -> None:
    """Skip the test with the reason unless it is there; where CI is set, fail."""
    if not present:
        if os.environ.get("CI"):
            pytest.fail(f"{reason}, and CI is set", pytrace=False)
        pytest.skip(reason)


def require_lavapipe() -> str:
    """Return the manifest of Debian's software device."""
    require(os.path.isfile(LAVAPIPE), "mesa-vulkan-drivers is not installed")
    return LAVAPIPE
