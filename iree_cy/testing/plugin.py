# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the door by which pytest finds the conformance suite: options and hooks that exist only when it is asked for.
"""The entry point of pytest. It does nothing unless the command line names the suite."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

_SUITE = "iree_cy.testing.conformance"


def _names_suite(argument: str) -> bool:
    name = argument.partition("::")[0]
    if name == _SUITE or name.startswith(f"{_SUITE}."):
        return True
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "conformance")
    return os.path.isabs(name) and os.path.commonpath([os.path.realpath(name), os.path.realpath(folder)]) == (
        os.path.realpath(folder)
    )


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, parser: pytest.Parser, args: Sequence[str]) -> None:
    """Add the options of the suite when it is one of the arguments."""
    if not any(_names_suite(argument) for argument in args if not argument.startswith("-")):
        return
    from iree_cy.testing.conformance import _plugin

    _plugin.add_options(parser)
    early_config.pluginmanager.register(_plugin.Conformance(), "iree_cy_conformance")
