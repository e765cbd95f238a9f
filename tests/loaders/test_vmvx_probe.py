# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the test that the C tests' device code is what its source says.

from __future__ import annotations

from tests.loaders.vmvx_probe import INC, render


def test_is_what_the_compiler_writes() -> None:
    assert render() == INC.read_text(), "python -m tests.loaders.vmvx_probe"
