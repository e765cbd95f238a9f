# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the face of the example.
"""Work that an extension of another package submits to devices of iree_cy."""

from iree_cy_example.fill import element_count, fill

__all__ = ["element_count", "fill"]
