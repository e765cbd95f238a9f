# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the build of this folder alone.
"""Build this driver; pyproject.toml says what there is."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import plugin_build

plugin_build.setup(Path(__file__).parent)
