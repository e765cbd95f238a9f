# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the version number.
"""The version of iree_cy."""

__all__ = ["__version__"]

__version__ = "0.1.0"
