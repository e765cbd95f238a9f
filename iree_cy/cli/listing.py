# SPDX-FileCopyrightText: 2026 The iree_cy Authors
# SPDX-License-Identifier: Apache-2.0
# Owns `list-drivers`, `list-devices` and `info`.
"""Commands that show what is there."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from iree_cy._devices import available_devices
from iree_cy.errors import Unavailable, one_line
from iree_cy.plugins.probe import probe
from iree_cy.plugins.registry import registry

__all__ = ["info", "list_devices", "list_drivers"]


def list_drivers(arguments: argparse.Namespace) -> int:
    """Print each driver's name and where it comes from; import nothing unless asked to."""
    rows = []
    for name in registry.names():
        plugin = registry.registered(name)
        origins = ["registered by call"] if plugin is not None else []
        origins += [entry.origin for entry in registry.entries(name)]
        row = [name, origins[0]]
        if arguments.verbose:
            try:
                row.append(registry.plugin(name).human_name)
            except Exception as error:
                row.append(one_line(error))
        if len(origins) > 1:
            row.append(f"(also from {', '.join(origins[1:])})")
        rows.append(row)
    if not rows:
        print("no drivers are installed")
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)] if rows else [0, 0]
    for row in rows:
        cells = [row[0].ljust(widths[0]), row[1].ljust(widths[1]), *row[2:]]
        print("  ".join(cells).rstrip())
    return 0


def list_devices(arguments: argparse.Namespace) -> int:
    """Print each driver's devices, or the reason why there are none.

    Returns
    -------
    int
        1 if a driver that was asked for by name cannot be used. Without names it always succeeds.
    """
    names = arguments.drivers or registry.names()
    failed = False
    if not names:
        print("no drivers are installed")
    for name in names:
        try:
            devices = _probe_devices(name, arguments) if arguments.isolated else _devices_here(name, arguments)
        except Exception as error:
            failed = True
            reason = one_line(error)
            print(reason if repr(name) in reason else f"{name}: {reason}")
            continue
        if not devices:
            print(f"{name}: no devices")
        for device in devices:
            print(f"{name}://{device['path']}  {device['name']}".rstrip())
            for line in device.get("details", "").splitlines():
                print(f"    {line}".rstrip())
    return 1 if failed and arguments.drivers else 0


def _devices_here(name: str, arguments: argparse.Namespace) -> Sequence[dict[str, Any]]:
    driver = registry.get(name)
    devices = available_devices(driver)
    if arguments.verbose:
        devices = [{**info, "details": driver.dump_device_info(info["device_id"])} for info in devices]
    return devices


def _probe_devices(name: str, arguments: argparse.Namespace) -> Sequence[dict[str, Any]]:
    result = probe(name, arguments.timeout, details=arguments.verbose)
    if result.devices is None:
        raise Unavailable(f"{result.error} (step: {result.step})")
    return result.devices


def info(arguments: argparse.Namespace) -> int:
    """Print how this installation was built."""
    from iree_cy._include import get_include
    from iree_cy.version import __version__

    rows = [
        ("iree-cy", __version__),
        ("python", f"{sys.version.split()[0]} ({sys.executable})"),
    ]
    try:
        rows.append(("include", get_include()))
    except FileNotFoundError as error:
        rows.append(("include", one_line(error)))
    try:
        from iree_cy import _core

        rows += [(str(key), str(value)) for key, value in _core.build_info().items()]
    except Exception as error:
        rows.append(("core", one_line(error)))
    width = max(len(key) for key, _ in rows)
    for key, value in rows:
        print(f"{key.ljust(width)}  {value}")
    return 0
