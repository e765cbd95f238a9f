# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the fixtures of this folder.
"""Fixtures."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.driver_packages import NULL_SOURCE, make_null_package
from tests.support.fake_core import fake_core, site

__all__ = ["fake_core", "null", "site"]


@pytest.fixture
def null(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Make the null driver's package, with a source and a text before its own in Python, and put it on the path."""

    def make(source: str = NULL_SOURCE, python: str = "") -> Path:
        folder = make_null_package(tmp_path / "site", source, ["-Wno-error"])
        if python:
            file = folder / "iree_cy_null" / "__init__.py"
            file.write_text(f"{python}\n{file.read_text()}")
        monkeypatch.syspath_prepend(folder)
        return folder

    return make
