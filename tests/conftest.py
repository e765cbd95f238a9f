# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns what every test shares.
"""Shared fixtures."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# The tests use build_tools and tests.support from the tree. It goes last: where the package under test is
# installed elsewhere, that one is found first.
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))

# A shell has what it starts in the background ignore Ctrl-C; what the tests say of it holds there too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
