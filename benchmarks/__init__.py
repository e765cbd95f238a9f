# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the benchmarks, which are run by hand and not by the tests.
"""Benchmarks of iree_cy against IREE's own runtime."""
