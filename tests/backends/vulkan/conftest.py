# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns what the tests of the vulkan driver share.
"""Devices for the tests of the vulkan driver."""

from __future__ import annotations

import ctypes.util
from pathlib import Path

import pytest

from tests.support.vulkan import build_stand_in, require, require_lavapipe


@pytest.fixture(scope="session")
def lavapipe() -> str:
    """Give the manifest of Debian's software device."""
    return require_lavapipe()


@pytest.fixture(scope="session")
def stand_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the manifest of a driver that shows what the environment says."""
    require(ctypes.util.find_library("vulkan") is not None, "libvulkan1 is not installed")
    return build_stand_in(tmp_path_factory.mktemp("stand-in"))
