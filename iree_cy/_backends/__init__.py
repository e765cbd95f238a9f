# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Holds the drivers that the iree-cy wheel brings; each is found by its entry point, like anybody's driver.
"""The bundled driver plugins."""

__all__: list[str] = []
