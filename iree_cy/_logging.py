# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns the bridge from the C log ring to Python's logging and warnings.
"""Hand what C code logged to `logging`, and its warnings to `DeviceWarning`."""

from __future__ import annotations

import sys

__all__ = ["drain"]

_WARNING = 30


def drain() -> None:
    """Empty the log ring into loggers ``iree_cy.<domain>``, and raise its warnings as such.

    A warning that a filter turns into an exception does not replace an exception that is being
    handled.
    """
    core = sys.modules.get("iree_cy._core")
    if core is None:
        return
    records: list[tuple[int, str, str]] = core.drain_log()
    if not records:
        return
    import logging
    import warnings

    from iree_cy.errors import DeviceWarning, outer_stacklevel

    root = logging.getLogger("iree_cy")
    if not root.handlers:
        # A warning is shown by `warnings`; without this, `logging` would show it once more.
        root.addHandler(logging.NullHandler())
    failing = sys.exc_info()[1] is not None
    first_error: Warning | None = None
    for level, domain, text in records:
        logging.getLogger(f"iree_cy.{domain}" if domain else "iree_cy").log(level, "%s", text)
        if level < _WARNING:
            continue
        try:
            message = f"{domain}: {text}" if domain else text
            warnings.warn(message, DeviceWarning, stacklevel=outer_stacklevel())
        except DeviceWarning as error:
            first_error = first_error or error
    if first_error is not None and not failing:
        raise first_error
