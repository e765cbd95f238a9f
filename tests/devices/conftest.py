# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the fixtures of this folder.
"""Fixtures."""

from tests.support.fake_core import fake_core, site

__all__ = ["fake_core", "site"]
