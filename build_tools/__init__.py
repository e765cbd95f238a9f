# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Holds the tools that build the project and generate its files; not installed.
"""Build the project and generate its files."""
